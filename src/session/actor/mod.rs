//! The one owner of a session's state.
//!
//! A single loop takes commands from front ends, events from the driver and from the queue of questions, and lets the
//! turn say what follows. Boundaries (a message, a result) are on disk before they are told; deltas are told first and
//! checkpointed twice a second.

mod advertised_tools;
mod agent_and_model;
mod attachments;
mod context;
mod grants;
mod hook_jobs;
mod hook_queue;
mod input_queue;
mod nested_calls;
mod plan_mode;
mod queries;
mod revised_calls;
mod setup;
mod shell;
mod task_commands;
mod terminals;
mod todo_reminders;
mod todos;
mod turn_effects;
mod undo;
mod unread_files;
mod user_commands;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use super::outbox::{Outbox, Receiver};
use super::profile::MakeProfiles;
use super::query::{Answer, CacheMiss, Query, StatusGroup};
use super::recorder::Recorder;
use super::tasks::Tasks;
use super::terminal_rows;
use super::tree::SessionTree;
use super::{
    Command, ErrorReport, Event, Input, Op, QueuedKind, ReportKind, SessionInfo, SettledQuestion, Snapshot,
    Streams,
};
use crate::agent::driver::{Driver, DriverEvent};
use crate::agent::estimate;
use crate::agent::history::HistoryView;
use crate::agent::turn::{Turn, TurnEvent, TurnSettings};
use crate::conversation::{CallId, Message, MessageId, ModelRef, NoticeKind, ToolPart};
use crate::provider::{Model, ProviderError};
use crate::question::{QuestionEvent, QuestionKind};
use crate::tool::{CallSettings, Update};
use advertised_tools::{AdvertisedTools, ToolRules};
use attachments::MessageRoute;
pub(super) use context::CompactionSettings;
use context::{CompactionDone, ContextState, RunningCompaction, WindowQuery};
use hook_jobs::HookDone;
use hook_queue::HookQueue;
pub(super) use plan_mode::StateBeforePlan;
use todo_reminders::TodoReminders;
use todos::KnownTodos;
use undo::UndoChange;
pub(super) use user_commands::UserCommands;

/// How often a growing reply is written down.
const CHECKPOINT: Duration = Duration::from_millis(500);

/// Time between two tries to write what could not be written.
const SAVE_RETRY: Duration = Duration::from_secs(2);

/// The parts of a session; `wire` puts them together.
pub(super) struct SessionParts {
    pub(super) info: SessionInfo,
    pub(super) messages: Vec<Arc<Message>>,
    pub(super) next_seq: u64,
    pub(super) todos: Vec<serde_json::Value>,
    pub(super) draft: String,
    pub(super) recorder: Recorder,
    pub(super) driver: Driver,
    pub(super) tree: Arc<SessionTree>,
    pub(super) tasks: Arc<Tasks>,
    /// True for the session of a task.
    pub(super) is_task: bool,
    pub(super) calls: CallSettings,
    pub(super) model: Model,
    pub(super) turn: TurnSettings,
    pub(super) system: String,
    /// See [`Profile::prefix`](super::profile::Profile::prefix).
    pub(super) prefix: Option<String>,
    pub(super) titles: Option<super::title::TitleGenerator>,
    pub(super) temperature: Option<f64>,
    pub(super) profiles: Box<dyn MakeProfiles>,
    pub(super) before_plan: StateBeforePlan,
    pub(super) user_commands: UserCommands,
    /// The word for the hooks of the beginning: `startup` or `resume`.
    pub(super) opening: &'static str,
    pub(super) shutdown_grace: ShutdownGrace,
    /// The groups of `/status` that do not change while the session lives.
    pub(super) about: Vec<StatusGroup>,
    /// How often a turn goes on that would end with open todos.
    pub(super) reminders: u32,
    pub(super) compaction: CompactionSettings,
    /// Removes old outputs as long as the session lives.
    pub(super) _cleaning: AbortOnDropHandle<()>,
}

impl SessionParts {
    /// Returns the settings and rules of the agents that share the session's prefix; none where it has one of its own.
    fn sharing_prefix(&self) -> Vec<ToolRules> {
        match self.prefix {
            Some(_) => Vec::new(),
            None => self.profiles.sharing_prefix(&self.info.model),
        }
    }

