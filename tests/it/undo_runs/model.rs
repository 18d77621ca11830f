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
    /// The call that made it; what one call removes and what it writes is a move.
    call: usize,
}

/// What an undo does to one file.
enum Verdict {
    /// It is what it was before.
    Settled,
    /// It gets this content.
    Restored(Option<String>),
    Refused {
        is_in_the_way: bool,
    },
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
    /// Number of the last call, and of the last change of somebody else.
    calls: usize,
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
    /// Takes in what one call did, or somebody else.
    pub(super) fn change(&mut self, changes: &[(Author, String, Option<String>)]) {
        self.calls += 1;
        for (author, path, after) in changes {
            self.change_file(*author, path, after.as_deref());
        }
    }

    fn change_file(&mut self, author: Author, path: &str, after: Option<&str>) {
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
            call: self.calls,
        });
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
        let mut undone = Undone {
            changes: self.changes.clone(),
            files: Vec::new(),
            prompts: Vec::new(),
        };
        let verdicts = if with_files {
            self.verdicts(turn)
        } else {
            BTreeMap::new()
        };
        let mut has_refused = false;
        for (path, verdict) in verdicts {
            match verdict {
                Verdict::Settled => effect.model.forget(&path, turn),
                Verdict::Refused { is_in_the_way } => {
                    has_refused = true;
                    if is_in_the_way {
                        effect.in_the_way.insert(path);
                    }
                }
                Verdict::Restored(target) => {
                    let now = self.files.get(&path).cloned();
                    match &target {
                        Some(text) => effect.model.files.insert(path.clone(), text.clone()),
                        None => effect.model.files.remove(&path),
                    };
                    effect.model.forget(&path, turn);
                    undone.files.push((path, now, target));
                }
            }
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

    /// Returns what an undo from a turn on does to each file that lathe or a command changed.
    fn verdicts(&self, turn: usize) -> BTreeMap<String, Verdict> {
        let own = |change: &&Change| change.author != Author::Outside && change.turn >= turn;
        let paths: BTreeSet<&String> = self
            .changes
            .iter()
            .filter(own)
            .map(|change| &change.path)
            .collect();
        let mut verdicts = BTreeMap::new();
        // Files whose content before a command is not known, and what tools moved away from them.
        let mut stays = BTreeSet::new();
        for path in paths {
            let changes: Vec<&Change> = self.changes.iter().filter(own).collect();
            let of_path: Vec<&Change> = changes
                .into_iter()
                .filter(|change| change.path == *path)
                .collect();
            let is_lost = of_path.iter().any(|change| change.is_lost());
            let (first, now) = (of_path[0], self.files.get(path).cloned());
            let is_as_before = now == first.before && !(first.is_lost() && first.before.is_some());
            let mut end = first.before.clone();
            let mut is_foreign = false;
            for change in &of_path {
                is_foreign |= change.before != end;
                end.clone_from(&change.after);
            }
            is_foreign |= end != now;
            let verdict = match (is_as_before, is_lost, is_foreign) {
                (true, true, _) => None,
                (true, false, _) => Some(Verdict::Settled),
                (false, true, _) => Some(Verdict::Refused { is_in_the_way: false }),
                (false, false, true) => Some(Verdict::Refused { is_in_the_way: true }),
                (false, false, false) => Some(Verdict::Restored(first.before.clone())),
            };
            if is_lost || matches!(verdict, Some(Verdict::Refused { .. })) {
                stays.insert(path.clone());
            }
            verdicts.extend(verdict.map(|verdict| (path.clone(), verdict)));
        }
        let moves = self.moves(turn);
        while let Some((_, to)) = moves
            .iter()
            .find(|(from, to)| stays.contains(from) && !stays.contains(to))
        {
            stays.insert(to.clone());
        }
        for (path, verdict) in &mut verdicts {
            if stays.contains(path) && matches!(verdict, Verdict::Restored(_)) {
                *verdict = Verdict::Refused { is_in_the_way: false };
            }
        }
        verdicts
    }

    /// Returns the moves by tools from a turn on: from where and to where.
    fn moves(&self, turn: usize) -> Vec<(String, String)> {
        let by_tool = || {
            self.changes
                .iter()
                .filter(|change| change.author == Author::Tool && change.turn >= turn)
        };
        let mut moves = Vec::new();
        for gone in by_tool().filter(|change| change.after.is_none()) {
            let written = by_tool().filter(|change| change.after.is_some() && change.call == gone.call);
            moves.extend(written.map(|written| (gone.path.clone(), written.path.clone())));
        }
        moves
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
            .map(|change| change.call + 1)
            .max()
            .unwrap_or(0);
        let since = model.changes.drain(..).filter(|change| change.call >= first);
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
    /// Takes the changes of a file that an undo covers out of the list.
    fn forget(&mut self, path: &str, turn: usize) {
        self.changes
            .retain(|change| change.path != path || change.turn < turn || change.author == Author::Outside);
    }
}

impl Change {
    /// Returns true for a command's change of a file that nobody had looked at, or that was not there.
    fn is_lost(&self) -> bool {
        self.author == Author::Command && (!self.is_known || self.before.is_none())
    }
}
