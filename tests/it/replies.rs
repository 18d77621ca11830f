//! Replies as servers really send them: halves of characters, refusals, errors in the stream, and no server at all.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use super::run::{assert_well_formed, events_of, last, of_kind, project_with, reason, text_of};
use super::screen::{open, say};
use super::support::{Fault, Finished, Lathe, Project, Protocol, Server, Turn};

fn ask(project: &Project) -> Finished {
    let finished = events_of(project).arg("hello").run();
    assert_well_formed(&finished);
    finished
}

#[test]
fn halves_of_characters_in_arguments_reach_the_file_whole() {
    let piece = |arguments: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"c1","function":{{"name":"write","arguments":"{arguments}"}}}}]}}}}]}}"#
        )
    };
    let server = Server::with([Turn::text("Done.").fail(Fault::events(&[
        piece(r#"{\"file_path\":\"a.txt\",\"content\":\"1\ud83d"#),
        piece(r"\ude00"),
        piece(r"2\ud83d"),
        piece(r#"3\"}"#),
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned(),
        "[DONE]".to_owned(),
    ]))]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .args(["--permission-mode", "accept-edits", "write it"])
        .run()
        .success();
    assert_well_formed(&finished);
    assert_eq!(project.read("a.txt"), "1😀2\u{fffd}3", "{finished}");
    assert_eq!(text_of(&finished), "Done.");
}

#[test]
fn an_escape_of_half_a_character_inside_arguments_spoils_nothing() {
    let arguments = r#"{"file_path": "a.txt", "content": "1\ud83d2"}"#;
    let server = Server::with([Turn::new().raw_args("write", arguments), Turn::text("Done.")]);
    let project = project_with(&server);
    events_of(&project)
        .args(["--permission-mode", "accept-edits", "write it"])
        .run()
        .success();
    assert_eq!(project.read("a.txt"), "1\u{fffd}2");
    let sent = server.requests()[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"].clone();
    let sent: Value = serde_json::from_str(sent.as_str().unwrap()).unwrap();
    assert_eq!(sent["content"], "1\u{fffd}2");
}

/// One refused reply in each protocol, and what it says of the reason.
fn refusals() -> [(Protocol, Vec<&'static str>, &'static str); 7] {
    [
        (
            Protocol::OpenAiChat,
            vec![
                r#"{"choices":[{"delta":{"content":"Well"},"finish_reason":"content_filter"}]}"#,
                "[DONE]",
            ],
            "content_filter",
        ),
        (
            Protocol::OpenAiChat,
            vec![
                r#"{"choices":[{"delta":{"refusal":"I cannot."},"finish_reason":"stop"}]}"#,
                "[DONE]",
            ],
            "",
        ),
        (
            Protocol::OpenAiChat,
            vec![r#"{"error":{"message":"filtered by policy","code":"content_filter"}}"#],
            "filtered by policy",
        ),
        (
            Protocol::OpenAiResponses,
            vec![
                r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}"#,
            ],
            "content_filter",
        ),
        (
            Protocol::Anthropic,
            vec![
                r#"{"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":1}}"#,
                r#"{"type":"message_stop"}"#,
            ],
            "",
        ),
        (
            Protocol::Gemini,
            vec![r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"no way"}}"#],
            "PROHIBITED_CONTENT`: no way",
        ),
        (
            Protocol::Gemini,
            vec![r#"{"candidates":[{"content":{"parts":[{"text":"Well"}]},"finishReason":"SAFETY"}]}"#],
            "SAFETY",
        ),
    ]
}

#[test]
fn a_refused_reply_is_an_error_of_its_own_kind() {
    for (protocol, events, words) in refusals() {
        let server = Server::with([Turn::text("Never.").fail(Fault::events(&events))]);
        let project = Project::new().model(&server, protocol);
        let finished = ask(&project).assert_code(1);
        let errors = of_kind(&finished, "error");
        assert_eq!(errors.len(), 1, "{finished}");
        assert_eq!(errors[0]["kind"], "refused", "{finished}");
        let message = errors[0]["message"].as_str().unwrap();
        assert!(message.contains(words), "{protocol:?}: {message}");
        assert_eq!(reason(&finished), "error", "{finished}");
        assert_eq!(server.requests().len(), 1, "{protocol:?}: it is not asked again");
        assert!(of_kind(&finished, "retry").is_empty());
    }
}

#[test]
fn nothing_that_a_refused_reply_asked_for_is_done() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"write","arguments":"{\"file_path\":\"a.txt\",\"content\":\"x\"}"}}]}}]}"#;
    for reason in ["content_filter", "error"] {
        let end = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
        let server = Server::with([Turn::text("Sorry.").fail(Fault::events(&[call, &end, "[DONE]"]))]);
        let project = project_with(&server);
        let finished = events_of(&project)
            .args(["--permission-mode", "yolo", "write it"])
            .run();
        assert_well_formed(&finished);
        assert!(!project.exists("a.txt"), "{reason}: {finished}");
    }
}

