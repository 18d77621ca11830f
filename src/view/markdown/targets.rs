//! Targets of links, each once, in the order in which they came.

use std::collections::HashSet;

#[derive(Debug, Default)]
pub(super) struct Targets {
    list: Vec<String>,
    known: HashSet<String>,
}

impl Targets {
    pub(super) fn add(&mut self, target: &str) {
        if self.known.insert(target.to_owned()) {
            self.list.push(target.to_owned());
        }
    }

    pub(super) fn list(&self) -> &[String] {
        &self.list
    }
}
