//! The program itself, without a terminal.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::panic::Location;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::deadline::{DEADLINE, Watched};
use super::project::Project;

/// The binary that [`Lathe`] runs.
pub(crate) const LATHE: &str = env!("CARGO_BIN_EXE_lathe");

/// A start of the program, to be described and then run.
#[derive(Debug)]
#[must_use = "nothing runs before `run` or `spawn`"]
pub(crate) struct Lathe {
    program: OsString,
    arguments: Vec<OsString>,
    stdin: Option<Vec<u8>>,
    keeps_stdin_open: bool,
    environment: Vec<(OsString, OsString)>,
    cwd: PathBuf,
    deadline: Duration,
}

impl Lathe {
    pub(crate) fn in_project(project: &Project) -> Self {
        Self::program(LATHE, project)
    }

    /// Another program in the same environment.
    pub(crate) fn program(program: impl AsRef<OsStr>, project: &Project) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            stdin: None,
            keeps_stdin_open: false,
            environment: project.environment(),
            cwd: project.root(),
            deadline: DEADLINE,
        }
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments
            .extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Pipes this in; without it stdin is `/dev/null`.
    pub(crate) fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = Some(bytes.as_ref().to_vec());
        self
    }

    /// Pipes this in and does not close the pipe.
    pub(crate) fn open_stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.keeps_stdin_open = true;
        self.stdin(bytes)
    }

    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self = self.env_remove(&name);
        self.environment
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    pub(crate) fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.environment.retain(|(present, _)| present != name.as_ref());
        self
    }

    pub(crate) fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = directory.into();
        self
    }

    /// How long the program may take before it is killed and the test fails.
    pub(crate) fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Runs the program to its end.
    #[track_caller]
    #[must_use]
    pub(crate) fn run(self) -> Finished {
        self.spawn().wait()
    }

    /// Starts the program.
    #[track_caller]
    #[must_use]
    pub(crate) fn spawn(self) -> Running {
        let stdin = if self.stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .current_dir(&self.cwd)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("`{}` does not start: {error}", self.program.display()));

        let output = Arc::new(Watched::new(Output::default()));
        collect(child.stdout.take().unwrap(), &output, |output| &mut output.stdout);
        collect(child.stderr.take().unwrap(), &output, |output| &mut output.stderr);
        let mut open_stdin = None;
        if let (Some(bytes), Some(mut pipe)) = (self.stdin, child.stdin.take()) {
            if self.keeps_stdin_open {
                pipe.write_all(&bytes).unwrap();
                open_stdin = Some(pipe);
            } else {
                // A program that reads nothing must not hold up the test.
                thread::spawn(move || pipe.write_all(&bytes));
            }
        }
        let command = [&self.program].into_iter().chain(&self.arguments);
        Running {
            child,
            _open_stdin: open_stdin,
            output,
            deadline: Instant::now() + self.deadline,
            patience: self.deadline,
            command: command
                .map(|word| word.to_string_lossy().into_owned())
                .collect::<Vec<_>>()
                .join(" "),
            started_at: Location::caller(),
        }
    }
}

/// One output of the program so far.
#[derive(Debug, Default)]
struct Stream {
    bytes: Vec<u8>,
    ended: bool,
}

#[derive(Debug, Default)]
struct Output {
    stdout: Stream,
    stderr: Stream,
}

fn collect(
    mut pipe: impl Read + Send + 'static,
    output: &Arc<Watched<Output>>,
    stream: fn(&mut Output) -> &mut Stream,
) {
    let output = Arc::clone(output);
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = pipe.read(&mut buffer) {
            output.update(|output| stream(output).bytes.extend_from_slice(&buffer[..read]));
        }
        output.update(|output| stream(output).ended = true);
    });
}

/// A program that runs. It is killed when it is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    /// Held until the program has ended.
    _open_stdin: Option<ChildStdin>,
    output: Arc<Watched<Output>>,
    deadline: Instant,
    patience: Duration,
    command: String,
    started_at: &'static Location<'static>,
}

impl Running {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Returns true if it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Ends it as `kill -9` does: it can neither save nor clean up.
    #[must_use]
    pub(crate) fn kill(mut self) -> Finished {
        self.child.kill().unwrap();
        self.wait()
    }

