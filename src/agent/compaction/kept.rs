//! Texts that are sent again word for word beside a summary.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tail::is_prompt;
use crate::agent::estimate;
use crate::agent::history::reminders;
use crate::conversation::{
    CallState, Compaction, ContextChange, KeptKind, KeptText, Message, PartBody, ToolPart,
};

/// Bytes of one message that are kept. The newest is kept whole.
const LONGEST_MESSAGE: usize = 8_000;

/// Files that are shown again.
const FILES: usize = 5;

/// Words with which people set limits, in the languages that most of lathe's users write. They choose what is kept first
/// where not everything fits, and nothing else.
const LIMITS: [&str; 36] = [
    "never",
    "don't",
    "do not",
    "must",
    "only",
    "always",
    "avoid",
    "forbid",
    "without",
    " not ",
    "no ",
    "keep ",
    "nie",
    "nicht",
    "kein",
    "immer",
    "nur ",
    "jamais",
    "toujours",
    " pas ",
    "nunca",
    "siempre",
    "não",
    "sempre",
    "mai ",
    "non ",
    "нельзя",
    "никогда",
    "только",
    "不要",
    "不能",
    "禁止",
    "必须",
    "しない",
    "하지",
    "말",
];

/// Returns all that the person said in `messages`, as far as it fits into `most` tokens: the newest message, then those that
/// seem to set limits, then the others, the newest first. They stand in their order.
pub fn words(messages: &[Arc<Message>], most: u64) -> Option<KeptText> {
    let said = messages.iter().filter(|message| is_prompt(message));
    let said: Vec<String> = said
        .map(|message| message.text())
        .filter(|text| !text.trim().is_empty())
        .collect();
    let newest = said.len().checked_sub(1)?;
    let mut order: Vec<usize> = (0..newest).rev().collect();
    order.sort_by_key(|place| !sets_limits(&said[*place]));
    let mut chosen = BTreeMap::from([(newest, said[newest].clone())]);
    let mut size = estimate::bytes(said[newest].len());
    for place in order {
        let text = beginning(&said[place]);
        let tokens = estimate::bytes(text.len()) + 2;
        if size + tokens <= most {
            size += tokens;
            chosen.insert(place, text);
        }
    }
    let mut text = String::new();
    let mut last = None;
    for (place, message) in &chosen {
        let is_next = last.map_or(*place == 0, |last: usize| last + 1 == *place);
        if !is_next {
            text.push_str("[…]\n");
        }
        text.push_str("- ");
        text.push_str(message.trim());
        text.push('\n');
        last = Some(*place);
    }
    Some(KeptText {
        kind: KeptKind::Words,
        name: String::new(),
        text: text.trim_end().to_owned(),
    })
}

fn sets_limits(text: &str) -> bool {
    let text = text.to_lowercase();
    LIMITS.iter().any(|word| text.contains(word))
}

