//! Cases in every language: what must go, and what must stay.

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

/// Texts, and what must not be left of them.
const LEAKS: &[(&str, &[&str])] = &[
    // Signs, quotes, compounds
    ("password is hunter2", &["hunter2"]),
    ("Password: hunter2!", &["hunter2"]),
    ("the DB password=S3cr3t&more", &["S3cr3t&more"]),
    ("password = \"open sesame\"", &["open sesame"]),
    ("passwd: swordfish", &["swordfish"]),
    ("dbPassword: 'Fake-Pw-1'", &["Fake-Pw-1"]),
    ("DB_PASS=fake-db-pass", &["fake-db-pass"]),
    ("export JWT_SECRET=supersecretvalue", &["supersecretvalue"]),
    ("config['password'] = 'Fake-7x'", &["Fake-7x"]),
    ("**Password:** Fake-7x", &["Fake-7x"]),
    ("- **API key**: `fakekey0123456789`", &["fakekey0123456789"]),
    ("| password | Fake-7x |", &["Fake-7x"]),
    ("<password>Fake-7x</password>", &["Fake-7x"]),
    ("<password>fakeXml77</password>", &["fakeXml77"]),
    ("Gate code (password): Fake-7x", &["Fake-7x"]),
    // In the strings of programs
    (
        "{\"a\":\"x\\nsk-ant-api03-FakeAnth0FakeAnth0FakeAnth0\\ny\"}",
        &["FakeAnth0"],
    ),
    ("\"x\\ntoken: fakeTok3n99\"", &["fakeTok3n99"]),
    (
        "\"x\\tghp_Fake0Token1Fake0Token1Fake0Token1Fak\"",
        &["Fake0Token1"],
    ),
    // Said without a sign
    ("Log in as demo with password Fake!Fish22", &["Fake!Fish22"]),
    ("use the password `fakehunter2` there", &["fakehunter2"]),
    ("Set REDIS_PASSWORD to fakeRedis77 there", &["fakeRedis77"]),
    ("She changed the password to Fake-7x.", &["Fake-7x"]),
    ("Le mot de passe administrateur est « Faux-7x ».", &["Faux-7x"]),
    ("contraseña maestra: Falsa-7x", &["Falsa-7x"]),
    // Command lines
    (
        "docker login -u svc -p fakeDock3r reg.example.com",
        &["fakeDock3r"],
    ),
    ("mysql -u root -pfakeroot9 shop", &["fakeroot9"]),
    ("sshpass -p fakepass9 ssh host", &["fakepass9"]),
    ("curl -u admin:fakeword https://ci.example.com", &["fakeword"]),
    ("-H 'Authorization: Basic ZmFrZTpmYWtlMTIz'", &["ZmFrZTpmYWtl"]),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIFakeKey\nFake==\n-----END RSA PRIVATE KEY-----",
        &["MIIFakeKey", "Fake=="],
    ),
    (
        "{\\\"password\\\": \\\"Fake 7x\\\", \\\"port\\\": 1}",
        &["Fake 7x"],
    ),
    ("spring.datasource.password=Fake_7x", &["Fake_7x"]),
    (
        "Server=db;User Id=safake;Password=Fake!7x;Encrypt=true",
        &["Fake!7x", "safake"],
    ),
    (
        "jdbc:postgresql://db/shop?user=fakeuser&password=Fake7x&ssl=true",
        &["Fake7x", "fakeuser"],
    ),
    ("mysqldump --password=Fake-7x shop", &["Fake-7x"]),
    ("mysqldump --password Fake-7x shop", &["Fake-7x"]),
    ("run `deploy --auth-token fake0123456789`", &["fake0123456789"]),
    (
        "curl -s -u fakeuser:Fake77pw12345 https://api.example.com",
        &["fakeuser", "Fake77pw12345"],
    ),
    ("登录名：fakeadmin 密码：Jia-7788", &["fakeadmin", "Jia-7788"]),
    ("The password (staging): Fake-7x", &["Fake-7x"]),
    ("The password for the demo account is Fake-7x.", &["Fake-7x"]),
    ("password of the router: Fake-7x", &["Fake-7x"]),
    (
        "The wifi password has been changed to Fake-7x yesterday",
        &["Fake-7x"],
    ),
    (
        "The API key:\n\nfakekey0123456789\n\nis old",
        &["fakekey0123456789"],
    ),
    ("password: |\n  Fake-Block-7x\n", &["Fake-Block-7x"]),
    ("PIN is 4829", &["4829"]),
    ("ПИН-код: 4829", &["4829"]),
    ("\"pin\": \"482913\"", &["482913"]),
    (
        "the passphrase is “four fake staple words”",
        &["four fake staple words"],
    ),
    ("access token is fake9f8e7d6c", &["fake9f8e7d6c"]),
    ("refresh_token: fake9f8e7d6c", &["fake9f8e7d6c"]),
    ("X-Api-Key: fakekey0123", &["fakekey0123"]),
    ("Authorization: Basic ZmFrZTpmYWtlMDE=", &["ZmFrZTpmYWtlMDE="]),
    ("Authorization: Bearer fake12345", &["fake12345"]),
    (
        "use Bearer FakeBearerFakeBearer0 for it",
        &["FakeBearerFakeBearer0"],
    ),
    ("password: Fake-1\r\npassword: Fake-2\r\n", &["Fake-1", "Fake-2"]),
    (
        "key: sk-FakeOpenKey0FakeOpenKey0Fake\nand ghp_Fake0Token1Fake0Token1Fake0Token1Fak",
        &["sk-Fake", "ghp_"],
    ),
    (
        "https://fake0token1fake0token1@git.example.org/x.git",
        &["fake0token1fake0token1"],
    ),
    ("redis://:Fake-7x@cache:6379/0", &["Fake-7x"]),
    ("amqp://fakeuser:Fake%20Pw@mq/", &["fakeuser", "Fake%20Pw"]),
    (
        "https://hooks.slack.com/services/TFAKE0000/BFAKE0000/FakeHookFakeHookFakeHook",
        &["FakeHookFakeHookFakeHook"],
    ),
    (
        "xoxp-123456789012-123456789012-fakefakefakefakefakefakefakefake",
        &["fakefake"],
    ),
    ("ghp_fakefakefakefakefakefakefakefakefake", &["fakefake"]),
    ("bearer: FakeBearer0abcFakeBearer0abc", &["FakeBearer0abc"]),
    // Values that begin like a template, or hold a mask or a dot
    ("password: {fAk3!q82mQ", &["fAk3!q82mQ"]),
    ("password: fak***Ewd9!", &["Ewd9!"]),
    ("password: My7fake.key", &["My7fake"]),
    ("DB_PASSWORD=$AKEPW2024", &["AKEPW2024"]),
    ("password: fakeAdminPassword", &["fakeAdmin"]),
    // Headings, items and elements as labels
    ("## Password\n\nfakehunter7\n", &["fakehunter7"]),
    ("- Password\n  - fakehunter7\n", &["fakehunter7"]),
    ("password:\n  - Fake-7x\n", &["Fake-7x"]),
    ("<b>password</b>: fakehunter7", &["fakehunter7"]),
    ("<strong>Password:</strong> Fake-7x", &["Fake-7x"]),
    ("<td>Password</td><td>Fake-7x</td>", &["Fake-7x"]),
    // Files that programs keep
    (
        "//registry.example.org/:_auth=ZmFrZTpmYWtlcGFzcw==",
        &["ZmFrZTpmYW"],
    ),
    (
        "{\"auths\": {\"reg.example.com\": {\"auth\": \"ZmFrZTpmYWtlcGFzcw==\"}}}",
        &["ZmFrZTpmYW"],
    ),
    (
        "client-key-data: LS0tLS1GQUtFRkFLRUZBS0UK",
        &["LS0tLS1GQUtFRkFLRUZBS0UK"],
    ),
    (
        "the bot 123456789:AAFakeFakeFakeFakeFakeFakeFakeFake12 posts",
        &["AAFakeFake"],
    ),
    (
        "MTAwMDAwMDAwMDAwMDAwMDAw.GFake0.FakeFakeFakeFakeFakeFakeFakeFakeFake0",
        &["GFake0.Fake"],
    ),
    (
        "PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nAAAApublicpublicpublic\nPrivate-Lines: 1\n\
         FakeFakeFakeFakeFakeFakeFake0\nPrivate-MAC: 00",
        &["FakeFakeFakeFake"],
    ),
    (
        "https://acct.blob.example.net/c?sv=2022&sig=Fake0Fake0Fake0Fake0Fake0Fake0Fake0Fake0Fak%3D&se=1",
        &["Fake0Fake0"],
    ),
    ("mongosh db.example.org -u root -pfakeword9", &["fakeword9"]),
    // A user beside a password
    ("login: fakeadmin\npassword: Fake-7x", &["fakeadmin", "Fake-7x"]),
    (
        "The user is fakeadmin and the password is Fake-7x.",
        &["fakeadmin", "Fake-7x"],
    ),
    ("DB_USER=fakeshop\nDB_PASSWORD=Fake-7x", &["fakeshop", "Fake-7x"]),
    ("用户名：fakeadmin，密码：Jia-7788", &["fakeadmin", "Jia-7788"]),
    (
        "ユーザー名: fakeadmin\nパスワード: Nise-7788",
        &["fakeadmin", "Nise-7788"],
    ),
    (
        "아이디: fakeadmin, 비밀번호: Gajja-63",
        &["fakeadmin", "Gajja-63"],
    ),
    // German, Spanish, French
    ("Das Passwort ist Falsch-12.", &["Falsch-12"]),
    ("Datenbankpasswort: Falsch-12", &["Falsch-12"]),
    (
        "Das Passwort für die Testumgebung lautet Falsch-12",
        &["Falsch-12"],
    ),
    ("Kennwort = „zwei Wörter“", &["zwei Wörter"]),
    ("API-Schlüssel: falsch0123456789", &["falsch0123456789"]),
    ("La contraseña es Clave-Falsa-34 por ahora", &["Clave-Falsa-34"]),
    ("CONTRASEÑA: Clave-34", &["Clave-34"]),
    ("La contraseña de la base es «clave falsa»", &["clave falsa"]),
    ("clave de API: falsa0123456789", &["falsa0123456789"]),
    ("Le mot de passe est « faux mot 5 »", &["faux mot 5"]),
    ("Mot de passe du serveur : Faux-56", &["Faux-56"]),
    ("jeton d'accès : faux0123456789", &["faux0123456789"]),
    ("clé API : faux0123456789", &["faux0123456789"]),
    // Chinese, Japanese, Korean
    ("密码是「芝麻 开门」", &["芝麻 开门"]),
    ("密码为abc12345，请勿外传", &["abc12345"]),
    ("数据库密码改成了 Jia-7788。", &["Jia-7788"]),
    ("API密钥：jia0123456789", &["jia0123456789"]),
    ("API 金鑰是 jia0123456789", &["jia0123456789"]),
    ("访问令牌: jia0123456789", &["jia0123456789"]),
    ("パスワードはNise-7788です", &["Nise-7788"]),
    ("APIキーは「nise0123456789」です", &["nise0123456789"]),
    ("トークン：nise0123456789", &["nise0123456789"]),
    ("暗証番号は 4829 です", &["4829"]),
    ("비밀번호는 Gajja-63이다", &["Gajja-63"]),
    ("API 키: gajja0123456789", &["gajja0123456789"]),
    ("토큰은 'gajja0123456789' 입니다", &["gajja0123456789"]),
];

