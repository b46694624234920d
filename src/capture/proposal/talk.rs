//! The messages of a conversation that a model is asked about, and quotes from them.

use crate::text::{canonical, is_cjk};

/// The most messages of one question.
const MOST_MESSAGES: usize = 40;
/// The most characters of them.
const MOST_CHARS: usize = 24_000;
/// The least letters and digits of a quote; signs of Chinese, Japanese and Korean count double.
const LEAST_QUOTE: usize = 8;

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user, who typed it.
    User,
    /// The agent.
    Assistant,
}

impl Speaker {
    /// The word in a prompt.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A message of a conversation, without what tools printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Utterance {
    /// Its author.
    pub speaker: Speaker,
    /// The words.
    pub text: String,
}

/// The oldest of these messages that one question has room for. A message that is too long for a question is cut at its
/// end: none is waited for for ever.
pub fn in_one_batch(messages: impl IntoIterator<Item = Utterance>) -> Vec<Utterance> {
    let mut batch: Vec<Utterance> = Vec::new();
    let mut left = MOST_CHARS;
    for mut message in messages.into_iter().take(MOST_MESSAGES) {
        let chars = message.text.chars().count();
        if chars > left && !batch.is_empty() {
            break;
        }
        if chars > left {
            message.text = message.text.chars().take(left).collect();
        }
        left = left.saturating_sub(chars);
        batch.push(message);
    }
    batch
}

/// Messages, in the form in which quotes are looked for.
#[derive(Debug, Clone)]
pub struct Talk(Vec<(Speaker, String)>);

impl Talk {
    /// Of the messages that the model was shown.
    pub fn of(messages: &[Utterance]) -> Self {
        let canonical = |message: &Utterance| (message.speaker, canonical(&message.text));
        Self(messages.iter().map(canonical).collect())
    }

    /// Says whether a quote stands in one message of this speaker, or of anybody: the same words in their order,
    /// whatever the case, the white space and the punctuation. A word or two prove nothing.
    pub fn has(&self, quote: &str, speaker: Option<Speaker>) -> bool {
        let quote = canonical(quote);
        let letters = quote.chars().filter(|c| c.is_alphanumeric());
        let length: usize = letters.map(|c| if is_cjk(c) { 2 } else { 1 }).sum();
        let of_speaker = |by: &Speaker| speaker.is_none_or(|wanted| wanted == *by);
        let mut messages = self.0.iter().filter(|(by, _)| of_speaker(by));
        length >= LEAST_QUOTE && messages.any(|(_, text)| holds(text, &quote))
    }
}

/// Says whether a text has a quote that begins and ends with whole words.
fn holds(text: &str, quote: &str) -> bool {
    let is_inside = |a: Option<char>, b: Option<char>| {
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_cjk(c));
        letter(a) && letter(b)
    };
    text.match_indices(quote).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + quote.len()..]);
        !is_inside(before.chars().next_back(), quote.chars().next())
            && !is_inside(quote.chars().next_back(), behind.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(speaker: Speaker, text: &str) -> Utterance {
        Utterance {
            speaker,
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_batch_holds_the_oldest_messages_that_fit() {
        let message = |chars: usize| said(Speaker::User, &"é".repeat(chars));
        let lengths = |messages: Vec<Utterance>| -> Vec<usize> {
            let lengths = in_one_batch(messages).into_iter();
            lengths.map(|message| message.text.chars().count()).collect()
        };
        assert_eq!(lengths(vec![]), [0; 0]);
        assert_eq!(lengths(vec![message(1); 50]), [1; 40]);
        assert_eq!(
            lengths(vec![message(20_000), message(4_000), message(1)]),
            [20_000, 4_000]
        );
        assert_eq!(
            lengths(vec![message(20_000), message(5_000), message(1)]),
            [20_000]
        );
        assert_eq!(lengths(vec![message(99_000), message(1)]), [24_000]);
    }

    #[test]
    fn a_quote_stands_in_one_message_word_by_word() {
        let talk = Talk::of(&[
            said(
                Speaker::User,
                "No, we deploy on *Fridays* only,\nnever on Monday.",
            ),
            said(Speaker::Assistant, "The parser is written by hand."),
            said(Speaker::User, "部署前先跑测试"),
        ]);
        let (user, anybody) = (Some(Speaker::User), None);
        for quote in [
            "we deploy on Fridays only",
            "\"Deploy on   FRIDAYS only, never\"",
            "部署前先跑测试",
        ] {
            assert!(talk.has(quote, user) && talk.has(quote, anybody), "{quote}");
        }
        assert!(talk.has("the parser is written by hand", anybody));
        assert!(
            !talk.has("the parser is written by hand", user),
            "nobody typed it"
        );
        for quote in [
            "",
            "…",
            "deploy",
            "we deploy on Mondays",
            "eploy on Fridays only",
            "we deploy on Fridays on",
            "never on Monday. The parser is",
            "only fridays on deploy",
        ] {
            assert!(!talk.has(quote, anybody), "{quote}");
        }
    }
}
