//! `temporary_status`: waiting, blocked, for now, currently, next step.

use super::passage::Passage;
use super::table::Table;
use crate::capture::Rejection;

/// Told always.
static TOLD: Table = Table::new(&[
    r"^(?:still |currently |now )?(?:waiting|blocked|stuck|paused|held up|on hold|awaiting) (?:for|on|until|because|due|by|at|in|from|the|a|an)\b",
    r"^(?:still |currently |now )?awaiting (?:[\w-]+ )?(?:feedback|approval|review|answers?|reply|replies|response|confirmation|input|sign-?off|access|clarification|decision|results?|instructions|delivery)\b",
    r"^pending (?:on|until|feedback|approval|review|confirmation|answer|input) (?:from|by|of|on)\b|^(?:blocked|on hold|blocker|paused|wip)\s*(?:[:–-]|$)",
    r"\b(?:am|we're|we are|i'm|i am|it's|are still|is still|is currently|are currently|is now|are now) (?:still |currently |now )?(?:waiting|blocked|on hold|stuck|paused|awaiting|pending)\b",
    r"\b(?:is|are) (?:waiting for|waiting on|awaiting|blocked on|blocked until|pending (?:review|approval|feedback|merge|on)) (?:the |a |an )?(?:[\w-]+ )?(?:team|vendor|customer|client|user|review|reviewer|approval|answer|reply|feedback|decision|ticket|pr|merge|release|fix|access|keys?|credentials?|legal|design|ops|infra|security|upstream|deployment|[a-z]+'s)\b",
    r"\b(?:work|task|migration|project|release|rollout|feature|refactor\w*|upgrade|ticket|issue|pr|pull request|effort|development|this|that|rewrite|story|epic|deploy) (?:[\w-]+ ){0,4}?(?:is|are) (?:still |currently |now )?(?:on hold|blocked|paused|stuck|waiting|delayed|postponed|suspended)\b",
    r"\bfor now\b|\bfor the (?:time being|moment|present)\b|\bat (?:the|this) moment(?:$|[,.]| (?:only|we|the|it|there|because|and|but|so|no|is|are|all|due|this)\b)|\bas of (?:now|today|this week|this morning)\b|\bjust for today\b|\bin the meantime\b|\bfor today\b",
    r"\btemporarily\b|\btemporary (?:workaround|fix|solution|hack|measure|state|patch|stub|setup)\b|\bas a (?:stopgap|quick fix|temporary)\b|\binterim (?:fix|solution|workaround)\b",
    r"\buntil (?:tomorrow|%weekday%|next (?:week|month|sprint|release|session)|further notice|later today|(?:the )?end of (?:the )?(?:day|week|sprint)|we (?:hear|get|have|know|find|fix|decide|can)|(?:it|this|that)(?: is|'s) (?:fixed|ready|merged|resolved|done))\b",
    r"\bin the middle of (?:the|a|an|\w+ing)\b|^still (?:on|at|in|using|running|missing|open)\b|\b(?:is|are) to (?:follow|come)\b|\b(?:is|are) planned(?:$|,| for\b| next\b)|\buntil (?:the )?(?:new|next|missing|final|real) \w+ |\b(?:tests?|specs?|checks?|jobs?|rules?|flags?|features?) (?:is|are) (?:disabled|skipped|muted) until\b",
    r"^(?:next(?: up| steps?| tasks?| actions?| session)?|todos?|to do|to-do|remaining(?: work| tasks?| steps?)?|follow[- ]?ups?|left to do|outstanding|upcoming|plan|action items?)\s*[:–-]\s",
    r"^(?:the )?next (?:steps?|tasks?|thing|action)\b.{0,20}\b(?:is|are|will|would|should)\b|^next,? (?:we|i|the agent|implement|add|write|fix|wire|run|update|migrate|check|move|test|review|start|clean)\b|\bnext steps?(?::|$|,)",
    r"\bstill (?:need|needs|have to|has to|to do|to be|missing|outstanding|todo|pending|left|being \w+ed|unfinished|incomplete|in (?:progress|review|development))\b|\byet to (?:be )?\w+\b",
    r"\b(?:is|are|has|have|was|were|does|do)(?: not|n't) (?:\w+ ){0,2}yet\b|\bnot yet (?:implemented|done|merged|deployed|released|finished|ready|available|supported|written|tested|working|complete|decided|migrated|started|wired|integrated|in place)\b",
    r"\b(?:i'll|i will|we'll|let's|plan(?:s|ned|ning)? to|about to|intends? to|hopes? to|going to (?:be|add|fix|do|write|implement|move|switch|use|migrate|change|start)|will (?:soon|later|then|next)|will be (?:\w+ )?(?:later|soon|next|tomorrow|shortly))\b|^(?:we|i|the agent|the assistant|the user|someone) will (?:then |soon |also |later |next )?(?:%work%|look|try|continue|do|send|provide|come)\b",
    r"\b(?:later today|later this|tomorrow|tonight|this (?:afternoon|morning|evening)|yesterday|next week|last night|early next|by (?:the )?end of (?:the )?(?:day|week)|by eod)\b",
    r"\b(?:until|by|this|next|last|since|till|due|on hold until|due on|scheduled for) %weekday%\b|\b(?:scheduled for|due) (?:tomorrow|next|on the \d)\b",
    r"\b(?:is|are) (?:down|offline|unavailable|out of office|on vacation|on holiday|on leave|sick|away) (?:for|until|since|this|today|right|at|because|due|now|with)\b|\b(?:is|are) (?:currently|still|temporarily|now) (?:down|offline|unavailable|disabled|mocked|stubbed|commented out|skipped|missing)\b|\bdown for maintenance\b",
    r"^(?:at present|presently|meanwhile|right now)[ ,:]|^currently(?:[,:]| (?:the|a|an|we|i|it|they|there|all|only|no|not|our|my|this|these|that|one|two|three|\d+|some|most|both|every|each|nobody|nothing)\b)|^until .{3,60},? (?:we|i) \w+",
    // Chinese.
    r"(?:正在|还在|還在|一直在|仍在|目前在|先)(?:等|等待|等候)|^(?:等待|等)[^，。；]{0,24}(?:回复|回覆|答复|答覆|确认|確認|批准|审批|審批|反馈|回饋|提供|修复|评审|審核|审核)|等.{1,16}(?:之后|以后|后)再|卡在|被.{1,12}(?:阻塞|卡住|挡住)|阻塞(?:于|在|中)|搁置|擱置",
    r"暂时|暫時|暂且|暫且|暂停|暫停|先这样|先這樣|先用.{1,16}(?:等.{1,12}再|之后再|之後再|以后再|以後再|后面再|後面再|回头再|顶着|頂著|代替一下)|临时(?:方案|措施|处理|用|关闭|禁用|绕过|改)|臨時(?:方案|措施|處理|用|關閉)|下一步|下一(?:个任务|项|阶段)|接下来|接下來|待办|待辦|待会|待會|稍后再|稍後再|回头再|明天|明早|今晚|下周|下週|进行中|進行中|准备(?:做|开始|要)|打算|计划(?:明|下|在|把|做|开始)|尚待|维护中|維護中",
    // Japanese.
    r"(?:返事|回答|承認|確認|レビュー|連絡|対応|判断|返信|許可)(?:待ち|を待って|を待つ(?:状態|ところ)|が来るまで)|待っている(?:$|[。、]|状態|ところ)|待っています|一時的に|暫定|とりあえず|当面|さしあたり|差し当たり|次の(?:ステップ|作業|タスク|課題)|次は|これから.{0,20}(?:する|します|予定)|明日|今週|来週|後ほど|作業中|進行中|対応中|調査中|検討中|作業が止ま|保留(?:中|に|と)|ブロックされて|停止中|メンテナンス中|途中(?:です|だ|。|$)|予定です|予定だ|予定。|まだ(?:実装|完了|終わ|でき|着手|未)",
    // Korean.
    r"기다리(?:는|고) (?:중|있)|대기 ?중|임시로|임시 (?:조치|방편|해결)|당분간|다음 (?:단계|작업|할 일|과제|차례)|다음으로|내일|이번 주|다음 주|작업 중|진행 중|검토 중|보류|막혀 있|멈춰 있|중단된 상태|점검 중|아직 (?:안|못|하지|되지|구현|끝나|완료|준비|시작)|예정(?:이다|입니다|임)|일단(?:은)? |우선은|차후에|추후에?",
    // German, French, Spanish.
    r"\b(?:vorerst|vorläufig|derzeit|momentan|zurzeit|zur zeit|im moment|bis auf weiteres|nächster schritt|als nächstes|warten? (?:noch )?auf|blockiert durch|morgen|heute)\b",
    r"\b(?:pour l'instant|pour le moment|actuellement|en ce moment|provisoirement|en attente d|prochaine étape|bloquée? par|demain|aujourd'hui)\b",
    r"\b(?:por ahora|de momento|por el momento|actualmente|temporalmente|provisionalmente|a la espera de|esperando (?:a|la|el|respuesta)|siguiente paso|próximo paso|bloquead[oa] por|mañana|hoy)\b",
]);

