//! A file to a memory. Never fails: what cannot be read is said in the diagnostics.

use super::body::{Beside, heading, read_beside, read_content, trim_blank_lines};
use super::fields::{Key, read_keys, text_of};
use super::frontmatter::{Front, Layout, Parts, divide};
use super::report::{
    has_nul, means_readonly, no_keys, not_utf8, refused, report, second_frontmatter, text_beside_body,
    type_beside_folder, unclosed,
};
use super::yaml::{METADATA, Pairs};
use super::{lines, mend};
use crate::model::{CLAUDE_FOLDER, Content, Diagnostic, Id, Kind, Memory, Source, StorePath};

/// So many bytes of the properties of a file are kept.
const MOST_PROPERTIES: usize = 4096;

/// The part of a file that could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readable {
    /// All of it.
    Yes,
    /// The frontmatter only line by line: the memory counts, and is read-only to tools.
    ByLine,
    /// Nothing to rely on: the file is kept and committed, and not rendered.
    No,
}

/// A file, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The content.
    pub memory: Memory,
    /// The diagnostics, in the order of their lines.
    pub diagnostics: Vec<Diagnostic>,
    /// The part that could be read.
    pub readable: Readable,
    /// Characters of the body, as `limit` counts them: without the blank lines at its ends.
    pub chars: usize,
}

/// Reads a file. `folder_kind` is the type whose folder it lies in; `derived_id` makes the id where none is stated.
/// The work is linear in the length, whatever the bytes are.
pub fn parse(
    path: &StorePath,
    bytes: &[u8],
    folder_kind: Option<&Kind>,
    derived_id: impl FnOnce() -> Id,
) -> Document {
    let kind = folder_kind.cloned().unwrap_or_default();
    let mut memory = Memory::new(derived_id(), path.clone(), kind, Content::default());
    if path.first_folder() == Some(CLAUDE_FOLDER) {
        memory.source = Source::Agent;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return unreadable(memory, not_utf8(path, bytes, error)),
    };
    let layout = Layout::of(text);
    let Parts { front, body } = divide(text, &layout);
    let is_all_body = front == Front::Absent;
    let mut diagnostics = Vec::new();
    let (mut pairs, inner, readable) = match front {
        Front::Absent => (Pairs::new(), 0..0, Readable::Yes),
        Front::Mapping { inner, pairs } => (pairs, inner, Readable::Yes),
        Front::Broken { inner, error } => {
            diagnostics.push(refused(path, text, inner.clone(), &error));
            (lines::read(text, inner.clone()), inner, Readable::ByLine)
        }
        Front::Unclosed { inner } => {
            diagnostics.push(unclosed(path, text, &inner));
            (lines::read(text, inner.clone()), inner, Readable::ByLine)
        }
        Front::Hopeless { inner, error } => return unreadable(memory, refused(path, text, inner, &error)),
    };
    diagnostics.extend(is_all_body.then(|| no_keys(path, text, &layout)).flatten());
    let mut keys = text.get(inner.clone()).unwrap_or_default().to_owned();
    let mut body = &text[body..];
    // Tools put theirs above another's: the keys of the second one count.
    let next = divide(body, &Layout::of(body));
    if let Front::Mapping { inner, pairs: more } = next.front
        && !is_all_body
        && !more.is_empty()
    {
        let at = text.len() - body.trim_start().len();
        diagnostics.push(second_frontmatter(path, text, at));
        pairs.retain(|(key, _)| more.iter().all(|(other, _)| key != other));
        pairs.extend(more);
        keys = [&keys, &body[inner]].concat();
        body = &body[next.body..];
    }
    let content = content(body, &pairs);
    let (kind, mut troubles) = read_keys(pairs, &mut memory);
    memory.has_own_keys |= has_comment(&keys);
    memory.properties = properties(&keys);
    let (content, chars) = content.unwrap_or_else(|| {
        troubles.push(text_beside_body());
        of_body(body)
    });
    if let (Some(kind), Some(folder)) = (&kind, folder_kind)
        && kind != folder
    {
        troubles.push(type_beside_folder(kind, folder));
    }
    diagnostics.extend(report(path, text, inner, &troubles));
    if let Some(at) = text.find('\0') {
        diagnostics.push(has_nul(path, text, at));
    }
    if let (Some(at), false) = (mend::meant(text, &layout.fences), memory.readonly) {
        diagnostics.push(means_readonly(path, text, at));
        memory.readonly = true;
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    memory.content = content;
    memory.heading = heading(body);
    // What is all keys says what they say.
    if body.trim().is_empty() && memory.description.is_none() && !memory.properties.is_empty() {
        memory.description = Some(memory.properties.clone());
    }
    memory.readonly |= readable != Readable::Yes;
    Document {
        memory,
        diagnostics,
        readable,
        chars,
    }
}

/// The keys of a frontmatter that are not mdmem's, with what stands behind and below them, on one line.
fn properties(inner: &str) -> String {
    let (mut all, mut is_own) = (String::new(), false);
    for line in inner.lines() {
        let is_below = line.starts_with([' ', '\t', '-']);
        let key = line
            .split_once(':')
            .filter(|_| !is_below)
            .map(|(key, _)| key.trim_end());
        if let Some(key) = key {
            is_own = Key::parse(key).is_none() && key != METADATA;
        }
        let is_said = !line.trim().is_empty() && !line.trim_start().starts_with('#');
        if is_own && is_said && all.len() < MOST_PROPERTIES {
            let mark = match key {
                _ if all.is_empty() => "",
                Some(_) => ", ",
                None => " ",
            };
            all.extend([mark, line.trim().trim_start_matches("- ")]);
        }
    }
    all
}

/// Says whether a frontmatter holds a comment, which is a person's own as a key is: a `#` at the beginning of a line, or
/// behind a space where no quote stands before it.
fn has_comment(inner: &str) -> bool {
    let is_comment = |line: &str| {
        let before = line.split_once(" #").map(|(before, _)| before);
        line.trim_start().starts_with('#') || before.is_some_and(|before| !before.contains(['"', '\'']))
    };
    inner.lines().any(is_comment)
}

/// The body of a file as it is written: what follows the frontmatter, without the blank lines at its ends. A file that
/// is no UTF-8 is all body.
pub fn body(bytes: &[u8]) -> &[u8] {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return bytes;
    };
    let start = divide(text, &Layout::of(text)).body;
    trim_blank_lines(&text[start..]).as_bytes()
}

