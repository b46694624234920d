//! engram: the JSON of `engram export`, with observations of sessions (`**What**`, `**Why**`, `**Where**`, `**Learned**`).

use std::ops::Range;

use serde::Deserialize;

use crate::document::{NewMemory, Value, read_content};
use crate::model::{Content, Kind, Timestamp};
use crate::service::import::form::Wanted;
use crate::service::import::incoming::{Incoming, Said, Way};

#[derive(Deserialize)]
struct Export {
    observations: Vec<serde_json::Value>,
    #[serde(default)]
    prompts: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Observation {
    sync_id: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    title: Option<String>,
    content: Option<String>,
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
    let observations: Vec<(String, serde_json::Result<Observation>)> =
        export.observations.into_iter().map(observation).collect();
    let is_here = |observation: &Observation| observation.project.as_deref() == workspace;
    let mut readable = observations.iter().filter_map(|(_, read)| read.as_ref().ok());
    let has_project = workspace.is_some() && readable.any(is_here);
    for (place, read) in observations {
        let observation = match read {
            Ok(observation) => observation,
            Err(error) => {
                incoming.entry(&file, &place, None, Err(error.to_string()));
                continue;
            }
        };
        let elsewhere = observation
            .project
            .as_deref()
            .filter(|_| has_project && !is_here(&observation));
        let said = if observation.deleted_at.is_some() {
            Err("it was deleted there".to_owned())
        } else if let Some(project) = elsewhere {
            Err(format!("it belongs to the project {project}"))
        } else if is_blank(observation.content.as_ref()) && is_blank(observation.title.as_ref()) {
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

/// An observation with the place that a report names. A fault in one says nothing of the others.
fn observation(json: serde_json::Value) -> (String, serde_json::Result<Observation>) {
    let place = format!(
        "observation {}",
        json.get("id").unwrap_or(&serde_json::Value::Null)
    );
    (place, serde_json::from_value(json))
}

fn is_blank(text: Option<&String>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

fn said(observation: Observation, wanted: Wanted) -> Said {
    let title = observation.title.unwrap_or_default();
    let content = observation.content.unwrap_or_default();
    let (title, content) = (title.trim(), content.trim());
    let note = || match title {
        "" => read_content(content),
        title => read_content(&format!("# {title}\n\n{content}")),
    };
    let content = match wanted {
        Wanted::Facts => fact(content).unwrap_or_else(note),
        Wanted::Notes => note(),
    };
    let stated_kind = observation.kind.unwrap_or_default();
    let is_session = stated_kind == "session_summary";
    let kind = match stated_kind.as_str() {
        "decision" | "architecture" => "decision",
        "preference" => "feedback",
        "reference" => "reference",
        _ => "project",
    };
    let tags = [Some(stated_kind), observation.topic_key];
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

/// The fact that an observation is: `**What**`, for the reason of its `**Why**` and of its other parts. `None` where it has
/// several lines without such names, or code, which no line of a fact can hold.
fn fact(content: &str) -> Option<Content> {
    let Some(what) = part(content, "What") else {
        let read = read_content(content);
        return (!read.is_note()).then_some(read);
    };
    let why = part(content, "Why");
    let mut others = vec![(0, content.len())];
    for (_, range) in [Some(&what), why.as_ref()].into_iter().flatten() {
        others = others
            .into_iter()
            .flat_map(|(from, to)| [(from, to.min(range.start)), (from.max(range.end), to)])
            .filter(|(from, to)| from < to)
            .collect();
    }
    let others: Vec<&str> = others.into_iter().map(|(from, to)| &content[from..to]).collect();
    if others.iter().any(|other| other.contains("```")) {
        return None;
    }
    let others = others.iter().map(|other| on_one_line(other).replace("**", ""));
    let reasons: Vec<String> = why.map(|(why, _)| why).into_iter().chain(others).collect();
    let reason = on_one_line(&reasons.join(" "));
    Some(Content::Fact {
        text: what.0,
        rationale: (!reason.is_empty()).then_some(reason),
    })
}

/// The words behind `**Name**:`, up to the next such name, on one line, and the place of both.
fn part(content: &str, name: &str) -> Option<(String, Range<usize>)> {
    let start = content.find(&format!("**{name}**:"))?;
    let from = start + name.len() + 5;
    let rest = &content[from..];
    let to = rest.find("\n**").unwrap_or(rest.len());
    let words = on_one_line(&rest[..to]);
    (!words.is_empty()).then_some((words, start..from + to))
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
