//! Contradictions, and the versions that are set aside.

use super::*;

#[test]
fn a_contradiction_becomes_a_sibling() {
    let x = |text| memory("mem_x", text);
    let (texts, report) = merge(
        &[("d/a.md", &x("is fast"))],
        &[("d/a.md", &x("is quick"))],
        &[("d/a.md", &x("is slow"))],
    );
    let [conflict] = &report.conflicts[..] else {
        panic!("{report:?}")
    };
    assert_eq!(conflict.memory, Path::new("d/a.md"));
    let sibling = conflict.sibling.to_str().unwrap();
    assert!(sibling.starts_with("d/a.conflict-") && sibling.len() == "d/a.conflict-12345678.md".len());
    assert_eq!(texts["d/a.md"], x("is quick"));
    assert_eq!(texts[sibling], "---\nconflict_of: mem_x\n---\nis slow\n");
    assert_eq!(texts.len(), 2);
}

#[test]
fn a_memory_without_id_gets_the_one_that_its_sibling_names() {
    let (texts, report) = merge(
        &[("a.md", "is fast\n")],
        &[("a.md", "is quick\n")],
        &[("a.md", "is slow\n")],
    );
    let id = derived_id("a.md", name_of(b"is fast\n"));
    assert_eq!(texts["a.md"], format!("---\nid: {id}\n---\nis quick\n"));
    let sibling = report.conflicts[0].sibling.to_str().unwrap();
    assert_eq!(texts[sibling], format!("---\nconflict_of: {id}\n---\nis slow\n"));
}

/// As where the file got its id and was moved, and another one was written in its place; and where its old version came back
/// there before the base.
#[test]
fn a_memory_without_id_gets_none_that_another_file_states() {
    let plain = "Use npm\n";
    let id = derived_id("a.md", name_of(plain.as_bytes()));
    let moved = memory(id.as_str(), "Use npm");
    let (our, their) = ("Use yarn\n", "Use pnpm\n");
    for (base, ours, files) in [
        (&[("a.md", plain)][..], &[("a.md", our), ("b.md", &moved)][..], 2),
        (
            &[("a.md", plain), ("b.md", &moved)],
            &[("a.md", our), ("b.md", &moved)],
            3,
        ),
    ] {
        let mut theirs = base.to_vec();
        theirs[0].1 = their;
        let (texts, _) = merge(base, ours, &theirs);
        assert_eq!(texts.len(), files, "{texts:#?}");
        let states = |text: &&String| text.contains(&format!("\nid: {id}\n"));
        assert_eq!(texts.values().filter(states).count(), 1, "{texts:#?}");
    }
}

#[test]
fn of_files_that_cannot_be_read_one_stays_whole() {
    let base = memory("mem_x", "fast");
    let broken = "---\nid: mem_x\nname: fix: it\n---\nfast\n";
    gives(
        &[("a.md", &base)],
        &[("a.md", broken)],
        &[("a.md", &base)],
        &[("a.md", broken)],
    );
    let (texts, report) = merge(
        &[("a.md", &base)],
        &[("a.md", &memory("mem_x", "slow"))],
        &[("a.md", broken)],
    );
    assert_eq!(texts["a.md"], memory("mem_x", "slow"));
    let sibling = report.conflicts[0].sibling.to_str().unwrap();
    assert_eq!(
        texts[sibling],
        format!("---\nconflict_of: mem_x\n---\n\n{broken}")
    );
}

#[test]
fn a_sibling_that_is_deleted_is_settled_unless_somebody_wrote_into_it() {
    let s = |text: &str| format!("---\nconflict_of: mem_x\n---\n{text}\n");
    let path = "a.conflict-01234567.md";
    let tagged = s("1").replace("---\n1", "tags: [a]\n---\n1");
    gives(&[(path, &s("1"))], &[], &[(path, &tagged)], &[]);
    gives(&[(path, &s("1"))], &[], &[(path, &s("2"))], &[(path, &s("2"))]);
}

