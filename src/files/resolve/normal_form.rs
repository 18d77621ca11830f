//! Names that are the same text in another form of Unicode: a keyboard and a model write composed letters, macOS and some
//! archives keep decomposed ones.

use std::fs;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization as _;

/// Entries of a directory that are compared with a name.
const MOST_ENTRIES: usize = 20_000;

/// Returns the path of the file that exists under the names of `path`, each in whatever form. A name that is there as it
/// is written stays, as does what is behind the first one that is not found.
pub(super) fn existing(path: PathBuf) -> PathBuf {
    let is_plain = path.as_os_str().as_encoded_bytes().is_ascii();
    if is_plain || fs::symlink_metadata(&path).is_ok() {
        return path;
    }
    let mut found = PathBuf::new();
    let mut components = path.components();
    for component in components.by_ref() {
        let next = found.join(component);
        if fs::symlink_metadata(&next).is_ok() {
            found = next;
            continue;
        }
        match same_name(&found, component) {
            Some(name) => found = name,
            None => return next.join(components.as_path()),
        }
    }
    found
}

/// Returns the one entry of a directory whose name is the same text.
fn same_name(directory: &Path, component: Component<'_>) -> Option<PathBuf> {
    let name = component.as_os_str().to_str().filter(|name| !name.is_ascii())?;
    let composed: String = name.nfc().collect();
    let entries = fs::read_dir(directory).ok()?.take(MOST_ENTRIES).flatten();
    let mut same = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_str()
            .is_some_and(|name| !name.is_ascii() && name.nfc().eq(composed.chars()))
    });
    let first = same.next()?;
    same.next().is_none().then(|| first.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_either_form() {
        let directory = tempfile::tempdir().unwrap();
        let composed = "d\u{e9}j\u{e0} vu";
        let decomposed: String = composed.nfd().collect();
        for (there, asked) in [(&*decomposed, composed), (composed, &*decomposed)] {
            let inner = directory.path().join(there);
            fs::create_dir_all(&inner).unwrap();
            fs::write(inner.join(there), "").unwrap();
            let asked = directory.path().join(asked).join(asked);
            assert_eq!(existing(asked), inner.join(there));
            fs::remove_dir_all(&inner).unwrap();
        }
    }

    #[test]
    fn what_is_there_or_nowhere_keeps_its_form() {
        let directory = tempfile::tempdir().unwrap();
        let composed = directory.path().join("\u{e9}");
        let decomposed = directory.path().join("e\u{301}");
        assert_eq!(existing(decomposed.clone()), decomposed);
        assert_eq!(existing(decomposed.join("a")), decomposed.join("a"));
        fs::write(&composed, "").unwrap();
        fs::write(&decomposed, "").unwrap();
        assert_eq!(existing(composed.clone()), composed);
        assert_eq!(existing(decomposed.clone()), decomposed);
        // Case is no form.
        assert_eq!(
            existing(directory.path().join("\u{c9}")),
            directory.path().join("\u{c9}")
        );
    }
}
