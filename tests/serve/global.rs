//! The global store beside the workspace's, in prompts, in what a session is told, and by the tools.

use std::io;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::server::{Server, rev};
use crate::env::{TestEnv, hold};

/// The name of a trouble, its beginning and its end.
type Breakage<'a> = (
    &'a str,
    &'a dyn Fn() -> io::Result<()>,
    &'a dyn Fn() -> io::Result<()>,
);

/// A machine with a memory in each of both stores.
fn machine() -> TestEnv {
    let env = TestEnv::with_store();
    env.mdmem(["add", "--type", "decision", "Use pnpm for every package"])
        .any_stdout()
        .run();
    add_globally(&env, "Answer in English");
    env
}

fn add_globally(env: &TestEnv, text: &str) {
    let args = ["--global", "add", "--type", "user", text];
    env.mdmem(args).any_stdout().any_stderr().run();
}

#[test]
fn a_prompt_goes_on_whatever_the_global_store_is() {
    let env = machine();
    let global = env.mdmem_home().join("global");
    let render = || env.mdmem(["render"]).any_stdout().any_stderr().run().stdout;
    let whole = render();
    let (first, second) = (whole.find("in English"), whole.find("Use pnpm"));
    assert!(first.is_some() && first < second, "{whole}");
    {
        let _held = hold(&global.join(".git/mdmem.lock"));
        assert_eq!(render(), whole, "nobody waits for a lock");
    }
    // A kill of git's, a disk that lost blocks, a copy without its repository, a store that is away.
    let config = global.join(".git/config");
    let whole_config = std::fs::read(&config).unwrap();
    let aside = env.home().join("aside");
    let broken: [Breakage<'_>; 4] = [
        ("no settings of git's", &|| std::fs::write(&config, "[["), &|| {
            std::fs::write(&config, &whole_config)
        }),
        (
            "no repository",
            &|| std::fs::rename(global.join(".git"), &aside),
            &|| std::fs::rename(&aside, global.join(".git")),
        ),
        ("no store", &|| std::fs::rename(&global, &aside), &|| {
            std::fs::rename(&aside, &global)
        }),
        (
            "a file in its place",
            &|| std::fs::rename(&global, &aside).and_then(|()| std::fs::write(&global, "x")),
            &|| std::fs::remove_file(&global).and_then(|()| std::fs::rename(&aside, &global)),
        ),
    ];
    for (what, break_it, mend) in broken {
        break_it().unwrap();
        let prompt = render();
        let served = Server::start(&env).prompt("s");
        mend().unwrap();
        assert!(
            prompt.contains("Use pnpm") && !prompt.contains("English"),
            "{what}: {prompt}"
        );
        assert!(served.contains("Use pnpm"), "{what}: {served}");
        std::fs::remove_dir_all(env.store().join(".mdmem/sessions")).unwrap();
    }
    assert_eq!(render(), whole);
    // The owner of the machine may read everything.
    let denied = std::fs::Permissions::from_mode(0o000);
    let allowed = std::fs::metadata(&global).unwrap().permissions();
    std::fs::set_permissions(&global, denied).unwrap();
    let prompt = render();
    std::fs::set_permissions(&global, allowed).unwrap();
    assert!(prompt.contains("Use pnpm"), "{prompt}");
}

#[test]
fn a_large_global_store_takes_its_share_and_no_more() {
    let env = machine();
    let global = env.mdmem_home().join("global");
    for n in 0..30 {
        let text = format!("{n} {}\n", "lorem ipsum dolor ".repeat(20));
        std::fs::write(global.join(format!("system/{n:02}.md")), &text).unwrap();
        std::fs::write(env.store().join(format!("system/{n:02}.md")), text).unwrap();
    }
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    let begin = prompt.find("\nPinned memory:").unwrap();
    let head = prompt.find("Pinned global memory:").unwrap();
    assert!((1200..=2402).contains(&(begin - head)), "{}", begin - head);
    assert!(
        prompt.contains("(`mdmem list --global --zone pinned`): read each with"),
        "{prompt}"
    );
    assert!(prompt.len() - begin > 9000, "{}", prompt.len() - begin);
    let args = ["render", "--set", "render.global_chars=0"];
    let without = env.mdmem(args).any_stdout().run().stdout;
    assert!(!without.contains("Pinned global memory"), "{without}");
}

