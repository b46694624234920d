//! Of which type a requested memory is.

use std::sync::LazyLock;

use regex::Regex;

use super::folded::Folded;
use super::language::compile;
use crate::capture::quality::states_a_fact;
use crate::model::Kind;

/// Places outside to look things up, in lower case. Words of the Latin alphabet are whole words.
const REFERENCES: &[&str] = &[
    r"\b(?:dashboards?|wiki|status page|issue tracker|grafana|jira|confluence|datadog|kibana)\b",
    r"\b(?:pagerduty|trello|figma|airtable|sentry|zendesk|splunk|new relic|opsgenie|bugsnag|rollbar)\b",
    r"\b(?:metabase|sharepoint|google (?:docs?|drive|sheets?)|onedrive|dropbox|asana|clickup)\b",
    r"\b(?:youtrack|redmine|bugzilla|jenkins|circleci|buildkite|teamcity|sonarqube|gerrit|zeplin)\b",
    r"\b(?:intercom|hubspot|salesforce|servicenow|mixpanel|posthog|statuspage|launchdarkly|retool)\b",
    r"\b(?:lucidchart)\b|\bchannel\b.*#[a-z]|\b(?:described|documented|explained|kept|written down) (?:in|at|under|on) (?:the )?(?:wiki|docs?\b|[^ ]+\.md)",
    r"\b(?:runbooks?|adrs?|manuals?|documentation|docs|guidelines|handbook|checklists?|specs?|design (?:files|docs?)) (?:[a-z]+ ){0,3}(?:is|are|lives?|in|under|at) (?:in |under |at |on )?[^ ]*(?:/|\.)[^ ]",
    r"看板|仪表盘|仪表板|儀表板|维基|維基|飞书|飛書|钉钉|釘釘|语雀|語雀|禅道|禪道|企业微信|企業微信|腾讯文档|石墨文档|监控面板|監控面板",
    r"ダッシュボード|ウィキ|課題管理ツール|スプレッドシート",
    r"대시보드|위키|노션|슬랙|컨플루언스|그라파나|피그마|지라(?:에|의|는|로|보드)",
];

/// Names that are ordinary words but for their capital.
const NAMES: &str =
    "Linear|Notion|Slack|Miro|Discord|Looker|Honeycomb|Basecamp|Shortcut|Loom|Amplitude|Segment|Tableau";

/// That something was decided, in lower case.
const DECISIONS: &[&str] = &[
    r"\b(?:decid(?:e|es|ed|ing)|decisions?|chose|chosen|opted (?:for|to)|settled on)\b",
    r"\b(?:agreed (?:on|to|that)|went (?:with|back to)|going with|voted (?:for|to|against)|ruled out)\b",
    r"\bwe (?:have |had )?(?:picked|ditched|rejected|dropped|adopted|abandoned|opted)\b",
    r"[决決]定|[选選]定|[选選][择擇]了|[选選]用了|敲定|定下[来來]|拍板|商定|[决決][议議]",
    r"決定|決め(?:た|まし)|に決ま(?:った|りまし)|採用(?:した|しまし|する)|選んだ|選びまし|選定|選択し(?:た|まし)",
    r"ことに(?:した|しまし|なった|なりまし)",
    r"결정|정했|정하기로|정한|선택했|선택하기로|채택|골랐|고르기로|[가-힣]기로 ?(?:했|함|하였|합의)",
];

/// The project itself, in lower case.
const PROJECTS: &[&str] = &[
    r"\b(?:(?:this|our|the (?:whole|entire|current)) (?:project|repo|repository|codebase|code base|workspace|monorepo))\b",
    r"\b(?:the project (?:is|has|uses|needs|requires|supports|targets|depends|runs|builds|ships|follows|lives|contains|must|should|only|pins|does|will|was|root|layout))\b",
    r"\b(?:repo|monorepo|codebase)\b",
    r"[项項]目|[专專]案|[仓倉][库庫]|代[码碼][库庫]|程式碼庫|本工程",
    r"プロジェクト|リポジトリ|レポジトリ|このリポ",
    r"프로젝트|저장소|레포|리포지토리|코드베이스",
];

