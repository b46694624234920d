//! A command line: the programs that it runs, the kind of their work, and for which of them its exit code speaks. A
//! reading, not an execution: what it does not know it passes over.

use std::sync::LazyLock;

use regex::Regex;

use super::ErrorCategory::{self, Build, Lint, Test, Typecheck};
use crate::text::pattern;

/// Bytes of a command line that are read.
const MAX_COMMAND: usize = 64 * 1024;

/// Wrappers, and command lines within command lines, that are taken off.
const MAX_LAYERS: usize = 8;

/// Characters of a name.
const MAX_NAME: usize = 60;

/// What a line is made of: comments, quotations, substitutions, redirections, joints, and the rest of words.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?sx) \\\n | \#[^\n]* | '[^']*'? | "(?:\\.|[^"\\])*"? | \$\((?:[^()]|\([^()]*\))*\)? | `[^`]*`? | \\.?
        | && | \d*(?:<<<|<<-?|<>|<|&>>?|>>|>)[&|]? | \|[|&]? | [\ \t\r()]+ | [^\s'"`\\$<>&|;()]+ | ."#,
    )
});

/// The beginning of a here-document.
static HEREDOC: LazyLock<Regex> = LazyLock::new(|| pattern(r#"<<-?\s*['"]?(\w+)"#));

/// Words of the shell's own before a command.
const KEYWORDS: &str = "{ } then else do fi done esac";

/// Words behind which nothing says how the whole line went.
const CONDITIONS: &str = "if elif while until ! for case select function";

/// Programs that set the scene, wait or speak: what they return says nothing about the work before them.
const INERT: &str = ". : alias cd date declare echo exit export false kill local popd printf pushd pwd read return set \
    shift shopt sleep source trap true umask unset wait";

/// Programs at the end of a pipe that show all of what comes in, or its first or last lines: a failure is still seen.
const PASSING: &str = "bat cat head less more tail tee ts";

/// Programs at the end of a pipe that choose or change lines: what they leave out is not seen.
const CHOOSING: &str = "ag awk column cut egrep fgrep fold grep jq nl perl rg sed sort tr uniq wc";

/// Programs that answer by exit code 1: "no", "different", "not there".
const ANSWERING: &str = "[, [[, ag, cmp, command, diff, egrep, expr, fgrep, git check-ignore, git diff, git grep, git merge-base, \
    grep, pgrep, rg, systemctl is-active, test, type, which";

/// Programs that print what others wrote; only a line that begins with their name is their own.
const SHOWING: &str = "docker compose logs, docker logs, find, git blame, git log, git show, journalctl, kubectl logs, ls, tree";

/// Commands that list files and print little else, and arguments by which they do something with them.
const LISTING: &str =
    "ls, find, fd, fdfind, tree, du, exa, eza, lsd, locate, git ls-files, git ls-tree, rg --files";
const DOING: &str = "-exec -execdir -ok -x --exec -delete";

/// What only leads to a command: variables, and programs with their options and a word of their own.
static LEADING: LazyLock<Regex> = LazyLock::new(|| {
    let options = r"(?: (?:(?:-[CILPWXdegknoprsuvw]|--(?:env|extra|from|group|package|project|python|user|with)) \S+|-\S+))*?";
    let leading = r"^(?:\w+=\S*|(?:\S*/)?(?:(?:bunx|command|cross-env|env|nice|nohup|npx|stdbuf|sudo|time|uvx|xargs|bundle exec
        |(?:npm|pnpm)@ exec|poetry run|uv run)@|(?:timeout|docker(?: compose@)? (?:exec|run)|kubectl@ exec)@ [^\s-]\S*))(?: --)? ([^\s-].*)$";
    pattern(&leading.replace("\n        ", "").replace('@', options))
});

/// Programs that run a script, or the module behind `-m`; not where code stands on the line.
static SCRIPTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\S*/)?(bash|coverage run|node|php|python|ruby|sh|ts-node|tsx)[\d.]*(?: (?:(?:-[ILWXdlnr]|--(?:import|loader|require)) \S+|-(?:[^\scemp-]|-[^\sept])\S*))* (-m )?([^\s-].*)$",
    )
});

