//! `progress_snapshot`: what was done, passed, completed, counted.

use super::english::{Mood, Reading};
use super::general;
use super::passage::Passage;
use super::table::Table;
use super::verbs;
use crate::capture::Rejection;
use crate::model::Kind;

/// Told always.
static TOLD: Table = Table::new(&[
    r"^\W{0,3}(?:done|completed?|finished|wip|in progress|status|progress|achieved|accomplished|outcome|result)\s*[:–-]\s",
    r"^\[[ x~]\]|[✅✔☑🎉🚧]",
    r"\b%done% \d[\d,.]* (?:of|out of|/) (?:the )?\d|\b\d[\d,.]* ?(?:of|out of|/) ?\d[\d,.]*(?: [\w-]+){0,3}? (?:are |were |now |have been |is )*(?:%done%|done|passed|passing|pass|green|ready|left|remaining|failed|failing)\b",
    r"\b\d+ ?(?:%|percent) (?:done|complete|completed|finished|migrated|ported|converted)\b",
    r"\b\d[\d,.]* (?:more|fewer|less)(?: %counted%)? than (?:last|before|yesterday|previously|on monday|in the last)\b",
    r"\b(?:successfully|just|finally|now fully) (?:%done%|passed|tested)\b|\b%done% successfully\b|\bcompleted without (?:errors|problems|issues)\b",
    r"\b(?:phase|step|stage|wave|milestone|sprint|part|task|iteration|round|batch|chunk|item|story) #?\d+[a-z]? (?:is |was |has been |are |were )?(?:now |already |fully )?(?:done|complete[d]?|finished|in progress|started|underway|under way|half|nearly|almost|%done%)",
]);

