//! What a shell command asks: the directories it touches, the command itself, the files it writes and reads.
//!
//! `permission::command` takes the text apart and knows the rules; this file looks up the facts it needs. Wildcards are
//! replaced by the files they stand for now, rather by too many than by too few. Everything that is not one plain command
//! is asked with its whole text and nothing else.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::context::outside_asks;
use super::{Services, path_asks};
use crate::files::{Resolved, Roots};
use crate::permission::command::{
    Command, GitConfig, PathOperand, ReadOnly, ReadOnlyFacts, Simple, Word, analyse, files_read, paths,
    read_only,
};
use crate::permission::{Ask, Pattern, Subject};

/// A configuration that is larger is not vouched for.
const MAX_GIT_CONFIG: u64 = 256 * 1024;
/// Names that are looked at for the wildcards of one command.
const MAX_NAMES: usize = 20_000;
/// Files that the wildcards of one command may stand for.
const MAX_FILES: usize = 1000;
/// Variables that send git to another repository than the one it stands in.
const GIT_ELSEWHERE: &[&str] = &["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"];
/// Programs whose words are text.
const TEXT_ONLY: &[&str] = &["echo", "printf"];

pub(super) struct CommandAsks {
    /// In the order in which they are shown.
    pub(super) asks: Vec<Ask>,
    /// Why a command asks that would only read elsewhere.
    pub(super) why: Option<String>,
}

/// Returns the asks for running `command` in `workdir`. Looks at files.
pub(super) fn command_asks(services: &Services, command: &str, workdir: &Path) -> CommandAsks {
    let analysed = analyse(command);
    let Command::Simple(simple) = &analysed else {
        return CommandAsks {
            asks: vec![analysed.ask(&ReadOnly::No)],
            why: None,
        };
    };
    let home = variable(services, "HOME").map(PathBuf::from);
    let place = Place {
        services,
        from: Roots::new(workdir, home.as_deref()),
        workdir,
        home,
    };
    let operands = paths(simple);
    let found = place.expand(simple);
    let mut asks: Vec<Ask> = operands
        .iter()
        .flat_map(|operand| place.outside(operand))
        .collect();
    asks.extend(found.iter().flatten().flat_map(|path| place.outside_path(path)));
    let is_read_only = match &found {
        Some(_) => place.read_only(simple),
        // Nobody can say what it reads.
        None => ReadOnly::No,
    };
    asks.push(analysed.ask(&is_read_only));
    if base_name(simple.program()) == "tee" {
        asks.extend(operands.iter().flat_map(|operand| place.write(operand)));
    }
    let read = files_read(simple);
    asks.extend(read.iter().flat_map(|operand| place.read(&given(operand))));
    if !read.is_empty() {
        asks.extend(found.iter().flatten().flat_map(|path| place.read(path)));
    }
    let mut seen = HashSet::new();
    asks.retain(|ask| seen.insert((ask.key.clone(), ask.subject.text.clone())));
    let why = match is_read_only {
        ReadOnly::Configured(reason) => Some(format!(
            "The command only reads as a rule, but is asked about here: {reason}."
        )),
        ReadOnly::Yes | ReadOnly::No => None,
    };
    CommandAsks { asks, why }
}

fn variable<'a>(services: &'a Services, name: &str) -> Option<&'a std::ffi::OsStr> {
    let found = services.environment.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_os_str())
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// A quoted `~` is a file's name, and so is `file:`.
fn given(operand: &PathOperand) -> String {
    let is_name = operand.text.starts_with('~') && !operand.tilde;
    let is_url = operand
        .text
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    if is_name || is_url {
        format!("./{}", operand.text)
    } else {
        operand.text.clone()
    }
}

/// Where a command would run.
struct Place<'a> {
    services: &'a Services,
    /// Relative paths start at the command's own directory.
    from: Roots,
    workdir: &'a Path,
    home: Option<PathBuf>,
}

