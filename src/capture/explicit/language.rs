//! What a language's table holds.

/// The words of a language around requests. Every entry is a regular expression over a folded line (lower case,
/// NFKC, single spaces), so a table can be extended without a change elsewhere. Within a list, put the longer
/// before the shorter.
#[derive(Debug)]
pub(super) struct Language {
    /// How a trigger ends.
    pub(super) ending: Ending,
    /// Politeness and insistence before a request.
    pub(super) courtesies: &'static [&'static str],
    /// What a request may name before its verb ("これを覚えておいて"). Then a separator must follow the request.
    pub(super) objects_before: &'static [&'static str],
    /// What asks to remember.
    pub(super) triggers: &'static [Trigger],
    /// Politeness and particles that belong to the request before them. They need a separator, a space or the end
    /// of the line behind them.
    pub(super) particles: &'static [&'static str],
    /// What points at the body, or back at what was just said. It belongs to the request when a separator follows.
    pub(super) objects: &'static [&'static str],
    /// Words that begin a body without being part of it.
    pub(super) conjunctions: &'static [&'static str],
    /// Requests not to remember, from the beginning of a line, courtesies apart.
    pub(super) negations: &'static [&'static str],
    /// Requests to remember at another time that say the time first.
    pub(super) postponed: &'static [&'static str],
    /// How a body begins that puts the request off.
    pub(super) deferral_openings: &'static [&'static str],
    /// What inside a body, as a rule at the end of a clause, puts its matter off.
    pub(super) deferral_endings: &'static [&'static str],
    /// What looks like one of them and is a fact.
    pub(super) no_deferrals: &'static [&'static str],
    /// How a question ends that has no question mark.
    pub(super) question_endings: &'static [&'static str],
    /// Questions at the end of a request that only ask to be obeyed ("ok?").
    pub(super) question_tags: &'static [&'static str],
    /// What may be all that follows a request about what was just said.
    pub(super) thanks: &'static [&'static str],
    /// How a text begins that goes on from a request about what was just said.
    pub(super) continuations: &'static [&'static str],
    /// How a sentence ends that states something, where a request is a sentence of its own and what is meant follows it
    /// (覚えておいてください。…). Empty where the next sentence is mostly another task.
    pub(super) statement_endings: &'static [&'static str],
    /// What tells the type of a memory.
    pub(super) types: TypeWords,
}

/// How a trigger ends, so that it is a whole word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nowhere: words are not parted (Chinese). Compounds are told by a list.
    Anywhere,
    /// At a space, a separator or the end of the line.
    Word,
}

/// Words that ask to remember.
#[derive(Debug)]
pub(super) struct Trigger {
    pub(super) words: &'static str,
    pub(super) follows: Follows,
    /// What may not come right after them: compounds, recollections, answers.
    pub(super) unless: &'static [&'static str],
}

/// What follows a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// What is to be remembered, also as a clause with a conjunction.
    Clause,
    /// A sentence of its own: the trigger says since when it holds.
    Sentence,
    /// Only what a separator or a conjunction parts from it: without one it is an ordinary instruction.
    Parted,
}

/// What tells the type of a memory, each a regular expression.
#[derive(Debug)]
pub(super) struct TypeWords {
    /// In lower case text: places outside to look things up, and what they are called.
    pub(super) references: &'static [&'static str],
    /// In the text as typed: names that are ordinary words but for their capital.
    pub(super) names: &'static [&'static str],
    /// In lower case text: that something was decided.
    pub(super) decisions: &'static [&'static str],
    /// In lower case text: the project itself.
    pub(super) projects: &'static [&'static str],
}

/// Every language, in the order in which a line is held against them.
pub(super) static LANGUAGES: [&Language; 4] = [
    &super::english::ENGLISH,
    &super::chinese::CHINESE,
    &super::japanese::JAPANESE,
    &super::korean::KOREAN,
];
