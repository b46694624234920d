//! The errors of a host: this module alone decides the kind of an error and the hints that go with it. Each host
//! shows them in its own way.

mod outside;

use std::io;

use serde::Serialize;
use serde_json::{Value, json};

use crate::host::words::shell_word;
use crate::model::StorePath;
use crate::service::{Held, NameError, PastError, ServiceError, StoreError, SyncError};

use self::outside::{export_hint, import_hint, promote_hint};

/// The hint for somebody whose time was not understood.
pub(crate) const TIMES: &str = "Times are written like 2026-11-01, 2026-11-01T10:00:00Z, yesterday, \"2 weeks ago\", \"in 30 days\" or \"last friday 18:00\"; without Z in the zone of TZ.";

/// The number of names that one sentence lists.
const MOST_NAMED: usize = 10;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The command was understood and could not be done.
    Failed,
    /// The command was not understood.
    Usage,
    /// Nobody reads on (`mdmem list | head`): silent, and no error.
    BrokenPipe,
}

/// The error that stops a command: the event, its causes, and what to do next.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(super) kind: Kind,
    pub(super) error: anyhow::Error,
    pub(super) hints: Vec<String>,
}

impl CommandError {
    /// The command could not be done.
    pub(crate) fn failed(error: impl Into<anyhow::Error>) -> Self {
        Self::of(Kind::Failed, error)
    }

    /// The command was not understood.
    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::of(Kind::Usage, error)
    }

    fn of(kind: Kind, error: impl Into<anyhow::Error>) -> Self {
        Self {
            kind,
            error: error.into(),
            hints: Vec::new(),
        }
    }

    /// The command was not understood, said in words.
    pub(crate) fn misused(message: impl Into<String>) -> Self {
        Self::usage(anyhow::Error::msg(message.into()))
    }

    /// Adds what to do next, as a sentence.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Its JSON form.
    pub(crate) fn json(&self) -> Value {
        json!({"error": {
            "kind": self.kind,
            "message": self.error.to_string(),
            "causes": self.causes(),
            "hints": self.hints,
        }})
    }

    /// The causes below the error; those that the message above has already told are left out.
    pub(crate) fn causes(&self) -> Vec<String> {
        let mut told = self.error.to_string();
        let mut causes = Vec::new();
        for cause in self.error.chain().skip(1).map(ToString::to_string) {
            if !told.contains(&cause) {
                told.clone_from(&cause);
                causes.push(cause);
            }
        }
        causes
    }
}

/// Errors of the two streams; every other I/O error comes with its path, in an error of its own.
impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::of(Kind::BrokenPipe, error);
        }
        Self::failed(anyhow::Error::from(error).context("standard output cannot be written"))
    }
}

impl From<ServiceError> for CommandError {
    fn from(error: ServiceError) -> Self {
        let hints = hints(&error);
        let error = match error {
            ServiceError::Path(_)
            | ServiceError::Reserved { .. }
            | ServiceError::Excluded { .. }
            | ServiceError::CredentialName { .. } => Self::usage(error),
            error => Self::failed(error),
        };
        hints.into_iter().fold(error, Self::hint)
    }
}

