//! What lines look like, whatever they say: totals, hints, code, what passed. Each table is one pattern, compiled once.

use std::sync::LazyLock;

use regex::Regex;

/// A list of alternatives as one pattern.
fn any(alternatives: &[&str]) -> Regex {
    let pattern = alternatives
        .iter()
        .map(|one| format!("(?:{one})"))
        .collect::<Vec<_>>()
        .join("|");
    Regex::new(&pattern).expect("because the patterns are constants")
}

/// A command that is about to run, as npm, yarn and `set -x` print it.
pub(super) static ECHO: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r#"^\s*[>$%+] (?:[a-z0-9@./_"'(\[][^|]*|[A-Z_]+=.*)$"#,
        r"^Task \S+ \S",
    ])
});

/// A line of source code, or a mark under it.
pub(super) static CODE: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"^\s*[>❯]?\s*\d+\s*[|│](?:\s|$)",
        r"^\s*\|",
        r"^\s*>\s{2,}\S",
        r"^[\s~^|┆\-]*$",
        r"^\s+(?:throw|raise|assert|return|if|await|const|let|var|import|from|def|fn|func|pub|self)\b.*[({;:=.]",
    ])
});

/// A row of a table that only looks like code (`phpcs`).
pub(super) static TABLE_ROW: LazyLock<Regex> = LazyLock::new(|| any(&[r"^\s*\d+ \| (?:ERROR|WARNING)\s*\|"]));

/// Something that went well.
pub(super) static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"^\s*(?:✓|✔|√|☑|✅|·|↓|○)",
        r"^\s*ok\b",
        r"^\s*(?:\S+ )?PASS(?:ED)?\b",
        r"^\s*\[\s*(?:OK|PASS|PASSED|RUN|INFO|DEBUG|info|debug|success)\s*\]",
        r"^\s*(?:--- (?:PASS|SKIP)|=== (?:RUN|PAUSE|CONT|NAME))\b",
        r"^\s*\(pass\)",
        r"(?:\.\.\.|…)\s*(?:ok|passed|skipped|ignored)(?:\s*[\[(].*)?\s*$",
        r"\s(?:PASSED|SUCCESS|SKIPPED|XFAIL)(?:\s*[\[(].*)?\s*$",
        r"^\s*(?:Compiling|Checking|Downloading|Downloaded|Fetching|Fresh|Running|Building|Finished|Installing|Collecting|Resolving) ",
        r"^\S+\.py [.sxX]+\s+\[\s*\d+%\]",
        r"^Test Case .* (?:passed|started)\b",
        r"^(?:INFO|DEBUG|TRACE|info|debug)\b",
    ])
});

/// Hints, references and leftovers that name errors without being one.
pub(super) static HINT: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"^For more information about (?:this|an|these) errors?\b",
        r"^Some errors have detailed explanations",
        r"^(?:\s*= )?(?:note|help|hint|tip|Hint|Help|Tip)\b\s*:",
        r"^\s*= (?:note|help)\b",
        r"^note: run with `RUST_BACKTRACE",
        r"^\s*(?:npm (?:ERR!|error)|yarn)?\s*A complete log of this run can be found",
        r"^npm (?:ERR!|error)\s+(?:\S*[/\\]_logs[/\\]|This is probably not a problem|Report this issue|Fix the upstream|this command with|to accept an incorrect|For a full report|See \S+ for)",
        r"^npm (?:ERR!|error)\s*$",
        r"^npm (?:WARN|warn|notice)\b.*(?:deprecated|funding|New .* version)",
        r"^(?:info|verbose|notice)\s",
        r"^\[ERROR\]\s*$",
        r"^\[ERROR\]\s+(?:-> \[Help|To see the full stack trace|Re-run Maven|For more information about|After correcting|\[Help \d)",
        r"^\[(?:INFO|DEBUG)\]",
        r"^(?:\* Try:|> Run with --|\* Get more help|Run with --|> Get more help)",
        r"(?i)^if (?:this|you|the) (?:error|problem|issue|think|believe)",
        r"(?i)^\s*(?:see|please report|read more|learn more|more info|documentation)\b.*https?://",
        r"^\s*https?://",
        r"^Emitted 'error' event on",
        r"^(?:code|errno|syscall|address|port|path|dest): (?:'|-?\d)",
        r"^npm (?:ERR!|error)\s+(?:\d+\s*$|npm run\s*$|To see a list of scripts)",
        r"^Node\.js v\d",
        r"^warning: build failed, waiting for other jobs",
        r"^\s*\[?stack(?:trace)?\]?:?\s*$",
        r"^Errors were (?:found|reported) above",
        r"(?i)^-{3,} .*(?:stdout|stderr).*-{3,}$",
        r"^[-=]{3,}[^A-Za-z]*$",
    ])
});

