//! Everything that the sessions of a tree are made from, and the actor of each.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::models::Models;
use super::profile::{BaseRules, Profiles, PromptFacts};
use super::{FrontEndKind, OpenRequest, cleanup, commands, status, user_commands};
use crate::agent::driver::{Driver, Reports};
use crate::conversation::{Message, SessionId};
use crate::project::agents::Agents;
use crate::provider::{Catalog, Provider};
use crate::session::actor::{
    self, CompactionSettings, SessionParts, ShutdownGrace, StateBeforePlan, UserCommands,
};
use crate::session::profile::Profile;
use crate::session::recorder::Recorder;
use crate::session::tasks::Tasks;
use crate::session::title::TitleGenerator;
use crate::session::tree::SessionTree;
use crate::session::{ErrorReport, Handle, SessionInfo};
use crate::store::Store;
use crate::tool::{Abilities, CallSettings, Registry, SessionServices, TreeServices};

/// Everything that the sessions of a tree are made from.
pub(super) struct TreeParts {
    pub(super) request: OpenRequest,
    pub(super) root: SessionId,
    pub(super) store: Store,
    pub(super) catalog: Arc<Catalog>,
    pub(super) agents: Arc<Agents>,
    pub(super) registry: Arc<Registry>,
    /// Every request of the tree goes through it.
    pub(super) provider: Arc<dyn Provider>,
    pub(super) services: Arc<TreeServices>,
    pub(super) tree: Arc<SessionTree>,
    pub(super) tasks: Arc<Tasks>,
    /// Notices about the state of the setup.
    pub(super) standing: Vec<String>,
}

/// An actor to be started.
pub(super) struct NewActor {
    pub(super) info: SessionInfo,
    pub(super) messages: Vec<Arc<Message>>,
    pub(super) draft: String,
    pub(super) opening: &'static str,
    pub(super) recorder: Recorder,
    pub(super) before_plan: StateBeforePlan,
    pub(super) titles: Option<TitleGenerator>,
    pub(super) reports: Reports,
    pub(super) services: Arc<SessionServices>,
    pub(super) profile: Profile,
    pub(super) profiles: Profiles,
    pub(super) commands: UserCommands,
    pub(super) is_task: bool,
}

impl TreeParts {
    pub(super) fn profiles(
        &self,
        session: &SessionId,
        rules: BaseRules,
        prompt: Arc<PromptFacts>,
    ) -> Profiles {
        Profiles {
            agents: Arc::clone(&self.agents),
            models: Models::new(&self.request, &self.catalog),
            catalog: Arc::clone(&self.catalog),
            registry: Arc::clone(&self.registry),
            rules,
            max_steps: self.request.loaded.config.max_steps,
            store: self.store.clone(),
            session: session.clone(),
            prompt,
            task: None,
        }
    }

    /// Starts the actor of a session.
    pub(super) fn spawn(&self, new: NewActor) -> Result<(Handle, tokio::task::JoinHandle<()>), ErrorReport> {
        let request = &self.request;
        let (session, profile) = (new.info.id.clone(), new.profile);
        let parts = SessionParts {
            next_seq: self.store.next_seq(&session)?,
            todos: self.store.todos(&session)?,
            info: new.info,
            messages: new.messages,
            draft: new.draft,
            opening: new.opening,
            recorder: new.recorder,
            before_plan: new.before_plan,
            titles: new.titles,
            driver: Driver::new(Arc::clone(&self.provider), new.reports),
            tree: Arc::clone(&self.tree),
            tasks: Arc::clone(&self.tasks),
            is_task: new.is_task,
            calls: calls(Arc::clone(&self.registry), new.services, &profile),
            turn: profile.turn,
            model: profile.model,
            system: profile.system,
            prefix: profile.prefix,
            temperature: profile.temperature,
            profiles: Box::new(new.profiles),
            user_commands: new.commands,
            reminders: request.loaded.config.todo.reminders,
            compaction: compaction(request, &self.catalog),
            shutdown_grace: match request.front_end {
                FrontEndKind::Attended => ShutdownGrace::Short,
                FrontEndKind::Unattended => ShutdownGrace::Whole,
            },
            about: status::about(request, &self.standing),
            _cleaning: cleanup::clean_stored(
                &request.dirs.data,
                &self.store,
                cleanup::journal_limits(&request.loaded.config.journal),
            ),
        };
        let (commands, received) = mpsc::channel(256);
        let actor = actor::spawn(parts, received);
        Ok((Handle { commands }, actor))
    }
}

pub(super) fn own_commands(request: &OpenRequest, notes: &mut Vec<String>) -> UserCommands {
    let (list, problems) = user_commands(request);
    notes.extend(commands::problems(&problems));
    UserCommands {
        list,
        is_trusted: request.trust.is_trusted(),
    }
}

/// Returns how conversations are made shorter. A model for summaries that cannot be used is not: the session's own is.
fn compaction(request: &OpenRequest, catalog: &Catalog) -> CompactionSettings {
    let settings = &request.loaded.config.compaction;
    let model = settings.model.as_ref().and_then(|model| {
        catalog.usable(&model.provider).ok()?;
        catalog.model(model).ok()
    });
    CompactionSettings {
        auto: settings.auto,
        threshold: settings.threshold,
        keep_turns: settings.keep_turns,
        mask: settings.mask,
        model,
    }
}

fn calls(registry: Arc<Registry>, services: Arc<SessionServices>, profile: &Profile) -> CallSettings {
    CallSettings {
        registry,
        services,
        settings: Arc::clone(&profile.settings),
        advertised: Arc::default(),
        agent: profile.agent().to_owned(),
        abilities: Abilities {
            images: profile.model.images,
            pdf: profile.model.pdf,
        },
        context: None,
    }
}
