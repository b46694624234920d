//! The messages of the plugin to the server, and their times: played with a server that keeps what it is asked.

use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, Play, Turn, installed};
use super::fake::{Asked, Fake};
use crate::env::wait_for;

/// A shell command that the model runs.
fn bash(command: &str) -> Value {
    json!({"tool": "bash", "args": {"command": command, "description": "is a step"}})
}

fn add(text: &str) -> Value {
    json!({"tool": "memory_add", "args": {"text": text}})
}

/// The answers of a server that offers a tool, and wants the model to use it.
fn answers() -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "the fact"},
            "type": {"type": "string", "enum": ["feedback", "project"]},
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    let offer = json!({"name": "memory_add", "description": "Adds one fact", "schema": schema});
    json!({
        "hello": {"protocol": 1, "store": "/fake", "version": "0.0.0", "tools": [offer]},
        "message": {"memories": [], "refused": [], "told": {"text": "Call memory_add with the fact."}},
    })
}

/// The values of a parameter.
fn each(asked: &[Asked], param: &str) -> Vec<Value> {
    asked.iter().map(|asked| asked.params[param].clone()).collect()
}

/// The answers of the tools to the model in a turn.
fn told(turn: &Turn) -> Vec<String> {
    let last = turn.last("main");
    last.said_by("tool").into_iter().map(str::to_owned).collect()
}

/// One client for all of it: to start one takes longer than everything else.
#[test]
fn the_server_hears_what_is_said_and_done() {
    if !installed("the_server_hears_what_is_said_and_done") {
        return;
    }
    let fake = Fake::new();
    fake.behave(&json!({"answers": answers()}));
    write_templates(&fake);
    let mut client = fake.client();
    let session = client.session();

    a_message_comes_first_and_is_answered(&fake, &mut client, &session);
    fake.behave(&json!({}));
    a_command_that_is_stopped_is_told_by_head_and_tail(&fake, &mut client, &session);
    the_servers_own_tools_answer_or_say_what_to_do(&fake, &mut client, &session);
    of_a_command_what_was_typed_is_told(&fake, &mut client, &session);
    what_a_template_says_is_not_told(&fake, &mut client, &session);
    a_sub_agent_tells_nothing_and_stores_nothing(&fake, &mut client, &session);
    a_summary_is_told_before_the_next_prompt(&fake, &mut client, &session);
    the_level_is_told_where_it_is_due(&fake, &mut client, &session);

    client.delete(&session);
    let deleted = fake.wait_for("deleted", 1);
    assert_eq!(
        each(&deleted, "session"),
        [json!(session)],
        "the sub-agent's session was never known"
    );
    client.stop();
    assert_eq!(fake.asked().last().unwrap().method, "bye");
}

fn a_message_comes_first_and_is_answered(fake: &Fake, client: &mut OpenCode, session: &str) {
    let turn = client.turn(
        session,
        &Play::new("\"remember \\\"this\\\" please\"").says(&[bash("echo out; exit 3"), json!("done")]),
    );
    let methods = fake.asked().into_iter().map(|asked| asked.method);
    let methods: Vec<String> = methods.filter(|method| method != "pass").collect();
    assert_eq!(methods[..4], ["hello", "message", "prompt", "tool"]);
    let messages = client.messages(session);
    let message = &fake.asked_by("message")[0].params;
    assert_eq!(message["text"], "remember \"this\" please");
    assert_eq!(message["messageId"], messages[0]["info"]["id"]);

    // The model is shown the answer after the words; whoever reads the conversation sees that nobody typed it.
    let shown = turn.last("main").said_by("user").join("\n");
    assert!(shown.ends_with("\nCall memory_add with the fact."), "{shown}");
    assert_eq!(messages[0]["parts"][1]["synthetic"], true);

    let tool = &fake.asked_by("tool")[0].params;
    assert_eq!(tool["args"]["command"], "echo out; exit 3");
    assert_eq!((&tool["output"], &tool["exit"]), (&json!("out\n"), &json!(3)));
    let usage = &fake.wait_for("usage", 2)[0].params;
    let (answer, tokens) = (&usage["answer"], &usage["answer"]["tokens"]);
    assert_eq!(usage["limits"], json!({"context": 128_000, "output": 8_000}));
    assert_eq!(
        (&answer["providerID"], &answer["modelID"]),
        (&json!("scripted"), &json!("scripted"))
    );
    assert_eq!(
        (&tokens["total"], &tokens["cache"]),
        (&json!(1010), &json!({"read": 0, "write": 0}))
    );
}

