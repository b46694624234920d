//! The lines of a summary that it says itself: those outside code fences and quotes.

/// The lines outside code fences and quotes, in order, without their line breaks. A fence that is never closed
/// reaches to the end, as in any markdown. In the place of a fence or quote stands an empty line.
pub(super) fn lines(summary: &str) -> Vec<&str> {
    let mut fence: Option<Fence> = None;
    let mut visible = Vec::new();
    for line in summary.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let hidden = if let Some(open) = fence {
            if open.is_closed_by(line) {
                fence = None;
            }
            true
        } else {
            fence = Fence::opened_by(line);
            fence.is_some() || line.trim_start().starts_with('>')
        };
        visible.push(if hidden { "" } else { line });
    }
    visible
}

/// An open code fence: its character, and how many of them.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The fence that a line opens: three marks or more, and nothing after that would make it inline code.
    fn opened_by(line: &str) -> Option<Self> {
        let line = unbulleted(line);
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        let inline = mark == '`' && info.contains('`');
        (length >= 3 && !inline).then_some(Self { mark, length })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

/// The line without the list markers before it: a fence may be the first thing of a list item.
fn unbulleted(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(after) = ["- ", "* ", "+ "]
        .iter()
        .find_map(|bullet| rest.strip_prefix(bullet))
    {
        rest = after.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn fences_and_quotes_are_hidden() {
        let summary = "a\r\n```md\nb\n````x\n```\nc\n> d\n  ~~~\n```\n~~~~\ne";
        assert_eq!(lines(summary), ["a", "", "", "", "", "c", "", "", "", "", "e"]);
    }

    #[test]
    fn inline_code_opens_no_fence() {
        assert_eq!(lines("```a``` b\nc"), ["```a``` b", "c"]);
    }

    #[test]
    fn an_open_fence_reaches_to_the_end() {
        assert_eq!(lines("- ```\na\n``"), ["", "", ""]);
    }
}
