//! Which tokens a memory has, in few bytes: most have none that a question asks for, which is told without a look at their
//! texts.

use super::tokens::each_token;

/// The prints of the tokens of some texts, sorted. One that is there by chance costs a look at the texts.
pub(super) fn prints<'t>(texts: impl Iterator<Item = &'t str>) -> Box<[u16]> {
    let mut prints = Vec::new();
    for text in texts {
        each_token(text, |token| {
            prints.push(print(&token.text));
            // A question of one letter of a script without spaces finds what begins with it.
            if let Some(letter) = token.text.chars().next().filter(|letter| !letter.is_ascii()) {
                prints.push(print(&token.text[..letter.len_utf8()]));
            }
        });
    }
    prints.sort_unstable();
    prints.dedup();
    prints.into()
}

/// Half of a hash (FNV-1a), the same in every process: the store keeps it on the disk.
pub(super) fn print(token: &str) -> u16 {
    let add = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let [high, low, ..] = token.bytes().fold(0x811c_9dc5, add).to_be_bytes();
    u16::from_be_bytes([high, low])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Candidate, Query, answer, note, prints_of};
    use crate::model::{Moment, Timestamp};

    /// What tokens are made of, beside each other and beside anything.
    fn pieces(most: usize) -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[ab][a-c]{1,4}(ational|enci|izer|bly|alism|logy|ative|ing|ed|ies|sses|ly|y|e)?",
            "[A-Za-z0-9]{1,3}([_.-][A-Za-z0-9]{1,3}){0,2}",
            "2026-0[56](-[0-3][0-9])?|june|login",
            "c\\+\\+|c#|Straße|Café|ﬁle|İstanbul|Ångström|ＡＢＣ|ｶﾞ|資料庫|資|庫|データ|ベ|데이터|ภาษา|हिन्दी|㎏|㌔",
            "\\PC{0,3}",
        ];
        proptest::collection::vec((piece, " ?"), 1..most)
            .prop_map(|pieces| pieces.into_iter().map(|(piece, space)| piece + &space).collect())
    }

    proptest! {
        #[test]
        fn no_memory_is_passed_over_that_has_a_word(question in pieces(4), body in pieces(12), others in pieces(12)) {
            let mut memories = [note("资料/a-b.md", &body), note("x.md", &others), note("y.md", &question)];
            memories[1].updated = Moment::At(Timestamp::from_millis(1_780_000_000_000));
            memories[0].tags = vec![others];
            let all: Vec<u16> = (0..=u16::MAX).collect();
            let prints = memories.each_ref().map(prints_of);
            let of = |all: Option<&[u16]>| {
                let candidates = memories.iter().zip(&prints);
                let candidates = candidates.map(|(memory, prints)| Candidate { memory, prints: all.unwrap_or(prints) });
                answer(Query::new(&question), &candidates.collect::<Vec<_>>(), |_| 1.0)
            };
            prop_assert_eq!(of(None), of(Some(&all)));
        }
    }
}
