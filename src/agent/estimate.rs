//! Estimates of tokens, for what no provider has counted yet: four bytes of UTF-8 make one.
//!
//! Bytes and not characters: a Chinese or Japanese character is about one token and three bytes, so that such text is not
//! taken for a third of what it is. A picture counts for what Anthropic asks for one of about a million pixels.

use crate::conversation::{FilePart, Message, Part, PartBody, ToolPart};
use crate::provider::{Request, ToolSpec};

const BYTES: usize = 4;
const PICTURE: u64 = 1_500;
/// For each page of a document, which is about as many kB of base64.
const DOCUMENT_BYTES: usize = 40;

/// Returns the tokens of so many bytes of text.
pub fn bytes(count: usize) -> u64 {
    count.div_ceil(BYTES) as u64
}

/// Returns the tokens of a message as it is sent.
pub fn message(message: &Message) -> u64 {
    message.parts.iter().map(part).sum()
}

pub fn messages<'a, M: AsRef<Message> + 'a>(messages: impl IntoIterator<Item = &'a M>) -> u64 {
    messages.into_iter().map(|one| message(one.as_ref())).sum()
}

/// Returns the tokens of what stands before the messages of a request.
pub fn prefix(system: &str, tools: &[ToolSpec]) -> u64 {
    let tools = tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.schema.to_string().len());
    bytes(system.len() + tools.sum::<usize>())
}

pub fn request(request: &Request) -> u64 {
    prefix(&request.system, &request.tools) + messages(&request.messages)
}

fn part(part: &Part) -> u64 {
    match &part.body {
        PartBody::Text(text) => bytes(text.text.len()),
        // Without the provider's own block it is never sent.
        PartBody::Reasoning(reasoning) => match &reasoning.native {
            Some(_) => bytes(reasoning.text.len()),
            None => 0,
        },
        PartBody::Tool(call) => self::call(call),
        PartBody::File(FilePart { mime, data, .. }) => media(mime, data),
        PartBody::Notice(_) | PartBody::Context(_) | PartBody::Unknown(_) => 0,
    }
}

/// Returns the tokens of a call and its result.
pub fn call(call: &ToolPart) -> u64 {
    let result = call.result().map_or(0, |result| {
        let attached = result.attachments.iter();
        let attached: u64 = attached
            .map(|attachment| media(&attachment.mime, &attachment.data))
            .sum();
        bytes(result.output.len()) + attached
    });
    bytes(call.tool.len() + call.raw_args.len()) + result
}

/// Returns the tokens of a picture, a document or a text that is attached.
pub fn media(mime: &str, data: &str) -> u64 {
    match mime {
        "application/pdf" => bytes(data.len() / DOCUMENT_BYTES) + PICTURE,
        _ if mime.starts_with("image/") => PICTURE,
        _ => bytes(data.len()),
    }
}