#[test]
fn a_refusal_is_said_on_the_screen() {
    let (protocol, events, _) = refusals()[5].clone();
    let server = Server::with([Turn::text("Never.").fail(Fault::events(&events))]);
    let project = Project::new().model(&server, protocol);
    let terminal = open(&project);
    say(&terminal, "hello");
    let screen = terminal.wait_text("refused to continue this reply");
    assert!(screen.contains("no way"), "{screen}");
    assert!(
        screen.contains("rephrase it") || screen.contains("Rephrase it"),
        "{screen}"
    );
}

#[test]
fn a_call_that_gemini_could_not_write_is_tried_again() {
    let malformed = Fault::events(&[
        r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"print(default_api.read("}]}"#,
    ]);
    let server = Server::with([Turn::text("There.").fail(malformed)]);
    let project = Project::new().model(&server, Protocol::Gemini);
    let finished = ask(&project).success();
    assert_eq!(text_of(&finished), "There.");
    let retries = of_kind(&finished, "retry");
    assert_eq!(retries.len(), 1);
    assert!(
        retries[0]["reason"]
            .as_str()
            .unwrap()
            .contains("MALFORMED_FUNCTION_CALL")
    );
}

#[test]
fn a_reply_that_reached_its_limit_ends_as_length() {
    for (protocol, events) in [
        (
            Protocol::OpenAiResponses,
            vec![
                r#"{"type":"response.output_text.delta","output_index":0,"delta":"Once"}"#,
                r#"{"type":"response.completed","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#,
            ],
        ),
        (
            Protocol::OpenAiChat,
            vec![
                r#"{"choices":[{"delta":{"content":"Once"},"finish_reason":"max_tokens"}]}"#,
                "[DONE]",
            ],
        ),
    ] {
        let server = Server::with([Turn::text("Never.").fail(Fault::events(&events))]);
        let project = Project::new().model(&server, protocol);
        let finished = ask(&project);
        assert_eq!(
            (&*text_of(&finished), &*reason(&finished)),
            ("Once", "length"),
            "{finished}"
        );
    }
}

#[test]
fn deltas_without_their_beginning_are_no_empty_answer() {
    for (protocol, events) in [
        (
            Protocol::Anthropic,
            vec![
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
                r#"{"type":"message_stop"}"#,
            ],
        ),
        (
            Protocol::OpenAiResponses,
            vec![
                r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hello"}"#,
                r#"{"type":"response.completed","response":{}}"#,
            ],
        ),
    ] {
        let server = Server::with([Turn::text("Never.").fail(Fault::events(&events))]);
        let project = Project::new().model(&server, protocol);
        assert_eq!(text_of(&ask(&project).success()), "Hello", "{protocol:?}");
    }
}

