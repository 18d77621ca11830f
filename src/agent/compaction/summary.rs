//! Has a model write the summary.
//!
//! The model is shown a text and not the conversation itself, with results cut, so that it fits also where the
//! conversation does not, and no model is tempted to go on with it. What does not fit into one request is read in several:
//! each gets the summary so far. Rules of the person that stood in an earlier summary are never lost: those that the model
//! leaves out are added again.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;

use crate::agent::estimate;
use crate::conversation::{
    Message, MessageState, ModelRef, Part, PartBody, Role, SessionId, Stop, StreamEvent, ToolPart, Usage,
};
use crate::provider::{Provider, ProviderError, ProviderErrorKind, Purpose, Request, RetrySettings};

/// Bytes of one result that the model is shown.
const LONGEST_RESULT: usize = 2_000;
/// Bytes of the arguments of one call, and of one message.
const LONGEST_ARGUMENTS: usize = 1_000;
const LONGEST_TEXT: usize = 40_000;
/// How often the requests are made smaller where they did not fit.
const SMALLER: u32 = 3;
/// Bytes of a request at least, however small the window.
const SMALLEST: usize = 8_000;
/// The heading of the rules of the person in a summary.
const RULES: &str = "## Rules from the person";

/// One summary to be written.
pub struct SummaryJob {
    pub provider: Arc<dyn Provider>,
    pub session: SessionId,
    pub model: ModelRef,
    /// Tokens that the model takes.
    pub window: u64,
    pub retry: RetrySettings,
    /// The earlier summary.
    pub prior: Option<String>,
    /// The messages that it is to stand for.
    pub messages: Vec<Arc<Message>>,
    /// Wishes of the person, and texts of hooks.
    pub instructions: Vec<String>,
}

/// A summary, and what it cost.
#[derive(Debug)]
pub struct SummaryText {
    pub text: Result<String, SummaryError>,
    /// One for each request that was answered.
    pub usages: Vec<Usage>,
}

#[derive(Debug, thiserror::Error)]
pub enum SummaryError {
    #[error("{0}")]
    Provider(ProviderError),
    #[error("the model answered with no summary")]
    Empty,
    #[error("the model refused to summarise it")]
    Refused,
}

impl SummaryJob {
    /// Asks until the whole is read.
    pub async fn write(self) -> SummaryText {
        let entries: Vec<String> = self
            .messages
            .iter()
            .filter_map(|message| entry(message))
            .collect();
        let mut usages = Vec::new();
        let text = self.read_all(&entries, &mut usages).await;
        SummaryText { text, usages }
    }

    async fn read_all(&self, entries: &[String], usages: &mut Vec<Usage>) -> Result<String, SummaryError> {
        // Half of the window: an estimate may be wrong by that much, and the summary needs room too.
        let mut most = usize::try_from(self.window * 2)
            .unwrap_or(usize::MAX)
            .max(SMALLEST);
        let mut smaller = 0;
        let mut summary = self.prior.clone();
        let mut rest = entries;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(fitting(rest, most));
            match self
                .ask_patiently(&self.prompt(summary.as_deref(), now), usages)
                .await
            {
                Ok(text) => {
                    summary = Some(with_rules(text, summary.as_deref()));
                    rest = later;
                }
                Err(SummaryError::Provider(error))
                    if error.kind == ProviderErrorKind::Context && smaller < SMALLER =>
                {
                    smaller += 1;
                    most = (most / 2).max(SMALLEST);
                }
                Err(error) => return Err(error),
            }
        }
        summary.ok_or(SummaryError::Empty)
    }

    fn prompt(&self, prior: Option<&str>, entries: &[String]) -> String {
        let mut prompt = String::new();
        if let Some(prior) = prior {
            let _ = write!(prompt, "<earlier-summary>\n{prior}\n</earlier-summary>\n\n");
        }
        prompt.push_str("<conversation>\n");
        for entry in entries {
            prompt.push_str(entry);
            prompt.push('\n');
        }
        prompt.push_str("</conversation>\n\nWrite the summary");
        prompt.push_str(match prior {
            Some(_) => " of both together, as one.",
            None => ".",
        });
        for instruction in &self.instructions {
            let _ = write!(prompt, "\n\n{instruction}");
        }
        prompt
    }

    /// Tries again what may fare better in a while, as a turn does.
    async fn ask_patiently(&self, prompt: &str, usages: &mut Vec<Usage>) -> Result<String, SummaryError> {
        let mut attempt = 0;
        loop {
            let error = match self.ask(prompt, usages).await {
                Err(SummaryError::Provider(error)) if error.is_retryable() => error,
                other => return other,
            };
            let most = self.retry.max.min(error.most_retries.unwrap_or(u32::MAX));
            if attempt >= most {
                return Err(SummaryError::Provider(error));
            }
            attempt += 1;
            let delay: Duration = self.retry.delay(attempt, error.retry_after, prompt.len() as u64);
            tokio::time::sleep(delay).await;
        }
    }

    async fn ask(&self, prompt: &str, usages: &mut Vec<Usage>) -> Result<String, SummaryError> {
        let request = Request {
            session: self.session.clone(),
            agent: "compaction".to_owned(),
            purpose: Purpose::Compaction,
            model: self.model.clone(),
            system: include_str!("../../../assets/prompts/compaction.md")
                .trim()
                .to_owned(),
            tools: Arc::from([]),
            messages: vec![Arc::new(Message::prompt(prompt.to_owned()))],
            temperature: None,
            prompt: estimate::bytes(prompt.len()),
        };
        let mut stream = self
            .provider
            .stream(request)
            .await
            .map_err(SummaryError::Provider)?;
        let mut texts: Vec<usize> = Vec::new();
        let mut summary = String::new();
        let mut usage = Usage::default();
        let mut stop = None;
        while let Some(event) = stream.next().await {
            match event.map_err(SummaryError::Provider)? {
                StreamEvent::TextStart { block } => texts.push(block),
                StreamEvent::Delta { block, delta } if texts.contains(&block) => summary.push_str(&delta),
                StreamEvent::Usage(used) => usage = used,
                StreamEvent::Stop(reason) => {
                    stop = Some(reason);
                    break;
                }
                _ => {}
            }
        }
        usages.push(usage);
        match stop {
            None => Err(SummaryError::Provider(ProviderError::new(
                ProviderErrorKind::Network,
                "the reply ended before it was complete",
            ))),
            Some(Stop::Refusal) => Err(SummaryError::Refused),
            Some(_) if summary.trim().is_empty() => Err(SummaryError::Empty),
            Some(_) => Ok(summary.trim().to_owned()),
        }
    }
}

