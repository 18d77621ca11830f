//! The names of programs that run the command in their words. How each of them is taken apart is in `command::wrapper`.

const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh"];

/// Wrappers that stand for what they run.
pub(super) const TRANSPARENT: &[&str] = &[
    "time", "timeout", "nice", "nohup", "stdbuf", "setsid", "ionice", "chrt", "command", "builtin", "env",
];

/// Wrappers that are judged beside what they run.
const BOTH: &[&str] = &[
    "sudo",
    "doas",
    "exec",
    "xargs",
    "watch",
    "flock",
    "script",
    "ssh-agent",
    "find",
    "eval",
];

/// These run something too, in ways of their own.
pub(super) const OTHERS: &[&str] = &[
    "su",
    "runuser",
    "pkexec",
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
    "parallel",
    "busybox",
    "toybox",
    "systemd-run",
    "dbus-run-session",
    "xvfb-run",
    "fakeroot",
    "coproc",
    "fish",
    "mksh",
    "ash",
    "rbash",
    "csh",
    "tcsh",
    "yash",
    "posh",
    "pwsh",
    "nu",
    "elvish",
    "xonsh",
    "setpriv",
    "capsh",
    "start-stop-daemon",
    "numactl",
    "runcon",
    "sg",
    "gosu",
    "su-exec",
    "setuidgid",
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
    "entr",
    "cgexec",
    "catchsegv",
];

/// Returns the names of all programs that run the command in their words.
pub(super) fn wrappers() -> impl Iterator<Item = &'static str> {
    let lists = [TRANSPARENT, BOTH, OTHERS, SHELLS];
    lists.into_iter().flatten().copied()
}

pub(super) fn is_wrapper(program: &str) -> bool {
    wrappers().any(|name| name == program)
}

pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}
