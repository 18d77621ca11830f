//! How a run ends: cut and failing replies, limits, interrupts.

use super::*;

#[test]
fn a_cut_reply_is_void_and_comes_again_under_a_new_message() {
    for protocol in Protocol::ALL {
        for fault in [
            Fault::Drop { after: 2 },
            Fault::Malformed { after: 2 },
            Fault::ErrorEvent {
                after: 2,
                message: "not now".to_owned(),
            },
        ] {
            let server = Server::with([Turn::text("The whole answer.").fail(fault.clone())]);
            let project = Project::new().model(&server, protocol);
            let finished = events_of(&project).arg("ask").run().success();
            assert_well_formed(&finished);
            let retry = of_kind(&finished, "retry");
            assert_eq!(retry.len(), 1, "{protocol:?} {fault:?} {finished}");
            assert_eq!(retry[0]["attempt"], 1);
            assert!(retry[0]["delay_ms"].as_u64().unwrap() <= 50);
            assert!(
                retry[0]["reason"].as_str().unwrap().contains("`local`"),
                "{finished}"
            );
            let events = finished.json_lines();
            let cut = events.iter().position(|event| event["type"] == "retry").unwrap();
            let message = |events: &[Value]| {
                events
                    .iter()
                    .find(|event| event["type"] == "text")
                    .map(|event| event["message"].clone())
            };
            let (before, after) = (message(&events[..cut]), message(&events[cut..]));
            assert!(
                before.is_some() && after.is_some() && before != after,
                "{finished}"
            );
            assert_eq!(of_kind(&finished, "error"), Vec::<Value>::new());

            let server = Server::with([Turn::text("The whole answer.").fail(fault)]);
            let project = Project::new().model(&server, protocol);
            let finished = Lathe::in_project(&project).args(["run", "ask"]).run().success();
            assert_eq!(finished.stdout, "The whole answer.\n");
        }
    }
}

#[test]
fn what_a_cut_reply_said_is_not_the_answer_when_no_other_comes() {
    let mut turn = Turn::text("Half of it.").fail(Fault::Drop { after: 1 });
    for _ in 0..6 {
        turn = turn.fail(Fault::status(500));
    }
    let server = Server::with([turn]);
    let project = project_with(&server);
    let finished = Lathe::in_project(&project)
        .args(["run", "ask"])
        .run()
        .assert_code(1);
    assert_eq!(finished.stdout, "", "{finished}");
}

#[test]
fn retry_after_wins_over_the_configured_wait() {
    let refusal = Fault::Http {
        status: 429,
        retry_after: Some(1),
    };
    let server = Server::with([Turn::text("Now.").fail(refusal)]);
    let project = project_with(&server);
    let finished = events_of(&project).arg("ask").run().success();
    assert_well_formed(&finished);
    let retry = of_kind(&finished, "retry");
    assert_eq!(retry[0]["delay_ms"], 1000, "{finished}");
    let requests = server.requests();
    let waited = requests[1].at.duration_since(requests[0].at);
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
}

#[test]
fn a_server_that_keeps_failing_is_given_up_after_the_configured_attempts() {
    let mut turn = Turn::text("Never.");
    for _ in 0..10 {
        turn = turn.fail(Fault::status(500));
    }
    let server = Server::with([turn]);
    let project = project_with(&server);
    let finished = events_of(&project).arg("ask").run().assert_code(1);
    assert_well_formed(&finished);
    let attempts: Vec<_> = of_kind(&finished, "retry")
        .iter()
        .map(|event| event["attempt"].clone())
        .collect();
    assert_eq!(attempts, [1, 2, 3, 4, 5]);
    assert_eq!(server.requests().len(), 6);
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "overloaded");
    assert_eq!(reason(&finished), "error");
}

#[test]
fn a_silent_stream_is_given_up_and_asked_again() {
    let server = Server::with([Turn::text("Here it is.").fail(Fault::Stall { after: 1 })]);
    let project = project_with(&server).config(json!({"providers": {"local": {"idle_timeout_ms": 200}}}));
    let finished = events_of(&project).arg("ask").run().success();
    assert_well_formed(&finished);
    assert!(
        of_kind(&finished, "retry")[0]["reason"]
            .as_str()
            .unwrap()
            .contains("silent"),
        "{finished}"
    );
    server.wait_for_abandoned(1);
}

#[test]
fn every_refusal_has_its_kind_and_status_1() {
    for (status, kind, tries) in [
        (400, "bad_request", 1),
        (401, "auth", 1),
        (403, "auth", 1),
        (404, "bad_request", 1),
        (413, "context", 1),
        (429, "rate_limit", 6),
        (503, "overloaded", 6),
        (529, "overloaded", 6),
    ] {
        let mut turn = Turn::text("Never.");
        for _ in 0..tries {
            turn = turn.fail(Fault::status(status));
        }
        let server = Server::with([turn]);
        let project = Project::new().model(&server, Protocol::Anthropic);
        let finished = events_of(&project).arg("ask").run().assert_code(1);
        assert_well_formed(&finished);
        let errors = of_kind(&finished, "error");
        assert_eq!(errors.len(), 1, "{status} {finished}");
        assert_eq!(errors[0]["kind"], kind, "{status} {finished}");
        let message = errors[0]["message"].as_str().unwrap();
        assert!(
            message.contains("`local`") || message.contains("`local/test-model`"),
            "{message}"
        );
        assert_eq!(server.requests().len(), tries, "{status}");
        assert_eq!(reason(&finished), "error");
    }
}

