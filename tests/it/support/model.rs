//! A model on loopback that says what a script tells it to, in whichever of the four protocols it is asked in.
//!
//! Requests that offer tools take the next turn of the script; requests that offer none (titles, summaries) are side
//! requests with an answer of their own. A request when the script is used up is answered with status 400 and kept,
//! so that the test that asks for one turn too many fails with a sentence. Every request is recorded before it is
//! answered.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use super::deadline::{DEADLINE, Watched};
use super::model_server::{self, OtherAnswer, Route, State};
use super::script::{Protocol, Turn};

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    /// `None` for what is no model request, such as a list of models.
    pub(crate) protocol: Option<Protocol>,
    pub(crate) method: String,
    /// With its query.
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    /// `Null` when it is not JSON.
    pub(crate) body: Value,
    /// Offers no tools.
    pub(crate) side: bool,
    pub(crate) at: Instant,
}

impl Recorded {
    /// The names of the offered tools, in order.
    pub(crate) fn tool_names(&self) -> Vec<String> {
        let name = |tool: &Value| {
            let name = if tool["function"].is_object() {
                &tool["function"]["name"]
            } else {
                &tool["name"]
            };
            name.as_str().unwrap_or_default().to_owned()
        };
        offered_tools(&self.body).iter().map(name).collect()
    }

    /// Returns true if the text occurs in a string of the body, at any depth.
    pub(crate) fn mentions(&self, text: &str) -> bool {
        mentions(&self.body, text)
    }
}

fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| mentions(item, text)),
        Value::Object(fields) => fields.values().any(|field| mentions(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

pub(super) fn offered_tools(body: &Value) -> Vec<Value> {
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    let declared = |tool: Value| match tool["functionDeclarations"].as_array() {
        Some(declarations) => declarations.clone(),
        None => vec![tool],
    };
    tools.into_iter().flat_map(declared).collect()
}

/// The server. It stops, and closes every connection, when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    state: Arc<Watched<State>>,
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Server")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Server {
    #[must_use]
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Watched::new(State {
            turns: VecDeque::new(),
            routes: Vec::new(),
            otherwise: None,
            side: Turn::text("Short title").piece(50),
            side_routes: Vec::new(),
            answers: Vec::new(),
            requests: Vec::new(),
            abandoned: 0,
            finished: 0,
            connections: Vec::new(),
            stopped: false,
        }));
        let accepted = Arc::clone(&state);
        thread::spawn(move || model_server::accept(&listener, &accepted));
        Self { address, state }
    }

    /// A server with these turns.
    #[must_use]
    pub(crate) fn with(turns: impl IntoIterator<Item = Turn>) -> Self {
        let server = Self::start();
        server.script(turns);
        server
    }

    /// Adds turns to the script.
    pub(crate) fn script(&self, turns: impl IntoIterator<Item = Turn>) {
        self.state.update(|state| state.turns.extend(turns));
    }

    /// Turns for the requests that mention the text: the first route that fits and has a turn left is taken before
    /// the script. So the turns of agents that run side by side do not depend on who asks first.
    pub(crate) fn script_for(&self, text: &str, turns: impl IntoIterator<Item = Turn>) {
        let route = Route {
            text: text.into(),
            turns: turns.into_iter().collect(),
        };
        self.state.update(|state| state.routes.push(route));
    }

    /// Sets the turn that is played again and again when the script is used up.
    pub(crate) fn otherwise(&self, turn: Turn) {
        self.state.update(|state| state.otherwise = Some(turn));
    }

    /// The answer to requests that offer no tools.
    pub(crate) fn side(&self, turn: Turn) {
        self.state.update(|state| state.side = turn);
    }

    /// The same for those that mention a text.
    pub(crate) fn side_for(&self, text: &str, turn: Turn) {
        self.state
            .update(|state| state.side_routes.push((text.into(), turn)));
    }

    /// The answer at a path that is of no protocol.
    pub(crate) fn answer(&self, path: &str, answer: OtherAnswer) {
        self.state
            .update(|state| state.answers.push((path.into(), answer)));
    }

    /// The `base_url` for a protocol.
    pub(crate) fn url(&self, protocol: Protocol) -> String {
        let version = if protocol == Protocol::Gemini {
            "v1beta"
        } else {
            "v1"
        };
        format!("http://{}/{version}", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests that took a turn, in order of arrival.
    pub(crate) fn requests(&self) -> Vec<Recorded> {
        let state = self.state.lock();
        state
            .requests
            .iter()
            .filter(|request| request.is_turn())
            .cloned()
            .collect()
    }

    /// Every request, side requests and lists of models too.
    pub(crate) fn all_requests(&self) -> Vec<Recorded> {
        self.state.lock().requests.clone()
    }

    /// Waits until so many requests for turns have come, and gives them.
    #[track_caller]
    pub(crate) fn wait_for_requests(&self, count: usize) -> Vec<Recorded> {
        let enough = |state: &mut State| {
            let turns: Vec<_> = state
                .requests
                .iter()
                .filter(|request| request.is_turn())
                .collect();
            (turns.len() >= count).then(|| turns.into_iter().cloned().collect())
        };
        self.state.wait_for(DEADLINE, enough).unwrap_or_else(|| {
            let come = self.requests().len();
            panic!(
                "waited {DEADLINE:?} for {count} requests, {come} came: {:#?}",
                self.requests()
            );
        })
    }

    /// Waits until so many streams were left by their client before the end.
    #[track_caller]
    pub(crate) fn wait_for_abandoned(&self, count: usize) {
        let enough = |state: &mut State| (state.abandoned >= count).then_some(());
        assert!(
            self.state.wait_for(DEADLINE, enough).is_some(),
            "no client left in {DEADLINE:?}"
        );
    }

    /// Turns of the script that nobody has asked for.
    pub(crate) fn turns_left(&self) -> usize {
        let state = self.state.lock();
        state.turns.len() + state.routes.iter().map(|route| route.turns.len()).sum::<usize>()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.update(|state| {
            state.stopped = true;
            for connection in &state.connections {
                let _ = connection.shutdown(Shutdown::Both);
            }
        });
        // Wakes the thread that accepts, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

impl Recorded {
    fn is_turn(&self) -> bool {
        self.protocol.is_some() && !self.side
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use serde_json::json;

    use super::super::script::{Fault, Gate};
    use super::*;

    const WITH_TOOLS: &str = r#"{"model": "m", "tools": [{"name": "bash"}], "note": "hello"}"#;

    fn path_of(protocol: Protocol) -> &'static str {
        match protocol {
            Protocol::OpenAiChat => "/v1/chat/completions",
            Protocol::OpenAiResponses => "/v1/responses",
            Protocol::Anthropic => "/v1/messages",
            Protocol::Gemini => "/v1beta/models/m:streamGenerateContent?alt=sse",
        }
    }

    fn send(stream: &mut TcpStream, path: &str, body: &str) {
        let length = body.len();
        let request = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
    }

    /// Sends one request on a connection of its own and reads until the answer's end.
    fn ask(server: &Server, protocol: Protocol, body: &str) -> String {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        send(&mut stream, path_of(protocol), body);
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    fn data_of(answer: &str) -> Vec<Value> {
        let data = answer.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]")
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }

    #[test]
    fn every_protocol_says_the_script() {
        for protocol in Protocol::ALL {
            let turn = Turn::new()
                .reasoning("thinking hard")
                .say("I will look.")
                .call("bash", json!({"command": "echo one two three"}))
                .call("read", json!({"file_path": "a.rs"}));
            let server = Server::with([turn]);
            let answer = ask(&server, protocol, WITH_TOOLS);
            let strings = strings_of(&data_of(&answer));
            for expected in ["thinking hard", "I will look.", "bash", "read"] {
                assert!(
                    strings.contains(expected),
                    "{protocol:?}: no {expected:?} in {strings}"
                );
            }
            assert!(answer.ends_with("0\r\n\r\n"), "{protocol:?} ends its stream");
            assert_eq!(server.requests().len(), 1);
            assert_eq!(server.requests()[0].tool_names(), ["bash"]);
            assert_eq!(server.turns_left(), 0);
        }
    }

    /// Every string of the events, joined as a reader of deltas would.
    fn strings_of(events: &[Value]) -> String {
        fn collect(value: &Value, into: &mut String) {
            match value {
                Value::String(string) => into.push_str(string),
                Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
                Value::Object(fields) => {
                    let shown = [
                        "delta",
                        "text",
                        "content",
                        "reasoning_content",
                        "thinking",
                        "name",
                        "parts",
                    ];
                    let inner = [
                        "choices",
                        "candidates",
                        "content_block",
                        "item",
                        "tool_calls",
                        "function",
                    ];
                    let inner = inner.iter().chain(&shown).chain(&["functionCall"]);
                    inner
                        .filter_map(|key| fields.get(*key))
                        .for_each(|field| collect(field, into));
                }
                _ => {}
            }
        }
        let mut text = String::new();
        for event in events {
            collect(event, &mut text);
        }
        text
    }

    #[test]
    fn a_connection_serves_many_requests() {
        let server = Server::with([Turn::text("one"), Turn::text("two")]);
        let mut stream = TcpStream::connect(server.address()).unwrap();
        for _ in 0..2 {
            send(&mut stream, path_of(Protocol::OpenAiChat), WITH_TOOLS);
            let mut answer = Vec::new();
            while !answer.ends_with(b"0\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                answer.push(byte[0]);
            }
        }
        assert_eq!(server.requests().len(), 2);
    }

    #[test]
    fn faults_come_before_the_turn() {
        for protocol in Protocol::ALL {
            let turn = Turn::text("abcdefghij")
                .piece(2)
                .fail(Fault::Http {
                    status: 429,
                    retry_after: Some(7),
                })
                .fail(Fault::Drop { after: 2 })
                .fail(Fault::Malformed { after: 1 })
                .fail(Fault::ErrorEvent {
                    after: 1,
                    message: "no luck".into(),
                })
                .fail(Fault::Giant { bytes: 100_000 });
            let server = Server::with([turn]);

            let refused = ask(&server, protocol, WITH_TOOLS);
            assert!(
                refused.starts_with("HTTP/1.1 429") && refused.contains("Retry-After: 7"),
                "{refused}"
            );
            let dropped = ask(&server, protocol, WITH_TOOLS);
            assert!(dropped.contains("cd") && !dropped.contains("ef"), "{dropped}");
            assert!(!dropped.ends_with("0\r\n\r\n"));
            assert!(ask(&server, protocol, WITH_TOOLS).contains("not json at all"));
            assert!(ask(&server, protocol, WITH_TOOLS).contains("no luck"));
            assert!(ask(&server, protocol, WITH_TOOLS).len() > 100_000);
            assert!(ask(&server, protocol, WITH_TOOLS).contains("ij"));
            assert!(ask(&server, protocol, WITH_TOOLS).contains("the script has no turn left"));
            assert_eq!(server.wait_for_requests(7).len(), 7);
        }
    }

    #[test]
    fn a_gate_holds_the_stream_until_it_is_opened() {
        let gate = Gate::new();
        let server = Server::with([Turn::text("aabbcc").piece(2).gate(2, &gate)]);
        let mut stream = TcpStream::connect(server.address()).unwrap();
        send(&mut stream, path_of(Protocol::Anthropic), WITH_TOOLS);
        gate.wait_until_reached();
        let mut buffer = [0; 16384];
        let mut answer = String::new();
        while !answer.contains("\"bb\"") {
            let read = stream.read(&mut buffer).unwrap();
            answer.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
        }
        assert!(!answer.contains("\"cc\""), "{answer}");
        gate.open();
        while !answer.ends_with("0\r\n\r\n") {
            let read = stream.read(&mut buffer).unwrap();
            answer.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
        }
        assert!(answer.contains("\"cc\""));
    }

    #[test]
    fn a_client_that_leaves_a_stalled_stream_is_seen() {
        let server = Server::with([Turn::text("abc").fail(Fault::Stall { after: 0 })]);
        let mut stream = TcpStream::connect(server.address()).unwrap();
        send(&mut stream, path_of(Protocol::Gemini), WITH_TOOLS);
        server.wait_for_requests(1);
        drop(stream);
        server.wait_for_abandoned(1);
    }

    #[test]
    fn requests_without_tools_take_no_turn() {
        let server = Server::with([Turn::text("main")]);
        assert!(ask(&server, Protocol::OpenAiChat, r#"{"model": "m"}"#).contains("Short title"));
        assert_eq!(
            (
                server.requests().len(),
                server.all_requests().len(),
                server.turns_left()
            ),
            (0, 1, 1)
        );
    }

    #[test]
    fn a_route_is_taken_by_what_the_request_mentions() {
        let server = Server::with([Turn::text("main")]);
        server.script_for("hello", [Turn::text("routed")]);
        assert!(strings_of(&data_of(&ask(&server, Protocol::Anthropic, WITH_TOOLS))).contains("routed"));
        assert!(strings_of(&data_of(&ask(&server, Protocol::Anthropic, WITH_TOOLS))).contains("main"));
    }
}
