//! Programs that run what their words say: interpreters, shells, wrappers, editors, pagers, package runners, containers.
//!
//! An answer "always" for such a program alone would be one for everything. This table says after which words nothing more
//! can be run than those words name; everything else is only stored as the exact text.

/// Words that have to follow before any further ones may be left open.
#[derive(Debug, Clone, Copy)]
enum After {
    /// Nothing is enough.
    Nothing,
    /// The name of a program or a script, which is looked up in this table too.
    Command,
    /// A word that is no option.
    Word,
    /// One of these beginnings, or a script with one of these endings.
    Known(&'static [&'static str], &'static [&'static str]),
}

use After::{Command, Known, Nothing, Word};

/// A program, or the first words of one, and what has to follow.
const RUNNERS: &[(&[&str], After)] = &[
    (
        &[
            "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "yash",
            "posh", "pwsh", "nu", "elvish", "xonsh", "busybox", "toybox",
        ],
        Nothing,
    ),
    (
        &[
            "sed",
            "awk",
            "gawk",
            "mawk",
            "nawk",
            "find",
            "fd",
            "xargs",
            "parallel",
            "eval",
            "exec",
            "source",
            "m4",
            "expect",
            "tclsh",
            "bc",
            "dc",
            "gnuplot",
            "octave",
            "R",
            "osascript",
            "ghci",
            "irb",
            "ipython",
            "jshell",
            "erl",
            "iex",
            "groovy",
            "scala",
            "kotlin",
            "java",
        ],
        Nothing,
    ),
    (
        &[
            "sudo",
            "doas",
            "su",
            "runuser",
            "pkexec",
            "env",
            "nohup",
            "nice",
            "timeout",
            "time",
            "stdbuf",
            "setsid",
            "ionice",
            "chrt",
            "command",
            "builtin",
            "watch",
            "entr",
            "flock",
            "script",
            "ssh-agent",
            "chroot",
            "unshare",
            "nsenter",
            "taskset",
            "prlimit",
            "setarch",
            "linux32",
            "linux64",
            "strace",
            "ltrace",
            "gdb",
            "lldb",
            "rr",
            "valgrind",
            "systemd-run",
            "dbus-run-session",
            "xvfb-run",
            "fakeroot",
            "setpriv",
            "capsh",
            "numactl",
            "runcon",
            "sg",
            "gosu",
            "su-exec",
            "chpst",
            "bwrap",
            "firejail",
            "proot",
            "unbuffer",
            "chronic",
            "faketime",
            "torsocks",
            "proxychains",
            "proxychains4",
            "start-stop-daemon",
            "at",
            "batch",
            "coproc",
        ],
        Nothing,
    ),
    (
        &[
            "ssh",
            "scp",
            "sftp",
            "mosh",
            "rsync",
            "curl",
            "wget",
            "nc",
            "ncat",
            "socat",
            "telnet",
            "tar",
            "bsdtar",
            "zip",
            "sqlite3",
            "vim",
            "vi",
            "nvim",
            "view",
            "ex",
            "ed",
            "emacs",
            "nano",
            "less",
            "more",
            "most",
            "man",
            "info",
            "pager",
            "screen",
            "nix",
            "nix-shell",
            "nix-env",
            "nix-build",
            "guix",
        ],
        Nothing,
    ),
    (
        &["python", "pypy"],
        Known(
            &[
                "-m pytest",
                "-m unittest",
                "-m mypy",
                "-m black",
                "-m ruff",
                "-m flake8",
                "-m pylint",
                "-m isort",
                "-m coverage report",
                "-m compileall",
                "-m py_compile",
                "-m json.tool",
                "-m venv",
                "-m build",
                "-m pip list",
                "-m pip show",
                "-m pip freeze",
                "--version",
                "-V",
            ],
            &[".py"],
        ),
    ),
    (
        &["node", "nodejs"],
        Known(
            &["--test", "--check", "--version", "-v"],
            &[".js", ".mjs", ".cjs"],
        ),
    ),
    (
        &["tsx", "ts-node"],
        Known(&["--version"], &[".ts", ".tsx", ".js", ".mjs"]),
    ),
    (
        &["deno"],
        Known(
            &[
                "test",
                "lint",
                "fmt",
                "check",
                "doc",
                "info",
                "bench",
                "--version",
            ],
            &[],
        ),
    ),
    (&["deno task"], Word),
    (
        &["bun"],
        Known(&["test", "install", "build", "outdated", "--version"], &[]),
    ),
    (&["perl"], Known(&["--version", "-v"], &[".pl", ".t"])),
    (&["ruby"], Known(&["--version", "-v"], &[".rb"])),
    (&["php"], Known(&["artisan", "--version", "-v"], &[".php"])),
    (&["lua", "luajit"], Known(&["-v"], &[".lua"])),
    (&["julia"], Known(&["--version"], &[".jl"])),
    (&["Rscript"], Known(&["--version"], &[".R"])),
    (&["elixir"], Known(&["--version"], &[".exs"])),
    (&["go run"], Known(&[".", "./..."], &[".go"])),
    (
        &[
            "npx",
            "bunx",
            "pnpx",
            "uvx",
            "pnpm dlx",
            "pnpm exec",
            "yarn dlx",
            "yarn exec",
            "npm exec",
            "bun x",
            "bun run",
            "pipx run",
            "uv run",
            "uv tool run",
            "poetry run",
            "pipenv run",
            "pdm run",
            "hatch run",
            "rye run",
            "bundle exec",
            "npm create",
            "npm init",
        ],
        Command,
    ),
    (
        &["pipx", "poetry", "conda", "mamba", "micromamba"],
        Known(
            &[
                "list", "info", "show", "check", "search", "env list", "install", "lock", "add", "update",
            ],
            &[],
        ),
    ),
    (&["conda run", "mamba run", "micromamba run"], Nothing),
    (&["make", "gmake"], Word),
    (
        &["docker", "podman", "nerdctl"],
        Known(
            &[
                "ps",
                "images",
                "logs",
                "inspect",
                "version",
                "info",
                "stats",
                "top",
                "port",
                "history",
                "compose ps",
                "compose logs",
                "compose config",
                "compose images",
                "compose up",
                "compose build",
                "compose pull",
                "image ls",
                "image inspect",
                "container ls",
                "container logs",
                "container inspect",
                "network ls",
                "network inspect",
                "volume ls",
                "volume inspect",
                "--version",
            ],
            &[],
        ),
    ),
    (
        &["kubectl", "oc"],
        Known(
            &[
                "get",
                "describe",
                "logs",
                "top",
                "explain",
                "version",
                "config view",
                "config get-contexts",
                "config current-context",
                "cluster-info",
                "api-resources",
                "api-versions",
                "rollout status",
                "rollout history",
                "diff",
                "events",
                "auth can-i",
            ],
            &[],
        ),
    ),
    (&["tmux"], Known(&["ls", "list-sessions", "has-session"], &[])),
    (
        &["git bisect"],
        Known(&["start", "good", "bad", "log", "reset", "skip"], &[]),
    ),
    (
        &["git submodule"],
        Known(&["status", "update", "init", "sync", "summary", "add"], &[]),
    ),
    (
        &["git difftool", "git mergetool", "git filter-branch", "git rebase"],
        Nothing,
    ),
];

