//! Everything that a call may reach: the session's services, its place in them, and the ways to report and to ask.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::pipeline::Turn;
use super::walk::SearchThreads;
use super::{Asker, Gate, Inside, JudgedIndexes, Noting, Prepared, ProtectedNames, ToolError, ToolSettings};
use crate::conversation::{CallId, ErrorKind, SessionId};
use crate::files::{FileError, PathKind, PathLocks, Resolved, Roots};
use crate::hook::Hooks;
use crate::permission::{Ask, Mode, Subject};
use crate::process::git::RepositoryCache;
use crate::process::{Scratch, Support};
use crate::provider::EditMode;
use crate::question::{Asking, Form, FormReply, QuestionKind, Questions, Reply};
use crate::store::{Outputs, Store};
use crate::text::truncate::ContextUse;
use crate::view::card::Card;

/// Services that all calls of a session tree share.
pub struct Services {
    pub settings: ToolSettings,
    pub roots: Roots,
    pub locks: PathLocks,
    pub store: Store,
    /// Where multi-file changes write down what they are about to do.
    pub records_dir: PathBuf,
    /// Where whole outputs go that are too long for the model.
    pub outputs: Outputs,
    /// Instruction files that this conversation has seen.
    pub instructions: Mutex<HashSet<PathBuf>>,
    /// The environment of commands, scrubbed.
    pub environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    pub gate: Gate,
    pub questions: Questions,
    /// The directory for temporary files of commands.
    pub scratch: Scratch,
    /// Restrictions that the kernel can put on commands.
    pub kernel: Support,
    /// Git's answers about the directories that commands run in.
    pub repositories: RepositoryCache,
    pub judged_indexes: JudgedIndexes,
    /// That there is no sandbox for planning was said.
    pub told_of_no_sandbox: AtomicBool,
    /// Protected names that are there, so that those which a command creates are known as new.
    pub protected_names: ProtectedNames,
    /// How many threads may search at once.
    pub search_threads: SearchThreads,
    pub hooks: Hooks,
}

/// Kinds of content that the session's model can take in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    pub images: bool,
    pub pdf: bool,
}

/// Progress of one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Update {
    pub title: Option<String>,
    /// Text to add to what is shown so far.
    pub delta: Option<String>,
    /// Replaces the details so far.
    pub details: Option<Value>,
    /// The session's check list is now this one.
    pub todos: Option<Vec<Value>>,
    /// The session goes on as this agent with its next step.
    pub agent: Option<String>,
    /// The session is in this mode from now on.
    pub mode: Option<Mode>,
    /// Joins the conversation as the user's, once the calls of this reply have ended.
    pub message: Option<String>,
    /// Stands as the turn's answer: the turn ends with the calls of this reply.
    pub answer: Option<String>,
}

/// One call's surroundings.
pub struct ToolCx {
    pub services: Arc<Services>,
    pub session: SessionId,
    pub call: CallId,
    pub agent: String,
    pub abilities: Abilities,
    /// How the model is used to edit.
    pub edit_mode: EditMode,
    /// Cancelled when the call is to stop.
    pub cancel: CancellationToken,
    /// How full the model's context is; `None` without figures.
    pub context: Option<ContextUse>,
    /// With what calls inside this one are run; `None` where there can be none.
    pub inside: Option<Inside>,
    /// The means of the call outside, where this is one inside it.
    pub outside: Option<Inside>,
    pub noting: Noting,
    updates: mpsc::UnboundedSender<(CallId, Update)>,
    /// Its place among the calls that run beside it, until its question is put.
    turn: Mutex<Option<Turn>>,
    /// How long the call stood before a person who had a form to fill in.
    waited: Mutex<Duration>,
}

/// A path as the pipeline needs it: where it leads, and what has to be asked before it is touched.
#[derive(Debug)]
pub struct PathAsk {
    pub resolved: Resolved,
    pub asks: Vec<Ask>,
}

impl ToolCx {
    /// `updates` is unbounded because its senders bound it: tools coalesce what they print to one update each 50 ms.
    pub fn new(
        services: Arc<Services>,
        session: SessionId,
        call: CallId,
        updates: mpsc::UnboundedSender<(CallId, Update)>,
    ) -> Self {
        Self {
            services,
            session,
            call,
            agent: "build".to_owned(),
            abilities: Abilities::default(),
            edit_mode: EditMode::default(),
            cancel: CancellationToken::new(),
            context: None,
            inside: None,
            outside: None,
            noting: Noting::default(),
            updates,
            turn: Mutex::default(),
            waited: Mutex::default(),
        }
    }

    /// Has the call put its question after those of the calls before it.
    pub fn with_turn(self, turn: Turn) -> Self {
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
        self
    }

    pub(super) fn take_turn(&self) -> Option<Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The session's directory.
    pub fn directory(&self) -> &Path {
        self.services.roots.session_dir()
    }

