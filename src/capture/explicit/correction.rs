//! Takings back and corrections: what a user says that no longer holds (docs/capture.md). Only the beginning of a
//! line makes it a taking back or a correction: "the test no longer fails" is talk. Which memory is meant, if any, is
//! [`crate::policy::corrected`]'s to say.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::contrast::{CONTRASTED, DENIED};
use super::language::{compile, one_of};
use super::talk::{asks, describes, is_tentative};

/// A thing that no longer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The words for it, in lower case.
    pub object: String,
    /// True when the text says that it is gone; false when the text only puts something else beside it.
    pub is_denied: bool,
}

/// The length of a line from which on it was pasted. Bytes.
const LONGEST: usize = 400;

/// Words that people say before they take something back or correct it.
const OPENERS: &str = r"(?:(?:no|nope|ok|okay|also|and|but|so|actually|please|pls|sorry|oops|wait|hey|my bad|no wait|不对|不對|(?:错了|錯了)+|对了|對了|请|請|いや|いえ|違う|違います|あと|すみません|아니|아니요|아뇨|참|그리고|저기)(?:[ ,.:!、。~]+))*";

/// Words that end a taking back.
const ENDS: &str = "[ .!。~吧了啦よねな요]*$";

/// Japanese verbs in the negative with which a sentence ends: nothing may follow that makes a clause of it.
pub(super) const UNUSED: &str = "(?:(?:使わな|使って(?:い)?な)(?:い|く(?:なった|なりました))(?:です|こと(?:に|と)(?:した|しました|なった|なりました))?|(?:使いませ|使って(?:い)?ませ)ん)[よねわ]*";

/// The same of other verbs that a rule asks for.
const UNDONE: &str = "(?:(?:やらな|していな|しな|いらな|要らな|必要な|書かな|付けな|つけな)(?:い|く(?:なった|なりました))(?:です|こと(?:に|と)(?:した|しました|なった|なりました))?|(?:やりませ|しませ|いりませ|必要ありませ)ん|不要(?:です|だ|にな(?:った|りました))?)[よねわ]*";

/// Words that people add to a taking back.
const ALSO: &str = "(?:[,;] (?:so )?(?:please )?(?:drop|remove|delete|forget|erase|strike) (?:that|it|this)(?: (?:from|out of) .*)?)?";

/// Verbs of a rule or a choice, where other verbs tell what was seen ("we no longer see the error").
const RULE_VERBS: &str = "(?:use|deploy|support|ship|target|require|need|run|build|publish|release|maintain|want|do|host|store|keep|write|test|pin|allow|accept|prefer|follow|squash|merge|sign|tag|depend|rely|develop|work|call|document|translate|review)";

