//! Inline code that goes on over the end of a line.

use std::collections::HashMap;
use std::ops::Range;

/// For the lines of one paragraph, which of them begin inside inline code. A run of back quotes is closed by the
/// next run of its length; one that nothing closes is text.
pub(super) fn begin_in_code(lines: &[&str]) -> Vec<bool> {
    let mut starts = Vec::with_capacity(lines.len());
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in lines {
        starts.push(at);
        for (place, _) in line.match_indices('`') {
            let place = at + place;
            match runs.last_mut() {
                Some(run) if run.end == place => run.end += 1,
                _ => runs.push(place..place + 1),
            }
        }
        at += line.len() + 1;
    }
    let spans = spans(&runs);
    let inside = |start: usize| {
        let next = spans.partition_point(|span| span.end <= start);
        spans.get(next).is_some_and(|span| span.start < start)
    };
    starts.into_iter().map(inside).collect()
}

fn spans(runs: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut by_length: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, run) in runs.iter().enumerate() {
        by_length.entry(run.len()).or_default().push(number);
    }
    let mut spans = Vec::new();
    let mut number = 0;
    while let Some(run) = runs.get(number) {
        let alike = &by_length[&run.len()];
        match alike.get(alike.partition_point(|other| *other <= number)) {
            Some(&closing) => {
                spans.push(run.start..runs[closing].end);
                number = closing + 1;
            }
            None => number += 1,
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_may_go_on_in_the_next_line() {
        assert_eq!(begin_in_code(&["a `b", "c` d", "e"]), [false, true, false]);
        assert_eq!(begin_in_code(&["a ``b` c", "d`` e"]), [false, true]);
        assert_eq!(begin_in_code(&["a ` b", "c"]), [false, false]);
        assert_eq!(begin_in_code(&["`a` `b`", "c"]), [false, false]);
        assert_eq!(begin_in_code(&[]), [false; 0]);
    }
}
