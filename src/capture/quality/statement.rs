//! `bad_feedback` and `bad_decision`: feedback that is neither a preference nor a rule, a decision that is neither a rule
//! nor a design. Asked last, of what no other reason names.

use super::english::{Mood, Reading};
use super::passage::Passage;
use super::progress;
use super::table::Table;
use super::verbs;
use crate::capture::Rejection;
use crate::model::Kind;

/// A preference or a rule, in any language.
static PREFERENCE: Table = Table::new(&[
    r"\b(?:prefer|prefers|preferred|preference|likes?|dislikes?|wants?|wishes|expects?|insists?|asks? (?:for|to|that|us|me|you)|asked (?:for|to|that|us|me|not|never|always)|requested|would rather|hates?|loves|appreciates?|cares about|values|favou?rs?|is annoyed by|does not (?:like|want)|doesn't (?:like|want)|finds .{1,40} (?:annoying|distracting|helpful|useful|confusing))\b",
    r"\b(?:must|mustn't|should|shouldn't|shall|ought to|has to|have to|needs? to|may not|cannot|can't|may only|is to be|are to be|not allowed|forbidden|mandatory|required|recommended|welcome|unwanted|acceptable|is enough|are enough|never mind|no need)\b",
    r"\b(?:do not|don't|avoid|instead of|rather than|at most|at least|no more than|as short as|as few as|up to|without exception|by default|only when|only if|only in|only for|unless|first,? then|before (?:any|every|each|you|\w+ing)|after (?:every|each))\b",
    r"\b(?:comments?|answers?|repl(?:y|ies)|explanations?|conversations?|discussions?|messages?|titles?|subjects?|names?|docs|documentation|prose|text|texts|code|summaries|reviews?|tests?) (?:is|are) (?:written |kept |given |phrased )?in (?:\w+ )?\w+(?:$|[,;]| and\b)",
    r"\b(?:never|always)\b|\b(?:annoys|bothers|irritates|confuses|distracts|upsets|pleases|helps|matters to|is important to) (?:the )?(?:user|them|him|her|me)\b",
    r"^(?:no|not|less|more|fewer|short|concise|one|two|small|plain|tabs|spaces) \w+|, not \w+|\bover \w+(?:$|[,;])|^(?:commit|answer|review|test|error|log|comment|code|documentation|doc|pr|pull request|branch)s? .{0,40}\b(?:in|without|with) \w+$",
    // Chinese.
    r"请|請|必须|必須|一律|不要|不得|不可|禁止|始终|始終|总是|總是|优先|優先|尽量|儘量|应该|應該|应当|應當|应|喜欢|喜歡|希望|偏好|偏爱|要求|习惯|習慣|避免|务必|務必|别|別|只用|只能|只需|不超过|不超過|一定|需要|都要|默认|預設|每次|先.{1,30}再|不用|无需|無需|宁可|不喜欢|讨厌|最多|至少|不许|不允许|用.{1,20}(?:写|寫|回答|回覆|书写|编写|命名|代替|表示|而不是)|而不是|勿|统一",
    // Japanese.
    r"こと(?:$|。|と|が望ましい)|ください|下さい|べき|必ず|常に|好む|好み|好き|優先|避け|禁止|してほしい|て欲しい|お願い|おねがい|望む|望ましい|望ん|希望|しない(?:$|。|で)|使わない|せず|なければならない|てはならない|てはいけない|てはだめ|ないように|ようにする|統一|のみ|だけ|不要|最大|以内|まで(?:$|。|と)|嫌|苦手|求め|(?:で|短く|簡潔に|丁寧に)(?:$|。)|より.{1,20}(?:を使|が良|がよ|を優)|する前に|毎回|(?:で|を)(?:書く|答える|返す|使う|付ける|つける|示す|説明する|確認する|揃える|記す)(?:$|。)",
    // Korean.
    r"항상|반드시|해야|하지 않|하지 말|말 것|말아|마세요|선호|원한다|원함|원합니다|바란다|우선|금지|좋아|싫어|꼭|절대|먼저|할 것|주세요|해라|하라|십시오|해 줘|해줘|달라(?:$|[.,])|이내|최대|매번|마다|대신|기 전에|야 한다|야 함|피한다|피할|않는다|않기|(?:로|으로) (?:쓴다|작성한다|답한다|한다|통일)|사용한다|권장|필수|요청한다|기대한다",
    // German, French, Spanish.
    r"\b(?:soll|sollen|sollte|sollten|muss|müssen|darf|dürfen|immer|nie|niemals|bitte|bevorzugt|bevorzuge|möchte|will|wünscht|erwartet|keine?n?|nicht|nur|statt|anstatt|lieber|höchstens|verwende[nt]?|benutze[nt]?|vermeide[nt]?)\b",
    r"\b(?:doit|doivent|devrait|faut|toujours|jamais|préfère|préférer|veut|souhaite|attend|pas de|ne pas|sans|uniquement|seulement|plutôt|au lieu|utiliser|utilise[zr]?|éviter|évite[zr]?|merci de|au plus|maximum)\b",
    r"\b(?:debe|deben|debería|hay que|siempre|nunca|jamás|prefiere|preferir|quiere|desea|espera|usar|usa|use|evitar|evita|solo|sólo|sin|no|en lugar|en vez|como máximo|por favor)\b",
]);

