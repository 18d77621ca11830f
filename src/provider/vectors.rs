//! Every recorded stream, whole, byte by byte and in random pieces: the reply is the same.

use proptest::prelude::*;

use super::sample::{decode, decode_pieces};
use super::{Protocol, ProviderError};
use crate::conversation::StreamEvent;

macro_rules! vector {
    ($protocol:ident, $file:literal) => {
        (
            Protocol::$protocol,
            include_str!(concat!("../../tests/it/vectors/sse/", $file, ".sse")),
        )
    };
}

pub(super) const VECTORS: [(Protocol, &str); 20] = [
    vector!(Anthropic, "anthropic.text"),
    vector!(Anthropic, "anthropic.tools"),
    vector!(Anthropic, "anthropic.reasoning"),
    vector!(Anthropic, "anthropic.error"),
    vector!(Anthropic, "anthropic.malformed"),
    vector!(OpenAiChat, "openai_chat.text"),
    vector!(OpenAiChat, "openai_chat.tools"),
    vector!(OpenAiChat, "openai_chat.reasoning"),
    vector!(OpenAiChat, "openai_chat.error"),
    vector!(OpenAiChat, "openai_chat.malformed"),
    vector!(OpenAiResponses, "openai_responses.text"),
    vector!(OpenAiResponses, "openai_responses.tools"),
    vector!(OpenAiResponses, "openai_responses.reasoning"),
    vector!(OpenAiResponses, "openai_responses.error"),
    vector!(OpenAiResponses, "openai_responses.malformed"),
    vector!(Gemini, "gemini.text"),
    vector!(Gemini, "gemini.tools"),
    vector!(Gemini, "gemini.reasoning"),
    vector!(Gemini, "gemini.error"),
    vector!(Gemini, "gemini.malformed"),
];

#[test]
fn byte_by_byte_a_reply_is_the_same() {
    for (protocol, stream) in VECTORS {
        for ending in ["\n", "\r\n", "\r"] {
            let stream = stream.replace('\n', ending);
            let pieces = decode_pieces(protocol, stream.as_bytes().chunks(1));
            assert_eq!(pieces, decode(protocol, &stream));
            assert!(pieces.0.len() + usize::from(pieces.1.is_some()) > 1);
        }
    }
}

fn text_of(reply: &[StreamEvent]) -> String {
    let delta = |event: &StreamEvent| match event {
        StreamEvent::Delta { delta, .. } => Some(delta.clone()),
        _ => None,
    };
    reply.iter().filter_map(delta).collect()
}

fn ends_well((reply, error): &(Vec<StreamEvent>, Option<ProviderError>)) -> bool {
    error.is_none() && matches!(reply.last(), Some(StreamEvent::Stop(_)))
}

proptest! {
    #[test]
    fn in_random_pieces_a_reply_is_the_same(
        vector in 0..VECTORS.len(),
        cuts in proptest::collection::vec(1usize..200, 1..60),
    ) {
        let (protocol, stream) = VECTORS[vector];
        let mut rest = stream.as_bytes();
        let mut cuts = cuts.iter().cycle();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
            pieces.push(piece);
            rest = tail;
        }
        prop_assert_eq!(decode_pieces(protocol, pieces.into_iter()), decode(protocol, stream));
    }

    #[test]
    fn a_cut_reply_is_the_beginning_of_the_whole_one(vector in 0..VECTORS.len(), at in 0usize..4000) {
        let (protocol, stream) = VECTORS[vector];
        let cut = decode(protocol, &stream[..stream.floor_char_boundary(at.min(stream.len()))]);
        let whole = decode(protocol, stream);
        let (text, all) = (text_of(&cut.0), text_of(&whole.0));
        prop_assert!(all.starts_with(&text), "{text:?} is no beginning of {all:?}");
        if ends_well(&cut) {
            prop_assert_eq!(text, all, "a reply that ends well lacks nothing");
        }
    }

    #[test]
    fn halves_put_anywhere_into_a_reply_are_joined_or_replaced(
        vector in 0..VECTORS.len(),
        word in prop::sample::select(vec!["ello", "list", "ill ", "leeps", "lock"]),
        halves in prop::sample::select(vec![r"\ud83d", r"\ude00", r"\ud83d\ud83d", r"\ude00\ud83d", r"\ud83d\ude00"]),
    ) {
        let (protocol, stream) = VECTORS[vector];
        // Words of the texts, and of nothing that the protocol says.
        let Some(place) = stream.find(word) else { return Ok(()) };
        let (reply, error) = decode(protocol, &format!("{}{halves}{}", &stream[..place], &stream[place..]));
        let text = text_of(&reply);
        let has_mark = text.contains('\u{fdd0}');
        prop_assert!(!has_mark);
        let whole = text_of(&decode(protocol, stream).0);
        if error.is_none() && text != whole {
            let kept = text.replace(['\u{fffd}', '😀'], "").replace(halves, "");
            prop_assert_eq!(kept, whole);
        }
    }

    #[test]
    fn a_reply_that_lost_an_event_is_whole_or_no_reply(vector in 0..VECTORS.len(), at in 0usize..80) {
        let (protocol, stream) = VECTORS[vector];
        let events: Vec<&str> = stream.split_inclusive("\n\n").collect();
        if at < events.len() {
            let kept: String = events.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, event)| *event).collect();
            let (reply, error) = decode(protocol, &kept);
            // A call whose beginning was lost is never one without a name.
            let is_nameless = reply.iter().any(|event| matches!(event, StreamEvent::CallStart { name, .. } if name.is_empty()));
            prop_assert!(error.is_some() || !is_nameless || protocol == Protocol::OpenAiChat);
        }
    }

    #[test]
    fn no_mutation_makes_a_decoder_panic_or_speak_of_a_block_that_is_not_open(
        vector in 0..VECTORS.len(),
        edits in proptest::collection::vec((0usize..3000, 0usize..12, "[ -~\u{fdd0}é\n]{0,6}"), 1..6),
    ) {
        let (protocol, stream) = VECTORS[vector];
        let mut broken = stream.to_owned();
        for (start, length, text) in edits {
            let start = broken.floor_char_boundary(start.min(broken.len()));
            let end = broken.floor_char_boundary((start + length).min(broken.len()));
            broken.replace_range(start..end, &text);
        }
        let (reply, _) = decode(protocol, &broken);
        let mut open = std::collections::HashSet::new();
        for event in &reply {
            match event {
                StreamEvent::TextStart { block }
                | StreamEvent::ReasoningStart { block }
                | StreamEvent::CallStart { block, .. } => prop_assert!(open.insert(*block)),
                StreamEvent::Delta { block, .. } => prop_assert!(open.contains(block)),
                StreamEvent::End { block, .. } => prop_assert!(open.remove(block)),
                // Who reads the reply stops here.
                StreamEvent::Stop(_) => break,
                StreamEvent::Usage(_) | StreamEvent::Refusal(_) => {}
            }
        }
    }

    #[test]
    fn no_data_makes_a_decoder_panic(
        vector in 0..VECTORS.len(),
        from in "[\\]\\[{}\":,a-z0-9]",
        to in "(null|\\{\\}|\\[\\]|\"x\"|0|-1|1e99|true|,|)",
        at in 0usize..400,
    ) {
        let (protocol, stream) = VECTORS[vector];
        let Some((place, _)) = stream.match_indices(&from).nth(at) else { return Ok(()) };
        let broken = format!("{}{to}{}", &stream[..place], &stream[place + from.len()..]);
        let _ = decode(protocol, &broken);
    }
}
