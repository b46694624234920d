//! The words by which a line tells of errors, of trouble or of warnings, and what takes that back.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;

use super::line::{MARK, WARNED, bare};
use super::program::is_among;
use crate::text::pattern;

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

/// The beginnings of the signs of [`SIGN`] and of the marks before a line, for the pass that finds where to look.
const HINTS: &str = "exit, returncode, return code, error_code, status, http/, get /, get http, head /, post /, post http, put /, \
    patch /, delete /, options /, ✕, ✖, ✗, ✘, ×, ❌, ⨯, ●, ☒, not ok, failure/error:, ⚠, ❗, ⛔, 🔴, 🛑, 🚨, 💥, [!], file \"";

/// Signs of trouble without a word for it: the end of a program with another number than 0, the status of an answer.
static SIGN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?xi)(?:^|[^\w/.@\\$-]|\\[nt])(?:
            (?:exit(?:ed|s)?|exit[_ ]?(?:code|status)|return\ ?code|error_code)["']?
            (?:[^\w/]|code|status|is|was|with|of|value|signal)*0*[1-9]\d*
        |   (?:http/[\d.]+["']?\s | status(?:[_\ ]?code)?["']?(?:[^\w/]|code|is|was|of|with|value)*
                | (?:get|head|post|put|patch|delete|options)\s+(?:/|http)\S*\s+(?:http/\S+\s+)?)
            ["']?[45]\d\d
        )(?:$|[^\w/%.-]|\.(?:$|[^\w/%-]))"#,
    )
});

/// Beginnings of lines: what pytest says of an assertion, apt's errors and warnings, and the sides of a conflict.
const BEGINNINGS: [&str; 6] = ["E   ", ">   ", "E: ", "W: ", "<<<<<<< ", ">>>>>>> "];

/// The meaning of what is found, if it stands there as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Error,
    Trouble,
    Warning,
    /// The end of the name of an exception, or the beginning of one.
    Name,
    /// The beginning of a sign or a mark.
    Hint,
}

/// An automaton, and the sorts of its patterns.
type Finder = (AhoCorasick, Vec<Sort>);

/// Quick, and made in some milliseconds: for the pruning of outputs.
static QUICK: LazyLock<Finder> = LazyLock::new(|| finder(AhoCorasickKind::DFA));

/// Made at once: a process that reads one command reads few lines.
static SMALL: LazyLock<Finder> = LazyLock::new(|| finder(AhoCorasickKind::ContiguousNFA));

fn finder(kind: AhoCorasickKind) -> Finder {
    let [errors, trouble, warnings] = WORDS;
    let lists = [
        (errors, Sort::Error),
        (trouble, Sort::Trouble),
        (warnings, Sort::Warning),
        (HINTS, Sort::Hint),
    ];
    let words = lists
        .iter()
        .flat_map(|(list, sort)| list.split(", ").map(|word| (word, *sort)));
    let names = EXCEPTIONS
        .split(' ')
        .chain([ERROR_CODE])
        .map(|name| (name, Sort::Name));
    let (patterns, sorts): (Vec<&str>, Vec<Sort>) = words.chain(names).unzip();
    let finder = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(kind))
        .build(patterns);
    (finder.expect("because the words are constants"), sorts)
}

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
    counts_warnings: bool,
}

impl Said {
    /// True when the line is a warning: it names one, and no error before.
    pub(super) fn is_warning(&self) -> bool {
        self.warning
            .is_some_and(|warning| self.error.is_none_or(|error| warning < error))
    }
}

/// True when a line names an error, trouble or a warning, counts some, or has a sign or a mark of trouble.
pub(super) fn tells_trouble(line: &str) -> bool {
    let (said, is_hint) = read(line, &QUICK);
    let named = [said.error, said.trouble, said.warning];
    said.is_count
        || said.counts_warnings
        || named.iter().any(Option::is_some)
        || line.starts_with(['E', '>', 'W', '<']) && BEGINNINGS.iter().any(|begin| line.starts_with(begin))
        || is_hint && (SIGN.is_match(line) || [&MARK, &WARNED].iter().any(|mark| mark.is_match(bare(line))))
}

/// Gives the meaning of the words of a line. A word within a path, an option or a longer name does not count.
pub(super) fn said(line: &str) -> Said {
    read(line, &SMALL).0
}

