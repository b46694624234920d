//! OpenCode's plugin: everything that keeps it from loading, from being the one of this program, or from
//! finding the program. OpenCode itself passes over most of that in silence.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model::Diagnostic;
use crate::service::Context;
use crate::service::install::{OPENCODE_PLUGIN, opencode_folder};
use crate::sys::{read_text, shown_path};

const CODE: &str = "plugin";
/// The folders of plugins below a folder of configuration.
const FOLDERS: [&str; 2] = ["plugin", "plugins"];
/// The line of a copy that says its version begins so.
const VERSION: &str = "const VERSION = \"";
const REWRITE: &str = "`mdmem init --with opencode --user` (or without --user, for a workspace's copy) writes it anew, and keeps this one beside it.";

/// A copy of the plugin that OpenCode would load.
struct Copy {
    path: PathBuf,
    text: String,
}

/// Looks at the copies for the user and for the workspace, and at what they need. Nothing where there is no copy.
pub(super) fn findings(context: &Context) -> Vec<Diagnostic> {
    let copies = copies(context);
    let mut found: Vec<Diagnostic> = copies.iter().flat_map(of_copy).collect();
    let Some(first) = copies.first().map(|copy| shown_path(&copy.path)) else {
        return found;
    };
    if let Some(second) = copies.get(1) {
        let message = format!(
            "OpenCode loads two copies, and only one of them serves: the other is {}",
            shown_path(&second.path)
        );
        let mend = "Delete one; the user's copy is for every workspace.";
        found.push(Diagnostic::warning(CODE, &first, message, mend));
    }
    let pure = context
        .env
        .var("OPENCODE_PURE")
        .unwrap_or_default()
        .to_lowercase();
    if !matches!(pure.as_str(), "" | "0" | "false" | "no" | "off") {
        let message = "OPENCODE_PURE is set: OpenCode loads no plugin";
        let mend = "Unset it, and start OpenCode without --pure.";
        found.push(Diagnostic::error(CODE, &first, message, mend));
    }
    if let Some(message) = lacks_program(context) {
        let mend = "Put the folder of mdmem on the PATH with which OpenCode starts, or set MDMEM_BIN to the program's full path.";
        found.push(Diagnostic::error(CODE, &first, message, mend));
    }
    let root = context.place().ok().map(|place| place.root);
    if root.is_some_and(|root| context.last_connection(&root).is_none()) {
        let message = "it never connected for this workspace";
        let mend = "Start OpenCode in this workspace; its log says what goes wrong.";
        found.push(Diagnostic::note(CODE, &first, message, mend));
    }
    found
}

/// The files that are the plugin, by their first line, whatever they are called.
fn copies(context: &Context) -> Vec<Copy> {
    let mut roots: Vec<PathBuf> = opencode_folder(context).into_iter().collect();
    roots.extend(context.env.var_os("OPENCODE_CONFIG_DIR").map(PathBuf::from));
    let workspace = context.place().ok().and_then(|place| place.workspace);
    let here = context.env.current_dir().ancestors().map(Path::to_owned);
    let top = workspace.map(|workspace| workspace.root().to_owned());
    let inside = here.take_while(|folder| top.as_ref().is_some_and(|top| folder.starts_with(top)));
    let projects = inside.chain(context.env.home().ok());
    roots.extend(projects.map(|folder| folder.join(".opencode")));
    let folders = roots
        .iter()
        .flat_map(|root| FOLDERS.map(|folder| root.join(folder)));
    let mut files: Vec<PathBuf> = folders
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "ts" || end == "js"))
        .collect();
    files.sort();
    let begins = OPENCODE_PLUGIN.split(',').next().unwrap_or_default();
    let copy = |path: PathBuf| {
        let text = read_text(&path)?;
        text.starts_with(begins).then_some(Copy { path, text })
    };
    files.into_iter().filter_map(copy).collect()
}

fn of_copy(copy: &Copy) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let path = shown_path(&copy.path);
    if copy.text != OPENCODE_PLUGIN {
        let ours = env!("CARGO_PKG_VERSION");
        let version = copy.text.split_once(VERSION);
        let version = version.and_then(|(_, rest)| rest.split('"').next());
        let message = match version.filter(|version| *version != ours) {
            Some(version) => format!("is of version {version}, and this is mdmem {ours}"),
            None => "is not as mdmem wrote it: it was edited, or is of another build".to_owned(),
        };
        found.push(Diagnostic::warning(CODE, &path, message, REWRITE));
    }
    let package = copy.path.with_file_name("package.json");
    if has_main(&package) {
        let message = format!("has a `main`: OpenCode loads that in the place of {path}");
        let mend = "Take `main` out of it, or move it away.";
        found.push(Diagnostic::error(CODE, shown_path(&package), message, mend));
    }
    found
}

fn has_main(package: &Path) -> bool {
    let package: Option<Value> = read_text(package).and_then(|text| serde_json::from_str(&text).ok());
    package.is_some_and(|package| package.get("main").is_some_and(Value::is_string))
}

/// Says where the plugin looks for the program in vain.
fn lacks_program(context: &Context) -> Option<String> {
    let env = &context.env;
    if let Some(named) = env.var_os("MDMEM_BIN").filter(|named| !named.is_empty()) {
        let named = env.current_dir().join(named);
        return (!is_program(&named)).then(|| format!("MDMEM_BIN names no program: {}", shown_path(&named)));
    }
    let path = env.var_os("PATH").unwrap_or_default();
    let cargo = env.home().map(|home| home.join(".cargo/bin"));
    let folders = std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty());
    let mut candidates = folders
        .chain(cargo)
        .map(|folder| env.current_dir().join(folder).join("mdmem"));
    let is_there = candidates.any(|candidate| is_program(&candidate));
    (!is_there).then(|| "the plugin finds no mdmem on PATH or in ~/.cargo/bin".to_owned())
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
