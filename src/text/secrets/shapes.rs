//! The shapes of known secrets: a table, for a reader to extend. A shape begins with letters that hardly anything
//! else begins with, and has a length.

use std::sync::OnceLock;

use regex::Regex;

use super::escapes::char_before;
use super::ordinary::is_ordinary;
use super::placeholder::is_placeholder;

/// What must not stand before a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// A letter or a digit.
    Word,
    /// These, and what the shape itself is made of: `-` and `_`.
    Token,
}

/// A known secret.
pub(super) struct Shape {
    /// What it is called.
    pub(super) kind: &'static str,
    /// How it begins: one of these, in this case.
    pub(super) hints: &'static [&'static str],
    /// What must not stand before it.
    pub(super) before: Before,
    /// The whole of it. If there is a group, that is the secret.
    pattern: &'static str,
    /// Whether an issuer drew it. What a person chose and typed may be any word that is no ordinary one.
    is_drawn: bool,
}

const fn shape(kind: &'static str, hints: &'static [&'static str], pattern: &'static str) -> Shape {
    Shape {
        kind,
        hints,
        before: Before::Word,
        pattern,
        is_drawn: true,
    }
}

const fn token(kind: &'static str, hints: &'static [&'static str], pattern: &'static str) -> Shape {
    Shape {
        kind,
        hints,
        before: Before::Token,
        pattern,
        is_drawn: true,
    }
}

const fn typed(kind: &'static str, hints: &'static [&'static str], pattern: &'static str) -> Shape {
    Shape {
        kind,
        hints,
        before: Before::Word,
        pattern,
        is_drawn: false,
    }
}

/// Every shape. A length is the least that the issuer gives, or a little less.
pub(super) const SHAPES: &[Shape] = &[
    // Clouds
    shape(
        "aws_key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}\b",
    ),
    shape("aws_key", &["ABSK"], r"ABSK[A-Za-z0-9+/]{60,200}={0,2}"),
    shape("google_key", &["AIza"], r"AIza[A-Za-z0-9_-]{35}"),
    shape("google_token", &["ya29."], r"ya29\.[A-Za-z0-9_-]{20,500}"),
    shape("google_secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{20,60}"),
    shape(
        "digitalocean_token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[a-f0-9]{40,64}",
    ),
    shape(
        "azure_key",
        &["AccountKey="],
        r"AccountKey=([A-Za-z0-9+/]{40,100}={0,2})",
    ),
    shape("fly_token", &["fo1_"], r"fo1_[A-Za-z0-9_-]{30,100}"),
    shape("heroku_key", &["HRKU-"], r"HRKU-[A-Za-z0-9_-]{30,70}"),
    shape("netlify_token", &["nfp_"], r"nfp_[A-Za-z0-9]{30,60}"),
    shape(
        "supabase_key",
        &["sbp_", "sb_secret_"],
        r"sb(?:p|_secret)_[A-Za-z0-9_-]{24,80}",
    ),
    // Forges
    shape(
        "github_token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[A-Za-z0-9]{30,255}",
    ),
    shape(
        "github_token",
        &["github_pat_"],
        r"github_pat_[A-Za-z0-9_]{30,255}",
    ),
    token(
        "gitlab_token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-",
            "glsoat-",
        ],
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{18,255}[A-Za-z0-9_-]",
    ),
    shape(
        "bitbucket_token",
        &["ATBB", "ATATT3", "ATCTT3"],
        r"AT(?:BB|ATT3|CTT3)[A-Za-z0-9_=-]{24,300}",
    ),
    // Models: the prefix alone is a common syllable, so that a digit and a long run are asked for as well.
    token(
        "api_key",
        &["sk-"],
        r"sk-(?:[a-z]{2,12}[0-9]{0,2}-){0,3}[A-Za-z0-9_-]{18,255}",
    ),
    token(
        "api_key",
        &["gsk_", "xai-", "pplx-", "hf_"],
        r"(?:gsk_|xai-|pplx-|hf_)[A-Za-z0-9]{28,120}",
    ),
    shape("api_key", &["r8_"], r"r8_[A-Za-z0-9]{30,50}"),
    // Talk and mail
    token(
        "slack_token",
        &["xox"],
        r"xox[abceoprs](?:\.[a-z]+)?-[A-Za-z0-9-]{10,250}",
    ),
    token("slack_token", &["xapp-"], r"xapp-[A-Za-z0-9-]{20,250}"),
    shape(
        "slack_webhook",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+]{20,120})",
    ),
    shape(
        "discord_webhook",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/([0-9]{15,22}/[A-Za-z0-9_-]{30,100})",
    ),
    shape(
        "sendgrid_key",
        &["SG."],
        r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}",
    ),
    // Money
    shape(
        "stripe_key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        r"[rs]k_(?:live|test)_[A-Za-z0-9_]{16,255}",
    ),
    shape(
        "webhook_secret",
        &["whsec_"],
        r"whsec_[A-Za-z0-9+/]{20,100}={0,2}",
    ),
    shape(
        "square_token",
        &["sq0atp-", "sq0csp-"],
        r"sq0(?:atp|csp)-[A-Za-z0-9_-]{20,60}",
    ),
    shape(
        "shopify_token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{30,40}",
    ),
    // Packages
    shape("npm_token", &["npm_"], r"npm_[A-Za-z0-9]{30,60}"),
    token("pypi_token", &["pypi-"], r"pypi-[A-Za-z0-9_-]{40,500}"),
    shape(
        "docker_token",
        &["dckr_pat_", "dckr_oat_"],
        r"dckr_[po]at_[A-Za-z0-9_-]{20,60}",
    ),
    shape("rubygems_key", &["rubygems_"], r"rubygems_[a-f0-9]{40,60}"),
    // Operations
    shape(
        "vault_token",
        &["hvs.", "hvb.", "hvr."],
        r"hv[sbr]\.[A-Za-z0-9_-]{20,300}",
    ),
    shape("databricks_token", &["dapi"], r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    shape(
        "grafana_token",
        &["glsa_", "glc_"],
        r"gl(?:sa|c)_[A-Za-z0-9+/_=]{30,300}",
    ),
    shape(
        "linear_key",
        &["lin_api_", "lin_oauth_"],
        r"lin_(?:api|oauth)_[A-Za-z0-9]{30,80}",
    ),
    shape("notion_token", &["ntn_"], r"ntn_[A-Za-z0-9]{30,60}"),
    shape("figma_token", &["figd_"], r"figd_[A-Za-z0-9_-]{30,60}"),
    shape("postman_key", &["PMAK-"], r"PMAK-[A-Za-z0-9-]{30,80}"),
    shape(
        "sentry_token",
        &["sntrys_", "sntryu_"],
        r"sntry[su]_[A-Za-z0-9+/=_]{30,300}",
    ),
    shape("newrelic_key", &["NRAK-"], r"NRAK-[A-Z0-9]{24,30}"),
    shape(
        "doppler_token",
        &["dp.pt.", "dp.st."],
        r"dp\.[ps]t\.[A-Za-z0-9._-]{30,80}",
    ),
    shape("pulumi_token", &["pul-"], r"pul-[a-f0-9]{40}"),
    shape(
        "age_key",
        &["AGE-SECRET-KEY-1"],
        r"AGE-SECRET-KEY-1[A-Z0-9]{40,70}",
    ),
    // Command lines
    typed(
        "url_credentials",
        &["curl "],
        r#"curl [^\n|;]{0,200}?(?:-u|--user)[ =]?["']?([^\s"':$<{]{1,64}:[^\s"'$<{]{3,100})"#,
    ),
    typed(
        "password",
        &["mysql ", "mysqldump ", "mysqladmin ", "mariadb ", "mariadb-dump "],
        r#"(?:mysql(?:dump|admin)?|mariadb(?:-dump)?) (?:[^\n|;]{0,200}? )?-p["']?([^\s"'$<-][^\s"'$<]{3,100})"#,
    ),
    typed(
        "password",
        &["docker login ", "podman login ", "registry login "],
        r#"(?:docker|podman|registry) login (?:[^\n|;]{0,200}? )?-p[ =]?["']?([^\s"'$<-][^\s"'$<]{3,200})"#,
    ),
    typed(
        "password",
        &["sshpass "],
        r#"sshpass -p ?["']?([^\s"'$<-][^\s"'$<]{3,100})"#,
    ),
    // Everywhere
    token(
        "jwt",
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]+){0,2}",
    ),
];

