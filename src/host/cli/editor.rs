//! The person's editor: the choice of it, and its start.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use crate::sys::Env;

/// The editor that is started when nothing says otherwise.
const FALLBACK: &str = "vi";

/// The editor: the setting, else `$VISUAL`, else `$EDITOR`, else vi. On a terminal that can do nothing (`TERM=dumb`)
/// `$VISUAL` is passed over, as git does.
pub(crate) fn editor(setting: Option<&str>, env: &Env) -> String {
    let var = |name| env.var(name).filter(|value| !value.trim().is_empty());
    let is_dumb = env.var("TERM").is_none_or(|term| term == "dumb");
    let visual = if is_dumb { None } else { var("VISUAL") };
    let setting = setting
        .map(str::to_owned)
        .filter(|value| !value.trim().is_empty());
    setting
        .or(visual)
        .or_else(|| var("EDITOR"))
        .or_else(|| var("VISUAL"))
        .unwrap_or_else(|| FALLBACK.to_owned())
}

/// Opens a file in the editor and waits until it is closed. The editor may have arguments, quotes and variables: the
/// shell reads it, and is given the file as an argument of its own, so that no name can be taken for a command.
pub(crate) fn open(editor: &str, file: &Path) -> anyhow::Result<()> {
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$@\""))
        .arg(editor)
        .arg(file)
        .status()
        .with_context(|| format!("cannot start the editor `{editor}`"))?;
    if status.success() {
        return Ok(());
    }
    match status.code() {
        Some(127) => anyhow::bail!("there is no editor `{editor}`"),
        Some(code) => anyhow::bail!("the editor `{editor}` ended with exit code {code}"),
        None => anyhow::bail!("the editor `{editor}` was ended by a signal"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(setting: Option<&str>, vars: &[(&str, &str)]) -> String {
        editor(setting, &Env::fixed(vars.iter().copied(), "/"))
    }

    #[test]
    fn the_setting_then_the_variables_then_vi() {
        let vars = [("TERM", "xterm"), ("VISUAL", "code --wait"), ("EDITOR", "nano")];
        assert_eq!(chosen(Some("hx"), &vars), "hx");
        assert_eq!(chosen(Some(" "), &vars), "code --wait");
        assert_eq!(chosen(None, &vars[..2]), "code --wait");
        assert_eq!(
            chosen(None, &[("TERM", "dumb"), ("VISUAL", "code"), ("EDITOR", "ed")]),
            "ed"
        );
        assert_eq!(chosen(None, &[("VISUAL", "code")]), "code");
        assert_eq!(chosen(None, &[("EDITOR", "")]), "vi");
    }

    #[test]
    fn the_file_is_an_argument_and_no_command() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b; touch $(x) 'q'.md");
        open("sh -c 'echo \"changed\" >> \"$1\"' --", &file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "changed\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_editor_that_fails_is_named() {
        let error = |editor| open(editor, Path::new("x")).unwrap_err().to_string();
        assert_eq!(error("exit 3;"), "the editor `exit 3;` ended with exit code 3");
        assert_eq!(error("no-such-editor"), "there is no editor `no-such-editor`");
    }
}
