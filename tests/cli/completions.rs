//! The completions in the real shells: each reads the script that it is given, and completes lines by its own
//! functions.

use std::process::Command;

use crate::env::{TestEnv, wait_for, write_at};

const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);
const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

/// A machine with names that are hard to complete, and the shell's script in its home.
fn machine(shell: &str) -> Option<TestEnv> {
    if Command::new(shell).arg("--version").output().is_err() {
        let is_required = std::env::var_os("MDMEM_REQUIRE_SHELLS").is_some_and(|value| value == "1");
        assert!(!is_required, "there is no {shell} on this machine");
        eprintln!("SKIPPED: there is no {shell} on this machine, so its completions were not tested");
        return None;
    }
    let mut env = TestEnv::with_store();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_mdmem"))
        .parent()
        .unwrap()
        .display()
        .to_string();
    env.set_var("PATH", &format!("{folder}:{}", std::env::var("PATH").unwrap()));
    env.set_var("TERM", "dumb");
    let store = env.store();
    for path in [
        "decision/use-npm.md",
        "decision/Ask Bob's $boss.md",
        "reference/日本 語.md",
    ] {
        write_at(&store.join(path), "Use npm\n");
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    write_at(
        &store.join(format!("reference/{TOKEN}.md")),
        "A token in a name\n",
    );
    let script = env.mdmem(["completions", shell]).any_stdout().run().stdout;
    write_at(&env.home().join("script"), &script);
    Some(env)
}

fn said(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

fn revision(env: &TestEnv) -> String {
    let log = env.mdmem(["log", "-n", "1"]).any_stdout().run();
    log.stdout[..7].to_owned()
}

#[test]
fn bash_completes() {
    let Some(env) = machine("bash") else { return };
    let oid = revision(&env);
    let mut cases: Vec<(String, Vec<&str>)> = [
        ("mdmem sho", vec!["show"]),
        ("mdmem show use", vec!["use-npm"]),
        (
            "mdmem show decision/",
            vec![r"decision/Ask\ Bob\'s\ \$boss.md", "decision/use-npm.md"],
        ),
        ("mdmem show \"Ask", vec![r"Ask Bob's \$boss"]),
        ("mdmem show 'Ask", vec![]),
        ("mdmem show 日", vec![r"日本\ 語"]),
        ("mdmem show reference/", vec![r"reference/日本\ 語.md"]),
        ("mdmem -C /nowhere show use", vec![]),
        ("mdmem --global show use", vec![]),
        ("mdmem list --type ref", vec!["reference"]),
        ("mdmem list --type=ref", vec!["reference"]),
        ("mdmem log --unt", vec!["--until"]),
        ("mdmem config get watch.q", vec!["watch.quiet_ms"]),
        ("mdmem --set watch.q", vec!["watch.quiet_ms="]),
        ("mdmem show nobody", vec![]),
    ]
    .map(|(line, expected)| (line.to_owned(), expected))
    .into();
    cases.push((format!("mdmem show use-npm@{}", &oid[..3]), vec![&oid]));
    cases.push((format!("mdmem restore {}", &oid[..3]), vec![&oid]));
    let mut script = "source ~/script; ask() { COMP_LINE=$1 COMP_POINT=${#1}; _mdmem; printf '%s\\n' \"${COMPREPLY[@]}\" /end; }\n"
        .to_owned();
    for (line, _) in &cases {
        script.extend(["ask '", &line.replace('\'', r"'\''"), "'\n"]);
    }
    let mut bash = env.command("bash");
    bash.args(["--norc", "-c", &script]);
    let said = said(bash);
    assert!(!said.contains("ghp_"), "{said}");
    let answers: Vec<&str> = said.split("/end\n").collect();
    for ((line, expected), answer) in cases.iter().zip(answers) {
        let got: Vec<&str> = answer.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(got, *expected, "{line}");
    }
}

#[test]
fn fish_completes() {
    let Some(env) = machine("fish") else { return };
    let oid = revision(&env);
    let mut fish = env.command("fish");
    let ask = "source ~/script; for line in $argv; complete -C $line; echo /end; end";
    let at = format!("mdmem show use-npm@{}", &oid[..3]);
    fish.args([
        "--no-config",
        "-c",
        ask,
        "mdmem sho",
        "mdmem show decision/",
        "mdmem show '日",
    ]);
    fish.args([
        "mdmem list --type=ref",
        "mdmem --set watch.q",
        &at,
        "mdmem show reference/",
    ]);
    let said = said(fish);
    let answers: Vec<&str> = said.split("/end\n").collect();
    let subject = "memory: add 3 files";
    assert_eq!(
        answers,
        [
            "show\tShow a memory, now or as it was\n",
            "decision/Ask Bob's $boss.md\ndecision/use-npm.md\n",
            "日本 語\n",
            "--type=reference\n",
            "watch.quiet_ms=\n",
            &format!("use-npm@{oid}\t{subject}\n"),
            "reference/日本 語.md\n",
            "",
        ]
    );
}

#[test]
fn zsh_completes() {
    let Some(env) = machine("zsh") else { return };
    let oid = revision(&env);
    let out = env.home().join("lines");
    let lines = [
        "mdmem sho".to_owned(),
        "mdmem show use".to_owned(),
        "mdmem show decision/A".to_owned(),
        "mdmem show 'Ask".to_owned(),
        "mdmem show 日".to_owned(),
        "mdmem list --type=ref".to_owned(),
        "mdmem --set watch.q".to_owned(),
        format!("mdmem show use-npm@{}", &oid[..3]),
        "mdmem show reference/".to_owned(),
    ];
    // The widget completes as the tab key does, and notes the line that it leaves.
    let inner = "PS1=; autoload -U compinit; compinit -u -D; source ~/script\n\
                 _note() { zle complete-word; print -r -- \"$BUFFER\" >> ~/lines; BUFFER= }; zle -N _note; bindkey '^I' _note\n\
                 print ready >> ~/lines\n";
    write_at(&env.home().join("inner"), inner);
    let outer = "zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z 'source ~/inner'\n\
                 count() { local all=(${(f)\"$(cat ~/lines 2>/dev/null)\"}); print $#all }\n\
                 wait_for() { repeat 1500; do [[ $(count) == $1 ]] && return; sleep 0.02; done; exit 1 }\n\
                 wait_for 1; n=1\n\
                 for line in \"$@\"; do zpty -w -n z \"$line\"$'\\t'; wait_for $((++n)); done; zpty -d z\n";
    let mut zsh = env.command("zsh");
    zsh.args(["-f", "-c", outer, "zsh"]).args(&lines);
    assert_eq!(said(zsh), "");
    let text = wait_for("the lines", LIMIT, || std::fs::read_to_string(&out).ok());
    assert_eq!(
        text.lines().skip(1).collect::<Vec<_>>(),
        [
            "mdmem show ",
            "mdmem show use-npm ",
            r"mdmem show decision/Ask\ Bob\'s\ \$boss.md ",
            r"mdmem show 'Ask Bob'\''s $boss' ",
            r"mdmem show 日本\ 語 ",
            "mdmem list --type=reference ",
            "mdmem --set watch.quiet_ms=",
            &format!("mdmem show use-npm@{oid} "),
            r"mdmem show reference/日本\ 語.md ",
        ]
    );
}

/// Completion looks, and leaves no trace: no store, no lock, no log; nothing but candidates is printed.
#[test]
fn a_completion_changes_nothing() {
    let env = TestEnv::new();
    env.mdmem(["complete", "bash", "--", "mdmem show "]).run();
    assert!(!env.mdmem_home().exists());
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.mdmem(["complete", "bash", "--", "mdmem --store w"])
        .stdout("workspace\n")
        .run();
    write_at(&env.store().join("mdmem.toml"), "nonsense = [\n");
    env.mdmem(["complete", "fish", "--", "mdmem config get watch.q"])
        .any_stdout()
        .run();
    env.mdmem(["complete", "zsh", "--", "mdmem export "])
        .stdout(".\n")
        .run();
}
