//! Servers whose certificate an authority of their own has issued, as in companies that look into the traffic.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use crate::run::{events_of, of_kind, project_with};
use crate::support::{Project, Server};

/// For the name `localhost`, until 2126.
const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tls/localhost.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tls/localhost.key");

const REPLY: &str = "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\
    \"delta\":{\"role\":\"assistant\",\"content\":\"From inside.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Starts a model server that speaks TLS, and returns its port. It ends with the test process.
fn start_server() -> u16 {
    let certificate = CertificateDer::from_pem_file(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_file(KEY).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("localhost:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            thread::spawn(move || answer(stream, config));
        }
    });
    port
}

/// Answers one request. A client that does not trust the certificate ends the connection before.
fn answer(stream: TcpStream, config: Arc<ServerConfig>) {
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !is_whole(&request) {
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        REPLY.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(REPLY.as_bytes());
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    body.len() >= length.unwrap_or(0)
}

fn project(port: u16) -> Project {
    project_with(&Server::start()).config(json!({"providers": {"local": {
        "protocol": "openai-chat",
        "base_url": format!("https://localhost:{port}/v1"),
        "retry": {"max": 1, "base_ms": 1, "max_ms": 1},
    }}}))
}

#[test]
fn a_certificate_that_is_not_known_names_the_way_out() {
    let project = project(start_server());
    let finished = events_of(&project).arg("hi").run().assert_code(1);
    let error = &of_kind(&finished, "error")[0];
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("SSL_CERT_FILE") && message.contains("NODE_EXTRA_CA_CERTS"),
        "{message}"
    );
}

#[test]
fn a_certificate_that_a_variable_names_is_trusted() {
    let project = project(start_server());
    for variable in ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] {
        let finished = events_of(&project)
            .env(variable, CERTIFICATE)
            .arg("hi")
            .run()
            .success();
        assert!(finished.stdout.contains("From inside."), "{variable}: {finished}");
    }
}
