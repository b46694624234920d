//! The account that history gives of files, their names and ids, and the changes that a server follows.

use mdmem::service::{Background, Beginning, PromptServer, SessionRequest};

use super::*;

/// Runs git at a time, as somebody without a name of their own on this machine.
fn git_at(store: &Store, time: &str, args: &[&str]) {
    let output = std::process::Command::new("git")
        .arg("-C")
        .arg(store.root())
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.com"])
        .args(args)
        .env("GIT_AUTHOR_DATE", time)
        .env("GIT_COMMITTER_DATE", time)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn after_a_merge_a_text_is_as_old_as_the_line_that_it_came_from() {
    for (taken, text, updated) in [("ours", "Ours", "2026-01-03"), ("theirs", "Theirs", "2026-01-02")] {
        let machine = Machine::new();
        let store = machine.store();
        let path = store.root().join("project/x.md");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let commit = |text: &str, time: &str| {
            std::fs::write(&path, format!("{text}\n")).unwrap();
            git_at(&store, time, &["add", "-A"]);
            git_at(&store, time, &["commit", "-qm", text]);
        };
        commit("Base", "2026-01-01T00:00:00Z");
        git_at(&store, "2026-01-01T00:00:00Z", &["switch", "-qc", "side"]);
        commit("Theirs", "2026-01-02T00:00:00Z");
        git_at(&store, "2026-01-01T00:00:00Z", &["switch", "-q", "main"]);
        commit("Ours", "2026-01-03T00:00:00Z");
        store.load().unwrap();
        let driver = format!("merge.mdmem.driver=git merge-file --{taken} %A %O %B");
        git_at(
            &store,
            "2026-01-04T00:00:00Z",
            // As somebody does who settles the conflict for one side.
            &["-c", &driver, "merge", "-q", "side", "-m", "merge"],
        );
        for cached in [true, false] {
            if !cached {
                std::fs::remove_dir_all(store.root().join(".mdmem/cache")).unwrap();
            }
            let snapshot = store.load().unwrap();
            let memory = &snapshot.files[0].memory;
            assert_eq!(memory.content.keyed_text(), text);
            let time = Timestamp::parse(&format!("{updated}T00:00:00Z")).unwrap();
            assert_eq!(memory.updated.known(), Some(time), "{taken}, cached: {cached}");
        }
    }
}

#[test]
fn a_file_whose_twin_differs_only_in_case_is_deleted_by_its_own_name() {
    let machine = Machine::new();
    let store = machine.store();
    for name in ["A.md", "a.md"] {
        std::fs::write(store.root().join(name), format!("Fact {name}\n")).unwrap();
    }
    service::sweep(&store, MassDeletion::Ask).unwrap();
    std::fs::remove_file(store.root().join("a.md")).unwrap();
    if !store.root().join("A.md").exists() {
        eprintln!("SKIPPED: this file system takes the two for one name");
        return;
    }
    let scope = ["a.md".into()].into();
    let swept = store.writer("test").unwrap().absorb(&scope).unwrap();
    assert_eq!(swept.changes, [mdmem::store::Change::Removed("a.md".into())]);
    assert_eq!(git(&store, &["ls-files", "A.md", "a.md"]).trim(), "A.md");
    let names = vec!["A.md".to_owned()];
    service::remove(&store, &names, false, service::Run::Real).unwrap();
    assert_eq!(git(&store, &["ls-files", "A.md", "a.md"]).trim(), "");
}

#[test]
fn a_folder_that_went_is_committed_whoever_has_loaded_the_files_since() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, "Use npm", "decision");
    add(&store, "Use tabs", "decision");
    std::fs::remove_dir_all(file(&store, "decision")).unwrap();
    let scope = ["decision".into()].into();
    let swept = store.writer("test").unwrap().absorb(&scope).unwrap();
    assert_eq!(swept.changes.len(), 2);
    assert_eq!(git(&store, &["ls-files", "decision"]), "");
}

#[test]
fn a_copy_never_has_the_id_of_its_original() {
    let machine = Machine::new();
    let store = machine.store();
    let original = add(&store, "Use npm", "decision");
    let path = file(&store, original.path.as_str());
    let copy = path.with_file_name("copy.md");
    std::fs::copy(&path, &copy).unwrap();
    service::sweep(&store, MassDeletion::Ask).unwrap();
    let check = || {
        for file in &store.load().unwrap().files {
            let is_copy = file.memory.path.stem() == "copy";
            assert_eq!(file.memory.id == original.id, !is_copy, "{}", file.memory.path);
        }
    };
    check();
    std::fs::write(&copy, read(&copy).replace("Use npm", "Use yarn")).unwrap();
    check();
    service::sweep(&store, MassDeletion::Ask).unwrap();
    check();
}

