//! The words that name a secret: tables with a line a language, for a reader to extend. The entries stand apart by
//! commas. A space in an entry stands for a space, `_`, `-`, `.` or nothing, so that `api key` is also `API_KEY` and
//! `apiKey`.

/// The look of a value, after a `:` or a `=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// Any word that is not an ordinary one: people choose words as passwords.
    Chosen,
    /// A text that a program made: with a digit, or of mixed case, or in quotes.
    Drawn,
    /// As `Drawn`, and a word in quotes says nothing: many other things are called so.
    Token,
    /// Digits, four to twelve.
    Digits,
}

/// The places at which a label can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Anywhere, also at the end of a compound: `Datenbankpasswort`, 管理者パスワード.
    Anywhere,
    /// At the beginning of a word, or of a part of a name: `dbPassword`, `DB_PASSWORD`.
    Word,
    /// As a part of a name alone: `DB_PASS`, `dbPass`, `"pass"`.
    Name,
}

/// Labels that are alike.
pub(super) struct Label {
    /// The name of their values' kind.
    pub(super) kind: &'static str,
    /// The look of their values.
    pub(super) value: Value,
    /// The places at which they can stand.
    pub(super) left: Left,
    /// The words, in lower case.
    pub(super) words: &'static str,
}

const fn label(kind: &'static str, value: Value, left: Left, words: &'static str) -> Label {
    Label {
        kind,
        value,
        left,
        words,
    }
}

/// The label whose value may be the number of a key, which is no secret.
pub(super) const SIGNING_KEY: &str = "signing key";

/// Every label: English and what programs write, German, Spanish, French, Portuguese, Italian, Polish, Russian,
/// Chinese, Japanese, Korean.
pub(super) const LABELS: &[Label] = &[
    label(
        "password",
        Value::Chosen,
        Left::Anywhere,
        "password, passwd, passphrase, pass phrase, passcode
            passwort, kennwort
            contraseña, contrasena
            mot de passe
            senha
            hasło, haslo
            пароль
            密码, 密碼, 口令, 通关密语
            パスワード, ﾊﾟｽﾜｰﾄﾞ, パスフレーズ, パスコード, 合言葉
            비밀번호, 비번, 패스워드, 암호",
    ),
    label(
        "password",
        Value::Chosen,
        Left::Word,
        "pwd, pw, psw, requirepass, sshpass, passin pass, passout pass
            zugangscode
            palabra clave, clave de acceso
            mdp, phrase secrète, phrase de passe
            palavra passe, frase secreta, código de acesso
            parola d'ordine, parola d’ordine, parola di accesso, parola segreta
            кодовое слово, код доступа",
    ),
    label("password", Value::Chosen, Left::Name, "pass"),
    // In a sentence it is a verb as well: `user root, pass: …`.
    label("password", Value::Token, Left::Word, "pass"),
    label(
        "secret",
        Value::Drawn,
        Left::Word,
        "secret, secret key, secret access key, secret key base, shared key, credential, credentials
            geheimnis
            secreto, clave secreta
            clé secrète
            segredo, chave secreta
            segreto, chiave segreta
            sekret, tajny klucz
            секрет, секретный ключ
            密钥, 密鑰, 金鑰, 秘钥
            シークレット, シークレットキー
            시크릿, 비밀 키, 시크릿 키",
    ),
    label(
        "api_key",
        Value::Drawn,
        Left::Word,
        "api key, app key, application key, access key, account key, auth key, license key, deploy key
            service key, client key
            api schlüssel, zugriffsschlüssel
            clave api, clave de api, clave de la api
            clé api, clé d'api, clé d’api, clé de l'api, clé de l’api
            chave api, chave de api, chave da api, chave de acesso
            chiave api, chiave dell'api, chiave dell’api, chiave di accesso, chiave d'accesso
            klucz api, klucz do api, klucz dostępu
            ключ api, api ключ, ключ доступа
            api キー, アクセスキー
            api 키, 액세스 키",
    ),
    label(
        "private_key",
        Value::Drawn,
        Left::Word,
        "private key, encryption key, master key, client key data
            geheimer schlüssel, privater schlüssel, private schlüssel
            clave privada
            clé privée
            chave privada
            chiave privata
            klucz prywatny
            приватный ключ, закрытый ключ
            私钥, 私鑰
            秘密鍵, プライベートキー
            개인 키",
    ),
    label("private_key", Value::Drawn, Left::Word, SIGNING_KEY),
    label(
        "password",
        Value::Drawn,
        Left::Word,
        "psk, preshared key, pre shared key
            wi fi key, wlan key, wi fi schlüssel, wlan schlüssel, clé wi fi, clé du wi fi, clave wi fi, chiave wi fi, chiave del wi fi
            chave wi fi, chave do wi fi, klucz wi fi, klucz do wi fi, ключ wi fi, ключ от wi fi, wi fi キー",
    ),
    // It is a key of a table, and a word to search for, as well.
    label("password", Value::Token, Left::Word, "clave"),
    label("token", Value::Drawn, Left::Word, "authorization"),
    label(
        "token",
        Value::Token,
        Left::Word,
        "token, connect.sid, phpsessid, jsessionid, asp.net_sessionid, laravel_session
            ficha de acceso
            jeton, jeton d'accès, jeton d’accès
            token di accesso, token d'accesso
            token dostępu
            токен, токен доступа
            令牌, 權杖, 凭证, 憑證
            トークン
            토큰",
    ),
    label(
        "pin",
        Value::Digits,
        Left::Word,
        "pin, pin code, pin number
            kod pin
            пин код, пин
            pin 码, pin 碼
            暗証番号
            핀 번호",
    ),
    label(
        "pin",
        Value::Digits,
        Left::Word,
        "door code, gate code, alarm code, entry code, unlock code, türcode, code d'entrée, código de la puerta, codice della porta
            门禁码",
    ),
];

