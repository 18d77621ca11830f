//! Lines as text, for tests: what a person would see, and where the styles are.

use std::fmt::Write;

use ratatui::style::Modifier;
use ratatui::text::Line;

use super::highlight::Highlighter;
use super::look::{Look, Symbols};
use super::theme::{Meaning, Theme};

pub(crate) struct TestLook {
    pub(crate) theme: Theme,
    highlighter: Highlighter,
    pub(crate) symbols: Symbols,
}

impl Default for TestLook {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            highlighter: Highlighter::new(),
            symbols: Symbols::Unicode,
        }
    }
}

impl TestLook {
    pub(crate) fn plain() -> Self {
        Self {
            highlighter: Highlighter::plain(),
            ..Self::default()
        }
    }

    pub(crate) fn look(&self) -> Look<'_> {
        Look {
            theme: &self.theme,
            symbols: self.symbols,
            highlighter: &self.highlighter,
        }
    }
}

/// Returns the text of the lines.
pub(crate) fn picture(lines: &[Line<'_>]) -> String {
    let mut text = String::new();
    for line in lines {
        for span in &line.spans {
            text.push_str(&span.content);
        }
        text.push('\n');
    }
    text
}

/// Returns the text with the name of each style that is not plain text before it: `‹code.keyword›fn‹›`.
pub(crate) fn styled_picture(lines: &[Line<'_>], theme: &Theme) -> String {
    let mut text = String::new();
    for line in lines {
        for span in &line.spans {
            let mut style = line.style.patch(span.style);
            let leads = if style.underline_color.take().is_some() {
                "+link"
            } else {
                ""
            };
            let plain = theme.style(Meaning::Text);
            let is_plain = style == plain || style == ratatui::style::Style::new();
            if (is_plain && leads.is_empty()) || span.content.trim().is_empty() {
                text.push_str(&span.content);
                continue;
            }
            let exact = Meaning::ALL
                .iter()
                .find(|meaning| theme.style(**meaning) == style);
            // Emphasis and backgrounds change the rest of a style; source is the likeliest to have them.
            let has_colour = |meaning: &&Meaning| theme.style(**meaning).fg == style.fg && style.fg.is_some();
            let is_code = |meaning: &&Meaning| meaning.name().starts_with("code");
            let code = || Meaning::ALL.iter().filter(is_code).find(has_colour);
            let by_colour = || code().or_else(|| Meaning::ALL.iter().find(has_colour));
            let name = exact.or_else(by_colour).map_or("style", |meaning| meaning.name());
            let mark = |modifier, name| {
                if style.add_modifier.contains(modifier) {
                    name
                } else {
                    ""
                }
            };
            let (bold, italic) = (mark(Modifier::BOLD, "+b"), mark(Modifier::ITALIC, "+i"));
            let back = if style.bg.is_some() { "+bg" } else { "" };
            write!(text, "‹{name}{bold}{italic}{back}{leads}›{}‹›", span.content).unwrap();
        }
        text.push('\n');
    }
    text
}
