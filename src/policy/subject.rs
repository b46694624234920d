//! Values that name what a statement is about ("runner 1 needs a GPU"): another one names its sibling, and both hold.
//!
//! A number before the verb, beside the noun that it numbers, is a name; one behind a verb, and a count, are what is said.
//! The tables are closed classes: a word too few costs a question.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::{is_cjk, pattern};

/// Words behind which something is said: verbs, and what stands beside amounts.
const SAID: &str = "is are was were am be has have had must can may should will do does use uses need needs run runs keep \
    set require requires take takes get gets hold holds allow allows listen listens stop stops want ship deploy pin retry \
    wait make send show return store max min most least only about exactly every each per = <= >= ist sind hat haben nutzen \
    nutzt verwenden verwendet braucht brauchen läuft laufen alle est sont utilise utilisons utiliser es son usa usamos \
    usar è sono usiamo é são используем";

/// Words before a place, a time or a thing.
const BEFORE: &str = "in on at to for with by after before under over from until within via auf mit nach bis für unter über \
    dans sur avec après pour en con por на в с после до";

/// Verbs right behind a subject.
const FINITE: &str = "is are was has have had must can may should will need needs run runs use uses own owns host hosts take \
    takes want wants require requires serve serves hold holds ist sind hat braucht nutzt läuft est utilise es usa è é";

/// Things whose number is a version of the one that is used.
const VERSIONED: &str = "node python ruby java php go rust django rails react typescript version \u{7}";

/// Says whether the value between two parts of a text names its subject. Both are in lower case, without articles.
pub(super) fn is_named_by(value: &str, before: &str, behind: &str) -> bool {
    static ALL: LazyLock<[Regex; 6]> = LazyLock::new(|| {
        let [said, place, finite, versioned] = [SAID, BEFORE, FINITE, VERSIONED]
            .map(|words| words.split_whitespace().collect::<Vec<_>>().join("|"));
        [
            // A verb, or a word that ends as one does, behind its subject.
            format!(r"(?:^| )(?:{said})(?: |$)|[^ ]+ [^ ]*[^su ]s (?:(?:{versioned}) )?$"),
            format!("(?:^| )(?:{place})(?: |$)"),
            format!("^ (?:{finite}) "),
            format!("^(?:{versioned}) $"),
            format!("^ (?:{place}) "),
            format!(" (?:{finite}) "),
        ]
        .map(|text| pattern(&text))
    });
    static IN_USE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?: [^ ]+)? (?:is|are) (?:used(?: in|$)|minimum|maximum|limit|default|current|latest)|^ (?:is|are) (?:required|needed|enough|installed|on|in)\b|^ (?:or|runs)\b|必要|必須|필요",
        )
    });
    let [said, place, finite, versioned, at_place, later] = &*ALL;
    // The parts of a version are a number each.
    let whole = before.trim_end_matches(['\u{5}', ' ']);
    let is_part = before.trim_end().len() > whole.len();
    let before = &if whole.is_empty() {
        String::new()
    } else {
        format!("{whole} ")
    };
    let behind = behind.trim_start_matches([' ', '\u{5}']);
    let behind = &if behind.is_empty() {
        String::new()
    } else {
        format!(" {behind}")
    };
    let is_version = versioned.is_match(before);
    match () {
        () if behind.is_empty() || is_version && IN_USE.is_match(behind) => false,
        () if before.contains(is_cjk) || behind.contains(is_cjk) => is_named_in_cjk(before, behind),
        () if said.is_match(before) => false,
        () if before.is_empty() => {
            let is_count = !is_part && value.len() < 3 && value.bytes().all(|byte| byte.is_ascii_digit());
            !is_count && !IN_USE.is_match(behind) && !at_place.is_match(behind)
        }
        // "In shard 3 …", or "tests on runner 1 need …".
        () if place.is_match(before) => {
            let is_first = before.split_whitespace().nth(2).is_none() && place.is_match(before.trim_start());
            let noun = before.split_whitespace().nth(1);
            let is_noun = noun.is_some_and(|noun| !versioned.is_match(&format!("{noun} ")));
            finite.is_match(behind) || is_first && is_noun
        }
        () if at_place.is_match(behind) => later.is_match(behind),
        () => !IN_USE.is_match(behind) && behind.split_whitespace().nth(1).is_some(),
    }
}

/// The same in Chinese, Japanese and Korean, where particles and counters tell it.
fn is_named_in_cjk(before: &str, behind: &str) -> bool {
    static ALL: LazyLock<[Regex; 3]> = LazyLock::new(|| {
        [
            r"[はがをにで是為为到至每超]|(?:^|[^应應信])用|在|[最至][多少大小]|需要|限|(?:[은는이가을를에]|에서) $",
            r"^ ?(?:[个個条條行次天秒分名人位倍周週月年点時时回件つ개명회초일주월줄건]|시간|小时|小時)",
            r"^[^はがをにで、]{0,10}[はがも]|^ [^ ]*[은는이가도의] |^ \p{Han}",
        ]
        .map(pattern)
    });
    let [said, counter, names] = &*ALL;
    before.trim_end().ends_with('第')
        || !said.is_match(before) && !counter.is_match(behind) && names.is_match(behind)
}
