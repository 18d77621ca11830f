//! Protected names that a command creates: its result tells of them, and lathe uses none of them before a yes.

use serde_json::{Value, json};

use crate::support::{Lathe, Project};

fn project(sandbox: &str) -> Project {
    let settings = json!({"sandbox": {"mode": sandbox}});
    Project::new()
        .file("src/a.txt", "old\n")
        .file(".gitignore", "made/\n")
        .git()
        .config(settings)
}

/// Runs a script, whose text nobody judges before; `None` where the machine has no sandbox.
fn run(project: &Project, script: &str) -> Option<Value> {
    project.write("script.sh", script.as_bytes());
    let call = json!({"command": "bash script.sh"}).to_string();
    let finished = Lathe::in_project(project)
        .args([
            "tool",
            "--format",
            "json",
            "--permission-mode",
            "yolo",
            "bash",
            &call,
        ])
        .run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    if event["details"]["error"]["kind"] == "unavailable" {
        eprintln!("skipped: {}", event["output"]);
        return None;
    }
    Some(event)
}

/// The places of the names, and a script that creates each.
const SCRIPTS: &[(&str, &str)] = &[
    ("lathe.jsonc", "echo {} > lathe.jsonc"),
    ("src/LATHE.jsonc", "echo {} > src/LATHE.jsonc"),
    (
        ".lathe/lathe.jsonc",
        "mkdir -p .lathe && echo {} > .lathe/lathe.jsonc",
    ),
    (
        ".lathe/agents/x.md",
        "mkdir -p .lathe/agents && echo x > .lathe/agents/x.md",
    ),
    (
        ".claude/settings.json",
        "mkdir .claude && echo {} > .claude/settings.json",
    ),
    (
        ".claude/settings.json",
        "mkdir .claude x && echo {} > x/y && mv x/y .claude/settings.json",
    ),
    (
        ".claude/settings.json",
        "mkdir x && echo {} > x/settings.json && mv x .claude",
    ),
    (".claude", "ln -s src .claude"),
    (".mcp.json", "echo {} > .mcp.json"),
    ("opencode.json", "echo {} > opencode.json"),
    ("src/OpenCode.jsonc", "echo {} > src/OpenCode.jsonc"),
    (".pi/settings.json", "mkdir .pi && echo {} > .pi/settings.json"),
    (
        ".agents/skills/x/SKILL.md",
        "mkdir -p .agents/skills/x && echo x > .agents/skills/x/SKILL.md",
    ),
    (".envrc", "ln -s src/a.txt .envrc"),
    (".envrc", "ln src/a.txt .envrc"),
    (
        "src/deep/er/.envrc",
        "mkdir -p src/deep/er && echo x > src/deep/er/.envrc",
    ),
    ("made/.envrc", "mkdir made && echo x > made/.envrc"),
    (".gitmodules", "echo x > .gitmodules"),
    (
        ".vscode/tasks.json",
        "mkdir .vscode && echo {} > .vscode/tasks.json",
    ),
    (
        ".github/workflows/ci.yml",
        "mkdir -p .github/workflows && echo x > .github/workflows/ci.yml",
    ),
    ("new/.git", "git init -q new"),
    ("new/.git", "mkdir -p new/git && mv new/git new/.git"),
    (
        "new/.git/hooks/post-commit",
        "mkdir -p new/.git/hooks && echo x > new/.git/hooks/post-commit",
    ),
    ("linked/.git", "mkdir linked && echo gitdir: x > linked/.git"),
    (
        ".codex/config.toml",
        "mkdir .codex && echo x > .codex/config.toml",
    ),
    (".envrc", "(sleep 0.1; echo x > .envrc) & wait"),
    (".envrc", "echo x > .envrc; exit 3"),
];

#[track_caller]
fn assert_told(event: &Value, name: &str, what: &str) {
    let names: Vec<&str> = event["details"]["protected"]
        .as_array()
        .unwrap_or_else(|| panic!("{name}: {event}"))
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert!(names.contains(&name), "{name}: {event}");
    let text = event["output"].as_str().unwrap();
    let line = text.lines().find(|line| line.starts_with("[protected: "));
    let line = line.unwrap_or_else(|| panic!("{name}: {event}"));
    assert!(
        line.contains(what) && line.contains(&format!("`{name}`")),
        "{line}"
    );
    assert!(
        line.ends_with("lathe neither loads nor trusts that before the user says yes]"),
        "{line}"
    );
}

#[test]
fn a_created_name_is_told_without_a_sandbox_and_in_one() {
    for mode in ["off", "workspace-write"] {
        for (name, script) in SCRIPTS {
            let project = project(mode);
            let Some(event) = run(&project, script) else {
                return;
            };
            assert_told(&event, name, "created");
        }
    }
}

#[test]
fn a_changed_file_and_a_new_hook_are_told_where_nothing_confines() {
    let project = project("off");
    project.write(".envrc", b"old\n");
    let event = run(&project, "echo new > .envrc; echo x > .git/hooks/pre-commit").unwrap();
    assert_told(&event, ".envrc", "changed `.envrc`");
    assert_told(&event, ".git/hooks/pre-commit", "created");
}

#[test]
fn what_is_not_protected_or_was_there_before_is_not_told() {
    let project = project("off");
    project.write(".envrc", b"old\n");
    project.write("nested/.git/hooks/post-commit", b"old\n");
    for script in [
        "git add . && git commit -qm more && git checkout -qb other",
        "mkdir -p .lathe/plans && echo plan > .lathe/plans/a.md",
        "echo x > src/b.txt; mkdir -p .github .vscode; echo x > .github/README.md; echo {} > .vscode/settings.json",
        "cat .envrc; ls -la .git nested/.git; touch nested/x",
    ] {
        let event = run(&project, script).unwrap();
        assert!(event["details"].get("protected").is_none(), "{script}: {event}");
        assert!(
            !event["output"].as_str().unwrap().contains("[protected"),
            "{script}: {event}"
        );
    }
}

#[test]
fn what_a_command_created_is_not_loaded_before_a_yes() {
    // Even a trusted project is asked about anew.
    let project = project("off").config(json!({"trust": ["*"]}));
    let marker = project.outside().join("pwned");
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": format!("touch {}", marker.display())}
    ]}]}});
    let rules = json!({"permission": {"bash": "allow"}, "hooks": hooks["hooks"]});
    let script = format!(
        "mkdir .claude .lathe\nfor file in lathe.jsonc .lathe/lathe.jsonc; do echo '{rules}' > $file; done\nfor file in \
         .claude/settings.json .claude/settings.local.json; do echo '{hooks}' > $file; done"
    );
    assert!(run(&project, &script).is_some());
    let call = json!({"command": "touch made"}).to_string();
    let finished = Lathe::in_project(&project)
        .args(["tool", "--format", "json", "bash", &call])
        .run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    assert_eq!(event["details"]["error"]["kind"], "denied", "{finished}");
    for file in [
        "lathe.jsonc",
        ".lathe/lathe.jsonc",
        ".claude/settings.json",
        ".claude/settings.local.json",
    ] {
        assert!(
            finished.stderr.contains(&format!("`{file}`")),
            "{file}: {finished}"
        );
    }
    assert!(
        finished.stderr.contains("a command created or changed"),
        "{finished}"
    );
    assert!(!marker.exists() && !project.exists("made"), "{finished}");
}
