//! Values that have a label: what joins the two, as tables of patterns, and which label can stand where it stands.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::labels::{
    BEFORE_ADJECTIVES, Label, Left, NOT_OWNERS, NOT_TOKENS, PARTICLES, PREPOSITIONS, SCHEMES, SIGNING_KEY,
    SIGNS, VERBS, Value, alternatives,
};
use super::value::{Candidate, Joint, ends_field};
use super::{Secret, char_before, line_before, window};
use crate::text::{is_cjk, pattern};

/// What joins a value to its label begins no further behind the label.
const MOST: usize = 400;
/// A word before a label is looked at as far back as this; a heading is no longer.
const LONGEST_WORD: usize = 24;
/// Whose secret it is, with the verb behind it, is said in so many bytes.
const MOST_OWNER: usize = 100;
/// The text before a label in which the key of a field is looked for.
const BEFORE: usize = 128;
/// A password that ends its sentence without a sign or a symbol is no shorter; in the middle of one it is longer.
const SHORTEST_SPOKEN: usize = 6;
const SHORTEST_MIXED: usize = 8;

/// The place at which a value would begin, and the joint between it and its label.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joined {
    pub(super) at: usize,
    pub(super) joint: Joint,
}

/// White space within a line, of which there is not too much.
const SPACE: &str = r"[ \t\x{a0}\x{202f}\x{3000}]";

/// What closes a label: a number, the address of a link, quotes, emphasis, a bracket, a remark in parentheses, a tag.
const CLOSED: &str = r#"(?:[0-9]{1,2})?(?:\]\([^()\s]+\))?["'`*\x{5f}\]\\”’」』»]{0,8}(?: [(][^()（）\r\n]*[)）]| ?（[^()（）\r\n]*[)）])?(?<remark>[)])?(?:</[A-Za-z0-9]+>)?"#;

/// A pattern of what stands behind a label: `_` is a space.
fn joint(between: &str) -> Regex {
    let words = |table: &str| format!("(?i:{})", alternatives(table));
    let with_tables = between
        .replace("CLOSED", CLOSED)
        .replace("PARTICLE", &words(PARTICLES))
        .replace("PREPOSITION", &words(PREPOSITIONS))
        .replace("VERB", &words(VERBS))
        .replace("SIGN", &words(SIGNS))
        .replace("GAP", "(?:_+[:：]?_*|[:：]_*)");
    pattern(&with_tables.replace('_', SPACE))
}

/// A cell of a table of HTML, a line break, a sign, a verb or a particle, the border of a cell.
static NEXT: LazyLock<Regex> = LazyLock::new(|| {
    joint(
        r"^CLOSED(?:(?<cell><(?:td|dd)[A-Za-z0-9]*>)|(?<below>[ \r]*\n)|_*(?<sign>SIGN)(?<tag></[A-Za-z0-9]+>)?|(?<verb>_+(?:VERB|to)GAP|_*PARTICLE_*[:：]?_*)|_*(?<border>\|)_*)",
    )
});

/// What begins to say whose secret it is.
static OWNER: LazyLock<Regex> =
    LazyLock::new(|| joint(r#"^CLOSED_+PREPOSITION(?:[^\pL\pN\n\r.,;?!("]|\.[A-Za-z0-9])"#));

/// The words of SQL before a comparison.
static CONDITION: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:where|having|join)\b"));

/// Whose secret it is, and the sign or the verb behind that. `to` is a verb in Polish, and hardly ever in English.
static OWNED: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let owner = r#"^(?:[^\n\r.,;?!("：＝:=]|\.[A-Za-z0-9])*?"#;
    [
        joint(&format!(r"{owner}_to_+(?<at>)[^\s:]*[\p{{Lu}}0-9]")),
        joint(&format!("{owner}(?:_VERBGAP|_*SIGN_*)")),
        joint(&format!("{owner}_to_+")),
    ]
});

/// What kind of secret it is, in languages in which that follows the name.
static KIND: LazyLock<Regex> = LazyLock::new(|| joint(r"^CLOSED_+[\pL-]+(?:_+VERBGAP|_*SIGN_*)"));

