//! The keys as a page, from the keymap that reads them.

use ratatui::text::{Line, Span};

use super::{Page, PageReader, Sheet};
use crate::session::query::Answer;
use crate::text::width::str_width;
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, BoundAction, Context, Keymap};
use crate::tui::layer::LayerCx;
use crate::view::Symbols;
use crate::view::styled_text::StyledText;
use crate::view::theme::{Meaning, Theme};

pub(crate) static PAGE: Page = Page {
    action: "keys",
    name: "help",
    leader: &["?"],
    description: "keys",
    brief: "keys",
    command: LayerCommand {
        name: "help",
        also: &["keys"],
        about: "Lists every key, by where it is read.",
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

pub(super) struct Keys;

impl Sheet for Keys {
    fn lines(&self, _: Option<&Answer>, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        lines(width, cx.keymap, cx.look.theme, cx.look.symbols)
    }
}

fn lines(width: usize, keymap: &Keymap, theme: &Theme, symbols: Symbols) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for context in Context::all() {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::styled(
            format!(" {}", title(context, keymap)),
            theme.style(Meaning::TextStrong),
        ));
        lines.extend(
            keymap
                .bindings(context)
                .filter(|binding| !binding.keys.is_empty())
                .flat_map(|binding| rows(binding, width, theme, symbols)),
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

fn rows(binding: &BoundAction, width: usize, theme: &Theme, symbols: Symbols) -> Vec<Line<'static>> {
    let keys: Vec<&str> = binding
        .keys
        .iter()
        .take(KEYS)
        .map(|key| key.name.as_str())
        .collect();
    let keys = keys.join(&format!(" {} ", symbols.dot()));
    let columns = if width >= ROOMY {
        ROOMY_KEY_COLUMNS
    } else {
        KEY_COLUMNS
    };
    let padding = columns.saturating_sub(str_width(&keys)).max(2);
    let keys = Span::styled(format!("   {keys}"), theme.style(Meaning::Accent));
    let mut words = StyledText::default();
    words.push_clean(
        &symbols.plain_text(binding.description),
        theme.style(Meaning::Text),
    );
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
