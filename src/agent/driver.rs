//! Performs a turn's effects: asks the model, waits, runs calls.
//!
//! The session's actor owns the turn and the driver and waits on [`Driver::next`] beside its other sources. What comes
//! out are the turn's next events and the progress of calls, and of the calls inside them.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

use super::turn::{CallEnd, TurnEvent, not_executed};
use crate::conversation::{CallId, CallResult, ToolPart};
use crate::hook::HookRun;
use crate::provider::{Provider, ProviderError, ProviderErrorKind, ReplyStream, Request};
use crate::question::QuestionEvent;
use crate::text::sanitize::{sanitize_line, strip_controls};
use crate::tool::pipeline::{
    self, CallResolution, CallTurn, EndsTurn, LoopGuard, Progress, in_order, wants_to_speak,
};
use crate::tool::{CallSettings, NestedCalls, SessionEffect, ToolCx, Update};

/// Reports of the driver.
#[derive(Debug)]
pub enum DriverEvent {
    Turn(TurnEvent),
    /// A call was resolved; `args` are normalised.
    CallReady {
        call: CallId,
        tool: String,
        args: serde_json::Value,
    },
    /// A call is allowed. It begins when `recorded` is answered, and does not when that is dropped.
    CallRunning {
        call: CallId,
        recorded: oneshot::Sender<()>,
    },
    CallUpdate {
        call: CallId,
        update: Update,
    },
    /// A call consists of these, which are resolved.
    CallsInside {
        outer: CallId,
        calls: Vec<ToolPart>,
    },
    /// A call inside another has its result.
    InnerEnded {
        call: CallId,
        result: Box<CallResult>,
    },
    /// A command of the person's own has its result.
    OwnEnded {
        call: CallId,
        result: Box<CallResult>,
    },
    /// A hook has run.
    Hook(Box<HookRun>),
    /// A question was put or settled. It comes through here so that it keeps its place between a call's other events.
    Question(QuestionEvent),
}

/// The one channel through which everything about calls is reported, in order.
///
/// Unbounded, because the queue of questions writes to it under its lock; tools coalesce what they print.
pub struct Reports {
    sender: mpsc::UnboundedSender<DriverEvent>,
    receiver: mpsc::UnboundedReceiver<DriverEvent>,
}

impl Reports {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self { sender, receiver }
    }

    /// Returns where the queue of questions tells its events.
    pub fn question_sink(&self) -> impl Fn(QuestionEvent) + Send + 'static {
        let sender = self.sender.clone();
        // Nobody listens any more while the session closes.
        move |event| drop(sender.send(DriverEvent::Question(event)))
    }

    /// Returns where the hooks tell what they did.
    pub fn hook_sink(&self) -> impl Fn(HookRun) + Send + Sync + 'static {
        let sender = self.sender.clone();
        move |run| drop(sender.send(DriverEvent::Hook(Box::new(run))))
    }

    /// Returns what hooks had to say to the user so far, for calls that nobody drives.
    pub fn into_messages(mut self) -> Vec<String> {
        let mut messages = Vec::new();
        while let Ok(event) = self.receiver.try_recv() {
            if let DriverEvent::Hook(run) = event {
                messages.extend(run.messages);
            }
        }
        messages
    }
}

/// Runs one session's requests and calls.
pub struct Driver {
    provider: Arc<dyn Provider>,
    reply: Option<PendingReply>,
    timer: Option<Pin<Box<Sleep>>>,
    cancel: CancellationToken,
    guard: Arc<tokio::sync::Mutex<LoopGuard>>,
    reports: mpsc::UnboundedSender<DriverEvent>,
    reported: mpsc::UnboundedReceiver<DriverEvent>,
}

enum PendingReply {
    Connecting(BoxFuture<'static, Result<ReplyStream, ProviderError>>),
    Streaming(ReplyStream),
}

impl Driver {
    pub fn new(provider: Arc<dyn Provider>, reports: Reports) -> Self {
        let Reports {
            sender: reports,
            receiver: reported,
        } = reports;
        Self {
            provider,
            reply: None,
            timer: None,
            cancel: CancellationToken::new(),
            guard: Arc::default(),
            reports,
            reported,
        }
    }

    /// Returns what models are asked through.
    pub fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    /// Forgets what the last turn's calls were.
    pub fn begin_turn(&mut self) {
        self.guard = Arc::default();
        self.cancel = CancellationToken::new();
    }

    pub fn request(&mut self, request: Request) {
        let provider = Arc::clone(&self.provider);
        self.timer = None;
        self.reply = Some(PendingReply::Connecting(Box::pin(async move {
            provider.stream(request).await
        })));
    }

    /// Drops the request, the stream or the wait for another attempt.
    pub fn drop_request(&mut self) {
        self.reply = None;
        self.timer = None;
    }

