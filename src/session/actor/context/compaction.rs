//! One compaction: what it covers, when it runs, and what becomes of the summary.

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::super::hook_jobs::OwnedHookContext;
use super::super::{Actor, now};
use super::summary_task::{CompactionDone, CompactionJob};
use crate::agent::compaction::{
    SummaryJob, instructions, last_compaction, open_files, plan, tail_start, words,
};
use crate::agent::estimate;
use crate::agent::history::HistoryView;
use crate::agent::turn::TurnEvent;
use crate::conversation::{
    Compaction, ContextChange, KeptKind, KeptText, Message, MessageId, NoticeKind, PartBody, Todo,
};
use crate::provider::{Model, ProviderError};
use crate::session::{ContextReport, ContextReportKind, Event, SummaryDraft};

/// Why a conversation is compacted.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Trigger {
    /// The person wants it, and sees the summary before it is used.
    Manual,
    /// The window is nearly full.
    Auto,
    /// The provider said so.
    Overflow(ProviderError),
}

impl Trigger {
    /// As hooks are told it.
    fn name(&self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto | Self::Overflow(_) => "auto",
        }
    }
}

/// The part of the conversation that a summary stands for.
#[derive(Debug, Clone)]
struct Covered {
    seq: u64,
    message: MessageId,
}

/// A summary that is being written.
pub(in crate::session::actor) struct RunningCompaction {
    task: AbortOnDropHandle<CompactionDone>,
    trigger: Trigger,
    covered: Covered,
    model: Model,
    cancel: CancellationToken,
}

/// A summary that the person has not decided on.
pub(super) struct Draft {
    covered: Covered,
    files: Vec<KeptText>,
}

impl Drop for RunningCompaction {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl RunningCompaction {
    /// Waits for the end of the one that runs; forever when none does. Cancel safe.
    pub(in crate::session::actor) async fn next(running: &mut Option<Self>) -> CompactionDone {
        match running {
            Some(running) => (&mut running.task).await.unwrap_or_else(|_| CompactionDone {
                text: Err("an internal error in lathe; please report this".to_owned()),
                files: Vec::new(),
                usages: Vec::new(),
            }),
            None => std::future::pending().await,
        }
    }
}

impl Actor {
    /// The person wants a summary.
    pub(in crate::session::actor) fn compact(&mut self, focus: Option<String>) {
        if self.is_held() {
            return;
        }
        if self.is_busy() {
            let text = "A turn is running; use `/compact` when it has ended.".to_owned();
            return self.publish(Event::Notice(text));
        }
        self.context.draft = None;
        if !self.begin(Trigger::Manual, focus) {
            self.publish(Event::Notice("There is nothing to summarise yet.".to_owned()));
        }
    }

    /// The person has decided on the summary that was shown to them. `None`: it is not used.
    pub(in crate::session::actor) fn use_summary(&mut self, text: Option<String>) {
        let Some(draft) = self.context.draft.take() else {
            return;
        };
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
            return self.publish(Event::Notice(
                "The summary was dropped; nothing was changed.".to_owned(),
            ));
        };
        if let Err(why) = self.apply(&draft.covered, text, &draft.files, false) {
            self.tell_failed(&why);
        }
    }

    /// Begins to have a summary written; says whether there is anything to summarise.
    pub(super) fn begin_compaction(&mut self, trigger: Trigger) -> bool {
        self.begin(trigger, None)
    }

