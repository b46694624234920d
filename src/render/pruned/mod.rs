//! A tool's output without what the next turns will not miss (docs/working.md): the beginning, the
//! end and every line that tells of trouble stay as they are; words stand in the place of the rest.

mod stays;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::capture::{lists_files, shows_files};
use crate::policy::{KeepRule, Level, PruneMode, PruneRules};
use crate::text::pattern;
use stays::Stays;

/// The fewest lines that words take the place of.
const FEWEST: usize = 10;

/// A tool's output that is about to enter the conversation.
#[derive(Debug, Clone, Copy)]
pub struct ToolOutput<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The work of the tool.
    pub work: ToolWork,
    /// The command that it ran.
    pub command: Option<&'a str>,
    /// True when the call failed.
    pub is_failed: bool,
    /// The output.
    pub text: &'a str,
}

/// The work of a tool, as far as it tells whether its output may be pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolWork {
    /// It runs a command.
    Command,
    /// It lists files, or places in files.
    List,
    /// It reads a file.
    Read,
    /// It changes a file, and shows the difference.
    Change,
    /// It hands a task to another agent, or gives instructions to this one.
    Agent,
    /// It shows what mdmem keeps.
    Memory,
    /// Anything else.
    Other,
}

/// An output with words in the place of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedOutput {
    /// The text.
    pub text: String,
    /// The lines of the output that are not in it, counted from 0.
    pub gaps: Vec<Range<usize>>,
}

/// Shortens an output at this level, where that is wanted and makes it shorter. `errors` are the files that open errors
/// name; `call` is the name by which `memory_output` finds what is left out.
pub fn prune_output(
    output: &ToolOutput<'_>,
    rules: &PruneRules,
    level: Level,
    errors: &[String],
    call: &str,
) -> Option<PrunedOutput> {
    let is_due = match rules.mode {
        PruneMode::Off => false,
        PruneMode::Pressure => level >= Level::Yellow,
        PruneMode::Always => true,
    };
    let may_shrink = matches!(output.work, ToolWork::Command | ToolWork::List | ToolWork::Other);
    if !is_due || !may_shrink || output.is_failed {
        return None;
    }
    let keep: Vec<KeepRule<'_>> = rules
        .keep
        .iter()
        .filter_map(|rule| KeepRule::parse(rule))
        .collect();
    let lines: Vec<&str> = output.text.split_inclusive('\n').collect();
    let is_kept = |rule: &KeepRule<'_>| rule.keeps_output(output.tool, output.command);
    if lines.len() <= FEWEST || keep.iter().any(is_kept) || is_diff(&lines) {
        return None;
    }
    let lists = output.work == ToolWork::List || output.command.is_some_and(lists_files);
    let kind = if lists { Kind::Listing } else { Kind::of(&lines) };
    // The middle of a file, or of what was searched for, was asked for.
    let is_shown = kind == Kind::Text && output.command.is_some_and(shows_files);
    let ends = if is_shown { usize::MAX } else { ends(level) };
    let stays = Stays::new(output.text, kind, &keep, errors).of(&lines);
    let pruned = words_for(&lines, &parts(&lines, &stays, kind), ends, call);
    (!pruned.gaps.is_empty() && pruned.text.len() < output.text.len()).then_some(pruned)
}

/// The kinds of output that are read in their own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Names of files.
    Listing,
    /// Entries with a time or a level.
    Log,
    Text,
}

/// The bytes of a line in which its time and its level stand.
const HEAD: usize = 120;

impl Kind {
    /// The kind of an output of which nobody knows where it came from.
    fn of(lines: &[&str]) -> Self {
        static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r#"(?i)^.{0,32}\d\d:\d\d:\d\d|^[^a-z0-9]*(?:trace|debug|info|notice|warn|warning|error|fatal|crit|critical|severe|emerg|alert|err)(?-u:\b)|level=|"(?:level|severity)":"#,
            )
        });
        let lines = lines.iter().map(|line| line.trim());
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        let count = |is_one: &dyn Fn(&str) -> bool| lines.iter().filter(|line| is_one(line)).count();
        let paths = count(&|line| line.contains('/') && !line.contains(char::is_whitespace));
        let entries = count(&|line| ENTRY.is_match(head(line)));
        match lines.len() {
            0 => Self::Text,
            all if paths * 10 >= all * 9 => Self::Listing,
            all if entries * 2 >= all => Self::Log,
            _ => Self::Text,
        }
    }
}

