//! How often ordinary work asks: whole sessions of commands, with "always" taken wherever it comes ticked.

use super::*;
use crate::permission::PermissionKey;
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
        let asks = command_permissions(&project.services, command, &project.path("")).asks;
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

/// The dialogs of [`COMMANDS`], each a program that runs the project's code, writes or is not on the list of reading ones.
const DIALOGS: &[&str] = &[
    "cargo check",
    "cargo test -q",
    "cargo build",
    "cargo clippy --all-targets",
    "cargo fmt",
    "git add -A | git commit -m retry: wait longer",
    "python3 -m pytest -q",
    "pip list",
    "npm test",
    "npm run build",
    "npx vitest run",
    "node --test test/",
    "go test ./...",
    "go build ./...",
    "go vet ./...",
    "make test",
    "sh test.sh",
];

fn is_of_another_kind_than_rust(command: &str) -> bool {
    ["py", "pip", "npm", "npx", "node", "go ", "NODE", "PYTHON", "CI="]
        .iter()
        .any(|other| command.starts_with(other))
}

#[tokio::test]
async fn ordinary_work_asks_this_and_no_more() {
    assert!(COMMANDS.len() >= 60);
    let (_, asked) = dialogs(COMMANDS);
    assert_eq!(asked, DIALOGS);
    // A session of one kind of project.
    let of_rust: Vec<&str> = COMMANDS
        .iter()
        .filter(|command| !is_of_another_kind_than_rust(command))
        .copied()
        .take(46)
        .collect();
    assert_eq!(of_rust.len(), 46);
    let (count, asked) = dialogs(&of_rust);
    assert_eq!(
        count, 8,
        "of 46, and 12 is the most that there may be: {asked:#?}"
    );
}

/// Returns true if a command is asked about under key `bash` where these answers are stored.
fn is_asked(project: &Harness, stored: &[&str], command: &str) -> bool {
    let mut permissions = Permissions::clone(&project.services.gate.permissions());
    let rules: Vec<(PermissionKey, String)> = stored
        .iter()
        .map(|pattern| (PermissionKey::BASH, (*pattern).to_owned()))
        .collect();
    permissions.grants = grants(&rules, Scope::Project, None).unwrap().into();
    let asks = command_permissions(&project.services, command, &project.path("")).asks;
    let asks: Vec<_> = asks
        .into_iter()
        .filter(|ask| ask.key == PermissionKey::BASH)
        .collect();
    !matches!(decide(&permissions, &asks, "bash", Mode::Ask), Decision::Allow)
}

#[tokio::test]
async fn a_stored_prefix_covers_what_is_understood_and_nothing_else() {
    let project = Harness::new();
    project.write("a.txt", "x\n");
    for (stored, covered, asked) in [
        (
            "git fetch *",
            &[
                "git fetch",
                "git fetch --all -q",
                "git fetch origin \"refs/heads/x\"",
            ][..],
            &[
                "git fetch --upload-pack=./p .",
                "git fetch . --upload-pa ./p",
                "git fetch 'ext::sh -c touch% p'",
                "git fetch {.,--upload-pack=./p}",
                "git fetch $X",
                "git fetch o$X",
                "git fetch \"$X\"",
                "git fetch *",
                "git fetch -- ext::./p",
                "echo --upload-pack=./p | xargs git fetch",
            ][..],
        ),
        (
            "git clone *",
            &["git clone --depth 1 https://a.b/c"],
            &[
                "git clone -u ./p . x",
                "git clone -q -u./p . x",
                "git clone --template=t . x",
            ],
        ),
        (
            "git pull *",
            &["git pull --rebase"],
            &["git pull --upload-pack ./p ."],
        ),
        (
            "git ls-remote *",
            &["git ls-remote origin"],
            &["git ls-remote --upload-pack=./p ."],
        ),
        (
            "git grep *",
            &["git grep -n x"],
            &["git grep -O./p x", "git grep --open-files-in-pager=./p x"],
        ),
        (
            "git archive *",
            &["git archive HEAD"],
            &["git archive --remote=. --exec=./p HEAD"],
        ),
        (
            "make test *",
            &["make test", "make test -j4 V=1"],
            &[
                "make test --eval='$(shell ./p)'",
                "make test -f Evil",
                "make test -fEvil",
                "make test 'X!=./p'",
                "make test SHELL=./p",
            ],
        ),
        (
            "cargo test *",
            &[
                "cargo test -p x",
                "cargo test x -- --nocapture",
                "cargo test -- '--config x'",
            ],
            &[
                "cargo test --config 'build.rustc=\"./p\"'",
                "cargo test 'x -- y' --config x",
                "cargo test $X",
            ],
        ),
        (
            "go test *",
            &["go test -run X ./..."],
            &["go test -exec ./p ./..."],
        ),
        (
            "npm run build *",
            &["npm run build --port 3"],
            &["npm run build --script-shell=./p"],
        ),
        (
            "pytest *",
            &["pytest -xvs a.py", "pytest \"a/$X\""],
            &["pytest -p evil", "pytest $X"],
        ),
        (
            "git commit *",
            &["git commit -m 'a --b'", "git commit -am x"],
            &["git commit --unknown"],
        ),
        ("rg *", &["rg -n x"], &["rg --pre ./p x", "rg --pre=./p x"]),
        (
            "sort *",
            &["sort -k2 a.txt"],
            &["sort --compress-program=./p -S1k a.txt", "sort -o a.txt a.txt"],
        ),
        ("cp *", &[], &["cp a.txt b.txt"]),
        ("tee *", &[], &["tee a.txt"]),
    ] {
        for command in covered {
            assert!(!is_asked(&project, &[stored], command), "{stored}: {command}");
        }
        for command in asked {
            assert!(is_asked(&project, &[stored], command), "{stored}: {command}");
        }
    }
}

#[tokio::test]
async fn what_is_offered_covers_the_command_and_no_whole_tree() {
    let project = Harness::new();
    project.write("a.txt", "x\n");
    let open = |command: &str| {
        let asks = command_permissions(&project.services, command, &project.path("")).asks;
        match decide(&project.services.gate.permissions(), &asks, "bash", Mode::Ask) {
            Decision::Ask(open) => open,
            _ => Vec::new(),
        }
    };
    for command in [
        "git fetch --upload-pack=./p .",
        "make test --eval=x",
        "unknown --hook=x",
        "ls | unknown -x",
    ] {
        let open = open(command);
        let offered = open.iter().flat_map(|open| &open.ask.always);
        for pattern in offered {
            assert!(!pattern.ends_with(" *"), "{command}: {pattern}");
            assert!(!is_asked(&project, &[pattern], command), "{command}: {pattern}");
        }
    }
    for command in [
        "ls /",
        "bazel run //x",
        "cat /no-such-file",
        "ls ~",
        "ls /etc",
        "ls /usr",
    ] {
        for open in open(command) {
            let is_whole = open.ask.key == PermissionKey::EXTERNAL_DIRECTORY;
            assert!(
                !is_whole || open.ask.always.is_empty(),
                "{command}: {:?}",
                open.ask
            );
        }
    }
    for command in [
        "cp a.txt b.txt",
        "tee a.txt",
        "install a.txt b.txt",
        "ln -f a.txt b.txt",
    ] {
        let open = open(command);
        assert!(
            open.iter()
                .any(|open| open.ask.key == PermissionKey::BASH && open.ask.destructive),
            "{command}"
        );
        let mut patterns = open.iter().flat_map(|open| &open.ask.always);
        assert!(!patterns.any(|pattern| pattern.ends_with(" *")), "{command}");
    }
}
