//! The files that the session's calls have written.

use crate::tool::WrittenFile;

/// In the order in which they were first changed.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    files: Vec<ChangedFile>,
}

/// Lines are added up over all calls: what was written and taken back counts twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedFile {
    pub(super) path: String,
    pub(super) additions: usize,
    pub(super) deletions: usize,
    pub(super) is_gone: bool,
}

impl ChangedFiles {
    pub(super) fn files(&self) -> &[ChangedFile] {
        &self.files
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the lines that came and went in all files.
    pub(super) fn sums(&self) -> (usize, usize) {
        let sum = |of: fn(&ChangedFile) -> usize| self.files.iter().map(of).sum();
        (sum(|file| file.additions), sum(|file| file.deletions))
    }

    pub(super) fn note(&mut self, written: WrittenFile) {
        let WrittenFile {
            path,
            moved_to,
            is_gone,
            additions,
            deletions,
        } = written;
        if additions + deletions == 0 && moved_to.is_none() && !is_gone {
            return;
        }
        let known = self.files.iter().position(|file| file.path == path);
        let place = known.unwrap_or_else(|| {
            self.files.push(ChangedFile {
                path,
                additions: 0,
                deletions: 0,
                is_gone,
            });
            self.files.len() - 1
        });
        let file = &mut self.files[place];
        file.additions += additions;
        file.deletions += deletions;
        file.is_gone = is_gone;
        if let Some(path) = moved_to {
            file.path = path;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(written: impl IntoIterator<Item = WrittenFile>) -> Vec<(String, usize, usize)> {
        let mut changed = ChangedFiles::default();
        written.into_iter().for_each(|file| changed.note(file));
        let files = changed.files().iter();
        files
            .map(|file| (file.path.clone(), file.additions, file.deletions))
            .collect()
    }

    #[test]
    fn lines_of_one_file_are_added_up() {
        let files = [
            WrittenFile::new("a.rs", 6, 2),
            WrittenFile::new("b.rs", 9, 0),
            WrittenFile::new("a.rs", 1, 1),
        ];
        let wanted = [("a.rs".to_owned(), 7, 3), ("b.rs".to_owned(), 9, 0)];
        assert_eq!(changed(files), wanted);
    }

    #[test]
    fn a_file_that_moved_goes_on_under_its_new_name() {
        let moved = WrittenFile {
            moved_to: Some("b.rs".to_owned()),
            ..WrittenFile::new("a.rs", 1, 0)
        };
        assert_eq!(
            changed([moved, WrittenFile::new("b.rs", 1, 1)]),
            [("b.rs".to_owned(), 2, 1)]
        );
    }

    #[test]
    fn what_changed_no_line_is_not_there_unless_it_is_gone() {
        let gone = WrittenFile {
            is_gone: true,
            ..WrittenFile::new("b.rs", 0, 0)
        };
        assert_eq!(
            changed([WrittenFile::new("a.rs", 0, 0), gone]),
            [("b.rs".to_owned(), 0, 0)]
        );
    }
}
