//! The file that a card, or one row of it, is about.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A file or directory, whether or not it is there. As text it is its path and, behind a colon, the line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTarget {
    pub base: PathBase,
    /// As it came from outside: it may hold anything that a file's name can.
    pub path: String,
    /// Counted from 1.
    pub line: Option<usize>,
}

/// Directory in which a relative path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathBase {
    /// In the session's directory, as paths of arguments do.
    Session,
    /// In the project's root, as paths that tools answer with do.
    Project,
}

impl FileTarget {
    /// Makes the target of a path that stands in the arguments of a call.
    pub fn given(path: impl Into<String>) -> Self {
        Self {
            base: PathBase::Session,
            path: path.into(),
            line: None,
        }
    }

    /// Makes the target of a path that a tool answered with.
    pub fn shown(path: impl Into<String>) -> Self {
        Self {
            base: PathBase::Project,
            ..Self::given(path)
        }
    }

    pub fn at(self, line: Option<usize>) -> Self {
        Self { line, ..self }
    }

    /// Returns the target of a name in this directory.
    pub fn below(&self, name: &str) -> Self {
        Self {
            path: format!("{}/{name}", self.path.trim_end_matches('/')),
            line: None,
            ..*self
        }
    }

    /// Returns the path from the session's directory; that of the project's root is told.
    pub fn from_session(&self, project: &Path) -> String {
        match self.base {
            PathBase::Session => self.path.clone(),
            PathBase::Project => project.join(&self.path).to_string_lossy().into_owned(),
        }
    }
}

impl Display for FileTarget {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}
