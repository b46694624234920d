//! The folder of the pinned notes by another name (`hot_dir`): everything that names the folder follows the setting.

use serde_json::json;

use super::server::Server;
use crate::env::TestEnv;

fn prompt(env: &TestEnv) -> String {
    env.mdmem(["render"]).any_stdout().run().stdout
}

#[test]
fn the_pinned_folder_has_the_name_that_the_store_gives_it() {
    let env = TestEnv::with_store();
    env.write("system/human.md", "I work at night.\n\nIn two zones.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["config", "set", "--user", "tools.enabled", "[\"all\"]"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Server::start(&env);
    let tools = server.welcome["tools"].to_string();
    assert!(tools.contains("In system/ it is pinned"), "{tools}");
    let frozen = server.prompt("s");
    assert!(frozen.contains("system/human.md:\n"), "{frozen}");

    let told = env.mdmem(["config", "set", "hot_dir", "hot"]).any_stderr().run();
    for words in [
        "set hot_dir in $STORE/mdmem.toml\n",
        "hot/ is now the folder of pinned notes, and system/ an ordinary folder; open sessions follow with their next prompt\n",
        "Still in system/: 1 note. `mdmem mv system/human.md hot/` pins it again.\n",
    ] {
        assert!(told.stderr.contains(words), "{}", told.stderr);
    }
    assert!(env.read("PROTOCOL.md").contains("\n| `hot/` | pinned: "));
    env.git(["status", "--porcelain"]).stdout("").run();
    assert!(!prompt(&env).contains("system/human.md:\n"));
    assert_eq!(server.prompt("s"), frozen, "nobody asked for a new epoch");
    assert!(
        !server.prompt("t").contains("system/human.md:\n"),
        "a new session has the new form"
    );
    env.mdmem(["list", "--zone", "pinned", "-p"])
        .stdout("")
        .any_stderr()
        .run();
    env.mdmem(["search", "zones", "--zone", "cold"])
        .stdout_has("system/human.md")
        .run();

    env.mdmem(["mv", "human", "hot/"])
        .stdout("moved system/human.md -> hot/human.md\n")
        .any_stderr()
        .run();
    assert!(
        server.prompt("s").contains("hot/human.md:\n"),
        "a move begins an epoch"
    );
    assert!(prompt(&env).contains("hot/human.md:\n"));
    assert!(
        env.read("MEMORY.md")
            .contains("## Pinned\n\n- [human](hot/human.md)")
    );
    let written = env
        .mdmem(["init", "--starter", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(written["starter"]["written"], json!(["hot/persona.md"]));
    assert_eq!(written["starter"]["kept"], json!(["hot/human.md"]));

    // A server that begins now tells models so, and so does one that cannot ask its client.
    drop(server);
    let mut server = Server::start(&env);
    let tools = server.welcome["tools"].to_string();
    assert!(
        tools.contains("In hot/ it is pinned") && !tools.contains("system/"),
        "{tools}"
    );
    let note = json!({"path": "hot/rules.md", "content": "Be brief.\n\nBe kind."});
    server.tool("memory_write", &note);
    assert!(server.prompt("u").contains("hot/rules.md:\n"));
    std::fs::remove_file(env.store().join("PROTOCOL.md")).unwrap();
    let protocol = server.tool("memory_read", &json!({"path": "PROTOCOL.md"}));
    assert!(protocol.contains("| `hot/` | pinned"), "{protocol}");

    let back = env
        .mdmem(["config", "unset", "hot_dir", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(
        back["no_longer_pinned"]["left"],
        json!(["hot/human.md", "hot/persona.md", "hot/rules.md"])
    );
}

#[test]
fn a_folder_that_means_something_is_refused() {
    let env = TestEnv::with_store();
    env.mdmem(["config", "set", "type.recipe.cap", "3"])
        .any_stderr()
        .run();
    env.mdmem(["config", "set", "exclude.folders", "[\"sec\"]"])
        .any_stderr()
        .run();
    let before = env.read("mdmem.toml");
    for (name, reason) in [
        ("decision", "must be the name of a folder"),
        ("archive", "must be the name of a folder"),
        (".mdmem", "must be the name of a folder"),
        ("a/b", "must be the name of a folder"),
        ("hot/", "must be the name of a folder"),
        ("recipe", "`recipe/` is the folder of pinned notes"),
        ("sec", "`exclude.folders` excludes `sec/`"),
    ] {
        env.mdmem(["config", "set", "hot_dir", name]).fails(reason).run();
    }
    env.mdmem(["config", "set", "exclude.folders", "[\"./system/\"]"])
        .fails("`hot_dir = system` pins nothing")
        .run();
    env.mdmem(["config", "set", "--user", "hot_dir", "hot"])
        .fails("set it in the mdmem.toml of a store")
        .run();
    assert_eq!(env.read("mdmem.toml"), before);
    // By hand it can be written.
    env.write("mdmem.toml", &before.replace("\"sec\"", "\"system\""));
    env.mdmem(["check"])
        .any_stderr()
        .code(1)
        .stdout_has("`hot_dir = system` pins nothing")
        .run();
}
