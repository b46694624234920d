//! The index of Claude Code's own memory (`claude/MEMORY.md`): where its links lead, and the index without some of its lines.

use std::ops::Range;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use super::links::{Link, file_links, links};
use crate::model::CLAUDE_FOLDER;

/// A link in the index.
pub struct IndexLink {
    /// The place of the path, or of the name, in the text.
    pub place: Range<usize>,
    /// The line that it is in, with its end.
    pub line: Range<usize>,
    /// The file that it leads to, below the store; of a `[[name]]` the one beside the index that is called so.
    pub path: PathBuf,
    /// The name, where it is a `[[name]]`.
    pub name: Option<String>,
}

/// The links of the index to files, in order.
pub fn index_links(text: &str) -> Vec<IndexLink> {
    let link = |range: Range<usize>, place, target: &str, name| {
        let start = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
        let end = text[range.end..].find('\n').map(|at| range.end + at + 1);
        let target = target.trim_start_matches("./");
        let of_store = target.strip_prefix("../").or(target.strip_prefix('/'));
        let beside = || Path::new(CLAUDE_FOLDER).join(target);
        IndexLink {
            place,
            line: start..end.unwrap_or(text.len()),
            path: of_store.map_or_else(beside, PathBuf::from),
            name,
        }
    };
    let to_file = |(range, target): (Range<usize>, String)| {
        let path = target.split('#').next().unwrap_or_default();
        let behind = range.start + text[range.clone()].rfind("](")?;
        let at = behind + text[behind..].find(path)?;
        let meant = percent_decode_str(path).decode_utf8_lossy();
        Some(link(range, at..at + path.len(), &meant, None))
    };
    let to_name = |Link { target, place, .. }: Link| {
        let root = if target.contains('/') { "/" } else { "" };
        let file = format!("{root}{}.md", target.trim_end_matches(".md"));
        link(place.clone(), place, &file, Some(target))
    };
    let to_files = file_links(text).into_iter().filter_map(to_file);
    let mut found: Vec<IndexLink> = to_files
        .chain(links(text.as_bytes()).into_iter().map(to_name))
        .collect();
    found.sort_by_key(|link| (link.line.start, link.place.start));
    found
}

/// A line of the index with the lines that go on with it: indented, without a link, and no item of their own.
fn with_continuation(text: &str, line: &Range<usize>) -> Range<usize> {
    let goes_on = |line: &&str| {
        let said = line.trim_start();
        line.starts_with([' ', '\t'])
            && !said.is_empty()
            && !line.contains("](")
            && !line.contains("[[")
            && !said.starts_with(['-', '*', '+'])
    };
    let more = text[line.end..].split_inclusive('\n').take_while(goes_on);
    line.start..line.end + more.map(str::len).sum::<usize>()
}

/// The index without the lines of these links; every other byte stays, also where it is not UTF-8.
pub fn without_links<'l>(bytes: &[u8], links: impl IntoIterator<Item = &'l IndexLink>) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let going = links.into_iter().map(|link| with_continuation(&text, &link.line));
    let going: Vec<Range<usize>> = going.collect();
    let mut at = 0;
    let mut kept = Vec::new();
    for (line, exact) in text
        .split_inclusive('\n')
        .zip(bytes.split_inclusive(|byte| *byte == b'\n'))
    {
        if !going.iter().any(|going| going.contains(&at)) {
            kept.extend_from_slice(exact);
        }
        at += line.len();
    }
    kept
}
