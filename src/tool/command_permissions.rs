//! Permission asks of a shell command: the directories it touches, the commands it runs, the files it writes and reads.
//!
//! `permission::command` takes the text apart and knows the rules; this file looks up the facts it needs. Wildcards are
//! replaced by the files they stand for now, rather by too many than by too few. A text that is not understood is asked
//! whole, with whatever paths were found in it all the same.

mod command;
mod deleted;
mod gathered;
mod git;
mod git_directory;
mod git_index;
mod git_query;
mod git_revision;
mod git_shown;
mod ignored_files;
mod paths;
mod programs;
mod protected_targets;
mod repository;
mod scratch;
mod search;
mod submodules;
mod transferred;
mod unparsed;
mod unreadable;
mod wildcards;
mod written;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use self::command::Look;
pub(super) use self::deleted::count_deleted;
use self::gathered::GatheredAsks;
use self::git::GitRun;
pub use self::git_index::JudgedIndexes;
use self::paths::{goes_up_unseen, is_harmless_device};
use self::wildcards::Wildcards;
use super::SessionServices;
use super::reads_only::{GitReads, ReadsOnly};
use super::sandbox::can_confine_reading;
use crate::permission::command::{
    Analysis, List, PathUse, RedirectedFile, Simple, TOO_MUCH_WORK, WorkBudget, analyse_within, base_name,
    changes_directory, is_known_locale, operand_of,
};
use crate::permission::{Ask, Floor, PermissionKey, Subject};
use crate::process::git::Drivers;

/// Shells whose grammar the analysis knows.
const KNOWN_SHELLS: &[&str] = &["bash", "sh", "dash", "ksh"];

pub(super) struct CommandPermissions {
    /// In the order in which they are shown.
    pub(super) asks: Vec<Ask>,
    /// Why a command asks that would only read elsewhere, or asks as a whole.
    pub(super) why: Option<String>,
    /// Set exactly if every simple command of the call has the form of the `@read-only` list.
    pub(super) reads_only: Option<ReadsOnly>,
}

/// Returns the asks for running `command` in `workdir`. Looks at files.
pub(super) fn command_permissions(
    services: &SessionServices,
    command: &str,
    workdir: &Path,
) -> CommandPermissions {
    asks_of(&CommandContext::new(services, workdir), command)
}

fn asks_of(setting: &CommandContext<'_>, command: &str) -> CommandPermissions {
    let mut analysis = analyse_within(command, &setting.work);
    let mut gathered = GatheredAsks::default();
    let looks = setting.look_at(&analysis, &mut gathered);
    let refusal = analysis.refusal.or_else(|| setting.refusal(&analysis, command));
    if refusal.is_none() && analysis.is_plain {
        setting.allow_temporary_files(&analysis, &looks, &mut gathered.edit);
    }
    // What needs no question may be written in the sandbox of calls that only read, and nothing else.
    let writes_elsewhere = gathered.writes
        || (gathered.edit.iter()).any(|ask| setting.is_temporary(ask) && ask.floor != Floor::Denied);
    let only_reads = refusal.is_none() && !writes_elsewhere && looks.iter().all(|look| look.form.is_some());
    let run = match (only_reads, can_confine_reading(setting.services)) {
        (true, true) => GitRun::Confined,
        (true, false) => GitRun::Disarmed,
        (false, _) => GitRun::AsSet,
    };
    setting.runs(&analysis, &looks, run, &mut gathered);
    let reads_only = only_reads.then(|| setting.reads_only(&looks));
    let mut possible = setting.possible_asks(&analysis);
    if setting.work.is_spent() {
        // What was left out may be what a rule denies.
        analysis.give_up(TOO_MUCH_WORK);
        setting.work.renew();
        possible = setting.possible_asks(&analysis);
    }
    let refusal = refusal.or(analysis.refusal);
    if analysis.commands.is_empty() {
        // `[[ -f x ]]`, `> out`: rules that deny commands hold here, too.
        let subject = Subject {
            read_only: true,
            ..Subject::new(command)
        };
        gathered.bash = vec![Ask::new(PermissionKey::BASH, subject).with_floor(Floor::Denied)];
    }
    if let Some(reason) = refusal {
        gathered.bash = vec![analysis.whole()];
        gathered.why = Some(format!("The command is asked about as a whole: {reason}."));
    }
    gathered.edit.extend(possible);
    CommandPermissions {
        why: gathered.why.take(),
        asks: gathered.into_asks(),
        reads_only: reads_only.filter(|_| refusal.is_none()),
    }
}

/// True if a command may read without a question.
#[derive(Debug, PartialEq, Eq)]
enum ReadApproval {
    Unasked,
    /// Why, where it would read elsewhere.
    Asks(Option<String>),
}

fn ask_of(command: &Simple, look: &Look, is_unasked: bool) -> Ask {
    let mut ask = command.ask(is_unasked);
    ask.destructive |= look.destroys;
    ask.subject.destroys |= look.destroys;
    if look.is_too_much {
        // A file that the rules close may be among them.
        ask.floor = Floor::Ask;
    }
    if changes_directory(command) {
        // Where it leads to is a question about a path.
        (ask.floor, ask.subject.read_only) = (Floor::Denied, true);
    }
    if look.is_edit { ask.in_project() } else { ask }
}

