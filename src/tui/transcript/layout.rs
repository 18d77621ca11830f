//! A block to rows.
//!
//! What moves with the clock stands on the first row alone (a spinner, a time, a countdown); that row is drawn anew with
//! each frame and everything below it is kept. Markdown keeps its own rows, so that a text that grows is laid out at
//! its end only.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use crate::tui::keymap::{Action, Context, label};
use crate::view::LookKey;
use crate::view::card::{Card, CardStatus};
use crate::view::flow::Flow;
use crate::view::markdown::Markdown;
use crate::view::theme::Meaning;

use super::block::{Block, Body, TextBlock, UserBlock};
use super::call::{CallBlock, Group};
use super::cards::CardSource;
use super::{DrawCx, group, head, mark, paint};
use crate::tool::RenderCx;

/// Rows of the person's own message while it is folded.
const USER_ROWS: usize = 12;
/// Calls that are named in a row that they share; more do not fit.
const NAMED: usize = 12;

#[derive(Clone, Copy)]
pub(super) struct LayoutCx<'a> {
    pub(super) draw: DrawCx<'a>,
    /// Columns of text.
    pub(super) width: usize,
    /// Columns before it. A card draws over them: it brings its own margin.
    pub(super) left: usize,
    pub(super) cards: &'a dyn CardSource,
    pub(super) reasoning_unfolded: bool,
}

/// What a block was laid out to.
pub(super) struct Laid {
    key: Key,
    face: Option<Face>,
    rows: Rows,
}

/// The layout stays as long as this does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    revision: u32,
    width: usize,
    look: LookKey,
    is_unfolded: bool,
}

/// What the first row of a call shows.
pub(super) struct Face {
    pub(super) card: Card,
    /// How the calls stand that share the row; `None` for a row of one call.
    pub(super) shared: Option<CardStatus>,
}

enum Rows {
    Lines(Vec<Line<'static>>),
    Markdown(Box<Growing>),
}

/// Markdown that follows a text.
struct Growing {
    markdown: Markdown,
    /// Bytes of the text that it was given.
    fed: usize,
    /// Its lines.
    len: usize,
}

impl Laid {
    pub(super) fn face(&self) -> Option<&Face> {
        self.face.as_ref()
    }
}

/// Returns the rows of a block's content, which is laid out where that is not up to date.
pub(super) fn height(blocks: &mut [Block], index: usize, cx: &LayoutCx<'_>) -> usize {
    let block = &mut blocks[index];
    let key = Key {
        revision: block.revision,
        width: cx.width,
        look: cx.draw.look.key(),
        is_unfolded: block.is_unfolded(cx.reasoning_unfolded),
    };
    match &mut block.laid {
        Some(laid) if laid.key == key => {}
        Some(laid) if can_grow(&block.body, laid, key) => grow(&block.body, laid, key, cx),
        _ => {
            let (face, rows) = lay_out(blocks, index, key.is_unfolded, cx);
            blocks[index].laid = Some(Laid { key, face, rows });
        }
    }
    let block = &blocks[index];
    let Some(laid) = &block.laid else { return 0 };
    usize::from(has_head(&block.body)) + laid.rows.len()
}

/// Draws one row of a block that was laid out.
pub(super) fn paint_row(block: &mut Block, row: usize, at: Rect, buffer: &mut Buffer, cx: &LayoutCx<'_>) {
    let over = if block.is_void {
        cx.draw
            .look
            .theme
            .style(Meaning::TextMuted)
            .add_modifier(Modifier::CROSSED_OUT)
    } else {
        Style::new()
    };
    let at = match block.body {
        Body::Call(_) => Rect {
            x: at.x - cx.left as u16,
            width: at.width + cx.left as u16,
            ..at
        },
        _ => at,
    };
    let below = match (row, has_head(&block.body)) {
        (0, true) => return paint::line(&head::line(block, cx), at, buffer, over),
        (_, true) => row - 1,
        (_, false) => row,
    };
    if let Some(line) = block.laid.as_mut().and_then(|laid| laid.rows.get(below, cx)) {
        paint::line(line, at, buffer, over);
    }
}

/// Whether the first row is drawn anew with each frame.
fn has_head(body: &Body) -> bool {
    match body {
        Body::Call(_) | Body::Reasoning(_) => true,
        Body::Mark(mark) => mark.has_head(),
        Body::User(_) | Body::Text(_) => false,
    }
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Self::Lines(lines) => lines.len(),
            Self::Markdown(growing) => growing.len,
        }
    }

    fn get(&mut self, row: usize, cx: &LayoutCx<'_>) -> Option<&Line<'static>> {
        match self {
            Self::Lines(lines) => lines.get(row),
            Self::Markdown(growing) => growing.markdown.lines(cx.width, cx.draw.look).get(row),
        }
    }
}

/// Whether all that happened since is that the text became longer.
fn can_grow(body: &Body, laid: &Laid, key: Key) -> bool {
    let is_text = matches!(body, Body::Text(_)) && matches!(laid.rows, Rows::Markdown(_));
    is_text
        && Key {
            revision: key.revision,
            ..laid.key
        } == key
}

fn grow(body: &Body, laid: &mut Laid, key: Key, cx: &LayoutCx<'_>) {
    if let (Body::Text(text), Rows::Markdown(growing)) = (body, &mut laid.rows) {
        growing.follow(text, cx);
        laid.key = key;
    }
}

impl Growing {
    fn follow(&mut self, text: &TextBlock, cx: &LayoutCx<'_>) {
        let source = text.source.text();
        self.markdown.push(&source[self.fed..]);
        self.fed = source.len();
        if !text.is_open {
            self.markdown.finish();
        }
        self.len = self.markdown.lines(cx.width, cx.draw.look).len();
    }
}

