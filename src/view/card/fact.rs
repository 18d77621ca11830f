//! Short facts behind a card's title.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::text::count::{grouped, noun_of};
use crate::view::spinner;

/// One fact about a call. As text it is what stands in the title's line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// Lines that came and lines that went: `+6 −2`, with a true minus sign.
    Changed {
        added: usize,
        removed: usize,
    },
    /// `4 matches`
    Count {
        number: usize,
        /// In the singular.
        noun: Cow<'static, str>,
        /// Counting was stopped, so that there may be more: `500+ matches`.
        is_least: bool,
    },
    /// Lines that a program printed: `3,012 lines`.
    Printed(u64),
    /// So many lines at the end of what was printed are what the model has read.
    Seen(u64),
    /// The status of a program: `exit 101`.
    Exit(i32),
    /// The number of the signal that ended a program: `signal 9`.
    Signal(i32),
    TimedOut,
    /// The time that what the call is about took. It stands where the call's own would.
    Took(Duration),
    /// In words of the tool.
    Text(String),
}

impl Fact {
    pub fn changed(added: usize, removed: usize) -> Self {
        Self::Changed { added, removed }
    }

    pub fn count(number: usize, noun: &'static str) -> Self {
        Self::Count {
            number,
            noun: noun.into(),
            is_least: false,
        }
    }
}

impl Display for Fact {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { added, removed } => write!(f, "+{added} \u{2212}{removed}"),
            Self::Count {
                number,
                noun,
                is_least,
            } => {
                let plus = if *is_least { "+" } else { "" };
                write!(f, "{number}{plus} {}", noun_of(*number, noun))
            }
            Self::Printed(lines) => write!(f, "{} lines", grouped(*lines)),
            Self::Seen(lines) => write!(f, "the model saw the last {}", grouped(*lines)),
            Self::Exit(status) => write!(f, "exit {status}"),
            Self::Signal(number) => write!(f, "signal {number}"),
            Self::TimedOut => f.write_str("timed out"),
            Self::Took(time) => f.write_str(&spinner::elapsed(*time)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<String> for Fact {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Fact {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// So that a test can say which words stand on screen.
#[cfg(test)]
impl PartialEq<&str> for Fact {
    fn eq(&self, words: &&str) -> bool {
        self.to_string().as_str() == *words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_short_words() {
        let matches = |number, is_least| Fact::Count {
            number,
            noun: "match".into(),
            is_least,
        };
        let facts = [
            Fact::Changed { added: 6, removed: 2 },
            Fact::count(1, "entry"),
            matches(4, false),
            matches(500, true),
            Fact::Printed(3012),
            Fact::Seen(2000),
            Fact::Exit(101),
            Fact::Signal(9),
            Fact::TimedOut,
            "created".into(),
        ];
        let words = [
            "+6 −2",
            "1 entry",
            "4 matches",
            "500+ matches",
            "3,012 lines",
            "the model saw the last 2,000",
            "exit 101",
            "signal 9",
            "timed out",
            "created",
        ];
        assert_eq!(facts.as_slice(), words.as_slice());
    }
}
