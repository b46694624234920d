//! The forms in which other tools and people keep what a store can take: a row each. Whatever fits the first of them that
//! looks like it is read by it.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::Value as Json;

use super::source::{Reading, read_json};
use super::{markdown, memfs, records, working_memory};
use crate::service::{Context, ServiceError};
use crate::store::Workspace;
use crate::sys::shown_path;

/// Tells where something usually is.
type Place = fn(&Context) -> Result<PathBuf, ServiceError>;

/// A form.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The word for it on the command line and in a commit.
    pub name: &'static str,
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

/// A row of the table: the name, and what is of this form, in a line.
type FormRow = (&'static str, &'static str, Form);

/// Every form, in the order in which they are tried.
pub const FORMS: &[FormRow] = &[
    row(
        "mdmem",
        "What mdmem export --to json writes",
        |reading| reading.has("mdmem_export"),
        records::read_export,
    ),
    facts(row(
        "engram",
        "What engram export writes",
        |reading| reading.has("observations") && !reading.has("entityType"),
        records::read_engram,
    )),
    facts(row(
        "engram-chunks",
        "The folder .engram of a project",
        |reading| records::chunks_of(&reading.path).is_some(),
        records::read_engram_chunks,
    )),
    usually(
        |context| Ok(context.env.current_dir().to_owned()),
        row(
            working_memory::NAME,
            "The files of that OpenCode plugin",
            |reading| reading.has("entries"),
            working_memory::read,
        ),
    ),
    facts(row(
        "mcp-memory",
        "The memory.json of the MCP memory server",
        |reading| reading.has("entityType") || reading.has("entities"),
        records::read_memory_server,
    )),
    row(
        "mem0",
        "What mem0 exports",
        |reading| {
            reading
                .json
                .as_ref()
                .is_some_and(|json| !records::mem0_items(json).is_empty())
        },
        records::read_mem0,
    ),
    usually(
        |context| Ok(context.env.home()?.join(".claude-mem/claude-mem.db")),
        row(
            "claude-mem",
            "The database of claude-mem",
            |reading| {
                reading
                    .path
                    .extension()
                    .is_some_and(|extension| extension == "db")
            },
            records::read_claude_mem,
        ),
    ),
    usually(
        |context| Ok(context.env.home()?.join(".config/opencode/memory")),
        row(
            "opencode-memfs",
            "The store of that OpenCode plugin",
            |reading| memfs::fits(&reading.path),
            memfs::read,
        ),
    ),
    facts(usually(
        |context| Ok(workspace(context)?.root().join(SERENA)),
        row(
            "serena",
            "A folder of Serena's memories",
            |reading| reading.path.ends_with(SERENA),
            |reading| {
                markdown::read_into(reading, "serena");
                Ok(())
            },
        ),
    )),
    facts(usually(
        |context| Ok(workspace(context)?.root().to_owned()),
        row(
            "instructions",
            "CLAUDE.md, AGENTS.md, rules of agents and Serena's memories in a workspace",
            |reading| markdown::is_instructions(&reading.path),
            |reading| {
                markdown::read_instructions(reading);
                Ok(())
            },
        ),
    )),
    // The pages of a site have a permalink too, which begins at its root.
    facts(row(
        "basic-memory",
        "A folder of basic-memory's",
        |reading| reading.any(|file| file.value("permalink").is_some_and(|link| !link.starts_with('/'))),
        |reading| {
            markdown::read_basic_memory(reading);
            Ok(())
        },
    )),
    facts(row(
        "agent-notes",
        "Notes with a name and a type in their frontmatter",
        |reading| reading.any(markdown::is_agent_note),
        |reading| {
            markdown::read_agent_notes(reading);
            Ok(())
        },
    )),
    facts(row(
        "markdown",
        "Any folder of markdown, or one file",
        |reading| reading.json.is_none(),
        |reading| {
            let folder = reading.folder();
            markdown::read_into(reading, &folder);
            Ok(())
        },
    )),
];

/// Where Serena keeps the memories of a workspace.
pub(super) const SERENA: &str = ".serena/memories";

const fn row(
    name: &'static str,
    about: &'static str,
    fits: fn(&mut Reading<'_>) -> bool,
    read: fn(&mut Reading<'_>) -> Result<(), ServiceError>,
) -> FormRow {
    let (usual, has_facts) = (None, false);
    let form = Form {
        name,
        usual,
        has_facts,
        fits,
        read,
    };
    (name, about, form)
}

/// A row whose texts may have several statements.
const fn facts((name, about, form): FormRow) -> FormRow {
    (
        name,
        about,
        Form {
            has_facts: true,
            ..form
        },
    )
}

/// A row with a place.
const fn usually(place: Place, (name, about, form): FormRow) -> FormRow {
    (
        name,
        about,
        Form {
            usual: Some(place),
            ..form
        },
    )
}

/// The workspace of the present folder.
pub(super) fn workspace(context: &Context) -> Result<Workspace, ServiceError> {
    let home = context.env.home().ok();
    Ok(Workspace::of(context.env.current_dir(), home.as_deref())?)
}

impl Reading<'_> {
    /// Says whether it is JSON whose first value has this key.
    fn has(&self, key: &str) -> bool {
        let first = self.json.as_ref().and_then(|json| json.first());
        first
            .and_then(Json::as_object)
            .is_some_and(|object| object.contains_key(key))
    }

    /// Says whether one of the files of a folder is so.
    fn any(&mut self, is_so: impl Fn(&super::source::SourceFile) -> bool) -> bool {
        if self.path.is_dir() {
            self.load();
        }
        self.files.iter().any(is_so)
    }

    /// The form that it looks like.
    pub(super) fn form(&mut self) -> Result<Form, ServiceError> {
        let extension = self.path.extension().unwrap_or_default();
        if self.path.is_file() && (extension == "json" || extension == "jsonl") {
            self.json = Some(read_json(&self.path)?);
        }
        let fitting = FORMS.iter().find(|(.., form)| (form.fits)(self));
        fitting.map(|(.., form)| *form).ok_or_else(|| {
            let path = shown_path(&self.path);
            ServiceError::said(
                format!("{path} is JSON in an unknown format"),
                "Name the format with `--from`.",
            )
        })
    }
}
