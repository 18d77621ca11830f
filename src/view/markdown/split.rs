//! Splits Markdown into blocks, line by line as the text streams in.
//!
//! This is not a parser: it finds places at which the text can be cut so that each piece means by itself what it means
//! in the whole, and leaves the pieces to pulldown-cmark. Lists are cut between their items, so that a long list costs no
//! more than its last item. What has no natural end is cut by force once it is long, because every piece that is still
//! open is laid out again with each frame.
//!
//! Where it must guess (lazy continuation lines) it may cut a block in two that `CommonMark` would keep; both halves are
//! still shown.

use std::ops::Range;

use super::line::{self, Fence, Marker, RawEnd};

/// A paragraph is cut at the next line after this many bytes.
const LONG_PARAGRAPH: usize = 8 * 1024;
/// Anything else that is not source is.
const LONG_BLOCK: usize = 64 * 1024;

/// A piece of the text that can be laid out by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) kind: ChunkKind,
    /// Of the source, without blank lines around it.
    pub(super) range: Range<usize>,
    /// True if an empty line stands before it.
    pub(super) is_spaced: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChunkKind {
    /// For the parser; an item of an ordered list brings its number.
    Flow { number: Option<u64> },
    /// Fenced source: the range is that of the lines between the fences.
    Code { language: Range<usize>, indent: usize },
    /// HTML that runs to a mark of its own, shown as it is.
    Raw,
}

/// The state between two lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Splitter {
    open: Option<Open>,
    /// True if a blank line came since the last block.
    is_after_blank: bool,
    /// True if the last block was cut by force and goes on.
    is_cut: bool,
}

#[derive(Debug, Clone)]
struct Open {
    chunk: Chunk,
    block: Block,
}

#[derive(Debug, Clone)]
enum Block {
    Paragraph,
    /// A paragraph whose second line makes it a table.
    Table,
    Quote,
    Indented,
    Item(ListItem),
    Fenced(Fence),
    Raw(RawEnd),
}

#[derive(Debug, Clone)]
struct ListItem {
    marker: Marker,
    number: Option<u64>,
    fence: Option<Fence>,
    has_blank: bool,
}

impl Splitter {
    /// Returns the block that is open.
    pub(super) fn open(&self) -> Option<&Chunk> {
        self.open.as_ref().map(|open| &open.chunk)
    }

    /// Returns the fence that would end the open block.
    pub(super) fn open_fence(&self) -> Option<Fence> {
        match &self.open.as_ref()?.block {
            Block::Fenced(fence) => Some(*fence),
            _ => None,
        }
    }

    /// Takes the next complete line; blocks that it ends go to `done`.
    pub(super) fn feed(&mut self, source: &str, range: Range<usize>, done: &mut Vec<Chunk>) {
        let text = &source[range.clone()];
        let mut sibling = None;
        if let Some(open) = &mut self.open {
            match open.take(text, &range) {
                LineRole::Inside => return,
                LineRole::AsLast => {
                    self.close(done);
                    return;
                }
                LineRole::Not => {
                    sibling = open.item();
                    self.is_cut = open.is_long();
                    self.close(done);
                }
            }
        }
        if line::is_blank(text) {
            self.is_after_blank = true;
            self.is_cut = false;
            return;
        }
        self.begin(text, range, sibling, done);
    }

    /// Ends the open block.
    pub(super) fn close(&mut self, done: &mut Vec<Chunk>) {
        let Some(open) = self.open.take() else { return };
        self.is_after_blank = matches!(&open.block, Block::Item(item) if item.has_blank);
        done.push(open.chunk);
    }

    /// Opens the block that a line begins; `sibling` is the list item before it.
    fn begin(
        &mut self,
        text: &str,
        range: Range<usize>,
        sibling: Option<(Marker, Option<u64>)>,
        done: &mut Vec<Chunk>,
    ) {
        let is_cut = std::mem::take(&mut self.is_cut);
        let flow = ChunkKind::Flow { number: None };
        let (kind, block) = if let Some((fence, info)) = line::opening_fence(text) {
            let language = range.start + info.start..range.start + info.end;
            let indent = fence.indent;
            (ChunkKind::Code { language, indent }, Block::Fenced(fence))
        } else if line::is_rule(text) || line::is_heading(text) {
            // A line of its own: nothing can follow in it.
            self.push_whole(range, done);
            return;
        } else if let Some(end) = line::raw_html(text) {
            if end.is_in(text) {
                self.push_whole(range, done);
                return;
            }
            (ChunkKind::Raw, Block::Raw(end))
        } else if let Some(marker) = line::list_marker(text) {
            let item = ListItem::new(marker, text, sibling);
            let number = item.number;
            (ChunkKind::Flow { number }, Block::Item(item))
        } else if text.trim_start().starts_with('>') && line::indent(text) < 4 {
            (flow, Block::Quote)
        } else if line::indent(text) >= 4 {
            (flow, Block::Indented)
        } else {
            (flow, Block::Paragraph)
        };
        // A list may follow the line that introduces it closely, and a block that was cut goes on.
        let hugs = is_cut || matches!(block, Block::Item(_));
        let is_code = matches!(kind, ChunkKind::Code { .. });
        let body = if is_code {
            range.end + 1..range.end + 1
        } else {
            range
        };
        self.open = Some(Open {
            chunk: Chunk {
                kind,
                range: body,
                is_spaced: self.is_after_blank || !hugs,
            },
            block,
        });
    }

