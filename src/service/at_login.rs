//! Use case: the system starts `mdmem watch --all` at login, and again whenever it ends (`mdmem watch --install`): as a
//! unit of systemd's for this user, on macOS as an agent of launchd's.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Serialize;

use crate::store::MAX_FILE;
use crate::sys::{
    self, Group, Ran, RunError, RunLimits, Running, SysError, read_regular, shown_path, user_id,
    write_durable,
};

use super::{Context, Run, ServiceError};

/// The line by which mdmem knows a file that it wrote.
const MARK: &str = "Written by `mdmem watch --install`; `mdmem watch --uninstall` removes it.";
/// The variables that say where stores and settings lie, and where programs are.
const KEPT: [&str; 5] = [
    "MDMEM_HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "PATH",
];
/// The bounds of an answer of the system's own program.
const LIMITS: RunLimits = RunLimits {
    time: Duration::from_mins(1),
    bytes: 64 * 1024,
};

/// The login service, as it was before and as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoginService {
    /// Its file.
    pub file: PathBuf,
    /// The text of the file.
    pub text: String,
    /// The state of the file before.
    pub state: LoginFile,
}

/// The state of the file of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginFile {
    /// It is as it is written now.
    Current,
    /// mdmem wrote it with other paths.
    Outdated,
    /// It is not there.
    Absent,
}

/// Writes the service's file and starts it. A second time changes nothing, where the paths are the same.
pub fn install_login_service(context: &Context, wanted: Run) -> Result<LoginService, ServiceError> {
    let service = login_service(context)?;
    if wanted == Run::Dry {
        return Ok(service);
    }
    if service.state != LoginFile::Current {
        let folder = service.file.parent().unwrap_or(Path::new("/"));
        // A person may keep a link there.
        std::fs::create_dir_all(folder).map_err(|error| SysError::io("create the folder", folder, error))?;
        write_durable(&service.file, service.text.as_bytes())?;
    }
    let start = if cfg!(target_os = "macos") {
        // launchd refuses to load what it has loaded: the agent is unloaded first.
        format!(
            "launchctl bootout gui/{0}/{LABEL} 2>/dev/null; exec launchctl bootstrap gui/{0} \"$1\"",
            user_id()
        )
    } else if service.state == LoginFile::Current {
        "exec systemctl --user enable --now mdmem.service".to_owned()
    } else {
        "systemctl --user daemon-reload && systemctl --user enable mdmem.service && \
         exec systemctl --user restart mdmem.service"
            .to_owned()
    };
    run(&start, &service.file).map_err(|error| {
        ServiceError::said(
            format!("the login service was written, but could not be started: {error}"),
            "After you log in, `mdmem watch --install` starts it.",
        )
    })?;
    Ok(service)
}

/// Stops the service and removes its file.
pub fn remove_login_service(context: &Context, wanted: Run) -> Result<LoginService, ServiceError> {
    let service = login_service(context)?;
    if wanted == Run::Dry || service.state == LoginFile::Absent {
        return Ok(service);
    }
    let stop = if cfg!(target_os = "macos") {
        format!("exec launchctl bootout gui/{}/{LABEL}", user_id())
    } else {
        "exec systemctl --user disable --now mdmem.service".to_owned()
    };
    // A service that does not run cannot be stopped, and a system that is not there has nothing to forget.
    drop(run(&stop, &service.file));
    std::fs::remove_file(&service.file).map_err(|error| SysError::io("remove", &service.file, error))?;
    if !cfg!(target_os = "macos") {
        drop(run("exec systemctl --user daemon-reload", &service.file));
    }
    Ok(service)
}

/// The service as it would be written; an error where somebody else wrote its file.
fn login_service(context: &Context) -> Result<LoginService, ServiceError> {
    let program = sys::own_program()?;
    let kept = KEPT
        .iter()
        .filter_map(|name| Some((*name, context.env.var(name)?)));
    let variables: Vec<(&str, String)> = kept.filter(|(_, value)| !value.is_empty()).collect();
    let (file, text) = if cfg!(target_os = "macos") {
        let home = context.env.home()?;
        let agents = home.join("Library/LaunchAgents");
        (
            agents.join(format!("{LABEL}.plist")),
            agent(&program, &home, &variables),
        )
    } else {
        let units = context.env.config_home()?.join("systemd/user");
        (units.join("mdmem.service"), unit(&program, &variables))
    };
    let there = read_regular(&file, MAX_FILE).map_err(|error| SysError::io("read", &file, error))?;
    let state = match there.map(|there| String::from_utf8_lossy(&there).into_owned()) {
        None => LoginFile::Absent,
        Some(there) if there == text => LoginFile::Current,
        Some(there) if there.contains(MARK) => LoginFile::Outdated,
        Some(_) => {
            let what = format!("{} exists, and was not written by mdmem", shown_path(&file));
            return Err(ServiceError::said(what, "Move it away, then run it again."));
        }
    };
    Ok(LoginService { file, text, state })
}

