//! Names that one command of a call gives to another: by a pipe to `xargs`, by `find -exec`, by `$( )` and variables.

use std::fs;
use std::path::{Path, PathBuf};

use super::find_matches::FindMatch;
use super::{CommandContext, CommandDirectories, ReachedPaths, base_name, is_shell, is_special};
use crate::permission::command::{
    Analysis, FindCommand, Simple, Word, analyse, operand_of, outputs, written,
};
use crate::tool::command_permissions::paths::tokens;

/// Names that are put into one command's words.
const MAX_NAMES: usize = 500;

impl CommandContext<'_> {
    /// Adds what a command writes by names that it is given.
    pub(super) fn reach_by_names(
        &self,
        command: &Simple,
        places: &CommandDirectories,
        analysis: &Analysis,
        has_unknown: bool,
        reached: &mut ReachedPaths,
    ) {
        let endings = written(command)
            .backup
            .map(|backup| backup.suffixes)
            .unwrap_or_default();
        let names = match command.given_by.and_then(|at| analysis.commands.get(at)) {
            Some(initiator) if base_name(initiator.program()) == "find" => {
                self.names_of_find(initiator, analysis, reached)
            }
            Some(initiator) => self.names_given(initiator, &endings, analysis, reached),
            None if has_unknown && writes_what_is_not_known(command) => {
                self.names_given(command, &endings, analysis, reached)
            }
            None => return,
        };
        for name in names.into_iter().take(MAX_NAMES) {
            if !self.spend(command.words.len()) {
                return;
            }
            self.with_name(command, &name, places, analysis, reached);
        }
    }

    /// Adds what a command writes where a name stands in the place of what is not known.
    fn with_name(
        &self,
        command: &Simple,
        name: &GivenName,
        places: &CommandDirectories,
        analysis: &Analysis,
        reached: &mut ReachedPaths,
    ) {
        if is_shell(command) {
            let text = command
                .words
                .iter()
                .find(|word| word.text.contains([' ', '$', '>']));
            let writes = text.is_some_and(|text| {
                let inner = analyse(&text.text);
                inner.commands.iter().any(writes_what_is_not_known)
                    || inner
                        .redirected
                        .iter()
                        .any(|redirected| redirected.writes && redirected.target.is_dynamic())
            });
            if writes {
                add_name(name, places, reached);
            }
            return;
        }
        let filled = command.filled(&name.text);
        let own = CommandDirectories {
            directories: match &name.directory {
                Some(directory) => vec![directory.clone()],
                None => places.directories.clone(),
            },
            is_certain: false,
        };
        // What it would have been given by others is in its words now.
        self.reach_by_words(&filled, &own, analysis, reached);
    }

    /// The names that the actions of a `find` get.
    fn names_of_find(
        &self,
        initiator: &Simple,
        analysis: &Analysis,
        reached: &mut ReachedPaths,
    ) -> Vec<GivenName> {
        let Some(find) = FindCommand::of(initiator) else {
            return Vec::new();
        };
        let findings = self.findings(&find, &self.places(&initiator.place, analysis), analysis);
        reached.is_too_much |= findings.is_too_much;
        let in_directory = initiator
            .words
            .iter()
            .any(|word| matches!(&*word.text, "-execdir" | "-okdir"));
        let names = findings.run_on.into_iter().map(|FindMatch { path, name }| {
            let last = path
                .file_name()
                .map(|name| format!("./{}", name.to_string_lossy()));
            match (in_directory, path.parent(), last) {
                (true, Some(parent), Some(last)) => GivenName {
                    text: last,
                    directory: Some(parent.to_owned()),
                },
                _ => GivenName {
                    text: if name.starts_with('/') {
                        name
                    } else {
                        path.to_string_lossy().into_owned()
                    },
                    directory: None,
                },
            }
        });
        names.collect()
    }

    /// The names that come into a command, as far as the text tells: those that may be protected, by themselves or with one of
    /// the endings.
    fn names_given(
        &self,
        command: &Simple,
        endings: &[String],
        analysis: &Analysis,
        reached: &mut ReachedPaths,
    ) -> Vec<GivenName> {
        let mut names = Vec::new();
        for source in analysis.sources(command) {
            names.extend(self.names_printed(source, analysis, reached));
        }
        let has_text = |command: &Simple| command.input.is_text;
        let has_text = has_text(command) || analysis.sources(command).any(has_text);
        if has_text && self.spend(analysis.text.len() / 8) {
            names.extend(tokens(&analysis.text));
        }
        let with_ending = |name: &str| {
            let mut names = endings.iter().map(|ending| format!("{name}{ending}"));
            names.any(|name| is_special(Path::new(&name)))
        };
        names.retain(|name| is_special(Path::new(name)) || with_ending(name));
        // One stands for all that are not protected by themselves: the words around it may be.
        names.push("name".to_owned());
        let given = names.into_iter().map(|text| GivenName {
            text,
            directory: None,
        });
        given.collect()
    }

    /// The names that a command prints whose words say all of them; `None` for any other.
    pub(in super::super) fn all_names_printed(
        &self,
        source: &Simple,
        analysis: &Analysis,
    ) -> Option<Vec<String>> {
        let says_all = match base_name(source.program()) {
            "echo" | "printf" => true,
            "ls" => !source
                .words
                .iter()
                .any(|word| word.text.starts_with('-') && word.text.contains(['R', 'r'])),
            _ => false,
        };
        let is_known = says_all && source.given_by.is_none();
        let is_known = is_known && source.words.iter().all(|word| !word.is_dynamic());
        is_known.then(|| self.names_printed(source, analysis, &mut ReachedPaths::default()))
    }

    /// The names that a command prints.
    fn names_printed(&self, source: &Simple, analysis: &Analysis, reached: &mut ReachedPaths) -> Vec<String> {
        if !self.spend(20 + source.words.len()) {
            return Vec::new();
        }
        let places = self.places(&source.place, analysis);
        let operands = source.words[1..]
            .iter()
            .filter(|word| !word.text.starts_with('-'));
        match base_name(source.program()) {
            "echo" | "printf" => {
                let mut names: Vec<String> = operands.clone().flat_map(|word| tokens(&word.text)).collect();
                names.extend(operands.flat_map(|word| self.names_of_word(word, &places, analysis)));
                names
            }
            "ls" => {
                let options: String = source.words[1..]
                    .iter()
                    .filter(|word| word.text.starts_with('-'))
                    .map(|word| word.text.as_str())
                    .collect();
                let mut names: Vec<String> = Vec::new();
                let mut listed: Vec<PathBuf> = Vec::new();
                for word in operands {
                    for name in self.names_of_word(word, &places, analysis) {
                        listed.extend(places.directories.iter().map(|directory| directory.join(&name)));
                        names.push(name);
                    }
                }
                if listed.is_empty() {
                    listed.extend(places.directories.iter().cloned());
                }
                if !options.contains('d') {
                    let entries = listed
                        .iter()
                        .filter_map(|path| fs::read_dir(path).ok())
                        .flatten()
                        .flatten();
                    let inside = entries
                        .take_while(|_| self.spend(1))
                        .map(|entry| entry.file_name().to_string_lossy().into_owned());
                    let shows_hidden = options.contains(['a', 'A', 'f']);
                    names.extend(inside.filter(|name| shows_hidden || !name.starts_with('.')));
                }
                names
            }
            "find" => {
                let Some(find) = FindCommand::of(source) else {
                    return Vec::new();
                };
                let findings = self.findings(&find, &places, analysis);
                reached.is_too_much |= findings.is_too_much;
                let printed = findings.printed.into_iter();
                printed
                    .map(|found| found.path.to_string_lossy().into_owned())
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The meaning of a word as it is passed on.
    fn names_of_word(&self, word: &Word, places: &CommandDirectories, analysis: &Analysis) -> Vec<String> {
        if word.glob_at.is_none() {
            return vec![word.text.clone()];
        }
        let mut spelled = ReachedPaths::default();
        self.spell(&operand_of(word), places, analysis, &mut spelled);
        let names = spelled.paths.into_iter().map(|candidate| {
            let below = places
                .directories
                .iter()
                .find_map(|directory| candidate.path.strip_prefix(directory).ok());
            below.unwrap_or(&candidate.path).to_string_lossy().into_owned()
        });
        names.collect()
    }
}

/// A name that a command is given.
struct GivenName {
    text: String,
    /// The directory where the command then runs, if that depends on the name.
    directory: Option<PathBuf>,
}

fn add_name(name: &GivenName, places: &CommandDirectories, reached: &mut ReachedPaths) {
    match &name.directory {
        Some(directory) => reached.add(directory.join(&name.text), false),
        None => {
            for directory in &places.directories {
                reached.add(directory.join(&name.text), false);
            }
        }
    }
}

/// Returns true if a command changes files that only the shell knows.
fn writes_what_is_not_known(command: &Simple) -> bool {
    let written = written(command);
    let copied = written.copied.iter().map(|copied| &copied.destination);
    written
        .targets
        .iter()
        .chain(copied)
        .any(|operand| operand.dynamic)
        || outputs(command).iter().any(|operand| operand.dynamic)
}
