//! Findings in bytes, and the memories that are shown without them.

use super::*;

const TEXT: &[u8] = b"a\r\npassword: Fake-7x, PIN: 4829\r\n\xff\r\ntoken: fake0123456789\r\n";

#[test]
fn lines_are_counted_and_a_nul_hides_nothing() {
    let redactor = Redactor::standard();
    let found = find(Path::new("a.md"), TEXT, &redactor, &Allowed::default());
    let places: Vec<(u32, &str)> = found
        .iter()
        .map(|finding| (finding.line.unwrap(), finding.kind))
        .collect();
    assert_eq!(places, [(2, "password"), (2, "pin"), (4, "token")]);
    assert!(!format!("{found:?}").contains(&found[0].digest));
    for bytes in [[TEXT, b"\0"].concat(), [b"\0", TEXT].concat()] {
        assert_eq!(
            find(Path::new("a.md"), &bytes, &redactor, &Allowed::default()).len(),
            3
        );
        let in_picture = find(Path::new("a.png"), &bytes, &redactor, &Allowed::default());
        assert_eq!(in_picture.len(), 3, "{in_picture:?}");
    }
}

#[test]
fn utf_32_hides_nothing() {
    let redactor = Redactor::standard();
    for mark in ["\u{feff}", ""] {
        for order in [u32::to_le_bytes, u32::to_be_bytes] {
            let text = format!("{mark}Say hello\npassword: Fake-7x\n");
            let bytes: Vec<u8> = text.chars().flat_map(|c| order(u32::from(c))).collect();
            for name in ["a.md", "a.txt"] {
                let found = find(Path::new(name), &bytes, &redactor, &Allowed::default());
                let places: Vec<(u32, &str)> = found
                    .iter()
                    .map(|finding| (finding.line.unwrap(), finding.kind))
                    .collect();
                assert_eq!(places, [(2, "password")], "{name} {mark:?}");
            }
        }
    }
}

#[test]
fn what_an_editor_saves_in_utf_16_is_read() {
    let text = "\u{feff}Say hello\r\npassword: Fake-7x\r\n";
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
        let found = find(
            Path::new("a.md"),
            &bytes,
            &Redactor::standard(),
            &Allowed::default(),
        );
        assert_eq!(
            (found.len(), found[0].line, found[0].kind),
            (1, Some(2), "password")
        );
    }
}