/// Totals, and what only repeats that something failed: an error line when nothing else is.
pub(super) static TOTAL: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"^(?i:failures?|errors?|failed|fail|summary|error output|failures!|errors!|failed tests?|failed examples)\s*[:!]?\s*$",
        r"^[=\-─━⎯_\s*#]+(?i:failures?|errors?|failed tests?.*|short test summary.*|failed suites.*|\d+ failed.*)[=\-─━⎯_\s*#]+$",
        r"^(?:✖|×|✗|✘|❌)?\s*\d+ (?:problems?|errors?|warnings?|issues?|failed|failing)\b",
        r"^FAILED \(",
        r"^FAIL(?:ED)?\t\S+(?:\t|\s+\[)",
        r"^test result: FAILED",
        r"^(?:error: )?(?:test|doctest) failed, to rerun pass",
        r"^error: \d+ targets? failed",
        r"^error: could not compile `",
        r"^error: aborting due to",
        r"^error: the following (?:build )?command (?:failed|exited|terminated)",
        r"^(?:error: )?(?:build|compilation) failed\b\.?",
        r"^(?:\*\* )?(?:BUILD|TEST|ARCHIVE) FAIL(?:ED|URE)\b",
        r"^FAILURE: (?:Build failed|Build completed)",
        r"^Execution failed for task",
        r"^> (?:Compilation failed|There were failing tests|Task \S+ FAILED|Process 'command)",
        r"^> Task \S+ FAILED",
        r"^\* (?:What went wrong|Exception is|Where):",
        r"^(?:BUILD FAILED|BUILD FAILURE|Build FAILED)",
        r"^\[ERROR\] (?:COMPILATION ERROR|BUILD FAILURE|Failed to execute goal|There are test failures|Failures:|Errors:|Tests run:|Please refer to|Tests in error|Failed tests)",
        r"^\[INFO\] BUILD FAILURE",
        r"^g?make(?:\[\d+\])?: \*\*\* \[",
        r"^g?make(?:\[\d+\])?: (?:Target .* not remade|\*\*\* Waiting)",
        r"^ninja: build stopped",
        r"^collect2: error: ld returned",
        r"^clang\S*: error: linker command failed",
        r"^FAILED: \S+\.o\b",
        r"^npm (?:ERR!|error) (?:code ELIFECYCLE|errno \d|errno -|Lifecycle script|Exit status|command|path|location|workspace|Failed at the|cwd)\b",
        r"^npm (?:ERR!|error) .*\bExit status",
        r"^\S*ELIFECYCLE\S*",
        r"^(?:error )?Command failed with exit code",
        r#"^error: script "[^"]+" (?:exited|was terminated)"#,
        r"^(?:Error: )?Process completed with exit code",
        r"^ERROR: \S+ failed\.?$",
        r"^Traceback \(most recent call last\)",
        r"^(?:Some errors were emitted|Found \d+ (?:errors?|issues?|problems?|warnings?))",
        r"^(?:×|✖)\s*Some errors were emitted",
        r"^(?:The following errors? (?:was|were)|There (?:was|were) \d+ (?:failure|error))",
        r"^Test (?:Suite|Case) '.*' failed",
        r"(?i)^\S*\s*exit (?:status|code):? \d+\.?$",
        r"^exit status \d+$",
        r"^Failed!\s+-",
        r"^Caused by:\s*$",
        r"^error Command failed\b",
        r"^Failed (?:Tests|Suites) \d+$",
        r"^FAILED \|",
        r"^\d\d:\d\d \+\d+(?: ~\d+)? -\d+: Some tests failed\.$",
        r"^(?:✖|×) failing tests:?$",
        r"^error: (?:test run failed|fatalError|Test failed)$",
        r"^-- Configuring incomplete",
        r"^(?:生成失败|構建失敗|ビルドに失敗しました|빌드하지 못했습니다|Fehler beim Buildvorgang|BUILD FEHLGESCHLAGEN)\S*$",
        r"^Error Message:$",
        r"^> Build failed because of",
        r"^(?:Failed to compile|Build failed|Application bundle generation failed)\b.*$",
        r"^== Compilation error in file",
        r"^Build completed with failures",
        r"^ELIFECYCLE|^ERR_PNPM_RECURSIVE",
        r"^(?:lerna ERR!|ERROR\s+run failed)",
    ])
});

