//! Long conversations: old outputs are masked, the beginning is summarised, and nothing that was asked for or forbidden is
//! lost by it.

use lathe::permission::Mode;
use lathe::question::{FormAnswer, FormReply};
use lathe::session::wire::SessionChoice;
use lathe::session::{ContextReportKind, Event, Op, TurnEndReason};
use serde_json::{Value, json};

use crate::run::{events_of, last, of_kind, project_with, reason, text_of};
use crate::session::Live;
use crate::support::{Fault, Gate, Key, Lathe, Project, Recorded, Server, Terminal, Turn, Usage};

/// Tokens of the model's window: system prompt and tools take about 9,000 of them.
const WINDOW: u64 = 40_000;
/// The words of the person that nothing may lose.
const FORBIDDEN: &str = "Never touch canary-one.txt, and keep the port at 4711.";
const SUMMARY: &str = "## Rules from the person\n- Never touch canary-one.txt\n## Goal\nRead what there is.";

/// A project with files of about 8,000 tokens each, each with a line of its own.
fn project(server: &Server, compaction: &Value) -> Project {
    let mut project = project_with(server).config(json!({
        "compaction": compaction,
        "providers": {"local": {"models": {"test-model": {"context": WINDOW, "output": 2_000}}}},
        "permission": {"edit": "allow", "bash": "allow"},
    }));
    for name in ["a", "b", "c", "d", "e", "f"] {
        project = project.file(format!("{name}.txt"), &long_text(name));
    }
    project.file("sub/AGENTS.md", "canary-nested: use tabs here\n")
}

fn long_text(name: &str) -> String {
    let line = |line: usize| format!("needle-{name} {line} {}\n", "word ".repeat(13));
    (0..400).map(line).collect()
}

fn read(name: &str) -> Turn {
    Turn::tool("read", json!({"file_path": format!("{name}.txt")}))
}

/// A reply that reports what was sent, four bytes to a token, is not to be had from a script; one without figures is.
fn without_figures(turn: Turn) -> Turn {
    turn.usage(Usage {
        input: 0,
        output: 0,
        ..Usage::default()
    })
}

fn server(turns: impl IntoIterator<Item = Turn>) -> Server {
    let server = Server::with(turns.into_iter().map(without_figures));
    server.side(without_figures(Turn::text(SUMMARY)));
    server
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect()
}

/// Requests for summaries.
fn summaries(server: &Server) -> Vec<Recorded> {
    let mut all = server.all_requests();
    all.retain(|request| request.side);
    all
}

#[test]
fn a_long_turn_goes_on_from_a_summary_with_what_must_not_be_lost() {
    let server = server([
        read("a"),
        read("b"),
        read("c"),
        read("d"),
        Turn::text("All read."),
    ]);
    let project = project(&server, &json!({"mask": false}));
    let run = events_of(&project).arg(FORBIDDEN).run();
    assert_eq!(reason(&run), "stop", "{run}");
    assert_eq!(text_of(&run), "All read.");
    let changes = of_kind(&run, "context");
    assert_eq!(kinds(&changes), ["compacted"], "{run}");
    let change = &changes[0];
    assert!(change["before"].as_u64() > change["after"].as_u64(), "{change}");
    assert!(change["covers_to"].as_str().unwrap().starts_with("msg_"));
    let asked = summaries(&server);
    assert_eq!(asked.len(), 1);
    assert!(asked[0].mentions(FORBIDDEN) && asked[0].mentions("needle-a"));
    let requests = server.requests();
    let (before, after) = (&requests[requests.len() - 2], &requests[requests.len() - 1]);
    assert!(before.mentions("needle-a 399"));
    assert!(after.mentions("Read what there is.") && after.mentions(FORBIDDEN));
    assert!(!after.mentions("needle-a 399"), "the old output is gone");
    assert!(after.mentions("needle-d 399"), "the newest is there");
    let prefix = |request: &Recorded| (request.body["messages"][0].clone(), request.body["tools"].clone());
    assert_eq!(prefix(before), prefix(after), "system prompt and tools stay");
    // The conversation itself has everything.
    let id = last(&run)["session"].as_str().unwrap().to_owned();
    let shown = Lathe::in_project(&project)
        .args(["sessions", "show", &id, "--json"])
        .run();
    assert!(
        shown.stdout.contains("needle-a 399") && shown.stdout.contains("\"compacted\""),
        "{shown}"
    );
    let found = Lathe::in_project(&project)
        .args(["sessions", "search", "4711", "--json"])
        .run();
    assert!(found.stdout.contains(&id), "{found}");
}

