//! Programs that run another program: what stands between them and it.

/// A program that runs another, and how to find that one.
pub(super) struct Wrapper {
    /// Its name, then the words that make it one.
    pub(super) words: &'static str,
    /// Options of its own whose value is the next word.
    pub(super) valued: &'static [&'static str],
    /// Words of its own before the command: a duration, a container.
    pub(super) skips: usize,
    /// Options after which the command begins.
    pub(super) begins: &'static [&'static str],
    /// Options whose value is a whole command line.
    pub(super) lines: &'static [&'static str],
}

const fn plain(words: &'static str) -> Wrapper {
    Wrapper {
        words,
        valued: &[],
        skips: 0,
        begins: &[],
        lines: &[],
    }
}

const fn valued(words: &'static str, valued: &'static [&'static str]) -> Wrapper {
    Wrapper {
        valued,
        ..plain(words)
    }
}

const fn begins(words: &'static str, begins: &'static [&'static str]) -> Wrapper {
    Wrapper {
        begins,
        ..plain(words)
    }
}

const fn lines(words: &'static str, lines: &'static [&'static str]) -> Wrapper {
    Wrapper {
        lines,
        ..plain(words)
    }
}

const CONTAINER: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "-v",
    "--volume",
    "--mount",
    "--name",
    "-p",
    "--publish",
    "--network",
    "--entrypoint",
    "--platform",
    "-h",
    "--hostname",
    "-l",
    "--label",
    "--index",
    "-f",
    "--file",
    "--profile",
    "--project-name",
];

const UV: &[&str] = &[
    "--with",
    "--with-requirements",
    "--extra",
    "--group",
    "--project",
    "--directory",
    "--python",
    "-p",
    "--env-file",
    "--package",
    "--from",
];

/// The row with the most words wins. A row with `begins` or `lines` is a wrapper only with one of those options.
pub(super) const WRAPPERS: &[Wrapper] = &[
    plain("asdf exec"),
    valued("arch", &["-e"]),
    plain("builtin"),
    plain("bun x"),
    plain("bun exec"),
    plain("bundle exec"),
    plain("bunx"),
    plain("busybox"),
    plain("c8"),
    plain("caffeinate"),
    begins("cargo watch", &["--"]),
    plain("chronic"),
    plain("command"),
    valued("conda run", &["-n", "--name", "-p", "--prefix", "--cwd"]),
    begins("coverage run", &["-m"]),
    plain("cross-env"),
    plain("cross-env-shell"),
    plain("devbox run"),
    Wrapper {
        skips: 1,
        ..plain("direnv exec")
    },
    Wrapper {
        skips: 1,
        ..valued("docker compose exec", CONTAINER)
    },
    Wrapper {
        skips: 1,
        ..valued("docker compose run", CONTAINER)
    },
    Wrapper {
        skips: 1,
        ..valued("docker exec", CONTAINER)
    },
    Wrapper {
        skips: 1,
        ..valued("docker run", CONTAINER)
    },
    Wrapper {
        skips: 1,
        ..valued("docker-compose exec", CONTAINER)
    },
    Wrapper {
        skips: 1,
        ..valued("docker-compose run", CONTAINER)
    },
    valued("doas", &["-u"]),
    valued("dotenv", &["-e", "-f", "-v"]),
    valued("dotenvx run", &["-f", "-e"]),
    begins("doppler run", &["--"]),
    valued("env", &["-u", "--unset", "-C", "--chdir"]),
    valued("exec", &["-a"]),
    begins("find", &["-exec", "-execdir", "-ok"]),
    lines("flock", &["-c"]),
    Wrapper {
        skips: 1,
        ..plain("gtimeout")
    },
    begins("infisical run", &["--"]),
    valued("ionice", &["-c", "-n", "-p"]),
    begins("kubectl exec", &["--"]),
    valued("micromamba run", &["-n", "-p"]),
    plain("mise exec"),
    plain("mise x"),
    valued("nice", &["-n"]),
    begins("nix develop", &["-c", "--command"]),
    begins("nix shell", &["-c", "--command"]),
    lines("nix-shell", &["--run", "--command"]),
    plain("nohup"),
    plain("noglob"),
    valued("npm exec", &["-p", "--package", "-w", "--workspace"]),
    valued("npm x", &["-p", "--package", "-w", "--workspace"]),
    valued("npx", &["-p", "--package", "-w", "--workspace"]),
    lines("npx", &["-c", "--call"]),
    valued("nyc", &["-r", "--reporter"]),
    begins("op run", &["--"]),
    plain("pipenv run"),
    plain("pipx run"),
    plain("pnpm dlx"),
    plain("pnpm exec"),
    plain("pnpx"),
    Wrapper {
        skips: 1,
        ..valued("podman exec", CONTAINER)
    },
    Wrapper {
        skips: 1,
        ..valued("podman run", CONTAINER)
    },
    plain("poetry run"),
    lines("powershell", &["-Command", "-c"]),
    lines("pwsh", &["-Command", "-c"]),
    plain("rye run"),
    plain("rtx exec"),
    Wrapper {
        skips: 1,
        ..plain("rustup run")
    },
    lines("script", &["-c", "--command"]),
    plain("setsid"),
    valued("stdbuf", &["-i", "-o", "-e"]),
    valued("strace", &["-e", "-o", "-p", "-s"]),
    lines("su", &["-c"]),
    valued(
        "sudo",
        &[
            "-u", "--user", "-g", "--group", "-h", "-p", "-C", "-D", "-r", "-t", "-T",
        ],
    ),
    valued("time", &["-f", "-o"]),
    Wrapper {
        skips: 1,
        ..valued("timeout", &["-s", "--signal", "-k", "--kill-after"])
    },
    plain("unbuffer"),
    valued("uv run", UV),
    begins("uv run", &["-m", "--module"]),
    valued("uv tool run", UV),
    valued("uvx", UV),
    plain("valgrind"),
    valued("watch", &["-n"]),
    plain("winpty"),
    valued("xargs", &["-n", "-P", "-I", "-L", "-d", "-s", "-a", "-E"]),
    valued("xvfb-run", &["-n", "-s", "-e", "-f"]),
    plain("yarn dlx"),
    plain("yarn exec"),
];

/// A program that reads a script.
pub(super) struct Interpreter {
    /// Its name.
    pub(super) name: &'static str,
    /// Options whose value is the next word.
    pub(super) valued: &'static [&'static str],
    /// Options that bring the script along, instead of its path.
    pub(super) inline: &'static [&'static str],
    /// Options after which a module and its own arguments stand.
    pub(super) modules: &'static [&'static str],
}

