//! The wording of a text: its canonical words in their order, with the case, the signs and the layout that tell one
//! thing from another in code. Two texts of one wording have one canonical text; the reverse does not hold: `-d` is not
//! `-D`, `C#` is not `C`, `save!` is not `save`, and a line that stands further in is another line.

use std::collections::{BTreeSet, HashMap};

use super::canonical::nfkc;
use super::{is_punctuation, is_space, is_unspaced};

/// Marks of a sentence, which follow a word or, in scripts without spaces, part two.
const MARKS: [char; 6] = ['.', ',', ';', ':', '!', '?'];

/// Marks that are a part of a name where the sentence goes on after them: `save!`, `valid?`.
const SIGNS: [char; 2] = ['!', '?'];

/// Marks that stand alone as bullets, headings and dashes.
const BULLETS: [char; 3] = ['-', '*', '#'];

/// Marks that are a word where they stand alone.
const ALONE: [&str; 3] = [".", "..", "*"];

const OPENING: [char; 3] = ['(', '[', '{'];
const CLOSING: [char; 3] = [')', ']', '}'];

/// The wording of a text, word by word. A code span is one word, a line of a code block is another; both are as they
/// are written. Elsewhere quotes, marks at the end of a word, brackets at the ends of words, emphasis, bullets and hyphens between
/// letters tell nothing, and case tells something
/// only in what is no plain word, and in the unit of a number.
pub fn wording(text: &str) -> Vec<String> {
    let text = nfkc(text);
    let mut wording = Wording {
        words: Vec::new(),
        shouts: !text.contains(char::is_lowercase),
        begins: true,
        folded: Vec::new(),
    };
    let mut fence: Option<&str> = None;
    for line in text.split(['\n', '\r']) {
        let inside = line.trim_start_matches(is_space);
        match fence {
            Some(open) => {
                wording.words.push(format!("\n{line}"));
                let closes = inside.trim_end_matches(is_space);
                if closes.starts_with(open) && closes.trim_start_matches(&open[..1]).is_empty() {
                    fence = None;
                }
            }
            None if fence_of(inside).is_some() => {
                wording.words.push(format!("\n{line}"));
                fence = fence_of(inside);
            }
            None => {
                let indent = &line[..line.len() - inside.len()];
                if !indent.is_empty() && !inside.is_empty() && !wording.words.is_empty() {
                    wording.words.push(format!("\n{indent}"));
                }
                wording.line(inside);
            }
        }
    }
    wording.with_both_spellings()
}

/// The marks that open a code block, if a line does.
fn fence_of(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let (fence, info) = line.split_at(line.len() - line.trim_start_matches(mark).len());
    (fence.len() >= 3 && !info.contains('`')).then_some(fence)
}

/// The code spans of a line, and what stands between them.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let open = rest.find('`').unwrap_or(rest.len());
        let end = if open == 0 { span_of(rest) } else { open };
        let (part, after) = rest.split_at(end);
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// The length of the code span that begins a text; of its backticks alone where nothing closes it.
fn span_of(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mut at = ticks;
    while let Some(next) = text[at..].find('`') {
        at += next;
        let closing = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += closing;
        if closing == ticks {
            return at;
        }
    }
    ticks
}

/// The words so far.
struct Wording {
    words: Vec<String>,
    /// No letter is lower case, so that case tells nothing.
    shouts: bool,
    /// A sentence begins with the next word.
    begins: bool,
    /// The words within a sentence that stand in lower case here: their places, and how they are spelled.
    folded: Vec<(usize, String)>,
}

impl Wording {
    fn line(&mut self, line: &str) {
        let mut at = 0;
        for part in parts(line) {
            at += part.len();
            if part.starts_with('`') {
                self.words.push(part.to_owned());
                self.begins = false;
                continue;
            }
            let chunks = chunks(part);
            let count = |ends: fn(&str) -> Option<&str>| {
                chunks.iter().filter(|(_, chunk)| ends(chunk).is_some()).count()
            };
            let is_emphasis = count(opened) == count(closed);
            for (place, (start, chunk)) in chunks.iter().enumerate() {
                let before = line[..at - part.len() + start].chars().next_back();
                let next = chunks.get(place + 1).map_or(&line[at..], |(_, next)| next);
                let is_bullet = before.is_none() && chunk.chars().all(|c| BULLETS.contains(&c));
                let is_alone = before.is_some_and(is_space) && ALONE.contains(chunk);
                if is_alone {
                    self.words.push((*chunk).to_owned());
                } else if !is_bullet {
                    let chunk = if is_emphasis { plain(chunk) } else { chunk };
                    self.chunk(chunk, next.chars().next());
                }
            }
        }
    }