    /// Returns prefix and model of the last request that the conversation shows.
    fn last_asked_as(&self) -> Option<(Option<String>, ModelRef)> {
        let mut messages = self.messages.iter().rev();
        messages.find_map(|message| {
            let model = message.model.clone()?;
            let agent = message.agent.as_deref().unwrap_or(&self.info.agent);
            Some((self.profiles.prefix_of(agent), model))
        })
    }
}

/// How long the hooks of the end may keep a session that was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShutdownGrace {
    /// Somebody waits for their shell.
    Short,
    /// As long as each hook may take.
    Whole,
}

pub(super) struct Actor {
    parts: SessionParts,
    commands: mpsc::Receiver<Command>,
    outbox: Outbox,
    turn: Option<Turn>,
    /// Steers live in the turn as messages; this is what the person sees of them.
    waiting: VecDeque<WaitingInput>,
    next_waiting: u64,
    /// The messages that are stored as sent and not in the conversation.
    stored_unsent: input_queue::UnsentKey,
    checkpoint: Option<Instant>,
    title: Option<tokio::task::JoinHandle<Option<String>>>,
    closing: bool,
    /// The agent that the next step belongs to, where that is another.
    next_agent: Option<String>,
    /// The model that the next step asks, where a person chose another.
    next_model: Option<ModelRef>,
    hooking: HookQueue,
    revised: revised_calls::RevisedCalls,
    attaching: attachments::AttachmentReads,
    /// Commands of the person's own that run.
    shells: shell::Shells,
    /// The command that prepares the work tree of a task, while it runs.
    setup: Option<setup::Setup>,
    advertised: AdvertisedTools,
    context: ContextState,
    known_todos: KnownTodos,
    todo_reminders: TodoReminders,
    /// When the last turn began, in milliseconds since the Unix epoch.
    turn_began: Option<i64>,
    /// Prefix and model of the last request, also of another process; `None` before the first one.
    asked_as: Option<(Option<String>, ModelRef)>,
    /// True once a request was made since the session was opened.
    has_asked: bool,
    /// The turn that runs is ended because what it may spend is spent.
    is_spent: bool,
    /// Causes that made the provider read anew what it had cached.
    misses: Vec<CacheMiss>,
    /// Tells of the terminals of the tree, in the session of its root.
    _terminal_rows: Option<AbortOnDropHandle<()>>,
}

#[derive(Debug)]
struct WaitingInput {
    id: u64,
    kind: QueuedKind,
    input: Input,
    /// The message a steer will be.
    message: Option<MessageId>,
}

/// Something that woke the loop.
enum ActorWake {
    Command(Option<Command>),
    Driver(DriverEvent),
    Checkpoint,
    Title(Option<String>),
    Hooks(Option<HookDone>),
    Attached(attachments::AttachmentOutcome),
    Compaction(CompactionDone),
    Window(Option<u64>),
}

impl Actor {
    pub(super) fn new(parts: SessionParts, commands: mpsc::Receiver<Command>) -> Self {
        let hooks = &parts.calls.services.tree.hooks;
        let transcript = hooks.transcript().filter(|_| parts.info.read_only.is_none());
        let hooking = HookQueue::new(transcript, &parts.info.id);
        let advertised = AdvertisedTools::new(&parts.messages, &parts.calls, &parts.sharing_prefix());
        let view = HistoryView::new(parts.calls.services.tree.outputs.dir(), &parts.messages);
        let prefix = estimate::bytes(parts.system.len()) + advertised.estimate();
        let context = ContextState::new(view, &parts.messages, prefix);
        let asked_as = parts.last_asked_as();
        let known_todos = KnownTodos::new(&parts.messages, &parts.todos);
        let todo_reminders = TodoReminders::new(&parts.messages, &parts.todos);
        let mut outbox = Outbox::default();
        parts.tree.share_receivers(&mut outbox);
        let terminal_rows = (!parts.is_task).then(|| {
            let services = Arc::clone(&parts.calls.services.tree);
            terminal_rows::tell(services, Arc::downgrade(&parts.tree), parts.info.id.clone())
        });
        Self {
            hooking,
            revised: revised_calls::RevisedCalls::default(),
            attaching: attachments::AttachmentReads::default(),
            shells: shell::Shells::default(),
            setup: None,
            advertised,
            context,
            known_todos,
            todo_reminders,
            turn_began: None,
            asked_as,
            has_asked: false,
            is_spent: false,
            misses: Vec::new(),
            _terminal_rows: terminal_rows,
            parts,
            commands,
            outbox,
            turn: None,
            waiting: VecDeque::new(),
            next_waiting: 1,
            stored_unsent: input_queue::UnsentKey::default(),
            checkpoint: None,
            title: None,
            closing: false,
            next_agent: None,
            next_model: None,
        }
    }

