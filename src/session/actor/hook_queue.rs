//! The hooks that the session itself runs: for a prompt, at the end of a turn, at its own beginning and end, and for what
//! a person may want to hear of.
//!
//! Hooks that the session waits for run one after another, beside the loop: a prompt that is sent while the hooks of
//! the beginning still run waits for them. Notifications wait for nobody and nobody waits for them until the session
//! ends. Where no hook is for an event nothing here is entered.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::hook_jobs::{HookDone, HookJob, OwnedHookContext, PromptRoute};
use super::{Actor, ShutdownGrace, finished};
use crate::agent::turn::{Turn, TurnEnd, TurnEvent};
use crate::conversation::{CallId, CallResult, FilePart, Message, SessionId};
use crate::hook::{HookEvent, HookRun, PromptVerdict, StopVerdict, Transcript};
use crate::session::{Event, Input, QueuedKind, ReportKind, TurnEndReason};

/// How often in a row hooks may have a turn go on that had ended.
const GOES_ON: u32 = 8;
/// Time for hooks that are still being told of events when the session ends.
const END_GRACE: Duration = Duration::from_secs(2);
/// Time limit for all hooks of a session's end while somebody waits for it to close.
const SHORT_SHUTDOWN_GRACE: Duration = Duration::from_secs(3);

/// The session's hooks that run or wait to be run.
#[derive(Default)]
pub(super) struct HookQueue {
    waiting: VecDeque<HookJob>,
    running: Option<JoinHandle<HookDone>>,
    notifying: JoinSet<()>,
    held: HeldStep,
    /// The prompts that are with the hooks, to be given back if that is interrupted.
    asking: Vec<Input>,
    /// Of the jobs that run and wait; notifications and the end go on.
    cancel: CancellationToken,
    /// Texts of the hooks of the beginning, until they join a prompt.
    context: Vec<String>,
    has_begun: bool,
    /// How often in a row the turn was made to go on.
    went_on: u32,
    transcript: Option<Transcript>,
}

/// The part of a turn that waits for its hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum HeldStep {
    #[default]
    Nothing,
    /// A turn that has not begun.
    Prompt,
    /// A turn that would end.
    End,
}

impl HookQueue {
    pub(super) fn new(transcript: Option<&Path>, session: &SessionId) -> Self {
        Self {
            transcript: transcript.map(|path| Transcript::new(path.to_owned(), session.as_str())),
            ..Self::default()
        }
    }

    /// A prompt or an end waits for its hooks.
    pub(super) fn is_holding(&self) -> bool {
        self.held != HeldStep::Nothing
    }

    /// Prompts that hooks are asked about.
    pub(super) fn prompts(&self) -> impl DoubleEndedIterator<Item = &Input> {
        self.asking.iter()
    }

    fn is_working(&self) -> bool {
        self.running.is_some() || !self.waiting.is_empty()
    }

    /// Waits for the hooks that run; forever when none do. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<HookDone> {
        finished(&mut self.running).await
    }

    pub(super) fn write(&mut self, message: &Message) {
        if let Some(transcript) = &mut self.transcript {
            transcript.message(message);
        }
    }

    pub(super) fn write_result(&mut self, call: &CallId, result: &CallResult) {
        if let Some(transcript) = &mut self.transcript {
            transcript.result(call, result);
        }
    }
}

impl Actor {
    fn has_hook(&self, event: HookEvent) -> bool {
        self.parts.info.read_only.is_none() && self.parts.calls.services.tree.hooks.has(event)
    }

    /// Returns true if hooks want to see one of these prompts. What an agent asks of a task is no prompt of the user's.
    fn has_prompt_hook(&self, inputs: &[Input]) -> bool {
        self.has_hook(HookEvent::UserPromptSubmit) && inputs.iter().any(|input| !input.is_delegated)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.turn.is_some() || self.hooking.is_holding() || self.setup.is_some()
    }

    /// The session has begun, for whoever attaches first: nobody would hear of hooks that run earlier.
    pub(super) fn begin_hooks(&mut self) {
        if std::mem::replace(&mut self.hooking.has_begun, true) {
            return;
        }
        for message in &self.parts.messages {
            self.hooking.write(message);
        }
        // A task is no session of its own to the person who wrote the hooks.
        if self.has_hook(HookEvent::SessionStart) && !self.parts.is_task {
            let source = self.parts.opening;
            self.ask_hooks(HookJob::Begin { source });
        }
    }

    /// The conversation goes on from a summary; what hooks have to say to that joins the next prompt.
    pub(super) fn tell_hooks_of_compaction(&mut self) {
        if self.has_hook(HookEvent::SessionStart) && !self.parts.is_task {
            self.ask_hooks(HookJob::Begin { source: "compact" });
        }
    }

