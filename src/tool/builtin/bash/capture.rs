//! The output of a command on its way into the result.
//!
//! Four things are made of the bytes as they arrive: the end of the decoded text, for the model; all raw bytes, in
//! memory while they are few and in a file from then on; what is due to be shown live; and how the last lines looked, for
//! the eye alone. Each is bounded, so a command that prints for ever costs disk and no memory. The file stays only when
//! the text had to be cut.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use super::output_styles::{LineRun, OutputStyles};
use crate::conversation::CallId;
use crate::store::{OutputFile, Outputs};
use crate::text::sanitize::{OutputDecoder, StyledOutput};
use crate::text::truncate::{Keep, OmittedAmount, SizeLimits, Truncation, by_size, note};
use crate::tool::truncate::not_kept;

/// Raw bytes that are kept in memory before there is a file.
const RAW_IN_MEMORY: usize = 256 * 1024;
/// Decoded text that is kept at most, where the settings set no limit.
const MOST_TEXT: usize = 8 * 1024 * 1024;
/// Shown between two updates at most: a screen shows the last lines only.
const MOST_LIVE: usize = 64 * 1024;
/// Of a line without end, this much is shown live.
const MOST_PENDING: usize = 1024;

pub(super) struct Capture {
    decoder: OutputDecoder,
    tail: OutputTail,
    raw: RawBytes,
    live: UnshownOutput,
    output_styles: OutputStyles,
    bytes: u64,
    limits: SizeLimits,
    outputs: Outputs,
    call: CallId,
}

/// The output of a command that has ended.
pub(super) struct CapturedOutput {
    /// The output for the model, without a final line break; empty when there was none.
    pub(super) text: String,
    /// Set when `text` is not all: what stands before it.
    pub(super) note: Option<String>,
    /// The file with all of it.
    pub(super) path: Option<PathBuf>,
    /// The number of the first line of `text`, counted from 1.
    pub(super) first_line: u64,
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// How `text` looked, as far as it was not plain.
    pub(super) runs: Vec<LineRun>,
}

/// Output that is to be shown now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OutputUpdate {
    /// Whole lines since the last time.
    pub(super) delta: String,
    /// The unfinished line as it looks now.
    pub(super) pending: String,
    /// How many lines there were until now. It never falls. The unfinished one has this number.
    pub(super) lines: u64,
    /// How the last lines look, and the unfinished one.
    pub(super) runs: Vec<LineRun>,
}

impl Capture {
    pub(super) fn new(limits: SizeLimits, outputs: Outputs, call: CallId) -> Self {
        let bounded = |limit: usize| {
            if limit == 0 {
                MOST_TEXT
            } else {
                limit.min(MOST_TEXT)
            }
        };
        let limits = SizeLimits {
            max_bytes: bounded(limits.max_bytes),
            ..limits
        };
        Self {
            decoder: OutputDecoder::new(),
            tail: OutputTail::new(limits.max_bytes),
            raw: RawBytes::Memory(Vec::new()),
            live: UnshownOutput::default(),
            output_styles: OutputStyles::default(),
            bytes: 0,
            limits,
            outputs,
            call,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.raw.push(bytes, &self.outputs, &self.call);
        let decoded = self.decoder.push(bytes);
        self.take(&decoded);
    }

    fn take(&mut self, StyledOutput { text, runs }: &StyledOutput) {
        if !runs.is_empty() {
            // What continues a line that was handed out in parts is plain.
            let open = if self.tail.ends_open {
                text.find('\n').unwrap_or(text.len())
            } else {
                0
            };
            let first = runs.partition_point(|run| run.range.start < open);
            self.output_styles.push(text, &runs[first..], self.tail.newlines);
        }
        self.tail.push(text);
        self.live.push(text);
    }

    /// Takes what has not been shown yet.
    pub(super) fn show(&mut self) -> OutputUpdate {
        let StyledOutput { text: pending, runs } = self.decoder.pending();
        let from = pending.ceil_char_boundary(pending.len().saturating_sub(MOST_PENDING));
        let lines = self.tail.lines();
        let mut shown = self.output_styles.live(lines);
        let pending_runs = runs.iter().filter(|run| run.range.end > from);
        shown.extend(pending_runs.map(|run| LineRun {
            line: lines,
            start: run.range.start.saturating_sub(from),
            end: run.range.end - from,
            sgr: run.sgr,
        }));
        OutputUpdate {
            delta: self.live.take(),
            pending: pending[from..].to_owned(),
            lines,
            runs: shown,
        }
    }

    /// Ends the output and returns the last line for the screen, too.
    pub(super) fn finish(mut self) -> (CapturedOutput, OutputUpdate) {
        let decoded = self.decoder.finish();
        self.take(&decoded);
        let lines = self.tail.lines();
        let shown = OutputUpdate {
            delta: self.live.take(),
            pending: String::new(),
            lines,
            runs: self.output_styles.live(lines),
        };
        (self.captured(), shown)
    }

    fn captured(self) -> CapturedOutput {
        let Self {
            tail,
            raw,
            output_styles,
            limits,
            ..
        } = self;
        let lines = tail.lines();
        let Some(cut) = by_size(&tail.text, limits, Keep::Tail) else {
            raw.discard();
            let mut text = tail.text;
            if text.ends_with('\n') {
                text.pop();
            }
            return CapturedOutput {
                text,
                note: None,
                path: None,
                first_line: 1,
                bytes: self.bytes,
                lines,
                runs: output_styles.since(0),
            };
        };
        let kept = cut.kept().to_owned();
        let kept_lines = kept.matches('\n').count() as u64 + 1;
        let left_out = match &cut {
            Truncation::Cut {
                left_out: OmittedAmount::Bytes(_),
                ..
            } => OmittedAmount::Bytes((tail.bytes - kept.len() as u64) as usize),
            _ => OmittedAmount::Lines(lines.saturating_sub(kept_lines) as usize),
        };
        let first_line = (lines + 1).saturating_sub(kept_lines).max(1);
        let runs = match left_out {
            OmittedAmount::Lines(_) => output_styles.since(first_line - 1),
            // The places of what is left of a line whose beginning is gone are others.
            OmittedAmount::Bytes(_) => Vec::new(),
        };
        let (path, shown) = match raw.into_file(&self.outputs, &self.call) {
            Ok(path) => {
                let shown = path.to_string_lossy().into_owned();
                (Some(path), shown)
            }
            Err(why) => (None, not_kept(&why)),
        };
        CapturedOutput {
            text: kept,
            note: Some(note(left_out, &shown)),
            path,
            first_line,
            bytes: self.bytes,
            lines,
            runs,
        }
    }
}

/// The end of a text, and how much there was of it.
struct OutputTail {
    text: String,
    /// So much of the end is there in any case.
    most: usize,
    bytes: u64,
    newlines: u64,
    ends_open: bool,
}

impl OutputTail {
    fn new(most: usize) -> Self {
        Self {
            text: String::new(),
            // A line break at the very end is not counted by the limit.
            most: most + 1,
            bytes: 0,
            newlines: 0,
            ends_open: false,
        }
    }

    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.bytes += text.len() as u64;
        self.newlines += text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        self.ends_open = !text.ends_with('\n');
        self.text.push_str(text);
        // Rarely, so that moving the rest costs little for each byte.
        if self.text.len() > 2 * self.most + RAW_IN_MEMORY {
            let from = self.text.floor_char_boundary(self.text.len() - self.most - 1);
            self.text.drain(..from);
        }
    }

