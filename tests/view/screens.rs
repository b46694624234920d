//! The screens as the person at the machine gets them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mdmem::service::{Context, Scope, ViewRequest, Viewer, view};

use crate::env::{TestEnv, write_at};

/// A page, of which the query is a part of the address.
#[track_caller]
pub(crate) fn page(env: &TestEnv, address: &str) -> String {
    page_with(env, address, None)
}

/// The page of a memory with a text that met a newer one.
#[track_caller]
fn page_with(env: &TestEnv, address: &str, draft: Option<&str>) -> String {
    let command = env.command("mdmem");
    let vars = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let env = mdmem::sys::Env::fixed(vars, env.workspace());
    let context = Context::real(env, Scope::Workspace, Vec::new()).unwrap();
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let request = ViewRequest {
        path,
        query,
        viewer: Viewer::Person,
        draft,
    };
    view(&context, &request, None).unwrap().expect(address).text
}

/// A machine on which every screen has something to show.
pub(super) fn machine() -> TestEnv {
    let env = TestEnv::new();
    let git = |day: &str, args: &[&str]| env.git_at_work(&format!("{day}T10:00:00Z"), args);
    git("2020-01-01", &["init", "-q"]);
    let total = write_at(&env.workspace().join("src/total.ts"), "export const total = 1;\n");
    git("2020-01-01", &["add", "-A"]);
    git("2020-01-01", &["commit", "-qm", "x"]);
    std::fs::remove_file(total).unwrap();
    git("2020-02-01", &["commit", "-qam", "y"]);
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.mdmem(["add", "--type", "decision", "Money is counted in cents"])
        .any_stdout()
        .run();
    let then = "created: 2019-12-01\nupdated: 2019-12-01";
    env.write(
        "project/total.md",
        &format!("---\n{then}\n---\nTotals are rounded in src/total.ts.\n"),
    );
    env.write(
        "project/checkout.md",
        "---\ntags: [payments]\n---\n# Checkout\n\nSee [[money-is-counted-in-cents]] and \
         <https://example.org>.\n\n## Steps\n\n1. Freeze the cart\n2. Charge\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n\
         ```rust\nfn charge() {}\n```\n",
    );
    env.write(
        "project/hostile.md",
        &format!(
            "# </title><script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) \
             [b](JaVaScRiPt&#58;alert(1)) [c](data:text/html,x) [d](vbscript:x) ![e](javascript:alert(1)) <javascript:alert(1)> \
             <svg onload=alert(1)><style>body {{ display: none }}</style></svg> <a style=x href=//evil.example>f</a> \
             </textarea></pre><script>alert(2)</script>\n\n[g]: javascript:alert(1)\n[g] {}\n",
            "a".repeat(1_000_000)
        ),
    );
    env.write(
        "project/leak.md",
        "The staging password is Fake-Stage-31, until ops rotate it.\n",
    );
    env.write(
        "project/agents.md",
        "---\nsource: agent\n---\nThe tests need node 20\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["show", "--json", "money-is"]).any_stdout().run();
    let id = env
        .mdmem(["show", "--json", "money-is"])
        .any_stdout()
        .run()
        .json();
    let id = id["id"].as_str().unwrap();
    env.write(
        "decision/money-2.md",
        &format!("---\nconflict_of: {id}\n---\nMoney is counted in euros\n"),
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let suggestion = serde_json::json!([{
        "number": 1, "at": "2026-11-20T09:00:00Z", "path": null, "type": "project", "old": "",
        "new": "The API listens on port 8080", "evidence": "", "blob": null, "settled": false
    }, {
        "number": 2, "at": "2026-11-20T09:01:00Z", "path": null, "type": "project", "old": "",
        "new": "The moon is a cheese", "evidence": "", "blob": null, "settled": false
    }]);
    env.write(".mdmem/suggestions.json", &suggestion.to_string());
    let said = |minute: u32, who: &str, text: &str| {
        serde_json::json!({
            "type": who, "uuid": format!("u{minute}"), "timestamp": format!("2026-11-20T09:{minute:02}:00.000Z"),
            "cwd": env.workspace(), "sessionId": "4f1c2d3e-0000-4000-8000-000000000001",
            "message": {"role": who, "id": "m1", "content": [{"type": "text", "text": text}]}
        })
        .to_string()
    };
    let talk = [
        said(0, "user", "Where is the needle?"),
        said(1, "assistant", "In the <b>hay</b>."),
    ];
    write_at(
        &env.home()
            .join(".claude/projects/-work/4f1c2d3e-0000-4000-8000-000000000001.jsonl"),
        &talk.join("\n"),
    );
    env
}

/// The pages that people see, by the name of a file for each.
pub(super) fn pages(env: &TestEnv) -> BTreeMap<String, String> {
    let shown = |address: &str, file: &str| (file.to_owned(), page(env, address));
    let plain = [
        "index.html",
        "view.css",
        "view.js",
        "workspace/memories.html",
        "workspace/prompt.html",
        "workspace/history.html",
        "workspace/review.html",
        "workspace/conversations.html",
        "workspace/health.html",
        "workspace/memory/decision/money-is-counted-in-cents.md.html",
        "workspace/memory/project/checkout.md.html",
        "workspace/memory/project/hostile.md.html",
        "workspace/memory/project/leak.md.html",
    ];
    let asked = [
        ("workspace/memories.html?done=0123456", "workspace/done.html"),
        ("workspace/memories.html?done=held", "workspace/held.html"),
        ("workspace/prompt.html?day=200", "workspace/in-200-days.html"),
        ("workspace/prompt.html?day=-300", "workspace/before.html"),
        ("workspace/history.html?commit=HEAD", "workspace/commit.html"),
        ("workspace/conversations.html?q=needle", "workspace/found.html"),
        ("workspace/conversations.html?id=4f1c2d3e", "workspace/talk.html"),
    ];
    let plain = plain.iter().map(|address| shown(address, address));
    let met = page_with(env, "workspace/memory/project/checkout.md.html", Some("Mine\n"));
    plain
        .chain(asked.iter().map(|(address, file)| shown(address, file)))
        .chain([("workspace/met.html".to_owned(), met)])
        .collect()
}

#[test]
fn each_screen_shows_what_its_commands_say() {
    let env = machine();
    let pages = pages(&env);
    for (file, parts) in [
        ("index.html", &["href=\"workspace/memories.html\""][..]),
        (
            "workspace/memories.html",
            &["Money is counted in cents", "<option>decision</option>"],
        ),
        (
            "workspace/prompt.html",
            &["&lt;mdmem&gt;", "money-is-counted-in-cents.md.html\">- Money is"],
        ),
        ("workspace/before.html", &["0 characters"]),
        (
            "workspace/history.html",
            &["<h2>2026-11-20</h2>", "do/undo", "?commit="],
        ),
        (
            "workspace/commit.html",
            &["<ins>+Money is counted in euros</ins>"],
        ),
        (
            "workspace/review.html",
            &[
                "Money is counted in euros",
                "value=\"theirs\"",
                "The API listens on port 8080",
                "project/agents.md",
                "suspected secret: password (line 1)",
                "do/allow",
                "<code>src/total.ts</code> is gone since",
                "do/verify",
            ],
        ),
        ("workspace/conversations.html", &["Where is the needle?"]),
        ("workspace/found.html", &["<mark>needle</mark>"]),
        ("workspace/talk.html", &["In the &lt;b&gt;hay&lt;/b&gt;."]),
        ("workspace/health.html", &["suspected secret", "not running"]),
        (
            "workspace/memory/project/checkout.md.html",
            &["name=\"rev\"", "do/forget", "<svg class=\"curve\""],
        ),
        (
            "workspace/memory/decision/money-is-counted-in-cents.md.html",
            &["project/checkout.md</a>"],
        ),
        (
            "workspace/memory/project/leak.md.html",
            &["[REDACTED:password]", "edit it with <code>mdmem edit</code>"],
        ),
    ] {
        for part in parts {
            assert!(
                pages[file].contains(part),
                "{file} has no {part}:\n{}",
                pages[file]
            );
        }
    }
    let all: String = pages.values().cloned().collect();
    assert!(!all.contains("Fake-Stage"), "a suspected secret is on a page");
    let assets = ["view.css", "view.js"].map(|file| pages[file].len());
    assert!(assets.iter().sum::<usize>() < 30_000, "{assets:?}");
}

#[test]
fn a_search_finds_beginnings_and_slips_and_says_so() {
    let env = machine();
    for (typed, word, found) in [
        ("checko", "checkout", "project/checkout.md"),
        ("conted", "counted", "decision/money-is-counted-in-cents.md"),
    ] {
        let page = page(&env, &format!("workspace/memories.html?q={typed}"));
        let said = format!("no memory has `{typed}`: searched `{word}` instead");
        assert!(page.contains(&said) && page.contains(found), "{typed}: {page}");
    }
}

#[test]
fn the_history_has_a_heading_a_day_and_goes_on() {
    let env = machine();
    let all = page(&env, "workspace/history.html");
    assert_eq!(all.matches("<h2>2026-11-20</h2>").count(), 1, "{all}");
    assert!(!all.contains("Older commits"), "{all}");
    let one = page(&env, "workspace/history.html?rows=1");
    assert_eq!(one.matches("class=\"step\"").count(), 1, "{one}");
    assert!(one.contains("rows=201\">Older commits"), "{one}");
}

#[test]
fn what_the_prompt_leaves_out_is_of_the_same_day() {
    let env = machine();
    let now = page(&env, "workspace/prompt.html");
    assert!(now.contains("conflict copy"), "{now}");
    let before = page(&env, "workspace/prompt.html?day=-300");
    assert!(before.contains("Every memory is in it."), "{before}");
}

#[test]
fn a_person_edits_what_is_read_only_to_tools_or_broken() {
    let env = machine();
    env.write(
        "system/way.md",
        "---\npaths: ['src/**']\nreadonly: true\n---\nOur way\n",
    );
    env.write("project/broken.md", "---\ntags: [a\n---\nBroken\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    for path in ["system/way.md", "project/broken.md"] {
        let page = page(&env, &format!("workspace/memory/{path}.html"));
        for part in ["name=\"rev\"", "do/archive"] {
            assert!(page.contains(part), "{path} has no {part}: {page}");
        }
        assert!(!page.contains("do/forget"), "{path}");
    }
    let prompt = page(&env, "workspace/prompt.html");
    assert!(
        prompt.contains("memory/system/way.md.html\">system/way.md (in src/**):"),
        "{prompt}"
    );
}

#[test]
fn a_draft_that_met_a_newer_text_goes_back_to_the_letter() {
    let env = machine();
    let draft = "The staging password is Fake-Stage-32 now.\n";
    for path in ["project/checkout.md", "project/leak.md"] {
        let page = page_with(&env, &format!("workspace/memory/{path}.html"), Some(draft));
        let (_, form) = page.split_once("<textarea").expect(path);
        assert!(form.contains(&format!(">\n{draft}</textarea>")), "{form}");
        assert!(!page.contains("Fake-Stage-31"), "{page}");
    }
}

#[test]
fn a_form_of_an_edit_has_the_very_text() {
    let env = TestEnv::with_store();
    let text = "---\nname: \"&amp;\"\n---\nA <b>bold</b> note \u{200f}with marks\n\n";
    env.write("project/typed.md", text);
    let page = page(&env, "workspace/memory/project/typed.md.html");
    let (_, form) = page.split_once("<textarea").unwrap();
    let typed = form
        .split_once(">\n")
        .unwrap()
        .1
        .split_once("</textarea>")
        .unwrap()
        .0;
    let typed = typed
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    assert_eq!(typed.replace("&amp;", "&"), text);
}

#[test]
fn people_see_the_pages_in_a_browser() {
    let Some(chromium) = browser("people_see_the_pages_in_a_browser") else {
        return;
    };
    let env = machine();
    let folder = env.workspace().join("pages");
    let pages = pages(&env);
    for (file, text) in &pages {
        write_at(&folder.join(file), text);
    }
    look(&env, &chromium, &folder, pages.keys().map(String::as_str));
    env.mdmem(["view", "--export", "site"])
        .any_stdout()
        .any_stderr()
        .run();
    let exported = [
        "index.html",
        "workspace/memories.html",
        "workspace/prompt.html",
        "workspace/history.html",
        "workspace/memory/project/checkout.md.html",
    ];
    look(
        &env,
        &chromium,
        &env.workspace().join("site"),
        exported.into_iter(),
    );
}

#[track_caller]
fn look<'p>(env: &TestEnv, chromium: &Path, folder: &Path, pages: impl Iterator<Item = &'p str>) {
    let looked = env
        .command("node")
        .arg(own_folder().join("look.mjs"))
        .args([chromium, folder])
        .args(pages.filter(|file| file.ends_with(".html")))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(std::env::var_os("MDMEM_SCREENSHOTS").map(|folder| ("MDMEM_SCREENSHOTS", folder)))
        .output()
        .expect("node runs the driver");
    assert!(
        looked.status.success(),
        "{}",
        String::from_utf8_lossy(&looked.stderr)
    );
}

pub(super) fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/view")
}

/// The system's Chromium, where it and its driver are installed. If they are not, says so past the test harness, which
/// swallows what a passing test prints; if `MDMEM_REQUIRE_BROWSER=1` asks for them, their absence fails the test.
#[track_caller]
pub(super) fn browser(test: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join("chromium"));
    let found = programs.find(|program| program.is_file());
    let found = found.filter(|_| own_folder().join("node_modules/playwright-core").is_dir());
    if found.is_none() {
        let mend = "install them with: apt-get install chromium; npm ci --prefix tests/view --ignore-scripts";
        assert_ne!(
            std::env::var("MDMEM_REQUIRE_BROWSER").as_deref(),
            Ok("1"),
            "Chromium or its driver is not installed; {mend}"
        );
        let line = format!("\n*** SKIPPED view::{test}: Chromium or its driver is not installed; {mend}\n\n");
        std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).unwrap();
    }
    found
}
