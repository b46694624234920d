//! `[[name]]` links, for `check`.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::frontmatter::divide;
use super::layout::Layout;
use super::lines::lines;

/// A `[[name]]` in a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The name: what stands before a `|` or a `#`.
    pub target: String,
    /// The line of the file, counted from 1.
    pub line: u32,
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
    for (event, range) in Parser::new_ext(&text[body..], Options::ENABLE_WIKILINKS).into_offset_iter() {
        let Event::Start(Tag::Link {
            link_type: LinkType::WikiLink { .. },
            dest_url,
            ..
        }) = event
        else {
            continue;
        };
        let target = dest_url.split('#').next().unwrap_or_default().trim();
        if !target.is_empty() {
            let line = starts.partition_point(|start| *start <= body + range.start);
            links.push(Link {
                target: target.to_owned(),
                line: u32::try_from(line).unwrap_or(u32::MAX),
            });
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_links_outside_code_with_their_lines() {
        let text = "---\r\nname: '[[no]]'\r\n---\r\nSee [[plugin-loading]] and [[a b|that]].\r\n\r\n`[[no]]`\r\n\r\n```\r\n[[no]]\r\n```\r\n- [[x#part]] [[]] [one](two)\r\n";
        let found: Vec<_> = links(text.as_bytes())
            .into_iter()
            .map(|link| (link.target, link.line))
            .collect();
        assert_eq!(
            found,
            [
                ("plugin-loading".to_owned(), 4),
                ("a b".to_owned(), 4),
                ("x".to_owned(), 11)
            ]
        );
    }

    #[test]
    fn many_brackets_take_no_time() {
        let start = std::time::Instant::now();
        links("[[".repeat(100_000).as_bytes());
        links("[[a]]\n".repeat(20_000).as_bytes());
        assert!(start.elapsed().as_secs() < 60, "took {:?}", start.elapsed());
    }
}
