//! A block to rows.
//!
//! Everything that moves with the clock stands on the first row alone (a spinner, a time, a countdown); that row is
//! drawn anew with each frame and everything below it is kept. Markdown keeps its own rows, so that a text that grows
//! is laid out at its end only.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use crate::view::LookKey;
use crate::view::card::{Card, CardRow, CardStatus, FileTarget};
use crate::view::diff::Sides;
use crate::view::markdown::Markdown;
use crate::view::styled_text::{MEASURE, StyledText, cut_line};
use crate::view::theme::Meaning;

use super::block::{Block, Body, Mark, TextBlock, UserBlock};
use super::call::{CallBlock, Group};
use super::cards::CardSource;
use super::pictures::{self, BlockPicture, VisiblePicture};
use super::{DrawCx, group, headlines, long_text, mark, paint, repeat};
use crate::tool::RenderCx;
use crate::tui::pictures::Canvas;

/// Rows of the person's own message while it is folded.
const USER_ROWS: usize = 12;

#[derive(Clone, Copy)]
pub(super) struct LayoutCx<'a> {
    pub(super) draw: DrawCx<'a>,
    /// Columns of text.
    pub(super) width: usize,
    /// Columns before it. A card draws over them: it brings its own margin.
    pub(super) left: usize,
    pub(super) cards: &'a dyn CardSource,
    pub(super) reasoning_unfolded: bool,
    /// Canvas for pictures, if the terminal draws them.
    pub(super) canvas: Option<&'a Canvas>,
    /// True if pictures that cannot be drawn keep the rows that they had.
    pub(super) keeps_rows: bool,
    /// Bytes of Markdown that may still be laid out in this frame.
    pub(super) share: &'a Cell<usize>,
}

impl<'a> LayoutCx<'a> {
    /// For what no key unfolds: it is unfolded, or only what is around it can be.
    pub(super) fn without_fold_key(&self) -> LayoutCx<'a> {
        let draw = DrawCx {
            fold_key: "",
            ..self.draw
        };
        LayoutCx { draw, ..*self }
    }
}

impl LayoutCx<'_> {
    /// For what waits as something above it does, which names the key.
    pub(super) fn without_end_key(&self) -> Self {
        let draw = DrawCx {
            end_key: "",
            ..self.draw
        };
        Self { draw, ..*self }
    }
}

/// The layout of a block.
pub(super) struct BlockLayout {
    key: Key,
    face: Option<CallHeadline>,
    rows: Rows,
    pictures: Vec<BlockPicture>,
}

/// The layout stays as long as this does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    revision: u32,
    width: usize,
    look: LookKey,
    is_unfolded: bool,
    canvas: Option<((u16, u16), usize)>,
    keeps_rows: bool,
    shows_todos: bool,
}

impl Key {
    /// Returns true if nothing but the content may differ.
    pub(super) fn is_grown(self, newer: Self) -> bool {
        Self {
            revision: newer.revision,
            ..self
        } == newer
    }
}

/// The content of a call's first row.
pub(super) struct CallHeadline {
    pub(super) card: Card,
    /// How the calls stand that share the row; `None` for a row of one call.
    pub(super) shared: Option<CardStatus>,
    /// The files of the calls that share the row, where each has a row of its own below it.
    members: Vec<FileTarget>,
    /// The calls inside it, in their order.
    pub(super) inner: Vec<NestedCallHeadline>,
}

/// The content of the first row of a call inside another.
pub(super) struct NestedCallHeadline {
    pub(super) card: Card,
    /// Its place below the first row of the call around it.
    pub(super) row: usize,
}

enum Rows {
    Lines(Vec<Line<'static>>),
    Card(Vec<CardRow>),
    Markdown(Box<StreamingMarkdown>),
}

/// Markdown that follows a text.
struct StreamingMarkdown {
    markdown: Markdown,
    /// Bytes of the text that it was given.
    fed: usize,
    /// True if not all of the text that is drawn was given to it.
    is_behind: bool,
    /// Its lines.
    len: usize,
    /// The row below them, of a text that is not drawn whole.
    rest: Option<Line<'static>>,
}

impl BlockLayout {
    pub(super) fn face(&self) -> Option<&CallHeadline> {
        self.face.as_ref()
    }