fn head(line: &str) -> &str {
    &line[..line.floor_char_boundary(HEAD)]
}

/// True when a text holds the difference of two files.
fn is_diff(lines: &[&str]) -> bool {
    let is_hunk = |pair: &[&str]| pair[0].starts_with("+++ ") && pair[1].starts_with("@@ -");
    lines.iter().any(|line| line.starts_with("diff --git ")) || lines.windows(2).any(is_hunk)
}

/// A line with one sign for each word that has a digit (a count, a time, a hash): lines with the same are alike. In a
/// listing a name with another number is another file.
fn likeness(line: &str, kind: Kind) -> String {
    static VARYING: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z]*[0-9][A-Za-z0-9]*|[ \t]+"));
    let line = line.trim_end();
    if kind == Kind::Listing {
        return line.to_owned();
    }
    let sign = |found: &regex::Captures<'_>| {
        if found[0].starts_with([' ', '\t']) {
            " "
        } else {
            "\0"
        }
    };
    VARYING.replace_all(line, sign).into_owned()
}

/// The number of lines that stay at the beginning, and as many at the end.
const fn ends(level: Level) -> usize {
    match level {
        Level::Green => 30,
        Level::Yellow => 20,
        Level::Red | Level::Critical => 10,
    }
}

/// Lines beside each other that are one: a single line, or a run of lines that are alike.
struct Part {
    lines: Range<usize>,
    stays: bool,
}

fn parts(lines: &[&str], stays: &[bool], kind: Kind) -> Vec<Part> {
    let likeness: Vec<String> = lines.iter().map(|line| likeness(line, kind)).collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let is_alike = |next: &usize| !stays[at] && !stays[*next] && likeness[*next] == likeness[at];
        let end = at + 1 + (at + 1..lines.len()).take_while(is_alike).count();
        // Lines that are alike and few stand alone, and need no second look: the next line is like none of them.
        let size = if end - at > FEWEST { end - at } else { 1 };
        parts.extend((at..end).step_by(size).map(|first| Part {
            lines: first..first + size,
            stays: stays[first],
        }));
        at = end;
    }
    parts
}

/// Puts words in the place of what does not stay between the ends, and of all lines of a run but the first.
fn words_for(lines: &[&str], parts: &[Part], ends: usize, call: &str) -> PrunedOutput {
    let mut pruned = Pruning {
        lines,
        call,
        text: String::new(),
        gaps: Vec::new(),
    };
    let middle = ends..parts.len().saturating_sub(ends);
    let mut at = 0;
    while at < parts.len() {
        let goes = |place: &usize| middle.contains(place) && !parts[*place].stays;
        let going = (at..parts.len()).take_while(goes).count();
        let these = &parts[at..at + going.max(1)];
        let gap = these[0].lines.start..these[these.len() - 1].lines.end;
        if going > 0 && gap.len() >= FEWEST {
            pruned.leave_out(gap, "");
        } else {
            for part in these {
                pruned.show(&part.lines);
            }
        }
        at += these.len();
    }
    PrunedOutput {
        text: pruned.text,
        gaps: pruned.gaps,
    }
}

struct Pruning<'a> {
    lines: &'a [&'a str],
    call: &'a str,
    text: String,
    gaps: Vec<Range<usize>>,
}

impl Pruning<'_> {
    /// Shows a line, or the first of a run and the number of the others.
    fn show(&mut self, lines: &Range<usize>) {
        self.text.push_str(self.lines[lines.start]);
        if lines.len() > 1 {
            self.leave_out(lines.start + 1..lines.end, "like it ");
        }
    }

    fn leave_out(&mut self, gap: Range<usize>, like: &str) {
        let last = self.lines[gap.end - 1];
        let line_break = ["\r\n", "\n"].into_iter().find(|end| last.ends_with(end));
        let line_break = line_break.unwrap_or_default();
        let words = format!(
            "[mdmem: {} lines {like}left out; memory_output {{call: \"{}\"}} has them]{line_break}",
            gap.len(),
            self.call
        );
        self.text.push_str(&words);
        self.gaps.push(gap);
    }
}
