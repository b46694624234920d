//! `raw_error`: an error as a program printed it.

use super::passage::{Passage, unmarked};
use super::table::Table;
use crate::capture::Rejection;

/// What only a program writes.
static PRINTED: Table = Table::new(&[
    r"^\W{0,3}(?:Uncaught |Unhandled |\(node:\d+\) )?(?:[A-Za-z_.]*\.)?[A-Z]\w*(?:Error|Exception|Panic|Fault)\b(?:\[[^\]]+\]|\s*\([^)]*\))?\s*:",
    r"^\W{0,3}(?:Error|Exception|Fatal|Panic|FATAL|ERROR|PANIC|FAIL(?:ED|URE)?|WARN(?:ING)?)\b(?:\[[^\]]+\]|\s*\([^)]*\))?\s*[:\]|]",
    r"^\W{0,3}(?:error|fatal|panic|fatal error|internal error|npm ERR!|npm error|ERR!|warning|ERR_\w+|err|E)\b(?:\[\w+\]|\s+[A-Z]{1,4}\d+)?\s*[:!]",
    r"^npm (?:ERR!|error)\s|^[\w./-]{1,40}: (?:fatal |internal )?(?:error|fatal|panic|ERROR|FATAL)\b[^a-z]{0,12}: ",
    r"^(?:ld|cc|gcc|g\+\+|clang|make(?:\[\d+\])?|bash|sh|zsh|git|npm|pnpm|yarn|cargo|rustc|tsc|node|python\d?|pip\d?|docker|kubectl|psql|mysql|curl|wget|ssh|scp|cp|mv|rm|cat|ls|cd|tar|java|javac|go|mvn|gradle|webpack|vite|esbuild|eslint|env|sudo|ruby|bundler|composer|php|dotnet|xcodebuild|swiftc): .*\b(?:not found|no such|undefined|cannot|can't|could not|failed|failure|denied|unable|invalid|unknown|unrecogni[sz]ed|missing|refused|error|\*\*\*)",
    r"^(?:HTTP(?:/\d(?:\.\d)?)? )?[45]\d\d (?:[A-Z]\w+ ?){1,4}(?:$|from|for|at|:|on|while|when calling)|\s--> \S+:\d+:\d+",
    r"^[\w. -]{1,60}: (?:[A-Z]\w*)?(?:Error|Exception): |^(?:ERROR|FATAL|E) +(?:\d{2,}|[A-Z]\w*(?:Error|Exception))\b|^Exception in thread ",
    r"\berror TS\d{3,5}\b|\berror\[E\d{3,4}\]|\bERR_[A-Z_]{4,}\b.*:|\bLNK\d{4}\b|\bCS\d{4}:",
    r"(?i)\btraceback \(most recent call last\)|\bcaused by: |\bstack trace:\s|\bpanicked at\b|\bgoroutine \d+ \[|\bcore dumped\b|^segmentation fault",
    r"(?:^|\s)at (?:[\w$.<>]+ )?\(?(?:[\w@./\\:-]+):\d+:\d+\)?|\bat [A-Z]\w+\.\w+(?:\s|$|\()|\bat [\w.$]+\([\w]+\.(?:java|kt|scala|cs):\d+\)",
    r#"^\s*File "[^"]+", line \d+|\bin [\w/.-]+\.\w{1,4} on line \d+"#,
    r"^[\w./\\-]+\.\w{1,5}(?::\d+(?::\d+)?|\(\d+,\d+\)):? (?:error|warning|fatal|note|undefined|syntax)",
    r"(?i)^(?:[\w./-]+: )+(?:command not found|no such file or directory|permission denied|cannot find module|undefined reference|syntax error|not a directory|is a directory|connection refused)",
    r"\bCannot (?:read|set) propert(?:y|ies) (?:of|')|\bis not a function \(|\bcannot find symbol\b|\bunexpected token '?[^ ]{1,3}'? |\bundefined is not (?:a|an) ",
    r"^(?:FAIL|✗|✘|×|✖|❌|not ok)\s+\S",
    r"\bSQLSTATE\[|\bORA-\d{5}\b|^\s*(?:assert(?:ion)?(?:Error)? .*failed|expected .{1,80} (?:but )?(?:got|received|found|to (?:equal|be)) .{1,80})$",
    // TeX, and what a processor was in when it stopped
    r"^! (?:[A-Z]\w+ )*[Ee]rror\b|^! [A-Z][\w ]+\.$|\b\w{2,12}=0x[0-9a-fA-F]{8,16}\b.*\b\w{2,12}=0x[0-9a-fA-F]{8,16}\b",
    r"(?i)^(?:exit(?:ed)?|process exited|command failed|failed) with (?:exit )?(?:code|status) \d+|\bcommand failed with exit code \d+",
]);

