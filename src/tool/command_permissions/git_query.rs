//! Questions to git about what a command would show.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::permission::command::{TOO_MUCH_WORK, WorkBudget};
use crate::process::git::{Git, GitAnswer, Limits, RepositoryCache, RepositoryFacts, Sources};

/// One answer takes no longer, and more is not read of it.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(2),
    bytes: 8 << 20,
};

/// Git in a directory, with the drivers of its repository left out, and the answers that are kept there.
pub(super) struct GitQuery<'a> {
    git: Git,
    facts: Arc<RepositoryFacts>,
    repositories: &'a RepositoryCache,
    work: &'a WorkBudget,
}

/// Steps of work for one answer: git takes some milliseconds for it.
const STEPS: usize = 4000;

/// Git's answer, or why there is none.
type Answer<T> = Result<T, &'static str>;

const NO_ANSWER: &str = "git does not say in time what it would show";

/// An answer is kept where its sources are known, and asked for each time where they are not (`None`).
impl<'a> GitQuery<'a> {
    /// `facts` are those about git's directory.
    pub(super) fn new(
        git: Git,
        facts: Arc<RepositoryFacts>,
        repositories: &'a RepositoryCache,
        work: &'a WorkBudget,
    ) -> Self {
        let git = git.without(&facts.drivers);
        Self {
            git,
            facts,
            repositories,
            work,
        }
    }

    /// The same repository asked in another directory; `None` where git finds another one there.
    pub(super) fn at(&self, directory: PathBuf) -> Option<Self> {
        let git = self.git.at(directory);
        let facts = if git.directory() == self.git.directory() {
            Arc::clone(&self.facts)
        } else {
            self.repositories.facts(&git)?
        };
        (facts.repository == self.facts.repository)
            .then(|| Self::new(git, facts, self.repositories, self.work))
    }

    /// Returns the names that git prints for these words, cut at NUL. A failure of git is no answer.
    pub(super) fn names(&self, words: &[&str], sources: Option<Sources>) -> Answer<Vec<String>> {
        let answer = self.ask(words, sources)?;
        if !answer.is_success {
            return Err(NO_ANSWER);
        }
        Ok(names_in(&answer).collect())
    }

    /// Returns true if git ends well with these words.
    pub(super) fn holds(&self, words: &[&str], sources: Option<Sources>) -> Answer<bool> {
        Ok(self.ask(words, sources)?.is_success)
    }

    /// The first line that git prints.
    pub(super) fn line(&self, words: &[&str], sources: Option<Sources>) -> Answer<Option<String>> {
        let answer = self.ask(words, sources)?;
        let text = String::from_utf8_lossy(&answer.stdout.bytes);
        let line = text.lines().next().map(str::to_owned);
        Ok(line.filter(|_| answer.is_success))
    }

    /// The names of the whole index, where this stands at the top of the work tree. It is the same answer for as long as
    /// they are; `None` where answers are not kept.
    pub(super) fn index(&self) -> Option<Arc<GitAnswer>> {
        if !self.repositories.keeps(&self.facts) {
            return None;
        }
        let answer = self.ask(&["ls-files", "-z"], Some(Sources::index())).ok()?;
        answer.is_success.then_some(answer)
    }

    fn ask(&self, words: &[&str], sources: Option<Sources>) -> Answer<Arc<GitAnswer>> {
        if !self.work.spend(STEPS) {
            return Err(TOO_MUCH_WORK);
        }
        let answer = match sources {
            Some(sources) => self
                .repositories
                .answer(&self.git, &self.facts, words, &sources, LIMITS),
            None => self
                .git
                .ask_together([words], LIMITS)
                .map(|[answer]| Arc::new(answer)),
        };
        answer
            .ok()
            .filter(|answer| !answer.stdout.is_cut)
            .ok_or(NO_ANSWER)
    }
}

/// The names in an answer of git.
pub(super) fn names_in(answer: &GitAnswer) -> impl Iterator<Item = String> {
    let names = answer.stdout.bytes.split(|byte| *byte == 0 || *byte == b'\n');
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned())
}
