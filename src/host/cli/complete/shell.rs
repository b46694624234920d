//! Candidates in the form of a shell: a line each, with a tab before the words about it. A line `/` alone asks the
//! shell for the names of files.

use clap_complete::Shell;

use super::{Candidates, Typed};
use crate::service::Completion;

/// The lines for a shell.
pub(crate) fn lines(shell: Shell, found: Candidates, typed: &Typed) -> Vec<String> {
    let words = match found {
        Candidates::Files => return vec!["/".to_owned()],
        Candidates::Words(words) => words,
    };
    // A line break would make two candidates of one.
    let words = words
        .into_iter()
        .filter(|word| !word.name.chars().any(char::is_control));
    if shell == Shell::Bash {
        return words.filter_map(|word| in_bash(&word.name, typed)).collect();
    }
    words
        .map(|Completion { name, about }| match about.as_str() {
            "" => name,
            about => format!("{name}\t{}", about.replace(char::is_control, " ")),
        })
        .collect()
}

/// A candidate as bash puts it into the line: without what stays there, and quoted as the word is. `None` where no
/// quoting of that kind can say it.
fn in_bash(name: &str, typed: &Typed) -> Option<String> {
    let rest = name.get(typed.kept..)?;
    match typed.quote {
        Some('\'') => (!rest.contains('\'')).then(|| rest.to_owned()),
        Some(_) => Some(escaped(rest, |sign| r#"\"$`"#.contains(sign))),
        None => Some(escaped(rest, |sign| sign.is_ascii() && !is_plain(sign))),
    }
}

fn is_plain(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || "/._-+=,@%:".contains(sign)
}

fn escaped(text: &str, is_special: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        if is_special(sign) {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bash(line: &str, name: &str) -> Option<String> {
        in_bash(name, &Typed::read(line, "=@:"))
    }

    #[test]
    fn bash_gets_what_it_puts_into_the_line() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(bash("m show dec", "decision/a.md"), some("decision/a.md"));
        assert_eq!(bash("m show My", "My note's $x.md"), some(r"My\ note\'s\ \$x.md"));
        assert_eq!(bash("m show 'My", "My note $x.md"), some("My note $x.md"));
        assert_eq!(bash("m show 'My", "My note's.md"), None);
        assert_eq!(bash("m show \"My", "My \"$x\".md"), some(r#"My \"\$x\".md"#));
        assert_eq!(bash("m list --type=d", "--type=decision"), some("decision"));
        assert_eq!(bash("m show a@", "a@1234567"), some("1234567"));
        assert_eq!(bash("m show 日", "日本 語.md"), some(r"日本\ 語.md"));
    }

    #[test]
    fn a_candidate_is_one_line() {
        let word = |name: &str, about: &str| Completion {
            name: name.to_owned(),
            about: about.to_owned(),
        };
        let words = vec![word("a\nb", ""), word("c", "x\ty\nz"), word("d", "")];
        let typed = Typed::default();
        assert_eq!(
            lines(Shell::Fish, Candidates::Words(words), &typed),
            ["c\tx y z", "d"]
        );
        assert_eq!(lines(Shell::Zsh, Candidates::Files, &typed), ["/"]);
    }
}
