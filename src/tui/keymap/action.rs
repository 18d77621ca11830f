//! Actions of keys.

use crate::tui::app::pickers::List;
use crate::tui::caret::CaretMove;
use crate::tui::page::Page;

/// The action of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Action {
    /// One that a layer brings along, by its name in `keybinds`.
    OfLayer(&'static str),
    // Anywhere.
    Escape,
    ClearOrQuit,
    Leader,
    Editor,
    Redraw,
    CycleMode,
    Yolo,
    PageUp,
    PageDown,
    Suspend,
    OpenList(&'static List),
    // After the leader.
    FocusTranscript,
    NextAsk,
    NewSession,
    LastSession,
    QueueDraft,
    NextAgent,
    OpenPage(&'static Page),
    ToggleNewest,
    CopyAnswer,
    // Composer.
    Send,
    Queue,
    Newline,
    CopyText,
    PastePicture,
    HelpOrType,
    Edit(Edit),
    // What waits.
    FocusQueue,
    QueueEdit,
    QueueRemove,
    QueueSooner,
    QueueLater,
    QueueRedirect,
    // The list above the composer.
    TakeItem,
    CompleteItem,
    // Transcript.
    NextBlock,
    PreviousBlock,
    FirstBlock,
    LastBlock,
    NextOwn,
    PreviousOwn,
    NextFailure,
    PreviousFailure,
    ToggleReasoning,
    ToggleFold,
    ToggleAll,
    CopyBlock,
    CopyCode,
    CopySession,
    Open,
    ViewBlock,
    Fork,
    UndoHere,
    Compact,
    Resend,
    ChangeDirectory,
    FocusComposer,
    Search,
    NextMatch,
    PreviousMatch,
    KeepSearch,
    Select,
    SelectTo(CaretMove),
    CopySelection,
    EndSelection,
    ToggleMouse,
    // Permission.
    AllowOnce,
    NextAnswer,
    PreviousAnswer,
    TakeAnswer,
    AllowAlways,
    StoreAlways,
    Reject,
    RejectBecause,
    Why,
    RowUp,
    RowDown,
    Tick,
    Scope,
    NextHunk,
    PreviousHunk,
    AnotherAsk,
    FullScreen,
    EditCall,
    EditPattern,
    FinishText,
    // Panel. It shares its rows with the permission.
    TogglePanel,
    NextTodoState,
    EditTodo,
    StopTask,
    ApplyTree,
    DiscardTree,
    // Tasks.
    ToBackground,
    ParentTask,
    PreviousTask,
    NextTask,
    // Question.
    FormUp,
    FormDown,
    /// By its number, which is the key.
    FormPick,
    FormTick,
    FormDone,
    FormNext,
    FormPrevious,
    FormDismiss,
    // Pages.
    ClosePage,
    ScrollUp,
    ScrollDown,
    PageTop,
    PageEnd,
    // Lists. They share their rows with the permission.
    PickRow,
    RenameRow,
    DeleteRow,
    /// Lists the row before others, or no longer.
    PinRow,
    TagRow,
    /// Lists more, or less again.
    WidenList,
    // Palette.
    Interrupt,
    Init,
    MentionFile,
    ListCommands,
    Quit,
}

/// A change of the text or a move of the caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Edit {
    Move(CaretMove),
    DeleteLeft,
    DeleteRight,
    DeleteWordLeft,
    DeleteWordRight,
    DeleteToStart,
    DeleteToEnd,
    Yank,
    Undo,
    Redo,
    /// Moves the end of the selection, which begins where there is none.
    Extend(CaretMove),
    SelectAll,
}
