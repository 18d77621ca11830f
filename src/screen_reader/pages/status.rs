//! `/status all`: how the session, the model, what was read and the process stand.

use crate::session::query::StatusGroup;

pub(in crate::screen_reader) fn lines(groups: &[StatusGroup]) -> Vec<String> {
    let mut lines = Vec::new();
    for group in groups {
        lines.push(format!("{}.", group.title));
        let rows = group.rows.iter();
        lines.extend(rows.map(|(name, value)| format!("{name}: {value}")));
    }
    lines
}
