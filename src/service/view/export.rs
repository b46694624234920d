//! Use case: the pages as files, for reading (`mdmem view --export FOLDER`). What is held back stays behind, and so do
//! conversations and what this machine alone knows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Shared, View, ViewRequest, Viewer, view};
use crate::render::Scope;
use crate::service::export::check_outside;
use crate::service::{Context, ServiceError};
use crate::sys::{self, SysError, shown_path};

/// The list of the files that an export wrote, which the next one may replace and remove.
const LIST: &str = ".mdmem-view";

/// What an export of the pages wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ViewExport {
    /// The page to begin with.
    pub first: PathBuf,
    /// The number of files.
    pub files: usize,
    /// The number of memories.
    pub memories: usize,
    /// The number of memories that stayed behind, because a suspected secret holds them back.
    pub left_behind: usize,
}

/// Writes the pages of the store that is meant into a folder, and where the global one is meant also those of this
/// workspace. A folder with files that no export wrote is refused unless `force`; they stay in any case. A run that ended
/// half way is repeated.
pub fn export_view(context: &Context, folder: &Path, force: bool) -> Result<ViewExport, ServiceError> {
    let folder = context.env.current_dir().join(folder);
    check_outside(context, &folder)?;
    let own = Context {
        scope: Scope::Workspace,
        ..context.clone()
    };
    let mut stores = vec![context.open()?];
    if context.scope == Scope::Global {
        stores.extend(
            own.open_existing()
                .unwrap_or_default()
                .filter(|store| !store.place().is_global()),
        );
    }
    let names: Vec<String> = stores.iter().map(|store| store.place().name.clone()).collect();
    let written = list_of(&folder)?;
    let foreign = first_foreign(&folder, Path::new(""), &written)?;
    if let Some(foreign) = foreign.filter(|_| !force) {
        return Err(ServiceError::said(
            format!(
                "{} has files that no export wrote, such as {}",
                shown_path(&folder),
                shown_path(&foreign)
            ),
            "Name an empty folder, or add `--force` to write beside them.",
        ));
    }
    let request = ViewRequest {
        path: "",
        query: "",
        viewer: Viewer::Reader(&names),
        draft: None,
    };
    let views = names.iter().map(|name| View::open(context, &request, name, None));
    let views: Vec<View<'_>> = views.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    let shared: Vec<Shared<'_>> = views.iter().map(View::shared).collect::<Result<_, _>>()?;
    let mut addresses: BTreeSet<String> = ["view.css", "view.js", "index.html"].map(str::to_owned).into();
    let (mut memories, mut left_behind) = (0, 0);
    for view in &views {
        let name = &view.store().place().name;
        let screens = view.screens();
        addresses.extend(screens.map(|screen| format!("{name}/{}.html", screen.name)));
        let files = &view.snapshot()?.files;
        memories += files.len();
        left_behind += view.store().load()?.files.len().saturating_sub(files.len());
        let paths = files.iter().map(|file| &file.memory.path);
        addresses.extend(paths.map(|path| format!("{name}/memory/{path}.html")));
    }
    std::fs::create_dir_all(&folder).map_err(|error| SysError::io("create the folder", &folder, error))?;
    let keep_list = |files: &BTreeSet<String>| {
        let lines: Vec<&str> = files.iter().map(String::as_str).collect();
        sys::write_atomic(&folder.join(LIST), (lines.join("\n") + "\n").as_bytes())
    };
    keep_list(&written.union(&addresses).cloned().collect())?;
    let mut made = BTreeSet::new();
    for address in sys::each("writing pages", addresses) {
        let of_store = address.split_once('/').and_then(|(name, rest)| {
            let mut views = views.iter().zip(&shared);
            let of_store = views.find(|(view, _)| view.store().place().name == name)?;
            Some((of_store, rest.strip_suffix(".html")?))
        });
        let page = match of_store {
            Some(((view, shared), rest)) => view.page(rest, address.matches('/').count(), Some(shared))?,
            None => view(
                context,
                &ViewRequest {
                    path: &address,
                    ..request
                },
                None,
            )?,
        };
        // A memory may have gone meanwhile.
        let Some(page) = page else {
            continue;
        };
        let path = folder.join(&address);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)
                .map_err(|error| SysError::io("create the folder", parent, error))?;
        }
        sys::write_atomic(&path, page.text.as_bytes())?;
        made.insert(address);
    }
    for old in written.difference(&made) {
        sys::remove_own(&folder, old)?;
        if let Some(parent) = Path::new(old).parent() {
            sys::remove_empty_folders(&folder, parent)?;
        }
    }
    keep_list(&made)?;
    Ok(ViewExport {
        first: folder.join("index.html"),
        files: made.len(),
        memories,
        left_behind,
    })
}

/// The files that exports wrote into a folder: paths below it.
fn list_of(folder: &Path) -> Result<BTreeSet<String>, ServiceError> {
    let list = folder.join(LIST);
    let read = sys::read_regular(&list, u64::MAX).map_err(|error| SysError::io("read", &list, error))?;
    let text = String::from_utf8_lossy(&read.unwrap_or_default()).into_owned();
    Ok(text
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

/// A file in a folder that no export wrote, or a link.
fn first_foreign(
    root: &Path,
    below: &Path,
    written: &BTreeSet<String>,
) -> Result<Option<PathBuf>, ServiceError> {
    let folder = root.join(below);
    let unread = |error| SysError::io("read the folder", &folder, error);
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(unread)?,
    };
    for entry in entries {
        let entry = entry.map_err(unread)?;
        let path = below.join(entry.file_name());
        let kind = entry.file_type().map_err(unread)?;
        let foreign = if kind.is_dir() {
            first_foreign(root, &path, written)?
        } else {
            let is_ours = kind.is_file()
                && path
                    .to_str()
                    .is_some_and(|path| path == LIST || written.contains(path));
            (!is_ours).then_some(path)
        };
        if foreign.is_some() {
            return Ok(foreign);
        }
    }
    Ok(None)
}