#[test]
fn of_a_sibling_that_both_sides_wrote_into_both_versions_are_siblings() {
    let s = |text: &str| format!("---\nconflict_of: mem_x\n---\n{text}\n");
    let path = "a.conflict-01234567.md";
    gives(
        &[(path, &s("1"))],
        &[(path, &s("2"))],
        &[(path, &s("1"))],
        &[(path, &s("2"))],
    );
    let aside = format!("a.conflict-{}.md", &sha256_hex(s("3").as_bytes())[..8]);
    gives(
        &[(path, &s("1"))],
        &[(path, &s("2"))],
        &[(path, &s("3"))],
        &[(path, &s("2")), (&aside, &s("3"))],
    );
}

#[test]
fn a_sibling_is_not_taken_for_its_memory_that_moved() {
    let text = "One line that stays.\nAnother line that stays.\n";
    let sibling = format!("---\nconflict_of: mem_a\n---\n{text}Theirs.\n");
    gives(
        &[("x.md", text)],
        &[],
        &[
            ("y.md", "Other words altogether.\n"),
            ("y.conflict-12345678.md", &sibling),
        ],
        &[
            ("y.md", "Other words altogether.\n"),
            ("y.conflict-12345678.md", &sibling),
        ],
    );
}

#[test]
fn a_memory_that_one_side_renamed_and_both_edited_gets_an_id_and_its_sibling_none() {
    let base =
        "Use npm for the packages of this workspace.\nRun it in the container.\nAsk before you add one.\n";
    let [ours, theirs] = ["npm ci", "pnpm"].map(|tool| base.replace("npm", tool));
    let (texts, report) = merge(&[("a.md", base)], &[("b.md", &ours)], &[("a.md", &theirs)]);
    let id = derived_id("a.md", name_of(base.as_bytes()));
    let [conflict] = report.conflicts.as_slice() else {
        panic!("{texts:#?}");
    };
    assert_eq!(conflict.memory, Path::new("b.md"));
    assert!(
        texts["b.md"].starts_with(&format!("---\nid: {id}\n")),
        "{texts:#?}"
    );
    let sibling = &texts[conflict.sibling.to_str().unwrap()];
    assert!(
        sibling.contains(&format!("conflict_of: {id}\n")) && !sibling.contains("\nid:"),
        "{sibling}"
    );
}

#[test]
fn of_two_ids_of_one_memory_the_lesser_stays_and_references_follow() {
    let old = |by: &str| format!("---\nid: mem_x\nstatus: superseded\nsuperseded_by: {by}\n---\nUse make\n");
    let plain = memory("mem_x", "Use make");
    let listed =
        |id: &str| format!("conflict mem_bc mem_x 2026-11-20 no\nconflict {id} mem_x 2026-11-20 both\n");
    let sorted = "conflict mem_a mem_x 2026-11-20 both\nconflict mem_bc mem_x 2026-11-20 no\n";
    gives(
        &[("a.md", "Use just\n"), ("x.md", &plain)],
        &[
            ("a.md", &memory("mem_b", "Use just")),
            ("contradictions", &listed("mem_b")),
            ("x.md", &old("mem_b")),
        ],
        &[("a.md", &memory("mem_a", "Use just")), ("x.md", &plain)],
        &[
            ("a.md", &memory("mem_a", "Use just")),
            ("contradictions", sorted),
            ("x.md", &old("mem_a")),
        ],
    );
}

#[test]
fn a_text_that_only_grew_is_the_same_memory() {
    let grown = "Use pnpm, not npm.\n\nWhy: the lock file of npm breaks the peer dependencies of the shop.\n";
    gives(
        &[("a.md", "Use pnpm, not npm.\n")],
        &[("a.md", grown)],
        &[("a.md", "---\ntags: [js]\n---\nUse pnpm, not npm.\n")],
        &[("a.md", &format!("---\ntags: [js]\n---\n{grown}"))],
    );
}

#[test]
fn two_copies_of_one_file_that_say_different_things_are_two() {
    let [original, one, other] = [
        "Use make for the release.",
        "Answer in German.",
        "Tokens come from Figma.",
    ]
    .map(|text| memory("mem_o", text));
    gives(
        &[("o.md", &original)],
        &[("b.md", &one), ("o.md", &original)],
        &[("c.md", &other), ("o.md", &original)],
        &[("b.md", &one), ("c.md", &other), ("o.md", &original)],
    );
}
