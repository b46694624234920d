//! Finding and reading what is imported: which form it has, and its files. The files are only read.

use std::path::{Path, PathBuf};

use super::ImportError;
use super::form::{Form, INSTRUCTION_FILES, INSTRUCTION_FOLDERS, Wanted};
use super::incoming::{Incoming, SecretsFound};
use super::readers::{
    Dates, MemfsStore, read_agent_note, read_basic_memory, read_engram, read_export, read_instructions,
    read_markdown, read_memfs,
};
use super::source::Source;
use crate::git::{GitError, Repo};
use crate::model::{StorePath, Zone};
use crate::policy::{Rules, zone};
use crate::render::Scope;
use crate::service::export::is_markdown_export;
use crate::service::{Context, ServiceError};
use crate::store::{MAX_FILE, Workspace};
use crate::sys::{self, SysError};
use crate::text::slug;

/// The most bytes of a JSON file that are read.
const MAX_JSON: u64 = 512 << 20;

/// The reason why an export for people is left out, as the block in AGENTS.md is: its memories are in a store already.
const PROSE_OF_OURS: &str =
    "it is an export of mdmem's for people, as it was written: import what `mdmem export --to json` writes";

/// The source of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest {
    /// The file or folder; without it, the place where the form usually is.
    pub path: Option<PathBuf>,
    /// Its form; without it, the form that it looks like.
    pub form: Option<Form>,
    /// The memories that a text with several statements becomes.
    pub wanted: Wanted,
    /// The treatment of what looks like a credential.
    pub secrets: SecretsFound,
}

/// Reads it. `told` hears how many files were read.
pub fn read_import(
    context: &Context,
    request: &ImportRequest,
    told: &dyn Fn(usize),
) -> Result<Incoming, ServiceError> {
    let path = place(context, request)?;
    let path = path
        .canonicalize()
        .map_err(|error| SysError::io("read", &path, error))?;
    check_outside(context, &path)?;
    let mut incoming = Incoming {
        files: vec![path.clone()],
        secrets: request.secrets,
        ..Incoming::default()
    };
    let is_json = matches!(request.form, Some(Form::Mdmem | Form::Engram));
    let form = if path.is_dir() && !is_json {
        read_folder(context, request, path, &mut incoming, told)?
    } else {
        read_file(context, request, &path, &mut incoming)?
    };
    if request.wanted == Wanted::Facts && !form.has_facts() {
        return Err(ImportError::NoFacts { form: form.as_str() }.into());
    }
    incoming.tool = form.as_str();
    Ok(incoming)
}

fn place(context: &Context, request: &ImportRequest) -> Result<PathBuf, ServiceError> {
    let here = context.env.current_dir();
    if let Some(path) = &request.path {
        return Ok(here.join(path));
    }
    let workspace = || Workspace::of(here, context.env.home().ok().as_deref());
    match request.form {
        Some(Form::OpencodeMemfs) => Ok(context.env.home()?.join(".config/opencode/memory")),
        Some(Form::Instructions) => Ok(workspace()?.root().to_owned()),
        Some(Form::Serena) => Ok(workspace()?.root().join(".serena/memories")),
        Some(form) => Err(ImportError::NoPlace { form: form.as_str() }.into()),
        None => Err(ImportError::NoPlace { form: "another tool" }.into()),
    }
}

/// An error for what holds the stores, or is held by them: its memories are there already.
fn check_outside(context: &Context, path: &Path) -> Result<(), ServiceError> {
    let Ok(home) = context.home()?.canonicalize() else {
        return Ok(());
    };
    if path.starts_with(&home) || home.starts_with(path) {
        return Err(ImportError::OwnStore {
            path: path.to_owned(),
        }
        .into());
    }
    Ok(())
}

