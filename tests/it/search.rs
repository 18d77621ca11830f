//! Search beside the programs that people use for it: the same files, and the same lines, on one tree.
//!
//! A program that is not installed has its tests skipped by name.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Lathe, Project, plant};

const FILES: usize = 1200;

fn project() -> Project {
    let project = Project::new().git();
    plant(&project.root(), FILES);
    project
}

/// What a tool answers, as its details.
fn details(project: &Project, tool: &str, args: &Value) -> Value {
    let run = Lathe::in_project(project)
        .args(["tool", "--format", "json", tool, &args.to_string()])
        .run()
        .success();
    let event: Value = serde_json::from_str(&run.stdout).expect("one event");
    event["details"].clone()
}

/// The lines that a program prints in the project; `None` where it is not installed.
fn lines(project: &Project, names: &[&str], args: &[&str]) -> Option<BTreeSet<String>> {
    let is_there = |name: &&&str| {
        let mut version = Command::new(name);
        version
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    let Some(program) = names.iter().find(is_there) else {
        eprintln!("skipped: {} is not installed", names[0]);
        return None;
    };
    let mut command = Command::new(program);
    command.args(args).current_dir(project.root()).env_clear();
    command.envs(project.environment());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

fn rg(project: &Project, args: &[&str]) -> Option<BTreeSet<String>> {
    let common = [
        "--no-config",
        "--hidden",
        "--glob=!.git",
        "--no-heading",
        "--color=never",
    ];
    lines(project, &["rg"], &[&common[..], args].concat())
}

#[test]
fn grep_finds_the_lines_that_ripgrep_finds() {
    let project = project();
    for (pattern, flags, args) in [
        ("needle", vec![], json!({})),
        ("NEEDLE", vec!["-i"], json!({"case_sensitive": false})),
        (r"^7\d: (let|délai)\b", vec![], json!({})),
        ("needle", vec!["--glob=*.txt"], json!({"include": "*.txt"})),
        ("needle", vec!["--glob=!*.rs"], json!({"exclude": "*.rs"})),
        ("the needle", vec!["-F"], json!({"literal": true})),
    ] {
        let Some(theirs) = rg(&project, &[&flags[..], &["-n", pattern, "."]].concat()) else {
            return;
        };
        let theirs: BTreeSet<String> = theirs
            .iter()
            .map(|line| line.trim_start_matches("./").to_owned())
            .filter(|line| !line.contains("matches (found"))
            .collect();
        let mut args = args;
        args["pattern"] = json!(pattern);
        args["limit"] = json!(0);
        let details = details(&project, "grep", &args);
        let item = |item: &Value| {
            let [path, text] = ["path", "text"].map(|key| item[key].as_str().unwrap());
            format!("{path}:{}:{text}", item["line"])
        };
        let ours: BTreeSet<String> = details["items"].as_array().unwrap().iter().map(item).collect();
        assert!(!theirs.is_empty(), "{pattern}");
        if theirs.len() <= 1000 {
            assert_eq!(ours, theirs, "{pattern} {args}");
        } else {
            // The details hold the first thousand; the count is of all.
            assert!(ours.is_subset(&theirs), "{pattern} {args}");
        }
        assert_eq!(details["matches"], json!(theirs.len()), "{pattern} {args}");
    }
}

#[test]
fn glob_finds_the_files_that_fd_finds() {
    let project = project();
    for (pattern, args) in [
        ("*.rs", vec!["--glob", "*.rs"]),
        ("größe*", vec!["--glob", "größe*"]),
        ("src/**/*.txt", vec!["--glob", "--full-path", "**/src/**/*.txt"]),
    ] {
        let common = ["--hidden", "--exclude=.git", "--type=f", "--color=never"];
        let Some(theirs) = lines(&project, &["fd", "fdfind"], &[&common[..], &args[..]].concat()) else {
            return;
        };
        let theirs: BTreeSet<String> = theirs
            .iter()
            .map(|path| path.trim_start_matches("./").to_owned())
            .collect();
        let details = details(&project, "glob", &json!({"pattern": pattern, "limit": 1000}));
        let path = |file: &Value| file["path"].as_str().unwrap().to_owned();
        let ours: BTreeSet<String> = details["files"].as_array().unwrap().iter().map(path).collect();
        assert!(!theirs.is_empty(), "{pattern}");
        assert_eq!(details["total"], json!(theirs.len()), "{pattern}");
        assert!(theirs.len() > 1000 || ours == theirs, "{pattern}");
        assert!(ours.is_subset(&theirs), "{pattern}");
    }
}

#[test]
fn what_git_ignores_everywhere_is_left_out_of_every_search() {
    let project = Project::new().git();
    for path in ["kept.rs", "mine.bak", "deep/mine.bak"] {
        project.write(path, b"needle\n");
    }
    project.write(project.home().join(".config/git/ignore"), b"*.bak\n");
    let glob = details(&project, "glob", &json!({"pattern": "*.{rs,bak}"}));
    assert_eq!(glob["total"], 1, "{glob}");
    assert_eq!(glob["files"][0]["path"], "kept.rs");
    let grep = details(&project, "grep", &json!({"pattern": "needle"}));
    assert_eq!(
        (&grep["matches"], &grep["files"]),
        (&json!(1), &json!(1)),
        "{grep}"
    );
    let list = details(&project, "list", &json!({}));
    assert_eq!(list["files"], 1, "{list}");
}
