//! Paths as they are written. Nothing here looks at the file system, so links are not followed.

use std::path::{Component, Path, PathBuf};

/// Takes `.` and `..` away by the letter. The parent of the root is the root.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_taken_away_by_the_letter() {
        for (path, plain) in [
            ("/a/./b/../c", "/a/c"),
            ("/../a", "/a"),
            ("/..", "/"),
            ("./a/b/.", "a/b"),
            ("a/../../b", "b"),
            ("a/..", ""),
        ] {
            assert_eq!(without_dots(Path::new(path)), Path::new(plain), "{path}");
        }
    }
}
