//! Questions in four sittings of an ordinary day, each of about fifty commands. A person answers each with "always" where
//! that is offered.

use crate::permission::{Inquiry, PermissionReply, Scope};
use crate::question::{QuestionKind, Reply};

use super::*;

const RUST: &[&str] = &[
    "ls -la",
    "git status",
    "git log --oneline -10",
    "cat Cargo.toml",
    "rg -n 'fn main' src",
    "find . -name '*.rs' | head -20",
    "cargo build 2>&1 | tail -20",
    "cargo test",
    "cargo test parser -- --nocapture",
    "RUST_BACKTRACE=1 cargo test parser 2>&1 | head -60",
    "cargo clippy --all-targets -- -D warnings",
    "cargo fmt",
    "cargo fmt --check",
    "git diff",
    "git diff --stat HEAD~1",
    "wc -l src/*.rs",
    "sed -n '10,40p' src/main.rs",
    "grep -rn 'TODO' src | wc -l",
    "cargo run -- --help",
    "RUST_LOG=debug cargo run -- \"a b\"",
    "mkdir -p tests/data",
    "cp a.txt tests/data/a.txt",
    "for f in *.txt; do wc -l < \"$f\"; done",
    "N=$(ls | wc -l); echo \"$N\"",
    "cd src && ls",
    "cargo build --release 2>&1 | grep -E 'warning|error' | head",
    "git add -A",
    "git commit -m 'Fix the parser'",
    "git show --stat HEAD",
    "git blame src/main.rs | head -5",
    "date",
    "pwd && ls src",
    "tail -20 a.txt",
    "cargo test 2>&1 | tail -5",
    "git stash list",
    "git branch -a",
    "cargo doc --no-deps",
    "echo done",
    "cat src/main.rs | head -30",
    "rm tests/data/a.txt",
    "git add src/main.rs && git commit -q -F - <<'EOF'\nSay what failed\n\nThe message named no file.\nEOF",
    "cargo test && cargo clippy",
    "git log -3 --format='%h %s'",
    "du -sh src",
    "test -f Cargo.lock && echo yes || echo no",
    "cargo test lexer -- --exact",
    "git push",
];

const WEB: &[&str] = &[
    "ls",
    "cat package.json",
    "node -v && npm -v",
    "npm install",
    "npm run build",
    "npm test",
    "npm test -- --watch=false",
    "npx tsc --noEmit",
    "npx eslint src --fix",
    "npm run lint 2>&1 | tail -30",
    "grep -rn 'useState' src --include='*.tsx'",
    "find src -name '*.ts' -o -name '*.tsx' | xargs wc -l | tail -1",
    "git status --short",
    "git diff src/app.ts",
    "cat src/app.ts | head -50",
    "sed -n '1,20p' src/app.ts",
    "mkdir -p src/components",
    "touch src/components/Button.tsx",
    "mv src/components/Button.tsx src/components/button.tsx",
    "npm run build 2>&1 | grep -i error",
    "npm ls react",
    "ls -la src | head",
    "cat .gitignore",
    "npx prettier --check src",
    "npx prettier --write src",
    "git add -A && git commit -m \"Add a button\"",
    "git log --oneline | head -3",
    "jq .version package.json",
    "node -e 'console.log(1)'",
    "npm run dev",
    "curl -s localhost:3000",
    "npm test 2>&1 | tail -40",
    "NODE_ENV=test npm test",
    "rg 'export default' -l src",
    "wc -l package.json",
    "git checkout -b button",
    "git diff main --stat",
    "rm -rf dist",
    "npm run build && ls",
    "echo $PATH",
    "which node",
    "tree src",
    "diff package.json a.txt",
    "git stash",
    "git stash pop",
    "git show HEAD:package.json | head -5",
    "sort a.txt | uniq -c | sort -rn | head",
];

const PYTHON: &[&str] = &[
    "ls",
    "cat pyproject.toml 2>/dev/null || cat a.txt",
    "python3 --version",
    "python3 -m pytest",
    "python3 -m pytest tests/test_a.py -x -q",
    "python3 -m pytest -k parse 2>&1 | tail -20",
    "pytest -q",
    "pytest tests -x --tb=short 2>&1 | tail -40",
    "ruff check .",
    "ruff check . --fix",
    "ruff format .",
    "mypy src",
    "git status",
    "git diff",
    "grep -n 'def ' src/*.py",
    "grep -rn 'import os' src tests",
    "sed -n '5,25p' src/main.rs",
    "head -20 a.txt",
    "python3 -c 'print(1)'",
    "python3 main.py --help",
    "PYTHONPATH=src python3 -m pytest -q",
    "find . -name '__pycache__' -type d | head",
    "pip list",
    "pip install requests",
    "mkdir -p tests",
    "cp a.txt tests/test_a.py",
    "git add tests",
    "git commit -m 'Test the parser'",
    "git log -1",
    "cat tests/test_a.py",
    "wc -l a.txt",
    "pytest --lf",
    "ls -R src | head -40",
    "awk '{print $1}' a.txt | sort -u",
    "cut -d, -f1 a.txt | head",
    "rm tests/test_a.py",
    "git checkout -- a.txt",
    "pytest -q && ruff check .",
    "echo \"exit: $?\"",
    "tail -n 50 a.txt",
    "stat a.txt",
    "file a.txt",
    "date +%s",
    "tr a-z A-Z < a.txt",
    "git branch --show-current",
    "git diff --cached --name-only",
    "make test",
];