/// The hints that say what to do next, for every error that a person can do something about.
fn hints(error: &ServiceError) -> Vec<String> {
    let hint = match error {
        ServiceError::Name(NameError::Unknown { nearest, .. }) if nearest.is_empty() => {
            "`mdmem list --all` lists every memory, `mdmem --global list` those of the global store.".to_owned()
        }
        ServiceError::Name(NameError::Unknown { nearest, .. }) => {
            format!("Did you mean {}?", listed(nearest.iter(), " or "))
        }
        ServiceError::Name(NameError::Ambiguous { candidates, .. }) => {
            let names = candidates.iter().map(|(path, _)| path.as_str());
            format!("Name one of them: {}.", some_of(names))
        }
        ServiceError::Name(NameError::Own { .. }) => "`mdmem path` names the folder where it lies.".to_owned(),
        ServiceError::Archive(error) => error.hint().to_owned(),
        ServiceError::Past(PastError::Nothing | PastError::Unknown(_)) => {
            "`mdmem sessions list --all` lists those of every workspace; `mdmem sessions list --subagents` those of sub-agents too.".to_owned()
        }
        ServiceError::Past(PastError::NoPlan(_)) => "`mdmem sessions plans` lists them.".to_owned(),
        ServiceError::Past(PastError::NoWords) => "Give a word that was said.".to_owned(),
        ServiceError::IsFolder { folder, .. } => {
            let folder = shell_word(&format!("{folder}/"));
            format!("`mdmem rm -r {folder}` removes them all; with `-n` it only names them.")
        }
        ServiceError::NoRevision(_) => "`mdmem log` shows the revisions.".to_owned(),
        ServiceError::NoPoint(_) => {
            return vec![
                "`mdmem log` shows the revisions.".to_owned(),
                TIMES.to_owned(),
            ];
        }
        ServiceError::TwoMeanings { memory, moment_is, moment, .. } => {
            let memory = shell_word(&memory.to_string_lossy());
            format!("Nothing was done. Write {memory} for the memory, {moment} for the {moment_is}.")
        }
        ServiceError::OnlyVersion(path) => {
            format!("`mdmem log {}` shows its history.", shell_word(&path.to_string_lossy()))
        }
        ServiceError::BeforeHistory(_) => "`mdmem log` shows what there is.".to_owned(),
        ServiceError::NoPassCommand => {
            "By hand a program answers, never the agent's own model. Name one: `mdmem config set --user passes.command '[\"claude\", \"-p\"]'`.".to_owned()
        }
        ServiceError::PassRuns(_) => "Try again when it has ended.".to_owned(),
        ServiceError::NoAnswer { .. } => {
            "Nothing was stored. `mdmem log --decisions --grep pass_` lists what became of each question.".to_owned()
        }
        ServiceError::NoSuggestion(_) | ServiceError::SuggestionStale { .. } => {
            "`mdmem suggestions` lists what waits.".to_owned()
        }
        ServiceError::NoConflict { .. } => "`mdmem conflicts` lists what was set aside.".to_owned(),
        ServiceError::SavedMeanwhile { path } => format!("`mdmem edit {}` begins with that text.", shell_word(path.as_str())),
        ServiceError::NotThen { name, .. } => format!("`mdmem log {}` shows when it was.", shell_word(name)),
        ServiceError::Taken { free, .. } => format!("Give another name, such as {free}."),
        ServiceError::Store(error) => return store_hint(error).into_iter().collect(),
        ServiceError::UnknownKind { kind, known } => {
            let meant = slip_of(kind, known.iter().map(String::as_str));
            let meant = meant.map_or_else(String::new, |meant| format!("Did you mean `{meant}`? "));
            format!(
                "{meant}The types are {}; `[type.NAME]` in mdmem.toml adds one.",
                known.join(", ")
            )
        }
        ServiceError::Reserved { .. } => "Give another path, such as one in a type's folder.".to_owned(),
        ServiceError::Excluded { .. } => {
            "Give a path in another folder; `mdmem config get exclude.folders` shows those that are left out."
                .to_owned()
        }
        ServiceError::CredentialName { .. } => "Give another name.".to_owned(),
        ServiceError::OnlySecrets => "Say where it is kept instead, such as in which vault.".to_owned(),
        ServiceError::OverLimit { .. } => {
            "Shorten it, or split it into several memories; the setting `limit.default` raises the limit."
                .to_owned()
        }
        ServiceError::Import(error) => return vec![import_hint(error).to_owned()],
        ServiceError::Export(error) => return vec![export_hint(error).to_owned()],
        ServiceError::Promote(error) => promote_hint(error),
        ServiceError::Sync(error) => sync_hint(error),
        ServiceError::RedactPattern(_) => {
            "`mdmem config` shows where it comes from; without it, secrets of that kind would be stored."
                .to_owned()
        }
        ServiceError::Setting { .. } => "`mdmem config` lists every setting.".to_owned(),
        ServiceError::AgentFile { .. } => {
            "Nothing was changed. Mend the file and run it again, or write the entry yourself: `--dry-run` in an empty folder shows it.".to_owned()
        }
        ServiceError::ForeignService(_) => "Move it away, and run it again.".to_owned(),
        ServiceError::NotStarted(_) => {
            "Where the system's own manager runs, as after a login, `mdmem watch --install` starts it.".to_owned()
        }
        ServiceError::NotForgotten { .. } => "`mdmem forget --list` shows what is in force.".to_owned(),
        ServiceError::NothingLeft(_) => "`mdmem sessions` lists the conversations.".to_owned(),
        ServiceError::Sessions { candidates, .. }
        | ServiceError::Past(PastError::Ambiguous { candidates, .. }) => {
            let names = candidates.iter().map(String::as_str);
            format!("Name one of them: {}.", some_of(names))
        }
        ServiceError::NothingTakenBack { commit, .. } => format!(
            "Mend that and run it again; `mdmem undo --past {}` leaves it and takes back the change before it.",
            commit.short()
        ),
        ServiceError::NotTakenBack { .. } => {
            "`mdmem log` shows the changes; `mdmem restore REV MEMORY` brings one memory back as it was.".to_owned()
        }
        ServiceError::Path(_)
        | ServiceError::Watch(_)
        | ServiceError::NothingToUndo
        | ServiceError::Refused(_)
        | ServiceError::Injection
        | ServiceError::Session(_)
        | ServiceError::Compaction(_)
        | ServiceError::GlobalDenied
        | ServiceError::GlobalUnasked
        | ServiceError::EmptyText => return Vec::new(),
    };
    vec![hint]
}

