//! Agents from files: `lathe agents`, `-a`, and a session that changes its agent.

use serde_json::json;

use crate::run::{assert_well_formed, events_of, last, of_kind, project_with};
use crate::screen;
use crate::support::{Finished, Gate, Key, Lathe, Project, Protocol, Server, Terminal, Turn};

const REMINDER: &str = "Plan mode is on.";
const OVER: &str = "Plan mode is off.";

fn agents(project: &Project) -> Finished {
    Lathe::in_project(project).arg("agents").run()
}

/// The row of one agent, its blanks made one.
#[track_caller]
fn row(finished: &Finished, name: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let row = finished
        .stdout
        .lines()
        .find(|line| line.split_whitespace().next() == Some(name));
    row.map_or_else(|| panic!("no row of {name}\n{finished}"), words)
}

/// A file beside the global configuration.
fn global(project: &Project, name: &str, text: &str) {
    project.write(project.config_dir().join("agents").join(name), text.as_bytes());
}

fn edit(path: &str) -> serde_json::Value {
    json!({"file_path": path, "content": "new\n"})
}

#[test]
fn the_list_shows_every_agent_with_its_mode_model_and_source() {
    let project = Project::new()
        .config(json!({"agents": {"boss": {"description": "Decides", "mode": "primary"}}}))
        .file(
            ".lathe/agents/reviewer.md",
            "---\ndescription: Looks closely\nmode: subagent\nmodel: local/x\n---\nReview.\n",
        )
        .file(
            ".claude/agents/helper.md",
            "---\nname: helper\ndescription: Helps\ntools: Read\nmodel: sonnet\n---\nHelp.\n",
        )
        .file(
            ".opencode/agents/docs.md",
            "---\ndescription: Writes\n---\nWrite.\n",
        );
    global(&project, "plan.md", "---\ntemperature: 0.1\n---\n");
    let list = agents(&project).success();
    assert_eq!(list.stderr, "", "{list}");
    assert!(row(&list, "build").starts_with("build primary - built in "));
    let plan = row(&list, "plan");
    assert!(
        plan.starts_with("plan primary - built in, ") && plan.contains("agents/plan.md"),
        "{plan}"
    );
    for (name, begins, holds) in [
        ("boss", "boss primary - ", "lathe.jsonc Decides"),
        (
            "reviewer",
            // Its model waits for trust.
            "reviewer subagent - ",
            ".lathe/agents/reviewer.md Looks closely",
        ),
        ("helper", "helper subagent - ", ".claude/agents/helper.md Helps"),
        ("docs", "docs all - ", ".opencode/agents/docs.md Writes"),
    ] {
        let row = row(&list, name);
        assert!(row.starts_with(begins) && row.ends_with(holds), "{row}");
    }
}

#[test]
fn a_broken_file_is_told_with_its_place_and_the_others_work() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = project_with(&server).file(".lathe/agents/bad.md", "---\nmode: boss\n---\nx\n");
    let list = agents(&project).success();
    assert!(row(&list, "bad").starts_with("bad broken "), "{list}");
    assert!(
        list.stderr.contains("bad.md:2:7: `mode` must be `primary`"),
        "{list}"
    );
    assert!(row(&list, "build").contains("primary"));

    let run = Lathe::in_project(&project).args(["run", "hi"]).run().success();
    assert_eq!(run.stdout, "Hello.\n");
    assert!(run.stderr.contains("bad.md:2:7: `mode` must be"), "{run}");
    let named = Lathe::in_project(&project)
        .args(["run", "-a", "bad", "hi"])
        .run()
        .assert_code(2);
    assert!(named.stderr.contains("agent `bad` cannot be used"), "{named}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_cannot_work_is_refused_before_a_request() {
    let server = Server::start();
    let project = project_with(&server)
        .config(json!({"agents": {"plan": {"disable": true}}}))
        .file(".lathe/agents/helper.md", "---\nmode: subagent\n---\nHelp.\n");
    for (name, said) in [
        ("nobody", "there is no agent `nobody`"),
        ("helper", "agent `helper` is a subagent"),
        ("plan", "agent `plan` is disabled in "),
        ("../../etc/passwd", "there is no agent `../../etc/passwd`"),
        ("", "there is no agent ``"),
    ] {
        let run = Lathe::in_project(&project)
            .args(["run", "-a", name, "hi"])
            .run()
            .assert_code(2);
        assert!(run.stderr.contains(said), "{run}");
        assert!(run.stderr.contains("There are `build`."), "{run}");
    }
    assert_eq!(server.requests().len(), 0);
    assert!(row(&agents(&project).success(), "plan").starts_with("plan disabled "));
}

