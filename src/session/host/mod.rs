//! The sessions of one process: opened, listed, searched, forked, renamed, deleted and closed for every front end.
//!
//! A front end holds a [`Host`] beside the [`Handle`]s that it gives out, and never reaches into the store itself. The work
//! is done on the host's runtime, so a front end may ask from any thread and waits for nothing but the answer. The host
//! keeps what it opened until it is closed, so that everything is on disk before the process ends.

mod fork;
mod old_sessions;
mod opening;
mod prompts;
mod query;
mod retention;
mod rules;
mod stored;
mod tags;
mod thread;
mod trees;

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures::future::{BoxFuture, join_all, ready};
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::opened::RunningSession;
use super::tasks::Tasks;
use super::wire::{self, ModelSource, OpenRequest};
use super::{ErrorReport, Handle, ReportKind};
use crate::conversation::SessionId;
use crate::files::Roots;
use crate::tool::BuiltinCards;
use prompts::PromptHistory;

pub use super::opened::{OpenedSession, OpeningNotes};
pub use fork::{ForkPoint, ForkedSession};
pub use old_sessions::OldSessions;
pub use opening::SessionTarget;
pub use query::{HostAnswer, HostQuery};
pub use rules::StoredRules;
pub(crate) use stored::in_order;
pub use stored::{ListedSession, StoredSessions};
pub use thread::{HostThread, block_on};
pub use trees::{
    Against, ApplyResult, ChangeKind, Conflict, FileSelection, HeldWork, Removal, RemovedTree, Selection,
    TaskTrees, TreeAnswer, TreeChanges, TreeFile, TreeHunk, TreeQuery, TreeState, TreeSummary,
};

pub use crate::store::{FoundText, Hit, Prompt, SessionMarks, SessionRow, TrustedPlace};

/// Reads the configuration of another directory, for a session that is to be opened there in the way of a request.
pub type Configure = dyn Fn(&OpenRequest, &Path) -> Result<OpenRequest, ErrorReport> + Send + Sync;

/// Clones share the sessions.
#[derive(Clone)]
pub struct Host {
    shared: Arc<HostState>,
}

struct HostState {
    runtime: runtime::Handle,
    /// As the program was started.
    request: Mutex<OpenRequest>,
    configure: Box<Configure>,
    /// The root of the project that the program was started in.
    project: PathBuf,
    data: PathBuf,
    /// Opened when it is first asked for.
    stored: Mutex<Option<StoredSessions>>,
    open: Mutex<Vec<OpenSession>>,
    prompts: PromptHistory,
}

/// A session on its way. The work goes on wherever this is polled.
pub type SessionFuture = Pin<Box<dyn Future<Output = Result<OpenedSession, ErrorReport>> + Send>>;

struct OpenSession {
    handle: Handle,
    actor: JoinHandle<()>,
    tasks: Weak<Tasks>,
    root: Option<SessionId>,
    /// Number of those who opened it or attached to it.
    attached: usize,
}

