//! Reads a Rust file into the few facts that the rules ask for.
//!
//! It works on tokens and not on a syntax tree: comments and strings are out of the way, and what stands inside
//! a macro call is seen like any other code. The price is that a name is only what is written, never what it
//! resolves to: `use std::time::SystemTime as Clock` hides from a rule on `SystemTime::now`.

use std::ops::RangeInclusive;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The facts of one Rust file.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// Every path and every lone name, in reading order.
    pub(crate) names: Vec<Name>,
    /// Every attribute; a doc comment is one `doc=…` attribute per line.
    pub(crate) attributes: Vec<Attribute>,
    /// Every function with a body.
    pub(crate) functions: Vec<Function>,
    /// The lines of each item that exists only for tests.
    pub(crate) test_lines: Vec<RangeInclusive<usize>>,
    /// The modules that exist only for tests and lie in a file of their own.
    pub(crate) test_modules: Vec<String>,
}

/// A path as written, with `use` groups unfolded: `use std::{fs, io}` is `std::fs` and `std::io`.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
    /// It is called with `!`.
    pub(crate) is_macro: bool,
    /// It stands in code that exists only for tests.
    pub(crate) in_test: bool,
}

impl Name {
    /// Whether the segments of `path` occur in this name, one after another.
    pub(crate) fn has(&self, path: &str) -> bool {
        let wanted: Vec<&str> = path.split("::").collect();
        self.segments.windows(wanted.len()).any(|segments| segments == wanted)
    }

    /// Whether this is a call of the macro `name`, with or without a path before it.
    pub(crate) fn calls_macro(&self, name: &str) -> bool {
        self.is_macro && self.segments.last().is_some_and(|last| last == name)
    }
}

/// An attribute, as its text between the brackets without any white space.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) text: String,
    pub(crate) line: usize,
    /// It is written `#![…]` or `//!`.
    pub(crate) is_inner: bool,
}

/// A function with a body, from its `fn` to its closing brace.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) line_count: usize,
}

impl Code {
    /// Reads `text`, or returns the line at which it stops being Rust.
    pub(crate) fn read(text: &str) -> Result<Self, usize> {
        let tokens: TokenStream =
            text.parse().map_err(|error: proc_macro2::LexError| error.span().start().line)?;
        let mut reader = Reader::default();
        reader.level(&flat(tokens), false);
        Ok(reader.code)
    }
}

/// One level of tokens as a list, so that it can be looked ahead in.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

#[derive(Default)]
struct Reader {
    code: Code,
}

impl Reader {
    /// Reads the tokens of one level of brackets.
    fn level(&mut self, trees: &[TokenTree], in_test: bool) {
        let mut at = 0;
        while at < trees.len() {
            at = match &trees[at] {
                TokenTree::Punct(mark) if mark.as_char() == '#' => self.attribute(trees, at, in_test),
                TokenTree::Ident(word) if word == "fn" => self.function(trees, at),
                TokenTree::Ident(_) => self.path(trees, at, &[], in_test),
                TokenTree::Group(group) => {
                    self.level(&flat(group.stream()), in_test);
                    at + 1
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => at + 1,
            };
        }
    }

    /// Reads the attribute at `at`, and with it what it marks if that exists only for tests.
    fn attribute(&mut self, trees: &[TokenTree], at: usize, in_test: bool) -> usize {
        let is_inner = is_mark(trees.get(at + 1), '!');
        let body = at + 1 + usize::from(is_inner);
        let Some(TokenTree::Group(group)) = trees.get(body) else { return at + 1 };
        if group.delimiter() != Delimiter::Bracket {
            return at + 1;
        }
        let text: String = group.stream().to_string().split_whitespace().collect();
        let only_for_tests = text == "cfg(test)" || text.starts_with("cfg(all(test,");
        let line = line_of(&trees[at]);
        self.code.attributes.push(Attribute { text, line, is_inner });
        if !only_for_tests || in_test {
            return body + 1;
        }
        let end = if is_inner { trees.len() } else { end_of_item(trees, body + 1) };
        let item = &trees[body + 1..end];
        self.code.test_lines.push(line..=item.last().map_or(line, end_line_of));
        if let [.., TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(_)] = item
            && word == "mod"
        {
            self.code.test_modules.push(name.to_string());
        }
        self.level(item, true);
        end
    }

    /// Notes the function whose `fn` is at `at`; its tokens are read on from there.
    fn function(&mut self, trees: &[TokenTree], at: usize) -> usize {
        if let Some(TokenTree::Ident(name)) = trees.get(at + 1)
            && let Some(body @ TokenTree::Group(_)) = trees[..end_of_item(trees, at)].last()
        {
            let line = line_of(&trees[at]);
            let line_count = end_line_of(body) - line + 1;
            self.code.functions.push(Function { name: name.to_string(), line, line_count });
        }
        at + 1
    }

    /// Reads the path at `at`, which continues `prefix`, and returns where the next token is.
    fn path(&mut self, trees: &[TokenTree], mut at: usize, prefix: &[String], in_test: bool) -> usize {
        let mut segments = prefix.to_vec();
        let line = line_of(&trees[at]);
        loop {
            match trees.get(at) {
                Some(TokenTree::Ident(word)) => segments.push(word.to_string()),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.use_group(group, &segments, in_test);
                    return at + 1;
                }
                Some(TokenTree::Punct(mark)) if mark.as_char() == '*' => segments.push("*".to_owned()),
                _ => break,
            }
            at += 1;
            if !(is_mark(trees.get(at), ':') && is_mark(trees.get(at + 1), ':')) {
                break;
            }
            at += 2;
        }
        let is_macro = is_mark(trees.get(at), '!') && matches!(trees.get(at + 1), Some(TokenTree::Group(_)));
        self.code.names.push(Name { segments, line, is_macro, in_test });
        at
    }

