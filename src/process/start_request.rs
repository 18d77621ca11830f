//! A program to be started, as the keeper and this process are told of it.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use super::sandbox::Confinement;

/// A program to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    pub(super) cwd: PathBuf,
    /// All of the environment: nothing is inherited.
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) confinement: Option<Confinement>,
}

/// Input and outputs of a program.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}
