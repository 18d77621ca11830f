//! Text: one pass that hashes, counts and keeps the wanted lines.
//!
//! A file that turns out to be no UTF-8, or is known to be in another encoding, is read again and decoded whole.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek};

use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::window::{BYTE_BUDGET, Window};
use super::{Details, Kind, io_error, open};
use crate::conversation::ErrorKind;
use crate::files::{FileError, Resolved, TextFile};
use crate::text::encoding::{Encoding, Utf8Check};
use crate::text::hashline::{Hash, LineHasher};
use crate::tool::file_encoding::KnownEncoding;
use crate::tool::file_name::one_line;
use crate::tool::{Output, ToolError, plural};

const MAX_LINE_CHARS: usize = 2000;
/// Maximum size of a file that is decoded from another encoding than UTF-8. A larger one is shown as UTF-8, with `U+FFFD` for
/// bytes that are none.
const MAX_DECODED: u64 = 10 * 1024 * 1024;
const CHUNK: usize = 128 * 1024;

/// The lines of a text that are wanted, and how they are shown.
pub(super) struct TextView {
    pub(super) window: Window,
    pub(super) prefix: Prefix,
    pub(super) encoding: KnownEncoding,
}

pub(super) fn read(
    path: &Resolved,
    view: &TextView,
    cancel: &CancellationToken,
) -> Result<Output<Details>, ToolError> {
    let mut file = open(path)?.into_file();
    if matches!(view.encoding, KnownEncoding::Named(_)) {
        return read_decoded(path, file, view);
    }
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut pass = Pass::new(view.window, view.prefix);
    let mut hasher = Sha256::new();
    let mut bom = false;
    let mut valid = Utf8Check::default();
    let mut is_first = true;
    let mut size = 0;
    loop {
        chunk.clear();
        (&mut file)
            .take(CHUNK as u64)
            .read_to_end(&mut chunk)
            .map_err(|error| io_error(path, &error))?;
        if cancel.is_cancelled() {
            let message = format!("reading `{}` was cancelled", path.display);
            return Err(ToolError::new(ErrorKind::Cancelled, message));
        }
        if is_first && Encoding::utf16_of(&chunk).is_some() {
            return read_decoded(path, file, view);
        }
        size += chunk.len() as u64;
        hasher.update(&chunk);
        valid.push(&chunk);
        bom |= is_first && chunk.starts_with(b"\xef\xbb\xbf");
        pass.text(if is_first && bom { &chunk[3..] } else { &chunk });
        is_first = false;
        if chunk.len() < CHUNK {
            break;
        }
    }
    let hash = format!("{:x}", hasher.finalize());
    let is_known = matches!(&view.encoding, KnownEncoding::OfContent(known, _) if *known == hash);
    let is_decoded = !valid.is_valid() || is_known && view.encoding.expected() != Some(Encoding::Utf8);
    if is_decoded && size <= MAX_DECODED {
        return read_decoded(path, file, view);
    }
    let total = pass.finish();
    let details = Details {
        hash,
        bom,
        encoding: if valid.is_valid() { "utf-8" } else { "unknown" }.to_owned(),
        has_broken_bytes: !valid.is_valid(),
        eol: pass.eol().to_owned(),
        ..Details::default()
    };
    answer(path, &pass, total, details)
}

/// Reads a file from its beginning in the encoding that is known, or else in the one that is detected.
fn read_decoded(path: &Resolved, mut file: File, view: &TextView) -> Result<Output<Details>, ToolError> {
    file.rewind().map_err(|error| io_error(path, &error))?;
    let file = TextFile::read_to_show(&file, MAX_DECODED, |hash| view.encoding.of_content(hash))
        .map_err(|problem| FileError::new(&path.display, problem))?;
    let mut pass = Pass::new(view.window, view.prefix);
    pass.text(file.text().as_bytes());
    let total = pass.finish();
    let details = Details {
        hash: file.hash().as_str().to_owned(),
        bom: file.has_bom(),
        encoding: file.encoding().name().to_owned(),
        has_broken_bytes: file.has_loss(),
        eol: file.eol().as_str().to_owned(),
        ..Details::default()
    };
    answer(path, &pass, total, details)
}

