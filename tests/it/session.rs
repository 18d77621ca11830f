//! A session through its handle: operations in, events out, and what is on disk.
//!
//! Every scenario runs twice: over the handle itself, and with all that crosses it made to bytes and back.

mod asking;
mod cards;
mod children;
mod commands;
mod data;
mod files;
pub(crate) mod front_end;
mod interrupting;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use lathe::config::{Dirs, LoadRequest, load};
use lathe::conversation::{CallState, MessageState, PartBody, Role, SessionId};
use lathe::permission::Mode;
use lathe::question::{Form, FormReply, Question, Reply};
use lathe::session::host::Host;
use lathe::session::wire::{FrontEndKind, ModelSource, OpenRequest, ProjectTrust, SessionChoice};
use lathe::session::{Event, Input, Op, Snapshot, TurnEndReason};
use serde_json::json;
use tokio::runtime::Handle;

pub(crate) use front_end::{Crossing, over_both};
use front_end::{Events, FrontEnd};

use crate::support::{Fault, Project, Protocol, Server, Turn};

over_both! {
    a_reply_streams_in_and_is_kept,
    a_change_of_agent_is_told_and_kept_and_its_model_comes_and_goes_with_it,
    an_agent_changed_before_the_first_word_leaves_no_trace,
    a_session_in_which_nothing_was_said_leaves_no_trace,
    a_lost_reply_is_asked_again_under_a_new_message,
    a_second_process_may_read_and_not_write,
    every_call_of_a_reply_ends_with_exactly_one_result,
}

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// How the project is opened by a person at the screen.
pub(crate) fn request(project: &Project, which: SessionChoice, mode: Mode) -> OpenRequest {
    let dirs = Dirs {
        config: project.config_dir(),
        data: project.data_dir(),
        state: project.state_dir(),
        cache: project.cache_dir(),
        system: project.home().join("no-system"),
        home: Some(project.home()),
    };
    let root = project.root();
    let wanted = LoadRequest {
        dirs: &dirs,
        project_root: &root,
        cwd: &root,
        extra: None,
        make_gate: lathe::session::wire::prompt_gate,
        unconfirmed: &lathe::unconfirmed::UnconfirmedFiles::default(),
    };
    let loaded = load(&wanted).expect("the configuration of the test is sound");
    OpenRequest {
        loaded,
        dirs,
        directory: root,
        which,
        model: None,
        agent: None,
        mode,
        front_end: FrontEndKind::Attended,
        source: ModelSource::Network,
        trust: ProjectTrust::default(),
    }
}

/// A host as the program has it; it knows no other project.
pub(crate) fn host(request: OpenRequest) -> Host {
    Host::new(Handle::current(), request, |own, _| Ok(own.clone()))
}

pub(crate) struct Live {
    pub(crate) handle: FrontEnd,
    events: Events,
    pub(crate) snapshot: Snapshot,
    host: Host,
}

impl Live {
    pub(crate) async fn open(project: &Project, which: SessionChoice, mode: Mode) -> Self {
        Self::open_in(host(request(project, which, mode))).await
    }

    pub(crate) async fn open_in(host: Host) -> Self {
        let opened = host.open_first().await;
        let handle = opened
            .map_err(|report| report.sentence())
            .expect("it opens")
            .handle;
        let handle = FrontEnd::new(handle);
        let (snapshot, events) = handle.attach().await.expect("it lives");
        Self {
            handle,
            events,
            snapshot,
            host,
        }
    }

    pub(crate) fn submit(&self, text: &str) {
        self.handle
            .send(Op::Submit(input(text)))
            .expect("it takes operations");
    }

    pub(crate) async fn until(&mut self, what: &str, mut wanted: impl FnMut(&Event) -> bool) -> Vec<Event> {
        let mut seen = Vec::new();
        loop {
            let next = tokio::time::timeout(PATIENCE, self.events.recv()).await;
            let event = next
                .unwrap_or_else(|_| panic!("no {what} after {seen:#?}"))
                .expect("it lives")
                .event;
            let found = wanted(&event);
            seen.push(event);
            if found {
                return seen;
            }
        }
    }

