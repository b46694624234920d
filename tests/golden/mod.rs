//! The golden cases: measured on an independent implementation of the same rules. `MDMEM_GOLDEN` names another
//! folder of cases of the same kinds.

mod blocks;
mod context_level;
mod dedupe;
mod hot;
mod keys;
mod likeness;
pub(crate) mod memory;
mod pool;
mod prune;
mod refs;
mod reinforce;
mod render;
mod strength;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Says how a case differs from what we do.
type Check = fn(&Value) -> Result<(), String>;

/// The files that must be there, and what checks them.
const CHECKS: &[(&str, Check)] = &[
    ("blocks", blocks::check),
    ("context_level", context_level::check),
    ("dedupe", dedupe::check),
    ("hot", hot::check),
    ("keys", keys::check),
    ("likeness", likeness::check),
    ("pool", pool::check),
    ("prune", prune::check),
    ("refs", refs::check),
    ("reinforce", reinforce::check),
    ("render", render::check),
    ("strength", strength::check),
];

#[test]
fn golden() {
    let folder = folder();
    // The harness may have left the name of this test on the line.
    let mut report = String::from("\n");
    let mut trouble = String::new();
    let mut files = case_files(&folder);
    for (name, check) in CHECKS {
        match files.remove(*name) {
            None => _ = writeln!(trouble, "{name}.jsonl is missing in {}", folder.display()),
            Some(path) => check_file(name, &path, *check, &folder, &mut report, &mut trouble),
        }
    }
    for name in files.keys() {
        _ = writeln!(report, "golden {name}: skipped, nothing here checks it yet");
    }
    // Written straight to the stream: the test harness keeps what `println!` prints of a test that passes.
    _ = std::io::stderr().write_all(report.as_bytes());
    assert!(trouble.is_empty(), "\n{trouble}");
}

/// The folder of the cases: `MDMEM_GOLDEN`, else the one beside this file.
pub(crate) fn folder() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    std::env::var_os("MDMEM_GOLDEN").map_or_else(own, PathBuf::from)
}

fn case_files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("the golden folder {} cannot be read: {error}", folder.display()));
    let files: BTreeMap<String, PathBuf> = entries
        .map(|entry| entry.expect("a folder that opens can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path.clone())))
        .collect();
    assert!(!files.is_empty(), "{} has no golden cases", folder.display());
    files
}

fn check_file(
    name: &str,
    path: &Path,
    check: Check,
    folder: &Path,
    report: &mut String,
    trouble: &mut String,
) {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = || {
        text.lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
    };
    let mut differ = 0;
    for (number, line) in lines() {
        let case: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("{}:{}: {error}", path.display(), number + 1));
        let checked = std::panic::catch_unwind(|| check(&case));
        if let Err(difference) = checked.unwrap_or_else(|_| Err("the check panicked, see above".into())) {
            differ += 1;
            _ = writeln!(trouble, "{name}.jsonl:{}: {difference}", number + 1);
        }
    }
    let cases = lines().count();
    if cases == 0 {
        _ = writeln!(trouble, "{} holds no case", path.display());
    }
    _ = writeln!(
        report,
        "golden {name}: {cases} cases, {differ} differ, from {}",
        folder.display()
    );
}
