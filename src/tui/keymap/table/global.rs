//! Keys of the whole screen, after the leader, and what only the palette knows.

use super::{ContextRows, row};
use crate::tui::keymap::{Action, Context};
use crate::tui::{pane, watch};

pub(super) const ROWS: &[ContextRows] = &[
    // Anywhere.
    (
        Context::Global,
        &[
            row(
                &["esc"],
                Action::Escape,
                "back, or interrupt: twice within a second",
            ),
            row(
                &["ctrl+c"],
                Action::ClearOrQuit,
                "clear the text; interrupt; twice: quit",
            ),
            row(&["shift+tab"], Action::CycleMode, "change the permission mode"),
            row(&["pgup"], Action::PageUp, "scroll up"),
            row(&["pgdn"], Action::PageDown, "scroll down"),
            row(
                &["ctrl+t"],
                Action::OpenPage(&watch::PAGE),
                "watch the agents side by side",
            ),
            row(&["ctrl+o"], Action::OpenPage(&pane::PAGE), "show the terminals"),
            row(&["ctrl+g"], Action::Editor, "edit the draft in $EDITOR"),
            row(&["ctrl+l"], Action::Redraw, "redraw the screen"),
            row(&["ctrl+z"], Action::Suspend, "suspend lathe"),
            row(&["ctrl+x"], Action::Leader, "more keys"),
        ],
    ),
    // After ctrl+x.
    (
        Context::Leader,
        &[
            row(&["."], Action::NextAsk, "answer the next question").brief("answer"),
            row(&["n"], Action::NewSession, "start a new session").brief("new"),
            row(&["tab"], Action::LastSession, "return to the last session").brief("last"),
            row(&["["], Action::FocusTranscript, "move through the transcript").brief("blocks"),
            row(&["q"], Action::QueueDraft, "queue the draft").brief("queue"),
            row(&["e"], Action::Editor, "edit the draft in $EDITOR").brief("editor"),
            row(&["c"], Action::CycleMode, "change the permission mode").brief("mode"),
            row(&["o"], Action::ToggleNewest, "expand the newest card").brief("expand"),
            row(&["y"], Action::CopyAnswer, "copy the last answer").brief("copy"),
            row(&["r"], Action::ToggleReasoning, "show or fold reasoning").brief("reason"),
            row(&["M"], Action::ToggleMouse, "turn the mouse off or on").brief("mouse"),
        ],
    ),
    // Palette.
    (
        Context::Palette,
        &[
            row(&[], Action::Interrupt, "interrupt the turn"),
            row(&[], Action::Yolo, "run everything without asking (yolo)"),
            row(&[], Action::MentionFile, "mention a file"),
            row(&[], Action::Fork, "fork the session into a new one"),
            row(&[], Action::Init, "write AGENTS.md for this project (init)"),
            row(&[], Action::Compact, "compact the conversation"),
            row(&[], Action::Resend, "send again what the provider refused"),
            row(&[], Action::ChangeDirectory, "go on in another directory"),
            row(&[], Action::ListCommands, "list the slash commands"),
            row(&[], Action::Quit, "quit lathe").brief("quit"),
        ],
    ),
];
