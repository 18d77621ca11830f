//! Panics, told after the terminal was given back.
//!
//! The hook runs before unwinding, when the screen is still ours, and also for panics that somebody catches on purpose
//! (a tool's renderer) or that end another thread's task. So it draws nothing and restores nothing: it writes the
//! panic down. When one unwinds out of the screen's own loop, dropping the screen gives the terminal back, and only then
//! the message is printed.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Write;
use std::io;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Runs `body`; when it panics, prints what happened once everything inside was dropped and returns `None`.
pub(crate) fn caught<T>(body: impl FnOnce() -> T) -> Option<T> {
    let told: Arc<Mutex<Option<String>>> = Arc::default();
    let ours = thread::current().id();
    let before = take_hook();
    let writes = Arc::clone(&told);
    set_hook(Box::new(move |info| {
        let text = describe(info);
        tracing::error!(panic = %text);
        if thread::current().id() == ours {
            *writes.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        }
    }));
    let outcome = catch_unwind(AssertUnwindSafe(body));
    drop(take_hook());
    set_hook(before);
    if outcome.is_err() {
        let text = told.lock().unwrap_or_else(PoisonError::into_inner).take();
        let text = text.unwrap_or_else(|| "no message".to_owned());
        let line = format!("lathe stopped because of an internal error: {text}\n");
        // When standard error is gone as well, the log has it.
        let _ = io::Write::write_all(&mut io::stderr(), line.as_bytes());
    }
    outcome.ok()
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let mut text = message.to_owned();
    if let Some(location) = info.location() {
        let _ = write!(text, " ({}:{})", location.file(), location.line());
    }
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        let _ = write!(text, "\n{trace}");
    }
    text
}
