//! The services that calls reach, with their settings and rules.

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::categories;
use super::environment::{environment, of_terminals};
use super::gates::{permissions, records, roots, tree_permissions};
use super::hooks;
use super::profile::BaseRules;
use super::task_trees::{confine, tree_of, tree_roots};
use super::tool_names::own_name;
use super::unused;
use super::{ErrorReport, FrontEndKind, OpenRequest};
use crate::agent::driver::Reports;
use crate::config::schema;
use crate::conversation::SessionId;
use crate::files::Roots;
use crate::hook::Hooks;
use crate::journal::SessionLog;
use crate::permission::DelegatedTask;
use crate::process::Scratch;
use crate::provider::EditMode;
use crate::question::{FrontEnd, Questions};
use crate::session::tree::SessionTree;
use crate::store::Store;
use crate::text::replace::Tolerance;
use crate::tool::{
    BashSettings, BatchSettings, DelegationSettings, Gate, GateOwner, ProtectedNames, Registry, SandboxMode,
    SandboxSettings, SearchSettings, SessionServices, ToolAccess, ToolSettings, TreeServices, TruncateLimits,
    TruncateSettings,
};

/// Everything that the calls of one session need.
pub(super) struct CallServices {
    pub(super) registry: Arc<Registry>,
    pub(super) services: Arc<SessionServices>,
    /// The rules that the gate and the services begin with; an agent adds to them.
    pub(super) base: BaseRules,
}

/// Place of a session in its tree and on disk.
pub(super) struct CallPlace<'a> {
    pub(super) session: &'a SessionId,
    pub(super) root: &'a SessionId,
    pub(super) directory: &'a Path,
    /// Writers demand that the file was read.
    pub(super) require_read: bool,
    /// The gate of the session that started it.
    pub(super) above: Option<Arc<Gate>>,
    /// The agent that started it, and the purpose.
    pub(super) delegated: Option<DelegatedTask>,
}

impl<'a> CallPlace<'a> {
    /// Returns the place of a session that no other has started.
    pub(super) fn of_root(session: &'a SessionId, directory: &'a Path) -> Self {
        Self {
            session,
            root: session,
            directory,
            require_read: true,
            above: None,
            delegated: None,
        }
    }
}

impl CallServices {
    /// Makes the services of a session that belongs to `tree`.
    pub(super) fn new(
        request: &OpenRequest,
        tree: Arc<TreeServices>,
        registry: &Arc<Registry>,
        place: CallPlace<'_>,
    ) -> Result<Self, ErrorReport> {
        let CallPlace { session, root, .. } = place;
        let registry = Arc::clone(registry);
        let task_tree = tree_of(request, root, place.directory);
        let roots = match &task_tree {
            Some(task_tree) => tree_roots(request, task_tree, place.directory),
            None => roots(request, place.directory),
        };
        let mut settings = tool_settings(request, &roots, &registry);
        settings.require_read &= place.require_read;
        let granted = Some((&tree.store, root));
        let permissions = match &task_tree {
            Some(task_tree) => tree_permissions(request, task_tree, granted)?,
            None => permissions(request, roots.project_root(), granted)?,
        };
        // What a task does in a repository of its own is applied or discarded as a whole.
        let journal = tree.journal.clone().filter(|_| task_tree.is_none());
        let log = journal.map(|journal| Arc::new(SessionLog::new(journal, session.clone())));
        let project = task_tree.as_ref().map(|task_tree| task_tree.project.clone());
        if let Some(task_tree) = task_tree {
            confine(request, task_tree, &mut settings.sandbox);
        }
        let base = BaseRules::new(request, settings.clone(), permissions.clone());
        let owner = GateOwner {
            session: session.clone(),
            root: root.clone(),
            project: project.unwrap_or_else(|| roots.project_root().to_owned()),
            home: request.dirs.home.clone(),
        };
        let queue = (tree.questions.clone(), tree.store.clone());
        let services = SessionServices {
            session: session.clone(),
            settings,
            roots,
            instructions: Mutex::default(),
            environment: with_temporary(environment(request, session), &tree.scratch),
            terminal_environment: with_temporary(of_terminals(request, session), &tree.scratch),
            gate: Gate::new(permissions, request.mode, queue, owner, place.above, &tree.gates),
            delegated: place.delegated,
            protected_names: ProtectedNames::new(records(&request.dirs)),
            log,
            tree,
        };
        Ok(Self {
            registry,
            services: Arc::new(services),
            base,
        })
    }
}