/// Whole lines that take something back: `old` names it.
static TAKEN_BACK: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let memory = "(?:rule|note|thing|part|bit|one|line|memory|fact|entry|sentence|preference|decision|convention|policy)s?";
    let void = "(?:(?:no longer|does not|doesn't) (?:apply|applies|hold|holds|count|counts|stand|stands)(?: any ?more)?|is (?:obsolete|void|outdated|history))";
    let withdrawn =
        "(?:作[废廢]|取消|失效|(?:可以)?[删刪](?:掉|了)|(?:不用|不必|不需要|可以不)再?(?:遵守|执行|執行|管))";
    let lines = [
        r"(?:you can )?forget (?:that|everything about) (?P<old>.+?)".to_owned(),
        format!(r"(?:you can )?(?:forget|scratch|disregard|ignore|drop) (?:what i (?:said|told you)(?: \w+)? about|(?:the|my|your|that|this) (?:\w+ )?{memory} (?:about|that|on|saying|with|for)) (?P<old>[^,;]+?)"),
        format!(r"(?:the|that|our|my|this) (?:\w+ )?{memory} (?:about|that|on|saying|for) (?P<old>[^,;]+?) {void}"),
        format!(r"(?:the|that|our|my) (?P<old>[^,;]+?) {memory} {void}"),
        r"(?:do not|don'?t|stop|no need to|you can stop) remember(?:ing)? (?:that |about )?(?P<old>.+?) (?:any ?more|any longer)".to_owned(),
        format!(r"(?:remove|delete|drop|strike|erase|clear|take) (?:(?:what i (?:said|told you)|(?:the|that|your|my) (?:\w+ )?{memory}) (?:about|on|that|saying|for|with) )?(?P<old>.+?) (?:from|out of|off) (?:(?:your |the |my |our )?(?:long-term )?memor(?:y|ies)|your notes|what you (?:keep|know|remember|have)(?: .*)?)"),
        r"(?:we|i) no longer use (?P<old>[^,;]+?)(?: any ?more| any longer)?".to_owned(),
        r"(?:we|i) (?:don'?t|do not) use (?P<old>[^,;]+?) (?:any ?more|any longer)".to_owned(),
        format!(r"(?:we|i) no longer (?P<old>{RULE_VERBS}\b[^,;]*?)(?: any ?more| any longer)?"),
        format!(r"(?:we|i) (?:don'?t|do not) (?P<old>{RULE_VERBS}\b[^,;]*?) (?:any ?more|any longer)"),
        r"(?:(?:there'?s |there is )?no need to|you (?:(?:don'?t|do not) (?:need|have) to|can stop)) (?P<old>[^,;]+?) (?:any ?more|any longer)".to_owned(),
        r"unlearn (?P<old>[^,;]+?)(?:[,;] .*)?".to_owned(),
        r"(?:删|刪)(?:掉|除)(?:关于|關於)?(?P<old>.+?)的?(?:那|这|這)?[条條个個]?(?:记忆|記憶)".to_owned(),
        r"(?:取消|撤销|撤銷|作废|作廢)(?P<old>.+?)的?(?:那|这|這)?[条條个個]?(?:规则|規則|规定|規定|记忆|記憶)".to_owned(),
        format!("(?:之前|以前)?(?:[说說]的)?(?P<old>[^,;]+?)的?(?:那|这|這)[条條个個](?:规则|規則|规定|規定|约定|約定)?{withdrawn}"),
        format!("(?:那|这|這)[条條个個](?:关于|關於)?(?P<old>[^,;]+?)的?(?:规则|規則|规定|規定|约定|約定){withdrawn}"),
        r"(?:忘掉|忘[记記了](?:掉)?(?:我|之前|以前)|(?:请|請)忘[记記了])(?:我|之前|以前|刚才|剛才|关于|關於)*(?:[说說讲講提][过過的]*)?要?(?:[那这這][个個条條])?(?P<old>.+?)(?:的?(?:那|这|這)?(?:[条條个個]|事情?|规[则定]|規[則定]|话|話|说法|說法))?".to_owned(),
        r"[把将將](?P<old>.+?)(?:的?(?:那|这|這)?(?:[条條个個]|事情?|规[则定]|規[則定]|记忆|記憶))?(?:(?:从|從)(?:记忆|記憶)[里裡中]?(?:删|刪|去|移)(?:掉|除)?|忘[掉了])".to_owned(),
        r"(?:我们|我們|这个项目|這個專案)?(?:以[后後]|现在|現在|今[后後]|已经|已經)*(?:不再|不(?:用|需要|必)再)(?:使用|采用|採用|用)(?P<old>[^,;]+?)".to_owned(),
        r"(?:我们|我們|这个项目|這個專案)?(?:以[后後]|现在|現在|今[后後]|已经|已經)*(?:不再|不(?:用|需要|必)再)(?P<old>(?:支援|兼容|提供|允许|允許|接受|走|收|采|採|做|跑|需要|支持|要求|要|写|寫|加|跑|走|部署|维护|維護|发|發|做|附|遵守|限制|依赖|依賴)[^,;]*?)".to_owned(),
        r"(?:我们|我們)?(?:现在|現在|已经|已經|都)+不用(?P<old>[a-z0-9`][^,;]*?)".to_owned(),
        r"(?P<old>[^、。,]+?)(?:って|という|との|の)?(?:ルール|規則|決まり|方針|運用)(?:は|を)(?:もう)?(?:廃止|撤廃|無効|取り消し|なしで|なくな)(?:(?:に|と)?(?:し|なり|され)?(?:た|ます|ました|ています|て(?:ください|下さい)?)|する|です|す|だ|る|った|りました|(?:で)?お願いします)?".to_owned(),
        r"(?P<old>[^、。,]+?)(?:って|という|との|っていう)?(?:話|件|ルール|こと|やつ|設定|メモ|の)?(?:は|を)?(?:もう)?[、,]?忘れて(?:ください|下さい|いい(?:です)?|くれ|おいて|もらって(?:いい|大丈夫)(?:です)?)*".to_owned(),
        format!("(?:今後は?|これからは?)?もう[、,]?(?P<old>[^、。,]+?)(?:は|を|も)?(?:{UNUSED}|{UNDONE})"),
        r"(?P<old>[^,.]+?)(?:다는|라는|라고|자는|라던)? ?(?:거|건|것|말|얘기|이야기|규칙|내용)?(?:은|는|을|를)? ?(?:이제 |그냥 )?(?:잊어(?: ?줘| ?주세요|버려|라|도 ?(?:돼|됩니다|되|좋아)요?)?)".to_owned(),
        r"(?P<old>[^,.]+?)(?:다는|라는|자는)? ?(?:규칙|원칙|약속)(?:은|는|을|를)? ?(?:이제 )?(?:취소|폐기|없던 ?걸로)[^,.]*".to_owned(),
        r"이제(?:는)? (?P<old>[^,.]+?)(?:은|는|을|를)? ?안 (?:써|쓰|씁)[^,. ]*".to_owned(),
        r"(?:이제 )?더 ?이상 (?P<old>[^,.]+?)(?:은|는|을|를|도)? ?(?:안 (?:써|쓰|씁|해|하|합|달|넣|올려|지켜|필요)|쓰지|사용하지|하지|필요 ?(?:없|하지)|달지)[가-힣]{0,4}(?: (?:않|마|말|돼|됩|되|괜찮|했|합|하)[가-힣]*)*".to_owned(),
    ];
    lines
        .iter()
        .map(|line| compile(&format!("^{OPENERS}(?:{line}){ALSO}{ENDS}")))
        .collect()
});

