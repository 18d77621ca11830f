//! `lathe [DIR]`: the full-screen interface.
//!
//! The screen belongs to the main thread and is painted from the configuration alone. The session is opened meanwhile on
//! a thread of its own (`session::host::HostThread`) and handed over when it is there.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use tokio::sync::oneshot;

use super::args::ScreenArgs;
use super::failure::Failure;
use super::first_run::StartChoice;
use super::place::{Locations, host, model_source};
use super::{first_run, keys, runtime, screen_reader, themes};
use crate::config::Dirs;
use crate::config::schema::{NotifyBy, SymbolSet, Tui};
use crate::session::ErrorReport;
use crate::session::host::{Host, OpenedSession, SessionFuture};
use crate::session::wire::{
    self, FrontEndKind, ModelSource, OpenRequest, Part, Preview, ProjectTrust, SessionChoice,
};
use crate::tui::{
    self, Motion, MouseCapture, Notify, Setup, TerminalError, TrustAnswer, TrustPart, TrustQuestion,
    TuiStart, UiSettings,
};
use crate::view::Symbols;

/// How the screen was left.
pub(super) enum Left {
    With(ExitCode),
    /// The person wants the demo instead.
    ForDemo,
}

pub(super) fn screen(args: ScreenArgs) -> Result<Left, Failure> {
    let place = match &args.directory {
        Some(directory) => Locations::at(directory)?,
        None => Locations::current()?,
    };
    let dirs = place.dirs.clone();
    let source = model_source(&args.cassette)?;
    let extra = args.open.config.clone();
    let request = place.request(args.open, args.reopen.into(), source, FrontEndKind::Attended)?;
    if args.screen_reader {
        check_terminal()?;
        return screen_reader::screen_reader(request, extra, args.prompt, &dirs).map(Left::With);
    }
    launch(Launch {
        request,
        prompt: args.prompt,
        dirs,
        extra,
        notes: Vec::new(),
    })
}

/// A screen to be started.
pub(super) struct Launch {
    pub(super) request: OpenRequest,
    pub(super) prompt: Option<String>,
    /// The user's own, for themes and logs.
    pub(super) dirs: Dirs,
    /// The configuration file that was named, for sessions of other projects.
    pub(super) extra: Option<PathBuf>,
    /// Notes to be shown before anything else.
    pub(super) notes: Vec<String>,
}

pub(super) fn launch(launch: Launch) -> Result<Left, Failure> {
    let Launch {
        mut request,
        prompt,
        dirs,
        extra,
        mut notes,
    } = launch;
    refuse_dumb_terminal()?;
    let (themes, warning) = themes::configured(&request.loaded.config.theme, &dirs);
    notes.extend(warning);
    let preview = match wire::preview(&request) {
        Ok(preview) => preview,
        // What is missing may be among what is asked about.
        Err(_) if brings_providers(&request.trust) => wire::preview_untrusted(&request),
        Err(report) => match reopened(&mut request)? {
            Some(preview) => preview,
            None => match first_run::begin(report, &mut request, themes.clone())? {
                StartChoice::Demo => return Ok(Left::ForDemo),
                StartChoice::Model => wire::preview(&request)?,
                StartChoice::Left(status) => return Ok(Left::With(status)),
            },
        },
    };
    check_terminal()?;
    let keymap = keys::keymap(&request.loaded)?;
    let ui_settings = ui_settings(&request.loaded.config.tui);
    let setup = Setup {
        model: preview.model,
        agent: preview.agent,
        mode: preview.mode,
        directory: request.directory.clone(),
        project: request.trust.root.clone(),
        is_demo: request.source == ModelSource::Demo,
        themes,
        theme_list: themes::list(&dirs),
        settings_file: dirs.config.join("lathe.jsonc"),
        keymap,
        frecency_file: dirs.state.join("uses.jsonl"),
        wheel_lines: ui_settings.wheel_lines,
        mouse: ui_settings.mouse,
        copies_on_select: ui_settings.copies_on_select,
        uses_vim: ui_settings.uses_vim,
        prompt,
        reopens: request.which != SessionChoice::New,
        trust: trust_question(&request.trust),
        terminal_environment: ui_settings.terminal_environment(),
    };
    let thread = runtime::start_host_thread(dirs)?;
    let host = host(thread.runtime().clone(), request, extra);
    let mut keeping = None;
    let mut trust_answer = None;
    let open: SessionFuture = if setup.trust.is_some() {
        let (answer, answered) = oneshot::channel();
        let (kept, when_kept) = oneshot::channel();
        trust_answer = Some(answer);
        keeping = Some(thread.runtime().spawn(keep_answer(host.clone(), answered, kept)));
        Box::pin(with_notes(open_when_kept(host.clone(), when_kept), notes))
    } else {
        Box::pin(with_notes(host.open_first(), notes))
    };
    let start = TuiStart {
        setup,
        trust_answer,
        open,
        host: host.clone(),
    };
    let ended = tui::run(start);
    if let Some(keeping) = keeping {
        // An answer is kept even if the person leaves at once. It cannot fail but by a panic, which is in the log.
        let _ = thread.runtime().block_on(keeping);
    }
    thread.end(host);
    match ended {
        Ok(ended) => Ok(Left::With(ExitCode::from(ended.status()))),
        Err(error) => Err(Failure::system("the screen failed", error)),
    }
}

