//! `unresolved_question`: what nobody has answered, also when it holds a word of a rule.

use std::sync::LazyLock;

use regex::Regex;

use super::passage::Passage;
use super::table::Table;
use crate::capture::Rejection;

/// Addresses, where a question mark parts the path from the query.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:[a-z][a-z0-9+.-]*://|/)[^\s，。、）」]+\?[^\s，。、）」]+")
        .expect("because a test compiles it")
});

static MARKS: Table = Table::new(&[
    // A mark after a word, a bracket or a placeholder; alone it is a sign that a sentence speaks of.
    r"[\p{L}\p{N})\]'’”%]\?(?:[\s?!)\]'’”]|$)|\s\?$",
    r"[\p{L}\p{N}）」]？|^¿|\s¿",
    // English.
    r"^(?:should|shall|do|can|could|must|would|may|might|are|did|will) (?:we|i)\b",
    r"^(?:why|how come|which of|who (?:is|should|will)|what (?:if|about)|how (?:do|should|can|to handle)|where (?:do|should)|when (?:do|should)) (?:we|i|do|should|is|does|are)\b[^,:]{0,120}$",
    r"\b(?:unclear|unsure|not sure|undecided|uncertain|unknown|unresolved|unanswered|not clear|not yet clear|not (?:yet )?(?:decided|settled|determined|known|agreed)|no (?:decision|consensus|agreement)(?: yet)?) (?:yet )?(?:whether|if|how|which|what|who|why|where|when|about|on)\b",
    r"\bwhether\b.{0,160}\b(?:is|remains|stays) (?:still |yet )?(?:open|unclear|undecided|unknown|uncertain|unresolved|to be \w+|not (?:yet )?(?:clear|decided|settled|known))\b",
    r"^(?:open|unresolved|remaining|pending) questions?\s*[:–-]|^(?:question|q)\s*[:–-]|\b(?:is|are|remains?|stays?|as|still) (?:still )?(?:an? )?(?:open|unresolved|unanswered) (?:questions?|points?|issues?|decisions?)\b",
    r"\b(?:tbd|tbc|t\.b\.d|to be decided|to be determined|to be clarified|to be discussed|to be confirmed|yet to be (?:decided|clarified|determined)|needs? (?:a )?(?:decision|clarification)|needs? to be (?:decided|clarified|discussed|determined|settled)|(?:still )?up for (?:debate|discussion)|still (?:being )?(?:debated|discussed|under discussion|open|undecided))\b",
    r"\b(?:we|i|team|user|someone|they) (?:still )?(?:need|needs|have|has|must|should) (?:still )?(?:to )?(?:decide|clarify|figure out|find out|discuss|settle|determine|agree) (?:on )?(?:whether|if|how|which|what|who|where|when)\b",
    r"\b(?:nobody|no one|none of us) knows (?:whether|if|which|who|what)\b|\b(?:question is|wonder(?:s|ed|ing)?|not decided|no idea|don't know|do not know|does not know|doesn't know|asked|asks|debating|discussing|considering) (?:whether|if|which|how|what|why)\b",
    r"^(?:maybe|perhaps|possibly) (?:we|i|it|the)\b|\b(?:might|could) (?:want to|be worth|make sense)\b|\bworth considering\b",
    // Chinese.
    r"(?:吗|嗎|呢)(?:$|[。！!，,])|^(?:要不要|该不该|該不該|能不能|可不可以|是不是)|^是否.{0,40}(?:呢|好)$",
    r"(?:待定|未定|尚未决定|尚未決定|还没决定|還沒決定|没有定论|沒有定論|悬而未决|有待(?:讨论|确认|决定|商榷)|需要(?:再)?(?:讨论|确认一下)|不确定(?:是否|要不要|该|应)|不清楚(?:是否|为什么|该|要)|还不(?:清楚|确定)|拿不定主意)",
    // Japanese.
    r"(?:でしょうか|だろうか|ますか|ですか|べきか|のか|ないか|かな|たらいいか|ましょうか)(?:$|[。、])",
    r"(?:かどうか|べきか|にするか|するか|か否か).{0,20}(?:未定|不明|未決|決まって(?:い)?ない|決めて(?:い)?ない|わから|分から|要確認|要検討|迷)|(?:は|が|も)(?:まだ)?未定(?:$|です|だ|。)|決まっていない(?:$|。)",
    // Korean.
    r"(?:까요|을까|ㄹ까|할까|될까|나요|가요|는가|은가|인가|일까|습니까|ㅂ니까)(?:$|[.,?])",
    r"지(?:는|를|가)? (?:아직 )?(?:미정|정해지지|정하지|결정되지|결정하지|결정 안|모르|모른|불확실|불분명|논의|고민|확실하지)|(?:는|은|이|가) (?:아직 )?미정(?:$|이다|입니다|\.)",
    // German, French, Spanish.
    r"\b(?:unklar|offen|ungeklärt|noch nicht entschieden),? (?:ob|wie|welche[rsmn]?|wann|wer)\b|\b(?:sollen|sollten|müssen|können) wir\b[^.]*$|\bon ne sait pas (?:si|comment)\b|\breste à (?:décider|voir|clarifier)\b|\bno está claro (?:si|cómo)\b|\bqueda por (?:decidir|aclarar)\b",
]);

/// Whether a text asks, or says that something is not decided.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    let text = ADDRESS.replace_all(&passage.prose, "x");
    MARKS.matches(&text).then_some(Rejection::UnresolvedQuestion)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(text: &str) -> bool {
        reason(&Passage::new(text)).is_some()
    }

    #[test]
    fn questions_of_every_language_are_found() {
        for text in [
            "Should we use Redis?",
            "Redis or Memcached (or both)?",
            "It is unclear whether exports should contain deleted rows",
            "Whether to shard by tenant is still open.",
            "Retention period for logs: TBD",
            "Open question: who owns the queue",
            "We still need to decide which cache to use.",
            "Should we always hash on the server",
            "Maybe we should move the worker to Rust",
            "要不要把缓存放到边缘节点",
            "缓存大小待定，之后讨论。",
            "キャッシュを分けるべきか、まだ決まっていない。",
            "ログの保存期間は何日にしますか。",
            "캐시를 나눌지 아직 정해지지 않았다.",
            "로그 보관 기간은 며칠로 할까요?",
            "Sollen wir Redis verwenden?",
            "¿Usamos Redis o Memcached?",
        ] {
            assert!(asks(text), "{text}");
        }
    }

    #[test]
    fn statements_are_none() {
        for text in [
            "Questions from support go to the channel of the owning team.",
            "Open questions are collected in docs/questions.md.",
            "Search lives at https://shop.example/search?q=term and /find?id=1.",
            "Optional fields are marked with ? in the schema.",
            "The `?` operator is preferred to match on results.",
            "Show \"Are you sure?\" before a deletion.",
            "What the user types is never logged.",
            "Should the build fail, rerun it with --verbose.",
            "Ask whether to squash before merging a branch.",
            "How errors are mapped is documented in docs/errors.md",
            "状態は有効か無効のいずれかとする。",
            "是否启用缓存由 config/cache.toml 决定。",
            "인증 여부는 게이트웨이에서 확인한다.",
        ] {
            assert!(!asks(text), "{text}");
        }
    }
}
