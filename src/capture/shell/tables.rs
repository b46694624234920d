//! The commands that are known, as tables of text: each row with an example that a test reads.

use std::sync::LazyLock;

use crate::capture::ErrorCategory;

/// A program, alone or with its first words, and the kind of its work.
pub(super) struct Command {
    pub(super) words: &'static str,
    pub(super) category: ErrorCategory,
    pub(super) example: &'static str,
}

/// A program that only leads to another one or to a script.
pub(super) struct Wrapper {
    /// Its name, and the words that make it lead on.
    pub(super) words: &'static str,
    pub(super) leads_to: LeadsTo,
    /// Its options whose value is the next word.
    pub(super) valued: Vec<&'static str>,
    /// A command in which it leads to `vitest` or to the script `seed.js`.
    pub(super) example: &'static str,
}

/// What a program leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeadsTo {
    /// The command that follows its options and so many words of its own: a duration, a container.
    Command(usize),
    /// The script that follows its options, or the module that follows `-m`.
    Script,
}

/// Programs whose category neither their name nor the name of a task tells. The longest row that fits wins.
pub(super) static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
    let row = |[words, category, example]: [&'static str; 3]| Command {
        words,
        category: ErrorCategory::parse(category).expect("because the table names categories"),
        example,
    };
    rows(COMMAND_ROWS).map(row).collect()
});

/// The longest row that fits wins.
pub(super) static WRAPPERS: LazyLock<Vec<Wrapper>> = LazyLock::new(|| {
    let row = |[words, leads_to, valued, example]: [&'static str; 4]| Wrapper {
        words,
        leads_to: leads_to.parse().map_or(LeadsTo::Script, LeadsTo::Command),
        valued: valued.split(' ').collect(),
        example,
    };
    rows(WRAPPER_ROWS).map(row).collect()
});

fn rows<const COLUMNS: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; COLUMNS]> {
    table.trim().lines().map(|line| {
        let mut cells = line.split('|').map(str::trim);
        std::array::from_fn(|_| cells.next().expect("because every row has every column"))
    })
}

/// Words, the category, an example.
const COMMAND_ROWS: &str = "
biome              | lint      | npx @biomejs/biome@1.9 check .
black              | lint      | black --check .
cargo c            | typecheck | cargo c
cargo check        | typecheck | cargo +nightly check --tests
cargo deny         | lint      | cargo deny check
cargo doc          | build     | cargo doc --no-deps
cargo hack check   | typecheck | cargo hack check --each-feature
cargo miri test    | test      | cargo miri test -p arena
cargo t            | test      | cargo t parser
cc                 | build     | cc -c a.c
clang              | build     | clang -c a.c
clang++            | build     | clang++ -o app a.o
cmake              | build     | cmake --build out
cypress run        | test      | npx cypress run --headless
deno check         | typecheck | deno check main.ts
flake8             | lint      | flake8 app
flutter analyze    | lint      | flutter analyze
g++                | build     | g++-13 a.cc
gcc                | build     | gcc -O2 a.c
gotestsum          | test      | gotestsum ./...
gradle check       | test      | gradle -q check
gradlew check      | test      | ./gradlew :app:check
javac              | build     | javac Main.java
jest               | test      | npx jest --ci
make all           | build     | make -j8 clean all
make check         | test      | make -C lib check
manage.py test     | test      | python manage.py test app
mocha              | test      | npx mocha
mvn install        | build     | mvn -q clean install
mvn package        | build     | mvn -B -pl core package
mvn verify         | test      | mvn -B -pl core verify
mypy               | typecheck | python -m mypy app
node --test        | test      | node --import tsx --test
npm t              | test      | npm t
pest               | test      | php vendor/bin/pest
php-cs-fixer       | lint      | vendor/bin/php-cs-fixer fix --dry-run
phpcs              | lint      | phpcs src
phpstan            | typecheck | vendor/bin/phpstan analyse
playwright test    | test      | npx playwright test
pre-commit         | lint      | pre-commit run --all-files
prettier           | lint      | npx prettier --check .
pyright            | typecheck | uv run pyright
python -m build    | build     | python -m build --wheel
rubocop            | lint      | bundle exec rubocop
ruff               | lint      | uv run ruff check .
rustc              | build     | rustc a.rs
shellcheck         | lint      | shellcheck deploy.sh
svelte-check       | typecheck | npx svelte-check
terraform validate | lint      | terraform -chdir=infra validate
tox                | test      | tox -e py312
tsc                | typecheck | npx -p typescript tsc --noEmit
tsgo               | typecheck | npx tsgo --noEmit
tsup               | build     | npx tsup src/index.ts
vue-tsc            | typecheck | npx vue-tsc --build
webpack            | build     | npx webpack
xcodebuild test    | test      | xcodebuild -scheme App test
zig build test     | test      | zig build test
";

