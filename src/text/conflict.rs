//! The markers that git leaves in a file in which both sides changed the same lines.

/// The line, counted from 1, at which a conflict of git's begins: its three markers stand at the start of lines, in their
/// order. A fenced block of code that tells of markers is no conflict.
pub fn conflict_line(text: &str) -> Option<u32> {
    let mut fence: Option<char> = None;
    let mut begun = None;
    let mut is_parted = false;
    for (number, line) in (1..).zip(text.split('\n')) {
        let line = line.trim_end_matches('\r');
        if let Some(begin) = begun {
            match line {
                "=======" => is_parted = true,
                _ if is_parted && line.starts_with(">>>>>>> ") => return Some(begin),
                _ => {}
            }
            continue;
        }
        let sign = line.trim_start_matches(' ').chars().next();
        let is_fence = |sign: char| {
            let indent = line.len() - line.trim_start_matches(' ').len();
            indent < 4 && line[indent..].starts_with(&String::from_iter([sign; 3]))
        };
        match (fence, sign) {
            (None, Some(sign @ ('`' | '~'))) if is_fence(sign) => fence = Some(sign),
            (Some(open), Some(sign)) if open == sign && is_fence(sign) => fence = None,
            (None, _) if line.starts_with("<<<<<<< ") => begun = Some(number),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFLICT: &str = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> theirs\n";

    #[test]
    fn a_conflict_is_found_wherever_it_stands() {
        assert_eq!(conflict_line(CONFLICT), Some(1));
        assert_eq!(conflict_line(&CONFLICT.replace('\n', "\r\n")), Some(1));
        assert_eq!(conflict_line(&format!("---\ntype: x\n{CONFLICT}---\n")), Some(3));
        let with_base = CONFLICT.replace("=======", "||||||| 1a2b\nbase\n=======");
        assert_eq!(conflict_line(&format!("```\ncode\n```\n{with_base}")), Some(4));
        let in_it = CONFLICT.replace("one", "```\none");
        assert_eq!(conflict_line(&in_it), Some(1));
    }

    #[test]
    fn what_tells_of_markers_is_no_conflict() {
        for text in [
            format!("Markers look so:\n\n```\n{CONFLICT}```\n"),
            format!("~~~ text\n```\n{CONFLICT}~~~\n"),
            "A title\n=======\n\n>>>>>>> quoted\n".to_owned(),
            "<<<<<<< alone\n".to_owned(),
            "> <<<<<<< HEAD\n> =======\n> >>>>>>> theirs\n".to_owned(),
            CONFLICT.replace("=======", "========"),
            CONFLICT.replace('\n', "\n    ").replacen("<<<", "    <<<", 1),
        ] {
            assert_eq!(conflict_line(&text), None, "{text}");
        }
    }
}
