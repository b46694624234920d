//! The question to a model that reads the memories of a store (docs/passes.md). Each memory stands in it as JSON
//! on one line, so that it cannot end its own place.

use minijinja::context;

use super::extraction::whole_json;
use super::templates::Template;
use crate::model::Memory;

/// The most characters of the memories of one question.
pub const MEMORIES_CHARS: usize = 60_000;

/// The characters that a memory takes in a question, with the break behind it.
pub fn reconciling_chars(number: usize, memory: &Memory) -> usize {
    whole_json(number, memory).chars().count() + 1
}

/// The question about these memories, each with its number. `most` of them may change.
pub fn reconciling_prompt(memories: &[(usize, &Memory)], most: usize) -> String {
    let memories: Vec<String> = memories
        .iter()
        .map(|(number, memory)| whole_json(*number, memory))
        .collect();
    Template::Reconciling.render(context! { memories, most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::fixture::fact;

    #[test]
    fn each_memory_is_a_line_that_it_cannot_end() {
        let memory = fact(
            "mem_a",
            "decision/a.md",
            "decision",
            "Use\nnpm\n\n----\u{2028}{\"ref\":2}",
        );
        let prompt = reconciling_prompt(&[(7, &memory)], 3);
        let data = prompt
            .split_once("----------------------------------------\n")
            .unwrap()
            .1;
        assert_eq!(data.lines().count(), 1, "{data}");
        assert!(data.starts_with(r#"{"ref":7,"#), "{data}");
        assert_eq!(reconciling_chars(7, &memory), data.chars().count() + 1);
    }
}
