//! Parts of the conversation that a provider refuses: they are left out for its model, recorded in the conversation, until
//! the person has them sent again.

use super::super::Actor;
use crate::agent::history::{is_signed_by, media};
use crate::agent::turn::TurnEvent;
use crate::conversation::{ContextChange, MessageId, SentAgain, WithheldKind, WithheldParts};
use crate::provider::ProviderError;
use crate::session::Event;

impl Actor {
    /// The provider refused a part of the conversation: asks again without it. Reports the error where nothing can be left
    /// out.
    pub(in crate::session::actor) fn withhold(&mut self, error: ProviderError) {
        let (kind, refused) = if error.refuses_media() {
            (WithheldKind::Media, self.refused_media())
        } else {
            (WithheldKind::Signed, self.refused_replies())
        };
        if refused.is_empty() {
            return self.on_turn(TurnEvent::Failed(error.into_final_refusal()));
        }
        let size = self.context_size();
        let reason = error
            .refusal
            .as_ref()
            .map_or(&error.message, |refusal| &refusal.message)
            .clone();
        let change = ContextChange::Withheld(WithheldParts {
            kind,
            count: refused.iter().map(|(_, count)| count).sum(),
            messages: refused.into_iter().map(|(message, _)| message).collect(),
            model: self.parts.info.model.clone(),
            reason,
            before: size,
            after: size,
        });
        self.change_context(change, None);
        self.send_request();
    }

    /// Returns the message whose pictures and documents are left out first, the last that has any; where the request was
    /// refused without them too, all others.
    fn refused_media(&mut self) -> Vec<(MessageId, usize)> {
        let (view, model) = (&self.context.view, &self.parts.info.model);
        let mut refused: Vec<(MessageId, usize)> = view
            .kept_sent(&self.parts.messages)
            .filter(|message| view.withheld_media(&message.id, model).is_none())
            .map(|message| (message.id.clone(), media(message)))
            .filter(|(_, count)| *count > 0)
            .collect();
        let is_first = !std::mem::replace(&mut self.context.has_withheld, true);
        if is_first && refused.len() > 1 {
            refused.drain(..refused.len() - 1);
        }
        refused
    }

    /// Returns the replies whose signed blocks are sent: which of them is refused is not always told.
    fn refused_replies(&self) -> Vec<(MessageId, usize)> {
        let (view, model) = (&self.context.view, &self.parts.info.model);
        view.kept_sent(&self.parts.messages)
            .filter(|message| is_signed_by(message, model) && !view.withholds_signed(&message.id, model))
            .map(|message| (message.id.clone(), 1))
            .collect()
    }

    /// The person wants to send again what the provider of the model refused.
    pub(in crate::session::actor) fn send_refused_again(&mut self) {
        if self.is_held() {
            return;
        }
        if self.is_busy() {
            let text = "A turn is running; use `/resend` when it has ended.".to_owned();
            return self.publish(Event::Notice(text));
        }
        let model = self.parts.info.model.clone();
        if !self.context.view.withholds_from(&model) {
            let text = format!("Nothing is left out for `{model}`.");
            return self.publish(Event::Notice(text));
        }
        let size = self.context_size();
        self.change_context(ContextChange::SentAgain(SentAgain { model, size }), None);
    }
}