fn beginning(text: &str) -> String {
    if text.len() <= LONGEST_MESSAGE {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(LONGEST_MESSAGE);
    format!("{} [… {} more bytes]", &text[..end], text.len() - end)
}

/// Returns the instruction files that tools showed in `messages`, each once and as it was shown last. What an `earlier`
/// summary of them kept is not looked for again.
pub fn instructions(messages: &[Arc<Message>], earlier: Option<&Compaction>) -> Vec<KeptText> {
    let kept = earlier.iter().flat_map(|earlier| &earlier.kept);
    let mut found: Vec<KeptText> = kept
        .filter(|text| text.kind == KeptKind::Instructions)
        .cloned()
        .collect();
    let covers_to = earlier.map_or(0, |earlier| earlier.covers_to);
    let is_new = |message: &&Arc<Message>| message.parts.last().is_some_and(|part| part.seq > covers_to);
    let messages = messages.iter().filter(is_new);
    let calls = messages.flat_map(|message| message.calls());
    let all = calls.flat_map(|call| std::iter::once(call).chain(&call.inner));
    for result in all.filter_map(ToolPart::result) {
        for file in reminders(&result.output).into_iter().filter_map(instruction_file) {
            found.retain(|known| known.name != file.name);
            found.push(file);
        }
    }
    found
}

/// Returns the summary that was written last of those that stand in `messages`.
pub fn last_compaction(messages: &[Arc<Message>]) -> Option<&Compaction> {
    let parts = messages.iter().rev().flat_map(|message| &message.parts);
    parts.into_iter().find_map(|part| match &part.body {
        PartBody::Context(ContextChange::Compacted(compaction)) => Some(compaction),
        _ => None,
    })
}

/// Returns the instruction file that a reminder shows, where it shows one.
fn instruction_file(reminder: &str) -> Option<KeptText> {
    let body = reminder.strip_prefix(Message::REMINDER).unwrap_or(reminder);
    let body = body.strip_suffix("\n</system-reminder>").unwrap_or(body);
    let (name, text) = body.strip_prefix("Instructions from ")?.split_once(":\n")?;
    Some(KeptText {
        kind: KeptKind::Instructions,
        name: name.to_owned(),
        text: text.to_owned(),
    })
}

/// Returns the newest plan that was shown to the person.
pub fn plan(messages: &[Arc<Message>]) -> Option<KeptText> {
    let calls = messages.iter().rev().flat_map(|message| message.calls());
    calls.filter(|call| call.tool == "plan_exit").find_map(|call| {
        let result = call.result()?;
        let details = result.details.value();
        let plan = details
            .get("plan")?
            .as_str()
            .filter(|plan| !plan.trim().is_empty())?;
        let path = details.get("path").and_then(|path| path.as_str());
        Some(KeptText {
            kind: KeptKind::Plan,
            name: path.unwrap_or_default().to_owned(),
            text: plan.to_owned(),
        })
    })
}

/// Returns the paths of the files that were read or changed last, the newest first, as the calls name them. What stands
/// from `tail` on is seen there.
pub fn open_files(messages: &[Arc<Message>], tail: &[Arc<Message>]) -> Vec<String> {
    let shown: Vec<String> = tail
        .iter()
        .flat_map(|message| message.calls())
        .filter_map(file)
        .collect();
    let calls: Vec<&ToolPart> = messages.iter().flat_map(|message| message.calls()).collect();
    let mut found: Vec<String> = Vec::new();
    for path in calls.into_iter().rev().filter_map(file) {
        if !shown.contains(&path) && !found.contains(&path) {
            found.push(path);
        }
        if found.len() == FILES {
            break;
        }
    }
    found
}

/// Returns the file that a call has read or changed.
fn file(call: &ToolPart) -> Option<String> {
    let args = call
        .args
        .as_ref()
        .filter(|_| call.state == CallState::Done)?
        .value();
    Some(args.get("file_path")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{
        CallId, CallResult, ErrorKind, MessageId, MessageState, Part, PartBody, Role, TextPart,
    };

    fn message(role: Role, body: PartBody) -> Arc<Message> {
        Arc::new(Message {
            id: MessageId::new(),
            role,
            state: MessageState::Complete,
            agent: None,
            model: None,
            created: 0,
            parts: vec![Part { seq: 1, body }],
            stop: None,
            usage: None,
        })
    }

    fn said(text: &str) -> Arc<Message> {
        let text = text.to_owned();
        message(Role::User, PartBody::Text(TextPart { text, native: None }))
    }

    fn called(tool: &str, path: &str, output: &str, is_ok: bool) -> Arc<Message> {
        let mut result = CallResult::error(ErrorKind::Io, "no", None);
        result.ok = is_ok;
        result.output = output.to_owned();
        let args = serde_json::json!({ "file_path": path });
        let call = ToolPart {
            call: CallId::new(),
            provider_id: None,
            tool: tool.to_owned(),
            raw_args: args.to_string(),
            args: Some(args.into()),
            state: result.state(),
            result: Some(result.into()),
            native: None,
            inner: Vec::new(),
        };
        message(Role::Assistant, PartBody::Tool(call))
    }

    #[test]
    fn everything_that_was_said_is_kept_where_it_fits() {
        let messages = ["one", "two", "three"].map(said);
        assert_eq!(words(&messages, 100).unwrap().text, "- one\n- two\n- three");
        assert_eq!(words(&[], 100), None);
    }

    #[test]
    fn where_not_all_fits_the_newest_and_what_sets_limits_is_kept() {
        let mut messages = vec![said("never touch a.txt"), said("コミットしないでください")];
        messages.extend((0..50).map(|place| said(&format!("please go on with step {place}"))));
        let kept = words(&messages, 40).unwrap().text;
        assert!(
            kept.starts_with("- never touch a.txt\n- コミットしないでください\n[…]\n"),
            "{kept}"
        );
        assert!(kept.ends_with("- please go on with step 49"), "{kept}");
        assert!(!kept.contains("step 3\n"));
        let long = [said(&"x".repeat(90_000))];
        assert_eq!(
            words(&long, 40).unwrap().text.len(),
            90_002,
            "the newest stays whole"
        );
    }

    #[test]
    fn instruction_files_are_kept_as_they_were_shown_last() {
        let shown = |text: &str| {
            let output = format!(
                "1: x\n\n<system-reminder>\nInstructions from sub/AGENTS.md:\n{text}\n</system-reminder>"
            );
            called("read", "sub/a", &output, true)
        };
        let messages = [shown("old"), shown("tabs\n\nhere")];
        let kept = instructions(&messages, None);
        assert_eq!(kept.len(), 1);
        assert_eq!(
            (&*kept[0].name, &*kept[0].text),
            ("sub/AGENTS.md", "tabs\n\nhere")
        );
        let earlier = |covers_to| Compaction {
            covers_to,
            summary: String::new(),
            kept: vec![KeptText {
                kind: KeptKind::Instructions,
                name: "sub/AGENTS.md".to_owned(),
                text: "spaces".to_owned(),
            }],
            before: 0,
            after: 0,
        };
        let text = |earlier| instructions(&messages, Some(&earlier))[0].text.clone();
        assert_eq!(text(earlier(0)), "tabs\n\nhere");
        assert_eq!(
            text(earlier(u64::MAX)),
            "spaces",
            "what it covers is not looked into again"
        );
    }

    #[test]
    fn the_files_that_were_worked_on_last_are_open_but_for_what_the_tail_shows() {
        let messages: Vec<_> = ["a", "b", "c", "a", "d", "e", "f", "g"]
            .iter()
            .map(|path| called("read", path, "x", true))
            .chain([called("read", "failed", "x", false)])
            .collect();
        let tail = [called("edit", "g", "x", true)];
        assert_eq!(open_files(&messages, &tail), ["f", "e", "d", "a", "c"]);
    }
}
