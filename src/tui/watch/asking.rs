//! Answering from a tile. A key answers only what stood whole in the tile, and not in the moment in which it appeared. A
//! letter answers only after a pause or after the person has moved to a tile: letters in a row are somebody's prose.

use std::sync::Arc;
use std::time::Duration;

use super::{Stage, Watch, WatchRequest};
use crate::permission::PermissionReply;
use crate::question::{Question, QuestionId, QuestionKind, Reply};
use crate::tui::keymap::Action;
use crate::tui::layer::{LayerReply, LayerRequest, say};

/// Letters closer together than this are prose.
const LETTER_REST: Duration = Duration::from_secs(1);

impl Watch {
    /// Answers the chosen tile's question.
    pub(super) fn answer(&mut self, action: Action) -> LayerReply {
        let follows_letter = self.follows_letter();
        let asked = self.chosen_row().and_then(|row| self.question_of(row));
        let Some(question) = asked.cloned() else {
            return say("this agent has no question");
        };
        let Some((is_heard, is_whole)) = self.pass_question(question.id) else {
            // It has not been on screen yet.
            return LayerReply::Done;
        };
        if !is_heard {
            return LayerReply::Done;
        }
        if follows_letter {
            return say("not answered, as letters came just before: pause, or go to the tile with tab");
        }
        if let QuestionKind::Form(_) = question.about {
            return say("this question has answers to choose from: go into the agent");
        }
        match action {
            Action::AllowOnce if is_whole => self.reply(&question, PermissionReply::Once),
            Action::AllowOnce => {
                say("not all of it is shown: go into the agent to see everything before you allow it")
            }
            Action::Reject => self.reply(&question, PermissionReply::Reject(None)),
            Action::RejectBecause => {
                self.text.take();
                self.text_for = None;
                self.stage = Stage::Reason(question.id);
                LayerReply::Done
            }
            Action::AllowAlways => {
                let request = WatchRequest::EnterAlways(question.session.clone(), question.id);
                LayerReply::Request(LayerRequest::Watch(request))
            }
            _ => LayerReply::Ignored,
        }
    }

    /// Says no with the reason that was written.
    pub(super) fn reject_because(&mut self, id: QuestionId) -> LayerReply {
        self.stage = Stage::Browsing;
        let reason = self.text.take().trim().to_owned();
        let question = self.questions.iter().find(|question| question.id == id);
        let Some(question) = question.cloned() else {
            return LayerReply::Done;
        };
        let reason = (!reason.is_empty()).then_some(reason);
        self.reply(&question, PermissionReply::Reject(reason))
    }

    fn reply(&mut self, question: &Arc<Question>, reply: PermissionReply) -> LayerReply {
        self.answered.push(question.id);
        LayerReply::Request(LayerRequest::Answer {
            question: question.id,
            reply: Reply::Permission(reply),
            text: None,
        })
    }

    /// Notes that a letter was typed that answers nothing.
    pub(super) fn note_letter(&mut self) {
        self.last_letter = self.key_time;
    }

    /// Returns true if such a letter came just before the key that is read now.
    fn follows_letter(&self) -> bool {
        let times = self.last_letter.zip(self.key_time);
        times.is_some_and(|(letter, now)| now < letter + LETTER_REST)
    }

    /// Returns true if a question hears a key, and if all of it stood in the last frame.
    fn pass_question(&mut self, id: QuestionId) -> Option<(bool, bool)> {
        let shown = self.shown_questions.get_mut(&id)?;
        Some((shown.guard.pass(self.key_time?), shown.laid_out.is_whole))
    }
}
