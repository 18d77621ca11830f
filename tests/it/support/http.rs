//! As much of HTTP/1.1 as a server on loopback needs: keep-alive, bodies of both kinds, chunked answers.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    /// With its query.
    pub(super) target: String,
    /// Names in lower case.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

/// Reads the next request of a connection; `None` when the client has left.
pub(super) fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<HttpRequest>> {
    let Some(line) = read_line(reader)? else {
        return Ok(None);
    };
    let mut words = line.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(io::Error::other(format!("not a request line: {line:?}")));
    };
    let (method, target) = (method.to_owned(), target.to_owned());
    let mut headers = BTreeMap::new();
    while let Some(line) = read_line(reader)?.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        headers.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
    }
    if headers
        .get("expect")
        .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = read_body(reader, &headers)?;
    Ok(Some(HttpRequest {
        method,
        target,
        headers,
        body,
    }))
}

fn read_body(reader: &mut impl BufRead, headers: &BTreeMap<String, String>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if headers
        .get("transfer-encoding")
        .is_some_and(|value| value.eq_ignore_ascii_case("chunked"))
    {
        loop {
            let line = read_line(reader)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
            if size == 0 {
                while read_line(reader)?.is_some_and(|line| !line.is_empty()) {}
                return Ok(body);
            }
            reader.take(size).read_to_end(&mut body)?;
            read_line(reader)?;
        }
    }
    if let Some(length) = headers.get("content-length") {
        body.resize(length.parse().map_err(io::Error::other)?, 0);
        reader.read_exact(&mut body)?;
    }
    Ok(body)
}

fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = reader.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
}

pub(super) fn write_json(
    stream: &mut TcpStream,
    status: u16,
    extra_header: Option<&str>,
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    let extra = extra_header
        .map(|header| format!("{header}\r\n"))
        .unwrap_or_default();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{extra}\r\n"
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat())
}

pub(super) fn write_text(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 Scripted\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat())
}

pub(super) fn start_stream(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\
          Transfer-Encoding: chunked\r\n\r\n",
    )
}

/// One chunk, in one write, so that it is one packet.
pub(super) fn write_chunk(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let size = format!("{:x}\r\n", bytes.len());
    stream.write_all(&[size.as_bytes(), bytes, b"\r\n"].concat())
}

pub(super) fn end_stream(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")
}
