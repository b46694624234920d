//! What the history says, over commits that are made by hand.

use super::*;

/// A repository, and the trees of its commits.
struct Commits {
    folder: tempfile::TempDir,
    git: git2::Repository,
}

/// The files of a commit, by name.
type Files = [(&'static str, &'static str)];

impl Commits {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Repo::init(folder.path()).unwrap();
        let git = git2::Repository::open(folder.path()).unwrap();
        Self { folder, git }
    }

    fn repo(&self) -> Repo {
        Repo::open(self.folder.path()).unwrap()
    }

    /// A commit with these files, made at this second.
    fn commit(&self, second: i64, message: &str, parents: &[Oid], files: &Files) -> Oid {
        let find = |oid: &Oid| {
            self.git
                .find_commit(git2::Oid::from_bytes(&oid.0).unwrap())
                .unwrap()
        };
        let parents: Vec<_> = parents.iter().map(find).collect();
        let mut tree = self.git.treebuilder(None).unwrap();
        for (name, text) in files {
            tree.insert(name, self.git.blob(text.as_bytes()).unwrap(), 0o100_644)
                .unwrap();
        }
        let tree = self.git.find_tree(tree.write().unwrap()).unwrap();
        let author = git2::Signature::new("a", "a@example.org", &git2::Time::new(second, 0)).unwrap();
        let parents: Vec<_> = parents.iter().collect();
        let oid = self.git.commit(None, &author, &author, message, &tree, &parents);
        Oid(oid.unwrap().as_bytes().try_into().unwrap())
    }

    /// Commits one after another, a second apart: the message, and the files.
    fn line(&self, commits: &[(&str, &Files)]) -> Vec<Oid> {
        let mut line: Vec<Oid> = Vec::new();
        for (second, (message, files)) in (1..).zip(commits) {
            line.push(self.commit(second, message, &line[line.len().saturating_sub(1)..], files));
        }
        line
    }

    fn history(&self, head: Oid) -> History {
        let mut history = History::default();
        history.follow(&self.repo(), head).unwrap();
        history
    }

    /// When a file was created and when its text changed, in seconds.
    fn times(&self, commits: &[(&str, &Files)], path: &str) -> Option<(i64, i64)> {
        let head = *self.line(commits).last().unwrap();
        let file = self.history(head).file(path)?;
        Some((seconds(file.created), seconds(file.updated)))
    }
}

const A: &str = "Use the npm cache for plugins.\n";
const B: &str = "Use pnpm and nothing else, for plugins too.\n";
const UNDO: &str = "undo\n\nMdmem-Op: undo";

#[test]
fn a_rename_keeps_the_times_and_leaves_a_former_path_each_once() {
    let commits = Commits::new();
    let moved: &[(&str, &Files)] = &[("", &[("a.md", A)]), ("", &[("b.md", A)]), ("", &[("b.md", B)])];
    assert_eq!(commits.times(moved, "b.md"), Some((1, 3)));
    assert_eq!(commits.times(moved, "a.md"), None);
    let back_and_forth: &[(&str, &Files)] = &[
        ("", &[("a.md", A)]),
        ("", &[("b.md", A)]),
        ("", &[("a.md", A)]),
        ("", &[("c.md", A)]),
    ];
    let head = *commits.line(back_and_forth).last().unwrap();
    assert_eq!(
        commits.history(head).file("c.md").unwrap().former,
        ["b.md", "a.md"]
    );
}

#[test]
fn another_file_where_one_moved_away_is_as_young_as_it_is() {
    let commits = Commits::new();
    let moved: &[(&str, &Files)] = &[
        ("", &[("a.md", A)]),
        ("", &[("b.md", A)]),
        ("", &[("a.md", B), ("b.md", A)]),
    ];
    assert_eq!(commits.times(moved, "a.md"), Some((3, 3)));
    assert_eq!(commits.times(moved, "b.md"), Some((1, 1)));
}

#[test]
fn a_file_that_comes_back_is_the_same_file() {
    let commits = Commits::new();
    let back: &[(&str, &Files)] = &[("", &[("a.md", A)]), ("", &[]), ("", &[("a.md", A)])];
    assert_eq!(commits.times(back, "a.md"), Some((1, 1)));
    let other: &[(&str, &Files)] = &[("", &[("a.md", A)]), ("", &[]), ("", &[("a.md", B)])];
    assert_eq!(commits.times(other, "a.md"), Some((1, 3)));
}