fn sync_hint(error: &SyncError) -> String {
    if let Some(hint) = error.hint() {
        return hint;
    }
    match error {
        SyncError::NoRemote => {
            "`mdmem sync URL` gives it one; the setting `sync.remote` names one repository for all stores."
        }
        SyncError::NotAStore { .. } => {
            "No memory was changed. Give another address (`mdmem sync URL`): an empty repository, or a store of mdmem's."
        }
        SyncError::NewerFormat { .. } => "Nothing was changed. Install a newer mdmem.",
        SyncError::StoreExists { .. } => "`mdmem sync URL` joins the two.",
        SyncError::OwnFolder { .. } => {
            "Name an empty repository elsewhere, which `git init --bare FOLDER` makes, or one on a server."
        }
        SyncError::TokenInAddress { .. } => {
            "Give the address without it; git's credential helpers keep it (`git help credentials`)."
        }
        SyncError::TokenInBranch { .. } => {
            "Give it another name there, then `mdmem sync URL --branch NAME`, or `git config branch.main.merge refs/heads/NAME` in the store's folder."
        }
        SyncError::EmptyRemote { .. } => "`mdmem sync URL` brings this workspace's store there.",
        SyncError::Refusal { .. } => "What came from there is merged; your own changes are safe here, and are sent by the next `mdmem sync`.",
        SyncError::Locked { .. } => {
            "Your changes are merged and safe here. If no git runs there, one that was killed left the lock: remove that file, then run `mdmem sync` again."
        }
        SyncError::Raced { .. } => "Run `mdmem sync` again when it is quieter there.",
        _ => "`mdmem status` says more.",
    }
    .to_owned()
}

