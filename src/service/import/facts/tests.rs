//! Statements of texts in the shapes that people write for their agents.

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
    let (parts, entry) = (Parts::default(), Entry::default());
    let outline = outline(text);
    let facts = outline
        .statements
        .iter()
        .filter_map(|statement| fact(statement, &parts, &entry));
    facts.map(|fact| fact.content.keyed_text().to_owned()).collect()
}

/// The text without its statements.
fn rest(text: &str) -> Option<String> {
    let outline = outline(text);
    let taken: Vec<_> = outline
        .statements
        .into_iter()
        .map(|statement| statement.range)
        .collect();
    without(text, &outline.labels, &taken)
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
    assert_eq!(outline(RULES).statements[2].line, 14);
}

#[test]
fn the_rest_of_the_text_stays() {
    let kept = rest(RULES).unwrap();
    for part in [
        "# Service\n\nSome prose.\n",
        "- [Guide](docs/guide.md)\n",
        "1. Tag it\n   - not on a Friday\n",
        "### Later\n\n- A menu\n",
        "> - nor a quoted one\n",
    ] {
        assert!(kept.contains(part), "{part:?} in {kept}");
    }
    assert!(!kept.contains("flaky") && !kept.contains("5432"), "{kept}");
    assert!(
        !kept.contains("Before a commit") && !kept.contains("Ports"),
        "{kept}"
    );
    assert_eq!(rest("# A\n\n- use b\n"), None);
    assert_eq!(without("- use b\n", &[], &[]).as_deref(), Some("- use b\n"));
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
        for statement in outline(&text).statements {
            prop_assert!(!statement.text.is_empty());
        }
        prop_assert!(rest(&text).unwrap_or_default().len() <= text.len());
    }
}

#[test]
fn a_block_of_code_stays_as_it_is() {
    let code = "```sh\n# Never run this\n\n\n# nor this\nrm -rf x\n\n```\n";
    let text = format!("# A\n\n## Rules\n\n- Use npm\n\n## Code\n\n{code}\n## More\n\n- Use x\n");
    assert_eq!(rest(&text).unwrap(), format!("# A\n\n## Code\n\n{code}"));
}

#[test]
fn a_heading_that_never_had_a_list_stays() {
    assert_eq!(
        rest("# A\n\n## Soon\n\nIt is.\n\n## Rules\n\n- Use npm\n\n## Empty\n").unwrap(),
        "# A\n\n## Soon\n\nIt is.\n\n## Empty\n"
    );
    // Headings alone say nothing, nor does what a tool writes into each file.
    assert_eq!(rest("# A\n\n## Soon\n\n## Rules\n\n- Use npm\n"), None);
    let made = "# CLAUDE.md\n\nThis file provides guidance to Claude Code.\n\n- Use npm\n- TBD\n";
    assert_eq!((rest(made), said(made)), (None, vec!["Use npm".to_owned()]));
    assert_eq!(rest("A\n=\n\nB\n-\n\n- Use npm\n"), None);
}

#[test]
fn line_ends_and_what_is_not_taken_stay_byte_for_byte() {
    assert_eq!(
        rest("# A\r\n\r\n- Use npm\r\n\r\nMore.\r\n").unwrap(),
        "# A\r\n\r\nMore.\r\n"
    );
    for text in ["# A\r\n\n\n## B\n\n\n1. x\r\n\n\n", "no end", "# A\n"] {
        assert_eq!(rest(text).as_deref(), Some(text));
    }
    assert_eq!(rest("One.\n\n\nTwo.\n\n- Use npm\n").unwrap(), "One.\n\n\nTwo.\n");
}