/// Texts of which every byte must be left.
const KEPT: &[&str] = &[
    "password is required",
    "password hashing uses scrypt",
    "pin dependencies",
    "bearer tokens expire hourly",
    "token budget is 5200",
    "password: string",
    "password: String,",
    "password?: string;",
    "password: Option<String>,",
    "pub token: AccessToken,",
    "password: ${DB_PASSWORD}",
    "password: $DB_PASSWORD",
    "password: <your password>",
    "token: <token>",
    "password: ***",
    "password: ********",
    "password: [REDACTED:password]",
    "password: required",
    "Password: required, at least 12 characters",
    "Password: min. 12 characters",
    "password is 12 characters long",
    "password is at least 8 characters",
    "The password is case-sensitive.",
    "The password is SHA-256 hashed.",
    "The password is kept in 1Password.",
    "password: see 1Password",
    "password: !vault |",
    "password: {{ vault_password }}",
    "password = os.environ[\"DB_PASSWORD\"]",
    "const password = process.env.DB_PASSWORD;",
    "const token = await getToken(user);",
    "let token = request.token;",
    "self.password = password",
    "password=password",
    "'password' => 'required|string|min:8',",
    "\"password\": \"Please enter your password\"",
    "\"token\": \"identifier\"",
    "The token is a JWT.",
    "The token is JWT-encoded.",
    "The token is base64-encoded.",
    "The token is HS256-signed, 15min of life.",
    "The token is X-Auth-Token in the header.",
    "The secret is 32-byte random data.",
    "The secret is GITHUB_TOKEN in the CI.",
    "The API key is `X-Api-Key`.",
    "The API key is in the keychain.",
    "API key: ask the platform team",
    "api_key: ${{ secrets.API_KEY }}",
    "private key: ~/.ssh/id_ed25519",
    "private key is at /etc/ssl/private/shop.pem",
    "The private key is RSA-4096.",
    "max_tokens: 4096",
    "max_token=4096",
    "next_page_token: abc123def",
    "Tokens: 5200",
    "token: 5200",
    "primary token: 12",
    "pin: 17",
    "PIN 13 is the LED",
    "led_pin = 13",
    "Use PIN: 4 digits",
    "tests pass: 128 of 128",
    "Bearer authentication uses opaque tokens.",
    "Authorization: required",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${TOKEN}",
    "curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com",
    "postgres://user:password@localhost/shop",
    "postgres://${USER}:${PASSWORD}@db/shop",
    "https://<user>:<token>@git.example.org",
    "http://localhost:8080/@scope/pkg",
    "https://example.com/a?mail=x:y@z.org",
    "secret: app-tls",
    "secretName: shop-tls-2026",
    "The secret: it works.",
    "secret santa",
    "user: fakeadmin",
    "The user is fakeadmin.",
    "Keyboard: qwerty123",
    "a token of thanks",
    "token::new(1)",
    "if password == nil {",
    "apiKey: process.env.API_KEY!,",
    "private key: PKCS#8, PEM",
    "pub let_token: Token![let],",
    "let brace_token = braced!(content in input);",
    "fn from(token: TokenTree) -> Self {",
    "lpPassword: LPCWSTR,",
    "pub psw: psw_t,",
    "password: super::super::Win32::UNICODE_STRING,",
    "let token = MaybeUninit::<u8>::uninit();",
    "STABLE_SECRET = 0x80041064,",
    "docker login --password-stdin",
    "mysqldump --password shop",
    "mysql -u root -p shop",
    "mysql -P 3306 -h db -p$DB_PASS shop",
    "curl -u user:password https://api.example.com",
    "fn login(user: &str, password): Session",
    "the password field2 is hidden",
    "Change the password to at least 12 characters.",
    "Migrate the password to argon2id.",
    "Le mot de passe haché est stocké.",
    "docker login -p ${TOKEN} reg.example.com",
    "Authorization: Bearer tokens only",
    "Between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- stands base64.",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "curl -u $USER:$PASS https://api.example.com",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
    "id 01FAKE01FAKE01FAKE01FAKE01",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "Bearer authentication-required-for-all-endpoints",
    "The PIN is broken on connector J4.",
    "pin = \"2.14.1\"",
    "token = \"<|endoftext|>\"",
    "export API_KEY=$(op read op://dev/key)",
    "SECRET_KEY_BASE=",
    "refresh token: 30d",
    "encryption key: AES-256-GCM",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    // Code and names, where a value would stand
    "headers.Authorization = 'Basic ' + encode(user, pass)",
    "const TOKEN = /^[^ ()<>@,;:]+$/;",
    "const { token: token2 } = await login(state);",
    "connect(aws_session_token=s3_aws_session_token, region=region)",
    "  withCredentials: kEnumerableProperty",
    "exportToken: isNew ? sign(secret, filters) : token,",
    "const DATA_API_KEY = '.data-api';",
    "if (privateKey === \"-----BEGIN RSA PRIVATE KEY-----\") {",
    "'Credentials': 'ACME_SECRET_4',",
    "def from_token(cls, token: str) -> \"NextBatch\":",
    "secret_key: \"Optional[str]\" = None,",
    "sign(private_key=signer, algorithm=hash)",
    "user, passwd = auth",
    "\"api_key\": \"put the key here\",",
    "    password: fieldType",
    "## Password\n\nIt is kept in 1Password.",
    "<td>Password</td><td>required</td>",
    "\"auth\": \"required\"",
    // German, Spanish, French
    "Das Passwort ist Pflicht.",
    "Passwort: mindestens 12 Zeichen",
    "Das Passwort ist mit bcrypt gehasht.",
    "La contraseña es obligatoria.",
    "La contraseña es de 12 caracteres.",
    "Le mot de passe est obligatoire.",
    "Le mot de passe est stocké avec argon2id.",
    "Mot de passe : 12 caractères au moins",
    // Chinese, Japanese, Korean
    "密码是必填项",
    "密码为 12 位以上",
    "密码是 bcrypt 哈希",
    "密码：见 1Password",
    "令牌是 JWT 格式",
    "密鑰由 Vault 管理",
    "パスワードは8文字以上",
    "パスワードは bcrypt で保存する",
    "パスワードは1Passwordで管理する",
    "トークンはJWTです",
    "APIキーはX-Api-Keyヘッダーで渡す",
    "비밀번호는 8자 이상이어야 한다",
    "비밀번호는 bcrypt로 저장한다",
    "토큰은 JWT 형식이다",
    "API 키는 환경 변수에 있다",
];

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
        "curl -u a:",
        "https://a/bot1:",
        "password: \"a ",
        "+whsec_",
        "-----BEGIN ",
    ] {
        let text = |bytes: usize| piece.repeat(bytes / piece.len());
        takes_its_length(piece, text, |text| drop(redactor.redact(text)));
    }
}
