//! Tasks with work trees of their own, through `lathe run` and `lathe worktrees`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::run::{events_of, of_kind, project_with, reason};
use crate::support::{Finished, Gate, Lathe, Project, Server, Turn};

/// A text that stands in the requests of agent `helper` alone.
const HELPER: &str = "You are the helper of these tests.";
/// Git with an identity to commit in a tree: the tests have none of their own.
const GIT: &str = "git -c user.name=t -c user.email=t@t";

fn project(server: &Server) -> Project {
    project_with_rules(server, &json!({"edit": "allow", "bash": "allow"}))
}

fn project_with_rules(server: &Server, rules: &Value) -> Project {
    let config = json!({
        "permission": rules,
        "agents": {"helper": {"description": "Helps", "mode": "subagent", "prompt": HELPER}},
    });
    let project = project_with(server).config(config);
    project
        .file("a.txt", "one\ntwo\nthree\n")
        .file(".gitignore", "*.log\n")
        .git()
}

fn isolated(prompt: &str) -> Value {
    json!({"subagent_type": "helper", "description": "look around", "prompt": prompt, "isolation": "worktree"})
}

fn bash(command: &str) -> Turn {
    Turn::tool("bash", json!({"command": command}))
}

/// Runs one isolated task whose agent does this, and then ends.
fn task_that(project: &Project, server: &Server, work: impl IntoIterator<Item = Turn>) -> Finished {
    server.script([Turn::tool("task", isolated("do it")), Turn::text("Done.")]);
    let work = work.into_iter().chain([Turn::text("Worked.")]);
    server.script_for(HELPER, work);
    events_of(project).arg("go").run().success()
}

fn worktrees(project: &Project, words: &[&str]) -> Lathe {
    Lathe::in_project(project).arg("worktrees").args(words)
}

fn list(project: &Project) -> Vec<Value> {
    let finished = worktrees(project, &["list", "--json"]).run().success();
    finished.json()["worktrees"].as_array().unwrap().clone()
}

/// The only tree that there is.
#[track_caller]
fn tree(project: &Project) -> (String, PathBuf, Value) {
    let trees = list(project);
    assert_eq!(trees.len(), 1, "{trees:?}");
    let text = |key: &str| trees[0][key].as_str().unwrap().to_owned();
    (text("task"), text("path").into(), trees[0].clone())
}

/// Makes a repository in the project, with a commit, as its submodule.
fn with_submodule(project: &Project, path: &str) {
    project.write(format!("{path}/lib.txt"), b"lib\n");
    project.run_git(&["-C", path, "init", "-q"]);
    project.run_git(&["-C", path, "add", "."]);
    project.run_git(&["-C", path, "commit", "-qm", "lib"]);
    let modules = format!("[submodule \"{path}\"]\n\tpath = {path}\n\turl = ./{path}\n");
    project.write(".gitmodules", modules.as_bytes());
    project.run_git(&["add", path, ".gitmodules"]);
    project.run_git(&["commit", "-qm", "sub"]);
}

/// A submodule's files are not in a task's tree: the agent is told before it begins, and whoever started it with the result.
#[test]
fn submodules_are_named_to_the_agent_and_in_the_result() {
    let server = Server::start();
    let project = project(&server);
    with_submodule(&project, "vendor/sub");
    let finished = task_that(&project, &server, [bash("ls vendor/sub")]);
    let missing = "the files of the submodule `vendor/sub` are not in the tree";
    let result = result_of(&finished, "task");
    assert!(result["output"].as_str().unwrap().contains(missing), "{result}");
    let requests = requests_of_helper(&server);
    assert!(requests[0].contains(missing), "{}", requests[0]);
}

/// One that is started in the background is told of when it starts.
#[test]
fn submodules_are_named_when_a_task_starts_in_the_background() {
    let server = Server::start();
    let project = project(&server);
    with_submodule(&project, "vendor/sub");
    let mut call = isolated("do it");
    call["run_in_background"] = json!(true);
    server.script([
        Turn::tool("task", call),
        Turn::text("Started."),
        Turn::text("Done."),
    ]);
    server.script_for(HELPER, [Turn::text("Worked.")]);
    let finished = events_of(&project).arg("go").run().success();
    let result = result_of(&finished, "task");
    let started = result["output"].as_str().unwrap();
    assert!(
        started.contains("the files of the submodule `vendor/sub`"),
        "{started}"
    );
    // The twin: a project without submodules has nothing to be told.
    let server = Server::start();
    let project = self::project(&server);
    let finished = task_that(&project, &server, []);
    let result = result_of(&finished, "task");
    assert!(
        !result["output"].as_str().unwrap().contains("submodule"),
        "{result}"
    );
}

