//! Names of git objects.

/// The SHA-1 name of a git object. The model has its own, so that nothing above `git` knows a git library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub [u8; 20]);

impl Oid {
    /// The first seven hexadecimal digits, as people read them in `git log --oneline`.
    pub fn short(self) -> String {
        self.to_string().chars().take(7).collect()
    }
}

impl std::fmt::Display for Oid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}