    pub fn wait(&mut self, delay: Duration) {
        self.timer = Some(Box::pin(tokio::time::sleep(delay)));
    }

    /// Returns what a hook did that nobody has heard of, once the session ends and nothing else is of interest.
    pub fn last_hook_run(&mut self) -> Option<HookRun> {
        loop {
            if let DriverEvent::Hook(run) = self.reported.try_recv().ok()? {
                return Some(*run);
            }
        }
    }

    pub fn run(&mut self, calls: Vec<ToolPart>, settings: CallSettings) {
        let runner = Runner {
            settings,
            stop: self.cancel.child_token(),
            guard: Arc::clone(&self.guard),
            reports: self.reports.clone(),
        };
        tokio::spawn(runner.run(calls));
    }

    /// Runs a command of the person's own; the turn has nothing to do with it.
    pub fn run_own(&self, call: CallId, command: String, settings: CallSettings, cancel: CancellationToken) {
        let runner = Runner {
            settings,
            stop: cancel,
            guard: Arc::default(),
            reports: self.reports.clone(),
        };
        tokio::spawn(runner.own(call, command));
    }

    /// Runs a call that is of no reply, judged like any other; the turn has nothing to do with it.
    pub fn run_apart(&self, call: ToolPart, settings: CallSettings, cancel: CancellationToken) {
        let runner = Runner {
            settings,
            stop: cancel,
            guard: Arc::default(),
            reports: self.reports.clone(),
        };
        tokio::spawn(runner.apart(call));
    }

    pub fn cancel_calls(&mut self) {
        self.cancel.cancel();
    }

