//! CONFLICTS.md: the versions of memories that merges set aside, and the memories that contradict each other, for a person
//! to settle.

use minijinja::{Value, context};

use super::markdown;
use super::templates::Template;
use crate::model::{Content, Memory};
use crate::policy::cut;

/// The most characters of a title or of a text.
const MOST_CHARS: usize = 160;

/// Two memories that a model finds cannot both hold, and the reason.
#[derive(Debug, Clone, Copy)]
pub struct Contradicting<'a> {
    /// The one.
    pub a: &'a Memory,
    /// The other.
    pub b: &'a Memory,
    /// The reason.
    pub why: &'a str,
}

/// The page; `None` where no memory has a sibling, and none contradicts another.
pub fn conflicts_page(memories: &[&Memory], contradicting: &[Contradicting<'_>]) -> Option<String> {
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
    let pairs: Vec<Value> = contradicting.iter().map(Contradicting::entry).collect();
    let is_empty = entries.is_empty() && pairs.is_empty();
    (!is_empty).then(|| Template::Conflicts.render(context! { entries, pairs }) + "\n")
}

/// The line of the prompt about memories that contradict each other; `""` where none does.
pub fn contradictions_line(count: usize) -> String {
    Template::Contradictions.render(context! { count })
}

impl Contradicting<'_> {
    fn entry(&self) -> Value {
        let side = |memory: &Memory| {
            context! {
                title => markdown::link_text(&cut(memory.title(), MOST_CHARS)),
                path => markdown::destination(memory.path.as_str()),
                says => markdown::running_text(&cut(&lines(memory).join(" "), MOST_CHARS)),
            }
        };
        context! {
            a => side(self.a),
            b => side(self.b),
            why => markdown::running_text(&cut(self.why, MOST_CHARS)),
        }
    }
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
        assert_eq!(conflicts_page(&all, &[]).unwrap(), expected);
        assert_eq!(conflicts_page(&[&memory, &other], &[]), None);
    }

    #[test]
    fn a_text_cannot_forge_a_line() {
        let memory = fact("a", "a.md", "decision", "x");
        let aside = sibling("a", "a.conflict-01234567.md", "y\n# z\n\n- [l](m)\u{2028}## w");
        let page = conflicts_page(&[&memory, &aside], &[]).unwrap();
        assert_eq!(page.lines().filter(|line| line.starts_with('#')).count(), 2);
        assert_eq!(page.lines().filter(|line| line.starts_with("- ")).count(), 2);
    }

    #[test]
    fn memories_that_contradict_each_other_are_named_with_the_reason() {
        let (a, b) = (
            fact("a", "a.md", "decision", "Use npm"),
            fact("b", "b b.md", "decision", "Use\npnpm"),
        );
        let why = "one tool alone";
        let page = conflicts_page(&[&a, &b], &[Contradicting { a: &a, b: &b, why }]).unwrap();
        let expected = "# Contradictions

Made by mdmem. `mdmem conflicts` settles them.

## [a](a.md) and [b b](<b b.md>)

Both cannot hold: one tool alone

- Use npm
- Use pnpm
";
        assert_eq!(page, expected);
    }
}
