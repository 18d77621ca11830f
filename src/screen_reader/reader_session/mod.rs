//! State of a screen reader session: events and input in, text and effects out.
//!
//! ```text
//!   reading   what the person types            asking     the question that is put, and its answer
//!   sending   messages on their way            telling    what a command tells
//!   hearing   what the session does            choosing   the model, the agent, the mode, by number
//!   tasks     of the tree, a line each         looking    what is looked up and comes back
//!   conversations   the main one, or that of a task that the person is in
//! ```
//!
//! Everything that is said goes through [`SpokenText`]. Nothing is ever taken back: what turns out to be void is followed by a
//! line that says so.

mod command;
mod compaction;
mod conversations;
mod input;
mod leaving;
mod messages;
mod notice;
mod queries;
mod questions;
mod reports;
mod selection;
mod session_events;
mod tasks;
mod terminals;
#[cfg(test)]
mod tests;
mod trees;
mod undo;

use std::collections::VecDeque;

use jiff::tz::TimeZone;

use super::calls::Calls;
use super::console::PromptNumber;
use super::host_requests::HostRequest;
use super::question_queue::QuestionQueue;
use super::questions::pending;
use super::reply_texts::ReplyTexts;
use super::spoken_text::SpokenText;
use super::tasks::TaskList;
use crate::conversation::{Role, TerminalRow, Todo};
use crate::session::{Op, QueuedMessage, ReadOnlyReason, SessionInfo, Snapshot, StoredDraft, is_plan};
use crate::text::count::plural;
use crate::tool::BuiltinCards;
use conversations::MainConversation;
use messages::ReturnedMessage;
use notice::SpokenNotice;
use queries::ListedState;
use tasks::TreeState;

/// Before what the person types when nothing is asked.
const PROMPT: &str = "> ";

const MISSED: &str = "Some events were not shown. /status shows the current state.";

pub(super) enum Effect {
    /// To the session of the conversation that the person is in.
    Send(Op),
    /// To the session of the main conversation, while the person is in a task.
    SendToMain(Op),
    /// Comes back as a report.
    Begin(HostRequest),
    Leave,
}

pub(super) struct ReaderSession {
    /// Of the conversation that the person is in, as what follows.
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
    /// A summary that waits for the person's word.
    summary: Option<String>,
    /// The draft that the session keeps.
    kept: String,
    queue: Vec<QueuedMessage>,
    /// Sent and not come back as a message yet.
    sent: VecDeque<String>,
    todos: Vec<Todo>,
    /// Of the tree, as they were told of last.
    terminals: Vec<TerminalRow>,
    listed: ListedState,
    /// The last that was said of agent and mode is that it is `plan`.
    said_plan: bool,
    tree: TreeState,
    main: MainConversation,
    /// Leaving was asked for while tasks were at work.
    leaving: Option<SpokenNotice>,
    /// Another conversation was asked for while a message was on its way.
    was_told_to_wait: bool,
    /// Another conversation is being opened.
    is_moving: bool,
    zone: TimeZone,
    /// Milliseconds since the Unix epoch.
    now: i64,
    output: SpokenText,
    effects: Vec<Effect>,
}

impl ReaderSession {
    pub(super) fn new(snapshot: &Snapshot, cards: BuiltinCards, zone: TimeZone, notes: &[String]) -> Self {
        let mut this = Self {
            info: snapshot.info.clone(),
            is_busy: snapshot.busy,
            is_in_turn: snapshot.busy,
            is_leaving: false,
            calls: Calls::new(cards),
            texts: ReplyTexts::default(),
            asks: QuestionQueue::default(),
            rounds: 0,
            returned: None,
            left_unsent: None,
            summary: None,
            kept: String::new(),
            queue: snapshot.queue.clone(),
            sent: VecDeque::new(),
            todos: Todo::list(&snapshot.todos),
            terminals: snapshot.terminals.clone(),
            listed: ListedState::default(),
            said_plan: is_plan(&snapshot.info.agent, snapshot.info.mode),
            tree: TreeState {
                root: snapshot.info.id.clone(),
                main_agent: snapshot.info.agent.clone(),
                tasks: TaskList::default(),
                front: None,
            },
            main: MainConversation::default(),
            leaving: None,
            was_told_to_wait: false,
            is_moving: false,
            zone,
            now: 0,
            output: SpokenText::default(),
            effects: Vec::new(),
        };
        this.tree.tasks.reset(&snapshot.tasks);
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
        match &info.read_only {
            Some(ReadOnlyReason::OpenIn(process)) => self.output.line(&format!(
                "This session is open in {process}; here it can only be read."
            )),
            Some(ReadOnlyReason::DirectoryGone(directory)) => self.output.line(&format!(
                "The directory {} of this session is gone, so it can only be read. /cd continues here, /cd DIR in \
                 another directory.",
                directory.display()
            )),
            None => {}
        }
        self.recall(snapshot);
        self.say_draft(&snapshot.draft);
        self.output
            .line("Type a message and press enter. /help lists the commands.");
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
        if let Some(line) = self.tasks_in_short() {
            self.say(&line);
        }
    }

    /// After the listener of the main conversation and of the tree fell behind.
    pub(super) fn catch_up(&mut self, snapshot: &Snapshot) {
        if self.tree.front.is_none() {
            self.take_state(snapshot);
        }
        self.tree.tasks.reset(&snapshot.tasks);
        self.asks.clear();
        self.listed.catch_up();
        self.say(MISSED);
        self.take_asks(snapshot);
        self.prompt();
    }

    /// After the listener of the task that the person is in fell behind.
    pub(super) fn catch_up_task(&mut self, snapshot: &Snapshot) {
        self.take_state(snapshot);
        self.aside(MISSED);
    }

    /// Takes the time.
    pub(super) fn set_now(&mut self, now: i64) {
        self.now = now;
    }

    fn take_asks(&mut self, snapshot: &Snapshot) {
        for question in &snapshot.questions {
            self.asks.add(pending(question));
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
            let place = self
                .tree
                .front
                .as_ref()
                .and_then(|task| self.tree.tasks.number(task));
            match place {
                None => self.output.open(PROMPT),
                Some(number) => self.output.open(&format!("task {number} {PROMPT}")),
            }
        } else if let Some(asked) = self.asks.answerable() {
            let prompt = asked.prompt();
            if self.output.is_covered() {
                self.say_options();
            }
            self.output.open(prompt.as_str());
        }
    }
}
