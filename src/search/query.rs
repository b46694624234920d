//! A person's question as the words that are searched: what says nothing is left out, and what says the same is added.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use super::meaning::Near;
use super::tokens::{Form, MONTHS, Token, each_token, folded};
use crate::text::is_unspaced;

/// The most characters and words of a question; what comes after them is not searched.
const MOST_CHARS: usize = 2_000;
pub(super) const MOST_WORDS: usize = 32;

/// The weight of a word that stands for another one, and of one that says it in another script.
const LIKE: f64 = 0.45;
pub(super) const TRANSLATED: f64 = 0.8;

/// Words that say how a question is asked and not what it is about: articles, pronouns, auxiliary verbs, prepositions,
/// question words; in scripts without spaces the pairs that question words and endings are made of.
const SILENT: &str = "\
a an the this that these those it its he she they them his her their i me my mine we us our ours you your \
yours who whom whose what which when where why how is are was were be been being am do does did done doing \
have has had having can could may might must shall should will would of to in on at by for from with \
without into onto about above below over under after before between during through until up down out off \
again and or but nor not no if then than so as too very there here any some all each both just only also \
still ever yet s t d ll re ve m don didn doesn isn aren wasn weren won wouldn couldn shouldn get got gets \
getting something someone thing please 什么 什麼 怎么 怎麼 么做 麼做 如何 是否 可以 以在 我们 我們 们的 們的 哪里 哪裡 在哪 多少 少次 多久 哪种 哪種 是什 \
要什 要誰 要谁 的是 了吗 了嗎 吗 嗎 呢 的 了 です ます ます すか ですか ので のは のが いつ どこ どの どう どれ はど はい くら らい い何 する した しま ませ せん には では とど \
なる る の か は が を に で と も 나요 인가 가요 하나 어디 언제 무엇 누구 구인 떻게 어떻 습니 니다 니까 는지 되나 해도 도되 은 는 이 가 을 를";

/// Words of which one is written for another, in four languages: a line each.
const ALIKE: &str = include_str!("../../templates/search/alike.txt");
/// The most letters of a word of these that is looked for in a script without spaces.
const MOST_LETTERS: usize = 10;

/// A word of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    /// As it was typed, folded.
    pub(super) typed: String,
    /// The token that it is, and the others that count for it, each with its weight.
    pub(super) forms: Vec<(String, f64)>,
    /// Tells a whole identifier from its parts, which are words of their own.
    pub(super) is_whole: bool,
    /// True for a pair that is no part of a word: it lies across the edge of one that is known.
    pub(super) is_edge: bool,
    /// True for a single letter of a script without spaces, which is found as the beginning of a pair.
    pub(super) is_letter: bool,
}

impl Word {
    /// The token that it is.
    pub(super) fn token(&self) -> &str {
        &self.forms[0].0
    }

    /// True for a word in letters of which mdmem knows nothing.
    pub(super) fn may_be_a_slip(&self) -> bool {
        let is_of_letters = self.typed.chars().all(|c| c.is_alphabetic() && !is_unspaced(c));
        is_of_letters && !self.is_whole && self.forms.len() == 1
    }
}

/// A question, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    pub(super) words: Vec<Word>,
    /// How near each candidate is in meaning, by its place; empty where no model was asked.
    pub(super) near: Vec<Option<Near>>,
}

