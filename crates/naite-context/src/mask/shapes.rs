//! Secrets known by their own shape: nearly all services give their keys a prefix.

use core::ops::RangeInclusive;

use super::random::changes;
use super::{REACH, Secret};

/// The characters of a key behind its prefix.
#[derive(Clone, Copy)]
enum Letters {
    Hex,
    Upper,
    Alnum,
    /// Letters, digits, `_` and `-`.
    Url,
    /// The same and `.`.
    Dotted,
    /// Base64 of either kind.
    Base64,
}

impl Letters {
    fn has(self, byte: u8) -> bool {
        let more: &[u8] = match self {
            Self::Hex => return byte.is_ascii_hexdigit(),
            Self::Upper => return byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alnum => b"",
            Self::Url => b"_-",
            Self::Dotted => b"_-.",
            Self::Base64 => b"_-+/=",
        };
        byte.is_ascii_alphanumeric() || more.contains(&byte)
    }

    /// How many of the first bytes belong to it.
    fn run(self, bytes: &[u8]) -> usize {
        bytes.iter().take(REACH).take_while(|byte| self.has(**byte)).count()
    }
}

/// Prefix, kind, the characters that follow, and how many; of several that fit the first counts.
type Shape = (&'static str, &'static str, Letters, RangeInclusive<usize>);

const SHAPES: [Shape; 66] = [
    ("AKIA", "aws-access-key", Letters::Upper, 16..=16),
    ("ASIA", "aws-access-key", Letters::Upper, 16..=16),
    ("ABIA", "aws-access-key", Letters::Upper, 16..=16),
    ("ACCA", "aws-access-key", Letters::Upper, 16..=16),
    ("ghp_", "github-token", Letters::Alnum, 30..=REACH),
    ("gho_", "github-token", Letters::Alnum, 30..=REACH),
    ("ghu_", "github-token", Letters::Alnum, 30..=REACH),
    ("ghs_", "github-token", Letters::Alnum, 30..=REACH),
    ("ghr_", "github-token", Letters::Alnum, 30..=REACH),
    ("github_pat_", "github-token", Letters::Url, 22..=REACH),
    ("glpat-", "gitlab-token", Letters::Dotted, 20..=REACH),
    ("gldt-", "gitlab-token", Letters::Dotted, 20..=REACH),
    ("glrt-", "gitlab-token", Letters::Dotted, 20..=REACH),
    ("xoxa-", "slack-token", Letters::Url, 10..=REACH),
    ("xoxb-", "slack-token", Letters::Url, 10..=REACH),
    ("xoxe-", "slack-token", Letters::Url, 10..=REACH),
    ("xoxe.xoxp-", "slack-token", Letters::Url, 10..=REACH),
    ("xoxo-", "slack-token", Letters::Url, 10..=REACH),
    ("xoxp-", "slack-token", Letters::Url, 10..=REACH),
    ("xoxr-", "slack-token", Letters::Url, 10..=REACH),
    ("xoxs-", "slack-token", Letters::Url, 10..=REACH),
    ("xapp-", "slack-token", Letters::Url, 10..=REACH),
    ("hooks.slack.com/services/", "slack-webhook", Letters::Base64, 20..=REACH),
    ("sk_live_", "stripe-key", Letters::Alnum, 16..=REACH),
    ("sk_test_", "stripe-key", Letters::Alnum, 16..=REACH),
    ("rk_live_", "stripe-key", Letters::Alnum, 16..=REACH),
    ("rk_test_", "stripe-key", Letters::Alnum, 16..=REACH),
    ("whsec_", "stripe-key", Letters::Base64, 24..=REACH),
    ("sk-ant-", "anthropic-key", Letters::Url, 20..=REACH),
    ("sk-proj-", "openai-key", Letters::Url, 20..=REACH),
    ("sk-svcacct-", "openai-key", Letters::Url, 20..=REACH),
    ("sk-admin-", "openai-key", Letters::Url, 20..=REACH),
    ("sk-or-v1-", "openrouter-key", Letters::Hex, 32..=REACH),
    ("sk-", "openai-key", Letters::Alnum, 32..=REACH),
    ("AIza", "google-api-key", Letters::Url, 35..=35),
    ("ya29.", "google-token", Letters::Url, 20..=REACH),
    ("GOCSPX-", "google-client-secret", Letters::Url, 28..=28),
    ("npm_", "npm-token", Letters::Alnum, 36..=36),
    ("pypi-AgE", "pypi-token", Letters::Url, 40..=REACH),
    ("hf_", "hugging-face-token", Letters::Alnum, 30..=REACH),
    ("SG.", "sendgrid-key", Letters::Dotted, 66..=66),
    ("SK", "twilio-key", Letters::Hex, 32..=32),
    ("dop_v1_", "digitalocean-token", Letters::Hex, 64..=64),
    ("doo_v1_", "digitalocean-token", Letters::Hex, 64..=64),
    ("dor_v1_", "digitalocean-token", Letters::Hex, 64..=64),
    ("dckr_pat_", "docker-token", Letters::Url, 20..=REACH),
    ("shpat_", "shopify-token", Letters::Hex, 32..=32),
    ("shpss_", "shopify-token", Letters::Hex, 32..=32),
    ("lin_api_", "linear-key", Letters::Alnum, 32..=REACH),
    ("gsk_", "groq-key", Letters::Alnum, 40..=REACH),
    ("xai-", "xai-key", Letters::Alnum, 60..=REACH),
    ("r8_", "replicate-token", Letters::Alnum, 37..=REACH),
    ("dapi", "databricks-token", Letters::Hex, 32..=32),
    ("hvs.", "vault-token", Letters::Url, 24..=REACH),
    ("dp.pt.", "doppler-token", Letters::Alnum, 40..=REACH),
    ("glsa_", "grafana-token", Letters::Url, 32..=REACH),
    ("NRAK-", "newrelic-key", Letters::Upper, 27..=27),
    ("PMAK-", "postman-key", Letters::Url, 50..=REACH),
    ("figd_", "figma-token", Letters::Url, 40..=REACH),
    ("ntn_", "notion-token", Letters::Alnum, 40..=REACH),
    ("sq0csp-", "square-secret", Letters::Url, 43..=43),
    ("sntrys_", "sentry-token", Letters::Base64, 40..=REACH),
    ("ATATT3", "atlassian-token", Letters::Base64, 50..=REACH),
    ("key-", "mailgun-key", Letters::Hex, 32..=32),
    ("AGE-SECRET-KEY-1", "age-key", Letters::Upper, 58..=58),
    ("tskey-", "tailscale-key", Letters::Url, 20..=REACH),
];

