//! Replies as the providers' own SDKs read them: recorded streams, and each of them cut and changed.
//!
//! `tests/sdk/read.py` has the SDKs read the same streams. Without them the test says that it was skipped.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::Protocol;
use super::sample::decode;
use super::sdk_tests::asked;
use super::vectors::VECTORS;
use crate::conversation::{Stop, StreamEvent, Usage};

/// A reply, in the words of the script.
#[derive(Debug, PartialEq)]
struct Reply {
    text: String,
    calls: Vec<Value>,
    input: u64,
    output: u64,
}

/// Returns the reply of a stream as far as it goes, and why it stopped where it ended well.
fn ours(protocol: Protocol, stream: &str) -> (Reply, Option<Stop>) {
    let (events, error) = decode(protocol, stream);
    let mut texts = HashSet::new();
    let mut calls: Vec<(usize, String, String)> = Vec::new();
    let (mut text, mut usage, mut stop) = (String::new(), Usage::default(), None);
    for event in events {
        match event {
            StreamEvent::TextStart { block } => {
                texts.insert(block);
            }
            StreamEvent::CallStart { block, name, .. } => calls.push((block, name, String::new())),
            StreamEvent::Delta { block, delta } => {
                if texts.contains(&block) {
                    text.push_str(&delta);
                } else if let Some(call) = calls.iter_mut().find(|call| call.0 == block) {
                    call.2.push_str(&delta);
                }
            }
            StreamEvent::Usage(figures) => usage = figures,
            StreamEvent::Stop(reason) => stop = Some(reason),
            _ => {}
        }
    }
    let arguments = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    // Anthropic counts what its cache served apart, the others do not.
    let cached = match protocol {
        Protocol::Anthropic => 0,
        _ => usage.cache_read + usage.cache_write,
    };
    let reply = Reply {
        text,
        calls: calls
            .iter()
            .map(|(_, name, text)| json!([name, arguments(text)]))
            .collect(),
        input: usage.input + cached,
        output: usage.output,
    };
    (reply, stop.filter(|_| error.is_none()))
}

fn theirs(read: &Value) -> Reply {
    let number = |key: &str| read[key].as_u64().unwrap_or_default();
    Reply {
        text: read["text"].as_str().unwrap_or_default().to_owned(),
        calls: read["calls"].as_array().cloned().unwrap_or_default(),
        input: number("input"),
        output: number("output"),
    }
}

/// Returns the reason in our words. Two protocols do not tell apart whether a reply ends with calls.
fn stop_of(read: &Value) -> Option<Stop> {
    let has_calls = read["calls"].as_array().is_some_and(|calls| !calls.is_empty());
    match read["stop"].as_str()? {
        "end_turn" | "stop" => Some(Stop::End),
        "completed" | "STOP" if !has_calls => Some(Stop::End),
        "tool_use" | "tool_calls" | "completed" | "STOP" => Some(Stop::ToolCalls),
        "max_tokens" | "length" | "incomplete" | "MAX_TOKENS" => Some(Stop::Length),
        other => panic!("no word for {other}"),
    }
}

/// Each recorded stream, cut behind each event, and with changes that servers really make.
fn streams() -> Vec<(String, Protocol, String)> {
    let mut streams = Vec::new();
    for (place, (protocol, stream)) in VECTORS.into_iter().enumerate() {
        let name = format!("{} {}", protocol.name(), place % 5);
        let events: Vec<&str> = stream.split_inclusive("\n\n").collect();
        for count in 1..=events.len() {
            streams.push((
                format!("{name}, {count} events"),
                protocol,
                events[..count].concat(),
            ));
        }
        if protocol == Protocol::OpenAiResponses {
            let is_delta = |event: &&&str| !event.contains(".delta\"");
            let kept: Vec<&str> = events.iter().filter(is_delta).copied().collect();
            streams.push((format!("{name}, without deltas"), protocol, kept.concat()));
        } else {
            // Half a character at the end of one piece of text and the other at the beginning of the next, and one alone.
            let halves = stream
                .replace("Hello\"", "Hello\\ud83d\"")
                .replace("\", w", "\"\\ude00, w");
            streams.push((format!("{name}, halves"), protocol, halves));
            let half = stream.replace("Hello\"", "Hello\\ud83d\"");
            streams.push((format!("{name}, one half"), protocol, half));
        }
        streams.push((
            format!("{name}, other breaks"),
            protocol,
            stream.replace('\n', "\r\n"),
        ));
        // The SDK of Gemini takes a comment for data.
        if protocol != Protocol::Gemini {
            let comments = stream.replace("\n\n", "\n\n: hi\n\n");
            streams.push((format!("{name}, comments"), protocol, comments));
        }
    }
    streams
}

#[test]
fn replies_are_read_as_the_providers_own_sdks_read_them() {
    let test = "replies_are_read_as_the_providers_own_sdks_read_them";
    let streams = streams();
    let lines: Vec<String> = streams
        .iter()
        .map(|(name, protocol, stream)| {
            json!({"name": name, "protocol": protocol.name(), "stream": stream}).to_string()
        })
        .collect();
    let Some(told) = asked("read.py", lines.join("\n"), test) else {
        return;
    };
    let read: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(read.len(), streams.len());
    let mut whole = 0;
    let mut faults = Vec::new();
    for ((name, protocol, stream), read) in streams.iter().zip(&read) {
        assert_eq!(read["name"], json!(name));
        let (reply, stop) = ours(*protocol, stream);
        let expected = read["error"].is_null().then(|| stop_of(read)).flatten();
        if stop != expected {
            faults.push(format!("{name}: {stop:?} is not {expected:?}, {read}"));
        } else if stop.is_some() {
            whole += 1;
            if reply != theirs(read) {
                faults.push(format!("{name}: {reply:?} is not {read}"));
            }
        } else if read["error"].is_null() && reply.text != theirs(read).text {
            faults.push(format!("{name}: {:?} is not {read}", reply.text));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(whole > 40, "{whole}");
}
