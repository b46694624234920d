//! The agent of launchd's, as text.

use std::fmt::Write as _;
use std::path::Path;

use super::{MARK, words};
use crate::sys::user_id;

/// The name of the agent.
pub(super) const LABEL: &str = "mdmem.watch";

/// The property list of the agent that runs `program`, with these variables.
pub(super) fn agent(program: &Path, home: &Path, variables: &[(&str, String)]) -> String {
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// launchd refuses to load what it has loaded: the agent is unloaded first.
pub(super) fn begin(file: &Path) -> Vec<Vec<String>> {
    let script = format!(
        "launchctl bootout gui/{0}/{LABEL} 2>/dev/null; exec launchctl bootstrap gui/{0} \"$1\"",
        user_id()
    );
    let mut command = vec!["sh".to_owned(), "-c".to_owned(), script, "sh".to_owned()];
    command.push(file.to_string_lossy().into_owned());
    vec![command]
}

pub(super) fn end() -> Vec<Vec<String>> {
    vec![words(&format!("launchctl bootout gui/{}/{LABEL}", user_id()))]
}

pub(super) fn ask() -> Vec<String> {
    words(&format!("launchctl print gui/{}/{LABEL}", user_id()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut open = Vec::new();
        for tag in agent
            .split('<')
            .skip(1)
            .map(|part| part.split('>').next().unwrap())
        {
            match tag.strip_prefix('/') {
                _ if tag.starts_with(['?', '!']) || tag.ends_with('/') => {}
                Some(end) => assert_eq!(open.pop(), Some(end), "{agent}"),
                None => open.push(tag.split(' ').next().unwrap()),
            }
        }
        assert!(open.is_empty(), "{open:?}");
        assert_eq!(agent.matches("<key>").count(), 9);
    }
}
