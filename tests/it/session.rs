//! A session through its handle: operations in, events out, and what is on disk.

use std::sync::Arc;
use std::time::Duration;

use lathe::config::{Dirs, LoadRequest, load};
use lathe::conversation::{CallState, MessageState, PartBody, Role, SessionId};
use lathe::permission::{Mode, Question, Reply};
use lathe::session::wire::{FrontEndKind, ModelSource, OpenRequest, Opened, ProjectTrust, Which, open};
use lathe::session::{
    CalledCommand, Done, Event, Handle, Input, Mention, Op, QueuedKind, Receiver, Snapshot, StoredDraft,
    StoredFile, Way,
};
use lathe::tool::{Form, FormReply};
use serde_json::json;

use crate::support::{Fault, Gate, Project, Protocol, Server, Turn};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// How the project is opened by a person at the screen.
pub(crate) fn request(project: &Project, which: Which, mode: Mode) -> OpenRequest {
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

pub(crate) struct Live {
    pub(crate) handle: Handle,
    events: Receiver,
    pub(crate) snapshot: Snapshot,
    actor: tokio::task::JoinHandle<()>,
}

impl Live {
    pub(crate) async fn open(project: &Project, which: Which, mode: Mode) -> Self {
        let Opened { handle, actor, .. } = open(&request(project, which, mode)).expect("it opens");
        let (snapshot, events) = handle.attach().await.expect("it lives");
        Self {
            handle,
            events,
            snapshot,
            actor,
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

    pub(crate) async fn form(&mut self) -> Arc<Form> {
        let seen = self
            .until("form", |event| matches!(event, Event::FormPut(_)))
            .await;
        let Some(Event::FormPut(form)) = seen.last() else {
            unreachable!()
        };
        Arc::clone(form)
    }

    pub(crate) fn fill(&self, form: &Form, reply: FormReply) {
        self.handle
            .send(Op::Fill { id: form.id, reply })
            .expect("it takes operations");
    }

    pub(crate) async fn until_turn_ended(&mut self) -> (Done, Vec<Event>) {
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
        self.handle.send(Op::Close).expect("it takes operations");
        self.actor.await.expect("it ends well");
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
        Event::CallEnded { result, .. } => Some(Arc::clone(result)),
        _ => None,
    });
    ended.collect()
}

#[tokio::test]
async fn a_reply_streams_in_and_is_kept() {
    let server = Server::with([Turn::text("Hello, world.")]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("say hello");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!((done, text_of(&events).as_str()), (Done::Stop, "Hello, world."));
    let id = live.snapshot.info.id.clone();
    live.close().await;

    let again = Live::open(&project, Which::Newest, Mode::Ask).await;
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

#[tokio::test]
async fn a_change_of_agent_is_told_and_kept_and_its_model_comes_and_goes_with_it() {
    let server = Server::with(["One.", "Two."].map(Turn::text));
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"providers": {"local": {"models": {"other": {"context": 32_000}}}}}))
        .file(".lathe/agents/own.md", "---\nmodel: local/other\n---\nx\n");
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
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

    let mut again = Live::open(&project, Which::Newest, Mode::Ask).await;
    assert_eq!(again.snapshot.info.agent, "plan");
    again.submit("two");
    again.until_turn_ended().await;
    let models = server
        .requests()
        .into_iter()
        .map(|request| request.body["model"].clone());
    assert_eq!(models.collect::<Vec<_>>(), ["other", "test-model"]);
}

#[tokio::test]
async fn an_agent_changed_before_the_first_word_leaves_no_trace() {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    let id = live.snapshot.info.id.clone();
    live.handle.send(Op::SetAgent("plan".to_owned())).unwrap();
    live.until("change", |event| matches!(event, Event::Agent(_)))
        .await;
    live.close().await;
    let error = open(&request(&project, Which::Id(id), Mode::Ask)).unwrap_err();
    assert!(error.message.contains("there is no session"), "{}", error.message);
}

#[tokio::test]
async fn a_session_in_which_nothing_was_said_leaves_no_trace() {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let live = Live::open(&project, Which::New, Mode::Ask).await;
    let id = live.snapshot.info.id.clone();
    live.close().await;
    let error = open(&request(&project, Which::Id(id), Mode::Ask)).unwrap_err();
    assert!(error.message.contains("there is no session"), "{}", error.message);
}

#[tokio::test]
async fn a_call_waits_for_its_answer_and_its_result_goes_back() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch made.txt && echo made"})),
        Turn::text("Done."),
    ]);
    let project = Project::new().model(&server, Protocol::Anthropic);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("make it");
    let question = live.question().await;
    assert_eq!(question.inquiry.title, "bash wants to run");
    assert!(!project.exists("made.txt"), "nothing happens before the answer");
    assert_eq!(live.snapshot().await.questions.len(), 1);
    live.handle
        .send(Op::Answer {
            id: question.id,
            reply: Reply::Once,
        })
        .unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, Done::Stop);
    assert_eq!(results(&events)[0].output, "made");
    assert!(project.exists("made.txt"));
    assert!(server.requests()[1].mentions("made"));
    live.close().await;
}