/// The words that name a user, whose name goes with a password beside it.
pub(super) const USER_LABELS: &str = "
    username, user name, user id, user, uid, login, login name, account, email, e-mail
    benutzer, benutzername, nutzername, anmeldename
    usuario, nombre de usuario
    utilisateur, nom d'utilisateur, nom d’utilisateur, identifiant
    usuário, nome de usuário, utilizador
    utente, nome utente
    użytkownik, nazwa użytkownika
    пользователь, имя пользователя, логин
    用户名, 登录名, 登錄名, 登入名, 用户, 账号, 帐号, 账户, 使用者名稱, 使用者, 用戶名, 帳號, 帳戶
    ユーザー名, ユーザ名, ユーザー id, ユーザー, アカウント, ログイン id
    사용자 이름, 사용자명, 사용자, 아이디, 계정
";

/// The words that make a token something else than a credential, where one stands before it.
pub(super) const NOT_TOKENS: &str = "
    page, pagination, cancellation, cancel, sync, cursor, design, stop, eos, bos, pad, unk, mask, continuation
    special, fencing, color, colour, theme, syntax, lexer, next, previous, last, first, max, min, per, output
    input, prompt, completion, start, end, each, every, palabra, palabras
";

/// The words that make a name that of a message or of a page, where one stands before the label in it:
/// `reset_password`, `invalidApiKey`.
pub(super) const NOT_OWNERS: &str = "
    incorrect, invalid, wrong, bad, missing, expired, unknown, empty, no, forgot, forgotten, reset, show, hide
    toggle, enter, has, is, saved, use, lost, required
";

/// The words after which it is said whose secret it is.
pub(super) const PREPOSITIONS: &str = "
    for, of, to, on, in, at, from, the
    für, fürs, von, vom, zum, zur, des, der, im, am, meines, unseres, meiner, unserer
    para, de, del, al, en, pour, du, au, sur
    do, da, dos, per, di, della, dello, dell', dla, od, от, для, к, на, в
";

/// The schemes of an `Authorization` header whose credential is the next word.
pub(super) const SCHEMES: &str = "basic, token, apikey, digest, negotiate, bearer, key";

/// Signs. After one of these the next word is the value, unless it is an ordinary one.
pub(super) const SIGNS: &str = "===, ==>, :=, =>, ==, ->, ?:, !:, →, :, =, ：, ＝, ﹕";

/// Verbs that stand apart from their neighbours. After one of these the next word is the value only if it looks like
/// one.
pub(super) const VERBS: &str = "
    has been changed to, has been set to, was changed to, is currently, changed to, is set to, is still, is now
    will be, set to, equals, was, is
    lautet jetzt, ist jetzt, lautet, ist, wird
    ahora es, será, es
    est maintenant, sera, est
    agora é, é, foi alterada para, è ora, è, sarà
    jest teraz, jest, brzmi, zmieniono na
    теперь, это, изменён на, изменен на
    —, –, -
";

/// Labels of languages in which what kind it is follows the name: `mot de passe administrateur : …`.
pub(super) const BEFORE_ADJECTIVES: &[&str] = &[
    "mot de passe",
    "contraseña",
    "contrasena",
    "senha",
    "hasło",
    "пароль",
];

/// Particles and verbs of languages without spaces: attached to the label.
pub(super) const PARTICLES: &str = "
    已经改为, 已經改為, 已改为, 已改為, 改成了, 改为, 改為, 改成, 设为, 設為, 设置为, 設定為, 现在是, 現在是, 就是, 应为, 應為, 是, 为, 為
    は今, は, が, って
    는, 은, 가, 이
";

/// The entries of a table.
pub(super) fn entries(table: &str) -> impl Iterator<Item = &str> {
    table
        .split([',', '\n'])
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

/// A pattern for any entry of a table.
pub(super) fn alternatives(table: &str) -> String {
    entries(table).map(regex::escape).collect::<Vec<_>>().join("|")
}
