//! The start of a process, beside `git rev-parse HEAD`.

use crate::corpus;
use crate::pairs::Pairs;
use crate::row::Row;
use crate::sandbox::{Sandbox, time};

const TURNS: usize = 200;
const GOAL: f64 = 1.5;

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let sandbox = Sandbox::with_store(&corpus::files(28));
    let store = sandbox.store();
    let rev_parse = || time(sandbox.git(&store).args(["rev-parse", "HEAD"]));
    let version = Pairs::measure(TURNS, |_| time(sandbox.mdmem(["--version"])), |_| rev_parse());
    report(Row::ratio(
        "start: `mdmem --version`, `git rev-parse HEAD`",
        &version,
        Some(GOAL),
    ));
    let path = Pairs::measure(TURNS, |_| time(sandbox.mdmem(["path"])), |_| rev_parse());
    report(Row::ratio(
        "start: `mdmem path` (workspace and store found), `git rev-parse HEAD`",
        &path,
        Some(GOAL),
    ));
}