/// Returns how many entries fit into so many bytes; at least one.
fn fitting(entries: &[String], most: usize) -> usize {
    let mut size = 0;
    let fits = |entry: &&String| {
        size += entry.len() + 1;
        size <= most
    };
    entries.iter().take_while(fits).count().max(1)
}

/// Adds the rules of the earlier summary that the new one does not have.
fn with_rules(summary: String, earlier: Option<&str>) -> String {
    let known = rules(&summary);
    let missing: Vec<&str> = earlier
        .map(rules)
        .unwrap_or_default()
        .into_iter()
        .filter(|rule| !known.contains(rule))
        .collect();
    if missing.is_empty() {
        return summary;
    }
    let missing = missing.join("\n");
    match summary.split_once(RULES) {
        Some((before, after)) => format!("{before}{RULES}\n{missing}{after}"),
        None => format!("{RULES}\n{missing}\n\n{summary}"),
    }
}

/// Returns the lines of the section with the rules.
fn rules(summary: &str) -> Vec<&str> {
    let Some((_, section)) = summary.split_once(RULES) else {
        return Vec::new();
    };
    let lines = section.lines().map(str::trim_end);
    let section = lines.take_while(|line| !line.starts_with("## "));
    let is_rule = |line: &&str| !line.trim().is_empty() && !line.trim().eq_ignore_ascii_case("none");
    section.filter(is_rule).collect()
}

/// Writes a message as the model is shown it; nothing where there is nothing to read in it.
fn entry(message: &Message) -> Option<String> {
    if message.state == MessageState::Void {
        return None;
    }
    let who = match message.role {
        Role::User if message.is_reminder() => "note of the program",
        Role::User => "person",
        Role::Assistant => "agent",
    };
    let parts: Vec<String> = message.parts.iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| format!("[{who}] {}", parts.join("\n")))
}

fn part(part: &Part) -> Option<String> {
    match &part.body {
        PartBody::Text(text) if !text.text.trim().is_empty() => Some(cut(&text.text, LONGEST_TEXT)),
        PartBody::Tool(call) => Some(tool(call)),
        PartBody::File(file) if file.mime.starts_with("text/") => Some(format!(
            "[file {}]\n{}",
            file.path,
            cut(&file.data, LONGEST_RESULT)
        )),
        PartBody::File(file) => Some(format!("[file {}]", file.path)),
        PartBody::Text(_)
        | PartBody::Reasoning(_)
        | PartBody::Notice(_)
        | PartBody::Context(_)
        | PartBody::Unknown(_) => None,
    }
}

fn tool(call: &ToolPart) -> String {
    let mut text = format!("[call {}] {}", call.tool, cut(&call.raw_args, LONGEST_ARGUMENTS));
    if let Some(result) = call.result() {
        let how = if result.ok { "result" } else { "error" };
        let _ = write!(text, "\n[{how}] {}", cut(&result.output, LONGEST_RESULT));
    }
    text
}

/// Keeps the beginning and the end, where most of what matters stands.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most * 2 / 3);
    let tail = text.ceil_char_boundary(text.len() - most / 3);
    let left_out = estimate::bytes(tail - head);
    format!(
        "{}\n[… about {left_out} tokens left out …]\n{}",
        &text[..head],
        &text[tail..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_the_model_leaves_out_are_added_again() {
        let earlier = "## Rules from the person\n- never push\n- port 4711\n## Goal\nx";
        let kept = with_rules(
            "## Rules from the person\n- port 4711\n## Goal\ny".to_owned(),
            Some(earlier),
        );
        assert_eq!(rules(&kept), ["- never push", "- port 4711"]);
        assert!(kept.ends_with("## Goal\ny"));
        let without = with_rules("## Goal\nz".to_owned(), Some(earlier));
        assert_eq!(rules(&without), ["- never push", "- port 4711"]);
        assert!(without.ends_with("## Goal\nz"));
        assert_eq!(with_rules("a".to_owned(), None), "a");
        assert_eq!(rules("## Rules from the person\nnone\n\n## Goal"), [""; 0]);
    }

    #[test]
    fn a_long_conversation_is_divided_and_no_entry_is_lost() {
        let entries: Vec<String> = (0..10).map(|place| "x".repeat(place * 10)).collect();
        let mut rest = entries.as_slice();
        let mut requests = 0;
        while !rest.is_empty() {
            rest = &rest[fitting(rest, 100)..];
            requests += 1;
        }
        assert!((5..=10).contains(&requests), "{requests}");
        assert_eq!(fitting(&["x".repeat(500)], 100), 1);
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let text = format!("begin {} end", "é".repeat(5_000));
        let short = cut(&text, 900);
        assert!(short.starts_with("begin é") && short.ends_with("é end"));
        assert!(short.contains("tokens left out") && short.len() < 1_000);
        assert_eq!(cut("short", 900), "short");
    }
}