    /// Takes a run without spaces and quotes; `next` is the character behind the space after it.
    fn chunk(&mut self, chunk: &str, next: Option<char>) {
        let whole = chunk.trim_start_matches(OPENING).trim_end_matches(CLOSING);
        let is_sign = whole.ends_with(SIGNS) && next.is_some_and(char::is_lowercase);
        let ends = |c: char| c == '-' || MARKS.contains(&c) || CLOSING.contains(&c);
        let word = if is_sign {
            whole
        } else {
            whole.trim_end_matches(ends)
        };
        if !word.contains(|c: char| c.is_alphanumeric() || !c.is_ascii()) {
            if is_sign || chunk.contains(is_code) {
                self.words.push(chunk.to_owned());
            }
        } else if word.starts_with('-') {
            self.words.push(word.to_owned());
        } else {
            self.parted(word);
        }
        self.begins = chunk.ends_with(['.', ':', '!', '?']);
    }

    /// Takes a word in the parts between which hyphens stand.
    fn parted(&mut self, word: &str) {
        let mut from = 0;
        for (at, _) in word.match_indices('-') {
            let parts = word[..at].ends_with(char::is_alphanumeric)
                && word[at + 1..].starts_with(char::is_alphanumeric);
            if parts {
                self.word(&word[from..at]);
                from = at + 1;
            }
        }
        self.word(&word[from..]);
    }

    fn word(&mut self, word: &str) {
        let is_counted = !self.begins && self.words.last().is_some_and(|last| is_number(last));
        let is_unit = is_counted || word.starts_with(|c: char| c.is_ascii_digit());
        let keeps = !self.shouts && (is_unit || is_name(word) || (is_letter(word) && !self.begins));
        let spelled = word;
        let word = if keeps {
            word.to_owned()
        } else {
            nfkc(&word.to_lowercase()).into_owned()
        };
        if !keeps && !self.begins {
            self.folded.push((self.words.len(), spelled.to_owned()));
        }
        self.words.push(word);
        self.begins = false;
    }

    /// The words; one that the text spells in two ways within its sentences is as it is spelled, because case tells two
    /// things apart there.
    fn with_both_spellings(mut self) -> Vec<String> {
        let mut spelled: HashMap<String, BTreeSet<&str>> = HashMap::new();
        for (at, word) in &self.folded {
            spelled.entry(self.words[*at].clone()).or_default().insert(word);
        }
        let is_told = |word: &String| spelled.get(word).is_some_and(|ways| ways.len() > 1);
        let told: Vec<&(usize, String)> = self
            .folded
            .iter()
            .filter(|(at, _)| is_told(&self.words[*at]))
            .collect();
        for (at, word) in told {
            self.words[*at].clone_from(word);
        }
        self.words
    }
}

/// The runs of a text between white space, quotes and the marks that no code has. A mark of a sentence beside a letter
/// of a script without spaces is such a mark too. Each comes with its place.
fn chunks(text: &str) -> Vec<(usize, &str)> {
    let mut chunks = Vec::new();
    let mut from = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after = at + c.len_utf8();
        let is_beside = is_unspaced(before) || text[after..].starts_with(is_unspaced);
        let is_mark = !c.is_ascii() && is_punctuation(c) || MARKS.contains(&c) && is_beside;
        if is_mark || is_space(c) || ['"', '\''].contains(&c) {
            chunks.push((from, &text[from..at]));
            from = after;
        }
        before = c;
    }
    chunks.push((from, &text[from..]));
    chunks.retain(|(_, chunk)| !chunk.is_empty());
    chunks
}

/// A word without the asterisks of an emphasis that begins or ends with it.
fn plain(chunk: &str) -> &str {
    let rest = opened(chunk).unwrap_or(chunk);
    closed(rest).unwrap_or(rest)
}

