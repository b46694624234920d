//! An error on the command line: how it is printed, and the exit code that its kind decides.

use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use serde::Serialize;
use serde_json::{Value, json};

use super::ui::{Format, Tone, Ui};
use crate::service::{NameError, ServiceError};

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The command was understood and could not be done.
    Failed,
    /// The command was not understood.
    Usage,
    /// Nobody reads on (`mdmem list | head`): silent, and no error.
    BrokenPipe,
}

/// The error that stops a command: the event, its causes, and what to do next.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: Kind,
    pub(super) error: anyhow::Error,
    pub(super) hints: Vec<String>,
}

/// Errors of the two streams; every other I/O error comes with its path, in an error of its own.
impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::of(Kind::BrokenPipe, error);
        }
        Self::failed(anyhow::Error::from(error).context("cannot write to standard output"))
    }
}

impl From<ServiceError> for CommandError {
    fn from(error: ServiceError) -> Self {
        let hint = error.hint();
        let kind = match error {
            ServiceError::Path(_)
            | ServiceError::Reserved { .. }
            | ServiceError::Excluded { .. }
            | ServiceError::CredentialName { .. } => Kind::Usage,
            _ => Kind::Failed,
        };
        Self::of(kind, error).hint_all(hint)
    }
}

/// The words of other programs, and of earlier versions, in the place of a command, and the command that does what they say.
const MEANT: &str = "\
commit save: `mdmem sweep` commits changes; `mdmem watch` commits them as they are saved.
find grep: `mdmem search WORDS` finds memories.
push pull fetch merge: `mdmem sync` fetches, merges and pushes.
clone remote origin: `mdmem sync URL` syncs this store with a repository, or fetches the store from it.
revert reset checkout rollback: `mdmem undo` undoes the last change; `mdmem restore` goes back to a revision or time.
redo: An undo is a commit: `mdmem undo REV` of it redoes the change.
tidy clean gc repair: `mdmem check --fix` shows what it would fix.
doctor fsck diag health: `mdmem check` finds problems; `mdmem log --decisions` shows decisions.
blame annotate: `mdmem log MEMORY` shows the history of a memory.
new create make write open vim nano: `mdmem edit MEMORY` opens a memory in your editor, or creates one.
where root cd: `mdmem path` prints the store's folder.
link unlink relink attach switch: `mdmem stores link NAME` links this workspace to a store.
connect setup install: `mdmem init --with AGENT` connects an agent.
service daemon start: `mdmem watch --install` starts the watcher at login.
settings set get: `mdmem config` lists and sets the settings.
accept dismiss: `mdmem suggestions accept N` accepts a suggestion.
track unignore: `mdmem allow PATH` commits a file that git ignores.
prompt context: `mdmem render` shows the prompt; `mdmem sessions context` how full each context is.
version: `mdmem --version` prints the version.
";

/// The hint for a word of another program in the place of a command.
fn meant(refusal: &clap::Error) -> Option<&'static str> {
    let usage = refusal.get(ContextKind::Usage)?.to_string();
    let Some(ContextValue::String(word)) = refusal.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let mut known = MEANT.lines().filter_map(|line| line.split_once(": "));
    let (_, hint) = known.find(|(words, _)| words.split(' ').any(|known| known == word))?;
    // Below a command the same word is no other program's.
    (usage.contains("mdmem [") || usage.contains("mdmem <")).then_some(hint)
}

/// The arguments that a command line lacks, as clap writes them.
fn needed(refusal: &clap::Error) -> Option<Vec<&str>> {
    use clap::error::ErrorKind::{MissingRequiredArgument, TooFewValues, WrongNumberOfValues};
    match (refusal.kind(), refusal.get(ContextKind::InvalidArg)?) {
        (MissingRequiredArgument, ContextValue::Strings(needed)) => {
            Some(needed.iter().map(String::as_str).collect())
        }
        (TooFewValues | WrongNumberOfValues, ContextValue::String(needed)) => Some(vec![needed]),
        _ => None,
    }
}

/// The values that an argument of a command takes, where these are a list.
fn values_of(command: &str, argument: &str) -> Vec<String> {
    let mut cli = super::args::command();
    // An argument tells how it is written only then.
    cli.build();
    let found = command
        .split(' ')
        .try_fold(&cli, |of, name| of.find_subcommand(name));
    let found = found.and_then(|of| of.get_arguments().find(|arg| arg.to_string() == argument));
    let values = found.map(clap::Arg::get_possible_values).unwrap_or_default();
    values.iter().map(|value| value.get_name().to_owned()).collect()
}

impl Kind {
    const fn code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::BrokenPipe => 0,
        }
    }
}

impl CommandError {
    /// The command could not be done.
    pub(crate) fn failed(error: impl Into<anyhow::Error>) -> Self {
        Self::of(Kind::Failed, error)
    }

