//! The names of things: newtypes, so that one kind of id cannot stand where another belongs.

use alloc::string::{String, ToString};
use core::fmt;

use crate::text;

macro_rules! string_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Accepts any non-empty string, as every reader of these files does.
            pub fn new(text: impl Into<String>) -> Option<Self> {
                let text = text.into();
                (!text.is_empty()).then_some(Self(text))
            }

            /// The id as it stands in the file.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

string_id! {
    /// Names one entry within its session; unlike a [`SessionId`] it means nothing outside that file.
    EntryId
}

string_id! {
    /// Names one session wherever its file lies; opaque (UUIDv7 today, UUIDv4 and nanoid in older files).
    SessionId
}

impl EntryId {
    /// Writes 32 random bits as the eight lowercase hex digits that new entries carry.
    ///
    /// ```
    /// assert_eq!(naite_core::EntryId::from_bits(0xBEEF).as_str(), "0000beef");
    /// ```
    pub fn from_bits(bits: u32) -> Self {
        let digits: [u8; 8] =
            core::array::from_fn(|at| b"0123456789abcdef"[(bits >> (28 - 4 * at) & 15) as usize]);
        Self(core::str::from_utf8(&digits).unwrap_or_default().into())
    }
}

/// The folder name of one project under `sessions/`: a readable slug of the path and a hash of all of it.
///
/// Unlike the peers' encodings it is bounded (at most 97 bytes) and tells `/a-b/c` from `/a/b-c`. It still is
/// only a place to look: the header's `cwd` says where a session belongs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProjectKey(String);

/// The longest slug of a [`ProjectKey`], in bytes of UTF-8 (`session-format.md` §1).
const SLUG_BYTES: usize = 80;

impl ProjectKey {
    /// Derives the key of a canonical working directory; both normal forms of one Korean path give one key.
    pub fn of(cwd: &str) -> Self {
        let cwd = text::nfc(cwd);
        let hash = xxhash_rust::xxh3::xxh3_64(cwd.as_bytes());
        let slug = slug(&cwd);
        Self(if slug.is_empty() {
            alloc::format!("{hash:016x}")
        } else {
            alloc::format!("{slug}-{hash:016x}")
        })
    }

    /// The folder name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Joins as many of the last path parts as fit into [`SLUG_BYTES`], each reduced to letters, digits, `.` and `_`.
fn slug(cwd: &str) -> String {
    let mut slug = String::new();
    for part in cwd.split(['/', '\\']).rev().filter(|part| !part.is_empty()) {
        let part: String =
            part.chars().map(|c| if c.is_alphanumeric() || "._".contains(c) { c } else { '-' }).collect();
        let part = text::prefix_bytes(part.trim_matches(['-', '.']), SLUG_BYTES);
        if part.is_empty() {
            continue;
        }
        if slug.is_empty() {
            slug = part.to_string();
        } else if slug.len() + 1 + part.len() <= SLUG_BYTES {
            slug = alloc::format!("{part}-{slug}");
        } else {
            break;
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_keys_tell_colliding_paths_apart() {
        let key = |path: &str| ProjectKey::of(path).to_string();
        let paths =
            ["/a-b/c", "/a/b-c", "/a/b/c", "/w/외주/app", "/w/개인/app", "/my_app", "/my-app", "/my.app"];
        for (i, a) in paths.iter().enumerate() {
            for b in &paths[i + 1..] {
                assert_ne!(key(a), key(b), "{a} and {b}");
            }
        }
    }

    #[test]
    fn project_keys_are_bounded_and_normalised() {
        let deep = "/아주-긴-이름의-폴더".repeat(30);
        let key = ProjectKey::of(&deep);
        assert!(key.as_str().len() <= SLUG_BYTES + 17, "{key}");
        assert_eq!(
            ProjectKey::of("/w/한글"),
            ProjectKey::of("/w/\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}")
        );
        assert_eq!(ProjectKey::of("/").as_str().len(), 16);
        assert!(ProjectKey::of("/x/../.hidden").as_str().starts_with("x-hidden-"));
    }
}
