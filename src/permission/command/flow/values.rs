//! Variables whose values stand in the text: `for f in a b`, `x=src`.
//!
//! A variable is known only where nothing else can have given it another value: what is set under a condition, in a loop,
//! in a function or by a builtin is not known afterwards. A word with several possible values stands for each of them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::hazards::{DECLARATIONS, NUMBERS, OF_SHELL};
use super::super::syntax::{Call, Each, Node};
use super::super::word::Word;
use super::place::any;

/// Commands that the values of one command's words may make of it.
const MAX_COMMANDS: usize = 64;
/// Words of all the commands that the values of one command's words may make of it.
const MAX_WORDS: usize = 20_000;
/// Bytes of a value. One that is put together again and again grows without end.
const MAX_VALUE: usize = 4096;

/// Known values of variables at one place of a script.
#[derive(Debug, Clone, Default)]
pub(super) struct VariableValues {
    known: BTreeMap<String, Vec<Word>>,
    /// Names that may get a value in a way that is not followed.
    never: BTreeSet<String>,
    /// True if any name may.
    is_off: bool,
}

impl VariableValues {
    /// Before a script is followed: notes which of its variables cannot be.
    pub(super) fn begin(&mut self, node: &Node, computed: Vec<String>) {
        self.never.extend(computed);
        let mut found = UnfollowedNames::default();
        any(node, &mut |node| {
            found.node(node);
            false
        });
        self.is_off |= found.is_any;
        self.never.extend(found.names);
        let never = &self.never;
        self.known.retain(|name, _| !never.contains(name));
    }

    /// The number of names that something is known about.
    pub(super) fn len(&self) -> usize {
        self.known.len() + self.never.len()
    }

    /// The same names are followed, and none of them has a known value.
    pub(super) fn forgotten(&self) -> Self {
        Self {
            known: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// These have no known value any more.
    pub(super) fn forget<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        for name in names {
            self.known.remove(name);
        }
    }

    /// No variable has a known value from here on.
    pub(super) fn end(&mut self) {
        self.is_off = true;
        self.known.clear();
    }

    /// `name=value`.
    pub(super) fn assign(&mut self, name: &str, value: Option<&Word>) {
        let values = value.and_then(|value| {
            if value.tilde || value.text.contains('~') {
                return None;
            }
            let values = self.of(value)?;
            let is_written = |made: &Word| made.glob_at.is_none() || value.expansions.is_empty();
            if !values
                .iter()
                .all(|made| is_written(made) && made.text.len() <= MAX_VALUE)
            {
                // The name that a wildcard stood for.
                return None;
            }
            // Nothing is split or looked up here; a wildcard stays as it is written.
            let values = values.into_iter().map(|value| Word {
                glob_at: None,
                ..value
            });
            Some(values.collect())
        });
        self.put(name, values);
    }

    /// Within the body of a loop over words. `before` is what is known where the words stand.
    pub(super) fn with_each(mut self, each: &Each, before: &Self) -> Self {
        let (name, words) = (each.name.as_str(), &each.words);
        let is_set_inside = assigned([&*each.body]).contains(name);
        let mut values = Vec::new();
        let mut is_known = !is_set_inside && !words.is_empty();
        for word in words {
            match before.of(word).filter(|_| !word.tilde) {
                // A name that a wildcard stands for may be split again.
                Some(found) => values.extend(found),
                None => is_known = false,
            }
        }
        let values = Some(values).filter(|values| is_known && values.len() <= MAX_COMMANDS);
        self.put(name, values);
        self
    }

    fn put(&mut self, name: &str, values: Option<Vec<Word>>) {
        let is_followed = !self.is_off
            && !self.never.contains(name)
            && !OF_SHELL.contains(&name)
            && !NUMBERS.contains(&name);
        match values.filter(|_| is_followed) {
            Some(values) => drop(self.known.insert(name.to_owned(), values)),
            None => drop(self.known.remove(name)),
        }
    }

    /// The same without what these nodes set.
    pub(super) fn without<'n>(mut self, nodes: impl IntoIterator<Item = &'n Node>) -> Self {
        for name in assigned(nodes) {
            self.known.remove(&name);
        }
        self
    }

