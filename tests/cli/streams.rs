//! The streams and the exit codes of all commands.

use std::process::Stdio;

use crate::env::TestEnv;

#[test]
fn help_and_version_are_answers() {
    let env = TestEnv::new();
    let help = env.mdmem(["--help"]).any_stdout().run().stdout;
    assert!(
        help.contains("Usage: mdmem") && help.contains("restore"),
        "{help}"
    );
    let fits = help.lines().count() <= 40 && help.lines().all(|line| line.chars().count() <= 80);
    assert!(fits, "a screen holds it: {help}");
    let everyday = help.split("Every day:\n").nth(1).unwrap().lines();
    let first: Vec<&str> = everyday
        .take(5)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(first, ["add", "list", "search", "show", "edit"]);
    env.mdmem(["--version"])
        .stdout(concat!(
            "mdmem ",
            env!("CARGO_PKG_VERSION"),
            env!("MDMEM_BUILT_FROM"),
            "\n"
        ))
        .run();
    env.mdmem(["add", "--help"]).stdout_has("Examples:").run();
}

#[test]
fn nothing_asked_is_no_answer() {
    let env = TestEnv::new();
    env.mdmem(Vec::<String>::new())
        .code(2)
        .stderr_has("Usage: mdmem")
        .run();
}

#[test]
fn what_is_not_understood_is_an_error_of_usage() {
    let env = TestEnv::new();
    env.mdmem(["lsit"])
        .code(2)
        .stderr(
            "error: unrecognized subcommand 'lsit'\n\
             hint: some similar subcommands exist: 'ls', 'list'\n\
             hint: `mdmem --help` lists the commands and topics.\n",
        )
        .run();
    env.mdmem(["list", "--sort", "colour"])
        .refuses("invalid value 'colour'")
        .run();
}

#[test]
fn with_json_an_error_is_json_too() {
    let env = TestEnv::new();
    let output = env
        .mdmem(["--json", "list", "--nonsense"])
        .code(2)
        .any_stderr()
        .run();
    let error: serde_json::Value = serde_json::from_str(&output.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "usage");
    assert_eq!(
        error["error"]["message"],
        "unexpected argument '--nonsense' found"
    );
    assert!(error["error"]["hints"].is_array());
}

#[test]
fn nobody_reading_on_is_no_error() {
    let env = TestEnv::new();
    for args in [["man"].as_slice(), &["completions", "bash"], &["--help"]] {
        let mut child = env
            .command(env!("CARGO_BIN_EXE_mdmem"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn colors_are_for_terminals_or_for_who_asks() {
    let env = TestEnv::new();
    env.mdmem(["nonsense"]).code(2).any_stderr().run();
    let output = env
        .mdmem(["--color", "always", "path", "a", "b"])
        .code(2)
        .any_stderr()
        .run();
    assert!(
        !output.stderr.contains('\u{1b}'),
        "before the arguments are understood nothing is colored"
    );
    let output = env
        .mdmem(["--color", "always", "man", "nonsense"])
        .code(2)
        .any_stderr()
        .run();
    assert!(
        output.stderr.contains("\u{1b}[31merror:\u{1b}[0m"),
        "{}",
        output.stderr
    );
    let output = env.mdmem(["man", "nonsense"]).code(2).any_stderr().run();
    assert!(!output.stderr.contains('\u{1b}'), "{}", output.stderr);
}

#[test]
fn without_a_global_store_the_hint_names_its_own_command() {
    let env = TestEnv::new();
    env.mdmem(["--global", "list"])
        .fails("hint: `mdmem --global init` creates it")
        .run();
}

#[test]
fn the_manual_and_the_completions_are_printed() {
    let env = TestEnv::new();
    env.mdmem(["man"])
        .stdout_has(".TH mdmem 1")
        .stdout_has(".SH SYNOPSIS")
        .stdout_has(".SH EXAMPLES\n.nf\n  mdmem add \\-\\-type decision")
        .run();
    env.mdmem(["man", "restore"])
        .stdout_has(".TH mdmem-restore 1")
        .run();
    for name in [
        ["man", "stores-link"].as_slice(),
        &["man", "stores", "link"],
        &["man", "mdmem-stores-link"],
    ] {
        env.mdmem(name)
            .stdout_has(concat!(
                ".TH mdmem-stores-link 1  \"mdmem ",
                env!("CARGO_PKG_VERSION")
            ))
            .run();
    }
    for name in [
        ["man", "nonsense"].as_slice(),
        &["man", "stores-nonsense"],
        &["man", "stores", "x"],
    ] {
        env.mdmem(name).refuses("unknown command `").run();
    }
    env.mdmem(["man", "stores-link"])
        .stdout_has(".TH mdmem-stores-link 1")
        .run();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        env.mdmem(["completions", shell]).stdout_has("mdmem").run();
    }
    env.mdmem(["completions", "basic"])
        .refuses("invalid value 'basic'")
        .run();
}
