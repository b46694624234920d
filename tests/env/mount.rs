//! File systems of a test's own. Skipped, loudly, where only root may mount one.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system that is mounted, gone with the value.
pub(crate) struct Mount(PathBuf);

impl Mount {
    /// One in memory, of this size or so many inodes.
    pub(crate) fn tmpfs(folder: &Path, options: &str) -> Option<Self> {
        Self::new("tmpfs", folder, options)
    }

    /// One that shows `lower`, and keeps what is changed in it in `upper`, which is made; `lower` stays as it is.
    pub(crate) fn overlay(folder: &Path, lower: &Path, upper: &Path) -> Option<Self> {
        let (changed, work) = (upper.join("changed"), upper.join("work"));
        std::fs::create_dir_all(&changed).unwrap();
        std::fs::create_dir_all(&work).unwrap();
        let options = format!(
            "lowerdir={},upperdir={},workdir={}",
            lower.display(),
            changed.display(),
            work.display()
        );
        Self::new("overlay", folder, &options)
    }

    /// The folder itself, which can only be read until this is gone.
    pub(crate) fn read_only(folder: &Path) -> Option<Self> {
        let mount = Self::mounted(
            "bind",
            Command::new("mount").arg("--bind").arg(folder).arg(folder),
        )?;
        mount.remount("remount,ro,bind");
        Some(mount)
    }

    fn new(kind: &str, folder: &Path, options: &str) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        Self::mounted(
            kind,
            Command::new("mount")
                .args(["-t", kind, "-o", options, kind])
                .arg(folder),
        )
    }

    /// The file system at the last argument of a `mount`.
    fn mounted(kind: &str, mount: &mut Command) -> Option<Self> {
        let folder = PathBuf::from(mount.get_args().last()?);
        match mount.output() {
            Ok(output) if output.status.success() => Some(Self(folder)),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                eprintln!("SKIPPED: no {kind} could be mounted (it takes root): {said}");
                None
            }
            Err(error) => {
                eprintln!("SKIPPED: no {kind} could be mounted: {error}");
                None
            }
        }
    }

    pub(crate) fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        let mount = mount.args(["-o", options]).arg(&self.0);
        assert!(mount.status().unwrap().success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
