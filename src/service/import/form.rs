//! The forms in which other tools and people keep what a store can take: a row each. Whatever fits the first of them that
//! looks like it is read by it.

use std::path::PathBuf;

use clap::ValueEnum;

use super::ImportError;
use super::json::{self, Json};
use super::readers::{basic_memory, engram, markdown, memfs, working_memory};
use super::reading::Reading;
use crate::service::{Context, ServiceError};
use crate::store::Workspace;

/// Tells where something usually is.
type Place = fn(&Context) -> Result<PathBuf, ServiceError>;

/// A form.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The word for it on the command line and in a commit.
    pub name: &'static str,
    /// What is of this form, in a line.
    pub about: &'static str,
    /// Where it usually is.
    pub(super) usual: Option<Place>,
    /// Says whether a choice between notes and facts means something.
    pub(super) has_facts: bool,
    /// Says whether the source looks like it.
    pub(super) fits: fn(&mut Reading<'_>) -> bool,
    /// Makes entries of the source.
    pub(super) read: fn(&mut Reading<'_>) -> Result<(), ServiceError>,
}

/// The memories that a text with several statements becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Wanted {
    /// One note for each text
    #[default]
    Notes,
    /// A fact for each statement
    Facts,
}

/// Every form, in the order in which they are tried.
pub const FORMS: &[(&str, &str, Form)] = &[
    row(Form {
        name: "mdmem",
        about: "What mdmem export --to json writes",
        usual: None,
        has_facts: false,
        fits: |reading| reading.has_key("mdmem_export"),
        read: json::read_export,
    }),
    row(Form {
        name: "engram",
        about: "What engram export writes",
        usual: None,
        has_facts: true,
        fits: |reading| reading.has_key("observations"),
        read: engram::read,
    }),
    row(Form {
        name: working_memory::NAME,
        about: "The files of that OpenCode plugin",
        usual: Some(|context| Ok(context.env.current_dir().to_owned())),
        has_facts: false,
        fits: |reading| reading.has_key("entries"),
        read: working_memory::read,
    }),
    row(Form {
        name: "opencode-memfs",
        about: "The store of that OpenCode plugin",
        usual: Some(|context| Ok(context.env.home()?.join(".config/opencode/memory"))),
        has_facts: false,
        fits: |reading| memfs::fits(&reading.path),
        read: memfs::read,
    }),
    row(Form {
        name: "serena",
        about: "A folder of Serena's memories",
        usual: Some(|context| Ok(workspace(context)?.root().join(SERENA))),
        has_facts: true,
        fits: |reading| reading.path.ends_with(SERENA),
        read: |reading| {
            markdown::read_into(reading, "serena");
            Ok(())
        },
    }),
    row(Form {
        name: "instructions",
        about: "CLAUDE.md, AGENTS.md, Cursor's rules, Serena's memories of a workspace",
        usual: Some(|context| Ok(workspace(context)?.root().to_owned())),
        has_facts: true,
        fits: |reading| markdown::is_instructions(&reading.path),
        read: |reading| {
            markdown::read_instructions(reading);
            Ok(())
        },
    }),
    row(Form {
        name: "basic-memory",
        about: "A folder of basic-memory's",
        usual: None,
        has_facts: true,
        // The pages of a site have one too, which begins at its root.
        fits: |reading| reading.states(&["permalink"], |link| !link.starts_with('/')),
        read: |reading| {
            basic_memory::read(reading);
            Ok(())
        },
    }),
    row(Form {
        name: "agent-notes",
        about: "Notes with name and metadata.type in their frontmatter",
        usual: None,
        has_facts: false,
        fits: |reading| reading.states(&["name", "metadata"], |_| true),
        read: |reading| {
            markdown::read_agent_notes(reading);
            Ok(())
        },
    }),
    row(Form {
        name: "markdown",
        about: "Any folder of markdown, or one file",
        usual: None,
        has_facts: true,
        fits: |reading| reading.json.is_none(),
        read: |reading| {
            let folder = reading.folder();
            markdown::read_into(reading, &folder);
            Ok(())
        },
    }),
];

/// Where Serena keeps the memories of a workspace.
pub(super) const SERENA: &str = ".serena/memories";

impl Form {
    /// The form of this name.
    pub fn named(name: &str) -> Option<Self> {
        let row = FORMS.iter().find(|(known, ..)| *known == name);
        row.map(|(.., form)| *form)
    }
}

const fn row(form: Form) -> (&'static str, &'static str, Form) {
    (form.name, form.about, form)
}

/// The workspace of the present folder.
pub(super) fn workspace(context: &Context) -> Result<Workspace, ServiceError> {
    let home = context.env.home().ok();
    Ok(Workspace::of(context.env.current_dir(), home.as_deref())?)
}

impl Reading<'_> {
    /// Says whether it is JSON with this key.
    fn has_key(&self, key: &str) -> bool {
        self.json
            .as_ref()
            .is_some_and(|json| json.object.contains_key(key))
    }

    /// Says whether files of a folder state each of these keys, as it fits.
    fn states(&mut self, keys: &[&str], fits: fn(&str) -> bool) -> bool {
        if !self.path.is_dir() {
            return false;
        }
        self.load();
        keys.iter()
            .all(|key| self.files.iter().any(|file| file.value(key).is_some_and(fits)))
    }

    /// The form that it looks like.
    pub(super) fn form(&mut self) -> Result<Form, ServiceError> {
        if self.path.is_file() && self.path.extension().is_some_and(|extension| extension == "json") {
            self.json = Some(Json::read(&self.path)?);
        }
        let fitting = FORMS.iter().find(|(.., form)| (form.fits)(self));
        match fitting.map(|(.., form)| *form) {
            Some(form) => Ok(form),
            None => Err(ImportError::UnknownForm {
                path: self.path.clone(),
            }
            .into()),
        }
    }
}
