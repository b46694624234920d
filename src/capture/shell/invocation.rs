//! Which program a step really runs, once everything that only leads to it is taken off.

use super::commands::{self, of_command, of_script, of_task, positionals};
use super::wrappers::{BUNDLES, INTERPRETERS, Interpreter, SHELLS, TARGETED, VERSIONED, WRAPPERS, Wrapper};
use crate::capture::ErrorCategory;

/// Layers of wrappers that are taken off.
const MAX_LAYERS: usize = 16;

/// Characters of a program's name.
const MAX_NAME: usize = 60;

/// What a step runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// A program.
    Program(Invocation),
    /// A command line that was given as a word (`sh -c "…"`).
    Line(String),
    /// Nothing: it sets variables.
    Nothing,
}

/// A program and its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Invocation {
    /// Its name, without folder, version and extension of an executable.
    pub(super) program: String,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// The interpreter that reads it, when it is a script.
    interpreter: Option<&'static str>,
    /// It was called by a path.
    is_path: bool,
}

/// What the words of a step run.
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
        let program = name_of(first);
        if SHELLS.contains(&program.as_str())
            && let Some(line) = line_of_shell(args)
        {
            return Runs::Line(line);
        }
        if program == "eval" {
            return Runs::Line(args.join(" "));
        }
        let invocation = Invocation {
            program,
            args: args.to_vec(),
            interpreter,
            is_path: first.contains(['/', '\\']),
        };
        if of_command(&invocation.program, args).is_some() || asks_where(&invocation) {
            return Runs::Program(invocation);
        }
        if let Some(inner) = wrapped(&invocation.program, args) {
            match inner {
                Inner::Line(line) => return Runs::Line(line),
                Inner::At(at) => words = &args[at..],
            }
        } else if let Some((name, at, is_module)) = script(&invocation.program, args) {
            words = &args[at..];
            interpreter = (!is_module).then_some(name);
        } else {
            return Runs::Program(invocation);
        }
    }
    Runs::Nothing
}

impl Invocation {
    /// The kind of its work, as far as its command says; `None` when it says nothing.
    pub(super) fn category(&self) -> Option<ErrorCategory> {
        let by_command = of_command(&self.program, &self.args).or_else(|| {
            let stem = self.program.split_once('.').map(|(stem, _)| stem)?;
            of_command(stem, &self.args).filter(|_| self.is_script())
        });
        by_command.or_else(|| match self.task() {
            Some((runner, tasks)) => of_task(runner, &tasks).or_else(|| self.implied()),
            None if self.is_script() => of_script(&self.program),
            None => None,
        })
    }

    /// The name under which it is known from call to call.
    pub(super) fn name(&self) -> String {
        let mut name = match self.interpreter {
            Some(interpreter) => format!("{interpreter} {}", self.program),
            None => self.program.clone(),
        };
        if let Some((runner, tasks)) = self.task()
            && let Some(task) = tasks.first()
        {
            name = format!("{} {task}", runner.words);
        } else {
            for (_, word) in positionals(&self.program, &self.args) {
                if !BUNDLES.contains(&name.as_str()) || !is_plain(word) {
                    break;
                }
                name = format!("{name} {word}");
            }
        }
        name.truncate(name.floor_char_boundary(MAX_NAME));
        name
    }

    /// The runner that it is, and the tasks that are to run.
    pub(super) fn task(&self) -> Option<(&'static commands::Runner, Vec<&str>)> {
        commands::runner(&self.program, &self.args)
    }

    /// `yarn vite build` runs a program of the project, though `vite` might be a task.
    fn implied(&self) -> Option<ErrorCategory> {
        let (at, _) = positionals(&self.program, &self.args).next()?;
        let (program, args) = self.args[at..].split_first()?;
        of_command(program, args)
    }

    fn is_script(&self) -> bool {
        self.interpreter.is_some() || self.is_path
    }
}

/// `command -v npm` and `time` alone run nothing.
fn asks_where(invocation: &Invocation) -> bool {
    invocation.program == "command"
        && invocation
            .args
            .first()
            .is_some_and(|arg| arg == "-v" || arg == "-V")
}

/// What a wrapper runs.
enum Inner {
    /// The words from here.
    At(usize),
    Line(String),
}

fn wrapped(program: &str, args: &[String]) -> Option<Inner> {
    let mut fitting: Vec<(usize, &Wrapper, usize)> = WRAPPERS
        .iter()
        .filter_map(|wrapper| {
            let after = after_words(wrapper.words, program, args)?;
            Some((wrapper.words.split(' ').count(), wrapper, after))
        })
        .collect();
    fitting.sort_by_key(|(length, _, _)| std::cmp::Reverse(*length));
    fitting
        .into_iter()
        .find_map(|(_, wrapper, after)| inner(wrapper, args, after))
}