#[test]
fn no_file_hides_text_between_bytes_that_are_none() {
    let text = "Say hello\npassword: Fake-7x\n";
    let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\xfe\xff\x80";
    let find = |path: &str, bytes: &[u8]| {
        let found = find(Path::new(path), bytes, &Redactor::standard(), &Allowed::default());
        found.into_iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    for said in [
        text.as_bytes().to_vec(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
    ] {
        for bytes in [
            said.clone(),
            [picture, said.as_slice()].concat(),
            [said.as_slice(), picture].concat(),
        ] {
            for path in ["note.txt", "a.png", "a.md"] {
                assert_eq!(find(path, &bytes), ["password"], "{path}: {bytes:?}");
            }
        }
    }
    assert_eq!(find("a.png", picture), [""; 0]);
    assert_eq!(find("a.bin", b"password:\0Fake-7x\0pass\0word: Fake-7x"), [""; 0]);
}

#[test]
fn what_meets_only_where_it_is_shown_is_found_and_redacted() {
    let redactor = Redactor::standard();
    let texts = [
        "Log in as root, and the password:\nFake-7x for all.\n",
        "Log in as root, and the password is\r\nFake-7x for all.\r\n",
        "Log in.\n\nWhy: the password\nis Fake-7x\n",
        "the password is\0Fake-7x\n",
        "---\ntext: \"the pass\\x77ord is\\tFake-7x\"\n---\n",
        "---\ndescription: >\n  the password\n  is Fake-7x\n---\n# A\n\nb\n\nc\n",
        "---\nname: \"the password\\nis Fake-7x\"\n---\na\n",
        "---\ntype: \"password: Fake-7x\"\n---\na\n",
    ];
    for text in texts {
        let path = StorePath::new("reference/a.md").unwrap();
        let id = || Id::parse("a").unwrap();
        let read = document::parse(&path, text.as_bytes(), None, id);
        let found = find(
            Path::new(path.as_str()),
            text.as_bytes(),
            &redactor,
            &Allowed::default(),
        );
        assert!(!found.is_empty(), "{text:?}");
        let line = 1 + text[..text.find("Fake-7x").unwrap()].matches('\n').count();
        assert!(
            found
                .iter()
                .any(|finding| finding.line.is_some_and(|at| at as usize == line)),
            "{text:?}: {found:?}"
        );
        let shown = lines_of(&redacted(read.memory, &found, &redactor)).join("\n");
        assert!(!shown.to_lowercase().contains("fake-7x"), "{text:?}: {shown}");
        let problems = redacted_problems(read.diagnostics, &found, &redactor);
        assert!(
            !format!("{problems:?}").to_lowercase().contains("fake-7x"),
            "{problems:?}"
        );
    }
    let plain = "Things to set:\n- the password\n- is it long enough\n";
    assert_eq!(
        find(
            Path::new("a.md"),
            plain.as_bytes(),
            &redactor,
            &Allowed::default()
        ),
        []
    );
}

#[test]
fn a_secret_of_eight_characters_is_redacted_whole_without_its_label() {
    let redactor = Redactor::standard();
    let path = StorePath::new("a.md").unwrap();
    for (title, expected) in [
        ("Fake-7xA", "[REDACTED:password]"),
        ("Fake-7xA-longer", "[REDACTED:password]"),
        ("Fäké-7x", "Fäké-7x"),
    ] {
        let secrets = "password: Fake-7xA\npassword: Fake-7xA-longer\npassword: Fäké-7x\n";
        let text = format!("---\nname: On {title} alone\n---\n{secrets}");
        let found = find(Path::new("a.md"), text.as_bytes(), &redactor, &Allowed::default());
        assert_eq!(found.len(), 3, "{found:?}");
        let memory = document::parse(&path, text.as_bytes(), None, || named("mem_a")).memory;
        let shown = redacted(memory, &found, &redactor).name.unwrap();
        assert_eq!(shown, format!("On {expected} alone"));
    }
}

#[test]
fn a_credential_in_an_id_is_found_and_not_shown() {
    const TOKEN: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";
    let redactor = Redactor::standard();
    let path = StorePath::new("a.md").unwrap();
    for key in ["id", "superseded_by", "conflict_of", "supersedes"] {
        for value in [TOKEN.to_owned(), format!("\"{}\"", TOKEN.replace('_', "\\x5f"))] {
            let text = format!("---\n{key}: {value}\n---\na\n");
            let found = find(Path::new("a.md"), text.as_bytes(), &redactor, &Allowed::default());
            assert_eq!(found.len(), 1, "{text}");
            let memory = document::parse(&path, text.as_bytes(), None, || named("mem_a")).memory;
            assert!(format!("{memory:?}").contains(TOKEN), "{text}");
            let shown = redacted(memory, &found, &redactor);
            assert!(!format!("{shown:?}").contains(TOKEN), "{shown:?}");
        }
    }
    let text = "---\nid: my_own.id\nsupersedes: [mem_b]\npassword: Fake-7x\n---\na\n";
    let found = find(Path::new("a.md"), text.as_bytes(), &redactor, &Allowed::default());
    let memory = document::parse(&path, text.as_bytes(), None, || named("mem_a")).memory;
    let shown = redacted(memory, &found, &redactor);
    assert_eq!(
        (shown.id.as_str(), shown.supersedes),
        ("my_own.id", vec![named("mem_b")])
    );
}

#[test]
fn what_is_allowed_is_shown_and_the_rest_is_not() {
    let redactor = Redactor::standard();
    let path = Path::new("a.md");
    let digest = sha256_hex(b"Fake-7x");
    let mut allowed = Allowed::default();
    allowed.insert(Allowance {
        path: "a.md".to_owned(),
        kind: "password".to_owned(),
        digest,
    });
    let bytes = b"password: Fake-7x, PIN: 4829\ntoken: fake0123456789\n";
    let found = find(path, bytes, &redactor, &allowed);
    assert!(found[0].is_allowed && !found[1].is_allowed);
    assert_eq!(diagnostics(path, &found).len(), 2);
    let store_path = StorePath::new("a.md").unwrap();
    let id = || crate::model::Id::parse("a").unwrap();
    let memory = crate::document::parse(&store_path, bytes, None, id).memory;
    let shown = redacted(memory, &found, &redactor);
    let text = shown.content.keyed_text();
    assert!(text.contains("password: Fake-7x, PIN: [REDACTED:pin]"), "{text}");
    assert!(text.contains("token: [REDACTED:token]"), "{text}");
}

#[test]
fn colours_and_hidden_characters_hide_nothing() {
    let token = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5";
    let redactor = Redactor::standard();
    for value in [
        format!("\u{1b}[32m{token}\u{1b}[0m"),
        format!("\u{1b}[01;31m\u{1b}[Kghp_\u{1b}[m\u{1b}[K{}", &token[4..]),
        format!("gh\u{200b}{}", &token[2..]),
    ] {
        for (path, end) in [("a.md", ""), ("a.md", "\0"), ("a.png", "\0")] {
            let bytes = format!("# N\n\nrun {value} twice\n{end}");
            let found = find(Path::new(path), bytes.as_bytes(), &redactor, &Allowed::default());
            let is_found = found
                .iter()
                .any(|found| (found.line, found.kind) == (Some(3), "github_token"));
            assert!(is_found, "{path} {bytes:?}: {found:?}");
        }
        let path = StorePath::new("a.md").unwrap();
        let bytes = format!("# N\n\nrun {value} twice\n");
        let memory = document::parse(&path, bytes.as_bytes(), None, || named("mem_a")).memory;
        let found = find(
            Path::new("a.md"),
            bytes.as_bytes(),
            &redactor,
            &Allowed::default(),
        );
        let Content::Note { body } = redacted(memory, &found, &redactor).content else {
            panic!("a note");
        };
        assert!(body.contains("\n\nrun [REDACTED:github_token] twice"), "{body:?}");
    }
}

#[test]
fn random_words_of_the_file_of_what_was_forgotten_are_no_password() {
    let (redactor, allowed) = (Redactor::standard(), Allowed::default());
    let found = |path: &str, text: &str| find(Path::new(path), text.as_bytes(), &redactor, &allowed).len();
    let line = |number: u32| {
        let hash = sha256_hex(&number.to_be_bytes());
        let token = ulid::Ulid(u128::from_str_radix(&hash[..32], 16).unwrap() >> 3);
        let id = ulid::Ulid(u128::from_str_radix(&hash[32..], 16).unwrap() >> 3);
        format!("forget {token} 2026-11-20 mem_{id} {hash}\nlift {token} 2026-11-21\n")
    };
    let odd = (0..20_000).map(line).filter(|line| found("notes.txt", line) > 0);
    let odd: Vec<String> = odd.take(3).collect();
    assert!(
        !odd.is_empty(),
        "the redactor takes none of them for a password any more"
    );
    for line in odd {
        assert_eq!(found("forgotten", &line), 0, "{line}");
        assert_eq!(
            found("forgotten", &format!("{line}key AKIAIOSFODNN7EXAMPLE\n")),
            1
        );
    }
}