#[test]
fn hostile_names_huge_files_and_doubles_reach_no_terminal_and_no_session() {
    let project = Project::new()
        .file(
            ".claude/agents/a.md",
            "---\nname: \"\\e]0;owned\\a../x\"\ndescription: x\n---\nx\n",
        )
        .file(".lathe/agents/\u{1b}[2J.md", "x")
        .file(".lathe/agents/Twin.md", "one")
        .file(".lathe/agents/twin.md", "two")
        .file(
            ".lathe/agents/loud.md",
            "---\ndescription: \"\\e[31mred\\a\\nsecond\"\n---\nx\n",
        )
        .bytes(".lathe/agents/huge.md", &vec![b'x'; 2 << 20]);
    let list = agents(&project).success();
    for stream in [&list.stdout, &list.stderr] {
        let is_control = |c: char| c.is_control() && c != '\n';
        assert!(!stream.contains(is_control), "{stream:?}");
    }
    assert!(row(&list, "huge").starts_with("huge broken "));
    assert!(list.stderr.contains("it has more than 1048576 bytes"), "{list}");
    assert!(list.stderr.contains("is in `") && list.stderr.contains("rename or remove one"));
    assert!(
        !list.stdout.contains("owned") && list.stdout.contains("loud"),
        "{list}"
    );
    assert_eq!(
        list.stderr.matches("cannot be the name of an agent").count(),
        2,
        "{list}"
    );
}

#[test]
fn a_misspelt_key_of_the_configuration_is_an_error_and_a_bad_model_too() {
    for (agent, said) in [
        (json!({"permision": "deny"}), "permision"),
        (json!({"model": "sonnet"}), "`agents.x.model`"),
        (json!({"mode": "boss"}), "boss"),
    ] {
        let project = Project::new().config(json!({"agents": {"x": agent}}));
        let list = agents(&project).assert_code(2);
        assert!(list.stderr.contains(said), "{list}");
    }
}

#[test]
fn plan_refuses_an_edit_and_a_command_and_may_write_a_plan() {
    let server = Server::with([
        Turn::new()
            .call("write", edit("a.txt"))
            .call("bash", json!({"command": "touch made"}))
            .call("bash", json!({"command": "ls"}))
            .call("write", edit(".lathe/plans/one.md")),
        Turn::text("Planned."),
    ]);
    let project = project_with(&server).config(json!({"permission": {"edit": "allow", "bash": "allow"}}));
    let finished = events_of(&project).args(["-a", "plan", "go"]).run().success();
    assert_well_formed(&finished);
    assert_eq!(finished.json_lines()[0]["agent"], "plan");
    let told: Vec<(bool, bool)> = of_kind(&finished, "tool_result")
        .iter()
        .map(|result| {
            let is_denied = result["details"]["error"]["kind"] == "denied";
            (result["ok"] == true, is_denied)
        })
        .collect();
    assert_eq!(
        told,
        [(false, true), (false, true), (true, false), (true, false)],
        "{finished}"
    );
    assert!(!project.exists("a.txt") && !project.exists("made"));
    assert_eq!(project.read(".lathe/plans/one.md"), "new\n");
    for request in server.requests() {
        assert!(request.mentions(REMINDER), "each request has the reminder");
        assert!(request.mentions("You are agent `plan`"));
    }
}

