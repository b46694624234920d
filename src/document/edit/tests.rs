//! Edits of every layout of a frontmatter, and that no other byte changes.

use super::*;
use crate::model::Timestamp;
use proptest::prelude::*;

fn changed(before: &str, edits: &[KeyEdit]) -> String {
    match edit(before.as_bytes(), edits) {
        Ok(bytes) => String::from_utf8(bytes).expect("UTF-8"),
        Err(error) => panic!("{before:?}: {error}"),
    }
}

fn set(key: Key, value: &str) -> KeyEdit {
    KeyEdit::Set(key, value.into())
}

fn count(count: u32) -> KeyEdit {
    KeyEdit::Set(Key::Reinforcement, Value::Count(count))
}

#[test]
fn changes_only_the_characters_of_the_value() {
    for (before, after) in [
        ("reinforcement: 2  # twice now", "reinforcement: 3  # twice now"),
        ("reinforcement: \"2\" # c", "reinforcement: \"3\" # c"),
        ("reinforcement: '2'", "reinforcement: '3'"),
        ("'reinforcement' :   2", "'reinforcement' :   3"),
        ("reinforcement:", "reinforcement: 3"),
        ("reinforcement:  # none", "reinforcement: 3  # none"),
        ("reinforcement: [2, # c\n  1] # d", "reinforcement: 3 # d"),
        ("reinforcement:\n- 2\n# c", "reinforcement: 3\n# c"),
        ("reinforcement: !!int 2", "reinforcement: 3"),
    ] {
        let file = |line: &str| format!("---\n# c\na: 'b'\n{line}\nown:   [ x,y ]\n---\nbody\n");
        assert_eq!(changed(&file(before), &[count(3)]), file(after));
    }
}

#[test]
fn a_new_key_comes_last() {
    for (before, after) in [
        (
            "---\na: 1\n# end\n---\nb",
            "---\na: 1\n# end\nreinforcement: 3\n---\nb",
        ),
        (
            "---\na: |+\n  x\n\n---\nb",
            "---\na: |+\n  x\n\nreinforcement: 3\n---\nb",
        ),
        (
            "---\r\n  a: 1\r\n---\r\n",
            "---\r\n  a: 1\r\n  reinforcement: 3\r\n---\r\n",
        ),
        ("text", "---\nreinforcement: 3\n---\ntext"),
        ("", "---\nreinforcement: 3\n---\n"),
        (
            "\u{feff}a\r\nb\n",
            "\u{feff}---\r\nreinforcement: 3\r\n---\r\na\r\nb\n",
        ),
        ("a\rb", "---\rreinforcement: 3\r---\ra\rb"),
        (
            "---\nA rule.\n---\nb",
            "---\nreinforcement: 3\n---\n---\nA rule.\n---\nb",
        ),
        ("---\n---\nb", "---\n\nreinforcement: 3\n---\nb"),
        ("---\n# c\n---\nb", "---\n# c\nreinforcement: 3\n---\nb"),
        ("---\n\r---\rb", "---\n\r\r\nreinforcement: 3\n---\rb"),
    ] {
        assert_eq!(changed(before, &[count(3)]), after, "{before:?}");
        assert_eq!(
            changed(after, &[KeyEdit::Remove(Key::Reinforcement)]),
            before,
            "{after:?}"
        );
    }
}

#[test]
fn a_value_that_is_said_already_is_left_alone() {
    let file = "---\nstrength: 5\ncreated: 2026-05-01\nreinforcement: \"2\"\ntags: [a,b]\n---\n";
    let time = Timestamp::parse("2026-05-01T00:00:00Z").expect("valid");
    let edits = [
        KeyEdit::Set(Key::Strength, Value::Number(5.0)),
        KeyEdit::Set(Key::Created, Value::Time(time)),
        count(2),
        KeyEdit::Set(Key::Tags, Value::List(vec!["a".into(), "b".into()])),
        KeyEdit::Remove(Key::Session),
    ];
    assert_eq!(changed(file, &edits), file);
}

