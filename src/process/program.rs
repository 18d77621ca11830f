//! Programs that lathe starts without a question, found where the system has them.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file that a name leads to on a PATH, links resolved, if it neither lies nor points into the project. A name with a
/// slash is none, and nor is anything on a PATH that depends on the directory.
pub fn find_program(name: &str, path: &OsStr, project: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return None;
    }
    for directory in std::env::split_paths(path) {
        if !directory.is_absolute() {
            return None;
        }
        let file = directory.join(name);
        if is_executable(&file) {
            let real = file.canonicalize().ok()?;
            return (!file.starts_with(project) && !real.starts_with(project)).then_some(real);
        }
    }
    None
}

pub(super) fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_program_of_the_project_or_of_a_relative_place_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for place in ["project/bin", "system"] {
            fs::create_dir_all(root.join(place)).unwrap();
        }
        let file = root.join("system/git");
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let project = root.join("project");
        let find = |path: &str| {
            let path = path.replace("ROOT", root.to_str().unwrap());
            find_program("git", OsStr::new(&path), &project)
        };
        assert_eq!(find("ROOT/nowhere:ROOT/system"), Some(file.clone()));
        assert_eq!(find("bin:ROOT/system"), None);
        assert_eq!(find(".:ROOT/system"), None);
        fs::copy(&file, project.join("bin/git")).unwrap();
        assert_eq!(find("ROOT/project/bin:ROOT/system"), None);
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(project.join("bin/git"), &file).unwrap();
        assert_eq!(find("ROOT/system"), None);
    }
}
