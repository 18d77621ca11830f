//! `.git` files anywhere in the project: the directories that they lead to are protected like `.git` itself.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Lathe, Project};

/// A project with a work tree in `sub`, whose repository lies where this says.
fn project(git_file: &str, repository: &Path) -> Project {
    let project = Project::new().file("a.txt", "one\n").git();
    let at = project.path("sub").join(repository);
    make_repository(&at);
    project.write("sub/.git", format!("gitdir: {git_file}\n").as_bytes());
    project
}

fn make_repository(at: &Path) {
    for name in ["objects", "refs", "hooks"] {
        fs::create_dir_all(at.join(name)).unwrap();
    }
    fs::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(at.join("config"), "[core]\n").unwrap();
}

fn call(project: &Project, tool: &str, args: &Value) -> Value {
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", "--permission-mode", "yolo", tool])
        .arg(args.to_string())
        .run();
    serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"))
}

/// No way of writing reaches the directory, in any mode.
#[track_caller]
fn assert_protected(project: &Project, directory: &str) {
    let hook = format!("{directory}/hooks/post-commit");
    let config = format!("{directory}/config");
    for (tool, args) in [
        ("write", json!({"file_path": hook, "content": "x"})),
        ("write", json!({"file_path": config, "content": "x"})),
        (
            "edit",
            json!({"file_path": config, "old_string": "[core]", "new_string": "[x]"}),
        ),
        ("bash", json!({"command": format!("echo x > {hook}")})),
        ("bash", json!({"command": format!("cp a.txt {hook}")})),
        ("bash", json!({"command": format!("echo x | tee -a {config}")})),
        (
            "bash",
            json!({"command": format!("cd {directory} && touch hooks/post-commit")}),
        ),
        ("bash", json!({"command": format!("rm -rf {directory}")})),
        ("bash", json!({"command": format!("mv {directory} elsewhere")})),
    ] {
        let result = call(project, tool, &args);
        assert_eq!(result["details"]["error"]["kind"], "denied", "{args}: {result}");
        assert_eq!(result["details"]["error"]["key"], "protected", "{args}: {result}");
    }
    let at = project.root().join(directory);
    assert_eq!(fs::read_to_string(at.join("config")).unwrap(), "[core]\n");
    assert!(!at.join("hooks/post-commit").exists());
}

#[test]
fn the_directory_that_a_git_file_names_is_protected() {
    assert_protected(&project("../store", Path::new("../store")), "store");
    assert_protected(&project("../deep/er/x", Path::new("../deep/er/x")), "deep/er/x");
    let outside = project("../../store", Path::new("../../store"));
    assert_protected(&outside, "../store");
    assert_protected(&outside, outside.outside().join("store").to_str().unwrap());
}

#[test]
fn links_and_chains_lead_to_protected_directories_too() {
    let linked = project("../link", Path::new("../store"));
    symlink("store", linked.path("link")).unwrap();
    assert_protected(&linked, "store");
    assert_protected(&linked, "link");

    let through_link = project("x", Path::new("../store"));
    fs::remove_file(through_link.path("sub/.git")).unwrap();
    symlink("../store", through_link.path("sub/.git")).unwrap();
    assert_protected(&through_link, "store");

    let chained = project("../first", Path::new("../common"));
    chained.write("first/HEAD", b"ref: refs/heads/main\n");
    chained.write("first/commondir", b"../common\n");
    assert_protected(&chained, "common");
    let result = call(
        &chained,
        "write",
        &json!({"file_path": "first/HEAD", "content": "x"}),
    );
    assert_eq!(result["details"]["error"]["key"], "protected", "{result}");

    // A directory `.git` may name another for what all work trees share.
    let common = project("x", Path::new("../common"));
    fs::remove_file(common.path("sub/.git")).unwrap();
    common.write("sub/.git/HEAD", b"ref: refs/heads/main\n");
    common.write("sub/.git/commondir", b"../../common\n");
    assert_protected(&common, "common");
}

#[test]
fn what_no_git_file_names_is_written() {
    let project = project("../store", Path::new("../store"));
    make_repository(&project.path("bare"));
    for path in ["sub/a.txt", "store.txt", "stored/a", "bare/config"] {
        let result = call(&project, "write", &json!({"file_path": path, "content": "x"}));
        assert_eq!(result["ok"], true, "{path}: {result}");
    }
    // A file that names the project itself closes nothing.
    project.write("sub/.git", b"gitdir: ..\n");
    let result = call(
        &project,
        "write",
        &json!({"file_path": "src/new.txt", "content": "x"}),
    );
    assert_eq!(result["ok"], true, "{result}");
}

#[test]
fn a_sandbox_keeps_the_directory_as_it_is() {
    let project =
        project("../store", Path::new("../store")).config(json!({"sandbox": {"mode": "workspace-write"}}));
    project.write(
        "script.sh",
        b"echo x > store/hooks/post-commit; echo x > store/config; echo x > free",
    );
    let result = call(&project, "bash", &json!({"command": "bash script.sh"}));
    if result["details"]["error"]["kind"] == "unavailable" {
        eprintln!("skipped: {}", result["output"]);
        return;
    }
    assert_eq!(project.read("store/config"), "[core]\n", "{result}");
    assert!(!project.exists("store/hooks/post-commit"), "{result}");
    assert_eq!(project.read("free"), "x\n");
}
