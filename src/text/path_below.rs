//! A path as seen from a folder.

/// The path without the folder that it lies in, `.` for the folder itself; `None` when it is relative or lies outside.
/// A folder `""` or `/` holds nothing in particular, so nothing is below it. The names decide alone: nothing is looked
/// up.
pub fn path_below<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() {
        return None;
    }
    let rest = path.strip_prefix(folder)?;
    let below = rest.trim_start_matches('/');
    match (below.is_empty(), below.len() < rest.len()) {
        (true, _) => Some("."),
        (false, true) => Some(below),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_the_folder_loses_it() {
        for folder in ["/repo", "/repo/"] {
            assert_eq!(path_below(folder, "/repo/src/a.rs"), Some("src/a.rs"));
            assert_eq!(path_below(folder, "/repo//a.rs"), Some("a.rs"));
            assert_eq!(path_below(folder, "/repo"), Some("."));
            assert_eq!(path_below(folder, "/repo/"), Some("."));
        }
        assert_eq!(path_below("/home/dev/專案", "/home/dev/專案/f.ts"), Some("f.ts"));
    }

    #[test]
    fn a_sibling_that_begins_alike_is_outside() {
        for path in ["/repo2/a.rs", "/repo2", "/rep", "src/a.rs", "/", ""] {
            assert_eq!(path_below("/repo", path), None, "{path}");
        }
    }

    #[test]
    fn no_folder_holds_nothing() {
        assert_eq!((path_below("", "/a"), path_below("/", "/a")), (None, None));
    }
}