/// The kind of work of programs and their commands; `*` is any beginning.
const WORK: [(ErrorCategory, &str); 4] = [
    (
        Build,
        "cargo doc, cc, clang, clang++, cmake, g++, gcc, *-gcc, javac, make all, mvn install, mvn package, rustc, tsup, webpack, *build",
    ),
    (
        Lint,
        "biome, black, cargo deny, flake8, flutter analyze, php-cs-fixer, phpcs, pre-commit, prettier, rubocop, ruff, \
         shellcheck, terraform validate, *lint, *fmt, *format",
    ),
    (
        Test,
        "cargo miri test, cargo t, cypress, gotestsum, gradle check, gradlew check, jest, make check, manage.py test, mocha, mvn verify, \
         node --test, npm t, pest, playwright, tox, xcodebuild test, zig build test, *test, *unit, *spec",
    ),
    (
        Typecheck,
        "cargo c, cargo check, cargo hack check, deno check, mypy, phpstan, pyright, svelte-check, tsc, tsgo, vue-tsc",
    ),
];

/// Programs that run tasks of a project, by the next word; those all of whose words are tasks; and others whose next
/// word belongs to their name.
const RUNNING_ONE: &str = "ant artisan astro bazel bun cabal cargo composer dart deno docker docker-compose dotnet dune flutter \
    forge gleam go hatch helm just lerna mage maturin mise mix next ng nimble nix npm nuxt nx pdm pixi pnpm poe poetry rails remix \
    rush rye stack swift tauri terraform trunk uv vite wasm-pack yarn zig";
const RUNNING_ALL: &str = "gmake gradle gradlew make mvn mvnw ninja rake sbt task turbo";
const NAMED: &str = "apt apt-get aws brew gcloud gh git kubectl pip prisma service systemctl wrangler";

/// Words before the task: `npm run`, `docker compose`.
const BEFORE_TASK: &str =
    "affected buildx compose foreach hack image make run run-many run-script task workspace workspaces xtask";

/// Words in the name of a task or a script that tell what it does.
const TASK_WORDS: [(ErrorCategory, &str); 4] = [
    (Typecheck, "tsc types typecheck typing"),
    (
        Test,
        "cov coverage cypress e2e integration jest pytest runtest spec specs test tests unit",
    ),
    (
        Lint,
        "biome clippy detekt eslint fmt format lint linters precommit prettier ruff spotless style vet",
    ),
    (Build, "assemble build bundle compile dist jar prebuild"),
];

/// Words that make a task none of those, whatever follows: `start:test-server` starts a server.
const OTHER_WORDS: &str = "boot clean db deploy dev docs down generate install migrate preview publish release seed \
    serve server start stop storybook up watch";

/// Words beside the telling ones in the name of a script that does nothing else.
const BESIDE: &str = "all ci fix full local quick run";

/// One simple command of a line.
#[derive(Debug, Default)]
struct Step {
    words: Vec<String>,
    /// What stands behind it: `&&`, `||`, `|`, `;`, `&`.
    joint: String,
    /// Its output goes into a file.
    is_hidden: bool,
}

/// A program and its arguments, without what only leads to it.
#[derive(Debug)]
pub(super) struct Program {
    /// Its words. The first is its file, without folder, version and extension of an executable.
    pub(super) words: Vec<String>,
    /// The interpreter that reads it.
    interpreter: Option<String>,
    is_path: bool,
}

/// How surely an exit code 0 says that a work succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    Sure,
    /// Another program's code came last (`npm test | tail`): when the output shows no failure.
    IfClean,
    /// What it printed is not seen.
    Unknown,
}

/// A pipe, by the program that does its work.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) program: Program,
    pub(super) certainty: Certainty,
    joint: String,
}

/// The works that have succeeded when a command line returns 0, in order.
pub(super) fn succeeded(command: &str) -> Vec<Work> {
    let (mut works, is_last) = speaking(command);
    // Either what stands before the `||` succeeded, or what stands behind it.
    let or = works.iter().position(|work| work.joint == "||");
    works.truncate(or.map_or(works.len(), |or| or + 1));
    if !is_last || or.is_some() {
        for work in &mut works {
            work.certainty = work.certainty.max(Certainty::IfClean);
        }
    }
    without_inert(works)
}

/// The works of which one has failed when a command line returns more than 0, in order.
pub(super) fn failed(command: &str) -> Vec<Work> {
    let (mut works, _) = speaking(command);
    let or = before_last(&works).iter().rposition(|work| work.joint == "||");
    works.drain(..or.map_or(0, |or| or + 1));
    without_inert(works)
}

/// True when all that a command line does is to list files.
pub fn lists_files(command: &str) -> bool {
    let works = without_inert(works(command, MAX_LAYERS));
    let lists = |work: &Work| {
        let does = |word: &String| is_among(DOING, word);
        work.program.is_in(LISTING) && !work.program.words.iter().any(does)
    };
    !works.is_empty() && works.iter().all(lists)
}

