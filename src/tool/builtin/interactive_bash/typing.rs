//! Judges what is to be typed into a terminal, by who gets it.
//!
//! A shell at its prompt gets whole lines, which are judged as commands; a program gets what is granted for that very
//! program. Everything else asks, whatever the rules allow, with the keys by their names.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::InteractiveBashTool;
use super::lines::ShellLine;
use super::operation::TypedInput;
use super::typed::{TypedKind, TypedLines, encode, is_all_of, kind, outlives_its_program, shown_input};
use crate::permission::command::analyse;
use crate::permission::{Ask, Floor, PermissionKey, Subject};
use crate::process::pty::{InputLine, InputReading};
use crate::process::screen::KeyModes;
use crate::tool::command_permissions::{CommandPermissions, command_permissions};
use crate::tool::{Recipient, ShellPrompt, TerminalSession, Tool, ToolCx, ToolError, TypedProgram};

const KEY: PermissionKey = PermissionKey::own(InteractiveBashTool::NAME);

/// How long a program may take to wait for input before what is typed counts as typed ahead.
const READY_WITHIN: Duration = Duration::from_secs(1);
/// Pause between two looks at it.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Input that was judged, in the way in which it is typed.
#[derive(Debug)]
pub(super) enum Typing {
    /// Ctrl-C, which asks nothing.
    Interrupts(Vec<u8>),
    Lines(JudgedLines),
    Keys {
        input: Vec<TypedInput>,
        /// `None` where the terminal was still to be started.
        recipient: Option<Recipient>,
        /// Each line is typed once the program waits for it: an answer that was given earlier covers them one by one.
        is_stepwise: bool,
    },
}

/// Lines that were judged as commands of a shell.
#[derive(Debug)]
pub(super) struct JudgedLines {
    pub(super) prompt: ShellPrompt,
    pub(super) lines: Vec<ShellLine>,
    /// What is in the line is given up in any case.
    pub(super) clears: bool,
    pub(super) directory: PathBuf,
    pub(super) asked: Vec<Ask>,
}

/// Result of judging input.
pub(super) struct JudgedTyping {
    pub(super) typing: Typing,
    pub(super) asks: Vec<Ask>,
    pub(super) why: Option<String>,
}

/// Nothing that runs in a terminal is confined to reading.
pub(super) fn always_asked(mut ask: Ask) -> Ask {
    if ask.key == PermissionKey::BASH && ask.floor != Floor::Denied {
        ask.subject.read_only = false;
    }
    ask
}

/// An ask under the tool's own key, with the answer that would be stored.
pub(super) fn own_ask(session: &str, text: &str) -> Ask {
    Ask::new(KEY, Subject::new(format!("{session}: {text}"))).always(format!("{session}: *"))
}

/// Judges input for a terminal that the same call starts: nobody knows who will get it.
pub(super) fn judge_unstarted(name: &str, input: Vec<TypedInput>) -> JudgedTyping {
    let bytes = encode(&input, KeyModes::default());
    if kind(&bytes) == TypedKind::Interrupts {
        return interrupts(name, bytes, &input);
    }
    unjudged(
        name,
        input,
        None,
        "it is typed to a program that does not run yet",
    )
}

/// Judges input for a terminal.
pub(super) async fn judge(
    session: &Arc<TerminalSession>,
    input: Vec<TypedInput>,
    cx: &ToolCx,
) -> Result<JudgedTyping, ToolError> {
    let name = session.name();
    let bytes = encode(&input, KeyModes::default());
    let kind = kind(&bytes);
    if kind == TypedKind::Interrupts {
        return Ok(interrupts(&name, bytes, &input));
    }
    let recipient = recipient(session, cx).await?;
    let line = session.terminal.input_state().line;
    match (recipient, kind) {
        (recipient, TypedKind::EndOfInput) if ends_harmlessly(session, &recipient, line) => {
            let ask = own_ask(&name, &shown_input(&input)).with_floor(Floor::Denied);
            Ok(JudgedTyping {
                typing: Typing::Keys {
                    input,
                    recipient: Some(recipient),
                    is_stepwise: true,
                },
                asks: vec![ask],
                why: None,
            })
        }
        (Recipient::Prompt(prompt), TypedKind::Lines(lines)) if line != InputLine::Typed || lines.clears => {
            judge_lines(session, (prompt, lines), &input, cx).await
        }
        (recipient @ Recipient::Prompt(_), TypedKind::Lines(_)) => Ok(unjudged(
            &name,
            input,
            Some(recipient),
            "the line has other text already",
        )),
        (recipient @ Recipient::Prompt(_), _) => Ok(unjudged(
            &name,
            input,
            Some(recipient),
            "a shell reads these keys",
        )),
        (Recipient::Shell(shell), _) => {
            let why = format!("{shell} reads it, whose commands cannot be judged");
            Ok(unjudged(&name, input, Some(Recipient::Shell(shell)), &why))
        }
        (Recipient::Program(program), _) => Ok(for_program(&name, input, &bytes, program, cx)),
    }
}

/// Returns who gets what is typed, once that waits for input or takes too long to.
async fn recipient(session: &Arc<TerminalSession>, cx: &ToolCx) -> Result<Recipient, ToolError> {
    let began = Instant::now();
    loop {
        let now = recipient_now(session, cx).await?;
        if now.is_waiting() || began.elapsed() >= READY_WITHIN {
            return Ok(now);
        }
        sleep(LOOK_AGAIN).await;
    }
}

