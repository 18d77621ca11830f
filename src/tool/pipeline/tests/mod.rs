//! Calls through the whole pipeline, of a tool that does what it is told.

mod arguments;
mod output;
mod permission;

use crate::permission::PermissionKey;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::permission::{Mode, PermissionReply};
use crate::text::truncate::{ContextUse, Keep};
use crate::tool::harness::{Harness, HarnessOptions};
use crate::tool::{Concurrency, DrawnArgs, Output, Prepared, RenderCx, ResultView, Tool, TruncateLimits};

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
    const DESCRIPTION: &'static str = "";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const KEEP: Keep = Keep::Head;
    const DYNAMIC: bool = true;

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
            vec![Ask::new(PermissionKey::own("list"), Subject::new(".")).always("*")],
        ))
    }

    async fn execute(&self, plan: Orders, _: &ToolCx) -> Result<Output<Nothing>, ToolError> {
        match plan.what.as_str() {
            "panic" => panic!("the puppet was told to"),
            "hang" => std::future::pending().await,
            _ => Ok(Output::new(plan.text.clone(), plan.text, Nothing {})),
        }
    }

    fn render_call(&self, _: DrawnArgs<'_>, _: RenderCx) -> Card {
        Card::new("Puppet", "")
    }

    fn render_result(&self, _: ResultView<'_, Nothing>, _: RenderCx) -> Card {
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
    let ready = ResolvedCall {
        tool: Arc::new(Puppet),
        typed: crate::tool::DynTool::typed(&Puppet, &args).map_err(Box::new),
        args,
        ignored: Vec::new(),
        repeats: false,
        unedited: None,
    };
    let mut cx = project.unheard();
    cx.cancel = cancel;
    run(ready, &cx, &Silent).await
}

async fn told(orders: Value) -> CallResult {
    puppet(&Harness::new(), CancellationToken::new(), orders).await
}

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
    let project = project.answering(PermissionReply::Withdrawn);
    let result = project
        .run("write", json!({"file_path": "a", "content": "x"}))
        .await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Cancelled));
    assert!(result.output.contains("not executed"), "{}", result.output);
    assert!(!project.path("a").exists());
}
