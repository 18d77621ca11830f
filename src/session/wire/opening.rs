//! Opens the root of a tree: what is stored of it, the services that the tree works with, and its actor.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use super::agents::InitialAgent;
use super::children::{ChildSessions, limits};
use super::models::{SessionModel, provider, providers, session_model};
use super::recap::recap;
use super::resume::{FoundSession, draft, find, info, last_scopes, newest, prompt_facts};
use super::services::{CallPlace, CallServices, tree_services};
use super::tree_parts::{NewActor, TreeParts, own_commands};
use super::{
    FrontEndKind, OpenRequest, SessionChoice, agents, categories, cleanup, moved, standing, task_trees,
};
use crate::agent::driver::Reports;
use crate::conversation::Message;
use crate::journal::Journal;
use crate::provider::{Catalog, Provider};
use crate::session::opened::{OpeningNotes, RunningSession};
use crate::session::profile::Profile;
use crate::session::recorder::{FirstRecord, Recorder};
use crate::session::tasks::{MeteredProvider, TaskDelegation, Tasks, TasksParts};
use crate::session::title::TitleGenerator;
use crate::session::{ErrorReport, SessionInfo};
use crate::store::{NewSession, Store, StoreError};
use crate::swap;
use crate::tool::Registry;

/// The root of a tree, opened.
pub(in crate::session) struct WiredSession {
    pub session: RunningSession,
    pub notes: OpeningNotes,
    /// The tasks of its tree.
    pub tasks: Weak<Tasks>,
}

/// Opens a session and starts its actor on the current runtime.
pub(in crate::session) fn open(request: &OpenRequest) -> Result<WiredSession, ErrorReport> {
    let mut notes = Vec::new();
    let mut standing = request.loaded.warnings.clone();
    let catalog = Arc::new(Catalog::new(providers(request)?));
    let store = open_store(request, &mut notes)?;
    let found = find_session(request, &store, &mut notes)?;
    let agents = Arc::new(agents(request));
    standing.extend(agents::problems(&agents));
    let start = agents::start(&agents, request, found.row.as_ref(), &mut notes)?;
    standing.extend(agents::without_effect(start.agent));
    standing.extend(categories::without_effect(request));
    let model = session_model(request, &catalog, found.row.as_ref(), start.agent)?;
    notes.extend(missing_model_note(&model));
    let row = found.row.as_ref();
    let directory = row.map_or(&request.directory, |row| &row.directory).clone();
    let reports = Reports::new();
    let (mut services, tree) =
        tree_services(request, &store, &found.id, &directory, &reports, &mut standing)?;
    services.journal = Some(Journal::new(&request.dirs.data, store.clone(), found.id.clone()));
    let services = Arc::new(services);
    let registry = Arc::new(Registry::builtin());
    if found.lock.is_some() && found.row.is_some() {
        store.mark_interrupted(&found.id)?;
    }
    let tasks = Tasks::start(TasksParts {
        root: found.id.clone(),
        store: store.clone(),
        tree: Arc::clone(&tree),
        tools: Arc::clone(&registry),
        limits: limits(request, &catalog, &model)?,
        is_owner: found.held.is_none(),
    })?;
    let provider = Arc::new(MeteredProvider {
        inner: provider(request, &catalog)?,
        tasks: Arc::downgrade(&tasks),
    });
    // Nobody else has these services yet.
    let _ = services
        .delegation
        .set(Arc::new(TaskDelegation(Arc::downgrade(&tasks))));
    let parts = TreeParts {
        request: request.clone(),
        root: found.id.clone(),
        store,
        catalog,
        agents: Arc::clone(&agents),
        registry,
        provider,
        services,
        tree,
        tasks,
        standing,
    };
    parts.open_root(found, &start, model, (reports, directory), notes)
}

impl TreeParts {
    /// Opens the root, and connects the tasks with it.
    fn open_root(
        mut self,
        found: FoundSession,
        start: &InitialAgent<'_>,
        model: SessionModel,
        (reports, directory): (Reports, PathBuf),
        mut notes: Vec<String>,
    ) -> Result<WiredSession, ErrorReport> {
        let request = &self.request;
        let place = CallPlace::of_root(&found.id, &directory);
        let kit = CallServices::new(request, Arc::clone(&self.services), &self.registry, place)?;
        let prompt = Arc::new(prompt_facts(request, &kit, &mut self.standing));
        let profiles = self.profiles(&found.id, kit.base, Arc::clone(&prompt));
        let profile = profiles.make(start.agent, &model.reference)?;
        kit.services.gate.change_rules(profile.permissions.clone());
        kit.services.gate.set_mode(start.mode);
        let messages = history(&self.store, &found, &profile)?;
        if request.front_end == FrontEndKind::Attended {
            let now = jiff::Timestamp::now().as_millisecond();
            notes.extend(recap(&messages, &self.store.todos(&found.id)?, now));
        }
        let commands = own_commands(request, &mut self.standing);
        let project = kit.services.roots.project_root().to_owned();
        let mut info = SessionInfo {
            mode: start.mode,
            model_problem: model.problem,
            allows_edits: kit.services.gate.allows_every_edit(),
            scopes: last_scopes(&self.store)?,
            ..info(request, &found, &profile, &profiles, &commands, &messages)
        };
        if found.row.is_none() && request.front_end == FrontEndKind::Attended {
            info.surroundings.newest = newest(&self.store, &project)?;
        }
        self.standing
            .extend(task_trees::note(request, &found.id, &project));
        let standing = standing::untold(request, &project, &self.standing);
        let draft = draft(&self.store, &found, &project)?;
        let opening = if found.row.is_none() { "startup" } else { "resume" };
        let held = found.held.clone();
        let handle = self.spawn(NewActor {
            info,
            messages,
            draft,
            opening,
            recorder: recorder(
                request.front_end,
                self.store.clone(),
                found,
                &profile,
                project,
                directory,
            ),
            before_plan: start.before_plan.clone(),
            titles: titles(request, &self.catalog, &self.provider),
            reports,
            services: kit.services,
            profile,
            profiles,
            commands,
            is_task: false,
        })?;
        let tasks = Arc::clone(&self.tasks);
        let (handle, actor) = handle;
        let link = Arc::downgrade(&tasks);
        let sessions = ChildSessions {
            parts: self,
            prompt,
            held,
        };
        tasks.connect(handle.clone(), Arc::new(sessions));
        Ok(WiredSession {
            session: RunningSession { handle, actor },
            notes: OpeningNotes {
                events: notes,
                standing,
            },
            tasks: link,
        })
    }
}

