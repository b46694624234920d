//! A memory that was forgotten for good stays away, until a person says or writes it again.

use std::collections::BTreeSet;

use mdmem::document::Forgotten;
use mdmem::policy::AdditionOutcome;
use mdmem::service::{Because, CommitOutcome};

use super::*;

const TEXT: &str = "Anna earns 4711 a month";
const PATH: &str = "decision/anna-earns-4711-a-month.md";

fn forget(store: &Store, names: &[&str]) -> service::Forgetting {
    let context = Machine::new().context();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let done = service::forget(&context, store, &names, Run::Real).unwrap();
    let changed = done.changed;
    assert!(changed.outcome.oid().is_some(), "{changed:?}");
    let is_told = changed.aftermath.notices == ["updated claude/MEMORY.md"];
    assert_eq!(is_told, names == ["claude/pay.md"], "{changed:?}");
    assert!(is_told || changed.aftermath.notices.is_empty(), "{changed:?}");
    done.answer
}

fn forgotten(store: &Store) -> Forgotten {
    Forgotten::parse(&std::fs::read(file(store, "forgotten")).unwrap())
}

#[test]
fn claude_codes_own_index_forgets_it_too() {
    let machine = Machine::new();
    let store = machine.store();
    write(&store, "claude/pay.md", "Anna earns 4711 a month\n");
    write(&store, "claude/tea.md", "Anna drinks tea\n");
    write(
        &store,
        "claude/MEMORY.md",
        "# Index\n\n- [Pay](pay.md) — 4711 a month\n- [Tea](tea.md) — tea\n",
    );
    sweep(&store);
    forget(&store, &["claude/pay.md"]);
    let index = std::fs::read_to_string(file(&store, "claude/MEMORY.md")).unwrap();
    assert_eq!(index, "# Index\n\n- [Tea](tea.md) — tea\n");
    let of_commit = paths(&["claude/MEMORY.md", "claude/pay.md", "forgotten"]);
    assert!(last_commit(&store).0.is_superset(&of_commit));
}

/// The paths of HEAD's last commit, and its message.
fn last_commit(store: &Store) -> (BTreeSet<String>, String) {
    let paths = git(store, &["show", "--format=", "--name-only", "HEAD"]);
    let paths = paths.lines().map(str::to_owned).collect();
    (paths, git(store, &["log", "-1", "--format=%B"]))
}

