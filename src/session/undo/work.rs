//! The work of undo and redo. Blocks; whoever calls it holds the lock of the tree and sees to it that nothing runs in it.

use std::path::PathBuf;

use super::list::{UndoDirection, UndoFile, UndoList};
use super::{UndoOutcome, UndoRequest, refused};
use crate::conversation::{Message, MessageId, MessageState, Role, SessionId};
use crate::journal::{Journal, Plan, UndoError};
use crate::session::restored_prompt::RestoredPrompt;
use crate::session::shown_todos::last_shown;
use crate::session::{ErrorReport, ReportKind};
use crate::store::{DraftKey, Store, StoredUndo, Surroundings};
use crate::text::count::plural;

/// Maximum number of refused files that an error names.
const MAX_REASONS: usize = 10;

/// One session that something is undone in: the root of a tree.
pub(in crate::session) struct SessionUndo {
    pub(in crate::session) store: Store,
    pub(in crate::session) journal: Journal,
    pub(in crate::session) session: SessionId,
    /// Where transactions write down what they are about to do.
    pub(in crate::session) records: PathBuf,
    pub(in crate::session) project: PathBuf,
    /// Where the files that a message names are looked for.
    pub(in crate::session) directory: PathBuf,
}

/// A session after an undo or a redo.
pub(in crate::session) struct UndoDone {
    pub(in crate::session) outcome: UndoOutcome,
    /// `None` where the conversation is as it was.
    pub(in crate::session) messages: Option<Vec<Message>>,
    pub(in crate::session) surroundings: Surroundings,
}

/// The place that an undo goes back to.
struct Cut<'a> {
    message: &'a Message,
    /// Place of the message in the conversation.
    place: usize,
}

impl SessionUndo {
    /// Says what undoing everything from a message on would do; `None` is the person's last one.
    pub(in crate::session) fn list(&self, to: Option<&MessageId>) -> Result<UndoList, ErrorReport> {
        let messages = self.store.load(&self.session)?;
        let cut = find(&messages, to)?;
        let plan = self.journal.plan_undo(cut.first_part())?;
        Ok(UndoList {
            direction: UndoDirection::Undo,
            to: Some(cut.message.id.clone()),
            prompt: words(cut.message),
            created: cut.message.created,
            messages: messages.len() - cut.place,
            files: UndoFile::all(&plan, &self.project),
        })
    }

    pub(in crate::session) fn undo(&self, request: &UndoRequest) -> Result<UndoDone, ErrorReport> {
        let messages = self.store.load(&self.session)?;
        let cut = find(&messages, request.to.as_ref())?;
        let plan = if request.scope.has_files() {
            self.journal.plan_undo(cut.first_part())?
        } else {
            Plan::default()
        };
        self.check(&plan, request.skips_changed, "undone")?;
        if plan.is_empty() && !plan.files.is_empty() {
            return Err(self.no_file_restorable(&plan));
        }
        if !request.scope.has_conversation() && plan.is_empty() {
            return Err(refused(
                "no file was changed by lathe since that message, so nothing was undone",
            ));
        }
        let before = self.surroundings()?;
        let mut after = before.clone();
        let mut left = messages.len();
        if request.scope.has_conversation() {
            left = cut.place;
            let again = RestoredPrompt::new(cut.message, &self.directory);
            after.draft = again.draft.written();
            after.todos = last_shown(messages[..cut.place].iter());
        }
        let message = request.scope.has_conversation().then(|| cut.message.id.clone());
        let outcome = UndoOutcome {
            files: plan.files.iter().filter(|file| !file.is_refused()).count(),
            messages: messages.len() - left,
        };
        self.journal
            .undo(&plan, message, (before, after), &self.records, &self.project)
            .map_err(|error| self.failed(error, "undone"))?;
        self.done(outcome)
    }

    /// Says what taking the last undo back would do; an error where there is none.
    pub(in crate::session) fn redo_list(&self) -> Result<UndoList, ErrorReport> {
        let undo = self.last_undo()?;
        let plan = self.journal.plan_redo(&undo)?;
        let undone = self.store.undone_messages(&self.session, undo.id)?;
        let first = undone.first();
        Ok(UndoList {
            direction: UndoDirection::Redo,
            to: undo.record.cut.clone(),
            prompt: first.map(words).unwrap_or_default(),
            created: first.map_or(0, |message| message.created),
            messages: undone.len(),
            files: UndoFile::all(&plan, &self.project),
        })
    }