    pub(super) fn key(&self) -> Key {
        self.key
    }

    /// Returns the files that its cards are about.
    pub(super) fn files(&self) -> impl Iterator<Item = &FileTarget> {
        self.face.iter().flat_map(|face| {
            let inner = face.inner.iter().map(|inner| &inner.card);
            let cards = std::iter::once(&face.card).chain(inner);
            let own = cards.filter_map(|card| card.target.as_ref());
            own.chain(&face.members)
        })
    }

    /// Returns true if there is more than a title.
    pub(super) fn has_rows(&self) -> bool {
        self.rows.len() > 0
    }

    /// Returns where its links lead.
    pub(super) fn targets(&self) -> &[String] {
        match &self.rows {
            Rows::Lines(_) | Rows::Card(_) => &[],
            Rows::Markdown(growing) => growing.markdown.targets(),
        }
    }

    /// Returns true if rows are still missing at its end, which later frames lay out.
    pub(super) fn is_behind(&self) -> bool {
        matches!(&self.rows, Rows::Markdown(growing) if growing.is_behind)
    }

    /// Returns how many rows stay as they are while the text grows.
    pub(super) fn stable_rows(&self) -> usize {
        match &self.rows {
            Rows::Lines(_) | Rows::Card(_) => 0,
            Rows::Markdown(growing) => growing.markdown.stable_lines(),
        }
    }
}

/// Returns the rows of a block's content, which is laid out where that is not up to date, as far as the frame's share goes.
pub(super) fn height(blocks: &mut [Block], index: usize, cx: &LayoutCx<'_>) -> usize {
    let block = &mut blocks[index];
    let key = Key {
        revision: block.revision,
        width: cx.width,
        look: cx.draw.look.key(),
        is_unfolded: block.is_unfolded(cx.reasoning_unfolded),
        canvas: cx.canvas.map(Canvas::key),
        keeps_rows: keeps_rows(block, cx),
        shows_todos: cx.draw.shows_todos,
    };
    match &mut block.cached_layout {
        Some(laid) if laid.key == key && !(laid.is_behind() && cx.share.get() > 0) => {}
        Some(laid) if can_grow(&block.body, laid, key) => grow(&block.body, laid, key, cx),
        _ => {
            let own = if key.is_unfolded {
                cx.without_fold_key()
            } else {
                *cx
            };
            let own = LayoutCx {
                keeps_rows: key.keeps_rows,
                ..own
            };
            let mut pictures = Vec::new();
            let (face, rows) = lay_out(blocks, index, key.is_unfolded, &own, &mut pictures);
            blocks[index].cached_layout = Some(BlockLayout {
                key,
                face,
                rows,
                pictures,
            });
        }
    }
    let block = &blocks[index];
    let Some(laid) = &block.cached_layout else {
        return 0;
    };
    usize::from(has_head(&block.body)) + laid.rows.len()
}

/// Returns true if the rows of pictures stay even if these are broken: the block is on screen with them.
fn keeps_rows(block: &Block, cx: &LayoutCx<'_>) -> bool {
    let has_pictures = || {
        block
            .cached_layout
            .as_ref()
            .is_some_and(|laid| !laid.pictures.is_empty())
    };
    block.is_on_screen && cx.canvas.is_some_and(Canvas::has_failures) && has_pictures()
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
    let at = place(block, at, cx);
    if let Some(line) = line(block, row, cx) {
        paint::line(&line, at, buffer, over);
    }
}

/// Returns where a row of a block is drawn, when `at` is where text stands.
pub(super) fn place(block: &Block, at: Rect, cx: &LayoutCx<'_>) -> Rect {
    if !has_margin(&block.body) {
        return at;
    }
    Rect {
        x: at.x - cx.left as u16,
        width: at.width + cx.left as u16,
        ..at
    }
}

/// Returns true if a block brings the columns before its text along.
pub(super) fn has_margin(body: &Body) -> bool {
    matches!(body, Body::Call(_))
}

/// Returns one row of a block that was laid out.
pub(super) fn line<'a>(
    block: &'a mut Block,
    row: usize,
    cx: &LayoutCx<'_>,
) -> Option<Cow<'a, Line<'static>>> {
    let below = match (row, has_head(&block.body)) {
        (0, true) => return Some(Cow::Owned(headlines::line(block, cx))),
        (_, true) => row - 1,
        (_, false) => row,
    };
    if let Some(line) = headlines::inner_line(block, below, cx) {
        return Some(Cow::Owned(line));
    }
    block
        .cached_layout
        .as_mut()?
        .rows
        .get(below, cx)
        .map(Cow::Borrowed)
}

