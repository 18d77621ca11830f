//! Shell commands as questions.
//!
//! [`analyse`] finds every simple command anywhere in a text: in lists, pipelines, loops, functions, substitutions, and in
//! what wrappers like `timeout` and `sh -c` run. Each is judged by its own words. Where that is not certain the text is
//! *opaque*: asked with its whole text, never stored as "always", never below ask. Deny rules are tried on everything
//! that was found, and on an opaque text also on every piece that could be a command; that errs on the side of denying.
//!
//! ```text
//!  text ─► reader (bash's rules) ─┬─► flow (directories, wrappers) ─► Analysis {commands, redirected, refusal}
//!       └► grammar (tree-sitter) ─┘      hazards, wrapper
//! ```
//!
//! A new wrapper is a name in `permission::wrappers` with its options in `wrapper`, a new reading command an entry in
//! `read_only`, a program whose operands are paths one in `files`. A construct that bash reads and the reader does not is
//! refused, not guessed.
//!
//! Nothing here runs or reads anything. Whether a command only reads (`read_only`) depends on facts that the caller looks
//! up.

mod archives;
mod arity;
mod directories;
mod facts;
mod files;
mod find;
mod flow;
mod git_config;
mod grammar;
mod hazards;
mod operand;
mod outputs;
mod patch;
mod path_use;
mod pieces;
mod plain;
mod possible_paths;
mod read_only;
mod reader;
mod redefined;
mod search;
mod syntax;
mod word;
mod work;
mod wrapper;
mod written;

use crate::permission::PermissionKey;
use std::collections::BTreeSet;
use std::rc::Rc;

pub use archives::may_unpack_links;
pub use directories::{Directory, PossibleDirectories};
pub use files::{
    files_read, in_git, paths, possible_paths, possible_paths_in_no_text, shows_files, takes_paths,
};
pub use find::{FindAction, FindCommand, FoundEntry};
pub use flow::RedirectedFile;
pub use git_config::{GitConfig, WORK_TREE, dangerous_key, dangerous_keys, is_dangerous_key};
pub use hazards::is_known_locale;
pub use operand::{PathOperand, operand as operand_of};
pub use outputs::{named_in_script, outputs};
pub use patch::{Patch, patch, patched_files};
pub use path_use::{PathUse, path_use};
pub use read_only::{Form, GitForm, GitShows, List, ReadOnlyFacts, changes_directory, read_only};
pub use search::{DirectorySearch, search};
pub use word::{Variable, Word};
pub use work::{TOO_MUCH_WORK, WorkBudget};
pub use written::{
    Backup, CopiedFiles, LinksCopied, WrittenPaths, brings_files, is_edit, is_plain, moves_files, written,
};

use self::flow::ScriptEffects;
use super::check::{Ask, Floor};
use super::subject::{CommandWord, Subject};

/// How many spellings of one command are tried; one with more is asked about, whatever the rules allow.
const MAX_SPELLINGS: usize = 256;

/// The effects of a command, as far as it is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    pub text: String,
    /// Every simple command, in the order of the text.
    pub commands: Vec<Simple>,
    /// True if no command can run before one that stands earlier in the text.
    pub in_order: bool,
    /// The files that redirections open.
    pub redirected: Vec<RedirectedFile>,
    /// Directories that any of it may change to.
    pub steps: Vec<PathOperand>,
    /// Commands that it may run where it is not understood, besides those that were found.
    pub possible_commands: Vec<Simple>,
    /// Why it cannot be judged by its commands: `it is not a whole command`.
    pub refusal: Option<&'static str>,
    /// Variables that keep a value for the commands that follow.
    pub lasting: BTreeSet<String>,
    /// True if programs may get other variables than the session's.
    pub exports: bool,
    /// True if another shell than bash could read it in another way.
    pub only_bash: bool,
    /// Further texts that deny rules are tried on, when it is not understood.
    pieces: Vec<String>,
    is_unread: bool,
    /// True if it has the closed form of texts that may run without a question.
    pub is_plain: bool,
}

/// A program and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    /// At least one.
    pub words: Vec<Word>,
    /// Assignments and words, quotes and escapes resolved, joined by one space.
    pub canonical: String,
    /// True if there are assignments, but for harmless ones, which are left out everywhere.
    pub has_assignments: bool,
    /// True if each of them can be read in one way alone: its value has no expansion, no blank and no wildcard.
    pub has_plain_assignments: bool,
    /// True if a command that it runs, which is in the analysis too, destroys something.
    pub runs_harm: bool,
    /// The same with the harmless ones, where there are any.
    pub assigned: Option<String>,
    /// True if a wrapper like `xargs` adds to its words.
    pub more_operands: bool,
    /// The command of the analysis that is such a wrapper.
    pub given_by: Option<usize>,
    /// The text that such a wrapper replaces in its words.
    pub filled_in: Option<String>,
    /// Canonical texts of wrappers that only count by what they run, `timeout 9 curl u` for `curl u`.
    pub around: Vec<String>,
    pub place: PossibleDirectories,
    pub input: CommandInput,
}

