//! The program that a step really runs, once everything that only leads to it is taken off; the kind of its work, and
//! the name under which it is known from call to call.

use super::steps::Step;
use crate::capture::ErrorCategory::{self, Build, Lint, Test, Typecheck};

/// Layers of wrappers that are taken off.
const MAX_LAYERS: usize = 16;

/// Characters of a name.
const MAX_NAME: usize = 60;

/// Programs that are also called with a version behind their name: `python3.12`, `gcc-14`.
const VERSIONED: &str = "clang clang++ g++ gcc php pip python ruby";

/// Programs to which a command line is given as a word, behind an option that ends with `c`.
const SHELLS: &str = "bash cmd dash fish ksh powershell pwsh sh zsh";

/// Options of wrappers whose value is the next word.
const VALUED: &str = "-C -I -L -P -W -X -d -e -g -k -n -o -p -r -s -u -v -w --env --extra --from --group --import --loader --name \
    --package --project --python --require --user --with";

/// Options of interpreters behind which stands code, not a script.
const INLINE: &str = "- -c -e -p --eval --print";

/// The meaning of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Means {
    /// Work of a kind.
    Work(ErrorCategory),
    /// It leads to the command behind its options and so many words of its own: a duration, a container.
    Command(usize),
    /// It leads to the script behind its options, or to the module behind `-m`.
    Script,
}

/// The commands that are known, by what they mean: see [`longest`].
const COMMANDS: [(Means, &str); 7] = [
    (
        Means::Work(Build),
        "cargo doc, cc, clang, clang++, cmake, g++, gcc, *-gcc, javac, make ., make all, mvn install, mvn package, ninja ., \
         python -m build, rustc, tsup, webpack, *build",
    ),
    (
        Means::Work(Lint),
        "biome, black, cargo deny, flake8, flutter analyze, php-cs-fixer, phpcs, pre-commit, prettier, \
         rubocop, ruff, shellcheck, terraform validate, *lint, *fmt, *format",
    ),
    (
        Means::Work(Test),
        "cargo miri test, cargo t, cypress run, gotestsum, gradle check, gradlew check, jest, make check, \
         manage.py test, mocha, mvn verify, node --test, npm t, pest, playwright test, rake ., tox, xcodebuild test, \
         zig build test, *test, *unit, *spec",
    ),
    (
        Means::Work(Typecheck),
        "cargo c, cargo check, cargo hack check, deno check, mypy, phpstan, pyright, svelte-check, tsc, tsgo, \
         vue-tsc",
    ),
    (
        Means::Command(0),
        "bundle exec, bunx, command, cross-env, env, nice, nohup, npm exec, npx, pnpm exec, poetry run, \
         stdbuf, sudo, time, uv run, uvx, xargs",
    ),
    (
        Means::Command(1),
        "docker compose exec, docker compose run, docker exec, docker run, kubectl exec, timeout",
    ),
    (
        Means::Script,
        "bash, coverage run, node, php, python, ruby, sh, ts-node, tsx",
    ),
];

/// Programs whose next word is a command of theirs or the name of a task of the project, and tells what it does.
const TELLING: &str = "ant artisan astro bazel buf bun cabal cargo composer cross dart deno docker docker-compose dotnet \
    dune flutter forge gleam go gulp hardhat hatch helm just lerna mage maturin mise mix mkdocs nest next ng nimble nix \
    npm nuxt nx packer pdm pixi pnpm podman poe poetry rails remix rush rye sam stack swift tauri terraform trunk uv vite \
    wasm-pack yarn zig";

/// Programs all of whose words are tasks.
const RUNNING: &str = "gradle gradlew make mvn mvnw ninja rake run-p run-s sbt task turbo";

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
    (
        Test,
        "cov coverage cypress e2e integration jest nextest phpunit pytest rspec runtest spec specs test tests unit",
    ),
    (
        Lint,
        "biome clippy detekt eslint fmt format ktlint lint linters precommit prettier ruff spotless style vet",
    ),
    (Build, "assemble build bundle compile dist jar prebuild webpack"),
];

/// Words that make a task none of those, whatever follows: `start:test-server` starts a server.
const OTHER_WORDS: &str = "boot clean db deploy dev docs down generate install migrate preview publish release seed \
    serve server start stop storybook up watch";