    /// The command was not understood.
    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::of(Kind::Usage, error)
    }

    fn of(kind: Kind, error: impl Into<anyhow::Error>) -> Self {
        Self {
            kind,
            error: error.into(),
            hints: Vec::new(),
        }
    }

    /// The command was not understood, said in words.
    pub(crate) fn misused(message: impl Into<String>) -> Self {
        Self::usage(anyhow::Error::msg(message.into()))
    }

    /// Adds what to do next, as a sentence.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The name that no memory has, or several.
    pub(crate) fn unclear_name(&self) -> Option<&str> {
        match self.error.downcast_ref()? {
            ServiceError::Name(NameError::Ambiguous { name, .. } | NameError::Unknown { name, .. }) => {
                Some(name)
            }
            _ => None,
        }
    }

    /// Its JSON form.
    pub(crate) fn json(&self) -> Value {
        json!({"error": {
            "kind": self.kind,
            "message": self.error.to_string(),
            "causes": self.causes(),
            "hints": self.hints,
        }})
    }

    /// The causes below the error; those that the message above has already told are left out.
    fn causes(&self) -> Vec<String> {
        let mut told = self.error.to_string();
        let mut causes = Vec::new();
        for cause in self.error.chain().skip(1).map(ToString::to_string) {
            if !told.contains(&cause) {
                told.clone_from(&cause);
                causes.push(cause);
            }
        }
        causes
    }

    /// The arguments were not understood, as clap says it: the first paragraph is the error, tips are hints, and the
    /// usage is left to `--help` of the `verb`.
    pub(crate) fn refused(refusal: &clap::Error, verb: Option<&str>) -> Self {
        let text = refusal.to_string();
        let mut paragraphs = text.split("\n\n").map(str::trim);
        let first = paragraphs.next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        let words: Vec<&str> = first.split_whitespace().collect();
        let first = words
            .join(" ")
            .replace("invalid digit found in string", "not a whole number");
        // `Usage: mdmem stores link <STORE>` names the command; `Usage: mdmem [OPTIONS] <COMMAND>` none.
        let usage = text.split_once("Usage: mdmem").map(|(_, usage)| usage);
        let words = usage.unwrap_or_default().split_whitespace();
        let words: Vec<&str> = words
            .take_while(|word| word.starts_with(char::is_alphabetic))
            .collect();
        let command = match (words.join(" "), verb) {
            (words, Some(verb)) if words.is_empty() && usage.is_none() => verb.to_owned(),
            (words, _) => words,
        };
        let mut error = Self::misused(match needed(refusal) {
            Some(needed) => format!("`mdmem {command}` needs {}", needed.join(" and ")),
            None => first,
        });
        for argument in needed(refusal).into_iter().flatten() {
            let values = values_of(&command, argument).join(", ");
            if !values.is_empty() {
                error = error.hint(format!("{argument} is one of {values}."));
            }
        }
        let help = match (usage, &*command) {
            (None, "") => "`mdmem help COMMAND` explains a command, with examples.".to_owned(),
            (_, "") => "`mdmem --help` lists the commands and topics.".to_owned(),
            (_, command) => format!("`mdmem help {command}` explains it, with examples."),
        };
        if let Some(hint) = meant(refusal) {
            return error.hint(hint).hint(help);
        }
        let tips = paragraphs.filter_map(|paragraph| paragraph.strip_prefix("tip: "));
        // Nobody who mistook an option wants it as text.
        let tips = tips.filter(|tip| !tip.starts_with("to pass '-"));
        tips.fold(error, Self::hint).hint(help)
    }

    fn hint_all(self, hints: Option<String>) -> Self {
        hints.into_iter().fold(self, Self::hint)
    }

    /// Prints it to standard error, for a person or as one JSON object, and gives the exit code.
    pub(crate) fn report(&self, ui: &mut Ui) -> ExitCode {
        if self.kind != Kind::BrokenPipe {
            // Output that was printed before belongs before; where standard error is gone too, nobody is left to tell.
            let _ = ui.flush();
            let _ = match ui.format {
                Format::Text => self.print(ui),
                Format::Json => ui.err.json_line(&self.json()),
            };
        }
        ExitCode::from(self.kind.code())
    }

    fn print(&self, ui: &mut Ui) -> io::Result<()> {
        let color = ui.err_color;
        let mut print = |tone, label, text: &str| {
            let label = color.paint(tone, label);
            ui.error_line(&format!("{label} {text}"))
        };
        print(Tone::Bad, "error:", &self.error.to_string())?;
        for cause in self.causes() {
            print(Tone::Faint, "caused by:", &cause)?;
        }
        for hint in &self.hints {
            print(Tone::Hint, "hint:", hint)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_decides_the_exit_code() {
        assert_eq!(
            (Kind::Failed.code(), Kind::Usage.code(), Kind::BrokenPipe.code()),
            (1, 2, 0)
        );
    }

    #[test]
    fn what_clap_refuses_is_an_error_with_hints() {
        let command = clap::Command::new("mdmem").subcommand(clap::Command::new("list"));
        let refusal = command.try_get_matches_from(["mdmem", "lst"]).unwrap_err();
        let error = CommandError::refused(&refusal, None);
        assert_eq!(error.kind, Kind::Usage);
        assert_eq!(error.error.to_string(), "unrecognized subcommand 'lst'");
        assert_eq!(error.hints[0], "a similar subcommand exists: 'list'");
        for (word, hint) in [("lits", Some("'list'")), ("commit", Some("`mdmem sweep`"))] {
            let command = clap::Command::new("mdmem")
                .subcommands(["list", "repair", "conflicts"].map(clap::Command::new));
            let refusal = command.try_get_matches_from(["mdmem", word]).unwrap_err();
            let hints = CommandError::refused(&refusal, None).hints;
            assert_eq!(hints.len(), 1 + usize::from(hint.is_some()), "{word}: {hints:?}");
            assert!(
                hints[0].contains(hint.unwrap_or("help COMMAND")),
                "{word}: {hints:?}"
            );
        }
        // Below a command the same word is no other program's.
        let prune = clap::Command::new("prune");
        let command = clap::Command::new("mdmem").subcommand(clap::Command::new("stores").subcommand(prune));
        let refusal = command
            .try_get_matches_from(["mdmem", "stores", "commit"])
            .unwrap_err();
        assert_eq!(CommandError::refused(&refusal, None).hints.len(), 1);
    }
}
