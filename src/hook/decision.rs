//! Turns a hook's exit status and output into an answer.
//!
//! A hook that fails says nothing that counts; what that means is for each event to decide. Everything quoted from one is
//! free of control characters.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::process::{BoundedOutput, CommandOutcome, PipedOutcome};
use crate::text::sanitize::{sanitize_line, strip_controls};
use crate::text::width::truncate;

/// Columns of a reason that was no answer of the hook's.
const REASON_COLUMNS: usize = 200;

/// How one run came out.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum HookOutcome {
    /// Exit 0.
    Answered(Box<Answer>),
    /// Exit 2, with why.
    Refused(String),
    TimedOut(String),
    /// It did not do its work: any other exit, a signal, no start, an answer that is none.
    Failed(String),
    Cancelled,
}

/// The answer of a hook that ended well.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    /// Its output, when that was not JSON.
    pub(super) text: String,
    pub(super) said: HookJson,
}

/// A hook's JSON.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct HookJson {
    #[serde(rename = "continue")]
    goes_on: Option<bool>,
    stop_reason: Option<String>,
    suppress_output: Option<bool>,
    system_message: Option<String>,
    decision: Option<Decision>,
    reason: Option<String>,
    additional_context: Option<String>,
    hook_specific_output: Option<Specific>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Specific {
    permission_decision: Option<Ruling>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Map<String, Value>>,
    additional_context: Option<String>,
    updated_output: Option<String>,
    updated_details: Option<Value>,
    ok: Option<bool>,
}

/// The older form of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Decision {
    Approve,
    Block,
}

/// A hook's ruling on a call. The later, the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    Allow,
    Ask,
    Deny,
}

/// Replacements for a result's parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ReplacedResult {
    pub(super) output: Option<String>,
    pub(super) details: Option<Value>,
    pub(super) ok: Option<bool>,
}

impl HookJson {
    /// A ruling with its reason, the newer form before the older.
    pub(super) fn ruling(&self) -> Option<(Ruling, String)> {
        let specific = self.hook_specific_output.as_ref();
        let newer = specific.and_then(|specific| specific.permission_decision);
        let older = self.decision.map(|decision| match decision {
            Decision::Approve => Ruling::Allow,
            Decision::Block => Ruling::Deny,
        });
        let reason = specific.and_then(|specific| specific.permission_decision_reason.as_ref());
        let reason = reason.or(self.reason.as_ref());
        Some((newer.or(older)?, reason_or_default(reason)))
    }

    /// Why it blocks, if it does.
    pub(super) fn block(&self) -> Option<String> {
        (self.decision == Some(Decision::Block)).then(|| reason_or_default(self.reason.as_ref()))
    }

    pub(super) fn context(&self) -> Option<String> {
        let specific = self.hook_specific_output.as_ref();
        let context = specific.and_then(|specific| specific.additional_context.as_ref());
        non_empty(context.or(self.additional_context.as_ref()))
    }

    /// Why the turn is to end, if it is.
    pub(super) fn stop(&self) -> Option<String> {
        (self.goes_on == Some(false)).then(|| {
            non_empty(self.stop_reason.as_ref()).unwrap_or_else(|| "a hook ended the turn".to_owned())
        })
    }

    pub(super) fn message(&self) -> Option<String> {
        non_empty(self.system_message.as_ref())
    }

    pub(super) fn hides_output(&self) -> bool {
        self.suppress_output == Some(true)
    }

    pub(super) fn take_input(&mut self) -> Option<Map<String, Value>> {
        self.hook_specific_output.as_mut()?.updated_input.take()
    }

    pub(super) fn take_replaced(&mut self) -> ReplacedResult {
        let Some(specific) = &mut self.hook_specific_output else {
            return ReplacedResult::default();
        };
        ReplacedResult {
            output: specific.updated_output.take(),
            details: specific.updated_details.take(),
            ok: specific.ok,
        }
    }
}

