//! `.mdmem/outputs/`: the outputs of tools of which a conversation has a part, so that the rest can be fetched back.
//! Local, bounded, for this user alone; each file is one output of one session.
//!
//! The last connection of an agent's plugin with a store: a line in the user's state folder, so that it is known also
//! where the store does not exist yet, or cannot be written to.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::contents::LOCAL;
use super::create::{has_files, make_private_folder};
use super::sessions::session_hash;
use crate::model::Timestamp;
use crate::sys;
use crate::sys::{FileStat, NewFile, SysError};
use crate::text::sha256_hex;

/// The most files that are kept, and for how many milliseconds.
const MOST_FILES: usize = 300;
const AGE: i64 = 7 * 24 * 60 * 60 * 1000;
/// The most bytes that are read of a file; a host sends less.
const MOST_READ: u64 = 64 << 20;
/// Hex digits of an output's name.
const NAME_LEN: usize = 12;
const VERSION: u32 = 1;

/// The name by which a session finds the output of a call again: the same for the same output alone, because some models
/// name their calls alike.
pub fn output_name(call: &str, text: &str) -> String {
    let hash = sha256_hex(format!("{call}\0{text}").as_bytes());
    hash.chars().take(NAME_LEN).collect()
}

/// An output that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptOutput {
    /// The text, without credentials.
    pub text: String,
    /// Its lines that the conversation does not have, counted from 0.
    pub gaps: Vec<Range<usize>>,
}

#[derive(Serialize, Deserialize)]
struct Heading {
    version: u32,
    gaps: Vec<Range<usize>>,
}

/// The outputs that are kept in one store.
#[derive(Debug, Clone)]
pub struct KeptOutputs {
    root: PathBuf,
}

impl KeptOutputs {
    /// Those of the store at `root`.
    pub fn of(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Keeps an output of the session with this hash. Not flushed: after a power cut it may be gone.
    pub fn keep(&self, session: &str, name: &str, output: &KeptOutput) -> Result<(), SysError> {
        // A file in an empty folder lies below the store that is mounted there later.
        if !has_files(&self.root) {
            return Err(SysError::RootMissing(self.root.clone()));
        }
        let heading = Heading {
            version: VERSION,
            gaps: output.gaps.clone(),
        };
        let heading = serde_json::to_string(&heading).expect("because these are numbers");
        let bytes = format!("{heading}\n{}", output.text).into_bytes();
        let path = path(session, name);
        match sys::write_new_private(&self.root, &path, &bytes)? {
            NewFile::Written => Ok(()),
            // The same output was kept before, unless the file is torn.
            NewFile::Taken if sys::read(&self.root, &path, MOST_READ)?.bytes == bytes => Ok(()),
            NewFile::Taken => {
                sys::remove_own(&self.root, &path)?;
                sys::write_new_private(&self.root, &path, &bytes).map(|_| ())
            }
        }
    }

    /// An output of the session with this hash; `None` where it is not kept any more, never was, or is torn.
    pub fn get(&self, session: &str, name: &str) -> Result<Option<KeptOutput>, SysError> {
        let is_name = name.len() == NAME_LEN && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_name {
            return Ok(None);
        }
        let read = sys::read_if_there(&self.root, path(session, name), MOST_READ)?;
        Ok(read.and_then(|file| {
            let text = file.into_text();
            let (heading, text) = text.split_once('\n')?;
            let heading: Heading = serde_json::from_str(heading).ok()?;
            (heading.version == VERSION).then(|| KeptOutput {
                text: text.to_owned(),
                gaps: heading.gaps,
            })
        }))
    }

    /// Removes what is kept of a session.
    pub fn forget(&self, session: &str) -> Result<(), SysError> {
        let is_of_it = |name: &str| name.starts_with(&format!("{session}-"));
        for (name, _) in self.files()? {
            if is_of_it(&name) {
                sys::remove_own(&self.root, folder().join(name))?;
            }
        }
        Ok(())
    }

    /// Removes what is too old, and of too many files the oldest. A time in the future (the clock was set back) is no
    /// age.
    pub fn sweep(&self, now: Timestamp) -> Result<(), SysError> {
        let mut files = self.files()?;
        files.sort_by(|one, other| (other.1.mtime_ns, &other.0).cmp(&(one.1.mtime_ns, &one.0)));
        for (place, (name, stat)) in files.iter().enumerate() {
            let written = Timestamp::from_millis(stat.mtime_ns / 1_000_000);
            if place >= MOST_FILES || now.millis_since(written) > AGE {
                sys::remove_own(&self.root, folder().join(name))?;
            }
        }
        Ok(())
    }

    /// The files; of a store that is not there, or not yet, there are none.
    fn files(&self) -> Result<Vec<(String, FileStat)>, SysError> {
        match sys::own_files(&self.root, folder()) {
            Err(SysError::RootMissing(_)) => Ok(Vec::new()),
            files => files,
        }
    }
}

fn folder() -> PathBuf {
    Path::new(LOCAL).join("outputs")
}

fn path(session: &str, name: &str) -> PathBuf {
    folder().join(format!("{session}-{name}"))
}

/// The most that is written of the line, in characters, and a bound of what is read of it, in bytes.
const MAX_CHARS: usize = 200;
const MAX_BYTES: u64 = 1024;

/// The last connection with the store at `root`; `None` where nobody wrote one down.
pub fn last_connection(state_home: &Path, root: &Path) -> Option<String> {
    let read = sys::read(state_home, file(root), MAX_BYTES).ok()?;
    Some(read.into_text().trim_end().to_owned())
}

/// Writes down who connected with the store at `root`, and when.
pub fn keep_connection(state_home: &Path, root: &Path, who: &str) -> Result<(), SysError> {
    let path = state_home.join(file(root));
    make_private_folder(path.parent().unwrap_or(state_home))?;
    let line: String = who.chars().take(MAX_CHARS).chain(['\n']).collect();
    sys::write_atomic(&path, line.as_bytes()).map(drop)
}

fn file(root: &Path) -> PathBuf {
    Path::new("connected").join(session_hash(&root.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "files that somebody else made")]

    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::{Duration, SystemTime};

    const NAME: &str = "0123456789ab";

    fn store() -> (tempfile::TempDir, KeptOutputs) {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(".git")).unwrap();
        let outputs = KeptOutputs::of(root.path());
        (root, outputs)
    }

