//! `transient_bug_state`: a defect that is about to be mended.

use super::english::{self, Mood};
use super::general;
use super::passage::Passage;
use super::table::Table;
use crate::capture::Rejection;

/// Told always.
static TOLD: Table = Table::new(&[
    r"\bstill (?:[\w']+ )?%fails%",
    r"\b%fails%.{0,80}\b(?:since|again|after) (?:the |my |our |yesterday|last |this |today|upgrad|updat|merg|commit|version|v\d|we |i |that |switching)",
    r"\b(?:have|has|had|did|do|does|could)(?: not|n't) (?:yet )?(?:found|find|identified|identify|understood|understand|figured|figure|fixed|fix|reproduced|reproduce|located|locate|pinned|know)(?: \w+){0,3}? (?:cause|reason|bug|root|issue|problem|why|out|culprit|yet)\b",
    r"\b(?:root cause|cause|reason)\b.{0,20}\b(?:unknown|unclear|not (?:yet )?(?:been )?(?:found|known|clear|understood|identified|determined))\b|\b(?:nobody|no one|we (?:do not|don't)|i (?:do not|don't)) knows? why\b|\bfor no (?:apparent|obvious|clear) reason\b|\blooking for the (?:reason|cause|culprit)\b",
    r"\b(?:since|after) (?:the |our |my )?(?:[\w-]+ ){0,3}?(?:upgrade|update|release|merge|refactoring|refactor|deploy|deployment|change|commit|migration|switch|rollback|yesterday|last week|last night|this morning)\b.{0,40}?\b%fails%",
    r"\b(?:root cause|cause|reason),? (?:is |remains |still )*(?:unknown|unclear|not (?:yet )?(?:known|found|clear|understood)|under investigation|being investigated|to be found)\b|\b(?:root cause|cause|reason) not (?:yet )?(?:found|known|clear|identified)\b",
    r"\bno idea why\b|\bfor (?:some |an )?unknown reasons?\b|\bcannot be reproduced\b|\b(?:could|can) not reproduce\b|\bcannot reproduce\b|\bcan't reproduce\b|\bnot (?:yet )?(?:fixed|reproducible)\b",
    r"\b(?:needs? (?:investigation|debugging|a fix|fixing|to be (?:fixed|investigated|debugged))|(?:under|being) investigat\w+|is being debugged|must be fixed (?:before|soon|next|first))\b",
    r"^(?:bug|regression|known bug|known issue|defect|open bug)\s*[:–-]|\b(?:there is|there's|there seems to be|we have|we found|i found|found|seeing|we see) (?:still )?(?:an? |the )?(?:[\w-]+ ){0,2}(?:bug|regression|race|race condition|memory leak|leak|deadlock|defect)\b",
    r"\b(?:keeps?|started|is|are) (?:failing|crashing|hanging|timing out|throwing|flickering|leaking|breaking)\b",
    r"\b(?:is|are) (?:currently |still |now |completely |totally |partly |somehow )?(?:broken|flaky|buggy|misaligned|garbled|out of sync)\b(?: (?:in|on|for|after|since|when|again|at)\b|$|[,:])",
    r"(?:仍然|仍|还是|還是|依然|依旧|依舊|一直|还在|還在|老是|又|偶尔|偶爾|有时|有時|时不时).{0,12}(?:失败|失敗|报错|報錯|崩溃|崩潰|出错|出錯|超时|超時|卡住|卡死|异常|異常|不生效|无法|無法|不工作|闪烁|閃爍|白屏|丢失|报 ?\d{3}|泄漏|没反应)",
    r"不知道(?:为什么|為什麼|原因)|(?:原因|根因|问题|問題).{0,8}(?:不明|未知|未查明|还没|還沒|尚未|没找到|沒找到|未找到|不清楚|排查中|没定位|未定位|不详)|(?:还没|還沒|尚未|还未|還未|没有|暂未)(?:找到|查明|查清|定位|修复|修復|修好|解决|解決).{0,8}(?:原因|问题|問題|bug|$|[，。])",
    r"(?:无法|無法|不能)(?:稳定)?(?:复现|重现|重現)|待修复|待修復|(?:有|存在)(?:一)?(?:个|個)?(?:bug|缺陷|内存泄漏)",
    r"(?:まだ|依然|いまだ|未だ|時々|たまに|相変わらず|再び|また).{0,24}(?:失敗|落ち|エラー|動か|動作し|壊れ|直って|直ら|クラッシュ|固ま|再現|不安定|表示され|反応)",
    r"(?:原因|根本原因).{0,8}(?:不明|わから|分から|判明し|見つか|特定でき|特定され|未特定|調査中|掴め)|(?:失敗し続け|動作しない(?:状態|まま)|壊れている|壊れたまま|落ちることがある|不具合が(?:ある|残|発生)|バグが(?:ある|残|見つか)|直っていない|修正されていない|再現しない)",
    r"(?:아직|여전히|계속|가끔|자꾸|또|간헐적으로|종종).{0,24}(?:실패|오류|에러|깨지|깨진|멈추|멈춘|죽|안 ?되|안 ?된|동작하지|작동하지|충돌|찾지 못|고쳐지지|고치지|재현|느려|누수)",
    r"원인.{0,8}(?:모르|모른|불명|찾지 못|파악하지|파악되지|파악이 안|미상|알 수 없|조사 중|밝혀지지)|버그가 (?:있|남)|깨져 있|고장 ?(?:나|난)|실패하고 있|작동하지 않는 상태|오류가 (?:계속|발생하고)",
    r"\b(?:funktioniert|geht|läuft) (?:noch |immer noch |wieder )?nicht\b|\bschlägt (?:noch |immer noch |weiterhin )?fehl\b|\bstürzt .{0,30}\bab\b|\bursache (?:ist )?(?:noch )?(?:unbekannt|unklar)\b|\béchoue (?:encore|toujours)\b|\bne (?:marche|fonctionne) (?:pas|plus)\b|\bplante (?:encore|toujours)\b|\bsigue fallando\b|\bno funciona\b|\bcausa (?:desconocida|inconnue)\b",
]);

