//! Search beside the programs that people use for it: the same files, and the same lines, on one tree.
//!
//! A program that is not installed has its tests skipped by name.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::run::{events_of, of_kind, project_with};
use crate::screen::{interrupt, open, say};
use crate::support::{Lathe, Project, Server, Turn, plant};

const FILES: usize = 1200;

fn project() -> Project {
    let project = Project::new().git();
    plant(&project.root(), FILES);
    project
}

/// Returns the details of a tool's answer.
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

/// Calls a tool, with what lies outside allowed or left to ask.
fn call(project: &Project, tool: &str, args: &Value, mode: &str) -> Value {
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", "--permission-mode", mode, tool])
        .arg(args.to_string())
        .run();
    serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"))
}

#[test]
fn a_pattern_that_leads_outside_asks_like_a_path() {
    let project = Project::new().file("src/a.rs", "").file("b.rs", "").git();
    let outside = project.outside();
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("deep/found.rs"), "").unwrap();
    fs::write(project.home().join("found.rs"), "").unwrap();
    let above = outside.parent().unwrap().display().to_string();
    let name = outside.file_name().unwrap().to_str().unwrap();
    let depth = project.root().components().count() - 1;
    let up = "../".repeat(depth);
    let absolute = outside.display().to_string();
    for (pattern, found) in [
        ("/etc/*".to_owned(), None),
        ("/etc/passwd".to_owned(), None),
        ("../*".to_owned(), None),
        ("a/../../*".to_owned(), None),
        ("*/../../*".to_owned(), None),
        ("src/../../x".to_owned(), None),
        ("~/*.rs".to_owned(), Some("found.rs")),
        (format!("{up}etc/*"), None),
        (format!("{{b,{absolute}/deep/found}}.rs"), Some("found.rs")),
        (format!("{absolute}/**/*.rs"), Some("found.rs")),
        (format!("{absolute}/de*/found.rs"), Some("found.rs")),
        (
            format!("{up}{}/{name}/**", above.trim_start_matches('/')),
            Some("found.rs"),
        ),
    ] {
        let args = json!({"pattern": pattern});
        let asked = call(&project, "glob", &args, "ask");
        assert_eq!(asked["details"]["error"]["kind"], "denied", "{pattern}: {asked}");
        assert_eq!(asked["details"]["error"]["key"], "external_directory", "{asked}");
        let several = json!({"pattern": ["*.rs", pattern]});
        let several = call(&project, "glob", &several, "ask");
        assert_eq!(several["details"]["error"]["kind"], "denied", "{pattern}");
        let allowed = call(&project, "glob", &args, "yolo");
        assert_eq!(allowed["ok"], true, "{allowed}");
        if let Some(found) = found {
            assert!(
                allowed["output"].as_str().unwrap().contains(found),
                "{pattern}: {allowed}"
            );
        }
    }
}

#[test]
fn a_pattern_never_leads_through_a_link_and_filters_never_lead_outside() {
    let project = Project::new().file("src/a.rs", "needle\n").git();
    let outside = project.outside();
    fs::write(outside.join("secret.rs"), "needle\n").unwrap();
    std::os::unix::fs::symlink(&outside, project.path("link")).unwrap();
    let away = format!("{}/**", outside.display());
    for (tool, args) in [
        ("glob", json!({"pattern": "link/*"})),
        ("glob", json!({"pattern": "**/secret.rs"})),
        ("glob", json!({"pattern": "**/../secret.rs"})),
        ("glob", json!({"pattern": "**", "exclude": [away]})),
        ("grep", json!({"pattern": "needle", "include": away})),
        ("grep", json!({"pattern": "needle", "include": "../**,link/*"})),
        ("grep", json!({"pattern": "needle", "exclude": "/etc/*"})),
        ("list", json!({"ignore": ["/etc/*", "../*"]})),
    ] {
        let result = call(&project, tool, &args, "ask");
        assert_eq!(result["ok"], true, "{tool} {args}: {result}");
        assert!(
            !result["output"].as_str().unwrap().contains("secret.rs"),
            "{tool} {args}: {result}"
        );
    }
    // Through the link that is outside, and named as a path it asks.
    let args = json!({"pattern": "x/../link/../link/*", "path": "."});
    assert!(
        !call(&project, "glob", &args, "ask")["output"]
            .as_str()
            .unwrap()
            .contains("secret.rs")
    );
    let args = json!({"pattern": format!("{}/link/*", project.root().display())});
    assert!(
        !call(&project, "glob", &args, "ask")["output"]
            .as_str()
            .unwrap()
            .contains("secret.rs")
    );
}

