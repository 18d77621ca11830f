//! Every recorded stream, whole, byte by byte and in random pieces: the reply is the same.

use proptest::prelude::*;

use super::Protocol;
use super::sample::{decode, decode_pieces};

macro_rules! vector {
    ($protocol:ident, $file:literal) => {
        (
            Protocol::$protocol,
            include_str!(concat!("../../tests/it/vectors/sse/", $file, ".sse")),
        )
    };
}

const VECTORS: [(Protocol, &str); 20] = [
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
