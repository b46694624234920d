//! A command line: the programs that it runs, the kind of their work, and for which of them its exit code speaks. A
//! reading, not an execution: what it does not know it passes over. What it knows of shells and programs is tables.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::ErrorCategory::{self, Build, Lint, Test, Typecheck};
use crate::text::pattern;

/// Bytes of a command line that are read.
const MAX_COMMAND: usize = 64 * 1024;

/// Wrappers, and command lines within command lines, that are taken off.
const MAX_LAYERS: usize = 8;

/// Characters of a name.
const MAX_NAME: usize = 60;

/// The beginning of a here-document.
static HEREDOC: LazyLock<Regex> = LazyLock::new(|| pattern(r#"<<-?\s*['"]?(\w+)"#));

/// What a line is made of: what parts words (comments, redirections and brackets too), what joins commands, and the parts
/// of words.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?sx) (?<gap> \\\n | \#[^\n]* | [\ \t\r()]+
            | \d*(?:<<<|<<-?|<>|&>>?|>>|[<>])(?:&[\d-]*|\|?[\ \t]*(?:'[^']*'?|"[^"]*"?|[^\s;&|()<>"']*)) )
        | (?<joint> && | \|\| | \|&? | [;\n&] )
        | '[^']*'? | "(?:\\.|[^"\\])*"? | \$\((?:[^()]|\([^()]*\))*\)? | `[^`]*`? | \\.? | [^\s'"`\\$<>&|;()]+ | ."#,
    )
});

/// What only leads to a command: variables, and programs with their options and a word of their own.
static LEADING: LazyLock<Regex> = LazyLock::new(|| {
    let options = r"(?: (?:(?:-[CILPWXdegknoprsuvw]|--(?:env|extra|from|group|package|project|python|user|with)) \S+|-\S+))*?";
    let leading = r"^(?:\w+=\S*|(?:\S*/)?(?:(?:bunx|command|cross-env|env|nice|nohup|npx|stdbuf|sudo|time|uvx|xargs|bundle exec
        |(?:npm|pnpm)@ exec|poetry run|uv run)@|(?:timeout|docker(?: compose@)? (?:exec|run)|kubectl@ exec)@ [^\s-]\S*
        |(?:coverage run|python[\d.]*)@ -m))(?: --)? ([^\s-].*)$";
    pattern(&leading.replace("\n        ", "").replace('@', options))
});

/// A program without its folder, version and extension.
static PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\S*[/\\])?(?:(clang\+\+|clang|g\+\+|gcc|php|pip|python|ruby)[\d.-]*|([^\s@/\\]+?))(?:\.exe|\.cmd|\.bat)?(?:@\S*)?( |$)",
    )
});

/// Programs that set the scene, wait or speak: what they return says nothing about the work before them.
const INERT: &str = "., :, alias, cd, date, declare, echo, exit, export, false, kill, local, popd, printf, pushd, pwd, read, \
    return, set, shift, shopt, sleep, source, trap, true, umask, unset, wait";

/// Programs at the end of a pipe that show, choose or change lines.
const FILTERS: &str = "ag, awk, bat, cat, column, cut, egrep, fgrep, fold, grep, head, jq, less, more, nl, perl, rg, sed, sort, \
    tail, tee, tr, ts, uniq, wc";

/// Programs that look something up or print what others wrote; only a line that begins with their name is their own.
const SHOWING: &str = "[, [[, ag, cmp, command, diff, docker compose logs, docker logs, egrep, expr, fgrep, find, \
    git blame, git check-ignore, git diff, git grep, git log, git merge-base, git show, grep, journalctl, kubectl logs, ls, \
    pgrep, rg, systemctl is-active, test, tree, type, which";

/// Other programs that do so with files by themselves.
const READING: &str = "git grep, git cat-file";

/// Commands that list files and print little else, and arguments by which they do something with them.
const LISTING: &str =
    "ls, find, fd, fdfind, tree, du, exa, eza, lsd, locate, git ls-files, git ls-tree, rg --files";
