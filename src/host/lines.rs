//! Lines of bounded length from a stream.

use std::io::{BufRead, Read as _, Result};

/// The bytes before the next line feed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The bytes without their line feed. The last ones need none.
    Whole(Vec<u8>),
    /// There were more bytes than allowed; these are the first and the last of them.
    TooLong(Vec<u8>),
}

/// The bytes that are kept of each end of a line that is too long.
const END: usize = 500;

/// Reads the next line, `None` at the end of the stream. Of a line that is longer than `most` bytes only its ends are kept,
/// so that memory stays bounded by `most` whatever is sent.
pub(crate) fn read_line(input: &mut impl BufRead, most: usize) -> Result<Option<Line>> {
    let mut line = Vec::new();
    let with_feed = u64::try_from(most).map_or(u64::MAX, |most| most.saturating_add(1));
    let read = input.by_ref().take(with_feed).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > most {
        let mut last = line.split_off(line.len().saturating_sub(END));
        line.truncate(END);
        while last.last() != Some(&b'\n') && input.by_ref().take(1 << 16).read_until(b'\n', &mut last)? > 0 {
            last.drain(..last.len().saturating_sub(END));
        }
        last.pop_if(|byte| *byte == b'\n');
        line.append(&mut last);
        return Ok(Some(Line::TooLong(line)));
    }
    Ok((read > 0).then_some(Line::Whole(line)))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// All lines of `bytes`, which arrive `capacity` at a time.
    fn lines(bytes: &[u8], most: usize, capacity: usize) -> Vec<Line> {
        let mut input = BufReader::with_capacity(capacity, bytes);
        std::iter::from_fn(|| read_line(&mut input, most).unwrap()).collect()
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn splits_at_line_feeds_however_the_bytes_arrive() {
        for capacity in [1, 2, 3, 100] {
            let expected = [whole("one"), whole(""), whole("two")];
            assert_eq!(lines(b"one\n\ntwo\n", 10, capacity), expected);
        }
    }

    #[test]
    fn the_last_line_needs_no_line_feed() {
        assert_eq!(lines(b"one\ntw", 10, 4), [whole("one"), whole("tw")]);
        assert_eq!(lines(b"", 10, 4), []);
    }

    #[test]
    fn a_line_that_is_too_long_costs_itself_alone() {
        for capacity in [1, 3, 100] {
            assert_eq!(
                lines(b"1234\n12345\n1234", 4, capacity),
                [whole("1234"), Line::TooLong(b"12345".to_vec()), whole("1234")]
            );
            assert_eq!(lines(b"12345", 4, capacity), [Line::TooLong(b"12345".to_vec())]);
        }
    }
}
