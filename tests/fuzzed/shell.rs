//! A shell command with its exit code and its output, with U+0001 between them; a `!` before the command says that it
//! failed.

use mdmem::capture::read_shell;

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (command, output) = text.split_once('\u{1}').unwrap_or((text, text));
    let (command, exit) = match command.strip_prefix('!') {
        Some(command) => (command, 1),
        None => (command, 0),
    };
    let reading = read_shell(command, Some(exit), output);
    assert!(reading.error.is_none() || exit != 0);
    assert!(reading.clears.is_empty() || exit == 0);
    if let Some(error) = reading.error {
        assert!(error.summary.chars().count() <= 280, "{error:?}");
        assert!((1..=5).contains(&error.summary.lines().count()), "{error:?}");
        assert!(
            error.fingerprint.len() == 12 && error.fingerprint.bytes().all(|byte| byte.is_ascii_hexdigit())
        );
        assert!(error.files.iter().all(|file| !file.is_empty()), "{error:?}");
    }
}
