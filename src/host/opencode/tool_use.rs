//! The work of OpenCode's own tools, in our words. Tools of other names say nothing about what a session works on.

use serde_json::Value;

use super::wire::ToolUse;
use crate::service::{FileAction, ToolReport};

/// The number of files that are taken of those that a search found.
const MOST_FOUND: usize = 5;

/// The report of a tool; `None` for a tool that is of no interest, and for a call that failed.
pub(super) fn report(used: ToolUse) -> Option<ToolReport> {
    if used.error.is_some() {
        return None;
    }
    let files =
        |action, paths: Vec<String>| (!paths.is_empty()).then_some(ToolReport::Files { action, paths });
    match used.tool.as_str() {
        "bash" => Some(ToolReport::Shell {
            command: text(&used.args, &["command"])?,
            exit: used.exit,
            output: used.output.unwrap_or_default(),
        }),
        "read" => files(FileAction::Read, named(&used.args)),
        "write" => files(FileAction::Write, named(&used.args)),
        "edit" | "multiedit" => files(FileAction::Edit, named(&used.args)),
        "patch" | "apply_patch" => files(FileAction::Edit, patched(&used.args)),
        "grep" => files(
            FileAction::Grep,
            found(used.output.as_deref().unwrap_or_default()),
        ),
        _ => None,
    }
}

fn named(args: &Value) -> Vec<String> {
    text(args, &["filePath", "file_path", "path"])
        .into_iter()
        .collect()
}

fn text(args: &Value, names: &[&str]) -> Option<String> {
    let found = names.iter().find_map(|name| args.get(name)?.as_str());
    found.map(str::to_owned)
}

/// The files of a patch, by the lines that begin one.
fn patched(args: &Value) -> Vec<String> {
    let patch = text(args, &["patchText", "patch", "input"]).unwrap_or_default();
    let file = |line: &str| {
        let named = ["*** Update File: ", "*** Add File: "]
            .iter()
            .find_map(|begin| line.strip_prefix(begin))?;
        Some(named.trim().to_owned())
    };
    patch.lines().filter_map(file).collect()
}

/// The files under which a search lists its matches: lines that are a path and a colon.
fn found(output: &str) -> Vec<String> {
    let file = |line: &str| {
        let path = line.strip_suffix(':')?;
        (path.starts_with('/') && !path.contains(": ")).then(|| path.to_owned())
    };
    output.lines().filter_map(file).take(MOST_FOUND).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn used(tool: &str, args: Value, output: &str) -> ToolUse {
        ToolUse {
            session: "s".to_owned(),
            tool: tool.to_owned(),
            args,
            output: Some(output.to_owned()),
            exit: None,
            error: None,
        }
    }

    fn paths(used: ToolUse) -> Vec<String> {
        match report(used) {
            Some(ToolReport::Files { paths, .. }) => paths,
            _ => Vec::new(),
        }
    }

    #[test]
    fn files_are_named_by_the_arguments_and_by_what_a_search_found() {
        assert_eq!(
            paths(used("edit", json!({"filePath": "/w/a.rs", "oldString": "x"}), "")),
            ["/w/a.rs"]
        );
        let found = "Found 2 matches\n/w/a.rs:\n  Line 3: use x::y:\n\n/w/b.rs:\n  Line 1: z";
        assert_eq!(
            paths(used("grep", json!({"pattern": "x"}), found)),
            ["/w/a.rs", "/w/b.rs"]
        );
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n*** Add File: b/c.rs\n+x\n*** End Patch";
        assert_eq!(
            paths(used("apply_patch", json!({"patchText": patch}), "")),
            ["a.rs", "b/c.rs"]
        );
    }

    #[test]
    fn what_failed_or_says_nothing_is_no_report() {
        let mut failed = used("edit", json!({"filePath": "/w/a.rs"}), "");
        failed.error = Some("no match".to_owned());
        assert_eq!(report(failed), None);
        for (tool, args) in [
            ("todowrite", json!({})),
            ("read", json!({"filePath": 7})),
            ("read", json!(null)),
            ("bash", json!({"cmd": "ls"})),
        ] {
            assert_eq!(report(used(tool, args, "")), None);
        }
    }
}
