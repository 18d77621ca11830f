//! Pictures in blocks: rows that are kept for them, and where they stand on the screen.
//!
//! Each is described by a line. Where the terminal draws pictures, the rows below that line are the picture's, from the size
//! in its header on: nothing moves when it is there. One that turns out to be broken is described as such, and its rows hold
//! a quiet bar until its block has left the screen: then it has none. How a picture is drawn is not known here.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::conversation::{Attachment, CallId, Message, MessageId};
use crate::tui::pictures::{Canvas, Grid, PictureFacts, PicturePlacement};
use crate::view::card::{Card, CardRow};
use crate::view::styled_text::cut_line;
use crate::view::theme::Meaning;

use super::Transcript;
use super::block::Body;
use super::call::CallBlock;
use super::layout::LayoutCx;

/// Columns before a picture, as before a card's body.
const INDENT: usize = 3;

/// A picture that has rows in a block.
#[derive(Debug, Clone)]
pub(super) struct BlockPicture {
    source: PictureSource,
    grid: Grid,
    /// Its first row, below the block's head.
    row: usize,
    column: usize,
    is_broken: bool,
}

/// Source of a picture's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum PictureSource {
    /// In what a call brought, at this place.
    Call(CallId, usize),
    /// Among the files of a person's message.
    File(MessageId, usize),
}

/// A picture on the screen.
#[derive(Debug, Clone)]
pub(super) struct VisiblePicture {
    source: PictureSource,
    place: PicturePlacement,
}

impl PictureSource {
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    fn is_broken(&self, cx: &LayoutCx<'_>) -> bool {
        cx.canvas.is_some_and(|canvas| canvas.has_failed(self.key()))
    }

    /// Returns the end of the line that describes it.
    fn fault(&self, cx: &LayoutCx<'_>) -> String {
        if !self.is_broken(cx) {
            return String::new();
        }
        format!(" {} cannot be drawn", cx.draw.look.symbols.dot())
    }

    /// Returns the bytes where they belong to this block.
    fn data<'a>(&self, body: &'a Body) -> Option<Cow<'a, str>> {
        match (self, body) {
            (Self::Call(id, nth), Body::Call(call)) => {
                let mut calls = std::iter::once(&**call).chain(&call.inner);
                let result = calls.find(|call| call.id == *id)?.result()?;
                Some(Cow::Owned(result.attachments.get(*nth)?.data.clone()))
            }
            (Self::File(id, nth), Body::User(user)) => {
                let message = user.pictures.as_ref().filter(|message| message.id == *id)?;
                Some(Cow::Borrowed(&message.files().nth(*nth)?.data))
            }
            _ => None,
        }
    }
}

/// Adds the pictures that a call brought to its rows; `step` is how far these stand in.
pub(super) fn push(
    call: &CallBlock,
    card: &Card,
    step: usize,
    cx: &LayoutCx<'_>,
    rows: &mut Vec<CardRow>,
    pictures: &mut Vec<BlockPicture>,
) {
    let Some(result) = call.result() else { return };
    let path = card.target.as_ref().map(|target| target.path.as_str());
    let name = path.map_or(call.tool.as_str(), |path| path.rsplit('/').next().unwrap_or(path));
    let look = cx.draw.look;
    let column = INDENT + step;
    let width = (cx.width + cx.left).saturating_sub(column);
    for (nth, Attachment { mime, data }) in result.attachments.iter().enumerate() {
        let Some(facts) = PictureFacts::read(mime, data) else {
            continue;
        };
        let source = PictureSource::Call(call.id.clone(), nth);
        let caption = facts.caption(name, look.symbols) + &source.fault(cx);
        let caption = cut_line(
            &caption,
            look.theme.style(Meaning::TextMuted),
            width,
            look.symbols.ellipsis(),
        );
        rows.push(CardRow::from(caption).shifted(column));
        if let Some(picture) = BlockPicture::fit(source, facts, (rows.len(), column), width, cx) {
            let kept = picture.kept_rows(cx);
            rows.extend(kept.map(|spans| CardRow::from(Line::from(spans)).shifted(column)));
            pictures.push(picture);
        }
    }
}

