//! The kind of work that a program does, and the name under which it is known from call to call.

use super::program::Program;
use super::table::{Means, row};
use crate::capture::ErrorCategory::{self, Build, Lint, Test, Typecheck};

/// Characters of a name.
const MAX_NAME: usize = 60;

/// Programs whose next word is a command of theirs or the name of a task of the project, and tells what it does.
const TELLING: &str = "ant artisan astro bazel buf bun cabal cargo composer cross dart deno docker docker-compose dotnet \
    dune flutter forge gleam go gulp hardhat hatch helm just lerna mage maturin mise mix mkdocs nest next ng nimble nix \
    npm nuxt nx packer pdm pixi pnpm podman poe poetry rails remix rush rye sam stack swift tauri terraform trunk uv vite \
    wasm-pack yarn zig";

/// Programs all of whose words are tasks.
const RUNNING: &str = "gradle gradlew make mvn mvnw ninja rake run-p run-s sbt task turbo";

/// The categories of those programs when no task is named.
const BARE: [(&str, ErrorCategory); 3] = [("make", Build), ("ninja", Build), ("rake", Test)];

/// Programs whose next word belongs to their name, though it does not tell what kind of work it is.
const NAMED: &str = "apt apt-get aws brew gcloud gh git kubectl pip prisma service systemctl wrangler";

/// Words behind which the word that tells comes: `npm run`, `docker compose`, `yarn workspace web`.
const LEADING: &str =
    "affected buildx compose foreach hack image make run run-many run-script task workspace workspaces xtask";

/// Words in the name of a task or a script that tell its category.
const TASK_WORDS: [(ErrorCategory, &str); 4] = [
    (
        Typecheck,
        "mypy phpstan pyright tsc types typecheck typing vuetsc",
    ),
    (Test, TEST_WORDS),
    (Lint, LINT_WORDS),
    (Build, "assemble build bundle compile dist jar prebuild webpack"),
];

const TEST_WORDS: &str = "cov coverage cypress e2e integration jest nextest phpunit pytest rspec runtest spec specs test tests unit";

const LINT_WORDS: &str =
    "biome clippy detekt eslint fmt format ktlint lint linters precommit prettier ruff spotless style vet";

/// Words that make a task none of those, whatever follows: `start:test-server` starts a server.
const OTHER_WORDS: &str = "boot clean db deploy dev docs down generate install migrate preview publish release seed \
    serve server start stop storybook up watch";

/// Words beside the telling ones in the name of a script that does nothing else.
const BESIDE: &str = "all ci fix full local quick run";

/// Endings of the names of programs that do nothing else: `eslint`, `rustfmt`, `vitest`, `esbuild`.
const ENDINGS: [(ErrorCategory, &str); 3] = [
    (Lint, "lint fmt format"),
    (Test, "test unit spec"),
    (Build, "build"),
];

impl Program {
    /// The kind of its work, as far as its command says; `None` when it says nothing.
    pub(super) fn category(&self) -> Option<ErrorCategory> {
        let stem = self.file.split('.').next().unwrap_or(&self.file);
        let of_script = || of_command(stem, &self.args).or_else(|| of_script(stem));
        let is_script = self.interpreter.is_some() || self.is_path;
        of_work(&self.file, &self.args).or_else(|| of_script().filter(|_| is_script))
    }

    /// The name under which it is known from call to call: the program and its command, `git push`.
    pub(super) fn name(&self) -> String {
        let mut name = match self.interpreter {
            Some(interpreter) => format!("{interpreter} {}", self.file),
            None => self.file.clone(),
        };
        if self.runs_tasks() || is_among(NAMED, &self.file) {
            let after = behind_leading(&self.args);
            let leading = positionals(&self.args, 0).take_while(|word| word.at < after);
            let words = || positionals(&self.args, after);
            let task = words().find(|word| !word.may_be_value).or_else(|| words().next());
            let leading = leading.filter(|word| is_among(LEADING, word.text));
            for word in leading.chain(task).filter(|word| is_plain(word.text)) {
                name = format!("{name} {}", word.text);
            }
        }
        name.truncate(name.floor_char_boundary(MAX_NAME));
        name
    }

