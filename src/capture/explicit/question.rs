//! Questions: "do you remember …?" asks, and stores nothing.

use super::grammar::{BODY, end};

/// What stands behind a request without the tag that asks to obey it (", ok?"); `None` for a question.
pub(super) fn told(rest: &str) -> Option<&str> {
    let tail = end(rest);
    let rest = match BODY.question_tag.find(tail) {
        Some(tag) => {
            // The end of the sentence before the tag belongs to the sentence.
            let keep = usize::from(tag.as_str().starts_with(['.', '!']));
            let keep = if tag.as_str().starts_with('。') {
                '。'.len_utf8()
            } else {
                keep
            };
            &rest[..rest.len() - tail.len() + tag.start() + keep]
        }
        None => rest,
    };
    (!first_sentence_asks(rest) && !end_asks(rest) && !BODY.question_ending.is_match(end(rest)))
        .then_some(rest)
}

/// Whether the first sentence ends with a question mark. One inside a word, a URL or a quote ends nothing.
pub(super) fn first_sentence_asks(rest: &str) -> bool {
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '?' => {
                let inside = |c: char| c.is_ascii_alphanumeric() || "\"'`)]}」』》=&/*+|:,".contains(c);
                if next.is_none_or(|c| !inside(c)) {
                    return true;
                }
            }
            '。' => return false,
            '.' | '!' if next.is_none_or(|c| c == ' ') => return false,
            _ => {}
        }
    }
    false
}

/// Whether the last sentence does, whatever smiles behind it.
fn end_asks(rest: &str) -> bool {
    rest.chars()
        .rev()
        .take_while(|c| !c.is_alphanumeric() && !"\"'`)]}」』》".contains(*c))
        .any(|c| c == '?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions() {
        for rest in [
            " which branch had it?",
            "? 지난번에 껐는지",
            "?この前の原因。",
            ": should we use redis??! 🙂",
            " use x. did it work?",
            "发版了吗",
            ": どこにありますか。",
        ] {
            assert_eq!(told(rest), None, "{rest}");
        }
    }

    #[test]
    fn statements() {
        for rest in [
            ": the check is at /health?full=1",
            ": never ask \"are you sure?\" twice",
            ": use x. why? because it is fast",
            "：别问为什么",
            ": 이렇게 하니까 빠르다",
        ] {
            assert_eq!(told(rest), Some(rest));
        }
    }

    #[test]
    fn a_tag_is_no_question() {
        assert_eq!(told(": use x, ok?"), Some(": use x"));
        assert_eq!(told(": use x. Got it?".to_lowercase().as_str()), Some(": use x."));
        assert_eq!(told(":用 x,好吗?"), Some(":用 x"));
        assert_eq!(told(": x, is it ok?"), None);
    }
}
