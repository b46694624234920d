//! The use cases, called as a host calls them, on a store of their own.

mod cached;
mod displaced;
mod files_and_history;
mod forgetting;
mod ids;

use std::path::{Path, PathBuf};

use mdmem::model::{Importance, Kind, Source, Timestamp};
use mdmem::render::Scope;
use mdmem::service::{
    self, AddRequest, Context, Destination, Point, PromptRequest, Reinforced, Restoring, Run, UndoneChange,
};
use mdmem::store::{Beginning, MassDeletion, Store};
use mdmem::sys::{Clock, Env, Ids};

/// A workspace, a home and a clock, for one test.
struct Machine {
    folder: tempfile::TempDir,
    clock: Clock,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("work")).unwrap();
        let start = Timestamp::parse("2026-11-20T10:00:00Z").unwrap();
        Self {
            folder,
            clock: Clock::stepping(start, 1000),
        }
    }

    fn context(&self) -> Context {
        let root = self.folder.path();
        let vars = [("HOME", root.join("home")), ("MDMEM_HOME", root.join("memory"))];
        Context {
            env: Env::fixed(vars, root.join("work")),
            clock: self.clock.clone(),
            ids: Ids::random(),
            scope: Scope::Workspace,
            store: None,
            flags: Vec::new(),
        }
    }

    fn store(&self) -> Store {
        service::create(&self.context(), Beginning::Asked).unwrap().0
    }

    fn prompt(&self) -> String {
        service::render_prompt(&self.context(), &PromptRequest::default())
            .unwrap()
            .text
    }
}

fn request(text: &str, kind: &str) -> AddRequest {
    AddRequest {
        text: text.to_owned(),
        why: None,
        kind: Some(Kind::new(kind)),
        source: Source::Explicit,
        importance: Importance::Normal,
        tags: Vec::new(),
        paths: Vec::new(),
        description: None,
        path: None,
        replaces: None,
        session: None,
        host: "test".to_owned(),
    }
}

fn add(store: &Store, text: &str, kind: &str) -> service::Added {
    let ids = Ids::random();
    service::add(store, &ids, &request(text, kind)).unwrap()
}

fn git(store: &Store, args: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .arg("-C")
        .arg(store.root())
        // The machine that runs the test may have no name for its person.
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.com"])
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn file(store: &Store, path: &str) -> PathBuf {
    store.root().join(path)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_memory_is_a_file_a_commit_a_line_of_the_index_and_of_the_prompt() {
    let machine = Machine::new();
    let store = machine.store();
    let added = add(&store, "Use npm cache for plugin loading", "decision");
    assert_eq!(
        added.path.as_str(),
        "decision/use-npm-cache-for-plugin-loading.md"
    );
    let day = store.now().to_utc().format("%Y-%m-%d");
    let shown = format!(
        "\n\nWorkspace memory (cross-session, verify if stale):\ndecision:\n- Use npm cache for plugin loading ({day}, user)\n</mdmem>"
    );
    let prompt = machine.prompt();
    assert!(
        prompt.starts_with("<mdmem>\nNotes ") && prompt.ends_with(&shown),
        "{prompt}"
    );
    assert!(read(&file(&store, "MEMORY.md")).contains("decision/use-npm-cache-for-plugin-loading.md"));
    assert_eq!(
        git(&store, &["log", "--format=%s", "-1"]).trim(),
        "memory: add decision/use-npm-cache-for-plugin-loading"
    );
    assert_eq!(git(&store, &["status", "--porcelain"]), "");
    git(&store, &["fsck", "--strict"]);
}

#[test]
fn the_index_is_written_where_it_would_say_something_else_and_comes_back() {
    let machine = Machine::new();
    let store = machine.store();
    let index = file(&store, "MEMORY.md");
    let inode = || {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata(&index).unwrap().ino()
    };
    add(&store, "Use npm cache for plugin loading", "decision");
    let (before, text) = (inode(), read(&index));
    service::sweep(&store, MassDeletion::Ask).unwrap();
    assert_eq!(inode(), before, "nothing changed, nothing was written");

    let mut writer = store.writer("test").unwrap();
    assert_eq!(writer.finish(), [""; 0]);
    let loaded = writer.give_loaded();
    drop(writer);
    assert_eq!(inode(), before);
    // Whoever keeps a store loaded sees that the file is another one, or gone.
    for spoil in ["a person's own words", ""] {
        if spoil.is_empty() {
            std::fs::remove_file(&index).unwrap();
        } else {
            std::fs::write(&index, spoil).unwrap();
        }
        let mut writer = store.writer_by("test", None, || Ok(loaded.clone())).unwrap();
        assert_eq!(writer.finish(), [""; 0]);
        assert_eq!(read(&index), text);
    }
}

#[test]
fn the_same_words_again_reinforce_once_a_window() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, "Use tabs", "feedback");
    let again = add(&store, "use tabs!", "feedback");
    assert_eq!(again.reinforced, Some(Reinforced::Yes(1)));
    let third = add(&store, "Use tabs.", "feedback");
    assert_eq!(third.reinforced, Some(Reinforced::TooSoon));
    assert_eq!(store.load().unwrap().files.len(), 1);
    assert!(read(&file(&store, again.path.as_str())).contains("reinforcement: 1\n"));
}

