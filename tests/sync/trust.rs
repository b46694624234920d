//! A remote that lies: rewound, rewritten, or with most of its memories gone.

use crate::env::TestEnv;

use super::attacker::{Attacked, memory};
use super::pair::sync;

/// `status` and `check` name it, and looking changes nothing.
#[track_caller]
fn is_told(attacked: &Attacked, why: &str) {
    let env = &attacked.env;
    let before = attacked.untouched();
    env.mdmem(["status"])
        .stdout_has(why)
        .stdout_has("--accept-remote")
        .run();
    env.mdmem(["check"]).any_stderr().stdout_has(why).code(1).run();
    env.mdmem(["sync", "--show"]).any_stdout().stderr_has(why).run();
    assert!(attacked.untouched() == before);
}

#[track_caller]
fn is_over(env: &TestEnv) {
    let status = env.mdmem(["status", "--json"]).any_stdout().run().json();
    assert!(!status["findings"].to_string().contains("refs/mdmem"), "{status}");
    let checked = env.mdmem(["check", "--json"]).any_stdout().run();
    assert!(!checked.stdout.contains("refs/mdmem"), "{}", checked.stdout);
}

fn memories(env: &TestEnv) -> usize {
    let listed = env.mdmem(["list", "--paths"]).any_stdout().run();
    String::from_utf8(listed.bytes).unwrap().lines().count()
}

#[test]
fn a_remote_that_was_rewound_waits_and_gets_everything_again() {
    let attacked = Attacked::with_memories(3);
    let env = &attacked.env;
    let old = attacked.remote_head();
    env.mdmem(["add", "never push on Fridays"])
        .any_stdout()
        .any_stderr()
        .run();
    sync(env);
    env.mdmem(["add", "we deploy on Thursdays"])
        .any_stdout()
        .any_stderr()
        .run();
    attacked.git(&["push", "-q", "--force", "origin", &format!("{old}:main")]);
    let said = attacked
        .env
        .mdmem(["sync"])
        .fails("was rewound: 1 commit is missing")
        .run();
    assert_eq!(attacked.remote_head(), old);
    is_told(&attacked, "was rewound");
    let shown = env.mdmem(["sync", "--show", "--json"]).any_stdout().run().json();
    assert_eq!(shown["gone"].as_array().unwrap().len(), 1);
    assert!(said.stderr.contains("--accept-remote"));
    env.mdmem(["sync", "--accept-remote"])
        .any_stdout()
        .any_stderr()
        .run();
    attacked.agrees();
    assert_eq!(memories(env), 5);
    is_over(env);
}

#[test]
fn what_a_forced_push_took_away_can_be_put_back_there() {
    let attacked = Attacked::with_memories(3);
    let good = attacked.remote_head();
    attacked.git(&["commit", "-q", "--amend", "-m", "another"]);
    attacked.write(&memory(7), "The attacker says so.\n");
    attacked.push_all();
    let said = attacked.refuses("rewritten by a forced push");
    is_told(&attacked, "rewritten");
    attacked.take_back(&said);
    assert_eq!(attacked.remote_head(), good);
    attacked.agrees();
    is_over(&attacked.env);
    assert_eq!(memories(&attacked.env), 3);
}

#[test]
fn a_rewritten_history_takes_nothing_away_even_when_it_is_accepted() {
    let attacked = Attacked::with_memories(79);
    attacked.git(&["commit", "-q", "--amend", "-m", "another"]);
    for number in 8..79 {
        attacked.git(&["rm", "-q", &memory(number)]);
    }
    attacked.write(&memory(3), "The build step number 3 runs on windows.\n");
    attacked.write(&memory(100), "The build step number 100 is new.\n");
    attacked.push_all();
    attacked.refuses("71 of 79 memories");
    attacked
        .env
        .mdmem(["sync", "--accept-remote"])
        .any_stdout()
        .any_stderr()
        .run();
    attacked.agrees();
    assert_eq!(memories(&attacked.env), 80);
    assert!(attacked.env.read(&memory(3)).contains("windows"));
    is_over(&attacked.env);
}

