//! Use case: the system starts `mdmem watch --all` at login, and again whenever it ends (`mdmem service`).
//!
//! `systemd` and `launchd` are the two forms of the file that says so, as text; here it is written and removed, and the
//! system's own program is told.

mod launchd;
mod systemd;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::store::MAX_FILE;
use crate::sys::{self, Group, Ran, RunError, RunLimits, Running, SysError, read_regular, write_durable};

use super::{Context, Run, ServiceError};

/// The line by which mdmem knows a file that it wrote.
const MARK: &str = "Written by `mdmem service install`; `mdmem service remove` removes it.";
/// The variables that say where stores and settings lie, and where programs are.
const KEPT: [&str; 5] = [
    "MDMEM_HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "PATH",
];

/// The bounds of an answer of that program.
const LIMITS: RunLimits = RunLimits {
    time: Duration::from_mins(1),
    bytes: 64 * 1024,
};

/// The program that starts others at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginManager {
    /// systemd, for a user.
    Systemd,
    /// launchd of macOS.
    Launchd,
}

impl LoginManager {
    /// The one of this machine.
    pub const fn of_this_machine() -> Self {
        if cfg!(target_os = "macos") {
            Self::Launchd
        } else {
            Self::Systemd
        }
    }

    /// The commands that begin the service, after its file was written or not.
    fn begin(self, file: &Path, is_new: bool) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => systemd::begin(is_new),
            Self::Launchd => launchd::begin(file),
        }
    }

    /// The commands that end it: before its file is removed, and after.
    fn end(self) -> [Vec<Vec<String>>; 2] {
        match self {
            Self::Systemd => systemd::end(),
            Self::Launchd => [launchd::end(), Vec::new()],
        }
    }

    fn ask(self) -> Vec<String> {
        match self {
            Self::Systemd => systemd::ask(),
            Self::Launchd => launchd::ask(),
        }
    }
}

/// The service, as it is and as it would be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginService {
    /// The program that starts it.
    pub manager: LoginManager,
    /// Its file.
    pub file: PathBuf,
    /// The text that `install` writes.
    pub text: String,
    /// The state of its file.
    pub state: LoginFile,
    /// The reason why the system does not run it; `None` where it runs.
    pub stopped: Option<String>,
}

/// The state of the file of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginFile {
    /// It is as it would be written.
    Current,
    /// mdmem wrote it with other paths.
    Outdated,
    /// Somebody else wrote it.
    Foreign,
    /// It is not there.
    Absent,
}

impl LoginFile {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "installed",
            Self::Outdated => "installed for another program or folder",
            Self::Foreign => "written by somebody else",
            Self::Absent => "not installed",
        }
    }
}

/// The service of this user, by the `manager`.
pub fn login_service(context: &Context, manager: LoginManager) -> Result<LoginService, ServiceError> {
    let (file, text) = planned(context, manager)?;
    let state = state(&file, &text, &context.env.var("PATH").unwrap_or_default())?;
    let stopped = match state {
        LoginFile::Absent => Some("it is not installed".to_owned()),
        _ => run(&manager.ask()).err().map(|error| error.to_string()),
    };
    Ok(LoginService {
        manager,
        file,
        text,
        state,
        stopped,
    })
}

/// Writes the service's file and starts it; begins it again where the file is another one now. A second time changes
/// nothing. Gives the service as it was before.
pub fn install_login_service(
    context: &Context,
    manager: LoginManager,
    dry_or_real: Run,
) -> Result<LoginService, ServiceError> {
    let service = login_service(context, manager)?;
    if service.state == LoginFile::Foreign {
        return Err(ServiceError::ForeignService(service.file));
    }
    if dry_or_real == Run::Real {
        if service.state != LoginFile::Current {
            let folder = service.file.parent().unwrap_or(Path::new("/"));
            // A person may keep a link there.
            std::fs::create_dir_all(folder)
                .map_err(|error| SysError::io("create the folder", folder, error))?;
            write_durable(&service.file, service.text.as_bytes())?;
        }
        let commands = manager.begin(&service.file, service.state != LoginFile::Current);
        commands
            .iter()
            .try_for_each(|command| run(command))
            .map_err(ServiceError::NotStarted)?;
    }
    Ok(service)
}

/// Stops the service and removes its file. Gives the service as it was before.
pub fn remove_login_service(
    context: &Context,
    manager: LoginManager,
    dry_or_real: Run,
) -> Result<LoginService, ServiceError> {
    let service = login_service(context, manager)?;
    match service.state {
        LoginFile::Foreign => return Err(ServiceError::ForeignService(service.file)),
        LoginFile::Absent => return Ok(service),
        LoginFile::Current | LoginFile::Outdated => {}
    }
    if dry_or_real == Run::Real {
        let [before, after] = manager.end();
        // A service that does not run cannot be stopped, and a system that is not there has nothing to forget.
        for command in &before {
            drop(run(command));
        }
        std::fs::remove_file(&service.file).map_err(|error| SysError::io("remove", &service.file, error))?;
        for command in &after {
            drop(run(command));
        }
    }
    Ok(service)
}

/// The file of the service, and its text.
fn planned(context: &Context, manager: LoginManager) -> Result<(PathBuf, String), ServiceError> {
    let program = sys::own_program()?;
    let kept = KEPT
        .iter()
        .filter_map(|name| Some((*name, context.env.var(name)?)));
    let variables: Vec<(&str, String)> = kept.filter(|(_, value)| !value.is_empty()).collect();
    Ok(match manager {
        LoginManager::Systemd => (
            context
                .env
                .config_home()?
                .join("systemd/user")
                .join(systemd::UNIT),
            systemd::unit(&program, &variables),
        ),
        LoginManager::Launchd => {
            let home = context.env.home()?;
            let agents = home.join("Library/LaunchAgents");
            (
                agents.join(format!("{}.plist", launchd::LABEL)),
                launchd::agent(&program, &home, &variables),
            )
        }
    })
}

fn state(file: &Path, text: &str, path: &str) -> Result<LoginFile, ServiceError> {
    let there = match read_regular(file, MAX_FILE) {
        Ok(Some(there)) => String::from_utf8_lossy(&there).into_owned(),
        Ok(None) => return Ok(LoginFile::Absent),
        Err(error) => return Err(SysError::io("read", file, error).into()),
    };
    // `PATH` is another one in every other shell: the one that was written stays.
    let paths = [format!("PATH={path}\""), format!("<string>{path}</string>")];
    let is_path = |line: &str| paths.iter().any(|path| line.ends_with(path));
    let is_same = |(is, would): (&str, &str)| is == would || is_path(would);
    let is_as_long = there.lines().count() == text.lines().count();
    Ok(if is_as_long && there.lines().zip(text.lines()).all(is_same) {
        LoginFile::Current
    } else if there.contains(MARK) {
        LoginFile::Outdated
    } else {
        LoginFile::Foreign
    })
}

fn run(command: &[String]) -> Result<(), SysError> {
    let (program, args) = command.split_first().expect("because a command has a name");
    let mut asked = Command::new(program);
    asked.args(args);
    let ran = Running::start(asked, None, Group::Own)
        .and_then(|running| running.finish(LIMITS))
        .and_then(Ran::answer);
    ran.map(drop).map_err(|error| {
        let said = match error {
            RunError::NotRun(error) => error,
            RunError::Failed { said: Some(said), .. } => std::io::Error::other(said),
            error => std::io::Error::other(error.to_string()),
        };
        SysError::io("run", program, said)
    })
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}