/// Told where the clause does not speak in general, or give a reason that holds.
static SYMPTOM: Table = Table::new(&[
    r"\bsince (?:the |our |my |last |yesterday's |this )(?:[\w-]+ ){0,3}?(?:upgrade|update|release|merge|refactoring|refactor|deploy|deployment|change|commit|migration|switch|rollback)$",
    r"\b(?:crashes|crashed|hangs|hung|freezes|froze|flickers|flickered|segfaults|deadlocks|does nothing|do nothing|no longer works?|stopped working|does(?: not|n't) work|do(?: not|n't) work|(?:is|are)(?: not|n't) working|intermittently|sporadically|randomly|is flaky|are flaky|times out (?:randomly|sometimes|again|on)|returns (?:an? )?50\d|throws an? \w*(?:error|exception)|fails? (?:with|on|in|sometimes|randomly|at|for|to)\b|shows? (?:the |a |an )?(?:wrong|stale|old|blank|empty)|gets stuck|leaks memory|renders? (?:twice|wrong|nothing)|sometimes)\b",
    r"(?:报错|報錯|崩溃|崩潰|卡死|打不开|打不開|无响应|加载不出|显示不出|白屏|不生效|闪退|閃退|没有反应|沒有反應|内存泄漏|记忆体泄漏)",
    r"(?:クラッシュする|落ちる|固まる|フリーズする|表示されない|動かない|反応しない|ちらつく)(?:$|[。、])",
    r"(?:깨진다|멈춘다|죽는다|안 된다|동작하지 않는다|작동하지 않는다|깜박인다|먹통|튕긴다)(?:$|[., ])",
]);

/// What makes a symptom a thing to know: a reason, a way around it, a purpose.
static LASTING: Table = Table::new(&[
    r"\b(?:because|so|therefore|hence|instead|use|avoid|by design|on purpose|deliberately|intentionally|documented|expected|limitation|unsupported|workaround|unless|without|with older|older|gracefully|fast|loudly|open|closed|early|requires?|needs?)\b",
    r"\b(?:inside|outside|under|behind) (?:a |an |the )?\w+",
    r"因为|因為|所以|因此|改用|需要|设计|避免|ため|ので|代わり|避け|설계|때문|대신|피한",
]);

/// Whether a text tells of a defect.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    let symptom =
        passage.says_of_one_case(&SYMPTOM) && !passage.says(&LASTING) && !general::is(&passage.prose);
    let symptom_under_condition = passage.says(&HARD) && !passage.says(&LASTING) && !passage.says(&RULE);
    if CONDITION.matches(&passage.prose) && orders_after_comma(passage) {
        return None;
    }
    (passage.says(&TOLD) || symptom || symptom_under_condition).then_some(Rejection::TransientBugState)
}

/// What a symptom is a case of: "when a test is flaky, find the cause".
static CONDITION: Table = Table::new(&[r"^(?:if|when|whenever|once|in case|should) "]);

/// Whether a part after a comma is an order: the symptom is when to follow it.
fn orders_after_comma(passage: &Passage<'_>) -> bool {
    let parts = passage.prose.split(',').skip(1);
    parts
        .map(english::read)
        .any(|reading| matches!(reading.mood, Mood::Imperative | Mood::Rule))
}

/// Symptoms that a condition does not make a rule: "crashes when the title is empty".
static HARD: Table = Table::new(&[
    r"\b(?:crashes|crashed|hangs|freezes|flickers|segfaults|deadlocks|does nothing|do nothing|stopped working|throws an? \w*(?:error|exception)|fails with an? (?:4|5)\d\d|returns an? 50\d)\b.{0,60}\b(?:when|if|once|while|every time|whenever|on|in|after|for|at)\b",
    r"^(?:when|if|once|while|whenever|every time|after) .{3,80}, .{0,60}\b(?:crashes|hangs|freezes|flickers|segfaults|deadlocks|does nothing|stops working)$",
]);

static RULE: Table =
    Table::new(&[r"\b(?:must|never|always|should|shall|may not|cannot|has to|have to|only)\b"]);