/// Returns who gets what is typed at this moment.
pub(super) async fn recipient_now(
    session: &Arc<TerminalSession>,
    cx: &ToolCx,
) -> Result<Recipient, ToolError> {
    let (looked, services) = (Arc::clone(session), Arc::clone(&cx.services));
    cx.blocking(move || Ok(looked.recipient(&services))).await
}

fn interrupts(name: &str, bytes: Vec<u8>, input: &[TypedInput]) -> JudgedTyping {
    JudgedTyping {
        typing: Typing::Interrupts(bytes),
        // A rule that denies the terminal holds all the same.
        asks: vec![own_ask(name, &shown_input(input)).with_floor(Floor::Denied)],
        why: None,
    }
}

/// Returns true if Ctrl-D only ends the input: of a shell into whose line nothing was typed, and of a program that waits
/// for input.
fn ends_harmlessly(session: &TerminalSession, recipient: &Recipient, line: InputLine) -> bool {
    let is_begun = matches!(line, InputLine::Typed | InputLine::Leftover);
    match recipient {
        Recipient::Prompt(_) | Recipient::Shell(_) => matches!(line, InputLine::Empty | InputLine::Ended),
        Recipient::Program(program) => {
            !is_begun
                && program.reading != InputReading::Nothing
                && !session.terminal.screen().modes().alternate_screen
        }
    }
}

/// Judges whole lines as commands of a shell at its prompt.
async fn judge_lines(
    session: &Arc<TerminalSession>,
    (prompt, typed): (ShellPrompt, TypedLines),
    input: &[TypedInput],
    cx: &ToolCx,
) -> Result<JudgedTyping, ToolError> {
    let directory = prompt.directory().unwrap_or(&session.directory).clone();
    let grammar = prompt.grammar;
    let lines: Vec<ShellLine> = typed
        .lines
        .into_iter()
        .map(|line| ShellLine::new(line, grammar))
        .collect();
    let (services, place, judged) = (Arc::clone(&cx.services), directory.clone(), lines.clone());
    let asked = cx.blocking(move || {
        let mut asks: Vec<Ask> = Vec::new();
        let text = judged_text(&judged);
        if !text.trim().is_empty() {
            let CommandPermissions { asks: of_known, .. } = command_permissions(&services, &text, &place);
            asks.extend(of_known);
        }
        for line in &judged {
            asks.extend(line.unjudged.map(|why| whole(&line.text, &line.text, why)));
        }
        Ok(asks)
    });
    let asked = asked.await?;
    let mut own = own_ask(&session.name(), &shown_input(input));
    own.subject.bound_to = Some([prompt.identity()].into());
    let asks = asked.iter().cloned().map(always_asked).chain([own]).collect();
    Ok(JudgedTyping {
        typing: Typing::Lines(JudgedLines {
            prompt,
            lines,
            clears: typed.clears,
            directory,
            asked,
        }),
        asks,
        why: None,
    })
}

/// The lines that are judged as commands, as one text for a shell.
pub(super) fn judged_text(lines: &[ShellLine]) -> String {
    let judged = lines.iter().filter(|line| line.unjudged.is_none());
    judged
        .map(|line| line.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Asks about input that a shell may read and nobody can judge. Rules that deny are tried on whatever commands are found.
fn unjudged(name: &str, input: Vec<TypedInput>, recipient: Option<Recipient>, why: &str) -> JudgedTyping {
    let shown = shown_input(&input);
    let bytes = encode(&input, KeyModes::default());
    let text = String::from_utf8_lossy(&bytes).replace('\r', "\n");
    let mut own = own_ask(name, &shown);
    // There is no answer for another time.
    own.always.clear();
    JudgedTyping {
        asks: vec![whole(text.trim(), &shown, why), own],
        why: Some(format!("Asked about in any case: {why}.")),
        typing: Typing::Keys {
            input,
            recipient,
            is_stepwise: false,
        },
    }
}

fn whole(text: &str, shown: &str, why: &str) -> Ask {
    let mut ask = analyse(text).whole();
    ask.subject.text = format!("{shown} ({why})");
    ask
}

/// Asks about input for a program that is no shell.
fn for_program(
    name: &str,
    input: Vec<TypedInput>,
    bytes: &[u8],
    program: TypedProgram,
    cx: &ToolCx,
) -> JudgedTyping {
    let is_reading = program.reading != InputReading::Nothing;
    if program.has_successor && (!is_reading || outlives_its_program(bytes)) {
        let why = format!("another program than {} may read it", program.name);
        return unjudged(name, input, Some(Recipient::Program(program)), &why);
    }
    let mut own = own_ask(name, &shown_input(&input));
    if !is_all_of(&input, program.harmless_keys) {
        own.subject.bound_to = Some(program.identities.clone());
    }
    // A rule was written for programs, and this may be a shell: an answer for the program itself counts alone.
    let is_granted = || cx.services.gate.permissions().is_granted(&KEY, &own.subject);
    if program.is_unfamiliar && !is_granted() {
        own.floor = Floor::Ask;
    }
    JudgedTyping {
        asks: vec![own],
        why: None,
        typing: Typing::Keys {
            input,
            recipient: Some(Recipient::Program(program)),
            is_stepwise: is_reading,
        },
    }
}
