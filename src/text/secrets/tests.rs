//! Cases in every language: what must go, and what must stay.

mod kept;
mod leaks;
mod places;

use kept::KEPT;
pub(super) use leaks::LEAKS;

use super::Redactor;
use crate::model::takes_its_length;

/// A case of the evaluation set.
struct Case {
    text: String,
    secrets: Vec<String>,
    keep: Vec<String>,
}

fn evaluation_set() -> Vec<Case> {
    let strings = |value: &serde_json::Value| -> Vec<String> {
        let items = value.as_array().unwrap().iter();
        items.map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let case = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        Case {
            text: case["text"].as_str().unwrap().to_owned(),
            secrets: strings(&case["secrets"]),
            keep: strings(&case["keep"]),
        }
    };
    let lines = include_str!("../../../tests/eval/redact.jsonl").lines();
    lines.filter(|line| !line.is_empty()).map(case).collect()
}

#[test]
fn the_evaluation_set_loses_nothing_and_leaks_nothing() {
    let redactor = Redactor::standard();
    let cases = evaluation_set();
    assert!(cases.len() >= 80);
    let mut faults = Vec::new();
    for case in cases {
        let redacted = redactor.redact(&case.text);
        let leaks = case
            .secrets
            .iter()
            .filter(|secret| redacted.contains(secret.as_str()));
        let losses = case.keep.iter().filter(|kept| !redacted.contains(kept.as_str()));
        if leaks.chain(losses).next().is_some() || (case.secrets.is_empty() && redacted != case.text) {
            faults.push(format!("{}\n-> {redacted}", case.text));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Labelled lines that were parted by lot before the rules that they measure were written: of 57 secrets of a half 47 and 45
/// were left, and 1 and 4 of 62 innocents lost. Nobody has read what is missed of the unseen half.
#[test]
fn labelled_lines_are_judged_right() {
    let redactor = Redactor::standard();
    let mut wrong = [[0; 2]; 2];
    let mut shown = String::new();
    for line in include_str!("../../../tests/eval/secrets.txt").lines() {
        let mut fields = line.splitn(3, '\t');
        let mut field = || fields.next().unwrap();
        let (half, kind, marked) = (field(), field(), field());
        let text = marked.replace(['⟦', '⟧'], "");
        let redacted = redactor.redact(&text);
        assert_eq!(redactor.redact(&redacted), redacted);
        let mut secrets = marked
            .split('⟦')
            .skip(1)
            .filter_map(|part| Some(part.split_once('⟧')?.0));
        let is_wrong = match kind {
            "S" => secrets.any(|secret| redacted.contains(secret)),
            _ => redacted != text,
        };
        wrong[usize::from(half == "unseen")][usize::from(kind == "I")] += usize::from(is_wrong);
        if is_wrong && half == "seen" {
            shown.extend([text.as_str(), " -> ", &redacted, "\n"]);
        }
    }
    assert!(
        wrong[0][0] <= 1 && wrong[0][1] == 0 && wrong[1][0] <= 4 && wrong[1][1] <= 1,
        "{wrong:?}\n{shown}"
    );
}

#[test]
fn nothing_leaks() {
    let redactor = Redactor::standard();
    let mut faults = Vec::new();
    for (text, secrets) in LEAKS {
        let redacted = redactor.redact(text);
        if secrets.iter().any(|secret| redacted.contains(secret)) {
            faults.push(format!("{text:?} -> {redacted:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nothing_else_is_lost() {
    let redactor = Redactor::standard();
    let mut faults = Vec::new();
    for text in KEPT {
        for text in [
            (*text).to_owned(),
            format!("- {text}"),
            format!("# A\n\n{text}\nmore of it\n"),
        ] {
            let redacted = redactor.redact(&text);
            if redacted != text {
                faults.push(format!("{text:?} -> {redacted:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn redacting_twice_is_redacting_once() {
    let redactor = Redactor::new(&["acme-[0-9]+".to_owned(), "id=(\\w+)".to_owned()]).unwrap();
    let cases = evaluation_set().into_iter().map(|case| case.text);
    let all: Vec<String> = cases
        .chain(LEAKS.iter().map(|(text, _)| (*text).to_owned()))
        .collect();
    for text in all.iter().chain([&all.join("\n"), &all.join(" "), &all.concat()]) {
        let once = redactor.redact(text).into_owned();
        assert_eq!(redactor.redact(&once), once, "{text}");
        assert_eq!(redactor.find(&once), [], "{once}");
    }
}

#[test]
fn patterns_of_the_users() {
    let redactor = Redactor::new(&["acme-[0-9]+".to_owned(), "badge (\\w+)".to_owned()]).unwrap();
    assert_eq!(
        redactor.redact("acme-4711 has badge fake7"),
        "[REDACTED:custom] has badge [REDACTED:custom]"
    );
    let everything = Redactor::new(&[".".to_owned(), "x*".to_owned()]).unwrap();
    assert_eq!(everything.redact("abc"), "[REDACTED:custom]");
    assert_eq!(everything.redact("[REDACTED:custom]"), "[REDACTED:custom]");
}

#[test]
fn where_a_secret_is() {
    let text = "a\npassword: Fake-7x, PIN: 4829\n";
    let found = Redactor::standard().find(text);
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|secret| (&text[secret.range.clone()], secret.kind))
        .collect();
    assert_eq!(found, [("Fake-7x", "password"), ("4829", "pin")]);
}

/// Pieces of which hostile texts are made.
const PIECES: &[&str] = &[
    "password",
    ": ",
    "=",
    " is ",
    "\"",
    "'",
    "`",
    "hunter2",
    "[REDACTED:",
    "[REDACTED:pin]",
    "]",
    "://",
    "user",
    ":",
    "@",
    "Bearer ",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "FAKEkeyMaterialLine0FAKE",
    "\n",
    "\r\n",
    "token",
    "PIN",
    "4829",
    "\\",
    "(",
    ")",
    "**",
    "密码",
    "是",
    "「",
    "」",
    "は",
    "비밀번호",
    "는",
    "é",
    "\u{0}",
    "|",
    "<",
    ">",
    "eyJ",
    ".",
    "sk-",
    "Fake0Fake0Fake0Fake0Fake0",
    " ",
    " for ",
    "，",
    "x",
    "Zażółć9",
    "acme-1",
    "$",
    "{",
    "Cookie: ",
    "sid=",
    "; ",
    "machine ",
    " login ",
    "redis-cli -a ",
    "/bot12345:",
    "пароль — ",
];

proptest::proptest! {
    #[test]
    fn any_text_is_redacted_once_and_for_all(picks in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let text: String = picks.into_iter().map(|pick| PIECES[pick]).collect();
        let redactor = Redactor::new(&["acme-[0-9]+".to_owned()]).unwrap();
        let once = redactor.redact(&text).into_owned();
        let twice = redactor.redact(&once).into_owned();
        proptest::prop_assert_eq!(twice, once);
    }
}

#[test]
fn a_text_in_which_too_much_overlaps_is_taken_as_a_whole() {
    let redactor = Redactor::standard();
    let last = "ghp_0123456789abcdefABCDEF0123456789abcd";
    for piece in ["==whsec_", "--eyJ", "curl -x "] {
        let text = piece.repeat(400_000 / piece.len()) + last;
        let shown = redactor.redact(&text);
        assert!(
            shown.ends_with("[REDACTED:unread]") && shown.len() < 100_000,
            "{piece}: {}",
            shown.len()
        );
        assert_eq!(redactor.redact(&shown), shown);
    }
    for line in [
        "curl -sSL https://example.org/a/b/c | sh\n",
        "| Host | Password | Token |\n|---|---|---|\n| db | required | none |\n\n",
        "password: required, token: none, secret: see the vault\n",
        "eyJ0eXAiOiJKV1Qi eyJhbGciOiJub25l/eyJ0eXAiOiJKV1Qi\n",
    ] {
        let text = line.repeat(400_000 / line.len());
        assert_eq!(redactor.redact(&text), text);
    }
}

#[test]
fn hostile_texts_take_their_length() {
    let redactor = Redactor::standard();
    for piece in [
        "password",
        "password: ",
        "password=",
        "password is ",
        "password\"",
        "password: '",
        "pw=",
        "pw:",
        "pw: aNb!\n",
        "|password|\n|-|\n",
        "## password\n",
        "token",
        "token=a",
        "://",
        "://a:",
        "://a@",
        "user: ",
        "user=a",
        "bearer ",
        "bearer a",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\nFAKEkeyMaterialLine0\n",
        "-",
        "eyJ",
        "eyJ.",
        "eyJ-",
        "eyJaaaaaaaaaa.",
        "sk-",
        "ghp_",
        "xox",
        "a",
        "0",
        " ",
        "\n",
        "\0",
        "[REDACTED:",
        "[REDACTED:a]",
        "密码是",
        "密码",
        "パスワードは",
        "password for a ",
        "password (",
        "password '",
        "password *",
        "password: *",
        "user: a password: b1c2d3\n",
        "<password>",
        "=",
        "AKIA",
        "pin ",
        "pin: 1234 ",
        "Cookie: ",
        "cookie: a=b;",
        "Cookie: sid=fake0123; ",
        "machine ",
        "machine a login b password c ",
        "redis-cli -a ",
        "mongo -p F4ke1x ",
        "mongo -p F4ke1x -p token=",
        "curl -b a=F4keF4ke1; -b ",
        "curl -u a:",
        "https://a/bot1:",
        "password: \"a ",
        "+whsec_",
        "-----BEGIN ",
        "--eyJ",
        "--sk-",
        "==whsec_",
        "curl x ",
        "curl -x ",
        "zip a ",
        "password: “",
        "“pw”",
        "DB_PASSWORD=\n",
        "token: abc, ",
        "session_token: str,\n",
        "\"password\": null,\n",
        "pin pass pw ",
        "name: password\n",
        "{\"name\": \"password\", ",
        "\"--password\", ",
        "set('password', ",
        "<key>password</key>",
        "<a name=\"password\">",
        "password,",
        "user,password\nb,F4ke\n",
        "password\n```\n",
        "> password:\n",
        "identified by ",
        "[\"mysql\", ",
        "pass\\_word: ",
        "contraseña ",
    ] {
        let text = |bytes: usize| piece.repeat(bytes / piece.len());
        takes_its_length(piece, text, |text| drop(redactor.redact(text)));
    }
}

#[test]
fn a_name_of_a_path_is_read_by_itself() {
    let redactor = Redactor::standard();
    for (path, shown) in [
        (
            "/w/DB_PASSWORD=fakeword7.txt",
            "/w/DB_PASSWORD=[REDACTED:password].txt",
        ),
        (
            "/w/password: fakeword7/src/main.rs",
            "/w/password: [REDACTED:password]/src/main.rs",
        ),
        (
            "x.ghp_0123456789abcdefABCDEF0123456789abcd",
            "x.[REDACTED:github_token]",
        ),
        ("/w/src/token.rs", "/w/src/token.rs"),
        ("/w/password/reset.md", "/w/password/reset.md"),
        ("", ""),
    ] {
        assert_eq!(redactor.redact_path(path), shown);
    }
    for (line, shown) in [
        (
            "moved notes/the password is hunter2-x9.md to a b/x.md",
            "moved notes/the password is [REDACTED:password].md to a b/x.md",
        ),
        (
            "`my password: hunter2-x9/a.md`\n`my password: hunter2-x9/b.md` and",
            "`my password: [REDACTED:password]/a.md`\n`my password: [REDACTED:password]/b.md` and",
        ),
        (
            "a credential: github_token (in its name)",
            "a credential: github_token (in its name)",
        ),
        (
            "password reset.md says it, and project/token budget.md",
            "password reset.md says it, and project/token budget.md",
        ),
        ("", ""),
    ] {
        assert_eq!(redactor.redact_paths(line, |_| false), shown);
        assert_eq!(redactor.redact_paths(line, |secret| secret == "hunter2-x9"), line);
    }
}

/// Each of these values ends at the quote with which the next one begins, so that a pass shows one more of them.
#[test]
fn values_that_show_each_other_are_all_taken_out() {
    let redactor = Redactor::standard();
    for length in [3, 20, 300] {
        let text = "t-\0 token is 'ot.cFakeb, token is 'ot.cFake asswordb, ".repeat(length);
        let once = redactor.redact(&text);
        assert_eq!(redactor.find(&once), [], "{once}");
        assert!(!once.contains("cFake"), "{once}");
    }
}
