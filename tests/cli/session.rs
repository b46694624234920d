//! A session as a new user has it, in real terminals of four widths, in a pipe, without color and in other zones: its
//! transcript is the one in `session/`. `MDMEM_WRITE_DOCS=1` writes these anew.

use std::path::Path;
use std::process::Stdio;

use crate::env::{TestEnv, write_at};

/// The commands, in their order.
pub(super) const COMMANDS: &[&str] = &[
    "mdmem list",
    "mdmem add -t decision --importance high 'Use pnpm, not npm, for every package in this repository' --why 'npm breaks peer dependencies'",
    "mdmem add -t reference 'The staging dashboard is https://grafana.example.com/d/shop/overview-of-all-services-and-queues'",
    "mdmem add -t user '返事は日本語でお願いします。コードのコメントは英語のままで、短く書いてください。'",
    "mdmem list",
    "mdmem search staging dashboard",
    "mdmem show use-pnpm-not-npm-for-every",
    "mdmem why use-pnpm-not-npm-for-every",
    "mdmem rm --dry-run the-staging-dashboard-is-https-grafana",
    "mdmem rm the-staging-dashboard-is-https-grafana",
    "mdmem undo",
    "mdmem log",
    "mdmem diff HEAD~1",
    "mdmem show nobody",
    "mdmem watsh",
    "mdmem render",
    "mdmem check",
    "mdmem pin use-pnpm-not-npm-for-every",
    "mdmem add 'Releases are cut from main every second Thursday, after the nightly build was green for two days'",
    "mdmem add --set render.max_entries=1 -t feedback 'Ask before you push'",
    "mdmem archive \"$(mdmem list --paths releases)\"",
    "mdmem list --all",
    "mdmem list --set render.max_entries=1 --long",
    "mdmem why",
    "mdmem mv use-pnpm-not-npm-for-every use-pnpm",
    "mdmem unpin use-pnpm",
    "mdmem verify use-pnpm",
    "EDITOR='sed -i s/npm/NPM/' mdmem edit use-pnpm",
    "mdmem restore HEAD~1 use-pnpm",
    "mdmem forget --dry-run use-pnpm",
    "mdmem forget --list",
    "mdmem export",
    "mdmem search",
    "mdmem promote",
    "mdmem export -q --to markdown | head -4",
    "mdmem import nowhere",
    "mdmem conflicts",
    "mdmem suggestions",
    "mdmem sessions",
    "mdmem sweep",
    "mdmem allow --list",
    "mdmem config render.max_chars",
    "mdmem config set sync.auto true",
    "mdmem restore yesterday",
    "mdmem why 'waiting for a review'",
    "mdmem sync",
];

/// A way to sit before the program.
struct Seat {
    name: &'static str,
    /// The columns of the terminal; `None`: a pipe.
    columns: Option<u16>,
    zone: &'static str,
    no_color: &'static str,
}

const SEATS: [Seat; 5] = [
    Seat {
        name: "columns-60",
        columns: Some(60),
        zone: "Asia/Tokyo",
        no_color: "1",
    },
    Seat {
        name: "columns-80",
        columns: Some(80),
        zone: "America/Los_Angeles",
        no_color: "",
    },
    Seat {
        name: "columns-120",
        columns: Some(120),
        zone: "UTC",
        no_color: "1",
    },
    Seat {
        name: "columns-200",
        columns: Some(200),
        zone: "UTC",
        no_color: "1",
    },
    Seat {
        name: "piped",
        columns: None,
        zone: "Asia/Tokyo",
        no_color: "",
    },
];

fn transcript(seat: &Seat) -> String {
    let env = TestEnv::with_store();
    let program = Path::new(env!("CARGO_BIN_EXE_mdmem"))
        .parent()
        .unwrap()
        .display()
        .to_string();
    let mut script = format!("PATH='{program}':$PATH\n");
    for command in COMMANDS {
        let quoted = command.replace('\'', r"'\''");
        script.extend(["printf '$ %s\\n' '", &quoted, "'\n", command, "\n"]);
    }
    write_at(&env.home().join("session.sh"), &script);
    let session = "sh ~/session.sh 2>&1";
    let (program, args) = seat.columns.map_or_else(
        || ("sh", vec!["-c".to_owned(), session.to_owned()]),
        |columns| {
            let session = format!("stty columns {columns} rows 50; {session}");
            ("script", vec!["-qec".to_owned(), session, "/dev/null".to_owned()])
        },
    );
    let mut command = env.command(program);
    command.args(args);
    command
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .env("GIT_PAGER", "cat")
        .env("TZ", seat.zone);
    command.env("NO_COLOR", seat.no_color).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = env.normalised(&String::from_utf8(output.stdout).unwrap());
    let text = text.replace("\r\n", "\n").replace('\u{1b}', "\\e");
    // Names of commits and ids are other ones each time, as long as these.
    let text = regex::Regex::new(r"(\[33m|\b)[0-9a-f]{7}\b")
        .unwrap()
        .replace_all(&text, "${1}COMMIT-")
        .into_owned();
    regex::Regex::new("mem_[0-9A-Z]{26}")
        .unwrap()
        .replace_all(&text, "mem_ID")
        .into_owned()
}

#[test]
fn a_session_looks_as_it_is_written_down() {
    if !cfg!(target_os = "linux") {
        eprintln!("SKIPPED: the terminal of this test is that of util-linux's `script`");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/session");
    for seat in &SEATS {
        let said = transcript(seat);
        let file = folder.join(format!("{}.txt", seat.name));
        if std::env::var_os("MDMEM_WRITE_DOCS").is_some() {
            write_at(&file, &said);
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(said, expected, "{}: MDMEM_WRITE_DOCS=1 writes it anew", seat.name);
    }
}