impl Host {
    /// Makes a host whose work is done on `runtime`. Opens nothing yet.
    pub fn new(
        runtime: runtime::Handle,
        request: OpenRequest,
        configure: impl Fn(&OpenRequest, &Path) -> Result<OpenRequest, ErrorReport> + Send + Sync + 'static,
    ) -> Self {
        let roots = Roots::new(&request.directory, request.dirs.home.as_deref());
        let keeps_prompts = request.source != ModelSource::Demo;
        let shared = HostState {
            runtime,
            project: roots.project_root().to_owned(),
            data: request.dirs.data.clone(),
            prompts: PromptHistory::new(keeps_prompts.then_some(request.dirs.state.as_path())),
            request: Mutex::new(request),
            configure: Box::new(configure),
            stored: Mutex::default(),
            open: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Takes in what the project brings, for every session opened from now on: the person trusts it.
    pub async fn trust(&self) -> Result<(), ErrorReport> {
        self.work(|shared| wire::accept_trust(&mut lock(&shared.request)))
            .await
    }

    /// Opens the session that the program was started for. The work begins at once.
    pub fn open_first(&self) -> SessionFuture {
        let host = self.clone();
        self.begin(async move { host.wire(|shared| wire::open(&shared.request())).await })
    }

    /// Opens another session. The work begins at once. The session of a task whose tree is open here is attached to.
    pub fn open(&self, wanted: SessionTarget) -> SessionFuture {
        match wanted {
            SessionTarget::Session(id) if self.tree_of(&id).is_some() => self.attach(id),
            SessionTarget::Moved(id, named) => {
                let host = self.clone();
                self.begin(async move { host.open_moved(id, named).await })
            }
            wanted => {
                let host = self.clone();
                self.begin(async move { host.wire(|shared| shared.open_wanted(wanted)).await })
            }
        }
    }

    /// Opens a session in another directory. Where it is open here it ends first, and nothing is done where it cannot go
    /// there.
    async fn open_moved(&self, id: SessionId, named: PathBuf) -> Result<OpenedSession, ErrorReport> {
        let session = id.clone();
        let place = self
            .work(move |shared| shared.move_place(&session, &named))
            .await?;
        let open = {
            let mut open = lock(&self.shared.open);
            let place = open.iter().position(|open| open.root.as_ref() == Some(&id));
            place.map(|place| open.swap_remove(place))
        };
        if let Some(open) = open {
            open.close().await;
        }
        self.wire(move |shared| shared.open_relocated(id, &place)).await
    }

    /// Attaches to a session that is open here, or to that of a task whose tree is: its handle leads to the session that
    /// works. Whoever attached closes it like one that they opened; it ends when nobody has it any more, and that of a task
    /// when the task has ended too.
    pub fn attach(&self, session: SessionId) -> SessionFuture {
        let host = self.clone();
        self.begin(async move {
            if let Some(opened) = host.attach_to_root(&session) {
                return Ok(opened);
            }
            match host.tree_of(&session) {
                Some(tasks) => tasks.attach(&session).await,
                None => Err(not_open(&session)),
            }
        })
    }

    fn begin(
        &self,
        opening: impl Future<Output = Result<OpenedSession, ErrorReport>> + Send + 'static,
    ) -> SessionFuture {
        let host = self.clone();
        let (answer, opened) = oneshot::channel();
        // It reads files and the database, and the sessions that are open go on meanwhile.
        self.shared.runtime.spawn(async move {
            if let Err(Ok(unwanted)) = answer.send(opening.await) {
                // Nobody waits for it any more.
                host.close(&unwanted.handle).await;
            }
        });
        Box::pin(async move { opened.await.unwrap_or_else(|_| Err(not_done())) })
    }

    async fn wire(
        &self,
        open: impl FnOnce(&HostState) -> Result<wire::WiredSession, ErrorReport> + Send + 'static,
    ) -> Result<OpenedSession, ErrorReport> {
        self.work(open).await.map(|opened| self.keep(opened))
    }

    /// Returns the tasks of the open tree that has a task with this session.
    fn tree_of(&self, session: &SessionId) -> Option<Arc<Tasks>> {
        self.trees().into_iter().find(|tasks| tasks.has(session))
    }

    fn trees(&self) -> Vec<Arc<Tasks>> {
        lock(&self.shared.open)
            .iter()
            .filter_map(|open| open.tasks.upgrade())
            .collect()
    }

    fn attach_to_root(&self, session: &SessionId) -> Option<OpenedSession> {
        let mut open = lock(&self.shared.open);
        let root = open.iter_mut().find(|open| open.root.as_ref() == Some(session))?;
        root.attached += 1;
        Some(OpenedSession {
            handle: root.handle.clone(),
            cards: BuiltinCards::new(),
            notes: OpeningNotes::default(),
        })
    }

    /// Answers a query about what is stored; `None` where the host is gone. The work begins at once.
    pub fn ask(&self, query: HostQuery) -> BoxFuture<'static, Option<HostAnswer>> {
        let shared = Arc::clone(&self.shared);
        if matches!(query, HostQuery::KeepPrompt(_)) {
            // Here, so that they are kept in their order; the history has a thread of its own.
            return Box::pin(ready(Some(shared.answer(query))));
        }
        let answer = self.shared.runtime.spawn_blocking(move || shared.answer(query));
        Box::pin(async move { answer.await.ok() })
    }

    /// Lets go of a session that was opened or attached to. Where nobody else has it, it ends, and this waits until it has
    /// written everything; that of a task does so once the task has ended.
    pub async fn close(&self, handle: &Handle) {
        let session = {
            let mut open = lock(&self.shared.open);
            match open.iter().position(|session| session.handle.is_same(handle)) {
                Some(place) if open[place].attached > 1 => {
                    open[place].attached -= 1;
                    return;
                }
                Some(place) => Some(open.swap_remove(place)),
                None => None,
            }
        };
        match session {
            Some(session) => drop(session.close().await),
            None => {
                for tree in self.trees() {
                    if tree.detach(handle).await {
                        return;
                    }
                }
            }
        }
    }

    /// The same without waiting.
    pub fn begin_close(&self, handle: Handle) {
        let host = self.clone();
        self.shared
            .runtime
            .spawn(async move { host.close(&handle).await });
    }

    /// Ends all sessions and waits until they, and the history of prompts, have written everything. Returns false if a
    /// session ended by a fault, which is logged.
    pub async fn close_all(&self) -> bool {
        let shared = Arc::clone(&self.shared);
        let prompts = tokio::task::spawn_blocking(move || shared.prompts.finish());
        let open = std::mem::take(&mut *lock(&self.shared.open));
        let ends = join_all(open.into_iter().map(OpenSession::close)).await;
        // It cannot fail but by a panic, which is in the log.
        let _ = prompts.await;
        ends.into_iter().all(|is_well| is_well)
    }

    fn keep(&self, opened: wire::WiredSession) -> OpenedSession {
        let wire::WiredSession {
            session: RunningSession { handle, actor },
            notes,
            tasks,
        } = opened;
        let mut open = lock(&self.shared.open);
        open.retain(|session| !session.actor.is_finished());
        open.push(OpenSession {
            handle: handle.clone(),
            actor,
            root: tasks.upgrade().map(|tasks| tasks.root().clone()),
            tasks,
            attached: 1,
        });
        OpenedSession {
            handle,
            cards: BuiltinCards::new(),
            notes,
        }
    }

    /// Does what blocks on another thread.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&HostState) -> Result<T, ErrorReport> + Send + 'static,
    ) -> Result<T, ErrorReport> {
        let shared = Arc::clone(&self.shared);
        let done = self.shared.runtime.spawn_blocking(move || work(&shared));
        done.await.unwrap_or_else(|_| Err(not_done()))
    }
}

