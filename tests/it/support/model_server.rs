//! The server's end of a connection: which turn a request gets.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use super::deadline::Watched;
use super::http::{self, HttpRequest};
use super::model::{Recorded, offered_tools};
use super::script::{Fault, Protocol, Turn};
use super::streaming::Streaming;
use super::wire::{self, Reply};

/// Turns for the requests that mention a text, beside the main script.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) text: String,
    pub(super) turns: VecDeque<Turn>,
}

/// The answer to what is no request of a protocol.
#[derive(Debug, Clone)]
pub(crate) enum OtherAnswer {
    Json(Value),
    /// No JSON, whatever it says that it is.
    Text(&'static str),
    /// Keeps the client waiting until it leaves.
    Silence,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) turns: VecDeque<Turn>,
    pub(super) routes: Vec<Route>,
    /// The turn that is played when the others are used up.
    pub(super) otherwise: Option<Turn>,
    pub(super) side: Turn,
    pub(super) side_routes: Vec<(String, Turn)>,
    /// Answers by their paths.
    pub(super) answers: Vec<(String, OtherAnswer)>,
    pub(super) requests: Vec<Recorded>,
    /// Streams that the client left before their end.
    pub(super) abandoned: usize,
    /// Streams sent to their end.
    pub(super) finished: usize,
    /// Open connections, so that dropping the server can close them.
    pub(super) connections: Vec<TcpStream>,
    pub(super) stopped: bool,
}

pub(super) fn accept(listener: &TcpListener, state: &Arc<Watched<State>>) {
    for stream in listener.incoming() {
        if state.lock().stopped {
            return;
        }
        let Ok(stream) = stream else { continue };
        let state = Arc::clone(state);
        thread::spawn(move || {
            let Ok(handle) = stream.try_clone() else { return };
            // A client that leaves is no fault of the server's.
            let _ = converse(stream, &state);
            // Said in so many words, because the list of connections holds the socket open.
            let _ = handle.shutdown(Shutdown::Both);
        });
    }
}

fn converse(stream: TcpStream, state: &Watched<State>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let handle = stream.try_clone()?;
    state.update(|state| state.connections.push(handle));
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = http::read_request(&mut reader)? {
        answer(&mut writer, &request, state)?;
    }
    Ok(())
}

fn answer(stream: &mut TcpStream, request: &HttpRequest, state: &Watched<State>) -> io::Result<()> {
    let path = request.target.split('?').next().unwrap_or_default();
    let protocol = if request.method == "POST" {
        protocol_of(path)
    } else {
        None
    };
    let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let recorded = Recorded {
        protocol,
        method: request.method.clone(),
        path: request.target.clone(),
        headers: request.headers.clone(),
        side: offered_tools(&body).is_empty(),
        body,
        at: Instant::now(),
    };
    let model = model_of(path, &recorded.body);
    let (serving, number) = state.update(|state| {
        let serving = protocol.and_then(|_| state.next(&recorded));
        state.requests.push(recorded);
        (serving, state.requests.len())
    });
    let Some(protocol) = protocol else {
        let answers = state.update(|state| state.answers.clone());
        let own = answers.into_iter().find(|(own, _)| own == path);
        return answer_other(stream, path, own.map(|(_, answer)| answer));
    };
    match serving {
        Some(Serving::Refusal {
            status,
            retry_after,
            message,
        }) => {
            let header = retry_after.map(|seconds| format!("Retry-After: {seconds}"));
            let body = wire::error_body(protocol, status, &message);
            http::write_json(stream, status, header.as_deref(), &body)
        }
        Some(Serving::Stream(turn, fault)) => {
            let reply = Reply {
                number,
                model: &model,
            };
            let result = Streaming {
                stream,
                state,
                turn: &turn,
                fault,
            }
            .run(protocol, reply);
            state.update(|state| match result {
                Ok(()) => state.finished += 1,
                Err(_) => state.abandoned += 1,
            });
            result
        }
        None => {
            let body = wire::error_body(protocol, 400, "the script has no turn left");
            http::write_json(stream, 400, None, &body)
        }
    }
}

fn answer_other(stream: &mut TcpStream, path: &str, own: Option<OtherAnswer>) -> io::Result<()> {
    match own {
        Some(OtherAnswer::Json(answer)) => return http::write_json(stream, 200, None, &answer),
        Some(OtherAnswer::Text(answer)) => return http::write_text(stream, answer),
        Some(OtherAnswer::Silence) => {
            let _ = stream.read(&mut [0]);
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        None => {}
    }
    if path.trim_end_matches('/').ends_with("/models") {
        let model = json!({"id": "test-model", "object": "model", "created": 0, "owned_by": "tests"});
        return http::write_json(stream, 200, None, &json!({"object": "list", "data": [model]}));
    }
    http::write_json(
        stream,
        404,
        None,
        &json!({"error": {"message": format!("nothing at {path}")}}),
    )
}

fn protocol_of(path: &str) -> Option<Protocol> {
    let ends = [
        ("/chat/completions", Protocol::OpenAiChat),
        ("/responses", Protocol::OpenAiResponses),
        ("/messages", Protocol::Anthropic),
        (":streamGenerateContent", Protocol::Gemini),
    ];
    ends.into_iter()
        .find(|(end, _)| path.ends_with(end))
        .map(|(_, protocol)| protocol)
}

fn model_of(path: &str, body: &Value) -> String {
    let named = path
        .rsplit('/')
        .next()
        .and_then(|last| last.split_once(':'))
        .map(|(model, _)| model);
    body["model"]
        .as_str()
        .or(named)
        .unwrap_or("test-model")
        .to_owned()
}

enum Serving {
    Refusal {
        status: u16,
        retry_after: Option<u32>,
        message: String,
    },
    Stream(Box<Turn>, Option<Fault>),
}

impl State {
    fn next(&mut self, request: &Recorded) -> Option<Serving> {
        if request.side {
            let routed = self.side_routes.iter().find(|(text, _)| request.mentions(text));
            let turn = routed.map_or(&self.side, |(_, turn)| turn);
            return Some(Serving::Stream(Box::new(turn.clone()), None));
        }
        let route = self
            .routes
            .iter_mut()
            .find(|route| !route.turns.is_empty() && request.mentions(&route.text));
        let turns = route.map_or(&mut self.turns, |route| &mut route.turns);
        let Some(turn) = turns.front_mut() else {
            return self
                .otherwise
                .clone()
                .map(|turn| Serving::Stream(Box::new(turn), None));
        };
        match turn.faults.pop_front() {
            Some(Fault::Http { status, retry_after }) => Some(Serving::Refusal {
                status,
                retry_after,
                message: format!("scripted status {status}"),
            }),
            Some(Fault::Refused { message }) => Some(Serving::Refusal {
                status: 400,
                retry_after: None,
                message,
            }),
            Some(fault) => Some(Serving::Stream(Box::new(turn.clone()), Some(fault))),
            None => turns
                .pop_front()
                .map(|turn| Serving::Stream(Box::new(turn), None)),
        }
    }
}