impl Query {
    /// Reads what a person typed; any characters are as good as others.
    pub fn new(text: &str) -> Self {
        let end = text
            .char_indices()
            .nth(MOST_CHARS)
            .map_or(text.len(), |(at, _)| at);
        let mut tokens = Vec::new();
        each_token(&text[..end], |token| {
            if token.form != Form::Within {
                tokens.push(token);
            }
        });
        let silent = silent();
        // The month, and not the verb.
        let is_may = |token: &Token| token.at.start > 0 && &text[token.at.clone()] == "May";
        let all_silent = tokens.iter().all(|token| silent.contains(token.text.as_str()));
        let mut seen = HashSet::new();
        tokens.retain(|token| {
            let is_silent = silent.contains(token.text.as_str()) && !is_may(token);
            let says = all_silent || token.form == Form::Whole || !is_silent;
            says && seen.insert(token.text.clone())
        });
        tokens.truncate(MOST_WORDS);
        let known = known(&text[..end]);
        let words = tokens.into_iter().map(|token| {
            let meets = |known: &&Range<usize>| known.start < token.at.end && token.at.start < known.end;
            let word = known.iter().find(meets).cloned().unwrap_or(token.at.clone());
            let is_within = word.start <= token.at.start && token.at.end <= word.end;
            Word {
                is_whole: token.form == Form::Whole,
                is_edge: !is_within,
                is_letter: token.form == Form::Pair && token.text.chars().nth(1).is_none(),
                typed: folded(&text[token.at]),
                forms: forms(token.text, is_within.then_some(&text[word])),
            }
        });
        Self {
            words: words.collect(),
            near: Vec::new(),
        }
    }

    /// The same with what a sentence model says of each candidate, in their order.
    #[must_use]
    pub fn with_near(self, near: Vec<Option<Near>>) -> Self {
        Self { near, ..self }
    }

    /// True for a question of no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// True where a day, a month or a year is a word of it.
    pub fn asks_for_a_date(&self) -> bool {
        let is_year = |token: &str| token.starts_with("20") && token.len() >= 4;
        let is_date = |(form, _): &(String, f64)| is_year(form) || MONTHS.contains(&form.as_str());
        self.words.iter().any(|word| word.forms.iter().any(is_date))
    }

    /// The words by the tokens that count for them, with their weights.
    pub(super) fn by_token(&self) -> HashMap<&str, Vec<(usize, f64)>> {
        let mut by_token: HashMap<&str, Vec<(usize, f64)>> = HashMap::new();
        for (at, word) in self.words.iter().enumerate() {
            for (form, weight) in &word.forms {
                by_token.entry(form).or_default().push((at, *weight));
            }
        }
        by_token
    }
}

pub(super) fn stems(words: &str) -> Vec<String> {
    let mut stems = Vec::new();
    each_token(words, |token| {
        if token.form != Form::Within {
            stems.push(token.text);
        }
    });
    stems
}

pub(super) fn silent() -> &'static HashSet<String> {
    static SILENT_STEMS: OnceLock<HashSet<String>> = OnceLock::new();
    SILENT_STEMS.get_or_init(|| stems(SILENT).into_iter().collect())
}

/// The words of a script without spaces that are known in a text: from the left, the longest first.
fn known(text: &str) -> Vec<Range<usize>> {
    let mut known: Vec<Range<usize>> = Vec::new();
    if text.is_ascii() {
        return known;
    }
    for (start, _) in text.char_indices() {
        if known.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let ends = text[start..].char_indices().take(MOST_LETTERS);
        let mut ends: Vec<usize> = ends.map(|(at, c)| start + at + c.len_utf8()).collect();
        ends.reverse();
        let is_known =
            |end: &usize| !text[start..*end].is_ascii() && alike().contains_key(&text[start..*end]);
        known.extend(ends.into_iter().find(is_known).map(|end| start..end));
    }
    known
}

/// The lines of [`ALIKE`] by the words in them: stems, and the words of scripts without spaces as they stand there.
fn alike() -> &'static HashMap<String, Vec<&'static str>> {
    static ALIKE_BY_WORD: OnceLock<HashMap<String, Vec<&'static str>>> = OnceLock::new();
    ALIKE_BY_WORD.get_or_init(|| {
        let mut alike: HashMap<String, Vec<&'static str>> = HashMap::new();
        for line in ALIKE.lines() {
            for word in line.split(' ') {
                let key = if word.is_ascii() {
                    stems(word).remove(0)
                } else {
                    word.to_owned()
                };
                alike.entry(key).or_default().push(line);
            }
        }
        alike
    })
}

