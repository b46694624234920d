//! The work of OpenCode's own tools, in our words. Tools of other names say nothing about what a session works on.

use serde::Deserialize;
use serde_json::Value;

use super::wire::ToolUse;
use crate::host::tools;
use crate::service::{FileAction, Todo, ToolOutput, ToolReport, ToolWork};

/// The number of files that are taken of those that a search found.
const MOST_FOUND: usize = 5;

/// The report of a tool; `None` for a tool that is of no interest.
pub(super) fn report(used: &ToolUse) -> Option<ToolReport> {
    let files =
        |action, paths: Vec<String>| (!paths.is_empty()).then_some(ToolReport::Files { action, paths });
    match used.tool.as_str() {
        "bash" => Some(ToolReport::Shell {
            command: text(&used.args, &["command"])?,
            exit: used.exit,
            output: used.output.clone().unwrap_or_default(),
        }),
        "read" => files(FileAction::Read, named(&used.args)),
        "write" => files(FileAction::Write, named(&used.args)),
        "edit" | "multiedit" => files(FileAction::Edit, named(&used.args)),
        "patch" | "apply_patch" => files(FileAction::Edit, patched(&used.args)),
        "glob" => {
            let paths = listed(used.output.as_deref().unwrap_or_default());
            (!paths.is_empty()).then_some(ToolReport::Listed { paths })
        }
        "todowrite" => {
            let todos = Vec::<Todo>::deserialize(used.args.get("todos")?).ok()?;
            Some(ToolReport::Todos(todos))
        }
        "grep" => files(
            FileAction::Grep,
            found(used.output.as_deref().unwrap_or_default()),
        ),
        _ => None,
    }
}

/// The output of a tool, as pruning looks at it; `None` where there is none. A command without an exit code was stopped.
pub(super) fn output(used: &ToolUse) -> Option<ToolOutput<'_>> {
    let work = match used.tool.as_str() {
        "bash" => ToolWork::Command,
        "glob" | "grep" | "list" | "ls" => ToolWork::List,
        "read" => ToolWork::Read,
        "edit" | "multiedit" | "write" | "patch" | "apply_patch" => ToolWork::Change,
        "task" | "skill" | "todowrite" | "todoread" | "question" => ToolWork::Agent,
        name if tools::is_ours(name) => ToolWork::Memory,
        _ => ToolWork::Other,
    };
    let is_command = work == ToolWork::Command;
    Some(ToolOutput {
        tool: &used.tool,
        work,
        command: used
            .args
            .get("command")
            .and_then(Value::as_str)
            .filter(|_| is_command),
        is_failed: is_command && used.exit != Some(0),
        text: used.output.as_deref()?,
    })
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

/// The files that a search for names lists, each on a line of its own.
fn listed(output: &str) -> Vec<String> {
    let paths = output.lines().filter(|line| line.starts_with('/'));
    paths.take(MOST_FOUND).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn used(tool: &str, args: Value, output: &str) -> ToolUse {
        ToolUse {
            session: "s".to_owned(),
            call: "c".to_owned(),
            tool: tool.to_owned(),
            args,
            output: Some(output.to_owned()),
            exit: None,
        }
    }

    fn paths(used: &ToolUse) -> Vec<String> {
        match report(used) {
            Some(ToolReport::Files { paths, .. }) => paths,
            _ => Vec::new(),
        }
    }

    #[test]
    fn files_are_named_by_the_arguments_and_by_what_a_search_found() {
        assert_eq!(
            paths(&used(
                "edit",
                json!({"filePath": "/w/a.rs", "oldString": "x"}),
                ""
            )),
            ["/w/a.rs"]
        );
        let found = "Found 2 matches\n/w/a.rs:\n  Line 3: use x::y:\n\n/w/b.rs:\n  Line 1: z";
        assert_eq!(
            paths(&used("grep", json!({"pattern": "x"}), found)),
            ["/w/a.rs", "/w/b.rs"]
        );
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n*** Add File: b/c.rs\n+x\n*** End Patch";
        assert_eq!(
            paths(&used("apply_patch", json!({"patchText": patch}), "")),
            ["a.rs", "b/c.rs"]
        );
    }

    #[test]
    fn an_output_may_be_pruned_by_what_its_tool_did() {
        let work = |tool: &str| {
            let used = used(tool, json!({}), "x");
            output(&used).unwrap().work
        };
        assert_eq!(work("grep"), ToolWork::List);
        assert_eq!(
            (work("memory_tree"), work("mdmem_memory_tree")),
            (ToolWork::Memory, ToolWork::Memory)
        );
        assert_eq!(
            (work("webfetch"), work("notmemory_tree")),
            (ToolWork::Other, ToolWork::Other)
        );
        for (exit, fails) in [(Some(0), false), (Some(3), true), (None, true)] {
            let mut used = used("bash", json!({"command": "ls"}), "x");
            used.exit = exit;
            let output = output(&used).unwrap();
            assert_eq!((output.is_failed, output.command), (fails, Some("ls")));
        }
    }

    #[test]
    fn what_says_nothing_is_no_report() {
        for (tool, args) in [
            ("todowrite", json!({})),
            ("todowrite", json!({"todos": [7]})),
            ("read", json!({"filePath": 7})),
            ("read", json!(null)),
            ("bash", json!({"cmd": "ls"})),
        ] {
            assert_eq!(report(&used(tool, args, "")), None);
        }
    }
}
