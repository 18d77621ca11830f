//! `lathe run`: one turn without a screen.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use tokio::runtime::Handle;

use super::args::RunArgs;
use super::attach::attach;
use super::failure::Failure;
use super::logs::Logs;
use super::output::print_note;
use super::place::{Locations, host, model_source};
use super::prompt::{self, Prompt};
use super::runtime;
use crate::headless::{self, Format, RunEnd, RunOutcome, UnopenedSession};
use crate::session::mention::mentions;
use crate::session::wire::{self, FrontEndKind, OpenRequest, SessionChoice};
use crate::session::{CalledCommand, ErrorReport, Input};

/// Exit status where a refused call is a failure.
const DENIED: u8 = 3;

pub(super) fn run(args: RunArgs) -> Result<ExitCode, Failure> {
    let format = args.format;
    let fails_on_denied = args.fail_on_denied;
    let unopened = UnopenedSession {
        session: args.reopen.session.clone(),
        model: args.open.model.clone(),
        agent: args.open.agent.clone(),
        cwd: std::env::current_dir().unwrap_or_default(),
    };
    let ended = turn(args, format).inspect_err(|failure| {
        // A program that reads events is told in events; the sentence on stderr is for whoever started it.
        if let (Failure::Told(told), Format::Json) = (failure, format) {
            let _ = headless::refuse(&unopened, &told.report());
        }
    })?;
    Ok(ExitCode::from(status(ended?, fails_on_denied)))
}

/// Runs the turn. The outer error is of a session that could not be opened; the inner one was told in events.
fn turn(args: RunArgs, format: Format) -> Result<io::Result<RunEnd>, Failure> {
    let place = Locations::current()?;
    let source = model_source(&args.cassette)?;
    let which = SessionChoice::from(args.reopen);
    let dirs = place.dirs.clone();
    let mut request = place.request(args.open, which, source, FrontEndKind::Unattended)?;
    if let Some(budget) = args.budget {
        request.loaded.config.background.budget = budget;
    }
    let stdin = io::stdin();
    let piped = if stdin.is_terminal() {
        Prompt::Typed
    } else {
        Prompt::Piped(Box::new(stdin))
    };
    let prompt = prompt::read(&args.prompt, piped)?;
    let input = Input {
        command: called(&prompt.words, &request)?,
        mentions: mentions(&prompt.words),
        text: prompt.text(),
        files: attach(&request, &args.files)?,
        ..Input::default()
    };
    let _logs = Logs::start(&dirs);
    runtime::block_on(one_turn(request, input, format))?
}

/// Returns the process's exit status. A refused call counts for more than how the turn ended, but not than an interrupt or a
/// setting that cannot be meant.
fn status(ended: RunEnd, fails_on_denied: bool) -> u8 {
    match ended.outcome {
        RunOutcome::Done(_) if fails_on_denied && ended.denied > 0 => DENIED,
        outcome => outcome.status(),
    }
}

/// Returns the command of the user's own that a prompt calls. A name that is none is refused, so that a misspelt command is
/// not sent as a text; a path is a text.
fn called(words: &str, request: &OpenRequest) -> Result<Option<CalledCommand>, Failure> {
    let Some(spoken) = words.strip_prefix('/') else {
        return Ok(None);
    };
    let name = spoken.split(char::is_whitespace).next().unwrap_or_default();
    if name.is_empty() || name.contains('/') {
        return Ok(None);
    }
    let (commands, _) = wire::user_commands(request);
    if !commands.iter().any(|command| command.name == name) {
        let failure = Failure::usage(format!("there is no command `/{name}`"));
        return Err(failure.hinted(
            "`lathe commands` lists yours; the built-in ones need the full screen. To send a prompt that begins \
            with a slash, pipe it in.",
        ));
    }
    Ok(Some(CalledCommand::ByName {
        name: name.to_owned(),
        arguments: spoken[name.len()..].trim().to_owned(),
    }))
}

async fn one_turn(request: OpenRequest, input: Input, format: Format) -> Result<io::Result<RunEnd>, Failure> {
    let untrusted = request.trust.report();
    let host = host(Handle::current(), request, None);
    let opened = host.open_first().await?;
    for note in untrusted
        .iter()
        .map(ErrorReport::sentence)
        .chain(opened.notes.iter().cloned())
    {
        print_note(&note);
    }
    let ended = headless::run(&opened, input, format, untrusted.as_ref()).await;
    host.close_all().await;
    Ok(ended)
}
