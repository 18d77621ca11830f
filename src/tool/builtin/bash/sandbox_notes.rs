//! Finds the sandbox's part in a command's failure, as far as its output tells.
//!
//! The kernel refuses a write with the same words as a missing permission, and programs say it in their own way. So a
//! line that speaks of a refusal is searched for a path, and the path counts when the sandbox would refuse it.

use std::path::{Path, PathBuf};

use crate::process::{CommandOutcome, Confinement};
use crate::text::path::without_dots;
use crate::tool::sandbox::CommandSandbox;

/// Messages of the C library for a refused write.
const REFUSALS: [&str; 3] = [
    "Permission denied",
    "Read-only file system",
    "Operation not permitted",
];
/// Messages of programs that found no network.
const NO_NETWORK: [&str; 8] = [
    "could not resolve host",
    "temporary failure in name resolution",
    "name or service not known",
    "network is unreachable",
    "could not create socket",
    "socket: operation not permitted",
    "getaddrinfo",
    "couldn't connect to server",
];
/// The end of a long output is enough: programs say last why they stop.
const LINES: usize = 50;

pub(super) fn notes(
    sandbox: &CommandSandbox,
    outcome: &CommandOutcome,
    text: &str,
    cwd: &Path,
) -> Vec<String> {
    let mut notes: Vec<String> = sandbox
        .notice
        .iter()
        .map(|notice| format!("[{notice}]"))
        .collect();
    if let Some(confinement) = &sandbox.confinement
        && outcome.exit.is_some_and(|exit| exit != 0)
    {
        notes.extend(reason(confinement, text, cwd));
    }
    notes
}

fn reason(confinement: &Confinement, text: &str, cwd: &Path) -> Option<String> {
    text.lines().rev().take(LINES).find_map(|line| {
        if let Some(path) = refused(confinement, line, cwd) {
            return Some(format!("[sandbox: writing {} was not allowed]", path.display()));
        }
        let lower = line.to_lowercase();
        let is_offline = !confinement.network
            && (NO_NETWORK.iter().any(|words| lower.contains(words))
                || is_shell_socket(&lower)
                || is_python_socket(&lower, text));
        is_offline.then(|| "[sandbox: no network]".to_owned())
    })
}

/// bash's own way of opening a connection.
fn is_shell_socket(line: &str) -> bool {
    (line.contains("/dev/tcp/") || line.contains("/dev/udp/")) && line.contains("not permitted")
}

/// Python's exception for a socket that was refused. It names no file; what was refused stands in it, or in the lines of the
/// stack above it.
fn is_python_socket(line: &str, text: &str) -> bool {
    let Some((before, after)) = line.split_once("[errno 1] operation not permitted") else {
        return false;
    };
    let names_a_file = after.trim_start().starts_with(':');
    let is_told = ["socket", "connection", "urlopen"]
        .iter()
        .any(|word| before.contains(word));
    let mut above = text.lines().rev().take(LINES);
    !names_a_file && (is_told || above.any(|line| line.contains("socket")))
}

/// The path of which a line says that it was refused, when the sandbox has refused it.
fn refused(confinement: &Confinement, line: &str, cwd: &Path) -> Option<PathBuf> {
    let said = REFUSALS.iter().find_map(|words| line.find(words))?;
    let before = line[..said].trim_end().trim_end_matches(':');
    // A word alone is a name when the shell says so, or when there is such a file.
    let is_name = |name: &&str| name.contains('/') || line.contains(": line ") || cwd.join(name).exists();
    let bare = [before.rsplit(": ").next(), before.split_whitespace().last()];
    quoted(line)
        .into_iter()
        .chain(bare.into_iter().flatten().filter(is_name))
        .filter(|name| !name.is_empty() && !name.starts_with("/dev/tcp/") && !name.starts_with("/dev/udp/"))
        .map(|name| without_dots(&cwd.join(name)))
        // What cannot be there was no path.
        .find(|path| path.parent().is_some_and(Path::is_dir) && !may_write(confinement, path))
}

/// The last word in quotes, as `touch: cannot touch '/etc/x': Permission denied` has one.
fn quoted(line: &str) -> Option<&str> {
    ['\'', '"', '`'].into_iter().find_map(|quote| {
        let (before, _) = line.rsplit_once(quote)?;
        let (_, name) = before.rsplit_once([quote, '‘'])?;
        Some(name)
    })
}

fn may_write(confinement: &Confinement, path: &Path) -> bool {
    let real = path
        .parent()
        .and_then(|parent| parent.canonicalize().ok())
        .zip(path.file_name())
        .map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name));
    let is_in = |places: &[PathBuf]| places.iter().any(|place| real.starts_with(place));
    is_in(&confinement.writable) && !is_in(&confinement.read_only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confinement() -> Confinement {
        Confinement {
            writable: vec!["/tmp".into()],
            read_only: vec!["/tmp/.git".into()],
            network: false,
            ..Confinement::default()
        }
    }

    fn said(text: &str) -> Option<String> {
        reason(&confinement(), text, Path::new("/usr"))
    }

    #[test]
    fn the_path_is_found_in_what_programs_say() {
        for line in [
            "bash: line 1: /etc/x: Permission denied",
            "touch: cannot touch '/etc/x': Permission denied",
            "touch: cannot touch '/etc/x': Read-only file system",
            "PermissionError: [Errno 13] Permission denied: '/etc/x'",
            "sh: 1: cannot create ../etc/x: Permission denied",
            "error: EACCES: Permission denied, open '/etc/x'",
        ] {
            let expected = "[sandbox: writing /etc/x was not allowed]";
            assert_eq!(
                said(&format!("before\n{line}\nafter")).as_deref(),
                Some(expected),
                "{line}"
            );
        }
    }

    #[test]
    fn a_refusal_that_is_not_the_sandboxs_is_not_claimed() {
        for line in [
            "cat: /tmp/x: Permission denied",
            "bash: line 1: /no/such/dir/x: Permission denied",
            "git@host: Permission denied",
            "PermissionError: [Errno 1] Operation not permitted",
            "import socket\nPermissionError: [Errno 1] Operation not permitted: '/no/such/dir/x'",
            "all went well",
            "",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }

    #[test]
    fn a_missing_network_is_named_unless_there_is_one() {
        for line in [
            "curl: (6) Could not resolve host: example.com",
            "bash: line 1: /dev/tcp/127.0.0.1/80: Operation not permitted",
            "ping: socket: Operation not permitted",
            "  File \"/usr/lib/python3.11/socket.py\", line 233, in __init__\nPermissionError: [Errno 1] Operation not permitted",
            "  File \"<string>\", line 1, in <module>\n    s = socket.socket()\nPermissionError: [Errno 1] Operation not permitted",
            "urllib.error.URLError: <urlopen error [Errno 1] Operation not permitted>",
            "ERROR: Failed to establish a new connection: [Errno 1] Operation not permitted",
        ] {
            assert_eq!(said(line).as_deref(), Some("[sandbox: no network]"), "{line}");
            let open = Confinement {
                network: true,
                ..confinement()
            };
            let reason = reason(&open, line, Path::new("/usr"));
            assert_ne!(reason.as_deref(), Some("[sandbox: no network]"), "{line}");
        }
    }
}
