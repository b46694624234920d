//! What a message shows, and does not say: mail, tickets, documents, chats, answers of other models, texts to work on.
//! It is told by the shape of the message: the user's own lines stand before what they show, as a rule with a word for
//! what is to be done with it, or behind it. In doubt a line is shown.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::folded::Folded;
use super::language::{compile, one_of};
use super::opening::{Opening, opening};
use super::said_lines::{Place, SaidLine};
use crate::text::pattern;

/// Lines that stand at the head of what somebody else wrote, or between its parts.
const MARKS: &[&str] = &[
    // Heads of mails, and of forwarded ones
    r"(?:from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|datum|de|para|asunto|objet|发件人|收件人|主题|寄件者|主旨|差出人|件名|보낸 사람|받는 사람|제목) ?: ?\S",
    r"-{2,} ?(?:original|forwarded|weitergeleitete|ursprüngliche)\b|(?:begin forwarded message|on .{6,60} wrote):?$",
    // Salutations, and the end of a letter
    r"(?:hi|hello|hey|dear|hallo|liebe[rs]?|sehr geehrte[rs]?|bonjour|hola|estimad[oa]s?|good (?:morning|evening|afternoon))\b[^.!?:;]{1,40},$|(?:各位|大家|尊敬的)[^。,]{0,12}[,:]|[^、。]{1,20}(?:様|各位|さん)、?$",
    r"(?:best|kind|warm)(?: regards| wishes)?,?$|(?:regards|sincerely|cheers|many thanks|mit freundlichen grüßen|(?:viele |liebe )?gr(?:ü|ue)(?:ß|ss)e?|cordialement|saludos),?$|(?:your|the) [a-z]+(?: [a-z]+)? team$|-- $|--$",
    // Chats: a time or a name before the words
    r"[^\[\]:]{0,24}[ ,(][0-9]{1,2}:[0-9]{2} ?[ap]\.?m\b.{0,3}$|[a-z][\w.-]*,? \(?[0-9]{1,2}:[0-9]{2}\)?$|\[[^\]]{1,24}[0-9]{1,2}:[0-9]{2}[^\]]{0,6}\]",
    r"<[a-z][\w.-]{0,20}> |@[a-z][\w.-]{0,20}: |.{1,30} (?:added a comment|commented|replied)\b",
    // Documents and tickets: headings, fields, keys, numbers of sections and versions
    r"#(?:#{0,5}|[0-9]+) \S|={3,}$|-{3,}$|\*{3,}$|\*\*[^*]{1,60}\*\*:?$|[【〖].{1,20}[】〗]|v[0-9]+\.[0-9]+(?:\.[0-9]+)?\b.{0,20}$|[0-9]+\.[0-9]+(?:\.[0-9]+)*\.? [^ ].{0,60}$",
    r"[a-z]{2,10}-[0-9]{1,6}\b ?[:–-]? ?[^ ,.;]+ .*|(?:reporter|status|labels?|assignee|priority|component|milestone|title|attendees|participants|agenda|reviewer|author|标题|標題|描述|内容|题目|제목|내용|타이틀|タイトル|概要|詳細|posted by|published) ?[:：].*",
    r"(?:acceptance criteria|steps to reproduce|expected(?: behaviou?r)?|actual(?: behaviou?r)?|user story|definition of done|description|background|additional context|breaking changes|release notes|meeting notes|minutes|anforderung|akzeptanzkriterien)\b[^.!?]{0,24}$",
    r"(?:feature|scenario|background|user story):|as an? [a-z ]{1,30},? i (?:want|need|can)\b|(?:given|when|then) an? [a-z]|share this (?:article|post|page)|posted by |.{0,20}[0-9]+ min read|accepted answer$",
];