fn lay_out(blocks: &mut [Block], index: usize, is_unfolded: bool, cx: &LayoutCx<'_>) -> (Option<Face>, Rows) {
    if let Body::Call(call) = &blocks[index].body
        && let Group::Leads(members) = &call.group
    {
        let (face, rows) = shared(blocks, call, members, is_unfolded, cx);
        return (Some(face), Rows::Lines(rows));
    }
    match &mut blocks[index].body {
        Body::User(block) => (None, Rows::Lines(user(block, is_unfolded, cx))),
        Body::Text(_) if !is_unfolded => (None, Rows::Lines(vec![folded_text(cx)])),
        Body::Text(block) => {
            let mut growing = Box::new(Growing {
                markdown: Markdown::new(),
                fed: 0,
                len: 0,
            });
            growing.follow(block, cx);
            (None, Rows::Markdown(growing))
        }
        Body::Reasoning(block) if is_unfolded => (
            None,
            Rows::Lines(indented(block.source.text(), Meaning::TextMuted, cx)),
        ),
        Body::Reasoning(_) => (None, Rows::Lines(Vec::new())),
        Body::Call(call) => {
            let card = call.card(
                cx.cards,
                RenderCx {
                    expanded: is_unfolded,
                },
            );
            call.wants_look = Some(card.look);
            let rows = head::below(&card, call, cx);
            (Some(Face { card, shared: None }), Rows::Lines(rows))
        }
        Body::Mark(mark) => (None, Rows::Lines(mark::rows(mark, cx))),
    }
}

/// Returns the first row of calls that share one, and what they show below it.
fn shared(
    blocks: &[Block],
    leader: &CallBlock,
    members: &[usize],
    is_unfolded: bool,
    cx: &LayoutCx<'_>,
) -> (Face, Vec<Line<'static>>) {
    let calls = || group::calls(blocks, leader, members);
    // Folded, they are counted and only the first ones asked for their names, so that a long run stays cheap.
    let wanted = if is_unfolded { usize::MAX } else { NAMED };
    let render = RenderCx {
        expanded: is_unfolded,
    };
    let cards: Vec<Card> = calls()
        .take(wanted)
        .map(|call| call.card(cx.cards, render))
        .collect();
    let names: Vec<&str> = cards.iter().map(|card| card.argument.as_str()).collect();
    let look = cx.draw.look;
    let more = if calls().count() > cards.len() {
        look.symbols.ellipsis()
    } else {
        ""
    };
    let dot = look.symbols.dot();
    let argument = format!("{} files {dot} {}{more}", calls().count(), names.join(", "));
    let title = cards.first().map(|card| card.title.clone());
    let face = Face {
        card: Card::new(title.unwrap_or_default(), argument),
        shared: Some(group::status(calls())),
    };
    let mut rows = Vec::new();
    if is_unfolded {
        for (call, card) in calls().zip(&cards) {
            rows.push(head::card_line(card, call, cx));
            rows.extend(head::below(card, call, cx));
        }
    }
    (face, rows)
}

/// Returns the rows of what a person said: a bar, the text as it was typed, and what was attached.
fn user(block: &UserBlock, is_unfolded: bool, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let look = cx.draw.look;
    let bar = format!("{} ", look.symbols.bar());
    let (accent, muted) = (
        look.theme.style(Meaning::Accent),
        look.theme.style(Meaning::TextMuted),
    );
    let mut flow = Flow::default();
    flow.push(block.text.trim_end(), look.theme.style(Meaning::Text));
    let mut rows = flow.rows(cx.width.saturating_sub(2));
    if !is_unfolded && rows.len() > USER_ROWS {
        let more = rows.len() - (USER_ROWS - 1);
        rows.truncate(USER_ROWS - 1);
        let mut note = Flow::default();
        let (ellipsis, dot) = (look.symbols.ellipsis(), look.symbols.dot());
        note.push_line(
            &format!("{ellipsis} {more} more lines {dot} {} unfolds", fold_key()),
            muted,
        );
        rows.push(note.cut(cx.width.saturating_sub(2), ellipsis));
    }
    for file in &block.files {
        let mut note = Flow::default();
        note.push_line(&format!("@{file}"), muted);
        rows.push(note.cut(cx.width.saturating_sub(2), look.symbols.ellipsis()));
    }
    let lines = rows.into_iter().map(|mut spans| {
        spans.insert(0, ratatui::text::Span::styled(bar.clone(), accent));
        Line::from(spans)
    });
    lines.collect()
}

fn fold_key() -> &'static str {
    label(Context::Transcript, Action::ToggleFold)
}

fn folded_text(cx: &LayoutCx<'_>) -> Line<'static> {
    let look = cx.draw.look;
    let mut flow = Flow::default();
    let dot = look.symbols.dot();
    flow.push_clean(
        &format!("a cut reply, void {dot} {} unfolds", fold_key()),
        look.theme.style(Meaning::TextMuted),
    );
    Line::from(flow.cut(cx.width, look.symbols.ellipsis()))
}

/// Returns a plain text two columns in.
fn indented(text: &str, meaning: Meaning, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let mut flow = Flow::default();
    flow.push(text.trim(), cx.draw.look.theme.style(meaning));
    let rows = flow.rows(cx.width.saturating_sub(2));
    let lines = rows.into_iter().map(|mut spans| {
        spans.insert(0, ratatui::text::Span::raw("  "));
        Line::from(spans)
    });
    lines.collect()
}
