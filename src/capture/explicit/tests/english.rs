//! English.

use super::{asks_the_model, heard, ignores, refuses, stores};

/// Each line alone is a task of the session, and no memory.
#[test]
fn tasks() {
    for (line, task) in [
        ("Don't forget to close the ticket", "close the ticket"),
        (
            "remember, line 3 is broken, look at it",
            "line 3 is broken, look at it",
        ),
        (
            "Please remember to update the README when you're done.",
            "update the README when you're done.",
        ),
        ("remember to rename this function", "rename this function"),
        ("Don't forget to bump the version", "bump the version"),
        ("don't forget the error messages", "the error messages"),
        ("记得改完之后更新文档", "改完之后更新文档"),
        ("別忘了把那個檔案刪掉", "把那個檔案刪掉"),
        ("READMEの更新を忘れないでください", "READMEの更新"),
        ("끝나면 티켓 닫는 거 잊지 마", "끝나면 티켓 닫는 거"),
        // The work at hand, also behind a word for all times
        (
            "From now on, just give me the diff for this file",
            "just give me the diff for this file",
        ),
        (
            "Remember to use the new token for this request",
            "use the new token for this request",
        ),
        ("going forward, skip step 3", "skip step 3"),
        ("Remember to first read the README", "first read the README"),
        ("次からはまずこのテストを直して", "まずこのテストを直して"),
        // A verb behind "to" is a job, unless it is the verb of a habit or has a kind of thing for its object.
        (
            "remember to tell me when the import is finished",
            "tell me when the import is finished",
        ),
        ("don't forget to commit", "commit"),
        ("记得提交代码", "提交代码"),
        ("テスト追加するの忘れないでよ", "テスト追加する"),
        ("테스트 돌리는 거 잊지 마세요", "테스트 돌리는 거"),
        // The rest is unfinished, or ends by itself, though it speaks of all times.
        (
            "remember that test_upload is still red",
            "test_upload is still red",
        ),
        (
            "from now on in this session, only edit files under src/api",
            "in this session, only edit files under src/api",
        ),
        (
            "覚えておいて、今ステージングDB止めてるから触らないで",
            "今ステージングDB止めてるから触らないで",
        ),
        ("잊지 마, 오늘 안에 PR 올려야 해", "오늘 안에 PR 올려야 해"),
    ] {
        let found = heard(line);
        assert_eq!(
            (found.tasks, found.memories.len()),
            (vec![task.to_owned()], 0),
            "{line}"
        );
    }
}

/// `todo:` at the beginning of a line names a job, whatever else its words say.
#[test]
fn jobs_by_their_word() {
    for (line, tasks) in [
        ("TODO: always close the ticket", vec!["always close the ticket"]),
        ("- todo: ask Ana about the lexer", vec!["ask Ana about the lexer"]),
        ("Todo： 关闭工单并通知安娜", vec!["关闭工单并通知安娜"]),
        ("todo:", vec![]),
        ("the todo: list is long", vec![]),
        ("todo!()", vec![]),
        ("```\nTODO: mend this function\n```", vec![]),
    ] {
        let found = heard(line);
        let memories = found.memories.len();
        assert_eq!(
            (found.tasks, memories),
            (tasks.into_iter().map(str::to_owned).collect(), 0),
            "{line}"
        );
    }
}

/// What asks to obey a rule at its end is no part of it.
#[test]
fn a_rule_without_its_tag() {
    let found = heard("Never use yarn here, ok?");
    assert_eq!(found.memories[0].text, "Never use yarn here");
    assert!(
        heard("Should we never use yarn here, please?")
            .memories
            .is_empty()
    );
}

/// A habit, a fact and what holds each time are no tasks.
#[test]
fn standing_wishes() {
    for line in [
        "remember to use pnpm",
        "remember to run the linter before a commit",
        "don't forget to update the changelog with every release",
        "remember to always close the ticket",
        "remember that the ticket is closed by the bot",
        "don't forget the staging database is read-only",
        "remember to check types before you push",
        "from now on update the docs with the code",
        "记得每次都更新文档",
        "記得用 pnpm",
        "リリースのたびにREADMEを更新することを覚えておいて",
        "커밋마다 문서를 업데이트하는 것 기억해줘",
        "don't forget to use the company proxy",
        "don't ever use moment.js here",
        "never use lodash here.",
        "Don't ever use moment.js in here, please.",
        "Never use yarn here, please",
        "remember to include screenshots in reviews",
        "Use British English going forward",
        "no more emojis in commit messages from now on please",
        "in the future, always show me the diff before committing",
        "记得写代码要遵守 PEP8",
        "うちのチームはスクワッシュマージなのを忘れないで",
        "次からは変更前に確認してください",
        "앞으로 변수명은 카멜케이스로 해줘",
        "내 이름은 민수야, 기억해",
        "from now on always update the header in a file",
        "from now on, use pnpm in this repo",
        "Remember that step 3 of the release needs sudo",
        "Remember to first run the tests before committing",
        "今後はこのプロジェクトでは日本語で答えて",
    ] {
        let found = heard(line);
        assert_eq!((found.tasks, found.memories.len()), (vec![], 1), "{line}");
    }
}