/// Returns the pictures on rows of a block, which are drawn from `at` down.
pub(super) fn pictures(block: &Block, rows: &Range<usize>, at: Rect) -> Vec<VisiblePicture> {
    let Some(laid) = block
        .cached_layout
        .as_ref()
        .filter(|laid| !laid.pictures.is_empty())
    else {
        return Vec::new();
    };
    let head = usize::from(has_head(&block.body));
    let below = rows.start.max(head) - head..rows.end.max(head) - head;
    let at = Rect {
        y: at.y + (rows.start.max(head) - rows.start) as u16,
        ..at
    };
    let pictures = laid.pictures.iter();
    pictures
        .filter_map(|picture| picture.on_screen(&below, at))
        .collect()
}

/// Returns the lines of a diff that a row of a block shows beside each other.
pub(super) fn sides(block: &Block, row: usize) -> Option<&Sides> {
    let below = row.checked_sub(usize::from(has_head(&block.body)))?;
    match &block.cached_layout.as_ref()?.rows {
        Rows::Card(rows) => rows.get(below)?.sides.as_ref(),
        Rows::Lines(_) | Rows::Markdown(_) => None,
    }
}

/// Returns the columns of a block's row that show nothing of its text.
pub(super) fn asides(block: &Block, row: usize) -> &[Range<usize>] {
    let below = row.checked_sub(usize::from(has_head(&block.body)));
    match (below, block.cached_layout.as_ref().map(|laid| &laid.rows)) {
        (Some(below), Some(Rows::Card(rows))) => rows.get(below).map_or(&[], |row| &row.asides),
        _ => &[],
    }
}

/// Returns true if the first row is drawn anew with each frame.
fn has_head(body: &Body) -> bool {
    match body {
        Body::Call(_) | Body::Reasoning(_) => true,
        Body::User(_) | Body::Text(_) | Body::Mark(_) => false,
    }
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Self::Lines(lines) => lines.len(),
            Self::Card(rows) => rows.len(),
            Self::Markdown(growing) => growing.len + usize::from(growing.rest.is_some()),
        }
    }

    fn get(&mut self, row: usize, cx: &LayoutCx<'_>) -> Option<&Line<'static>> {
        match self {
            Self::Lines(lines) => lines.get(row),
            Self::Card(rows) => rows.get(row).map(|row| &row.line),
            Self::Markdown(growing) => growing.row(row, cx),
        }
    }
}

/// Returns true if the text at most became longer since.
fn can_grow(body: &Body, laid: &BlockLayout, key: Key) -> bool {
    let is_text = matches!(body, Body::Text(_)) && matches!(laid.rows, Rows::Markdown(_));
    is_text && laid.key.is_grown(key)
}

fn grow(body: &Body, laid: &mut BlockLayout, key: Key, cx: &LayoutCx<'_>) {
    if let (Body::Text(text), Rows::Markdown(growing)) = (body, &mut laid.rows) {
        growing.follow(text, cx);
        laid.key = key;
    }
}

