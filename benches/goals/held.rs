//! The resources of a running program, as `/proc` tells them.

use std::path::{Path, PathBuf};

/// Memory, threads and descriptors of one process.
pub(crate) struct Held {
    pub(crate) memory_mib: f64,
    pub(crate) threads: u32,
    /// Open files but the store's present packs: libgit2 keeps each open, and their number follows git's packing. A pack
    /// that git has replaced counts.
    pub(crate) descriptors: u32,
    /// The number of descriptors that are inotify instances.
    pub(crate) inotify: u32,
}

impl Held {
    /// Reads the resources of this process now.
    pub(crate) fn by(pid: u32) -> Self {
        let folder = PathBuf::from(format!("/proc/{pid}/fd"));
        let descriptors: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
            .collect();
        let inotify = descriptors
            .iter()
            .filter(|target| target.ends_with("anon_inode:inotify"));
        Self {
            memory_mib: status(pid, "VmRSS:") / 1024.0,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small number"
            )]
            threads: status(pid, "Threads:") as u32,
            inotify: u32::try_from(inotify.count()).unwrap(),
            descriptors: u32::try_from(
                descriptors
                    .iter()
                    .filter(|target| !is_present_pack(target))
                    .count(),
            )
            .unwrap(),
        }
    }
}

/// The target of a descriptor whose file is gone ends in ` (deleted)`.
fn is_present_pack(target: &Path) -> bool {
    target.extension().is_some_and(|ending| ending == "pack")
}

/// A number of `/proc/PID/status`: KiB for memory.
pub(crate) fn status(pid: u32, field: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
