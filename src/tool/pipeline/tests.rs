use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::conversation::SessionId;
use crate::permission::{Mode, Reply};
use crate::text::truncate::{ContextUse, Keep};
use crate::tool::harness::{Harness, HarnessOptions};
use crate::tool::{
    CallView, Concurrency, InitCx, Output, Prepared, RenderCx, ResultView, Tool, TruncateLimits,
};

// -- A tool that does what it is told ----------------------------------------------------------------------------------

struct Puppet;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Orders {
    /// `panic`, `hang`, `print` or `fail`, and where.
    what: String,
    #[serde(default)]
    text: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Nothing {}

impl Tool for Puppet {
    type Args = Orders;
    type Plan = Orders;
    type Details = Nothing;

    const NAME: &'static str = "list";
    const KEEP: Keep = Keep::Head;
    const DYNAMIC: bool = true;

    fn description(&self, _: InitCx<'_>) -> String {
        String::new()
    }

    fn concurrency(&self, _: &Orders) -> Concurrency {
        Concurrency::Shared
    }

    async fn prepare(&self, args: Orders, cx: &ToolCx) -> Result<Prepared<Orders>, ToolError> {
        match args.what.as_str() {
            "panic in prepare" => panic!("the puppet was told to"),
            "panic beside" => {
                cx.blocking(|| -> Result<(), ToolError> { panic!("the puppet was told to") })
                    .await?;
            }
            "hang in prepare" => std::future::pending().await,
            "fail" => return Err(ToolError::new(ErrorKind::NotFound, args.text)),
            _ => {}
        }
        Ok(Prepared::new(
            args,
            vec![Ask::new("list", Subject::new(".")).always("*")],
        ))
    }

    async fn execute(&self, plan: Orders, _: &ToolCx) -> Result<Output<Nothing>, ToolError> {
        match plan.what.as_str() {
            "panic" => panic!("the puppet was told to"),
            "hang" => std::future::pending().await,
            _ => Ok(Output::new(plan.text.clone(), plan.text, Nothing {})),
        }
    }

    fn render_call(&self, _: CallView<'_, Orders>, _: RenderCx) -> Card {
        Card::new("Puppet", "")
    }

    fn render_result(&self, _: ResultView<'_, Orders, Nothing>, _: RenderCx) -> Card {
        Card::new("Puppet", "")
    }
}

#[tokio::test]
async fn shared_calls_wait_for_each_other_and_an_exclusive_one_for_all_before_it() {
    use Concurrency::{Exclusive, Shared};
    let both = tokio::sync::Barrier::new(2);
    let order = std::sync::Mutex::new(Vec::new());
    let calls = [
        (Shared, 0),
        (Shared, 1),
        (Exclusive, 2),
        (Exclusive, 3),
        (Shared, 4),
        (Shared, 5),
    ];
    let ended = in_order(calls.into_iter().map(|(concurrency, number)| {
        let (both, order) = (&both, &order);
        let call = async move {
            if concurrency == Shared {
                both.wait().await;
            }
            order.lock().unwrap().push(number / 2);
            number
        };
        (concurrency, call)
    }));
    assert_eq!(ended.await, [0, 1, 2, 3, 4, 5]);
    assert_eq!(*order.lock().unwrap(), [0, 0, 1, 1, 2, 2]);
}

struct Silent;

impl Progress for Silent {}

async fn puppet(project: &Harness, cancel: CancellationToken, orders: Value) -> CallResult {
    let Value::Object(args) = orders else {
        panic!("orders are an object")
    };
    let ready = Ready {
        tool: Arc::new(Puppet),
        args,
        ignored: Vec::new(),
        misfit: None,
        repeats: false,
        concurrency: Concurrency::Shared,
        unedited: None,
    };
    let (updates, _listener) = mpsc::unbounded_channel();
    let mut cx = ToolCx::new(
        Arc::clone(&project.services),
        SessionId::new(),
        CallId::new(),
        updates,
    );
    cx.cancel = cancel;
    cx.context = project.context;
    run(ready, &cx, &Silent).await
}

async fn told(orders: Value) -> CallResult {
    puppet(&Harness::new(), CancellationToken::new(), orders).await
}

// -- Exactly one result ------------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_tool_that_panics_is_an_internal_error_that_asks_to_be_reported() {
    for what in ["panic", "panic in prepare", "panic beside"] {
        let result = told(json!({ "what": what })).await;
        assert_eq!(result.error_kind(), Some(ErrorKind::Internal), "{what}");
        assert!(
            result.output.starts_with("Error: ") && result.output.contains("report this"),
            "{what}"
        );
    }
}

