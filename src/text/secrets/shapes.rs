//! The shapes of known secrets: a table, for a reader to extend. A shape begins with letters that hardly anything
//! else begins with, and has a length.

use std::ops::Range;

use super::Secret;
use super::escapes::char_before;

/// What the rest of a shape is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The digits of a hexadecimal number.
    Hex,
    /// Capitals and digits.
    Upper,
    /// Letters and digits.
    Alnum,
    /// These, `-` and `_`.
    Url,
    /// These and `.`.
    Dotted,
    /// Letters, digits and what else stands in base64 of either kind.
    Base64,
    /// The name of a bot, `:`, and what a URL holds.
    Bot,
}

/// A known secret.
pub(super) struct Shape {
    /// What it is called.
    pub(super) kind: &'static str,
    /// How it begins: one of these, in this case. What begins in an address is not a part of it.
    pub(super) starts: &'static str,
    of: Of,
    /// The least length of what follows.
    least: usize,
    /// The most.
    most: usize,
}

/// Most shapes are not longer than this.
const LONG: usize = 1024;
/// No part of a token has more dots behind it.
const MOST_DOTS: usize = 4;

const fn shape(kind: &'static str, starts: &'static str, of: Of, least: usize) -> Shape {
    Shape {
        kind,
        starts,
        of,
        least,
        most: LONG,
    }
}

/// Every shape. A length is the least that the issuer gives, or a little less.
pub(super) const SHAPES: &[Shape] = &[
    // Clouds
    Shape {
        kind: "aws_key",
        starts: "AKIA, ASIA, ABIA, ACCA",
        of: Of::Upper,
        least: 16,
        most: 16,
    },
    shape("aws_key", "ABSK", Of::Base64, 60),
    shape("google_key", "AIza", Of::Url, 35),
    shape("google_token", "ya29.", Of::Url, 20),
    shape("google_secret", "GOCSPX-", Of::Url, 20),
    shape("digitalocean_token", "dop_v1_, doo_v1_, dor_v1_", Of::Hex, 40),
    shape("azure_key", "AccountKey=", Of::Base64, 40),
    shape("fly_token", "fo1_", Of::Url, 30),
    shape("heroku_key", "HRKU-", Of::Url, 30),
    shape("netlify_token", "nfp_", Of::Alnum, 30),
    shape("supabase_key", "sbp_, sb_secret_", Of::Url, 24),
    // Forges
    shape("github_token", "ghp_, gho_, ghu_, ghs_, ghr_", Of::Alnum, 30),
    shape("github_token", "github_pat_", Of::Url, 30),
    shape(
        "gitlab_token",
        "glpat-, gldt-, glrt-, glcbt-, glptt-",
        Of::Dotted,
        19,
    ),
    shape(
        "gitlab_token",
        "glft-, glimt-, glagent-, gloas-, glsoat-",
        Of::Dotted,
        19,
    ),
    shape("bitbucket_token", "ATBB, ATATT3, ATCTT3", Of::Base64, 24),
    // Models
    shape("api_key", "sk-", Of::Url, 18),
    shape("api_key", "gsk_, xai-, pplx-, hf_", Of::Alnum, 28),
    shape("api_key", "r8_", Of::Alnum, 30),
    // Talk and mail
    shape(
        "slack_token",
        "xoxa-, xoxb-, xoxc-, xoxe-, xoxo-, xoxp-, xoxr-, xoxs-",
        Of::Url,
        10,
    ),
    shape("slack_token", "xoxe.xox, xapp-", Of::Url, 10),
    shape("slack_webhook", "hooks.slack.com/services/", Of::Base64, 20),
    shape(
        "slack_webhook",
        "hooks.slack.com/workflows/, hooks.slack.com/triggers/",
        Of::Base64,
        20,
    ),
    shape(
        "discord_webhook",
        "discord.com/api/webhooks/, discordapp.com/api/webhooks/",
        Of::Base64,
        46,
    ),
    shape("bot_token", "/bot", Of::Bot, 14),
    shape("sendgrid_key", "SG.", Of::Dotted, 33),
    // Money
    shape(
        "stripe_key",
        "sk_live_, sk_test_, rk_live_, rk_test_",
        Of::Url,
        16,
    ),
    shape("webhook_secret", "whsec_", Of::Base64, 20),
    shape("square_token", "sq0atp-, sq0csp-", Of::Url, 20),
    shape("shopify_token", "shpat_, shpca_, shppa_, shpss_", Of::Hex, 30),
    // Packages
    shape("npm_token", "npm_", Of::Alnum, 30),
    shape("pypi_token", "pypi-", Of::Url, 40),
    shape("docker_token", "dckr_pat_, dckr_oat_", Of::Url, 20),
    shape("rubygems_key", "rubygems_", Of::Hex, 40),
    // Operations
    shape("vault_token", "hvs., hvb., hvr.", Of::Url, 20),
    shape("databricks_token", "dapi", Of::Hex, 32),
    shape("grafana_token", "glsa_, glc_", Of::Base64, 30),
    shape("linear_key", "lin_api_, lin_oauth_", Of::Alnum, 30),
    shape("notion_token", "ntn_", Of::Alnum, 30),
    shape("figma_token", "figd_", Of::Url, 30),
    shape("postman_key", "PMAK-", Of::Url, 30),
    shape("sentry_token", "sntrys_, sntryu_", Of::Base64, 30),
    shape("newrelic_key", "NRAK-", Of::Upper, 24),
    shape("doppler_token", "dp.pt., dp.st.", Of::Dotted, 30),
    shape("pulumi_token", "pul-", Of::Hex, 40),
    shape("age_key", "AGE-SECRET-KEY-1", Of::Upper, 40),
    // Everywhere
    Shape {
        kind: "jwt",
        starts: "eyJ",
        of: Of::Dotted,
        least: 22,
        most: 16 * LONG,
    },
];

