//! Lines that look like a correction and are talk: questions, conditions, clauses about something else, what holds for
//! the present work only, and guesses. A wrong memory out of force costs more than ten that stay, so that in doubt a line
//! is talk.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::language::{compile, one_of};

/// Words that begin a question or a condition in English, also without a question mark.
const ASKING: &str = r"(?:why|what|which|how|where|who|whose|when|whether|if|unless|is|are|was|were|does|did|has|had|can|could|would|should|will|shall|might|(?:is|are|was|were|does|did|has|had|do|have|can|could|would|should|wo)n'?t (?:we|you|i|it|they|he|she|this|that|there|the|our)|(?:do|have) (?:we|you|i|they|the|our|people)|(?:i )?wonder(?:ing)?)\b";

static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    compile(&one_of(&[
        // English
        format!(
            r"^(?:[a-z' ]{{1,12}}[,.:!] ?|(?:so|and|but|ok|okay|actually|wait|hey|no|also|then) )*{ASKING}"
        )
        .as_str(),
        format!(r"[,;] (?:so |and |but )?{ASKING}").as_str(),
        format!(r"^(?:(?:please|can you|could you|just) )*(?:tell me|explain|find out|figure out|show me|describe)(?: to me| again)? {ASKING}").as_str(),
        r"\bor (?:do|does|did|is|are|was|were|have|has|not)\b|[,;] (?:right|correct|yes|no|huh|eh|true|ok|okay)[.! ]*$",
        // Chinese
        r"[吗嗎哪谁誰啥]|什么|什麼|怎么|怎麼|怎样|怎樣|为何|為何|多少|是否|是不是|有没有|有沒有|能不能|要不要|可不可以|几[时点]|(?:[呢么麼]|了吧|没有|沒有)[。! ]*$",
        r"如果|假如|[^说說讲講过過]的(?:话|話)|要是|万一|萬一|的(?:时候|時候|时|時|情况|情況|原因|理由|后果|後果)(?:$|[^一-鿿]|[,;。]|[会會])",
        // Japanese
        r"なぜ|何故|なんで|かどうか|どう(?:[^ぞかもし]|し[^て]|して[^も]|して$|$)|何(?:が|を|で|の|時|故|です|だ|か|$)|なに[がを]|いつ(?:[^も]|$)|どこ|どれ|どの|どんな|誰|だれ|いくつ",
        r"(?:か(?:な|ね|い)?|の|のか|っけ|だろう?|でしょう?)[。! ]*$|場合|もし|(?:ない|なく|た|る)(?:のは|のが|のに|ので|なら|時|とき|けど|と、|から、)|(?:たら|れば|ければ)、?",
        // Korean
        r"왜|어떻게|언제(?:[^나]|$)|어디|무엇|뭐|뭘|누가|누구|어느|어떤|무슨|몇",
        r"(?:[^니]까|[^라이]니까|[나냐니지죠]|[는은을]가|[는은]지|던가|려나|면|때|경우|는데|지만|어서|아서|해서|려고|다던데)요?[.! ]*$|(?:[^지]만약|(?:으|하|쓰|되|돼|다|라)면) ",
    ]))
});

/// A noun that a clause describes ("用中文写的那个提交"), and a count of what is still to be done.
static DESCRIBES: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        "的(?:那|这|這)(?:一)?[个個次条條份些段种種]|\\b(?:failing|failed|failures?|errors?|warnings?|left|remaining|open|todos?)\\b",
    )
});

