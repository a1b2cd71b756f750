//! Secrets known by where they stand: behind a name, in a URL, in a header, between the lines of a PEM block.

use core::ops::Range;

use super::random::{Setting, is_placeholder, looks_secret};
use super::{REACH, Secret, names, shapes};

/// Schemes of databases and brokers, whose URLs are connection strings.
const DATABASES: [&str; 9] =
    ["postgres", "postgresql", "mysql", "mariadb", "mongodb", "mongodb+srv", "redis", "rediss", "amqp"];

/// Words by which a connection string is known.
const CONNECTION: [&str; 7] =
    ["host=", "dbname=", "server=", "data source=", "database=", "accountname=", "endpoint=sb:"];

/// Finds the secret that a `:` or `=` at `mark` announces.
pub(super) fn behind_mark(text: &str, mark: usize) -> Option<Secret> {
    if text[mark..].starts_with("://") {
        return url_password(text, mark);
    }
    let name = name_before(text, mark)?;
    if names::is_authorization(name) {
        return credentials(text, value_after(text, mark)?.0.start);
    }
    let kind = names::kind(name);
    if kind.is_none() && !names::is_pwd(name) && name != "sig" {
        return None;
    }
    let (place, is_quoted) = value_after(text, mark)?;
    let value = &text[place.clone()];
    let is_expression = !is_quoted && (value.contains(['(', '[']) || value.contains("::"));
    if shapes::at(text, place.start).is_some() || is_placeholder(value) || is_expression {
        return None;
    }
    let kind = match kind {
        _ if name == "sig" => (value.len() >= 40).then_some("azure-signature")?,
        Some("azure-key") if text.as_bytes()[mark] == b'=' => "azure-key",
        _ if is_in_connection_string(text, mark, place.end) => "connection-string-password",
        kind => {
            let is_value = is_quoted || names::is_shouted(name) || is_exported(text, mark, name);
            let setting = if is_value { Setting::Value } else { Setting::Code };
            kind.filter(|_| looks_secret(value, setting))?
        }
    };
    Some(Secret { kind, place })
}

/// Finds the secret in a value of JSON whose key announces one.
pub(super) fn whole_value(key: &str, value: &str) -> Option<Secret> {
    if names::is_authorization(key) {
        return credentials(value, 0);
    }
    let kind = names::kind(key)?;
    let plain = !value.contains(char::is_whitespace) && shapes::at(value, 0).is_none();
    (plain && looks_secret(value, Setting::Value)).then_some(Secret { kind, place: 0..value.len() })
}

/// The name left of a mark: `NAME =`, `"name":`, `:name =>`, `name :=`, `["name"] =`.
fn name_before(text: &str, mark: usize) -> Option<&str> {
    let before = &text[text.floor_char_boundary(mark.saturating_sub(80))..mark];
    let before =
        before.strip_suffix(':').unwrap_or(before).trim_end_matches([' ', '\t', ']', '"', '\'', '`', '\\']);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let start = before
        .rfind(|c| !is_part(c))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let name = &before[start..];
    (!name.is_empty() && name.len() < 80).then_some(name)
}

fn is_exported(text: &str, mark: usize, name: &str) -> bool {
    text[..mark].strip_suffix(name).is_some_and(|before| before.ends_with("export "))
}

/// The value right of a mark, and whether it stands in quotes.
fn value_after(text: &str, mark: usize) -> Option<(Range<usize>, bool)> {
    let end = text.floor_char_boundary(mark + 1 + 4 * REACH);
    let mut start = mark + 1;
    if let Some(typed) = type_before_value(&text[start..end]) {
        start += typed;
    }
    let skip = |start: usize, what: &[char]| end - text[start..end].trim_start_matches(what).len();
    start = skip(start, &['>']);
    start = skip(start, &[' ', '\t']);
    let unescaped = text[start..end].strip_prefix('\\').unwrap_or(&text[start..end]);
    let (len, is_quoted) = match unescaped.chars().next()? {
        quote @ ('"' | '\'' | '`') => {
            start = end - unescaped.len() + 1;
            let len = text[start..end].find([quote, '\\', '\n', ' '])?;
            (text[start + len..].starts_with([quote, '\\']).then_some(len)?, true)
        }
        _ => {
            let stop = |c: char| c.is_whitespace() || "\"'`,;)}]>\\&|".contains(c);
            let value = &text[start..end.min(text.floor_char_boundary(start + REACH))];
            (value.find(stop).unwrap_or(value.len()), false)
        }
    };
    (len > 0).then_some((start..start + len, is_quoted))
}

