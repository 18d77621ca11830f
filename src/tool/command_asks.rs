//! What a shell command asks: the directories it touches, the commands it runs, the files it writes and reads.
//!
//! `permission::command` takes the text apart and knows the rules; this file looks up the facts it needs. Wildcards are
//! replaced by the files they stand for now, rather by too many than by too few. A text that is not understood is asked
//! whole, with whatever paths were found in it all the same.

mod deleted;
mod paths;
mod programs;
mod repository;
mod search;
mod submodules;
mod wildcards;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub(super) use self::deleted::count_deleted;
use self::paths::is_harmless_device;
use self::wildcards::Wildcards;
use super::Services;
use crate::permission::command::{
    Analysis, ReadOnly, Redirected, Simple, analyse, files_read, in_git, operand_of, paths, search,
    shows_files, takes_paths,
};
use crate::permission::{Ask, Floor, Subject};

/// Shells whose grammar the analysis knows.
const KNOWN_SHELLS: &[&str] = &["bash", "sh", "dash", "ksh"];

pub(super) struct CommandAsks {
    /// In the order in which they are shown.
    pub(super) asks: Vec<Ask>,
    /// Why a command asks that would only read elsewhere, or asks as a whole.
    pub(super) why: Option<String>,
    /// Set exactly if every simple command of the call has the form of the `@read-only` list.
    pub(super) reads_only: Option<ReadsOnly>,
}

/// A call that only reads, and what it needs to be run confined to that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadsOnly {
    /// The programs that it names; absolute, links resolved, without the shell.
    pub(super) programs: Vec<PathBuf>,
    pub(super) runs_git: bool,
}

/// Returns the asks for running `command` in `workdir`. Looks at files.
pub(super) fn command_asks(services: &Services, command: &str, workdir: &Path) -> CommandAsks {
    let analysis = analyse(command);
    let setting = Setting::new(services, workdir);
    let mut gathered = Gathered::default();
    for command in &analysis.commands {
        setting.command(command, &analysis, &mut gathered);
    }
    for redirected in &analysis.redirected {
        setting.redirected(redirected, &mut gathered);
    }
    let refusal = analysis.refusal.or_else(|| setting.refusal(&analysis));
    if let Some(reason) = refusal {
        gathered.bash = vec![analysis.whole()];
        gathered.why = Some(format!("The command is asked about as a whole: {reason}."));
        for target in analysis.possible_targets() {
            gathered.edit.extend(setting.possible_target(&target));
        }
    }
    let mut asks = gathered.outside;
    asks.extend(gathered.bash);
    asks.extend(gathered.edit);
    asks.extend(gathered.read);
    CommandAsks {
        asks: without_repetitions(asks),
        why: gathered.why,
        reads_only: None,
    }
}

#[derive(Default)]
struct Gathered {
    outside: Vec<Ask>,
    bash: Vec<Ask>,
    edit: Vec<Ask>,
    read: Vec<Ask>,
    why: Option<String>,
}

/// The same command may only read in one place and do more in another: then it does more.
fn without_repetitions(asks: Vec<Ask>) -> Vec<Ask> {
    let name = |ask: &Ask| (ask.key.clone(), ask.subject.text.clone());
    let doing_more: HashSet<_> = asks
        .iter()
        .filter(|ask| !ask.subject.read_only)
        .map(name)
        .collect();
    let mut seen = HashSet::new();
    let mut kept: Vec<Ask> = Vec::with_capacity(asks.len());
    for mut ask in asks {
        ask.subject.read_only &= !doing_more.contains(&name(&ask));
        if seen.insert(name(&ask)) {
            kept.push(ask);
            continue;
        }
        // Spellings for rules that restrict may differ by what stands around a command.
        let same = kept
            .iter_mut()
            .find(|known| known.key == ask.key && known.subject.text == ask.subject.text);
        if let Some(known) = same {
            for form in ask.subject.restrict_also {
                if !known.subject.restrict_also.contains(&form) {
                    known.subject.restrict_also.push(form);
                }
            }
        }
    }
    kept
}

fn variable<'a>(services: &'a Services, name: &str) -> Option<&'a std::ffi::OsStr> {
    let found = services.environment.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_os_str())
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Where commands would run.
struct Setting<'a> {
    services: &'a Services,
    workdir: &'a Path,
    home: Option<PathBuf>,
}

impl<'a> Setting<'a> {
    fn new(services: &'a Services, workdir: &'a Path) -> Self {
        Self {
            services,
            workdir,
            home: variable(services, "HOME").map(PathBuf::from),
        }
    }
}

