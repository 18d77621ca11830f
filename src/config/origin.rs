//! Author of a configuration file, which decides what it may say.

/// Author of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The user, for every project.
    Global,
    /// Whoever wrote the project; not necessarily the user.
    Project,
    /// The user, for this process (`--config`).
    Extra,
    /// The machine's administrator: rules that nobody loosens.
    Managed,
}
