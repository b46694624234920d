//! Lines that say the same: equal ones, and those that differ in their numbers alone.

use super::kind::Kind;

/// True when two lines are alike. In a listing a name with another number is another file.
pub(super) fn are_alike(one: &str, other: &str, kind: Kind) -> bool {
    let (one, other) = (one.trim_end(), other.trim_end());
    one == other || (kind != Kind::Listing && have_like_pieces(one.as_bytes(), other.as_bytes()))
}

/// Compares piece by piece. A word with a digit (a count, a time, a hash) is like any other one.
fn have_like_pieces(mut one: &[u8], mut other: &[u8]) -> bool {
    let has_digit = |piece: &[u8]| piece.iter().any(u8::is_ascii_digit);
    while let (Some(first), Some(second)) = (one.first(), other.first()) {
        let sort = sort(*first);
        if sort != self::sort(*second) {
            return false;
        }
        let (piece, left) = one.split_at(length(one, sort));
        let (its, right) = other.split_at(length(other, sort));
        let are_alike = match sort {
            Sort::Space => true,
            Sort::Sign => piece == its,
            Sort::Word => piece == its || (has_digit(piece) && has_digit(its)),
        };
        if !are_alike {
            return false;
        }
        (one, other) = (left, right);
    }
    one.is_empty() && other.is_empty()
}

/// The length of the piece of this sort at the beginning.
fn length(bytes: &[u8], sort: Sort) -> usize {
    let end = bytes.iter().position(|byte| self::sort(*byte) != sort);
    end.unwrap_or(bytes.len())
}

/// The sorts of bytes: a piece is of bytes of the same sort.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Space,
    Word,
    Sign,
}

/// The sort of each byte.
const SORTS: [Sort; 256] = {
    let mut sorts = [Sort::Sign; 256];
    let mut byte: u8 = 0;
    while byte < u8::MAX {
        if matches!(byte, b' ' | b'\t') {
            sorts[byte as usize] = Sort::Space;
        } else if byte.is_ascii_alphanumeric() {
            sorts[byte as usize] = Sort::Word;
        }
        byte += 1;
    }
    sorts
};

fn sort(byte: u8) -> Sort {
    SORTS[usize::from(byte)]
}