#[test]
fn a_session_hears_of_the_global_store_and_is_shown_what_is_moved_there() {
    let env = machine();
    let mut server = Server::start(&env);
    let first = server.prompt("s");
    let told = |server: &mut Server, id: &str| {
        let heard = server.message("s", id, "go on");
        heard["told"]["text"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(told(&mut server, "m1"), "");
    add_globally(&env, "Prefer short answers");
    assert_eq!(server.prompt("s"), first, "a change elsewhere begins no epoch");
    let text = told(&mut server, "m2");
    assert!(
        text.contains("since the global memory was rendered:\n- Added: \"Prefer short answers\""),
        "{text}"
    );
    assert_eq!(told(&mut server, "m3"), "", "it is told once");
    env.mdmem(["--global", "mv", "prefer-short-answers", "system/"])
        .any_stdout()
        .run();
    let pinned = server.prompt("s");
    assert!(pinned.contains("Pinned global memory:"), "{pinned}");
}

#[test]
fn a_new_note_in_system_is_pinned_at_once_and_other_words_in_it_are_not() {
    let env = machine();
    let mut server = Server::start(&env);
    assert!(!server.prompt("s").contains("Be kind"));
    let args = json!({"path": "system/house.md", "content": "# House\n\nBe kind."});
    let first = rev(&server.tool("memory_write", &args));
    let pinned = server.prompt("s");
    assert!(pinned.contains("Be kind"), "{pinned}");
    let args = json!({"path": "system/house.md", "content": "# House\n\nBe brief.", "rev": first});
    server.tool("memory_write", &args);
    assert_eq!(server.prompt("s"), pinned);
    server.tool("memory_flush", &json!({}));
    assert!(server.prompt("s").contains("Be brief"));
    server.tool("memory_delete", &json!({"path": "system/house.md"}));
    assert!(!server.prompt("s").contains("Be brief"));
}

#[test]
fn every_tool_that_reads_takes_all_and_says_which_store() {
    let mut env = machine();
    env.set_var("MDMEM_TOOLS__GLOBAL", "allow");
    let mut server = Server::start(&env);
    let schemas = server.welcome["tools"].as_array().unwrap().clone();
    for tool in &schemas {
        let scopes = &tool["schema"]["properties"]["scope"]["enum"];
        let name = tool["name"].as_str().unwrap();
        let expected: Value = match name {
            "memory_flush" | "memory_context" => Value::Null,
            "memory_read" | "memory_tree" | "memory_history" | "memory_search" => {
                json!(["project", "global", "all"])
            }
            _ => json!(["project", "global"]),
        };
        assert_eq!(*scopes, expected, "{name}");
    }
    let args = |scope: &str| json!({"path": "answer-in-english", "scope": scope});
    let read = server.tool("memory_read", &args("all"));
    assert!(read.contains("\nscope: global\n"), "{read}");
    server.refused("memory_read", &args("project"));
    let own = server.tool(
        "memory_read",
        &json!({"path": "use-pnpm-for-every-package", "scope": "all"}),
    );
    assert!(!own.contains("\nscope:"), "{own}");

    let all = server.tool("memory_history", &json!({"scope": "all"}));
    assert!(
        all.contains(" global memory: add user/answer-in-english")
            && all.contains(" memory: add decision/use-pnpm")
            && !all.contains("global memory: add decision"),
        "{all}"
    );
    let newest = server.tool("memory_history", &json!({"scope": "all", "limit": 1}));
    assert!(
        newest.contains("answer-in-english") && !newest.contains('\n'),
        "{newest}"
    );
    let own = server.tool("memory_history", &json!({"scope": "project"}));
    assert!(!own.contains("english"), "{own}");

    let tree = server.tool("memory_tree", &json!({"scope": "all"}));
    assert!(tree.contains("\nprojects.md ("), "{tree}");
    let page = server.tool("memory_read", &json!({"path": "projects.md", "scope": "global"}));
    let workspace = env.workspace().display().to_string();
    assert!(
        page.contains(&format!("- workspace: {workspace}, last activity 2026-11-")),
        "{page}"
    );
    assert!(!server.prompt("s").contains("projects.md"));
    // A person's own file of that name comes first.
    env.write("projects.md", "Two projects: the shop and the site\n");
    let own = server.tool("memory_read", &json!({"path": "projects.md"}));
    assert!(own.contains("the shop and the site"), "{own}");
}