/// Options of package runners that change nothing about what runs.
const PASSED_OVER: &[&str] = &["-y", "--yes", "--no-install", "--"];

/// Degree to which a command's first words say what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Its program is not in the table.
    Ordinary,
    /// So many words say it.
    Words(usize),
    /// Only all of them do.
    All,
}

/// Looks up the words of a command, or those before the open end of a pattern.
pub(super) fn extent(words: &[&str]) -> Extent {
    let Some((length, after)) = runner(words) else {
        return Extent::Ordinary;
    };
    let rest = &words[length..];
    match after {
        Nothing => Extent::All,
        Word => match rest.first() {
            Some(word) if !word.starts_with('-') && !word.contains('=') => Extent::Words(length + 1),
            _ => Extent::All,
        },
        Known(beginnings, endings) => {
            let begins = |beginning: &&&str| {
                let wanted: Vec<&str> = beginning.split(' ').collect();
                rest.starts_with(&wanted)
            };
            // The longest counts: `compose ps` and not `compose`.
            if let Some(found) = beginnings.iter().filter(begins).max_by_key(|found| found.len()) {
                return Extent::Words(length + found.split(' ').count());
            }
            let is_script = |word: &&&str| {
                !word.starts_with('-')
                    && !word.contains("://")
                    && endings
                        .iter()
                        .any(|ending| word.len() > ending.len() && word.ends_with(ending))
            };
            match rest.first().filter(is_script) {
                Some(_) => Extent::Words(length + 1),
                None => Extent::All,
            }
        }
        Command => {
            let skipped = rest.iter().take_while(|word| PASSED_OVER.contains(word)).count();
            match rest.get(skipped) {
                Some(word) if !word.starts_with('-') && !word.contains('=') => match extent(&rest[skipped..])
                {
                    Extent::Ordinary => Extent::Words(length + skipped + 1),
                    Extent::Words(count) => Extent::Words(length + skipped + count),
                    Extent::All => Extent::All,
                },
                _ => Extent::All,
            }
        }
    }
}