    fn ask_hooks(&mut self, job: HookJob) {
        if let HookJob::Prompts { inputs, .. } = &job {
            self.hooking.asking.extend(inputs.iter().cloned());
        }
        self.hooking.waiting.push_back(job);
        self.next_hook_job();
    }

    fn next_hook_job(&mut self) {
        if self.hooking.running.is_some() {
            return;
        }
        let Some(job) = self.hooking.waiting.pop_front() else {
            return;
        };
        let work = OwnedHookContext::of(&self.parts).perform(job, self.hooking.cancel.clone());
        self.hooking.running = Some(tokio::spawn(work));
    }

    /// Gives prompts to the hooks first; says what is left to be done at once.
    pub(super) fn hold_prompts(&mut self, inputs: Vec<Input>) -> Option<Vec<Input>> {
        if !self.has_prompt_hook(&inputs) && !self.hooking.is_working() {
            return Some(inputs);
        }
        self.hooking.held = HeldStep::Prompt;
        self.ask_hooks(HookJob::Prompts {
            inputs,
            way: PromptRoute::StartsTurn,
        });
        None
    }

    /// The same for what is said while a turn runs.
    pub(super) fn hold_steer(&mut self, input: Input) -> Option<Input> {
        if !self.has_prompt_hook(std::slice::from_ref(&input)) {
            return Some(input);
        }
        self.ask_hooks(HookJob::Prompts {
            inputs: vec![input],
            way: PromptRoute::Steers,
        });
        None
    }

    /// Asks the hooks whether the turn may end; says whether it has to wait for them.
    pub(super) fn hold_end(&mut self, end: TurnEnd) -> bool {
        let is_whole = end == TurnEnd::Stop && !self.closing;
        let has_steers = self.turn.as_ref().is_some_and(Turn::has_steers);
        let event = if self.parts.is_task {
            HookEvent::SubagentStop
        } else {
            HookEvent::Stop
        };
        if !is_whole || has_steers || !self.has_hook(event) {
            return false;
        }
        self.hooking.held = HeldStep::End;
        let is_again = self.hooking.went_on > 0;
        self.ask_hooks(HookJob::Stop { is_again });
        true
    }

    /// Hooks have spoken; `None` when they failed inside.
    pub(super) fn on_hooks(&mut self, done: Option<HookDone>) {
        if let Some(HookDone::Prompted(prompted, _)) = &done {
            // Jobs end in the order in which they were given.
            self.hooking.asking.drain(..prompted.len());
        }
        match done {
            Some(HookDone::Begun(context)) => self.hooking.context.extend(context),
            Some(HookDone::Prompted(prompted, PromptRoute::StartsTurn)) => {
                self.hooking.held = HeldStep::Nothing;
                self.on_prompted(prompted);
            }
            Some(HookDone::Prompted(prompted, PromptRoute::Steers)) => self.on_steers_prompted(prompted),
            Some(HookDone::Stopped(stopped)) => {
                self.hooking.held = HeldStep::Nothing;
                self.on_stop_hooks(stopped);
            }
            None => self.on_lost_hooks(),
        }
        self.next_hook_job();
    }

    /// A fault of ours must leave nobody waiting.
    fn on_lost_hooks(&mut self) {
        self.hooking.waiting.clear();
        self.give_back();
        self.report(
            ReportKind::Internal,
            "hooks failed because of an internal error; please report this".to_owned(),
        );
        match std::mem::take(&mut self.hooking.held) {
            HeldStep::Nothing => {}
            HeldStep::Prompt => self.finish_turn(TurnEnd::Failed),
            HeldStep::End => self.finish_turn(TurnEnd::Stop),
        }
    }

    /// Returns messages that were not sent to whoever wrote them.
    fn give_back(&mut self) {
        for input in std::mem::take(&mut self.hooking.asking) {
            self.publish(Event::Refused(Arc::new(input)));
        }
    }

    fn on_prompted(&mut self, prompted: Vec<(Input, PromptVerdict)>) {
        let sent = self.admit(prompted);
        if sent.is_empty() {
            return self.finish_turn(TurnEnd::Failed);
        }
        self.begin_turn(sent);
    }

    fn on_steers_prompted(&mut self, prompted: Vec<(Input, PromptVerdict)>) {
        let sent = self.admit(prompted);
        if sent.is_empty() || self.closing {
            return;
        }
        if self.turn.is_some() {
            for input in sent {
                self.steer_now(input);
            }
        } else if self.hooking.is_holding() {
            for input in sent {
                self.push_waiting(QueuedKind::Queue, input, None);
            }
            self.publish_queue();
        } else {
            self.publish(Event::TurnStarted);
            self.begin_turn(sent);
        }
    }

