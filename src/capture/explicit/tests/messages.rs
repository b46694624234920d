//! Whole messages: several lines, what stands around a request, and what nobody would type.

use super::{heard, ignores, refuses, stores};
use crate::capture::{RequestPatterns, requests};
use crate::model::{repeated, takes_its_length};

fn texts(message: &str) -> Vec<String> {
    heard(message)
        .memories
        .into_iter()
        .map(|memory| memory.text)
        .collect()
}

fn reasons(message: &str) -> Vec<&'static str> {
    heard(message)
        .refused
        .iter()
        .map(|refused| refused.reason.as_str())
        .collect()
}

#[test]
fn several_requests_keep_their_order() {
    let message = "Hi!\r\n1. Remember: use pnpm  \r\n2. 记住：提交前跑 lint\t\r\n\r\n覚えておいて：main に push しない\r\n기억해줘: 탭 대신 공백\r\nthanks";
    assert_eq!(
        texts(message),
        ["use pnpm", "提交前跑 lint", "main に push しない", "탭 대신 공백"]
    );
    assert_eq!(heard(message).bare, 0);
}

#[test]
fn said_twice_is_stored_once() {
    let message = "Remember: Use npm cache!\nplease remember that use NPM cache\n기억해줘: use npm cache.";
    assert_eq!(texts(message), ["Use npm cache!"]);
    assert_eq!(reasons(message), ["duplicate_in_message", "duplicate_in_message"]);
    let refused = heard(message).refused;
    assert_eq!(refused[0].text, "please remember that use NPM cache");
}

#[test]
fn each_item_of_a_list_below_a_request_is_stored() {
    for heading in [
        "From now on:",
        "Remember this:",
        "Remember the rules:",
        "从现在开始：",
        "今後は：",
        "앞으로는:",
    ] {
        let found = heard(&format!("{heading}\n- use pnpm\n- no barrels\n\nThanks"));
        let texts: Vec<&str> = found.memories.iter().map(|memory| memory.text.as_str()).collect();
        assert_eq!(texts, ["use pnpm", "no barrels"], "{heading}");
        assert_eq!((found.refused.len(), found.bare), (0, 0), "{heading}");
    }
    assert_eq!(
        texts("From now on:\n\n  1. use pnpm\n     for all\n     - x y z\n\n  2. no barrels\n3 lines"),
        ["use pnpm", "no barrels"],
        "what is below an item is part of it, and not stored"
    );
    assert_eq!(texts("Remember later:\n- use pnpm"), [""; 0]);
    assert_eq!(
        reasons("From now on:\n- use pnpm\n- x\n- later\n- use pnpm\n- is it so?"),
        ["too_short", "deferral", "duplicate_in_message"]
    );
}

/// In Japanese and Korean the request is a sentence of its own, and the next line states what it means.
#[test]
fn a_statement_below_a_request_is_stored() {
    for (message, text) in [
        (
            "これ覚えておいて\n運用DBは読み取り専用です",
            "運用DBは読み取り専用です",
        ),
        (
            "이거 기억해줘\n운영 DB는 읽기 전용이야",
            "운영 DB는 읽기 전용이야",
        ),
        (
            "아래 두 가지 기억해줘:\n- 운영 DB는 읽기 전용",
            "운영 DB는 읽기 전용",
        ),
    ] {
        assert_eq!(texts(message), [text], "{message}");
    }
    for message in [
        "これ覚えておいて\nテストも直してください",
        "이거 기억해줘\n이제 테스트도 고쳐줘",
        "運用DBは読み取り専用です\nこれ覚えておいて\nエラーが出ます",
    ] {
        assert_eq!(texts(message), [""; 0], "{message}");
    }
}

