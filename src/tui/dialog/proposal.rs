//! A pattern that "always" would store, ticked or not, as it was proposed or as the person has changed it.

use std::path::Path;

use crate::permission::{FloorError, Inquiry, InquiryRow, PermissionKey, Scope, floor, in_words};
use crate::text::sanitize::Revealed;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) key: PermissionKey,
    pub(super) pattern: String,
    pub(super) is_ticked: bool,
    is_edited: bool,
    /// Places in the inquiry's rows that it was proposed for.
    rows: Vec<usize>,
}

impl Proposal {
    /// Returns one for each pattern; what several rows propose is there once.
    pub(super) fn all(inquiry: &Inquiry) -> Vec<Self> {
        let proposed = inquiry.proposed().into_iter();
        let proposals = proposed.map(|proposed| Self {
            key: proposed.key,
            pattern: proposed.pattern,
            is_ticked: proposed.preticked,
            is_edited: false,
            rows: proposed.rows,
        });
        proposals.collect()
    }

    /// Takes another pattern, which is then ticked; refuses one that is too wide.
    pub(super) fn edit(&mut self, pattern: &str) -> Result<(), FloorError> {
        let pattern = pattern.trim();
        floor(self.key.as_str(), pattern)?;
        if pattern != self.pattern {
            pattern.clone_into(&mut self.pattern);
            self.is_edited = true;
            self.is_ticked = true;
        }
        Ok(())
    }

    /// Returns what it would allow.
    pub(super) fn in_words(&self, scope: Scope) -> Revealed {
        let whole = match scope {
            Scope::Session => " in this session",
            Scope::Project => " in this project",
            Scope::Everywhere => " everywhere",
        };
        in_words(self.key.as_str(), &self.pattern).and(whole)
    }

    /// Returns what to know before it is stored: that it misses the call or what the call destroys; and whether it destroys
    /// something.
    pub(super) fn remark(&self, inquiry: &Inquiry, home: Option<&Path>) -> (String, bool) {
        let rows = self.rows.iter().filter_map(|place| inquiry.rows.get(*place));
        let covers = |row: &InquiryRow| row.is_covered_by(&self.pattern, home);
        if self.is_edited && !rows.clone().all(covers) {
            let text = "does not match this call, which runs anyway";
            return (text.to_owned(), false);
        }
        match rows.into_iter().find_map(InquiryRow::harm) {
            Some(harm) => (harm.to_owned(), true),
            None => (String::new(), false),
        }
    }
}