/// Told where the clause does not speak in general.
static ONE_CASE: Table = Table::new(&[
    r"\b%count% (?:of|out of) (?:the )?%count%(?: [\w-]+){0,3}? (?:are|is|were|was|have been|has been|now)(?: (?:now|already|fully))? (?:%done%|done|closed|open|left|remaining|complete|finished|ready|green|passing|failing|merged|live|through|over)\b",
    r"\b(?:all|both|the|\d+|most|unit|integration|e2e|end-to-end|every|our|new|remaining|other|these|regression)(?: [\w-]+){0,4}? %checked%(?: (?:are|is|were|was|now|have|has|had|all|still|already|again|been|run|runs|just|also|for \w+|in \w+))* (?:passed|passing|pass|passes|succeeded|succeed|green|failed|failing|fail|finished|ok|red|clean)(?:$|[ ,:])",
    r"^(?:[\w-]+ )?%checked%(?: (?:for|of|in|on)(?: [\w-]+){1,3})? (?:are|is|were|was|now|have|all)(?: (?:now|all|still|again|been))* (?:passed|passing|pass|succeeded|green|failed|failing|clean|written|in place)\b",
    r"\b\d[\d,.]*(?: [\w-]+){0,3}? %checked%?(?: [\w-]+){0,2}? ?(?:passed|pass|passing|failed|fail|failing|succeeded|green|skipped)\b",
    r"\b\d[\d,.]*(?: [\w-]+){0,3}? %counted%(?: [\w-]+){0,4}? (?:left|remaining|remain|remains|to go|so far|now|already|done|outstanding|open|converted|migrated|covered|fixed|ported|changed|touched|created|need|still)(?:$|[ ,])",
    r"\b(?:there (?:are|is)|we have|i have|only|still) \d[\d,.]*(?: [\w-]+){0,3}? (?:left|remaining|to go|open|outstanding|failing)\b",
    r"\b(?:contains?|has|have|counts?|reports?|shows?|covers?|includes?|found|are|is at) (?:now |already |exactly |about |around |roughly )?\d[\d,.]* (?:[\w-]+ ){0,2}?(?:tests|test cases|specs|errors|warnings|failures|todos|open (?:issues|bugs|tickets)|lint (?:errors|warnings)|lines of code|commits|vulnerabilities)\b",
    r"\bcoverage (?:is|rose|went|reached|dropped|increased|improved|stands|now|at|of) .{0,30}\d+",
    r"\b(?:is|are|was|were) (?:now |all |already |fully |almost |nearly |half |mostly |about |finally |completely )*(?:done|complete|completed|finished|in place|wrapped up|under way|underway|ready for review|ready to merge|half-done|gone|met|satisfied|fulfilled)(?:$|[,:]| (?:now|and|but|so|except|again|as of|since)\b)",
    r"\b(?:is|are) (?:now|already|fully|all|almost|nearly|half|mostly|finally|completely) %done%\b",
    r"\b(?:is|are) (?:implemented|fixed|tested|wired up|wired|refactored|ported|migrated|rewritten|documented|cleaned up)(?:$|,| and (?:tested|covered|documented|merged|works?|working|deployed|reviewed|ready|green|done|passes|pass)\b)",
    r"\b(?:compiles?|builds?|works?|runs?|passes|pass|starts?|loads?|renders?|links?|boots?|is back|are back) (?:\w+ )?(?:again|now|as expected|fine|cleanly|correctly|locally)(?:$|[ ,])",
    r"\b(?:half|most|some|two thirds|a third|all|many|the rest|the majority) of the (?:[\w-]+ ){1,4}?(?:are|is|have|has)\b.{0,60}\b(?:now|already|done|so far|%done%)\b",
    r"\b(?:work|refactor|refactoring|migration|implementation|rewrite|port|cleanup|investigation|review|rollout|upgrade|conversion|integration|analysis|research|documentation|design|feature|task) (?:on \w+ |of [\w ]{1,30} )?(?:is|was|has been) (?:now |almost |nearly |half |about |mostly |fully )*(?:done|complete|completed|finished|in progress|ongoing|under way|underway|started|halfway|over|\d+ ?%)",
    r"\b(?:so far|up to now|to date|this session|in this session|during this session|earlier today|in the last session|last session)\b",
    r"\b(?:took|takes|finished in|ran in|completed in|down (?:from|to)|went (?:from|down|up)|improved (?:from|by)|reduced (?:from|by|to)|dropped (?:from|by|to)|faster than before) (?:about |from |to |only )?\d",
    // Chinese.
    r"(?:已经|已經|已|刚刚|剛剛|刚才|剛才|刚|昨天|昨晚|今天|今早|上午|下午|上周|本周|本次|这次|此次)[^的，。；]{0,20}?%handone%(?:了|$|[^的\p{Han}]|[，。；]|在|到|成|并|且|至|好)|^[已刚](?:经|經)?(?:将|將|把)?(?:修复|修復|完成|实现|實現|添加|新增|移除|删除|刪除|合并|合併|重构|重構|迁移|遷移|更新|替换|替換|提交|解决|解決)[^的，。；]{1,16}",
    r"%handone%了(?:$|[^\p{Han}]|[^吗嗎呢])",
    r"%hancount% ?(?:个|個|项|項|条|條|组|組)?(?:单元|單元|集成|端到端|回归)?(?:测试|測試|用例|检查)[^，。；]{0,8}?(?:通过|通過|失败|失敗|跑通|完成|成功)|(?:测试|測試|用例)(?:都|均|已|已经|全部|全都|现在)+(?:通过|通過|失败|失敗|跑通|变绿)",
    r"(?:还剩|還剩|剩余|剩餘|剩下|还差|還差|尚余) ?%hancount%|%hancount% ?(?:个|個|项|項|条|份)[^，。；]{0,12}(?:待处理|待修复|未完成|没做)|(?:完成|进度|進度)(?:了|到|为|約|约)? ?%hancount% ?(?:%|成|分之)",
    r"(?:测试|測試|代码|代碼)?覆盖率(?:达到|達到|提升|升到|为|為|是)(?:了|到|至)? ?\d",
    // Japanese.
    r"%jadone%(?:を|が|も)?(?:完了)?(?:しました|した|されました|された|できました|できた|済み(?:です|だ)?|完了(?:です)?|しておいた|しておきました)(?:$|[。、・ ])",
    r"(?:通りました|通った|終わりました|終わった|終えました|直しました|直した|書きました|作りました|作った|なりました|済ませた|済ませました|片付いた|置き換えた|置き換えました|減らした|分けた|まとめた)(?:$|[。、])",
    r"(?:テスト|試験|チェック).{0,16}(?:通過|成功|合格|グリーン|緑|パス|失敗)(?:$|[。、し]|です)|残り(?:は|あと)?[0-9一二三四五六七八九十]+|[0-9一二三四五六七八九十]+(?:件|個|箇所)(?:が)?残って|進捗(?:は|率)",
    // Korean.
    r"%kodone%(?:을|를|이|가|도)? ?(?:모두 |전부 |다 )?(?:완료)?(?:했다|했습니다|했음|하였다|하였습니다|되었다|됐다|되었습니다|됐습니다|됨|완료|했고|됐고|되었고|마쳤다|마쳤습니다|끝냈다|끝났다)(?:$|[., ])",
    r"(?:끝났다|끝났습니다|마쳤다|마쳤습니다|끝냈다|고쳤다|고쳤습니다|마무리했다|줄였다|늘렸다|바꿨다|만들었다|옮겼다|나눴다|지웠다|썼다|올렸다|합쳤다|해냈다)(?:$|[., ])",
    r"테스트.{0,16}(?:통과|성공|실패)(?:했|하였|했음|함|$|\.|됐|되었)|(?:\d+|[한두세네]) ?(?:개|건|가지)(?:가|만|의 .{1,10}가)? ?(?:남았|남아)|진행률|진척",
    // German, French, Spanish.
    r"\b(?:wurde|wurden|worden|ist|sind|habe|haben|hat) .{0,60}\b(?:abgeschlossen|implementiert|behoben|umgesetzt|fertiggestellt|migriert|hinzugefügt|entfernt|erledigt|aktualisiert|umgestellt|bestanden|durchgelaufen|fertig|grün)\b",
    r"\b(?:a|ont|avons|ai) (?:été |tous été |toutes été )?(?:terminée?s?|implémentée?s?|corrigée?s?|migrée?s?|ajoutée?s?|supprimée?s?|réussie?s?|passée?s?|réussi|terminé|mis à jour|achevée?s?)\b|\btests? (?:passent|sont (?:verts|passés))\b",
    r"\b(?:se (?:implementó|corrigió|completó|migró|añadió|agregó|terminó|actualizó)|(?:ha|han|he|hemos) (?:sido )?(?:terminad[oa]s?|implementad[oa]s?|corregid[oa]s?|completad[oa]s?|migrad[oa]s?|añadid[oa]s?|pasado|terminado)|(?:fue|fueron) (?:implementad|corregid|completad|migrad|terminad)[oa]s?)\b|\bpruebas (?:pasaron|pasan)\b",
]);

