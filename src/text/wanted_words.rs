//! Words that are looked for in a text, as they stand there: whatever their case, width and composition, in every script.

use std::borrow::Cow;
use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

use super::{folded_name, is_unspaced};

/// The bytes that are looked at together for one that is not ASCII.
const BLOCK: usize = 64;
/// What a word counts for that stands within a longer one.
const WITHIN: f64 = 0.3;
/// The dot that is left of `İ` without its case.
const DOT_ABOVE: char = '\u{307}';

/// The words of a question. All of them have to be found; each may be a part of a longer word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedWords {
    /// Folded, the longest first.
    words: Vec<String>,
}

impl WantedWords {
    /// The words of a question, parted by spaces; `None` where there is no word.
    pub fn new(question: &str) -> Option<Self> {
        let mut words: Vec<String> = question.split_whitespace().map(folded).collect();
        words.retain(|word| !word.is_empty());
        words.sort_by_key(|word| (std::cmp::Reverse(word.len()), word.clone()));
        words.dedup();
        (!words.is_empty()).then_some(Self { words })
    }

    /// How often each word is in the texts; within a longer word it counts less than at the beginning of one.
    pub fn counts<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Vec<f64> {
        let mut counts = vec![0.0; self.words.len()];
        for text in texts {
            let text = folded(text);
            for (word, count) in self.words.iter().zip(&mut counts) {
                for (at, _) in text.match_indices(word.as_str()) {
                    let is_within = text[..at].ends_with(|c: char| c.is_alphanumeric() && !is_unspaced(c));
                    *count += if is_within { WITHIN } else { 1.0 };
                }
            }
        }
        counts
    }

    /// The number of the words that are in a text, and the bytes of the longest of them with the small letters that
    /// go on; `None` where there is no word.
    pub fn found_in(&self, text: &str) -> Option<(usize, Range<usize>)> {
        let whole = folded(text);
        let found = self.words.iter();
        let mut found = found.filter_map(|word| Some((word, whole.find(word.as_str())?)));
        let (word, start) = found.next()?;
        let ends: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        // Folding a part takes as long as the part is, so the place is looked for by halves.
        let begun = ends.partition_point(|end| folded(&text[..*end]).len() <= start);
        let ended = ends.partition_point(|end| folded(&text[..*end]).len() < start + word.len());
        let start = begun.checked_sub(1).map_or(0, |before| ends[before]);
        let end = ends.get(ended).copied().unwrap_or(text.len()).max(start);
        let rest = text[end..].bytes().take_while(u8::is_ascii_lowercase).count();
        Some((1 + found.count(), start..end + rest))
    }
}

/// What tells lines of JSON that may have one of the words from those that have none, without reading the JSON.
#[derive(Debug, Clone)]
pub struct LineFilter {
    /// Of each word a part that JSON does not escape.
    keys: Vec<String>,
    plain: Regex,
    /// True where what tools were given and gave is looked at too.
    pub is_of_tools: bool,
}

impl LineFilter {
    /// For these words, and for lines that have `also`.
    pub fn new(wanted: &WantedWords, also: Option<&str>) -> Self {
        let keys = wanted.words.iter().map(|word| {
            let parts = word.split(|c: char| !c.is_alphanumeric());
            parts.max_by_key(|part| part.len()).unwrap_or_default().to_owned()
        });
        let keys: Vec<String> = keys.collect();
        let plain = keys.iter().map(String::as_str).chain(also).map(regex::escape);
        let plain = RegexBuilder::new(&plain.collect::<Vec<_>>().join("|"))
            .case_insensitive(true)
            .build();
        Self {
            keys,
            is_of_tools: also.is_some(),
            plain: plain.expect("because words are escaped"),
        }
    }

    /// Hands on each of these lines, and says whether it may have one of the words. False where none may: most parts of a
    /// file have none, and are looked at whole.
    pub fn lines<'l>(&self, lines: &'l [u8], mut take: impl FnMut(&'l [u8], bool)) -> bool {
        if !self.has_some(lines) {
            return false;
        }
        let ends = memchr::memchr_iter(b'\n', lines).map(|at| at + 1);
        let mut start = 0;
        for end in ends.chain([lines.len()]) {
            let line = &lines[start..end];
            take(line, self.has_some(line));
            start = end;
        }
        true
    }

