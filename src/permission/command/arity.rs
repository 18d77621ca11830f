//! The pattern that "always" proposes for a command: its leading words and ` *`.
//!
//! How many words name the action differs by program: `npm run dev` takes three, `git checkout` two, `ls` one. The
//! longest entry that fits wins.

use super::Simple;
use super::word::Word;
use crate::permission::Subject;
use crate::permission::destructive::harm_of;
use crate::permission::floor::{covers, floor};
use crate::permission::runners::{self, RunnerExtent};

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

/// Returns the number of leading words that say what a command does.
pub(super) fn arity(words: &[Word]) -> usize {
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

/// Returns true if the word after the program's name says what it does.
pub(super) fn has_subcommands(program: &str) -> bool {
    THREE_WORDS.contains(&program) || TWO_WORDS.contains(&program)
}

/// The pattern to propose, if any is fit to be stored.
pub(super) fn proposal(command: &Simple, subject: &Subject) -> Option<String> {
    let words = &command.words;
    if words.iter().any(|word| word.dynamic_at.is_some()) && arity(words) >= words.len() {
        return None;
    }
    if super::hazards::changes_the_shell(command.program()) {
        return None;
    }
    if command.has_assignments && !command.has_plain_assignments {
        return None;
    }
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let length = match runners::extent(&texts) {
        // What its variables make of it is not known: only this very text.
        _ if command.has_assignments => None,
        _ if is_destructive(command) => None,
        // With other words a script does something else, in whatever language it is written.
        RunnerExtent::All | RunnerExtent::Script(_) => None,
        RunnerExtent::Words(count) => Some(count),
        RunnerExtent::Ordinary => {
            let count = arity(words).min(words.len());
            // `git -C x push` has its action further back: only the command itself can be proposed.
            // What stands behind the `--` of `cargo run` is for the project's own program.
            let names_project_program = texts[..count] == ["cargo", "run", "--"];
            let is_option = |word: &&str| word.starts_with('-') && !names_project_program;
            let has_option = texts[1..count].iter().any(is_option);
            let is_whole = !runners::reaches_a_runner(&texts[..count]);
            (!has_option && is_whole).then_some(count)
        }
    };
    // A wildcard or a line's end in a word would mean something else in the pattern.
    let is_misread = |word: &Word, blanks: &[char]| {
        word.dynamic_at.is_some() || word.text.is_empty() || word.text.contains(blanks)
    };
    let prefix = match length {
        Some(count) => {
            let blanks = ['*', '?', ' ', '\t', '\n'];
            if words[..count].iter().any(|word| is_misread(word, &blanks)) {
                return None;
            }
            // One that does not cover the command itself would be asked about again.
            Some(format!("{} *", texts[..count].join(" "))).filter(|prefix| covers(prefix, subject))
        }
        None => None,
    };
    let pattern = if let Some(prefix) = prefix {
        prefix
    } else {
        if words.iter().any(|word| is_misread(word, &['*', '?', '\t', '\n'])) {
            return None;
        }
        command.canonical.clone()
    };
    floor("bash", &pattern).is_ok().then_some(pattern)
}

/// Returns true if it deletes, discards, pushes, kills or changes rights, by itself or by a command in its words.
pub(super) fn is_destructive(command: &Simple) -> bool {
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    command.runs_harm || harm_of(&words).is_some()
}
