//! No program in a terminal outlives lathe.

use std::path::Path;

use serde_json::json;

use super::{call, start, yolo};
use crate::run::project_with;
use crate::support::{Gate, Project, Server, Turn, wait_until};

/// Programs that write their numbers to `pids`: one in the shell's group, one that ignores HUP, one that leaves the terminal.
const STAY: &str = "\
    echo $$ >> pids; \
    (trap '' HUP TERM; echo $BASHPID >> pids; exec sleep 600) & \
    setsid -f bash -c 'echo $$ >> pids; exec sleep 600' > /dev/null 2>&1 < /dev/null; \
    sleep 600";

fn pids(project: &Project) -> Vec<String> {
    if !project.exists("pids") {
        return Vec::new();
    }
    project.read("pids").lines().map(str::to_owned).collect()
}

fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    let state = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .trim_start()
        .chars()
        .next();
    state.is_some_and(|state| state != 'Z')
}

#[test]
fn the_end_of_the_session_ends_its_terminals() {
    let server = Server::with([call(start("a", STAY)), Turn::text("Done.")]);
    let project = project_with(&server);
    yolo(&project).run().success();
    assert_eq!(pids(&project).len(), 3);
    wait_until("no program of the terminal is left", || {
        !pids(&project).iter().any(|pid| is_running(pid))
    });
}

#[test]
fn a_killed_lathe_leaves_no_program_behind() {
    let server = Server::start();
    let gate = Gate::new();
    server.script([call(start("a", STAY)), Turn::text("Done.").gate(0, &gate)]);
    let project = project_with(&server);
    let running = yolo(&project).spawn();
    gate.wait_until_reached();
    wait_until("all have started", || pids(&project).len() == 3);
    assert!(pids(&project).iter().all(|pid| is_running(pid)));
    drop(running.kill());
    wait_until("no program of the terminal is left", || {
        !pids(&project).iter().any(|pid| is_running(pid))
    });
}

#[test]
fn a_stop_ends_what_ignores_the_polite_signal() {
    let stop = json!({"action": "stop", "session": "a"});
    let server = Server::with([
        call(start(
            "a",
            "trap '' HUP TERM; echo $$ >> pids; while :; do sleep 1; done",
        )),
        call(stop),
        Turn::text("Done."),
    ]);
    let project = project_with(&server);
    yolo(&project).run().success();
    assert_eq!(pids(&project).len(), 1);
    assert!(!pids(&project).iter().any(|pid| is_running(pid)));
}
