//! Whether a command only reads: which program its name leads to, and what git would follow.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::repository::repository_config;
use super::{Setting, variable};
use crate::permission::command::{GitConfig, ReadOnly, ReadOnlyFacts, Simple, directory_operand, read_only};

/// Variables that send git to another repository than the one it stands in.
const GIT_ELSEWHERE: &[&str] = &["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

impl Setting<'_> {
    pub(super) fn read_only(&self, simple: &Simple, directories: &[PathBuf]) -> ReadOnly {
        if matches!(simple.program(), "cd" | "pushd") && !simple.has_assignments {
            let stays = directory_operand(simple)
                .is_some_and(|operand| self.outside(&operand, Some(directories)).is_empty());
            return if stays { ReadOnly::Yes } else { ReadOnly::No };
        }
        let path = variable(self.services, "PATH").unwrap_or_default();
        let project = self.services.roots.project_root();
        let is_function =
            |program: &str| variable(self.services, &format!("BASH_FUNC_{program}%%")).is_some();
        let is_system_program =
            |program: &str| !is_function(program) && is_system_program(program, path, project);
        let is_in_project = |path: &str| {
            let inside = |directory: &PathBuf| {
                let resolved = [self.resolve(path, directory), self.resolve_links(path, directory)];
                resolved[0].is_some() && resolved.iter().flatten().all(|resolved| resolved.inside)
            };
            directories.iter().all(inside)
        };
        let git_config = |given: Option<&str>| {
            if GIT_ELSEWHERE
                .iter()
                .any(|name| variable(self.services, name).is_some())
            {
                return GitConfig::Unknown("the environment names another repository".to_owned());
            }
            let mut texts = String::new();
            let mut is_any = false;
            for directory in directories {
                match repository_config(
                    &given.map_or_else(|| directory.clone(), |given| directory.join(given)),
                ) {
                    // One after the other they read as one file.
                    GitConfig::Text(text) => {
                        is_any = true;
                        texts.push_str(&text);
                        texts.push('\n');
                    }
                    GitConfig::NoRepository => {}
                    unknown @ GitConfig::Unknown(_) => return unknown,
                }
            }
            if is_any {
                GitConfig::Text(texts)
            } else {
                GitConfig::NoRepository
            }
        };
        let facts = ReadOnlyFacts {
            is_system_program: &is_system_program,
            is_in_project: &is_in_project,
            git_config: &git_config,
        };
        read_only(simple, &facts)
    }
}

/// Whether a name leads on the PATH to a program that neither lies nor points into the project. A path is never a system
/// program, and nor is anything on a PATH that depends on the directory.
fn is_system_program(program: &str, path: &std::ffi::OsStr, project: &Path) -> bool {
    if program.contains('/') {
        return false;
    }
    let is_executable = |file: &Path| {
        file.metadata()
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    for directory in std::env::split_paths(path) {
        if !directory.is_absolute() {
            return false;
        }
        let file = directory.join(program);
        if is_executable(&file) {
            let real = file.canonicalize();
            return !file.starts_with(project) && real.is_ok_and(|real| !real.starts_with(project));
        }
    }
    false
}
