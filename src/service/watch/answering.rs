//! The process that watches a store has its files loaded. So it also answers the events of hosts with hooks, which start
//! a process for each event: that one asks here first, and does the work itself where nobody answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::render::Scope;
use crate::service::{Background, Context};
use crate::store::LOCAL;
use crate::sys::{Env, LocalListener, ask_local, from_json, survive};

use super::state::WatchLink;

/// The time in which the process that watches has to have its hands free.
const READY: Duration = Duration::from_millis(300);
/// The time for the answer. An event that is heard twice counts once.
const ANSWER: Duration = Duration::from_secs(3);
/// The longest question, in bytes: the longest event, and what is around it.
const MOST: u64 = 17 * 1024 * 1024;
/// The variables that say where memories are and which settings hold, by the beginnings of their names.
const VARIABLES: [&str; 5] = ["HOME", "MDMEM_", "XDG_", "EDITOR", "VISUAL"];

/// An event, with the call of the process that heard it.
#[derive(Serialize, Deserialize)]
struct Question<T> {
    version: String,
    variables: BTreeMap<String, String>,
    folder: PathBuf,
    is_global: bool,
    store: Option<String>,
    flags: Vec<(String, String)>,
    event: T,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    text: Option<String>,
}

/// Asks the process that watches the store to answer a host's event. `None` where no process does.
pub fn ask_watcher(context: &Context, event: &impl Serialize) -> Option<Option<String>> {
    let root = context.place().ok()?.root;
    let variables = VARIABLES
        .iter()
        .flat_map(|name| context.env.vars_with_prefix(name));
    let question = Question {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        variables: variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        folder: context.env.current_dir().to_owned(),
        is_global: context.scope == Scope::Global,
        store: context.store.clone(),
        flags: context.flags.clone(),
        event,
    };
    let question = serde_json::to_vec(&question).ok()?;
    let answer = ask_local(&socket(&root), &question, READY, ANSWER)?;
    let answer: Answer = serde_json::from_slice(&answer).ok()?;
    Some(answer.text)
}

/// Answers the events of hosts about the store at `root`, whose watch has this link, until the value is dropped. Where
/// the store's folder takes no socket, each hook does its work itself.
pub(super) fn begin(root: &Path, context: &Context, link: &WatchLink) -> Option<LocalListener> {
    let answer_event = context.answer_event?;
    let (own, of_store, link) = (context.clone(), root.to_owned(), link.clone());
    let mut background = Background::beside(root, link.files());
    let answer = move |question: &[u8]| {
        let question: Question<Value> = from_json(question).ok()?;
        let context = question.context(&own)?;
        // A folder whose workspace is another one by now.
        context.place().ok().filter(|place| place.root == of_store)?;
        link.wake();
        let answered = survive(|| answer_event(&context, &mut background, &question.event));
        // Where it failed, the process that asks fails too, and says so.
        let text = answered.ok()?.ok()?;
        serde_json::to_vec(&Answer { text }).ok()
    };
    let listening = LocalListener::start(&socket(root), MOST, answer);
    listening
        .inspect_err(|error| tracing::debug!(%error, "hooks are not answered by the process that watches"))
        .ok()
}

fn socket(root: &Path) -> PathBuf {
    root.join(LOCAL).join("watch.sock")
}

impl Question<Value> {
    /// The context of the process that asks; `None` where that is another program, or another person's.
    fn context(&self, own: &Context) -> Option<Context> {
        let env = Env::fixed(self.variables.clone(), &self.folder);
        // What a person has set for git is read once in a process, from their home.
        let is_same = env.home().ok() == own.env.home().ok() && self.version == env!("CARGO_PKG_VERSION");
        let scope = if self.is_global {
            Scope::Global
        } else {
            Scope::Workspace
        };
        let context = Context::real(env, scope, self.flags.clone())
            .ok()
            .filter(|_| is_same)?;
        Some(Context {
            store: self.store.clone(),
            ..context
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A host with hooks has no server that would ring for each request.
    #[test]
    fn an_event_that_is_answered_rings_for_the_exchange_of_both_stores() {
        let home = tempfile::tempdir().unwrap();
        let variables = BTreeMap::from([("HOME".to_owned(), home.path().display().to_string())]);
        let workspace = home.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let env = Env::fixed(variables, workspace);
        let context = Context {
            answer_event: Some(|_, _, _| Ok(None)),
            ..Context::real(env, Scope::Workspace, Vec::new()).unwrap()
        };
        let root = context.place().unwrap().root;
        std::fs::create_dir_all(root.join(LOCAL)).unwrap();
        let global = WatchLink::default();
        let link = WatchLink::new(Arc::default(), Arc::default(), Some(global.clone()));
        let is_rung = || [&link, &global].map(|link| link.bell().calls().active.is_some());
        let _listening = begin(&root, &context, &link).unwrap();
        assert_eq!(is_rung(), [false, false]);
        assert_eq!(ask_watcher(&context, &"an event"), Some(None));
        assert_eq!(is_rung(), [true, true]);
    }
}
