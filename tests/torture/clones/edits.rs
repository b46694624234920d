//! The edits of everybody who has a store open: each is small, and any of them may meet any other.

use std::path::{Path, PathBuf};

use crate::env::Chance;
use crate::torture::one_of;

/// The folders that a memory is made in, or moved to.
const FOLDERS: [&str; 9] = [
    "system",
    "feedback",
    "decision",
    "project",
    "reference",
    "user",
    "archive",
    "notes",
    "notes/deep",
];
const TAGS: [&str; 5] = ["npm", "ci", "release", "日本", "dotted.tag"];
/// So few memories are never deleted: a store that loses most of them asks the person first.
const FEWEST: usize = 9;

/// Somebody who edits the files of a store.
pub(super) struct Editor<'c> {
    pub(super) root: &'c Path,
    pub(super) chance: &'c mut Chance,
    /// RFC 3339.
    pub(super) now: String,
}

impl Editor<'_> {
    /// One edit of any kind.
    pub(super) fn edit(&mut self) {
        let memories = memories(self.root);
        let number = self.chance.below(100);
        if memories.len() < 4 || number < 13 {
            return self.create();
        }
        let path = one_of(self.chance, &memories).clone();
        let name = path.to_str().unwrap();
        let is_sibling = name.contains(".conflict-");
        match number {
            13..29 => self.edit_body(&path),
            29..38 => self.edit_first_line(&path),
            38..46 => self.reinforce(&path),
            46..53 => self.retag(&path),
            53..58 => self.turn(&path, "readonly", "true"),
            58..62 => self.turn(&path, "status", "superseded"),
            62..67 if !is_sibling => self.rename(&path),
            67..72 if !is_sibling => self.relocate(&path),
            72..74 if !is_sibling => self.copy(&path),
            74..79 if memories.len() > FEWEST => std::fs::remove_file(self.root.join(&path)).unwrap(),
            79..81 => self.turn_line_endings(&path),
            81..83 => self.comment(&path),
            83..87 => self.describe(&path),
            87..90 => self.set(),
            90..93 => self.edit_text("PROTOCOL.md"),
            93..95 => self.edit_text("README.md"),
            95..98 => self.draw(),
            _ => self.create(),
        }
    }

    fn read(&self, path: &Path) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    fn write(&self, path: &Path, text: &str) {
        crate::env::write_at(&self.root.join(path), text);
    }

    fn name(&mut self) -> String {
        let sentence = self.chance.sentence();
        let words: Vec<&str> = sentence.split(' ').take(2).collect();
        words.join("-")
    }

    fn id(&mut self) -> String {
        let (one, two) = (self.chance.next(), self.chance.next());
        format!("mem_{one:016x}{two:08x}")
    }

    fn create(&mut self) {
        let folder = *one_of(self.chance, &FOLDERS);
        let path = PathBuf::from(format!("{folder}/{}.md", self.name()));
        let lines = 1 + self.chance.below(6).saturating_sub(self.chance.below(3));
        let mut text = String::new();
        for _ in 0..lines {
            text += &self.chance.sentence();
            text += ".\n";
        }
        if self.chance.below(10) < 8 {
            let id = self.id();
            let now = &self.now;
            let mut front = format!("id: {id}\ncreated: {now}\n");
            if self.chance.below(3) == 0 {
                front.push_str("tags: [npm, ci]\n");
            }
            if self.chance.below(5) == 0 {
                front.push_str("# by hand\nreadonly: true\n");
            }
            if self.chance.below(6) == 0 {
                front.push_str("owner:\n  name: Ada\n  rooms: [1, 2]\n");
            }
            text = format!("---\n{front}---\n{text}");
        }
        if self.chance.below(12) == 0 {
            text = text.replace('\n', "\r\n");
        }
        self.write(&path, &text);
    }

    /// A line of the text is changed, comes, or goes.
    fn edit_body(&mut self, path: &Path) {
        let (front, body) = self.parts(path);
        let mut lines: Vec<String> = body.lines().map(str::to_owned).collect();
        let at = usize::try_from(self.chance.below(lines.len() as u64 + 1)).unwrap();
        let line = format!("{}.", self.chance.sentence());
        match self.chance.below(4) {
            0 if lines.len() > 2 && at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at] = line,
            _ => lines.insert(at, line),
        }
        self.save(path, &front, &lines);
    }

    /// The line that everybody edits.
    fn edit_first_line(&mut self, path: &Path) {
        let (front, body) = self.parts(path);
        let mut lines: Vec<String> = body.lines().map(str::to_owned).collect();
        let line = format!("{}.", self.chance.sentence());
        match lines.first_mut() {
            Some(first) => *first = line,
            None => lines.push(line),
        }
        self.save(path, &front, &lines);
    }

    /// The lines of the frontmatter without its marks, and the text.
    fn parts(&self, path: &Path) -> (Vec<String>, String) {
        let text = self.read(path);
        let (front, body) = super::oracle::split(&text);
        let front = front.unwrap_or_default();
        (front.lines().map(str::to_owned).collect(), body.to_owned())
    }

    fn save(&self, path: &Path, front: &[String], body: &[String]) {
        let is_crlf = self.read(path).contains("\r\n");
        let mut text = String::new();
        if !front.is_empty() {
            text = format!("---\n{}\n---\n", front.join("\n"));
        }
        text.extend(body.iter().map(|line| format!("{line}\n")));
        if is_crlf {
            text = text.replace('\n', "\r\n");
        }
        self.write(path, &text);
    }

    /// Changes the lines of the frontmatter.
    fn front(&self, path: &Path, change: impl FnOnce(&mut Vec<String>)) {
        let (mut front, body) = self.parts(path);
        change(&mut front);
        let body: Vec<String> = body.lines().map(str::to_owned).collect();
        self.save(path, &front, &body);
    }

    fn reinforce(&mut self, path: &Path) {
        let now = self.now.clone();
        self.front(path, |front| {
            let count: u32 = value(front, "reinforcement").map_or(0, |n| n.parse().unwrap());
            put(front, "reinforcement", &(count + 1).to_string());
            put(front, "reinforced", &now);
            put(front, "clock", &now);
        });
    }

    fn retag(&mut self, path: &Path) {
        let tag = *one_of(self.chance, &TAGS);
        self.front(path, |front| {
            let stated = value(front, "tags").unwrap_or_default();
            if stated.is_empty() && front.iter().any(|line| line.starts_with("tags:")) {
                // A list of several lines.
                return;
            }
            let mut tags: Vec<&str> = stated
                .trim_matches(['[', ']'])
                .split(", ")
                .filter(|tag| !tag.is_empty())
                .collect();
            match tags.iter().position(|other| *other == tag) {
                Some(at) => drop(tags.remove(at)),
                None => tags.push(tag),
            }
            let tags = format!("[{}]", tags.join(", "));
            put(front, "tags", &tags);
        });
    }

    /// Says it, or takes it back.
    fn turn(&self, path: &Path, key: &str, said: &str) {
        self.front(path, |front| match value(front, key) {
            Some(_) => front.retain(|line| !line.starts_with(&format!("{key}:"))),
            None => put(front, key, said),
        });
    }

    fn rename(&mut self, path: &Path) {
        let to = path.with_file_name(format!("{}.md", self.name()));
        self.bring(path, &to);
    }

    fn relocate(&mut self, path: &Path) {
        let to = Path::new(*one_of(self.chance, &FOLDERS)).join(path.file_name().unwrap());
        self.bring(path, &to);
    }

    fn bring(&self, from: &Path, to: &Path) {
        let (from, to) = (self.root.join(from), self.root.join(to));
        if !to.exists() {
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::rename(from, to).unwrap();
        }
    }

    /// As people do: a file that is like another one; most with an id and words of its own.
    fn copy(&mut self, path: &Path) {
        let to = path.with_file_name(format!("copy-of-{}.md", self.name()));
        if self.chance.below(3) == 0 {
            std::fs::copy(self.root.join(path), self.root.join(to)).unwrap();
            return;
        }
        let id = self.id();
        let (mut front, body) = self.parts(path);
        if value(&front, "id").is_some() {
            put(&mut front, "id", &id);
        }
        let mut body: Vec<String> = body.lines().map(str::to_owned).collect();
        body.push(format!("{}.", self.chance.sentence()));
        self.save(&to, &front, &body);
    }

    fn turn_line_endings(&self, path: &Path) {
        let text = self.read(path);
        let text = if text.contains("\r\n") {
            text.replace("\r\n", "\n")
        } else {
            text.replace('\n', "\r\n")
        };
        self.write(path, &text);
    }

    fn comment(&mut self, path: &Path) {
        let word = self.chance.sentence();
        self.front(path, |front| {
            if !front.is_empty() {
                front.insert(0, format!("# {word}"));
            }
        });
    }

    fn describe(&mut self, path: &Path) {
        let sentence = self.chance.sentence();
        let key = *one_of(self.chance, &["description", "importance", "ticket"]);
        let said = match key {
            "importance" => *one_of(self.chance, &["low", "high"]),
            _ => &sentence,
        };
        self.front(path, |front| put(front, key, said));
    }

    fn set(&mut self) {
        let path = Path::new("mdmem.toml");
        let mut settings: toml_edit::DocumentMut = self.read(path).parse().unwrap();
        let (table, key) = *one_of(
            self.chance,
            &[
                ("render", "max_chars"),
                ("render", "max_entries"),
                ("hot", "max_chars"),
                ("hot", "files"),
            ],
        );
        settings[table][key] = toml_edit::value(i64::try_from(10 + self.chance.below(90)).unwrap());
        self.write(path, &settings.to_string());
    }

    fn edit_text(&mut self, path: &str) {
        let path = Path::new(path);
        let mut lines: Vec<String> = self.read(path).lines().map(str::to_owned).collect();
        let at = usize::try_from(self.chance.below(lines.len() as u64 + 1)).unwrap();
        lines.insert(at, self.chance.sentence());
        self.write(path, &(lines.join("\n") + "\n"));
    }

    /// A picture that the notes show.
    fn draw(&mut self) {
        let path = format!("notes/picture-{}.png", self.chance.below(4));
        let number = self.chance.next().to_be_bytes();
        let bytes = [b"\x89PNG\r\n\x1a\n\0\0".as_slice(), &number].concat();
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

fn value<'f>(front: &'f [String], key: &str) -> Option<&'f str> {
    let mut values = front.iter().filter_map(|line| line.strip_prefix(key));
    values.find_map(|rest| Some(rest.strip_prefix(':')?.trim()))
}

fn put(front: &mut Vec<String>, key: &str, said: &str) {
    let line = format!("{key}: {said}");
    let is_it = |line: &String| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    match front.iter().position(is_it) {
        Some(at) => front[at] = line,
        None => front.push(line),
    }
}

/// The memories of a store, sorted.
pub(super) fn memories(root: &Path) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(root).sort_by_file_name();
    let is_own =
        |entry: &walkdir::DirEntry| ![".git", ".mdmem"].iter().any(|name| entry.file_name() == *name);
    let files = files.into_iter().filter_entry(is_own).map(Result::unwrap);
    let paths = files.filter(|entry| entry.file_type().is_file());
    let paths = paths.map(|entry| entry.path().strip_prefix(root).unwrap().to_owned());
    paths.filter(|path| super::oracle::is_memory(path)).collect()
}
