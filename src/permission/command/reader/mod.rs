//! Reads a text by the grammar of bash.
//!
//! The tree-sitter grammar knows the shape of a script but not its words, and it accepts texts that bash reads in another
//! way (`[ a && b ]`, `case` in substitutions, here-documents). So the text is read here by bash's own rules, which are
//! followed only as far as they are certain: whatever is rare, ambiguous or needs the shell's state is refused with a
//! reason. [`super::grammar`] then has to find the same commands, or the text is not believed.
//!
//! Commands that were found before a refusal are kept for deny rules. Nothing here knows what a command does.

mod arithmetic;
mod call;
mod compound;
mod expansion;
mod here;
mod words;

use self::here::PendingHereDocument;
use super::facts::{Facts, Refusal};
use super::syntax::{MAX_DEPTH, Node};

pub(super) const MAX_COMMANDS: usize = 1000;
/// The contract's limit for a command that is taken apart.
pub(super) const MAX_BYTES: usize = 100_000;

const UNEXPECTED: Refusal = "it is not a whole command";

pub(super) struct ShellReader<'a> {
    text: &'a str,
    at: usize,
    /// Exclusive; a substitution is read as a text of its own.
    end: usize,
    depth: usize,
    commands: usize,
    /// Here-documents whose text follows the line.
    pending: Vec<PendingHereDocument>,
    /// True if here-documents of an outer command wait for the end of its line.
    outer_waits: bool,
    /// Commands read so far that are in no node yet, for when the text turns out to be unreadable.
    found: Vec<String>,
    pub(super) facts: Facts,
}

/// Reads a whole text.
pub(super) fn read(text: &str) -> (Result<Node, Refusal>, Facts, Vec<String>) {
    let mut reader = ShellReader {
        text,
        at: 0,
        end: text.len(),
        depth: 0,
        commands: 0,
        pending: Vec::new(),
        outer_waits: false,
        found: Vec::new(),
        facts: Facts::default(),
    };
    let node = reader.whole();
    (node, reader.facts, reader.found)
}

impl ShellReader<'_> {
    fn whole(&mut self) -> Result<Node, Refusal> {
        if self.text.len() > MAX_BYTES {
            return Err("it is too long");
        }
        check_characters(self.text)?;
        let node = self.list()?;
        if self.at < self.end {
            return Err(UNEXPECTED);
        }
        if !self.pending.is_empty() {
            return Err("a here-document has no end");
        }
        Ok(node)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    fn expect(&mut self, text: &str) -> Result<(), Refusal> {
        if self.take(text) { Ok(()) } else { Err(UNEXPECTED) }
    }

    /// Reads something that may hold something of its kind.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Refusal>) -> Result<T, Refusal> {
        if self.depth >= MAX_DEPTH {
            return Err("it is nested too deeply");
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Skips blanks, continued lines and a comment.
    fn blanks(&mut self) {
        let mut before = self.text[..self.at].chars().next_back();
        loop {
            match self.peek() {
                Some(c @ (' ' | '\t')) => {
                    self.at += 1;
                    before = Some(c);
                }
                // Elsewhere it joins what stands on both sides: `(` and `(`.
                Some('\\') if self.starts_with("\\\n") && before.is_none_or(|c| " \t\n".contains(c)) => {
                    self.at += 2;
                    before = Some(' ');
                }
                Some('#') if before.is_none_or(|c| " \t\n;&|()".contains(c)) => {
                    let length = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += length;
                }
                _ => return,
            }
        }
    }

    /// Skips blanks and ends of lines, with the here-documents that follow them.
    fn lines(&mut self) -> Result<Vec<Node>, Refusal> {
        let mut inside = Vec::new();
        loop {
            self.blanks();
            if self.peek() != Some('\n') {
                return Ok(inside);
            }
            self.at += 1;
            if self.outer_waits {
                return Err("a here-document begins inside another command");
            }
            inside.extend(self.here_documents()?);
        }
    }

    /// Commands up to a closing word, `)`, `;;` or the end, which are left to the caller.
    fn list(&mut self) -> Result<Node, Refusal> {
        self.nested(Self::list_inside)
    }

    fn list_inside(&mut self) -> Result<Node, Refusal> {
        let mut sequence = Vec::new();
        loop {
            sequence.extend(self.lines()?);
            if self.is_closed() {
                return Ok(Node::Sequence(sequence));
            }
            let node = self.chain()?;
            self.blanks();
            let is_background = self.peek() == Some('&') && !self.starts_with("&&");
            if is_background {
                self.at += 1;
                sequence.push(Node::Subshell(Box::new(node)));
                continue;
            }
            sequence.push(node);
            match self.peek() {
                Some(';') if !self.starts_with(";;") && !self.starts_with(";&") => self.at += 1,
                Some('\n') => {}
                _ => return Ok(Node::Sequence(sequence)),
            }
        }
    }

    /// Returns true if no command can begin here.
    fn is_closed(&self) -> bool {
        const CLOSING: &[&str] = &["then", "do", "done", "fi", "else", "elif", "esac", "}"];
        match self.peek() {
            None | Some(')') => true,
            Some(';') => self.starts_with(";;") || self.starts_with(";&"),
            _ => CLOSING.contains(&self.plain_word()),
        }
    }

    /// The characters up to the next that ends a word, as they stand there.
    fn plain_word(&self) -> &str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| " \t\n;&|()<>".contains(c))
            .unwrap_or(rest.len());
        &rest[..end]
    }

    fn chain(&mut self) -> Result<Node, Refusal> {
        use super::syntax::Link;
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let link = if self.take("&&") {
                Link::And
            } else if self.take("||") {
                Link::Or
            } else {
                break;
            };
            let here = self.lines()?;
            let next = self.pipeline()?;
            rest.push((link, with_inside(here, next)));
        }
        Ok(if rest.is_empty() {
            first
        } else {
            Node::Chain(Box::new(first), rest)
        })
    }

    fn pipeline(&mut self) -> Result<Node, Refusal> {
        self.blanks();
        let mut is_not = false;
        while self.plain_word() == "!" {
            self.at += 1;
            is_not = !is_not;
            self.blanks();
        }
        let mut parts = vec![self.command()?];
        loop {
            self.blanks();
            if self.starts_with("||") || self.peek() != Some('|') {
                break;
            }
            self.at += 1;
            self.take("&");
            let here = self.lines()?;
            let next = self.command()?;
            parts.push(with_inside(here, next));
        }
        let node = match parts.len() {
            1 => parts.remove(0),
            _ => Node::Pipeline(parts),
        };
        Ok(if is_not { Node::Not(Box::new(node)) } else { node })
    }
}

/// Puts what a here-document runs before the command that follows it.
fn with_inside(mut inside: Vec<Node>, node: Node) -> Node {
    if inside.is_empty() {
        return node;
    }
    inside.push(node);
    Node::Sequence(inside)
}

/// Characters that no plain command has, quoted or not: they hide text, or bash uses them for itself.
fn check_characters(command: &str) -> Result<(), Refusal> {
    let is_odd = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_invisible(c);
    if command.contains(is_odd) {
        Err("it has control or invisible characters")
    } else {
        Ok(())
    }
}

/// Returns true for a character that shows nothing or turns the direction of the text.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
