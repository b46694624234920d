//! Whether an error names a file that was edited.

/// Whether one of the files that an error names is the file at `path`, which is absolute or relative to the workspace.
/// A file may be named absolute, or relative to the folder in which a tool ran. Whole names are compared: `a.tsx` is not `a.ts`.
pub fn names_file(named: &[String], path: &str) -> bool {
    let edited = Parts::of(path);
    !edited.parts.is_empty() && named.iter().any(|name| Parts::of(name).is_same_as(&edited))
}

struct Parts<'a> {
    is_absolute: bool,
    parts: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(path: &'a str) -> Self {
        let path = path.strip_prefix("file://").unwrap_or(path);
        let has_drive = path.as_bytes().get(1) == Some(&b':');
        let mut parts = Vec::new();
        for part in path.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        Self {
            is_absolute: path.starts_with(['/', '\\']) || has_drive,
            parts,
        }
    }

    fn is_same_as(&self, edited: &Self) -> bool {
        match (self.is_absolute, edited.is_absolute) {
            (true, true) => self.parts == edited.parts,
            // The workspace's folder stands before the edited path.
            (true, false) => self.parts.ends_with(&edited.parts),
            // The tool ran in the workspace or in a folder of it.
            (false, _) => !self.parts.is_empty() && edited.parts.ends_with(&self.parts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_named(named: &str, path: &str) -> bool {
        names_file(&[named.to_owned()], path)
    }

    #[test]
    fn a_file_is_known_however_it_is_written() {
        for named in [
            "src/a.ts",
            "./src/a.ts",
            "src\\a.ts",
            "file:///home/dev/src/a.ts",
            "src/b/../a.ts",
            "a.ts",
        ] {
            assert!(is_named(named, "src/a.ts"), "{named}");
            assert!(is_named(named, "/home/dev/src/a.ts"), "{named}");
        }
        for (named, path) in [
            ("src/a.tsx", "src/a.ts"),
            ("src/a.json", "src/a.js"),
            ("src/ba.ts", "a.ts"),
            ("src/a.ts", "a.ts"),
            ("/home/dev/other/src/a.ts", "/home/dev/shop/src/a.ts"),
            ("", "src/a.ts"),
            ("src/a.ts", ""),
        ] {
            assert!(!is_named(named, path), "{named} {path}");
        }
    }
}
