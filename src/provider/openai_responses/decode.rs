//! The event stream of OpenAI Responses.
//!
//! The protocol says everything up to four times: in deltas, in the `…done` event of a part, in the finished item and in
//! the finished response. Not every server sends all of them, and some lose deltas. What a later form has beyond the
//! earlier ones is added to the block; where it contradicts them so that something was lost, the reply is an error and is
//! asked for again.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::adapter::Decode;
use super::super::budget::Untold;
use super::super::error::{ReportedError, broken_off, malformed};
use super::super::lenient::{count, list, reply_text, some_name, some_object, text, text_or_json};
use super::super::{Protocol, ProviderError, ProviderErrorKind};
use crate::conversation::{ModelRef, Stop, StreamEvent, Usage};
use crate::text::surrogates;

pub(crate) struct Decoder {
    model: ModelRef,
    open: Vec<(u64, Open)>,
    /// The kinds of the items that have begun, in their order.
    begun: Vec<ItemKind>,
    /// The numbers of items of the server's own tools and of unknown kinds, which are skipped.
    skipped: Vec<u64>,
    /// Arguments came for a call of which nothing else is known yet.
    has_orphan: bool,
    is_refused: bool,
    is_over: bool,
}

struct Open {
    block: usize,
    kind: ItemKind,
    /// Content of the block so far.
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Message,
    Reasoning,
    Call,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(default, deserialize_with = "count")]
    output_index: u64,
    #[serde(default, deserialize_with = "count")]
    content_index: u64,
    #[serde(default, deserialize_with = "count")]
    summary_index: u64,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    /// The whole text of a part whose deltas are over.
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    item: Option<&'a RawValue>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct OutputItem<'a> {
    #[serde(rename = "type", default, deserialize_with = "some_name")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    call_id: Option<String>,
    #[serde(default, deserialize_with = "some_name")]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "list")]
    summary: Vec<&'a RawValue>,
    #[serde(default, deserialize_with = "some_name")]
    encrypted_content: Option<String>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(default, deserialize_with = "some_name")]
    status: Option<String>,
    #[serde(borrow, default, deserialize_with = "list")]
    output: Vec<&'a RawValue>,
    #[serde(default, deserialize_with = "some_object")]
    usage: Option<Figures>,
    #[serde(default, deserialize_with = "some_object")]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default, deserialize_with = "some_name")]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Figures {
    #[serde(default, deserialize_with = "count")]
    input_tokens: u64,
    #[serde(default, deserialize_with = "count")]
    output_tokens: u64,
    #[serde(default, deserialize_with = "some_object")]
    input_tokens_details: Option<InputDetails>,
    #[serde(default, deserialize_with = "some_object")]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize, Default, Clone, Copy)]
struct InputDetails {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: u64,
    #[serde(default, deserialize_with = "count")]
    cache_write_tokens: u64,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default, deserialize_with = "count")]
    reasoning_tokens: u64,
}

impl Decode for Decoder {
    fn event(&mut self, _name: &str, data: &str) -> Result<Vec<StreamEvent>, ProviderError> {
        if data.trim() == "[DONE]" || self.is_over {
            return Ok(Vec::new());
        }
        let event: Event<'_> = self.parse(data)?;
        let index = event.output_index;
        let mut events = Vec::with_capacity(1);
        match &*event.kind {
            "response.output_text.delta" => {
                let delta = self.text(event.delta)?;
                self.piece(index, ItemKind::Message, delta, &mut events);
            }
            "response.refusal.delta" => {
                self.is_refused = true;
                let delta = self.text(event.delta)?;
                self.piece(index, ItemKind::Message, delta, &mut events);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let delta = self.text(event.delta)?;
                self.piece(index, ItemKind::Reasoning, delta, &mut events);
            }
            "response.function_call_arguments.delta" => {
                let delta = self.arguments(event.delta)?;
                self.piece(index, ItemKind::Call, delta, &mut events);
            }
            // Paragraphs of the summary are parts of their own.
            "response.reasoning_summary_part.added" if event.summary_index > 0 => {
                self.piece(index, ItemKind::Reasoning, Some("\n\n".to_owned()), &mut events);
            }
            // Of an item with several parts only the finished item has the whole.
            "response.output_text.done" if event.content_index == 0 => {
                let whole = self.text(event.text)?;
                self.complete(index, ItemKind::Message, whole, &mut events)?;
            }
            "response.function_call_arguments.done" => {
                let whole = self.arguments(event.arguments)?;
                self.complete(index, ItemKind::Call, whole, &mut events)?;
            }
            "response.output_item.added" => {
                if let Some(raw) = event.item {
                    let item: OutputItem<'_> = self.parse(raw.get())?;
                    self.start(index, &item, &mut events);
                }
            }
            "response.output_item.done" => {
                if let Some(raw) = event.item {
                    self.done(index, raw, &mut events)?;
                }
            }
            "response.completed" | "response.done" => self.finish(event.response, false, &mut events)?,
            "response.incomplete" => self.finish(event.response, true, &mut events)?,
            "response.failed" | "response.cancelled" => {
                let response = event.response.map(|raw| self.parse(raw.get())).transpose()?;
                return Err(self.failure(response));
            }
            _ => {}
        }
        Ok(events)
    }

