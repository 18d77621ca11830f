//! Input: words, pipes, files, sessions, and what cannot be meant.

use super::*;

#[test]
fn what_is_piped_in_is_appended_to_the_words() {
    let server = Server::with([Turn::text("Yes."), Turn::text("Yes.")]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .args(["what is", "this?"])
        .stdin("line 1\nline 2\n")
        .run()
        .success();
    assert_well_formed(&finished);
    assert!(server.requests()[0].mentions("what is this?\n\nline 1\nline 2"));
    let _ = events_of(&project).stdin("only this").run().success();
    assert!(server.requests()[1].mentions("only this"));
}

#[test]
fn files_go_along_as_text_or_as_images() {
    let png = include_bytes!("../vectors/pixel.png");
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("I see.")]);
        let project = Project::new()
            .file("notes/a.txt", "alpha\n")
            .bytes("pic.png", png)
            .model(&server, protocol);
        let finished = events_of(&project)
            .args(["look", "-f", "notes/a.txt", "--file", "pic.png"])
            .run()
            .success();
        assert_well_formed(&finished);
        let request = &server.requests()[0];
        assert!(
            request.mentions("alpha") && request.mentions("notes/a.txt"),
            "{protocol:?} {:#}",
            request.body
        );
        assert!(request.mentions("iVBORw0KGgo"), "{protocol:?}");
    }
}

#[test]
fn a_secret_goes_along_only_under_its_own_name() {
    let server = Server::with([Turn::text("I see.")]);
    let project = project_with(&server)
        .file(".env", "TOKEN=swordfish\n")
        .file("real/denied.txt", "swordfish\n")
        .config(serde_json::json!({"permission": {"read": {"*denied*": "deny"}}}));
    std::os::unix::fs::symlink(".env", project.path("notes.md")).unwrap();
    std::os::unix::fs::symlink("notes.md", project.path("again.md")).unwrap();
    std::os::unix::fs::symlink("real/denied.txt", project.path("harmless.txt")).unwrap();
    for (name, why) in [
        ("notes.md", "leads to `.env`"),
        ("again.md", "leads to `.env`"),
        ("./real/../notes.md", "leads to `.env`"),
        ("real/denied.txt", "a rule of `permission` denies"),
        ("harmless.txt", "a rule of `permission` denies"),
        ("/dev/zero", "is not a file"),
    ] {
        let finished = events_of(&project).args(["look", "-f", name]).run();
        assert_eq!(finished.code, Some(2), "{name}: {finished}");
        assert!(finished.stderr.contains(why), "{name}: {finished}");
    }
    assert_eq!(server.requests().len(), 0);
    let _ = events_of(&project).args(["look", "-f", ".env"]).run().success();
    assert!(server.requests()[0].mentions("swordfish"));
}

#[test]
fn a_mention_of_a_secret_is_not_sent() {
    let server = Server::with([Turn::text("I see.")]);
    let project = project_with(&server)
        .file(".env", "TOKEN=swordfish\n")
        .file("sub/.env.local", "TOKEN=swordfish\n");
    std::os::unix::fs::symlink(".env", project.path("notes.md")).unwrap();
    std::fs::write(project.outside().join("elsewhere.txt"), "swordfish\n").unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(project.path("pipe.txt"))
        .status();
    assert!(made.unwrap().success());
    for mention in [
        "@.env",
        "@./.env:1-2",
        "@notes.md",
        "@\"notes.md\"",
        "@sub/.env.local",
        "@sub/../notes.md",
        "@../elsewhere.txt",
        "@pipe.txt",
        "@sub",
    ] {
        let finished = events_of(&project).arg(format!("look at {mention} now")).run();
        let was_sent = server
            .requests()
            .iter()
            .any(|request| request.mentions("swordfish"));
        assert!(!was_sent, "{mention}: {finished}");
        // A directory goes along as the names in it.
        let is_told = finished.stdout.contains("A file named in the prompt");
        assert!(is_told || mention == "@sub", "{mention}: {finished}");
    }
}

