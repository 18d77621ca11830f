//! Which key means what, and where: one table.
//!
//! A key is looked up in the context that has the focus and then in [`Context::Global`], whose keys no other context may
//! use (only `shift+tab` leads back in a form, as it does in every form); a test proves that no key has two meanings in
//! one context. Hints and the help screen are made from this table,
//! so they cannot be wrong. Characters that the table does not know are text, where text is taken.

mod chord;
mod table;

pub(crate) use chord::{Chord, typed};

use std::collections::HashMap;

use crossterm::event::KeyEvent;

use super::transcript::CaretMove;
use crate::view::Symbols;

/// Who reads the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Context {
    /// Everywhere.
    Global,
    /// After `ctrl+x`.
    Leader,
    Composer,
    Transcript,
    /// The row that is searched by.
    Search,
    /// The transcript while something is selected.
    Select,
    /// A permission question.
    Question,
    /// The same, while `always` is being put together.
    QuestionAlways,
    /// What is being written: why not, or a pattern.
    QuestionText,
    /// Whether the project is trusted.
    Trust,
    /// The list of what was allowed for good.
    Rules,
    /// Questions of a tool.
    Form,
    /// The same, while an answer is being written.
    FormText,
    Help,
    /// A list to pick from. Other keys edit the text that filters it.
    Picker,
    /// No keys: what only the palette knows.
    Palette,
}

impl Context {
    /// In the order of the help screen.
    pub(crate) const ALL: [Self; 15] = [
        Self::Composer,
        Self::Global,
        Self::Leader,
        Self::Transcript,
        Self::Search,
        Self::Select,
        Self::Question,
        Self::QuestionAlways,
        Self::QuestionText,
        Self::Trust,
        Self::Rules,
        Self::Form,
        Self::FormText,
        Self::Picker,
        Self::Help,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Global => "Anywhere",
            Self::Leader => "After the leader",
            Self::Composer => "Composer",
            Self::Transcript => "Transcript",
            Self::Search => "Search",
            Self::Select => "Selection",
            Self::Question => "Permission",
            Self::QuestionAlways => "Permission, always",
            Self::QuestionText => "Permission, while writing",
            Self::Trust => "Trust",
            Self::Rules => "Allowed for good",
            Self::Form => "Question",
            Self::FormText => "Question, own words",
            Self::Help => "This screen",
            Self::Picker => "Lists",
            Self::Palette => "Palette",
        }
    }
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    // Anywhere.
    Escape,
    ClearOrQuit,
    Leader,
    Editor,
    Redraw,
    CycleMode,
    PageUp,
    PageDown,
    Suspend,
    OpenList(List),
    // After the leader.
    FocusTranscript,
    NextAsk,
    QueueDraft,
    NextAgent,
    ShowHelp,
    ShowHooks,
    ShowRules,
    CopyAnswer,
    // Composer.
    Send,
    Queue,
    Newline,
    HelpOrType,
    Edit(Edit),
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
    // Trust.
    TrustProject,
    TrustNotNow,
    TrustParts,
    // Allowed for good.
    Revoke,
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
    // Help.
    CloseHelp,
    ScrollUp,
    ScrollDown,
    // Lists. They share their rows with the permission.
    PickRow,
    // Palette.
    Interrupt,
    Quit,
}

/// A list to pick from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum List {
    /// The palette.
    Actions,
    Themes,
    Agents,
    Models,
}

/// A change of the text or a move of the caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Edit {
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    Top,
    Bottom,
    DeleteLeft,
    DeleteRight,
    DeleteWordLeft,
    DeleteWordRight,
    DeleteToStart,
    DeleteToEnd,
    Yank,
    Undo,
    Redo,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding {
    pub(crate) context: Context,
    /// The first one is what hints show.
    pub(crate) keys: &'static [&'static str],
    pub(crate) action: Action,
    pub(crate) description: &'static str,
}