/// Where the arguments go on after the words that make a program a wrapper or an interpreter.
fn after_words(words: &str, program: &str, args: &[String]) -> Option<usize> {
    let mut words = words.split(' ');
    if words.next() != Some(program) {
        return None;
    }
    let mut positional = positionals(program, args);
    let mut after = 0;
    for word in words {
        let (at, found) = positional.next()?;
        if found != word {
            return None;
        }
        after = at + 1;
    }
    Some(after)
}

fn inner(wrapper: &Wrapper, args: &[String], after: usize) -> Option<Inner> {
    if !wrapper.lines.is_empty() {
        let at = args
            .iter()
            .position(|arg| wrapper.lines.contains(&arg.as_str()))?;
        return args.get(at + 1).map(|line| Inner::Line(line.clone()));
    }
    if !wrapper.begins.is_empty() {
        let at = (after..args.len()).find(|at| wrapper.begins.contains(&args[*at].as_str()))? + 1;
        return (at < args.len()).then_some(Inner::At(at));
    }
    let mut skips = wrapper.skips;
    let mut at = after;
    while let Some(arg) = args.get(at) {
        if arg == "--" {
            at += 1;
            if skips == 0 {
                break;
            }
        } else if wrapper.valued.contains(&arg.as_str()) {
            at += 2;
        } else if arg.starts_with('-') {
            at += 1;
        } else if skips > 0 {
            skips -= 1;
            at += 1;
        } else {
            break;
        }
    }
    (at < args.len()).then_some(Inner::At(at))
}

/// The interpreter's name, where its script or module stands, and whether it is a module.
fn script(program: &str, args: &[String]) -> Option<(&'static str, usize, bool)> {
    let (interpreter, after): (&Interpreter, usize) = INTERPRETERS
        .iter()
        .find_map(|one| Some((one, after_words(one.name, program, args)?)))?;
    let mut at = after;
    while let Some(arg) = args.get(at) {
        let arg = arg.as_str();
        if interpreter.inline.contains(&arg) || arg == "-" {
            return None;
        }
        if interpreter.modules.contains(&arg) {
            return (at + 1 < args.len()).then_some((interpreter.name, at + 1, true));
        }
        if interpreter.valued.contains(&arg) {
            at += 2;
        } else if arg.starts_with('-') {
            at += 1;
        } else {
            return Some((interpreter.name, at, false));
        }
    }
    None
}

/// The command line after a shell's `-c`, `-lc` or `/c`.
fn line_of_shell(args: &[String]) -> Option<String> {
    let is_line = |arg: &String| {
        arg == "/c" || arg == "/C" || (arg.starts_with('-') && !arg.starts_with("--") && arg.contains('c'))
    };
    let at = args.iter().position(is_line)?;
    args.get(at + 1).cloned()
}

/// The name of a program: without folder, extension of an executable, `@version` and version.
fn name_of(word: &str) -> String {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = [".exe", ".cmd", ".bat"]
        .iter()
        .find_map(|extension| file.strip_suffix(extension))
        .unwrap_or(file);
    let name = match name.split_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        _ => name,
    };
    let bare = name
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
        .trim_end_matches('-');
    if VERSIONED.contains(&bare) {
        return bare.to_owned();
    }
    match name.rsplit_once('-') {
        Some((_, compiler)) if TARGETED.contains(&compiler) => compiler.to_owned(),
        _ if name == "nodejs" => "node".to_owned(),
        _ => name.to_owned(),
    }
}

/// `NAME=value`
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '+')
    })
}

