//! True if a command has the form of one that only reads: which program its name leads to, and where it lies.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Setting, variable};
use crate::permission::command::{Form, ReadOnlyFacts, Simple, read_only};
use crate::regular_file::RegularFile;

/// Where programs are that the system brings, links resolved.
const OF_SYSTEM: &[&str] = &[
    "/usr/bin",
    "/usr/local/bin",
    "/usr/lib",
    "/bin",
    "/opt",
    "/nix/store",
];

impl Setting<'_> {
    pub(super) fn form(&self, simple: &Simple, directories: &[PathBuf]) -> Option<Form> {
        let is_system_program = |program: &str| self.program(program).is_some();
        let is_no_shim = |program: &str| self.program(program).is_some_and(|path| is_own_program(&path));
        let is_in_project = |path: &str| {
            let inside = |directory: &PathBuf| {
                let resolved = [self.resolve(path, directory), self.resolve_links(path, directory)];
                resolved[0].is_some() && resolved.iter().flatten().all(|resolved| resolved.inside)
            };
            directories.iter().all(inside)
        };
        let facts = ReadOnlyFacts {
            is_system_program: &is_system_program,
            is_no_shim: &is_no_shim,
            is_in_project: &is_in_project,
        };
        read_only(simple, &facts)
    }

    /// The file that a name leads to on the PATH, links resolved, if it neither lies nor points into the project. A path
    /// is never a system program, and nor is anything on a PATH that depends on the directory.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        if variable(self.services, &format!("BASH_FUNC_{name}%%")).is_some() || name.contains('/') {
            return None;
        }
        let path = variable(self.services, "PATH").unwrap_or_default();
        let project = self.services.roots.project_root();
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
}

fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Returns true if a file is a program of the system's and no script that looks for one.
fn is_own_program(path: &Path) -> bool {
    let is_binary = RegularFile::open(path)
        .and_then(|file| file.read_beginning(4))
        .is_ok_and(|magic| magic == *b"\x7fELF" || magic == [0xcf, 0xfa, 0xed, 0xfe]);
    is_binary && OF_SYSTEM.iter().any(|place| path.starts_with(place))
}
