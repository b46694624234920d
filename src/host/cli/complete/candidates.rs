//! The words that may come next in a command line, by the arguments that the program takes.

use clap::{Arg, ArgAction, Command, ValueHint};

use super::Typed;
use crate::service::{self, Completable, Completion, Context};

/// The words that may stand in the place of the last word of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Candidates {
    /// These.
    Words(Vec<Completion>),
    /// The names of files and folders, which the shell knows better.
    Files,
}

/// The words that may come next. `program` is the whole command, built; names come from the store of `context`.
pub(crate) fn candidates(program: &Command, typed: &Typed, context: &Context) -> Candidates {
    let place = Place::after(program, &typed.before);
    let current = typed.current.as_str();
    if let Some(arg) = place.value_of {
        return values(arg, current, context);
    }
    if place.takes_options && current.starts_with('-') {
        let Some((option, value)) = current.split_once('=') else {
            return Candidates::Words(options(place.command, current));
        };
        let arg = find_long(place.command, option.trim_start_matches("--"));
        return match arg.map(|arg| values(arg, value, context)) {
            Some(Candidates::Words(mut words)) => {
                for word in &mut words {
                    word.name = format!("{option}={}", word.name);
                }
                Candidates::Words(words)
            }
            _ => Candidates::Words(Vec::new()),
        };
    }
    let mut words = Vec::new();
    if place.positionals == 0 {
        words = subcommands(place.command, current);
    }
    match place.positional().map(|arg| values(arg, current, context)) {
        Some(Candidates::Words(more)) => words.extend(more),
        Some(Candidates::Files) if words.is_empty() => return Candidates::Files,
        Some(Candidates::Files) | None => {}
    }
    Candidates::Words(words)
}

/// A place in a command line.
struct Place<'a> {
    /// The innermost command that was named.
    command: &'a Command,
    /// The number of its arguments without a name so far.
    positionals: usize,
    /// The option whose value comes next.
    value_of: Option<&'a Arg>,
    /// False after `--`.
    takes_options: bool,
}

impl<'a> Place<'a> {
    fn after(program: &'a Command, words: &[String]) -> Self {
        let mut place = Self {
            command: program,
            positionals: 0,
            value_of: None,
            takes_options: true,
        };
        // The first word is the program.
        for word in words.iter().skip(1) {
            place.pass(word);
        }
        place
    }

    fn pass(&mut self, word: &str) {
        if self.value_of.take().is_some() {
            return;
        }
        if self.takes_options && word == "--" {
            self.takes_options = false;
        } else if let Some(long) = word.strip_prefix("--").filter(|_| self.takes_options) {
            self.value_of = find_long(self.command, long);
        } else if let Some(shorts) = word.strip_prefix('-').filter(|_| self.takes_options) {
            self.value_of = shorts
                .chars()
                .last()
                .and_then(|last| find_short(self.command, last));
        } else if let Some(inner) = self
            .command
            .find_subcommand(word)
            .filter(|_| self.positionals == 0)
        {
            self.command = inner;
        } else {
            self.positionals += 1;
        }
        self.value_of = self.value_of.filter(|arg| arg.get_action().takes_values());
    }

    /// The argument without a name that comes next; the last one may come again and again.
    fn positional(&self) -> Option<&'a Arg> {
        let all: Vec<&Arg> = self.command.get_positionals().collect();
        let last = all.last().copied();
        let repeated = last.filter(|last| matches!(last.get_action(), ArgAction::Append));
        all.get(self.positionals).copied().or(repeated)
    }
}

fn find_long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(name))
}

fn find_short(command: &Command, name: char) -> Option<&Arg> {
    command.get_arguments().find(|arg| arg.get_short() == Some(name))
}

fn subcommands(command: &Command, start: &str) -> Vec<Completion> {
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    let words = shown.map(|inner| Completion {
        name: inner.get_name().to_owned(),
        about: inner.get_about().map(first_line).unwrap_or_default(),
    });
    words.filter(|word| word.name.starts_with(start)).collect()
}

fn options(command: &Command, start: &str) -> Vec<Completion> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let words = shown.filter_map(|arg| {
        let name = format!("--{}", arg.get_long()?);
        let about = arg.get_help().map(first_line).unwrap_or_default();
        Some(Completion { name, about })
    });
    words.filter(|word| word.name.starts_with(start)).collect()
}

fn values(arg: &Arg, start: &str, context: &Context) -> Candidates {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let words = possible
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| Completion {
                name: value.get_name().to_owned(),
                about: value.get_help().map(first_line).unwrap_or_default(),
            });
        return Candidates::Words(words.filter(|word| word.name.starts_with(start)).collect());
    }
    let is_path = matches!(
        arg.get_value_hint(),
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
    );
    if is_path {
        return Candidates::Files;
    }
    let name = arg.get_value_names().and_then(<[_]>::first);
    Candidates::Words(name.map_or_else(Vec::new, |name| named(name, start, context)))
}

/// The words for a value, by the name that the help gives it.
fn named(value: &str, start: &str, context: &Context) -> Vec<Completion> {
    let find = |what, start: &str| service::completions(context, what, start).unwrap_or_default();
    match value {
        "MEMORY" => find(Completable::Memory, start),
        "TYPE" => find(Completable::Type, start),
        "KEY" => find(Completable::Setting, start),
        "STORE" => find(Completable::Store, start),
        "SESSION" => find(Completable::Conversation, start),
        "REV" | "REV|TIME" => find(Completable::Revision, start),
        "REV|TIME|MEMORY" => {
            let mut words = find(Completable::Revision, start);
            words.extend(find(Completable::Memory, start));
            words
        }
        "MEMORY[@REV]" => match start.rsplit_once('@') {
            Some((memory, revision)) => {
                let revisions = find(Completable::Revision, revision).into_iter();
                let at = |commit: Completion| Completion {
                    name: format!("{memory}@{}", commit.name),
                    about: commit.about,
                };
                revisions.map(at).collect()
            }
            None => find(Completable::Memory, start),
        },
        "KEY=VALUE" if !start.contains('=') => {
            let keys = find(Completable::Setting, start).into_iter();
            keys.map(|key| format!("{}=", key.name).into()).collect()
        }
        _ => Vec::new(),
    }
}

fn first_line(text: &clap::builder::StyledStr) -> String {
    text.to_string().lines().next().unwrap_or_default().to_owned()
}
