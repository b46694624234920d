//! The health of OpenCode's plugin.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::env::TestEnv;

/// A machine with the plugin for the user, and the program where the plugin looks for it.
fn machine() -> (TestEnv, PathBuf) {
    let env = TestEnv::new();
    env.mdmem(["init", "--with", "opencode", "--user"])
        .any_stdout()
        .any_stderr()
        .run();
    let bin = env.home().join(".cargo/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_mdmem"), bin.join("mdmem")).unwrap();
    let plugins = env.home().join(".config/opencode/plugin");
    (env, plugins)
}

/// The findings of `check` about the plugin, each with what to do, but for that it never connected.
fn told(env: &TestEnv, code: i32) -> Vec<String> {
    let check = env.mdmem(["check"]).code(code).any_stdout().any_stderr().run();
    let lines: Vec<&str> = check.stdout.lines().collect();
    let about = (0..lines.len())
        .filter(|&at| lines[at].ends_with("[plugin]") && !lines[at].contains("never connected"));
    about
        .map(|at| lines[at..(at + 2).min(lines.len())].join("\n"))
        .collect()
}

#[test]
fn a_plugin_that_loads_is_well() {
    let (env, _) = machine();
    assert!(told(&env, 0).is_empty());
}

#[test]
fn what_keeps_the_plugin_from_its_work_is_found_with_what_to_do() {
    let (mut env, plugins) = machine();
    let file = plugins.join("mdmem.ts");
    let written = std::fs::read_to_string(&file).unwrap();
    let finds = |env: &TestEnv, severity: &str, what: &str, mend: &str| {
        let told = told(env, i32::from(severity == "error"));
        let what = format!("{severity}: {what}");
        let is_told = told
            .iter()
            .any(|told| told.contains(&what) && told.contains(mend));
        assert!(told.len() == 1 && is_told, "{what}: {told:?}");
    };

    std::fs::write(plugins.join("package.json"), "{\"main\": \"index.js\"}").unwrap();
    finds(&env, "error", "has a `main`", "Take `main` out");
    std::fs::write(plugins.join("package.json"), "{\"name\": \"mine\"}").unwrap();

    let old = written.replace(concat!("\"", env!("CARGO_PKG_VERSION"), "\""), "\"0.0.9\"");
    std::fs::write(&file, old).unwrap();
    finds(
        &env,
        "warning",
        "is of version 0.0.9",
        "init --with opencode --user",
    );
    std::fs::write(&file, format!("{written}// mine\n")).unwrap();
    finds(
        &env,
        "warning",
        "is not as mdmem wrote it",
        "init --with opencode --user",
    );
    std::fs::write(&file, &written).unwrap();

    // Under another name, and in the folder that OpenCode reads as well.
    let project = env.workspace().join(".opencode/plugins");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("memory.ts"), &written).unwrap();
    std::fs::write(
        project.join("other.ts"),
        "export const Other = async () => ({})\n",
    )
    .unwrap();
    finds(&env, "warning", "OpenCode loads two copies", "Delete one");
    std::fs::remove_file(project.join("memory.ts")).unwrap();

    let program = env.home().join(".cargo/bin/mdmem");
    std::fs::remove_file(&program).unwrap();
    finds(&env, "error", "the plugin finds no mdmem on PATH", "MDMEM_BIN");
    std::fs::write(&program, "").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o644)).unwrap();
    finds(&env, "error", "the plugin finds no mdmem on PATH", "MDMEM_BIN");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();

    env.set_var("OPENCODE_PURE", "0");
    assert!(told(&env, 0).is_empty());
    env.set_var("OPENCODE_PURE", "1");
    finds(&env, "error", "OPENCODE_PURE is set", "Unset it");
    env.set_var("OPENCODE_PURE", "");
    env.set_var("MDMEM_BIN", "/nowhere/mdmem");
    finds(
        &env,
        "error",
        "MDMEM_BIN names no program: /nowhere/mdmem",
        "MDMEM_BIN",
    );
}

#[test]
fn a_plugin_is_looked_at_where_there_is_no_store_yet() {
    let (env, _) = machine();
    let elsewhere = env.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.display().to_string();
    env.mdmem(["-C", &elsewhere, "check"])
        .stdout_has(".: note: ")
        .stdout_has("it never connected for this workspace")
        .run();
}
