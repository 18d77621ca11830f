//! The configuration as commands read it, report its mistakes and show it.

use super::*;

#[test]
fn a_mistake_in_the_configuration_is_told_with_its_place_by_every_command_that_reads_it() {
    let project = Project::new().file("lathe.jsonc", "{\n  // ours\n  \"max_stepps\": 3\n}\n");
    let commands: [&[&str]; 6] = [
        &[],
        &["run", "x"],
        &["tools"],
        &["tool", "list", "{}"],
        &["config", "show"],
        &["run", "x", "--format", "json"],
    ];
    for words in commands {
        let finished = lathe(&project, words).run().assert_code(2);
        assert!(finished.stderr.contains("lathe.jsonc:3:3:"), "{finished}");
        assert!(finished.stderr.contains("max_stepps"), "{finished}");
    }
    lathe(&project, &["config", "path"]).run().success();
    lathe(&project, &["config", "schema"]).run().success();
}

#[test]
fn keys_that_cannot_be_meant_are_told_with_their_places() {
    let project = Project::new().file(
        "lathe.jsonc",
        "{ \"keybinds\": {\n  \"editor\": [\"f5\", \"ctrl+e\"],\n  \"composer-send\": \"ctrl+entr\",\n  \"pallete\": \"f1\"\n} }\n",
    );
    for words in [&[][..], &["run", "x"], &["config", "show"]] {
        let finished = lathe(&project, words).run().assert_code(2);
        for sentence in [
            "lathe.jsonc:3:20: `keybinds.composer-send`: `ctrl+entr` is not a key; did you mean `enter`?",
            "lathe.jsonc:4:14: `pallete` is not an action of `keybinds`; did you mean `palette`?",
        ] {
            assert!(finished.stderr.contains(sentence), "{finished}");
        }
    }
    let clash = "{\n  \"keybinds\": {\n    \"editor\": [\"f5\", \"ctrl+e\"] } }\n";
    project.write("lathe.jsonc", clash.as_bytes());
    let finished = lathe(&project, &[]).run().assert_code(2);
    let sentence =
        "lathe.jsonc:3:5: `ctrl+e` is both `editor`, which works anywhere, and `composer-line-end`";
    assert!(finished.stderr.contains(sentence), "{finished}");
    let schema = lathe(&project, &["config", "schema"]).run().success().json();
    let keybinds = &schema["properties"]["keybinds"]["properties"];
    assert!(
        keybinds["composer-line-end"]["description"]
            .as_str()
            .unwrap()
            .ends_with("ctrl+e, end")
    );
}

#[test]
fn a_permission_key_that_does_not_exist_is_told_with_its_place() {
    let project = Project::new().file(
        "lathe.jsonc",
        "{ \"permission\": {\n  \"bsh\": \"deny\", \"github_*\": \"ask\", \"everything_echo\": \"ask\",\n  \"stats_one\": \"ask\", \"nothing_like_it\": \"ask\", \"external_dir\": \"deny\" },\n  \"mcp\": { \"everything\": { \"command\": [\"x\"] } }, \"custom_tools\": [\"./tools/stats.ts\"],\n  \"agents\": { \"a\": { \"permission\": { \"Reed\": \"deny\" } } } }\n",
    );
    for words in [&[][..], &["run", "x"], &["config", "show"]] {
        let finished = lathe(&project, words).run().assert_code(2);
        for sentence in [
            "lathe.jsonc:2:10: `bsh` is not a key of `permission`; did you mean `bash`?",
            "`nothing_like_it` is not a key of `permission`; no configured server",
            "`external_dir` is not a key of `permission`; did you mean `external_directory`?",
            "`Reed` is not a key of `agents.a.permission`; did you mean `read`?",
        ] {
            assert!(finished.stderr.contains(sentence), "{finished}");
        }
        assert_eq!(
            finished.stderr.matches("is not a key of").count(),
            4,
            "{finished}"
        );
    }
}

#[test]
fn names_of_other_programs_are_keys_of_rules() {
    let project = Project::new()
        .config(json!({"permission": {"Bash": {"echo *": "deny"}, "Read": {"a.txt": "deny"}}}))
        .file("a.txt", "a\n");
    for (tool, args) in [
        ("bash", json!({"command": "echo x"})),
        ("read", json!({"file_path": "a.txt"})),
    ] {
        let finished = lathe(
            &project,
            &["tool", "--permission-mode", "yolo", tool, &args.to_string()],
        )
        .run()
        .assert_code(1);
        assert!(finished.stdout.contains("is denied by the rule"), "{finished}");
    }
}

