//! The files that the store's own `.gitignore` leaves out, by git's word.
//!
//! libgit2 reads the plainest rules as git does. It differs on `!`, on escapes and on white space, and takes a file back
//! in below a folder that is left out: a rule that is not plain is read by git itself.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::unfit::unreadable;
use super::work_file::read_regular;
use super::{GitError, Repo, Unfit};

/// The way to find out what the rules of one file say.
#[derive(Clone)]
enum Rules {
    /// By libgit2: there are none, or plain ones.
    Plain,
    /// By git.
    ForGit,
    /// Not at all, for this reason.
    Unclear(Unfit),
}

impl Rules {
    fn read(file: &Path) -> Self {
        if let Some(why) = unreadable(file) {
            return Self::Unclear(why);
        }
        // A folder in its place says nothing, and git follows no link.
        let text = read_regular(file).ok().flatten().unwrap_or_default();
        if file.is_symlink() || !text.split(|byte| *byte == b'\n').all(is_plain) {
            return Self::ForGit;
        }
        Self::Plain
    }
}

/// Says whether libgit2 reads a line as git does.
fn is_plain(line: &[u8]) -> bool {
    let mut before = b' ';
    let is_plain = |byte: &u8| {
        let before = std::mem::replace(&mut before, *byte);
        let is_escape = before == b'\\' && *byte != b'#';
        let is_star = before == b'*' && *byte == b'*';
        !is_escape && !is_star && (byte.is_ascii_alphanumeric() || b".-_~?#/*\\".contains(byte))
    };
    line.starts_with(b"#") || (line.iter().all(is_plain) && !line.ends_with(b"\\"))
}

