//! The first start, with no key and no provider: what can be done about it.
//!
//! Where there is a terminal it is one screen with things to choose; elsewhere, and when the screen is left without a
//! choice, the same is told on stderr.
//!
//! A server of one's own is looked for on the ports where such servers listen by default. It is asked only after it was
//! clear that there is no model, so no start waits for it, and only on this machine.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::failure::Failure;
use super::new_key::{NewKeys, write_new};
use crate::conversation::ModelRef;
use crate::session::wire::{ModelSource, OpenRequest};
use crate::session::{ErrorReport, ReportKind};
use crate::tui::{self, FirstRun, FirstRunChoice, FoundModel, Themes, TuiExit};

/// How long a server on this machine may take to accept, and again to answer.
const PATIENCE: Duration = Duration::from_millis(200);
/// A list of models is a few kilobytes.
const MAX_ANSWER: u64 = 1 << 20;

const KEYS: [&str; 3] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];

/// A program that serves models, and the port it listens on unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KnownServer {
    name: &'static str,
    key: &'static str,
    port: u16,
}

const KNOWN: [KnownServer; 4] = [
    KnownServer::new("Ollama", "ollama", 11434),
    KnownServer::new("LM Studio", "lmstudio", 1234),
    KnownServer::new("llama.cpp", "llamacpp", 8080),
    KnownServer::new("vLLM", "vllm", 8000),
];

#[derive(Debug, PartialEq, Eq)]
struct FoundServer {
    server: KnownServer,
    model: String,
}

impl KnownServer {
    const fn new(name: &'static str, key: &'static str, port: u16) -> Self {
        Self { name, key, port }
    }

    /// Returns the settings of its provider.
    fn provider(self) -> Value {
        json!({
            "protocol": "openai-chat",
            "base_url": format!("http://127.0.0.1:{}/v1", self.port),
        })
    }
}

impl FoundServer {
    fn model(&self) -> FoundModel {
        let words = format!(
            "{} on port {} with {}",
            self.server.name, self.server.port, self.model
        );
        FoundModel {
            words,
            settings: format!("{:#}\n", self.settings()),
        }
    }

    /// Returns the configuration that names the server for good.
    fn settings(&self) -> Value {
        json!({
            "model": format!("{}/{}", self.server.key, self.model),
            "providers": { self.server.key: self.server.provider() },
        })
    }
}

/// How to go on after a first start.
pub(super) enum StartChoice {
    Demo,
    /// The request has a model now.
    Model,
    /// The screen was left by this status, and everything was said.
    Left(ExitCode),
}

/// Asks how to begin, or fails with what the user is told: on a first start the ways to begin.
pub(super) fn begin(
    report: ErrorReport,
    request: &mut OpenRequest,
    themes: Themes,
) -> Result<StartChoice, Failure> {
    if !is_first(&report, request) {
        return Err(report.into());
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(with_found_servers(report, request, &look_around()));
    }
    let (tell, server) = oneshot::channel();
    let looking = thread::spawn(move || {
        let found = look_around();
        // The screen may have been left.
        let _ = tell.send(found.first().map(FoundServer::model));
        found
    });
    let new_keys = NewKeys::of(&request.dirs);
    let screen = FirstRun {
        themes,
        sentence: format!("lathe is not set up yet: {}.", report.message),
        looked_for: names(),
        server,
        keys: KEYS.join(" or "),
        services: new_keys.services(),
        file: settings_file(request),
        can_keep: !config_file(request).exists(),
    };
    let chosen = tui::first_run(screen).map_err(|error| Failure::system("the screen failed", error))?;
    let found = || looking.join().unwrap_or_default();
    match chosen {
        FirstRunChoice::Demo => Ok(StartChoice::Demo),
        FirstRunChoice::Server | FirstRunChoice::KeptServer => {
            let Some(found) = found().into_iter().next() else {
                return Err(with_found_servers(report, request, &[]));
            };
            if chosen == FirstRunChoice::KeptServer {
                keep(request, &found)?;
            }
            use_server(request, found);
            Ok(StartChoice::Model)
        }
        FirstRunChoice::Key { service, key } => {
            new_keys.keep(service, &key, &config_file(request))?;
            new_keys.use_key(service, &key, request);
            Ok(StartChoice::Model)
        }
        FirstRunChoice::Left(TuiExit::Quit) => Err(with_found_servers(report, request, &found())),
        FirstRunChoice::Left(ended) => Ok(StartChoice::Left(ExitCode::from(ended.status()))),
    }
}