impl Setting<'_> {
    /// Why the commands cannot be taken at their words in this session.
    fn refusal(&self, analysis: &Analysis) -> Option<&'static str> {
        let shell = self.services.settings.bash.shell.as_deref();
        if !KNOWN_SHELLS.contains(&shell.map_or("bash", base_name)) {
            return Some("the shell that runs it has another grammar");
        }
        if analysis.only_bash && shell.is_some_and(|shell| base_name(shell) != "bash") {
            return Some("the shell that runs it has another grammar");
        }
        let is_passed_on = |name: &String| variable(self.services, name).is_some();
        if analysis.lasting.iter().any(is_passed_on) {
            return Some("it changes a variable that programs are given");
        }
        None
    }

    fn command(&self, command: &Simple, analysis: &Analysis, gathered: &mut Gathered) {
        let operands = paths(command);
        let directories = self.directories(&command.place);
        for operand in &operands {
            gathered
                .outside
                .extend(self.outside(operand, directories.as_deref()));
        }
        if command.more_operands && takes_paths(command) && !names_its_operands(command) {
            gathered
                .outside
                .push(Ask::new("external_directory", Subject::new(&command.canonical)));
        }
        let mut found = self.expand(command, directories.as_deref());
        let there = self.there(command, directories.as_deref());
        if there.is_none() {
            found = None;
        }
        for path in there.iter().flatten() {
            gathered.outside.extend(self.outside_path(path, self.workdir));
            if shows_files(command) {
                gathered.read.extend(self.read_path(path));
            }
        }
        for operand in in_git(command) {
            gathered.read.extend(self.read_path(&operand.text));
        }
        if let (Some(search), Some(directories), Some(paths)) = (search(command), &directories, &mut found) {
            let looked = self.look_through(&search, paths, directories, gathered);
            if looked.is_none() {
                found = None;
            }
        }
        for path in found.iter().flatten() {
            gathered.outside.extend(self.outside_path(path, self.workdir));
        }
        let is_read_only = match (&found, &directories) {
            (Some(_), Some(directories)) if !analysis.exports => self.read_only(command, directories),
            // Nobody can say what it reads.
            _ => ReadOnly::No,
        };
        if let ReadOnly::Configured(reason) = &is_read_only {
            gathered.why = Some(format!(
                "The command only reads as a rule, but is asked about here: {reason}."
            ));
        }
        gathered.bash.push(command.ask(is_read_only == ReadOnly::Yes));
        if base_name(command.program()) == "tee" {
            for operand in &operands {
                gathered.edit.extend(self.write(operand, directories.as_deref()));
            }
            for path in found.iter().flatten() {
                gathered.edit.extend(self.write_path(path, self.workdir));
            }
        }
        let read = files_read(command);
        for operand in read.iter().filter(|operand| !operand.dynamic) {
            for path in self.paths_of(operand, directories.as_deref()).unwrap_or_default() {
                gathered.read.extend(self.read_path(&path));
            }
        }
        if !read.is_empty() {
            gathered
                .read
                .extend(found.iter().flatten().flat_map(|path| self.read_path(path)));
        }
    }

    fn redirected(&self, redirected: &Redirected, gathered: &mut Gathered) {
        let directories = self.directories(&redirected.place);
        let operand = operand_of(&redirected.target);
        let mut targets = Vec::new();
        if redirected.target.glob_at.is_some() {
            let mut wildcards = Wildcards::default();
            for directory in directories.iter().flatten() {
                let text = self.with_wildcards(&redirected.target, directory);
                if text.and_then(|text| wildcards.below(directory, &text)).is_none() {
                    break;
                }
            }
            targets = wildcards.found;
        }
        let is_certain = redirected.target.glob_at.is_none();
        let known = self
            .paths_of(&operand, directories.as_deref())
            .filter(|_| is_certain);
        if known.is_none() {
            let raw = || Subject::new(&redirected.target.text);
            let (key, asks) = if redirected.writes {
                ("edit", &mut gathered.edit)
            } else {
                ("read", &mut gathered.read)
            };
            asks.push(Ask {
                floor: Floor::Ask,
                ..Ask::new(key, raw())
            });
            gathered.outside.push(Ask::new("external_directory", raw()));
        }
        targets.extend(known.unwrap_or_default());
        for path in targets {
            if is_harmless_device(&path) {
                continue;
            }
            gathered.outside.extend(self.outside_path(&path, self.workdir));
            if redirected.writes {
                gathered.edit.extend(self.write_path(&path, self.workdir));
            } else {
                gathered.read.extend(self.read_path(&path));
            }
        }
    }
}

/// `{}` in the words of `find -exec`: what stands there was found below directories that are asked about.
fn names_its_operands(command: &Simple) -> bool {
    command.words.iter().any(|word| word.text.contains("{}"))
}

#[cfg(test)]
mod tests;
