//! `/export`: where the session is written to.

use crate::session::export::{ExportFormat, file_name};
use crate::session::query::{ExportOutcome, ExportRequest};
use crate::text::size::size_words;

/// Reads what stands behind the command: a file's name, of which the ending says the format; or nothing.
pub(in crate::screen_reader) fn keep(given: &str, title: &str) -> ExportRequest {
    let is_json = given.rsplit_once('.').is_some_and(|(_, ending)| ending == "json");
    let format = if is_json {
        ExportFormat::Json
    } else {
        ExportFormat::Markdown
    };
    let path = match given {
        "" => file_name(title, format),
        given => given.to_owned(),
    };
    ExportRequest {
        format,
        path,
        replace: false,
    }
}

pub(in crate::screen_reader) fn line(kept: &ExportOutcome) -> String {
    match kept {
        ExportOutcome::Written { path, bytes } => {
            format!(
                "The session was exported to {}, {}.",
                path.display(),
                size_words(*bytes as u64)
            )
        }
        ExportOutcome::Exists(path) => format!(
            "{} already exists; /export replace overwrites it.",
            path.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_says_the_format() {
        let keep = |given| {
            let ExportRequest { format, path, .. } = keep(given, "Fix it");
            (format, path)
        };
        assert_eq!(keep(""), (ExportFormat::Markdown, "lathe-fix-it.md".to_owned()));
        assert_eq!(keep("a b.json"), (ExportFormat::Json, "a b.json".to_owned()));
        assert_eq!(keep("notes"), (ExportFormat::Markdown, "notes".to_owned()));
    }
}
