//! The question whether a file differs from HEAD, which git answers sooner than mdmem reads what it knows of ten
//! thousand files.

use std::process::{Child, Stdio};

use super::set;
use crate::git::Repo;

/// A look of git's at the folder, beside other work.
pub struct StatusRun(Option<Child>);

impl Repo {
    /// Begins to look whether a file differs from the index, or the index from HEAD.
    pub fn begin_status(&self) -> StatusRun {
        // Git would wait for who writes into a fifo, and passes over files that a flag hides.
        if self.check_index_is_file().is_err() || self.index_hides_files() {
            return StatusRun(None);
        }
        let mut command = self.git_command("status");
        command
            .args(["--porcelain", "--no-renames", "--untracked-files=normal"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // No setting of a person's hides a memory, or a difference.
        set(
            &mut command,
            &[
                ("core.fsmonitor", "false"),
                ("core.excludesFile", "/dev/null"),
                ("core.ignoreCase", "false"),
                ("core.fileMode", "true"),
                ("core.trustctime", "true"),
                ("core.checkStat", "default"),
            ],
        );
        StatusRun(command.spawn().ok())
    }
}

impl StatusRun {
    /// Waits for it. True where each file is surely as HEAD has it.
    pub fn says_clean(self) -> bool {
        let output = self.0.and_then(|child| child.wait_with_output().ok());
        output.is_some_and(|output| output.status.success() && output.stdout.is_empty())
    }
}
