//! Source to meanings, a line at a time.
//!
//! syntect's grammars say what a piece of source is; our themes say how that looks, so that every theme and colour depth
//! works. Nothing is loaded before the first line of a known language is asked for. A [`Highlighter`] remembers the
//! lines it parsed lately, keyed by everything before them: a block that is drawn again and again while it grows costs
//! only its new lines, whoever draws it. [`Highlighter::plain`] colours nothing and loads nothing; a front end uses it
//! until [`load`], called from another thread, has returned.
//!
//! Very long lines and very long blocks stay plain: the grammars have no bound on what such a line may cost.

mod language;
mod memo;
mod scope;

use std::cell::RefCell;
use std::rc::Rc;

use syntect::parsing::{ParseState, ScopeStack};

use super::theme::Meaning;
use language::Language;
use memo::Memo;

/// Longer lines are not parsed; bytes.
const LONGEST_LINE: usize = 2_000;
/// Maximum length of a block in lines; the rest is not parsed.
const LONGEST_BLOCK: u32 = 5_000;

/// A run of one meaning within a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeRun {
    /// Bytes from the start of the line.
    pub(crate) end: usize,
    pub(crate) meaning: Meaning,
}

/// Colours source, or leaves it plain.
#[derive(Debug, Default)]
pub struct Highlighter {
    memo: Option<RefCell<Memo>>,
}

/// Parser state of a block of source after its last complete line. A copy of it can read the line that is still
/// growing.
#[derive(Debug, Clone)]
pub(crate) struct CodeState {
    at: Option<Rc<GrammarState>>,
    lines: u32,
}

/// The state of the grammar after some lines.
#[derive(Debug)]
struct GrammarState {
    /// Stands for the language and all lines up to here.
    key: u64,
    parse: ParseState,
    stack: ScopeStack,
}

/// Loads the grammars and prepares these languages. It takes milliseconds and may be called on any thread.
pub fn load(languages: &[&str]) {
    for name in languages {
        let Some(language) = language::find(name) else {
            continue;
        };
        let mut parse = language.parse_state();
        // A failure shows again, and is handled, where a real line is parsed.
        let _ = parse.parse_line("let f = fn(x) { \"a\" + 'b' + 12 }; // c\n", language::syntaxes());
    }
}

impl Highlighter {
    pub fn new() -> Self {
        Self {
            memo: Some(RefCell::default()),
        }
    }

    pub fn plain() -> Self {
        Self { memo: None }
    }

    /// Tells the two kinds apart in the keys of layout caches.
    pub fn is_plain(&self) -> bool {
        self.memo.is_none()
    }

    /// Begins a block; `language` is a file name, an extension or what stands after a fence.
    pub(crate) fn start(&self, language: &str) -> CodeState {
        let found = self
            .memo
            .as_ref()
            .and_then(|memo| memo.borrow_mut().language(language));
        CodeState {
            at: found.map(|language: Language| Rc::new(GrammarState::new(language))),
            lines: 0,
        }
    }

    /// Reads a complete line, without its line break, and moves on.
    pub(crate) fn line(&self, state: &mut CodeState, line: &str) -> Rc<[CodeRun]> {
        state.lines = state.lines.saturating_add(1);
        if state.lines > LONGEST_BLOCK {
            state.at = None;
        }
        match self.parse(state, line) {
            ParsedLine::Plain => plain(line),
            ParsedLine::Failed => {
                state.at = None;
                plain(line)
            }
            ParsedLine::Runs(runs, after) => {
                state.at = Some(after);
                runs
            }
        }
    }

    fn parse(&self, state: &CodeState, line: &str) -> ParsedLine {
        let (Some(memo), Some(at)) = (&self.memo, &state.at) else {
            return ParsedLine::Plain;
        };
        if line.len() > LONGEST_LINE {
            return ParsedLine::Plain;
        }
        memo.borrow_mut().parse(at, line)
    }
}

enum ParsedLine {
    /// Nothing is known about it, and the state stays.
    Plain,
    /// The grammar gave up.
    Failed,
    Runs(Rc<[CodeRun]>, Rc<GrammarState>),
}

fn plain(line: &str) -> Rc<[CodeRun]> {
    Rc::new([CodeRun {
        end: line.len(),
        meaning: Meaning::Code,
    }])
}

impl GrammarState {
    fn new(language: Language) -> Self {
        Self {
            key: language.key(),
            parse: language.parse_state(),
            stack: ScopeStack::new(),
        }
    }
}

#[cfg(test)]
mod tests;
