//! Permission rules in settings files of Claude Code, and what is found of other agents, through the real program.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::run::{events_of, of_kind, project_with};
use crate::screen::say;
use crate::screen_trust::give_trust;
use crate::support::{Finished, Key, Lathe, Project, Server, Terminal, Turn};

const SHARED: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";
const OWN: &str = "../home/.claude/settings.json";

fn rules(action: &str, rules: &[&str]) -> String {
    json!({"permissions": {action: rules}}).to_string()
}

fn call(project: &Project, options: &[&str], tool: &str, args: &Value) -> (bool, Finished) {
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", tool, &args.to_string()])
        .args(options)
        .run();
    let event: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    (event["ok"] == true, finished)
}

fn bash(project: &Project, options: &[&str], command: &str) -> (bool, Finished) {
    call(project, options, "bash", &json!({"command": command}))
}

const YOLO: &[&str] = &["--permission-mode", "yolo"];

#[test]
fn what_is_denied_holds_at_once_wherever_it_stands() {
    for file in [SHARED, LOCAL, OWN] {
        let project = Project::new().git();
        project.write(file, rules("deny", &["Bash(touch:*)"]).as_bytes());
        let (ok, finished) = bash(&project, YOLO, "touch a");
        assert!(!ok && !project.exists("a"), "{file}: {finished}");
        let named = project.path(file);
        let named = named.canonicalize().unwrap();
        assert!(
            finished.stdout.contains("`bash`: `touch *`")
                && finished.stdout.contains(named.to_str().unwrap()),
            "{file}: {finished}"
        );
        assert!(bash(&project, YOLO, "mkdir b").0, "{file}");
    }
}

#[test]
fn an_ask_holds_at_once_and_a_deny_wins_over_it_and_an_allow() {
    let project = Project::new()
        .config(json!({"permission": {"bash": "allow"}}))
        .file(SHARED, &rules("allow", &["Bash"]))
        .git();
    project.write(
        LOCAL,
        json!({"permissions": {"ask": ["Bash(touch:*)"], "deny": ["Bash(touch b)"]}})
            .to_string()
            .as_bytes(),
    );
    for trust in [&[][..], &["--trust"]] {
        assert!(bash(&project, trust, "mkdir -p d").0);
        let (ok, finished) = bash(&project, trust, "touch a");
        assert!(!ok && finished.stdout.contains("has to be asked"), "{finished}");
        let with = [trust, YOLO].concat();
        assert!(bash(&project, &with, "touch a").0);
        let (ok, finished) = bash(&project, &with, "touch b");
        assert!(
            !ok && finished.stdout.contains("is denied by the rule"),
            "{finished}"
        );
    }
}

#[test]
fn what_the_project_s_file_allows_waits_for_trust() {
    let project = Project::new()
        .file(SHARED, &rules("allow", &["Bash(touch:*)", "Edit(docs/**)"]))
        .git();
    let (ok, finished) = bash(&project, &[], "touch a");
    assert!(!ok, "{finished}");
    let part = "`permissions.allow` in `.claude/settings.json`";
    assert!(finished.stderr.contains(part), "{finished}");
    assert!(bash(&project, &["--trust"], "touch a").0);
    let write = |path: &str| {
        let args = json!({"file_path": path, "content": "x"});
        call(&project, &["--trust"], "write", &args).0
    };
    assert!(write("docs/a.md") && !write("other.md"));
    assert!(!write(".claude/settings.json"), "protected all the same");
}

