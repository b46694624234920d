//! The report of a tool, in the hot state of its session.

use std::path::{Component, Path, PathBuf};

use crate::capture::{self, FileAction, ShellError};
use crate::document::{Key, KeyEdit, Value};
use crate::git::{hash_blob, trailer};
use crate::model::{Source, StorePath};
use crate::render::Todo;
use crate::session::PoolKind;
use crate::store::{Description, Writer, session_hash};

use super::super::ServiceError;
use super::super::adding::unstated_id;
use super::Conversations;

/// Bytes of the longest path that a system knows.
const LONGEST_PATH: usize = 4096;

/// The report of a tool: the files or the command that a session works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolReport {
    /// The tool did this with these files.
    Files {
        /// The action.
        action: FileAction,
        /// The files; absolute, or relative to the host's folder.
        paths: Vec<String>,
    },
    /// The tool listed these files; nothing says that the session works on them.
    Listed {
        /// The files; absolute, or relative to the host's folder.
        paths: Vec<String>,
    },
    /// The tool wrote the host's own list of tasks.
    Todos(Vec<Todo>),
    /// The tool ran a command.
    Shell {
        /// The command.
        command: String,
        /// Its exit code; `None`: not known.
        exit: Option<i64>,
        /// The output of the command.
        output: String,
    },
}

impl Conversations {
    /// Notes the report of a tool.
    pub fn tool(&mut self, session: &str, report: &ToolReport) -> Result<(), ServiceError> {
        let session = session_hash(session);
        self.retry();
        match report {
            ToolReport::Files { action, paths } => {
                self.note_files(&session, *action, paths);
                if matches!(action, FileAction::Edit | FileAction::Write) {
                    self.mark_as_agents(&session, paths);
                }
            }
            ToolReport::Todos(todos) => self.note_todos(&session, todos),
            ToolReport::Listed { paths } => self.note_listed(&session, paths),
            ToolReport::Shell {
                command,
                exit,
                output,
            } => self.note_command(&session, command, *exit, output),
        }
        Ok(())
    }

    fn note_files(&mut self, session: &str, action: FileAction, paths: &[String]) {
        let now = self.now();
        let paths: Vec<String> = paths.iter().filter_map(|path| self.absolute(path)).collect();
        if paths.is_empty() {
            return;
        }
        let changes = matches!(action, FileAction::Edit | FileAction::Write);
        self.change_state(session, |state| {
            for path in &paths {
                state.touch(path, action, now);
                state.working.pool.mention(PoolKind::File, path);
                if changes {
                    state.edited(path, now);
                }
            }
        });
    }

    /// Marks the memories that the host's own tool wrote as an agent's words.
    fn mark_as_agents(&mut self, session: &str, paths: &[String]) {
        let here = self.context.env.current_dir().to_owned();
        for path in paths {
            let whole = plain(&here.join(path));
            let below = whole.strip_prefix(&self.root).ok().and_then(Path::to_str);
            let Some(Ok(path)) = below.map(StorePath::new) else {
                continue;
            };
            let mark = |writer: &mut Writer<'_>| mark_as_agents(writer, &path, session);
            let marked = self
                .follow_store()
                .and_then(|()| self.store.change(self.deadline, mark).map(drop));
            if let Err(error) = marked {
                tracing::debug!(%path, %error, "what a tool wrote is not marked as an agent's");
            }
        }
    }

    fn note_listed(&mut self, session: &str, paths: &[String]) {
        if !self.has_session_memory() {
            return;
        }
        let paths: Vec<String> = paths.iter().filter_map(|path| self.absolute(path)).collect();
        let now = self.now();
        self.change_state(session, |state| {
            for path in &paths {
                if !state.active_files.iter().any(|file| file.path == *path) {
                    state.working.pool.add(PoolKind::File, path);
                    state.updated = now;
                }
            }
        });
    }

    fn note_todos(&mut self, session: &str, todos: &[Todo]) {
        let is_open = |todo: &&Todo| !["completed", "cancelled"].contains(&todo.status.as_str());
        let open = todos.iter().filter(is_open);
        let open = open.map(|todo| self.redact(&todo.content)).collect();
        let now = self.now();
        self.change_state(session, |state| state.list_host_todos(open, now));
    }

    fn note_command(&mut self, session: &str, command: &str, exit: Option<i64>, output: &str) {
        let now = self.now();
        let reading = capture::read_shell(command, exit, output);
        let error = reading.error.map(|error| ShellError {
            program: self.redact(&error.program),
            summary: self.redact(&error.summary),
            files: error
                .files
                .iter()
                .map(|file| self.redactor.redact_path(file))
                .collect(),
            ..error
        });
        let has_own = exit == Some(0) && self.has_session_memory();
        let packages = if has_own {
            capture::packages(command)
        } else {
            Vec::new()
        };
        let packages: Vec<String> = packages.iter().map(|said| self.redact(said)).collect();
        if error.is_none() && reading.clears.is_empty() && packages.is_empty() {
            return;
        }
        self.change_state(session, |state| {
            for cleared in reading.clears {
                state.clear(cleared.category, &cleared.program, now);
            }
            for said in &packages {
                state.working.depend(said);
            }
            if let Some(error) = error {
                state.open_error(error, now);
            }
        });
    }

    /// A path without `.` and `..`, below the host's folder where it is relative; `None` for what is no path.
    fn absolute(&self, path: &str) -> Option<String> {
        let path = path.trim();
        if path.is_empty() || path.len() > LONGEST_PATH || path.contains('\0') {
            return None;
        }
        let joined = self.context.env.current_dir().join(path);
        Some(self.redactor.redact_path(&plain(&joined).display().to_string()))
    }
}

fn mark_as_agents(writer: &mut Writer<'_>, path: &StorePath, session: &str) -> Result<(), ServiceError> {
    writer.reload([path.as_str()])?;
    let Some(file) = writer
        .snapshot()
        .file(path)
        .filter(|file| file.findings.is_empty())
    else {
        return Ok(());
    };
    if file.memory.source != Source::Agent {
        let source = Value::Text(Source::Agent.as_str().to_owned());
        let mut edits = vec![KeyEdit::Set(Key::Source, source)];
        edits.extend(unstated_id(&file.memory));
        let (as_it_was, mut marks) = (file.blob, false);
        writer.edit_keys(path, |bytes| {
            marks = hash_blob(bytes) == as_it_was;
            if marks { edits.clone() } else { Vec::new() }
        })?;
        if !marks {
            // Saved again since: that is somebody else's text, and no change of this session's.
            return Ok(());
        }
    }
    let description = Description::op("edit", "edit").about(path);
    let description = description.with(trailer::SESSION, session);
    writer.commit(&[PathBuf::from(path.as_str())], &description)?;
    Ok(())
}

pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
