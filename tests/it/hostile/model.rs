//! A model that sends garbled, endless or countless replies.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::*;
use crate::support::Fault;

/// A model that sends these bodies as they are, one for each request, and keeps what it was asked.
struct RawModel {
    url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl RawModel {
    fn start(bodies: Vec<Vec<u8>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for body in bodies {
                let Ok((stream, _)) = listener.accept() else {
                    return;
                };
                let _ = answer(stream, &body, &kept);
            }
        });
        Self { url, asked }
    }

    fn project(&self, protocol: Protocol) -> Project {
        Project::new().config(json!({"model": "local/m", "providers": {"local": {
            "protocol": protocol.name(), "base_url": self.url, "idle_timeout_ms": 20_000,
            "retry": {"max": 1, "base_ms": 1, "max_ms": 1}, "models": {"m": {"context": 100_000}}}}}))
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, body: &[u8], asked: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut request = vec![0; length];
    reader.read_exact(&mut request)?;
    asked
        .lock()
        .unwrap()
        .push(serde_json::from_slice(&request).unwrap_or(Value::Null));
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")?;
    stream.write_all(body)
}

fn chat(chunks: &[Value]) -> Vec<u8> {
    let mut events: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    events.push("data: [DONE]\n\n".to_owned());
    events.concat().into_bytes()
}

fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

#[test]
fn garbled_calls_get_an_error_each_and_the_turn_goes_on() {
    for protocol in Protocol::ALL {
        let server = Server::with([
            Turn::new()
                .raw_args("read", r#"{"file_path": "a.txt"#)
                .raw_args("read", "not json")
                .raw_args("read", "[1, 2]")
                .call("read", json!({}))
                .call("read", json!({"file_path": {"deep": [1]}}))
                .call("no_such_tool", json!({"x": 1}))
                .call("bash\u{1b}[2J\n", json!({}))
                .call("grep", json!({"pattern": "(["}))
                .call("read", json!({"file_path": "a\u{0}b"}))
                .call("read", json!({"file_path": ""})),
            Turn::text("I see."),
        ]);
        let project = Project::new().file("a.txt", "a\n").model(&server, protocol);
        let finished = yolo(&project).arg("go").run().success();
        assert_well_formed(&finished);
        let kinds = error_kinds(&finished);
        assert_eq!(kinds.len(), 10, "{protocol:?} {finished}");
        assert!(!kinds.contains(&"none".to_owned()), "{protocol:?} {kinds:?}");
        assert_eq!(
            kinds[3..6],
            ["invalid_args", "invalid_args", "unknown_tool"],
            "{protocol:?}"
        );
        assert_eq!(
            kinds[7..],
            ["parse", "invalid_args", "invalid_args"],
            "{protocol:?}"
        );
        assert_eq!(server.requests().len(), 2, "{protocol:?}");
        assert!(!finished.stdout.contains('\u{1b}'));

        server.script([Turn::text("Still here.")]);
        let again = yolo(&project).args(["-c", "again"]).run().success();
        assert_eq!(text_of(&again), "Still here.", "{protocol:?}");
    }
}

#[test]
fn an_event_of_five_megabytes_is_refused_and_asked_again() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("Small.").fail(Fault::Giant { bytes: 5 << 20 })]);
        let project = Project::new().model(&server, protocol);
        let finished = events_of(&project).arg("go").run().success();
        assert_well_formed(&finished);
        assert_eq!(of_kind(&finished, "retry").len(), 1, "{protocol:?}");
        assert_eq!(text_of(&finished), "Small.");
    }
}

#[test]
fn streams_that_are_no_streams_end_as_bad_responses() {
    let bodies: [&[u8]; 8] = [
        b"",
        b"\n\n\n",
        b"garbage without end",
        b"data: {\"choices\": [{\"delta\": {\"content\": \"cut in the mid",
        b"data: []\n\ndata: 7\n\n",
        b"data: {\"choices\": 5}\n\n",
        b"data: \xff\xfe\n\n",
        b"event: error\ndata: {\"error\": {\"message\": \"\x1b[2Jno\"}}\n\n",
    ];
    for protocol in Protocol::ALL {
        for body in bodies {
            let model = RawModel::start(vec![body.to_vec(), body.to_vec()]);
            let project = model.project(protocol);
            let finished = events_of(&project).arg("go").run().assert_code(1);
            assert_well_formed(&finished);
            let error = &of_kind(&finished, "error")[0];
            let kind = error["kind"].as_str().unwrap();
            assert!(
                ["bad_response", "network", "overloaded"].contains(&kind),
                "{protocol:?} {:?}: {error}",
                String::from_utf8_lossy(body)
            );
            assert_eq!(reason(&finished), "error");
        }
    }
}