/// The secret of this shape whose start is at `at`, if one is there.
pub(super) fn read(text: &str, at: Range<usize>, shape: &Shape) -> Option<Secret> {
    let start = &text[at.clone()];
    let is_in_address = start.contains('/');
    let is_case = super::hints::entries(shape.starts).any(|known| known == start);
    if !is_case || (is_inside_word(text, at.start) && !is_in_address) {
        return None;
    }
    let is_part = |c: char| match shape.of {
        Of::Hex => c.is_ascii_hexdigit(),
        Of::Upper => c.is_ascii_uppercase() || c.is_ascii_digit(),
        Of::Alnum => c.is_ascii_alphanumeric(),
        Of::Url => c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
        Of::Dotted => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'),
        Of::Base64 => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '/' | '='),
        Of::Bot => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'),
    };
    let window = &text[at.end..text.floor_char_boundary(text.len().min(at.end + shape.most))];
    let mut dots = 0;
    let is_end = |c: char| {
        dots += usize::from(c == '.');
        !is_part(c) || dots > MOST_DOTS
    };
    let rest = &window[..window.find(is_end).unwrap_or(window.len())];
    let rest = rest.trim_end_matches('.');
    let is_cut = shape.of == Of::Upper && text[at.end + rest.len()..].starts_with(char::is_alphanumeric);
    let has_parts = match (shape.kind, shape.of) {
        ("jwt", _) => has_parts_of_jwt(rest),
        ("sendgrid_key", _) => rest.contains('.'),
        (_, Of::Bot) => rest.split_once(':').is_some_and(|(bot, token)| {
            bot.len() >= 5 && bot.bytes().all(|b| b.is_ascii_digit()) && token.len() >= 8
        }),
        _ => true,
    };
    let from = if is_in_address || start.ends_with('=') {
        at.end
    } else {
        at.start
    };
    let range = from..at.end + rest.len();
    let is_secret = rest.len() >= shape.least && has_parts && !is_cut && is_varied(&text[range.clone()]);
    is_secret.then_some(Secret {
        range,
        kind: shape.kind,
    })
}

/// Whether a word, or a name with hyphens, has begun before. A hyphen alone is a bullet, or the mark of a diff.
fn is_inside_word(text: &str, at: usize) -> bool {
    let Some(before) = char_before(text, at) else {
        return false;
    };
    before.is_ascii_alphanumeric()
        || matches!(before, '-' | '_') && text[..at - 1].ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether the head, the claims and the signature are there; an encrypted one has two parts more.
fn has_parts_of_jwt(rest: &str) -> bool {
    let parts: Vec<usize> = rest.split('.').map(str::len).collect();
    (3..=5).contains(&parts.len()) && parts[0] >= 8 && parts[1] >= 8 && parts[2] >= 4
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
    use crate::text::secrets::hints::entries;

    #[test]
    fn what_is_made_of_words_or_of_one_letter_is_no_key() {
        for text in [
            "sk-loading-spinner-container-wide",
            "sk-10442",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "npm_config_registry_of_the_company_in_use",
            "https://example.org/bots/12345:read",
        ] {
            for shape in SHAPES {
                for start in entries(shape.starts) {
                    let at = text.find(start).map(|at| at..at + start.len());
                    assert_eq!(at.and_then(|at| read(text, at, shape)), None, "{text}");
                }
            }
        }
    }
}