#[test]
fn mode_plan_has_the_reminder_of_agent_plan() {
    let server = Server::with([Turn::text("Planned.")]);
    let project = project_with(&server);
    let finished = events_of(&project)
        .args(["--permission-mode", "plan", "go"])
        .run()
        .success();
    assert_eq!(finished.json_lines()[0]["agent"], "plan");
    assert!(server.requests()[0].mentions(REMINDER));
}

#[test]
fn mode_yolo_lifts_nothing_that_plan_denies() {
    let server = Server::with([Turn::tool("write", edit("a.txt")), Turn::text("No.")]);
    let project = project_with(&server);
    events_of(&project)
        .args(["-a", "plan", "--permission-mode", "yolo", "go"])
        .run()
        .success();
    assert!(!project.exists("a.txt"));
}

#[test]
fn what_another_process_made_the_provider_read_anew_is_told() {
    let server = Server::start();
    let mine = json!({"mine": {"description": "Own", "mode": "primary", "prompt": "You are mine."}});
    let project = project_with(&server).config(json!({"agents": mine}));
    let ask = |words: &[&str]| {
        server.script([Turn::text("Said.")]);
        let finished = events_of(&project).args(words).run().success();
        let causes: Vec<String> = of_kind(&finished, "context")
            .iter()
            .map(|event| format!("{}: {}", event["kind"], event["cause"]))
            .collect();
        (last(&finished)["session"].as_str().unwrap().to_owned(), causes)
    };
    let (id, causes) = ask(&["hello"]);
    assert_eq!(causes, Vec::<String>::new());
    let told = |words: &[&str]| ask(&[&["-s", id.as_str()][..], words].concat()).1;
    assert_eq!(
        told(&["-a", "mine", "again"]),
        ["\"miss\": \"the agent changed\""]
    );
    // It goes on as it is.
    assert_eq!(told(&["and on"]), Vec::<String>::new());
    assert_eq!(
        told(&["-m", "local/other", "and on"]),
        ["\"miss\": \"the model changed\""]
    );
    assert_eq!(
        told(&["-m", "local/other", "-a", "build", "back"]),
        ["\"miss\": \"the agent changed\""]
    );
    // Agents that share their prompt share what is cached.
    assert_eq!(
        told(&["-m", "local/other", "-a", "plan", "plan"]),
        Vec::<String>::new()
    );
}

#[test]
fn an_agent_s_model_prompt_temperature_and_tools_make_the_request() {
    let server = Server::with([Turn::tool("grep", json!({"pattern": "x"})), Turn::text("Done.")]);
    let project = project_with(&server)
        .config(json!({"providers": {"local": {"models": {"other": {"context": 32_000}}}}}));
    global(
        &project,
        "reader.md",
        "---\nmode: primary\nmodel: local/other\ntemperature: 0.25\ntools: [read, glob]\n---\nOnly read.\n",
    );
    let finished = events_of(&project).args(["-a", "Reader", "go"]).run().success();
    let first = &finished.json_lines()[0];
    assert_eq!(
        (&first["agent"], &first["model"]),
        (&json!("reader"), &json!("local/other"))
    );
    let request = &server.requests()[0];
    assert_eq!(request.body["model"], "other");
    assert_eq!(request.body["temperature"], 0.25);
    assert!(request.mentions("Only read.") && !request.mentions("You are agent `build`"));
    assert_eq!(request.tool_names(), ["glob", "read", "todowrite"]);
    let result = &of_kind(&finished, "tool_result")[0];
    assert_eq!(result["details"]["error"]["kind"], "denied", "{finished}");
    assert!(
        result["output"]
            .as_str()
            .unwrap()
            .contains("agent `reader` may not use `grep`"),
        "{finished}"
    );
    // The command line is nearer than the file.
    let server = Server::with([Turn::text("Done.")]);
    let project =
        project.config(json!({"providers": {"local": {"base_url": server.url(Protocol::OpenAiChat)}}}));
    events_of(&project)
        .args(["-a", "reader", "-m", "local/test-model", "go"])
        .run()
        .success();
    assert_eq!(server.requests()[0].body["model"], "test-model");
}

