//! A reply while it comes in: blocks of the stream become parts of a message.

use std::collections::HashMap;

use super::Effect;
use crate::conversation::{
    CallId, CallState, Message, MessageState, Native, Part, PartBody, ReasoningPart, Stop, StreamEvent,
    TextPart, ToolPart, Usage,
};

#[derive(Debug)]
pub(super) struct Reply {
    message: Option<Message>,
    /// From the stream's blocks to indices of the message's parts.
    blocks: HashMap<usize, usize>,
    /// Flags of the parts that are complete.
    ended: Vec<bool>,
    pub(super) usage: Option<Usage>,
    /// Why the provider declined it.
    pub(super) refusal: Option<String>,
}

/// A reply that is over.
pub(super) struct FinishedReply {
    pub(super) message: Message,
    /// Parts that had begun and are not in it.
    pub(super) dropped: Vec<u64>,
}

impl FinishedReply {
    pub(super) fn into_effect(self) -> Effect {
        Effect::EndMessage {
            message: Box::new(self.message),
            dropped: self.dropped,
        }
    }
}

impl Reply {
    pub(super) fn new() -> Self {
        Self {
            message: None,
            blocks: HashMap::new(),
            ended: Vec::new(),
            usage: None,
            refusal: None,
        }
    }

    pub(super) fn message(&self) -> Option<&Message> {
        self.message.as_ref()
    }

    pub(super) fn begin(&mut self, message: Message) {
        self.message = Some(message);
    }

    /// Takes an event of a block. Those that make no sense (a delta for a block that never began) are dropped.
    pub(super) fn take(&mut self, event: StreamEvent, seq: &mut u64, effects: &mut Vec<Effect>) {
        match event {
            StreamEvent::TextStart { block } => {
                self.start(block, PartBody::Text(TextPart::default()), seq, effects);
            }
            StreamEvent::ReasoningStart { block } => {
                self.start(block, PartBody::Reasoning(ReasoningPart::default()), seq, effects);
            }
            StreamEvent::CallStart {
                block,
                provider_id,
                name,
            } => {
                let call = ToolPart {
                    call: CallId::new(),
                    provider_id,
                    tool: name,
                    raw_args: String::new(),
                    args: None,
                    state: CallState::Pending,
                    result: None,
                    native: None,
                    inner: Vec::new(),
                };
                self.start(block, PartBody::Tool(call), seq, effects);
            }
            StreamEvent::Delta { block, delta } => self.grow(block, delta, effects),
            StreamEvent::End { block, native } => self.end_block(block, native, effects),
            StreamEvent::Usage(_) | StreamEvent::Refusal(_) | StreamEvent::Stop(_) => {}
        }
    }

    fn start(&mut self, block: usize, body: PartBody, seq: &mut u64, effects: &mut Vec<Effect>) {
        let Some(message) = &mut self.message else { return };
        let part = Part { seq: *seq, body };
        *seq += 1;
        self.blocks.insert(block, message.parts.len());
        self.ended.push(false);
        message.parts.push(part.clone());
        effects.push(Effect::StartPart {
            message: message.id.clone(),
            part,
        });
    }

    fn grow(&mut self, block: usize, delta: String, effects: &mut Vec<Effect>) {
        let (Some(index), Some(message)) = (self.blocks.get(&block), &mut self.message) else {
            return;
        };
        let part = &mut message.parts[*index];
        match &mut part.body {
            PartBody::Text(text) => text.text.push_str(&delta),
            PartBody::Reasoning(reasoning) => reasoning.text.push_str(&delta),
            PartBody::Tool(tool) => tool.raw_args.push_str(&delta),
            _ => return,
        }
        effects.push(Effect::Delta {
            message: message.id.clone(),
            part: part.seq,
            delta,
        });
    }

    fn end_block(&mut self, block: usize, native: Option<Native>, effects: &mut Vec<Effect>) {
        let (Some(index), Some(message)) = (self.blocks.remove(&block), &mut self.message) else {
            return;
        };
        let part = &mut message.parts[index];
        match &mut part.body {
            PartBody::Text(text) => text.native = native,
            PartBody::Reasoning(reasoning) => reasoning.native = native,
            PartBody::Tool(tool) => tool.native = native,
            _ => {}
        }
        self.ended[index] = true;
        effects.push(Effect::EndPart {
            message: message.id.clone(),
            part: part.clone(),
        });
    }

    /// Ends the reply: text that was still growing stays, calls that were still growing are dropped unless the reply
    /// ended well (some servers never close a block). `None`: nothing had come in.
    pub(super) fn finish(
        mut self,
        state: MessageState,
        stop: Option<Stop>,
        effects: &mut Vec<Effect>,
    ) -> Option<FinishedReply> {
        let mut open: Vec<usize> = self.blocks.keys().copied().collect();
        open.sort_unstable();
        for block in open {
            let index = self.blocks[&block];
            let is_call = self
                .message
                .as_ref()
                .is_some_and(|message| is_call(&message.parts[index]));
            if state == MessageState::Complete || !is_call {
                self.end_block(block, None, effects);
            }
        }
        let ended = std::mem::take(&mut self.ended);
        let mut message = self.message?;
        let mut dropped = Vec::new();
        let mut ended = ended.into_iter();
        message.parts.retain(|part| {
            let is_whole = ended.next().unwrap_or(false);
            if !is_whole {
                dropped.push(part.seq);
            }
            is_whole
        });
        message.state = state;
        message.stop = stop;
        message.usage = self.usage;
        Some(FinishedReply { message, dropped })
    }
}

fn is_call(part: &Part) -> bool {
    matches!(part.body, PartBody::Tool(_))
}