fn result_of(finished: &Finished, tool: &str) -> Value {
    let mut results = of_kind(finished, "tool_result");
    results.retain(|result| result["tool"] == tool);
    results.pop().unwrap_or_else(|| panic!("no {tool}: {finished}"))
}

fn requests_of_helper(server: &Server) -> Vec<String> {
    let requests = server.requests();
    let own = requests.iter().filter(|request| request.mentions(HELPER));
    own.map(|request| request.body.to_string()).collect()
}

#[test]
fn an_isolated_task_changes_its_tree_and_the_person_applies_it() {
    let server = Server::start();
    let project = project(&server);
    project.write("not-committed.txt", b"mine\n");
    let git = project.run_git(&["status", "--porcelain"]);
    let work = [
        Turn::tool("read", json!({"file_path": "a.txt"})),
        Turn::tool(
            "edit",
            json!({"file_path": "a.txt", "old_string": "two", "new_string": "2"}),
        ),
        Turn::tool("write", json!({"file_path": "new/n.txt", "content": "1\n2\n"})),
        bash(&format!(
            "cat not-committed.txt && {GIT} add -A && {GIT} commit -q -m work && git status --porcelain"
        )),
        bash("echo built > build.log; mkdir -p .github/workflows && echo x > .github/workflows/ci.yml"),
    ];
    let finished = task_that(&project, &server, work);
    assert_eq!(reason(&finished), "stop", "{finished}");
    for result in of_kind(&finished, "tool_result") {
        assert_eq!(result["ok"], true, "{result}\n{finished}");
    }
    assert_eq!(
        project.run_git(&["status", "--porcelain"]),
        git,
        "the project is as it was"
    );
    assert_eq!(project.read("a.txt"), "one\ntwo\nthree\n");

    let (task, path, listed) = tree(&project);
    let result = result_of(&finished, "task");
    assert_eq!(
        result["output"].as_str().unwrap(),
        format!(
            "task_id: {task}\nworktree: {} (+4 −1, 3 files; the user applies them)\n\
             changed: .github/workflows/ci.yml, a.txt, new/n.txt\n\n<task_result>\nWorked.\n</task_result>",
            path.display()
        )
    );
    assert_eq!(result["details"]["worktree"]["files"], 3);
    assert!(path.starts_with(project.data_dir().join("worktrees")) && path.ends_with(&task));
    let session = task.replace("tsk_", "ses_");
    for (key, value) in [
        ("session", json!(session)),
        ("additions", json!(4)),
        ("deletions", json!(1)),
        ("files", json!(3)),
        ("state", json!("unapplied")),
    ] {
        assert_eq!(listed[key], value, "{listed}");
    }
    assert_eq!(listed["base"].as_str().unwrap().len(), 40, "{listed}");
    let events = of_kind(&finished, "task");
    assert!(
        events
            .iter()
            .all(|event| event["worktree"] == path.to_str().unwrap()),
        "{finished}"
    );

    let diff = worktrees(&project, &["diff", &task]).run().success().stdout;
    assert!(
        diff.contains("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"),
        "{diff}"
    );
    assert!(
        diff.contains("--- /dev/null\n+++ b/new/n.txt\n@@ -0,0 +1,2 @@\n+1\n+2\n"),
        "{diff}"
    );
    let refused = worktrees(&project, &["remove", &task]).run().assert_code(1);
    assert!(
        refused.stderr.contains("3 changed files not applied yet"),
        "{refused}"
    );
    assert!(path.is_dir());

    let index = fs::read(project.path(".git/index")).unwrap();
    let applied = worktrees(&project, &["apply", &session, "--json"])
        .run()
        .success();
    assert_eq!(
        applied.json(),
        json!({"applied": [".github/workflows/ci.yml", "a.txt", "new/n.txt"], "conflicts": []})
    );
    assert_eq!(project.read("a.txt"), "one\n2\nthree\n");
    assert_eq!(project.read("new/n.txt"), "1\n2\n");
    assert_eq!(fs::read(project.path(".git/index")).unwrap(), index);
    assert_eq!(tree(&project).2["state"], "applied");
    let removed = worktrees(&project, &["remove", &task]).run().success();
    assert_eq!(removed.stdout, format!("removed {task} · with 1 ignored file\n"));
    assert_eq!(list(&project), [] as [Value; 0]);
    assert!(!path.exists());
}

