//! Names that come from outside (session ids, tmux sessions, projects) as names of files, and back.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use naite_core::text::{nfc, prefix_bytes};

/// The longest name that stays whole, in bytes; leaves room for a date and an ending below 143, the shortest limit
/// that file systems in use have.
const WHOLE: usize = 120;
/// How many bytes of a longer name stay readable.
const READABLE: usize = 100;
/// Stands for the empty name; no other name becomes this, since `%` itself is always encoded.
const EMPTY: &str = "%";

/// Makes a file name: NFC, what a path would understand percent-encoded, too long a name cut and told apart by a hash.
///
/// ```
/// use naite_context::name::encode;
/// assert_eq!(encode("workspace--quant__how"), "workspace--quant__how");
/// assert_eq!(encode("../../etc"), "%2E%2E%2F%2E%2E%2Fetc");
/// assert_eq!(encode("-rf"), "%2Drf");
/// ```
pub fn encode(name: &str) -> String {
    let name = nfc(name);
    if name.is_empty() {
        return EMPTY.into();
    }
    let mut encoded = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        let is_dots =
            c == '.' && (name.len() == 1 || name[at + 1..].starts_with('.') || name[..at].ends_with('.'));
        if matches!(c, '/' | '\\' | '%') || c.is_control() || is_dots || (at == 0 && c == '-') {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                encoded.push_str(&format!("%{byte:02X}"));
            }
        } else {
            encoded.push(c);
        }
    }
    if encoded.len() <= WHOLE {
        return encoded;
    }
    let mut readable = prefix_bytes(&encoded, READABLE);
    // No half escape at the end.
    if let Some(escape) = readable.rfind('%').filter(|at| readable.len() - at < 3) {
        readable = &readable[..escape];
    }
    format!("{readable}~{:016x}", xxhash_rust::xxh3::xxh3_64(name.as_bytes()))
}

/// Says whether a name is too long to be read back from its file name: the full one must be kept inside.
pub fn is_cut(name: &str) -> bool {
    let encoded = encode(name);
    decode(&encoded) != nfc(name)
}

/// Reads a file name back; the beginning only of a name that was cut.
///
/// ```
/// use naite_context::name::decode;
/// assert_eq!(decode("%2E%2E%2Fetc"), "../etc");
/// assert_eq!(decode("프로젝트-1"), "프로젝트-1");
/// ```
pub fn decode(encoded: &str) -> Cow<'_, str> {
    if encoded == EMPTY {
        return Cow::Borrowed("");
    }
    if !encoded.contains('%') {
        return Cow::Borrowed(encoded);
    }
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let [first, behind @ ..] = rest {
        match (*first, behind.first_chunk::<2>().and_then(hex)) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

fn hex(digits: &[u8; 2]) -> Option<u8> {
    u8::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_people_stay_readable() {
        for name in ["quant.how", "a:b", "my proj", "프로젝트-1", "workspace--quant__how", "a.b.c", "spec-rl"]
        {
            assert_eq!(encode(name), name);
        }
    }

    #[test]
    fn what_a_path_would_understand_is_encoded() {
        for (name, encoded) in [
            ("", "%"),
            ("%", "%25"),
            (".", "%2E"),
            ("..", "%2E%2E"),
            ("a/b", "a%2Fb"),
            ("a\0\n", "a%00%0A"),
            ("-", "%2D"),
            ("a-", "a-"),
            (".hidden", ".hidden"),
            ("\u{85}", "%C2%85"),
        ] {
            assert_eq!(encode(name), encoded);
            assert_eq!(decode(encoded), name);
        }
    }

    #[test]
    fn both_forms_of_one_korean_name_are_one() {
        assert_eq!(encode("한글"), encode("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"));
    }

    #[test]
    fn long_names_are_cut_and_told_apart() {
        let long = "가".repeat(200);
        let other = long.clone() + "나";
        assert!(encode(&long).len() <= WHOLE && encode(&long) != encode(&other));
        assert!(encode(&long).starts_with("가가"));
        assert!(is_cut(&long) && !is_cut("short"));
        assert!(!encode(&"/".repeat(90)).trim_end_matches(|c: char| c != '~').ends_with("%~"));
    }

    proptest! {
        #[test]
        fn any_name_is_one_file_name_and_comes_back(name in "\\PC{0,40}|[./%\\-\\x00-\\x1f]{0,12}") {
            let encoded = encode(&name);
            prop_assert!(!encoded.is_empty() && encoded.len() <= WHOLE);
            prop_assert!(!encoded.contains(['/', '\0', '\\']) && !encoded.starts_with('-'));
            prop_assert!(encoded != "." && encoded != "..");
            if !encoded.contains('~') {
                prop_assert_eq!(decode(&encoded), nfc(&name));
            }
        }
    }
}
