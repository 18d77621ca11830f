//! One command by its words, and whatever it runs: wrappers, `find -exec`, texts for other shells.

use std::ops::Range;

use super::super::arity;
use super::super::hazards::{self, is_harmless};
use super::super::syntax::{Assignment, Call, RedirectionKind};
use super::super::word::{Word, joined};
use super::super::wrapper::{WordSource, WrappedCommand, is_assignment, replaced, runs, starts_in};
use super::super::{CommandInput, Simple, base_name};
use super::place::{DirectoriesAfter, directory_after, named_directories};
use super::{PossibleDirectories, ScriptEffects, ShellKind};
use crate::permission::wrappers::is_shell;

/// `eval`, `sh -c` and wrappers in each other.
const MAX_TEXTS: usize = 8;
/// Steps of work for one command, besides those for its words.
const STEPS_OF_COMMAND: usize = 20;
/// Words of a wrapper that are looked at for the command that it runs.
const MAX_PERHAPS: usize = 16;

impl ScriptEffects {
    pub(super) fn call(&mut self, call: &Call, place: &PossibleDirectories) -> DirectoriesAfter {
        let first = self.commands.len();
        // Each value is there for what follows in the same command.
        let is_mixed = call.words.is_empty()
            && (!call.inside.is_empty() || !call.redirections.is_empty())
            && !call.assignments.is_empty();
        if is_mixed {
            self.values.forget(assigned_names(call));
        }
        for node in &call.inside {
            self.node(node, place);
        }
        let inside = first..self.commands.len();
        let opened = self.redirected.len();
        self.redirections(&call.redirections, place);
        let opened = opened..self.redirected.len();
        let begun = self.commands.len();
        self.has_unknown_braces |= call.words.iter().any(|word| word.has_braces);
        self.check_assignments(call);
        if call.words.is_empty() {
            self.assign(call);
            if is_mixed {
                self.values.forget(assigned_names(call));
            }
            // What is set may be used by all that follows.
            self.feeding.extend(inside);
            return DirectoriesAfter::same(place);
        }
        let input = self.input(call, inside);
        let after = self.command(call, &input, place);
        for redirected in &mut self.redirected[opened] {
            redirected.before = begun..self.commands.len();
        }
        after
    }

    /// Looks for variables that change what runs.
    fn check_assignments(&mut self, call: &Call) {
        let program = call.words.first().map_or("", |word| word.text.as_str());
        for assignment in &call.assignments {
            // `IFS= read x` says how one line is cut, and no more.
            let cuts_a_line = assignment.name == "IFS" && program == "read";
            if !cuts_a_line && !is_harmless(&assignment.text) {
                hazards::check_variable(&assignment.name, &mut self.facts);
            }
        }
    }

    /// Assignments without a command, which stay.
    fn assign(&mut self, call: &Call) {
        self.facts.lasting.extend(assigned_names(call).map(str::to_owned));
        for assignment in &call.assignments {
            self.values.assign(&assignment.name, assignment.value.as_ref());
        }
    }

    /// A command for each value that its words may have.
    fn command(
        &mut self,
        call: &Call,
        input: &CommandInput,
        place: &PossibleDirectories,
    ) -> DirectoriesAfter {
        let special = assignments(call, |assignment| !is_harmless(&assignment.text));
        let all = assignments(call, |_| true);
        let running = CallContext {
            place,
            given: WordSource::AllWords,
            given_by: None,
            around: &[],
            depth: 0,
            input,
            assignments: &special,
            all_assignments: &all,
            has_plain_assignments: call.assignments.iter().all(is_plain),
        };
        let mut after: Option<DirectoriesAfter> = None;
        let is_named_by_value = call.words[0].is_dynamic();
        for mut words in self.values.resolve(&call.words) {
            let of_input = input.commands.len() + input.piped.len();
            if !self.spend(STEPS_OF_COMMAND + of_input / 64) {
                after = None;
                break;
            }
            // Behind an assignment, or as a value, no word is one of the shell's own.
            words[0].quoted |= is_named_by_value || !call.assignments.is_empty();
            if is_named_by_value && hazards::changes_later_commands(&words[0].text) {
                self.facts
                    .refuse("a variable names a command that changes the shell");
            }
            let one = self.check_words(&words, &running);
            after = Some(match after {
                Some(before) => DirectoriesAfter {
                    success: before.success.or(one.success),
                    failure: before.failure.or(one.failure),
                },
                None => one,
            });
        }
        let after = after.unwrap_or_else(|| DirectoriesAfter::same(&PossibleDirectories::Unknown));
        // `PWD=/ cd x` and its like.
        if special.is_empty() {
            after
        } else {
            DirectoriesAfter::same(&after.either())
        }
    }