#[test]
fn texts_keep_their_style() {
    for (before, text, after) in [
        ("name: a", "b c", "name: b c"),
        ("name: a", "b: c", "name: 'b: c'"),
        ("name: 'b: c'", "a", "name: a"),
        ("name: 'b: c'", "d: e", "name: 'd: e'"),
        ("name: 'a'", "it's: b", "name: 'it''s: b'"),
        ("name: 'a'", "b\nc", "name: \"b\\nc\""),
        ("name: \"a\"", "b", "name: \"b\""),
        ("name: a\n  b # c", "d", "name: d # c"),
        ("name: |\n    a\n    b\n", "c\nd", "name: \"c\\nd\"\n"),
        ("name: >-\n  a\n  b", "c", "name: c"),
        ("name: >-\n  a\n  b", "c\nd", "name: \"c\\nd\""),
        ("name: |\n  a", "  b", "name: \"  b\""),
        ("name: |\n  a", "", "name: \"\""),
        ("name: 5 apples", "6", "name: 6"),
        ("name: a", "true", "name: 'true'"),
        ("name: a", "b\nc", "name: \"b\\nc\""),
    ] {
        let file = |lines: &str| format!("---\n{lines}\nown: 1\n---\n");
        assert_eq!(
            changed(&file(before), &[set(Key::Name, text)]),
            file(after),
            "{before:?}"
        );
    }
}

#[test]
fn lists_keep_their_style() {
    let list = |items: &[&str]| Value::List(items.iter().map(|item| (*item).to_owned()).collect());
    for (before, items, after) in [
        (
            "tags: [a, 'b', c] # c",
            &["a", "b", "d"][..],
            "tags: [a, b, d] # c",
        ),
        ("tags: [ a,b ]", &["b", "x: y"], "tags: [b, \"x: y\"]"),
        ("tags: []", &["a"], "tags: [a]"),
        ("tags: a", &["a", "b"], "tags: [a, b]"),
        ("tags:\n  - a # one\n  - b", &["a", "c"], "tags:\n  - a\n  - c"),
        ("tags:\n- a\n- b # two", &["a", "b", "c"], "tags:\n- a\n- b\n- c"),
        ("tags: # t\n- a", &[], "tags: []"),
        ("tags:\n- a", &["-"], "tags:\n- \"-\""),
    ] {
        let file = |lines: &str| format!("---\n{lines}\nown: 1\n---\n");
        let edits = [KeyEdit::Set(Key::Tags, list(items))];
        assert_eq!(changed(&file(before), &edits), file(after), "{before:?}");
    }
}

#[test]
fn a_type_of_ours_stands_beside_that_of_another_tool() {
    for (before, after) in [
        (
            "metadata:\n  x: 1\n  type: user # c\ny: 2",
            "metadata:\n  x: 1\n  type: user # c\ny: 2\ntype: decision",
        ),
        ("metadata: {type: user}", "metadata: {type: user}\ntype: decision"),
        ("metadata:\n  x: 1", "metadata:\n  x: 1\ntype: decision"),
        (
            "metadata:\n  type: user\ntype: a",
            "metadata:\n  type: user\ntype: decision",
        ),
    ] {
        let file = |lines: &str| format!("---\n{lines}\n---\n");
        assert_eq!(
            changed(&file(before), &[set(Key::Type, "decision")]),
            file(after),
            "{before:?}"
        );
    }
}

