//! A full disk, here in the middle of a merge and there in the middle of a push: one message, nothing half done, and the
//! next sync completes.

use super::pair::{cloned, head, run, save, shared, sync};
use crate::env::{Mount, Repository, TestEnv};
use crate::file_systems::fill_with_bytes;

const LINES: &str = "A line of some words.\n";

#[test]
fn on_a_full_disk_a_merge_is_done_or_refused() {
    let there = TestEnv::with_store();
    for number in 0..6 {
        there.write(&format!("project/{number}.md"), &LINES.repeat(300));
    }
    run(&there, &["sweep"]);
    let remote = shared(&there);
    let (mut done, mut refused) = (0, 0);
    // From no room at all up to room for the objects, the new files, and the index.
    for left in [0, 4 << 10, 12 << 10, 32 << 10, 64 << 10, 100 << 10] {
        let here = TestEnv::new();
        let Some(_mount) = Mount::tmpfs(&here.mdmem_home(), "size=2m") else {
            return;
        };
        run(&here, &["sync", &remote]);
        save(&here, "user/here.md", "Said here.\n");
        for number in 0..6 {
            let text = format!("{}Said for {left}.\n", LINES.repeat(200 + number));
            there.write(&format!("project/{number}.md"), &text);
        }
        sync(&there);
        let repository = Repository::of(&here);
        let files = repository.files();
        let wanted = Repository::of(&there).files();
        let filler = fill_with_bytes(&here.mdmem_home(), left);
        let output = here
            .command(env!("CARGO_BIN_EXE_mdmem"))
            .arg("sync")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            done += 1;
        } else {
            refused += 1;
            assert_eq!(
                said.lines().filter(|line| line.starts_with("error: ")).count(),
                1,
                "{left}: {said}"
            );
            let cause = said.to_lowercase();
            let is_named = [" is full", "no space left on device"]
                .iter()
                .any(|words| cause.contains(words));
            assert!(
                is_named && cause.contains("hint: free some space"),
                "{left}: {said}"
            );
        }
        let below =
            |path: &std::path::Path, root: &std::path::Path| path.strip_prefix(root).unwrap().to_owned();
        for (path, bytes) in repository.files() {
            let other = Repository::of(&there)
                .root()
                .join(below(&path, repository.root()));
            let is_whole = files.get(&path) == Some(&bytes) || wanted.get(&other) == Some(&bytes);
            assert!(is_whole, "{left}: {} is torn", path.display());
        }
        for path in filler {
            std::fs::remove_file(path).unwrap();
        }
        sync(&here);
        sync(&there);
        assert_eq!(head(&here), head(&there), "{left}");
        assert_eq!(repository.status(), "", "{left}");
        repository.assert_sound();
    }
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused");
}

#[test]
fn on_a_full_disk_there_what_was_fetched_is_merged_and_the_push_waits() {
    let here = TestEnv::with_store();
    let folder = here.home().join("there");
    let Some(mount) = Mount::tmpfs(&folder, "size=1m") else {
        return;
    };
    let remote = super::pair::bare_at(&here, "there/remote.git");
    run(&here, &["sync", &remote]);
    sync(&here);
    let there = cloned(&remote);
    save(&there, "user/there.md", "Said there.\n");
    sync(&there);
    let before = head(&there);
    // Nothing packs it.
    let noise = super::machine::pseudo_random(1_500_000);
    for (number, part) in noise.chunks(500_000).enumerate() {
        let words: Vec<String> = part.iter().map(|byte| format!("{byte:02x}")).collect();
        let words = words.concat();
        here.write(&format!("project/{number}.md"), &format!("{words}\n"));
    }
    let failed = here
        .mdmem(["sync"])
        .any_stdout()
        .fails("the disk is full there")
        .run();
    assert_eq!(failed.stderr.matches("error:").count(), 1, "{}", failed.stderr);
    let refs = Repository::of(&there).git(&["ls-remote", &remote]);
    assert_eq!(refs, format!("{before}\trefs/heads/main\n"));
    assert_eq!(here.read("user/there.md"), "Said there.\n");
    assert_eq!(Repository::of(&here).status(), "");
    mount.remount("remount,size=64m");
    sync(&here);
    sync(&there);
    assert_eq!(head(&here), head(&there));
    let mut fsck = here.command("git");
    let fsck = fsck
        .current_dir(&remote)
        .args(["fsck", "--full", "--strict"])
        .status();
    assert!(fsck.unwrap().success());
}