#[test]
fn absolute_filters_hold_inside_of_the_project() {
    let project = Project::new()
        .file("src/a.rs", "needle\n")
        .file("lib/b.rs", "needle\n")
        .git();
    let root = project.root().canonicalize().unwrap();
    let src = format!("{}/src", root.display());
    let text = |tool: &str, args: Value| {
        call(&project, tool, &args, "ask")["output"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let found = text(
        "grep",
        json!({"pattern": "needle", "include": format!("{src}/**")}),
    );
    assert!(
        found.contains("src/a.rs") && !found.contains("lib/b.rs"),
        "{found}"
    );
    let found = text("list", json!({"ignore": [src.clone()]}));
    assert!(!found.contains("a.rs") && found.contains("b.rs"), "{found}");
    let found = text("glob", json!({"pattern": "**", "exclude": [src]}));
    assert!(!found.contains("a.rs") && found.contains("b.rs"), "{found}");
}

/// Almost 4 kB that no automaton of bounded size can hold, so that each letter takes thousands of steps.
fn heavy_pattern() -> String {
    let part = |number: usize| format!(r"(?:[a-m](?:[a-y ]{{1,{}}}){{10}}[^a-y\s])", 9 + number % 7);
    let pattern = (0..100).map(part).collect::<Vec<_>>().join("|");
    assert!((3500..4096).contains(&pattern.len()));
    pattern
}

/// Two thousand files of plain words, in which the pattern is never found.
fn with_words(server: &Server) -> Project {
    let project = project_with(server);
    let words = "all words here have letters from the first to the one but last\n".repeat(300);
    for number in 0..2000 {
        project.write(format!("d{}/f{number}.txt", number % 20), words.as_bytes());
    }
    project
}

#[test]
fn a_heavy_search_is_cancelled_at_once() {
    for multiline in [false, true] {
        let search = json!({"pattern": heavy_pattern(), "multiline": multiline});
        let server = Server::with([Turn::tool("grep", search), Turn::text("Never.")]);
        let project = with_words(&server);
        let running = events_of(&project).arg("go").spawn();
        running.wait_for_stdout(|text| text.contains(r#""type":"tool_call""#));
        // It is at work and not only about to begin.
        let status = format!("/proc/{}/stat", running.pid());
        let ticks = || {
            let stat = fs::read_to_string(&status).unwrap();
            let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
            fields[11].parse::<u64>().unwrap()
        };
        let before = ticks();
        crate::support::wait_until("the search takes time", || ticks() > before + 100);
        running.signal(rustix::process::Signal::INT);
        let began = Instant::now();
        running.wait_for_stdout(|text| text.contains(r#""type":"tool_result""#));
        let took = began.elapsed();
        let finished = running.wait().assert_code(130);
        assert_eq!(
            of_kind(&finished, "tool_result")[0]["details"]["error"]["kind"],
            "cancelled"
        );
        assert!(
            took < Duration::from_secs(5),
            "{took:?} with multiline: {multiline}"
        );
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    }
}

#[test]
fn the_screen_answers_beside_a_heavy_search() {
    let search = json!({"pattern": heavy_pattern(), "multiline": true});
    let server = Server::with([Turn::tool("grep", search)]);
    let project = with_words(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    terminal.wait_text("Grep");
    for text in ["a", "ab", "abc", "abcd"] {
        let began = Instant::now();
        terminal.keys(&text[text.len() - 1..]);
        terminal.wait_text(&format!("┃ {text}"));
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
    for _ in 0..4 {
        terminal.key(crate::support::Key::Backspace);
    }
    let began = Instant::now();
    interrupt(&terminal);
    terminal.wait_gone("esc again interrupts");
    terminal.wait_text("send");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}