    fn untold(&self) -> Untold {
        Untold {
            blocks: self.skipped.len(),
            ..Untold::default()
        }
    }
}

impl Decoder {
    pub(crate) fn new(model: &ModelRef) -> Self {
        Self {
            model: model.clone(),
            open: Vec::new(),
            begun: Vec::new(),
            skipped: Vec::new(),
            has_orphan: false,
            is_refused: false,
            is_over: false,
        }
    }

    fn parse<'a, T: Deserialize<'a>>(&self, json: &'a str) -> Result<T, ProviderError> {
        serde_json::from_str(json).map_err(|error| malformed(&self.model, &error))
    }

    fn text(&self, raw: Option<&RawValue>) -> Result<Option<String>, ProviderError> {
        text(raw).map_err(|error| malformed(&self.model, &error))
    }

    fn arguments(&self, raw: Option<&RawValue>) -> Result<Option<String>, ProviderError> {
        text_or_json(raw).map_err(|error| malformed(&self.model, &error))
    }

    /// Adds a delta to its block. Text of an item that was not announced begins it; arguments cannot, because the
    /// call's name is missing, so the finished item has to bring both.
    fn piece(&mut self, index: u64, kind: ItemKind, delta: Option<String>, events: &mut Vec<StreamEvent>) {
        let Some(delta) = delta.filter(|_| !self.skipped.contains(&index)) else {
            return;
        };
        if !self.open.iter().any(|(number, _)| *number == index) {
            if kind == ItemKind::Call {
                self.has_orphan = true;
                return;
            }
            self.open_block(index, kind, None, events);
        }
        self.grow(index, delta, events);
    }

    fn grow(&mut self, index: u64, delta: String, events: &mut Vec<StreamEvent>) {
        if let Some((_, open)) = self.open.iter_mut().find(|(number, _)| *number == index) {
            open.text.push_str(&delta);
            events.push(StreamEvent::Delta {
                block: open.block,
                delta,
            });
        }
    }

    /// Adds to the block what its whole text has beyond the deltas.
    fn complete(
        &mut self,
        index: u64,
        kind: ItemKind,
        whole: Option<String>,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), ProviderError> {
        let Some(whole) = whole.filter(|_| !self.skipped.contains(&index)) else {
            return Ok(());
        };
        let Some((_, open)) = self.open.iter().find(|(number, _)| *number == index) else {
            self.piece(index, kind, Some(whole), events);
            return Ok(());
        };
        if open.kind != kind {
            return Ok(());
        }
        match missing(&open.text, &whole, kind) {
            MissingText::Nothing => Ok(()),
            MissingText::End(rest) => {
                self.grow(index, rest, events);
                Ok(())
            }
            MissingText::Inside => Err(broken_off(
                &self.model,
                ProviderErrorKind::BadResponse,
                "the pieces of the reply are not its whole",
            )),
        }
    }

    fn start(&mut self, index: u64, item: &OutputItem<'_>, events: &mut Vec<StreamEvent>) {
        match kind_of(item) {
            Some(kind) if !self.open.iter().any(|(number, _)| *number == index) => {
                self.skipped.retain(|skipped| *skipped != index);
                self.open_block(index, kind, Some(item), events);
            }
            Some(_) => {}
            None => self.skipped.push(index),
        }
    }

