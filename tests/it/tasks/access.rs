//! The access matrix, walked by calls, and refusals that say what can be done instead.

use super::*;

/// Tools that the matrix speaks of and that are there, each with arguments that fail harmlessly.
fn tools() -> Vec<(&'static str, Value)> {
    vec![
        (
            "background_task",
            json!({"subagent_type": "nobody", "description": "x", "prompt": "x"}),
        ),
        ("background_output", json!({"task_id": "tsk_nothing"})),
        ("background_cancel", json!({"task_id": "tsk_nothing"})),
        ("task", json!({"subagent_type": "nobody", "prompt": "x"})),
        (
            "call_omo_agent",
            json!({"subagent_type": "nobody", "prompt": "x", "run_in_background": false}),
        ),
        ("look_at", json!({"file_path": "missing.png"})),
        ("grep", json!({"pattern": "nothing to be found"})),
        ("glob", json!({"pattern": "*.none"})),
        ("list", json!({})),
        ("question", json!({"questions": []})),
        ("todowrite", json!({"todos": []})),
        ("todoread", json!({})),
        ("plan_enter", json!({})),
        ("plan_exit", json!({})),
    ]
}

/// Tools that no session of a task has.
const NOT_IN_TASKS: [&str; 5] = ["question", "todowrite", "todoread", "plan_enter", "plan_exit"];

/// The tools that the matrix keeps from an agent.
fn kept_from(agent: &str) -> &'static [&'static str] {
    match agent {
        "explore" | "librarian" => &["task", "call_omo_agent"],
        "multimodal-looker" => &[
            "background_task",
            "background_output",
            "background_cancel",
            "task",
            "call_omo_agent",
            "look_at",
        ],
        _ => &[],
    }
}

fn every_tool() -> Turn {
    let mut turn = Turn::new();
    for (tool, args) in tools() {
        turn = turn.call(tool, args);
    }
    turn
}

/// Checks the results of [`every_tool`]: refused are those and only those that `is_kept` names.
#[track_caller]
fn assert_refused(finished: &Finished, session: &Value, agent: &str, is_kept: impl Fn(&str) -> bool) {
    let mut results = of_kind(finished, "tool_result");
    results.retain(|result| result["session"] == *session);
    for (tool, _) in tools() {
        let Some(result) = results.iter().find(|result| result["tool"] == tool) else {
            assert_eq!(tool, "look_at", "{agent} {tool}: {finished}");
            continue;
        };
        let output = result["output"].as_str().unwrap();
        let is_refused = output.contains(&format!("agent `{agent}` may not use `{tool}`"));
        assert_eq!(is_refused, is_kept(tool), "{agent} {tool}: {output}");
        if is_refused {
            assert_eq!(result["details"]["error"]["kind"], "denied");
            assert!(output.contains("Do it another way"), "{output}");
        }
    }
}

#[test]
fn each_subagent_has_the_tools_of_the_matrix_in_its_list_and_when_it_calls() {
    for agent in [
        "explore",
        "librarian",
        "oracle",
        "frontend-ui-ux-engineer",
        "document-writer",
        "general",
        "helper",
    ] {
        let server = Server::with([
            Turn::tool(
                "task",
                json!({"subagent_type": agent.to_uppercase(), "prompt": "walk"}),
            ),
            Turn::text("Done."),
        ]);
        let own_words = if agent == "helper" {
            HELPER.to_owned()
        } else {
            format!("You are agent `{agent}`")
        };
        server.script_for(&own_words, [every_tool(), Turn::text("Walked.")]);
        let project = configured(&server, &json!({"tools": {"*": true}}));
        let finished = events_of(&project).arg("go").run().success();
        let is_kept = |tool: &str| kept_from(agent).contains(&tool) || NOT_IN_TASKS.contains(&tool);
        let child = outputs(&finished, "task");
        let child = child
            .iter()
            .find(|result| result["details"]["agent"] == agent)
            .unwrap();
        assert_refused(&finished, &child["details"]["session_id"], agent, is_kept);
        let requests = server.requests();
        let listed = requests
            .iter()
            .find(|request| request.mentions(&own_words))
            .unwrap()
            .tool_names();
        let leaked: Vec<_> = listed.iter().filter(|tool| is_kept(tool)).collect();
        assert!(leaked.is_empty(), "{agent} is told of {leaked:?}");
    }
}

#[test]
fn the_primary_agents_have_the_tools_of_the_matrix_when_they_call() {
    for (agent, kept) in [("build", &["plan_exit"][..]), ("plan", &["plan_enter"][..])] {
        let server = Server::with([every_tool(), Turn::text("Done.")]);
        let project = project(&server);
        let finished = events_of(&project).args(["-a", agent, "go"]).run().success();
        let session = finished.json_lines()[0]["session"].clone();
        // What `build` has to do with `plan_exit` is the tool's own to say.
        assert_refused(&finished, &session, agent, |tool| {
            agent == "plan" && kept.contains(&tool)
        });
    }
}

#[test]
fn whoever_may_not_start_an_agent_is_told_whom_it_may_start() {
    for (agent, call, kind, words) in [
        (
            "build",
            task_of("nobody"),
            "not_found",
            vec!["there is no agent `nobody`", "`explore`", "`oracle`"],
        ),
        (
            "build",
            task_of("plan"),
            "denied",
            vec!["primary agent", "`general`"],
        ),
        (
            "plan",
            task_of("general"),
            "denied",
            vec!["agent `plan` may not start agent `general`", "`oracle`"],
        ),
        (
            "build",
            json!({"prompt": "x"}),
            "invalid_args",
            vec!["`subagent_type` or `category`"],
        ),
        (
            "build",
            json!({"subagent_type": "explore", "prompt": "x", "load_skills": ["git"]}),
            "not_found",
            vec!["no skills"],
        ),
    ] {
        let server = Server::with([Turn::tool("task", call.clone()), Turn::text("Done.")]);
        let finished = events_of(&project(&server))
            .args(["-a", agent, "go"])
            .run()
            .success();
        let result = &outputs(&finished, "task")[0];
        assert_eq!(
            result["details"]["error"]["kind"], kind,
            "{agent} {call}: {result}"
        );
        let output = result["output"].as_str().unwrap();
        assert!(
            words.iter().all(|words| output.contains(words)),
            "{agent} {call}: {output}"
        );
        assert_eq!(statuses(&finished), Vec::<String>::new());
    }
}

fn task_of(agent: &str) -> Value {
    json!({"subagent_type": agent, "prompt": "x"})
}

#[test]
fn a_task_is_bound_by_the_denials_of_whoever_started_it() {
    let server = Server::with([Turn::tool("task", task("change it")), Turn::text("Done.")]);
    server.script_for(
        HELPER,
        [
            Turn::tool("write", json!({"file_path": "a.txt", "content": "x"})),
            Turn::text("Refused."),
        ],
    );
    let agents = json!({
        "agents": {
            "helper": {"description": "Helps", "mode": "subagent", "prompt": HELPER, "permission": {"edit": "allow"}},
            "careful": {"mode": "primary", "permission": {"edit": "deny"}}
        }
    });
    let project = project_with(&server).config(agents);
    let finished = events_of(&project).args(["-a", "careful", "go"]).run().success();
    let write = &outputs(&finished, "write")[0];
    assert_eq!(write["details"]["error"]["kind"], "denied", "{finished}");
    assert!(!project.exists("a.txt"));
}
