//! Output of commands: plain text for people, JSON for programs, on stdout.

use std::io::{self, Write};

use serde_json::Value;

use super::failure::Failure;
use crate::session::query;
use crate::text::json::inert;
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::text::width::{pad, str_width};

/// Prints a text that is clean already.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Says a sentence on stderr. A stderr that is closed hears nothing.
pub(super) fn print_note(sentence: &str) {
    let _ = writeln!(io::stderr().lock(), "lathe: {}", sanitize(sentence));
}

/// Prints a value as one line.
pub(super) fn print_line(value: &Value) -> Result<(), Failure> {
    print(&format!("{}\n", inert(&value.to_string())))
}

/// Prints a value over several lines.
pub(super) fn print_json(value: &Value) -> Result<(), Failure> {
    print(&format!("{}\n", inert(&format!("{value:#}"))))
}

/// Returns a text as one line without control sequences.
pub(super) fn clean(text: &str) -> String {
    sanitize_line(text).into_owned()
}

/// Lays rows out in columns below their names.
pub(super) fn titled_table<const N: usize>(
    titles: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let titles = titles.map(str::to_owned);
    table(&std::iter::once(titles).chain(rows).collect::<Vec<_>>())
}

/// Lays rows out in columns, two blanks apart; the last column is as wide as it is.
pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = str_width(cell).max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (index, cell) in row.iter().enumerate() {
            if index + 1 == N {
                line.push_str(cell);
            } else {
                line.push_str(&pad(cell, widths[index]));
                line.push_str("  ");
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// `2025-11-21 09:14`, in the time zone of the machine.
pub(super) fn moment(milliseconds: i64) -> String {
    query::moment(milliseconds, &jiff::tz::TimeZone::system())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["a", "x", "one"], ["日本", "", "two three"], ["b", "yy", ""]];
        let text = table(&rows.map(|row| row.map(str::to_owned)));
        assert_eq!(text, "a     x   one\n日本      two three\nb     yy\n");
    }

    #[test]
    fn a_time_that_cannot_be_is_no_panic() {
        assert!(!moment(i64::MAX).is_empty() && !moment(0).is_empty());
    }
}