/// A count of things that failed.
pub(super) static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        concat!(
            r"(?i)(?:^|[^\w.])\d+ (?:(?:tests?|test suites?|specs?|suites?|examples?|files?|checks?|of \d+)\s+)?",
            r"(?:fail|failed|failing|failures?|errors?|error\(s\)|problems?|offenses?|issues?|vulnerabilities|Fehler|errores|erreurs?|erros)\b"
        ),
        r"(?i)\b(?:failed|failures?|errors?|fehler|incorrect)\s*[:=]\s*\d+\b",
        r"\d+\s*(?:个|個|件の)?\s*(?:错误|錯誤|失败|失敗|エラー)",
        r"(?:오류|에러|실패|エラー)\s*\d+\s*(?:개|건|個)",
        r"^\S{0,2}\s*fail \d+$",
        r"(?i)\b\d+ files? would be reformatted",
    ])
});

/// The name of a test that failed, or a mark that says so.
pub(super) static FAILED_NAME: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"^\s*(?:✕|✖|✗|✘|×|❌|⨯|●|☒)\s*\S",
        r"^\s*not ok\b",
        r"^\s*(?:FAIL|FAILED|Failed)[:\s]\s*\S",
        r"^\s*--- FAIL:",
        r"^\s*Failure/Error:",
        r"^g?make(?:\[\d+\])?: \*\*\* ",
        r"^\s*\(fail\)",
        r"(?:\.\.\.|\s)(?:FAILED|FAIL)(?:\s*[\[(].*)?\s*$",
        r"<<< (?:FAILURE|ERROR)!",
        r"^\d\d:\d\d \+\d+(?: ~\d+)? -\d+: .* \[E\]$",
        r"^\s*\[\s*FAILED\s*\]",
    ])
});

/// The name of a failed test, as test programs list it.
pub(super) static LISTED_TEST: LazyLock<Regex> =
    LazyLock::new(|| any(&[r"^\s*\d+\) \S", r"^_{3,} .+ _{3,}$", r"^E {2,}\S"]));

/// What was expected, and what was there instead.
pub(super) static DETAIL: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"(?i)^\s*(?:expected|received|actual|got|want|left|right|but was|found|erwartet)\b\s*[:=]",
        r"^\s*[-+] (?:Expected|Received|expected|actual)",
        r"(?i)^\s*expected .* (?:but|got|to)\b",
        r"^\s*reason:",
        r"^\s*= note: .*(?:`-[DF] |#\[(?:deny|forbid)\()",
    ])
});

/// A code of a system or a tool that stands for an error: `ENOENT`, `ERR_MODULE_NOT_FOUND`, `E0308`, `TS2322`, `SC2086`.
pub(super) static ERROR_CODE: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"\bE(?:ACCES|ADDRINUSE|ADDRNOTAVAIL|BADENGINE|BUSY|CONNREFUSED|CONNRESET|EXIST|HOSTUNREACH|INTEGRITY|INVAL|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|NOTEMPTY|NOTFOUND|NOTSUP|PERM|PIPE|RESOLVE|ROFS|TARGET|TIMEDOUT|USAGE|401|403|404|409|500)\b",
        r"\bERR_[A-Z0-9_]{3,}",
        r"\bSC\d{4}\b",
        r"\bDL\d{4}\b",
        r"\bSIG(?:ABRT|BUS|FPE|ILL|KILL|SEGV|TERM|TRAP)\b",
    ])
});

