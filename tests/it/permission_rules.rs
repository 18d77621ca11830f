//! How rules are written and in which order they count, through the real program.

use serde_json::{Value, json};

use crate::support::{Finished, Lathe, Project, Protocol, Server, Terminal, Turn};

fn call(project: &Project, flags: &[&str], tool: &str, args: &Value) -> (Value, Finished) {
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", tool])
        .arg(args.to_string())
        .args(flags)
        .run();
    let event = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"));
    (event, finished)
}

/// Returns `ran` for a call that ran, else the source of the rule that stopped it.
fn verdict(project: &Project, flags: &[&str], tool: &str, args: &Value) -> String {
    let (event, finished) = call(project, flags, tool, args);
    if event["ok"] == true {
        return "ran".to_owned();
    }
    let error = &event["details"]["error"];
    assert_eq!(error["kind"], "denied", "{finished}");
    error["source"].as_str().unwrap_or_default().replace('`', "")
}

/// Writes the global file, whatever it said before.
fn configure(project: &Project, config: &Value) {
    std::fs::write(project.config_dir().join("lathe.jsonc"), config.to_string()).unwrap();
}

fn touch(project: &Project, flags: &[&str]) -> String {
    verdict(project, flags, "bash", &json!({"command": "touch mark"}))
}

fn rule(action: &str) -> Value {
    json!({"permission": {"bash": {"touch *": action}}})
}

fn with_agent(mut config: Value, action: &str) -> Value {
    config["agents"] = json!({"build": rule(action)});
    config
}

#[test]
fn the_later_of_the_user_s_sources_wins() {
    let project = Project::new();
    let extra = project.path("extra.jsonc").display().to_string();
    let with_extra = ["--config", &*extra];
    let global = project.config_dir().join("lathe.jsonc").display().to_string();
    assert_eq!(touch(&project, &[]), "the defaults");
    let project = project.config(rule("deny"));
    assert_eq!(touch(&project, &[]), global);
    // `--config` counts after the global file, in both directions.
    project.write("extra.jsonc", rule("allow").to_string().as_bytes());
    assert_eq!(touch(&project, &with_extra), "ran");
    let project = project.config(rule("allow"));
    assert_eq!(touch(&project, &[]), "ran");
    project.write("extra.jsonc", rule("deny").to_string().as_bytes());
    assert_eq!(touch(&project, &with_extra), extra);
    // What a file says of the agent counts after what the files say of everybody.
    let project = project.config(with_agent(rule("allow"), "deny"));
    assert_eq!(touch(&project, &[]), global);
    project.write("extra.jsonc", rule("allow").to_string().as_bytes());
    assert_eq!(touch(&project, &with_extra), global);
    let project = project.config(with_agent(rule("deny"), "allow"));
    project.write("extra.jsonc", rule("deny").to_string().as_bytes());
    assert_eq!(touch(&project, &with_extra), "ran");
}

#[test]
fn a_trusted_project_lifts_asks_of_the_defaults_and_the_global_file_alone() {
    let project = Project::new().file("lathe.jsonc", &rule("allow").to_string());
    let extra = project.outside().join("extra.jsonc").display().to_string();
    std::fs::write(&extra, rule("ask").to_string()).unwrap();
    let global = project.config_dir().join("lathe.jsonc").display().to_string();
    assert_eq!(touch(&project, &[]), "the defaults");
    assert_eq!(touch(&project, &["--trust"]), "ran");
    let project = project.config(rule("ask"));
    assert_eq!(touch(&project, &["--trust"]), "ran");
    assert_eq!(touch(&project, &["--trust", "--config", &extra]), extra);
    let project = project.config(rule("deny"));
    assert_eq!(touch(&project, &["--trust"]), global);
    // What a project restricts, the user's own files do not open.
    let project = project.config(rule("allow"));
    let own = project.path("lathe.jsonc").display().to_string();
    for action in ["deny", "ask"] {
        project.write("lathe.jsonc", rule(action).to_string().as_bytes());
        for flags in [&[][..], &["--trust"]] {
            assert_eq!(touch(&project, flags), own, "{action} {flags:?}");
        }
    }
}

#[test]
fn path_patterns_are_tried_on_the_relative_and_the_absolute_path() {
    let project = Project::new().file("src/a.txt", "x\n").git();
    let outside = project.home().join("notes/b.txt");
    std::fs::create_dir_all(outside.parent().unwrap()).unwrap();
    std::fs::write(&outside, "y\n").unwrap();
    let absolute = project.path("src/a.txt").display().to_string();
    let outside = outside.display().to_string();
    for (pattern, given, is_denied) in [
        ("src/a.txt", "src/a.txt", true),
        ("src/a.txt", &*absolute, true),
        (&*absolute, "src/a.txt", true),
        ("src/*", "src/a.txt", true),
        ("*.txt", "src/../src/a.txt", true),
        // The whole path has to match.
        ("a.txt", "src/a.txt", false),
        ("src", "src/a.txt", false),
        ("src/?.txt", "src/a.txt", true),
        ("src/??.txt", "src/a.txt", false),
        ("src/[a].txt", "src/a.txt", false),
        ("~/notes/*", &*outside, true),
        ("$HOME/notes/b.txt", &*outside, true),
        ("~/notes/b.txt", "~/notes/b.txt", true),
    ] {
        configure(
            &project,
            &json!({"permission": {"read": {pattern: "deny"}, "external_directory": "allow"}}),
        );
        let (event, finished) = call(&project, &[], "read", &json!({"file_path": given}));
        assert_eq!(
            event["ok"] == false,
            is_denied,
            "{pattern} on {given}: {finished}"
        );
        if is_denied {
            assert_eq!(
                event["details"]["error"]["rule"],
                format!("read: {pattern} → deny")
            );
        }
    }
}