/// Says whether a file asks to be left alone. That it cannot be read is no such wish.
pub fn is_protected(path: &StorePath, bytes: &[u8]) -> bool {
    let unstated = || Id::parse("unstated").expect("because it is one word");
    let read = parse(path, bytes, None, unstated);
    if read.readable == Readable::Yes {
        return read.memory.readonly;
    }
    let text = String::from_utf8_lossy(bytes);
    mend::is_named(&text, &Layout::of(&text).fences)
}

/// Says whether two versions of a file differ in what they say: the text and its reason, not the keys around it.
pub fn changes_text(before: &[u8], after: &[u8]) -> bool {
    if before == after {
        return false;
    }
    match (std::str::from_utf8(before), std::str::from_utf8(after)) {
        (Ok(before), Ok(after)) => says(before) != says(after),
        _ => true,
    }
}

fn says(text: &str) -> Content {
    let Parts { front, body } = divide(text, &Layout::of(text));
    let pairs = match front {
        Front::Mapping { pairs, .. } => pairs,
        Front::Broken { inner, .. } | Front::Unclosed { inner } => lines::read(text, inner),
        Front::Absent | Front::Hopeless { .. } => Pairs::new(),
    };
    let body = &text[body..];
    content(body, &pairs).unwrap_or_else(|| of_body(body)).0
}

/// The content and its length in characters; `None` when there is both a `text:` and a body of its own.
fn content(body: &str, pairs: &Pairs) -> Option<(Content, usize)> {
    let Some(text) = text_of(pairs, Key::Text) else {
        return Some(of_body(body));
    };
    let rationale = match read_beside(body) {
        Beside::Nothing => text_of(pairs, Key::Rationale).map(str::to_owned),
        Beside::Reason(reason) => reason,
        Beside::Text => return None,
    };
    let chars = text.chars().count() + rationale.as_deref().map_or(0, |why| why.chars().count());
    let text = text.to_owned();
    Some((Content::Fact { text, rationale }, chars))
}

