//! The closed form of texts that may run without a question.
//!
//! Bash decides by more than a reader can follow: what stands behind a brace, what a variable holds, which names a
//! directory has. So whatever else is known of a text, it runs unasked only in this form, in which every
//! character means one thing. It is looked at character by character and shares nothing with the parser but what braces
//! stand for, so that both have to be wrong before something runs that nobody was asked about. Everything else asks, and rules may allow it as ever.
//!
//! The form: words of letters, digits and signs without a meaning, quotes, `*`, `?` and a leading `~`; `|`, `&&`, `||`,
//! `;` and lines; `<` and `>`; variables of `for` loops and of assignments of one literal word, `$HOME`, `$PWD`, `$TMPDIR`
//! and `$?`; braces as in `{}`, `@{1}` and `{a,b}`; `[[ -f x ]]`; and `( )` and `$( )` around the same form. Here-documents and
//! here-strings of a literal text, see `here`; variables of other values as quoted arguments of `echo`, `printf` and `test`.

mod here;

use self::here::PendingText;
use super::word::{braces, is_name};

/// Maximum depth of substitutions and subshells.
const MAX_DEPTH: usize = 3;
/// Words of the shell that are in no such text where a command begins.
const REFUSED: &[&str] = &["case", "coproc", "function", "select", "until", "{", "}"];
/// Words behind which another command begins.
const GOES_ON: &[&str] = &["if", "then", "elif", "else", "do", "while", "!", "time"];
/// Variables that are given.
const GIVEN: &[&str] = &["HOME", "PWD", "TMPDIR"];
/// Names in capitals that no program gives a meaning to, and that may be assigned.
const CAPITALS: &[&str] = &[
    "BRANCH", "COMMIT", "COUNT", "DIR", "FILE", "FILES", "NAME", "NUM", "OUT", "RESULT", "ROOT", "SIZE",
    "SRC", "TOTAL",
];
/// Commands of the shell whose arguments are texts.
const TAKES_VALUES: &[&str] = &["echo", "printf", "test", "["];
/// Operators of `[[` that take one word.
const UNARY: &[&str] = &["-d", "-e", "-f", "-h", "-L", "-n", "-r", "-s", "-w", "-x", "-z"];

/// Returns true if the text has the form.
pub(super) fn is_plain(text: &str) -> bool {
    let mut scan = Scan {
        rest: text,
        variables: Vec::new(),
        used: Vec::new(),
        unknown: Vec::new(),
        captured: Vec::new(),
        depth: 0,
        program: String::new(),
        pending: None,
    };
    scan.commands(None).is_some() && scan.used.iter().all(|name| !scan.unknown.contains(name))
}

struct Scan<'a> {
    rest: &'a str,
    /// Names that stood behind `for` or before `=`.
    variables: Vec<String>,
    /// Those that were expanded.
    used: Vec<String>,
    /// Names that something else was assigned to.
    unknown: Vec<String>,
    /// Those of them whose value may be any text, as of a substitution.
    captured: Vec<String>,
    /// Number of substitutions and subshells that it is in.
    depth: usize,
    /// The first word of the command at hand; empty before it, and where it is not plain.
    program: String,
    /// A here-document whose text follows the line.
    pending: Option<PendingText<'a>>,
}

/// A word as far as it matters here.
#[derive(Default)]
struct ScannedWord {
    /// The unquoted characters.
    text: String,
    /// True if a part of it was quoted, escaped or expanded.
    is_mixed: bool,
}

impl ScannedWord {
    fn is(&self, word: &str) -> bool {
        !self.is_mixed && self.text == word
    }

    /// The name that it assigns one literal word to.
    fn assigned(&self) -> Option<&str> {
        let (name, value) = self.text.split_once('=').filter(|_| !self.is_mixed)?;
        let is_literal = value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_./-,+@%".contains(&b));
        (is_own_name(name) && is_literal).then_some(name)
    }
}

/// Returns true if neither the shell nor a program gives a variable of that name a meaning.
fn is_own_name(name: &str) -> bool {
    let is_small = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    is_name(name) && (is_small || name.len() == 1 || CAPITALS.contains(&name))
}