/// Returns what the first frame shows of a stored session, which opens without a model that can be asked as well. Servers on
/// this machine can be chosen in it.
fn reopened(request: &mut OpenRequest) -> Result<Option<Preview>, Failure> {
    let preview = wire::preview_reopened(request)?;
    if preview.is_some() {
        first_run::add_found_servers(request);
    }
    Ok(preview)
}

/// Keeps what the person says about the project. Ends without an answer when the screen is left.
async fn keep_answer(
    host: Host,
    answered: oneshot::Receiver<TrustAnswer>,
    kept: oneshot::Sender<Result<(), ErrorReport>>,
) {
    let result = match answered.await {
        Ok(TrustAnswer::Trust) => host.trust().await,
        Ok(TrustAnswer::NotNow) => Ok(()),
        Err(_) => return,
    };
    // Nobody waits for it where the screen was left meanwhile.
    let _ = kept.send(result);
}

/// Opens the first session when the person has said whether the project is trusted.
async fn open_when_kept(
    host: Host,
    kept: oneshot::Receiver<Result<(), ErrorReport>>,
) -> Result<OpenedSession, ErrorReport> {
    match kept.await {
        Ok(result) => result?,
        // The screen is being left.
        Err(_) => return std::future::pending().await,
    }
    host.open_first().await
}

/// The session shows these notes before its own.
async fn with_notes(
    opening: impl Future<Output = Result<OpenedSession, ErrorReport>>,
    mut notes: Vec<String>,
) -> Result<OpenedSession, ErrorReport> {
    let mut opened = opening.await?;
    notes.append(&mut opened.notes.events);
    opened.notes.events = notes;
    Ok(opened)
}

/// Returns the question about trust, if there is something to ask.
fn trust_question(trust: &ProjectTrust) -> Option<TrustQuestion> {
    let part = |part: &Part| TrustPart {
        file: part.file.clone(),
        key: part.key.clone(),
        text: part.text(),
    };
    trust.is_open().then(|| TrustQuestion {
        root: trust.asked_place().to_owned(),
        parts: trust.asked_parts().into_iter().map(part).collect(),
        has_files_of_commands: trust.asks_about_files(),
        change: trust.change(),
    })
}

fn brings_providers(trust: &ProjectTrust) -> bool {
    trust.asks_about_files() || trust.is_untrusted() && trust.parts.iter().any(|part| part.key == "providers")
}

fn ui_settings(settings: &Tui) -> UiSettings {
    UiSettings {
        mouse: if settings.mouse {
            MouseCapture::Caught
        } else {
            MouseCapture::LeftAlone
        },
        wheel_lines: settings.wheel_lines,
        sets_title: settings.title,
        shows_links: settings.links,
        notify: match settings.notify {
            NotifyBy::Auto => Notify::Auto,
            NotifyBy::Osc9 => Notify::Osc9,
            NotifyBy::Osc99 => Notify::Osc99,
            NotifyBy::Osc777 => Notify::Osc777,
            NotifyBy::Bell => Notify::Bell,
            NotifyBy::Off => Notify::Off,
        },
        copies_on_select: settings.copy_on_select,
        uses_vim: settings.vim,
        symbols: match settings.symbols {
            SymbolSet::Auto => None,
            SymbolSet::Unicode => Some(Symbols::Unicode),
            SymbolSet::Ascii => Some(Symbols::Ascii),
        },
        motion: if settings.reduced_motion {
            Motion::Reduced
        } else {
            Motion::Full
        },
    }
}

/// Before anything is started for a screen that cannot be.
/// A terminal without a movable cursor shows no screen; what serves there instead is named.
fn refuse_dumb_terminal() -> Result<(), Failure> {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if !is_dumb || !io::stdout().is_terminal() {
        return Ok(());
    }
    let failure = Failure::usage("the terminal is `dumb` (`TERM`): it cannot show a full screen");
    Err(failure.hinted(
        "`lathe --screen-reader` works there, and `lathe run \"what to do\"` runs one turn. If the terminal can do \
         more, set `TERM`, for example to `xterm-256color`.",
    ))
}

fn check_terminal() -> Result<(), Failure> {
    let lacking = match (io::stdin().is_terminal(), io::stdout().is_terminal()) {
        (true, true) => return Ok(()),
        (false, _) => "standard input",
        (true, false) => "standard output",
    };
    Err(Failure::usage(TerminalError::NotATerminal(lacking).to_string()))
}