#[test]
fn a_request_without_a_list_is_for_the_model() {
    let found = heard("Remember: x\n- remember this\nRemember that.\n- use pnpm");
    assert_eq!((found.refused.len(), found.bare), (3, 2), "too short is not bare");
    assert_eq!(heard("From now on\nuse pnpm").bare, 1);
    assert_eq!(texts("From now on\n- use pnpm"), ["use pnpm"]);
    assert_eq!(heard("Remember this:\n\nthe port is 8080").bare, 1);
    assert_eq!(
        texts("Remember this:\nthe port is 8080\nthen go on"),
        ["the port is 8080"]
    );
    assert_eq!(heard("From now on:").bare, 1);
}

#[test]
fn a_long_list_is_taken_up_to_ten() {
    let items: Vec<String> = (1..=12).map(|n| format!("- rule {n} holds")).collect();
    let message = format!("From now on:\n{}", items.join("\n"));
    assert_eq!(heard(&message).memories.len(), 10);
    assert_eq!(reasons(&message), ["too_many_items", "too_many_items"]);
}

#[test]
fn what_was_pasted_is_left_out() {
    ignores(&[
        "```\nremember: use pnpm\n```",
        "~~~yaml\nremember: use pnpm\n~~~",
        "```\nremember: use pnpm",
        "Look:\n\n    remember: use pnpm\n",
        "$ cat NOTES\nremember: use pnpm",
        "2026-11-21 12:00:01 boot\nremember: rotate the key",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in x\nremember: rotate the key",
        "diff --git a/N b/N\n--- a/N\n+++ b/N\n@@ -1 +1 @@\n- remember: use pnpm\n+ remember: use npm now",
        "User: hello\nremember: use pnpm\nAssistant: noted",
        "<file path=\"NOTES\">\nremember: use pnpm\n</file>",
        "> a\n> remember: use pnpm",
        "see `a\nremember: use pnpm` b",
        "[10:32] Bob: hi\nremember: use pnpm",
        "npm ERR! code ELIFECYCLE\nremember: use pnpm",
        "src/a.rs:1:2: warning\nremember: use pnpm",
        "{\"level\":\"info\"}\nremember: use pnpm",
        "\"\"\"\nremember: use pnpm\n\"\"\"",
        "- ```sh\n  remember: use pnpm\n  ```",
        "用户：你好\n记住：用 pnpm 装依赖",
    ]);
}

#[test]
fn what_stands_beside_it_counts() {
    for message in [
        "\u{feff}Remember: use pnpm",
        "> quoted\nRemember: use pnpm",
        "```\ncode\n```\nRemember: use pnpm",
        "[12:00:01] a log\n\nRemember: use pnpm",
        "Remember: use pnpm\n$ make\nerror: x",
        "   Remember: use pnpm   ",
        "a `b` c\nRemember: use pnpm",
        "\u{200b}Remember\u{200b}: use pnpm\u{200b}",
        "Remember:\u{a0}use pnpm",
        "- [ ] Remember: use pnpm",
        "  * Remember: use pnpm",
        "Remember:\u{3000}use pnpm\0",
    ] {
        assert_eq!(texts(message), ["use pnpm"], "{message:?}");
    }
}

#[test]
fn controls_become_spaces() {
    assert_eq!(texts("remember: use\0pnpm and\tnpm"), ["use pnpm and\tnpm"]);
}

#[test]
fn patterns_of_the_user_ask_too() {
    let patterns = ["(?i)note to self", "TODO\\((.+)\\)"].map(str::to_owned);
    let patterns = RequestPatterns::new(&patterns).unwrap();
    let message = "- Note to self: use pnpm\na note to self: x y\nTODO(write the docs) soon\nnote to self: later\nnote to self\nnote to self: is it so?";
    let found = requests(message, &patterns);
    let texts: Vec<&str> = found.memories.iter().map(|memory| memory.text.as_str()).collect();
    assert_eq!(texts, ["use pnpm", "write the docs"]);
    let reasons: Vec<&str> = found
        .refused
        .iter()
        .map(|refused| refused.reason.as_str())
        .collect();
    assert_eq!(reasons, ["deferral", "too_short"]);
    assert_eq!(found.bare, 1);
}

