//! Answers of git that come from a repository's own files, each for as long as those are the same.
//!
//! An answer is kept with the facts about the repository that it was given with: what changes a setting changes the facts,
//! and then nothing is used that was kept with the old ones. An answer that git refused, or that was cut, is not kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::fingerprint::Fingerprint;
use super::query::{Git, GitAnswer};
use super::repository::RepositoryFacts;

/// Bytes of all the answers that are kept. The longest are the names of an index.
const MAX_BYTES: usize = 8 << 20;
/// Answers that are kept, however short.
const MAX_ANSWERS: usize = 64;

/// The last answers, newest first.
#[derive(Debug, Default)]
pub(super) struct AnswerCache {
    kept: Mutex<VecDeque<CachedAnswer>>,
}

#[derive(Debug)]
pub(super) struct CachedAnswer {
    pub(super) git: Git,
    pub(super) facts: Arc<RepositoryFacts>,
    pub(super) words: Vec<String>,
    pub(super) witness: Fingerprint,
    pub(super) answer: Arc<GitAnswer>,
}

impl AnswerCache {
    pub(super) fn find(
        &self,
        git: &Git,
        facts: &Arc<RepositoryFacts>,
        words: &[&str],
    ) -> Option<Arc<GitAnswer>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|kept| kept.is_of(git, facts, words))?;
        let found = kept.remove(at)?;
        if !found.witness.is_unchanged() {
            return None;
        }
        let answer = Arc::clone(&found.answer);
        kept.push_front(found);
        Some(answer)
    }

    pub(super) fn put(&self, answer: CachedAnswer) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front(answer);
        kept.truncate(MAX_ANSWERS);
        let mut bytes = 0;
        kept.retain(|kept| {
            bytes += kept.len();
            bytes <= MAX_BYTES
        });
    }
}

impl CachedAnswer {
    fn is_of(&self, git: &Git, facts: &Arc<RepositoryFacts>, words: &[&str]) -> bool {
        Arc::ptr_eq(&self.facts, facts) && self.words == words && self.git.asks_the_same(git)
    }

    fn len(&self) -> usize {
        self.answer.stdout.bytes.len() + self.answer.stderr.bytes.len()
    }
}
