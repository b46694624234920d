//! One save among 10,000 files: from the editor's rename to the commit and the index, beside
//! `git add FILE && git commit` of the same edit in a repository of the same files.

use std::path::Path;
use std::time::Instant;

use crate::corpus::{self, File};
use crate::pairs::Pairs;
use crate::row::Row;
use crate::sandbox::{Sandbox, time};
use crate::watching::Watching;

const MEMORIES: usize = 10_000;
const TURNS: usize = 40;
/// The edits of each comparison are numbered from here on, so that each is another one.
const SERIES: usize = TURNS + 1;
/// The debounce, as short as it can be set: it is in the figure.
const QUIET_MS: u32 = 0;

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let files = corpus::files(MEMORIES);
    let sandbox = Sandbox::with_store(&files);
    let twin = sandbox.git_twin(&files);
    let store = sandbox.store();
    // Files all over the store, in flat folders and in those by month.
    let file = |turn: usize| &files[(turn * 241) % files.len()];
    let git = |turn: usize| git_save(&sandbox, &twin, file(turn), turn);

    let watching = Watching::start(&sandbox, QUIET_MS);
    let watched = Pairs::measure(
        TURNS,
        |turn| {
            let begin = save(&sandbox, &store, file(turn), turn);
            watching.next_commit() - begin
        },
        git,
    );
    drop(watching);
    report(Row::ratio(
        format!("save, {MEMORIES} files: `mdmem watch` commits and indexes; `git add FILE && git commit`"),
        &watched,
        Some(0.5),
    ));
    let swept = Pairs::measure(
        TURNS,
        |turn| {
            save(&sandbox, &store, file(turn), turn + SERIES);
            time(sandbox.mdmem(["sweep"]))
        },
        |turn| git(turn + SERIES),
    );
    report(Row::ratio(
        format!("save, {MEMORIES} files: `mdmem sweep`, a process each; `git add FILE && git commit`"),
        &swept,
        None,
    ));
    let added = Pairs::measure(
        TURNS,
        |turn| time(sandbox.mdmem(["add", &format!("Something new to remember, number {turn}")])),
        |turn| git(turn + 2 * SERIES),
    );
    report(Row::ratio(
        format!("`mdmem add`, {MEMORIES} files, a process each; `git add FILE && git commit`"),
        &added,
        Some(2.0),
    ));
}

/// Saves as most editors do, by a new file in the old one's place, and says when.
fn save(sandbox: &Sandbox, folder: &Path, file: &File, turn: usize) -> Instant {
    let draft = sandbox.root().join("draft");
    std::fs::write(&draft, format!("{}edited {turn} times\n", file.text)).unwrap();
    let begin = Instant::now();
    std::fs::rename(&draft, folder.join(&file.path)).unwrap();
    begin
}

pub(crate) fn git_save(sandbox: &Sandbox, twin: &Path, file: &File, turn: usize) -> std::time::Duration {
    save(sandbox, twin, file, turn);
    let mut shell = sandbox.program("sh", twin);
    shell.args(["-c", r#"git add "$1" && git commit -q -m edit"#, "sh", &file.path]);
    time(shell)
}
