//! `.mdmem` and what is below it: a link, a file or a fifo in its place is refused, never followed and never waited for.

use std::path::{Path, PathBuf};

use crate::env::{LIMIT, TestEnv};
use crate::left_out::{is_committed, machine, make_fifo};

#[derive(Clone, Copy, Debug)]
enum Odd {
    Link,
    File,
    Fifo,
}

/// Puts something else in the place of a file or a folder below the store.
fn replace(path: &Path, odd: Odd, outside: &Path) {
    let _ = std::fs::remove_file(path);
    let _ = std::fs::remove_dir_all(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    match odd {
        Odd::Link => std::os::unix::fs::symlink(outside, path).unwrap(),
        Odd::File => std::fs::write(path, "what is this\n").unwrap(),
        Odd::Fifo => make_fifo(path),
    }
}

/// A store with something else in this place, and a file or a folder outside that a link leads to.
fn replaced(name: &str, odd: Odd, make: fn(&Path)) -> (TestEnv, PathBuf) {
    let env = machine();
    let outside = env.home().join("outside");
    make(&outside);
    replace(&env.store().join(name), odd, &outside);
    (env, outside)
}

/// Commands that read and commands that write.
const COMMANDS: [&[&str]; 5] = [
    &["add", "Use pnpm"],
    &["sweep"],
    &["render"],
    &["status"],
    &["check"],
];

#[test]
fn no_folder_of_its_own_is_followed_elsewhere() {
    for name in [
        ".mdmem",
        ".mdmem/cache",
        ".mdmem/sessions",
        ".mdmem/edit",
        ".mdmem/displaced",
    ] {
        for odd in [Odd::Link, Odd::File, Odd::Fifo] {
            let (env, outside) = replaced(name, odd, |folder| std::fs::create_dir(folder).unwrap());
            for args in &COMMANDS[..4] {
                env.mdmem(*args).fails(name).run();
            }
            assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0, "{name} {odd:?}");
        }
    }
}

#[test]
fn no_file_of_its_own_is_followed_or_waited_for() {
    for name in [
        ".mdmem/log",
        ".mdmem/staged.json",
        ".mdmem/allowed",
        ".mdmem/watch.lock",
        ".mdmem/evidence.jsonl",
        ".mdmem/cache/files",
        ".mdmem/cache/history",
    ] {
        for odd in [Odd::Link, Odd::Fifo] {
            let (env, outside) = replaced(name, odd, |file| std::fs::write(file, "theirs\n").unwrap());
            for args in COMMANDS {
                ends(&env, args, &format!("{name} {odd:?}"));
            }
            let theirs = std::fs::read_to_string(&outside).unwrap();
            assert_eq!(theirs, "theirs\n", "{name} {odd:?}");
            assert!(is_committed(&env, "project/use-pnpm.md"), "{name} {odd:?}");
        }
    }
}

/// A thing that somebody else put among the displaced files is nobody's to remove, and no reason to refuse a write.
#[test]
fn what_lies_among_the_displaced_files_is_left_alone() {
    let env = machine();
    let displaced = env.store().join(".mdmem/displaced");
    let ours = displaced.join("0123456789abcdef.1-0");
    let odd = ["folder/in/it", "file", "fifo", "link", "theirs", "0123.x"];
    std::fs::create_dir_all(displaced.join(odd[0])).unwrap();
    std::fs::write(displaced.join("file"), "mine\n").unwrap();
    make_fifo(&displaced.join("fifo"));
    std::os::unix::fs::symlink(env.home(), displaced.join("link")).unwrap();
    std::fs::create_dir(displaced.join("theirs")).unwrap();
    std::fs::write(displaced.join("0123.x"), "mine\n").unwrap();
    // In what looks like an entry: a fifo where a file should be, and a link in its way.
    std::fs::create_dir_all(&ours).unwrap();
    make_fifo(&ours.join("a.md"));
    let linked = displaced.join("theirs.1-1");
    std::os::unix::fs::symlink(env.home(), &linked).unwrap();
    for args in [
        vec!["add", "Use pnpm"],
        vec!["sweep"],
        vec!["render"],
        vec!["status"],
    ] {
        ends(&env, &args, "odd displaced files");
        env.mdmem(args).any_stdout().any_stderr().run();
    }
    assert!(is_committed(&env, "project/use-pnpm.md"));
    for name in odd {
        assert!(displaced.join(name).symlink_metadata().is_ok(), "{name}");
    }
    assert!(ours.join("a.md").symlink_metadata().is_ok() && linked.is_symlink());
}

/// A name, and the way to make something odd.
type Oddity<'a> = (&'a str, &'a dyn Fn(&Path));

/// The store's settings are its own file and nothing else: without it the defaults hold, and everything goes on.
#[test]
fn settings_that_are_no_file_are_told_and_stop_nothing() {
    let large = |path: &Path| std::fs::write(path, "#".repeat(2 << 20)).unwrap();
    let odd: [Oddity<'_>; 4] = [
        ("link", &|path| {
            std::os::unix::fs::symlink("/dev/zero", path).unwrap();
        }),
        ("folder", &|path| std::fs::create_dir(path).unwrap()),
        ("fifo", &make_fifo),
        ("large", &large),
    ];
    for (name, make) in odd {
        let env = machine();
        let path = env.store().join("mdmem.toml");
        std::fs::remove_file(&path).unwrap();
        make(&path);
        for args in COMMANDS {
            ends(&env, args, name);
        }
        for args in [&["list"][..], &["add", "Use cargo"]] {
            env.mdmem(args).any_stdout().stderr_has("$STORE/mdmem.toml").run();
        }
        env.mdmem(["check"])
            .code(1)
            .stdout_has("mdmem.toml")
            .any_stderr()
            .run();
        assert!(is_committed(&env, "project/use-pnpm.md"), "{name}");
    }
}

