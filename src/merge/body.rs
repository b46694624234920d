//! The three-way merge of a text, line by line, by libgit2: without the line endings, which are the winner's.

use git2::{Buf, FileFavor, MergeFileInput, MergeFileOptions, merge_file};

/// A text that two sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MergedBody {
    /// The merged text; where both changed the same lines, the winner's.
    pub(super) text: String,
    /// The three texts, where both changed the same lines.
    pub(super) conflict: Option<[String; 3]>,
    newline: &'static str,
}

/// Merges two texts.
pub(super) fn merge_body(base: &str, winner: &str, loser: &str) -> MergedBody {
    let newline = newline_of(winner);
    let merged = |text: &str| MergedBody {
        text: text.to_owned(),
        conflict: None,
        newline,
    };
    let [plain_base, plain_winner, plain_loser] = [base, winner, loser].map(plain);
    if plain_winner == plain_loser || plain_loser == plain_base {
        return merged(winner);
    }
    if winner == base {
        return merged(loser);
    }
    let texts = [plain_base, plain_winner, plain_loser];
    if texts[1] == texts[0] {
        return merged(&ended(&texts[2], newline));
    }
    match lines(&texts, None) {
        Some((text, Clean::Yes)) => merged(&ended(&text, newline)),
        _ => MergedBody {
            text: lines(&texts, Some(FileFavor::Ours))
                .map_or_else(|| winner.to_owned(), |(text, _)| ended(&text, newline)),
            conflict: Some(texts),
            newline,
        },
    }
}

/// Takes the change from `before` to `after` back in the text as it is now: with the lines that were changed again since as
/// they are, and with them as they were before. `None` for a text whose line endings differ from line to line, because
/// they could not be kept.
pub(super) fn take_back([before, after, now]: [&str; 3]) -> Option<[String; 2]> {
    let newline = newline_of(now);
    let texts = [after, now, before].map(plain);
    if ended(&texts[1], newline) != now {
        return None;
    }
    let taken_back = |favor| Some(ended(&lines(&texts, Some(favor))?.0, newline));
    Some([taken_back(FileFavor::Ours)?, taken_back(FileFavor::Theirs)?])
}

impl MergedBody {
    /// The merged text, with the lines of both sides where they differ: the winner's first.
    pub(super) fn joined(self) -> String {
        let joined = self
            .conflict
            .as_ref()
            .and_then(|texts| lines(texts, Some(FileFavor::Union)));
        joined.map_or(self.text, |(text, _)| ended(&text, self.newline))
    }

    /// The merged text, with both sides' lines between git's markers where they differ.
    pub(super) fn marked(&self, winner_is_ours: bool) -> String {
        let Some([base, winner, loser]) = &self.conflict else {
            return self.text.clone();
        };
        let (ours, theirs) = if winner_is_ours {
            (winner, loser)
        } else {
            (loser, winner)
        };
        let marked = lines(&[base.clone(), ours.clone(), theirs.clone()], None);
        marked.map_or_else(|| self.text.clone(), |(text, _)| ended(&text, self.newline))
    }
}

/// Merges three texts as git does by itself: with markers where both sides
/// changed the same lines.
pub(super) fn merge_plainly([base, ours, theirs]: [&[u8]; 3]) -> Option<Vec<u8>> {
    let [base, ours, theirs] = [base, ours, theirs].map(|text| {
        let mut input = MergeFileInput::new();
        input.content(text);
        input
    });
    let mut options = MergeFileOptions::new();
    options.our_label("ours").their_label("theirs");
    let merged = merge_file(&base, &ours, &theirs, Some(&mut options)).ok()?;
    Some(merged.content().to_vec())
}

/// Tells whether no lines were changed by both.
enum Clean {
    Yes,
    No,
}

/// `None` where libgit2 refuses (a text of over 1 GB).
fn lines([base, ours, theirs]: &[String; 3], favor: Option<FileFavor>) -> Option<(String, Clean)> {
    // libgit2 refuses before it is started, and merging starts nothing: a buffer does.
    drop(Buf::new());
    let [base, ours, theirs] = [base, ours, theirs].map(|text| {
        let mut input = MergeFileInput::new();
        input.content(text.as_bytes());
        input
    });
    let mut options = MergeFileOptions::new();
    options.our_label("ours").their_label("theirs");
    if let Some(favor) = favor {
        options.favor(favor);
    }
    let merged = merge_file(&base, &ours, &theirs, Some(&mut options)).ok()?;
    let clean = if merged.is_automergeable() {
        Clean::Yes
    } else {
        Clean::No
    };
    Some((String::from_utf8(merged.content().to_vec()).ok()?, clean))
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn ended(text: &str, newline: &str) -> String {
    text.replace('\n', newline)
}

fn newline_of(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_taken_back_but_for_lines_that_were_changed_again() {
        let [before, after] = ["a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n"];
        let text = |now: &str| {
            let [text, whole] = take_back([before, after, now])?;
            Some((text == whole, text))
        };
        assert_eq!(text(after), Some((true, before.to_owned())));
        assert_eq!(
            text("0\na\nB\nc\nD\ne\nf\n"),
            Some((true, "0\na\nb\nc\nd\ne\nf\n".to_owned()))
        );
        assert_eq!(
            text("a\nB2\nc\nD\ne\n"),
            Some((false, "a\nB2\nc\nd\ne\n".to_owned()))
        );
        assert_eq!(text("other\n"), Some((false, "other\n".to_owned())));
        assert_eq!(text(before), Some((true, before.to_owned())));
        assert_eq!(
            text("a\r\nB\r\nc\r\nD\r\ne\r\nf\r\n").unwrap().1,
            "a\r\nb\r\nc\r\nd\r\ne\r\nf\r\n"
        );
        assert_eq!(text("a\r\nB\nc\nD\ne\n"), None);
    }
}
