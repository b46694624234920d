//! The health of OpenCode's plugin: what `check` says, and what mends it.

use crate::env::TestEnv;

#[test]
fn what_keeps_the_plugin_from_its_work_is_found_with_what_to_do() {
    let mut env = TestEnv::new();
    let init = ["init", "--with", "opencode", "--user"];
    env.mdmem(init).any_stdout().any_stderr().run();
    let bin = env.home().join(".cargo/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_mdmem"), bin.join("mdmem")).unwrap();
    let file = env.home().join(".config/opencode/plugin/mdmem.ts");
    let written = std::fs::read_to_string(&file).unwrap();
    let connects = "$HOME/.config/opencode/plugin/mdmem.ts: note: it never connected for this workspace [plugin]\n  \
                    mend: Start OpenCode in this workspace; its log says what goes wrong.\n";
    env.mdmem(["check"]).stdout(connects).run();

    std::fs::write(&file, format!("{written}// mine\n")).unwrap();
    let other = "$HOME/.config/opencode/plugin/mdmem.ts: warning: is not as this mdmem wrote it: it was edited, or is of another \
                 version [plugin]\n  mend: `mdmem init --with opencode --user` (or without --user, for a workspace's copy) writes \
                 it anew, and keeps this one beside it.\n";
    env.mdmem(["check"]).stdout(format!("{other}{connects}")).run();
    env.mdmem(init).any_stdout().run();

    env.mdmem(["init", "--with", "opencode"]).any_stdout().run();
    let twice = "$HOME/.config/opencode/plugin/mdmem.ts: warning: OpenCode loads two copies, and only one of them serves: the \
                 other is $WORKSPACE/.opencode/plugin/mdmem.ts [plugin]\n  \
                 mend: Delete one; the user's copy is for every workspace.\n";
    env.mdmem(["check"]).stdout(format!("{twice}{connects}")).run();
    let undo = ["init", "--with", "opencode", "--undo"];
    env.mdmem(undo).any_stdout().run();

    let mend = "  mend: Put the folder of mdmem on the PATH with which OpenCode starts, or set MDMEM_BIN to the program's full \
                path.\n";
    std::fs::remove_file(bin.join("mdmem")).unwrap();
    let missing = "$HOME/.config/opencode/plugin/mdmem.ts: error: the plugin finds no mdmem on PATH or in ~/.cargo/bin \
                   [plugin]\n";
    let check = env.mdmem(["check"]).code(1);
    check.stdout(format!("{missing}{mend}{connects}")).run();
    env.set_var("MDMEM_BIN", "/nowhere/mdmem");
    let named = "$HOME/.config/opencode/plugin/mdmem.ts: error: MDMEM_BIN names no program: /nowhere/mdmem [plugin]\n";
    let check = env.mdmem(["check"]).code(1);
    check.stdout(format!("{named}{mend}{connects}")).run();

    let elsewhere = env.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.display().to_string();
    env.mdmem(["-C", &elsewhere, "check"])
        .code(1)
        .stdout_has(".: note: ")
        .stdout_has("it never connected for this workspace")
        .run();
}
