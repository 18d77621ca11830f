//! How often ordinary work asks: whole sessions of commands, with "always" taken wherever it comes ticked.

use super::*;
use crate::permission::{Decision, Mode, Permissions, Scope, decide, grants};

/// Ordinary commands of Rust, Python, Node, Go and plain shell projects.
const COMMANDS: &[&str] = &[
    "ls -la",
    "git status --short",
    "git log --oneline -10",
    "cat a.txt | head -20",
    "find . -name '*.rs' -not -path './target/*' | head -50",
    "grep -rn --include='*.rs' TODO src",
    "sed -n '1,80p' src/a.rs",
    "wc -l src/*.rs",
    "awk '{print $1}' a.txt | sort | uniq -c | sort -rn | head",
    "for f in src/*.rs; do echo \"== $f\"; head -5 \"$f\"; done",
    "cd src && ls",
    "cargo check",
    "cargo test -q",
    "RUST_BACKTRACE=1 cargo test -p retry",
    "cargo test --lib -- --nocapture 2>&1 | tail -40",
    "cargo build 2>&1 | grep -E '^error' | head -20",
    "cargo clippy --all-targets",
    "cargo fmt",
    "cargo fmt --check",
    "git diff",
    "git diff --stat HEAD",
    "git add -A && git commit -m 'retry: wait longer'",
    "git add src/a.rs",
    "git commit -m 'tests'",
    "git show --stat HEAD",
    "git branch -a",
    "git blame src/a.rs | head",
    "git stash list",
    "git describe --tags --always",
    "git rev-parse --abbrev-ref HEAD",
    "git remote -v",
    "python3 -m pytest -q",
    "python3 -m pytest tests/test_a.py -k x",
    "PYTHONDONTWRITEBYTECODE=1 python3 -m pytest -x",
    "pip list",
    "npm test",
    "npm run build",
    "npm run build -- --watch=false",
    "CI=1 npm test",
    "NODE_ENV=test npm test -- --reporter dot",
    "npx vitest run",
    "npx vitest run src/a.test.ts",
    "node --test test/",
    "node --test test/a.test.js",
    "go test ./...",
    "go test -run TestA ./pkg/a",
    "go build ./...",
    "go vet ./...",
    "make test",
    "make test V=1",
    "sh test.sh",
    "jq .name package.json",
    "jq -r '.scripts | keys[]' package.json",
    "du -sh src",
    "file src/a.rs",
    "stat -c %s a.txt",
    "which cargo",
    "date +%F",
    "printf '%s\\n' done",
    "test -f a.txt && echo yes",
    "if [ -d src ]; then ls src; fi",
    "tr -d '\\r' < a.txt | head -3",
    "diff a.txt b.txt || true",
    "find . -type f -name '*.txt' -exec ls -l {} +",
    "find . -name '*.txt' -print0 | xargs -0 ls -l --",
    "sha256sum a.txt",
    "tail -n 20 a.txt; echo; ps aux | head -5",
    "x=src/a.rs; cat $x",
    "git ls-files | wc -l",
    "git log --format='%h %s' -5 && git status",
];

/// How many dialogs these commands bring.
fn dialogs(commands: &[&str]) -> (usize, Vec<String>) {
    let mut project = Harness::new();
    project.tree().kernel = Support {
        files: true,
        calls: true,
    };
    for name in ["a.txt", "b.txt", "src/a.rs", "src/b.rs", "package.json"] {
        project.write(name, "x\n");
    }
    let init = std::process::Command::new("git")
        .current_dir(project.path(""))
        .args(["init", "-q"])
        .status()
        .unwrap();
    assert!(init.success());
    let mut permissions = Permissions::clone(&project.services.gate.permissions());
    let mut asked = Vec::new();
    for command in commands {
        let asks = command_asks(&project.services, command, &project.path("")).asks;
        let Decision::Ask(open) = decide(&permissions, &asks, "bash", Mode::Ask) else {
            continue;
        };
        let rows: Vec<&str> = open.iter().map(|open| open.ask.subject.text.as_str()).collect();
        asked.push(rows.join(" | "));
        for open in open.iter().filter(|open| !open.ask.destructive) {
            for pattern in &open.ask.always {
                let rule = [(open.ask.key.clone(), pattern.clone())];
                permissions
                    .grants
                    .extend(grants(&rule, Scope::Project, None).unwrap());
            }
        }
    }
    (asked.len(), asked)
}

#[tokio::test]
async fn ordinary_work_asks_little() {
    assert!(COMMANDS.len() >= 60);
    let (all, asked) = dialogs(COMMANDS);
    assert!(all <= 18, "{all} of {}: {asked:#?}", COMMANDS.len());
    // A session of one kind of project.
    let of_rust: Vec<&str> = COMMANDS
        .iter()
        .filter(|command| {
            !["py", "pip", "npm", "npx", "node", "go ", "NODE", "PYTHON", "CI="]
                .iter()
                .any(|other| command.starts_with(other))
        })
        .copied()
        .take(46)
        .collect();
    assert_eq!(of_rust.len(), 46);
    let (count, asked) = dialogs(&of_rust);
    assert!(count <= 12, "{count} of 46: {asked:#?}");
}
