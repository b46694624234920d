//! A text as the tokens that are searched: words folded and stemmed, identifiers whole and in their parts, scripts
//! without spaces as pairs of neighbours.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::text::{is_unspaced, words};

use super::stem::stem;

/// A longer word is a hash or a blob of data: it is found by its beginning.
const MOST_BYTES: usize = 64;

/// The role of a token beside the others at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A word, or a part of an identifier.
    Word,
    /// An identifier as a whole (`parseConfig` is `parseconfig`), at the place of its first part.
    Whole,
    /// Two neighbours in a script without spaces.
    Pair,
    /// What a text has and no question asks for: the last letter of a run of such a script, by which a single letter is
    /// found; the month and the year of a date.
    Within,
}

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    /// The bytes of the text that it was made of.
    pub(super) at: Range<usize>,
    /// Its number among the words of the text.
    pub(super) place: usize,
    pub(super) form: Form,
}

/// The two letters by which tokens begin that are looked for. A stem begins as its word does: other words need none.
pub(super) struct Beginnings(Vec<bool>);

impl Beginnings {
    /// Those of some tokens.
    pub(super) fn of<'t>(tokens: impl Iterator<Item = &'t str>) -> Self {
        let mut is_one = vec![false; 1 << 16];
        for token in tokens {
            match *token.as_bytes() {
                [] => {}
                [first] => is_one[usize::from(first) << 8..][..256].fill(true),
                [first, second, ..] => is_one[usize::from(first) << 8 | usize::from(second)] = true,
            }
        }
        Self(is_one)
    }

    /// Those of words that have one of these letters as their first or second one.
    pub(super) fn near(letters: &[char]) -> Self {
        let is_near = |byte: usize| letters.iter().any(|letter| byte == *letter as usize);
        let is_other = letters.iter().any(|letter| !letter.is_ascii());
        let pairs = 0..1_usize << 16;
        Self(
            pairs
                .map(|pair| is_other || is_near(pair >> 8) || is_near(pair & 255))
                .collect(),
        )
    }

    fn has(&self, word: &str) -> bool {
        match *word.as_bytes() {
            [first, second, ..] if first.is_ascii_alphanumeric() && second.is_ascii_alphanumeric() => {
                let [first, second] = [first, second].map(|byte| usize::from(byte.to_ascii_lowercase()));
                self.0[first << 8 | second]
            }
            _ => true,
        }
    }
}

/// Gives the tokens of a text, in order.
pub(super) fn each_token(text: &str, give: impl FnMut(Token)) {
    each_token_of(text, None, &mut 0, give);
}

/// The same, with places from `place` on. A word that begins otherwise is given without its text, an identifier not.
pub(super) fn each_token_of(
    text: &str,
    wanted: Option<&Beginnings>,
    place: &mut usize,
    mut give: impl FnMut(Token),
) {
    let mut from = 0;
    while let Some(start) = text[from..].find(is_letter).map(|at| from + at) {
        let end = end_of_chunk(text, start);
        chunk(text, start..end, wanted, place, &mut give);
        from = end;
    }
}

/// A letter, a digit, or what belongs to the letter before it.
fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric()
    } else {
        c.is_alphanumeric() || is_unspaced(c) || is_combining_mark(c)
    }
}

/// The end of a chunk: letters, with single `_`, `-` and `.` between them, and `+` and `#` at the end (c++).
fn end_of_chunk(text: &str, start: usize) -> usize {
    let mut end = start;
    loop {
        let rest = &text[end..];
        end += rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        let mut next = text[end..].chars();
        let joins = matches!(next.next(), Some('_' | '-' | '.')) && next.next().is_some_and(is_letter);
        if !joins {
            break;
        }
        end += 1;
    }
    let signs = text[end..].trim_start_matches(['+', '#']);
    let ends = !signs.starts_with(is_letter) && end - start <= 2;
    if ends { text.len() - signs.len() } else { end }
}

