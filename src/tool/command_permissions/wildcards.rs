//! Wildcards, replaced by the files they stand for now, rather by too many than by too few.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{CommandContext, base_name};
use crate::permission::Pattern;
use crate::permission::command::{Analysis, RedirectedFile, Simple, Word, WorkBudget, operand_of};

/// Names that are looked at for the wildcards of one command.
const MAX_NAMES: usize = 20_000;
/// Files that the wildcards of one command may stand for.
pub(super) const MAX_FILES: usize = 1000;
/// Programs whose words are text.
const TEXT_ONLY: &[&str] = &["echo", "printf"];

impl CommandContext<'_> {
    /// A word with its wildcards, and what it begins with as a path.
    pub(super) fn with_wildcards(&self, word: &Word, directory: &Path) -> Option<String> {
        let operand = operand_of(word);
        let at = word.glob_at.unwrap_or(word.text.len());
        let beginning = match operand.variable {
            Some(variable) => self.value(variable, directory)?,
            None if operand.tilde => self.home.clone()?,
            None => return Some(word.text.clone()),
        };
        let literal = operand.text.strip_prefix('~').unwrap_or(&operand.text);
        Some(format!("{}{literal}{}", beginning.to_str()?, &word.text[at..]))
    }

    /// Expands the wildcards of a command to absolute paths; `None` when there are too many to look at.
    pub(super) fn expand(
        &self,
        simple: &Simple,
        directories: Option<&[PathBuf]>,
        analysis: &Analysis,
    ) -> Option<Vec<String>> {
        let match_hidden = self.wildcards_match_hidden(analysis);
        let mut wildcards = Wildcards::new(&self.work).plain(match_hidden);
        if TEXT_ONLY.contains(&base_name(simple.program())) {
            return Some(Vec::new());
        }
        for word in simple
            .words
            .iter()
            .skip(1)
            .filter(|word| word.glob_at.is_some() && !word.is_dynamic())
        {
            for directory in directories? {
                let text = self.with_wildcards(word, directory)?;
                wildcards.below(directory, &text)?;
            }
        }
        Some(wildcards.found)
    }

    /// Returns every file that a redirection may read by a wildcard, such as the value of a loop's variable; `None` where
    /// they are not all known, and for one that writes.
    pub(super) fn read_by_wildcard(
        &self,
        redirected: &RedirectedFile,
        directories: Option<&[PathBuf]>,
        analysis: &Analysis,
    ) -> Option<Vec<String>> {
        let target = &redirected.target;
        if redirected.writes || target.glob_at.is_none() || target.may_split || target.is_dynamic() {
            return None;
        }
        let mut wildcards = Wildcards::new(&self.work).plain(self.wildcards_match_hidden(analysis));
        for directory in directories? {
            let text = self.with_wildcards(target, directory)?;
            wildcards.below(directory, &text)?;
        }
        Some(wildcards.found)
    }

    /// Returns true if a wildcard may stand for a name that begins with a dot, which the shell leaves out unless it was told
    /// otherwise: by the call, or before it.
    pub(super) fn wildcards_match_hidden(&self, analysis: &Analysis) -> bool {
        let sets_options = analysis
            .commands
            .iter()
            .chain(&analysis.possible_commands)
            .any(|command| {
                let mut options = command.words.iter().skip(1);
                let is_shell = ["bash", "sh", "ksh", "zsh", "dash"].contains(&base_name(command.program()));
                command.program() == "shopt"
                    || is_shell
                        && options.any(|word| word.text.starts_with(['-', '+']) && word.text.contains('O'))
            });
        // What is not understood may set them under any name.
        let is_unknown = |command: &Simple| command.words.first().is_none_or(Word::is_dynamic);
        // Every command of a text asks for it.
        !self.spend(analysis.commands.len() / 8 + analysis.text.len() / 64)
            || is_told(&analysis.text)
            || sets_options
            || analysis.refusal.is_some()
            || analysis.commands.iter().any(is_unknown)
            || TOLD_BY.iter().any(|name| self.services.variable(name).is_some())
    }
}

/// Returns true if a text has one of the names, with or without quotes in it.
fn is_told(text: &str) -> bool {
    let is_quote = |c: char| matches!(c, '\'' | '"' | '\\');
    let has_one = |text: &str| TOLD_BY.iter().any(|name| text.contains(name));
    if !text.contains(is_quote) {
        return has_one(text);
    }
    has_one(&text.chars().filter(|c| !is_quote(*c)).collect::<String>())
}

