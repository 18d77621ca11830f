//! Markdown as it streams in.
//!
//! [`Markdown`] keeps the text and what was drawn of it. [`split`] finds blocks that can no longer change; each is parsed
//! and laid out once. Only the open block at the end is drawn again, and of open source only the line that is growing,
//! so that a delta costs the same in the first block and in the ten thousandth. A text pushed in pieces and one pushed
//! whole give the same lines.
//!
//! It draws `CommonMark` with tables, strike-through and task lists. Links show their address, images their
//! description, HTML itself. A reference is resolved within its block only; definitions are shown.

mod code;
mod containers;
mod line;
mod render;
mod split;
mod targets;

use pulldown_cmark::{CodeBlockKind, Event, Options, Tag, TagEnd};
use ratatui::text::Line;

use super::look::{Look, LookKey};
use crate::text::markdown::parse;
use code::{CodeBlock, CodeKind};
use split::{Chunk, ChunkKind, Splitter};
use targets::Targets;

/// Bytes of source in a text after which further blocks of it are plain: a grammar takes some tens of times as long as
/// the layout.
const HIGHLIGHTED: usize = 128 * 1024;

/// A growing text and its lines.
#[derive(Debug, Default)]
pub struct Markdown {
    /// With `\n` as the only line break.
    source: String,
    /// True if the last character was a carriage return, which may be half a line break.
    is_after_return: bool,
    /// The start of the line that is not complete.
    scanned: usize,
    splitter: Splitter,
    /// Blocks that will not change, in order.
    chunks: Vec<Chunk>,
    is_finished: bool,
    drawn: DrawnLines,
}

/// The drawn lines, for one width and look.
#[derive(Debug, Default)]
struct DrawnLines {
    key: Option<(usize, LookKey)>,
    lines: Vec<Line<'static>>,
    /// Lines that will not change.
    stable: usize,
    /// Chunks that are in the stable lines as a whole.
    chunks: usize,
    /// The block of source that comes next, when it was begun.
    code: Option<CodeBlock>,
    /// Bytes of the blocks of source above it that were highlighted.
    highlighted: usize,
    /// Targets of its links.
    targets: Targets,
    /// Nothing came since the lines were drawn.
    is_current: bool,
}

/// Lays out a text that is complete.
pub fn render(text: &str, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let mut markdown = Markdown::new();
    markdown.push(text);
    markdown.finish();
    markdown.lines(width, look);
    markdown.drawn.lines
}

/// Returns the blocks of source that a text holds between fences.
pub fn code_blocks(text: &str) -> Vec<String> {
    let mut markdown = Markdown::new();
    markdown.push(text);
    markdown.finish();
    let mut blocks = Vec::new();
    for chunk in &markdown.chunks {
        let source = &markdown.source
            [chunk.range.start.min(markdown.source.len())..chunk.range.end.min(markdown.source.len())];
        match &chunk.kind {
            ChunkKind::Code { indent, .. } => {
                let lines = source.split_inclusive('\n');
                let mut block: String = lines.map(|line| code::without_indent(line, *indent)).collect();
                if !block.is_empty() && !block.ends_with('\n') {
                    block.push('\n');
                }
                blocks.push(block);
            }
            ChunkKind::Flow { .. } => push_code_blocks(source, &mut blocks),
            ChunkKind::Raw => {}
        }
    }
    blocks
}

/// Adds the blocks of source that are inside quotes and lists.
fn push_code_blocks(text: &str, blocks: &mut Vec<String>) {
    let mut open: Option<String> = None;
    for event in parse(text, Options::empty()).into_iter().flatten() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => open = Some(String::new()),
            Event::Text(text) => open.iter_mut().for_each(|block| block.push_str(&text)),
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
}

