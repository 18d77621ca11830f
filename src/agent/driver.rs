//! Performs a turn's effects: asks the model, waits, runs calls.
//!
//! The session's actor owns the turn and the driver and waits on [`Driver::next`] beside its other sources. What comes
//! out are the turn's next events and the progress of calls. Calls of one reply start in order: neighbours that are
//! shared run side by side, an exclusive one runs alone.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{BoxFuture, join_all};
use tokio::sync::mpsc;
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

use super::turn::{CallEnd, TurnEvent, not_executed};
use crate::conversation::{CallId, CallResult, ErrorKind, SessionId, ToolPart};
use crate::permission::BrokerEvent;
use crate::provider::{Provider, ProviderError, ProviderErrorKind, ReplyStream, Request};
use crate::text::sanitize::{sanitize_line, strip_controls};
use crate::text::truncate::ContextUse;
use crate::tool::pipeline::{self, LoopGuard, Progress, Ready, Resolved};
use crate::tool::{Abilities, Concurrency, Registry, Resolution, Services, ToolCx, Update};

/// What the driver reports.
#[derive(Debug)]
pub enum DriverEvent {
    Turn(TurnEvent),
    /// A call was resolved; `args` are normalised.
    CallReady {
        call: CallId,
        tool: String,
        args: serde_json::Value,
    },
    CallRunning {
        call: CallId,
    },
    CallUpdate {
        call: CallId,
        update: Update,
    },
    /// A question was put or settled. It comes through here so that it keeps its place between a call's other events.
    Permission(BrokerEvent),
}

/// The one channel through which everything about calls is reported, in order.
///
/// Unbounded, because the broker writes to it under its lock; tools coalesce what they print.
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

    /// Returns where the permission broker tells its events.
    pub fn permission_sink(&self) -> impl Fn(BrokerEvent) + Send + 'static {
        let sender = self.sender.clone();
        // Nobody listens any more while the session closes.
        move |event| drop(sender.send(DriverEvent::Permission(event)))
    }
}

/// What calls of a turn share.
#[derive(Clone)]
pub struct CallSettings {
    pub registry: Arc<Registry>,
    pub services: Arc<Services>,
    pub session: SessionId,
    pub agent: String,
    pub abilities: Abilities,
    pub context: Option<ContextUse>,
}

/// What is under way for one session.
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

    pub fn run(&mut self, calls: Vec<ToolPart>, settings: CallSettings) {
        let runner = Runner {
            settings,
            cancel: self.cancel.clone(),
            guard: Arc::clone(&self.guard),
            reports: self.reports.clone(),
        };
        tokio::spawn(runner.run(calls));
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
            None => Some(TurnEvent::Failed(ProviderError {
                kind: ProviderErrorKind::Network,
                message: "the reply ended before it was complete".to_owned(),
                hint: None,
                retry_after: None,
            })),
        },
    }
}

/// Runs the calls of one reply.
struct Runner {
    settings: CallSettings,
    cancel: CancellationToken,
    guard: Arc<tokio::sync::Mutex<LoopGuard>>,
    reports: mpsc::UnboundedSender<DriverEvent>,
}

struct RunningReport(mpsc::UnboundedSender<DriverEvent>);

impl Progress for RunningReport {
    fn running(&self, call: &CallId) {
        let _ = self.0.send(DriverEvent::CallRunning { call: call.clone() });
    }
}

impl Runner {
    async fn run(self, calls: Vec<ToolPart>) {
        let mut resolved = Vec::with_capacity(calls.len());
        {
            let mut guard = self.guard.lock().await;
            for call in calls {
                let Self { settings, .. } = &self;
                let outcome = pipeline::resolve(
                    &settings.registry,
                    &settings.services.settings,
                    &mut guard,
                    &call.tool,
                    &call.raw_args,
                );
                resolved.push((call, outcome));
            }
        }
        let mut shared = Vec::new();
        for (call, outcome) in resolved {
            match outcome.concurrency() {
                Concurrency::Shared => shared.push(self.one(call, outcome)),
                Concurrency::Exclusive => {
                    join_all(std::mem::take(&mut shared)).await;
                    self.one(call, outcome).await;
                }
            }
        }
        join_all(shared).await;
    }

    /// Runs one call to its one result.
    async fn one(&self, call: ToolPart, resolved: Resolved) {
        let ready = DriverEvent::CallReady {
            call: call.call.clone(),
            tool: shown_name(&self.settings.registry, &call.tool),
            args: resolved.args,
        };
        let _ = self.reports.send(ready);
        let result = match resolved.outcome {
            Err(result) => plain(*result),
            Ok(_) if self.cancel.is_cancelled() => not_executed(),
            Ok(ready) => self.execute(&call, ready).await,
        };
        let end = if ends_turn(&result) {
            CallEnd::EndTurn
        } else {
            CallEnd::GoOn
        };
        let event = TurnEvent::CallEnded {
            call: call.call,
            result: Box::new(result),
            end,
        };
        let _ = self.reports.send(DriverEvent::Turn(event));
    }

    /// Takes the call through the pipeline. Its progress is passed on between its beginning and its end, which another
    /// channel beside the one for reports could not promise.
    async fn execute(&self, call: &ToolPart, ready: Ready) -> CallResult {
        let grace = ready.cancel_grace();
        let (sender, mut updates) = mpsc::unbounded_channel();
        let cx = self.context(call, sender);
        let reports = RunningReport(self.reports.clone());
        let work = pipeline::run(ready, &cx, &reports);
        let limit = past(&self.cancel, grace);
        tokio::pin!(work, limit);
        let result = loop {
            tokio::select! {
                biased;
                Some(update) = updates.recv() => self.pass_on(update),
                result = &mut work => break result,
                () = &mut limit => break CallResult::error(ErrorKind::Cancelled, "cancelled", None),
            }
        };
        while let Ok(update) = updates.try_recv() {
            self.pass_on(update);
        }
        result
    }

    fn pass_on(&self, (call, update): (CallId, Update)) {
        let _ = self.reports.send(DriverEvent::CallUpdate { call, update });
    }

    fn context(&self, call: &ToolPart, updates: mpsc::UnboundedSender<(CallId, Update)>) -> ToolCx {
        let settings = &self.settings;
        let mut cx = ToolCx::new(
            Arc::clone(&settings.services),
            settings.session.clone(),
            call.call.clone(),
            updates,
        );
        cx.agent.clone_from(&settings.agent);
        cx.abilities = settings.abilities;
        cx.context = settings.context;
        cx.cancel = self.cancel.child_token();
        cx
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

/// Returns the name under which a call is told: the tool's own, or what the model wrote when there is no such tool.
pub fn shown_name(registry: &Registry, given: &str) -> String {
    match registry.resolve(given) {
        Resolution::Tool(tool) => tool.name().to_owned(),
        Resolution::Unknown { .. } => given.to_owned(),
    }
}

/// Waits until a cancelled call has had its time to return.
async fn past(cancel: &CancellationToken, grace: Duration) {
    cancel.cancelled().await;
    tokio::time::sleep(grace).await;
}

/// Whether the person refused without a word, which means that they want to speak.
fn ends_turn(result: &CallResult) -> bool {
    result.error_kind() == Some(ErrorKind::Rejected)
        && result
            .details
            .get("error")
            .is_none_or(|error| error.get("message").is_none())
}
