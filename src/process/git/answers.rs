//! Answers of git that come from a repository's own files, each for as long as those are the same.
//!
//! An answer is kept with the facts about the repository that it was given with: what changes a setting changes the facts,
//! and then nothing is used that was kept with the old ones. An answer that git refused, or that was cut, is not kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::query::{Git, GitAnswer, GitError, Limits};
use super::repository::{RepositoryCache, RepositoryFacts};
use super::sources::Sources;
use super::witness::Witness;

/// Bytes of all the answers that are kept. The longest are the names of an index.
const MAX_BYTES: usize = 8 << 20;
/// Answers that are kept, however short.
const MAX_ANSWERS: usize = 64;

/// The last answers, newest first.
#[derive(Debug, Default)]
pub(super) struct KeptAnswers {
    kept: Mutex<VecDeque<KeptAnswer>>,
}

#[derive(Debug)]
struct KeptAnswer {
    git: Git,
    facts: Arc<RepositoryFacts>,
    words: Vec<String>,
    witness: Witness,
    answer: Arc<GitAnswer>,
}

impl RepositoryCache {
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
            let witness =
                watched.and_then(|watched| Witness::with_listings(watched.files, watched.listings, asked_at));
            if let Some(witness) = witness {
                self.answers.put(KeptAnswer {
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

impl KeptAnswers {
    fn find(&self, git: &Git, facts: &Arc<RepositoryFacts>, words: &[&str]) -> Option<Arc<GitAnswer>> {
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

    fn put(&self, answer: KeptAnswer) {
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

impl KeptAnswer {
    fn is_of(&self, git: &Git, facts: &Arc<RepositoryFacts>, words: &[&str]) -> bool {
        Arc::ptr_eq(&self.facts, facts) && self.words == words && self.git.asks_the_same(git)
    }

    fn len(&self) -> usize {
        self.answer.stdout.bytes.len() + self.answer.stderr.bytes.len()
    }
}
