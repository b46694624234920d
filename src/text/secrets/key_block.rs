//! Private key blocks: from `-----BEGIN … PRIVATE KEY-----` to its end, and the private lines of a key of `PuTTY`.

use std::sync::LazyLock;

use regex::Regex;

use super::Secret;
use crate::text::pattern;

/// The beginnings of every block, the public ones as well, and of the private lines of `PuTTY`.
pub(super) const HINTS: &str = "-----BEGIN, Private-Lines:";
/// Key material is at least so many letters on end; prose is not.
const SHORTEST_RUN: usize = 16;
/// The same between the two ends of a block.
const SHORTEST_ENCLOSED: usize = 8;

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    pattern("^(?:-----BEGIN [A-Z0-9 ]{0,50}PRIVATE KEY[A-Z0-9 ]{0,20}-----|Private-Lines:.{0,60}\n)")
});

/// The end of a block, or the beginning of another one.
static EDGE: LazyLock<Regex> = LazyLock::new(|| pattern("-----(?:BEGIN |END (?:[A-Z0-9 ]{1,60}-----)?)"));

/// Lines of key material in a block without an end.
static MATERIAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(?:[\s>"',+|]*(?:(?:Proc-Type:|DEK-Info:)[^\n]{0,380}|[A-Za-z0-9+/=\-_\\]{16,400})[ \t\r>"',+|]*(?:\n|$))*"#,
    )
});

/// The private key block that begins here, all of it, if it holds key material.
pub(super) fn read(text: &str, at: usize) -> Option<Secret> {
    let is_block = text[at..].starts_with('-');
    let body = at + HEADING.find(&text[at..])?.end();
    let rest = &text[body..];
    let edge = EDGE
        .find(rest)
        .filter(|edge| is_block && edge.as_str().contains("END ") && edge.as_str().ends_with('-'));
    let (end, is_key) = if let Some(edge) = edge {
        (edge.end(), holds_material(&rest[..edge.start()]))
    } else {
        let material = MATERIAL.find(rest)?.as_str().trim_end();
        (material.len(), has_run(material))
    };
    let start = if is_block { at } else { body };
    is_key.then_some(Secret {
        range: start..body + end,
        kind: "private_key",
    })
}

fn is_material(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_' | '\\')
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