/// A Japanese or Korean sentence that ends in the past.
static CJK_PAST: Table = Table::new(&[
    r"(?:ました|でした|だった|[しいっきげせべめれえけてね]た)[。]?$",
    r"(?:었|았|였|했|됐|렸|졌|쳤|났|갔|왔|봤|줬|웠|겼|꼈|켰)(?:다|습니다|음|어요)[.]?$",
    r"了(?:[^\p{Han}]|$)",
]);

/// A choice, or what it holds for, in Chinese, Japanese or Korean: past, and in force.
static CJK_CHOICE: Table = Table::new(&[
    r"决定|決定|选择|選擇|确定|約定|约定|采用|採用|改用|不再|为了|為了|取代|规定",
    r"ことにした|ことにしました|ことになった|と決めた|に決めた|に決定|を採用|を選んだ|やめた|廃止",
    r"기로 (?:했|결정|하였|정했|합의)|채택했|선택했|정했|결정했|합의했",
]);

/// What is said of a year is history.
static HISTORY: Table = Table::new(&[
    r"\b(?:in|since|until|before|after) (?:(?:early|late|spring|summer|autumn|fall|winter|q\d|[a-z]+) )?(?:19|20)\d\d\b|(?:19|20)\d\d ?[年년]|\bin the past\b|\bhistorically\b|\boriginally\b",
]);

/// A reason that makes a step a decision.
static GROUNDS: Table = Table::new(&[
    r"\b(?:because|since|so that|in order to|to avoid|due to|in favou?r of|instead of|rather than|as .{3,60} (?:is|are|was|were)|, not)\b|\bfrom .{1,60} to\b",
]);

/// What a choice was made against. It is a decision whoever made it: "we dropped X in favour of Y".
pub(super) static CONTRAST: Table = Table::new(&[r"\b(?:in favou?r of|instead of|rather than)\b"]);

/// Whether a text tells of work that was done.
pub(super) fn reason(kind: &Kind, passage: &Passage<'_>) -> Option<Rejection> {
    let told = passage.says(&TOLD) || passage.says_of_one_case(&ONE_CASE) && !passage.says(&CJK_CHOICE);
    let past = passage.readings().any(|reading| tells(kind, passage, &reading));
    (told || past || tells_in_cjk(kind, passage)).then_some(Rejection::ProgressSnapshot)
}

/// Whether an English clause tells of something done, in the past or the perfect tense.
fn tells(kind: &Kind, passage: &Passage<'_>, reading: &Reading<'_>) -> bool {
    let verb = reading.verb();
    let participle = reading.participle().unwrap_or(verb);
    let work = verbs::is_work_done(participle) || (verb == "did" || verb == "ran");
    match reading.mood {
        Mood::Perfect => {
            !general::is(reading.clause)
                && !verbs::is_choice(participle)
                && !reading.holds()
                && !passage.says(&HISTORY)
        }
        Mood::Past => {
            if verbs::is_choice(participle) || verbs::is_wish(participle) || passage.says(&HISTORY) {
                return false;
            }
            if verbs::is_standstill(verb) && reading.verb_at == 0 {
                return false;
            }
            let bare = reading.verb_at == 0 || reading.participle().is_some() && !reading.has_actor();
            let grounds =
                kind.as_str() == "decision" && (bare && passage.says(&GROUNDS) || passage.says(&CONTRAST));
            let state = reading.holds();
            if grounds || state || reading.reports_a_finding() {
                return false;
            }
            work || reading.verb_at == 0 && !is_judged_by_type(kind)
                || !is_judged_by_type(kind) && (reading.has_actor() || reading.participle().is_none())
        }
        Mood::Imperative | Mood::Rule | Mood::Present | Mood::None => false,
    }
}

fn tells_in_cjk(kind: &Kind, passage: &Passage<'_>) -> bool {
    let past = !is_judged_by_type(kind) && passage.is_cjk() && passage.says_of_one_case(&CJK_PAST);
    past && !passage.says(&CJK_CHOICE) && !passage.says(&HISTORY)
}

/// Types that ask for more than a past without work: the better reason is theirs.
fn is_judged_by_type(kind: &Kind) -> bool {
    matches!(kind.as_str(), "feedback" | "decision")
}

/// Whether a clause is in the past and speaks of no rule: for the types that ask for one.
pub(super) fn is_narrative(passage: &Passage<'_>) -> bool {
    passage.is_cjk() && passage.says(&CJK_PAST) && !passage.says(&CJK_CHOICE) && !general::is(&passage.prose)
}
