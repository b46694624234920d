//! Rules that hold of any three stores, and of any clones that merge with each other.

use super::*;
use crate::document::{Readable, parse};
use crate::text::{canonical, folded_name, sha256_hex};

/// A change that somebody makes to a store: what, to which file, and how.
type Step = (u8, u8, u8);

/// A person or an engine that changes a store.
struct Author {
    name: char,
    /// The number of texts so far that nobody else writes.
    fresh: usize,
}

impl Author {
    fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("{}{}", self.name, self.fresh)
    }

    fn apply(&mut self, store: &mut Texts, steps: &[Step]) {
        for step in steps {
            let before = store.clone();
            self.step(store, *step);
            if !is_valid(store) {
                *store = before;
            }
        }
    }

    fn step(&mut self, store: &mut Texts, (kind, which, how): Step) {
        const PATHS: [&str; 9] = [
            "d/a.md",
            "d/b.md",
            "D/a.md",
            "d/A.md",
            "archive/a.md",
            "x.md",
            "x.md/a.md",
            "y/x.md",
            "caf\u{e9}.md",
        ];
        const WORDS: [&str; 4] = ["Use npm", "use NPM!", "Use tabs", "Use npm\n\nWhy: it works"];
        let new_path = PATHS[usize::from(how) % PATHS.len()].to_owned();
        let memories: Vec<String> = store
            .keys()
            .filter(|path| memory_path(Path::new(path)).is_some() && !path.contains(".conflict-"))
            .cloned()
            .collect();
        let siblings: Vec<String> = store
            .keys()
            .filter(|path| path.contains(".conflict-"))
            .cloned()
            .collect();
        let some = |paths: &[String]| paths.get(usize::from(which) % paths.len().max(1)).cloned();
        let fresh = self.fresh();
        match (kind % 12, some(&memories), some(&siblings)) {
            (0 | 1, ..) if !store.contains_key(&new_path) => {
                let words = WORDS[usize::from(which) % WORDS.len()];
                let text = match which % 3 {
                    0 => format!("{words}\n"),
                    1 => format!("---\nid: mem_{fresh}\n---\n{words}\n"),
                    _ => format!("---\nid: mem_{fresh}\n---\nabout {fresh}\n\n- one\n- two\n- three\n"),
                };
                store.insert(new_path, text);
            }
            (2 | 3, Some(path), _) => {
                let text = &store[&path];
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                let front = text
                    .match_indices("---\n")
                    .nth(1)
                    .map_or(0, |(at, _)| text[..at].lines().count() + 1);
                let at = front + usize::from(how) % (lines.len() - front + 1);
                if how % 2 == 0 && at < lines.len() {
                    lines[at] = format!("line {fresh}");
                } else {
                    lines.insert(at, format!("line {fresh}"));
                }
                store.insert(path, lines.join("\n") + "\n");
            }
            (4 | 5, Some(path), _) if !store.contains_key(&new_path) => {
                let mut text = store.remove(&path).unwrap();
                // As the engine does when it sees a move.
                if which % 2 == 0 && !text.contains("\nid: ") {
                    let id = derived_id(&path, name_of(text.as_bytes()));
                    text = with_key(&text, &format!("id: {id}"));
                }
                store.insert(new_path, text);
            }
            (6, Some(path), _) => drop(store.remove(&path)),
            (7, Some(path), _) if !store.contains_key(&new_path) => {
                let copy = store[&path].lines().filter(|line| !line.starts_with("id: "));
                let copy = copy.collect::<Vec<_>>().join("\n").replace("---\n---\n", "") + "\n";
                store.insert(new_path, copy);
            }
            (8, Some(path), _) => {
                let text = format!("reinforcement: {}", how % 7);
                store.insert(path.clone(), with_key(&store[&path], &text));
            }
            (9, Some(path), _) if which % 2 == 0 => {
                let text = format!("description: {fresh}");
                store.insert(path.clone(), with_key(&store[&path], &text));
            }
            (9, _, Some(path)) => {
                if how % 2 == 0 {
                    store.remove(&path);
                } else {
                    store.get_mut(&path).unwrap().push_str("seen\n");
                }
            }
            (10, Some(path), _) if which % 3 == 0 => {
                let text = store.remove(&path).unwrap();
                let id = text
                    .lines()
                    .find_map(|line| line.strip_prefix("id: "))
                    .unwrap_or("-");
                let memory = memory_at(&path, &text);
                let hash = sha256_hex(canonical(memory.content.keyed_text()).as_bytes());
                let lines = store.entry("forgotten".into()).or_default();
                *lines = format!("{lines}forget {fresh} 2026-11-01 {id} {hash}\n");
            }
            (11, ..) => {
                let text = store.entry("mdmem.toml".into()).or_default();
                let mut table: toml_edit::DocumentMut = text.parse().unwrap();
                table["render"][["a", "b", "c"][usize::from(how) % 3]] = toml_edit::value(i64::from(which));
                *text = table.to_string();
            }
            _ => {}
        }
    }
}

