//! The words of a canonical text.

use super::is_unspaced;

/// The words of a canonical text, in order: what stands between spaces, where a run of letters of such a script as
/// Chinese counts as its pairs of neighbours (設定檔 is 設定 and 定檔), because nobody marks where its words end.
pub fn words(canonical: &str) -> impl Iterator<Item = &str> {
    canonical.split(' ').flat_map(runs).flat_map(|run| {
        let cjk = run.starts_with(is_unspaced);
        let whole = (!cjk).then_some(run);
        let pairs = cjk.then(|| pairs(run)).into_iter().flatten();
        whole.into_iter().chain(pairs)
    })
}

/// The runs of a word that are CJK throughout or not at all.
fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let cjk = is_unspaced(rest.chars().next()?);
        let end = rest.find(|c| is_unspaced(c) != cjk).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

/// Each two neighbours of a run; a run of one is itself.
fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let starts = run.char_indices().map(|(at, _)| at);
    let ends = run.char_indices().map(|(at, c)| at + c.len_utf8());
    let alone = run.chars().nth(1).is_none();
    starts
        .zip(ends.skip(usize::from(!alone)))
        .map(|(start, end)| &run[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        words(text).collect()
    }

    #[test]
    fn spaces_part_words_and_cjk_runs_are_pairs() {
        assert_eq!(of("use c++ 2"), ["use", "c++", "2"]);
        assert_eq!(of("設定檔在v2改"), ["設定", "定檔", "檔在", "v2", "改"]);
        assert_eq!(of(""), [""; 0]);
    }
}
