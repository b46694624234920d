//! The errors that name a file which was edited.

/// True when one of the files that an error names is the file at `path`, which is absolute or relative to the
/// workspace. A file may be named absolute, or relative to the folder in which a tool ran. Whole names are compared:
/// `a.tsx` is not `a.ts`.
pub fn names_file(named: &[String], path: &str) -> bool {
    let edited = parts(path);
    named.iter().map(|name| parts(name)).any(|name| {
        let is_absolute = name
            .first()
            .is_some_and(|first| first.is_empty() || first.ends_with(':'));
        let (longer, shorter) = if is_absolute {
            // The workspace's folder stands before the edited path.
            (&name, &edited)
        } else {
            // The tool ran in the workspace or in a folder of it.
            (&edited, &name)
        };
        !shorter.is_empty() && longer.ends_with(shorter)
    })
}

/// The names in a path, without `.` and `..`. The first name of an absolute path is empty, or a drive.
fn parts(path: &str) -> Vec<&str> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let mut parts = Vec::new();
    for (at, part) in path.split(['/', '\\']).enumerate() {
        match part {
            "" if at == 0 && !path.is_empty() => parts.push(part),
            "" | "." => {}
            ".." => {
                parts.pop_if(|part| !part.is_empty());
            }
            part => parts.push(part),
        }
    }
    parts
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