fn read_file(
    context: &Context,
    request: &ImportRequest,
    path: &Path,
    incoming: &mut Incoming,
) -> Result<Form, ServiceError> {
    let (root, name) = (
        path.parent().unwrap_or(path),
        path.file_name().unwrap_or_default(),
    );
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    if !is_json && !matches!(request.form, Some(Form::Mdmem | Form::Engram)) {
        let form = request.form.unwrap_or_else(|| Form::of_name(path));
        let mut source = Source::new(root.to_owned());
        source.add_file(path, incoming);
        let store = MemfsStore::new(None, context.settings().rules.hot_dir);
        read_each(&source, form, "reference", request.wanted, &store, incoming);
        return Ok(form);
    }
    let text = sys::read(root, name, MAX_JSON)?.into_text();
    let malformed = |error: serde_json::Error| ImportError::Malformed {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    };
    let json: serde_json::Value = serde_json::from_str(&text).map_err(malformed)?;
    let Some(form) = request.form.or_else(|| Form::of_json(&json)) else {
        return Err(ImportError::UnknownForm {
            path: path.to_owned(),
        }
        .into());
    };
    let version = json.get("mdmem_export").cloned().unwrap_or_default();
    drop(json);
    if version
        .as_u64()
        .is_some_and(|version| version > crate::service::export::VERSION)
    {
        return Err(ImportError::Newer {
            path: path.to_owned(),
            found: version.to_string(),
            known: crate::service::export::VERSION,
        }
        .into());
    }
    let workspace = Workspace::of(context.env.current_dir(), None).map(|workspace| workspace.name());
    let workspace = workspace.ok().filter(|_| context.scope == Scope::Workspace);
    match form {
        Form::Mdmem => read_export(&text, incoming).map_err(malformed)?,
        Form::Engram => {
            read_engram(&text, workspace.as_deref(), request.wanted, incoming).map_err(malformed)?;
        }
        _ => {
            return Err(ImportError::UnknownForm {
                path: path.to_owned(),
            }
            .into());
        }
    }
    Ok(form)
}

fn read_folder(
    context: &Context,
    request: &ImportRequest,
    path: PathBuf,
    incoming: &mut Incoming,
    told: &dyn Fn(usize),
) -> Result<Form, ServiceError> {
    let rules = context.settings().rules;
    let layout = request.form.or_else(|| Form::of_layout(&path));
    if layout == Some(Form::OpencodeMemfs) {
        let part = part_of_memfs(context, path)?;
        let mut store = MemfsStore::new(memfs_settings(&part).as_deref(), rules.hot_dir);
        store.dates = dates(&part, incoming);
        let mut source = Source::new(part);
        source.add_folder(Path::new(""), incoming, told);
        read_each(&source, Form::OpencodeMemfs, "", request.wanted, &store, incoming);
        return Ok(Form::OpencodeMemfs);
    }
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut source = Source::new(path);
    if layout == Some(Form::Instructions) && !source.root.ends_with(".cursor/rules") {
        for file in INSTRUCTION_FILES {
            let file = source.root.join(file);
            if file.symlink_metadata().is_ok() {
                source.add_file(&file, incoming);
            }
        }
        for folder in INSTRUCTION_FOLDERS
            .iter()
            .filter(|folder| source.root.join(folder).is_dir())
            .collect::<Vec<_>>()
        {
            source.add_folder(Path::new(folder), incoming, told);
        }
    } else {
        source.add_folder(Path::new(""), incoming, told);
    }
    let form = layout.unwrap_or_else(|| Form::of_files(&source));
    let folder = match (form, slug(&name)) {
        (Form::Serena, _) => "serena".to_owned(),
        (_, name) if has_meaning(&name, &rules) => format!("imported-{name}"),
        (_, name) => name,
    };
    let store = MemfsStore::new(None, rules.hot_dir);
    read_each(&source, form, &folder, request.wanted, &store, incoming);
    Ok(form)
}

/// Says whether a folder means something to a store: files of any kind do not go there by the name of their folder
/// alone.
fn has_meaning(folder: &str, rules: &Rules) -> bool {
    let inside = StorePath::new(&format!("{folder}/a.md"));
    inside.is_ok_and(|path| zone(&path, rules) != Zone::Cold)
}

