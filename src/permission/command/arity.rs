//! What "always" proposes for a command: its leading words and ` *`.
//!
//! How many words name the action differs by program: `npm run dev` takes three, `git checkout` two, `ls` one. The
//! longest entry that fits wins.

use super::Simple;
use super::word::Word;
use crate::permission::grant::floor;

const TWO_WORDS: &[&str] = &[
    "bazel",
    "brew",
    "bun",
    "cargo",
    "cdk",
    "cf",
    "cmake",
    "composer",
    "consul",
    "crictl",
    "deno",
    "docker",
    "eksctl",
    "firebase",
    "flyctl",
    "git",
    "go",
    "gradle",
    "helm",
    "heroku",
    "hugo",
    "ip",
    "kind",
    "kubectl",
    "kustomize",
    "make",
    "mc",
    "minikube",
    "mongosh",
    "mvn",
    "mysql",
    "ng",
    "npm",
    "nvm",
    "nx",
    "openssl",
    "pip",
    "pipenv",
    "pnpm",
    "poetry",
    "podman",
    "psql",
    "pulumi",
    "pyenv",
    "python",
    "rake",
    "rbenv",
    "redis-cli",
    "rustup",
    "serverless",
    "skaffold",
    "sls",
    "sst",
    "swift",
    "systemctl",
    "terraform",
    "tmux",
    "turbo",
    "ufw",
    "uv",
    "vault",
    "vercel",
    "volta",
    "wp",
    "yarn",
];

const THREE_WORDS: &[&str] = &["aws", "az", "doctl", "gcloud", "gh", "sfdx"];

const THREE_WORDS_AFTER: &[(&str, &[&str])] = &[
    ("bun", &["run", "x"]),
    ("cargo", &["add", "run"]),
    ("consul", &["kv"]),
    ("deno", &["task"]),
    (
        "docker",
        &["builder", "compose", "container", "image", "network", "volume"],
    ),
    ("eksctl", &["create"]),
    ("git", &["config", "remote", "stash"]),
    ("ip", &["addr", "link", "netns", "route"]),
    ("kind", &["create"]),
    ("kubectl", &["kustomize", "rollout"]),
    ("mc", &["admin"]),
    ("npm", &["exec", "init", "run", "view"]),
    ("openssl", &["req", "x509"]),
    ("pnpm", &["dlx", "exec", "run"]),
    ("podman", &["container", "image"]),
    ("pulumi", &["stack"]),
    ("terraform", &["workspace"]),
    ("uv", &["run", "tool", "pip"]),
    ("vault", &["auth", "kv"]),
    ("yarn", &["dlx", "run"]),
];

fn arity(words: &[Word]) -> usize {
    let program = words[0].text.as_str();
    let second = words.get(1).map(|word| word.text.as_str());
    let is_three = THREE_WORDS.contains(&program)
        || THREE_WORDS_AFTER
            .iter()
            .any(|(name, after)| *name == program && second.is_some_and(|second| after.contains(&second)));
    match (is_three, TWO_WORDS.contains(&program)) {
        (true, _) => 3,
        (false, true) => 2,
        (false, false) => 1,
    }
}

/// Whether the word after the program's name says what it does.
pub(super) fn has_subcommands(program: &str) -> bool {
    THREE_WORDS.contains(&program) || TWO_WORDS.contains(&program)
}

/// The pattern to propose, if any is fit to be stored.
pub(super) fn proposal(command: &Simple) -> Option<String> {
    let words = &command.words;
    if command.has_assignments
        || words.iter().any(|word| word.dynamic_at.is_some()) && arity(words) >= words.len()
    {
        return None;
    }
    if super::hazards::changes_the_shell(command.program()) {
        return None;
    }
    let prefix = &words[..arity(words).min(words.len())];
    // A wildcard or a blank in a word would mean something else in the pattern.
    let is_misread = |word: &Word| {
        word.dynamic_at.is_some() || word.text.is_empty() || word.text.contains(['*', '?', ' ', '\t', '\n'])
    };
    if prefix.iter().any(is_misread) {
        return None;
    }
    let joined = prefix
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    // `git -C x push` has its action further back: only the command itself can be proposed.
    let has_option = prefix[1..].iter().any(|word| word.text.starts_with('-'));
    let pattern = match has_option {
        true if words.iter().any(is_misread) => return None,
        true => command.canonical.clone(),
        false => format!("{joined} *"),
    };
    floor("bash", &pattern).is_ok().then_some(pattern)
}

const DESTRUCTIVE: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "dd", "truncate", "mkfs", "kill", "pkill", "killall", "chmod", "chown",
    "chgrp", "setfacl", "mv", "reboot", "shutdown", "userdel", "crontab",
];

const DESTRUCTIVE_GIT: &[&str] = &[
    "push",
    "reset",
    "clean",
    "checkout",
    "restore",
    "switch",
    "stash",
    "rebase",
    "rm",
    "branch",
    "tag",
    "gc",
    "reflog",
    "filter-branch",
    "update-ref",
    "worktree",
    "config",
];

const DESTRUCTIVE_WORDS: &[&str] = &[
    "delete",
    "destroy",
    "prune",
    "purge",
    "publish",
    "uninstall",
    "remove",
    "rm",
    "kill",
];

/// Whether it deletes, discards, pushes, kills or changes rights.
pub(super) fn is_destructive(command: &Simple) -> bool {
    let program = super::base_name(command.program());
    if DESTRUCTIVE.contains(&program) || program.starts_with("mkfs.") {
        return true;
    }
    let mut plain = command.words[1..]
        .iter()
        .map(|word| word.text.as_str())
        .filter(|word| !word.starts_with('-'));
    if program == "git" {
        return plain.any(|word| DESTRUCTIVE_GIT.contains(&word));
    }
    command.words[1..].iter().any(|word| word.text == "-delete")
        || plain.take(3).any(|word| DESTRUCTIVE_WORDS.contains(&word))
}
