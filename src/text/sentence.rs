//! Small words of sentences for people: counts, lists, the word that was meant.

/// The number of names that one sentence lists.
const MOST_NAMED: usize = 10;

/// `1 file`, `3 files`, `3 memories`.
pub fn counted(count: usize, noun: &str) -> String {
    match noun.strip_suffix("ry") {
        _ if count == 1 => format!("1 {noun}"),
        Some(stem) => format!("{count} {stem}ries"),
        None => format!("{count} {noun}s"),
    }
}

/// The first few of many names, and the number of the others.
pub fn some_of(names: impl IntoIterator<Item: ToString>) -> String {
    let mut names = names.into_iter();
    let first = names.by_ref().take(MOST_NAMED).map(|name| name.to_string());
    let first: Vec<String> = first.collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The known word of which another one is a slip of the hand; further off it is another word.
pub fn slip_of<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let distance = |known: &&str| strsim::osa_distance(known, &word);
    let nearest = known.min_by_key(distance)?;
    (distance(&nearest) <= (word.chars().count() / 3).max(1)).then_some(nearest)
}