    fn push_whole(&mut self, range: Range<usize>, done: &mut Vec<Chunk>) {
        self.is_after_blank = false;
        done.push(Chunk {
            kind: ChunkKind::Flow { number: None },
            range,
            is_spaced: true,
        });
    }
}

enum LineRole {
    Inside,
    AsLast,
    Not,
}

impl Open {
    fn item(&self) -> Option<(Marker, Option<u64>)> {
        match &self.block {
            Block::Item(item) => Some((item.marker, item.number)),
            _ => None,
        }
    }

    fn is_long(&self) -> bool {
        self.chunk.range.len() > LONG_PARAGRAPH && !matches!(self.block, Block::Fenced(_) | Block::Raw(_))
    }

    fn take(&mut self, text: &str, range: &Range<usize>) -> LineRole {
        let len = self.chunk.range.len();
        let taken = match &mut self.block {
            Block::Fenced(fence) => {
                if fence.is_closed_by(text) {
                    return LineRole::AsLast;
                }
                LineRole::Inside
            }
            Block::Raw(end) if end.is_in(text) => LineRole::AsLast,
            Block::Raw(_) => LineRole::Inside,
            _ if len > LONG_BLOCK => LineRole::Not,
            Block::Item(item) => match item.take(text) {
                LineRole::Inside if line::is_blank(text) && item.fence.is_none() => return LineRole::Inside,
                taken => taken,
            },
            Block::Indented if line::indent(text) < 4 => LineRole::Not,
            _ if line::is_blank(text) => LineRole::Not,
            Block::Paragraph | Block::Quote if line::is_setext(text) => {
                if matches!(self.block, Block::Paragraph) {
                    LineRole::AsLast
                } else {
                    LineRole::Not
                }
            }
            Block::Paragraph if line::is_table_rule(text) => {
                self.block = Block::Table;
                LineRole::Inside
            }
            Block::Paragraph if len > LONG_PARAGRAPH || line::interrupts(text) => LineRole::Not,
            Block::Table if line::interrupts(text) => LineRole::Not,
            Block::Quote if text.trim_start().starts_with('>') => LineRole::Inside,
            Block::Quote if line::interrupts(text) => LineRole::Not,
            Block::Paragraph | Block::Table | Block::Quote | Block::Indented => LineRole::Inside,
        };
        if !matches!(taken, LineRole::Not) {
            self.chunk.range.end = range.end;
        }
        taken
    }
}

impl ListItem {
    /// Items of one list count on from the first, whatever they say themselves.
    fn new(marker: Marker, text: &str, sibling: Option<(Marker, Option<u64>)>) -> Self {
        let rest = text.get(marker.bytes..).unwrap_or("");
        let number = match sibling {
            Some((before, number)) if before.sign == marker.sign => number.map(|number| number + 1),
            _ => marker.number,
        };
        Self {
            number,
            fence: line::opening_fence(rest.trim_start()).map(|(fence, _)| fence),
            has_blank: false,
            marker,
        }
    }

    fn take(&mut self, text: &str) -> LineRole {
        if line::is_blank(text) {
            self.has_blank |= self.fence.is_none();
            return LineRole::Inside;
        }
        let is_inside = line::indent(text) >= self.marker.content;
        if let (Some(fence), true) = (self.fence, is_inside) {
            if fence.is_closed_by(text.trim_start()) {
                self.fence = None;
            }
            return LineRole::Inside;
        }
        self.fence = None;
        if is_inside {
            self.has_blank = false;
            let inner = line::after_markers(text.trim_start());
            self.fence = line::opening_fence(inner).map(|(fence, _)| fence);
            return LineRole::Inside;
        }
        if self.has_blank || line::list_marker(text).is_some() || line::interrupts(text) {
            return LineRole::Not;
        }
        LineRole::Inside
    }
}
