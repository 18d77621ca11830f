//! The syntax tree of a text, before anybody asks what it does.

use super::word::Word;

/// Constructs in constructs.
pub(super) const MAX_DEPTH: usize = 200;

/// One command of the shell's grammar, with all that is in it.
#[derive(Debug)]
pub(super) enum Node {
    Call(Call),
    /// One after the other, whatever becomes of each.
    Sequence(Vec<Node>),
    /// The first, and each other one if what came before it succeeded or failed.
    Chain(Box<Node>, Vec<(Link, Node)>),
    Not(Box<Node>),
    /// Each in a shell of its own.
    Pipeline(Vec<Node>),
    /// In a shell of its own: `( )`, `$( )`, `&`.
    Subshell(Box<Node>),
    Redirected(Vec<Redirection>, Box<Node>),
    /// Conditions with what follows them, and what follows if none held.
    If(Vec<(Node, Node)>, Option<Box<Node>>),
    /// At most one of them.
    Case(Vec<Node>),
    /// A condition and a body, again and again.
    Loop(Box<Node>, Box<Node>),
    Each(Each),
    Function(Box<Node>),
    /// Words, tests and arithmetic: nothing runs but the substitutions in them.
    Inside(Vec<Node>),
}

/// `for name in words`.
#[derive(Debug)]
pub(super) struct Each {
    pub(super) name: String,
    pub(super) words: Vec<Word>,
    /// Substitutions in the words.
    pub(super) inside: Box<Node>,
    pub(super) body: Box<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    And,
    Or,
}

/// A simple command as it was written.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
    pub(super) redirections: Vec<Redirection>,
    /// Substitutions in its words.
    pub(super) inside: Vec<Node>,
}

#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) name: String,
    /// As rules see it: `A=b`.
    pub(super) text: String,
    /// The whole value that it gets; `None` for arrays and what is added to.
    pub(super) value: Option<Word>,
}

#[derive(Debug)]
pub(super) struct Redirection {
    pub(super) kind: RedirectionKind,
    pub(super) target: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectionKind {
    /// `>`, `>>`, `>|`, `&>`, `<>` and the like.
    Write,
    Read,
    /// `<<`, `<<<`: what is read stands in the text.
    Text,
}
