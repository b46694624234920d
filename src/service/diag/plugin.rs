//! The checks of OpenCode's plugin: everything that keeps it from loading, from being the one of this program, or from
//! finding the program. OpenCode itself passes over most of that in silence.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model::Severity;
use crate::service::install::{OPENCODE_PLUGIN, opencode_folder};
use crate::service::{Context, HealthCheck};
use crate::sys::{read_text, shown_path};

const NAME: &str = "plugin";
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
pub(super) fn plugin(context: &Context) -> Vec<HealthCheck> {
    let copies = copies(context);
    let mut checks: Vec<HealthCheck> = copies.iter().flat_map(copy).collect();
    if let [first, second, ..] = copies.as_slice() {
        let (first, second) = (shown_path(&first.path), shown_path(&second.path));
        let what = format!("OpenCode loads two copies, and only one of them serves: {first} and {second}");
        checks.push(HealthCheck::warning(
            NAME,
            what,
            "Delete one; the user's copy is for every workspace.",
        ));
    }
    if copies.is_empty() {
        return checks;
    }
    let is_set = |name| {
        let value = context.env.var(name).unwrap_or_default().to_lowercase();
        !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
    };
    if is_set("OPENCODE_PURE") {
        let what = "OPENCODE_PURE is set: OpenCode loads no plugin";
        let mend = "Unset it, and start OpenCode without --pure.";
        checks.push(HealthCheck::of(Severity::Error, NAME, what, mend));
    }
    if let Err(what) = program(context) {
        let mend = "Put the folder of mdmem on the PATH with which OpenCode starts, or set MDMEM_BIN to the program's full path.";
        checks.push(HealthCheck::of(Severity::Error, NAME, what, mend));
    }
    if checks.is_empty() {
        let what = format!("OpenCode loads {}", shown_path(&copies[0].path));
        checks.push(HealthCheck::well(NAME, what));
    }
    checks
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

/// The checks of one copy.
fn copy(copy: &Copy) -> Vec<HealthCheck> {
    let mut checks = Vec::new();
    let path = shown_path(&copy.path);
    if copy.text != OPENCODE_PLUGIN {
        let ours = env!("CARGO_PKG_VERSION");
        let version = copy.text.split_once(VERSION);
        let version = version.and_then(|(_, rest)| rest.split('"').next());
        let what = match version.filter(|version| *version != ours) {
            Some(version) => format!("{path} is of version {version}, and this is mdmem {ours}"),
            None => format!("{path} is not as mdmem wrote it: it was edited, or is of another build"),
        };
        checks.push(HealthCheck::warning(NAME, what, REWRITE));
    }
    let package = copy.path.with_file_name("package.json");
    if has_main(&package) {
        let package = shown_path(&package);
        let what = format!("{package} has a `main`: OpenCode loads that in the place of {path}");
        let mend = "Take `main` out of it, or move it away.";
        checks.push(HealthCheck::of(Severity::Error, NAME, what, mend));
    }
    checks
}

fn has_main(package: &Path) -> bool {
    let package: Option<Value> = read_text(package).and_then(|text| serde_json::from_str(&text).ok());
    package.is_some_and(|package| package.get("main").is_some_and(Value::is_string))
}

/// The program, as the plugin looks for it; else the words for where it is not.
fn program(context: &Context) -> Result<PathBuf, String> {
    let env = &context.env;
    if let Some(named) = env.var_os("MDMEM_BIN").filter(|named| !named.is_empty()) {
        let named = env.current_dir().join(named);
        let what = format!("MDMEM_BIN names no program: {}", shown_path(&named));
        return is_program(&named).then_some(named).ok_or(what);
    }
    let path = env.var_os("PATH").unwrap_or_default();
    let cargo = env.home().map(|home| home.join(".cargo/bin"));
    let folders = std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty());
    let mut candidates = folders
        .chain(cargo)
        .map(|folder| env.current_dir().join(folder).join("mdmem"));
    let found = candidates.find(|candidate| is_program(candidate));
    found.ok_or_else(|| "the plugin finds no mdmem on PATH or in ~/.cargo/bin".to_owned())
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
