//! `mdmem completions`, which prints a shell's script, and `mdmem complete`, which the scripts ask. clap's engine says what may
//! come next; here a line is read as a shell reads it, values get their names, and the candidates the form of a shell.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Args, Command, FromArgMatches};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, complete};

use crate::host::cli::args::{GlobalArgs, command};
use crate::host::cli::context::{self, Context};
use crate::host::cli::report::CommandError;
use crate::service::{self, Completable};

/// Print shell completions
///
/// bash, zsh and fish also complete memories, types, settings, revisions and stores.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(mdmem completions bash)
  mdmem completions zsh > ~/.zfunc/_mdmem
  mdmem completions fish > ~/.config/fish/completions/mdmem.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn script(args: &CompletionsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let script = match args.shell {
        Shell::Bash => include_bytes!("../../../../templates/completions/mdmem.bash").to_vec(),
        Shell::Zsh => include_bytes!("../../../../templates/completions/_mdmem").to_vec(),
        Shell::Fish => include_bytes!("../../../../templates/completions/mdmem.fish").to_vec(),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut command(), "mdmem", &mut script);
            script
        }
    };
    Ok(cx.ui.out.bytes(&script)?)
}

/// Complete a command line
///
/// Called by the scripts of `mdmem completions`; not meant for people.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// The shell that asks
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,

    /// The line up to the cursor
    #[arg(value_name = "LINE", allow_hyphen_values = true)]
    line: String,

    /// The characters that split words for the shell's completion only
    #[arg(value_name = "BREAKS", allow_hyphen_values = true, default_value = "")]
    breaks: String,
}

pub(crate) fn run(args: &CompleteArgs, cx: &mut Context) -> Result<(), CommandError> {
    let typed = Typed::read(&args.line, &args.breaks);
    let current = typed.current.as_str();
    let context = meant(&typed, &cx.service).unwrap_or_else(|| cx.service.clone());
    let mut program = with_names(command(), &context);
    let words = typed.before.iter().map(String::as_str).chain([current]);
    let here = Some(context.env.current_dir());
    let found = complete(
        &mut program,
        words.map(OsString::from).collect(),
        typed.before.len(),
        here,
    );
    for candidate in found.unwrap_or_default() {
        // The engine offers one of the names that a command has: its own, where that begins so.
        let of_command = candidate.get_id().and_then(|id| id.strip_prefix("command::"));
        let own = of_command.filter(|name| name.starts_with(current));
        let name = own.or(candidate.get_value().to_str()).unwrap_or_default();
        // A line break would make two candidates of one, and options are for whom asks.
        if name.contains(char::is_control) || (name.starts_with('-') && !current.starts_with('-')) {
            continue;
        }
        let about = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        let line = match (args.shell, about.lines().next()) {
            (Shell::Bash, _) => in_bash(name, &typed),
            (_, None | Some("")) => Some(name.to_owned()),
            (_, Some(about)) => Some(format!("{name}\t{}", about.replace(char::is_control, " "))),
        };
        if let Some(line) = line {
            cx.ui.out.text(&(line + "\n"))?;
        }
    }
    Ok(())
}

/// The context that the line asks for, by `-C` and `--global`; `None` where it cannot be told.
fn meant(typed: &Typed, given: &service::Context) -> Option<service::Context> {
    let matches = command()
        .ignore_errors(true)
        .try_get_matches_from(&typed.before)
        .ok()?;
    let mut global = GlobalArgs::from_arg_matches(&matches).ok()?;
    // A shell that completes has not yet put the home in the place of `~`.
    global.directory = global.directory.map(|folder| {
        let home = folder.strip_prefix("~").ok().zip(given.env.home().ok());
        home.map_or(folder.clone(), |(below, home)| home.join(below))
    });
    context::service(&global, given.env.clone()).ok()
}

/// The command, whose values are completed by the name that the help gives them.
fn with_names(command: Command, context: &service::Context) -> Command {
    let named = |arg: Arg| {
        let value = arg.get_value_names().and_then(<[_]>::first);
        let value = value.map(ToString::to_string).unwrap_or_default();
        let classes: &[Completable] = match value.as_str() {
            "MEMORY" | "MEMORY[@REV]" => &[Completable::Memory],
            "TYPE" => &[Completable::Type],
            "KEY" | "KEY=VALUE" => &[Completable::Setting],
            "STORE" => &[Completable::Store],
            "SESSION" => &[Completable::Conversation],
            "REV" | "REV|TIME" => &[Completable::Revision],
            "REV|TIME|MEMORY" => &[Completable::Revision, Completable::Memory],
            _ => return arg,
        };
        let context = context.clone();
        arg.add(ArgValueCompleter::new(move |start: &OsStr| {
            let start = start.to_str().unwrap_or_default();
            let at = start.rfind('@').filter(|_| value == "MEMORY[@REV]");
            let (before, start) = start.split_at(at.map_or(0, |at| at + 1));
            let classes = if at.is_some() {
                &[Completable::Revision]
            } else {
                classes
            };
            let end = if value == "KEY=VALUE" { "=" } else { "" };
            let found = classes
                .iter()
                .flat_map(|class| service::completions(&context, *class, start).unwrap_or_default());
            let candidate = |(name, about): (String, String)| {
                CompletionCandidate::new(format!("{before}{name}{end}")).help(Some(about.into()))
            };
            found.map(candidate).collect()
        }))
    };
    command
        .mut_args(named)
        .mut_subcommands(|inner| with_names(inner, context))
}