    /// Waits for what happens next; forever when nothing is under way. Cancel safe.
    pub async fn next(&mut self) -> DriverEvent {
        loop {
            tokio::select! {
                biased;
                Some(event) = self.reported.recv() => return event,
                event = next_of_reply(&mut self.reply) => {
                    if let Some(event) = event {
                        return DriverEvent::Turn(event);
                    }
                }
                () = elapsed(&mut self.timer) => {
                    self.timer = None;
                    return DriverEvent::Turn(TurnEvent::RetryDue);
                }
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

async fn elapsed(timer: &mut Option<Pin<Box<Sleep>>>) {
    match timer {
        Some(timer) => timer.await,
        None => std::future::pending().await,
    }
}

/// `None`: the connection stands and the stream begins.
async fn next_of_reply(reply: &mut Option<PendingReply>) -> Option<TurnEvent> {
    match reply {
        None => std::future::pending().await,
        Some(PendingReply::Connecting(connecting)) => match connecting.await {
            Ok(stream) => {
                *reply = Some(PendingReply::Streaming(stream));
                None
            }
            Err(error) => {
                *reply = None;
                Some(TurnEvent::Failed(error))
            }
        },
        Some(PendingReply::Streaming(stream)) => match stream.next().await {
            Some(Ok(event)) => Some(TurnEvent::Stream(event)),
            Some(Err(error)) => Some(TurnEvent::Failed(error)),
            None => Some(TurnEvent::Failed(ProviderError::new(
                ProviderErrorKind::Network,
                "the reply ended before it was complete",
            ))),
        },
    }
}

/// Runs the calls of one reply.
struct Runner {
    settings: CallSettings,
    /// Cancelled when the turn's calls are, and as soon as one of these ends the turn, so that none begins after it.
    stop: CancellationToken,
    guard: Arc<tokio::sync::Mutex<LoopGuard>>,
    reports: mpsc::UnboundedSender<DriverEvent>,
}

/// Tells how one call and those inside it go, and notes whether somebody wants the turn to end after it.
struct CallReport {
    reports: mpsc::UnboundedSender<DriverEvent>,
    rejected: AtomicBool,
    stopped: AtomicBool,
}

impl CallReport {
    fn new(reports: mpsc::UnboundedSender<DriverEvent>) -> Self {
        Self {
            reports,
            rejected: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        }
    }

    fn report(&self, event: DriverEvent) {
        // Nobody listens any more while the session closes.
        let _ = self.reports.send(event);
    }

    fn end(&self) -> CallEnd {
        if self.rejected.load(Ordering::Relaxed) {
            CallEnd::EndTurn
        } else if self.stopped.load(Ordering::Relaxed) {
            CallEnd::Stopped
        } else {
            CallEnd::GoOn
        }
    }
}

impl Progress for CallReport {
    fn running<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, bool> {
        let (recorded, answer) = oneshot::channel();
        let call = call.clone();
        self.report(DriverEvent::CallRunning { call, recorded });
        Box::pin(async move { answer.await.is_ok() })
    }

    fn updated(&self, call: &CallId, update: Update) {
        if let Update::Session(SessionEffect::Answer(_)) = update {
            self.stopped.store(true, Ordering::Relaxed);
        }
        let call = call.clone();
        self.report(DriverEvent::CallUpdate { call, update });
    }

    fn ends_turn(&self, _: &CallId, by: EndsTurn) {
        let flag = match by {
            EndsTurn::Person => &self.rejected,
            EndsTurn::Hook => &self.stopped,
        };
        flag.store(true, Ordering::Relaxed);
    }

    fn inside(&self, outer: &CallId, calls: Vec<ToolPart>) {
        let outer = outer.clone();
        self.report(DriverEvent::CallsInside { outer, calls });
    }

    fn ended(&self, call: &CallId, result: &CallResult) {
        self.report(DriverEvent::InnerEnded {
            call: call.clone(),
            result: Box::new(result.clone()),
        });
    }
}

impl Runner {
    async fn run(self, calls: Vec<ToolPart>) {
        let mut resolved = Vec::with_capacity(calls.len());
        {
            let mut guard = self.guard.lock().await;
            for call in calls {
                let known = self.settings.known();
                let outcome = pipeline::resolve(known, &mut guard, &call.tool, &call.raw_args);
                resolved.push((call, outcome));
            }
        }
        let turns = pipeline::turns(resolved.len()).zip(pipeline::turns(resolved.len()));
        let runs = resolved
            .into_iter()
            .zip(turns)
            .map(|((call, outcome), turns)| (outcome.concurrency(), self.one(call, outcome, turns)));
        // A call may run a whole task.
        Box::pin(in_order(runs)).await;
    }

    /// Runs one call to its one result. Its turns are those to ask and to start a task.
    async fn one(&self, call: ToolPart, resolved: CallResolution, turns: (CallTurn, CallTurn)) {
        let (asks, starts) = turns;
        let ready = DriverEvent::CallReady {
            call: call.call.clone(),
            tool: self.settings.registry.advertised_name(&call.tool, &resolved.args),
            args: resolved.args,
        };
        let _ = self.reports.send(ready);
        let report = Arc::new(CallReport::new(self.reports.clone()));
        let result = match resolved.outcome {
            Err(result) => plain(*result),
            Ok(_) if self.stop.is_cancelled() => not_executed(),
            Ok(ready) => {
                let (sender, updates) = mpsc::unbounded_channel();
                let cx = self.context(&call.call, sender, &report);
                let cx = cx.with_turn(asks).with_start_turn(starts);
                pipeline::attend(ready, &cx, updates, &*report).await
            }
        };
        let end = if wants_to_speak(&result) {
            CallEnd::EndTurn
        } else {
            report.end()
        };
        let event = TurnEvent::CallEnded {
            call: call.call,
            result: Box::new(result),
            end,
        };
        let _ = self.reports.send(DriverEvent::Turn(event));
        if end != CallEnd::GoOn {
            self.stop.cancel();
        }
    }

    async fn apart(self, call: ToolPart) {
        let resolved = {
            let mut guard = self.guard.lock().await;
            pipeline::resolve(self.settings.known(), &mut guard, &call.tool, &call.raw_args)
        };
        let report = Arc::new(CallReport::new(self.reports.clone()));
        report.report(DriverEvent::CallReady {
            call: call.call.clone(),
            tool: self.settings.registry.advertised_name(&call.tool, &resolved.args),
            args: resolved.args,
        });
        let result = match resolved.outcome {
            Err(result) => plain(*result),
            Ok(ready) => {
                let (sender, updates) = mpsc::unbounded_channel();
                let cx = self.context(&call.call, sender, &report);
                pipeline::attend(ready, &cx, updates, &*report).await
            }
        };
        report.report(DriverEvent::OwnEnded {
            call: call.call,
            result: Box::new(result),
        });
    }

    async fn own(self, call: CallId, command: String) {
        let report = Arc::new(CallReport::new(self.reports.clone()));
        let (sender, updates) = mpsc::unbounded_channel();
        let cx = self.context(&call, sender, &report);
        let result = Box::new(pipeline::own_command(&command, &cx, updates, &*report).await);
        report.report(DriverEvent::OwnEnded { call, result });
    }

    fn context(
        &self,
        call: &CallId,
        updates: mpsc::UnboundedSender<(CallId, Update)>,
        report: &Arc<CallReport>,
    ) -> ToolCx {
        let cx = ToolCx::new(&self.settings, call.clone(), self.stop.child_token(), updates);
        cx.with_inside(NestedCalls {
            calls: self.settings.clone(),
            guard: Arc::clone(&self.guard),
            progress: Arc::clone(report) as Arc<dyn Progress>,
        })
    }
}

/// Cleans the result of a call that never came into the pipeline: it quotes what the model wrote.
fn plain(mut result: CallResult) -> CallResult {
    result.title = sanitize_line(&result.title).into_owned();
    if let Cow::Owned(clean) = strip_controls(&result.output) {
        result.output = clean;
    }
    result
}
