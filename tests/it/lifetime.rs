//! A command never outlives lathe, however lathe ends and wherever the command has moved to.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Key, LATHE, Lathe, Project, Protocol, Server, Terminal, Turn, wait_until};

/// Starts processes that leave the group, the session and the environment behind, writes down their numbers, and goes on.
/// One of them ignores the polite signals.
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
/// Promised are 3 s on an idle machine.
const LONGEST: Duration = Duration::from_secs(10);

fn project() -> Project {
    Project::new().file("start.sh", SCRIPT)
}

fn pids(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.path("pids")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Returns true if a process of the project's has this number; another one may have it by now.
fn is_running(project: &Project, pid: &str) -> bool {
    // What is dead has no directory any more.
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|directory| directory == project.root())
}

/// Says what a process is and does.
fn description(pid: &str) -> String {
    let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    format!("{}{}", read("stat"), read("status"))
}

#[track_caller]
fn wait_until_started(project: &Project) {
    wait_until("every process is there", || pids(project).len() == PROCESSES);
}

#[track_caller]
fn assert_all_end(project: &Project, signal: Option<Signal>) {
    let began = std::time::Instant::now();
    let left = || pids(project).into_iter().filter(|pid| is_running(project, pid));
    while began.elapsed() < LONGEST && left().next().is_some() {
        std::thread::park_timeout(Duration::from_millis(5));
    }
    let left: Vec<String> = left().map(|pid| description(&pid)).collect();
    assert!(
        left.is_empty(),
        "after {signal:?} and {LONGEST:?}: {}",
        left.join("\n")
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
    // The last three end it without a word, as a crash does.
    for signal in [
        Signal::KILL,
        Signal::HUP,
        Signal::TERM,
        Signal::ABORT,
        Signal::QUIT,
        Signal::ALARM,
    ] {
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
fn commands_end_when_the_screen_panics() {
    let server = Server::start();
    server.script([Turn::tool("bash", json!({"command": "bash start.sh"}))]);
    let project = project().model(&server, Protocol::Anthropic);
    let arguments = [
        "LATHE_DEBUG_PANIC=1",
        LATHE,
        "--permission-mode",
        "yolo",
        "-p",
        "go",
    ];
    let terminal = Terminal::program("env", &project, 80, 24, &arguments);
    wait_until_started(&project);
    terminal.keys("x");
    assert_eq!(terminal.wait_exit().exit_code(), 101);
    assert_all_end(&project, None);
}

/// The processes that have this one as their parent, with their names.
fn children(of: Pid) -> Vec<(Pid, String)> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let child = |stat: String| {
        let (pid, rest) = stat.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let parent = rest.split(' ').nth(1)?;
        let pid = pid.parse().ok().and_then(Pid::from_raw)?;
        (parent == of.to_string()).then(|| (pid, name.to_owned()))
    };
    stats.filter_map(child).collect()
}

/// The process that ends commands after lathe.
#[track_caller]
fn keeper(of: Pid) -> Pid {
    let children = children(of);
    let keeper = children.iter().find(|(_, name)| name == "command-keeper");
    keeper.unwrap_or_else(|| panic!("no keeper among {children:?}")).0
}

#[test]
fn commands_end_when_their_keeper_is_killed_and_later_ones_have_a_new_keeper() {
    let server = Server::start();
    server.script([
        Turn::tool("bash", json!({"command": "bash start.sh"})),
        Turn::tool("bash", json!({"command": "mv pids before; bash start.sh"})),
    ]);
    let project = project().model(&server, Protocol::Anthropic);
    let running = Lathe::in_project(&project)
        .args(["run", "--format", "json", "--permission-mode", "yolo", "go"])
        .spawn();
    wait_until_started(&project);
    let first = pids(&project);
    kill_process(keeper(running.pid()), Signal::KILL).unwrap();
    wait_until("the first processes have ended", || {
        !first.iter().any(|pid| is_running(&project, pid))
    });
    // Lathe goes on, and says what it knows.
    wait_until("the second command runs", || project.exists("before"));
    wait_until_started(&project);
    let result = running.wait_for_stdout(|text| text.contains(r#""type":"tool_result""#));
    let result = result.lines().find(|line| line.contains("tool_result")).unwrap();
    let result: Value = serde_json::from_str(result).unwrap();
    assert_eq!(result["details"]["error"]["kind"], "interrupted", "{result}");
    let told = "Error: the process that watches over commands was ended from outside, and the command with it; what it \
                had done until then is not known";
    assert!(result["output"].as_str().unwrap().starts_with(told), "{result}");
    running.signal(Signal::KILL);
    assert_all_end(&project, Some(Signal::KILL));
}

/// In a container, who leads the session of lathe may be outside: then it has no number there.
#[test]
fn commands_end_when_their_keeper_is_killed_in_a_pid_namespace() {
    let script = r#"
"$LATHE" tool --permission-mode yolo bash "$CALL" &
until [ -s pids ]; do :; done
for name in /proc/[0-9]*/comm; do
    if [ "$(cat "$name")" = command-keeper ]; then
        keeper=${name%/comm}
        kill -KILL "${keeper#/proc/}"
    fi
done
wait $!
for round in $(seq 1000); do
    [ -e "/proc/$(cat pids)/cwd" ] || { echo ended; exit; }
    sleep 0.01
done
"#;
    let call = "setsid -f bash -c 'echo $$ > pids; exec sleep 600'; sleep 600";
    let project = Project::new();
    let finished = Lathe::program("unshare", &project)
        .args(["-r", "--pid", "--fork", "--mount-proc", "bash", "-c", script])
        .env("LATHE", LATHE)
        .env("CALL", json!({ "command": call }).to_string())
        .deadline(Duration::from_mins(1))
        .run();
    if finished.stderr.starts_with("unshare: ") {
        eprintln!(
            "skipped: commands_end_when_their_keeper_is_killed_in_a_pid_namespace (none can be made here)"
        );
        return;
    }
    assert!(finished.stdout.ends_with("ended\n"), "{finished}");
}

#[test]
fn to_kill_lathe_by_its_name_leaves_the_keeper_to_its_work() {
    let project = project();
    let call = json!({"command": "bash start.sh"}).to_string();
    let running = Lathe::in_project(&project)
        .args(["tool", "--permission-mode", "yolo", "bash", &call])
        .spawn();
    wait_until_started(&project);
    let (_, name) = children(running.pid()).remove(0);
    // `pkill lathe` ends every process whose name has the word in it.
    assert!(!name.contains("lathe"), "{name}");
    running.signal(Signal::KILL);
    assert_all_end(&project, Some(Signal::KILL));
}

/// Each event that runs hooks before, in and after a turn with one call.
#[test]
fn commands_of_hooks_end_with_lathe() {
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
    ] {
        let server = Server::with([
            Turn::tool("bash", json!({"command": "true"})),
            Turn::text("Done."),
        ]);
        let hooks = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "bash start.sh"}]}]}});
        let project = project().model(&server, Protocol::Anthropic).config(hooks);
        let running = Lathe::in_project(&project)
            .args(["run", "--permission-mode", "yolo", "go"])
            .spawn();
        wait_until("the hook has started", || pids(&project).len() == PROCESSES);
        running.signal(Signal::KILL);
        assert_all_end(&project, Some(Signal::KILL));
    }
}

#[test]
fn what_a_command_of_the_persons_own_left_in_other_sessions_ends_with_the_screen() {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::Anthropic);
    let terminal = Terminal::start(&project, 80, 24, &[]);
    terminal.wait_text("send");
    terminal.keys("!setsid -f bash -c 'echo $$ > pids; exec sleep 600'");
    terminal.key(Key::Enter);
    wait_until("the process is there", || pids(&project).len() == 1);
    terminal.wait_text("● Bash");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("ctrl+c again quits");
    terminal.key(Key::Ctrl('c'));
    assert_eq!(terminal.wait_exit().exit_code(), 0);
    assert_all_end(&project, None);
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