/// What a program writes, and a person who explains it.
static QUOTED: Table = Table::new(&[
    r"\b(?:econnrefused|enoent|eacces|eaddrinuse|econnreset|etimedout|eperm|eexist|emfile|epipe|eisdir|enotfound|eresolve|ehostunreach|enospc|enomem)\b",
    r"\bnullpointerexception\b|\bstackoverflowerror\b|\boutofmemoryerror\b|\bclassnotfoundexception\b|\bmodulenotfounderror\b",
    r"\bexit(?:ed)? (?:with )?(?:code|status) [1-9]",
    r"\bsegmentation fault\b|\bheap out of memory\b|\bunhandled (?:promise )?rejection\b",
]);

/// What makes it an explanation.
static EXPLAINED: Table = Table::new(&[
    r"\b(?:means?|indicates?|signals?|is expected|are expected|is harmless|are harmless|happens? (?:when|if|because)|occurs? (?:when|if)|is raised|is thrown|are raised|are thrown|is caused by|are caused by|is returned|are retried|is retried|retry on|is treated|are treated|is mapped|are mapped|is ignored|are ignored|must|never|always|should|comes? from|exits?|on bad|when|so|therefore|fix(?:ed)? by)\b|(?:^|[,;:] )(?:use|run|set|start|wait|retry)\b",
    r"表示|说明|意味|必须|应该|のとき|場合|意味|뜻|의미|경우|해야",
]);

/// Whether a text is the output of a program that failed.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    let line = passage.whole.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = unmarked(&line);
    let quoted = passage.says(&QUOTED) && !passage.says(&EXPLAINED);
    (PRINTED.matches(bare) || quoted).then_some(Rejection::RawError)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_error(text: &str) -> bool {
        reason(&Passage::new(text)).is_some()
    }

    #[test]
    fn printed_errors_are_found() {
        for text in [
            "Uncaught ReferenceError: process is not defined",
            "java.lang.IllegalStateException: Pool is closed",
            "error TS2322: Type 'string' is not assignable to type 'number'.",
            "src/app.ts(14,3): error TS2345: Argument of type 'x'",
            "src/main.rs:14:5: error: expected one of `;`",
            "npm ERR! code ERESOLVE unable to resolve dependency tree",
            "fatal: not a git repository (or any of the parent directories): .git",
            "thread 'main' panicked at src/main.rs:14:5",
            "Traceback (most recent call last): File \"a.py\", line 3",
            "bash: pnpm: command not found",
            "Segmentation fault (core dumped)",
            "FAIL src/cart/total.test.ts > adds tax",
            "at Object.<anonymous> (/srv/app/index.js:10:15)",
            "Process exited with code 137 after 20 s",
            "panic: runtime error: index out of range [3] with length 3",
            "listen EADDRINUSE: address already in use :::3000",
            "expected 3 but got 4",
        ] {
            assert!(is_error(text), "{text}");
        }
    }

    #[test]
    fn sentences_about_errors_are_none() {
        for text in [
            "Errors that reach the client carry a stable code and never a stack trace.",
            "Error messages are lower case and end without a full stop.",
            "ECONNREFUSED on port 5432 means that the database container is not started.",
            "The CLI exits with exit code 2 on bad arguments.",
            "Error handling: library code returns typed errors, binaries use anyhow.",
            "A NullPointerException in the importer indicates a missing tax rate.",
            "Panics are reserved for broken invariants.",
        ] {
            assert!(!is_error(text), "{text}");
        }
    }
}
