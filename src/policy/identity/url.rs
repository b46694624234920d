//! URLs in running text.

use ::url::Url;

use super::mention::{Mention, is_delimiter};

/// Marks that end a sentence rather than a URL.
const TRAILING: [char; 7] = [')', ',', '.', ';', ':', '!', '?'];

/// Bytes of the longest URL that is one in practice; servers refuse longer ones.
const MAX_URL: usize = 2048;

/// The http and https URLs of a text that can be parsed, from left to right.
pub(super) fn mentions(text: &str) -> impl Iterator<Item = Mention> {
    let mut end = 0;
    text.match_indices("://").filter_map(move |(colon, _)| {
        let start = scheme_start(text, colon)?;
        if start >= end {
            let length = text[start..].find(is_delimiter);
            let token = &text[start..length.map_or(text.len(), |length| start + length)];
            end = start + token.trim_end_matches(TRAILING).len();
        }
        let written = &text[start..end];
        if written.len() > MAX_URL {
            return None;
        }
        mention(start, written)
    })
}

/// Finds the beginning of the `http` or `https`, in any case, that ends at `colon`.
fn scheme_start(text: &str, colon: usize) -> Option<usize> {
    ["https", "http"].into_iter().find_map(|scheme| {
        let start = colon.checked_sub(scheme.len())?;
        text.get(start..colon)?
            .eq_ignore_ascii_case(scheme)
            .then_some(start)
    })
}

/// Normalised as the `url` crate does, without fragment and without the slashes at the end of its path.
fn mention(start: usize, written: &str) -> Option<Mention> {
    let mut url = Url::parse(written).ok()?;
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Some(Mention {
        key: format!("url:{url}"),
        span: start..start + written.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        mentions(text).map(|mention| mention.key).collect()
    }

    #[test]
    fn is_normalised() {
        for (text, key) in [
            ("https://Example.com", "url:https://example.com/"),
            (
                "(see HTTPS://example.com:443/a/b//).",
                "url:https://example.com/a/b",
            ),
            ("https://example.com/a/?q=1#x", "url:https://example.com/a?q=1"),
            (
                "文件在https://example.com/文，請",
                "url:https://example.com/%E6%96%87",
            ),
            ("“http://[::1]:80/x”", "url:http://[::1]/x"),
        ] {
            assert_eq!(keys(text), [key], "{text}");
        }
    }

    #[test]
    fn what_cannot_be_parsed_is_passed_over() {
        assert_eq!(keys("http:// ftp://x.example/ ://"), [""; 0]);
        assert_eq!(
            keys("[https://a.example](https://b.example)"),
            ["url:https://b.example/"]
        );
    }

    #[test]
    fn the_span_is_what_was_written() {
        let text = "Runbook: https://wiki.example/ops#deploy.";
        let mention = mentions(text).next().expect("a URL");
        assert_eq!(&text[mention.span], "https://wiki.example/ops#deploy");
    }
}
