//! Input of the person: lines, and `ctrl+c`.

use super::ReaderSession;
use super::command::{self, ParsedLine};
use crate::session::{CalledCommand, Op, missing_command};
use crate::text::sanitize::sanitize;

impl ReaderSession {
    /// `ctrl+c`, or in the main conversation a line of `esc` alone.
    pub(in crate::screen_reader) fn interrupt(&mut self) {
        self.output.was_echoed();
        if std::mem::replace(&mut self.is_leaving, true) {
            self.is_leaving = false;
            self.leave();
            if self.leaving.is_some() {
                self.prompt();
            }
            return;
        }
        if self.runs_something() {
            self.send(Op::Interrupt);
            return self.say("Interrupting. ctrl+c again at once quits.");
        }
        match self.hold_automation() {
            Some(held) => self.say(&format!(
                "Nothing is running in this conversation. {held} ctrl+c again at once quits."
            )),
            None => self.say("Nothing is running. ctrl+c again at once quits."),
        }
        self.prompt();
    }

    pub(in crate::screen_reader) fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    /// The second `ctrl+c` did not come in time.
    pub(in crate::screen_reader) fn cancel_leaving(&mut self) {
        self.is_leaving = false;
    }

    pub(in crate::screen_reader) fn read(&mut self, line: &str) {
        self.output.was_typed();
        if !line.is_empty() && line.chars().all(|c| c == '\u{1b}') {
            return self.escape();
        }
        self.is_leaving = false;
        let line = sanitize(line);
        let spoken = command::parse_line(&line);
        let quits = match spoken {
            ParsedLine::Command(command, rest) if command.name() == "quit" => Some(rest),
            _ => None,
        };
        if quits != Some("") {
            self.leaving = None;
        }
        if self.is_moving && quits.is_none() {
            return self.say(&format!(
                "Another conversation is being opened; this was ignored: {line}"
            ));
        }
        match spoken {
            ParsedLine::Text | ParsedLine::Shell(_) if !self.asks.is_empty() => self.answer(&line),
            spoken => self.carry_out(spoken, &line),
        }
        self.prompt_again();
    }

    /// A line of `esc` alone: back from a task, else an interrupt.
    fn escape(&mut self) {
        if self.tree.front.is_none() {
            return self.interrupt();
        }
        self.go_back();
        self.prompt_again();
    }

    /// Takes what the program was started with: a line that answers no question, since it was written before any.
    pub(in crate::screen_reader) fn begin_with(&mut self, prompt: &str) {
        self.carry_out(command::parse_line(prompt), prompt);
        self.prompt_again();
    }

    fn carry_out(&mut self, spoken: ParsedLine<'_>, line: &str) {
        match spoken {
            ParsedLine::Command(command, rest) => (command.run)(self, rest),
            ParsedLine::Unknown(_) if self.is_own_command(line) => self.submit(line),
            ParsedLine::Unknown(name) => {
                let missing = missing_command(name).map(|words| format!(": {words}"));
                self.say(&format!(
                    "There is no command /{name}{}. /help lists the commands.",
                    missing.unwrap_or_default()
                ));
            }
            ParsedLine::Shell(command) => self.send(Op::Shell(command.to_owned())),
            ParsedLine::Text => self.submit(line),
        }
    }

    /// Asks the person to go on, unless something was sent: that is answered by an event, which asks afterwards.
    fn prompt_again(&mut self) {
        if self.effects.is_empty() {
            self.prompt();
        }
    }

    fn is_own_command(&self, line: &str) -> bool {
        CalledCommand::of(line, &self.info.commands).is_some()
    }

    pub(super) fn help(&mut self) {
        self.output.lines(&command::help(&self.info.commands));
    }

    pub(super) fn say_again(&mut self) {
        if self.asks.is_empty() {
            return self.say("No question is waiting.");
        }
        self.say_question();
    }

    /// A turn, or a command of the person's own.
    pub(super) fn runs_something(&self) -> bool {
        self.is_busy || self.calls.is_running()
    }
}
