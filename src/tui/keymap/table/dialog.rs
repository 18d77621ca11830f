//! Keys of what asks a person: permission, trust, questions, and the list of what was allowed for good.

use super::{ContextRows, row};
use crate::tui::keymap::{Action, Context};

pub(super) const ROWS: &[ContextRows] = &[
    // Permission.
    (
        Context::Question,
        &[
            row(&["y"], Action::AllowOnce, "once"),
            row(&["a"], Action::AllowAlways, "always"),
            row(&["n"], Action::Reject, "no"),
            row(&["N"], Action::RejectBecause, "no, because…"),
            row(&["e"], Action::EditCall, "edit the command or the arguments"),
            row(&["d"], Action::Why, "why"),
            row(&["]"], Action::NextHunk, "next hunk"),
            row(&["["], Action::PreviousHunk, "previous hunk"),
            row(&["tab"], Action::AnotherAsk, "next ask"),
            row(&["f"], Action::FullScreen, "full screen"),
            row(&["right"], Action::NextAnswer, "choose the next answer"),
            row(&["left"], Action::PreviousAnswer, "choose the previous answer"),
            row(&["enter"], Action::TakeAnswer, "give the chosen answer"),
            row(&["up", "k"], Action::ScrollUp, "up"),
            row(&["down", "j"], Action::ScrollDown, "down"),
        ],
    ),
    // Permission, always.
    (
        Context::QuestionAlways,
        &[
            row(&["enter"], Action::StoreAlways, "store the ticked rules"),
            row(&["up", "k"], Action::RowUp, "row up"),
            row(&["down", "j"], Action::RowDown, "row down"),
            row(
                &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
                Action::FormPick,
                "row by number",
            ),
            row(&["space"], Action::Tick, "tick"),
            row(&["e"], Action::EditPattern, "edit the pattern"),
            row(
                &["s"],
                Action::Scope,
                "scope: this session, this project, everywhere",
            ),
        ],
    ),
    // Permission, while writing.
    (
        Context::QuestionText,
        &[
            row(&["enter"], Action::FinishText, "confirm the text"),
            row(
                &["ctrl+j", "shift+enter"],
                Action::Newline,
                "new line, in a command or arguments",
            ),
        ],
    ),
    // Trust.
    (
        Context::Trust,
        &[
            row(&["right", "down"], Action::NextAnswer, "choose the next answer"),
            row(
                &["left", "up"],
                Action::PreviousAnswer,
                "choose the previous answer",
            ),
            row(&["1", "2", "3"], Action::FormPick, "choose by number"),
            row(&["enter"], Action::TakeAnswer, "give the chosen answer"),
        ],
    ),
    // Question.
    (
        Context::Form,
        &[
            row(&["enter"], Action::FormDone, "choose; on the last page: send"),
            row(
                &["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"],
                Action::FormPick,
                "choose by number",
            ),
            row(&["space"], Action::FormTick, "tick"),
            row(&["up", "k"], Action::FormUp, "up"),
            row(&["down", "j"], Action::FormDown, "down"),
            row(&["tab", "right", "l"], Action::FormNext, "next question"),
            row(&["left", "h"], Action::FormPrevious, "previous question"),
            row(&["x"], Action::FormDismiss, "dismiss, which ends the turn"),
        ],
    ),
    // Question, own words.
    (
        Context::FormText,
        &[
            row(&["enter"], Action::FormDone, "confirm the answer"),
            row(&["up"], Action::FormUp, "up"),
            row(&["down"], Action::FormDown, "down"),
            row(&["tab"], Action::FormNext, "next question"),
        ],
    ),
];
