//! The client against a server on loopback that says exactly what a test tells it to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::sample::{request, two_parallel_calls, user};
use super::{
    Catalog, Client, ModelSettings, Protocol, Provider, ProviderError, ProviderErrorKind, ProviderSettings,
};
use crate::conversation::{Stop, StreamEvent};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const HI: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
const END: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Actions of the server after it has read a request.
#[derive(Clone)]
enum Say {
    /// These bytes as a chunk of the body.
    Chunk(Vec<u8>),
    Raw(String),
    Wait(Duration),
    Close,
}

struct Server {
    base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<usize>>,
}

async fn serve(script: Vec<Say>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1/", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let connections = Arc::new(Mutex::new(0));
    let (seen, count) = (Arc::clone(&requests), Arc::clone(&connections));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            socket.set_nodelay(true).unwrap();
            *count.lock().unwrap() += 1;
            tokio::spawn(answer(socket, script.clone(), Arc::clone(&seen)));
        }
    });
    Server {
        base_url,
        requests,
        connections,
    }
}

async fn answer(mut socket: TcpStream, script: Vec<Say>, seen: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = read_request(&mut socket).await {
        seen.lock().unwrap().push(request);
        for say in &script {
            let bytes = match say {
                Say::Chunk(data) => [format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat(),
                Say::Raw(text) => text.clone().into_bytes(),
                Say::Wait(time) => {
                    tokio::time::sleep(*time).await;
                    continue;
                }
                Say::Close => return,
            };
            if socket.write_all(&bytes).await.is_err() {
                return;
            }
        }
    }
}

async fn read_request(socket: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        let mut piece = [0; 4096];
        let read = socket.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        request.extend_from_slice(&piece[..read]);
    }
}

fn client(base_url: &str, protocol: Protocol, idle: Duration) -> Client {
    let mut settings = ProviderSettings::new(protocol, base_url);
    settings.api_key = Some("sk-a-long-secret".to_owned());
    settings.headers = vec![("x-extra".to_owned(), "more".to_owned())];
    settings.idle_timeout = idle;
    settings.models.insert("m".to_owned(), ModelSettings::default());
    Client::new(Arc::new(Catalog::new(BTreeMap::from([(
        "local".to_owned(),
        settings,
    )]))))
}