/// Which bytes a shape begins with: nearly every word is passed over by one look.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        first[SHAPES[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
};

/// Finds the secret that begins exactly here.
pub(super) fn at(text: &str, at: usize) -> Option<Secret> {
    let rest = &text.as_bytes()[at..];
    let first = *rest.first()?;
    let found = match first {
        b'e' => web_token(rest),
        b'0'..=b'9' => telegram(rest),
        _ => None,
    };
    let (kind, len) = found.or_else(|| FIRST[first as usize].then(|| prefixed(rest)).flatten())?;
    Some(Secret { kind, place: at..at + len })
}

fn prefixed(rest: &[u8]) -> Option<(&'static str, usize)> {
    SHAPES.iter().find_map(|(prefix, kind, letters, lengths)| {
        let key = rest.strip_prefix(prefix.as_bytes())?;
        let len = letters.run(key);
        // `sk-` and `key-` begin ordinary words too.
        let plain = prefix.len() < 5 && changes(&key[..len]) < 4 && matches!(*prefix, "sk-" | "key-" | "hf_");
        let ends = key.get(len).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        (lengths.contains(&len) && !plain && (ends || len == REACH)).then_some((*kind, prefix.len() + len))
    })
}

/// A JSON web token: header, payload, signature, the first two of which are objects in base64.
fn web_token(rest: &[u8]) -> Option<(&'static str, usize)> {
    let part =
        |bytes: &[u8]| bytes.iter().take(16 * REACH).take_while(|byte| Letters::Url.has(**byte)).count();
    let header = rest.starts_with(b"eyJ").then(|| part(rest))?;
    let payload = rest[header..].strip_prefix(b".").filter(|payload| payload.starts_with(b"eyJ"))?;
    let middle = header + 1 + part(payload);
    let signature = part(rest[middle..].strip_prefix(b".")?);
    (header > 12 && signature > 8).then_some(("jwt", middle + 1 + signature))
}

/// A bot of Telegram: its number, a colon, 35 characters.
fn telegram(rest: &[u8]) -> Option<(&'static str, usize)> {
    let digits = rest.iter().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let key = rest[digits..].strip_prefix(b":")?;
    ((8..=10).contains(&digits) && Letters::Url.run(key) == 35 && changes(&key[..35]) > 8)
        .then_some(("telegram-token", digits + 36))
}