#[test]
fn a_body_ends_with_its_sentence() {
    for (line, texts, tasks) in [
        (
            "Remember that Ann owns search. Also, please fix the typo",
            vec!["Ann owns search."],
            0,
        ),
        (
            "Remember that Ann owns search. And don't forget to close the ticket.",
            vec!["Ann owns search."],
            1,
        ),
        (
            "Ann owns search, remember that. Then fix the typo.",
            vec!["Ann owns search"],
            0,
        ),
        ("I said it twice. From now on use pnpm.", vec!["use pnpm."], 0),
        (
            "remember: 1) use pnpm 2) no barrels",
            vec!["use pnpm", "no barrels"],
            0,
        ),
    ] {
        let found = heard(line);
        let said: Vec<&str> = found.memories.iter().map(|memory| memory.text.as_str()).collect();
        assert_eq!((said, found.tasks.len()), (texts, tasks), "{line}");
    }
}

#[test]
fn requests() {
    stores(&[
        (
            "remember to run the linter before every commit",
            "run the linter before every commit",
        ),
        (
            "Remember the staging database is read-only",
            "the staging database is read-only",
        ),
        ("Remember, tests run in parallel", "tests run in parallel"),
        ("Remember - tests run in parallel", "tests run in parallel"),
        ("Remember — tests run in parallel", "tests run in parallel"),
        ("Remember... tests run in parallel", "tests run in parallel"),
        ("Remember! Never push to main", "Never push to main"),
        ("Remember this one thing: use pnpm", "use pnpm"),
        ("Remember the following: use pnpm", "use pnpm"),
        (
            "Remember this for later: deploys need the VPN",
            "deploys need the VPN",
        ),
        ("remember this please: use pnpm", "use pnpm"),
        ("Remember please that we use pnpm", "we use pnpm"),
        ("Remember this project uses pnpm", "this project uses pnpm"),
        ("Remember that that flag is gone", "that flag is gone"),
        (
            "Remember that when deploying you need the VPN",
            "when deploying you need the VPN",
        ),
        (
            "Remember that time zones are always UTC",
            "time zones are always UTC",
        ),
        (
            "Remember that bug reports need a label",
            "bug reports need a label",
        ),
        ("Pls remember: use pnpm", "use pnpm"),
        ("Please, remember that we use pnpm.", "we use pnpm."),
        (
            "please always remember to close the file handles",
            "close the file handles",
        ),
        ("Do not forget to use pnpm", "use pnpm"),
        ("Dont forget: use pnpm", "use pnpm"),
        ("Don’t forget: use pnpm", "use pnpm"),
        ("Please don't forget that CI runs on ARM", "CI runs on ARM"),
        ("Never forget: production is in UTC", "production is in UTC"),
        ("save to memory: use pnpm", "use pnpm"),
        ("Please add this to your memory: use pnpm", "use pnpm"),
        ("Add this in memory: use pnpm", "use pnpm"),
        ("save to memory that we use pnpm", "we use pnpm"),
        ("commit to memory: use pnpm", "use pnpm"),
        ("Please commit this to memory - use pnpm", "use pnpm"),
        ("From now on use pnpm instead of npm", "use pnpm instead of npm"),
        ("from now on: no default exports", "no default exports"),
        ("From now on, please answer in German", "please answer in German"),
        ("Going forward we write ADRs", "we write ADRs"),
        ("Going forward, that flag stays off", "that flag stays off"),
        ("My preference is to keep functions small", "keep functions small"),
        ("I prefer that errors carry a path", "errors carry a path"),
        ("I prefer to squash before merging", "squash before merging"),
        (
            "Remember: never ask \"are you sure?\" twice",
            "never ask \"are you sure?\" twice",
        ),
        (
            "Remember: the health check is /live?full=1",
            "the health check is /live?full=1",
        ),
        ("Remember: use pnpm, ok?", "use pnpm"),
        ("Remember: kubernetes", "kubernetes"),
        ("Remember: -O3 breaks the build", "-O3 breaks the build"),
        ("Remember: --locked is needed in CI", "--locked is needed in CI"),
        ("Remember: deploy 🚀 only on Mondays", "deploy 🚀 only on Mondays"),
        ("Remember: we need Node 20 or later", "we need Node 20 or later"),
        ("Remember: later releases drop XML", "later releases drop XML"),
        (
            "Remember feature flags default to off",
            "feature flags default to off",
        ),
        (
            "Ｒｅｍｅｍｂｅｒ：　ｔａｂｓ are four wide",
            "ｔａｂｓ are four wide",
        ),
        ("remember this: don't forget to rebase", "don't forget to rebase"),
        (
            "Remember: don't remember passwords in the browser",
            "don't remember passwords in the browser",
        ),
        ("Please remember this: remember to rebase", "remember to rebase"),
        ("Ok, also remember that we use pnpm", "we use pnpm"),
        ("no, remember: use pnpm", "use pnpm"),
        ("Can you remember that we use pnpm?", "we use pnpm"),
        ("Could you please remember: use pnpm?", "use pnpm"),
        ("Keep in mind that CI runs on ARM", "CI runs on ARM"),
        ("make a note: CI runs on ARM", "CI runs on ARM"),
        ("Note for later: CI runs on ARM", "CI runs on ARM"),
        ("For future reference, CI runs on ARM", "CI runs on ARM"),
    ]);
}