/// Who the user is, in lower case, and beginnings of a wish that only look so.
const USERS: &[&str] = &[
    r"^(?:(?:also|and|that|by the way|btw),? )?(?:i|i'm|i've|my (?:name|editor|shell|keyboard|time ?zone|github|handle|role|job|background|mornings?|machine|laptop|pronouns?|native|mother|first|main|favou?rite))\b",
    r"^(?:我(?:是|叫|在|住|会|會|有|用|不(?:熟|会|會|太懂)|主要)|我的(?:名字|编辑器|編輯器|时区|時區|母语|母語))",
    r"^(?:私|僕|俺|わたし)(?:は|の(?:名前|エディタ))|^(?:저는|나는|제가|내가|제 (?:이름|에디터)|내 (?:이름|에디터))",
];
const WISHES: &str = r"^(?:i|my)\b.{0,20}\b(?:prefer|want|like|love|hate|dislike|need you|expect|insist|wish|would rather|'d rather|don't want|can't stand|preference|appreciate)\b|我(?:希望|想|喜欢|喜歡|讨厌|討厭)|(?:ほしい|欲しい|好き|嫌い)|(?:싫|좋아|원해|원합)";

/// Facts in languages without a grammar of ours, and about several things: a thing that is something or somewhere, or is
/// done by itself; who does what.
const FACTS: &[&str] = &[
    r"的[^,。]{1,8}(?:是|为|為) ?[^,。]|(?:にある|にあります|です|される|されます|されている|が必要(?:です)?)[。.]*$|(?:에 있다|에 있습니다|되어 있다|된다|됩니다|입니다|이다)[.]*$",
    r"^(?:der|die|das|unsere?|la|le|les|l'|notre|nos|el|los|las|nuestr[oa]s?) ?[^,.]{1,40}? (?:ist|sind|läuft|laufen|liegt|liegen|steht|stehen|hört|braucht|dauert|est|sont|tourne|tournent|se trouve|utilise|écoute|es|son|está|están|corre|corren|usa|vive)\b",
    r"^(?:[a-z-]+ ){1,3}(?:are|live|run|sit|lie|stay) (?:(?:kept|stored|hosted|limited|located|cached|logged|served) )?(?:in|on|at|to|under|behind|from) |^the [^,.]{1,40} (?:can|cannot|can't) |^(?:[a-z-]+ ){1,2}(?:need|take|have|cost|last) (?:[a-z]+ )?(?:one|two|three|four|five|ten|[0-9]+|docker|root|network) ?|^(?:[a-z-]+ ){1,3}(?:is|are) read[- ]only\b|^(?:[a-z-]+ ){1,8}?are (?:[a-z]+ly )?(?:[a-z]{3,}ed|sent|kept|built|made|held|set) (?:by|per|in|at|as|to|on|with|from) |^(?:[a-z-]+ ){1,2}include ",
    r"^[^,。]{2,16}(?:会[^,。]|由[^,。]|部署在|运行在|存放在|保存在|依赖|按[天周月年])|[はが][^。]*(?:ている|ています|[らさか]れる|なる|なります|消える|曜日|[0-9]+[日分秒時台個件円])[。.]*$|[은는이가] [^.]*(?:쓴다|씁니다|돈다|간다|남는다|사용한다|사용합니다)[.]*$|[은는] [^.]*에만 한다",
    r"^[^,。]{1,12}在 ?[/~a-z0-9]|^我[们們](?:用|使用|有) ?[^,。]|^we (?:moved|switched|migrated|upgraded) ",
    r"^[a-z]+ (?:owns|reviews|maintains|manages|handles|approves|leads|signs|triages|deploys) [a-z]",
];