const fn interpreter(name: &'static str) -> Interpreter {
    Interpreter {
        name,
        valued: &[],
        inline: &["-e", "-c"],
        modules: &[],
    }
}

const PYTHON: Interpreter = Interpreter {
    name: "python",
    valued: &["-W", "-X"],
    inline: &["-c"],
    modules: &["-m"],
};

/// Programs whose first word is a script.
pub(super) const INTERPRETERS: &[Interpreter] = &[
    interpreter("bash"),
    interpreter("dash"),
    Interpreter {
        valued: &["-c", "--config"],
        inline: &[],
        ..interpreter("deno run")
    },
    interpreter("fish"),
    interpreter("go run"),
    interpreter("dart run"),
    interpreter("julia"),
    interpreter("ksh"),
    interpreter("lua"),
    Interpreter {
        valued: &["-r", "--require", "--import", "--loader", "-C", "--env-file"],
        inline: &["-e", "-p", "--eval", "--print"],
        ..interpreter("node")
    },
    Interpreter {
        valued: &["-I"],
        ..interpreter("perl")
    },
    Interpreter {
        valued: &["-d", "-c"],
        inline: &["-r"],
        ..interpreter("php")
    },
    Interpreter {
        name: "pypy",
        ..PYTHON
    },
    Interpreter { name: "py", ..PYTHON },
    PYTHON,
    Interpreter {
        valued: &["-r", "-I"],
        inline: &["-e"],
        ..interpreter("ruby")
    },
    interpreter("Rscript"),
    interpreter("sh"),
    Interpreter {
        valued: &["-r", "--import", "--tsconfig"],
        ..interpreter("ts-node")
    },
    Interpreter {
        valued: &["-r", "--import", "--tsconfig"],
        ..interpreter("tsx")
    },
    interpreter("zsh"),
];

/// Shells: their `-c` takes a command line.
pub(super) const SHELLS: &[&str] = &["bash", "dash", "fish", "ksh", "sh", "zsh", "cmd"];

/// Programs whose version may follow their name: `python3.12`, `gcc-14`.
pub(super) const VERSIONED: &[&str] = &[
    "clang",
    "clang++",
    "clang-format",
    "clang-tidy",
    "g++",
    "gcc",
    "lua",
    "perl",
    "php",
    "pip",
    "pypy",
    "python",
    "ruby",
];

/// Compilers that a target may precede: `aarch64-linux-gnu-gcc`.
pub(super) const TARGETED: &[&str] = &[
    "as", "c++", "cc", "clang", "clang++", "g++", "gcc", "gfortran", "ld",
];

/// Programs that are many programs in one: their first word belongs to their name.
pub(super) const BUNDLES: &[&str] = &[
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "conda",
    "deno",
    "docker",
    "docker compose",
    "docker-compose",
    "dotnet",
    "flutter",
    "gcloud",
    "gem",
    "gh",
    "git",
    "go",
    "helm",
    "kubectl",
    "mise",
    "mix",
    "npm",
    "nx",
    "pip",
    "pnpm",
    "podman",
    "poetry",
    "prisma",
    "rails",
    "supabase",
    "systemctl",
    "terraform",
    "tofu",
    "uv",
    "vercel",
    "wrangler",
    "yarn",
];
