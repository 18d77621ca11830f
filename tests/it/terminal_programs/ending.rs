//! Everything in a terminal is ended, by the numbers of its processes.

use std::path::Path;

use lathe::process::pty::end_all;

use super::support::{Program, bash, start};

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    stat.is_ok_and(|stat| !stat[stat.rfind(')').unwrap()..].starts_with(") Z"))
}

/// The numbers on lines that end with `pid N`.
fn pids(program: &Program, count: usize) -> Vec<u32> {
    program.wait_for("the numbers of processes", || {
        let text = program.text();
        let found: Vec<u32> = text
            .lines()
            .filter_map(|line| line.rsplit_once("pid ")?.1.trim().parse().ok())
            .collect();
        (found.len() == count).then_some(found)
    })
}

#[test]
fn jobs_children_in_sessions_of_their_own_and_orphans_end() {
    let program = start(&["bash", "--norc", "-i"]);
    program.wait_for_text("prompt>");
    program.send("sleep 1001 & echo pid $!\r");
    program.send("(sleep 1002 & echo pid $!)\r");
    // In a shell without job control, so that it does not fork and lose its parent.
    program.send("sh -c 'setsid sleep 1003 & echo pid $!; wait' &\r");
    program.send("echo pid $$\r");
    let pids = pids(&program, 4);
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    assert!(pids.contains(&program.pid()));
    let processes = program.terminal.processes();
    end_all(&[processes]);
    assert!(processes.alive().is_empty());
    for pid in pids {
        assert!(!is_alive(pid), "{pid}");
    }
}

#[test]
fn a_program_that_ignores_hup_and_term_ends() {
    let program = bash("trap '' HUP TERM INT; echo pid $$; while :; do sleep 0.1; done");
    let pids = pids(&program, 1);
    end_all(&[program.terminal.processes()]);
    assert!(!is_alive(pids[0]));
}

#[test]
fn a_stopped_job_ends() {
    let program = start(&["bash", "--norc", "-i"]);
    program.wait_for_text("prompt>");
    program.send("sleep 1004\r");
    program.wait_for_foreground("sleep");
    program.send("\x1a");
    program.wait_for_text("Stopped");
    program.send("echo pid $(jobs -p)\r");
    let pids = pids(&program, 1);
    end_all(&[program.terminal.processes()]);
    assert!(!is_alive(pids[0]));
}

#[test]
fn several_terminals_end_together() {
    let programs: Vec<Program> = (0..3).map(|_| bash("echo pid $$; exec sleep 1005")).collect();
    let all: Vec<u32> = programs.iter().flat_map(|program| pids(program, 1)).collect();
    let processes: Vec<_> = programs
        .iter()
        .map(|program| program.terminal.processes())
        .collect();
    end_all(&processes);
    assert!(all.iter().all(|pid| !is_alive(*pid)));
}

#[test]
fn nothing_else_is_among_the_processes_of_a_terminal() {
    let one = bash("echo pid $$; exec sleep 1006");
    let other = bash("echo pid $$; exec sleep 1007");
    let (one_pid, other_pid) = (pids(&one, 1), pids(&other, 1));
    assert_eq!(one.terminal.processes().alive(), one_pid);
    assert_eq!(other.terminal.processes().alive(), other_pid);
}
