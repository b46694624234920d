//! The answers of the tools in words, and their refusals with the next step.

use crate::model::{PathError, StorePath};
use crate::service::{
    ContextAdvice, ContextFigures, ContextView, NameError, Scope, ServiceError, StoreError, ToolChange,
    ToolMemory, ToolRead,
};

use super::{ToolError, ToolTrouble};

/// The word by which models name a store.
pub(super) const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Global => "global",
        Scope::Workspace => "project",
    }
}

/// What was read.
pub(super) fn read(read: &ToolRead) -> String {
    match read {
        ToolRead::Memory(present) => memory(present),
        ToolRead::Text(text) => text.clone(),
    }
}

/// A memory for a model: what is known of it, an empty line, and its body to the end.
fn memory(memory: &ToolMemory) -> String {
    let mut lines = vec![
        format!("path: {}", memory.path),
        format!("rev: {}", memory.rev),
        format!("type: {}", memory.kind),
    ];
    if memory.scope == Scope::Global {
        lines.push("scope: global".to_owned());
    }
    lines.extend(
        memory
            .description
            .as_ref()
            .map(|hook| format!("description: {hook}")),
    );
    lines.extend(memory.files.as_ref().map(|files| format!("paths: {files}")));
    if !memory.tags.is_empty() {
        lines.push(format!("tags: {}", memory.tags));
    }
    lines.push(format!("limit: {} of {} characters", memory.chars, memory.limit));
    if memory.readonly {
        lines.push("readonly: true".to_owned());
    }
    lines.extend(
        memory
            .updated
            .map(|time| format!("updated: {}", time.to_rfc3339())),
    );
    format!("{}\n\n{}", lines.join("\n"), memory.body)
}

/// The answer to a change.
pub(super) fn change(done: &str, change: &ToolChange) -> String {
    let mut lines = vec![match &change.memory {
        Some(memory) => format!(
            "{done} (rev: {}, {} of {} characters{}).",
            memory.rev,
            memory.chars,
            memory.limit,
            if memory.scope == Scope::Global {
                ", scope: global"
            } else {
                ""
            }
        ),
        None => format!("{done}."),
    }];
    if change.outcome.oid().is_none() {
        lines.push("Nothing changed, so there is no commit.".to_owned());
    }
    if !change.redacted.is_empty() {
        lines.push("A suspected secret in it was replaced with [REDACTED:…].".to_owned());
    }
    lines.join("\n")
}

/// The level of a conversation's context.
pub(super) fn context(view: &ContextView) -> String {
    let level = match (&view.figures, view.used) {
        (Some(figures), _) => format!("The context is {}.", in_words(figures)),
        (None, Some(used)) => format!(
            "{used} tokens are in use. The level is unknown, because the host does not compact on its own \
             or reports no limit."
        ),
        (None, None) => "How full the context is will be known after the next answer.".to_owned(),
    };
    let chars = view.prompt_chars;
    format!("{level}\nmdmem's part of the system prompt has {chars} characters.")
}

/// One line about a context that is filling up: the figures, and what to do.
pub(crate) fn advice(advice: &ContextAdvice) -> String {
    let keep = if advice.has_session_memory {
        "save what the next step needs with session_memory"
    } else {
        "say in a few lines what the next step needs"
    };
    let then = if advice.may_compact {
        "then call memory_compact at the next natural break"
    } else {
        "because the conversation will be compacted soon"
    };
    let figures = in_words(&advice.figures);
    format!("mdmem: the context is {figures}. Finish the step at hand and {keep}, {then}.")
}

/// The figures of a context, as the end of a sentence.
fn in_words(figures: &ContextFigures) -> String {
    let ContextFigures { used, usable, .. } = figures;
    let trend = figures.per_turn.zip(figures.turns_left);
    let trend = trend.map(|(tokens, turns)| format!("; a turn adds about {tokens}, turns left: {turns}"));
    let (percent, level) = (figures.percent(), figures.level.as_str());
    let trend = trend.unwrap_or_default();
    format!("{percent} % full ({level}), {used} of the {usable} tokens at which the host compacts{trend}")
}

