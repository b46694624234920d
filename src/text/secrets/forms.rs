//! Credentials that tell themselves by their form, without a label: a table, for a reader to extend. The tokens of
//! issuers, blocks of keys, and what a program or a file of settings has at a known place.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::judge::is_stand_in;
use super::ordinary::is_ordinary;
use super::{Secret, char_before, window};
use crate::text::pattern;

/// A form is no longer than this, and neither is the call of a program.
const MOST: usize = 16 * 1024;
const MOST_CALL: usize = 4096;
/// A name and a password in an address are no longer.
const MOST_ADDRESS: usize = 512;
/// So much of a text is looked at before the word at which a form begins.
const BEFORE: usize = 96;
/// The start of a token that may follow a letter is no shorter.
const LONG_START: usize = 4;

/// What many forms have in common: what stands between a program and one of its flags, between a flag and its value, and
/// the value; what leads to a list of codes, two shapes of codes, and what parts them.
const PARTS: [(&str, &str); 8] = [
    (
        "CALL",
        r#"["']? *[ \t,](?:(?:[^\n;|\\]|\\(?:\r?\n)?)*?[\s"',\[\]])??"#,
    ),
    ("NEXT", r#"(?:=["']?|[\s"',\[\]]*)"#),
    ("ARGUMENT", r#"(?<value>[^\s"',\[\]`<-][^\s"'`<]{2,})"#),
    (
        "LEAD",
        r"(?:[^\n:：]{0,40}(?:[:：]|\n)| ?(?:は|는|은|是)|(?: (?:for|of|to|für|vom|zum|de|del|do|da|pour|di|per)\b[^\n:：.,]{1,30}?)? (?:is|are|ist|sind|lauten|lautet|es|son|est|sont|sono|são))[\s>`*•-]*(?:1[.)] *)?",
    ),
    (
        "CODE",
        r"(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,7}|\d{4,5} \d{4,5}|\d{6,10}|[A-Za-z]{0,7}\d[A-Za-z0-9]{6,15})",
    ),
    ("LETTERS", r"(?:[A-Za-z]{4}-[A-Za-z]{4}|[A-Za-z]{5}-[A-Za-z]{5})"),
    // One alone: capitals, or a part that nobody can say.
    (
        "DRAWN",
        r"(?:[A-Z]{4}-[A-Z]{4}|[A-Z]{5}-[A-Z]{5}|[b-df-hj-np-tv-xz]{4,5}-[a-z]{4,5}|[a-z]{4,5}-[b-df-hj-np-tv-xz]{4,5})",
    ),
    (
        "PARTED",
        r"(?:[\s,;|/>`*•、，-]+(?:(?:and|und|y|et|e|i|и) )?(?:\d{1,2}[.)] *)?)",
    ),
];

/// The way in which a form is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    /// What an issuer drew: the whole of it in this case, and glued to no other word.
    Token,
    /// All of it, whatever it says.
    Block,
    /// What stands at its place, unless that stands in for a value.
    Value,
    /// The same, in an address.
    Address,
    /// The same, behind the name of a program and as often as a flag gives one.
    Call,
}

/// A form, from one of its words on. The words stand apart by commas.
pub(super) struct Form {
    kind: &'static str,
    pub(super) is: Is,
    pub(super) words: &'static str,
    /// What stands before, up to the end of the word; a token begins with it.
    before: &'static str,
    /// What stands behind. A group says what is taken: `value`; `drawn`, if it has a digit; `user`. In them, `word` alone is
    /// judged. Without a group it is all.
    behind: &'static str,
    compiled_before: OnceLock<Regex>,
    compiled_behind: OnceLock<Regex>,
}

const fn form(
    kind: &'static str,
    is: Is,
    words: &'static str,
    before: &'static str,
    behind: &'static str,
) -> Form {
    Form {
        kind,
        is,
        words,
        before,
        behind,
        compiled_before: OnceLock::new(),
        compiled_behind: OnceLock::new(),
    }
}

const fn token(kind: &'static str, words: &'static str, behind: &'static str) -> Form {
    form(kind, Is::Token, words, "", behind)
}

/// Every form. The lengths of tokens are the least that the issuer gives, or a little less. The tokens of services that a
/// text seldom holds are one kind, a line an alphabet. Their shapes are those that the issuers document, and that
/// scanners of repositories look for.
pub(super) static FORMS: [Form; 76] = [
    token("aws_key", "AKIA, ASIA, ABIA, ACCA", "[A-Z0-9]{16}"),
    token("aws_key", "ABSK", "[A-Za-z0-9_+/=%-]{60,}"),
    token("google_key", "AIza", r"[\w-]{35,}"),
    token("google_token", "ya29., GOCSPX-", r"[\w-]{20,}"),
    token("azure_key", "AccountKey=, ?sig=, &sig=", "(?<value>[A-Za-z0-9_+/=%-]{40,})"),
    // Azure DevOps: the sign of the issuer stands near the end.
    form("azure_key", Is::Token, "AZDO", "[A-Za-z0-9]{76}AZDO$", "[A-Za-z0-9]{4}"),
    token("github_token", "ghp_, gho_, ghu_, ghs_, ghr_", "[A-Za-z0-9]{30,}"),
    token("github_token", "github_pat_", r"[\w-]{30,}"),
    token(
        "gitlab_token",
        "glpat-, gldt-, glrt-, glcbt-, glptt-, glft-, glimt-, glagent-, gloas-, glsoat-",
        r"[\w.-]{18,}[\w-]",
    ),
    token("api_key", "sk-", r"[\w-]{18,}"),
    token(
        "slack_token",
        "xoxa-, xoxb-, xoxc-, xoxe-, xoxo-, xoxp-, xoxr-, xoxs-, xoxe.xox, xapp-",
        r"[\w-]{10,}",
    ),
    token(
        "webhook",
        "hooks.slack.com/services/, hooks.slack.com/workflows/, hooks.slack.com/triggers/",
        "(?<value>[A-Za-z0-9_+/=%-]{20,})",
    ),
    token(
        "webhook",
        "discord.com/api/webhooks/, discordapp.com/api/webhooks/",
        "(?<value>[A-Za-z0-9_+/=%-]{46,})",
    ),
    // Teams (learn.microsoft.com, incoming webhooks).
    token("webhook", ".webhook.office.com/webhookb2/", "(?<value>[A-Za-z0-9/@-]{70,})"),
    token("webhook_secret", "whsec_", "[A-Za-z0-9_+/=%-]{20,}"),
    token("bot_token", "/bot", r"(?<value>\d{5,}:[\w:-]{8,})"),
    form("bot_token", Is::Token, ":AA", r"\d{8,11}:AA$", r"[\w-]{32,}"),
    // The identity of a bot of Discord is a number, in base64.
    token(
        "bot_token",
        "MT, Mj, Mz, ND, NT, Nj, Nz, OD, OT",
        r"[\w-]{20,27}\.[\w-]{5,7}\.[\w-]{27,44}",
    ),
    token("sendgrid_key", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    token("stripe_key", "sk_live_, sk_test_, rk_live_, rk_test_", r"[\w-]{16,}"),
    token("npm_token", "npm_", "[A-Za-z0-9]{30,}"),
    token("pypi_token", "pypi-", r"[\w-]{40,}"),
    // DigitalOcean, Shopify, RubyGems, Databricks, Pulumi, Buildkite, Twilio.
    token(
        "service_token",
        "dop_v1_, doo_v1_, dor_v1_, shpat_, shpca_, shppa_, shpss_, rubygems_, dapi, pul-, bkua_, bkaa_, SK",
        "[0-9a-f]{30,}",
    ),
    // New Relic, age.
    token("service_token", "NRAK-, AGE-SECRET-KEY-1", "[A-Z0-9]{24,}"),
    // Groq, xAI, Perplexity, Hugging Face, Replicate, Netlify, Linear, Notion, Prefect.
    token(
        "service_token",
        "gsk_, xai-, pplx-, hf_, r8_, nfp_, lin_api_, lin_oauth_, ntn_, pnu_, pnb_",
        "[A-Za-z0-9]{28,}",
    ),
    // Fly, Heroku, Supabase, Square, Docker, Vault, Figma, Postman, Tailscale, PlanetScale, Contentful, CircleCI,
    // LangSmith, Vercel.
    token(
        "service_token",
        "fo1_, HRKU-, sbp_, sb_secret_, sq0atp-, sq0csp-, dckr_pat_, dckr_oat_, hvs., hvb., hvr., figd_, PMAK-, tskey-,
            pscale_tkn_, pscale_pw_, pscale_oauth_, CFPAT-, CCIPAT_, CCIPRJ_, lsv2_pt_, lsv2_sk_, vcp_, vci_, vca_, vcr_, vck_",
        r"[\w-]{20,}",
    ),
    token("service_token", "dp.pt., dp.st.", r"[\w.-]{29,}[\w-]"),
    // Bitbucket, Grafana, Sentry, Fly, 1Password.
    token(
        "service_token",
        "ATBB, ATATT3, ATCTT3, glsa_, glc_, sntrys_, sntryu_, fm1r_, fm1a_, fm2_, ops_eyJ",
        "[A-Za-z0-9_+/=%,-]{24,}",
    ),
    // Notion of old, Resend, Square, NuGet, Confluent, Mailgun: of an exact length, where the start says little.
    token("service_token", "secret_", "[A-Za-z0-9]{43}"),
    token("service_token", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    token("service_token", "EAAA", r"[\w-]{60}"),
    token("service_token", "oy2", "[a-z0-9]{43}"),
    token("service_token", "cflt", "[A-Za-z0-9+/]{60}"),
    form("service_token", Is::Token, "key-", r"(?:^|[^\w-])key-$", "(?<value>[0-9a-f]{32})"),
    // Terraform Cloud, Mailchimp: the sign of the issuer stands in the middle, or at the end.
    form(
        "service_token",
        Is::Token,
        ".atlasv1.",
        r"[A-Za-z0-9]{14}\.atlasv1\.$",
        r"[\w-]{40,}",
    ),
    form("service_token", Is::Token, "-us", "[0-9a-f]{32}-us$", r"\d{1,2}"),
    // Sonar, Neon, Render, Deno, PostHog, Cursor: docs.sonarsource.com (user tokens), neon.com/docs (API keys), render.com/docs
    // (API), docs.deno.com (access tokens), posthog.com/docs (personal keys), cursor.com/docs (API keys).
    token("service_token", "squ_, sqp_, sqa_, napi_, rnd_, ddp_, ddw_, phx_, crsr_", "[A-Za-z0-9]{28,}"),
    // Brevo (developers.brevo.com), HubSpot (developers.hubspot.com), Airtable (airtable.com/developers), Snyk (docs.snyk.io),
    // crates.io (its `utils/token.rs`), Asana (developers.asana.com), 1Password (support.1password.com, secret key).
    token("service_token", "xkeysib-, xsmtpsib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    token("service_token", "pat-na1-, pat-na2-, pat-eu1-, pat-ap1-", "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    token("service_token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    token("service_token", "snyk_uat., snyk_sat.", r"[\w-]{8}\.[\w.-]{19,}[\w-]"),
    token("service_token", "cio", "[A-Za-z0-9]{32}"),
    token("service_token", "1/, 2/", r"(?:\d{13,20}/)?\d{13,20}:[0-9a-f]{32}"),
    // Azure DevOps of old, Vercel of old, Mailgun of new, Okta: nothing in them tells the issuer, who is named before.
    form(
        "service_token",
        Is::Value,
        "azure devops, dev.azure.com, vercel, mailgun, okta",
        "",
        r"(?i)[^\n]{0,60}?[\s:=`](?<drawn>(?-i:[a-z2-7]{52}|[A-Za-z0-9]{24}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}|00[\w-]{40}))(?:[\s`.,;]|$)",
    ),
    token("private_key", "A3-", "[A-Z0-9]{6}-[A-Z0-9]{6}(?:-[A-Z0-9]{5}){4}"),
    token("jwt", "eyJ", r"[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]+){0,2}"),
    // npm, docker: the keys of a user and a password in base64.
    form(
        "api_key",
        Is::Value,
        "_auth, \"auth\"",
        "",
        r#"[ \t]*[:=][ \t]*["']?(?<value>[A-Za-z0-9_+/=%-]{16,})(?:[^A-Za-z0-9_+/=%(.\[:{-]|$)"#,
    ),
    form(
        "bearer_token",
        Is::Value,
        "bearer",
        r"(?i)(?:^|\\[nrt]|[^\pL\pN])bearer$",
        r#"[ \t"'`:=]{1,4}(?<drawn>[A-Za-z0-9._~+/=-]{15,}[A-Za-z0-9_~+/=-])"#,
    ),
    // A name and a password in an address, or a token alone.
    form(
        "url_credentials",
        Is::Address,
        "://",
        "",
        r#"(?:(?<value>[^\s\x00-\x1f/?"`<>\\:]*:(?<word>[^\s\x00-\x1f/?"`<>\\]+))|(?<drawn>[^\s\x00-\x1f/?"`<>\\:]{16,}))@"#,
    ),
    // The files in which `ftp`, `curl`, `git` and `psql` find passwords.
    form(
        "password",
        Is::Value,
        "machine, default",
        "",
        r"(?i)(?:\s+\S+)?\s+login\s+(?<user>\S+)\s+(?:account\s+\S+\s+)?password\s+(?<value>\S+)",
    ),
    form(
        "password",
        Is::Value,
        ":5432:, :5433:, :6432:, :*:",
        r"(?:^|[\s`])(?:[\w.-]+|\*):(?:\d+|\*):$",
        r"[^:\s]+:(?<user>[^:\s\[]+):(?<value>[^:\s`\[][^\s`]{2,})",
    ),
    form(
        "password",
        Is::Value,
        "identified by, identified with",
        r"(?:(?i:(?:create|alter) (?:user|role|login)|grant )(?s:.*)|IDENTIFIED \w+)$",
        r#"(?i)(?: password| [^\n;]{1,60}? by)?\s+["'](?<value>[^"'\n]{1,200})["']"#,
    ),
    // The codes that stand in for a second factor, all of a list, and the key of a disk.
    form(
        "recovery_code",
        Is::Value,
        "recovery code, recovery codes, backup code, backup codes, scratch codes, emergency codes, recovery key
            wiederherstellungscode, wiederherstellungscodes, wiederherstellungsschlüssel, notfallcodes, ersatzcodes, backup schlüssel
            códigos de recuperación, códigos de respaldo, clave de recuperación, códigos de recuperação, códigos de backup
            codes de récupération, codes de secours, clé de récupération, codici di recupero, codici di backup, chiave di recupero
            kody zapasowe, kody odzyskiwania, резервные коды, коды восстановления, ключ восстановления
            恢复代码, 备用验证码, 恢复码, 备份码, 恢复密钥, リカバリーコード, バックアップコード, 回復キー, 백업 코드, 복구 코드, 복구 키",
        "",
        "(?:LEAD(?:(?<value>LETTERS(?:PARTEDLETTERS)+)(?:[\\s.]|$)|(?<phrase>DRAWN)\\.?\\s*(?:\n|$)|(?<drawn>CODE(?:PARTEDCODE)*))| (?<word>(?:[0-9]{6}-){7}[0-9]{6}))",
    ),
    // The words that stand in for a key: those of a wallet, and those of a person's.
    form(
        "password",
        Is::Value,
        "seed phrase, recovery phrase, mnemonic, passphrase, pass phrase",
        "",
        r#"(?: (?:for|of)\b[^\n:：.,]{1,30}?)?(?:[:：=]| is)\s*["'`]?(?<phrase>[a-z]{3,10}(?: [a-z]{3,10}){3,23})["'`]?\.?\s*(?:\n|$)"#,
    ),
    // The seed of one-time codes is base32.
    form(
        "secret",
        Is::Value,
        "totp, otp, 2fa, mfa",
        "",
        "(?i:[ -]?(?:seed|secret|key|schlüssel|geheimnis))?(?: is| ist|[ :：=]){1,3}`?(?:(?<value>[A-Z2-7]{16,})|(?<drawn>(?:[a-z2-7]{4} ){3,}[a-z2-7]{4}))",
    ),
    // Pairs of a name and a password.
    form(
        "password",
        Is::Value,
        "guest network, guest wi fi, guest wlan, gäste wlan, gastnetz, wi fi invitados, wi fi invités, 访客网络, 访客wi fi
            login, logins, credentials, zugangsdaten, anmeldedaten, identifiants, credenciales, credenciais, credenziali
            dane logowania, учётные данные, учетные данные, 账号密码, 账密, ログイン情報, 로그인 정보",
        "",
        r"(?:[^\n:：/|]{0,30}[:：]| is| are|)\s*(?:(?<user>[^\s/|\[][^\n/|]{0,31}?)\s*[/|]|(?<name>[^\s/:|\[]{2,31}):)\s*(?<drawn>[^\s`/][^\s`]*?[A-Za-z][^\s`]*?[^\s`.,;])(?:[\s`.,;]|$)",
    ),
    form(
        "password",
        Is::Value,
        "wi fi, wlan",
        r"(?:^|[\s*])(?:[Ww]i-?[Ff]i|WLAN)$",
        r"\*{0,2}[:：]\*{0,2} *(?<value>[A-Z][a-z]+(?:[^\w\s]\d{2,}|\d{2,}[A-Za-z!#$%&*+=?@^])[^\s`.,;]*)[.,;]?(?:\n|$)",
    ),
    // `Basic` and a name with its password, in base64.
    form(
        "password",
        Is::Value,
        "basic",
        r"(?i)(?:^|[^\pL\pN])basic$",
        r#" +["'`]?(?<pair>[A-Za-z0-9+/]{12,}={0,2})"#,
    ),
    // Flags of command lines; those that have a name, as `--password`, are labels. The value stands in the same word, in the
    // next, or in either.
    form(
        "password",
        Is::Call,
        "mysql, mysqldump, mysqladmin, mariadb, mariadb-dump, 7z, 7za, 7zz, rar, unrar",
        "",
        r#"CALL-p=?["']?ARGUMENT"#,
    ),
    form(
        "password",
        Is::Call,
        "docker login, podman login, registry login, buildah login, skopeo login, az login, oc login, cf login, sshpass,
            twine upload, mongo, mongosh, mongodump, mongorestore, mongoexport, mongoimport",
        "",
        "CALL-pNEXTARGUMENT",
    ),
    form(
        "password",
        Is::Call,
        "redis-cli, keydb-cli, valkey-cli, redis-benchmark",
        "",
        r#"CALL-a[\s"',\[\]]+ARGUMENT"#,
    ),
    form(
        "password",
        Is::Call,
        "sqlcmd, bcp, zip, unzip, ipmitool, sshpass, mosquitto_pub, mosquitto_sub",
        "",
        "CALL-PNEXTARGUMENT",
    ),
    form(
        "password",
        Is::Call,
        "ldapsearch, ldapadd, ldapmodify, ldapdelete, ldapwhoami",
        "",
        "CALL-wNEXTARGUMENT",
    ),
    form(
        "password",
        Is::Call,
        "smbclient, smbget, rpcclient, net ads, net rpc",
        "",
        r#"CALL(?:-U|--user)NEXT(?<user>[^\s%"'`]+)%(?<value>[^\s"'`<]{3,})"#,
    ),
    form("password", Is::Call, "openssl enc", "", r"CALL-k\s+ARGUMENT"),
    form(
        "password",
        Is::Call,
        "lftp",
        "",
        r#"CALL-u\s+(?<user>[^\s,"'`]+),(?<value>[^\s"'`<]{3,})"#,
    ),
    form("password", Is::Value, "-storepass, -srcstorepass, -deststorepass, -keypass", "", " +ARGUMENT"),
    form(
        "password",
        Is::Value,
        "sqlplus, sqlldr, expdp, impdp",
        "",
        r#"(?: -[A-Za-z]+)* +["']?(?<user>[A-Za-z][\w$]*)/(?<value>[^\s"'`@/<]{3,})"#,
    ),
    form(
        "password",
        Is::Value,
        "htpasswd",
        "",
        r#"(?: -\w*b\w*) +(?:\S+ +)?(?<user>[^\s"'`]+) +["']?(?<value>[^\s"'`<]{4,})"#,
    ),
    form("password", Is::Value, "net use", "", r" +\S+ +\S+ +(?<value>[^\s/*`]\S{2,}) +/user:"),
    form("password", Is::Value, "wpa_passphrase, rclone obscure", "", r"(?: +\S+)? +(?<drawn>\S{8,})"),
    form(
        "url_credentials",
        Is::Call,
        "curl",
        "",
        r#"CALL(?:-u|--user|--proxy-user)NEXT(?<value>[^\s"',\[\]`<:-][^\s"'`<:]*:(?<word>[^\s"'`<]{3,}))"#,
    ),
    // Cookies that say who somebody is, and drawn ones under any name.
    form(
        "cookie",
        Is::Call,
        "curl",
        "",
        r#"(?:CALL-b[\s"',\[\]]+|; *)(?:[\w.-]+=[^;\s,"'`]*; *)*?(?:[\w.-]*(?i:sess|sid|auth|token|jwt|login|remember|csrf|xsrf|sso|identity|ticket)[\w.-]*=(?<value>[^;\s,"'`]{6,})|[\w.-]+=(?<drawn>[^;\s,"'`]{24,}))"#,
    ),
    form(
        "cookie",
        Is::Call,
        "cookie, set cookie",
        "",
        r#"(?:["'`]? *[:=] *["'`]?|; *)(?:[\w.-]+=[^;\s,"'`]*; *)*?(?:[\w.-]*(?i:sess|sid|auth|token|jwt|login|remember|csrf|xsrf|sso|identity|ticket)[\w.-]*=(?<value>[^;\s,"'`]{6,})|[\w.-]+=(?<drawn>[^;\s,"'`]{24,}))"#,
    ),
    // Private keys: between both ends of a block a short one is enough; without an end, as far as lines of material go.
    form(
        "private_key",
        Is::Block,
        "-----BEGIN",
        "",
        r"(?x)\ [A-Z0-9\ ]{0,50}PRIVATE\ KEY[A-Z0-9\ ]{0,20}-----
            (?:[^-]|-{1,4}[^-])*?
            (?:[A-Za-z0-9+/=_-]{16}|[A-Z0-9][A-Za-z0-9+/=_]{6,}[a-z]|[a-z][A-Za-z0-9+/=_]{6,}[A-Z0-9=])
            (?:[^-]|-{1,4}[^-])*-----END\ [A-Z0-9\ ]{1,60}-----",
    ),
    form(
        "private_key",
        Is::Block,
        "-----BEGIN, Private-Lines:",
        "",
        r#"(?x)(?:\ [A-Z0-9\ ]{0,50}PRIVATE\ KEY[A-Z0-9\ ]{0,20}-----|[\ 0-9]{1,9}\r?\n)
            (?<value>[\s>"',+|]*(?:Proc-Type:[^\n]*|[A-Za-z0-9+/=_\\-]{16,})
            (?:[\ \t\r>"',+|]*\n[\s>"',+|]*(?:DEK-Info:[^\n]*|[A-Za-z0-9+/=_\\-]{16,}))*)
            [\ \t\r>"',+|]*(?:\n|$)"#,
    ),
];

/// The credentials of this form, one of whose words is at `at`. The bytes that were looked at are added to `looked_at`.
pub(super) fn read(text: &str, at: &Range<usize>, form: &Form, looked_at: &mut usize) -> Vec<Secret> {
    let mut begin = at.start;
    if !form.before.is_empty() {
        let before = form.compiled_before.get_or_init(|| pattern(form.before));
        let near = &text[text.ceil_char_boundary(at.start.saturating_sub(BEFORE))..at.end];
        let Some(found) = before.find(near) else {
            return Vec::new();
        };
        begin = at.end - found.len();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    if form.is == Is::Call && char_before(text, at.start).is_some_and(is_part) {
        return Vec::new();
    }
    let behind = form.compiled_behind.get_or_init(|| {
        pattern(&if form.is == Is::Token {
            format!("^(?-u:{})", form.behind)
        } else {
            let parts = PARTS.iter();
            let whole = parts.fold(form.behind.to_owned(), |whole, (name, part)| {
                whole.replace(name, part)
            });
            format!("^{whole}").replacen("^(?x)", "(?x)^", 1)
        })
    });
    let (mut secrets, mut from) = (Vec::new(), at.end);
    loop {
        let most = match form.is {
            Is::Call => (at.end + MOST_CALL).saturating_sub(from),
            Is::Address => MOST_ADDRESS,
            Is::Token | Is::Block | Is::Value => MOST,
        };
        let rest = window(text, from, most);
        let is_base64 = form.behind.contains('/');
        let is_run = |c: char| {
            c.is_ascii_alphanumeric()
                || matches!(c, '-' | '_')
                || is_base64 && matches!(c, '+' | '/' | '=' | '%' | ',')
        };
        *looked_at += match form.is {
            Is::Token => rest.find(|c| !is_run(c)).unwrap_or(rest.len()),
            Is::Call => rest.find('\n').unwrap_or(rest.len()).min(BEFORE),
            Is::Value | Is::Address | Is::Block => 0,
        };
        let Some(found) = behind.captures(rest) else {
            return secrets;
        };
        let end = from + found.get_match().end();
        let groups = ["value", "drawn", "word", "phrase", "pair"];
        let value = groups.iter().find_map(|group| found.name(group));
        let range = match value {
            Some(value) if form.is != Is::Block => from + value.start()..from + value.end(),
            _ => begin..value.map_or(end, |value| from + value.end()),
        };
        let is_secret = match form.is {
            Is::Token => is_token(text, &range, at, value.is_some()),
            Is::Block => true,
            Is::Value | Is::Address | Is::Call => {
                let taken = &text[range.clone()];
                let is_drawn =
                    found.name("drawn").is_none() || taken.bytes().any(|byte| byte.is_ascii_digit());
                // Behind the name of a user, `fake/pass/9` is no path.
                let word = found.name("word").map(|word| word.as_str());
                let is_none = word.map_or_else(
                    || is_stand_in(taken),
                    |word| is_stand_in(word) && word.split('/').all(is_stand_in),
                );
                let words = || taken.split(' ');
                let is_phrase =
                    || words().filter(|word| is_ordinary(word)).count() <= 1 + words().count() / 12;
                let is_fine = (found.name("phrase").is_none() || is_phrase())
                    && (found.name("pair").is_none() || is_pair(taken));
                is_drawn && is_fine && !is_none
            }
        };
        let user = found
            .name("user")
            .or(found.name("name"))
            .filter(|user| is_secret && !is_stand_in(user.as_str()));
        secrets.extend(user.map(|user| Secret {
            range: from + user.start()..from + user.end(),
            kind: "username",
        }));
        if is_secret {
            secrets.push(Secret {
                range,
                kind: form.kind,
            });
        }
        if form.is != Is::Call {
            return secrets;
        }
        *looked_at += end - from;
        from = end;
    }
}

/// True for a name and a password, parted by a colon, in base64.
fn is_pair(base64: &str) -> bool {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = base64.trim_end_matches('=').bytes().map(digit).collect();
    let fours = digits.chunks(4).map(|four| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    });
    let text: Vec<u8> = fours.flatten().collect();
    text.contains(&b':') && text.iter().all(u8::is_ascii_graphic)
}

/// Says whether an issuer can have drawn what has the shape of a token, and no name of a thing reads so.
fn is_token(text: &str, range: &Range<usize>, word: &Range<usize>, is_behind_name: bool) -> bool {
    let found = &text[range.clone()];
    let is_cut = text[range.end..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let start = &text[word.clone()];
    let stands_alone = match char_before(text, range.start) {
        _ if is_behind_name => true,
        Some(before) if is_part(before) => {
            start.len() >= LONG_START && start.ends_with(['_', '-']) && is_drawn(&text[word.end..range.end])
        }
        // A hyphen alone is a bullet, or the mark of a diff.
        Some('-' | '_') if text[..range.start - 1].ends_with(is_part) => is_drawn(&text[word.end..range.end]),
        _ => true,
    };
    !is_cut && stands_alone && is_varied(found)
}

/// True when no name of a thing reads so, as the part of a name may: `my-sk-loading-spinner`, `use_hf_…`. An alphabet
/// of one case has no further sign.
fn is_drawn(rest: &str) -> bool {
    let runs = rest.split(|c: char| !c.is_ascii_alphanumeric());
    let run = runs.max_by_key(|run| run.len()).unwrap_or_default();
    let has = |is: fn(&u8) -> bool| run.bytes().any(|byte| is(&byte));
    let is_one_case = run.bytes().all(|byte| byte.is_ascii_hexdigit()) || !has(u8::is_ascii_lowercase);
    has(u8::is_ascii_digit) && (is_one_case || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase))
}

/// True when an issuer can have drawn it at random: not `sk-xxxxxxxx…`, not `sk-a-name-made-of-words`.
fn is_varied(found: &str) -> bool {
    let random = found
        .rsplit(['_', '-', '.'])
        .max_by_key(|part| part.len())
        .unwrap_or(found);
    let mut seen: Vec<u8> = random.bytes().collect();
    seen.sort_unstable();
    seen.dedup();
    let has_digit = found.bytes().any(|b| b.is_ascii_digit());
    let has_upper = found.bytes().any(|b| b.is_ascii_uppercase());
    seen.len() > 2 && ((has_digit && random.len() >= 12) || has_upper || random.len() >= 24)
}
