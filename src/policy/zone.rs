//! The way in which a memory is shown, by the first folder of its path.

use super::rules::Rules;
use crate::model::{StorePath, Zone};

/// The zone of a path: `hot_dir` is pinned, `archive/` is never shown, a type's folder and the root are ranked, every
/// other folder is cold.
pub fn zone(path: &StorePath, rules: &Rules) -> Zone {
    match path.first_folder() {
        Some(folder) if folder == rules.hot_dir => Zone::Pinned,
        Some("archive") => Zone::Archive,
        None => Zone::Ranked,
        Some(folder) if rules.types.iter().any(|rule| rule.kind.as_str() == folder) => Zone::Ranked,
        Some(_) => Zone::Cold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;
    use crate::policy::TypeRule;

    #[test]
    fn the_first_folder_decides() {
        let mut rules = Rules::default();
        rules.types.push(TypeRule {
            kind: Kind::new("recipe"),
            factor: 1.0,
            cap: None,
            stale_after: 0,
            order: 60,
        });
        for (path, expected) in [
            ("system/decision/a.md", Zone::Pinned),
            ("archive/system/a.md", Zone::Archive),
            ("a.md", Zone::Ranked),
            ("decision/2026-11/a.md", Zone::Ranked),
            ("recipe/soup.md", Zone::Ranked),
            ("notes/decision/a.md", Zone::Cold),
        ] {
            assert_eq!(zone(&StorePath::new(path).unwrap(), &rules), expected, "{path}");
        }
        rules.hot_dir = "hot".to_owned();
        for (path, expected) in [("system/a.md", Zone::Cold), ("hot/b/a.md", Zone::Pinned)] {
            assert_eq!(zone(&StorePath::new(path).unwrap(), &rules), expected, "{path}");
        }
    }
}
