//! The words that join a label and its value: a table per language, for a reader to extend. The entries stand apart by
//! commas, longest first.

use std::sync::LazyLock;

use super::hints::entries;

/// The entries of a table by their first byte, in any case, each longest first.
pub(super) struct Words(Vec<Vec<&'static str>>);

impl Words {
    pub(super) fn of(table: &'static str) -> Self {
        let mut words = vec![Vec::new(); 256];
        for entry in entries(table) {
            let first = entry.as_bytes()[0];
            words[usize::from(first.to_ascii_lowercase())].push(entry);
            if first.is_ascii_lowercase() {
                words[usize::from(first.to_ascii_uppercase())].push(entry);
            }
        }
        Self(words)
    }

    /// The entries that begin with the byte with which a text begins.
    pub(super) fn near(&self, text: &str) -> &[&'static str] {
        let first = text.as_bytes().first();
        first.map_or(&[], |first| &self.0[usize::from(*first)])
    }

    /// Says whether a word is an entry.
    pub(super) fn has(&self, word: &str) -> bool {
        self.near(word).contains(&word)
    }

    /// The text without the longest entry with which it ends.
    pub(super) fn strip_end<'t>(&self, text: &'t str) -> Option<&'t str> {
        let entries = self.0.iter().flatten();
        let rests = entries.filter_map(|entry| text.strip_suffix(*entry));
        rests.min_by_key(|rest| rest.len())
    }

    /// The length of the entry with which a text begins.
    pub(super) fn length(&self, text: &str) -> Option<usize> {
        let mut near = self.near(text).iter();
        near.find(|entry| text.starts_with(**entry))
            .map(|entry| entry.len())
    }
}

/// Signs. After one of these the next word is the value, unless it is an ordinary one.
pub(super) static SIGNS: LazyLock<Words> =
    LazyLock::new(|| Words::of("===, ==>, :=, =>, ==, ->, ?:, !:, →, :, =, ：, ＝, ﹕"));

/// Verbs that stand apart from their neighbours. After one of these the next word is the value only if it looks like
/// one.
pub(super) static VERBS: LazyLock<Words> = LazyLock::new(|| {
    Words::of(
        "
    has been changed to, has been set to, was changed to, is currently, changed to, is set to, is still, is now
    will be, set to, equals, was, is
    lautet jetzt, ist jetzt, lautet, ist, wird
    ahora es, será, es
    est maintenant, sera, est
    agora é, é, foi alterada para, è ora, è, sarà
    to, jest teraz, jest, brzmi, zmieniono na
    теперь, это, изменён на, изменен на
    —, –, -
",
    )
});

/// Labels of languages in which what kind it is follows the name: `mot de passe administrateur : …`.
pub(super) const BEFORE_ADJECTIVES: &[&str] = &[
    "mot de passe",
    "contraseña",
    "contrasena",
    "senha",
    "hasło",
    "пароль",
];

/// Particles and verbs of languages without spaces: attached to the label.
pub(super) static PARTICLES: LazyLock<Words> = LazyLock::new(|| {
    Words::of(
        "
    已经改为, 已經改為, 已改为, 已改為, 改成了, 改为, 改為, 改成, 设为, 設為, 设置为, 設定為, 现在是, 現在是, 就是, 应为, 應為, 是, 为, 為
    は今, は, が, って
    는, 은, 가, 이
",
    )
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_hides_a_longer_one() {
        // A verb ends where its word ends: `is` does not hide `ist`.
        for (words, end) in [(&SIGNS, ""), (&VERBS, " "), (&PARTICLES, "")] {
            for near in &words.0 {
                for (at, entry) in near.iter().enumerate() {
                    let is_hidden = |later: &&&str| {
                        later
                            .strip_prefix(entry)
                            .is_some_and(|rest| rest.starts_with(end))
                    };
                    let hidden = near[at + 1..].iter().find(is_hidden);
                    assert_eq!(hidden, None, "{entry} stands before it");
                }
            }
        }
    }
}