fn of_body(body: &str) -> (Content, usize) {
    (read_content(body), trim_blank_lines(body).chars().count())
}

/// Of a file that cannot be read nothing counts, and tools keep off.
fn unreadable(memory: Memory, diagnostic: Diagnostic) -> Document {
    Document {
        memory: Memory {
            readonly: true,
            ..memory
        },
        diagnostics: vec![diagnostic],
        readable: Readable::No,
        chars: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Moment, Severity, Source, Status, Timestamp};
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Document {
        let path = StorePath::new("decision/use-npm.md").expect("valid");
        parse(&path, bytes, Some(&Kind::new("decision")), || {
            Id::parse("derived").expect("valid")
        })
    }

    fn fact(text: &str, rationale: Option<&str>) -> Content {
        Content::Fact {
            text: text.to_owned(),
            rationale: rationale.map(str::to_owned),
        }
    }

    #[test]
    fn reads_the_example() {
        let document = read(
            b"---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\ntype: decision\nsource: explicit\nstrength: 5.0\nreinforcement: 2\ncreated: 2026-11-20T10:00:00Z\nreinforced: 2026-11-27T10:00:05Z\n---\nUse npm cache for plugin loading, not npm link.\n\nWhy: npm link breaks peer dependencies. See [[plugin-loading]].\n",
        );
        assert_eq!(
            (&document.diagnostics, document.readable),
            (&vec![], Readable::Yes)
        );
        assert_eq!(document.chars, 112);
        let memory = document.memory;
        assert_eq!(memory.id.as_str(), "mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R");
        assert!(memory.id_stated && !memory.readonly && !memory.has_own_keys);
        assert_eq!(
            (memory.kind, memory.source, memory.status),
            (Kind::new("decision"), Source::Explicit, Status::Active)
        );
        assert_eq!((memory.strength, memory.reinforcement), (Some(5.0), 2));
        assert_eq!(
            memory.created,
            Moment::At(Timestamp::parse("2026-11-20T10:00:00Z").expect("valid"))
        );
        assert_eq!(memory.updated, Moment::Unset);
        assert!((memory.confidence - 1.0).abs() < 1e-9);
        assert_eq!(
            memory.content,
            fact(
                "Use npm cache for plugin loading, not npm link.",
                Some("npm link breaks peer dependencies. See [[plugin-loading]].")
            )
        );
    }

    #[test]
    fn reads_what_editors_and_people_write() {
        for (bytes, content) in [
            ("", Content::Note { body: String::new() }),
            ("Use npm.", fact("Use npm.", None)),
            ("\u{feff}Use npm.\r\n", fact("Use npm.", None)),
            (
                "\u{feff}---\r\ntype: decision\r\n---\r\n\r\na\r\n\r\nWhy: b\r\n",
                fact("a", Some("b")),
            ),
            ("---\rtype: decision\r---\ra\r\rWhy: b\r", fact("a", Some("b"))),
            ("---\r\ntype: decision\n---\na\r\nb", fact("a\r\nb", None)),
            ("---\ntype: decision\n---", Content::Note { body: String::new() }),
            ("---\nJust a rule above.\n", fact("---\nJust a rule above.", None)),
            ("---\ntext: \"a\\n\\nb\"\n---\n", fact("a\n\nb", None)),
            ("---\ntext: a\n---\nWhy: b\n", fact("a", Some("b"))),
            (
                "---\ntext: a\nrationale: \"b\\n\\nc\"\n---\n",
                fact("a", Some("b\n\nc")),
            ),
            ("---\ntext: \"\"\n---\n", fact("", None)),
            ("---\ntext:\n---\nx\n", fact("x", None)),
        ] {
            let document = read(bytes.as_bytes());
            assert_eq!(document.memory.content, content, "{bytes:?}");
            assert_eq!(document.diagnostics, [], "{bytes:?}");
        }
    }

    #[test]
    fn falls_back_from_file_to_folder_to_project() {
        let path = StorePath::new("notes/x.md").expect("valid");
        let id = || Id::parse("derived").expect("valid");
        assert_eq!(parse(&path, b"x", None, id).memory.kind, Kind::new("project"));
        assert_eq!(read(b"x").memory.kind, Kind::new("decision"));
        let document = read(b"---\nmetadata:\n  type: user\n---\nx");
        assert_eq!(document.memory.kind, Kind::new("user"));
        assert_eq!(document.diagnostics[0].code, "type-and-folder");
        assert_eq!(document.memory.id.as_str(), "derived");
        assert!((read(b"---\nsource: compaction\n---\nx").memory.confidence - 0.75).abs() < 1e-9);
    }

    #[test]
    fn yaml_that_does_not_parse_is_read_line_by_line() {
        let document = read(
            b"---\nid: mem_1\ndescription: fix: the build\nstrength: 3 # own\ntags: [a, b]\nown: x\n---\nThe text.\n",
        );
        assert_eq!(document.readable, Readable::ByLine);
        let memory = &document.memory;
        assert_eq!(memory.description.as_deref(), Some("fix: the build"));
        assert_eq!(
            (memory.id.as_str(), memory.strength, memory.tags.len()),
            ("mem_1", Some(3.0), 2)
        );
        assert!(memory.readonly && memory.has_own_keys);
        assert_eq!(memory.content, fact("The text.", None));
        let [diagnostic] = document.diagnostics.as_slice() else {
            panic!("{:?}", document.diagnostics)
        };
        assert_eq!(
            (
                diagnostic.severity,
                diagnostic.code,
                diagnostic.line,
                diagnostic.column
            ),
            (Severity::Error, "yaml-syntax", Some(3), Some(17))
        );
        assert_eq!(
            diagnostic.mend.as_deref(),
            Some("Put the value in quotes: description: \"fix: the build\"")
        );
    }

    #[test]
    fn a_frontmatter_without_an_end_protects_the_file() {
        let document = read(b"---\nid: mem_1\nsource: explicit\n\nThe text.\n");
        assert_eq!(document.readable, Readable::ByLine);
        assert_eq!(document.memory.id.as_str(), "mem_1");
        assert!(document.memory.readonly);
        assert_eq!(document.memory.content, fact("The text.", None));
        assert_eq!(
            document.diagnostics[0].mend.as_deref(),
            Some("Add a line `---` before line 4.")
        );
    }

    #[test]
    fn a_frontmatter_with_a_slip_is_named_and_protects() {
        let path = StorePath::new("decision/use-npm.md").expect("valid");
        for (text, code, line, is_asked) in [
            ("+++\nreadonly = true\n+++\nThe text.\n", "yaml-syntax", 1, true),
            ("---\n\ttags: [x]\n---\nThe text.\n", "yaml-syntax", 2, false),
            ("---\nown:1\ntype:user\n---\nThe text.\n", "yaml-syntax", 3, false),
        ] {
            let document = read(text.as_bytes());
            let diagnostic = &document.diagnostics[0];
            assert_eq!((diagnostic.code, diagnostic.line), (code, Some(line)), "{text:?}");
            assert_eq!(document.memory.content, fact("The text.", None), "{text:?}");
            assert!(document.memory.readonly);
            assert_eq!(is_protected(&path, text.as_bytes()), is_asked, "{text:?}");
        }
        let document = read(b"---\n- a\n---\nx\n");
        assert_eq!(
            document.memory.content,
            Content::Note {
                body: "---\n- a\n---\nx".to_owned()
            }
        );
        let [note] = document.diagnostics.as_slice() else {
            panic!("{:?}", document.diagnostics)
        };
        assert_eq!(
            (note.severity, note.code, note.line),
            (Severity::Note, "no-keys", Some(2))
        );
        assert!(!document.memory.readonly);
    }

    #[test]
    fn what_cannot_be_read_is_kept_out() {
        for (bytes, code, line, column) in [
            (&b"ab\nc\xffd"[..], "not-utf8", 2, 2),
            (b"\xff\xfea\0", "not-utf8", 1, 1),
            (b"---\n{id: x\n---\ny", "yaml-syntax", 3, 1),
        ] {
            let document = read(bytes);
            assert_eq!(document.readable, Readable::No);
            assert!(document.memory.readonly);
            let diagnostic = &document.diagnostics[0];
            assert_eq!(
                (diagnostic.code, diagnostic.line, diagnostic.column),
                (code, Some(line), Some(column))
            );
        }
    }

    #[test]
    fn a_nul_is_named_and_read() {
        let document = read(b"a\0b\n");
        assert_eq!(document.memory.content, fact("a\0b", None));
        assert_eq!(
            (document.diagnostics[0].code, document.diagnostics[0].column),
            ("nul", Some(2))
        );
        assert_eq!(read(b"---\nid: a\0b\n---\nx").readable, Readable::ByLine);
    }

    #[test]
    fn a_wrong_value_is_named_with_its_place() {
        let document = read(b"---\n# c\ntype: decision\nstrength:  abc\n---\nx");
        let diagnostic = &document.diagnostics[0];
        assert_eq!(
            (diagnostic.line, diagnostic.column, diagnostic.severity),
            (Some(4), Some(12), Severity::Warning)
        );
        assert_eq!(diagnostic.message, "`strength: abc` is not valid and is ignored");
        assert_eq!(document.memory.strength, None);
    }

    #[test]
    fn a_body_wins_over_text() {
        let document = read(b"---\ntext: a\n---\nb\n");
        assert_eq!(document.memory.content, fact("b", None));
        assert_eq!(document.diagnostics[0].code, "text-ignored");
    }

    #[test]
    fn only_the_text_and_its_reason_are_text() {
        let text = |bytes: &'static [u8], other: &'static [u8]| changes_text(bytes, other);
        assert!(!text(b"x\n", b"---\nid: a\n---\n\nx"));
        assert!(!text(b"---\nid: a\n---\nx", b"---\ndescription: y\n---\nx\n"));
        assert!(!text(b"---\nid: a\ntext: x\n---\n", b"---\nid: a\n---\nx\n"));
        assert!(text(b"---\nid: a\n---\nx", b"---\nid: a\n---\ny"));
        assert!(text(b"x", b"x\n\nWhy: y"));
        assert!(text(b"---\ntext: x\n---\n", b"---\ntext: y\n---\n"));
        assert!(text(b"\xff", b"\xfe"));
        assert!(!text(b"\xff", b"\xff"));
    }

    #[test]
    fn megabytes_are_read_in_a_moment() {
        let start = std::time::Instant::now();
        let mut bytes = b"---\nid: x\n---\n".to_vec();
        bytes.resize(5_000_000, b'a');
        assert_eq!(read(&bytes).chars, 5_000_000 - 14);
        assert!(start.elapsed().as_secs() < 60);
    }

    proptest! {
        #[test]
        fn never_fails(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes);
        }

        #[test]
        fn never_fails_on_what_looks_like_a_memory(
            text in "(\u{feff})?(---\r?\n)?([a-z_]{0,4}(id|type|tags|text|readonly|metadata)?:? ?[\\[\\]{}&*!|>'\"%@`#:, a-z0-9\t-]{0,12}(\r|\r\n|\n)){0,6}(---)?\n?([#>`a-z \n-]{0,20})"
        ) {
            let document = read(text.as_bytes());
            prop_assert!(document.readable == Readable::Yes || document.memory.readonly);
            changes_text(text.as_bytes(), b"x");
            super::super::links(text.as_bytes());
        }
    }

    #[test]
    fn the_body_is_what_follows_the_frontmatter() {
        assert_eq!(body(b"---\nid: a\n---\n\nOne\n\nTwo\n\n"), b"One\n\nTwo");
        assert_eq!(body(b"\nplain\r\n"), b"plain");
        assert_eq!(body(b"---\nid: a\n---\n"), b"");
        assert_eq!(body(b"\xff\n"), b"\xff\n");
    }
}
