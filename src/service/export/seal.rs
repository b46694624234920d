//! The seal on an exported text: the hash of the text stands beside it, so that a later export knows whether a person
//! changed it since.

use crate::text::sha256_hex;

/// The digits of a seal.
const DIGITS: usize = 16;

/// The seal of a text, the same for both kinds of line ends.
pub(super) fn seal(text: &str) -> String {
    let digits = sha256_hex(text.replace('\r', "").as_bytes());
    digits[..DIGITS].to_owned()
}
