//! For which of a command line's steps its exit code speaks, and how surely.

use super::categories::is_among;
use super::program::{Program, Runs, runs};
use super::syntax::{Joint, Step, steps};

/// Command lines within command lines that are read.
const MAX_DEPTH: usize = 4;

/// Steps after which lines within lines are not read any more.
const MOST_STEPS: usize = 400;

/// Programs that set the scene, wait or speak: what they return says nothing about the work before them.
const INERT: &str = ". : alias cd date declare echo exit export false kill local popd printf pushd pwd read return set \
    shift shopt sleep source trap true umask unset wait";

/// Programs at the end of a pipe that show all of what comes in, or its first or last lines: a failure is still seen.
pub(super) const PASSING: &str = "bat cat head less more tail tee ts";

/// Programs at the end of a pipe that choose or change lines: what they leave out is not seen.
pub(super) const CHOOSING: &str = "ag awk column cut egrep fgrep fold grep jq nl perl rg sed sort tr uniq wc";

/// What an exit code 0 says about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// It succeeded.
    Sure,
    /// Nothing by itself, since another program's code came last (`npm test | tail`): it succeeded when the output
    /// shows no failure.
    IfClean,
    /// Nothing: what it printed is not seen.
    Unknown,
}

/// A pipe, by the step that does its work.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) program: Program,
    pub(super) certainty: Certainty,
    /// What follows the pipe.
    joint: Joint,
}

impl Work {
    fn is_inert(&self) -> bool {
        is_among(INERT, &self.program.file)
    }
}

/// The steps that have succeeded when a command line returns 0, in order.
pub(super) fn succeeded(command: &str) -> Vec<Work> {
    let (mut works, is_last) = works_that_speak(command);
    let or = works.iter().position(|work| work.joint == Joint::Or);
    // Either what stands before the `||` succeeded, or what stands behind it.
    works.truncate(or.map_or(works.len(), |or| or + 1));
    if !is_last || or.is_some() {
        for work in &mut works {
            work.certainty = work.certainty.max(Certainty::IfClean);
        }
    }
    without_inert(works)
}

/// The steps of which one has failed when a command line returns more than 0, in order.
pub(super) fn failed(command: &str) -> Vec<Work> {
    let (mut works, _) = works_that_speak(command);
    let before_last = &works[..works.len().saturating_sub(1)];
    let or = before_last.iter().rposition(|work| work.joint == Joint::Or);
    works.drain(..or.map_or(0, |or| or + 1));
    without_inert(works)
}

/// Steps that set the scene are left out, unless there is nothing else.
fn without_inert(mut works: Vec<Work>) -> Vec<Work> {
    if !works.iter().all(Work::is_inert) {
        works.retain(|work| !work.is_inert());
    }
    works
}

/// The last list of pipes that does any work, and whether its exit code is that of the whole line.
fn works_that_speak(command: &str) -> (Vec<Work>, bool) {
    let mut plain = Vec::new();
    flatten(steps(command), MAX_DEPTH, &mut plain);
    let stops_at_errors = plain.iter().any(|step| sets(step, "errexit", 'e'));
    let sees_pipes = plain.iter().any(|step| sets(step, "pipefail", '\0'));
    let mut works: Vec<Work> = Vec::new();
    let mut pipe: Vec<Step> = Vec::new();
    for step in plain {
        let joint = step.joint;
        pipe.push(step);
        match joint {
            Joint::Pipe => {}
            // What runs on has not ended, and says nothing.
            Joint::Background => {
                pipe.clear();
                works.clear();
            }
            _ => works.extend(work(std::mem::take(&mut pipe), sees_pipes)),
        }
    }
    let mut is_last = true;
    while works.len() > 1
        && let Some(inert) = works.pop_if(|work| work.is_inert())
    {
        let passes_code_on =
            inert.program.file == "exit" && inert.program.args.first().is_none_or(|arg| arg == "$?");
        let follows = works.last().map(|work| work.joint);
        is_last &= follows != Some(Joint::Sequence) || passes_code_on;
    }
    let before_last = &works[..works.len().saturating_sub(1)];
    let end = before_last.iter().rposition(|work| work.joint == Joint::Sequence);
    if !stops_at_errors {
        works.drain(..end.map_or(0, |end| end + 1));
    }
    (works, is_last)
}

/// Steps whose word is a command line become the steps of that line.
fn flatten(steps: Vec<Step>, depth: usize, into: &mut Vec<Step>) {
    for step in steps {
        let line = match runs(&step.words) {
            Runs::Line(line) if depth > 0 && into.len() < MOST_STEPS => line,
            _ => {
                into.push(step);
                continue;
            }
        };
        let first = into.len();
        flatten(super::syntax::steps(&line), depth - 1, into);
        for inner in &mut into[first..] {
            inner.is_condition |= step.is_condition;
            inner.is_hidden |= step.is_hidden;
        }
        if let Some(last) = into[first..].last_mut() {
            last.joint = step.joint;
        }
    }
}