#[test]
fn files_that_are_denied_are_shown_by_nothing() {
    let server = Server::with([
        Turn::tool("grep", json!({"pattern": "word-of"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .file("notes/plan.md", "word-of-the-day\n")
        .file("open.md", "word-of-mouth\n")
        .file(SHARED, &rules("deny", &["Read(./notes/**)", "Read(AGENTS.md)"]))
        .file("AGENTS.md", "Be kind to word-of-mine.\n")
        .git();
    let (ok, finished) = call(&project, YOLO, "read", &json!({"file_path": "notes/plan.md"}));
    assert!(!ok, "{finished}");
    let (ok, finished) = bash(&project, YOLO, "cat notes/plan.md");
    assert!(!ok, "{finished}");
    Lathe::in_project(&project).args(["run", "go"]).run().success();
    let sent = format!("{:?}", server.requests());
    assert!(sent.contains("word-of-mouth"), "{sent}");
    assert!(
        !sent.contains("word-of-the-day") && !sent.contains("word-of-mine"),
        "{sent}"
    );
}

#[test]
fn a_rule_without_a_form_is_named_and_makes_the_whole_tool_ask() {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    let project = project_with(&server)
        .config(json!({"permission": {"bash": "allow"}}))
        .file(SHARED, &rules("deny", &["Bash(curl * | sh)"]))
        .git();
    let (ok, finished) = bash(&project, &[], "ls");
    assert!(!ok && finished.stdout.contains("has to be asked"), "{finished}");
    assert!(bash(&project, YOLO, "ls").0);
    let run = events_of(&project).arg("go").run().success();
    let said = "found but not used: `Bash(curl * | sh)` in `.claude/settings.json` (lathe's rules cannot express it; \
                the whole tool asks instead)";
    assert_eq!(run.stderr.trim_end(), format!("lathe: {said}"), "{run}");
    let doctor = Lathe::in_project(&project).arg("doctor").run();
    assert!(doctor.stdout.contains("`Bash(curl * | sh)` in"), "{doctor}");
}

#[test]
fn a_rule_for_a_tool_that_there_is_not_says_what_asks_instead() {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    let project = project_with(&server)
        .file(SHARED, &rules("deny", &["Frobnicate"]))
        .git();
    let run = events_of(&project).arg("go").run().success();
    let said = "`Frobnicate` in `.claude/settings.json` (lathe has no such tool; a custom tool of that name would ask)";
    assert!(run.stderr.contains(said), "{run}");
}

#[test]
fn what_is_found_of_other_agents_and_not_used_is_named_in_one_line() {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    let settings = json!({"model": "opus", "permissions": {"defaultMode": "bypassPermissions"}});
    let project = project_with(&server)
        .file(SHARED, &settings.to_string())
        .file(".mcp.json", "{}")
        .file(".cursorrules", "Be terse.")
        .file(".opencode/tool/x.ts", "")
        .git();
    let run = events_of(&project).arg("go").run().success();
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{run}");
    for named in [
        "found but not used: ",
        "`permissions.defaultMode` in `.claude/settings.json`",
        "`model` in",
        "`.mcp.json` (there are no MCP servers in this build",
        "`.cursorrules` (",
        "`.opencode/tool` (",
    ] {
        assert!(lines[0].contains(named), "{named}: {run}");
    }
    let doctor = Lathe::in_project(&project).arg("doctor").run();
    for named in ["permissions.defaultMode", ".mcp.json", ".cursorrules"] {
        assert!(doctor.stdout.contains(named), "{named}: {doctor}");
    }
    let (ok, _) = bash(&project, &[], "touch a");
    assert!(!ok, "no mode is taken from there");
}

#[test]
fn the_line_stays_short_and_steers_no_terminal() {
    let long = format!("Bash({} | sh)", "a ".repeat(5000));
    let many: Vec<String> = (0..20).map(|number| format!("Bash({number} && x)")).collect();
    let mut settings = json!({"permissions": {"allow": many, "deny": [long]}});
    settings["\u{1b}]0;title\u{7}"] = json!(1);
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    let project = project_with(&server).file(SHARED, &settings.to_string()).git();
    let run = events_of(&project).args(["--trust", "go"]).run().success();
    assert_eq!(run.stderr.lines().count(), 1, "{run}");
    assert!(run.stderr.len() < 1500 && !run.stderr.contains('\u{1b}'), "{run}");
    assert!(
        run.stderr.contains("16 more, which `lathe doctor` lists"),
        "{run}"
    );
}

#[test]
fn a_broken_settings_file_is_named_and_loses_nothing() {
    let broken = r#"{"permissions": {"deny": ["Bash(touch:*)"}}"#;
    let project = Project::new()
        .config(json!({"permission": {"bash": "allow"}}))
        .file(SHARED, broken)
        .git();
    project.write(LOCAL, rules("deny", &["Bash(mkdir:*)"]).as_bytes());
    let (ok, finished) = bash(&project, &[], "touch a");
    assert!(!ok && finished.stdout.contains("has to be asked"), "{finished}");
    let shown = Lathe::in_project(&project)
        .args(["config", "show"])
        .run()
        .success();
    assert!(shown.stderr.contains(".claude/settings.json:1:"), "{shown}");
    assert!(!bash(&project, YOLO, "mkdir b").0, "the other file's rules hold");
    // Without rules that restrict nothing can be lost.
    project.write(SHARED, b"{");
    assert!(bash(&project, &[], "touch a").0);
    // Those of the user, like their configuration, are mended first.
    project.write(OWN, broken.as_bytes());
    let finished = Lathe::in_project(&project).args(["tool", "bash", "{}"]).run();
    let finished = finished.assert_code(2);
    assert!(finished.stderr.contains("settings.json:1:"), "{finished}");
}

#[test]
fn settings_files_that_are_no_files_hold_nothing_up() {
    let project = Project::new().file(".env", "SECRET-OF-ENV").file("a", "a").git();
    let link = project.path(SHARED);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    for target in ["/dev/zero", "../.env"] {
        std::os::unix::fs::symlink(target, &link).unwrap();
        let finished = Lathe::in_project(&project)
            .args(["config", "show"])
            .run()
            .success();
        assert!(
            finished.stderr.contains("settings.json` was left out") && !finished.stderr.contains("SECRET"),
            "{target}: {finished}"
        );
        let (ok, finished) = call(&project, &[], "read", &json!({"file_path": "a"}));
        assert!(ok, "{target}: {finished}");
        std::fs::remove_file(&link).unwrap();
    }
    let made = std::process::Command::new("mkfifo").arg(&link).status().unwrap();
    assert!(made.success() && call(&project, &[], "read", &json!({"file_path": "a"})).0);
}

#[test]
fn config_show_names_the_file_of_each_rule() {
    let project = Project::new()
        .file(SHARED, &rules("allow", &["Bash(npm run build)"]))
        .git();
    project.write(OWN, rules("deny", &["Read(~/.ssh/**)"]).as_bytes());
    let shown = Lathe::in_project(&project)
        .args(["config", "show"])
        .run()
        .success()
        .json();
    let of = |file: &str| {
        let rules = shown["permission"].as_array().unwrap().iter();
        let rules = rules.filter(|rule| Path::new(rule["file"].as_str().unwrap()).ends_with(file));
        rules.cloned().collect::<Vec<Value>>()
    };
    let (own, shared) = (
        of("home/.claude/settings.json"),
        of("project/.claude/settings.json"),
    );
    assert_eq!(own.len(), 1, "{shown}");
    assert_eq!(
        (
            &own[0]["key"],
            &own[0]["pattern"],
            &own[0]["action"],
            &own[0]["origin"]
        ),
        (
            &json!("read"),
            &json!("~/.ssh/*"),
            &json!("deny"),
            &json!("global")
        )
    );
    assert_eq!(
        (&shared[0]["pattern"], &shared[0]["origin"], &shared[0]["ignored"]),
        (
            &json!("npm run build"),
            &json!("project"),
            &json!("the project is not trusted")
        )
    );
}

#[test]
fn a_tool_that_is_denied_whole_is_not_shown_to_a_model() {
    let shown = |project: &Project, tool: &str| {
        let tools = Lathe::in_project(project).arg("tools").run().success().stdout;
        tools.lines().any(|line| line.split(' ').next() == Some(tool))
    };
    let project = Project::new().git();
    assert!(shown(&project, "bash") && shown(&project, "write"));
    let project = project.file(SHARED, &rules("deny", &["Bash(curl:*)", "Bash", "Edit"]));
    assert!(!shown(&project, "bash") && !shown(&project, "write") && shown(&project, "read"));
}

#[test]
fn a_question_names_the_settings_file_and_offers_no_always() {
    let touch = |name: &str| Turn::tool("bash", json!({"command": format!("touch {name}")}));
    let server = Server::with([touch("a"), Turn::text("Done.")]);
    let project = project_with(&server)
        .config(json!({"permission": {"bash": "allow"}}))
        .file(SHARED, &rules("ask", &["Bash(touch:*)"]))
        .git();
    let terminal = Terminal::start(&project, 100, 30, &["-p", "go"]);
    terminal.wait_text("y once");
    terminal.wait_quiet(DEAF);
    assert!(!terminal.screen().contains("a always"), "{}", terminal.screen());
    terminal.keys("d");
    terminal.wait_text(SHARED);
    terminal.keys("y");
    terminal.wait_text("Done.");
    assert!(project.exists("a"));
}

#[test]
fn the_screen_names_what_is_not_used_and_so_does_its_status() {
    let server = Server::start();
    let project = project_with(&server).file(".mcp.json", "{}").git();
    let terminal = Terminal::start(&project, 100, 40, &[]);
    terminal.wait_text("found but not used: `.mcp.json`");
    say(&terminal, "/status");
    terminal.wait_text("other agents    found but not used: `.mcp.json`");
}

/// A project set up for others is used as far as lathe knows its files, and the rest is named.
#[test]
fn a_project_set_up_for_others_works_and_what_does_nothing_is_named() {
    let server = Server::with([Turn::text("Read.")]);
    let project = project_with(&server)
        .file("CLAUDE.md", "Use tabs. See @docs/style.md\n")
        .file("docs/style.md", "Short sentences only.\n")
        .file("CLAUDE.local.md", "The port is 4711.\n")
        .file(".cursorrules", "x")
        .file("opencode.json", "{}")
        .file(".claude/skills/a/SKILL.md", "x")
        .file(
            ".claude/settings.json",
            &json!({"model": "opus", "env": {"A": "1"}}).to_string(),
        )
        .file(
            ".claude/commands/fix.md",
            "---\nallowed-tools: Bash(git:*)\n---\nFix it.",
        )
        .file(
            ".claude/agents/rev.md",
            "---\nname: rev\ndescription: reviews\nmodel: sonnet\n---\nReview.",
        )
        .git();
    let finished = Lathe::in_project(&project).args(["run", "hello"]).run().success();
    let told = finished
        .stderr
        .lines()
        .find(|line| line.contains("found but not used: "));
    assert!(told.is_some(), "{}", finished.stderr);
    let doctor = Lathe::in_project(&project).arg("doctor").run();
    for named in [
        "`model` in `.claude/settings.json`",
        "`env` in `.claude/settings.json`",
        "`allowed-tools` in `.claude/commands/fix.md`",
        "`model: sonnet` in `.claude/agents/rev.md`",
        "`.claude/skills`",
        "`opencode.json`",
        "`.cursorrules`",
    ] {
        assert!(doctor.stdout.contains(named), "{named}: {}", doctor.stdout);
    }
    let request = &server.requests()[0];
    for read in ["Use tabs.", "Short sentences only.", "The port is 4711."] {
        assert!(request.mentions(read), "{read}");
    }
}

/// A question is deaf for a shorter time.
const DEAF: Duration = Duration::from_millis(450);

fn shows_question(terminal: &Terminal) {
    terminal.wait_text("2 trust");
    terminal.wait_quiet(DEAF);
}

fn leave(terminal: &Terminal) {
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("again quits");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_exit();
}

#[test]
fn what_the_user_s_own_file_allows_is_offered_once_and_counts_from_the_yes_on() {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    let project = project_with(&server).file("a", "a").git();
    project.write(OWN, rules("allow", &["Bash(touch:*)"]).as_bytes());
    let (ok, _) = bash(&project, &[], "touch b");
    assert!(!ok);
    let run = events_of(&project).arg("go").run().success();
    assert!(
        run.stderr.contains("it needs your approval") && run.stderr.lines().count() == 1,
        "{run}"
    );
    assert!(of_kind(&run, "error").is_empty(), "{run}");

    let terminal = Terminal::start(&project, 100, 24, &[]);
    shows_question(&terminal);
    let screen = terminal.screen();
    assert!(
        screen.contains(".claude/settings.json?") && screen.contains("permissions.allow"),
        "{screen}"
    );
    give_trust(&terminal);
    terminal.wait_text("send");
    leave(&terminal);
    let (ok, finished) = bash(&project, &[], "touch b");
    assert!(ok && finished.stderr.is_empty(), "{finished}");
    let listed = Lathe::in_project(&project).arg("permissions").run().success();
    assert!(listed.stdout.contains("home/.claude/settings.json"), "{listed}");

    // Not asked again, here or elsewhere, until it changes.
    let terminal = Terminal::start(&project, 100, 24, &[]);
    terminal.wait_text("send");
    assert!(!terminal.screen().contains("2 trust"));
    leave(&terminal);
    project.write(
        OWN,
        rules("allow", &["Bash(touch:*)", "Bash(mkdir:*)"]).as_bytes(),
    );
    assert!(!bash(&project, &[], "mkdir c").0);
    let terminal = Terminal::start(&project, 100, 30, &[]);
    shows_question(&terminal);
    let screen = terminal.screen();
    assert!(
        screen.contains("changed") && screen.contains("Bash(mkdir:*)"),
        "{screen}"
    );
    terminal.key(Key::Right);
    terminal.key(Key::Enter);
    terminal.wait_text("send");
    leave(&terminal);
    assert!(
        bash(&project, &["--trust"], "mkdir c").0,
        "`--trust` is a yes for once"
    );
    let file = project.home().join(".claude/settings.json");
    let revoke = ["permissions", "revoke", file.to_str().unwrap()];
    Lathe::in_project(&project).args(revoke).run().success();
    project.write(OWN, rules("allow", &["Bash(touch:*)"]).as_bytes());
    assert!(!bash(&project, &[], "touch d").0);
}
