//! Calls of commands that only read.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::process::git::Drivers;

/// A call that only reads, and what it needs to be run confined to that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadsOnly {
    /// The programs that it names; absolute, links resolved, without the shell.
    pub(super) programs: Vec<PathBuf>,
    /// `None` when it does not run git.
    pub(super) git: Option<GitReads>,
}

/// Requirements for disarming the git of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitReads {
    /// The drivers that are configured in the repositories that it looks into.
    pub(super) drivers: Drivers,
    /// The filters among them that would change what it compares.
    pub(super) filters: BTreeSet<String>,
}