fn memory_at(path: &str, text: &str) -> Memory {
    read_memory(&memory_path(Path::new(path)).unwrap(), text.as_bytes())
}

/// The text with a key stated; the key's line is new, or in place of the old one.
fn with_key(text: &str, line: &str) -> String {
    let key = line.split(':').next().unwrap();
    let Some(rest) = text.strip_prefix("---\n") else {
        return format!("---\n{line}\n---\n{text}");
    };
    let mut lines: Vec<&str> = rest.lines().collect();
    match lines
        .iter()
        .position(|other| other.starts_with(key) || *other == "---")
    {
        Some(at) if lines[at] != "---" => lines[at] = line,
        Some(at) => lines.insert(at, line),
        None => {}
    }
    format!("---\n{}\n", lines.join("\n"))
}

/// Says whether no two names are one to some system, every memory can be read, no two have one id, and no marker of a
/// merge is left.
fn is_valid(store: &Texts) -> bool {
    let mut names = BTreeSet::new();
    let mut ids = BTreeSet::new();
    let folded = |path: &str| folded_name(path);
    let folders: BTreeSet<String> = store
        .keys()
        .flat_map(|path| Path::new(path).ancestors().skip(1))
        .map(|folder| folded(folder.to_str().unwrap()))
        .collect();
    store.iter().all(|(path, text)| {
        let name = folded(path);
        let is_free = !folders.contains(&name) && names.insert(name);
        let Some(path) = memory_path(Path::new(path)) else {
            return is_free;
        };
        let read = parse(&path, text.as_bytes(), None, || Id::parse("-").unwrap());
        let has_own_id = !read.memory.id_stated || ids.insert(read.memory.id);
        is_free && has_own_id && read.readable == Readable::Yes && !text.contains("<<<<<<<")
    })
}

/// The lines that one author alone wrote.
fn fresh_lines(store: &Texts) -> BTreeSet<String> {
    let memories = store
        .iter()
        .filter(|(path, _)| memory_path(Path::new(path)).is_some());
    let lines = memories.flat_map(|(_, text)| text.lines());
    let is_fresh = |line: &&str| line.starts_with("line ") || line.starts_with("about ");
    lines.filter(is_fresh).map(str::to_owned).collect()
}

fn has_many_siblings(store: &Texts) -> bool {
    store.keys().filter(|path| path.contains(".conflict-")).count() >= 3
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0_u8..12, any::<u8>(), any::<u8>()), 0..most)
}

/// A store that somebody began, with a sibling.
fn begun(steps: &[Step]) -> Texts {
    let mut store = Texts::new();
    store.insert("mdmem.toml".into(), "format = 1\n[render]\na = 1\n".into());
    store.insert("d/a.md".into(), memory("mem_a", "first\nsecond\n\nlast"));
    store.insert(
        "d/a.conflict-00000000.md".into(),
        "---\nconflict_of: mem_a\n---\nother\n".into(),
    );
    Author { name: 'b', fresh: 0 }.apply(&mut store, steps);
    store
}