/// Says of a file of a message that it is no picture, where that is known.
pub(super) fn attached_fault(message: &Message, nth: usize, cx: &LayoutCx<'_>) -> String {
    PictureSource::File(message.id.clone(), nth).fault(cx)
}

/// Returns the picture among the files of a message, where there is one at this place that is drawn from `row` on.
pub(super) fn attached_pictures(
    message: &Message,
    nth: usize,
    row: usize,
    column: usize,
    cx: &LayoutCx<'_>,
) -> Option<BlockPicture> {
    let file = message.files().nth(nth)?;
    let facts = PictureFacts::read(&file.mime, &file.data)?;
    let source = PictureSource::File(message.id.clone(), nth);
    BlockPicture::fit(source, facts, (row, column), cx.width.saturating_sub(column), cx)
}

impl BlockPicture {
    fn fit(
        source: PictureSource,
        facts: PictureFacts,
        (row, column): (usize, usize),
        width: usize,
        cx: &LayoutCx<'_>,
    ) -> Option<Self> {
        let is_broken = source.is_broken(cx);
        if is_broken && !cx.keeps_rows {
            return None;
        }
        let grid = cx.canvas?.fit(facts.size?, width);
        Some(Self {
            source,
            grid,
            row,
            column,
            is_broken,
        })
    }

    /// Returns its rows as they are without it.
    pub(super) fn kept_rows(&self, cx: &LayoutCx<'_>) -> impl Iterator<Item = Vec<Span<'static>>> + use<> {
        let look = cx.draw.look;
        let bar = Span::styled(look.symbols.gap(), look.theme.style(Meaning::TextMuted));
        let row = if self.is_broken { vec![bar] } else { Vec::new() };
        std::iter::repeat_n(row, usize::from(self.grid.rows))
    }

    /// Returns where it stands when these rows of the block, counted below its head, are drawn from `at` down.
    pub(super) fn on_screen(&self, rows: &std::ops::Range<usize>, at: Rect) -> Option<VisiblePicture> {
        let own = self.row..self.row + usize::from(self.grid.rows);
        let shown = own.start.max(rows.start)..own.end.min(rows.end);
        if shown.is_empty() || self.is_broken {
            return None;
        }
        let column = self.column as u16;
        let area = Rect {
            x: at.x + column,
            y: at.y + (shown.start - rows.start) as u16,
            width: self.grid.columns.min(at.width.saturating_sub(column)),
            height: shown.len() as u16,
        };
        Some(VisiblePicture {
            source: self.source.clone(),
            place: PicturePlacement {
                key: self.source.key(),
                grid: self.grid,
                area,
                hidden: (shown.start - own.start) as u16,
            },
        })
    }
}

impl Transcript {
    /// Says how pictures are drawn from the next frame on; `None` where they are not.
    pub(in crate::tui) fn set_canvas(&mut self, canvas: Option<Canvas>) {
        if self.canvas.as_ref().map(Canvas::key) != canvas.as_ref().map(Canvas::key) {
            // Pictures of another size are laid out anew, as at another width.
            self.shown.columns = 0;
        }
        self.canvas = canvas;
    }

    /// Returns where pictures stand in the last frame.
    pub(in crate::tui) fn pictures(&self) -> impl Iterator<Item = PicturePlacement> {
        self.shown.pictures.iter().map(|picture| picture.place)
    }

    /// Returns the bytes, in base64, of a picture in the last frame.
    pub(in crate::tui) fn picture_data(&self, key: u64) -> Option<Cow<'_, str>> {
        let shown = self.shown.pictures.iter();
        let source = &shown.clone().find(|picture| picture.place.key == key)?.source;
        let mut found = self
            .blocks
            .list
            .iter()
            .filter_map(|block| source.data(&block.body));
        found.next()
    }
}
