//! English.

use std::sync::LazyLock;

use super::language::Language;

/// Answers that only mean something beside the question: "I prefer the second option".
const ANSWERS: &str = r"(?:prefer|is) (?:(?:this|that|it|these|those|yours|mine|both|neither|either|(?:the|your) (?:first|second|third|fourth|last|latter|former|other|previous|current|original|old|new|simple|simpler|shorter|longer|above|below))(?: (?:one|option|approach|version|solution|variant|way|idea|choice|proposal|alternative|suggestion|design|name|fix|style|method))?|(?:(?:the|your) )?(?:option|variant|version|approach|solution|plan|number|choice|proposal|alternative)(?: [a-z0-9])?|[a-e1-9])(?: (?:more|better|too|please|thanks|here|then|instead|as well|for now))*(?: ?[.,;!]|$)";

pub(super) static ENGLISH: LazyLock<Language> = LazyLock::new(|| Language {
    cues: &[
        "rem",
        "rmem",
        "rmb",
        "forget",
        "froget",
        "memo",
        "in mind",
        "note",
        "i prefer",
        "preference",
        "correction",
        "m now",
        "from here",
        "today",
        "about me",
        "applies to",
        "same for",
        "goes for",
        "in memory",
        "next time",
        "ing rules",
        "se rules",
        "nd rules",
        "that down",
        "this down",
        "it down",
        "from this point",
        "ing forward",
        "future",
        "for later",
        "later session",
        "t save",
        "t store",
        "t keep",
        "t note",
        "t record",
        "t log",
        "t write",
        "t jot",
        "er store",
        "er save",
        "the record",
    ],
    openers: &[
        r"(?:ok|okay|k|also|no|nope|and|but|so|oh|well|actually|yes|yeah|yep|right|great|perfect|good|nice|cool|now|um|uh|er|hmm|ugh|alright|all right|sure|thanks|thank you|btw|by the way|one more thing|another thing|additionally|hey(?: \w+)?|hi(?: \w+)?)\b",
        r"for the record(?: and)?\b|(?:for|in) this (?:project|repo|repository|codebase|workspace)\b|(?:just|exactly|correct|important|fyi|reminder|heads[- ]up|attention)\b|@[\w-]+",
        r"(?:it(?:'d| would) (?:be (?:great|nice|good|lovely)|help)|i(?:'d| would) appreciate it) if you(?: could| would)?\b",
        r"it(?:'s| is) (?:also |very |really )?important (?:to|that you)\b",
        r"(?:i(?:'d like| would like| want| need) you to|(?:make|be) sure (?:to|you|that you)|you (?:must|need to|have to))\b",
    ],
    courtesies: &[r"(?:please|pls|plz|kindly|always)\b"],
    clauses: &[
        r"r[em]+b(?:e?re?|mer)|memori[sz]e|(?:don'?t|do not|never)(?: ever)? f(?:or|ro)get|my preference is|i prefer",
        r"(?:keep|bear) in mind",
    ],
    parted: &[
        r"(?:save|add|store|put|write|record)(?: (?:this|that|it|these|the following)(?: (?:fact|rule|point|note|one|info|information|decision|preference|convention)s?)?)? (?:to|in|into)(?: (?:your|the|my|our|project|long[- ]term|persistent|shared))* memor(?:y|ies)",
        r"commit(?: (?:this|that|it|these|the following)(?: (?:fact|rule|point|note|one|info|information|decision|preference|convention)s?)?)? to(?: (?:your|the|project|long[- ]term))* memory",
        r"(?:keep|bear) (?:this|that|it|these|those|the following)(?: (?:rule|point|fact|thing)s?)? in mind",
        r"(?:small |quick )?correction|update (?:your|the) (?:notes?|memor(?:y|ies))",
        r"(?:make|take) (?:a )?(?:mental )?note(?: of (?:this|that|it|the following))?|memo|(?:write|note|jot) (?:this|that|it) down|add (?:this |that |it )?to your notes|about me|note (?:for (?:later|future)(?: (?:sessions?|chats?|conversations?|reference))?|to self(?: and (?:to )?you)?)",
        r"(?:(?:one|another|two|three|a few|some)(?: more)? )?things? to (?:remember|keep in mind|note)(?: [^:,.]{1,40})?|(?:(?:a few|some|my|our) )?(?:standing|house|ground) rules",
    ],
    asked: &[
        r"(?:can|could|would|will) you(?: (?:please|kindly|always|also))* (?:remember|memori[sz]e|(?:keep|bear) (?:(?:this|that|it) )?in mind|make (?:a )?note|(?:save|add|store|commit)(?: (?:this|that|it))? (?:to|in|into)(?: (?:your|the|my|our|project|long-term))* memory)",
    ],
    since: &[
        r"(?:(?:just )?so you know,? )?for (?:the future|next time|later sessions)\b",
        r"(?:(?:from|form) (?:now on(?:wards?)?|here on(?: out)?|this point (?:on|forward))|(?:going|moving) forward|(?:starting|as of|effective) (?:today|now))\b",
        r"for (?:(?:all|any) )?(?:future|later) (?:reference|sessions|conversations|chats)\b",
        r"in (?:the )?future,? please\b|in (?:all )?(?:future|later) (?:sessions|conversations|chats)\b|in (?:the )?future\b",
    ],
    rules: &[
        r"(?P<rule>(?:(?:please |let'?s )?(?:always|never|no|don'?t|do not|only|use|write|answer|respond|reply|keep|run|call|put|avoid|prefer|ask|format|name|make|stop|start|skip|stick)|(?:we|i|you) (?:use|want|need|prefer|deploy|write|should|must|don'?t|do not|never|always)|all|every|each|(?:(?:the|our|new|your) [a-z-]+|[a-z-]{4,}s)(?: [a-z-]+)? (?:is|are|go|goes|gets?|lives?|must|needs?|belongs?|stays?|have|has|uses?))\b[^.!?]*?),? (?:from (?:now|here|this point) on(?:wards?)?|(?:going|moving) forward|in (?:the )?future)(?:,? please)?",
    ],
    standing: &[
        r"(?:(?:al+wa[ys]{2}|never|never ever|(?:do not|don'?t) ever) [a-z]|(?:you|we) (?:should|must|have to|need to|shall) (?:always|never) |(?:make|be) sure (?:that )?(?:you|to) (?:always|never) |(?:whenever|every time|each time) you [a-z]).+",
        // What a kind of thing must be, what holds in a kind of case, and what somebody is like.
        r"[a-z][a-z /-]* (?:must|should|have to|need to) (?:always|never) .+|(?:in|for|on|when|if|before|after) [^,.]{3,60}, (?:please )?(?:always|never|(?:do not|don'?t) ever) [a-z].+",
        r"i(?:'m| am| work| live) [^,.]{3,60}, (?:so (?:[a-z]+ )?(?:please )?)?(?:always|never) .+|i (?:always|never) want .+|i (?:really )?(?:hate|dislike|can'?t stand) (?:[a-z-]+ ){0,3}[a-z-]+s$",
        r"next time,? (?:please )?(?:ask|use|run|write|check|wait|don'?t|do not|never|always) .+|(?:stop|quit) [a-z]+ing .+|(?:only )?[a-z]+ (?:only )?(?:when|if|after) i (?:say|tell|ask) .+",
        r"(?:never|don'?t|do not) .+,? (?:ever|at all)|(?:absolutely )?no [a-z][a-z -]+(?: please)?,? (?:ever|at all|anywhere)(?:,? please)?|(?:new |our )?(?:rule|convention)s? (?:for|in|of) (?:this|the|our|my) [a-z]+: .+|(?:new (?:rule|convention):|our (?:[a-z]+ )?(?:rule|convention|policy) is) .+",
    ],
    no_standing: &[
        r"(?:[a-z']+ )*?(?:always|never|ever) (?:ever )?(?:mind|think|gonna|seen|heard|been|had|again|knew|thought|did|was|were|is|are|has|have|a|an|the|my|our|in|on|at|when|if|so|good|nice|fun|get|[a-z]+(?:ing|ed|[^s']s))\b",
        r".*\b(?:until|for now|this (?:task|time|one)|just (?:for|this)|(?:in|for|on|with) the (?:new|next|following|current))\b",
        // One thing, and what somebody saw, where a kind of thing could stand.
        r"(?:(?:in|for|on|when|if|before|after) )?(?:the|this|that|it|these|those|an?|he|she|they|what|i (?:must|have to|need to|(?:really )?[a-z']+ (?:this|that|these|those|how|your|the)))\b|(?:in|for|on|when|if|before|after|i)\b.* (?:i|we|it|they|he|she|this|that|there) (?:always|never) [^w]|i(?:'m| am) [a-z]+ing\b",
        // A job of the moment, but for "stop using the old client, use the new one", and what is to be built.
        r"(?:stop|quit) (?:[a-z]+ing (?:(?:it|this|that|them|these|those|so|too|my|here|for|on|at|to|with)\b|the [^,;]+$)|(?:runn|build|compil|execut|try|wait|look|search|read|edit|work|watch|listen|poll|serv|deploy|test|debugg|talk|block)ing\b)",
    ],
    unless: &[
        // The subject of a sentence: "Remember is the name of the app", "Remember has been deprecated"
        r"(?:remember|memori[sz]e|forget|mind|note|later|memory|on|forward|reference) (?:is|was|isn't|wasn't|has|had|hasn't|means|doesn't|does|sounds|looks)\b",
        r"(?:remember|forget) (?:me|us|him|them)\b|remember the milk\b",
        // A thing that will be: "In the future we might …"
        r"future,? (?:we|i|it|he|she|they|this|that|these|those|there|the|an?|our|my|some|[^ ]+ (?:will|would|might|may|could|can)|you (?:will|would|might|may|could|can))\b|future(?:[^ ,:]|,? ?$)",
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
    joints: &[r"[,;]| [-–—]+|([.!])"],
    closings: &[
        r"(?:remember|memori[sz]e|note|(?:don'?t|do not|never) forget|save|make (?:a )?note of) (?:this|that|it|these|those|them)(?: (?:down|again|ever again|this time|for (?:later|me|next time|the future)|(?:to|in) (?:your |the )?memory))?",
        r"(?:keep|bear) (?:this|that|it|these|those|them) in mind|commit (?:this|that|it) to memory|(?:write|note|jot) (?:this|that|it) down(?: .*)?|update your (?:notes|memory)|from (?:now|here) on|(?:put|keep|store) (?:this|that|it) in (?:your |the )?memory(?: .*)?|good to know for (?:later|next time)(?: .*)?",
        r"(?:(?:this |that |it )?(?:applies to|goes for)|(?:the )?same for) (?:all|every|any) [^.,!?]+",
    ],
    pointers: &[
        r"(?:(?:what|everything|the things?) (?:i|we|you)|(?:as|like) (?:i|we|you)|the above|all (?:of )?(?:this|that)|i mean it|this|that|it|yes|ok).*",
    ],
    particles: &[r" please| pls"],
    objects: &[
        r"(?:this|that|it|these|those|the following|following|one|two|three|a few)(?: (?:one|two|three|simple|important|little|this time|rules?|facts?|points?|things?|details?|notes?|preferences?|decisions?|conventions?|info|information|too|also|as well|please|always|forever|well|about (?:me|us|this (?:project|repo))|for (?:later|me|us|next time|good|future reference|the future|future (?:sessions|work|tasks|reference))))*",
    ],
    conjunctions: &["that", "to"],
    negations: &[
        r"(?:do not|never|(?:you |there'?s |there is |i )?(?:do not|don'?t|no) (?:have|need) (?:for you )?to|(?:you )?(?:need not|needn'?t)|no need(?: for you)? to|(?:it'?s )?(?:not necessary|unnecessary) to|(?:you )?(?:should not|shouldn'?t|must not|mustn'?t)|stop|avoid)(?: (?:ever|even|please|you|try to|bother to))* (?:remember|memori[sz]e|remembering|memori[sz]ing)\b",
        r"(?:don'?t|dont)(?: (?:ever|even|please|try to|bother to|bother))* (?:remember|memori[sz]e|remembering)(?: (?:this|that|it|these|those|anything|any|everything|all|the|an?|what i|my|our|their)\b| ?[:,;!–—])",
        r"(?:don'?t|dont|do not|never|(?:you |there'?s |there is )?(?:do not|don'?t|no) (?:have|need)(?: for you)? to|(?:you )?(?:need not|needn'?t)|no need(?: for you)? to|(?:you )?(?:should not|shouldn'?t|must not|mustn'?t))(?: (?:ever|even|please|try to|bother to))* (?:(?:save|add|store|commit|put|write|record) (?:\S+ ){0,4}?(?:to|into)|(?:save|add|store|keep|record) (?:this|that|it|these|those|anything|any of this)(?: \S+){0,3} in)(?: (?:your|the|my|our|project|long-term|persistent))* memor(?:y|ies)\b",
        r"(?:don'?t|dont|do not|never)(?: (?:ever|even|please))* (?:save|store|keep|record) (?:this|that|it)(?: ?[:,;!.–—]|$| (?:we|i|the|our|my)\b)",
        // What is said about people, in other verbs; what a program stores is another thing.
        r"(?:don'?t|dont|do not|never)(?: (?:ever|even|please))* (?:save|store|keep|record|log|note(?: down)?|write(?: down)?)(?: that| what| how| the fact that) (?:i|i'm|we|my|our|he|she|they|[a-z]+ (?:is|was|has|will))\b",
        r"(?:don'?t|dont|do not|never)(?: (?:ever|even|please))* (?:write|note|jot) (?:this|that|it|any of (?:this|that)) down\b",
        r"(?:keep|leave) (?:this|that|it|these|those) (?:out of|off)(?: (?:your|the|my|our|all))* (?:memory|memories|record|notes)\b|(?:this|that|it) (?:is|stays)(?: strictly)? off the record\b|(?:(?:just )?between us,? )?off the record\b|(?:nothing|none) of (?:this|that) (?:goes|belongs) (?:in|into|to) (?:your |the )?memory\b",
        r"forget (?:that )?i (?:said|told|mentioned|wrote)\b",
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
        r"(?:i'?ll|i will|let me|i'm (?:going|about) to|here (?:it|they|is|are))\b",
        r"(?:for|in) (?:this|these|all|our) [^ ]+(?: [^ ]+)?[.! ]*$",
        r"(?:it'?s|it is|that'?s|this is|that is) (?:very |really |so )?(?:important|crucial|critical|key)\b",
        r"(?:this|that|it|these|those) (?:and|then|but|too|also|please|thanks|thank you|ok|okay|forever|well)\b",
        r"(?:this|it|these|those) (?:because|since|while|as|before|after|when|whenever|for|in (?:the future|case)|next|until|always|exactly|every time|from|during|throughout|moving|going forward)\b",
    ],
    lasting: &[
        r"\b(?:always|never|(?:don'?t|not) ever|every|each|whenever|any(?: ?time|thing|one|body|where)|everywhere|all (?:the )?(?:new|future)|by default|in general|prefer(?:ence)?|unless|from now on|both)\b",
        r"\b(?:before|after|when|while|on|for|with|in|at|per) (?:[a-z]+ing )?(?:an?|all|new|most) ",
        r"\bwhen(?: (?:you|we|i))? (?:write|writing|add|adding|touch|touching|change|changing|edit|editing|create|creating|deploy|deploying|commit|committing|review|reviewing|generate|generating|answer|answering|talk|talking)\b",
        r"\bif (?:you|we|i|it|an?|the)\b",
    ],
    passing: &[
        r"\bbefore (?:you|we|i) (?:commit|merge|push|release|deploy|close|submit) (?:this|that|it)\b",
        r"\b(?:when|once|after|as soon as|until|till)(?: (?:you|we|it|that|this|everything|all of it)(?:'re|'s|'ve| are| is| have)?)?(?: all)? (?:done|finished|through|ready|finish|wrap up)\b",
        r"\b(?:after|before) (?:this|that|it|these|we(?:'ve| have)? (?:merged?|shipped?|ship|land(?:ed)?|finish(?:ed)?))(?: (?:one|pr|change|commit|merge|task|run))?(?: ?[.,;!]|$)",
        r"\bbefore (?:committing|merging|pushing|releasing|deploying|closing) (?:this|that|it)\b",
        r"\bstill (?:supposed|meant|going) to\b|\b(?:was|were) (?:going|supposed|about) to\b|\b(?:i'm|i am|we're) (?:leaving|off|out|gone) in\b",
        r"\bbefore (?:you (?:hand over|leave|go|stop|finish|sign off)|(?:i|we) (?:leave|go|stop|sign off))\b",
        r"^to .*(?: (?:too|as well|afterwards|later|next|then)$|\bback (?:on|off|in)\b)",
        r"\b(?:still|not|isn't|aren't|currently|now) (?:[a-z]+ )?(?:red|green|broken|failing|missing|open|pending|blocked|untested|incomplete|unfinished|done|finished|ready|merged|fixed)\b|\bblocked (?:by|on)\b|\bin the middle of\b|\b(?:don'?t|(?:have|has)(?:n't| not)) .* yet\b|\bi (?:still )?(?:need|have) (?:the|this|that|it)\b|\b(?:i'm|i am|we're|we are) (?:still |currently |just )?(?:waiting|working on|testing|debugging|trying|looking|about to)\b",
        r"\bthis (?:pr|mr|branch|ticket|commit|diff|patch)\b|\bneeds? (?:an? |another |to be )?(?:rebas|revert|review|fix|clean|updat|test|look)|\b(?:todo|fixme)s? (?:in|at|we|i|you)\b",
        r"^to first [a-z]+ (?:the|this|that|these|those|my|our|your) [^ ,;]+$",
        r"\b(?:more|left|remaining) (?:[^ ]+ )?to [a-z]+$|\b(?:still|also) (?:have|has|had|need|needs) to\b|\bstill (?:todo|to do|owe)\b",
        r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening|time|sprint)|by (?:monday|tuesday|wednesday|thursday|friday|eod|tonight|noon|the end of|[0-9]{1,2}(?::[0-9]{2})? ?(?:[ap]m)?)|in a (?:minute|moment|bit|sec))\b",
        r"\b(?:in|for|on|into|with|before (?:committing|merging|pushing)|of|rebase|merge|close|fix|finish) (?:this|that|these|those) (?:pr|mr|one|commit|branch|ticket|issue|bug|change|release|file|function|method|class|test|line|task|patch|diff|job|fix|feature|chat|thread)s?\b",
        r"^(?:that |the )?(?:line|lines) [0-9]+.*\b(?:is|are|looks?|has|seems?|still|needs?)\b",
        r"\b(?:do|look at|fix|check|handle|correct|change|update|try|finish|tackle) (?:it|this|that|them|those|these)(?: (?:right|in|up|back))?(?: (?:now|first|next|later|after|afterwards|afterward|then|before|too|as well)\b| ?[.,;!]|$)",
        r"^(?:to )?(?:only|just|do|don'?t) .*\bfor now\b|\b(?:we|i)(?:'ll| will) (?:drop|fix|remove|delete|change|clean|do|need|revert|undo|come back)\b",
        r"\b(?:you|we|i)(?:'ve)? (?:just )?(?:added|left|changed|broke|skipped|commented out|talked about|mentioned|started)\b",
    ],
    expiring: &[
        r"\b(?:right now|(?:in|for) (?:this (?:session|chat)|(?:this|the) conversation)|while (?:doing|you do) (?:this|that|it)|for (?:now|the (?:rest|remainder) of (?:this|the|today)|the next (?:few|couple|hour|[0-9]+)|the time being|today)|just this once)\b",
        r"\b(?:until|till) (?:i'?m|i (?:am|get|come)|we (?:are|get|come)|tomorrow|tonight|(?:next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|next week|noon|lunch|further notice|[0-9]|[^,]*\b(?:over|through|merged|done|finished|out|live|released|fixed|back|ends?|lands?|ships?)\b)|^(?:until|till|while|during) (?:the|this|that|we|i|my|our)\b|\bwhile (?:i'?m|i am|we'?re|we are)\b|^(?:that )?(?:today|tonight|tomorrow|this (?:week|sprint))\b|[^gfm] (?:today|tonight|tomorrow|this (?:week|sprint))[.! ]*$",
    ],
    habits: &[
        r"\b(?:before|after|when|while) (?:committing|pushing|merging|deploying|releasing|you (?:commit|push|merge|deploy|release))\b",
        r"^(?:forget )?(?:to )?(?:(?:also|please|only|first|just|not|you) )*(?:use|prefer|avoid|follow|respect|be|stay|think|consider|stick|treat|keep|ask(?: (?:me|us|the user|first|before|for|permission)|$)|respond|explain|speak|format|(?:wrap|quote|name|pass|handle|validate|escape|mock|pin|lock) (?:[^t ]|t[^h])[^ ]*|assume|work|refer|cite|consult|sign|label|tag (?:the|every|all|new|each))\b",
        r"^(?:to )?(?:(?:also|please|only|first|just|not|you) )*(?:run|write|(?:answer|reply) (?:in|with|as|only|me|briefly|short)|call|read|log|stop|talk|look up|start|begin|build|mark)\b",
        // A kind of thing: "to squash fixup commits", "to include screenshots in reviews"
        r"^to (?:[a-z-]+ ){1,3}[a-z-]+s (?:to|in|into|under|for|on|with|from|of|as) (?:[a-z -]*[^ is]s|[^ ]+/[^ ]*)(?:[ .,;!]|$)",
        r"^forget .*\b(?:is|are|was|were|has|have|had|must|should|needs?|can|cannot|can't|will|won't|only|never|no|not|isn't|aren't|doesn't|don't|means?|uses?|lives?|runs?|goes|expects?|requires?|starts?|takes?|that|we|i|they|it|you)\b",
    ],
    jobs: &[
        r"^(?:to )?(?:(?:also|please|then|first|just|quickly) )*(?:fix|rebase|restart|reboot|rerun|re-run|revisit|investigate|look (?:at|into|over)|undo|revert|finish|thank|ping|remind|redo|rename|come back to|get back to|go back|follow up|find out|figure out|take care of|cherry-pick|uncomment|unskip|reopen|retest|re-test|double[- ]check|delete|remove|close)\b",
        r"^(?:also )?(?:update|check|drop|merge|bump|restart|move|replace|refactor|clean|reset|send|change|correct|regenerate|migrate|resolve|cancel|squash|push|commit|add|test|verify|publish|release|deploy|open|create) (?:up )?(?:the|this|that|these|those|it|them|my|our|[#@`][^ ]*|readme|changelog)(?: |[.,;!]|$)",
        r"^(?:forget )?to [a-z]|^forget about |^forget (?:bump|tag|post|push|publish|announce|write|mention|thank|send|add) ",
        r"^forget (?:about )?(?:the|my|our|those|these|this|that) (?:[^ ]*[^ s] ){0,3}[^ ]+(?: (?:in|for|of|on|to|from|at) (?:[^ ]*[^ s] ){0,3}[^ ]+)?$|^forget [!-~]+(?: [!-~]+)?$",
    ],
    ..Language::default()
});
