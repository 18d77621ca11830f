//! What is said and what is sent: the state of the conversation as somebody hears it.
//!
//! Everything that is said goes through [`Said`], which sanitises it and knows whether a line has been begun. A text that
//! streams is said by whole lines and sentences. Nothing is ever taken back: what turns out to be void is followed by a
//! line that says so.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use super::asked::{Asked, Heard};
use super::command::{self, Command, Spoken};
use super::console::Round;
use super::trust::TOO_EARLY;
use super::words;
use crate::conversation::{CallId, CallResult, Message, MessageId, NoticeKind, Part, PartBody, Role, Todo};
use crate::permission::{Mode, Reply};
use crate::session::{
    Done, ErrorReport, Event, Input, Op, Queued, QueuedKind, SessionInfo, SettledQuestion, Snapshot,
};
use crate::text::partial_json::PartialJson;
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::tool::{Registry, RenderCx, ResultSource};
use crate::view::card::Card;

/// Rows of a result that are told unasked.
const ROWS: usize = 12;
/// Before what the person types when nothing is asked.
const PROMPT: &str = "> ";

pub(super) enum Effect {
    Send(Op),
    Leave,
}

/// A call, as it is named and drawn.
#[derive(Clone)]
struct Call {
    tool: String,
    args: Value,
}

/// A text of a reply that streams.
struct Streaming {
    message: MessageId,
    part: u64,
    /// Not said yet.
    left: String,
}

pub(super) struct Talk {
    tools: Arc<Registry>,
    info: SessionInfo,
    /// A turn runs, or a message was sent that is to begin one.
    is_busy: bool,
    is_in_turn: bool,
    /// `ctrl+c` was heard once.
    is_leaving: bool,
    calls: HashMap<CallId, Call>,
    running: Vec<CallId>,
    newest: Option<(Call, Arc<CallResult>)>,
    texts: Vec<Streaming>,
    asks: VecDeque<Asked>,
    /// The first of the asks was put, and takes an answer.
    is_listening: bool,
    /// Counts the questions that were put.
    round: Round,
    queue: Vec<Queued>,
    /// Sent and not come back as a message yet.
    sent: VecDeque<String>,
    todos: Vec<Todo>,
    said: Said,
    effects: Vec<Effect>,
}