static DOING: LazyLock<Regex> = LazyLock::new(|| pattern(" (?:-exec|-execdir|-ok|-x|--exec|-delete)(?: |$)"));

/// The kinds of work: the programs that do it, and the words that tell it in the name of a project's task.
const WORK: [(ErrorCategory, &str, &str); 4] = [
    (
        Typecheck,
        "cargo c, cargo check, cargo hack check, deno check, mypy, phpstan, pyright, svelte-check, tsc, tsgo, vue-tsc",
        "tsc|types|type-?check|typing",
    ),
    (
        Test,
        "cargo miri test, cargo t, cypress, gotestsum, gradle check, gradlew check, jest, make check, python manage.py test, mocha, \
         mvn verify, node --test, npm t, pest, playwright, tox, xcodebuild test, zig build test, *test, *unit, *spec",
        "cov|coverage|cypress|e2e|integration|jest|nextest|pytest|runtests?|specs?|tests?|unit|vitest",
    ),
    (
        Lint,
        "biome, black, cargo deny, flake8, flutter analyze, php-cs-fixer, phpcs, pre-commit, prettier, rubocop, ruff, \
         shellcheck, terraform validate, *lint, *fmt, *format",
        "biome|clippy|detekt|eslint|fmt|format|lint|linters|precommit|prettier|ruff|spotless|style|vet",
    ),
    (
        Build,
        "cargo doc, cc, clang, clang++, cmake, g++, gcc, *-gcc, javac, make all, mvn install, mvn package, rustc, tsup, webpack, *build",
        "assemble|build|bundle|compile|dist|jar|prebuild",
    ),
];

/// Programs that run tasks of a project, by the next word or by all of them; and others whose next word belongs to their
/// name.
const RUNNING: &str = "ant|artisan|astro|bazel|bun|cabal|cargo|composer|dart|deno|docker|docker-compose|dotnet|dune|flutter|forge|gleam\
    |go|hatch|helm|just|lerna|mage|maturin|mise|mix|next|ng|nimble|nix|npm|nuxt|nx|pdm|pixi|pnpm|poe|poetry|rails|remix|rush|rye|stack|swift\
    |tauri|terraform|trunk|uv|vite|wasm-pack|yarn|zig";
const RUNNING_ALL: &str = "gmake|gradle|gradlew|make|mvn|mvnw|ninja|rake|sbt|task|turbo";
const NAMED: &str = "apt|apt-get|aws|brew|gcloud|gh|git|kubectl|pip|prisma|service|systemctl|wrangler|bash|sh|node|php|python|ruby|tsx";

/// Words before the task: `npm run`, `docker compose`.
const BEFORE_TASK: &str =
    "affected|buildx|compose|foreach|hack|image|make|run|run-many|run-script|task|workspaces?|xtask";

/// One simple command of a line.
#[derive(Debug, Default)]
struct Step {
    /// Its words, with one space between them, and U+0001 for the white space in one.
    line: String,
    /// What stands behind it: `&&`, `||`, `|`, `;`, `&`.
    joint: String,
}

/// A pipe, by the program that does its work.
#[derive(Debug)]
pub(super) struct Work {
    /// The words of the program, without what only leads to it.
    pub(super) line: String,
    /// Its own exit code is that of the line. Else (`npm test | tail`) what is printed has to say how it went.
    pub(super) is_sure: bool,
    joint: String,
}

/// The works that have succeeded when a command line returns 0, in order.
pub(super) fn succeeded(command: &str) -> Vec<Work> {
    let mut works = speaking(command);
    // Either what stands before the `||` succeeded, or what stands behind it.
    if let Some(or) = works.iter().position(|work| work.joint == "||") {
        works.truncate(or + 1);
        for work in &mut works {
            work.is_sure = false;
        }
    }
    works
}

/// The works of which one has failed when a command line returns more than 0, in order.
pub(super) fn failed(command: &str) -> Vec<Work> {
    speaking(command)
}

/// True when all that a command line does is to list files.
pub fn lists_files(command: &str) -> bool {
    does_only(command, |work| work.is_in(LISTING) && !DOING.is_match(&work.line))
}