#[test]
fn old_outputs_are_masked_first_and_their_files_stay_readable() {
    let server = server([
        read("a"),
        read("b"),
        read("c"),
        read("d"),
        Turn::text("All read."),
    ]);
    let project = project(&server, &json!({}));
    let run = events_of(&project).arg("read all").run();
    let changes = of_kind(&run, "context");
    assert_eq!(kinds(&changes), ["masked"], "{run}");
    assert_eq!(summaries(&server).len(), 0);
    let requests = server.requests();
    let after = requests.last().unwrap();
    assert!(!after.mentions("needle-a 399") && after.mentions("needle-d 399"));
    assert!(after.mentions("Full output: "));
    let kept: Vec<_> = std::fs::read_dir(project.data_dir().join("tool-output"))
        .unwrap()
        .flatten()
        .collect();
    assert!(!kept.is_empty());
    for file in kept {
        assert!(after.mentions(file.path().to_str().unwrap()));
        assert!(std::fs::read_to_string(file.path()).unwrap().contains("needle-"));
    }
    // A session that is opened again sends the same.
    let id = last(&run)["session"].as_str().unwrap().to_owned();
    server.script([without_figures(Turn::text("Yes."))]);
    let run = events_of(&project).args(["-s", &id, "still there?"]).run();
    assert_eq!(reason(&run), "stop", "{run}");
    let again = server.requests().pop().unwrap();
    let (old, new) = (messages(after), messages(&again));
    for (place, (old, new)) in old.iter().zip(&new).enumerate() {
        assert!(
            old == new,
            "message {place} is another one: {old:.600}\n{new:.600}"
        );
    }
}

fn messages(request: &Recorded) -> Vec<Value> {
    request.body["messages"].as_array().unwrap().clone()
}

#[test]
fn a_window_that_is_smaller_than_configured_is_found_out_and_the_turn_goes_on_once() {
    let too_long = || Fault::Http {
        status: 413,
        retry_after: None,
    };
    let turns = [read("a"), read("b"), Turn::text("Done.").fail(too_long())];
    let server = server(turns);
    let project = project(&server, &json!({"mask": false, "keep_turns": 1}));
    let run = events_of(&project).arg(FORBIDDEN).run();
    assert_eq!(
        (reason(&run), text_of(&run)),
        ("stop".to_owned(), "Done.".to_owned()),
        "{run}"
    );
    assert_eq!(kinds(&of_kind(&run, "context")), ["compacted"]);
    assert!(of_kind(&run, "error").is_empty(), "{run}");

    let again = [
        read("a"),
        read("b"),
        Turn::text("Done.").fail(too_long()).fail(too_long()),
    ];
    server.script(again.map(without_figures));
    let run = events_of(&project).arg(FORBIDDEN).run();
    assert_eq!(reason(&run), "error", "{run}");
    let errors = of_kind(&run, "error");
    assert_eq!((errors.len(), &errors[0]["kind"]), (1, &json!("context")));
}