    /// Returns the sources of a call's standard input.
    fn input(&self, call: &Call, inside: Range<usize>) -> CommandInput {
        let files = call
            .redirections
            .iter()
            .filter(|redirection| redirection.kind == RedirectionKind::Read)
            .flat_map(|redirection| self.values.resolve(std::slice::from_ref(&redirection.target)));
        CommandInput {
            commands: self.feeding.iter().copied().chain(inside).collect(),
            piped: self.piped.clone(),
            files: files.flatten().collect(),
            is_text: call
                .redirections
                .iter()
                .any(|redirection| redirection.kind == RedirectionKind::Text),
        }
    }

    /// One command by its words, with whatever it runs.
    fn check_words(&mut self, words: &[Word], running: &CallContext<'_>) -> DirectoriesAfter {
        let place = running.place;
        // Wrappers in each other may lead to the same words again and again.
        if !self.spend(5 + words.len() / 2) {
            return DirectoriesAfter::same(&PossibleDirectories::Unknown);
        }
        let program = &words[0];
        let is_replaced =
            matches!(running.given, WordSource::More(Some(text)) if program.text.contains(text));
        if running.depth > MAX_TEXTS {
            self.facts.refuse("it nests commands too deeply");
            return DirectoriesAfter::same(&PossibleDirectories::Unknown);
        }
        if !names_a_program(program) || is_replaced {
            self.facts.refuse("its program is not a plain word");
            self.push(words, running);
            return DirectoriesAfter::same(place);
        }
        hazards::check(words, &mut self.facts);
        let base = base_name(&program.text);
        let is_shell_with_text = running.input.is_text && is_shell(base);
        let runs = if is_shell_with_text {
            WrappedCommand::Unknown
        } else {
            runs(words, running.given)
        };
        // Their variables are for the program that they start.
        for word in words[1..]
            .iter()
            .filter(|_| matches!(base, "env" | "sudo" | "doas"))
        {
            if is_assignment(word) {
                let name = word.text.split('=').next().unwrap_or_default();
                hazards::check_variable(name, &mut self.facts);
            }
        }
        match runs {
            WrappedCommand::Nothing => {
                self.push(words, running);
                if base == program.text {
                    self.steps.extend(named_directories(words));
                }
                directory_after(words, place)
            }
            WrappedCommand::Unknown => {
                self.facts
                    .refuse("it runs a command that is not known in advance");
                self.push(words, running);
                self.possible_commands(words, running);
                DirectoriesAfter::same(&PossibleDirectories::Unknown)
            }
            WrappedCommand::Instead(start) => self.instead(words, start, running),
            WrappedCommand::Also(ranges) => {
                let outer = self.commands.len();
                self.push(words, running);
                self.also(words, ranges, outer, running);
                self.note_harm(outer);
                DirectoriesAfter::same(place)
            }
            WrappedCommand::TextHere(text) => {
                let outer = self.commands.len();
                self.push(words, running);
                let after = self.text(&text, place);
                self.note_harm(outer);
                after
            }
            WrappedCommand::Text(text) => {
                let wrapper = self.commands.len();
                self.push(words, running);
                let outer = std::mem::replace(&mut self.shell, ShellKind::of(base));
                // It gets the variables that are exported, and those are none of these.
                let values = std::mem::take(&mut self.values);
                self.text(&text, place);
                (self.shell, self.values) = (outer, values);
                self.note_harm(wrapper);
                DirectoriesAfter::same(place)
            }
        }
    }

    /// A wrapper that only counts by the command in its words, which begins at `start`.
    fn instead(&mut self, words: &[Word], start: usize, running: &CallContext<'_>) -> DirectoriesAfter {
        let mut around = running.around.to_vec();
        around.push(joined(words));
        let after = self.check_words(
            &words[start..],
            &CallContext {
                around: &around,
                depth: running.depth + 1,
                ..*running
            },
        );
        // A `cd` that is a program of its own changes nothing here.
        match base_name(&words[0].text) {
            "command" | "builtin" => after,
            _ => DirectoriesAfter::same(&after.either().or(running.place.clone())),
        }
    }