fn is_first(report: &ErrorReport, request: &OpenRequest) -> bool {
    report.kind == ReportKind::Config && names_no_model(request) && !has_key()
}

fn has_key() -> bool {
    let is_set = |key: &&str| std::env::var_os(key).is_some_and(|value| !value.is_empty());
    KEYS.iter().any(is_set)
}

fn with_found_servers(report: ErrorReport, request: &OpenRequest, found: &[FoundServer]) -> Failure {
    Failure::from(report).hinted(offers(found, &settings_file(request)))
}

fn settings_file(request: &OpenRequest) -> String {
    config_file(request).to_string_lossy().into_owned()
}

fn config_file(request: &OpenRequest) -> PathBuf {
    request.dirs.config.join("lathe.jsonc")
}

/// Has this process, and nothing that is stored, talk to the server. The provider has the name that a kept server gets, so
/// that the session goes on with it whichever was chosen.
fn use_server(request: &mut OpenRequest, found: FoundServer) {
    let FoundServer { server, model } = found;
    set_providers(request, json!({server.key: server.provider()}));
    request.model = Some(ModelRef {
        provider: server.key.to_owned(),
        model,
    });
}

/// Adds the servers on this machine to the providers of this process where nothing is configured: a stored session that
/// talked to one goes on with it, and another session can choose one.
pub(super) fn add_found_servers(request: &mut OpenRequest) {
    if has_key() || !names_no_model(request) {
        return;
    }
    let mut providers = Map::new();
    for FoundServer { server, model } in look_around() {
        let mut provider = server.provider();
        provider["models"] = json!({ model: {} });
        providers.insert(server.key.to_owned(), provider);
    }
    set_providers(request, Value::Object(providers));
}

fn set_providers(request: &mut OpenRequest, providers: Value) {
    request.loaded.config.providers = serde_json::from_value(providers).expect("the schema knows these keys");
}

/// Writes the server into the user's configuration, which is not there yet.
fn keep(request: &OpenRequest, found: &FoundServer) -> Result<(), Failure> {
    let file = config_file(request);
    write_new(&file, &found.model().settings)
        .map_err(|error| Failure::system(&format!("`{}` could not be written", file.display()), error))
}

fn names() -> String {
    KNOWN.map(|known| known.name).join(", ")
}

fn names_no_model(request: &OpenRequest) -> bool {
    let config = &request.loaded.config;
    let asks_network = matches!(request.source, ModelSource::Network | ModelSource::Record(_));
    asks_network && request.model.is_none() && config.model.is_none() && config.providers.is_empty()
}

fn offers(found: &[FoundServer], file: &str) -> String {
    let mut text = "  look around      lathe demo\n".to_owned();
    for found in found {
        let (server, settings) = (found.server, found.settings());
        let _ = writeln!(
            text,
            "  a local server   {} was found on port {}; put this into `{file}`:",
            server.name, server.port
        );
        let _ = writeln!(text, "                   {settings}");
    }
    if found.is_empty() {
        let _ = writeln!(
            text,
            "  a local server   none was found; start one ({}), then lathe again",
            names()
        );
    }
    let _ = write!(text, "  a key            set {}", KEYS.join(" or "));
    text
}

/// Asks all places at once.
fn look_around() -> Vec<FoundServer> {
    let asking: Vec<_> = KNOWN
        .into_iter()
        .map(|server| thread::spawn(move || ask(server)))
        .collect();
    asking
        .into_iter()
        .filter_map(|asked| asked.join().ok().flatten())
        .collect()
}

