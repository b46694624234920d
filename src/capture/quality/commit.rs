//! `commit_or_ci_snapshot`: hashes and subjects of commits, pull requests, results of CI runs. Git and the CI know them.

use std::sync::LazyLock;

use regex::Regex;

use super::passage::Passage;
use super::table::Table;
use crate::capture::Rejection;

/// A commit's subject as tools write it. What follows is no address: `docs: https://…` is a reference.
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\W{0,2}(?:feat|fix|chore|docs?|refactor|tests?|perf|style|build|ci|revert|wip|hotfix|release)(?:\([^)]{1,60}\))?!?: (?:[^h\s]|h[^t]|ht[^t])|^\W{0,2}(?:fixup|squash)! |^Revert \x22|^Merge (?:branch|pull request|remote-tracking|tag) ")
        .expect("because a test compiles it")
});

/// Seven to forty hex digits, with what stands around them.
static HEX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\w/#.:@+=-]*").expect("because a test compiles it"));

/// What names something else than a commit by such digits.
static OTHER_IDS: Table = Table::new(&[
    r"\b(?:tenant|project|account|client|customer|zone|region|cluster|bucket|workspace|organi[sz]ation|org|team|app|application|device|user|space|page|database|table|channel|dashboard|board|list|key|resource|group|volume|image|container)(?:[- ]?(?:id|ids|uuid|identifier|key|digest))?(?: is| =|:)? x?[0-9a-f]{7,40}\b",
]);

/// Told always, also beside a rule.
static TOLD: Table = Table::new(&[
    r"\b(?:was|were|been|got|just|is now|are now) (?:merged|cherry-picked|rebased|squashed|force-pushed|committed) (?:as|into|to|in|on|onto|by|yesterday|today)\b",
    r"^(?:merged|pushed|cherry-picked|rebased|squashed|force-pushed|committed|landed) (?:as|into|to|in|on|onto|the|a|all|everything|\w+ (?:into|to|onto))\b",
    r"\b(?:landed|merged) (?:on|in|as|into) (?:main|master|trunk|develop) (?:as|in|with|yesterday|today)\b",
    r"\b(?:prs?|pull requests?|mrs?|merge requests?) ?[#!]?\d+\b.{0,60}\b(?:merged|opened|closed|approved|landed|is (?:open|ready|up|green|in review)|was|waits|waiting|awaits|needs review|adds|fixes|fixed|under review|reviewed)\b",
    r"\b(?:opened|created|closed|merged|submitted|filed|approved) (?:a |the |an? )?(?:draft )?(?:pr|pull request|mr|merge request)\b",
    r"\b\d+ commits? (?:ahead|behind)\b|\b(?:branch|head|main|master) is (?:now )?(?:at|\d+ commits?|ahead|behind|up to date)\b",
    r"\b(?:commit|revision|sha) [0-9a-f]{7,40}\b",
    r"(?:pr|mr|拉取请求|合并请求) ?#?\d+ ?(?:已经|已|被|刚)?(?:合并|合併|关闭|關閉|通过|批准)|已(?:经)?(?:合并|合併|推送|提交)(?:到|至|进)|提交(?:了)?(?:为|為)? ?[0-9a-f]{7}",
    r"(?:マージ|プッシュ|コミット)(?:しました|した|されました|された|済み)(?:$|[。、です])|(?:pr|プルリクエスト) ?#?\d+ ?(?:は|を|が)?.{0,10}(?:マージ|承認|クローズ)",
    r"(?:병합|머지|푸시|커밋)(?:했|됐|되었|하였|완료|됨|되어)|(?:pr|풀 ?리퀘스트) ?#?\d+.{0,10}(?:병합|머지|승인|닫)",
]);

