//! One conversation in all four protocols: what each request says, in the protocol's own form.

use serde_json::{Value, json};

use super::run::{assert_well_formed, events_of, of_kind, text_of};
use super::support::{Project, Protocol, Recorded, Server, Turn};

const PICTURE: &[u8] = include_bytes!("vectors/pixel.png");

/// A prompt with a picture, reasoning, text, two parallel calls of which one fails, an answer, and a second prompt.
fn conversation(protocol: Protocol) -> (Vec<Recorded>, Project) {
    let server = Server::with([
        Turn::new()
            .reasoning("I should look first.")
            .say("I will look.")
            .call("read", json!({"file_path": "src/a.rs"}))
            .call("read", json!({"file_path": "missing.rs"})),
        Turn::new().reasoning("Now I know.").say("There is one function."),
        Turn::text("You are welcome."),
    ]);
    let project = Project::new()
        .file("src/a.rs", "fn a() {}\n")
        .file("AGENTS.md", "Be brief.\n")
        .bytes("pic.png", PICTURE)
        .git()
        .model(&server, protocol);
    let first = events_of(&project)
        .args(["look around", "-f", "pic.png"])
        .run()
        .success();
    assert_well_formed(&first);
    assert_eq!(
        text_of(&first),
        "I will look.There is one function.",
        "{protocol:?}"
    );
    let calls = of_kind(&first, "tool_call");
    assert_eq!(calls[0]["args"], json!({"file_path": "src/a.rs"}), "{protocol:?}");
    // What a session began with stays, whatever happens in the project.
    project.write("AGENTS.md", b"Be verbose.\n");
    project.run_git(&["checkout", "--quiet", "-b", "other"]);
    let second = events_of(&project).args(["-c", "thanks"]).run().success();
    assert_well_formed(&second);
    (server.requests(), project)
}

fn without_marks(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(key, _)| *key != "cache_control");
            Value::Object(
                kept.map(|(key, value)| (key.clone(), without_marks(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(without_marks).collect(),
        other => other.clone(),
    }
}

fn array<'a>(request: &'a Recorded, key: &str) -> &'a Vec<Value> {
    request.body[key]
        .as_array()
        .unwrap_or_else(|| panic!("no `{key}` in {:#}", request.body))
}

/// Each request begins with the one before it: nothing that was sent ever changes.
#[track_caller]
fn assert_append_only(requests: &[Recorded], key: &str) {
    for pair in requests.windows(2) {
        let earlier = without_marks(&pair[0].body[key]);
        let later = without_marks(&pair[1].body[key]);
        let (earlier, later) = (earlier.as_array().unwrap(), later.as_array().unwrap());
        assert!(later.len() > earlier.len());
        assert_eq!(later[..earlier.len()], earlier[..]);
        assert_eq!(
            pair[0].body["tools"], pair[1].body["tools"],
            "the list of tools stays"
        );
    }
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn openai_chat_has_its_own_form() {
    let (requests, project) = conversation(Protocol::OpenAiChat);
    assert_append_only(&requests, "messages");
    let last = &requests[2];
    assert_eq!((&*last.method, &*last.path), ("POST", "/v1/chat/completions"));
    assert_eq!(last.headers["authorization"], "Bearer test-key");
    assert_eq!(last.headers["content-type"], "application/json");
    assert_eq!(last.body["model"], "test-model");
    assert_eq!(last.body["stream"], true);
    assert_eq!(last.body["stream_options"], json!({"include_usage": true}));
    let messages = array(last, "messages");
    let roles: Vec<_> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "tool", "assistant", "user"]
    );
    assert!(messages[0]["content"].as_str().unwrap().contains("Be brief."));
    let user = messages[1]["content"].as_array().unwrap();
    assert!(
        user[0]["image_url"]["url"]
            .as_str()
            .unwrap()
            .starts_with("data:image/png;base64,iVBORw0KGgo")
    );
    assert_eq!(user[1], json!({"type": "text", "text": "look around"}));
    let reply = &messages[2];
    assert_eq!(
        keys(reply),
        ["content", "reasoning_content", "role", "tool_calls"]
    );
    assert_eq!(reply["reasoning_content"], "I should look first.");
    assert_eq!(reply["content"], "I will look.");
    let calls = reply["tool_calls"].as_array().unwrap();
    for (call, path) in calls.iter().zip(["src/a.rs", "missing.rs"]) {
        assert_eq!(keys(call), ["function", "id", "type"]);
        assert_eq!(
            (&call["type"], &call["function"]["name"]),
            (&json!("function"), &json!("read"))
        );
        let arguments: Value = serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(arguments, json!({"file_path": path}));
    }
    for (result, call) in messages[3..5].iter().zip(calls) {
        assert_eq!(keys(result), ["content", "role", "tool_call_id"]);
        assert_eq!(result["tool_call_id"], call["id"]);
    }
    assert!(messages[3]["content"].as_str().unwrap().contains("fn a() {}"));
    assert!(messages[4]["content"].as_str().unwrap().starts_with("Error: "));
    assert_eq!(messages[5]["content"], "There is one function.");
    assert_eq!(messages[6]["content"], "thanks");
    let tool = &array(last, "tools")[0];
    assert_eq!(
        (keys(tool), keys(&tool["function"])),
        (
            vec!["function", "type"],
            vec!["description", "name", "parameters"]
        )
    );
    drop(project);
}

