//! What each screen shows: the answers of the use cases.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Shared, View, revision};
use crate::document;
use crate::git::{CommitInfo, FileChange};
use crate::model::{Oid, Status, StorePath, Timestamp, Zone};
use crate::policy::Fate;
use crate::render::{self, Scope};
use crate::search::Guess;
use crate::service::check::{check_loaded, status_of};
use crate::service::conflicts::conflicts_in;
use crate::service::curve::{curve_of, versions, versions_among};
use crate::service::gone::note_gone;
use crate::service::ledger::ledger_at;
use crate::service::links::{LinkTargets, backlinks};
use crate::service::list::list_loaded;
use crate::service::shared_files::lock;
use crate::service::watch::maker;
use crate::service::why::with_forecast;
use crate::service::{
    Chosen, ConversationSearch, KeptConversations, ListOrder, ListRequest, Listed, Listing, LogRequest, Mark,
    MemoryView, OpenStores, PromptRequest, Ranking, Reading, ServiceError, by_agents, diff_of_step, log,
    suggestions,
};
use crate::store::{Snapshot, Store};
use crate::text::counted;

/// The most memories of a list on a page that can ask for more.
const MOST: usize = 200;
/// The days by which the slider of the prompt goes back and ahead.
const MOST_DAYS: i64 = 365;
const DAY: i64 = 86_400_000;
/// The most messages, or hits in them, on a page.
const MOST_MESSAGES: usize = 50;
/// The most changes of a memory that are shown with their texts.
const MOST_CHANGES: usize = 30;

