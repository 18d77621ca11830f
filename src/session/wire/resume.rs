//! Finds the session to open, with its state and its system prompt.

use std::path::Path;
use std::sync::Arc;

use super::super::actor::UserCommands;
use super::gates::{roots, scope_of};
use super::moved::PlaceOfLost;
use super::profile::{Profiles, PromptFacts};
use super::services::CallServices;
use super::{ErrorReport, FrontEndKind, ModelSource, OpenRequest, ReportKind, SessionChoice, moved};
use crate::agent::estimate;
use crate::agent::history::KnownSize;
use crate::agent::prompt::{Section, sections};
use crate::conversation::{Message, SessionId, Usage};
use crate::permission::ChosenScopes;
use crate::project;
use crate::session::profile::Profile;
use crate::session::{
    EarlierSession, InstructionFile, ReadOnlyReason, SessionInfo, StoredDraft, Surroundings,
};
use crate::store::{DraftKey, LockError, SessionLock, SessionRow, Store, StoreError};

/// The session to open.
pub(super) struct FoundSession {
    pub(super) id: SessionId,
    /// `None` for a new one.
    pub(super) row: Option<SessionRow>,
    pub(super) lock: Option<SessionLock>,
    /// Why it can only be read, where it can.
    pub(super) held: Option<ReadOnlyReason>,
}

pub(in crate::session) fn no_session(id: &SessionId) -> ErrorReport {
    ErrorReport::new(ReportKind::Storage, format!("there is no session `{id}`"))
        .hinted("`lathe sessions list` shows them all.")
}

/// A task's session lives with its tree: it has the rules, the mode and the lock of the root.
pub(in crate::session) fn of_task(id: &SessionId, root: &SessionId) -> ErrorReport {
    let message = format!("session `{id}` belongs to a task of session `{root}`, and is opened from there");
    let hint = format!("Open `{root}`; its panel and `/tasks` list the task, and `enter` goes into it.");
    ErrorReport::new(ReportKind::Storage, message).hinted(hint)
}

/// Returns the stored session that is wanted, if there is one.
pub(super) fn stored_row(request: &OpenRequest, store: &Store) -> Result<Option<SessionRow>, StoreError> {
    match &request.which {
        SessionChoice::New => Ok(None),
        SessionChoice::Newest => store.newest(roots(request, &request.directory).project_root()),
        SessionChoice::Id(id) => store.get(id),
    }
}