/// The flag of a command line whose name the label ends: `--password hunter2`.
static FLAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[ `\n])--[a-z-]*$"));

/// An element that holds nothing but a word.
static ELEMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^>[^<\n ]*</"));

/// What stands between a sign and its value on the same line.
static START: LazyLock<Regex> =
    LazyLock::new(|| joint(r"^_*(?:\*{1,3}_*)?(?:<(?i:b|i|u|em|strong|code|tt|kbd|samp|span|mark)>_*){0,2}"));

/// The end of a line behind a sign; YAML announces a block before it.
static BREAK: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[|>+-]*\r*\n"));

/// A word that stands alone on the next line, perhaps in a block of code, in a quotation, or in an item of a list.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    let (end, indent, word) = (r"[ \t]*\r*\n", r"[ \t\x{a0}\x{3000}>]*", r"([^\s:=]+)");
    pattern(&format!(
        r"^[|>+-]*{end}(?:{indent}\r*\n)?{indent}(?:(?:```|~~~)[^\n]*\n{indent}{word}{end}{indent}(?:```|~~~)|(?:- )?{word}[ \t]*(?:[\r\n]|$))"
    ))
});

/// A label in one argument, field or element, and its value in the next: `["--password", "…"]`, `- name: DB_PASSWORD` and
/// `value: …`, `define('DB_PASSWORD', '…')`, `<key>password</key><string>…`, `<property name="password" value="…">`. What
/// precedes the label, and what is between the two; behind an element the value is all that the next one holds.
static BESIDE: LazyLock<[(Regex, Regex); 5]> = LazyLock::new(|| {
    let form = |before: &str, behind: &str| {
        (
            pattern(&format!(r"(?i)(?:{before})[\w.-]*$")),
            pattern(&format!(r"(?i)^\d{{0,2}}(?:{behind})")),
        )
    };
    let name = r#"\b(?:name|key|id|field|param|parameter|property|variable|var|env|option|setting)[ "'\\]*[:=] *(?:\\?["'])?"#;
    let value = r#"\b(?:value|val|default|defaultvalue|default_value|stringvalue)[\\"']* *[:=] *"#;
    let element = r"(?<element></[^>\n]{0,62}>[ \t\r\n]{0,40}(?:<(?:string|value|td|dd|data|code)>)+)";
    [
        form(
            r#"(?:^|[^\w-])\\?["']--|\b(?:set|define|put)\w*\(\s*\\?["']"#,
            r#"\\?["'] *, *"#,
        ),
        form(name, &format!(r#"\\?["']?[\s,;][^{{}}>]*?{value}"#)),
        form(r#"variable *["']"#, &format!(r"[^{{}}]*\{{[^{{}}]*?{value}")),
        form(name, r#"(?<element>["']>)"#),
        form(">", element),
    ]
});

/// The keys of a field that holds a name: behind one, another name begins.
static NEXT_NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?i)\b(?:name|key|id)["'\\]* *[:=]|\n\n"#));

/// The value of the label that stands there, if there is one and it looks like a secret. The bytes of the value are added
/// to `looked_at`.
pub(super) fn read_label(
    text: &str,
    at: &Range<usize>,
    label: &Label,
    looked_at: &mut usize,
) -> Option<Secret> {
    let can_stand = match label.left {
        Left::Anywhere => true,
        Left::Word => begins_word(text, at),
        Left::Name => begins_word(text, at) && is_part_of_name(text, at),
    };
    if !can_stand {
        return None;
    }
    let mut value = joined(text, at)
        .or_else(|| beside(text, at))
        .or_else(|| spoken(text, at, label))?;
    if is_other(text, at, label) {
        return None;
    }
    let scheme = if text[at.clone()].eq_ignore_ascii_case("authorization") {
        SCHEME
            .find(&text[value.at..])
            .filter(|scheme| !text[value.at + scheme.end()..].starts_with(['"', '\'']))
    } else {
        None
    };
    value.at += scheme.map_or(0, |scheme| scheme.end());
    let candidate = Candidate::read(text, value.at, value.joint)?;
    *looked_at += candidate.range.len();
    let is_key = text[at.end..].starts_with(['"', '\'']) && !candidate.is_quoted;
    let word = &text[candidate.range.clone()];
    if label.words == SIGNING_KEY && NUMBER_OF_KEY.is_match(word)
        || is_key && word.chars().all(char::is_alphabetic)
    {
        return None;
    }
    // After a scheme stands a credential, and no name of a class.
    let is_secret = candidate.is_secret(text, label.value, value.joint)
        || scheme.is_some() && candidate.is_secret(text, Value::Chosen, Joint::Verb);
    is_secret.then_some(Secret {
        range: candidate.range,
        kind: label.kind,
    })
}

/// The scheme of an `Authorization` header, whose credential is the next word. In `'Basic ' + encoded` it is not in the
/// quotation.
static SCHEME: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r#"^["']?(?i:{})[ \t]+"#, alternatives(SCHEMES))));

/// The number of a key as gpg and git give it.
static NUMBER_OF_KEY: LazyLock<Regex> =
    LazyLock::new(|| pattern("^(?:0x)?(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})$"));

/// Gives the place at which the value of the label at `at` would begin; `None` if nothing joins a value to it.
pub(super) fn joined(text: &str, at: &Range<usize>) -> Option<Joined> {
    let behind = window(text, at.end, MOST);
    let line = line_before(text, at.start);
    let place = |end: usize, joint| {
        Some(Joined {
            at: at.end + end,
            joint,
        })
    };
    if line.ends_with('<') && ELEMENT.is_match(behind) {
        return place(1, Joint::Sign);
    }
    let next = NEXT.captures(behind);
    if let Some(next) = next.filter(|next| next.name("remark").is_none() || line.ends_with(" (")) {
        let end = next.get_match().end();
        if next.name("cell").is_some() {
            return place(end, Joint::Sign);
        }
        if let Some(below) = next.name("below") {
            let opening = line.trim_start();
            let is_heading = opening.starts_with(['#', '-', '*', '+', '>']) && opening.len() <= LONGEST_WORD;
            let at = value_start(text, at.end + below.start()).filter(|_| is_heading)?;
            return Some(Joined {
                at,
                joint: Joint::Verb,
            });
        }
        if let Some(sign) = next.name("sign") {
            let after = &behind[end..];
            // `token::new()` is a path, `https://` an address.
            let is_path = after.starts_with("::") || sign.as_str() == ":" && after.starts_with([':', '/']);
            if is_path || ends_quotation(line, after) {
                return None;
            }
            let is_constant = is_constant(&text[at.clone()]) && text[at.clone()].is_ascii();
            let begins_line = line.trim_start_matches(['-', '*', ' ', '"']).is_empty();
            let joint = match sign.as_str() {
                "=" if sign.start() == 0 && is_constant => Joint::Assignment,
                ":" if begins_line => Joint::Line,
                _ => Joint::Sign,
            };
            let at = value_start(text, at.end + end)?;
            return Some(Joined { at, joint });
        }
        if next.name("verb").is_some() {
            return place(end, Joint::Verb);
        }
        // `'a' | 'b'` is a type, `/a|b/` a pattern.
        let before = &behind[..next.name("border")?.start()];
        let is_table = before.ends_with([' ', '\t']) || line.starts_with('|');
        if is_table && !before.trim_end().ends_with(['"', '\'']) {
            return place(end, Joint::Verb);
        }
    }
    let spaces = behind.len() - behind.trim_start_matches([' ', '\t']).len();
    if spaces > 0 && FLAG.is_match(line) {
        return place(spaces, Joint::Verb);
    }
    if !behind.contains([' ', '\u{a0}', '\u{202f}', '\u{3000}']) {
        return None;
    }
    if let Some(owner) = OWNER.find(behind) {
        let owned = window(behind, owner.end(), MOST_OWNER);
        // What SQL compares behind a column and its table is another column's value.
        let owned = CONDITION
            .find(owned)
            .map_or(owned, |condition| &owned[..condition.start()]);
        let found = OWNED.iter().find_map(|owned_by| owned_by.captures(owned));
        if let Some(found) = found {
            let end = found.name("at").unwrap_or(found.get_match()).end();
            return place(owner.end() + end, Joint::Verb);
        }
    }
    if !BEFORE_ADJECTIVES.contains(&text[at.clone()].to_lowercase().as_str()) {
        return None;
    }
    place(KIND.find(behind)?.end(), Joint::Verb)
}

