//! Use of the context window, by source.
//!
//! Sizes are estimated, four characters to a token and 1,500 tokens to a picture: only the provider knows its own tokens,
//! and it reports no more than the sum.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::agent::compaction::{ContextBudget, maskable, tail_start};
use crate::agent::estimate;
use crate::agent::history::HistoryView;
use crate::agent::prompt::{Section, sections};
use crate::conversation::{CallState, Message, ModelRef, PartBody, Role, ToolPart};
use crate::provider::ToolSpec;
use crate::text::sanitize::sanitize_line;

/// Characters that make about one token.
const CHARACTERS: usize = 4;

/// How full the context is, and what of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextUse {
    pub groups: Vec<ContextGroup>,
    /// Tokens that the provider reported with the last request, input and output together.
    pub reported: Option<u64>,
    /// The window of the model in tokens, where it is known.
    pub limit: Option<u64>,
    /// Tokens that masking the outputs of old calls would free, and that a summary would stand for.
    pub maskable: u64,
    pub compactable: u64,
    /// Since the session was opened.
    pub misses: Vec<CacheMiss>,
}

/// Something that made the provider read anew what it had cached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheMiss {
    pub cause: MissCause,
    /// Tokens that were read anew, or will be with the next request.
    pub tokens: u64,
    /// US dollars that it costs more than reading from the cache; `None` when the price is unknown.
    pub cost: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissCause {
    /// This tool joined those that the model is told of.
    Joined(String),
    /// The session goes on as an agent with a system prompt of its own, or comes from one.
    Agent,
    Model,
    /// Old outputs were masked.
    Masked,
    Compacted,
    /// Parts were left out that the provider refused.
    Withheld,
    /// Parts that the provider had refused are sent again.
    SentAgain,
    /// Nothing was asked for so long that the provider had forgotten it.
    Expired,
    /// The provider did not find what it had cached, and nothing here explains it.
    Provider,
}

impl MissCause {
    /// Completes "read anew, because …".
    pub fn words(&self) -> String {
        match self {
            Self::Joined(tool) => format!("the tool `{}` was added", sanitize_line(tool)),
            Self::Agent => "the agent changed".to_owned(),
            Self::Model => "the model changed".to_owned(),
            Self::Masked => "old outputs were masked".to_owned(),
            Self::Compacted => "the conversation was compacted".to_owned(),
            Self::Withheld => "what the provider refused was left out".to_owned(),
            Self::SentAgain => "what the provider refused is sent again".to_owned(),
            Self::Expired => "no request was made for more than five minutes".to_owned(),
            Self::Provider => "the provider did not find it in its cache".to_owned(),
        }
    }
}

