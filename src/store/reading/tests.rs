//! Files that are made to cost time: each takes its length.

use super::*;
use crate::git::Repo;
use crate::model::{Timestamp, repeated, takes_its_length};
use crate::policy::Rules;
use crate::store::allowed::Allowed;
use crate::text::Redactor;

/// Files by what is in them over and over: what comes first, the piece in which `#` counts, and what comes last.
const FILES: &[(&str, &str, &str)] = &[
    ("", "The quick brown fox.\n\n", ""),
    ("---\n", "name: x\n", "---\nb\n"),
    ("---\n", "name: x\nid: y z\n", "---\nb\n"),
    ("---\n", "id: !bad\n", "---\nb\n"),
    ("---\n", "readonly: perhaps\n", "---\nb\n"),
    ("---\n", "k#: x\n", "---\nb\n"),
    ("---\n", "name: x: y\n", "---\nb\n"),
    ("---\n", "name: 'x\n", "---\nb\n"),
    ("---\n", "name: x\n  - y\n", ""),
    ("---\nx", ":a", "\n---\nb\n"),
    ("---\nx: ", "[", "\n---\nb\n"),
    ("---\nx: ", "- ", "\nname: x\n---\nb\n"),
    ("---\nx:\n", "- &a# x\n", "name: x\n---\nb\n"),
    ("---\ny: &a [x, y]\nx:\n", "- *a\n", "name: x\n---\nb\n"),
    ("---\nx: [", "{a: b}, ", "c]\nname: x\n---\nb\n"),
    ("---\ntags: ", "t#,", "z\n---\nb\n"),
    ("---\ntags: \"", "t#\\n,", "z\"\n---\nb\n"),
    ("---\ntags: \"", "pw:\\naN#b!,", "z\"\n---\nb\n"),
    ("---\nsupersedes: ", "a b#,", "z\n---\nb\n"),
    ("---\r", "name: x\r", "---\rb\r"),
    ("", "\0", ""),
    ("", "\r\n", ""),
    ("", "[[n#]]\n", ""),
    ("", "[[", ""),
    ("#no\n", "- ", ""),
    ("#no\n", "> ", ""),
    ("#no\n", "[a](", ""),
    ("#no\n", "```\n", ""),
    ("", "pw: aNb!\n", ""),
    ("", "pw: aN#b!\n", ""),
    ("", "pw:\naN#b!\n", ""),
    ("", "user: a password: b1c2d3\n", ""),
    ("", "src/a#.rs ", ""),
    ("", "http://a#.org ", ""),
    ("", "e\u{301}", ""),
];

#[test]
fn a_list_of_credentials_is_no_memory() {
    let redactor = Redactor::standard();
    let file = Path::new("a.md");
    let text = |count: usize| {
        let lines: Vec<String> = (0..count).map(|n| format!("pw: aN{n}b!\n")).collect();
        lines.concat()
    };
    let find = |text: &str, allowed: &Allowed| findings::find(file, text.as_bytes(), &redactor, allowed);
    let many = find(&text(1500), &Allowed::default());
    assert_eq!(
        (many.len(), many[1000].line, many[1000].kind),
        (1001, Some(1001), "more")
    );
    assert!(findings::are_too_many(&many));
    let mut allowed = Allowed::default();
    for finding in &many {
        allowed.insert(finding.allowance("a.md"));
    }
    assert!(!findings::are_too_many(&find(&text(1500), &allowed)));
    let grown = find(&text(1501), &allowed);
    assert!(findings::are_too_many(&grown), "a new one is held");
    assert!(!findings::are_too_many(&find(&text(1000), &Allowed::default())));
}

#[test]
fn hostile_files_take_their_length() {
    let folder = tempfile::tempdir().unwrap();
    let repo = Repo::init(folder.path()).unwrap();
    let (rules, redactor) = (Rules::default(), Redactor::standard());
    let source = Source {
        root: folder.path(),
        repo: &repo,
        rules: &rules,
        redactor: &redactor,
        allowed: Allowed::default(),
        now: Timestamp::from_millis(0),
    };
    let path = StorePath::new("project/a.md").unwrap();
    for (first, piece, last) in FILES {
        let text = |bytes: usize| [*first, &repeated(piece, bytes), *last].concat();
        let read = |text: &String| {
            let file = from_bytes(&source, &path, text.as_bytes(), FileStat::default());
            assert!(
                file.diagnostics.len() <= 150,
                "{piece:?}: {}",
                file.diagnostics.len()
            );
            assert!(document::links(text.as_bytes()).len() <= text.len());
        };
        takes_its_length(piece, text, read);
    }
}
