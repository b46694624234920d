//! Many at once.

use super::server::Server;
use crate::env::TestEnv;

const MESSAGES: usize = 50;

#[test]
fn two_servers_on_one_workspace_lose_no_memory_and_store_none_twice() {
    let env = TestEnv::in_memory();
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