    /// True for a line that may have one of the words.
    pub fn has_some(&self, line: &[u8]) -> bool {
        self.plain.is_match(line) || self.may_have(line)
    }

    /// The same for one in which no word stands as it is.
    fn may_have(&self, line: &[u8]) -> bool {
        if self.keys.iter().all(|key| key.is_ascii()) {
            return runs(line).any(|run| run.chars().any(may_be_ascii));
        }
        let is_escaped = || memchr::memmem::find(line, b"\\u").is_some();
        let has = |folded: &str| self.keys.iter().any(|key| folded.contains(key.as_str()));
        !line.is_ascii() && has(&folded(&String::from_utf8_lossy(line))) || is_escaped()
    }
}

/// The runs of a text without ASCII.
fn runs(text: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let block = rest.chunks(BLOCK).position(|block| !block.is_ascii())? * BLOCK;
        let start = block + rest[block..].iter().position(|byte| !byte.is_ascii())?;
        let end = rest[start..].iter().position(u8::is_ascii);
        let (run, after) = rest[start..].split_at(end.unwrap_or(rest.len() - start));
        rest = after;
        Some(String::from_utf8_lossy(run))
    })
}

/// True for a character of another script or width in the place of which an ASCII letter or digit may be looked for.
fn may_be_ascii(c: char) -> bool {
    let is_far = matches!(c, '\u{370}'..'\u{1d00}' | '\u{2000}'..'\u{2070}' | '\u{2190}'..'\u{2460}'
        | '\u{2500}'..'\u{2c60}' | '\u{2e80}'..'\u{3200}' | '\u{3400}'..'\u{a700}' | '\u{ac00}'..'\u{f900}');
    !is_far && folded(c.encode_utf8(&mut [0; 4])).contains(|c: char| c.is_ascii_alphanumeric())
}

