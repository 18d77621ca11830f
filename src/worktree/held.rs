//! Work in a tree that was not applied, named.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ShownWork;
use crate::text::count::plural;

/// Names that a sentence lists.
const NAMED: usize = 10;

/// Work in a tree that is nowhere else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldWork {
    /// Paths of files with changes that were not applied.
    pub files: Vec<String>,
    /// Anything else that there is, in words.
    pub note: Option<String>,
}

impl From<ShownWork> for HeldWork {
    fn from(work: ShownWork) -> Self {
        Self {
            files: work.files.into_iter().map(|file| file.path).collect(),
            note: work.note,
        }
    }
}

impl fmt::Display for HeldWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.files.is_empty() {
            let named: Vec<String> = self
                .files
                .iter()
                .take(NAMED)
                .map(|file| format!("`{file}`"))
                .collect();
            write!(
                f,
                "{} not applied yet ({}",
                plural(self.files.len(), "changed file"),
                named.join(", ")
            )?;
            if self.files.len() > NAMED {
                write!(f, " and {} more", self.files.len() - NAMED)?;
            }
            f.write_str(")")?;
        }
        match &self.note {
            Some(note) if self.files.is_empty() => write!(f, "unapplied work: it {note}"),
            Some(note) => write!(f, ", and {note}"),
            None => Ok(()),
        }
    }
}
