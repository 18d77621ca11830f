use std::path::Path;

use super::*;

const LONG: Duration = Duration::from_mins(1);

fn command(text: &str) -> ShellCommand {
    let path = std::env::var_os("PATH").unwrap();
    ShellCommand {
        shell: Shell::find(None, Some(&path)).unwrap(),
        command: text.into(),
        cwd: std::env::temp_dir(),
        environment: vec![("PATH".into(), path)],
        confinement: None,
    }
}

async fn finish(text: &str, timeout: Duration) -> (CommandOutcome, Vec<u8>) {
    let mut output = Vec::new();
    let running = command(text).spawn().unwrap();
    let collect = |bytes: &[u8]| output.extend_from_slice(bytes);
    let outcome = running.finish(timeout, &CancellationToken::new(), collect).await;
    (outcome, output)
}

async fn run(text: &str) -> (CommandOutcome, String) {
    let (outcome, output) = finish(text, LONG).await;
    (outcome, String::from_utf8(output).unwrap())
}

fn is_running(pid: &str) -> bool {
    // What has ended but was not waited for has no command line.
    std::fs::read(Path::new("/proc").join(pid.trim()).join("cmdline")).is_ok_and(|line| !line.is_empty())
}

/// A number of a process that the command has printed.
async fn wait_until_gone(pid: &str) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while is_running(pid) {
        assert!(Instant::now() < deadline, "process {pid} still runs");
        sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn both_outputs_come_in_order_with_the_status() {
    let (outcome, output) = run("echo a; echo b >&2; echo c; exit 3").await;
    assert_eq!(output, "a\nb\nc\n");
    assert_eq!((outcome.exit, outcome.signal), (Some(3), None));
    assert!(!outcome.timed_out && !outcome.cancelled && !outcome.left_behind);
}

#[tokio::test]
async fn a_signal_is_told_apart_from_a_status() {
    let (outcome, _) = run("kill -9 $$").await;
    assert_eq!((outcome.exit, outcome.signal), (None, Some(9)));
}

#[tokio::test]
async fn the_command_leads_a_session_without_terminal_and_input() {
    let (outcome, output) =
        run("ps -o pid=,pgid=,sid=,tty= -p $$; cat; true </dev/tty || echo no terminal").await;
    let pid = outcome.pid.to_string();
    let words: Vec<&str> = output.split_whitespace().take(4).collect();
    assert_eq!(words, [&*pid, &*pid, &*pid, "?"]);
    assert!(output.ends_with("no terminal\n"), "{output}");
}

#[tokio::test]
async fn nothing_of_our_environment_is_inherited() {
    let (_, output) = run("echo ${CARGO_MANIFEST_DIR-none} ${HOME-none}").await;
    assert_eq!(output, "none none\n");
}

#[tokio::test]
async fn bytes_that_are_no_text_arrive_as_they_are() {
    let (_, output) = finish(r"printf '\377\000\303'", LONG).await;
    assert_eq!(output, [0xff, 0, 0xc3]);
}

#[tokio::test]
async fn a_hundred_megabytes_pass_through_without_being_kept() {
    let running = command("head -c 100000000 /dev/zero").spawn().unwrap();
    let (mut total, mut largest) = (0, 0);
    let count = |bytes: &[u8]| {
        total += bytes.len();
        largest = largest.max(bytes.len());
    };
    let outcome = running.finish(LONG, &CancellationToken::new(), count).await;
    assert_eq!((outcome.exit, total), (Some(0), 100_000_000));
    assert!(largest <= BUFFER);
}

#[tokio::test]
async fn a_timeout_ends_the_whole_group() {
    let started = Instant::now();
    let (outcome, output) = finish("sleep 60 & echo $!; sleep 61", Duration::from_millis(200)).await;
    assert!(started.elapsed() < Duration::from_secs(3));
    assert!(outcome.timed_out && !outcome.left_behind);
    assert_eq!(outcome.signal, Some(15));
    wait_until_gone(&String::from_utf8(output).unwrap()).await;
}

#[tokio::test]
async fn what_ignores_the_polite_signal_is_killed() {
    let started = Instant::now();
    let script = "trap '' TERM; (sleep 60; echo never) & echo $!; while :; do sleep 1; done";
    let (outcome, output) = finish(script, Duration::from_millis(100)).await;
    let elapsed = started.elapsed();
    // Promised are 3.5 s, and a busy machine may be late.
    assert!(
        elapsed > KILL_AFTER && elapsed < Duration::from_millis(4500),
        "{elapsed:?}"
    );
    assert_eq!((outcome.timed_out, outcome.signal), (true, Some(9)));
    wait_until_gone(&String::from_utf8(output).unwrap()).await;
}

#[tokio::test]
async fn output_after_the_polite_signal_still_counts() {
    let script = "trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
    let (outcome, output) = finish(script, Duration::from_millis(300)).await;
    // The shell may say of the sleep that it was terminated.
    assert!(String::from_utf8(output).unwrap().ends_with("saved\n"));
    assert_eq!((outcome.timed_out, outcome.exit), (true, Some(0)));
}

#[tokio::test]
async fn a_cancelled_command_is_stopped() {
    let cancel = CancellationToken::new();
    let running = command("echo started; sleep 60").spawn().unwrap();
    let started = Instant::now();
    let outcome = running.finish(LONG, &cancel, |_| cancel.cancel()).await;
    assert!(started.elapsed() < Duration::from_secs(3));
    assert!(outcome.cancelled && !outcome.timed_out);
    assert_eq!(outcome.signal, Some(15));
}

#[tokio::test]
async fn a_job_that_holds_the_pipe_is_left_for_half_a_second() {
    let (outcome, output) = run("sleep 60 & echo $!").await;
    assert_eq!((outcome.exit, outcome.left_behind), (Some(0), true));
    wait_until_gone(&output).await;
}

#[tokio::test]
async fn a_silent_job_is_found_and_stopped_too() {
    let (outcome, output) = run("sleep 60 >/dev/null 2>&1 & echo $!").await;
    assert!(outcome.left_behind);
    wait_until_gone(&output).await;
}

#[tokio::test]
async fn a_job_that_ends_in_time_was_not_left_behind() {
    let (outcome, output) = run("(sleep 0.1; echo late) & echo early").await;
    assert_eq!((output.as_str(), outcome.left_behind), ("early\nlate\n", false));
}

#[tokio::test]
async fn a_process_outside_the_group_does_not_delay_the_end() {
    let started = Instant::now();
    let (outcome, output) = run("setsid sh -c 'echo $$; exec sleep 60' & sleep 0.1").await;
    assert!(outcome.left_behind && started.elapsed() < Duration::from_secs(2));
    let pid = output.trim().parse().unwrap();
    Group::led_by(pid).unwrap().kill();
}

#[tokio::test]
async fn a_closed_output_is_not_the_end() {
    let (outcome, _) = run("exec >&- 2>&-; sleep 0.1; exit 5").await;
    assert_eq!(outcome.exit, Some(5));
}

#[tokio::test]
async fn a_dropped_command_is_killed_with_its_group() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let running = command("sleep 60 & echo $!; sleep 60").spawn().unwrap();
    let mut sender = Some(sender);
    let task = tokio::spawn(async move {
        let tell = |bytes: &[u8]| {
            if let Some(sender) = sender.take() {
                sender.send(String::from_utf8_lossy(bytes).into_owned()).unwrap();
            }
        };
        running.finish(LONG, &CancellationToken::new(), tell).await
    });
    let pid = receiver.await.unwrap();
    task.abort();
    wait_until_gone(&pid).await;
}