#[test]
fn nothing_of_an_isolated_task_reaches_the_project() {
    let server = Server::start();
    let project = project(&server);
    let root = project.root();
    let main = |name: &str| root.join(name).display().to_string();
    let git = main(".git");
    let work = [
        Turn::tool("read", json!({"file_path": main("a.txt")})),
        Turn::tool("grep", json!({"pattern": "two", "path": root})),
        Turn::tool("write", json!({"file_path": main("b.txt"), "content": "x"})),
        Turn::tool(
            "edit",
            json!({"file_path": main("a.txt"), "old_string": "two", "new_string": "2"}),
        ),
        bash(&format!("echo x > {}", main("b.txt"))),
        bash(&format!("rm -rf {}", main("a.txt"))),
        bash(&format!("git --git-dir={git} update-ref refs/heads/x HEAD")),
        bash(&format!("git push -q {git} HEAD:refs/heads/x")),
        bash("echo x >> .git/config; echo x > .git/hooks/pre-commit; echo / > .git/objects/info/alternates"),
        bash(
            "for object in $(cat .git/objects/info/alternates)/*/*; do chmod u+w $object; echo x > $object; done",
        ),
        Turn::tool(
            "write",
            json!({"file_path": ".git/hooks/pre-commit", "content": "x"}),
        ),
    ];
    let before = everything(&root);
    let finished = task_that(&project, &server, work);
    assert_eq!(everything(&root), before, "{finished}");
    let results = of_kind(&finished, "tool_result");
    let of = |tool: &str| -> Vec<&Value> { results.iter().filter(|result| result["tool"] == tool).collect() };
    assert_eq!(
        of("read")[0]["ok"],
        true,
        "reading the project is free: {finished}"
    );
    assert_eq!(of("grep")[0]["ok"], true, "{finished}");
    for result in of("write").into_iter().chain(of("edit")) {
        assert_eq!(result["details"]["error"]["kind"], "denied", "{result}");
    }
    let hint = of("edit")[0]["output"].as_str().unwrap();
    let (_, path, listed) = tree(&project);
    assert!(
        hint.contains(&format!("Change `{}` instead", path.join("a.txt").display())),
        "{hint}"
    );
    assert_eq!(listed["state"], "empty", "{listed}");
    assert_eq!(fs::read_dir(path.join(".git/hooks")).unwrap().count(), 0);
    for result in of("bash") {
        let output = result["output"].as_str().unwrap();
        let is_refused = result["ok"] == false || result["details"]["exit"] != 0 || output.contains("denied");
        assert!(is_refused || output.contains("Read-only"), "{result}");
    }
}