#[test]
fn an_error_in_the_stream_keeps_the_servers_words_and_its_kind() {
    for protocol in Protocol::ALL {
        for (event, kind) in [
            (
                r#"{"error":{"code":500,"message":"slot is gone","type":"server_error"}}"#,
                "bad_response",
            ),
            (r#"{"error":"slot is gone"}"#, "bad_response"),
            (
                r#"{"error":{"code":400,"message":"slot is gone","type":"invalid_request_error"}}"#,
                "bad_request",
            ),
            (
                r#"{"type":"error","message":"slot is gone","code":"rate_limit_exceeded"}"#,
                "rate_limit",
            ),
        ] {
            let mut turn = Turn::text("Never.");
            for _ in 0..6 {
                turn = turn.fail(Fault::events(&[event]));
            }
            let server = Server::with([turn]);
            let project = Project::new()
                .model(&server, protocol)
                .config(json!({"providers": {"local": {"retry": {"max": 1, "base_ms": 1, "max_ms": 1}}}}));
            let finished = ask(&project).assert_code(1);
            let error = &of_kind(&finished, "error")[0];
            assert_eq!(error["kind"], kind, "{protocol:?} {event}");
            let message = error["message"].as_str().unwrap();
            assert!(
                message.contains("slot is gone") && !message.contains("overloaded"),
                "{message}"
            );
        }
    }
}

/// Asks a server that cannot be reached; returns the one error and how often it was tried again.
fn unreachable(base_url: &str, most: u32) -> (Value, usize) {
    let server = Server::start();
    let project = project_with(&server).config(json!({"providers": {"local": {
        "base_url": base_url,
        "retry": {"max": most, "base_ms": 1, "max_ms": 1},
    }}}));
    let finished = ask(&project).assert_code(1);
    assert_eq!(last(&finished)["reason"], "error");
    let retried = of_kind(&finished, "retry").len();
    let mut errors = of_kind(&finished, "error");
    assert_eq!(errors.len(), 1, "{finished}");
    assert_eq!(errors[0]["kind"], "network", "{finished}");
    (errors.remove(0), retried)
}

#[test]
fn a_server_that_is_not_there_is_given_up_after_two_tries() {
    // The port is free again as soon as the listener is gone.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for (most, expected) in [(5, 1), (1, 1), (0, 0)] {
        let (error, retried) = unreachable(&format!("http://127.0.0.1:{port}/v1"), most);
        assert_eq!(retried, expected);
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(&format!("at `http://127.0.0.1:{port}`: nothing listens there")),
            "{message}"
        );
    }
}

#[test]
fn a_host_that_is_not_known_is_given_up_after_two_tries() {
    let (error, retried) = unreachable("http://no-such-host.invalid/v1", 5);
    assert_eq!(retried, 1);
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("the host `no-such-host.invalid` was not found"),
        "{message}"
    );
}

#[test]
fn a_plain_port_that_is_spoken_tls_to_is_given_up_after_two_tries() {
    for answer in [&b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"[..], b""] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let serving = thread::spawn(move || {
            for stream in listener.incoming().take(2) {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                stream.write_all(answer).unwrap();
            }
        });
        let (error, retried) = unreachable(&format!("https://127.0.0.1:{port}/v1"), 5);
        assert_eq!(retried, 1);
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(&format!(
                "`https://127.0.0.1:{port}`: the server there does not use TLS"
            )),
            "{message}"
        );
        serving.join().unwrap();
    }
}

#[test]
fn an_unreachable_server_is_told_with_the_next_thing_to_try() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let server = Server::start();
    let project = project_with(&server).config(json!({"providers": {"local": {
        "base_url": format!("http://127.0.0.1:{port}/v1"),
    }}}));
    let finished = Lathe::in_project(&project)
        .args(["run", "x"])
        .run()
        .assert_code(1);
    assert!(
        finished
            .stderr
            .contains("Start the server, or check the port in `providers.local.base_url`."),
        "{finished}"
    );
}

