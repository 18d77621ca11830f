//! The keys as a page, from the keymap that reads them.

use ratatui::text::{Line, Span};

use super::{Page, PageReader, Sheet, diff, undo};
use crate::session::query::Answer;
use crate::text::width::str_width;
use crate::tui::app::pickers::{ACTIONS, MODELS, PROMPTS, SESSIONS};
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, BoundAction, Context, Keymap};
use crate::tui::layer::LayerCx;
use crate::tui::watch;
use crate::view::Symbols;
use crate::view::styled_text::StyledText;
use crate::view::theme::{Meaning, Theme};

pub(crate) static PAGE: Page = Page {
    action: "keys",
    leader: &["?"],
    description: "show the keys",
    brief: "keys",
    command: LayerCommand {
        name: "help",
        also: &["keys"],
        about: "Lists the everyday keys, then all keys by context.",
        after: "",
    },
    keys: &[],
    open: |_title| Box::new(PageReader::new(&PAGE, "Keys", Keys)),
};

/// Columns for the names of keys.
const KEY_COLUMNS: usize = 26;
/// On a screen this wide they get more, so that the longest stand in their column.
const ROOMY: usize = 100;
const ROOMY_KEY_COLUMNS: usize = 36;
/// Keys that are named of each line; the others are there for habits from elsewhere.
const KEYS: usize = 2;
/// From this width on what keys do stands beside them, on narrower screens below.
const WIDE: usize = 76;
/// Columns before what stands below.
const BELOW: usize = 5;

/// The keys of every day, in the order in which they are met.
const EVERY_DAY: [(Context, Action); 20] = [
    (Context::Composer, Action::Send),
    (Context::Composer, Action::Newline),
    (Context::Composer, Action::Queue),
    (Context::Global, Action::Escape),
    (Context::Global, Action::ClearOrQuit),
    (Context::Leader, Action::NextAsk),
    (Context::Global, Action::CycleMode),
    (Context::Composer, Action::NextAgent),
    (Context::Global, Action::OpenList(&ACTIONS)),
    (Context::Global, Action::PageUp),
    (Context::Global, Action::PageDown),
    (Context::Leader, Action::ToggleNewest),
    (Context::Leader, Action::FocusTranscript),
    (Context::Leader, Action::OpenPage(&diff::PAGE)),
    (Context::Leader, Action::OpenPage(&undo::UNDO)),
    (Context::Leader, Action::OpenList(&SESSIONS)),
    (Context::Leader, Action::OpenList(&MODELS)),
    (Context::Composer, Action::OpenList(&PROMPTS)),
    (Context::Global, Action::Editor),
    (Context::Global, Action::OpenPage(&watch::PAGE)),
];
/// Characters that begin something in a message.
const SIGNS: [(&str, &str); 3] = [
    ("@", "attach a file to the message"),
    ("/", "at the start: a slash command"),
    ("!", "at the start: run a shell command"),
];

pub(super) struct Keys;

impl Sheet for Keys {
    fn lines(&self, _: Option<&Answer>, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        lines(width, cx.keymap, cx.look.theme, cx.look.symbols)
    }
}

fn lines(width: usize, keymap: &Keymap, theme: &Theme, symbols: Symbols) -> Vec<Line<'static>> {
    let heading = |title: &str| Line::styled(format!(" {title}"), theme.style(Meaning::TextStrong));
    let mut lines = vec![heading("Everyday")];
    for (context, action) in EVERY_DAY {
        let mut bindings = keymap.bindings(context);
        let Some(binding) = bindings.find(|binding| binding.action == action && !binding.keys.is_empty())
        else {
            continue;
        };
        let keys = match context {
            Context::Leader => keymap.after_leader(action),
            _ => names(binding, symbols),
        };
        lines.extend(key_rows(&keys, binding.description, width, theme, symbols));
    }
    for (sign, words) in SIGNS {
        lines.extend(key_rows(sign, words, width, theme, symbols));
    }
    for context in Context::all() {
        lines.push(Line::default());
        lines.push(heading(&title(context, keymap)));
        lines.extend(
            keymap
                .bindings(context)
                .filter(|binding| !binding.keys.is_empty())
                .flat_map(|binding| {
                    let keys = names(binding, symbols);
                    key_rows(&keys, binding.description, width, theme, symbols)
                }),
        );
    }
    lines
}

fn title(context: Context, keymap: &Keymap) -> String {
    match context {
        Context::Leader => format!("After {}", keymap.label(Context::Global, Action::Leader)),
        _ => context.title().to_owned(),
    }
}

fn names(binding: &BoundAction, symbols: Symbols) -> String {
    let keys = binding.keys.iter().take(KEYS).map(|key| key.name.as_str());
    keys.collect::<Vec<_>>().join(&format!(" {} ", symbols.dot()))
}

fn key_rows(
    keys: &str,
    description: &str,
    width: usize,
    theme: &Theme,
    symbols: Symbols,
) -> Vec<Line<'static>> {
    let columns = if width >= ROOMY {
        ROOMY_KEY_COLUMNS
    } else {
        KEY_COLUMNS
    };
    let padding = columns.saturating_sub(str_width(keys)).max(2);
    let keys = Span::styled(format!("   {keys}"), theme.style(Meaning::Accent));
    let mut words = StyledText::default();
    words.push_clean(&symbols.plain_text(description), theme.style(Meaning::Text));
    if width >= WIDE {
        let mut row = vec![keys, Span::raw(" ".repeat(padding))];
        row.extend(words.rows(width).into_iter().flatten());
        return vec![Line::from(row)];
    }
    let below = words.rows(width.saturating_sub(BELOW + 1)).into_iter();
    let below = below.map(|mut row| {
        row.insert(0, Span::raw(" ".repeat(BELOW)));
        Line::from(row)
    });
    std::iter::once(Line::from(keys)).chain(below).collect()
}
