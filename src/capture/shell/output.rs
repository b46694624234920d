//! What the lines of an output say: that something failed, where, or nothing. The words that tell it are tables.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::ErrorCategory::{self, Lint, Test, Typecheck};
use super::places::{NAME, Named, heading, named};
use crate::text::{is_cjk, pattern, sha256_hex, without_escapes};

/// Bytes of an output that are looked at from the start, and as many from the end; the bytes of a line.
const HALF: usize = 64 * 1024;
const MAX_LINE: usize = 4096;

/// Lines and characters of a summary, files that are remembered, hex digits of a fingerprint.
const MAX_LINES: usize = 5;
const MAX_CHARS: usize = 280;
const MAX_FILES: usize = 20;
const FINGERPRINT: usize = 12;

/// Words that name an error, words by which trouble is told without that name, and words of warnings. Those of letters
/// are matched as whole words, whatever their case; CJK wherever they stand. Compilers and shells speak the language of
/// their user.
const WORDS: [&str; 3] = [
    "abort, aborted, aborting, assertion, conflict, core dumped, crash, crashed, err!, error, errored, errors, \
     exception, exceptions, fail, failed, failing, fails, failure, failures, fatal, out of memory, panic, panicked, \
     segfault, segmentation fault, stack overflow, uncaught, undefined behavior, unhandled, \
     EACCES, EADDRINUSE, ECONNREFUSED, ECONNRESET, EEXIST, ENOENT, ENOSPC, ENOTFOUND, EPERM, EPIPE, ETIMEDOUT, \
     错误, 錯誤, 失败, 失敗, 异常, 異常, 致命, 崩溃, エラー, 例外, 오류, 에러, 실패, 예외, ошибка, сбой, \
     błąd, chyba, fel, fout, hata, помилка, abgebrochen, başarısız, fallito, mislukt, misslyckades, selhalo, \
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
    "warn, warning, warnings, vulnerabilities, deprecated, ostrzeżenie, предупреждение, uyarı, \
     waarschuwing, varning, varování, попередження, warnung, avertissement, advertencia, aviso, avviso, 警告, 경고",
];

/// The tables as patterns, whose group 1 is the word, and the names of exceptions and warnings. A word within a path, an
/// option or a longer name does not count.
static SAID: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let names = [
        r"[A-Z]\w*(?:Error|Exception|Failure|Fault|Interrupt|Iteration|Panic)|ERR_\w+",
        r"SIG[A-Z]+|[A-Z]\w*(?:BackOff|Evicted|Timeout)|ErrImage\w*",
        r"[A-Z]\w*Warning",
    ];
    let mut names = names.into_iter();
    WORDS.map(|list| {
        let mut words: Vec<String> = list.split(", ").map(regex::escape).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let (anywhere, whole): (Vec<String>, Vec<String>) =
            words.into_iter().partition(|word| word.starts_with(is_cjk));
        let (anywhere, whole) = (anywhere.join("|"), whole.join("|"));
        let name = names.next().unwrap_or_default();
        pattern(&format!(
            r"(?i)(?:(?:^|[^\w@\\$-]|\\[nt])(?-i:{name})|(?:^|[^\w/.@\\$-]|\\[nt])(?:{whole}))(?:$|[^\w/.(-]|\(s\)|\.(?:\s|$))|(?:{anywhere})"
        ))
    })
});

/// What stands before a word that counts or takes back: "0 failed", "2 type errors", "no errors", "about this error".
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:(?:^|[\s(,;])(?:(\d+)|no|zero|without|any|this|these|keine|ohne|aucune|sans|sin|sem|nessun|senza|bez|geen|inga|utan|без)(?:[个個件の개건 ]+\p{L}*|\s+\p{L}+\s)[个個 ]*|没有|沒有|无|無|未发现|未發現)$",
    )
});