#[test]
fn refuses_what_it_cannot_change_alone() {
    let refusal = |file: &str| edit(file.as_bytes(), &[count(3)]).expect_err("refused");
    assert!(matches!(
        refusal("---\nname: a: b\n---\n"),
        EditError::Syntax {
            line: 2,
            column: 8,
            ..
        }
    ));
    assert_eq!(
        refusal("---\nname: a: b\n---\n").mend(),
        Some("Put the value in quotes: name: \"a: b\"")
    );
    assert!(matches!(
        refusal("---\nid: x\n\nb"),
        EditError::NotClosed { line: 3 }
    ));
    assert!(matches!(
        refusal("---\nreinforcement: 1\nreinforcement: 2\n---\n"),
        EditError::Duplicate { line: 3, .. }
    ));
    for file in [
        "---\n{id: x}\n---\n",
        "---\n? id\n: x\n---\n",
        "---\nreinforcement: &n 2\nown: *n\n---\n",
    ] {
        assert!(matches!(refusal(file), EditError::Layout { .. }), "{file}");
    }
    assert_eq!(edit(b"\xff", &[count(3)]), Err(EditError::NotUtf8));
}

/// Entries as people write them: the key, if it is mdmem's, the line, and the value to set back.
fn entry() -> impl Strategy<Value = (Option<KeyEdit>, String)> {
    let own = prop::sample::select(vec![
        "own: 'it''s'  # c",
        "\"own key\": \"a: \\\"b\\\"\"",
        "list:\n- a # one\n-   b\n\n- c",
        "nested:\n    deep: {a: [1, 2]}\n    # c\n    more: >-\n      folded\n\n      text",
        "block: |+\n  # no comment\n\n  b: c\n\n",
        "flow: {a: 1, 'b': [x, \"]\"], # }\n  c: 2}",
        "quoted: \"over\n  lines: yes # no\n\n  more\"",
        "plain: over\n  several lines # end",
        "empty:",
        "empty_too:   # c",
        "日本語: 設定 # 注",
        "anchor: &a {x: 1}\nalias: *a",
        "date: 2026-11-20",
        "tagged: !odd [1]",
        "# only a comment",
        "",
        "   ",
        "  # indented comment",
    ]);
    let known = prop_oneof![
        (0_u32..100).prop_map(|n| (KeyEdit::Set(Key::Reinforcement, Value::Count(n)), n.to_string())),
        (0.0..50.0).prop_map(|n: f64| (KeyEdit::Set(Key::Strength, Value::Number(n)), format!("{n:?}"))),
        (0_i64..4_000_000_000).prop_map(|s| {
            let time = Timestamp::from_seconds(s);
            (
                KeyEdit::Set(Key::Reinforced, Value::Time(time)),
                time.to_rfc3339(),
            )
        }),
        "[a-z][a-z0-9 ,.]{0,12}[a-z0-9]".prop_map(|s| (set(Key::Description, &s), s)),
        "[a-z][a-z0-9]{0,12}"
            .prop_filter("a word", |s| !crate::document::yaml::is_typed(s))
            .prop_map(|s| (set(Key::Session, &s), s)),
    ];
    let quotes = prop::sample::select(vec!["", "'", "\""]);
    let blanks = prop::sample::select(vec![" ", "  ", "\t"]);
    let comment = prop::sample::select(vec!["", " # c", "   # it's: \"c\"", "  "]);
    prop_oneof![
        own.prop_map(|line| (None, line.to_owned())),
        (known, quotes, blanks, comment).prop_map(|((back, typed), quote, blank, comment)| {
            let KeyEdit::Set(key, value) = &back else {
                unreachable!("all of them are set")
            };
            let is_text = matches!(value, Value::Text(_));
            let quote = if is_text && quote == "'" { "" } else { quote };
            let line = format!("{key}:{blank}{quote}{typed}{quote}{comment}");
            (Some(back), line)
        }),
    ]
}