impl Talk {
    pub(super) fn new(snapshot: &Snapshot, tools: Arc<Registry>, notes: &[String]) -> Self {
        let mut this = Self {
            tools,
            info: snapshot.info.clone(),
            is_busy: snapshot.busy,
            is_in_turn: snapshot.busy,
            is_leaving: false,
            calls: HashMap::new(),
            running: Vec::new(),
            newest: None,
            texts: Vec::new(),
            asks: VecDeque::new(),
            is_listening: false,
            round: 0,
            queue: snapshot.queue.clone(),
            sent: VecDeque::new(),
            todos: Todo::list(&snapshot.todos),
            said: Said::default(),
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
        self.said.line(&format!(
            "lathe. Model {}, agent {}, mode {}, in {}.",
            info.model,
            info.agent,
            info.mode.name(),
            info.directory.display()
        ));
        if let Some(held) = &info.read_only {
            self.said.line(&format!(
                "This session is open in {held}; here it can only be read."
            ));
        }
        let own = snapshot
            .messages
            .iter()
            .filter(|message| message.role == Role::User);
        let count = own.filter(|message| !message.is_reminder()).count();
        if count > 0 {
            let noun = if count == 1 { "message" } else { "messages" };
            self.said
                .line(&format!("Reopened: {}, {count} {noun} of yours.", info.title));
            let replies = snapshot.messages.iter().rev();
            let answer = replies
                .filter(|message| message.role == Role::Assistant)
                .map(|message| message.text())
                .find(|text| !text.trim().is_empty());
            if let Some(answer) = answer {
                self.said.line("The last answer was:");
                self.said.flow(answer.trim());
            }
        }
        self.said
            .line("Type a message and press enter. /help tells the commands.");
    }

    /// After the listener fell behind.
    pub(super) fn catch_up(&mut self, snapshot: &Snapshot) {
        self.info = snapshot.info.clone();
        self.is_busy = snapshot.busy;
        self.is_in_turn = snapshot.busy;
        self.queue.clone_from(&snapshot.queue);
        self.todos = Todo::list(&snapshot.todos);
        self.texts.clear();
        self.running.clear();
        self.asks.clear();
        self.is_listening = false;
        self.say("Some of what happened was missed here. /status tells where things stand.");
        self.take_asks(snapshot);
        self.prompt();
    }

    fn take_asks(&mut self, snapshot: &Snapshot) {
        self.asks.extend(snapshot.questions.iter().map(Asked::permission));
        self.asks.extend(snapshot.forms.iter().map(Asked::form));
        self.put_ask();
    }

    pub(super) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.said.text)
    }

    pub(super) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    pub(super) fn say(&mut self, line: &str) {
        self.said.line(line);
    }

    fn say_all(&mut self, lines: &[String]) {
        for line in lines {
            self.say(line);
        }
    }

    fn send(&mut self, op: Op) {
        self.effects.push(Effect::Send(op));
    }

    /// Says that the person may type: an answer where one is expected, and nothing while the model is at work.
    pub(super) fn prompt(&mut self) {
        if self.asks.is_empty() && !self.is_busy {
            self.said.open(PROMPT);
        } else if self.is_listening
            && let Some(asked) = self.asks.front()
        {
            let prompt = asked.prompt();
            if self.said.is_covered {
                self.tell_options();
            }
            self.said.open(&prompt);
        }
    }

    // What the person does.

    /// `ctrl+c`, or a line of `esc` alone.
    pub(super) fn interrupt(&mut self) {
        self.said.is_begun = true;
        if self.is_leaving {
            self.effects.push(Effect::Leave);
            return;
        }
        self.is_leaving = true;
        if self.is_busy {
            self.send(Op::Interrupt);
            self.say("Interrupting. ctrl+c again at once leaves.");
        } else {
            self.say("Nothing runs. ctrl+c again at once leaves.");
            self.prompt();
        }
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    /// The second `ctrl+c` did not come in time.
    pub(super) fn stay(&mut self) {
        self.is_leaving = false;
    }

    pub(super) fn read(&mut self, line: &str) {
        self.said.was_typed();
        if !line.is_empty() && line.chars().all(|c| c == '\u{1b}') {
            return self.interrupt();
        }
        self.is_leaving = false;
        let line = sanitize(line);
        match command::spoken(&line) {
            Spoken::Command(command, rest) => self.obey(command, rest),
            Spoken::Unknown(name) => {
                self.say(&format!("There is no command /{name}. /help tells the commands."));
            }
            Spoken::Text | Spoken::Shell(_) if !self.asks.is_empty() => self.answer(&line),
            Spoken::Shell(command) => self.send(Op::Shell(command.to_owned())),
            Spoken::Text => self.submit(&line),
        }
        // What is sent is answered by an event, and the person asked to go on after that.
        if self.effects.is_empty() {
            self.prompt();
        }
    }

    /// Sends a message: it begins a turn, or joins the one that runs.
    pub(super) fn submit(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.sent.push_back(text.to_owned());
        self.send(Op::Submit(input(text)));
        // The turn begins with a later event; until then nothing else is asked for.
        self.is_busy = true;
    }

    fn answer(&mut self, line: &str) {
        if !self.is_listening {
            return self.say(TOO_EARLY);
        }
        let Some(asked) = self.asks.front_mut() else {
            return;
        };
        match asked.hear(line) {
            Heard::Answer(op, told) => {
                self.asks.pop_front();
                self.is_listening = false;
                self.say(&told);
                self.send(op);
                self.put_ask();
            }
            Heard::Next(lines) => {
                self.say_all(&lines);
                self.said.is_covered = false;
            }
            Heard::Unclear(why) => self.say(&why),
        }
    }

    fn obey(&mut self, command: Command, rest: &str) {
        match command {
            Command::Help => self.say_all(&command::help()),
            Command::Say => self.submit(rest),
            Command::Queue if rest.is_empty() => self.say("Write the message behind /queue."),
            Command::Queue => self.send(Op::Queue(input(rest))),
            Command::Send => self.send(Op::Release),
            Command::Stop if self.is_busy => {
                self.send(Op::Interrupt);
                self.say("Interrupting.");
            }
            Command::Stop => self.say("Nothing runs."),
            Command::Again if self.asks.is_empty() => self.say("No question waits."),
            Command::Again => self.tell_ask(),
            Command::Dismiss => self.dismiss(),
            Command::Show => self.show(),
            Command::Todos => self.tell_todos(),
            Command::Status => self.tell_status(),
            Command::Model => self.choose_model(rest),
            Command::Agent => self.choose_agent(rest),
            Command::Mode => self.choose_mode(rest),
            Command::Quit => self.effects.push(Effect::Leave),
        }
    }

    fn dismiss(&mut self) {
        match self.asks.front().map(Asked::dismiss) {
            None => self.say("No question waits."),
            Some(None) => self.say("A permission is answered with a number; 3 denies."),
            Some(Some(op)) => {
                self.asks.pop_front();
                self.is_listening = false;
                self.say("Left without an answer.");
                self.send(op);
                self.put_ask();
            }
        }
    }

    fn show(&mut self) {
        let Some((call, result)) = self.newest.clone() else {
            return self.say("No call has ended yet.");
        };
        let card = self.result_card(&call, &result, true);
        self.say(&words::ended(&card, result.state()));
        self.say_all(&words::body(&card, usize::MAX));
    }

    fn tell_todos(&mut self) {
        if self.todos.is_empty() {
            return self.say("No todos.");
        }
        for todo in self.todos.clone() {
            self.say(&format!("{}: {}", todo.status.words(), todo.content));
        }
    }

    fn tell_status(&mut self) {
        let info = &self.info;
        let mut lines = vec![format!(
            "Model {}, agent {}, mode {}.",
            info.model,
            info.agent,
            info.mode.name()
        )];
        let running = self.running.iter().filter_map(|id| self.calls.get(id));
        lines.extend(running.map(|call| words::begins(&self.call_card(call))));
        if lines.len() == 1 {
            let state = if self.is_busy {
                "The model is at work."
            } else {
                "Nothing runs."
            };
            lines.push(state.to_owned());
        }
        lines.extend(
            self.asks
                .iter()
                .map(|asked| format!("A question waits: {}.", asked.title())),
        );
        lines.extend(self.queue.iter().map(waits));
        self.say_all(&lines);
    }

    fn choose_model(&mut self, rest: &str) {
        let models: Vec<String> = self
            .info
            .models
            .iter()
            .map(|choice| choice.model.to_string())
            .collect();
        if let Some(place) = self.choose("model", &models, &self.info.model.to_string(), rest) {
            let model = self.info.models[place].model.clone();
            self.send(Op::SetModel(model));
        }
    }

    fn choose_agent(&mut self, rest: &str) {
        let agents: Vec<String> = self
            .info
            .agents
            .iter()
            .map(|choice| choice.name.clone())
            .collect();
        if let Some(place) = self.choose("agent", &agents, &self.info.agent.clone(), rest) {
            self.send(Op::SetAgent(agents[place].clone()));
        }
    }

    fn choose_mode(&mut self, rest: &str) {
        const MODES: [Mode; 4] = [Mode::Ask, Mode::AcceptEdits, Mode::Plan, Mode::Yolo];
        let names = MODES.map(|mode| mode.name().to_owned());
        if let Some(place) = self.choose("mode", &names, self.info.mode.name(), rest) {
            // A line is typed on purpose, so what waits is judged at once.
            self.send(Op::SetMode(MODES[place]));
            self.send(Op::Rejudge);
        }
    }

    /// Returns the place of the name that was given by its number or itself; without one, tells all.
    fn choose(&mut self, what: &str, names: &[String], now: &str, given: &str) -> Option<usize> {
        if given.is_empty() {
            for (number, name) in (1..).zip(names) {
                let mark = if name == now { " (now)" } else { "" };
                self.said.line(&format!("{number} {name}{mark}"));
            }
            self.said.line(&format!("/{what} and a number changes to one."));
            return None;
        }
        let by_number = given.parse().ok().and_then(|number: usize| number.checked_sub(1));
        let place = names.iter().position(|name| name == given).or(by_number);
        let place = place.filter(|place| *place < names.len());
        if place.is_none() {
            self.said
                .line(&format!("There is no {what} {given}. /{what} lists them."));
        }
        place
    }

    // What the session does.

    pub(super) fn hear(&mut self, event: &Event) {
        match event {
            Event::MessageStarted(message) => self.message(message),
            Event::PartStarted { message, part } => self.part(message, part),
            Event::Delta { message, part, delta } => self.delta(message, *part, delta),
            Event::PartEnded { message, part } => {
                self.end_text(|text| text.message == *message && text.part == part.seq);
            }
            Event::MessageEnded { message, .. } => self.end_text(|text| text.message == *message),
            Event::CallReady { call, tool, args } => {
                let known = Call {
                    tool: tool.clone(),
                    args: args.clone(),
                };
                self.calls.insert(call.clone(), known);
            }
            Event::CallRunning { call } => self.begin_call(call),
            Event::CallEnded { call, tool, result } => self.end_call(call, tool, result),
            Event::Asked(question) => self.ask(Asked::permission(question)),
            Event::FormPut(form) => self.ask(Asked::form(form)),
            Event::Settled(settled) => self.settled(settled),
            Event::FormSettled { id, .. } => {
                self.withdraw(|asked| asked.is_form(*id), "The question was withdrawn.");
            }
            Event::Retry(retry) => {
                let voided = if retry.voided.is_some() {
                    " What it had said is void."
                } else {
                    ""
                };
                self.say(&format!(
                    "Trying again in {} s: {}.{voided}",
                    retry.delay_ms.div_ceil(1000),
                    retry.reason
                ));
            }
            Event::Error(report) => self.error(report),
            Event::Preparing => {
                self.is_busy = true;
                self.is_in_turn = true;
                self.say("Running what the command asks for first.");
            }
            Event::TurnStarted => {
                self.is_busy = true;
                self.is_in_turn = true;
                self.say("Working.");
            }
            Event::TurnEnded(done) => self.end_turn(*done),
            Event::Queue(queue) => self.queued(queue),
            Event::Todos(todos) => self.todos = Todo::list(todos),
            Event::Title(title) => self.info.title.clone_from(title),
            Event::Model(model) => {
                self.info.model = model.clone();
                self.aside(&format!("The model is {model} now."));
            }
            Event::Agent(agent) => {
                self.info.agent.clone_from(agent);
                self.aside(&format!("The agent is {agent} now."));
            }
            Event::Mode(mode) => {
                self.info.mode = *mode;
                self.aside(&format!("The mode is {} now.", mode.name()));
            }
            Event::Notice(text) => self.aside(&format!("Note: {text}")),
            Event::Refused(input) => self.given_back(&input.text, "a hook refused it"),
            Event::Unread { input, report } => self.given_back(&input.text, &report.sentence()),
            Event::CallUpdate { .. }
            | Event::Usage(_)
            | Event::Unqueued { .. }
            | Event::Answer(_)
            | Event::Hook(_)
            | Event::Grants(_) => {}
        }
        // What waits for an answer stays the last thing that was said. A text is not broken in its middle.
        if self.is_listening && !matches!(event, Event::Delta { .. }) {
            self.prompt();
        }
    }

    /// Says something beside what goes on, and that the person may type again.
    fn aside(&mut self, line: &str) {
        self.say(line);
        self.prompt();
    }

    fn given_back(&mut self, text: &str, why: &str) {
        self.sent.clear();
        self.is_busy = self.is_in_turn;
        self.aside(&format!("Your message was not sent: {why}. It was: {text}"));
    }

    fn error(&mut self, report: &ErrorReport) {
        self.say(&format!("Error: {}", report.message));
        if let Some(hint) = &report.hint {
            self.say(hint);
        }
        self.is_busy = self.is_in_turn;
        self.prompt();
    }

    fn message(&mut self, message: &Message) {
        if message.role != Role::User || message.is_reminder() {
            return;
        }
        if let Some((_, part)) = message.own_command() {
            let known = Call {
                tool: part.tool.clone(),
                args: part.args.clone().unwrap_or_default(),
            };
            self.calls.insert(part.call.clone(), known);
            return self.begin_call(&part.call);
        }
        let notices = message.parts.iter().filter_map(|part| match &part.body {
            PartBody::Notice(notice) if notice.kind == NoticeKind::Error => Some(notice.text.clone()),
            _ => None,
        });
        for notice in notices.collect::<Vec<_>>() {
            self.say(&format!("Note: {notice}"));
        }
        let text = message.text();
        // What was just typed is on the screen already.
        let is_known = self.sent.front().is_some_and(|sent| *sent == text);
        if is_known {
            self.sent.pop_front();
        } else if !text.trim().is_empty() {
            self.say(&format!("Sent: {}", text.trim()));
        }
    }

    fn part(&mut self, message: &MessageId, part: &Part) {
        match &part.body {
            PartBody::Text(text) => self.texts.push(Streaming {
                message: message.clone(),
                part: part.seq,
                left: text.text.clone(),
            }),
            PartBody::Reasoning(_) => self.say("Thinking."),
            PartBody::Tool(_) | PartBody::File(_) | PartBody::Notice(_) | PartBody::Unknown(_) => {}
        }
    }

    fn delta(&mut self, message: &MessageId, part: u64, delta: &str) {
        let is_it = |text: &&mut Streaming| text.message == *message && text.part == part;
        let Some(text) = self.texts.iter_mut().find(is_it) else {
            return;
        };
        text.left.push_str(delta);
        let rest = text.left.split_off(words::whole(&text.left));
        let whole = std::mem::replace(&mut text.left, rest);
        self.said.flow(&whole);
    }

    fn end_text(&mut self, is_it: impl Fn(&Streaming) -> bool) {
        while let Some(place) = self.texts.iter().position(&is_it) {
            let text = self.texts.remove(place);
            self.said.flow(&text.left);
            self.said.end_line();
        }
    }

    fn call_card(&self, call: &Call) -> Card {
        let cx = RenderCx { expanded: false };
        self.tools
            .render_call(&call.tool, &partial(&call.args), Some(&call.args), cx)
    }

    fn result_card(&self, call: &Call, result: &CallResult, expanded: bool) -> Card {
        let cx = RenderCx { expanded };
        let ended = ResultSource::Ended(result);
        self.tools
            .render_result(&call.tool, &partial(&call.args), Some(&call.args), ended, cx)
    }

    fn begin_call(&mut self, id: &CallId) {
        if let Some(call) = self.calls.get(id) {
            let line = words::begins(&self.call_card(call));
            self.running.push(id.clone());
            self.say(&line);
        }
    }

    fn end_call(&mut self, id: &CallId, tool: &str, result: &Arc<CallResult>) {
        self.running.retain(|running| running != id);
        let call = self.calls.remove(id).unwrap_or_else(|| Call {
            tool: tool.to_owned(),
            args: Value::Null,
        });
        let card = self.result_card(&call, result, false);
        self.say(&words::ended(&card, result.state()));
        self.say_all(&words::body(&card, ROWS));
        self.newest = Some((call, Arc::clone(result)));
        self.prompt();
    }

    fn ask(&mut self, asked: Asked) {
        self.asks.push_back(asked);
        if self.asks.len() == 1 {
            self.put_ask();
        } else {
            self.say(&format!(
                "Another question waits behind this one; {} in all.",
                self.asks.len()
            ));
            self.prompt();
        }
    }

    /// Tells the question that is next. It takes an answer from [`Self::listen`] on.
    fn put_ask(&mut self) {
        self.is_listening = false;
        self.round += u64::from(!self.asks.is_empty());
        self.tell_ask();
    }

    fn tell_ask(&mut self) {
        let Some(asked) = self.asks.front() else {
            return;
        };
        let mut lines = vec![titled(asked)];
        lines.extend(asked.lines());
        self.say_all(&lines);
        self.said.is_covered = false;
    }

    /// Tells the question that waits again, without what it is about: other words came between it and its answer.
    fn tell_options(&mut self) {
        let Some(asked) = self.asks.front() else {
            return;
        };
        let mut lines = vec![titled(asked)];
        lines.extend(asked.options());
        self.say_all(&lines);
        self.said.is_covered = false;
    }

    /// Returns the question that was put and takes no answer yet.
    pub(super) fn deaf(&self) -> Option<Round> {
        (!self.asks.is_empty() && !self.is_listening).then_some(self.round)
    }

    /// From now on lines are answers to this question, if it is the one that waits.
    pub(super) fn listen(&mut self, round: Round) {
        if self.deaf() == Some(round) {
            self.is_listening = true;
            self.prompt();
        }
    }

    fn settled(&mut self, settled: &SettledQuestion) {
        let told = match &settled.reply {
            Reply::Withdrawn => "The question was withdrawn.",
            Reply::Nobody | Reply::Reject(_) => "The question was denied.",
            Reply::Once | Reply::Always { .. } | Reply::Revised(_) => "The question was allowed.",
        };
        self.withdraw(|asked| asked.is_question(settled.id), told);
    }

    /// Takes a question away that was not answered here, and goes on with the next.
    fn withdraw(&mut self, is_it: impl Fn(&Asked) -> bool, told: &str) {
        let was_first = self.asks.front().is_some_and(&is_it);
        let before = self.asks.len();
        self.asks.retain(|asked| !is_it(asked));
        if self.asks.len() < before {
            self.say(told);
        }
        if was_first {
            self.put_ask();
        }
        self.prompt();
    }

    fn queued(&mut self, queue: &[Queued]) {
        for waiting in queue {
            let is_new = !self
                .queue
                .iter()
                .any(|known| known.id == waiting.id && known.kind == waiting.kind);
            if is_new {
                // It comes back as a message later, which is then worth a word.
                self.sent.retain(|sent| *sent != waiting.text);
                self.say(&waits(waiting));
            }
        }
        self.queue = queue.to_vec();
    }

    fn end_turn(&mut self, done: Done) {
        self.end_text(|_| true);
        self.is_busy = false;
        self.is_in_turn = false;
        self.is_leaving = false;
        self.running.clear();
        self.say(match done {
            Done::Stop => "Finished.",
            Done::Cancelled => "Interrupted.",
            Done::Length => "Ended at the model's output limit.",
            Done::Error => "Ended by the error above.",
            Done::MaxSteps => "Ended at the step limit.",
        });
        self.prompt();
    }
}

