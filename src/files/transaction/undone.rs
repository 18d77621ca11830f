//! The result of undoing what happened to one file.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undone {
    /// The file was as before.
    Nothing,
    Restored,
    /// Somebody else has changed it since; it was left alone.
    Foreign,
}
