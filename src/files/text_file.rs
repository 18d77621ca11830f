//! A text file in memory: its bytes, its text as a model sees it, and its bytes after an edit.
//!
//! The text has LF line breaks only and no byte order mark; positions in it are what matching yields. An edit is mapped
//! back to the bytes, so lines that were not edited keep theirs, in files of mixed line endings too. A lone carriage
//! return is a character like any other.
//!
//! Writers open with [`TextFile::open`], which refuses what cannot be edited safely; [`TextFile::read_to_show`] also
//! decodes UTF-16 and shows what is not text as well as it can. Nothing here writes.

use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;

use super::directory::{Directory, read_to_limit};
use super::{ContentHash, FileError, FileProblem};
use crate::regular_file::{ReadError, RegularFile};

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";
/// The largest file that writers take.
const WRITE_LIMIT: u64 = 10 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct TextFile {
    bytes: Vec<u8>,
    text: String,
    encoding: Encoding,
    has_bom: bool,
    /// Offsets of the line breaks in `text`.
    breaks: Vec<usize>,
    /// Those of `breaks` that are `\r\n` in the file.
    crlf: Vec<usize>,
    hash: ContentHash,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Not valid UTF-8: the text has `U+FFFD` where it was not.
    Lossy,
}

impl Encoding {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Lossy => "unknown",
        }
    }
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

/// Edits that do not fit the text: a bug of the caller, not of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    #[error("two replaced spans overlap")]
    Overlap,
    #[error("a replaced span does not lie in the text")]
    Outside,
    #[error("the file is not UTF-8 and was opened for reading only")]
    ReadOnly,
    #[error("it would have more than 10 MiB")]
    TooLarge,
}