fn paths(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

fn write(store: &Store, path: &str, text: &str) {
    std::fs::create_dir_all(file(store, path).parent().unwrap()).unwrap();
    std::fs::write(file(store, path), text).unwrap();
}

fn sweep(store: &Store) -> service::Swept {
    service::sweep(store, MassDeletion::Ask).unwrap()
}

fn extracted(text: &str) -> AddRequest {
    AddRequest {
        source: Source::Compaction,
        ..request(text, "decision")
    }
}

#[test]
fn the_file_goes_and_the_line_comes_in_one_commit_that_says_no_word_of_it() {
    let machine = Machine::new();
    let store = machine.store();
    let id = add(&store, TEXT, "decision").id;
    assert!(machine.prompt().contains(TEXT));
    let plan = service::forget(
        &machine.context(),
        &store,
        &["anna-earns".to_owned() + "-4711-a-month"],
        Run::Dry,
    )
    .unwrap();
    assert_eq!(
        (plan.answer.memories.len(), plan.changed.outcome.oid()),
        (1, None)
    );
    assert!(file(&store, PATH).exists() && !file(&store, "forgotten").exists());

    forget(&store, &[id.as_str()]);
    assert!(!file(&store, PATH).exists());
    let forgotten = forgotten(&store);
    assert!(forgotten.holds("anna earns 4711, a month!") && forgotten.holds_id(&id));
    let (changed, message) = last_commit(&store);
    assert_eq!(changed, paths(&[PATH, "forgotten"]));
    assert_eq!(message.trim(), "memory: forget a decision\n\nMdmem-Op: forget");
    assert_eq!(git(&store, &["status", "--porcelain"]), "");
    for text in [
        machine.prompt(),
        read(&file(&store, "MEMORY.md")),
        read(&file(&store, "forgotten")),
    ] {
        assert!(!text.to_lowercase().contains("anna"), "{text}");
    }
    git(&store, &["fsck", "--strict"]);
}

#[test]
fn whatever_says_the_same_goes_with_it_and_nothing_else_does() {
    let machine = Machine::new();
    let store = machine.store();
    let id = add(&store, TEXT, "decision").id;
    let docs = add(&store, "Docs at https://x.example/v2", "reference").id;
    write(&store, "project/copy.md", "anna earns 4711 a MONTH.\n");
    write(
        &store,
        "archive/old.md",
        &format!("---\nstatus: superseded\n---\n{TEXT}\n"),
    );
    write(
        &store,
        "decision/anna.conflict-12345678.md",
        &format!("---\nconflict_of: {id}\n---\nAnna earns 4800 a month\n"),
    );
    write(&store, "project/other-side.md", "Anna earns 4800 a month\n");
    write(
        &store,
        "reference/docs-2.md",
        &format!("---\nstatus: superseded\nsuperseded_by: {docs}\n---\nAPI docs at https://X.example/v2/.\n"),
    );
    write(
        &store,
        "reference/docs-1.md",
        &format!("---\nstatus: superseded\nsuperseded_by: {docs}\n---\nDocs were in the wiki\n"),
    );
    write(
        &store,
        "project/more.md",
        "Anna earns 4711 a month, and Bob does not.\n",
    );
    let went = forget(&store, &[PATH, docs.as_str()]);
    let went: Vec<(&str, Because)> = went
        .memories
        .iter()
        .map(|gone| (gone.path.as_str(), gone.because))
        .collect();
    assert_eq!(
        went,
        [
            ("archive/old.md", Because::Copy),
            (PATH, Because::Named),
            ("decision/anna.conflict-12345678.md", Because::Sibling),
            ("project/copy.md", Because::Copy),
            ("project/other-side.md", Because::Copy),
            ("reference/docs-2.md", Because::Copy),
            ("reference/docs-at-https-x-example-v2.md", Because::Named),
        ]
    );
    assert_eq!(forgotten(&store).in_force().len(), went.len());
    for stays in ["reference/docs-1.md", "project/more.md"] {
        assert!(file(&store, stays).exists(), "{stays}");
    }
    assert!(last_commit(&store).1.starts_with("memory: forget 7 memories\n"));
    assert!(!last_commit(&store).1.contains("anna"));
}

#[test]
fn it_is_extracted_and_imported_no_more_and_only_the_words_count_for_that() {
    let machine = Machine::new();
    let store = machine.store();
    let id = add(&store, TEXT, "decision").id;
    forget(&store, &[PATH]);
    let again = |text: &str| {
        service::add(&store, &Ids::random(), &extracted(text))
            .unwrap()
            .outcome
    };
    let head = git(&store, &["rev-parse", "HEAD"]);
    for text in [TEXT, "anna earns: 4711 a month!"] {
        assert_eq!(again(text), AdditionOutcome::AlreadyForgotten, "{text}");
    }
    assert_eq!(git(&store, &["rev-parse", "HEAD"]), head);
    assert_eq!(again("Anna earns 4712 a month"), AdditionOutcome::Promoted);
    assert!(forgotten(&store).holds_id(&id));
}

#[test]
fn what_the_user_says_again_is_there_with_its_lift_in_one_commit() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, TEXT, "decision");
    forget(&store, &[PATH]);
    let again = add(&store, "anna earns 4711 a month", "feedback");
    assert_eq!(again.outcome, AdditionOutcome::Promoted);
    let (changed, _) = last_commit(&store);
    assert_eq!(
        changed,
        paths(&["feedback/anna-earns-4711-a-month.md", "forgotten"])
    );
    assert_eq!(forgotten(&store).in_force(), []);
    forget(&store, &[again.path.as_str()]);
    assert_eq!(forgotten(&store).in_force().len(), 1, "{:?}", forgotten(&store));
}

#[test]
fn a_request_that_cannot_be_stored_lifts_nothing() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, "Use tabs", "feedback");
    add(&store, TEXT, "decision");
    forget(&store, &[PATH]);
    let request = AddRequest {
        path: Some(mdmem::model::StorePath::new("feedback/use-tabs.md").unwrap()),
        ..request(TEXT, "decision")
    };
    assert!(service::add(&store, &Ids::random(), &request).is_err());
    assert_eq!(forgotten(&store).in_force().len(), 1);
}

#[test]
fn a_file_that_a_person_writes_again_lifts_it_in_the_same_commit() {
    for path in [PATH, "project/by-hand.md"] {
        let machine = Machine::new();
        let store = machine.store();
        add(&store, TEXT, "decision");
        let before = read(&file(&store, PATH));
        forget(&store, &[PATH]);
        // The words alone, and the old file with a typo mended: known by its id.
        let again = if path == PATH {
            before.replace("4711", "4712")
        } else {
            "anna earns 4711 a month\n".to_owned()
        };
        write(&store, path, &again);
        let swept = sweep(&store);
        let told = format!("{path} was forgotten for good, but was written again and stays");
        assert_eq!(swept.notices, [told]);
        assert_eq!(last_commit(&store).0, paths(&[path, "forgotten"]));
        assert_eq!(forgotten(&store).in_force(), []);
        assert_eq!(sweep(&store).sweep.commit, None);
        assert_eq!(git(&store, &["status", "--porcelain"]), "");
    }
}