/// Options and variables by which shells let wildcards stand for hidden names, or read what may set them.
const TOLD_BY: &[&str] = &["dotglob", "BASHOPTS", "GLOBIGNORE", "FIGNORE", "BASH_ENV"];

pub(super) struct Wildcards {
    names_left: usize,
    pub(super) found: Vec<String>,
    /// True if a wildcard may stand for a name that begins with a dot.
    match_hidden: bool,
    /// True if what stands behind the last wildcard need not be there.
    may_be_new: bool,
    work: Rc<WorkBudget>,
}

impl Wildcards {
    /// Wildcards that may stand for hidden names.
    pub(super) fn new(work: &Rc<WorkBudget>) -> Self {
        Self {
            names_left: MAX_NAMES,
            found: Vec::new(),
            match_hidden: true,
            may_be_new: false,
            work: Rc::clone(work),
        }
    }

    /// As the shell replaces them for a command that writes.
    pub(super) fn plain(self, match_hidden: bool) -> Self {
        Self { match_hidden, ..self }
    }

    /// For a name that a command may make: of a loop's value more may stand behind it.
    pub(super) fn for_writing(self, match_hidden: bool) -> Self {
        Self {
            may_be_new: true,
            ..self.plain(match_hidden)
        }
    }

    pub(super) fn below(&mut self, directory: &Path, text: &str) -> Option<()> {
        let (start, rest) = match text.strip_prefix('/') {
            Some(rest) => (PathBuf::from("/"), rest),
            None => (directory.to_owned(), text),
        };
        let mut directories = vec![start];
        let components: Vec<&str> = rest
            .split('/')
            .filter(|component| !component.is_empty())
            .collect();
        let is_wildcard = |component: &&str| component.contains(['*', '?', '[']);
        let last = components.iter().rposition(is_wildcard);
        for (at, component) in components.iter().enumerate() {
            if !self.work.spend(3 * directories.len()) {
                return None;
            }
            let may_be_new = self.may_be_new && last.is_none_or(|last| at > last);
            directories = if is_wildcard(component) {
                let mut matching = self.matching(&directories, component)?;
                if at + 1 < components.len() && component.starts_with('.') && is_parent(component) {
                    // Before version 5.2 bash counts the parent among the names.
                    matching.extend(directories.iter().map(|directory| directory.join("..")));
                }
                if at + 1 < components.len() || rest.ends_with('/') {
                    matching.retain(|path| path.is_dir());
                }
                matching
            } else {
                let joined = directories.iter().map(|directory| directory.join(component));
                joined
                    .filter(|path| may_be_new || path.symlink_metadata().is_ok())
                    .collect()
            };
        }
        for path in directories {
            if path.to_str().is_none() {
                // The links of a name that is no text can be followed here alone.
                let real = path.canonicalize();
                self.found
                    .extend(real.ok().map(|real| real.to_string_lossy().into_owned()));
            }
            self.found.push(path.to_string_lossy().into_owned());
        }
        (self.found.len() <= MAX_FILES).then_some(())
    }

    fn matching(&mut self, directories: &[PathBuf], component: &str) -> Option<Vec<PathBuf>> {
        let pattern = pattern_of(component);
        let shows_hidden = self.match_hidden || component.starts_with('.');
        let mut matching = Vec::new();
        for directory in directories {
            if !self.work.spend(15) {
                return None;
            }
            let Ok(entries) = std::fs::read_dir(directory) else {
                continue;
            };
            for entry in entries.flatten() {
                self.names_left = self.names_left.checked_sub(1)?;
                if !self.work.spend(1) {
                    return None;
                }
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if pattern.matches(&name) && (shows_hidden || !name.starts_with('.')) {
                    matching.push(entry.path());
                }
            }
        }
        Some(matching)
    }
}

/// A quoted bracket cannot be told from a set any more, so from a bracket on everything counts.
fn pattern_of(component: &str) -> Pattern {
    let pattern = match component.split_once('[') {
        Some((before, _)) => format!("{before}*"),
        None => component.to_owned(),
    };
    Pattern::new(&pattern, None)
}

fn is_parent(component: &str) -> bool {
    pattern_of(component).matches("..")
}
