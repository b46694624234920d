//! MEMORY.md: what there is, for whoever reads files. A pure function of the files: no time, no strength of today.

use std::collections::HashMap;

use minijinja::{Value, context};

use super::markdown;
use super::templates::Template;
use crate::model::{Kind, Memory, Zone};
use crate::policy::{
    ByInitialStrength, Rules, by_section, cut, holds_for, is_emptied, plain, sort_by_initial_strength,
};

const MAX_LINES: usize = 200;
const MAX_CHARS: usize = 25_000;
const TITLE_CHARS: usize = 100;

/// The things that wait for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unsettled {
    /// The number of files that `check` has something to say about.
    pub files: usize,
    /// The number of pairs of memories that contradict each other.
    pub contradictions: usize,
}

/// The index of these memories, in any order, each with the zone of its folder, without those whose files cannot be read: a heading for the pinned ones,
/// for each type, and for the other folders; at most 200 lines and 25,000 characters, of which each heading has a share,
/// and then a line that says how many more there are. `unsettled` is what waits for a person.
pub fn index(memories: &[(Zone, &Memory)], rules: &Rules, unsettled: Unsettled) -> String {
    let sections = sections(memories, rules);
    let all: usize = sections.iter().map(|section| section.files.len()).sum();
    // More than one a line cannot all be there: room is left for saying how many more, without trying first.
    let whole = (all <= MAX_LINES).then(|| fit(&sections, 0, unsettled));
    let fitted = whole
        .filter(|fitted| fitted.files == all)
        .unwrap_or_else(|| fit(&sections, all, unsettled));
    let size = fitted.size;
    let mut text = render(fitted.sections, all - fitted.files, unsettled);
    debug_assert!(
        Size::of_text(&text).chars <= size.chars,
        "the parts make the whole"
    );
    text.push('\n');
    text
}

/// A heading and its files, of which as many are in their order as there is room for.
struct Section<'a> {
    title: String,
    files: Vec<ByInitialStrength<'a>>,
}

impl Section<'_> {
    /// Its heading where so many of its files are named.
    fn title_of(&self, named: usize) -> String {
        let all = self.files.len();
        if named == all {
            return self.title.clone();
        }
        format!("{} ({named} of {all})", self.title)
    }
}

fn sections<'a>(memories: &[(Zone, &'a Memory)], rules: &Rules) -> Vec<Section<'a>> {
    let (mut pinned, mut cold) = (Vec::new(), Vec::new());
    let mut ranked: HashMap<&Kind, Vec<ByInitialStrength<'_>>> = HashMap::new();
    let is_listed = |(_, memory): &(Zone, &Memory)| memory.is_active() && !is_emptied(memory);
    for (zone, memory) in memories.iter().copied().filter(is_listed) {
        let file = || ByInitialStrength::new(memory, rules);
        match zone {
            Zone::Pinned => pinned.push(file()),
            Zone::Ranked => ranked.entry(&memory.kind).or_default().push(file()),
            Zone::Cold => cold.push(file()),
            Zone::Archive => {}
        }
    }
    let mut ranked: Vec<(&Kind, Vec<ByInitialStrength<'_>>)> = ranked.into_iter().collect();
    ranked.sort_by(|(a, _), (b, _)| by_section(a, b, rules));
    let ranked = ranked.into_iter().map(|(kind, files)| (kind.as_str(), files));
    let named = [("Pinned", pinned)]
        .into_iter()
        .chain(ranked)
        .chain([("Other folders", cold)]);
    named
        .filter(|(_, files)| !files.is_empty())
        .map(|(title, mut files)| {
            sort_by_initial_strength(&mut files, MAX_LINES);
            Section {
                title: markdown::link_text(&cut(title, TITLE_CHARS)),
                files,
            }
        })
        .collect()
}

/// The part of the index that keeps to the limits.
struct Fitted {
    sections: Vec<Value>,
    files: usize,
    size: Size,
}