    /// True when the project chose the name of its work.
    pub(super) fn runs_tasks(&self) -> bool {
        is_among(TELLING, &self.file) || is_among(RUNNING, &self.file)
    }
}

/// The kind of a program's work, by the tables or by the names of its tasks.
pub(super) fn of_work(file: &str, args: &[String]) -> Option<ErrorCategory> {
    of_command(file, args).or_else(|| of_tasks(file, args))
}

/// Gives the category by the table of commands or by the ending of a program's name.
pub(super) fn of_command(file: &str, args: &[String]) -> Option<ErrorCategory> {
    let by_row = || match row(file, args)?.0.means {
        Means::Work(category) => Some(category),
        Means::Command(_) | Means::Script => None,
    };
    let ends = |ending: &str| file.len() > ending.len() && file.ends_with(ending);
    let by_ending = || ENDINGS.iter().find(|(_, endings)| endings.split(' ').any(ends));
    by_row().or_else(|| by_ending().map(|(category, _)| *category))
}

/// The category of the tasks that a program is to run; of several, of the last that has one.
fn of_tasks(file: &str, args: &[String]) -> Option<ErrorCategory> {
    let mut words: Vec<_> = positionals(args, behind_leading(args)).collect();
    let task = words
        .iter()
        .position(|word| !word.may_be_value && !word.text.contains('='));
    let tells = |word: &Positional| {
        let name = word.text.rsplit(':').next().unwrap_or(word.text);
        of_command(file, &[name.to_owned()]).or_else(|| of_name(word.text))
    };
    if is_among(RUNNING, file) {
        let bare = || BARE.iter().find(|(name, _)| *name == file && task.is_none());
        let named = words.iter().rev().find_map(tells);
        return named.or_else(|| bare().map(|(_, category)| *category));
    }
    // The word before the task may be the value of an option, or a task behind a switch: `pnpm -r test`.
    words.truncate(task.map_or(words.len(), |task| task + 1));
    words.iter().find_map(tells).filter(|_| is_among(TELLING, file))
}

/// Gives the place at which the arguments go on behind the words of a row. Another word may stand between as the value
/// of an option.
pub(super) fn first_words(row: &str, file: &str, args: &[String]) -> Option<usize> {
    let mut words = row.split(' ');
    if words.next() != Some(file) {
        return None;
    }
    words.try_fold(0, |after, word| {
        let at = if word.starts_with('-') {
            args.iter().position(|arg| arg == word)
        } else {
            let found = positionals(args, after).find(|found| found.text == word || !found.may_be_value);
            found.filter(|found| found.text == word).map(|found| found.at)
        };
        at.map(|at| at + 1)
    })
}

/// Gives the place at which the arguments go on behind the words that only lead to the telling word.
pub(super) fn behind_leading(args: &[String]) -> usize {
    let mut after = 0;
    while let Some(word) = positionals(args, after).find(|word| is_leading(word) || !word.may_be_value)
        && is_leading(&word)
    {
        after = word.at + 1 + usize::from(word.text == "workspace");
    }
    after.min(args.len())
}

fn is_leading(word: &Positional) -> bool {
    is_among(LEADING, word.text)
}

/// A word among the arguments that is no option.
pub(super) struct Positional<'a> {
    pub(super) at: usize,
    text: &'a str,
    /// An option stands before it.
    may_be_value: bool,
}

