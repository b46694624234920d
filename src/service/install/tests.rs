//! Entries added to texts of every form, and taken out again.

use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::AGENTS;
use super::edit::{EditError, Edited, Entry, Setup, edited};

/// The entries of a file of an agent.
fn entries(agent: &str, file: usize) -> &'static [Entry] {
    AGENTS.iter().find(|found| found.name == agent).unwrap().files[file].entries
}

fn connected(entries: &[Entry], text: &str) -> Result<Edited, EditError> {
    edited(entries, text, Setup::Connect)
}

fn taken_back(entries: &[Entry], text: &str) -> Edited {
    edited(entries, text, Setup::TakeBack).unwrap()
}

/// The parts of a JSON text that mean something, comments too, but for the commas between them.
fn tokens(text: &str) -> Vec<String> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let text = String::from_utf8(crate::sys::without_lone_surrogates(text.as_bytes())).unwrap();
    let text = text.trim_start_matches('\u{feff}');
    let parsed = jsonc_parser::parse_to_ast(text, &collect, &ParseOptions::default()).unwrap();
    let tokens = parsed.tokens.unwrap_or_default().into_iter();
    tokens
        .filter(|token| token.token != Token::Comma)
        .map(|token| text[token.range.start..token.range.end].trim_end().to_owned())
        .collect()
}

/// Adds the entries, and looks that a second time changes nothing, that everything else stays, and that it is all there
/// after the entries were taken back, but for containers in which nothing is.
#[track_caller]
fn there_and_back(entries: &[Entry], text: &str) -> String {
    let with = connected(entries, text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(with.left, [""; 0], "{text:?}");
    assert_eq!(connected(entries, &with.text).unwrap(), with, "{text:?}");
    let back = taken_back(entries, &with.text);
    assert_eq!(taken_back(entries, &back.text), back, "{text:?}");
    assert!(!back.text.contains("mdmem\","), "{text:?}: {}", back.text);
    if let Entry::Table(..) = entries[0] {
        let lines = |text: &str| text.trim().replace('\r', "");
        assert_eq!(lines(&back.text), lines(text));
    } else if let Entry::Block(_) | Entry::Below(..) = entries[0] {
        assert_eq!(back.text, text);
    } else if !matches!(entries[0], Entry::Whole(_)) {
        let (before, with, after) = (tokens(text), tokens(&with.text), tokens(&back.text));
        let mut all = with.iter();
        assert!(
            before.iter().all(|token| all.any(|other| other == token)),
            "{text:?}: {with:?}"
        );
        // A comment between two brackets of one line may go with the entry beside it.
        let is_said = |token: &&String| !"{}[]:".contains(token.as_str()) && !token.starts_with(['"', '/']);
        let said = |tokens: &[String]| tokens.iter().filter(is_said).cloned().collect::<Vec<_>>();
        assert_eq!(said(&before), said(&after), "{text:?}");
    }
    with.text
}

const CODEX: &str = "[mcp_servers.mdmem]\ncommand = \"mdmem\"\nargs = [\"mcp\"]\nenv_vars = [\"MDMEM_HOME\", \
    \"XDG_CONFIG_HOME\", \"XDG_DATA_HOME\", \"XDG_STATE_HOME\"]\n";

const NEW: &str = r#"{
  "mcpServers": {
    "mdmem": {
      "command": "mdmem",
      "args": ["mcp"]
    }
  }
}
"#;

