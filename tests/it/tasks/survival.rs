//! Signals while tasks are at work, `kill -9` among them.

use rustix::process::Signal;

use super::*;

#[test]
fn a_signal_while_only_tasks_run_cancels_them_and_the_run() {
    for signal in [Signal::INT, Signal::TERM] {
        let gate = Gate::new();
        let server = Server::with([Turn::tool("task", background("find it")), Turn::text("I wait.")]);
        server.script_for(HELPER, [Turn::text("Never whole.").gate(1, &gate)]);
        let project = project(&server);
        let running = events_of(&project).arg("go").spawn();
        gate.wait_until_reached();
        running.wait_for_stdout(|told| told.matches(r#""type":"usage""#).count() == 2);
        running.signal(signal);
        let finished = running.wait().assert_code(130);
        assert_eq!(reason(&finished), "cancelled", "{finished}");
        assert_eq!(statuses(&finished).last().map(String::as_str), Some("cancelled"));
    }
}

#[test]
fn a_task_that_was_cut_off_is_told_once_as_interrupted() {
    let gate = Gate::new();
    let server = Server::with([Turn::tool("task", background("find it")), Turn::text("I wait.")]);
    server.script_for(HELPER, [Turn::text("Found it.").gate(0, &gate)]);
    let project = project(&server);
    let running = events_of(&project).arg("look").spawn();
    running.wait_for_stdout(|told| told.matches(r#""type":"usage""#).count() == 2);
    server.wait_for_requests(3);
    let _ = running.kill();
    gate.open();
    for (prompt, told) in [("go on", 1), ("and now", 0)] {
        let before = server.requests().len();
        server.script([Turn::text("Yes.")]);
        let finished = events_of(&project).args(["-c", prompt]).run().success();
        assert_eq!(reason(&finished), "stop", "{finished}");
        let requests = server.requests();
        let body = requests[before].body["messages"].as_array().unwrap();
        let newest = body.iter().rev().take_while(|message| message["role"] == "user");
        let notices = newest.filter(|message| message.to_string().contains("is interrupted after"));
        assert_eq!(notices.count(), told, "{prompt}: {finished}");
    }
}
