//! Processes that live in a directory: those that stand in it, run from it, or have a file of it open.
//!
//! Found in `/proc`, as far as this user may look. Elsewhere nobody is found.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A process in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupant {
    pub pid: u32,
    /// Of its program, where that can be told.
    pub name: Option<String>,
    /// A path that it holds.
    pub path: PathBuf,
}

/// Returns the processes that live below a real directory, each once for every path that tells.
pub fn occupants(directory: &Path) -> Vec<Occupant> {
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = process.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(pid) = pid else { continue };
        let home = process.path();
        let mut held: Vec<PathBuf> = ["cwd", "root", "exe"]
            .iter()
            .filter_map(|name| fs::read_link(home.join(name)).ok())
            .collect();
        let open = fs::read_dir(home.join("fd")).into_iter().flatten().flatten();
        held.extend(open.filter_map(|file| fs::read_link(file.path()).ok()));
        held.retain(|path| path.starts_with(directory));
        held.sort_unstable();
        held.dedup();
        if held.is_empty() {
            continue;
        }
        let program = fs::read_link(home.join("exe")).ok();
        let name = program.as_deref().and_then(Path::file_name);
        let name = name.map(OsStr::to_string_lossy).map(Cow::into_owned);
        found.extend(held.into_iter().map(|path| Occupant {
            pid,
            name: name.clone(),
            path,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn whoever_stands_in_a_directory_or_has_a_file_of_it_open_is_found() {
        let held = tempfile::tempdir().unwrap();
        let directory = held.path().canonicalize().unwrap();
        assert_eq!(occupants(&directory), []);
        let mut child = Command::new("cat")
            .current_dir(&directory)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let is_child = |occupant: &Occupant| occupant.pid == child.id();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while occupants(&directory)
            .iter()
            .filter(|found| is_child(found))
            .count()
            == 0
        {
            assert!(std::time::Instant::now() < deadline);
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let open = File::create(directory.join("a")).unwrap();
        let found = occupants(&directory);
        assert!(
            found.iter().any(|found| found.pid == std::process::id()),
            "{found:?}"
        );
        assert!(found.iter().all(|found| found.path.ends_with("a")), "{found:?}");
        drop(open);
    }
}