/// Words beside the telling ones in the name of a script that does nothing else.
const BESIDE: &str = "all ci fix full local quick run";

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
    pub(super) args: Vec<String>,
    /// The interpreter that reads it, when it is a script.
    interpreter: Option<&'static str>,
    /// It was called by a path.
    is_path: bool,
}

/// Gives the work of a step.
pub(super) fn runs(step: &Step) -> Runs {
    let mut words = step.words.as_slice();
    let mut interpreter = None;
    for _ in 0..MAX_LAYERS {
        while words.first().is_some_and(|word| is_assignment(word)) {
            words = &words[1..];
        }
        let Some((first, args)) = words.split_first() else {
            break;
        };
        let file = file_of(first);
        let is_line = |arg: &String| {
            matches!(arg.as_str(), "/c" | "/C" | "-Command")
                || arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c')
        };
        let line = args.iter().position(is_line).and_then(|at| args.get(at + 1));
        if let Some(line) = line.filter(|_| is_among(SHELLS, &file)) {
            return Runs::Line(line.clone());
        }
        if let Some((at, script_of)) = inner(&file, args) {
            words = &args[at..];
            interpreter = script_of;
        } else {
            return Runs::Program(Program {
                file,
                args: args.to_vec(),
                interpreter,
                is_path: first.contains(['/', '\\']),
            });
        }
    }
    Runs::Nothing
}

/// Gives the place in the arguments of the program to which this one only leads, and the interpreter of a script.
fn inner(file: &str, args: &[String]) -> Option<(usize, Option<&'static str>)> {
    let found = match longest(&COMMANDS, file, args) {
        Some((Means::Work(_), ..)) => None,
        Some((Means::Command(own), _, after)) => after_options(args, after, own, None),
        Some((Means::Script, interpreter, after)) => after_options(args, after, 0, Some(interpreter)),
        None if of_tasks(file, args).is_some() => None,
        None => known(file, args).map(|at| (at, None)),
    };
    found.filter(|(at, _)| *at < args.len())
}

/// Gives the place of a command that the tables know, behind the dashes of a program that they do not know
/// (`doppler run -- npm test`) or at the place of another one's task (`yarn vite build`).
fn known(file: &str, args: &[String]) -> Option<usize> {
    let behind_dashes = args.iter().position(|arg| arg == "--").map(|at| at + 1);
    let task = positionals(args, behind_leading(args)).next();
    let task = task.filter(|_| is_among("bun hatch pdm pnpm yarn", file));
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
            arg if is_among(VALUED, arg) => at += 1,
            arg if arg.starts_with('-') => {}
            _ if own > 0 => own -= 1,
            _ => break,
        }
        at += 1;
    }
    Some((at, script_of))
}

/// The file of a program: without folder, extension of an executable, `@version` and version.
fn file_of(word: &str) -> String {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let extension = [".exe", ".cmd", ".bat"]
        .iter()
        .find_map(|end| file.strip_suffix(end));
    let file = extension.unwrap_or(file);
    let file = file
        .split_once('@')
        .map_or(file, |(name, _)| if name.is_empty() { file } else { name });
    let bare = file.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if is_among(VERSIONED, bare) { bare } else { file }.to_owned()
}

/// `NAME=value`
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