#[test]
fn a_full_window_is_known_by_the_words_of_the_provider() {
    for words in [
        "input length and `max_tokens` exceed context limit: 38240 + 2000 > 40000, decrease input length or `max_tokens` and try again",
        "This model's maximum prompt length is 40000 but the request contains 41213 tokens.",
        "The decoder prompt (length 41042) is longer than the maximum model length of 40000.",
    ] {
        let refused = Fault::Refused {
            message: words.to_owned(),
        };
        let turns = [read("a"), read("b"), Turn::text("Done.").fail(refused)];
        let server = server(turns);
        let project = project(&server, &json!({"mask": false, "keep_turns": 1}));
        let run = events_of(&project).arg(FORBIDDEN).run();
        assert_eq!(
            (reason(&run), text_of(&run)),
            ("stop".to_owned(), "Done.".to_owned()),
            "{words}: {run}"
        );
        assert_eq!(kinds(&of_kind(&run, "context")), ["compacted"], "{words}");
    }
}

#[test]
fn without_auto_a_full_window_is_an_error() {
    let full = Usage {
        input: WINDOW - 100,
        ..Usage::default()
    };
    let server = Server::with([read("a").usage(full), Turn::text("Done.")]);
    let project = project(&server, &json!({"auto": false, "mask": false}));
    let run = events_of(&project).arg("read").run();
    assert_eq!(reason(&run), "error", "{run}");
    let errors = of_kind(&run, "error");
    assert_eq!(errors[0]["kind"], "context");
    assert!(errors[0]["hint"].as_str().unwrap().contains("/compact"), "{run}");
    assert!(of_kind(&run, "context").is_empty());
}

#[test]
fn a_summary_that_is_empty_or_too_long_is_said_and_changes_nothing() {
    for summary in ["", &"much ".repeat(40_000)] {
        let server = server([read("a"), read("b"), read("c"), read("d"), Turn::text("Done.")]);
        server.side(without_figures(Turn::text(summary)));
        let project = project(&server, &json!({"mask": false}));
        let run = events_of(&project).arg("read").run();
        let changes = of_kind(&run, "context");
        assert!(
            !changes.is_empty() && kinds(&changes).iter().all(|kind| *kind == "failed"),
            "{run}"
        );
        assert!(changes[0]["cause"].as_str().unwrap().len() > 10);
        let requests = server.requests();
        assert!(
            requests.last().unwrap().mentions("needle-a 399"),
            "nothing was changed"
        );
    }
}

#[test]
fn instructions_plan_todos_and_files_go_again_word_for_word() {
    let todos = json!({"todos": [{"content": "canary-todo", "status": "in_progress", "priority": "high"}]});
    let turns = [
        Turn::tool("todowrite", todos),
        Turn::tool(
            "write",
            json!({"file_path": "sub/small.txt", "content": "canary-file\n"}),
        ),
        Turn::tool("read", json!({"file_path": "sub/small.txt"})),
        read("a"),
        read("b"),
        read("c"),
        read("d"),
        Turn::text("Done."),
    ];
    let server = server(turns);
    let project = project(&server, &json!({"mask": false})).file("AGENTS.md", "canary-root: be brief\n");
    let run = events_of(&project).arg(FORBIDDEN).run();
    assert_eq!(kinds(&of_kind(&run, "context")), ["compacted"], "{run}");
    let after = server.requests().pop().unwrap();
    for canary in [
        "canary-todo",
        "canary-file",
        "canary-nested: use tabs here",
        "canary-root: be brief",
        FORBIDDEN,
    ] {
        assert!(after.mentions(canary), "{canary} is lost");
    }
}

#[test]
fn rules_of_an_earlier_summary_are_never_lost() {
    let reads = ["a", "b", "c", "d", "e", "f"]
        .into_iter()
        .cycle()
        .take(16)
        .map(read);
    let server = server(reads.chain([Turn::text("Done.")]));
    let project = project(&server, &json!({"mask": false}));
    // The second and later summaries forget the rule.
    let first = Turn::text(SUMMARY);
    server.side(without_figures(first));
    server.side_for(
        "<earlier-summary>",
        without_figures(Turn::text("## Goal\nRead on.")),
    );
    let run = events_of(&project).arg("read all").run();
    let changes = of_kind(&run, "context");
    assert!(
        changes.len() >= 3 && kinds(&changes).iter().all(|kind| *kind == "compacted"),
        "{run}"
    );
    let after = server.requests().pop().unwrap();
    assert!(after.mentions("Never touch canary-one.txt"));
}

