//! The hooks of a session: for its beginning, a prompt, the end of a turn, its own end, and for what a person may want to
//! hear of.
//!
//! One that fails is a warning and the work goes on.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::decision::{Answer, HookOutcome};
use super::event::{HookContext, HookEvent};
use super::run::HookEffect;
use super::runner::{Hook, Hooks, RunMeaning, add_context, stop, warn};

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
        let hooks = self.of(HookEvent::UserPromptSubmit);
        let fields = json!({ "prompt": prompt });
        self.each(hooks, scene, fields, cancel, |hook, heard, meaning| {
            prompted.hear(hook, heard, meaning, true);
        })
        .await;
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
        self.each(self.of(event), scene, fields, cancel, |hook, heard, meaning| {
            let go_on = refusal(hook, heard, meaning, |answer, meaning| {
                stop(&answer.said, &mut ends, meaning);
                answer.said.block()
            });
            if let Some(why) = go_on {
                meaning.note(HookEffect::Continued);
                stopped.go_on.get_or_insert(why);
            }
        })
        .await;
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
        let hooks = self.of_word(HookEvent::PreCompact, trigger);
        let fields = json!({ "trigger": trigger, "custom_instructions": instructions.unwrap_or_default() });
        self.each(hooks, scene, fields, cancel, |hook, heard, meaning| {
            told.hear(hook, heard, meaning, is_manual);
        })
        .await;
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
        let hooks = self.of_word(HookEvent::SessionStart, source);
        let fields = json!({ "source": source });
        self.each(hooks, scene, fields, cancel, |hook, heard, meaning| match heard {
            HookOutcome::Answered(answer) => take_in(answer, &mut context, meaning),
            failed => warn(failed, hook, meaning),
        })
        .await;
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
        let hooks = self.of_word(event, word);
        self.each(hooks, scene, fields, cancel, |hook, heard, meaning| match heard {
            HookOutcome::Answered(answer) => meaning.messages.extend(answer.said.message()),
            failed => warn(failed, hook, meaning),
        })
        .await;
    }

    /// Runs hooks one after the other; `hear` takes in what each of them said.
    async fn each<'a>(
        &self,
        hooks: impl Iterator<Item = &'a Hook>,
        scene: HookContext<'_>,
        fields: Value,
        cancel: &CancellationToken,
        mut hear: impl FnMut(&Hook, &HookOutcome, &mut RunMeaning),
    ) {
        for hook in hooks {
            let ran = self.run(hook, scene, fields.clone(), cancel).await;
            let mut meaning = RunMeaning::default();
            hear(hook, &ran.heard, &mut meaning);
            self.note(hook, None, ran, meaning);
        }
    }
}

impl PromptVerdict {
    /// Takes in what a hook said; a refusal counts where it `may_block`.
    fn hear(&mut self, hook: &Hook, heard: &HookOutcome, meaning: &mut RunMeaning, may_block: bool) {
        let block = refusal(hook, heard, meaning, |answer, meaning| {
            take_in(answer, &mut self.context, meaning);
            // A turn that is not to go on does not begin.
            answer.said.block().or_else(|| answer.said.stop())
        });
        if let Some(why) = block.filter(|_| may_block) {
            meaning.note(HookEffect::Denied);
            self.block.get_or_insert(why);
        }
    }
}

/// Returns why a hook refuses, if it does; `answered` reads its answer. One that failed is told of.
fn refusal(
    hook: &Hook,
    heard: &HookOutcome,
    meaning: &mut RunMeaning,
    answered: impl FnOnce(&Answer, &mut RunMeaning) -> Option<String>,
) -> Option<String> {
    match heard {
        HookOutcome::Answered(answer) => answered(answer, meaning),
        HookOutcome::Refused(why) => Some(why.clone()),
        failed => {
            warn(failed, hook, meaning);
            None
        }
    }
}

/// Takes in what an answer says to the model and to the user.
fn take_in(answer: &Answer, context: &mut Vec<String>, meaning: &mut RunMeaning) {
    add_context(context_text(answer), context, meaning);
    meaning.messages.extend(answer.said.message());
}

/// Returns a hook's text for the model: its output, or the text that its JSON holds.
fn context_text(answer: &Answer) -> Option<String> {
    answer
        .said
        .context()
        .or_else(|| (!answer.text.is_empty()).then(|| answer.text.clone()))
}