    /// Runs until the session is closed or every front end is gone.
    pub(super) async fn run(mut self) {
        loop {
            match self.wake().await {
                ActorWake::Command(Some(Command::Attach(streams, answer))) => {
                    let _ = answer.send(self.attach_front_end(streams));
                    self.begin_hooks();
                }
                ActorWake::Command(Some(Command::Op(op))) => self.on_op(op),
                ActorWake::Command(Some(Command::Task(command))) => self.on_task_command(command),
                ActorWake::Command(Some(Command::Ask(query, answer))) => self.on_query(query, answer).await,
                ActorWake::Command(None) => self.on_op(Op::Close),
                ActorWake::Driver(event) => self.on_driver(event),
                ActorWake::Checkpoint => self.on_checkpoint(),
                ActorWake::Title(title) => self.on_title(title),
                ActorWake::Hooks(done) => self.on_hooks(done),
                ActorWake::Attached(attached) => self.on_attached(attached),
                ActorWake::Compaction(done) => self.on_compaction(done),
                ActorWake::Window(tokens) => self.on_window(tokens),
            }
            self.store_unsent();
            if self.closing && !self.is_busy() && self.shells.is_empty() {
                if !self.parts.is_task {
                    self.parts.tasks.close().await;
                    self.parts.calls.services.tree.terminals.close().await;
                }
                self.parts.recorder.end();
                self.parts.tree.remove(&self.parts.info.id);
                return self.end_hooks().await;
            }
        }
    }

    async fn on_query(&mut self, query: Query, sender: oneshot::Sender<Answer>) {
        let change = match query {
            Query::Undo(request) => UndoChange::Undo(request),
            Query::Redo { skips_changed } => UndoChange::Redo { skips_changed },
            query => return self.answer(query, sender),
        };
        let answer = self.change_by_undo(change).await;
        // Whoever asked may be gone.
        let _ = sender.send(answer);
    }

    async fn wake(&mut self) -> ActorWake {
        let checkpoint = self.checkpoint;
        tokio::select! {
            biased;
            command = self.commands.recv(), if !self.closing => ActorWake::Command(command),
            event = self.parts.driver.next() => ActorWake::Driver(event),
            () = at(checkpoint) => ActorWake::Checkpoint,
            title = finished(&mut self.title) => ActorWake::Title(title.flatten()),
            done = self.hooking.next() => ActorWake::Hooks(done),
            attached = self.attaching.next() => ActorWake::Attached(attached),
            done = RunningCompaction::next(&mut self.context.running) => ActorWake::Compaction(done),
            tokens = WindowQuery::next(&mut self.context.window_query) => ActorWake::Window(tokens),
        }
    }

    fn attach_front_end(&mut self, streams: Streams) -> (Snapshot, Receiver) {
        let receiver = match streams {
            Streams::WholeTree => self.outbox.attach_lossless(),
            Streams::Session | Streams::SessionAndTree => self.outbox.attach(),
        };
        let mut snapshot = self.snapshot();
        if streams != Streams::Session {
            // Attached before it is asked what waits, so that nothing is missed. A question that is told twice is one.
            self.parts.tree.attach(&receiver);
            snapshot.questions = self.parts.calls.services.tree.questions.waiting();
            snapshot.tasks = self.parts.tasks.rows();
            snapshot.terminals = self.parts.calls.services.tree.terminals.rows();
        }
        if streams == Streams::WholeTree {
            self.parts.tree.attach_to_all(&receiver);
        }
        (snapshot, receiver)
    }

    fn snapshot(&self) -> Snapshot {
        let mut messages = self.parts.messages.clone();
        self.revised.show(&mut messages);
        messages.extend(
            self.turn
                .as_ref()
                .and_then(Turn::streaming)
                .map(|message| Arc::new(message.clone())),
        );
        Snapshot {
            seq: self.outbox.seq(),
            info: self.parts.info.clone(),
            messages,
            questions: Vec::new(),
            tasks: Vec::new(),
            terminals: Vec::new(),
            queue: self.queued(),
            todos: self.parts.todos.clone(),
            busy: self.is_busy(),
            draft: self.parts.draft.clone(),
        }
    }

