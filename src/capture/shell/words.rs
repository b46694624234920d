//! The words by which a line tells of errors, of trouble or of warnings, and what takes that back.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::categories::is_among;

/// Words that name an error, words by which trouble is told without that name, and words of warnings. Those of letters
/// are matched as whole words, whatever their case; CJK wherever they stand. Compilers and shells speak the language of
/// their user.
const WORDS: [&str; 3] = [
    "abort, aborted, aborting, assertion, conflict, core dumped, crash, crashed, err!, error, errored, errors, \
     exception, exceptions, fail, failed, failing, fails, failure, failures, fatal, out of memory, panic, panicked, \
     segfault, segmentation fault, stack overflow, uncaught, undefined behavior, unhandled, \
     EACCES, EADDRINUSE, ECONNREFUSED, ECONNRESET, EEXIST, ENOENT, ENOSPC, ENOTFOUND, EPERM, EPIPE, ETIMEDOUT, \
     错误, 錯誤, 失败, 失敗, 异常, 異常, 致命, 崩溃, エラー, 例外, 오류, 에러, 실패, 예외, ошибка, Ошибка, сбой, \
     fehler, fehlgeschlagen, ausnahme, erreur, erreurs, échec, erro, errore, errores, fallo, falló, falha",
    "already exists, already in use, bad, can not, can't, cannot, circular, corrupt, could not, couldn't, deadlock, \
     denied, did not, diff in, does not exist, doesn't exist, duplicate, exceeded, exited with, expected, forbidden, \
     illegal, incompatible, incorrect, invalid, is not, is required, killed, malformed, mismatch, missing, must be, \
     no module named, no rule, no such, no space, non-zero, not a, not allowed, not defined, not found, \
     not formatted, not permitted, not recognized, not supported, refused, rejected, terminated, timed out, timeout, \
     too few, too many, unable to, unauthorized, unbound, undeclared, undefined, unexpected, unknown, unmet, \
     unreachable, unrecognized, unresolved, unsupported, usage, violation, vulnerability, would reformat, wrong, \
     未定义, 未定義, 找不到, 无法, 無法, 不存在, 拒绝, 拒絕, 見つかりません, できません, 찾을 수 없, 할 수 없, \
     nicht gefunden, kann nicht, konnte nicht, introuvable, no existe, no se pudo, не найден",
    "warn, warning, warnings, deprecated, warnung, avertissement, advertencia, aviso, avviso, 警告, 경고",
];

/// Words behind a word that take it back: "no errors", "about this error".
const DENIALS: &str = "0 no zero without any this these keine ohne aucune sans sin sem nessun senza";

/// The same where no space stands between.
const JOINED_DENIALS: [&str; 6] = ["没有", "沒有", "无", "無", "未发现", "未發現"];

/// Words before a word that take it back.
const LATER_DENIALS: [&str; 8] = [
    "none",
    "no ",
    "-free",
    "free",
    "はありません",
    "なし",
    "없음",
    "는 없",
];

/// Words that count: "0 个错误", "エラー1個".
const COUNTERS: [char; 7] = ['个', '個', '件', 'の', '개', '건', ' '];

/// The places in a line of the words that say something.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// An error that nothing takes back or counts.
    pub(super) error: Option<usize>,
    pub(super) trouble: Option<usize>,
    pub(super) warning: Option<usize>,
    /// Errors are counted, and there are some.
    pub(super) is_count: bool,
}

impl Said {
    /// True when the line is a warning: it names one, and no error before.
    pub(super) fn is_warning(&self) -> bool {
        self.warning
            .is_some_and(|warning| self.error.is_none_or(|error| warning < error))
    }
}

/// Finds the words, and how many of them are of the first list and of the first two.
static FINDER: LazyLock<(AhoCorasick, [usize; 2])> = LazyLock::new(|| {
    let [errors, troubles, _] = WORDS.map(|list| list.split(", ").count());
    let words = WORDS.into_iter().flat_map(|list| list.split(", "));
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(words);
    let finder = finder.expect("because the words are constants");
    (finder, [errors, errors + troubles])
});

/// Gives the meaning of the words of a line. A word within a path, an option or a longer name does not count.
pub(super) fn said(line: &str) -> Said {
    let (finder, [errors, troubles]) = &*FINDER;
    let mut said = Said {
        error: exception(line),
        ..Said::default()
    };
    for found in finder.find_overlapping_iter(line) {
        let (before, after) = (&line[..found.start()], &line[found.end()..]);
        let is_joined = line[found.range()].starts_with(crate::text::is_cjk);
        let is_whole = is_joined || (ends_before(before) && begins_after(after));
        if !is_whole {
            continue;
        }
        let list = found.pattern().as_usize();
        let is_trouble = (*errors..*troubles).contains(&list);
        if let Some(number) = number(before, after).filter(|_| !is_trouble) {
            said.is_count |= number > 0 && list < *errors;
            continue;
        }
        let place = if list < *errors {
            &mut said.error
        } else if is_trouble {
            &mut said.trouble
        } else {
            &mut said.warning
        };
        *place = Some(place.map_or(found.start(), |first| first.min(found.start())));
    }
    said
}

fn ends_before(before: &str) -> bool {
    // `\n` and `\t` in a quoted text end a word.
    let is_escape = before.ends_with("\\n") || before.ends_with("\\t");
    is_escape || !before.ends_with(|c: char| c.is_alphanumeric() || "_/.-@\\$".contains(c))
}

