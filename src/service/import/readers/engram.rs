//! engram: the JSON of `engram export`, with observations of sessions (`**What**`, `**Why**`, `**Where**`, `**Learned**`).

use serde::Deserialize;

use crate::document::{NewMemory, Value, read_content};
use crate::model::{Content, Kind, Timestamp};
use crate::service::import::form::Wanted;
use crate::service::import::incoming::{Incoming, Said, Way};

#[derive(Deserialize)]
struct Export {
    observations: Vec<Observation>,
    #[serde(default)]
    prompts: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Observation {
    id: serde_json::Value,
    sync_id: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    content: String,
    project: Option<String>,
    topic_key: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    deleted_at: Option<String>,
}

/// Reads an export. Where one of its projects is called as the workspace, the observations of the others are left out.
pub(in crate::service::import) fn read(
    text: &str,
    workspace: Option<&str>,
    wanted: Wanted,
    incoming: &mut Incoming,
) -> Result<(), serde_json::Error> {
    let export: Export = serde_json::from_str(text)?;
    let file = incoming.files.first().cloned().unwrap_or_default();
    let is_here = |observation: &Observation| observation.project.as_deref() == workspace;
    let has_project = workspace.is_some() && export.observations.iter().any(is_here);
    for observation in export.observations {
        let place = format!("observation {}", observation.id);
        let elsewhere = observation
            .project
            .as_deref()
            .filter(|_| has_project && !is_here(&observation));
        let said = if observation.deleted_at.is_some() {
            Err("it was deleted there".to_owned())
        } else if let Some(project) = elsewhere {
            Err(format!("it belongs to the project {project}"))
        } else if observation.content.trim().is_empty() && observation.title.trim().is_empty() {
            Err("it is empty".to_owned())
        } else {
            Ok(said(observation, wanted))
        };
        incoming.entry(&file, &place, None, said);
    }
    if !export.prompts.is_empty() {
        let reason = format!("{} prompts of the user are no memories", export.prompts.len());
        incoming.entry(&file, "prompts", None, Err(reason));
    }
    Ok(())
}

fn said(observation: Observation, wanted: Wanted) -> Said {
    let (title, content) = (observation.title.trim(), observation.content.trim());
    let fact = match (part(content, "What"), read_content(content)) {
        (Some(text), _) => Some(Content::Fact {
            text,
            rationale: part(content, "Why"),
        }),
        (None, fact @ Content::Fact { .. }) => Some(fact),
        (None, Content::Note { .. }) => None,
    };
    let note = || read_content(&format!("# {title}\n\n{content}"));
    let content = fact.filter(|_| wanted == Wanted::Facts).unwrap_or_else(note);
    let is_session = observation.kind == "session_summary";
    let kind = match observation.kind.as_str() {
        "decision" | "architecture" => "decision",
        "preference" => "feedback",
        "reference" => "reference",
        _ => "project",
    };
    let tags = [Some(observation.kind.clone()), observation.topic_key];
    let time = |stated: Option<&String>| {
        // SQLite's own form has a space in the middle, and means UTC.
        let stated = stated?;
        let time = Timestamp::parse(stated)
            .or_else(|| Timestamp::parse(&format!("{}Z", stated.replacen(' ', "T", 1))));
        time.map(Value::Time)
    };
    let memory = NewMemory {
        kind: Kind::new(kind),
        created: time(observation.created_at.as_ref()),
        updated: time(observation.updated_at.as_ref()),
        description: (content.is_note() && !title.is_empty()).then(|| title.to_owned()),
        tags: tags.into_iter().flatten().filter(|tag| !tag.is_empty()).collect(),
        content,
        ..NewMemory::default()
    };
    Said {
        id: observation.sync_id.filter(|id| !id.is_empty()),
        way: if is_session {
            Way::Archived("engram")
        } else {
            Way::Waiting
        },
        memory,
    }
}

/// The words behind `**Name**:`, up to the next such name, on one line.
fn part(content: &str, name: &str) -> Option<String> {
    let from = content.find(&format!("**{name}**:"))? + name.len() + 5;
    let rest = &content[from..];
    let to = rest.find("\n**").unwrap_or(rest.len());
    let words = rest[..to].split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}