impl Scan<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }

    /// Skips blanks, and ends of lines that are escaped behind a blank.
    fn blanks(&mut self) {
        while self.take(" ") || self.take("\t") {
            while self.pending.is_none() && self.take("\\\n") {}
        }
    }

    /// Reads commands up to the end, or up to and with `close`.
    fn commands(&mut self, close: Option<char>) -> Option<()> {
        let mut begins = true;
        let mut is_redirected = false;
        loop {
            self.blanks();
            let Some(c) = self.peek() else {
                return (close.is_none() && self.pending.is_none()).then_some(());
            };
            match c {
                c if Some(c) == close => {
                    self.rest = &self.rest[1..];
                    return self.pending.is_none().then_some(());
                }
                '\n' | ';' | '|' | '&' => {
                    self.operator()?;
                    self.program.clear();
                    (begins, is_redirected) = (true, false);
                    if c == '\n' {
                        self.here_text()?;
                    }
                }
                '#' if close.is_none() => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = &self.rest[end..];
                }
                '<' | '>' => {
                    self.redirection(close)?;
                    is_redirected |= begins;
                }
                '(' if begins => {
                    self.inner()?;
                    begins = false;
                }
                _ => {
                    let before = self.rest;
                    let goes_on = self.command_word(begins, close)?;
                    let written = &before[..before.len() - self.rest.len()];
                    if begins && is_redirected && GOES_ON.contains(&written) {
                        // Behind a redirection it is the name of a program.
                        return None;
                    }
                    is_redirected |= goes_on && written.contains(['<', '>']);
                    begins = goes_on;
                }
            }
        }
    }

    /// Reads `(…)`, of a subshell or a substitution.
    fn inner(&mut self) -> Option<()> {
        if self.rest.starts_with("((") || self.depth >= MAX_DEPTH || self.pending.is_some() || !self.take("(")
        {
            return None;
        }
        let program = std::mem::take(&mut self.program);
        self.depth += 1;
        self.commands(Some(')'))?;
        self.depth -= 1;
        self.program = program;
        Some(())
    }

    /// Reads what ends a command.
    fn operator(&mut self) -> Option<()> {
        let is_one = !self.rest.starts_with(";;") && !self.rest.starts_with("|&");
        let is_known = self.take("&&") || self.take("||") || self.take("\n");
        (is_known || is_one && (self.take(";") || self.take("|"))).then_some(())
    }

    /// Reads a word; returns true if a command begins behind it. `begins`: one begins with it.
    fn command_word(&mut self, begins: bool, close: Option<char>) -> Option<bool> {
        let before = self.rest;
        let word = self.word(close)?;
        let is_number =
            !word.is_mixed && word.text.len() == 1 && word.text.bytes().all(|b| b.is_ascii_digit());
        if is_number && self.rest.starts_with(['<', '>']) {
            self.redirection(close)?;
            return Some(begins);
        }
        if !begins {
            return Some(false);
        }
        if let Some((name, _)) = word.text.split_once('=').filter(|_| word.assigned().is_none()) {
            if is_own_name(name) && before.starts_with(name) {
                self.captured.push(name.to_owned());
            }
            let name = name.trim_end_matches('+');
            self.unknown.push(name.to_owned());
            return is_name(name).then_some(false);
        }
        if word.is_mixed {
            return None;
        }
        if REFUSED.contains(&word.text.as_str()) {
            return None;
        }
        let goes_on = GOES_ON.contains(&word.text.as_str());
        if !goes_on {
            self.program.clone_from(&word.text);
        }
        if word.is("for") {
            self.blanks();
            let name = self
                .word(close)
                .filter(|name| !name.is_mixed && is_own_name(&name.text))?;
            self.variables.push(name.text);
        } else if word.is("[[") {
            self.condition(close)?;
        } else if let Some(name) = word.assigned() {
            self.program.clear();
            return self.assignments(name.to_owned(), close);
        }
        Some(goes_on)
    }

    /// Reads what stands behind an assignment; returns true if a command begins behind it.
    fn assignments(&mut self, first: String, close: Option<char>) -> Option<bool> {
        let mut names = vec![first];
        loop {
            self.blanks();
            if self.rest.is_empty() || self.rest.starts_with([';', '\n']) || self.rest.starts_with("&&") {
                self.variables.append(&mut names);
                return Some(true);
            }
            let before = self.rest;
            let word = self.word(close)?;
            let Some(name) = word.assigned() else {
                // Before a command they hold for that command alone, and not for its words.
                self.unknown.append(&mut names);
                self.rest = before;
                return Some(true);
            };
            names.push(name.to_owned());
        }
    }

    /// Reads `-f x ]]`.
    fn condition(&mut self, close: Option<char>) -> Option<()> {
        self.blanks();
        let operator = self
            .word(close)
            .filter(|word| UNARY.iter().any(|known| word.is(known)))?;
        self.blanks();
        let operand = self
            .word(close)
            .filter(|word| word.is_mixed || !word.text.is_empty())?;
        self.blanks();
        let is_closed = self.word(close)?.is("]]");
        let is_known = !operator.text.is_empty() && !operand.text.contains(['*', '?', '{', '=', '!']);
        (is_closed && is_known).then_some(())
    }

    /// `> file`, `2>&1`, `< file`, `<<'EOF'`.
    fn redirection(&mut self, close: Option<char>) -> Option<()> {
        if self.take("<<") {
            return self.here(close);
        }
        let is_known = self.take(">>") || self.take(">") || self.take("<");
        if !is_known || self.rest.starts_with(['(', '>', '|']) {
            return None;
        }
        if self.take("&1") || self.take("&2") {
            let ends = self.peek().is_none_or(|c| " \t\n;|&)".contains(c));
            return ends.then_some(());
        }
        self.blanks();
        // Its word is no argument of the command.
        let program = std::mem::take(&mut self.program);
        let word = self
            .word(close)
            .filter(|word| word.is_mixed || !word.text.is_empty())?;
        self.program = program;
        (!word.text.contains(['*', '?', '{'])).then_some(())
    }

    fn word(&mut self, close: Option<char>) -> Option<ScannedWord> {
        let mut seen = ScannedWord::default();
        while let Some(c) = self.peek() {
            if " \t\n;|&<>".contains(c) || Some(c) == close {
                break;
            }
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                '\'' => {
                    let end = self.rest.find('\'')?;
                    if self.pending.is_some() && self.rest[..end].contains('\n') {
                        return None;
                    }
                    quoted_text(&self.rest[..end])?;
                    self.rest = &self.rest[end + 1..];
                    seen.is_mixed = true;
                }
                '"' => {
                    self.double_quoted()?;
                    seen.is_mixed = true;
                }
                '\\' => {
                    let escaped = self.peek().filter(|c| c.is_ascii_punctuation() || *c == ' ')?;
                    self.rest = &self.rest[escaped.len_utf8()..];
                    seen.is_mixed = true;
                }
                '$' => {
                    self.dollar(false)?;
                    seen.is_mixed = true;
                }
                // A home directory, of somebody who is named.
                '~' if seen.text.is_empty() && !seen.is_mixed => {
                    let is_named = self
                        .peek()
                        .is_none_or(|c| c.is_ascii_alphanumeric() || " \t\n;|&/".contains(c));
                    seen.text.push(is_named.then_some(c)?);
                }
                '~' if seen.text.ends_with(['=', ':']) => return None,
                '#' if seen.text.is_empty() && !seen.is_mixed => return None,
                c if c.is_alphanumeric() || "_./:,+@%^=-~#!*?{}".contains(c) => seen.text.push(c),
                // `[`, `[[` and their ends.
                '[' | ']' if !seen.is_mixed && self.is_bracket(&seen.text, c, close) => seen.text.push(c),
                _ => return None,
            }
        }
        let has_braces = seen.text.contains(['{', '}']);
        let is_known = !has_braces || !seen.is_mixed && braces(&seen.text).is_some();
        is_known.then_some(seen)
    }

    /// Returns true if `c` belongs to a word of brackets alone, of which `before` was read.
    fn is_bracket(&self, before: &str, c: char, close: Option<char>) -> bool {
        let is_same = before.is_empty() || before.len() == 1 && before.starts_with(c);
        is_same && (self.ends_word(close) || before.is_empty() && self.rest.starts_with(c))
    }

    fn ends_word(&self, close: Option<char>) -> bool {
        (self.peek()).is_none_or(|c| " \t\n;|&".contains(c) || Some(c) == close)
    }

    fn double_quoted(&mut self) -> Option<()> {
        loop {
            let c = self.peek()?;
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                '"' => return Some(()),
                '$' => {
                    // `"x$"`, `"a$ b"`: a character like any other.
                    if !self.peek().is_some_and(|c| c == '"' || " |/.)\\]".contains(c)) {
                        self.dollar(true)?;
                    }
                }
                '`' => return None,
                '\n' if self.pending.is_some() => return None,
                '\\' => {
                    let escaped = self.peek().filter(char::is_ascii_graphic)?;
                    self.rest = &self.rest[escaped.len_utf8()..];
                }
                c => quoted_text(c.encode_utf8(&mut [0; 4]))?,
            }
        }
    }

    /// Reads what stands behind a `$`; `is_quoted`: in double quotes.
    fn dollar(&mut self, is_quoted: bool) -> Option<()> {
        if self.take("?") {
            return Some(());
        }
        if self.rest.starts_with('(') {
            return self.inner();
        }
        let is_braced = self.take("{");
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let is_closed = !is_braced || self.take("}");
        // In some locales a letter belongs to the name.
        let is_clear = self.peek().is_none_or(|c| c.is_ascii() && c != '[');
        if self.captured.iter().any(|known| known == name) {
            let is_text = is_quoted && TAKES_VALUES.contains(&self.program.as_str());
            return (is_closed && is_clear && is_text).then_some(());
        }
        let is_known = GIVEN.contains(&name) || self.variables.iter().any(|known| known == name);
        self.used.push(name.to_owned());
        (is_closed && is_clear && is_known).then_some(())
    }
}

