//! The text of a PDF, for models that take none.
//!
//! A PDF comes from anywhere, and what reads its text may panic, recurse without end or ask for all of the memory on one
//! that was made for it. No thread can be saved from the last two, so the text is read by lathe's own binary, run once
//! more ([`WORD`], [`run`]) with limits for time, memory and output: whatever becomes of that process, this one learns
//! of it by a [`PdfError`].

mod extract;
#[cfg(test)]
pub(crate) mod sample;

pub use extract::run;

use std::io;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::process::{OwnBinary, PipedOutcome};

/// The first word of lathe's command line that makes it read the text of a PDF.
pub const WORD: &str = "__pdf-text";
/// How long reading may take. A book of a thousand pages takes a few seconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// Memory of the process that reads.
const MOST_MEMORY: u64 = 512 << 20;
/// Exit status of the process that found a reason why there is no text.
const REFUSED: u8 = 3;
/// Room for the first line and the notes about pages.
const ROOM: usize = 64 * 1024;

/// The text of a PDF, each page below a line with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfText {
    pub text: String,
    pub pages: usize,
    /// Pages from the first one whose text there was room for.
    pub read: usize,
}

/// Why there is no text, as the end of a sentence about the PDF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    #[error("it is encrypted with a password")]
    Encrypted,
    /// Scanned pages, as a rule.
    #[error("it holds no text, only pictures of it or nothing at all")]
    NoText,
    #[error("it is broken: {0}")]
    Broken(String),
    #[error("reading its text took more than {} s and was stopped", PATIENCE.as_secs())]
    TooLong,
    #[error("reading its text took more than {} MiB of memory and was stopped", MOST_MEMORY >> 20)]
    TooLarge,
    #[error("what reads its text failed on it and was stopped")]
    Failed,
    #[error("reading its text was cancelled")]
    Cancelled,
    #[error("its text could not be read: {0}")]
    System(String),
}

impl From<io::Error> for PdfError {
    fn from(error: io::Error) -> Self {
        Self::System(error.to_string())
    }
}

/// Reads the text of a PDF, about `limit` bytes of it. Must be called within a runtime.
pub async fn text(bytes: Vec<u8>, limit: usize, cancel: &CancellationToken) -> Result<PdfText, PdfError> {
    let reader = OwnBinary {
        words: vec![WORD.into(), limit.to_string().into()],
        input: bytes,
        keep: limit.saturating_add(ROOM),
    };
    understood(&reader.run(PATIENCE, cancel).await?)
}

/// Reads what became of the process.
fn understood(ended: &PipedOutcome) -> Result<PdfText, PdfError> {
    if ended.outcome.cancelled {
        return Err(PdfError::Cancelled);
    }
    if ended.outcome.timed_out {
        return Err(PdfError::TooLong);
    }
    let said = String::from_utf8_lossy(&ended.stderr.bytes);
    match ended.outcome.exit {
        Some(0) => parse(&String::from_utf8_lossy(&ended.stdout.bytes)).ok_or(PdfError::Failed),
        Some(status) if status == i32::from(REFUSED) => Err(extract::reason(said.trim())),
        _ if said.contains("memory allocation of") => Err(PdfError::TooLarge),
        _ => Err(PdfError::Failed),
    }
}

/// Reads what [`extract`] printed.
fn parse(printed: &str) -> Option<PdfText> {
    let (numbers, text) = printed.split_once('\n')?;
    let (pages, read) = numbers.split_once(' ')?;
    Some(PdfText {
        text: text.to_owned(),
        pages: pages.parse().ok()?,
        read: read.parse().ok()?,
    })
}