/// True when all that a command line does is to show files, or what it finds in them.
pub fn shows_files(command: &str) -> bool {
    does_only(command, |work| work.is_in(FILTERS) || work.is_in(READING))
}

fn does_only(command: &str, is_it: impl Fn(&Work) -> bool) -> bool {
    let mut works = works(command, MAX_LAYERS);
    works.retain(|work| !work.is_in(INERT));
    !works.is_empty() && works.iter().all(is_it)
}

/// The last list of pipes that does any work. What only sets the scene is left out, unless there is nothing else.
fn speaking(command: &str) -> Vec<Work> {
    let mut works = works(command, MAX_LAYERS);
    let mut is_last = true;
    while works.len() > 1 && works.pop_if(|work| work.is_in(INERT)).is_some() {
        is_last &= works.last().is_some_and(|work| work.joint != ";");
    }
    let before_last = &works[..works.len().saturating_sub(1)];
    let end = before_last.iter().rposition(|work| work.joint == ";");
    works.drain(..end.map_or(0, |end| end + 1));
    for work in &mut works {
        work.is_sure &= is_last;
    }
    if !works.iter().all(|work| work.is_in(INERT)) {
        works.retain(|work| !work.is_in(INERT));
    }
    works
}

/// The pipes of a command line, and of the command lines that are given to a shell as words in it.
fn works(command: &str, layers: usize) -> Vec<Work> {
    static INNER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"^(?:\S*/)?(?:bash|cmd|dash|fish|ksh|sh|zsh)(?: \S+)*? (?:-\w*c|/[cC]) (\S+)")
    });
    let mut works = Vec::new();
    for pipe in steps(command).split_inclusive(|step| step.joint != "|") {
        let joint = pipe.last().map_or("", |step| &step.joint);
        let lines: Vec<String> = pipe.iter().map(|step| without_leading(&step.line)).collect();
        if joint == "&" {
            // A program that runs on has not ended, and says nothing.
            works.clear();
        } else if let Some(inner) = INNER.captures(&lines[0]).filter(|_| layers > 0) {
            works.extend(self::works(&inner[1].replace('\u{1}', " "), layers - 1));
            if let Some(last) = works.last_mut() {
                joint.clone_into(&mut last.joint);
            }
        } else {
            let works_of = lines.iter().map(|line| Work {
                line: PROGRAM.replace(line, "$1$2$3").into_owned(),
                is_sure: false,
                joint: joint.to_owned(),
            });
            let mut all: Vec<Work> = works_of.collect();
            // The work of a pipe is done by the last step that is no filter.
            let main = all.iter().rposition(|work| !work.is_in(FILTERS));
            let is_alone = main.is_none_or(|main| main + 1 == all.len());
            all.truncate(main.map_or(all.len(), |main| main + 1));
            works.extend(all.pop().map(|work| Work {
                is_sure: is_alone,
                ..work
            }));
        }
    }
    works
}

/// The simple commands of a line, in order.
fn steps(command: &str) -> Vec<Step> {
    // Without the lines of here-documents.
    let mut text = String::new();
    let mut until = None;
    for line in command[..command.floor_char_boundary(MAX_COMMAND)].lines() {
        if until.is_none() {
            text = text + line + "\n";
            let begun = HEREDOC.captures(line).and_then(|found| found.get(1));
            until = begun.map(|end| end.as_str());
        } else if until == Some(line.trim()) {
            until = None;
        }
    }
    let (mut steps, mut line) = (Vec::<Step>::new(), String::new());
    for token in TOKEN.captures_iter(&text) {
        if token.name("gap").is_some() {
            line.push_str(if line.ends_with(' ') { "" } else { " " });
        } else if token.name("joint").is_some() {
            let joint = token[0].replace("|&", "|").replace('\n', ";");
            let step = std::mem::take(&mut line).trim().to_owned();
            if !step.is_empty() {
                steps.push(Step { line: step, joint });
            }
        } else {
            let part = token[0].trim_matches(['\'', '"']).replace("\\\"", "\"");
            let part = part.trim_start_matches('\\');
            line += &part.replace(char::is_whitespace, "\u{1}");
        }
    }
    steps
}

