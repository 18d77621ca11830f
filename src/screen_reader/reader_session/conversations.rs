//! The conversation that the person is in: the main one, or that of a task.
//!
//! A conversation is told from its snapshot when it is entered, and from its events afterwards. While the
//! person is in a task, of the main conversation only what they have to know is told, a line each.

use std::sync::Arc;

use super::{ReaderSession, messages, reports};
use crate::conversation::{Message, MessageState, PartBody, Role, SessionId, Todo};
use crate::screen_reader::calls::Calls;
use crate::screen_reader::card_text;
use crate::screen_reader::host_requests::HostRequest;
use crate::screen_reader::reply_texts::ReplyTexts;
use crate::screen_reader::tasks::words::{self, ListFacts};
use crate::session::{Event, Input, Op, Snapshot, StoredDraft, TurnEndReason, is_plan};
use crate::text::count::{noun_of, plural};
use crate::text::size::short_count;
use crate::tool::BuiltinCards;

/// Lines of a task's prompt, and ended calls of it, that are told when it is entered.
const PROMPT_LINES: usize = 8;
const CALLS: usize = 5;

/// State of the main conversation while the person is in a task.
#[derive(Default)]
pub(super) struct MainConversation {
    /// The draft that its session keeps.
    kept: String,
    /// A turn of it ran when it was left, or has begun since.
    has_news: bool,
}

impl ReaderSession {
    /// The person is in this task from now on.
    pub(in crate::screen_reader) fn enter(
        &mut self,
        session: SessionId,
        snapshot: &Snapshot,
        cards: BuiltinCards,
    ) {
        self.is_moving = false;
        if self.tree.front.is_none() {
            self.main = MainConversation {
                kept: self.kept.clone(),
                has_news: self.is_busy,
            };
        }
        self.tree.front = Some(session);
        self.calls = Calls::new(cards);
        self.take_conversation(snapshot);
        self.recall_task(snapshot);
        self.prompt();
    }

    /// `/back`: to the main conversation.
    pub(super) fn go_back(&mut self) {
        match self.tree.front {
            None => self.say("You are in the main conversation; /tasks lists the tasks to go into."),
            Some(_) => self.go_within_tree(HostRequest::Return),
        }
    }

    /// The person is in the main conversation again.
    pub(in crate::screen_reader) fn return_to_main(&mut self, snapshot: &Snapshot, cards: BuiltinCards) {
        self.is_moving = false;
        self.tree.front = None;
        let main = std::mem::take(&mut self.main);
        self.calls = Calls::new(cards);
        self.take_conversation(snapshot);
        self.say(&format!(
            "Back in the main conversation, {}.",
            reports::working_as(&snapshot.info)
        ));
        if main.has_news {
            self.recall_reply(snapshot, "Its last words:");
        }
        self.take_up_reply(snapshot);
        self.say_state(snapshot);
        self.say_draft(&snapshot.draft);
        self.prompt();
    }

    /// The session of the task that the person is in has ended here, which only a fault brings about.
    pub(in crate::screen_reader) fn lose_task(&mut self) {
        self.say("The session of this task was closed.");
        self.sent.clear();
        self.go_within_tree(HostRequest::Return);
    }

    /// Takes over another conversation.
    fn take_conversation(&mut self, snapshot: &Snapshot) {
        self.take_state(snapshot);
        self.sent.clear();
        self.returned = None;
        self.left_unsent = None;
        self.kept.clone_from(&snapshot.draft);
        self.said_plan = is_plan(&snapshot.info.agent, snapshot.info.mode);
    }

    /// Takes over how a conversation stands. Calls that run are those of its snapshot.
    pub(super) fn take_state(&mut self, snapshot: &Snapshot) {
        self.info = snapshot.info.clone();
        self.is_busy = snapshot.busy;
        self.is_in_turn = snapshot.busy;
        self.queue.clone_from(&snapshot.queue);
        self.todos = Todo::list(&snapshot.todos);
        self.texts = ReplyTexts::default();
        self.calls.stop();
        let calls = snapshot.messages.iter().flat_map(|message| message.calls());
        for part in calls.filter(|part| !part.state.is_final()) {
            self.calls.take_over(part);
        }
    }

    /// Tells what a task was asked, what it has done and what it does.
    fn recall_task(&mut self, snapshot: &Snapshot) {
        let tasks = &self.tree.tasks;
        let number = self.tree.front.as_ref().and_then(|session| tasks.number(session));
        if let Some(number) = number {
            let facts = ListFacts {
                asks: &|_| None,
                front: None,
                is_whole: false,
                now: self.now,
            };
            let line = words::line(tasks, number, None, &facts);
            self.say(&format!("You are in task {line}"));
        }
        self.recall_prompt(snapshot);
        self.recall_calls(snapshot);
        self.recall_reply(snapshot, "Its last words:");
        self.take_up_reply(snapshot);
        self.say_state(snapshot);
        self.say_draft(&snapshot.draft);
        let goes_on = match &snapshot.info.read_only {
            Some(reason) => format!("Here it can only be read: {reason}."),
            None if snapshot.busy => "What you type goes to it.".to_owned(),
            None => format!(
                "What you type resumes it, with {} tokens of context.",
                short_count(snapshot.info.context_used)
            ),
        };
        self.say(&format!("{goes_on} /back returns."));
    }

