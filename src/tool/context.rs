//! Everything that a call may reach: the session's services, its place in them, and the ways to report and to ask.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::hook_changes::ToolFiles;
use super::path_asks::outside_asks;
use super::pipeline::{CallTurn, KnownTools};
use super::{NestedCalls, NoteTime, Prepared, Registry, SessionServices, ToolError, ToolSettings};
use crate::conversation::{CallId, ErrorKind, SessionId};
use crate::files::{FileError, PathKind, Resolved};
use crate::permission::{Ask, Mode};
use crate::provider::{EditMode, ToolSpec};
use crate::question::{Form, FormReply, NewQuestion, QuestionKind, Reply};
use crate::text::truncate::ContextUse;
use crate::view::card::Card;

/// Kinds of content that the session's model can take in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    pub images: bool,
    pub pdf: bool,
}

/// News of a call while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    Call(CallUpdate),
    Session(SessionEffect),
}

/// Progress of a running call, for whoever shows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CallUpdate {
    pub title: Option<String>,
    /// Text to add to what the call printed so far.
    pub delta: Option<String>,
    /// Replaces the details so far.
    pub details: Option<Value>,
}

/// A change that a call makes to its session.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEffect {
    /// The session's check list is now this one.
    Todos(Vec<Value>),
    /// The session goes on as this agent with its next step, and in this mode from now on.
    GoOn {
        agent: Option<String>,
        mode: Option<Mode>,
    },
    /// Joins the conversation as the user's, once the calls of this reply have ended.
    Message(String),
    /// Stands as the turn's answer: the turn ends with the calls of this reply.
    Answer(String),
}

/// Settings that all calls of a turn share, and the services of their session.
#[derive(Clone)]
pub struct CallSettings {
    pub registry: Arc<Registry>,
    pub services: Arc<SessionServices>,
    /// The services' own settings with what the agent may use.
    pub settings: Arc<ToolSettings>,
    /// The tools that were described to the model.
    pub advertised: Arc<[ToolSpec]>,
    pub agent: String,
    pub abilities: Abilities,
    /// How full the model's context is; `None` without figures.
    pub context: Option<ContextUse>,
}

impl CallSettings {
    /// Returns the tools that a call can name.
    pub fn known(&self) -> KnownTools<'_> {
        KnownTools {
            registry: &self.registry,
            settings: &self.settings,
            advertised: &self.advertised,
        }
    }
}

/// Context of one call.
pub struct ToolCx {
    pub services: Arc<SessionServices>,
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
    pub inside: Option<NestedCalls>,
    /// The means of the call outside, where this is one inside it.
    pub outside: Option<NestedCalls>,
    pub noting: NoteTime,
    /// Files that the call has written, where hooks may change them afterwards.
    pub(super) tool_files: ToolFiles,
    updates: mpsc::UnboundedSender<(CallId, Update)>,
    /// Its place among the calls that run beside it, until its question is put.
    turn: Mutex<Option<CallTurn>>,
    /// Its place among the calls that run beside it, until its task is started or there is none.
    start_turn: Mutex<Option<Arc<CallTurn>>>,
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
    /// Makes the context of a call, in which no other calls can be run.
    ///
    /// `updates` is unbounded because its senders bound it: tools coalesce what they print to one update each 50 ms.
    pub fn new(
        calls: &CallSettings,
        call: CallId,
        cancel: CancellationToken,
        updates: mpsc::UnboundedSender<(CallId, Update)>,
    ) -> Self {
        Self {
            services: Arc::clone(&calls.services),
            call,
            agent: calls.agent.clone(),
            abilities: calls.abilities,
            edit_mode: calls.settings.edit_mode,
            cancel,
            context: calls.context,
            inside: None,
            outside: None,
            noting: NoteTime::default(),
            tool_files: ToolFiles::default(),
            updates,
            turn: Mutex::default(),
            start_turn: Mutex::default(),
            waited: Mutex::default(),
        }
    }

    /// Lets other calls be run inside this one.
    pub fn with_inside(self, inside: NestedCalls) -> Self {
        Self {
            inside: Some(inside),
            ..self
        }
    }

    /// Has the call put its question after those of the calls before it.
    pub fn with_turn(self, turn: CallTurn) -> Self {
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
        self
    }

    /// Has the call start its task after those of the calls before it.
    pub fn with_start_turn(self, turn: CallTurn) -> Self {
        *self.start_turn.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(turn));
        self
    }

    pub(super) fn take_turn(&self) -> Option<CallTurn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn start_turn(&self) -> Option<Arc<CallTurn>> {
        self.start_turn
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Takes the turn to start a task; those behind the call wait until it is dropped.
    pub(super) fn take_start_turn(&self) -> Option<Arc<CallTurn>> {
        self.start_turn
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// The session that the call belongs to.
    pub fn session(&self) -> &SessionId {
        &self.services.session
    }

    /// The session's directory.
    pub fn directory(&self) -> &Path {
        self.services.roots.session_dir()
    }

    /// Shows progress. Nobody listening is no error.
    pub fn update(&self, update: CallUpdate) {
        let _ = self.updates.send((self.call.clone(), Update::Call(update)));
    }

    /// Shows details of a call that runs.
    pub fn show_details(&self, details: &impl Serialize) {
        self.update(CallUpdate {
            details: serde_json::to_value(details).ok(),
            ..CallUpdate::default()
        });
    }

    /// Changes the session. Without one, as in a single call, nothing changes.
    pub fn change_session(&self, effect: SessionEffect) {
        let _ = self.updates.send((self.call.clone(), Update::Session(effect)));
    }

    /// Resolves a path that the call names and asks for `external_directory` when it lies outside of the project.
    pub fn path(&self, given: &str) -> Result<PathAsk, ToolError> {
        let resolved = self
            .services
            .roots
            .resolve(given)
            .map_err(|error| ToolError::new(error.kind(), error.to_string()))?;
        if resolved.inside && resolved.kind == PathKind::Missing {
            self.services.roots.check_project().map_err(project_gone)?;
        }
        let asks = outside_asks(&self.services.roots, &resolved);
        Ok(PathAsk { resolved, asks })
    }

    /// Asks the person something and waits for the reply.
    pub async fn form(&self, form: Form) -> FormReply {
        let began = Instant::now();
        let asking = self.new_question(QuestionKind::Form(Arc::new(form)));
        let reply = self.services.tree.questions.ask(asking, &self.cancel).await;
        *self.waited.lock().unwrap_or_else(PoisonError::into_inner) += began.elapsed();
        match reply {
            Reply::Form(reply) => reply,
            // The queue settles a form by nothing else.
            Reply::Permission(_) => FormReply::Withdrawn,
        }
    }

    /// A question of this call.
    pub(super) fn new_question(&self, about: QuestionKind) -> NewQuestion {
        NewQuestion {
            session: self.session().clone(),
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
fn project_gone(error: FileError) -> ToolError {
    ToolError::from(error)
        .hint("Nothing was done. Tell the user: lathe has to be started in a directory that is there.")
}

impl<P> Prepared<P> {
    pub fn with_card(mut self, card: Card) -> Self {
        self.card = Some(card);
        self
    }
}
