//! A text file in memory: its bytes, its text as a model sees it, and its bytes after an edit.
//!
//! The text has LF line breaks only and no byte order mark; positions in it are what matching yields. An edit is mapped
//! back to the bytes, so what was not edited keeps them: in files of mixed line endings, in every encoding, and where bytes
//! do not decode. New text is written in the file's own encoding. A lone carriage return is a character like any other.
//!
//! Writers open with [`TextFile::open`], which refuses binary files; [`TextFile::read_to_show`] shows those as well as it
//! can. Nothing here writes.

use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;

use super::directory::{Directory, read_to_limit};
use super::{ContentHash, FileError, FileProblem};
use crate::regular_file::{ReadError, RegularFile};
use crate::text::encoding::{ByteOffsets, Decoded, Encoding, UnencodableChar};

/// The largest file that writers take.
const WRITE_LIMIT: u64 = 10 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct TextFile {
    bytes: Vec<u8>,
    text: String,
    encoding: Encoding,
    /// Length of the byte order mark.
    mark: usize,
    /// Maps positions in the decoded text, whose line breaks are those of the file, to positions in the bytes after the mark.
    offsets: ByteOffsets,
    /// Some bytes did not decode.
    has_loss: bool,
    /// Offsets of the line breaks in `text`.
    breaks: Vec<usize>,
    /// Those of `breaks` that are `\r\n` in the file.
    crlf: Vec<usize>,
    hash: ContentHash,
}

/// The line endings of a file. One without line breaks counts as LF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Eol {
    Lf,
    Crlf,
    Mixed,
}

impl Eol {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Problem with edits of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// A bug of the caller.
    #[error("two replaced spans overlap")]
    Overlap,
    /// A bug of the caller.
    #[error("a replaced span does not lie in the text")]
    Outside,
    #[error("it would have more than 10 MiB")]
    TooLarge,
    #[error(transparent)]
    Unencodable(#[from] UnencodableChar),
    /// The replaced text has bytes that it does not show.
    #[error("the text to replace has bytes that are not valid {}, shown as `\u{fffd}`", .0.name())]
    Undecodable(Encoding),
    /// Read again, the file would have other text beside the edit.
    #[error("it would run together with bytes beside it that are not valid {}", .0.name())]
    Merged(Encoding),
}

impl TextFile {
    /// Opens a file to edit it: a regular file of text in any encoding, of at most 10 MiB.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let bytes = read_regular(path, WRITE_LIMIT)?;
        Self::from_bytes(bytes).map_err(|problem| FileError::new(path, problem))
    }

    /// Opens a file to edit it by its real path: where a part of it is a link by now, nothing is opened.
    pub fn open_real(path: &Path) -> Result<Self, FileError> {
        Self::open_real_in(path, |_| None)
    }

