//! Permission keys: the names that asks and answers are about.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A permission key: that of a family of tools, or a tool's own name. Names that a build does not know are keys too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PermissionKey(Cow<'static, str>);

impl PermissionKey {
    pub const READ: Self = Self::own("read");
    pub const EDIT: Self = Self::own("edit");
    /// Writes to special paths.
    pub const PROTECTED: Self = Self::own("protected");
    pub const BASH: Self = Self::own("bash");
    pub const EXTERNAL_DIRECTORY: Self = Self::own("external_directory");
    pub const DOOM_LOOP: Self = Self::own("doom_loop");
    /// A call that a hook asks about.
    pub const HOOK: Self = Self::own("hook");

    /// Makes a key of lathe's own; a tool's is its name.
    pub const fn own(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Makes a key of any name.
    pub fn named(name: impl Into<String>) -> Self {
        Self(Cow::Owned(name.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for PermissionKey {
    fn eq(&self, name: &str) -> bool {
        self.as_str() == name
    }
}

impl fmt::Display for PermissionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
