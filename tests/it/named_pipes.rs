//! Commands that run unasked beside a named pipe, or a device, in place of a file that they open by themselves: they are
//! ended with a sentence that names it.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{Lathe, Project};

/// Far below the timeout of a command, and far above what the machine needs when it is busy.
const SOON: Duration = Duration::from_secs(40);

fn project() -> Project {
    let project = Project::new()
        .file("a.txt", "needle\n")
        .file("sub/b.txt", "needle\n")
        .git();
    project.write("a.txt", b"needle two\n");
    project
}

fn put_pipe(project: &Project, place: &str) {
    let path = project.path(place);
    let _ = fs::remove_file(&path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The result of a command that nobody is asked about, and soon.
#[track_caller]
fn soon(project: &Project, command: &str) -> Value {
    let began = Instant::now();
    let call = json!({"command": command}).to_string();
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", "bash", &call])
        .run();
    assert!(began.elapsed() < SOON, "{command}: {finished}");
    serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"))
}

fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    found.is_ok_and(|output| output.status.success())
}

#[test]
fn a_command_that_waits_for_a_named_pipe_is_ended_and_names_it() {
    for (place, command) in [
        ("pipe", "cat pipe"),
        ("pipe", "cat < pipe"),
        ("pipe", "head -1 a.txt pipe"),
        ("pipe", "cat a.txt | grep -f pipe x"),
        ("sub/.gitattributes", "git status"),
        (".mailmap", "git log"),
        ("sub/.gitignore", "git status"),
    ] {
        let project = project();
        put_pipe(&project, place);
        if place == "sub/.gitignore" {
            project.write("sub/new", b"");
        }
        let result = soon(&project, command);
        let text = result["output"].as_str().unwrap();
        if result["ok"] == true || result["details"]["error"]["kind"] == "denied" {
            // It was not opened, or somebody would be asked.
            assert!(!place.starts_with("pipe"), "{command}: {result}");
            continue;
        }
        assert_eq!(result["details"]["error"]["kind"], "io", "{command}: {result}");
        let expected = format!(
            "Error: the command waits for the named pipe `{place}`, which sends nothing, and was ended; nothing was \
             changed"
        );
        assert_eq!(text.lines().next(), Some(&*expected), "{command}: {result}");
    }
}

#[test]
fn no_file_of_the_project_makes_an_unasked_command_wait() {
    let places = [
        ".ignore",
        ".gitignore",
        ".rgignore",
        "sub/.ignore",
        "sub/.gitignore",
        ".git/config",
        ".git/index",
        ".git/HEAD",
        ".git/packed-refs",
        ".git/info/exclude",
        ".git/info/attributes",
        ".git/commondir",
        ".git/objects/info/alternates",
        ".gitattributes",
        "sub/.gitattributes",
        ".mailmap",
        ".gitmodules",
    ];
    let mut commands = vec!["git status", "git log -p -1", "git blame a.txt"];
    if is_there("rg") {
        commands.push("rg needle");
    }
    // Most of the time is spent on waiting.
    std::thread::scope(|scope| {
        for place in places {
            let commands = &commands;
            scope.spawn(move || {
                let project = project();
                put_pipe(&project, place);
                for command in commands {
                    let result = soon(&project, command);
                    let is_told = result["details"]["error"]["kind"] != "timeout"
                        && !result["output"].as_str().unwrap().is_empty();
                    assert!(is_told, "{place}, {command}: {result}");
                }
            });
        }
    });
}

#[test]
fn a_link_to_the_command_s_own_output_makes_it_wait_no_longer() {
    if !is_there("rg") {
        eprintln!("skipped: there is no rg");
        return;
    }
    for target in ["/dev/stdout", "/proc/self/fd/1", "/dev/ptmx"] {
        let project = project();
        symlink(target, project.path(".ignore")).unwrap();
        for command in ["rg needle", "rg needle | cat"] {
            let result = soon(&project, command);
            assert_ne!(
                result["details"]["error"]["kind"], "timeout",
                "{target}: {result}"
            );
        }
    }
}
