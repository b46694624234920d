//! The setting that was probably meant.

use strsim::normalized_damerau_levenshtein;

/// Below this the guess says more about us than about what was written.
const ENOUGH: f64 = 0.55;

/// The candidate that is most like `written`, if any is like it at all.
pub(super) fn nearest(written: &str, candidates: impl IntoIterator<Item = String>) -> Option<String> {
    let written = written.to_lowercase();
    let mut best: Option<(f64, String)> = None;
    for candidate in candidates {
        let last = candidate.rsplit('.').next().unwrap_or(&candidate);
        let group = candidate.split('.').next().unwrap_or(&candidate);
        // `max_chars` alone, or `render` alone, is as good as a typo in `render.max_chars`.
        let like = normalized_damerau_levenshtein(&written, &candidate)
            .max(normalized_damerau_levenshtein(&written, last) * 0.95)
            .max(normalized_damerau_levenshtein(&written, group) * 0.9);
        if like >= ENOUGH && best.as_ref().is_none_or(|(most, _)| like > *most) {
            best = Some((like, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_what_was_meant() {
        let keys = || {
            [
                "render.max_chars",
                "render.max_entries",
                "watch.quiet_ms",
                "retention.half_life_days",
                "editor",
            ]
            .map(str::to_owned)
        };
        for (written, meant) in [
            ("render.max_char", Some("render.max_chars")),
            ("render.maxchars", Some("render.max_chars")),
            ("max_chars", Some("render.max_chars")),
            ("Watch.Quiet", Some("watch.quiet_ms")),
            ("half_life", Some("retention.half_life_days")),
            ("editr", Some("editor")),
            ("rendr", Some("render.max_chars")),
            ("colour", None),
        ] {
            assert_eq!(nearest(written, keys()).as_deref(), meant, "{written}");
        }
    }
}
