//! The names under which a file is reached: its own, and those behind the links on the way to it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::text::path::without_dots;

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// Returns an absolute path, and what it becomes with each link on its way followed; the last is the real path as far as
/// something is there. A link that leads nowhere is followed as well.
pub(super) fn link_names(path: &Path) -> Vec<PathBuf> {
    let mut names = vec![path.to_owned()];
    let mut way = path.to_owned();
    while names.len() <= MAX_LINKS {
        match follow_first(&way) {
            FirstLink::Followed(next) => {
                names.push(without_dots(&next));
                way = next;
            }
            FirstLink::None(real) => {
                names.push(real);
                break;
            }
        }
    }
    names.dedup();
    names
}

enum FirstLink {
    /// The path behind it, which may have `..` after links that are still to be followed.
    Followed(PathBuf),
    /// There is none: the real path.
    None(PathBuf),
}

fn follow_first(path: &Path) -> FirstLink {
    let mut above = PathBuf::new();
    let mut components = path.components();
    while let Some(component) = components.next() {
        match component {
            Component::CurDir => {}
            // No link is before it, so this is the directory above.
            Component::ParentDir => drop(above.pop()),
            Component::Normal(name) => {
                let entry = above.join(name);
                if let Ok(target) = fs::read_link(&entry) {
                    return FirstLink::Followed(above.join(target).join(components.as_path()));
                }
                above = entry;
            }
            Component::RootDir | Component::Prefix(_) => above.push(component),
        }
    }
    FirstLink::None(above)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_on_the_way_gives_a_name() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("real/agents")).unwrap();
        symlink("conf", base.join(".lathe")).unwrap();
        symlink("real", base.join("conf")).unwrap();
        symlink("gone", base.join("real/agents/x.md")).unwrap();
        symlink("circle", base.join("circle")).unwrap();
        let names = link_names(&base.join(".lathe/agents/x.md"));
        let names: Vec<_> = names
            .iter()
            .map(|name| name.strip_prefix(&base).unwrap())
            .collect();
        assert_eq!(
            names,
            [
                Path::new(".lathe/agents/x.md"),
                Path::new("conf/agents/x.md"),
                Path::new("real/agents/x.md"),
                Path::new("real/agents/gone"),
            ]
        );
        assert_eq!(link_names(&base.join("a/b")), [base.join("a/b")]);
        symlink("deep/er", base.join("conf2")).unwrap();
        fs::create_dir_all(base.join("deep/er")).unwrap();
        symlink("conf2/../y", base.join("other")).unwrap();
        assert_eq!(link_names(&base.join("other")).last(), Some(&base.join("deep/y")));
        assert_eq!(link_names(&base.join("circle")), [base.join("circle")]);
    }
}
