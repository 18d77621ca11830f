//! The hooks around a call: whether it may go on and with what, and what becomes of its result.
//!
//! Before a call everything that is no clear answer counts against it: a hook that refuses or takes too long denies, one
//! that fails asks. The strictest of several wins, and each sees the arguments that the one before it left. After a call
//! a hook that fails is a warning: what was done is done.

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::decision::{HookJson, HookOutcome, ReplacedResult, Ruling};
use super::event::{CallFacts, HookContext, HookEvent};
use super::run::HookEffect;
use super::runner::{Hooks, RunMeaning, add_context, stop, warn};

/// The answers of the hooks before a call, combined.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeforeCall {
    /// The strictest, with its first reason.
    pub ruling: Option<(Ruling, String)>,
    /// The arguments to use in place of those there were.
    pub input: Option<Map<String, Value>>,
    /// Words for the model.
    pub context: Vec<String>,
    /// Ends the turn after the call, and why.
    pub stop: Option<String>,
}

/// A result as hooks see and change it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookedResult {
    pub ok: bool,
    pub output: String,
    pub details: Value,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct AfterCall {
    pub response: HookedResult,
    /// The output was replaced, so that what was known of its size no longer holds.
    pub has_new_output: bool,
    /// Words for the model.
    pub context: Vec<String>,
    pub stop: Option<String>,
}

impl Hooks {
    /// Asks what is to become of a call. Each hook sees the arguments that the one before it left.
    pub async fn before_call(
        &self,
        scene: HookContext<'_>,
        call: CallFacts<'_>,
        input: &Map<String, Value>,
        cancel: &CancellationToken,
    ) -> BeforeCall {
        let mut before = BeforeCall::default();
        let event = HookEvent::PreToolUse;
        for hook in self.of_tool(event, call.tool) {
            let fields = call.fields(before.input.as_ref().unwrap_or(input));
            let ran = self.run(hook, scene, fields, cancel).await;
            let mut meaning = RunMeaning::default();
            let ruling = match &ran.heard {
                HookOutcome::Answered(answer) => {
                    let mut said = answer.said.clone();
                    if let Some(new) = said.take_input() {
                        before.input = Some(new);
                        meaning.note(HookEffect::Changed);
                    }
                    add_context(said.context(), &mut before.context, &mut meaning);
                    stop(&said, &mut before.stop, &mut meaning);
                    said.ruling()
                }
                HookOutcome::Refused(why) | HookOutcome::TimedOut(why) => Some((Ruling::Deny, why.clone())),
                HookOutcome::Failed(why) => Some((Ruling::Ask, why.clone())),
                HookOutcome::Cancelled => None,
            };
            if let Some((ruling, why)) = ruling {
                meaning.note(match ruling {
                    Ruling::Allow => HookEffect::Allowed,
                    Ruling::Ask => HookEffect::Asked,
                    Ruling::Deny => HookEffect::Denied,
                });
                if before.ruling.as_ref().is_none_or(|(so_far, _)| *so_far < ruling) {
                    before.ruling = Some((ruling, why));
                }
            }
            self.note(hook, Some(call.tool), ran, meaning);
        }
        before
    }

    /// Shows a result to the hooks after a call. Each sees what the one before it left.
    pub async fn after_call(
        &self,
        scene: HookContext<'_>,
        call: CallFacts<'_>,
        input: &Map<String, Value>,
        response: HookedResult,
        cancel: &CancellationToken,
    ) -> AfterCall {
        let mut after = AfterCall {
            response,
            ..AfterCall::default()
        };
        let event = HookEvent::PostToolUse;
        for hook in self.of_tool(event, call.tool) {
            let mut fields = call.fields(input);
            let HookedResult { ok, output, details } = &after.response;
            fields["tool_response"] = json!({ "ok": ok, "output": output, "details": details });
            let ran = self.run(hook, scene, fields, cancel).await;
            let mut meaning = RunMeaning::default();
            match &ran.heard {
                HookOutcome::Answered(answer) => {
                    let mut said = answer.said.clone();
                    after.replace(&mut said, &mut meaning);
                    add_context(said.block(), &mut after.context, &mut meaning);
                    add_context(said.context(), &mut after.context, &mut meaning);
                    stop(&said, &mut after.stop, &mut meaning);
                }
                HookOutcome::Refused(why) => {
                    add_context(Some(format!("Warning: {why}")), &mut after.context, &mut meaning);
                }
                failed => warn(failed, hook, &mut meaning),
            }
            self.note(hook, Some(call.tool), ran, meaning);
        }
        after
    }
}

impl AfterCall {
    fn replace(&mut self, said: &mut HookJson, meaning: &mut RunMeaning) {
        let replaced = said.take_replaced();
        if replaced != ReplacedResult::default() {
            meaning.note(HookEffect::Changed);
        }
        if let Some(output) = replaced.output {
            self.response.output = output;
            self.has_new_output = true;
        }
        if let Some(details) = replaced.details {
            self.response.details = details;
        }
        if let Some(ok) = replaced.ok {
            self.response.ok = ok;
        }
    }
}
