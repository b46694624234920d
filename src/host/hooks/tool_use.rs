//! The work of the hosts' own tools, in our words. Tools of other names say nothing about what a session works on.

use serde_json::Value;

use super::input::Input;
use crate::host::tools;
use crate::service::{FileAction, ToolReport};

/// The number of files that are taken of those that a search found.
const MOST_FOUND: usize = 5;

/// The report of a tool; `None` for a tool that is of no interest, and for a call that failed, but for a command.
pub(super) fn report(input: &Input) -> Option<ToolReport> {
    let args = input.value("tool_input");
    let error = input.text("error");
    let tool = input.text("tool_name")?;
    let named = || {
        let mut fields = ["file_path", "notebook_path", "absolute_path", "path"].into_iter();
        fields.find_map(|field| text(args, field)).into_iter().collect()
    };
    let (action, paths): (_, Vec<String>) = match tool {
        "Bash" | "Execute" | "run_shell_command" | "bash" => return shell(args, error, input),
        _ if error.is_some() => return None,
        "Read" | "read_file" | "read" => (FileAction::Read, named()),
        "Write" | "Create" | "write_file" | "write" => (FileAction::Write, named()),
        "Edit" | "MultiEdit" | "NotebookEdit" | "replace" | "edit" => (FileAction::Edit, named()),
        "apply_patch" => (FileAction::Edit, patched(args)),
        "Grep" => (FileAction::Grep, found(input.value("tool_response"))),
        _ => return None,
    };
    (!paths.is_empty()).then_some(ToolReport::Files { action, paths })
}

/// The line by which the person sees what one of our tools made of the memory.
pub(super) fn seen(input: &Input) -> Option<String> {
    let (_, tool) = input.text("tool_name")?.split_once("mdmem")?;
    tools::seen(tool.trim_start_matches(['_', '-']), said(input)?)
}

/// The text of a tool's answer: of Claude Code and Codex, of Gemini CLI and Qwen Code, of Copilot.
fn said(input: &Input) -> Option<&str> {
    let (response, result) = (input.value("tool_response"), input.value("tool_result"));
    let content = response.as_array().or_else(|| response["content"].as_array());
    match content {
        Some(parts) => parts.first()?["text"].as_str(),
        None => [
            response,
            &response["returnDisplay"],
            &result["text_result_for_llm"],
        ]
        .into_iter()
        .find_map(Value::as_str),
    }
}

/// A command. Claude Code has no field for its exit code: one that did not succeed comes with an error, which begins with
/// the code. The code of one that still runs, was interrupted, or failed in a way that the host takes for an answer (a
/// search that found nothing) is not known. Others say it in a line behind the output, and Codex nowhere.
fn shell(args: &Value, error: Option<&str>, input: &Input) -> Option<ToolReport> {
    let response = input.value("tool_response");
    let (exit, output) = if let Some(error) = error {
        (exit_code(error), error.to_owned())
    } else if let Some(output) = said(input) {
        let told = response["llmContent"].as_str();
        let told = told.or_else(|| input.value("tool_result")["text_result_for_llm"].as_str());
        (told.and_then(stated_exit_code), output.to_owned())
    } else {
        let is_set = |field: &str| !matches!(response[field], Value::Null | Value::Bool(false));
        let unknown = ["interrupted", "backgroundTaskId", "returnCodeInterpretation"];
        let streams = ["stdout", "stderr"].map(|stream| text(response, stream).unwrap_or_default());
        let exit = (!unknown.into_iter().any(is_set)).then_some(0);
        (exit, streams.join("\n"))
    };
    Some(ToolReport::Shell {
        command: text(args, "command")?,
        exit,
        output,
    })
}

/// The exit code in the first line of an error: `Exit code 1`, `Command exited with non-zero status code 1`.
fn exit_code(error: &str) -> Option<i64> {
    let (_, code) = error.lines().next()?.trim().rsplit_once("code ")?;
    code.parse().ok()
}

/// The exit code in one of the last lines of an answer: `Exit Code: 1`, `<shellId: 0 completed with exit code 1>`. Gemini
/// CLI says nothing of a code of 0.
fn stated_exit_code(answer: &str) -> Option<i64> {
    let stated = |line: &str| {
        let line = line.to_ascii_lowercase();
        let (_, code) = line.rsplit_once("exit code")?;
        code.trim_matches([' ', ':', '>']).parse().ok()
    };
    let mut last = answer.lines().rev().take(5);
    let stated = last.find_map(stated);
    stated.or_else(|| answer.contains("\nOutput: ").then_some(0))
}

