//! Words that are no values, where a value would stand: tables, for a reader to extend. All in lower case, as one
//! word each; a value is compared without the punctuation at its ends.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::labels::alternatives;
use crate::text::pattern;

/// Types, as programs write them.
const TYPES: &str = "
    string str text varchar char nvarchar blob bytea bytes byte buffer int integer number float double
    decimal bool boolean uuid object array list map dict option optional any unknown never void nil null
    none undefined secretstr securestring password secret token key credential credentials keyword date
    datetime timestamp enum struct json base64 hex ascii symbol identifier ident u8 u16 u32 u64 u128 i8
    i16 i32 i64 i128 f32 f64 int32 int64 uint8 uint32 uint64 usize isize str8 string8 nothing passwd pass
    pw pwd user username
    arg args argv body cfg conf config ctx data env field form input key keys line next opts options param params
    passwords tokens secrets content contents part parts item items entry entries name names match matches
    auth creds parsed decoded encoded raw tmp temp text line lines word words chunk
    payload prop props req request res response result row self state this val value values
";

/// Words that say the state of a field.
const STATES: &str = "
    true false yes no on off enabled disabled required mandatory needed unused missing empty blank unset
    set default same hidden masked redacted removed rotated expired revoked invalid valid wrong correct
    stored saved kept hashed encrypted salted generated random auto automatic manual changed unchanged
    shared private public internal local secure strong weak pending todo tbd n/a na see ask check use get
    read write from via in at the a an not never only must should this that it is are and or for with
    without to of vault keychain keyring bitwarden env environment input output prompt header cookie body
    query bearer basic digest login reset rotation policy length elsewhere somewhere unspecified above
    below later soon fixed failed ok done access refresh session id opaque signed unsigned primary
    secondary expires account admin-only inherited ignored supported unsupported unavailable available
    include omit same-origin function kwargs passwordless accepted rejected verified unverified deprecated described documented new old minimum
    maximum max min lowercase uppercase alphanumeric ephemeral temporary permanent unlimited long-lived
    short-lived read-only write-only one-time
    pflicht pflichtfeld erforderlich notwendig leer geheim siehe im beim der die das nicht nur keins keine
    optionales ja nein unbekannt abgelaufen verschlüsselt
    obligatorio obligatoria requerido requerida opcional vacío vacía ninguno ninguna véase ver en el la
    los las sí desconocido desconocida caducada cifrada
    obligatoire requis requise facultatif facultative optionnel vide aucun aucune voir dans le les oui non
    inconnu expiré chiffré
    obrigatório obrigatória obrigatórios necessária necessário vazia vazio nenhum nenhuma não sim expirada
    obbligatorio obbligatoria richiesto richiesta facoltativo facoltativa opzionale vuoto vuota nessuno
    nessuna scaduto scaduta crittografata cifrata nel nella non
    wymagane wymagany wymagana opcjonalne puste pusty brak nie tak wygasł wygasło zaszyfrowane zobacz w
    обязателен обязательный обязательно требуется необязателен пустой нет да неверный неверен верный истёк
    истек хранится зашифрован скрыт см в не это
";

/// The word "password" in languages that have no labels, as the text of a form.
const FORMS: &str = "
    jelszó lösenord wachtwoord adgangskode kodeord passord heslo salasana şifre parola parool parole contrasenya
    contrasinal lozinka zaporka geslo κωδικός סיסמה รหัสผ่าน गुप्तशब्द પાસવર્ડ пароля паролата
";

/// Words for a text that somebody is to fill in.
const FILL_INS: &str = "
    changeme change-me change_me changeit replaceme replace-me replace_me placeholder example sample value
    xxx yyy zzz foo bar foobar insert fill here <redacted> [redacted] redacted hunter dummy-value fixme
";

/// Beginnings of a text that somebody is to fill in.
const FILL_IN_STARTS: &str = "
    your-, your_, your., yoursecret, yourpassword, yourtoken, yourapikey, my_api_, my-api-, insert-,
    insert_, replace-, replace_, enter-, enter_, put-, put_, changeme, change-me, change_me, example-,
    example_, dummy_, placeholder
";

/// Names with a digit or of mixed case that people write about: algorithms, protocols, formats, products.
const NAMES: &str = "
    argon2 argon2i argon2d argon2id bcrypt scrypt pbkdf2 hmac sha sha1 sha2 sha3 sha224 sha256 sha384
    sha512 md4 md5 blake2 blake2b blake2s blake3 ripemd160 crc32 aes aes128 aes192 aes256 gcm cbc ctr ecb
    chacha20 poly1305 xchacha20 rsa rsa2048 rsa4096 dsa ecdsa eddsa ed25519 ed448 x25519 x448 curve25519
    p256 p384 p521 secp256k1 secp256r1 hs256 hs384 hs512 rs256 rs384 rs512 es256 es384 es512 ps256 hkdf
    totp hotp 2fa mfa u2f fido2 webauthn oath
    base16 base32 base58 base62 base64 base64url utf8 utf16 uuid4 uuidv1 uuidv4 uuidv7 ulid x509 pkcs pkcs1
    pkcs8 pkcs12 p12 pfx pem der jwt jwe jws jwk jwks paseto saml saml2 ascii85 pgp gpg gpg2
    oauth oauth1 oauth2 openid oidc kerberos krb5 ntlm ntlmv2 ldap ldaps tls tls1 mtls ssl http2 http3
    ipv4 ipv6 smtp imap pop3 s3 ec2 k8s i18n l10n web3 log4j h2 sqlite3 python3 neo4j p2p b2b e2e
    1password github gitlab bitbucket javascript typescript postgresql postgres mysql mariadb mongodb
    dynamodb couchdb influxdb rabbitmq lastpass keepass keepassxc dashlane nordpass openai chatgpt openssl
    openssh macos ios ipados youtube linkedin paypal whatsapp onedrive sharepoint icloud devops graphql
    jquery nodejs nextjs vuejs circleci teamcity argocd pagerduty newrelic datadog cloudflare digitalocean
    cloudfront cloudwatch kubernetes hashicorp sendgrid auth0 okta opencode vscode intellij keycloak
    powershell wordpress totp-based