#[test]
fn a_project_does_not_change_what_a_person_answers_with() {
    let project = Project::new().file(
        "lathe.jsonc",
        r#"{"keybinds": {"permission-allow-once": "n", "permission-reject": "y", "editor": "f4"}}"#,
    );
    let finished = lathe(&project, &["config", "show"]).run().success();
    assert_eq!(finished.json()["keybinds"], json!({}), "it is not trusted");
    let project = project.config(json!({"trust": ["*"]}));
    let finished = lathe(&project, &["config", "show"]).run().success();
    assert!(
        finished.stderr.contains("`keybinds.permission-reject` in"),
        "{finished}"
    );
    assert_eq!(finished.json()["keybinds"], json!({"editor": "f4"}));
}

#[test]
fn the_extra_configuration_is_read_last_and_must_be_there() {
    let project = Project::new().file("extra.jsonc", r#"{"unknown": 1}"#);
    let finished = lathe(&project, &["run", "x", "--config", "extra.jsonc"])
        .run()
        .assert_code(2);
    assert!(finished.stderr.contains("extra.jsonc:1:2:"), "{finished}");
    let finished = lathe(&project, &["run", "x", "--config", "gone.jsonc"])
        .run()
        .assert_code(2);
    assert!(finished.stderr.contains("gone.jsonc"), "{finished}");
}

#[test]
fn the_files_of_the_configuration_are_listed_in_their_order() {
    let project = Project::new().git().file("sub/.keep", "");
    let finished = lathe(&project, &["config", "path"])
        .cwd(project.path("sub"))
        .run()
        .success();
    let root = project.root();
    let expected = [
        project.config_dir().join("lathe.jsonc"),
        root.join("lathe.jsonc"),
        root.join(".lathe/lathe.jsonc"),
        root.join("sub/lathe.jsonc"),
        root.join("sub/.lathe/lathe.jsonc"),
    ];
    let expected: Vec<_> = expected.iter().map(|path| path.display().to_string()).collect();
    let listed: Vec<_> = finished.stdout.lines().collect();
    let (managed, others) = listed.split_last().unwrap();
    assert_eq!(others, expected);
    assert!(managed.ends_with("/lathe/lathe-managed.jsonc"), "{managed}");
}

#[test]
fn the_merged_configuration_hides_keys_and_names_the_file_of_each_rule() {
    let project = Project::new()
        .config(json!({
            "providers": {"local": {"base_url": "http://localhost/v1", "api_key": "hush"}},
            "permission": {"edit": "allow"}
        }))
        .file(
            "lathe.jsonc",
            r#"{"theme": "ember-dark", "permission": {"bash": {"rm *": "deny"}}}"#,
        );
    let finished = lathe(&project, &["config", "show"]).run().success();
    assert!(!finished.stdout.contains("hush"), "{finished}");
    let shown = finished.json();
    assert_eq!(shown["theme"], "ember-dark");
    assert_eq!(
        shown["permission"][0]["file"],
        project.config_dir().join("lathe.jsonc").to_str().unwrap()
    );
    assert_eq!(
        shown["permission"][1]["file"],
        project.path("lathe.jsonc").to_str().unwrap()
    );
    assert_eq!(shown["permission"][1]["pattern"], "rm *");

    let schema = lathe(&project, &["config", "schema"]).run().success().json();
    assert!(schema["properties"]["providers"].is_object(), "{schema}");
}

#[test]
fn stored_permissions_are_listed_and_revoked() {
    let project = Project::new();
    assert_eq!(
        lathe(&project, &["permissions"]).run().success().stdout,
        "no stored rules\n"
    );
    let finished = lathe(&project, &["permissions", "revoke", "7"])
        .run()
        .assert_code(1);
    assert!(finished.stderr.contains("no stored rule 7"), "{finished}");
}

#[test]
fn a_variable_that_is_not_set_stops_only_what_uses_its_provider() {
    let (server, project) = with_answer("Fine.");
    project.write(
        "lathe.jsonc",
        b"{\n  \"providers\": { \"other\": {\n    \"base_url\": \"http://127.0.0.1:9/v1\",\n    \"api_key\": \"{env:LATHE_SURELY_UNSET_4}\" } }\n}\n",
    );
    let run = |words: &[&str]| lathe(&project, words).arg("--trust").run();
    assert!(run(&["run", "hello"]).success().stdout.contains("Fine."));
    run(&["tool", "list", "{}"]).success();
    let said = "lathe.jsonc:4:16: `providers.other.api_key` needs the environment variable `LATHE_SURELY_UNSET_4`, \
                which is not set";
    for words in [
        &["run", "hello", "-m", "other/x"][..],
        &["run", "hello", "-m", "other/x", "--format", "json"],
    ] {
        let finished = run(words).assert_code(2);
        assert!(finished.stderr.contains(said), "{finished}");
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_variable_that_an_unused_server_wants_is_told_and_stops_nothing() {
    let (_server, project) = with_answer("Fine.");
    let config = "{ \"mcp\": { \"tickets\": {\n  \"command\": [\"x\", \"{env:LATHE_SURELY_UNSET_5}\"],\n  \"env\": { \"KEY\": \"{env:LATHE_SURELY_UNSET_6}\" } } },\n  \"lsp\": { \"rust\": { \"command\": [\"{env:LATHE_SURELY_UNSET_7}\"] } } }";
    project.write("lathe.jsonc", config.as_bytes());
    let said = [
        "lathe.jsonc:2:20: `mcp.tickets.command.1` needs the environment variable `LATHE_SURELY_UNSET_5`, which \
        is not set",
        "lathe.jsonc:3:19: `mcp.tickets.env.KEY` needs the environment variable `LATHE_SURELY_UNSET_6`, which is \
        not set",
        "lathe.jsonc:4:34: `lsp.rust.command.0` needs the environment variable `LATHE_SURELY_UNSET_7`, which is \
        not set",
    ];
    let project = project.config(json!({"trust": ["*"]}));
    for words in [
        &["run", "hello"][..],
        &["tool", "list", "{}"],
        &["config", "show"],
        &["doctor"],
    ] {
        let finished = lathe(&project, words).run().success();
        for sentence in said {
            assert_eq!(
                // The doctor prints what it finds; commands keep their output to themselves.
                format!("{}{}", finished.stdout, finished.stderr)
                    .matches(sentence)
                    .count(),
                1,
                "{sentence}: {finished}"
            );
        }
    }
    // What counts from the start is an error there: a rule without its words would be another rule.
    let rule = "{ \"permission\": { \"bash\": \"{env:LATHE_SURELY_UNSET_8}\" } }";
    project.write("lathe.jsonc", rule.as_bytes());
    let finished = lathe(&project, &["tool", "list", "{}"]).run().assert_code(2);
    assert!(finished.stderr.contains("LATHE_SURELY_UNSET_8"), "{finished}");
}

#[test]
fn a_word_that_is_no_command_has_no_help() {
    let project = Project::new().file("here/a", "a");
    for (words, said) in [
        (&["nosuch", "--help"][..], "`nosuch` is neither a command"),
        (&["nosuch", "-h"], "`lathe --help` lists the commands"),
        (&["nosuch", "list"], "`nosuch` is neither a command"),
        (&["sesions", "--help"], "Did you mean `lathe sessions`?"),
    ] {
        let finished = lathe(&project, words).run().assert_code(2);
        assert!(finished.stderr.contains(said), "{finished}");
        assert_eq!(finished.stdout, "");
    }
    for words in [
        &["here", "--help"][..],
        &["sessions", "--help"],
        &["help", "run"],
        &["-h"],
    ] {
        assert!(
            lathe(&project, words)
                .run()
                .success()
                .stdout
                .contains("Usage: lathe")
        );
    }
}

#[test]
fn the_doctor_tries_the_server_the_theme_the_keys_and_the_hooks() {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::OpenAiChat).config(json!({
        "theme": "nosuch",
        "keybinds": {"quit": "f10"},
        "hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": "./lost.sh now"},
            {"type": "command", "command": "git status"},
        ]}]},
    }));
    let finished = lathe(&project, &["doctor"]).run();
    let has = |state: &str, words: &str| {
        let is_it = |line: &str| line.starts_with(state) && line.contains(words);
        assert!(finished.stdout.lines().any(is_it), "{state} {words}: {finished}");
    };
    has("warning", "there is no theme `nosuch`");
    has("ok", "1 setting");
    has("warning", "program `./lost.sh` not found");
    has("ok", "`local` answers");
    assert!(!finished.stdout.contains("git status"), "{finished}");
    let asked = server.all_requests();
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].method.as_str(), asked[0].protocol), ("GET", None));
    assert_eq!(finished.stderr, "");

    drop(server);
    let finished = lathe(&project, &["doctor"]).run().assert_code(1);
    assert!(
        finished.stdout.contains("cannot be reached at") && finished.stdout.contains("connection refused"),
        "{finished}"
    );
}
