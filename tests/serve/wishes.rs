//! The requests of a user's lines beside a memory: a task of the session, a taking back, a correction.

use serde_json::{Value, json};

use super::server::Server;
use crate::env::TestEnv;

fn told(heard: &Value) -> String {
    heard["told"]["text"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_task_is_a_todo_until_a_summary_carries_it() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let heard = server.message("s", "m1", "don't forget to close the ticket");
    assert_eq!(
        (&heard["memories"], &heard["tasks"]),
        (&json!([]), &json!(["close the ticket"]))
    );
    assert_eq!(
        told(&heard),
        "mdmem heard in this message:\n- a task of this session, not stored as a memory: close the ticket"
    );
    assert_eq!(env.mdmem(["list", "--json"]).any_stdout().run().json(), json!([]));
    server.kill();
    let mut server = Server::start(&env);
    assert!(
        server.prompt("s").contains("todos:\n- close the ticket"),
        "{}",
        server.prompt("s")
    );
    let prompt = server.compacting("s").prompt;
    assert!(
        prompt.contains("- [asked by the user] close the ticket"),
        "{prompt}"
    );
    server.message("s", "m2", "don't forget to rebase this branch");
    server.compacted(
        "s",
        "## Next steps\n- close the ticket\n\nMemory candidates:\n(none)\n",
    );
    let prompt = server.prompt("s");
    assert!(
        prompt.contains("- rebase this branch") && !prompt.contains("ticket"),
        "{prompt}"
    );
}

#[test]
fn a_correction_takes_the_place_of_the_one_memory_that_is_meant() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let old = server.message("s", "m1", "remember: indent with spaces");
    let old = old["memories"][0]["path"].as_str().unwrap().to_owned();
    server.message("s", "m2", "remember: file names contain no spaces");
    let commits = || env.git(["rev-list", "--count", "HEAD"]).any_stdout().run().bytes;
    let before: u32 = String::from_utf8(commits()).unwrap().trim().parse().unwrap();
    let heard = server.message("s", "m3", "We indent with tabs now, not spaces.");
    assert_eq!(heard["memories"][0]["outcome"], "superseded", "{heard}");
    let way_back = format!("replaces {old} (`mdmem undo` brings it back)");
    assert!(told(&heard).contains(&way_back), "{heard}");
    assert!(
        env.read(&old).contains("status: superseded"),
        "{}",
        env.read(&old)
    );
    let after: u32 = String::from_utf8(commits()).unwrap().trim().parse().unwrap();
    assert_eq!(after, before + 1, "one commit, with the new memory");
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert!(!env.read(&old).contains("status: superseded"));
}

#[test]
fn what_is_taken_back_goes_out_of_force_and_stays_on_file() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let heard = server.message("s", "m1", "remember: we deploy on Thursdays");
    let path = heard["memories"][0]["path"].as_str().unwrap().to_owned();
    let talk = server.message("s", "m2", "the test no longer fails when we deploy on Thursdays");
    assert_eq!((&talk["memories"], &talk["told"]), (&json!([]), &Value::Null));
    let heard = server.message("s", "m3", "Forget that we deploy on Thursdays.");
    let words = format!("- archived: {path} (`mdmem undo` brings it back)");
    assert!(told(&heard).contains(&words), "{heard}");
    assert!(env.read(&path).contains("status: superseded"));
}

#[test]
fn what_confirms_a_memory_or_is_a_part_of_it_takes_nothing_back() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    for (at, (memory, said)) in [
        ("Never use npm in this repository", "We no longer use npm"),
        (
            "The tests need Docker and a running Redis",
            "We no longer use Redis",
        ),
        (
            "we deploy with Helm now, not Ansible",
            "Forget that we deploy with Ansible",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let heard = server.message("s", &format!("a{at}"), &format!("remember: {memory}"));
        let path = heard["memories"][0]["path"].as_str().unwrap().to_owned();
        let heard = server.message("s", &format!("b{at}"), said);
        assert_eq!(heard["memories"][0]["outcome"], "not_taken_back", "{heard}");
        assert!(told(&heard).contains(&path), "{heard}");
        assert!(!env.read(&path).contains("superseded"), "{path}");
    }
}

#[test]
fn a_fact_that_is_said_again_is_one_line_whatever_its_type() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Never push to main"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Server::start(&env);
    let heard = server.message("s", "m1", "remember: never push to main");
    assert_eq!(heard["memories"][0]["outcome"], "absorbed_exact", "{heard}");
    env.mdmem(["add", "-t", "reference", "never push to main"])
        .any_stdout()
        .any_stderr()
        .run();
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    assert_eq!(
        prompt.to_lowercase().matches("push to main").count(),
        1,
        "{prompt}"
    );
}

#[test]
fn where_it_is_not_clear_which_nothing_is_changed_and_the_model_is_asked() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    server.message("s", "m1", "remember: the Berlin office has its own VPN");
    server.message("s", "m2", "remember: the Berlin dataset is in UTM");
    let heard = server.message("s", "m3", "remove the note about Berlin from memory");
    assert_eq!(heard["memories"][0]["outcome"], "not_taken_back", "{heard}");
    assert!(
        told(&heard).contains("- nothing was changed: ") && told(&heard).contains("memory tools"),
        "{heard}"
    );

    let locked = "feedback/locked.md";
    env.write(locked, "---\nreadonly: true\n---\nThe build runs on Jenkins\n");
    let heard = server.message("s", "m4", "forget that the build runs on Jenkins");
    assert_eq!(heard["memories"][0]["outcome"], "not_taken_back", "{heard}");
    assert!(!env.read(locked).contains("superseded"));
}