/// Beginnings of a line that corrects without a request. What follows must be a sentence about how things are.
static CORRECTS: LazyLock<Regex> = LazyLock::new(|| {
    let begins = [
        r"not [^,;]*[0-9`/_][^,;]*[,;] (?:but )?(?:(?:the|our|we|it's) .+|[^ ]+ (?:is|are) .+)",
        r"not [^,;]+[,;] (?:but )?we (?:use|deploy|support|ship|target|run|build|publish|release|host|store) ",
        r"we(?:'re)? [^,]+ now,? (?:not|no longer) ",
        r"we(?:'ve| have)? (?:just |recently |now |finally )?(?:moved|switched|migrated) (?:over )?from [^,;.]{1,40} to [^ ,;.]+(?: [^ ,;.]+){0,2}[.! ]*$",
        r"we (?:use|run|deploy|support|target|write) [^,;.]{1,40}, not [^ ,;.]+[.! ]*$",
        r"(?:it'?s|it is|the [^,;]{1,40} (?:is|are|runs?)|(?:this|our|the) (?:project|repo|repository|team|codebase|app) uses|we) (?:called |named |on )?[^,;]{1,40} now, not [^,;.]+[.! ]*$",
        r"(?:(?:it'?s|it is) (?:called|named|spelled)|(?:this|our|the) (?:project|repo|repository|team|codebase|app) (?:uses|is on|runs on)) [^,;]{1,40},? (?:not|instead of) [^,;.]+[.! ]*$",
        r"we (?:now )?(?:use|deploy|run|build|test|write|target|support) [^,;]{1,40} instead of [^,;.]+[.! ]*$",
        r"(?:we|i) no longer [^,;]+[,;] (?:we|i|it|use|now) ",
        r"(?:we|i) use [^,;]+ now[,;] .+ (?:was|is|has been|got) ",
        r"(?:please )?use [^,;]+[,;] (?:we|i|and) (?:don'?t|do not|no longer) use ",
        r"(?:forget|scratch|disregard) what i said about [^,;]+[,;] (?:[^ ]+ ){0,5}(?:is|are|use|must|should|run|live)s?\b",
        r"(?:我们|我們)?(?:现在|現在|已经|已經)?都?(?:用|改用|换成|換成)[^,;]+[,;] ?不(?:再|是)?用",
        r"不是(?:[^我你您他她这這那说說因为為很太吗嗎什不,;][^,;]*)[,;] ?[^这這那只而就其是因,;][^,;]{0,15}(?:是|换|換|改|用)",
        r"(?:我们|我們)?(?:现在|現在|已经|已經)?不再(?:用|使用)[^,;]+[,;]",
        r"(?:현재 |지금 )?[^,.파함줄]*[0-9a-z][^,.파함줄]{0,30} 말고 .*(?:이?라니까|이야|이에요|예요|입니다|[0-9]야)",
        r"이제(?:는|부터)? [^,.]+ 말고 [^,.]+ ?(?:써|쓰|사용)[^,.]*$",
        r"[^、。,をは]+は[^、。,をは]+から[^、。,をは]+に(?:移行|切り替え|乗り換え)(?:し|まし)た[。 ]*$",
        r"이제 [^,.]+ 안 (?:써|쓰|씁)(?:[^,.]*[다요음함돼고])?[,.] ",
        &format!("もう[^、。,]+{UNUSED}[、。,]"),
    ];
    compile(&format!("^{OPENERS}{}", one_of(&begins)))
});

