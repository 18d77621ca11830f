//! Random sequences of what goes wrong in a session, and the requests after them.
//!
//! A [`FaultySession`] has the turn, the history view and the encoders of a real session, and a provider that cuts, refuses
//! and stays silent; its person steers, stops, undoes, forks, compacts, runs commands and changes the model. After each
//! sequence the next request has to be one that all four protocols take, and the strictest chat templates: user and model
//! alternate, no message is empty, the user speaks first and the model never last, each call has its result behind it.
//!
//! `FAULT_SEQUENCES=10000 cargo test --lib fault_sequences` makes as many sequences, and holds each request against the
//! types of the providers' own SDKs and the templates of `tests/sdk/templates` as well.

mod reply;
mod session;
mod validity;

use serde_json::{Value, json};

use self::session::{FaultySession, MODELS};
use crate::provider::sdk_tests::asked;

/// Sequences of a test run.
const SEQUENCES: u64 = 150;
/// Sequences of which the requests are held against the types of the SDKs, where no number is given.
const SEQUENCES_WITH_SDK: u64 = 30;
/// Sequences whose requests are held against them at once.
const BATCH: u64 = 500;

fn sequences_wanted() -> Option<u64> {
    std::env::var("FAULT_SEQUENCES").ok()?.parse().ok()
}

/// Returns the requests after a sequence, one for each model.
fn requests_after(seed: u64) -> Vec<Value> {
    let mut session = FaultySession::new(seed);
    session.run();
    let requests = MODELS.iter().map(|model| {
        let body = session.next_request(model);
        validity::assert_valid(model.protocol, &body, &format!("sequence {seed}, {}", model.name));
        body
    });
    requests.collect()
}

#[test]
fn the_request_after_any_faults_is_valid_in_every_protocol() {
    let mut requests = 0;
    for seed in 1..=sequences_wanted().unwrap_or(SEQUENCES) {
        requests += requests_after(seed).len();
    }
    assert!(requests > 0);
}

#[test]
fn the_request_after_any_faults_fits_the_sdks_and_the_chat_templates() {
    let test = "the_request_after_any_faults_fits_the_sdks_and_the_chat_templates";
    let mut seeds = 1..=sequences_wanted().unwrap_or(SEQUENCES_WITH_SDK);
    while !seeds.is_empty() {
        let batch: Vec<u64> = seeds.by_ref().take(BATCH as usize).collect();
        let Some(told) = asked("validate.py", lines_after(&batch), test) else {
            return;
        };
        let some: Vec<&str> = told.lines().take(30).collect();
        assert_eq!(some, [format!("{} requests", batch.len() * MODELS.len())]);
    }
}

/// Returns the requests after some sequences as `tests/sdk/validate.py` reads them.
fn lines_after(seeds: &[u64]) -> String {
    let mut lines = String::new();
    for seed in seeds {
        for (model, body) in MODELS.iter().zip(requests_after(*seed)) {
            let name = format!("sequence {seed}, {}", model.name);
            let line = json!({"name": name, "protocol": model.protocol.name(), "body": body});
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
    }
    lines
}