    /// The commands in these ranges of a wrapper's words.
    fn also(
        &mut self,
        words: &[Word],
        ranges: Vec<Range<usize>>,
        given_by: usize,
        running: &CallContext<'_>,
    ) {
        let base = base_name(&words[0].text);
        let place = &match (base, starts_in(words)) {
            ("find", _) if words.iter().any(|word| word.text.ends_with("dir")) => {
                PossibleDirectories::Unknown
            }
            (_, None) => running.place.clone(),
            (_, Some(step)) => {
                self.steps.push(step.clone());
                if step.dynamic || !step.wildcards.is_empty() {
                    PossibleDirectories::Unknown
                } else {
                    running.place.step(&step)
                }
            }
        };
        let given = match base {
            "find" | "xargs" => WordSource::More(replaced(words)),
            _ => running.given,
        };
        for range in ranges {
            let inner = CallContext {
                place,
                given,
                given_by: match base {
                    "find" | "xargs" => Some(given_by),
                    _ => running.given_by,
                },
                around: &[],
                depth: running.depth + 1,
                assignments: "",
                all_assignments: "",
                has_plain_assignments: true,
                ..*running
            };
            self.check_words(&words[range], &inner);
        }
    }

    /// Notes every command that a wrapper may run by its words.
    fn possible_commands(&mut self, words: &[Word], running: &CallContext<'_>) {
        self.steps.extend(starts_in(words));
        let place = PossibleDirectories::Unknown;
        let running = CallContext {
            place: &place,
            ..*running
        };
        for at in 1..words.len().min(MAX_PERHAPS) {
            if names_a_program(&words[at]) && !words[at].text.starts_with('-') {
                let command = Self::simple(&words[at..], &running);
                self.possible_commands.push(command);
            }
        }
    }

    /// Notes on a wrapper whether the commands behind it, which it runs, destroy something.
    fn note_harm(&mut self, wrapper: usize) {
        self.commands[wrapper].runs_harm = self.commands[wrapper + 1..].iter().any(arity::is_destructive);
    }

    fn push(&mut self, words: &[Word], running: &CallContext<'_>) {
        let command = Self::simple(words, running);
        self.git_commands += usize::from(command.is_git());
        self.commands.push(command);
    }

    fn simple(words: &[Word], running: &CallContext<'_>) -> Simple {
        let canonical = joined(words);
        let has_assignments = !running.assignments.is_empty();
        Simple {
            words: words.to_vec(),
            canonical: if has_assignments {
                format!("{} {canonical}", running.assignments)
            } else {
                canonical
            },
            has_assignments,
            has_plain_assignments: running.has_plain_assignments,
            runs_harm: false,
            assigned: (running.all_assignments != running.assignments)
                .then(|| format!("{} {}", running.all_assignments, joined(words))),
            more_operands: running.given != WordSource::AllWords,
            given_by: running.given_by,
            filled_in: match running.given {
                WordSource::More(text) => text.map(str::to_owned),
                WordSource::AllWords => None,
            },
            around: running.around.to_vec(),
            place: running.place.clone(),
            input: running.input.clone(),
        }
    }

    /// A text that is read as a script of its own.
    fn text(&mut self, text: &str, place: &PossibleDirectories) -> DirectoriesAfter {
        self.texts += 1;
        if self.texts > MAX_TEXTS {
            self.facts.refuse("it nests commands too deeply");
            return DirectoriesAfter::same(&PossibleDirectories::Unknown);
        }
        self.script(text, place)
    }
}

struct CallContext<'a> {
    place: &'a PossibleDirectories,
    given: WordSource<'a>,
    given_by: Option<usize>,
    /// Canonical texts of the wrappers that stand for it.
    around: &'a [String],
    depth: usize,
    input: &'a CommandInput,
    /// Those that are not harmless.
    assignments: &'a str,
    all_assignments: &'a str,
    has_plain_assignments: bool,
}

fn assigned_names(call: &Call) -> impl Iterator<Item = &str> {
    call.assignments.iter().map(|assignment| assignment.name.as_str())
}

/// The texts of those assignments of a call that count.
fn assignments(call: &Call, counts: impl Fn(&Assignment) -> bool) -> String {
    let counting = call.assignments.iter().filter(|assignment| counts(assignment));
    let texts: Vec<&str> = counting.map(|assignment| assignment.text.as_str()).collect();
    texts.join(" ")
}

/// Returns true if the text of an assignment says all of it. A blank would end its value as rules see it.
fn is_plain(assignment: &Assignment) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.,:=+@%/-".contains(c);
    let value = assignment.value.as_ref();
    value.is_some_and(|value| value.is_literal() && value.text.chars().all(is_plain))
}

/// Returns true if a word can only be the name of one program.
fn names_a_program(word: &Word) -> bool {
    let has_wildcard = word.glob_at.is_some() && word.text != "[";
    let has_user = word.tilde && !word.text.starts_with("~/");
    // `%1` names a job.
    let is_job = word.text.starts_with('%');
    word.dynamic_at.is_none()
        && !word.text.is_empty()
        && !is_job
        && !has_wildcard
        && !has_user
        && !word.text.contains(['{', '}'])
}