fn read_each(
    source: &Source,
    form: Form,
    folder: &str,
    wanted: Wanted,
    memfs: &MemfsStore,
    incoming: &mut Incoming,
) {
    for file in &source.files {
        if file
            .text()
            .is_ok_and(|text| is_markdown_export(text) == Some(true))
        {
            incoming.refuse(&file.file, PROSE_OF_OURS);
            continue;
        }
        match form {
            Form::OpencodeMemfs => read_memfs(file, memfs, incoming),
            Form::AgentNotes => read_agent_note(file, incoming),
            Form::Instructions => read_instructions(file, wanted, incoming),
            Form::BasicMemory => read_basic_memory(file, folder, wanted, incoming),
            _ => read_markdown(file, folder, wanted, incoming),
        }
    }
}

/// The part of the plugin's store that belongs into ours: what holds everywhere, or the workspace's by its name. A folder
/// that is no such store is taken whole, because the person named a part. A store without the part gives nothing: its
/// other parts belong to other projects.
fn part_of_memfs(context: &Context, root: PathBuf) -> Result<PathBuf, ServiceError> {
    if !is_memfs_store(&root) {
        return Ok(root);
    }
    let part = match context.scope {
        Scope::Global => root.join("global"),
        Scope::Workspace => {
            let home = context.env.home().ok();
            let workspace = Workspace::of(context.env.current_dir(), home.as_deref())?;
            root.join("projects").join(workspace.name())
        }
    };
    if part.is_dir() {
        Ok(part)
    } else {
        Err(ImportError::NoPart { part }.into())
    }
}

/// Says whether a folder is a whole store of the plugin's, and no part of one. A part has no repository of its own, and
/// may hold a folder that is called as one of a store's.
fn is_memfs_store(folder: &Path) -> bool {
    let has_parts = ["global", "projects"]
        .iter()
        .any(|name| folder.join(name).is_dir());
    let store = match folder.parent() {
        Some(above) if above.ends_with("projects") => above.parent(),
        above => above.filter(|_| folder.ends_with("global")),
    };
    let is_part = store.is_some_and(|store| store.join(".git").exists()) && !folder.join(".git").exists();
    has_parts && !is_part
}

/// The settings of the plugin, which lie beside its store.
fn memfs_settings(part: &Path) -> Option<String> {
    let mut above = part.ancestors().skip(1).take(3);
    let settings =
        above.find_map(|folder| sys::read_regular(&folder.join("memfs.json"), MAX_FILE).ok()?)?;
    String::from_utf8(settings).ok()
}

/// When each file below a part of the plugin's store was made and changed, by the history of that store.
fn dates(part: &Path, incoming: &mut Incoming) -> Dates {
    let Some(root) = part
        .ancestors()
        .take(3)
        .find(|folder| folder.join(".git").is_dir())
    else {
        return Dates::new();
    };
    match read_dates(root, part, incoming) {
        Ok(dates) => dates,
        Err(error) => {
            incoming.refuse(root, format!("its history gives no times: {error}"));
            Dates::new()
        }
    }
}

fn read_dates(root: &Path, part: &Path, incoming: &mut Incoming) -> Result<Dates, GitError> {
    let repo = Repo::open_foreign(root)?;
    let mut dates = std::collections::HashMap::new();
    let Some(head) = repo.head()?.tip() else {
        return Ok(Dates::new());
    };
    for step in repo.walk(head, None)? {
        let step = step?;
        let time = step.commit.time;
        for change in step.changes {
            let before = change.renamed_from.as_ref().unwrap_or(&change.path);
            let created = dates.remove(before).map_or(time, |(created, _)| created);
            if change.new.is_some() {
                dates.insert(change.path, (created, time));
            }
        }
    }
    incoming.revision = Some(head.to_string());
    let below = part.strip_prefix(root).unwrap_or(Path::new(""));
    let known = dates
        .into_iter()
        .filter_map(|(path, times)| Some((path.strip_prefix(below).ok()?.to_str()?.to_owned(), times)));
    Ok(known.collect())
}