#[tokio::test]
async fn a_call_that_was_cancelled_before_it_began_was_not_executed() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let result = puppet(&Harness::new(), cancel, json!({"what": "print", "text": "x"})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Cancelled));
    assert!(result.output.contains("not executed"), "{}", result.output);
}

#[tokio::test]
async fn a_running_call_has_250_ms_to_return_when_it_is_cancelled() {
    for what in ["hang", "hang in prepare"] {
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let project = Harness::new();
        let (result, began) = tokio::join!(puppet(&project, cancel, json!({ "what": what })), async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            stop.cancel();
            Instant::now()
        });
        assert_eq!(result.error_kind(), Some(ErrorKind::Cancelled), "{what}");
        assert!(
            began.elapsed() < Duration::from_millis(600),
            "{what}: {:?}",
            began.elapsed()
        );
    }
}

#[tokio::test]
async fn a_call_that_waits_for_an_answer_is_not_executed_when_it_is_cancelled() {
    let project = Harness::new();
    // Nobody answers the questions, but somebody could.
    let project = project.answering(Reply::Withdrawn);
    let result = project
        .run("write", json!({"file_path": "a", "content": "x"}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Cancelled));
    assert!(result.output.contains("not executed"), "{}", result.output);
    assert!(!project.path("a").exists());
}

// -- Names and arguments ------------------------------------------------------------------------------------------------

#[tokio::test]
async fn an_unknown_tool_names_its_neighbours() {
    let project = Harness::new();
    let result = project.run("reed", json!({})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::UnknownTool));
    assert!(
        result
            .output
            .starts_with("Error: no tool named `reed`; did you mean `read`"),
        "{}",
        result.output
    );
    assert_eq!(result.details["resolved"], "invalid");
    let result = project.run("xyzzy_quux", json!({})).await;
    assert!(
        result.output.contains("`bash`, `edit`, `glob`"),
        "{}",
        result.output
    );
    let project = Harness::with_rules(json!({"bash": "deny", "read": {"*": "deny"}}));
    let result = project.run("xyzzy_quux", json!({})).await;
    assert!(
        result.output.contains("there are `edit`, `glob`") && !result.output.contains("`read`"),
        "{}",
        result.output
    );
    let result = Harness::with_rules(json!("deny"))
        .run("xyzzy_quux", json!({}))
        .await;
    assert!(
        result.output.ends_with("no tool may be used here"),
        "{}",
        result.output
    );
}

#[tokio::test]
async fn a_name_cannot_smuggle_controls_into_a_result() {
    let result = Harness::new().run("re\u{1b}[31m\nad?!", json!({})).await;
    assert!(
        !result.output.contains('\u{1b}') && !result.title.contains('\u{1b}'),
        "{:?}",
        result.output
    );
}

#[tokio::test]
async fn broken_arguments_are_told_with_the_place_where_they_break() {
    let project = Harness::new();
    for raw in [
        "{\"file_path\": \"a",
        "{\"a\": 1,}",
        "[1]",
        "7",
        "\"x\"",
        "{\"a\" 1}",
    ] {
        let result = project.run_raw("read", raw).await;
        assert_eq!(result.error_kind(), Some(ErrorKind::InvalidArgs), "{raw}");
        assert_eq!(result.details["resolved"], "invalid", "{raw}");
        assert!(result.details["error"].get("resolved").is_none());
        if raw.starts_with('{') {
            assert!(result.output.contains("at line 1 column "), "{}", result.output);
        }
    }
    let resolved = project.resolve("read", "{\"file_path\": \"a");
    assert_eq!(resolved.args, json!("{\"file_path\": \"a"));
}

#[tokio::test]
async fn no_arguments_are_an_empty_object() {
    let project = Harness::new();
    for raw in ["", "  ", "null", "{}", "\"{}\""] {
        let result = project.run_raw("todoread", raw).await;
        assert!(result.ok, "{raw}: {}", result.output);
    }
}