    fn open_block(
        &mut self,
        index: u64,
        kind: ItemKind,
        item: Option<&OutputItem<'_>>,
        events: &mut Vec<StreamEvent>,
    ) {
        let block = self.begun.len();
        self.begun.push(kind);
        events.push(match kind {
            ItemKind::Message => StreamEvent::TextStart { block },
            ItemKind::Reasoning => StreamEvent::ReasoningStart { block },
            ItemKind::Call => StreamEvent::CallStart {
                block,
                provider_id: item.and_then(|item| item.call_id.clone()),
                name: item.and_then(|item| item.name.clone()).unwrap_or_default(),
            },
        });
        let text = String::new();
        self.open.push((index, Open { block, kind, text }));
    }

    fn done(
        &mut self,
        index: u64,
        raw: &RawValue,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), ProviderError> {
        let item: OutputItem<'_> = self.parse(raw.get())?;
        let Some(kind) = kind_of(&item) else {
            self.skipped.push(index);
            return Ok(());
        };
        // An item that another of its number precedes is one of its own: some servers number all of them alike.
        if self
            .open
            .iter()
            .any(|(number, open)| *number == index && open.kind != kind)
        {
            self.close(index, None, events);
        }
        self.start(index, &item, events);
        let whole = self.whole(kind, &item)?;
        self.complete(index, kind, whole, events)?;
        // Without its encrypted content the server could not find reasoning again: nothing is stored there.
        let is_kept =
            kind != ItemKind::Reasoning || item.encrypted_content.is_some_and(|text| !text.is_empty());
        let native = is_kept.then(|| self.parse(raw.get())).transpose()?;
        self.close(index, native, events);
        Ok(())
    }

    fn close(&mut self, index: u64, native: Option<Value>, events: &mut Vec<StreamEvent>) {
        let Some(place) = self.open.iter().position(|(number, _)| *number == index) else {
            return;
        };
        let (_, open) = self.open.remove(place);
        events.push(StreamEvent::End {
            block: open.block,
            native: native.map(|json| Protocol::OpenAiResponses.native(&self.model, json)),
        });
    }

    fn whole(&mut self, kind: ItemKind, item: &OutputItem<'_>) -> Result<Option<String>, ProviderError> {
        match kind {
            ItemKind::Message => {
                let reply = reply_text(item.content).map_err(|error| malformed(&self.model, &error))?;
                self.is_refused |= !reply.refusal.is_empty();
                Ok(Some(reply.text + &reply.refusal).filter(|text| !text.is_empty()))
            }
            ItemKind::Reasoning if item.summary.is_empty() => self.text(item.content),
            ItemKind::Reasoning => {
                let parts = item.summary.iter().map(|part| self.text(Some(part)));
                let parts: Vec<_> = parts
                    .collect::<Result<Vec<_>, _>>()?
                    .into_iter()
                    .flatten()
                    .collect();
                Ok(Some(parts.join("\n\n")).filter(|text| !text.is_empty()))
            }
            ItemKind::Call => self.arguments(item.arguments),
        }
    }

    fn finish(
        &mut self,
        response: Option<&RawValue>,
        is_incomplete: bool,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), ProviderError> {
        let response: Option<Response<'_>> = response.map(|raw| self.parse(raw.get())).transpose()?;
        let mut status = if is_incomplete { "incomplete" } else { "completed" }.to_owned();
        let mut reason = None;
        if let Some(response) = response {
            if let Some(said) = &response.status {
                status.clone_from(said);
            }
            if matches!(&*status, "failed" | "cancelled") || !is_empty(&response.error) {
                return Err(self.failure(Some(response)));
            }
            events.extend(
                response
                    .usage
                    .as_ref()
                    .map(|figures| StreamEvent::Usage(usage(figures))),
            );
            self.rest_of(&response.output, events)?;
            reason = response.incomplete_details.and_then(|details| details.reason);
        }
        if self.has_orphan && !self.begun.contains(&ItemKind::Call) {
            let words = "a call came without its name";
            return Err(broken_off(&self.model, ProviderErrorKind::BadResponse, words));
        }
        self.is_over = true;
        for index in self.open.iter().map(|(index, _)| *index).collect::<Vec<_>>() {
            self.close(index, None, events);
        }
        let stop = match reason.as_deref() {
            Some(reason) if reason.contains("filter") || reason.contains("safety") => {
                events.push(StreamEvent::Refusal(format!("`{reason}`")));
                Stop::Refusal
            }
            _ if status == "incomplete" || is_incomplete || reason.is_some() => Stop::Length,
            _ if self.is_refused => Stop::Refusal,
            _ if self.begun.contains(&ItemKind::Call) => Stop::ToolCalls,
            _ => Stop::End,
        };
        events.push(StreamEvent::Stop(stop));
        Ok(())
    }