#[test]
fn an_unrelated_history_waits_and_is_joined_when_it_is_accepted() {
    let attacked = Attacked::with_memories(4);
    attacked.git(&["checkout", "-q", "--orphan", "other"]);
    attacked.git(&["rm", "-q", "-f", &memory(1), &memory(2)]);
    attacked.write(&memory(9), "The build step number 9 is new.\n");
    attacked.push_all();
    let said = attacked.refuses("unrelated history");
    is_told(&attacked, "unrelated history");
    assert!(said.contains("sends what only this machine has"), "{said}");
    attacked
        .env
        .mdmem(["sync", "--accept-remote"])
        .any_stdout()
        .any_stderr()
        .run();
    attacked.agrees();
    assert_eq!(memories(&attacked.env), 5);
}

#[test]
fn most_memories_gone_wait_however_they_go() {
    type Attack = fn(&Attacked, usize);
    let ways: [(&str, Attack); 12] = [
        ("removed", |attacked, number| {
            attacked.git(&["rm", "-q", &memory(number)]);
        }),
        ("emptied", |attacked, number| {
            attacked.write(&memory(number), " \n");
        }),
        ("archived", |attacked, number| {
            attacked.write("archive/x", "");
            attacked.git(&["mv", &memory(number), &format!("archive/{number}.md")]);
        }),
        ("superseded", |attacked, number| {
            let text =
                format!("---\nstatus: superseded\n---\nThe build step number {number} runs on linux.\n");
            attacked.write(&memory(number), text);
        }),
        ("forgotten", |attacked, number| {
            let text = format!("The build step number {number} runs on linux.");
            let hash = mdmem::text::sha256_hex(mdmem::text::canonical(&text).as_bytes());
            let line = format!("forget token{number} 2026-11-20 - {hash}\n");
            let before = std::fs::read_to_string(attacked.in_clone("forgotten")).unwrap_or_default();
            attacked.write("forgotten", before + &line);
        }),
        ("set aside", |attacked, number| {
            let text = format!("---\nconflict_of: mem_{number}\n---\nThe build step {number} runs.\n");
            attacked.write(&memory(number), text);
        }),
        ("two versions", |attacked, number| {
            let text = format!("<<<<<<< HEAD\none {number}\n=======\ntwo\n>>>>>>> theirs\n");
            attacked.write(&memory(number), text);
        }),
        ("a credential alone", |attacked, number| {
            let text = format!("password: hunter2SuperSecret99x{number}\n");
            attacked.write(&memory(number), text);
        }),
        ("no word", |attacked, number| {
            let text = ["<!-- x -->\n", ".\n", "\u{200b}\n"][number % 3];
            attacked.write(&memory(number), text);
        }),
        ("one text, but for one of them", |attacked, number| {
            // The first that says it counts as there.
            for number in [number, 11] {
                let text = format!("---\nid: mem_{number}x\n---\nThe build runs.\n");
                attacked.write(&memory(number), text);
            }
        }),
        ("cold", |attacked, number| {
            attacked.write("cold/x", "");
            attacked.git(&["mv", &memory(number), &format!("cold/{number}.md")]);
        }),
        ("excluded", |attacked, number| {
            attacked.write("aside/x", "");
            attacked.git(&["mv", &memory(number), &format!("aside/{number}.md")]);
            attacked.write("mdmem.toml", "format = 1\n[exclude]\nfolders = [\"aside\"]\n");
        }),
    ];
    for (way, attack) in ways {
        let attacked = Attacked::with_memories(21);
        for number in 0..11 {
            attack(&attacked, number);
        }
        attacked.push_all();
        println!("{way}");
        let said = attacked.refuses("11 of 21 memories");
        is_told(&attacked, "11 of 21");
        assert!(
            said.contains("mdmem sync --accept-remote") && said.contains("stays in the history"),
            "{said}"
        );
    }
}

#[test]
fn what_moves_or_is_less_than_half_does_not_wait() {
    let attacked = Attacked::with_memories(22);
    for number in 0..11 {
        attacked.git(&["rm", "-q", &memory(number)]);
    }
    attacked.git(&["mv", "project", "decision"]);
    attacked.push_all();
    attacked.agrees();
    assert_eq!(memories(&attacked.env), 11);
}