#[tokio::test]
async fn a_missing_parameter_is_named_and_the_others_listed() {
    let result = Harness::new()
        .run("edit", json!({"file_path": "a", "colour": 1}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::InvalidArgs));
    for part in [
        "`old_string` is missing",
        "`new_string` is missing",
        "Parameters: file_path",
    ] {
        assert!(result.output.contains(part), "{part}\n{}", result.output);
    }
    assert_eq!(result.details["ignored_params"], json!(["colour"]));
}

#[tokio::test]
async fn parameters_that_nobody_knows_are_dropped_and_listed() {
    let project = Harness::new();
    project.write("a", "x\n");
    for file in ["a", "missing"] {
        let result = project.run("read", json!({"file_path": file, "colour": 1})).await;
        assert_eq!(result.details["ignored_params"], json!(["colour"]), "{file}");
    }
}

#[test]
fn the_event_shows_the_arguments_in_their_own_names() {
    let resolved = Harness::new().resolve("Write", r#"{"filePath": "a", "contents": "x", "colour": 1}"#);
    assert_eq!(resolved.args, json!({"file_path": "a", "content": "x"}));
    assert_eq!(resolved.concurrency(), Concurrency::Exclusive);
    assert!(resolved.outcome.is_ok());
}

// -- Access, loops and permission --------------------------------------------------------------------------------------

#[tokio::test]
async fn a_tool_that_is_switched_off_is_denied_before_its_arguments_are_looked_at() {
    let project = Harness::with_settings(|settings| {
        settings.switches.insert("write".to_owned(), false);
    });
    let result = project.run("write", json!({})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied));
    assert!(
        result.output.contains("`write`") && result.output.contains("`tools`"),
        "{}",
        result.output
    );
    assert_eq!(result.details["error"]["key"], "tools");
    assert_eq!(project.asked(), []);
}

#[tokio::test]
async fn what_an_agent_may_not_use_is_denied_and_names_the_agent() {
    let project = Harness::with_settings(|settings| {
        let access = &mut settings.access;
        access.agent = "plan".to_owned();
        access.barred = &["bash"];
        access.switches.insert("bash".to_owned(), true);
        access.switches.insert("list".to_owned(), false);
    });
    let barred = project.run("bash", json!({"command": "ls"})).await;
    assert_eq!(barred.error_kind(), Some(ErrorKind::Denied));
    assert!(
        barred.output.contains("agent `plan` may not use `bash`\n"),
        "{}",
        barred.output
    );
    let left_out = project.run("list", json!({})).await;
    assert!(
        left_out
            .output
            .contains("agent `plan` may not use `list`: its `tools` leave it out"),
        "{}",
        left_out.output
    );
    assert_eq!(left_out.details["error"]["source"], "agent `plan`");
}

#[tokio::test]
async fn the_third_equal_call_asks() {
    let project = Harness::new();
    project.write("a", "x\n");
    let first = json!({"file_path": "a", "offset": 1});
    let other_order = json!({"offset": 1, "file_path": "a"});
    assert!(project.run("read", first.clone()).await.ok);
    assert!(project.run("todoread", json!({})).await.ok);
    assert!(project.run("read", other_order).await.ok);
    let result = project.run("Read", json!({"path": "a", "offset": "1"})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied));
    assert_eq!(project.asked(), [("doom_loop".to_owned(), "read".to_owned())]);
    assert_eq!(result.details["error"]["key"], "doom_loop");
    assert!(project.run("read", json!({"file_path": "a"})).await.ok);
    assert!(project.run("read", first).await.ok);
}

#[tokio::test]
async fn calls_between_equal_ones_break_the_loop() {
    let project = Harness::new();
    project.write("a", "x\n");
    let read = json!({"file_path": "a"});
    for between in ["{}", "{broken", r#"{"file_path": "b"}"#] {
        for _ in 0..2 {
            assert!(project.run("read", read.clone()).await.ok, "{between}");
        }
        project.run_raw("read", between).await;
    }
    assert_eq!(project.asked(), []);
}

#[tokio::test]
async fn a_call_that_fails_the_same_way_three_times_is_a_loop_too() {
    let project = Harness::new().answering(Reply::Reject(None));
    let missing = json!({"file_path": "missing"});
    for _ in 0..2 {
        assert_eq!(
            project.error("read", missing.clone()).await.0,
            ErrorKind::NotFound
        );
    }
    assert_eq!(project.error("read", missing).await.0, ErrorKind::Rejected);
}

