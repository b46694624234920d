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
    let connects = "$HOME/.config/opencode/plugin/mdmem.ts: note: the plugin has never connected in this \
        workspace [plugin]\n  \
                    fix: Start OpenCode in this workspace; its log says what is wrong.\n";
    env.mdmem(["check"]).stdout(connects).run();

    std::fs::write(&file, format!("{written}// mine\n")).unwrap();
    let other = "$HOME/.config/opencode/plugin/mdmem.ts: warning: differs from this version's plugin: it \
        was edited, or is of another version [plugin]\n  fix: `mdmem init --with opencode --user` \
        (without --user for a workspace's copy) updates it, and keeps a copy of this one.\n";
    env.mdmem(["check"]).stdout(format!("{other}{connects}")).run();
    env.mdmem(init).any_stdout().run();

    env.mdmem(["init", "--with", "opencode"]).any_stdout().run();
    let twice = "$HOME/.config/opencode/plugin/mdmem.ts: warning: OpenCode loads two copies of the \
        plugin, of which one is inactive: the other is $WORKSPACE/.opencode/plugin/mdmem.ts [plugin]\n  \
                 fix: Delete one; the user's copy works in every workspace.\n";
    env.mdmem(["check"]).stdout(format!("{twice}{connects}")).run();
    let undo = ["init", "--with", "opencode", "--undo"];
    env.mdmem(undo).any_stdout().run();

    let mend = "  fix: Add mdmem's folder to the PATH of OpenCode, or set MDMEM_BIN to its full path.\n";
    std::fs::remove_file(bin.join("mdmem")).unwrap();
    let missing = "$HOME/.config/opencode/plugin/mdmem.ts: error: the plugin cannot find mdmem on PATH or \
        in ~/.cargo/bin \
                   [plugin]\n";
    let check = env.mdmem(["check"]).code(1);
    check.stdout(format!("{missing}{mend}{connects}")).run();
    env.set_var("MDMEM_BIN", "/nowhere/mdmem");
    let named = "$HOME/.config/opencode/plugin/mdmem.ts: error: MDMEM_BIN is not a program: /nowhere/mdmem [plugin]\n";
    let check = env.mdmem(["check"]).code(1);
    check.stdout(format!("{named}{mend}{connects}")).run();

    let elsewhere = env.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.display().to_string();
    env.mdmem(["-C", &elsewhere, "check"])
        .code(1)
        .stdout_has(".: note: ")
        .stdout_has("the plugin has never connected in this workspace")
        .run();
}
