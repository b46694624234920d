//! The seal on an exported text: the hash of the text stands beside it, so that a later export knows whether a person
//! changed it since.

use crate::text::sha256_hex;

/// The digits of a seal.
const DIGITS: usize = 16;

/// The place of the seal in a form of text.
pub(in crate::service) struct Seal {
    /// The characters with which each export of this form begins.
    mark: &'static str,
    /// The characters before the seal.
    begin: &'static str,
    /// The characters behind it; it is over all that comes after them.
    end: &'static str,
}

pub(in crate::service) const MARKDOWN: Seal = Seal {
    mark: "<!-- mdmem export ",
    begin: "<!-- mdmem export ",
    end: " -->\n",
};
pub(in crate::service) const BASIC_MEMORY: Seal = Seal {
    mark: "---\nmdmem_seal: ",
    begin: "---\nmdmem_seal: ",
    end: "\n",
};
pub(in crate::service) const JSON: Seal = Seal {
    mark: "{\n  \"mdmem_export\": ",
    begin: "{\n  \"mdmem_export\": 1,\n  \"seal\": \"",
    end: "\",\n",
};

impl Seal {
    /// The text behind its seal.
    pub(super) fn on(&self, text: &str) -> String {
        format!("{}{}{}{text}", self.begin, seal(text), self.end)
    }

    /// Says whether a file is an export of this form, and whether it is as it was written. One without a seal may be
    /// edited.
    pub(in crate::service) fn check(&self, text: &str) -> Option<bool> {
        text.strip_prefix(self.mark)?;
        let sealed = text.strip_prefix(self.begin);
        let sealed = sealed.and_then(|text| text.split_once(self.end));
        Some(sealed.is_some_and(|(sealed, rest)| sealed == seal(rest)))
    }
}

/// The seal of a text, the same for both kinds of line ends.
pub(super) fn seal(text: &str) -> String {
    let digits = sha256_hex(text.replace('\r', "").as_bytes());
    digits[..DIGITS].to_owned()
}