#[tokio::test]
async fn todoread_never_is_a_loop() {
    let project = Harness::new();
    for _ in 0..5 {
        assert!(project.run("todoread", json!({})).await.ok);
    }
}

#[tokio::test]
async fn what_is_denied_names_key_pattern_rule_and_source() {
    let project = Harness::with_rules(json!({"bash": {"*": "ask", "rm *": "deny"}}));
    let result = project.run("bash", json!({"command": "rm -r x"})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied));
    for part in ["`bash`", "`rm -r x`", "`rm *`", "`lathe.jsonc`"] {
        assert!(result.output.contains(part), "{part}\n{}", result.output);
    }
    let error = &result.details["error"];
    assert_eq!(error["key"], "bash");
    assert_eq!(error["pattern"], "rm -r x");
    assert_eq!(error["rule"], "bash: rm * → deny");
    assert_eq!(error["source"], "`lathe.jsonc`");
    assert_eq!(project.asked(), [], "a deny by rule is not asked");
}

#[tokio::test]
async fn what_nobody_could_answer_is_denied_and_names_the_rule_too() {
    let project = Harness::new();
    let result = project
        .run("write", json!({"file_path": "a", "content": ""}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Denied));
    assert!(
        result.output.contains("nobody is there to answer"),
        "{}",
        result.output
    );
    assert_eq!(result.details["error"]["source"], "the defaults");
    assert_eq!(project.asked(), [("edit".to_owned(), "a".to_owned())]);
}

#[tokio::test]
async fn a_refusal_carries_the_message_if_there_was_one() {
    let project = Harness::new().answering(Reply::Reject(Some("not there".to_owned())));
    let result = project
        .run("write", json!({"file_path": "a", "content": ""}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Rejected));
    assert_eq!(result.details["error"]["message"], "not there");
    assert!(result.output.contains("not there"));
    let project = Harness::new().answering(Reply::Reject(None));
    let result = project
        .run("write", json!({"file_path": "a", "content": ""}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Rejected));
    assert!(result.details["error"].get("message").is_none());
}

#[tokio::test]
async fn modes_answer_asks_and_never_lift_a_deny() {
    let with = |mode, rules| {
        Harness::with(HarnessOptions {
            rules,
            mode,
            ..HarnessOptions::default()
        })
    };
    let write = |path: &str| json!({"file_path": path, "content": "x"});
    let yolo = with(Mode::Yolo, json!({"edit": {"*": "ask", "no/*": "deny"}}));
    assert!(yolo.run("write", write("a")).await.ok);
    assert_eq!(yolo.error("write", write("no/a")).await.0, ErrorKind::Denied);
    assert_eq!(
        yolo.error("write", write(".git/hooks/x")).await.0,
        ErrorKind::Denied
    );
    assert!(yolo.run("write", write(".github/workflows/ci.yml")).await.ok);
    let accept = with(Mode::AcceptEdits, json!({}));
    assert!(accept.run("write", write("a")).await.ok);
    assert_eq!(accept.error("write", write(".envrc")).await.0, ErrorKind::Denied);
    let outside = accept.outside("a");
    assert_eq!(
        accept.error("write", write(outside.to_str().unwrap())).await.0,
        ErrorKind::Denied
    );
    assert_eq!(
        accept.error("bash", json!({"command": "rm a"})).await.0,
        ErrorKind::Denied
    );
    assert!(accept.run("bash", json!({"command": "touch b"})).await.ok);
    let plan = with(Mode::Plan, json!({"edit": "allow", "bash": "allow"}));
    assert_eq!(plan.error("write", write("a")).await.0, ErrorKind::Denied);
    assert!(plan.run("write", write(".lathe/plans/p.md")).await.ok);
    assert_eq!(
        plan.error("bash", json!({"command": "touch a"})).await.0,
        ErrorKind::Denied
    );
    assert!(plan.run("bash", json!({"command": "ls"})).await.ok);
}

