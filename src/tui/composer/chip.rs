//! Chips: parts of a text that stand in it as a label in brackets, a folded paste or a file that goes with the message.
//!
//! A label is unlike any other in the text, so it can be found there again. A paste is sent in full in the place of its
//! label; a file's label is sent as it stands, so that the text can speak of `image 2`.

use std::sync::Arc;

use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate_middle;
use crate::tui::media::MediaKind;

/// Columns of a file's name in its label.
const NAME: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chip {
    pub(super) label: String,
    pub(super) content: ChipContent,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ChipContent {
    Paste(Arc<str>),
    File { path: String },
}

/// A file that a text speaks of by its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttachedFile {
    pub(crate) label: String,
    pub(crate) path: String,
}

impl AttachedFile {
    pub(crate) fn kind(&self) -> MediaKind {
        if self.label.starts_with("[pdf ") {
            MediaKind::Pdf
        } else {
            MediaKind::Image
        }
    }
}

impl Chip {
    /// Folds a content, under a label that is neither one of the others' nor written in the text.
    pub(super) fn paste(content: impl Into<Arc<str>>, others: &[Self], text: &[String]) -> Self {
        let content = content.into();
        let lines = content.lines().count();
        let lines = plural(lines, "line");
        let plain = format!("[pasted {lines}]");
        let numbered = (2..).map(|number| format!("[pasted {lines} #{number}]"));
        let mut labels = std::iter::once(plain).chain(numbered);
        let label = labels.find(|label| is_free(label, label, others, text));
        Self {
            label: label.expect("there are more numbers than pastes"),
            content: ChipContent::Paste(content),
        }
    }

    /// Makes the chip of a file: `[image 1: shot.png 640×480]`.
    pub(super) fn file(path: &str, kind: MediaKind, facts: &str, others: &[Self], text: &[String]) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = sanitize_line(name).replace('[', "(").replace(']', ")");
        let name = truncate_middle(&name, NAME);
        let rest = format!("{name} {facts}]");
        Self {
            label: numbered(kind.noun(), &rest, others, text),
            content: ChipContent::File {
                path: path.to_owned(),
            },
        }
    }

    /// A file that has its label already.
    pub(super) fn labelled(attached: &AttachedFile) -> Option<Self> {
        let AttachedFile { label, path } = attached;
        let is_file = is_label(label) && !label.starts_with(PASTED);
        is_file.then(|| Self {
            label: label.clone(),
            content: ChipContent::File { path: path.clone() },
        })
    }

    /// The same content under a label that is free.
    pub(super) fn relabelled(&self, others: &[Self], text: &[String]) -> Self {
        match (&self.content, file_label(&self.label)) {
            (ChipContent::Paste(content), _) => Self::paste(Arc::clone(content), others, text),
            (ChipContent::File { .. }, Some((noun, rest))) => Self {
                label: numbered(noun, rest, others, text),
                content: self.content.clone(),
            },
            (ChipContent::File { .. }, None) => self.clone(),
        }
    }

    /// Returns true if it would be taken for the other.
    pub(super) fn hides(&self, other: &Self) -> bool {
        self.content != other.content && self.label == other.label
    }

    /// Returns true if one text would mix them up: by the label, or by a file's number.
    pub(super) fn clashes_with(&self, other: &Self) -> bool {
        self.content != other.content && mark(&self.label) == mark(&other.label)
    }

    pub(super) fn attached_file(&self) -> Option<AttachedFile> {
        match &self.content {
            ChipContent::Paste(_) => None,
            ChipContent::File { path } => Some(AttachedFile {
                label: self.label.clone(),
                path: path.clone(),
            }),
        }
    }

    pub(super) fn pasted(&self) -> Option<&Arc<str>> {
        match &self.content {
            ChipContent::Paste(content) => Some(content),
            ChipContent::File { .. } => None,
        }
    }
}

const PASTED: &str = "[pasted ";

pub(super) fn is_label(label: &str) -> bool {
    let begins = label.starts_with(PASTED) || file_label(label).is_some();
    begins && label.ends_with(']') && !label.contains('\n')
}

/// Splits `[image 1: shot.png 640×480]` into its noun and what follows the number.
fn file_label(label: &str) -> Option<(&str, &str)> {
    let (noun, behind) = label.strip_prefix('[')?.split_once(' ')?;
    let (number, rest) = behind.split_once(": ")?;
    let is_file = matches!(noun, "image" | "pdf") && number.bytes().all(|byte| byte.is_ascii_digit());
    is_file.then_some((noun, rest))
}

/// Returns the part that tells a label from others: all of a paste's, the noun and the number of a file's.
fn mark(label: &str) -> &str {
    match (file_label(label), label.find(": ")) {
        (Some(_), Some(end)) => &label[..=end],
        _ => label,
    }
}

fn numbered(noun: &str, rest: &str, others: &[Chip], text: &[String]) -> String {
    let mut marks = (1_u32..=u32::MAX).map(|number| format!("[{noun} {number}:"));
    let mark = marks.find(|mark| is_free(mark, mark, others, text));
    let mark = mark.expect("there are more numbers than files");
    format!("{mark} {rest}")
}

fn is_free(wanted: &str, written: &str, others: &[Chip], text: &[String]) -> bool {
    others.iter().all(|other| mark(&other.label) != wanted) && text.iter().all(|line| !line.contains(written))
}
