//! Keys of the whole screen, after the leader, and what only the palette knows.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context, List};
use crate::tui::page::PageKind;

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
    bind(
        Context::Global,
        &["ctrl+p"],
        Action::OpenList(List::Actions),
        "palette: all actions",
    ),
    bind(Context::Global, &["ctrl+x"], Action::Leader, "more keys"),
    // After ctrl+x.
    bind(
        Context::Leader,
        &["p"],
        Action::OpenList(List::Actions),
        "palette: all actions",
    ),
    bind(Context::Leader, &["."], Action::NextAsk, "answer what waits"),
    bind(
        Context::Leader,
        &["s"],
        Action::OpenList(List::Sessions),
        "sessions",
    ),
    bind(Context::Leader, &["n"], Action::NewSession, "new session"),
    bind(Context::Leader, &["tab"], Action::LastSession, "last session"),
    bind(Context::Leader, &["["], Action::FocusTranscript, "transcript"),
    bind(Context::Leader, &["q"], Action::QueueDraft, "queue the draft"),
    bind(Context::Leader, &["e"], Action::Editor, "write in $EDITOR"),
    bind(Context::Leader, &["c"], Action::CycleMode, "next permission mode"),
    bind(Context::Leader, &["a"], Action::OpenList(List::Agents), "agents"),
    bind(Context::Leader, &["m"], Action::OpenList(List::Models), "models"),
    bind(
        Context::Leader,
        &["o"],
        Action::ToggleFold,
        "expand the newest card",
    ),
    bind(Context::Leader, &["y"], Action::CopyAnswer, "copy the answer"),
    bind(
        Context::Leader,
        &["r"],
        Action::ToggleReasoning,
        "show or fold reasoning",
    ),
    bind(Context::Leader, &["M"], Action::ToggleMouse, "mouse off or on"),
    bind(
        Context::Leader,
        &["d"],
        Action::OpenPage(PageKind::Diff),
        "what changed",
    ),
    bind(
        Context::Leader,
        &["h"],
        Action::OpenPage(PageKind::Hooks),
        "what hooks did",
    ),
    bind(
        Context::Leader,
        &["P"],
        Action::OpenPage(PageKind::Rules),
        "what is allowed for good",
    ),
    bind(Context::Leader, &["?"], Action::OpenPage(PageKind::Keys), "keys"),
    // Palette.
    bind(Context::Palette, &[], Action::Interrupt, "interrupt the turn"),
    bind(Context::Palette, &[], Action::OpenList(List::Themes), "themes"),
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