#[test]
fn continue_goes_on_with_the_newest_session_and_session_with_that_one() {
    let server = Server::with([
        Turn::text("One."),
        Turn::text("Two."),
        Turn::text("Three."),
        Turn::text("Four."),
    ]);
    let project = project_with(&server);
    let first = events_of(&project).arg("apples").run().success();
    let second = events_of(&project).arg("pears").run().success();
    let id = |finished: &Finished| finished.json_lines()[0]["session"].as_str().unwrap().to_owned();
    assert_ne!(id(&first), id(&second));
    let third = events_of(&project).args(["-c", "plums"]).run().success();
    assert_eq!(id(&third), id(&second));
    assert!(server.requests()[2].mentions("pears") && !server.requests()[2].mentions("apples"));
    let fourth = events_of(&project)
        .args(["-s", &id(&first), "figs"])
        .run()
        .success();
    assert_eq!(id(&fourth), id(&first));
    assert!(server.requests()[3].mentions("apples") && !server.requests()[3].mentions("pears"));
    assert_eq!(third.stderr, "");
    // The sums are those of the run.
    assert_eq!(last(&fourth)["usage"]["input"], 1000);
}

#[test]
fn continue_without_a_session_starts_one_and_says_so() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = project_with(&server);
    let finished = events_of(&project).args(["-c", "hello"]).run().success();
    assert_well_formed(&finished);
    assert!(finished.stderr.contains("new one was started"), "{finished}");
}

#[test]
fn run_sends_requests_to_the_model_only() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = project_with(&server).config(json!({"small_model": "local/test-model"}));
    let finished = events_of(&project).arg("hello").run().success();
    assert_well_formed(&finished);
    assert_eq!(server.all_requests().len(), 1, "no title, no list of models");
}

