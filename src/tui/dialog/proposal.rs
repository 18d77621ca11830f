//! What "always" would store: one pattern, ticked or not, as it was proposed or as the person has changed it.

use std::path::Path;

use crate::permission::{Floored, Inquiry, Row, floor};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) key: String,
    pub(super) pattern: String,
    pub(super) is_ticked: bool,
    is_edited: bool,
    /// Places in the inquiry's rows that it was proposed for.
    rows: Vec<usize>,
}

impl Proposal {
    /// Returns one for each pattern; what several rows propose is there once.
    pub(super) fn all(inquiry: &Inquiry) -> Vec<Self> {
        let mut proposals: Vec<Self> = Vec::new();
        for (place, row) in inquiry.rows.iter().enumerate() {
            for pattern in &row.ask.always {
                let known = proposals
                    .iter_mut()
                    .find(|known| known.key == row.key() && known.pattern == *pattern);
                match known {
                    Some(known) => {
                        known.rows.push(place);
                        known.is_ticked &= row.preticked;
                    }
                    None => proposals.push(Self {
                        key: row.key().to_owned(),
                        pattern: pattern.clone(),
                        is_ticked: row.preticked,
                        is_edited: false,
                        rows: vec![place],
                    }),
                }
            }
        }
        proposals
    }

    pub(super) fn is_for(&self, row: usize) -> bool {
        self.rows.contains(&row)
    }

    /// Takes another pattern, which is then ticked; refuses one that is too wide.
    pub(super) fn edit(&mut self, pattern: &str) -> Result<(), Floored> {
        let pattern = pattern.trim();
        floor(&self.key, pattern)?;
        if pattern != self.pattern {
            pattern.clone_into(&mut self.pattern);
            self.is_edited = true;
            self.is_ticked = true;
        }
        Ok(())
    }

    /// What to know before it is stored: that it misses the call, what the call destroys, or why it is asked; and
    /// whether it destroys something.
    pub(super) fn remark(&self, inquiry: &Inquiry, home: Option<&Path>) -> (String, bool) {
        let mut rows = self.rows.iter().filter_map(|place| inquiry.rows.get(*place));
        let covers = |row: &Row| row.is_covered_by(&self.pattern, home);
        if self.is_edited && !rows.clone().all(covers) {
            let text = "does not cover this call, which runs all the same";
            return (text.to_owned(), false);
        }
        match rows.clone().find_map(Row::harm) {
            Some(harm) => (harm.to_owned(), true),
            None => (rows.next().map(Row::short_why).unwrap_or_default(), false),
        }
    }
}
