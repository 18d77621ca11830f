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
            row(&["shift+tab"], Action::CycleMode, "next permission mode"),
            row(&["pgup"], Action::PageUp, "scroll up"),
            row(&["pgdn"], Action::PageDown, "scroll down"),
            row(
                &["ctrl+t"],
                Action::OpenPage(&watch::PAGE),
                "watch the agents side by side",
            ),
            row(
                &["ctrl+o"],
                Action::OpenPage(&pane::PAGE),
                "terminals: see and use them",
            ),
            row(&["ctrl+g"], Action::Editor, "write in $EDITOR"),
            row(&["ctrl+l"], Action::Redraw, "draw the screen anew"),
            row(&["ctrl+z"], Action::Suspend, "suspend"),
            row(&["ctrl+x"], Action::Leader, "more keys"),
        ],
    ),
    // After ctrl+x.
    (
        Context::Leader,
        &[
            row(&["."], Action::NextAsk, "answer what waits").brief("answer"),
            row(&["n"], Action::NewSession, "new session").brief("new"),
            row(&["tab"], Action::LastSession, "last session").brief("last"),
            row(&["["], Action::FocusTranscript, "transcript").brief("blocks"),
            row(&["q"], Action::QueueDraft, "queue the draft").brief("queue"),
            row(&["e"], Action::Editor, "write in $EDITOR").brief("editor"),
            row(&["c"], Action::CycleMode, "next permission mode").brief("mode"),
            row(&["o"], Action::ToggleNewest, "expand the newest card").brief("expand"),
            row(&["y"], Action::CopyAnswer, "copy the answer").brief("copy"),
            row(&["r"], Action::ToggleReasoning, "show or fold reasoning").brief("reason"),
            row(&["M"], Action::ToggleMouse, "mouse off or on").brief("mouse"),
        ],
    ),
    // Palette.
    (
        Context::Palette,
        &[
            row(&[], Action::Interrupt, "interrupt the turn"),
            row(&[], Action::MentionFile, "files: mention one"),
            row(&[], Action::Fork, "fork: go on in a new session"),
            row(&[], Action::Compact, "compact: summarise the conversation"),
            row(&[], Action::ListCommands, "commands"),
            row(&[], Action::Quit, "quit"),
        ],
    ),
];
