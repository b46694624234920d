//! A choice of a person's at a terminal: through fzf where it is installed, with the file beside it, else from a numbered
//! list.

use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use super::terminal::harmless_line;
use super::{Ui, shell_word};

/// The most items of a numbered list.
const MOST: usize = 30;

impl Ui {
    /// The place of the file that a person picks, by its path below `root` and the words beside it; `None`: none of them.
    pub(crate) fn pick(
        &mut self,
        files: &[(String, String)],
        root: &Path,
        question: Option<&str>,
    ) -> io::Result<Option<usize>> {
        self.flush()?;
        let lines = files.iter().enumerate().map(|(at, (path, words))| {
            let (path, words) = (path.replace('\t', " "), harmless_line(words));
            format!("{at}\t{}\t{words}\n", harmless_line(&path))
        });
        let lines: String = lines.collect();
        // The file is shown without what a terminal would obey.
        let preview = format!("tr -d '\\000-\\010\\013-\\037\\177' < {}/{{2}}", shell_word(root));
        let fzf = Command::new("fzf")
            .args([
                "--delimiter=\t",
                "--with-nth=2..",
                "--prompt=memory> ",
                "--preview-window=wrap",
            ])
            .args(["--preview", &preview])
            .args(question.map(|question| format!("--header={}", harmless_line(question))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut fzf) = fzf else {
            if let Some(question) = question {
                self.error_line(question)?;
            }
            return self.pick_number(files);
        };
        if let Some(mut stdin) = fzf.stdin.take() {
            // It may be closed before it has read them all.
            let _ = stdin.write_all(lines.as_bytes());
        }
        let picked = String::from_utf8_lossy(&fzf.wait_with_output()?.stdout).into_owned();
        let at = picked.split('\t').next().unwrap_or_default();
        Ok(at.parse().ok().filter(|at| *at < files.len()))
    }

    /// Words in the place of a number leave those that have them.
    fn pick_number(&mut self, files: &[(String, String)]) -> io::Result<Option<usize>> {
        let mut left: Vec<usize> = (0..files.len()).collect();
        loop {
            let listed = left.len().min(MOST);
            for (number, at) in left[..listed].iter().enumerate() {
                let (path, words) = &files[*at];
                self.error_line(&format!("{:>3}  {path}  {words}", number + 1))?;
            }
            let of = left.len();
            self.err.text(&format!(
                "number [1-{listed}] of {of}, or words of the one you mean: "
            ))?;
            self.err.flush()?;
            let mut answer = String::new();
            io::stdin().lock().read_line(&mut answer)?;
            let answer = answer.trim().to_lowercase();
            if answer.is_empty() {
                return Ok(None);
            }
            if let Ok(number) = answer.parse::<usize>() {
                let picked = number.checked_sub(1).and_then(|at| left[..listed].get(at));
                return Ok(picked.copied());
            }
            let has_words = |at: &usize| {
                let text = format!("{} {}", files[*at].0, files[*at].1).to_lowercase();
                answer.split_whitespace().all(|word| text.contains(word))
            };
            if left.iter().any(has_words) {
                left.retain(has_words);
            } else {
                self.error_line(&format!("none of them has `{answer}`"))?;
            }
        }
    }
}
