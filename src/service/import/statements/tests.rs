//! Statements of texts in the shapes that people write for their agents.

use super::super::rest::without;
use super::*;
use proptest::prelude::*;

const RULES: &str = "\
# Service

Some prose.

## 🧪 Tests

Before a commit:
- Run `make check`
  before you push
- Ask when a test is *flaky*

## Layout

- `src/`: the library
  - `src/io/`: files
- [Guide](docs/guide.md)
- Ports:
  - web 3000
  - db 5432

## Release

1. Tag it
   - not on a Friday
2. Push

## Roadmap

- Support for Windows

### Later

- A menu

## Rules

- [ ] rename the crate
- Show it so:
  ```
  - not this
  ```
> - nor a quoted one
";

fn said(text: &str) -> Vec<String> {
    statements(text).iter().map(Statement::whole).collect()
}

#[test]
fn each_item_that_says_something_is_a_statement_with_its_context() {
    assert_eq!(
        said(RULES),
        [
            "Before a commit: Run `make check` before you push",
            "Before a commit: Ask when a test is *flaky*",
            "Layout: `src/`: the library",
            "src/: the library: `src/io/`: files",
            "Ports: web 3000",
            "Ports: db 5432",
        ]
    );
    assert_eq!(statements(RULES)[2].line, 14);
}

#[test]
fn the_rest_of_the_text_stays() {
    let rest = without(RULES, &statements(RULES)).unwrap();
    for kept in [
        "# Service\n\nSome prose.\n",
        "Before a commit:\n",
        "- [Guide](docs/guide.md)\n- Ports:\n",
        "1. Tag it\n   - not on a Friday\n",
        "### Later\n\n- A menu\n",
        "> - nor a quoted one\n",
    ] {
        assert!(rest.contains(kept), "{kept:?} in {rest}");
    }
    assert!(!rest.contains("flaky") && !rest.contains("5432"), "{rest}");
    assert_eq!(without("# A\n\n- use b\n", &statements("# A\n\n- use b\n")), None);
    assert_eq!(without("- use b\n", &[]).as_deref(), Some("- use b\n"));
}

#[test]
fn other_scripts_and_line_ends_are_read_alike() {
    assert_eq!(
        said("## 边界\r\n\r\n- 不编造代码\r\n- 不输出目标价\r\n"),
        ["边界: 不编造代码", "边界: 不输出目标价"]
    );
    assert_eq!(
        said("* one *thing*\n+ **two**\n-\n- ***\n"),
        ["one *thing*", "**two**"]
    );
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in "(\\PC|\n|- |  - |# |1\\. |```|> |\\[ \\] ){0,60}") {
        let taken = statements(&text);
        let rest = without(&text, &taken).unwrap_or_default();
        for statement in &taken {
            prop_assert!(!statement.text.is_empty());
        }
        prop_assert!(rest.len() <= text.len() + 1);
    }
}
