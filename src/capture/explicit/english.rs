//! English.

use std::sync::LazyLock;

use super::language::Language;

/// Answers that only mean something beside the question: "I prefer the second option".
const ANSWERS: &str = r"(?:prefer|is) (?:(?:this|that|it|these|those|yours|mine|both|neither|either|(?:the|your) (?:first|second|third|fourth|last|latter|former|other|previous|current|original|old|new|simple|simpler|shorter|longer|above|below))(?: (?:one|option|approach|version|solution|variant|way|idea|choice|proposal|alternative|suggestion|design|name|fix|style|method))?|(?:(?:the|your) )?(?:option|variant|version|approach|solution|plan|number|choice|proposal|alternative)(?: [a-z0-9])?|[a-e1-9])(?: (?:more|better|too|please|thanks|here|then|instead|as well|for now))*(?: ?[.,;!]|$)";

pub(super) static ENGLISH: LazyLock<Language> = LazyLock::new(|| Language {
    cues: &[
        "remember",
        "forget",
        "memor",
        "in mind",
        "note",
        "i prefer",
        "preference",
        "from now",
        "from here",
        "from this point",
        "ing forward",
        "future",
    ],
    openers: &[
        r"(?:ok|okay|k|also|no|nope|and|but|so|oh|well|actually|yes|yeah|yep|right|great|perfect|good|nice|cool|alright|all right|sure|thanks|thank you|btw|by the way|one more thing|another thing|additionally|hey(?: \w+)?|hi(?: \w+)?)\b",
        r"(?:i(?:'d like| would like| want| need) you to|(?:make|be) sure (?:to|you|that you)|you (?:must|need to|have to))\b",
    ],
    courtesies: &[r"(?:please|pls|plz|kindly|always)\b"],
    clauses: &[
        r"remember|memori[sz]e|(?:don'?t|do not|never)(?: ever)? forget|my preference is|i prefer",
        r"(?:keep|bear) in mind",
    ],
    parted: &[
        r"(?:save|add|store)(?: (?:this|that|it|these|the following)(?: (?:fact|rule|point|note|one|info|information|decision|preference|convention)s?)?)? (?:to|in|into)(?: (?:your|the|my|our|project|long-term|persistent|shared))* memor(?:y|ies)",
        r"commit(?: (?:this|that|it|these|the following)(?: (?:fact|rule|point|note|one|info|information|decision|preference|convention)s?)?)? to(?: (?:your|the|project|long-term))* memory",
        r"(?:keep|bear) (?:this|that|it|these|those|the following)(?: (?:rule|point|fact|thing)s?)? in mind",
        r"(?:make|take) (?:a )?(?:mental )?note(?: of (?:this|that|it|the following))?|note for later",
    ],
    asked: &[
        r"(?:can|could|would|will) you(?: (?:please|kindly|always|also))* (?:remember|memori[sz]e|(?:keep|bear) (?:(?:this|that|it) )?in mind|make (?:a )?note|(?:save|add|store|commit)(?: (?:this|that|it))? (?:to|in|into)(?: (?:your|the|my|our|project|long-term))* memory)",
    ],
    since: &[
        r"(?:from (?:now on(?:wards?)?|here on(?: out)?|this point (?:on|forward))|(?:going|moving) forward)\b",
        r"for future (?:reference|sessions|conversations|chats)\b",
        r"in (?:the )?future,? please\b",
    ],
    unless: &[
        // The subject of a sentence: "Remember is the name of the app", "Remember has been deprecated"
        r"(?:remember|memori[sz]e|forget|mind|note|later|memory|on|forward|reference) (?:is|was|isn't|wasn't|has|had|hasn't|means|doesn't|does|sounds|looks)\b",
        r"(?:remember|forget) (?:me|us|him|them)\b|remember the milk\b",
        // Recollections: "Remember when …", "Remember that time we …"
        r"remember (?:when|how|what|why|who|whom|whose|where|which|whether|if|last|yesterday|earlier|back|seeing|having|doing|trying|talking|discussing|reading|hearing|fixing|meeting|getting)\b",
        r"remember (?:the|that|those) (?:\w+ )?(?:time|times|day|days|night|week|bug|issue|problem|incident|outage|meeting|discussion|conversation|talk|thread|error|crash|thing|one) (?:we|i|you|he|she|they|from|last|yesterday|where|when|with the|about)\b",
        r"remember (?:the|our) (?:last|first|other) (?:time|day|week|night|sprint|meeting|session|chat|conversation|discussion)\b",
        r"remember (?:our|my|your) (?:last |previous |earlier )?(?:conversation|discussion|chat|talk|meeting|question)\b",
        // A part of a page: "Remember password checkbox"
        r"remember (?:my )?(?:password|login|user|username|device|choice|selection|session|credentials|state|position|settings?|email|card)(?: \w+)? (?:checkbox|check box|button|toggle|switch|option|feature|functionality|cookies?|token|link|box|field|dialog|popup|flag)\b",
        // "Save this in memory, not on disk" tells where data goes.
        r"memor(?:y|ies)(?: ?[,;:–—-]* ?(?:not|instead|rather|only|but)\b| to\b)",
        r"forward (?:with|and|one|two|in|to|on|through|past|by|at|as planned|or)\b",
        ANSWERS,
    ],
    particles: &[r" please| pls"],
    objects: &[
        r"(?:this|that|it|these|those|the following|following|one|two|three|a few)(?: (?:one|two|three|simple|important|little|rules?|facts?|points?|things?|details?|notes?|preferences?|decisions?|conventions?|info|information|too|also|as well|please|always|forever|well|for (?:later|me|us|next time|good|future reference|the future|future (?:sessions|work|tasks|reference))))*",
    ],
    conjunctions: &["that", "to"],
    negations: &[
        r"(?:do not|never|(?:you |there'?s |there is |i )?(?:do not|don'?t|no) (?:have|need) (?:for you )?to|(?:you )?(?:need not|needn'?t)|no need(?: for you)? to|(?:it'?s )?(?:not necessary|unnecessary) to|(?:you )?(?:should not|shouldn'?t|must not|mustn'?t)|stop|avoid)(?: (?:ever|even|please|you|try to|bother to))* (?:remember|memori[sz]e|remembering|memori[sz]ing)\b",
        r"(?:don'?t|dont)(?: (?:ever|even|please|try to|bother to|bother))* (?:remember|memori[sz]e|remembering)(?: (?:this|that|it|these|those|anything|any|everything|all|the|an?|what i|my|our|their)\b| ?[:,;!–—])",
        r"(?:don'?t|dont|do not|never|(?:you |there'?s |there is )?(?:do not|don'?t|no) (?:have|need)(?: for you)? to|(?:you )?(?:need not|needn'?t)|no need(?: for you)? to|(?:you )?(?:should not|shouldn'?t|must not|mustn'?t))(?: (?:ever|even|please|try to|bother to))* (?:(?:save|add|store|commit|put|write|record) (?:\S+ ){0,4}?(?:to|into)|(?:save|add|store|keep|record) (?:this|that|it|these|those|anything|any of this)(?: \S+){0,3} in)(?: (?:your|the|my|our|project|long-term|persistent))* memor(?:y|ies)\b",
        r"(?:don'?t|dont|do not|never)(?: (?:ever|even|please))* save (?:this|that|it)(?: ?[:,;!.–—]|$| (?:we|i|the|our|my)\b)",
        r"(?:no need to|(?:you )?(?:don'?t|do not) (?:have|need) to) (?:save|note|record|store) (?:this|that|it)\b",
        r"(?:don'?t|dont|do not|no need to|(?:you )?(?:don'?t|do not) (?:have|need) to) (?:keep|bear) (?:this|that|it|any of (?:this|that)) in mind\b|(?:don'?t|dont|do not|no need to) (?:make|take) (?:a )?note",
    ],
    postponed: &[
        r"(?:later|next time|another time|some other time)[:,]? (?:please )?(?:remember|(?:save|add|commit) (?:this|that|it) to memory)\b",
    ],
    deferral_openings: &[
        r"(?:(?:this|that|it|these|those) )?(?:,? ?(?:but|just|only|maybe|perhaps|please|though|rather|instead)[, ]+)*(?:later(?: on)?(?: ?[,;:.!)–—]|$| (?:when|once|after|if|please|then|today|tonight|this|because|as|maybe|i|we)\b)|next time\b|(?:an|some )other (?:time|day)\b|not (?:now|yet)(?: ?[,;:.!)–—]|$))",
        r"(?:this|that|it|these|those),? (?:later|once|as soon as|tomorrow|tonight|not (?:now|yet)|some day|someday|sometime)\b",
        r"(?:once|as soon as|after|when) (?:i|we) (?:have |'ve )?(?:know|knew|confirm|confirmed|decide|decided|check|checked|agree|agreed|talk|talked|discuss|discussed)\b",
    ],
    deferral_endings: &[
        r"\b(?:i'll|we'll|let'?s|decide|discuss|talk|revisit|review|check|confirm|explain|tell|come|get|do|handle|sort|figure|think|look|see|add|fix|finish|clean|update|remind|return|address|clarify|settle|write|it|this|that|these|them|more)\b[^.,;:!?]*\b(?:later(?: on)?|next time|another time|some other time)(?: ?[.,;!]|$)",
    ],
    no_deferrals: &[
        r"\b(?:or|and|than|much|little|bit|no|sooner|minutes?|hours?|days?|weeks?|months?|years?|seconds?|ms|releases?|versions?|steps?|lines?|commits?|ticks?|sprints?) later(?: on)?(?: ?[.,;!]|$)",
    ],
    question_tags: &[r"ok|okay|k|alright|all right|got it|will you|would you|please|deal|understood"],
    thanks: &[
        r"please|pls|thanks(?: a lot| so much)?|thank you(?: very much)?|thx|ok|okay|cheers",
        r"for (?:me|us)|forever|always|well|too|also|as well|everyone|folks|guys|carefully",
        r"it'?s important|(?:this|it|that) is (?:very )?important",
        r"for (?:later|next time|the future|future reference)",
    ],
    continuations: &[
        r"(?:and|then|but|too|also|as well|please|thanks|thank you|ok|okay|now|next|afterwards|can you|could you|let'?s)\b",
        r"(?:it'?s|it is|that'?s|this is|that is) (?:very |really |so )?(?:important|crucial|critical|key)\b",
        r"(?:this|that|it|these|those) (?:and|then|but|too|also|please|thanks|thank you|ok|okay|forever|well)\b",
        r"(?:this|it|these|those) (?:because|since|while|as|before|after|when|whenever|for|in (?:the future|case)|next|until|always|exactly|every time|from|during|throughout|moving|going forward)\b",
    ],
    ..Language::default()
});
