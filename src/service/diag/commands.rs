//! What became of the commands on numbered memories?

use super::EventView;
use super::places::Places;
use super::tally::{Tally, tally};
use crate::capture::Rejection;
use crate::evidence::{EventType, Evidence, RecordedEvent};
use crate::service::ServiceError;
use crate::store::Store;

/// Reasons that only a replacement can be refused for.
const OF_REPLACE: [&str; 3] = [
    "empty_replacement_text",
    "protected_memory_source",
    "protected_reinforced_target",
];

/// A command of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandKind {
    /// `REINFORCE [M3]`
    Reinforce,
    /// `REPLACE [M3] …`
    Replace,
    /// `mdmem diag revert`, which takes a replacement back.
    Revert,
    /// One that could not be read.
    Unknown,
}

impl CommandKind {
    /// The word for it in tables and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reinforce => "reinforce",
            Self::Replace => "replace",
            Self::Revert => "revert",
            Self::Unknown => "unknown",
        }
    }
}

/// What became of one command.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The command.
    pub command: CommandKind,
    /// The number that it named, such as `M3`.
    pub number: Option<String>,
    /// `done`, or the reason why not.
    pub outcome: String,
    /// The event.
    pub event: EventView,
}

/// A question for commands.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandsRequest {
    /// At most this many, the newest.
    pub limit: Option<usize>,
}

/// What became of the commands.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandOutcomes {
    /// How many, by command and outcome.
    pub counts: Vec<(CommandKind, Tally)>,
    /// The newest first.
    pub commands: Vec<Resolved>,
    /// How many there are in all.
    pub total: usize,
}

/// Tells what became of REINFORCE and REPLACE.
pub fn commands(store: &Store, request: &CommandsRequest) -> Result<CommandOutcomes, ServiceError> {
    let evidence = Evidence::read(store.root())?;
    let places = Places::of(&store.load()?);
    let found: Vec<(CommandKind, &RecordedEvent)> = evidence
        .events
        .iter()
        .filter_map(|event| Some((command_of(event)?, event)))
        .collect();
    let limit = request.limit.unwrap_or(usize::MAX);
    let resolved = |(command, event): &(CommandKind, &RecordedEvent)| Resolved {
        command: *command,
        number: event.text("ref").map(str::to_owned),
        outcome: outcome_of(event),
        event: places.view(event),
    };
    Ok(CommandOutcomes {
        counts: counts(&found),
        commands: found.iter().rev().take(limit).map(resolved).collect(),
        total: found.len(),
    })
}

fn counts(found: &[(CommandKind, &RecordedEvent)]) -> Vec<(CommandKind, Tally)> {
    let kinds = [
        CommandKind::Reinforce,
        CommandKind::Replace,
        CommandKind::Revert,
        CommandKind::Unknown,
    ];
    let of_kind = |kind: CommandKind| {
        let events = found.iter().filter(|(command, _)| *command == kind);
        (kind, tally(events.map(|(_, event)| outcome_of(event))))
    };
    kinds
        .into_iter()
        .map(of_kind)
        .filter(|(_, counts)| !counts.is_empty())
        .collect()
}

/// The command that an event tells of; `None` for an event that tells of none.
pub(super) fn command_of(event: &RecordedEvent) -> Option<CommandKind> {
    let said = event.preview.as_deref().unwrap_or_default();
    let said = said.trim_start_matches(['-', '*', '+', ' ']).to_lowercase();
    let named = if said.starts_with("reinforce [m") {
        Some(CommandKind::Reinforce)
    } else if said.starts_with("replace [m") {
        Some(CommandKind::Replace)
    } else {
        None
    };
    match event.event_type {
        EventType::MemoryReplacedNumberedRef => Some(CommandKind::Replace),
        EventType::MemoryRevertedNumberedRef => Some(CommandKind::Revert),
        EventType::MemoryReinforced => event.text("ref").map(|_| CommandKind::Reinforce),
        EventType::ExtractionCandidateRejected => {
            let is_replace = event
                .reasons
                .iter()
                .any(|word| OF_REPLACE.contains(&word.as_str()));
            let is_command =
                event.text("ref").is_some() || event.reasons.iter().any(|word| is_of_a_command(word));
            named.or(match (is_replace, is_command) {
                (true, _) => Some(CommandKind::Replace),
                (false, true) => Some(CommandKind::Unknown),
                (false, false) => None,
            })
        }
        _ => None,
    }
}

fn is_of_a_command(word: &str) -> bool {
    let mut reasons = Rejection::ALL.into_iter();
    reasons.any(|reason| reason.is_of_a_command() && reason.as_str() == word)
}

/// `done`, or why not. A reinforcement whose count did not grow came too early.
fn outcome_of(event: &RecordedEvent) -> String {
    let reason = event.reasons.last().map(String::as_str).or(event.text("reason"));
    match event.event_type {
        EventType::ExtractionCandidateRejected => reason.unwrap_or("unknown").to_owned(),
        EventType::MemoryReinforced if !was_reinforced(event) => reason.unwrap_or("not_yet").to_owned(),
        _ => "done".to_owned(),
    }
}

/// Whether an event of reinforcement tells of one that was allowed: it says in which mode, or its count grew, or nothing
/// in it says why not.
pub(super) fn was_reinforced(event: &RecordedEvent) -> bool {
    match (event.number("oldCount"), event.number("newCount")) {
        _ if event.text("mode").is_some() => true,
        (Some(old), Some(new)) => new > old,
        _ => event.reasons.is_empty(),
    }
}
