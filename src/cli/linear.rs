//! `lathe --screen-reader`: the session in lines that are only added to.

use std::mem;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use super::failure::Failure;
use super::logs::Logs;
use super::runtime;
use super::session_threads::Opener;
use crate::config::Dirs;
use crate::files::Roots;
use crate::linear::{self, Console, Ended, Left, Library, Start, TrustAnswer};
use crate::session::wire::{self, OpenRequest, Opened};
use crate::session::{ErrorReport, StoredSessions};
use crate::tool::Registry;

/// `extra` is the configuration file that was named, for sessions of other projects.
pub(super) fn linear(
    request: OpenRequest,
    extra: Option<PathBuf>,
    prompt: Option<String>,
    dirs: &Dirs,
) -> Result<ExitCode, Failure> {
    let _logs = Logs::start(dirs);
    runtime::block_on(speak(request, extra, prompt))?
}

async fn speak(
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
) -> Result<Ended, Failure> {
    if request.trust.is_open() {
        match linear::ask_trust(&request.trust, console).await {
            TrustAnswer::Trust => wire::accept_trust(&mut request)?,
            TrustAnswer::NotNow => {}
            TrustAnswer::Left(ended) => return Ok(ended),
        }
    }
    let mut opened = wire::open(&request)?;
    let untrusted = request.trust.report();
    let mut notes: Vec<String> = untrusted.iter().map(ErrorReport::sentence).collect();
    notes.append(&mut opened.notes);
    let library = library(request, extra)?;
    loop {
        let start = Start {
            handle: &opened.handle,
            tools: Arc::new(Registry::builtin()),
            library: &library,
            notes: &notes,
            prompt: prompt.take(),
        };
        match linear::run(start, console).await {
            Left::Ended(ended) => {
                close(opened, console).await;
                return Ok(ended);
            }
            Left::For(next) => {
                close(mem::replace(&mut opened, *next), console).await;
                notes = mem::take(&mut opened.notes);
            }
        }
    }
}

fn library(request: OpenRequest, extra: Option<PathBuf>) -> Result<Library, Failure> {
    let roots = Roots::new(&request.directory, request.dirs.home.as_deref());
    let stored = StoredSessions::open(&request.dirs.data)?;
    let opener = Opener::new(request, extra);
    Ok(Library {
        stored,
        project: roots.project_root().to_owned(),
        open: Arc::new(move |wanted| opener.open(wanted)),
    })
}

async fn close(opened: Opened, console: &mut Console) {
    tokio::select! {
        () = runtime::close(opened) => {}
        // Who asks a second time does not wait; the next opening finds what was unfinished.
        () = console.interrupted() => {}
    }
}
