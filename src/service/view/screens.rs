//! What each screen shows: the answers of the use cases.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{View, revision};
use crate::document;
use crate::model::{Status, StorePath, Zone};
use crate::policy::Fate;
use crate::service::links::LinkTargets;
use crate::service::{
    ListOrder, ListRequest, Listed, LogRequest, LoggedStep, MemoryView, ServiceError, diff_of_step, list,
    log, show, why,
};
use crate::store::Snapshot;

/// The most memories of a list on a page that can ask for more.
const MOST: usize = 200;
/// The most changes of a memory that are shown with their texts.
const MOST_CHANGES: usize = 30;

impl View<'_> {
    pub(super) fn screen(&self, screen: &str) -> Result<Value, ServiceError> {
        match screen {
            "memories" => self.memories(),
            other => unreachable!("`{other}` is a screen without a page"),
        }
    }

    /// The memories that the filters let through.
    fn memories(&self) -> Result<Value, ServiceError> {
        let order = match self.param("order") {
            "created" => ListOrder::Created,
            "updated" => ListOrder::Updated,
            "path" => ListOrder::Path,
            _ => ListOrder::Strength,
        };
        let request = ListRequest {
            words: self.param("q").to_owned(),
            all: true,
            order,
            ..ListRequest::default()
        };
        let mut memories = list(&self.stores, &request)?.memories;
        let held = self.held()?;
        memories.retain(|listed| !held.contains(&listed.view.memory.path));
        let types = memories.iter().map(|listed| listed.view.memory.kind.to_string());
        let types: BTreeSet<String> = types.collect();
        memories.retain(|listed| {
            let kind = self.param("type");
            let is_shown = match self.param("show") {
                "prompt" => matches!(listed.view.fate, Fate::Pinned | Fate::Ranked),
                "all" => true,
                "archive" => !is_in_force(&listed.view),
                _ => is_in_force(&listed.view),
            };
            is_shown && (kind.is_empty() || listed.view.memory.kind.as_str() == kind)
        });
        let found = memories.len();
        let is_whole = !self.is_live() || self.param("rows") == "all";
        memories.truncate(if is_whole { found } else { MOST });
        let rows: Vec<Value> = memories.iter().map(row).collect();
        Ok(json!({ "memories": rows, "found": found, "types": types }))
    }

    /// The paths of the memories that are not for the viewer, because a suspected secret holds them back.
    fn held(&self) -> Result<BTreeSet<StorePath>, ServiceError> {
        if self.is_live() {
            return Ok(BTreeSet::new());
        }
        let snapshot = self.store().load()?;
        let held = snapshot
            .files
            .iter()
            .filter(|file| crate::service::export::kept_back(file).is_some());
        Ok(held.map(|file| file.memory.path.clone()).collect())
    }

    /// One memory, with its title; `None` where there is none at this path for the viewer.
    pub(super) fn memory(&self, path: &StorePath) -> Result<Option<(String, Value)>, ServiceError> {
        let store = self.store();
        let snapshot = store.load()?;
        if snapshot.file(path).is_none() || self.held()?.contains(path) {
            return Ok(None);
        }
        let shown = show(store, path.as_str(), None)?;
        let explained = why(store, path.as_str(), None)?;
        let body = shown.view.memory.content.as_body();
        let typed = String::from_utf8(shown.bytes.clone()).ok();
        let typed = typed.filter(|typed| self.is_live() && self.may_edit(&shown.view, typed));
        let steps = log(
            store,
            &LogRequest {
                memory: Some(path.to_string()),
                limit: Some(MOST_CHANGES),
                ..LogRequest::default()
            },
        )?;
        let page = json!({
            "links": links(&snapshot, &body),
            "body": body,
            "is_secret": snapshot.file(path).is_some_and(|file| !file.findings.is_empty()),
            "typed": typed,
            "rev": revision(&shown.bytes),
            "draft": self.request.draft,
            "why": explained,
            "backlinks": shown.backlinks,
            "backlinks_left_out": shown.backlinks_left_out,
            "diagnostics": shown.diagnostics,
            "changes": self.changes(&steps)?,
        });
        Ok(Some((shown.view.title, page)))
    }

    /// Says whether a browser's form keeps every character of a file, and may see it.
    fn may_edit(&self, view: &MemoryView, typed: &str) -> bool {
        let is_kept = |c: char| !c.is_control() || matches!(c, '\n' | '\t' | '\r');
        let lines_end_alike = typed.matches('\r').count() == typed.matches("\r\n").count()
            && matches!(typed.matches('\r').count(), count if count == 0 || count == typed.matches('\n').count());
        !view.memory.readonly
            && typed.chars().all(is_kept)
            && lines_end_alike
            && self.store().redactor().redact(typed) == typed
    }

    /// Commits with their diffs.
    fn changes(&self, steps: &[LoggedStep]) -> Result<Vec<Value>, ServiceError> {
        let with_diffs = steps.iter().map(|step| {
            let diffs = diff_of_step(self.store(), &step.changes)?;
            Ok(json!({ "step": step, "diffs": diffs }))
        });
        with_diffs.collect()
    }
}

/// True for a memory that is neither superseded nor archived.
fn is_in_force(view: &MemoryView) -> bool {
    view.memory.status == Status::Active && view.zone != Zone::Archive
}

fn row(listed: &Listed) -> Value {
    let MemoryView {
        memory,
        description,
        strength,
        fate,
        ..
    } = &listed.view;
    json!({
        "path": memory.path,
        "says": description,
        "type": memory.kind,
        "source": memory.source,
        "tags": memory.tags,
        "changed": memory.changed(),
        "strength": strength.value,
        "fate": fate.as_str(),
        "in_force": is_in_force(&listed.view),
    })
}

/// The paths of the memories that the links of a text mean, by their names.
fn links(snapshot: &Snapshot, text: &str) -> BTreeMap<String, String> {
    if !text.contains("[[") {
        return BTreeMap::new();
    }
    let targets = LinkTargets::new(&snapshot.files);
    let named = document::link_names(text).filter_map(|(name, _)| {
        let at = targets.find(name).ok()?;
        Some((name.trim().to_owned(), snapshot.files[at].memory.path.to_string()))
    });
    named.collect()
}