/// What stands behind it: "Failures: 1", "errors=0", "エラーなし".
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:\(s\))?[ :=：]*(?:(\d+)[个個件개건 ]*(?:$|[,;)|])|none|(?-i:no )|-?free|はありません|なし|는? ?없)",
    )
});

/// Signs of trouble without a word for it: the end of a program with another number than 0, the status of an answer,
/// the mark of a failed test, the lines of pytest, apt and a conflict.
static SIGN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?xi)(?:^|[^\w/.@\\$-]|\\[nt])(?:
            (?:exit(?:ed|s)?|exit[_ ]?(?:code|status)|return\ ?code|error_code)["']?
            (?:[^\w/]|code|status|is|was|with|of|value|signal)*0*[1-9]\d*
        |   (?:http/[\d.]+["']?\s | status(?:[_\ ]?code)?["']?(?:[^\w/]|code|is|was|of|with|value)*
                | (?:get|head|post|put|patch|delete|options)\s+(?:/|http)\S*\s+(?:http/\S+\s+)?)
            ["']?[45]\d\d
        )(?:$|[^\w/%.-]|\.(?:$|[^\w/%-]))
        | ^(?-i:E\ \ \ |>\ \ \ |E:\ |W:\ |<<<<<<<\ |>>>>>>>\ )"#,
    )
});

/// The marks before the name of something that failed, and those before warnings.
static MARK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:[✕✖✗✘×❌⨯●☒]|not ok|failure/error:)| \[E\]$"));
static WARNED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i)^(?:[⚠❗⛔🔴🛑🚨💥]|\[!\]|file ".*line \d)"#));

/// Work that went well, or goes on; hints, references and leftovers that name errors without being one; source code, and
/// marks under it; a command that is about to run.
static NOISE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?: [✓✔√☑✅·↓] | (?:ok|pass|passed|===|--|info|debug|trace|compiling|checking|downloading|finished|running|building
                |see|throw|raise|return|assert|some\ errors\ have|for\ more|errno:|code:|path:|syscall:)\ 
            | \(pass\) | ---\ (?:pass|skip) | info: | \[(?:info|debug|error)\]$ | \[info\] | \[debug\] | \[\ +(?:run|ok|passed)\ 
            | \[\ \ passed | npm\ (?:error|err!)$ | node\.js\ v | https?[^:]*:// | >\ run\ with | emitted\  | traceback\ \(
            | (?:=\ )?(?:note|help|hint|tip): | \d+\ (?:\||│)|\d+▕ | >\ \d+\ [|│] | ➜\ \ \d+▕ | \| | >\ \  | const\ .*=
            | test\ case\ .*started | [>$+]\ (?-i:[^\p{Lu}\s]) | [\ ~^|=-]*$
            | .*(?: \.\.\.\ (?:ok|ignored) | \ PASSED | \ skipped | \ try: )$
            | .*(?: to\ see\  | a\ complete\ log\  | re-run\  | \[help | ->\ help | :\ note: | :\ (?:附注|備考) ) )",
    )
});

/// The value that was expected, and the value that came; and programs that say everything so.
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^(?:(?:expected|received|actual).*:|got:|want:|left:|right:|npm (?:error|err!) )")
});

/// The names of failed tests as their programs list them.
static LISTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:\d+\) |___.*___|E   )"));

/// The name of a rule of a linter: `F401`, `SC2086`, `[TS2322]`.
static RULE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Z]+\d{3,5}\b"));

/// Signs that frame a line or decorate its ends.
const FRAMES: [char; 21] = [
    '│', '┃', '╷', '╵', '┌', '└', '├', '─', '━', '╭', '╰', '╮', '╯', '┐', '┘', '┆', '⎯', '═', '║', '┈', '┊',
];

