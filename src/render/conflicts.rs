//! CONFLICTS.md: the versions of memories that merges set aside, for a person to settle.

use minijinja::{Value, context};

use super::markdown;
use super::templates::Template;
use crate::model::{Content, Memory};
use crate::policy::cut;

/// The most characters of a title or of a text.
const MOST_CHARS: usize = 160;

/// The page; `None` where no memory has a sibling.
pub fn conflicts_page(memories: &[&Memory]) -> Option<String> {
    let mut siblings: Vec<&Memory> = memories.to_vec();
    siblings.retain(|memory| memory.conflict_of.is_some());
    siblings.sort_by(|a, b| (&a.conflict_of, &a.path).cmp(&(&b.conflict_of, &b.path)));
    let entries: Vec<Value> = siblings
        .iter()
        .filter_map(|sibling| {
            let id = sibling.conflict_of.as_ref()?;
            let memory = memories
                .iter()
                .find(|memory| memory.id == *id && memory.conflict_of.is_none());
            Some(entry(sibling, memory.copied(), id.as_str()))
        })
        .collect();
    (!entries.is_empty()).then(|| Template::Conflicts.render(context! { entries }) + "\n")
}

fn entry(sibling: &Memory, memory: Option<&Memory>, id: &str) -> Value {
    let aside = lines(sibling);
    let now = memory.map_or_else(Vec::new, lines);
    context! {
        id,
        memory => memory.map(|memory| context! {
            title => markdown::link_text(&cut(memory.title(), MOST_CHARS)),
            path => markdown::destination(memory.path.as_str()),
        }),
        stays => first_difference(&now, &aside),
        sibling => markdown::destination(sibling.path.as_str()),
        aside => first_difference(&aside, &now),
    }
}

/// The lines of what a memory says.
fn lines(memory: &Memory) -> Vec<&str> {
    let reason = memory.content.rationale().unwrap_or_default();
    let text = match &memory.content {
        Content::Fact { text, .. } => text,
        Content::Note { body } => body,
    };
    let lines = text.lines().chain(reason.lines()).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

/// The first lines that the other text does not have, as running text.
fn first_difference(lines: &[&str], others: &[&str]) -> String {
    let own: Vec<&str> = lines
        .iter()
        .filter(|line| !others.contains(line))
        .copied()
        .collect();
    markdown::running_text(&cut(&own.join(" "), MOST_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Id;
    use crate::policy::fixture::fact;

    fn sibling(of: &str, path: &str, text: &str) -> Memory {
        let mut memory = fact("s", path, "decision", text);
        memory.conflict_of = Some(Id::parse(of).unwrap());
        memory
    }

    #[test]
    fn it_names_each_contradiction_and_what_differs() {
        let memory = fact("a", "decision/use npm.md", "decision", "Always.\nUse [npm]");
        let other = fact("b", "decision/b.md", "decision", "Use tabs");
        let aside = sibling("a", "decision/use npm.conflict-01234567.md", "Always.\nUse pnpm");
        let lost = sibling("gone", "d.conflict-01234567.md", "Use make");
        let all = [&lost, &memory, &other, &aside];
        let expected = "# Contradictions

Made by mdmem: two clones changed the same lines of a memory. The later text stays, the other lies beside it.
`mdmem conflicts` settles them.

## [use npm](<decision/use npm.md>)

Id: a

- stays: Use \\[npm\\]
- [set aside](<decision/use npm.conflict-01234567.md>): Use pnpm

## A memory that is gone

Id: gone

- [set aside](d.conflict-01234567.md): Use make
";
        assert_eq!(conflicts_page(&all).unwrap(), expected);
        assert_eq!(conflicts_page(&[&memory, &other]), None);
    }

    #[test]
    fn a_text_cannot_forge_a_line() {
        let memory = fact("a", "a.md", "decision", "x");
        let aside = sibling("a", "a.conflict-01234567.md", "y\n# z\n\n- [l](m)\u{2028}## w");
        let page = conflicts_page(&[&memory, &aside]).unwrap();
        assert_eq!(page.lines().filter(|line| line.starts_with('#')).count(), 2);
        assert_eq!(page.lines().filter(|line| line.starts_with("- ")).count(), 2);
    }
}
