//! Keys of the whole screen, after the leader, and what only the palette knows.

use super::{bind, lead};
use crate::tui::keymap::{Action, Binding, Context};

pub(super) const ROWS: &[Binding] = &[
    // Anywhere.
    bind(
        Context::Global,
        &["esc"],
        Action::Escape,
        "back, or interrupt: twice within a second",
    ),
    bind(
        Context::Global,
        &["ctrl+c"],
        Action::ClearOrQuit,
        "clear the text; interrupt; twice: quit",
    ),
    bind(
        Context::Global,
        &["shift+tab"],
        Action::CycleMode,
        "next permission mode",
    ),
    bind(Context::Global, &["pgup"], Action::PageUp, "scroll up"),
    bind(Context::Global, &["pgdn"], Action::PageDown, "scroll down"),
    bind(Context::Global, &["ctrl+g"], Action::Editor, "write in $EDITOR"),
    bind(
        Context::Global,
        &["ctrl+l"],
        Action::Redraw,
        "draw the screen anew",
    ),
    bind(Context::Global, &["ctrl+z"], Action::Suspend, "suspend"),
    bind(Context::Global, &["ctrl+x"], Action::Leader, "more keys"),
    // After ctrl+x.
    lead(&["."], Action::NextAsk, "answer what waits", "answer"),
    lead(&["n"], Action::NewSession, "new session", "new"),
    lead(&["tab"], Action::LastSession, "last session", "last"),
    lead(&["["], Action::FocusTranscript, "transcript", "transcript"),
    lead(&["q"], Action::QueueDraft, "queue the draft", "queue"),
    lead(&["e"], Action::Editor, "write in $EDITOR", "editor"),
    lead(&["c"], Action::CycleMode, "next permission mode", "mode"),
    lead(&["o"], Action::ToggleNewest, "expand the newest card", "expand"),
    lead(&["y"], Action::CopyAnswer, "copy the answer", "copy"),
    lead(
        &["r"],
        Action::ToggleReasoning,
        "show or fold reasoning",
        "reasoning",
    ),
    lead(&["M"], Action::ToggleMouse, "mouse off or on", "mouse"),
    // Palette.
    bind(Context::Palette, &[], Action::Interrupt, "interrupt the turn"),
    bind(Context::Palette, &[], Action::MentionFile, "files: mention one"),
    bind(
        Context::Palette,
        &[],
        Action::Fork,
        "fork: go on in a new session",
    ),
    bind(Context::Palette, &[], Action::ListCommands, "commands"),
    bind(Context::Palette, &[], Action::Quit, "quit"),
];