/// Returns true if words are the beginning of a longer entry, so that an open end would reach it: `uv *` reaches `uv run`.
pub(super) fn reaches_a_runner(words: &[&str]) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return true;
    };
    let program = plain_name(program);
    let mut names = RUNNERS.iter().flat_map(|(names, _)| *names);
    names.any(|name| {
        let mut parts = name.split(' ');
        let is_same = parts.next() == Some(program) && rest.iter().all(|word| parts.next() == Some(word));
        is_same && parts.next().is_some()
    })
}

/// The first words of every entry that is one word long.
pub(super) fn programs() -> impl Iterator<Item = &'static str> {
    let names = RUNNERS.iter().flat_map(|(names, _)| *names);
    names.copied().filter(|name| !name.contains(' '))
}

/// The longest entry that words begin with.
fn runner(words: &[&str]) -> Option<(usize, After)> {
    let (program, rest) = words.split_first()?;
    let program = plain_name(program);
    let mut best: Option<(usize, After)> = None;
    for (names, after) in RUNNERS {
        for name in *names {
            let mut parts = name.split(' ');
            if parts.next() != Some(program) {
                continue;
            }
            let parts: Vec<&str> = parts.collect();
            if rest.starts_with(&parts) && best.is_none_or(|(length, _)| parts.len() + 1 > length) {
                best = Some((parts.len() + 1, *after));
            }
        }
    }
    best
}

/// `/usr/bin/python3.11` is `python`.
fn plain_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    if matches!(name, "sqlite3" | "proxychains4" | "linux32" | "linux64" | "m4") {
        return name;
    }
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if plain.is_empty() { name } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_what_runs_are_told_from_those_that_do_not() {
        for (command, expected) in [
            ("cargo test", Extent::Ordinary),
            ("python3 -m pytest -q", Extent::Words(3)),
            ("python3.11 -m pytest", Extent::Words(3)),
            ("python3 manage.py migrate", Extent::Words(2)),
            ("python3 -c x", Extent::All),
            ("python3 -m timeit x", Extent::All),
            ("python3", Extent::All),
            ("node --test a", Extent::Words(2)),
            ("node scripts/x.mjs", Extent::Words(2)),
            ("node -e x", Extent::All),
            ("npx vitest run", Extent::Words(2)),
            ("npx --yes vitest run", Extent::Words(3)),
            ("npx tsx a.ts", Extent::Words(3)),
            ("npx tsx -e x", Extent::All),
            ("npx -c x", Extent::All),
            ("uv run pytest", Extent::Words(3)),
            ("uv run python -c x", Extent::All),
            ("uv run python -m pytest", Extent::Words(5)),
            ("uv sync", Extent::Ordinary),
            ("bundle exec rspec", Extent::Words(3)),
            ("docker run x", Extent::All),
            ("docker compose ps", Extent::Words(3)),
            ("docker compose run x", Extent::All),
            ("kubectl exec x", Extent::All),
            ("kubectl get pods", Extent::Words(2)),
            ("deno run x", Extent::All),
            ("deno test x", Extent::Words(2)),
            ("make test", Extent::Words(2)),
            ("make -f x", Extent::All),
            ("go run .", Extent::Words(3)),
            ("go test ./...", Extent::Ordinary),
            ("sed -n p", Extent::All),
            ("sh test.sh", Extent::All),
            ("/usr/bin/env x", Extent::All),
            ("sqlite3 x", Extent::All),
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(extent(&words), expected, "{command}");
        }
    }
}