// -- Outputs ------------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn output_and_title_are_clean() {
    let result = told(json!({"what": "print", "text": "a\u{1b}[31m b\tc\r\nd\u{7}"})).await;
    assert_eq!(result.output, "a b\tc\nd");
    assert_eq!(result.title, "a b c d");
    let result = told(json!({"what": "print", "text": "世".repeat(100)})).await;
    assert!(crate::text::width::str_width(&result.title) <= 80);
    let result = told(json!({"what": "fail", "text": "`a\u{1b}[31m` is gone"})).await;
    assert_eq!(result.output, "Error: `a` is gone");
}

#[tokio::test]
async fn long_output_keeps_its_head_and_the_whole_is_in_a_private_file() {
    let text: String = (1..=2500).map(|number| number.to_string() + "\n").collect();
    let project = Harness::new();
    let orders = json!({"what": "print", "text": text});
    let result = puppet(&project, CancellationToken::new(), orders).await;
    assert!(result.ok && result.truncated);
    let path = result.output_path.unwrap();
    let end = format!("\n2000\n… 500 more lines truncated …\nFull output: {path}\n");
    assert!(result.output.starts_with("1\n2\n") && result.output.contains(&end));
    assert!(
        result
            .output
            .lines()
            .last()
            .unwrap()
            .contains("`offset` and `limit`")
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    // It can be read without asking.
    let read = project
        .run("read", json!({"file_path": path, "offset": 2400, "limit": 1}))
        .await;
    assert!(read.ok && read.output.contains("2400: 2400"), "{}", read.output);
}

#[tokio::test]
async fn one_long_line_is_cut_in_bytes_at_a_character() {
    let result = told(json!({"what": "print", "text": "世".repeat(20_000)})).await;
    assert!(
        result
            .output
            .contains("\n… 8802 more bytes truncated …\nFull output: /")
    );
    assert!(result.output.starts_with("世") && !result.output.contains('\u{fffd}'));
}

#[tokio::test]
async fn a_long_error_is_cut_as_well() {
    let result = told(json!({"what": "fail", "text": "x".repeat(100_000)})).await;
    assert!(result.truncated && result.output_path.is_some());
    assert!(result.output.len() < 53_000 && result.output.starts_with("Error: xxx"));
}

#[tokio::test]
async fn the_settings_of_a_tool_count_before_the_general_ones() {
    let project = Harness::with_settings(|settings| {
        settings.truncate.max_lines = 5;
        let own = TruncateLimits {
            max_lines: Some(0),
            ..TruncateLimits::default()
        };
        settings.truncate.per_tool.insert("list".to_owned(), own);
    });
    let orders = json!({"what": "print", "text": "x\n".repeat(50)});
    let result = puppet(&project, CancellationToken::new(), orders).await;
    assert!(!result.truncated && result.output_path.is_none());
}

#[tokio::test]
async fn the_room_left_in_the_context_bounds_what_is_dynamic() {
    let with = |dynamic: bool, used| {
        let mut project = Harness::with_settings(|settings| settings.truncate.dynamic = dynamic);
        project.context = Some(ContextUse {
            context_limit: 10_000,
            used,
        });
        project
    };
    let text = format!("{}\n", "x".repeat(39)).repeat(1000);
    let orders = json!({"what": "print", "text": text});
    let cancel = CancellationToken::new;
    let result = puppet(&with(true, 8000), cancel(), orders.clone()).await;
    let kept = result.output.lines().filter(|line| line.starts_with('x')).count();
    assert_eq!(kept, 95, "(budget of 1000 - 50) tokens of 40 characters");
    let result = puppet(&with(true, 10_000), cancel(), orders.clone()).await;
    assert_eq!(result.output, "[output suppressed: no room left in the context]");
    assert!(result.truncated && result.output_path.is_some());
    let result = puppet(&with(false, 10_000), cancel(), orders).await;
    assert!(!result.truncated);
}

#[tokio::test]
async fn an_output_that_cannot_be_kept_is_still_an_output() {
    let project = Harness::new();
    std::fs::write(project.services.outputs.dir(), "in the way").unwrap();
    let orders = json!({"what": "print", "text": "x\n".repeat(3000)});
    let result = puppet(&project, CancellationToken::new(), orders).await;
    assert!(result.ok && result.truncated && result.output_path.is_none());
    assert!(
        result.output.contains("\nFull output: (could not be kept: "),
        "{}",
        result.output
    );
}