/// Words that bind a text to the present work. Group `since`: the present is where it begins.
static LIMITS: LazyLock<Regex> = LazyLock::new(|| {
    compile(&one_of(&[
        r"\b(?:this|these|the current|current) (?:[a-z-]+ )?(?:file|test|function|method|class|struct|enum|type|module|package|crate|component|script|folder|directory|branch|pr|mr|commit|line|block|section|change|diff|patch|ticket|issue|bug|task|job|step|run|request|case|example|session|chat|conversation|experiment|spike|demo|release|fix|refactor|refactoring|suite|spec|snippet|endpoint|query|migration)s?\b",
        r"(?P<since>\b(?:from|since|as of|starting|effective|beginning) )?\b(?:here|today|tomorrow|tonight)\b",
        r"\bfor (?:now|once|the moment|the time being|a while|the next|the rest of)\b|\bthis (?:time|once|one|week|morning|afternoon|evening|sprint)\b|\b(?:just (?:once|now)|right now|at the moment|temporar(?:y|ily)|until|till|for a (?:bit|day|week))\b",
        r"(?:这|這|此|本|[当當]前)一?[个個份次条條段些]? ?(?:文件|[档檔]案|[测測]试|[测測]試|函[数數式]|分支|提交|[类類](?:$|[^型])|方法|模[块組组]|任[务務]|[问問][题題]|工[单單]|[会會][话話]|[对對][话話]|目[录錄]|[脚腳]本|[组組元]件|用例|请求|請求|例子|pr|mr|bug)|(?:这|這)(?:里|裡|次|边|邊|儿)|此[处處]|[暂暫][时時且]|[临臨][时時]|先(?:这|這)[样樣]",
        r"(?P<since2>(?:从|從|自))?(?:今天|今晚|明天)",
        r"(?:この|その|今回の|現在の)[^、。,はがをでの ]{0,6}(?:ファイル|テスト|関数|ブランチ|コミット|pr|プルリク|行|クラス|メソッド|モジュール|チケット|タスク|件|作業|変更|セッション|ディレクトリ|フォルダ|スクリプト|コンポーネント|パッケージ|ケース|箇所|部分|例|リクエスト)|ここ(?:で|は|だけ|の|に|も)|今回|今だけ|とりあえず|いったん|一旦|当面|しばらく|今のところ",
        r"(?:今日|明日|今週)(?P<since3>から|以降)?",
        r"(?:^|[ ,.])(?:이|이번|현재|지금) ?(?:[가-힣a-z]+ )?(?:파일|테스트|함수|브랜치|커밋|pr|줄|클래스|메서드|모듈|티켓|작업|이슈|경우|부분|세션|대화|디렉터리|폴더|스크립트|컴포넌트|패키지|변경|요청)|여기(?:서|에|는|만|선)|일단|당분간|이번(?:에|만|엔)|잠시|임시로|(?:^| )우선",
        r"(?:오늘|내일)(?P<since4>부터|부로)?",
    ]))
});

/// Words of a speaker who is not sure.
static HEDGES: LazyLock<Regex> = LazyLock::new(|| {
    compile(&one_of(&[
        r"\b(?:i (?:think|guess|believe|suppose|assume|feel|hope)|maybe|perhaps|probably|possibly|presumably|apparently|might|(?:i'?m )?not sure|(?:it )?(?:seems|looks like)|afaik|iirc|if i (?:remember|recall)|i'm (?:thinking|considering)|supposedly)\b",
        r"(?:^|[^不尽盡])可能|好像|似乎|也[许許]|大概|或[许許]|[应應][该該]是|我(?:觉得|覺得|猜|想|认为|認為)|估[计計]|[说說]不定|恐怕",
        r"たぶん|多分|おそらく|恐らく|もしかし|かもしれ|かも[。!]*$|と思(?:う|い|っ)|気がする|気がします|らしい|みたい|よう(?:だ|です)|はず",
        r"아마|혹시|(?:것|거) ?같|[은는을한할운쓸] ?듯|지도 ?(?:모|몰)|생각(?:해|합|이)|싶(?:어|은|네)|모르겠",
    ]))
});

/// True for a folded text that holds for the present work only, or of which its speaker is not sure.
pub(super) fn is_tentative(text: &str) -> bool {
    let is_limit = |found: Captures<'_>| found.iter().flatten().count() == 1;
    LIMITS.captures_iter(text).any(is_limit) || HEDGES.is_match(text)
}

/// True for a folded line that asks something or only supposes it.
pub(super) fn asks(text: &str) -> bool {
    text.contains('?') || ASKS.is_match(text)
}

/// True for a folded sentence that only says what somebody makes of the last answer.
pub(super) fn is_remark(text: &str) -> bool {
    static REMARK: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"^(?:thanks|thank you|thx|ok|okay|good|great|nice|cool|perfect|lgtm|looks good|no|nope|ugh|argh|hm+|wrong|again|seriously|come on|sorry|sigh|hey|i (?:told|said|asked|already)|you (?:did|keep|just|again|forgot)|that works|that'?s (?:wrong|not|outdated|great|good)|why (?:did|do|are|is)|(?:不对|不對|好的?|谢谢|いや|違う|ありがとう|아니|고마워|nein|danke|no|gracias)[,.! ])",
        )
    });
    REMARK.is_match(text)
}

/// True for a folded line that describes a thing by a clause.
pub(super) fn describes(text: &str) -> bool {
    DESCRIBES.is_match(text)
}
