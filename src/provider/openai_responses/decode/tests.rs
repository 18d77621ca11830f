use super::super::super::sample::{decode, told};
use super::*;

macro_rules! vector {
    ($name:literal) => {
        told(&decode(
            Protocol::OpenAiResponses,
            include_str!(concat!(
                "../../../../tests/it/vectors/sse/openai_responses.",
                $name,
                ".sse"
            )),
        ))
    };
}

#[test]
fn text_streams_into_one_block_and_keeps_its_item() {
    let lines = vector!("text");
    assert!(
        lines[0].starts_with("text: Hello, wörld: a list.\n\n- one\n- two\n | {\"type\":\"message\""),
        "{lines:?}"
    );
    assert_eq!(
        lines[1..],
        ["usage: in 1200 out 24 think 0 read 0 write 0", "stop: End"]
    );
}

#[test]
fn calls_stream_their_arguments() {
    let lines = vector!("tools");
    let call = r#"call bash call_3d89388ec8244572: {"command": "printf 'a\\tb\\n'", "timeout": 120000} | {"type":"function_call","id":"fc_e23fbfc73a4a49488219""#;
    assert!(lines[1].starts_with(call), "{lines:?}");
    let call = r#"call read call_766b460de814466a: {"file_path": "src/\u00fcn\u00ef.rs", "limit": 20} | {"#;
    assert!(lines[2].starts_with(call), "{lines:?}");
    assert_eq!(
        lines[3..],
        ["usage: in 1300 out 80 think 0 read 0 write 0", "stop: ToolCalls"]
    );
}

#[test]
fn reasoning_keeps_its_encrypted_item() {
    assert_eq!(
        vector!("reasoning"),
        [
            r#"reasoning: The test sleeps on the clock. | {"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"The test sleeps on the clock."}],"encrypted_content":"ZW5jcnlwdGVk"}"#,
            r#"call read call_1: {"file_path":"src/a.rs"} | {"id":"fc_1","type":"function_call","status":"completed","name":"read","call_id":"call_1","arguments":"{\"file_path\":\"src/a.rs\"}"}"#,
            "usage: in 312 out 57 think 30 read 2000 write 0",
            "stop: ToolCalls",
        ]
    );
}

#[test]
fn a_failed_response_is_an_error() {
    assert_eq!(
        vector!("error"),
        [
            "reasoning: The test sleeps on the clock.",
            "error: BadResponse: `p` failed: The server had an error"
        ]
    );
    let stream =
        "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}\n\n";
    let lines = told(&decode(Protocol::OpenAiResponses, stream));
    assert_eq!(lines, ["error: RateLimit: `p` limits the rate of requests: slow"]);
}

#[test]
fn a_garbled_event_is_a_bad_response() {
    let lines = vector!("malformed");
    assert_eq!(lines[0], "text: Hello, wörld: a list");
    assert!(lines[1].starts_with("error: BadResponse"), "{lines:?}");
}

#[test]
fn an_item_without_pieces_is_shown_whole() {
    let stream = concat!(
        "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",",
        "\"content\":[{\"type\":\"output_text\",\"text\":\"whole\"}]}}\n\n",
        "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":",
        "{\"reason\":\"max_output_tokens\"}}}\n\n",
    );
    let lines = told(&decode(Protocol::OpenAiResponses, stream));
    assert!(lines[0].starts_with("text: whole | "), "{lines:?}");
    assert_eq!(lines[1], "stop: Length");
}

fn events(events: &[&str]) -> Vec<String> {
    let stream: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    told(&decode(Protocol::OpenAiResponses, &stream.concat()))
        .into_iter()
        .map(|line| line.split(" | {").next().unwrap_or_default().to_owned())
        .collect()
}

const MESSAGE: &str =
    r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m"}}"#;
const CALL: &str = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"ls","arguments":""}}"#;
const COMPLETED: &str = r#"{"type":"response.completed","response":{"status":"completed"}}"#;