/// The last list of pipes that does any work, and whether its exit code is that of the whole line.
fn speaking(command: &str) -> (Vec<Work>, bool) {
    let mut works = works(command, MAX_LAYERS);
    let mut is_last = true;
    while works.len() > 1 && works.pop_if(|work| work.is_inert()).is_some() {
        is_last &= works.last().is_some_and(|work| work.joint != ";");
    }
    let end = before_last(&works).iter().rposition(|work| work.joint == ";");
    works.drain(..end.map_or(0, |end| end + 1));
    (works, is_last)
}

fn before_last(works: &[Work]) -> &[Work] {
    &works[..works.len().saturating_sub(1)]
}

/// Works that set the scene are left out, unless there is nothing else.
fn without_inert(mut works: Vec<Work>) -> Vec<Work> {
    if !works.iter().all(Work::is_inert) {
        works.retain(|work| !work.is_inert());
    }
    works
}

/// The pipes of a command line, and of the command lines that are given as words in it.
fn works(command: &str, layers: usize) -> Vec<Work> {
    let mut works = Vec::new();
    let sees_pipes = command.contains("pipefail");
    for pipe in steps(command).split_inclusive(|step| step.joint != "|") {
        let joint = pipe.last().map_or(";", |step| &step.joint);
        if joint == "&" {
            // A program that runs on has not ended, and says nothing.
            works.clear();
        } else if let Some(line) = inner_line(&pipe[0]).filter(|_| layers > 0) {
            works.extend(self::works(&line, layers - 1));
            if let Some(last) = works.last_mut() {
                joint.clone_into(&mut last.joint);
            }
        } else {
            works.extend(work(pipe, joint, sees_pipes));
        }
    }
    works
}

/// The work of a pipe is done by the last step that is no filter.
fn work(pipe: &[Step], joint: &str, sees_pipes: bool) -> Option<Work> {
    let programs = pipe
        .iter()
        .filter_map(|step| Some((program(&step.words)?, step.is_hidden)));
    let mut programs: Vec<(Program, bool)> = programs.collect();
    let main = programs.iter().rposition(|(program, _)| !program.is_filter());
    let filters = programs.split_off(main.map_or(programs.len(), |main| main + 1));
    let (program, is_hidden) = programs.pop()?;
    let hides = |(filter, is_hidden): &(Program, bool)| *is_hidden || is_among(CHOOSING, filter.file());
    let certainty = if filters.is_empty() || sees_pipes {
        Certainty::Sure
    } else if is_hidden || filters.iter().any(hides) {
        Certainty::Unknown
    } else {
        Certainty::IfClean
    };
    let joint = joint.to_owned();
    Some(Work {
        program,
        certainty,
        joint,
    })
}

impl Work {
    fn is_inert(&self) -> bool {
        is_among(INERT, self.program.file())
    }
}

/// The simple commands of a line, in order.
fn steps(command: &str) -> Vec<Step> {
    let text = without_heredocs(&command[..command.floor_char_boundary(MAX_COMMAND)]);
    let (mut steps, mut step, mut word) = (Vec::new(), Step::default(), None::<String>);
    let mut redirection = "";
    for token in TOKEN.find_iter(&text).map(|token| token.as_str()).chain(["\n"]) {
        let is_joint = matches!(token, "&&" | "||" | "|" | "|&" | ";" | "\n" | "&");
        let is_redirection =
            token.contains(['<', '>']) && !token.starts_with(['\'', '"', '$', '`', '\\', '#']);
        if token == "\\\n" || token.starts_with('#') && word.is_none() {
            continue;
        }
        if !is_joint && !is_redirection && !token.starts_with([' ', '\t', '\r', '(', ')']) {
            let part = token.trim_matches(['\'', '"']).replace("\\\"", "\"");
            word.get_or_insert_default()
                .push_str(part.trim_start_matches('\\'));
            continue;
        }
        if let Some(word) = word.take() {
            if redirection.is_empty() {
                step.add(word);
            } else {
                // Into a file, not into another descriptor, and not what goes to standard error.
                step.is_hidden |=
                    redirection.contains('>') && !redirection.contains("2>") && !redirection.ends_with('&');
            }
            redirection = "";
        }
        if is_redirection {
            redirection = token;
        }
        if is_joint {
            step.joint = token.replace("|&", "|").replace('\n', ";");
            let step = std::mem::take(&mut step);
            match step.words.first() {
                Some(word) if is_among(CONDITIONS, word) => {}
                Some(_) => steps.push(step),
                // `(a; b) | c`: what follows the bracket follows the last step in it.
                None => {
                    if let Some(last) = steps.last_mut().filter(|last: &&mut Step| last.joint == ";") {
                        last.joint = step.joint;
                    }
                }
            }
        }
    }
    steps
}

