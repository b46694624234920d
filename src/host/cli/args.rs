//! The arguments: what every command takes. The arguments of one command stand with that command.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Style, Styles};
use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr, TypedValueParser};
use clap::{ArgAction, Args, ColorChoice, CommandFactory, Parser};

use super::commands::{RARE, verbs};
use super::topics;

/// Nothing in yellow: on a light terminal nobody reads it.
const STYLES: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

/// Shared memory for coding agents: markdown files in git
///
/// Each memory is a markdown file, every change is a commit, and the strongest memories are rendered into the
/// agent's prompt. Name a memory by its path, its slug (the file name without .md), title, alias, former
/// name, or the start of its id; commands that remove nothing also take a part of a name.
#[derive(Debug, Parser)]
#[command(
    name = "mdmem",
    version = concat!(env!("CARGO_PKG_VERSION"), env!("MDMEM_BUILT_FROM")),
    styles = STYLES,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  mdmem add --type decision \"Use npm cache for plugin loading, not npm link\"
  mdmem list                      list memories, strongest first
  mdmem render                    show what an agent sees
  mdmem restore yesterday         restore the store as it was

Environment: MDMEM_HOME (where stores are), MDMEM_LOG (info or debug), TZ, NO_COLOR, VISUAL and EDITOR,
GIT_PAGER and PAGER (with core.pager, as git takes them), and MDMEM_ + any setting's key."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

/// The whole command line, with its commands in groups.
pub(crate) fn command() -> clap::Command {
    let (header, literal) = (STYLES.get_header(), STYLES.get_literal());
    let mut cli = Cli::command();
    let about = cli.get_about().cloned().unwrap_or_default();
    let mut help = format!("{about}\n\n{{usage-heading}} {{usage}}\n");
    for (title, verbs) in verbs() {
        let verbs: Vec<clap::Command> = verbs.into_iter().map(|verb| verb.command).collect();
        let _ = writeln!(help, "\n{header}{title}:{header:#}");
        if title == RARE {
            let shown = verbs.iter().filter(|command| !command.is_hide_set());
            let names: Vec<&str> = shown.map(clap::Command::get_name).collect();
            for names in names.chunks(9) {
                let _ = writeln!(help, "  {}", names.join(", "));
            }
        } else {
            for command in &verbs {
                let name = command.get_name();
                let about = command.get_about().cloned().unwrap_or_default();
                let _ = writeln!(help, "  {literal}{name:<10}{literal:#} {about}");
            }
        }
        cli = cli.subcommands(verbs);
    }
    let _ = write!(
        help,
        "\n{header}Options:{header:#}\n  -C DIR, --global, --store NAME, --json, --utc, --color WHEN, -q, -v\n  \
         `mdmem help COMMAND` explains a command, with its options and examples;\n  \
         `mdmem help TOPIC` an idea: {}.",
        topics::names()
    );
    cli.help_template(StyledStr::from(help))
}

/// The options that every command takes.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option that is there or not"
)]
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Run as if in DIR
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    /// Use the global store, shared by all workspaces
    #[arg(long, global = true)]
    pub(crate) global: bool,

    /// Use the store of this name, as `mdmem stores` lists it
    #[arg(long, value_name = "STORE", global = true, conflicts_with = "global")]
    pub(crate) store: Option<String>,

    /// Print JSON, errors included
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Use UTC for input and output
    #[arg(long, global = true)]
    pub(crate) utc: bool,

    /// Do not use a pager
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,

    /// When to use color: auto does on a terminal, unless `NO_COLOR` is set or `TERM` is dumb
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    pub(crate) color: ColorChoice,

    /// Override a setting, such as `render.max_chars=2000`
    #[arg(long = "set", value_name = "KEY=VALUE", global = true)]
    pub(crate) set: Vec<String>,

    /// Print only the answer and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print more; twice, everything the engine does
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
}

/// The verb of a command line, which may be one that clap refuses.
pub(crate) fn verb(args: &[OsString]) -> Option<String> {
    let matches = command().ignore_errors(true).try_get_matches_from(args).ok()?;
    matches.subcommand_name().map(str::to_owned)
}

