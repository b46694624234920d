//! The category that the name of a task or of a script says.

use super::runners::Runner;
use super::{build, lint, test, typecheck};
use crate::capture::ErrorCategory;

const TABLES: [(ErrorCategory, &[&str]); 4] = [
    (ErrorCategory::Typecheck, typecheck::TASKS),
    (ErrorCategory::Test, test::TASKS),
    (ErrorCategory::Lint, lint::TASKS),
    (ErrorCategory::Build, build::TASKS),
];

/// Words that make a task none of those, whatever follows: `start:test-server` starts a server.
const OTHER: &[&str] = &[
    "boot",
    "clean",
    "db",
    "deploy",
    "dev",
    "docs",
    "down",
    "generate",
    "migrate",
    "preview",
    "publish",
    "release",
    "run",
    "seed",
    "serve",
    "server",
    "start",
    "stop",
    "storybook",
    "up",
];

/// Words beside the telling ones in the name of a script that does nothing else.
const BESIDE: &[&str] = &[
    "all", "check", "checks", "ci", "fix", "full", "local", "quick", "run", "the",
];

/// The category of a runner's tasks; of several, of the last that has one.
pub(in crate::capture::shell) fn of_task(runner: &Runner, tasks: &[&str]) -> Option<ErrorCategory> {
    if tasks.is_empty() {
        return runner.bare;
    }
    tasks.iter().rev().find_map(|task| {
        let bare = task.rsplit(':').next().unwrap_or(task);
        let own = runner.own.iter().find(|(name, _)| name == task || *name == bare);
        own.map(|(_, category)| *category).or_else(|| of_name(task))
    })
}

/// What the first telling word of a name says.
fn of_name(name: &str) -> Option<ErrorCategory> {
    let words = words(name);
    if let Some(category) = of_word(&words.concat()) {
        return Some(category);
    }
    for (at, word) in words.iter().enumerate() {
        if OTHER.contains(&word.as_str()) {
            return None;
        }
        // `type-check`, `pre-commit`.
        let pair = words
            .get(at + 1)
            .and_then(|next| of_word(&format!("{word}{next}")));
        if let Some(category) = pair.or_else(|| of_word(word)) {
            return Some(category);
        }
    }
    None
}

/// The category of a script that is run by its path: only when its name says nothing else (`run_tests.sh`), since
/// `format_data.py` is no formatter.
pub(in crate::capture::shell) fn of_script(file_name: &str) -> Option<ErrorCategory> {
    let stem = file_name.split('.').find(|part| !part.is_empty())?;
    let words = words(stem);
    let mut telling = words.iter().filter(|word| !BESIDE.contains(&word.as_str()));
    let category = of_name(&telling.clone().cloned().collect::<Vec<_>>().join("-"))?;
    telling.all(|word| of_word(word).is_some()).then_some(category)
}

fn of_word(word: &str) -> Option<ErrorCategory> {
    TABLES
        .iter()
        .find(|(_, table)| table.contains(&word))
        .map(|(category, _)| *category)
}

/// The words of a name, in lower case: parted by signs and by capitals.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words
                .last_mut()
                .expect("because there is one from the start")
                .extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_telling_word_decides() {
        for (name, category) in [
            ("test", Some(ErrorCategory::Test)),
            ("test:unit", Some(ErrorCategory::Test)),
            ("type-check", Some(ErrorCategory::Typecheck)),
            ("check:types", Some(ErrorCategory::Typecheck)),
            ("check-types", Some(ErrorCategory::Typecheck)),
            ("lint:fix", Some(ErrorCategory::Lint)),
            ("build:test", Some(ErrorCategory::Build)),
            (":app:testDebugUnitTest", Some(ErrorCategory::Test)),
            ("compileTestJava", Some(ErrorCategory::Build)),
            ("start:test-server", None),
            ("dev", None),
            ("check", None),
            ("bootRun", None),
        ] {
            assert_eq!(of_name(name), category, "{name}");
        }
    }

    #[test]
    fn a_script_must_say_nothing_else() {
        assert_eq!(of_script("run_tests.sh"), Some(ErrorCategory::Test));
        assert_eq!(of_script("test.sh"), Some(ErrorCategory::Test));
        assert_eq!(of_script("build.mjs"), Some(ErrorCategory::Build));
        assert_eq!(of_script("ci-lint.sh"), Some(ErrorCategory::Lint));
        assert_eq!(of_script("format_data.py"), None);
        assert_eq!(of_script("seed.js"), None);
        assert_eq!(of_script("run.sh"), None);
        assert_eq!(of_script(""), None);
    }
}