fn store_hint(error: &StoreError) -> Option<String> {
    let full = error.is_full();
    let hint = match error {
        full if full.is_full() => {
            "Make room (`df -h` and `df -i` show space and inodes), then run it again; what is saved is committed then."
        }
        fixed if fixed.is_read_only() => {
            "Mount it for writing, then run it again; meanwhile the store can be read."
        }
        StoreError::UnknownStore { name, known } => return Some(known_stores(name, known)),
        StoreError::HasWorkspace { name, .. } => {
            let name = shell_word(name);
            return Some(format!(
                "`mdmem --store {name} export --to json FILE` and `mdmem import FILE` bring its memories here."
            ));
        }
        StoreError::NotAWorkspace { .. } => {
            "Run it in a project's folder (or with `-C DIR`); `--global` is for what holds everywhere."
        }
        StoreError::LostRepository { .. } => {
            "If the repository was moved, `git worktree repair` in its new place mends this work tree; mount it if it lies on a disk."
        }
        StoreError::PlainInPlaceOf { store, .. } => {
            return Some(format!(
                "Where the repository is now, it has its memory. `mdmem stores link {}` gives this folder that memory; `mdmem init` makes an empty one.",
                shell_word(store)
            ));
        }
        StoreError::Absent { workspace, .. } if workspace == "global" => {
            "`mdmem --global init` makes it; `mdmem --global add` does too."
        }
        StoreError::Absent {
            before: Some(name), ..
        } => {
            return Some(format!(
                "Another project was in this place before: `mdmem stores link {}` gives this one its memory. `mdmem init` makes an empty one.",
                shell_word(name)
            ));
        }
        StoreError::Absent { .. } => {
            "`mdmem init` makes it; `mdmem add` and `mdmem watch` do too. `mdmem stores link NAME` gives it one that is there (`mdmem stores`)."
        }
        StoreError::Vanished { workspace, .. } if workspace == "global" => {
            "Mount or bring back its folder, and everything goes on. `mdmem --global init --new` begins an empty one in its place."
        }
        StoreError::Vanished { .. } => {
            "Mount or bring back its folder, and everything goes on. `mdmem init --new` begins an empty one in its place."
        }
        StoreError::NoRepository { .. } => "`mdmem init` makes a new repository of the files that are there.",
        StoreError::HomeInsideWorkspace { .. } => "Set MDMEM_HOME to a folder outside of the workspace.",
        StoreError::NewerFormat { .. } => "Install a newer mdmem.",
        StoreError::Settings(_) => "`mdmem config` shows every setting and where it comes from.",
        StoreError::Readonly { .. } => {
            "Take `readonly: true` out of its file (`mdmem edit`) if it may be changed; `mdmem check` names a line that may mean it."
        }
        StoreError::Unclear {
            fault: Some(fault), ..
        } if fault.mend.is_some() => return fault.mend.clone(),
        StoreError::Unclear { .. } => {
            "Mend what `mdmem check` names, or remove the file by hand: its content stays in the history."
        }
        StoreError::Unfinished(unfinished) | StoreError::Waiting(unfinished) => unfinished.hint(),
        StoreError::Held(held) => return Some(held_hint(held)),
        StoreError::NotRestorable { path, why } => {
            return Some(why.hint(&shell_word(&path.to_string_lossy())));
        }
        StoreError::Uncommitted { .. } => "`mdmem status` says what is in the way of a commit.",
        StoreError::NotCommitted { source, .. } => {
            let sweep = || "`mdmem sweep` commits it when that is mended.".to_owned();
            return Some(store_hint(source).unwrap_or_else(sweep));
        }
        StoreError::Contended { .. } => "Run the command again when it is quiet.",
        StoreError::Gone { .. } => "`mdmem log` shows what happened to it.",
        StoreError::Busy { obstacle, .. } => return obstacle.hint(),
        StoreError::Git(error) if !full => return error.hint(),
        StoreError::NothingChanged { .. } => "Let the folder and the file be written to, and run it again.",
        _ => return None,
    };
    Some(hint.to_owned())
}

/// The known word of which another one is a slip of the hand; further off it is another word.
pub(crate) fn slip_of<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let distance = |known: &&str| strsim::osa_distance(known, &word);
    let nearest = known.min_by_key(distance)?;
    (distance(&nearest) <= (word.chars().count() / 3).max(1)).then_some(nearest)
}

/// The hint for somebody who named a store that is not there: those of nearly that name, else the command that lists
/// them.
fn known_stores(name: &str, known: &[String]) -> String {
    let is_near = |known: &&String| {
        let [known, name] = [known.as_str(), name].map(str::to_lowercase);
        known.contains(&name) || strsim::osa_distance(&known, &name) <= (name.chars().count() / 3).max(1)
    };
    let near: Vec<&str> = known.iter().filter(is_near).map(String::as_str).collect();
    if near.is_empty() || name.is_empty() {
        return "`mdmem stores` lists every store, with its name.".to_owned();
    }
    format!("Did you mean {}?", some_of(near.into_iter()))
}

/// The hint for a file that is held, as a sentence.
pub(crate) fn held_hint(held: &Held) -> String {
    held.hint(&shell_word(&held.path.to_string_lossy()))
}

/// The first few of many names, and the number of the others.
pub(crate) fn some_of<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let first: Vec<&str> = names.by_ref().take(MOST_NAMED).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Several paths in one sentence.
fn listed<'a>(paths: impl Iterator<Item = &'a StorePath>, between: &str) -> String {
    paths.map(StorePath::as_str).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_no_failure() {
        let pipe = CommandError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(pipe.kind, Kind::BrokenPipe);
        assert_eq!(CommandError::from(io::Error::other("full")).kind, Kind::Failed);
    }

    #[test]
    fn a_cause_is_told_once() {
        let inner = anyhow::anyhow!("permission denied");
        let error = CommandError::failed(
            inner
                .context("cannot read a.md: permission denied")
                .context("no list"),
        );
        assert_eq!(error.causes(), ["cannot read a.md: permission denied"]);
    }
}