#[test]
fn what_the_deltas_lack_at_their_end_is_added_from_any_later_form() {
    let delta = r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hel"}"#;
    for whole in [
        r#"{"type":"response.output_text.done","output_index":0,"text":"Hello"}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}}"#,
    ] {
        assert_eq!(
            events(&[MESSAGE, delta, whole, COMPLETED])[0].trim_end_matches(" |"),
            "text: Hello",
            "{whole}"
        );
    }
    let completed = r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]},{"type":"function_call","call_id":"c","name":"ls","arguments":"{}"}]}}"#;
    for before in [vec![], vec![MESSAGE], vec![MESSAGE, delta], vec![delta]] {
        let all: Vec<&str> = before.into_iter().chain([completed]).collect();
        assert_eq!(events(&all), ["text: Hello", "call ls c: {}", "stop: ToolCalls"]);
    }
    let piece = r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"a\":"}"#;
    let done = r#"{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"a\":1}"}"#;
    assert_eq!(
        events(&[CALL, piece, done, COMPLETED]),
        [r#"call ls c: {"a":1} |"#, "stop: ToolCalls"]
    );
}

#[test]
fn deltas_that_lack_something_inside_are_a_bad_response() {
    let delta = r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hlo"}"#;
    let whole = r#"{"type":"response.output_text.done","output_index":0,"text":"Hello"}"#;
    let lines = events(&[MESSAGE, delta, whole, COMPLETED]);
    assert!(lines[1].starts_with("error: BadResponse"), "{lines:?}");
    let piece = r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"a\":}"}"#;
    let done = r#"{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"a\":1}"}"#;
    let lines = events(&[CALL, piece, done, COMPLETED]);
    assert!(lines[1].starts_with("error: BadResponse"), "{lines:?}");
}

#[test]
fn a_trimmed_or_reordered_whole_takes_nothing_away() {
    let delta = r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hello \n"}"#;
    let whole = r#"{"type":"response.output_text.done","output_index":0,"text":"Hello"}"#;
    assert_eq!(
        events(&[MESSAGE, delta, whole, COMPLETED]),
        ["text: Hello \n |", "stop: End"]
    );
    let piece = r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"a\": 1}"}"#;
    let done = r#"{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"a\":1}"}"#;
    assert_eq!(
        events(&[CALL, piece, done, COMPLETED]),
        [r#"call ls c: {"a": 1} |"#, "stop: ToolCalls"]
    );
}

#[test]
fn deltas_without_their_item_are_kept_or_an_error() {
    let text = r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hi"}"#;
    assert_eq!(events(&[text, COMPLETED]), ["text: Hi |", "stop: End"]);
    let piece = r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}"#;
    let lines = events(&[piece, COMPLETED]);
    assert!(lines[0].starts_with("error: BadResponse"), "{lines:?}");
}

#[test]
fn unknown_items_of_any_shape_are_skipped() {
    let unknown =
        r#"{"type":"tool_search_call","id":7,"arguments":{"a":1},"content":"x","summary":{"y":2},"name":[]}"#;
    let added = format!(r#"{{"type":"response.output_item.added","output_index":0,"item":{unknown}}}"#);
    let done = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{unknown}}}"#);
    let message = r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"ok"},{"type":"hologram","text":{"z":1}}]}}"#;
    let completed = format!(
        r#"{{"type":"response.completed","response":{{"output":[{unknown},{{"type":"message","content":[{{"text":"ok"}}]}}]}}}}"#
    );
    assert_eq!(
        events(&[&added, &done, message, &completed]),
        ["text: ok", "stop: End"]
    );
}

#[test]
fn arguments_of_a_call_may_be_an_object() {
    let done = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"ls","arguments":{"a":1}}}"#;
    assert_eq!(
        events(&[done, COMPLETED]),
        [r#"call ls c: {"a":1}"#, "stop: ToolCalls"]
    );
}

#[test]
fn a_response_that_is_incomplete_failed_or_refused_says_so() {
    for (response, last) in [
        (r#"{"status":"incomplete"}"#, "stop: Length"),
        (
            r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#,
            "stop: Length",
        ),
        (
            r#"{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}"#,
            "stop: Refusal",
        ),
        (
            r#"{"status":"failed","error":{"code":"server_error","message":"no"}}"#,
            "error: BadResponse: `p` failed: no",
        ),
        (
            r#"{"status":"cancelled"}"#,
            "error: BadResponse: `p` cut the reply short: `cancelled`",
        ),
    ] {
        let event = format!(r#"{{"type":"response.completed","response":{response}}}"#);
        assert_eq!(events(&[CALL, &event]).last().unwrap(), last, "{response}");
    }
    assert_eq!(events(&[r#"{"type":"response.incomplete"}"#]), ["stop: Length"]);
    let refusal = r#"{"type":"response.refusal.delta","output_index":0,"delta":"I cannot."}"#;
    assert_eq!(
        events(&[MESSAGE, refusal, COMPLETED]),
        ["text: I cannot. |", "stop: Refusal"]
    );
}
