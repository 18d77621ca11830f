//! Layers: what lies over the conversation and reads its keys until it is closed. Pages, lists to pick from, questions,
//! the search row, the completion and the leader's table are layers.
//!
//! A [`Layer`] looks after itself: it performs actions, draws, and names its hints. Everything it is asked to do ends in a
//! [`LayerReply`]. What it cannot do itself goes out as a [`LayerRequest`], which the screen carries out; what the session says comes in
//! as [`LayerUpdate`]. Nothing here waits or reads a file.
//!
//! `tui::app::layers` has their order. The topmost one reads the keys, and what it does not know goes on to the keys of the
//! whole screen.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use termina::event::{KeyEvent, MouseEvent};

use super::app::pickers::{List, SessionListRequest};
use super::app::{NamedThemes, Themes};
use super::completion::{CompletionKind, Token};
use super::composer::Draft;
use super::dialog::{TrustAnswer, TypeAheadGuard};
use super::keymap::{Action, Context, Keymap};
use super::page::{HookRuns, Page, TaskTree, TreeIntent};
use super::pane::TerminalPane;
use super::picker::Picker;
use super::pictures::PictureProtocol;
use super::statusbar::Hints;
use super::tasks::TaskList;
use super::terminal::CaretShape;
use super::terminal_environment::TerminalEnvironment;
use super::transcript::FilePlace;
use super::watch::{Watch, WatchRequest};
use crate::conversation::{MessageId, ModelRef, SessionId, TaskRow, TerminalRow};
use crate::permission::Mode;
use crate::question::{self, QuestionId};
use crate::session::Grant;
use crate::session::host::{ForkPoint, HostQuery, TreeAnswer};
use crate::session::query::{Answer, Query, StatusGroup};
use crate::session::{Op, SummaryDraft, TerminalOp};
use crate::view::Look;

/// The kind of a layer that a person opens. A page that is opened while it is the topmost already is closed instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LayerKind {
    Page(&'static Page),
    List(&'static List),
    /// The question about quitting while other sessions are at work.
    Quit,
}

impl LayerKind {
    fn name(self) -> &'static str {
        match self {
            Self::Page(page) => page.command.name,
            Self::List(_) => "picker",
            Self::Quit => "dialog",
        }
    }
}

/// The result of everything that a layer is asked to do.
#[derive(Debug)]
pub(crate) enum LayerReply {
    /// It is none of the layer's: the key means what it means without it.
    Ignored,
    Done,
    Request(LayerRequest),
    /// The layer is done with, perhaps with a request that it leaves behind.
    Close(Option<LayerRequest>),
}

impl LayerReply {
    /// Returns that the key did something, or that the layer has no use for it.
    pub(crate) fn done_if(is_done: bool) -> Self {
        if is_done { Self::Done } else { Self::Ignored }
    }

    /// Returns a reply of a layer that stays, perhaps with a request.
    pub(crate) fn keep_open(request: Option<LayerRequest>) -> Self {
        request.map_or(Self::Done, Self::Request)
    }
}

/// Returns the reply that only says something in the hint row.
pub(crate) fn say(sentence: &'static str) -> LayerReply {
    LayerReply::Request(LayerRequest::Say(sentence))
}