    /// Like [`Self::open_real`], in the encoding that is known for a content with this hash. Without one it is detected.
    pub fn open_real_in(
        path: &Path,
        known: impl FnOnce(&ContentHash) -> Option<Encoding>,
    ) -> Result<Self, FileError> {
        let failed = |problem| FileError::new(path, problem);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(failed(FileProblem::IsDirectory));
        };
        let directory = Directory::open(parent).map_err(|error| FileError::io(path, error.into()))?;
        let bytes = directory.read(name, WRITE_LIMIT).map_err(failed)?;
        let bytes = bytes.ok_or_else(|| failed(FileProblem::NotFound))?;
        Self::from_bytes_in(bytes, known).map_err(failed)
    }

    /// Reads an open file of at most `limit` bytes to show it, in the encoding that is known for a content with this hash or
    /// else in the one that is detected. Whether it should be shown at all is [`looks_binary`]'s question.
    pub fn read_to_show(
        file: &File,
        limit: u64,
        known: impl FnOnce(&ContentHash) -> Option<Encoding>,
    ) -> Result<Self, FileProblem> {
        let bytes = read_to_limit(file, limit)?;
        let hash = ContentHash::of(&bytes);
        let encoding = known_or_detected(known(&hash), &bytes);
        Ok(Self::of_hashed(bytes, hash, encoding))
    }

    /// Takes the bytes of a file that is to be edited. With NUL bytes outside of UTF-16 it is no text.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, FileProblem> {
        Self::from_bytes_in(bytes, |_| None)
    }

    fn from_bytes_in(
        bytes: Vec<u8>,
        known: impl FnOnce(&ContentHash) -> Option<Encoding>,
    ) -> Result<Self, FileProblem> {
        let hash = ContentHash::of(&bytes);
        let encoding = known_or_detected(known(&hash), &bytes);
        if !encoding.is_utf16() && bytes.contains(&0) {
            return Err(FileProblem::Binary);
        }
        Ok(Self::of_hashed(bytes, hash, encoding))
    }

    /// Takes the bytes of a file that is to be shown.
    pub fn decode(bytes: Vec<u8>) -> Self {
        let encoding = Encoding::of(&bytes);
        Self::decoded(bytes, encoding)
    }

    /// Makes a file that is not there yet, which is UTF-8.
    pub fn new_file(text: String) -> Self {
        Self::decoded(text.into_bytes(), Encoding::Utf8)
    }

    /// Makes a file that is not there yet in an encoding. UTF-16 begins with a byte order mark.
    pub fn new_file_in(text: &str, encoding: Encoding) -> Result<Self, SpliceError> {
        let mark: &[u8] = if encoding.is_utf16() { encoding.mark() } else { b"" };
        let text = text
            .strip_prefix('\u{feff}')
            .filter(|_| !mark.is_empty())
            .unwrap_or(text);
        let bytes = [mark, &encoding.encode(text)?].concat();
        Ok(Self::decoded(bytes, encoding))
    }

    /// Returns the same file with other bytes, in the same encoding.
    #[must_use]
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        Self::decoded(bytes, self.encoding)
    }

    fn decoded(bytes: Vec<u8>, encoding: Encoding) -> Self {
        let hash = ContentHash::of(&bytes);
        Self::of_hashed(bytes, hash, encoding)
    }

    fn of_hashed(bytes: Vec<u8>, hash: ContentHash, encoding: Encoding) -> Self {
        let has_mark = bytes.starts_with(encoding.mark());
        let mark = if has_mark { encoding.mark().len() } else { 0 };
        let Decoded {
            text,
            offsets,
            has_loss,
        } = encoding.decode(&bytes[mark..]);
        let (text, breaks, crlf) = normalised(text);
        Self {
            bytes,
            text,
            encoding,
            mark,
            offsets,
            has_loss,
            breaks,
            crlf,
            hash,
        }
    }

    /// The text with LF line breaks and without byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes as they are on disk.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The hash of the bytes on disk.
    pub fn hash(&self) -> &ContentHash {
        &self.hash
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns true if some bytes did not decode; the text has `U+FFFD` in their place.
    pub fn has_loss(&self) -> bool {
        self.has_loss
    }

    pub fn has_bom(&self) -> bool {
        self.mark > 0
    }

    pub fn eol(&self) -> Eol {
        match self.crlf.len() {
            0 => Eol::Lf,
            all if all == self.breaks.len() => Eol::Crlf,
            _ => Eol::Mixed,
        }
    }

    /// Returns the file's bytes with spans of the text replaced, in any order but not overlapping.
    ///
    /// Line breaks of a replacement are taken as LF and written with the ending of the first break inside or after the
    /// replaced span, else with the one that is most frequent in the file.
    pub fn splice<S: AsRef<str>>(&self, edits: &[(Range<usize>, S)]) -> Result<Vec<u8>, SpliceError> {
        let mut edits: Vec<_> = edits.iter().collect();
        edits.sort_by_key(|(span, _)| (span.start, span.end));
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut copied = 0;
        let mut end_before = 0;
        for (span, new) in &edits {
            if self.text.get(span.clone()).is_none() {
                return Err(SpliceError::Outside);
            }
            if span.start < end_before {
                return Err(SpliceError::Overlap);
            }
            end_before = span.end;
            let (span, new) = self.replacement(span, new.as_ref())?;
            bytes.extend_from_slice(&self.bytes[copied..self.raw_offset(span.start)]);
            copied = self.raw_offset(span.end);
            bytes.extend_from_slice(&new);
            check_size(&bytes)?;
        }
        bytes.extend_from_slice(&self.bytes[copied..]);
        check_size(&bytes)?;
        self.check_text(&bytes, &edits)?;
        Ok(bytes)
    }

    /// Returns the file's bytes with all its content replaced: encoding and byte order mark stay, and a file of CRLF lines
    /// gets CRLF where [`Self::keeps_crlf`].
    pub fn rewrite(&self, content: &str) -> Result<Vec<u8>, SpliceError> {
        let content = content
            .strip_prefix('\u{feff}')
            .filter(|_| self.has_bom())
            .unwrap_or(content);
        let content = if self.keeps_crlf(content) {
            self.encoding.encode(&content.replace('\n', "\r\n"))?
        } else {
            self.encoding.encode(content)?
        };
        Ok([&self.bytes[..self.mark], &content].concat())
    }

    /// Returns the file with all its content replaced and in an encoding that was named: its own, as [`Self::rewrite`] does
    /// it, or another one, which takes only the kind of line breaks from it.
    pub fn rewritten_in(&self, content: &str, encoding: Encoding) -> Result<Self, SpliceError> {
        let encoding = encoding.ordered_by_mark(&self.bytes);
        if encoding == self.encoding {
            return Ok(self.with_bytes(self.rewrite(content)?));
        }
        if self.keeps_crlf(content) {
            Self::new_file_in(&content.replace('\n', "\r\n"), encoding)
        } else {
            Self::new_file_in(content, encoding)
        }
    }

    /// Returns true if [`Self::rewrite`] writes the line breaks of `content` as CRLF: those of the file are, and `content`
    /// has none itself.
    pub fn keeps_crlf(&self, content: &str) -> bool {
        self.eol() == Eol::Crlf && !content.contains("\r\n")
    }

    /// Returns what is replaced, and the bytes that take its place.
    fn replacement(&self, span: &Range<usize>, new: &str) -> Result<(Range<usize>, Vec<u8>), SpliceError> {
        let ending = self.ending_for(span);
        let new = new.replace("\r\n", "\n");
        let (mut span, mut put) = (span.clone(), 0..new.len());
        if self.has_loss {
            // What the new text repeats of the old keeps its bytes, of which the text may not tell.
            let (old_part, new_part) = changed_parts(&self.text[span.clone()], &new);
            span = span.start + old_part.start..span.start + old_part.end;
            put = new_part;
            if self.text[span.clone()].contains(char::REPLACEMENT_CHARACTER) {
                return Err(SpliceError::Undecodable(self.encoding));
            }
        }
        let bytes = match ending {
            "\n" => self.encoding.encode(&new[put])?,
            ending => self.encoding.encode(&new[put].replace('\n', ending))?,
        };
        Ok((span, bytes))
    }

    /// Checks that new bytes decode to the text with the edits made, where new text could join with what is beside it.
    fn check_text<S: AsRef<str>>(
        &self,
        bytes: &[u8],
        edits: &[&(Range<usize>, S)],
    ) -> Result<(), SpliceError> {
        if !self.has_loss && !matches!(self.encoding, Encoding::Legacy(_)) {
            return Ok(());
        }
        let mut expected = String::with_capacity(bytes.len());
        let mut copied = 0;
        for (span, new) in edits {
            expected.push_str(&self.text[copied..span.start]);
            expected.push_str(new.as_ref());
            copied = span.end;
        }
        expected.push_str(&self.text[copied..]);
        let decoded = self.encoding.decode(&bytes[self.mark..]).text;
        let without_returns = |text: &str| text.replace('\r', "");
        if without_returns(&decoded) == without_returns(&expected) {
            Ok(())
        } else {
            Err(SpliceError::Merged(self.encoding))
        }
    }

    /// Maps a position in the text to one in the bytes; the position of a break maps to its first byte.
    fn raw_offset(&self, position: usize) -> usize {
        let returns = self.crlf.partition_point(|&at| at < position);
        self.mark + self.offsets.byte_of(position + returns)
    }

    fn ending_for(&self, span: &Range<usize>) -> &'static str {
        let next = self
            .breaks
            .get(self.breaks.partition_point(|&at| at < span.start));
        let is_crlf = match next {
            Some(at) => self.crlf.binary_search(at).is_ok(),
            None => self.crlf.len() * 2 > self.breaks.len(),
        };
        if is_crlf { "\r\n" } else { "\n" }
    }
}

