//! The texts that become a memory, and those that must not: requests in a user's message, candidates and commands in a
//! host's summary, what tools did. Pure: text in, values out. The service decides what is done with them, and does it.
//!
//! Words and patterns are data: a table per language or per reason, beside the code that walks over it. No pattern may
//! need more than linear time, whatever the text: the `regex` crate gives that, look-around is written out.

mod activity;
mod explicit;
mod learned;
mod proposal;
mod quality;
mod rejection;
mod shell;
mod summary;

pub use activity::{ErrorCategory, FileAction};
pub use explicit::{
    Refused, Replaced, RequestPatternError, RequestPatterns, RequestedMemory, Requests, TakenBack,
    UserCommand, commanded, is_one_job, memory_type, outright, own_words, replaced, requests,
    weighed_sentences,
};
pub use proposal::{Answer, AnswerFault, Speaker, Talk, Utterance, in_one_batch, read_answer};
pub use quality::{Worth, gives_orders, is_planted, plant_signs, planted_words, quality, worth, worth_signs};
pub use rejection::Rejection;
pub use shell::{
    Cleared, ShellError, ShellReading, are_named, begins_with_place, lists_files, names_file, packages,
    read_shell, shows_files, tells_trouble,
};
pub use summary::{Command, SummaryLine, SummaryReading, read_summary, resolve, without_candidates};
