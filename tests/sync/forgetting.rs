//! A memory that one machine forgets for good is forgotten on the others, whatever they did to it meanwhile, until
//! somebody says it again.

use std::path::Path;

use super::pair::{bare, sync};
use crate::env::{Repository, TestEnv};
use crate::serve::server::Server;

const TEXT: &str = "Anna earns 4711 a month";
const PATH: &str = "decision/anna-earns-4711-a-month.md";
const LINE: &str = "An important line";

fn run(env: &TestEnv, args: &[&str]) {
    env.mdmem(args).any_stdout().any_stderr().run();
}

/// Two machines that both have the memory.
fn machines() -> (TestEnv, TestEnv) {
    let one = TestEnv::new();
    run(&one, &["add", "--type", "decision", TEXT]);
    run(&one, &["add", "Deploys are on Mondays"]);
    run(&one, &["sync", &bare(&one)]);
    sync(&one);
    let two = TestEnv::new();
    run(&two, &["sync", &bare_of(&one)]);
    (one, two)
}

fn bare_of(env: &TestEnv) -> String {
    env.home().join("remote.git").to_str().unwrap().to_owned()
}

fn sync_all(machines: [&TestEnv; 2]) {
    for env in [machines[0], machines[1], machines[0], machines[1]] {
        sync(env);
        assert_eq!(Repository::of(env).status(), "");
    }
    let [one, two] = machines.map(|env| Repository::of(env).git(&["rev-parse", "HEAD"]));
    assert_eq!(one, two);
}

/// Says whether a file below a folder says the words.
fn says(folder: &Path) -> bool {
    contain(folder, TEXT)
}

fn contain(folder: &Path, words: &str) -> bool {
    folder.read_dir().unwrap().map(Result::unwrap).any(|entry| {
        let path = entry.path();
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => contain(&path, words),
            kind if kind.is_file() => String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(words),
            _ => false,
        }
    })
}

#[test]
fn it_beats_what_a_stale_machine_did_to_it() {
    let edits: [fn(&TestEnv); 4] = [
        |_| {},
        // An edit of the memory, with its id.
        |two| drop(two.write(PATH, &two.read(PATH).replace("4711", "4712"))),
        |two| run(two, &["mv", PATH, "feedback/"]),
        |two| {
            two.advance_days(30);
            run(two, &["add", "--type", "decision", "--source", "manual", TEXT]);
        },
    ];
    for (n, edit) in edits.iter().enumerate() {
        let (one, two) = machines();
        run(&one, &["forget", PATH]);
        edit(&two);
        sync_all([&one, &two]);
        for env in [&one, &two] {
            let listed = env.mdmem(["list", "--all", "--paths"]).any_stdout().run().stdout;
            assert_eq!(listed.lines().count(), 1, "{n}: {listed}");
            env.mdmem(["add", "--type", "decision", "--source", "manual", TEXT])
                .stdout_has("not stored: it was forgotten for good")
                .any_stderr()
                .run();
        }
        // It is back everywhere.
        run(&two, &["add", "--type", "decision", TEXT]);
        sync_all([&one, &two]);
        for env in [&one, &two] {
            assert!(env.read(PATH).contains(TEXT), "{n}");
            env.mdmem(["forget", "--list"])
                .stdout("")
                .stderr_has("nothing was forgotten")
                .run();
        }
    }
}

#[test]
fn a_session_of_another_machine_says_it_no_more_once_it_is_exchanged() {
    let (one, two) = machines();
    let mut server = Server::start(&two);
    assert!(server.prompt("s").contains(TEXT));
    run(&two, &["list"]);
    assert!(says(&two.store().join(".mdmem")));
    run(&one, &["forget", PATH]);
    sync_all([&one, &two]);
    assert!(!says(&two.store().join(".mdmem")));
    let prompt = server.prompt("s");
    assert!(!prompt.contains(TEXT) && prompt.contains("Mondays"), "{prompt}");
    assert!(!says(&two.store().join(".mdmem")));
}

#[test]
fn an_undo_of_an_older_change_does_not_bring_it_back() {
    let (one, two) = machines();
    run(&two, &["rm", PATH]);
    run(&one, &["forget", PATH]);
    sync_all([&one, &two]);
    two.mdmem(["undo"])
        .any_stdout()
        .fails("forgotten for good since")
        .run();
    sync_all([&one, &two]);
    for env in [&one, &two] {
        let shown = env.mdmem(["render"]).any_stdout().any_stderr().run();
        assert!(!shown.stdout.contains(TEXT), "{}", shown.stdout);
    }
}