#[test]
fn every_protocol_sends_the_temperature() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("Done.")]);
        let project = Project::new()
            .model(&server, protocol)
            .config(json!({"providers": {"local": {"models": {"other": {"context": 32_000}}}}}))
            .file(
                ".lathe/agents/cold.md",
                "---\nmodel: local/other\ntemperature: 0.25\n---\nx\n",
            );
        events_of(&project)
            .args(["--trust", "-a", "cold", "go"])
            .run()
            .success();
        let body = &server.requests()[0].body;
        let sent = [&body["temperature"], &body["generationConfig"]["temperature"]];
        assert!(sent.contains(&&json!(0.25)), "{protocol:?}: {body}");
    }
}

#[test]
fn the_user_s_agent_may_allow_what_is_asked_and_a_project_s_only_forbids() {
    let agent = "---\nmode: primary\npermission:\n  edit: allow\n---\nWrite.\n";
    let run = |prepare: &dyn Fn(&Project)| {
        let server = Server::with([Turn::tool("write", edit("a.txt")), Turn::text("Done.")]);
        let project = project_with(&server);
        prepare(&project);
        events_of(&project).args(["-a", "writer", "go"]).run().success();
        project.exists("a.txt")
    };
    assert!(run(&|project| global(project, "writer.md", agent)));
    assert!(!run(
        &|project| project.write(".lathe/agents/writer.md", agent.as_bytes())
    ));
    assert!(!run(&|project| {
        global(project, "writer.md", agent);
        let deny = b"---\npermission:\n  edit: deny\n---\n";
        project.write(".lathe/agents/writer.md", deny);
    }));
}

