//! Agent `plan` and mode `plan` as one thing: choosing either is both, and leaving it brings back what was there before.

use lathe::permission::Mode;
use lathe::question::{FormAnswer, FormReply};
use lathe::session::query::{Answer, CacheMiss, Query};
use lathe::session::wire::{OpenRequest, SessionChoice};
use lathe::session::{Event, Op, SessionInfo};
use lathe::store::Store;
use serde_json::json;

use crate::run::{events_of, project_with};
use crate::screen;
use crate::session::{Live, host, request, results};
use crate::support::{Gate, Key, Lathe, Project, Server, Terminal, Turn};

/// A project with an agent of its own beside `build` and `plan`.
fn project(server: &Server) -> Project {
    project_with(server).config(json!({"agents": {"own": {"mode": "primary", "prompt": "x"}}}))
}

impl Live {
    pub(crate) fn set_mode(&self, mode: Mode) {
        self.handle.send(Op::SetMode(mode)).unwrap();
    }

    pub(crate) fn set_agent(&self, name: &str) {
        self.handle.send(Op::SetAgent(name.to_owned())).unwrap();
    }

    /// Agent and mode, after everything that was sent before.
    pub(crate) async fn works_as(&self) -> (String, Mode) {
        works_as(&self.snapshot().await.info)
    }

    pub(crate) async fn misses(&self) -> Vec<CacheMiss> {
        match self.handle.ask(Query::Context).await.unwrap() {
            Answer::Context(context) => context.misses,
            other => panic!("{other:?}"),
        }
    }
}

fn works_as(info: &SessionInfo) -> (String, Mode) {
    (info.agent.clone(), info.mode)
}

fn expected(agent: &str, mode: Mode) -> (String, Mode) {
    (agent.to_owned(), mode)
}

/// Agents and modes in the order in which they were told.
fn told(events: &[Event]) -> Vec<String> {
    let word = |event: &Event| match event {
        Event::Agent(agent) => Some(format!("agent {agent}")),
        Event::Mode(mode) => Some(format!("mode {mode}")),
        _ => None,
    };
    events.iter().filter_map(word).collect()
}

/// A session that is opened with these, as it begins.
async fn opened(project: &Project, which: SessionChoice, agent: Option<&str>, mode: Mode) -> Live {
    let request = OpenRequest {
        agent: agent.map(str::to_owned),
        ..request(project, which, mode)
    };
    Live::open_in(host(request)).await
}

#[tokio::test]
async fn choosing_either_is_both_and_leaving_brings_back_what_was_before() {
    let project = project(&Server::start());
    let live = Live::open(&project, SessionChoice::New, Mode::AcceptEdits).await;
    live.set_mode(Mode::Plan);
    assert_eq!(live.works_as().await, expected("plan", Mode::Plan));
    live.set_agent("build");
    assert_eq!(live.works_as().await, expected("build", Mode::AcceptEdits));
    live.set_agent("own");
    live.set_agent("plan");
    assert_eq!(live.works_as().await, expected("plan", Mode::Plan));
    live.set_mode(Mode::Yolo);
    assert_eq!(live.works_as().await, expected("own", Mode::Yolo));
    live.set_mode(Mode::Plan);
    live.set_mode(Mode::Plan);
    live.set_agent("plan");
    live.set_agent("build");
    assert_eq!(live.works_as().await, expected("build", Mode::Yolo));
    live.close().await;
}

#[tokio::test]
async fn a_mode_is_told_before_the_agent_it_brings_and_an_agent_before_its_mode() {
    let project = project(&Server::start());
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.set_mode(Mode::Plan);
    live.set_mode(Mode::Ask);
    live.set_agent("plan");
    live.set_agent("build");
    live.handle.send(Op::Rename("end".to_owned())).unwrap();
    let seen = live
        .until("title", |event| matches!(event, Event::Title(_)))
        .await;
    assert_eq!(
        told(&seen),
        [
            "mode plan",
            "agent plan",
            "mode ask",
            "agent build",
            "agent plan",
            "mode plan",
            "agent build",
            "mode ask"
        ]
    );
    live.close().await;
}

