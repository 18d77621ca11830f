//! The task board through the program: it outlives sessions, and processes that change it together lose nothing.

use serde_json::{Value, json};

use crate::run::{events_of, of_kind, project_with};
use crate::support::{Finished, Lathe, Project, Server, Turn};

fn tool(project: &Project, name: &str, args: &Value) -> Lathe {
    Lathe::in_project(project).args(["tool", name, &args.to_string()])
}

#[allow(clippy::needless_pass_by_value)] // Every caller makes them for this.
fn call(project: &Project, name: &str, args: Value) -> Value {
    tool(project, name, &args).run().success().json()
}

fn create(project: &Project, args: Value) -> String {
    let created = call(project, "task_create", args);
    created["task"]["id"].as_str().unwrap().to_owned()
}

fn subjects(listed: &Value) -> Vec<&str> {
    let tasks = listed["tasks"].as_array().unwrap().iter();
    tasks.map(|task| task["subject"].as_str().unwrap()).collect()
}

fn refused(finished: &Finished) -> Value {
    finished.json()["details"]["error"]["kind"].clone()
}

#[test]
fn the_board_of_a_project_outlives_the_process_and_is_the_same_below_its_root() {
    let project = Project::new().file("src/a.rs", "").git();
    let first = create(&project, json!({"subject": "first"}));
    let second = create(&project, json!({"subject": "second", "blocked_by": [first]}));
    let below = Lathe::in_project(&project)
        .args(["tool", "task_list", "{}"])
        .cwd(project.root().join("src"));
    let listed = below.run().success().json();
    assert_eq!(subjects(&listed), ["first", "second"]);
    assert_eq!(listed["ready"], json!([first]));
    let done = call(
        &project,
        "task_update",
        json!({"id": first, "status": "completed"}),
    );
    assert_eq!(done["unblocked"], json!([second]));
    let listed = call(&project, "task_list", json!({}));
    assert_eq!(
        (subjects(&listed), &listed["ready"]),
        (vec!["second"], &json!([second]))
    );
    let read = call(&project, "task_get", json!({"id": second}));
    assert_eq!(read["task"]["blocked_by"], json!([first]));

    let cycle = json!({"id": first, "add_blocked_by": [second], "subject": "x"});
    let finished = tool(&project, "task_update", &cycle)
        .args(["--format", "json"])
        .run()
        .assert_code(1);
    assert_eq!(refused(&finished), "invalid_args", "{finished}");
    let denied = Lathe::in_project(&project.config(json!({"permission": {"task_board": "deny"}})))
        .args(["tool", "task_list", "{}", "--format", "json"])
        .run()
        .assert_code(1);
    assert_eq!(refused(&denied), "denied", "{denied}");
}

#[test]
fn what_a_session_puts_on_the_board_a_later_one_and_a_single_call_find() {
    let server = Server::with([
        Turn::tool(
            "task_create",
            json!({"subject": "water the plants", "owner": "build"}),
        ),
        Turn::text("Noted."),
        Turn::tool("task_list", json!({"owner": "build"})),
        Turn::text("The plants."),
    ]);
    let project = project_with(&server);
    let first = events_of(&project).arg("note it").run().success();
    let second = events_of(&project).arg("what is there to do?").run().success();
    let listed = of_kind(&second, "tool_result")[0].clone();
    let text: Value = serde_json::from_str(listed["output"].as_str().unwrap()).unwrap();
    assert_eq!(subjects(&text), ["water the plants"]);
    let id = &text["tasks"][0]["id"];
    let item = call(&project, "task_get", json!({ "id": id }));
    assert_eq!(item["task"]["session"], first.json_lines()[0]["session"]);
    let sessions = Lathe::in_project(&project).args(["sessions", "delete"]);
    let session = item["task"]["session"].as_str().unwrap();
    sessions.args([session]).run().success();
    assert_eq!(call(&project, "task_get", json!({ "id": id })), item);
}

#[test]
fn processes_side_by_side_lose_nothing_of_each_other() {
    let project = Project::new();
    let root = create(&project, json!({"subject": "root"}));
    let running: Vec<_> = (0..6)
        .map(|number| {
            let created = json!({"subject": format!("item {number}"), "blocked_by": [root]});
            let key = format!("key {number}");
            let changed = json!({"id": root, "metadata": {key: number}});
            [
                tool(&project, "task_create", &created).spawn(),
                tool(&project, "task_update", &changed).spawn(),
            ]
        })
        .collect();
    for process in running.into_iter().flatten() {
        process.wait().success();
    }
    let item = call(&project, "task_get", json!({"id": root}));
    assert_eq!(item["task"]["metadata"].as_object().unwrap().len(), 6, "{item}");
    assert_eq!(item["task"]["blocks"].as_array().unwrap().len(), 6, "{item}");
    let listed = call(&project, "task_list", json!({}));
    assert_eq!(listed["tasks"].as_array().unwrap().len(), 7, "{listed}");
}
