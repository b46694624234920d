//! Machines that sync at once through one remote: who pushes second merges again. Counts what the remote is asked.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Machine, TellSeed, machines, oracle};
use crate::env::write_at;
use crate::torture::times;

/// The memories that each machine edits between two syncs.
const EDITS: u64 = 4;
/// The memories that they begin with.
const MEMORIES: usize = 200;

/// The requests of so many machines to the remote.
#[derive(Default)]
struct Row {
    machines: u64,
    syncs: u64,
    fetches: usize,
    pushes: usize,
    merges: usize,
    commits: usize,
    conflicts: usize,
    gave_up: usize,
    bytes: u64,
    time: Duration,
    slowest: Duration,
}

#[test]
fn machines_that_sync_at_once_lose_nothing() {
    let _seed = TellSeed("at_once");
    let Some(times) = times() else {
        run(3, 2);
        return;
    };
    println!(
        "| machines | syncs | fetches | pushes | gave up | merge commits | commits | conflicts | KiB at the remote | slowest sync |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for count in [2, 5, 10] {
        let row = run(count, 50 * times / count);
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} s |",
            row.machines,
            row.syncs,
            row.fetches,
            row.pushes,
            row.gave_up,
            row.merges,
            row.commits,
            row.conflicts,
            row.bytes / 1024,
            row.slowest.as_secs_f64()
        );
        assert!(row.time > Duration::ZERO);
    }
}

fn run(count: u64, intervals: u64) -> Row {
    let (mut machines, remote) = machines(count, 0x0a70_0ce5);
    for number in 0..MEMORIES {
        let lines: String = (0..5).map(|_| machines[0].chance.sentence() + ".\n").collect();
        write_at(
            &machines[0].root.join(format!("project/known-{number}.md")),
            &lines,
        );
    }
    for machine in &mut machines {
        machine.syncs();
        listen(machine);
    }
    let size = size_of(Path::new(&remote));
    let begun = Instant::now();
    let mut row = Row {
        machines: count,
        syncs: count * intervals,
        ..Row::default()
    };
    let mut said: BTreeSet<String> = BTreeSet::new();
    for _ in 0..intervals {
        for machine in &mut machines {
            said.extend(edit(machine));
        }
        let times: Vec<(Duration, bool)> = std::thread::scope(|scope| {
            let syncs: Vec<_> = machines
                .iter_mut()
                .map(|machine| {
                    scope.spawn(move || {
                        let begun = Instant::now();
                        let mut sync = machine.env.command(env!("CARGO_BIN_EXE_mdmem"));
                        let sync = sync.arg("sync").output().unwrap();
                        (begun.elapsed(), sync.status.success())
                    })
                })
                .collect();
            syncs.into_iter().map(|sync| sync.join().unwrap()).collect()
        });
        row.gave_up += times.iter().filter(|(_, is_done)| !is_done).count();
        row.slowest = times
            .iter()
            .map(|(time, _)| *time)
            .max()
            .max(Some(row.slowest))
            .unwrap();
    }
    row.time = begun.elapsed();
    row.fetches = asked(&machines, " fetch ");
    row.pushes = asked(&machines, " push ");
    for _ in 0..2 {
        for machine in &machines {
            machine.syncs();
        }
    }
    row.bytes = size_of(Path::new(&remote)) - size;
    let repo = machines[0].repository();
    row.merges = oracle::merges(&repo).len();
    let commits = machines[0].git(&["rev-list", "--count", "HEAD"]).stdout;
    row.commits = String::from_utf8(commits).unwrap().trim().parse().unwrap();
    let head = machines[0].head();
    for machine in &machines {
        assert_eq!(machine.head(), head, "one head");
    }
    let files = oracle::files(&repo, head.trim().parse().unwrap());
    let is_sibling = |path: &&std::path::PathBuf| path.to_string_lossy().contains(".conflict-");
    row.conflicts = files.keys().filter(is_sibling).count();
    let all: String = files
        .values()
        .map(|bytes| String::from_utf8_lossy(bytes))
        .collect();
    for line in said {
        assert!(all.contains(&line), "{line} is nowhere in {head}");
    }
    row
}

/// A new memory, and a new line in some that are known; gives what was said.
fn edit(machine: &mut Machine) -> Vec<String> {
    let mut said = Vec::new();
    for number in 0..EDITS {
        let line = machine.chance.sentence();
        if number == 0 {
            let path = format!("project/{}.md", line.replace(' ', "-"));
            write_at(&machine.root.join(path), &format!("{line}.\n"));
        } else {
            let known = machine.chance.below(MEMORIES as u64);
            let path = machine.root.join(format!("project/known-{known}.md"));
            let mut lines: Vec<String> = std::fs::read_to_string(&path)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect();
            let at = usize::try_from(machine.chance.below(lines.len() as u64 + 1)).unwrap();
            lines.insert(at, format!("{line}."));
            write_at(&path, &(lines.join("\n") + "\n"));
        }
        said.push(line);
    }
    said
}

/// Puts a git before the machine's that writes down how it is called.
fn listen(machine: &mut Machine) {
    let path = std::env::var("PATH").unwrap();
    let git = path.split(':').map(|folder| Path::new(folder).join("git"));
    let git = git.into_iter().find(|git| git.is_file()).unwrap();
    let folder = machine.env.home().join("bin");
    let script = format!(
        "#!/bin/sh\necho \" $* \" >> {}\nexec {} \"$@\"\n",
        machine.env.home().join("asked").display(),
        git.display()
    );
    let script = write_at(&folder.join("git"), &script);
    std::fs::set_permissions(script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    machine
        .env
        .set_var("PATH", &format!("{}:{path}", folder.display()));
}

/// The number of calls of git that say this.
fn asked(machines: &[Machine], what: &str) -> usize {
    let asked = machines.iter().map(|machine| {
        let asked = std::fs::read_to_string(machine.env.home().join("asked")).unwrap_or_default();
        asked.lines().filter(|line| line.contains(what)).count()
    });
    asked.sum()
}

/// The bytes of the objects of a repository.
fn size_of(repository: &Path) -> u64 {
    let files = walkdir::WalkDir::new(repository.join("objects")).into_iter();
    let files = files.map(|entry| entry.unwrap().metadata().unwrap());
    files
        .filter(std::fs::Metadata::is_file)
        .map(|metadata| metadata.len())
        .sum()
}
