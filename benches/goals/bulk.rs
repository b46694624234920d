//! 10,000 files at once, as an unpack leaves them, beside `git add . && git commit` of the same files.

use crate::corpus;
use crate::pairs::Pairs;
use crate::row::Row;
use crate::sandbox::{Sandbox, run, time};

const FILES: usize = 10_000;
const TURNS: usize = 5;

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let files = corpus::files(FILES);
    let ours = || {
        let sandbox = Sandbox::new();
        run(sandbox.mdmem(["init"]));
        corpus::write(&sandbox.store(), &files);
        rustix::fs::sync();
        time(sandbox.mdmem(["sweep"]))
    };
    let git = || {
        let sandbox = Sandbox::new();
        let folder = sandbox.empty_git("twin");
        corpus::write(&folder, &files);
        rustix::fs::sync();
        let mut shell = sandbox.program("sh", &folder);
        shell.args(["-c", "git add . && git commit -q -m all"]);
        time(shell)
    };
    let pairs = Pairs::measure(TURNS, |_| ours(), |_| git());
    report(Row::ratio(
        format!("{FILES} files at once: `mdmem sweep`; `git add . && git commit`"),
        &pairs,
        Some(1.5),
    ));
}
