//! The user's hooks around one call: what they say before it, and what they make of its result.
//!
//! Where no hook is for the event nothing is built and nothing is waited for. A hook's ruling is law for the pipeline: a
//! denial ends the call before anything is asked, an ask joins the call's own under the key `hook`, an allow answers for
//! the person and lifts no denial.

use serde_json::{Map, Value, json};

use super::gate::Answerer;
use super::{ToolCx, ToolError, hook_changes};
use crate::conversation::{CallResult, ErrorKind};
use crate::hook::{CallFacts, HookContext, HookEvent, HookedResult, Ruling};
use crate::permission::{Ask, Floor, PermissionKey, Subject};
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;

/// Columns of a reason in a question.
const REASON_COLUMNS: usize = 200;

/// The hooks' answers to a call that may go on.
#[derive(Default)]
pub(super) struct HookedCall {
    /// Arguments in place of the call's own.
    pub(super) input: Option<Map<String, Value>>,
    verdict: HookVerdict,
}

#[derive(Default)]
enum HookVerdict {
    #[default]
    Nothing,
    Allow,
    Ask(String),
}

/// Requests of hooks that others have to carry out.
#[derive(Default)]
pub(super) struct HookRequests {
    /// Words for the model, behind the result.
    pub(super) context: Vec<String>,
    /// The turn ends after the call.
    pub(super) stop: Option<String>,
}

impl HookedCall {
    pub(super) fn answerer(&self) -> Answerer {
        match self.verdict {
            HookVerdict::Allow => Answerer::Hook,
            HookVerdict::Nothing | HookVerdict::Ask(_) => Answerer::Person,
        }
    }

    /// Returns the ask that a hook wants, whatever the rules allow.
    pub(super) fn ask(&self, tool: &str) -> Option<Ask> {
        let HookVerdict::Ask(why) = &self.verdict else {
            return None;
        };
        let why = sanitize_line(why);
        let why = truncate(&why, REASON_COLUMNS);
        let mut ask = Ask::new(PermissionKey::HOOK, Subject::new(format!("{tool}: {why}")));
        ask.floor = Floor::Ask;
        Some(ask)
    }
}

/// Runs the hooks before a call.
pub(super) async fn before(
    tool: &str,
    args: &Map<String, Value>,
    cx: &ToolCx,
    said: &mut HookRequests,
) -> Result<HookedCall, ToolError> {
    let hooks = &cx.services.tree.hooks;
    if !hooks.has(HookEvent::PreToolUse) {
        return Ok(HookedCall::default());
    }
    let before = hooks
        .before_call(scene(cx), facts(tool, cx), args, &cx.cancel)
        .await;
    if cx.cancel.is_cancelled() {
        return Err(ToolError::not_executed());
    }
    said.context.extend(before.context);
    said.stop = before.stop;
    let verdict = match before.ruling {
        None => HookVerdict::Nothing,
        Some((Ruling::Allow, _)) => HookVerdict::Allow,
        Some((Ruling::Ask, why)) => HookVerdict::Ask(why),
        Some((Ruling::Deny, why)) => return Err(denied(&why)),
    };
    Ok(HookedCall {
        input: before.input,
        verdict,
    })
}

fn denied(why: &str) -> ToolError {
    ToolError::new(ErrorKind::Hook, format!("a hook denied this call: {why}"))
        .hint("Nothing was run. Do it another way, or tell the user.")
}

/// Returns true if anything is to be told of a result.
pub(super) fn are_told(cx: &ToolCx) -> bool {
    cx.services.tree.hooks.has(HookEvent::PostToolUse) && !cx.cancel.is_cancelled()
}

/// Shows a result to the hooks after a call; says whether its text was replaced.
pub(super) async fn after(
    tool: &str,
    args: &Map<String, Value>,
    result: &mut CallResult,
    cx: &ToolCx,
    said: &mut HookRequests,
) -> bool {
    let response = HookedResult {
        ok: result.ok,
        output: std::mem::take(&mut result.output),
        details: std::mem::take(&mut result.details).into_value(),
    };
    let hooks = &cx.services.tree.hooks;
    let after = hooks
        .after_call(scene(cx), facts(tool, cx), args, response, &cx.cancel)
        .await;
    said.context.extend(after.context);
    if hooks.has_for_tool(HookEvent::PostToolUse, tool) {
        said.context.extend(hook_changes::take_in(cx).await);
    }
    if said.stop.is_none() {
        said.stop = after.stop;
    }
    let was_ok = result.ok;
    result.ok = after.response.ok;
    result.output = after.response.output;
    result.details = after.response.details.into();
    if after.has_new_output
        && let Some(details) = result.details.as_object_mut()
    {
        // They are those of the text that was replaced.
        details.shift_remove("styles");
    }
    match (was_ok, result.ok) {
        (true, false) => set(
            &mut result.details,
            "error",
            json!({ "kind": ErrorKind::Hook, "ran": true }),
        ),
        (false, true) => {
            if let Some(details) = result.details.as_object_mut() {
                details.shift_remove("error");
            }
        }
        (true, true) | (false, false) => {}
    }
    after.has_new_output
}

/// Adds a field to details; those that are no object have no place for one.
pub(super) fn set(details: &mut Value, key: &str, value: Value) {
    if details.is_object() || details.is_null() {
        details[key] = value;
    }
}

fn scene(cx: &ToolCx) -> HookContext<'_> {
    HookContext {
        session: cx.session().as_str(),
        cwd: cx.directory(),
        mode: cx.services.gate.mode().name(),
        agent: &cx.agent,
    }
}

fn facts<'a>(tool: &'a str, cx: &'a ToolCx) -> CallFacts<'a> {
    CallFacts {
        tool,
        call: cx.call.as_str(),
    }
}

#[cfg(test)]
mod tests;