pub(super) fn find(
    request: &OpenRequest,
    store: &Store,
    notes: &mut Vec<String>,
) -> Result<FoundSession, ErrorReport> {
    let row = stored_row(request, store)?;
    match &request.which {
        SessionChoice::Newest if row.is_none() => {
            notes.push("there is no session of this project yet, so a new one was started".to_owned());
        }
        SessionChoice::Id(id) if row.is_none() => return Err(no_session(id)),
        SessionChoice::New | SessionChoice::Newest | SessionChoice::Id(_) => {}
    }
    let Some(row) = row else {
        return begin_new(request);
    };
    let root = store.root(&row.id)?;
    if root != row.id {
        return Err(of_task(&row.id, &root));
    }
    match SessionLock::take(&request.dirs.data, &root) {
        Ok(lock) if !row.directory.is_dir() => {
            let found = |row, lock, held| FoundSession {
                id: root.clone(),
                row: Some(row),
                lock,
                held,
            };
            Ok(match moved::without_directory(request, store, row, notes)? {
                PlaceOfLost::Here(row) => found(row, Some(lock), None),
                PlaceOfLost::Unknown { row, gone } => {
                    found(row, None, Some(ReadOnlyReason::DirectoryGone(gone)))
                }
            })
        }
        Ok(lock) => {
            // One that was stored by an earlier version has no identity yet.
            store.note_project(&row.project)?;
            Ok(FoundSession {
                id: row.id.clone(),
                row: Some(row),
                lock: Some(lock),
                held: None,
            })
        }
        Err(LockError::Held { pid, .. })
            if request.front_end == FrontEndKind::Attended && row.directory.is_dir() =>
        {
            let held = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
            Ok(FoundSession {
                id: row.id.clone(),
                row: Some(row),
                lock: None,
                held: Some(ReadOnlyReason::OpenIn(held)),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns a session that has not begun.
fn begin_new(request: &OpenRequest) -> Result<FoundSession, ErrorReport> {
    let id = SessionId::new();
    let lock = match SessionLock::take(&request.dirs.data, &id) {
        Ok(lock) => Some(lock),
        // Nobody else can write there either.
        Err(LockError::Store(StoreError::Full | StoreError::ReadOnly))
            if request.front_end == FrontEndKind::Attended =>
        {
            None
        }
        Err(error) => return Err(error.into()),
    };
    Ok(FoundSession {
        id,
        row: None,
        lock,
        held: None,
    })
}

pub(super) fn info(
    request: &OpenRequest,
    found: &FoundSession,
    profile: &Profile,
    profiles: &Profiles,
    commands: &UserCommands,
    messages: &[Arc<Message>],
) -> SessionInfo {
    let row = found.row.as_ref();
    SessionInfo {
        id: found.id.clone(),
        title: row.map(|row| row.title.clone()).unwrap_or_default(),
        agent: profile.agent().to_owned(),
        agents: profiles.agents(),
        model: profile.model.reference.clone(),
        models: profiles.models(&profile.model),
        commands: commands.choices(),
        mode: request.mode,
        directory: row.map_or_else(|| request.directory.clone(), |row| row.directory.clone()),
        context_limit: Some(profile.model.context),
        context_used: KnownSize::of(messages).map_or(0, KnownSize::tokens),
        usage: row.map(|row| row.usage).unwrap_or_default(),
        cost: row.map_or(Some(0.0), |row| {
            if row.usage == Usage::default() {
                Some(0.0)
            } else {
                row.cost
            }
        }),
        read_only: found.held.clone(),
        model_problem: None,
        demo: request.source == ModelSource::Demo,
        allows_edits: false,
        scopes: ChosenScopes::default(),
        surroundings: Surroundings {
            branch: profiles.branch(),
            instructions: instruction_files(&profile.system),
            newest: None,
        },
    }
}

/// Returns the instruction files in a prompt.
fn instruction_files(prompt: &str) -> Vec<InstructionFile> {
    let sections = sections(prompt).into_iter();
    let files = sections.filter_map(|(section, text)| match section {
        Section::Instructions(path) => Some(InstructionFile {
            path: path.to_owned(),
            tokens: estimate::bytes(text.len()),
        }),
        _ => None,
    });
    files.collect()
}

/// Returns the session of the project that was used last.
pub(super) fn newest(store: &Store, project: &Path) -> Result<Option<EarlierSession>, StoreError> {
    let row = store.newest(project)?.filter(|row| !row.title.is_empty());
    Ok(row.map(|row| EarlierSession {
        title: row.title,
        updated: row.updated,
    }))
}

/// Returns the scopes that were chosen last for each key, without those rules that count everywhere.
pub(super) fn last_scopes(store: &Store) -> Result<ChosenScopes, StoreError> {
    let mut scopes = ChosenScopes::default();
    for (key, scope) in store.granted_scopes()? {
        scopes.choose(&key, scope_of(&scope));
    }
    Ok(scopes)
}

/// Returns the draft. It begins with the messages that waited to be sent when an earlier process was killed.
pub(super) fn draft(store: &Store, found: &FoundSession, project: &Path) -> Result<String, ErrorReport> {
    if found.row.is_none() {
        return Ok(store.draft(DraftKey::Project(project))?.unwrap_or_default());
    }
    let (key, waiting) = (DraftKey::Session(&found.id), DraftKey::Unsent(&found.id));
    let draft = store.draft(key)?.unwrap_or_default();
    // Where another process has the session, they wait in that one.
    let unsent = if found.held.is_none() {
        store.draft(waiting)?
    } else {
        None
    };
    let Some(unsent) = unsent else { return Ok(draft) };
    let mut whole = StoredDraft::read(&unsent);
    whole.append(StoredDraft::read(&draft));
    let whole = whole.written();
    store.set_draft(key, &whole)?;
    store.set_draft(waiting, "")?;
    Ok(whole)
}

/// Gathers what stands in every agent's prompt, and notes which instruction files the conversation has with it.
pub(super) fn prompt_facts(
    request: &OpenRequest,
    kit: &CallServices,
    notes: &mut Vec<String>,
) -> PromptFacts {
    let roots = &kit.services.roots;
    let gate = kit.services.gate.readable();
    let places = project::InstructionPlaces {
        config: request.dirs.config.clone(),
        home: request.dirs.home.clone(),
        root: roots.project_root().to_owned(),
        cwd: roots.session_dir().to_owned(),
        globs: request.loaded.instructions.iter().map(instruction_glob).collect(),
    };
    let gathered = project::instructions(&places, &gate);
    notes.extend(gathered.problems);
    if let Ok(mut seen) = kit.services.instructions.lock() {
        seen.extend(
            gathered
                .instructions
                .iter()
                .map(|instruction| instruction.path.clone()),
        );
    }
    let shown =
        |instruction: &project::Instruction| (roots.display(&instruction.path), instruction.text.clone());
    PromptFacts {
        directory: roots.session_dir().to_owned(),
        root: roots.project_root().to_owned(),
        branch: project::branch(roots.project_root(), &gate),
        date: jiff::Zoned::now().date().to_string(),
        instructions: gathered.instructions.iter().map(shown).collect(),
    }
}

fn instruction_glob(glob: &crate::config::InstructionGlob) -> project::InstructionGlob {
    project::InstructionGlob {
        base: glob.base.clone(),
        pattern: glob.pattern.clone(),
        confined_to: glob.confined_to.clone(),
    }
}
