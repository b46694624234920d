//! The reasons why nothing is imported at all. The report tells of faults in single entries.

use std::path::{Path, PathBuf};

use crate::sys::shown_path;

/// The reason why the files of another tool are not read. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// None of the places holds anything of that tool's.
    #[error("there is nothing of {tool} here, looked at {}", listed(looked))]
    NothingFound {
        /// The tool.
        tool: &'static str,
        /// The places that were looked at.
        looked: Vec<PathBuf>,
    },
    /// A store of another tool has no part for this workspace, or none that holds everywhere.
    #[error("{} is here: {} is missing", nothing_of(part), shown_path(part))]
    NoPart {
        /// The folder that was looked for.
        part: PathBuf,
    },
    /// A file is no JSON, or not of the form that the tool writes.
    #[error("{}: {message}", shown_path(path))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The fault, with its place.
        message: String,
    },
    /// There were entries, and none could be read.
    #[error("nothing was imported: {}", unreadable(*.0))]
    NothingReadable(usize),
    /// The form has no usual place.
    #[error("an import from {form} needs a file or a folder")]
    NoPlace {
        /// The form.
        form: &'static str,
    },
    /// A JSON file is of no form that is known.
    #[error("{} is neither an export of mdmem's nor one of engram's", shown_path(path))]
    UnknownForm {
        /// The file.
        path: PathBuf,
    },
    /// An export has nothing of this workspace's project.
    #[error(
        "{} has nothing of this workspace's: its projects are {projects}",
        shown_path(path)
    )]
    NoProject {
        /// The file.
        path: PathBuf,
        /// Its projects.
        projects: String,
    },
    /// The form has a memory in each file.
    #[error("{form} keeps a memory in each file: `--as facts` is for texts with several statements")]
    NoFacts {
        /// The form.
        form: &'static str,
    },
    /// The folder of mdmem's stores, one in it, or one around it.
    #[error("{} holds mdmem's own stores, or is in one", shown_path(path))]
    OwnStore {
        /// The path.
        path: PathBuf,
    },
    /// A later version of the tool wrote it.
    #[error(
        "{} is of version {found}, and this mdmem reads up to version {known}",
        shown_path(path)
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The latest version that is known.
        known: u64,
    },
}

impl ImportError {
    /// Tells a person what to do next.
    pub(in crate::service) const fn hint(&self) -> &'static str {
        match self {
            Self::NothingFound { .. } => {
                "Name the file or the folder, or run it (with `-C DIR`) in the folder that the agent worked in."
            }
            Self::NoPart { .. } => {
                "Name the part to take it; `--from markdown` reads any folder with all that is below it."
            }
            Self::NoProject { .. } => {
                "Run it in the folder of one of them (`-C DIR`); `mdmem --global import FILE` takes all of them."
            }
            Self::NothingReadable(_) => "Mend what the report names, and run it again.",
            Self::NoPlace { .. } => "Name it: `mdmem import PATH`.",
            Self::UnknownForm { .. } => "`--from FORM` says what it is.",
            Self::NoFacts { .. } => "Leave `--as facts` out.",
            Self::OwnStore { .. } => {
                "`mdmem -C OTHER export --to json FILE` takes the memories out of another store; import that file."
            }
            Self::Malformed { .. } => "Nothing was imported; mend the file, or name another one.",
            Self::Newer { .. } => "Nothing was imported; install a newer mdmem.",
        }
    }
}

fn unreadable(entries: usize) -> String {
    match entries {
        1 => "the only entry is not readable".to_owned(),
        entries => format!("none of the {entries} entries is readable"),
    }
}

/// The words for what a part of another tool's store would hold.
fn nothing_of(part: &Path) -> &'static str {
    if part.parent().is_some_and(|above| above.ends_with("projects")) {
        "nothing of this workspace's"
    } else {
        "nothing that holds everywhere"
    }
}

fn listed(places: &[PathBuf]) -> String {
    places
        .iter()
        .map(|place| shown_path(place))
        .collect::<Vec<_>>()
        .join(", ")
}
