//! What each form keeps, after an import and after a round trip through mdmem's own form into another store.

use serde_json::{Value, json};

use super::peer;
use crate::env::{TestEnv, write_at};

/// Writes a source, and gives what `mdmem import` is told of it.
type Source = fn(&TestEnv) -> String;

/// The forms, and of each memory that comes of them: path, type, when it was created and updated (`-`: by the import),
/// tags, title, and what it links to.
const FORMS: [(&str, Source, &str); 10] = [
    (
        "agent-notes",
        agent_notes,
        "feedback/deploy_rules.md | feedback | 2026-07-22T10:00:00 | 2026-07-22T10:00:00 | [] | deploy-rules | build-host\nproject/build_host.md | project | 2026-05-01T00:00:00 | 2026-05-01T00:00:00 | [] | build-host | \n",
    ),
    (
        "instructions",
        rule,
        "reference/components.md | reference | 2026-03-04T00:00:00 | 2026-03-04T00:00:00 | [] | components | \n",
    ),
    (
        "serena",
        serena,
        "serena/style.md | project | 2026-03-04T05:06:07 | 2026-03-04T05:06:07 | [] | Style | \n",
    ),
    (
        "markdown",
        vault,
        "vault/Ports.md | project | 2026-03-04T03:06:07 | 2026-03-04T03:06:07 | [\"net\"] | The ports | Hosts\nvault/sub/Hosts.md | project | 2026-01-02T03:04:05 | 2026-01-02T03:04:05 | [] | Hosts | \n",
    ),
    (
        "basic-memory",
        basic_memory,
        "basic/services/Carts.md | project | - | - | [] | Carts | \nbasic/services/Orders.md | project | 2026-02-03T04:05:06 | 2026-02-04T04:05:06 | [\"shop\"] | Orders | Carts\n",
    ),
    (
        "engram",
        engram,
        "decision/chose-pnpm.md | decision | 2026-01-02T03:04:05 | 2026-01-03T03:04:05 | [\"decision\",\"build\"] | Chose pnpm | \n",
    ),
    (
        "mcp-memory",
        graph,
        "project/orders-db.md | project | - | - | [\"service\"] | Orders DB | \nproject/sam.md | project | - | - | [\"person\"] | Sam | Orders DB\n",
    ),
    (
        "mem0",
        mem0,
        "project/the-user-likes-tabs.md | project | 2024-07-20T08:30:36 | 2024-07-21T08:30:36 | [\"style\"] | the-user-likes-tabs | \n",
    ),
    (
        "claude-mem",
        claude_mem,
        "decision/chose-sqlite.md | decision | 2026-01-02T03:04:05 | 2026-01-02T03:04:05 | [\"decision\",\"db\"] | Chose SQLite | \n",
    ),
    (
        "opencode-working-memory",
        working_memory,
        "decision/use-npm-cache-not-npm-link.md | decision | 2026-01-02T03:04:05 | 2026-01-03T03:04:05 | [] | use-npm-cache-not-npm-link | \n",
    ),
];

