//! Measures how well the search answers: recall@5, MRR and nDCG@10 over the questions of `tests/eval/search` by their
//! kind, beside FTS5's own porter ranking and beside grep.
//!
//! `cargo run --example search_quality` prints the half of the questions to work with; `-- measured` prints the other
//! half, at which nobody looked while the ranking was made; `-- misses` lists what the first half misses. With the folder
//! of a sentence model behind that, and `--features semantic`, the model is asked too.

#![expect(clippy::print_stdout, reason = "it is a table for a person")]
#![expect(clippy::cast_precision_loss, reason = "there are hundreds of questions")]

use std::collections::BTreeMap;

use mdmem::model::{self, Content, Id, Kind, Moment, StorePath};
use mdmem::search::{Candidate, Near, Prints, Query, answer, parts, prints_of};
use mdmem::semantic::{Encoder, cosine, knows, rounded};

const SHOP: &str = include_str!("../tests/eval/search/shop.txt");
/// A memory has the day of its creation here.
const KINDS: &str = include_str!("../tests/eval/search/kinds.txt");
const OTHERS: &str = include_str!("../tests/eval/search/others.txt");

/// The paths that answer, the best first.
type Ask<'a> = &'a dyn Fn(&str) -> Vec<String>;

/// The kinds of questions by their letters in the files.
const CLASSES: [(char, &str); 13] = [
    ('*', "all with an answer"),
    ('!', "without an answer"),
    ('d', "direct"),
    ('p', "paraphrased"),
    ('c', "CJK"),
    ('t', "typo"),
    ('w', "typo among other words"),
    ('b', "beginning of a word"),
    ('i', "identifier"),
    ('s', "whole sentence"),
    ('m', "date or month"),
    ('o', "other words for it"),
    ('x', "another language"),
];

struct Memory {
    path: String,
    /// The day of its creation; empty where it is not known.
    created: String,
    text: String,
}

struct Question {
    class: char,
    text: String,
    /// The path of the memory that answers it; `None`: there is none.
    answer: Option<String>,
    is_measured: bool,
}

#[derive(Default)]
struct Score {
    questions: usize,
    recall: f64,
    mrr: f64,
    ndcg: f64,
    silent: usize,
}

