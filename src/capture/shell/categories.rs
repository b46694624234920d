//! The kind of work that a program does, and the name under which it is known from call to call.

use super::program::Program;
use super::tables::COMMANDS;
use crate::capture::ErrorCategory::{self, Build, Lint, Test, Typecheck};

/// Characters of a name.
const MAX_NAME: usize = 60;

/// Words that are read of a command behind a task runner.
const MOST_WORDS: usize = 8;

/// Endings of the names of programs that do nothing else: `eslint`, `rustfmt`, `vitest`, `esbuild`.
const ENDINGS: &[(&str, ErrorCategory)] = &[
    ("lint", Lint),
    ("lint-cli2", Lint),
    ("fmt", Lint),
    ("format", Lint),
    ("pytest", Test),
    ("test", Test),
    ("unit", Test),
    ("spec", Test),
    ("build", Build),
];

/// Programs whose next word is a command of theirs or the name of a task of the project, and tells what it does.
const TELLING: &str = "anchor ant artisan astro bazel bazelisk buck2 buf bun cabal cargo composer cross dart deno \
    docker docker-compose dotnet dune expo flutter forge gatsby gleam go grunt gulp hardhat hatch helm inv invoke \
    jekyll just lerna mage maturin mdbook mise mix mkdocs moon nest next ng nimble nix npm nuxt nx packer pdm pixi \
    pnpm podman poe poetry rails react-scripts remix rush rushx rye sam stack swift tauri terraform tofu trunk uv \
    vite vue-cli-service wasm-pack yarn zig";

/// Words behind which the word that tells comes: `npm run`, `docker compose`, `yarn workspace web`.
const LEADING: &str =
    "affected buildx compose foreach hack image make run run-many run-script task workspace workspaces xtask";

/// Those all of whose words are tasks, and the category when none is named.
const ALL_TASKS: &[(&str, Option<ErrorCategory>)] = &[
    ("gmake", Some(Build)),
    ("gradle", None),
    ("gradlew", None),
    ("make", Some(Build)),
    ("mvn", None),
    ("mvnw", None),
    ("ninja", Some(Build)),
    ("rake", Some(Test)),
    ("run-p", None),
    ("run-s", None),
    ("sbt", None),
    ("task", None),
    ("turbo", None),
];

/// Programs whose next word belongs to their name, though it does not tell what kind of work it is.
const NAMED: &str = "apt apt-get aws brew flyctl gcloud gh git heroku kubectl pip prisma service supabase systemctl \
    vercel wrangler";

/// Options of these programs whose value is the next word.
const VALUED: &str = "-C -F -chdir -f -pl --cwd --dir --file --filter --prefix --project";

/// What the words of a task's or a script's name tell.
const TASK_WORDS: &[(ErrorCategory, &str)] = &[
    (
        Typecheck,
        "dialyzer mypy phpstan pyright tsc types typecheck typing vuetsc",
    ),
    (
        Test,
        "cov coverage cypress e2e integration jest nextest phpunit pytest rspec runtest spec specs test tests unit",
    ),
    (
        Lint,
        "biome checkstyle clippy detekt eslint fmt format ktlint lint linters lints precommit prettier ruff style vet",
    ),
    (
        Build,
        "assemble build bundle compile dist jar make prebuild webpack",
    ),
];

/// Words that make a task none of those, whatever follows: `start:test-server` starts a server.
const OTHER_WORDS: &str = "boot clean db deploy dev docs down generate install migrate preview publish release seed \
    serve server start stop storybook up watch";

/// Words beside the telling ones in the name of a script that does nothing else.
const BESIDE: &str = "all ci fix full local quick run";

/// How a program takes the words behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// The next one names a command or a task.
    Task,
    /// All of them name tasks; the category when there is none.
    Tasks(Option<ErrorCategory>),
    /// The next one names a command that tells nothing.
    Name,
}

impl Program {
    /// The kind of its work, as far as its command says; `None` when it says nothing.
    pub(super) fn category(&self) -> Option<ErrorCategory> {
        let stem = self.file.split('.').next().unwrap_or(&self.file);
        let is_script = self.interpreter.is_some() || self.is_path;
        of_command(&self.file, &self.args)
            .or_else(|| of_command(stem, &self.args).filter(|_| is_script))
            .or_else(|| of_tasks(&self.file, &self.args))
            .or_else(|| of_script(stem).filter(|_| is_script))
    }