/// Words of which lines consist that only say again that something failed: "BUILD FAILED in 2s", "Found 1 error".
const GENERAL: &str = "a about above aborting affecting all an and are assertions at be because been below build building but by caused \
    check checked checks code command compilation compile compiled complete completed could deselected detected did \
    document due during emitted encountered end error: errors: exit exited failing file files filtered finished fixable for found following from \
    gmake goal has have here in info issue issues it line lines listed locally make measured ms ninja not occurred of offense offenses on or \
    out output pass passed previous problem problems process project recipe reported result run running s see short skipped some \
    source specs status step steps stop stopped subcommand successfully suite suites summary target targets task \
    tasks test tests the there time to total tried types was were warning warnings were with yarn example examples inspected ignored informations information rerun terminated";

/// The worth of a line in the account of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Says that something failed, or what is wrong at a place.
    Failure,
    /// Tells of trouble without naming it an error, or what was expected and what came.
    Trouble,
    /// A place and nothing else.
    Pointer,
    /// A warning.
    Mild,
    /// A count of failures, or that there were any.
    Total,
    /// The file to which the lines under it belong.
    Heading,
    /// Nothing.
    Plain,
}

use Standing::{Failure, Heading, Mild, Plain, Pointer, Total, Trouble};

/// A line of an output, read.
struct Line {
    /// As it is to be shown: one space between words, no frame around it.
    text: String,
    standing: Standing,
    files: Vec<String>,
    /// It names a place.
    is_placed: bool,
}

/// The error lines of an output.
pub(super) struct Excerpt {
    /// At most 5, joined by line breaks, and 280 characters in all.
    pub(super) summary: String,
    /// Of the category and the summary without numbers, ids and temporary folders, which differ from run to run.
    pub(super) fingerprint: String,
    /// The files that error lines name, those of the shown lines first.
    pub(super) files: Vec<String>,
}

/// The error lines among the lines of a failed command's output; `None` when there is none.
pub(super) fn excerpt(output: &[String], category: ErrorCategory) -> Option<Excerpt> {
    static VARYING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?:/tmp/|/dev/shm/|/var/folders/|\\[Tt]emp\\)\S*[/\\]|\b(?:\d[\w.:,+-]*|[0-9a-f]{7}[0-9a-f-]*\b)",
        )
    });
    let lines = read(output, category);
    let mut shown = Vec::new();
    for standing in [Failure, Trouble, Pointer, Total, Mild] {
        // Without errors and trouble the rest speaks, the clearest first.
        if shown.is_empty() || standing == Trouble {
            fill(&mut shown, &lines, standing);
        }
    }
    shown.sort_unstable();
    let text: Vec<&str> = shown.iter().map(|at| lines[*at].text.as_str()).collect();
    let text = text.join("\n");
    // Cut after it is normalised: a longer line number must not push out a word.
    let normal = format!("{}{}", category.as_str(), cut(&VARYING.replace_all(&text, "#")));
    let tells = lines
        .iter()
        .filter(|line| matches!(line.standing, Failure | Pointer | Trouble));
    let mut files: Vec<String> = Vec::new();
    for file in shown
        .iter()
        .map(|at| &lines[*at])
        .chain(tells)
        .flat_map(|line| &line.files)
    {
        if files.len() < MAX_FILES && !files.contains(file) {
            files.push(file.clone());
        }
    }
    (!shown.is_empty()).then(|| Excerpt {
        summary: cut(&text),
        fingerprint: sha256_hex(normal.as_bytes())[..FINGERPRINT].to_owned(),
        files,
    })
}

/// True when an output shows that anything went wrong.
pub(super) fn shows_failure(output: &[String], category: ErrorCategory) -> bool {
    let mut lines = read(output, category).into_iter();
    lines.any(|line| matches!(line.standing, Failure | Total | Trouble))
}