/// A choice that was made, or the terms of one, in any language.
static CHOICE: Table = Table::new(&[
    r"\b(?:decided|chose|chosen|agreed|settled (?:on|for)|opted|adopted|picked|selected|standardi[sz]ed on|going with|went with|we use|we keep|we do not|we don't|instead of|rather than|in favou?r of|as opposed to|so that|because|in order to|to avoid|to keep|to allow|trade-?off|source of truth|by design|by default|at most|at least|no more than|up to|one .{1,30} per|per \w+|via|over (?:http|tcp|udp|ssh|grpc|a|an)|not \w+)\b",
    r"采用|採用|使用|一律|必须|必須|不得|不可|不再|由.{1,20}(?:负责|負責|执行|執行|运行|運行|完成|触发|觸發|校验|校驗|审批|審批|发起|發起|计算|計算|提供|生成|处理|處理|管理|控制|决定|統一|统一|写入|维护)|存放|存储|存儲|儲存|保存|统一|統一|默认|預設|改为|改為|改用|选择|選擇|选用|决定|決定|放在|放到|通过.{1,30}(?:实现|完成|传递|通信|访问)|分为|分為|分成|按.{1,20}(?:分|划分|存|排|计|生成|处理)|只|仅|僅|最多|至少|不|每|均|以.{1,20}为|作为|作為|用.{1,30}(?:实现|實現|表示|存|代替|生成|处理|管理|做)|取代|代替|而不是|而非|保留|支持|需要|需|应|應|返回|走|基于|基於|写入|异步|同步|独立|隔离",
    r"採用|使用|利用|必ず|常に|べき|しない|せず|のみ|だけ|最大|まで|以内|以上|保存|保持|統一|にする|とする|決め|決定|選|により|によって|経由|ではなく|代わりに|ために|ため|ごと|単位|分割|管理|禁止|こと(?:$|。)|ません|ない(?:$|。)|[うくすつぬむぶぐる](?:$|。)|ます(?:$|。)",
    r"항상|반드시|해야|않는다|않습니다|없다|금지|만 |최대|이내|까지|사용|저장|보관|통일|결정|선택|채택|기로 (?:했|한)|통해|대신|위해|때문|별로|단위|분리|나눈다|관리|기준|(?:한|된|인|든|둔|쓴|낸|린|온|간|난|눈|준)다(?:$|[., ])|는다(?:$|[., ])|합니다|됩니다|습니다",
    r"\b(?:soll|sollen|muss|müssen|darf|dürfen|immer|nie|niemals|nur|keine?n?|nicht|wird|werden|liegt|liegen|läuft|laufen|verwendet|verwenden|nutzt|nutzen|speichert|sind|statt|damit|weil|entschieden|über)\b",
    r"\b(?:doit|doivent|toujours|jamais|uniquement|seulement|sont|est|passe|passent|utilise|utilisent|stocke|stockée?s?|vit|vivent|reste|restent|afin|pour|parce|décidé|au lieu|plutôt|sans|par)\b",
    r"\b(?:debe|deben|siempre|nunca|solo|sólo|se (?:guarda|usa|almacena|genera|ejecuta|hace|envía|lee)n?|son|está|están|usa|usan|utiliza|utilizan|para|porque|decidió|decidimos|en lugar|sin|por)\b",
]);

