//! Texts that say nothing once their secrets are taken out: "The staging password is [REDACTED:password]."

use std::sync::LazyLock;

use regex::Regex;

use super::hints::{HINTS, Meaning};
use super::labels::{PARTICLES, PREPOSITIONS, SIGNS, VERBS, alternatives, entries};
use super::redactor::marks;
use crate::text::{canonical, is_cjk, pattern};

/// The most words in the name of a thing that has a secret, without the label and the words in [`SMALL`].
const MOST_WORDS: usize = 3;

/// The sign in the place of a redaction while a text is read.
const TAKEN_OUT: char = '\u{fffc}';

/// Words that say nothing about a thing.
const SMALL: &str = "
    a, an, and, it, its, my, our, s, that, the, this, your, now, new, please, thanks, thank, you
    das, die, ein, eine, mein, meine, unser, unsere, bitte, danke
    el, la, los, las, mi, nuestra, nuestro, gracias, le, les, mon, ma, notre, merci, o, meu, minha, il, mio, grazie
    です, ます, だよ, である, 입니다, 이다, 이야, 예요, 이에요, 谢谢, 謝謝, 请, 請
    bearer
";

/// Says whether a text has redactions and nothing else that is worth keeping: each of its clauses is at most the name of a
/// thing whose value was taken out. Where that is not clear, the text has something to say.
pub fn says_only_secrets(text: &str) -> bool {
    let marks = marks(text);
    if marks.is_empty() {
        return false;
    }
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for mark in &marks {
        rest.push_str(&text[from..mark.start]);
        rest.push(TAKEN_OUT);
        from = mark.end;
    }
    rest.push_str(&text[from..]);
    let rest = rest.to_lowercase();
    let ends_clause = |c| "\n,;!?，、。；！？".contains(c);
    let mut clauses = rest.split(ends_clause).flat_map(|part| part.split(". "));
    clauses.all(is_bare)
}

fn is_bare(clause: &str) -> bool {
    match clause.rsplit_once(TAKEN_OUT) {
        Some((before, after)) => introduces(before) && is_remark(after),
        None => is_remark(clause),
    }
}

/// What joins a name to its value, at the end of a text.
static JOINED: LazyLock<Regex> = LazyLock::new(|| {
    let [verbs, particles, signs] = [VERBS, PARTICLES, SIGNS].map(alternatives);
    pattern(&format!(
        r"(?:\s(?:{verbs}|to)|(?:{particles})|(?<sign>{signs}))$"
    ))
});

/// Says whether the text before a value only names the thing that has it.
fn introduces(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "\"'`*_(“‘「".contains(c));
    let name = JOINED.captures(text).map(|joined| {
        let is_sign = joined.name("sign").is_some();
        (
            &text[..joined.get_match().start()],
            MOST_WORDS - usize::from(is_sign),
        )
    });
    // Before a sign may stand a sentence: "the signing service wants a private key: …".
    if let Some((name, most)) = name {
        return Rest::of(name).words <= most;
    }
    // And a verb before a label that nothing joins to its value: "never use the password …".
    let rest = Rest::of(text);
    rest.words == 0 || rest.has_label && rest.words == 1
}

/// Says whether text beside a value adds nothing: no word, the place to which the value belongs ("for staging"), or the
/// name of the thing behind a verb ("… is our root password").
fn is_remark(text: &str) -> bool {
    let rest = Rest::of(text);
    let first = canonical(text);
    let begins = |table: &str| has(table, first.split(' ').next().unwrap_or_default());
    let is_name = begins(PREPOSITIONS) || rest.has_label && begins(VERBS);
    rest.words == 0 || is_name && rest.words <= MOST_WORDS
}

fn has(table: &str, word: &str) -> bool {
    entries(table).any(|entry| entry == word)
}

/// The words of a text beside its labels.
struct Rest {
    words: usize,
    has_label: bool,
}

