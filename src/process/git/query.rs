//! Queries to git: each with a hardened environment, confined, with limits for its time and its answer.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::disarmed::{Drivers, Submodules, Variables, disarmed, own_programs};
use super::measure::{Measured, measure};
use super::writing::WritableDirs;
use crate::process::piped::{BoundedOutput, exchange};
use crate::process::program::find_program;
use crate::process::sandbox::{Confinement, Support};
use crate::process::spawn::RunningCommand;
use crate::process::start_request::Start;

/// Options of commands that compare: no program shows the differences, and no submodule is looked into. What
/// `.gitmodules` says of a submodule stands above every setting, and only an option above that.
const COMPARING: &[&str] = &["--ignore-submodules=all", "--no-ext-diff", "--no-textconv"];
/// Bytes of data that git may have in memory for an answer. It maps what it reads of objects, which does not count.
const MEMORY: u64 = 768 << 20;
/// Commands that take these options.
const COMPARES: &[&str] = &["diff", "diff-files", "diff-index", "log", "show"];

/// Git in one directory.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    directory: PathBuf,
    environment: Variables,
    drivers: Drivers,
    /// `None` for one that only reads.
    writing: Option<WritableDirs>,
}

/// The most that one question may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// Bytes that are kept of each output.
    pub bytes: usize,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitAnswer {
    pub stdout: BoundedOutput,
    pub stderr: BoundedOutput,
    pub is_success: bool,
    /// `None` where a signal ended it.
    pub exit: Option<i32>,
}

/// The reason why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("git is not installed")]
    Missing,
    /// Git would read something without end.
    #[error("git was not run, because of {0}")]
    Unbounded(String),
    #[error("git gave no answer within {} seconds", .0.as_secs())]
    TooLate(Duration),
    #[error("git cannot be run: {0}")]
    System(#[from] io::Error),
}

impl Git {
    /// Git with this program. All of the environment is given; nothing is inherited.
    pub fn new(program: PathBuf, directory: PathBuf, environment: Variables) -> Self {
        Self {
            program,
            directory,
            environment,
            drivers: Drivers::default(),
            writing: None,
        }
    }

    /// The git of the environment's PATH, which may not come with the project.
    pub fn find(directory: PathBuf, environment: Variables, project: &Path) -> Result<Self, GitError> {
        let path = environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.clone()).unwrap_or_default();
        let program = find_program("git", &path, project).ok_or(GitError::Missing)?;
        Ok(Self::new(program, directory, environment))
    }

    /// Takes back these drivers too.
    #[must_use]
    pub fn without(mut self, drivers: &Drivers) -> Self {
        self.drivers.add(drivers);
        self
    }

    /// The same git in another directory.
    #[must_use]
    pub fn at(&self, directory: PathBuf) -> Self {
        Self {
            directory,
            ..self.clone()
        }
    }

    /// The same git, which may write what this says.
    #[must_use]
    pub fn writing(self, writing: WritableDirs) -> Self {
        Self {
            writing: Some(writing),
            ..self
        }
    }

    /// The same git with a variable of its environment set anew; one of those that disarm it stays as it is.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The same git without these variables.
    #[must_use]
    pub fn without_variables(mut self, names: &[&str]) -> Self {
        self.environment
            .retain(|(known, _)| !names.iter().any(|name| known == name));
        self
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn environment(&self) -> &Variables {
        &self.environment
    }

    /// Asks git. Ends its whole group when the answer takes too long, and when this is dropped.
    pub async fn ask(&self, words: &[&str], limits: Limits) -> Result<GitAnswer, GitError> {
        self.tell(words, Vec::new(), limits, &self.measure()?).await
    }

    fn measure(&self) -> Result<Measured, GitError> {
        measure(&self.directory, &self.environment).map_err(GitError::Unbounded)
    }

    /// The only place that runs git, which takes the proof that it was measured.
    async fn tell(
        &self,
        words: &[impl AsRef<OsStr>],
        input: Vec<u8>,
        limits: Limits,
        _measured: &Measured,
    ) -> Result<GitAnswer, GitError> {
        let start = self.start(words);
        let exchanged = exchange(
            |stdin, stderr| RunningCommand::start(start, stdin, Some(stderr)),
            input,
            limits.bytes,
            limits.time,
            &CancellationToken::new(),
        )
        .await?;
        if exchanged.outcome.timed_out {
            return Err(GitError::TooLate(limits.time));
        }
        Ok(GitAnswer {
            stdout: exchanged.stdout,
            stderr: exchanged.stderr,
            is_success: exchanged.outcome.exit == Some(0),
            exit: exchanged.outcome.exit,
        })
    }

    /// Asks git several things at the same time. Blocks, in a thread with a runtime of its own: whoever judges a command
    /// has none, or one that must not be blocked.
    pub fn ask_together<const N: usize>(
        &self,
        questions: [&[&str]; N],
        limits: Limits,
    ) -> Result<[GitAnswer; N], GitError> {
        let measured = self.measure()?;
        let answers = blocking(|| {
            let asked = questions
                .iter()
                .map(|words| self.tell(words, Vec::new(), limits, &measured));
            futures::future::try_join_all(asked)
        })?;
        Ok(answers
            .try_into()
            .unwrap_or_else(|_| unreachable!("each question has one answer")))
    }

    /// Gives git something to read, and waits for its answer. Blocks, as [`Self::ask_together`] does.
    pub fn ask_with(
        &self,
        words: &[impl AsRef<OsStr> + Sync],
        input: Vec<u8>,
        limits: Limits,
    ) -> Result<GitAnswer, GitError> {
        let measured = self.measure()?;
        blocking(|| self.tell(words, input, limits, &measured))
    }

    fn start(&self, words: &[impl AsRef<OsStr>]) -> Start {
        // Settings of the question's own stand before the command.
        let mut at = 0;
        while words.get(at).is_some_and(|word| word.as_ref() == "-c") {
            at += 2;
        }
        let at = words.len().min(at + 1);
        let mut arguments: Vec<OsString> = vec!["--no-pager".into()];
        arguments.extend(words[..at].iter().map(OsString::from));
        let compares = |word: &OsString| COMPARES.iter().any(|command| word == command);
        if arguments.last().is_some_and(compares) {
            arguments.extend(COMPARING.iter().map(OsString::from));
        }
        arguments.extend(words[at..].iter().map(OsString::from));
        let path = self.environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.as_os_str());
        let mut environment = disarmed(self.environment.clone(), &self.drivers, Submodules::Skip);
        environment.retain(|(name, _)| name != "LC_ALL");
        environment.push(("LC_ALL".into(), "C".into()));
        let confinement = Support::of_kernel().can_confine_reading().then(|| {
            let programs = [vec![self.program.clone()], own_programs(&self.program)].concat();
            match &self.writing {
                None => Confinement {
                    memory: Some(MEMORY),
                    ..Confinement::reading(&programs, path, None)
                },
                Some(writing) => writing.confinement(&programs, path),
            }
        });
        Start {
            program: self.program.clone(),
            arguments,
            cwd: self.directory.clone(),
            environment,
            confinement,
        }
    }
}

/// Runs something to its end in a thread with a runtime of its own.
fn blocking<T: Send, F: Future<Output = Result<T, GitError>>>(
    work: impl FnOnce() -> F + Send,
) -> Result<T, GitError> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(work())
    };
    let done = std::thread::scope(|scope| scope.spawn(run).join());
    done.unwrap_or_else(|_| Err(io::Error::other("the thread that asks panicked").into()))
}