#[test]
fn an_entry_of_json_is_added_in_the_form_of_the_text_around_it() {
    let entry = entries("claude-code", 0);
    let long = "\"mdmem\": {\n      \"command\": \"mdmem\",\n      \"args\": [\"mcp\"]\n    }";
    let made = format!("\"mcpServers\": {{\n    {long}\n  }}");
    let cases = [
        ("", NEW.to_owned()),
        ("// mine\n", format!("// mine\n{NEW}")),
        ("{}\n", NEW.to_owned()),
        (r#"{"a": 1}"#, format!("{{\n  \"a\": 1,\n  {made}\n}}")),
        (
            "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
            format!("{{\n  \"mcpServers\": {{\n    \"a\": {{}},\n    {long}\n  }}\n}}\n"),
        ),
        (
            "{\n  // first\n  \"theme\": \"dark\", // kept, \"mdmem\"\n  /* last */\n}\n",
            format!("{{\n  // first\n  \"theme\": \"dark\", // kept, \"mdmem\"\n  {made},\n  /* last */\n}}\n"),
        ),
        (
            "{\n  \"a\": 1 // note\n}\n",
            format!("{{\n  \"a\": 1, // note\n  {made}\n}}\n"),
        ),
        (
            "\u{feff}{\r\n\t\"a\": [\r\n\t\t1\r\n\t]\r\n}\r\n",
            "\u{feff}{\r\n\t\"a\": [\r\n\t\t1\r\n\t],\r\n\t\"mcpServers\": {\r\n\t\t\"mdmem\": {\r\n\t\t\t\"command\": \
             \"mdmem\",\r\n\t\t\t\"args\": [\"mcp\"]\r\n\t\t}\r\n\t}\r\n}\r\n"
                .to_owned(),
        ),
    ];
    for (before, after) in cases {
        assert_eq!(there_and_back(entry, before), after, "{before:?}");
    }
}

/// Readers of JSON take the last one.
#[test]
fn of_two_members_with_one_name_the_last_one_gets_the_entry() {
    let text = r#"{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}"#;
    let with = there_and_back(entries("claude-code", 0), text);
    assert!(
        with.starts_with(r#"{"mcpServers": {"a": {}}, "mcpServers": {"#),
        "{with}"
    );
    let read: Value = serde_json::from_str(&with).unwrap();
    assert_eq!(read["mcpServers"]["mdmem"]["command"], "mdmem");
    let hooks = r#"{"hooks": {"SessionEnd": [1], "SessionEnd": [2]}}"#;
    let with: Value = serde_json::from_str(&there_and_back(entries("claude-code", 1), hooks)).unwrap();
    assert_eq!(with["hooks"]["SessionEnd"].as_array().unwrap().len(), 2);
}

#[test]
fn half_an_emoji_in_an_escape_is_no_fault_and_stays() {
    let text = r#"{"history": ["cut emoji \ud83d", "\uDE00 \\ud83d 😀 \ud83d\ude00"], "mcpServers": {}}"#;
    for agent in ["claude-code", "cursor"] {
        let with = there_and_back(entries(agent, 0), text);
        assert!(with.contains(&text[..text.len() - 20]), "{with}");
    }
    let own = r#"{"mcpServers": {"mdmem": {"command": "mdmem \ud83d"}}}"#;
    let left = connected(entries("cursor", 0), own).unwrap();
    assert_eq!((left.text.as_str(), left.left.len()), (own, 1));
}

#[test]
fn hooks_of_others_stay_where_they_are() {
    let text = r#"{
  "permissions": { "allow": ["Bash"] },
  "hooks": {
    "PostToolUse": [
      { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "ruff format" }] }
    ],
    "Stop": []
  }
}
"#;
    let with = there_and_back(entries("claude-code", 1), text);
    let with: Value = serde_json::from_str(&with).unwrap();
    let hook = |event: &str| {
        let command = format!("mdmem hook {event}");
        json!({"hooks": [{"type": "command", "command": command, "timeout": 5}]})
    };
    let others = json!({"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "ruff format"}]});
    let allowed = ["Bash", "mcp__mdmem__memory_read", "mcp__mdmem__memory_search"];
    assert_eq!(with["permissions"], json!({ "allow": allowed }));
    assert_eq!(
        with["hooks"],
        json!({
            "PostToolUse": [others, hook("post-tool-use")],
            "Stop": [],
            "SessionStart": [hook("session-start")],
            "UserPromptSubmit": [hook("user-prompt-submit")],
            "PostToolUseFailure": [hook("post-tool-use")],
            "PreCompact": [hook("pre-compact")],
            "SessionEnd": [hook("session-end")],
        })
    );
}

#[test]
fn what_somebody_wrote_otherwise_is_left_and_named() {
    let own = r#"{"mcpServers": {"mdmem": {"command": "/opt/mdmem", "args": ["mcp"]}}}"#;
    let toml = "[mcp_servers.mdmem]\ncommand = \"mdmem\"\nargs = [\"mcp\"]\nenabled = false\n";
    for (agent, text, name) in [
        ("cursor", own, "`mcpServers.mdmem`"),
        ("codex", toml, "`mcp_servers.mdmem`"),
    ] {
        for setup in [Setup::Connect, Setup::TakeBack] {
            let after = edited(entries(agent, 0), text, setup).unwrap();
            assert_eq!(
                (after.text.as_str(), after.left),
                (text, vec![name.to_owned()]),
                "{setup:?}"
            );
        }
    }
    let other = "{\"mcpServers\": []}";
    assert_eq!(taken_back(entries("cursor", 0), other).text, other);

    let hooks = entries("claude-code", 1);
    let slower = connected(hooks, "")
        .unwrap()
        .text
        .replacen("\"timeout\": 5", "\"timeout\": 60", 1);
    for setup in [Setup::Connect, Setup::TakeBack] {
        let after = edited(hooks, &slower, setup).unwrap();
        assert_eq!(after.left, ["`mdmem hook` in `hooks.SessionStart`"], "{setup:?}");
    }
    let left: Value = serde_json::from_str(&taken_back(hooks, &slower).text).unwrap();
    let kept = json!({"SessionStart": [{"hooks": [
        {"type": "command", "command": "mdmem hook session-start", "timeout": 60},
    ]}]});
    assert_eq!(left, json!({"hooks": kept}));
}

/// A person, or a formatter, wrote around the entry after it was added.
#[test]
fn what_came_after_the_entry_stays_when_it_goes() {
    let block = CODEX.trim_end();
    let after = |text: &str| NEW.replace("    }\n  }\n", text);
    for (agent, with, without) in [
        (
            "claude-code",
            after("    },\n    \"b\": 1\n  }\n"),
            "{\n  \"mcpServers\": {\n    \"b\": 1\n  }\n}\n",
        ),
        (
            "claude-code",
            after("    }\n  },\n  \"a\": 1,\n"),
            "{\n  \"a\": 1,\n}\n",
        ),
        ("claude-code", NEW.replace(['\n', ' '], ""), ""),
        ("codex", format!("a = 1\n{block}\n\n[b]\n"), "a = 1\n\n[b]\n"),
    ] {
        assert_eq!(taken_back(entries(agent, 0), &with).text, without, "{with}");
    }
}

#[test]
fn a_table_of_toml_is_added() {
    let entry = entries("codex", 0);
    let block = CODEX;
    let crlf = block.replace('\n', "\r\n");
    let cases = [
        ("", block.to_owned()),
        (
            "model = 'o'\n\n[mcp_servers.a]\ncommand = 'a'\n",
            format!("model = 'o'\n\n[mcp_servers.a]\ncommand = 'a'\n\n{block}"),
        ),
        ("\u{feff}a = 1\r\n", format!("\u{feff}a = 1\r\n\r\n{crlf}")),
        (
            "mcp_servers.a.command = 'a'\n",
            format!("mcp_servers.a.command = 'a'\n\n{block}"),
        ),
    ];
    for (before, after) in cases {
        assert_eq!(there_and_back(entry, before), after, "{before:?}");
    }
}

#[test]
fn a_file_that_is_not_understood_is_refused_with_the_place() {
    let deep = "[".repeat(100_000);
    for (agent, text, error) in [
        ("zed", "{\n  \"a\": é\n}", "line 2, column 8: unexpected word"),
        ("zed", "{\"a\": 1 \"b\": 2}", "line 1, column 8: expected comma"),
        (
            "zed",
            "{a: 1}",
            "line 1, column 2: expected string for object property",
        ),
        ("zed", "{\"a\": 1", "line 1, column 1: unterminated object"),
        ("zed", &deep, "line 1, column 513: maximum nesting depth exceeded"),
        (
            "zed",
            "[1]",
            "the file is not an object, so nothing can be added to it",
        ),
        (
            "zed",
            "{\n\"context_servers\": []}",
            "`context_servers` is not an object, so nothing can be added to it",
        ),
        ("codex", "a = 1\nb = = 2\n", "line 2: extra `=`, expected nothing"),
        (
            "codex",
            "a = 1\n[[mcp_servers]]\nname = \"x\"\n",
            "`mcp_servers` is a value in this file, but `mcp_servers.mdmem` needs a table",
        ),
    ] {
        assert_eq!(
            connected(entries(agent, 0), text).unwrap_err().to_string(),
            error,
            "{text:.40}"
        );
    }
    let hooks = "{\"hooks\": {\n\"SessionStart\": {}}}";
    assert_eq!(
        connected(entries("claude-code", 1), hooks)
            .unwrap_err()
            .to_string(),
        "`hooks.SessionStart` is not an array, so nothing can be added to it"
    );
}

/// The space between two tokens.
fn space() -> impl Strategy<Value = String> {
    const SPACES: &[&str] = &[
        "",
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\r\n\t",
        "\r",
        "\t",
        " /* c */ ",
        "// \"mcpServers\": {\n",
        "\n/**/\n",
    ];
    prop::sample::select(SPACES).prop_map(str::to_owned)
}

/// A value of JSON with comments, its containers with and without trailing commas.
fn value() -> impl Strategy<Value = String> {
    let plain = prop::sample::select(
        &[
            "1",
            "-2.5e3",
            "true",
            "null",
            r#""}, // no""#,
            r#""é\"\u00e9""#,
            "{}",
            "[]",
        ][..],
    );
    plain.prop_map(str::to_owned).prop_recursive(4, 40, 4, |inner| {
        let element = (space(), inner.clone(), space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let array = (prop::collection::vec(element, 0..4), any::<bool>(), space());
        let array = array.prop_map(|(parts, comma, end)| container('[', &parts, comma, &end, ']'));
        prop_oneof![array, object(inner, &["a", "b", "hooks"])]
    })
}

fn object(
    value: impl Strategy<Value = String> + Clone + 'static,
    names: &'static [&'static str],
) -> impl Strategy<Value = String> {
    let member = (
        space(),
        prop::sample::select(names),
        space(),
        space(),
        value,
        space(),
    )
        .prop_map(|(a, name, b, c, value, d)| format!("{a}\"{name}\"{b}:{c}{value}{d}"));
    let members = prop::collection::vec(member, 0..4);
    (members, any::<bool>(), space()).prop_map(|(parts, comma, end)| container('{', &parts, comma, &end, '}'))
}

fn container(open: char, parts: &[String], comma: bool, end: &str, close: char) -> String {
    let comma = if comma && !parts.is_empty() { "," } else { "" };
    format!("{open}{}{comma}{end}{close}", parts.join(","))
}

/// A file: the containers on the way to an entry are often there, often as something else.
fn file() -> impl Strategy<Value = String> {
    const NAMES: &[&str] = &["mcpServers", "servers", "context_servers", "hooks", "a"];
    const EVENTS: &[&str] = &["SessionStart", "PreCompact", "a", "b"];
    let root = object(
        prop_oneof![object(value().boxed(), EVENTS), value()].boxed(),
        NAMES,
    );
    let root = prop_oneof![9 => root.boxed(), 1 => Just(String::new()).boxed()];
    (
        prop::sample::select(&["", "\u{feff}"][..]),
        space(),
        root,
        space(),
    )
        .prop_map(|(mark, begin, root, end)| format!("{mark}{begin}{root}{end}"))
}

/// A file of TOML of tables and values that do not meet.
fn toml_file() -> impl Strategy<Value = String> {
    let parts = &[
        "a = 1",
        "# [mcp_servers.mdmem]",
        "",
        "[mcp_servers.x]",
        "b = '''\n[mcp_servers.mdmem]\n'''",
        "[t]",
        "  ",
    ];
    let lines = prop::sample::subsequence(&parts[..], 0..=parts.len()).prop_shuffle();
    (lines, prop::sample::select(&["\n", "\r\n"][..]), any::<bool>()).prop_map(|(lines, newline, ends)| {
        let text = lines.join(newline);
        if ends { text + newline } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn what_was_added_to_any_json_leaves_the_rest_as_it_is(text in file()) {
        for agent in AGENTS {
            for file in agent.files.iter().filter(|file| matches!(file.entries[0], Entry::Member(..) | Entry::Hook(..))) {
                match connected(file.entries, &text) {
                    Err(EditError::Shape { .. }) => {}
                    Err(error) => panic!("{text:?}: {error}"),
                    Ok(_) => drop(there_and_back(file.entries, &text)),
                }
            }
        }
    }

    /// No text makes it panic.
    #[test]
    fn any_text_is_refused_or_edited(text in r#"[{}\[\]",:/*\\ \n\r1aé\u{feff}]{0,24}"#) {
        for (agent, file) in [("zed", 0), ("claude-code", 1), ("codex", 0)] {
            match connected(entries(agent, file), &text) {
                Ok(_) => drop(there_and_back(entries(agent, file), &text)),
                Err(error) => prop_assert!(!error.to_string().contains('\n'), "{}", error),
            }
        }
    }

    /// A file without comments and trailing commas stays without.
    #[test]
    fn strict_json_stays_strict(text in file()) {
        let inner = text.trim_start_matches('\u{feff}');
        let before: Result<Value, _> = serde_json::from_str(inner);
        if let (Ok(mut before), Ok(with)) = (before, connected(entries("claude-code", 0), inner)) {
            let with: Value = serde_json::from_str(&with.text).unwrap();
            before["mcpServers"]["mdmem"] = json!({"command": "mdmem", "args": ["mcp"]});
            prop_assert_eq!(with, before);
        }
    }

    #[test]
    fn what_was_added_to_any_toml_leaves_the_rest_as_it_is(text in toml_file()) {
        if connected(entries("codex", 0), &text).is_ok() {
            there_and_back(entries("codex", 0), &text);
        }
    }
}

/// Each value of the table is JSON, and each name of an agent is one.
#[test]
fn the_table_is_consistent() {
    for (at, agent) in AGENTS.iter().enumerate() {
        assert!(
            AGENTS[..at].iter().all(|before| before.name != agent.name),
            "{}",
            agent.name
        );
        for file in agent.files {
            let with = there_and_back(file.entries, "");
            let is_json = matches!(file.entries[0], Entry::Member(..) | Entry::Hook(..));
            assert!(!is_json || serde_json::from_str::<Value>(&with).is_ok(), "{with}");
            let is_inside = |path: &str| path.split('/').all(|part| !matches!(part, "" | ".." | "."));
            let paths = file
                .in_workspace
                .into_iter()
                .chain(file.of_user.map(|(_, path)| path));
            assert!(
                paths.clone().all(is_inside) && paths.count() > 0,
                "{}",
                agent.name
            );
        }
    }
}

#[test]
fn lines_in_a_text_go_to_the_byte() {
    let block = entries("agents-md", 0);
    for text in ["", "\n", "# Mine", "# Mine\n", "# Mine\n\n", "\u{feff}# Mine\r\n"] {
        let with = there_and_back(block, text);
        assert!(
            with.starts_with(text) && with.ends_with("<!-- /mdmem -->\n"),
            "{with:?}"
        );
    }
    let with = connected(block, "# Mine\n").unwrap().text;
    assert_eq!(
        taken_back(block, &(with.clone() + "\nMore\n")).text,
        "# Mine\n\nMore\n"
    );
    let edited = with.replace("information", "gospel");
    let back = taken_back(block, &edited);
    assert_eq!(
        (back.text, back.left),
        (edited, vec!["`<!-- mdmem -->`".to_owned()])
    );
}

#[test]
fn lines_below_a_key_of_yaml_are_added_and_taken_out() {
    let goose = include_str!("../../../templates/agents/goose.yaml");
    let lines = |depth: usize| -> String {
        let lines = goose.lines();
        lines.flat_map(|line| [&"    "[..depth], line, "\n"]).collect()
    };
    let (two, four) = (lines(2), lines(4));
    for (before, after) in [
        ("", format!("extensions:\n{two}")),
        ("# mine\n", format!("# mine\nextensions:\n{two}")),
        ("GOOSE_MODEL: o\n", format!("GOOSE_MODEL: o\nextensions:\n{two}")),
        (
            "---\nextensions: # all\n    # first\n    a:\n        enabled: false\nz: 1\n",
            format!("---\nextensions: # all\n{four}    # first\n    a:\n        enabled: false\nz: 1\n"),
        ),
        (
            "extensions:\r\n  a: {}\r\n",
            format!("extensions:\r\n{}  a: {{}}\r\n", two.replace('\n', "\r\n")),
        ),
    ] {
        let entry = entries("goose", 0);
        let with = connected(entry, before).unwrap();
        assert_eq!(with.text, after, "{before:?}");
        assert_eq!(connected(entry, &with.text).unwrap(), with, "{before:?}");
        assert_eq!(taken_back(entry, &with.text).text, before, "{before:?}");
    }
    // Goose writes its file anew, in its order and form.
    let anew = "extensions:\n  a: {}\n  mdmem:\n    name: mdmem\n    type: stdio\n    cmd: mdmem\n    args: [mcp]\n    \
                description: The memory of this workspace\n    enabled: true\n    timeout: 300\n    bundled: null\n    \
                envs: {}\n    env_keys: []\n    available_tools: []\nz: 1\n";
    let back = taken_back(entries("goose", 0), anew);
    assert_eq!(back.text, "extensions:\n  a: {}\nz: 1\n");
    let other = anew.replace("timeout: 300", "timeout: 30");
    for edited in [
        connected(entries("goose", 0), &other).unwrap(),
        taken_back(entries("goose", 0), &other),
    ] {
        assert_eq!(
            (edited.text, edited.left),
            (other.clone(), vec!["`extensions`".to_owned()])
        );
    }
    for (text, why) in [
        ("extensions: {a: {}}\n", "`extensions` is not a block"),
        ("extensions: &all\n  a: {}\n", "`extensions` is not a block"),
        ("x: 1\nextensions: null\n", "`extensions` is not a block"),
        ("extensions: ~ # none\n", "`extensions` is not a block"),
        ("extensions: dev\n", "`extensions` is not a block"),
        ("- a\n", "the file is not a mapping"),
        ("a: [\n", "line 2, column 1"),
    ] {
        let refused = connected(entries("goose", 0), text).unwrap_err().to_string();
        assert!(refused.starts_with(why), "{text:?}: {refused}");
    }
    for (before, after) in [
        ("read:\n- a.md\n", "read:\n- \"/s/MEMORY.md\"\n- a.md\n"),
        (
            "read:\n  - a.md\nx: 1",
            "read:\n  - \"/s/MEMORY.md\"\n  - a.md\nx: 1",
        ),
    ] {
        let entry = [Entry::Below("read", "- \"/s/MEMORY.md\"".into())];
        assert_eq!(connected(&entry, before).unwrap().text, after);
        assert_eq!(taken_back(&entry, after).text, before);
    }
}