#[test]
fn an_address_where_nobody_listens_is_a_network_error() {
    let settings = |url: &str| {
        json!({"model": "local/m", "providers": {"local": {"protocol": "openai-chat", "base_url": url,
               "retry": {"max": 1, "base_ms": 1, "max_ms": 1}}}})
    };
    // Port 9 of the loopback is nobody's; `.invalid` is nobody's name.
    for url in ["http://127.0.0.1:9/v1", "http://nobody.invalid/v1"] {
        let project = Project::new().config(settings(url));
        let finished = events_of(&project).arg("ask").run().assert_code(1);
        assert_well_formed(&finished);
        let error = &of_kind(&finished, "error")[0];
        assert_eq!(error["kind"], "network", "{finished}");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("cannot be reached at `http://"),
            "{finished}"
        );
        assert_eq!(of_kind(&finished, "retry").len(), 1);
    }
}

#[test]
fn a_reply_without_room_ends_as_length_and_its_calls_do_not_run() {
    for protocol in Protocol::ALL {
        let turn = Turn::new()
            .say("I will")
            .call("bash", json!({"command": "touch made"}))
            .call("read", json!({"file_path": "a"}))
            .cut_by_length();
        let server = Server::with([turn]);
        let project = Project::new().model(&server, protocol);
        let finished = events_of(&project)
            .args(["--permission-mode", "yolo", "ask"])
            .run()
            .assert_code(1);
        assert_well_formed(&finished);
        assert_eq!(reason(&finished), "length", "{protocol:?}");
        assert!(!project.exists("made"));
        assert_eq!(
            of_kind(&finished, "tool_call").len(),
            2,
            "{protocol:?} {finished}"
        );
        for result in of_kind(&finished, "tool_result") {
            assert_eq!(result["details"]["error"]["kind"], "cancelled");
        }
    }
    let server = Server::with([Turn::text("I wi").cut_by_length()]);
    let finished = Lathe::in_project(&project_with(&server))
        .args(["run", "ask"])
        .run()
        .assert_code(1);
    assert_eq!(finished.stdout, "I wi\n");
}

#[test]
fn the_step_limit_ends_the_turn_with_every_result_in_place() {
    let server = Server::start();
    server.otherwise(Turn::tool("glob", json!({"pattern": "*.rs"})));
    let project = project_with(&server).config(json!({"max_steps": 2}));
    let finished = events_of(&project).arg("go on").run().assert_code(1);
    assert_well_formed(&finished);
    assert_eq!(reason(&finished), "max_steps");
    assert_eq!(server.requests().len(), 2);
    assert_eq!(of_kind(&finished, "tool_result").len(), 2);
}

#[test]
fn an_interrupt_in_mid_stream_is_130_and_the_last_line_says_cancelled() {
    for signal in [Signal::INT, Signal::TERM] {
        let gate = Gate::new();
        let server = Server::with([Turn::text("A long sentence that never ends.").gate(3, &gate)]);
        let project = project_with(&server);
        let running = events_of(&project).arg("talk").spawn();
        running.wait_for_stdout(|text| text.contains(r#""type":"text""#));
        running.signal(signal);
        let finished = running.wait().assert_code(130);
        assert_well_formed(&finished);
        assert_eq!(reason(&finished), "cancelled");
        server.wait_for_abandoned(1);
    }
}

#[test]
fn an_interrupt_at_the_first_line_is_heard() {
    let server = Server::with([Turn::text("Never.").gate(0, &Gate::new())]);
    let project = project_with(&server);
    let running = events_of(&project).arg("talk").spawn();
    running.wait_for_stdout(|text| text.contains('\n'));
    running.signal(Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_well_formed(&finished);
    assert_eq!(reason(&finished), "cancelled");
}

#[test]
fn an_interrupt_in_a_command_stops_it_and_gives_every_call_its_result() {
    let server = Server::with([Turn::new()
        .call(
            "bash",
            json!({"command": "echo $$ > pid; echo begun; exec sleep 600"}),
        )
        .call("bash", json!({"command": "touch never"}))]);
    let project = project_with(&server);
    let running = events_of(&project)
        .args(["--permission-mode", "yolo", "wait"])
        .spawn();
    running.wait_for_stdout(|text| text.contains("begun") && text.contains("tool_update"));
    running.signal(Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_well_formed(&finished);
    assert_eq!(reason(&finished), "cancelled");
    let results = of_kind(&finished, "tool_result");
    assert_eq!(results.len(), 2, "{finished}");
    for result in &results {
        assert_eq!(result["ok"], false);
        assert_eq!(result["details"]["error"]["kind"], "cancelled", "{result}");
    }
    assert!(
        results[0]["output"].as_str().unwrap().contains("begun"),
        "partial output is kept: {finished}"
    );
    assert!(
        results[1]["output"].as_str().unwrap().contains("not executed"),
        "{finished}"
    );
    assert!(!project.exists("never"));
    let pid: i32 = project.read("pid").trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    assert!(
        rustix::process::test_kill_process(pid).is_err(),
        "the command is gone with the run"
    );
}