impl TextFile {
    /// Opens a file to edit it: a regular file of valid UTF-8, without NUL bytes, of at most 10 MiB.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let bytes = read_regular(path, WRITE_LIMIT)?;
        Self::from_bytes(bytes).map_err(|problem| FileError::new(path, problem))
    }

    /// Opens a file to edit it by its real path: where a part of it is a link by now, nothing is opened.
    pub fn open_real(path: &Path) -> Result<Self, FileError> {
        let failed = |problem| FileError::new(path, problem);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(failed(FileProblem::IsDirectory));
        };
        let directory = Directory::open(parent).map_err(|error| FileError::io(path, error.into()))?;
        let bytes = directory.read(name, WRITE_LIMIT).map_err(failed)?;
        let bytes = bytes.ok_or_else(|| failed(FileProblem::NotFound))?;
        Self::from_bytes(bytes).map_err(failed)
    }

    /// Reads an open file of at most `limit` bytes to show it. Whether it should be shown at all is [`looks_binary`]'s
    /// question.
    pub fn read_to_show(file: &File, limit: u64) -> Result<Self, FileProblem> {
        read_to_limit(file, limit).map(Self::decode)
    }

    /// Takes the bytes of a file that is to be edited.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, FileProblem> {
        if utf16_bom(&bytes).is_some() {
            return Err(FileProblem::Encoding);
        }
        if bytes.contains(&0) {
            return Err(FileProblem::Binary);
        }
        let file = Self::decode(bytes);
        if file.encoding == Encoding::Utf8 {
            Ok(file)
        } else {
            Err(FileProblem::Encoding)
        }
    }

    /// Takes the bytes of a file that is to be shown.
    pub fn decode(bytes: Vec<u8>) -> Self {
        let (encoding, has_bom, text) = if let Some(encoding) = utf16_bom(&bytes) {
            (encoding, true, utf16_text(&bytes[2..], encoding))
        } else {
            let has_bom = bytes.starts_with(UTF8_BOM);
            let content = if has_bom {
                &bytes[UTF8_BOM.len()..]
            } else {
                &bytes[..]
            };
            match std::str::from_utf8(content) {
                Ok(text) => (Encoding::Utf8, has_bom, text.to_owned()),
                Err(_) => (
                    Encoding::Lossy,
                    has_bom,
                    String::from_utf8_lossy(content).into_owned(),
                ),
            }
        };
        let (text, breaks, crlf) = normalised(text);
        let hash = ContentHash::of(&bytes);
        Self {
            bytes,
            text,
            encoding,
            has_bom,
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

    pub fn has_bom(&self) -> bool {
        self.has_bom
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
        if self.encoding != Encoding::Utf8 {
            return Err(SpliceError::ReadOnly);
        }
        let mut edits: Vec<_> = edits.iter().collect();
        edits.sort_by_key(|(span, _)| (span.start, span.end));
        let added: usize = edits.iter().map(|(_, new)| new.as_ref().len()).sum();
        let removed: usize = edits.iter().map(|(span, _)| span.len()).sum();
        // A few edits, each of what the one before it left, may make as much as one likes of a small file.
        if (self.bytes.len() + added).saturating_sub(removed) as u64 > WRITE_LIMIT {
            return Err(SpliceError::TooLarge);
        }
        let mut bytes = Vec::with_capacity(self.bytes.len() + added);
        let mut copied = 0;
        let mut end_before = 0;
        for (span, new) in edits {
            if self.text.get(span.clone()).is_none() {
                return Err(SpliceError::Outside);
            }
            if span.start < end_before {
                return Err(SpliceError::Overlap);
            }
            end_before = span.end;
            bytes.extend_from_slice(&self.bytes[copied..self.raw_offset(span.start)]);
            copied = self.raw_offset(span.end);
            push_text(&mut bytes, new.as_ref(), self.ending_for(span));
        }
        bytes.extend_from_slice(&self.bytes[copied..]);
        Ok(bytes)
    }

    /// Returns the file's bytes with all its content replaced: the byte order mark stays, and a file of CRLF lines gets
    /// CRLF unless `content` has some itself.
    pub fn rewrite(&self, content: &str) -> Vec<u8> {
        let content = content
            .strip_prefix('\u{feff}')
            .filter(|_| self.has_bom)
            .unwrap_or(content);
        let mut bytes = if self.has_bom {
            UTF8_BOM.to_vec()
        } else {
            Vec::new()
        };
        if self.eol() == Eol::Crlf && !content.contains("\r\n") {
            push_text(&mut bytes, content, "\r\n");
        } else {
            bytes.extend_from_slice(content.as_bytes());
        }
        bytes
    }

    /// Maps a position in the text to one in the bytes; the position of a break maps to its first byte.
    fn raw_offset(&self, position: usize) -> usize {
        let bom = if self.has_bom { UTF8_BOM.len() } else { 0 };
        bom + position + self.crlf.partition_point(|&at| at < position)
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

/// Tells whether bytes are better not shown as text: a NUL among the first 4096, or over 30 % control bytes.
pub fn looks_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    if utf16_bom(head).is_some() {
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

fn utf16_bom(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0xff, 0xfe, ..] => Some(Encoding::Utf16Le),
        [0xfe, 0xff, ..] => Some(Encoding::Utf16Be),
        _ => None,
    }
}

fn utf16_text(bytes: &[u8], encoding: Encoding) -> String {
    let unit = |pair: &[u8]| match (encoding, pair) {
        (Encoding::Utf16Be, &[high, low]) => u16::from_be_bytes([high, low]),
        (_, &[low, high]) => u16::from_le_bytes([low, high]),
        // Half a unit at the end of the file is shown as what it is: damage.
        _ => u16::from_be_bytes([0xff, 0xfd]),
    };
    let units = bytes.chunks(2).map(unit);
    char::decode_utf16(units)
        .map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
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

/// Appends text whose breaks, LF or CRLF, all become `ending`.
fn push_text(bytes: &mut Vec<u8>, text: &str, ending: &str) {
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n'));
        bytes.extend_from_slice(content.unwrap_or(line).as_bytes());
        if content.is_some() {
            bytes.extend_from_slice(ending.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use proptest::prelude::*;

    use super::*;
    use crate::conversation::ErrorKind;

    fn file(bytes: &str) -> TextFile {
        TextFile::from_bytes(bytes.as_bytes().to_vec()).unwrap()
    }

    #[track_caller]
    fn check(before: &str, old: &str, new: &str, after: &str) {
        let file = file(before);
        let at = file.text().find(old).unwrap();
        let bytes = file.splice(&[(at..at + old.len(), new.to_owned())]).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), after);
    }

    #[test]
    fn a_new_break_takes_the_ending_of_the_replaced_span() {
        check("a\r\nb\nc\n", "a\n", "x\ny\n", "x\r\ny\r\nb\nc\n");
        check("a\r\nb\nc\n", "b\n", "x\ny\n", "a\r\nx\ny\nc\n");
        check("a\nb\r\nc\nd\n", "a\nb\n", "x\ny\n", "x\ny\nc\nd\n");
    }

    #[test]
    fn a_new_break_takes_the_ending_after_the_replaced_span() {
        check("a\r\nb\nc\n", "a", "x\ny", "x\r\ny\r\nb\nc\n");
        check("a\nfoo bar\r\nc\n", "foo", "x\ny", "a\nx\r\ny bar\r\nc\n");
    }

    #[test]
    fn at_the_end_a_new_break_takes_the_most_frequent_ending() {
        check("a\r\nb\r\nc\nlast", "last", "x\ny", "a\r\nb\r\nc\nx\r\ny");
        check("a\r\nb\nlast", "last", "x\ny", "a\r\nb\nx\ny");
        check("last", "last", "x\ny", "x\ny");
    }

    #[test]
    fn crlf_from_the_model_is_taken_as_lf() {
        check("a\nb\n", "a", "x\r\ny", "x\ny\nb\n");
        check("a\r\nb\r\n", "a\nb", "x\r\ny", "x\r\ny\r\n");
    }

    #[test]
    fn the_byte_order_mark_is_hidden_and_kept() {
        let file = file("\u{feff}a\r\nb");
        assert!(file.has_bom());
        assert_eq!(file.text(), "a\nb");
        assert_eq!(file.splice(&[(0..1, "x")]).unwrap(), "\u{feff}x\r\nb".as_bytes());
        assert_eq!(file.rewrite("1\n2\n"), "\u{feff}1\r\n2\r\n".as_bytes());
        assert_eq!(file.rewrite("\u{feff}1"), "\u{feff}1".as_bytes());
    }

    #[test]
    fn a_crlf_file_is_rewritten_with_crlf_unless_the_content_has_some() {
        assert_eq!(file("a\r\n").rewrite("x\ny\n"), b"x\r\ny\r\n");
        assert_eq!(file("a\r\n").rewrite("x\r\ny\n"), b"x\r\ny\n");
        assert_eq!(file("a\n").rewrite("x\ny\r\n"), b"x\ny\r\n");
        assert_eq!(file("a\r\nb\n").rewrite("x\n"), b"x\n");
    }

    #[test]
    fn the_line_endings_have_a_name() {
        let eol = |text| file(text).eol();
        assert_eq!(
            (eol(""), eol("a"), eol("a\n"), eol("a\rb")),
            (Eol::Lf, Eol::Lf, Eol::Lf, Eol::Lf)
        );
        assert_eq!((eol("a\r\n"), eol("a\r\nb\n")), (Eol::Crlf, Eol::Mixed));
    }

    #[test]
    fn writers_refuse_what_is_not_utf_8_text() {
        let problem = |bytes: &[u8]| TextFile::from_bytes(bytes.to_vec()).unwrap_err();
        assert!(matches!(problem(b"a\0b"), FileProblem::Binary));
        assert!(matches!(problem(b"a\xffb"), FileProblem::Encoding));
        assert!(matches!(problem(b"\xff\xfea\0"), FileProblem::Encoding));
    }

    #[test]
    fn utf_16_is_decoded_for_reading_only() {
        let little = TextFile::decode(b"\xff\xfeh\0\xe9\0\r\0\n\0".to_vec());
        assert_eq!(
            (little.text(), little.encoding(), little.eol()),
            ("hé\n", Encoding::Utf16Le, Eol::Crlf)
        );
        let big = TextFile::decode(b"\xfe\xff\xd8\x3d\xde\x00\0".to_vec());
        assert_eq!((big.text(), big.encoding()), ("😀\u{fffd}", Encoding::Utf16Be));
        assert_eq!(big.splice::<String>(&[]), Err(SpliceError::ReadOnly));
        assert!(!looks_binary(b"\xff\xfeh\0"));
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        let file = file("aé\nb");
        let splice = |spans: &[(usize, usize)]| {
            let edits: Vec<_> = spans
                .iter()
                .map(|&(start, end)| (start..end, String::new()))
                .collect();
            file.splice(&edits)
        };
        assert_eq!(splice(&[(0, 2)]), Err(SpliceError::Outside));
        assert_eq!(splice(&[(4, 9)]), Err(SpliceError::Outside));
        assert_eq!(splice(&[(1, 4), (0, 3)]), Err(SpliceError::Overlap));
        assert_eq!(splice(&[(3, 4), (0, 1)]).unwrap(), "éb".as_bytes());
    }

    #[test]
    fn binary_is_told_from_the_first_bytes() {
        assert!(looks_binary(b"ab\0"));
        assert!(looks_binary(b"\x01\x02ab"));
        assert!(!looks_binary(b"\x1b[31mred text here\n"));
        assert!(!looks_binary(b""));
        let mut late = vec![b'a'; 5000];
        late.push(0);
        assert!(!looks_binary(&late));
        // A NUL counts in the first 4096 bytes, and control bytes count where they are more than 30 % of them.
        for (bytes, is_binary) in [
            ([&[b'a'; 4095][..], b"\0"].concat(), true),
            ([&[b'a'; 4096][..], b"\0"].concat(), false),
            ([[1; 30].as_slice(), &[b'a'; 70]].concat(), false),
            ([[1; 31].as_slice(), &[b'a'; 69]].concat(), true),
        ] {
            assert_eq!(looks_binary(&bytes), is_binary, "{bytes:?}");
        }
        for byte in 1..32 {
            let bytes = [[byte; 31].as_slice(), &[b'a'; 69]].concat();
            assert_eq!(looks_binary(&bytes), !(9..=13).contains(&byte), "{byte}");
        }
    }

    #[test]
    fn what_is_no_file_or_too_large_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let kind = |path: &Path| TextFile::open(path).unwrap_err().kind();
        assert_eq!(kind(dir.path()), ErrorKind::IsDirectory);
        assert_eq!(kind(&dir.path().join("none")), ErrorKind::NotFound);
        let large = dir.path().join("large");
        File::create(&large).unwrap().set_len(WRITE_LIMIT + 1).unwrap();
        assert_eq!(kind(&large), ErrorKind::TooLarge);
        assert_eq!(kind(&large.join("x")), ErrorKind::NotDirectory);
        if cfg!(unix) {
            assert_eq!(kind(Path::new("/dev/zero")), ErrorKind::Io);
        }
    }

    proptest! {
        #[test]
        fn splicing_nothing_gives_the_same_bytes(bytes in "\u{feff}?(a|é|\r|\n|\r\n|b){0,20}") {
            prop_assert_eq!(file(&bytes).splice::<String>(&[]).unwrap(), bytes.into_bytes());
        }

        #[test]
        fn any_bytes_can_be_shown(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let shown = TextFile::decode(bytes.clone());
            prop_assert_eq!(shown.bytes(), &bytes[..]);
            prop_assert!(!shown.text().contains("\r\n") || bytes.windows(3).any(|w| w == b"\r\r\n")
                || shown.encoding() != Encoding::Utf8);
        }

        #[test]
        fn edits_equal_the_same_edits_on_the_text(
            bytes in "\u{feff}?(a|é|b c|\n|\r\n){0,20}",
            edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "(x|ü|\n|\r\n){0,4}"), 1..6),
        ) {
            let mut bytes = bytes.into_bytes();
            for (one, two, new) in edits {
                let file = TextFile::from_bytes(bytes).unwrap();
                let mut model = file.text().to_owned();
                let places: Vec<usize> = (0..=model.len()).filter(|&at| model.is_char_boundary(at)).collect();
                let (one, two) = (*one.get(&places), *two.get(&places));
                let span = one.min(two)..one.max(two);
                model.replace_range(span.clone(), &new.replace("\r\n", "\n"));
                bytes = file.splice(&[(span.clone(), new)]).unwrap();
                let (head, tail) = (file.raw_offset(span.start), file.bytes.len() - file.raw_offset(span.end));
                prop_assert_eq!(&bytes[..head], &file.bytes[..head]);
                prop_assert_eq!(&bytes[bytes.len() - tail..], &file.bytes[file.bytes.len() - tail..]);
                let again = TextFile::from_bytes(bytes.clone()).unwrap();
                prop_assert_eq!(again.text(), model);
                prop_assert_eq!(again.has_bom(), file.has_bom());
            }
        }
    }
}
