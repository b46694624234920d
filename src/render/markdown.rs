//! Text inside markdown: any title, hook or path, and still one link on one line.

use crate::policy::{as_plain, plain};

/// Running text after a link, which reads as written. Code spans stay code.
pub(super) fn running_text(text: &str) -> String {
    let line = as_plain(text);
    let ticks = line.matches('`').count();
    if ticks % 2 == 1 || line.contains("``") || line.contains("\\`") {
        return link_text(&line);
    }
    let escaped = line.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => link_text(part),
        _ => part.to_owned(),
    });
    escaped.collect::<Vec<String>>().join("`")
}

/// A link's text, which reads as written.
pub(super) fn link_text(text: &str) -> String {
    let line = as_plain(text);
    let mut escaped = String::with_capacity(line.len());
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        let backslash = c == '\\' && rest.chars().next().is_none_or(|next| next.is_ascii_punctuation());
        if matches!(c, '[' | ']' | '<' | '`') || backslash || (c == '&' && begins_entity(rest)) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Says whether an `&` before this text would make it an entity, such as `&lt;`.
fn begins_entity(rest: &str) -> bool {
    let name = rest.split(';').next().unwrap_or_default();
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    name.len() < rest.len() && is_name(name.strip_prefix('#').unwrap_or(name))
}

/// A link's destination: the path, percent-encoded where a character means something else in an address or in
/// markdown, and in angle brackets when a space or a parenthesis needs them.
pub(super) fn destination(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for c in path.chars() {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).bytes();
        if matches!(c, '%' | '#' | '?' | '<' | '>' | '&' | '`' | '\\' | '"')
            || !matches!(c, ' '..='~') && plain(&c.to_string()).ne([c])
        {
            encoded.extend(bytes.map(|byte| format!("%{byte:02X}")));
        } else {
            encoded.push(c);
        }
    }
    if encoded.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')')) {
        format!("<{encoded}>")
    } else {
        encoded
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    use super::*;

    /// Address, text and rest of the only link of a line.
    fn read(markdown: &str) -> (String, String, String) {
        let (mut address, mut text, mut rest, mut inside) = (Vec::new(), String::new(), String::new(), false);
        for event in Parser::new(markdown) {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => {
                    address.push(dest_url.to_string());
                    inside = true;
                }
                Event::End(TagEnd::Link) => inside = false,
                Event::Text(part) | Event::Code(part) if inside => text.push_str(&part),
                Event::Text(part) | Event::Code(part) => rest.push_str(&part),
                Event::Html(_) | Event::InlineHtml(_) | Event::SoftBreak | Event::HardBreak => {
                    panic!("{event:?} in {markdown}")
                }
                _ => {}
            }
        }
        assert_eq!(address.len(), 1, "links in {markdown}");
        (address.remove(0), text, rest)
    }

    fn decode(address: &str) -> String {
        let mut bytes = Vec::new();
        let mut rest = address.bytes();
        while let Some(byte) = rest.next() {
            if byte == b'%' {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            } else {
                bytes.push(byte);
            }
        }
        String::from_utf8(bytes).unwrap()
    }

    fn line(title: &str, path: &str, hook: &str) -> String {
        format!(
            "- [{}]({}) — {}",
            link_text(title),
            destination(path),
            running_text(hook)
        )
    }

    #[test]
    fn plain_words_and_paths_stay_as_they_are() {
        assert_eq!(
            line(
                "Use npm",
                "decision/use-npm.md",
                "R&D says the `docs[0]` folder, C:\\work"
            ),
            "- [Use npm](decision/use-npm.md) — R&D says the `docs[0]` folder, C:\\work"
        );
        assert_eq!(destination("ノート/use npm (2).md"), "<ノート/use npm (2).md>");
    }

    #[test]
    fn hostile_titles_and_hooks_make_one_link() {
        for text in [
            "a](b) [c",
            "![x](y)",
            "`code",
            "a\\",
            "<b>bold</b>",
            "<http://a.b>",
            "&lt;&amp; [[wiki]]",
            "x ``y`` z",
            "\\`a`",
        ] {
            let (address, title, rest) = read(&line(text, "a b.md", text));
            assert_eq!((address.as_str(), title.as_str()), ("a b.md", text));
            assert_eq!(
                rest.trim_start_matches(" — ").replace('`', ""),
                text.replace('`', "")
            );
        }
    }

    proptest! {
        #[test]
        fn any_words_make_one_link_with_that_path(
            title in "[a-z\\[\\]()<>`\\\\!&;# ]{1,20}",
            hook in "[a-z\\[\\]()<>`\\\\!&;# ]{0,30}",
            name in "[a-z%#?()<>&`'\" é界]{1,12}",
        ) {
            let path = format!("x/{name}y.md");
            let (address, _, _) = read(&line(&format!("t{title}"), &path, &hook));
            prop_assert_eq!(decode(&address), path);
        }
    }
}
