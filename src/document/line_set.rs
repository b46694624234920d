//! A file whose lines are a set: their order says nothing, and each stands once.

use std::collections::BTreeSet;

/// The lines. Those of any form are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LineSet(BTreeSet<Vec<u8>>);

impl LineSet {
    /// Reads a file.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        Self(
            lines
                .filter(|line| !line.is_empty())
                .map(<[u8]>::to_vec)
                .collect(),
        )
    }

    /// The words of each line that is text.
    pub(super) fn words(&self) -> impl Iterator<Item = Vec<&str>> {
        let texts = self.0.iter().filter_map(|line| std::str::from_utf8(line).ok());
        // A file that was saved elsewhere may begin with a mark of the byte order.
        let texts = texts.map(|text| text.trim_start_matches('\u{feff}'));
        texts.map(|text| text.split_ascii_whitespace().collect())
    }

    /// With more lines.
    #[must_use]
    pub(super) fn with(&self, more: impl IntoIterator<Item = String>) -> Self {
        let more = more.into_iter().map(String::into_bytes);
        Self(self.0.iter().cloned().chain(more).collect())
    }

    /// The lines that all three have, and those that either side added. The same lines whichever side is called ours.
    #[must_use]
    pub(super) fn merge(base: &Self, ours: &Self, theirs: &Self) -> Self {
        let in_both = |line: &&Vec<u8>| ours.0.contains(*line) && theirs.0.contains(*line);
        let is_kept = |line: &&Vec<u8>| in_both(line) || !base.0.contains(*line);
        Self(ours.0.iter().chain(&theirs.0).filter(is_kept).cloned().collect())
    }

    /// The file: sorted lines, each once.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let lines = self.0.iter();
        lines
            .flat_map(|line| [line.as_slice(), b"\n"])
            .collect::<Vec<_>>()
            .concat()
    }
}

impl FromIterator<String> for LineSet {
    fn from_iter<T: IntoIterator<Item = String>>(lines: T) -> Self {
        Self::default().with(lines)
    }
}

/// Merges three versions of a file whose lines are a set.
pub fn merge_lines(base: &[u8], ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let [base, ours, theirs] = [base, ours, theirs].map(LineSet::parse);
    LineSet::merge(&base, &ours, &theirs).to_bytes()
}
