//! The names of files as a person is told them: without what looks like a credential.

use std::collections::BTreeSet;

use crate::store::{Allowed, Store};
use crate::text::sha256_hex;

/// A shorter word is no credential.
const LEAST: usize = 8;

/// Gives what covers credentials in a line for a person, in each word and in the path of a memory, as tools do it with
/// names of files: `[REDACTED:kind]` in their place. Memories are told without credentials anyway. What a person allowed
/// stays.
pub fn name_cover(store: &Store) -> impl Fn(&str) -> String + use<> {
    let redactor = store.redactor().clone();
    let allowed = Allowed::read(store.root());
    let allowed: BTreeSet<String> = allowed.entries().map(|entry| entry.digest.clone()).collect();
    move |line| {
        let is_allowed = |secret: &str| allowed.contains(&sha256_hex(secret.as_bytes()));
        let is_open = |name: &str| {
            let mut found = redactor.find_in_name(name).into_iter();
            found.any(|secret| !is_allowed(&name[secret.range]))
        };
        let cover = |word: &str| {
            if word.len() >= LEAST && word.split('/').any(is_open) {
                redactor.redact_path(word)
            } else {
                word.to_owned()
            }
        };
        let words: String = line.split_inclusive(char::is_whitespace).map(cover).collect();
        redactor.redact_paths(&words, is_allowed)
    }
}