#[test]
fn a_message_of_nothing_but_requests_is_cut_off() {
    let lines = |count: usize| repeated("remember: use tool#\n", count * "remember: use tool#\n".len());
    assert_eq!((texts(&lines(100)).len(), reasons(&lines(100)).len()), (100, 0));
    let many = heard(&lines(5_000));
    assert_eq!(many.memories.len(), 100);
    let [refused] = &many.refused[..] else {
        panic!("{:?}", many.refused)
    };
    assert_eq!(
        (refused.reason.as_str(), refused.text.as_str()),
        ("too_many_items", "remember: use tool100")
    );
    let list = format!("remember:\n{}remember: x\n", repeated("- use tool#\n", 60_000));
    assert_eq!((texts(&list).len(), reasons(&list).len()), (10, 91));
    let negated = repeated("don't remember this: tool#\n", 60_000);
    assert_eq!(reasons(&negated).len(), 101);
}

#[test]
fn hostile_messages_take_their_length() {
    let own = RequestPatterns::new(&["(?i)nb[:,] *".to_owned(), "merke (.*)$".to_owned()]).unwrap();
    for piece in PIECES {
        for (first, patterns) in [
            ("", &own),
            ("remember: ", &RequestPatterns::standard()),
            ("remember:\n- ", &own),
        ] {
            let message = |bytes: usize| format!("{first}{}", repeated(piece, bytes));
            let hear = |message: &String| {
                let heard = requests(message, patterns);
                assert!(heard.memories.len() + heard.refused.len() <= 101);
            };
            takes_its_length(&format!("{first}{piece}"), message, hear);
        }
    }
}

#[test]
fn a_message_of_5_mb_is_read() {
    let filler = "the log goes on and on, `code` and all\n".repeat(5 << 20 >> 6);
    let message = format!("{filler}\nremember: use pnpm\n\n{filler}");
    assert_eq!(texts(&message), ["use pnpm"]);
    let long = format!("remember: {}", "x y ".repeat(1 << 19));
    assert_eq!(texts(&long)[0].len(), long.trim_end().len() - "remember: ".len());
}

const PIECES: &[&str] = &[
    "please ",
    "remember ",
    "remember this, ",
    "`",
    "` `` ",
    "remember: x#\n",
    "remember:\n- x#\n",
    "remember:\n  - x#\n    - y\n",
    "remember that ",
    "don't remember ",
    "never forget that x#. ",
    "please remember x# later\n",
    "merke x#\n",
    "\"remember ",
    "“remember: x” ",
    "`remember ",
    "```\nremember: x#\n",
    "~~~",
    "<!--",
    "(",
    "记住：x#。",
    "请不要",
    "覚えておいて",
    "기억해 줘 x# ",
    "\r",
    "\u{a0}",
    ": ",
    "x#",
    "\u{301}",
    "<a>\n",
    "</a>",
    "> ",
    "- ",
    "请帮我",
    "기억해 ",
    "後で",
    "?",
    "later ",
    "\0",
    "    \n",
    "```\n",
];

#[test]
fn colours_of_a_terminal_are_no_words() {
    let message = "remember: deploy \u{1b}[32mfrom main\u{1b}[0m only";
    assert_eq!(texts(message), ["deploy from main only"]);
}

#[test]
fn a_rule_about_the_work_at_hand_is_asked_about_and_what_a_verb_asks_for_is_stored() {
    refuses(
        "unclear_wish",
        &["from now on the endpoint returns 404, implement that"],
    );
    stores(&[
        ("fix the build, and remember that we use pnpm", "we use pnpm"),
        ("use pnpm here, remember that. now fix the tests", "use pnpm here"),
    ]);
    let patterns = RequestPatterns::new(&["(?i)note to self:".to_owned()]).unwrap();
    let found = requests(
        "Note to self: the endpoint returns 404, implement that",
        &patterns,
    );
    assert_eq!(found.memories.len(), 1, "{found:?}");
}