impl Program {
    /// The kind of its work, as far as its command says; `None` when it says nothing.
    pub(super) fn category(&self) -> Option<ErrorCategory> {
        let stem = self.file.split('.').next().unwrap_or(&self.file);
        let is_script = self.interpreter.is_some() || self.is_path;
        let of_script = || of_command(stem, &self.args).or_else(|| of_script(stem));
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
            let leading = leading.filter(|word| is_among(LEADING, word.text));
            let words = || positionals(&self.args, after);
            let task = words().find(|word| !word.may_be_value).or_else(|| words().next());
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

    /// True when a row of a table fits it.
    pub(super) fn is_in(&self, rows: &'static str) -> bool {
        longest(&[((), rows)], &self.file, &self.args).is_some()
    }
}

/// The kind of a program's work, by the table or by the names of its tasks.
fn of_work(file: &str, args: &[String]) -> Option<ErrorCategory> {
    of_command(file, args).or_else(|| of_tasks(file, args))
}

fn of_command(file: &str, args: &[String]) -> Option<ErrorCategory> {
    match longest(&COMMANDS, file, args)?.0 {
        Means::Work(category) => Some(category),
        Means::Command(_) | Means::Script => None,
    }
}

/// The category of the tasks that a program is to run; of several, of the last that has one.
fn of_tasks(file: &str, args: &[String]) -> Option<ErrorCategory> {
    let mut words: Vec<_> = positionals(args, behind_leading(args)).collect();
    let tells = |word: &Positional| {
        let name = word.text.rsplit(':').next().unwrap_or(word.text);
        of_command(file, &[name.to_owned()]).or_else(|| of_name(word.text))
    };
    if is_among(RUNNING, file) {
        return words.iter().rev().find_map(tells);
    }
    // The word before the task may be the value of an option, or a task behind a switch: `pnpm -r test`.
    let task = words
        .iter()
        .position(|word| !word.may_be_value && !word.text.contains('='));
    words.truncate(task.map_or(words.len(), |task| task + 1));
    words.iter().find_map(tells).filter(|_| is_among(TELLING, file))
}

/// The longest row of a table of commands that fits, its meaning, and where the arguments go on behind it. Rows stand
/// apart by commas. A row is a program and its first words; `*` before a program is any beginning, `.` that no task
/// follows.
pub(super) fn longest<T: Copy>(
    table: &[(T, &'static str)],
    file: &str,
    args: &[String],
) -> Option<(T, &'static str, usize)> {
    let rows = table
        .iter()
        .flat_map(|(means, rows)| rows.split(", ").map(move |row| (*means, row)));
    let fitting = rows.filter_map(|(means, row)| Some((means, row, behind(row, file, args)?)));
    fitting.max_by_key(|(_, row, _)| row.len())
}

/// Gives the place at which the arguments go on behind the words of a row. Another word may stand between as the value
/// of an option.
fn behind(row: &str, file: &str, args: &[String]) -> Option<usize> {
    let (program, words) = row.split_once(' ').unwrap_or((row, ""));
    let ends = |end: &str| file.len() > end.len() && file.ends_with(end);
    if program != file && !program.strip_prefix('*').is_some_and(ends) {
        return None;
    }
    words.split_terminator(' ').try_fold(0, |after, word| match word {
        "." => {
            let mut tasks = positionals(args, after).filter(|word| !word.text.contains('='));
            tasks.all(|word| word.may_be_value).then_some(after)
        }
        _ if word.starts_with('-') => Some(args.iter().position(|arg| arg == word)? + 1),
        _ => {
            let found = positionals(args, after).find(|found| found.text == word || !found.may_be_value)?;
            (found.text == word).then_some(found.at + 1)
        }
    })
}

/// Gives the place at which the arguments go on behind the words that only lead to the telling word.
fn behind_leading(args: &[String]) -> usize {
    let is_leading = |word: &Positional| is_among(LEADING, word.text);
    let mut after = 0;
    while let Some(word) = positionals(args, after).find(|word| is_leading(word) || !word.may_be_value)
        && is_leading(&word)
    {
        after = word.at + 1 + usize::from(word.text == "workspace");
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

fn positionals(args: &[String], from: usize) -> impl Iterator<Item = Positional<'_>> {
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

/// Gives the category by the first telling word of a name: `test:unit`, `type-check`.
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
    use crate::capture::shell::steps::steps;

    fn program(line: &str) -> Program {
        match runs(&steps(line)[0]) {
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
        let line = |command: &str| runs(&steps(command)[0]);
        assert_eq!(
            line("bash -lc 'cd x && make'"),
            Runs::Line("cd x && make".to_owned())
        );
        assert_eq!(line("A=b"), Runs::Nothing);
        assert_eq!(line(&"sudo ".repeat(40)), Runs::Nothing);
    }

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

    /// A row, and a command line that it is for.
    const EXAMPLES: &str = "
cargo doc | cargo doc --no-deps
cc | cc -c a.c
clang | clang -c a.c
clang++ | clang++ -o app a.o
cmake | cmake --build out
g++ | g++-13 a.cc
gcc | gcc -O2 a.c
*-gcc | aarch64-linux-gnu-gcc a.c
javac | javac Main.java
make . | make -j8 V=1
make all | make -j8 clean all
mvn install | mvn -q clean install
mvn package | mvn -B -pl core package
ninja . | ninja -C out
python -m build | python -m build --wheel
rustc | rustc a.rs
tsup | npx tsup src/index.ts
webpack | npx webpack
*build | npx esbuild a.ts
biome | npx @biomejs/biome@1.9 check .
black | black --check .
cargo deny | cargo deny check
flake8 | flake8 app
flutter analyze | flutter analyze
php-cs-fixer | vendor/bin/php-cs-fixer fix --dry-run
phpcs | phpcs src
pre-commit | pre-commit run --all-files
prettier | npx prettier --check .
rubocop | bundle exec rubocop
ruff | uv run ruff check .
shellcheck | shellcheck deploy.sh
terraform validate | terraform -chdir=infra validate
*lint | npx stylelint a.css
*fmt | rustfmt a.rs
*format | clang-format a.c
cargo miri test | cargo miri test -p arena
cargo t | cargo t parser
cypress run | npx cypress run --headless
gotestsum | gotestsum ./...
gradle check | gradle -q check
gradlew check | ./gradlew :app:check
jest | npx jest --ci
make check | make -C lib check
manage.py test | python manage.py test app
mocha | npx mocha
mvn verify | mvn -B -pl core verify
node --test | node --import tsx --test
npm t | npm t
pest | php vendor/bin/pest
playwright test | npx playwright test
rake . | rake
tox | tox -e py312
xcodebuild test | xcodebuild -scheme App test
zig build test | zig build test
*test | vitest run
*unit | phpunit tests
*spec | rspec spec
cargo c | cargo c
cargo check | cargo +nightly check --tests
cargo hack check | cargo hack check --each-feature
deno check | deno check main.ts
mypy | python -m mypy app
phpstan | vendor/bin/phpstan analyse
pyright | uv run pyright
svelte-check | npx svelte-check
tsc | npx -p typescript tsc --noEmit
tsgo | npx tsgo --noEmit
vue-tsc | npx vue-tsc --build
bundle exec | bundle exec vitest
bunx | bunx vitest@2
command | command vitest
cross-env | cross-env NODE_ENV=test vitest
env | env -u CI A=b vitest
nice | nice -n 5 vitest
nohup | nohup vitest
npm exec | npm exec -- vitest
npx | npx --yes -p vitest vitest
pnpm exec | pnpm --filter web exec vitest
poetry run | poetry run vitest
stdbuf | stdbuf -oL vitest
sudo | sudo -u dev vitest
time | time vitest
uv run | uv run --with x python -m vitest
uvx | uvx --from pkg vitest
xargs | xargs -0 -n 1 vitest
docker compose exec | docker compose -f a.yml exec -T -e A=b web npx vitest
docker compose run | docker compose run --rm app vitest
docker exec | docker exec -it shop-web vitest
docker run | docker run --rm -v .:/x node:22 npx vitest
kubectl exec | kubectl -n dev exec -it web-0 -c app -- vitest
timeout | timeout -k 5 60 vitest
bash | bash -x scripts/seed.sh
coverage run | coverage run -m vitest
node | node --import tsx scripts/seed.js --all
php | php -d memory_limit=1G seed.js
python | python3.12 -W error -m vitest
ruby | ruby -I lib seed.js
sh | sh seed.sh
ts-node | ts-node -P tsconfig.json seed.js
tsx | npx tsx scripts/seed.js
";

    #[test]
    fn every_row_holds_for_its_example() {
        let rows = COMMANDS
            .iter()
            .flat_map(|(means, rows)| rows.split(", ").map(move |row| (means, row)));
        let examples: Vec<_> = EXAMPLES.trim().lines().collect();
        assert_eq!(examples.len(), rows.clone().count());
        for ((means, words), line) in rows.zip(examples) {
            let (row, example) = line.split_once(" | ").unwrap();
            assert_eq!(row, words);
            let found = program(example);
            let is_script = found.name().starts_with(&format!("{words} seed."));
            match means {
                Means::Work(category) => assert_eq!(found.category(), Some(*category), "{example}"),
                _ => assert!(found.file == "vitest" || is_script, "{example}: {found:?}"),
            }
        }
    }
}