    pub(crate) fn stdout_so_far(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().stdout.bytes).into_owned()
    }

    pub(crate) fn stderr_so_far(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().stderr.bytes).into_owned()
    }

    /// Waits until the whole lines that were printed so far on stdout satisfy the condition. A line arrives in pieces when
    /// the pipe is full or is read late.
    #[track_caller]
    pub(crate) fn wait_for_stdout(&self, condition: impl Fn(&str) -> bool) -> String {
        self.wait_for("stdout", |output| &output.stdout, condition)
    }

    /// The same for stderr.
    #[track_caller]
    pub(crate) fn wait_for_stderr(&self, condition: impl Fn(&str) -> bool) -> String {
        self.wait_for("stderr", |output| &output.stderr, condition)
    }

    #[track_caller]
    fn wait_for(
        &self,
        name: &str,
        stream: fn(&Output) -> &Stream,
        condition: impl Fn(&str) -> bool,
    ) -> String {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let found = self.output.wait_for(left, |output| {
            let stream = stream(output);
            let end = stream.bytes.iter().rposition(|byte| *byte == b'\n');
            let whole = if stream.ended {
                stream.bytes.len()
            } else {
                end.map_or(0, |end| end + 1)
            };
            let text = String::from_utf8_lossy(&stream.bytes[..whole]).into_owned();
            let fits = condition(&text);
            (fits || stream.ended).then_some((fits, text))
        });
        match found {
            Some((true, text)) => text,
            Some((false, _)) => panic!("{name} ended without what was waited for\n{}", self.story()),
            None => panic!("{name} did not come to what was waited for\n{}", self.story()),
        }
    }

    /// Waits for the end.
    #[track_caller]
    #[must_use]
    pub(crate) fn wait(mut self) -> Finished {
        let status = self.wait_for_status();
        // A process that the program left behind may hold the pipes; what it says is not waited for.
        let grace = Duration::from_secs(2);
        let _ = self.output.wait_for(grace, |output| {
            (output.stdout.ended && output.stderr.ended).then_some(())
        });
        Finished {
            command: self.command.clone(),
            stdout: self.stdout_so_far(),
            stderr: self.stderr_so_far(),
            code: status.code(),
            signal: status.signal(),
        }
    }

    #[track_caller]
    fn wait_for_status(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            if Instant::now() > self.deadline {
                let _ = self.child.kill();
                let _ = self.child.wait();
                panic!("did not end in {:?}\n{}", self.patience, self.story());
            }
            thread::park_timeout(Duration::from_millis(2));
        }
    }

    fn story(&self) -> String {
        let (stdout, stderr) = (self.stdout_so_far(), self.stderr_so_far());
        let Self {
            command, started_at, ..
        } = self;
        format!("--- `{command}`, started at {started_at}\n--- stdout\n{stdout}\n--- stderr\n{stderr}\n---")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How the program ended and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finished {
    command: String,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

impl fmt::Display for Finished {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            command,
            stdout,
            stderr,
            code,
            signal,
        } = self;
        write!(
            formatter,
            "`{command}` ended with status {code:?}, signal {signal:?}\n--- stdout\n{stdout}\n"
        )?;
        write!(formatter, "--- stderr\n{stderr}\n---")
    }
}

impl Finished {
    /// Asserts the exit status; a mismatch shows both outputs.
    #[track_caller]
    pub(crate) fn assert_code(self, expected: i32) -> Self {
        assert!(
            self.code == Some(expected),
            "expected status {expected}, but {self}"
        );
        self
    }

    #[track_caller]
    pub(crate) fn success(self) -> Self {
        self.assert_code(0)
    }

    /// Each line of stdout as JSON.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parse = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in the line {line:?}\n{self}"))
        };
        self.stdout.lines().map(parse).collect()
    }

    /// The whole of stdout as one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shell(project: &Project, script: &str) -> Lathe {
        Lathe::program("sh", project).args(["-c", script])
    }

    #[test]
    fn both_outputs_and_the_status_are_kept() {
        let project = Project::new();
        let finished = shell(&project, "cat; echo err >&2; exit 3")
            .stdin("in\n")
            .run()
            .assert_code(3);
        assert_eq!((&*finished.stdout, &*finished.stderr), ("in\n", "err\n"));
    }

    #[test]
    fn only_the_project_s_environment_gets_through() {
        let project = Project::new();
        let finished = shell(
            &project,
            "echo $HOME; pwd; echo ${CARGO_MANIFEST_DIR-none} $EXTRA",
        )
        .env("EXTRA", "x")
        .run()
        .success();
        let (home, root) = (project.home(), project.root());
        assert_eq!(
            finished.stdout,
            format!("{}\n{}\nnone x\n", home.display(), root.display())
        );
    }

    #[test]
    fn json_lines_are_parsed() {
        let finished = shell(&Project::new(), r#"echo '{"a":1}'; echo '{"b":2}'"#).run();
        assert_eq!(finished.json_lines(), [json!({"a": 1}), json!({"b": 2})]);
    }

    #[test]
    fn a_running_program_takes_signals() {
        let project = Project::new();
        let script = "trap 'echo got it; kill $!; exit 4' TERM; sleep 60 >/dev/null 2>&1 & echo ready; wait";
        let running = shell(&project, script).spawn();
        running.wait_for_stdout(|text| text.contains("ready"));
        running.signal(Signal::TERM);
        let finished = running.wait().assert_code(4);
        assert!(finished.stdout.ends_with("got it\n"), "{finished}");

        let running = shell(&project, "echo ready; exec sleep 60").spawn();
        running.wait_for_stdout(|text| text.contains("ready"));
        assert_eq!(running.kill().signal, Some(9));
    }

    #[test]
    #[should_panic(expected = "too late")]
    fn a_program_that_does_not_end_is_killed_and_shown() {
        let script = "echo too late; exec sleep 60";
        let _ = shell(&Project::new(), script)
            .deadline(Duration::from_millis(300))
            .run();
    }
}
