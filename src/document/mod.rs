//! A markdown file to a Memory and back: parse anything, change single keys without touching another byte, compose
//! a fresh file. Values only; reading and writing files is the store's.
//!
//! Reading goes through a YAML library, because a frontmatter is YAML and people use all of it. Changing does not:
//! a library that prints a tree again re-quotes (`"2"` comes back as `'3'`), so `edit` replaces the characters of
//! one top-level value in place, and then reads the result to prove that only the named keys changed.

mod body;
mod claude_index;
mod compose;
mod contradictions;
mod edit;
mod entries;
mod fields;
mod forgotten;
mod frontmatter;
mod lines;
mod links;
mod mend;
mod parse;
mod report;
mod scalar;
mod yaml;

pub use body::read_content;
pub use body::{KeyLines, Sections, Stated, sections};
pub use claude_index::{IndexLink, index_links, without_links};
pub use compose::{NewMemory, compose, derived_id, fresh, keys_of, nth_derived_id};
pub use contradictions::{Contradiction, Contradictions};
pub use edit::{EditError, KeyEdit, edit, with_body};
pub use fields::{Key, parted};
pub use forgotten::{Forgotten, Tombstone, without_own_lines};
pub use lines::merge_lines;
pub use links::{Link, file_links, link_names, links, rename_links};
pub use parse::{Document, Readable, body, changes_text, is_protected, parse};
pub use scalar::Value;
