//! A tool in a temp project, for tests: one call at a time through the real pipeline.
//!
//! Below one temporary directory lie `project` (with a `.git`), `home`, `outside` and `data`. Nobody answers questions
//! unless [`Harness::answering`] says what is answered; what was asked is noted either way.
//!
//! ```ignore
//! let project = Harness::new();
//! project.write("src/a.rs", "fn main() {}\n");
//! let result = project.run("grep", json!({"pattern": "main"})).await;
//! ```

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures::future::{BoxFuture, ready};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::pipeline::{CallResolution, EndsTurn, KnownTools, LoopGuard, Progress, resolve, run};
use super::{
    Abilities, CallSettings, DrawnArgs, Gate, GateOwner, NestedCalls, ProtectedNames, Registry, RenderCx,
    ResultSource, SessionServices, ToolCx, ToolSettings, TreeServices, Update,
};
use crate::conversation::{CallId, CallResult, ErrorKind, SessionId};
use crate::files::Roots;
use crate::hook::{Hook, HookEvent, HookSettings, Hooks, Matcher};
use crate::permission::{DefaultPaths, Mode, PermissionReply, Permissions, Source, defaults, parse};
use crate::process::Scratch;
use crate::provider::ToolSpec;
use crate::question::{Form, FormReply, FrontEnd, QuestionEvent, QuestionKind, Questions, Reply};
use crate::store::{NewSession, Store};
use crate::text::partial_json::PartialJson;
use crate::text::truncate::ContextUse;
use crate::view::card::Card;

/// How a project for tests is made.
pub(crate) struct HarnessOptions {
    /// As in the configuration, above the defaults.
    pub(crate) rules: Value,
    pub(crate) settings: ToolSettings,
    pub(crate) mode: Mode,
    /// The session's directory, from the project root; made when it is missing.
    pub(crate) directory: PathBuf,
    /// Event, matcher and command of each hook.
    pub(crate) hooks: Vec<(HookEvent, &'static str, String)>,
    /// Answers forms, if set.
    pub(crate) fill: Option<fn(&Form) -> FormReply>,
}

impl Default for HarnessOptions {
    fn default() -> Self {
        let settings = ToolSettings {
            require_read: true,
            ..ToolSettings::default()
        };
        Self {
            rules: serde_json::json!({}),
            settings,
            mode: Mode::Ask,
            directory: PathBuf::new(),
            hooks: Vec::new(),
            fill: None,
        }
    }
}

pub(crate) struct Harness {
    dir: Arc<TempDir>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) services: Arc<SessionServices>,
    pub(crate) abilities: Abilities,
    pub(crate) context: Option<ContextUse>,
    pub(crate) cancel: CancellationToken,
    reply: Option<PermissionReply>,
    events: tokio::sync::Mutex<mpsc::UnboundedReceiver<QuestionEvent>>,
    fill: Option<fn(&Form) -> FormReply>,
    asked: Mutex<Vec<(String, String)>>,
    updates: Mutex<Vec<Update>>,
    guard: Arc<tokio::sync::Mutex<LoopGuard>>,
    inside: Arc<ReportedCalls>,
}

fn hook((event, matcher, command): (HookEvent, &str, String)) -> Hook {
    Hook {
        event,
        matcher: Matcher::new(Some(matcher)).unwrap(),
        command,
        timeout: None,
        source: "lathe.jsonc".to_owned(),
    }
}

/// Reports of calls on the way.
#[derive(Default)]
struct ReportedCalls(Mutex<Vec<String>>);

impl Progress for ReportedCalls {
    fn running<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, bool> {
        self.0.lock().unwrap().push(format!("running {}", number(call)));
        Box::pin(ready(true))
    }

    fn ends_turn(&self, _: &CallId, by: EndsTurn) {
        self.0.lock().unwrap().push(format!("turn ended by {by:?}"));
    }

    fn ended(&self, call: &CallId, _: &CallResult) {
        self.0.lock().unwrap().push(format!("ended {}", number(call)));
    }
}

/// The number of a call inside another; `all` for one that is not.
fn number(call: &CallId) -> &str {
    call.as_str().split_once('.').map_or("all", |(_, number)| number)
}

fn environment() -> Vec<(OsString, OsString)> {
    let names = ["PATH", "HOME", "LANG"].into_iter();
    names
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
        .collect()
}

