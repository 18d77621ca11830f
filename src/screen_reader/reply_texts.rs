//! The texts of replies while they stream: said by whole lines and sentences.

use super::card_text;
use crate::conversation::MessageId;

#[derive(Default)]
pub(super) struct ReplyTexts {
    streaming: Vec<StreamingPart>,
}

struct StreamingPart {
    message: MessageId,
    part: u64,
    /// Not said yet.
    left: String,
}

impl ReplyTexts {
    pub(super) fn begin(&mut self, message: &MessageId, part: u64, text: &str) {
        self.streaming.push(StreamingPart {
            message: message.clone(),
            part,
            left: text.to_owned(),
        });
    }

    /// Returns what can be said now.
    pub(super) fn grow(&mut self, message: &MessageId, part: u64, delta: &str) -> Option<String> {
        let is_it = |text: &&mut StreamingPart| text.message == *message && text.part == part;
        let text = self.streaming.iter_mut().find(is_it)?;
        text.left.push_str(delta);
        let rest = text.left.split_off(card_text::whole(&text.left));
        Some(std::mem::replace(&mut text.left, rest))
    }

    /// Ends one text of a message, and returns what was not said of it.
    pub(super) fn end_part(&mut self, message: &MessageId, part: u64) -> Vec<String> {
        self.end(|text| text.message == *message && text.part == part)
    }

    pub(super) fn end_message(&mut self, message: &MessageId) -> Vec<String> {
        self.end(|text| text.message == *message)
    }

    pub(super) fn end_all(&mut self) -> Vec<String> {
        self.end(|_| true)
    }

    fn end(&mut self, is_it: impl Fn(&StreamingPart) -> bool) -> Vec<String> {
        let ended = self.streaming.extract_if(.., |text| is_it(text));
        ended.map(|text| text.left).collect()
    }
}
