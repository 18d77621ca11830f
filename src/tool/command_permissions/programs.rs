//! True if a command has the form of one that only reads: which program its name leads to, and where it lies.

use std::path::{Path, PathBuf};

use super::CommandContext;
use crate::permission::command::{Form, ReadOnlyFacts, Simple, read_only};
use crate::process::find_program;
use crate::regular_file::RegularFile;

/// Directories of the system's own programs, links resolved.
const OF_SYSTEM: &[&str] = &[
    "/usr/bin",
    "/usr/local/bin",
    "/usr/lib",
    "/bin",
    "/opt",
    "/nix/store",
];

impl CommandContext<'_> {
    pub(super) fn form(&self, simple: &Simple, directories: &[PathBuf]) -> Option<Form> {
        let is_system_program = |program: &str| self.program(program).is_some();
        let is_no_shim = |program: &str| {
            let path = self.program(program);
            path.is_some_and(|path| is_own_program(&path) && !is_rustup_proxy(program, &path))
        };
        let is_in_project = |path: &str| {
            directories
                .iter()
                .all(|directory| self.is_inside(path, directory))
        };
        let facts = ReadOnlyFacts {
            is_system_program: &is_system_program,
            is_no_shim: &is_no_shim,
            is_in_project: &is_in_project,
        };
        read_only(simple, &facts)
    }

    /// The program of the system's that a name stands for in the session's environment.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        if self.services.variable(&format!("BASH_FUNC_{name}%%")).is_some() {
            return None;
        }
        let path = self.services.variable("PATH").unwrap_or_default();
        find_program(name, path, self.services.roots.project_root())
    }
}

/// Returns true if a file is a program of the system's and no script that looks for one.
fn is_own_program(path: &Path) -> bool {
    let is_binary = RegularFile::open(path)
        .and_then(|file| file.read_beginning(4))
        .is_ok_and(|magic| magic == *b"\x7fELF" || magic == [0xcf, 0xfa, 0xed, 0xfe]);
    is_binary && OF_SYSTEM.iter().any(|place| path.starts_with(place))
}

/// Returns true if a file may be a proxy of rustup, which runs the toolchain that a file of the project names. `path` has its
/// links resolved; a proxy without links lies beside `rustup`.
fn is_rustup_proxy(program: &str, path: &Path) -> bool {
    let is_program = path.file_name().is_some_and(|name| name == program);
    matches!(program, "cargo" | "rustc") && (!is_program || path.with_file_name("rustup").exists())
}
