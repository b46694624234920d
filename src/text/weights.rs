//! The weights of a judgement that is learned: a table of signs, whose sum decides. What a sign is, its user says.

/// A line a sign, sorted by its bytes, with a tab before the weight. `tests/eval/learn.rs` makes the tables.
pub(crate) struct Weights {
    rows: &'static str,
}

impl Weights {
    /// The table in a file that is part of the program.
    pub(crate) const fn new(rows: &'static str) -> Self {
        Self { rows }
    }

    /// The sum of the weights of these signs, above zero where the judgement is yes.
    pub(crate) fn weigh<'s>(&self, signs: impl IntoIterator<Item = &'s String>) -> i32 {
        signs.into_iter().map(|sign| self.weight(sign)).sum()
    }

    fn weight(&self, sign: &str) -> i32 {
        let (mut low, mut high) = (0, self.rows.len());
        while low < high {
            let middle = low.midpoint(high);
            let begin = self.rows.as_bytes()[..middle]
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1);
            let row = &self.rows[begin..];
            let row = &row[..row.find('\n').unwrap_or(row.len())];
            let (found, weight) = row.split_once('\t').unwrap_or((row, "0"));
            match found.cmp(sign) {
                std::cmp::Ordering::Less => low = begin + row.len() + 1,
                std::cmp::Ordering::Greater => high = begin,
                std::cmp::Ordering::Equal => return weight.parse().unwrap_or(0),
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_found_and_no_beginning_of_one() {
        let weights = Weights::new("\t1\na\t20\nab c\t-300\nb\t4000\n");
        let weight = |sign: &str| weights.weigh(&[sign.to_owned()]);
        assert_eq!(["", "a", "ab c", "b"].map(weight), [1, 20, -300, 4000]);
        assert_eq!(["ab", "ab c\t", "c", "A", "\n"].map(weight), [0; 5]);
        assert_eq!(
            weights.weigh(&["a".to_owned(), "b".to_owned(), "x".to_owned()]),
            4020
        );
        assert_eq!(Weights::new("").weigh(&["a".to_owned()]), 0);
    }
}
