//! The installer, from a folder that looks like a release, in every kind of trouble. The program in it is a script.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::env::{TestEnv, write_at};

const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
];

fn packaging(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(file)
}

fn run(command: &mut Command) -> (bool, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    (
        status.success(),
        String::from_utf8([stdout, stderr].concat()).unwrap(),
    )
}

/// A release whose program says this version, in a folder with a blank in its name.
fn release(env: &TestEnv, version: &str) -> PathBuf {
    let folder = env.home().join("a release").join(version);
    let program = write_at(
        &env.home().join("built"),
        &format!("#!/bin/sh\necho mdmem {version}\n"),
    );
    for target in TARGETS {
        let mut archive = env.command("sh");
        archive
            .arg(packaging("archive"))
            .arg(target)
            .args([&program, &folder]);
        let (is_made, said) = run(&mut archive);
        assert!(is_made, "{said}");
    }
    let sums = "sha256sum -- *.tar.gz > SHA256SUMS";
    let (is_summed, said) = run(env.command("sh").args(["-c", sums]).current_dir(&folder));
    assert!(is_summed, "{said}");
    folder
}

fn install(env: &TestEnv, from: &Path, to: &Path) -> (bool, String) {
    let mut command = env.command("sh");
    command
        .arg(packaging("install.sh"))
        .arg("--from")
        .arg(from)
        .arg("--to")
        .arg(to);
    run(&mut command)
}

/// All names in a folder: nothing may be left of an attempt.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// The archive for this machine.
fn archive(release: &Path) -> PathBuf {
    let target = TARGETS.iter().find(|target| {
        let system = if cfg!(target_os = "macos") {
            "apple-darwin"
        } else {
            "linux-gnu"
        };
        target.starts_with(std::env::consts::ARCH) && target.ends_with(system)
    });
    release.join(format!("mdmem-{}.tar.gz", target.unwrap()))
}