#[test]
fn an_undo_takes_back_the_rest_and_says_of_each_path_why_it_stays() {
    let (one, two) = machines();
    let other = "project/deploys-are-on-mondays.md";
    let edited = |path: &str| two.read(path) + "and more\n";
    let wiki = "project/wiki.md";
    two.write(wiki, "The wiki is closed\n");
    sync_all([&two, &one]);
    for path in [PATH, wiki, other] {
        two.write(path, &edited(path));
    }
    sync_all([&two, &one]);
    run(&one, &["forget", PATH]);
    run(&one, &["rm", wiki]);
    sync_all([&one, &two]);
    let told = two.mdmem(["undo"]).any_stdout().any_stderr().run().stderr;
    for why in [
        format!("{PATH} was forgotten for good since then: left as it is"),
        format!("{wiki} was removed or moved since then: left as it is"),
    ] {
        assert!(told.contains(&why), "{told}");
    }
    assert!(!two.read(other).contains("and more"), "{told}");
}

#[test]
fn a_pull_by_hand_brings_it_and_neither_a_prompt_nor_a_file_says_it_after_the_next_command() {
    let (one, two) = machines();
    let pull = || Repository::of(&two).git(&["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"]);
    let again = |text: &str| {
        run(&one, &["add", "--type", "decision", text]);
        sync_all([&one, &two]);
    };
    for command in [&["sync"][..], &["add", "The wiki is closed"], &["sweep"]] {
        run(&two, &["why", PATH]);
        std::fs::write(two.store().join(".mdmem/log"), format!("said: {TEXT}\n")).unwrap();
        run(&one, &["forget", PATH]);
        sync(&one);
        pull();
        run(&two, command);
        assert!(!says(&two.store().join(".mdmem")), "{command:?}");
        assert!(!two.read("MEMORY.md").contains(TEXT), "{command:?}");
        again(TEXT);
    }
    // A session is asked before anybody writes.
    let mut server = Server::start(&two);
    assert!(server.prompt("s").contains(TEXT));
    server.message("s", "m1", "remember: the office is in Graz");
    run(&one, &["forget", PATH]);
    sync(&one);
    pull();
    for session in ["s", "t", "s"] {
        let prompt = server.prompt(session);
        assert!(!prompt.contains(TEXT) && prompt.contains("Graz"), "{prompt}");
    }
    run(&two, &["sweep"]);
    assert!(!says(&two.store().join(".mdmem")));
}

#[test]
fn what_a_contradiction_had_set_aside_goes_with_it_from_everything_local() {
    let (one, two) = machines();
    for (env, text) in [
        (&one, "Anna earns 5000 a month"),
        (&two, "Anna earns 6000 a month"),
    ] {
        let before = env.read(PATH);
        env.write(PATH, &before.replace(TEXT, text));
        env.advance_days(1);
        sync(env);
    }
    sync(&one);
    run(&two, &["conflicts", PATH, "--keep", "theirs"]);
    run(&one, &["forget", PATH]);
    sync_all([&one, &two]);
    for env in [&one, &two] {
        assert!(!env.store().join(PATH).exists());
        let local = env.store().join(".mdmem");
        for word in ["5000 a month", "6000 a month"] {
            assert!(!contain(&local, word), "{word}");
        }
    }
}

/// A memory of the other machine's, words of it, and the way in which it comes to be.
type Edit = (&'static str, &'static str, fn(&TestEnv));

#[test]
fn a_sync_names_what_another_machine_forgot_and_brings_back_what_was_not_sent() {
    let edits: [Edit; 3] = [
        (PATH, LINE, |two| {
            drop(two.write(PATH, &format!("{}An important line\n", two.read(PATH))));
        }),
        ("decision/other.md", LINE, |two| {
            run(two, &["mv", PATH, "decision/other.md"]);
            let text = two.read("decision/other.md");
            two.write("decision/other.md", &format!("{text}An important line\n"));
        }),
        ("project/mine.md", TEXT, |two| {
            two.write("project/mine.md", &format!("{TEXT}\n"));
            run(two, &["sweep"]);
        }),
    ];
    for (path, line, edit) in edits {
        let (one, two) = machines();
        run(&one, &["forget", PATH]);
        sync(&one);
        edit(&two);
        let told = "forgot it for good";
        two.mdmem(["sync", "--dry-run"])
            .any_stdout()
            .stderr_has(told)
            .run();
        let synced = two
            .mdmem(["sync"])
            .any_stdout()
            .stderr_has(format!(
                "{path} is removed here, with changes that were not sent: "
            ))
            .stderr_has(told)
            .run();
        assert!(!two.store().join(path).exists(), "{path}");
        let (_, hint) = synced.stderr.split_once("hint: `mdmem restore ").unwrap();
        let (arguments, _) = hint.split_once('`').unwrap();
        assert!(arguments.contains(path), "{arguments}");
        let restore: Vec<&str> = std::iter::once("restore").chain(arguments.split(' ')).collect();
        run(&two, &restore);
        let text = two.read(path);
        assert!(text.contains(line), "{path}: {text}");
    }
}