/// A command line up to the cursor, as bash, zsh and fish read it: words, quotes, backslashes; the last word is to be completed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Typed {
    /// The words before it, without quotes.
    before: Vec<String>,
    /// The word itself, without quotes; empty after a space.
    current: String,
    /// The quotation mark that is still open.
    quote: Option<char>,
    /// The number of its bytes that stay as they are: what a shell replaces begins after a mark that parts words for
    /// it, and after an open quotation mark.
    kept: usize,
}

impl Typed {
    /// Reads a line. `breaks` are the signs that part words for the shell's completion alone, as `=` does in bash.
    fn read(line: &str, breaks: &str) -> Self {
        let mut typed = Self::default();
        let mut is_word = false;
        let mut signs = line.chars();
        while let Some(sign) = signs.next() {
            match (typed.quote, sign) {
                (Some(quote), sign) if sign == quote => typed.quote = None,
                (None, '\'' | '"') => {
                    (typed.quote, typed.kept) = (Some(sign), typed.current.len());
                    is_word = true;
                }
                (None | Some('"'), '\\') => {
                    typed.current.extend(signs.next());
                    is_word = true;
                }
                (None, ' ' | '\t' | '\n') => {
                    if std::mem::take(&mut is_word) {
                        typed.before.push(std::mem::take(&mut typed.current));
                    }
                    typed.kept = 0;
                }
                (quote, sign) => {
                    typed.current.push(sign);
                    is_word = true;
                    if quote.is_none() && breaks.contains(sign) {
                        typed.kept = typed.current.len();
                    }
                }
            }
        }
        typed
    }
}

/// A candidate as bash puts it into the line: without what stays there, and quoted as the word is. `None` where no
/// quoting of that kind can say it.
fn in_bash(name: &str, typed: &Typed) -> Option<String> {
    let rest = name.get(typed.kept..)?;
    let is_special = |sign: char| match typed.quote {
        Some(_) => r#"\"$`"#.contains(sign),
        None => sign.is_ascii() && !sign.is_ascii_alphanumeric() && !"/._-+=,@%:~".contains(sign),
    };
    if typed.quote == Some('\'') {
        return (!rest.contains('\'')).then(|| rest.to_owned());
    }
    let mut escaped = String::with_capacity(rest.len());
    for sign in rest.chars() {
        if is_special(sign) {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    Some(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Vec<String>, String, usize) {
        let typed = Typed::read(line, "=@:");
        (typed.before, typed.current, typed.kept)
    }

    #[test]
    fn a_line_is_read_as_a_shell_reads_it() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (line, before, current, kept) in [
            ("mdmem", &[][..], "mdmem", 0),
            ("mdmem ", &["mdmem"], "", 0),
            ("mdmem  show a", &["mdmem", "show"], "a", 0),
            ("mdmem show ''", &["mdmem", "show"], "", 0),
            ("mdmem show '' b", &["mdmem", "show", ""], "b", 0),
            (r"mdmem show My\ no", &["mdmem", "show"], "My no", 0),
            ("mdmem show 'My no", &["mdmem", "show"], "My no", 0),
            (
                "mdmem show decision/\"My no",
                &["mdmem", "show"],
                "decision/My no",
                9,
            ),
            (r#"mdmem show "a\"b" c"#, &["mdmem", "show", "a\"b"], "c", 0),
            ("mdmem list --type=dec", &["mdmem", "list"], "--type=dec", 7),
            ("mdmem show use-npm@3f", &["mdmem", "show"], "use-npm@3f", 8),
            ("mdmem show 日本@3", &["mdmem", "show"], "日本@3", 7),
            ("mdmem show a\\", &["mdmem", "show"], "a", 0),
            ("", &[], "", 0),
        ] {
            assert_eq!(read(line), (words(before), current.to_owned(), kept), "{line}");
        }
        assert_eq!(Typed::read("m 'a", "").quote, Some('\''));
        assert_eq!(Typed::read("m 'a'", "").quote, None);
    }

    fn bash(line: &str, name: &str) -> Option<String> {
        in_bash(name, &Typed::read(line, "=@:"))
    }

    #[test]
    fn bash_gets_what_it_puts_into_the_line() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(bash("m show dec", "decision/a.md"), some("decision/a.md"));
        assert_eq!(bash("m show My", "My note's $x.md"), some(r"My\ note\'s\ \$x.md"));
        assert_eq!(bash("m show 'My", "My note $x.md"), some("My note $x.md"));
        assert_eq!(bash("m show 'My", "My note's.md"), None);
        assert_eq!(bash("m show \"My", "My \"$x\".md"), some(r#"My \"\$x\".md"#));
        assert_eq!(bash("m list --type=d", "--type=decision"), some("decision"));
        assert_eq!(bash("m show a@", "a@1234567"), some("1234567"));
        assert_eq!(bash("m show 日", "日本 語.md"), some(r"日本\ 語.md"));
    }
}
