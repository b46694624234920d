//! `[[name]]` links in a body: where they stand, and other names in their place.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::frontmatter::{Layout, divide};
use super::lines::lines;

/// A `[[name]]` or `![[name]]` in a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The name: what stands before a `|` or a `#`.
    pub target: String,
    /// The line of the file, counted from 1.
    pub line: u32,
    /// The place of the name in the file.
    pub place: Range<usize>,
}

/// The links of a file outside code, in order. A file that is no UTF-8 has none.
pub fn links(bytes: &[u8]) -> Vec<Link> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Vec::new();
    };
    if !text.contains("[[") {
        return Vec::new();
    }
    let body = divide(text, &Layout::of(text)).body;
    let starts: Vec<usize> = lines(text, 0..text.len()).map(|line| line.start).collect();
    let mut links = Vec::new();
    let mut code = HtmlCode::default();
    for (event, range) in Parser::new_ext(&text[body..], Options::ENABLE_WIKILINKS).into_offset_iter() {
        code.follow(&event);
        let Event::Start(Tag::Link { link_type, .. } | Tag::Image { link_type, .. }) = event else {
            continue;
        };
        let LinkType::WikiLink { .. } = link_type else {
            continue;
        };
        if code.is_open() {
            continue;
        }
        let Some((_, place)) = link_names(&text[body + range.start..body + range.end]).next() else {
            continue;
        };
        let start = body + range.start;
        let place = start + place.start..start + place.end;
        let line = starts.partition_point(|line| *line <= start);
        links.push(Link {
            target: text[place.clone()].to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            place,
        });
    }
    links
}

/// The elements of HTML within a paragraph whose text is shown as it stands.
const CODE: [&str; 4] = ["code", "pre", "kbd", "samp"];

/// The elements of HTML that are open, of those in which nothing is a link. Whatever is open ends with its block.
#[derive(Default)]
struct HtmlCode(Vec<&'static str>);

impl HtmlCode {
    fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::InlineHtml(tag) => {
                let name = |inner: &str| {
                    let end = inner.find(|c: char| !c.is_ascii_alphanumeric());
                    let name = &inner[..end.unwrap_or(inner.len())];
                    CODE.into_iter().find(|code| code.eq_ignore_ascii_case(name))
                };
                if let Some(closed) = tag.strip_prefix("</").and_then(name) {
                    if let Some(at) = self.0.iter().rposition(|open| *open == closed) {
                        self.0.truncate(at);
                    }
                } else if let Some(open) = tag.strip_prefix('<').and_then(name) {
                    self.0.push(open);
                }
            }
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item) => self.0.clear(),
            _ => {}
        }
    }

    const fn is_open(&self) -> bool {
        !self.0.is_empty()
    }
}

/// Everything in a text that looks like the name of a link, with its place: in code too.
pub fn link_names(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let after = text.match_indices("[[").map(|(at, brackets)| at + brackets.len());
    after.filter_map(|start| {
        let rest = &text[start..];
        let end = rest.find(['|', '#', ']', '[', '\n'])?;
        // In a table a `|` is written `\|`.
        let name = rest[..end].trim_end_matches('\\');
        let start = start + name.len() - name.trim_start().len();
        let name = name.trim();
        (!name.is_empty()).then_some((name, start..start + name.len()))
    })
}

/// The Markdown links of a text outside code (`[words](target "title")`), in order: the place of each, and its target.
pub fn file_links(text: &str) -> Vec<(Range<usize>, String)> {
    let link = |(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some((range, dest_url.into_string())),
        _ => None,
    };
    Parser::new(text).into_offset_iter().filter_map(link).collect()
}

/// The file with other names in its links, and not a byte changed beside; `None`: every name stays. A name that no link
/// can have is left out.
pub fn rename_links(bytes: &[u8], new_name: impl Fn(&str) -> Option<String>) -> Option<Vec<u8>> {
    let mut renamed = bytes.to_vec();
    let mut is_changed = false;
    for Link { target, place, .. } in links(bytes).into_iter().rev() {
        let new = new_name(&target).filter(|new| is_link_name(new));
        if let Some(new) = new.filter(|new| *new != target) {
            renamed.splice(place, new.bytes());
            is_changed = true;
        }
    }
    is_changed.then_some(renamed)
}

