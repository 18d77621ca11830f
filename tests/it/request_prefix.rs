//! The beginning of requests: what was sent first is sent again byte for byte, whatever the person switches.

use lathe::permission::Mode;
use lathe::session::wire::SessionChoice;
use serde_json::{Value, json};

use crate::run::project_with;
use crate::session::Live;
use crate::support::{Project, Server, Turn};

const STEPS: usize = 50;

/// The messages of a request without the marks that say how far the provider may cache.
fn messages(body: &Value) -> Vec<Value> {
    let mut messages = body["messages"].as_array().unwrap().clone();
    messages.iter_mut().for_each(without_marks);
    messages
}

fn without_marks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("cache_control");
            fields.values_mut().for_each(without_marks);
        }
        Value::Array(items) => items.iter_mut().for_each(without_marks),
        _ => {}
    }
}

fn project(server: &Server) -> Project {
    project_with(server)
        .config(json!({"permission": {"edit": "allow", "bash": "allow"}}))
        .file("a.txt", "one\n")
}

#[tokio::test]
async fn agents_modes_and_tools_change_and_system_prompt_and_tool_list_stay() {
    let calls = [
        Turn::tool("read", json!({"file_path": "a.txt"})),
        Turn::tool("glob", json!({"pattern": "*.txt"})),
        Turn::text("Done."),
    ];
    let server = Server::with(calls.into_iter().cycle().take(STEPS));
    let project = project(&server);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let mut turns = 0;
    while server.requests().len() < STEPS {
        match turns % 5 {
            0 => live.set_mode(Mode::AcceptEdits),
            1 => live.set_agent("plan"),
            2 => live.set_agent("build"),
            3 => live.set_mode(Mode::Plan),
            _ => live.set_mode(Mode::Ask),
        }
        live.submit(&format!("turn {turns}"));
        live.until_turn_ended().await;
        turns += 1;
    }
    assert_eq!(live.misses().await, []);
    live.close().await;
    let requests = server.requests();
    let bodies: Vec<&Value> = requests.iter().map(|request| &request.body).collect();
    let prefix = |body: &Value| {
        let mut prefix = json!([body["system"], body["tools"]]);
        without_marks(&mut prefix);
        serde_json::to_string(&prefix).unwrap()
    };
    let first = prefix(bodies[0]);
    assert!(first.contains("\"plan_exit\"") && first.contains("\"edit\""));
    let mut before: Vec<Value> = Vec::new();
    for (step, body) in bodies.iter().enumerate() {
        assert!(
            prefix(body) == first,
            "the prefix of request {step} is another one"
        );
        let now = messages(body);
        assert!(
            now.starts_with(&before),
            "request {step} does not begin with the messages of the one before"
        );
        before = now;
    }
}

#[tokio::test]
async fn what_an_agent_may_not_do_is_refused_where_calls_execute() {
    let write = json!({"file_path": "b.txt", "content": "two\n"});
    let server = Server::with([Turn::tool("write", write), Turn::text("I may not.")]);
    let project = project(&server);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.set_agent("plan");
    live.submit("write it");
    live.until_turn_ended().await;
    live.close().await;
    let requests = server.requests();
    assert!(requests[0].tool_names().contains(&"write".to_owned()));
    assert!(requests[0].mentions("You are agent `plan`"));
    assert!(!project.exists("b.txt"));
    assert!(requests[1].mentions("deny") || requests[1].mentions("denied"));
}
