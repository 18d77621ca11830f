//! The conversation as a wire protocol needs it: what is never sent is gone, results stand apart from their calls, ids
//! are unique, and a provider's own blocks are kept only for the protocol and model that made them.
//!
//! The history is well formed when it arrives (see [`Request`]); nothing is repaired here. Calls without a result, which
//! there should not be, are left out together with it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

#[cfg(test)]
use super::Request;
use super::{Model, Protocol};
use crate::conversation::{
    Attachment, CallId, CallResult, ErrorKind, FilePart, Message, ModelRef, Native, PartBody, Role, ToolPart,
};
use crate::text::surrogates;

/// The tool that a call goes back as where nobody offered the one that it names.
const INVALID: &str = "invalid";
/// Output of a call that printed nothing: some chat templates take no message without text.
const NO_OUTPUT: &str = "(no output)";
/// Letters and digits of an id as the chat templates of Mistral's models want it. Every other server takes it as well.
const SHORT_ID: usize = 9;

/// One stretch of the conversation by one speaker.
#[derive(Debug, PartialEq)]
pub(crate) enum HistoryTurn<'a> {
    User(Vec<Content<'a>>),
    Assistant(Vec<ReplyPiece<'a>>),
    /// The results of the reply before, in the order of its calls.
    Results(Vec<SentResult<'a>>),
}

/// A piece of a user's message or of a result. Text is never blank.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content<'a> {
    Text(Cow<'a, str>),
    Image { mime: &'a str, data: &'a str },
    Pdf { name: &'a str, data: &'a str },
}

/// A piece of a reply. Text is never blank.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReplyPiece<'a> {
    Text {
        text: &'a str,
        native: Option<&'a Value>,
    },
    /// Sent only as the provider's own block.
    Reasoning(Option<&'a Value>),
    Call {
        id: WireId<'a>,
        name: &'a str,
        raw_args: Cow<'a, str>,
        native: Option<&'a Value>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SentResult<'a> {
    pub(crate) id: WireId<'a>,
    pub(crate) name: &'a str,
    pub(crate) ok: bool,
    pub(crate) output: &'a str,
    pub(crate) attachments: Vec<Content<'a>>,
}

impl SentResult<'_> {
    /// Returns the output for protocols that cannot mark an error.
    pub(crate) fn marked_output(&self) -> Cow<'_, str> {
        let output = if is_blank(self.output) {
            NO_OUTPUT
        } else {
            self.output
        };
        if self.ok || output.starts_with("Error") {
            Cow::Borrowed(output)
        } else {
            Cow::Owned(format!("Error: {output}"))
        }
    }
}

/// A call's id on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireId<'a> {
    /// The provider's own.
    Given(&'a str),
    /// Ours, because the provider gave none.
    Ours(&'a str),
    /// Ours, because the one that was given came twice, or the provider would not take it back.
    Replaced(&'a str),
}

impl<'a> WireId<'a> {
    pub(crate) fn as_str(self) -> &'a str {
        match self {
            Self::Given(id) | Self::Ours(id) | Self::Replaced(id) => id,
        }
    }
}

/// Reads the request's messages for `protocol`.
#[cfg(test)]
fn turns<'a>(request: &'a Request, model: &Model, protocol: Protocol) -> Vec<HistoryTurn<'a>> {
    let mut reader = HistoryReader::new(&request.model, model, protocol);
    let messages = request.messages.iter();
    messages
        .flat_map(|message| {
            // Tests look at what is borrowed from the request.
            let results = Box::leak(Box::new(CallResults::of_message(message)));
            reader.message(message, results)
        })
        .collect()
}

/// Drops reasoning that nothing follows, as a cut reply leaves it: no protocol takes it back.
pub(crate) fn without_loose_reasoning(mut said: Vec<ReplyPiece<'_>>) -> Vec<ReplyPiece<'_>> {
    said.retain(|said| !matches!(said, ReplyPiece::Reasoning(None)));
    while matches!(said.last(), Some(ReplyPiece::Reasoning(_))) {
        said.pop();
    }
    said
}

/// Returns a call's arguments as the object that they are, or else one that shows what was written.
pub(crate) fn arguments_object(raw: &str) -> Value {
    let raw = &*surrogates::replace_escapes(raw);
    match serde_json::from_str::<Value>(raw) {
        Ok(object @ Value::Object(_)) => object,
        _ if raw.trim().is_empty() => json!({}),
        _ => json!({ "invalid_json": raw }),
    }
}

/// Returns a call's arguments as JSON text of an object, unchanged where they are one.
pub(crate) fn arguments_text(raw: &str) -> Cow<'_, str> {
    let text = surrogates::replace_escapes(raw);
    let is_object =
        text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
    if is_object {
        text
    } else {
        Cow::Owned(arguments_object(raw).to_string())
    }
}

#[derive(Debug, Clone, Copy)]
struct AcceptedMedia {
    images: bool,
    pdf: bool,
}

/// Reads the messages of one conversation in their order. What a message becomes depends on those before it: an id that
/// comes again is replaced.
#[derive(Debug)]
pub(crate) struct HistoryReader {
    protocol: Protocol,
    model_name: String,
    takes: AcceptedMedia,
    used: HashSet<String>,
    /// The same in the order in which they came.
    used_in_order: Vec<String>,
}

/// The results of a message's calls.
#[derive(Debug)]
pub(crate) struct CallResults(Vec<(CallId, Arc<CallResult>)>);

impl CallResults {
    pub(crate) fn of_message(message: &Message) -> Self {
        let ended = message
            .calls()
            .filter_map(|call| Some((call.call.clone(), call.result()?)));
        Self(ended.collect())
    }

    fn of(&self, call: &ToolPart) -> Option<&CallResult> {
        let mut all = self.0.iter();
        all.find(|(id, _)| *id == call.call).map(|(_, result)| &**result)
    }
}

impl HistoryReader {
    pub(crate) fn new(name: &ModelRef, model: &Model, protocol: Protocol) -> Self {
        Self {
            protocol,
            model_name: name.to_string(),
            takes: AcceptedMedia {
                images: model.images,
                pdf: model.pdf,
            },
            used: HashSet::new(),
            used_in_order: Vec::new(),
        }
    }

    /// Returns how many ids were used so far.
    pub(crate) fn used(&self) -> usize {
        self.used_in_order.len()
    }

    /// Forgets all ids but the first ones.
    pub(crate) fn forget_used(&mut self, first: usize) {
        for id in self.used_in_order.drain(first..) {
            self.used.remove(&id);
        }
    }

    /// Reads the next message, with the results of its calls.
    pub(crate) fn message<'a>(
        &mut self,
        message: &'a Message,
        results: &'a CallResults,
    ) -> Vec<HistoryTurn<'a>> {
        let mut turns = Vec::with_capacity(2);
        match message.role {
            Role::User => {
                let content = self.user(message, results);
                if !content.is_empty() {
                    turns.push(HistoryTurn::User(content));
                }
            }
            Role::Assistant => {
                let (said, outcomes) = self.assistant(message, results);
                if !said.is_empty() {
                    turns.push(HistoryTurn::Assistant(said));
                }
                if !outcomes.is_empty() {
                    turns.push(HistoryTurn::Results(outcomes));
                }
            }
        }
        turns
    }

    /// Returns true if the provider takes an id back. `is_own`: the model that is asked made it.
    fn accepts_id(&self, id: &str, is_own: bool) -> bool {
        match self.protocol {
            Protocol::Anthropic => id.len() <= 64 && is_plain(id),
            Protocol::OpenAiResponses => id.len() <= 40 && is_plain(id),
            Protocol::OpenAiChat if !is_own || is_of_mistral(&self.model_name) => is_short(id),
            // Servers of other makers have signs of their own in ids (`functions.read:0`) and know them again.
            Protocol::OpenAiChat => id.len() <= 40 && is_graphic(id),
            Protocol::Gemini => id.len() <= 64 && is_graphic(id),
        }
    }

    fn is_first_use(&mut self, id: &str) -> bool {
        let is_first = self.used.insert(id.to_owned());
        if is_first {
            self.used_in_order.push(id.to_owned());
        }
        is_first
    }

    fn user<'a>(&self, message: &'a Message, results: &'a CallResults) -> Vec<Content<'a>> {
        let mut content = Vec::with_capacity(message.parts.len());
        for part in &message.parts {
            match &part.body {
                PartBody::Text(text) if !is_blank(&text.text) => {
                    content.push(Content::Text(Cow::Borrowed(&text.text)));
                }
                PartBody::File(file) => {
                    content.extend(named(file));
                    content.push(self.file(file));
                }
                PartBody::Tool(call) => content.extend(own_command(call, results.of(call))),
                PartBody::Text(_)
                | PartBody::Reasoning(_)
                | PartBody::Notice(_)
                | PartBody::Context(_)
                | PartBody::Unknown(_) => {}
            }
        }
        content
    }

    fn assistant<'a>(
        &mut self,
        message: &'a Message,
        results: &'a CallResults,
    ) -> (Vec<ReplyPiece<'a>>, Vec<SentResult<'a>>) {
        let mut said = Vec::with_capacity(message.parts.len());
        let mut outcomes = Vec::new();
        let maker = message.model.as_ref().map(ModelRef::to_string);
        let is_own = maker.is_none_or(|maker| maker == self.model_name);
        for part in &message.parts {
            match &part.body {
                PartBody::Text(text) => {
                    let native = self.own(text.native.as_ref());
                    if native.is_some() || !is_blank(&text.text) {
                        said.push(ReplyPiece::Text {
                            text: &text.text,
                            native,
                        });
                    }
                }
                PartBody::Reasoning(reasoning) => {
                    said.push(ReplyPiece::Reasoning(self.own(reasoning.native.as_ref())));
                }
                PartBody::Tool(call) => {
                    let id = self.wire_id(call, is_own);
                    let Some(result) = results.of(call) else {
                        continue;
                    };
                    outcomes.push(self.outcome(call, result, id));
                    said.push(if is_offered(call, result) {
                        ReplyPiece::Call {
                            id,
                            name: &call.tool,
                            raw_args: Cow::Borrowed(&call.raw_args),
                            native: self.own(call.native.as_ref()),
                        }
                    } else {
                        ReplyPiece::Call {
                            id,
                            name: INVALID,
                            raw_args: Cow::Owned(as_invalid(call)),
                            native: None,
                        }
                    });
                }
                PartBody::File(_) | PartBody::Notice(_) | PartBody::Context(_) | PartBody::Unknown(_) => {}
            }
        }
        (said, outcomes)
    }

    fn outcome<'a>(&self, call: &'a ToolPart, result: &'a CallResult, id: WireId<'a>) -> SentResult<'a> {
        let attachments = result
            .attachments
            .iter()
            .map(|attachment| self.attachment(attachment))
            .filter(|content| !matches!(content, Content::Text(text) if is_blank(text)));
        SentResult {
            id,
            name: if is_offered(call, result) {
                &call.tool
            } else {
                INVALID
            },
            ok: result.ok,
            output: &result.output,
            attachments: attachments.collect(),
        }
    }

    fn wire_id<'a>(&mut self, call: &'a ToolPart, is_own: bool) -> WireId<'a> {
        let given = call.provider_id.as_deref().filter(|id| !id.is_empty());
        match given {
            Some(id) if self.accepts_id(id, is_own) && self.is_first_use(id) => WireId::Given(id),
            Some(_) => WireId::Replaced(self.our_id(call)),
            None => WireId::Ours(self.our_id(call)),
        }
    }

    fn our_id<'a>(&mut self, call: &'a ToolPart) -> &'a str {
        let id = call.call.as_str();
        if self.protocol != Protocol::OpenAiChat {
            return id;
        }
        // The end of ours is random.
        let start = id.len().saturating_sub(SHORT_ID);
        let short = id.get(start..).filter(|short| is_short(short));
        short.filter(|short| self.is_first_use(short)).unwrap_or(id)
    }

    fn own<'a>(&self, native: Option<&'a Native>) -> Option<&'a Value> {
        let native = native?;
        (native.protocol == self.protocol.name() && native.model == self.model_name).then_some(&native.json)
    }

    fn file<'a>(&self, file: &'a FilePart) -> Content<'a> {
        self.media(&file.mime, &file.data, &file.path).unwrap_or_else(|| {
            Content::Text(Cow::Owned(format!(
                "<file path=\"{}\">\n{}\n</file>",
                file.path, file.data
            )))
        })
    }

    fn attachment<'a>(&self, attachment: &'a Attachment) -> Content<'a> {
        let media = self.media(&attachment.mime, &attachment.data, "attachment.pdf");
        media.unwrap_or_else(|| match &*attachment.mime {
            "text/plain" => Content::Text(Cow::Borrowed(&attachment.data)),
            mime => left_out(mime),
        })
    }

    /// Returns an image or a PDF, a note about one that the model cannot take, or nothing for text.
    fn media<'a>(&self, mime: &'a str, data: &'a str, name: &'a str) -> Option<Content<'a>> {
        let (content, is_taken) = if mime.starts_with("image/") {
            (Content::Image { mime, data }, self.takes.images)
        } else if mime == "application/pdf" {
            (Content::Pdf { name, data }, self.takes.pdf)
        } else {
            return None;
        };
        Some(if is_taken { content } else { left_out(mime) })
    }
}

