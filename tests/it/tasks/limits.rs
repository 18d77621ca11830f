//! Limits of tasks: depth, budgets, spawned tasks.

use super::*;

#[test]
fn a_task_at_the_deepest_level_is_told_to_do_the_work_itself() {
    let deeper = || Turn::tool("task", task("go deeper"));
    let server = Server::with([deeper(), Turn::text("Done.")]);
    let script = [
        deeper(),
        deeper(),
        deeper(),
        Turn::text("three"),
        Turn::text("two"),
        Turn::text("one"),
    ];
    server.script_for(HELPER, script);
    let finished = events_of(&project(&server)).arg("go").run().success();
    let results = outputs(&finished, "task");
    let refused: Vec<_> = results.iter().filter(|result| result["ok"] == false).collect();
    assert_eq!(refused.len(), 1, "{finished}");
    assert_eq!(refused[0]["details"]["error"]["kind"], "limit");
    let output = refused[0]["output"].as_str().unwrap();
    assert!(
        output.contains("at depth 4") && output.contains("Do the work yourself"),
        "{output}"
    );
    assert_eq!(results.len(), 4);
}

#[test]
fn a_tree_makes_no_request_above_its_budget_and_the_run_ends_with_that() {
    let server = Server::with([Turn::tool("task", task("find it")), Turn::text("Never said.")]);
    let look = || Turn::tool("glob", json!({"pattern": "*"})).say("I look.");
    server.script_for(HELPER, [look(), look(), look()]);
    let finished = events_of(&project(&server))
        .args(["--budget", "2.5k", "go"])
        .run()
        .assert_code(1);
    assert_eq!(server.requests().len(), 3, "{finished}");
    assert_eq!(statuses(&finished), ["queued", "running", "failed"], "{finished}");
    let events = finished.json_lines();
    let is_of_root = |event: &Value| event["type"] == "error" && event["session"] == events[0]["session"];
    let error = events.iter().find(|event| is_of_root(event)).unwrap();
    assert_eq!(error["kind"], "budget", "{finished}");
    let place = |wanted: &dyn Fn(&Value) -> bool| events.iter().position(wanted).unwrap();
    let is_failed = |event: &Value| event["type"] == "task" && event["status"] == "failed";
    assert!(place(&is_failed) < place(&is_of_root), "{finished}");
    assert_eq!(reason(&finished), "error");
}

#[test]
fn a_budget_of_minutes_ends_the_own_call_and_the_own_reply_of_a_turn() {
    let gate = Gate::new();
    let endless = json!({"command": "while :; do sleep 0.05; done"});
    for turn in [
        Turn::tool("bash", endless),
        Turn::text("Never whole.").gate(1, &gate),
    ] {
        let server = Server::with([turn, Turn::text("Never said.")]);
        let finished = events_of(&project(&server))
            .args(["--permission-mode", "yolo", "--budget", "0.02m", "go"])
            .run()
            .assert_code(1);
        let events = finished.json_lines();
        let error = events.iter().find(|event| event["type"] == "error").unwrap();
        assert_eq!(error["kind"], "budget", "{finished}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("the budget of this turn and its tasks is spent: 0.02 minutes of work"),
            "{finished}"
        );
        assert_eq!(reason(&finished), "error");
        assert_eq!(server.requests().len(), 1, "{finished}");
    }
}

#[test]
fn a_budget_of_minutes_that_is_not_spent_ends_nothing() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "echo done"})),
        Turn::text("Said."),
    ]);
    let finished = events_of(&project(&server))
        .args(["--permission-mode", "yolo", "--budget", "5m", "go"])
        .run()
        .success();
    assert_eq!(text_of(&finished), "Said.");
    assert_eq!(reason(&finished), "stop");
}

#[test]
fn a_task_that_reaches_its_own_budget_fails_and_its_parent_goes_on() {
    let mut order = task("find it");
    order["budget"] = json!({"tokens": 1000});
    let server = Server::with([Turn::tool("task", order), Turn::text("Then I do it.")]);
    server.script_for(
        HELPER,
        [Turn::tool("glob", json!({"pattern": "*"})).say("I looked at half.")],
    );
    let finished = events_of(&project(&server)).arg("go").run().success();
    let result = &outputs(&finished, "task")[0];
    assert_eq!(result["details"]["error"]["kind"], "limit", "{finished}");
    let output = result["output"].as_str().unwrap();
    assert!(
        output.contains("<task_error>") && output.contains("1020 of 1000 tokens"),
        "{output}"
    );
    assert!(output.contains("I looked at half."), "{output}");
    assert!(text_of(&finished).ends_with("Then I do it."));
}

#[test]
fn a_budget_in_dollars_needs_a_price() {
    let server = Server::with([Turn::text("Done.")]);
    let models = json!({"test-model": {}, "free": {"context": 64_000}});
    let project = project(&server).config(json!({"providers": {"local": {"models": models}}}));
    let refused = events_of(&project)
        .args(["-m", "local/free", "--budget", "2.50", "go"])
        .run();
    let refused = refused.assert_code(2);
    assert!(
        refused.stdout.contains("the price of `local/free` is unknown"),
        "{refused}"
    );
    let wrong = events_of(&project)
        .args(["--budget", "5 dollars", "go"])
        .run()
        .assert_code(2);
    assert!(wrong.stderr.contains("500k"), "{wrong}");
}

#[test]
fn no_more_tasks_are_started_than_the_configuration_allows() {
    let server = Server::with([
        Turn::tool("task", task("one")),
        Turn::tool("task", task("two")),
        Turn::text("Done."),
    ]);
    server.script_for(HELPER, [Turn::text("one")]);
    let project = configured(&server, &json!({"background": {"max_spawned": 1}}));
    let finished = events_of(&project).arg("go").run().success();
    let results = outputs(&finished, "task");
    assert_eq!(
        (&results[0]["ok"], &results[1]["ok"]),
        (&json!(true), &json!(false)),
        "{finished}"
    );
    let output = results[1]["output"].as_str().unwrap();
    assert!(
        output.contains("1 tasks were started") || output.contains("1 task was started"),
        "{output}"
    );
}

#[test]
fn a_model_without_a_price_gets_no_task_where_dollars_are_limited() {
    let server = Server::with([Turn::tool("task", task("find it")), Turn::text("Then I do it.")]);
    let agents = json!({"helper": {"mode": "subagent", "prompt": HELPER, "model": "local/free"}});
    let models = json!({"test-model": {}, "free": {"context": 64_000}});
    let project =
        project(&server).config(json!({"agents": agents, "providers": {"local": {"models": models}}}));
    let finished = events_of(&project)
        .args(["--budget", "2.50", "go"])
        .run()
        .success();
    let result = &outputs(&finished, "task")[0];
    assert_eq!(result["details"]["error"]["kind"], "invalid_args", "{finished}");
    let output = result["output"].as_str().unwrap();
    assert!(
        output.contains("the price of `local/free` is unknown"),
        "{output}"
    );
    assert_eq!(server.requests().len(), 2);
}