/// Verbs of work on a text, which need no other word for it.
const ON_TEXT: &[&str] = &[
    r"(?:summari[sz]e|sum (?:it|this|that) up|tl;?dr|translate|proof-?read|review|rewrite|rephrase|reword|paraphrase|shorten|tighten|polish|improve|explain|estimate|critique|rate|grade|assess|judge|score|comment on|roast|condense|spell-?check|fact-?check|sanity-?check|look over|go over|analy[sz]e|evaluate|summary of|draft|interpret|simplify|copy-?edit|check (?:the )?(?:grammar|spelling|wording))\b",
    r"(?:übersetze?|fasse? .*zusammen|korrigiere?|prüfe?|erkläre?|beantworte?|antworte|umformulier|implementiere?|traduis|traduire|résume|corrige|explique|traduce|resume|explica|revisa)\b",
    r"(?:把|请|帮我|將|将)?.{0,12}(?:翻译|翻譯|[翻译譯]成|总结|總結|概括|校对|校對|润色|潤色|解释|解釋|审阅|審閱|改写|改寫|回复|回覆|实现|實現|作为|用下面|用以下)",
    r".*(?:(?:翻訳|訳|語に|要約|添削|校正|説明|レビュー|実装|返信)(?:し|を?お?願い|を?頼)|どう(?:いう意味|思))",
    r".*(?:번역|요약|검토|설명|구현|처리|교정|답장) ?(?:해|하|부탁|좀)|.*다듬",
];

/// Verbs of work on anything: they are about what follows where another word points at it.
const ON_ANYTHING: &str = r"(?:implement|add|use|write|make|generate|seed|put|fix|convert|turn|pick up|create|build|look at|read|reply|respond|answer|edit|correct|check|compare|extract|classify|format|insert|paste|render|parse|test|document|do|apply|commit|send|post|publish|handle|work on|start|take|see|have|let'?s|i (?:want|need|have|got|found|asked|pasted|copied|received)|we (?:got|received|have)|my|our|the|here|kannst du|könntest du|schreib)\b";

/// Words that point at a text, or name one.
const POINTING: &str = r"\b(?:this|these|that|those|below|following|it|mail|e-?mail|ticket|issue|story|spec|readme|agents\.md|claude\.md|contributing|changelog|release notes?|article|blog|post|page|docs?|document|paragraph|section|prompt|transcript|chat|thread|comment|answer|message|notes|minutes|letter|draft|announcement|handbook|policy|requirements?|criteria|fixture|input|sentences?|description|tooltip|he|she|they|them|das|diese[rsnm]?|darauf|folgende[rsnm]?|ci-dessous|siguiente)\b|这段|这份|这篇|这封|下面|以下|上面的|提示词|[こそ]の|次の|下記|이 |다음|아래";

/// Words of who or where a text is from.
const FROM: &str = r"\b(?:told (?:me|us)|wrote|writes|says|said|suggest(?:ed|s)|answer(?:ed|s)|replie[ds]|post(?:ed|s)|pasted|copied|got (?:this|it)|found (?:this|it)|received|sent (?:me|us)|from (?:the |our |my |a |today'?s )?(?:standup|meeting|docs?|slack|discord|teams|chat|mail|wiki|web|internet|https?:)|stack ?overflow|according to)\b|(?:说|說|写道|寫道|回答|来信|消息)$|(?:によると|から|メッセージ)$|(?:말|답변|메시지)$|\b(?:schrieb|sagt|meint)\b";

/// Words of a line whose list or text the user wrote for the reader.
const OWN_NOTES: &str = r"^(?:(?:a few|some|two|three|several|my|more|other|also|and|ok|here are|these are|the|our) )*(?:[a-z-]+ )?(?:things?|notes?|remarks?|rules?|points?|reminders?|preferences?|requests?|wishes|conventions?|facts?)(?: (?:for (?:you|me|us|all|(?:this|the|our|my) [a-z-]+)$|about|on|from me|to (?:remember|keep)|before)\b.*)?$";

/// Endings of a line that has another text print, say or read what follows.
const SHOWING: &str = r"\b(?:prints?|says?|reads?|shows?|displays?|outputs?|answers?|contains?)$";

/// The ends of a message that point back at what it shows.
const BACK: &str = r"^(?:\^|[^a-z]{0,3}(?:(?:can|could|would|will) you|please|pls|kannst du)? ?(?:true|right|correct|thoughts|opinions?|agreed?|go ahead|let'?s go|sum|summari[sz]e|translate|proof-?read|review|rewrite|shorten|explain|implement|estimate|fix|do|make|turn|write|check|answer|reply|start|build|convert|draft)\b|(?:is|are|was|does|do|did|what|who|whom|which|why|how|should|would|could|can|any|so)\b.*)";

/// The least length of a paragraph that may be from a document, in bytes.
const PUBLISHED: usize = 150;

