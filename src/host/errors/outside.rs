//! The advice to a person about an import, an export or a promotion that does not go: it is about files outside of the
//! store.

use crate::host::words::shell_word;
use crate::service::{ExportError, ImportError, PromoteError};

pub(super) const fn import_hint(error: &ImportError) -> &'static str {
    match error {
        ImportError::NothingFound { .. } => {
            "Name the file or the folder, or run it (with `-C DIR`) in the folder that the agent worked in."
        }
        ImportError::NoPart { .. } => {
            "Name the part to take it; `--from markdown` reads any folder with all that is below it."
        }
        ImportError::NoProject { .. } => {
            "Run it in the folder of one of them (`-C DIR`); `mdmem --global import FILE` takes all of them."
        }
        ImportError::NothingReadable(_) => "Mend what the report names, and run it again.",
        ImportError::NoPlace { .. } => "Name it: `mdmem import PATH`.",
        ImportError::UnknownForm { .. } => "`--from FORM` says what it is.",
        ImportError::NoFacts { .. } => "Leave `--as facts` out.",
        ImportError::OwnStore { .. } => {
            "`mdmem -C OTHER export --to json FILE` takes the memories out of another store; import that file."
        }
        ImportError::Malformed { .. } => "Nothing was imported; mend the file, or name another one.",
        ImportError::Newer { .. } => "Nothing was imported; install a newer mdmem.",
    }
}

pub(super) const fn export_hint(error: &ExportError) -> &'static str {
    match error {
        ExportError::NoFolder => "Name one: `mdmem export --to basic-memory FOLDER`.",
        ExportError::NoFile => "Name the file, or leave `-` out for AGENTS.md in the workspace.",
        ExportError::InTheWay { .. } => "Name the file itself, or another one.",
        ExportError::OwnFolder(_) | ExportError::Kept(_) => "Name another file.",
        ExportError::Edited(_) => "Keep the edits elsewhere; `--overwrite` then writes over them.",
        ExportError::Torn(_) => "Leave one pair of marks in it, or none.",
        ExportError::NoText(_) => "Save it as UTF-8, or name another file.",
        ExportError::ReadOnly(_) => "Make it writable, or name another file.",
        ExportError::Contended(_) => "Run it again.",
    }
}

pub(super) fn promote_hint(error: &PromoteError) -> String {
    match error {
        PromoteError::NoWorkspace(_) => {
            "`mdmem --global export --to agents FILE` writes a block of all of its memories into a file."
                .to_owned()
        }
        PromoteError::NotInForce(path) => {
            format!("`mdmem why {}` tells the reason.", shell_word(path.as_str()))
        }
        PromoteError::Credential { path, .. } => {
            format!(
                "If it is none, `mdmem allow {}` says so.",
                shell_word(path.as_str())
            )
        }
        PromoteError::Elsewhere { path, .. } => {
            format!(
                "`mdmem promote --undo {}` takes that back first.",
                shell_word(path.as_str())
            )
        }
        PromoteError::Edited { id, .. } => format!(
            "Remove the two marks, and the text stays as yours; `mdmem promote --undo {id}` then only brings the memory back."
        ),
        PromoteError::Torn { .. } => "Leave one pair of marks in it, or none, and run it again.".to_owned(),
        PromoteError::NotPromoted(_) => {
            "`mdmem list --all` lists every memory; the note `promoted` is in its file.".to_owned()
        }
    }
}
