//! The question whether a file differs from HEAD, which git answers sooner than mdmem reads what it knows of ten
//! thousand files.

use super::{MOST_BYTES, TIME, set};
use crate::git::Repo;
use crate::sys::{Group, RunLimits, Running};

/// A look of git's at the folder, beside other work.
pub struct StatusRun(Option<Running>);

impl Repo {
    /// Begins to look whether a file differs from the index, or the index from HEAD.
    pub fn begin_status(&self) -> StatusRun {
        // Git would wait for who writes into a fifo, and passes over files that a flag hides.
        if self.check_index_is_file().is_err() || self.index_hides_files() {
            return StatusRun(None);
        }
        let mut command = self.git_command("status");
        command.args(["--porcelain", "--no-renames", "--untracked-files=normal"]);
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
        StatusRun(Running::start(command, None, Group::Own).ok())
    }
}

impl StatusRun {
    /// Waits for it. True where each file is surely as HEAD has it.
    pub fn says_clean(self) -> bool {
        let limits = RunLimits {
            time: TIME,
            bytes: MOST_BYTES,
        };
        let ran = self.0.and_then(|running| running.finish(limits).ok());
        ran.is_some_and(|ran| ran.status.success() && ran.stdout.is_empty())
    }
}