fn files(blobs: &mut Blobs, store: &Texts) -> Files {
    blobs.files(store.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

const CASES: u32 = if cfg!(debug_assertions) { 500 } else { 20_000 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn of_any_three_stores(
        start in steps(8), ours in steps(7), theirs in steps(7), hours in prop::collection::vec(0_i64..3, 16),
    ) {
        let base = begun(&start);
        let (mut our, mut their) = (base.clone(), base.clone());
        Author { name: 'o', fresh: 0 }.apply(&mut our, &ours);
        Author { name: 't', fresh: 0 }.apply(&mut their, &theirs);
        let mut blobs = Blobs::default();
        for (at, (side, path)) in [(Side::Ours, &our), (Side::Theirs, &their)].iter()
            .flat_map(|(side, store)| store.keys().map(move |path| (*side, path))).enumerate() {
            blobs.at.insert((side, path.into()), hours[at % hours.len()]);
        }
        let trees = [&base, &our, &their].map(|store| files(&mut blobs, store));
        let (merged, _) = blobs.merged(&trees[0], &trees[1], &trees[2]);
        let result = blobs.texts(&merged);

        // The same tree the other way round.
        let mut turned = blobs.turned();
        let (other, _) = turned.merged(&trees[0], &trees[2], &trees[1]);
        prop_assert_eq!(&result, &turned.texts(&other));

        // Merging what was merged already changes nothing.
        for side in &trees[1..] {
            prop_assert_eq!(&blobs.merged(side, side, &merged).0, &merged);
            prop_assert_eq!(&blobs.merged(side, &merged, side).0, &merged);
        }

        // Valid in, valid out.
        prop_assert!(is_valid(&result), "{:#?}", result);

        // A file that one side alone changed is as that side has it.
        let forgets = |store: &Texts| store.get("forgotten").cloned();
        if forgets(&our) == forgets(&their) {
            for (one, other) in [(&our, &their), (&their, &our)] {
                for (path, text) in one {
                    let is_memory = memory_path(Path::new(path)).is_some();
                    let id = |store: &Texts| is_memory.then(|| memory_at(path, &store[path]).id);
                    if other.get(path) == base.get(path) && base.contains_key(path) && id(one) == id(&base) {
                        prop_assert_eq!(result.get(path), Some(text), "{}", path);
                    }
                }
            }
            // Nobody's words are lost.
            let found = fresh_lines(&result);
            let (old, of_ours, of_theirs) = (fresh_lines(&base), fresh_lines(&our), fresh_lines(&their));
            if !has_many_siblings(&result) {
                for line in of_ours.symmetric_difference(&of_theirs).filter(|line| !old.contains(*line)) {
                    prop_assert!(found.contains(line), "{line} is not in {:#?}", result);
                }
            }
        }
    }

    #[test]
    fn clones_that_merge_in_any_order_end_at_one_tree(
        start in steps(6), work in prop::collection::vec((0_usize..3, steps(4), 0_usize..3), 1..7),
    ) {
        let mut graph = Graph::default();
        let base = begun(&start);
        let root = files(&mut graph.blobs, &base);
        graph.commits.push((root, 1));
        let mut heads = [0; 3];
        for (clone, steps, other) in &work {
            let mut store = graph.blobs.texts(&graph.commits[heads[*clone]].0);
            let name = ['p', 'q', 'r'][*clone];
            Author { name, fresh: 100 * graph.commits.len() }.apply(&mut store, steps);
            heads[*clone] = graph.commit(&store, heads[*clone]);
            heads[*clone] = graph.merge(heads[*clone], heads[*other]);
        }
        // Each fetches what the others have: some take the same way, and some another one.
        let one = {
            let first = graph.merge(heads[0], heads[1]);
            graph.merge(first, heads[2])
        };
        let other = {
            let first = graph.merge(heads[1], heads[2]);
            graph.merge(first, heads[0])
        };
        let (end, turned) = (graph.merge(one, other), graph.merge(other, one));
        let tree = graph.commits[end].0.clone();
        prop_assert_eq!(&tree, &graph.commits[turned].0);
        let both = graph.merge(end, turned);
        prop_assert_eq!(&tree, &graph.commits[both].0);
        for head in heads {
            let head = graph.merge(head, end);
            prop_assert_eq!(&tree, &graph.commits[head].0);
        }
        let texts = graph.blobs.texts(&tree);
        prop_assert!(is_valid(&texts), "{:#?}", texts);
    }
}

/// Commits, each with a tree and a bit for itself and for each commit before it.
#[derive(Default)]
struct Graph {
    blobs: Blobs,
    commits: Vec<(Files, u128)>,
}

impl Graph {
    fn commit(&mut self, store: &Texts, parent: usize) -> usize {
        let tree = files(&mut self.blobs, store);
        self.push(tree, self.commits[parent].1)
    }

    fn push(&mut self, tree: Files, before: u128) -> usize {
        let at = self.commits.len();
        self.commits.push((tree, before | (1 << at)));
        at
    }

    fn merge(&mut self, one: usize, other: usize) -> usize {
        let (of_one, of_other) = (self.commits[one].1, self.commits[other].1);
        if of_one & of_other == of_other {
            return one;
        }
        if of_one & of_other == of_one {
            return other;
        }
        let common = of_one & of_other;
        let bases: Vec<usize> = (0..self.commits.len())
            .filter(|at| common >> at & 1 == 1)
            .filter(|at| {
                let later = |other: usize| {
                    other != *at && common >> other & 1 == 1 && self.commits[other].1 >> at & 1 == 1
                };
                !(0..self.commits.len()).any(later)
            })
            .collect();
        let mut base = bases[0];
        for next in &bases[1..] {
            base = self.merge(base, *next);
        }
        let [base, one, other] = [base, one, other].map(|at| self.commits[at].0.clone());
        let (tree, _) = self.blobs.merged(&base, &one, &other);
        self.push(tree, of_one | of_other)
    }
}
