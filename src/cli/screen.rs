//! `lathe [DIR]`: the full-screen interface.
//!
//! The screen belongs to the main thread and is painted from the configuration alone. The session is opened meanwhile on
//! threads of its own and handed over when it is there. When the screen is left, those threads are waited for, so that
//! everything is on disk before the process ends.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use super::args::ScreenArgs;
use super::failure::Failure;
use super::first_run::Beginning;
use super::logs::Logs;
use super::place::{Place, model_source};
use super::{demo, first_run, runtime, themes};
use crate::config::Dirs;
use crate::config::schema::Tui;
use crate::session::wire::{self, FrontEndKind, ModelSource, OpenRequest, Part, ProjectTrust};
use crate::session::{ErrorReport, ReportKind};
use crate::tool::Registry;
use crate::tui::{
    self, Manners, Motion, Mouse, Opening, Start, TerminalError, TrustAnswer, TrustPart, TrustQuestion,
};

/// A session that takes longer to end is left to its next opening, which finds what was unfinished.
const FAREWELL: Duration = Duration::from_secs(10);

pub(super) fn screen(args: ScreenArgs) -> Result<ExitCode, Failure> {
    let place = match &args.directory {
        Some(directory) => Place::at(directory)?,
        None => Place::current()?,
    };
    let dirs = place.dirs.clone();
    let source = model_source(&args.cassette)?;
    let request = place.request(args.open, args.reopen.into(), source, FrontEndKind::Attended)?;
    launch(Launch {
        request,
        prompt: args.prompt,
        dirs,
        notes: Vec::new(),
    })
}

/// A screen to be started.
pub(super) struct Launch {
    pub(super) request: OpenRequest,
    pub(super) prompt: Option<String>,
    /// The user's own, for themes and logs.
    pub(super) dirs: Dirs,
    /// What is said before anything else.
    pub(super) notes: Vec<String>,
}

pub(super) fn launch(launch: Launch) -> Result<ExitCode, Failure> {
    let Launch {
        mut request,
        prompt,
        dirs,
        notes,
    } = launch;
    let themes = themes::load(&request.loaded.config.theme, &dirs)?;
    let preview = match wire::preview(&request) {
        Ok(preview) => preview,
        // What is missing may be among what is asked about.
        Err(_) if brings_providers(&request.trust) => wire::preview_untrusted(&request),
        Err(report) => match first_run::begin(report, &mut request, themes.clone())? {
            Beginning::Demo => return demo::demo(),
            Beginning::Server => wire::preview(&request)?,
            Beginning::Left(status) => return Ok(status),
        },
    };
    check_terminal()?;
    let manners = manners(&request.loaded.config.tui);
    let (directory, is_demo) = (request.directory.clone(), request.source == ModelSource::Demo);
    let settings_file = dirs.config.join("lathe.jsonc");
    let theme_list = themes::list(&dirs);
    let (answer, answered) = oneshot::channel();
    let trust = trust_question(&request.trust).map(|question| (question, answer));
    let (session, open) = SessionThreads::start(request, notes, dirs, answered)?;
    let start = Start {
        model: preview.model,
        agent: preview.agent,
        mode: preview.mode,
        directory,
        is_demo,
        themes,
        theme_list,
        settings_file,
        manners,
        prompt,
        trust,
        open,
    };
    let ended = tui::run(start);
    session.end();
    match ended {
        Ok(ended) => Ok(ExitCode::from(ended.status())),
        Err(error) => Err(Failure::system("the screen failed", error)),
    }
}

/// What the person is asked, if there is something to ask.
fn trust_question(trust: &ProjectTrust) -> Option<TrustQuestion> {
    let part = |part: &Part| TrustPart {
        file: part.file.clone(),
        key: part.key.clone(),
        text: part.text(),
    };
    trust.is_open().then(|| TrustQuestion {
        root: trust.root.clone(),
        parts: trust.parts.iter().map(part).collect(),
        change: trust.change(),
    })
}

fn brings_providers(trust: &ProjectTrust) -> bool {
    trust.is_open() && trust.parts.iter().any(|part| part.key == "providers")
}

fn manners(settings: &Tui) -> Manners {
    Manners {
        mouse: if settings.mouse {
            Mouse::Caught
        } else {
            Mouse::LeftAlone
        },
        wheel_lines: settings.wheel_lines,
        copies_on_select: settings.copy_on_select,
        motion: if settings.reduced_motion {
            Motion::Reduced
        } else {
            Motion::Full
        },
    }
}

/// Before anything is started for a screen that cannot be.
fn check_terminal() -> Result<(), Failure> {
    let lacking = match (io::stdin().is_terminal(), io::stdout().is_terminal()) {
        (true, true) => return Ok(()),
        (false, _) => "standard input",
        (true, false) => "standard output",
    };
    Err(Failure::usage(TerminalError::NotATerminal(lacking).to_string()))
}

/// The threads that the session lives on.
struct SessionThreads {
    /// Dropped to end the session.
    leave: oneshot::Sender<()>,
    /// Closed when it has ended.
    gone: mpsc::Receiver<()>,
}

impl SessionThreads {
    fn start(
        request: OpenRequest,
        notes: Vec<String>,
        dirs: Dirs,
        answered: oneshot::Receiver<TrustAnswer>,
    ) -> Result<(Self, Opening), Failure> {
        let (leave, left) = oneshot::channel();
        let (ready, opened) = oneshot::channel();
        let (alive, gone) = mpsc::channel();
        let work = move || {
            let _alive = alive;
            let _logs = Logs::start(&dirs);
            // Without threads `ready` is dropped, which the screen is told of.
            if let Err(failure) = runtime::block_on(live(request, notes, answered, ready, left)) {
                tracing::error!(?failure, "the session could not be started");
            }
        };
        thread::Builder::new()
            .name("lathe-runtime".to_owned())
            .spawn(work)
            .map_err(|error| Failure::system("the threads of lathe could not be started", error))?;
        let opening = async move { opened.await.unwrap_or_else(|_| Err(not_started())) };
        Ok((Self { leave, gone }, Box::pin(opening)))
    }

    /// Lets the session end and waits for it.
    fn end(self) {
        drop(self.leave);
        let _ = self.gone.recv_timeout(FAREWELL);
    }
}

/// Opens the session, hands it over and keeps it until it is left.
async fn live(
    mut request: OpenRequest,
    mut notes: Vec<String>,
    answered: oneshot::Receiver<TrustAnswer>,
    ready: oneshot::Sender<Result<tui::Opened, ErrorReport>>,
    left: oneshot::Receiver<()>,
) {
    if request.trust.is_open() {
        match answered.await {
            Ok(TrustAnswer::Trust) => {
                if let Err(report) = wire::accept_trust(&mut request) {
                    let _ = ready.send(Err(report));
                    return;
                }
            }
            Ok(TrustAnswer::NotNow) => {}
            // The screen was left before.
            Err(_) => return,
        }
    }
    let mut opened = match wire::open(&request) {
        Ok(opened) => opened,
        Err(report) => {
            let _ = ready.send(Err(report));
            return;
        }
    };
    notes.append(&mut opened.notes);
    let handed = tui::Opened {
        handle: opened.handle.clone(),
        tools: Arc::new(Registry::builtin()),
        notes,
    };
    if ready.send(Ok(handed)).is_ok() {
        // The sender is never used, only dropped.
        let _ = left.await;
    }
    runtime::close(opened).await;
}

fn not_started() -> ErrorReport {
    ErrorReport {
        kind: ReportKind::Internal,
        message: "the session could not be started".to_owned(),
        hint: Some("The log in the state directory says why.".to_owned()),
    }
}
