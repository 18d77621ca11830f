//! `lathe --screen-reader`: the session in lines that are only added to.

use std::path::PathBuf;
use std::process::ExitCode;

use tokio::runtime::Handle;

use super::failure::Failure;
use super::logs::Logs;
use super::place::host;
use super::runtime;
use crate::config::Dirs;
use crate::screen_reader::{self, Console, ScreenReaderExit, ScreenReaderStart, SessionExit, TrustAnswer};
use crate::session::ErrorReport;
use crate::session::wire::{self, OpenRequest};

/// `extra` is the configuration file that was named, for sessions of other projects.
pub(super) fn screen_reader(
    request: OpenRequest,
    extra: Option<PathBuf>,
    prompt: Option<String>,
    dirs: &Dirs,
) -> Result<ExitCode, Failure> {
    let _logs = Logs::start(dirs);
    runtime::block_on(run_session(request, extra, prompt))?
}

async fn run_session(
    request: OpenRequest,
    extra: Option<PathBuf>,
    prompt: Option<String>,
) -> Result<ExitCode, Failure> {
    let mut console =
        Console::open().map_err(|error| Failure::system("the terminal cannot be used", error))?;
    let ended = converse(request, extra, prompt, &mut console).await;
    // Whatever came of it, what was said is written.
    console.close();
    Ok(ExitCode::from(ended?.status()))
}

async fn converse(
    mut request: OpenRequest,
    extra: Option<PathBuf>,
    mut prompt: Option<String>,
    console: &mut Console,
) -> Result<ScreenReaderExit, Failure> {
    if request.trust.is_open() {
        match screen_reader::ask_trust(&request.trust, console).await {
            TrustAnswer::Trust => wire::accept_trust(&mut request)?,
            TrustAnswer::NotNow => {}
            TrustAnswer::Left(ended) => return Ok(ended),
        }
    }
    let untrusted = request.trust.report();
    let host = host(Handle::current(), request, extra);
    let mut session = host.open_first().await?;
    let left_out = untrusted.iter().map(ErrorReport::sentence);
    session.notes.events.splice(0..0, left_out);
    loop {
        let start = ScreenReaderStart {
            session: &session,
            host: &host,
            prompt: prompt.take(),
        };
        let left = screen_reader::run(start, console).await;
        tokio::select! {
            () = host.close(&session.handle) => {}
            // Who asks a second time does not wait; the next opening finds what was unfinished.
            () = console.interrupted() => {}
        }
        match left {
            SessionExit::Ended(ended) => return Ok(ended),
            SessionExit::For(next) => session = *next,
        }
    }
}