#[tokio::test]
async fn a_refusal_without_a_word_ends_the_turn_and_one_with_a_word_goes_on() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "rm -rf x"})),
        Turn::tool("bash", json!({"command": "rm -rf y"})),
        Turn::text("Understood."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    for (prompt, reply, end) in [
        ("first", Reply::Reject(None), Done::Cancelled),
        ("second", Reply::Reject(Some("use git".to_owned())), Done::Stop),
    ] {
        live.submit(prompt);
        let question = live.question().await;
        live.handle
            .send(Op::Answer {
                id: question.id,
                reply,
            })
            .unwrap();
        let (done, events) = live.until_turn_ended().await;
        assert_eq!(done, end);
        assert_eq!(
            results(&events)[0].error_kind(),
            Some(lathe::conversation::ErrorKind::Rejected)
        );
    }
    assert!(server.requests()[2].mentions("use git"));
    live.close().await;
}

#[tokio::test]
async fn nothing_of_a_reply_begins_after_a_refusal_without_a_word() {
    use lathe::conversation::ErrorKind::{Cancelled, Rejected};
    let write = |path: &str| json!({"file_path": path, "content": "x"});
    let server = Server::with([Turn::new()
        .call("write", write("before.txt"))
        .call("bash", json!({"command": "rm -rf x"}))
        .call("write", write("after.txt"))
        .call("read", json!({"file_path": "before.txt"}))]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"permission": {"edit": "allow"}}));
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("go");
    let question = live.question().await;
    let reply = Reply::Reject(None);
    live.handle
        .send(Op::Answer {
            id: question.id,
            reply,
        })
        .unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, Done::Cancelled);
    let kinds: Vec<_> = results(&events)
        .iter()
        .map(|result| result.error_kind())
        .collect();
    // The first ended before anybody was asked.
    assert_eq!(
        kinds[kinds.len() - 3..],
        [Some(Rejected), Some(Cancelled), Some(Cancelled)]
    );
    assert!(project.exists("before.txt") && !project.exists("after.txt"));
    live.close().await;
}

#[tokio::test]
async fn an_interrupt_keeps_what_was_said_and_the_next_turn_is_well_formed() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::text("Half of a long sentence.").gate(2, &gate),
        Turn::text("Again."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiResponses);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("talk");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.handle.send(Op::Interrupt).unwrap();
    let (done, _) = live.until_turn_ended().await;
    assert_eq!(done, Done::Cancelled);
    gate.open();
    live.submit("again");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!((done, text_of(&events).as_str()), (Done::Stop, "Again."));
    let cut = live
        .snapshot()
        .await
        .messages
        .iter()
        .filter(|message| message.state == MessageState::Cut)
        .count();
    assert_eq!(cut, 1);
    live.close().await;
}