fn begins_after(after: &str) -> bool {
    let is_within = |c: char| c.is_alphanumeric() || "_/-(".contains(c);
    match after.strip_prefix('.') {
        Some(rest) => rest.is_empty() || rest.starts_with(char::is_whitespace),
        None => after.starts_with("(s)") || !after.starts_with(is_within),
    }
}

/// Gives the number of things that a word names, if the line counts them: "0 failed", "2 type errors", "Failures: 1".
fn number(before: &str, after: &str) -> Option<u64> {
    let mut words = before
        .trim_end_matches(COUNTERS)
        .rsplit([' ', '\t', '(', ',', ';']);
    let last = words.next().unwrap_or_default();
    let is_noun = last.chars().all(char::is_alphabetic);
    let earlier = words.next().filter(|_| is_noun).unwrap_or_default();
    let count = |word: &str| {
        let is_denial = is_among(DENIALS, &word.to_ascii_lowercase());
        if is_denial { Some(0) } else { word.parse().ok() }
    };
    let value = after.strip_prefix("(s)").unwrap_or(after);
    let value = value.trim_start_matches([' ', ':', '=', '：']);
    let rest = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = value[..value.len() - rest.len()].parse().ok();
    let rest = rest.trim_start_matches(COUNTERS);
    let later = digits.filter(|_| rest.is_empty() || rest.starts_with([',', ';', ')', '|']));
    let is_denied = JOINED_DENIALS.iter().any(|denial| before.ends_with(denial))
        || LATER_DENIALS.iter().any(|denial| value.starts_with(denial));
    count(last)
        .or_else(|| count(earlier))
        .or(later)
        .or(is_denied.then_some(0))
}

/// The place of the name of an exception, alone or with its module: `ValueError`, `java.io.IOException`.
fn exception(line: &str) -> Option<usize> {
    const ENDINGS: &str = "Error Exception Failure Fault Interrupt Iteration Panic";
    let is_part = |c: char| c.is_alphanumeric() || "_$.:/-".contains(c);
    line.split(|c: char| !is_part(c)).find_map(|word| {
        let word = word.trim_end_matches([':', '.']);
        let name = word.rsplit(['.', ':', '/']).next().unwrap_or(word);
        let ends = |ending: &str| name.len() > ending.len() && name.ends_with(ending);
        let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) && ENDINGS.split(' ').any(ends);
        (is_name || name.starts_with("ERR_")).then(|| word.as_ptr().addr() - line.as_ptr().addr())
    })
}

/// Words of which lines consist that only say again that something failed: "BUILD FAILED in 2s", "Found 1 error".
const GENERAL: &str = "a about above aborting affecting all an and are assertions at be because been below build building but by caused \
    check checked checks code command compilation compile compiled complete completed could deselected detected did \
    document due during emitted encountered end error: errors: exit exited failing file files filtered finished fixable for found following from \
    gmake goal has have here in info issue issues it line lines listed locally make measured ms ninja not occurred of offense offenses on or \
    out output pass passed previous problem problems process project recipe reported result run running s see short skipped some \
    source specs status step steps stop stopped subcommand successfully suite suites summary target targets task \
    tasks test tests the there time to total tried types was were warning warnings were with yarn example examples inspected ignored informations information rerun terminated";

/// True when a line has no word that tells more than that something failed. A text in quotes or brackets is a name.
pub(super) fn is_general(line: &str) -> bool {
    let mut outside = String::new();
    let mut closing = None;
    for c in line.chars() {
        match c {
            c if closing.is_some() => closing = closing.filter(|end| *end != c),
            '`' | '\'' | '"' => closing = Some(c),
            '(' => closing = Some(')'),
            '[' => closing = Some(']'),
            c => outside.push(c),
        }
    }
    let words = outside
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    words.peek().is_some()
        && words.all(|word| {
            let word = word.to_lowercase();
            let is_number = word.starts_with(|c: char| c.is_ascii_digit());
            is_number || is_among(GENERAL, &word) || WORDS[0].split(", ").any(|error| error == word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a line and their meaning for errors: one, a count, or nothing.
    const CASES: &str = "
one|test failed
one|error: 3 tests
one|{\"error\":\"x\"}
one|Segmentation fault (core dumped)
one|main.c:10:5: Fehler: unbekannter Typname
count|1 failed, 6 passed
count|Found 2 type errors.
count|エラー1個
count|Failures: 12
nothing|0 failed
nothing|no type errors found
nothing|Errors: 0, Failures: 0
nothing|0 Error(s)
nothing|   Errors  no errors
nothing|0 个错误
nothing|没有错误
nothing|エラーはありません
nothing|오류 0개
nothing|failures=0
nothing|For more information about this error
nothing|dist/assets/error-page-5b1c.js   4.10 kB
nothing|   Compiling thiserror v1.0.0
nothing|running with --fail-fast
nothing|-Werror=return-type
";

    #[test]
    fn counts_and_denials_are_told_from_errors() {
        for case in CASES.trim().lines() {
            let (expected, line) = case.split_once('|').unwrap();
            let said = said(line);
            let count = if said.is_count { "count" } else { "nothing" };
            assert_eq!(said.error.map_or(count, |_| "one"), expected, "{line}");
        }
    }

    #[test]
    fn general_lines_say_only_that_something_failed() {
        assert!(is_general("FAILURE: Build failed with an exception."));
        assert!(is_general(
            "error: could not compile `ledger` (lib) due to 1 previous error"
        ));
        assert!(is_general(
            "test result: FAILED. 2 passed; 1 failed; finished in 0.31s"
        ));
        assert!(!is_general("test keeps_order ... FAILED"));
        assert!(!is_general("make: *** No rule to make target 'a'"));
    }
}
