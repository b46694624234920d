//! The lines of an output, as a person saw them: without colours, progress that was written over, control characters.

use crate::text::without_escapes;

/// Bytes that are looked at from the start, and as many from the end.
const HALF: usize = 64 * 1024;

/// Lines that are looked at of either part.
const MOST_LINES: usize = 2000;

/// Bytes of a line that are kept.
const MAX_LINE: usize = 4096;

/// The lines of an output, in order, without those that are blank. Of a long output the head and the tail.
pub(super) fn lines(output: &str) -> Vec<String> {
    let mut lines = if output.len() <= 2 * HALF {
        of_part(output)
    } else {
        let mut head = of_part(&output[..output.floor_char_boundary(HALF)]);
        head.extend(of_part(&output[output.ceil_char_boundary(output.len() - HALF)..]));
        head
    };
    if lines.len() > 2 * MOST_LINES {
        lines.drain(MOST_LINES..lines.len() - MOST_LINES);
    }
    lines
}

fn of_part(part: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for c in without_escapes(part).chars() {
        let line = lines.last_mut().expect("because there is one from the start");
        match c {
            '\n' | '\r' => lines.push(String::new()),
            '\u{feff}' => {}
            c if c.is_control() && c != '\t' => {}
            c if line.len() + c.len_utf8() <= MAX_LINE => line.push(c),
            _ => {}
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_does_is_taken_off() {
        assert_eq!(
            lines(
                "\u{1b}[31merror\u{1b}[0m: \u{1b}[1mx\u{1b}[22m\r\n\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}\n"
            ),
            ["error: x", "link"]
        );
        assert_eq!(lines("10%\r100%\rerror: full\n"), ["10%", "100%", "error: full"]);
        assert_eq!(lines("a\0b\u{8}\u{7}\tc"), ["ab\tc"]);
        assert_eq!(lines("\u{1b}"), [""; 0]);
        assert_eq!(lines("\n \n\r\n"), [""; 0]);
    }

    #[test]
    fn a_long_output_is_read_from_both_ends() {
        let output = format!("first\n{}last\n", "filling é line\n".repeat(100_000));
        let found = lines(&output);
        assert_eq!(found[0], "first");
        assert_eq!(found.last().map(String::as_str), Some("last"));
        assert!(found.iter().map(String::len).sum::<usize>() <= 2 * HALF);
    }

    #[test]
    fn an_endless_line_is_cut() {
        let found = lines(&"é".repeat(3_000_000));
        assert!(found.iter().all(|line| line.len() <= MAX_LINE));
        let _ = lines(&"\u{1b}[".repeat(1_000_000));
        let _ = lines(&"\u{1b}]".repeat(1_000_000));
    }
}
