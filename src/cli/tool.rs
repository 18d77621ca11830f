//! `lathe tool NAME ARGS_JSON`: one call through the whole pipeline, in a session that is thrown away.

use std::process::ExitCode;

use serde_json::Value;

use super::args::ToolArgs;
use super::failure::Failure;
use super::logs::Logs;
use super::output::{print, print_line, print_note};
use super::place::Locations;
use super::runtime;
use crate::headless::{self, Format, StopSignal};
use crate::session::wire::{self, FrontEndKind, ModelSource, SessionChoice, ToolRun};
use crate::text::sanitize::sanitize;

const INTERRUPTED: u8 = 130;

pub(super) fn tool(args: ToolArgs) -> Result<ExitCode, Failure> {
    check_object(&args.args)?;
    let place = Locations::current()?;
    let dirs = place.dirs.clone();
    let which = args.session.map_or(SessionChoice::New, SessionChoice::Id);
    let request = place.request(args.open, which, ModelSource::Network, FrontEndKind::Unattended)?;
    let _logs = Logs::start(&dirs);
    for warning in &request.loaded.warnings {
        print_note(warning);
    }
    if let Some(untrusted) = request.trust.report() {
        print_note(&untrusted.sentence());
    }
    let run = runtime::block_on(async {
        let mut stop = StopSignal::forward_events();
        tokio::select! {
            run = wire::run_tool(request, &args.name, &args.args) => run.map(Some),
            // What the tool started ends with it.
            () = stop.recv() => Ok(None),
        }
    })??;
    let Some(run) = run else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    for note in &run.notes {
        print_note(note);
    }
    match args.format {
        Format::Text => print(&text(&run.result.output))?,
        Format::Json => print_line(&event(&run))?,
    }
    Ok(if run.result.ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Arguments that a model could get wrong are the tool's business; those that are no object are the caller's.
fn check_object(args: &str) -> Result<(), Failure> {
    let what = match serde_json::from_str::<Value>(args) {
        Ok(Value::Object(_)) => return Ok(()),
        Ok(_) => "they are JSON, but not an object".to_owned(),
        Err(error) => format!("they are not valid JSON: {error}"),
    };
    let failure = Failure::usage(format!("the arguments must be a JSON object; {what}"));
    Err(failure.hinted("For example: lathe tool read '{\"file_path\": \"README.md\"}'"))
}

fn text(output: &str) -> String {
    let mut text = sanitize(output).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn event(run: &ToolRun) -> Value {
    headless::tool_result(&run.session, &run.call, &run.tool, &run.result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_is_taken_as_arguments() {
        assert!(check_object(r#"{"file_path": 1}"#).is_ok());
        for bad in ["", "[]", "\"{}\"", "{", "null"] {
            assert!(check_object(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn text_ends_with_one_line_break_and_steers_nothing() {
        assert_eq!(text("a\x1b[2J"), "a\n");
        assert_eq!(text("a\n"), "a\n");
        assert_eq!(text(""), "");
    }
}
