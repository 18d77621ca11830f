//! Servers that speak a protocol in their own way: what they send goes back to them, and what they refuse is left out.

use serde_json::{Value, json};

use super::run::{events_of, last, of_kind, project_with, text_of};
use super::screen::{open, say};
use super::support::{Fault, Finished, Lathe, Project, Protocol, Server, Turn};

/// A reply whose only call reads a file, with these members of the delta and of the call.
fn reads(message: &Value, call: &Value) -> Fault {
    let mut own = json!({"index": 0, "id": "p", "type": "function",
        "function": {"name": "read", "arguments": "{\"file_path\":\"a.txt\"}"}});
    own.as_object_mut()
        .unwrap()
        .extend(call.as_object().unwrap().clone());
    let mut delta = json!({"role": "assistant", "tool_calls": [own]});
    delta
        .as_object_mut()
        .unwrap()
        .extend(message.as_object().unwrap().clone());
    Fault::events(&[
        json!({"choices": [{"delta": delta}]}).to_string(),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}).to_string(),
        "[DONE]".to_owned(),
    ])
}

fn ask(project: &Project, words: &[&str]) -> Finished {
    events_of(project).args(words).run()
}

fn messages(server: &Server, request: usize) -> Vec<Value> {
    server.requests()[request].body["messages"]
        .as_array()
        .unwrap()
        .clone()
}

fn refuses(message: &str) -> Fault {
    Fault::Refused {
        message: message.to_owned(),
    }
}

#[test]
fn members_of_a_reply_go_back_within_the_turn_and_after_it() {
    let server = Server::with([
        Turn::text("finished").fail(reads(
            &json!({"reasoning_content": "I should read it", "vendor_state": {"n": [1, 2.5, "x"]}}),
            &json!({"extra_content": {"google": {"thought_signature": "AY89"}}}),
        )),
        Turn::text("again"),
        Turn::text("other"),
    ]);
    let project = project_with(&server).file("a.txt", "A");
    let finished = ask(&project, &["go"]);
    assert_eq!(text_of(&finished), "finished", "{finished}");
    ask(&project, &["-c", "more"]);
    for request in [1, 2] {
        let sent = messages(&server, request);
        assert_eq!(sent[2]["reasoning_content"], "I should read it", "{}", sent[2]);
        assert_eq!(sent[2]["vendor_state"], json!({"n": [1, 2.5, "x"]}));
        let call = &sent[2]["tool_calls"][0];
        assert_eq!(call["extra_content"]["google"]["thought_signature"], "AY89");
    }
    ask(&project, &["-c", "-m", "local/small", "more"]);
    let sent = messages(&server, 3);
    assert!(sent[2].get("reasoning_content").is_none(), "{}", sent[2]);
    assert!(sent[2]["tool_calls"][0].get("extra_content").is_none());
}

#[test]
fn a_member_that_the_server_refuses_is_left_out_from_then_on() {
    let server = Server::with([Turn::text("finished")
        .fail(reads(&json!({"reasoning_content": "hm"}), &json!({})))
        .fail(refuses(
            "messages[2]: property `reasoning_content` is unsupported",
        ))
        .fail(reads(&json!({"reasoning_content": "hm"}), &json!({})))]);
    let project = project_with(&server).file("a.txt", "A");
    let finished = ask(&project, &["go"]);
    assert_eq!(text_of(&finished), "finished", "{finished}");
    assert!(of_kind(&finished, "error").is_empty(), "{finished}");
    let has = |request: usize| messages(&server, request)[2].get("reasoning_content").is_some();
    assert_eq!([1, 2, 3].map(has), [true, false, false]);
}

#[test]
fn a_parameter_that_the_server_does_not_know_is_renamed_or_left_out() {
    let unknown = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "a.txt"}))
            .fail(refuses(unknown))
            .fail(refuses("Unrecognized request argument supplied: stream_options")),
        Turn::text("ok"),
    ]);
    let project = project_with(&server).file("a.txt", "A");
    let finished = ask(&project, &["go"]);
    assert_eq!(text_of(&finished), "ok", "{finished}");
    let sent = server.requests();
    assert_eq!(sent.len(), 4);
    let limit = &sent[0].body["max_tokens"];
    for request in &sent[2..] {
        let body = &request.body;
        assert_eq!(&body["max_completion_tokens"], limit);
        assert!(body.get("max_tokens").is_none() && body.get("stream_options").is_none());
    }
}

#[test]
fn a_refusal_that_names_nothing_of_ours_is_told_at_once() {
    let server = Server::with([Turn::text("").fail(refuses("the model `x` is not loaded"))]);
    let project = project_with(&server);
    let finished = ask(&project, &["go"]);
    let errors = of_kind(&finished, "error");
    assert_eq!(server.requests().len(), 1, "{finished}");
    assert!(
        errors[0]["message"].as_str().unwrap().contains("is not loaded"),
        "{finished}"
    );
}

