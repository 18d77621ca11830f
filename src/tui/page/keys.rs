//! The keys as a page, from the keymap that reads them.

use ratatui::text::{Line, Span};

use super::{PageCx, PageKind, Sheet};
use crate::tui::keymap::{Action, Bound, Context, Keymap};
use crate::view::Symbols;
use crate::view::theme::{Meaning, Theme};

/// Columns for the names of keys.
const KEY_COLUMNS: usize = 26;
/// Keys that are named of each line; the others are there for habits from elsewhere.
const KEYS: usize = 2;

pub(super) struct Keys;

impl Sheet for Keys {
    fn kind(&self) -> PageKind {
        PageKind::Keys
    }

    fn name(&self) -> &'static str {
        "help"
    }

    fn title(&self) -> String {
        "Keys".to_owned()
    }

    fn lines(&self, _width: usize, cx: &PageCx<'_>) -> Vec<Line<'static>> {
        lines(cx.keymap, cx.look.theme, cx.look.symbols)
    }
}

fn lines(keymap: &Keymap, theme: &Theme, symbols: Symbols) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for context in Context::ALL {
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
                .map(|binding| row(binding, theme, symbols)),
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

fn row(binding: &Bound, theme: &Theme, symbols: Symbols) -> Line<'static> {
    let keys: Vec<&str> = binding
        .keys
        .iter()
        .take(KEYS)
        .map(|key| key.name.as_str())
        .collect();
    let keys = keys.join(&format!(" {} ", symbols.dot()));
    let padding = KEY_COLUMNS
        .saturating_sub(crate::text::width::str_width(&keys))
        .max(2);
    Line::from(vec![
        Span::styled(format!("   {keys}"), theme.style(Meaning::Accent)),
        Span::styled(
            format!("{}{}", " ".repeat(padding), binding.description),
            theme.style(Meaning::Text),
        ),
    ])
}