/// Requests to the screen.
#[derive(Debug, Clone)]
pub(crate) enum LayerRequest {
    Send(Op),
    /// To the session that the tree in front begins with.
    SendToRoot(Op),
    /// Comes back as [`LayerUpdate::Answer`].
    Ask(Query),
    /// An answer about work trees comes back as [`LayerUpdate::Tree`].
    AskHost(HostQuery),
    /// Opens a file in the editor.
    Open(FilePlace),
    /// Adds to what stands in the composer.
    AddToDraft(String),
    /// Reads the prompts that were written before.
    ReadPrompts,
    /// Puts this into the composer in place of what stands there.
    WriteDraft(Draft),
    /// Tells that the session was written to this file.
    TellOfExport {
        path: PathBuf,
        bytes: usize,
    },
    /// Puts a text on the clipboard.
    Copy {
        text: String,
        what: &'static str,
    },
    /// Shows the session's text in the editor.
    ViewSession(String),
    /// As if its key had been pressed where that is read.
    Act(Context, Action),
    /// Performs an action of the whole screen.
    Perform(Action),
    /// Says a sentence in the hint row.
    Say(&'static str),
    /// Searches the transcript.
    Search(String),
    /// Leaves the search row, and stays at the match; says so where nothing was found.
    KeepSearch {
        is_blank: bool,
    },
    /// Ends the search.
    EndSearch,
    /// Completes the word before the caret with an entry. The action says whether it is sent with that.
    Complete(Token, CompletionKind, Action),
    /// Answers a question.
    Answer {
        question: QuestionId,
        reply: question::Reply,
        /// Text that was written and is not sent: it goes into the composer.
        text: Option<String>,
    },
    /// Shows the next question in place of this one.
    NextQuestion,
    /// Leaves the question for later.
    PutOff,
    Trust(TrustAnswer),
    ChangeMode(Mode),
    /// Draws everything in this theme from now on.
    ShowTheme(Themes),
    /// The same, and says how to have it for good.
    KeepTheme(NamedThemes),
    /// Goes on with this agent.
    GoOnAs(String),
    /// Goes on with this model.
    GoOnWith(ModelRef),
    Session(SessionListRequest),
    Watch(WatchRequest),
    /// Goes into the session of a task.
    EnterTask(SessionId),
    /// Asks before a task is stopped.
    StopTask(Arc<TaskRow>),
    StopAllTasks,
    /// Goes into a task that has ended, to let it go on.
    ResumeTask(SessionId),
    /// Goes into a task with words for its agent at hand.
    AskTask(SessionId, String),
    Terminals(Vec<TerminalOp>),
    /// Asks before the program of a terminal is stopped.
    StopTerminal(TerminalRow),
    /// Puts the summary in place of the older conversation.
    UseSummary(String),
    /// Keeps the summary as it was edited, until the person asks for it.
    KeepSummary(SummaryDraft),
    /// Shows the scrollback of a terminal.
    ScrollTerminal(String),
    /// Shows what going back to before a message of the person's would change.
    ShowUndo(MessageId),
    /// Goes on from there in a session of its own.
    Fork(ForkPoint),
    /// Opens the session on screen as soon as nobody else has it.
    WaitForSession,
    /// Shows the changes in the work tree of a task.
    ShowTree(TaskTree, TreeIntent),
    Quit,
}

/// News of the session that a layer may have waited for.
#[derive(Debug)]
pub(crate) enum LayerUpdate<'a> {
    Grants(&'a Arc<Vec<Grant>>),
    /// To what was asked.
    Answer(&'a Query, &'a Answer),
    /// To what was asked about work trees.
    Tree(&'a TreeAnswer),
}

/// The context of drawing, besides the layer itself.
#[derive(Clone, Copy)]
pub(crate) struct LayerCx<'a> {
    pub(crate) look: Look<'a>,
    pub(crate) keymap: &'a Keymap,
    pub(crate) terminal_environment: &'a TerminalEnvironment,
    /// The whole terminal.
    pub(crate) screen: Rect,
    /// The protocol that pictures are drawn by.
    pub(crate) pictures: Option<PictureProtocol>,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) hooks: &'a HookRuns,
    /// The directory of the session that the tree begins with.
    pub(crate) directory: &'a Path,
    /// Of the tree that the session belongs to.
    pub(crate) tasks: &'a TaskList,
    /// Milliseconds since the Unix epoch, as tasks count.
    pub(crate) unix: i64,
    /// Of the questions that wait, the number of the one on screen, and how many there are.
    pub(crate) place: (usize, usize),
    /// The screen is so low that a question names only the keys that answer.
    pub(crate) is_low: bool,
}

impl<'a> LayerCx<'a> {
    pub(crate) fn home(&self) -> Option<&'a Path> {
        self.terminal_environment.home.as_deref()
    }

    pub(crate) fn zone(&self) -> TimeZone {
        (self.terminal_environment.zone)()
    }

    /// Returns facts about the terminal.
    pub(crate) fn terminal(&self) -> StatusGroup {
        self.terminal_environment
            .status_group(self.screen, self.pictures, self.keymap.key_reporting())
    }
}

/// Returns the rows by which a page is turned on a screen of this height: one stays in sight.
pub(crate) fn page_rows(height: usize) -> isize {
    isize::try_from(height.max(2) - 1).unwrap_or(1)
}

pub(crate) trait Layer {
    /// The kind of a layer that a person opens; none for others.
    fn kind(&self) -> Option<LayerKind> {
        None
    }