#[test]
fn about_what_was_said() {
    asks_the_model(&[
        "Remember this",
        "Remember this.",
        "remember that!",
        "Please remember this, thanks!",
        "Remember this for later",
        "Save this to memory",
        "Save this to memory please.",
        "Add it to your memory, thank you",
        "Don't forget this.",
        "Remember this and fix the tests",
        "Remember this, then run the tests",
        "Please remember this. Now fix the build.",
        "Remember this, it's important",
        "Remember this when you write tests",
        "Remember:",
        "Remember this, ok?",
        "from now on",
    ]);
    refuses(
        "too_short",
        &["Remember: tabs", "Remember 42", "save to memory: no"],
    );
}

#[test]
fn not_to_remember() {
    refuses(
        "negated_request",
        &[
            "Don't remember this",
            "Do not remember that: it is temporary",
            "Dont remember any of that",
            "Please don't save this to memory",
            "Please do not add the token to memory",
            "Never remember this",
            "never store that in memory: it is a test",
            "No need to remember this",
            "No need to remember: it changes tomorrow",
            "There's no need to remember that",
            "You don't have to remember this one",
            "You don't need to save this to memory",
            "you needn't remember the port",
            "Don't bother remembering this",
            "- don’t remember this: x is y",
        ],
    );
}

#[test]
fn at_another_time() {
    refuses(
        "deferral",
        &[
            "Remember this later",
            "Remember later, please",
            "Remember it next time",
            "Remember this next time, not now",
            "Remember this, but not yet",
            "Remember that we will discuss the cache later",
            "Save this to memory later",
            "Remember this once I have confirmed it",
            "Remember: let's talk about naming another time",
            "Later, remember: use pnpm",
            "Don't forget to do this later.",
        ],
    );
}

#[test]
fn nothing_of_the_kind() {
    ignores(&[
        "Do you remember the port?",
        "Remember?",
        "Remember this?",
        "Remember the port we used?",
        "Remember when we used esbuild",
        "Remember how it was before",
        "Remember that time we broke main",
        "Remember the last time this happened",
        "Remember me checkbox is broken",
        "Remember Me button does nothing",
        "Remember password option is gone",
        "Remember-me cookies expire",
        "remember_me is a column",
        "remember() is never called",
        "Remembering is hard",
        "Remembers nothing",
        "I remember that we use pnpm",
        "I don't remember",
        "I'll remember that",
        "You should remember: use pnpm",
        "Can you remember the port?",
        "Can you remember this?",
        "Don't forget is the name of the app",
        "Don't remember which branch it was",
        "Don't you remember that we use pnpm?",
        "Add in memory caching for users",
        "Save in memory, not on disk",
        "Add to memory limits in the manifest",
        "Save this to disk: x and y",
        "Store the sessions in memory",
        "Going forward with the plan",
        "I prefer the second one",
        "I prefer option B.",
        "I preferred the old one",
        "I'd prefer tabs over spaces",
        "My preferences are stored in a file",
        "`remember: use pnpm`",
        "\"Remember: use pnpm\" is what it prints",
        "> remember: use pnpm",
        "# Remember: use pnpm",
        "**Remember:** use pnpm",
        "| remember: use pnpm | x |",
        "Remember: should we use Redis?",
        "From now on?",
        "not remember: use pnpm",
    ]);
}