/// Sources of a command's standard input, as far as the text tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandInput {
    /// Commands of the analysis whose output it may get, also by `$( )` and by a variable.
    pub commands: Vec<usize>,
    /// Those of them that stand before it in a pipeline.
    pub piped: Vec<usize>,
    /// Files that are opened for it.
    pub files: Vec<Word>,
    /// True if it is written in the text: `<<`, `<<<`.
    pub is_text: bool,
}

impl Simple {
    /// Returns true if the program is called git, wherever it lies.
    pub fn is_git(&self) -> bool {
        let program = self.words.first().map(|word| word.text.as_str());
        program.is_some_and(|program| program == "git" || program.ends_with("/git"))
    }
}

/// Takes a command apart, with a budget of work of its own.
pub fn analyse(command: &str) -> Analysis {
    analyse_within(command, &Rc::default())
}

/// Takes a command apart with what is left of a budget.
pub fn analyse_within(command: &str, work: &Rc<WorkBudget>) -> Analysis {
    let flow = ScriptEffects::of(command, work);
    let mut refusal = flow.facts.refusal;
    if flow.commands.is_empty() && !flow.only_tests && refusal.is_none() {
        refusal = Some("it has no command");
    }
    let mut pieces = Vec::new();
    if refusal.is_some() {
        pieces = pieces::pieces(command);
        pieces.extend(flow.found);
    }
    Analysis {
        text: command.to_owned(),
        commands: flow.commands,
        in_order: !flow.is_unordered,
        redirected: flow.redirected,
        steps: flow.steps,
        possible_commands: flow.possible_commands,
        refusal,
        lasting: flow.facts.lasting,
        exports: flow.facts.exports,
        only_bash: flow.facts.only_bash,
        pieces,
        is_unread: flow.has_unknown_braces || refusal.is_some(),
        is_plain: plain::is_plain(command),
    }
}

impl Analysis {
    /// Gives up judging the text by its commands: it is asked about as a whole.
    pub fn give_up(&mut self, reason: &'static str) {
        if self.refusal.is_none() {
            self.refusal = Some(reason);
            self.is_unread = true;
            self.pieces = pieces::pieces(&self.text);
        }
    }

    /// The commands whose output another one reads.
    pub fn sources<'a>(&'a self, command: &'a Simple) -> impl Iterator<Item = &'a Simple> {
        let places = command.input.commands.iter();
        places.filter_map(|at| self.commands.get(*at))
    }

    /// Returns everything that may be a path, when the text or a part of it could not be read; `None` when that is too
    /// much to look at.
    pub fn possible_paths(&self) -> Option<BTreeSet<String>> {
        if self.is_unread {
            possible_paths::possible_paths(&self.text)
        } else {
            Some(BTreeSet::new())
        }
    }

    /// Returns possible targets of redirections, when the text is not understood; often it is no path at all.
    pub fn possible_targets(&self) -> Vec<String> {
        match self.refusal {
            Some(_) => possible_paths::possible_targets(&self.text),
            None => Vec::new(),
        }
    }

    /// The one ask under key `bash` for a text that is not understood.
    pub fn whole(&self) -> Ask {
        let mut restrict_also = self.pieces.clone();
        for command in &self.commands {
            restrict_also.push(command.canonical.clone());
            restrict_also.extend(command.other_forms());
        }
        let subject = Subject {
            restrict_also,
            ..Subject::new(&self.text)
        };
        Ask {
            floor: Floor::Ask,
            destructive: true,
            ..Ask::new(PermissionKey::BASH, subject)
        }
    }
}

impl Simple {
    /// The program's name as written.
    pub fn program(&self) -> &str {
        &self.words[0].text
    }

    /// The ask under key `bash`. Pass `true` only for what [`mod@read_only`] found to be so.
    pub fn ask(&self, read_only: bool) -> Ask {
        let restrict_also = self.other_forms();
        let is_git = base_name(self.program()) == "git";
        let runs_more = is_git && git_config::sets_a_program(&self.words[1..]);
        let floor = if runs_more || restrict_also.len() >= MAX_SPELLINGS {
            Floor::Ask
        } else {
            Floor::Rules
        };
        let destructive = arity::is_destructive(self);
        let subject = Subject {
            read_only,
            destroys: destructive,
            restrict_also,
            may_begin_with: self.unknown_action(),
            words: self.certain_words(),
            ..Subject::new(&self.canonical)
        };
        Ask {
            always: arity::proposal(self, &subject).into_iter().collect(),
            floor,
            destructive,
            ..Ask::new(PermissionKey::BASH, subject)
        }
    }