#[test]
fn a_server_follows_settings_and_a_global_store_that_comes_later() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, "Use npm", "decision");
    let mut server = service::PromptServer::open(machine.context(), &mut Background::default()).unwrap();
    let mut serve = |session: &str, generation| {
        let request = service::SessionRequest {
            session: session.to_owned(),
            ..service::SessionRequest::default()
        };
        server.serve(&request, generation).unwrap().system.concat()
    };
    let first = serve("one", 1);
    assert!(first.contains("Use npm"));
    let everywhere = Context {
        scope: Scope::Global,
        ..machine.context()
    };
    add(
        &service::create(&everywhere, Beginning::Asked).unwrap().0,
        "Answer in English",
        "user",
    );
    assert!(serve("two", 2).contains("Answer in English"));
    std::fs::write(store.root().join("mdmem.toml"), "render.max_chars = 10\n").unwrap();
    assert!(!serve("three", 3).contains("Use npm"));
    assert_eq!(serve("one", 3), first, "a session keeps its bytes");
}

#[test]
fn a_store_that_cannot_be_opened_leaves_a_session_what_it_was_given() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, "Use npm", "decision");
    let request = SessionRequest {
        session: "ses_1".to_owned(),
        ..SessionRequest::default()
    };
    let given = PromptServer::open(machine.context(), &mut Background::default())
        .unwrap()
        .serve(&request, 0)
        .unwrap();
    std::fs::rename(store.root().join(".git"), store.root().join("away")).unwrap();
    let again = PromptServer::open(machine.context(), &mut Background::default())
        .unwrap()
        .serve(&request, 0)
        .unwrap();
    assert_eq!((again.system, again.reason.as_str()), (given.system, "kept"));
}

#[test]
fn a_new_file_takes_no_name_that_another_machine_takes_for_the_same() {
    let machine = Machine::new();
    let store = machine.store();
    for path in ["DECISION/Use-npm.md", "a.md", "decisio/use-npm.md", "z/b.md"] {
        let path = file(&store, path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "Something else\n").unwrap();
    }
    let path = |text: &str, kind: &str| add(&store, text, kind).path.to_string();
    assert_eq!(path("Use npm", "decision"), "decision/use-npm-2.md");
    assert_eq!(path("Use yarn", "decision"), "decision/use-yarn.md");
}

/// A folder is moved away while its files are read, so that only some of them are missing: nobody deleted just those.
#[test]
fn what_a_vanished_folder_lacked_when_it_was_read_is_not_taken_as_deleted_alone() {
    let machine = Machine::new();
    let store = machine.store();
    let folder = store.root().join("project");
    std::fs::create_dir_all(&folder).unwrap();
    for n in 0..4 {
        std::fs::write(folder.join(format!("{n}.md")), format!("Number {n}.\n")).unwrap();
    }
    service::sweep(&store, MassDeletion::Ask).unwrap();
    let removed =
        |files: &mdmem::store::Snapshot| store.pending(files, MassDeletion::Ask).unwrap().changes.len();

    std::fs::remove_file(folder.join("0.md")).unwrap();
    let half = store.load().unwrap();
    assert_eq!(removed(&half), 1);
    std::fs::rename(&folder, store.root().with_extension("away")).unwrap();
    assert_eq!(removed(&half), 0);
    assert_eq!(removed(&store.load().unwrap()), 4);
}

/// Other agents keep an index of this name in a folder of theirs.
#[test]
fn a_file_of_the_name_of_the_index_in_a_folder_is_committed() {
    let machine = Machine::new();
    let store = machine.store();
    std::fs::create_dir_all(store.root().join("notes")).unwrap();
    std::fs::write(store.root().join("notes/MEMORY.md"), "What another agent knew.\n").unwrap();
    service::sweep(&store, MassDeletion::Ask).unwrap();
    assert!(read(&file(&store, "MEMORY.md")).contains("notes/MEMORY.md"));
    assert_eq!(git(&store, &["ls-files", "*MEMORY.md"]), "notes/MEMORY.md\n");
}
