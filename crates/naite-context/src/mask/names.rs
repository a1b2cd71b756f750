//! Names behind which secrets stand.

use alloc::string::String;

/// The ends of names, without `_`, `-`, `.` and capitals, and what stands behind such a name.
const ENDS: [(&str, &str); 22] = [
    ("secretaccesskey", "aws-secret-key"),
    ("awssecretkey", "aws-secret-key"),
    ("accountkey", "azure-key"),
    ("sharedaccesskey", "azure-key"),
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("apikey", "api-key"),
    ("accesskey", "api-key"),
    ("authkey", "api-key"),
    ("apitoken", "api-key"),
    ("token", "token"),
    ("secret", "secret"),
    ("secrets", "secret"),
    ("secretkey", "secret"),
    ("secretkeybase", "secret"),
    ("privatekey", "secret"),
    ("encryptionkey", "secret"),
    ("signingkey", "secret"),
    ("masterkey", "secret"),
    ("credential", "secret"),
    ("credentials", "secret"),
];

/// Tokens that open nothing.
const HARMLESS: [&str; 4] = ["pagetoken", "nexttoken", "continuationtoken", "cancellationtoken"];

/// The kind of secret that a name announces.
pub(super) fn kind(name: &str) -> Option<&'static str> {
    let name = bare(name);
    if HARMLESS.iter().any(|harmless| name.ends_with(harmless)) {
        return None;
    }
    ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, kind)| *kind)
}

/// Says whether a name is the one of the password in a connection string.
pub(super) fn is_pwd(name: &str) -> bool {
    matches!(bare(name).as_str(), "pwd" | "pass")
}

/// Says whether a name is that of a header with credentials.
pub(super) fn is_authorization(name: &str) -> bool {
    bare(name).ends_with("authorization")
}

/// Says whether a value must go back to the provider as it came.
pub(super) fn is_signature(key: &str) -> bool {
    let key = bare(key);
    key.ends_with("signature") || key == "encryptedcontent"
}

/// Says whether a name is written as variables of the environment are.
pub(super) fn is_shouted(name: &str) -> bool {
    name.len() > 2 && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn bare(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}
