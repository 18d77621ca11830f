//! Indentation that was not looked at when the lines of a patch were found.

use std::fmt;

/// The indentation of a line in a patch, and of the line of the file that it was found as.
///
/// Shown, it reads `4 spaces in the patch, 1 tab in the file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndentationMismatch {
    patch: String,
    file: String,
}

impl IndentationMismatch {
    /// Returns the first difference between the lines of a patch and those that they were found as. Blank lines have no
    /// indentation.
    pub(super) fn first<'a>(
        patch: impl Iterator<Item = &'a str>,
        file: impl Iterator<Item = &'a str>,
    ) -> Option<Self> {
        let mut lines = patch.zip(file).filter(|(line, _)| !line.trim().is_empty());
        lines.find_map(|(patch, file)| {
            let (patch, file) = (indentation(patch), indentation(file));
            (patch != file).then(|| Self {
                patch: patch.to_owned(),
                file: file.to_owned(),
            })
        })
    }
}

impl fmt::Display for IndentationMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (patch, file) = (describe(&self.patch), describe(&self.file));
        write!(f, "{patch} in the patch, {file} in the file")
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

fn describe(indentation: &str) -> String {
    let count = indentation.chars().count();
    let is_all = |wanted| indentation.chars().all(|c| c == wanted);
    match count {
        0 => "nothing".to_owned(),
        1 if is_all(' ') => "1 space".to_owned(),
        1 if is_all('\t') => "1 tab".to_owned(),
        _ if is_all(' ') => format!("{count} spaces"),
        _ if is_all('\t') => format!("{count} tabs"),
        _ => format!("{indentation:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_in_indentation_is_described() {
        let first = |patch: &str, file: &str| {
            let mismatch = IndentationMismatch::first(patch.lines(), file.lines());
            mismatch.map(|mismatch| mismatch.to_string())
        };
        assert_eq!(first("a\n  b\n", "a\n  b\n"), None);
        assert_eq!(first("a\n    \n", "a\n\n"), None);
        for (patch, file, expected) in [
            ("a\n    b", "a\n\tb", "4 spaces in the patch, 1 tab in the file"),
            ("\t\ta", " a", "2 tabs in the patch, 1 space in the file"),
            ("a", "\t a", "nothing in the patch, \"\\t \" in the file"),
        ] {
            assert_eq!(first(patch, file).as_deref(), Some(expected));
        }
    }
}
