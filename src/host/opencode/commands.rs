//! The words that answer the user's commands: `/memory`, `/remember TEXT`, `/forget TEXT`.

use crate::host::told::{self, Told};
use crate::service::{Heard, Overview, Scope, UserCommand};
use crate::sys::shown_path;

const FORGET_ONE: &str = "`/forget PATH` archives the memory at that path; `mdmem list` shows all.";

/// The words for what became of a request by command. A command that was heard before is not told again.
pub(super) fn told(command: UserCommand, heard: &Heard) -> Told {
    let name = match command {
        UserCommand::Remember => "remember",
        UserCommand::Forget => "forget",
    };
    let memory = heard.memories.first();
    let refused = heard.refused.first();
    let text = memory.map(|line| &line.text).or(refused.map(|(_, text)| text));
    let text = text.map_or("", String::as_str);
    let mut told = told::answered(&format!("mdmem, by the user's command `/{name} {text}`:"), heard);
    if memory.is_some_and(|line| line.outcome == "not_taken_back") {
        told.text.extend(["\n", FORGET_ONE]);
    }
    told
}

/// The memory at a glance, for a person.
pub(super) fn overview(overview: &Overview) -> String {
    let whose = match overview.scope {
        Scope::Global => "of every workspace",
        Scope::Workspace => "of this workspace",
    };
    let mut lines = vec![format!("Active memories {whose}: {}", overview.in_force)];
    if overview.left_out > 0 {
        lines.push(format!(
            "Not shown in the prompt: {} (`mdmem why` says why)",
            overview.left_out
        ));
    }
    if overview.waiting > 0 {
        let waiting = overview.waiting;
        lines.push(format!("Pending writes: {waiting} (`mdmem status` says why)"));
    }
    lines.push(format!("Files: {}", shown_path(&overview.root)));
    if overview.shown.is_empty() {
        lines.push("This session has no prompt from mdmem yet.".to_owned());
    } else {
        lines.push("The prompt of this session:\n".to_owned());
        lines.extend(overview.shown.iter().cloned());
    }
    lines.join("\n")
}
