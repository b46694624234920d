//! The unit of systemd's for a user, as text.

use std::fmt::Write as _;
use std::path::Path;

use super::{MARK, words};

/// The name of the unit.
pub(super) const UNIT: &str = "mdmem.service";

/// The unit that runs `program`, with these variables.
pub(super) fn unit(program: &Path, variables: &[(&str, String)]) -> String {
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

pub(super) fn begin(is_new: bool) -> Vec<Vec<String>> {
    let steps: &[&str] = if is_new {
        &[
            "systemctl --user daemon-reload",
            "systemctl --user enable mdmem.service",
            "systemctl --user restart mdmem.service",
        ]
    } else {
        &["systemctl --user enable --now mdmem.service"]
    };
    steps.iter().map(|step| words(step)).collect()
}

pub(super) fn end() -> [Vec<Vec<String>>; 2] {
    [
        vec![words("systemctl --user disable --now mdmem.service")],
        vec![words("systemctl --user daemon-reload")],
    ]
}

pub(super) fn ask() -> Vec<String> {
    words("systemctl --user is-active mdmem.service")
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
}