#[test]
fn a_name_that_nobody_offered_goes_back_as_invalid_in_every_protocol() {
    let long = "x".repeat(200);
    for protocol in Protocol::ALL {
        // One without a name comes last, where Chat Completions still waits for it.
        let names = ["multi_tool_use.parallel", "read file!", &long, "no_such_tool", ""];
        let mut turn = Turn::new();
        for name in names {
            turn = turn.call(name, json!({"a": 1}));
        }
        let server = Server::with([turn, Turn::text("Sorry.")]);
        let project = Project::new().model(&server, protocol);
        let finished = ask(&project).success();
        let told: Vec<_> = of_kind(&finished, "tool_call");
        assert_eq!(told.len(), names.len(), "{finished}");
        assert_eq!(told[0]["tool"], names[0], "events keep the model's name");
        let body = &server.requests()[1].body;
        let mut sent = Vec::new();
        calls_in(body, &mut sent);
        let sent: Vec<_> = sent
            .iter()
            .map(|(name, args)| (name.as_str(), args["tool"].as_str().unwrap_or_default()))
            .collect();
        let expected: Vec<_> = names.iter().map(|name| ("invalid", *name)).collect();
        assert_eq!(sent, expected, "{protocol:?}");
    }
}

/// Every call in a request of any protocol, with its name and arguments.
fn calls_in(value: &Value, calls: &mut Vec<(String, Value)>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let read = |value: &Value| match value {
        Value::String(json) => serde_json::from_str(json).unwrap(),
        other => other.clone(),
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| calls_in(item, calls)),
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            if kind == Some("tool_use") {
                calls.push((text(&value["name"]), value["input"].clone()));
            } else if kind == Some("function_call") {
                calls.push((text(&value["name"]), read(&value["arguments"])));
            } else if let Some(call) = fields.get("functionCall") {
                calls.push((text(&call["name"]), call["args"].clone()));
            } else if let (Some("function"), Some(call)) = (kind, fields.get("function"))
                && call.get("arguments").is_some()
            {
                calls.push((text(&call["name"]), read(&call["arguments"])));
            }
            for (key, field) in fields {
                if !matches!(key.as_str(), "tools" | "args" | "input") || field.is_array() && key == "input" {
                    calls_in(field, calls);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn pictures_are_sent_as_the_provider_takes_them() {
    let mut gif = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(9000, 9)
        .write_to(&mut gif, image::ImageFormat::Gif)
        .unwrap();
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "wide.gif"})),
        Turn::text("I see."),
    ]);
    let project = Project::new()
        .bytes("wide.gif", gif.get_ref())
        .bytes("small.gif", &small_gif())
        .model(&server, Protocol::Gemini);
    events_of(&project)
        .args(["look", "-f", "wide.gif", "-f", "small.gif"])
        .run()
        .success();
    let requests = server.requests();
    let mut kinds = Vec::new();
    for content in requests[1].body["contents"].as_array().unwrap() {
        for part in content["parts"].as_array().unwrap() {
            kinds.extend(part["inlineData"]["mimeType"].as_str().map(str::to_owned));
        }
    }
    assert_eq!(kinds, ["image/png", "image/png", "image/png"]);
}

fn small_gif() -> Vec<u8> {
    let mut gif = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(9, 9)
        .write_to(&mut gif, image::ImageFormat::Gif)
        .unwrap();
    gif.into_inner()
}

#[test]
fn a_picture_of_too_many_pixels_is_refused_with_its_size() {
    let mut png = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_luma8(13_000, 13_000)
        .write_to(&mut png, image::ImageFormat::Png)
        .unwrap();
    let png = png.into_inner();
    assert!(png.len() < 1_000_000);
    let mut turn = Turn::new();
    for number in 0..4 {
        turn = turn.call("read", json!({"file_path": format!("{number}.png")}));
    }
    let server = Server::with([turn, Turn::text("No.")]);
    let mut project = project_with(&server);
    for number in 0..4 {
        project = project.bytes(format!("{number}.png"), &png);
    }
    let finished = ask(&project).success();
    for result in of_kind(&finished, "tool_result") {
        assert_eq!(result["details"]["error"]["kind"], "too_large", "{finished}");
        assert!(
            result["output"].as_str().unwrap().contains("13000x13000"),
            "{finished}"
        );
    }
}
