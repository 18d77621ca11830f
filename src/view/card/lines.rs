//! Lines of spans with tones.

use std::borrow::Cow;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::FileTarget;
use crate::text::sgr::SgrStyle;

/// The spans of a line, and the file that the line is about where it is about one of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToneLine {
    pub spans: Vec<ToneSpan>,
    pub target: Option<FileTarget>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToneSpan {
    pub tone: Tone,
    pub text: String,
    /// Stands beside the text and is none of it: a line's number, a sign, a remark. It is drawn, and neither selected
    /// nor searched.
    pub is_aside: bool,
    /// The words that a screen reader says for a sign; empty where it reads the text.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub spoken: Cow<'static, str>,
}

/// The meaning of a span; the theme knows how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    Normal,
    Muted,
    Strong,
    Accent,
    Match,
    Success,
    Warning,
    Danger,
    /// As the program that printed it wants it to look.
    Printed(SgrStyle),
}

impl ToneLine {
    pub fn about(self, target: FileTarget) -> Self {
        Self {
            target: Some(target),
            ..self
        }
    }
}

impl From<Vec<ToneSpan>> for ToneLine {
    fn from(spans: Vec<ToneSpan>) -> Self {
        Self { spans, target: None }
    }
}

impl From<ToneSpan> for ToneLine {
    fn from(span: ToneSpan) -> Self {
        vec![span].into()
    }
}

impl Deref for ToneLine {
    type Target = [ToneSpan];

    fn deref(&self) -> &[ToneSpan] {
        &self.spans
    }
}

impl ToneSpan {
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self {
            tone,
            text: text.into(),
            is_aside: false,
            spoken: Cow::Borrowed(""),
        }
    }

    /// Makes one that stands beside the text.
    pub fn aside(tone: Tone, text: impl Into<String>) -> Self {
        Self {
            is_aside: true,
            ..Self::new(tone, text)
        }
    }

    /// Makes a sign beside the text, for which a screen reader says these words.
    pub fn sign(tone: Tone, text: impl Into<String>, spoken: &'static str) -> Self {
        Self {
            spoken: spoken.into(),
            ..Self::aside(tone, text)
        }
    }
}