impl Rest {
    /// Counts them; in a script without spaces three letters count as a word.
    fn of(text: &str) -> Self {
        let is_label = |meaning| matches!(meaning, Meaning::Label(_) | Meaning::User);
        let (mut unlabelled, mut from, mut at) = (String::new(), 0, 0);
        while let Some(next) = HINTS.next(text, at) {
            at = next + 1;
            if let Some((label, _)) = HINTS.at(text, next).find(|(_, meaning)| is_label(*meaning)) {
                unlabelled.extend([&text[from..label.start], " "]);
                (from, at) = (label.end, label.end);
            }
        }
        unlabelled.push_str(&text[from..]);
        let says_something = |word: &&str| !has(SMALL, word) && !has(PREPOSITIONS, word);
        let thirds = |word: &str| match word.chars().filter(|c| is_cjk(*c)).count() {
            0 => 3,
            letters => letters,
        };
        let canonical = canonical(&unlabelled);
        let words = canonical
            .split(' ')
            .filter(|word| word.contains(char::is_alphanumeric));
        Self {
            words: words
                .filter(says_something)
                .map(thirds)
                .sum::<usize>()
                .div_ceil(3),
            has_label: from > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Redactor;

    #[test]
    fn a_value_and_its_name_say_nothing() {
        for text in [
            "[REDACTED:password]",
            "The staging password is [REDACTED:password].",
            "the password for the staging account is \"[REDACTED:password]\", thanks!",
            "For staging, the root password is [REDACTED:password]",
            "Please note: our Stripe API key = `[REDACTED:api_key]`",
            "DB_PASSWORD=[REDACTED:password]",
            "export AWS_SECRET_ACCESS_KEY=[REDACTED:secret]",
            "GitHub: [REDACTED:github_token]",
            "[REDACTED:github_token] is our GitHub token",
            "Authorization: Bearer [REDACTED:token]",
            "staging password [REDACTED:password] for the admin account",
            "The user is [REDACTED:custom], the password is [REDACTED:password].",
            "The badge of the door is [REDACTED:custom]",
            "Das Passwort für Staging lautet [REDACTED:password].",
            "La contraseña de staging es [REDACTED:password]",
            "测试环境的密码是 [REDACTED:password]。",
            "ステージングのパスワードは [REDACTED:password] です。",
            "스테이징 비밀번호는 [REDACTED:password] 입니다",
        ] {
            assert!(says_only_secrets(text), "{text}");
        }
    }

    #[test]
    fn whatever_else_is_said_is_kept() {
        for text in [
            "The staging password is in 1Password",
            "rotate [REDACTED:password] every 90 days via vault kv",
            "The staging password is [REDACTED:password], ask ops before you change it",
            "The staging password is [REDACTED:password]. Dana rotates it on Mondays.",
            "The staging password is [REDACTED:password] and expires in March",
            "never use the password [REDACTED:password]",
            "The signing service wants a private key: [REDACTED:private_key] in its first field",
            "The deploy script of the shop asks for the admin password: [REDACTED:password]",
            "Set DB_PASSWORD=[REDACTED:password] before the tests run",
            "postgres://shop:[REDACTED:url_password]@db.example.com/shop is the reporting replica",
            "host db1.example.com, password [REDACTED:password]",
            "curl -H 'Authorization: Bearer [REDACTED:token]' https://api.example.com/v1 lists the orders",
            "部署前必须先轮换密码 [REDACTED:password]，否则流水线会失败",
            "デプロイの前に [REDACTED:password] を毎月更新する",
            "no secret at all",
            "",
        ] {
            assert!(!says_only_secrets(text), "{text}");
        }
    }

    #[test]
    fn it_is_asked_of_what_was_redacted() {
        let redacted = Redactor::standard()
            .redact("The staging password is hunter2-x9")
            .into_owned();
        assert!(says_only_secrets(&redacted), "{redacted}");
    }

    proptest! {
        #[test]
        fn a_sentence_beside_it_is_always_kept(
            before in "[a-z]{3,9} (password|token|密码) (is|=|:) ",
            words in proptest::collection::vec("[b-df-hj-np-tv-z]{4,9}", 4..9),
        ) {
            let text = format!("{before}[REDACTED:password]. {}", words.join(" "));
            prop_assert!(!says_only_secrets(&text), "{}", text);
        }

        #[test]
        fn no_text_is_too_strange(text in "(\\PC{0,9}|\\[REDACTED:pin\\]|\u{fffc}|password|密码| is |[,.;:]){0,12}") {
            let is_bare = says_only_secrets(&text);
            prop_assert!(!is_bare || text.contains("[REDACTED:"));
        }
    }
}
