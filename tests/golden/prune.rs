//! `prune.jsonl`: the lines of a tool's output that go, and the words in their place.

use mdmem::policy::{Level, PruneRules};
use mdmem::render::{ToolOutput, ToolWork, prune_output};
use serde_json::{Value, json};

const CALL: &str = "0123456789ab";

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let word = |name: &str| case[name].as_str().ok_or(format!("a case has a {name}"));
    let words = |name: &str| -> Vec<String> {
        let words = case[name].as_array().into_iter().flatten();
        words.map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let text = word("text")?;
    let rules = PruneRules {
        mode: serde_json::from_value(case["mode"].clone()).map_err(|_| "nobody knows the mode")?,
        keep: words("keep"),
    };
    let output = ToolOutput {
        tool: word("tool")?,
        work: match word("kind")? {
            "command" => ToolWork::Command,
            "list" => ToolWork::List,
            "read" => ToolWork::Read,
            "change" => ToolWork::Change,
            "agent" => ToolWork::Agent,
            "memory" => ToolWork::Memory,
            _ => ToolWork::Other,
        },
        command: case["command"].as_str(),
        is_failed: case["failed"].as_bool().ok_or("a call fails or does not")?,
        text,
    };
    let level = Level::parse(word("level")?).ok_or("nobody knows the level")?;
    let pruned = prune_output(&output, &rules, level, &words("errors"), CALL);
    let gaps = |gap: &std::ops::Range<usize>| json!([gap.start, gap.end]);
    let own = pruned
        .as_ref()
        .map(|pruned| pruned.gaps.iter().map(gaps).collect::<Vec<_>>());
    let wanted = case["expect"].as_array();
    let places = wanted.map(|gaps| gaps.iter().map(|gap| json!([gap[0], gap[1]])).collect::<Vec<_>>());
    if own != places {
        return Err(format!("{}: {own:?}, not {places:?}", case["name"]));
    }
    let Some((pruned, gaps)) = pruned.zip(wanted) else {
        return Ok(());
    };
    let expected = with_words(text, gaps);
    if pruned.text == expected {
        return Ok(());
    }
    Err(format!("{}: {:?}, not {expected:?}", case["name"], pruned.text))
}

/// The text with the words of each gap in the place of its lines, with the line break of the last of them.
fn with_words(text: &str, gaps: &[Value]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let place = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let mut expected = String::new();
    let mut at = 0;
    for gap in gaps {
        let (from, to) = (place(&gap[0]), place(&gap[1]));
        expected.extend(lines[at..from].iter().copied());
        expected += gap[2].as_str().unwrap();
        let breaks = ["\r\n", "\n"];
        expected += breaks
            .iter()
            .find(|end| lines[to - 1].ends_with(**end))
            .unwrap_or(&"");
        at = to;
    }
    expected.extend(lines[at..].iter().copied());
    expected
}
