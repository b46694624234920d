//! Same files, same settings, same time: same bytes, in every process, in every time zone and in every language.

use crate::env::{Repository, TestEnv};

/// Files whose order, times and letters are easily got wrong.
fn machine() -> TestEnv {
    let env = TestEnv::with_store();
    let dates = ["2026-03-29T01:30:00Z", "2026-10-25T00:30:00+02:00", "2026-11-19"];
    for (n, name) in [
        "ärger",
        "Zebra",
        "apfel",
        "ümlaut",
        "éclair",
        "日本語",
        "ß",
        "I",
        "ı",
    ]
    .iter()
    .enumerate()
    {
        let created = dates[n % dates.len()];
        env.write(
            &format!("decision/{name}.md"),
            &format!(
                "---\ncreated: {created}\nreinforcement: {}\n---\n{name} says so.\n",
                n % 4
            ),
        );
        env.write(
            &format!("reference/{name}.md"),
            &format!("# {name}\n\nA note.\n\n1.5, 2,5\n"),
        );
    }
    env.write("system/human.md", "Pinned.\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    env
}

#[test]
fn two_processes_time_zones_and_locales_print_the_same_bytes() {
    let env = machine();
    let repository = Repository::of(&env);
    let places = [
        ("UTC", "C"),
        ("UTC", "C"),
        ("Pacific/Kiritimati", "tr_TR.UTF-8"),
        ("America/St_Johns", "de_DE.UTF-8"),
        ("EST5EDT", "C.UTF-8"),
    ];
    let calls: [&[&str]; 7] = [
        &["render"],
        &["render", "--json"],
        &["list", "--json", "--all"],
        &["why", "--json", "decision/Zebra.md"],
        &["status", "--json"],
        &["check", "--json"],
        &["log", "--json"],
    ];
    // At one and the same time, which the clock of the machine would move on.
    let now = env.now();
    for cached in [true, false] {
        let mut first = None;
        for (zone, locale) in places {
            if !cached {
                std::fs::remove_dir_all(repository.at(".mdmem/cache")).unwrap();
            }
            let in_place = |args: &[&str]| {
                env.mdmem(args.iter().copied())
                    .var("TZ", zone)
                    .var("LC_ALL", locale)
                    .var("LANG", locale)
                    .var("MDMEM_NOW", &now)
                    .any_stdout()
                    .any_stderr()
                    .run()
                    .bytes
            };
            let printed: Vec<Vec<u8>> = calls.iter().map(|args| in_place(args)).collect();
            std::fs::remove_file(repository.at("MEMORY.md")).unwrap();
            in_place(&["sweep", "--quiet"]);
            let index = repository.text("MEMORY.md");
            assert!(index.contains("日本語") && printed.iter().all(|bytes| !bytes.is_empty()));
            let all = (printed, index);
            match &first {
                None => first = Some(all),
                Some(first) => assert!(*first == all, "other bytes in {zone} with {locale}"),
            }
        }
    }
}

#[test]
fn a_clone_on_another_machine_renders_the_same_bytes() {
    let env = machine();
    let there = TestEnv::with_store();
    let store = there.store();
    std::fs::remove_dir_all(&store).unwrap();
    let mut git = there.command("git");
    let cloned = git
        .arg("clone")
        .arg("--quiet")
        .arg(env.store())
        .arg(&store)
        .status();
    assert!(cloned.unwrap().success());
    let now = env.now();
    let here_now = env
        .mdmem(["render"])
        .var("MDMEM_NOW", &now)
        .any_stdout()
        .run()
        .bytes;
    let there_now = there
        .mdmem(["render"])
        .var("MDMEM_NOW", &now)
        .any_stdout()
        .run()
        .bytes;
    assert_eq!(
        String::from_utf8_lossy(&here_now),
        String::from_utf8_lossy(&there_now)
    );
    assert!(!here_now.is_empty());
}