/// The same, and whether a sign or a mark may stand in the line.
fn read(line: &str, (finder, sorts): &Finder) -> (Said, bool) {
    let mut said = Said::default();
    let (mut may_name, mut is_hint) = (false, false);
    for found in finder.find_overlapping_iter(line) {
        let (start, end) = (found.start(), found.end());
        may_name |= line.as_bytes()[start].is_ascii_uppercase();
        let (place, is_counted) = match sorts[found.pattern().as_usize()] {
            Sort::Error => (&mut said.error, Some(&mut said.is_count)),
            Sort::Trouble => (&mut said.trouble, None),
            Sort::Warning => (&mut said.warning, Some(&mut said.counts_warnings)),
            Sort::Name => continue,
            Sort::Hint => {
                is_hint = true;
                continue;
            }
        };
        let (before, after) = (&line[..start], &line[end..]);
        let is_joined = line[start..].starts_with(crate::text::is_cjk);
        if !(is_joined || ends_before(before) && begins_after(after)) {
            continue;
        }
        match is_counted.and_then(|is_counted| Some((is_counted, number(before, after)?))) {
            Some((is_counted, number)) => *is_counted |= number > 0,
            None => *place = earlier(*place, Some(start)),
        }
    }
    if may_name {
        said.error = earlier(said.error, named(line, EXCEPTIONS));
        said.warning = earlier(said.warning, named(line, WARNING));
    }
    (said, is_hint)
}

fn earlier(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    one.into_iter().chain(other).min()
}

fn ends_before(before: &str) -> bool {
    // `\n` and `\t` in a quoted text end a word.
    let is_escape = before.ends_with("\\n") || before.ends_with("\\t");
    is_escape || !before.ends_with(|c: char| c.is_alphanumeric() || "_/.-@\\$".contains(c))
}

fn begins_after(after: &str) -> bool {
    match after.strip_prefix('.') {
        Some(rest) => rest.is_empty() || rest.starts_with(char::is_whitespace),
        None => {
            after.starts_with("(s)")
                || !after.starts_with(|c: char| c.is_alphanumeric() || "_/-(".contains(c))
        }
    }
}

/// Gives the number of things that a word names, if the line counts them: "0 failed", "2 type errors", "Failures: 1".
fn number(before: &str, after: &str) -> Option<u64> {
    let before = before.trim_end_matches(COUNTERS);
    let mut words = before.rsplit([' ', '\t', '(', ',', ';']);
    let last = words.next().unwrap_or_default();
    let earlier = words.next().filter(|_| last.chars().all(char::is_alphabetic));
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
        .or_else(|| earlier.and_then(count))
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

    /// Lines with a sign, and lines that look like them.
    const SIGNS: &str = "
sign|    ✕ adds two numbers (5 ms)
sign|web:test: ✗ adds two numbers
sign|  ● math › adds two numbers
sign|not ok 3 - adds two numbers
sign|❌ build broke
sign|⚠ something is off
sign|[!] something
sign|E       assert 1 == 2
sign|>       assert f() == 5
sign|W: GPG key expired
sign|<<<<<<< HEAD
sign|  File \"/srv/app/run.py\", line 31, in main
sign|job exit 137
sign|exit status 1
sign|exit status: 101
sign|Process completed with exit code 1.
sign|web-1 exited with code 2
sign|exit code -1
sign|killed, exit=9
sign|{\"exit_code\": 3}
sign|c0ffee  Exited (137) 2 hours ago
sign|10.0.0.1 - - [23/Nov/2026:07:00:55 +0000] \"GET /api?a=200 HTTP/1.1\" 500 12
sign|HTTP/1.1 503 Service Unavailable
sign|< HTTP/2 404
sign|GET /api/orders 502 12.3 ms - 9
sign|level=info path=/a status=500 ms=3
sign|{\"path\":\"/a\",\"status\":404,\"ms\":3}
sign|answered with status code 429
none|    ✓ adds two numbers (5 ms)
none|ok 3 - adds two numbers
none|> vite build
none|e: 3, w: 4
none|exit code 0
none|web-1 exited with code 0
none|c0ffee  Exited (0) 2 hours ago
none|sys.exit(1)
none|exit code 1.5
none|Get:404 http://deb.example.org/debian stable/main amd64 a 1.2 [500 kB]
none|get 500 items
none|GET /500/404 200 12 ms
none|10.0.0.1 - - [23/Nov/2026:07:00:55 +0000] \"GET /api HTTP/1.1\" 200 500
none|status 500/1000
none|status of the 3 jobs: 404
none|   Compiling http v0.4.500
none|Ⓔ ✗
";

    #[test]
    fn signs_are_told_from_what_looks_like_them() {
        for case in SIGNS.trim().lines() {
            let (expected, line) = case.split_once('|').unwrap();
            let sign = if tells_trouble(line) { "sign" } else { "none" };
            assert_eq!(sign, expected, "{line}");
        }
    }
}
