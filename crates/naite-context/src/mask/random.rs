//! Tells values that a machine or a careful person made up from words, identifiers and placeholders.

/// What a value stands behind, which decides how sure we must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    /// A quoted string, a variable of the shell: a value, not code.
    Value,
    /// Something without quotes: it may be an expression of a programming language.
    Code,
}

/// Says whether a value behind the name of a secret looks like one.
pub(super) fn looks_secret(value: &str, setting: Setting) -> bool {
    if value.len() < 8 || !value.is_ascii() || is_placeholder(value) {
        return false;
    }
    let bytes = value.as_bytes();
    let (digit, letter) = (bytes.iter().any(u8::is_ascii_digit), bytes.iter().any(u8::is_ascii_alphabetic));
    let changes = changes(bytes);
    match setting {
        Setting::Value if digit => letter && distinct(bytes) >= 6,
        Setting::Value => bytes.len() >= 16 && changes * 5 >= bytes.len() * 2,
        Setting::Code => letter && digit && changes * 4 >= bytes.len(),
    }
}

/// Says whether a value only stands for one: a variable, a template, stars, an advice.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value[..value.floor_char_boundary(64)].to_ascii_lowercase();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    value.starts_with(['{', '<', '[', ':', '='])
        || value.strip_prefix(['$', '%', '&', '*']).is_some_and(|name| name.chars().all(is_name))
        || value.chars().all(|c| "*.xX•".contains(c))
        || ["${", "$(", "{{", "xxxx", "****", "changeme", "your-", "your_", "placeholder"]
            .iter()
            .any(|part| lower.contains(part))
        || ["process.env", "os.environ", "env.", "self.", "this."]
            .iter()
            .any(|start| lower.starts_with(start))
}

/// How often the class of characters changes between neighbours: random text changes all the time, words hardly.
pub(super) fn changes(bytes: &[u8]) -> usize {
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count()
}

fn distinct(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0u128, |seen, byte| seen | 1 << (byte & 127)).count_ones()
}