/// True when the quote behind a sign ends the quotation in which the label stands: `grep "DB_PASSWORD=" .env`.
fn ends_quotation(line: &str, after: &str) -> bool {
    let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else {
        return false;
    };
    let opens = |at: usize| {
        line[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric() && c != '\\')
    };
    line.rfind(quote).is_some_and(opens) && !after[1..].starts_with(char::is_alphanumeric)
}

/// Gives the place at which the value begins after a sign: on the same line, or alone on the next.
fn value_start(text: &str, after: usize) -> Option<usize> {
    let start = after + START.find(&text[after..]).map_or(0, |start| start.end());
    let may_break = text[start..].starts_with(['\n', '\r', '|', '>', '-', '+']);
    if !may_break || !BREAK.is_match(&text[start..]) {
        return Some(start);
    }
    let found = ALONE.captures(window(text, start, MOST + BEFORE))?;
    let word = found.get(1).or(found.get(2))?;
    let has_digit = word.as_str().contains(|c: char| c.is_ascii_digit());
    has_digit.then_some(start + word.start())
}

/// Gives the place of the value that stands beside the name that a label ends, and that no sign joins to it.
fn beside(text: &str, label: &Range<usize>) -> Option<Joined> {
    let behind = window(text, label.end, MOST / 2);
    // Most labels are words of a sentence.
    let after = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    if !after.starts_with(['"', '\'', '\\', '<', '\n', '\r', ',']) {
        return None;
    }
    let before = &text[text.ceil_char_boundary(label.start.saturating_sub(BEFORE))..label.start];
    BESIDE.iter().find_map(|(precedes, is_between)| {
        let found = is_between
            .captures(behind)
            .filter(|_| precedes.is_match(before))?;
        let between = found.get_match();
        let (at, joint) = (label.end + between.end(), Joint::Sign);
        let ends_element = || {
            let word = Candidate::read(text, at, joint);
            word.is_some_and(|word| text[word.range.end..].starts_with("</"))
        };
        let is_value =
            !NEXT_NAME.is_match(between.as_str()) && (found.name("element").is_none() || ends_element());
        is_value.then_some(Joined { at, joint })
    })
}

