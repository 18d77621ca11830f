//! Sessions of tasks, opened by the host that has their tree.

use std::sync::Arc;

use lathe::conversation::{SessionId, TaskRow, TaskStatus};
use lathe::permission::Mode;
use lathe::session::host::{HostAnswer, HostQuery, OpenedSession, SessionTarget};
use lathe::session::wire::SessionChoice;
use lathe::session::{ErrorReport, Event, Op};
use serde_json::json;

use super::{Live, host, input, request};
use crate::support::{Gate, Project, Protocol, Server, Turn};

/// A text that stands in the requests of agent `helper` alone.
const HELPER: &str = "You are the helper of these tests.";

/// A task in the background whose reply waits for the gate.
fn server(gate: &Gate) -> Server {
    let order = json!({"subagent_type": "helper", "description": "look around", "prompt": "find it",
                       "run_in_background": true});
    let server = Server::with([
        Turn::tool("task", order),
        Turn::text("I wait."),
        Turn::text("Done."),
    ]);
    server.script_for(
        HELPER,
        [Turn::text("Found it.").gate(0, gate), Turn::text("More of it.")],
    );
    server
}

fn project(server: &Server) -> Project {
    let helper = json!({"description": "Helps", "mode": "subagent", "prompt": HELPER});
    Project::new()
        .model(server, Protocol::OpenAiChat)
        .config(json!({"agents": {"helper": helper}}))
}

async fn row_of(live: &mut Live, is_it: impl Fn(&TaskRow) -> bool) -> Arc<TaskRow> {
    let seen = live
        .until(
            "state of the task",
            |event| matches!(event, Event::Task(row) if is_it(row)),
        )
        .await;
    match seen.last() {
        Some(Event::Task(row)) => Arc::clone(row),
        _ => unreachable!("it was waited for"),
    }
}

async fn open(live: &Live, session: &SessionId) -> Result<OpenedSession, ErrorReport> {
    live.host.open(SessionTarget::Session(session.clone())).await
}

async fn attach(live: &Live, session: &SessionId) -> OpenedSession {
    let attached = live.host.attach(session.clone()).await;
    attached.map_err(|report| report.message).unwrap()
}

async fn open_sessions(live: &Live) -> Vec<SessionId> {
    match live.host.ask(HostQuery::Open).await {
        Some(HostAnswer::Open(sessions)) => sessions,
        answer => panic!("{answer:?}"),
    }
}

#[tokio::test]
async fn the_session_of_a_task_is_attached_to_while_it_works_and_ends_with_its_tree() {
    let gate = Gate::new();
    let server = server(&gate);
    let project = project(&server);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("look");
    let row = row_of(&mut live, |row| row.status == TaskStatus::Running).await;
    let child = open(&live, &row.session)
        .await
        .map_err(|report| report.message)
        .unwrap();
    let (snapshot, mut events) = child.handle.attach().await.unwrap();
    assert_eq!(
        (snapshot.info.id, snapshot.info.agent.as_str()),
        (row.session.clone(), "helper")
    );
    // Whoever looks away ends nothing.
    live.host.close(&child.handle).await;
    let again = open(&live, &row.session)
        .await
        .map_err(|report| report.message)
        .unwrap();
    again.handle.send(Op::Submit(input("and be quick"))).unwrap();
    gate.open();
    row_of(&mut live, |row| row.status == TaskStatus::Completed).await;
    let (snapshot, _) = again.handle.attach().await.unwrap();
    let said: Vec<_> = snapshot.messages.iter().map(|message| message.text()).collect();
    assert_eq!(said, ["find it", "Found it.", "and be quick", "More of it."]);
    live.close().await;
    while events.recv().await.is_ok() {}
}