#[tokio::test]
async fn an_interrupt_stops_a_running_command_and_its_call_has_a_result() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "sleep 60"})),
        Turn::text("never"),
    ]);
    let project = Project::new()
        .config(json!({"permission": {"bash": "allow"}}))
        .model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("sleep");
    live.until("running call", |event| matches!(event, Event::CallRunning { .. }))
        .await;
    live.handle.send(Op::Interrupt).unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, Done::Cancelled);
    let results = results(&events);
    assert_eq!(results.len(), 1);
    assert_eq!(
        results[0].error_kind(),
        Some(lathe::conversation::ErrorKind::Cancelled)
    );
    live.close().await;
}

#[tokio::test]
async fn a_steer_joins_at_the_next_tool_boundary() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch a"})),
        Turn::text("Yes."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("work");
    let question = live.question().await;
    live.submit("and be quick");
    let seen = live
        .until("queue", |event| matches!(event, Event::Queue(_)))
        .await;
    let Some(Event::Queue(queue)) = seen.last() else {
        unreachable!()
    };
    assert_eq!((queue.len(), queue[0].kind), (1, QueuedKind::Steer));
    live.handle
        .send(Op::Answer {
            id: question.id,
            reply: Reply::Once,
        })
        .unwrap();
    live.until_turn_ended().await;
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].mentions("and be quick"));
    let snapshot = live.snapshot().await;
    assert!(snapshot.queue.is_empty());
    live.close().await;
}

#[tokio::test]
async fn what_is_queued_goes_after_the_turn_and_is_held_after_an_interrupt() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::text("One moment please.").gate(1, &gate),
        Turn::text("Second."),
        Turn::text("Third.").gate(1, &Gate::new()),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("one");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.handle.send(Op::Queue(input("two"))).unwrap();
    gate.open();
    live.until_turn_ended().await;
    let (done, events) = live.until_turn_ended().await;
    assert_eq!((done, text_of(&events).as_str()), (Done::Stop, "Second."));

    live.submit("three");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.handle.send(Op::Queue(input("four"))).unwrap();
    live.handle.send(Op::Interrupt).unwrap();
    live.until_turn_ended().await;
    let queue = live
        .until("queue", |event| matches!(event, Event::Queue(_)))
        .await;
    let Some(Event::Queue(queue)) = queue.last() else {
        unreachable!()
    };
    assert_eq!((queue.len(), queue[0].kind), (1, QueuedKind::Held));
    live.close().await;
}

#[tokio::test]
async fn what_waits_can_be_moved_redirected_and_taken_back_until_it_is_sent() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::new()
            .say("Wait. ")
            .call("bash", json!({"command": "touch a"}))
            .gate(1, &gate),
        Turn::text("All read."),
        Turn::text("Queued read."),
    ]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"permission": {"bash": "allow"}}));
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("work");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.submit("steer one");
    for text in ["queued two", "queued three", "queued four"] {
        live.handle.send(Op::Queue(input(text))).unwrap();
    }
    let ops = [
        Op::Shift {
            id: 3,
            way: Way::Sooner,
        },
        // It stands next to a steer, so it cannot come sooner.
        Op::Shift {
            id: 3,
            way: Way::Sooner,
        },
        Op::Redirect(4),
        Op::Shift {
            id: 4,
            way: Way::Sooner,
        },
        Op::Unqueue(2),
    ];
    for op in ops {
        live.handle.send(op).unwrap();
    }
    let seen = live
        .until("what was taken back", |event| {
            matches!(event, Event::Unqueued { .. })
        })
        .await;
    let Some(Event::Unqueued {
        id: 2,
        input: Some(back),
    }) = seen.last()
    else {
        panic!("{:?}", seen.last());
    };
    assert_eq!(back.text, "queued two");
    let waiting: Vec<_> = live.snapshot().await.queue;
    let waiting: Vec<_> = waiting.iter().map(|queued| (queued.id, queued.kind)).collect();
    let expected = [
        (4, QueuedKind::Steer),
        (1, QueuedKind::Steer),
        (3, QueuedKind::Queue),
    ];
    assert_eq!(waiting, expected);
    gate.open();
    let (done, _) = live.until_turn_ended().await;
    assert_eq!(done, Done::Stop);
    live.handle.send(Op::Unqueue(4)).unwrap();
    live.until("too late", |event| {
        matches!(event, Event::Unqueued { id: 4, input: None })
    })
    .await;
    live.until("the end of the queued turn", |event| matches!(event, Event::Delta { delta, .. } if delta.contains("Queued") || delta.contains("read")))
        .await;
    let requests = server.requests();
    let said = |text: &str| requests.iter().position(|request| request.mentions(text));
    assert_eq!(
        (said("queued four"), said("steer one"), said("queued three")),
        (Some(1), Some(1), Some(2))
    );
    assert_eq!(said("queued two"), None);
    live.close().await;
}

