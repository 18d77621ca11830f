//! Ignore files and repositories that are no files, through the program: nothing waits, nothing fills the memory, and what
//! was left out is named.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::screen;
use super::support::{Finished, Lathe, Project, Server};

/// Kinds of things that stand in place of a regular file.
const KINDS: &[&str] = &["device", "fifo", "sparse"];

/// Paths that lathe opens by itself.
const PLACES: &[&str] = &[
    ".ignore",
    ".gitignore",
    ".git/info/exclude",
    ".git/config",
    ".git/HEAD",
    ".git/index",
    ".git/packed-refs",
    "sub/.ignore",
    "sub/.gitignore",
    "../.ignore",
    "../.gitignore",
];

fn put(path: &Path, kind: &str) {
    let _ = fs::remove_file(path);
    match kind {
        "device" => symlink("/dev/zero", path).unwrap(),
        "fifo" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        _ => fs::File::create(path).unwrap().set_len(20 << 30).unwrap(),
    }
}

fn project() -> Project {
    Project::new()
        .file("kept.rs", "needle\n")
        .file("sub/kept.rs", "needle\n")
        .file("sub/made.log", "needle\n")
        .git()
}

fn hostile(kind: &str) -> Project {
    let project = project();
    for place in PLACES {
        put(&project.path(place), kind);
    }
    project
}

/// Calls a tool in no more memory than 4 GB of addresses, which a file without an end would fill.
fn call(project: &Project, tool: &str, args: &Value) -> Finished {
    let limited = "ulimit -v 4194304; exec \"$@\"";
    Lathe::program("/bin/sh", project)
        .args([
            "-c",
            limited,
            "sh",
            super::support::LATHE,
            "tool",
            "--format",
            "json",
            tool,
        ])
        .arg(args.to_string())
        .run()
}

fn result(finished: Finished) -> Value {
    serde_json::from_str(&finished.success().stdout).expect("one event")
}

#[test]
fn searches_do_without_ignore_files_that_are_no_files_and_name_them() {
    for kind in KINDS {
        let project = hostile(kind);
        for (tool, args) in [
            ("glob", json!({"pattern": "*.rs"})),
            ("grep", json!({"pattern": "needle"})),
            ("list", json!({})),
        ] {
            let result = result(call(&project, tool, &args));
            let text = result["output"].as_str().unwrap();
            assert!(text.contains("kept.rs"), "{kind} {tool}: {text}");
            let why = match *kind {
                "sparse" => "it has more than 1048576 bytes",
                _ => "it is not a regular file",
            };
            let named = format!("(the rules of .git/info/exclude are left out: {why})");
            assert!(text.contains(&named), "{kind} {tool}: {text}");
            assert!(
                text.contains("more files are left out too)"),
                "{kind} {tool}: {text}"
            );
        }
    }
}

#[test]
fn one_ignore_file_that_is_no_file_leaves_the_others_in_force() {
    let project = project();
    project.write(".gitignore", b"*.log\n");
    put(&project.path(".ignore"), "device");
    let result = result(call(&project, "glob", &json!({"pattern": "sub/*"})));
    assert_eq!(
        result["output"],
        "Found 1 file\n\nsub/kept.rs\n\n(the rules of .ignore are left out: it is not a regular file)"
    );
}

#[test]
fn a_command_that_searches_is_judged_without_them() {
    for kind in KINDS {
        let project = hostile(kind).config(json!({"permission": {"bash": "deny"}}));
        for command in ["rg needle", "grep -r needle .", "rg -L needle sub"] {
            let finished = call(&project, "bash", &json!({"command": command}));
            let text = format!("{}{}", finished.stdout, finished.stderr);
            assert!(
                text.contains("denied") || text.contains("needle"),
                "{kind} {command}: {text}"
            );
        }
    }
}

