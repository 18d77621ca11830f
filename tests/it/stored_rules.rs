//! Rules that were stored by earlier versions, through the real program.

use serde_json::{Value, json};

use crate::run::project_with;
use crate::screen::say;
use crate::support::{Finished, Lathe, Project, Server, Terminal};

/// Stores rules as an earlier version did that had no floor.
fn store(project: &Project, rules: &[(&str, &str)]) {
    Lathe::in_project(project).arg("permissions").run().success();
    let database = rusqlite::Connection::open(project.data_dir().join("lathe.db")).unwrap();
    for (key, pattern) in rules {
        database
            .execute(
                "INSERT INTO grants (key, pattern, scope, place, created) VALUES (?1, ?2, 'global', '', 0)",
                [key, pattern],
            )
            .unwrap();
    }
}

fn call(project: &Project, tool: &str, args: &Value) -> (bool, Finished) {
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", tool, &args.to_string()])
        .run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    (event["ok"] == true, finished)
}

const WIDE: [(&str, &str); 5] = [
    ("bash", "*"),
    ("bash", "npx *"),
    ("bash", "sed *"),
    ("bash", "sudo *"),
    ("read", "*"),
];

#[test]
fn a_stored_rule_that_is_too_wide_by_now_counts_as_nothing() {
    let project = Project::new().file(".env", "S=1").file("x", "a\n").git();
    store(&project, &WIDE);
    store(
        &project,
        &[
            ("bash", "touch *"),
            ("bash", "git *"),
            ("bash", "rm *"),
            ("bash", "rm -f y"),
        ],
    );
    let bash = |command: &str| call(&project, "bash", &json!({"command": command}));
    for command in [
        "npx cowsay",
        "sed -i 1e x",
        "sudo true",
        "mkdir d",
        // What destroys something is covered by its very text alone.
        "rm x",
        "git push",
    ] {
        let (ok, finished) = bash(command);
        assert!(
            !ok && finished.stdout.contains("has to be asked"),
            "{command}: {finished}"
        );
    }
    assert!(!call(&project, "read", &json!({"file_path": ".env"})).0);
    assert!(bash("touch y").0, "one that is narrow enough counts");
    assert!(bash("rm -f y").0, "and so does the very text");
    assert!(project.exists("x") && !project.exists("d"));
}

#[test]
fn rules_that_count_as_nothing_are_listed_so_everywhere() {
    let server = Server::start();
    let project = project_with(&server).file("a", "a").git();
    store(&project, &WIDE);
    store(&project, &[("bash", "touch *")]);
    let listed = Lathe::in_project(&project).arg("permissions").run().success();
    let too_wide = |line: &&str| line.contains("too broad, ignored");
    let lines: Vec<&str> = listed.stdout.lines().filter(too_wide).collect();
    assert_eq!(lines.len(), WIDE.len(), "{listed}");
    assert!(lines.iter().all(|line| !line.contains("touch")), "{listed}");

    let terminal = Terminal::start(&project, 100, 40, &[]);
    terminal.wait_text("send");
    say(&terminal, "/permissions");
    terminal.wait_for(|screen| screen.matches("too broad, ignored").count() == WIDE.len());
    let screen = terminal.screen();
    let narrow = screen.lines().find(|line| line.contains("touch *"));
    assert!(narrow.is_some_and(|line| !line.contains("too broad")), "{screen}");

    let terminal = Terminal::start(&project, 100, 60, &["--screen-reader"]);
    terminal.wait_text(">");
    terminal.keys("/permissions\r");
    terminal.wait_for(|screen| screen.matches("too broad, ignored").count() == WIDE.len());
}