    /// Reads `{a, b::c}` after `prefix::`.
    fn use_group(&mut self, group: &Group, prefix: &[String], in_test: bool) {
        let inside = flat(group.stream());
        for part in inside.split(|tree| is_mark(Some(tree), ',')).filter(|part| !part.is_empty()) {
            self.path(part, 0, prefix, in_test);
        }
    }
}

/// Where the item that starts at `at` ends: after its body or its semicolon.
fn end_of_item(trees: &[TokenTree], at: usize) -> usize {
    let is_end = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        other => is_mark(Some(other), ';'),
    };
    trees[at..].iter().position(is_end).map_or(trees.len(), |length| at + length + 1)
}

fn is_mark(tree: Option<&TokenTree>, wanted: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(mark)) if mark.as_char() == wanted)
}

fn line_of(tree: &TokenTree) -> usize {
    tree.span().start().line
}

fn end_line_of(tree: &TokenTree) -> usize {
    tree.span().end().line
}

#[cfg(test)]
mod tests {
    use super::Code;

    /// The names of `text` as `line path`, with `!` on macro calls and `(test)` on those in test code.
    fn names(text: &str) -> Vec<String> {
        let code = Code::read(text).expect("the text is Rust");
        let show = |name: &super::Name| {
            let call = if name.is_macro { "!" } else { "" };
            let test = if name.in_test { " (test)" } else { "" };
            format!("{} {}{call}{test}", name.line, name.segments.join("::"))
        };
        code.names.iter().map(show).filter(|name| name.contains("::") || name.contains('!')).collect()
    }

    #[test]
    fn groups_are_unfolded_where_they_stand() {
        let found = names("use std::{\n    fs,\n    io::{self, Read as R},\n    time::*,\n};");
        assert_eq!(found, ["2 std::fs", "3 std::io::self", "3 std::io::Read", "4 std::time::*"]);
    }

    #[test]
    fn macro_calls_are_looked_into() {
        assert_eq!(names("fn f() { g!(\"{}\", std::env::var(x)) }"), ["1 g!", "1 std::env::var"]);
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        assert_eq!(names("// std::fs\n/* std::fs */\nconst A: &str = \"std::fs\"; /// std::fs\n"), [""; 0]);
    }

    #[test]
    fn test_code_is_marked() {
        let text = "#[cfg(test)]\nuse a::b;\nuse c::d;\n#[cfg(test)]\nmod tests {\n use e::f;\n}\nuse g::h;";
        assert_eq!(names(text), ["2 a::b (test)", "3 c::d", "6 e::f (test)", "8 g::h"]);
        let code = Code::read(text).expect("the text is Rust");
        assert_eq!(code.test_lines, [1..=2, 4..=7]);
    }

    #[test]
    fn test_code_is_marked_to_the_end_of_its_file() {
        assert_eq!(names("#![cfg(test)]\nuse a::b;\nuse c::d;"), ["2 a::b (test)", "3 c::d (test)"]);
    }

    #[test]
    fn functions_are_measured_from_fn_to_brace() {
        let code =
            Code::read("/// Doc.\nfn one() -> [u8; 2] {\n [0; 2]\n}\ntrait T { fn two(); }").expect("Rust");
        let found: Vec<_> = code.functions.iter().map(|f| (f.name.as_str(), f.line, f.line_count)).collect();
        assert_eq!(found, [("one", 2, 3)]);
    }

    #[test]
    fn a_text_that_is_not_rust_tells_its_line() {
        assert_eq!(Code::read("fn f() {\n}\n)").map(|_| ()), Err(3));
    }
}
