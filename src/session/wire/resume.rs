//! Which session is opened, what it knows already, and the prompt it began with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::services::{Kit, records_dir, roots};
use super::{ErrorReport, FrontEndKind, ModelSource, OpenRequest, ReportKind, SessionInfo, Which};
use crate::agent::prompt::{self, PromptParts};
use crate::conversation::{Message, SessionId, Usage};
use crate::files;
use crate::project;
use crate::provider::Model;
use crate::store::{DraftKey, LockError, Outputs, SessionLock, SessionRow, Store};
use crate::tool::Set;

/// The session to open.
pub(super) struct FoundSession {
    pub(super) id: SessionId,
    /// `None` for a new one.
    pub(super) row: Option<SessionRow>,
    pub(super) lock: Option<SessionLock>,
    /// Who holds it, when it is not us.
    pub(super) held: Option<String>,
}

pub(super) fn no_session(id: &SessionId) -> ErrorReport {
    ErrorReport {
        kind: ReportKind::Storage,
        message: format!("there is no session `{id}`"),
        hint: Some("`lathe sessions list` shows those there are.".to_owned()),
    }
}

pub(super) fn find(
    request: &OpenRequest,
    store: &Store,
    notes: &mut Vec<String>,
) -> Result<FoundSession, ErrorReport> {
    let row = match &request.which {
        Which::New => None,
        Which::Newest => {
            let roots = roots(request, &request.directory);
            let row = store.newest(roots.project_root())?;
            if row.is_none() {
                notes.push("there is no session of this project yet, so a new one was started".to_owned());
            }
            row
        }
        Which::Id(id) => Some(store.get(id)?.ok_or_else(|| no_session(id))?),
    };
    let Some(row) = row else {
        let id = SessionId::new();
        let lock = SessionLock::take(&request.dirs.data, &id).map_err(|error| lock_error(&error))?;
        return Ok(FoundSession {
            id,
            row: None,
            lock: Some(lock),
            held: None,
        });
    };
    if !row.directory.is_dir() {
        return Err(ErrorReport {
            kind: ReportKind::Storage,
            message: format!(
                "the directory `{}` of session `{}` is gone",
                row.directory.display(),
                row.id
            ),
            hint: Some("Put it back, or start a new session elsewhere.".to_owned()),
        });
    }
    let root = store.root(&row.id)?;
    match SessionLock::take(&request.dirs.data, &root) {
        Ok(lock) => Ok(FoundSession {
            id: row.id.clone(),
            row: Some(row),
            lock: Some(lock),
            held: None,
        }),
        Err(LockError::Held { pid, .. }) if request.front_end == FrontEndKind::Attended => {
            let held = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
            Ok(FoundSession {
                id: row.id.clone(),
                row: Some(row),
                lock: None,
                held: Some(held),
            })
        }
        Err(error) => Err(lock_error(&error)),
    }
}

fn lock_error(error: &LockError) -> ErrorReport {
    ErrorReport {
        kind: ReportKind::Storage,
        message: error.to_string(),
        hint: None,
    }
}

pub(super) fn info(
    request: &OpenRequest,
    found: &FoundSession,
    model: &Model,
    agent: &str,
    directory: PathBuf,
    messages: &[Arc<Message>],
) -> SessionInfo {
    let last = messages.iter().rev().find_map(|message| message.usage);
    let row = found.row.as_ref();
    SessionInfo {
        id: found.id.clone(),
        title: row.map(|row| row.title.clone()).unwrap_or_default(),
        agent: agent.to_owned(),
        model: model.reference.clone(),
        mode: request.mode,
        directory,
        context_limit: Some(model.context),
        context_used: last.map_or(0, |usage| usage.context()),
        usage: row.map(|row| row.usage).unwrap_or_default(),
        cost: row.map_or(Some(0.0), |row| {
            if row.usage == Usage::default() {
                Some(0.0)
            } else {
                row.cost
            }
        }),
        read_only: found.held.clone(),
        demo: request.source == ModelSource::Demo,
    }
}

pub(super) fn draft(store: &Store, found: &FoundSession, project: &Path) -> Result<String, ErrorReport> {
    let key = if found.row.is_some() {
        DraftKey::Session(&found.id)
    } else {
        DraftKey::Project(project)
    };
    Ok(store.draft(key)?.unwrap_or_default())
}

/// The prompt that the session began with, or the one it begins with now.
pub(super) fn system_prompt(
    request: &OpenRequest,
    store: &Store,
    kit: &Kit,
    found: &FoundSession,
    agent: &str,
    notes: &mut Vec<String>,
) -> Result<String, ErrorReport> {
    let roots = &kit.services.roots;
    let gathered = project::instructions(&project::InstructionPlaces {
        config: request.dirs.config.clone(),
        home: request.dirs.home.clone(),
        root: roots.project_root().to_owned(),
        cwd: roots.session_dir().to_owned(),
        globs: request.loaded.instructions.iter().map(instruction_glob).collect(),
    });
    notes.extend(gathered.problems);
    if let Ok(mut seen) = kit.services.instructions.lock() {
        seen.extend(
            gathered
                .instructions
                .iter()
                .map(|instruction| instruction.path.clone()),
        );
    }
    if found.row.is_some()
        && let Some(stored) = store.system_prompt(&found.id, agent)?
    {
        return Ok(stored);
    }
    let shown =
        |instruction: &project::Instruction| (roots.display(&instruction.path), instruction.text.clone());
    let instructions: Vec<_> = gathered.instructions.iter().map(shown).collect();
    let extended: Vec<&str> = kit
        .registry
        .tools()
        .filter(|tool| {
            tool.set() == Set::Extended && kit.services.settings.switches.get(tool.name()) != Some(&false)
        })
        .map(|tool| tool.name())
        .collect();
    let date = jiff::Zoned::now().date().to_string();
    let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let branch = project::branch(roots.project_root());
    Ok(prompt::assemble(&PromptParts {
        directory: roots.session_dir(),
        root: roots.project_root(),
        branch: branch.as_deref(),
        platform: &platform,
        date: &date,
        extended: &extended,
        instructions: &instructions,
    }))
}

fn instruction_glob(glob: &crate::config::InstructionGlob) -> project::InstructionGlob {
    project::InstructionGlob {
        base: glob.base.clone(),
        pattern: glob.pattern.clone(),
        confined_to: glob.confined_to.clone(),
    }
}

/// Finishes what a crash left half done and removes what is old, beside everything else.
pub(super) fn clean_up(data: &Path, notes: &mut Vec<String>) {
    let recovery = files::recover(&records_dir(data));
    notes.extend(recovery.problems);
    let outputs = Outputs::new(data);
    tokio::task::spawn_blocking(move || outputs.clean());
}
