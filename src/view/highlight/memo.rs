//! The lines that were parsed lately.
//!
//! A line is known by a hash of its language and of all lines before it, so that a block that was drawn before costs a
//! look-up a line. Two generations bound the memory: when the young one is full it becomes the old one, and what is
//! asked for again moves over.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::language::{self, Language};
use super::scope::Meanings;
use super::{CodeRun, GrammarState, ParsedLine};

/// Lines in one generation; a line costs about a kilobyte.
const GENERATION: usize = 1_024;
const LANGUAGES: usize = 256;

#[derive(Default)]
pub(super) struct Memo {
    young: HashMap<u64, CachedLine>,
    old: HashMap<u64, CachedLine>,
    languages: HashMap<String, Option<Language>>,
    meanings: Meanings,
    /// The line with its line break, which the grammars need.
    line: String,
}

#[derive(Clone)]
struct CachedLine {
    runs: Rc<[CodeRun]>,
    after: Rc<GrammarState>,
}

impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memo")
            .field("lines", &self.young.len())
            .finish_non_exhaustive()
    }
}

impl Memo {
    pub(super) fn language(&mut self, given: &str) -> Option<Language> {
        let token = language::token(given);
        if let Some(found) = self.languages.get(&token) {
            return *found;
        }
        let found = language::find(&token);
        if self.languages.len() >= LANGUAGES {
            self.languages.clear();
        }
        self.languages.insert(token, found);
        found
    }

    pub(super) fn parse(&mut self, at: &GrammarState, line: &str) -> ParsedLine {
        let key = next_key(at.key, line);
        if let Some(known) = self.recall(key) {
            return ParsedLine::Runs(known.runs, known.after);
        }
        let Some(known) = self.parse_anew(at, line, key) else {
            return ParsedLine::Failed;
        };
        self.keep(key, known.clone());
        ParsedLine::Runs(known.runs, known.after)
    }

    fn recall(&mut self, key: u64) -> Option<CachedLine> {
        if let Some(known) = self.young.get(&key) {
            return Some(known.clone());
        }
        let known = self.old.remove(&key)?;
        self.keep(key, known.clone());
        Some(known)
    }

    fn keep(&mut self, key: u64, known: CachedLine) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, known);
    }

    fn parse_anew(&mut self, at: &GrammarState, line: &str, key: u64) -> Option<CachedLine> {
        self.line.clear();
        self.line.push_str(line);
        self.line.push('\n');
        let mut parse = at.parse.clone();
        let mut stack = at.stack.clone();
        let steps = parse.parse_line(&self.line, language::syntaxes()).ok()?;
        let mut runs: Vec<CodeRun> = Vec::new();
        let mut start = 0;
        for (step, operation) in steps {
            self.add_run(&mut runs, &stack, &mut start, step.min(line.len()));
            stack.apply(&operation).ok()?;
        }
        self.add_run(&mut runs, &stack, &mut start, line.len());
        Some(CachedLine {
            runs: runs.into(),
            after: Rc::new(GrammarState { key, parse, stack }),
        })
    }

    fn add_run(
        &mut self,
        runs: &mut Vec<CodeRun>,
        stack: &syntect::parsing::ScopeStack,
        start: &mut usize,
        end: usize,
    ) {
        if end <= *start {
            return;
        }
        *start = end;
        let meaning = self.meanings.of(stack.as_slice());
        match runs.last_mut() {
            Some(last) if last.meaning == meaning => last.end = end,
            _ => runs.push(CodeRun { end, meaning }),
        }
    }
}

fn next_key(key: u64, line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    line.hash(&mut hasher);
    hasher.finish()
}
