//! The account that the history gives of one file.

use serde::{Deserialize, Serialize};

use crate::document::nth_derived_id;
use crate::model::{Id, Oid, Timestamp};

/// The number of earlier blobs that are known of a file: an undo of one of them gives the text its age back.
const MOST_EARLIER: usize = 8;

/// The number of former paths that are known of a file.
const MOST_FORMER: usize = 16;

/// The first appearance of a file. No two files of a commit have the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Origin<Text = String> {
    /// The path under which it first appeared.
    pub(super) path: Text,
    /// The blob with which it first appeared.
    #[serde(with = "as_bytes")]
    pub(super) blob: [u8; 20],
    /// The number of files that appeared so before it, and were moved away.
    pub(super) nth: u32,
}

impl Origin {
    /// The id of a file that states none.
    pub(super) fn id(&self) -> Id {
        nth_derived_id(&self.path, Oid(self.blob), self.nth)
    }
}

/// The account that the history gives of one file. Only a look whether bytes are accounts has another `Text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileHistory<Text = String> {
    pub(super) origin: Origin<Text>,
    /// The blob that it has now, or had last.
    #[serde(with = "as_bytes")]
    pub(super) blob: [u8; 20],
    /// Committer time of its first commit, in milliseconds.
    pub(super) created: i64,
    /// Committer time of the last commit that changed its text, in milliseconds.
    pub(super) updated: i64,
    /// The length of the history when it first appeared.
    pub(super) order: u32,
    /// The length of the history when it came to its present path.
    pub(super) placed: u32,
    /// Tells whether HEAD has it.
    pub(super) present: bool,
    /// The last paths that it had before its present one, the oldest first.
    former: Vec<Text>,
    /// The last blobs that it had before its present one, the oldest first, each with the time of its text.
    earlier: Vec<([u8; 20], i64)>,
}

/// The name of a blob in one piece: serde takes an array byte by byte, which tells with 10,000 files.
mod as_bytes {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(name: &[u8; 20], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(name)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 20], D::Error> {
        let name = <&[u8]>::deserialize(deserializer)?;
        name.try_into().map_err(D::Error::custom)
    }
}

impl FileHistory {
    /// A file that the commit of this time, the last of a history of this length, added.
    pub(super) fn new(origin: Origin, time: Timestamp, length: u32) -> Self {
        Self {
            blob: origin.blob,
            origin,
            created: time.as_millis(),
            updated: time.as_millis(),
            order: length,
            placed: length,
            present: true,
            former: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// When it was first committed.
    pub(super) fn created(&self) -> Timestamp {
        Timestamp::from_millis(self.created)
    }

    /// When its text was last changed by a commit.
    pub(super) fn updated(&self) -> Timestamp {
        Timestamp::from_millis(self.updated)
    }

    /// The blob that HEAD has for it, if it has it.
    pub(super) fn head_blob(&self) -> Option<Oid> {
        self.present.then_some(Oid(self.blob))
    }

    /// The last paths that it had before its present one, the oldest first.
    pub(super) fn former(&self) -> &[String] {
        &self.former
    }

    /// The id of a file that states none.
    pub(super) fn derived_id(&self) -> Id {
        self.origin.id()
    }

    /// The time of the text of a blob that it had before.
    pub(super) fn age_of(&self, blob: Oid) -> Option<Timestamp> {
        let known = self.earlier.iter().rfind(|(earlier, _)| *earlier == blob.0);
        known.map(|(_, updated)| Timestamp::from_millis(*updated))
    }

    /// Moves it away from a path, by the last commit of a history of this length.
    pub(super) fn leave(&mut self, path: &str, length: u32) {
        self.placed = length;
        self.former.retain(|former| former != path);
        self.former.push(path.to_owned());
        let more = self.former.len().saturating_sub(MOST_FORMER);
        self.former.drain(..more);
    }

    /// Gives it a blob, and where its text changed, the time of that.
    pub(super) fn change(&mut self, blob: Oid, text_changed_at: Option<Timestamp>) {
        if self.blob != blob.0 {
            self.earlier.push((self.blob, self.updated));
            let more = self.earlier.len().saturating_sub(MOST_EARLIER);
            self.earlier.drain(..more);
        }
        self.blob = blob.0;
        self.present = true;
        if let Some(time) = text_changed_at {
            self.updated = time.as_millis();
        }
    }
}
