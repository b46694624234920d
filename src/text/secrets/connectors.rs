//! The words that join a label and its value: a table per language, for a reader to extend. The entries stand apart by
//! commas, longest first.

use std::sync::LazyLock;

use super::hints::entries;

/// The entries of a table, parted once.
pub(super) type Words = LazyLock<Vec<&'static str>>;

/// Signs. After one of these the next word is the value, unless it is an ordinary one.
pub(super) static SIGNS: Words =
    LazyLock::new(|| entries("===, :=, =>, ==, ->, ?:, !:, →, :, =, ：, ＝, ﹕").collect());

/// Verbs that stand apart from their neighbours. After one of these the next word is the value only if it looks like
/// one.
pub(super) static VERBS: Words = LazyLock::new(|| {
    entries(
        "
    has been changed to, has been set to, was changed to, is currently, changed to, is set to, is still, is now
    will be, set to, equals, was, is
    lautet jetzt, ist jetzt, lautet, ist, wird
    ahora es, será, es
    est maintenant, sera, est
    agora é, é, foi alterada para, è ora, è, sarà
    to, jest teraz, jest, brzmi, zmieniono na
    теперь, это, изменён на, изменен на
    —, –
",
    )
    .collect()
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
pub(super) static PARTICLES: Words = LazyLock::new(|| {
    entries(
        "
    已经改为, 已經改為, 已改为, 已改為, 改成了, 改为, 改為, 改成, 设为, 設為, 设置为, 設定為, 现在是, 現在是, 就是, 应为, 應為, 是, 为, 為
    は今, は, が, って
    는, 은, 가, 이
",
    )
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_hides_a_longer_one() {
        for all in [&SIGNS, &VERBS, &PARTICLES] {
            for (at, entry) in all.iter().enumerate() {
                // A verb ends where its word ends: `is` does not hide `ist`.
                let is_hidden = |later: &&&str| match later.strip_prefix(entry) {
                    Some(rest) => all[0] != VERBS[0] || rest.starts_with(' '),
                    None => false,
                };
                let hidden = all[at + 1..].iter().find(is_hidden);
                assert_eq!(hidden, None, "{entry} stands before it");
            }
        }
    }
}