";

/// The words at the end or the beginning of a variable's name that holds a secret.
const NOUNS: &str = "
    password passwords passwd pass passphrase pwd pw secret secrets token tokens key keys credential credentials cred
    creds auth authorization jwt cookie hash path file header headers field input value env var config param
    params response request session
";

/// The units that a number in front of them counts.
const UNITS: &str = "
    characters character chars char letters digits digit numbers symbols words word bytes byte bits bit b
    kb kib mb mib gb k m ms s sec secs second seconds min mins minute minutes h hr hrs hour hours d day
    days week weeks month months year years times attempts tries requests tokens keys users x th st nd rd
    long or to of per % percent factor way time step zeichen stellen stellig ziffern tage stunden minuten
    sekunden caracteres dígitos días horas minutos segundos caractères chiffres jours heures secondes
    dias horas segundos caratteri cifre giorni ore minuti secondi znaków znaki cyfr dni godzin minut sekund
    символов символа символы знаков цифр дней дня часов часа минут секунд
    位 个
    個 字 字符 字元 字节 天 小时 小時 分钟 分鐘 秒 次 位数 位數 文字 桁 日 時間 分 回 バイト 자 자리 글자 일 시간 분 초 회 바이트
";

/// The endings of a type's name.
const TYPE_ENDS: &str = "
    String Str Hash Token Key Config Provider Type Ref Option Options Field Input Schema Credentials
    Credential Handler Buffer Bytes Id Secret Password Value Store Service Manager Response Request
    Payload Claims Data Info Spec Source Entry Policy Error Kind Stream Array List Map Vec Text Auth
    Settings Model
";

/// The words behind a hyphen that say what a name is or does: `base64-encoded`.
const TRAITS: &str = "
    encoded based hashed signed encrypted compatible formatted style protected aware capable managed
    backed compliant like specific derived sized safe id
";

static FILL_IN: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("^(?:your |{})|[_ -]here", alternatives(FILL_IN_STARTS))));

/// The words of these tables.
pub(super) fn set(tables: &[&'static str]) -> HashSet<&'static str> {
    tables.iter().flat_map(|table| table.split_whitespace()).collect()
}

static ORDINARY: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&[TYPES, STATES, FORMS, FILL_INS, NAMES]));
static NAMED: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&[NAMES]));
static PART_OF_NAME: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&[STATES, NAMES, TRAITS, UNITS]));
static COUNTED: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&[UNITS]));
static HOLDERS: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&[NOUNS]));
static ENDS_OF_TYPES: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&[TYPE_ENDS]));

/// True when a word, in lower case, is an ordinary one.
pub(super) fn is_ordinary(word: &str) -> bool {
    ORDINARY.contains(word)
}

/// True when a word, in lower case, is a name that people write about, alone or with a remark on it:
/// `pbkdf2-hmac-sha256`, `base64-encoded`, `github's`.
pub(super) fn is_named(word: &str) -> bool {
    let word = word
        .strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word);
    let parts = || {
        word.split(['-', '_', '/', '+', '.', ':', '#', ' '])
            .filter(|part| !part.is_empty())
    };
    let is_size = |part: &str| part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
    parts().any(|part| NAMED.contains(part))
        && parts().all(|part| PART_OF_NAME.contains(part) || is_size(part))
}

/// True when a word, in lower case, names things that a number counts.
pub(super) fn is_unit(word: &str) -> bool {
    COUNTED.contains(word)
}

/// True when a word is the name of a type.
pub(super) fn is_type_name(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && ENDS_OF_TYPES.iter().any(|end| word.ends_with(end))
}

/// True when a word, in lower case, is a text that somebody is to fill in: `your-token`, `changeme`, `secret_here`.
pub(super) fn is_fill_in(word: &str) -> bool {
    FILL_IN.is_match(word)
}

/// True when the names of things that hold a secret have this word in them.
pub(super) fn is_noun(word: &str) -> bool {
    HOLDERS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_lower_case() {
        for table in [TYPES, STATES, FILL_INS, NAMES, UNITS, TRAITS] {
            for word in table.split_whitespace() {
                assert_eq!(word, word.to_lowercase());
            }
        }
    }

    #[test]
    fn names_stand_alone_or_with_a_trait() {
        for word in [
            "sha-256",
            "pbkdf2-hmac-sha256",
            "aes-256-gcm",
            "base64-encoded",
            "github's",
            "oauth2.0",
            "id_ed25519",
        ] {
            assert!(is_named(word), "{word}");
        }
        for word in ["fake-token-12", "hunter2", "fake-sha256", "12", "required"] {
            assert!(!is_named(word), "{word}");
        }
    }
}