#[test]
fn a_hundred_calls_at_once_have_a_hundred_results_in_order() {
    for protocol in Protocol::ALL {
        let mut turn = Turn::new();
        for number in 0..100 {
            turn = if number % 10 == 9 {
                turn.call("bash", json!({"command": format!("echo {number}")}))
            } else {
                turn.call("read", json!({"file_path": format!("f{number}.txt")}))
            };
        }
        let server = Server::with([turn, Turn::text("Done.")]);
        let project = Project::new().model(&server, protocol);
        let finished = yolo(&project).arg("go").run().success();
        assert_well_formed(&finished);
        assert_eq!(of_kind(&finished, "tool_result").len(), 100);
        let key = match protocol {
            Protocol::OpenAiResponses => "input",
            Protocol::Gemini => "contents",
            _ => "messages",
        };
        let sent = server.requests()[1].body[key].to_string();
        let places: Vec<_> = (0..100)
            .filter(|n| n % 10 != 9)
            .map(|n| sent.rfind(&format!("f{n}.txt")))
            .collect();
        assert!(
            places.is_sorted() && places.iter().all(Option::is_some),
            "{protocol:?}: results keep the order"
        );
    }
}

#[test]
fn a_thousand_deltas_of_one_byte_are_one_text() {
    let text: String = (0..1000u32)
        .map(|n| char::from_digit(n % 10, 10).unwrap())
        .collect();
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text(&text).piece(1)]);
        let project = Project::new().model(&server, protocol);
        let finished = events_of(&project).arg("go").run().success();
        assert_well_formed(&finished);
        assert_eq!(text_of(&finished), text);
    }
}

#[test]
fn calls_without_names_or_ids_and_with_the_same_id_are_kept_apart() {
    let call = |index: u64, more: Value| {
        let mut call = json!({"index": index, "type": "function"});
        for (key, value) in more.as_object().unwrap() {
            call[key] = value.clone();
        }
        delta(&json!({"tool_calls": [call]}))
    };
    let read = |path: &str| json!({"name": "read", "arguments": json!({"file_path": path}).to_string()});
    let model = RawModel::start(vec![
        chat(&[
            call(0, json!({"id": "same", "function": read("a.txt")})),
            call(1, json!({"id": "same", "function": read("b.txt")})),
            call(2, json!({"function": read("a.txt")})),
            call(3, json!({"id": "", "function": {"name": "", "arguments": "{}"}})),
            call(4, json!({"id": "last", "function": {"name": "read"}})),
            finish("tool_calls"),
        ]),
        chat(&[delta(&json!({"content": "Done."})), finish("stop")]),
    ]);
    let project = model
        .project(Protocol::OpenAiChat)
        .file("a.txt", "alpha\n")
        .file("b.txt", "beta\n");
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    assert_eq!(
        error_kinds(&finished),
        ["none", "none", "none", "invalid_args", "unknown_tool"]
    );
    let asked = model.asked();
    let messages = asked[1]["messages"].as_array().unwrap();
    let reply = messages
        .iter()
        .find(|message| message["role"] == "assistant")
        .unwrap();
    let ids: Vec<_> = reply["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["id"].clone())
        .collect();
    let answered: Vec<_> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["tool_call_id"].clone())
        .collect();
    assert_eq!(ids, answered, "each call is paired");
    let mut distinct: Vec<_> = ids.iter().map(|id| id.as_str().unwrap()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 5, "{ids:?}");
    assert!(ids.iter().all(|id| id != ""));
}

#[test]
fn reasoning_without_end_can_be_interrupted() {
    let server = Server::with([Turn::new().reasoning(&"hm ".repeat(100_000)).rate(2000.0)]);
    let project = project_with(&server);
    let running = events_of(&project).arg("think").spawn();
    running.wait_for_stdout(|text| text.contains(r#""type":"reasoning""#));
    running.signal(rustix::process::Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_well_formed(&finished);
    server.wait_for_abandoned(1);
}

#[test]
fn a_model_that_repeats_itself_is_stopped_by_a_question() {
    let server = Server::start();
    server.otherwise(Turn::tool("glob", json!({"pattern": "*.rs"})));
    let project = project_with(&server).config(json!({"max_steps": 4}));
    let finished = events_of(&project).arg("go").run().assert_code(1);
    assert_well_formed(&finished);
    assert_eq!(error_kinds(&finished), ["none", "none", "denied", "denied"]);
    let asked = of_kind(&finished, "permission");
    assert_eq!(
        (asked.len(), &asked[0]["permission"], &asked[0]["patterns"]),
        (2, &json!("doom_loop"), &json!(["glob"]))
    );
}
