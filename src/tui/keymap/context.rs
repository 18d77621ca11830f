//! Contexts in which keys are read.

use std::hash::{Hash, Hasher};

use super::{Action, Binding};

/// The keys that a layer brings along.
#[derive(Debug)]
pub(crate) struct LayerKeys {
    /// The prefix of its actions' names in `keybinds`.
    pub(crate) name: &'static str,
    /// Its heading on the page of keys.
    pub(crate) title: &'static str,
    /// True if a bare character is text there.
    pub(crate) takes_text: bool,
    pub(crate) rows: &'static [KeyRow],
}

/// An action with the keys that it has when nobody has chosen others, the one that hints show first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyRow {
    pub(super) keys: &'static [&'static str],
    pub(super) action: Action,
    pub(super) description: &'static str,
    /// The same in a word, where there is little room.
    pub(super) brief: Option<&'static str>,
}

impl KeyRow {
    pub(crate) const fn new(
        keys: &'static [&'static str],
        action: Action,
        description: &'static str,
    ) -> Self {
        Self {
            keys,
            action,
            description,
            brief: None,
        }
    }

    pub(crate) const fn brief(self, brief: &'static str) -> Self {
        Self {
            brief: Some(brief),
            ..self
        }
    }
}

impl LayerKeys {
    pub(super) fn bindings(&'static self) -> impl Iterator<Item = Binding> {
        let context = Context::Layer(self);
        self.rows.iter().map(move |row| Binding { context, row: *row })
    }
}

impl PartialEq for LayerKeys {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for LayerKeys {}

impl Hash for LayerKeys {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// The part of the screen that reads the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Context {
    /// Everywhere.
    Global,
    /// After `ctrl+x`.
    Leader,
    Composer,
    /// The same, while a list stands above it. All keys that are not the list's are the composer's.
    Completion,
    /// The list of what waits to be sent.
    Queue,
    Transcript,
    /// The row that is searched by.
    Search,
    /// The transcript while something is selected.
    Select,
    /// The panel at the side.
    Panel,
    /// The same, while a todo is being written.
    PanelText,
    /// A permission question.
    Question,
    /// The same, while `always` is being put together.
    QuestionAlways,
    /// The text that is being written: why not, or a pattern.
    QuestionText,
    /// The question about trust in the project.
    Trust,
    /// Questions of a tool.
    Form,
    /// The same, while an answer is being written.
    FormText,
    /// A page that is read.
    Page,
    /// A layer with keys of its own.
    Layer(&'static LayerKeys),
    /// A list to pick from. Other keys edit the text that filters it.
    Picker,
    /// No keys: what only the palette knows.
    Palette,
}

impl Context {
    /// Returns all in the order of the page of keys.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let layers = super::table::layers().map(Self::Layer);
        Self::OWN.into_iter().chain(layers)
    }

    const OWN: [Self; 18] = [
        Self::Composer,
        Self::Completion,
        Self::Queue,
        Self::Global,
        Self::Leader,
        Self::Transcript,
        Self::Search,
        Self::Select,
        Self::Panel,
        Self::PanelText,
        Self::Question,
        Self::QuestionAlways,
        Self::QuestionText,
        Self::Trust,
        Self::Form,
        Self::FormText,
        Self::Picker,
        Self::Page,
    ];

    /// Returns its heading on the page of keys.
    pub(crate) fn title(self) -> &'static str {
        self.traits().1
    }

    /// Returns the prefix of its actions' names in `keybinds`; none where they work anywhere.
    pub(crate) fn name(self) -> Option<&'static str> {
        self.traits().0
    }

    /// Returns true if a bare character is text there.
    pub(crate) fn takes_text(self) -> bool {
        self.traits().2
    }

    /// Returns name, title, and if it takes text.
    fn traits(self) -> (Option<&'static str>, &'static str, bool) {
        match self {
            Self::Global => (None, "Anywhere", false),
            Self::Leader => (None, "After the leader", false),
            Self::Composer => (Some("composer"), "Composer", true),
            Self::Completion => (Some("completion"), "Composer, while completing", true),
            Self::Queue => (Some("queue"), "Pending messages", false),
            Self::Transcript => (Some("transcript"), "Transcript", false),
            Self::Search => (Some("search"), "Search", true),
            Self::Select => (Some("select"), "Selection", false),
            Self::Panel => (Some("panel"), "Panel", false),
            Self::PanelText => (Some("panel-text"), "Panel, while writing", true),
            Self::Question => (Some("permission"), "Permission", false),
            Self::QuestionAlways => (Some("permission-always"), "Permission, always", false),
            Self::QuestionText => (Some("permission-text"), "Permission, while writing", true),
            Self::Trust => (Some("trust"), "Trust", false),
            Self::Form => (Some("question"), "Question", false),
            Self::FormText => (Some("question-text"), "Question, own words", true),
            Self::Page => (Some("page"), "Pages", false),
            Self::Layer(keys) => (Some(keys.name), keys.title, keys.takes_text),
            Self::Picker => (Some("list"), "Lists", true),
            Self::Palette => (None, "Palette", false),
        }
    }
}
