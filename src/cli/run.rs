//! `lathe run`: one turn without a screen.

use std::io::IsTerminal;
use std::process::ExitCode;

use super::args::RunArgs;
use super::attach::attach;
use super::failure::{Failure, Told};
use super::logs::Logs;
use super::output::tell;
use super::place::{Place, model_source};
use super::prompt::{self, Prompt};
use super::runtime;
use crate::headless::{self, Format, Outcome};
use crate::session::wire::{self, FrontEndKind, OpenRequest, Which};
use crate::session::{ErrorReport, Input};

pub(super) fn run(args: RunArgs) -> Result<ExitCode, Failure> {
    let format = Format::from(args.format);
    turn(args, format).inspect_err(|failure| {
        // A program that reads events is told in events; the sentence on stderr is for whoever started it.
        if let (Failure::Told(Told { kind, message, .. }), Format::Json) = (failure, format) {
            let _ = headless::refuse(*kind, message, format);
        }
    })
}

fn turn(args: RunArgs, format: Format) -> Result<ExitCode, Failure> {
    let place = Place::current()?;
    let source = model_source(&args.cassette)?;
    let which = Which::from(args.reopen);
    let dirs = place.dirs.clone();
    let request = place.request(args.open, which, source, FrontEndKind::Unattended)?;
    let stdin = std::io::stdin();
    let piped = if stdin.is_terminal() {
        Prompt::Typed
    } else {
        Prompt::Piped(Box::new(stdin))
    };
    let input = Input {
        text: prompt::read(&args.prompt, piped)?,
        files: attach(&args.files)?,
        ..Input::default()
    };
    let _logs = Logs::start(&dirs);
    runtime::block_on(one_turn(request, input, format))?
}

async fn one_turn(request: OpenRequest, input: Input, format: Format) -> Result<ExitCode, Failure> {
    let opened = wire::open(&request)?;
    let untrusted = request.trust.report();
    for note in untrusted
        .iter()
        .map(ErrorReport::sentence)
        .chain(opened.notes.iter().cloned())
    {
        tell(&note);
    }
    let outcome = headless::run(&opened.handle, input, format, untrusted.as_ref()).await;
    runtime::close(opened).await;
    match outcome {
        Ok(outcome) => Ok(ExitCode::from(Outcome::status(outcome))),
        Err(error) => Err(error.into()),
    }
}