fn known_or_detected(known: Option<Encoding>, bytes: &[u8]) -> Encoding {
    match known {
        Some(encoding) => encoding.ordered_by_mark(bytes),
        None => Encoding::of(bytes),
    }
}

/// Tells whether bytes are better not shown as text: a NUL among the first 4096, or over 30 % control bytes.
pub fn looks_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    if Encoding::utf16_of(head).is_some() {
        return false;
    }
    let control = head
        .iter()
        .filter(|&&byte| byte < 9 || (14..32).contains(&byte))
        .count();
    head.contains(&0) || control * 10 > head.len() * 3
}

/// Reads a whole file. Directories, devices, pipes and sockets are refused before they are opened: opening alone can
/// block or do something.
fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let metadata = fs::metadata(path).map_err(|error| FileError::io(path, error))?;
    if metadata.is_dir() {
        return Err(FileError::new(path, FileProblem::IsDirectory));
    }
    if !metadata.is_file() {
        return Err(FileError::new(path, FileProblem::NotRegular));
    }
    let file = RegularFile::open(path).map_err(|error| match error {
        ReadError::NotRegular => FileError::new(path, FileProblem::NotRegular),
        error => FileError::io(path, error.into()),
    })?;
    read_to_limit(&file.into_file(), limit).map_err(|problem| FileError::new(path, problem))
}