    /// Takes the last undo back.
    pub(in crate::session) fn redo(&self, skips_changed: bool) -> Result<UndoDone, ErrorReport> {
        let undo = self.last_undo()?;
        let plan = self.journal.plan_redo(&undo)?;
        self.check(&plan, skips_changed, "redone")?;
        let outcome = UndoOutcome {
            files: plan.files.iter().filter(|file| !file.is_refused()).count(),
            messages: self.store.undone_messages(&self.session, undo.id)?.len(),
        };
        self.journal
            .redo(&plan, &undo, &self.records, &self.project)
            .map_err(|error| self.failed(error, "redone"))?;
        self.done(outcome)
    }

    fn last_undo(&self) -> Result<StoredUndo, ErrorReport> {
        let undos = self.store.undos(&self.session)?;
        let last = undos.into_iter().rfind(|undo| undo.begun.is_none());
        last.ok_or_else(|| {
            refused("there is nothing to redo: nothing was undone since the last message was sent")
        })
    }

    /// Refuses a plan with files that are in the way, unless they are to be left out.
    fn check(&self, plan: &Plan, skips_changed: bool, what: &str) -> Result<(), ErrorReport> {
        if skips_changed {
            return Ok(());
        }
        let reasons = self.refusals(plan, |file| file.is_in_the_way);
        if reasons.is_empty() {
            return Ok(());
        }
        Err(refused(format!("nothing was {what}: {}", reasons.join("; "))))
    }

    /// Says that an undo would take messages back and restore none of the files that they changed.
    fn no_file_restorable(&self, plan: &Plan) -> ErrorReport {
        let mut reasons = self.refusals(plan, |_| true);
        let more = reasons.len().saturating_sub(MAX_REASONS);
        reasons.truncate(MAX_REASONS);
        if more > 0 {
            reasons.push(format!("and {}", plural(more, "more file")));
        }
        refused(format!(
            "nothing was undone, because no file can be restored: {}; the conversation alone can be undone",
            reasons.join("; ")
        ))
    }

    /// Returns a clause for each refused file of a plan that is `wanted`.
    fn refusals(&self, plan: &Plan, wanted: impl Fn(&UndoFile) -> bool) -> Vec<String> {
        UndoFile::all(plan, &self.project)
            .into_iter()
            .filter(wanted)
            .filter_map(|file| Some(format!("`{}` {}", file.path, file.refused?)))
            .collect()
    }

    fn surroundings(&self) -> Result<Surroundings, ErrorReport> {
        let draft = self.store.draft(DraftKey::Session(&self.session))?;
        Ok(Surroundings {
            draft: draft.unwrap_or_default(),
            todos: self.store.todos(&self.session)?,
        })
    }

    fn done(&self, outcome: UndoOutcome) -> Result<UndoDone, ErrorReport> {
        let messages = match outcome.messages {
            0 => None,
            _ => Some(self.store.load(&self.session)?),
        };
        Ok(UndoDone {
            outcome,
            messages,
            surroundings: self.surroundings()?,
        })
    }

    fn failed(&self, error: UndoError, what: &str) -> ErrorReport {
        match error {
            UndoError::Store(error) => error.into(),
            UndoError::File(error) => {
                let name = super::list::display(error.path(), &self.project);
                let message = format!("nothing was {what}: {}", error.named(name));
                ErrorReport::new(ReportKind::Storage, message)
            }
        }
    }
}

impl Cut<'_> {
    /// The first part of the message, from which on the journal counts.
    fn first_part(&self) -> u64 {
        self.message.parts.first().map_or(u64::MAX, |part| part.seq)
    }
}

/// Returns true for a message that the person wrote, also one of a command of theirs.
fn is_own(message: &Message) -> bool {
    message.role == Role::User && message.state == MessageState::Complete && !message.is_reminder()
}

fn find<'a>(messages: &'a [Message], to: Option<&MessageId>) -> Result<Cut<'a>, ErrorReport> {
    let place = match to {
        None => messages
            .iter()
            .rposition(is_own)
            .ok_or_else(|| refused("this session has no messages yet, so there is nothing to undo"))?,
        Some(id) => messages
            .iter()
            .position(|message| message.id == *id)
            .ok_or_else(|| refused(format!("there is no message `{id}` in this session")))?,
    };
    let message = &messages[place];
    if !is_own(message) {
        return Err(refused(format!(
            "`{}` is not a message of yours, so the session cannot go back to it",
            message.id
        )));
    }
    Ok(Cut { message, place })
}

fn words(message: &Message) -> String {
    match message.own_command() {
        Some((command, _)) => format!("!{command}"),
        None => message.typed(),
    }
}