/// Says which file the text means by a label.
fn named(file: &FilePart) -> Option<Content<'_>> {
    let label = file.label.as_ref()?;
    Some(Content::Text(Cow::Owned(format!("{label} is {}:", file.path))))
}

/// Returns a command that a person ran themselves as a text of theirs. Without a result there is nothing to tell yet.
fn own_command(call: &ToolPart, result: Option<&CallResult>) -> Option<Content<'static>> {
    let output = &result?.output;
    let command = call.args.as_ref()?.get("command")?.as_str()?;
    let text = format!("<user-shell-command>\n$ {command}\n{output}\n</user-shell-command>");
    Some(Content::Text(Cow::Owned(text)))
}

fn left_out(mime: &str) -> Content<'static> {
    Content::Text(Cow::Owned(format!(
        "[{mime} left out: this model cannot read it]"
    )))
}

/// Providers refuse text without a visible character.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns true if a call can go back under the name that the model gave: every provider takes it, and some tool answered to it.
/// It follows from what the conversation keeps, so that a request begins as the one before it did.
fn is_offered(call: &ToolPart, result: &CallResult) -> bool {
    let name = &call.tool;
    // Gemini wants a letter or an underscore in front, the others have at least these 64 characters.
    let is_valid = (1..=64).contains(&name.len())
        && is_plain(name)
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    is_valid && result.error_kind() != Some(ErrorKind::UnknownTool)
}

