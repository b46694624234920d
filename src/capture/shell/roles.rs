//! Programs whose exit code or output does not speak for the work of a command line.

use crate::capture::ErrorCategory;

/// Programs that set the scene, wait or speak: what they return says nothing about the work before them.
pub(super) const INERT: &[&str] = &[
    ".", ":", "alias", "cd", "date", "declare", "echo", "exit", "export", "false", "kill", "local", "popd",
    "printf", "pushd", "pwd", "read", "return", "set", "shift", "shopt", "sleep", "source", "trap", "true",
    "umask", "unset", "wait",
];

/// Programs at the end of a pipe that show all of what comes in, or its first or last lines: a failure is still seen.
pub(super) const PASSING: &[&str] = &["bat", "cat", "head", "less", "more", "tail", "tee", "ts"];

/// Programs at the end of a pipe that choose or change lines: what they leave out is not seen.
pub(super) const CHOOSING: &[&str] = &[
    "ag", "awk", "column", "cut", "egrep", "fgrep", "fold", "gawk", "grep", "jq", "nl", "perl", "rg", "sed",
    "sort", "tr", "uniq", "wc",
];

/// Programs, or their commands, that answer by exit code 1: "no", "different", "not there".
pub(super) const ANSWERING: &[&str] = &[
    "[",
    "[[",
    "ag",
    "cmp",
    "colordiff",
    "command",
    "diff",
    "egrep",
    "expr",
    "fgrep",
    "git check-ignore",
    "git diff",
    "git grep",
    "git merge-base",
    "git show-ref",
    "grep",
    "hash",
    "let",
    "pgrep",
    "rg",
    "systemctl is-active",
    "systemctl is-enabled",
    "test",
    "type",
    "which",
    "zgrep",
];

/// Programs that print what others wrote; only a line that begins with their name is their own.
pub(super) const SHOWING: &[&str] = &[
    "ag",
    "awk",
    "bat",
    "cat",
    "cmp",
    "column",
    "cut",
    "diff",
    "docker logs",
    "docker compose logs",
    "egrep",
    "fgrep",
    "find",
    "git blame",
    "git diff",
    "git grep",
    "git log",
    "git show",
    "grep",
    "head",
    "journalctl",
    "jq",
    "kubectl logs",
    "less",
    "ls",
    "more",
    "nl",
    "rg",
    "sed",
    "sort",
    "strings",
    "tail",
    "tree",
    "uniq",
    "wc",
    "xxd",
    "zcat",
    "zgrep",
];

/// Words in an error line that tell which kind of work printed it, where a command line does several.
pub(super) const MARKS: [(ErrorCategory, &[&str]); 4] = [
    (
        ErrorCategory::Test,
        &[
            "test result: FAILED",
            "panicked at",
            "test failed",
            "FAIL ",
            "FAIL\t",
            "FAILED",
            "Failed Tests",
            "failing",
            "AssertionError",
            "Test Files",
            "Tests:",
            " examples, ",
            "Test Suites:",
            "(fail)",
        ],
    ),
    (
        ErrorCategory::Lint,
        &[
            "clippy::",
            "-D clippy",
            "eslint",
            "lint/",
            " problems (",
            " problem (",
            "Code style issues",
            "would reformat",
            "Diff in ",
            "offenses",
            "[*]",
            "no-unused",
            "shellcheck",
        ],
    ),
    (
        ErrorCategory::Typecheck,
        &[
            "error TS",
            "source files)",
            "reportGeneral",
            "[arg-type]",
            "[attr-defined]",
            "svelte-check",
        ],
    ),
    (
        ErrorCategory::Build,
        &[
            "could not compile",
            "BUILD FAILED",
            "BUILD FAILURE",
            "build stopped",
            "during build",
            "Failed to compile",
            "Build failed",
            "undefined reference",
            "make: ***",
            "[vite]",
            "RollupError",
            "Execution failed for task",
        ],
    ),
];