async fn ask(client: &Client) -> (Vec<StreamEvent>, Option<ProviderError>) {
    let mut reply = match client.stream(request("local/m", vec![user("hello")])).await {
        Ok(reply) => reply,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut events = Vec::new();
    while let Some(item) = reply.next().await {
        match item {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}

async fn ask_once(script: Vec<Say>) -> (Vec<StreamEvent>, Option<ProviderError>) {
    let server = serve(script).await;
    ask(&client(
        &server.base_url,
        Protocol::OpenAiChat,
        Duration::from_secs(5),
    ))
    .await
}

fn chunk(text: &str) -> Say {
    Say::Chunk(text.as_bytes().to_vec())
}

fn raw(text: &str) -> Say {
    Say::Raw(text.to_owned())
}

fn status(line: &str, headers: &str, body: &str) -> Vec<Say> {
    vec![raw(&format!(
        "HTTP/1.1 {line}\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    ))]
}

#[tokio::test]
async fn a_reply_streams_and_its_connection_is_used_again() {
    let server = serve(vec![raw(HEAD), chunk(HI), chunk(END), raw("0\r\n\r\n")]).await;
    let client = client(&server.base_url, Protocol::OpenAiChat, Duration::from_secs(5));
    for _ in 0..3 {
        let (events, error) = ask(&client).await;
        assert_eq!(
            (events.last(), error),
            (Some(&StreamEvent::Stop(Stop::End)), None)
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(*server.connections.lock().unwrap(), 1);
    let requests = server.requests.lock().unwrap();
    let request = requests[0].to_lowercase();
    assert!(
        request.starts_with("post /v1/chat/completions http/1.1"),
        "{request}"
    );
    assert!(request.contains("authorization: bearer sk-a-long-secret") && request.contains("x-extra: more"));
    assert!(!request.contains("accept-encoding"), "{request}");
}

#[tokio::test]
async fn every_protocol_asks_at_its_own_path_with_its_own_key() {
    for (protocol, path, key) in [
        (
            Protocol::OpenAiChat,
            "/v1/chat/completions",
            "authorization: bearer sk-",
        ),
        (
            Protocol::OpenAiResponses,
            "/v1/responses",
            "authorization: bearer sk-",
        ),
        (Protocol::Anthropic, "/v1/messages", "x-api-key: sk-"),
        (
            Protocol::Gemini,
            "/v1/models/m:streamgeneratecontent?alt=sse",
            "x-goog-api-key: sk-",
        ),
    ] {
        let server = serve(status("500 No", "", "")).await;
        let client = client(&server.base_url, protocol, Duration::from_secs(5));
        assert!(client.stream(two_parallel_calls("local/m")).await.is_err());
        let request = server.requests.lock().unwrap()[0].to_lowercase();
        assert!(
            request.starts_with(&format!("post {path} ")) && request.contains(key),
            "{request}"
        );
    }
}

#[tokio::test]
async fn a_status_becomes_a_kind_with_the_servers_wait_and_words() {
    let body = r#"{"error":{"message":"slow down, sk-a-long-secret\u001b[31m"}}"#;
    let (_, error) = ask_once(status("429 Slow", "Retry-After: 7\r\n", body)).await;
    let error = error.unwrap();
    assert_eq!(
        (error.kind, error.retry_after),
        (ProviderErrorKind::RateLimit, Some(Duration::from_secs(7)))
    );
    assert_eq!(
        error.message,
        "`local` limits the rate of requests (HTTP 429): slow down, … [31m"
    );
    assert!(error.is_retryable() && error.hint.is_some());
    for (line, kind) in [
        ("401 No", ProviderErrorKind::Auth),
        ("404 No", ProviderErrorKind::BadRequest),
        ("413 No", ProviderErrorKind::Context),
        ("500 No", ProviderErrorKind::Overloaded),
        ("529 No", ProviderErrorKind::Overloaded),
        ("307 No", ProviderErrorKind::BadRequest),
    ] {
        let (_, error) = ask_once(status(line, "Location: http://h/\r\n", "{}")).await;
        assert_eq!(error.unwrap().kind, kind, "{line}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_told() {
    let (_, error) = ask_once(status("200 OK", "Content-Type: text/html\r\n", "<html>")).await;
    let error = error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::BadRequest);
    assert!(error.message.contains("`text/html`") && error.hint.unwrap().contains("base_url"));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_network_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let (_, error) = ask(&client(&base_url, Protocol::OpenAiChat, Duration::from_secs(5))).await;
    let error = error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Network);
    assert!(
        error.message.contains("cannot be reached") && error.message.contains("onnection refused"),
        "{error}"
    );
}

#[tokio::test]
async fn a_reply_cut_in_the_middle_is_a_network_error() {
    for script in [
        vec![raw(HEAD), chunk(HI), Say::Close],
        vec![raw(HEAD), chunk(HI), raw("0\r\n\r\n")],
        vec![
            raw(HEAD),
            chunk(HI),
            chunk("data: {\"choices\":[{\"del"),
            raw("0\r\n\r\n"),
        ],
    ] {
        let (events, error) = ask_once(script).await;
        let error = error.unwrap();
        assert_eq!(
            (events.len(), error.kind),
            (2, ProviderErrorKind::Network),
            "{error}"
        );
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn silence_is_a_network_error_before_and_within_the_reply() {
    let long = Duration::from_secs(30);
    for script in [vec![Say::Wait(long)], vec![raw(HEAD), chunk(HI), Say::Wait(long)]] {
        let server = serve(script).await;
        let (_, error) = ask(&client(
            &server.base_url,
            Protocol::OpenAiChat,
            Duration::from_millis(100),
        ))
        .await;
        let error = error.unwrap();
        assert_eq!(error.kind, ProviderErrorKind::Network);
        assert!(error.message.contains("silent for 100ms"), "{error}");
    }
}

#[tokio::test]
async fn an_event_without_end_is_a_bad_response() {
    let mut script = vec![raw(HEAD), chunk(HI), chunk("data: ")];
    script.extend((0..70).map(|_| Say::Chunk(vec![b'x'; 65_536])));
    let (events, error) = ask_once(script).await;
    let error = error.unwrap();
    assert_eq!((events.len(), error.kind), (2, ProviderErrorKind::BadResponse));
    assert!(error.message.contains("4 MiB"), "{error}");
}

#[tokio::test]
async fn the_last_event_may_lack_its_blank_line() {
    let (events, error) = ask_once(vec![
        raw(HEAD),
        chunk(HI),
        chunk(END.trim_end()),
        raw("0\r\n\r\n"),
    ])
    .await;
    assert_eq!(
        (events.last(), error),
        (Some(&StreamEvent::Stop(Stop::End)), None)
    );
}

#[tokio::test]
async fn thousands_of_deltas_cost_little() {
    let mut script = vec![raw(HEAD)];
    script.extend((0..5000).map(|_| chunk(HI)));
    script.extend([chunk(END), raw("0\r\n\r\n")]);
    let server = serve(script).await;
    let client = client(&server.base_url, Protocol::OpenAiChat, Duration::from_secs(5));
    let started = Instant::now();
    let (events, error) = ask(&client).await;
    println!("5000 deltas: {:?}", started.elapsed());
    assert_eq!((events.len(), error), (5003, None));
}