/// Without the lines of here-documents.
fn without_heredocs(text: &str) -> String {
    let mut until = None;
    let lines = text.split_inclusive('\n').filter(|line| {
        let is_body = until.is_some();
        if until.is_none() {
            until = HEREDOC
                .captures(line)
                .and_then(|found| found.get(1))
                .map(|end| end.as_str());
        } else if until == Some(line.trim()) {
            until = None;
        }
        !is_body
    });
    lines.collect()
}

impl Step {
    fn add(&mut self, word: String) {
        if !self.words.is_empty() || !is_among(KEYWORDS, &word) {
            self.words.push(word);
        }
    }
}

/// The command line that is given to a shell as a word, whatever leads to the shell.
fn inner_line(step: &Step) -> Option<String> {
    static INNER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"^(?:\S*/)?(?:bash|cmd|dash|fish|ksh|sh|zsh)(?: \S+)*? (?:-\w*c|/[cC]) (\S+)")
    });
    let line = without_leading(&step.words);
    INNER.captures(&line).map(|found| found[1].replace('\u{1}', " "))
}

/// The words of a step, parted by spaces, without what only leads to a program.
fn without_leading(words: &[String]) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.replace(char::is_whitespace, "\u{1}"))
        .collect();
    let mut line = words.join(" ");
    for _ in 0..MAX_LAYERS {
        let Some(found) = LEADING.captures(&line) else {
            break;
        };
        line = found[1].to_owned();
    }
    line
}

/// The program that some words really run.
fn program(words: &[String]) -> Option<Program> {
    static AROUND: LazyLock<Regex> = LazyLock::new(|| pattern(r"^.*[/\\]|(?:\.exe|\.cmd|\.bat)$"));
    static VERSION: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(clang|clang\+\+|g\+\+|gcc|php|pip|python|ruby)[\d.-]+$|^([^@]+)@.*$"));
    let mut line = without_leading(words);
    let mut interpreter = None;
    if let Some(found) = SCRIPTED.captures(&line) {
        interpreter = Some(found[1].to_owned()).filter(|_| found.get(2).is_none());
        line = found[3].to_owned();
    }
    let (first, args) = line.split_once(' ').unwrap_or((&line, ""));
    let file = AROUND.replace_all(first, "");
    let file = VERSION.replace(&file, "$1$2").into_owned();
    let is_nothing = file.is_empty() || first.contains('=');
    (!is_nothing).then(|| Program {
        is_path: first.contains(['/', '\\']),
        words: [file]
            .into_iter()
            .chain(args.split_whitespace().map(str::to_owned))
            .collect(),
        interpreter,
    })
}

impl Program {
    pub(super) fn file(&self) -> &str {
        &self.words[0]
    }

    /// The kind of its work, as far as its command says.
    pub(super) fn category(&self) -> Option<ErrorCategory> {
        let stem = self.file().split('.').next().unwrap_or_default();
        let is_script = self.interpreter.is_some() || self.is_path;
        let of_stem = || of_table(stem).or_else(|| of_script(stem));
        of_table(&self.words.join(" "))
            .or_else(|| self.of_tasks())
            .or_else(|| is_script.then(of_stem)?)
    }

    /// The kind of work of the tasks that it runs. The word behind an option may be its value, or a task behind a switch:
    /// `pnpm -r test`.
    fn of_tasks(&self) -> Option<ErrorCategory> {
        let file = self.file();
        let runs_many = is_among(RUNNING_ALL, file);
        let mut tasks = self.tasks().peekable();
        if tasks.peek().is_none() && is_among("gmake make ninja", file) {
            return Some(Build);
        }
        for (at, may_be_value) in tasks.filter(|_| self.runs_tasks()) {
            let word = &self.words[at];
            let own = word.rsplit(':').next().unwrap_or(word);
            let category = of_table(&format!("{file} {own}"))
                .or_else(|| of_table(&self.words[at..].join(" ")))
                .or_else(|| of_name(word));
            if category.is_some() || !(may_be_value || runs_many) {
                return category;
            }
        }
        None
    }

