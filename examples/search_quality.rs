//! Measures how well the search answers: recall@5, MRR and nDCG@10 over the questions of `tests/eval/search`, beside FTS5's own
//! porter ranking and beside grep.
//!
//! `cargo run --example search_quality` prints the half of the questions to work with; `-- measured` prints the other
//! half, at which nobody looked while the ranking was made; `-- misses` lists what the first half misses.

#![expect(clippy::print_stdout, reason = "it is a table for a person")]
#![expect(clippy::cast_precision_loss, reason = "there are hundreds of questions")]

use std::collections::BTreeMap;

use mdmem::search::{Candidate, Document, Query, rank};

const SHOP: &str = include_str!("../tests/eval/search/shop.txt");
const OTHERS: &str = include_str!("../tests/eval/search/others.txt");

/// The paths that answer, the best first.
type Ask<'a> = &'a dyn Fn(&str) -> Vec<String>;

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
    let systems: [(&str, Ask<'_>); 3] = [
        ("mdmem", &|text| ours(&memories, text)),
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
            if argument == "misses" && name == "mdmem" && rank.is_none_or(|rank| rank > 0) {
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
        let of = match class {
            'd' => "direct",
            'p' => "paraphrased",
            'c' => "CJK",
            '!' => {
                return format!(
                    "| {name} | without an answer | {} | nothing returned: {:.2} |",
                    self.questions,
                    self.silent as f64 / all
                );
            }
            _ => "all",
        };
        let [recall, mrr, ndcg] = [self.recall, self.mrr, self.ndcg].map(|sum| sum / all);
        format!(
            "| {name} | {of} | {} | recall@5 {recall:.3} | MRR {mrr:.3} | nDCG@10 {ndcg:.3} |",
            self.questions
        )
    }
}

fn read() -> (Vec<(String, String)>, Vec<Question>) {
    let (mut memories, mut questions): (Vec<(String, String)>, Vec<Question>) = Default::default();
    for line in SHOP.lines() {
        let (class, rest) = line.split_at(1);
        let class = class.chars().next().unwrap_or_default();
        let rest = rest.trim_start();
        if class == '#' {
            let (path, text) = rest
                .split_once('\t')
                .expect("because a memory has a path and a text");
            memories.push((path.to_owned(), text.to_owned()));
            continue;
        }
        let (answer, number) = match class {
            '!' => (None, questions.len()),
            _ => (memories.last().map(|(path, _)| path.clone()), memories.len()),
        };
        let is_measured = number % 2 == 1;
        questions.push(Question {
            class,
            text: rest.to_owned(),
            answer,
            is_measured,
        });
    }
    let others = OTHERS.lines().enumerate();
    memories.extend(others.map(|(at, text)| (format!("reference/other-{at}"), text.to_owned())));
    (memories, questions)
}

fn document((path, text): &(String, String)) -> Document<'_> {
    let (folder, stem) = path.split_once('/').unwrap_or(("", path));
    Document {
        name: stem.to_owned(),
        hook: folder.to_owned(),
        body: text,
        why: "",
    }
}

fn ours(memories: &[(String, String)], text: &str) -> Vec<String> {
    let candidates: Vec<Candidate<'_>> = memories
        .iter()
        .map(|memory| Candidate {
            document: document(memory),
            strength: 1.0,
            updated: 0,
            path: &memory.0,
        })
        .collect();
    let ranked = rank(&Query::new(text), &candidates).into_iter();
    ranked
        .take(10)
        .map(|ranked| candidates[ranked.place].path.to_owned())
        .collect()
}

/// FTS5 with its own tokenizer and ranking: what one gets who does nothing else.
struct Plain(rusqlite::Connection);

impl Plain {
    fn new(memories: &[(String, String)]) -> Self {
        let db = rusqlite::Connection::open_in_memory().expect("because it is in memory");
        db.execute_batch("CREATE VIRTUAL TABLE t USING fts5(path, text, tokenize='porter unicode61')")
            .expect("FTS5");
        for (path, text) in memories {
            db.execute("INSERT INTO t VALUES (?1, ?2)", [path, text])
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

fn grep(memories: &[(String, String)], text: &str) -> Vec<String> {
    let words: Vec<String> = words(text).map(str::to_lowercase).collect();
    let mut found: Vec<(usize, &String)> = Vec::new();
    for (path, text) in memories {
        let line = format!("{path} {text}").to_lowercase();
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
