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

/// The lines of `diag health` about the plugin, each with what to do.
fn told(env: &TestEnv, code: i32) -> Vec<String> {
    let health = env
        .mdmem(["diag", "health"])
        .code(code)
        .any_stdout()
        .any_stderr()
        .run();
    let lines: Vec<&str> = health.stdout.lines().collect();
    let about = (0..lines.len()).filter(|&at| lines[at][9..].starts_with("plugin "));
    about
        .map(|at| lines[at..(at + 2).min(lines.len())].join("\n"))
        .collect()
}

#[test]
fn a_plugin_that_loads_is_well() {
    let (env, _) = machine();
    let told = told(&env, 0);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].starts_with("ok       plugin    OpenCode loads "),
        "{told:?}"
    );
}

#[test]
fn what_keeps_the_plugin_from_its_work_is_found_with_what_to_do() {
    let (mut env, plugins) = machine();
    let file = plugins.join("mdmem.ts");
    let written = std::fs::read_to_string(&file).unwrap();
    let finds = |env: &TestEnv, what: &str, mend: &str| {
        let told = told(env, 1);
        let is_told = told.iter().any(|told| told.contains(what) && told.contains(mend));
        assert!(told.len() == 1 && is_told, "{what}: {told:?}");
    };

    std::fs::write(plugins.join("package.json"), "{\"main\": \"index.js\"}").unwrap();
    finds(&env, "package.json has a `main`", "Take `main` out");
    std::fs::write(plugins.join("package.json"), "{\"name\": \"mine\"}").unwrap();

    let old = written.replace(concat!("\"", env!("CARGO_PKG_VERSION"), "\""), "\"0.0.9\"");
    std::fs::write(&file, old).unwrap();
    finds(&env, "is of version 0.0.9", "init --with opencode --user");
    std::fs::write(&file, format!("{written}// mine\n")).unwrap();
    finds(&env, "is not as mdmem wrote it", "init --with opencode --user");
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
    finds(&env, "OpenCode loads two copies", "Delete one");
    std::fs::remove_file(project.join("memory.ts")).unwrap();

    let program = env.home().join(".cargo/bin/mdmem");
    std::fs::remove_file(&program).unwrap();
    finds(&env, "finds no mdmem on PATH", "MDMEM_BIN");
    std::fs::write(&program, "").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o644)).unwrap();
    finds(&env, "finds no mdmem on PATH", "MDMEM_BIN");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();

    env.set_var("OPENCODE_PURE", "0");
    assert!(told(&env, 0)[0].starts_with("ok "));
    env.set_var("OPENCODE_PURE", "1");
    finds(&env, "OPENCODE_PURE is set", "Unset it");
    env.set_var("OPENCODE_PURE", "");
    env.set_var("MDMEM_BIN", "/nowhere/mdmem");
    finds(&env, "MDMEM_BIN names no program: /nowhere/mdmem", "MDMEM_BIN");
}

#[test]
fn a_plugin_is_looked_at_where_there_is_no_store_yet() {
    let (env, _) = machine();
    let elsewhere = env.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.display().to_string();
    env.mdmem(["-C", &elsewhere, "diag", "health"])
        .stdout_has("note     store")
        .stdout_has("ok       plugin    OpenCode loads ")
        .run();
}