#[test]
fn keep_alives_are_no_events_and_an_empty_stream_is_no_reply() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("hello")]);
        server.script([]);
        let project = Project::new().model(&server, protocol);
        assert_eq!(text_of(&ask(&project, &["go"])), "hello", "{protocol:?}");
    }
    let done = |before: &str| Fault::Raw {
        stream: format!("{before}data: [DONE]\n\n"),
    };
    let said = json!({"choices": [{"delta": {"content": "hello"}, "finish_reason": "stop"}]});
    let alive = done(&format!("data:\n\n: ping\n\ndata: \n\ndata: {said}\n\ndata:\n\n"));
    let server = Server::with([Turn::text("").fail(alive)]);
    assert_eq!(text_of(&ask(&project_with(&server), &["go"])), "hello");
    assert_eq!(server.requests().len(), 1);
    let server = Server::with([Turn::text("second").fail(done(""))]);
    assert_eq!(text_of(&ask(&project_with(&server), &["go"])), "second");
}

#[test]
fn a_model_that_says_nothing_is_told_of() {
    let nothing = || {
        let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
        Turn::text("late").fail(Fault::events(&[end.to_string(), "[DONE]".to_owned()]))
    };
    let server = Server::with([nothing()]);
    let project = project_with(&server);
    let finished = Lathe::in_project(&project).args(["run", "hello"]).run().success();
    assert_eq!(finished.stdout, "");
    assert!(finished.stderr.contains("the model said nothing"), "{finished}");
    let server = Server::with([nothing()]);
    let project = project_with(&server);
    let terminal = open(&project);
    say(&terminal, "hello");
    terminal.wait_text("the model said nothing");
}

#[test]
fn a_name_with_decorations_is_the_tools() {
    for name in [
        "functions.read",
        "assistant.read",
        "default_api:read",
        "read<|channel|>commentary",
        "functions.read<|constrain|>json",
    ] {
        let server = Server::with([
            Turn::tool(name, json!({"file_path": "a.txt"})),
            Turn::text("finished"),
        ]);
        let project = project_with(&server).file("a.txt", "A");
        let finished = ask(&project, &["go"]);
        let result = &of_kind(&finished, "tool_result")[0];
        assert_eq!(
            (&result["tool"], &result["ok"]),
            (&json!("read"), &json!(true)),
            "{name}: {finished}"
        );
        // It goes back under the name that was offered.
        assert_eq!(
            messages(&server, 1)[2]["tool_calls"][0]["function"]["name"],
            "read"
        );
    }
}

#[test]
fn two_messages_of_the_person_in_a_row_are_one_in_every_protocol() {
    for protocol in Protocol::ALL {
        let broken = || Turn::text("").fail(Fault::status(401));
        let server = Server::with([broken(), broken(), Turn::text("fine")]);
        let project = Project::new().model(&server, protocol);
        ask(&project, &["one"]);
        ask(&project, &["-c", "two"]);
        server.script([Turn::text("fine")]);
        let finished = ask(&project, &["-c", "three"]);
        let body = server.requests().pop().unwrap().body;
        let list = ["messages", "input", "contents"]
            .iter()
            .find_map(|key| body[*key].as_array());
        let list = list.unwrap();
        let users = list.iter().filter(|message| message["role"] == "user");
        assert_eq!(users.count(), 1, "{protocol:?}: {body:#} {finished}");
        let text = body.to_string();
        assert!(
            ["one", "two", "three"].iter().all(|word| text.contains(word)),
            "{protocol:?}: {text}"
        );
    }
}

#[test]
fn the_limit_of_a_reply_leaves_room_for_the_prompt() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("hi")]);
        let project = Project::new().model(&server, protocol).config(json!({
            "providers": {"local": {"models": {"test-model": {"context": 32_768, "output": 32_768}}}}
        }));
        ask(&project, &["hello"]);
        let body = server.requests()[0].body.clone();
        let limit = [
            &body["max_tokens"],
            &body["max_output_tokens"],
            &body["generationConfig"]["maxOutputTokens"],
        ];
        let limit = limit.iter().find_map(|limit| limit.as_u64()).unwrap();
        let prompt = body.to_string().len() as u64 / 4;
        assert!(
            limit > 1_024 && limit + prompt <= 32_768,
            "{protocol:?}: {limit} and {prompt}"
        );
    }
}

