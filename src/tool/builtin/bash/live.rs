//! The output of a running command, shown as it arrives.

use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;

use super::capture::{Capture, CapturedOutput, OutputUpdate};
use super::{BashTool, Details};
use crate::tool::truncate::limits;
use crate::tool::{CallUpdate, Tool, ToolCx};

/// How long output is gathered before it is shown.
const UPDATE_EVERY: Duration = Duration::from_millis(50);

/// The output of a running command.
pub(super) struct LiveOutput {
    capture: Mutex<Capture>,
    arrived: Notify,
}

impl LiveOutput {
    /// Shows that the command runs.
    pub(super) fn start(details: &Details, cx: &ToolCx) -> Self {
        cx.update(progress(details, OutputUpdate::default()));
        let services = &cx.services;
        let limits = limits(&services.settings.truncate, BashTool::NAME);
        Self {
            capture: Mutex::new(Capture::new(
                limits,
                services.tree.outputs.clone(),
                cx.call.clone(),
            )),
            arrived: Notify::new(),
        }
    }

    pub(super) fn push(&self, bytes: &[u8]) {
        self.capture().push(bytes);
        self.arrived.notify_one();
    }

    /// Shows what has arrived, at once and then at most every so often. Ends only by being dropped.
    pub(super) async fn show(&self, details: &Details, cx: &ToolCx) -> Infallible {
        let (mut pending, mut runs) = (String::new(), Vec::new());
        loop {
            self.arrived.notified().await;
            let shown = self.capture().show();
            if !shown.delta.is_empty() || shown.pending != pending || shown.runs != runs {
                pending.clone_from(&shown.pending);
                runs.clone_from(&shown.runs);
                cx.update(progress(details, shown));
            }
            sleep(UPDATE_EVERY).await;
        }
    }

    /// Shows what is left.
    pub(super) fn finish(self, details: &Details, cx: &ToolCx) -> CapturedOutput {
        let capture = self.capture.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (captured, last) = capture.finish();
        if !last.delta.is_empty() {
            cx.update(progress(details, last));
        }
        captured
    }

    fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn progress(details: &Details, shown: OutputUpdate) -> CallUpdate {
    let details = Details {
        pending: shown.pending,
        lines: shown.lines,
        styles: shown.runs,
        ..details.clone()
    };
    CallUpdate {
        delta: Some(shown.delta).filter(|delta| !delta.is_empty()),
        details: serde_json::to_value(details).ok(),
        ..CallUpdate::default()
    }
}