/// The text without case, width and composition. A run without ASCII is folded by the tables of Unicode, with the letter
/// before it, which a mark may belong to.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii()) {
        let (plain, after) = rest.split_at(at.saturating_sub(1));
        let end = after.bytes().skip(1).position(|byte| byte.is_ascii());
        // A byte behind the first is within that character where the run begins with it: no ASCII byte is.
        let (run, after) = after.split_at(end.map_or(after.len(), |end| end + 1));
        folded.push_str(plain);
        // A dash or an arrow stands in nearly every text.
        if run.chars().any(char::is_alphabetic) || is_nfkc_quick(run.chars()) != IsNormalized::Yes {
            let run: String = run.nfkc().collect();
            folded.extend(folded_name(&run).chars().filter(|c| *c != DOT_ABOVE));
        } else {
            folded.push_str(run);
        }
        rest = after;
    }
    folded.push_str(rest);
    folded.make_ascii_lowercase();
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_width_and_composition_do_not_matter_in_any_script() {
        for (question, text) in [
            ("straße", "in der GROSSEN STRASSE"),
            ("STRASSE", "eine straße"),
            ("STRAẞE", "eine straße"),
            ("istanbul", "İSTANBUL'da"),
            ("İstanbul", "istanbul"),
            ("οδυσσευς", "ΟΔΥΣΣΕΥΣ και"),
            ("ΟΔΟΣ", "η οδός? οδος"),
            ("москва", "Город МОСКВА"),
            ("設定", "新しい設定ファイル"),
            ("ﾌｧｲﾙ", "新しいファイル"),
            ("مرحبا", "قال مرحبا بك"),
            ("👍🏽", "done 👍🏽!"),
            ("caf\u{e9}", "CAFE\u{301} noir"),
            ("ＡＰＩ", "the api"),
            ("office", "the oﬃce"),
            ("100%", "it is 100% done"),
            ("a_b", "x A_B y"),
            ("foo bar", "BAR and Foo"),
        ] {
            let wanted = WantedWords::new(question).unwrap();
            assert!(
                wanted.counts([text]).iter().all(|count| *count > 0.0),
                "{question} in {text}"
            );
            let (count, at) = wanted.found_in(text).unwrap();
            assert_eq!(count, question.split_whitespace().count());
            let hit = WantedWords::new(&text[at.clone()]).unwrap();
            assert!(wanted.words[0] == hit.words[0], "{question}: {:?}", &text[at]);
        }
    }

    #[test]
    fn every_word_has_to_be_there_and_signs_are_no_patterns() {
        let counts = |question: &str, texts: &[&str]| {
            let wanted = WantedWords::new(question).unwrap();
            wanted.counts(texts.iter().copied())
        };
        for (question, text) in [
            ("foo bar", "foo"),
            ("a%b", "a to b"),
            ("a_b", "axb"),
            ("100%", "1000"),
            ("[ab]", "a"),
        ] {
            assert!(counts(question, &[text]).contains(&0.0), "{question} in {text}");
        }
        let several = counts("foo bar", &["a foo", "a bar Bars", "rebar"]);
        assert_eq!(
            several,
            [2.0 + WITHIN, 1.0],
            "in several texts of a message, at beginnings and within"
        );
        assert_eq!(WantedWords::new(" \n "), None);
    }

    #[test]
    fn a_line_with_a_word_passes_the_filter_however_json_writes_it() {
        let has = |question: &str, line: &str| {
            let filter = LineFilter::new(&WantedWords::new(question).unwrap(), Some("\"call\""));
            let is_it = filter.has_some(line.as_bytes());
            let (mut taken, lines) = (Vec::new(), format!("{{}}\n{line}\n{{\"é\":1}}\n{line}"));
            filter.lines(lines.as_bytes(), |line, may_have| {
                taken.extend(may_have.then_some(line));
            });
            taken.retain(|taken| taken.trim_ascii_end() == line.as_bytes());
            assert_eq!(taken.len(), if is_it { 2 } else { 0 }, "{question} in {lines}");
            is_it
        };
        for (question, line) in [
            ("needle", r#"{"text":"a NEEDLE"}"#),
            ("a\"needle/x", r#"{"text":"A\"needle\/x"}"#),
            ("straße", r#"{"text":"STRASSE"}"#),
            ("istanbul", r#"{"text":"İSTANBUL"}"#),
            ("office", r#"{"text":"the oﬃce"}"#),
            ("設定", r#"{"text":"設定"}"#),
            ("設定", r#"{"text":"\u8a2d\u5b9a"}"#),
            ("👍🏽", r#"{"text":"👍🏽"}"#),
            ("x needle", r#"{"text":"x"}"#),
            ("needle", r#"{"type":"call"}"#),
        ] {
            assert!(has(question, line), "{question} in {line}");
        }
        for (question, line) in [
            ("needle", r#"{"text":"a nee\ndle"}"#),
            ("needle", r#"{"text":"é \u001b"}"#),
            ("設定", r#"{"text":"設"}"#),
        ] {
            assert!(!has(question, line), "{question} in {line}");
        }
    }

    #[test]
    fn each_letter_that_folds_to_ascii_may_be_ascii() {
        let is_missed = |c: &char| {
            let folded = folded(c.encode_utf8(&mut [0; 4]));
            folded.contains(|c: char| c.is_ascii_alphanumeric()) && !may_be_ascii(*c)
        };
        let missed: Vec<char> = ('\u{80}'..=char::MAX).filter(is_missed).collect();
        assert_eq!(missed, []);
    }

    #[test]
    fn a_place_is_one_of_the_text_as_it_is() {
        let text = "ÄÄÄ İİİ ßßß ﬃ設 needle ﬃ";
        let (_, at) = WantedWords::new("NEEDLE").unwrap().found_in(text).unwrap();
        assert_eq!(&text[at], "needle");
        let (_, at) = WantedWords::new("設").unwrap().found_in(text).unwrap();
        assert_eq!(&text[at], "設");
        assert_eq!(WantedWords::new("x").unwrap().found_in(text), None);
    }
}