fn main() {
    let (memories, questions) = read();
    let argument = std::env::args().nth(1).unwrap_or_default();
    let is_measured = argument == "measured";
    println!("{} memories, {} questions", memories.len(), questions.len());
    let plain = Plain::new(&memories);
    let known: Vec<_> = memories.iter().map(stored).collect();
    let model = std::env::args().nth(2).map(|folder| {
        let model = Encoder::open(folder.as_ref()).unwrap_or_else(|error| panic!("{error}"));
        let all: Vec<Vec<String>> = known.iter().map(|(memory, _)| parts(memory)).collect();
        let vectors = all.iter().map(|parts| vectors(&model, parts)).collect::<Vec<_>>();
        (model, vectors)
    });
    let near = |text: &str| {
        let Some((model, known)) = model.as_ref().filter(|_| knows(text)) else {
            return Vec::new();
        };
        let asked = vectors(model, &[text.to_owned()]).remove(0);
        let near = |parts: &Vec<Vec<i8>>| {
            let cosines = parts.iter().map(|part| cosine(&asked, part)).enumerate();
            let (part, cosine) = cosines.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
            Some(Near { cosine, part })
        };
        known.iter().map(near).collect()
    };
    let systems: [(&str, Ask<'_>); 3] = [
        ("mdmem", &|text| ours(&known, text, near(text))),
        ("FTS5 porter", &|text| plain.ask(text)),
        ("grep -i, most words first", &|text| grep(&memories, text)),
    ];
    for (name, ask) in systems {
        let mut scores: BTreeMap<char, Score> = BTreeMap::new();
        for question in questions
            .iter()
            .filter(|question| question.is_measured == is_measured)
        {
            let found = ask(&question.text);
            let rank = question
                .answer
                .as_ref()
                .and_then(|answer| found.iter().position(|path| path == answer));
            if argument == "misses"
                && name == "mdmem"
                && rank.is_none_or(|rank| rank > 4)
                && (question.answer.is_some() || !found.is_empty())
            {
                println!(
                    "{:?} {} {} -> {:?}",
                    rank,
                    question.class,
                    question.text,
                    &found[..found.len().min(2)]
                );
            }
            let all = if question.answer.is_some() {
                Some('*')
            } else {
                None
            };
            for class in [Some(question.class), all].into_iter().flatten() {
                scores.entry(class).or_default().add(rank, found.is_empty());
            }
        }
        for (class, score) in scores {
            println!("{}", score.line(name, class));
        }
    }
}

impl Score {
    fn add(&mut self, rank: Option<usize>, is_silent: bool) {
        self.questions += 1;
        self.silent += usize::from(is_silent);
        if let Some(rank) = rank {
            self.recall += f64::from(u8::from(rank < 5));
            self.mrr += 1.0 / (rank + 1) as f64;
            if rank < 10 {
                self.ndcg += 1.0 / ((rank + 2) as f64).log2();
            }
        }
    }

    fn line(&self, name: &str, class: char) -> String {
        let all = self.questions as f64;
        let of = CLASSES.iter().find(|(letter, _)| *letter == class);
        let of = of.expect("because each letter of a file has its name").1;
        if class == '!' {
            let silent = self.silent as f64 / all;
            return format!(
                "| {name} | {of} | {} | nothing returned: {silent:.2} |",
                self.questions
            );
        }
        let [recall, mrr, ndcg] = [self.recall, self.mrr, self.ndcg].map(|sum| sum / all);
        format!(
            "| {name} | {of} | {} | in the first five {} | recall@5 {recall:.3} | MRR {mrr:.3} | nDCG@10 {ndcg:.3} |",
            self.questions, self.recall
        )
    }
}

fn read() -> (Vec<Memory>, Vec<Question>) {
    let (mut memories, mut questions): (Vec<Memory>, Vec<Question>) = Default::default();
    let mut of_class: BTreeMap<char, usize> = BTreeMap::new();
    for (file, line) in [SHOP, KINDS]
        .iter()
        .enumerate()
        .flat_map(|(at, file)| file.lines().map(move |line| (at, line)))
    {
        let (class, rest) = line.split_at(1);
        let class = class.chars().next().unwrap_or_default();
        let rest = rest.trim_start();
        if class == '#' {
            let mut parts: Vec<&str> = rest.split('\t').collect();
            let mut next = || parts.pop().unwrap_or_default().to_owned();
            let (text, created) = (next(), if file == 1 { next() } else { String::new() });
            let path = next();
            memories.push(Memory { path, created, text });
            continue;
        }
        let answer = memories
            .last()
            .filter(|_| class != '!')
            .map(|memory| memory.path.clone());
        let number = of_class.entry(class).or_default();
        *number += 1;
        // Both questions of a memory of the shop are in one half.
        let of_shop = if class == '!' { *number } else { memories.len() + 1 };
        let is_measured = if file == 0 { of_shop } else { *number } % 2 == 0;
        questions.push(Question {
            class,
            text: rest.to_owned(),
            answer,
            is_measured,
        });
    }
    let others = OTHERS.lines().enumerate();
    memories.extend(others.map(|(at, text)| Memory {
        path: format!("reference/other-{at}"),
        created: String::new(),
        text: text.to_owned(),
    }));
    (memories, questions)
}

/// A memory as a store has it, with its prints.
fn stored(memory: &Memory) -> (model::Memory, Prints) {
    let path = StorePath::new(&format!("{}.md", memory.path)).expect("because it is a path");
    let body = memory.text.clone();
    let (kind, id) = (Kind::new("reference"), Id::parse("mem_0").expect("an id"));
    let created = match memory.created.as_str() {
        "" => Moment::Unset,
        day => Moment::parse(day),
    };
    let memory = model::Memory {
        created,
        ..model::Memory::new(id, path, kind, Content::Note { body })
    };
    (memory.clone(), prints_of(&memory))
}

/// The vectors of some texts, as a store keeps them.
fn vectors(model: &Encoder, texts: &[String]) -> Vec<Vec<i8>> {
    let vectors = model.vectors(texts).unwrap_or_else(|error| panic!("{error}"));
    vectors.iter().map(|vector| rounded(vector)).collect()
}

fn ours(memories: &[(model::Memory, Prints)], text: &str, near: Vec<Option<Near>>) -> Vec<String> {
    let candidates = memories.iter();
    let candidates = candidates.map(|(memory, prints)| Candidate { memory, prints });
    let ranked = answer(
        Query::new(text).with_near(near),
        &candidates.collect::<Vec<_>>(),
        |_| 1.0,
    )
    .ranked;
    let paths = ranked
        .iter()
        .take(10)
        .map(|ranked| memories[ranked.place].0.path.as_str());
    paths
        .map(|path| path.trim_end_matches(".md").to_owned())
        .collect()
}

/// FTS5 with its own tokenizer and ranking: what one gets who does nothing else.
struct Plain(rusqlite::Connection);

impl Plain {
    fn new(memories: &[Memory]) -> Self {
        let db = rusqlite::Connection::open_in_memory().expect("because it is in memory");
        db.execute_batch("CREATE VIRTUAL TABLE t USING fts5(path, text, tokenize='porter unicode61')")
            .expect("FTS5");
        for Memory { path, created, text } in memories {
            db.execute(
                "INSERT INTO t VALUES (?1, ?2)",
                [path, &format!("{created} {text}")],
            )
            .expect("because it is in memory");
        }
        Self(db)
    }

    fn ask(&self, text: &str) -> Vec<String> {
        let words = words(text)
            .map(|word| format!("\"{word}\""))
            .collect::<Vec<_>>()
            .join(" OR ");
        let mut found = self
            .0
            .prepare("SELECT path FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 10")
            .expect("SQL");
        let rows = found
            .query_map([words], |row| row.get(0))
            .expect("because every word is quoted");
        rows.map(|row| row.expect("because it is a text")).collect()
    }
}

fn grep(memories: &[Memory], text: &str) -> Vec<String> {
    let words: Vec<String> = words(text).map(str::to_lowercase).collect();
    let mut found: Vec<(usize, &String)> = Vec::new();
    for Memory { path, created, text } in memories {
        let line = format!("{path} {created} {text}").to_lowercase();
        let count = words.iter().filter(|word| line.contains(word.as_str())).count();
        if count > 0 {
            found.push((count, path));
        }
    }
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    found.into_iter().take(10).map(|(_, path)| path.clone()).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}
