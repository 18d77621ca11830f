//! Undo and redo in a session that is open: nothing else may go on meanwhile.

use std::sync::Arc;

use tokio::sync::oneshot::Sender;

use super::context::ContextState;
use super::queries::answer_aside;
use super::todo_reminders::TodoReminders;
use super::todos::KnownTodos;
use super::{Actor, revised_calls};
use crate::agent::history::{HistoryView, KnownSize};
use crate::conversation::{Message, MessageId};
use crate::session::query::Answer;
use crate::session::undo::{SessionUndo, UndoDirection, UndoDone, UndoRequest};
use crate::session::{ErrorReport, Event, RestoredConversation};
use crate::store::{MessageChange, StoredUndo};

impl Actor {
    /// Says what an undo, or a redo, would do. A turn goes on meanwhile.
    pub(super) fn list_undo(&self, direction: UndoDirection, to: Option<MessageId>, sender: Sender<Answer>) {
        let work = match self.undo_work() {
            Ok(work) => work,
            // Whoever asked may be gone.
            Err(why) => return drop(sender.send(Answer::Failed(why))),
        };
        answer_aside(sender, move || {
            let listed = match direction {
                UndoDirection::Undo => work.list(to.as_ref()),
                UndoDirection::Redo => work.redo_list(),
            };
            match listed {
                Ok(list) => Answer::UndoList(Box::new(list)),
                Err(report) => Answer::Failed(sentence(&report)),
            }
        });
    }

    /// Undoes, or redoes. The actor waits for the work, so that nothing begins meanwhile.
    pub(super) async fn change_by_undo(&mut self, change: UndoChange) -> Answer {
        if let Some(why) = self.why_no_undo() {
            return Answer::Failed(why);
        }
        let work = match self.undo_work() {
            Ok(work) => work,
            Err(why) => return Answer::Failed(why),
        };
        let done = tokio::task::spawn_blocking(move || match change {
            UndoChange::Undo(request) => work.undo(&request),
            UndoChange::Redo { skips_changed } => work.redo(skips_changed),
        });
        match done.await {
            Ok(Ok(done)) => {
                let outcome = done.outcome;
                self.restore(done);
                Answer::Undone(outcome)
            }
            Ok(Err(report)) => Answer::Failed(sentence(&report)),
            Err(error) => Answer::Failed(error.to_string()),
        }
    }

    /// Says what goes on here that stands in the way of an undo or a redo.
    fn why_no_undo(&self) -> Option<String> {
        if self.parts.recorder.has_unsaved() {
            return Some(
                "A part of this session is only in memory, so nothing was undone; free some space first."
                    .to_owned(),
            );
        }
        if self.is_busy() {
            return Some("A turn is running, so nothing was undone; stop it first.".to_owned());
        }
        if self.context.running.is_some() {
            return Some(
                "A summary is being written, so nothing was undone; wait for it, or stop it.".to_owned(),
            );
        }
        if !self.shells.is_empty() {
            return Some(
                "A command of yours is still running, so nothing was undone; stop it first.".to_owned(),
            );
        }
        let rows = self.parts.tasks.rows();
        let running: Vec<String> = rows
            .iter()
            .filter(|row| !row.status.is_ended())
            .map(|row| format!("`{}`", row.description))
            .collect();
        if running.is_empty() {
            return None;
        }
        let (task, it) = if running.len() == 1 {
            ("task", "it")
        } else {
            ("tasks", "them")
        };
        let run = if running.len() == 1 {
            "still runs"
        } else {
            "still run"
        };
        Some(format!(
            "The {task} {} {run}, so nothing was undone; stop {it} or wait first.",
            running.join(", ")
        ))
    }

    /// Returns what does the work, or why there is none in this session.
    fn undo_work(&self) -> Result<SessionUndo, String> {
        if self.parts.is_task {
            let why = "Undo works in the conversation that started this task; go back to it first.";
            return Err(why.to_owned());
        }
        if let Some(held) = &self.parts.info.read_only {
            return Err(format!(
                "This session is read-only here ({held}), so nothing can be undone."
            ));
        }
        let services = &self.parts.calls.services;
        let journal = services.tree.journal.clone();
        Ok(SessionUndo {
            store: services.tree.store.clone(),
            journal: journal.ok_or("This session does not keep earlier contents of files.")?,
            session: self.parts.info.id.clone(),
            records: services.tree.records_dir.clone(),
            project: services.roots.project_root().to_owned(),
            directory: self.parts.info.directory.clone(),
        })
    }

    /// Takes in a conversation that has become shorter, or long again.
    fn restore(&mut self, done: UndoDone) {
        let Some(messages) = done.messages else { return };
        self.parts.messages = messages.into_iter().map(Arc::new).collect();
        self.parts.todos = done.surroundings.todos;
        self.parts.draft = done.surroundings.draft;
        let outputs = self.parts.calls.services.tree.outputs.dir().to_owned();
        let view = HistoryView::new(&outputs, &self.parts.messages);
        // The provider finds what it has cached of the messages that stay: nothing is read anew.
        self.context = ContextState::new(view, &self.parts.messages, self.prefix_estimate());
        self.known_todos = KnownTodos::new(&self.parts.messages, &self.parts.todos);
        self.todo_reminders = TodoReminders::new(&self.parts.messages, &self.parts.todos);
        self.revised = revised_calls::RevisedCalls::default();
        self.turn_began = None;
        let known = KnownSize::of(&self.parts.messages);
        self.parts.info.context_used = known.map_or(0, KnownSize::tokens);
        let restored = RestoredConversation {
            messages: self.parts.messages.clone(),
            todos: self.parts.todos.clone(),
            draft: self.parts.draft.clone(),
            context_used: self.parts.info.context_used,
        };
        self.publish(Event::Restored(Arc::new(restored)));
    }

    /// A turn begins: what was undone is gone for good, and the model is told what it has to know of it.
    pub(super) fn forget_undone(&mut self) {
        if self.parts.is_task {
            return;
        }
        let store = &self.parts.calls.services.tree.store;
        let undos = match store.undos(&self.parts.info.id) {
            Ok(undos) if undos.is_empty() => return,
            Ok(undos) => undos,
            Err(error) => return self.check(Err(error)),
        };
        let forget = MessageChange::ForgetUndone;
        if let Some(text) = self.reminder_of(&undos) {
            return self.add_message_with(Message::prompt(text), vec![forget]);
        }
        let forgotten = self.parts.recorder.forget_undone();
        self.check(forgotten);
    }

    /// Tells of files that were undone while the conversation stayed as it is.
    fn reminder_of(&self, undos: &[StoredUndo]) -> Option<String> {
        let roots = &self.parts.calls.services.roots;
        let of_files = undos.iter().filter(|undo| undo.record.cut.is_none());
        let mut paths: Vec<String> = of_files
            .flat_map(|undo| &undo.record.files)
            .map(|file| format!("`{}`", roots.display(&file.path.to_path())))
            .collect();
        paths.sort();
        paths.dedup();
        (!paths.is_empty()).then(|| {
            format!(
                "{}The user has undone your changes to these files, which are as they were before: {}. Do not make the \
                 changes again unless the user asks for it.\n</system-reminder>",
                Message::REMINDER,
                paths.join(", ")
            )
        })
    }
}

/// A change that a person wants.
pub(super) enum UndoChange {
    Undo(UndoRequest),
    Redo { skips_changed: bool },
}

/// A report as a sentence on the screen.
fn sentence(report: &ErrorReport) -> String {
    let text = report.text();
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}
