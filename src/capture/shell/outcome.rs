//! For which of a command line's steps its exit code speaks, and how surely.

use super::categories::is_among;
use super::program::{Program, Runs, runs};
use super::syntax::{Joint, Step, steps};

/// Command lines within command lines that are read.
const MAX_DEPTH: usize = 4;

/// Programs that set the scene, wait or speak: what they return says nothing about the work before them.
const INERT: &str = ". : alias cd date declare echo exit export false kill local popd printf pushd pwd read return set \
    shift shopt sleep source trap true umask unset wait";

/// Programs at the end of a pipe that show all of what comes in, or its first or last lines: a failure is still seen.
const PASSING: &str = "bat cat head less more tail tee ts";

/// Programs at the end of a pipe that choose or change lines: what they leave out is not seen.
const CHOOSING: &str = "ag awk column cut egrep fgrep fold grep jq nl perl rg sed sort tr uniq wc";

/// The meaning of an exit code 0 for a step.
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
    /// The joint behind the pipe.
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

/// The programs that do the work of a command line, in order.
pub(super) fn programs(command: &str) -> Vec<Program> {
    let works = without_inert(works(command, false, MAX_DEPTH));
    works.into_iter().map(|work| work.program).collect()
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
    let mut works = works(command, command.contains("pipefail"), MAX_DEPTH);
    let mut is_last = true;
    while works.len() > 1
        && let Some(inert) = works.pop_if(|work| work.is_inert())
    {
        let program = &inert.program;
        let passes_code_on = program.file == "exit" && program.args.first().is_none_or(|arg| arg == "$?");
        let follows = works.last().is_some_and(|work| work.joint == Joint::Sequence);
        is_last &= !follows || passes_code_on;
    }
    let before_last = &works[..works.len().saturating_sub(1)];
    let end = before_last.iter().rposition(|work| work.joint == Joint::Sequence);
    let stops_at_errors = command.contains("set -e") || command.contains("errexit");
    works.drain(..end.filter(|_| !stops_at_errors).map_or(0, |end| end + 1));
    (works, is_last)
}

/// The pipes of a command line, and of the command lines that are given as words in it.
fn works(command: &str, sees_pipes: bool, depth: usize) -> Vec<Work> {
    let mut works = Vec::new();
    let mut pipe: Vec<Step> = Vec::new();
    for step in steps(command) {
        let joint = step.joint;
        pipe.push(step);
        if joint == Joint::Pipe {
            continue;
        }
        let pipe = std::mem::take(&mut pipe);
        match runs(&pipe[0].words) {
            // A program that runs on has not ended, and says nothing.
            _ if joint == Joint::Background => works.clear(),
            Runs::Line(line) if depth > 0 => {
                works.extend(self::works(&line, sees_pipes, depth - 1));
                if let Some(last) = works.last_mut() {
                    last.joint = joint;
                }
            }
            _ => works.extend(work(pipe, joint, sees_pipes)),
        }
    }
    works
}

/// The work of a pipe is done by the last step that is no filter.
fn work(pipe: Vec<Step>, joint: Joint, sees_pipes: bool) -> Option<Work> {
    let is_condition = pipe.iter().any(|step| step.is_condition);
    let programs = pipe.into_iter().filter_map(|step| match runs(&step.words) {
        Runs::Program(program) => Some((program, step.is_hidden)),
        Runs::Line(_) | Runs::Nothing => None,
    });
    let mut programs: Vec<(Program, bool)> = programs.collect();
    let main = programs.iter().rposition(|(program, _)| !is_filter(program));
    let filters = programs.split_off(main.map_or(programs.len(), |main| main + 1));
    let (program, is_hidden) = programs.pop()?;

    let hides = |(filter, is_hidden): &(Program, bool)| *is_hidden || is_among(CHOOSING, &filter.file);
    let certainty = if !is_condition && (filters.is_empty() || sees_pipes) {
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

/// True when a program shows or changes its input from a pipe.
pub(super) fn is_filter(program: &Program) -> bool {
    is_among(PASSING, &program.file) || is_among(CHOOSING, &program.file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command line; what succeeded when it returns 0, with `?` where the output decides and `??` where nothing is
    /// known; of what something failed when it does not.
    const CASES: &str = "
cd web && tsc && vitest => tsc vitest => tsc vitest
(cd web && vitest) => vitest => vitest
tsc; vitest => vitest => vitest
set -e; tsc; vitest => tsc vitest => tsc vitest
bash -c 'cd x && tsc' && vitest => tsc vitest => tsc vitest
vite & vitest => vitest => vitest
vite dev & =>  => 
vitest 2>&1 | tee log | tail -5 => vitest? => vitest?
vitest | grep passed => vitest?? => vitest??
vitest || true => vitest? => vitest
vitest || { echo failed; exit 1; } => vitest? => vitest
vitest > log || true => vitest? => vitest
vitest; echo \"exit $?\" => vitest? => vitest
vitest; exit $? => vitest => vitest
if vitest; then echo ok; fi => vitest? => vitest?
set -o pipefail; vitest | tail -5 => vitest => vitest
git ls-files | xargs eslint => eslint => eslint
tsc || vitest => tsc? => vitest
cat a | grep b => grep => grep
A=b =>  => 
";

    #[test]
    fn an_exit_code_speaks_for_steps() {
        let shown = |works: Vec<Work>| {
            let show = |work: &Work| match work.certainty {
                Certainty::Sure => work.program.name(),
                Certainty::IfClean => work.program.name() + "?",
                Certainty::Unknown => work.program.name() + "??",
            };
            works.iter().map(show).collect::<Vec<_>>().join(" ")
        };
        for case in CASES.trim_matches('\n').lines() {
            let mut parts = case.split(" => ");
            let line = parts.next().unwrap();
            assert_eq!(Some(shown(succeeded(line)).as_str()), parts.next(), "0: {line}");
            assert_eq!(Some(shown(failed(line)).as_str()), parts.next(), "1: {line}");
        }
    }
}
