//! The environment: variables, the current folder, and the folders that follow from them.
//!
//! The process that started this one, and its user.
//!
//! New ids for memories.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use ulid::Generator;

use crate::model::{Id, Timestamp};
use crate::sys::SysError;

/// The variables and the current folder, as they were when the program began. An empty variable counts as unset
/// where it would name a folder.
#[derive(Debug, Clone)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
    current_dir: PathBuf,
}

impl Env {
    /// The environment of this process.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the environment that everything else is told to use"
    )]
    pub fn real() -> Result<Self, SysError> {
        let current_dir =
            std::env::current_dir().map_err(|error| SysError::io("find the current folder", ".", error))?;
        Ok(Self {
            vars: std::env::vars_os().collect(),
            current_dir,
        })
    }

    /// These variables and no others: those of another process, or of a test.
    pub fn fixed<N, V>(vars: impl IntoIterator<Item = (N, V)>, current_dir: impl Into<PathBuf>) -> Self
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        let vars = vars
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Self {
            vars,
            current_dir: current_dir.into(),
        }
    }

    /// The same environment, as if the program had been started in `folder` (`-C DIR`), which may be relative.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.current_dir.push(folder);
        self
    }

    /// The value of a variable, which may be empty; `None` where it is unset or is no UTF-8.
    pub fn var(&self, name: &str) -> Option<String> {
        self.vars.get(OsStr::new(name))?.to_str().map(str::to_owned)
    }

    /// The value of a variable as the system has it.
    pub fn var_os(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The variable by which an agent's shell is known, where this process runs in one: the plugin for OpenCode, Claude
    /// Code and Codex set them. It stops mistakes, not a program with the rights of the person.
    pub fn agents_shell(&self) -> Option<&'static str> {
        let is_set = |name: &&str| self.var_os(name).is_some_and(|value| !value.is_empty());
        ["MDMEM_AGENT", "CLAUDECODE", "CODEX_THREAD_ID"]
            .into_iter()
            .find(is_set)
    }

    /// The variables whose names begin with `prefix` (for the settings), by name; those that are no UTF-8 are left out.
    pub fn vars_with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.vars
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)))
            .filter(move |(name, _)| name.starts_with(prefix))
    }

    /// The folder that relative paths of the command line begin at.
    pub fn current_dir(&self) -> &Path {
        &self.current_dir
    }

    /// The person's folder, from `HOME`, which has to be a full path.
    pub fn home(&self) -> Result<PathBuf, SysError> {
        self.home_or("HOME")
    }

    /// The folder of the stores: `$MDMEM_HOME`, else `$XDG_DATA_HOME/mdmem`, else `~/.local/share/mdmem`.
    pub fn mdmem_home(&self) -> Result<PathBuf, SysError> {
        if let Some(folder) = self.folder("MDMEM_HOME") {
            return full_path("MDMEM_HOME", folder);
        }
        let data = self.xdg_or("XDG_DATA_HOME", "MDMEM_HOME", ".local/share")?;
        Ok(data.join("mdmem"))
    }

    /// The folder in which programs keep their data: `$XDG_DATA_HOME`, else `~/.local/share`. It need not exist.
    pub fn data_home(&self) -> Result<PathBuf, SysError> {
        self.xdg_or("XDG_DATA_HOME", "XDG_DATA_HOME", ".local/share")
    }

    /// The folder in which mdmem keeps what must not be lost while a store cannot be written to:
    /// `$XDG_STATE_HOME/mdmem`, else `~/.local/state/mdmem`. It need not exist.
    pub fn state_home(&self) -> Result<PathBuf, SysError> {
        let state = self.xdg_or("XDG_STATE_HOME", "XDG_STATE_HOME", ".local/state")?;
        Ok(state.join("mdmem"))
    }

    /// The person's settings: `$XDG_CONFIG_HOME/mdmem/config.toml`, else `~/.config/mdmem/config.toml`. It need
    /// not exist.
    pub fn config_file(&self) -> Result<PathBuf, SysError> {
        Ok(self.config_home()?.join("mdmem/config.toml"))
    }

    /// The folder in which programs keep their configuration: `$XDG_CONFIG_HOME`, else `~/.config`. It need not exist.
    pub fn config_home(&self) -> Result<PathBuf, SysError> {
        self.xdg_or("XDG_CONFIG_HOME", "XDG_CONFIG_HOME", ".config")
    }

    fn home_or(&self, instead: &'static str) -> Result<PathBuf, SysError> {
        let home = self.folder("HOME").ok_or(SysError::NoHome(instead))?;
        full_path("HOME", home)
    }

    fn folder(&self, name: &str) -> Option<PathBuf> {
        self.var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    }

    /// The XDG rules say that a relative path is to be ignored.
    fn xdg_or(&self, name: &str, instead: &'static str, below_home: &str) -> Result<PathBuf, SysError> {
        match self.folder(name).filter(|path| path.is_absolute()) {
            Some(folder) => Ok(folder),
            None => Ok(self.home_or(instead)?.join(below_home)),
        }
    }
}

fn full_path(name: &'static str, path: PathBuf) -> Result<PathBuf, SysError> {
    if path.is_absolute() {
        return Ok(path);
    }
    let value = path
        .to_string_lossy()
        .chars()
        .filter(|c| !c.is_control())
        .take(80)
        .collect();
    Err(SysError::Variable {
        name,
        value,
        mend: "give a full path, one that begins with /",
    })
}

/// The id of the parent process; another one takes its place when it is gone. `None` where it is in another container.
pub fn parent_process() -> Option<i32> {
    rustix::process::getppid().map(rustix::process::Pid::as_raw_pid)
}

