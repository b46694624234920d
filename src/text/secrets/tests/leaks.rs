//! Secrets in every language that must go.

/// Texts, and the secrets of which nothing must be left.
pub(in crate::text::secrets) const LEAKS: &[(&str, &[&str])] = &[
    // Signs, quotes, compounds
    ("password is hunter2", &["hunter2"]),
    ("Password: hunter2!", &["hunter2"]),
    ("the DB password=S3cr3t&more", &["S3cr3t&more"]),
    ("password = \"open sesame\"", &["open sesame"]),
    ("passwd: swordfish", &["swordfish"]),
    ("dbPassword: 'Fake-Pw-1'", &["Fake-Pw-1"]),
    ("DB_PASS=fake-db-pass", &["fake-db-pass"]),
    ("staging: user: root, pass: fK8xx92mQpl", &["root", "fK8xx92mQpl"]),
    ("password - fK8xx92mQpl", &["fK8xx92mQpl"]),
    ("password ==> fK8xx92mQpl", &["fK8xx92mQpl"]),
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
    // Drawn ones without a start, behind the name of the issuer
    (
        "Azure DevOps: k4xq7zt2m5aw6fhd3bnyjc2p4ervs7gu5lti6xok3mzq2wa4fdhb",
        &["k4xq7zt2"],
    ),
    ("vercel --token=Qz7Rk2Lp9Xc4Vb8Nm3Ht6Yw1", &["Qz7Rk2Lp9"]),
    (
        "Mailgun sends with 0a1b2c3d4e5f60718293a4b5c6d7e8f9-1a2b3c4d-5e6f7a8b",
        &["0a1b2c3d4e5f"],
    ),
    (
        "Okta uses 00Qz7Rk2Lp9Xc-4Vb8Nm3Ht6Yw1_Gd5Fs0Ja8Kw2Pz",
        &["Qz7Rk2Lp9Xc-4Vb8"],
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
    // The qualifier names a host, or says `to` (a verb in Polish).
    (
        "The token for docker.io is fake-7Hq2-Zz81-pp0K.",
        &["fake-7Hq2-Zz81-pp0K"],
    ),
    (
        "token for registry.example.org: fake-7Hq2-Zz81-pp0K",
        &["fake-7Hq2-Zz81-pp0K"],
    ),
    (
        "token for it if you need to push: fake-7Hq2-Zz81-pp0K",
        &["fake-7Hq2-Zz81-pp0K"],
    ),
    ("Hasło do bazy to Fake7xQ9: tak ma być.", &["Fake7xQ9"]),
    ("Hasło do bazy to Fake7xQ9.", &["Fake7xQ9"]),
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
    ("token: fak***", &["fak"]),
    ("password: fake7***", &["fake7"]),
    // In parentheses, or behind a bracket that nothing closes
    ("password: (Fake24)", &["Fake24"]),
    ("password: \"(Fake24!)\"", &["Fake24"]),
    ("the password is (Fake24).", &["Fake24"]),
    ("密码：（Fake24）", &["Fake24"]),
    ("password: <x9!kQ2", &["x9!kQ2"]),
    ("password: (x9!kQ2", &["x9!kQ2"]),
    ("password: My7fake.key", &["My7fake"]),
    ("DB_PASSWORD=$AKEPW2024", &["AKEPW2024"]),
    ("password: fakeAdminPassword", &["fakeAdmin"]),
    // Headings, items and elements as labels
    ("## Password\n\nfakehunter7\n", &["fakehunter7"]),
    ("- Password\n  - fakehunter7\n", &["fakehunter7"]),
    ("password:\n  - Fake-7x\n", &["Fake-7x"]),
    ("<b>password</b>: fakehunter7", &["fakehunter7"]),
    ("_password_: fakehunter7", &["fakehunter7"]),
    ("password: <i>fakehunter7</i>", &["fakehunter7"]),
    (
        "<strong>Password:</strong> <code>fakehunter7</code>",
        &["fakehunter7"],
    ),
    (
        "[password](https://wiki.example/p): fakehunter7",
        &["fakehunter7"],
    ),
    ("<strong>Password:</strong> Fake-7x", &["Fake-7x"]),
    ("<td>Password</td><td>Fake-7x</td>", &["Fake-7x"]),
    // Files that programs keep
    (
        "//registry.example.org/:_auth = \"ZmFrZTpmYWtlcGFzcw==\"",
        &["ZmFrZTpmYWtlcGFzcw"],
    ),
    ("_auth: ZmFrZTpmYWtlcGFzcw==", &["ZmFrZTpmYWtlcGFzcw"]),
    ("{\"auth\" : \"ZmFrZTpmYWtlcGFzcw==\"}", &["ZmFrZTpmYWtlcGFzcw"]),
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
    // Below a label, in a quotation and in a block of code; in the midst of a sentence
    ("Password:\n```\nFake-7x\n```", &["Fake-7x"]),
    ("The password:\n\n~~~text\nFake-7x\n~~~\nand more", &["Fake-7x"]),
    ("> password:\n> Fake-7x", &["Fake-7x"]),
    ("> [!note] password\n> Fake-7x", &["Fake-7x"]),
    ("> password:\n>\n> ```\n> Fake-7x\n> ```", &["Fake-7x"]),
    ("the password Fake7Xq9 for staging is in the vault", &["Fake7Xq9"]),
    ("psk=\"Fake-word\"", &["Fake-word"]),
    ("signing key: 5e6f7g8h9i0j1k2l3m4n", &["5e6f7g8h9i0j1k2l3m4n"]),
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
