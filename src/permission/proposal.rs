//! The rules that an "always" would store for an inquiry, each once.

use super::inquiry::{Inquiry, InquiryRow};
use crate::permission::PermissionKey;

/// A rule that an "always" would store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedRule {
    pub key: PermissionKey,
    pub pattern: String,
    /// True if it starts ticked: no row that proposes it destroys something.
    pub preticked: bool,
    /// Places in the inquiry's rows that it is proposed for.
    pub rows: Vec<usize>,
}

impl Inquiry {
    /// Returns the rules that an "always" would store, in the order of the rows; empty where none may be stored.
    pub fn proposed(&self) -> Vec<ProposedRule> {
        let mut all: Vec<ProposedRule> = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            for pattern in &row.ask.always {
                let is_it = |known: &&mut ProposedRule| known.key == *row.key() && known.pattern == *pattern;
                match all.iter_mut().find(is_it) {
                    Some(known) => {
                        known.rows.push(place);
                        known.preticked &= row.preticked;
                    }
                    None => all.push(ProposedRule {
                        key: row.key().clone(),
                        pattern: pattern.clone(),
                        preticked: row.preticked,
                        rows: vec![place],
                    }),
                }
            }
        }
        all
    }
}

impl ProposedRule {
    /// Returns the harm that its rows would do, in a few words, if they do some.
    pub fn harm(&self, inquiry: &Inquiry) -> Option<&'static str> {
        let rows = self.rows.iter().filter_map(|place| inquiry.rows.get(*place));
        rows.into_iter().find_map(InquiryRow::harm)
    }
}
