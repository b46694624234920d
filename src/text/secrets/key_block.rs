//! Private key blocks: from `-----BEGIN … PRIVATE KEY-----` to its end, and the private lines of a key of `PuTTY`.

use super::Secret;

/// The beginnings of every block, the public ones as well, and of the private lines of `PuTTY`.
pub(super) const HINTS: &str = "-----BEGIN, Private-Lines:";
/// A heading of a block is no longer than this.
const LONGEST_HEADING: usize = 80;
/// A line of key material is no longer than this.
const LONGEST_LINE: usize = 400;
/// Key material is at least so many letters on end; prose is not.
const SHORTEST_RUN: usize = 16;
/// The same between the two ends of a block.
const SHORTEST_ENCLOSED: usize = 8;

/// The private key block that begins here, all of it, if it holds key material.
pub(super) fn read(text: &str, at: usize) -> Option<Secret> {
    if !text[at..].starts_with('-') {
        return putty(text, at);
    }
    let body = at + heading(&text[at..])?;
    let (end, holds) = if let Some((from, to)) = end(text, body) {
        (to, holds_material(&text[body..from]))
    } else {
        let to = body + material(&text[body..]);
        (to, has_run(&text[body..to]))
    };
    holds.then_some(Secret {
        range: at..end,
        kind: "private_key",
    })
}

/// The lines of the number that stands in the first line.
fn putty(text: &str, at: usize) -> Option<Secret> {
    let start = at + text[at..].find('\n').filter(|&end| end < LONGEST_HEADING)? + 1;
    let end = start + material(&text[start..]);
    has_run(&text[start..end]).then_some(Secret {
        range: start..end,
        kind: "private_key",
    })
}

/// Gives the bounds of the last line of a block whose body begins here; `None` if another block begins before it.
fn end(text: &str, body: usize) -> Option<(usize, usize)> {
    let mut letters = text[body..].match_indices(['B', 'E']).map(|(at, _)| body + at);
    let start = letters.find_map(|at| {
        let start = at.checked_sub("-----".len()).filter(|&start| start >= body)?;
        let is_edge = text[at..].starts_with("BEGIN ") || text[at..].starts_with("END ");
        (is_edge && text[..at].ends_with("-----")).then_some(start)
    })?;
    let is_end = text[start..].starts_with("-----END");
    let closing = heading_end(&text[start..]).filter(|_| is_end)?;
    Some((start, start + closing))
}

/// The length of a heading of a private key, dashes included.
fn heading(text: &str) -> Option<usize> {
    let end = heading_end(text)?;
    text[..end].contains("PRIVATE KEY").then_some(end)
}

fn heading_end(text: &str) -> Option<usize> {
    let window = &text[..text.floor_char_boundary(LONGEST_HEADING.min(text.len()))];
    let after = "-----".len();
    let end = window[after..].find("-----")? + after;
    let words = &window[after..end];
    words
        .bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ')
        .then_some(end + "-----".len())
}

/// Gives the length of key material in a block without an end: line by line.
fn material(text: &str) -> usize {
    let mut end = 0;
    while end < text.len() {
        let rest = &text[end..];
        let window = &rest[..rest.floor_char_boundary(LONGEST_LINE.min(rest.len()))];
        let line = window.split_inclusive('\n').next().unwrap_or_default();
        let bare =
            line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '"' | '\'' | ',' | '+' | '|'));
        let is_header = bare.starts_with("Proc-Type:") || bare.starts_with("DEK-Info:");
        if !(bare.is_empty() || is_header || is_run(bare)) {
            break;
        }
        end += line.len();
    }
    text[..end].trim_end().len()
}

fn is_material(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_' | '\\')
}

fn is_run(line: &str) -> bool {
    line.len() >= SHORTEST_RUN && line.chars().all(is_material)
}

fn has_run(text: &str) -> bool {
    text.split(|c| !is_material(c))
        .any(|run| run.len() >= SHORTEST_RUN)
}

/// True when the text between the two ends of a block is drawn, and not a remark or a placeholder. Both ends say that
/// it is a key, so that a short or shortened one is enough.
fn holds_material(text: &str) -> bool {
    let text = text.replace("\\r", " ").replace("\\n", " ");
    has_run(&text)
        || text.split(|c| !is_material(c)).any(|run| {
            let has_lower = run.contains(|c: char| c.is_ascii_lowercase());
            let has_other = run.contains(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
            run.len() >= SHORTEST_ENCLOSED && has_lower && has_other
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        let at = text.find("-----BEGIN")?;
        read(text, at).map(|secret| &text[secret.range])
    }

    const LINE: &str = "FAKEkeyMaterialLine0FAKEkeyMaterialLine0FAKE";

    #[test]
    fn a_block_is_taken_whole() {
        for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
            let block = format!("-----BEGIN {kind}PRIVATE KEY-----\n{LINE}\n-----END {kind}PRIVATE KEY-----");
            assert_eq!(found(&format!("a\n{block}\nb")), Some(block.as_str()));
            let crlf = block.replace('\n', "\r\n  ");
            assert_eq!(found(&format!("a\n{crlf}\nb")), Some(crlf.as_str()));
            let json = block.replace('\n', "\\n");
            assert_eq!(found(&format!("{{\"key\": \"{json}\\n\"}}")), Some(json.as_str()));
        }
        let pgp = format!(
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{LINE}\n=FAKE\n-----END PGP PRIVATE KEY BLOCK-----"
        );
        assert_eq!(found(&pgp), Some(pgp.as_str()));
    }

    #[test]
    fn a_block_without_an_end_goes_as_far_as_its_material() {
        let text = format!("-----BEGIN PRIVATE KEY-----\n{LINE}\n{LINE}\nThe rest is lost.");
        let expected = format!("-----BEGIN PRIVATE KEY-----\n{LINE}\n{LINE}");
        assert_eq!(found(&text), Some(expected.as_str()));
        let two = format!("{expected}\n{expected}\n-----END PRIVATE KEY-----");
        assert_eq!(found(&two), Some(expected.as_str()));
    }

    #[test]
    fn a_public_key_and_talk_of_a_key_are_none() {
        for text in [
            format!("-----BEGIN PUBLIC KEY-----\n{LINE}\n-----END PUBLIC KEY-----"),
            format!("-----BEGIN CERTIFICATE-----\n{LINE}\n-----END CERTIFICATE-----"),
            "From -----BEGIN PRIVATE KEY----- to -----END PRIVATE KEY-----.".to_owned(),
            "A file that holds -----BEGIN PRIVATE KEY----- is never committed.".to_owned(),
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".to_owned(),
        ] {
            assert_eq!(found(&text), None, "{text}");
        }
    }
}