#[tokio::test]
async fn a_summary_that_a_person_asks_for_is_shown_and_used_as_they_edit_it() {
    let turns = ["one", "two", "three"].map(|text| Turn::text(&format!("{text} {}", "long ".repeat(2_000))));
    let server = server(turns);
    let project = project(&server, &json!({"keep_turns": 1}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    for text in ["first", "second", "third"] {
        live.submit(text);
        live.until_turn_ended().await;
    }
    live.handle
        .send(Op::Compact(Some("the port".to_owned())))
        .unwrap();
    let events = live
        .until("a summary", |event| matches!(event, Event::SummaryDrafted(_)))
        .await;
    let Some(Event::SummaryDrafted(draft)) = events.last() else {
        panic!("{events:?}")
    };
    assert!(draft.after < draft.before && draft.summary.contains("Read what there is."));
    assert!(summaries(&server)[0].mentions("the port"));
    live.handle
        .send(Op::UseSummary(Some("EDITED by hand".to_owned())))
        .unwrap();
    let is_compacted = |event: &Event| matches!(event, Event::Context(report) if report.kind == ContextReportKind::Compacted);
    live.until("the change", is_compacted).await;
    server.script([without_figures(Turn::text("fine"))]);
    live.submit("and now?");
    live.until_turn_ended().await;
    live.close().await;
    let request = server.requests().pop().unwrap();
    assert!(request.mentions("EDITED by hand") && request.mentions("third"));
    assert!(!request.mentions("one long long"));
}

/// A server that summarises when the gate opens.
fn waiting_server(turns: impl IntoIterator<Item = Turn>) -> (Server, Gate) {
    let (server, gate) = (server(turns), Gate::new());
    server.side(without_figures(Turn::text(SUMMARY)).gate(0, &gate));
    (server, gate)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_interrupted_while_it_is_summarised_ends_and_changes_nothing() {
    let (server, gate) = waiting_server(
        ["a", "b", "c", "d"]
            .map(read)
            .into_iter()
            .chain([Turn::text("Done.")]),
    );
    let project = project(&server, &json!({"mask": false}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("read");
    live.until("a summary", |event| matches!(event, Event::Summarising(true)))
        .await;
    gate.wait_until_reached();
    live.handle.send(Op::Interrupt).unwrap();
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Cancelled);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Summarising(false)))
    );
    assert!(!events.iter().any(|event| matches!(event, Event::Context(_))));
    // The next turn begins where this one was.
    gate.open();
    live.submit("again");
    let (done, events) = live.until_turn_ended().await;
    assert_eq!(done, TurnEndReason::Stop);
    let is_compacted = |event: &Event| matches!(event, Event::Context(report) if report.kind == ContextReportKind::Compacted);
    assert!(events.iter().any(is_compacted));
    live.close().await;
}

#[test]
fn a_process_that_is_killed_while_it_summarises_leaves_the_session_as_it_was() {
    let (server, gate) = waiting_server(
        ["a", "b", "c", "d"]
            .map(read)
            .into_iter()
            .chain([Turn::text("Done.")]),
    );
    let project = project(&server, &json!({"mask": false}));
    let running = events_of(&project).arg(FORBIDDEN).spawn();
    gate.wait_until_reached();
    running.signal(rustix::process::Signal::KILL);
    drop(running.wait());
    gate.open();
    let list = Lathe::in_project(&project)
        .args(["sessions", "list", "--json"])
        .run();
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let id = list["sessions"][0]["id"].as_str().unwrap().to_owned();
    let run = events_of(&project).args(["-s", &id, "go on"]).run();
    assert_eq!(
        (reason(&run), text_of(&run)),
        ("stop".to_owned(), "Done.".to_owned()),
        "{run}"
    );
    assert_eq!(kinds(&of_kind(&run, "context")), ["compacted"]);
    assert!(server.requests().pop().unwrap().mentions(FORBIDDEN));
}

#[test]
fn a_task_goes_on_from_a_summary_of_its_own() {
    let task = json!({"subagent_type": "general", "description": "read", "prompt": "HELPER: read them all, never write"});
    let server = server([Turn::tool("task", task), Turn::text("The task is done.")]);
    let reads = ["a", "b", "c", "d"]
        .map(read)
        .into_iter()
        .chain([Turn::text("All read by the helper.")]);
    server.script_for("HELPER: read", reads.map(without_figures));
    let project = project(&server, &json!({"mask": false}));
    let run = events_of(&project).arg("go").run();
    assert_eq!(text_of(&run), "All read by the helper.The task is done.", "{run}");
    let changes = of_kind(&run, "context");
    let compacted: Vec<&Value> = changes
        .iter()
        .filter(|change| change["kind"] == "compacted")
        .collect();
    assert_eq!(compacted.len(), 1, "{run}");
    assert_ne!(
        compacted[0]["session"],
        last(&run)["session"],
        "it is the task's own"
    );
    assert!(summaries(&server)[0].mentions("never write"));
}

#[test]
fn hooks_add_to_what_is_asked_of_the_summary() {
    let server = server(
        ["a", "b", "c", "d"]
            .map(read)
            .into_iter()
            .chain([Turn::text("Done.")]),
    );
    let answer = json!({"hookSpecificOutput": {"additionalContext": "Mention the moon."}});
    let command = format!("cat > told; printf '%s' '{answer}'");
    let hook = json!([{"matcher": "auto", "hooks": [{"type": "command", "command": command}]}]);
    let project = project(&server, &json!({"mask": false})).config(json!({"hooks": {"PreCompact": hook}}));
    let run = events_of(&project).arg("read").run();
    assert_eq!(kinds(&of_kind(&run, "context")), ["compacted"], "{run}");
    assert!(summaries(&server)[0].mentions("Mention the moon."));
    let told: Value = serde_json::from_str(&project.read("told")).unwrap();
    assert_eq!(
        (&told["hook_event_name"], &told["trigger"]),
        (&json!("PreCompact"), &json!("auto"))
    );
}

#[tokio::test]
async fn a_hook_may_prevent_a_summary_that_a_person_asked_for() {
    let server = server([Turn::text(&"long ".repeat(2_000)), Turn::text("two")]);
    let hook = json!([{"hooks": [{"type": "command", "command": "echo 'not now' >&2; exit 2"}]}]);
    let project = project(&server, &json!({"keep_turns": 1})).config(json!({"hooks": {"PreCompact": hook}}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    for text in ["first", "second"] {
        live.submit(text);
        live.until_turn_ended().await;
    }
    live.handle.send(Op::Compact(None)).unwrap();
    let is_failed =
        |event: &Event| matches!(event, Event::Context(report) if report.kind == ContextReportKind::Failed);
    let events = live.until("the refusal", is_failed).await;
    let Some(Event::Context(report)) = events.last() else {
        panic!("{events:?}")
    };
    assert!(report.cause.as_ref().unwrap().contains("not now"));
    assert_eq!(summaries(&server).len(), 0);
    live.close().await;
}

#[test]
fn on_the_screen_a_summary_is_edited_used_and_opened() {
    let server = server([Turn::text(&"long ".repeat(2_000)), Turn::text("two")]);
    let project = project(&server, &json!({"keep_turns": 1}));
    let terminal = Terminal::start(&project, 100, 30, &[]);
    terminal.wait_text("send");
    for (text, reply) in [("first", "long long"), ("second", "two")] {
        terminal.keys(&format!("{text}\r"));
        terminal.wait_text(reply);
        terminal.wait_text("send");
    }
    terminal.keys("/compact\r");
    terminal.wait_text("this summary?");
    // A question that comes by itself takes no key at first.
    terminal.wait_quiet(std::time::Duration::from_millis(400));
    terminal.key(Key::Esc);
    terminal.wait_text("`/compact` shows it again");
    terminal.keys("/compact\r");
    terminal.wait_text("this summary?");
    terminal.wait_quiet(std::time::Duration::from_millis(400));
    terminal.keys("EDITED \r");
    terminal.wait_text("conversation compacted from");
    terminal.wait_text("shows the summary");
    assert_eq!(summaries(&server).len(), 1, "it was not asked for twice");
    terminal.keys("\x18[");
    terminal.wait_text("composer");
    terminal.keys("Go");
    terminal.key(Key::PageDown);
    terminal.wait_text("EDITED");
    terminal.wait_text("your messages");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_five_compactions_nothing_is_lost_that_was_forbidden_planned_or_instructed() {
    const TURNS: usize = 60;
    let todos = json!({"todos": [{"content": "canary-todo", "status": "in_progress", "priority": "high"}]});
    let reply = |turn: usize| match turn {
        0 => Turn::tool("todowrite", todos.clone()),
        1 => Turn::tool(
            "write",
            json!({"file_path": "sub/small.txt", "content": "canary-file\n"}),
        ),
        2 => Turn::tool("read", json!({"file_path": "sub/small.txt"})),
        turn => Turn::text(&format!("reply {turn} {}", "long ".repeat(3_000))).piece(5_000),
    };
    let plan = "# Inject a clock\n\n1. canary-plan in `src/retry.rs`\n";
    let planned = [
        Turn::tool("plan_exit", json!({ "plan": plan })),
        Turn::text("Off we go."),
    ];
    let server = server(planned.into_iter().chain((0..TURNS + 3).map(reply)));
    // A model that summarises badly: it remembers nothing.
    server.side(without_figures(Turn::text("## Goal\nGo on.")));
    let project =
        project(&server, &json!({"keep_turns": 1})).file("AGENTS.md", "canary-root: be brief\n\n  twice\n");
    let mut live = Live::open(&project, SessionChoice::New, Mode::AcceptEdits).await;
    live.handle.send(Op::SetAgent("plan".to_owned())).unwrap();
    live.until("change", |event| matches!(event, Event::Agent(_)))
        .await;
    live.submit("plan it");
    let form = live.form().await;
    let approved = FormAnswer {
        picked: vec![1],
        words: None,
    };
    live.fill(&form, FormReply::Answers(vec![approved]));
    live.until_turn_ended().await;
    let mut compactions = 0;
    for turn in 0..TURNS {
        let canary = match turn % 4 {
            0 => format!("Never touch canary-{turn}.txt"),
            1 => format!("Don't use port 4{turn:03}"),
            2 => format!("Benutze nie die Bibliothek canary-{turn}"),
            _ => format!("go on with step {turn}"),
        };
        live.submit(&canary);
        let (_, events) = live.until_turn_ended().await;
        let is_compacted = |event: &&Event| matches!(event, Event::Context(report) if report.kind == ContextReportKind::Compacted);
        compactions += events.iter().filter(is_compacted).count();
    }
    live.close().await;
    assert!(compactions >= 5, "{compactions}");
    let request = server.requests().pop().unwrap();
    for turn in 0..TURNS {
        let canary = match turn % 4 {
            0 => format!("Never touch canary-{turn}.txt"),
            1 => format!("Don't use port 4{turn:03}"),
            2 => format!("Benutze nie die Bibliothek canary-{turn}"),
            _ => continue,
        };
        assert!(
            request.mentions(&canary),
            "{canary} is lost after {compactions} compactions"
        );
    }
    for canary in [
        "canary-todo",
        "canary-nested: use tabs here",
        "canary-root: be brief\n\n  twice",
        plan.trim(),
    ] {
        assert!(
            request.mentions(canary),
            "{canary} is lost after {compactions} compactions"
        );
    }
}
