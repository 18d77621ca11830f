//! Writes requests. What was sent before is encoded once: a request begins with the messages of the one before it, so
//! their JSON is kept and only what came since is made anew.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::adapter::{Adapter, Ask};
use super::adjustment::Adjustments;
use super::encoded_turn::{EncodedTurn, Speaker};
use super::history::{CallResults, Content, HistoryReader, HistoryTurn};
use super::{Protocol, Purpose};
use crate::conversation::{Message, ModelRef, SessionId};

/// Conversations whose JSON is kept: those of a root and the tasks at work below it.
const MOST_KEPT: usize = 16;

/// Message of the user before a conversation that the model begins, and after one that it ends: a request is a question of
/// the user's to every provider.
const GO_ON: &str = "Go on.";

/// The JSON of conversations that go on.
#[derive(Debug, Default)]
pub(crate) struct RequestEncoder {
    /// The one that was sent last stands last.
    kept: Mutex<Vec<EncodedConversation>>,
}

/// The messages of one conversation and their JSON.
#[derive(Debug)]
struct EncodedConversation {
    session: SessionId,
    model: ModelRef,
    protocol: Protocol,
    adjustments: Adjustments,
    messages: Vec<EncodedMessage>,
    turns: Vec<EncodedTurn>,
    reader: HistoryReader,
}

#[derive(Debug)]
struct EncodedMessage {
    message: Arc<Message>,
    /// How many turns and used ids there were before it.
    turns: usize,
    used: usize,
}

impl RequestEncoder {
    /// Returns the body of a request, and its parameters: the same without the conversation.
    pub(crate) fn body(&self, ask: &Ask<'_>) -> serde_json::Result<(Vec<u8>, Value)> {
        let mut conversation = self.take(ask);
        conversation.follow(ask);
        let body = body(ask, &conversation.turns);
        if ask.request.purpose == Purpose::Turn {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() == MOST_KEPT {
                kept.remove(0);
            }
            kept.push(conversation);
        }
        body
    }

    fn take(&self, ask: &Ask<'_>) -> EncodedConversation {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |kept: &EncodedConversation| {
            kept.session == ask.request.session
                && kept.model == ask.request.model
                && kept.protocol == ask.settings.protocol
                && kept.adjustments == *ask.adjustments
        };
        let is_turn = ask.request.purpose == Purpose::Turn;
        let place = kept.iter().position(is_it).filter(|_| is_turn);
        place.map_or_else(|| EncodedConversation::new(ask), |place| kept.remove(place))
    }
}

impl EncodedConversation {
    fn new(ask: &Ask<'_>) -> Self {
        let protocol = ask.settings.protocol;
        Self {
            session: ask.request.session.clone(),
            model: ask.request.model.clone(),
            protocol,
            adjustments: ask.adjustments.clone(),
            messages: Vec::new(),
            turns: Vec::new(),
            reader: HistoryReader::new(&ask.request.model, ask.model, protocol),
        }
    }

    /// Encodes what the request has and this has not, and forgets what this has and the request has not.
    fn follow(&mut self, ask: &Ask<'_>) {
        let known = self.messages.iter().zip(&ask.request.messages);
        let same = known
            .take_while(|(known, sent)| is_same(&known.message, sent))
            .count();
        if let Some(first) = self.messages.get(same) {
            self.turns.truncate(first.turns);
            self.reader.forget_used(first.used);
            self.messages.truncate(same);
        }
        let adapter = self.protocol.adapter();
        for message in &ask.request.messages[same..] {
            self.messages.push(EncodedMessage {
                message: Arc::clone(message),
                turns: self.turns.len(),
                used: self.reader.used(),
            });
            let results = CallResults::of_message(message);
            for turn in self.reader.message(message, &results) {
                self.turns.push(encoded(adapter, ask, turn));
            }
        }
    }
}

/// Returns true if both are sent as the same. Reminders are made anew for each request, with other ids.
fn is_same(one: &Arc<Message>, other: &Arc<Message>) -> bool {
    Arc::ptr_eq(one, other) || one.role == other.role && one.parts == other.parts
}

fn encoded(adapter: &Adapter, ask: &Ask<'_>, turn: HistoryTurn<'_>) -> EncodedTurn {
    let speaker = Speaker::of(&turn);
    let values = (adapter.encode)(ask, turn);
    let json: Vec<String> = values.iter().map(Value::to_string).collect();
    EncodedTurn {
        speaker,
        json: json.join(","),
    }
}

/// Puts the conversation into the rest of the body.
fn body(ask: &Ask<'_>, turns: &[EncodedTurn]) -> serde_json::Result<(Vec<u8>, Value)> {
    let adapter = ask.settings.protocol.adapter();
    let go_on = encoded(
        adapter,
        ask,
        HistoryTurn::User(vec![Content::Text(Cow::Borrowed(GO_ON))]),
    );
    let turns = &questions(turns, &go_on)[..];
    let mut parameters = (adapter.body)(ask, turns);
    ask.adjustments.apply(&mut parameters);
    let mut body = serde_json::to_string(&parameters)?;
    let size: usize = turns.iter().map(|turn| turn.json.len() + 64).sum();
    body.reserve(size + ask.request.system.len());
    // It is an object.
    body.pop();
    if body.len() > 1 {
        body.push(',');
    }
    body.push('"');
    body.push_str(adapter.conversation_field);
    body.push_str("\":[");
    (adapter.write_conversation)(ask, turns, &mut body);
    body.push_str("]}");
    Ok((body.into_bytes(), parameters))
}