/// Words that make a rule of a statement.
const RULES: &str = r"^(?:every|each|all|any) |\b(?:must|should|shall|never|always|only|mandatory|required|forbidden|not allowed|don't|do not|may not|please|prefer(?:red)?)\b";

/// The length of a text's beginning that is read, in bytes: a text says there what it is about.
const TELLING: usize = 16_384;

static REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| compile(&format!(r"\b(?:https?|ftp)://[^\s/]|{}", REFERENCES.join("|"))));
/// Not at the beginning, where any word has a capital, unless a thing of theirs or a verb of place follows.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    let place = "is|has|holds|keeps|tracks|contains|hosts|lists|board|tickets?|issues?|project|team|workspace|pages?|channel|docs?|上|里|裡";
    compile(&format!(
        r"(?:\S[ (]|[^\x00-\x7f][ (]?)(?:{NAMES})\b|^(?:{NAMES}) (?:{place})\b"
    ))
});
static DECISION: LazyLock<Regex> = LazyLock::new(|| compile(&DECISIONS.join("|")));
static PROJECT: LazyLock<Regex> = LazyLock::new(|| compile(&PROJECTS.join("|")));

static USER: LazyLock<Regex> = LazyLock::new(|| compile(&USERS.join("|")));
static WISH: LazyLock<Regex> = LazyLock::new(|| compile(WISHES));
static FACT: LazyLock<Regex> = LazyLock::new(|| compile(&FACTS.join("|")));
static RULE: LazyLock<Regex> = LazyLock::new(|| compile(RULES));

/// A URL or a named external tool makes a reference; else that something was decided makes a decision; else who the user
/// is makes a memory of the user; else the project, or a single thing that is something or does something, makes a fact
/// about it; else it is feedback: how to work (docs/capture.md).
pub fn memory_type(text: &str) -> Kind {
    let text = &text[..text.floor_char_boundary(TELLING)];
    let folded = Folded::new(text);
    let folded = folded.as_str();
    let is_about_project = || {
        // 項目 is a project in Chinese and an entry in Japanese.
        let mut found = PROJECT.find_iter(folded).map(|found| found.as_str());
        found.any(|word| word != "項目" || !text.contains(is_kana))
    };
    let is_fact = || FACT.is_match(folded) || (states_a_fact(text) && !RULE.is_match(folded));
    let kind = if REFERENCE.is_match(folded) || NAME.is_match(text) {
        "reference"
    } else if DECISION.is_match(folded) {
        "decision"
    } else if USER.is_match(folded) && !WISH.is_match(folded) {
        "user"
    } else if is_about_project() || is_fact() {
        "project"
    } else {
        "feedback"
    };
    Kind::new(kind)
}

const fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types() {
        for (text, kind) in [
            (
                "latency graphs are at https://grafana.example.net/d/latency",
                "reference",
            ),
            ("bugs are filed in Linear under BIL", "reference"),
            ("Linear holds the roadmap", "reference"),
            ("バグはLinearで管理する", "reference"),
            ("the Grafana dashboard shows the queue", "reference"),
            ("발표 자료는 노션에 있다", "reference"),
            ("specs live in the team's Notion", "reference"),
            ("we decided to use SQLite", "decision"),
            ("we chose Postgres", "decision"),
            ("我们决定用 gRPC", "decision"),
            ("REST をやめて gRPC に決めた", "decision"),
            ("배포는 화요일에 하기로 했다", "decision"),
            ("this repo uses pnpm", "project"),
            ("这个项目用 pnpm", "project"),
            ("このプロジェクトは pnpm を使う", "project"),
            ("이 프로젝트는 pnpm 을 쓴다", "project"),
            ("linear search is fine below 100 entries", "project"),
            ("Linear scans are fine below 100 entries", "feedback"),
            ("the notion of time is injected", "project"),
            ("設定項目は英語で書く", "feedback"),
            ("use tabs", "feedback"),
            ("report errors with a hint", "feedback"),
        ] {
            assert_eq!(memory_type(text).as_str(), kind, "{text}");
        }
    }
}
