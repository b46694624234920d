//! A question to the person at the terminal.

use std::io::{self, BufRead as _, IsTerminal as _};

use super::ui::{Format, Ui};

/// Asks, and gives the answer without white space at its ends; `None` where nobody can answer: a stream is no terminal,
/// a program reads the answer, or the person closed the input.
pub(crate) fn ask(question: &str, ui: &mut Ui) -> io::Result<Option<String>> {
    if !is_answered(ui) {
        return Ok(None);
    }
    ui.out.flush()?;
    ui.err.text(&format!("{question} "))?;
    ui.err.flush()?;
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer)?;
    Ok((read > 0).then(|| answer.trim().to_owned()))
}

/// True when a person sees a question and can answer it.
pub(crate) fn is_answered(ui: &Ui) -> bool {
    ui.format == Format::Text && ui.shows_progress() && io::stdin().is_terminal()
}
