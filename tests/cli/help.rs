//! The help, page by page, at 80 columns: `help/pages.txt` is every page as it is printed. `MDMEM_WRITE_DOCS=1` writes it
//! anew, for a person to read.

use std::path::Path;

use crate::env::{TestEnv, write_at};

/// The names of the commands, which the help names in groups, and of the topics.
pub(super) fn names(help: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in help.lines() {
        let Some(words) = line
            .strip_prefix("  ")
            .filter(|line| !line.starts_with(['-', '`', 'C', ' ']))
        else {
            continue;
        };
        match words.split_once(", ") {
            Some(_) if !words.contains("  ") => {
                names.extend(
                    words
                        .split([',', ' '])
                        .filter(|word| !word.is_empty())
                        .map(str::to_owned),
                );
            }
            _ => names.extend(words.split(' ').next().map(str::to_owned)),
        }
    }
    names.retain(|name| name.bytes().all(|byte| byte.is_ascii_lowercase()));
    names.extend(["types", "prompt", "files", "agents"].map(str::to_owned));
    names
}

#[test]
fn every_page_of_the_help_is_as_it_is_written_down() {
    let mut env = TestEnv::new();
    env.set_var("COLUMNS", "80");
    let page = |args: &[&str]| env.mdmem(args.iter().copied()).any_stdout().run().stdout;
    let help = page(&["--help"]);
    assert!(help.lines().count() <= 45, "{help}");
    let names = names(&help);
    assert!(names.len() > 35, "{names:?}");
    let mut pages = format!("$ mdmem --help\n{help}");
    for name in &names {
        pages.extend([&format!("\n$ mdmem help {name}\n"), &*page(&["help", name])]);
    }
    // `help sync` is the idea.
    pages.extend(["\n$ mdmem sync --help\n", &*page(&["sync", "--help"])]);
    // What a command has of its own below itself is listed on its page, without the options that all have.
    for name in names
        .iter()
        .filter(|name| !["types", "prompt", "files", "agents"].contains(&&***name))
    {
        let whole = page(&[name, "--help"]);
        let below = whole.split_once("\nCommands:\n").map_or("", |(_, below)| below);
        let below = below.lines().take_while(|line| !line.is_empty());
        let below = below.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        for below in below.filter(|below| !below.is_empty() && *below != "help") {
            let own = page(&["help", name, below]);
            let own = own.split("\nGlobal options:").next().unwrap();
            pages.extend([&*format!("\n$ mdmem help {name} {below}\n"), own]);
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/help/pages.txt");
    if std::env::var_os("MDMEM_WRITE_DOCS").is_some() {
        write_at(&file, &pages);
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(pages, expected, "MDMEM_WRITE_DOCS=1 writes it anew");
}
