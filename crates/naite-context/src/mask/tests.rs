//! Secrets that must go and texts that must stay; the secrets are made here, so that no scanner finds one.

use naite_core::text::json;

use super::*;

/// Letters and digits that look random, the same every time.
fn noise(len: usize, letters: &str) -> String {
    let letters: Vec<char> = letters.chars().collect();
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[(state % letters.len() as u64) as usize]
    };
    (0..len).map(|_| next()).collect()
}

const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

/// Every kind, as (what stands before it, prefix, letters, how many, kind).
const KEYS: [(&str, &str, usize, &str); 32] = [
    ("AKIA", UPPER, 16, "aws-access-key"),
    ("ghp_", ALNUM, 36, "github-token"),
    ("gho_", ALNUM, 36, "github-token"),
    ("ghs_", ALNUM, 36, "github-token"),
    ("github_pat_", ALNUM, 82, "github-token"),
    ("glpat-", ALNUM, 20, "gitlab-token"),
    ("xoxb-", ALNUM, 48, "slack-token"),
    ("xoxp-", ALNUM, 48, "slack-token"),
    ("sk_live_", ALNUM, 24, "stripe-key"),
    ("sk-ant-api03-", ALNUM, 93, "anthropic-key"),
    ("sk-proj-", ALNUM, 64, "openai-key"),
    ("sk-", ALNUM, 48, "openai-key"),
    ("sk-or-v1-", HEX, 64, "openrouter-key"),
    ("AIza", ALNUM, 35, "google-api-key"),
    ("ya29.", ALNUM, 60, "google-token"),
    ("GOCSPX-", ALNUM, 28, "google-client-secret"),
    ("npm_", ALNUM, 36, "npm-token"),
    ("pypi-AgEIcHlwaS5vcmc", ALNUM, 100, "pypi-token"),
    ("hf_", ALNUM, 34, "hugging-face-token"),
    ("SK", HEX, 32, "twilio-key"),
    ("dop_v1_", HEX, 64, "digitalocean-token"),
    ("dckr_pat_", ALNUM, 27, "docker-token"),
    ("shpat_", HEX, 32, "shopify-token"),
    ("lin_api_", ALNUM, 40, "linear-key"),
    ("gsk_", ALNUM, 52, "groq-key"),
    ("dapi", HEX, 32, "databricks-token"),
    ("hvs.", ALNUM, 24, "vault-token"),
    ("glsa_", ALNUM, 41, "grafana-token"),
    ("key-", HEX, 32, "mailgun-key"),
    ("123456789:", ALNUM, 35, "telegram-token"),
    ("AGE-SECRET-KEY-1", UPPER, 58, "age-key"),
    ("NRAK-", UPPER, 27, "newrelic-key"),
];

#[test]
fn keys_are_known_by_their_shape() {
    for (prefix, letters, len, kind) in KEYS {
        let key = format!("{prefix}{}", noise(len, letters));
        for (before, after) in [
            ("", ""),
            ("키: ", "입니다"),
            ("TOKEN=", "\n"),
            ("\"", "\""),
            ("https://x/", "/y"),
            ("a\\n", "\\n"),
        ] {
            let text = format!("{before}{key}{after}");
            assert_eq!(mask(&text), format!("{before}[masked {kind}]{after}"), "{text}");
        }
        assert!(mask(&format!("x{key}")).contains(&key), "in a word it is none: {key}");
    }
}

#[test]
fn keys_of_several_parts() {
    let jwt = format!("eyJ{}.eyJ{}.{}", noise(33, ALNUM), noise(60, ALNUM), noise(43, ALNUM));
    assert_eq!(mask(&format!("cookie {jwt};")), "cookie [masked jwt];");
    let key = format!("SG.{}.{}", noise(22, ALNUM), noise(43, ALNUM));
    assert_eq!(mask(&key), "[masked sendgrid-key]");
    let hook = format!("https://hooks.slack.com/services/T{0}/B{0}/{1}", noise(8, UPPER), noise(24, ALNUM));
    assert_eq!(mask(&hook), "https://[masked slack-webhook]");
    let pem = |name: &str| format!("-----{} {name}PRIVATE KEY-----", "BEGIN");
    let end = |name: &str| format!("-----{} {name}PRIVATE KEY-----", "END");
    let body = format!("{}\n{}==", noise(64, ALNUM), noise(30, ALNUM));
    for name in ["", "RSA ", "OPENSSH ", "EC "] {
        for line in ["\n", "\\n"] {
            let text =
                format!("a{line}{}{line}{}{line}{}{line}b", pem(name), body.replace('\n', line), end(name));
            assert_eq!(mask(&text), format!("a{line}[masked private-key]{line}b"));
        }
        assert_eq!(
            mask(&format!("{}\n{body}", pem(name))),
            "[masked private-key]",
            "a block that was cut off"
        );
    }
}