#[test]
fn a_project_cannot_allow_writing_tools_for_agent_plan() {
    let server = Server::with([Turn::tool("write", edit("a.txt")), Turn::text("No.")]);
    let project = project_with(&server)
        .file(
            ".lathe/agents/plan.md",
            "---\npermission:\n  edit: allow\n  bash: allow\n---\nDo it.\n",
        )
        .file("lathe.jsonc", r#"{"agents": {"plan": {"permission": "allow"}}}"#);
    events_of(&project)
        .args(["--trust", "-a", "plan", "go"])
        .run()
        .success();
    assert!(!project.exists("a.txt"));
}

#[test]
fn steps_bound_a_turn_of_that_agent() {
    let server = Server::with(
        (0..5).map(|number| Turn::tool("read", json!({"file_path": "a.txt", "offset": number + 1}))),
    );
    let project = project_with(&server)
        .file("a.txt", "1\n2\n3\n4\n5\n6\n")
        .file(".lathe/agents/short.md", "---\nsteps: 2\n---\nShort.\n");
    let finished = events_of(&project)
        .args(["-a", "short", "go"])
        .run()
        .assert_code(1);
    assert_eq!(last(&finished)["reason"], "max_steps", "{finished}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_session_keeps_its_agent_until_another_is_named() {
    let server = Server::with(["One.", "Two.", "Three."].map(Turn::text));
    let project = project_with(&server);
    let run = |words: &[&str]| events_of(&project).args(words).run().success();
    let agent = |finished: &Finished| finished.json_lines()[0]["agent"].clone();
    assert_eq!(agent(&run(&["-a", "plan", "one"])), "plan");
    assert_eq!(agent(&run(&["-c", "two"])), "plan");
    assert_eq!(agent(&run(&["-c", "-a", "sisyphus", "three"])), "build");
    let requests = server.requests();
    assert!(requests[1].mentions(REMINDER) && !requests[1].mentions(OVER));
    assert!(
        requests[2].mentions(OVER),
        "the model hears that it may change files again"
    );
    let list = Lathe::in_project(&project)
        .args(["sessions", "--json"])
        .run()
        .success()
        .json();
    assert_eq!(list["sessions"][0]["agent"], "build", "{list}");
}

#[test]
fn a_session_whose_agent_is_gone_goes_on_as_build_and_says_so() {
    let server = Server::with(["One.", "Two."].map(Turn::text));
    let project = project_with(&server).file(".lathe/agents/mayfly.md", "Short.\n");
    events_of(&project).args(["-a", "mayfly", "one"]).run().success();
    std::fs::remove_file(project.path(".lathe/agents/mayfly.md")).unwrap();
    let again = events_of(&project).args(["-c", "two"]).run().success();
    assert_eq!(again.json_lines()[0]["agent"], "build", "{again}");
    assert!(
        again
            .stderr
            .contains("there is no agent `mayfly`; the session goes on as `build`"),
        "{again}"
    );
}

#[test]
fn tools_and_tool_know_the_agent() {
    let project = Project::new().file("a.txt", "one\n");
    global(
        &project,
        "build.md",
        "---\ntools: {list: true, grep: false}\n---\n",
    );
    let shown = Lathe::in_project(&project).args(["tools"]).run().success().stdout;
    assert!(shown.contains("list") && !shown.contains("grep"), "{shown}");
    let args = r#"{"pattern": "one"}"#;
    let denied = Lathe::in_project(&project)
        .args(["tool", "grep", args])
        .run()
        .assert_code(1);
    assert!(
        denied.stdout.contains("agent `build` may not use `grep`"),
        "{denied}"
    );
}

#[test]
fn tab_goes_on_as_the_next_agent_and_back() {
    let server = Server::with(["Planned.", "Built."].map(Turn::text));
    let project = screen::project(&server);
    let terminal = screen::open(&project);
    terminal.wait_text("⇥ agent");
    terminal.key(Key::Tab);
    terminal.wait_text("the agent is plan from here on");
    terminal.wait_for(|screen| screen.lines().next().is_some_and(|title| title.contains("plan")));
    screen::say(&terminal, "first");
    terminal.wait_text("Planned.");
    terminal.wait_text("send");
    terminal.key(Key::Tab);
    terminal.wait_text("the agent is build from here on");
    screen::say(&terminal, "second");
    terminal.wait_text("Built.");
    let requests = server.requests();
    assert!(requests[0].mentions("You are agent `plan`") && requests[0].mentions(REMINDER));
    assert!(requests[1].mentions(OVER));
}

#[test]
fn a_change_while_a_turn_runs_comes_with_the_next_step() {
    let gate = Gate::new();
    let server = Server::with([
        Turn::new()
            .say("Looking.")
            .call("read", json!({"file_path": "a.txt"}))
            .gate(2, &gate),
        Turn::tool("write", edit("b.txt")),
        Turn::text("I may not."),
    ]);
    let project = screen::project(&server)
        .config(json!({"permission": {"edit": "allow"}}))
        .file("a.txt", "one\n");
    let terminal = screen::open(&project);
    screen::say(&terminal, "go");
    gate.wait_until_reached();
    terminal.wait_text("Looking.");
    terminal.key(Key::Tab);
    terminal.wait_text("plan from the next step on");
    gate.open();
    terminal.wait_text("I may not.");
    assert!(!project.exists("b.txt"), "{}", terminal.screen());
    let requests = server.requests();
    assert!(!requests[0].mentions(REMINDER) && !requests[0].mentions("You are agent `plan`"));
    assert!(requests[1].mentions("You are agent `plan`") && requests[1].mentions(REMINDER));
}

#[test]
fn the_screen_opens_as_the_agent_that_is_named() {
    let server = Server::start();
    let project = screen::project(&server);
    let terminal = Terminal::start(&project, 100, 24, &["-a", "plan"]);
    terminal.wait_text("send");
    let title = terminal.row(0);
    assert!(title.contains("plan"), "{title}");
}
