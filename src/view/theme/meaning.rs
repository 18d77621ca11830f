//! The closed list of what a style can mean.
//!
//! Drawing code asks for a meaning and never for a colour, so that themes, colour depths and `NO_COLOR` need no
//! knowledge of who draws. A meaning's dotted name is its key in a theme file, and what stands before the last dot is its
//! parent there. A new meaning is one line in the list below.

use ratatui::style::Modifier;

macro_rules! meanings {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $mono:expr;)*) => {
        /// The meaning of a piece of the screen; a [`Theme`](super::Theme) knows how it looks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Meaning {
            $($(#[$doc])* $variant,)*
        }

        impl Meaning {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the key in theme files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Returns what tells this meaning apart where there are no colours.
            pub(super) fn without_colour(self) -> Modifier {
                match self {
                    $(Self::$variant => $mono,)*
                }
            }
        }
    };
}

const PLAIN: Modifier = Modifier::empty();
const BOLD: Modifier = Modifier::BOLD;
const DIM: Modifier = Modifier::DIM;
const ITALIC: Modifier = Modifier::ITALIC;
const UNDERLINED: Modifier = Modifier::UNDERLINED;
const REVERSED: Modifier = Modifier::REVERSED;

meanings! {
    Accent = "accent", BOLD;
    Text = "text", PLAIN;
    /// The secondary: meta, times, line numbers.
    TextMuted = "text.muted", DIM;
    TextStrong = "text.strong", BOLD;
    Rule = "rule", DIM;
    Selection = "selection", REVERSED;
    /// The ground of a dialog. Where it has no colour, a bar stands before the rows instead.
    DialogBg = "dialog.bg", PLAIN;
    /// The ground of the person's own messages.
    MessageBg = "message.bg", PLAIN;
    Match = "match", BOLD.union(UNDERLINED);
    Success = "success", PLAIN;
    Warning = "warning", BOLD;
    Danger = "danger", BOLD;
    StateWaiting = "state.waiting", DIM;
    StateRunning = "state.running", PLAIN;
    StateAsking = "state.asking", REVERSED;
    StateDone = "state.done", PLAIN;
    StateLook = "state.look", BOLD;
    StateFailed = "state.failed", BOLD;
    StateDenied = "state.denied", BOLD;
    StateInterrupted = "state.interrupted", DIM;
    DiffAdded = "diff.added", PLAIN;
    /// The background of a whole added line.
    DiffAddedBg = "diff.added.bg", PLAIN;
    /// The words that changed within it.
    DiffAddedEmphasis = "diff.added.emphasis", BOLD.union(UNDERLINED);
    DiffRemoved = "diff.removed", DIM;
    DiffRemovedBg = "diff.removed.bg", PLAIN;
    DiffRemovedEmphasis = "diff.removed.emphasis", UNDERLINED;
    DiffNumber = "diff.number", DIM;
    Code = "code", PLAIN;
    CodeKeyword = "code.keyword", PLAIN;
    CodeString = "code.string", PLAIN;
    CodeEscape = "code.escape", PLAIN;
    CodeNumber = "code.number", PLAIN;
    CodeConstant = "code.constant", PLAIN;
    CodeComment = "code.comment", DIM;
    CodeFunction = "code.function", PLAIN;
    CodeType = "code.type", PLAIN;
    CodeVariable = "code.variable", PLAIN;
    CodeOperator = "code.operator", PLAIN;
    CodePunctuation = "code.punctuation", PLAIN;
    CodeAttribute = "code.attribute", PLAIN;
    CodeTag = "code.tag", PLAIN;
    CodeGutter = "code.gutter", DIM;
    MarkdownHeading = "markdown.heading", BOLD.union(UNDERLINED);
    /// From the third level down. Levels are told apart by bold, italic and underline as well.
    MarkdownHeadingMinor = "markdown.heading.minor", BOLD;
    MarkdownLink = "markdown.link", UNDERLINED;
    MarkdownUrl = "markdown.url", DIM;
    MarkdownQuote = "markdown.quote", ITALIC;
    MarkdownCode = "markdown.code", BOLD;
    /// Bullets, numbers, boxes and the bar of a quote.
    MarkdownMarker = "markdown.marker", PLAIN;
    /// The language at the end of the rule above a block of code.
    MarkdownLabel = "markdown.label", DIM;
    ModeAsk = "mode.ask", PLAIN;
    ModeAccept = "mode.accept", UNDERLINED;
    ModePlan = "mode.plan", BOLD;
    ModeYolo = "mode.yolo", REVERSED;
}

impl Meaning {
    /// Returns whether `key` is a meaning or the parent of one.
    pub(super) fn is_key(key: &str) -> bool {
        Self::ALL.iter().any(|meaning| {
            let rest = meaning.name().strip_prefix(key);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_parents_are_keys() {
        let mut names: Vec<_> = Meaning::ALL.iter().map(|meaning| meaning.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Meaning::ALL.len());
        assert!(Meaning::is_key("state") && Meaning::is_key("diff.added"));
        assert!(!Meaning::is_key("sta") && !Meaning::is_key("diff.added.bg.more") && !Meaning::is_key(""));
    }
}