#[tokio::test]
async fn a_session_begins_as_both_and_leaving_returns_to_what_was_asked_for() {
    let project = project(&Server::start());
    for (agent, mode, left_by_mode, left_by_agent) in [
        (None, Mode::Plan, "build", Mode::Ask),
        (Some("own"), Mode::Plan, "own", Mode::Ask),
        (Some("plan"), Mode::Ask, "build", Mode::Ask),
        (Some("plan"), Mode::Plan, "build", Mode::Ask),
        (Some("plan"), Mode::Yolo, "build", Mode::Yolo),
    ] {
        let live = opened(&project, SessionChoice::New, agent, mode).await;
        let both = expected("plan", Mode::Plan);
        assert_eq!(works_as(&live.snapshot.info), both, "{agent:?} {mode}");
        live.set_agent("build");
        assert_eq!(
            live.works_as().await,
            expected("build", left_by_agent),
            "{agent:?} {mode}"
        );
        live.close().await;
        let live = opened(&project, SessionChoice::New, agent, mode).await;
        live.set_mode(Mode::AcceptEdits);
        assert_eq!(live.works_as().await, expected(left_by_mode, Mode::AcceptEdits));
        live.close().await;
    }
}

#[tokio::test]
async fn a_session_that_planned_opens_in_mode_plan_and_goes_on_as_build_when_that_is_left() {
    let server = Server::with([Turn::text("Planned.")]);
    let project = project(&server);
    let mut live = opened(&project, SessionChoice::New, Some("own"), Mode::Ask).await;
    live.set_mode(Mode::Plan);
    live.submit("plan it");
    live.until_turn_ended().await;
    live.close().await;
    let again = Live::open(&project, SessionChoice::Newest, Mode::Ask).await;
    assert_eq!(works_as(&again.snapshot.info), expected("plan", Mode::Plan));
    again.set_mode(Mode::AcceptEdits);
    assert_eq!(again.works_as().await, expected("build", Mode::AcceptEdits));
    again.close().await;
    // What was chosen last is kept, although nothing was asked since.
    let last = Live::open(&project, SessionChoice::Newest, Mode::Ask).await;
    assert_eq!(works_as(&last.snapshot.info), expected("build", Mode::Ask));
    last.close().await;
}

#[tokio::test]
async fn passing_by_plan_leaves_no_trace() {
    let server = Server::with(["One.", "Two.", "Three.", "Four."].map(Turn::text));
    let project = project(&server);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let session = live.snapshot.info.id.clone();
    let store = Store::open(&project.data_dir()).unwrap();
    live.submit("one");
    live.until_turn_ended().await;
    for mode in [Mode::AcceptEdits, Mode::Plan, Mode::Yolo] {
        live.set_mode(mode);
    }
    live.submit("two");
    live.until_turn_ended().await;
    assert_eq!(live.misses().await, []);
    assert_eq!(store.system_prompt(&session, "plan").unwrap(), None);
    assert_eq!(store.get(&session).unwrap().unwrap().agent, "build");
    live.set_mode(Mode::Plan);
    live.submit("three");
    live.until_turn_ended().await;
    assert_eq!(live.misses().await, []);
    assert!(store.system_prompt(&session, "plan").unwrap().is_some());
    assert_eq!(store.get(&session).unwrap().unwrap().agent, "plan");
    live.set_agent("build");
    live.set_agent("plan");
    live.submit("four");
    live.until_turn_ended().await;
    assert_eq!(live.misses().await, []);
    live.close().await;
    let requests = server.requests();
    let agents = requests
        .iter()
        .map(|request| request.mentions("You are agent `plan`"));
    assert_eq!(agents.collect::<Vec<_>>(), [false, false, true, true]);
}