/// Asks about something whose paths are not known, even where a rule allows it.
fn unclear(key: PermissionKey, text: &str) -> Ask {
    Ask::new(key, Subject::new(text)).with_floor(Floor::Ask)
}

/// Context in which the commands of a call would run.
struct CommandContext<'a> {
    services: &'a SessionServices,
    workdir: &'a Path,
    home: Option<PathBuf>,
    /// How each command of the call uses paths, once that is asked for.
    path_uses: OnceCell<Vec<Option<PathUse>>>,
    /// The last names of what the call writes, once they are asked for.
    written_names: OnceCell<Vec<String>>,
    /// Maximum number of names that are looked at for links for one command.
    max_names: usize,
    /// Steps that are left for all that is looked up for the call.
    work: Rc<WorkBudget>,
    /// The directories in which a command of a text may run whose place is not known, by the text.
    unknown_places: RefCell<HashMap<String, Vec<PathBuf>>>,
}

/// Steps of work for each command of a text, besides those for its paths.
const STEPS_OF_COMMAND: usize = 50;

impl<'a> CommandContext<'a> {
    fn new(services: &'a SessionServices, workdir: &'a Path) -> Self {
        Self {
            services,
            workdir,
            home: services.variable("HOME").map(PathBuf::from),
            path_uses: OnceCell::new(),
            written_names: OnceCell::new(),
            max_names: transferred::MAX_NAMES,
            work: Rc::default(),
            unknown_places: RefCell::default(),
        }
    }
}

impl CommandContext<'_> {
    /// Takes steps for what is looked up next. Returns false if there are too few left: then it is not looked up, and the
    /// text is asked about as a whole.
    fn spend(&self, steps: usize) -> bool {
        self.work.spend(steps)
    }

    /// Looks at everything that a text does, as far as its budget goes.
    fn look_at(&self, analysis: &Analysis, gathered: &mut GatheredAsks) -> Vec<Look> {
        let mut looks = Vec::new();
        for command in &analysis.commands {
            if !self.spend(STEPS_OF_COMMAND + command.words.len()) {
                return looks;
            }
            looks.push(self.command(command, analysis, gathered));
        }
        for redirected in &analysis.redirected {
            if !self.spend(STEPS_OF_COMMAND) {
                return looks;
            }
            self.redirected(redirected, analysis, gathered);
            self.reached_by_redirection(redirected, analysis, gathered);
        }
        for command in &analysis.possible_commands {
            if !self.spend(STEPS_OF_COMMAND) {
                return looks;
            }
            self.reached(command, analysis, gathered);
        }
        looks
    }
}

