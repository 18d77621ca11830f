//! Events of the session, in words.

use super::ReaderSession;
use crate::conversation::{CallId, MessageId, Part, PartBody, Todo};
use crate::permission::Mode;
use crate::screen_reader::calls::SessionCards;
use crate::screen_reader::questions::pending;
use crate::session::{ErrorReport, Event, PLAN, Retry, TurnEndReason};

impl ReaderSession {
    pub(in crate::screen_reader) fn take_event(&mut self, event: &Event) {
        match event {
            Event::MessageStarted(message) => self.message(message),
            Event::PartStarted { message, part } => self.part(message, part),
            Event::Delta { message, part, delta } => self.delta(message, *part, delta),
            Event::PartEnded { message, part } => {
                let texts = self.texts.end_part(message, part.seq);
                self.end_texts(texts);
            }
            Event::MessageEnded { message, .. } => {
                let texts = self.texts.end_message(message);
                self.end_texts(texts);
            }
            Event::CallReady { call, tool, args } => self.calls.announce(call, tool, args.clone()),
            Event::CallRunning { call } => self.begin_call(call),
            Event::CallEnded { call, tool, result } => {
                let lines = self.calls.end(call, tool, result);
                self.output.lines(&lines);
                self.prompt();
            }
            Event::Asked(question) => self.ask(pending(question)),
            Event::Settled(settled) => self.on_settled(settled),
            Event::Retry(retry) => self.say(&trying_again(retry)),
            Event::Error(report) => self.error(report),
            Event::Preparing => self.begin_turn("Running the commands that this command contains."),
            Event::TurnStarted => self.begin_turn("Working."),
            Event::TurnEnded(done) => self.end_turn(*done),
            Event::Queue(queue) => self.queued(queue),
            Event::Todos(todos) => self.todos = Todo::list(todos),
            Event::Branch(branch) => self.info.surroundings.branch.clone_from(branch),
            Event::Title(title) => self.info.title.clone_from(title),
            Event::Window(tokens) => self.info.context_limit = Some(*tokens),
            Event::Model(model) => {
                self.info.model = model.clone();
                self.info.model_problem = None;
                self.aside(&format!("The model is {model} now."));
            }
            Event::Agent(agent) => {
                self.info.agent.clone_from(agent);
                if self.tree.front.is_none() {
                    self.tree.main_agent.clone_from(agent);
                }
                if !self.is_plan_again(agent == PLAN) {
                    self.aside(&format!("The agent is {agent} now."));
                }
            }
            Event::Mode(mode) => {
                self.info.mode = *mode;
                if !self.is_plan_again(*mode == Mode::Plan) {
                    self.aside(&format!("The mode is {} now.", mode.name()));
                }
            }
            Event::AllowsEdits(allows_edits) => {
                self.info.allows_edits = *allows_edits;
                self.aside(if *allows_edits {
                    "Edits in the project need no answer now."
                } else {
                    "Edits in the project ask again."
                });
            }
            Event::Notice(text) => self.aside(&format!("Note: {text}")),
            Event::Grants(rules) => self.rules(rules),
            Event::Refused(input) => self.refused(input),
            Event::Unread { input, report, .. } => self.unread(input, report),
            Event::Task(row) => self.on_task(row),
            Event::Terminals(rows) => self.on_terminals(rows),
            Event::Context(report) => self.context_changed(report),
            Event::Restored(restored) => self.restored(restored),
            Event::Summarising(true) => self.say("Summarising the conversation to free context."),
            Event::SummaryDrafted(draft) => self.show_summary(draft),
            Event::Summarising(false)
            | Event::CallUpdate { .. }
            | Event::Usage(_)
            | Event::Unqueued { .. }
            | Event::Answer(_)
            | Event::Hook(_) => {}
        }
        // What waits for an answer stays the last thing that was said. A text is not broken in its middle.
        if self.asks.answerable().is_some() && !matches!(event, Event::Delta { .. }) {
            self.prompt();
        }
    }

    /// Returns the call that an event tells of, where only its session can draw it.
    pub(in crate::screen_reader) fn foreign_call<'e>(&self, event: &'e Event) -> Option<&'e CallId> {
        match event {
            Event::CallRunning { call } | Event::CallEnded { call, .. } => Some(call),
            _ => None,
        }
        .filter(|call| self.calls.is_foreign(call))
    }

    pub(in crate::screen_reader) fn take_cards(&mut self, call: &CallId, cards: SessionCards) {
        self.calls.take_cards(call, cards);
    }

    /// Notes whether the agent or the mode that came is `plan`; says whether the other one was said to be so already.
    fn is_plan_again(&mut self, is_plan: bool) -> bool {
        std::mem::replace(&mut self.said_plan, is_plan) && is_plan
    }

    fn part(&mut self, message: &MessageId, part: &Part) {
        match &part.body {
            PartBody::Text(text) => self.texts.begin(message, part.seq, &text.text),
            PartBody::Reasoning(_) => self.say("Thinking."),
            PartBody::Tool(_)
            | PartBody::File(_)
            | PartBody::Notice(_)
            | PartBody::Context(_)
            | PartBody::Unknown(_) => {}
        }
    }

    fn delta(&mut self, message: &MessageId, part: u64, delta: &str) {
        if let Some(whole) = self.texts.grow(message, part, delta) {
            self.output.flow(&whole);
        }
    }

    fn end_texts(&mut self, texts: Vec<String>) {
        for text in texts {
            self.output.flow(&text);
            self.output.end_line();
        }
    }

    pub(super) fn begin_call(&mut self, id: &CallId) {
        if let Some(line) = self.calls.begin(id) {
            self.say(&line);
        }
    }

    fn begin_turn(&mut self, told: &str) {
        self.is_busy = true;
        self.is_in_turn = true;
        self.say(told);
    }

    fn end_turn(&mut self, done: TurnEndReason) {
        let texts = self.texts.end_all();
        self.end_texts(texts);
        self.is_busy = false;
        self.is_in_turn = false;
        self.is_leaving = false;
        self.calls.stop();
        self.aside(match done {
            TurnEndReason::Stop => "Finished.",
            TurnEndReason::Cancelled => "Interrupted.",
            TurnEndReason::Length => "Ended at the model's output limit.",
            TurnEndReason::Error => "Ended by the error above.",
            TurnEndReason::MaxSteps => "Ended at the step limit.",
        });
    }

    fn error(&mut self, report: &ErrorReport) {
        self.say(&format!("Error: {}", report.message));
        if let Some(hint) = &report.hint {
            self.say(hint);
        }
        self.is_busy = self.is_in_turn;
        self.prompt();
    }
}

fn trying_again(retry: &Retry) -> String {
    let voided = if retry.voided.is_some() {
        " Its incomplete reply is discarded."
    } else {
        ""
    };
    format!(
        "Trying again in {} s: {}.{voided}",
        retry.delay_ms.div_ceil(1000),
        retry.reason
    )
}
