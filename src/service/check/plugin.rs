//! OpenCode's plugin: what keeps it from being the one of this program, or from finding the program. OpenCode itself
//! passes over most of that in silence.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::model::Diagnostic;
use crate::service::Context;
use crate::service::install::{OPENCODE_PLUGIN, opencode_plugins};
use crate::sys::{read_text, shown_path};

const CODE: &str = "plugin";

/// Looks at the copies for the user and for the workspace, and at what they need. Nothing where there is no copy.
pub(super) fn findings(context: &Context) -> Vec<Diagnostic> {
    let copies = opencode_plugins(context).into_iter();
    let copies = copies.filter_map(|path| Some((shown_path(&path), read_text(&path)?)));
    let copies: Vec<(String, String)> = copies.collect();
    let Some((first, _)) = copies.first() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (path, _) in copies.iter().filter(|(_, text)| text != OPENCODE_PLUGIN) {
        let message = "is not as this mdmem wrote it: it was edited, or is of another version";
        let mend = "`mdmem init --with opencode --user` (or without --user, for a workspace's copy) writes it anew, and keeps this one beside it.";
        found.push(Diagnostic::warning(CODE, path, message, mend));
    }
    if let Some((second, _)) = copies.get(1) {
        let message =
            format!("OpenCode loads two copies, and only one of them serves: the other is {second}");
        let mend = "Delete one; the user's copy is for every workspace.";
        found.push(Diagnostic::warning(CODE, first, message, mend));
    }
    if let Some(message) = lacks_program(context) {
        let mend = "Put the folder of mdmem on the PATH with which OpenCode starts, or set MDMEM_BIN to the program's full path.";
        found.push(Diagnostic::error(CODE, first, message, mend));
    }
    let root = context.place().ok().map(|place| place.root);
    if root.is_some_and(|root| context.last_connection(&root).is_none()) {
        let message = "it never connected for this workspace";
        let mend = "Start OpenCode in this workspace; its log says what goes wrong.";
        found.push(Diagnostic::note(CODE, first, message, mend));
    }
    found
}

/// Says where the plugin looks for the program in vain.
fn lacks_program(context: &Context) -> Option<String> {
    let env = &context.env;
    let is_program = |path: &Path| {
        let found = env.current_dir().join(path).metadata();
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if let Some(named) = env.var_os("MDMEM_BIN").filter(|named| !named.is_empty()) {
        let named = Path::new(named);
        return (!is_program(named)).then(|| format!("MDMEM_BIN names no program: {}", shown_path(named)));
    }
    let path = env.var_os("PATH").unwrap_or_default();
    let cargo = env.home().map(|home| home.join(".cargo/bin"));
    let mut folders = std::env::split_paths(path).chain(cargo);
    let is_there = folders.any(|folder| !folder.as_os_str().is_empty() && is_program(&folder.join("mdmem")));
    (!is_there).then(|| "the plugin finds no mdmem on PATH or in ~/.cargo/bin".to_owned())
}