#[test]
fn the_screen_starts_and_completes_without_them() {
    for kind in KINDS {
        let server = Server::with([]);
        let project = screen::project(&server)
            .file("kept.rs", "")
            .file("sub/other.rs", "")
            .git();
        for place in PLACES {
            put(&project.path(place), kind);
        }
        let terminal = screen::open(&project);
        terminal.keys("@oth");
        terminal.wait_text("other.rs  sub/");
    }
}

#[test]
fn an_ignore_file_may_be_a_link_but_not_to_what_may_not_be_read() {
    let project = project();
    project.write("rules", b"*.log\n");
    symlink("rules", project.path(".ignore")).unwrap();
    let event = result(call(&project, "glob", &json!({"pattern": "sub/*"})));
    assert_eq!(event["output"], "Found 1 file\n\nsub/kept.rs");
    fs::remove_file(project.path(".ignore")).unwrap();
    project.write(".env", b"*.log\n");
    symlink(".env", project.path(".ignore")).unwrap();
    let event = result(call(&project, "glob", &json!({"pattern": "sub/*"})));
    let text = event["output"].as_str().unwrap();
    assert!(
        text.contains("sub/made.log") && text.contains("(the rules of .ignore are left out"),
        "{text}"
    );
}

/// Numbers that are the same on each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

#[test]
fn generated_trees_have_the_files_that_git_lists() {
    const NAMES: &[&str] = &["a", "b", "a.rs", "b.rs", ".a", "target", "x y", "c"];
    const RULES: &[&str] = &[
        "a",
        "/a",
        "a/",
        "*.rs",
        "!*.rs",
        "!a",
        "/b/**",
        "**/a",
        "a/**/b",
        "target/",
        ".*",
        "!.a",
        "x\\ y",
        "[ab]",
        "?",
        "# a",
        "a/b",
        "b/*.rs",
        "/*",
        "!/a",
        "",
        "!b/",
        "**/target/**",
        "*.r?",
        "c/",
    ];
    for seed in 1..13 {
        let mut numbers = Numbers(seed);
        let project = Project::new().git();
        let mut directories = vec![String::new()];
        for _ in 0..60 {
            let above = directories[numbers.below(directories.len())].clone();
            let path = format!("{above}{}", numbers.one_of(NAMES));
            if project.path(&path).exists() || path.matches('/').count() > 4 {
                continue;
            }
            if numbers.below(3) == 0 {
                fs::create_dir(project.path(&path)).unwrap();
                directories.push(format!("{path}/"));
            } else {
                project.write(&path, b"");
            }
        }
        let mut rules = |most: usize| {
            let count = 1 + numbers.below(most);
            let lines: Vec<&str> = (0..count).map(|_| numbers.one_of(RULES)).collect();
            lines.join("\n") + "\n"
        };
        for directory in directories.iter().step_by(2) {
            project.write(format!("{directory}.gitignore"), rules(4).as_bytes());
        }
        project.write(".git/info/exclude", rules(2).as_bytes());
        project.write(project.home().join(".config/git/ignore"), rules(2).as_bytes());
        let theirs = project.run_git(&[
            "-c",
            "core.quotePath=false",
            "ls-files",
            "-co",
            "--exclude-standard",
        ]);
        let theirs: BTreeSet<String> = theirs.lines().map(str::to_owned).collect();
        let event = result(call(&project, "glob", &json!({"pattern": "**", "limit": 1000})));
        let files = event["details"]["files"].as_array().unwrap().iter();
        let ours: BTreeSet<String> = files
            .map(|file| file["path"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(ours, theirs, "seed {seed}");
    }
}

#[test]
fn a_pattern_of_sixty_thousand_brackets_is_an_error_at_once() {
    let project = project();
    let pattern = "(".repeat(60_000);
    let finished = call(&project, "grep", &json!({"pattern": pattern})).assert_code(1);
    assert!(finished.stdout.contains("\"parse\""), "{}", finished.stdout);
    assert!(finished.stdout.contains("60000 bytes"), "{}", finished.stdout);
}