/// The cache is of no account: the truth is the file.
#[test]
fn a_cache_that_cannot_be_written_stops_nothing_and_check_names_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = machine();
    let cache = env.store().join(".mdmem/cache");
    std::fs::create_dir_all(&cache).unwrap();
    let allow = |mode| std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(mode)).unwrap();
    allow(0o000);
    // Nothing is kept from root.
    let is_refused = std::fs::read_dir(&cache).is_err();
    env.mdmem(["add", "Use pnpm"]).any_stdout().any_stderr().run();
    assert!(is_committed(&env, "project/use-pnpm.md"));
    let found = env.mdmem(["check"]).any_stdout().any_stderr().run().stdout;
    assert_eq!(
        found.contains(".mdmem/cache: warning: cannot"),
        is_refused,
        "{found}"
    );
    allow(0o755);
}

#[test]
fn a_pipe_in_the_place_of_the_journal_is_not_waited_for_and_the_next_step_is_told() {
    let env = machine();
    let journal = env.store().join(".git/mdmem-journal");
    make_fifo(&journal);
    env.mdmem(["add", "Use pnpm"])
        .fails("Move away what is in its place, then run the command again.")
        .run();
    std::fs::remove_file(&journal).unwrap();
    env.mdmem(["add", "Use pnpm"]).any_stdout().any_stderr().run();
    assert!(is_committed(&env, "project/use-pnpm.md"));
}

/// The registry and the person's settings: a regular file, or a link to one, of a size that is read at once.
#[test]
fn what_is_no_file_in_the_place_of_the_registry_or_the_persons_settings_is_refused() {
    let zero = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    let odd: [Oddity<'_>; 2] = [("fifo", &make_fifo), ("/dev/zero", &zero)];
    for (name, make) in odd {
        let env = machine();
        let registry = env.mdmem_home().join("registry.toml");
        let settings = env.home().join(".config/mdmem/config.toml");
        std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
        for path in [registry, settings] {
            let before = std::fs::read(&path).ok();
            let _ = std::fs::remove_file(&path);
            make(&path);
            for args in COMMANDS {
                let told = ends(&env, args, name);
                assert!(
                    told.contains("it is not a regular file") && told.contains(".toml"),
                    "{args:?}: {told}"
                );
            }
            std::fs::remove_file(&path).unwrap();
            if let Some(before) = before {
                std::fs::write(&path, before).unwrap();
            }
        }
        let elsewhere = env.home().join("dotfiles.toml");
        std::fs::write(&elsewhere, "[render]\nmax_entries = 7\n").unwrap();
        std::os::unix::fs::symlink(&elsewhere, env.home().join(".config/mdmem/config.toml")).unwrap();
        env.mdmem(["config"]).stdout_has("7").run();
    }
}

/// Git's settings of the person: a command that cannot do without says which file and line, and ends.
#[test]
fn settings_of_git_that_cannot_be_read_are_named() {
    let broken = |home: &Path| std::fs::write(home.join(".gitconfig"), "[user]\n[oops\n").unwrap();
    let included = |home: &Path| {
        std::fs::write(home.join(".gitconfig"), "[include]\n\tpath = other\n").unwrap();
        std::fs::write(home.join("other"), "[oops\n").unwrap();
    };
    let fifo = |home: &Path| make_fifo(&home.join(".gitconfig"));
    let odd: [Oddity<'_>; 3] = [
        (".gitconfig:2", &broken),
        ("other:1", &included),
        (".gitconfig is not a regular file", &fifo),
    ];
    let env = machine();
    for (place, make) in odd {
        make(&env.home());
        for args in COMMANDS {
            let told = ends(&env, args, place);
            assert!(
                told.contains("git's own settings cannot be read"),
                "{args:?}: {told}"
            );
            assert!(
                told.contains(place) && told.contains("hint: Fix what it names"),
                "{args:?}: {told}"
            );
        }
        let other = env.workspace().join("other");
        std::fs::create_dir_all(&other).unwrap();
        env.mdmem(["init"])
            .current_dir(&other)
            .fails("git's own settings cannot be read")
            .run();
        std::fs::remove_file(env.home().join(".gitconfig")).unwrap();
    }
    std::os::unix::fs::symlink("/dev/null", env.home().join(".gitconfig")).unwrap();
    env.mdmem(["add", "Use pnpm"]).any_stdout().run();
    assert!(is_committed(&env, "project/use-pnpm.md"));
}

/// Gives all that a command says; fails when it waits for something that does not come.
#[track_caller]
fn ends(env: &TestEnv, args: &[&str], beside: &str) -> String {
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    let pipe = std::process::Stdio::piped;
    let mut child = command.args(args).stdout(pipe()).stderr(pipe()).spawn().unwrap();
    let begin = std::time::Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("{args:?} does not end beside {beside}");
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}
