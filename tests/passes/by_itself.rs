//! Passes over the memories that nobody asks for: eight writes, or twelve hours and a write.

use super::Model;
use super::reconciling::plant;
use crate::env::{LIMIT, wait_for};
use crate::serve::server::Server;

const COUNTS: &str = "cat >/dev/null; echo x >>\"$HOME/asked-of\"; echo '[]'";

fn model() -> Model {
    let mut model = Model::new(COUNTS);
    model.env.set_var("MDMEM_PASSES__PAUSE", "100ms");
    model.env.set_var("MDMEM_PASSES__RECONCILE", "true");
    plant(&model, &[("project/a.md", "extraction", "The API is old")]);
    model
}

fn asked(model: &Model) -> usize {
    let read = std::fs::read_to_string(model.env.home().join("asked-of"));
    read.map_or(0, |asked| asked.lines().count())
}

fn write(model: &Model, from: usize, to: usize) {
    for n in from..to {
        let text = format!("Component{n} belongs to team{n}");
        let add = model.env.mdmem(["add", "-t", "project", &text]);
        add.any_stdout().any_stderr().run();
    }
}

/// Serves until a look at the store has been taken.
fn serve(model: &Model, expected: usize) {
    let state = model.env.store().join(".mdmem/passes.json");
    let before = std::fs::read(&state).ok();
    let server = Server::start(&model.env);
    if asked(model) < expected {
        wait_for("the pass", LIMIT, || (asked(model) == expected).then_some(()));
        wait_for("its note", LIMIT, || {
            (std::fs::read(&state).ok() != before).then_some(())
        });
    } else {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    server.bye();
    assert_eq!(asked(model), expected);
}

#[test]
fn eight_writes_or_twelve_hours_and_a_write_begin_a_pass() {
    let model = model();
    write(&model, 0, 6);
    serve(&model, 0);
    write(&model, 6, 8);
    serve(&model, 1);
    // A restart, and a store that has not changed.
    serve(&model, 1);
    model.env.advance_days(1);
    serve(&model, 1);
    write(&model, 8, 9);
    serve(&model, 2);
    write(&model, 9, 10);
    serve(&model, 2);
}

#[test]
fn a_program_that_fails_is_not_asked_again_at_once() {
    let model = model();
    model.runs("cat >/dev/null; echo x >>\"$HOME/asked-of\"; exit 1");
    write(&model, 0, 8);
    let server = Server::start(&model.env);
    wait_for("the question", LIMIT, || (asked(&model) == 1).then_some(()));
    wait_for("its end", LIMIT, || {
        (model.env.decisions("pass_failed").len() == 1).then_some(())
    });
    server.bye();
    serve(&model, 1);
}
