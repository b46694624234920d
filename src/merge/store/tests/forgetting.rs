//! The list of what was forgotten, and the memories that it removes.

use super::*;

#[test]
fn what_is_forgotten_stays_forgotten() {
    use crate::text::{canonical, sha256_hex};
    let x = memory("mem_x", "Use npm");
    let hash = sha256_hex(canonical("Use npm").as_bytes());
    let line = format!("forget t1 2026-11-01 mem_x {hash}\n");
    let ours: Listed<'_> = &[("forgotten", &line)];
    // A stale clone edits, moves or says it again, or has a sibling of it.
    let again = memory("mem_y", "use NPM!");
    let sibling = "---\nconflict_of: mem_x\n---\nUse yarn\n";
    for theirs in [
        &[("a.md", x.replace("npm", "pnpm").as_str())][..],
        &[("b.md", &x)],
        &[("a.md", &x), ("c.md", &again)],
        &[("a.md", &x), ("a.conflict-01234567.md", sibling)],
    ] {
        let (texts, _) = merge(&[("a.md", &x)], ours, theirs);
        assert_eq!(texts.keys().collect::<Vec<_>>(), ["forgotten"]);
        assert_eq!(texts["forgotten"], line);
    }
    // A person who knew of it wrote it anew; a line that was lifted holds nothing.
    gives(
        &[("forgotten", &line)],
        &[("forgotten", &line), ("c.md", &again)],
        &[("forgotten", &line)],
        &[("forgotten", &line), ("c.md", &again)],
    );
    let lifted = format!("{line}lift t1 2026-11-02\n");
    gives(
        &[("forgotten", &line)],
        &[("forgotten", &line)],
        &[("forgotten", &lifted), ("c.md", &again)],
        &[("forgotten", &lifted), ("c.md", &again)],
    );
    gives(
        &[],
        &[("forgotten", "b\na\n")],
        &[("forgotten", "c\na\n")],
        &[("forgotten", "a\nb\nc\n")],
    );
}

#[test]
fn a_memory_without_id_is_forgotten_by_the_one_that_history_gives_it() {
    let mut blobs = Blobs::default();
    let base = blobs.files([("c.md", "We deploy on Thursdays.\n")]);
    let id = derived_id("c.md", base[Path::new("c.md")].oid);
    let line = format!(
        "forget t1 2026-11-20 {id} {}\n",
        sha256_hex(b"we deploy on thursdays")
    );
    gives(
        &[("c.md", "We deploy on Thursdays.\n")],
        &[("forgotten", &line)],
        &[("c.md", "We deploy on Thursdays and Fridays.\n")],
        &[("forgotten", &line)],
    );
}

/// The line of a text that was forgotten.
fn line(text: &str) -> String {
    format!(
        "forget t1 2026-11-20 - {}\n",
        sha256_hex(crate::text::canonical(text).as_bytes())
    )
}

const OLD: &str = "We deploy on Thursdays with the old script.\n";
const OTHER: &str = "The design tokens come from Figma.\n";

#[test]
fn an_edit_of_what_was_forgotten_falls_and_another_text_in_its_place_stays() {
    let line = line(OLD);
    gives(
        &[("n.md", OLD)],
        &[("forgotten", &line), ("n.md", OTHER)],
        &[("n.md", "We deploy on Fridays with the old script.\n")],
        &[("forgotten", &line), ("n.md", OTHER)],
    );
}

#[test]
fn another_text_at_the_path_of_what_the_other_side_forgot_stays() {
    let line = line(OLD);
    gives(
        &[("n.md", OLD)],
        &[("n.md", OTHER)],
        &[("forgotten", &line)],
        &[("forgotten", &line), ("n.md", OTHER)],
    );
}

#[test]
fn of_two_texts_in_the_place_of_what_one_side_forgot_its_own_stays() {
    let line = line(OLD);
    let anew = "We deploy on Thursdays with a pipeline.\n";
    gives(
        &[("n.md", OLD)],
        &[("forgotten", &line), ("n.md", anew)],
        &[("n.md", "We deploy on Thursdays with the old script. Ask Anna.\n")],
        &[("forgotten", &line), ("n.md", anew)],
    );
}

#[test]
fn a_line_of_claude_codes_index_that_one_side_edited_does_not_bring_back_what_the_other_forgot() {
    let forgotten = line(OLD);
    let index =
        |said: &str, path: &str| format!("- [C](c.md) c\n- [N]({path}) {said}\n  Told by Ann.\n- [[m]] m\n");
    let [before, edited, moved] = [
        ("thursdays", "n.md"),
        ("thursday", "n.md"),
        ("it", "../system/n.md"),
    ]
    .map(|(said, path)| index(said, path));
    let kept = "- [C](c.md) c\n- [[m]] m\n";
    let all = [
        ("claude/c.md", "One.\n"),
        ("claude/m.md", OTHER),
        ("claude/n.md", OLD),
    ];
    let of = |more: &[(&'static str, &'static str)]| [&all[..2], more].concat();
    gives(
        &[&[("claude/MEMORY.md", &*before)], &all[..]].concat(),
        &[
            &[("claude/MEMORY.md", kept), ("forgotten", &forgotten)],
            &of(&[])[..],
        ]
        .concat(),
        &[&[("claude/MEMORY.md", &*edited)], &all[..]].concat(),
        &[
            &[("claude/MEMORY.md", kept), ("forgotten", &forgotten)],
            &of(&[])[..],
        ]
        .concat(),
    );
    // What moved on the other side is not lost, whatever else was forgotten.
    let other = line("Another text");
    gives(
        &[&[("claude/MEMORY.md", &*before)], &all[..]].concat(),
        &[&[("claude/MEMORY.md", &*before), ("forgotten", &other)], &all[..]].concat(),
        &[&[("claude/MEMORY.md", &*moved)], &of(&[("system/n.md", OLD)])[..]].concat(),
        &[
            &[("claude/MEMORY.md", &*moved), ("forgotten", &other)],
            &of(&[("system/n.md", OLD)])[..],
        ]
        .concat(),
    );
    // A name leads to a file in any folder, and to one that stays where there is one.
    let with_name = |said: &str| format!("{kept}- [[My N]] {said}\n");
    for (more, index) in [
        (&[][..], kept),
        (&[("system/my-n.md", OTHER)], &with_name("thursday")),
    ] {
        gives(
            &[
                &[
                    ("claude/MEMORY.md", &*with_name("thursdays")),
                    ("feedback/my_n.md", OLD),
                ],
                more,
            ]
            .concat(),
            &[&[("claude/MEMORY.md", kept), ("forgotten", &*forgotten)], more].concat(),
            &[
                &[
                    ("claude/MEMORY.md", &*with_name("thursday")),
                    ("feedback/my_n.md", OLD),
                ],
                more,
            ]
            .concat(),
            &[&[("claude/MEMORY.md", index), ("forgotten", &*forgotten)], more].concat(),
        );
    }
}