    /// Reads the items of the whole response that did not come by themselves, or did not end.
    fn rest_of(&mut self, output: &[&RawValue], events: &mut Vec<StreamEvent>) -> Result<(), ProviderError> {
        let mut counts = [0usize; 3];
        let begun = self.begun.clone();
        for (index, raw) in (0u64..).zip(output) {
            let item: OutputItem<'_> = self.parse(raw.get())?;
            let Some(kind) = kind_of(&item) else { continue };
            // Ids and numbers may differ between the forms; the order of items of a kind does not.
            let nth = counts[kind as usize];
            counts[kind as usize] += 1;
            let mut same = (0..begun.len()).filter(|block| begun[*block] == kind);
            let Some(block) = same.nth(nth) else {
                let free = self.open.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
                self.done(free.max(index), raw, events)?;
                continue;
            };
            let open = self.open.iter().find(|(_, open)| open.block == block);
            if let Some(number) = open.map(|(number, _)| *number) {
                self.done(number, raw, events)?;
            }
        }
        Ok(())
    }

    fn failure(&self, response: Option<Response<'_>>) -> ProviderError {
        let Some(response) = response else {
            return broken_off(&self.model, ProviderErrorKind::BadResponse, "failed");
        };
        if is_empty(&response.error) {
            let status = response.status.unwrap_or_else(|| "failed".to_owned());
            return broken_off(&self.model, ProviderErrorKind::BadResponse, &status);
        }
        ReportedError::from_event(&response.error).in_stream(&self.model)
    }
}

fn is_empty(error: &Value) -> bool {
    match error {
        Value::Object(fields) => fields.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => true,
    }
}

fn kind_of(item: &OutputItem<'_>) -> Option<ItemKind> {
    match item.kind.as_deref()? {
        "message" => Some(ItemKind::Message),
        "reasoning" => Some(ItemKind::Reasoning),
        "function_call" => Some(ItemKind::Call),
        _ => None,
    }
}

/// The difference between the deltas of a block and its whole text.
enum MissingText {
    Nothing,
    End(String),
    /// Something that cannot be added at the end.
    Inside,
}

fn missing(sent: &str, whole: &str, kind: ItemKind) -> MissingText {
    if sent == whole {
        return MissingText::Nothing;
    }
    if let Some(rest) = whole.strip_prefix(sent) {
        return MissingText::End(rest.to_owned());
    }
    // Halves of characters are joined in the whole and not in the pieces.
    let (sent, whole) = (surrogates::join(sent), surrogates::join(whole));
    if let Some(rest) = whole.strip_prefix(&*sent) {
        return if rest.is_empty() {
            MissingText::Nothing
        } else {
            MissingText::End(rest.to_owned())
        };
    }
    let is_whole = match kind {
        // Not what was answered; the deltas were shown, and a server may word the summary anew.
        ItemKind::Reasoning => true,
        // A server may trim the text at its end.
        ItemKind::Message => whole.trim().chars().count() <= sent.trim().chars().count(),
        ItemKind::Call => {
            let read = |json: &str| serde_json::from_str::<Value>(json).ok();
            read(&whole).is_none_or(|value| read(&sent).is_some_and(|sent| sent == value))
        }
    };
    if is_whole {
        MissingText::Nothing
    } else {
        MissingText::Inside
    }
}

fn usage(figures: &Figures) -> Usage {
    let cache = figures.input_tokens_details.unwrap_or_default();
    Usage {
        input: figures
            .input_tokens
            .saturating_sub(cache.cached_tokens)
            .saturating_sub(cache.cache_write_tokens),
        output: figures.output_tokens,
        reasoning: figures
            .output_tokens_details
            .as_ref()
            .map_or(0, |details| details.reasoning_tokens),
        cache_read: cache.cached_tokens,
        cache_write: cache.cache_write_tokens,
    }
}

#[cfg(test)]
mod tests;