/// Makes what the session `root` in `directory` will share with the sessions below it.
pub(super) fn tree_services(
    request: &OpenRequest,
    store: &Store,
    root: &SessionId,
    directory: &Path,
    reports: &Reports,
    notes: &mut Vec<String>,
) -> Result<(TreeServices, Arc<SessionTree>), ErrorReport> {
    let front_end = match request.front_end {
        FrontEndKind::Attended => FrontEnd::Attached,
        FrontEndKind::Unattended => FrontEnd::Absent,
    };
    notes.extend(unused::unused_line(request));
    let hooks = hooks::settings(
        request,
        hooks::hooks(request)?,
        roots(request, directory).project_root(),
        root,
        &environment(request, root),
    );
    let tree = Arc::new(SessionTree::default());
    tree.add(root, reports.question_sink());
    let questions = Questions::with_sink(front_end, tree.question_sink());
    let hooks = Hooks::new(hooks, reports.hook_sink());
    let services = TreeServices::new(&request.dirs.data, store.clone(), questions, hooks);
    Ok((services, tree))
}

/// Commands put their temporary files into the scratch directory; hooks, which are the user's own, do not.
fn with_temporary(
    mut environment: Vec<(OsString, OsString)>,
    scratch: &Scratch,
) -> Vec<(OsString, OsString)> {
    environment.retain(|(name, _)| name != "TMPDIR");
    environment.push(("TMPDIR".into(), scratch.path().into()));
    environment
}

pub(super) fn tool_settings(request: &OpenRequest, roots: &Roots, registry: &Registry) -> ToolSettings {
    let config = &request.loaded.config;
    let limit = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
    let own = |limits: &schema::ToolLimits| TruncateLimits {
        max_lines: limits.max_lines.map(limit),
        max_bytes: limits.max_bytes.map(limit),
        max_tokens: limits.max_tokens.map(limit),
    };
    let switched = request.loaded.tools.renamed(|name| own_name(name, registry));
    let said = |name: &str| Some((name.to_owned(), switched.get(name)?));
    ToolSettings {
        truncate: TruncateSettings {
            max_lines: limit(config.truncate.max_lines),
            max_bytes: limit(config.truncate.max_bytes),
            dynamic: config.truncate.dynamic,
            dynamic_ratio: config.truncate.dynamic_ratio,
            dynamic_max_tokens: limit(config.truncate.dynamic_max_tokens),
            per_tool: config
                .truncate
                .per_tool
                .iter()
                .map(|(name, limits)| (own_name(name, registry), own(limits)))
                .collect(),
        },
        require_read: config.edit.require_read,
        edit_mode: EditMode::default(),
        tolerance: match config.edit.fuzzy {
            schema::Fuzzy::Strict => Tolerance::Strict,
            schema::Fuzzy::Safe => Tolerance::Safe,
            schema::Fuzzy::Classic => Tolerance::Classic,
        },
        search: SearchSettings {
            timeout: Duration::from_millis(config.search.timeout_ms),
        },
        batch: BatchSettings {
            max_calls: limit(u64::from(config.batch.max_calls)),
        },
        bash: BashSettings {
            shell: config.bash.shell.clone(),
            timeout: Duration::from_millis(config.bash.timeout_ms),
        },
        sandbox: sandbox(request, roots),
        delegation: DelegationSettings {
            agents: Vec::new(),
            categories: categories::names(request),
        },
        switches: registry.tools().filter_map(|tool| said(tool.name())).collect(),
        access: ToolAccess::default(),
    }
}

fn sandbox(request: &OpenRequest, roots: &Roots) -> SandboxSettings {
    let (config, dirs) = (&request.loaded.config.sandbox, &request.dirs);
    let resolved = |given: &String| Some(roots.resolve(given).ok()?.real);
    SandboxSettings {
        mode: match config.mode {
            schema::SandboxMode::Off => SandboxMode::Off,
            schema::SandboxMode::WorkspaceWrite => SandboxMode::WorkspaceWrite,
            schema::SandboxMode::ReadOnly => SandboxMode::ReadOnly,
        },
        network: config.network,
        write: config.write.iter().filter_map(resolved).collect(),
        own: vec![dirs.config.clone(), dirs.data.clone(), dirs.state.clone()],
        tree: None,
    }
}