/// Asks a server for its list of models, which shows that it is one; the first model is as good as any.
fn ask(server: KnownServer) -> Option<FoundServer> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    // Version 1.0, so that the answer is neither chunked nor kept open.
    stream
        .write_all(b"GET /v1/models HTTP/1.0\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n")
        .ok()?;
    let mut answer = Vec::new();
    stream.take(MAX_ANSWER).read_to_end(&mut answer).ok()?;
    let model = first_model(&String::from_utf8_lossy(&answer))?;
    Some(FoundServer { server, model })
}

fn first_model(answer: &str) -> Option<String> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?;
    if status != "200" {
        return None;
    }
    let list: Value = serde_json::from_str(body.trim()).ok()?;
    Some(list.get("data")?.get(0)?.get("id")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn serve(answer: &'static str) -> KnownServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 512];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer.as_bytes());
        });
        KnownServer {
            name: "Ollama",
            key: "ollama",
            port,
        }
    }

    #[test]
    fn a_server_is_known_by_its_list_of_models() {
        let server =
            serve("HTTP/1.0 200 OK\r\nServer: x\r\n\r\n{\"data\": [{\"id\": \"a/b:7b\"}, {\"id\": \"c\"}]}");
        assert_eq!(
            ask(server),
            Some(FoundServer {
                server,
                model: "a/b:7b".to_owned()
            })
        );
        assert_eq!(
            ask(serve(
                "HTTP/1.0 404 Not Found\r\n\r\n{\"data\": [{\"id\": \"a\"}]}"
            )),
            None
        );
        assert_eq!(ask(serve("HTTP/1.0 200 OK\r\n\r\n<html>")), None);
        assert_eq!(ask(serve("220 mail ready\r\n")), None);
    }

    #[test]
    fn a_port_where_nothing_listens_offers_nothing() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        assert_eq!(ask(KnownServer { port, ..KNOWN[0] }), None);
    }

    #[test]
    fn a_server_that_was_found_is_used_and_stored_only_where_it_is_kept() {
        let base = tempfile::tempdir().unwrap();
        let place =
            || crate::cli::place::Locations::new(crate::config::Dirs::below(base.path()), base.path());
        let mut request = place()
            .request(
                crate::cli::args::OpenArgs::default(),
                crate::session::wire::SessionChoice::New,
                ModelSource::Network,
                crate::session::wire::FrontEndKind::Attended,
            )
            .unwrap();
        let found = FoundServer {
            server: KNOWN[0],
            model: "a/b:7b".to_owned(),
        };
        use_server(&mut request, found);
        let preview = crate::session::wire::preview(&request).unwrap();
        assert_eq!(preview.model, "ollama/a/b:7b");
        assert!(!request.dirs.config.join("lathe.jsonc").exists());
        let found = FoundServer {
            server: KNOWN[0],
            model: "a/b:7b".to_owned(),
        };
        keep(&request, &found).unwrap();
        let again = place()
            .request(
                crate::cli::args::OpenArgs::default(),
                crate::session::wire::SessionChoice::New,
                ModelSource::Network,
                crate::session::wire::FrontEndKind::Attended,
            )
            .unwrap();
        let preview = crate::session::wire::preview(&again).unwrap();
        assert_eq!(
            preview.model, "ollama/a/b:7b",
            "a session that began without the file goes on with it"
        );
        assert!(
            keep(&request, &found).is_err(),
            "what is there is not written over"
        );
    }

    #[test]
    fn the_demo_a_server_and_a_key_are_offered() {
        let found = [FoundServer {
            server: KNOWN[0],
            model: "llama3".to_owned(),
        }];
        let text = offers(&found, "/c/lathe.jsonc");
        for part in [
            "lathe demo",
            "Ollama was found on port 11434",
            "`/c/lathe.jsonc`",
            "ollama/llama3",
            "OPENAI_API_KEY",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        assert!(offers(&[], "x").contains("none was found"));
    }
}
