//! The words that name a secret: a table per language, for a reader to extend. A space in an entry stands for a
//! space, `_`, `-`, `.` or nothing, so that `api key` is also `API_KEY` and `apiKey`.

/// What a value must look like to be one, after a `:` or a `=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// Any word that is not an ordinary one: people choose words as passwords.
    Chosen,
    /// What a program made: with a digit, or of mixed case, or in quotes.
    Drawn,
    /// As `Drawn`, and a word in quotes says nothing: many other things are called so.
    Token,
    /// Digits, four to twelve.
    Digits,
}

/// Where a label can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Anywhere, also at the end of a compound: `Datenbankpasswort`, 管理者パスワード.
    Anywhere,
    /// At the beginning of a word, or of a part of a name: `dbPassword`, `DB_PASSWORD`.
    Word,
    /// As a part of a name alone: `DB_PASS`, `dbPass`, `"pass"`; `tests pass: 12` is a sentence.
    Name,
}

/// A label.
pub(super) struct Label {
    /// The words, in lower case.
    pub(super) words: &'static str,
    /// What its value is called.
    pub(super) kind: &'static str,
    /// What its value looks like.
    pub(super) value: Value,
    /// Where it can stand.
    pub(super) left: Left,
}

const fn chosen(words: &'static str) -> Label {
    Label {
        words,
        kind: "password",
        value: Value::Chosen,
        left: Left::Anywhere,
    }
}

const fn chosen_word(words: &'static str) -> Label {
    Label {
        words,
        kind: "password",
        value: Value::Chosen,
        left: Left::Word,
    }
}

const fn chosen_name(words: &'static str) -> Label {
    Label {
        words,
        kind: "password",
        value: Value::Chosen,
        left: Left::Name,
    }
}

const fn drawn(words: &'static str, kind: &'static str) -> Label {
    Label {
        words,
        kind,
        value: Value::Drawn,
        left: Left::Word,
    }
}

const fn drawn_name(words: &'static str, kind: &'static str) -> Label {
    Label {
        words,
        kind,
        value: Value::Drawn,
        left: Left::Name,
    }
}

const fn token(words: &'static str) -> Label {
    Label {
        words,
        kind: "token",
        value: Value::Token,
        left: Left::Word,
    }
}

const fn digits(words: &'static str) -> Label {
    Label {
        words,
        kind: "pin",
        value: Value::Digits,
        left: Left::Word,
    }
}

/// Every label.
pub(super) const LABELS: &[Label] = &[
    // English, and what programs write
    chosen("password"),
    chosen("passwd"),
    chosen("passphrase"),
    chosen("pass phrase"),
    chosen("passcode"),
    chosen_word("pwd"),
    chosen_word("pw"),
    chosen_word("psw"),
    chosen_name("pass"),
    chosen_word("requirepass"),
    chosen_word("sshpass"),
    drawn("secret", "secret"),
    drawn("secret key", "secret"),
    drawn("secret access key", "secret"),
    drawn("secret key base", "secret"),
    drawn("shared key", "secret"),
    drawn("credential", "secret"),
    drawn("credentials", "secret"),
    drawn("api key", "api_key"),
    drawn("app key", "api_key"),
    drawn("application key", "api_key"),
    drawn("access key", "api_key"),
    drawn("account key", "api_key"),
    drawn("auth key", "api_key"),
    drawn("license key", "api_key"),
    drawn("deploy key", "api_key"),
    drawn("service key", "api_key"),
    drawn("client key", "api_key"),
    drawn("private key", "private_key"),
    drawn_name("signing key", "private_key"),
    drawn("encryption key", "private_key"),
    drawn("master key", "private_key"),
    drawn("authorization", "token"),
    token("token"),
    digits("pin"),
    digits("pin code"),
    digits("pin number"),
    // German
    chosen("passwort"),
    chosen("kennwort"),
    chosen_word("zugangscode"),
    drawn("geheimnis", "secret"),
    drawn("api schlüssel", "api_key"),
    drawn("zugriffsschlüssel", "api_key"),
    drawn("geheimer schlüssel", "private_key"),
    drawn("privater schlüssel", "private_key"),
    drawn("private schlüssel", "private_key"),
    // Spanish
    chosen("contraseña"),
    chosen("contrasena"),
    chosen_word("palabra clave"),
    chosen_word("clave de acceso"),
    drawn("secreto", "secret"),
    drawn("clave api", "api_key"),
    drawn("clave de api", "api_key"),
    drawn("clave de la api", "api_key"),
    drawn("clave secreta", "secret"),
    drawn("clave privada", "private_key"),
    token("ficha de acceso"),
    // French
    chosen("mot de passe"),
    chosen_word("mdp"),
    chosen_word("phrase secrète"),
    chosen_word("phrase de passe"),
    drawn("clé api", "api_key"),
    drawn("clé d'api", "api_key"),
    drawn("clé d’api", "api_key"),
    drawn("clé de l'api", "api_key"),
    drawn("clé secrète", "secret"),
    drawn("clé privée", "private_key"),
    token("jeton"),
    token("jeton d'accès"),
    token("jeton d’accès"),
    // Chinese, both scripts
    chosen("密码"),
    chosen("密碼"),
    chosen("口令"),
    chosen("通关密语"),
    drawn("密钥", "secret"),
    drawn("密鑰", "secret"),
    drawn("金鑰", "secret"),
    drawn("秘钥", "secret"),
    drawn("私钥", "private_key"),
    drawn("私鑰", "private_key"),
    token("令牌"),
    token("權杖"),
    token("凭证"),
    token("憑證"),
    digits("pin 码"),
    digits("pin 碼"),
    // Japanese
    chosen("パスワード"),
    chosen("ﾊﾟｽﾜｰﾄﾞ"),
    chosen("パスフレーズ"),
    chosen("パスコード"),
    chosen("合言葉"),
    digits("暗証番号"),
    drawn("シークレット", "secret"),
    drawn("シークレットキー", "secret"),
    drawn("秘密鍵", "private_key"),
    drawn("プライベートキー", "private_key"),
    drawn("api キー", "api_key"),
    drawn("アクセスキー", "api_key"),
    token("トークン"),
    // Korean
    chosen("비밀번호"),
    chosen("비번"),
    chosen("패스워드"),
    chosen("암호"),
    digits("핀번호"),
    digits("핀 번호"),
    drawn("시크릿", "secret"),
    drawn("비밀 키", "secret"),
    drawn("비밀키", "secret"),
    drawn("시크릿 키", "secret"),
    drawn("개인 키", "private_key"),
    drawn("개인키", "private_key"),
    drawn("api 키", "api_key"),
    drawn("액세스 키", "api_key"),
    token("토큰"),
];