#[test]
fn what_a_person_saved_is_committed_before_anything_else() {
    let machine = Machine::new();
    let store = machine.store();
    std::fs::create_dir_all(file(&store, "project")).unwrap();
    std::fs::write(file(&store, "project/by hand.md"), "Ports are in docs.\n").unwrap();
    add(&store, "Use tabs", "feedback");
    let subjects = git(&store, &["log", "--format=%s", "-2"]);
    assert_eq!(
        subjects,
        "memory: add feedback/use-tabs\nmemory: add project/by hand\n"
    );
    assert!(machine.prompt().contains("- Ports are in docs."));
}

#[test]
fn a_restore_and_an_undo_are_commits_that_can_be_taken_back() {
    let machine = Machine::new();
    let store = machine.store();
    let path = file(&store, add(&store, "Use npm", "decision").path.as_str());
    let good = read(&path);
    let before = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    std::fs::write(&path, good.replace("Use npm", "Use yarn")).unwrap();
    service::sweep(&store, MassDeletion::Ask).unwrap();
    let restore = |run| service::restore(&store, &restoring(&store, &before, &["use-npm"]), run).unwrap();
    let plan = restore(Run::Dry);
    assert_eq!((plan.answer.files.len(), plan.changed.outcome.oid()), (1, None));
    restore(Run::Real);
    assert_eq!(read(&path), good);
    assert!(git(&store, &["log", "--format=%s", "-1"]).starts_with("memory: restore decision/use-npm to "));
    let undo = |change| service::undo(&machine.context(), &store, change, Run::Real).unwrap();
    undo(UndoneChange::Last);
    assert!(read(&path).contains("Use yarn"));
    undo(UndoneChange::Last);
    assert_eq!(read(&path), good, "again goes one further");
    undo(UndoneChange::Named("HEAD"));
    assert!(read(&path).contains("Use yarn"));
    git(&store, &["fsck", "--strict"]);
    assert_eq!(git(&store, &["status", "--porcelain"]), "");
}

#[test]
fn a_strength_that_the_keys_gave_follows_an_edit() {
    let machine = Machine::new();
    let store = machine.store();
    let path = file(&store, add(&store, "Use npm", "decision").path.as_str());
    let draft = service::original(&store, "use-npm").unwrap();
    let text = read(&path).replace("type: decision\n", "type: decision\nimportance: high\n");
    service::save(&store, &draft, text.as_bytes()).unwrap();
    assert_eq!(read(&path), text.replace("strength: 5.0", "strength: 7.5"));
    assert_eq!(git(&store, &["status", "--porcelain"]), "");
    assert_eq!(
        git(&store, &["log", "--format=%s", "-1"]).trim(),
        "memory: edit decision/use-npm"
    );
}

#[test]
fn a_store_that_was_made_and_not_registered_is_registered_by_the_next_command() {
    let machine = Machine::new();
    let store = machine.store();
    let home = machine.folder.path().join("memory");
    let before = read(&home.join("registry.toml"));
    std::fs::remove_file(home.join("registry.toml")).unwrap();
    std::fs::remove_file(home.join("by-name/work")).unwrap();
    assert_eq!(machine.store().root(), store.root());
    assert_eq!(read(&home.join("registry.toml")), before);
    assert_eq!(
        home.join("by-name/work").canonicalize().unwrap(),
        store.root().canonicalize().unwrap()
    );
}

fn point(text: &str) -> Point {
    Point {
        text: text.to_owned(),
        time: None,
    }
}

fn restoring(store: &Store, revision: &str, memories: &[&str]) -> Restoring {
    let words: Vec<Point> = [revision]
        .iter()
        .chain(memories)
        .map(|word| point(word))
        .collect();
    service::what_to_restore(store, &words).unwrap()
}

