//! The floor below which no pattern is stored, and the commands that a stored pattern covers.

use std::path::Path;

use super::Pattern;
use super::runners::{self, RunnerExtent};
use super::subject::{CommandWord, Subject};

/// Stands for "anything at all" after an interpreter's name.
const ANYTHING: &str = "\u{1}anything";

/// Why a pattern is not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FloorError {
    #[error("an empty pattern allows nothing; write what to allow")]
    Empty,
    #[error("`{0}` would allow every command; name the program and its subcommand")]
    Everything(String),
    #[error("`{0}` would allow every file to be read; name the file")]
    EveryFile(String),
    #[error("`{0}` would allow the whole home directory or a system directory; name a directory below it")]
    WholeTree(String),
    #[error("`{pattern}` would let `{program}` run anything; name the command it may run")]
    Runner { pattern: String, program: String },
}

/// Refuses patterns that are too wide to be stored.
pub fn floor(key: &str, pattern: &str) -> Result<(), FloorError> {
    let trimmed = pattern.trim();
    if trimmed.is_empty() {
        return Err(FloorError::Empty);
    }
    let is_everything = trimmed.bytes().all(|byte| matches!(byte, b'*' | b'?' | b' '));
    if key == "read" && is_everything {
        return Err(FloorError::EveryFile(pattern.to_owned()));
    }
    if key == "external_directory" && opens_a_whole_tree(trimmed) {
        return Err(FloorError::WholeTree(pattern.to_owned()));
    }
    let is_shell = matches!(key, "bash" | "interactive_bash") || key.contains(['*', '?']);
    if !is_shell {
        return Ok(());
    }
    if Pattern::new(without_directory(trimmed).as_str(), None).matches(ANYTHING) {
        return Err(FloorError::Everything(pattern.to_owned()));
    }
    if key == "interactive_bash" || !runs_anything(trimmed) {
        return Ok(());
    }
    let program = without_directory(trimmed);
    Err(FloorError::Runner {
        pattern: pattern.to_owned(),
        program: program.split(' ').next().unwrap_or_default().to_owned(),
    })
}

/// Directories whose whole content nobody means who answers a question about one path.
const SYSTEM: &[&str] = &[
    "",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/export",
    "/home",
    "/lib",
    "/lib64",
    "/media",
    "/mnt",
    "/nix",
    "/opt",
    "/private",
    "/private/etc",
    "/private/var",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/snap",
    "/srv",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/home",
    "/var/lib",
    "/var/log",
];
/// Directories in which the home directories lie.
const HOMES: &[&str] = &["/home/", "/Users/", "/export/home/", "/var/home/"];

/// Returns true if a pattern matches whatever lies in the root, in a directory of the system or in a home directory.
fn opens_a_whole_tree(pattern: &str) -> bool {
    // What has this name is matched by a wildcard alone.
    let compiled = Pattern::of_path(pattern, Some(Path::new("/home/\u{1}someone")));
    let mut home = None;
    for homes in HOMES {
        let name = pattern
            .strip_prefix(homes)
            .and_then(|rest| rest.split('/').next());
        match name {
            Some(name) if name.contains(['*', '?']) => return true,
            Some(name) => home = Some(format!("{homes}{name}")),
            None => {}
        }
    }
    let known = SYSTEM
        .iter()
        .copied()
        .chain(["/home/\u{1}someone"])
        .chain(home.as_deref());
    known
        .into_iter()
        .any(|directory| compiled.matches(&format!("{directory}/{ANYTHING}")))
}

/// Returns true if the words of a command that a pattern leaves open are understood; see `runners::stored_prefix`. The pattern
/// has to match the command.
pub(super) fn covers(pattern: &str, subject: &Subject) -> bool {
    let Some(open) = pattern.find(['*', '?']) else {
        return true;
    };
    let fixed = without_assignments(&pattern[..open]).join(" ");
    let are_whole = !subject.words.is_empty();
    let cut: Vec<CommandWord>;
    let words = if are_whole {
        &subject.words
    } else {
        let word = |text: &str| CommandWord {
            text: text.to_owned(),
            is_certain: !text.starts_with(['$', '`', '{', '*', '?', '[']),
        };
        cut = without_assignments(&subject.text).into_iter().map(word).collect();
        &cut
    };
    // The words that the pattern names whole.
    let mut rest = fixed.as_str();
    let mut named = 0;
    while let Some(after) = words
        .get(named)
        .and_then(|word| rest.strip_prefix(word.text.as_str())?.strip_prefix(' '))
    {
        rest = after;
        named += 1;
    }
    runners::covers(words, named, are_whole)
}

/// Says of a stored rule that is below today's floor that it counts as nothing.
pub fn too_wide(key: &str, pattern: &str) -> Option<&'static str> {
    floor(key, pattern).is_err().then_some("too broad, ignored")
}