/// The command line with `-n 5` in the place of `-5`, which `log` takes as git does.
pub(crate) fn with_counts(mut args: Vec<OsString>) -> Vec<OsString> {
    let count = |arg: &OsString| arg.to_str()?.strip_prefix('-')?.parse::<u32>().ok();
    let end = args.iter().position(|arg| *arg == "--").unwrap_or(args.len());
    let counts: Vec<_> = args[..end].iter().map(count).collect();
    if counts.iter().any(Option::is_some) && verb(&args).as_deref() == Some("log") {
        for (at, count) in counts.into_iter().enumerate() {
            // Behind `-n` it is that option's value, and no good one.
            let is_value = at > 0 && ["-n", "--limit"].iter().any(|option| args[at - 1] == *option);
            let arg = &mut args[at];
            if let (Some(count), false) = (count, is_value) {
                *arg = format!("-n{count}").into();
            }
        }
    }
    args
}

/// Reads the words of a closed list, each with its help, into what they stand for.
pub(crate) fn one_of<T>(words: &'static [(&'static str, &'static str, T)]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let known = words
        .iter()
        .map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(known).map(|given| {
        let found = words.iter().find(|(word, ..)| *word == given);
        found.expect("because clap lets no other word through").2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn the_help_shows_at_most_28_commands() {
        let shown = verbs()
            .iter()
            .filter(|(title, _)| *title != RARE)
            .map(|(_, verbs)| verbs.len())
            .sum::<usize>();
        assert!(shown <= 28, "{shown}");
    }

    #[test]
    fn the_value_of_an_option_is_no_verb() {
        for (line, expected) in [
            ("hook bogus", Some("hook")),
            ("-C hook add", Some("add")),
            ("-Chook add", Some("add")),
            ("-qC hook add", Some("add")),
            ("-CqC hook", Some("hook")),
            ("--directory hook add", Some("add")),
            ("--directory=/w hook", Some("hook")),
            ("--store a --set b=c --color never -q hook", Some("hook")),
            ("-C hook", None),
            ("", None),
        ] {
            let words = ["mdmem"].into_iter().chain(line.split_whitespace());
            let words: Vec<OsString> = words.map(OsString::from).collect();
            assert_eq!(verb(&words).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn every_command_says_what_it_does_and_gives_an_example() {
        check_help(&command());
    }

    /// A hint that names a command or an option that is not there misleads whoever follows it.
    #[test]
    fn every_command_that_a_text_of_the_program_names_is_there() {
        let mut cli = command();
        cli.build();
        let named = regex::Regex::new("`mdmem ((?:--?[a-z]+ )*)([a-z][a-z-]*)([^`]*)`").unwrap();
        let options = regex::Regex::new(" --([a-z][a-z-]+)").unwrap();
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let files = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
        let mut seen = 0;
        for file in files.filter(|file| file.path().extension().is_some_and(|end| end == "rs")) {
            let text = std::fs::read_to_string(file.path()).unwrap();
            for found in named.captures_iter(&text) {
                let whole = &found[0];
                let command = cli.find_subcommand(&found[2]);
                let command = command.unwrap_or_else(|| panic!("{whole} in {}", file.path().display()));
                let words = found[3].split_whitespace();
                let command = words.fold(command, |inner, word| {
                    inner.find_subcommand(word).unwrap_or(inner)
                });
                for option in options.captures_iter(found[3].split(" -- ").next().unwrap()) {
                    let is_there = command
                        .get_arguments()
                        .any(|arg| arg.get_long() == Some(&option[1]));
                    assert!(is_there, "{whole} in {}", file.path().display());
                }
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen}");
    }

    fn check_help(of: &clap::Command) {
        for command in of.get_subcommands().filter(|c| !c.is_hide_set()) {
            let name = command.get_name();
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(!about.is_empty() && !about.ends_with('.'), "{name}: {about}");
            let after = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(after.contains(&format!("mdmem {name}")), "{name} has no example");
        }
    }
}
