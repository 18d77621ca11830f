//! Files that have to be executable for a program to start: itself, the interpreters of scripts, the dynamic loader.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::regular_file::RegularFile;

/// The kernel follows four scripts that interpret scripts, and no more.
const MAX_DEPTH: usize = 5;
/// Headers and first lines are shorter.
const HEAD: u64 = 4096;
/// The kind of the part of a program that names its loader.
const INTERPRETER: u32 = 3;

/// The programs and what they need, links resolved, each once. What is no file is left out.
pub(super) fn with_interpreters(programs: &[PathBuf], path: Option<&OsStr>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for program in programs {
        add(program, path, MAX_DEPTH, &mut found);
    }
    found
}

fn add(program: &Path, path: Option<&OsStr>, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(real) = program.canonicalize() else { return };
    if depth == 0 || found.contains(&real) {
        return;
    }
    let head = head(&real).unwrap_or_default();
    found.push(real);
    let needed = match head.strip_prefix(b"#!") {
        Some(line) => script_interpreters(line, path),
        None => loader(&head).into_iter().collect(),
    };
    for program in needed {
        add(&program, path, depth - 1, found);
    }
}

fn head(file: &Path) -> Option<Vec<u8>> {
    RegularFile::open(file).ok()?.read_beginning(HEAD).ok()
}

/// The interpreter of a script, and the program that it in turn starts when it is `env`.
fn script_interpreters(line: &[u8], path: Option<&OsStr>) -> Vec<PathBuf> {
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(OsStr::from_bytes);
    let Some(interpreter) = words.next().map(PathBuf::from) else {
        return Vec::new();
    };
    let is_env = interpreter.file_name() == Some(OsStr::new("env"));
    let named = words
        .find(|word| !word.as_bytes().starts_with(b"-"))
        .filter(|_| is_env)
        .and_then(|name| on_path(name, path));
    [Some(interpreter), named].into_iter().flatten().collect()
}

fn on_path(name: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    let is_executable = |file: &PathBuf| {
        file.metadata()
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(path?)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(is_executable)
}

/// The dynamic loader that an ELF file names.
fn loader(head: &[u8]) -> Option<PathBuf> {
    let rest = head.strip_prefix(b"\x7fELF")?;
    let (is_64, is_little) = (*rest.first()? == 2, *rest.get(1)? == 1);
    let number = |at: usize, size: usize| -> Option<usize> {
        let bytes = head.get(at..at.checked_add(size)?)?;
        let shift = |value: usize, byte: &u8| (value << 8) | usize::from(*byte);
        Some(if is_little {
            bytes.iter().rev().fold(0, shift)
        } else {
            bytes.iter().fold(0, shift)
        })
    };
    let (table, entry_size, count) = if is_64 {
        (number(32, 8)?, number(54, 2)?, number(56, 2)?)
    } else {
        (number(28, 4)?, number(42, 2)?, number(44, 2)?)
    };
    (0..count).find_map(|index| {
        let entry = table.checked_add(index.checked_mul(entry_size)?)?;
        if number(entry, 4)? != INTERPRETER as usize {
            return None;
        }
        let (offset, size) = if is_64 {
            (number(entry + 8, 8)?, number(entry + 32, 8)?)
        } else {
            (number(entry + 4, 4)?, number(entry + 16, 4)?)
        };
        let name = head.get(offset..offset.checked_add(size)?)?;
        let name = name.strip_suffix(b"\0").unwrap_or(name);
        Some(PathBuf::from(OsString::from_vec(name.to_vec())))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
        let file = directory.join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file.canonicalize().unwrap()
    }

    #[test]
    fn a_program_comes_with_its_loader() {
        let shell = Path::new("/bin/sh").canonicalize().unwrap();
        let found = with_interpreters(&["/bin/sh".into(), "/bin/sh".into()], None);
        assert_eq!(found[0], shell);
        // A static shell has none.
        assert!(found.len() <= 2, "{found:?}");
        assert!(found.iter().all(|file| file.is_file()), "{found:?}");
    }

    #[test]
    fn a_script_comes_with_what_interprets_it() {
        let directory = tempfile::tempdir().unwrap();
        let inner = script(directory.path(), "inner", "#!/bin/sh -e\n");
        let outer = script(directory.path(), "outer", "#!/usr/bin/env -S inner x\nrest");
        let found = with_interpreters(std::slice::from_ref(&outer), Some(directory.path().as_os_str()));
        let shell = Path::new("/bin/sh").canonicalize().unwrap();
        for needed in [outer, inner, shell] {
            assert!(found.contains(&needed), "{needed:?} {found:?}");
        }
    }

    #[test]
    fn what_is_no_program_needs_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let short = script(directory.path(), "short", "\x7fELF\x02\x01");
        let itself = script(
            directory.path(),
            "itself",
            &format!("#!{}\n", directory.path().join("itself").display()),
        );
        let given = [short.clone(), itself.clone(), "/no/such/program".into()];
        assert_eq!(with_interpreters(&given, None), [short, itself]);
    }
}
