//! Finding out whether only commands changed a file since a session has read it.

use std::path::Path;

use super::Journal;
use crate::files::ContentHash;
use crate::store::{ChangeOrigin, FileImage, JournalRow, StoreError};

impl Journal {
    /// Returns true if the journal saw commands, and nothing else, change a file from the content with the hash `from` to
    /// the content with the hash `to`. `from` is a SHA-256 in hexadecimal.
    pub fn is_changed_by_commands(
        &self,
        path: &Path,
        from: &str,
        to: &ContentHash,
    ) -> Result<bool, StoreError> {
        let rows = self.store.changes_of_file(&self.tree, path)?;
        Ok(is_chain_of_commands(&rows, from, to.as_str()))
    }
}

/// Follows the changes of one file, which are in order, from the last one back to the content `from`.
fn is_chain_of_commands(rows: &[JournalRow], from: &str, to: &str) -> bool {
    let mut next = to;
    for row in rows.iter().rev() {
        if row.origin != ChangeOrigin::Command || content_hash(&row.file.after) != Some(next) {
            return false;
        }
        match &row.file.before {
            // The first command that changed a file which was only read: nothing had its content before.
            FileImage::Unknown => return true,
            FileImage::File { hash, .. } if hash == from => return true,
            FileImage::File { hash, .. } => next = hash,
            FileImage::Absent | FileImage::Link { .. } => return false,
        }
    }
    false
}

fn content_hash(image: &FileImage) -> Option<&str> {
    match image {
        FileImage::File { hash, .. } => Some(hash),
        FileImage::Absent | FileImage::Link { .. } | FileImage::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::store::JournalFile;

    fn file(hash: &str) -> FileImage {
        FileImage::File {
            hash: hash.to_owned(),
            mode: None,
        }
    }

    fn row(origin: ChangeOrigin, before: FileImage, after: &str) -> JournalRow {
        JournalRow {
            id: 0,
            change: 0,
            origin,
            file: JournalFile {
                path: PathBuf::from("/p/a"),
                before,
                after: file(after),
                parents: Vec::new(),
            },
        }
    }

    #[test]
    fn a_chain_of_commands_leads_back_to_what_was_read() {
        use ChangeOrigin::{Command, Lathe};
        let rows = [
            row(Lathe, file("a"), "b"),
            row(Command, file("b"), "c"),
            row(Command, file("c"), "d"),
        ];
        assert!(is_chain_of_commands(&rows, "b", "d"));
        assert!(is_chain_of_commands(&rows, "c", "d"));
        assert!(
            !is_chain_of_commands(&rows, "a", "d"),
            "a tool changed it as well"
        );
        assert!(
            !is_chain_of_commands(&rows, "b", "e"),
            "something else changed it last"
        );
        assert!(!is_chain_of_commands(&[], "a", "a"));
    }

    #[test]
    fn an_unknown_content_before_the_first_command_is_the_one_that_was_read() {
        use ChangeOrigin::Command;
        let rows = [
            row(Command, FileImage::Unknown, "b"),
            row(Command, file("b"), "c"),
        ];
        assert!(is_chain_of_commands(&rows, "a", "c"));
        let created = [row(Command, FileImage::Absent, "b")];
        assert!(!is_chain_of_commands(&created, "a", "b"));
    }
}