#[test]
fn an_edit_lifts_what_it_makes_of_the_words_and_a_stale_file_nothing() {
    let machine = Machine::new();
    let store = machine.store();
    let (other, text) = ("project/other.md", "Anna earns 4800 a month");
    write(&store, other, &format!("{text}\n"));
    add(&store, TEXT, "decision");
    sweep(&store);
    let id = store.load().unwrap().files[0].memory.id.clone();
    forget(&store, &[PATH]);
    // A line that another machine wrote, about a file that is here still.
    let stale = forgotten(&store).forget("t1", store.now(), Some(&id), text);
    write(&store, "forgotten", &String::from_utf8(stale.to_bytes()).unwrap());
    sweep(&store);
    write(&store, other, &format!("---\ntags: [money]\n---\n{text}\n"));
    sweep(&store);
    write(&store, other, "Anna earns 4900 a month\n");
    sweep(&store);
    assert_eq!(forgotten(&store).in_force().len(), 2);
    write(&store, other, &format!("{TEXT}\n"));
    sweep(&store);
    assert_eq!(forgotten(&store).of_text(TEXT).count(), 0);
    assert_eq!(last_commit(&store).0, paths(&[other, "forgotten"]));
}

#[test]
fn an_undo_lifts_what_was_forgotten_and_an_undo_of_it_forgets_it_anew() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, TEXT, "decision");
    add(&store, "Use tabs", "feedback");
    let before = read(&file(&store, PATH));
    forget(&store, &[PATH]);
    // A later forget, which the first undo takes back.
    forget(&store, &["use-tabs"]);
    let undo = |change| {
        service::undo(&machine.context(), &store, change, Run::Real).unwrap();
        assert_eq!(git(&store, &["status", "--porcelain"]), "");
        let lines = read(&file(&store, "forgotten"));
        let holds = [TEXT, "Use tabs"].map(|text| forgotten(&store).holds(text));
        (holds, file(&store, PATH).exists(), lines.lines().count())
    };
    assert_eq!(undo(UndoneChange::Last), ([true, false], false, 3));
    // Only the undo right after a forgetting lifts it unnamed.
    let first = UndoneChange::Named("HEAD~2");
    assert_eq!(undo(first), ([false, false], true, 4));
    assert_eq!(read(&file(&store, PATH)), before);
    assert_eq!(last_commit(&store).0, paths(&[PATH, "forgotten"]));
    let copy = file(&store, ".mdmem/edit/anna.1.md");
    write(&store, ".mdmem/edit/anna.1.md", TEXT);
    assert_eq!(undo(UndoneChange::Named("HEAD")), ([true, false], false, 5));
    assert!(!copy.exists());
    assert!(
        !last_commit(&store).1.contains("anna"),
        "{}",
        last_commit(&store).1
    );
    assert_eq!(undo(UndoneChange::Named("HEAD")), ([false, false], true, 6));
}

#[test]
fn an_undo_of_saying_it_again_forgets_it_again() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, TEXT, "decision");
    forget(&store, &[PATH]);
    add(&store, TEXT, "decision");
    assert_eq!(forgotten(&store).in_force(), []);
    service::undo(&machine.context(), &store, UndoneChange::Last, Run::Real).unwrap();
    assert!(forgotten(&store).holds(TEXT) && !file(&store, PATH).exists());
}

#[test]
fn a_restore_brings_it_back_by_its_own_name_alone() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, TEXT, "decision");
    add(&store, "Use tabs", "decision");
    let then = git(&store, &["rev-parse", "HEAD"]).trim().to_owned();
    let text = read(&file(&store, PATH));
    forget(&store, &[PATH]);
    std::fs::remove_file(file(&store, "decision/use-tabs.md")).unwrap();
    sweep(&store);
    let restore = |names: &[&str], run| {
        service::restore(&store, &restoring(&store, &then, names), run)
            .unwrap()
            .answer
    };
    for names in [&[][..], &["decision/"], &["decision"]] {
        let restored = restore(names, Run::Real);
        assert_eq!(restored.forgotten, [PATH], "{names:?}");
        assert!(!file(&store, PATH).exists() && forgotten(&store).holds(TEXT));
        assert!(file(&store, "decision/use-tabs.md").exists());
    }
    let plan = restore(&["anna-earns-4711-a-month"], Run::Dry);
    assert_eq!((plan.files.len(), plan.forgotten.len()), (2, 0));
    restore(&["anna-earns-4711-a-month"], Run::Real);
    assert_eq!(read(&file(&store, PATH)), text);
    assert!(!forgotten(&store).holds(TEXT));
    assert_eq!(last_commit(&store).0, paths(&[PATH, "forgotten"]));
}