/// The words among the arguments, from a place on, that are neither options nor surely the value of one.
pub(super) fn positionals(args: &[String], from: usize) -> impl Iterator<Item = Positional<'_>> {
    args.iter().enumerate().skip(from).filter_map(move |(at, text)| {
        let before = at.checked_sub(1).map_or("", |before| &args[before]);
        let may_be_value = before.starts_with('-') && !before.contains('=');
        (!text.starts_with(['-', '+'])).then_some(Positional {
            at,
            text,
            may_be_value,
        })
    })
}

/// True when a list, parted by spaces, holds a word.
pub(super) fn is_among(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|one| one == word)
}

/// Gives the category by the first telling word of a name.
fn of_name(name: &str) -> Option<ErrorCategory> {
    let words = words(name);
    let until_other = words.iter().take_while(|word| !is_among(OTHER_WORDS, word));
    until_other.enumerate().find_map(|(at, word)| {
        // `type-check`, `pre-commit`.
        let next = words.get(at + 1).map_or("", String::as_str);
        of_word(&format!("{word}{next}")).or_else(|| of_word(word))
    })
}

/// The category of a script that is run by its path: only when its name says nothing else (`run_tests.sh`), since
/// `format_data.py` is no formatter.
fn of_script(stem: &str) -> Option<ErrorCategory> {
    let mut words = words(stem);
    words.retain(|word| !is_among(BESIDE, word));
    let says_more = words.iter().any(|word| of_word(word).is_none());
    of_name(&words.join("-")).filter(|_| !says_more)
}

fn of_word(word: &str) -> Option<ErrorCategory> {
    let row = TASK_WORDS.iter().find(|(_, words)| is_among(words, word));
    row.map(|(category, _)| *category)
}

/// The words of a name, in lower case: parted by signs and by capitals.
fn words(name: &str) -> Vec<String> {
    let mut parted = String::new();
    for c in name.chars() {
        if c.is_uppercase() && parted.ends_with(char::is_lowercase) {
            parted.push(' ');
        }
        parted.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    parted.split_whitespace().map(str::to_lowercase).collect()
}

/// A word that can be a part of a name: no path, no value.
fn is_plain(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    word.len() <= 24 && word.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::shell::program::tests::program;

    /// Commands and the categories that the names of their tasks tell; nothing for the word `none`.
    const CASES: &str = "
test: npm --prefix web run test:unit, npm run -w web test, pnpm -r test, yarn workspace web test, nx run web:test
test: yarn workspaces foreach -A run test, ./gradlew :app:testDebugUnitTest, ./mvnw clean test, cargo +nightly nextest run
test: ./run_tests.sh, bash scripts/test.sh, bin/rails test
typecheck: npm run type-check, npm run check:types, pnpm tsc -b
lint: yarn lint, cargo fmt -- --check, go vet ./...
build: make, make -j8 V=1, make -C tests all, ninja -C out, yarn vite build, pnpm -w build, npm run build:test
build: docker compose -f a.yml build web, gradle compileTestJava
none: make deploy, npm run dev, npm run start:test-server, npm install, cargo run, cat test.txt, git commit -m 'add test'
none: test -f Cargo.toml, mkdir build, psql test, node scripts/seed.js, python format_data.py, yarn add eslint, vim test.rs
";

    #[test]
    fn the_name_of_a_task_tells() {
        for row in CASES.trim().lines() {
            let (expected, lines) = row.split_once(": ").unwrap();
            for line in lines.split(", ") {
                assert_eq!(program(line).category(), ErrorCategory::parse(expected), "{line}");
            }
        }
    }

    #[test]
    fn a_name_stays_the_same_from_call_to_call() {
        for (line, name) in [
            ("git -C x push --force origin main", "git push"),
            ("docker compose -f a.yml up -d", "docker compose up"),
            ("python3 ./manage.py migrate", "python manage.py"),
            ("npm --prefix web run seed", "npm run seed"),
            ("sudo systemctl restart x", "systemctl restart"),
            ("/usr/bin/curl -s https://x", "curl"),
        ] {
            assert_eq!(program(line).name(), name, "{line}");
        }
    }
}
