//! Counts the files that a command would delete, for the person who is asked.
//!
//! It is a help and no judgement: what cannot be told is not counted, and nothing is decided by it. What is counted is
//! what is there now. Links are counted and never followed, and looking ends soon: somebody waits for the question. It ends
//! after so many entries and by no clock, so that the same files always give the same number.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{CommandContext, base_name};
use crate::permission::command::{Simple, Word, analyse, operand_of};
use crate::permission::{Ask, DeletedFiles, PermissionKey};
use crate::tool::SessionServices;

/// Entries that are looked at for all commands of a call; so many are read in a few milliseconds.
const MOST_ENTRIES: usize = 5000;

/// Notes on the asks for running `command` in `workdir` how many files it would delete. Looks at files.
pub(in crate::tool) fn count_deleted(
    services: &SessionServices,
    command: &str,
    workdir: &Path,
    asks: &mut [Ask],
) {
    let analysis = analyse(command);
    let setting = CommandContext::new(services, workdir);
    let mut patience = EntryBudget {
        entries: MOST_ENTRIES,
    };
    for command in &analysis.commands {
        let is_same = |other: &&Simple| other.canonical == command.canonical;
        if analysis.commands.iter().filter(is_same).count() > 1 {
            // One row stands for several places.
            continue;
        }
        let is_its = |ask: &&mut Ask| ask.key == PermissionKey::BASH && ask.subject.text == command.canonical;
        if let Some(ask) = asks.iter_mut().find(is_its) {
            ask.deletes = setting.deleted(command, &mut patience);
        }
    }
}

impl CommandContext<'_> {
    /// Counts the files that a command deletes; `None` if unknown.
    fn deleted(&self, command: &Simple, patience: &mut EntryBudget) -> Option<DeletedFiles> {
        let is_known = ["rm", "unlink"].contains(&base_name(command.program()));
        if !is_known || command.more_operands || command.filled_in.is_some() {
            return None;
        }
        let directories = self.directories(&command.place)?;
        let [directory] = &directories[..] else {
            return None;
        };
        let (options, operands) = parted(&command.words[1..]);
        let mut paths = Vec::new();
        for word in operands {
            if word.glob_at.is_some() {
                paths.extend(self.matching(word, directory)?);
            } else {
                paths.extend(self.paths_of(&operand_of(word), Some(&directories))?);
            }
        }
        let mut paths: Vec<_> = paths.into_iter().map(PathBuf::from).collect();
        paths.sort();
        // Asked before any is left out: what stands below a link goes elsewhere.
        let is_here = self.are_here(&paths);
        let is_recursive = options.iter().any(|word| is_recursive(&word.text));
        // What stands below another operand goes with that.
        paths.dedup_by(|later, path| later == path || is_recursive && later.starts_with(&*path));
        let mut deleted = DeletedFiles {
            files: 0,
            is_all: true,
            is_here,
        };
        for path in &paths {
            patience.count(path, is_recursive, &mut deleted);
        }
        Some(deleted)
    }

    /// Returns true if all of these are below the command's working directory, links followed.
    fn are_here(&self, paths: &[PathBuf]) -> bool {
        // After a `cd` through a link, shells and the system do not agree on what is above.
        let goes_up = |path: &PathBuf| {
            path.components()
                .any(|component| component == Component::ParentDir)
        };
        let workdir = self.workdir.canonicalize();
        workdir.is_ok_and(|workdir| {
            paths
                .iter()
                .all(|path| !goes_up(path) && is_below(path, &workdir))
        })
    }

    /// The paths that the shell puts for a wildcard; `None` where its rules are not known well enough to count.
    fn matching(&self, word: &Word, directory: &Path) -> Option<Vec<String>> {
        if word.is_dynamic() || word.text.contains(['[', '{']) {
            return None;
        }
        let text = self.with_wildcards(word, directory)?;
        let mut found = super::Wildcards::new(&self.work);
        found.below(directory, &text)?;
        // Unlike here, the shell finds a hidden name only where its dot is written.
        let written: Vec<&str> = text.rsplit('/').filter(|name| !name.is_empty()).collect();
        let is_meant = |path: &String| {
            let names = path.rsplit('/').zip(&written);
            names.into_iter().all(|(name, written)| {
                !name.starts_with('.') || written.starts_with('.') || !written.contains(['*', '?'])
            })
        };
        found.found.retain(is_meant);
        Some(found.found)
    }
}

/// Remaining number of entries that may be looked at.
struct EntryBudget {
    entries: usize,
}

impl EntryBudget {
    fn take(&mut self) -> bool {
        self.entries = self.entries.saturating_sub(1);
        self.entries > 0
    }