    /// Sorts out what may not be sent, which goes back, and gives the rest what hooks have to say with it.
    fn admit(&mut self, prompted: Vec<(Input, PromptVerdict)>) -> Vec<Input> {
        let mut sent = Vec::new();
        for (mut input, said) in prompted {
            if let Some(why) = said.block {
                self.report(ReportKind::Hook, format!("a hook refused the prompt: {why}"));
                self.publish(Event::Refused(Arc::new(input)));
                continue;
            }
            let begun = std::mem::take(&mut self.hooking.context);
            let begun = begun.into_iter().map(|words| ("SessionStart hook", words));
            let own = said
                .context
                .into_iter()
                .map(|words| ("UserPromptSubmit hook", words));
            input.files.extend(begun.chain(own).map(context));
            sent.push(input);
        }
        sent
    }

    fn on_stop_hooks(&mut self, stopped: StopVerdict) {
        let Some(why) = stopped.go_on.filter(|_| !self.closing) else {
            return self.finish_turn(TurnEnd::Stop);
        };
        if self.hooking.went_on >= GOES_ON {
            self.publish(Event::Notice(format!(
                "The turn ends here: hooks continued it {GOES_ON} times in a row."
            )));
            return self.finish_turn(TurnEnd::Stop);
        }
        self.hooking.went_on += 1;
        let message = self.text_message(why);
        self.on_turn(TurnEvent::GoOn(Arc::new(message)));
    }

    /// A person speaks: what hooks did in a row begins anew.
    pub(super) fn forget_going_on(&mut self) {
        self.hooking.went_on = 0;
    }

    /// Stops what a prompt or an end waits for; says whether there was anything.
    pub(super) fn interrupt_hooks(&mut self) -> bool {
        if std::mem::take(&mut self.hooking.held) == HeldStep::Nothing {
            return false;
        }
        std::mem::take(&mut self.hooking.cancel).cancel();
        // What runs ends by itself and is listed; nobody waits for what it says.
        self.hooking.running = None;
        self.hooking.waiting.clear();
        self.give_back();
        self.finish_turn(TurnEnd::Cancelled);
        true
    }

    pub(super) fn on_hook_run(&mut self, run: HookRun) {
        for message in run.messages.clone() {
            self.publish(Event::Notice(message));
        }
        self.publish(Event::Hook(Arc::new(run)));
    }

    /// Tells hooks of something that a person may want to know.
    pub(super) fn notify(&mut self, kind: &'static str, message: String) {
        if !self.has_hook(HookEvent::Notification) {
            return;
        }
        while self.hooking.notifying.try_join_next().is_some() {}
        let stage = OwnedHookContext::of(&self.parts);
        self.hooking.notifying.spawn(async move {
            let hooks = &stage.services.tree.hooks;
            hooks
                .notify(stage.scene(), kind, &message, &CancellationToken::new())
                .await;
        });
    }

    pub(super) fn notify_end(&mut self, done: TurnEndReason) {
        match done {
            TurnEndReason::Stop | TurnEndReason::Length | TurnEndReason::MaxSteps => {
                self.notify("done", "The turn has ended.".to_owned());
            }
            TurnEndReason::Error => self.notify("error", "The turn ended with an error.".to_owned()),
            TurnEndReason::Cancelled => {}
        }
    }

    /// The session ends: hooks hear of it, and of what they are still being told.
    pub(super) async fn end_hooks(&mut self) {
        self.hooking.cancel.cancel();
        let told = async { while self.hooking.notifying.join_next().await.is_some() {} };
        if tokio::time::timeout(END_GRACE, told).await.is_err() {
            tracing::warn!("hooks were still being told of something when the session ended");
        }
        if !self.has_hook(HookEvent::SessionEnd) || self.parts.is_task {
            return;
        }
        let stage = OwnedHookContext::of(&self.parts);
        let cancel = CancellationToken::new();
        let ending = stage
            .services
            .tree
            .hooks
            .session_end(stage.scene(), "exit", &cancel);
        match self.parts.shutdown_grace {
            ShutdownGrace::Whole => ending.await,
            ShutdownGrace::Short => {
                let late = async {
                    tokio::time::sleep(SHORT_SHUTDOWN_GRACE).await;
                    cancel.cancel();
                    std::future::pending::<()>().await;
                };
                tokio::select! {
                    () = ending => {}
                    () = late => {}
                }
            }
        }
        while let Some(run) = self.parts.driver.last_hook_run() {
            self.on_hook_run(run);
        }
    }
}

/// Makes a text of its own of what a hook adds to a prompt, so that the prompt stays what the person wrote.
fn context((from, words): (&str, String)) -> FilePart {
    FilePart {
        path: from.to_owned(),
        mime: "text/plain".to_owned(),
        data: words,
        label: None,
    }
}