/// Returns the text with LF breaks, where its breaks are, and which of them were CRLF.
fn normalised(raw: String) -> (String, Vec<usize>, Vec<usize>) {
    if !raw.contains("\r\n") {
        let breaks = raw.match_indices('\n').map(|(at, _)| at).collect();
        return (raw, breaks, Vec::new());
    }
    let (mut text, mut breaks, mut crlf) = (String::with_capacity(raw.len()), Vec::new(), Vec::new());
    for line in raw.split_inclusive('\n') {
        match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
            (Some(content), _) => {
                text.push_str(content);
                breaks.push(text.len());
                crlf.push(text.len());
                text.push('\n');
            }
            (None, Some(content)) => {
                breaks.push(text.len() + content.len());
                text.push_str(line);
            }
            (None, None) => text.push_str(line),
        }
    }
    (text, breaks, crlf)
}

/// Returns the parts of two texts that differ: what is between their equal beginnings and their equal ends.
fn changed_parts(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let is_same = |(one, two): &(char, char)| one == two;
    let length = |(c, _): (char, char)| c.len_utf8();
    let beginnings = old.chars().zip(new.chars());
    let start: usize = beginnings.take_while(is_same).map(length).sum();
    let ends = old[start..].chars().rev().zip(new[start..].chars().rev());
    let end: usize = ends.take_while(is_same).map(length).sum();
    (start..old.len() - end, start..new.len() - end)
}

/// A few edits, each of what the one before it left, may make as much as one likes of a small file.
fn check_size(bytes: &[u8]) -> Result<(), SpliceError> {
    if bytes.len() as u64 > WRITE_LIMIT {
        return Err(SpliceError::TooLarge);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
