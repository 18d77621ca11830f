//! As much of Rust's grammar as it takes to find the paths that a file names.
//!
//! Comments, strings and characters are stepped over, so what is written in them names nothing. Macros are read like
//! any other code. A file that does not compile may be misread, but it does not get so far.

use std::iter::Peekable;
use std::str::Chars;

/// The words and signs of a file.
#[derive(Debug)]
pub(super) struct Source {
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    kind: TokenKind,
    line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenKind {
    Word(String),
    /// `::`, which is one sign so that types after a colon name nothing.
    PathSeparator,
    Sign(char),
    /// A string as it is written, with its quotes; nothing for a character or a number.
    Literal(String),
}

/// A path from the crate's root, such as `["tool", "builtin"]`. A path that is the root itself, or all that is in it,
/// has `*` as its only part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) path: Vec<String>,
    pub(super) line: usize,
}

impl Source {
    pub(super) fn new(text: &str) -> Self {
        Self {
            tokens: Lexer {
                rest: text.chars().peekable(),
                line: 1,
                tokens: Vec::new(),
            }
            .run(),
        }
    }

    /// The paths that start at `crate`, `super`, `self` or the crate's name, as seen from the root.
    pub(super) fn named_paths(&self, module: &[String]) -> Vec<Named> {
        let mut walk = Walk {
            tokens: &self.tokens,
            module: module.to_vec(),
            blocks: Vec::new(),
            named: Vec::new(),
        };
        walk.run();
        walk.named
    }

    /// The same paths without those in modules that only tests see.
    pub(super) fn paths_outside_of_tests(&self, module: &[String]) -> Vec<Vec<String>> {
        let tokens = self.tokens_outside_of_tests();
        let named = Self { tokens }.named_paths(module);
        named.into_iter().map(|named| named.path).collect()
    }

    /// The lines with `#[path = …]`.
    pub(super) fn path_attributes(&self) -> Vec<usize> {
        self.lines_with(|window| match window {
            [hash, bracket, path, equals] => {
                hash.is('#') && bracket.is('[') && path.is_word("path") && equals.is('=')
            }
            _ => false,
        })
    }

    /// The lines with an ignored test or a macro that stands for code to be written.
    pub(super) fn left_undone(&self) -> Vec<usize> {
        let ignored = |window: &[Token]| match window {
            [hash, bracket, ignore, _] => hash.is('#') && bracket.is('[') && ignore.is_word("ignore"),
            _ => false,
        };
        let postponed = |window: &[Token]| match window {
            [word, sign, _, _] => (word.is_word("todo") || word.is_word("unimplemented")) && sign.is('!'),
            _ => false,
        };
        self.lines_with(|window| ignored(window) || postponed(window))
    }

    /// The words, strings and signs as they are written, each with its line, without the modules that only tests see.
    pub(super) fn outside_of_tests(&self) -> Vec<(String, usize)> {
        let written = |token: Token| {
            let text = match token.kind {
                TokenKind::Word(word) => word,
                TokenKind::PathSeparator => "::".to_owned(),
                TokenKind::Sign(sign) => sign.to_string(),
                TokenKind::Literal(text) => text,
            };
            (text, token.line)
        };
        self.tokens_outside_of_tests().into_iter().map(written).collect()
    }

    fn tokens_outside_of_tests(&self) -> Vec<Token> {
        let mut seen = Vec::new();
        let mut rest = self.tokens.as_slice();
        while let Some((first, behind)) = rest.split_first() {
            let skipped = test_module(rest);
            if skipped > 0 {
                rest = &rest[skipped..];
            } else {
                seen.push(first.clone());
                rest = behind;
            }
        }
        seen
    }

    fn lines_with(&self, condition: impl Fn(&[Token]) -> bool) -> Vec<usize> {
        self.tokens
            .windows(4)
            .filter(|window| condition(window))
            .map(|window| window[0].line)
            .collect()
    }
}