fn file() -> impl Strategy<Value = (Vec<KeyEdit>, String)> {
    let body = "([a-zé#>` \n-]|---\n|Why:){0,10}";
    let ending = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    let mark = prop::sample::select(vec!["", "\u{feff}"]);
    let fenced = prop::option::weighted(0.9, prop::collection::vec(entry(), 0..8));
    (fenced, body, ending, mark).prop_map(|(entries, body, ending, mark)| {
        let mut text = String::new();
        let mut back: Vec<KeyEdit> = Vec::new();
        let mut seen = Vec::new();
        if let Some(entries) = entries {
            text.push_str("---\n");
            for (edit, line) in entries {
                let name = line.split(':').next().unwrap_or_default().to_owned();
                if line.contains(':') && seen.contains(&name) {
                    continue;
                }
                seen.push(name);
                back.extend(edit);
                text.push_str(&line);
                text.push('\n');
            }
            text.push_str("---\n");
        }
        // Without a frontmatter, a body with a colon could look like a broken one.
        let colons = if text.is_empty() { "" } else { ":" };
        text.push_str(&body.replace(':', colons));
        (back, format!("{mark}{}", text.replace('\n', ending)))
    })
}

fn key_of(step: &KeyEdit) -> Key {
    match step {
        KeyEdit::Set(key, _) | KeyEdit::Remove(key) => *key,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn setting_a_key_and_setting_it_back_gives_the_first_bytes(
        (back, first) in file(),
        text in "[^\\p{C}\\p{Zl}\\p{Zp}]{0,12}",
        number in 0.0..50.0,
        n in 0_u32..100,
        chosen in any::<prop::sample::Index>(),
        first_of in 4_usize..7,
    ) {
        let mut steps = [
            count(n),
            KeyEdit::Set(Key::Strength, Value::Number(number)),
            KeyEdit::Set(Key::Reinforced, Value::Time(Timestamp::from_millis(i64::from(n)))),
            set(Key::Description, &text),
            set(Key::Session, &text),
            set(Key::Text, &text),
            KeyEdit::Set(Key::Supersedes, Value::List(vec![text.clone()])),
        ];
        steps.rotate_left(chosen.index(7));
        let undo = |step: &KeyEdit| {
            let said = back.iter().find(|said| key_of(said) == key_of(step));
            said.cloned().unwrap_or(KeyEdit::Remove(key_of(step)))
        };
        let one = chosen.get(&steps);
        let once = changed(&first, std::slice::from_ref(one));
        prop_assert_eq!(changed(&once, &[undo(one)]), first.clone(), "after {:?}", once);
        // Several of them, and then back in the opposite order.
        let all = changed(&first, &steps[first_of..]);
        let undo_all: Vec<KeyEdit> = steps[first_of..].iter().rev().map(undo).collect();
        prop_assert_eq!(changed(&all, &undo_all), first, "after {:?}", all);
    }

    #[test]
    fn never_changes_another_key_or_the_body(
        text in "(\u{feff})?(---\r?\n)?([a-z]{1,3}:( ?[\\[\\]{}&*!|>'\"%@`#:, a-z0-9-]{0,8})(\r|\r\n|\n| [a-z]\n){1,2}){0,5}(---\n)?[a-z\n-]{0,8}",
        value in any::<String>(),
    ) {
        if let Ok(after) = edit(text.as_bytes(), &[set(Key::Name, &value)]) {
            let after = std::str::from_utf8(&after).expect("UTF-8");
            let (before, after) = (File::read(&text).expect("read"), File::read(after).expect("read"));
            prop_assert_eq!(before.body, after.body);
            prop_assert_eq!(others(&before.pairs, Key::Name), others(&after.pairs, Key::Name));
        }
    }
}

#[test]
fn everything_around_the_body_stays() {
    for (before, after) in [
        ("", "new\n"),
        ("old", "new\n"),
        ("\u{feff}old\n", "\u{feff}new\n"),
        ("\n\nold\n\nolder\n\n\n", "\n\nnew\n\n\n"),
        (
            "---\ntype: user # mine\n---\n\nold\n",
            "---\ntype: user # mine\n---\n\nnew\n",
        ),
        ("---\ntype: user\n---", "---\ntype: user\n---\nnew\n"),
        (
            "---\r\ntype: user\r\n---\r\nold",
            "---\r\ntype: user\r\n---\r\nnew\r\n",
        ),
    ] {
        assert_eq!(with_body(before, "new"), after, "{before:?}");
    }
}
