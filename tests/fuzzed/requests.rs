//! Requests in a user's message.

use std::collections::HashSet;
use std::sync::LazyLock;

use mdmem::capture::{RequestPatterns, Requests, requests};
use mdmem::text::wording;

static EXTRA: LazyLock<RequestPatterns> =
    LazyLock::new(|| RequestPatterns::new(&["(?i)nb[:,] *".to_owned(), "merke (.*)$".to_owned()]).unwrap());
static STANDARD: LazyLock<RequestPatterns> = LazyLock::new(RequestPatterns::standard);

pub(crate) fn run(data: &[u8]) {
    let Ok(message) = std::str::from_utf8(data) else {
        return;
    };
    let heard = requests(message, &STANDARD);
    check(message, &heard);
    // By the length, so that each text is looked at in one more way at most.
    match message.len() % 4 {
        0 => check(message, &requests(message, &EXTRA)),
        // A line break at its end says nothing.
        1 => assert_eq!(requests(&format!("{message}\n"), &STANDARD), heard),
        _ => {}
    }
}

fn check(message: &str, heard: &Requests) {
    let (mut texts, said) = (HashSet::new(), letters(message));
    for memory in &heard.memories {
        assert!(!memory.text.trim().is_empty(), "{memory:?}");
        assert!(said.contains(&letters(&memory.text)), "{memory:?}");
        assert!(texts.insert(wording(&memory.text)), "twice: {memory:?}");
    }
    for refused in &heard.refused {
        assert!(said.contains(&letters(&refused.text)), "{refused:?}");
    }
    assert!(heard.bare <= heard.refused.len());
}

/// The text without white space and control characters, in whose place a space may stand.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect()
}
