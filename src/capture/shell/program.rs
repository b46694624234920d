//! The program that a step really runs, once everything that only leads to it is taken off.

use super::categories::{behind_leading, is_among, of_work, positionals};
use super::table::{Means, row};

/// Layers of wrappers that are taken off.
const MAX_LAYERS: usize = 16;

/// Programs that are also called with a version behind their name: `python3.12`, `gcc-14`.
const VERSIONED: &str = "clang clang++ g++ gcc php pip python ruby";

/// Programs to which a command line is given as a word, behind an option that ends with `c`.
const SHELLS: &str = "bash cmd dash fish ksh powershell pwsh sh zsh";

/// Options of wrappers whose value is the next word.
const VALUED: &str = "-C -I -L -P -W -X -d -e -g -k -n -o -p -r -s -u -v -w --env --extra --from --group --import --loader --name \
    --package --project --python --require --user --with";

/// Options of interpreters behind which stands code, not a script.
const INLINE: &str = "- -c -e -p --eval --print";

/// The work of a step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// A program.
    Program(Program),
    /// A command line that was given as a word (`sh -c "…"`).
    Line(String),
    /// Nothing: it sets variables.
    Nothing,
}

/// A program and its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// Its file, without folder, version and extension of an executable.
    pub(super) file: String,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// The interpreter that reads it, when it is a script.
    pub(super) interpreter: Option<&'static str>,
    /// It was called by a path.
    pub(super) is_path: bool,
}

/// Gives the work of a step from its words.
pub(super) fn runs(words: &[String]) -> Runs {
    let mut words = words;
    let mut interpreter = None;
    for _ in 0..MAX_LAYERS {
        while words.first().is_some_and(|word| is_assignment(word)) {
            words = &words[1..];
        }
        let Some((first, args)) = words.split_first() else {
            return Runs::Nothing;
        };
        let file = file_of(first);
        if is_among(SHELLS, &file)
            && let Some(line) = args.iter().position(|arg| is_line_option(arg))
            && let Some(line) = args.get(line + 1)
        {
            return Runs::Line(line.clone());
        }
        match inner(&file, args) {
            Some((at, script_of)) => {
                words = &args[at..];
                interpreter = script_of;
            }
            None => {
                return Runs::Program(Program {
                    file,
                    args: args.to_vec(),
                    interpreter,
                    is_path: first.contains(['/', '\\']),
                });
            }
        }
    }
    Runs::Nothing
}

/// Gives the place in the arguments of the program to which this one only leads, and the interpreter of a script.
fn inner(file: &str, args: &[String]) -> Option<(usize, Option<&'static str>)> {
    let found = match row(file, args) {
        Some((row, after)) => match row.means {
            Means::Work(_) => None,
            Means::Command(own) => after_options(args, after, own, None),
            Means::Script => after_options(args, after, 0, Some(row.words)),
        },
        _ if of_work(file, args).is_some() => None,
        _ => known(file, args).map(|at| (at, None)),
    };
    found.filter(|(at, _)| *at < args.len())
}

/// Gives the place of a command that the tables know, behind the dashes of a program that they do not know
/// (`doppler run -- npm test`) or at the place of another one's task (`yarn vite build`).
fn known(file: &str, args: &[String]) -> Option<usize> {
    let behind_dashes = args.iter().position(|arg| arg == "--").map(|at| at + 1);
    let task = positionals(args, behind_leading(args)).next();
    let task = task.filter(|_| matches!(file, "bun" | "hatch" | "pdm" | "pnpm" | "yarn"));
    let candidates = [behind_dashes, task.map(|word| word.at)];
    candidates.into_iter().flatten().find(|at| {
        let words = args[*at..].split_first();
        words.is_some_and(|(first, rest)| of_work(&file_of(first), rest).is_some())
    })
}

/// Behind the options and the own words of a program that leads to another one, or that interprets a script.
fn after_options(
    args: &[String],
    mut at: usize,
    mut own: usize,
    script_of: Option<&'static str>,
) -> Option<(usize, Option<&'static str>)> {
    while let Some(arg) = args.get(at) {
        match arg.as_str() {
            "--" => return Some((at + 1, script_of)),
            "-m" if script_of.is_some() => return Some((at + 1, None)),
            arg if script_of.is_some() && is_among(INLINE, arg) => return None,
            arg if is_among(VALUED, arg) => at += 2,
            arg if arg.starts_with('-') => at += 1,
            _ if own > 0 => {
                own -= 1;
                at += 1;
            }
            _ => break,
        }
    }
    Some((at, script_of))
}

/// `-c`, `-lc`, `/c`, `-Command`
fn is_line_option(arg: &str) -> bool {
    arg.eq_ignore_ascii_case("/c")
        || arg == "-Command"
        || (arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c'))
}

/// The file of a program: without folder, extension of an executable, `@version` and version.
fn file_of(word: &str) -> String {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let file = [".exe", ".cmd", ".bat"]
        .iter()
        .find_map(|extension| file.strip_suffix(extension))
        .unwrap_or(file);
    let file = match file.split_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        _ => file,
    };
    let bare = file
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
        .trim_end_matches('-');
    let compiler = file.rsplit('-').next().unwrap_or(file);
    [bare, compiler]
        .into_iter()
        .find(|name| is_among(VERSIONED, name))
        .unwrap_or(file)
        .to_owned()
}

/// `NAME=value`
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::capture::shell::syntax::steps;

    pub(in crate::capture::shell) fn program(line: &str) -> Program {
        match runs(&steps(line)[0].words) {
            Runs::Program(program) => program,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_file_of_a_program_is_found() {
        for (line, file) in [
            ("CI=1 A= vitest", "vitest"),
            ("./node_modules/.bin/vitest run", "vitest"),
            ("node node_modules/.bin/vitest", "vitest"),
            ("nice -n 5 nohup stdbuf -oL vitest", "vitest"),
            ("aarch64-linux-gnu-gcc a.c", "gcc"),
            ("gcc-14 a.c", "gcc"),
            ("'C:\\tools\\cargo.exe' test", "cargo"),
            ("doppler run --config dev -- npm test", "npm"),
            ("op run -- ./serve", "op"),
            ("python -c 'x'", "python"),
            ("command -v tsc", "command"),
            ("npx", "npx"),
        ] {
            assert_eq!(program(line).file, file, "{line}");
        }
    }

    #[test]
    fn a_line_in_a_word_is_found() {
        let line = |command: &str| runs(&steps(command)[0].words);
        assert_eq!(
            line("bash -lc 'cd x && make'"),
            Runs::Line("cd x && make".to_owned())
        );
        assert_eq!(line("A=b"), Runs::Nothing);
        assert_eq!(runs(&vec!["sudo".to_owned(); 40]), Runs::Nothing);
    }
}
