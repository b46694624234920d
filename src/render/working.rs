//! The part of the hot snapshot that a conversation's agent keeps itself: blocks, packages, files, notes (docs/working.md).

use super::hot::{first, fit, hot_line, newest, text};
use crate::policy::{SessionRules, plain};
use crate::session::{BlockRule, PoolItem, PoolKind, SessionState};
use crate::text::path_below;

/// The hot snapshot with the blocks before it and the lists behind it, each in a budget of its own. `hot` may be empty.
/// A path below `root` is shown without it.
pub fn with_working(hot: &str, state: &SessionState, root: &str, rules: &SessionRules) -> String {
    if !rules.is_working {
        return hot.to_owned();
    }
    let heading = text(&[], None);
    let hot = hot.strip_prefix(&heading).unwrap_or(hot);
    let parts = [
        &working_blocks(state, rules),
        hot,
        &lists(state, root, rules, &heading),
    ]
    .concat();
    if parts.is_empty() {
        return parts;
    }
    heading + &parts
}

/// The blocks, each under its name with what it has of what it may have, on lines of their own; each begins with a line
/// break.
pub fn working_blocks(state: &SessionState, rules: &SessionRules) -> String {
    let block = |rule: &BlockRule| {
        let text = state.working.blocks.text(&rule.name);
        let chars = text.chars().count();
        let lines = text
            .lines()
            .map(|line| format!("\n  {}", plain(line).collect::<String>()));
        let heading = format!("\n{} ({chars}/{}):", rule.name, rule.limit);
        (chars > 0).then(|| lines.fold(heading, |block, line| block + &line))
    };
    BlockRule::all(&rules.blocks).iter().filter_map(block).collect()
}

/// The packages, the paths and the notes, by what they matter, on lines of their own.
fn lists(state: &SessionState, root: &str, rules: &SessionRules, heading: &str) -> String {
    let dependencies: Vec<String> = state
        .working
        .dependencies
        .iter()
        .map(|text| hot_line(text))
        .collect();
    let ranked = state.working.pool.ranked();
    let is_active = |item: &PoolItem| {
        let mut files = state.active_files.iter();
        item.kind == PoolKind::File && files.any(|file| file.path == item.text)
    };
    let of_kind = |kind: PoolKind| -> Vec<String> {
        let own = ranked.iter().filter(|item| item.kind == kind && !is_active(item));
        own.map(|item| hot_line(path_below(root, &item.text).unwrap_or(&item.text)))
            .collect()
    };
    let (files, notes) = (of_kind(PoolKind::File), of_kind(PoolKind::Note));
    let sections = [
        ("dependencies", newest(&dependencies, usize::MAX)),
        ("key_files", first(&files, usize::MAX)),
        ("notes", first(&notes, usize::MAX)),
    ];
    let fitted = fit(&sections, heading.chars().count() + rules.max_chars, None).text;
    fitted.strip_prefix(heading).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::BlockEdit;

    fn rules() -> SessionRules {
        SessionRules {
            is_working: true,
            blocks: vec!["plan 40".to_owned()],
            max_chars: 60,
        }
    }

    fn set(state: &mut SessionState, name: &str, text: &str) {
        let rules = BlockRule::all(&rules().blocks);
        state
            .working
            .blocks
            .edit(&rules, name, BlockEdit::Set(text))
            .unwrap();
    }

    #[test]
    fn blocks_stand_before_the_work_and_lists_behind_it_by_their_scores() {
        let heading = text(&[], None);
        let mut state = SessionState::default();
        assert_eq!(with_working("", &state, "/repo", &rules()), "");
        set(&mut state, "plan", "first\n\nthen");
        set(&mut state, "goal", "Ship it");
        state.working.depend("serde 1.0");
        for path in ["/repo/src/a.rs", "/b.rs", "/repo/src/a.rs"] {
            state.working.pool.add(PoolKind::File, path);
        }
        let expected = format!(
            "{heading}\ngoal (7/1000):\n  Ship it\nplan (11/40):\n  first\n  \n  then\nactive_files:\n- x\n\
             dependencies:\n- serde 1.0\nkey_files:\n- src/a.rs\n- /b.rs"
        );
        let hot = format!("{heading}\nactive_files:\n- x");
        assert_eq!(with_working(&hot, &state, "/repo", &rules()), expected);
        let off = SessionRules {
            is_working: false,
            ..rules()
        };
        assert_eq!(with_working(&hot, &state, "/repo", &off), hot);
    }

    #[test]
    fn a_line_that_does_not_fit_is_left_out_whole() {
        let mut state = SessionState::default();
        state.working.note("short");
        state.working.note(&"long ".repeat(12));
        let shown = with_working("", &state, "", &rules());
        assert!(shown.ends_with("\nnotes:\n- short"), "{shown}");
    }

    proptest! {
        #[test]
        fn no_text_adds_a_heading_or_passes_a_budget(texts in proptest::collection::vec("(\\PC|\n|\r|\u{2028}|:){0,40}", 3)) {
            let mut state = SessionState::default();
            set(&mut state, "goal", &format!("x{}", texts[0]));
            state.working.note(&texts[1]);
            state.working.pool.add(PoolKind::File, &texts[2]);
            let shown = with_working("", &state, "/repo", &rules());
            let breaks = ['\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}'];
            prop_assert!(!shown.contains(breaks));
            for line in shown.lines().skip(2) {
                let is_own = line.starts_with("  ") || line.starts_with("- ") || ["key_files:", "notes:"].contains(&line);
                prop_assert!(is_own, "{:?}", line);
            }
        }
    }
}
