//! Source inside Markdown: highlighted, a step in from the text, broken where the row is full.

use std::ops::Range;

use ratatui::text::{Line, Span};

use super::line;
use crate::text::sanitize;
use crate::view::highlight::CodeState;
use crate::view::look::Look;
use crate::view::styled_text::{MEASURE, StyledText, TAB};
use crate::view::theme::Meaning;

/// Columns before each line, where there is room.
const INDENT: usize = 2;

/// A block of source that is drawn line by line.
#[derive(Debug, Clone)]
pub(super) struct CodeBlock {
    state: CodeState,
    kind: CodeKind,
    /// Byte offset of the next line.
    at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeKind {
    /// Columns that the fence took off each line.
    Fenced {
        indent: usize,
    },
    Html,
}

impl CodeBlock {
    pub(super) fn new(language: &str, kind: CodeKind, at: usize, look: Look<'_>) -> Self {
        Self {
            state: look.highlighter.start(language),
            kind,
            at,
        }
    }

    /// Draws what is new in `body`, whose last line is taken for complete.
    pub(super) fn advance(
        &mut self,
        source: &str,
        body: &Range<usize>,
        width: usize,
        look: Look<'_>,
        lines: &mut Vec<Line<'static>>,
    ) {
        if body.is_empty() {
            return;
        }
        let whole = &source[..body.end];
        while let Some((range, next)) = line::next_whole_line(whole, self.at) {
            self.at = next;
            self.push(&whole[range], width, look, lines);
        }
    }

    /// Draws one line.
    pub(super) fn push(&mut self, text: &str, width: usize, look: Look<'_>, lines: &mut Vec<Line<'static>>) {
        let text = match self.kind {
            CodeKind::Fenced { indent } => without_indent(text, indent),
            CodeKind::Html => text,
        };
        let clean = sanitize::sanitize(text);
        let clean = sanitize::expand_tabs(&clean, TAB);
        let mut flow = StyledText::default();
        if self.kind == CodeKind::Html {
            flow.push_clean(&clean, look.style(Meaning::TextMuted));
        } else {
            flow.push_code(&clean, &look.highlighter.line(&mut self.state, &clean), look);
        }
        let step = step(width);
        for row in flow.chopped(width - step) {
            let mut spans = row;
            if step > 0 && !spans.is_empty() {
                spans.insert(0, Span::raw(" ".repeat(step)));
            }
            lines.push(Line::from(spans));
        }
    }
}

/// Returns the rule above a block, with the language at its right end.
pub(super) fn rule(language: &str, width: usize, look: Look<'_>) -> Line<'static> {
    let step = step(width);
    let columns = width.saturating_sub(step).min(MEASURE);
    let word = language.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    let mut label = StyledText::default();
    if !word.is_empty() {
        label.push_line(&format!(" {word}"), look.style(Meaning::MarkdownLabel));
    }
    let label = label.cut(columns, look.symbols.ellipsis());
    let named: usize = label.iter().map(Span::width).sum();
    let rule = look.symbols.rule().repeat(columns - named);
    let mut spans = vec![
        Span::raw(" ".repeat(step)),
        Span::styled(rule, look.style(Meaning::Rule)),
    ];
    spans.extend(label);
    Line::from(spans)
}

fn step(width: usize) -> usize {
    if width >= 8 * INDENT { INDENT } else { 0 }
}

pub(super) fn without_indent(text: &str, columns: usize) -> &str {
    let spaces = text
        .bytes()
        .take(columns)
        .take_while(|byte| *byte == b' ')
        .count();
    &text[spaces..]
}