impl View<'_> {
    pub(super) fn screen(&self, screen: &str) -> Result<Value, ServiceError> {
        match screen {
            "memories" => self.memories(),
            "prompt" => self.prompt(),
            "history" => self.history(),
            "review" => self.review(),
            "conversations" => self.conversations(),
            "health" => self.health(),
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
            guess: true,
            all: true,
            order,
            ..ListRequest::default()
        };
        let store = self.store();
        let stores = [(store.place().scope(), store, self.snapshot()?)];
        let Listing {
            mut memories,
            guesses,
            ..
        } = list_loaded(&self.context, &stores, &request)?;
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
        let guesses: Vec<String> = guesses.iter().map(Guess::to_string).collect();
        Ok(json!({ "memories": rows, "found": found, "types": types, "guesses": guesses }))
    }

    /// One memory, with its title; `None` where there is none at this path for the viewer.
    pub(super) fn memory(
        &self,
        path: &StorePath,
        shared: Option<&Shared<'_>>,
    ) -> Result<Option<(String, Value)>, ServiceError> {
        let (store, snapshot) = (self.store(), self.snapshot()?);
        let Some(place) = snapshot.place_of(path.as_str()) else {
            return Ok(None);
        };
        let file = &snapshot.files[place];
        let own;
        let ranking = if let Some(shared) = shared {
            &shared.ranking
        } else {
            own = Ranking::new(store, snapshot, self.now());
            &own
        };
        let mut explained = with_forecast(store, snapshot, ranking, place, self.now());
        if self.is_live() {
            let view = std::slice::from_mut(&mut explained.view);
            note_gone(&self.context, store, view, is_in_force);
        }
        let Ok(bytes) = store.read(path) else {
            return Ok(None);
        };
        let body = file.memory.content.as_body();
        let typed = String::from_utf8(bytes.clone()).ok();
        let typed = typed.filter(|typed| self.is_live() && self.may_edit(typed));
        let steps = match shared {
            Some(shared) => versions_among(&shared.steps, path),
            None => versions(store, snapshot, path)?,
        };
        let recent = steps.iter().take(MOST_CHANGES);
        let recent = recent.map(|step| (&step.commit, &step.changes));
        let mut changes = self.changes(recent.clone())?;
        self.name_makers(&mut changes, recent.map(|(commit, _)| commit))?;
        let page = json!({
            "links": links(snapshot, &body),
            "body": body,
            "is_secret": !file.findings.is_empty(),
            "typed": typed,
            "rev": revision(&bytes),
            "curve": curve_of(store, snapshot, ranking, &explained, &steps)?,
            "why": explained,
            "backlinks": backlinks(store, snapshot, place),
            "diagnostics": file.diagnostics,
            "changes": changes,
            "older": steps.len().saturating_sub(MOST_CHANGES),
            "properties": file.memory.properties,
        });
        Ok(Some((file.memory.title().to_owned(), page)))
    }

    /// Says whether a browser's form keeps every character of a file, and may see it.
    fn may_edit(&self, typed: &str) -> bool {
        let is_kept = |c: char| !c.is_control() || matches!(c, '\n' | '\t' | '\r');
        let lines_end_alike = typed.matches('\r').count() == typed.matches("\r\n").count()
            && matches!(typed.matches('\r').count(), count if count == 0 || count == typed.matches('\n').count());
        typed.chars().all(is_kept) && lines_end_alike && self.store().redactor().redact(typed) == typed
    }

    /// The very prompt that an agent gets, and what it leaves out.
    fn prompt(&self) -> Result<Value, ServiceError> {
        let days = self
            .param("day")
            .parse::<i64>()
            .unwrap_or(0)
            .clamp(-MOST_DAYS, MOST_DAYS);
        let at = Timestamp::from_millis(self.now().as_millis() + days * DAY);
        let mut stores = OpenStores::open(&self.context)?;
        if let Some(background) = self.background {
            stores.share(&self.context, &mut lock(background))?;
            // What no watch has told yet is in these files too.
            self.snapshot()?;
        }
        let is_seen = |store: &Store| self.request.viewer.may_see(&store.place().name);
        stores.global = stores.global.filter(is_seen);
        let request = PromptRequest {
            at: (days != 0).then_some(at),
            rev: None,
            for_readers: !self.is_live(),
        };
        let loaded = stores.load(self.now(), &request)?;
        let (files, at) = (loaded.1.clone().unwrap_or_default(), loaded.2);
        let rendered = stores.render_loaded(loaded, &request, None);
        let text = render::fenced(&[&rendered.text]).concat();
        let ledger = ledger_at(self.store(), &files, at);
        let next = ledger.next.iter().map(
            |next| json!({ "path": next.view.memory.path, "says": next.view.description, "why": next.why }),
        );
        Ok(json!({
            "day": days,
            "at": at,
            "chars": text.chars().count(),
            "lines": self.linked(&text, &rendered.lines),
            "shown": ledger.shown.len(),
            "next": next.collect::<Vec<_>>(),
            "left_out": ledger.left_out,
        }))
    }

    /// The lines of a prompt, each with the name of its store and the path of its memory, where it is one's.
    fn linked(&self, prompt: &str, memories: &[(Scope, StorePath)]) -> Vec<Value> {
        let mut memories = memories.iter();
        let (mut scope, mut is_pinned, mut is_ranked, mut is_tree) = (Scope::Workspace, false, false, false);
        let mut lines = Vec::new();
        for text in prompt.lines() {
            let mut memory = None;
            if text.is_empty() {
                (is_pinned, is_ranked, is_tree) = (false, false, false);
            } else if is_ranked && text.starts_with("- ") {
                memory = memories.next().map(|(scope, path)| (*scope, path.as_str()));
            } else if is_pinned && !text.starts_with(' ') {
                let path = text.split_once(" (in ").map(|(path, _)| path);
                memory = path
                    .or_else(|| text.strip_suffix(':'))
                    .filter(|path| path.ends_with(".md"))
                    .map(|path| (scope, path));
            } else if is_tree {
                let path = text.split_once(" — ").map_or(text, |(path, _)| path);
                memory = path.ends_with(".md").then_some((scope, path));
            } else if text.starts_with("Pinned ") || text.starts_with("Other ") {
                (is_pinned, is_tree) = (text.starts_with("Pinned "), text.starts_with("Other "));
                scope = match text {
                    "Pinned memory:" | "Other files, read on demand:" => Scope::Workspace,
                    _ => Scope::Global,
                };
            } else if text.ends_with("verify if stale):") {
                is_ranked = true;
            }
            let name = memory.map(|(scope, _)| match scope {
                Scope::Global => Scope::Global.as_str(),
                Scope::Workspace => self.store().place().name.as_str(),
            });
            lines.push(json!({ "text": text, "store": name, "path": memory.map(|(_, path)| path) }));
        }
        lines
    }

    /// The commits, the newest first; one of them with its diffs.
    fn history(&self) -> Result<Value, ServiceError> {
        let one = self.param("commit");
        let most = self.param("rows").parse().unwrap_or(MOST);
        let request = LogRequest {
            revision: (!one.is_empty()).then(|| one.to_owned()),
            limit: Some(if one.is_empty() { most.saturating_add(1) } else { 1 }),
            text: Some(self.param("q").to_owned()).filter(|text| !text.is_empty()),
            ..LogRequest::default()
        };
        let mut steps = log(self.store(), &request)?;
        let has_more = steps.len() > most;
        steps.truncate(most);
        if !self.is_live() {
            // What is gone, or held back, is not for a reader: neither are the words about it.
            let snapshot = self.snapshot()?;
            let is_there = |path: &str| StorePath::new(path).is_ok_and(|path| snapshot.file(&path).is_some());
            for step in &mut steps {
                let all = step.files.len();
                step.files
                    .retain(|file| is_there(&file.path) && file.from.is_none());
                if step.files.len() < all {
                    step.commit.message.subject = counted(all, "file");
                }
            }
        }
        let mut changes = if one.is_empty() {
            steps
                .iter()
                .map(|step| json!({ "step": step, "diffs": [] }))
                .collect()
        } else {
            self.changes(steps.iter().map(|step| (&step.commit, &step.changes)))?
        };
        self.name_makers(&mut changes, steps.iter().map(|step| &step.commit))?;
        let more = has_more.then(|| most.saturating_add(MOST));
        Ok(json!({ "one": !one.is_empty(), "changes": changes, "more": more }))
    }

    /// What waits for the person: conflicts, suggestions, stale memories, texts that are held back.
    fn review(&self) -> Result<Value, ServiceError> {
        let store = self.store();
        let status = status_of(&self.context, store, self.snapshot()?)?;
        let (held, others): (Vec<_>, Vec<_>) = status
            .findings
            .into_iter()
            .partition(|found| found.code == "held");
        let files = self.snapshot()?;
        let held = held.into_iter().map(|found| {
            let file = files.place_of(&found.path);
            let text = file.map(|at| files.files[at].memory.content.as_body());
            json!({ "found": found, "text": text })
        });
        let mut stale = Ranking::new(store, files, self.now()).views();
        note_gone(&self.context, store, &mut stale, is_in_force);
        stale.retain(|view| !view.gone.is_empty());
        Ok(json!({
            "conflicts": conflicts_in(store, files, None)?,
            "stale": stale,
            "suggestions": suggestions(store, files)?,
            "by_agents": by_agents(store, files),
            "held": held.collect::<Vec<_>>(),
            "others": others.len(),
        }))
    }

    /// The conversations of the workspace, the hits of a search in them, or one of them.
    fn conversations(&self) -> Result<Value, ServiceError> {
        let kept = match KeptConversations::open(&self.context) {
            // No host keeps any.
            Err(ServiceError::Conversation(none)) => {
                return Ok(json!({ "all": [], "notices": [none.to_string()] }));
            }
            kept => kept?,
        };
        let before = Mark::parse(self.param("before"));
        if let Some(id) = self.params.get("id") {
            let of = kept.conversation(Some(id), Chosen::default())?;
            let page = kept.page(of, &Reading::NewestBefore(before), MOST_MESSAGES, false)?;
            return Ok(json!({ "one": page }));
        }
        if !self.param("q").trim().is_empty() {
            let found = kept.search(&ConversationSearch {
                words: self.param("q").to_owned(),
                before,
                most: MOST_MESSAGES,
                ..ConversationSearch::default()
            })?;
            return Ok(json!({ "found": found }));
        }
        let mut all = kept.conversations(Chosen::default())?;
        all.truncate(MOST);
        Ok(json!({ "all": all, "notices": kept.notices }))
    }

    /// The state of the store, and what in it wants attention.
    fn health(&self) -> Result<Value, ServiceError> {
        Ok(json!({
            "status": status_of(&self.context, self.store(), self.snapshot()?)?,
            "findings": check_loaded(&self.context, self.store(), self.snapshot()?)?,
        }))
    }

    /// Says of each change who made its commit.
    fn name_makers<'s>(
        &self,
        changes: &mut [Value],
        commits: impl Iterator<Item = &'s CommitInfo> + Clone,
    ) -> Result<(), ServiceError> {
        let oids: Vec<Oid> = commits.clone().map(|commit| commit.oid).collect();
        let made_here = self.store().repo().made_here_of(&oids)?;
        for (change, commit) in changes.iter_mut().zip(commits) {
            change["by"] = json!(maker(commit, made_here.contains(&commit.oid)));
        }
        Ok(())
    }

    /// Commits with their diffs.
    fn changes<'s>(
        &self,
        steps: impl Iterator<Item = (&'s CommitInfo, &'s Vec<FileChange>)>,
    ) -> Result<Vec<Value>, ServiceError> {
        let with_diffs = steps.map(|(commit, changes)| {
            let diffs = diff_of_step(self.store(), changes)?;
            Ok(json!({ "step": commit, "diffs": diffs }))
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