impl Repo {
    /// Those of the paths that `.gitignore` (or `.git/info/exclude`) leaves out, or may leave out, each with its
    /// reason. A person's global ignore file does not count: what travels must not depend on who saves. A path need
    /// not be there. A folder in the place of `.gitignore` leaves out nothing.
    pub fn ignored_paths<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<BTreeMap<PathBuf, Unfit>, GitError> {
        let exclude = self.git_dir.join("info/exclude");
        let mut read: HashMap<PathBuf, Rules> = HashMap::new();
        let mut ignored = BTreeMap::new();
        let mut for_git = BTreeMap::new();
        for path in paths {
            let folders = path.ancestors().skip(1);
            let files = folders.map(|folder| self.root.join(folder).join(".gitignore"));
            let mut left_to_git = None;
            for file in files.chain([exclude.clone()]) {
                let rules = read.entry(file.clone()).or_insert_with(|| Rules::read(&file));
                match rules.clone() {
                    Rules::Plain => {}
                    Rules::ForGit => left_to_git = Some(file),
                    Rules::Unclear(why) => {
                        ignored.insert(path.to_owned(), why);
                    }
                }
            }
            if ignored.contains_key(path) {
                // Neither libgit2 nor git may open the file: they would wait for who writes into a fifo.
            } else if let Some(file) = left_to_git {
                for_git.insert(path, file);
            } else if self
                .git
                .is_path_ignored(path)
                .map_err(|e| self.failed("read .gitignore", &e))?
            {
                ignored.insert(path.to_owned(), Unfit::Ignored);
            }
        }
        match self.check_ignore(for_git.keys().copied()) {
            Ok(found) => ignored.extend(found.into_iter().map(|path| (path, Unfit::Ignored))),
            Err(error) => ignored.extend(for_git.into_iter().map(|(path, file)| {
                let cause = format!("git was asked what it says: {error}");
                (path.to_owned(), Unfit::Unclear { file, cause })
            })),
        }
        Ok(ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Numbers, Scratch};
    use super::*;

    const FILES: [&str; 18] = [
        "top.md",
        "decision/a.md",
        "decision/b c.md",
        "decision/p/a.md",
        "decision/p/q/a.md",
        "decision/p/q/z[1].md",
        "decision/p/q/tr .md",
        "decision/p/\u{e9}.md",
        "project/A.md",
        "project/-x.md",
        "project/x!y.md",
        "project/#h.md",
        "project/#h#",
        "project/~.md",
        ":(glob)project/x.md",
        ":!x.md",
        "project/priv/n.md",
        "project/back.txt.md",
    ];

    /// Rules that libgit2 is asked about.
    const PLAIN: [&str; 36] = [
        "a.md",
        "*.md",
        "p",
        "q",
        "p/",
        "p/q",
        "decision",
        "decision/",
        "/decision",
        "/a.md",
        "priv",
        "priv/",
        "b?c.md",
        "z*",
        "*",
        "p/*",
        "q/*",
        "A.md",
        "\\#h.md",
        "\\#*\\#",
        "#h.md",
        "*/a.md",
        "*/*/a.md",
        "*.txt.md",
        "project/priv",
        "priv/*.md",
        "?.md",
        "p/q/",
        "/p",
        "project/*",
        "-x.md",
        "dec*/p",
        "/",
        "*~",
        "~.md",
        "",
    ];

    /// Rules that git is asked about.
    const OTHER: [&str; 26] = [
        "p/**",
        "**/q",
        "**/a.md",
        "b c.md",
        "b\\ c.md",
        "z[[]1].md",
        "z\\[1\\].md",
        "[a-c]*",
        "[!a]*.md",
        "**",
        "/**",
        "\u{e9}.md",
        "x!y.md",
        "\\!x",
        "p/**/a.md",
        "tr .md",
        "tr\\ .md",
        "priv/**",
        "[[:upper:]].md",
        "**/p/**",
        "***",
        "a.md ",
        "a.md\\ ",
        "*.md\t",
        "d**/a.md",
        "a.md\\",
    ];

    #[test]
    fn says_what_git_says() {
        let (scratch, _) = Scratch::with_repo();
        let mut numbers = Numbers(0x5eed_0010);
        for file in FILES {
            scratch.write(file, "text\n");
        }
        let list = scratch.root().join(".git/list");
        scratch.write(".git/list", &FILES.map(|file| format!("./{file}\0")).concat());
        let mut are_asked = 0;
        for round in 0..240 {
            let mut rules = Vec::new();
            for place in [
                ".gitignore",
                "decision/.gitignore",
                "decision/p/.gitignore",
                "project/.gitignore",
            ] {
                let mut text = String::new();
                for _ in 0..numbers.below(4) {
                    let is_plain = round % 2 == 0 || numbers.below(2) == 0;
                    let negated = if !is_plain && numbers.below(2) == 0 {
                        "!"
                    } else {
                        ""
                    };
                    let rule = numbers.one_of(if is_plain { &PLAIN[..] } else { &OTHER });
                    let end = if round % 2 == 1 && numbers.below(8) == 0 {
                        "\r\n"
                    } else {
                        "\n"
                    };
                    text.extend([negated, rule, end]);
                }
                if round % 4 == 3 && !text.is_empty() {
                    text.push_str("!*.md\n");
                }
                scratch.write(place, &text);
                are_asked += usize::from(!text.split('\n').all(|line| is_plain(line.as_bytes())));
                rules.push((place, text));
            }
            // Opened anew: libgit2 keeps rules that were written within a tick of the clock.
            let repo = Repo::open(&scratch.root()).unwrap();
            let ignored = repo.ignored_paths(FILES.map(Path::new)).unwrap();
            let mut command = scratch.command(&["check-ignore", "-z", "--stdin", "--no-index"]);
            let asked = command
                .stdin(std::fs::File::open(&list).unwrap())
                .output()
                .unwrap();
            let git = String::from_utf8(asked.stdout).unwrap();
            for file in FILES {
                let known = ignored.get(Path::new(file));
                assert!(known.is_none_or(|why| *why == Unfit::Ignored), "{known:?}");
                let by_git = git.split('\0').any(|path| path.strip_prefix("./") == Some(file));
                assert_eq!(known.is_some(), by_git, "{round}: {file} by {rules:#?}");
            }
        }
        assert!((100..500).contains(&are_asked), "{are_asked}");
    }

    #[test]
    fn the_rules_of_a_new_store_are_plain() {
        let text = include_str!("../../templates/store/gitignore");
        assert!(text.split('\n').all(|line| is_plain(line.as_bytes())));
    }

    #[test]
    fn rules_that_cannot_be_read_leave_out_what_they_may_be_about() {
        let (scratch, repo) = Scratch::with_repo();
        std::fs::create_dir(scratch.root().join("private")).unwrap();
        let fifo = scratch.root().join("private/.gitignore");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, mode).unwrap();
        let paths = ["private/a.md", "private/in/it.md", "open/a.md"].map(Path::new);
        let ignored = repo.ignored_paths(paths).unwrap();
        let is_unclear =
            |path: &Path| matches!(ignored.get(path), Some(Unfit::Unclear { file, .. }) if *file == fifo);
        assert_eq!(paths.map(is_unclear), [true, true, false]);
    }
}