#[test]
fn each_form_keeps_times_scope_names_and_links_also_through_a_round_trip() {
    let mut wrong = Vec::new();
    for (form, write, expected) in FORMS {
        let env = TestEnv::with_store();
        let source = write(&env);
        env.mdmem(["import", &source, "--from", form])
            .any_stdout()
            .any_stderr()
            .run();
        let first = kept(&env);
        let exported = env.home().join("all.json");
        env.mdmem(["export", "--to", "json", exported.to_str().unwrap()])
            .any_stdout()
            .any_stderr()
            .run();
        let other = TestEnv::with_store();
        other
            .mdmem(["import", exported.to_str().unwrap()])
            .any_stdout()
            .any_stderr()
            .run();
        assert_eq!(kept(&other), first, "{form}");
        if first != expected {
            wrong.push(format!("{form}:\n{first}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

/// A line for each memory, and one for each link that leads nowhere.
fn kept(env: &TestEnv) -> String {
    let listed = env
        .mdmem(["list", "--all", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    let mut lines: Vec<String> = listed.as_array().unwrap().iter().map(line).collect();
    lines.sort();
    let checked = env
        .command(env!("CARGO_BIN_EXE_mdmem"))
        .args(["check"])
        .output()
        .unwrap();
    let checked = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(!checked.contains("[["), "{checked}");
    lines.concat()
}

fn line(memory: &Value) -> String {
    let said = |key: &str| memory[key].as_str().unwrap_or("-").to_owned();
    // The clock of the machine, where the source states no time.
    let second = |key: &str| match said(key).get(..19) {
        Some(time) if !time.starts_with("2026-11") => time.to_owned(),
        _ => "-".to_owned(),
    };
    let text = memory["text"].as_str().unwrap_or_default();
    let links: Vec<&str> = text
        .split("[[")
        .skip(1)
        .filter_map(|rest| rest.split("]]").next())
        .collect();
    let (path, kind, title) = (said("path"), said("type"), said("title"));
    let (created, updated) = (second("created"), second("updated"));
    let (tags, links) = (memory["tags"].to_string(), links.join(","));
    format!("{path} | {kind} | {created} | {updated} | {tags} | {title} | {links}\n")
}

fn project(env: &TestEnv) -> String {
    env.workspace().file_name().unwrap().to_str().unwrap().to_owned()
}

fn agent_notes(env: &TestEnv) -> String {
    let folder = env.home().join("memory");
    let note = "---\nname: deploy-rules\ndescription: How releases go out\nmetadata:\n  type: feedback\n  modified: 2026-07-22T10:00:00.000Z\n---\nDeploy only from main, see [[build-host]].\n";
    write_at(&folder.join("deploy_rules.md"), note);
    let older = "---\nname: build-host\ndescription: The host\ntype: project\ncreated: 2026-05-01\n---\nThe build host is kiwi.\n";
    write_at(&folder.join("build_host.md"), older);
    folder.display().to_string()
}

fn rule(env: &TestEnv) -> String {
    let rule = "---\ndescription: Components\nglobs: apps/**/*.tsx\ndate: 2026-03-04\n---\nWrite components as functions.\n";
    write_at(&env.workspace().join(".cursor/rules/components.mdc"), rule);
    ".".to_owned()
}

fn serena(env: &TestEnv) -> String {
    let folder = env.workspace().join(".serena/memories");
    write_at(
        &folder.join("style.md"),
        "---\nupdated: 2026-03-04 05:06:07Z\n---\n# Style\n\nTabs.\n",
    );
    folder.display().to_string()
}

fn vault(env: &TestEnv) -> String {
    let folder = env.home().join("vault");
    write_at(
        &folder.join("Ports.md"),
        "---\ntitle: The ports\ncreated: 2026-03-04T05:06:07+02:00\ntags: [net]\n---\nSee [[Hosts]].\n",
    );
    write_at(
        &folder.join("sub/Hosts.md"),
        "---\nmodified: 1767323045000\n---\nkiwi and melon\n",
    );
    folder.display().to_string()
}

fn basic_memory(env: &TestEnv) -> String {
    let folder = env.home().join("basic");
    let note = "---\ntitle: Orders\ntype: note\npermalink: services/orders\ntags: [shop]\ncreated: 2026-02-03T04:05:06Z\nmodified: 2026-02-04T04:05:06Z\n---\n# Orders\n\n## Observations\n- [decision] One table #db\n\n## Relations\n- depends_on [[Carts]]\n";
    write_at(&folder.join("services/Orders.md"), note);
    let carts = "---\ntitle: Carts\ntype: note\npermalink: services/carts\n---\n# Carts\n\nThe carts.\n";
    write_at(&folder.join("services/Carts.md"), carts);
    folder.display().to_string()
}

fn engram(env: &TestEnv) -> String {
    let path = env.home().join("engram.json");
    let observation = json!({ "id": 1, "sync_id": "obs-1", "type": "decision", "title": "Chose pnpm", "content": "It links.\n\nFast.",
        "project": project(env), "topic_key": "build", "created_at": "2026-01-02 03:04:05", "updated_at": "2026-01-03 03:04:05" });
    write_at(&path, &json!({ "observations": [observation] }).to_string());
    path.display().to_string()
}

fn graph(env: &TestEnv) -> String {
    let path = env.home().join("memory.json");
    let graph = "{\"type\":\"entity\",\"name\":\"Orders DB\",\"entityType\":\"service\",\"observations\":[\"Port 5433\",\"Team A\"]}\n{\"type\":\"entity\",\"name\":\"Sam\",\"entityType\":\"person\",\"observations\":[\"Likes tabs\",\"Likes short answers\"]}\n{\"type\":\"relation\",\"from\":\"Sam\",\"to\":\"Orders DB\",\"relationType\":\"maintains\"}\n";
    write_at(&path, graph);
    path.display().to_string()
}

fn mem0(env: &TestEnv) -> String {
    let path = env.home().join("mem0.json");
    let memory = json!({ "id": "7c1f", "memory": "The user likes tabs", "created_at": "2024-07-20T01:30:36.275141-07:00",
        "updated_at": "2024-07-21T01:30:36-07:00", "categories": ["style"] });
    write_at(&path, &json!({ "results": [memory] }).to_string());
    path.display().to_string()
}

fn claude_mem(env: &TestEnv) -> String {
    let path = env.home().join("claude-mem.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let name = project(env);
    connection
        .execute_batch(&format!(
            "CREATE TABLE observations (id INTEGER, project TEXT, type TEXT, title TEXT, narrative TEXT, facts TEXT, concepts TEXT, created_at TEXT, created_at_epoch INTEGER);
            INSERT INTO observations VALUES (1, '{name}', 'decision', 'Chose SQLite', 'It needs no server.', '[\"One file\"]', '[\"db\"]', '2026-01-02T03:04:05.000Z', 1);"
        ))
        .unwrap();
    path.display().to_string()
}

fn working_memory(env: &TestEnv) -> String {
    let mut entry = peer::entry(
        "mem_1700000000000_36iavh",
        "decision",
        "Use npm cache, not npm link",
    );
    entry["createdAt"] = "2026-01-02T03:04:05.000Z".into();
    entry["updatedAt"] = "2026-01-03T03:04:05.000Z".into();
    peer::write_memory(env, &[entry]).display().to_string()
}
