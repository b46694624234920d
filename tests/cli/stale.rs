//! Memories that cite files of the workspace: what is gone, and what only looks so.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::env::{LIMIT, TestEnv, wait_for, write_at};
use crate::serve::server::Server;

const CART: &str = "decision/cart.md";
const TEXT: &str = "Totals are rounded once, in src/cart.ts:12.";
const GONE: &str = "[src/cart.ts is gone; now src/basket.ts?]";

#[track_caller]
fn git(env: &TestEnv, args: &[&str]) {
    env.git_at_work(&env.now(), args);
}

fn save(env: &TestEnv, path: &str, text: &str) {
    write_at(&env.workspace().join(path), text);
}

#[track_caller]
fn commit(env: &TestEnv) {
    git(env, &["add", "-A"]);
    git(env, &["commit", "-qm", "x"]);
}

/// A shop in git, and memories of it.
fn shop(memories: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::new();
    git(&env, &["init", "-q"]);
    let lines: Vec<String> = (0..20)
        .map(|line| format!("export const part{line} = {line};\n"))
        .collect();
    let lines = lines.concat();
    save(&env, "src/cart.ts", &lines);
    save(&env, "src/pay/card.ts", &lines.replace("part", "card"));
    save(&env, "dist/app.js", "built\n");
    commit(&env);
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    for (path, text) in memories {
        env.write(path, &format!("{text}\n"));
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

#[track_caller]
fn prompt(env: &TestEnv) -> String {
    env.mdmem(["render"]).any_stdout().run().stdout
}

#[test]
fn a_renamed_file_is_told_wherever_its_memory_is() {
    let env = shop(&[
        (CART, TEXT),
        ("project/pay.md", "Cards are charged below `src/pay/`."),
    ]);
    assert!(!prompt(&env).contains("gone"));
    git(&env, &["mv", "src/cart.ts", "src/basket.ts"]);
    git(&env, &["mv", "src/pay", "src/payment"]);
    assert!(prompt(&env).contains(&format!("{TEXT} (2026-11-20, noted) {GONE}\n")));
    commit(&env);
    let told = prompt(&env);
    assert!(
        told.contains(GONE) && told.contains("[src/pay is gone; now src/payment?]"),
        "{told}"
    );
    env.mdmem(["list"]).stdout_has("stale").run();
    env.mdmem(["check"])
        .stdout_has("src/cart.ts is gone since ")
        .stdout_has(" of 2026-11-20; now src/basket.ts?")
        .run();
    env.mdmem(["why", CART])
        .stdout_has("stale      src/cart.ts is gone since ")
        .run();
    let gone = env
        .mdmem(["list", "--json", "--type", "decision"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(gone[0]["gone"][0]["cited"], json!({"path": "src/cart.ts"}));
    assert_eq!(gone[0]["gone"][0]["now"], "src/basket.ts");
    // The next look goes on from there, and says the same as one from the beginning.
    git(&env, &["mv", "src/basket.ts", "src/order.ts"]);
    commit(&env);
    let told = prompt(&env);
    assert!(
        told.contains("[src/cart.ts is gone; now src/order.ts?]"),
        "{told}"
    );
    fs::remove_file(env.store().join(".mdmem/cache/workspace")).unwrap();
    assert_eq!(prompt(&env), told);
    git(&env, &["mv", "src/order.ts", "src/cart.ts"]);
    assert!(!prompt(&env).contains("src/cart.ts is gone"));
}

#[test]
fn what_only_looks_gone_is_not_told() {
    let env = shop(&[
        ("project/plan.md", "Invoices get a place in src/invoice.ts."),
        ("project/old.md", "We removed src/cart.ts, never bring it back."),
        ("project/built.md", "The bundle is dist/app.js."),
        ("project/name.md", "card.ts charges, and cart.ts sums up."),
        ("project/link.md", "Shared code is in shared/a.ts."),
    ]);
    save(&env, ".gitignore", "dist/\n");
    save(&env, "cart.ts", "a\n");
    symlink(env.home(), env.workspace().join("shared")).unwrap();
    commit(&env);
    git(&env, &["rm", "-rq", "--cached", "dist", "src/cart.ts", "cart.ts"]);
    save(&env, "web/cart.ts", "b\n");
    for gone in ["dist/app.js", "src/cart.ts", "cart.ts"] {
        fs::remove_file(env.workspace().join(gone)).unwrap();
    }
    commit(&env);
    env.advance_days(1);
    env.write("project/late.md", "Totals were in src/cart.ts.\n");
    env.write("project/later.md", "The cart, src/cart.ts, is one file.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert!(!prompt(&env).contains("gone"), "{}", prompt(&env));
}

/// Lines of what is told, and the memory; nothing is told where the first part is empty.
const CITED: &str = include_str!("../eval/cited.txt");

/// The manifests of a workspace, before and after: their paths and texts.
const BEFORE: [(&str, &str); 7] = [
    (
        "package.json",
        r#"{"scripts": {"lint": "eslint .", "build": "tsc -b", "test": "vitest", "publish": "changeset publish",
            "tsc": "tsc --noEmit", "e2e:ui": "playwright test --ui"},
            "dependencies": {"zod": "^3", "react": "^19", "moment": "^2", "debug": "^4", "left-pad": "1", "@acme/ui": "1"}}"#,
    ),
    (
        "apps/web/package.json",
        r#"{"scripts": {"storybook": "storybook dev", "preview": "vite preview"}, "devDependencies": {"axios": "^1"}}"#,
    ),
    (
        "Makefile",
        "ALL := a:b\n.PHONY: build seed\nbuild seed: %.o\n\techo deploy:\ndeploy:\n\tx\n%.o: %.c\n\tcc\n",
    ),
    (
        "justfile",
        "set shell := ['sh']\nfmt:\n  x\nrelease version='1': fmt\n  y\n",
    ),
    (
        "Cargo.toml",
        "[dependencies]\nserde_json = '1'\n[workspace.dependencies]\nanyhow = { version = '1' }\n",
    ),
    (
        "requirements.txt",
        "requests>=2\nCelery[redis]==5\npython-dateutil\nflower\n",
    ),
    ("vendor/package.json", r#"{"scripts": {"x": "zod --help"}}"#),
];
const AFTER: [(&str, &str); 8] = [
    (
        "package.json",
        r#"{"scripts": {"build": "tsc -b", "test": "vitest", "preview": "vite preview"},
            "dependencies": {"react": "^19", "axios": "^1", "date-fns": "^4"}}"#,
    ),
    ("apps/web/package.json", r#"{"scripts": {}}"#),
    ("Makefile", "build: a.o\n\techo deploy:\n%.o: %.c\n\tcc\n"),
    ("justfile", "set shell := ['sh']\nfmt:\n  x\n"),
    ("Cargo.toml", "[dependencies]\nserde-json = '1'\n"),
    ("requirements.txt", "requests>=2\npython_dateutil>=2\n"),
    ("requirements/dev.txt", "flower\n"),
    ("docs/requirements.md", "celery\n"),
];

#[test]
fn scripts_and_packages_that_a_manifest_lost_are_told_and_nothing_else_is() {
    let env = TestEnv::new();
    git(&env, &["init", "-q"]);
    let write = |files: &[(&str, &str)]| files.iter().for_each(|(path, text)| save(&env, path, text));
    write(&BEFORE[..6]);
    // Nobody reads so much of a manifest.
    save(
        &env,
        "Pipfile",
        &format!("{}numpy = '*'\n", "#\n".repeat(1 << 19)),
    );
    commit(&env);
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    for (key, most) in [
        ("type.decision.cap", "99"),
        ("render.max_entries", "99"),
        ("render.max_chars", "9999"),
    ] {
        env.mdmem(["config", "set", key, most]).any_stderr().run();
    }
    for (at, line) in CITED.lines().enumerate() {
        let (_, text) = line.split_once("| ").unwrap();
        env.write(&format!("decision/m{at}.md"), &format!("{text}\n"));
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let told = || {
        let list = env.mdmem(["list", "--json"]).any_stdout().run().json();
        let name = |gone: &serde_json::Value| {
            let cited = gone["cited"].as_object().unwrap().iter().next().unwrap();
            let package = if cited.0 == "package" { "package " } else { "" };
            format!("{package}{}", cited.1.as_str().unwrap())
        };
        let told = list.as_array().unwrap().iter().map(|one| {
            let place = one["path"].as_str().unwrap().trim_start_matches("decision/m");
            let gone = one["gone"].as_array().into_iter().flatten().map(name);
            (
                place.trim_end_matches(".md").parse().unwrap(),
                gone.collect::<Vec<_>>().join(" "),
            )
        });
        told.collect::<BTreeMap<usize, String>>()
    };
    let none = |told: BTreeMap<usize, String>| told.values().all(String::is_empty);
    assert!(none(told()), "before anything is gone");
    env.advance_days(1);
    write(&AFTER);
    fs::remove_file(env.workspace().join("Pipfile")).unwrap();
    assert!(none(told()), "before a commit");
    commit(&env);
    let lines = told().into_iter().map(|(at, told)| {
        let text = CITED.lines().nth(at).unwrap().split_once("| ").unwrap().1;
        format!("{told}{}| {text}\n", if told.is_empty() { "" } else { " " })
    });
    assert_eq!(lines.collect::<String>(), CITED);
    assert!(
        prompt(&env).contains("[npm run lint is gone]"),
        "{}",
        prompt(&env)
    );
    env.mdmem(["why", "m0"])
        .stdout_has("stale      npm run lint is gone since ")
        .run();
    env.mdmem(["check"])
        .stdout_has("out of date: package zod is gone since ")
        .any_stderr()
        .run();
    // Nobody knows what lies in a file that a manifest takes in, nor why one still speaks of a package.
    save(&env, BEFORE[6].0, BEFORE[6].1);
    save(&env, "Makefile", "include common.mk\n");
    commit(&env);
    let told: BTreeSet<String> = told().into_values().filter(|told| !told.is_empty()).collect();
    let left = [
        "bun run e2e:ui",
        "just release",
        "npm run lint",
        "npm run storybook",
        "package @acme/ui",
    ];
    let left = left.into_iter().chain([
        "package anyhow",
        "package celery",
        "package left-pad",
        "pnpm run lint",
        "yarn lint",
    ]);
    assert_eq!(told, left.map(str::to_owned).collect());
    // What came back without a commit is not gone.
    save(&env, "justfile", BEFORE[3].1);
    assert!(!prompt(&env).contains("just release is gone"));
    // Nobody looks through so many manifests, and what was found before they came counts no more.
    for at in 0..40 {
        save(&env, &format!("many/{at}/package.json"), "{}");
    }
    commit(&env);
    assert!(!prompt(&env).contains("is gone"), "{}", prompt(&env));
}

#[test]
fn a_session_is_told_by_the_prompt_that_begins_after_a_look() {
    let env = shop(&[(CART, TEXT)]);
    git(&env, &["mv", "src/cart.ts", "src/basket.ts"]);
    commit(&env);
    let mut server = Server::start(&env);
    let looked = env.store().join(".mdmem/cache/workspace");
    wait_for("the look", LIMIT, || looked.exists().then_some(()));
    let told = server.prompt("s");
    assert!(told.contains(GONE), "{told}");
    // Within an epoch its bytes stay.
    git(&env, &["mv", "src/basket.ts", "src/cart.ts"]);
    assert_eq!(server.prompt("s"), told);
    server.bye();
}

#[test]
fn a_memory_that_still_holds_is_verified() {
    let env = shop(&[(CART, TEXT)]);
    env.advance_days(50);
    git(&env, &["mv", "src/cart.ts", "src/basket.ts"]);
    commit(&env);
    assert!(prompt(&env).contains(&format!("noted, verify) {GONE}")));
    let said = "would verify decision/cart.md\n";
    env.mdmem(["verify", "cart", "--dry-run"])
        .stdout(said)
        .any_stderr()
        .run();
    assert!(!env.read(CART).contains("verified"));
    let verified = env.mdmem(["verify", "cart", "--json"]);
    assert_eq!(verified.any_stdout().any_stderr().run().json()["path"], CART);
    let file = env.read(CART);
    assert!(
        file.contains("verified: 2027-01-09") && file.contains("clock: 2027-01-09"),
        "{file}"
    );
    assert!(
        !file.contains("reinforce") && file.ends_with(&format!("{TEXT}\n")),
        "{file}"
    );
    assert!(prompt(&env).contains(&format!("{TEXT} (2026-11-20, noted)\n")));
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert!(prompt(&env).contains(GONE));
    env.mdmem(["verify", "cart"])
        .var("CLAUDECODE", "1")
        .fails("what the user said")
        .any_stderr()
        .run();
}

#[test]
fn a_model_verifies_what_it_wrote_once_in_a_week_where_it_is_right() {
    let env = shop(&[(CART, TEXT)]);
    let verify = |path: &str| json!({ "path": path });
    let mut server = Server::start(&env);
    let refused = server.refused("memory_verify", &verify(CART));
    assert!(refused.contains("what the user said"), "{refused}");
    let card = "project/card.md";
    server.tool(
        "memory_write",
        &json!({"path": card, "content": "Cards are charged in src/pay/card.ts."}),
    );
    let done = server.tool("memory_verify", &verify(card));
    assert!(done.starts_with("Verified: project/card.md"), "{done}");
    assert!(env.read(card).contains("verified: "));
    let refused = server.refused("memory_verify", &verify(card));
    assert!(refused.contains("less than 7 days"), "{refused}");
    server.bye();
    env.advance_days(8);
    let mut server = Server::start(&env);
    server.tool("memory_verify", &verify(card));
    server.bye();
    env.advance_days(8);
    git(&env, &["mv", "src/pay/card.ts", "src/pay/visa.ts"]);
    commit(&env);
    let mut server = Server::start(&env);
    let refused = server.refused("memory_verify", &verify(card));
    assert!(refused.contains("now src/pay/visa.ts?"), "{refused}");
    server.bye();
}
