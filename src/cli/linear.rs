//! `lathe --screen-reader`: the session in lines that are only added to.

use std::process::ExitCode;
use std::sync::Arc;

use super::failure::Failure;
use super::logs::Logs;
use super::runtime;
use crate::config::Dirs;
use crate::linear::{self, Console, Ended, TrustAnswer};
use crate::session::ErrorReport;
use crate::session::wire::{self, OpenRequest};
use crate::tool::Registry;

pub(super) fn linear(request: OpenRequest, prompt: Option<String>, dirs: &Dirs) -> Result<ExitCode, Failure> {
    let _logs = Logs::start(dirs);
    runtime::block_on(speak(request, prompt))?
}

async fn speak(request: OpenRequest, prompt: Option<String>) -> Result<ExitCode, Failure> {
    let mut console =
        Console::open().map_err(|error| Failure::system("the terminal cannot be used", error))?;
    let ended = converse(request, prompt, &mut console).await;
    // Whatever came of it, what was said is written.
    console.close();
    Ok(ExitCode::from(ended?.status()))
}

async fn converse(
    mut request: OpenRequest,
    prompt: Option<String>,
    console: &mut Console,
) -> Result<Ended, Failure> {
    if request.trust.is_open() {
        match linear::ask_trust(&request.trust, console).await {
            TrustAnswer::Trust => wire::accept_trust(&mut request)?,
            TrustAnswer::NotNow => {}
            TrustAnswer::Left(ended) => return Ok(ended),
        }
    }
    let opened = wire::open(&request)?;
    let untrusted = request.trust.report();
    let mut notes: Vec<String> = untrusted.iter().map(ErrorReport::sentence).collect();
    notes.extend(opened.notes.iter().cloned());
    let tools = Arc::new(Registry::builtin());
    let ended = linear::run(&opened.handle, tools, &notes, prompt, console).await;
    tokio::select! {
        () = runtime::close(opened) => {}
        // Who asks a second time does not wait; the next opening finds what was unfinished.
        () = console.interrupted() => {}
    }
    Ok(ended)
}