    /// The name under which it is known from call to call: the program and its command, `git push`.
    pub(super) fn name(&self) -> String {
        let mut name = match self.interpreter {
            Some(interpreter) => format!("{interpreter} {}", self.file),
            None => self.file.clone(),
        };
        if takes(&self.file).is_some() {
            let after = behind_leading(&self.args);
            let words = || positionals(&self.args, after);
            let task = words().find(|word| !word.may_be_value).or_else(|| words().next());
            let leading =
                positionals(&self.args, 0).filter(|word| word.at < after && is_among(LEADING, word.text));
            for word in leading.chain(task.filter(|word| is_plain(word.text))) {
                name = format!("{name} {}", word.text);
            }
        }
        name.truncate(name.floor_char_boundary(MAX_NAME));
        name
    }

    /// Whether the project chose the name of its work.
    pub(super) fn runs_tasks(&self) -> bool {
        matches!(takes(&self.file), Some(Takes::Task | Takes::Tasks(_)))
    }
}

fn takes(file: &str) -> Option<Takes> {
    match ALL_TASKS.iter().find(|(name, _)| *name == file) {
        Some((_, when_bare)) => Some(Takes::Tasks(*when_bare)),
        None if is_among(TELLING, file) => Some(Takes::Task),
        None => is_among(NAMED, file).then_some(Takes::Name),
    }
}

/// What the table of commands or the ending of a program's name says.
pub(super) fn of_command(file: &str, args: &[String]) -> Option<ErrorCategory> {
    let fitting = COMMANDS
        .iter()
        .filter(|row| first_words(row.words, file, args).is_some());
    let by_row = fitting.max_by_key(|row| row.words.len()).map(|row| row.category);
    by_row.or_else(|| {
        let is_ending = |(ending, _): &&(&str, _)| file.len() > ending.len() && file.ends_with(ending);
        ENDINGS.iter().find(is_ending).map(|(_, category)| *category)
    })
}

/// The category of the tasks that a program is to run; of several, of the last that has one.
pub(super) fn of_tasks(file: &str, args: &[String]) -> Option<ErrorCategory> {
    let takes = takes(file)?;
    let mut found = None;
    let mut has_task = false;
    for word in positionals(args, behind_leading(args)) {
        let task = word.text.rsplit(':').next().unwrap_or(word.text);
        found = of_command(file, &[task.to_owned()])
            .or_else(|| of_name(word.text))
            .or(found);
        has_task |= !word.may_be_value && !word.text.contains('=');
        if takes == Takes::Task {
            // `yarn vite build` runs a program of the project, though `vite` might be a task.
            let rest = &args[word.at + 1..args.len().min(word.at + MOST_WORDS)];
            found = found.or_else(|| of_command(word.text, rest).or_else(|| of_tasks(word.text, rest)));
            if has_task || found.is_some() {
                return found;
            }
        }
    }
    match takes {
        Takes::Task => found,
        Takes::Tasks(when_bare) if !has_task => found.or(when_bare),
        Takes::Tasks(_) => found,
        Takes::Name => None,
    }
}

/// Where the arguments go on behind the words of a row. A word that is none of them may stand between as the value of
/// an option.
pub(super) fn first_words(row: &str, file: &str, args: &[String]) -> Option<usize> {
    let mut words = row.split(' ');
    if words.next() != Some(file) {
        return None;
    }
    let mut after = 0;
    for word in words {
        let at = if word.starts_with('-') {
            args.iter().position(|arg| arg == word)
        } else {
            let mut candidates = positionals(args, after);
            candidates
                .find(|found| found.text == word || !found.may_be_value)
                .filter(|found| found.text == word)
                .map(|found| found.at)
        };
        after = at? + 1;
    }
    Some(after)
}

/// Where the arguments go on behind the words that only lead to the one that tells.
fn behind_leading(args: &[String]) -> usize {
    let mut after = 0;
    while let Some(word) =
        positionals(args, after).find(|word| is_among(LEADING, word.text) || !word.may_be_value)
        && is_among(LEADING, word.text)
    {
        let is_named = word.text == "workspace";
        after = word.at + 1 + usize::from(is_named);
    }
    after.min(args.len())
}

/// A word among the arguments that is no option.
struct Positional<'a> {
    at: usize,
    text: &'a str,
    /// An option stands before it.
    may_be_value: bool,
}

/// The words among the arguments, from a place on, that are neither options nor surely the value of one.
fn positionals(args: &[String], from: usize) -> impl Iterator<Item = Positional<'_>> {
    args.iter().enumerate().skip(from).filter_map(move |(at, text)| {
        let before = at.checked_sub(1).map(|before| args[before].as_str());
        let option = before.filter(|before| before.starts_with('-') && !before.contains('='));
        let is_value = option.is_some_and(|option| is_among(VALUED, option));
        let is_toolchain = text.starts_with('+');
        (!is_value && !is_toolchain && !text.starts_with('-')).then_some(Positional {
            at,
            text,
            may_be_value: option.is_some(),
        })
    })
}