#[tokio::test]
async fn a_command_that_cannot_start_says_why() {
    let mut lost = command("true");
    lost.cwd = "/no/such/directory".into();
    let error = lost.spawn().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the directory `/no/such/directory` does not exist"
    );

    let mut bare = command("true");
    bare.shell = Shell::at("/no/such/shell");
    let error = bare.spawn().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the shell `/no/such/shell` does not exist or is not executable"
    );

    assert!(matches!(command("a\0b").spawn(), Err(SpawnError::Nul)));
    // 128 KiB is Linux's limit for one argument; elsewhere it is higher.
    assert!(matches!(
        command(&"x".repeat(8 << 20)).spawn(),
        Err(SpawnError::TooLong(8_388_608))
    ));
}

#[tokio::test]
async fn no_dead_process_of_ours_is_left() {
    for _ in 0..20 {
        let (outcome, _) = run("true | true").await;
        assert!(!Path::new("/proc").join(outcome.pid.to_string()).exists());
        assert!(!outcome.left_behind);
    }
}

#[tokio::test]
async fn commands_run_side_by_side() {
    let commands = (0..16).map(|number| async move { run(&format!("sleep 0.05; echo {number}")).await.1 });
    let outputs = futures::future::join_all(commands).await;
    let expected: Vec<String> = (0..16).map(|number| format!("{number}\n")).collect();
    assert_eq!(outputs, expected);
}
