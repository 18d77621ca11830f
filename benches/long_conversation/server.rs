//! A model server that keeps nothing of what it is sent: it counts, and answers by the number of the request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use serde_json::{Value, json};

/// Answers a request: its number among those of its kind, and its body.
pub(crate) type Answer = dyn Fn(usize, &str) -> Reply + Send + Sync;

pub(crate) enum Reply {
    Text(String),
    Call { tool: &'static str, args: Value },
}

#[derive(Default)]
pub(crate) struct Counts {
    /// Requests with tools, and those without.
    pub(crate) turns: AtomicUsize,
    pub(crate) summaries: AtomicUsize,
    /// Requests that the window does not hold.
    pub(crate) overflows: AtomicUsize,
    largest: AtomicUsize,
    changed: Condvar,
    lock: Mutex<()>,
}

pub(crate) struct ModelServer {
    address: SocketAddr,
    pub(crate) counts: Arc<Counts>,
}

impl ModelServer {
    /// `window` is in tokens of four bytes.
    pub(crate) fn start(window: usize, answer: Arc<Answer>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let counts = Arc::new(Counts::default());
        let shared = Arc::clone(&counts);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (counts, answer) = (Arc::clone(&shared), Arc::clone(&answer));
                // A client that leaves is no fault of the server's.
                thread::spawn(move || drop(converse(stream, window, &counts, &*answer)));
            }
        });
        Self { address, counts }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Waits until so many requests with tools have come.
    pub(crate) fn wait_for_turns(&self, count: usize) {
        let mut lock = self.counts.lock.lock().unwrap();
        while self.counts.turns.load(Ordering::SeqCst) < count {
            lock = self.counts.changed.wait(lock).unwrap();
        }
    }

    /// Bytes of the largest request.
    pub(crate) fn largest(&self) -> usize {
        self.counts.largest.load(Ordering::SeqCst)
    }
}

fn converse(stream: TcpStream, window: usize, counts: &Counts, answer: &Answer) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    while let Some(body) = request(&mut reader)? {
        counts.largest.fetch_max(body.len(), Ordering::SeqCst);
        if body.len() / 4 > window {
            counts.overflows.fetch_add(1, Ordering::SeqCst);
            let error =
                json!({"error": {"code": "context_length_exceeded", "message": "too long"}}).to_string();
            write!(
                writer,
                "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{error}",
                error.len()
            )?;
            continue;
        }
        let kind = if body.contains("\"tools\":[{") {
            &counts.turns
        } else {
            &counts.summaries
        };
        let number = kind.fetch_add(1, Ordering::SeqCst);
        counts.changed.notify_all();
        respond(&mut writer, number, answer(number, &body), body.len() / 4)?;
    }
    Ok(())
}

/// Reads a request with a length, and returns its body.
fn request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<String>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(String::from_utf8_lossy(&body).into_owned()))
}

fn respond(writer: &mut TcpStream, number: usize, reply: Reply, tokens: usize) -> std::io::Result<()> {
    let (delta, stop) = match reply {
        Reply::Text(text) => (json!({ "content": text }), "stop"),
        Reply::Call { tool, args } => {
            let function = json!({"name": tool, "arguments": args.to_string()});
            let call =
                json!({"index": 0, "id": format!("call_{number}"), "type": "function", "function": function});
            (json!({ "tool_calls": [call] }), "tool_calls")
        }
    };
    let events = [
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}),
        json!({"choices": [], "usage": {"prompt_tokens": tokens, "completion_tokens": 20}}),
    ];
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    let stream = format!("data: {}\n\ndata: [DONE]\n\n", events.join("\n\ndata: "));
    write!(
        writer,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{stream}",
        stream.len()
    )?;
    writer.flush()
}