    async fn question(&mut self) -> Arc<Question> {
        let seen = self
            .until("question", |event| matches!(event, Event::Asked(_)))
            .await;
        let Some(Event::Asked(question)) = seen.last() else {
            unreachable!()
        };
        Arc::clone(question)
    }

    pub(crate) async fn form(&mut self) -> Question<Arc<Form>> {
        let question = self.question().await;
        question.form().expect("a form is asked")
    }

    pub(crate) fn fill(&self, form: &Question<Arc<Form>>, reply: FormReply) {
        let (id, reply) = (form.id, Reply::Form(reply));
        self.handle
            .send(Op::Answer { id, reply })
            .expect("it takes operations");
    }

    pub(crate) async fn until_turn_ended(&mut self) -> (TurnEndReason, Vec<Event>) {
        let seen = self
            .until("end of the turn", |event| matches!(event, Event::TurnEnded(_)))
            .await;
        let Some(Event::TurnEnded(done)) = seen.last() else {
            unreachable!()
        };
        (*done, seen)
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        self.handle.attach().await.expect("it lives").0
    }

    pub(crate) async fn close(self) {
        assert!(self.host.close_all().await, "a session ended by a fault");
    }
}

fn input(text: &str) -> Input {
    Input {
        text: text.to_owned(),
        ..Input::default()
    }
}

fn text_of(events: &[Event]) -> String {
    let deltas = events.iter().filter_map(|event| match event {
        Event::Delta { delta, .. } => Some(delta.as_str()),
        _ => None,
    });
    deltas.collect()
}

pub(crate) fn results(events: &[Event]) -> Vec<Arc<lathe::conversation::CallResult>> {
    let ended = events.iter().filter_map(|event| match event {
        Event::CallEnded { result, .. } => Some(result.get()),
        _ => None,
    });
    ended.collect()
}

async fn a_reply_streams_in_and_is_kept() {
    let server = Server::with([Turn::text("Hello, world.")]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("say hello");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(
        (done, text_of(&events).as_str()),
        (TurnEndReason::Stop, "Hello, world.")
    );
    let id = live.snapshot.info.id.clone();
    live.close().await;

    let again = Live::open(&project, SessionChoice::Newest, Mode::Ask).await;
    assert_eq!(again.snapshot.info.id, id);
    assert_eq!(again.snapshot.info.title, "say hello");
    let texts: Vec<_> = again
        .snapshot
        .messages
        .iter()
        .map(|message| (message.role, message.text()))
        .collect();
    assert_eq!(
        texts,
        [
            (Role::User, "say hello".to_owned()),
            (Role::Assistant, "Hello, world.".to_owned())
        ]
    );
}

async fn a_change_of_agent_is_told_and_kept_and_its_model_comes_and_goes_with_it() {
    let server = Server::with(["One.", "Two."].map(Turn::text));
    let project = Project::new().model(&server, Protocol::OpenAiChat).config(json!({
        "providers": {"local": {"models": {"other": {"context": 32_000}}}},
        "agents": {"own": {"model": "local/other", "prompt": "x"}}
    }));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let agents = live.snapshot.info.agents.iter();
    let names: Vec<&str> = agents.map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["build", "plan", "own"]);
    let set = |live: &Live, name: &str| live.handle.send(Op::SetAgent(name.to_owned())).unwrap();
    set(&live, "nobody");
    let seen = live
        .until("refusal", |event| matches!(event, Event::Notice(_)))
        .await;
    assert!(
        format!("{seen:?}").contains("there is no agent `nobody`"),
        "{seen:?}"
    );
    set(&live, "own");
    live.until(
        "other model",
        |event| matches!(event, Event::Model(model) if model.to_string() == "local/other"),
    )
    .await;
    assert_eq!(live.snapshot().await.info.context_limit, Some(32_000));
    live.submit("one");
    live.until_turn_ended().await;
    set(&live, "plan");
    live.until(
        "model of before",
        |event| matches!(event, Event::Model(model) if model.to_string() == "local/test-model"),
    )
    .await;
    live.close().await;

    let mut again = Live::open(&project, SessionChoice::Newest, Mode::Ask).await;
    assert_eq!(again.snapshot.info.agent, "plan");
    again.submit("two");
    again.until_turn_ended().await;
    let models = server
        .requests()
        .into_iter()
        .map(|request| request.body["model"].clone());
    assert_eq!(models.collect::<Vec<_>>(), ["other", "test-model"]);
}