    fn publish(&mut self, event: Event) {
        // Before it is told: whoever hears that a turn has ended finds the tasks as they then are.
        self.parts.tasks.observe(&self.parts.info.id, &event);
        self.outbox.send(&self.parts.info.id, event);
    }

    fn publish_to_tree(&self, event: Event) {
        self.parts.tasks.observe(&self.parts.info.id, &event);
        self.parts.tree.publish(&self.parts.info.id, event);
    }

    fn on_op(&mut self, op: Op) {
        self.observe_person(&op);
        match op {
            Op::Submit(input) => self.send(MessageRoute::Submitted, input),
            Op::Queue(input) => self.send(MessageRoute::Queued, input),
            Op::Shell(command) => self.run_shell(&command),
            Op::Unqueue(id) => self.unqueue(id),
            Op::Shift { id, way } => self.shift(id, way),
            Op::Redirect(id) => self.redirect(id),
            Op::Release => self.release(),
            Op::Interrupt => self.interrupt(),
            Op::Answer { id, reply } => {
                let tree = &self.parts.calls.services.tree;
                if let Err(late) = tree.gates.answer(&tree.questions, id, reply) {
                    self.publish(Event::Notice(late.to_string()));
                }
            }
            Op::ListGrants => self.list_grants(),
            Op::RevokeGrant(id) => self.revoke_grant(id),
            Op::EditTodo(edit) => self.edit_todo(edit),
            Op::SetMode(mode) => self.set_mode(mode),
            Op::Rejudge => self.parts.calls.services.tree.gates.rejudge_by_mode(),
            Op::SetAgent(name) => self.change_agent(&name),
            Op::SetModel(model) => self.change_model(model),
            Op::Compact(focus) => self.compact(focus),
            Op::UseSummary(text) => self.use_summary(text),
            Op::SendRefusedAgain => self.send_refused_again(),
            Op::Rename(title) => {
                self.title = None;
                self.set_title(super::title::first_line(&title));
            }
            Op::Draft(draft) => {
                self.parts.recorder.draft(&draft);
                self.parts.draft = draft;
            }
            Op::Task(op) => self.parts.tasks.on_op(&self.parts.info.id, &op),
            Op::Terminal(op) => self.on_terminal_op(op),
            Op::Close => {
                self.closing = true;
                self.keep_unsent();
                self.interrupt();
            }
        }
    }

    /// Sends a message on its way, or has what belongs to it read first.
    fn send(&mut self, route: MessageRoute, input: Input) {
        for input in self.with_model(vec![input]).into_iter().flatten() {
            if let Some(input) = self.attach(route, input) {
                self.take_input(route, input);
            }
        }
    }

    /// Sends a message on its way, once all that belongs to it is there.
    fn take_input(&mut self, sent: MessageRoute, input: Input) {
        if self.turn.is_some() && sent == MessageRoute::Submitted {
            self.forget_going_on();
            self.steer(input);
        } else if self.is_busy() {
            self.push_waiting(QueuedKind::Queue, input, None);
            self.publish_queue();
        } else {
            self.start_turn(vec![input]);
        }
    }

    fn interrupt(&mut self) {
        self.shells.cancel();
        self.interrupt_attaching();
        if self.turn.is_none() {
            self.stop_manual_compaction();
        }
        if !self.interrupt_hooks() {
            self.on_turn(TurnEvent::Interrupt);
        }
    }

    pub(super) fn on_driver(&mut self, event: DriverEvent) {
        match event {
            DriverEvent::Turn(event) => self.on_turn(event),
            DriverEvent::Question(event) => self.on_question(event),
            DriverEvent::OwnEnded { call, result } => self.end_shell(&call, *result),
            DriverEvent::Hook(run) => self.on_hook_run(*run),
            DriverEvent::CallsInside { outer, calls } => self.begin_inside(&outer, calls),
            DriverEvent::InnerEnded { call, result } => self.settle_inner(&call, *result),
            DriverEvent::CallReady { call, tool, args } => {
                self.with_call(&call, |part| part.args = Some(args.clone().into()));
                self.publish(Event::CallReady { call, tool, args });
            }
            DriverEvent::CallRunning { call, recorded } => self.begin_call(call, recorded),
            DriverEvent::CallUpdate { call, update } => match update {
                Update::Call(update) => self.publish(Event::CallUpdate { call, update }),
                Update::Session(effect) => self.change_as_called(effect),
            },
        }
    }