#[test]
fn a_word_alone_is_about_every_key_and_a_name_about_its_tool() {
    let project = Project::new().file("a", "x\n");
    let write = ("write", json!({"file_path": "new", "content": ""}));
    let read = ("read", json!({"file_path": "a"}));
    let todo = ("todoread", json!({}));
    let edits = json!([{"old_string": "x", "new_string": "y"}]);
    let multiedit = ("multiedit", json!({"file_path": "a", "edits": edits}));
    for (permission, call, runs) in [
        (json!("deny"), &todo, false),
        (json!("ask"), &read, false),
        (json!("allow"), &write, true),
        // A tool's own name counts beside its family's, and the stricter wins.
        (json!({"write": "allow"}), &write, false),
        (json!({"edit": "allow"}), &write, true),
        (json!({"edit": "allow", "write": "ask"}), &write, false),
        (json!({"edit": "allow", "write": "ask"}), &multiedit, true),
        (json!({"edit": "deny", "multiedit": "allow"}), &multiedit, false),
        (json!({"edit": "allow", "multi*": "deny"}), &multiedit, false),
        (json!({"todo*": "deny"}), &todo, false),
        (json!({"Read": "deny"}), &read, false),
        (json!({"*": "deny", "read": "allow"}), &read, true),
        (json!({"read": "allow", "*": "deny"}), &read, false),
    ] {
        project.write("a", b"x\n");
        configure(&project, &json!({"permission": permission}));
        let verdict = verdict(&project, &[], call.0, &call.1);
        assert_eq!(verdict == "ran", runs, "{permission} on {}: {verdict}", call.0);
    }
}

#[test]
fn an_always_proposes_what_the_key_is_about() {
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    let file = outside.join("f.txt").display().to_string();
    std::fs::write(&file, "x\n").unwrap();
    let directory = outside.display();
    let calls = [
        (
            "read",
            json!({"file_path": "deep/.env"}),
            "read deep/.env".to_owned(),
        ),
        (
            "read",
            json!({"file_path": file}),
            format!("external_directory {directory}/*"),
        ),
        (
            "write",
            json!({"file_path": "new.txt", "content": "x"}),
            "edit *".to_owned(),
        ),
        (
            "write",
            json!({"file_path": ".vscode/tasks.json", "content": "x"}),
            "edit * and protected .vscode/tasks.json".to_owned(),
        ),
        (
            "bash",
            json!({"command": "cargo test -p a"}),
            "bash cargo test *".to_owned(),
        ),
        (
            "bash",
            json!({"command": "touch a && mkdir b && touch c"}),
            "bash touch * and bash mkdir *".to_owned(),
        ),
        (
            "bash",
            json!({"command": "echo x > out.txt"}),
            "edit *".to_owned(),
        ),
        ("glob", json!({"pattern": "*.rs"}), "glob *".to_owned()),
        ("grep", json!({"pattern": "x"}), "grep *".to_owned()),
        ("list", json!({}), "list *".to_owned()),
        ("todoread", json!({}), "todoread *".to_owned()),
    ];
    let turns = calls.iter().map(|(tool, args, _)| Turn::tool(tool, args.clone()));
    let server = Server::with(turns);
    let rules = json!({"permission": {"glob": "ask", "grep": "ask", "list": "ask", "todoread": "ask"}});
    let project = Project::new()
        .model(&server, Protocol::Anthropic)
        .file("deep/.env", "S=1\n")
        .config(rules);
    let terminal = Terminal::start(&project, 200, 300, &["--screen-reader"]);
    terminal.wait_text("/help lists the commands.\n>");
    for (place, (tool, args, proposed)) in calls.iter().enumerate() {
        terminal.keys("go\r");
        let asked = |screen: &str| screen.matches(" with a number:").count() == place + 1;
        let screen = terminal.wait_for(asked);
        let mut offered = screen
            .lines()
            .filter_map(|line| line.strip_prefix("2 allow always: "));
        assert_eq!(
            offered.next_back(),
            Some(proposed.as_str()),
            "{tool} {args}\n{screen}"
        );
        terminal.keys("3\r");
        terminal.wait_for(|screen| {
            screen.matches("\nDenied.").count() == place + 1 && screen.trim_end().ends_with('>')
        });
    }
}
