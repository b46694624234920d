//! What makes a clause speak in general: a rule, a limit, a condition. What would tell of one case anywhere else does
//! not in such a clause: "at most 20 files are left open".

use super::table::Table;

static MARKS: Table = Table::new(&[
    // Rules.
    r"\b(?:must|must not|mustn't|never|always|should|shall|may not|cannot|has to|have to|had better|required|requires?|needs? to|ought to)\b",
    r"\b(?:only|every|each|any|all (?:new|future)|no (?:one|two|other)|by default|per|regardless|whatever|whichever|wherever)\b",
    r"\b(?:may|can) (?:be|not|only|\w+ again)\b",
    r"\b(?:means|indicates|signals|implies)\b",
    // Limits.
    r"\b(?:at most|at least|up to|no more than|no fewer than|no less than|more than|less than|maximum|minimum|max|min|limit(?:ed|s)?|within)\b",
    // Conditions.
    r"\b(?:when|whenever|once|unless|if|as soon as|as long as|in case|while)\b",
    r"\b(?:until|before|after) (?:a|an|they|\w+ing)\b|\b(?:until|before) (?:the|it|its|their|all)\b",
    r"\b(?:that|which|who|whose) (?:is|are|was|were|has|have|had|\w+ed|fail|pass)\b",
    // Chinese, Japanese, Korean.
    r"必须|必須|不得|不可|不能|禁止|一律|始终|始終|永远|永遠|总是|总要|應該|应该|应当|务必|務必|只能|只有|才能|才可|最多|最少|至少|不超过|不超過|不要|请勿|默认|預設|如果|若|每次|每个|每個|每天|凡是|任何",
    r"必ず|常に|べき|しないこと|すること|禁止|のみ|だけ|場合|とき|たら|なら|最大|最小|以内|以上|以下|毎回|毎|ごとに|してはならない|しなければ|デフォルト|までとし",
    r"반드시|항상|해야|하지 않|하지 말|말아야|금지|만 |경우|때마다|(?:할|될|는) 때|하면|되면|최대|최소|이내|이상|이하|매번|마다|기본적으로|절대",
    // German, French, Spanish.
    r"\b(?:müssen|muss|darf|dürfen|sollen?|sollte|immer|niemals?|nur|wenn|sobald|höchstens|mindestens)\b",
    r"\b(?:doit|doivent|toujours|jamais|seulement|uniquement|quand|lorsque|si|au plus|au moins|il faut)\b",
    r"\b(?:debe|deben|siempre|nunca|solo|sólo|cuando|como máximo|al menos|hay que)\b",
]);

/// Whether a clause speaks in general.
pub(super) fn is(clause: &str) -> bool {
    MARKS.matches(clause)
}
