//! Notes in a result about how its command ended.

use super::{CommandOutcome, FinishedCommand, MAX_TIMEOUT_MS, Plan, TERMINALS};

/// Returns the lines behind the output. Advice to use another tool is given where the session has that tool.
pub(super) fn notes(plan: &Plan, ended: &FinishedCommand, text: &str) -> Vec<String> {
    let recommend = |before: &str, after: &str| {
        if plan.has_terminals {
            format!("{before}{TERMINALS}{after}")
        } else {
            String::new()
        }
    };
    let mut notes = Vec::new();
    let outcome = &ended.outcome;
    if ended.blocked_file.is_some() {
        // The first line says why it was ended.
    } else if outcome.timed_out {
        let seconds = plan.timeout.as_secs_f64();
        let advice = recommend(" or use ", "");
        notes.push(format!(
            "[timed out after {seconds} s; pass a larger timeout{advice}]"
        ));
        if looks_like_prompt(text) {
            let advice = recommend(": use ", "");
            notes.push(format!(
                "[it seems to wait for an answer, and there is no terminal{advice}]"
            ));
        }
    } else if outcome.cancelled {
        notes.push("[cancelled]".to_owned());
    } else if let Some(signal) = outcome.signal {
        notes.push(format!("[killed by signal {signal}]"));
    } else if let Some(exit) = outcome.exit.filter(|exit| *exit != 0) {
        notes.push(format!("[exit code {exit}]"));
    }
    if failed_on_terminal(outcome, text) {
        let advice = recommend("; use ", "");
        notes.push(format!("[there is no terminal to open{advice}]"));
    }
    if outcome.left_behind && ended.failure().is_none() {
        let advice = recommend("; use ", " to keep a program running");
        notes.push(format!(
            "[what the command left running in the background was stopped{advice}]"
        ));
    }
    if plan.clamped {
        notes.push(format!(
            "[timeout was cut to the maximum of {} s]",
            MAX_TIMEOUT_MS / 1000
        ));
    }
    notes
}

/// Returns true if a command failed because it wanted to speak to a person past its outputs.
fn failed_on_terminal(outcome: &CommandOutcome, text: &str) -> bool {
    let says_so = |line: &str| {
        line.contains("/dev/tty") && (line.contains("No such device") || line.contains("not a tty"))
    };
    outcome.exit.is_some_and(|exit| exit != 0) && text.lines().rev().take(50).any(says_so)
}

/// Returns true if the last line looks like a question to a person.
pub(super) fn looks_like_prompt(text: &str) -> bool {
    let last = text.lines().last().unwrap_or_default().trim_end().to_lowercase();
    let asks = [
        "password",
        "passphrase",
        "[y/n]",
        "(y/n)",
        "yes/no",
        "continue?",
        "are you sure",
    ];
    asks.iter().any(|word| last.contains(word)) || last.ends_with('?')
}