    fn recall_prompt(&mut self, snapshot: &Snapshot) {
        let asked = snapshot.messages.iter();
        let mut asked = asked.filter(|message| message.role == Role::User && !message.is_reminder());
        let Some(first) = asked.next().map(|message| message.shown()) else {
            return;
        };
        self.output.line("It was asked:");
        let lines: Vec<&str> = first.trim().lines().collect();
        let told = &lines[..lines.len().min(PROMPT_LINES)];
        self.output.flow(&told.join("\n"));
        self.output.end_line();
        let left_out = lines.len() - told.len();
        if left_out > 0 {
            self.say(&format!(
                "Left out: {left_out} more {}.",
                noun_of(left_out, "line")
            ));
        }
        let later = asked.count();
        if later > 0 {
            self.say(&format!("{} came to it later.", plural(later, "message")));
        }
    }

    fn recall_calls(&mut self, snapshot: &Snapshot) {
        let calls = snapshot.messages.iter().flat_map(|message| message.calls());
        let ended: Vec<_> = calls.filter(|part| part.result.is_some()).collect();
        let first = ended.len().saturating_sub(CALLS);
        if first > 0 {
            self.say(&format!("{} before these:", plural(first, "call")));
        }
        for part in &ended[first..] {
            let line = self.calls.recalled(part);
            self.say(&line);
        }
    }

    /// Tells the last words of a conversation that are whole.
    fn recall_reply(&mut self, snapshot: &Snapshot, title: &str) {
        let replies = snapshot.messages.iter().rev();
        let last = replies
            .filter(|message| message.role == Role::Assistant && message.state != MessageState::Streaming)
            .map(|message| message.text())
            .find(|text| !text.trim().is_empty());
        if let Some(last) = last {
            self.output.line(title);
            self.output.flow(last.trim());
            self.output.end_line();
        }
    }

    /// Tells what a reply that comes in has said so far, and goes on with it.
    fn take_up_reply(&mut self, snapshot: &Snapshot) {
        let is_streaming = |message: &&Arc<Message>| message.state == MessageState::Streaming;
        let Some(message) = snapshot.messages.last().filter(is_streaming) else {
            return;
        };
        for part in &message.parts {
            let PartBody::Text(text) = &part.body else {
                continue;
            };
            let whole = card_text::whole(&text.text);
            self.output.flow(&text.text[..whole]);
            self.texts.begin(&message.id, part.seq, &text.text[whole..]);
        }
    }

    /// Tells what runs and what waits.
    fn say_state(&mut self, snapshot: &Snapshot) {
        let running: Vec<String> = self.calls.running().collect();
        self.output.lines(&running);
        if snapshot.busy && running.is_empty() {
            self.say("Working.");
        }
        let waiting: Vec<String> = self.queue.iter().map(messages::waits).collect();
        self.output.lines(&waiting);
    }

    /// Takes in an event of the main conversation while the person is in a task.
    pub(in crate::screen_reader) fn take_main_event(&mut self, event: &Event) {
        match event {
            Event::TurnStarted => self.main.has_news = true,
            Event::MessageStarted(message) => self.main.has_news |= message.role == Role::Assistant,
            Event::TurnEnded(TurnEndReason::Cancelled) => {
                self.aside("The main conversation was interrupted.");
            }
            Event::TurnEnded(TurnEndReason::Stop) => {
                self.aside("The main conversation has finished; /back returns to it.");
            }
            Event::TurnEnded(TurnEndReason::Length | TurnEndReason::Error | TurnEndReason::MaxSteps) => {
                self.aside("The turn of the main conversation ended early; /back returns to it.");
            }
            Event::Error(report) => {
                self.aside(&format!("Error in the main conversation: {}", report.sentence()));
            }
            Event::Notice(text) => self.aside(&format!("Note of the main conversation: {text}")),
            Event::Agent(agent) => self.tree.main_agent.clone_from(agent),
            Event::Refused(input) => self.keep_for_main(input, "it was refused"),
            Event::Unread { input, report, .. } => {
                let why = report.sentence();
                self.keep_for_main(input, &why);
            }
            _ => {}
        }
    }

    /// Keeps a message to the main conversation that came back as its draft.
    fn keep_for_main(&mut self, input: &Input, why: &str) {
        let mut draft = StoredDraft::read(&self.main.kept);
        draft.put_before(input);
        self.main.kept = draft.written();
        let draft = Op::Draft(self.main.kept.clone());
        self.effects.push(super::Effect::SendToMain(draft));
        self.aside(&format!(
            "Your message to the main conversation was not sent: {}. /back, and /send sends it.",
            why.trim_end_matches('.')
        ));
    }
}