    /// The words of a command, once for each value that they may have. What is not known stays as it is.
    pub(super) fn resolve(&self, words: &[Word]) -> Vec<Vec<Word>> {
        let is_plain = words.iter().all(|word| word.expansions.is_empty());
        if is_plain || self.known.is_empty() {
            return vec![words.to_vec()];
        }
        // The same variable has the same value in every word, so all are replaced together.
        let names: BTreeSet<&String> = words
            .iter()
            .flat_map(|word| &word.expansions)
            .filter_map(|expansion| expansion.name.as_ref())
            .filter(|name| self.known.contains_key(*name))
            .collect();
        let mut chosen: Vec<BTreeMap<&str, &Word>> = vec![BTreeMap::new()];
        for name in names {
            let values = &self.known[name];
            let more = chosen.iter().flat_map(|choice| {
                values.iter().map(move |value| {
                    let mut choice = choice.clone();
                    choice.insert(name.as_str(), value);
                    choice
                })
            });
            chosen = more.take(MAX_COMMANDS + 1).collect();
            if chosen.len() > MAX_COMMANDS || chosen.len() * words.len() > MAX_WORDS {
                return vec![words.to_vec()];
            }
        }
        let replaced = |choice: &BTreeMap<&str, &Word>| {
            let words = words
                .iter()
                .map(|word| replaced(word, choice).unwrap_or_else(|| word.clone()));
            words.collect()
        };
        chosen.iter().map(replaced).collect()
    }

    /// Every value of one word; `None` when it is not known.
    fn of(&self, word: &Word) -> Option<Vec<Word>> {
        let values = self.resolve(std::slice::from_ref(word));
        let values: Vec<Word> = values.into_iter().flatten().collect();
        values
            .iter()
            .all(|value| value.dynamic_at.is_none())
            .then_some(values)
    }
}

/// A word with all of its expansions replaced; `None` when one is not known, or could become several words.
fn replaced(word: &Word, choice: &BTreeMap<&str, &Word>) -> Option<Word> {
    // With a value the braces would be there still.
    if word.expansions.is_empty() || word.has_braces {
        return None;
    }
    let mut made = Word {
        text: String::new(),
        dynamic_at: None,
        variable: None,
        variable_end: 0,
        splits: false,
        glob_at: None,
        expansions: Vec::new(),
        ..word.clone()
    };
    let mut at = 0;
    let literal = |made: &mut Word, from: usize, to: usize| {
        if let Some(glob) = word.glob_at.filter(|glob| (from..to).contains(glob)) {
            made.glob_at.get_or_insert(made.text.len() + glob - from);
        }
        made.text.push_str(&word.text[from..to]);
    };
    for expansion in &word.expansions {
        literal(&mut made, at, expansion.range.start);
        at = expansion.range.end;
        let value = choice.get(expansion.name.as_deref()?)?;
        let wildcards = value.text.find(['*', '?', '[']);
        let glob = value
            .glob_at
            .or_else(|| wildcards.filter(|_| !expansion.is_quoted));
        let is_one_word = !value.text.is_empty() && !value.text.contains([' ', '\t', '\n', '\\']);
        if !expansion.is_quoted && !is_one_word {
            return None;
        }
        made.may_split |= !expansion.is_quoted && value.glob_at.is_some();
        if let Some(glob) = glob {
            made.glob_at.get_or_insert(made.text.len() + glob);
        }
        made.text.push_str(&value.text);
    }
    literal(&mut made, at, word.text.len());
    Some(made)
}

/// Names that plain assignments and loops give a value.
fn assigned<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for node in nodes {
        any(node, &mut |node| {
            match node {
                Node::Call(call) if call.words.is_empty() => {
                    names.extend(call.assignments.iter().map(|assignment| assignment.name.clone()));
                }
                Node::Each(each) => {
                    names.insert(each.name.clone());
                }
                _ => {}
            }
            false
        });
    }
    names
}

/// Names that get a value in a way that is not followed.
#[derive(Default)]
struct UnfollowedNames {
    names: BTreeSet<String>,
    is_any: bool,
}

impl UnfollowedNames {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Function(body) => self.names.extend(assigned([&**body])),
            Node::Call(call) => self.call(call),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        if call.words.is_empty() {
            return;
        }
        let of_one = call.assignments.iter().map(|assignment| assignment.name.clone());
        self.names.extend(of_one);
        let has = |names: &[&str]| call.words.iter().any(|word| names.contains(&word.text.as_str()));
        self.is_any |= has(&["eval", "source", ".", "let", "coproc", "trap", "shopt"]);
        let sets = has(DECLARATIONS)
            || (has(&["printf"]) && call.words.iter().any(|word| word.text.starts_with("-v")));
        let sets = sets || (has(&["wait"]) && call.words.iter().any(|word| word.text.starts_with("-p")));
        if !sets {
            return;
        }
        for word in &call.words {
            self.is_any |= word.is_dynamic() || word.glob_at.is_some();
            let end = word.text.find(['=', '[', '+']).unwrap_or(word.text.len());
            let name = &word.text[..end];
            self.names.insert(name.to_owned());
            // `-vx`, `-ax`.
            let letters = name.char_indices().skip(1).map(|(at, _)| name[at..].to_owned());
            self.names.extend(letters.filter(|_| name.starts_with('-')));
        }
    }
}