    fn lines(&self) -> u64 {
        self.newlines + u64::from(self.ends_open)
    }
}

/// Every byte, as it came.
enum RawBytes {
    Memory(Vec<u8>),
    File(OutputFile),
    /// Says why.
    Failed(String),
}

impl RawBytes {
    fn push(&mut self, bytes: &[u8], outputs: &Outputs, call: &CallId) {
        match self {
            Self::Memory(so_far) => {
                so_far.extend_from_slice(bytes);
                if so_far.len() > RAW_IN_MEMORY {
                    self.spill(outputs, call);
                }
            }
            Self::File(file) => {
                if let Err(error) = file.write_all(bytes) {
                    self.fail(&error.to_string());
                }
            }
            Self::Failed(_) => {}
        }
    }

    fn spill(&mut self, outputs: &Outputs, call: &CallId) {
        let Self::Memory(so_far) = self else { return };
        let so_far = std::mem::take(so_far);
        match outputs.create(call) {
            Ok(mut file) => {
                let written = file.write_all(&so_far);
                *self = Self::File(file);
                if let Err(error) = written {
                    self.fail(&error.to_string());
                }
            }
            Err(error) => *self = Self::Failed(error.to_string()),
        }
    }

    /// Half an output is worse than none: what was written goes.
    fn fail(&mut self, why: &str) {
        std::mem::replace(self, Self::Failed(why.to_owned())).discard();
    }

    fn discard(self) {
        if let Self::File(file) = self {
            let path = file.path().to_owned();
            drop(file);
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(%error, "an output that is not needed could not be removed");
            }
        }
    }

    fn into_file(mut self, outputs: &Outputs, call: &CallId) -> Result<PathBuf, String> {
        self.spill(outputs, call);
        match self {
            Self::File(file) => {
                let path = file.path().to_owned();
                file.finish().map_err(|error| {
                    // What is there is not whole; that it cannot be removed is not worth a word.
                    let _ = fs::remove_file(&path);
                    error.to_string()
                })
            }
            Self::Failed(why) => Err(why),
            Self::Memory(_) => Err("it was lost".to_owned()),
        }
    }
}

/// Output that has not been shown yet.
#[derive(Default)]
struct UnshownOutput {
    text: String,
    skipped: usize,
}

impl UnshownOutput {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() <= 2 * MOST_LIVE {
            return;
        }
        let from = self.text.ceil_char_boundary(self.text.len() - MOST_LIVE);
        let from = self.text[from..].find('\n').map_or(from, |at| from + at + 1);
        self.skipped += self.text[..from].matches('\n').count();
        self.text.drain(..from);
    }

    fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        match std::mem::take(&mut self.skipped) {
            0 => text,
            skipped => format!("… {skipped}{TOO_FAST}\n{text}"),
        }
    }
}

/// Ends a line that stands for those left out of what is shown live.
const TOO_FAST: &str = " lines too fast to show …";

/// Returns what was shown live without a gap: what follows the last one.
pub(super) fn after_gap(live: &str) -> &str {
    let gap = format!("{TOO_FAST}\n");
    live.rfind(&gap).map_or(live, |at| &live[at + gap.len()..])
}

#[cfg(test)]
mod tests;
