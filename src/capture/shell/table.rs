//! The commands that are known, as a table of text: a list of commands for each meaning.

use std::sync::LazyLock;

use super::categories::first_words;
use crate::capture::ErrorCategory::{self, Build, Lint, Test, Typecheck};

/// A command that is known.
pub(super) struct Row {
    /// A program, alone or with its first words.
    pub(super) words: &'static str,
    pub(super) means: Means,
}

/// The work of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// Work of a kind.
    Work(ErrorCategory),
    /// It leads to the command behind its options and so many words of its own: a duration, a container.
    Command(usize),
    /// It leads to the script behind its options, or to the module behind `-m`.
    Script,
}

/// The longest row that fits a command, and where its arguments go on.
pub(super) fn row(file: &str, args: &[String]) -> Option<(&'static Row, usize)> {
    let fitting = ROWS
        .iter()
        .filter_map(|row| Some((row, first_words(row.words, file, args)?)));
    fitting.max_by_key(|(row, _)| row.words.len())
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |means: Means| move |words: &'static str| Row { words, means };
    let rows = TABLE
        .iter()
        .flat_map(|(means, words)| words.split(", ").map(row(*means)));
    rows.collect()
});

/// The commands that are known, parted by commas, by what they mean.
const TABLE: [(Means, &str); 7] = [
    (
        Means::Work(Build),
        "cargo doc, cc, clang, clang++, cmake, g++, gcc, javac, make all, mvn install, mvn package, python -m \
         build, rustc, tsup, webpack",
    ),
    (
        Means::Work(Lint),
        "biome, black, cargo deny, flake8, flutter analyze, php-cs-fixer, phpcs, pre-commit, prettier, \
         rubocop, ruff, shellcheck, terraform validate",
    ),
    (
        Means::Work(Test),
        "cargo miri test, cargo t, cypress run, gotestsum, gradle check, gradlew check, jest, make check, \
         manage.py test, mocha, mvn verify, node --test, npm t, pest, playwright test, tox, xcodebuild test, \
         zig build test",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::shell::program::tests::program;

    /// A row, and a command line that it is for.
    const EXAMPLES: &str = "
cargo doc | cargo doc --no-deps
cc | cc -c a.c
clang | clang -c a.c
clang++ | clang++ -o app a.o
cmake | cmake --build out
g++ | g++-13 a.cc
gcc | gcc -O2 a.c
javac | javac Main.java
make all | make -j8 clean all
mvn install | mvn -q clean install
mvn package | mvn -B -pl core package
python -m build | python -m build --wheel
rustc | rustc a.rs
tsup | npx tsup src/index.ts
webpack | npx webpack
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
tox | tox -e py312
xcodebuild test | xcodebuild -scheme App test
zig build test | zig build test
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
        let examples: Vec<_> = EXAMPLES.trim().lines().collect();
        assert_eq!(examples.len(), ROWS.len());
        for (Row { words, means }, line) in ROWS.iter().zip(examples) {
            let (row, example) = line.split_once(" | ").unwrap();
            assert_eq!(row, *words);
            let found = program(example);
            let is_script = found.name().starts_with(&format!("{words} seed."));
            match means {
                Means::Work(category) => assert_eq!(found.category(), Some(*category), "{example}"),
                _ => assert!(found.file == "vitest" || is_script, "{example}: {found:?}"),
            }
        }
    }
}
