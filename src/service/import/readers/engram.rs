//! engram: the JSON of `engram export`, with observations of sessions (`**What**`, `**Why**`, `**Where**`, `**Learned**`).

use std::collections::BTreeSet;
use std::ops::Range;

use serde::Deserialize;

use crate::document::{NewMemory, Value, read_content};
use crate::git::look_at;
use crate::model::{Content, Kind, Timestamp};
use crate::render::Scope;
use crate::service::ServiceError;
use crate::service::import::ImportError;
use crate::service::import::entry::Entry;
use crate::service::import::form::{Wanted, workspace};
use crate::service::import::reading::Reading;

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

/// Reads an export. Into a workspace's store come the observations of its project, by the name of its folder or remote, in
/// whatever spelling, and those of no project.
pub(in crate::service::import) fn read(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let json = reading.json()?;
    let here = workspace(reading.context).ok();
    let here = here.filter(|_| reading.context.scope == Scope::Workspace);
    let names: Option<Vec<String>> = here.map(|workspace| {
        let remote = look_at(workspace.root(), None).and_then(|look| look.remote);
        let remote = remote.unwrap_or_default();
        let remote = remote.trim_end_matches('/').trim_end_matches(".git");
        let remote = remote.rsplit(['/', ':']).next().unwrap_or_default();
        vec![folded(&workspace.name()), folded(remote)]
    });
    let observations = json.list("observations")?.iter().map(|item| {
        // A fault in one says nothing of the others.
        let read = Observation::deserialize(item).map_err(|error| error.to_string());
        (format!("observation {}", item["id"]), read)
    });
    let observations: Vec<(String, Result<Observation, String>)> = observations.collect();
    let is_here = |project: &&str| {
        names
            .as_ref()
            .is_none_or(|names| names.contains(&folded(project)))
    };
    let readable = observations.iter().filter_map(|(_, read)| read.as_ref().ok());
    let projects: BTreeSet<&str> = readable.filter_map(|read| read.project.as_deref()).collect();
    if !projects.is_empty() && !projects.iter().any(is_here) {
        let projects = projects.into_iter().collect::<Vec<_>>().join(", ");
        let path = json.path.clone();
        return Err(ImportError::NoProject { path, projects }.into());
    }
    for (place, read) in observations {
        let entry = match read {
            Err(error) => Entry::fault(error),
            Ok(Observation {
                deleted_at: Some(_), ..
            }) => Entry::fault("it was deleted there"),
            Ok(observation) => match observation.project.as_deref() {
                Some(project) if !is_here(&project) => {
                    Entry::fault(format!("it belongs to the project {project}"))
                }
                _ => entry(observation, reading),
            },
        };
        reading.add(&json.path, &place, entry);
    }
    let prompts = json.list("prompts").map_or(0, <[_]>::len);
    if prompts > 0 {
        let reason = format!("{prompts} prompts of the user are no memories");
        reading.add(&json.path, "prompts", Entry::fault(reason));
    }
    Ok(())
}

/// A name without its case and the signs between its words.
fn folded(name: &str) -> String {
    name.to_lowercase().replace(['-', '_', '.', ' '], "")
}

fn entry(observation: Observation, reading: &Reading<'_>) -> Entry {
    let title = observation.title.unwrap_or_default();
    let content = observation.content.unwrap_or_default();
    let (title, content) = (title.trim(), content.trim());
    if title.is_empty() && content.is_empty() {
        return Entry::fault("it is empty");
    }
    let fact = fact(content).filter(|_| reading.request.wanted == Wanted::Facts);
    let content = fact.unwrap_or_else(|| match title {
        "" => read_content(content),
        title => read_content(&format!("# {title}\n\n{content}")),
    });
    let stated_kind = observation.kind.unwrap_or_default();
    let (kind, folder) = match stated_kind.as_str() {
        "decision" | "architecture" => ("decision", ""),
        "preference" => ("feedback", ""),
        "reference" => ("reference", ""),
        "session_summary" => ("project", "archive/engram/"),
        _ => ("project", ""),
    };
    let tags = [Some(stated_kind), observation.topic_key];
    let memory = NewMemory {
        kind: Kind::new(kind),
        created: time(observation.created_at),
        updated: time(observation.updated_at),
        description: (content.is_note() && !title.is_empty()).then(|| title.to_owned()),
        tags: tags.into_iter().flatten().filter(|tag| !tag.is_empty()).collect(),
        content,
        ..NewMemory::default()
    };
    Entry {
        id: observation.sync_id.filter(|id| !id.is_empty()),
        path: folder.to_owned(),
        ..Entry::words(memory, &reading.rules)
    }
}

fn time(stated: Option<String>) -> Option<Value> {
    Timestamp::parse(&stated?).map(Value::Time)
}

/// The fact that an observation is: `**What**`, for the reason of its `**Why**` and of its other parts. `None` where it has
/// several lines without such names, or code, which no line of a fact can hold.
fn fact(content: &str) -> Option<Content> {
    let Some((text, what)) = part(content, "What") else {
        return Some(read_content(content)).filter(|content| !content.is_note());
    };
    let (reason, why) = part(content, "Why").unwrap_or_default();
    let (first, second) = if what.start < why.start {
        (what, why)
    } else {
        (why, what)
    };
    let between = &content[first.end..second.start.max(first.end)];
    let others = [
        &content[..first.start],
        between,
        &content[first.end.max(second.end)..],
    ]
    .join(" ");
    if others.contains("```") {
        return None;
    }
    let reason = on_one_line(&format!("{reason} {}", others.replace("**", "")));
    Some(Content::Fact {
        text,
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