    /// Its name for programs that drive the screen; none where it has that of what it lies over.
    fn name(&self) -> Option<&'static str> {
        self.kind().map(LayerKind::name)
    }

    /// The keys that are read now.
    fn context(&self) -> Context;

    fn act(&mut self, action: Action) -> LayerReply;

    /// Chooses by number, from 1; 0 is the tenth.
    fn pick(&mut self, _digit: char) -> LayerReply {
        LayerReply::Ignored
    }

    /// Takes what is typed where the context takes text.
    fn write(&mut self, _text: &str) -> LayerReply {
        LayerReply::Done
    }

    /// Takes what is pasted, whatever the context.
    fn paste(&mut self, text: &str) -> LayerReply {
        self.write(text)
    }

    /// Answers a key that means nothing here.
    fn on_unknown_key(&mut self, _keymap: &Keymap) -> LayerReply {
        LayerReply::Ignored
    }

    /// Returns true if keys that are not its own mean what they mean without it.
    fn passes_keys_on(&self) -> bool {
        false
    }

    /// Returns true if it opens by itself: what ends other layers is not meant for it.
    fn opens_by_itself(&self) -> bool {
        false
    }

    /// Returns true if a character that means nothing to it closes it and goes to what lies below.
    fn yields_to_prose(&self) -> bool {
        false
    }

    /// The time in which it takes no key for an answer, because it has just appeared.
    fn guard_mut(&mut self) -> Option<&mut TypeAheadGuard> {
        None
    }

    /// Returns true if a key that is pressed now is the layer's; otherwise it is dropped.
    fn pass_guard(&mut self, now: Instant) -> bool {
        self.guard_mut().is_none_or(|guard| guard.pass(now))
    }

    /// Returns true if `esc` first ends what is marked in the conversation: it was marked after the layer came.
    fn comes_after_marks(&self) -> bool {
        false
    }

    /// Returns true if every key, paste and move of the mouse is the layer's, as the terminal sent it.
    fn takes_typing(&self) -> bool {
        false
    }

    /// Takes a key, where it takes all of them. `received` are the bytes that the terminal sent, where they are known.
    fn type_key(&mut self, _key: &KeyEvent, _received: &[u8], _keymap: &Keymap, _now: Instant) -> LayerReply {
        LayerReply::Ignored
    }

    /// Takes the mouse, where it takes everything. `wheel_rows` are those that a turn of the wheel scrolls.
    fn mouse(&mut self, _event: MouseEvent, _wheel_rows: isize) -> LayerReply {
        LayerReply::Ignored
    }

    /// Tells that the person's terminal has got or lost the focus.
    fn focus_changed(&mut self, _has_focus: bool) -> LayerReply {
        LayerReply::Ignored
    }

    /// The shape of the cursor while it takes everything that is typed.
    fn caret_shape(&self) -> CaretShape {
        CaretShape::Own
    }

    /// Performs one step of `esc`: closes what the layer has open, or the layer.
    fn back(&mut self) -> LayerReply {
        LayerReply::Close(self.close())
    }

    /// Performs `ctrl+c`, which closes it. A layer that ignores it, as one does that opened by itself, leaves it to the
    /// whole screen.
    fn clear(&mut self) -> LayerReply {
        if self.opens_by_itself() {
            LayerReply::Ignored
        } else {
            LayerReply::Close(self.close())
        }
    }

    /// Returns the request that it leaves behind when it is closed without having done what it is for.
    fn close(&mut self) -> Option<LayerRequest> {
        None
    }

    /// Scrolls by rows of the wheel.
    fn scroll(&mut self, _rows: isize) -> LayerReply {
        LayerReply::Ignored
    }

    /// Takes a press of the mouse on a cell.
    fn press(&mut self, _column: u16, _row: u16) -> LayerReply {
        LayerReply::Ignored
    }

    /// Returns true if nothing below it is pressed with the mouse.
    fn takes_mouse(&self) -> bool {
        true
    }

    /// Returns the request for its data, when it opens and when the session is there.
    fn request(&self) -> Option<LayerRequest> {
        None
    }

    /// Takes what the session says.
    fn update(&mut self, _news: &LayerUpdate<'_>) -> LayerReply {
        LayerReply::Ignored
    }

    /// Returns true if it draws the tasks of the tree, so that a change of one is to be drawn.
    fn shows_tasks(&self) -> bool {
        false
    }

    /// Returns true while it has something to look at in steps.
    fn is_working(&self) -> bool {
        false
    }

    /// Performs such a step.
    fn work(&mut self) -> LayerReply {
        LayerReply::Done
    }

    /// Returns true if it is on screen; before that its keys are read already.
    fn is_seen(&self, _now: Instant) -> bool {
        true
    }

    /// Returns true if nothing below it is seen.
    fn covers(&self) -> bool {
        matches!(self.kind(), Some(LayerKind::Page(_) | LayerKind::List(_)))
    }

    /// Returns true if it has the title row as well.
    fn covers_title(&self) -> bool {
        false
    }

    /// Adds the meanings of its keys.
    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap);

    /// Draws over everything in the area, and returns where the caret stands. A layer that is drawn as a part of what it
    /// lies over has nothing to add.
    fn draw(&mut self, _area: Rect, _buffer: &mut Buffer, _cx: &LayerCx<'_>) -> Option<Position> {
        None
    }

    /// Returns the list, if it is one: what is found for a list comes to it by its own methods.
    fn as_picker(&mut self) -> Option<&mut Picker> {
        None
    }

    /// Returns the pane of terminals, if it is that: their screens are asked for by the screen.
    fn as_terminals(&mut self) -> Option<&mut TerminalPane> {
        None
    }

    /// Returns the grid of tasks, if it is that: the conversations in it are drawn by the screen.
    fn as_watch(&mut self) -> Option<&mut Watch> {
        None
    }
}