/// The same, for a line that says first that the user was wrong. "No, …" and "actually …" begin talk as well.
static CONTRADICTS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:(?:no|oops|sorry|wait)[ ,.:!]+)*(?:my bad|my mistake|i was wrong|i misspoke|correction)[ ,.:!–—-]+(?:it'?s|it is|that'?s|the|our|we|not) .+",
    )
});

static OPENING: LazyLock<Regex> = LazyLock::new(|| compile(&format!("^{OPENERS}")));

/// Beginnings of a text that do not name a thing of their own ("not sure", "forget about it").
static NAMELESS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:この|その|あの|[이그저] |[那这這][个個])|^(?:it|this|that|than|them|those|these|all|sure|now|yet|bad|only|just|really|again|exactly|quite|so|good|great|everything|anything|too|even|ideal|important|urgent|today|what|how|why|because|being|to|earlier|before|later|then|here|for me|your fault|my fault|our fault|あれ|それ|これ|그거|이거|그건|이건|它|这|這|那)(?:[ ,.!]|$)",
    )
});

/// Words without which no line takes anything back or corrects.
static CUES: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"forget|(?:moved|switched|migrated) (?:over )?from |appl|hold|stand|count|obsolete|void|outdated|history|unlearn|you can stop|scratch|disregard|ignore|memor(?:y|ies)|notes\b|what you (?:keep|know|remember|have)|no longer|any ?more|any longer|^(?:[^ ]+ ){0,3}not |[,–—-] ?(?:and )?not |now,? not |instead of |n't [^,;.]+(?:[,;]| but)|[,;] .* (?:was|is|been|got) [a-z]+ed|取消|撤|作[废廢]|[删刪忘]|不[再用必是]|不需要再|记忆|記憶|もう|から|廃止|撤廃|無効|取り消し|なかったこと|(?:では|じゃ)なく|잊어|취소|폐기|없던|이상|말고|아니라|안 [써쓰씁]",
    )
});

/// True when a folded line may take something back or correct it.
pub(super) fn may_correct(text: &str) -> bool {
    text.len() <= LONGEST && CUES.is_match(text)
}

/// The words for what a folded line takes back; `None` for a line that takes nothing back.
pub(super) fn taken_back(text: &str) -> Option<&str> {
    if !may_correct(text) || asks(text) || is_tentative(text) {
        return None;
    }
    TAKEN_BACK.iter().find_map(|line| old(line, text))
}

/// The part of a folded line that corrects something without a request to remember it.
pub(super) fn corrects(text: &str) -> Option<Range<usize>> {
    // What holds in a case takes the place of nothing.
    let is_case = ["when", "whenever", "if", "once"]
        .iter()
        .any(|word| text.split(' ').next() == Some(word));
    if !may_correct(text) || asks(text) || describes(text) || is_case {
        return None;
    }
    let is_begun = CORRECTS.is_match(text) || CONTRADICTS.is_match(text);
    let start = OPENING.find(text).map_or(0, |opening| opening.end());
    (is_begun && replaced(&text[start..]).is_some()).then_some(start..text.len())
}

