//! What the files have to be: every change by its author, in order, and what an undo of some of them leads to.

use std::collections::{BTreeMap, BTreeSet};

/// Files by path; one that is not there has no entry.
pub(super) type Files = BTreeMap<String, String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    Tool,
    Command,
    /// Anybody but lathe.
    Outside,
}

/// A change of one file.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) author: Author,
    pub(super) before: Option<String>,
    after: Option<String>,
    /// The turn that it belongs to, as an undo counts them.
    pub(super) turn: usize,
    /// It is known what the file was before.
    is_known: bool,
    /// The place among all changes that there ever were.
    number: usize,
}

/// An undo that can be taken back.
#[derive(Debug, Clone)]
struct Undone {
    /// The list as it was.
    changes: Vec<Change>,
    /// What the files were, and what they became.
    files: Vec<(String, Option<String>, Option<String>)>,
    prompts: Vec<String>,
}

/// The project and the conversation as they have to be.
#[derive(Debug, Clone, Default)]
pub(super) struct Model {
    pub(super) files: Files,
    pub(super) changes: Vec<Change>,
    /// The person's messages that are in the conversation, with the number of their turn.
    pub(super) prompts: Vec<String>,
    undone: Vec<Undone>,
    next: usize,
}

/// What an undo does.
#[derive(Debug, Clone)]
pub(super) struct Effect {
    pub(super) model: Model,
    /// Files that keep it from being whole.
    pub(super) in_the_way: BTreeSet<String>,
    /// Files would have to change, and none of them can be restored.
    pub(super) is_refused: bool,
}

impl Model {
    pub(super) fn change(&mut self, author: Author, path: &str, after: Option<&str>) {
        let before = self.files.get(path).cloned();
        if before.as_deref() == after {
            return;
        }
        let is_known = author != Author::Command || self.is_known(path);
        match after {
            Some(text) => self.files.insert(path.to_owned(), text.to_owned()),
            None => self.files.remove(path),
        };
        self.changes.push(Change {
            path: path.to_owned(),
            author,
            before,
            after: after.map(str::to_owned),
            turn: self.prompts.len(),
            is_known,
            number: self.next,
        });
        self.next += 1;
    }

    /// Lathe has looked at the file: a change of its own or of a command stands in the list.
    fn is_known(&self, path: &str) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|change| change.path == path && change.author != Author::Outside)
    }

    /// A message is sent.
    pub(super) fn say(&mut self, prompt: String) {
        self.prompts.push(prompt);
        self.undone.clear();
    }

    /// Undoes everything from a message on; `turn` counts from 1.
    pub(super) fn undo(&self, turn: usize, skips: bool, with_files: bool, with_conversation: bool) -> Effect {
        let mut effect = Effect {
            model: self.clone(),
            in_the_way: BTreeSet::new(),
            is_refused: false,
        };
        let mut has_refused = false;
        let mut undone = Undone {
            changes: self.changes.clone(),
            files: Vec::new(),
            prompts: Vec::new(),
        };
        let paths: BTreeSet<&String> = self.changes.iter().map(|change| &change.path).collect();
        for path in paths.into_iter().filter(|_| with_files) {
            let of_path = || self.changes.iter().filter(|change| change.path == *path);
            let own = |change: &&Change| change.author != Author::Outside && change.turn >= turn;
            let Some(first) = of_path().find(own) else {
                continue;
            };
            let now = self.files.get(path).cloned();
            // What a command did to a file that nobody had looked at, or that was not there, cannot be taken back.
            let is_lost = first.author == Author::Command && (!first.is_known || first.before.is_none());
            let begin = if is_lost {
                of_path().find(|change| own(change) && change.author == Author::Tool)
            } else {
                Some(first)
            };
            let target = begin.unwrap_or(first).before.clone();
            if now == target && !(is_lost && begin.is_none() && first.before.is_some() && !first.is_known) {
                effect.model.forget(path, begin.unwrap_or(first).number);
                continue;
            }
            let Some(begin) = begin else {
                has_refused = true;
                continue;
            };
            // Each of lathe's changes has to begin as the one before ended, and the file to be as the last one left it.
            let mut end = begin.before.clone();
            let mut is_foreign = false;
            for change in of_path().filter(|change| own(change) && change.number >= begin.number) {
                is_foreign |= change.before != end;
                end.clone_from(&change.after);
            }
            is_foreign |= end != now;
            if is_foreign {
                has_refused = true;
                effect.in_the_way.insert(path.clone());
                continue;
            }
            undone.files.push((path.clone(), now, target.clone()));
            match target {
                Some(text) => effect.model.files.insert(path.clone(), text),
                None => effect.model.files.remove(path),
            };
            effect.model.forget(path, begin.number);
        }
        effect.is_refused = has_refused && undone.files.is_empty();
        if effect.is_refused || !effect.in_the_way.is_empty() && !skips {
            effect.model = self.clone();
            return effect;
        }
        if with_conversation {
            undone.prompts = effect.model.prompts.split_off(turn - 1);
            // What is left of them belongs to what was said before.
            for change in &mut effect.model.changes {
                change.turn = change.turn.min(turn - 1);
            }
        }
        effect.model.undone.push(undone);
        effect
    }

    /// Takes the last undo back; `None` where there is none.
    pub(super) fn redo(&self) -> Option<Effect> {
        let mut model = self.clone();
        let undone = model.undone.pop()?;
        let mut in_the_way = BTreeSet::new();
        for (path, before, after) in &undone.files {
            let now = self.files.get(path).cloned();
            if now != *after && now != *before {
                in_the_way.insert(path.clone());
            }
        }
        if !in_the_way.is_empty() {
            return Some(Effect {
                model: self.clone(),
                in_the_way,
                is_refused: false,
            });
        }
        for (path, before, _) in undone.files {
            match before {
                Some(text) => model.files.insert(path, text),
                None => model.files.remove(&path),
            };
        }
        let first = undone
            .changes
            .iter()
            .map(|change| change.number + 1)
            .max()
            .unwrap_or(0);
        let since = model.changes.drain(..).filter(|change| change.number >= first);
        model.changes = undone
            .changes
            .into_iter()
            .chain(since.collect::<Vec<_>>())
            .collect();
        model.prompts.extend(undone.prompts);
        Some(Effect {
            model,
            in_the_way,
            is_refused: false,
        })
    }
}

impl Model {
    /// Takes lathe's changes of a file out of the list.
    fn forget(&mut self, path: &str, from: usize) {
        self.changes
            .retain(|change| change.path != path || change.number < from || change.author == Author::Outside);
    }
}
