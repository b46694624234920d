//! Each example of a help and a manual page is run as it stands there, by a shell, on a machine of its own
//! (`examples/machine.sh`): what a reader copies works. It takes seconds, because there are as many as reasons to read
//! them.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::env::TestEnv;

/// The commands that have to come before an example, by a part of it.
const BEFORE: &[(&str, &str)] = &[
    ("mdmem sync git@", "cd ~/src/app"),
    (
        "view --export site --global",
        "mdmem --global add -q 'Answer in English'",
    ),
    (
        "--transcript chat.txt",
        "printf 'User: hello\n' >chat.txt; mdmem config set --user passes.command model >/dev/null",
    ),
    (
        "--transcript ~/.claude",
        "mkdir -p ~/.claude/projects/-home-me-src-app; printf '{}\n' >~/.claude/projects/-home-me-src-app/0f7a5c1e.jsonl; mdmem config set --user passes.command model >/dev/null",
    ),
    (
        "learn --session 4f1c",
        "mdmem config set --user passes.command model >/dev/null",
    ),
    (
        "$(mdmem --global path)",
        "mdmem --global add -q 'Never use npm link' >/dev/null",
    ),
    (
        "mdmem --store app",
        "mkdir -p ~/src/app && mdmem -C ~/src/app init >/dev/null",
    ),
    (
        "stores link notes",
        "mkdir -p ~/src/notes && mdmem -C ~/src/notes init >/dev/null && rm -r ~/src/notes && cd ~/src/app",
    ),
    ("mdmem unpin", "mdmem pin use-npm-cache >/dev/null"),
    (
        "allow --revoke",
        "echo 'password: hunter2hunter2' >$(mdmem path)/reference/test-accounts.md; mdmem allow -q reference/test-accounts.md",
    ),
    (
        "mdmem allow ref",
        "echo 'password: hunter2hunter2' >$(mdmem path)/reference/test-accounts.md",
    ),
    (
        "promote use-npm-cache --undo",
        "mdmem promote use-npm-cache --to AGENTS.md --yes >/dev/null",
    ),
    (
        "allow decision/local-paths.md",
        "echo decision/local-paths.md >>$(mdmem path)/.gitignore; echo Mine >$(mdmem path)/decision/local-paths.md",
    ),
];

/// Examples that are answers with the exit code 1 on this machine, and what they say.
const FAILS: &[(&str, &str)] = &[
    ("--branch notes", "it has no such branch"),
    ("mdmem conflicts use-npm-cache", "no conflict: "),
    ("suggestions accept 1", "no suggestion"),
    ("suggestions accept decision", "is not waiting to be accepted"),
    ("mdmem reconcile", "no program is set"),
    ("suggestions dismiss 2", "no suggestion"),
    ("mdmem why \"waiting for review\"", "no memory"),
    ("opencode-memfs", "cannot read"),
    ("opencode-working-memory", "nothing of "),
    ("mdmem sessions handover", "has work to hand over"),
];

/// The examples of every command, without the words behind them.
fn examples() -> Vec<String> {
    let sources = walkdir::WalkDir::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/host/cli"));
    let mut examples = Vec::new();
    for file in sources
        .into_iter()
        .map(Result::unwrap)
        .filter(|file| file.path().is_file())
    {
        let text = std::fs::read_to_string(file.path())
            .unwrap()
            .replace("\\\"", "\u{1}");
        for block in text.split("Examples:\n").skip(1) {
            let lines = block.split('"').next().unwrap().lines();
            for line in lines.take_while(|line| line.starts_with("  ")) {
                let example = line.trim().split("  ").next().unwrap();
                examples.push(example.replace('\u{1}', "\""));
            }
        }
    }
    examples
}

fn bash(env: &TestEnv, script: &str) -> Command {
    let mut bash = env.command("bash");
    let program = Path::new(env!("CARGO_BIN_EXE_mdmem")).parent().unwrap().display();
    let path = std::env::var("PATH").unwrap();
    bash.env("PATH", format!("{}/bin:{program}:{path}", env.home().display()));
    bash.env("EDITOR", "editor")
        .args(["-o", "pipefail", "-c", script])
        .stdin(Stdio::null());
    bash
}

#[test]
fn every_example_works() {
    let env = TestEnv::new();
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/examples/machine.sh");
    let script = format!("bash {machine} && cp -a ~ ${{HOME%/*}}/template && cd ~/work && mdmem log --json");
    let made = bash(&env, &script).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let log = String::from_utf8(made.stdout).unwrap();
    let log: serde_json::Value =
        serde_json::from_str(&log[log.rfind("\n[").map_or(0, |at| at + 1)..]).unwrap();
    let revision = |subject: &str| {
        let step = log
            .as_array()
            .unwrap()
            .iter()
            .find(|step| step["subject"] == subject)
            .unwrap();
        step["oid"].as_str().unwrap()[..7].to_owned()
    };
    let (first, second) = (
        revision("memory: add 4 files"),
        revision("memory: edit decision/use-npm-cache"),
    );
    let (mut run, mut faults) = (0, Vec::new());
    let remote = regex::Regex::new(r"git@host\.example:me/[a-z-]+\.git").unwrap();
    for example in examples() {
        // These stay; the tests of watchers, of the log, of pages and of MCP run them.
        let is_server =
            example.contains("mcp --http") || example.contains("mdmem view") && !example.contains("--export");
        if is_server
            || example.ends_with(" -f")
            || example.contains("mdmem watch")
            || example.ends_with(" watch")
        {
            continue;
        }
        let command = example.replace("3f2a91c", &second).replace("9b01d4e", &first);
        let command = remote.replace(&command, "~/remote.git");
        let before = BEFORE
            .iter()
            .find(|(part, _)| command.contains(part))
            .map_or("true", |(_, before)| before);
        let fails = FAILS.iter().find(|(part, _)| command.contains(part));
        let restore = "rm -rf ~ && cp -a ${HOME%/*}/template ~ && cd ~/work";
        let output = bash(
            &env,
            &format!("{restore} && {before} && eval {}", quoted(&command)),
        )
        .output()
        .unwrap();
        run += 1;
        let said = String::from_utf8_lossy(&output.stderr);
        let is_right = match fails {
            None => output.status.success(),
            Some((_, words)) => output.status.code() == Some(1) && said.contains(words),
        };
        if !is_right {
            faults.push(format!("$ {command}\n{}: {said}", output.status));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(run > 120, "{run}");
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
