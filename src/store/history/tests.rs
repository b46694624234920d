//! A fold that goes on from a mark, and one that the cache kept.

use super::*;

/// A repository in which commits are made by hand, each with one file more.
struct Commits {
    folder: tempfile::TempDir,
    git: git2::Repository,
}

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

    /// A commit that adds a file of this name, which no other commit has.
    fn add(&self, name: &str, parents: &[Oid]) -> Oid {
        let find = |oid: &Oid| {
            self.git
                .find_commit(git2::Oid::from_bytes(&oid.0).unwrap())
                .unwrap()
        };
        let parents: Vec<_> = parents.iter().map(find).collect();
        let trees: Vec<_> = parents.iter().map(|parent| parent.tree().unwrap()).collect();
        let mut tree = self.git.treebuilder(trees.first()).unwrap();
        for entry in trees.iter().flat_map(git2::Tree::iter) {
            tree.insert(entry.name().unwrap(), entry.id(), entry.filemode())
                .unwrap();
        }
        tree.insert(
            format!("{name}.md"),
            self.git.blob(name.as_bytes()).unwrap(),
            0o100_644,
        )
        .unwrap();
        let tree = self.git.find_tree(tree.write().unwrap()).unwrap();
        let author = git2::Signature::new("a", "a@example.org", &git2::Time::new(1_700_000_000, 0)).unwrap();
        let parents: Vec<_> = parents.iter().collect();
        let oid = self
            .git
            .commit(None, &author, &author, name, &tree, &parents)
            .unwrap();
        Oid(oid.as_bytes().try_into().unwrap())
    }

    fn line(&self, name: &str, mut head: Vec<Oid>, commits: u32) -> Vec<Oid> {
        let mut line = Vec::new();
        for number in 0..commits {
            head = vec![self.add(&format!("{name}{number}"), &head)];
            line.extend(&head);
        }
        line
    }
}

fn folded(repo: &Repo, head: Oid) -> History {
    let mut history = History::default();
    history.follow(repo, head).unwrap();
    history
}

#[test]
fn another_line_is_folded_from_the_last_mark_before_it_and_comes_to_the_same() {
    let commits = Commits::new();
    let repo = commits.repo();
    let line = commits.line("ours", Vec::new(), 5 * BETWEEN_MARKS);
    let head = *line.last().unwrap();
    let history = folded(&repo, head);
    let lengths: Vec<u32> = history.marks.iter().map(|(_, state)| state.length).collect();
    assert_eq!(lengths, [2, 3, 4, 5].map(|mark| mark * BETWEEN_MARKS));
    let bytes = history.to_bytes("stamp").unwrap();
    let mut kept = History::from_bytes(bytes.clone(), "stamp").unwrap();
    assert_eq!(
        (kept.head, &kept.derived, &kept.marks),
        (history.head, &history.derived, &history.marks)
    );

    // Another machine went on where the third mark was not long ago.
    let fork = line[3 * BETWEEN_MARKS as usize + 10];
    let other = *commits.line("theirs", vec![fork], 3).last().unwrap();
    let merge = commits.add("merge", &[head, other]);
    let steps = kept.follow(&repo, merge).unwrap();
    assert!(steps < BETWEEN_MARKS as usize, "{steps}");
    let anew = folded(&repo, merge);
    assert_eq!(kept.derived, anew.derived);
    assert_eq!(kept.derived.activities().len(), line.len() + 4);

    // Back on the first line, and on a line of its own, from which no mark can be reached.
    kept.follow(&repo, fork).unwrap();
    assert_eq!(kept.derived, folded(&repo, fork).derived);
    let alone = commits.add("alone", &[]);
    kept.follow(&repo, alone).unwrap();
    assert_eq!(
        (&kept.derived, kept.marks),
        (&folded(&repo, alone).derived, Vec::new())
    );
}

#[test]
fn bytes_that_changed_or_were_made_by_something_else_are_no_history() {
    let commits = Commits::new();
    let history = folded(
        &commits.repo(),
        *commits.line("ours", Vec::new(), 3).last().unwrap(),
    );
    let bytes = history.to_bytes("stamp").unwrap();
    assert!(History::from_bytes(bytes.clone(), "stamp").is_some());
    assert!(History::from_bytes(bytes.clone(), "another").is_none());
    for at in 0..bytes.len() {
        assert!(
            History::from_bytes(bytes[..at].to_vec(), "stamp").is_none(),
            "torn at {at}"
        );
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(History::from_bytes(changed, "stamp").is_none(), "changed at {at}");
    }
}

#[test]
fn it_knows_what_changed_since_the_files_were_filled_in() {
    let commits = Commits::new();
    let repo = commits.repo();
    let line = commits.line("ours", Vec::new(), 3);
    let mut history = folded(&repo, line[1]);
    assert_eq!(history.changed_since(Some(line[1])), None);
    assert_eq!(history.file(), Some(line[1]));
    assert_eq!(history.changed_since(Some(line[1])), Some(BTreeSet::new()));
    history.follow(&repo, line[2]).unwrap();
    let name = |history: &History| {
        let changed = history.changed_since(Some(line[1]))?;
        changed.into_iter().map(str::to_owned).next()
    };
    let changed = name(&history);
    assert!(changed.is_some());
    let kept = History::from_bytes(history.to_bytes("stamp").unwrap(), "stamp").unwrap();
    assert_eq!(name(&kept), changed);
    assert_eq!(kept.changed_since(Some(line[0])), None);
    assert_eq!(kept.changed_since(None), None);
}