async fn an_agent_changed_before_the_first_word_leaves_no_trace() {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let id = live.snapshot.info.id.clone();
    live.handle.send(Op::SetAgent("plan".to_owned())).unwrap();
    live.until("change", |event| matches!(event, Event::Agent(_)))
        .await;
    live.close().await;
    let opened = host(request(&project, SessionChoice::Id(id), Mode::Ask))
        .open_first()
        .await;
    let error = opened.err().expect("it is not there");
    assert!(error.message.contains("there is no session"), "{}", error.message);
}

async fn a_session_in_which_nothing_was_said_leaves_no_trace() {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let id = live.snapshot.info.id.clone();
    live.close().await;
    let opened = host(request(&project, SessionChoice::Id(id), Mode::Ask))
        .open_first()
        .await;
    let error = opened.err().expect("it is not there");
    assert!(error.message.contains("there is no session"), "{}", error.message);
}

async fn a_lost_reply_is_asked_again_under_a_new_message() {
    let server = Server::with([Turn::text("The whole answer.").fail(Fault::Drop { after: 2 })]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("ask");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    let retries = events
        .iter()
        .filter(|event| matches!(event, Event::Retry(_)))
        .count();
    assert_eq!(retries, 1);
    let snapshot = live.snapshot().await;
    let states: Vec<_> = snapshot.messages.iter().map(|message| message.state).collect();
    assert_eq!(
        states,
        [MessageState::Complete, MessageState::Void, MessageState::Complete]
    );
    live.close().await;
}

async fn a_second_process_may_read_and_not_write() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("hello");
    live.until_turn_ended().await;
    let id: SessionId = live.snapshot.info.id.clone();
    let mut second = Live::open(&project, SessionChoice::Id(id), Mode::Ask).await;
    assert!(second.snapshot.info.read_only.is_some());
    assert_eq!(second.snapshot.messages.len(), 2);
    second.submit("me too");
    second
        .until("error", |event| matches!(event, Event::Error(_)))
        .await;
    live.close().await;
}

async fn every_call_of_a_reply_ends_with_exactly_one_result() {
    let server = Server::with([
        Turn::new()
            .call("read", json!({"file_path": "a.txt"}))
            .raw_args("read", "{\"file_path\": ")
            .call("reed", json!({"file_path": "a.txt"}))
            .call("read", json!({}))
            .call("read", json!({"file_path": "missing.txt"})),
        Turn::text("Done."),
    ]);
    let project = Project::new()
        .file("a.txt", "one\n")
        .model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("read");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    let mut kinds: Vec<_> = results(&events)
        .iter()
        .map(|result| format!("{:?}", result.error_kind()))
        .collect();
    kinds.sort();
    assert_eq!(
        kinds,
        [
            "None",
            "Some(InvalidArgs)",
            "Some(InvalidArgs)",
            "Some(NotFound)",
            "Some(UnknownTool)"
        ]
    );
    let snapshot = live.snapshot().await;
    let calls: Vec<_> = snapshot.messages[1].calls().collect();
    assert!(
        calls
            .iter()
            .all(|call| call.result.is_some() && call.state != CallState::Pending)
    );
    assert!(matches!(snapshot.messages[1].parts[0].body, PartBody::Tool(_)));
    live.close().await;
}
