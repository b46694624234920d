//! Many at once.

use super::server::Server;
use crate::env::TestEnv;

const MESSAGES: usize = 50;

#[test]
fn two_servers_on_one_workspace_lose_no_memory_and_store_none_twice() {
    let env = TestEnv::new();
    std::thread::scope(|scope| {
        for name in ["left", "right"] {
            let mut server = Server::start(&env);
            scope.spawn(move || {
                for n in 0..MESSAGES {
                    let text = format!("remember: the {name} service number {n} keeps its own queue");
                    server.message(name, &format!("msg_{n}"), &text);
                }
                server.bye();
            });
        }
    });
    let listed = env.mdmem(["list", "--json", "--all"]).any_stdout().run().json();
    let memories = listed.as_array().unwrap();
    assert_eq!(memories.len(), 2 * MESSAGES);
    env.mdmem(["status"]).any_stdout().run();
    let files = env.git(["status", "--porcelain"]).any_stdout().run();
    assert_eq!(String::from_utf8(files.bytes).unwrap(), "");
}

#[test]
fn two_servers_that_hear_the_same_hear_it_once() {
    let env = TestEnv::with_store();
    for round in 0..5 {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let mut server = Server::start(&env);
                scope.spawn(move || {
                    let text = format!("remember: service number {round} keeps its own queue");
                    server.message("s", &format!("msg_{round}"), &text);
                    let text = format!("Table number {round} is partitioned by region by design.");
                    server.compacted("s", &format!("Memory candidates:\n- [decision] {text}\n"));
                });
            }
        });
    }
    let listed = env.mdmem(["list", "--json", "--all"]).any_stdout().run().json();
    let memories = listed.as_array().unwrap();
    assert_eq!(memories.len(), 10);
    for memory in memories {
        let text = env.read(memory["path"].as_str().unwrap());
        assert!(!text.contains("reinforced:"), "{text}");
    }
}
