//! A program in a terminal, and waiting for what it does.

use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use lathe::process::pty::{
    PtySize, Settle, SettleOutcome, SettleStep, Terminal, TerminalExit, control, end_all,
};
use lathe::process::screen::ScreenSettings;
use std::os::unix::process::ExitStatusExt;

/// A program that does not do what it should within this time never will.
const PATIENCE: Duration = Duration::from_secs(30);
/// Pause between two looks at conditions that no output announces.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A program in a terminal; everything in it is ended when this is dropped.
pub(crate) struct Program {
    pub(crate) terminal: Arc<Terminal>,
    child: Child,
    changes: Arc<Changes>,
}

#[derive(Default)]
struct Changes {
    count: Mutex<u64>,
    changed: Condvar,
}

impl Changes {
    fn note(&self) {
        *self.count.lock().unwrap() += 1;
        self.changed.notify_all();
    }
}

#[must_use]
pub(crate) fn bash(command: &str) -> Program {
    start(&["bash", "-c", command])
}

#[must_use]
pub(crate) fn start(words: &[&str]) -> Program {
    let changes = Arc::new(Changes::default());
    let size = PtySize { cols: 80, rows: 24 };
    let observer = Arc::clone(&changes);
    let (terminal, streams) =
        Terminal::open(size, ScreenSettings::default(), move || observer.note()).unwrap();
    let words = words.iter().map(Into::into);
    let child = Command::new(env!("CARGO_BIN_EXE_lathe"))
        .args(control::arguments("env".into(), words))
        .current_dir("/")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs(
            [
                "TERM=xterm-256color",
                "PS1=prompt> ",
                "LANG=C.UTF-8",
                "HOME=/nonexistent",
            ]
            .map(|pair| pair.split_once('=').unwrap()),
        )
        .stdin(streams.stdin)
        .stdout(streams.stdout)
        .stderr(streams.stderr)
        .spawn()
        .unwrap();
    terminal.started(child.id());
    Program {
        terminal: Arc::new(terminal),
        child,
        changes,
    }
}

impl Program {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn text(&self) -> String {
        self.terminal.screen().text().join("\n").trim_end().to_owned()
    }

    pub(crate) fn send(&self, text: &str) {
        self.terminal.write(text.as_bytes()).unwrap();
    }

    /// Waits for a condition, looked at after each change and now and then.
    #[track_caller]
    pub(crate) fn wait_for<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let count = *self.changes.count.lock().unwrap();
            if let Some(found) = look() {
                return found;
            }
            assert!(
                Instant::now() < deadline,
                "waited in vain for {what}; facts {:?}; the screen:\n{}",
                self.terminal.input_facts(),
                self.text()
            );
            let current = self.changes.count.lock().unwrap();
            drop(
                self.changes
                    .changed
                    .wait_timeout_while(current, LOOK_AGAIN, |current| *current == count),
            );
        }
    }

    #[track_caller]
    pub(crate) fn wait_for_text(&self, text: &str) {
        self.wait_for(text, || self.text().contains(text).then_some(()));
    }

    /// Waits until a program of this name has the foreground.
    #[track_caller]
    pub(crate) fn wait_for_foreground(&self, name: &str) {
        self.wait_for(name, || {
            let alive = self.terminal.processes().alive();
            let is_foreground = |pid: &u32| {
                let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                let fields: Vec<&str> = stat.split(' ').collect();
                // Name, group and the group in the foreground.
                fields.len() > 7 && fields[1] == format!("({name})") && fields[4] == fields[7]
            };
            alive.iter().any(is_foreground).then_some(())
        });
    }

    /// Waits for the end of the program and of its output.
    #[track_caller]
    pub(crate) fn wait_for_end(&mut self) -> TerminalExit {
        let child = &mut self.child;
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "the program does not end");
            std::thread::park_timeout(LOOK_AGAIN);
        };
        let exit = TerminalExit {
            code: status.code(),
            signal: status.signal(),
        };
        self.terminal.ended(exit);
        self.wait_for("the end of the output", || {
            self.terminal.is_output_closed().then_some(())
        });
        exit
    }

    /// Follows the terminal until it has settled.
    #[track_caller]
    pub(crate) fn settle(&self, timeout: Duration, pattern: Option<&str>) -> SettleOutcome {
        let settle = Settle::new(Instant::now(), timeout, pattern.is_some());
        self.wait_for("the terminal to settle", || {
            let is_seen = pattern.is_some_and(|pattern| self.text().contains(pattern));
            let now = Instant::now();
            match settle.step(now, self.terminal.settle_events(now, is_seen)) {
                SettleStep::Over(outcome) => Some(outcome),
                SettleStep::LookAgain(_) => None,
            }
        })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Tests that look at the ending do it themselves; here nobody waits three seconds for a program that ignores HUP.
        for process in self.terminal.processes().alive() {
            let pid = rustix::process::Pid::from_raw(process.cast_signed()).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
        end_all(&[self.terminal.processes()]);
    }
}