    #[test]
    fn a_store_that_is_not_there_has_no_outputs() {
        let (root, _) = store();
        let absent = KeptOutputs::of(&root.path().join("absent"));
        absent.forget("s").unwrap();
        absent.sweep(Timestamp::from_millis(0)).unwrap();
        assert!(absent.keep("s", NAME, &output("x")).is_err());
    }

    fn output(text: &str) -> KeptOutput {
        KeptOutput {
            text: text.to_owned(),
            gaps: vec![3..7, 9..200],
        }
    }

    #[test]
    fn an_output_is_kept_for_its_session_and_its_user_alone() {
        let (root, outputs) = store();
        let kept = output("{\"a\": 1}\n\0 line\r\nümlaut");
        outputs.keep("aaaa", NAME, &kept).unwrap();
        outputs.keep("aaaa", NAME, &kept).unwrap();
        assert_eq!(outputs.get("aaaa", NAME).unwrap(), Some(kept.clone()));
        assert_eq!(outputs.get("bbbb", NAME).unwrap(), None);
        for name in ["", "../../x", "0123456789a", "0123456789AG", "é123456789a"] {
            assert_eq!(outputs.get("aaaa", name).unwrap(), None, "{name}");
        }
        let file = root.path().join(format!(".mdmem/outputs/aaaa-{NAME}"));
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        std::fs::write(&file, "").unwrap();
        assert_eq!(outputs.get("aaaa", NAME).unwrap(), None, "torn");
        outputs.keep("aaaa", NAME, &kept).unwrap();
        assert_eq!(outputs.get("aaaa", NAME).unwrap(), Some(kept.clone()));
        outputs.keep("bbbb", NAME, &kept).unwrap();
        outputs.forget("aaaa").unwrap();
        assert_eq!(outputs.get("aaaa", NAME).unwrap(), None);
        assert!(outputs.get("bbbb", NAME).unwrap().is_some());
        let unmounted = tempfile::tempdir().unwrap();
        assert!(
            KeptOutputs::of(unmounted.path())
                .keep("aaaa", NAME, &kept)
                .is_err()
        );
    }

    #[test]
    fn no_link_is_followed() {
        let (root, outputs) = store();
        let outside = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(LOCAL)).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.path().join(LOCAL).join("outputs")).unwrap();
        assert!(outputs.keep("aaaa", NAME, &output("x")).is_err());
        assert!(outputs.sweep(Timestamp::from_millis(0)).is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_newest_stay_and_no_old_one() {
        let (root, outputs) = store();
        outputs.sweep(Timestamp::from_millis(0)).unwrap();
        let begin = SystemTime::UNIX_EPOCH + Duration::from_hours(24 * 365 * 50);
        for number in 0..MOST_FILES + 5 {
            let name = format!("{number:012}");
            outputs.keep("aaaa", &name, &output("x")).unwrap();
            let file = std::fs::File::options()
                .write(true)
                .open(root.path().join(path("aaaa", &name)))
                .unwrap();
            let at = begin + Duration::from_secs(60 * u64::try_from(number).unwrap());
            file.set_modified(at).unwrap();
        }
        let names = || {
            let mut names: Vec<String> = sys::own_files(root.path(), folder())
                .unwrap()
                .into_iter()
                .map(|file| file.0)
                .collect();
            names.sort();
            names
        };
        let since = |time: SystemTime| {
            i64::try_from(time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis()).unwrap()
        };
        outputs.sweep(Timestamp::from_millis(0)).unwrap();
        assert_eq!(
            (names().len(), names()[0].as_str()),
            (MOST_FILES, "aaaa-000000000005")
        );
        outputs
            .sweep(Timestamp::from_millis(since(begin) + AGE + 100 * 60_000))
            .unwrap();
        assert_eq!(names()[0], "aaaa-000000000100", "too old");
    }
}

#[cfg(test)]
mod connection_tests {
    use super::*;

    #[test]
    fn the_last_one_is_known_for_each_store() {
        let state = tempfile::tempdir().unwrap();
        let (state, root) = (state.path().join("mdmem"), Path::new("/s/one"));
        assert_eq!(last_connection(&state, root), None);
        for who in ["opencode 1", &"é".repeat(1000)] {
            keep_connection(&state, root, who).unwrap();
        }
        assert_eq!(last_connection(&state, root), Some("é".repeat(MAX_CHARS)));
        assert_eq!(last_connection(&state, Path::new("/s/two")), None);
    }
}