/// Gives the place of a password that somebody says without a sign or a verb: `log in with password hunter2!`. It must have
/// all that people put into a password, or a digit in quotes.
fn spoken(text: &str, at: &Range<usize>, label: &Label) -> Option<Joined> {
    let rest = text[at.end..]
        .strip_prefix(' ')
        .filter(|_| label.value == Value::Chosen)?;
    let joint = Joint::Verb;
    // `Set DB_PASSWORD to hunter2`, `change the password to hunter2`
    if rest.starts_with("to ") {
        return Some(Joined {
            at: at.end + 4,
            joint,
        });
    }
    let candidate = Candidate::read(text, at.end + 1, joint).filter(|_| begins_word(text, at))?;
    let value = &text[candidate.range.clone()];
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let is_whole = !value.contains(char::is_whitespace) && !rest.starts_with(' ');
    let is_last = value.len() >= SHORTEST_SPOKEN && ends_field(&text[candidate.range.end..]);
    let is_clear = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?'])
        || candidate.is_quoted
        || is_last
        || is_mixed(value);
    let is_secret = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && is_whole && is_clear;
    is_secret.then_some(Joined {
        at: at.end + 1,
        joint,
    })
}

/// True for a word of letters between digits, as no name of a thing is: `hunter2Xq9`, not `field2`, `step2of3` or
/// `Argon2Hash`.
fn is_mixed(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let is_of_both_cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let runs = word
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty());
    word.len() >= SHORTEST_MIXED
        && word.bytes().all(|b| b.is_ascii_alphanumeric())
        && runs.count() >= if is_of_both_cases { 2 } else { 3 }
}

/// True when a label begins a word, or a part of a name.
pub(super) fn begins_word(text: &str, at: &Range<usize>) -> bool {
    let Some(before) = char_before(text, at.start) else {
        return true;
    };
    let first = text[at.start..].chars().next();
    let is_hump = !before.is_uppercase() && first.is_some_and(char::is_uppercase);
    !before.is_alphanumeric() || is_cjk(before) || first.is_some_and(is_cjk) || is_hump
}

/// True when a label is a part of a name (`DB_PASS`, `dbPass`), a constant, or a name in quotes.
fn is_part_of_name(text: &str, at: &Range<usize>) -> bool {
    let label = &text[at.clone()];
    let is_joined = |c: char| matches!(c, '_' | '-' | '.' | '?' | '&' | ';') || c.is_alphanumeric();
    let is_quoted = |c: char| matches!(c, '"' | '\'') && text[at.end..].starts_with(['"', '\'']);
    is_constant(label)
        || label.contains('_')
        || char_before(text, at.start).is_some_and(|c| is_joined(c) || is_quoted(c))
}

/// True when the word before says that this is no credential: a design token, a page token, `reset_password`.
fn is_other(text: &str, at: &Range<usize>, label: &Label) -> bool {
    let window = &text[text.ceil_char_boundary(at.start.saturating_sub(LONGEST_WORD))..at.start];
    let before = window.trim_end_matches([' ', '_', '-', '.']);
    let word = before
        .rsplit(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default();
    let hump = word.rfind(|c: char| c.is_ascii_uppercase() && !is_constant(word));
    let is_name = !window.ends_with(' ') && begins_word(text, at);
    // `nextPageToken` ends with the word as well.
    label.value == Value::Token && NOT_TOKEN.is_match(word)
        || is_name && NOT_OWNER.is_match(&word[hump.unwrap_or(0)..])
}

static NOT_TOKEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("(?i)(?:{})$", alternatives(NOT_TOKENS))));
static NOT_OWNER: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("(?i)^(?:{})$", alternatives(NOT_OWNERS))));

fn is_constant(word: &str) -> bool {
    !word.contains(char::is_lowercase)
}
