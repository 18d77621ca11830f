//! A command never outlives lathe, however lathe ends and wherever the command has moved to.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Key, Lathe, Project, Protocol, Server, Terminal, Turn, wait_until};

/// Starts processes that leave the group, the session and the environment behind, writes down their numbers, and goes on.
/// What ignores the polite signals is among them.
const SCRIPT: &str = r#"
note='echo $$ >> pids; exec sleep 600'
setsid -f bash -c "$note"
env -i PATH="$PATH" setsid -f bash -c "$note"
( ( setsid bash -c "trap '' TERM HUP INT; $note" & ) & )
nohup bash -c "$note" > /dev/null 2>&1 &
bash -c "$note" > /dev/null 2>&1 < /dev/null &
echo $$ >> pids
exec sleep 600
"#;
const PROCESSES: usize = 6;

fn project() -> Project {
    Project::new().file("start.sh", SCRIPT)
}

fn pids(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.path("pids")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

#[track_caller]
fn wait_until_started(project: &Project) {
    wait_until("every process is there", || pids(project).len() == PROCESSES);
}

#[track_caller]
fn assert_all_end(project: &Project, signal: Option<Signal>) {
    let began = std::time::Instant::now();
    wait_until("every process has ended", || {
        !pids(project).iter().any(|pid| is_running(pid))
    });
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{signal:?} {:?}",
        began.elapsed()
    );
}

#[test]
fn commands_of_a_tool_call_end_however_lathe_ends() {
    for signal in [Signal::KILL, Signal::HUP, Signal::TERM, Signal::INT] {
        let project = project();
        let call = json!({"command": "bash start.sh"}).to_string();
        let running = Lathe::in_project(&project)
            .args(["tool", "--permission-mode", "yolo", "bash", &call])
            .spawn();
        wait_until_started(&project);
        running.signal(signal);
        assert_all_end(&project, Some(signal));
    }
}

#[test]
fn what_a_finished_command_left_in_other_sessions_ends_with_lathe() {
    let project = Project::new();
    let script = "setsid -f bash -c 'echo $$ > pids; exec sleep 600'; while [ ! -s pids ]; do :; done";
    let call = json!({"command": script}).to_string();
    Lathe::in_project(&project)
        .args(["tool", "--permission-mode", "yolo", "bash", &call])
        .run()
        .success();
    assert_eq!(pids(&project).len(), 1);
    assert_all_end(&project, None);
}

#[test]
fn commands_of_a_run_end_with_it() {
    for signal in [Signal::KILL, Signal::HUP, Signal::TERM] {
        let server = Server::start();
        server.script([Turn::tool("bash", json!({"command": "bash start.sh"}))]);
        let project = project().model(&server, Protocol::Anthropic);
        let running = Lathe::in_project(&project)
            .args(["run", "--permission-mode", "yolo", "go"])
            .spawn();
        wait_until_started(&project);
        running.signal(signal);
        assert_all_end(&project, Some(signal));
    }
}

#[test]
fn commands_of_the_screen_end_with_it() {
    for signal in [Signal::KILL, Signal::HUP, Signal::TERM] {
        let server = Server::start();
        let project = project().model(&server, Protocol::Anthropic);
        let terminal = Terminal::start(&project, 80, 24, &[]);
        terminal.wait_text("send");
        // A command of the person's own.
        terminal.keys("!bash start.sh");
        terminal.key(Key::Enter);
        wait_until_started(&project);
        terminal.signal(signal);
        assert_all_end(&project, Some(signal));
    }
}

#[test]
fn commands_of_hooks_end_with_lathe() {
    let project = project();
    let hooks =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "bash start.sh"}]}]}});
    let project = project.config(hooks);
    let running = Lathe::in_project(&project)
        .args([
            "tool",
            "--permission-mode",
            "yolo",
            "bash",
            r#"{"command": "true"}"#,
        ])
        .spawn();
    wait_until_started(&project);
    running.signal(Signal::KILL);
    assert_all_end(&project, Some(Signal::KILL));
}

#[test]
fn commands_have_no_signal_blocked() {
    let project = Project::new();
    let call = json!({"command": "grep ^SigBlk /proc/self/status"}).to_string();
    let finished = Lathe::in_project(&project)
        .args(["tool", "--permission-mode", "yolo", "bash", &call])
        .run();
    assert_eq!(finished.stdout, "SigBlk:\t0000000000000000\n");
}
