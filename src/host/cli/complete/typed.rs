//! A command line up to the cursor, as bash, zsh and fish read it: words, quotes, backslashes.

/// The words of a line, the last of which is to be completed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Typed {
    /// The words before it, without quotes.
    pub(crate) before: Vec<String>,
    /// The word itself, without quotes; empty after a space.
    pub(crate) current: String,
    /// The quotation mark that is still open.
    pub(crate) quote: Option<char>,
    /// The number of its bytes that stay as they are: what a shell replaces begins after a mark that parts words for
    /// it, and after an open quotation mark.
    pub(crate) kept: usize,
}

impl Typed {
    /// Reads a line. `breaks` are the signs that part words for the shell's completion alone, as `=` does in bash.
    pub(crate) fn read(line: &str, breaks: &str) -> Self {
        let mut typed = Self::default();
        let mut is_word = false;
        let mut signs = line.chars();
        while let Some(sign) = signs.next() {
            match (typed.quote, sign) {
                (Some(quote), sign) if sign == quote => typed.quote = None,
                (None, '\'' | '"') => {
                    (typed.quote, typed.kept) = (Some(sign), typed.current.len());
                    is_word = true;
                }
                (None | Some('"'), '\\') => {
                    typed.current.extend(signs.next());
                    is_word = true;
                }
                (None, ' ' | '\t' | '\n') => {
                    if std::mem::take(&mut is_word) {
                        typed.before.push(std::mem::take(&mut typed.current));
                    }
                    typed.kept = 0;
                }
                (quote, sign) => {
                    typed.current.push(sign);
                    is_word = true;
                    if quote.is_none() && breaks.contains(sign) {
                        typed.kept = typed.current.len();
                    }
                }
            }
        }
        typed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Vec<String>, String, usize) {
        let typed = Typed::read(line, "=@:");
        (typed.before, typed.current, typed.kept)
    }

    #[test]
    fn a_line_is_read_as_a_shell_reads_it() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (line, before, current, kept) in [
            ("mdmem", &[][..], "mdmem", 0),
            ("mdmem ", &["mdmem"], "", 0),
            ("mdmem  show a", &["mdmem", "show"], "a", 0),
            ("mdmem show ''", &["mdmem", "show"], "", 0),
            ("mdmem show '' b", &["mdmem", "show", ""], "b", 0),
            (r"mdmem show My\ no", &["mdmem", "show"], "My no", 0),
            ("mdmem show 'My no", &["mdmem", "show"], "My no", 0),
            (
                "mdmem show decision/\"My no",
                &["mdmem", "show"],
                "decision/My no",
                9,
            ),
            (r#"mdmem show "a\"b" c"#, &["mdmem", "show", "a\"b"], "c", 0),
            ("mdmem list --type=dec", &["mdmem", "list"], "--type=dec", 7),
            ("mdmem show use-npm@3f", &["mdmem", "show"], "use-npm@3f", 8),
            ("mdmem show 日本@3", &["mdmem", "show"], "日本@3", 7),
            ("mdmem show a\\", &["mdmem", "show"], "a", 0),
            ("", &[], "", 0),
        ] {
            assert_eq!(read(line), (words(before), current.to_owned(), kept), "{line}");
        }
        assert_eq!(Typed::read("m 'a", "").quote, Some('\''));
        assert_eq!(Typed::read("m 'a'", "").quote, None);
    }
}
