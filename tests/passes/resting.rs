//! A conversation that rests: the server of an agent gives it to the model by itself, after the pause.

use serde_json::json;

use super::{ANSWERS, Model, add};
use crate::env::{LIMIT, wait_for};
use crate::kept_conversations::Database;
use crate::serve::server::Server;

#[test]
fn a_conversation_is_read_by_the_program_after_its_pause() {
    let mut model = Model::new(ANSWERS);
    let mut database = Database::new(&model.env);
    database.session("s", "s", &model.env.workspace());
    model.env.set_var("MDMEM_PASSES__PAUSE", "200ms");
    model.env.set_var("MDMEM_PASSES__EXTRACT", "true");
    model.answers(&json!([]));
    let mut server = Server::start(&model.env);
    database.user("s", "run the linter before every commit");
    server.message("s", "m1", "run the linter before every commit");
    server.ask("idle", &json!({"session": "s"}));
    // It goes on: all of it is read at its next rest.
    database.user("s", "and the formatter");
    server.message("s", "m2", "and the formatter");
    server.ask("idle", &json!({"session": "s"}));
    wait_for("the pass", LIMIT, || {
        (model.env.decisions("pass_ended").len() == 1).then_some(())
    });
    assert_eq!(
        model.env.decisions("pass_ended")[0]["details"]["counts"]["messages"],
        2
    );
    server.bye();
}

#[test]
fn a_session_that_ends_is_read_where_that_is_wanted() {
    let mut model = Model::new(ANSWERS);
    model.answers(&json!([add(
        "feedback",
        "Always run the linter before a commit, because CI refuses what it finds.",
        "run the linter before every commit"
    )]));
    let file = model.says("s9", &[("user", "run the linter before every commit")]);
    let event =
        json!({"session_id": "s9", "transcript_path": file, "cwd": model.env.workspace(), "reason": "exit"});
    let end = |model: &Model| {
        let hook = model.env.mdmem(["hook", "session-end"]);
        hook.stdin(event.to_string()).run();
    };
    let ended = |model: &Model, kind: &str| model.env.decisions(kind).len() as u64;
    model.env.set_var("MDMEM_PASSES__EXTRACT", "true");
    let unwanted = model.env.home().join("unwanted");
    model.runs("touch \"$HOME/unwanted\"; exit 3");
    end(&model);
    model.env.set_var("MDMEM_PASSES__ON_CLOSE", "true");
    model.runs(ANSWERS);
    end(&model);
    wait_for("the pass", LIMIT, || {
        (ended(&model, "pass_ended") == 1).then_some(())
    });
    let list = model.env.mdmem(["list", "--json"]).any_stdout().run().json();
    assert_eq!(list[0]["source"], "extraction", "{list}");

    // By the same limits: after a failure nothing is asked for a while.
    model.says("s9", &[("user", "and the formatter as well")]);
    model.runs("exit 3");
    end(&model);
    let pause = model.env.store().join(".mdmem/passes.json");
    wait_for("the failure", LIMIT, || pause.exists().then_some(()));
    model.runs("touch \"$HOME/unwanted\"; exit 3");
    end(&model);
    std::fs::remove_file(pause).unwrap();
    model.runs(ANSWERS);
    end(&model);
    wait_for("the next pass", LIMIT, || {
        (ended(&model, "pass_ended") == 2).then_some(())
    });
    assert!(!unwanted.exists(), "what is not wanted is not started");
}