fn input(text: &str) -> Input {
    Input {
        text: text.to_owned(),
        ..Input::default()
    }
}

fn titled(asked: &Asked) -> String {
    format!("Question: {}.", asked.title().trim_end_matches('.'))
}

fn waits(queued: &Queued) -> String {
    let how = match queued.kind {
        QueuedKind::Steer => "Waits for the next step",
        QueuedKind::Queue => "Waits for the end of the turn",
        QueuedKind::Held => "Held; /send sends it",
    };
    format!("{how}: {}", queued.text)
}

fn partial(args: &Value) -> PartialJson {
    let mut partial = PartialJson::new();
    partial.feed(&args.to_string());
    partial
}

/// What was said and not taken yet.
#[derive(Default)]
struct Said {
    text: String,
    /// The line has been begun: with words, or with what stands before the person's own.
    is_begun: bool,
    /// What the line was begun with that asks the person to type.
    open: String,
    /// Foreign lines were said since the question was.
    is_covered: bool,
}

impl Said {
    /// Says a line of lathe's own. Only what it quotes has line breaks, so what is behind the first is foreign.
    fn line(&mut self, line: &str) {
        self.end_line();
        for (place, line) in sanitize(line).trim_end().split('\n').enumerate() {
            if place > 0 {
                self.text.push_str(words::FOREIGN);
            }
            self.is_covered |= place > 0 || line.starts_with(words::FOREIGN);
            self.text.push_str(&sanitize_line(line));
            self.text.push('\n');
        }
    }

    /// Goes on with a foreign text, or begins one. Each of its lines is marked.
    fn flow(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.open.is_empty() {
            self.end_line();
        }
        for line in sanitize(text).split_inclusive('\n') {
            if !self.is_begun && line != "\n" {
                self.text.push_str(words::FOREIGN);
            }
            self.text.push_str(line);
            self.is_begun = !line.ends_with('\n');
        }
        self.is_covered = true;
    }

    /// Begins a line for the person to type in. Said twice in a row, it is said once.
    fn open(&mut self, prompt: &str) {
        if self.is_begun && self.open == prompt {
            return;
        }
        self.end_line();
        let prompt = sanitize_line(prompt);
        self.text.push_str(&prompt);
        self.is_begun = true;
        self.open = prompt.into_owned();
    }

    /// The terminal has ended the line that the person typed.
    fn was_typed(&mut self) {
        self.is_begun = false;
        self.open.clear();
    }

    fn end_line(&mut self) {
        if self.is_begun {
            self.text.push('\n');
        }
        self.is_begun = false;
        self.open.clear();
    }
}

#[cfg(test)]
mod tests;