#[test]
fn secrets_are_known_by_their_place() {
    let v = noise(40, ALNUM);
    for (text, masked) in [
        (format!("export DB_PASSWORD={v}"), "export DB_PASSWORD=[masked password]"),
        (format!("AWS_SECRET_ACCESS_KEY = \"{v}\""), "AWS_SECRET_ACCESS_KEY = \"[masked aws-secret-key]\""),
        (format!("aws_secret_access_key={v}\n"), "aws_secret_access_key=[masked aws-secret-key]\n"),
        (format!("{{\"apiKey\": \"{v}\"}}"), "{\"apiKey\": \"[masked api-key]\"}"),
        (format!("{{\\\"api_key\\\":\\\"{v}\\\"}}"), "{\\\"api_key\\\":\\\"[masked api-key]\\\"}"),
        (format!("const token: string = '{v}';"), "const token: string = '[masked token]';"),
        (format!("let secret: &str = \"{v}\";"), "let secret: &str = \"[masked secret]\";"),
        (format!("secret := \"{v}\""), "secret := \"[masked secret]\""),
        (format!(":password => \"{v}\""), ":password => \"[masked password]\""),
        (format!("client_secret: {v}"), "client_secret: [masked secret]"),
        (
            format!("curl 'https://x?access_token={v}&y=1'"),
            "curl 'https://x?access_token=[masked token]&y=1'",
        ),
        (format!("Authorization: Bearer {v}"), "Authorization: Bearer [masked authorization]"),
        (format!("-H \"Authorization: Basic {v}==\""), "-H \"Authorization: Basic [masked authorization]\""),
        (format!("send Bearer {v} now"), "send Bearer [masked authorization] now"),
        ("https://me:hunter2@example.com/x".into(), "https://me:[masked url-password]@example.com/x"),
        ("비밀 https://나:암호@예.한국".into(), "비밀 https://나:[masked url-password]@예.한국"),
        ("redis://:s3cret@cache:6379".into(), "redis://:[masked database-password]@cache:6379"),
        (
            "host=db user=me password=hunter2 dbname=x".into(),
            "host=db user=me password=[masked connection-string-password] dbname=x",
        ),
        (
            "Server=tcp:x;Database=y;Uid=me;Pwd=hunter2;".into(),
            "Server=tcp:x;Database=y;Uid=me;Pwd=[masked connection-string-password];",
        ),
        (
            format!("AccountName=x;AccountKey={v}==;EndpointSuffix=y"),
            "AccountName=x;AccountKey=[masked azure-key];EndpointSuffix=y",
        ),
        (format!("https://x/y?sv=1&sig={v}%3D"), "https://x/y?sv=1&sig=[masked azure-signature]"),
        (format!("//registry/:_authToken={v}"), "//registry/:_authToken=[masked token]"),
    ] {
        assert_eq!(mask(&text), masked, "{text}");
        assert_eq!(mask(masked), masked, "masking again changes nothing");
    }
}

#[test]
fn ordinary_text_stays() {
    let hash = noise(40, HEX);
    let base64 = noise(900, &format!("{ALNUM}+/"));
    for text in [
        &format!("commit {hash}\nindex {}..{}", &hash[..7], &hash[7..14]),
        &format!("sha256:{hash}{}", &hash[..24]),
        "id: 550e8400-e29b-41d4-a716-446655440000",
        &base64,
        "let token = lexer.next_token();",
        "let token = Token::new(kind, 12);",
        "token: Token, password: String, secret: Option<&str>",
        "password = get_password2()",
        "if token == other_token { return }",
        "connect(host=host, password=password, port=5432)",
        "pg(host=h, password=os.environ[\"PASSWORD\"])",
        "PASSWORD=$PASSWORD2 API_KEY=${API_KEY} TOKEN=<your-token-1>",
        "password: changeme123, token: xxxxxxxx1",
        "PWD=/home/user/project1 OLDPWD=/home/user/project2",
        "nextPageToken: \"CAUQAA12345678\"",
        "\"max_tokens\": 4096, \"totalTokens\":1380, \"token_count\": \"12345678a\"",
        "https://example.com:8080/path@2.0 and git@github.com:a/b.git",
        "http://localhost:3000/@scope/pkg",
        "Bearer authentication is described below; Basic ideas first",
        "the task-sk-fading-circle12 and risk-key-results",
        "the secret: never give up. Token: 12:30:45",
        "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkq\n-----END CERTIFICATE-----",
        "비밀번호: 없음, 토큰=하나, 🌳=나무",
        "{\"token\":\"GitHubToken\",\"secret\":\"InvalidTokenException\"}",
        "12345678:30 ratio, 1700000000:ok",
        "npm_config_registry=x hf_transfer=1 AKIA SK AIza ghp_ eyJ.eyJ.",
    ] {
        assert_eq!(mask(text), text);
        assert_eq!(mask_json(&json::quote(text)), json::quote(text));
    }
}

#[test]
fn json_keeps_what_must_go_back() {
    let key = format!("ghp_{}", noise(36, ALNUM));
    let image = format!("iVBORw0KGgo{}/{key_like}", noise(200, ALNUM), key_like = "AKIA");
    let raw = format!(
        r#"{{"thinkingSignature":"{key}","signature":["{key}"],"data":"{image}","n":12345678901234567890123,
 "text":"\ud83d {key}\n가","password" : "{value}","{key}":null,"Authorization":"Basic {value}","deep":[[{{"apiKey":"{value}"}}]]}}"#,
        value = noise(20, ALNUM)
    );
    let masked = mask_json(&raw);
    let kept = format!(
        r#"{{"thinkingSignature":"{key}","signature":["{key}"],"data":"{image}","n":12345678901234567890123,
 "text":"{lone} [masked github-token]\n가","password" : "[masked password]","[masked github-token]":null,"Authorization":"Basic [masked authorization]","deep":[[{{"apiKey":"[masked api-key]"}}]]}}"#,
        lone = '\u{fffd}'
    );
    assert_eq!(masked, kept);
    assert!(matches!(mask_json(r#"{"a":"\ud83d","b":[1,"x"]}"#), Cow::Borrowed(_)));
    assert_eq!(mask_json("\"torn"), "\"torn");
}

#[test]
fn hostile_text_takes_linear_time() {
    for part in [
        "token=",
        "-----BEGIN PRIVATE KEY-----",
        "sk-a",
        "eyJ.",
        "https://a:",
        "password:\"",
        "eyJ",
        "Bearer a",
        "가=",
        "\\",
    ] {
        let text = part.repeat(40_000 / part.len());
        mask(&text);
        mask_json(&json::quote(&text));
    }
}
