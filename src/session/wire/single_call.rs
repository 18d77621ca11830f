//! One call of one tool, for `lathe tool`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::agents::InitialAgent;
use super::gates::roots;
use super::models::likely_edit_mode;
use super::profile::ToolUser;
use super::resume::no_session;
use super::services::{CallPlace, CallServices, tree_services};
use super::{FrontEndKind, OpenRequest, SessionChoice, agents, cleanup, profile};
use crate::agent::driver::Reports;
use crate::conversation::{CallId, CallResult, SessionId};
use crate::hook::Transcript;
use crate::project::agents::Agents;
use crate::provider::EditMode;
use crate::session::ErrorReport;
use crate::store::{NewSession, Store, StoreError};
use crate::tool::pipeline::{self, LoopGuard};
use crate::tool::{Abilities, CallSettings, NestedCalls, Registry, Resolution, ToolCx};

/// The result of a single call.
#[derive(Debug)]
pub struct ToolRun {
    pub session: SessionId,
    pub call: CallId,
    /// The tool's own name, where there is one of the name that was given.
    pub tool: String,
    pub result: CallResult,
    /// Sentences for the user: what an earlier crash left behind, and what hooks had to say.
    pub notes: Vec<String>,
}

/// Runs one tool once, in a session that is gone afterwards unless the request names one.
pub async fn run_tool(mut request: OpenRequest, name: &str, args: &str) -> Result<ToolRun, ErrorReport> {
    // A single call has no session through which somebody could answer.
    request.front_end = FrontEndKind::Unattended;
    let mut notes = cleanup::recover(&request.dirs.data);
    let agents = agents(&request);
    let CallSession {
        store,
        id: session,
        directory,
        start,
        edit_mode,
    } = match &request.which {
        SessionChoice::Id(id) => stored_session(&request, &agents, id)?,
        SessionChoice::New | SessionChoice::Newest => throwaway_session(&request, &agents, &mut notes)?,
    };
    let _cleaning = cleanup::clean_outputs(&request.dirs.data, &store);
    let agent = start.agent;
    let reports = Reports::new();
    let (tree, _) = tree_services(&request, &store, &session, &directory, &reports, &mut notes)?;
    let tree = Arc::new(tree);
    let place = CallPlace {
        require_read: false,
        ..CallPlace::of_root(&session, &directory)
    };
    let CallServices {
        registry,
        services,
        base,
    } = CallServices::new(&request, tree, &Arc::new(Registry::builtin()), place)?;
    let transcript = services.tree.hooks.transcript();
    let _transcript = transcript.map(|path| Transcript::new(path.to_owned(), session.as_str()));
    let user = ToolUser::of_person(agent, &agents);
    let settings = profile::tool_settings(&base, user, edit_mode, &registry);
    let permissions = profile::permissions(&base, agent)?;
    services.gate.change_rules(permissions);
    services.gate.set_mode(start.mode);
    let advertised = registry.advertised(&settings, &services.gate.permissions(), &BTreeSet::new());
    let calls = CallSettings {
        registry,
        services,
        settings: Arc::new(settings),
        advertised: advertised.into(),
        agent: agent.name.clone(),
        abilities: Abilities {
            images: true,
            pdf: true,
        },
        context: None,
    };
    let call = CallId::new();
    let result = run_call(&calls, &call, name, args).await;
    notes.extend(reports.into_messages());
    let tool = match calls.registry.resolve(name) {
        Resolution::Tool(tool) => tool.name().to_owned(),
        Resolution::Unknown { .. } => name.to_owned(),
    };
    Ok(ToolRun {
        session,
        call,
        tool,
        result,
        notes,
    })
}

/// Runs one call without anybody who follows it.
async fn run_call(calls: &CallSettings, call: &CallId, name: &str, args: &str) -> CallResult {
    let mut guard = LoopGuard::default();
    let resolved = pipeline::resolve(calls.known(), &mut guard, name, args);
    let (updates, _listener) = mpsc::unbounded_channel();
    let cx = ToolCx::new(calls, call.clone(), CancellationToken::new(), updates).with_inside(NestedCalls {
        calls: calls.clone(),
        guard: Arc::new(tokio::sync::Mutex::new(guard)),
        progress: Arc::new(NoProgress),
    });
    match resolved.outcome {
        Ok(ready) => pipeline::run(ready, &cx, &NoProgress).await,
        Err(result) => *result,
    }
}

/// The session that a single call belongs to.
struct CallSession<'a> {
    store: Store,
    id: SessionId,
    directory: PathBuf,
    start: InitialAgent<'a>,
    edit_mode: EditMode,
}

fn stored_session<'a>(
    request: &OpenRequest,
    agents: &'a Agents,
    id: &SessionId,
) -> Result<CallSession<'a>, ErrorReport> {
    let store = Store::open(&request.dirs.data)?;
    let row = store.get(id)?.ok_or_else(|| no_session(id))?;
    let start = agents::start(agents, request, Some(&row), &mut Vec::new())?;
    Ok(CallSession {
        edit_mode: likely_edit_mode(request, Some(&row), start.agent),
        store,
        id: id.clone(),
        directory: row.directory,
        start,
    })
}

/// Makes a session that is in memory alone.
fn throwaway_session<'a>(
    request: &OpenRequest,
    agents: &'a Agents,
    notes: &mut Vec<String>,
) -> Result<CallSession<'a>, ErrorReport> {
    let store = Store::in_memory()?;
    let id = SessionId::new();
    // Without them more is asked, which is no reason to fail.
    if let Err(error) = lend_grants(request, &store, &id) {
        notes.push(format!("the stored rules do not count: {error}"));
    }
    let start = agents::start(agents, request, None, &mut Vec::new())?;
    store.create(&NewSession {
        id: id.clone(),
        parent: None,
        project: request.directory.clone(),
        directory: request.directory.clone(),
        agent: start.agent.name.clone(),
        model: None,
        title: String::new(),
    })?;
    Ok(CallSession {
        edit_mode: likely_edit_mode(request, None, start.agent),
        store,
        id,
        directory: request.directory.clone(),
        start,
    })
}

/// Puts the stored rules that count here into a throwaway session's store: what is allowed in `run` is allowed in a single call.
fn lend_grants(request: &OpenRequest, store: &Store, session: &SessionId) -> Result<(), StoreError> {
    let Some(stored) = Store::open_existing(&request.dirs.data)? else {
        return Ok(());
    };
    let roots = roots(request, &request.directory);
    for grant in stored.grants_for(session, roots.project_root())? {
        store.add_grant(&grant.key, &grant.pattern, &grant.scope, session)?;
    }
    Ok(())
}

/// Nobody watches a single call.
struct NoProgress;

impl pipeline::Progress for NoProgress {}
