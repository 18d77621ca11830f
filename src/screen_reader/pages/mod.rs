//! The pages of the full screen as lines: data in, lines of lathe's own out.

pub(super) mod changes;
pub(super) mod context;
pub(super) mod costs;
pub(super) mod export;
pub(super) mod grants;
pub(super) mod sessions;
pub(super) mod status;
pub(super) mod task_tree;
pub(super) mod undo;