fn without_leading(line: &str) -> String {
    let mut line = line.to_owned();
    for _ in 0..MAX_LAYERS {
        line = LEADING
            .replace(&line, |found: &Captures<'_>| found[1].to_owned())
            .into_owned();
    }
    line
}

impl Work {
    pub(super) fn file(&self) -> &str {
        self.line.split(' ').next().unwrap_or_default()
    }

    /// The kind of the work, as far as its command says.
    pub(super) fn category(&self) -> Option<ErrorCategory> {
        static TABLE: LazyLock<[(ErrorCategory, Regex); 4]> = LazyLock::new(|| {
            WORK.map(|(category, programs, words)| {
                let of_task = task(&format!(r"(?:\S*?[-:_])??(?:{words})"));
                let any_task =
                    format!(r"^(?:{RUNNING_ALL})(?: \S+)*? (?:\S*?[-:_])?(?:{words})(?:[-:_.A-Z]|\s|$)");
                (category, pattern(&[rows(programs), of_task, any_task].join("|")))
            })
        });
        let row = TABLE.iter().find(|(_, rows)| rows.is_match(&self.line));
        let is_bare = || !self.line.contains(' ') && ["gmake", "make", "ninja"].contains(&self.file());
        row.map(|(category, _)| *category)
            .or_else(|| is_bare().then_some(Build))
    }

    /// The name under which it is known from call to call: the program and its command, `git push`.
    pub(super) fn name(&self) -> String {
        static TASK: LazyLock<Regex> = LazyLock::new(|| {
            pattern(&format!(
                r"^(?:{RUNNING}|{RUNNING_ALL}|{NAMED}) (?:[-+]\S+ )*((?:(?:{BEFORE_TASK}) )*)(?:\S*/)?([\w.:-]{{1,24}})(?: |$)"
            ))
        });
        let task = TASK.captures(&self.line);
        let mut name = task.map_or(self.file().to_owned(), |task| {
            format!("{} {}{}", self.file(), &task[1], &task[2])
        });
        name.truncate(name.floor_char_boundary(MAX_NAME));
        name
    }

    /// True when the project chose the name of its work.
    pub(super) fn runs_tasks(&self) -> bool {
        static RUNS: LazyLock<Regex> =
            LazyLock::new(|| pattern(&format!("^(?:{RUNNING}|{RUNNING_ALL})(?: |$)")));
        RUNS.is_match(&self.line)
    }

    /// True when it prints what others wrote.
    pub(super) fn shows_others(&self) -> bool {
        [FILTERS, SHOWING].iter().any(|rows| self.is_in(rows))
    }

    fn is_in(&self, table: &str) -> bool {
        static TABLES: LazyLock<HashMap<&str, Regex>> = LazyLock::new(|| {
            let tables = [INERT, FILTERS, SHOWING, LISTING, READING];
            tables.map(|table| (table, pattern(&rows(table)))).into()
        });
        TABLES[table].is_match(&self.line)
    }
}

/// The pattern of a task of a project with this name.
fn task(name: &str) -> String {
    format!(
        r"^(?:{RUNNING})(?: [-+]\S+(?: [^\s-]\S*)??| \w+=\S*| (?:{BEFORE_TASK}))*? (?:\S+/)?{name}(?:[-:_.A-Z]|\s|$)"
    )
}

/// The rows of a table as a pattern. Rows stand apart by commas; a row is a program and its first words, between which
/// options may stand; `*` is any beginning.
pub(super) fn rows(rows: &str) -> String {
    let row = |row: &str| {
        regex::escape(row)
            .replace(r"\*", r"\S+")
            .replace(' ', r"(?: [-+]\S+(?: [^\s-]\S*)??)*? ")
    };
    let rows: Vec<String> = rows.split(", ").map(row).collect();
    format!("^(?:{})(?: |$)", rows.join("|"))
}