#[test]
fn lines_are_listed_without_a_word_and_lifted_by_token_or_id() {
    let machine = Machine::new();
    let store = machine.store();
    let id = add(&store, TEXT, "decision").id;
    forget(&store, &[PATH]);
    let lines = service::forgotten(&store).unwrap();
    assert_eq!((lines.len(), lines[0].id.as_ref()), (1, Some(&id)));
    let lift = |name: &str, run| service::lift(&store, &[name.to_owned()], run);
    assert!(lift("mem_", Run::Real).is_err() && lift("", Run::Real).is_err());
    assert_eq!(lift(&lines[0].token, Run::Dry).unwrap().answer.lifted, lines);
    assert!(forgotten(&store).holds(TEXT));
    let done = lift(id.as_str(), Run::Real).unwrap();
    assert_eq!(done.answer.lifted, lines);
    assert!(matches!(done.changed.outcome, CommitOutcome::Committed { .. }));
    assert!(!forgotten(&store).holds(TEXT) && !file(&store, PATH).exists());
}

#[test]
fn where_the_list_cannot_be_written_nothing_is_done_and_people_still_can_save() {
    let too_long = "# a comment\n".repeat(100_000);
    for odd in ["folder", "link", "dangling", "too long", "almost too long"] {
        let machine = Machine::new();
        let store = machine.store();
        add(&store, TEXT, "decision");
        let there = file(&store, "forgotten");
        match odd {
            "folder" => std::fs::create_dir(&there).unwrap(),
            "link" => std::os::unix::fs::symlink(file(&store, PATH), &there).unwrap(),
            "dangling" => std::os::unix::fs::symlink("nowhere", &there).unwrap(),
            "too long" => write(&store, "forgotten", &too_long),
            _ => {
                let lines: Vec<String> = (0..120_000).map(|n| format!("# {n:07}")).collect();
                let lines = lines.join("\n");
                write(&store, "forgotten", &lines[..lines.len().min((1 << 20) - 50)]);
            }
        }
        sweep(&store);
        let before = (read(&file(&store, PATH)), git(&store, &["rev-parse", "HEAD"]));
        let done = service::forget(&machine.context(), &store, &[PATH.to_owned()], Run::Real);
        let Err(error) = done else { panic!("{odd}") };
        assert!(error.to_string().contains("forgotten"), "{odd}: {error}");
        let after = (read(&file(&store, PATH)), git(&store, &["rev-parse", "HEAD"]));
        assert_eq!(after, before, "{odd}");
        write(&store, "project/by-hand.md", "Saved by hand\n");
        sweep(&store);
        add(&store, "Use tabs", "feedback");
        let tracked = git(&store, &["ls-files"]);
        for path in ["project/by-hand.md", "feedback/use-tabs.md"] {
            assert!(tracked.contains(path), "{odd}: {tracked}");
        }
        let extracted = service::add(&store, &Ids::random(), &extracted("Use npm"));
        assert_eq!(extracted.is_ok(), odd == "almost too long", "{odd}");
        let checked = service::check(&machine.context(), &[]).unwrap();
        let is_told = checked.iter().any(|finding| finding.code == "forgotten");
        assert_eq!(is_told, odd != "almost too long", "{odd}: {checked:?}");
    }
}

#[test]
fn what_is_protected_or_not_committed_is_not_forgotten() {
    let machine = Machine::new();
    let store = machine.store();
    let protected = "---\nreadonly: true\n---\nUse tabs\n";
    write(&store, "decision/protected.md", protected);
    write(&store, "project/copy.md", "use tabs\n");
    write(&store, "project/held.md", "The password is hunter2-x9.\n");
    sweep(&store);
    for name in ["protected", "copy", "held", "nothing"] {
        let done = service::forget(&machine.context(), &store, &[name.to_owned()], Run::Real);
        assert!(done.is_err(), "{name}");
    }
    for path in ["decision/protected.md", "project/copy.md", "project/held.md"] {
        assert!(file(&store, path).exists(), "{path}");
    }
    assert!(!file(&store, "forgotten").exists());
}

#[test]
fn two_at_once_forget_it_once() {
    let machine = Machine::new();
    let store = machine.store();
    add(&store, TEXT, "decision");
    add(&store, "Use tabs", "feedback");
    let forget = |name: &str| {
        let store = service::create(&machine.context(), Beginning::ByNeed).unwrap().0;
        service::forget(&machine.context(), &store, &[name.to_owned()], Run::Real).is_ok()
    };
    let names = [PATH, "use-tabs", PATH, "use-tabs"];
    let done = std::thread::scope(|scope| {
        let all = names.map(|name| scope.spawn(move || forget(name)));
        all.map(|one| one.join().unwrap())
    });
    assert_eq!(done.iter().filter(|done| **done).count(), 2, "{done:?}");
    assert_eq!(forgotten(&store).in_force().len(), 2);
    assert_eq!(git(&store, &["status", "--porcelain"]), "");
}