impl Place<'_> {
    /// The path as the session sees it.
    fn resolve(&self, given: &str) -> Option<Resolved> {
        let found = self.from.resolve(given).ok()?;
        self.services.roots.resolve(found.absolute.to_str()?).ok()
    }

    fn outside(&self, operand: &PathOperand) -> Vec<Ask> {
        if operand.dynamic {
            return vec![Ask::new("external_directory", Subject::new(&operand.text))];
        }
        if operand.text.is_empty() {
            // All of it is a wildcard, or nothing at all: the directory itself.
            return Vec::new();
        }
        self.outside_path(&given(operand))
    }

    fn outside_path(&self, given: &str) -> Vec<Ask> {
        let Some(resolved) = self.resolve(given) else {
            return vec![Ask::new("external_directory", Subject::new(given))];
        };
        if resolved.absolute == Path::new("/dev/null") {
            return Vec::new();
        }
        outside_asks(&self.services.roots, &resolved)
    }

    fn write(&self, operand: &PathOperand) -> Vec<Ask> {
        let Some(resolved) = self.resolve(&given(operand)) else {
            return Vec::new();
        };
        if resolved.absolute.starts_with("/dev") {
            return Vec::new();
        }
        let mut asks = path_asks("edit", &resolved);
        asks.extend(self.services.gate.protected(&resolved));
        asks
    }

    fn read(&self, given: &str) -> Vec<Ask> {
        let resolved = self.resolve(given);
        resolved
            .map(|resolved| path_asks("read", &resolved))
            .unwrap_or_default()
    }

    fn read_only(&self, simple: &Simple) -> ReadOnly {
        let path = variable(self.services, "PATH").unwrap_or_default();
        let project = self.services.roots.project_root();
        let is_system_program = |program: &str| is_system_program(program, path, project);
        let is_in_project = |path: &str| self.resolve(path).is_some_and(|resolved| resolved.inside);
        let git_config = |directory: Option<&str>| {
            if GIT_ELSEWHERE
                .iter()
                .any(|name| variable(self.services, name).is_some())
            {
                return GitConfig::Unknown("the environment names another repository".to_owned());
            }
            let start = directory.map_or_else(
                || self.workdir.to_owned(),
                |directory| self.workdir.join(directory),
            );
            repository_config(&start)
        };
        let facts = ReadOnlyFacts {
            is_system_program: &is_system_program,
            is_in_project: &is_in_project,
            git_config: &git_config,
        };
        read_only(simple, &facts)
    }

    /// What the wildcards of a command stand for, as paths; `None` when it is too much to look at.
    fn expand(&self, simple: &Simple) -> Option<Vec<String>> {
        if TEXT_ONLY.contains(&base_name(simple.program())) {
            return Some(Vec::new());
        }
        let mut wildcards = Wildcards {
            names_left: MAX_NAMES,
            found: Vec::new(),
        };
        for word in simple.words.iter().skip(1).filter(|word| word.glob_at.is_some()) {
            wildcards.word(word, self.workdir, self.home.as_deref())?;
        }
        Some(wildcards.found)
    }
}

struct Wildcards {
    names_left: usize,
    found: Vec<String>,
}

impl Wildcards {
    fn word(&mut self, word: &Word, workdir: &Path, home: Option<&Path>) -> Option<()> {
        let (start, rest) = match (word.text.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) if word.tilde => (home.to_owned(), rest),
            _ if word.text.starts_with('/') => (PathBuf::from("/"), word.text.as_str()),
            _ => (workdir.to_owned(), word.text.as_str()),
        };
        let mut directories = vec![start];
        for component in rest.split('/').filter(|component| !component.is_empty()) {
            directories = if component.contains(['*', '?', '[']) {
                self.matching(&directories, component)?
            } else {
                let joined = directories.iter().map(|directory| directory.join(component));
                joined.filter(|path| path.symlink_metadata().is_ok()).collect()
            };
        }
        for path in directories {
            self.found.push(path.to_string_lossy().into_owned());
        }
        (self.found.len() <= MAX_FILES).then_some(())
    }

    /// A quoted bracket cannot be told from a set any more, so from a bracket on everything counts.
    fn matching(&mut self, directories: &[PathBuf], component: &str) -> Option<Vec<PathBuf>> {
        let pattern = match component.split_once('[') {
            Some((before, _)) => format!("{before}*"),
            None => component.to_owned(),
        };
        let pattern = Pattern::new(&pattern, None);
        let mut matching = Vec::new();
        for directory in directories {
            let Ok(entries) = std::fs::read_dir(directory) else {
                continue;
            };
            for entry in entries.flatten() {
                self.names_left = self.names_left.checked_sub(1)?;
                if pattern.matches(&entry.file_name().to_string_lossy()) {
                    matching.push(entry.path());
                }
            }
        }
        Some(matching)
    }
}

/// Whether a name leads on the PATH to a program that neither lies nor points into the project. A path is never a system
/// program, and nor is anything on a PATH that depends on the directory.
fn is_system_program(program: &str, path: &std::ffi::OsStr, project: &Path) -> bool {
    if program.contains('/') {
        return false;
    }
    let is_executable = |file: &Path| {
        file.metadata()
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    for directory in std::env::split_paths(path) {
        if !directory.is_absolute() {
            return false;
        }
        let file = directory.join(program);
        if is_executable(&file) {
            let real = file.canonicalize();
            return !file.starts_with(project) && real.is_ok_and(|real| !real.starts_with(project));
        }
    }
    false
}

/// Finds what configures the repository that git would use in `start`, as git finds it.
fn repository_config(start: &Path) -> GitConfig {
    let Ok(start) = start.canonicalize() else {
        return GitConfig::Unknown("its directory cannot be found".to_owned());
    };
    for directory in start.ancestors() {
        let dot_git = directory.join(".git");
        if dot_git.is_dir() {
            return read_config(&dot_git.join("config"));
        }
        if dot_git.is_file() {
            return GitConfig::Unknown("it is a linked work tree".to_owned());
        }
        if directory.join("HEAD").is_file() && directory.join("objects").is_dir() {
            return read_config(&directory.join("config"));
        }
    }
    GitConfig::NoRepository
}

fn read_config(path: &Path) -> GitConfig {
    match path.metadata() {
        Ok(meta) if meta.len() > MAX_GIT_CONFIG => {
            GitConfig::Unknown("its configuration is very large".to_owned())
        }
        Ok(_) => match std::fs::read_to_string(path) {
            Ok(text) => GitConfig::Text(text),
            Err(error) => GitConfig::Unknown(format!("its configuration cannot be read: {error}")),
        },
        Err(_) => GitConfig::Text(String::new()),
    }
}

#[cfg(test)]
mod tests;
