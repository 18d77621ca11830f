//! Writes of a command through its operands: protected names, rules that deny, and whether accepted edits include them.

use std::path::{Path, PathBuf};

use super::{Gathered, Setting, base_name};
use crate::permission::command::{Copied, PathOperand, Simple, is_edit, written};

/// Files of a directory that are looked at when it is copied as a whole.
const MAX_COPIED: usize = 4000;

impl Setting<'_> {
    /// Gathers what may not be written. Returns whether the command changes files in the project and does nothing else.
    pub(super) fn changed(
        &self,
        command: &Simple,
        directories: Option<&[PathBuf]>,
        expanded: Option<&[String]>,
        gathered: &mut Gathered,
    ) -> bool {
        let written = written(command);
        let mut paths = Vec::new();
        let mut is_certain = directories.is_some();
        for target in &written.targets {
            match self.paths_of(target, directories) {
                Some(found) => paths.extend(found),
                None => is_certain = false,
            }
        }
        if let Some(copied) = &written.copied {
            match self.paths_of(&copied.destination, directories) {
                Some(found) => {
                    for destination in found {
                        self.copied_to(copied, &destination, directories, expanded, &mut paths);
                        paths.push(destination);
                    }
                }
                None => is_certain = false,
            }
        }
        if written.by_wildcard {
            paths.extend(expanded.into_iter().flatten().cloned());
        }
        let is_inside = |path: &String| {
            let resolved = [
                self.resolve(path, self.workdir),
                self.resolve_links(path, self.workdir),
            ];
            resolved[0].is_some() && resolved.iter().flatten().all(|resolved| resolved.inside)
        };
        let is_here = is_certain && expanded.is_some() && !paths.is_empty() && paths.iter().all(is_inside);
        for path in &paths {
            gathered.edit.extend(self.changed_path(path));
        }
        if matches!(base_name(command.program()), "rm" | "rmdir" | "mv") {
            // Whatever holds the project's repository takes it along.
            let project = self.services.roots.project_root();
            let gone = written
                .targets
                .iter()
                .filter(|target| target.wildcards.is_empty())
                .filter_map(|target| self.paths_of(target, directories));
            let holds = |path: &String| {
                Path::new(path)
                    .canonicalize()
                    .is_ok_and(|real| project.starts_with(real))
            };
            if gone.flatten().any(|path| holds(&path)) {
                let repository = project.join(".git");
                gathered
                    .edit
                    .extend(self.changed_path(&repository.to_string_lossy()));
            }
        }
        is_here && is_edit(command) && self.program(command.program()).is_some()
    }

    /// The names that files get in a directory, and those that they bring.
    fn copied_to(
        &self,
        copied: &Copied,
        destination: &str,
        directories: Option<&[PathBuf]>,
        expanded: Option<&[String]>,
        paths: &mut Vec<String>,
    ) {
        let named = |source: &PathOperand| {
            let is_plain = source.wildcards.is_empty();
            self.paths_of(source, directories).filter(|_| is_plain)
        };
        let mut sources: Vec<String> = copied.sources.iter().filter_map(named).flatten().collect();
        sources.extend(expanded.into_iter().flatten().cloned());
        for source in &sources {
            let name = Path::new(source).file_name();
            let into = match name {
                Some(name) => Path::new(destination).join(name),
                None => PathBuf::from(destination),
            };
            paths.push(into.to_string_lossy().into_owned());
            if !copied.is_recursive || !Path::new(source).is_dir() {
                continue;
            }
            // `cp -r a/. b` brings what is in `a` to `b` itself.
            let contents = source.ends_with("/.") || source.ends_with('/');
            for below in below(Path::new(source)) {
                paths.push(into.join(&below).to_string_lossy().into_owned());
                if contents || name.is_none() || !Path::new(destination).exists() {
                    paths.push(Path::new(destination).join(&below).to_string_lossy().into_owned());
                }
            }
        }
    }
}

/// `git checkout NAME`, where that is a file: it takes the file as it was.
pub(super) fn overwrites_a_file(command: &Simple, there: &[String]) -> bool {
    let is_checkout = command.words.iter().any(|word| word.text == "checkout");
    let makes_a_branch = command
        .words
        .iter()
        .any(|word| matches!(word.text.as_str(), "-b" | "--orphan"));
    command.program() == "git" && is_checkout && !makes_a_branch && !there.is_empty()
}

/// Lists what a directory holds that could be protected: relative paths, up to a limit.
fn below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(relative) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(directory.join(&relative)) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = relative.join(entry.file_name());
            if found.len() >= MAX_COPIED {
                return found;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}
