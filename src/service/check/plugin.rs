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
        let message = "differs from this version's plugin: it was edited, or is of another version";
        let mend = "`mdmem init --with opencode --user` (without --user for a workspace's copy) updates \
            it, and keeps a copy of this one.";
        found.push(Diagnostic::warning(CODE, path, message, mend));
    }
    if let Some((second, _)) = copies.get(1) {
        let message = format!(
            "OpenCode loads two copies of the plugin, of which one is inactive: the other is \
                {second}"
        );
        let mend = "Delete one; the user's copy works in every workspace.";
        found.push(Diagnostic::warning(CODE, first, message, mend));
    }
    if let Some(message) = lacks_program(context) {
        let mend = "Add mdmem's folder to the PATH of OpenCode, or set MDMEM_BIN to its full path.";
        found.push(Diagnostic::error(CODE, first, message, mend));
    }
    let root = context.place().ok().map(|place| place.root);
    if root.is_some_and(|root| context.last_connection(&root).is_none()) {
        let message = "the plugin has never connected in this workspace";
        let mend = "Start OpenCode in this workspace; its log says what is wrong.";
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
        return (!is_program(named)).then(|| format!("MDMEM_BIN is not a program: {}", shown_path(named)));
    }
    let path = env.var_os("PATH").unwrap_or_default();
    let cargo = env.home().map(|home| home.join(".cargo/bin"));
    let mut folders = std::env::split_paths(path).chain(cargo);
    let is_there = folders.any(|folder| !folder.as_os_str().is_empty() && is_program(&folder.join("mdmem")));
    (!is_there).then(|| "the plugin cannot find mdmem on PATH or in ~/.cargo/bin".to_owned())
}