#[tokio::test]
async fn the_session_of_a_task_closes_when_the_task_has_ended_and_nobody_is_attached() {
    let gate = Gate::new();
    let server = server(&gate);
    let project = project(&server);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let root = live.snapshot.info.id.clone();
    live.submit("look");
    let row = row_of(&mut live, |row| row.status == TaskStatus::Running).await;
    let first = attach(&live, &row.session).await;
    let second = attach(&live, &row.session).await;
    gate.open();
    row_of(&mut live, |row| row.status == TaskStatus::Completed).await;
    live.host.close(&first.handle).await;
    let (snapshot, _) = second.handle.attach().await.expect("the other one is attached");
    assert_eq!(snapshot.messages.last().unwrap().text(), "Found it.");
    assert_eq!(open_sessions(&live).await, [root.clone(), row.session.clone()]);
    live.host.close(&second.handle).await;
    assert_eq!(open_sessions(&live).await, std::slice::from_ref(&root));

    // It is opened again for whoever comes next.
    let again = attach(&live, &row.session).await;
    let (snapshot, _) = again.handle.attach().await.unwrap();
    assert_eq!(snapshot.messages.last().unwrap().text(), "Found it.");
    live.host.close(&again.handle).await;
    assert_eq!(open_sessions(&live).await, std::slice::from_ref(&root));
    let nobody = live.host.attach(SessionId::new()).await;
    assert!(nobody.is_err_and(|report| report.message.contains("is not open here")));
    live.close().await;
}

#[tokio::test]
async fn a_session_that_two_are_attached_to_ends_with_the_second() {
    let server = Server::start();
    let project = project(&server);
    let live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let root = live.snapshot.info.id.clone();
    let other = attach(&live, &root).await;
    live.host.close(&other.handle).await;
    other.handle.attach().await.expect("it is still open");
    live.host.close(&other.handle).await;
    assert_eq!(open_sessions(&live).await, []);
    live.close().await;
}

#[tokio::test]
async fn a_task_that_ended_before_a_restart_is_read_and_goes_on() {
    let gate = Gate::new();
    gate.open();
    let server = server(&gate);
    let project = project(&server);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("look");
    let row = row_of(&mut live, |row| row.status == TaskStatus::Completed).await;
    live.until_turn_ended().await;
    live.close().await;

    let mut live = Live::open(&project, SessionChoice::Newest, Mode::Ask).await;
    let child = open(&live, &row.session)
        .await
        .map_err(|report| report.message)
        .unwrap();
    let (snapshot, _events) = child.handle.attach().await.unwrap();
    assert_eq!(snapshot.messages.len(), 2);
    child.handle.send(Op::Draft("half a thought".to_owned())).unwrap();
    child.handle.send(Op::Submit(input("go on"))).unwrap();
    row_of(&mut live, |row| row.status == TaskStatus::Running).await;
    row_of(&mut live, |row| row.status == TaskStatus::Completed).await;
    let (snapshot, _) = child.handle.attach().await.unwrap();
    assert_eq!(snapshot.messages.last().unwrap().text(), "More of it.");
    live.close().await;

    let live = Live::open(&project, SessionChoice::Newest, Mode::Ask).await;
    let child = open(&live, &row.session)
        .await
        .map_err(|report| report.message)
        .unwrap();
    let (snapshot, _) = child.handle.attach().await.unwrap();
    assert_eq!(snapshot.draft, "half a thought");
    live.close().await;
}

#[tokio::test]
async fn the_session_of_a_task_is_not_opened_without_its_tree() {
    let gate = Gate::new();
    gate.open();
    let server = server(&gate);
    let project = project(&server);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("look");
    let row = row_of(&mut live, |row| row.status == TaskStatus::Completed).await;
    let root = live.snapshot.info.id.clone();
    live.close().await;

    let alone = host(request(
        &project,
        SessionChoice::Id(row.session.clone()),
        Mode::Ask,
    ));
    let Err(report) = alone.open_first().await else {
        panic!("it was opened");
    };
    let words = format!(
        "session `{}` belongs to a task of session `{root}`, and is opened from there",
        row.session
    );
    assert_eq!(report.message, words);
}