impl Markdown {
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends what came.
    pub fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.append(text);
        self.is_finished = false;
        self.drawn.is_current = false;
        while let Some((range, next)) = line::next_line(&self.source, self.scanned) {
            self.splitter.feed(&self.source, range, &mut self.chunks);
            self.scanned = next;
        }
    }

    /// Says that nothing more comes: the last line is complete. What is pushed all the same begins a line.
    pub fn finish(&mut self) {
        if self.scanned < self.source.len() {
            let range = self.scanned..self.source.len();
            self.splitter.feed(&self.source, range, &mut self.chunks);
            self.scanned = self.source.len();
        }
        self.splitter.close(&mut self.chunks);
        self.is_finished = true;
        self.drawn.is_current = false;
    }

    /// Draws what is new and returns all lines, none wider than `width` (0 counts as 1).
    pub fn lines(&mut self, width: usize, look: Look<'_>) -> &[Line<'static>] {
        let width = width.max(1);
        let key = Some((width, look.key()));
        if self.drawn.key != key {
            self.drawn = DrawnLines {
                key,
                ..DrawnLines::default()
            };
        }
        if !self.drawn.is_current {
            self.draw(width, look);
            self.drawn.is_current = true;
        }
        &self.drawn.lines
    }

    /// Returns where the links of the lines last returned lead, each once.
    pub fn targets(&self) -> &[String] {
        self.drawn.targets.list()
    }

    /// Returns how many of the lines last returned will stay as they are while text is appended.
    pub fn stable_lines(&self) -> usize {
        self.drawn.stable
    }

    /// Appends with every line break as `\n`.
    fn append(&mut self, text: &str) {
        let half = self.is_after_return && text.starts_with('\n');
        let text = if half { &text[1..] } else { text };
        self.is_after_return = text.ends_with('\r');
        if text.contains('\r') {
            self.source
                .push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
        } else {
            self.source.push_str(text);
        }
    }

    fn draw(&mut self, width: usize, look: Look<'_>) {
        let drawn = &mut self.drawn;
        drawn.lines.truncate(drawn.stable);
        while let Some(chunk) = self.chunks.get(drawn.chunks) {
            drawn.push_chunk(&self.source, chunk, width, look);
            if drawn.code.take().is_some() {
                drawn.highlighted += chunk.range.len();
            }
            drawn.chunks += 1;
        }
        if let Some(open) = self.splitter.open().filter(|open| !open.is_flow()) {
            drawn.push_chunk(&self.source, open, width, look);
        }
        drawn.stable = drawn.lines.len();
        let code = drawn.code.clone();
        for chunk in self.tail() {
            match self.open_table(&chunk) {
                Some(table) => self.drawn.push_flow(&table, None, chunk.is_spaced, width, look),
                None => self.drawn.push_chunk(&self.source, &chunk, width, look),
            }
            self.drawn.code = None;
        }
        self.drawn.code = code;
    }

    /// Returns the blocks after the stable ones, as they would be if the text ended here.
    fn tail(&self) -> Vec<Chunk> {
        let mut splitter = self.splitter.clone();
        let mut chunks = Vec::new();
        let partial = self.scanned..self.source.len();
        if !partial.is_empty() && !self.is_undecided(&self.source[partial.clone()]) {
            splitter.feed(&self.source, partial, &mut chunks);
        }
        splitter.close(&mut chunks);
        chunks
    }

    /// Returns what is drawn for the first line of a table, which is text as long as the second is not there: its signs
    /// would show and then go.
    fn open_table(&self, chunk: &Chunk) -> Option<String> {
        let is_growing = chunk.range.end == self.source.len();
        let is_last = is_growing || self.is_undecided(&self.source[self.scanned..]);
        if !chunk.is_flow() || !is_last {
            return None;
        }
        let table = line::open_table(&self.source[chunk.range.clone()], is_growing)?;
        render::is_table(&table).then_some(table)
    }

    /// Returns true if an unfinished line is nothing yet but may become a mark, so that drawing it would make the text
    /// jump.
    fn is_undecided(&self, partial: &str) -> bool {
        if let Some(fence) = self.splitter.open_fence() {
            return fence.may_be_closed_by(partial);
        }
        let is_mark = |c: char| c.is_ascii_digit() || " \t-=*+#>|`~_.)".contains(c);
        partial.len() <= 8 && partial.chars().all(is_mark)
    }
}

impl Chunk {
    fn is_flow(&self) -> bool {
        matches!(self.kind, ChunkKind::Flow { .. })
    }
}

impl DrawnLines {
    /// Draws a block, or of a block of source that was begun what is new in it.
    fn push_chunk(&mut self, source: &str, chunk: &Chunk, width: usize, look: Look<'_>) {
        let gap = chunk.is_spaced && !self.lines.is_empty();
        if let ChunkKind::Flow { number } = chunk.kind {
            let text = &source[chunk.range.clone()];
            return self.push_flow(text, number, chunk.is_spaced, width, look);
        }
        let mut block = match self.code.take() {
            Some(block) => block,
            None => self.begin_code(source, chunk, gap, width, look),
        };
        block.advance(source, &chunk.range, width, look, &mut self.lines);
        self.code = Some(block);
    }

    /// Draws text; nothing stands before what turns out to be empty.
    fn push_flow(&mut self, text: &str, number: Option<u64>, is_spaced: bool, width: usize, look: Look<'_>) {
        let before = self.lines.len();
        if is_spaced && before > 0 {
            self.lines.push(Line::default());
        }
        let start = self.lines.len();
        render::render(text, number, width, look, &mut self.lines, &mut self.targets);
        if self.lines.len() == start {
            self.lines.truncate(before);
        }
    }

    fn begin_code(
        &mut self,
        source: &str,
        chunk: &Chunk,
        gap: bool,
        width: usize,
        look: Look<'_>,
    ) -> CodeBlock {
        if gap {
            self.lines.push(Line::default());
        }
        let at = chunk.range.start;
        let ChunkKind::Code { language, indent } = &chunk.kind else {
            return CodeBlock::new("", CodeKind::Html, at, look);
        };
        let language = &source[language.clone()];
        self.lines.push(code::rule(language, width, look));
        let is_plain = self.highlighted > HIGHLIGHTED;
        let language = if is_plain { "" } else { language };
        CodeBlock::new(language, CodeKind::Fenced { indent: *indent }, at, look)
    }
}

#[cfg(test)]
mod tests;