/// What a step is a choice by: its reason, or what it was chosen over.
static GROUNDS: Table = Table::new(&[
    r"\b(?:because|so that|in order to|to avoid|due to|in favou?r of|instead of|rather than|over)\b|, not\b|\bfrom .{1,60} to\b",
]);

/// A choice without a verb: `SQLite for the cache`.
static FRAGMENT: Table = Table::new(&[
    r"^ ?[\w.+#/-]+(?: [\w.+#/-]+){0,3} (?:with|for|as|over|per|on|in|via|behind|without|from)\b",
]);

/// Talk, tastes and what others do: a statement, and no design of this project.
static TALK: Table = Table::new(&[
    r"\b(?:popular|widely used|widespread|famous|well[- ]known|trendy|fashionable|interesting|exciting|fascinating|impressive|nice|great|awesome|cool|amazing|beautiful|boring|funny|controversial|overrated|underrated|promising|mature|modern|powerful|complicated|confusing|hard to (?:say|learn|understand)|difficult|a good idea|a bad idea|getting (?:better|worse|more)|growing (?:fast|quickly|in))\b",
    r"\b(?:(?:many|most|larger|large|big|small|some|other|several|few|lots of|a lot of) (?:companies|people|teams|developers|engineers|projects|organi[sz]ations|startups|users|colleagues|vendors)|(?:the )?community|the industry|everyone (?:likes|uses|knows)|everybody|competitors?)\b",
    r"\b(?:meeting|discussion|conversation|call|workshop|conference|talk|debate|presentation|demo|stand-?up|retro|retrospective|brainstorming)s? (?:about|on|with|for|is|are|was|were|takes?|took|lasts?|lasted|went|goes|starts?|began|begins?|covers?|covered)\b",
    r"\b(?:is|are|was|were|feels?|seems?|looks?) (?:\w+ )?(?:happy|excited|interested|tired|pleased|surprised|worried|concerned|confused|satisfied|disappointed|impressed|grateful|curious|optimistic|unhappy|skeptical|sceptical|fine with|glad|sure|confident|aware)\b",
    r"很?(?:流行|受欢迎|受歡迎|热门|熱門|有意思|有趣|出名|著名)|讨论(?:了|持续|花)|討論(?:了|持續)|会议|會議",
    r"人気|有名|面白|会議は|会議が|話し合い|議論(?:は|が|に)|流行|評判",
    r"인기|유명|재미|회의(?:는|가|에서)|논의(?:는|가)|유행|흥미",
]);

/// Judgements: what is said to be better or old is no design.
static JUDGEMENT: Table = Table::new(&[
    r"\b(?:better|worse|best|worst|good|bad|cleaner|clean|faster|fast|slower|slow|nicer|simpler|simple|easier|easy|harder|hard|cheap|cheaper|expensive|old|older|new|newer|big|bigger|large|larger|huge|small|smaller|tiny|important|useful|useless|common|rare|strong|weak|elegant|ugly|neat|messy|clear|obvious|strange|odd|weird|risky|painful|annoying|ready|late|early|busy|well|right|wrong|true|high|low|long|short|tricky|serious|critical|unusual|normal|similar|different|likely|possible|impossible|about|around|almost|very|quite|rather|pretty|really|too|so|more|less)\b",
]);

