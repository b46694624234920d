//! `mdmem watch --install`: the watch of every store, as the system starts it at login.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::QUICK;
use crate::env::{LIMIT, Repository, TestEnv, Watching, wait_for, write_at};

/// A machine whose `systemctl` notes what it is told, and says of the service that it runs.
fn machine() -> TestEnv {
    let mut env = TestEnv::on_disk();
    let folder = env.home().join("bin here");
    let script = "#!/bin/sh\necho \"$*\" >> \"$HOME/told\"\n[ ! -e \"$HOME/dead\" ] || { echo 'no bus' >&2; exit 1; }\n";
    let path = write_at(&folder.join("systemctl"), script);
    Command::new("chmod").arg("+x").arg(path).status().unwrap();
    env.set_var(
        "PATH",
        &format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()),
    );
    env.use_real_clock();
    env
}

fn unit(env: &TestEnv) -> PathBuf {
    env.home().join(".config/systemd/user/mdmem.service")
}

fn told(env: &TestEnv) -> String {
    let file = env.home().join("told");
    let told = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(file);
    told
}

#[test]
fn it_is_installed_once_and_removed() {
    let env = machine();
    let dry = env.mdmem(["watch", "--install", "--dry-run"]);
    let dry = dry
        .any_stdout()
        .stderr_has("would write $HOME/.config/systemd/user/mdmem.service")
        .run();
    assert!(!unit(&env).exists());
    assert_eq!(told(&env), "");
    let install = || env.mdmem(["watch", "--install"]).any_stderr();
    install()
        .stdout("installed $HOME/.config/systemd/user/mdmem.service\n")
        .run();
    assert_eq!(std::fs::read(unit(&env)).unwrap(), dry.bytes);
    let all = "daemon-reload\n--user enable mdmem.service\n--user restart mdmem.service\n";
    assert_eq!(told(&env), format!("--user {all}"));
    verify(&unit(&env));

    install().stdout_has("installed already").run();
    assert_eq!(told(&env), "--user enable --now mdmem.service\n");
    // Another place of the stores is another unit.
    install()
        .var("XDG_STATE_HOME", "/state")
        .stdout_has("updated ")
        .run();
    assert!(told(&env).contains("restart"));

    write_at(&env.home().join("dead"), "");
    install()
        .var("XDG_STATE_HOME", "/state")
        .fails("but could not be started: cannot run systemctl: no bus")
        .run();
    std::fs::remove_file(env.home().join("dead")).unwrap();

    told(&env);
    env.mdmem(["watch", "--uninstall"]).stdout_has("removed ").run();
    assert!(told(&env).ends_with("--user disable --now mdmem.service\n--user daemon-reload\n"));
    env.mdmem(["watch", "--uninstall"])
        .stdout_has("not installed")
        .run();

    write_at(&unit(&env), "[Service]\nExecStart=/bin/true\n");
    install().fails("was not written by mdmem").run();
    env.mdmem(["watch", "--uninstall"])
        .fails("was not written by mdmem")
        .run();
}

/// Where systemd is on the machine, it judges the unit.
fn verify(unit: &Path) {
    let folder = tempfile::tempdir().unwrap();
    match Command::new("systemd-analyze")
        .env("XDG_RUNTIME_DIR", folder.path())
        .args(["verify", "--user"])
        .arg(unit)
        .output()
    {
        Ok(output) => assert!(
            output.status.success() && output.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(_) => {
            eprintln!("SKIPPED: there is no systemd-analyze on this machine, so it did not judge the unit");
        }
    }
}

/// The command of the unit, as systemd would start it: its words, its variables, nothing else of the environment.
fn start(unit: &Path) -> Watching {
    let unit = std::fs::read_to_string(unit).unwrap();
    let of = |key: &'static str| unit.lines().filter_map(move |line| line.strip_prefix(key));
    let unquoted = |text: &str| text.trim_matches('"').replace("%%", "%");
    let (program, args) = of("ExecStart=").next().unwrap().rsplit_once("\" ").unwrap();
    let mut command = Command::new(unquoted(program));
    command
        .args(args.split(' '))
        .env_clear()
        .current_dir("/")
        .envs([QUICK]);
    for variable in of("Environment=").map(unquoted) {
        let (name, value) = variable.split_once('=').unwrap();
        command.env(name, value);
    }
    Watching::start(command)
}

#[test]
fn what_is_saved_while_it_was_killed_is_committed_at_the_next_login() {
    let env = machine();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.mdmem(["watch", "--install"]).any_stdout().any_stderr().run();
    let repository = Repository::of(&env);
    let mut running = start(&unit(&env));
    running.wait_until_said("workspace  watching ");
    repository.save("project/a.md", "Saved while it runs.\n");
    repository.wait_for_commit_of("project/a.md", "Saved while it runs.\n", LIMIT);
    running.kill();
    repository.save("project/b.md", "Saved while nothing runs.\n");
    let _again = start(&unit(&env));
    repository.wait_for_commit_of("project/b.md", "Saved while nothing runs.\n", LIMIT);
    wait_for("a clean tree", LIMIT, || {
        repository
            .git(&["status", "--porcelain"])
            .is_empty()
            .then_some(())
    });
}
