//! The words by which a line tells of errors, of trouble or of warnings, and what takes that back.

use std::ops::Range;

use super::categories::is_among;
use super::finder::{Sort, found_words};

/// Words that name an error, words by which trouble is told without that name, and words of warnings. Those of letters
/// are matched as whole words, whatever their case; CJK wherever they stand. Compilers and shells speak the language of
/// their user.
const WORDS: [&str; 3] = [
    "abort, aborted, aborting, assertion, conflict, core dumped, crash, crashed, err!, error, errored, errors, \
     exception, exceptions, fail, failed, failing, fails, failure, failures, fatal, out of memory, panic, panicked, \
     segfault, segmentation fault, stack overflow, uncaught, undefined behavior, unhandled, \
     EACCES, EADDRINUSE, ECONNREFUSED, ECONNRESET, EEXIST, ENOENT, ENOSPC, ENOTFOUND, EPERM, EPIPE, ETIMEDOUT, \
     错误, 錯誤, 失败, 失敗, 异常, 異常, 致命, 崩溃, エラー, 例外, 오류, 에러, 실패, 예외, ошибка, Ошибка, сбой, \
     błąd, chyba, fel, fout, hata, помилка, Помилка, abgebrochen, başarısız, fallito, mislukt, misslyckades, selhalo, \
     fehler, fehlgeschlagen, ausnahme, erreur, erreurs, échec, erro, errore, errores, fallo, falló, falha",
    "already exists, already in use, bad, broken pipe, can not, can't, cannot, circular, connection closed, connection reset, corrupt, could not, couldn't, deadlock, \
     denied, did not, diff in, disk full, disk is full, does not exist, doesn't exist, duplicate, exceeded, expected, expired, forbidden, \
     illegal, incompatible, incorrect, invalid, is not, is required, killed, malformed, mismatch, missing, must be, \
     no module named, no rule, no such, no space, non-zero, oom, oom-kill, oom-killed, oom-killer, oomkilled, not a, not allowed, not defined, not found, \
     not formatted, not permitted, not recognized, not supported, read-only file system, refused, reset by peer, rejected, terminated, timed out, timeout, \
     too few, too long, too many, traceback, unable to, unauthorized, unavailable, unbound, undeclared, undefined, unexpected, unknown, unmet, \
     unreachable, unrecognized, unresolved, unsuccessful, unsuccessfully, unsupported, usage, violation, vulnerability, would reformat, wrong, \
     SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGKILL, SIGPIPE, SIGQUIT, SIGSEGV, SIGSYS, SIGTERM, SIGTRAP, SIGXCPU, \
     未定义, 未定義, 找不到, 无法, 無法, 不存在, 拒绝, 拒絕, 見つかりません, できません, 찾을 수 없, 할 수 없, \
     nicht gefunden, kann nicht, konnte nicht, introuvable, no existe, no se pudo, не найден, не удалось, nie powiodło się, nie można, kunde inte, kan niet, nelze",
    "warn, warning, warnings, vulnerabilities, deprecated, ostrzeżenie, предупреждение, Предупреждение, uyarı, \
     waarschuwing, varning, varování, попередження, Попередження, warnung, avertissement, advertencia, aviso, avviso, 警告, 경고",
];

/// The ends of the names of exceptions, and the beginning of the names of errors that are codes.
const EXCEPTIONS: &str = "Error Exception Failure Fault Interrupt Iteration Panic";
const ERROR_CODE: &str = "ERR_";

/// The end of the names of warnings: `DeprecationWarning`.
const WARNING: &str = "Warning";

/// Words behind a word that take it back: "no errors", "about this error".
const DENIALS: &str =
    "0 no zero without any this these keine ohne aucune sans sin sem nessun senza bez geen inga utan без";

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
    /// Warnings are counted, and there are some.
    pub(super) counts_warnings: bool,
}

impl Said {
    /// True when the line names an error, trouble or a warning, or counts some.
    pub(super) fn tells_trouble(&self) -> bool {
        let named = [self.error, self.trouble, self.warning];
        self.is_count || self.counts_warnings || named.iter().any(Option::is_some)
    }

    /// True when the line is a warning: it names one, and no error before.
    pub(super) fn is_warning(&self) -> bool {
        self.warning
            .is_some_and(|warning| self.error.is_none_or(|error| warning < error))
    }
}

/// The words and the ends of names, for the pass that finds them.
pub(super) fn patterns() -> impl Iterator<Item = (&'static str, Sort)> {
    let lists = WORDS.into_iter().zip([Sort::Error, Sort::Trouble, Sort::Warning]);
    let words = lists.flat_map(|(list, sort)| list.split(", ").map(move |word| (word, sort)));
    let names = EXCEPTIONS.split(' ').chain([ERROR_CODE]);
    words.chain(names.map(|name| (name, Sort::Name)))
}

/// Gives the meaning of the words of a line. A word within a path, an option or a longer name does not count.
pub(super) fn said(line: &str) -> Said {
    let mut said = Said::default();
    let mut may_name = false;
    for (sort, range) in found_words(line) {
        may_name |= begins_name(line, &range);
        let (place, is_counted) = match sort {
            Sort::Error => (&mut said.error, Some(&mut said.is_count)),
            Sort::Trouble => (&mut said.trouble, None),
            Sort::Warning => (&mut said.warning, Some(&mut said.counts_warnings)),
            _ => continue,
        };
        let (before, after) = (&line[..range.start], &line[range.end..]);
        let is_joined = line[range.clone()].starts_with(crate::text::is_cjk);
        let is_whole = is_joined || (ends_before(before) && begins_after(after));
        if !is_whole {
            continue;
        }
        match is_counted.and_then(|is_counted| Some((is_counted, number(before, after)?))) {
            Some((is_counted, number)) => *is_counted |= number > 0,
            None => *place = earlier(*place, Some(range.start)),
        }
    }
    if may_name {
        said.error = earlier(said.error, named(line, EXCEPTIONS));
        said.warning = earlier(said.warning, named(line, WARNING));
    }
    said
}

/// True where the end of a name may stand, or a code: each begins with a capital.
pub(super) fn begins_name(line: &str, found: &Range<usize>) -> bool {
    line.as_bytes()[found.start].is_ascii_uppercase()
}

fn earlier(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    one.into_iter().chain(other).min()
}

pub(super) fn ends_before(before: &str) -> bool {
    // `\n` and `\t` in a quoted text end a word.
    let is_escape = before.ends_with("\\n") || before.ends_with("\\t");
    is_escape || !before.ends_with(|c: char| c.is_alphanumeric() || "_/.-@\\$".contains(c))
}

pub(super) fn begins_after(after: &str) -> bool {
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

/// The place of the name of an exception or a warning, alone or with its module: `ValueError`, `java.io.IOException`.
fn named(line: &str, endings: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || "_$.:/-".contains(c);
    line.split(|c: char| !is_part(c)).find_map(|word| {
        let word = word.trim_end_matches([':', '.']);
        let name = word.rsplit(['.', ':', '/']).next().unwrap_or(word);
        let ends = |ending: &str| name.len() > ending.len() && name.ends_with(ending);
        let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) && endings.split(' ').any(ends);
        (is_name || (endings == EXCEPTIONS && name.starts_with(ERROR_CODE)))
            .then(|| word.as_ptr().addr() - line.as_ptr().addr())
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