/// Takes of each section one file after the other, in their order, up to the first one whose line would pass a limit: so
/// each type has a share, however many memories another one has. `more` is the number to leave room for in the line about
/// the others, 0 for no such line.
fn fit(sections: &[Section<'_>], more: usize, unsettled: Unsettled) -> Fitted {
    let none = Unsettled::default();
    let empty = Size::of(Vec::new(), 0, none);
    let mut used = Size::of(Vec::new(), more, unsettled);
    // The template prints the texts of an entry as they are: what is around them is measured once, because a rendering
    // for each of ten thousand files takes longer than everything else.
    let around = |section: &Section<'_>| {
        let (count, blank) = (section.files.len(), vec![Texts::default().value()]);
        let title = section.title_of(if more == 0 { count } else { count - 1 });
        let heading = Size::of(vec![values(&title, Vec::new())], 0, none).less(empty);
        let first = Size::of(vec![values(&title, blank)], 0, none).less(empty);
        [first, first.less(heading)]
    };
    let around: Vec<[Size; 2]> = sections.iter().map(around).collect();
    let mut entries: Vec<Vec<Value>> = sections.iter().map(|_| Vec::new()).collect();
    let rounds = sections.iter().map(|section| section.files.len()).max();
    let turns = (0..rounds.unwrap_or(0)).flat_map(|round| (0..sections.len()).map(move |at| (round, at)));
    for (round, at) in turns {
        let Some(file) = sections[at].files.get(round) else {
            continue;
        };
        let next = used.plus(around[at][round.min(1)]);
        if next.lines > MAX_LINES {
            break;
        }
        let texts = Texts::of(file.memory);
        let next = next.longer_by(texts.chars());
        if next.chars > MAX_CHARS {
            break;
        }
        used = next;
        entries[at].push(texts.value());
    }
    let files = entries.iter().map(Vec::len).sum();
    let taken = sections
        .iter()
        .zip(entries)
        .filter(|(_, entries)| !entries.is_empty());
    Fitted {
        sections: taken
            .map(|(section, entries)| values(&section.title_of(entries.len()), entries))
            .collect(),
        files,
        size: used,
    }
}

fn render(sections: Vec<Value>, more: usize, unsettled: Unsettled) -> String {
    Template::Index.render(
        context! { sections, more, attention => unsettled.files, contradictions => unsettled.contradictions },
    )
}

fn values(title: &str, entries: Vec<Value>) -> Value {
    context! { title, entries }
}

/// The texts of an entry, as they are printed.
#[derive(Default)]
struct Texts {
    title: String,
    path: String,
    hook: String,
}

impl Texts {
    fn of(memory: &Memory) -> Self {
        let title = cut(memory.title(), TITLE_CHARS);
        let title = if title.trim().is_empty() {
            memory.path.stem()
        } else {
            title.trim()
        };
        let says = memory.says();
        let hook = if says.is_empty() { memory.hook() } else { says };
        let files = holds_for(memory).map(|files| format!("in {files}: "));
        let mut hook = markdown::running_text(&(files.unwrap_or_default() + &hook));
        if !hook.ends_with(['.', '!', '?', '…', ':', '。', '！', '？']) {
            hook.push('.');
        }
        Self {
            title: markdown::link_text(title),
            path: markdown::destination(memory.path.as_str()),
            hook,
        }
    }

    fn chars(&self) -> usize {
        [&self.title, &self.path, &self.hook]
            .map(|text| text.chars().count())
            .iter()
            .sum()
    }

    fn value(self) -> Value {
        let Self { title, path, hook } = self;
        context! { title, path, hook }
    }
}

/// The room that a part takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Size {
    lines: usize,
    chars: usize,
}

impl Size {
    /// Of the index with these sections, its last line break included.
    fn of(sections: Vec<Value>, more: usize, unsettled: Unsettled) -> Self {
        Self::of_text(&render(sections, more, unsettled))
    }

    fn of_text(text: &str) -> Self {
        Self {
            lines: text.matches('\n').count() + 1,
            chars: text.chars().count() + 1,
        }
    }

    const fn longer_by(self, chars: usize) -> Self {
        Self {
            chars: self.chars + chars,
            ..self
        }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            lines: self.lines + other.lines,
            chars: self.chars + other.chars,
        }
    }

    const fn less(self, other: Self) -> Self {
        Self {
            lines: self.lines - other.lines,
            chars: self.chars - other.chars,
        }
    }
}

/// A workspace with a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// The address of its repository, without what gives access.
    pub remote: String,
    /// The day of its last activity.
    pub last: String,
    /// The state that is worth a word.
    pub state: &'static str,
}