static MARK: LazyLock<Regex> = LazyLock::new(|| compile(&format!("^{}", one_of(MARKS))));
static WORKED_ON: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r"(?:^|[.,;!?:] )(?:(?:can|could|would|will) you|please|pls|now|ok|then|and|also|to|i (?:want|need|would like) (?:you )?to|[ ,])*{}",
        one_of(ON_TEXT)
    ))
});
static DONE_WITH: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r"(?:^|[.,;!?:] )(?:(?:can|could|would|will) you|please|pls|now|ok|then|and|also|[ ,])*{ON_ANYTHING}"
    ))
});
static POINTS: LazyLock<Regex> = LazyLock::new(|| compile(POINTING));
static IS_FROM: LazyLock<Regex> = LazyLock::new(|| compile(FROM));
static NOTES: LazyLock<Regex> = LazyLock::new(|| compile(OWN_NOTES));
static HAS_SHOW: LazyLock<Regex> = LazyLock::new(|| compile(SHOWING));
static POINTS_BACK: LazyLock<Regex> = LazyLock::new(|| compile(BACK));
/// A title: a few words that begin large, and say nothing of their own.
static TITLE: LazyLock<Regex> = LazyLock::new(|| compile(r"^[A-Z][\w'+/-]*(?: [A-Za-z0-9][\w.'+/-]*){0,7}$"));
static SPEAKS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(?:i|i'm|you|we|me|us|my|our|please|pls|thanks?|ok|okay|hi|hey|hello|also|now|and|remember|always|never|use)\b",
    )
});
/// Names before a colon, a line each: a chat.
static SPEAKER: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^([a-z][\w.-]{1,15}(?: [a-z][\w.-]{1,15})?|[^\x00-\x7f]{2,6}): \S"));
/// Beginnings of a line by which somebody goes on in their own words.
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:btw|by the way|also|and|oh|ps|p\.s\.|one more thing|besides|apart from that|另外|还有|顺便|あと|それと|그리고|참고로|übrigens)\b",
    )
});

/// Says whether a line begins with what it is a part of, and whose that is: `TODO list of Kim: …`, `Kim's rules: …`.
pub(super) fn is_of_another(line: &str) -> bool {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"^(?:the )?(?:[a-z-]+ ){0,2}(?:lists?|liste|notes?|rules?|guidelines?|to-?dos?|checklist|policy|conventions?|plan|memo|minutes|handbook|docs?|notizen|regeln) (?:of|by|from|von|der|des|de) [^:]{1,40}:|^[a-z-]+'s [^:]{1,40}:",
        )
    });
    HEAD.is_match(line)
}

/// Says whether the beginning of a folded sentence tells what somebody else said.
pub(super) fn is_reported(text: &str) -> bool {
    static REPORTED: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"(?:^|[ ,])(?:[^i ]|[^ ]{2,}) (?:said|says|wrote|writes|told (?:me|us)|wants|asks|claims|suggests|suggested|replied)\b|[说說]|と(?:言|いう)",
        )
    });
    REPORTED.is_match(text)
}