/// Says that the session opens without a model that can be asked, if it does.
fn missing_model_note(model: &SessionModel) -> Option<String> {
    let problem = model.problem.as_ref()?;
    let name = &model.reference;
    Some(format!(
        "its model is not available; choose one with `/model` (`{name}`: {problem})"
    ))
}

/// Opens the database. Where that cannot be written, a new session that somebody watches lives in memory alone.
fn open_store(request: &OpenRequest, notes: &mut Vec<String>) -> Result<Store, ErrorReport> {
    let may_be_lost = request.front_end == FrontEndKind::Attended && request.which == SessionChoice::New;
    match Store::open(&request.dirs.data) {
        Err(error @ (StoreError::Full | StoreError::ReadOnly)) if may_be_lost => {
            notes.push(format!(
                "{error}. This session is only in memory and is lost when lathe quits."
            ));
            Ok(Store::in_memory()?)
        }
        store => {
            swap::set_directory(&request.dirs.data);
            Ok(store?)
        }
    }
}

/// Returns the session that is wanted.
fn find_session(
    request: &OpenRequest,
    store: &Store,
    notes: &mut Vec<String>,
) -> Result<FoundSession, ErrorReport> {
    // First of all: what is read below may be among the files that a crash left half changed.
    notes.extend(cleanup::recover(&request.dirs.data));
    moved::follow_project(request, store, notes)?;
    let found = find(request, store, notes)?;
    if found.lock.is_some() && found.row.is_some() {
        Journal::new(&request.dirs.data, store.clone(), found.id.clone()).settle()?;
        // One that was killed has closed nothing.
        store.end_session_grants(&found.id)?;
    }
    Ok(found)
}

/// Returns the messages of a stored session. One that was cut off is made whole first: it is ours, and nobody else's.
fn history(store: &Store, found: &FoundSession, profile: &Profile) -> Result<Vec<Arc<Message>>, ErrorReport> {
    let Some(row) = &found.row else {
        return Ok(Vec::new());
    };
    if found.lock.is_some() {
        let agent = profile.agent();
        // The one that named another directory went with a move.
        let lacks_prompt = store.system_prompt(&found.id, agent)?.is_none();
        if lacks_prompt {
            store.set_system_prompt(&found.id, agent, &profile.system)?;
        }
        if row.agent != agent {
            store.set_agent_model(&found.id, agent, Some(&profile.model.reference))?;
            store.set_system_prompt(&found.id, agent, &profile.system)?;
        }
    }
    Ok(store.load(&found.id)?.into_iter().map(Arc::new).collect())
}

/// Returns what writes the session down; a new one is stored with its first message.
fn recorder(
    front_end: FrontEndKind,
    store: Store,
    found: FoundSession,
    profile: &Profile,
    project: PathBuf,
    directory: PathBuf,
) -> Recorder {
    let (agent, model) = (profile.agent().to_owned(), profile.model.reference.clone());
    let begin = found.row.is_none().then(|| FirstRecord {
        session: NewSession {
            id: found.id.clone(),
            parent: None,
            project,
            directory,
            agent: agent.clone(),
            model: Some(model.clone()),
            title: String::new(),
        },
        system: profile.system.clone(),
    });
    let recorder = Recorder::new(store, found.id, begin, (agent, model), found.lock);
    recorder.keeping_unsaved(front_end == FrontEndKind::Attended)
}

/// Returns the model that gives sessions titles, where one is configured, its provider is and somebody sees the title.
fn titles(request: &OpenRequest, catalog: &Catalog, provider: &Arc<dyn Provider>) -> Option<TitleGenerator> {
    let small = request.loaded.config.small_model.clone();
    let model = small.filter(|model| {
        request.front_end == FrontEndKind::Attended && catalog.usable(&model.provider).is_ok()
    })?;
    Some(TitleGenerator {
        provider: Arc::clone(provider),
        model,
    })
}
