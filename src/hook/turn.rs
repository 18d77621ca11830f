//! The hooks of a session: for its beginning, a prompt, the end of a turn, its own end, and for what a person may want to
//! hear of.
//!
//! One that fails is a warning and the work goes on.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::decision::{Answer, HookOutcome};
use super::event::{HookContext, HookEvent};
use super::run::HookEffect;
use super::runner::{Hooks, RunMeaning, add_context, stop, warn};

/// The hooks' combined answer to a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptVerdict {
    /// Not to be sent, and why.
    pub block: Option<String>,
    pub context: Vec<String>,
}

/// The hooks' combined answer to a turn that would end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopVerdict {
    /// Goes on with this as the prompt.
    pub go_on: Option<String>,
}

impl Hooks {
    /// Asks whether a prompt may be sent, and with what.
    pub async fn prompt(
        &self,
        scene: HookContext<'_>,
        prompt: &str,
        cancel: &CancellationToken,
    ) -> PromptVerdict {
        let mut prompted = PromptVerdict::default();
        for hook in self.of(HookEvent::UserPromptSubmit) {
            let ran = self.run(hook, scene, json!({ "prompt": prompt }), cancel).await;
            let mut meaning = RunMeaning::default();
            let block = match &ran.heard {
                HookOutcome::Answered(answer) => {
                    add_context(context_text(answer), &mut prompted.context, &mut meaning);
                    meaning.messages.extend(answer.said.message());
                    // A turn that is not to go on does not begin.
                    answer.said.block().or_else(|| answer.said.stop())
                }
                HookOutcome::Refused(why) => Some(why.clone()),
                failed => {
                    warn(failed, hook, &mut meaning);
                    None
                }
            };
            if let Some(why) = block {
                meaning.note(HookEffect::Denied);
                prompted.block.get_or_insert(why);
            }
            self.note(hook, None, ran, meaning);
        }
        prompted
    }

    /// Asks whether a turn may end. `is_again`: hooks have had it go on already. `task` is the id of the task that the
    /// session works on, if it does.
    pub async fn stop(
        &self,
        scene: HookContext<'_>,
        task: Option<&str>,
        is_again: bool,
        cancel: &CancellationToken,
    ) -> StopVerdict {
        let mut stopped = StopVerdict::default();
        let mut ends = None;
        let (event, fields) = match task {
            Some(task) => {
                let fields = json!({ "stop_hook_active": is_again, "task_id": task });
                (HookEvent::SubagentStop, fields)
            }
            None => (HookEvent::Stop, json!({ "stop_hook_active": is_again })),
        };
        for hook in self.of(event) {
            let ran = self.run(hook, scene, fields.clone(), cancel).await;
            let mut meaning = RunMeaning::default();
            let go_on = match &ran.heard {
                HookOutcome::Answered(answer) => {
                    stop(&answer.said, &mut ends, &mut meaning);
                    answer.said.block()
                }
                HookOutcome::Refused(why) => Some(why.clone()),
                failed => {
                    warn(failed, hook, &mut meaning);
                    None
                }
            };
            if let Some(why) = go_on {
                meaning.note(HookEffect::Continued);
                stopped.go_on.get_or_insert(why);
            }
            self.note(hook, None, ran, meaning);
        }
        if ends.is_some() {
            stopped.go_on = None;
        }
        stopped
    }

    /// Tells of a compaction (`manual`, `auto`) with what the person wants of it, and returns what the hooks add to that. One
    /// that refuses prevents it where a person asked for it, and is not heard where there is no other way to go on.
    pub async fn pre_compact(
        &self,
        scene: HookContext<'_>,
        trigger: &str,
        instructions: Option<&str>,
        cancel: &CancellationToken,
    ) -> PromptVerdict {
        let mut told = PromptVerdict::default();
        let is_manual = trigger == "manual";
        for hook in self.of_word(HookEvent::PreCompact, trigger) {
            let fields =
                json!({ "trigger": trigger, "custom_instructions": instructions.unwrap_or_default() });
            let ran = self.run(hook, scene, fields, cancel).await;
            let mut meaning = RunMeaning::default();
            let block = match &ran.heard {
                HookOutcome::Answered(answer) => {
                    add_context(context_text(answer), &mut told.context, &mut meaning);
                    meaning.messages.extend(answer.said.message());
                    answer.said.block().or_else(|| answer.said.stop())
                }
                HookOutcome::Refused(why) => Some(why.clone()),
                failed => {
                    warn(failed, hook, &mut meaning);
                    None
                }
            };
            if let Some(why) = block.filter(|_| is_manual) {
                meaning.note(HookEffect::Denied);
                told.block.get_or_insert(why);
            }
            self.note(hook, None, ran, meaning);
        }
        told
    }

    /// Runs the hooks of a beginning (`startup`, `resume` …) and returns what they have to say to the model.
    pub async fn session_start(
        &self,
        scene: HookContext<'_>,
        source: &str,
        cancel: &CancellationToken,
    ) -> Vec<String> {
        let mut context = Vec::new();
        for hook in self.of_word(HookEvent::SessionStart, source) {
            let ran = self.run(hook, scene, json!({ "source": source }), cancel).await;
            let mut meaning = RunMeaning::default();
            match &ran.heard {
                HookOutcome::Answered(answer) => {
                    add_context(context_text(answer), &mut context, &mut meaning);
                    meaning.messages.extend(answer.said.message());
                }
                failed => warn(failed, hook, &mut meaning),
            }
            self.note(hook, None, ran, meaning);
        }
        context
    }

    /// Runs the hooks of an end (`exit`, `error` …).
    pub async fn session_end(&self, scene: HookContext<'_>, reason: &str, cancel: &CancellationToken) {
        let fields = json!({ "reason": reason });
        self.tell_all(HookEvent::SessionEnd, reason, scene, fields, cancel)
            .await;
    }

    /// Tells of something that a person may want to know: `permission`, `done`, `error`.
    pub async fn notify(
        &self,
        scene: HookContext<'_>,
        kind: &str,
        message: &str,
        cancel: &CancellationToken,
    ) {
        let fields = json!({ "message": message, "kind": kind });
        self.tell_all(HookEvent::Notification, kind, scene, fields, cancel)
            .await;
    }

    async fn tell_all(
        &self,
        event: HookEvent,
        word: &str,
        scene: HookContext<'_>,
        fields: Value,
        cancel: &CancellationToken,
    ) {
        for hook in self.of_word(event, word) {
            let ran = self.run(hook, scene, fields.clone(), cancel).await;
            let mut meaning = RunMeaning::default();
            match &ran.heard {
                HookOutcome::Answered(answer) => meaning.messages.extend(answer.said.message()),
                failed => warn(failed, hook, &mut meaning),
            }
            self.note(hook, None, ran, meaning);
        }
    }
}

/// Returns a hook's text for the model: its output, or the text that its JSON holds.
fn context_text(answer: &Answer) -> Option<String> {
    answer
        .said
        .context()
        .or_else(|| (!answer.text.is_empty()).then(|| answer.text.clone()))
}