/// The page.
pub fn projects_page(projects: &[Project]) -> String {
    let plain = |text: &str| plain(text).collect::<String>();
    let store = |project: &Project| {
        context! {
            name => plain(&project.name),
            path => plain(&project.path),
            remote => plain(&project.remote),
            last => &project.last,
            state => project.state,
        }
    };
    let stores: Vec<Value> = projects.iter().map(store).collect();
    Template::Projects.render(context! { stores }) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Id, Status};
    use crate::policy::fixture::{days_ago, fact, note};
    use crate::policy::zone;

    fn rendered(memories: &[Memory], files: usize) -> String {
        let rules = Rules::default();
        let memories = memories.iter();
        let memories: Vec<(Zone, &Memory)> = memories
            .map(|memory| (zone(&memory.path, &rules), memory))
            .collect();
        let unsettled = Unsettled {
            files,
            ..Unsettled::default()
        };
        index(&memories, &Rules::default(), unsettled)
    }

    const HEAD: &str = "# Memory\n\nMade by mdmem from the files beside it: change those, not this one.\n";

    #[test]
    fn it_lists_every_file_under_its_heading() {
        let mut memories = vec![
            fact("a", "decision/use-npm-cache.md", "decision", "Use npm cache"),
            fact("b", "system/persona.md", "project", "Be brief!"),
            fact("c", "decision/old.md", "decision", "Use yarn"),
            fact("d", "archive/older.md", "decision", "Use bower"),
            note("my notes/how (we) deploy.md", "x\n\ny"),
            fact("f", "feedback/a.md", "feedback", "Ask [first]\nthen act"),
        ];
        memories[2].created = days_ago(9);
        memories[4].heading = Some("Deploy [prod]".into());
        memories.push(fact("i", "decision/emptied.md", "decision", " "));
        let mut gone = fact("e", "decision/gone.md", "decision", "Use make");
        gone.status = Status::Superseded;
        memories.push(gone);
        let mut aside = fact("h", "decision/a.conflict-01234567.md", "decision", "Use npx");
        aside.conflict_of = Id::parse("a").ok();
        memories.push(aside);
        let expected = format!(
            "{HEAD}
## Pinned

- [persona](system/persona.md) — Be brief!

## feedback

- [a](feedback/a.md) — Ask \\[first\\] then act.

## decision

- [use-npm-cache](decision/use-npm-cache.md) — Use npm cache.
- [old](decision/old.md) — Use yarn.

## Other folders

- [Deploy \\[prod\\]](<my notes/how (we) deploy.md>) — x y.
"
        );
        assert_eq!(rendered(&memories, 0), expected);
        memories.reverse();
        assert_eq!(
            rendered(&memories, 0),
            expected,
            "the order of the files does not matter"
        );
    }

    #[test]
    fn the_stronger_stands_first_whatever_time_has_taken() {
        let mut weak = fact("a", "decision/a.md", "decision", "weak");
        weak.strength = Some(0.5);
        let mut strong = fact("b", "decision/b.md", "decision", "strong");
        strong.created = days_ago(400);
        let text = rendered(&[weak, strong], 0);
        assert!(text.find("strong").unwrap() < text.find("weak").unwrap());
    }

    #[test]
    fn it_says_what_needs_attention() {
        assert_eq!(
            rendered(&[], 2),
            format!("{HEAD}\n2 files need attention: mdmem check\n")
        );
        assert!(rendered(&[], 1).ends_with("\n1 file needs attention: mdmem check\n"));
    }

    #[test]
    fn it_keeps_to_the_lines_and_says_how_many_more() {
        let memories: Vec<Memory> = (0..500)
            .map(|n| {
                fact(
                    &format!("m{n:03}"),
                    &format!("decision/{n}.md"),
                    "decision",
                    "short",
                )
            })
            .collect();
        let text = rendered(&memories, 1);
        let listed = text.lines().filter(|line| line.starts_with("- [")).count();
        assert_eq!(text.lines().count(), 200);
        assert!(text.contains(&format!("\n{} more: `mdmem list` names all\n", 500 - listed)));
        assert!(rendered(&memories[..20], 0).lines().count() < 200);
    }

    #[test]
    fn each_heading_has_a_share_whatever_another_one_holds() {
        let of = |kind: &str, count: usize| -> Vec<Memory> {
            let memory = |n| fact(&format!("{kind}{n:03}"), &format!("{kind}/{n}.md"), kind, "short");
            (0..count).map(memory).collect()
        };
        let memories = [of("feedback", 400), of("project", 90), of("user", 1)].concat();
        let text = rendered(&memories, 0);
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings, ["## feedback (95 of 400)", "## project", "## user"]);
        assert_eq!(text.lines().count(), 200);
    }

    #[test]
    fn it_keeps_to_the_characters() {
        let long = "長い".repeat(200);
        let memories: Vec<Memory> = (0..190)
            .map(|n| {
                let name = "n".repeat(90);
                fact(
                    &format!("m{n:03}"),
                    &format!("decision/{name}{n}.md"),
                    "decision",
                    &long,
                )
            })
            .collect();
        let text = rendered(&memories, 0);
        let listed = text.lines().filter(|line| line.starts_with("- [")).count();
        assert!((24_000..=25_000).contains(&text.chars().count()));
        assert!(text.ends_with(&format!("\n{} more: `mdmem list` names all\n", 190 - listed)));
    }

    #[test]
    fn a_title_without_a_word_is_the_stem() {
        let mut memory = fact("a", "decision/a.md", "decision", "text");
        memory.name = Some("\u{2028} ".into());
        assert!(rendered(&[memory], 0).contains("- [a](decision/a.md)"));
    }
}