/// Text in quotes: printable characters and lines.
fn quoted_text(text: &str) -> Option<()> {
    let is_known = |c: char| "\n\t ".contains(c) || c.is_ascii_graphic() || c.is_alphanumeric() || is_sign(c);
    text.chars().all(is_known).then_some(())
}

/// Returns true for punctuation and symbols beyond ASCII that are seen as one sign: blocks of Unicode without blanks,
/// joiners, directions and other marks of format.
fn is_sign(c: char) -> bool {
    matches!(c,
        '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{ff}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
        | '\u{20a0}'..='\u{20c0}' | '\u{2100}'..='\u{2bff}' | '\u{3001}'..='\u{303f}' | '\u{1f300}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_one_thing_has_the_form() {
        for text in [
            "ls -la",
            "cat a.txt | head -20",
            "find . -name '*.rs' -not -path './target/*' | head -50",
            "find . \\( -name a -o -name b \\) -exec ls -l {} +",
            "for f in src/*.rs; do echo \"== $f\"; head -5 \"$f\"; done",
            "if [ -d src ]; then ls src; fi",
            "tr -d '\\r' < a.txt 2>/dev/null | head -3",
            "git show HEAD~1:a HEAD@{1} a..b ^x",
            "cargo test 2>&1 | tail -40; echo \"exit: $?\"",
            "grep -n \"foo\\|bar$\" src",
            "# a comment\nls # another\npwd",
            "echo \"$(git rev-parse HEAD)\" {a,b}.txt",
            "ls > $TMPDIR/x",
            "LC_ALL=C sort a.txt",
            "(cd src && ls) | head",
            "ls -l \\\n  -a",
            "d=src f=a.rs; ls $d/$f",
            "d=src; ls $d && cat \"$d/a.rs\"",
            "cat $PWD/a.txt ~/b ~root/c",
            "[[ -f a.txt ]] && cat größe.txt",
            "x=\"a b\" ls",
            "echo \"── a → b · ✓ 🙂\"; grep '§ 3' a.txt",
            "for f in *.txt; do wc -l < \"$f\"; done",
            "for f in *.txt; do head -1 < \"$f\"; echo \"$f: $(wc -l < \"$f\")\"; done",
            "BRANCH=$(git rev-parse HEAD); echo \"on $BRANCH\"",
            "N=$(ls | wc -l); echo \"$N\"",
            "N=\"$(ls)\" && [ -n \"$N\" ] && printf '%s' \"${N}\"",
            "n=$(wc -l < a.txt); echo \"n: $n\"",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }

    #[test]
    fn what_may_mean_something_else_has_not() {
        for text in [
            "cat {a},.env}",
            "cat x{-01..1}",
            "cat x=~/k",
            "cat ~+/k ~-/k",
            "PWD=/; cat $PWD/a.txt",
            "x=*; cat $x",
            "x='a b'; cat $x",
            "x=~; cat $x",
            "x=1 cat $x",
            "x=1; x=$(ls -a); cat $x",
            "x=1; cat $x; x=$(ls -a)",
            "x=$(ls -a); cat \"$x\"",
            "x=$(ls -a); echo $x",
            "x=$(ls -a); echo \"$(cat \"$x\")\"",
            "x=$(ls -a); echo a > \"$x\"",
            "x=$(ls -a); echo a; < \"$x\" cat",
            "x=$(ls -a); [ -n a ] && cat \"$x\"",
            "x=$(ls -a); for y in \"$x\"; do cat \"$y\"; done",
            "x+=$(ls -a); echo \"$x\"",
            "LS=$(ls -a); echo \"$LS\"",
            "0</dev/null time cat <<< x",
            "x=.e; x+=nv; cat $x",
            "x=1 | cat $x",
            "[[ a == b ]]",
            "[[ -v x ]]",
            "cat \"$x\"",
            "cat $'a'",
            "echo $((a$x))",
            "echo ${y:1}",
            "</dev/null time ls; x=1; cat <<< x",
            "cat <(ls)",
            "((1))",
            "ls (a)",
            "ls &",
            "[[ -f x && -f y ]]",
            "cat [ab]",
            "cat `ls`",
            "f() { ls; }",
            "case x in x) ls;; esac",
            "ls\\\n-a",
            "cat a\u{a0}b",
            "cat a·b",
            "echo \"a\u{202e}b\"",
            "echo 'a\u{200b}b'",
            "xú=1; ls",
            "'ls' a",
            "$f a",
            "cat \"${f@P}\"",
            "echo \"a `ls`\"",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }
}
