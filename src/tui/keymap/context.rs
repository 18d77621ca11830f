//! Where keys are read.

/// Who reads the keys.
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
    /// The question about quitting while other sessions are at work.
    Leaving,
    /// The list of what was allowed for good.
    Rules,
    /// Questions of a tool.
    Form,
    /// The same, while an answer is being written.
    FormText,
    /// A page that is read.
    Page,
    /// The page of changes.
    Diff,
    /// A comment on a line of it.
    Comment,
    /// Where the session is exported to. Other keys edit the file's name.
    Export,
    /// A list to pick from. Other keys edit the text that filters it.
    Picker,
    /// No keys: what only the palette knows.
    Palette,
}

impl Context {
    /// In the order of the help screen.
    pub(crate) const ALL: [Self; 23] = [
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
        Self::Leaving,
        Self::Rules,
        Self::Form,
        Self::FormText,
        Self::Picker,
        Self::Page,
        Self::Diff,
        Self::Comment,
        Self::Export,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Global => "Anywhere",
            Self::Leader => "After the leader",
            Self::Composer => "Composer",
            Self::Completion => "Composer, while completing",
            Self::Queue => "What waits",
            Self::Transcript => "Transcript",
            Self::Search => "Search",
            Self::Select => "Selection",
            Self::Panel => "Panel",
            Self::PanelText => "Panel, while writing",
            Self::Question => "Permission",
            Self::QuestionAlways => "Permission, always",
            Self::QuestionText => "Permission, while writing",
            Self::Trust => "Trust",
            Self::Leaving => "Quitting",
            Self::Rules => "Allowed for good",
            Self::Form => "Question",
            Self::FormText => "Question, own words",
            Self::Page => "Pages",
            Self::Diff => "Changes",
            Self::Comment => "Changes, comment",
            Self::Export => "Export",
            Self::Picker => "Lists",
            Self::Palette => "Palette",
        }
    }

    /// Returns the prefix of its actions' names in `keybinds`; none where they work anywhere.
    pub(crate) fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Global | Self::Leader | Self::Palette => return None,
            Self::Composer => "composer",
            Self::Completion => "completion",
            Self::Queue => "queue",
            Self::Transcript => "transcript",
            Self::Search => "search",
            Self::Select => "select",
            Self::Panel => "panel",
            Self::PanelText => "panel-text",
            Self::Question => "permission",
            Self::QuestionAlways => "permission-always",
            Self::QuestionText => "permission-text",
            Self::Trust => "trust",
            Self::Leaving => "leaving",
            Self::Rules => "rules",
            Self::Form => "question",
            Self::FormText => "question-text",
            Self::Page => "page",
            Self::Diff => "changes",
            Self::Comment => "changes-comment",
            Self::Export => "export",
            Self::Picker => "list",
        })
    }

    /// Returns true if a bare character is text there.
    pub(crate) fn takes_text(self) -> bool {
        matches!(
            self,
            Self::Comment
                | Self::Export
                | Self::Composer
                | Self::Completion
                | Self::Search
                | Self::QuestionText
                | Self::PanelText
                | Self::Rules
                | Self::FormText
                | Self::Picker
        )
    }
}
