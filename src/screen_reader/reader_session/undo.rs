//! Undo and redo: told first, and done when the person says what of it.

use super::ReaderSession;
use crate::conversation::Todo;
use crate::screen_reader::host_requests::{HostRequest, PageQuery};
use crate::screen_reader::pages::undo;
use crate::session::RestoredConversation;
use crate::session::undo::{UndoDirection, UndoList, UndoOutcome, UndoRequest, UndoScope};
use crate::text::count::plural;

impl ReaderSession {
    pub(super) fn undo(&mut self, given: &str) {
        let scope = match given {
            "" => return self.begin(HostRequest::Look(PageQuery::UndoList(None))),
            "both" => UndoScope::Both,
            "files" => UndoScope::Files,
            "conversation" => UndoScope::Conversation,
            _ => return self.say("/undo takes both, files or conversation."),
        };
        let told = self.listed.undo.take();
        let Some(list) = told.filter(|list| list.direction == UndoDirection::Undo) else {
            return self.say("/undo first shows what would change; then choose a part of it.");
        };
        // What stays as it is was told.
        let request = UndoRequest {
            to: list.to,
            scope,
            skips_changed: true,
        };
        self.begin(HostRequest::Look(PageQuery::Undo(request)));
    }

    pub(super) fn redo(&mut self, given: &str) {
        match given {
            "" => return self.begin(HostRequest::Look(PageQuery::RedoList)),
            "yes" => {}
            _ => return self.say("/redo takes only yes."),
        }
        let told = self.listed.undo.take();
        match told.filter(|list| list.direction == UndoDirection::Redo) {
            Some(_) => self.begin(HostRequest::Look(PageQuery::Redo)),
            None => self.say("/redo first shows what would change; /redo yes does it."),
        }
    }

    pub(super) fn undo_lines(&mut self, list: UndoList) -> Vec<String> {
        let mut lines = undo::lines(&list);
        lines.push(match list.direction {
            UndoDirection::Undo => {
                "Nothing has changed yet. /undo both does it, /undo files or /undo conversation does half of it."
                    .to_owned()
            }
            UndoDirection::Redo => "Nothing has changed yet. /redo yes does it.".to_owned(),
        });
        self.listed.undo = Some(list);
        lines
    }

    pub(super) fn restored(&mut self, restored: &RestoredConversation) {
        self.todos = Todo::list(&restored.todos);
        self.info.context_used = restored.context_used;
        self.left_unsent = None;
        self.say_draft(&restored.draft);
    }
}

pub(super) fn done(outcome: UndoOutcome) -> String {
    format!(
        "Done: {} changed, {} removed or restored.",
        plural(outcome.files, "file"),
        plural(outcome.messages, "message")
    )
}