#[test]
fn a_picture_that_the_provider_refuses_is_left_out_and_the_session_goes_on() {
    let refused = || refuses("Could not process image");
    for protocol in Protocol::ALL {
        let server = Server::with([
            Turn::tool("read", json!({"file_path": "a.png"})),
            Turn::text("went on").fail(refused()),
            Turn::text("again"),
        ]);
        let project = Project::new()
            .model(&server, protocol)
            .bytes("a.png", include_bytes!("vectors/pixel.png"));
        let finished = ask(&project, &["look"]);
        assert_eq!(text_of(&finished), "went on", "{protocol:?}: {finished}");
        let context = of_kind(&finished, "context");
        assert_eq!(context[0]["kind"], "miss", "{finished}");
        assert!(
            context[0]["cause"].as_str().unwrap().contains("refused"),
            "{finished}"
        );
        assert_eq!(last(&finished)["type"], "done");
        assert_eq!(text_of(&ask(&project, &["-c", "hello"])), "again");
        let sent = server.requests();
        let picture = "iVBORw0KGgo";
        let has: Vec<bool> = sent.iter().map(|request| request.mentions(picture)).collect();
        assert_eq!(has, [false, true, false, false], "{protocol:?}");
        assert!(sent[3].mentions("the provider refused"), "{protocol:?}");
    }
}

#[test]
fn a_refused_picture_is_sent_again_when_the_person_wants_it() {
    let server = Server::with([
        Turn::tool("read", json!({"file_path": "a.png"})),
        Turn::text("went on").fail(refuses("Could not process image")),
        Turn::text("saw it"),
    ]);
    let project = project_with(&server).bytes("a.png", include_bytes!("vectors/pixel.png"));
    let terminal = open(&project);
    terminal.keys("/resend\r");
    terminal.wait_text("Nothing is left out for `local/test-model`.");
    say(&terminal, "look");
    terminal.wait_text("1 attachment left out, `/resend` sends it again");
    terminal.wait_text("went on");
    terminal.wait_text("send");
    terminal.keys("/resend\r");
    terminal.wait_text("what `local/test-model` refused is sent to it again");
    say(&terminal, "and now?");
    terminal.wait_text("saw it");
    let sent = server.requests();
    let has: Vec<bool> = sent
        .iter()
        .map(|request| request.mentions("iVBORw0KGgo"))
        .collect();
    assert_eq!(has, [false, true, false, true]);
}

#[test]
fn a_signed_block_that_the_provider_refuses_is_left_out_once_and_told() {
    for words in [
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "messages.1.content.0.thinking.signature: Field required",
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be \
         modified. These blocks must remain as they were in the original response.",
    ] {
        let thinks = || Turn::new().reasoning("I should look");
        let server = Server::with([
            thinks().call("read", json!({"file_path": "a.txt"})),
            thinks().say("went on").fail(refuses(words)),
            thinks().say("again"),
        ]);
        let project = Project::new()
            .model(&server, Protocol::Anthropic)
            .file("a.txt", "A");
        let finished = ask(&project, &["go"]);
        assert_eq!(text_of(&finished), "went on", "{finished}");
        assert!(of_kind(&finished, "error").is_empty(), "{finished}");
        let context = of_kind(&finished, "context");
        assert!(
            context[0]["cause"].as_str().unwrap().contains("refused"),
            "{finished}"
        );
        assert_eq!(text_of(&ask(&project, &["-c", "more"])), "again");
        let sent = server.requests();
        let first_reply_is_signed = |request: usize| {
            let blocks = &sent[request].body["messages"][1]["content"];
            blocks
                .as_array()
                .unwrap()
                .iter()
                .any(|block| block["type"] == "thinking")
        };
        assert_eq!(
            [1, 2, 3].map(first_reply_is_signed),
            [true, false, false],
            "{words}"
        );
        // The next reply is thought about, and what it signs goes back.
        assert!(sent[3].body.get("thinking").is_some(), "{words}");
        assert!(sent[3].mentions("c2lnbmVk"), "{words}");
    }
}

#[test]
fn a_picture_that_cannot_be_decoded_is_not_attached() {
    let whole = include_bytes!("vectors/pixel.png");
    let without_pixels = [&whole[..33], &whole[whole.len() - 12..]].concat();
    for broken in [&whole[..whole.len() - 20], &without_pixels] {
        let server = Server::with([
            Turn::tool("read", json!({"file_path": "a.png"})),
            Turn::text("went on"),
        ]);
        let project = project_with(&server).bytes("a.png", broken);
        let finished = ask(&project, &["look"]);
        assert_eq!(of_kind(&finished, "tool_result")[0]["ok"], false, "{finished}");
        assert!(!server.requests()[1].mentions("iVBORw0KGgo"));
        let refused = ask(&project, &["look", "-f", "a.png"]);
        assert!(refused.stderr.contains("cannot be attached"), "{refused}");
    }
}
