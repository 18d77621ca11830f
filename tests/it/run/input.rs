//! What goes in: words, pipes, files, sessions, and what cannot be meant.

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
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
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
fn nobody_but_the_model_is_asked() {
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

#[test]
fn a_closed_stderr_costs_no_answer() {
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
    let project = project.file("lathe.jsonc", "{ \"modle\": 1 }");
    let finished = events_of(&project).arg("x").run().assert_code(2);
    assert!(finished.stderr.contains("lathe.jsonc:1:3"), "{finished}");
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "config");
    assert_eq!(reason(&finished), "error");
    assert_eq!(server.all_requests().len(), 0);
}