fn tree(base: &Path, hooks: &[(HookEvent, &'static str, String)], questions: Questions) -> TreeServices {
    let hooks = HookSettings {
        hooks: hooks.iter().cloned().map(hook).collect(),
        project_root: base.join("project"),
        environment: environment(),
        transcript: None,
    };
    let store = Store::in_memory().unwrap();
    TreeServices::new(&base.join("data"), store, questions, Hooks::new(hooks, |_| ()))
}

fn session(base: &Path, tree: Arc<TreeServices>, options: &HarnessOptions) -> SessionServices {
    let (project, home) = (base.join("project"), base.join("home"));
    let directory = project.join(&options.directory);
    fs::create_dir_all(&directory).unwrap();
    let session = SessionId::new();
    let row = NewSession {
        id: session.clone(),
        parent: None,
        project: project.clone(),
        directory: directory.clone(),
        agent: "build".to_owned(),
        model: None,
        title: "New".to_owned(),
    };
    tree.store.create(&row).unwrap();
    let roots = Roots::new(&directory, Some(&home));
    let mut user = defaults(&DefaultPaths {
        home: Some(home.clone()),
        project_root: roots.project_root().to_owned(),
        own: vec![base.join("data")],
        git: Vec::new(),
        open: vec![tree.outputs.dir().to_owned(), Scratch::parent()],
        tree: None,
    });
    let file = Source::Global(PathBuf::from("lathe.jsonc"));
    user.extend(parse(&options.rules, &file, Some(&home)).unwrap());
    let permissions = Permissions {
        user: user.into(),
        ..Permissions::default()
    };
    let owner = GateOwner {
        session: session.clone(),
        root: session.clone(),
        project,
        home: Some(home),
    };
    let queue = (tree.questions.clone(), tree.store.clone());
    SessionServices {
        session,
        settings: options.settings.clone(),
        roots,
        instructions: Mutex::default(),
        environment: environment(),
        terminal_environment: environment(),
        gate: Gate::new(permissions, options.mode, queue, owner, None, &tree.gates),
        delegated: None,
        protected_names: ProtectedNames::default(),
        log: None,
        tree,
    }
}

impl Harness {
    /// The defaults' rules, nobody to answer, the read-before-edit guard on.
    pub(crate) fn new() -> Self {
        Self::with(HarnessOptions::default())
    }

    /// Rules as in the configuration, above the defaults.
    pub(crate) fn with_rules(rules: Value) -> Self {
        Self::with(HarnessOptions {
            rules,
            ..HarnessOptions::default()
        })
    }

    pub(crate) fn with_settings(change: impl FnOnce(&mut ToolSettings)) -> Self {
        let mut options = HarnessOptions::default();
        change(&mut options.settings);
        Self::with(options)
    }

    pub(crate) fn with(options: HarnessOptions) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for name in ["project/.git", "home", "outside", "data"] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        let front_end = match options.fill {
            Some(_) => FrontEnd::Attached,
            None => FrontEnd::Absent,
        };
        let (questions, events) = Questions::new(front_end);
        let tree = tree(&base, &options.hooks, questions);
        Self::in_tree(Arc::new(dir), Arc::new(tree), events, options)
    }

    /// Makes another session in the same tree. Its questions come into the queue that both share.
    pub(crate) fn beside(&self, options: HarnessOptions) -> Self {
        let (_, no_events) = mpsc::unbounded_channel();
        let tree = Arc::clone(&self.services.tree);
        Self::in_tree(Arc::clone(&self.dir), tree, no_events, options)
    }

    #[allow(clippy::needless_pass_by_value)] // Every caller makes them for this.
    fn in_tree(
        dir: Arc<TempDir>,
        tree: Arc<TreeServices>,
        events: mpsc::UnboundedReceiver<QuestionEvent>,
        options: HarnessOptions,
    ) -> Self {
        let base = dir.path().canonicalize().unwrap();
        Self {
            dir,
            registry: Arc::new(Registry::builtin()),
            services: Arc::new(session(&base, tree, &options)),
            abilities: Abilities {
                images: true,
                pdf: true,
            },
            context: None,
            cancel: CancellationToken::new(),
            reply: None,
            fill: options.fill,
            events: tokio::sync::Mutex::new(events),
            asked: Mutex::default(),
            updates: Mutex::default(),
            guard: Arc::default(),
            inside: Arc::default(),
        }
    }

    /// Somebody is there, who fills in every form like this.
    pub(crate) fn filled_in(fill: fn(&Form) -> FormReply) -> Self {
        Self::with(HarnessOptions {
            fill: Some(fill),
            ..HarnessOptions::default()
        })
    }

    /// Somebody is there, who answers every question like this.
    pub(crate) fn answering(mut self, reply: PermissionReply) -> Self {
        self.services.tree.questions.set_front_end(FrontEnd::Attached);
        self.reply = Some(reply);
        self
    }

    /// Somebody is there, whom the test plays.
    pub(crate) fn attended(self) -> Self {
        self.services.tree.questions.set_front_end(FrontEnd::Attached);
        self
    }

    /// Waits for a question, lets something happen, and says yes for this once.
    pub(crate) async fn allow_after(&self, meanwhile: impl FnOnce()) {
        let questions = &self.services.tree.questions;
        while questions.waiting().is_empty() {
            tokio::task::yield_now().await;
        }
        meanwhile();
        let yes = Reply::Permission(PermissionReply::Once);
        self.services.gate.answer(questions.waiting()[0].id, yes).unwrap();
    }

    /// The session's services, before the first call.
    pub(crate) fn session(&mut self) -> &mut SessionServices {
        Arc::get_mut(&mut self.services).unwrap()
    }

    /// The tree's services, before the first call.
    pub(crate) fn tree(&mut self) -> &mut TreeServices {
        Arc::get_mut(&mut self.session().tree).unwrap()
    }

    fn base(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// The absolute path of a file in the project.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.base().join("project").join(relative)
    }

    /// The absolute path of a file beside the project.
    pub(crate) fn outside(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.base().join("outside").join(relative)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base().join("home")
    }

    /// Writes a file of the project, or any other by its absolute path; its directories come with it.
    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Reads a file of the project.
    #[track_caller]
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Makes one call and returns its result.
    pub(crate) async fn run(&self, tool: &str, args: Value) -> CallResult {
        self.run_raw(tool, &args.to_string()).await
    }

    /// Makes one call with its arguments as a model wrote them.
    pub(crate) async fn run_raw(&self, tool: &str, args: &str) -> CallResult {
        let resolved = {
            let mut guard = self.guard.lock().await;
            let told = self.advertised();
            resolve(self.known(&told), &mut guard, tool, args)
        };
        let ready = match resolved.outcome {
            Ok(ready) => ready,
            Err(result) => return *result,
        };
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let cx = self.cx(sender);
        let mut events = self.events.lock().await;
        let call = run(ready, &cx, &*self.inside);
        tokio::pin!(call);
        let result = loop {
            tokio::select! {
                biased;
                Some(event) = events.recv() => self.answer(event),
                result = &mut call => break result,
            }
        };
        while let Ok(event) = events.try_recv() {
            self.answer(event);
        }
        while let Ok((_, update)) = receiver.try_recv() {
            self.updates.lock().unwrap().push(update);
        }
        result
    }

    fn answer(&self, event: QuestionEvent) {
        let QuestionEvent::Asked(question) = event else {
            return;
        };
        let reply = match &question.about {
            QuestionKind::Permission(inquiry) => {
                let rows = inquiry.rows.iter();
                let rows = rows.map(|row| (row.key().to_string(), row.pattern().to_owned()));
                self.asked.lock().unwrap().extend(rows);
                // Who is there for forms alone gives no permission.
                let nobody = self.fill.map(|_| PermissionReply::Nobody);
                self.reply.clone().or(nobody).map(Reply::Permission)
            }
            QuestionKind::Form(form) => self.fill.map(|fill| Reply::Form(fill(form))),
        };
        if let Some(reply) = reply {
            // The call may be gone by now.
            let _ = self.services.gate.answer(question.id, reply);
        }
    }

    /// Forgets the calls so far, of which three equal ones in a row are asked about.
    pub(crate) fn new_turn(&self) {
        *self.guard.try_lock().unwrap() = LoopGuard::default();
    }

    /// The part without IO: the tool, its arguments in their final form, or the error.
    pub(crate) fn resolve(&self, tool: &str, args: &str) -> CallResolution {
        let mut guard = LoopGuard::default();
        resolve(self.known(&[]), &mut guard, tool, args)
    }

    /// Returns the tools that a model would be told of that has called nothing.
    fn advertised(&self) -> Vec<ToolSpec> {
        let permissions = self.services.gate.permissions();
        self.registry
            .advertised(&self.services.settings, &permissions, &BTreeSet::new())
    }

    fn known<'a>(&'a self, advertised: &'a [ToolSpec]) -> KnownTools<'a> {
        KnownTools {
            registry: &self.registry,
            settings: &self.services.settings,
            advertised,
        }
    }

    /// The settings that the calls share.
    pub(crate) fn calls(&self) -> CallSettings {
        CallSettings {
            registry: Arc::clone(&self.registry),
            services: Arc::clone(&self.services),
            settings: Arc::new(self.services.settings.clone()),
            advertised: self.advertised().into(),
            agent: "build".to_owned(),
            abilities: self.abilities,
            context: self.context,
        }
    }

    /// The context of a call whose progress nobody hears of.
    pub(crate) fn unheard(&self) -> ToolCx {
        let (updates, _) = mpsc::unbounded_channel();
        ToolCx::new(&self.calls(), CallId::new(), self.cancel.child_token(), updates)
    }

    fn cx(&self, updates: mpsc::UnboundedSender<(CallId, Update)>) -> ToolCx {
        let calls = self.calls();
        ToolCx::new(&calls, CallId::new(), self.cancel.child_token(), updates).with_inside(NestedCalls {
            calls,
            guard: Arc::clone(&self.guard),
            progress: Arc::clone(&self.inside) as Arc<dyn Progress>,
        })
    }

    /// Makes a call that must succeed and returns what the model reads.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, args: Value) -> impl Future<Output = String> {
        let place = std::panic::Location::caller();
        async move {
            let result = self.run(tool, args).await;
            assert!(result.ok, "{place}: {}", result.output);
            result.output
        }
    }

    /// Makes a call that must fail and returns its kind and what the model reads.
    #[track_caller]
    pub(crate) fn error(&self, tool: &str, args: Value) -> impl Future<Output = (ErrorKind, String)> {
        let place = std::panic::Location::caller();
        async move {
            let result = self.run(tool, args).await;
            assert!(!result.ok, "{place}: {}", result.output);
            (result.error_kind().expect("errors have a kind"), result.output)
        }
    }

    /// Takes the asks since the last look, as (key, pattern).
    pub(crate) fn asked(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// Takes the reports of calls since the last look: `running 1`, `ended 2`, `turn ended by Hook`.
    pub(crate) fn told(&self) -> Vec<String> {
        std::mem::take(&mut *self.inside.0.lock().unwrap())
    }

    /// Takes the updates of calls since the last look.
    pub(crate) fn updates(&self) -> Vec<Update> {
        std::mem::take(&mut *self.updates.lock().unwrap())
    }

    /// Draws a call whose arguments have come as far as `partial`.
    pub(crate) fn draw_call(&self, tool: &str, partial: &str) -> Card {
        let json = PartialJson::of(partial);
        let whole = self.resolve(tool, partial);
        let args = if whole.fits() {
            DrawnArgs::whole(&whole.args)
        } else {
            DrawnArgs::partial(&json)
        };
        let cx = RenderCx::FOLDED;
        self.registry.render_call(tool, args, cx)
    }

    /// Draws a call with its result.
    pub(crate) fn draw_result(&self, tool: &str, args: &Value, result: &CallResult, expanded: bool) -> Card {
        let whole = self.resolve(tool, &args.to_string());
        let source = ResultSource::Ended(result);
        let cx = RenderCx::new(expanded);
        self.registry
            .render_result(tool, DrawnArgs::whole(&whole.args), source, cx)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn calls_go_through_the_whole_pipeline() {
        let project = Harness::new();
        project.write("a.txt", "one\n");
        assert!(
            project
                .ok("read", json!({"file_path": "a.txt"}))
                .await
                .contains("1: one")
        );
        let (kind, _) = project
            .error("write", json!({"file_path": "b", "content": ""}))
            .await;
        assert_eq!(kind, ErrorKind::Denied);
        assert_eq!(project.asked(), [("edit".to_owned(), "b".to_owned())]);
    }

    #[tokio::test]
    async fn somebody_answers() {
        let project = Harness::new().answering(PermissionReply::Once);
        project
            .ok("write", json!({"file_path": "b", "content": "x"}))
            .await;
        assert_eq!(project.read("b"), "x");
    }
}