/// Settings that came are told of where no head waits for a word.
#[test]
fn settings_that_hide_most_memories_wait_or_are_told_of() {
    let attacked = Attacked::with_memories(21);
    attacked.write("mdmem.toml", "format = 1\n[exclude]\nfolders = [\"project\"]\n");
    attacked.push_all();
    attacked.refuses("21 of 21 memories");
    for settings in ["render.max_entries = 0", "exclude.folders = [\"project\"]"] {
        let attacked = Attacked::with_memories(3);
        attacked.write("mdmem.toml", format!("format = 1\n{settings}\n"));
        attacked.push_all();
        let env = &attacked.env;
        let said = env.mdmem(["sync"]).any_stdout().any_stderr().run().stderr;
        assert!(said.contains("3 of 3 memories from the prompt"), "{said}");
        let hides = settings.starts_with("exclude");
        let status = env.mdmem(["status"]).any_stdout().run().stdout;
        assert_eq!(
            status.contains("excluded by `exclude.folders`: 3"),
            hides,
            "{status}"
        );
        let command = said.split('`').nth(1).unwrap();
        let command: Vec<&str> = command.split(' ').skip(1).collect();
        env.mdmem(command).any_stdout().any_stderr().run();
        env.mdmem(["render"]).stdout_has("The build step number 2").run();
    }
}

#[test]
fn edits_of_most_memories_do_not_wait() {
    let attacked = Attacked::with_memories(21);
    for number in 0..21 {
        let id = format!("---\nid: mem_{number}x\n---\n");
        attacked.write(
            &memory(number),
            format!("{id}The build step {number} runs on windows.\n"),
        );
    }
    attacked.push_all();
    attacked.agrees();
    // Those of one text before may have one after.
    let same = Attacked::with_memories(0);
    for text in ["The build runs on linux.\n", "The build runs on windows.\n"] {
        for number in 0..21 {
            same.write(&memory(number), text);
        }
        same.push_all();
        same.agrees();
        same.git(&["pull", "-q", "origin", "main"]);
    }
}

#[test]
fn a_store_is_not_taken_away_in_small_pieces() {
    let attacked = Attacked::with_memories(30);
    let remove = |numbers: std::ops::Range<usize>| {
        for number in numbers {
            attacked.git(&["rm", "-q", &memory(number)]);
        }
        attacked.push_all();
    };
    remove(0..12);
    attacked.agrees();
    remove(12..18);
    attacked.refuses("18 of 30 memories");
    // A day later the store had 18, and 6 of them go.
    attacked.env.advance_days(1);
    attacked.agrees();
    assert_eq!(memories(&attacked.env), 12);
}

#[test]
fn a_deletion_that_a_person_meant_is_accepted_by_a_word_and_once() {
    let one = Attacked::with_memories(20);
    let two = TestEnv::new();
    two.mdmem(["sync", &one.remote]).any_stdout().run();
    for number in 0..15 {
        std::fs::remove_file(two.store().join(memory(number))).unwrap();
    }
    two.mdmem(["sweep", "--yes"]).any_stdout().any_stderr().run();
    sync(&two);
    one.env
        .mdmem(["add", "only this machine says so"])
        .any_stdout()
        .any_stderr()
        .run();
    one.env.mdmem(["sync"]).fails("15 of 20 memories").run();
    one.env
        .mdmem(["sync", "--accept-remote"])
        .any_stdout()
        .any_stderr()
        .run();
    one.agrees();
    assert_eq!(memories(&one.env), 6);
    // Neither machine is asked again.
    sync(&two);
    two.mdmem(["add", "never push on Fridays"])
        .any_stdout()
        .any_stderr()
        .run();
    sync(&two);
    one.agrees();
    assert_eq!(memories(&one.env), 7);
    is_over(&one.env);
    is_over(&two);
}

#[test]
fn another_remote_is_another_beginning() {
    let attacked = Attacked::with_memories(3);
    let other = attacked.env.home().join("other.git");
    attacked.git(&["init", "-q", "--bare", other.to_str().unwrap()]);
    attacked
        .env
        .mdmem(["sync", other.to_str().unwrap()])
        .any_stdout()
        .any_stderr()
        .run();
    sync(&attacked.env);
    is_over(&attacked.env);
}

#[test]
fn a_record_of_accepted_heads_that_is_damaged_stops_nothing() {
    let attacked = Attacked::with_memories(3);
    let record = attacked.env.store().join(".mdmem/accepted");
    for text in [
        "",
        "\0\u{1b}[2J",
        "99999999999999999999 x\n-5 \n",
        "1 0000000000000000000000000000000000000001\n",
    ] {
        std::fs::write(&record, text).unwrap();
        attacked.write(
            &memory(50 + text.len()),
            format!("The build has {} steps.\n", text.len()),
        );
        attacked.push_all();
        attacked.agrees();
        attacked.git(&["pull", "-q", "origin", "main"]);
    }
}