    fn begin(&mut self, trigger: Trigger, focus: Option<String>) -> bool {
        let budget = self.budget();
        let kept: Vec<Arc<Message>> = self.context.view.kept(&self.parts.messages).cloned().collect();
        let start = tail_start(&kept, self.parts.compaction.keep_turns, budget.tail());
        let (covered, tail) = kept.split_at(start);
        let has_words = |message: &&Arc<Message>| {
            message
                .parts
                .iter()
                .any(|part| !matches!(part.body, PartBody::Context(_) | PartBody::Notice(_)))
        };
        let Some(seq) = covered
            .iter()
            .rev()
            .find_map(|message| message.parts.last())
            .map(|part| part.seq)
        else {
            return false;
        };
        let Some(last) = covered.iter().rfind(has_words) else {
            return false;
        };
        let place = Covered {
            seq,
            message: last.id.clone(),
        };
        let model = self.parts.compaction.model.clone().unwrap_or_else(|| {
            let mut own = self.parts.model.clone();
            own.context = budget.window;
            own
        });
        let cancel = CancellationToken::new();
        let job = CompactionJob {
            hooks: OwnedHookContext::of(&self.parts),
            trigger: trigger.name(),
            focus,
            summary: SummaryJob {
                provider: self.parts.driver.provider(),
                session: self.parts.info.id.clone(),
                model: model.reference.clone(),
                window: model.context,
                retry: self.parts.turn.retry,
                prior: self.prior_summary(),
                messages: covered.to_vec(),
                instructions: Vec::new(),
            },
            open: open_files(covered, tail),
            most: budget.kept(),
            calls: self.parts.calls.clone(),
            cancel: cancel.clone(),
        };
        self.context.running = Some(RunningCompaction {
            task: AbortOnDropHandle::new(tokio::spawn(job.run())),
            trigger,
            covered: place,
            model,
            cancel,
        });
        self.publish(Event::Summarising(true));
        true
    }

    fn prior_summary(&self) -> Option<String> {
        last_compaction(&self.parts.messages).map(|compaction| compaction.summary.clone())
    }

    /// Stops the summary that the request of a turn waits for.
    pub(in crate::session::actor) fn drop_awaited_compaction(&mut self) {
        let awaits = |running: &RunningCompaction| running.trigger != Trigger::Manual;
        if self.context.running.as_ref().is_some_and(awaits) {
            self.context.running = None;
            self.publish(Event::Summarising(false));
        }
    }

    /// The person does not want the summary any more that they asked for.
    pub(in crate::session::actor) fn stop_manual_compaction(&mut self) {
        if self.context.running.take().is_some() {
            self.publish(Event::Summarising(false));
            let text = "The conversation was not compacted; nothing was changed.".to_owned();
            self.publish(Event::Notice(text));
        }
    }

    /// A summary is there, or could not be written.
    pub(in crate::session::actor) fn on_compaction(&mut self, done: CompactionDone) {
        let Some(running) = self.context.running.take() else {
            return;
        };
        self.publish(Event::Summarising(false));
        for usage in done.usages {
            self.charge(usage, &running.model, "compaction", None);
        }
        let (trigger, covered) = (running.trigger.clone(), running.covered.clone());
        if trigger == Trigger::Manual {
            return self.on_manual_summary(covered, done.text, done.files);
        }
        let made = match done.text {
            Ok(text) => self.apply(&covered, text, &done.files, true),
            Err(why) => Err(why),
        };
        if self.turn.is_none() {
            return;
        }
        match made {
            Ok(()) => self.send_request(),
            Err(why) => self.go_on_without(&why, trigger),
        }
    }

    fn on_manual_summary(&mut self, covered: Covered, text: Result<String, String>, files: Vec<KeptText>) {
        let summary = match text {
            Ok(summary) => summary,
            Err(why) => return self.tell_failed(&why),
        };
        match self.shorter(&covered, summary.clone(), &files, false) {
            Ok(compaction) => {
                self.context.draft = Some(Draft { covered, files });
                self.publish(Event::SummaryDrafted(Arc::new(SummaryDraft {
                    summary,
                    before: compaction.before,
                    after: compaction.after,
                })));
            }
            Err(why) => self.tell_failed(&why),
        }
    }

    /// There is no summary: the request is sent where it may fit all the same.
    fn go_on_without(&mut self, why: &str, trigger: Trigger) {
        self.tell_failed(why);
        let size = self.context_size();
        self.context.gave_up_at = Some(size);
        match trigger {
            Trigger::Overflow(error) => self.on_turn(TurnEvent::Failed(error)),
            // Whether it fits all the same the provider says.
            Trigger::Auto | Trigger::Manual => self.send_request(),
        }
    }

    fn tell_failed(&mut self, why: &str) {
        let size = self.context_size();
        self.tell_context(ContextReport {
            kind: ContextReportKind::Failed,
            before: size,
            after: size,
            covers_to: None,
            cause: Some(why.to_owned()),
            cost: None,
        });
        let text = format!("The conversation was not compacted: {why}. Nothing was changed.");
        self.note(NoticeKind::Info, &text);
    }