/// Returns the turns that are sent, with `go_on` where the user has to speak and does not.
fn questions<'a>(turns: &'a [EncodedTurn], go_on: &'a EncodedTurn) -> Vec<&'a EncodedTurn> {
    let mut sent: Vec<&EncodedTurn> = Vec::with_capacity(turns.len() + 2);
    sent.extend(turns.iter().filter(|turn| !turn.json.is_empty()));
    if sent.first().is_none_or(|first| first.speaker != Speaker::User) {
        sent.insert(0, go_on);
    }
    if matches!(sent.last(), Some(last) if matches!(last.speaker, Speaker::Assistant { .. })) {
        sent.push(go_on);
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, assistant, call, model, settings, text, two_parallel_calls, user};
    use super::*;
    use crate::provider::Request;

    fn bytes(encoder: &RequestEncoder, protocol: Protocol, request: &Request) -> Vec<u8> {
        let (settings, model) = (settings(protocol), model("a/m"));
        let ask = Ask {
            request,
            model: &model,
            settings: &settings,
            adjustments: &Adjustments::default(),
        };
        encoder.body(&ask).unwrap().0
    }

    #[test]
    fn a_request_is_the_same_whether_or_not_its_beginning_was_encoded_before() {
        for protocol in [
            Protocol::Anthropic,
            Protocol::OpenAiChat,
            Protocol::OpenAiResponses,
            Protocol::Gemini,
        ] {
            let encoder = RequestEncoder::default();
            let mut request = sample::request("a/m", vec![user("first")]);
            let reply = |id: &str| assistant(vec![text("ok"), call("bash", "{}", Some(id), "done")]);
            let more = [
                reply("same"),
                user("second"),
                reply("same"),
                reply("b"),
                user("third"),
            ];
            for (count, message) in more.iter().enumerate() {
                request.messages.push(Arc::clone(message));
                let fresh = bytes(&RequestEncoder::default(), protocol, &request);
                assert_eq!(bytes(&encoder, protocol, &request), fresh, "{protocol} {count}");
                assert!(serde_json::from_slice::<Value>(&fresh).is_ok());
            }
            // Something in the middle becomes another, and the ids after it are used anew.
            request.messages[2] = user("other");
            let fresh = bytes(&RequestEncoder::default(), protocol, &request);
            assert_eq!(bytes(&encoder, protocol, &request), fresh, "{protocol}");
            request.messages.truncate(2);
            let fresh = bytes(&RequestEncoder::default(), protocol, &request);
            assert_eq!(bytes(&encoder, protocol, &request), fresh, "{protocol}");
        }
    }

    #[test]
    fn what_was_sent_before_is_not_encoded_again() {
        let encoder = RequestEncoder::default();
        let mut request = two_parallel_calls("a/m");
        bytes(&encoder, Protocol::OpenAiChat, &request);
        let before = encoder.kept.lock().unwrap()[0].turns[0].json.as_ptr();
        request.messages.push(user("go on"));
        bytes(&encoder, Protocol::OpenAiChat, &request);
        let kept = encoder.kept.lock().unwrap();
        assert_eq!((kept.len(), kept[0].turns[0].json.as_ptr()), (1, before));
    }

    #[test]
    fn the_user_speaks_first_and_the_model_never_last() {
        let reply = || assistant(vec![text("Well.")]);
        for messages in [
            vec![],
            vec![user(" ")],
            vec![reply()],
            vec![reply(), user("x")],
            vec![user("x"), reply()],
        ] {
            let request = sample::request("a/m", messages);
            for (protocol, list) in [
                (Protocol::Anthropic, "messages"),
                (Protocol::OpenAiResponses, "input"),
                (Protocol::Gemini, "contents"),
            ] {
                let body = bytes(&RequestEncoder::default(), protocol, &request);
                let body: Value = serde_json::from_slice(&body).unwrap();
                let list = body[list].as_array().unwrap();
                let ends = [list.first(), list.last()].map(|end| end.unwrap()["role"].clone());
                assert_eq!(ends, ["user", "user"], "{protocol} {body}");
            }
        }
    }

    #[test]
    fn few_conversations_are_kept() {
        let encoder = RequestEncoder::default();
        for _ in 0..2 * MOST_KEPT {
            let mut request = two_parallel_calls("a/m");
            request.session = SessionId::new();
            bytes(&encoder, Protocol::OpenAiChat, &request);
        }
        assert_eq!(encoder.kept.lock().unwrap().len(), MOST_KEPT);
    }
}
