//! 3,000 notes in folders of no type beside 10,000 memories: the prompt lists them in its tree, within its budget.

use std::time::Duration;

use serde_json::json;

use crate::corpus;
use crate::pairs::Pairs;
use crate::row::Row;
use crate::samples::Samples;
use crate::sandbox::{Sandbox, run, time};
use crate::serve::Server;

const MEMORIES: usize = 10_000;
const NOTES: usize = 3_000;
const REQUESTS: usize = 2_000;

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let mut files = corpus::files(MEMORIES);
    let without = Sandbox::with_store(&files);
    files.extend(corpus::notes(NOTES));
    let sandbox = Sandbox::with_store(&files);
    let store = sandbox.store();
    let what = |what: &str| format!("{what}, {MEMORIES} memories and {NOTES} cold notes");
    let prompt = String::from_utf8(run(sandbox.mdmem(["render"])).stdout).unwrap();
    assert!(prompt.contains("notes/"), "{prompt}");
    let most = run(sandbox.mdmem(["config", "get", "render.total_chars"])).stdout;
    let most: f64 = String::from_utf8(most).unwrap().trim().parse().unwrap();
    report(Row::number(
        what("length of the prompt inside its fence"),
        f64::from(u32::try_from(inside_fence(&prompt).chars().count()).unwrap()),
        "characters",
        Some(most),
    ));
    let rendered = Pairs::measure(
        20,
        |_| time(sandbox.mdmem(["render"])),
        |_| time(sandbox.git(&store).args(["status", "--porcelain"])),
    );
    report(Row::time_beside(
        what("render; `git status`"),
        &rendered,
        Some(Duration::from_millis(120)),
    ));
    let mut servers = [served(&sandbox), served(&without)];
    let mut times = [Samples::default(), Samples::default()];
    for request in 0..REQUESTS {
        for (server, times) in servers.iter_mut().zip(&mut times) {
            times.add(server.prompt("ses_q", request));
        }
    }
    for (percent, goal) in [(50, Duration::from_micros(100)), (99, Duration::from_millis(1))] {
        let [cold, without] = times.each_ref().map(|times| times.percentile(percent));
        report(Row::time(
            what(&format!("serve: prompt p{percent}")),
            cold,
            Some(goal),
        ));
        report(Row::time(
            "the same in turns, without the notes",
            without,
            Some(goal),
        ));
    }
    servers.into_iter().for_each(Server::end);
}

/// The text that `render.total_chars` bounds: it stands between the tag with its sentence and the closing tag.
fn inside_fence(prompt: &str) -> &str {
    let (_, text) = prompt.split_once("\n\n").unwrap();
    text.trim_end().strip_suffix("\n</mdmem>").unwrap()
}

fn served(sandbox: &Sandbox) -> Server {
    let mut server = Server::start(sandbox);
    let hello = json!({"protocol": 1, "host": "bench", "version": "1", "directory": sandbox.workspace()});
    server.ask("hello", &hello);
    server.prompt("ses_q", 0);
    server
}