impl From<ServiceError> for ToolError {
    fn from(error: ServiceError) -> Self {
        refused(&error)
    }
}

/// The reason why the service does not do it, in words that say what to do.
fn refused(error: &ServiceError) -> ToolError {
    let said = on_one_line(&error.to_string());
    let next = match error {
        ServiceError::Unasked(leave) => return ToolTrouble::Ask(*leave).because(said),
        ServiceError::Suggested(_) => return ToolTrouble::Refused.because(said),
        ServiceError::Refused(refusal) => {
            let present = refusal.present.as_ref();
            let present = present.map_or_else(String::new, |present| format!("\n\n{}", memory(present)));
            return ToolTrouble::Refused.because(said + &present);
        }
        ServiceError::Session(_) | ServiceError::Compaction(_) => {
            return ToolTrouble::Refused.because(error.to_string());
        }
        ServiceError::Conversation(_) => {
            "`what`: sessions lists the sessions, plans the plans, and search needs a `query`".to_owned()
        }
        ServiceError::UnknownKind { known, .. } => format!("use one of {}", known.join(", ")),
        ServiceError::OverLimit { .. } => "store the one fact that matters, in one or two \
            sentences"
            .to_owned(),
        ServiceError::Declined => "leave it out".to_owned(),
        ServiceError::Injection(_) => {
            "leave it out; only the user can do this, in a terminal of their own".to_owned()
        }
        ServiceError::OnlySecrets => "say where it is kept, without the value".to_owned(),
        ServiceError::EmptyText => "say in a few words what to remember".to_owned(),
        ServiceError::GlobalDenied => "leave `scope` out to store it for this workspace".to_owned(),
        ServiceError::Name(NameError::Unknown { nearest, .. }) if nearest.is_empty() => {
            "memory_search finds memories".to_owned()
        }
        ServiceError::Name(NameError::Unknown { nearest, .. }) => {
            let nearest: Vec<&str> = nearest.iter().map(StorePath::as_str).collect();
            format!("did you mean {}?", nearest.join(" or "))
        }
        ServiceError::Name(NameError::Ambiguous { candidates, .. }) => {
            let paths: Vec<&str> = candidates
                .iter()
                .take(10)
                .map(|(path, _)| path.as_str())
                .collect();
            format!("use one of {}", paths.join(", "))
        }
        // These say it themselves.
        ServiceError::Path(PathError::Absolute(_) | PathError::TooDeep(_)) => {
            return ToolTrouble::Refused.because(said);
        }
        ServiceError::Path(_) => "give a path in the store, such as decision/use-npm.md".to_owned(),
        ServiceError::Reserved { .. } => "it belongs to the user; give a path in a folder".to_owned(),
        ServiceError::Excluded { .. } => "give a path in another folder".to_owned(),
        ServiceError::CredentialName { .. } => "give another name".to_owned(),
        ServiceError::Taken { free, .. } => format!("read and edit that one, or use {free}"),
        ServiceError::NoPoint(_) | ServiceError::NotThen { .. } => {
            "memory_history shows the revisions of a memory".to_owned()
        }
        ServiceError::Store(StoreError::Gone { .. }) => {
            "leave out `rev` to create it, or find it with memory_search".to_owned()
        }
        ServiceError::Store(StoreError::Readonly { .. } | StoreError::Unclear { .. }) => {
            "ask the user to change it".to_owned()
        }
        ServiceError::Store(error) if error.is_busy() || matches!(error, StoreError::Contended { .. }) => {
            return ToolTrouble::Failed
                .because(format!("nothing was changed: {said}; call again in a moment"));
        }
        _ => {
            return ToolTrouble::Failed
                .because(format!("failed: {said}; tell the user to run `mdmem status`"));
        }
    };
    ToolTrouble::Refused.because(format!("{said}: {next}"))
}

/// Words of an error, which may repeat what a model gave, with nothing in them that begins a line.
pub(super) fn on_one_line(words: &str) -> String {
    let plain = |c: char| {
        let is_odd = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        if is_odd {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    words.chars().map(plain).collect()
}
