//! For which of a command line's steps its exit code speaks, and how surely.

use super::invocation::{Invocation, Runs, runs};
use super::roles::{CHOOSING, INERT, PASSING};
use super::syntax::{Joint, Step, steps};

/// Command lines within command lines that are read.
const MAX_DEPTH: usize = 4;

/// Steps after which lines within lines are not read any more.
const MOST_STEPS: usize = 400;

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

/// A step for which the exit code speaks.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) invocation: Invocation,
    pub(super) certainty: Certainty,
}

/// The steps that have succeeded when a command line returns 0, in order.
pub(super) fn succeeded(command: &str) -> Vec<Work> {
    let (mut units, is_last) = list_that_speaks(command);
    let mut doubt = if is_last {
        Certainty::Sure
    } else {
        Certainty::IfClean
    };
    if let Some(or) = units.iter().position(|unit| unit.joint == Joint::Or) {
        // Either what stands before it succeeded, or what stands after.
        units.truncate(or + 1);
        doubt = Certainty::IfClean;
    }
    let works = units.into_iter().map(|unit| Work {
        invocation: unit.invocation,
        certainty: unit.certainty.max(doubt),
    });
    without_inert(works.collect())
}

/// The steps of which one has failed when a command line returns more than 0, in order.
pub(super) fn failed(command: &str) -> Vec<Work> {
    let (mut units, _) = list_that_speaks(command);
    while units.len() > 1 && units.last().is_some_and(|unit| is_inert(&unit.invocation)) {
        units.pop();
    }
    let last = units.len().saturating_sub(1);
    let after_or = units[..last].iter().rposition(|unit| unit.joint == Joint::Or);
    units.drain(..after_or.map_or(0, |at| at + 1));
    let works = units.into_iter().map(|unit| Work {
        invocation: unit.invocation,
        certainty: unit.certainty,
    });
    without_inert(works.collect())
}

/// Steps that set the scene are left out, unless there is nothing else.
fn without_inert(works: Vec<Work>) -> Vec<Work> {
    if works.iter().all(|work| is_inert(&work.invocation)) {
        return works;
    }
    works
        .into_iter()
        .filter(|work| !is_inert(&work.invocation))
        .collect()
}

fn is_inert(invocation: &Invocation) -> bool {
    INERT.contains(&invocation.program.as_str())
}

/// A pipe: the step that does the work in it, and what follows the pipe.
struct Unit {
    invocation: Invocation,
    certainty: Certainty,
    joint: Joint,
}

/// The last list of pipes that does any work, and whether its exit code is that of the whole.
fn list_that_speaks(command: &str) -> (Vec<Unit>, bool) {
    let mut plain = Vec::new();
    flatten(steps(command), MAX_DEPTH, &mut plain);
    let stops_at_errors = plain.iter().any(|step| sets(step, "errexit", 'e'));
    let sees_pipes = plain.iter().any(|step| sets(step, "pipefail", '\0'));

    let mut lists: Vec<Vec<Unit>> = vec![Vec::new()];
    let mut pipe: Vec<Step> = Vec::new();
    for step in plain {
        let joint = step.joint;
        pipe.push(step);
        if joint == Joint::Pipe {
            continue;
        }
        let list = lists.last_mut().expect("because there is one from the start");
        list.extend(unit(std::mem::take(&mut pipe), sees_pipes));
        match joint {
            // What runs on has not ended, and says nothing.
            Joint::Background => {
                list.clear();
            }
            Joint::Sequence if !stops_at_errors && !list.is_empty() => lists.push(Vec::new()),
            _ => {}
        }
    }
    lists.retain(|list| !list.is_empty());

    let passes_code_on = |list: &[Unit]| {
        list.iter().all(|unit| {
            let is_exit = matches!(unit.invocation.program.as_str(), "exit" | "return");
            is_exit
                && unit
                    .invocation
                    .args
                    .first()
                    .is_none_or(|arg| arg.starts_with('$'))
        })
    };
    let mut is_last = true;
    while lists.len() > 1
        && lists
            .last()
            .is_some_and(|list| list.iter().all(|unit| is_inert(&unit.invocation)))
    {
        let list = lists.pop().expect("because there are two");
        is_last &= passes_code_on(&list);
        // `code=$?; echo done; exit $code`: what stands between is not asked.
        if is_last {
            while lists.len() > 1
                && lists
                    .last()
                    .is_some_and(|list| list.iter().all(|unit| is_inert(&unit.invocation)))
            {
                lists.pop();
            }
        }
    }
    (lists.pop().unwrap_or_default(), is_last)
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
    let mut words = step.words.iter();
    words.next().is_some_and(|word| word == "set" || word == "bash")
        && words.any(|word| {
            word == option
                || (word.starts_with('-')
                    && !word.starts_with("--")
                    && word.contains(letter)
                    && step.words[0] == "set")
        })
}

/// The step of a pipe that does the work: the last that is no filter.
fn unit(pipe: Vec<Step>, sees_pipes: bool) -> Option<Unit> {
    let joint = pipe.last()?.joint;
    let is_condition = pipe.iter().any(|step| step.is_condition);
    let mut invocations: Vec<(Invocation, bool)> = pipe
        .into_iter()
        .filter_map(|step| match runs(&step.words) {
            Runs::Program(invocation) => Some((invocation, step.is_hidden)),
            Runs::Line(_) | Runs::Nothing => None,
        })
        .collect();
    let is_filter = |invocation: &Invocation, among: &[&str]| among.contains(&invocation.program.as_str());
    let main = invocations
        .iter()
        .rposition(|(one, _)| !is_filter(one, PASSING) && !is_filter(one, CHOOSING))
        .or(invocations.len().checked_sub(1))?;
    let filters: Vec<(Invocation, bool)> = invocations.drain(main + 1..).collect();
    let (invocation, is_hidden) = invocations.pop()?;

    let is_masked = is_condition || (!filters.is_empty() && !sees_pipes);
    let is_unseen = is_hidden
        || filters
            .iter()
            .any(|(one, is_hidden)| *is_hidden || is_filter(one, CHOOSING));
    let certainty = match (is_masked, is_unseen) {
        (false, _) => Certainty::Sure,
        (true, false) => Certainty::IfClean,
        (true, true) => Certainty::Unknown,
    };
    Some(Unit {
        invocation,
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
            format!("{}{sign}", work.invocation.name())
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
        assert_eq!(ok("vitest; code=$?; echo done; exit $code"), ["vitest"]);
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
