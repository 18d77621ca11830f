//! `lathe --screen-reader`: the session in lines that are only added to.

use std::process::ExitCode;
use std::sync::Arc;

use super::failure::Failure;
use super::logs::Logs;
use super::runtime;
use crate::config::Dirs;
use crate::linear::{self, Console, TrustAnswer};
use crate::session::ErrorReport;
use crate::session::wire::{self, OpenRequest};
use crate::tool::Registry;

pub(super) fn linear(request: OpenRequest, prompt: Option<String>, dirs: &Dirs) -> Result<ExitCode, Failure> {
    let _logs = Logs::start(dirs);
    runtime::block_on(speak(request, prompt))?
}

async fn speak(mut request: OpenRequest, prompt: Option<String>) -> Result<ExitCode, Failure> {
    let mut console =
        Console::open().map_err(|error| Failure::system("the terminal cannot be used", error))?;
    if request.trust.is_open() {
        match linear::ask_trust(&request.trust, &mut console).await {
            TrustAnswer::Trust => wire::accept_trust(&mut request)?,
            TrustAnswer::NotNow => {}
            TrustAnswer::Left(ended) => {
                console.close();
                return Ok(ExitCode::from(ended.status()));
            }
        }
    }
    let opened = wire::open(&request)?;
    let untrusted = request.trust.report();
    let mut notes: Vec<String> = untrusted.iter().map(ErrorReport::sentence).collect();
    notes.extend(opened.notes.iter().cloned());
    let tools = Arc::new(Registry::builtin());
    let ended = linear::run(&opened.handle, tools, &notes, prompt, &mut console).await;
    runtime::close(opened).await;
    console.close();
    Ok(ExitCode::from(ended.status()))
}