/// The word after the asterisks that it begins with, as an emphasis does.
fn opened(chunk: &str) -> Option<&str> {
    let rest = chunk.trim_start_matches('*');
    (rest.len() < chunk.len() && rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// The word before the asterisks that it ends with, as an emphasis does.
fn closed(chunk: &str) -> Option<&str> {
    let inside = chunk.trim_end_matches(MARKS);
    let rest = inside.trim_end_matches('*');
    let is_closed = rest.ends_with(|c: char| c.is_alphanumeric() || MARKS.contains(&c));
    (rest.len() < inside.len() && is_closed).then_some(rest)
}

/// Says whether a mark is one of code where it stands alone.
fn is_code(c: char) -> bool {
    !MARKS.contains(&c) && !BULLETS.contains(&c) && !"()[]{}_".contains(c)
}

/// Says whether a word is the name of something in code: `NODE_ENV`, `$HOME`, `x=Y`, `userId`.
fn is_name(word: &str) -> bool {
    let camel = word.starts_with(char::is_lowercase) && word.contains(char::is_uppercase);
    camel || word.contains(['_', '$', '=', '<', '>', '|', '@', '(', '[', '{'])
}

/// Says whether a word is a number, behind which a unit stands: `5`, `1.5`, `~100`.
fn is_number(word: &str) -> bool {
    word.ends_with(|c: char| c.is_ascii_digit()) && !word.contains(char::is_alphabetic)
}

/// Says whether a word is a letter, as that of a key or a drive.
fn is_letter(word: &str) -> bool {
    word.len() == 1 && word.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::canonical;

    #[test]
    fn case_quotes_and_the_marks_of_prose_tell_nothing() {
        for (a, b) in [
            ("Use npm  cache!", "use npm cache"),
            ("USE C:\\WORK\\A_B.TS", "use c:\\work\\a_b.ts"),
            ("\"Use it (always).\"", "use it always"),
            ("- **Never** push, really…", "never push really"),
            ("The-cache — a layer", "the cache a layer"),
            ("文件在這裡，請參考。", "「文件在這裡 請參考」"),
            ("Stop! Use A of GitHub", "stop. Use A of github"),
            ("don’t", "don't"),
            ("a\nb", "a\r\nb"),
            ("see [it] (once).", "see it once"),
            ("???", "…"),
            ("Ｕｓｅ it", "use it"),
            ("A 45 DAY LIFE", "a 45 day life"),
            ("It is 5. Use it", "it is 5. use it"),
            ("Run `x -D`.", "run `x -D`"),
            ("Use it. Then use it", "use it. then use it"),
            ("we use Rust", "we use rust"),
        ] {
            assert_eq!(wording(a), wording(b));
        }
    }

    #[test]
    fn signs_and_case_of_code_and_its_layout_tell() {
        for (a, b) in [
            ("branch -d", "branch -D"),
            ("timeout -1", "timeout 1"),
            ("C# is", "C is"),
            ("a != b", "a = b"),
            ("call save! in jobs", "call save in jobs"),
            ("Set NODE_ENV", "Set node_env"),
            ("the userId", "the userID"),
            ("is 5 GB", "is 5 Gb"),
            ("at 100 MB/s", "at 100 Mb/s"),
            ("at 8 MBps", "at 8 Mbps"),
            ("5 mm", "5 Mm"),
            ("wait 5ms", "wait 5Ms"),
            ("a 10-Gb", "a 10-GB"),
            ("quit with q", "quit with Q"),
            ("in `A b`", "in `a b`"),
            ("in `a`", "in a"),
            ("*.rs files", ".rs files"),
            ("save() it", "save it"),
            ("go vet ./... first", "go vet first"),
            ("docker build .", "docker build"),
            ("git add * first", "git add first"),
            ("a && b", "a b"),
            ("100% of it", "100 of it"),
            ("- a\n  - b", "- a\n- b"),
            ("```\na:\n  b\n```", "```\na:\n    b\n```"),
            ("~~~\nls -a\n~~~", "~~~\nls -A\n~~~"),
            ("``a`b``", "``a`B``"),
            ("foo.bar", "foo bar"),
            ("x\u{2212}1", "x1"),
            ("Use Rust's Box, not box", "Use Rust's box, not Box"),
            ("the US asks us", "the us asks US"),
        ] {
            assert_ne!(wording(a), wording(b));
        }
    }

    #[test]
    fn a_code_block_ends_where_its_marks_say() {
        assert_eq!(
            wording("~~~ x\n```\n~~~~ \nThe END"),
            ["\n~~~ x", "\n```", "\n~~~~ ", "the", "end"]
        );
        assert_eq!(wording("```a``` Bee"), ["```a```", "bee"]);
        assert_eq!(wording("`a Bee"), ["`", "a", "bee"]);
    }

    proptest! {
        #[test]
        fn texts_of_one_wording_have_one_canonical_text(text in "([ -~]|\n|設|。|é|[Ａ-Ｚ]|```|  |—){0,60}") {
            let apart = |text: &str| canonical(&text.replace('`', " ` "));
            prop_assert_eq!(apart(&wording(&text).join(" ")), apart(&text));
        }
    }
}
