//! From the text of a patch to its sections.
//!
//! Blanks around a marker, blank lines around the whole, a here-document around it and CRLF are taken; everything else
//! that is not of the format is an error that names its line, because a guess would change files. A line of a chunk
//! that is a marker once its blanks are gone counts as the marker, except an `*** End Patch` before the last line: a file
//! may hold patches.

use super::error::{ParseError, ParseProblem as Problem, QuotedLine};
use super::{Chunk, ChunkLine, Operation, Section};

pub(super) const BEGIN: &str = "*** Begin Patch";
pub(super) const END: &str = "*** End Patch";
pub(super) const END_OF_FILE: &str = "*** End of File";

/// A line that stands on its own and is no content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker<'a> {
    Add(&'a str),
    Delete(&'a str),
    Update(&'a str),
    MoveTo(&'a str),
    EndOfFile,
}

impl<'a> Marker<'a> {
    pub(super) fn of(line: &'a str) -> Option<Self> {
        let line = line.trim();
        let rest = line.strip_prefix("*** ")?;
        let path = |name: &str| rest.strip_prefix(name).map(str::trim);
        path("Add File:")
            .map(Self::Add)
            .or_else(|| path("Delete File:").map(Self::Delete))
            .or_else(|| path("Update File:").map(Self::Update))
            .or_else(|| path("Move to:").map(Self::MoveTo))
            .or_else(|| (line == END_OF_FILE).then_some(Self::EndOfFile))
    }
}

/// Reads a whole patch.
pub fn parse(text: &str) -> Result<Vec<Section<'_>>, ParseError> {
    let envelope = Envelope::find(text)?;
    let mut parser = Parser {
        lines: envelope.lines,
        next: 0,
        first: envelope.first,
    };
    let mut sections = Vec::new();
    while let Some(line) = parser.take() {
        sections.push(parser.section(line)?);
    }
    if sections.is_empty() {
        return Err(parser.error_at(parser.next, Problem::Empty));
    }
    Ok(sections)
}

/// The lines between the first and the last of the patch.
struct Envelope<'a> {
    lines: Vec<&'a str>,
    /// The number of the first of them, 1-based.
    first: usize,
}

impl<'a> Envelope<'a> {
    fn find(text: &'a str) -> Result<Self, ParseError> {
        let all: Vec<&str> = text.lines().collect();
        let error = |index: usize, problem| {
            Err(ParseError {
                line: index + 1,
                problem,
            })
        };
        let is_text = |index: &usize| !all[*index].trim().is_empty();
        let Some(mut begin) = (0..all.len()).find(is_text) else {
            return error(0, Problem::NoBegin(QuotedLine::new("")));
        };
        let mut last = (0..all.len()).rfind(is_text).unwrap_or(begin);
        if is_here_document(all[begin]) && last > begin && all[last].trim() == "EOF" {
            begin = (begin + 1..all.len()).find(is_text).unwrap_or(last);
            last = (0..last).rfind(is_text).unwrap_or(begin);
        }
        if all[begin].trim() != BEGIN {
            return error(begin, fence_or(all[begin], Problem::NoBegin));
        }
        // Lines of content have a sign before them, so this is the end, whatever comes after it.
        let end = (begin..last).find(|&index| all[index].trim_end() == END);
        if let Some(after) = end.and_then(|end| (end + 1..all.len()).find(is_text)) {
            return error(after, fence_or(all[after], Problem::AfterEnd));
        }
        if all[last].trim() != END {
            return error(last, Problem::NoEnd);
        }
        Ok(Self {
            lines: all[begin + 1..last].to_vec(),
            first: begin + 2,
        })
    }
}

fn fence_or(line: &str, otherwise: fn(QuotedLine) -> Problem) -> Problem {
    if line.trim().starts_with("```") {
        Problem::CodeFence
    } else {
        otherwise(QuotedLine::new(line))
    }
}

fn is_here_document(line: &str) -> bool {
    matches!(line.trim(), "<<EOF" | "<<'EOF'" | "<<\"EOF\"")
}

struct Parser<'a> {
    lines: Vec<&'a str>,
    next: usize,
    first: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.next).copied()
    }

    fn take(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.next += 1;
        Some(line)
    }

    fn error_at(&self, index: usize, problem: Problem) -> ParseError {
        ParseError {
            line: self.first + index,
            problem,
        }
    }

    /// An error of the line that was taken last.
    fn error(&self, problem: Problem) -> ParseError {
        self.error_at(self.next.saturating_sub(1), problem)
    }

    /// Tells whether a section's lines end here.
    fn is_at_section(&self) -> bool {
        self.peek().is_none_or(|line| {
            matches!(
                Marker::of(line),
                Some(Marker::Add(_) | Marker::Delete(_) | Marker::Update(_))
            )
        })
    }

    fn section(&mut self, header: &'a str) -> Result<Section<'a>, ParseError> {
        let line = self.first + self.next - 1;
        let (path, operation) = match Marker::of(header) {
            Some(Marker::Add(path)) => (self.path(path)?, self.add()?),
            Some(Marker::Delete(path)) => (self.path(path)?, Operation::Delete),
            Some(Marker::Update(path)) => (self.path(path)?, self.update(path)?),
            Some(Marker::MoveTo(_)) => return Err(self.error(Problem::StrayMove)),
            Some(Marker::EndOfFile) => return Err(self.error(Problem::StrayEndOfFile)),
            None => return Err(self.error(stray(header, Problem::NoSection))),
        };
        Ok(Section {
            path,
            operation,
            line,
        })
    }

    fn path(&self, path: &'a str) -> Result<&'a str, ParseError> {
        if path.is_empty() {
            return Err(self.error(Problem::EmptyPath));
        }
        Ok(path)
    }

    fn add(&mut self) -> Result<Operation<'a>, ParseError> {
        let mut lines = Vec::new();
        while !self.is_at_section() {
            let line = self.take().unwrap_or_default();
            match line.strip_prefix('+') {
                Some(text) => lines.push(text),
                None => return Err(self.error(stray(line, Problem::UnprefixedAdd))),
            }
        }
        Ok(Operation::Add { lines })
    }

    fn update(&mut self, path: &str) -> Result<Operation<'a>, ParseError> {
        let header = self.next;
        let mut move_to = None;
        if let Some(Marker::MoveTo(target)) = self.peek().and_then(Marker::of) {
            self.next += 1;
            move_to = Some(self.path(target)?);
        }
        let mut chunks = Vec::new();
        while !self.is_at_section() {
            let chunk = self.chunk(chunks.last())?;
            chunks.push(chunk);
        }
        if chunks.is_empty() {
            return Err(self.error_at(header - 1, Problem::NoChunk(path.to_owned())));
        }
        Ok(Operation::Update { move_to, chunks })
    }

    fn chunk(&mut self, before: Option<&Chunk<'a>>) -> Result<Chunk<'a>, ParseError> {
        let start = self.next;
        let mut chunk = Chunk {
            line: self.first + start,
            ..Chunk::default()
        };
        match self.peek().map(Header::of) {
            Some(Some(header)) => {
                self.next += 1;
                chunk.header = match header {
                    Header::Bare => None,
                    Header::Line(line) => Some(line),
                    Header::Wrong(problem) => return Err(self.error(problem)),
                };
            }
            // Only the first chunk may begin without the line; later ones end where such a line begins.
            _ if before.is_some() => {
                let line = self.take().unwrap_or_default();
                return Err(self.error(stray(line, Problem::AfterEndOfFile)));
            }
            _ => {}
        }
        while !self.is_at_section() {
            let line = self.peek().unwrap_or_default();
            if Header::of(line).is_some() {
                break;
            }
            self.next += 1;
            match Marker::of(line) {
                Some(Marker::EndOfFile) if chunk.lines.is_empty() => {
                    return Err(self.error(Problem::EmptyChunk));
                }
                Some(Marker::EndOfFile) => {
                    chunk.at_end = true;
                    break;
                }
                Some(Marker::MoveTo(_)) => return Err(self.error(Problem::StrayMove)),
                _ => chunk.lines.push(self.chunk_line(line)?),
            }
        }
        if chunk.lines.is_empty() {
            return Err(match self.peek().map(Header::of) {
                Some(Some(_)) => self.error_at(self.next, Problem::TwoHeaders),
                _ => self.error_at(start, Problem::EmptyChunk),
            });
        }
        Ok(chunk)
    }

    fn chunk_line(&self, line: &'a str) -> Result<ChunkLine<'a>, ParseError> {
        if line.is_empty() {
            return Ok(ChunkLine::Context(line));
        }
        line.strip_prefix(' ')
            .map(ChunkLine::Context)
            .or_else(|| line.strip_prefix('-').map(ChunkLine::Removed))
            .or_else(|| line.strip_prefix('+').map(ChunkLine::Added))
            .ok_or_else(|| self.error(stray(line, Problem::UnprefixedLine)))
    }
}

/// Names what a line is that belongs nowhere, when it is something known.
fn stray(line: &str, otherwise: fn(QuotedLine) -> Problem) -> Problem {
    let trimmed = line.trim();
    if trimmed.starts_with("\\ ") {
        Problem::NoNewlineNote
    } else if trimmed.starts_with("***") {
        Problem::UnknownHeader(QuotedLine::new(line))
    } else {
        fence_or(line, otherwise)
    }
}

/// The line that begins a chunk.
enum Header<'a> {
    Bare,
    Line(&'a str),
    Wrong(Problem),
}

impl<'a> Header<'a> {
    /// Returns `None` for a line that is no such line.
    fn of(line: &'a str) -> Option<Self> {
        let rest = line.trim().strip_prefix("@@")?;
        if !rest.is_empty() && !rest.starts_with(' ') {
            // With a blank before it, it is a line of the file.
            let is_glued = line.starts_with("@@");
            return is_glued.then(|| Self::Wrong(Problem::GluedHeader(QuotedLine::new(line))));
        }
        let header = rest.strip_prefix(' ').unwrap_or(rest);
        Some(if is_line_numbers(header.trim()) {
            Self::Wrong(Problem::LineNumbers)
        } else if header.trim().is_empty() {
            Self::Bare
        } else {
            Self::Line(header)
        })
    }
}

/// Tells whether a header is that of a git hunk: `-1,3 +1,4 @@`.
fn is_line_numbers(header: &str) -> bool {
    let is_range = |word: Option<&str>, sign: char| {
        word.and_then(|word| word.strip_prefix(sign)).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit())
                && rest.chars().all(|c| c.is_ascii_digit() || c == ',')
        })
    };
    let mut words = header.split(' ');
    is_range(words.next(), '-') && is_range(words.next(), '+') && words.next() == Some("@@")
}

#[cfg(test)]
mod tests;