impl CommandContext<'_> {
    /// Why the commands cannot be taken at their words in this session.
    fn refusal(&self, analysis: &Analysis, command: &str) -> Option<&'static str> {
        let shell = self.services.settings.bash.shell.as_deref();
        if !KNOWN_SHELLS.contains(&shell.map_or("bash", base_name)) {
            return Some("the shell that runs it has another grammar");
        }
        if analysis.only_bash && shell.is_some_and(|shell| base_name(shell) != "bash") {
            return Some("the shell that runs it has another grammar");
        }
        if !command.is_ascii() && !is_known_locale(self.locale()) {
            return Some("it has characters that the shell reads in another encoding than UTF-8");
        }
        let is_passed_on = |name: &String| self.services.variable(name).is_some() || name.starts_with("GIT_");
        if analysis.lasting.iter().any(is_passed_on) {
            return Some("it changes a variable that programs are given");
        }
        None
    }

    /// The locale by which the shell tells characters apart.
    fn locale(&self) -> &str {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"].iter();
        let mut values = names.filter_map(|name| self.services.variable(name));
        let value = values.find(|value| !value.is_empty());
        value.map_or("", |value| value.to_str().unwrap_or("?"))
    }

    /// Gathers the asks for running the commands.
    fn runs(&self, analysis: &Analysis, looks: &[Look], run: GitRun, gathered: &mut GatheredAsks) {
        let changes_git = |at: &usize| analysis.commands[*at].is_git() && looks[*at].form.is_none();
        let changes: Vec<usize> = (0..looks.len()).filter(changes_git).collect();
        for (at, (command, look)) in analysis.commands.iter().zip(looks).enumerate() {
            let is_changed = changes.iter().any(|change| change < &at || !analysis.in_order);
            let reading = match self.reading(look, run) {
                ReadApproval::Unasked if is_changed && look.shows_files_of_git() => ReadApproval::Asks(Some(
                    "another command of the call can change which files git shows".to_owned(),
                )),
                ReadApproval::Unasked if !analysis.is_plain => ReadApproval::Asks(Some(
                    "it uses shell syntax beyond the simple forms that run without a question".to_owned(),
                )),
                reading => reading,
            };
            if let ReadApproval::Asks(Some(reason)) = &reading {
                gathered.why = Some(format!(
                    "The command only reads as a rule, but is asked about here: {reason}."
                ));
            }
            gathered
                .bash
                .push(ask_of(command, look, reading == ReadApproval::Unasked));
        }
    }

    fn reading(&self, look: &Look, run: GitRun) -> ReadApproval {
        let Some(form) = &look.form else {
            return ReadApproval::Asks(None);
        };
        let reason = look.git.as_ref().and_then(|git| self.git_reason(git, run));
        match (form.list, reason) {
            (_, Some(reason)) => ReadApproval::Asks(Some(reason)),
            (List::Second, None) if run != GitRun::Confined => ReadApproval::Asks(None),
            (_, None) => ReadApproval::Unasked,
        }
    }

    /// Returns the requirements of a call that runs confined to reading.
    fn reads_only(&self, looks: &[Look]) -> ReadsOnly {
        let forms = || looks.iter().filter_map(|look| look.form.as_ref());
        let mut programs: Vec<PathBuf> = forms()
            .flat_map(|form| &form.programs)
            .filter_map(|name| self.program(name))
            .collect();
        programs.sort();
        programs.dedup();
        let is_git = forms().any(|form| form.git.is_some());
        ReadsOnly {
            programs,
            git: is_git.then(|| git_reads(looks)),
        }
    }

    fn redirected(&self, redirected: &RedirectedFile, analysis: &Analysis, gathered: &mut GatheredAsks) {
        let directories = self.directories(&redirected.place);
        let operand = operand_of(&redirected.target);
        let mut targets = Vec::new();
        let read = self.read_by_wildcard(redirected, directories.as_deref(), analysis);
        let is_known_wildcard = read.is_some();
        if let Some(read) = read {
            targets = read;
        } else if redirected.target.glob_at.is_some() {
            let mut wildcards = Wildcards::new(&self.work);
            for directory in directories.iter().flatten() {
                let text = self.with_wildcards(&redirected.target, directory);
                if text.and_then(|text| wildcards.below(directory, &text)).is_none() {
                    break;
                }
            }
            targets = wildcards.found;
        }
        let is_certain = redirected.target.glob_at.is_none();
        let text = redirected.target.text.as_str();
        let key = || {
            if redirected.writes {
                PermissionKey::EDIT
            } else {
                PermissionKey::READ
            }
        };
        let known = self
            .paths_of(&operand, directories.as_deref())
            .filter(|_| is_certain);
        if known.is_none() && !is_known_wildcard {
            gathered.writes |= redirected.writes;
            let asks = if redirected.writes {
                &mut gathered.edit
            } else {
                &mut gathered.read
            };
            asks.push(unclear(key(), text));
            let ask = Ask::new(PermissionKey::EXTERNAL_DIRECTORY, Subject::new(text));
            gathered.outside.push(ask);
        }
        targets.extend(known.unwrap_or_default());
        for path in targets {
            if is_harmless_device(&path) {
                continue;
            }
            if goes_up_unseen(Path::new(&path)) {
                gathered.read.push(unclear(key(), text));
            }
            gathered.outside.extend(self.outside_path(&path, self.workdir));
            if redirected.writes {
                let asks = self.write_path(&path);
                let mut edits = asks
                    .iter()
                    .filter(|ask| ask.key == PermissionKey::EDIT)
                    .peekable();
                gathered.writes |= edits.peek().is_none() || !edits.all(|ask| self.is_temporary(ask));
                gathered.edit.extend(asks);
            } else {
                gathered.read.extend(self.read_path(&path));
            }
        }
    }
}

/// Commands of git that compare files of the work tree, whose bytes a filter would change.
const COMPARING: [&str; 3] = ["status", "diff", "stash"];

fn git_reads(looks: &[Look]) -> GitReads {
    let mut reads = GitReads {
        drivers: Drivers::default(),
        filters: BTreeSet::new(),
    };
    for look in looks {
        let Some(git) = &look.git else { continue };
        let drivers = git.drivers();
        let form = look.form.as_ref().and_then(|form| form.git.as_ref());
        if form.is_some_and(|form| COMPARING.contains(&form.subcommand.as_str())) {
            let used = git
                .directories()
                .flat_map(|directory| drivers.filters_used_in(directory));
            reads.filters.extend(used);
        }
        reads.drivers.add(&drivers);
    }
    reads
}

/// Returns true if a wildcard stands for a name that the program would take for an option.
fn may_be_options(command: &Simple, found: &[String], directories: &[PathBuf]) -> bool {
    let begins = command.words.iter().any(|word| word.glob_at == Some(0));
    let is_option = |path: &String| {
        let mut relative = directories
            .iter()
            .filter_map(|directory| Path::new(path).strip_prefix(directory).ok());
        relative.any(|relative| relative.to_string_lossy().starts_with('-'))
    };
    // Names that the shell splits may become anything.
    let splits = command.words.iter().any(|word| word.may_split);
    let is_split = |path: &String| path.contains([' ', '\t', '\n', '*', '?', '[', '\\']);
    (begins && found.iter().any(is_option)) || (splits && found.iter().any(is_split))
}

#[cfg(test)]
mod tests;
