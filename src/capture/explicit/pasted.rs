//! Text that a machine printed: the lines of logs, traces, diffs, shells and transcripts, as data.

use std::sync::LazyLock;

use regex::Regex;

use super::language::compile;

/// Beginnings of a line that no person types. The rest of the same paragraph was pasted with such a line.
const PRINTED: &[&str] = &[
    // Times: 2026-11-21T12:04, [12:04:31], 12:04:31.250, Nov 21 12:04:31, [10:32]
    r"^[\[(]?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d",
    r"^[\[(]?\d{1,2}:\d\d:\d\d\b",
    r"^[\[(]\d{1,2}:\d\d(?: ?[AaPp][Mm])?[\])]",
    r"^[\[(]?\d{1,2}/\d{1,2}/\d{2,4},? \d{1,2}:\d\d",
    r"^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} \d\d:\d\d",
    r"^\[ *\d+\.\d+\] ",
    // Levels of loggers
    r"^[\[(<]?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE|CRITICAL|VERBOSE)\b[\])>]?(?:[:|\s]|$)",
    r"^\[(?:info|warn|warning|error|debug|trace|fatal|notice)\]",
    r"^(?:\w+=\S+ )*level=\w+",
    r"^npm (?:ERR!|WARN|error|warn)\s",
    r#"^\{".*\}$"#,
    // Compilers, tests and traces
    r"^(?:error|warning)(?:\[\w+\])?: ",
    r"^\S+\.\w{1,5}(?::\d+){1,2}:? ",
    r"^\s*(?:--> \S|at \S+ \(|at \S+:\d+:\d)",
    r"^Traceback \(most recent call last\)",
    r#"^\s*File "[^"]+", line \d+"#,
    r"^(?:thread '|panic: |goroutine \d+ \[|Exception in thread|Caused by: )",
    r"^(?:running \d+ tests?|test \S+ \.\.\. )",
    // Shells
    r"^(?:\$|%|❯|➜|λ|PS [A-Z]:\\[^>]*>|[\w.-]+@[\w.-]+[:~ ][^$#]*[$#]) ",
    // Transcripts: a line per speaker
    r"^\**(?i:user|assistant|human|ai|system|bot|agent|model|chatgpt|gpt|claude|copilot|gemini|q|a)\** ?[:：>]",
    r"^(?:用户|用戶|使用者|助手|助理|系统|系統|ユーザー?|アシスタント|システム|사용자|어시스턴트|시스템) ?[:：]",
];

/// Beginnings of a diff, and the lines that may stand before its first `@@`.
const DIFF: [&str; 7] = [
    "diff --git ",
    "diff --cc ",
    "@@ -",
    "--- a/",
    "--- /dev/null",
    "+++ b/",
    "+++ /dev/null",
];

/// The lines of its head that say what became of a file.
const DIFF_HEAD: [&str; 5] = [
    "index ",
    "new file mode",
    "deleted file mode",
    "similarity ",
    "rename ",
];

static PRINTED_LINE: LazyLock<Regex> = LazyLock::new(|| compile(&PRINTED.join("|")));

/// The length of a line's beginning that is read: the signs of a printed line stand there.
const HEAD: usize = 400;

/// True when a program printed the line.
pub(super) fn is_printed(line: &str) -> bool {
    PRINTED_LINE.is_match(&line[..line.floor_char_boundary(HEAD)])
}

/// True when a diff begins here.
pub(super) fn begins_diff(line: &str) -> bool {
    DIFF.iter().any(|words| line.starts_with(words))
}

/// True when a diff that has begun goes on with this line.
pub(super) fn continues_diff(line: &str) -> bool {
    line.is_empty()
        || line.starts_with(['+', '-', '@', '\\', ' '])
        || DIFF_HEAD.iter().any(|words| line.starts_with(words))
        || begins_diff(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_print_these() {
        for line in [
            "[12:04:31] remember: rotate the key",
            "2026-11-21T08:00:12Z starting",
            "2026-11-21 08:00:12,113 INFO x",
            "Nov 21 12:04:31 host sshd[1]: x",
            "INFO  don't forget: flush",
            "[WARN] x",
            "ts=1 level=info msg=x",
            "npm ERR! code 1",
            "error[E0308]: mismatched types",
            "src/a.rs:1:2: oops",
            "  --> src/a.rs:1:2",
            "    at run (/x/a.js:1:2)",
            "Traceback (most recent call last):",
            "  File \"a.py\", line 3, in x",
            "thread 'main' panicked at src/a.rs:1:2:",
            "$ ./start.sh",
            "dev@host:~/x$ make",
            "PS C:\\x> dir",
            "User: remember this",
            "**Assistant:** ok",
            "用户：记住",
            "{\"level\":\"info\"}",
        ] {
            assert!(is_printed(line), "{line}");
        }
    }

    #[test]
    fn people_type_these() {
        for line in [
            "Before you start:",
            "Remember: x",
            "Error handling is bad here.",
            "At 12:30 we deploy",
            "Two remarks on the review.",
            "INFORMATION about the build",
            "Note: x",
            "user tests are slow",
            "the a.b.c. thing",
        ] {
            assert!(!is_printed(line), "{line}");
        }
    }
}