/// A paragraph as documents have it, of three sentences or more that are all written out, in which nobody speaks for
/// themselves: where a rule stands in it, it is somebody else's.
fn is_published(lines: &[SaidLine<'_>]) -> bool {
    static SENTENCES: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:[\p{Lu}\d][^.!?]{8,}(?:[.!?]\p{L}[^.!?]*)*[.!?]+(?: |$)){3,}$"));
    static SELF: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?i:i|i'm|i've|me|my|mine)\b|`"));
    let text: Vec<&str> = lines.iter().map(|line| line.text).collect();
    let text = text.join(" ");
    text.len() >= PUBLISHED && SENTENCES.is_match(&text) && !SELF.is_match(&text)
}

/// The lines of a message that show a text, as a range; empty where it shows none. What stands before and behind it are
/// the user's own words.
pub(super) fn shown(said: &[SaidLine<'_>]) -> Range<usize> {
    let texts: Vec<Folded> = said.iter().map(|line| Folded::new(head(line.text))).collect();
    let text = |at: usize| texts[at].as_str();
    let ends_paragraph = |at: usize| said.get(at + 1).is_some_and(|next| next.is_first);
    let is_request = |at: usize| opening(&texts[at]).is_some();
    let asks = |line: &str| line.ends_with('?') || line.starts_with("what") || line.starts_with("how");
    let is_work = |line: &str| {
        let is_about = || POINTS.is_match(line) && (asks(line) || DONE_WITH.is_match(line));
        WORKED_ON.is_match(line) || IS_FROM.is_match(line) || is_about()
    };
    // What is to be done, and the text on the same line.
    let holds = |at: usize| {
        let (head, behind) = text(at).split_once(':').unwrap_or_default();
        let is_parted = behind.starts_with(|c: char| c == ' ' || !c.is_ascii());
        let is_asked = !matches!(
            opening(&texts[at]),
            None | Some(Opening::Closing(_) | Opening::Rule(_))
        );
        let is_own = head.contains(['.', '!']) || is_asked || NOTES.is_match(head);
        is_parted && !is_own && (is_work(head) || HAS_SHOW.is_match(head))
    };
    let leads = |at: usize| {
        let line = text(at).trim_end_matches(' ');
        let is_last_word = at + 1 == said.len() || is_request(at);
        let (is_colon, line) = (line.ends_with(':'), line.trim_end_matches(':'));
        let (asks, is_about, is_work) = (asks(line), POINTS.is_match(line), is_work(line));
        let announces = is_colon
            && !NOTES.is_match(line)
            && (ends_paragraph(at) || is_work || is_about || DONE_WITH.is_match(line));
        let parts = ends_paragraph(at) || said[at].is_first && asks && is_about;
        !is_last_word && !said[at + 1].is_behind && (announces || HAS_SHOW.is_match(line) || parts && is_work)
    };
    let speakers = (0..said.len()).filter(|&at| !is_request(at) && SPEAKER.is_match(text(at)));
    let speakers: Vec<usize> = speakers.collect();
    let chat = speakers.first().filter(|_| speakers.len() > 1).copied();
    let is_title = |at: usize| {
        let has_list = said
            .get(at + 1)
            .is_some_and(|next| next.place == Place::Item && !next.is_first);
        has_list
            && said[at].is_first
            && TITLE.is_match(said[at].text)
            && !SPEAKS.is_match(text(at))
            && !NOTES.is_match(text(at))
            && !is_request(at)
    };
    let is_mark = |at: usize| holds(at) || said.len() > 1 && (MARK.is_match(text(at)) || is_title(at));
    let mark = (0..said.len()).find(|&at| is_mark(at));
    let lead = (0..said.len()).find(|&at| leads(at)).map(|at| at + 1);
    let paragraphs = said.chunk_by(|_, next| !next.is_first);
    let mut paragraphs = paragraphs.scan(0, |end, lines| {
        *end += lines.len();
        Some((*end - lines.len(), lines))
    });
    let published = paragraphs
        .find(|(_, lines)| is_published(lines))
        .map(|(at, _)| at);
    let begin = [chat, mark, lead, published].into_iter().flatten().min();
    // The last paragraph, or the last line where it alone points back.
    let last = said.len().saturating_sub(1);
    let paragraph = said.iter().rposition(|line| line.is_first).unwrap_or(0);
    let is_back = |at: usize| {
        let words = text(at).split(' ').count();
        let is_short = words <= 16 && said[at].place == Place::Prose && !is_request(at);
        is_short
            && (POINTS_BACK.is_match(text(at)) || text(at).ends_with('?') || WORKED_ON.is_match(text(at)))
    };
    let is_strong = |at: usize| {
        let asks = text(at).ends_with('?') || text(at).starts_with('^') || WORKED_ON.is_match(text(at));
        let is_bare = text(at).split(' ').count() <= 3;
        asks && is_back(at)
            && (is_bare || POINTS.is_match(text(at)))
            && !said.iter().any(|line| line.is_behind)
    };
    match begin {
        Some(begin) if paragraph > begin && (is_back(paragraph) || GOES_ON.is_match(text(paragraph))) => {
            begin..paragraph
        }
        Some(begin) if last > begin && is_back(last) => begin..last,
        Some(begin) => begin..said.len(),
        None if paragraph > 0 && is_strong(paragraph) => 0..paragraph,
        None if last > 0 && is_strong(last) => 0..last,
        None => 0..0,
    }
}

/// The beginning of a line, in which its kind shows; of a longer one the kind is that of its beginning.
fn head(line: &str) -> &str {
    &line[..line.floor_char_boundary(400)]
}