/// The words that name a user, whose name goes with a password beside it.
pub(super) const USER_LABELS: &[&str] = &[
    // English, and what programs write
    "username",
    "user name",
    "user id",
    "user",
    "uid",
    "login",
    "login name",
    "account",
    "email",
    "e-mail",
    // German, Spanish, French
    "benutzer",
    "benutzername",
    "nutzername",
    "anmeldename",
    "usuario",
    "nombre de usuario",
    "utilisateur",
    "nom d'utilisateur",
    "nom d’utilisateur",
    "identifiant",
    // Chinese
    "用户名",
    "登录名",
    "登錄名",
    "登入名",
    "用户",
    "账号",
    "帐号",
    "账户",
    "使用者名稱",
    "使用者",
    "用戶名",
    "帳號",
    "帳戶",
    // Japanese
    "ユーザー名",
    "ユーザ名",
    "ユーザー id",
    "ユーザー",
    "アカウント",
    "ログイン id",
    // Korean
    "사용자 이름",
    "사용자명",
    "사용자",
    "아이디",
    "계정",
];

/// The words that make a token something else than a credential, where one stands before it.
pub(super) const NOT_TOKENS: &[&str] = &[
    "page",
    "pagination",
    "cancellation",
    "cancel",
    "sync",
    "cursor",
    "design",
    "stop",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "continuation",
    "special",
    "fencing",
    "color",
    "colour",
    "theme",
    "syntax",
    "lexer",
    "next",
    "previous",
    "last",
    "first",
    "max",
    "min",
    "per",
    "output",
    "input",
    "prompt",
    "completion",
    "start",
    "end",
    "each",
    "every",
];

/// The words after which it is said whose secret it is.
pub(super) const PREPOSITIONS: &[&str] = &[
    "for", "of", "to", "on", "in", "at", "from", "für", "von", "vom", "zum", "zur", "des", "der", "para",
    "de", "del", "en", "pour", "du", "sur", "the",
];

/// The schemes of an `Authorization` header whose credential is the next word.
pub(super) const SCHEMES: &[&str] = &["basic", "token", "apikey", "digest", "negotiate", "bearer", "key"];

/// The spellings that are looked for: every joint, and capitals where the automaton would not see that they are the
/// same letters.
pub(super) fn spellings(words: &str) -> Vec<String> {
    let joints: &[&str] = if words.contains(' ') {
        &["", " ", "_", "-", "."]
    } else {
        &[""]
    };
    let mut spellings: Vec<String> = joints.iter().map(|joint| words.replace(' ', joint)).collect();
    if !words.is_ascii() {
        let upper: Vec<String> = spellings.iter().map(|words| words.to_uppercase()).collect();
        spellings.extend(upper);
    }
    spellings.sort();
    spellings.dedup();
    spellings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_lower_case() {
        for words in LABELS
            .iter()
            .map(|label| label.words)
            .chain(USER_LABELS.iter().copied())
        {
            assert_eq!(words, words.to_lowercase());
            assert_eq!(words, words.trim());
        }
    }

    #[test]
    fn a_space_is_every_joint() {
        assert_eq!(
            spellings("api key"),
            ["api key", "api-key", "api.key", "api_key", "apikey"]
        );
        assert_eq!(spellings("contraseña"), ["CONTRASEÑA", "contraseña"]);
        assert_eq!(spellings("token"), ["token"]);
    }
}
