//! Calls that write, in projects that are made to mislead them: through the program, what is refused tells nothing of a
//! secret, a hard link leads to no other file, and the start is not held up.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Lathe, Project};

/// Much more than a start takes, and much less than what a hostile project cost before.
const START: Duration = Duration::from_secs(30);

fn call(project: &Project, mode: &str, tool: &str, args: &Value) -> Value {
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", "--permission-mode", mode, tool])
        .arg(args.to_string())
        .run();
    let mut result: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    for field in ["duration_ms", "session", "call"] {
        result[field].take();
    }
    result
}

#[test]
fn a_refused_edit_does_not_tell_whether_its_guess_at_a_secret_was_right() {
    let project = Project::new().git().file(".env", "TOKEN=swordfish\n");
    let edit = |old: &str| json!({"file_path": ".env", "old_string": old, "new_string": "x"});
    let replace = |old: &str| json!({"file_path": ".env", "edits": [{"type": "replace", "old_text": old, "new_text": "x"}]});
    for (mode, key) in [("ask", "edit"), ("accept-edits", "read"), ("plan", "edit")] {
        for (tool, right, wrong) in [
            ("edit", edit("TOKEN=s"), edit("TOKEN=q")),
            ("hashline_edit", replace("TOKEN=s"), replace("TOKEN=q")),
        ] {
            let told = call(&project, mode, tool, &right);
            assert_eq!(told["details"]["error"]["kind"], "denied", "{told}");
            assert_eq!(told["details"]["error"]["key"], key, "{told}");
            assert_eq!(told, call(&project, mode, tool, &wrong));
        }
    }
    assert_eq!(project.read(".env"), "TOKEN=swordfish\n");
}

#[test]
fn a_hard_link_leads_to_no_other_file() {
    let project = Project::new().git().file("README.md", "read me\n");
    let config = project.read(".git/config");
    fs::hard_link(project.path(".git/config"), project.path("x.txt")).unwrap();
    let args = json!({"file_path": "x.txt", "old_string": "[core]", "new_string": "[core]\n\tfsmonitor = touch pwned"});
    let result = call(&project, "accept-edits", "edit", &args);
    let output = result["output"].as_str().unwrap();
    assert!(
        output.ends_with("`x.txt` had 1 other name (a hard link), which keeps the text of before."),
        "{result}"
    );
    assert_eq!(project.read(".git/config"), config);
    assert!(project.read("x.txt").contains("fsmonitor"));
    fs::create_dir_all(project.path(".lathe/plans")).unwrap();
    fs::hard_link(project.path("README.md"), project.path(".lathe/plans/hard.md")).unwrap();
    let args = json!({"file_path": ".lathe/plans/hard.md", "content": "x"});
    assert_eq!(call(&project, "plan", "write", &args)["ok"], true);
    assert_eq!(project.read("README.md"), "read me\n");
}

fn start(project: &Project) {
    let finished = Lathe::in_project(project)
        .args(["tool", "read", r#"{"file_path": "a.txt"}"#])
        .deadline(START)
        .run();
    assert!(finished.success().stdout.contains("text of a"));
}

#[test]
fn links_to_links_do_not_hold_the_start_up() {
    let project = Project::new().git().file("a.txt", "text of a\n");
    for level in 0..7 {
        let here = project.path(format!("z{level}"));
        fs::create_dir(&here).unwrap();
        for link in 0..12 {
            symlink(format!("../z{}", level + 1), here.join(format!("l{link}"))).unwrap();
        }
    }
    fs::create_dir(project.path("z7")).unwrap();
    for link in 0..2000 {
        symlink(".", project.path(format!("z7/l{link}"))).unwrap();
    }
    for name in ["commands", "agents"] {
        fs::create_dir_all(project.path(format!(".lathe/{name}"))).unwrap();
        symlink("../../z0", project.path(format!(".lathe/{name}/s"))).unwrap();
    }
    start(&project);
}

#[test]
fn aliases_in_front_matter_do_not_hold_the_start_up() {
    let project = Project::new().git().file("a.txt", "text of a\n");
    let nine = |name: &str| vec![format!("*{name}"); 9].join(",");
    let long = "x".repeat(30_000);
    let command = format!(
        "---\nq: &a \"{long}\"\nb0: &b0 [{}]\nb1: &b1 [{}]\nb2: &b2 [{}]\ndescription: *b2\n---\nx\n",
        nine("a"),
        nine("b0"),
        nine("b1"),
    );
    for number in 0..30 {
        project.write(format!(".lathe/commands/x{number}.md"), command.as_bytes());
        project.write(format!(".lathe/agents/x{number}.md"), command.as_bytes());
    }
    start(&project);
}