/// Returns true if a pattern leaves open what a program would run.
fn runs_anything(pattern: &str) -> bool {
    let Some(open) = pattern.find(['*', '?']) else {
        // The exact text says it all; a bare name is a program that waits for what to run.
        let [program] = without_assignments(pattern)[..] else {
            return false;
        };
        return !program.ends_with("make") && runners::extent(&[program]) == RunnerExtent::All;
    };
    let fixed = &pattern[..open];
    if !fixed.contains(' ') {
        let compiled = Pattern::new(&without_directory(pattern), None);
        let matches = |program: &str| {
            let forms = ["", " \u{1}anything", " -c \u{1}anything", " -e \u{1}anything"];
            forms
                .iter()
                .any(|form| compiled.matches(&format!("{program}{form}")))
        };
        return runners::programs().any(|program| matches(program) || matches(&format!("{program}3")));
    }
    // A word that is not whole stays open too.
    let whole = &fixed[..fixed.rfind(' ').unwrap_or_default()];
    let words = without_assignments(whole);
    match runners::extent(&words) {
        RunnerExtent::Words(_) | RunnerExtent::Script(_) => false,
        RunnerExtent::All => true,
        RunnerExtent::Ordinary => runners::reaches_a_runner(&words),
    }
}

/// The words behind the assignments.
pub(super) fn without_assignments(text: &str) -> Vec<&str> {
    let is_assignment = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(name, _)| !name.contains(['/', '-']))
    };
    text.split(' ').skip_while(is_assignment).collect()
}

/// `/usr/bin/python *` is judged as `python *`.
fn without_directory(pattern: &str) -> String {
    let (program, arguments) = pattern.split_at(pattern.find(' ').unwrap_or(pattern.len()));
    let program = program.rsplit('/').next().unwrap_or(program);
    format!("{program}{arguments}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_allow_anything_is_not_stored() {
        for pattern in [
            "",
            "  ",
            "*",
            "**",
            "* *",
            "?*",
            "python",
            "python *",
            "python*",
            "/usr/bin/env *",
            "sudo *",
            "py*",
            "s* *",
            "curl *",
            "bash -c *",
            "perl -e *",
            "*sh -c *",
            "sh",
            "python3 -c *",
            "python3 -m *",
            "python3 -m py*",
            "npx *",
            "npx --yes *",
            "npx tsx *",
            "bunx *",
            "awk *",
            "sed *",
            "sed -n *",
            "find . *",
            "docker *",
            "docker run *",
            "docker compose run *",
            "podman exec *",
            "deno run *",
            "deno *",
            "kubectl exec *",
            "kubectl *",
            "uv run python *",
            "uv run *",
            "uv *",
            "poetry run *",
            "tsx *",
            "tar *",
            "vim *",
            "less *",
            "man *",
            "sqlite3 x.db *",
            "gdb -p 1 *",
            "nix *",
            "conda run *",
            "watch *",
            "parallel *",
            "make *",
            "make -f *",
            "make -C x *",
            "env A=b *",
            "A=b python3 *",
            "A=b python3",
            "git *",
            "sshpass *",
            "lftp *",
            "ftp *",
            "powershell *",
            "pwsh *",
            "ansible *",
            "ansible-playbook *",
            "gh alias *",
        ] {
            assert!(floor("bash", pattern).is_err(), "{pattern}");
        }
        for pattern in [
            "cargo test *",
            "ls *",
            "python manage.py *",
            "python -m pytest *",
            "git push",
            "node scripts/x.js",
            "shfmt *",
            "node --test *",
            "npx vitest *",
            "sh test.sh",
            "sed -n 1p a",
            "docker run x",
            "docker ps *",
            "kubectl get *",
            "uv run pytest *",
            "make",
            "make test *",
            "npm run *",
            "rm -rf target",
            "A=b make",
            "A=b cargo test",
        ] {
            assert_eq!(floor("bash", pattern), Ok(()), "{pattern}");
        }
        for pattern in [
            "*",
            "/*",
            "//*",
            "/**",
            "/etc/*",
            "/etc/",
            "/usr/*",
            "/var/*",
            "/h*",
            "/home/*",
            "/home/u/*",
            "/home/u/",
            "/home/u*",
            "/Users/u/*",
            "/root/*",
            "~/*",
            "~/**",
            "$HOME/*",
            "/*/*",
        ] {
            assert!(floor("external_directory", pattern).is_err(), "{pattern}");
        }
        for pattern in [
            "/tmp/*",
            "/home/u/src/*",
            "~/src/*",
            "/etc/nginx/*",
            "/usr/include/*",
            "/data/*",
            "/x",
        ] {
            assert_eq!(floor("external_directory", pattern), Ok(()), "{pattern}");
        }
        assert!(floor("read", "*").is_err());
        assert_eq!(floor("read", "config/.env"), Ok(()));
        assert_eq!(floor("edit", "*"), Ok(()));
        assert_eq!(floor("edit", ""), Err(FloorError::Empty));
    }
}