/// The thing that no longer holds by a text that the user asked to remember; `None` where it corrects nothing, as a
/// text about the present work or a guess does. The text is folded.
pub(super) fn replaced(text: &str) -> Option<Replaced> {
    static FORMS: LazyLock<[Vec<Regex>; 2]> = LazyLock::new(|| {
        let forms = |forms: &[&str]| {
            forms
                .iter()
                .map(|form| compile(&form.replace("UNUSED", UNUSED)))
                .collect()
        };
        [forms(&DENIED), forms(&CONTRASTED)]
    });
    if is_tentative(text) {
        return None;
    }
    let mut found = FORMS.iter().zip([true, false]).filter_map(|(forms, is_denied)| {
        let object = forms.iter().find_map(|form| old(form, text))?.to_owned();
        Some(Replaced { object, is_denied })
    });
    found.next()
}

/// The words for the old in a line of this form.
pub(super) fn old<'t>(form: &Regex, text: &'t str) -> Option<&'t str> {
    let old = form.captures(text)?.name("old")?.as_str().trim();
    let names = !NAMELESS.is_match(old) && old.chars().any(char::is_alphanumeric);
    names.then_some(old)
}

#[cfg(test)]
mod tests {
    use super::super::folded::Folded;
    use super::*;

    fn took(line: &str) -> Option<String> {
        taken_back(Folded::new(line).as_str()).map(str::to_owned)
    }

    fn corrected(line: &str) -> Option<String> {
        let folded = Folded::new(line);
        let text = folded.as_str();
        corrects(text)
            .and_then(|range| replaced(&text[range]))
            .map(|replaced| replaced.object)
    }

    #[test]
    fn a_line_that_begins_so_takes_back() {
        for (line, object) in [
            ("Forget that deploys need the VPN.", "deploys need the vpn"),
            ("please forget what I said about tabs", "tabs"),
            ("we no longer use yarn", "yarn"),
            ("我们不再使用 Jenkins 了", "jenkins"),
            ("忘掉缩进用四个空格的规则吧", "缩进用四个空格"),
            ("もうyarnは使わないよ", "yarn"),
            ("水曜に会議って話は忘れて", "水曜に会議"),
            ("더 이상 yarn은 안 써요", "yarn"),
            ("the changelog rule no longer applies", "changelog"),
            ("you can forget the thing about Jenkins", "jenkins"),
            ("之前说的周五不发版那条作废", "周五不发版"),
            ("レビュー必須のルールは廃止", "レビュー必須"),
            ("이제 Docker 안 써", "docker"),
            ("もうvitestで実行しない", "vitestで実行"),
            ("더 이상 금요일에 배포 안 해도 됩니다", "금요일에 배포"),
        ] {
            assert_eq!(took(line).as_deref(), Some(object), "{line}");
        }
    }

    #[test]
    fn talk_takes_nothing_back() {
        for line in [
            "the test no longer fails",
            "we no longer see the error",
            "forget about it",
            "forget that, let's go on",
            "did you forget that we use pnpm?",
            "I forgot that we use pnpm",
            "现在不再报错了",
            "忘了加测试",
            "もうエラーは出ない",
            "財布を忘れてた",
            "変更を取り消して",
            "结帐取消",
            "forget about the dev server",
            "stop running the dev server",
            "결제를 취소해줘",
            "이제 에러가 안 나네요",
            "もうこの関数は使っていないので削除して",
            "もうvitestで実行しないのはなぜ",
            "もうvitestで実行しない場合はどうなる",
            "もうvitestで実行しないか",
            "もうvitestで実行しないので速い",
            "もうwebpackを使わないでビルドできた",
            "もうyarnは使わないコミットを探して",
            "レビュー必須のルールは廃止したのはいつ",
            "더 이상 금요일에 배포 안 해도 될까",
            "더 이상 금요일에 배포하지 않나요",
            "더 이상 금요일에 배포 안 하면",
            "더 이상 금요일에 배포 안 할 때",
            "더 이상 yarn은 안 쓰는 이유",
            "이제 Docker 안 쓰죠",
            "이제 Docker 안 쓰니까 느려졌어",
            "我们不再使用 Jenkins 的话",
            "我们不再使用 Jenkins 的话构建会更快",
            "we no longer use yarn in ci or do we",
            "我们不再使用 Jenkins 了吗",
            "我们不再使用 Jenkins 了吧",
            "怎么不再使用 Jenkins 了",
            "so we no longer use yarn, right",
            "why is it that we no longer use yarn",
            "we no longer use yarn, do we",
            "이제 이 함수는 안 쓰니까 지워줘",
            "forget about the tests for now",
            "we no longer use yarn in this test",
            "on this branch we no longer use yarn",
            "I think we no longer use yarn",
            "we no longer use yarn, probably",
            "forget what I said about tabs for this file",
            "我们好像不再使用 Jenkins 了",
            "我们不再使用 Jenkins 了，我猜",
            "这个文件里不再使用 tabs",
            "もうyarnは使わないと思う",
            "たぶんもうyarnは使わない",
            "この関数ではもうyarnは使わない",
            "더 이상 yarn은 안 쓰는 것 같아요",
            "이 파일에서는 더 이상 yarn은 안 써요",
            "아마 이제 Docker 안 써",
        ] {
            assert_eq!(took(line), None, "{line}");
        }
    }