fn is_link_name(name: &str) -> bool {
    !name.contains(['|', '#', '[', ']', '\\', '\n', '\r']) && name.trim() == name
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\r\nname: '[[no]]'\r\n---\r\nSee [[plugin-loading]] and [[a b|that]].\r\n\r\n`[[no]]`\r\n\r\n```\r\n[[no]]\r\n```\r\n- [[x#part]] [[]] [[#here]] [one](two)\r\n\r\n> ![[ノート/一覧 | shown]] [[ decision/c ]]\r\n\r\n    [[no]]\r\n";

    #[test]
    fn finds_links_outside_code_with_their_lines() {
        let found: Vec<_> = links(TEXT.as_bytes());
        for link in &found {
            assert_eq!(&TEXT[link.place.clone()], link.target);
        }
        let found: Vec<_> = found.into_iter().map(|link| (link.target, link.line)).collect();
        assert_eq!(
            found,
            [
                ("plugin-loading".to_owned(), 4),
                ("a b".to_owned(), 4),
                ("x".to_owned(), 11),
                ("ノート/一覧".to_owned(), 13),
                ("decision/c".to_owned(), 13)
            ]
        );
    }

    #[test]
    fn code_of_any_form_has_no_links() {
        for code in [
            "<code>[[no]]</code>",
            "<CODE class=\"a\">x [[no]]\n[[no]] y</CODE>",
            "a <pre>[[no]]</pre>",
            "<kbd>[[no]]</kbd><samp>[[no]]</samp>",
            "<code><b>[[no]]</b> [[no]]</code>",
            "<code><code>[[no]]</code> [[no]]</code>",
            "``a ` [[no]]``",
            "`a\n[[no]] b`",
            "`[[no` ]]`",
            "- <code>[[no]]\n- [[yes]]",
            "<code>[[no]]\n\n[[yes]]",
            "<pre>\n[[no]]\n</pre>",
            "<codex>[[yes]]</codex>",
            "</code>[[yes]]",
            "<code/>[[no]]</code> [[yes]]",
        ] {
            let text = format!("{code}\n\nThen [[yes]].\n");
            let found = links(text.as_bytes());
            assert!(
                found.iter().all(|link| link.target == "yes"),
                "{code:?}: {found:?}"
            );
            assert_eq!(
                found.len(),
                text.matches("[[yes]]").count(),
                "{code:?}: {found:?}"
            );
        }
    }

    #[test]
    fn other_names_leave_every_other_byte() {
        let new = |name: &str| Some(format!("new/{name}")).filter(|_| name != "x");
        let renamed = rename_links(TEXT.as_bytes(), new).unwrap();
        let renamed = String::from_utf8(renamed).unwrap();
        let expected = TEXT
            .replace("plugin-loading", "new/plugin-loading")
            .replace("a b|", "new/a b|")
            .replace("ノート/", "new/ノート/")
            .replace("decision/c", "new/decision/c");
        assert_eq!(renamed, expected);
        assert_eq!(rename_links(TEXT.as_bytes(), |_| None), None);
        for odd in ["a|b", "c#", "a]]", "a\nb", "", " "] {
            let kept = rename_links(b"[[x]]", |_| Some(odd.to_owned()));
            assert_eq!(
                kept,
                None.or_else(|| odd.is_empty().then(|| b"[[]]".to_vec())),
                "{odd:?}"
            );
        }
    }

    #[test]
    fn odd_brackets_are_read_without_a_panic() {
        for odd in [
            "[[",
            "]]",
            "[[a",
            "[[a]",
            "[[a]]]]",
            "[[[a]]]",
            "[[a[[b]]",
            "[[a|b|c]]",
            "[[\\|a]]",
            "| [[a\\|b]] |",
            "![[a]]![[b]]",
            "[[\u{0}]]",
            "[[a\nb]]",
            "\u{feff}[[a]]",
            "[[é]]",
            "[[a]](b)",
            "\\[[a]]",
        ] {
            for link in links(odd.as_bytes()) {
                assert_eq!(&odd[link.place], link.target, "{odd:?}");
            }
            if let Some(renamed) = rename_links(odd.as_bytes(), |_| Some("ü".to_owned())) {
                assert!(std::str::from_utf8(&renamed).is_ok(), "{odd:?}");
            }
        }
        assert_eq!(links(b"| [[a\\|b]] |")[0].target, "a");
        assert_eq!(links(b"[[a]] \xff [[b]]"), []);
    }

    #[test]
    fn many_brackets_take_no_time() {
        let start = std::time::Instant::now();
        links("[[".repeat(100_000).as_bytes());
        links("[[a]]\n".repeat(20_000).as_bytes());
        rename_links("[[a]]\n".repeat(20_000).as_bytes(), |_| Some("b".to_owned()));
        assert!(start.elapsed().as_secs() < 60, "took {:?}", start.elapsed());
    }
}
