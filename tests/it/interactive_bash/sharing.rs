//! Terminals between agents, and configuration that a program in one writes.

use serde_json::json;

use super::{assert_shows, call, results_in, send, shell, start, yolo};
use crate::run::project_with;
use crate::support::{Recorded, Server, Turn};

#[test]
fn configuration_that_a_program_writes_is_told_and_not_read() {
    let server = Server::start();
    let project = project_with(&server);
    let writes = "mkdir -p .claude && echo '{}' > .claude/settings.json; echo written; sleep 600";
    let results = results_in(&project, &server, [start("w", writes)]);
    assert_shows(&results[0], "[protected: the command created ");
    assert_shows(&results[0], ".claude/settings.json");
    assert_eq!(
        results[0]["details"]["protected"],
        json!([".claude/settings.json"])
    );
}

#[test]
fn agents_of_tasks_share_the_terminals() {
    let server = Server::start();
    let project = project_with(&server);
    let order = json!({"subagent_type": "general", "description": "look", "prompt": "look at the shell"});
    server.script([call(shell()), Turn::tool("task", order), Turn::text("Done.")]);
    server.script_for(
        "look at the shell",
        [
            call(send("sh", "echo $((40 + 2))", "Enter", "^42$")),
            Turn::text("I saw it."),
        ],
    );
    yolo(&project).run().success();
    let requests = server.requests();
    let of_child = |request: &&Recorded| request.mentions("You are agent `general`");
    let last = requests
        .iter()
        .rfind(of_child)
        .expect("the agent of the task was asked");
    assert!(last.mentions("[sh · running"), "{:?}", last.body);
}