impl StreamingMarkdown {
    fn row(&mut self, row: usize, cx: &LayoutCx<'_>) -> Option<&Line<'static>> {
        if row == self.len {
            return self.rest.as_ref();
        }
        self.markdown.lines(cx.width, cx.draw.look).get(row)
    }

    fn follow(&mut self, text: &TextBlock, cx: &LayoutCx<'_>) {
        let source = text.source.text();
        let drawn = long_text::drawn(source);
        let missing = &drawn[self.fed..];
        let pushed = &missing[..missing.ceil_char_boundary(long_text::share(cx.share.get(), self.fed))];
        cx.share.set(cx.share.get().saturating_sub(pushed.len()));
        self.markdown.push(pushed);
        self.fed += pushed.len();
        self.is_behind = self.fed < drawn.len();
        if !self.is_behind {
            self.rest = long_text::rest_row(source, cx.width, cx.draw.look);
            if !text.is_open || self.rest.is_some() {
                self.markdown.finish();
            }
        }
        self.len = self.markdown.lines(cx.width, cx.draw.look).len();
    }
}

fn lay_out(
    blocks: &mut [Block],
    index: usize,
    is_unfolded: bool,
    cx: &LayoutCx<'_>,
    pictures: &mut Vec<BlockPicture>,
) -> (Option<CallHeadline>, Rows) {
    if let Body::Call(call) = &blocks[index].body
        && let Group::Leads(_) = &call.group
    {
        let (face, rows) = shared(blocks, call, is_unfolded, cx, pictures);
        return (Some(face), Rows::Card(rows));
    }
    let is_repeat = !is_unfolded && repeat::is_repeat(blocks, index, cx.cards);
    match &mut blocks[index].body {
        Body::User(block) => (None, Rows::Lines(user(block, is_unfolded, cx, pictures))),
        Body::Text(_) if !is_unfolded => (None, Rows::Lines(vec![folded_text(cx)])),
        Body::Text(block) => {
            let mut growing = Box::new(StreamingMarkdown {
                markdown: Markdown::new(),
                fed: 0,
                is_behind: false,
                len: 0,
                rest: None,
            });
            growing.follow(block, cx);
            (None, Rows::Markdown(growing))
        }
        Body::Reasoning(block) if is_unfolded => (None, Rows::Lines(reasoning(block.source.text(), cx))),
        Body::Reasoning(_) => (None, Rows::Lines(Vec::new())),
        Body::Call(call) => {
            let mut card = call.card(
                cx.cards,
                RenderCx {
                    expanded: is_unfolded,
                    shows_todos: cx.draw.shows_todos,
                },
            );
            if is_repeat {
                card = repeat::fold(card);
            }
            call.wants_look = Some(card.look);
            let (inner, rows) = if call.inner.is_empty() {
                let mut rows = headlines::below(&card, call, cx);
                if is_unfolded {
                    pictures::push(call, &card, 0, cx, &mut rows, pictures);
                }
                (Vec::new(), rows)
            } else {
                inside(call, is_unfolded, cx, pictures)
            };
            let face = CallHeadline {
                card,
                shared: None,
                members: Vec::new(),
                inner,
            };
            (Some(face), Rows::Card(rows))
        }
        Body::Mark(Mark::Context(change)) => (None, Rows::Lines(mark::context(change, is_unfolded, cx))),
        Body::Mark(Mark::Standing(notes)) => (None, Rows::Lines(mark::standing(notes, is_unfolded, cx))),
        Body::Mark(mark) => (None, Rows::Lines(mark::rows(mark, cx))),
    }
}

/// Returns the calls inside a call, each with its card, and their rows; the first of each is drawn anew with each frame.
fn inside(
    call: &CallBlock,
    is_unfolded: bool,
    cx: &LayoutCx<'_>,
    pictures: &mut Vec<BlockPicture>,
) -> (Vec<NestedCallHeadline>, Vec<CardRow>) {
    let (mut faces, mut rows) = (Vec::new(), Vec::new());
    let render = RenderCx::new(is_unfolded);
    for inner in &call.inner {
        let card = inner.card(cx.cards, render);
        let row = rows.len();
        rows.push(CardRow::default());
        rows.extend(headlines::inner_below(&card, inner, cx));
        if is_unfolded {
            pictures::push(inner, &card, headlines::STEP, cx, &mut rows, pictures);
        }
        faces.push(NestedCallHeadline { card, row });
    }
    (faces, rows)
}

/// Returns the first row of calls that share one, and what they show below it.
fn shared(
    blocks: &[Block],
    leader: &CallBlock,
    is_unfolded: bool,
    cx: &LayoutCx<'_>,
    pictures: &mut Vec<BlockPicture>,
) -> (CallHeadline, Vec<CardRow>) {
    let calls = || group::calls(blocks, leader);
    let cards = group::cards(calls(), is_unfolded, cx.cards);
    let files = cards.iter().filter(|_| is_unfolded);
    let face = CallHeadline {
        card: group::title(&cards, calls().count(), cx.draw.look.symbols),
        shared: Some(group::status(calls())),
        members: files.filter_map(|card| card.target.clone()).collect(),
        inner: Vec::new(),
    };
    let mut rows = Vec::new();
    if is_unfolded {
        for (call, card) in calls().zip(&cards) {
            rows.push(headlines::card_line(card, call, cx).into());
            rows.extend(headlines::below(card, call, cx));
            pictures::push(call, card, 0, cx, &mut rows, pictures);
        }
    }
    (face, rows)
}

fn reasoning(text: &str, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let mut rows = mark::plain(long_text::drawn(text), cx);
    rows.extend(long_text::rest_row(text, cx.width, cx.draw.look));
    rows
}

/// Returns the rows of what a person said: a bar, the text as it was typed, and what was attached.
fn user(
    block: &UserBlock,
    is_unfolded: bool,
    cx: &LayoutCx<'_>,
    pictures: &mut Vec<BlockPicture>,
) -> Vec<Line<'static>> {
    let look = cx.draw.look;
    let bar = format!("{} ", look.symbols.bar());
    let (accent, muted) = (
        look.theme.style(Meaning::Accent),
        look.theme.style(Meaning::TextMuted),
    );
    let ground = look.theme.style(Meaning::MessageBg);
    let ellipsis = look.symbols.ellipsis();
    let note = |text: &str| cut_line(text, muted, cx.width.saturating_sub(2), ellipsis).spans;
    let mut flow = StyledText::default();
    let text = block.text.trim_end();
    flow.push(long_text::drawn(text), look.theme.style(Meaning::Text));
    let mut rows = flow.rows(cx.width.min(MEASURE).saturating_sub(2));
    if !is_unfolded && rows.len() > USER_ROWS {
        let more = rows.len() - (USER_ROWS - 1);
        rows.truncate(USER_ROWS - 1);
        rows.push(note(&format!("{ellipsis} {more} more lines{}", unfolds(cx))));
    }
    rows.extend(long_text::rest_row(text, cx.width, cx.draw.look).map(|row| row.spans));
    for (nth, file) in block.files.iter().enumerate() {
        let message = block.pictures.as_ref().filter(|_| is_unfolded);
        let fault = message.map_or_else(String::new, |message| pictures::attached_fault(message, nth, cx));
        rows.push(note(&format!("@{}{fault}", file.words)));
        let below = |message| pictures::attached_pictures(message, nth, rows.len(), 2, cx);
        if let Some(picture) = message.and_then(|message| below(message)) {
            rows.extend(picture.kept_rows(cx));
            pictures.push(picture);
        }
    }
    if block.joins_turn {
        rows.push(note("read while the turn ran"));
    }
    let lines = rows.into_iter().map(|mut spans| {
        spans.insert(0, ratatui::text::Span::styled(bar.clone(), accent));
        Line::from(spans).style(ground)
    });
    lines.collect()
}

/// ` · o unfolds`, where there is a key for it.
fn unfolds(cx: &LayoutCx<'_>) -> String {
    match cx.draw.fold_key {
        "" => String::new(),
        key => format!(" {} {key} unfolds", cx.draw.look.symbols.dot()),
    }
}

fn folded_text(cx: &LayoutCx<'_>) -> Line<'static> {
    let look = cx.draw.look;
    let mut flow = StyledText::default();
    flow.push_clean(
        &format!("an incomplete reply, discarded{}", unfolds(cx)),
        look.theme.style(Meaning::TextMuted),
    );
    Line::from(flow.cut(cx.width, look.symbols.ellipsis()))
}
