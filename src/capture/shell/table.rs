//! The commands that are known, as a table of text: each row with an example that a test reads.

use std::sync::LazyLock;

use super::categories::first_words;
use crate::capture::ErrorCategory;

/// A command that is known.
pub(super) struct Row {
    /// A program, alone or with its first words.
    pub(super) words: &'static str,
    pub(super) means: Means,
}

/// What a command does.
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
    let rows = TABLE.trim().lines().map(|line| {
        let (words, rest) = line.split_once('|').expect("because every row has three columns");
        let means = rest.split('|').next().unwrap_or(rest).trim();
        let means = match ErrorCategory::parse(means) {
            Some(category) => Means::Work(category),
            None => means.parse().map_or(Means::Script, Means::Command),
        };
        let words = words.trim();
        Row { words, means }
    });
    rows.collect()
});

/// Words; the kind of work, or `script`, or the number of a wrapper's own words; an example, in which a wrapper leads
/// to `vitest` and an interpreter to a script `seed`.
const TABLE: &str = "
biome               | lint      | npx @biomejs/biome@1.9 check .
black               | lint      | black --check .
cargo c             | typecheck | cargo c
cargo check         | typecheck | cargo +nightly check --tests
cargo deny          | lint      | cargo deny check
cargo doc           | build     | cargo doc --no-deps
cargo hack check    | typecheck | cargo hack check --each-feature
cargo miri test     | test      | cargo miri test -p arena
cargo t             | test      | cargo t parser
cc                  | build     | cc -c a.c
clang               | build     | clang -c a.c
clang++             | build     | clang++ -o app a.o
cmake               | build     | cmake --build out
cypress run         | test      | npx cypress run --headless
deno check          | typecheck | deno check main.ts
flake8              | lint      | flake8 app
flutter analyze     | lint      | flutter analyze
g++                 | build     | g++-13 a.cc
gcc                 | build     | gcc -O2 a.c
gotestsum           | test      | gotestsum ./...
gradle check        | test      | gradle -q check
gradlew check       | test      | ./gradlew :app:check
javac               | build     | javac Main.java
jest                | test      | npx jest --ci
make all            | build     | make -j8 clean all
make check          | test      | make -C lib check
manage.py test      | test      | python manage.py test app
mocha               | test      | npx mocha
mvn install         | build     | mvn -q clean install
mvn package         | build     | mvn -B -pl core package
mvn verify          | test      | mvn -B -pl core verify
mypy                | typecheck | python -m mypy app
node --test         | test      | node --import tsx --test
npm t               | test      | npm t
pest                | test      | php vendor/bin/pest
php-cs-fixer        | lint      | vendor/bin/php-cs-fixer fix --dry-run
phpcs               | lint      | phpcs src
phpstan             | typecheck | vendor/bin/phpstan analyse
playwright test     | test      | npx playwright test
pre-commit          | lint      | pre-commit run --all-files
prettier            | lint      | npx prettier --check .
pyright             | typecheck | uv run pyright
python -m build     | build     | python -m build --wheel
rubocop             | lint      | bundle exec rubocop
ruff                | lint      | uv run ruff check .
rustc               | build     | rustc a.rs
shellcheck          | lint      | shellcheck deploy.sh
svelte-check        | typecheck | npx svelte-check
terraform validate  | lint      | terraform -chdir=infra validate
tox                 | test      | tox -e py312
tsc                 | typecheck | npx -p typescript tsc --noEmit
tsgo                | typecheck | npx tsgo --noEmit
tsup                | build     | npx tsup src/index.ts
vue-tsc             | typecheck | npx vue-tsc --build
webpack             | build     | npx webpack
xcodebuild test     | test      | xcodebuild -scheme App test
zig build test      | test      | zig build test
bash                | script    | bash -x scripts/seed.sh
bundle exec         | 0         | bundle exec vitest
bunx                | 0         | bunx vitest@2
command             | 0         | command vitest
coverage run        | script    | coverage run -m vitest
cross-env           | 0         | cross-env NODE_ENV=test vitest
docker compose exec | 1         | docker compose -f a.yml exec -T -e A=b web npx vitest
docker compose run  | 1         | docker compose run --rm app vitest
docker exec         | 1         | docker exec -it shop-web vitest
docker run          | 1         | docker run --rm -v .:/x node:22 npx vitest
env                 | 0         | env -u CI A=b vitest
kubectl exec        | 1         | kubectl -n dev exec -it web-0 -c app -- vitest
nice                | 0         | nice -n 5 vitest
node                | script    | node --import tsx scripts/seed.js --all
nohup               | 0         | nohup vitest
npm exec            | 0         | npm exec -- vitest
npx                 | 0         | npx --yes -p vitest vitest
php                 | script    | php -d memory_limit=1G seed.js
pnpm exec           | 0         | pnpm --filter web exec vitest
poetry run          | 0         | poetry run vitest
python              | script    | python3.12 -W error -m vitest
ruby                | script    | ruby -I lib seed.js
sh                  | script    | sh seed.sh
stdbuf              | 0         | stdbuf -oL vitest
sudo                | 0         | sudo -u dev vitest
time                | 0         | time vitest
timeout             | 1         | timeout -k 5 60 vitest
ts-node             | script    | ts-node -P tsconfig.json seed.js
tsx                 | script    | npx tsx scripts/seed.js
uv run              | 0         | uv run --with x python -m vitest
uvx                 | 0         | uvx --from pkg vitest
xargs               | 0         | xargs -0 -n 1 vitest
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::shell::program::tests::program;

    #[test]
    fn every_row_holds_for_its_example() {
        for (Row { words, means }, line) in ROWS.iter().zip(TABLE.trim().lines()) {
            let example = line.rsplit('|').next().unwrap().trim();
            let found = program(example);
            let is_script = found.name().starts_with(&format!("{words} seed."));
            match means {
                Means::Work(category) => assert_eq!(found.category(), Some(*category), "{example}"),
                _ => assert!(found.file == "vitest" || is_script, "{example}: {found:?}"),
            }
        }
    }
}