/// Why a text asks too much of its type.
pub(super) fn reason(kind: &Kind, passage: &Passage<'_>) -> Option<Rejection> {
    match kind.as_str() {
        "feedback" => (!is_preference(passage)).then_some(Rejection::BadFeedback),
        "decision" => (!is_decision(passage)).then_some(Rejection::BadDecision),
        _ => None,
    }
}

/// Whether a text is a preference or a rule.
fn is_preference(passage: &Passage<'_>) -> bool {
    let orders = passage
        .readings()
        .any(|reading| matches!(reading.mood, Mood::Imperative | Mood::Rule));
    let wished = passage.says(&PREFERENCE) && !progress::is_narrative(passage);
    let custom = passage.readings().any(|reading| is_custom(&reading));
    orders || wished || custom || clauses_by_comma(passage, |mood| mood == Mood::Imperative)
}

/// Whether a part between commas reads like that: `For tables, use plain markdown`.
fn clauses_by_comma(passage: &Passage<'_>, reads: impl Fn(Mood) -> bool) -> bool {
    let parts = passage.prose.split([',', ':', '(', '—', '–']).skip(1);
    parts.map(super::english::read).any(|reading| reads(reading.mood))
}

/// Whether a clause says how things of a kind are done: `Review comments are answered one by one`. What is said of one
/// thing, `the logo`, is a description.
fn is_custom(reading: &Reading<'_>) -> bool {
    let one = [
        "the", "this", "that", "a", "an", "our", "my", "your", "his", "her", "their", "its", "there", "it",
    ];
    let plural = reading.subject().last().is_some_and(|word| word.ends_with('s'))
        && !one.contains(&reading.subject()[0]);
    let made = reading.participle().is_some();
    let active = verbs::is_base(reading.verb());
    reading.mood == Mood::Present && plural && !reading.has_actor() && (made || active)
}

/// Whether a text is a rule or a design.
fn is_decision(passage: &Passage<'_>) -> bool {
    if passage.says(&TALK) || progress::is_narrative(passage) {
        return false;
    }
    if passage.is_cjk() {
        return passage.says(&CHOICE);
    }
    let mut told = false;
    for reading in passage.readings() {
        match reading.mood {
            Mood::Imperative | Mood::Rule => return true,
            Mood::Present if is_design(&reading) => return true,
            Mood::Past | Mood::Perfect => {
                let chosen = verbs::is_choice(reading.verb())
                    || reading.participle().is_some_and(verbs::is_choice)
                    || reading.holds();
                let bare = reading.verb_at == 0 || reading.participle().is_some() && !reading.has_actor();
                let grounded = bare && passage.says(&GROUNDS) || passage.says(&progress::CONTRAST);
                if chosen || grounded {
                    return true;
                }
                told = true;
            }
            Mood::None if FRAGMENT.matches(reading.clause) => return true,
            Mood::Present | Mood::None => {}
        }
    }
    !told
        && (passage.says(&CHOICE)
            || clauses_by_comma(passage, |mood| matches!(mood, Mood::Imperative | Mood::Rule)))
}

/// Whether a statement about how things are is one about how they are made (`is stored`, `live in`, `are idempotent`),
/// and neither about what somebody does nor a judgement.
fn is_design(reading: &Reading<'_>) -> bool {
    let verb = reading.verb();
    if !["is", "are", "isn't", "aren't", "it's", "that's", "am"].contains(&verb) {
        return !reading.has_actor() || reading.subject().len() == 1;
    }
    let mut after = reading.after_verb().iter().skip_while(|word| {
        [
            "not", "now", "always", "never", "only", "also", "all", "then", "still",
        ]
        .contains(word)
    });
    let Some(next) = after.next() else {
        return false;
    };
    !JUDGEMENT.matches(next)
}