/// The files that a search found.
fn found(response: &Value) -> Vec<String> {
    let names = response["filenames"].as_array().into_iter().flatten();
    let names = names.filter_map(|name| name.as_str().map(str::to_owned));
    names.take(MOST_FOUND).collect()
}

/// The files that a patch of Codex's changes.
fn patched(args: &Value) -> Vec<String> {
    let patch = text(args, "command").unwrap_or_default();
    let named = patch.lines().filter_map(|line| {
        let name = line.strip_prefix("*** Update File: ");
        name.or_else(|| line.strip_prefix("*** Add File: "))
    });
    named.map(str::to_owned).collect()
}

fn text(of: &Value, field: &str) -> Option<String> {
    of[field].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reported(event: &Value) -> Option<ToolReport> {
        report(&Input::read(std::io::Cursor::new(event.to_string())).unwrap())
    }

    fn bash(rest: &Value) -> Option<i64> {
        let mut event = json!({"tool_name": "Bash", "tool_input": {"command": "npm test"}});
        for (key, value) in rest.as_object().unwrap() {
            event[key] = value.clone();
        }
        match reported(&event) {
            Some(ToolReport::Shell { exit, .. }) => exit,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_exit_code_of_a_command_is_known_or_not() {
        for (rest, exit) in [
            (
                json!({"tool_response": {"stdout": "ok", "stderr": "", "interrupted": false}}),
                Some(0),
            ),
            (
                json!({"tool_response": {"stdout": "", "interrupted": true}}),
                None,
            ),
            (json!({"tool_response": {"backgroundTaskId": "b1"}}), None),
            (
                json!({"tool_response": {"returnCodeInterpretation": "No matches found"}}),
                None,
            ),
            (
                json!({"error": "Exit code 2\nsrc/a.ts(3,1): error TS2345"}),
                Some(2),
            ),
            (
                json!({"error": "Command exited with non-zero status code 1"}),
                Some(1),
            ),
            (json!({"error": "Command timed out after 2m"}), None),
            (json!({"tool_response": "1 passed\n"}), None),
            (
                json!({"tool_response": {"llmContent": "Output: no\nExit Code: 3\nProcess Group PGID: 7", "returnDisplay": "no"}}),
                Some(3),
            ),
            (
                json!({"tool_response": {"llmContent": "<untrusted_context>\nOutput: ok\n</untrusted_context>", "returnDisplay": "ok"}}),
                Some(0),
            ),
            (
                json!({"tool_result": {"text_result_for_llm": "hi\n<shellId: 0 completed with exit code 1>"}}),
                Some(1),
            ),
        ] {
            assert_eq!(bash(&rest), exit, "{rest}");
        }
    }

    #[test]
    fn files_are_named_by_the_arguments_and_by_what_a_search_found() {
        let paths = |event: Value| match reported(&event) {
            Some(ToolReport::Files { action, paths }) => (Some(action), paths),
            _ => (None, Vec::new()),
        };
        let file = json!({"file_path": "/w/a.rs"});
        for (tool, action) in [
            ("Read", FileAction::Read),
            ("Write", FileAction::Write),
            ("Edit", FileAction::Edit),
            ("MultiEdit", FileAction::Edit),
        ] {
            let event = json!({"tool_name": tool, "tool_input": file});
            assert_eq!(paths(event), (Some(action), vec!["/w/a.rs".to_owned()]));
        }
        let grep = json!({"tool_name": "Grep", "tool_response": {"filenames": ["a.rs", 7, "b.rs"]}});
        assert_eq!(paths(grep).1, ["a.rs", "b.rs"]);
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n-x\n*** Add File: b.md\n+y\n*** End Patch\n";
        let patch = json!({"tool_name": "apply_patch", "tool_input": {"command": patch}});
        assert_eq!(paths(patch).1, ["src/a.rs", "b.md"]);
        let read = json!({"tool_name": "read_file", "tool_input": {"absolute_path": "/w/a.rs"}});
        assert_eq!(paths(read).1, ["/w/a.rs"]);
        for nothing in [
            json!({"tool_name": "Edit", "tool_input": file, "error": "no match"}),
            json!({"tool_name": "TodoWrite", "tool_input": {"todos": []}}),
            json!({"tool_name": "Read", "tool_input": {"file_path": 7}}),
            json!({"tool_name": "Bash", "tool_input": {}}),
            json!({"tool_input": file}),
        ] {
            assert_eq!(reported(&nothing), None, "{nothing}");
        }
    }
}