/// The length of a type and the `=` behind it, as in `let key: &str = "…"`.
fn type_before_value(rest: &str) -> Option<usize> {
    let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && !" &<>_".contains(c))?;
    (len > 0 && len < 32 && rest[len..].starts_with("= ") && rest[..len].ends_with(' ')).then_some(len + 1)
}

/// Says whether `name=value` with its `=` at `mark` is a part of a connection string: others stand on its line, and
/// no comma follows, as it would between arguments of a function.
fn is_in_connection_string(text: &str, mark: usize, end: usize) -> bool {
    if text.as_bytes()[mark] != b'=' || text[end..].starts_with([',', ')']) {
        return false;
    }
    let start = text.floor_char_boundary(mark.saturating_sub(REACH / 4));
    let stop = text.floor_char_boundary(mark + REACH / 4);
    let before = text[start..mark].rsplit('\n').next().unwrap_or_default().to_ascii_lowercase();
    let behind = text[mark..stop].split('\n').next().unwrap_or_default().to_ascii_lowercase();
    let is_word = |part: &str, at: usize| !part[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    [before, behind]
        .iter()
        .any(|part| CONNECTION.iter().any(|word| part.match_indices(word).any(|(at, _)| is_word(part, at))))
}

/// The password in `scheme://user:password@host`, whose colon is at `mark`.
fn url_password(text: &str, mark: usize) -> Option<Secret> {
    let start = mark + 3;
    let end = text.floor_char_boundary(start + REACH);
    let authority =
        text[start..end].split(|c: char| c.is_whitespace() || "/?#\"'`<>\\|".contains(c)).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    if password.is_empty() || is_placeholder(password) {
        return None;
    }
    let from = start + name.len() + 1;
    let before = &text[text.floor_char_boundary(mark.saturating_sub(16))..mark];
    let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '+').next().unwrap_or_default();
    let kind = if DATABASES.contains(&scheme) { "database-password" } else { "url-password" };
    Some(Secret { kind, place: from..from + password.len() })
}

/// The credentials in the value of an `Authorization` header, behind their scheme.
fn credentials(text: &str, start: usize) -> Option<Secret> {
    let end = text.floor_char_boundary(start + 4 * REACH);
    let value = &text[start..end];
    let (scheme, rest) = value.split_once(' ').unwrap_or(("", value));
    let is_scheme = ["bearer", "basic", "token", "digest", "apikey"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    let from = start + if is_scheme { value.len() - rest.trim_start().len() } else { 0 };
    let secret = text[from..end].split(|c: char| c.is_whitespace() || "\"'`\\,;".contains(c)).next()?;
    let is_meant = is_scheme && secret.len() >= 8 || looks_secret(secret, Setting::Value);
    (is_meant && !is_placeholder(secret) && shapes::at(text, from).is_none())
        .then_some(Secret { kind: "authorization", place: from..from + secret.len() })
}

/// The token behind the word `Bearer`, in any text.
pub(super) fn bearer(text: &str, at: usize) -> Option<Secret> {
    let rest = text[at..].strip_prefix("Bearer ").or_else(|| text[at..].strip_prefix("bearer "))?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(byte);
    let len = rest.bytes().take(4 * REACH).take_while(is_part).count();
    let from = at + "Bearer ".len();
    let is_token = len >= 16 && rest[..len].bytes().any(|byte| byte.is_ascii_digit());
    (is_token && shapes::at(text, from).is_none())
        .then_some(Secret { kind: "authorization", place: from..from + len })
}

/// A private key in PEM, with its frame; one that was cut off is hidden as far as it goes.
pub(super) fn private_key(text: &str, at: usize) -> Option<Secret> {
    let rest = text[at..].strip_prefix("-----BEGIN ")?;
    let (name, _) = rest[..rest.floor_char_boundary(64)].split_once("-----")?;
    if !name.contains("PRIVATE KEY") {
        return None;
    }
    let body = at + "-----BEGIN -----".len() + name.len();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "+/=-:,.\\".contains(c);
    let inner = text[body..].split("-----").next().unwrap_or_default();
    let inner = inner.split(|c| !is_part(c)).next().unwrap_or_default();
    if inner.bytes().filter(u8::is_ascii_alphanumeric).count() < 16 {
        return None;
    }
    let end = body + inner.len();
    let close = text[end..]
        .strip_prefix("-----END ")
        .and_then(|rest| rest[..rest.floor_char_boundary(64)].find("-----"));
    let end = close.map_or(end, |len| end + "-----END ".len() + len + 5);
    Some(Secret { kind: "private-key", place: at..end })
}