#[test]
fn a_folder_in_a_files_place_stays_and_stops_nothing_else() {
    let machine = Machine::new();
    let store = machine.store();
    let path = file(&store, add(&store, "Use npm", "decision").path.as_str());
    let before = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    for name in ["inside.png", ".hidden"] {
        std::fs::write(path.join(name), "Inside\n").unwrap();
    }
    let named = restoring(&store, &before, &["decision/use-npm.md"]);
    let restored = service::restore(&store, &named, Run::Real).unwrap();
    let left_out = &restored.changed.aftermath.left_out[0];
    assert_eq!(left_out.path, Path::new("decision/use-npm.md"));
    assert!(
        left_out.why.ends_with("use-npm.md is a folder, not a file"),
        "{}",
        left_out.why
    );
    assert_eq!(
        restored.answer.files.len(),
        1,
        "what lies in the folder was not there then"
    );
    let error = service::restore(&store, &named, Run::Real).unwrap_err();
    assert!(
        error.to_string().ends_with("use-npm.md is a folder, not a file"),
        "{error}"
    );
    add(&store, "Something else", "project");
    assert!(path.is_dir());
}

/// The rest of a killed restore, with a folder that came into a file's place since.
#[test]
fn an_interrupted_restore_is_finished_around_what_is_in_its_way() {
    let machine = Machine::new();
    let store = machine.store();
    let path = file(&store, add(&store, "Use npm", "decision").path.as_str());
    let other = file(&store, add(&store, "Use git", "decision").path.as_str());
    let done = file(&store, add(&store, "Use make", "decision").path.as_str());
    let text = std::fs::read(&done).unwrap();
    let good = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    for path in [&path, &other, &done] {
        std::fs::remove_file(path).unwrap();
    }
    service::sweep(&store, MassDeletion::Ask).unwrap();
    let old = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    let new = git(
        &store,
        &[
            "commit-tree",
            "-p",
            &old,
            "-m",
            "memory: restore",
            &format!("{good}^{{tree}}"),
        ],
    );
    begin(&store, &old, new.trim(), "restore");
    std::fs::write(&done, text).unwrap();
    let found = |code: &str| {
        let status = service::status(&machine.context(), &store).unwrap();
        let checked = service::check(&machine.context(), &[]).unwrap();
        [status.findings, checked].map(|found| found.iter().any(|finding| finding.code == code))
    };
    assert_eq!(found("interrupted"), [true; 2]);
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join(".hidden"), "Inside\n").unwrap();
    let swept = service::sweep(&store, MassDeletion::Ask).unwrap();
    assert_eq!(swept.notices, ["finished an interrupted restore"]);
    assert!(other.exists() && path.is_dir());
    assert_eq!(found("interrupted"), [false; 2]);
    add(&store, "Something else", "project");
}

#[test]
fn a_removed_memory_is_in_the_commit_that_is_named() {
    let machine = Machine::new();
    let store = machine.store();
    let added = add(&store, "Use npm", "decision");
    let removed = service::remove(&store, &["use-npm".to_owned()], false, Run::Real)
        .unwrap()
        .answer;
    assert!(!file(&store, added.path.as_str()).exists());
    let last_in = removed.last_in.unwrap().to_string();
    let removed = restoring(&store, &last_in, &[added.path.as_str()]);
    service::restore(&store, &removed, Run::Real).unwrap();
    assert!(file(&store, added.path.as_str()).exists());
}

#[test]
fn a_move_between_type_folders_changes_the_type() {
    let machine = Machine::new();
    let store = machine.store();
    let added = add(&store, "Use npm", "decision");
    let renaming = service::rename(
        &store,
        &[added.id.to_string()],
        Destination::To("feedback/"),
        Run::Real,
    )
    .unwrap()
    .answer;
    assert_eq!(renaming.to.as_str(), "feedback/use-npm.md");
    let snapshot = store.load().unwrap();
    let moved = snapshot.file(&renaming.to).unwrap();
    assert_eq!(
        (moved.memory.kind.as_str(), &moved.memory.id),
        ("feedback", &added.id)
    );
    assert_eq!(
        moved.memory.strength,
        Some(4.5),
        "an initial strength that the old type gave follows the new one"
    );
}

#[test]
fn too_many_missing_files_are_asked_about() {
    let machine = Machine::new();
    let store = machine.store();
    for n in 0..12 {
        add(&store, &format!("Fact number {n}"), "project");
    }
    std::fs::remove_dir_all(file(&store, "project")).unwrap();
    let swept = service::sweep(&store, MassDeletion::Ask).unwrap();
    assert_eq!((swept.sweep.withheld.len(), swept.sweep.commit), (12, None));
    service::sweep(&store, MassDeletion::Confirmed).unwrap();
    assert_eq!(store.load().unwrap().files.len(), 0);
}

