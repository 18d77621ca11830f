//! A tool's presentation of a call, without knowing the screen.
//!
//! A tool's `render_call` and `render_result` return a [`Card`]; the TUI lays it out, headless output prints it plainly.
//! One grammar: `gutter title argument · meta · meta        time`, then the body. A card holds text as it came from outside;
//! laying it out sanitises it.

mod fact;
mod layout;
mod lines;
mod plain;
mod printed;
mod source;
mod target;
mod tone;

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use super::status::CardStatus;
use crate::conversation::SessionId;
pub use fact::Fact;
pub use layout::{CardLook, CardRow, header, lay_out, lay_out_argument, lay_out_body};
pub use lines::{Tone, ToneLine, ToneSpan};
pub use plain::plain;
pub use source::{Asides, SourceNotes, push_source, source};
pub use target::{FileTarget, PathBase};
pub(crate) use tone::tone_style;

/// One call, drawn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// `Read`, `Edit`, `Bash` …
    pub title: String,
    /// The words by which a person would name the call: a path with its range, a command, a pattern.
    pub argument: String,
    /// Of the argument, where it is source; empty where it is not.
    pub language: Cow<'static, str>,
    /// The file that the call as a whole is about, where it is about one.
    pub target: Option<FileTarget>,
    /// The session that the call is about, of a task.
    pub session: Option<SessionId>,
    /// The argument tells the call apart from others like it: facts are left out before it is cut.
    #[serde(default)]
    pub keeps_argument: bool,
    /// Short facts: `+6 −2`, `exit 101`, `4 matches`.
    pub meta: Vec<Fact>,
    /// The time after which the call is stopped, while it runs.
    #[serde(default)]
    pub limit: Option<Duration>,
    /// Set by a tool whose call ran to its end but deserves a look (exit code not 0).
    pub look: bool,
    pub body: Vec<CardPart>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardPart {
    /// Plain text, wrapped.
    Text(String),
    /// Source, highlighted and never wrapped.
    Code(Code),
    /// A unified diff with three lines of context.
    Diff(DiffBody),
    Markdown(String),
    /// Rows of short cells.
    Table {
        head: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    /// Nested names, each with its depth.
    Tree(Vec<TreeRow>),
    /// Lines with tones, for what the other kinds cannot say: check lists, matches. They are cut, not wrapped.
    Lines(Vec<ToneLine>),
    /// Lines that a program printed in its own colours, wrapped like text.
    Printed(Vec<ToneLine>),
    /// Says how much is left out here: `23 lines above`.
    Omitted(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Code {
    pub text: String,
    /// A file name, an extension or a language's name; empty for none.
    pub language: String,
    /// Numbers the lines from here: they are lines of the card's file.
    pub first_line: Option<usize>,
    /// A long line goes on below instead of being cut.
    pub wraps: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DiffBody {
    /// As the tool answers with it; as the arguments give it while the diff has no place.
    pub path: String,
    pub unified: String,
    /// Draw at most this many lines and say how many hunks are left out; 0 for all.
    pub max_lines: usize,
    /// True if the position in the file is not known yet: no line numbers are drawn.
    pub is_unplaced: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeRow {
    pub depth: usize,
    pub text: String,
}

impl DiffBody {
    /// Returns its file at a line of the new text, or without one as long as the lines have no numbers.
    pub fn target(&self, line: Option<usize>) -> FileTarget {
        if self.is_unplaced {
            FileTarget::given(&self.path)
        } else {
            FileTarget::shown(&self.path).at(line)
        }
    }
}

impl Card {
    pub fn new(title: impl Into<String>, argument: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            argument: argument.into(),
            ..Self::default()
        }
    }

    /// Colours the argument as source of this language.
    pub fn written_in(mut self, language: &'static str) -> Self {
        self.language = language.into();
        self
    }

    /// Makes the card of a call that is about a file, which is named by its path and line.
    pub fn of_file(title: impl Into<String>, target: FileTarget) -> Self {
        let argument = target.to_string();
        Self {
            target: Some(target),
            ..Self::new(title, argument)
        }
    }

    pub fn meta(mut self, fact: impl Into<Fact>) -> Self {
        self.meta.push(fact.into());
        self
    }

    /// Returns the facts that stand behind the argument.
    pub(super) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.meta.iter().filter(|fact| !matches!(fact, Fact::Took(_)))
    }

    /// Returns the time to show in place of the call's own, where there is one.
    pub(super) fn took(&self) -> Option<Duration> {
        self.meta.iter().find_map(|fact| match fact {
            Fact::Took(time) => Some(*time),
            _ => None,
        })
    }

    pub fn part(mut self, part: CardPart) -> Self {
        self.body.push(part);
        self
    }

    /// Says beneath what there is so far how much is left out, if anything is.
    pub fn leaving_out(self, count: usize, told: impl FnOnce(usize) -> String) -> Self {
        match count {
            0 => self,
            count => self.part(CardPart::Omitted(told(count))),
        }
    }
}
