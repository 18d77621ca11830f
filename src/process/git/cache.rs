//! Answers of git about the last directories that were asked about.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::answer_cache::{AnswerCache, CachedAnswer};
use super::fingerprint::Fingerprint;
use super::query::{Git, GitAnswer, GitError, Limits};
use super::repository::RepositoryFacts;
use super::sources::Sources;

/// Directories whose answers are kept.
const MAX_KEPT: usize = 16;

/// Facts about the last directories that were asked about, and the last answers there, each for as long as nothing has
/// changed of what they come from.
#[derive(Debug, Default)]
pub struct RepositoryCache {
    kept: Mutex<VecDeque<CacheEntry>>,
    answers: AnswerCache,
}

#[derive(Debug)]
struct CacheEntry {
    git: Git,
    witness: Fingerprint,
    facts: Arc<RepositoryFacts>,
}

impl RepositoryCache {
    /// The facts about git's directory as they are now. Blocks; `None` when git does not answer as it should.
    pub fn facts(&self, git: &Git) -> Option<Arc<RepositoryFacts>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|entry| entry.git.asks_the_same(git)) {
            let entry = kept.remove(at)?;
            if entry.witness.is_unchanged() {
                let facts = Arc::clone(&entry.facts);
                kept.push_front(entry);
                return Some(facts);
            }
        }
        drop(kept);
        let asked_at = SystemTime::now();
        let facts = Arc::new(RepositoryFacts::ask(git).ok().flatten()?);
        if let Some(witness) = facts.witness(git, asked_at) {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.truncate(MAX_KEPT - 1);
            kept.push_front(CacheEntry {
                git: git.clone(),
                witness,
                facts: Arc::clone(&facts),
            });
        }
        Some(facts)
    }

    /// Returns true if these facts are kept, so that whatever changes them is noticed.
    pub fn keeps(&self, facts: &Arc<RepositoryFacts>) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().any(|entry| Arc::ptr_eq(&entry.facts, facts))
    }

    /// Git's answer to these words, which comes from these sources alone. It is the same one for as long as they are.
    /// `facts` are those about git's directory. Blocks.
    pub fn answer(
        &self,
        git: &Git,
        facts: &Arc<RepositoryFacts>,
        words: &[&str],
        sources: &Sources,
        limits: Limits,
    ) -> Result<Arc<GitAnswer>, GitError> {
        if let Some(answer) = self.answers.find(git, facts, words) {
            return Ok(answer);
        }
        let asked_at = SystemTime::now();
        let [answer] = git.ask_together([words], limits)?;
        let answer = Arc::new(answer);
        let is_whole = answer.is_success && !answer.stdout.is_cut && !answer.stderr.is_cut;
        if is_whole && self.keeps(facts) {
            let watched = sources.watched(facts);
            let witness = watched
                .and_then(|watched| Fingerprint::with_listings(watched.files, watched.listings, asked_at));
            if let Some(witness) = witness {
                self.answers.put(CachedAnswer {
                    git: git.clone(),
                    facts: Arc::clone(facts),
                    words: words.iter().map(|word| (*word).to_owned()).collect(),
                    witness,
                    answer: Arc::clone(&answer),
                });
            }
        }
        Ok(answer)
    }
}

impl Git {
    pub(super) fn asks_the_same(&self, other: &Self) -> bool {
        self.directory() == other.directory()
            && self.program() == other.program()
            && self.environment() == other.environment()
    }
}