/// Its words are others, and no id says that it is the one that was forgotten.
#[test]
fn an_edited_memory_without_an_id_is_said_to_be_unsent() {
    let (one, two) = machines();
    one.write("project/plain.md", "The cellar key hangs behind the door\n");
    sync(&one);
    sync(&two);
    run(&one, &["forget", "project/plain.md"]);
    sync(&one);
    two.write("project/plain.md", "The cellar key hangs behind the blue door\n");
    two.mdmem(["sync"])
        .any_stdout()
        .stderr_has("project/plain.md is removed here, with changes that were not sent: ")
        .run();
}

#[test]
fn nothing_is_said_to_be_unsent_where_all_was_sent() {
    let (one, two) = machines();
    run(&one, &["forget", PATH]);
    sync(&one);
    run(&two, &["add", "Tests run in Docker"]);
    for args in [&["sync", "--dry-run"][..], &["sync"]] {
        let told = two.mdmem(args).any_stdout().any_stderr().run().stderr;
        assert!(!told.contains("not sent"), "{told}");
    }
    assert!(!two.store().join(PATH).exists());
}

const SECRET: &str = "Winter24x9";
const LOGIN: &str = "The staging login\npassword: Winter24x9\n";
const LOGIN_PATH: &str = "reference/k.md";

/// Two machines that both have a memory with a secret, which somebody committed and sent.
fn with_a_secret() -> (TestEnv, TestEnv) {
    let (one, two) = machines();
    one.write(LOGIN_PATH, LOGIN);
    let repository = Repository::of(&one);
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-qm", "login"]);
    run(&one, &["sync", "--allow-secrets"]);
    sync(&two);
    assert_eq!(two.read(LOGIN_PATH), LOGIN);
    (one, two)
}

#[test]
fn a_secret_in_it_goes_from_everything_local_too() {
    let (one, two) = with_a_secret();
    let local = |env: &TestEnv| env.store().join(".mdmem");
    for env in [&one, &two] {
        env.write(".mdmem/edit/k.1-1.md", LOGIN);
        env.write(
            ".mdmem/edit/k.1-2.md",
            "The login\npassword: Winter24x9, and more\n",
        );
        env.write(".mdmem/edit/other.1-1.md", "The other login\n");
        assert!(contain(&local(env), SECRET));
    }
    run(&one, &["forget", LOGIN_PATH]);
    sync_all([&one, &two]);
    for env in [&one, &two] {
        assert!(!env.store().join(LOGIN_PATH).exists());
        assert!(!contain(&local(env), SECRET));
        assert!(contain(&local(env), "The other login"));
    }
}

#[test]
fn a_stale_edit_brings_nothing_back_of_what_had_a_secret() {
    let (one, two) = with_a_secret();
    run(&one, &["forget", LOGIN_PATH]);
    two.write(LOGIN_PATH, &format!("{LOGIN}It is for tests.\n"));
    let repository = Repository::of(&two);
    repository.git(&["commit", "-qam", "more"]);
    sync(&one);
    run(&two, &["sync", "--allow-secrets"]);
    sync_all([&one, &two]);
    for env in [&one, &two] {
        assert!(!env.store().join(LOGIN_PATH).exists());
        assert!(!contain(&env.store().join(".mdmem"), SECRET));
    }
}

/// Two machines that both have a note without an id.
fn with_a_note() -> (TestEnv, TestEnv) {
    let (one, two) = machines();
    one.write("notes/n.md", "We deploy on Thursdays with the old script.\n");
    run(&one, &["sweep"]);
    sync(&one);
    sync(&two);
    (one, two)
}

const OTHER: &str = "The design tokens come from Figma.\n";

#[track_caller]
fn have_the_other_note_alone(machines: [&TestEnv; 2]) {
    sync_all(machines);
    for env in machines {
        assert_eq!(env.read("notes/n.md"), OTHER);
        assert!(!env.read("forgotten").contains("lift"));
        assert_eq!(env.store().join("notes").read_dir().unwrap().count(), 1);
    }
}

#[test]
fn a_stale_edit_brings_nothing_back_into_the_place_of_what_was_forgotten() {
    let (one, two) = with_a_note();
    run(&one, &["forget", "notes/n.md"]);
    one.write("notes/n.md", OTHER);
    run(&one, &["sweep"]);
    two.write("notes/n.md", "We deploy on Fridays with the old script.\n");
    run(&two, &["sweep"]);
    have_the_other_note_alone([&one, &two]);
}

#[test]
fn a_new_fact_under_the_name_of_what_another_machine_forgot_stays() {
    let (one, two) = with_a_note();
    run(&one, &["rm", "notes/n.md"]);
    one.write("notes/n.md", OTHER);
    run(&one, &["sweep"]);
    run(&two, &["forget", "notes/n.md"]);
    have_the_other_note_alone([&one, &two]);
}