/// The advice stands in the output of a tool, and what the plugin says by itself is nobody's message.
fn the_level_is_told_where_it_is_due(fake: &Fake, client: &mut OpenCode, session: &str) {
    let (messages, idle) = (fake.asked_by("message").len(), fake.asked_by("idle").len());
    let answers = json!({"idle": {"say": "remember: it is full"}, "tool": {"advice": "mdmem: it is full"}});
    fake.behave(&json!({"answers": answers}));
    let turn = client.play(session, &[bash("echo one"), json!("done")]);
    assert_eq!(told(&turn).last().unwrap(), "one\n\n\nmdmem: it is full");
    fake.wait_for("idle", idle + 1);
    fake.behave(&json!({}));
    let own = wait_for("the plugin's own message", LIMIT, || {
        let said = client.messages(session);
        let own = said
            .iter()
            .position(|message| message["parts"][0]["text"] == "remember: it is full")?;
        (said.len() > own + 1).then(|| said[own].clone())
    });
    assert_eq!(
        (&own["info"]["role"], &own["parts"][0]["synthetic"]),
        (&json!("user"), &json!(true))
    );
    client.prompt(session);
    let heard = fake.asked_by("message");
    assert_eq!(heard.len(), messages + 2, "only what the user said: {heard:#?}");
}

fn a_command_that_is_stopped_is_told_by_head_and_tail(fake: &Fake, client: &mut OpenCode, session: &str) {
    let read = json!({"tool": "read", "args": {"filePath": "missing.txt"}});
    let mut stopped = bash("head -c 600000 /dev/zero | tr '\\0' '.'; sleep 60");
    stopped["args"]["timeout"] = json!(500);
    let before = fake.asked_by("tool").len();
    client.play(session, &[read, stopped, json!("done")]);
    let tools = fake.wait_for("tool", before + 1);
    // A call that failed says nothing, and a command that was stopped has no exit code.
    assert_eq!(tools.len(), before + 1, "{tools:#?}");
    let stopped = &tools[before].params;
    assert_eq!(stopped["exit"], Value::Null);
    assert!(stopped["output"].as_str().unwrap().len() <= 1024 * 1024);
}

fn the_servers_own_tools_answer_or_say_what_to_do(fake: &Fake, client: &mut OpenCode, session: &str) {
    let before = fake.asked_by("tool").len();
    let turn = client.play(session, &[add("The parser is written by hand"), json!("done")]);
    assert_eq!(told(&turn).last().unwrap(), "memory_add is done");
    let call = &fake.asked_by("call")[0].params;
    assert_eq!(
        *call,
        json!({"session": session, "tool": "memory_add", "args": {"text": "The parser is written by hand"}})
    );
    let offered = turn
        .requests
        .last()
        .unwrap()
        .tools
        .iter()
        .find(|tool| tool["name"] == "memory_add");
    assert_eq!(
        offered.unwrap()["parameters"]["required"],
        json!(["text"]),
        "{offered:?}"
    );

    let refusal = "the text is empty: say the fact in one sentence";
    fake.behave(&json!({"answers": {"call": {"error": {"kind": "refused", "message": refusal}}}}));
    let turn = client.play(session, &[add(""), json!("done")]);
    assert_eq!(told(&turn).last().unwrap(), refusal);
    fake.behave(&json!({}));
    assert_eq!(
        fake.asked_by("tool").len(),
        before,
        "its own tools are no news to the server"
    );
}

fn of_a_command_what_was_typed_is_told(fake: &Fake, client: &mut OpenCode, session: &str) {
    let before = fake.asked_by("message").len();
    let commands = fake.env.workspace().join(".opencode/command");
    assert!(!commands.exists(), "the plugin brings its command along");
    let turn = client.command(session, "memory-flush", &Play::new(""));
    assert_eq!(fake.asked_by("flush").len(), 1);
    let shown = turn.last("main").said_by("user").pop().unwrap().to_owned();
    assert!(shown.contains("read anew by the fake"), "{shown}");
    assert_eq!(
        fake.asked_by("message").len(),
        before,
        "nobody typed the template"
    );

    fake.behaves("flush", "mute");
    let turn = client.command(session, "memory-flush", &Play::new(""));
    let shown = turn.last("main").said_by("user").pop().unwrap().to_owned();
    assert!(
        shown.contains("/memory-flush came to nothing: flush took more than 1000 ms"),
        "{shown}"
    );
}