    /// Puts a summary in place of what it covers, unless that frees too little.
    fn apply(
        &mut self,
        covered: &Covered,
        summary: String,
        files: &[KeptText],
        is_needed: bool,
    ) -> Result<(), String> {
        let compaction = self.shorter(covered, summary, files, is_needed)?;
        self.context.gave_up_at = None;
        self.change_context(
            ContextChange::Compacted(compaction),
            Some(covered.message.clone()),
        );
        self.tell_hooks_of_compaction();
        Ok(())
    }

    /// Returns a compaction that makes the context shorter: with the files that were worked on, or where those take too much
    /// room, without them. `is_needed`: it has to be so much shorter that the next request fits.
    fn shorter(
        &mut self,
        covered: &Covered,
        summary: String,
        files: &[KeptText],
        is_needed: bool,
    ) -> Result<Compaction, String> {
        let before = self.context_size();
        let most = if is_needed {
            self.budget().full().min(before * 9 / 10)
        } else {
            before
        };
        let mut compaction = self.compaction(covered, summary, files.to_vec());
        compaction.before = before;
        compaction.after = self.size_after(&compaction, before);
        if compaction.after >= most {
            compaction.kept.retain(|kept| kept.kind != KeptKind::File);
            compaction.after = self.size_after(&compaction, before);
        }
        if compaction.after >= most {
            return Err(format!(
                "the summary frees too little, {before} tokens would become {}",
                compaction.after
            ));
        }
        Ok(compaction)
    }

    fn size_after(&self, compaction: &Compaction, before: u64) -> u64 {
        let change = ContextChange::Compacted(compaction.clone());
        let outputs = self.parts.calls.services.tree.outputs.dir();
        let mut view = HistoryView::new(outputs, &[]);
        view.apply(&change, now(), &self.parts.messages);
        let summary = view.summary().map_or(0, |summary| estimate::message(summary));
        let tail = view.kept(&self.parts.messages);
        let tail: u64 = tail
            .map(|message| estimate::message(self.context.view.as_sent(message)))
            .sum();
        let (now, then) = (
            self.sent_estimate().max(1),
            self.prefix_estimate() + summary + tail,
        );
        (before as f64 * then as f64 / now as f64) as u64
    }

    /// Puts together what is sent instead of what is covered.
    fn compaction(&self, covered: &Covered, summary: String, files: Vec<KeptText>) -> Compaction {
        let messages = &self.parts.messages;
        let is_covered =
            |message: &Arc<Message>| message.parts.last().is_some_and(|part| part.seq <= covered.seq);
        let end = messages.iter().rposition(is_covered).map_or(0, |last| last + 1);
        let (before, tail) = messages.split_at(end);
        let shown = instructions(tail, None);
        let is_shown = |text: &KeptText| shown.iter().any(|shown| shown.name == text.name);
        let mut kept: Vec<KeptText> = instructions(before, last_compaction(before));
        kept.retain(|text| !is_shown(text));
        kept.extend(words(before, self.budget().kept()));
        kept.extend(plan(before).filter(|_| plan(tail).is_none()));
        let list = Todo::list(&self.parts.todos);
        if !list.is_empty() {
            kept.push(KeptText {
                kind: KeptKind::Todos,
                name: String::new(),
                text: Todo::lines(&list),
            });
        }
        kept.extend(self.pending_tasks());
        kept.extend(files);
        Compaction {
            covers_to: covered.seq,
            summary,
            kept,
            before: 0,
            after: 0,
        }
    }

    fn pending_tasks(&self) -> Option<KeptText> {
        let rows = self.parts.tasks.rows();
        let own = rows
            .iter()
            .filter(|row| row.parent == self.parts.info.id && !row.status.is_ended());
        let lines: Vec<String> = own
            .map(|row| {
                format!(
                    "{} · {} · {} · {}",
                    row.task,
                    row.agent,
                    row.description,
                    json!(row.status)
                )
            })
            .map(|line| line.replace('"', ""))
            .collect();
        (!lines.is_empty()).then(|| KeptText {
            kind: KeptKind::Tasks,
            name: String::new(),
            text: lines.join("\n"),
        })
    }
}
