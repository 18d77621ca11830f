//! Keys of what asks a person: permission, trust, questions, and the list of what was allowed for good.

use super::bind;
use crate::tui::keymap::{Action, Binding, Context};

pub(super) const ROWS: &[Binding] = &[
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
    bind(
        Context::Question,
        &["right"],
        Action::NextAnswer,
        "next key of the row",
    ),
    bind(
        Context::Question,
        &["left"],
        Action::PreviousAnswer,
        "previous key of the row",
    ),
    bind(
        Context::Question,
        &["enter"],
        Action::TakeAnswer,
        "press the key that the arrows chose",
    ),
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
        &["left", "h"],
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
];