#[test]
fn the_program_is_installed_and_takes_the_place_of_an_older_one() {
    let env = TestEnv::new();
    let to = env.home().join("my bin");
    let (old, new) = (release(&env, "0.0.9"), release(&env, "0.1.0"));
    let program = to.join("mdmem");
    let shown = program.display();
    let next = format!("next: add {} to your PATH", to.display());
    let (is_done, said) = install(&env, &old, &to);
    assert!(
        is_done && said.starts_with(&format!("installed mdmem 0.0.9: {shown}\n")),
        "{said}"
    );
    let finds_another = said.contains("next: PATH finds ");
    assert!(said.contains(&next) || finds_another, "{said}");
    let (is_done, said) = install(&env, &new, &to);
    assert!(is_done, "{said}");
    assert!(
        said.starts_with(&format!("installed mdmem 0.1.0: {shown} (was mdmem 0.0.9)\n")),
        "{said}"
    );
    assert_eq!(names(&to), ["mdmem"]);
    assert_eq!(program.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert!(names(&env.home().join("tmp")).is_empty());
}

#[test]
fn what_is_not_as_its_checksum_says_is_not_installed() {
    let env = TestEnv::new();
    let to = env.home().join("bin");
    let good = release(&env, "0.1.0");
    install(&env, &good, &to);
    let before = std::fs::read(to.join("mdmem")).unwrap();
    let bytes = std::fs::read(archive(&good)).unwrap();
    let refused = |wanted: &str| {
        let (is_done, said) = install(&env, &good, &to);
        assert!(
            !is_done && said.contains("error: ") && said.contains(wanted),
            "{said}"
        );
        assert_eq!(std::fs::read(to.join("mdmem")).unwrap(), before);
        assert_eq!(names(&to), ["mdmem"]);
    };
    std::fs::write(archive(&good), &bytes[..bytes.len() / 2]).unwrap();
    refused("is not what SHA256SUMS says");
    std::fs::write(archive(&good), &bytes[..0]).unwrap();
    refused("is not what SHA256SUMS says");
    std::fs::copy(archive(&release(&env, "6.6.6")), archive(&good)).unwrap();
    refused("is not what SHA256SUMS says");
    std::fs::write(good.join("SHA256SUMS"), "0  mdmem-other.tar.gz\n").unwrap();
    refused("has no line for mdmem-");
    std::fs::remove_file(good.join("SHA256SUMS")).unwrap();
    refused("cannot fetch SHA256SUMS");
    std::fs::remove_dir_all(&good).unwrap();
    refused("no folder with a release");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let env = TestEnv::new();
    let from = release(&env, "0.1.0");
    let file = write_at(&env.home().join("file"), "mine");
    let taken = env.home().join("taken/mdmem");
    std::fs::create_dir_all(&taken).unwrap();
    // Nobody may write there, not even the administrator.
    for (to, wanted) in [
        (file.join("bin"), "cannot make the folder"),
        (PathBuf::from("/proc"), "cannot write to /proc"),
        (env.home().join("taken"), "mdmem is a folder"),
    ] {
        let (is_done, said) = install(&env, &from, &to);
        assert!(
            !is_done && said.contains(wanted) && said.contains("hint: Name another"),
            "{said}"
        );
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert!(names(&taken).is_empty());
}

#[test]
fn an_address_is_encrypted_and_an_argument_known() {
    let env = TestEnv::new();
    for (args, wanted) in [
        (&["--from", "http://example.com"][..], "is not an https address"),
        (&["--from"], "--from needs a value"),
        (&["--what"], "unknown argument: --what"),
        (&[], "no folder with a release: @FROM@"),
    ] {
        let (is_done, said) = run(env.command("sh").arg(packaging("install.sh")).args(args));
        assert!(!is_done && said.contains(wanted), "{said}");
    }
    let (is_done, said) = run(env.command("sh").arg(packaging("install.sh")).arg("--help"));
    assert!(
        is_done && said.contains("sh install.sh [--from URL_OR_FOLDER]"),
        "{said}"
    );
}

#[test]
fn a_formula_has_each_checksum() {
    let env = TestEnv::new();
    let folder = release(&env, "0.1.0");
    let mut formula = env.command("sh");
    formula
        .arg(packaging("formula"))
        .arg("https://example.com/mdmem")
        .arg(&folder);
    let (is_made, text) = run(&mut formula);
    assert!(is_made && !text.contains('@'), "{text}");
    let sums = std::fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        let at = text.find(name).unwrap();
        assert!(
            text[at..].starts_with(&format!("{name}\"\n      sha256 \"{sum}\"")),
            "{text}"
        );
    }
    let (is_again, same) = run(&mut formula);
    assert!(is_again && same == text);
}

/// The bytes depend on nothing but what is packed.
#[test]
fn an_archive_is_the_same_wherever_it_is_made() {
    let env = TestEnv::new();
    let archives = ["0.1.0", "0.1.0"].map(|version| {
        let folder = release(&env, version);
        let bytes = std::fs::read(archive(&folder)).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        bytes
    });
    assert!(archives[0] == archives[1]);
}

/// The script that names the commit, in the trees that it may be run in.
#[test]
fn a_release_names_its_commit_and_the_tree_of_an_archive_none() {
    let env = TestEnv::new();
    let script = env.home().join("script");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let mut rustc = Command::new("rustc");
    let (is_compiled, said) = run(rustc.arg("--edition=2024").arg(source).arg("-o").arg(&script));
    assert!(is_compiled, "{said}");
    let names = |folder: &Path, vars: &[(&str, &str)]| {
        let mut command = env.command(script.to_str().unwrap());
        command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
        let (is_well, said) = run(command.envs(vars.iter().copied()));
        assert!(is_well, "{said}");
        let (_, name) = said.split_once("MDMEM_BUILT_FROM=").unwrap();
        (
            name.trim_end_matches('\n').to_owned(),
            said.contains("rerun-if-changed="),
        )
    };
    let clone = env.home().join("clone");
    let inside = clone.join("unpacked");
    std::fs::create_dir_all(&inside).unwrap();
    for args in [&["init", "-q"][..], &["commit", "-q", "--allow-empty", "-m", "x"]] {
        let (is_done, said) = run(env.command("git").args(args).current_dir(&clone));
        assert!(is_done, "{said}");
    }
    let (_, head) = run(env.command("git").args(["rev-parse", "HEAD"]).current_dir(&clone));
    let release = &[("PROFILE", "release")];
    assert_eq!(names(&clone, release), (format!(" ({})", &head[..10]), true));
    assert_eq!(names(&clone, &[("PROFILE", "debug")]), (String::new(), false));
    assert_eq!(names(&inside, release), (String::new(), false));
    assert_eq!(names(env.home().as_path(), release), (String::new(), false));
    let stated = &[("SOURCE_COMMIT", "0123456789abcdef")];
    assert_eq!(names(&inside, stated), (" (0123456789)".to_owned(), false));
    let noted = "{\n  \"git\": {\n    \"sha1\": \"fedcba9876543210\"\n  },\n  \"path_in_vcs\": \"\"\n}";
    write_at(&inside.join(".cargo_vcs_info.json"), noted);
    assert_eq!(names(&inside, release), (" (fedcba9876)".to_owned(), false));
}