    /// The words as stored answers are judged by them.
    fn certain_words(&self) -> Vec<CommandWord> {
        let is_filled_in = |word: &Word| {
            let text = self.filled_in.as_deref().filter(|text| !text.is_empty());
            text.is_some_and(|text| word.text.contains(text))
        };
        let mut words: Vec<CommandWord> = self
            .words
            .iter()
            .map(|word| CommandWord {
                text: word.text.clone(),
                is_certain: word.begins_as_written() && !is_filled_in(word),
            })
            .collect();
        if self.more_operands {
            words.push(CommandWord {
                text: String::new(),
                is_certain: false,
            });
        }
        words
    }

    /// Spellings that only rules which restrict are tried on: without assignments, with the program's base name, without
    /// options before its operands, and with what stands around it. At most [`MAX_SPELLINGS`].
    fn other_forms(&self) -> Vec<String> {
        let bare = word::joined(&self.words);
        let without_options = self.without_options();
        let texts = std::iter::once(&bare)
            .chain(&self.assigned)
            .chain(&self.around)
            .chain(&without_options);
        let mut forms: Vec<String> = Vec::new();
        for text in texts {
            let program = text.split(' ').next().unwrap_or_default();
            let without_directory = format!("{}{}", base_name(program), &text[program.len()..]);
            for form in [text.clone(), without_directory] {
                if form != self.canonical && forms.last() != Some(&form) {
                    forms.push(form);
                }
            }
        }
        forms.truncate(MAX_SPELLINGS);
        forms
    }
}

impl Simple {
    /// `git push` for `git -C x push`, `docker compose down` for `docker compose -f x down`: what the command could be
    /// without the options before its first operand, and before its second where that says what it does.
    fn without_options(&self) -> Vec<String> {
        let program = self.program();
        let firsts: Vec<usize> = self.operands_from(1).take(MAX_SPELLINGS).collect();
        let rest = |at: usize| word::joined(&self.words[at..]);
        let mut found: Vec<String> = firsts
            .iter()
            .map(|first| format!("{program} {}", rest(*first)))
            .collect();
        if arity::has_subcommands(base_name(program)) {
            let further = firsts.iter().flat_map(|first| {
                let action = &self.words[*first].text;
                let seconds = self.operands_from(first + 1);
                seconds.map(move |second| format!("{program} {action} {}", rest(second)))
            });
            found.extend(further.take(MAX_SPELLINGS));
        }
        found
    }

    /// Returns the beginning of a command whose next word says what it does, where only the shell knows that word.
    fn unknown_action(&self) -> Option<String> {
        let program = base_name(self.program());
        let actions: Vec<&Word> = self.operands_from(1).map(|at| &self.words[at]).collect();
        let is_filled_in = |action: &Word| {
            let text = self.filled_in.as_deref();
            text.is_some_and(|text| action.text.contains(text))
        };
        let is_unknown =
            |action: &&Word| action.is_dynamic() || action.glob_at.is_some() || is_filled_in(action);
        let is_missing = self.more_operands && actions.is_empty();
        let is_open = is_missing || actions.iter().any(is_unknown);
        (is_open && arity::has_subcommands(program)).then(|| format!("{program} "))
    }

    /// Returns the possible positions of the next operand, from a word on: a word after an option may be its value, and
    /// a word that only the shell can resolve may be an option or nothing.
    fn operands_from(&self, from: usize) -> impl Iterator<Item = usize> {
        // Whether the word at hand, and the one after it, can be where the options end.
        let (mut here, mut next) = (true, false);
        let words = self.words.iter().enumerate().skip(from);
        let found = words.map_while(move |(at, word)| {
            let is_dynamic = word.dynamic_at.is_some();
            let is_option = word.text.len() > 1 && word.text.starts_with(['-', '+']);
            let is_reached = here;
            if !here && !next {
                return None;
            }
            let goes_on = here && (is_option || is_dynamic);
            (here, next) = (next || goes_on, goes_on);
            Some((is_reached && !is_option).then_some(at))
        });
        found.flatten()
    }
}

impl Simple {
    /// The command with a name in its words: where the text stands that a wrapper replaces, behind them where it adds to them, and
    /// in the place of what only the shell knows.
    pub fn filled(&self, name: &str) -> Self {
        let literal = |text: String| Word {
            text,
            ..Word::default()
        };
        let mut filled = self.clone();
        let mut is_in = false;
        for word in &mut filled.words {
            if let Some(text) = self
                .filled_in
                .as_deref()
                .filter(|text| !text.is_empty() && word.text.contains(text))
            {
                *word = literal(word.text.replace(text, name));
                is_in = true;
            } else if word.is_dynamic() && !word.expansions.is_empty() && !self.more_operands {
                *word = literal(word.with_expansions(name));
            }
        }
        if self.more_operands && !is_in {
            filled.words.push(literal(name.to_owned()));
        }
        filled
    }
}

/// Returns the directory that `cd` leads to, if the command is one and that can be told.
pub fn directory_operand(command: &Simple) -> Option<PathOperand> {
    flow::directory_operand(&command.words)
}

/// The name of a program that may be written with its path.
pub fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests;