/// How many tokens `#[cfg(test)]` and the item behind it take at the beginning; 0 where there is none.
fn test_module(tokens: &[Token]) -> usize {
    let [hash, bracket, cfg, open, test, close, end, ..] = tokens else {
        return 0;
    };
    let is_attribute = hash.is('#') && bracket.is('[') && cfg.is_word("cfg") && open.is('(');
    if !(is_attribute && test.is_word("test") && close.is(')') && end.is(']')) {
        return 0;
    }
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(7) {
        match token.kind {
            TokenKind::Sign('{') => depth += 1,
            TokenKind::Sign('}') if depth <= 1 => return index + 1,
            TokenKind::Sign('}') => depth -= 1,
            TokenKind::Sign(';') if depth == 0 => return index + 1,
            _ => {}
        }
    }
    tokens.len()
}

impl Token {
    fn is(&self, sign: char) -> bool {
        self.kind == TokenKind::Sign(sign)
    }

    fn is_word(&self, expected: &str) -> bool {
        self.word() == Some(expected)
    }

    fn word(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }
}

struct Lexer<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn run(mut self) -> Vec<Token> {
        while let Some(character) = self.next() {
            match character {
                '/' if self.at('/') => self.skip_line(),
                '/' if self.at('*') => self.skip_block_comment(),
                '"' => self.take_string(),
                '\'' => self.quote(),
                ':' if self.at(':') => {
                    self.next();
                    self.push(TokenKind::PathSeparator);
                }
                '0'..='9' => {
                    self.take_word();
                    self.push(TokenKind::Literal(String::new()));
                }
                letter if is_word_part(letter) => self.word(letter),
                space if space.is_whitespace() => {}
                sign => self.push(TokenKind::Sign(sign)),
            }
        }
        self.tokens
    }

    fn next(&mut self) -> Option<char> {
        let character = self.rest.next()?;
        self.line += usize::from(character == '\n');
        Some(character)
    }

    fn at(&mut self, expected: char) -> bool {
        self.rest.peek() == Some(&expected)
    }

    fn push(&mut self, kind: TokenKind) {
        self.tokens.push(Token {
            kind,
            line: self.line,
        });
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|character| character != '\n') {}
    }

    /// They nest.
    fn skip_block_comment(&mut self) {
        self.next();
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Some('/') if self.at('*') => {
                    self.next();
                    depth += 1;
                }
                Some('*') if self.at('/') => {
                    self.next();
                    depth -= 1;
                }
                Some(_) => {}
                None => return,
            }
        }
    }

    fn take_string(&mut self) {
        let at = self.tokens.len();
        self.push(TokenKind::Literal(String::new()));
        let mut text = String::from('"');
        while let Some(character) = self.next() {
            text.push(character);
            match character {
                '\\' => text.extend(self.next()),
                '"' => break,
                _ => {}
            }
        }
        self.tokens[at].kind = TokenKind::Literal(text);
    }

    /// The rest of `r#"…"#`, from its first `#` or quote; `false` when it is a raw word such as `r#type`.
    fn take_raw_string(&mut self) -> bool {
        let mut hashes = 0;
        while self.at('#') {
            self.next();
            hashes += 1;
        }
        if !self.at('"') {
            return false;
        }
        self.next();
        let at = self.tokens.len();
        self.push(TokenKind::Literal(String::new()));
        let mut text = String::from('"');
        while let Some(character) = self.next() {
            text.push(character);
            if character == '"' {
                let mut closing = 0;
                while closing < hashes && self.at('#') {
                    self.next();
                    closing += 1;
                }
                if closing == hashes {
                    break;
                }
            }
        }
        self.tokens[at].kind = TokenKind::Literal(text);
        true
    }

    /// A character, or the start of a lifetime.
    fn quote(&mut self) {
        match self.next() {
            Some('\\') => {
                self.push(TokenKind::Literal(String::new()));
                self.next();
                while self.next().is_some_and(|character| character != '\'') {}
            }
            Some(letter) if is_word_part(letter) && !self.at('\'') => drop(self.take_word()),
            Some(_) => {
                self.push(TokenKind::Literal(String::new()));
                self.next();
            }
            None => {}
        }
    }

    fn word(&mut self, first: char) {
        let word = format!("{first}{}", self.take_word());
        match (word.as_str(), self.rest.peek()) {
            ("r" | "br" | "cr", Some('#' | '"')) => {
                if !self.take_raw_string() {
                    let raw = self.take_word();
                    self.push(TokenKind::Word(raw));
                }
            }
            ("b" | "c", Some('"')) => {
                self.next();
                self.take_string();
            }
            ("b", Some('\'')) => {
                self.next();
                self.quote();
            }
            _ => self.push(TokenKind::Word(word)),
        }
    }

    fn take_word(&mut self) -> String {
        let mut word = String::new();
        while let Some(character) = self.rest.next_if(|character| is_word_part(*character)) {
            word.push(character);
        }
        word
    }
}

