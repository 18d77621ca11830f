//! State of a screen reader session: events and input in, text and effects out.
//!
//! ```text
//!   reading   what the person types            asking     the question that is put, and its answer
//!   sending   messages on their way            telling    what a command tells
//!   hearing   what the session does            choosing   the model, the agent, the mode, by number
//!                                              looking    what is looked up and comes back
//! ```
//!
//! Everything that is said goes through [`SpokenText`]. Nothing is ever taken back: what turns out to be void is followed by a
//! line that says so.

mod input;
mod messages;
mod queries;
mod questions;
mod reports;
mod selection;
mod session_events;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::calls::Calls;
use super::console::PromptNumber;
use super::host_requests::HostRequest;
use super::question_queue::QuestionQueue;
use super::questions::PendingQuestion;
use super::reply_texts::ReplyTexts;
use super::spoken_text::SpokenText;
use crate::conversation::{Role, Todo};
use crate::session::{Op, Queued, SessionInfo, Snapshot, StoredDraft, is_plan};
use crate::text::count::plural;
use crate::tool::Registry;
use messages::ReturnedMessage;
use queries::ListedState;

/// Before what the person types when nothing is asked.
const PROMPT: &str = "> ";

pub(super) enum Effect {
    Send(Op),
    /// Comes back as a report.
    Begin(HostRequest),
    Leave,
}

pub(super) struct ReaderSession {
    info: SessionInfo,
    /// A turn runs, or a message was sent that is to begin one.
    is_busy: bool,
    is_in_turn: bool,
    /// `ctrl+c` was heard once.
    is_leaving: bool,
    calls: Calls,
    texts: ReplyTexts,
    asks: QuestionQueue,
    /// Counts what was put to the person and takes no answer at first.
    rounds: PromptNumber,
    returned: Option<ReturnedMessage>,
    /// The text that stood in the composer when the session was left.
    left_unsent: Option<StoredDraft>,
    /// The draft that the session keeps.
    kept: String,
    queue: Vec<Queued>,
    /// Sent and not come back as a message yet.
    sent: VecDeque<String>,
    todos: Vec<Todo>,
    listed: ListedState,
    /// The last that was said of agent and mode is that it is `plan`.
    said_plan: bool,
    /// Another session is being opened.
    is_moving: bool,
    zone: TimeZone,
    output: SpokenText,
    effects: Vec<Effect>,
}

impl ReaderSession {
    pub(super) fn new(snapshot: &Snapshot, tools: Arc<Registry>, zone: TimeZone, notes: &[String]) -> Self {
        let mut this = Self {
            info: snapshot.info.clone(),
            is_busy: snapshot.busy,
            is_in_turn: snapshot.busy,
            is_leaving: false,
            calls: Calls::new(tools),
            texts: ReplyTexts::default(),
            asks: QuestionQueue::default(),
            rounds: 0,
            returned: None,
            left_unsent: None,
            kept: String::new(),
            queue: snapshot.queue.clone(),
            sent: VecDeque::new(),
            todos: Todo::list(&snapshot.todos),
            listed: ListedState::default(),
            said_plan: is_plan(&snapshot.info.agent, snapshot.info.mode),
            is_moving: false,
            zone,
            output: SpokenText::default(),
            effects: Vec::new(),
        };
        this.greet(snapshot);
        for note in notes {
            this.say(&format!("Note: {note}"));
        }
        this.take_asks(snapshot);
        this
    }

    fn greet(&mut self, snapshot: &Snapshot) {
        let info = &snapshot.info;
        self.output.line(&format!(
            "lathe. Model {}, {}, in {}.",
            info.model,
            reports::working_as(info),
            info.directory.display()
        ));
        if let Some(held) = &info.read_only {
            self.output.line(&format!(
                "This session is open in {held}; here it can only be read."
            ));
        }
        self.recall(snapshot);
        self.say_draft(&snapshot.draft);
        self.output
            .line("Type a message and press enter. /help tells the commands.");
    }

    /// Tells how a session stood that was opened again.
    fn recall(&mut self, snapshot: &Snapshot) {
        let own = snapshot
            .messages
            .iter()
            .filter(|message| message.role == Role::User);
        let count = own.filter(|message| !message.is_reminder()).count();
        if count == 0 {
            return;
        }
        let count = plural(count, "message");
        let title = &snapshot.info.title;
        self.output.line(&format!("Reopened: {title}, {count} of yours."));
        let replies = snapshot.messages.iter().rev();
        let answer = replies
            .filter(|message| message.role == Role::Assistant)
            .map(|message| message.text())
            .find(|text| !text.trim().is_empty());
        if let Some(answer) = answer {
            self.output.line("The last answer was:");
            self.output.flow(answer.trim());
        }
    }

    /// After the listener fell behind.
    pub(super) fn catch_up(&mut self, snapshot: &Snapshot) {
        self.info = snapshot.info.clone();
        self.is_busy = snapshot.busy;
        self.is_in_turn = snapshot.busy;
        self.queue.clone_from(&snapshot.queue);
        self.todos = Todo::list(&snapshot.todos);
        self.texts = ReplyTexts::default();
        self.calls.stop();
        self.asks.clear();
        self.listed.catch_up();
        self.say("Some of what happened was missed here. /status tells where things stand.");
        self.take_asks(snapshot);
        self.prompt();
    }

    fn take_asks(&mut self, snapshot: &Snapshot) {
        for question in &snapshot.questions {
            self.asks.add(PendingQuestion::new(question));
        }
        self.ask_next();
    }

    pub(super) fn take_text(&mut self) -> String {
        self.output.take()
    }

    pub(super) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    pub(super) fn say(&mut self, line: &str) {
        self.output.line(line);
    }

    fn send(&mut self, op: Op) {
        self.effects.push(Effect::Send(op));
    }

    /// Says something beside what goes on, and that the person may type again.
    fn aside(&mut self, line: &str) {
        self.say(line);
        self.prompt();
    }

    /// Says that the person may type: an answer where one is expected, and nothing while the model is at work.
    pub(super) fn prompt(&mut self) {
        if self.asks.is_empty() && !self.is_busy {
            self.output.open(PROMPT);
        } else if let Some(asked) = self.asks.answerable() {
            let prompt = asked.prompt();
            if self.output.is_covered() {
                self.say_options();
            }
            self.output.open(prompt.as_str());
        }
    }
}