#[test]
fn a_session_that_is_open_elsewhere_is_left_alone() {
    let gate = Gate::new();
    let server = Server::with([Turn::text("Hello there.").gate(1, &gate)]);
    let project = project_with(&server);
    let running = events_of(&project).arg("hello").spawn();
    let text = running.wait_for_stdout(|text| text.contains(r#""type":"text""#));
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let id = first["session"].as_str().unwrap();
    for words in [vec!["-s", id], vec!["-c"]] {
        let refused = events_of(&project).args(words).arg("me too").run().assert_code(1);
        let pid = running.pid().as_raw_nonzero().get();
        assert!(
            refused.stderr.contains(&format!("open in process {pid}")),
            "{refused}"
        );
        assert_eq!(of_kind(&refused, "error")[0]["kind"], "storage");
        assert_eq!(reason(&refused), "error");
    }
    gate.open();
    assert_well_formed(&running.wait().success());
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_reader_that_leaves_ends_the_run_quietly() {
    let server = Server::with([Turn::text(&"word ".repeat(20_000)).piece(5)]);
    let project = project_with(&server);
    let script = format!(
        "{} run --format json hello | head -1",
        env!("CARGO_BIN_EXE_lathe")
    );
    let finished = Lathe::program("sh", &project)
        .args(["-c", &script])
        .run()
        .success();
    assert_eq!(kinds(&finished), ["session"]);
    assert_eq!(finished.stderr, "");
    let script = format!(
        "{} run hello 2>&1 >/dev/null | head -0; echo ended",
        env!("CARGO_BIN_EXE_lathe")
    );
    server.script([Turn::text("Hello.")]);
    let finished = Lathe::program("sh", &project)
        .args(["-c", &script])
        .run()
        .success();
    assert_eq!(finished.stdout, "ended\n");
}

/// Whoever reads the output leaves while the model is still silent: in either format the run ends then, and alike.
#[test]
fn a_reader_that_leaves_before_anything_is_said_ends_the_run_in_either_format() {
    for format in ["text", "json"] {
        let gate = Gate::new();
        let server = Server::with([Turn::text("Never said.").gate(0, &gate)]);
        let project = project_with(&server);
        let script = format!(
            "{{ {} run --format {format} hello 2>/dev/null; echo $? >&3; }} 3>status | {{ while [ ! -e leave ]; do sleep 0.02; done; }}",
            env!("CARGO_BIN_EXE_lathe")
        );
        let running = Lathe::program("sh", &project).args(["-c", &script]).spawn();
        gate.wait_until_reached();
        project.write("leave", b"");
        running.wait().success();
        assert_eq!(project.read("status"), "130\n", "{format}");
    }
}

#[test]
fn options_before_the_command_count() {
    let server = Server::with([Turn::text("Hello."), Turn::text("Again.")]);
    let project = project_with(&server);
    let finished = Lathe::in_project(&project)
        .args(["--permission-mode", "plan", "run", "--format", "json", "hello"])
        .run()
        .success();
    assert_eq!(of_kind(&finished, "session")[0]["agent"], "plan");
    Lathe::in_project(&project)
        .args(["-c", "run", "again"])
        .run()
        .success();
    assert!(server.requests()[1].mentions("hello"));
    let finished = Lathe::in_project(&project).args(["-p", "x", "tools"]).run();
    let finished = finished.assert_code(2);
    assert!(
        finished.stderr.contains("--prompt") || finished.stderr.contains("'-p'"),
        "{}",
        finished.stderr
    );
}

#[test]
fn run_prints_the_answer_with_a_closed_stderr() {
    let server = Server::with([Turn::tool("glob", json!({"pattern": "*"})), Turn::text("Done.")]);
    let project = project_with(&server);
    let script = format!(
        "{{ {} run hello 2>&3; }} 3>&1 1>answer | head -0",
        env!("CARGO_BIN_EXE_lathe")
    );
    let _ = Lathe::program("sh", &project)
        .args(["-c", &script])
        .run()
        .success();
    assert_eq!(project.read("answer"), "Done.\n");
}

#[test]
fn a_prompt_of_megabytes_goes_through_whole() {
    let server = Server::with([Turn::text("Long.")]);
    let project = project_with(&server);
    let prompt = format!("{}end", "0123456789abcde\n".repeat(5 * 65_536));
    let finished = events_of(&project)
        .arg("read this")
        .stdin(&prompt)
        .run()
        .success();
    assert_well_formed(&finished);
    assert!(server.requests()[0].mentions(&prompt));
}

#[test]
fn a_prompt_that_is_none_is_bad_usage() {
    let server = Server::start();
    let project = project_with(&server);
    for (words, stdin) in [
        (vec![], &b""[..]),
        (vec!["", " "], b" \n\t\n"),
        (vec!["x"], b"\xff\xfe\x00"),
    ] {
        let finished = Lathe::in_project(&project)
            .arg("run")
            .args(words)
            .stdin(stdin)
            .run()
            .assert_code(2);
        assert_eq!(finished.stdout, "");
        assert!(finished.stderr.starts_with("lathe: "), "{finished}");
    }
    let finished = Lathe::in_project(&project)
        .arg("run")
        .arg(std::ffi::OsStr::from_bytes(b"caf\xe9"))
        .run()
        .assert_code(2);
    assert!(finished.stderr.contains("UTF-8"), "{finished}");
    assert_eq!(server.all_requests().len(), 0);
}

#[test]
fn a_prompt_with_a_zero_byte_is_text_like_any_other() {
    let server = Server::with([Turn::text("Odd.")]);
    let project = project_with(&server);
    let finished = events_of(&project).stdin("a\0b").run().success();
    assert_well_formed(&finished);
    assert!(server.requests()[0].mentions("a\0b"));
}

#[test]
fn bad_usage_and_bad_configuration_are_status_2_and_ask_nobody() {
    let server = Server::start();
    let project = project_with(&server);
    for words in [
        &["--format", "yaml", "x"][..],
        &["--permission-mode", "maybe", "x"],
        &["--no-such-flag", "x"],
        &["-m", "nobody/nothing", "x"],
        &["-m", "test-model", "x"],
        &["-a", "nobody", "x"],
        &["-f", "missing.txt", "x"],
        &["--config", "missing.jsonc", "x"],
        &["--replay", "missing.jsonl", "x"],
        &["-s", "not-an-id", "x"],
    ] {
        let finished = Lathe::in_project(&project)
            .arg("run")
            .args(words)
            .run()
            .assert_code(2);
        assert_eq!(finished.stdout, "", "{finished}");
        assert!(!finished.stderr.is_empty(), "{finished}");
    }
    for (words, model, agent) in [
        (&["-m", "nosuch/m"][..], json!("nosuch/m"), json!(null)),
        (&["-a", "nobody"], json!(null), json!("nobody")),
        (&["-f", "missing.txt"], json!(null), json!(null)),
    ] {
        let finished = events_of(&project).args(words).arg("x").run().assert_code(2);
        assert_eq!(kinds(&finished), ["session", "error", "done"], "{finished}");
        assert_well_formed(&finished);
        let first = &finished.json_lines()[0];
        assert!(
            first["session"].as_str().unwrap().starts_with("ses_"),
            "{finished}"
        );
        assert_eq!((&first["model"], &first["agent"]), (&model, &agent), "{finished}");
        assert_eq!(first["cwd"], project.root().to_str().unwrap());
    }
    let finished = events_of(&project)
        .args(["-s", "ses_01ABC", "x"])
        .run()
        .assert_code(1);
    assert_eq!(last(&finished)["session"], "ses_01ABC", "{finished}");
    let project = project.file("lathe.jsonc", "{ \"modle\": 1 }");
    let finished = events_of(&project).arg("x").run().assert_code(2);
    assert!(finished.stderr.contains("lathe.jsonc:1:3"), "{finished}");
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "config");
    assert_eq!(reason(&finished), "error");
    assert_eq!(server.all_requests().len(), 0);
}

#[test]
fn a_silent_stdin_does_not_hold_a_run_that_has_a_prompt() {
    let server = Server::with([Turn::text("Yes."), Turn::text("Yes.")]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .arg("what is this?")
        .open_stdin("")
        .run()
        .success();
    assert_well_formed(&finished);
    assert!(finished.stderr.contains("stdin sent nothing"), "{finished}");
    assert!(server.requests()[0].mentions("what is this?"));
    // What has begun is waited for.
    let running = events_of(&project)
        .arg("and this?")
        .open_stdin("a line\n")
        .spawn();
    running.wait_for_stderr(|text| text.contains("waiting for the end of stdin"));
    running.signal(Signal::TERM);
    let _ = running.wait();
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_prompt_calls_own_commands_and_takes_the_files_it_names() {
    let server = Server::with(vec![Turn::text("Yes."); 4]);
    let project = project_with(&server)
        .file(
            ".lathe/commands/review.md",
            "Review $ARGUMENTS with care, and !`cat a.txt` too",
        )
        .file("a.txt", "alpha\n")
        .file(".env", "TOKEN=s3cr3t-canary\n");
    let finished = events_of(&project)
        .args(["/review", "@a.txt"])
        .stdin("/review piped @.env")
        .run()
        .success();
    assert_well_formed(&finished);
    let request = &server.requests()[0];
    for part in ["with care", "1: alpha", "/review piped @.env"] {
        assert!(request.mentions(part), "{part} {:#}", request.body);
    }
    assert!(!request.mentions("s3cr3t-canary"));
    for text in ["/usr/bin/env is slow", "!rm -rf x", "/ is the root"] {
        let _ = events_of(&project).arg(text).run().success();
        assert!(server.requests().last().unwrap().mentions(text));
    }
    let unknown = events_of(&project)
        .args(["/reviev", "a.txt"])
        .run()
        .assert_code(2);
    assert!(
        unknown.stderr.contains("there is no command `/reviev`"),
        "{unknown}"
    );
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_file_that_a_prompt_names_and_that_would_be_asked_about_is_left_out_and_told() {
    let server = Server::with(vec![Turn::text("Yes."); 2]);
    let project = project_with(&server)
        .file("a.txt", "alpha\n")
        .file(".env", "TOKEN=s3cr3t-canary\n");
    for text in [
        "compare @.env and @a.txt",
        "compare @gone/b.rs and @.env:1-2 and @a.txt",
    ] {
        let finished = events_of(&project).arg(text).run().success();
        assert_well_formed(&finished);
        let error = &of_kind(&finished, "error")[0];
        assert!(
            error["message"].as_str().unwrap().contains("is not attached"),
            "{finished}"
        );
        let request = server.requests().pop().unwrap();
        assert!(request.mentions("1: alpha") && request.mentions(text));
        assert!(!request.mentions("s3cr3t-canary"));
    }
}

#[test]
fn a_prompt_may_begin_with_a_dash() {
    for prompt in ["- fix a\n- fix b", "---\ntitle: spec\n---\nbuild it", "--- hi"] {
        let server = Server::with([Turn::text("ok")]);
        let project = project_with(&server);
        let finished = events_of(&project).arg(prompt).run().success();
        assert_eq!(text_of(&finished), "ok", "{finished}");
        assert!(server.requests()[0].mentions(prompt), "{finished}");
    }
}