/// A word that can be a part of a name: no path, no value.
fn is_plain(word: &str) -> bool {
    word.len() <= 24
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::shell::syntax::steps;

    fn read(line: &str) -> (Option<ErrorCategory>, String) {
        match runs(&steps(line)[0].words) {
            Runs::Program(invocation) => (invocation.category(), invocation.name()),
            other => (None, format!("{other:?}")),
        }
    }

    fn category(line: &str) -> Option<ErrorCategory> {
        read(line).0
    }

    #[test]
    fn wrappers_are_taken_off() {
        for line in [
            "vitest run",
            "CI=1 vitest",
            "env A=b C=d vitest",
            "npx vitest@2 run",
            "npx --yes -p vitest vitest",
            "bunx vitest",
            "pnpm exec vitest",
            "pnpm --filter web exec vitest",
            "npm exec -- vitest",
            "yarn vitest",
            "sudo -u dev vitest",
            "time -p vitest",
            "timeout -k 5 60 vitest",
            "nice -n 5 nohup stdbuf -oL vitest",
            "./node_modules/.bin/vitest run",
            "node node_modules/.bin/vitest",
            "node ./node_modules/vitest/vitest.mjs run",
            "cross-env NODE_ENV=test vitest",
            "docker compose -f a.yml exec -T -e A=b web npx vitest",
            "docker run --rm -v .:/x node:22 npx vitest",
            "python -m pytest tests",
            "python3.12 -u -m pytest",
            "uv run pytest -q",
            "uv run --with x python -m pytest",
            "uv run -m pytest",
            "poetry run pytest",
            "coverage run -m pytest",
            "python manage.py test app",
            "uvx --from pytest pytest",
            "bundle exec rspec",
            "vendor/bin/phpunit",
            "php vendor/bin/phpunit",
            "php artisan test",
            "bin/rails test",
            "cargo +nightly test --all",
            "cargo nextest run",
            "node --test",
            "npm t",
            "npm --prefix web run test:unit",
            "npm run -w web test",
            "pnpm -r test",
            "yarn workspace web test",
            "bun run test",
            "make -j4 test",
            "make check",
            "just test",
            "./gradlew :app:testDebugUnitTest",
            "mvn -B -pl core verify",
            "./mvnw clean test",
            "nx run web:test",
            "nx run-many --target=test",
            "turbo run test",
            "./run_tests.sh",
            "bash scripts/test.sh",
            "zig build test",
            "deno task test",
            "find . -name x -exec pytest {} +",
            "go test ./...",
        ] {
            assert_eq!(
                category(line),
                Some(ErrorCategory::Test),
                "{line}: {:?}",
                read(line)
            );
        }
    }

    #[test]
    fn every_category_is_told_by_the_program() {
        for (line, expected) in [
            ("npx tsc --noEmit", Some(ErrorCategory::Typecheck)),
            ("npm run type-check", Some(ErrorCategory::Typecheck)),
            ("pnpm tsc -b", Some(ErrorCategory::Typecheck)),
            ("python -m mypy app", Some(ErrorCategory::Typecheck)),
            ("cargo check --tests", Some(ErrorCategory::Typecheck)),
            ("npx @biomejs/biome@1.9 check .", Some(ErrorCategory::Lint)),
            ("npx prettier --check .", Some(ErrorCategory::Lint)),
            ("ruff format --check", Some(ErrorCategory::Lint)),
            ("cargo fmt -- --check", Some(ErrorCategory::Lint)),
            ("yarn lint", Some(ErrorCategory::Lint)),
            ("make", Some(ErrorCategory::Build)),
            ("make -j8 all", Some(ErrorCategory::Build)),
            ("make -C lib", Some(ErrorCategory::Build)),
            ("ninja -C out", Some(ErrorCategory::Build)),
            ("cmake --build build", Some(ErrorCategory::Build)),
            ("gcc-14 -O2 a.c", Some(ErrorCategory::Build)),
            ("aarch64-linux-gnu-gcc a.c", Some(ErrorCategory::Build)),
            ("yarn vite build", Some(ErrorCategory::Build)),
            ("docker build -t x .", Some(ErrorCategory::Build)),
            ("docker compose -f a.yml build web", Some(ErrorCategory::Build)),
            ("./gradlew assembleDebug", Some(ErrorCategory::Build)),
            ("mvn -q package", Some(ErrorCategory::Build)),
            ("dotnet build App.sln", Some(ErrorCategory::Build)),
            ("npm run build:prod", Some(ErrorCategory::Build)),
            ("python -m build", Some(ErrorCategory::Build)),
            ("make deploy", None),
            ("npm run dev", None),
            ("npm install", None),
            ("cargo run", None),
            ("cat test.txt", None),
            ("git commit -m \"add test\"", None),
            ("test -f Cargo.toml", None),
            ("echo build", None),
            ("command -v tsc", None),
            ("ls tests", None),
            ("mkdir build", None),
            ("node scripts/seed.js", None),
            ("python format_data.py", None),
            ("yarn add eslint", None),
            ("vim test.rs", None),
        ] {
            assert_eq!(category(line), expected, "{line}: {:?}", read(line));
        }
    }

    #[test]
    fn a_name_stays_the_same_from_call_to_call() {
        for (line, name) in [
            ("git -C x push --force origin main", "git push"),
            ("docker compose -f a.yml up -d", "docker compose up"),
            ("node --import tsx scripts/seed.js --all", "node seed.js"),
            ("python3 ./manage.py migrate", "python manage.py"),
            ("python -c 'x'", "python"),
            ("npm --prefix web run seed", "npm run seed"),
            ("/usr/bin/curl -s https://x", "curl"),
            ("sudo systemctl restart x", "systemctl restart"),
            ("git ../x", "git"),
        ] {
            assert_eq!(read(line).1, name, "{line}");
        }
    }

    #[test]
    fn a_line_in_a_word_is_found() {
        assert_eq!(
            runs(&steps("bash -lc 'cd x && make'")[0].words),
            Runs::Line("cd x && make".to_owned())
        );
        assert_eq!(runs(&steps("A=b")[0].words), Runs::Nothing);
        assert_eq!(runs(&vec!["sudo".to_owned(); 40]), Runs::Nothing);
    }
}