#[test]
fn openai_responses_has_its_own_form() {
    let (requests, _project) = conversation(Protocol::OpenAiResponses);
    assert_append_only(&requests, "input");
    let last = &requests[2];
    assert_eq!(last.path, "/v1/responses");
    assert_eq!(last.headers["authorization"], "Bearer test-key");
    assert_eq!(
        (&last.body["stream"], &last.body["store"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(last.body["include"], json!(["reasoning.encrypted_content"]));
    assert!(last.body.get("previous_response_id").is_none());
    for request in &requests {
        assert_eq!(
            request.body["instructions"], requests[0].body["instructions"],
            "byte for byte"
        );
    }
    assert!(last.body["instructions"].as_str().unwrap().contains("Be brief."));
    let input = array(last, "input");
    let types: Vec<_> = input.iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(
        types,
        [
            "message",
            "reasoning",
            "message",
            "function_call",
            "function_call",
            "function_call_output",
            "function_call_output",
            "reasoning",
            "message",
            "message"
        ]
    );
    let user = input[0]["content"].as_array().unwrap();
    assert_eq!(user[0]["type"], "input_image");
    assert!(
        user[0]["image_url"]
            .as_str()
            .unwrap()
            .starts_with("data:image/png;base64,")
    );
    assert_eq!(user[1], json!({"type": "input_text", "text": "look around"}));
    assert_eq!(input[1]["encrypted_content"], "ZW5jcnlwdGVk0001");
    assert_eq!(input[1]["summary"][0]["text"], "I should look first.");
    assert_eq!(input[2]["role"], "assistant");
    assert_eq!(input[2]["content"][0]["text"], "I will look.");
    for place in [3, 4] {
        assert_eq!(input[place]["name"], "read");
        assert_eq!(input[place]["call_id"], input[place + 2]["call_id"]);
    }
    assert!(input[5]["output"].as_str().unwrap().contains("fn a() {}"));
    assert!(input[6]["output"].as_str().unwrap().starts_with("Error: "));
    assert_eq!(
        input[9]["content"],
        json!([{"type": "input_text", "text": "thanks"}])
    );
    let tool = &array(last, "tools")[0];
    assert_eq!(
        keys(tool),
        ["description", "name", "parameters", "strict", "type"]
    );
}

#[test]
fn anthropic_has_its_own_form_and_its_marks() {
    let (requests, _project) = conversation(Protocol::Anthropic);
    assert_append_only(&requests, "messages");
    let last = &requests[2];
    assert_eq!(last.path, "/v1/messages");
    assert_eq!(last.headers["x-api-key"], "test-key");
    assert_eq!(last.headers["anthropic-version"], "2023-06-01");
    assert!(!last.headers.contains_key("authorization"));
    assert!(last.body["max_tokens"].as_u64().unwrap() > 0);
    for request in &requests {
        assert_eq!(
            request.body["system"], requests[0].body["system"],
            "byte for byte"
        );
    }
    let marked = |value: &Value| value["cache_control"] == json!({"type": "ephemeral"});
    let system = array(last, "system");
    assert!(marked(system.last().unwrap()));
    assert!(system[0]["text"].as_str().unwrap().contains("Be brief."));
    let tools = array(last, "tools");
    assert_eq!(tools.iter().filter(|tool| marked(tool)).count(), 1);
    assert!(marked(tools.last().unwrap()));
    assert_eq!(keys(&tools[0]), ["description", "input_schema", "name"]);
    let messages = array(last, "messages");
    let roles: Vec<_> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
    // The last two messages of the user's role are marked, at their ends and nowhere else.
    for (place, message) in messages.iter().enumerate() {
        let blocks = message["content"].as_array().unwrap();
        let places: Vec<_> = (0..blocks.len())
            .filter(|block| marked(&blocks[*block]))
            .collect();
        let expected = if matches!(place, 2 | 4) {
            vec![blocks.len() - 1]
        } else {
            vec![]
        };
        assert_eq!(places, expected, "message {place}");
    }
    let user = &messages[0]["content"];
    assert_eq!(user[0]["type"], "image");
    assert_eq!(user[0]["source"]["media_type"], "image/png");
    assert_eq!(user[1], json!({"type": "text", "text": "look around"}));
    let reply = messages[1]["content"].as_array().unwrap();
    assert_eq!(
        reply[0],
        json!({"type": "thinking", "thinking": "I should look first.", "signature": "c2lnbmVk0001"})
    );
    assert_eq!(reply[1], json!({"type": "text", "text": "I will look."}));
    assert_eq!(reply[2]["input"], json!({"file_path": "src/a.rs"}));
    assert_eq!(keys(&reply[2]), ["id", "input", "name", "type"]);
    let results = messages[2]["content"].as_array().unwrap();
    assert_eq!(results.len(), 2, "both results stand in one message");
    assert_eq!(
        (&results[0]["tool_use_id"], &results[1]["tool_use_id"]),
        (&reply[2]["id"], &reply[3]["id"])
    );
    assert_eq!(
        (&results[0]["is_error"], &results[1]["is_error"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(messages[3]["content"][0]["signature"], "c2lnbmVk0002");
    assert_eq!(messages[4]["content"][0]["text"], "thanks");
}

#[test]
fn gemini_has_its_own_form() {
    let (requests, _project) = conversation(Protocol::Gemini);
    assert_append_only(&requests, "contents");
    let last = &requests[2];
    assert_eq!(
        last.path,
        "/v1beta/models/test-model:streamGenerateContent?alt=sse"
    );
    assert_eq!(last.headers["x-goog-api-key"], "test-key");
    for request in &requests {
        assert_eq!(
            request.body["systemInstruction"], requests[0].body["systemInstruction"],
            "byte for byte"
        );
    }
    assert!(
        last.body["systemInstruction"]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .contains("Be brief.")
    );
    let contents = array(last, "contents");
    let roles: Vec<_> = contents
        .iter()
        .map(|content| content["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "model", "user", "model", "user"]);
    let user = &contents[0]["parts"];
    assert_eq!(user[0]["inlineData"]["mimeType"], "image/png");
    assert_eq!(user[1], json!({"text": "look around"}));
    let calls: Vec<_> = contents[1]["parts"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|part| part.get("functionCall"))
        .collect();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0]["args"], json!({"file_path": "src/a.rs"}));
    let results = contents[2]["parts"].as_array().unwrap();
    assert_eq!(results.len(), 2, "both results stand in one content");
    let response = |place: usize| &results[place]["functionResponse"];
    assert_eq!(response(0)["name"], "read");
    assert!(
        response(0)["response"]["output"]
            .as_str()
            .unwrap()
            .contains("fn a() {}")
    );
    assert!(
        response(1)["response"]["error"]
            .as_str()
            .unwrap()
            .starts_with("Error: ")
    );
    assert_eq!(contents[4]["parts"], json!([{"text": "thanks"}]));
    let tools = &last.body["tools"][0]["functionDeclarations"];
    assert!(tools.as_array().unwrap().len() > 3);
}

#[test]
fn tools_are_offered_by_name_in_order_with_their_schemas() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("Hello.")]);
        let project = Project::new().model(&server, protocol);
        let _ = events_of(&project).arg("hello").run().success();
        let names = server.requests()[0].tool_names();
        let mut sorted = names.clone();
        sorted.sort();
        assert_eq!(names, sorted, "{protocol:?}");
        for name in ["bash", "edit", "glob", "grep", "read", "write"] {
            assert!(
                names.iter().any(|offered| offered == name),
                "{protocol:?} offers no {name}"
            );
        }
    }
}

#[test]
fn another_model_is_told_no_foreign_reasoning() {
    for protocol in Protocol::ALL {
        let server = Server::with([
            Turn::new().reasoning("A secret thought.").say("Yes."),
            Turn::text("Yes again."),
        ]);
        let project = Project::new()
            .model(&server, protocol)
            .config(json!({"providers": {"local": {"models": {"other-model": {"reasoning": true}}}}}));
        let _ = events_of(&project).arg("well?").run().success();
        let second = events_of(&project)
            .args(["-c", "-m", "local/other-model", "and now?"])
            .run()
            .success();
        assert_eq!(second.json_lines()[0]["model"], "local/other-model");
        let request = &server.requests()[1];
        assert!(
            request.mentions("Yes.") && !request.mentions("A secret thought."),
            "{protocol:?}"
        );
        assert!(
            !request.mentions("c2lnbmVk") && !request.mentions("ZW5jcnlwdGVk"),
            "{protocol:?}"
        );
    }
}

#[test]
fn a_base_url_may_end_in_a_slash_and_headers_are_sent() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("Hello.")]);
        let url = format!("{}/", server.url(protocol));
        let project = Project::new()
            .model(&server, protocol)
            .config(json!({"providers": {"local": {
            "base_url": url, "api_key": "{env:LOCAL_KEY}", "headers": {"X-Extra": "{file:extra.txt}"}}}}));
        std::fs::write(project.config_dir().join("extra.txt"), "more\n").unwrap();
        let _ = events_of(&project)
            .env("LOCAL_KEY", "from-env")
            .arg("hello")
            .run()
            .success();
        let request = &server.requests()[0];
        assert!(!request.path.contains("//"), "{}", request.path);
        assert_eq!(request.headers["x-extra"], "more");
        assert!(
            request.headers.values().any(|value| value.contains("from-env")),
            "{:?}",
            request.headers
        );
    }
}

#[test]
fn built_in_providers_follow_their_environment() {
    for (protocol, model, variable, address) in [
        (
            Protocol::Anthropic,
            "anthropic/claude-sonnet-4-5",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
        ),
        (
            Protocol::OpenAiResponses,
            "openai/gpt-5",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
        ),
        (
            Protocol::Gemini,
            "gemini/gemini-2.5-pro",
            "GEMINI_API_KEY",
            "GEMINI_BASE_URL",
        ),
    ] {
        let server = Server::with([Turn::text("Hello.")]);
        let project = Project::new();
        // The SDKs of Anthropic and Gemini append the version themselves; OpenAI's does not.
        let base = match protocol {
            Protocol::OpenAiResponses => server.url(protocol),
            _ => format!("http://{}", server.address()),
        };
        let finished = events_of(&project)
            .env(variable, "sk-from-env")
            .env(address, base)
            .args(["-m", model, "hello"])
            .run()
            .success();
        assert_eq!(text_of(&finished), "Hello.", "{model}");
        let request = &server.requests()[0];
        assert!(
            request
                .headers
                .values()
                .any(|value| value.contains("sk-from-env")),
            "{model}"
        );
        assert!(!finished.stdout.contains("sk-from-env"));
    }
}