/// Told where the clause does not speak in general.
static RESULT: Table = Table::new(&[
    r"\b%pipeline%\b(?: [#\w./:-]+){0,6}? (?:is|are|was|were|went|goes|turned|turns|stays?|stayed|now|still|has|have|currently|finally)(?: \w+)? ?\b(?:red|green|passed|passing|failed|failing|broken|succeeded|timed out|flaky|stuck|queued|running|blocked)\b",
    r"\b%pipeline%(?: [#\w./:-]+){0,4}? (?:passed|failed|succeeded|timed out|passes again|fails again|fails on|fails since|fails in)\b",
    r"\b%pipeline%(?: (?:is|are|all|now|again|on \w+))*,? (?:green|red)\b",
    r"\b(?:red|green|failing|failed|passing|broken) (?:on|in) (?:main|master|ci|trunk|develop)\b",
    r"\b(?:run|build|job|workflow) #?\d{2,}\b.{0,40}\b(?:passed|failed|succeeded|green|red|cancelled|canceled|timed out|finished|is running)\b",
    r"(?:流水线|流水線|持续集成|构建|構建|\bci).{0,10}(?:通过|通過|失败|失敗|变红|变绿|绿了|红了|挂了|成功|报错|是红|是绿)",
    r"(?:ci|ビルド|パイプライン|ワークフロー).{0,16}(?:通った|通りました|通っています|失敗した|失敗しました|失敗してい|成功しました|成功した|赤|緑|落ちて|落ちた|パスした|パスしました|グリーン)",
    r"(?:ci|빌드|파이프라인|워크플로).{0,16}(?:통과했|통과함|통과하|실패했|실패함|실패 중|실패하고|성공했|깨졌|빨간|초록|녹색)",
    r"\b(?:die )?(?:ci|pipeline|build) ist (?:rot|grün|kaputt|fehlgeschlagen)\b|\ble (?:pipeline|build) (?:est (?:rouge|vert)|a échoué|est passé)\b|\bel (?:pipeline|build) (?:falló|pasó|está (?:rojo|verde))\b",
]);

/// Whether a text tells of a commit or of a run.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    let found = SUBJECT.is_match(passage.whole)
        || has_hash(passage)
        || passage.says(&TOLD)
        || passage.says_of_one_case(&RESULT);
    found.then_some(Rejection::CommitOrCiSnapshot)
}

/// Whether a word is the hash of a commit: hex digits, with a letter and a digit among them. A number is none, nor is a
/// part of an id, a colour, an address or a path, nor the id of something that the words name.
fn has_hash(passage: &Passage<'_>) -> bool {
    let line = passage.whole.to_lowercase();
    let line = line.replace('`', "");
    HEX.find_iter(&line)
        .any(|word| is_hash(word.as_str().trim_end_matches(['.', ':'])))
        && !OTHER_IDS.matches(&line)
}

fn is_hash(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.chars().all(|c| c.is_ascii_hexdigit())
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic())
        && !is_power(word)
}

/// `1e10000`
fn is_power(word: &str) -> bool {
    word.split_once('e').is_some_and(|(mantissa, exponent)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits(mantissa) && digits(exponent) && exponent.len() <= 5 && mantissa.len() <= 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> bool {
        reason(&Passage::new(text)).is_some()
    }

    #[test]
    fn commits_and_runs_are_found() {
        for text in [
            "The fix is in 3f9c2ab7.",
            "Commit `4309cb8` contains the promotion fix",
            "chore(deps): bump serde to 1.0.200",
            "refactor!: drop the old parser",
            "Merge branch 'main' into feature/cart",
            "Merged as 9f31c7e2 into main, pipeline green.",
            "PR #482 was merged yesterday.",
            "Opened a draft PR for the tax parser",
            "CI is red on main since the job lint timed out.",
            "GitHub Actions run 8831 passed on the second attempt.",
            "The nightly build failed twice in a row.",
            "Pipeline is green again after the cache was cleared",
            "流水线昨晚失败了两次，需要重跑。",
            "CI は昨日から失敗しています。",
            "CI 빌드가 어제부터 실패하고 있다.",
        ] {
            assert!(found(text), "{text}");
        }
    }

    #[test]
    fn statements_about_them_are_none() {
        for text in [
            "Commit subjects have to name the ticket, for instance SHOP-812.",
            "The CI pipeline runs on self-hosted ARM machines only.",
            "A branch is merged only when the pipeline is green.",
            "Failed builds are kept for 30 days.",
            "Customer numbers start at 1000000.",
            "The demo tenant id is 3f9c2ab7d1.",
            "The brand colour is #1a2b3c4d on dark backgrounds.",
            "Staging uses the id 7c9e6679-7425-40de-944b-e07fc1f90ae7.",
            "docs: https://docs.example.com/guide",
            "The contract 2031884 covers all build servers.",
            "Builds are reproducible: the same commit gives the same bytes.",
            "PRs are squashed when they are merged into main.",
            "The deadbeef marker is written to freed pages.",
        ] {
            assert!(!found(text), "{text}");
        }
    }
}
