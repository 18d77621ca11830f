//! A person changes the todo list, and the model hears of it.

use lathe::conversation::{Todo, TodoChange, TodoEdit, TodoStatus};
use lathe::permission::Mode;
use lathe::session::wire::SessionChoice;
use lathe::session::{Event, Op};
use serde_json::{Value, json};

use crate::session::{Live, over_both};
use crate::support::{Gate, Project, Protocol, Recorded, Server, Turn};

over_both! {
    a_change_is_told_with_the_next_message_and_stays_told,
    a_change_that_was_not_told_is_told_after_a_restart,
    what_the_model_writes_before_it_knew_does_not_take_the_change_back,
    an_entry_that_is_gone_is_not_changed_and_that_is_said,
    open_todos_are_told_once_while_nothing_changes,
}

fn write(todos: &Value) -> Turn {
    Turn::tool("todowrite", json!({ "todos": todos }))
}

fn seen(content: &str) -> Todo {
    Todo {
        content: content.to_owned(),
        ..Todo::default()
    }
}

fn edit(content: &str, change: TodoChange) -> Op {
    Op::EditTodo(TodoEdit {
        seen: seen(content),
        change,
    })
}

fn complete(content: &str) -> Op {
    edit(content, TodoChange::Status(TodoStatus::Completed))
}

fn reword(content: &str, new: &str) -> Op {
    edit(content, TodoChange::Content(new.to_owned()))
}

fn is_list(event: &Event) -> bool {
    matches!(event, Event::Todos(_))
}

fn lines(rows: &[Value]) -> String {
    Todo::lines(&Todo::list(rows))
}

const TOLD: &str = "<system-reminder>\nThe user has changed the todo list";

fn is_told(request: &Recorded) -> bool {
    request.mentions(TOLD)
}

fn beginning(request: &Recorded) -> Vec<Value> {
    request.body["messages"].as_array().expect("messages").clone()
}

async fn open_todos_are_told_once_while_nothing_changes() {
    let server = Server::with([
        write(&json!([{"content": "find it"}])),
        Turn::text("Planned."),
        Turn::text("I wait for you."),
        Turn::text("Hello."),
        Turn::tool("glob", json!({"pattern": "*"})),
        Turn::text("Looked."),
        Turn::text("After the change."),
        Turn::text("I go on."),
    ]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .config(json!({"todo": {"reminders": 3}}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Yolo).await;
    for (prompt, requests) in [("plan", 3), ("hello", 4), ("look", 6)] {
        live.submit(prompt);
        live.until_turn_ended().await;
        assert_eq!(server.requests().len(), requests, "{prompt}");
    }
    // A list that the person has changed is another.
    live.handle.send(reword("find it", "find them")).unwrap();
    live.until("list", is_list).await;
    live.submit("go on");
    live.until_turn_ended().await;
    assert_eq!(server.requests().len(), 8);
    live.close().await;
}

async fn a_change_is_told_with_the_next_message_and_stays_told() {
    let server = Server::with([
        write(&json!([{"content": "find it"}, {"content": "fix it"}])),
        Turn::text("Planned."),
        Turn::text("I see."),
        Turn::text("Yes."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Yolo).await;
    live.submit("plan");
    live.until_turn_ended().await;
    for op in [complete("find it"), reword("fix it", "fix it well")] {
        live.handle.send(op).unwrap();
        live.until("list", is_list).await;
    }
    live.submit("go on");
    live.until_turn_ended().await;
    live.submit("and now?");
    live.until_turn_ended().await;
    let requests = server.requests();
    assert!(!is_told(&requests[1]));
    let words = "(\"find it\" is completed; \"fix it\" is now \"fix it well\")";
    assert!(
        is_told(&requests[2]) && requests[2].mentions(words),
        "{requests:#?}"
    );
    assert!(requests[2].mentions("\n[x] find it\n[ ] fix it well\n</system-reminder>"));
    let (before, after) = (beginning(&requests[2]), beginning(&requests[3]));
    assert!(
        after.starts_with(&before),
        "each request begins with the one before"
    );
    let count = after
        .iter()
        .filter(|message| message.to_string().contains("has changed the todo"));
    assert_eq!(count.count(), 1, "it is told once");
    live.close().await;
}

async fn a_change_that_was_not_told_is_told_after_a_restart() {
    let server = Server::with([
        write(&json!([{"content": "find it"}])),
        Turn::text("Planned."),
        Turn::text("I see."),
        Turn::text("Yes."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Yolo).await;
    live.submit("plan");
    live.until_turn_ended().await;
    live.handle.send(complete("find it")).unwrap();
    live.until("list", is_list).await;
    live.close().await;
    for (prompt, count) in [("go on", 1), ("again", 1)] {
        let mut live = Live::open(&project, SessionChoice::Newest, Mode::Yolo).await;
        assert_eq!(lines(&live.snapshot.todos), "[x] find it");
        live.submit(prompt);
        live.until_turn_ended().await;
        live.close().await;
        let told = server.requests().last().map(beginning).unwrap();
        let told = told
            .iter()
            .filter(|message| message.to_string().contains("has changed the todo"));
        assert_eq!(told.count(), count, "{prompt}");
    }
}

async fn what_the_model_writes_before_it_knew_does_not_take_the_change_back() {
    let gate = Gate::new();
    let server = Server::with([
        write(&json!([{"content": "find it"}, {"content": "fix it"}])),
        write(&json!([
            {"content": "fix it", "status": "in_progress"},
            {"content": "find it"},
            {"content": "test it"},
        ]))
        .gate(0, &gate),
        Turn::text("I see."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Yolo).await;
    live.submit("plan");
    live.until("list", is_list).await;
    server.wait_for_requests(2);
    live.handle.send(complete("find it")).unwrap();
    live.until("list", is_list).await;
    gate.open();
    live.until_turn_ended().await;
    let wanted = "[~] fix it\n[x] find it\n[ ] test it";
    assert_eq!(lines(&live.snapshot().await.todos), wanted);
    let requests = server.requests();
    assert!(
        is_told(&requests[2]) && requests[2].mentions(wanted),
        "{requests:#?}"
    );
    live.close().await;
}

async fn an_entry_that_is_gone_is_not_changed_and_that_is_said() {
    let server = Server::with([write(&json!([{"content": "find it"}])), Turn::text("Planned.")]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Yolo).await;
    live.submit("plan");
    live.until_turn_ended().await;
    live.handle.send(complete("another")).unwrap();
    let events = live
        .until("notice", |event| matches!(event, Event::Notice(_)))
        .await;
    let Some(Event::Notice(text)) = events.last() else {
        unreachable!()
    };
    assert!(text.contains("\"another\" is not in the list any more"), "{text}");
    assert_eq!(lines(&live.snapshot().await.todos), "[ ] find it");
    live.close().await;
}