    /// The places of the words that may be tasks, and whether each may be the value of an option.
    fn tasks(&self) -> impl Iterator<Item = (usize, bool)> {
        let words = self.words.iter().enumerate().skip(1);
        let tasks = words.filter(|(_, word)| {
            !word.starts_with(['-', '+']) && !word.contains('=') && !is_among(BEFORE_TASK, word)
        });
        tasks.map(|(at, _)| {
            let before = &self.words[at - 1];
            (at, before.starts_with('-') || before == "workspace")
        })
    }

    /// The name under which it is known from call to call: the program and its command, `git push`.
    pub(super) fn name(&self) -> String {
        let mut name = self
            .interpreter
            .as_ref()
            .map_or(String::new(), |interpreter| format!("{interpreter} "));
        name += self.file();
        if self.runs_tasks() || is_among(NAMED, self.file()) {
            let task = self.tasks().find(|(_, may_be_value)| !may_be_value);
            let task = task.map_or(self.words.len(), |(at, _)| at);
            let leading = self.words[1..task]
                .iter()
                .filter(|word| is_among(BEFORE_TASK, word));
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
            let is_plain = |word: &&String| word.len() <= 24 && word.chars().all(is_part);
            for word in leading.chain(self.words.get(task).filter(is_plain)) {
                name = format!("{name} {word}");
            }
        }
        name.truncate(name.floor_char_boundary(MAX_NAME));
        name
    }

    /// True when the project chose the name of its work.
    pub(super) fn runs_tasks(&self) -> bool {
        is_among(RUNNING_ONE, self.file()) || is_among(RUNNING_ALL, self.file())
    }

    /// True when its exit code 1 is an answer, not a failure.
    pub(super) fn is_answering(&self) -> bool {
        self.is_in(ANSWERING)
    }

    /// True when it shows or changes its input from a pipe.
    fn is_filter(&self) -> bool {
        is_among(PASSING, self.file()) || is_among(CHOOSING, self.file())
    }

    /// True when it prints what others wrote.
    pub(super) fn shows_others(&self) -> bool {
        self.is_answering() || self.is_filter() || self.is_in(SHOWING)
    }

    fn is_in(&self, rows: &'static str) -> bool {
        rows_of(rows).is_match(&self.words.join(" "))
    }
}

fn of_table(line: &str) -> Option<ErrorCategory> {
    static TABLE: LazyLock<[(ErrorCategory, Regex); 4]> =
        LazyLock::new(|| WORK.map(|(category, rows)| (category, rows_of(rows))));
    let row = TABLE.iter().find(|(_, rows)| rows.is_match(line));
    row.map(|(category, _)| *category)
}

/// The rows of a table as a pattern. Rows stand apart by commas; a row is a program and its first words, between which
/// options may stand; `*` is any beginning.
pub(super) fn rows_of(rows: &str) -> Regex {
    let row = |row: &str| {
        regex::escape(row)
            .replace(r"\*", r"\S+")
            .replace(' ', r"(?: [-+]\S+(?: [^\s-]\S*)??)*? ")
    };
    let rows: Vec<String> = rows.split(", ").map(row).collect();
    pattern(&format!("^(?:{})(?: |$)", rows.join("|")))
}

/// The category by the first telling word of a name: `test:unit`, `type-check`.
fn of_name(name: &str) -> Option<ErrorCategory> {
    let words = words(name);
    let until_other = words.iter().take_while(|word| !is_among(OTHER_WORDS, word));
    until_other.enumerate().find_map(|(at, word)| {
        let next = words.get(at + 1).map_or("", String::as_str);
        of_word(&format!("{word}{next}")).or_else(|| of_word(word))
    })
}

/// The category of a script that is run by its path: only when its name says nothing else (`run_tests.sh`), since
/// `format_data.py` is no formatter.
fn of_script(stem: &str) -> Option<ErrorCategory> {
    let words = words(stem).into_iter().filter(|word| !is_among(BESIDE, word));
    let categories: Option<Vec<_>> = words.map(|word| of_word(&word)).collect();
    categories?.first().copied()
}

fn of_word(word: &str) -> Option<ErrorCategory> {
    let row = TASK_WORDS.iter().find(|(_, words)| is_among(words, word));
    row.map(|(category, _)| *category)
}

/// The words of a name, in lower case: parted by signs and by capitals.
fn words(name: &str) -> Vec<String> {
    static PART: LazyLock<Regex> = LazyLock::new(|| pattern(r"\p{Lu}?[\p{Ll}\d]+|\p{Lu}+"));
    PART.find_iter(name)
        .map(|part| part.as_str().to_lowercase())
        .collect()
}

/// True when a list, parted by spaces, holds a word.
pub(super) fn is_among(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|one| one == word)
}
