//! Programs that run tasks whose names the project chose: `npm run lint`, `make check`.

use super::options::positionals;
use crate::capture::ErrorCategory::{self, Build, Lint, Test};

/// How many of a runner's words are tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::capture::shell) enum Tasks {
    /// The next word; the others belong to it.
    One,
    /// Every word.
    All,
}

/// A program that runs tasks.
#[derive(Debug)]
pub(in crate::capture::shell) struct Runner {
    /// Its name, then the words that come before the task's.
    pub(in crate::capture::shell) words: &'static str,
    /// Words between those and the task, such as the name of a workspace.
    skips: usize,
    tasks: Tasks,
    /// Options whose value is a task.
    options: &'static [&'static str],
    /// What it does when no task is named.
    pub(in crate::capture::shell) bare: Option<ErrorCategory>,
    /// Tasks that mean something else here than elsewhere.
    pub(in crate::capture::shell) own: &'static [(&'static str, ErrorCategory)],
}

const fn one(words: &'static str) -> Runner {
    Runner {
        words,
        skips: 0,
        tasks: Tasks::One,
        options: &[],
        bare: None,
        own: &[],
    }
}

const fn all(words: &'static str) -> Runner {
    Runner {
        tasks: Tasks::All,
        ..one(words)
    }
}

const MAKE: &[(&str, ErrorCategory)] = &[
    ("all", Build),
    ("check", Test),
    ("debug", Build),
    ("install", Build),
    ("release", Build),
];

const GRADLE: &[(&str, ErrorCategory)] = &[
    ("check", Test),
    ("classes", Build),
    ("testClasses", Build),
    ("install", Build),
    ("publish", Build),
];

const MAVEN: &[(&str, ErrorCategory)] = &[
    ("verify", Test),
    ("integration-test", Test),
    ("package", Build),
    ("install", Build),
    ("deploy", Build),
    ("test-compile", Build),
    ("checkstyle:check", Lint),
];

/// The longest row that fits wins.
const RUNNERS: &[Runner] = &[
    one("ant"),
    one("bun"),
    one("bun run"),
    one("cargo make"),
    one("cargo xtask"),
    one("composer"),
    one("composer run"),
    one("composer run-script"),
    one("deno task"),
    Runner {
        bare: Some(Build),
        own: MAKE,
        ..all("gmake")
    },
    Runner {
        own: GRADLE,
        ..all("gradle")
    },
    Runner {
        own: GRADLE,
        ..all("gradlew")
    },
    all("grunt"),
    all("gulp"),
    one("hatch run"),
    all("invoke"),
    all("inv"),
    one("just"),
    one("lerna run"),
    one("mage"),
    Runner {
        bare: Some(Build),
        own: MAKE,
        ..all("make")
    },
    Runner {
        bare: Some(Build),
        own: MAKE,
        ..all("mingw32-make")
    },
    one("mise run"),
    one("moon run"),
    Runner {
        own: MAVEN,
        ..all("mvn")
    },
    Runner {
        own: MAVEN,
        ..all("mvnw")
    },
    Runner {
        bare: Some(Build),
        own: MAKE,
        ..all("ninja")
    },
    one("node --run"),
    one("npm run"),
    one("npm run-script"),
    all("npm-run-all"),
    one("nx"),
    Runner {
        options: &["-t", "--target", "--targets"],
        ..one("nx affected")
    },
    one("nx run"),
    Runner {
        options: &["-t", "--target", "--targets"],
        ..one("nx run-many")
    },
    one("ng run"),
    one("pdm run"),
    one("pixi run"),
    one("pnpm"),
    one("pnpm run"),
    one("pnpm run-script"),
    one("poe"),
    Runner {
        bare: Some(Test),
        ..all("rake")
    },
    one("rails"),
    all("run-p"),
    all("run-s"),
    one("rushx"),
    one("rush"),
    all("sbt"),
    all("task"),
    all("turbo"),
    all("turbo run"),
    one("yarn"),
    one("yarn run"),
    Runner {
        skips: 1,
        ..one("yarn workspace")
    },
    Runner {
        skips: 1,
        ..one("yarn workspace run")
    },
    one("yarn workspaces foreach"),
    one("yarn workspaces foreach run"),
    one("yarn workspaces run"),
    one("wireit"),
];

/// The runner that a command is, and the tasks that it is to run.
pub(in crate::capture::shell) fn runner<'a>(
    program: &str,
    args: &'a [String],
) -> Option<(&'static Runner, Vec<&'a str>)> {
    let words: Vec<&str> = positionals(program, args).map(|(_, word)| word).collect();
    let fitting = RUNNERS.iter().filter_map(|runner| {
        let mut own = runner.words.split(' ');
        if own.next() != Some(program) {
            return None;
        }
        // The workspace that a runner skips stands after its second word.
        let mut rest = words.as_slice();
        let mut length = 0;
        for word in own {
            if word.starts_with('-') {
                if !args.iter().any(|arg| arg == word) {
                    return None;
                }
            } else if rest.first() == Some(&word) {
                rest = &rest[1..];
            } else {
                return None;
            }
            length += 1;
            if length == 1 {
                rest = rest.get(runner.skips..)?;
            }
        }
        Some((length, runner, rest.to_vec()))
    });
    let (_, runner, mut tasks) = fitting.max_by_key(|(length, _, _)| *length)?;
    tasks.retain(|task| !task.contains('='));
    if runner.tasks == Tasks::One {
        tasks.truncate(1);
    }
    let named = named_by_option(runner.options, args);
    if !named.is_empty() {
        tasks = named;
    }
    Some((runner, tasks))
}

/// The values of the options that name tasks.
fn named_by_option<'a>(options: &[&str], args: &'a [String]) -> Vec<&'a str> {
    let mut named = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg.as_str(), args.get(at + 1).map(String::as_str)),
        };
        if options.contains(&name) {
            named.extend(value.into_iter().flat_map(|value| value.split(',')));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(&'static str, Vec<String>)> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        runner(&words[0], &words[1..])
            .map(|(runner, tasks)| (runner.words, tasks.into_iter().map(str::to_owned).collect()))
    }

    #[test]
    fn the_task_comes_after_the_words_of_the_runner() {
        assert_eq!(
            read("npm run -s lint -- --fix x"),
            Some(("npm run", vec!["lint".into()]))
        );
        assert_eq!(
            read("pnpm --filter web build"),
            Some(("pnpm", vec!["build".into()]))
        );
        assert_eq!(
            read("yarn workspace web run test"),
            Some(("yarn workspace run", vec!["test".into()]))
        );
        assert_eq!(
            read("yarn workspace web test"),
            Some(("yarn workspace", vec!["test".into()]))
        );
        assert_eq!(
            read("yarn workspaces foreach -A run test"),
            Some(("yarn workspaces foreach run", vec!["test".into()]))
        );
        assert_eq!(
            read("nx run-many -t lint,test"),
            Some(("nx run-many", vec!["lint".into(), "test".into()]))
        );
        assert_eq!(
            read("make -C lib V=1 clean all"),
            Some(("make", vec!["clean".into(), "all".into()]))
        );
        assert_eq!(read("git push"), None);
    }
}
