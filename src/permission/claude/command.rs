//! Specifiers of `Bash(…)` as patterns of commands.
//!
//! Lathe judges each simple command of a text by its canonical text, so only what is one simple command has a pattern.

use super::UntranslatedReason;
use crate::permission::Pattern;
use crate::permission::command::analyse;

/// Stands for `*` while the rest is read as a command.
const STAND_IN: &str = "zq9anything9qz";
/// Characters that make of a text more, or something else, than the words of one command.
const SPECIAL: &[char] = &[
    '"', '\'', '\\', ';', '&', '|', '<', '>', '(', ')', '$', '`', '{', '}', '\n', '#', '!',
];

/// Returns the pattern of the commands that a specifier names: `curl *` for `curl:*`.
pub(super) fn pattern(given: &str, restricts: bool) -> Result<String, UntranslatedReason> {
    let text = match given.strip_suffix(":*") {
        Some(prefix) => format!("{} *", prefix.trim_end()),
        None => given.to_owned(),
    };
    let text = text.trim();
    if text.bytes().all(|byte| byte == b'*') {
        return Ok("*".to_owned());
    }
    let is_other = Pattern::new(text, None).is_read_only_class() || text.contains(STAND_IN);
    // There it is a character, and here any one.
    if is_other || (text.contains('?') && !restricts) {
        return Err(UntranslatedReason::NoForm);
    }
    canonical(text, restricts).ok_or(UntranslatedReason::NoForm)
}

fn canonical(text: &str, restricts: bool) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_assignment = words.first().is_some_and(|word| word.contains('='));
    if !text.contains(SPECIAL) && !is_assignment {
        return Some(words.join(" "));
    }
    let analysis = analyse(&text.replace('*', STAND_IN));
    if let ([command], None, []) = (&*analysis.commands, analysis.refusal, &*analysis.redirected) {
        let is_whole = command.around.is_empty() && command.words.iter().all(|word| !word.is_dynamic());
        let first = |text: &str| text.split(' ').next().map(|word| word.replace(['"', '\''], ""));
        // Assignments that change nothing are left out where a rule allows; one that restricts may name them.
        let written = command.assigned.as_ref().unwrap_or(&command.canonical);
        if is_whole && first(written) == first(text) {
            let taken = if restricts { written } else { &command.canonical };
            return Some(taken.replace(STAND_IN, "*"));
        }
    }
    None
}
