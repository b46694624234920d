//! The reasons why nothing is told of a conversation.

/// The reason why nothing is told of a conversation.
#[derive(Debug, thiserror::Error)]
pub enum PastError {
    /// There is none.
    #[error("no session of this workspace is kept here")]
    Nothing,
    /// No conversation has this name.
    #[error("there is no session `{}`", .0.escape_debug())]
    Unknown(String),
    /// A name stands for several.
    #[error("`{}` names {} sessions", name.escape_debug(), candidates.len())]
    Ambiguous {
        /// The name.
        name: String,
        /// Their ids.
        candidates: Vec<String>,
    },
    /// No plan has this name.
    #[error("there is no plan `{}`", .0.escape_debug())]
    NoPlan(String),
    /// A question without a word.
    #[error("there is no word to look for")]
    NoWords,
}