/// The patterns of [`SHAPES`], in order, each compiled when its hint is met for the first time.
static PATTERNS: [OnceLock<Regex>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];

/// A pattern, anchored where it is tried.
fn pattern(index: usize) -> &'static Regex {
    PATTERNS[index].get_or_init(|| {
        let anchored = format!(r"\A(?:{})", SHAPES[index].pattern);
        Regex::new(&anchored).expect("because the table is tested")
    })
}

/// Where the secret of this shape is that begins at `at`, if one does.
pub(super) fn read_shape(text: &str, at: usize, index: usize) -> Option<std::ops::Range<usize>> {
    let shape = &SHAPES[index];
    let is_part =
        |c: char| c.is_ascii_alphanumeric() || (shape.before == Before::Token && matches!(c, '-' | '_'));
    if char_before(text, at).is_some_and(is_part) {
        return None;
    }
    let captures = pattern(index).captures(&text[at..])?;
    let found = captures.get(1).or_else(|| captures.get(0))?;
    let is_secret = if shape.is_drawn {
        is_varied(found.as_str())
    } else {
        is_chosen(found.as_str())
    };
    is_secret.then(|| at + found.start()..at + found.end())
}

/// Whether it is what a person chose: the password, behind the user if there is one, is no placeholder.
fn is_chosen(found: &str) -> bool {
    let password = found.split_once(':').map_or(found, |(_, password)| password);
    !is_placeholder(password, true, "") && !is_ordinary(&password.to_lowercase())
}

/// Whether it is what an issuer draws at random: not `sk-xxxxxxxx…`, not `sk-a-name-made-of-words`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_begins_with_its_hints() {
        for (index, shape) in SHAPES.iter().enumerate() {
            assert!(!pattern(index).is_match(""));
            assert!(
                !shape.hints.is_empty() && shape.hints.iter().all(|hint| hint.len() >= 3),
                "{}",
                shape.kind
            );
        }
    }

    #[test]
    fn what_is_made_of_words_or_of_one_letter_is_no_key() {
        for text in [
            "sk-loading-spinner-container-wide",
            "sk-10442",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "npm_config_registry_of_the_company_in_use",
        ] {
            for (index, shape) in SHAPES.iter().enumerate() {
                if shape.hints.iter().any(|hint| text.starts_with(hint)) {
                    assert_eq!(read_shape(text, 0, index), None, "{text}");
                }
            }
        }
    }
}