/// Whether a step is `set -e`, `set -o pipefail` or the like.
fn sets(step: &Step, option: &str, letter: char) -> bool {
    let has_letter =
        |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains(letter);
    step.words[0] == "set" && step.words.iter().any(|word| word == option || has_letter(word))
}

/// The work of a pipe is done by the last step that is no filter.
fn work(pipe: Vec<Step>, sees_pipes: bool) -> Option<Work> {
    let joint = pipe.last()?.joint;
    let is_condition = pipe.iter().any(|step| step.is_condition);
    let mut programs: Vec<(Program, bool)> = pipe
        .into_iter()
        .filter_map(|step| match runs(&step.words) {
            Runs::Program(program) => Some((program, step.is_hidden)),
            Runs::Line(_) | Runs::Nothing => None,
        })
        .collect();
    let is_filter = |(program, _): &(Program, bool)| {
        is_among(PASSING, &program.file) || is_among(CHOOSING, &program.file)
    };
    let main = programs.iter().rposition(|one| !is_filter(one));
    let filters = programs.split_off(main.map_or(programs.len(), |main| main + 1));
    let (program, is_hidden) = programs.pop()?;

    let is_masked = is_condition || (!filters.is_empty() && !sees_pipes);
    let hides = |(filter, is_hidden): &(Program, bool)| *is_hidden || is_among(CHOOSING, &filter.file);
    let certainty = if !is_masked {
        Certainty::Sure
    } else if is_hidden || filters.iter().any(hides) {
        Certainty::Unknown
    } else {
        Certainty::IfClean
    };
    Some(Work {
        program,
        certainty,
        joint,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(works: Vec<Work>) -> Vec<String> {
        let show = |work: Work| {
            let sign = match work.certainty {
                Certainty::Sure => "",
                Certainty::IfClean => "?",
                Certainty::Unknown => "??",
            };
            format!("{}{sign}", work.program.name())
        };
        works.into_iter().map(show).collect()
    }

    fn ok(command: &str) -> Vec<String> {
        shown(succeeded(command))
    }

    fn bad(command: &str) -> Vec<String> {
        shown(failed(command))
    }

    #[test]
    fn a_chain_succeeds_as_a_whole() {
        assert_eq!(ok("cd web && tsc && vitest run"), ["tsc", "vitest"]);
        assert_eq!(ok("(cd web && vitest)"), ["vitest"]);
        assert_eq!(ok("set -e; tsc; vitest"), ["tsc", "vitest"]);
        assert_eq!(ok("bash -c 'cd x && tsc' && vitest"), ["tsc", "vitest"]);
    }

    #[test]
    fn only_the_last_of_a_list_speaks() {
        assert_eq!(ok("tsc; vitest"), ["vitest"]);
        assert_eq!(bad("tsc\nvitest"), ["vitest"]);
        assert_eq!(ok("vite & vitest"), ["vitest"]);
        assert_eq!(ok("vite dev &"), [""; 0]);
        assert_eq!(ok("cd web"), ["cd"]);
    }

    #[test]
    fn a_masked_code_needs_a_clean_output() {
        assert_eq!(ok("vitest | tail -5"), ["vitest?"]);
        assert_eq!(ok("vitest 2>&1 | tee log | tail -5"), ["vitest?"]);
        assert_eq!(ok("vitest | grep passed"), ["vitest??"]);
        assert_eq!(ok("vitest > log || true"), ["vitest?"]);
        assert_eq!(ok("vitest || true"), ["vitest?"]);
        assert_eq!(ok("vitest; echo \"exit $?\""), ["vitest?"]);
        assert_eq!(ok("vitest; exit $?"), ["vitest"]);
        assert_eq!(ok("vitest; exit 0"), ["vitest?"]);
        assert_eq!(ok("if vitest; then echo ok; fi"), ["vitest?"]);
        assert_eq!(ok("set -o pipefail; vitest | tail -5"), ["vitest"]);
        assert_eq!(ok("set -euo pipefail\nvitest | grep x"), ["vitest"]);
        assert_eq!(ok("git ls-files | xargs eslint"), ["eslint"]);
        assert_eq!(ok("cat a | grep b"), ["grep"]);
    }

    #[test]
    fn one_of_a_chain_failed() {
        assert_eq!(bad("cd web && tsc && vitest"), ["tsc", "vitest"]);
        assert_eq!(bad("vitest || exit 1"), ["vitest"]);
        assert_eq!(bad("vitest || { echo failed; exit 1; }"), ["vitest"]);
        assert_eq!(bad("tsc || vitest"), ["vitest"]);
        assert_eq!(bad("vitest 2>&1 | tail -5"), ["vitest?"]);
        assert_eq!(bad("false"), ["false"]);
        assert_eq!(bad(""), [""; 0]);
        assert_eq!(bad("A=b"), [""; 0]);
    }
}
