//! Input of the person: lines, and `ctrl+c`.

use super::ReaderSession;
use crate::screen_reader::command::{self, Command, ParsedLine};
use crate::session::host::SessionTarget;
use crate::session::{CalledCommand, Op};
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
        if spoken != ParsedLine::Command(Command::Quit, "") {
            self.leaving = None;
        }
        if self.is_moving && !matches!(spoken, ParsedLine::Command(Command::Quit, _)) {
            return self.say(&format!(
                "Another conversation is being opened; this was ignored: {line}"
            ));
        }
        match spoken {
            ParsedLine::Text | ParsedLine::Shell(_) if !self.asks.is_empty() => self.answer(&line),
            spoken => self.carry_out(&spoken, &line),
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
        self.carry_out(&command::parse_line(prompt), prompt);
        self.prompt_again();
    }

    fn carry_out(&mut self, spoken: &ParsedLine<'_>, line: &str) {
        match *spoken {
            ParsedLine::Command(command, rest) => self.obey(command, rest),
            ParsedLine::Unknown(_) if self.is_own_command(line) => self.submit(line),
            ParsedLine::Unknown(name) => {
                self.say(&format!("There is no command /{name}. /help lists the commands."));
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

    fn obey(&mut self, command: Command, rest: &str) {
        match command {
            Command::Help => self.output.lines(&command::help(&self.info.commands)),
            Command::Say => self.submit(rest),
            Command::Queue => self.queue(rest),
            Command::Send => self.release(),
            Command::Stop => self.stop(rest),
            Command::Background => self.send_to_background(),
            Command::Tasks => self.look_at_tasks(rest),
            Command::Back => self.go_back(),
            Command::Again if self.asks.is_empty() => self.say("No question is waiting."),
            Command::Again => self.say_question(),
            Command::Dismiss => self.dismiss(),
            Command::Show => self.show(),
            Command::Todos => self.say_todos(),
            Command::Status => self.look_at_status(rest),
            Command::Context => self.look_at_context(rest),
            Command::Compact => self.compact(rest),
            Command::Cost => self.look_at_costs(),
            Command::Diff => self.look_at_changes(rest),
            Command::Worktree => self.look_at_worktree(rest),
            Command::Export => self.export(rest),
            Command::Undo => self.undo(rest),
            Command::Redo => self.redo(rest),
            Command::Permissions => self.list_rules(),
            Command::Revoke => self.revoke(rest),
            Command::Sessions => self.look_for_sessions(rest),
            Command::New => self.go_to(SessionTarget::New),
            Command::Model => self.choose_model(rest),
            Command::Agent => self.choose_agent(rest),
            Command::Mode => self.choose_mode(rest),
            Command::Quit => self.leave(),
        }
    }

    /// A turn, or a command of the person's own.
    pub(super) fn runs_something(&self) -> bool {
        self.is_busy || self.calls.is_running()
    }
}
