//! One call of a program: what it is given, and what it must answer.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::TestEnv;

/// The expectation of a stream.
enum Expected {
    Exactly(String),
    Containing(Vec<String>),
    Anything,
}

/// A call that is prepared. Unless it is told otherwise it must print nothing, neither here nor there, and return 0.
#[must_use = "a call does nothing until `run`"]
pub(crate) struct Call<'a> {
    env: &'a TestEnv,
    command: Command,
    shown: String,
    stdin: Option<Vec<u8>>,
    stdout: Expected,
    stderr: Expected,
    code: i32,
}

/// The answer of a program; the texts are normalised (see [`TestEnv::normalised`]).
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
    /// Standard output as it came.
    pub(crate) bytes: Vec<u8>,
}

impl Output {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

impl<'a> Call<'a> {
    pub(super) fn new<I>(env: &'a TestEnv, mut command: Command, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        command.args(args.into_iter().map(Into::into));
        let name = Path::new(command.get_program())
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let words = command
            .get_args()
            .map(|arg| format!(" {}", arg.to_string_lossy()));
        let shown = format!("$ {name}{}", words.collect::<String>());
        Self {
            env,
            command,
            shown,
            stdin: None,
            stdout: Expected::Exactly(String::new()),
            stderr: Expected::Exactly(String::new()),
            code: 0,
        }
    }

    /// In this folder instead of the workspace.
    pub(crate) fn current_dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// With this variable.
    pub(crate) fn var(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// With this on standard input (empty without it).
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Must print exactly this.
    pub(crate) fn stdout(mut self, text: impl Into<String>) -> Self {
        self.stdout = Expected::Exactly(text.into());
        self
    }

    /// Must print this somewhere; each further call asks for more.
    pub(crate) fn stdout_has(mut self, part: impl Into<String>) -> Self {
        self.stdout = also(self.stdout, part.into());
        self
    }

    /// May print anything.
    pub(crate) fn any_stdout(mut self) -> Self {
        self.stdout = Expected::Anything;
        self
    }

    /// Must print exactly this to standard error.
    pub(crate) fn stderr(mut self, text: impl Into<String>) -> Self {
        self.stderr = Expected::Exactly(text.into());
        self
    }

    /// Must print this to standard error somewhere; each further call asks for more.
    pub(crate) fn stderr_has(mut self, part: impl Into<String>) -> Self {
        self.stderr = also(self.stderr, part.into());
        self
    }

    /// May print anything to standard error.
    pub(crate) fn any_stderr(mut self) -> Self {
        self.stderr = Expected::Anything;
        self
    }

    /// Must return this exit code.
    pub(crate) fn code(mut self, code: i32) -> Self {
        self.code = code;
        self
    }

    /// Must fail (1) and say this somewhere in its error.
    pub(crate) fn fails(self, part: impl Into<String>) -> Self {
        self.code(1).stderr_has(part)
    }

    /// Must refuse its arguments (2) and say this somewhere in its error.
    pub(crate) fn refuses(self, part: impl Into<String>) -> Self {
        self.code(2).stderr_has(part)
    }

    /// Runs it, and panics on what differs.
    #[track_caller]
    pub(crate) fn run(self) -> Output {
        let Self {
            env,
            mut command,
            shown,
            stdin,
            stdout,
            stderr,
            code,
        } = self;
        let input = if stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
        let writer = stdin.map(|bytes| {
            let mut pipe = child.stdin.take().unwrap();
            // The program may end without reading everything; that is its right.
            std::thread::spawn(move || drop(pipe.write_all(&bytes)))
        });
        let raw = child.wait_with_output().unwrap();
        if let Some(writer) = writer {
            writer.join().unwrap();
        }
        let text = |bytes: &[u8]| env.normalised(&String::from_utf8_lossy(bytes));
        let output = Output {
            stdout: text(&raw.stdout),
            stderr: text(&raw.stderr),
            code: raw.status.code(),
            bytes: raw.stdout,
        };
        let mut faults = Vec::new();
        faults.extend(fault("standard output", &stdout, &output.stdout));
        faults.extend(fault("standard error", &stderr, &output.stderr));
        if output.code != Some(code) {
            faults.push(format!("exit code {:?} instead of {code}", output.code));
        }
        assert!(
            faults.is_empty(),
            "{shown}\n{}\n--- standard output\n{}--- standard error\n{}",
            faults.join("\n"),
            output.stdout,
            output.stderr
        );
        output
    }
}

fn also(expected: Expected, part: String) -> Expected {
    match expected {
        Expected::Containing(mut parts) => {
            parts.push(part);
            Expected::Containing(parts)
        }
        Expected::Exactly(_) | Expected::Anything => Expected::Containing(vec![part]),
    }
}

fn fault(stream: &str, expected: &Expected, actual: &str) -> Option<String> {
    match expected {
        Expected::Anything => None,
        Expected::Exactly(text) if text == actual => None,
        Expected::Exactly(text) => Some(format!(
            "{stream} differs\n--- expected\n{text}\n+++ printed\n{actual}"
        )),
        Expected::Containing(parts) => {
            let missing: Vec<&String> = parts
                .iter()
                .filter(|part| !actual.contains(part.as_str()))
                .collect();
            (!missing.is_empty()).then(|| format!("{stream} does not have {missing:?}"))
        }
    }
}