const MAINTENANCE: &[&str] = &[
    "git fetch",
    "git status",
    "git log --oneline --graph -20",
    "git log main..HEAD --oneline",
    "git diff main...HEAD --stat",
    "git show HEAD~1",
    "git branch -vv",
    "git checkout main",
    "git pull",
    "git checkout -b release",
    "cat CHANGELOG.md",
    "head -40 a.txt",
    "grep -n version Cargo.toml",
    "make",
    "make test 2>&1 | tail -20",
    "make lint",
    "./run.sh",
    "bash run.sh",
    "ls -lh dist 2>/dev/null",
    "du -sh .git",
    "git tag",
    "git tag -l 'v*' | tail -3",
    "git rev-parse HEAD",
    "git ls-files | wc -l",
    "git grep -n TODO",
    "git blame -L 1,5 a.txt",
    "docker ps",
    "docker compose up -d",
    "docker compose logs --tail 20",
    "gh pr list",
    "gh pr view 12",
    "gh run list --limit 3",
    "git stash show -p",
    "git config user.name",
    "git remote -v",
    "uname -a",
    "env | grep LANG",
    "ps aux | grep make | head",
    "df -h .",
    "sed -i 's/1/2/' a.txt",
    "git diff a.txt",
    "git add a.txt",
    "git commit -m 'Raise the version'",
    "git commit --amend --no-edit",
    "make test",
    "git push origin release",
    "git log -1 --stat",
];

/// Programs that a test machine may lack, or that would do something.
const BROUGHT: &[&str] = &[
    "cargo", "npm", "npx", "node", "python3", "pytest", "ruff", "mypy", "pip", "make", "docker", "gh",
    "curl", "jq", "tree",
];

fn project() -> Harness {
    let mut project = Harness::new().attended();
    for name in BROUGHT {
        bring(&mut project, name);
    }
    git::git(&project.path(""), &["init", "-q", "-b", "main"]);
    for file in [
        "Cargo.toml",
        "package.json",
        "CHANGELOG.md",
        "a.txt",
        "src/main.rs",
        "src/app.ts",
        "run.sh",
    ] {
        project.write(file, "1\n");
    }
    project
}

/// The rules that "always" stores, or nothing where it stores none.
fn always(inquiry: &Inquiry) -> PermissionReply {
    let proposed = inquiry.proposed();
    let patterns: Vec<_> = proposed
        .into_iter()
        .filter(|rule| rule.preticked)
        .map(|rule| (rule.key, rule.pattern))
        .collect();
    if patterns.is_empty() {
        return PermissionReply::Once;
    }
    PermissionReply::Always {
        patterns,
        scope: Scope::Session,
    }
}

/// Runs commands and returns those that a question came for.
async fn questions(project: &Harness, commands: &[&str]) -> Vec<String> {
    let mut asked = Vec::new();
    for command in commands {
        let run = project.run("bash", json!({ "command": command }));
        let answer = async {
            loop {
                let waiting = project.services.tree.questions.waiting();
                if let Some(question) = waiting.first()
                    && let QuestionKind::Permission(inquiry) = &question.about
                {
                    asked.push((*command).to_owned());
                    let reply = Reply::Permission(always(inquiry));
                    project.services.gate.answer(question.id, reply).unwrap();
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = run => {}
            () = answer => {}
        }
    }
    asked
}

/// Each new program asks once, so do new forms of one whose proposed rule is narrow. More than these are a step back.
#[tokio::test]
async fn a_sitting_asks_no_more_often_than_before() {
    let sittings = [
        ("rust", RUST, 12),
        ("web", WEB, 21),
        ("python", PYTHON, 17),
        ("maintenance", MAINTENANCE, 22),
    ];
    let mut counted = Vec::new();
    for (name, commands, most) in sittings {
        let asked = questions(&project(), commands).await;
        counted.push((name, commands.len(), most, asked));
    }
    let is_less = |(_, _, most, asked): &(&str, usize, usize, Vec<String>)| asked.len() <= *most;
    assert!(counted.iter().all(is_less), "{counted:#?}");
    assert!(counted.iter().all(|(.., asked)| asked.len() > 2), "{counted:#?}");
}