/// Runs a line of a shell; `$1` is the file of the service.
fn run(script: &str, file: &Path) -> Result<(), SysError> {
    let program = if cfg!(target_os = "macos") {
        "launchctl"
    } else {
        "systemctl"
    };
    let _work = sys::Work::of(format!("waiting for {program}"), 0);
    let mut asked = Command::new("sh");
    asked.args(["-c", script, "sh"]).arg(file);
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

/// The unit of systemd's that runs `program`, with these variables.
fn unit(program: &Path, variables: &[(&str, String)]) -> String {
    let program = quoted(&program.to_string_lossy());
    let mut environment = String::new();
    for (name, value) in variables {
        let _ = writeln!(environment, "Environment={}", quoted(&format!("{name}={value}")));
    }
    format!(
        "# {MARK}\n\
         [Unit]\n\
         Description=mdmem: commits what is saved in every memory store\n\
         \n\
         [Service]\n\
         ExecStart={program} watch --all\n\
         {environment}\
         Restart=always\n\
         RestartSec=5\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    )
}

/// A word as systemd reads it: in quotes, and without a meaning for `%` and `$`.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for sign in text.chars() {
        match sign {
            '"' | '\\' => quoted.extend(['\\', sign]),
            '%' => quoted.push_str("%%"),
            sign if sign.is_control() => {
                let _ = write!(quoted, "\\x{:02x}", u32::from(sign));
            }
            sign => quoted.push(sign),
        }
    }
    quoted.push('"');
    quoted
}

/// The name of the agent of launchd's.
const LABEL: &str = "mdmem.watch";

/// The property list of the agent that runs `program`, with these variables.
fn agent(program: &Path, home: &Path, variables: &[(&str, String)]) -> String {
    let escaped = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        text.replace('>', "&gt;")
    };
    let program = escaped(&program.to_string_lossy());
    let log = escaped(&home.join("Library/Logs/mdmem.log").to_string_lossy());
    let mut environment = String::new();
    for (name, value) in variables {
        let value = escaped(value);
        let _ = writeln!(
            environment,
            "        <key>{name}</key>\n        <string>{value}</string>"
        );
    }
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- {MARK} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>Label</key>
    <string>{LABEL}</string>
    <key>ProgramArguments</key>
    <array>
        <string>{program}</string>
        <string>watch</string>
        <string>--all</string>
    </array>
    <key>EnvironmentVariables</key>
    <dict>
{environment}    </dict>
    <key>RunAtLoad</key>
    <true/>
    <key>KeepAlive</key>
    <true/>
    <key>ThrottleInterval</key>
    <integer>5</integer>
    <key>ProcessType</key>
    <string>Background</string>
    <key>StandardErrorPath</key>
    <string>{log}</string>
</dict>
</plist>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_no_meaning_for_systemd() {
        let unit = unit(
            Path::new("/a b/100%/\"mdmem\""),
            &[("MDMEM_HOME", "/m\\n $x".to_owned())],
        );
        assert!(
            unit.contains("ExecStart=\"/a b/100%%/\\\"mdmem\\\"\" watch --all\n"),
            "{unit}"
        );
        assert!(unit.contains("Environment=\"MDMEM_HOME=/m\\\\n $x\"\n"), "{unit}");
    }

    #[test]
    fn a_path_is_text_and_no_markup() {
        let agent = agent(
            Path::new("/a<b>&c/mdmem"),
            Path::new("/h"),
            &[("MDMEM_HOME", "</string>".to_owned())],
        );
        assert!(
            agent.contains("<string>/a&lt;b&gt;&amp;c/mdmem</string>"),
            "{agent}"
        );
        assert!(agent.contains("<string>&lt;/string&gt;</string>"), "{agent}");
    }
}
