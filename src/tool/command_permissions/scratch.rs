//! Temporary files: what a call writes below the scratch directory that commands get for them needs no answer.
//!
//! That holds for files that are seen to lie there: no link is on the way and the file has no other name, now and when the
//! call gets to write it. So no other command of the call may get at the directory, unless it can make no link there: by its
//! words as they lead now, and where there are several of them they name no files at all.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{CommandContext, Look};
use crate::permission::command::{Analysis, Simple, Variable, Word, operand_of};
use crate::permission::{Ask, Floor, PermissionKey};

/// Programs that write and make no links.
const WITHOUT_LINKS: &[&str] = &["mkdir", "touch", "tee", "rm", "rmdir"];

impl CommandContext<'_> {
    /// Returns true if this asks to write below the scratch directory.
    pub(super) fn is_temporary(&self, ask: &Ask) -> bool {
        ask.key == PermissionKey::EDIT
            && is_below(Path::new(&ask.subject.text), self.services.tree.scratch.path())
    }

    /// Takes the question out of the asks for files in the scratch directory. Rules that deny still hold.
    pub(super) fn allow_temporary_files(&self, analysis: &Analysis, looks: &[Look], asks: &mut [Ask]) {
        let scratch = &self.services.tree.scratch;
        let is_temporary = |ask: &&mut Ask| ask.floor == Floor::Rules && self.is_temporary(ask);
        let mut temporary: Vec<&mut Ask> = asks.iter_mut().filter(is_temporary).collect();
        // Without the directory commands are not given its name either, and `$TMPDIR/a` is `/a`.
        if temporary.is_empty() || scratch.ensure().is_err() {
            return;
        }
        let makes_no_link = |command: &Simple| {
            let is_known = WITHOUT_LINKS.contains(&command.program()) && !command.has_assignments;
            is_known && self.program(command.program()).is_some()
        };
        let commands = analysis.commands.iter().zip(looks);
        let others: Vec<&Simple> = commands
            .filter(|(command, look)| look.form.is_none() && !makes_no_link(command))
            .map(|(command, _)| command)
            .collect();
        // What one of several makes another one may go through.
        let may_link = match others[..] {
            [] => false,
            [command] => self.may_reach_scratch(command),
            _ => others
                .iter()
                .any(|command| self.names_files(command) || self.may_reach_scratch(command)),
        };
        if may_link {
            return;
        }
        for ask in &mut temporary {
            if is_plain_file(Path::new(&ask.subject.text), scratch.path()) {
                ask.floor = Floor::Denied;
                ask.always.clear();
            }
        }
    }

    /// Returns true if the words of a command, or where it runs, may lead it to the scratch directory.
    fn may_reach_scratch(&self, command: &Simple) -> bool {
        let scratch = self.services.tree.scratch.path();
        let Some(directories) = self.directories(&command.place) else {
            return true;
        };
        let name = scratch.file_name().unwrap_or_default().to_string_lossy();
        let leads_there = |word: &Word| {
            let paths = self.paths_of(&operand_of(word), Some(&directories));
            paths.unwrap_or_default().iter().any(|path| {
                let seen = [
                    self.resolve(path, self.workdir),
                    self.resolve_links(path, self.workdir),
                ];
                let mut real = seen.iter().flatten().map(|resolved| &resolved.real);
                seen[0].is_none() || real.any(|real| real.starts_with(scratch) || scratch.starts_with(real))
            })
        };
        let names_it = |word: &Word| {
            let is_named = word.text.contains(&*name) || word.text.contains("TMPDIR");
            is_named || word.is_dynamic() || word.variable == Some(Variable::Temporary) || leads_there(word)
        };
        let runs_there = directories.iter().any(|directory| {
            let real = directory.canonicalize();
            real.map_or(true, |real| real.starts_with(scratch))
        });
        command.more_operands || runs_there || command.words[1..].iter().any(names_it)
    }

    /// Returns true if a word of a command may be the path of a file.
    fn names_files(&self, command: &Simple) -> bool {
        let may_be_path = |word: &Word| !word.is_literal() || word.text.contains('/');
        let there = self.there(command, self.directories(&command.place).as_deref());
        command.words[1..].iter().any(may_be_path) || there.is_none_or(|there| !there.is_empty())
    }
}

fn is_below(path: &Path, directory: &Path) -> bool {
    path != directory && path.starts_with(directory)
}

/// Returns true if a path below a directory goes through directories alone, as far as they are there, to a file that has no
/// other name or to none.
fn is_plain_file(path: &Path, directory: &Path) -> bool {
    let Ok(below) = path.strip_prefix(directory) else {
        return false;
    };
    let mut at = directory.to_owned();
    let mut names = below.components().peekable();
    while let Some(name) = names.next() {
        at.push(name);
        let is_last = names.peek().is_none();
        match at.symlink_metadata() {
            Ok(found) if is_last => return found.is_file() && found.nlink() == 1,
            Ok(found) if found.is_dir() => {}
            Ok(_) => return false,
            Err(error) => return error.kind() == std::io::ErrorKind::NotFound,
        }
    }
    false
}