    /// Changes a call of the last reply, or one inside it, in place.
    pub(super) fn with_call(&mut self, call: &CallId, change: impl FnOnce(&mut ToolPart)) {
        if let Some(part) = revised_calls::find_call(&mut self.parts.messages, call) {
            change(part);
        }
    }

    pub(super) fn on_question(&mut self, event: QuestionEvent) {
        match event {
            QuestionEvent::Asked(question) => {
                let kind = match question.about {
                    QuestionKind::Permission(_) => "permission",
                    QuestionKind::Form(_) => "question",
                };
                self.notify(kind, question.title().to_owned());
                self.publish_to_tree(Event::Asked(question));
            }
            QuestionEvent::Settled { question, reply } => {
                let settled = SettledQuestion::of(&question, reply);
                self.revised.take(&settled);
                self.publish_to_tree(Event::Settled(settled));
                self.tell_of_allowed_edits();
            }
        }
    }

    pub(super) fn on_checkpoint(&mut self) {
        self.checkpoint = None;
        let recorder = &mut self.parts.recorder;
        let stored = match self.turn.as_ref().and_then(Turn::streaming) {
            Some(message) => recorder.message(message),
            None if recorder.has_unsaved() => recorder.retry(),
            None => return,
        };
        self.check(stored);
    }

    /// The first words name the session at once; a small model may find something better.
    pub(super) fn name_session(&mut self, text: &str) {
        if !self.parts.info.title.is_empty() {
            return;
        }
        self.set_title(super::title::first_line(text));
        if let Some(titles) = &self.parts.titles {
            self.title = Some(titles.ask(&self.parts.info.id, text));
        }
    }

    pub(super) fn on_title(&mut self, title: Option<String>) {
        self.title = None;
        if let Some(title) = title {
            self.set_title(title);
        }
    }

    pub(super) fn set_title(&mut self, title: String) {
        let stored = self.parts.recorder.title(&title);
        self.parts.info.title.clone_from(&title);
        self.publish(Event::Title(title));
        self.check(stored);
    }

    pub(super) fn report_provider(&mut self, error: &ProviderError) {
        let report = ErrorReport::from(error.clone());
        let text = report.text();
        self.publish(Event::Error(report));
        self.note(NoticeKind::Error, &text);
    }

    pub(super) fn report(&mut self, kind: ReportKind, message: String) {
        self.publish(Event::Error(ErrorReport::new(kind, message)));
    }

    /// A failed write ends the turn, so that nothing more is done that could not be kept. Where somebody watches it goes on in
    /// memory, and they are told.
    pub(super) fn check(&mut self, stored: Result<(), crate::store::StoreError>) {
        let Err(error) = stored else {
            if self.parts.recorder.take_saved_again() {
                let words = "The part that was only in memory is saved now.";
                self.publish(Event::Notice(words.to_owned()));
            }
            return;
        };
        if self.parts.recorder.keeps_unsaved() {
            self.checkpoint.get_or_insert_with(|| Instant::now() + SAVE_RETRY);
            if self.parts.recorder.fail() {
                self.report(
                    ReportKind::Storage,
                    format!(
                        "{error}. The session continues in memory only; it is saved as soon as that works, and \
                        lost if lathe quits before"
                    ),
                );
            }
            return;
        }
        if self.parts.recorder.fail() {
            self.report(ReportKind::Storage, error.to_string());
            self.parts.driver.cancel_calls();
            self.on_turn(TurnEvent::Interrupt);
        }
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// Waits for the end of a task, which is none from then on; forever while there is none. Cancel safe.
async fn finished<T>(running: &mut Option<tokio::task::JoinHandle<T>>) -> Option<T> {
    match running {
        Some(task) => {
            let done = task.await.ok();
            *running = None;
            done
        }
        None => std::future::pending().await,
    }
}

/// Starts a session on the current runtime.
pub(super) fn spawn(parts: SessionParts, commands: mpsc::Receiver<Command>) -> tokio::task::JoinHandle<()> {
    tokio::spawn(Actor::new(parts, commands).run())
}
