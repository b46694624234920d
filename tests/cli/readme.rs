//! The tour of README.md, run as it is written by a person with an empty home: each command, and what it prints; and the
//! picture of it.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::env::{LIMIT, TestEnv, Watching, wait_for, write_at};

/// A block of the tour: the word behind its fence, and its lines.
struct Block {
    kind: String,
    lines: Vec<String>,
}

fn blocks() -> Vec<Block> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let tour = text
        .split("\n## A tour\n")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let mut parts = tour.split("```");
    parts.next();
    let mut blocks = Vec::new();
    while let (Some(block), Some(_prose)) = (parts.next(), parts.next()) {
        let mut lines = block.lines().map(str::to_owned);
        let kind = lines.next().unwrap();
        blocks.push(Block {
            kind,
            lines: lines.collect(),
        });
    }
    blocks
}

/// A text without what differs from run to run: times, names of commits, keys of stores, where the home is.
fn the_same(text: &str, home: &str) -> String {
    let mut text = text.replace(home, "/home/you");
    for (pattern, word) in [
        (r"workspaces/[0-9a-f]{16}", "workspaces/KEY"),
        (r"\b[0-9a-f]{7}\b", "COMMIT"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\dZ)?", "TIME"),
        (r"\d\d:\d\d:\d\d", "CLOCK"),
        (r"\d{4}-\d\d-\d\d", "DAY"),
    ] {
        text = regex::Regex::new(pattern)
            .unwrap()
            .replace_all(&text, word)
            .into_owned();
    }
    text.trim_end().to_owned()
}

/// The machine of the reader: nothing in the home but a project, and an editor that types what the tour shows next.
fn machine() -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    let folder = PathBuf::from(env!("CARGO_BIN_EXE_mdmem"))
        .parent()
        .unwrap()
        .display()
        .to_string();
    env.set_var("PATH", &format!("{folder}:{}", std::env::var("PATH").unwrap()));
    env.set_var("EDITOR", "cp typed");
    std::fs::create_dir(env.home().join("shop")).unwrap();
    env
}

#[test]
fn the_tour_is_true() {
    let env = machine();
    let shop = env.home().join("shop");
    let home = env.home().display().to_string();
    let blocks = blocks();
    let mut watching: Option<Watching> = None;
    let mut commands = 0;
    for (at, block) in blocks.iter().enumerate() {
        if block.kind != "console" {
            continue;
        }
        if let Some(typed) = blocks.get(at + 1).filter(|next| next.kind == "markdown") {
            write_at(&shop.join("typed"), &(typed.lines.join("\n") + "\n"));
        }
        let text = block.lines.join("\n");
        let mut parts = format!("\n{text}")
            .split("\n$ ")
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .into_iter();
        // The watcher says the lines before the first command.
        let said = the_same(&parts.next().unwrap(), &home);
        if let (Some(watching), false) = (&watching, said.is_empty()) {
            wait_for(&format!("the watcher to say {said}"), LIMIT, || {
                let heard = the_same(&watching.said().join("\n"), &home);
                heard.contains(said.trim()).then_some(())
            });
        }
        for part in parts {
            let (command, output) = part.split_once('\n').unwrap_or((&part, ""));
            commands += 1;
            let mut shell = env.command("bash");
            shell.current_dir(if watching.is_some() {
                &shop
            } else {
                std::path::Path::new(&home)
            });
            if let Some(before) = command.strip_suffix("mdmem watch") {
                // The shell gives its place to the watcher, which ends with it.
                shell.args(["-c", &format!("exec 2>&1; {before}exec mdmem watch")]);
                let started = Watching::start(shell);
                started.wait_until_said("watching ");
                assert_eq!(
                    the_same(&started.said().join("\n"), &home),
                    the_same(output, &home)
                );
                watching = Some(started);
                continue;
            }
            // What mdmem says is what it says on a terminal, where there is util-linux's `script`.
            if cfg!(target_os = "linux") && command.starts_with("mdmem ") {
                let there = format!("stty columns 120; {command}");
                shell
                    .args(["-c", "exec script -qec \"$0\" /dev/null", &there])
                    .env("TERM", "dumb");
            } else {
                shell.args(["-c", &format!("exec 2>&1; {command}")]);
            }
            let ran = shell.output().unwrap();
            let printed = String::from_utf8(ran.stdout).unwrap().replace("\r\n", "\n");
            let printed = the_same(&printed, &home);
            assert_eq!(printed, the_same(output, &home), "$ {command}");
        }
    }
    assert!(commands >= 9, "{commands}");
}

/// The lines of the picture: the blocks of the tour up to the list, wrapped at words after 100 columns.
fn screen() -> Vec<(&'static str, String)> {
    let mut screen = Vec::new();
    for block in blocks().into_iter().take(5) {
        for line in &block.lines {
            let kind = match (block.kind.as_str(), line.starts_with("$ ")) {
                ("markdown", _) => "typed",
                (_, true) => "command",
                _ => "answer",
            };
            let mut rest = line.as_str();
            while let Some((end, _)) = rest.char_indices().nth(100) {
                let (part, left) = rest.split_at(rest[..end].rfind(' ').unwrap_or(end));
                screen.push((kind, part.to_owned()));
                rest = left.trim_start();
            }
            screen.push((kind, rest.to_owned()));
        }
        screen.push(("answer", String::new()));
    }
    screen.dedup();
    screen.pop();
    screen
}

#[test]
fn the_picture_shows_the_tour() {
    let screen = screen();
    let height = screen.len() * 18 + 52;
    let mut picture = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" viewBox="0 0 900 {height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>The first minutes with mdmem, in a terminal</title>
<style>text {{ white-space: pre; fill: #d8dee9 }} .command {{ fill: #a3be8c; font-weight: bold }} .typed {{ fill: #88c0d0 }}</style>
<rect width="900" height="{height}" rx="8" fill="#20242c"/>
<circle cx="20" cy="18" r="6" fill="#bf616a"/><circle cx="40" cy="18" r="6" fill="#ebcb8b"/><circle cx="60" cy="18" r="6" fill="#a3be8c"/>
"##
    );
    for (at, (kind, line)) in screen.iter().enumerate() {
        let line = line.replace('&', "&amp;").replace('<', "&lt;");
        let y = at * 18 + 52;
        _ = writeln!(
            picture,
            "<text x=\"20\" y=\"{y}\" class=\"{kind}\" xml:space=\"preserve\">{line}</text>"
        );
    }
    picture += "</svg>\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/first-minutes.svg");
    if std::env::var_os("MDMEM_WRITE_DOCS").is_some() {
        std::fs::write(path, picture).unwrap();
        return;
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        picture,
        "MDMEM_WRITE_DOCS=1 writes it anew"
    );
}