fn is_word_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

struct Walk<'a> {
    tokens: &'a [Token],
    /// Module path, including modules that are written out in the file.
    module: Vec<String>,
    /// One for each open brace: whether it opened a module.
    blocks: Vec<bool>,
    named: Vec<Named>,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.step(at);
        }
    }

    fn step(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        if token.is_word("mod")
            && self.sign_at(at + 2, '{')
            && let Some(name) = self.word_at(at + 1)
        {
            self.module.push(name.to_owned());
            self.blocks.push(true);
            return at + 3;
        }
        if token.is('{') {
            self.blocks.push(false);
        } else if token.is('}') {
            if self.blocks.pop() == Some(true) {
                self.module.pop();
            }
        } else if let Some(after) = self.path_from_root(at) {
            return after;
        }
        at + 1
    }

    /// Reads a path that starts here, if one that we can place does.
    fn path_from_root(&mut self, at: usize) -> Option<usize> {
        let word = self.word_at(at)?;
        let continues = at > 0 && self.tokens[at - 1].kind == TokenKind::PathSeparator;
        if continues {
            return None;
        }
        if word == "crate" && self.is_word_at(at + 1, "as") {
            self.name(vec!["*".into()], at);
            return Some(at + 1);
        }
        if !self.separator_at(at + 1) {
            return None;
        }
        let mut base = match word {
            "crate" => Vec::new(),
            // The library as `main.rs` sees it. Elsewhere nothing has this name.
            "lathe" => Vec::new(),
            "self" => self.module.clone(),
            "super" => self.module[..self.module.len().saturating_sub(1)].to_vec(),
            _ => return None,
        };
        let mut next = at + 2;
        while self.is_word_at(next, "super") && self.separator_at(next + 1) {
            base.pop();
            next += 2;
        }
        Some(self.rest_of_path(base, next))
    }

    /// Reads a path's further parts, and those of each branch where it forks. The answer is the place after it.
    fn rest_of_path(&mut self, mut path: Vec<String>, mut at: usize) -> usize {
        loop {
            if self.sign_at(at, '{') {
                return self.branches(&path, at + 1);
            }
            let Some(word) = self.word_at(at) else {
                // `*`, or a generic argument such as `<T>`.
                self.name(path, at);
                return if self.sign_at(at, '*') { at + 1 } else { at };
            };
            if word != "self" {
                path.push(word.to_owned());
            }
            if !self.separator_at(at + 1) {
                self.name(path, at);
                return at + 1;
            }
            at += 2;
        }
    }

    fn branches(&mut self, path: &[String], mut at: usize) -> usize {
        while at < self.tokens.len() && !self.sign_at(at, '}') {
            at = if self.word_at(at).is_some() || self.sign_at(at, '*') || self.sign_at(at, '{') {
                let after = self.rest_of_path(path.to_vec(), at).max(at + 1);
                // `as name` is no branch of its own.
                if self.is_word_at(after, "as") {
                    after + 2
                } else {
                    after
                }
            } else {
                at + 1
            };
        }
        at + 1
    }

    fn name(&mut self, path: Vec<String>, at: usize) {
        let path = if path.is_empty() { vec!["*".into()] } else { path };
        let line = self.tokens.get(at).map_or(0, |token| token.line);
        self.named.push(Named { path, line });
    }

    fn word_at(&self, at: usize) -> Option<&str> {
        self.tokens.get(at)?.word()
    }

    fn is_word_at(&self, at: usize, word: &str) -> bool {
        self.word_at(at) == Some(word)
    }

    fn sign_at(&self, at: usize, sign: char) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(sign))
    }

    fn separator_at(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.kind == TokenKind::PathSeparator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(module: &str, text: &str) -> Vec<String> {
        let module: Vec<String> = module.split("::").map(str::to_owned).collect();
        Source::new(text)
            .named_paths(&module)
            .into_iter()
            .map(|named| named.path.join("::"))
            .collect()
    }

    #[test]
    fn plain_and_inline_paths_are_named() {
        assert_eq!(
            paths(
                "a",
                "use crate::b::c; let x = crate::d::f(); type T = Vec<crate::e::G>;"
            ),
            ["b::c", "d::f", "e::G"]
        );
    }

    #[test]
    fn groups_are_taken_apart() {
        let text = "use crate::{b, c::{self, d as e, f::*}, g::H as I};\nfn x() { y(crate::z::w) }";
        assert_eq!(paths("a", text), ["b", "c", "c::d", "c::f", "g::H", "z::w"]);
    }

    #[test]
    fn climbing_is_followed() {
        assert_eq!(
            paths("a::b", "use super::c; use super::super::d::e; use self::f;"),
            ["a::c", "d::e", "a::b::f"]
        );
        assert_eq!(paths("a", "use super::{b::c, d};"), ["b::c", "d"]);
        assert_eq!(paths("a::b", "use super::super::*;"), ["*"]);
    }

    #[test]
    fn modules_in_the_file_count_as_levels() {
        let text = "mod tests { use super::*; use super::super::c; mod deep { use super::super::d; } use super::e; }";
        assert_eq!(paths("a::b", text), ["a::b", "a::c", "a::b::d", "a::b::e"]);
        assert_eq!(
            paths("a::b", "fn f() { if x { y } } mod m { } use super::c;"),
            ["a::c"]
        );
    }

    #[test]
    fn what_is_not_code_names_nothing() {
        let text = r##"
            // use crate::a;
            /* crate::b /* crate::c */ crate::d */
            /// [`crate::e`]
            let s = "crate::f \" crate::g"; let r = r#"crate::h " crate::i"#; let b = b"crate::j";
            let q = '"'; let l: &'static str = x; let e = '\''; let u = '\u{1F600}'; let c = 'c'; let n = b'"';
            use crate::real;
        "##;
        assert_eq!(paths("a", text), ["real"]);
    }

    #[test]
    fn visibility_is_no_import() {
        assert!(
            paths(
                "a",
                "pub(crate) fn f() {} pub(super) struct S; impl Self { fn g(self) {} }"
            )
            .is_empty()
        );
    }

    #[test]
    fn longer_paths_with_such_words_inside_are_left_alone() {
        assert!(paths("a", "use other::crate_name::x; other::lathe::y();").is_empty());
        assert_eq!(paths("a", "lathe::cli::main()"), ["cli::main"]);
    }

    #[test]
    fn undone_work_is_found_in_code_alone() {
        let done = "// todo!() \nlet s = \"#[ignore]\"; /* unimplemented!() */ fn todo() {} todo();";
        assert!(Source::new(done).left_undone().is_empty());
        assert_eq!(Source::new("#[test]\n#[ignore]\nfn f() {}").left_undone(), [2]);
        assert_eq!(Source::new("fn f() {\n todo!()\n}").left_undone(), [2]);
    }
}
