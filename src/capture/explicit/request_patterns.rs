//! What else means "remember this": the user's own patterns.

use regex::Regex;

/// The patterns of `capture.patterns`, compiled. The languages' own requests need none.
#[derive(Debug, Clone, Default)]
pub struct RequestPatterns {
    extra: Vec<Regex>,
}

/// A pattern of the user's that cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{pattern}` in `capture.patterns` is no regular expression")]
pub struct RequestPatternError {
    /// The pattern as it was given.
    pub pattern: String,
    /// What is wrong with it, and where.
    #[source]
    pub source: regex::Error,
}

impl RequestPatterns {
    /// The built-in requests and these. Each is a regular expression over a line as it was typed, without its list
    /// markers; a line that begins with a match is a request, and what follows the match is its body, or what the
    /// first group took if the pattern has one.
    pub fn new(extra: &[String]) -> Result<Self, RequestPatternError> {
        let compile = |pattern: &String| {
            Regex::new(pattern).map_err(|source| RequestPatternError {
                pattern: pattern.clone(),
                source,
            })
        };
        let extra = extra.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { extra })
    }

    /// The built-in requests alone.
    pub fn standard() -> Self {
        Self::default()
    }

    /// What the first of the user's patterns that opens the line leaves of it.
    pub(super) fn body<'l>(&self, line: &'l str) -> Option<&'l str> {
        self.extra.iter().find_map(|pattern| {
            // The leftmost match is the one at the beginning, if there is one; an empty one asks for nothing.
            let found = pattern.captures(line)?;
            let whole = found.get(0)?;
            if whole.start() != 0 || whole.is_empty() {
                return None;
            }
            let group = found.get(1).map(|group| group.as_str());
            Some(group.unwrap_or(&line[whole.end()..]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_at_the_beginning_leaves_the_body() {
        let patterns = ["(?i)note to self", "^TIL (.+?) \\(", "x*"].map(str::to_owned);
        let patterns = RequestPatterns::new(&patterns).unwrap();
        assert_eq!(patterns.body("Note to self: use x"), Some(": use x"));
        assert_eq!(patterns.body("TIL jq sorts (finally)"), Some("jq sorts"));
        assert_eq!(patterns.body("a note to self: use x"), None);
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        let error = RequestPatterns::new(&["ok".to_owned(), "(".to_owned()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`(` in `capture.patterns` is no regular expression"
        );
    }
}
