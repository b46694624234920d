//! Which manifests define a script, a recipe, a target or a package, by their text.

use std::sync::LazyLock;

use regex::{Regex, escape};

use crate::model::Cited;

/// The names of manifests, beside those of requirements.
pub(super) const MANIFESTS: [&str; 16] = [
    "package.json",
    "deno.json",
    "deno.jsonc",
    "composer.json",
    "Cargo.toml",
    "pyproject.toml",
    "requirements.txt",
    "Pipfile",
    "setup.py",
    "setup.cfg",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    ".justfile",
];

/// A Makefile or a justfile that takes in other files, or has rules for names that it makes up.
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^(?:-?include|sinclude|import\??|mod|set fallback)\b|^[\w-]*%[\w-]*\s*:|^[^\s#=:]*\$[^=:\n]*:",
    )
    .expect("because the pattern is a constant")
});

/// Says whether the manifest at a path defines a script or a package; one that does not tell does where it is `taken_to`.
pub(super) fn defines(path: &str, text: Option<&[u8]>, cited: &Cited, taken_to: bool) -> bool {
    let Some(text) = text.map(String::from_utf8_lossy) else {
        return taken_to;
    };
    let (runner, name) = match cited {
        Cited::Path(_) => return false,
        Cited::Package(name) => ("", name.as_str()),
        Cited::Script(command) => command.rsplit_once(' ').unwrap_or_default(),
    };
    let plain = |text: &str| text.to_lowercase().replace('_', "-");
    let is_named = plain(&text).contains(&plain(name));
    // A pattern takes longer to make than most manifests to read.
    let has = |pattern: &str| is_named && Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(&text));
    let name = escape(name);
    let manifest = match runner.split(' ').next() {
        Some("") => {
            let name = name.replace(r"\-", "_").replace('_', "[-_]");
            return has(&format!(r#"(?im)(?:^\s*|["'.]){name}(?:["'\[\]<>=~!;@]|\s*=|$)"#))
                || taken_to && has(&format!(r"(?im)(?:^|[^\w-]){name}(?:[^\w-]|$)"));
        }
        Some("make") => "makefile",
        Some("just") => "justfile",
        Some("composer") => "composer.json",
        Some("deno") => "deno.json",
        Some("poe") => "pyproject.toml",
        _ => "package.json",
    };
    if !path.to_lowercase().contains(manifest) {
        false
    } else if manifest.ends_with("file") {
        has(&format!(
            r"(?m)^@?(?:alias |[\w. -]* )?{name}(?: [^:\n]*)?:(?:[^=]|$)"
        )) || taken_to && OPEN.is_match(&text)
    } else {
        // `"tsc": "tsc --noEmit"`: but for npm, the program runs without the script as well.
        let body = |start: &str| has(&format!(r#"(?m)(?:"{name}"\s*:|^{name}\s*=)\s*["'{{]?{start}"#));
        body("") && (runner == "npm run" || !body(&name))
    }
}