/// One source with its items, the largest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextGroup {
    pub source: ContextSource,
    pub items: Vec<ContextItem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextSource {
    System,
    Schemas,
    User,
    Answers,
    Reasoning,
    Calls,
    Results,
    Pictures,
    Summary,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextItem {
    pub name: String,
    /// How many of them there are.
    pub count: usize,
    pub tokens: u64,
}

impl ContextUse {
    /// The estimate of all sources.
    pub fn estimated(&self) -> u64 {
        self.groups.iter().map(ContextGroup::tokens).sum()
    }

    /// Returns the free part of the window in tokens. What the provider reported counts, where it is not less than what
    /// stands there by now.
    pub fn free(&self) -> Option<u64> {
        Some(self.limit?.saturating_sub(self.used()))
    }

    pub fn used(&self) -> u64 {
        self.reported.unwrap_or_else(|| self.estimated())
    }
}

impl ContextGroup {
    pub fn tokens(&self) -> u64 {
        self.items.iter().map(|item| item.tokens).sum()
    }

    pub fn count(&self) -> usize {
        self.items.iter().map(|item| item.count).sum()
    }
}

/// The contents of the next request.
pub(in crate::session) struct ContextFacts {
    pub(in crate::session) system: String,
    pub(in crate::session) agent: String,
    pub(in crate::session) model: ModelRef,
    pub(in crate::session) tools: Arc<[ToolSpec]>,
    pub(in crate::session) messages: Vec<Arc<Message>>,
    pub(in crate::session) reported: Option<u64>,
    pub(in crate::session) limit: Option<u64>,
    pub(in crate::session) misses: Vec<CacheMiss>,
    /// Directory of the full outputs of calls.
    pub(in crate::session) outputs: PathBuf,
    pub(in crate::session) keep_turns: u32,
}

impl ContextFacts {
    pub(in crate::session) fn weigh(self) -> ContextUse {
        let mut scales = ContextWeights::default();
        for (section, text) in sections(&self.system) {
            let name = match section {
                Section::Base => "instructions to every agent".to_owned(),
                Section::Tools => "how to use tools".to_owned(),
                Section::Environment => "environment".to_owned(),
                Section::Agent => format!("agent {}", self.agent),
                Section::Instructions(file) => file.to_owned(),
                Section::Other => "prompt of an earlier version".to_owned(),
            };
            scales.add(ContextSource::System, &name, characters(text));
        }
        for tool in self.tools.iter() {
            let schema = tool.schema.to_string();
            let size = characters(&tool.name) + characters(&tool.description) + characters(&schema);
            scales.add(ContextSource::Schemas, &tool.name, size);
        }
        let view = HistoryView::new(&self.outputs, &self.messages);
        for message in &view.sendable(&self.messages, &self.model) {
            if view.summary().is_some_and(|summary| summary.id == message.id) {
                let size = characters(&message.text());
                scales.add(ContextSource::Summary, "summary and what is kept beside it", size);
            } else {
                scales.message(message);
            }
        }
        let kept: Vec<Arc<Message>> = view.kept(&self.messages).cloned().collect();
        let budget = ContextBudget {
            window: self.limit.unwrap_or(u64::MAX),
            output: 0,
            threshold: 1.0,
        };
        let (old, _) = kept.split_at(tail_start(&kept, self.keep_turns, budget.tail()));
        let maskable = maskable(&view, old).iter().map(|(_, tokens)| tokens).sum();
        let compactable = old
            .iter()
            .map(|message| estimate::message(view.as_sent(message)))
            .sum();
        ContextUse {
            groups: scales.groups(),
            reported: self.reported,
            limit: self.limit,
            maskable,
            compactable,
            misses: self.misses,
        }
    }
}

/// Characters by source and name, and how many there were.
#[derive(Default)]
struct ContextWeights {
    weights: BTreeMap<ContextSource, Vec<(String, usize, usize)>>,
}

impl ContextWeights {
    fn add(&mut self, source: ContextSource, name: &str, characters: usize) {
        let items = self.weights.entry(source).or_default();
        match items.iter_mut().find(|(known, ..)| known == name) {
            Some((_, count, sum)) => {
                *count += 1;
                *sum += characters;
            }
            None => items.push((name.to_owned(), 1, characters)),
        }
    }

    fn message(&mut self, message: &Message) {
        for part in &message.parts {
            match (&part.body, message.role) {
                (PartBody::Text(text), Role::User) => {
                    self.add(ContextSource::User, "messages", characters(&text.text));
                }
                (PartBody::Text(text), Role::Assistant) => {
                    self.add(ContextSource::Answers, "answers", characters(&text.text));
                }
                // Without the provider's own block it is never sent back.
                (PartBody::Reasoning(reasoning), _) if reasoning.native.is_some() => {
                    self.add(ContextSource::Reasoning, "reasoning", characters(&reasoning.text));
                }
                (PartBody::Tool(call), _) => self.call(call),
                (PartBody::File(file), _) if file.mime.starts_with("text/") => {
                    self.add(ContextSource::User, &file.path, characters(&file.data));
                }
                (PartBody::File(file), _) => self.media(&file.mime, &file.data),
                (
                    PartBody::Reasoning(_)
                    | PartBody::Notice(_)
                    | PartBody::Context(_)
                    | PartBody::Unknown(_),
                    _,
                ) => {}
            }
        }
    }

    fn call(&mut self, call: &ToolPart) {
        self.add(ContextSource::Calls, &call.tool, characters(&call.raw_args));
        if let (Some(result), true) = (call.result(), call.state != CallState::Pending) {
            for attachment in &result.attachments {
                self.media(&attachment.mime, &attachment.data);
            }
            self.add(ContextSource::Results, &call.tool, characters(&result.output));
        }
    }

    fn media(&mut self, mime: &str, data: &str) {
        let name = match mime {
            "application/pdf" => "documents",
            _ => "images",
        };
        let tokens = estimate::media(mime, data);
        self.add(ContextSource::Pictures, name, tokens as usize * CHARACTERS);
    }

    fn groups(&self) -> Vec<ContextGroup> {
        let group = |(source, items): (&ContextSource, &Vec<(String, usize, usize)>)| {
            let item = |(name, count, characters): &(String, usize, usize)| ContextItem {
                name: name.clone(),
                count: *count,
                tokens: characters.div_ceil(CHARACTERS) as u64,
            };
            let mut items: Vec<_> = items.iter().map(item).collect();
            items.sort_by(|one, other| other.tokens.cmp(&one.tokens).then(one.name.cmp(&other.name)));
            ContextGroup {
                source: *source,
                items,
            }
        };
        self.weights.iter().map(group).collect()
    }
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::{
        CallId, CallResult, ErrorKind, MessageId, MessageState, Native, Part, ReasoningPart, TextPart,
    };

    fn message(role: Role, state: MessageState, bodies: Vec<PartBody>) -> Arc<Message> {
        let parts = bodies.into_iter().zip(1..).map(|(body, seq)| Part { seq, body });
        Arc::new(Message {
            id: MessageId::new(),
            role,
            state,
            agent: None,
            model: None,
            created: 1,
            parts: parts.collect(),
            stop: None,
            usage: None,
        })
    }

    fn text(text: &str) -> PartBody {
        PartBody::Text(TextPart {
            text: text.to_owned(),
            native: None,
        })
    }

    fn thought(native: bool) -> PartBody {
        PartBody::Reasoning(ReasoningPart {
            text: "hmmm hmm".to_owned(),
            native: native.then(|| Native {
                protocol: "anthropic".to_owned(),
                model: "a/b".to_owned(),
                json: json!({}),
            }),
        })
    }

    fn call(tool: &str, output: &str) -> PartBody {
        let mut result = CallResult::error(ErrorKind::Io, output, None);
        result.output = output.to_owned();
        PartBody::Tool(ToolPart {
            call: CallId::new(),
            provider_id: None,
            tool: tool.to_owned(),
            raw_args: "{\"a\":12}".to_owned(),
            args: None,
            state: CallState::Done,
            result: Some(result.into()),
            native: None,
            inner: Vec::new(),
        })
    }

    fn weighed() -> ContextUse {
        let whole = MessageState::Complete;
        let facts = ContextFacts {
            system: "You are old.".to_owned(),
            agent: "build".to_owned(),
            model: "a/b".parse().unwrap(),
            tools: Arc::from([ToolSpec {
                name: "read".to_owned(),
                description: "Reads.".to_owned(),
                schema: json!({}),
            }]),
            messages: vec![
                message(Role::User, whole, vec![text("12345678")]),
                message(Role::Assistant, MessageState::Void, vec![text("void")]),
                message(
                    Role::Assistant,
                    whole,
                    vec![thought(true), thought(false), text("1234")],
                ),
                message(
                    Role::Assistant,
                    whole,
                    vec![
                        call("read", &"x".repeat(400)),
                        call("bash", "1"),
                        call("read", "1234"),
                    ],
                ),
            ],
            reported: Some(900),
            limit: Some(1_000),
            misses: Vec::new(),
            outputs: PathBuf::new(),
            keep_turns: 2,
        };
        facts.weigh()
    }

    #[test]
    fn every_source_is_weighed_and_what_is_not_sent_is_not() {
        let used = weighed();
        let groups: Vec<_> = used
            .groups
            .iter()
            .map(|group| (group.source, group.count(), group.tokens()))
            .collect();
        assert_eq!(
            groups,
            [
                (ContextSource::System, 1, 3),
                (ContextSource::Schemas, 1, 3),
                (ContextSource::User, 1, 2),
                (ContextSource::Answers, 1, 1),
                (ContextSource::Reasoning, 1, 2),
                (ContextSource::Calls, 3, 6),
                (ContextSource::Results, 3, 102),
            ]
        );
        assert_eq!((used.used(), used.free()), (900, Some(100)));
    }

    #[test]
    fn results_are_told_apart_by_tool_the_largest_first() {
        let used = weighed();
        let results = used.groups.last().unwrap();
        let items: Vec<_> = results
            .items
            .iter()
            .map(|item| (item.name.as_str(), item.count, item.tokens))
            .collect();
        assert_eq!(items, [("read", 2, 101), ("bash", 1, 1)]);
    }
}