/// Commands, a skill and a file that ask for what the user did not ask for.
fn write_templates(fake: &Fake) {
    let asks = "Remember: templates are nobody's word.\nFrom now on:\n- a rule of the template\n";
    let files = [
        (
            ".opencode/commands/check.md",
            format!("{asks}\nSee @notes.md, and look at $ARGUMENTS\n"),
        ),
        (
            ".opencode/commands/aside.md",
            format!("---\nsubtask: true\nagent: general\n---\n{asks}\n$1\n"),
        ),
        (
            ".opencode/skills/tidy/SKILL.md",
            format!("---\nname: tidy\ndescription: Tidies up\n---\n{asks}\n"),
        ),
        ("notes.md", asks.to_owned()),
    ];
    for (path, text) in files {
        let path = fake.env.workspace().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn what_a_template_says_is_not_told(fake: &Fake, client: &mut OpenCode, session: &str) {
    fake.behave(&json!({}));
    for (command, typed) in [
        ("check", "remember: the user's own words"),
        ("check", "\"quoted words\" and more\nremember: a second line"),
        ("check", ""),
        ("tidy", "remember: behind a skill"),
        ("tidy", ""),
        ("aside", "remember: for a sub-agent"),
    ] {
        let before = fake.asked_by("message").len();
        let steps = if command == "aside" {
            vec![json!("seen")]
        } else {
            Vec::new()
        };
        let turn = client.command(session, command, &Play::new(typed).subagent(&steps));
        let shown = format!("{:?}", turn.requests);
        assert!(
            shown.contains("templates are nobody"),
            "the template of /{command} was used: {shown}"
        );
        let told = each(&fake.asked_by("message")[before..], "text");
        let expected: Vec<Value> = [typed]
            .into_iter()
            .filter(|typed| !typed.is_empty())
            .map(Value::from)
            .collect();
        assert_eq!(told, expected, "/{command}");
    }
    // A message after a command is told whole.
    client.turn(session, &Play::new("remember: no command"));
    assert_eq!(
        fake.asked_by("message").last().unwrap().params["text"],
        "remember: no command"
    );
}

fn a_sub_agent_tells_nothing_and_stores_nothing(fake: &Fake, client: &mut OpenCode, session: &str) {
    fake.behave(&json!({}));
    let (before, calls) = (fake.asked().len(), fake.asked_by("call").len());
    let task = json!({"description": "look", "prompt": "remember: look around", "subagent_type": "general"});
    let play = Play::new("have a look")
        .says(&[json!({"tool": "task", "args": task}), json!("done")])
        .subagent(&[
            bash("echo by the sub-agent"),
            add("Sub-agents see this"),
            json!("seen"),
        ]);
    let turn = client.turn(session, &play);
    // The server says what a sub-agent may use.
    let told = turn.last("subagent").said_by("tool").pop().unwrap().to_owned();
    assert_eq!(told, "memory_add is done");
    let passed_on = fake.asked_by("call").split_off(calls);
    assert_eq!(each(&passed_on, "parent"), [json!(session)]);
    let others = fake.asked().into_iter().skip(before);
    for asked in others.filter(|asked| asked.method != "call") {
        assert_eq!(asked.params["session"], *session, "{asked:?}");
        assert_ne!(asked.params["args"]["command"], "echo by the sub-agent");
        assert_ne!(asked.params["text"], "remember: look around");
    }
}

fn a_summary_is_told_before_the_next_prompt(fake: &Fake, client: &mut OpenCode, session: &str) {
    let todos = json!([{"content": "write the parser", "status": "pending", "priority": "high"}]);
    let todo = json!({"tool": "todowrite", "args": {"todos": todos}});
    client.play(session, &[todo, json!("done")]);
    let first = client.compact_to(session, "## Goal\nThe first summary");
    let compacting = &fake.asked_by("compacting")[0].params;
    assert_eq!(
        (&compacting["todos"], &compacting["context"]),
        (&todos, &json!([]))
    );
    let asked = first.last("compaction").said_by("user").join("\n");
    assert!(asked.starts_with("Summarise this for the fake.\n"), "{asked}");
    assert!(!asked.contains("prior-summary"), "{asked}");

    // It takes the server longer than a prompt may take.
    fake.behaves("compacted", "late");
    let second = client.compact_to(session, "## Goal\nThe second summary");
    let asked = second.last("compaction").said_by("user").join("\n");
    assert!(
        asked.contains("<prior-summary>\n## Goal\nThe first summary\n</prior-summary>"),
        "{asked}"
    );
    client.prompt(session);
    let heard: Vec<Asked> = fake
        .asked()
        .into_iter()
        .filter(|asked| asked.method.starts_with("compact") || asked.method == "prompt")
        .collect();
    let methods: Vec<&str> = heard.iter().map(|asked| asked.method.as_str()).collect();
    assert_eq!(
        methods[methods.len() - 5..],
        ["compacting", "compacted", "compacting", "compacted", "prompt"]
    );
    let summaries = each(&fake.asked_by("compacted"), "summary");
    assert_eq!(
        summaries,
        ["## Goal\nThe first summary", "## Goal\nThe second summary"]
    );
}

/// Each of the messages is there once, in its turn, however the server behaved.
pub(super) fn what_a_server_missed_is_said_again(fake: &Fake, client: &mut OpenCode) {
    let session = client.session();
    let mut said = Vec::new();
    for word in ["well", "late", "once dead", "dead", "mute", "well"] {
        fake.behaves("message", word);
        let text = format!("{} by a server that is {word}", said.len());
        assert_eq!(client.turn(&session, &Play::new(&text)).text, "done");
        said.push(json!(text));
    }
    // The last turn ends before the mute server is given up; the next ones are what it is said again at.
    let last = said.last().unwrap().clone();
    wait_for("the last message", LIMIT, || {
        client.play(&session, &[json!("done")]);
        let heard = fake.asked_by("message");
        heard
            .iter()
            .any(|asked| asked.params["text"] == last)
            .then_some(())
    });
    let mut heard = fake.asked_by("message");
    heard.retain(|asked| ["well", "late"].contains(&asked.how.as_str()) && asked.params["text"] != "go on");
    let mut texts = each(&heard, "text");
    texts.dedup();
    // It is given to the server that then dies once, and again to the next; on a busy machine it comes later than that.
    let once_dead = said.remove(2);
    texts.retain(|text| *text != once_dead);
    assert_eq!(texts, said);
    let heard = fake.asked_by("message");
    let tried: Vec<_> = heard
        .iter()
        .filter(|asked| asked.params["text"] == once_dead)
        .collect();
    assert!(!tried.is_empty());
    let servers: std::collections::BTreeSet<u32> = heard.iter().map(|asked| asked.pid).collect();
    assert!(servers.len() > 1, "the servers that died were followed by others");
}

#[test]
fn opencode_run_ends_when_everything_is_told() {
    if !installed("opencode_run_ends_when_everything_is_told") {
        return;
    }
    let fake = Fake::new();
    // A person may have the plugin for all workspaces too; it speaks once all the same.
    Fake::install(&fake.env.home().join(".config/opencode/plugin"));
    let mut client = fake.client();

    fake.behave(&json!({"how": {"message": "once dead", "tool": "late"}}));
    let turn = client.run(&Play::new("remember: say \"hello\"").says(&[bash("true"), json!("done")]));
    assert_eq!(turn.text, "done");
    let asked = fake.asked();
    let methods: Vec<&str> = asked
        .iter()
        .map(|asked| asked.method.as_str())
        .filter(|method| !["prompt", "usage", "idle", "pass"].contains(method))
        .collect();
    assert_eq!(methods, ["hello", "message", "hello", "message", "tool", "bye"]);
    let heard = asked.iter().find(|asked| asked.method == "message").unwrap();
    assert_eq!(heard.params["text"], "remember: say \"hello\"");

    // A server from before all this costs nothing but a line in the log.
    let before = asked.len();
    fake.behave(&json!({"how": {"*": "unknown", "hello": "well", "prompt": "well"}}));
    let turn = client.run(&Play::new("one").says(&[bash("true"), json!("done")]));
    assert_eq!(turn.text, "done");
    client.logs("message was not taken: there is no method message");
    let asked = fake.asked();
    let methods: Vec<&str> = asked[before..]
        .iter()
        .map(|asked| asked.method.as_str())
        .collect();
    for method in ["message", "tool"] {
        assert_eq!(
            methods.iter().filter(|asked| **asked == method).count(),
            1,
            "{methods:?}"
        );
    }

    // One that does not even say hello costs a few seconds, and no tools.
    fake.behaves("*", "mute");
    assert_eq!(client.run(&Play::new("two")).text, "done");
    client.logs("there are no memory tools until OpenCode starts again: hello took more than 2000 ms");
}

#[test]
fn the_plugin_waits_for_questions_from_its_start_and_at_each_server() {
    if !installed("the_plugin_waits_for_questions_from_its_start_and_at_each_server") {
        return;
    }
    let fake = Fake::new();
    fake.behave(&json!({"how": {"message": "once dead"}}));
    let mut client = fake.client();
    let session = client.session();
    let first = fake.wait_for("pass", 1);
    assert_eq!(first[0].params, json!({"smallModel": "scripted/scripted"}));
    client.play(&session, &[bash("true"), json!("done")]);
    let asked = fake.asked();
    let tool = asked.iter().position(|asked| asked.method == "tool").unwrap();
    // Before any conversation rests.
    let mut passes = asked[..tool].to_vec();
    passes.retain(|asked| asked.method == "pass");
    assert_eq!(passes.len(), 2, "{asked:?}");
    assert_ne!(passes[0].pid, passes[1].pid);
}
