//! Files below a directory and their differences, and calls of git and of `lathe worktrees`.

use super::{Command, Files, LINES, Lathe, Path, PathBuf, Project, Value, fs};

pub(super) fn worktrees(project: &Project, words: &[&str]) -> Lathe {
    Lathe::in_project(project).arg("worktrees").args(words)
}

/// Runs git and returns whether it worked, and what it printed.
pub(super) fn git(directory: &Path, words: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "gc.auto=0"])
        .args(words)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

pub(super) fn lines(name: &str) -> String {
    let lines: Vec<String> = (1..=LINES).map(|line| format!("{name} {line}\n")).collect();
    lines.concat()
}

pub(super) fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap().to_owned()
}

pub(super) fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

pub(super) fn files(root: &Path) -> Files {
    let mut found = Files::new();
    read_below(root, Path::new(""), &mut found);
    found.retain(|name, _| {
        !name.starts_with(".git/")
            && Path::new(name)
                .extension()
                .is_none_or(|extension| extension != "log")
    });
    found
}

pub(super) fn read_below(root: &Path, below: &Path, found: &mut Files) {
    for path in entries(&root.join(below)) {
        let name = below.join(path.file_name().unwrap());
        if path.is_dir() {
            read_below(root, &name, found);
        } else if let Ok(bytes) = fs::read(&path) {
            found.insert(name.to_str().unwrap().to_owned(), bytes);
        }
    }
}

pub(super) fn differing_names(one: &Files, other: &Files) -> Vec<String> {
    let names = one.keys().chain(other.keys());
    let mut names: Vec<String> = names
        .filter(|name| one.get(*name) != other.get(*name))
        .cloned()
        .collect();
    names.sort();
    names.dedup();
    names
}

pub(super) fn differing(expected: &Files, found: &Files) -> String {
    let shown = |files: &Files, name: &str| {
        let bytes = files.get(name);
        bytes.map_or("nothing".to_owned(), |bytes| {
            String::from_utf8_lossy(bytes).into_owned()
        })
    };
    let names = differing_names(expected, found).into_iter();
    let names = names.map(|name| {
        format!(
            "{name}: {:?} and not {:?}",
            shown(found, &name),
            shown(expected, &name)
        )
    });
    names.collect::<Vec<_>>().join("; ")
}
