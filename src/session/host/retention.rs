//! When sessions are removed, because nothing was said in them for as long as is configured.
//!
//! None goes without a word: one that became too old is announced when a screen starts, and removed when one starts a day
//! later or more. The list of sessions says a week before which ones these will be. One that is pinned stays, and so does
//! one that is open anywhere.

use std::collections::HashMap;
use std::time::Duration;

use crate::conversation::SessionId;
use crate::store::SessionRow;

/// Between the announcement of a removal and the removal.
pub(super) const NOTICE: Duration = Duration::from_hours(24);
/// An announcement that is older is made again: the setting may have been off meanwhile.
const REMEMBERED: Duration = Duration::from_hours(30 * 24);
/// The list of sessions says so this long before.
const FORESEEN: Duration = Duration::from_hours(7 * 24);

/// When the trees of sessions were written to last, by their roots, in milliseconds since the Unix epoch.
pub(super) struct LastWritten(HashMap<SessionId, i64>);

impl LastWritten {
    /// `rows` are all sessions.
    pub(super) fn of(rows: &[SessionRow]) -> Self {
        let parents: HashMap<&SessionId, &SessionId> = rows
            .iter()
            .filter_map(|row| Some((&row.id, row.parent.as_ref()?)))
            .collect();
        let mut last = HashMap::new();
        for row in rows {
            let mut root = &row.id;
            while let Some(parent) = parents.get(root) {
                root = parent;
            }
            let newest = last.entry(root.clone()).or_insert(row.updated);
            *newest = row.updated.max(*newest);
        }
        Self(last)
    }

    /// Returns how long nothing was written to a tree.
    pub(super) fn idle(&self, root: &SessionId, now: i64) -> Duration {
        let last = self.0.get(root).copied().unwrap_or(now);
        milliseconds(now - last)
    }

    /// Returns the time until a tree is removed, at most, where that is to be expected.
    pub(super) fn removed_in(&self, root: &SessionRow, kept_for: Duration, now: i64) -> Option<Duration> {
        let left = kept_for.saturating_sub(self.idle(&root.id, now));
        if root.marks.pinned || left > FORESEEN {
            return None;
        }
        if !left.is_zero() {
            return Some(left + NOTICE);
        }
        // One that was made before something more was said is not about this removal.
        let too_old_for = self.idle(&root.id, now).saturating_sub(kept_for);
        let announced = root.marks.announced.map(|then| milliseconds(now - then));
        let counts = |since: &Duration| *since <= too_old_for && *since <= REMEMBERED;
        Some(NOTICE.saturating_sub(announced.filter(counts).unwrap_or_default()))
    }
}

pub(super) fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

pub(super) fn milliseconds(count: i64) -> Duration {
    Duration::from_millis(u64::try_from(count).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{NewSession, SessionMarks, Store};

    const DAY: i64 = 86_400_000;
    const MONTH: Duration = Duration::from_hours(24 * 30);

    fn row(parent: Option<&SessionRow>, updated: i64, marks: SessionMarks) -> SessionRow {
        let store = Store::in_memory().unwrap();
        let id = SessionId::new();
        let session = NewSession {
            id: id.clone(),
            parent: None,
            project: "/p".into(),
            directory: "/p".into(),
            agent: "build".into(),
            model: None,
            title: String::new(),
        };
        store.create(&session).unwrap();
        SessionRow {
            parent: parent.map(|parent| parent.id.clone()),
            updated,
            marks,
            ..store.get(&id).unwrap().unwrap()
        }
    }

    #[test]
    fn a_session_goes_a_day_after_it_was_announced() {
        let now = 100 * DAY;
        let days = |days: u64| Some(Duration::from_hours(24 * days));
        let removed_in = |idle: i64, marks: SessionMarks| {
            let row = row(None, now - idle * DAY, marks);
            LastWritten::of(std::slice::from_ref(&row)).removed_in(&row, MONTH, now)
        };
        let announced = |days_ago: i64| SessionMarks {
            announced: Some(now - days_ago * DAY),
            ..SessionMarks::default()
        };
        let pinned = SessionMarks {
            pinned: true,
            ..announced(2)
        };
        assert_eq!(removed_in(22, SessionMarks::default()), None);
        assert_eq!(removed_in(25, SessionMarks::default()), days(6));
        assert_eq!(
            removed_in(31, SessionMarks::default()),
            days(1),
            "not announced yet"
        );
        assert_eq!(removed_in(31, announced(0)), days(1));
        assert_eq!(removed_in(31, announced(1)), days(0));
        assert_eq!(
            removed_in(33, announced(4)),
            days(1),
            "something was said after that"
        );
        assert_eq!(removed_in(80, announced(31)), days(1), "nobody remembers that");
        assert_eq!(removed_in(31, pinned), None);
        assert_eq!(
            removed_in(-5, SessionMarks::default()),
            None,
            "a clock that was set back"
        );
    }

    #[test]
    fn a_tree_is_as_old_as_its_newest_session() {
        let now = 100 * DAY;
        let root = row(None, 1, SessionMarks::default());
        let child = row(Some(&root), 2, SessionMarks::default());
        let grandchild = row(Some(&child), now - 3 * DAY, SessionMarks::default());
        let rows = [grandchild, root.clone(), child];
        assert_eq!(LastWritten::of(&rows).removed_in(&root, MONTH, now), None);
        assert_eq!(
            LastWritten::of(&rows[1..]).removed_in(&root, MONTH, now),
            Some(NOTICE)
        );
    }
}
