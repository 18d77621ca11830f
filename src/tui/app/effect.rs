//! Effects: work that the screen wants done outside of it.

use crate::conversation::SessionId;
use crate::session::Op;
use crate::session::host::HostQuery;
use crate::session::query::Query;
use crate::tui::MouseCapture;
use crate::tui::completion;
use crate::tui::dialog::TrustAnswer;
use crate::tui::pictures::PictureJob;
use crate::tui::prompts::PromptDraft;
use crate::tui::sessions::{SessionTarget, SlotId};
use crate::tui::transcript::FilePlace;

/// Something to do outside.
#[derive(Debug, Clone)]
pub(crate) enum Effect {
    /// To the session that is on screen when this is performed.
    Send(Op),
    SendTo(SlotId, Op),
    /// Opens a session; what it says comes under this slot.
    OpenSession(SlotId, SessionTarget),
    /// Opens the session of a task of a tree that is open, under this slot.
    OpenTask(SlotId, SessionId),
    /// From here on `Send` means this one.
    ShowSession(SlotId),
    /// Looks something up in the store, or has it changed there.
    AskHost(HostQuery),
    /// Lets a session end.
    CloseSession(SlotId),
    /// Lets the session open, with what the project brings or without.
    Trust(TrustAnswer),
    /// Asks the session of this slot; the answer comes back with the question.
    Ask(SlotId, Query),
    Copy {
        text: String,
        /// Its name in the notice.
        what: String,
    },
    /// Opens the editor on the first of these that is a file.
    Open(Vec<FilePlace>),
    /// Shows this text in the editor.
    View(String),
    /// Shows all of an output in the editor, from this file; where that is gone, what is left of it.
    ViewWhole {
        path: String,
        left: String,
    },
    /// Tells somebody who looks elsewhere.
    Notify {
        title: String,
        body: String,
    },
    /// Takes the mouse or leaves it alone.
    Mouse(MouseCapture),
    /// Opens the editor on this text.
    Edit(String),
    /// Puts a draft into the history.
    KeepPrompt(PromptDraft),
    /// Reads the history.
    ReadPrompts,
    /// Takes the picture on the clipboard.
    PastePicture,
    /// Looks for something to complete a word with.
    Find(completion::Request),
    /// Makes a picture for the screen.
    MakePicture(PictureJob),
    Suspend,
    /// Has the next frame drawn in full.
    Redraw,
    Quit,
}
