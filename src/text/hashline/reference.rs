//! Reading references: `5:89`, as generously as they are unmistakable.

use std::fmt;
use std::str::FromStr;

use super::Hash;

/// Characters of something else that are quoted.
const QUOTED_CHARS: usize = 60;

/// A line, and what it hashed to when it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reference {
    /// From 1.
    pub line: usize,
    pub hash: Hash,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a line reference; write LINE:HASH as `read` shows it, such as `5:89`")]
pub struct ReferenceError(String);

impl FromStr for Reference {
    type Err = ReferenceError;

    /// Blanks around it, the marks that a diff or a refusal puts before a line, upper-case digits and the line's text
    /// behind `|` make no difference.
    fn from_str(given: &str) -> Result<Self, ReferenceError> {
        let is_mark = |c: char| c.is_whitespace() || matches!(c, '>' | '+' | '-');
        let tag = given.split('|').next().unwrap_or_default();
        let tag = tag.trim_start_matches(is_mark).trim_end();
        let parsed = tag.split_once(':').and_then(|(line, hash)| {
            Some(Self {
                line: line_number(line)?,
                hash: Hash::from_digits(hash)?,
            })
        });
        parsed.ok_or_else(|| ReferenceError(given.chars().take(QUOTED_CHARS).collect()))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.hash)
    }
}

/// A number with too many digits is beyond the end of every file, which is told later.
fn line_number(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| digits.parse().unwrap_or(usize::MAX))?;
    (number > 0).then_some(number)
}