#[derive(Debug)]
pub(crate) struct Keymap {
    bindings: &'static [Binding],
    by_key: HashMap<(Context, Chord), Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        let bindings = table::BINDINGS;
        let rows = bindings.iter().flat_map(|binding| {
            let chords = binding.keys.iter().filter_map(|key| Chord::parse(key));
            chords.map(|chord| ((binding.context, chord), binding.action))
        });
        Self {
            bindings,
            by_key: rows.collect(),
        }
    }
}

impl Keymap {
    /// Returns what a key means in this context or anywhere.
    pub(crate) fn action(&self, context: Context, key: KeyEvent) -> Option<Action> {
        let chord = Chord::from_key(key);
        let own = self.by_key.get(&(context, chord));
        // After the leader a key means what the leader's table says, or nothing.
        if context == Context::Leader {
            return own.copied();
        }
        own.or_else(|| self.by_key.get(&(Context::Global, chord)))
            .copied()
    }

    /// Returns the key that hints show for an action.
    pub(crate) fn label(&self, context: Context, action: Action) -> &'static str {
        label_in(self.bindings, context, action)
    }

    pub(crate) fn bindings(&self, context: Context) -> impl Iterator<Item = &'static Binding> {
        self.bindings
            .iter()
            .filter(move |binding| binding.context == context)
    }
}

/// Returns a key's name as hints write it.
pub(crate) fn words(key: &str, symbols: Symbols) -> &str {
    match (symbols, key) {
        (Symbols::Unicode, "enter") => "⏎",
        (Symbols::Unicode, "up") => "↑",
        (Symbols::Unicode, "down") => "↓",
        (_, key) => key,
    }
}

/// Returns the same for what is drawn without a keymap at hand.
pub(crate) fn label(context: Context, action: Action) -> &'static str {
    label_in(table::BINDINGS, context, action)
}

fn label_in(bindings: &[Binding], context: Context, action: Action) -> &'static str {
    let binding = bindings
        .iter()
        .find(|binding| binding.context == context && binding.action == action);
    binding
        .and_then(|binding| binding.keys.first())
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings_in_one_context() {
        let mut seen: HashMap<(Context, Chord), &str> = HashMap::new();
        for binding in table::BINDINGS {
            for key in binding.keys {
                let chord = Chord::parse(key).unwrap_or_else(|| panic!("`{key}` is not a key"));
                let before = seen.insert((binding.context, chord), binding.description);
                assert_eq!(before, None, "`{key}` in {:?}", binding.context);
            }
        }
        for (context, chord) in seen.keys() {
            let back = Chord::parse("shift+tab").unwrap();
            let leads_back = matches!(context, Context::Form | Context::FormText) && *chord == back;
            // Where there is one row after the other `ctrl+p` goes up, as it does everywhere.
            let up = Chord::parse("ctrl+p").unwrap();
            let goes_up = matches!(context, Context::Picker | Context::Search) && *chord == up;
            let is_shadowed = !matches!(context, Context::Global | Context::Leader)
                && !leads_back
                && !goes_up
                && seen.contains_key(&(Context::Global, *chord));
            assert!(!is_shadowed, "{chord:?} of {context:?} is taken everywhere");
        }
    }

    #[test]
    fn keys_kept_for_the_terminal_stay_unbound() {
        for key in ["ctrl+b", "ctrl+s", "ctrl+q"] {
            let chord = Chord::parse(key).unwrap();
            let bound = table::BINDINGS
                .iter()
                .any(|b| b.keys.iter().any(|k| Chord::parse(k) == Some(chord)));
            assert!(!bound, "{key}");
        }
    }

    #[test]
    fn every_action_of_a_hint_has_a_key() {
        let keymap = Keymap::default();
        assert_eq!(keymap.label(Context::Composer, Action::Send), "enter");
        assert_eq!(keymap.label(Context::Global, Action::CycleMode), "shift+tab");
        assert_eq!(keymap.label(Context::Leader, Action::NextAsk), ".");
    }
}
