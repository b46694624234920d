//! Other programs, run to their end.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::SysError;

/// The file of this program, as the system started it.
pub fn own_program() -> Result<PathBuf, SysError> {
    std::env::current_exe().map_err(|error| SysError::io("find the program's own file", "mdmem", error))
}

/// Runs a program of the `PATH` without input. Gives what it printed; the error is the last line that it said of its
/// failure.
pub fn run_program(program: &str, args: &[impl AsRef<OsStr>]) -> Result<String, SysError> {
    let failed = |error| SysError::io("run", Path::new(program), error);
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(failed)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let said = text(&output.stderr);
    let said = said
        .lines()
        .last()
        .map_or_else(|| output.status.to_string(), str::to_owned);
    Err(failed(std::io::Error::other(said)))
}

/// Starts this program anew in `folder`, without input and output and in a process group of its own. Nobody waits for its
/// end: it is for a process that is about to end itself.
pub fn start_own_program(args: &[impl AsRef<OsStr>], folder: &Path) -> Result<(), SysError> {
    let program = own_program()?;
    let started = Command::new(&program)
        .args(args)
        .current_dir(folder)
        .env("PWD", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    started
        .map(drop)
        .map_err(|error| SysError::io("run", &program, error))
}
