//! One command of a call: the directories it touches, and the files it reads and writes, by its words.

use std::path::PathBuf;

use super::git::GitLook;
use super::written::{self, OperandPaths};
use super::{CommandContext, GatheredAsks, base_name, may_be_options};
use crate::permission::command::{
    Analysis, Form, GitShows, Simple, changes_directory, directory_operand, files_read, in_git, paths,
    search, shows_files, takes_paths,
};
use crate::permission::{Ask, PermissionKey, Subject};

/// Findings about one command.
pub(super) struct Look {
    /// Its form, if it is one that only reads.
    pub(super) form: Option<Form>,
    /// `None` for any other program.
    pub(super) git: Option<GitLook>,
    /// True if it changes files in the project and does nothing else.
    pub(super) is_edit: bool,
    /// True if its words stand for more files than are looked at.
    pub(super) is_too_much: bool,
    /// True if a word turned out to be a file that it overwrites.
    pub(super) destroys: bool,
}

impl Look {
    pub(super) fn shows_files_of_git(&self) -> bool {
        let git = self.form.as_ref().and_then(|form| form.git.as_ref());
        git.is_some_and(|git| git.shows != GitShows::Nothing)
    }
}

impl CommandContext<'_> {
    /// Gathers what one command asks, but for running it.
    pub(super) fn command(&self, command: &Simple, analysis: &Analysis, gathered: &mut GatheredAsks) -> Look {
        let known = self.directories(&command.place);
        let directories = known.as_deref();
        self.operand_places(command, analysis, directories, gathered);
        let there = self.operands_there(command, directories, gathered);
        let found = there
            .as_ref()
            .and_then(|_| self.files_of_wildcards(command, analysis, directories, gathered));
        let operand_paths = OperandPaths {
            directories,
            expanded: found.as_deref(),
        };
        let is_unseen = directories.is_some_and(|directories| self.has_unseen(command, directories));
        if is_unseen {
            gathered.read.extend(Self::unseen_asks(command, analysis));
        }
        let form = self.form_there(command, analysis, operand_paths, is_unseen);
        let mut look = Look {
            git: None,
            is_edit: false,
            is_too_much: found.is_none() && directories.is_some(),
            destroys: written::overwrites_a_file(command, there.as_deref().unwrap_or_default()),
            form,
        };
        if let (Some(form), Some(directories)) = (&look.form, directories) {
            self.listed_by_names(command, analysis, directories, gathered);
            let git = form.git.as_ref();
            look.git = git.map(|git| self.git(git, directories, gathered));
        } else {
            let mut named = there.unwrap_or_default();
            named.extend(found.iter().flatten().cloned());
            self.read_by_words(command, analysis, directories, &named, gathered);
        }
        if base_name(command.program()) == "tee" {
            self.written_by_tee(command, operand_paths, gathered);
        } else {
            let changed = self.changed(command, analysis, operand_paths, gathered);
            look.is_edit = changed.is_edit && !is_unseen;
            self.brought(command, analysis, operand_paths, &changed.kept, gathered);
            if look.form.is_none() {
                self.reached(command, analysis, gathered);
            }
        }
        self.read_by_operands(command, operand_paths, gathered);
        look
    }

    /// Gathers what is asked for the operands that are there as they are written; `None` when that cannot be told.
    fn operands_there(
        &self,
        command: &Simple,
        directories: Option<&[PathBuf]>,
        gathered: &mut GatheredAsks,
    ) -> Option<Vec<String>> {
        let there = self.there(command, directories);
        for path in there.iter().flatten() {
            gathered.outside.extend(self.outside_path(path, self.workdir));
            if shows_files(command) {
                gathered.read.extend(self.read_path(path));
            }
        }
        for operand in in_git(command) {
            gathered.read.extend(self.read_path(&operand.text));
        }
        there
    }

    /// Gathers what is asked for the files that wildcards stand for, and for those that a search finds; `None` when they are
    /// too many to look at.
    fn files_of_wildcards(
        &self,
        command: &Simple,
        analysis: &Analysis,
        directories: Option<&[PathBuf]>,
        gathered: &mut GatheredAsks,
    ) -> Option<Vec<String>> {
        let found = self.expand(command, directories, analysis)?;
        if let (Some(search), Some(directories)) = (search(command), directories) {
            self.look_through(&search, &found, directories, gathered)?;
        }
        for path in &found {
            gathered.outside.extend(self.outside_path(path, self.workdir));
        }
        Some(found)
    }

    /// Returns the form of a command that only reads, where it can be said what it reads.
    fn form_there(
        &self,
        command: &Simple,
        analysis: &Analysis,
        operand_paths: OperandPaths<'_>,
        is_unseen: bool,
    ) -> Option<Form> {
        let (directories, expanded) = operand_paths.directories.zip(operand_paths.expanded)?;
        let is_known = (!is_unseen || changes_directory(command))
            && !analysis.exports
            && !may_be_options(command, expanded, directories);
        is_known.then(|| self.form(command, directories))?
    }

    /// Gathers where the operands of a command lead.
    fn operand_places(
        &self,
        command: &Simple,
        analysis: &Analysis,
        directories: Option<&[PathBuf]>,
        gathered: &mut GatheredAsks,
    ) {
        let mut operands = paths(command);
        if operands.is_empty() {
            operands.extend(directory_operand(command));
        }
        let asks = operands
            .iter()
            .flat_map(|operand| self.outside(operand, directories));
        gathered.outside.extend(asks);
        if command.more_operands && takes_paths(command) && !names_its_operands(command) {
            // The paths stand nowhere in the text, so what brings them stands for them: `xargs cat`.
            let wrapper = command.given_by.and_then(|at| analysis.commands.get(at));
            let text = &wrapper.unwrap_or(command).canonical;
            let ask = Ask::new(PermissionKey::EXTERNAL_DIRECTORY, Subject::new(text));
            gathered.outside.push(ask);
        }
    }

    fn written_by_tee(&self, command: &Simple, found: OperandPaths<'_>, gathered: &mut GatheredAsks) {
        for operand in &paths(command) {
            gathered.edit.extend(self.write(operand, found.directories));
        }
        for path in found.expanded.unwrap_or_default() {
            gathered.edit.extend(self.write_path(path));
        }
    }

    /// Gathers the files among the operands that a command shows.
    fn read_by_operands(&self, command: &Simple, found: OperandPaths<'_>, gathered: &mut GatheredAsks) {
        let read = files_read(command);
        for operand in read.iter().filter(|operand| !operand.dynamic) {
            for path in self.paths_of(operand, found.directories).unwrap_or_default() {
                gathered.read.extend(self.read_path(&path));
            }
        }
        if !read.is_empty() {
            let paths = found.expanded.unwrap_or_default().iter();
            gathered.read.extend(paths.flat_map(|path| self.read_path(path)));
        }
    }
}

/// `{}` in the words of `find -exec`: what stands there was found below directories that are asked about.
fn names_its_operands(command: &Simple) -> bool {
    command.words.iter().any(|word| word.text.contains("{}"))
}
