//! The table. The first key of a line is the one that hints show; it works in every terminal.

use super::{Action, Binding, CaretMove, Context, Edit, List};

const fn bind(
    context: Context,
    keys: &'static [&'static str],
    action: Action,
    description: &'static str,
) -> Binding {
    Binding {
        context,
        keys,
        action,
        description,
    }
}

const fn edit(keys: &'static [&'static str], edit: Edit, description: &'static str) -> Binding {
    bind(Context::Composer, keys, Action::Edit(edit), description)
}

const fn select(keys: &'static [&'static str], motion: CaretMove, description: &'static str) -> Binding {
    bind(Context::Select, keys, Action::SelectTo(motion), description)
}

pub(super) const BINDINGS: &[Binding] = &[
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
    bind(Context::Leader, &["h"], Action::ShowHooks, "what hooks did"),
    bind(
        Context::Leader,
        &["P"],
        Action::ShowRules,
        "what is allowed for good",
    ),
    bind(Context::Leader, &["?"], Action::ShowHelp, "keys"),
    bind(
        Context::Leader,
        &["esc", "ctrl+c", "ctrl+x"],
        Action::Escape,
        "back",
    ),
    // Composer.
    bind(
        Context::Composer,
        &["enter"],
        Action::Send,
        "send; while a turn runs: steer",
    ),
    bind(
        Context::Composer,
        &["alt+enter"],
        Action::Queue,
        "queue for after the turn",
    ),
    bind(
        Context::Composer,
        &["ctrl+j", "shift+enter"],
        Action::Newline,
        "new line; also \\ and enter",
    ),
    bind(Context::Composer, &["tab"], Action::NextAgent, "next agent"),
    bind(
        Context::Composer,
        &["?"],
        Action::HelpOrType,
        "keys, when there is no text",
    ),
    edit(&["left"], Edit::Left, "left"),
    edit(&["right", "ctrl+f"], Edit::Right, "right"),
    edit(
        &["up"],
        Edit::Up,
        "up; on the first line: what waits, then history",
    ),
    edit(&["down"], Edit::Down, "down; on the last line: history"),
    edit(&["alt+b", "ctrl+left", "alt+left"], Edit::WordLeft, "word left"),
    edit(
        &["alt+f", "ctrl+right", "alt+right"],
        Edit::WordRight,
        "word right",
    ),
    edit(&["ctrl+a", "home"], Edit::LineStart, "start of the line"),
    edit(&["ctrl+e", "end"], Edit::LineEnd, "end of the line"),
    edit(&["alt+<", "ctrl+home"], Edit::Top, "start of the text"),
    edit(&["alt+>", "ctrl+end"], Edit::Bottom, "end of the text"),
    edit(
        &["backspace", "ctrl+h", "shift+backspace"],
        Edit::DeleteLeft,
        "delete to the left",
    ),
    edit(&["delete", "ctrl+d"], Edit::DeleteRight, "delete to the right"),
    edit(
        &["ctrl+w", "alt+backspace", "ctrl+backspace"],
        Edit::DeleteWordLeft,
        "delete the word before",
    ),
    edit(
        &["alt+d", "ctrl+delete", "alt+delete"],
        Edit::DeleteWordRight,
        "delete the word after",
    ),
    edit(
        &["ctrl+u"],
        Edit::DeleteToStart,
        "delete to the start of the line",
    ),
    edit(&["ctrl+k"], Edit::DeleteToEnd, "delete to the end of the line"),
    edit(&["ctrl+y"], Edit::Yank, "put back what was deleted"),
    edit(&["ctrl+_"], Edit::Undo, "undo"),
    edit(&["alt+z", "ctrl+alt+_"], Edit::Redo, "redo"),
    // Transcript.
    bind(
        Context::Transcript,
        &["j", "down"],
        Action::NextBlock,
        "next block",
    ),
    bind(
        Context::Transcript,
        &["k", "up"],
        Action::PreviousBlock,
        "previous block",
    ),
    bind(
        Context::Transcript,
        &["g", "home"],
        Action::FirstBlock,
        "beginning",
    ),
    bind(Context::Transcript, &["G", "end"], Action::LastBlock, "end"),
    bind(
        Context::Transcript,
        &["o", "space"],
        Action::ToggleFold,
        "fold or unfold",
    ),
    bind(
        Context::Transcript,
        &["O"],
        Action::ToggleAll,
        "fold or unfold all",
    ),
    bind(Context::Transcript, &["}"], Action::NextOwn, "your next message"),
    bind(
        Context::Transcript,
        &["{"],
        Action::PreviousOwn,
        "your previous message",
    ),
    bind(
        Context::Transcript,
        &["]"],
        Action::NextFailure,
        "next failure or ask",
    ),
    bind(
        Context::Transcript,
        &["["],
        Action::PreviousFailure,
        "previous failure or ask",
    ),
    bind(
        Context::Transcript,
        &["t"],
        Action::ToggleReasoning,
        "show or fold reasoning",
    ),
    bind(
        Context::Transcript,
        &["enter"],
        Action::Open,
        "open the file at its line, or unfold",
    ),
    bind(
        Context::Transcript,
        &["e"],
        Action::ViewBlock,
        "the block in $EDITOR",
    ),
    bind(Context::Transcript, &["y"], Action::CopyBlock, "copy the block"),
    bind(
        Context::Transcript,
        &["c"],
        Action::CopyCode,
        "copy the code; again: the next",
    ),
    bind(
        Context::Transcript,
        &["Y"],
        Action::CopySession,
        "copy the conversation",
    ),
    bind(
        Context::Transcript,
        &["v"],
        Action::Select,
        "select, from the block",
    ),
    bind(Context::Transcript, &["/"], Action::Search, "search"),
    bind(Context::Transcript, &["n"], Action::NextMatch, "next match"),
    bind(
        Context::Transcript,
        &["N"],
        Action::PreviousMatch,
        "previous match",
    ),
    bind(Context::Transcript, &["i"], Action::FocusComposer, "composer"),
    bind(Context::Transcript, &["?"], Action::ShowHelp, "keys"),
    // Selection.
    select(&["h", "left"], CaretMove::Left, "left"),
    select(&["l", "right"], CaretMove::Right, "right"),
    select(&["j", "down"], CaretMove::Down, "row down"),
    select(&["k", "up"], CaretMove::Up, "row up"),
    select(&["w"], CaretMove::WordRight, "word right"),
    select(&["b"], CaretMove::WordLeft, "word left"),
    select(&["0", "home"], CaretMove::LineStart, "start of the row"),
    select(&["$", "end"], CaretMove::LineEnd, "end of the row"),
    select(&["g"], CaretMove::Top, "beginning"),
    select(&["G"], CaretMove::Bottom, "end"),
    bind(Context::Select, &["y"], Action::CopySelection, "copy"),
    bind(
        Context::Select,
        &["enter"],
        Action::Open,
        "open the file that the row names",
    ),
    bind(
        Context::Select,
        &["v", "q"],
        Action::EndSelection,
        "end the selection",
    ),
    bind(Context::Select, &["?"], Action::ShowHelp, "keys"),
    // Search.
    bind(
        Context::Search,
        &["enter"],
        Action::KeepSearch,
        "stay at the match",
    ),
    bind(
        Context::Search,
        &["down", "ctrl+n"],
        Action::NextMatch,
        "next match",
    ),
    bind(
        Context::Search,
        &["up", "ctrl+p"],
        Action::PreviousMatch,
        "previous match",
    ),
    // Permission.
    bind(Context::Question, &["y"], Action::AllowOnce, "once"),
    bind(Context::Question, &["a"], Action::AllowAlways, "always"),
    bind(Context::Question, &["n"], Action::Reject, "no"),
    bind(Context::Question, &["N"], Action::RejectBecause, "no, because…"),
    bind(
        Context::Question,
        &["e"],
        Action::EditCall,
        "edit the command or the arguments",
    ),
    bind(Context::Question, &["d"], Action::Why, "why"),
    bind(Context::Question, &["]"], Action::NextHunk, "next hunk"),
    bind(Context::Question, &["["], Action::PreviousHunk, "previous hunk"),
    bind(Context::Question, &["tab"], Action::AnotherAsk, "next ask"),
    bind(Context::Question, &["f"], Action::FullScreen, "full screen"),
    bind(Context::Question, &["up", "k"], Action::ScrollUp, "up"),
    bind(Context::Question, &["down", "j"], Action::ScrollDown, "down"),
    // Permission, always.
    bind(
        Context::QuestionAlways,
        &["enter"],
        Action::StoreAlways,
        "store what is ticked",
    ),
    bind(Context::QuestionAlways, &["up", "k"], Action::RowUp, "row up"),
    bind(
        Context::QuestionAlways,
        &["down", "j"],
        Action::RowDown,
        "row down",
    ),
    bind(Context::QuestionAlways, &["space"], Action::Tick, "tick"),
    bind(
        Context::QuestionAlways,
        &["e"],
        Action::EditPattern,
        "edit the pattern",
    ),
    bind(
        Context::QuestionAlways,
        &["s"],
        Action::Scope,
        "scope: this session, this project, everywhere",
    ),
    // Permission, while writing.
    bind(
        Context::QuestionText,
        &["enter"],
        Action::FinishText,
        "take what is written",
    ),
    bind(
        Context::QuestionText,
        &["ctrl+j", "shift+enter"],
        Action::Newline,
        "new line, in a command or arguments",
    ),
    // Trust.
    bind(Context::Trust, &["y"], Action::TrustProject, "trust the project"),
    bind(Context::Trust, &["n"], Action::TrustNotNow, "not now"),
    bind(Context::Trust, &["d"], Action::TrustParts, "all that it brings"),
    bind(Context::Trust, &["up", "k"], Action::ScrollUp, "up"),
    bind(Context::Trust, &["down", "j"], Action::ScrollDown, "down"),
    // Allowed for good.
    bind(Context::Rules, &["up"], Action::RowUp, "up"),
    bind(Context::Rules, &["down"], Action::RowDown, "down"),
    bind(Context::Rules, &["ctrl+d"], Action::Revoke, "twice: revoke"),
    // Question.
    bind(
        Context::Form,
        &["enter"],
        Action::FormDone,
        "choose; send, where the answers are shown",
    ),
    bind(
        Context::Form,
        &["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"],
        Action::FormPick,
        "choose by number",
    ),
    bind(Context::Form, &["space"], Action::FormTick, "tick"),
    bind(Context::Form, &["up", "k"], Action::FormUp, "up"),
    bind(Context::Form, &["down", "j"], Action::FormDown, "down"),
    bind(
        Context::Form,
        &["tab", "right", "l"],
        Action::FormNext,
        "next question",
    ),
    bind(
        Context::Form,
        &["shift+tab", "left", "h"],
        Action::FormPrevious,
        "previous question",
    ),
    bind(
        Context::Form,
        &["x"],
        Action::FormDismiss,
        "dismiss, which ends the turn",
    ),
    // Question, own words.
    bind(
        Context::FormText,
        &["enter"],
        Action::FormDone,
        "that is the answer",
    ),
    bind(Context::FormText, &["up"], Action::FormUp, "up"),
    bind(Context::FormText, &["down"], Action::FormDown, "down"),
    bind(Context::FormText, &["tab"], Action::FormNext, "next question"),
    bind(
        Context::FormText,
        &["shift+tab"],
        Action::FormPrevious,
        "previous question",
    ),
    // Help.
    bind(Context::Help, &["?", "q", "enter"], Action::CloseHelp, "close"),
    bind(Context::Help, &["up", "k"], Action::ScrollUp, "up"),
    bind(Context::Help, &["down", "j"], Action::ScrollDown, "down"),
    // Lists.
    bind(Context::Picker, &["enter"], Action::PickRow, "take it"),
    bind(Context::Picker, &["up", "ctrl+p"], Action::RowUp, "up"),
    bind(Context::Picker, &["down", "ctrl+n"], Action::RowDown, "down"),
    // Palette.
    bind(Context::Palette, &[], Action::Interrupt, "interrupt the turn"),
    bind(Context::Palette, &[], Action::OpenList(List::Themes), "themes"),
    bind(Context::Palette, &[], Action::Quit, "quit"),
];