    fn count(&mut self, path: &Path, is_recursive: bool, deleted: &mut DeletedFiles) {
        if !self.take() {
            deleted.is_all = false;
            return;
        }
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                deleted.files += 1;
                return;
            }
            Err(_) => return,
        }
        let mut directories = vec![path.to_owned()];
        while let Some(directory) = directories.pop().filter(|_| is_recursive) {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                if !self.take() {
                    deleted.is_all = false;
                    return;
                }
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => directories.push(entry.path()),
                    _ => deleted.files += 1,
                }
            }
        }
    }
}

/// A link lies where its parent does, and so does a file. With a slash behind it a link is the directory that it leads to,
/// here as where the entries are counted.
fn is_below(path: &Path, directory: &Path) -> bool {
    let place = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => path.canonicalize(),
        _ => path.parent().unwrap_or(path).canonicalize(),
    };
    place.is_ok_and(|place| place.starts_with(directory))
}

/// The options of a command, and its operands.
fn parted(words: &[Word]) -> (Vec<&Word>, Vec<&Word>) {
    let end = words.iter().position(|word| word.text == "--");
    let (before, after) = words.split_at(end.unwrap_or(words.len()));
    let is_option = |word: &&Word| word.text.len() > 1 && word.text.starts_with('-');
    let (options, mut operands): (Vec<_>, Vec<_>) = before.iter().partition(is_option);
    operands.extend(after.iter().skip(1));
    (options, operands)
}

fn is_recursive(option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(name) => !name.is_empty() && "recursive".starts_with(name),
        None => option.contains(['r', 'R']),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::tool::harness::Harness;

    fn counted(project: &Harness, command: &str) -> Option<DeletedFiles> {
        let workdir = project.path("");
        let mut asks = super::super::command_permissions(&project.services, command, &workdir).asks;
        count_deleted(&project.services, command, &workdir, &mut asks);
        let mut found = asks.iter().filter_map(|ask| ask.deletes);
        found.next()
    }

    #[test]
    fn files_are_counted_where_it_is_known_which() {
        let project = Harness::new();
        for path in ["a/1.o", "a/2.o", "a/b/3.o", "a/.hidden", "x.o", ".y.o", "keep"] {
            project.write(path, "");
        }
        // A link is one file, wherever it leads.
        symlink(project.path("a"), project.path("link")).unwrap();
        symlink(project.path("a"), project.path("a/b/up")).unwrap();
        let here = |files| {
            Some(DeletedFiles {
                files,
                is_all: true,
                is_here: true,
            })
        };
        for (command, expected) in [
            ("rm -rf a", here(5)),
            ("rm --recursive a/b a keep", here(6)),
            ("rm a", here(0)),
            ("rm keep x.o", here(2)),
            ("rm -r link", here(1)),
            ("rm *.o", here(1)),
            ("rm a/*.o", here(2)),
            ("rm -- -r", here(0)),
            ("cd a && rm 1.o", here(1)),
            ("timeout 9 rm keep", here(1)),
            ("rm $x", None),
            ("rm [a-k]*", None),
            ("ls | xargs rm", None),
            ("mv keep x.o", None),
        ] {
            assert_eq!(counted(&project, command), expected, "{command}");
        }
        let outside = counted(&project, "rm ../nothing").unwrap();
        assert!(!outside.is_here && outside.files == 0);
    }

    #[test]
    fn what_lies_behind_a_link_is_counted_and_not_here() {
        let project = Harness::new();
        for name in ["1", "2", "deep/3"] {
            project.write(project.outside("data").join(name), "");
        }
        project.write("keep", "");
        symlink(project.outside("data"), project.path("cache")).unwrap();
        for (command, files, is_here) in [
            ("rm -rf cache/*", 3, false),
            ("rm cache/1", 1, false),
            ("rm -r cache/deep keep", 2, false),
            ("rm -rf cache/", 3, false),
            ("cd cache && rm 1", 1, false),
            ("rm -rf cache cache/1", 1, false),
            ("rm -rf cache", 1, true),
            ("rm keep cache", 2, true),
        ] {
            let expected = DeletedFiles {
                files,
                is_all: true,
                is_here,
            };
            assert_eq!(counted(&project, command), Some(expected), "{command}");
        }
    }

    #[test]
    fn counting_ends_where_there_is_too_much() {
        let project = Harness::new();
        let directory = project.path("many");
        fs::create_dir(&directory).unwrap();
        for number in 0..MOST_ENTRIES + 50 {
            fs::write(directory.join(number.to_string()), "").unwrap();
        }
        let deleted = counted(&project, "rm -r many").unwrap();
        assert!(
            !deleted.is_all && deleted.files <= MOST_ENTRIES as u64,
            "{deleted:?}"
        );
    }
}
