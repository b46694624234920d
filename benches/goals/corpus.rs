//! Memories as agents and people write them, laid out as mdmem lays them out.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use mdmem::text::slug;

use crate::random::Random;

const KINDS: [&str; 5] = ["feedback", "decision", "project", "reference", "user"];
const SOURCES: [&str; 3] = ["explicit", "manual", "compaction"];
const VERBS: [&str; 12] = [
    "Use", "Avoid", "Prefer", "Keep", "Run", "Check", "Rename", "Document", "Cache", "Retry", "Split", "Pin",
];
const THINGS: [&str; 24] = [
    "the npm cache",
    "integration tests",
    "feature flags",
    "the staging database",
    "error messages",
    "log levels",
    "the plugin loader",
    "API tokens",
    "the release branch",
    "schema migrations",
    "the build matrix",
    "retries",
    "the worker queue",
    "snapshot tests",
    "the config parser",
    "date handling",
    "the search index",
    "pagination",
    "the file watcher",
    "code owners",
    "the change log",
    "background jobs",
    "the linter",
    "memory limits",
];
const PLACES: [&str; 16] = [
    "in the client",
    "for plugin loading",
    "on CI",
    "before each release",
    "in `src/host/serve.rs`",
    "behind the proxy",
    "when the cache is cold",
    "under load",
    "in every package",
    "for European users",
    "on macOS",
    "in docs/setup.md",
    "since version 4",
    "for large workspaces",
    "in the nightly build",
    "after a rebase",
];
const REASONS: [&str; 8] = [
    "it breaks peer dependencies",
    "the last incident came from there",
    "reviewers asked for it",
    "it halves the time",
    "the vendor no longer supports the other way",
    "two teams depend on it",
    "it was decided in the planning",
    "it is safer",
];
const OTHER: [&str; 6] = [
    "使用 npm 快取載入外掛",
    "テストは本番のデータベースを使わない",
    "Bitte keine Abkürzungen in Meldungen",
    "nächste Version im März",
    "回答は短く、結論から",
    "不要提交產生的檔案",
];

/// A file of a store.
pub(crate) struct File {
    /// Its path below the store.
    pub(crate) path: String,
    /// Its bytes.
    pub(crate) text: String,
}

/// From so many files in a type on, new ones go to a folder by month (file-format.md, names).
const FLAT: usize = 1000;

/// So many memories, spread evenly over the types and over the last two years.
pub(crate) fn files(count: usize) -> Vec<File> {
    let mut random = Random::new(7);
    let mut taken = HashSet::new();
    let mut in_kind: HashMap<&str, usize> = HashMap::new();
    (0..count)
        .map(|number| {
            let kind = KINDS[number % KINDS.len()];
            let body = body(&mut random, number);
            let age_days = (count - number) * 700 / count;
            let created = chrono::DateTime::from_timestamp(1_795_000_000, 0).unwrap()
                - chrono::Duration::days(i64::try_from(age_days).unwrap());
            let so_far = in_kind.entry(kind).or_default();
            let folder = if *so_far > FLAT {
                format!("{kind}/{}", created.format("%Y-%m"))
            } else {
                kind.to_owned()
            };
            *so_far += 1;
            let stem = slug(body.lines().next().unwrap_or_default());
            let mut path = format!("{folder}/{stem}.md");
            if !taken.insert(path.clone()) {
                path = format!("{folder}/{stem}-{number}.md");
                taken.insert(path.clone());
            }
            File {
                path,
                text: document(&mut random, number, kind, created, &body),
            }
        })
        .collect()
}

/// So many notes of some paragraphs in folders of no type, as a vault of somebody's has them.
pub(crate) fn notes(count: usize) -> Vec<File> {
    let mut random = Random::new(11);
    let note = |number: usize| File {
        path: format!("notes/topic-{:02}/note-{number}.md", number % 60),
        text: format!(
            "# Note {number}\n\n{}\n\n{}\n",
            paragraph(&mut random, number),
            paragraph(&mut random, number)
        ),
    };
    (0..count).map(note).collect()
}

fn document(
    random: &mut Random,
    number: usize,
    kind: &str,
    created: chrono::DateTime<chrono::Utc>,
    body: &str,
) -> String {
    // One file in eight was written by hand, without a word about itself.
    if number % 8 == 3 {
        return format!("{body}\n");
    }
    let id = format!(
        "mem_{}",
        ulid::Ulid::from_parts(u64::try_from(created.timestamp_millis()).unwrap(), number as u128)
    );
    let source = random.pick(&SOURCES);
    let created = created.format("%Y-%m-%dT%H:%M:%SZ");
    let reinforced = match random.below(5) {
        0 => format!("reinforcement: {}\nreinforced: {created}\n", 1 + random.below(6)),
        _ => String::new(),
    };
    format!("---\nid: {id}\ntype: {kind}\nsource: {source}\ncreated: {created}\n{reinforced}---\n{body}\n")
}

fn body(random: &mut Random, number: usize) -> String {
    let sentence = sentence(random, number);
    match random.below(10) {
        0 => format!(
            "# {sentence}\n\n{}\n\n{}",
            paragraph(random, number),
            paragraph(random, number)
        ),
        1..=4 => format!("{sentence}\n\nWhy: {}.", random.pick(&REASONS)),
        _ => sentence,
    }
}

fn sentence(random: &mut Random, number: usize) -> String {
    let (verb, thing, place) = (random.pick(&VERBS), random.pick(&THINGS), random.pick(&PLACES));
    match random.below(12) {
        0 => format!("{} ({number})", random.pick(&OTHER)),
        1 => format!(
            "The notes about {thing} are at https://wiki.example.org/{number}/{}",
            slug(thing)
        ),
        2 => format!(
            "{verb} {thing} as in src/module{}/part{number}.ts {place}",
            number % 97
        ),
        // Now and then the same is said twice.
        3 => format!("{verb} {thing} {place}"),
        _ => format!("{verb} {thing} {place}, rule {number}"),
    }
}

fn paragraph(random: &mut Random, number: usize) -> String {
    let sentences: Vec<String> = (0..3).map(|_| sentence(random, number)).collect();
    format!("{}.", sentences.join(". "))
}

/// Writes files below a folder.
pub(crate) fn write(folder: &Path, files: &[File]) {
    for file in files {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
}
