//! A person's question as the words that are searched: what says nothing is left out, and what says the same is added.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use super::tokens::{Form, each_token, folded};
use crate::text::is_unspaced;

/// The most characters and words of a question; what comes after them is not searched.
const MOST_CHARS: usize = 2_000;
const MOST_WORDS: usize = 32;

/// The weight of a word that stands for another one of its group.
const LIKE: f64 = 0.45;

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

/// Words of which programmers write one for another.
const GROUPS: &[&str] = &[
    "db database",
    "repo repository",
    "config configuration setting option",
    "env environment",
    "auth authentication authorization login signin",
    "doc docs documentation manual",
    "dir directory folder",
    "delete remove drop purge clear",
    "package library dependency module",
    "ci pipeline",
    "prod production live",
    "deploy deployment release ship rollout publish",
    "k8s kubernetes cluster pod",
    "bug defect fault issue ticket",
    "error failure fail exception",
    "test spec",
    "secret credential token password key passphrase",
    "fast speed performance slow latency sluggish",
    "ram memory oom",
    "picture image photo thumbnail",
    "mail email",
    "client customer user shopper buyer",
    "cart basket",
    "price amount cost",
    "refund return",
    "pay payment charge billing invoice",
    "js javascript",
    "ts typescript",
    "log logging print",
    "start begin launch",
    "stop end finish",
    "make build create generate",
    "change edit modify update",
    "fix repair mend solve",
    "forbid ban refuse reject block deny disallow",
    "allow permit",
    "limit maximum max cap quota",
    "stale outdated old obsolete",
    "flag toggle",
    "encrypt tls ssl certificate cert",
    "url link address",
    "timezone zone tz",
    "cache cached",
    "store keep save persist",
    "expire expiry ttl",
    "schedule cron nightly",
    "lock mutex",
    "style convention format",
    "function method",
    "machine laptop host server",
];

/// A word of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    /// As it was typed, folded.
    pub(super) typed: String,
    /// The token that it is, and the others that count for it, each with its weight.
    pub(super) forms: Vec<(String, f64)>,
    /// Tells a whole identifier from its parts, which are words of their own.
    pub(super) is_whole: bool,
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
            if token.form != Form::Last {
                tokens.push(token);
            }
        });
        let silent = silent();
        let all_silent = tokens.iter().all(|token| silent.contains(token.text.as_str()));
        let mut seen = HashSet::new();
        tokens.retain(|token| {
            let says = all_silent || token.form == Form::Whole || !silent.contains(token.text.as_str());
            says && seen.insert(token.text.clone())
        });
        tokens.truncate(MOST_WORDS);
        let words = tokens.into_iter().map(|token| Word {
            is_whole: token.form == Form::Whole,
            is_letter: token.form == Form::Pair && token.text.chars().nth(1).is_none(),
            typed: folded(&text[token.at]),
            forms: forms(token.text),
        });
        Self {
            words: words.collect(),
        }
    }

    /// True for a question of no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words by the tokens that count for them, with their weights.
    pub(super) fn by_token(&self) -> BTreeMap<&str, Vec<(usize, f64)>> {
        let mut by_token: BTreeMap<&str, Vec<(usize, f64)>> = BTreeMap::new();
        for (at, word) in self.words.iter().enumerate() {
            for (form, weight) in &word.forms {
                by_token.entry(form).or_default().push((at, *weight));
            }
        }
        by_token
    }
}

fn stems(words: &str) -> Vec<String> {
    let mut stems = Vec::new();
    each_token(words, |token| {
        if token.form != Form::Last {
            stems.push(token.text);
        }
    });
    stems
}

fn silent() -> &'static HashSet<String> {
    static SILENT_STEMS: OnceLock<HashSet<String>> = OnceLock::new();
    SILENT_STEMS.get_or_init(|| stems(SILENT).into_iter().collect())
}

fn forms(token: String) -> Vec<(String, f64)> {
    static ALIKE: OnceLock<HashMap<String, Vec<String>>> = OnceLock::new();
    let alike = ALIKE.get_or_init(|| {
        let mut alike: HashMap<String, Vec<String>> = HashMap::new();
        for group in GROUPS.iter().map(|group| stems(group)) {
            for stem in &group {
                let others = group.iter().filter(|other| *other != stem).cloned();
                alike.entry(stem.clone()).or_default().extend(others);
            }
        }
        alike
    });
    let mut forms = vec![(token, 1.0)];
    let others = alike.get(&forms[0].0).into_iter().flatten();
    for other in others {
        if !forms.iter().any(|(form, _)| form == other) {
            forms.push((other.clone(), LIKE));
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
    fn a_word_stands_for_its_group_with_less_weight() {
        let query = Query::new("databases");
        assert_eq!(
            query.words[0].forms,
            [("databas".to_owned(), 1.0), ("db".to_owned(), LIKE)]
        );
    }
}
