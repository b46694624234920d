//! The requests of German, Spanish, French, Portuguese, Italian and Russian: those that ask for a fact or set a rule. What
//! they ask not to forget is mostly a job, and is left to the model.

use std::sync::LazyLock;

use super::language::Language;

pub(super) static EUROPEAN: LazyLock<Language> = LazyLock::new(|| Language {
    cues: &[
        "denk",
        "merk",
        "ab jetzt",
        "ab sofort",
        "ab heute",
        "von nun",
        "von jetzt",
        "zukunft",
        "künftig",
        "recuerda",
        "acuérdate",
        "en cuenta",
        "ahora",
        "souviens",
        "rappelle",
        "retiens",
        "maintenant",
        "désormais",
        "dorénavant",
        "lembre",
        "agora",
        "ricorda",
        "tieni a mente",
        "d'ora",
        "запомни",
        "помни",
        "учти",
        "отныне",
        "впредь",
        "nicht speicher",
        "nicht notier",
        "speichere",
        "notiere",
        "no guardes",
        "no anotes",
        "no recuerdes",
        "note",
        "apúntalo",
        "enregistre pas",
        "mémorise pas",
        "não guard",
        "não anot",
        "non salvare",
        "non annotare",
        "не записывай",
        "не сохраняй",
    ],
    openers: &[
        r"(?:ok|okay|also|und|aber|gut|super|danke|nein|übrigens|y|pero|bien|vale|gracias|et|mais|merci|e|ma|grazie|obrigad[oa]|и|но|хорошо|спасибо|vergiss nicht)\b",
    ],
    courtesies: &[r"(?:bitte|por favor|s'il te plaît|stp|per favore|пожалуйста)\b"],
    clauses: &[
        r"denke? (?:bitte )?(?:daran|dran)|merke? dir(?: bitte)?|behalte? im (?:kopf|hinterkopf)|recuerda|acuérdate de|ten en cuenta|souviens-toi|rappelle-toi|retiens(?: bien)?|garde en tête|lembre-se de|lembra(?:-te)?|ricorda(?:ti)?(?: di)?|tieni a mente|запомни|помни|учти",
    ],
    since: &[
        r"(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|in zukunft|künftig|a partir de (?:ahora|agora)|de (?:ahora|agora) (?:en adelante|em diante)|à partir de maintenant|désormais|dorénavant|d'ora in (?:poi|avanti)|отныне|впредь)",
    ],
    joints: &[r"[,;]| [-–—]+|([.!])"],
    closings: &[
        r"merke? dir (?:das|es)|(?:für die zukunft|dauerhaft|künftig)(?: bitte)? merken|recuérdalo|tenlo en cuenta|apúntalo|retiens-le|souviens-t'en|note-le|ricordalo|lembre-se disso|запомни это",
    ],
    objects: &[r" ?(?:das|dies|folgendes|esto|ceci|cela|isto|questo|это)"],
    conjunctions: &["dass", "daß", "que", "che", "что"],
    negations: &[
        r"(?:merke? dir (?:(?:das|dies|es) )?(?:bitte )?nicht\b|(?:(?:das|dies|es) )?(?:bitte )?nicht (?:speichern|merken|notieren|aufschreiben)(?: ?[:.!]|$)|(?:speichere?|notiere?) (?:das|dies|es) (?:bitte )?nicht(?: ?[:,.!]|$))",
        r"(?:no (?:recuerdes|guardes|anotes)|ne (?:retiens|mémorise|note) pas|n'enregistre pas|não (?:guarde|guardes|anote|anotes)|non (?:salvare|annotare|ricordare)) ?(?:esto|eso|ça|ceci|cela|isto|isso|questo|ciò)?(?: ?[:,.!]|$)|не (?:запоминай|записывай|сохраняй)(?: это)?(?: ?[:,.!]|$)",
    ],
    passing: &[
        r"\b(?:heute|gleich|nachher|nur diesmal|diese[rsnm]? (?:pr|mr|branch|datei|funktion|test|commit|zeile)|hoy|esta vez|aujourd'hui|cette fois|oggi|hoje|сегодня)\b",
    ],
    standing: &[
        r"(?:bitte )?(?:(?:schreibe?|nutze?|benutze?|verwende?|mache?|antworte|frage?|pushe?|committe?) )?(?:immer|niemals|nie) .+|(?:nunca|siempre) .+|(?:никогда|всегда) .+",
    ],
    ..Language::default()
});