/// The number of the user that this process works for.
pub fn user_id() -> u32 {
    rustix::process::getuid().as_raw()
}

/// A secret that nobody guesses: 128 random bits of the system, as 32 hex digits.
pub fn secret() -> Result<String, SysError> {
    let source = Path::new("/dev/urandom");
    let mut bytes = [0; 16];
    let read = std::fs::File::open(source).and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| SysError::io("read", source, error))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// The source of new ids: `mem_` and a ULID, so that they sort by the time they were made. Each id of one `Ids`
/// is greater than the one before it, also within a millisecond and when the clock is set back.
/// Clones are one source.
#[derive(Debug, Clone)]
pub struct Ids(Arc<Mutex<Generator>>);

impl Ids {
    /// Ids with real randomness: no two machines make the same.
    pub fn random() -> Self {
        Self(Arc::new(Mutex::new(Generator::new())))
    }

    /// A new id, made at `now`. A time before 1970 counts as 1970.
    pub fn next(&self, now: Timestamp) -> Id {
        Id::parse(&format!("mem_{}", self.token(now))).expect("because a ULID is 26 letters and digits")
    }

    /// A word that nobody else makes: the ULID of an id.
    pub fn token(&self, now: Timestamp) -> String {
        let millis = u64::try_from(now.as_millis()).unwrap_or(0);
        let time = UNIX_EPOCH + Duration::from_millis(millis);
        let mut generator = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ulid = match generator.generate_from_datetime(time) {
            Ok(ulid) => ulid,
            Err(overflow) => overflow.commit_overflow_increment(),
        };
        ulid.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(vars: &[(&str, &str)]) -> Result<String, String> {
        let env = Env::fixed(vars.iter().copied(), "/w");
        env.mdmem_home()
            .map(|p| p.display().to_string())
            .map_err(|e| e.to_string())
    }

    #[test]
    fn the_home_comes_from_the_first_variable_that_names_one() {
        assert_eq!(
            home(&[("MDMEM_HOME", "/m"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")]),
            Ok("/m".to_owned())
        );
        assert_eq!(
            home(&[("MDMEM_HOME", ""), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")]),
            Ok("/x/mdmem".to_owned())
        );
        assert_eq!(
            home(&[("XDG_DATA_HOME", "rel"), ("HOME", "/h")]),
            Ok("/h/.local/share/mdmem".to_owned())
        );
    }

    #[test]
    fn a_relative_or_empty_home_is_an_error_that_says_what_to_do() {
        assert_eq!(
            home(&[("MDMEM_HOME", "mem"), ("HOME", "/h")]),
            Err("MDMEM_HOME is `mem`: give a full path, one that begins with /".to_owned())
        );
        assert_eq!(
            home(&[("HOME", "")]),
            Err("HOME is not set: set it, or set MDMEM_HOME to a full path".to_owned())
        );
        assert!(home(&[("HOME", "h")]).is_err());
    }

    #[test]
    fn settings_lie_where_xdg_says() {
        let file = |vars: &[(&str, &str)]| Env::fixed(vars.iter().copied(), "/w").config_file().unwrap();
        assert_eq!(file(&[("HOME", "/h")]), Path::new("/h/.config/mdmem/config.toml"));
        assert_eq!(
            file(&[("XDG_CONFIG_HOME", "/c")]),
            Path::new("/c/mdmem/config.toml")
        );
    }

    #[test]
    fn data_lies_where_xdg_says() {
        let data = |vars: &[(&str, &str)]| Env::fixed(vars.iter().copied(), "/w").data_home().ok();
        assert_eq!(data(&[("HOME", "/h")]), Some("/h/.local/share".into()));
        assert_eq!(
            data(&[("HOME", "/h"), ("XDG_DATA_HOME", "/x")]),
            Some("/x".into())
        );
        assert_eq!(data(&[]), None);
    }

    #[test]
    fn state_lies_where_xdg_says() {
        let state = |vars: &[(&str, &str)]| Env::fixed(vars.iter().copied(), "/work").state_home().ok();
        let home = ("HOME", "/home/person");
        assert_eq!(state(&[home]), Some("/home/person/.local/state/mdmem".into()));
        assert_eq!(
            state(&[("XDG_STATE_HOME", "/state"), home]),
            Some("/state/mdmem".into())
        );
        assert_eq!(state(&[]), None);
    }

    #[test]
    fn lists_by_prefix_and_moves_to_another_folder() {
        let env = Env::fixed([("MDMEM_B", "2"), ("MDMEM_A", "1"), ("OTHER", "3")], "/w");
        assert_eq!(
            env.vars_with_prefix("MDMEM_").collect::<Vec<_>>(),
            [("MDMEM_A", "1"), ("MDMEM_B", "2")]
        );
        assert_eq!(
            env.clone().in_folder(Path::new("sub")).current_dir(),
            Path::new("/w/sub")
        );
        assert_eq!(env.in_folder(Path::new("/abs")).current_dir(), Path::new("/abs"));
    }
}

#[cfg(test)]
mod ids_tests {
    use super::*;

    fn take(ids: &Ids, times: &[i64]) -> Vec<Id> {
        times
            .iter()
            .map(|t| ids.next(Timestamp::from_millis(*t)))
            .collect()
    }

    #[test]
    fn ids_rise_even_when_the_clock_falls() {
        let made = take(&Ids::random(), &[1_000, 1_000, 1_000, 999, -5, 1_001, 1_001]);
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]), "{made:?}");
        assert!(made.iter().all(|id| id.as_str().len() == 30));
    }

    #[test]
    fn two_sources_make_different_ids() {
        assert_ne!(take(&Ids::random(), &[5]), take(&Ids::random(), &[5]));
    }
}