/// A turn whose first reply waits at the gate, in the middle of what it says.
fn held(gate: &Gate) -> Turn {
    Turn::new()
        .say("Looking.")
        .call("read", json!({"file_path": "a.txt"}))
        .gate(2, gate)
}

#[tokio::test]
async fn while_a_turn_runs_the_mode_holds_at_once_and_the_agent_comes_with_the_next_step() {
    let gate = Gate::new();
    let server = Server::with([held(&gate), Turn::text("Planned.")]);
    let project = project(&server).file("a.txt", "one\n");
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("go");
    live.until("words", |event| matches!(event, Event::Delta { .. }))
        .await;
    live.set_mode(Mode::Plan);
    assert_eq!(live.works_as().await, expected("build", Mode::Plan));
    gate.open();
    live.until_turn_ended().await;
    assert_eq!(live.works_as().await, expected("plan", Mode::Plan));
    let requests = server.requests();
    assert!(!requests[0].mentions("You are agent `plan`"));
    assert!(requests[1].mentions("You are agent `plan`"));
    live.close().await;
}

#[tokio::test]
async fn what_is_taken_back_before_the_next_step_does_not_come() {
    for choose in [
        |live: &Live| {
            live.set_mode(Mode::Plan);
            live.set_mode(Mode::Yolo);
        },
        |live: &Live| {
            live.set_agent("plan");
            live.set_mode(Mode::Yolo);
        },
        |live: &Live| {
            live.set_mode(Mode::Yolo);
            live.set_mode(Mode::Plan);
            live.set_agent("build");
        },
        |live: &Live| {
            live.set_mode(Mode::Yolo);
            live.set_agent("plan");
            live.set_agent("build");
        },
    ] {
        let gate = Gate::new();
        let server = Server::with([held(&gate), Turn::text("Built.")]);
        let project = project(&server).file("a.txt", "one\n");
        let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
        live.submit("go");
        live.until("words", |event| matches!(event, Event::Delta { .. }))
            .await;
        choose(&live);
        assert_eq!(live.works_as().await, expected("build", Mode::Yolo));
        gate.open();
        let (_, seen) = live.until_turn_ended().await;
        assert!(
            !told(&seen).iter().any(|word| word.starts_with("agent ")),
            "{seen:?}"
        );
        assert!(!server.requests()[1].mentions("You are agent `plan`"));
        assert_eq!(live.works_as().await, expected("build", Mode::Yolo));
        live.close().await;
    }
}