#[tokio::test]
async fn what_is_held_stays_held_whatever_is_sent_after_it() {
    let server = Server::with([
        Turn::text("One moment please.").gate(1, &Gate::new()),
        Turn::text("Second."),
        Turn::text("Third."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("one");
    live.until("delta", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.handle.send(Op::Queue(input("held two"))).unwrap();
    live.handle.send(Op::Interrupt).unwrap();
    live.until_turn_ended().await;
    live.submit("three");
    live.until_turn_ended().await;
    let queue = live.snapshot().await.queue;
    assert_eq!((queue.len(), queue[0].kind), (1, QueuedKind::Held));
    live.handle.send(Op::Release).unwrap();
    live.until_turn_ended().await;
    assert!(server.requests()[2].mentions("held two"));
    live.close().await;
}

#[tokio::test]
async fn a_lost_reply_is_asked_again_under_a_new_message() {
    let server = Server::with([Turn::text("The whole answer.").fail(Fault::Drop { after: 2 })]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("ask");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, Done::Stop);
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

#[tokio::test]
async fn always_is_kept_for_the_project_and_answers_what_waits() {
    let call = |name: &str| json!({"command": format!("touch {name}")});
    let server = Server::with([
        Turn::new().call("bash", call("a")).call("bash", call("b")),
        Turn::text("Done."),
        Turn::tool("bash", call("c")),
        Turn::text("Done."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("touch");
    let question = live.question().await;
    let row = &question.inquiry.rows[0];
    assert_eq!(row.ask.always, ["touch *"]);
    let patterns = vec![("bash".to_owned(), "touch *".to_owned())];
    let reply = Reply::Always {
        patterns,
        scope: lathe::permission::Scope::Project,
    };
    live.handle
        .send(Op::Answer {
            id: question.id,
            reply,
        })
        .unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!((done, results(&events).len()), (Done::Stop, 2));
    live.close().await;

    let mut again = Live::open(&project, Which::New, Mode::Ask).await;
    again.submit("touch again");
    let (done, events) = again.until_turn_ended().await;
    assert_eq!(done, Done::Stop);
    assert!(!events.iter().any(|event| matches!(event, Event::Asked(_))));
    assert!(project.exists("c"));
    again.close().await;
}

#[tokio::test]
async fn a_second_process_may_read_and_not_write() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("hello");
    live.until_turn_ended().await;
    let id: SessionId = live.snapshot.info.id.clone();
    let mut second = Live::open(&project, Which::Id(id), Mode::Ask).await;
    assert!(second.snapshot.info.read_only.is_some());
    assert_eq!(second.snapshot.messages.len(), 2);
    second.submit("me too");
    second
        .until("error", |event| matches!(event, Event::Error(_)))
        .await;
    live.close().await;
}

#[tokio::test]
async fn calls_of_one_reply_end_with_one_result_each_whatever_they_are() {
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
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("read");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, Done::Stop);
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

fn mention(path: &str) -> Mention {
    Mention {
        path: path.to_owned(),
        lines: None,
        is_sure: true,
        label: None,
    }
}

#[tokio::test]
async fn files_that_a_rule_asks_about_go_with_a_message_only_when_they_are_meant() {
    let server = Server::with([Turn::text("Plain."), Turn::text("With them.")]);
    let outside = tempfile::tempdir().unwrap();
    let key = outside.path().join("key");
    std::fs::write(&key, "outer-secret").unwrap();
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file("a.rs", "fn plain() {}\n")
        .file(".env", "KEY=inner-secret\n");
    std::os::unix::fs::symlink(&key, project.path("link.md")).unwrap();
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    let outer = key.display().to_string();
    let named = ["a.rs", outer.as_str(), "link.md", ".env"].map(mention).to_vec();
    let wanted = Input {
        mentions: named,
        ..input("look")
    };
    live.handle.send(Op::Submit(wanted.clone())).unwrap();
    let seen = live
        .until("message that comes back", |event| {
            matches!(event, Event::Unread { .. })
        })
        .await;
    let Some(Event::Unread { input: back, report }) = seen.last() else {
        unreachable!()
    };
    assert_eq!(back.meant, [outer.as_str(), "link.md", ".env"]);
    let words = format!("it names `{outer}`, `link.md`, `.env`, which are read only if you say so");
    assert!(report.message.contains(&words), "{}", report.message);
    let plain = Input {
        mentions: vec![mention("a.rs")],
        ..input("look")
    };
    live.handle.send(Op::Submit(plain)).unwrap();
    live.until_turn_ended().await;
    live.handle
        .send(Op::Submit(Input {
            meant: back.meant.clone(),
            ..wanted
        }))
        .unwrap();
    live.until_turn_ended().await;
    let requests = server.requests();
    assert!(requests[0].mentions("fn plain()"), "what is allowed goes at once");
    for secret in ["outer-secret", "inner-secret"] {
        assert!(
            !requests[0].mentions(secret) && requests[1].mentions(secret),
            "{secret}"
        );
    }
    live.close().await;
}

#[tokio::test]
async fn a_file_that_is_denied_does_not_go_even_if_it_is_meant() {
    let server = Server::start();
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file(".env", "KEY=hidden\n")
        .config(json!({"permission": {"read": {"*": "allow", "*.env": "deny"}}}));
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    let wanted = Input {
        mentions: vec![mention(".env")],
        meant: vec![".env".to_owned()],
        ..input("look")
    };
    live.handle.send(Op::Submit(wanted)).unwrap();
    let seen = live
        .until("message that comes back", |event| {
            matches!(event, Event::Unread { .. })
        })
        .await;
    let Some(Event::Unread { input: back, .. }) = seen.last() else {
        unreachable!()
    };
    assert_eq!(back.meant, Vec::<String>::new());
    assert!(server.requests().is_empty());
    live.close().await;
}

#[tokio::test]
async fn what_waits_for_its_files_when_the_session_is_closed_is_in_the_draft() {
    let server = Server::start();
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file("a.rs", "fn plain() {}\n");
    let live = Live::open(&project, Which::New, Mode::Ask).await;
    let id = live.snapshot.info.id.clone();
    let first = Input {
        mentions: vec![mention("a.rs")],
        ..input("see @a.rs")
    };
    let label = "[image 1: a.png 3×2]";
    let second = Input {
        mentions: vec![Mention {
            label: Some(label.to_owned()),
            ..mention("/tmp/a.png")
        }],
        ..input(label)
    };
    // All three are there before the session looks at the first.
    live.handle.send(Op::Submit(first)).unwrap();
    live.handle.send(Op::Submit(second)).unwrap();
    live.handle.send(Op::Draft("begun".to_owned())).unwrap();
    live.close().await;
    let live = Live::open(&project, Which::Id(id), Mode::Ask).await;
    let draft = StoredDraft::read(&live.snapshot.draft);
    assert_eq!(draft.text, format!("see @a.rs\n\n{label}\n\nbegun"));
    let file = StoredFile {
        label: label.to_owned(),
        path: "/tmp/a.png".to_owned(),
    };
    assert_eq!(draft.files, [file]);
    assert!(server.requests().is_empty());
    live.close().await;
}

/// The result of the only call in a turn.
fn call_kind(events: &[Event]) -> Option<lathe::conversation::ErrorKind> {
    let results = results(events);
    assert_eq!(results.len(), 1, "{results:?}");
    results[0].error_kind()
}

#[tokio::test]
async fn a_file_of_a_message_that_was_never_sent_counts_as_not_read() {
    use lathe::conversation::ErrorKind;
    let edit = |from: &str, to: &str| {
        let args = json!({"file_path": "sub/a.rs", "old_string": from, "new_string": to});
        Turn::tool("edit", args)
    };
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch made"})),
        Turn::text("Waited."),
        edit("plain", "changed"),
        Turn::text("Refused."),
        edit("plain", "changed"),
        Turn::text("Done."),
    ]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"permission": {"edit": "allow"}}))
        .file("sub/AGENTS.md", "Mind the gap.\n")
        .file("sub/a.rs", "fn plain() {}\n");
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    let named = Input {
        mentions: vec![mention("sub/a.rs")],
        ..input("look at @sub/a.rs")
    };
    live.submit("wait");
    let question = live.question().await;
    live.handle.send(Op::Queue(named.clone())).unwrap();
    let queued = |event: &Event| match event {
        Event::Queue(queue) => queue.first().map(|queued| queued.id),
        _ => None,
    };
    let seen = live.until("queue", |event| queued(event).is_some()).await;
    let id = seen.last().and_then(queued).unwrap();
    live.handle.send(Op::Unqueue(id)).unwrap();
    live.until("message that comes back", |event| {
        matches!(event, Event::Unqueued { input: Some(_), .. })
    })
    .await;
    let reply = Reply::Once;
    let id = question.id;
    live.handle.send(Op::Answer { id, reply }).unwrap();
    live.until_turn_ended().await;

    live.submit("edit it");
    let (_, events) = live.until_turn_ended().await;
    assert_eq!(
        call_kind(&events),
        Some(ErrorKind::NotRead),
        "nobody was shown it"
    );
    live.handle.send(Op::Submit(named)).unwrap();
    let (_, events) = live.until_turn_ended().await;
    assert_eq!(call_kind(&events), None);
    assert_eq!(project.read("sub/a.rs"), "fn changed() {}\n");
    let requests = server.requests();
    let saw_instructions = |place: usize| requests[place].mentions("Mind the gap.");
    assert!(
        !saw_instructions(2) && saw_instructions(4),
        "they come with what is sent"
    );
    live.close().await;
}

#[tokio::test]
async fn a_file_of_a_steer_counts_as_read_once_the_steer_has_joined() {
    let edit = json!({"file_path": "a.rs", "old_string": "plain", "new_string": "changed"});
    let server = Server::with([
        Turn::tool("bash", json!({"command": "touch made"})),
        Turn::tool("edit", edit),
        Turn::text("Done."),
    ]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"permission": {"edit": "allow"}}))
        .file("a.rs", "fn plain() {}\n");
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.submit("wait");
    let question = live.question().await;
    let steer = Input {
        mentions: vec![mention("a.rs")],
        ..input("change @a.rs")
    };
    live.handle.send(Op::Submit(steer)).unwrap();
    live.until(
        "queue",
        |event| matches!(event, Event::Queue(queue) if !queue.is_empty()),
    )
    .await;
    let (id, reply) = (question.id, Reply::Once);
    live.handle.send(Op::Answer { id, reply }).unwrap();
    live.until_turn_ended().await;
    assert_eq!(project.read("a.rs"), "fn changed() {}\n");
    live.close().await;
}

fn called(name: &str) -> Input {
    Input {
        command: Some(CalledCommand::ByName {
            name: name.to_owned(),
            arguments: String::new(),
        }),
        ..input(&format!("/{name}"))
    }
}

impl Live {
    /// Sends something that comes back, and returns it with the sentence that says why.
    async fn comes_back(&mut self, sent: Input) -> (Input, String) {
        self.handle.send(Op::Submit(sent)).expect("it takes operations");
        let seen = self
            .until("message that comes back", |event| {
                matches!(event, Event::Unread { .. })
            })
            .await;
        let Some(Event::Unread { input, report }) = seen.last() else {
            unreachable!()
        };
        (Input::clone(input), report.sentence())
    }

    async fn goes(&mut self, sent: Input) {
        self.handle.send(Op::Submit(sent)).expect("it takes operations");
        let (_, events) = self.until_turn_ended().await;
        let came_back = events.iter().any(|event| matches!(event, Event::Unread { .. }));
        assert!(!came_back, "{events:#?}");
    }
}

#[tokio::test]
async fn what_a_command_of_the_project_names_outside_of_it_goes_along_only_with_the_persons_word_for_this_call()
 {
    let server = Server::with([Turn::text("With it.")]);
    let outside = tempfile::tempdir().unwrap();
    let key = outside.path().join("key");
    std::fs::write(&key, "outer-secret").unwrap();
    let outer = key.display().to_string();
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file(
            ".lathe/commands/look.md",
            &format!("Look at @{outer} and @a.rs.\n"),
        )
        .file("a.rs", "fn plain() {}\n");
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    let (back, words) = live.comes_back(called("look")).await;
    let why = format!("`/look` names `{outer}`, which is read only if you say so");
    assert!(words.contains(&why), "{words}");
    live.goes(Input {
        meant: back.meant,
        ..called("look")
    })
    .await;
    assert!(server.requests()[0].mentions("outer-secret"));
    live.comes_back(called("look")).await;
    assert_eq!(server.requests().len(), 1);
    live.close().await;
}

#[tokio::test]
async fn what_an_own_command_names_outside_of_the_project_is_the_persons_word_and_what_it_names_inside_is_not()
 {
    let server = Server::with([Turn::text("With it.")]);
    let outside = tempfile::tempdir().unwrap();
    let style = outside.path().join("style.md");
    std::fs::write(&style, "own-style").unwrap();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let own = |name: &str, text: &str| {
        let file = project.config_dir().join("commands").join(name);
        project.write(file, text.as_bytes());
    };
    own("style.md", &format!("Mind @{}.\n", style.display()));
    own("notes.md", "Mind @notes.md.\n");
    // The project gives the name another file.
    std::os::unix::fs::symlink(&style, project.path("notes.md")).unwrap();
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    live.goes(called("style")).await;
    assert!(server.requests()[0].mentions("own-style"));
    let (back, _) = live.comes_back(called("notes")).await;
    assert_eq!(back.meant, ["notes.md"]);
    live.close().await;
}

#[tokio::test]
async fn a_command_goes_without_files_that_cannot_be_read_when_it_is_sent_again() {
    let server = Server::with([Turn::text("Without them.")]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file(".lathe/commands/look.md", "Look at @.env, @b.env and @a.rs.\n")
        .file(".env", "KEY=hidden-one\n")
        .file("b.env", "KEY=hidden-two\n")
        .file("a.rs", "fn plain() {}\n")
        .config(json!({"permission": {"read": {"*": "allow", "*.env": "deny"}}}));
    let mut live = Live::open(&project, Which::New, Mode::Ask).await;
    let (back, words) = live.comes_back(called("look")).await;
    assert!(
        words.contains("`/look` names a file that cannot go along: "),
        "{words}"
    );
    assert_eq!(back.without, [".env", "b.env"]);
    live.goes(Input {
        without: back.without,
        ..called("look")
    })
    .await;
    let request = &server.requests()[0];
    assert!(request.mentions("fn plain()") && !request.mentions("hidden-"));
    live.close().await;
}