/// Words; a script, or the number of words of its own before the command; valued options; an example.
const WRAPPER_ROWS: &str = "
bash                | script |                                                     | bash -x scripts/seed.sh
bundle exec         | 0      |                                                     | bundle exec vitest
bunx                | 0      |                                                     | bunx vitest@2
command             | 0      |                                                     | command vitest
coverage run        | script |                                                     | coverage run -m vitest
cross-env           | 0      |                                                     | cross-env NODE_ENV=test vitest
docker compose exec | 1      | -e -u -w --env --user                               | docker compose -f a.yml exec -T -e A=b web npx vitest
docker compose run  | 1      | -e -u -w --env --user                               | docker compose run --rm app vitest
docker exec         | 1      | -e -p -u -v -w --env --name                         | docker exec -it shop-web vitest
docker run          | 1      | -e -p -u -v -w --env --name                         | docker run --rm -v .:/x node:22 npx vitest
env                 | 0      | -u -C                                               | env -u CI A=b vitest
kubectl exec        | 1      | -c -n                                               | kubectl -n dev exec -it web-0 -c app -- vitest
nice                | 0      | -n                                                  | nice -n 5 vitest
node                | script | -r --import --loader --require                      | node --import tsx scripts/seed.js --all
nohup               | 0      |                                                     | nohup vitest
npm exec            | 0      | -p -w --package                                     | npm exec -- vitest
npx                 | 0      | -p -w --package                                     | npx --yes -p vitest vitest
php                 | script | -d                                                  | php -d memory_limit=1G seed.js
pnpm exec           | 0      |                                                     | pnpm --filter web exec vitest
poetry run          | 0      | -C                                                  | poetry run vitest
python              | script | -W -X                                               | python3.12 -W error -m vitest
ruby                | script | -I -r                                               | ruby -I lib seed.js
sh                  | script |                                                     | sh seed.sh
stdbuf              | 0      | -i -o -e                                            | stdbuf -oL vitest
sudo                | 0      | -g -u --user                                        | sudo -u dev vitest
time                | 0      | -f -o                                               | time -p vitest
timeout             | 1      | -k -s                                               | timeout -k 5 60 vitest
ts-node             | script | -P                                                  | ts-node -P tsconfig.json seed.js
tsx                 | script |                                                     | npx tsx scripts/seed.js
uv run              | 0      | -p --extra --from --group --project --python --with | uv run --with x python -m vitest
uvx                 | 0      | -p --extra --from --group --project --python --with | uvx --from pkg vitest
xargs               | 0      | -d -I -L -n -P                                      | xargs -0 -n 1 vitest
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::shell::program::tests::program;

    #[test]
    fn every_command_is_of_its_category() {
        for Command {
            words,
            category,
            example,
        } in &*COMMANDS
        {
            let program = program(example);
            assert_eq!(program.category(), Some(*category), "{example}");
            assert!(
                program.file.starts_with(words.split(' ').next().unwrap()),
                "{example}"
            );
        }
    }

    #[test]
    fn every_wrapper_is_taken_off() {
        for Wrapper { words, example, .. } in &*WRAPPERS {
            let name = program(example).name();
            let is_script = name.starts_with(&format!("{words} seed."));
            assert!(name == "vitest" || is_script, "{example}: {name}");
        }
    }
}