    #[test]
    fn a_wish_for_the_present_work_replaces_nothing() {
        let old = |text| replaced(Folded::new(text).as_str()).map(|replaced| replaced.object);
        assert_eq!(
            old("indent with tabs, not with spaces").as_deref(),
            Some("with spaces")
        );
        assert_eq!(old("今日から、npmではなくpnpm").as_deref(), Some("npm"));
        assert_eq!(
            old("starting today deploy on Mondays, not Fridays").as_deref(),
            Some("fridays")
        );
        for text in [
            "indent with tabs in this file, not with spaces",
            "for this test use bun instead of node",
            "use bun here instead of node",
            "maybe use bun instead of node",
            "このテストではnpmではなくpnpm",
            "이 파일에서는 npm 대신 pnpm을 쓴다",
            "在这个文件里用 tabs，而不是 spaces",
        ] {
            assert_eq!(old(text), None, "{text}");
        }
    }

    #[test]
    fn corrections_name_what_is_old() {
        for (line, object) in [
            ("not 8080, the port is 9090", "8080"),
            ("my bad, it's Ann who signs, not Bob", "bob"),
            ("We use yarn now, pnpm was dropped", "pnpm"),
            ("We deploy on Mondays now, not Fridays", "fridays"),
            ("不是 Redis，缓存已经换成 Valkey 了", "redis"),
            ("아니 포트 3000 말고 4000이라니까", "포트 3000"),
            ("we've switched from npm to pnpm", "npm"),
        ] {
            assert_eq!(corrected(line).as_deref(), Some(object), "{line}");
        }
        for line in [
            "not sure, it is slow",
            "it's a bug, not a feature",
            "不是我的问题，是网络的问题",
            "the build is slow, not broken",
            "it works now, not perfect though",
            "no, the bug is in the parser, not the lexer",
            "not a big deal, it is fine",
            "forget the tests, this is urgent",
            "use the other branch, I don't have access to this one",
            "不是 bug，是特性",
            "아니 이 파일 말고 저 파일이라니까",
            "不是英文，提交信息用中文写的那个提交在哪",
            "不是英文，提交信息是用中文写的那个提交",
            "不是 Redis，缓存换成什么了",
            "not 8080, how is 9090 the port",
            "in this file we use tabs now, not spaces",
            "We indent with tabs here now, not spaces",
            "We use tabs, not spaces, in this test",
            "We deploy on Mondays now, not Fridays, for now",
            "today we deploy on Mondays now, not Fridays",
            "We deploy on Mondays now, I think, not Fridays",
            "my bad, maybe it's Ann who signs, not Bob",
            "不是 Redis，这个测试里缓存已经换成 Valkey 了",
            "不是 Redis，缓存可能换成 Valkey 了",
            "이 파일에서는 이제 npm 말고 pnpm 써",
            "my bad, is it Ann who signs, not Bob",
            "もうyarnは使わないので、lockを消して",
            "이제 Docker 안 쓰면, 느려질 거야",
            "エラーではなく警告です",
            "they switched from REST to GraphQL and everything broke",
            "we switched from a list to a map here, and now the order is wrong",
        ] {
            assert_eq!(corrected(line), None, "{line}");
        }
    }
}
