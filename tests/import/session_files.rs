//! The files of the plugin's version 1.

use serde_json::json;

use crate::env::{TestEnv, write_at};

#[test]
fn blocks_become_notes_slots_and_pool_go_to_the_archive() {
    let env = TestEnv::new();
    let folder = env.workspace().join(".opencode");
    let core = json!({
        "sessionID": "ses_a", "updatedAt": "2026-01-02T00:00:00.000Z",
        "blocks": {
            "goal": { "value": "Ship the parser\n\n- first JSON", "charLimit": 1000, "lastModified": "2026-01-01T00:00:00.000Z" },
            "progress": { "value": "", "charLimit": 2000, "lastModified": "2026-01-01T00:00:00.000Z" },
            "context": { "value": "The token is ghp_0123456789abcdefghijklmnopqrstuvwxyz", "charLimit": 1500, "lastModified": "2026-01-01T00:00:00.000Z" },
        },
    });
    let working = json!({
        "sessionID": "ses_a",
        "slots": {
            "error": [{ "id": "wm_1", "type": "error", "content": "TS2345 in src/a.ts", "source": "tool:bash", "timestamp": 1_767_225_600_000_i64 }],
            "decision": [], "todo": [], "dependency": [],
        },
        "pool": [{ "id": "wm_2", "type": "file-path", "content": "src/parser.ts", "source": "tool:read", "timestamp": 1_767_225_600_000_i64, "relevanceScore": 1.5, "mentions": 2 }],
        "eventCounter": 7, "updatedAt": "2026-01-02T00:00:00.000Z",
    });
    write_at(&folder.join("memory-core/ses_a.json"), &core.to_string());
    write_at(&folder.join("memory-core/ses_torn.json"), "{\"sessionID\": \"ses");
    write_at(&folder.join("memory-working/ses_a.json"), &working.to_string());
    write_at(&folder.join("memory-working/ses_a_pressure.json"), "{}");
    write_at(&folder.join("memory-working/tool-outputs/ses_a/call.json"), "{}");

    let import = || {
        env.mdmem(["import", "opencode-working-memory"])
            .any_stdout()
            .any_stderr()
            .run()
    };
    let output = import();
    assert!(
        output
            .stderr
            .contains("imported 2 memories and 2 notes into archive/; 1 not readable"),
        "{}",
        output.stderr
    );
    assert!(
        output
            .stderr
            .contains("ses_torn.json: the whole file: EOF while parsing"),
        "{}",
        output.stderr
    );
    let listed = env.mdmem(["list", "--all", "--paths"]).any_stdout().run().stdout;
    let mut paths: Vec<&str> = listed.lines().collect();
    paths.sort_unstable();
    let [error, pool, context, goal] = paths.as_slice() else {
        panic!("{paths:?}")
    };
    assert!(
        goal.starts_with("project/goal-of-session-") && context.starts_with("project/context-of-session-"),
        "{paths:?}"
    );
    for archived in [error, pool] {
        assert!(
            archived.starts_with("archive/opencode-working-memory/"),
            "{paths:?}"
        );
    }
    let goal = env.read(goal);
    assert!(
        goal.contains("\n\nShip the parser\n\n- first JSON\n")
            && goal.contains("created: 2026-01-01T00:00:00Z\n"),
        "{goal}"
    );
    assert!(
        !goal.contains("ses_a"),
        "a session's name stays with its host: {goal}"
    );
    assert!(env.read(context).contains("[REDACTED:"));
    assert!(
        env.read(error)
            .contains("- TS2345 in src/a.ts (2026-01-01T00:00:00Z, tool:bash)")
    );
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    assert!(
        prompt.contains("Ship the parser") && !prompt.contains("TS2345") && !prompt.contains("src/parser.ts"),
        "{prompt}"
    );

    let again = import().stderr;
    assert!(
        again.contains("nothing to import; 4 there already; 1 not readable"),
        "{again}"
    );
}