/// Takes the first lines of this standing as far as there is room, each with its place or the heading of its file:
/// without that it tells little.
fn fill(shown: &mut Vec<usize>, lines: &[Line], wanted: Standing) {
    let (mut heading, mut waits_for_place) = (None, false);
    for (at, line) in lines.iter().enumerate() {
        if line.standing == wanted {
            if shown.iter().any(|other| lines[*other].text == line.text) {
                continue;
            }
            let above = heading.take();
            waits_for_place = wanted == Failure && !line.is_placed && above.is_none();
            shown.extend(above);
            shown.push(at);
        } else if line.standing == Heading {
            heading = Some(at);
        } else if line.standing == Pointer && std::mem::take(&mut waits_for_place) {
            shown.push(at);
        }
    }
    shown.truncate(MAX_LINES);
}

/// Every line, with what only its neighbours tell.
fn read(output: &[String], category: ErrorCategory) -> Vec<Line> {
    let (mut is_traceback, mut announces) = (false, false);
    let line = |raw: &String| {
        let mut line = read_line(raw, category);
        // The last line of a Python traceback is its error, whatever the exception is called; what follows
        // `panicked at src/a.rs:3:5:` or `Error:` is what happened.
        let ends_traceback = is_traceback && !raw.starts_with(char::is_whitespace);
        let says_what = announces
            && matches!(line.standing, Failure | Trouble | Pointer | Plain)
            && !NOISE.is_match(bare(raw));
        announces = !announces && line.text.ends_with([':', ']']) && line.standing == Failure
            || line.standing == Total && ["Failure:", "Error:"].contains(&line.text.as_str());
        if ends_traceback || says_what {
            line.standing = Failure;
        }
        is_traceback = (is_traceback && !ends_traceback) || raw.trim_start().starts_with("Traceback (most");
        line
    };
    output.iter().map(line).collect()
}

/// Reads a line of what a command of this category printed.
fn read_line(line: &str, category: ErrorCategory) -> Line {
    let bare = bare(line);
    let [(error, counts), (trouble, _), (warning, _)] = [0, 1, 2].map(|kind| said(kind, bare));
    let text = shown(bare, error.or(trouble).unwrap_or(0));
    let named = named(line);
    let place = named.iter().find(|file| file.has_line);
    let heading = heading(line);
    let standing = match () {
        () if category == Test && LISTED.is_match(line) && !text.is_empty() => Failure,
        () if text.is_empty() || NOISE.is_match(bare) => Plain,
        () if VALUE.is_match(bare) => Trouble,
        () if warning.is_some_and(|warning| error.is_none_or(|error| warning < error)) => Mild,
        () if is_general(bare) && (error.is_some() || counts) => Total,
        () if is_general(bare) => Plain,
        () if error.is_some()
            || MARK.is_match(bare)
            || place.is_some_and(|place| says_what_is_wrong(line, &place.span))
            || matches!(category, Lint | Typecheck) && RULE.is_match(bare) =>
        {
            Failure
        }
        () if counts => Total,
        () if place.is_some() => Pointer,
        () if heading.is_some() => Heading,
        () if trouble.is_some() => Trouble,
        () => Plain,
    };
    let tells = |file: &Named| matches!(standing, Failure | Mild | Trouble) && NAME.is_match(&file.path);
    let files = named.iter().filter(|file| file.has_line || tells(file));
    let files = files.map(|file| file.path.clone());
    Line {
        files: files.chain(heading.filter(|_| standing == Heading)).collect(),
        is_placed: place.is_some(),
        text,
        standing,
    }
}

/// `path:line:col message`: the line begins with a place and goes on with words.
fn says_what_is_wrong(line: &str, place: &Range<usize>) -> bool {
    let before = line[..place.start].trim();
    let after = line[place.end..].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '|');
    let is_first = !before.contains(char::is_whitespace) && before.len() <= 24;
    is_first && !after.starts_with(['+', '|']) && !after.starts_with("in ") && after.chars().nth(1).is_some()
}