/// A token and those that count for it: the others of its line, or of the line of the word that it is a part of.
fn forms(token: String, word: Option<&str>) -> Vec<(String, f64)> {
    let lines = [Some(token.as_str()), word]
        .into_iter()
        .flatten()
        .find_map(|word| alike().get(word));
    let is_ascii = word.unwrap_or(&token).is_ascii();
    let mut forms = vec![(token, 1.0)];
    for other in lines.into_iter().flatten().flat_map(|line| line.split(' ')) {
        let stems = stems(other);
        let weight = if is_ascii == other.is_ascii() {
            LIKE
        } else {
            TRANSLATED
        };
        let weight = weight / f64::from(u8::try_from(stems.len()).unwrap_or(u8::MAX));
        for stem in stems {
            if !forms.iter().any(|(form, _)| *form == stem) {
                forms.push((stem, weight));
            }
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let query = Query::new(text);
        let words: Vec<&str> = query.words.iter().map(Word::token).collect();
        words.join(" ")
    }

    #[test]
    fn what_says_nothing_is_left_out_unless_nothing_else_is_said() {
        assert_eq!(of("how do we parse the locale?"), "pars local");
        assert_eq!(of("where is it"), "where is it");
        assert_eq!(of("parse_locale"), "parselocal pars local");
        assert_eq!(of("資料庫什麼時候重建"), "資料 料庫 庫什 麼時 時候 候重 重建");
        assert_eq!(of("設"), "設");
    }

    #[test]
    fn any_characters_are_a_question() {
        for odd in [
            "",
            "\"",
            "AND OR NOT",
            "a:b* ^c NEAR(x)",
            "\0\0",
            "(((",
            "'; drop table",
            "{a b}: c",
        ] {
            let _ = Query::new(odd);
        }
        assert!(Query::new("\" ' () * : ^ \u{0}").is_empty());
        assert!(Query::new(&"word7 ".repeat(10_000)).words.len() <= MOST_WORDS);
    }

    #[test]
    fn a_word_stands_for_those_of_its_line_with_less_weight() {
        let forms = |text: &str| Query::new(text).words.remove(0).forms;
        let weight = |text: &str, form: &str| {
            let forms = forms(text);
            forms
                .iter()
                .find(|(other, _)| other == form)
                .map(|(_, weight)| *weight)
        };
        assert_eq!(weight("databases", "databas"), Some(1.0));
        assert_eq!(weight("databases", "db"), Some(LIKE));
        assert_eq!(
            weight("databases", "数据"),
            Some(TRANSLATED / 2.0),
            "a pair of three letters"
        );
        assert_eq!(weight("データベースの障害", "databas"), Some(TRANSLATED));
        assert_eq!(weight("배포는", "deploi"), Some(TRANSLATED));
        assert_eq!(weight("3月", "march"), Some(TRANSLATED));
        assert_eq!(forms("zebra"), [("zebra".to_owned(), 1.0)]);
        let edges: Vec<bool> = Query::new("로그는")
            .words
            .iter()
            .map(|word| word.is_edge)
            .collect();
        assert_eq!(edges, [false, true], "what a particle makes is no word");
    }

    #[test]
    fn each_word_stands_in_one_line_but_for_the_order_of_a_shop() {
        let mut seen = HashSet::new();
        let twice: Vec<&str> = ALIKE
            .split_whitespace()
            .filter(|word| !seen.insert(*word))
            .collect();
        assert_eq!(twice, ["order"]);
    }

    #[test]
    fn may_is_a_month_where_it_is_written_so() {
        assert_eq!(of("may we deploy"), "deploi");
        assert_eq!(of("May we deploy in May"), "deploi mai");
        assert!(Query::new("in May").asks_for_a_date() && !Query::new("may we deploy").asks_for_a_date());
        assert!(Query::new("since 2026-03").asks_for_a_date());
    }
}