#[tokio::test]
async fn where_agent_plan_cannot_be_used_the_mode_works_alone() {
    let server = Server::with([
        Turn::tool("write", json!({"file_path": "a.txt", "content": "new\n"})),
        Turn::text("No."),
    ]);
    let project = project(&server).config(json!({"agents": {"plan": {"disable": true}}}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Plan).await;
    assert_eq!(works_as(&live.snapshot.info), expected("build", Mode::Plan));
    live.submit("go");
    let (_, seen) = live.until_turn_ended().await;
    assert!(!results(&seen)[0].ok);
    assert!(!project.exists("a.txt"));
    assert!(server.requests()[0].mentions("Plan mode is on."));
    live.set_agent("own");
    assert_eq!(live.works_as().await, expected("own", Mode::Plan));
    live.set_mode(Mode::Ask);
    live.set_mode(Mode::Plan);
    assert_eq!(live.works_as().await, expected("own", Mode::Plan));
    live.close().await;
}

#[tokio::test]
async fn an_approved_plan_ends_mode_plan() {
    for (picked, mode) in [(0, Mode::Ask), (1, Mode::AcceptEdits)] {
        let server = Server::with([
            Turn::tool("plan_exit", json!({"plan": "# Clock\n"})),
            Turn::text("Done."),
        ]);
        let project = project(&server);
        let mut live = opened(&project, SessionChoice::New, Some("own"), Mode::Plan).await;
        live.submit("go");
        let form = live.form().await;
        let answer = FormAnswer {
            picked: vec![picked],
            words: None,
        };
        live.fill(&form, FormReply::Answers(vec![answer]));
        let (_, seen) = live.until_turn_ended().await;
        assert_eq!(told(&seen), ["agent build".to_owned(), format!("mode {mode}")]);
        assert_eq!(live.works_as().await, expected("build", mode));
        live.close().await;
    }
}

#[test]
fn a_run_in_mode_plan_is_a_run_as_agent_plan() {
    let server = Server::with([
        Turn::tool("write", json!({"file_path": "a.txt", "content": "new\n"})),
        Turn::text("Planned."),
    ]);
    let project = project(&server).config(json!({"permission": {"edit": "allow"}}));
    let finished = events_of(&project)
        .args(["-a", "own", "--permission-mode", "plan", "go"])
        .run()
        .success();
    assert_eq!(finished.json_lines()[0]["agent"], "plan");
    assert!(!project.exists("a.txt"));
    assert!(server.requests()[0].mentions("You are agent `plan`"));
    // So is a single call.
    let single = Lathe::in_project(&project)
        .args(["tool", "--permission-mode", "plan", "plan_enter", "{}"])
        .run()
        .assert_code(1);
    assert!(
        single.stdout.contains("agent `plan` may not use `plan_enter`"),
        "{single}"
    );
}

#[test]
fn the_title_says_plan_once_and_passing_by_it_leaves_the_transcript_as_it_was() {
    let server = Server::with(["One.", "Planned.", "Two."].map(Turn::text));
    let project = screen::project(&server);
    let terminal = screen::open(&project);
    screen::say(&terminal, "first");
    terminal.wait_text("One.");
    terminal.wait_text("⇥ agent");
    let title = |name: &str| {
        let wanted = format!("local/test-model · {name} ");
        terminal.wait_for(|screen| {
            let row = screen.lines().next().unwrap_or_default();
            format!("{row} ").contains(&wanted)
        });
    };
    title("build · ask");
    for name in ["build · accept-edits", "plan", "build · ask"] {
        terminal.key(Key::BackTab);
        title(name);
    }
    assert!(
        !terminal.screen().contains("from here on"),
        "{}",
        terminal.screen()
    );
    terminal.key(Key::Tab);
    terminal.wait_text("the agent is plan from here on");
    title("plan");
    screen::say(&terminal, "second");
    terminal.wait_text("Planned.");
    terminal.wait_text("⇥ agent");
    terminal.key(Key::BackTab);
    title("build · ask");
    assert!(
        !terminal.screen().contains("the agent is build"),
        "{}",
        terminal.screen()
    );
}

#[test]
fn the_screen_reader_says_plan_once() {
    let server = Server::start();
    let project = screen::project(&server);
    let terminal = Terminal::start(&project, 100, 60, &["--screen-reader"]);
    terminal.wait_text("agent build, mode ask, in ");
    terminal.wait_text("/help lists the commands.");
    screen_line(&terminal, "/mode plan");
    terminal.wait_text("The mode is plan now.");
    // The agent follows the mode in an event of its own, so the first answer may be older than that.
    let plans = (1..=10).any(|asked| {
        screen_line(&terminal, "/status");
        let told = |screen: &str| screen.matches("/status all shows the rest.").count() == asked;
        terminal.wait_for(told).contains("agent and mode plan.")
    });
    assert!(plans);
    for (line, answer) in [
        ("/agent build", "The mode is ask now."),
        ("/agent plan", "The agent is plan now."),
        ("/mode yolo", "The mode is yolo now."),
    ] {
        screen_line(&terminal, line);
        terminal.wait_text(answer);
    }
    let screen = terminal.wait_for(|screen| screen.matches("The agent is build now.").count() == 2);
    assert_eq!(screen.matches("The mode is plan now.").count(), 1, "{screen}");
    assert_eq!(screen.matches("The agent is plan now.").count(), 1, "{screen}");
}

fn screen_line(terminal: &Terminal, text: &str) {
    terminal.keys(text);
    terminal.key(Key::Enter);
}