/// A kind of exception by its name, alone or with its module: `ValueError`, `java.io.IOException`, `CompileError`.
pub(super) static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"(?:^|[\s(\[>:*`'\x22])(?:[A-Za-z_][\w$]*[.:/]+)*[A-Z][\w$]*(?:Error|Exception|Failure|Panic|Fault|Iteration|Interrupt|Exit|Timeout)(?:$|[\s:)\]!,.`'\x22])",
        r"^(?:[A-Z][\w$]*(?:Error|Exception))\b",
    ])
});

/// An error whose line is given after the heading of its file (`eslint`, `ruff`, `yamllint`, `stylelint`).
pub(super) static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"^\s*(?:[✖×⚠!]\s+)?\d+:\d+\s+\S",
        r"^\s*\d+ \| (?:ERROR|WARNING)\s*\|",
        r"^\s*[Ll]ine \d+[:,]",
    ])
});

/// What gives a line's severity below an error.
pub(super) static MILD: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"(?i)^\s*\[?\b(?:warn|warning|notice|deprecat\w+)\b",
        r"(?i)(?:^|[:)\]\s-])\s*(?:warning|warn|info|style|convention|refactor|hint)(?: [A-Z]+\d+)?\s*[:\[(]",
        r"^\s*(?:[⚠!]\s+)?\d+:\d+\s+(?:[⚠!]\s+)?(?:warning|warn|info|note)\b",
        r"^\s*⚠",
        r"^npm (?:WARN|warn)\b",
        r"\b(?:WARN|WARNING)\b",
        r"^\s*\d+ \| WARNING",
    ])
});

/// A frame of a stack trace, or a mark before a place.
pub(super) static FRAME: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"^\s*(?:at|from|by)\s+\S",
        r"^\s*(?:-->|:::|❯|➜|┌─|╭─\[|File \x22|#\s*\S+:\d)",
        r"^\s*\.\.\. \d+ more",
    ])
});

/// A remark to an error above it.
pub(super) static REMARK: LazyLock<Regex> =
    LazyLock::new(|| any(&[r":\s*(?:note|remark|Anmerkung|附注|備考|참고|nota)\s*[:：]"]));

/// What denies that anything failed: "0 failed", "no errors found".
pub(super) static DENIAL: LazyLock<Regex> = LazyLock::new(|| {
    let things = r"(?:errors?|error\(s\)|err|failures?|failed|failing|fails?|problems?|issues?|exceptions?|offenses?|vulnerabilities|warnings?|conflicts?|crash(?:es)?|Fehler|erreurs?|errores|erros?|errori)";
    any(&[
        &format!(
            r"(?i)(?:^|[^\w.])(?:0|no|zero|without(?: any)?|any) (?:(?:type|lint|linting|test|tests|syntax|compile|compilation|compiler|build|typescript|known|new|other|style|fatal|critical)\s+)?{things}\b(?:\s+(?:found|detected|reported|occurred))?"
        ),
        &format!(r"(?i)\b{things}\s*[:=]\s*(?:0|none|no {things})\b"),
        &format!(r"(?i)^\s*{things}\s+(?:0|none|no {things})\s*$"),
        r"(?:^|\D)0\s*(?:个|個|件の)?\s*(?:错误|錯誤|失败|失敗|エラー|오류|에러)",
        r"(?:错误|錯誤|失败|失敗|エラー|오류|에러|실패)\s*[:：]?\s*0(?:$|\D)",
    ])
});

/// What programs that run others print before their lines: `#12 0.512 ` (docker build), `web-1  | ` (docker compose),
/// `web:test: ` (turbo), `packages/web test: ` (pnpm).
pub(super) static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"^#\d+ (?:\d+\.\d+ )?",
        r"^\d+\.\d{3} ",
        r"^[a-z][\w-]*-\d+\s+\| ",
        r"^@?[\w/-]+:(?:build|test|lint|typecheck|check|dev|start)[\w:-]*: ",
        r"^[\w./@-]+ (?:build|test|lint|typecheck|check)[\w:-]*: ",
    ])
});
