//! The packages that a command line added to a project, removed from it or updated.

use super::outcome::{Certainty, succeeded};
use super::program::{Program, is_among, longest};

/// Packages of one command that are named.
const MOST: usize = 5;

/// The commands of package managers, by what they do with the packages that they name.
const TABLE: [(&str, &str); 3] = [
    (
        "added",
        "bun a, bun add, bun i, bun install, bundle add, cargo add, composer require, conda install, dart pub add, \
         deno add, deno install, dotnet add package, flutter pub add, go get, npm add, npm i, npm install, pdm add, \
         pip install, pixi add, pnpm add, pnpm i, pnpm install, poetry add, python -m pip install, uv add, uv pip install, yarn add",
    ),
    (
        "removed",
        "bun remove, bun rm, bundle remove, cargo remove, cargo rm, composer remove, conda remove, dart pub remove, \
         deno remove, dotnet remove package, flutter pub remove, npm r, npm remove, npm rm, npm un, npm uninstall, \
         pdm remove, pip uninstall, pixi remove, pnpm remove, pnpm rm, poetry remove, python -m pip uninstall, \
         uv pip uninstall, uv remove, yarn remove",
    ),
    (
        "updated",
        "bun update, bundle update, cargo update, cargo upgrade, composer update, conda update, npm up, npm update, \
         npm upgrade, pdm update, pnpm up, pnpm update, poetry update, yarn up, yarn upgrade",
    ),
];

/// Options of these whose value is the next word, and no package.
const VALUED: &str = "--branch --constraint --cwd --directory --extra --extra-index-url --features --filter --find-links --git --group \
    --index --index-url --manifest-path --path --prefix --project --python --registry --rename --requirement --rev \
    --source --tag --target --version -C -F -G -c -f -i -r -s -v -w";

/// Says what a command line that succeeded did with packages: `added serde, tokio (cargo)`.
pub fn packages(command: &str) -> Vec<String> {
    let works = succeeded(command).into_iter();
    let sure = works.filter(|work| work.certainty != Certainty::Unknown);
    sure.filter_map(|work| said(&work.program)).collect()
}

fn said(Program { file, args, .. }: &Program) -> Option<String> {
    let (done, _, from) = longest(&TABLE, file, args)?;
    // No options, no values of options, no paths and no addresses.
    let named = args.iter().enumerate().skip(from).filter(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |before| &args[before]);
        let is_named = !word.starts_with(['-', '+', '.', '/', '~', '$', '<', '>']) && !word.contains("://");
        is_named && !is_among(VALUED, before)
    });
    let named: Vec<&str> = named.map(|(_, word)| word.as_str()).collect();
    let more = if named.len() > MOST { ", …" } else { "" };
    let shown = named[..named.len().min(MOST)].join(", ");
    (!named.is_empty()).then(|| format!("{done} {shown}{more} ({file})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = "
npm install lodash|added lodash (npm)
npm i -D vitest @types/node|added vitest, @types/node (npm)
npm install|
npm ci|
npm run add lodash|
cd web && pnpm add react@18 react-dom|added react@18, react-dom (pnpm)
cargo add serde --features derive|added serde (cargo)
cargo add --path ../own|
cargo build && cargo rm anyhow|removed anyhow (cargo)
cargo update -p serde|updated serde (cargo)
cargo update|
uv add 'httpx>=0.27' --group dev|added httpx>=0.27 (uv)
uv pip install -r requirements.txt|
pip install -r requirements.txt|
python -m pip install requests==2.32|added requests==2.32 (pip)
pip uninstall -y requests|removed requests (pip)
sudo npm install -g typescript|added typescript (npm)
poetry add --group dev pytest|added pytest (poetry)
yarn add a b c d e f|added a, b, c, d, e, … (yarn)
go get golang.org/x/text@latest|added golang.org/x/text@latest (go)
npm install https://user:secret@example.com/x.tgz|
npm install ./local|
echo npm install lodash|
git add serde|
dotnet add package Serilog|added Serilog (dotnet)
";

    #[test]
    fn packages_are_told_from_options_paths_and_addresses() {
        for case in CASES.trim().lines() {
            let (command, expected) = case.split_once('|').unwrap();
            assert_eq!(packages(command).join("; "), expected, "{command}");
        }
    }

    #[test]
    fn what_may_have_failed_is_not_told() {
        assert_eq!(packages("npm install a || npm install b"), ["added a (npm)"]);
        assert_eq!(packages("npm install a | grep warn"), [""; 0]);
    }
}