/// Text that says something, cleaned.
fn non_empty(text: Option<&String>) -> Option<String> {
    let text = strip_controls(text?);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn reason_or_default(reason: Option<&String>) -> String {
    non_empty(reason).unwrap_or_else(|| "no reason was given".to_owned())
}

/// Makes sense of a run that came to its end in some way.
pub(super) fn outcome(exchanged: &PipedOutcome, timeout: Duration) -> HookOutcome {
    let CommandOutcome {
        exit,
        signal,
        timed_out,
        cancelled,
        ..
    } = exchanged.outcome;
    let stderr = text(&exchanged.stderr);
    match exit {
        _ if timed_out => HookOutcome::TimedOut(format!("hook timed out after {} s", timeout.as_secs_f64())),
        _ if cancelled => HookOutcome::Cancelled,
        Some(0) => {
            answer(&exchanged.stdout).unwrap_or_else(|why| HookOutcome::Failed(first_line(&stderr, &why)))
        }
        Some(2) => {
            let stdout = text(&exchanged.stdout);
            let words = [stderr.trim(), stdout.trim()];
            let said = words.into_iter().find(|text| !text.is_empty());
            HookOutcome::Refused(said.unwrap_or("no reason was given").to_owned())
        }
        Some(code) => HookOutcome::Failed(first_line(&stderr, &format!("the hook exited with {code}"))),
        None => {
            let signal = signal.map_or_else(
                || "the hook could not be stopped".to_owned(),
                |signal| format!("the hook was ended by signal {signal}"),
            );
            HookOutcome::Failed(first_line(&stderr, &signal))
        }
    }
}

/// Reads the output; a failure when it looks like JSON and is none.
fn answer(stdout: &BoundedOutput) -> Result<HookOutcome, String> {
    let text = text(stdout);
    if !text.trim_start().starts_with('{') {
        let answer = Answer {
            text: text.trim().to_owned(),
            said: HookJson::default(),
        };
        return Ok(HookOutcome::Answered(Box::new(answer)));
    }
    let said = serde_json::from_str(text.trim()).map_err(|error| {
        if stdout.is_cut {
            "the hook's answer is longer than 64 KiB".to_owned()
        } else {
            format!("the hook's answer cannot be used: {error}")
        }
    })?;
    Ok(HookOutcome::Answered(Box::new(Answer {
        text: String::new(),
        said,
    })))
}

fn text(kept: &BoundedOutput) -> String {
    let text = String::from_utf8_lossy(&kept.bytes);
    // A character that was cut at the bound.
    let text = if kept.is_cut {
        text.trim_end_matches('\u{fffd}')
    } else {
        &text
    };
    strip_controls(text).into_owned()
}

/// The first line that says something, or the other sentence.
fn first_line(text: &str, otherwise: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    truncate(&sanitize_line(line.unwrap_or(otherwise)), REASON_COLUMNS).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exchanged(exit: Option<i32>, stdout: &[u8], stderr: &[u8]) -> PipedOutcome {
        let kept = |bytes: &[u8]| BoundedOutput {
            bytes: bytes.to_vec(),
            is_cut: false,
        };
        PipedOutcome {
            outcome: CommandOutcome {
                exit,
                signal: exit.is_none().then_some(9),
                timed_out: false,
                cancelled: false,
                left_behind: false,
                duration: Duration::ZERO,
                pid: 1,
            },
            stdout: kept(stdout),
            stderr: kept(stderr),
        }
    }

    fn heard(exit: i32, stdout: &str, stderr: &str) -> HookOutcome {
        outcome(
            &exchanged(Some(exit), stdout.as_bytes(), stderr.as_bytes()),
            Duration::from_mins(1),
        )
    }

    fn said_by(json: &str) -> HookJson {
        match heard(0, json, "") {
            HookOutcome::Answered(answer) => answer.said,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn exit_two_refuses_with_stderr_or_else_stdout() {
        assert_eq!(
            heard(2, "out", " no\nnever\n"),
            HookOutcome::Refused("no\nnever".into())
        );
        assert_eq!(heard(2, "out\n", ""), HookOutcome::Refused("out".into()));
        assert_eq!(
            heard(2, "", ""),
            HookOutcome::Refused("no reason was given".into())
        );
    }

    #[test]
    fn any_other_exit_fails_with_the_first_line() {
        assert_eq!(
            heard(1, "x", "\n first\nsecond"),
            HookOutcome::Failed("first".into())
        );
        assert_eq!(
            heard(126, "", ""),
            HookOutcome::Failed("the hook exited with 126".into())
        );
        let by_signal = outcome(&exchanged(None, b"", b""), Duration::ZERO);
        assert_eq!(
            by_signal,
            HookOutcome::Failed("the hook was ended by signal 9".into())
        );
    }

    #[test]
    fn a_timeout_is_told_in_seconds() {
        let mut late = exchanged(None, b"", b"");
        late.outcome.timed_out = true;
        assert_eq!(
            outcome(&late, Duration::from_mins(1)),
            HookOutcome::TimedOut("hook timed out after 60 s".into())
        );
        assert_eq!(
            outcome(&late, Duration::from_millis(500)),
            HookOutcome::TimedOut("hook timed out after 0.5 s".into())
        );
    }

    #[test]
    fn what_begins_like_json_and_is_none_fails() {
        for bad in [
            "{",
            "{\"decision\": }",
            "  {not json}",
            "{} {}",
            "{\"decision\": \"perhaps\"}",
            "{\"hookSpecificOutput\": {\"permissionDecision\": \"yes\"}}",
            "{\"hookSpecificOutput\": {\"updatedInput\": []}}",
            "{\"continue\": \"false\"}",
        ] {
            assert!(matches!(heard(0, bad, ""), HookOutcome::Failed(_)), "{bad}");
        }
        let mut long = exchanged(Some(0), b"{\"reason\": \"aaa", b"");
        long.stdout.is_cut = true;
        assert_eq!(
            outcome(&long, Duration::ZERO),
            HookOutcome::Failed("the hook's answer is longer than 64 KiB".into())
        );
    }

    #[test]
    fn other_text_is_text_without_control_characters() {
        let HookOutcome::Answered(answer) = heard(0, " plain \u{1b}[31mred\u{7}\n", "") else {
            panic!("no answer");
        };
        assert_eq!(answer.text, "plain red");
        let said = said_by(r#"{"systemMessage": "a\u001b[2Jb"}"#);
        assert_eq!(said.message().as_deref(), Some("ab"));
    }

    #[test]
    fn both_forms_of_a_decision_are_understood() {
        let newer = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "no"}, "decision": "approve"}"#;
        assert_eq!(said_by(newer).ruling(), Some((Ruling::Deny, "no".into())));
        let older = said_by(r#"{"decision": "block", "reason": "old"}"#);
        assert_eq!(older.ruling(), Some((Ruling::Deny, "old".into())));
        assert_eq!(older.block().as_deref(), Some("old"));
        let approve = said_by(r#"{"decision": "approve"}"#);
        assert_eq!(approve.ruling().unwrap().0, Ruling::Allow);
        assert_eq!(approve.block(), None);
        assert_eq!(
            said_by(r#"{"unknown": 1, "decision": null}"#),
            HookJson::default()
        );
    }

    #[test]
    fn denying_is_stricter_than_asking_than_allowing() {
        assert!(Ruling::Deny > Ruling::Ask && Ruling::Ask > Ruling::Allow);
    }

    proptest! {
        #[test]
        fn no_output_panics(exit in prop::option::of(-1..4i32), stdout in "\\{?\\PC{0,40}", stderr: Vec<u8>) {
            outcome(&exchanged(exit, stdout.as_bytes(), &stderr), Duration::ZERO);
        }
    }
}