/// Whether a list, parted by spaces, holds a word.
pub(super) fn is_among(list: &str, word: &str) -> bool {
    list.split(' ')
        .filter(|one| !one.is_empty())
        .any(|one| one == word)
}

/// What the first telling word of a name says.
fn of_name(name: &str) -> Option<ErrorCategory> {
    let words = words(name);
    for (at, word) in words.iter().enumerate() {
        if is_among(OTHER_WORDS, word) {
            return None;
        }
        // `type-check`, `pre-commit`.
        let pair = words
            .get(at + 1)
            .and_then(|next| of_word(&format!("{word}{next}")));
        if let Some(category) = pair.or_else(|| of_word(word)) {
            return Some(category);
        }
    }
    None
}

/// The category of a script that is run by its path: only when its name says nothing else (`run_tests.sh`), since
/// `format_data.py` is no formatter.
fn of_script(stem: &str) -> Option<ErrorCategory> {
    let mut words = words(stem);
    words.retain(|word| !is_among(BESIDE, word));
    let category = of_name(&words.join("-"))?;
    words
        .iter()
        .all(|word| of_word(word).is_some())
        .then_some(category)
}

fn of_word(word: &str) -> Option<ErrorCategory> {
    TASK_WORDS
        .iter()
        .find(|(_, words)| is_among(words, word))
        .map(|(category, _)| *category)
}

/// The words of a name, in lower case: parted by signs and by capitals.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
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

    #[test]
    fn the_name_of_a_task_tells() {
        for (line, expected) in [
            ("npm test", Some(Test)),
            ("npm --prefix web run test:unit", Some(Test)),
            ("npm run -w web test", Some(Test)),
            ("pnpm -r test", Some(Test)),
            ("yarn workspace web test", Some(Test)),
            ("yarn workspaces foreach -A run test", Some(Test)),
            ("./gradlew :app:testDebugUnitTest", Some(Test)),
            ("./mvnw clean test", Some(Test)),
            ("nx run web:test", Some(Test)),
            ("nx run-many --target=test", None),
            ("turbo run lint test", Some(Test)),
            ("cargo +nightly nextest run", Some(Test)),
            ("./run_tests.sh", Some(Test)),
            ("bash scripts/test.sh", Some(Test)),
            ("npx playwright test", Some(Test)),
            ("bin/rails test", Some(Test)),
            ("npm run type-check", Some(Typecheck)),
            ("npm run check:types", Some(Typecheck)),
            ("pnpm tsc -b", Some(Typecheck)),
            ("yarn lint", Some(Lint)),
            ("cargo fmt -- --check", Some(Lint)),
            ("go vet ./...", Some(Lint)),
            ("make", Some(Build)),
            ("make -j8 V=1", Some(Build)),
            ("make -C tests all", Some(Build)),
            ("ninja -C out", Some(Build)),
            ("yarn vite build", Some(Build)),
            ("pnpm -w build", Some(Build)),
            ("docker compose -f a.yml build web", Some(Build)),
            ("npm run build:test", Some(Build)),
            ("gradle compileTestJava", Some(Build)),
            ("make deploy", None),
            ("npm run dev", None),
            ("npm run start:test-server", None),
            ("npm install", None),
            ("cargo run", None),
            ("cat test.txt", None),
            ("git commit -m \"add test\"", None),
            ("test -f Cargo.toml", None),
            ("mkdir build", None),
            ("psql test", None),
            ("node scripts/seed.js", None),
            ("python format_data.py", None),
            ("yarn add eslint", None),
            ("vim test.rs", None),
        ] {
            assert_eq!(program(line).category(), expected, "{line}");
        }
    }

    #[test]
    fn a_name_stays_the_same_from_call_to_call() {
        for (line, name) in [
            ("git push --force origin main", "git push"),
            ("git -C x push", "git push"),
            ("docker compose -f a.yml up -d", "docker compose up"),
            ("node --import tsx scripts/seed.js --all", "node seed.js"),
            ("python3 ./manage.py migrate", "python manage.py"),
            ("python -c 'x'", "python"),
            ("npm --prefix web run seed", "npm run seed"),
            ("/usr/bin/curl -s https://x", "curl"),
            ("sudo systemctl restart x", "systemctl restart"),
            ("git ../x", "git"),
        ] {
            assert_eq!(program(line).name(), name, "{line}");
        }
    }
}
