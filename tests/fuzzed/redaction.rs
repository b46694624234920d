//! Secrets in a text: in order, apart, at characters; a text that was redacted has no more of them.

use std::sync::LazyLock;

use mdmem::text::Redactor;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(&["acme-[0-9]+".to_owned()]).unwrap());

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let found = REDACTOR.find(text);
    let mut end = 0;
    for secret in &found {
        assert!(end <= secret.range.start && !secret.range.is_empty(), "{found:?}");
        end = secret.range.end;
        assert!(text.get(secret.range.clone()).is_some(), "{found:?}");
    }
    let once = REDACTOR.redact(text);
    assert_eq!(once == text, found.is_empty());
    assert_eq!(REDACTOR.find(&once), [], "in {once:?}");
    let line = REDACTOR.redact_line(text);
    assert_eq!(REDACTOR.redact_line(&line), line);
}
