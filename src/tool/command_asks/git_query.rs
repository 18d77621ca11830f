//! Questions to git about what a command would show.

use std::time::Duration;

use crate::process::git::{Git, GitAnswer, Limits};

/// One answer takes no longer, and more is not read of it.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(2),
    bytes: 8 << 20,
};

/// Git in a directory, with the drivers of its repository left out.
pub(super) struct GitQuery(pub(super) Git);

/// Git gave no answer in time, or one that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoAnswer;

impl GitQuery {
    /// Returns the names that git prints for these words, cut at NUL. A failure of git is no answer.
    pub(super) fn names(&self, words: &[&str]) -> Result<Vec<String>, NoAnswer> {
        let answer = self.ask(words)?;
        if !answer.is_success {
            return Err(NoAnswer);
        }
        let names = answer.stdout.bytes.split(|byte| *byte == 0 || *byte == b'\n');
        let names = names.filter(|name| !name.is_empty());
        Ok(names
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect())
    }

    /// Returns true if git ends well with these words.
    pub(super) fn holds(&self, words: &[&str]) -> Result<bool, NoAnswer> {
        Ok(self.ask(words)?.is_success)
    }

    /// The first line that git prints.
    pub(super) fn line(&self, words: &[&str]) -> Result<Option<String>, NoAnswer> {
        let answer = self.ask(words)?;
        let text = String::from_utf8_lossy(&answer.stdout.bytes);
        let line = text.lines().next().map(str::to_owned);
        Ok(line.filter(|_| answer.is_success))
    }

    fn ask(&self, words: &[&str]) -> Result<GitAnswer, NoAnswer> {
        let [answer] = self.0.ask_together([words], LIMITS).map_err(|_| NoAnswer)?;
        if answer.stdout.is_cut {
            return Err(NoAnswer);
        }
        Ok(answer)
    }
}