fn answer(
    path: &Resolved,
    pass: &Pass,
    total: usize,
    details: Details,
) -> Result<Output<Details>, ToolError> {
    let offset = pass.window.offset;
    if offset > 1 && offset > total {
        let lines = plural(total, "line");
        let message = format!(
            "`offset` {offset} is beyond the end: `{}` has {lines}",
            path.display
        );
        return Err(ToolError::invalid_args(message));
    }
    let end = offset + pass.lines.len() - 1;
    let shown = one_line(&path.display);
    let encoding = details.unusual_encoding();
    let mut text = format!("<path>{shown}</path>\n");
    if let Some(encoding) = &encoding {
        let _ = writeln!(text, "<encoding>{encoding}</encoding>");
    }
    text.push_str("<type>file</type>\n<content>\n");
    for (index, line) in pass.lines.iter().enumerate() {
        let Line { hash, shown } = line;
        let _ = match pass.prefix {
            Prefix::Number => writeln!(text, "{}: {shown}", offset + index),
            Prefix::Tag => writeln!(text, "{}:{hash}|{shown}", offset + index),
        };
    }
    let footer = if total == 0 {
        "(empty file)".to_owned()
    } else if pass.budget_hit {
        let next = end + 1;
        format!("(50 KB limit reached after line {end}; continue with offset={next})")
    } else if end >= total {
        format!("(end of file, {})", plural(total, "line"))
    } else {
        let next = end + 1;
        format!("(lines {offset}-{end} of {total}; continue with offset={next})")
    };
    let blank = if total == 0 { "" } else { "\n" };
    let _ = write!(text, "{blank}{footer}\n</content>");
    let is_empty = total == 0;
    let details = Details {
        path: path.display.clone(),
        kind: Kind::File,
        line_start: if is_empty { 0 } else { offset },
        line_end: if is_empty { 0 } else { end },
        total_lines: Some(total),
        hashline: pass.prefix == Prefix::Tag,
        ..details
    };
    let lines = plural(pass.lines.len(), "line");
    let title = match encoding {
        Some(encoding) => format!("{} · {encoding} · {lines}", path.display),
        None => format!("{} · {lines}", path.display),
    };
    Ok(Output::new(title, text, details))
}

/// The text before a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    Number,
    /// The number and a hash of the whole line, for edits by line.
    Tag,
}

struct Line {
    hash: Hash,
    /// Cut when it is long.
    shown: String,
}

/// The state of one pass over a file.
struct Pass {
    lines: Vec<Line>,
    prefix: Prefix,
    hasher: LineHasher,
    window: Window,
    /// The line being read, from 1.
    number: usize,
    line: Vec<u8>,
    /// Characters of the line that are not kept.
    dropped_chars: usize,
    has_line: bool,
    budget: usize,
    budget_hit: bool,
    crlf: usize,
    breaks: usize,
    last: u8,
}

impl Pass {
    fn new(window: Window, prefix: Prefix) -> Self {
        Self {
            lines: Vec::new(),
            prefix,
            hasher: LineHasher::default(),
            window,
            number: 1,
            line: Vec::new(),
            dropped_chars: 0,
            has_line: false,
            budget: BYTE_BUDGET,
            budget_hit: false,
            crlf: 0,
            breaks: 0,
            last: 0,
        }
    }

    fn eol(&self) -> &'static str {
        match (self.crlf, self.breaks) {
            (0, _) => "lf",
            (crlf, breaks) if crlf == breaks => "crlf",
            _ => "mixed",
        }
    }

    fn is_wanted(&self) -> bool {
        !self.budget_hit && self.window.contains(self.number)
    }

    fn text(&mut self, mut bytes: &[u8]) {
        while let Some(at) = bytes.iter().position(|byte| *byte == b'\n') {
            self.piece(&bytes[..at]);
            self.breaks += 1;
            if (if at > 0 { bytes[at - 1] } else { self.last }) == b'\r' {
                self.crlf += 1;
            }
            self.end_line();
            self.last = b'\n';
            bytes = &bytes[at + 1..];
        }
        self.piece(bytes);
    }

    fn piece(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.last = *last;
        self.has_line = true;
        if !self.is_wanted() {
            return;
        }
        if self.prefix == Prefix::Tag {
            self.hasher.push(bytes);
        }
        // Four bytes a character at most; what is beyond is only counted.
        let room = (MAX_LINE_CHARS * 4 + 8).saturating_sub(self.line.len());
        let (kept, dropped) = bytes.split_at(bytes.len().min(room));
        self.line.extend_from_slice(kept);
        self.dropped_chars += dropped.iter().filter(|byte| (**byte & 0xc0) != 0x80).count();
    }

    fn end_line(&mut self) {
        if self.is_wanted() {
            let shown = self.finish_line();
            let hash = self.hasher.finish();
            if self.budget < shown.len() + 1 {
                self.budget_hit = true;
            } else {
                self.budget -= shown.len() + 1;
                self.lines.push(Line { hash, shown });
            }
        }
        self.line.clear();
        self.dropped_chars = 0;
        self.has_line = false;
        self.number += 1;
    }

    fn finish_line(&self) -> String {
        let bytes = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        let text = String::from_utf8_lossy(bytes);
        // The carriage return of the break is none of the line's characters.
        let dropped_return = usize::from(self.dropped_chars > 0 && self.last == b'\r');
        let length = text.chars().count() + self.dropped_chars - dropped_return;
        if length <= MAX_LINE_CHARS {
            return text.into_owned();
        }
        let kept: String = text.chars().take(MAX_LINE_CHARS).collect();
        format!("{kept}… [+{} characters]", length - MAX_LINE_CHARS)
    }

    /// Ends the last line and returns how many there are.
    fn finish(&mut self) -> usize {
        if self.has_line {
            self.end_line();
        }
        self.number - 1
    }
}
