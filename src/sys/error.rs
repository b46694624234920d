//! The one error of this module: what was being done, to which file, and what kind of failure it was.

use std::ffi::OsStr;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The reason why the machine did not do what was asked. The message is whole in itself: it names the file and the
/// reason, and has no source to print after it.
#[derive(Debug, thiserror::Error)]
pub enum SysError {
    /// The operating system refused.
    #[error("cannot {doing} {}: {}", shown_path(path), reason(error))]
    Io {
        /// The operation, as it follows "cannot": `read`, `write`, `create the folder`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The words of the operating system.
        error: io::Error,
    },
    /// A path that would lead out of its folder.
    #[error("`{}` leads out of its folder", shown_path(.0))]
    Outside(PathBuf),
    /// A symbolic link stands where a file or a folder is wanted.
    #[error("{} is a link: mdmem follows no link inside a store", shown_path(.0))]
    Link(PathBuf),
    /// Something that is no file stands where a file is wanted.
    #[error("{} is a {what}, not a file", shown_path(path))]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// The kind of thing: `folder`, `fifo`, `socket`, `device`.
        what: &'static str,
    },
    /// A file stands where a folder is wanted.
    #[error("{} is not a folder", shown_path(.0))]
    NotAFolder(PathBuf),
    /// A file that is larger than the caller reads.
    #[error("{} is too large: {size} bytes, over the limit of {limit}", shown_path(path))]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// The store's folder is not there: removed, renamed or not mounted.
    #[error("the store {} is not there: is it mounted, or was it moved or removed?", shown_path(.0))]
    RootMissing(PathBuf),
    /// The store's folder is there, its repository is not.
    #[error("{} has no .git: the store was removed, or its disk is not mounted", shown_path(.0))]
    GitMissing(PathBuf),
    /// The store's folder, or its repository, is another one than it was.
    #[error("the store {} was replaced by another one", shown_path(.0))]
    RootReplaced(PathBuf),
    /// Someone else held a lock for longer than the caller waits.
    #[error("{} is locked by {holder}", shown_path(path))]
    Locked {
        /// The lock's file.
        path: PathBuf,
        /// The holder's own words in the file, or `another process`.
        holder: String,
    },
    /// A variable of the environment that cannot be used as it is.
    #[error("{name} is `{value}`: {mend}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value, shortened.
        value: String,
        /// The advice for a right value.
        mend: &'static str,
    },
    /// Neither `HOME` nor what could stand for it is set.
    #[error("HOME is not set: set it, or set {0} to a full path")]
    NoHome(&'static str),
}

/// The kinds of failure that a caller tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// Nothing is there.
    Missing,
    /// Something is there already.
    Exists,
    /// The disk, the quota or the file's largest size is used up.
    Full,
    /// The file system is mounted read-only.
    ReadOnly,
    /// Not allowed for this user.
    Denied,
    /// A link, a folder or a special file stands in the way, or the path leads outside.
    InTheWay,
    /// Larger than is read.
    TooLarge,
    /// Held by someone else.
    Locked,
    /// The environment is set wrongly.
    Environment,
    /// Anything else.
    Other,
}

impl FailureKind {
    /// The kind of a failure that the operating system told.
    pub fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full
            }
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => Self::InTheWay,
            _ => Self::Other,
        }
    }
}

impl SysError {
    /// An error of the operating system, with its path; for `map_err`.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>, error: impl Into<io::Error>) -> Self {
        Self::Io {
            doing,
            path: path.into(),
            error: error.into(),
        }
    }

    /// The kind of failure.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Io { error, .. } => FailureKind::of(error),
            Self::Outside(_) | Self::Link(_) | Self::NotAFile { .. } | Self::NotAFolder(_) => {
                FailureKind::InTheWay
            }
            Self::TooLarge { .. } => FailureKind::TooLarge,
            Self::RootMissing(_) | Self::GitMissing(_) | Self::RootReplaced(_) => FailureKind::Missing,
            Self::Locked { .. } => FailureKind::Locked,
            Self::Variable { .. } | Self::NoHome(_) => FailureKind::Environment,
        }
    }

    /// The file or folder it is about, when there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::NotAFile { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Locked { path, .. }
            | Self::Outside(path)
            | Self::Link(path)
            | Self::NotAFolder(path)
            | Self::RootMissing(path)
            | Self::GitMissing(path)
            | Self::RootReplaced(path) => Some(path),
            Self::Variable { .. } | Self::NoHome(_) => None,
        }
    }
}

/// Work that ended in a panic, which is in the log.
#[derive(Debug, thiserror::Error)]
#[error("internal error (a panic): please report it")]
pub struct Panicked;

/// Does work for somebody who goes on after it: a panic is the end of the work, and neither of its thread nor of the process.
pub fn survive<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked)
}

/// The reason of a failure in plain words.
pub(super) fn reason(error: &io::Error) -> String {
    let known = match FailureKind::of(error) {
        FailureKind::Missing => "no such file or folder",
        FailureKind::Exists => "it already exists",
        FailureKind::Full => "the disk or the quota is full",
        FailureKind::ReadOnly => "the file system is read-only",
        FailureKind::Denied => "permission denied",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// A path in JSON.
pub fn lossy<S: serde::Serializer>(path: &impl AsRef<Path>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.as_ref().to_string_lossy())
}

/// Paths in JSON.
pub fn lossy_all<S: serde::Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

/// A text or a path as one word for a shell, quoted where it has to be.
pub fn shell_word(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref().to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "/._-+=,@%:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// A path as a person may read it on one line of a terminal: `/` between parts, control characters and bytes that
/// are no UTF-8 as `\xNN`.
pub fn shown_path(path: &Path) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    let mut shown = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(shown, "\\x{byte:02x}");
                }
            } else {
                shown.push(c);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt as _;

    #[test]
    fn says_what_where_and_why_on_one_line() {
        let error = SysError::io("write", "/s/a\nb.md", io::Error::from_raw_os_error(28));
        assert_eq!(
            error.to_string(),
            "cannot write /s/a\\x0ab.md: the disk or the quota is full"
        );
        assert_eq!(error.kind(), FailureKind::Full);
        let error = SysError::io("write", "x.md", io::Error::from_raw_os_error(30));
        assert_eq!(error.kind(), FailureKind::ReadOnly);
        let error = SysError::io("read", "x.md", io::Error::from_raw_os_error(5));
        assert_eq!(error.to_string(), "cannot read x.md: input/output error");
    }

    #[test]
    fn shows_bytes_that_are_no_text() {
        let path = Path::new(std::ffi::OsStr::from_bytes(b"caf\xe9/\xe3\x83\x8e\x1b[m.md"));
        assert_eq!(shown_path(path), "caf\\xe9/ノ\\x1b[m.md");
    }
}