    /// Shows progress. Nobody listening is no error.
    pub fn update(&self, update: Update) {
        let _ = self.updates.send((self.call.clone(), update));
    }

    /// Resolves a path that the call names and asks for `external_directory` when it lies outside of the project.
    pub fn path(&self, given: &str) -> Result<PathAsk, ToolError> {
        let resolved = self
            .services
            .roots
            .resolve(given)
            .map_err(|error| ToolError::new(error.kind(), error.to_string()))?;
        if resolved.inside && resolved.kind == PathKind::Missing {
            self.services.roots.check_project().map_err(gone)?;
        }
        let asks = outside_asks(&self.services.roots, &resolved);
        Ok(PathAsk { resolved, asks })
    }

    /// Puts a question outside of `prepare`, for what is found on the way.
    pub async fn ask(&self, asker: Asker<'_>, asks: &[Ask], card: Card) -> Result<(), ToolError> {
        self.services.gate.pass(self, asker, asks, || card).await
    }

    /// Asks the person something and waits for the reply.
    pub async fn form(&self, form: Form) -> FormReply {
        let began = Instant::now();
        let asking = self.asking(QuestionKind::Form(Arc::new(form)));
        let reply = self.services.questions.ask(asking, &self.cancel).await;
        *self.waited.lock().unwrap_or_else(PoisonError::into_inner) += began.elapsed();
        match reply {
            Reply::Form(reply) => reply,
            // The queue settles a form by nothing else.
            Reply::Permission(_) => FormReply::Withdrawn,
        }
    }

    /// A question of this call.
    pub(super) fn asking(&self, about: QuestionKind) -> Asking {
        Asking {
            session: self.session.clone(),
            call: self.call.clone(),
            agent: self.agent.clone(),
            about,
            fit: None,
        }
    }

    /// How long the person took to fill in this call's forms.
    pub(super) fn waited(&self) -> Duration {
        *self.waited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs what blocks (files, walks) beside the runtime.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(error) => Err(ToolError::new(
                ErrorKind::Internal,
                format!("lathe failed in the middle of the call: {error}; please report this"),
            )
            .hint("Nothing is known of what it did. Look before you try another way.")),
        }
    }
}

/// Says that there is no project any more.
fn gone(error: FileError) -> ToolError {
    ToolError::from(error)
        .hint("Nothing was done. Tell the user: lathe has to be started in a directory that is there.")
}

const NULL_DEVICE: &str = "/dev/null";

/// The asks for leaving the project: for the path as it is named, and for what links on the way lead to.
pub(super) fn outside_asks(roots: &Roots, resolved: &Resolved) -> Vec<Ask> {
    // What is outside is shown by its absolute path.
    let is_outside = |path: &Path| Path::new(&roots.display(path)).is_absolute();
    let is_directory = resolved.real.is_dir();
    let mut asks = Vec::new();
    for path in [&resolved.absolute, &resolved.real] {
        let directory = path.parent().filter(|_| !is_directory).unwrap_or(path);
        let pattern = if path == Path::new(NULL_DEVICE) {
            // The rules have a word of their own for it, which says nothing of the other devices.
            NULL_DEVICE.to_owned()
        } else {
            format!("{}/*", directory.display()).replace("//", "/")
        };
        let ask = Ask::new("external_directory", Subject::new(pattern.clone())).always(pattern);
        if is_outside(path) && !asks.contains(&ask) {
            asks.push(ask);
        }
    }
    asks
}

/// The asks for touching a path under one key: the path as it is named, and what a link on the way leads to.
pub fn path_asks(key: &str, resolved: &Resolved) -> Vec<Ask> {
    let locate = |ask: Ask| if resolved.inside { ask.in_project() } else { ask };
    // Every edit is one thing to allow; to read a file is to read that file.
    let offered = |ask: Ask, path: &str| match key {
        "read" if path.contains(['*', '?']) => ask,
        "read" => ask.always(path),
        _ => ask.always("*"),
    };
    let named = Subject::new(&resolved.display).also(resolved.absolute.to_string_lossy());
    let mut asks = vec![locate(offered(Ask::new(key, named), &resolved.display))];
    if resolved.real != resolved.absolute {
        // Rules are written with the names that files have in the project.
        let real = resolved.real.to_string_lossy();
        let subject = Subject::new(&*real).also(&resolved.real_display);
        asks.push(locate(offered(Ask::new(key, subject), &real)));
    }
    asks
}

/// Returns the asks of a writer for one path.
pub fn edit_asks(cx: &ToolCx, path: &PathAsk) -> Vec<Ask> {
    let mut asks = path.asks.clone();
    asks.extend(path_asks("edit", &path.resolved));
    asks.extend(cx.services.protected_asks(&path.resolved));
    asks
}

impl<P> Prepared<P> {
    pub fn with_card(mut self, card: Card) -> Self {
        self.card = Some(card);
        self
    }
}