/// Every file below a directory, with its bytes.
fn everything(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                directories.push(entry.path());
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                found.push((entry.path(), bytes));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn reading_git_in_a_tree_is_not_asked_about() {
    let server = Server::start();
    let project = project_with_rules(&server, &json!({"edit": "allow"}));
    let finished = task_that(
        &project,
        &server,
        [bash("git log --oneline"), bash("git status --short")],
    );
    for result in of_kind(&finished, "tool_result") {
        assert_eq!(result["ok"], true, "{result}");
    }
    assert_eq!(of_kind(&finished, "permission"), [] as [Value; 0], "{finished}");
}

#[test]
fn a_conflict_has_status_1_and_nothing_is_written() {
    let server = Server::start();
    let project = project(&server);
    let work = [bash("sed -i s/two/tree/ a.txt && echo new > b.txt")];
    task_that(&project, &server, work);
    project.write("a.txt", b"one\nproject\nthree\n");
    let (task, ..) = tree(&project);
    let conflict = worktrees(&project, &["apply", &task, "--json"])
        .run()
        .assert_code(1);
    assert_eq!(conflict.json(), json!({"applied": [], "conflicts": ["a.txt"]}));
    assert!(
        conflict
            .stderr
            .contains("`a.txt`: the same lines were changed in the project"),
        "{conflict}"
    );
    assert!(!project.exists("b.txt"));
    assert_eq!(project.read("a.txt"), "one\nproject\nthree\n");
    let discarded = worktrees(&project, &["remove", &task, "--discard"])
        .run()
        .success();
    assert!(
        discarded.stderr.contains("lost with the work tree"),
        "{discarded}"
    );
    assert!(discarded.stderr.contains("`a.txt`, `b.txt`"), "{discarded}");
    worktrees(&project, &["remove", &task]).run().assert_code(1);
    worktrees(&project, &["diff", "no-id"]).run().assert_code(2);
}

#[test]
fn what_cannot_have_a_tree_is_told_to_the_model() {
    let server = Server::start();
    let project = project(&server);
    fs::remove_dir_all(project.path(".git")).unwrap();
    server.script([Turn::tool("task", isolated("do it")), Turn::text("Done.")]);
    let finished = events_of(&project).arg("go").run().success();
    let result = result_of(&finished, "task");
    assert_eq!(result["details"]["error"]["kind"], "unavailable", "{result}");
    assert!(
        result["output"]
            .as_str()
            .unwrap()
            .contains("needs a git repository"),
        "{result}"
    );
    assert_eq!(
        of_kind(&finished, "task"),
        [] as [Value; 0],
        "no task was started"
    );
}

#[test]
fn an_agent_s_own_isolation_counts_unless_the_call_says_otherwise() {
    let server = Server::start();
    let project = project(&server).config(json!({"agents": {"helper": {"isolation": "worktree"}}}));
    let call = |isolation: Option<&str>| {
        let mut args = json!({"subagent_type": "helper", "description": "look around", "prompt": "go"});
        if let Some(isolation) = isolation {
            args["isolation"] = json!(isolation);
        }
        Turn::tool("task", args)
    };
    server.script([call(None), call(Some("none")), Turn::text("Done.")]);
    server.script_for(
        HELPER,
        [
            bash("pwd > where.txt"),
            Turn::text("One."),
            bash("pwd > where.txt"),
            Turn::text("Two."),
        ],
    );
    events_of(&project).arg("go").run().success();
    let (_, path, _) = tree(&project);
    let written = fs::read_to_string(path.join("where.txt")).unwrap();
    assert_eq!(written.trim(), path.to_str().unwrap());
    assert_eq!(project.read("where.txt").trim(), project.root().to_str().unwrap());
}

#[test]
fn the_agent_is_told_of_its_tree_behind_the_prompt() {
    let server = Server::start();
    let project = project(&server);
    task_that(&project, &server, []);
    let (_, path, _) = tree(&project);
    let requests = requests_of_helper(&server);
    let told = format!("do it\\n\\n<system-reminder>\\nYou work in `{}`", path.display());
    assert!(requests[0].contains(&told), "{}", requests[0]);
}

#[test]
fn the_model_is_told_once_what_the_person_did_with_a_tasks_changes() {
    let goes_on = |project: &Project, server: &Server| {
        server.script([Turn::text("Hello.")]);
        events_of(project).args(["-c", "hi"]).run().success();
        server.requests().last().unwrap().body.to_string()
    };
    for (words, told) in [
        (&["apply"][..], "The user has applied changes of task"),
        (
            &["remove", "--discard"][..],
            "The user has discarded changes of task",
        ),
    ] {
        let server = Server::start();
        let project = project(&server);
        task_that(&project, &server, [bash("echo work > b.txt")]);
        let before = goes_on(&project, &server);
        assert!(!before.contains("The user has"), "{before}");
        let (task, ..) = tree(&project);
        worktrees(&project, &[words, &[task.as_str()]].concat())
            .run()
            .success();
        for _ in 0..2 {
            let request = goes_on(&project, &server);
            assert_eq!(request.matches(told).count(), 1, "{request}");
            assert!(request.contains("`b.txt`"), "{request}");
        }
    }
}

#[test]
fn setup_runs_first_by_the_rules_of_bash_and_the_task_fails_where_it_does() {
    let server = Server::start();
    let project = project(&server).config(json!({
        "background": {"worktree": {"setup": "echo ready > ready.log && pwd"}}
    }));
    let finished = task_that(&project, &server, [bash("cat ready.log")]);
    let results = of_kind(&finished, "tool_result");
    assert_eq!(results[0]["tool"], "bash", "{finished}");
    let (task, path, listed) = tree(&project);
    assert!(
        results[0]["output"]
            .as_str()
            .unwrap()
            .contains(path.to_str().unwrap()),
        "{finished}"
    );
    assert_eq!(listed["state"], "empty");
    assert!(requests_of_helper(&server)[0].contains("ready.log && pwd"));
    worktrees(&project, &["remove", &task]).run().success();

    for (rules, setup, why) in [
        (json!({"bash": "allow"}), "echo no good; exit 3", "no good"),
        (
            json!({"bash": {"*": "allow", "echo *": "deny"}}),
            "echo x",
            "denied",
        ),
    ] {
        let server = Server::start();
        let project = self::project(&server).config(json!({
            "permission": rules,
            "background": {"worktree": {"setup": setup}}
        }));
        let finished = task_that(&project, &server, []);
        let result = result_of(&finished, "task");
        assert_eq!(result["ok"], false, "{finished}");
        let output = result["output"].as_str().unwrap();
        assert!(
            output.contains("the setup of its work tree failed") && output.contains(why),
            "{output}"
        );
        assert_eq!(requests_of_helper(&server).len(), 0, "the agent has not begun");
    }
}

#[test]
fn a_tree_outlives_a_kill_and_the_next_start_tells_of_it() {
    let server = Server::start();
    let project = project(&server);
    let gate = Gate::new();
    server.script([Turn::tool("task", isolated("do it")), Turn::text("Done.")]);
    server.script_for(
        HELPER,
        [bash("echo work > b.txt"), Turn::text("Worked.").gate(0, &gate)],
    );
    let running = events_of(&project).arg("go").spawn();
    gate.wait_until_reached();
    let (task, path, listed) = tree(&project);
    assert_eq!(listed["state"], "live", "{listed}");
    let refused = worktrees(&project, &["remove", &task, "--discard"])
        .run()
        .assert_code(1);
    assert!(refused.stderr.contains("is running in its tree"), "{refused}");
    let _ = running.kill();
    gate.open();
    assert_eq!(tree(&project).2["state"], "unapplied");
    assert_eq!(fs::read_to_string(path.join("b.txt")).unwrap(), "work\n");

    server.script([Turn::text("Hello.")]);
    let next = Lathe::in_project(&project).args(["run", "hi"]).run().success();
    assert!(
        next.stderr.contains(&format!(
            "1 work tree holds changes that are not applied, of ended task `{task}`"
        )),
        "{next}"
    );
    worktrees(&project, &["apply", &task]).run().success();
    server.script([Turn::text("Hello.")]);
    let next = Lathe::in_project(&project).args(["run", "hi"]).run().success();
    assert!(!next.stderr.contains("work tree"), "{next}");
}

#[test]
fn tasks_of_an_isolated_task_are_held_to_its_tree() {
    let server = Server::start();
    let second = "You are the second helper of these tests.";
    let project = project(&server).config(json!({
        "agents": {"second": {"description": "Helps too", "mode": "subagent", "prompt": second}},
        "background": {"primary_tools": []},
    }));
    let outside = project.path("b.txt");
    server.script([Turn::tool("task", isolated("do it")), Turn::text("Done.")]);
    let task = json!({"subagent_type": "second", "description": "more", "prompt": "go on"});
    server.script_for(HELPER, [Turn::tool("task", task), Turn::text("Worked.")]);
    server.script_for(
        second,
        [
            bash("echo inner > inner.txt"),
            bash(&format!("echo x > {}", outside.display())),
            Turn::tool("write", json!({"file_path": outside, "content": "x"})),
            Turn::text("Inner."),
        ],
    );
    let finished = events_of(&project).arg("go").run().success();
    let (_, path, listed) = tree(&project);
    assert!(path.join("inner.txt").exists(), "{finished}");
    assert!(!outside.exists(), "{finished}");
    assert_eq!(listed["files"], 1);
}

#[test]
fn an_isolated_task_goes_on_in_its_tree_and_in_a_new_one_where_that_is_gone() {
    let server = Server::start();
    let project = project(&server);
    task_that(&project, &server, [bash("echo first > b.txt")]);
    let (task, path, _) = tree(&project);
    let go_on = json!({"task_id": task, "description": "more", "prompt": "go on"});
    server.script([Turn::tool("task", go_on.clone()), Turn::text("Done.")]);
    server.script_for(
        HELPER,
        [bash("cat b.txt; echo second >> b.txt"), Turn::text("Again.")],
    );
    let finished = events_of(&project).args(["-c", "go on"]).run().success();
    assert_eq!(result_of(&finished, "task")["ok"], true, "{finished}");
    assert_eq!(fs::read_to_string(path.join("b.txt")).unwrap(), "first\nsecond\n");
    worktrees(&project, &["apply", &task]).run().success();
    worktrees(&project, &["remove", &task]).run().success();

    server.script([Turn::tool("task", go_on), Turn::text("Done.")]);
    server.script_for(
        HELPER,
        [bash("cat b.txt; echo third >> b.txt"), Turn::text("Again.")],
    );
    events_of(&project).args(["-c", "go on"]).run().success();
    assert_eq!(
        fs::read_to_string(path.join("b.txt")).unwrap(),
        "first\nsecond\nthird\n"
    );
    assert_eq!(tree(&project).2["state"], "unapplied");
}