impl HostState {
    fn request(&self) -> OpenRequest {
        lock(&self.request).clone()
    }

    /// Returns how long sessions are kept; `None` is for ever.
    fn kept_for(&self) -> Option<Duration> {
        wire::sessions_kept_for(&lock(&self.request))
    }

    fn stored(&self) -> Result<StoredSessions, ErrorReport> {
        let mut stored = lock(&self.stored);
        if let Some(stored) = &*stored {
            return Ok(stored.clone());
        }
        Ok(stored.insert(StoredSessions::open(&self.data)?).clone())
    }

    /// Returns the sessions that are open here, those of tasks too.
    fn open_sessions(&self) -> Vec<SessionId> {
        let open = lock(&self.open);
        let open = open.iter().filter(|open| !open.actor.is_finished());
        let sessions = open.flat_map(|open| {
            let tasks = open.tasks.upgrade();
            let below = tasks.map(|tasks| tasks.open_sessions()).unwrap_or_default();
            open.root.iter().cloned().chain(below)
        });
        sessions.collect()
    }

    fn answer(&self, query: HostQuery) -> HostAnswer {
        let stored = || self.stored();
        match query {
            HostQuery::List => HostAnswer::Listed {
                project: self.project.clone(),
                sessions: stored().and_then(|stored| stored.list(self.kept_for())),
            },
            HostQuery::Open => HostAnswer::Open(self.open_sessions()),
            HostQuery::Prompts => HostAnswer::Prompts(self.prompts.read()),
            HostQuery::KeepPrompt(prompt) => {
                self.prompts.keep(prompt);
                HostAnswer::PromptKept
            }
            HostQuery::Search(searched) => HostAnswer::Found {
                sessions: stored().and_then(|stored| stored.search(&searched)),
                searched,
            },
            HostQuery::Look { session, searched } => HostAnswer::Looked {
                words: stored().and_then(|stored| stored.look(&session, &searched)),
                session,
                searched,
            },
            HostQuery::Holder(session) => HostAnswer::Holder {
                holder: stored().ok().and_then(|stored| stored.holder(&session)),
                session,
            },
            HostQuery::Place { session, directory } => HostAnswer::Place {
                place: self
                    .move_place(&session, &directory)
                    .map(|place| place.directory().to_owned()),
                session,
            },
            HostQuery::Rename(session, title) => HostAnswer::Renamed {
                title: stored().and_then(|stored| stored.rename(&session, &title)),
                session,
            },
            HostQuery::Pin(session, is_pinned) => HostAnswer::Marked {
                marks: stored().and_then(|stored| stored.pin(&session, is_pinned)),
                session,
            },
            HostQuery::Tag(session, text) => HostAnswer::Marked {
                marks: stored().and_then(|stored| stored.tag(&session, &text)),
                session,
            },
            HostQuery::RemoveOld => {
                let kept_for = self.kept_for();
                HostAnswer::OldRemoved(
                    kept_for.map(|kept_for| stored().and_then(|stored| stored.remove_old(kept_for))),
                )
            }
            HostQuery::Tree(query) => HostAnswer::Tree(TaskTrees::new(&self.data).answer(query)),
            HostQuery::Delete(session) => HostAnswer::Deleted {
                done: stored().and_then(|stored| stored.delete(&session)),
                session,
            },
        }
    }
}

impl OpenSession {
    async fn close(self) -> bool {
        self.handle.close().await;
        let ended = self.actor.await;
        if let Err(error) = &ended {
            tracing::error!(%error, "the session ended because of an internal error");
        }
        ended.is_ok()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panicked with it left nothing half changed: each is replaced as a whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn not_open(session: &SessionId) -> ErrorReport {
    ErrorReport::new(
        ReportKind::BadRequest,
        format!("session `{session}` is not open here"),
    )
}

fn not_done() -> ErrorReport {
    ErrorReport::new(ReportKind::Internal, "the session could not be started")
        .hinted("The log in the state directory says why.")
}