#[test]
fn the_prompt_of_another_time_is_that_of_its_files() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, "Use npm", "decision");
    let then = store.now();
    add(&store, "Use tabs", "feedback");
    let at = |at| {
        service::render_prompt(
            &machine.context(),
            &PromptRequest {
                at: Some(at),
                rev: None,
                ..PromptRequest::default()
            },
        )
        .unwrap()
        .text
    };
    assert!(at(then).contains("Use npm") && !at(then).contains("Use tabs"));
    let in_a_year = Timestamp::parse("2027-11-20").unwrap();
    assert!(at(in_a_year).contains(", user, verify)"));
}

#[test]
fn a_wrong_setting_of_the_users_stops_decisions_and_no_save_from_being_committed() {
    let machine = Machine::new();
    let store = machine.store();
    let wrong = "[render]\nmax_entry = 3\n";
    std::fs::write(file(&store, "mdmem.toml"), format!("format = 1\n{wrong}")).unwrap();
    let store = machine.context().open().unwrap();
    add(&store, "Use a lock", "decision");
    let folder = machine.folder.path().join("home/.config/mdmem");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), wrong).unwrap();
    std::fs::write(file(&store, "a.md"), "Use tabs\n").unwrap();
    let store = machine.context().open().unwrap();
    let refused = service::add(&store, &Ids::random(), &request("Use npm", "decision"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("config.toml:2") && refused.contains("render.max_entries"),
        "{refused}"
    );
    service::sweep(&store, MassDeletion::Ask).unwrap();
    assert_eq!(git(&store, &["status", "--porcelain"]), "");
}

/// A kill in the middle of a move, and then a commit by a person's own git: neither a half of the move nor the memory's
/// loss is taken for what the person wanted.
#[test]
fn a_change_that_git_overtook_is_taken_back() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, "Use npm", "decision");
    let old = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    let from = store.root().join("decision/use-npm.md");
    let text = std::fs::read(&from).unwrap();
    let to = store.root().join("reference/use-npm.md");
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::rename(&from, &to).unwrap();
    service::sweep(&store, MassDeletion::Ask).unwrap();
    let new = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    git(&store, &["reset", "-q", "--hard", &old]);
    begin(&store, &old, &new, "move");
    std::fs::remove_file(&from).unwrap();
    git(&store, &["commit", "-q", "--allow-empty", "-m", "by hand"]);
    let swept = service::sweep(&store, MassDeletion::Ask).unwrap();
    assert_eq!(
        swept.notices,
        ["rolled back an interrupted move: git moved the branch meanwhile"]
    );
    assert_eq!(std::fs::read(&from).unwrap(), text);
    assert!(!to.exists());
    assert_eq!(git(&store, &["status", "--porcelain"]), "");
}

/// A kill in the middle of a removal, and then a person's `git reset --hard`: the next command does not finish it.
#[test]
fn a_change_that_a_reset_took_back_is_dropped() {
    let machine = Machine::new();
    let store = machine.store();
    for text in ["Use npm", "Use git"] {
        add(&store, text, "decision");
    }
    let old = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    let paths = ["use-npm", "use-git"].map(|name| store.root().join(format!("decision/{name}.md")));
    let remove = || paths.each_ref().map(|path| std::fs::remove_file(path).unwrap());
    remove();
    service::sweep(&store, MassDeletion::Ask).unwrap();
    let new = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    git(&store, &["reset", "-q", "--hard", &old]);
    begin(&store, &old, &new, "remove");
    std::fs::remove_file(&paths[0]).unwrap();
    git(&store, &["reset", "-q", "--hard"]);
    let swept = service::sweep(&store, MassDeletion::Ask).unwrap();
    assert_eq!(
        swept.notices,
        ["dropped an interrupted remove: its files are as before, run it again if it is still wanted"]
    );
    assert!(paths.iter().all(|path| path.exists()) && !store.root().join(".git/mdmem-journal").exists());
    assert_eq!(git(&store, &["rev-parse", "HEAD"]).trim(), old);

    // The same with an edit behind the reset.
    begin(&store, &old, &new, "remove");
    std::fs::write(&paths[0], "Use pnpm\n").unwrap();
    let swept = service::sweep(&store, MassDeletion::Ask).unwrap();
    assert!(swept.notices[0].starts_with("dropped"), "{:?}", swept.notices);
    assert_eq!(std::fs::read(&paths[0]).unwrap(), b"Use pnpm\n");
    assert!(paths[1].exists());
}

/// Leaves the journal of a change that was killed.
fn begin(store: &Store, old: &str, new: &str, op: &str) {
    let line = format!(r#"{{"version":1,"old":"{old}","new":"{new}","op":"{op}"}}"#);
    let sum = mdmem::text::sha256_hex(line.as_bytes());
    let journal = store.root().join(".git/mdmem-journal");
    std::fs::write(journal, format!("{line}\n{sum}\n")).unwrap();
}