/// Returns the arguments of a call that nobody offered, with its name.
fn as_invalid(call: &ToolPart) -> String {
    json!({ "tool": call.tool, "arguments": arguments_object(&call.raw_args) }).to_string()
}

/// Returns true if a name or an id has the characters alone that every provider takes.
fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn is_short(id: &str) -> bool {
    id.len() == SHORT_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns true if a model is one of Mistral's, by its name: Ministral, Codestral, Devstral, Magistral, Mixtral, Pixtral.
fn is_of_mistral(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("stral") || name.contains("xtral")
}

fn is_graphic(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, call, reasoning, text};
    use super::*;

    #[test]
    fn a_file_with_a_label_is_named_before_it_is_shown() {
        let mut message = Message::clone(&sample::user_with_image());
        let PartBody::File(file) = &mut message.parts[1].body else {
            panic!("the second part is a picture")
        };
        file.label = Some("[image 1: a.png 3×2]".to_owned());
        let request = sample::request("a/m", vec![message.into()]);
        let turns = turns(&request, &sample::model("a/m"), Protocol::Anthropic);
        let HistoryTurn::User(content) = &turns[0] else {
            panic!("{turns:?}")
        };
        assert!(
            matches!(&content[1], Content::Text(name) if name == "[image 1: a.png 3×2] is a.png:"),
            "{content:?}"
        );
        assert!(matches!(&content[2], Content::Image { .. }), "{content:?}");
    }

    #[test]
    fn a_repeated_or_missing_id_is_replaced_by_ours() {
        let parts = vec![
            call("read", "{}", Some("same"), "1"),
            call("read", "{}", Some("same"), "2"),
            call("read", "{}", None, "3"),
            call("read", "{}", Some("functions.read:0"), "4"),
        ];
        let request = sample::request("anthropic/m", vec![sample::user("hi"), sample::assistant(parts)]);
        let turns = turns(&request, &sample::model("anthropic/m"), Protocol::Anthropic);
        let HistoryTurn::Results(outcomes) = &turns[2] else {
            panic!("{turns:?}")
        };
        let ours = |outcome: &SentResult<'_>| !matches!(outcome.id, WireId::Given(_));
        assert_eq!(
            outcomes.iter().map(ours).collect::<Vec<_>>(),
            [false, true, true, true]
        );
        let ids: HashSet<_> = outcomes.iter().map(|outcome| outcome.id.as_str()).collect();
        assert_eq!(ids.len(), 4);
    }

    #[test]
    fn a_call_that_nobody_offered_goes_back_as_invalid_with_its_name() {
        let long = "x".repeat(200);
        for name in [
            "multi_tool_use.parallel",
            "read file",
            "",
            &long,
            "lésen",
            "1read",
        ] {
            let mut part = sample::tool_part(name, r#"{"a":1}"#, Some("id"), "Error: no");
            part.native = Some(Protocol::Gemini.native(&"a/m".parse().unwrap(), json!({"functionCall": {}})));
            let request = sample::request(
                "a/m",
                vec![sample::user("x"), sample::assistant(vec![PartBody::Tool(part)])],
            );
            for protocol in [
                Protocol::Anthropic,
                Protocol::OpenAiChat,
                Protocol::OpenAiResponses,
                Protocol::Gemini,
            ] {
                let turns = turns(&request, &sample::model("a/m"), protocol);
                let (HistoryTurn::Assistant(said), HistoryTurn::Results(outcomes)) = (&turns[1], &turns[2])
                else {
                    panic!("{turns:?}")
                };
                let ReplyPiece::Call {
                    name: sent,
                    raw_args,
                    native,
                    ..
                } = &said[0]
                else {
                    panic!("{said:?}")
                };
                assert_eq!((*sent, outcomes[0].name, *native), ("invalid", "invalid", None));
                let args: Value = serde_json::from_str(raw_args).unwrap();
                assert_eq!(args, json!({"tool": name, "arguments": {"a": 1}}));
            }
        }
    }

    #[test]
    fn a_name_that_no_tool_answered_to_goes_back_as_invalid() {
        let part = sample::tool_part("reed", "{}", None, "Error: no tool named `reed`");
        let unknown = CallResult::error(ErrorKind::UnknownTool, "no tool named `reed`", None);
        assert!(!is_offered(&part, &unknown));
        assert!(is_offered(
            &part,
            &CallResult::error(ErrorKind::NotFound, "no", None)
        ));
    }

    #[test]
    fn ids_are_as_each_provider_takes_them() {
        let (long, sound) = ("c".repeat(41), "c".repeat(40));
        for (protocol, id, is_kept) in [
            (Protocol::OpenAiChat, &*sound, true),
            (Protocol::OpenAiChat, &long, false),
            (Protocol::OpenAiChat, "functions.read:0", true),
            (Protocol::OpenAiChat, "call é", false),
            (Protocol::OpenAiResponses, &long, false),
            (Protocol::OpenAiResponses, "functions.read:0", false),
            (Protocol::Anthropic, &long, true),
            (Protocol::Anthropic, "functions.read:0", false),
        ] {
            let reply = sample::assistant(vec![call("read", "{}", Some(id), "1")]);
            let request = sample::request("a/m", vec![sample::user("x"), reply]);
            let turns = turns(&request, &sample::model("a/m"), protocol);
            let (HistoryTurn::Assistant(said), HistoryTurn::Results(outcomes)) = (&turns[1], &turns[2])
            else {
                panic!("{turns:?}")
            };
            let ReplyPiece::Call { id: sent, .. } = &said[0] else {
                panic!("{said:?}")
            };
            assert_eq!(*sent, outcomes[0].id);
            assert_eq!(sent.as_str() == id, is_kept, "{protocol} {id}");
            assert!(sent.as_str().len() <= 41);
        }
    }

    #[test]
    fn ids_of_other_models_and_those_of_mistral_have_nine_letters_and_digits() {
        let own = "call_0123456789";
        for (asked, maker, given, is_kept) in [
            ("local/m", Some("local/m"), own, true),
            ("local/m", None, own, true),
            ("local/m", Some("openai/m"), own, false),
            ("local/m", Some("openai/m"), "aB3dE6gH9", true),
            ("local/Devstral-Small", Some("local/Devstral-Small"), own, false),
            (
                "local/mixtral:8x7b",
                Some("local/mixtral:8x7b"),
                "aB3dE6gH9",
                true,
            ),
        ] {
            let parts = vec![
                call("read", "{}", Some(given), "1"),
                call("read", "{}", Some(given), "2"),
            ];
            let mut reply = Message::clone(&sample::assistant(parts));
            reply.model = maker.map(|maker| maker.parse().unwrap());
            let request = sample::request(asked, vec![sample::user("x"), reply.into()]);
            let turns = turns(&request, &sample::model(asked), Protocol::OpenAiChat);
            let HistoryTurn::Results(outcomes) = &turns[2] else {
                panic!("{turns:?}")
            };
            let ids: Vec<&str> = outcomes.iter().map(|outcome| outcome.id.as_str()).collect();
            assert_eq!(ids[0] == given, is_kept, "{asked} {ids:?}");
            assert!(is_short(ids[1]) && ids[0] != ids[1], "{asked} {ids:?}");
        }
    }

    #[test]
    fn native_blocks_go_only_to_the_protocol_and_model_that_made_them() {
        let native = Protocol::Anthropic.native(&"anthropic/m".parse().unwrap(), json!({"type": "thinking"}));
        let message = sample::assistant(vec![reasoning("hm", Some(native)), text("ok")]);
        for (model, protocol, kept) in [
            ("anthropic/m", Protocol::Anthropic, true),
            ("anthropic/n", Protocol::Anthropic, false),
            ("anthropic/m", Protocol::OpenAiChat, false),
        ] {
            let request = sample::request(model, vec![message.clone()]);
            let turns = turns(&request, &sample::model(model), protocol);
            let HistoryTurn::Assistant(said) = &turns[0] else {
                panic!("{turns:?}")
            };
            assert_eq!(
                matches!(said[0], ReplyPiece::Reasoning(Some(_))),
                kept,
                "{model} {protocol}"
            );
        }
    }

    #[test]
    fn blank_text_and_notices_are_not_sent() {
        let request = sample::request(
            "a/m",
            vec![sample::user(" \n"), sample::assistant(vec![text("")])],
        );
        assert_eq!(turns(&request, &sample::model("a/m"), Protocol::OpenAiChat), []);
    }

    #[test]
    fn reasoning_that_nothing_follows_is_dropped() {
        let block = json!({});
        let loose = vec![ReplyPiece::Reasoning(Some(&block)), ReplyPiece::Reasoning(None)];
        assert_eq!(without_loose_reasoning(loose), []);
    }

    #[test]
    fn broken_arguments_are_sent_as_an_object() {
        assert_eq!(arguments_text(r#"{ "a":1}"#), r#"{ "a":1}"#);
        assert_eq!(arguments_text(""), "{}");
        assert_eq!(arguments_text(r#"{"a": "#), r#"{"invalid_json":"{\"a\": "}"#);
        assert_eq!(arguments_text("[1]"), r#"{"invalid_json":"[1]"}"#);
        assert_eq!(
            arguments_object(r#"{"b":1,"a":2}"#).to_string(),
            r#"{"b":1,"a":2}"#
        );
    }

    #[test]
    fn what_the_model_cannot_read_becomes_a_note() {
        let mut model = sample::model("a/m");
        model.images = false;
        let request = sample::request("a/m", vec![sample::user_with_image()]);
        let turns = turns(&request, &model, Protocol::OpenAiChat);
        let HistoryTurn::User(content) = &turns[0] else {
            panic!("{turns:?}")
        };
        assert!(
            matches!(&content[1], Content::Text(note) if note.contains("image/png left out")),
            "{content:?}"
        );
    }
}
