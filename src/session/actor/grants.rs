//! Stored "always" answers: listed and taken back from the session that lives.

use std::sync::Arc;

use super::Actor;
use crate::session::Event;

impl Actor {
    pub(super) fn list_grants(&mut self) {
        match self.parts.calls.services.gate.stored() {
            Ok(grants) => self.publish(Event::Grants(Arc::new(grants))),
            Err(error) => {
                let text = format!("the stored permissions could not be read: {error}");
                self.publish(Event::Notice(text));
            }
        }
    }

    pub(super) fn revoke_grant(&mut self, id: i64) {
        if let Err(error) = self.parts.calls.services.gate.revoke(id) {
            self.publish(Event::Notice(format!("the permission stays: {error}")));
        }
        self.list_grants();
        self.tell_of_allowed_edits();
    }

    /// Tells the front ends when a stored rule begins or ends to allow every edit.
    pub(super) fn tell_of_allowed_edits(&mut self) {
        let allows_edits = self.parts.calls.services.gate.allows_every_edit();
        if std::mem::replace(&mut self.parts.info.allows_edits, allows_edits) != allows_edits {
            self.publish(Event::AllowsEdits(allows_edits));
        }
    }
}
