//! Which arguments of a program are words of the command, and which are options and their values.

/// Options before a program's own words that take the next word as their value.
const VALUED: &[(&str, &[&str])] = &[
    ("bazel", &["--output_base", "--bazelrc"]),
    ("bun", &["--cwd", "--filter", "-F"]),
    ("bundle", &["--gemfile"]),
    (
        "cargo",
        &[
            "--manifest-path",
            "--config",
            "--color",
            "-Z",
            "-C",
            "-p",
            "--package",
            "--target-dir",
        ],
    ),
    ("cmake", &["--preset"]),
    ("composer", &["-d", "--working-dir"]),
    ("deno", &["--config", "-c"]),
    (
        "docker",
        &[
            "-H",
            "--context",
            "-c",
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
            "--project-directory",
            "-l",
        ],
    ),
    (
        "docker-compose",
        &[
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
            "--project-directory",
        ],
    ),
    ("git", &["-C", "-c", "--git-dir", "--work-tree"]),
    ("gh", &["-R", "--repo"]),
    (
        "gmake",
        &["-C", "-f", "-j", "-I", "-o", "-W", "--directory", "--file"],
    ),
    ("go", &["-C"]),
    (
        "gradle",
        &[
            "-p",
            "-b",
            "-c",
            "-x",
            "--project-dir",
            "--tests",
            "--exclude-task",
        ],
    ),
    (
        "gradlew",
        &[
            "-p",
            "-b",
            "-c",
            "-x",
            "--project-dir",
            "--tests",
            "--exclude-task",
        ],
    ),
    (
        "just",
        &["-f", "--justfile", "-d", "--working-directory", "--set"],
    ),
    ("kubectl", &["-n", "--namespace", "--context", "--kubeconfig"]),
    ("lerna", &["--scope", "--ignore"]),
    ("make", &["-C", "-f", "-I", "-o", "-W", "--directory", "--file"]),
    ("mise", &["-C", "--cd"]),
    ("mvn", &["-f", "-pl", "-P", "-T", "-s", "-rf", "--file"]),
    ("mvnw", &["-f", "-pl", "-P", "-T", "-s", "-rf", "--file"]),
    ("ninja", &["-C", "-f", "-j", "-k", "-l", "-d", "-t"]),
    ("npm", &["--prefix", "-w", "--workspace", "-C", "--loglevel"]),
    ("nx", &["-p", "--projects", "-c", "--configuration"]),
    ("pdm", &["-p"]),
    ("php", &["-d", "-c"]),
    (
        "pnpm",
        &[
            "--filter",
            "-F",
            "-C",
            "--dir",
            "--filter-prod",
            "--workspace-concurrency",
        ],
    ),
    ("podman", &["-c"]),
    ("poetry", &["-C", "-P", "--directory", "--project"]),
    ("rake", &["-f", "-C", "-I"]),
    ("swift", &["--package-path"]),
    ("task", &["-d", "--dir", "-t", "--taskfile"]),
    ("tofu", &["-chdir"]),
    ("turbo", &["--filter", "-F", "--cwd", "--concurrency"]),
    ("uv", &["--directory", "--project", "--python", "-p", "--color"]),
    (
        "xcodebuild",
        &[
            "-project",
            "-workspace",
            "-scheme",
            "-target",
            "-configuration",
            "-sdk",
            "-destination",
            "-arch",
            "-derivedDataPath",
        ],
    ),
    ("yarn", &["--cwd", "--include", "--exclude", "--from", "-j"]),
];

/// The words among the arguments that are neither options nor values of the options that stand before a command,
/// each with its place.
pub(in crate::capture::shell) fn positionals<'a>(
    program: &str,
    args: &'a [String],
) -> impl Iterator<Item = (usize, &'a str)> {
    let valued = VALUED
        .iter()
        .find(|(name, _)| *name == program)
        .map_or(&[][..], |(_, options)| options);
    let toolchains = program == "cargo";
    let mut is_value = false;
    args.iter().enumerate().filter_map(move |(at, arg)| {
        if std::mem::take(&mut is_value) {
            return None;
        }
        if arg.starts_with('-') {
            is_value = valued.contains(&arg.as_str());
            return None;
        }
        let is_toolchain = toolchains && arg.starts_with('+');
        (!is_toolchain).then_some((at, arg.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_their_values_are_left_out() {
        let args: Vec<String> = ["--prefix", "web", "-s", "run", "--if-present", "test"]
            .map(str::to_owned)
            .into();
        let found: Vec<_> = positionals("npm", &args).collect();
        assert_eq!(found, [(3, "run"), (5, "test")]);
    }
}
