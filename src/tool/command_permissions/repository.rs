//! Configuration of the repository that git would use in a directory, found as git finds it.
//!
//! Git runs programs that a repository names, and a project can bring a repository within itself as plain files. What is
//! not exactly a work tree with its own `.git` is therefore not vouched for, and nor are submodules that name programs.

use std::path::Path;

use super::git_directory::{has_hook, is_there, read_config, unknown};
use super::submodules;
use crate::permission::command::GitConfig;

pub(super) fn repository_config(start: &Path) -> GitConfig {
    let Ok(start) = start.canonicalize() else {
        return unknown("its directory cannot be found");
    };
    let mut passed_by = None;
    for directory in start.ancestors() {
        let has = |name: &str| is_there(&directory.join(name));
        let dot_git = directory.join(".git");
        if dot_git.is_file() {
            return unknown("it is a linked work tree");
        }
        if has(".git/HEAD") && has(".git/objects") && has(".git/refs") {
            return of_work_tree(directory, &dot_git);
        }
        if dot_git.is_dir() {
            // Git looks on; until somebody completes it.
            passed_by = passed_by.or(Some(read_config(&dot_git.join("config"))));
        }
        // `HEAD` may be a link that leads nowhere, and the objects may lie elsewhere.
        if has("HEAD") && (has("objects") || has("commondir")) {
            return unknown("it is a repository without a work tree");
        }
    }
    passed_by.unwrap_or(GitConfig::NoRepository)
}

fn of_work_tree(work_tree: &Path, dot_git: &Path) -> GitConfig {
    if is_there(&dot_git.join("commondir")) {
        return unknown("it is a linked work tree");
    }
    if has_hook(dot_git) {
        return unknown("it has the hook post-index-change");
    }
    match read_config(&dot_git.join("config")) {
        GitConfig::Text(text) => match submodules::danger(work_tree, dot_git, &text) {
            None => GitConfig::Text(text),
            Some(reason) => GitConfig::Unknown(reason),
        },
        unknown => unknown,
    }
}