/// Told where the clause does not speak in general.
static ONE_CASE: Table = Table::new(&[
    r"^(?:at present|presently|meanwhile|momentarily|right now|today|now)(?:[ ,:]|$)|^currently(?:$| (?:\w+ing|in|on|at|under|being|broken|blocked|down|unused|missing|disabled|off|stuck|unavailable|[\w-]+ (?:is|are|has|have|does|do|uses?|runs?|needs?|goes|go))\b)|\b(?:is|are|we|i|am|does|do|has|have|they|it|team|was|were)(?: not)? currently\b|\bcurrently (?:at|in|on|being|\w+ing|disabled|broken|off|down|unavailable|blocked|unused|missing|under)\b|, currently\b|\bcurrently$",
    r"\bright now\b|\bnowadays\b|\b(?:is|are) (?:still |now )?pending(?:$|,)",
    r"\b(?:today|this week|this month|this sprint|this session|last week)(?:$|[,:]| (?:because|and|so|we|only|the))",
    r"\b(?:is|are|still|currently|now|work) (?:in progress|under way|underway|ongoing|half[- ]done|work in progress|being (?:worked on|implemented|written|migrated|reviewed|tested|discussed|refactored|built|set up))\b",
    r"\b(?:will|shall) (?:be )?(?:%done%|add|fix|write|implement|move|migrate|switch|update|remove|replace|follow|come|start|continue|do|look|try|check|need)\b.{0,60}\b(?:later|soon|next|then|afterwards|once|after|when)\b|\bwill follow\b|\b(?:soon|shortly)$",
    r"\bsince (?:today|this morning|yesterday|last (?:night|week|deploy|release|merge)|\d{1,2}:\d\d)\b",
    r"^(?:目前|现在|現在|眼下|当下|當下|此刻|今天|本周|这周)|(?:目前|现在|現在)(?:还|還|仍|正|先|暂|只能|处于|處於|被|卡|尚|没|沒)|(?:尚未|还没有?|還沒有?|仍未|暂未)[^的，。；]{1,10}(?:$|[，。,；])|^正在|正在(?:做|处理|處理|排查|开发|開發|重构|修|写|迁移|进行|調查|调查|准备)[^的]{0,12}(?:$|[，。])",
    r"(?:^|、|。)(?:現在|今|いま|ただいま|目下|今日)(?:は|、|の?ところ|も)|(?:現在|今|いま).{0,20}(?:中(?:です|だ|。|$)|ている(?:。|$)|ています(?:。|$)|ていない(?:。|$))",
    r"(?:^|[,.] )(?:지금|현재|당장|오늘)(?:은|는|까지|도)?\s.{0,40}(?:중이|중임|중입니다|못하고|못 하고|멈|막혀|기다|있다$|있습니다$|상태)|나중에",
]);

/// Whether a text tells how things stand just now.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    (passage.says(&TOLD) || passage.says_of_one_case(&ONE_CASE)).then_some(Rejection::TemporaryStatus)
}