#[test]
fn an_undo_gives_a_text_its_age_back_and_who_types_it_again_does_not() {
    let commits = Commits::new();
    let (a, b): (&Files, &Files) = (&[("a.md", A)], &[("a.md", B)]);
    let mut line = vec![("", a), ("", b), (UNDO, a)];
    assert_eq!(commits.times(&line, "a.md"), Some((1, 1)));
    line.push((UNDO, b));
    assert_eq!(commits.times(&line, "a.md"), Some((1, 2)));
    line.push(("", a));
    assert_eq!(commits.times(&line, "a.md"), Some((1, 5)));
}

#[test]
fn other_keys_are_no_other_text() {
    let commits = Commits::new();
    let counted = "---\nreinforcement: 1\n---\nUse the npm cache for plugins.\n";
    let line: &[(&str, &Files)] = &[("", &[("a.md", A)]), ("", &[("a.md", counted)])];
    assert_eq!(commits.times(line, "a.md"), Some((1, 1)));
}

#[test]
fn a_path_is_left_by_what_was_removed_or_moved_away() {
    let commits = Commits::new();
    let line = commits.line(&[
        ("", &[("a.md", A), ("b.md", B)]),
        ("", &[("b.md", B), ("c.md", A)]),
        ("", &[("d.md", A)]),
    ]);
    let history = commits.history(line[2]);
    let left = |path: &str| history.left(path).collect::<Vec<_>>();
    let oid = |text: &str| crate::git::hash_blob(text.as_bytes());
    for path in ["a.md", "A.md", "c.md"] {
        assert_eq!(left(path), [oid(A)], "{path}");
    }
    assert_eq!((left("b.md"), left("B.MD")), (vec![oid(B)], vec![oid(B)]));
    assert_eq!((left("d.md"), left("e.md")), (vec![], vec![]));
}

#[test]
fn the_order_in_which_lines_are_folded_makes_no_difference() {
    let commits = Commits::new();
    let base = commits.commit(10, "", &[], &[("a.md", A), ("b.md", B)]);
    // The one clock is behind, the other one ahead, and both lines have commits of one second.
    let moved = commits.commit(3, "", &[base], &[("c.md", A), ("b.md", B)]);
    let edited = commits.commit(
        3,
        "",
        &[moved],
        &[("c.md", "Use the npm cache for all plugins.\n"), ("b.md", B)],
    );
    let other = commits.commit(5000, "", &[base], &[("a.md", A), ("b.md", "Use yarn.\n")]);
    let again = commits.commit(12, "", &[other], &[("a.md", A)]);
    let files: &Files = &[("c.md", "Use the npm cache for all plugins.\n")];
    let merge = commits.commit(20, "", &[edited, again], files);
    let last = commits.commit(21, "", &[merge], files);
    let whole = commits.history(last);
    let repo = commits.repo();
    for ways in [
        vec![base, moved, edited, last],
        vec![other, again, last],
        vec![merge, last],
    ] {
        let mut history = History::default();
        for head in ways {
            history.follow(&repo, head).unwrap();
        }
        assert_eq!(history, whole);
    }
    let file = whole.file("c.md").unwrap();
    assert_eq!((seconds(file.created), seconds(file.updated)), (10, 3));
    assert_eq!(file.former, ["a.md"]);
    assert_eq!(whole.activities().len(), 7);
    // A rewritten history is walked anew, and an earlier commit is the part before it.
    let mut history = whole.clone();
    history.follow(&repo, edited).unwrap();
    assert_eq!(history, commits.history(edited));
    let blob = crate::git::hash_blob(files[0].1.as_bytes());
    let there = [("c.md", blob), ("b.md", crate::git::hash_blob(B.as_bytes()))];
    let until = whole.until(&repo, edited, there.into_iter()).unwrap();
    let known = |history: &History| {
        ["a.md", "b.md", "c.md"].map(|path| (history.file(path), history.head_blob(path)))
    };
    assert_eq!(known(&until), known(&history));
    assert_eq!(until.activities(), history.activities());
}

#[test]
fn a_file_that_the_other_line_has_where_this_one_moved_away_has_its_age() {
    let commits = Commits::new();
    let base = commits.commit(10, "", &[], &[("a.md", A)]);
    let replaced = commits.commit(20, "", &[base], &[("a.md", B)]);
    let moved = commits.commit(30, "", &[base], &[("c.md", A)]);
    let merge = commits.commit(40, "", &[replaced, moved], &[("a.md", B), ("c.md", A)]);
    let history = commits.history(merge);
    let times = |path: &str| {
        history
            .file(path)
            .map(|file| (seconds(file.created), seconds(file.updated)))
    };
    assert_eq!((times("a.md"), times("c.md")), (Some((10, 20)), Some((10, 10))));
}