/// The place of the first word of a table that nothing takes back or counts, and whether some are counted.
fn said(kind: usize, line: &str) -> (Option<usize>, bool) {
    let mut are_some = false;
    let mut found = SAID[kind].find_iter(line);
    let first = found.find(|found| {
        let word = found.as_str();
        let skipped = word.len() - word.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let kept = word
            .trim_end_matches(|c: char| !c.is_alphanumeric() && c != '!')
            .len();
        let (before, after) = (&line[..found.start() + skipped], &line[found.start() + kept..]);
        let before = &before[before.ceil_char_boundary(before.len().saturating_sub(40))..];
        let after = &after[..after.floor_char_boundary(40)];
        let counted = BEFORE.captures(before).or_else(|| BEHIND.captures(after));
        let number = counted.as_ref().and_then(|counted| counted.get(1));
        are_some |= number.is_some_and(|number| number.as_str().bytes().any(|digit| digit != b'0'));
        counted.is_none()
    });
    (first.map(|found| found.start()), are_some)
}

/// True when a line names an error, trouble or a warning, counts some, or has a sign or a mark of trouble; counts of
/// nothing and denials ("0 failed") do not.
pub fn tells_trouble(line: &str) -> bool {
    let line = without_escapes(line);
    let tells = |(first, are_some): (Option<usize>, bool)| first.is_some() || are_some;
    (0..SAID.len()).any(|kind| tells(said(kind, &line)))
        || SIGN.is_match(&line)
        || [&MARK, &WARNED].iter().any(|mark| mark.is_match(bare(&line)))
}

/// True when a line has no word that tells more than that something failed. A text in quotes or brackets is a name.
fn is_general(line: &str) -> bool {
    static QUOTED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"`[^`]*`?|'[^']*'?|"[^"]*"?|\([^)]*\)?|\[[^\]]*\]?"#));
    let outside = QUOTED.replace_all(line, "").to_lowercase();
    let words = outside
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let is_known = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || GENERAL
                .split(' ')
                .chain(WORDS[0].split(", "))
                .any(|known| known == word)
    };
    words.peek().is_some() && words.all(is_known)
}

/// The lines of an output as a person saw them, in order, without those that are blank: without colours, progress that was
/// written over, control characters. Of a long output the head and the tail.
pub(super) fn lines(output: &str) -> Vec<String> {
    let head = output.floor_char_boundary(HALF);
    let tail = output
        .ceil_char_boundary(output.len().saturating_sub(HALF))
        .max(head);
    let gap = if tail > head { "\n" } else { "" };
    let seen = [&output[..head], gap, &output[tail..]].concat();
    let seen = without_escapes(&seen);
    let is_shown = |c: &char| *c == '\t' || !c.is_control() && *c != '\u{feff}';
    let lines = seen.split(['\n', '\r']).map(|line| {
        let line = &line[..line.floor_char_boundary(MAX_LINE)];
        line.chars().filter(is_shown).collect::<String>()
    });
    lines.filter(|line| !line.trim().is_empty()).collect()
}

/// A line without the frame around it.
fn bare(line: &str) -> &str {
    line.trim().trim_matches(FRAMES).trim()
}

/// The line with single spaces; of a long one the part that says what is wrong.
fn shown(bare: &str, said: usize) -> String {
    let start = if bare.len() > 1000 {
        said.saturating_sub(40)
    } else {
        0
    };
    let is_rule = |word: &&str| word.len() >= 4 && word.bytes().all(|byte| b"_=-!*#".contains(&byte));
    let words = bare[bare.floor_char_boundary(start)..].split_whitespace();
    let words = words.map(|word| word.trim_matches(FRAMES));
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !is_rule(word)).collect();
    words.join(" ")
}

/// At most 280 characters. A word is kept or left out as a whole, so that no half of a secret is left that nobody
/// recognises; only one that fills the summary is cut.
fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let room = text.char_indices().nth(MAX_CHARS - 1).map_or(0, |(at, _)| at);
    let whole = text[..room]
        .trim_end_matches(|c: char| !c.is_whitespace())
        .trim_end();
    let kept = if whole.is_empty() { &text[..room] } else { whole };
    format!("{kept}…")
}
