//! Range of lines to read, and the limit of what is shown at once.

const DEFAULT_LIMIT: usize = 2000;
/// Bytes of shown lines, each with its line break.
pub(super) const BYTE_BUDGET: usize = 51_200;

#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// From 1.
    pub(super) offset: usize,
    pub(super) limit: usize,
}

impl Window {
    /// Makes the window that was asked for. A value that makes no sense means the default.
    pub(super) fn new(offset: Option<i64>, limit: Option<i64>) -> Self {
        let positive = |number: i64| usize::try_from(number).ok().filter(|number| *number > 0);
        Self {
            offset: offset.and_then(positive).unwrap_or(1),
            limit: limit.and_then(positive).unwrap_or(DEFAULT_LIMIT),
        }
    }

    pub(super) fn contains(self, number: usize) -> bool {
        number >= self.offset && number - self.offset < self.limit
    }

    /// The last line that can be shown.
    pub(super) fn last(self) -> usize {
        self.offset.saturating_add(self.limit - 1)
    }
}