fn chunk(
    text: &str,
    at: Range<usize>,
    wanted: Option<&Beginnings>,
    place: &mut usize,
    give: &mut impl FnMut(Token),
) {
    // As most are: looked at once.
    let is_one_word = |run: &[u8]| {
        run.iter()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let run = &text.as_bytes()[at.clone()];
    if run[0].is_ascii_alphanumeric() && is_one_word(&run[1..]) {
        word(text, at, wanted, place, give);
        return;
    }
    if let Some(month) = month_of(&text[at.clone()]) {
        let date = &text[at.clone()];
        token(date.to_owned(), at.clone(), *place, Form::Word, give);
        let year_and_month = Some(&date[..7]).filter(|_| date.len() > 7);
        for part in year_and_month.into_iter().chain([&date[..4], month]) {
            token(part.to_owned(), at.clone(), *place, Form::Within, give);
        }
        *place += 1;
        return;
    }
    let parts = parts(text, at.clone());
    let spaced = |part: &&Range<usize>| !text[part.start..].starts_with(is_unspaced);
    let is_wanted = wanted.is_none_or(|wanted| wanted.has(&text[at.clone()]));
    if is_wanted && parts.iter().filter(spaced).count() > 1 && parts.iter().all(|part| spaced(&part)) {
        let mut whole: String = parts.iter().map(|part| folded(&text[part.clone()])).collect();
        stem(&mut whole);
        token(whole, at, *place, Form::Whole, give);
    }
    for part in parts {
        let run = &text[part.clone()];
        if run.starts_with(is_unspaced) {
            for pair in words(run) {
                let start = part.start + (pair.as_ptr() as usize - run.as_ptr() as usize);
                token(
                    pair.nfkc().collect(),
                    start..start + pair.len(),
                    *place,
                    Form::Pair,
                    give,
                );
                *place += 1;
            }
            if let Some((last, _)) = run.char_indices().next_back().filter(|(last, _)| *last > 0) {
                let start = part.start + last;
                token(
                    run[last..].nfkc().collect(),
                    start..part.end,
                    *place - 1,
                    Form::Within,
                    give,
                );
            }
        } else {
            word(text, part, wanted, place, give);
        }
    }
}

fn word(
    text: &str,
    at: Range<usize>,
    wanted: Option<&Beginnings>,
    place: &mut usize,
    give: &mut impl FnMut(Token),
) {
    let run = &text[at.clone()];
    if wanted.is_none_or(|wanted| wanted.has(run)) {
        let mut word = folded(run);
        stem(&mut word);
        token(word, at, *place, Form::Word, give);
    } else {
        give(Token {
            text: String::new(),
            at,
            place: *place,
            form: Form::Word,
        });
    }
    *place += 1;
}

/// The stems of the months.
pub(super) const MONTHS: [&str; 12] = [
    "januari", "februari", "march", "april", "mai", "june", "juli", "august", "septemb", "octob", "novemb",
    "decemb",
];

/// The month of `2026-03-02` and of `2026-03`.
fn month_of(date: &str) -> Option<&'static str> {
    let mut parts = date.split('-');
    let mut next = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits)?;
        part.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| part.parse::<usize>().ok())?
    };
    let (_, month) = (next(4)?, next(2)?);
    if date.len() > 7 {
        next(2).filter(|day| (1..=31).contains(day))?;
    }
    MONTHS
        .get(month.wrapping_sub(1))
        .copied()
        .filter(|_| parts.next().is_none())
}

fn token(mut text: String, at: Range<usize>, place: usize, form: Form, give: &mut impl FnMut(Token)) {
    text.truncate(text.floor_char_boundary(MOST_BYTES));
    if !text.is_empty() {
        give(Token {
            text,
            at,
            place,
            form,
        });
    }
}

/// The parts of a chunk: at `_`, `-` and `.`, where a capital begins a word, and where scripts with and without spaces
/// meet.
fn parts(text: &str, at: Range<usize>) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = at.start;
    let mut before: Option<char> = None;
    let chunk = &text[at.clone()];
    for (offset, c) in chunk.char_indices() {
        let here = at.start + offset;
        let joins = matches!(c, '_' | '-' | '.');
        let next = chunk[offset + c.len_utf8()..].chars().next();
        let begins = before.is_some_and(|before| {
            let hump = c.is_uppercase() && before.is_lowercase();
            let after_capitals =
                c.is_uppercase() && before.is_uppercase() && next.is_some_and(char::is_lowercase);
            hump || after_capitals || is_unspaced(before) != is_unspaced(c) && !is_combining_mark(c)
        });
        if joins || begins {
            parts.push(start..here);
            start = here + if joins { c.len_utf8() } else { 0 };
        }
        before = (!joins).then_some(c);
    }
    parts.push(start..at.end);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Lower case, without diacritics.
pub(super) fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(word.len());
    for c in word
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
    {
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            c if is_combining_mark(c) => {}
            c => folded.push(c),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let mut tokens = Vec::new();
        each_token(text, |token| {
            assert!(text.get(token.at.clone()).is_some(), "{token:?}");
            tokens.push(token.text);
        });
        tokens.join(" ")
    }

    #[test]
    fn an_identifier_is_found_whole_and_in_parts() {
        for spelling in [
            "parseConfig",
            "parse_config",
            "parse-config",
            "PARSE_CONFIG",
            "ParseConfig",
            "parse.config",
        ] {
            assert_eq!(of(spelling), "parseconfig pars config", "{spelling}");
        }
        assert_eq!(of("HTTPClient v2"), "httpclient http client v2");
        assert_eq!(of("use c++, c# and #tag; a+b"), "us c++ c# and tag a b");
    }

    #[test]
    fn a_date_is_one_word_and_has_its_month() {
        assert_eq!(of("on 2026-03-02"), "on 2026-03-02 2026-03 2026 march");
        assert_eq!(of("2026-03"), "2026-03 2026 march");
        assert_eq!(of("2026-13-02"), "20261302 2026 13 02");
        let names = "January February March April May June July August September October November December";
        assert_eq!(of(names), MONTHS.join(" "));
    }

    #[test]
    fn forms_and_diacritics_are_folded() {
        assert_eq!(of("Cafés naïve Straße Ångström"), "cafe naiv strass angstrom");
        assert_eq!(of("don't partner's"), "don t partner s");
        assert_eq!(of("\u{0}\u{301} ''\"\" -- .. ()"), "");
    }

    #[test]
    fn a_script_without_spaces_gives_pairs_and_its_last_letter() {
        assert_eq!(of("設定檔"), "設定 定檔 檔");
        assert_eq!(of("用v2版本"), "用 v2 版本 本");
        assert_eq!(of("檔"), "檔");
        assert_eq!(of("ภาษาไทย").split(' ').count(), 7);
    }

    #[test]
    fn a_long_text_takes_its_length() {
        for piece in ["aB", "a_", "設", "é", "-", "Word # ", "\u{301}"] {
            let make = |bytes| crate::model::repeated(piece, bytes);
            crate::model::takes_its_length(piece, make, |text| each_token(text, |_| {}));
        }
    }
}
