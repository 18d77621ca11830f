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
    "/usr/local/go/bin",
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
            path.is_some_and(|path| is_own_program(&path) && !is_proxy(program, &path))
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
    is_binary(path) && OF_SYSTEM.iter().any(|place| path.starts_with(place))
}

fn is_binary(path: &Path) -> bool {
    let beginning = RegularFile::open(path).and_then(|file| file.read_beginning(4));
    beginning.is_ok_and(|magic| magic == *b"\x7fELF" || magic == [0xcf, 0xfa, 0xed, 0xfe])
}

/// Returns true if a file may be a proxy that runs what a file of the project names: rustup's for a toolchain, or one for
/// versions of Node.js and its package managers. `path` has its links resolved, so a link to a proxy has the proxy's name; a
/// proxy of rustup without links lies beside `rustup`.
fn is_proxy(program: &str, path: &Path) -> bool {
    let is_program = || path.file_name().is_some_and(|name| name == program);
    match program {
        "cargo" | "rustc" | "rustdoc" | "rustfmt" => !is_program() || path.with_file_name("rustup").exists(),
        "bun" | "deno" | "go" | "npm" | "npx" | "pnpm" | "uv" | "yarn" => !is_program(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn a_proxy_has_another_name_or_lies_beside_its_manager() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        assert!(!is_proxy("cargo", &path("cargo")));
        assert!(!is_proxy("go", &path("go")));
        assert!(!is_proxy("python3", &path("python3.11")));
        for program in ["npm", "yarn", "go"] {
            assert!(is_proxy(program, &path("volta-shim")), "{program}");
        }
        assert!(is_proxy("rustfmt", &path("rustup")));
        File::create(path("rustup")).unwrap();
        assert!(is_proxy("cargo", &path("cargo")));
    }

    #[test]
    fn a_script_is_no_binary() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("npm");
        fs::write(&path, "#!/usr/bin/env node\n").unwrap();
        assert!(!is_binary(&path));
        fs::write(&path, b"\x7fELF and more").unwrap();
        assert!(is_binary(&path));
        assert!(!is_own_program(&path), "it lies in no directory of the system");
    }
}
