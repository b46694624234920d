//! Several memories in one go: one sweep, one commit, and for each what became of it.

use crate::evidence::{Event, EventType};
use crate::git::trailer;
use crate::store::{Description, Writer};
use crate::sys::Ids;

use super::super::accounting::arrival;
use super::super::{AddRequest, ServiceError};
use super::{Adding, Arrived};

/// The outcome of one of several memories.
#[derive(Debug)]
pub(in crate::service) enum Fate {
    /// The memory came in.
    Arrived(Box<Arrived>),
    /// The memory can never be stored as it is.
    Refused(ServiceError),
    /// Something stood in the way; the memory may be tried again.
    Waits(String),
}

/// The outcomes of several memories, and the events of those that are settled.
#[derive(Default)]
pub(in crate::service) struct Batch {
    pub(in crate::service) fates: Vec<Fate>,
    pub(in crate::service) events: Vec<Event>,
}

impl Batch {
    /// The memories that came in.
    pub(in crate::service) fn arrived(&self) -> Vec<&Arrived> {
        let arrived = self.fates.iter().filter_map(|fate| match fate {
            Fate::Arrived(arrived) => Some(&**arrived),
            _ => None,
        });
        arrived.collect()
    }

    fn arrived_mut(&mut self) -> Vec<&mut Arrived> {
        let arrived = self.fates.iter_mut().filter_map(|fate| match fate {
            Fate::Arrived(arrived) => Some(&mut **arrived),
            _ => None,
        });
        arrived.collect()
    }
}

/// Adds memories that were said, in one commit, and looks whether the next prompt shows them. The next sweep commits the
/// files that this commit could not.
pub(in crate::service) fn add_all(writer: &mut Writer<'_>, ids: &Ids, requests: &[AddRequest]) -> Batch {
    let mut adding = Adding::new(writer, ids);
    let mut batch = Batch::default();
    for request in requests {
        let fate = match batch.fates.last() {
            Some(Fate::Waits(why)) => Fate::Waits(why.clone()),
            _ => fate(adding.add(request)),
        };
        batch.events.extend(events(&fate, &adding, request));
        batch.fates.push(fate);
    }
    let flushed = adding.flush();
    let description = described(&batch.arrived(), requests);
    if let Err(error) = adding.commit_and_look(&description, &mut batch.arrived_mut()) {
        tracing::warn!(%error, "what was remembered is not committed yet");
    }
    if let Err(error) = flushed.and_then(|()| adding.check_in_place()) {
        // Files that may not last are not promised: the requests are tried again.
        batch.events.clear();
        batch.fates.fill_with(|| Fate::Waits(error.to_string()));
    }
    batch
}

fn fate(added: Result<Arrived, ServiceError>) -> Fate {
    match added {
        Ok(arrived) => Fate::Arrived(Box::new(arrived)),
        Err(error) if error.is_final() => Fate::Refused(error),
        Err(error) => Fate::Waits(error.to_string()),
    }
}

fn events(fate: &Fate, adding: &Adding<'_, '_>, request: &AddRequest) -> Vec<Event> {
    match fate {
        Fate::Arrived(arrived) => arrival(arrived, adding.snapshot()),
        Fate::Refused(error) => {
            let event = Event::new(EventType::ExplicitMemoryIgnored).preview(&request.text);
            vec![event.reason("invalid").detail("reason", error.to_string())]
        }
        // Whoever writes it down says so, once; it may be tried many times.
        Fate::Waits(_) => Vec::new(),
    }
}

/// The description of a commit of what these requests came to.
pub(in crate::service) fn described(arrived: &[&Arrived], requests: &[AddRequest]) -> Description {
    let mut description = if arrived.iter().all(|arrived| arrived.is_recalled()) {
        Description::op("reinforce", "reinforce")
    } else {
        Description::op("add", "add")
    };
    if let [arrived] = arrived {
        description = description.about(&arrived.path);
    }
    if let Some(request) = requests.first() {
        description = description.with(trailer::SOURCE, request.source.as_str());
        if let Some(session) = &request.session {
            description = description.with(trailer::SESSION, session.as_str());
        }
    }
    description
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Importance, Source, Timestamp};
    use crate::render::Scope;
    use crate::service::Context;
    use crate::store::Beginning;
    use crate::sys::{Clock, Env};

    #[test]
    fn what_went_into_a_folder_in_the_place_of_the_store_waits() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("work")).unwrap();
        let vars = [("HOME", at("home")), ("MDMEM_HOME", at("memory"))];
        let context = Context {
            env: Env::fixed(vars, at("work")),
            clock: Clock::stepping(Timestamp::from_seconds(1_795_000_000), 1000),
            ids: Ids::random(),
            scope: Scope::Workspace,
            store: None,
            flags: Vec::new(),
            answer_event: None,
        };
        let (store, _) = context.open_or_create(Beginning::ByNeed).unwrap();
        let request = AddRequest {
            text: "Use tabs".to_owned(),
            why: None,
            kind: None,
            source: Source::Explicit,
            importance: Importance::default(),
            tags: Vec::new(),
            description: None,
            path: None,
            replaces: None,
            session: None,
            host: "test".to_owned(),
        };
        let requests = std::slice::from_ref(&request);
        let mut writer = store.writer("test").unwrap();
        std::fs::rename(store.root(), at("away")).unwrap();
        std::fs::create_dir(store.root()).unwrap();
        let batch = add_all(&mut writer, &context.ids, requests);
        assert!(store.root().join("project/use-tabs.md").exists());
        assert!(
            matches!(batch.fates[..], [Fate::Waits(_)]) && batch.events.is_empty(),
            "{:?}",
            batch.fates
        );
        std::fs::remove_dir_all(store.root()).unwrap();
        std::fs::rename(at("away"), store.root()).unwrap();
        drop(writer);
        let mut writer = store.writer("test").unwrap();
        let batch = add_all(&mut writer, &context.ids, requests);
        assert!(matches!(batch.fates[..], [Fate::Arrived(_)]), "{:?}", batch.fates);
    }
}
