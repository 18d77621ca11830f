//! The style that a tone has in a theme.

use ratatui::style::Style;

use super::Tone;
use crate::view::look::Look;
use crate::view::theme::Meaning;

/// Returns the style of a tone.
pub(crate) fn tone_style(tone: Tone, look: Look<'_>) -> Style {
    let meaning = match tone {
        Tone::Normal => Meaning::Text,
        Tone::Muted => Meaning::TextMuted,
        Tone::Strong => Meaning::TextStrong,
        Tone::Accent => Meaning::Accent,
        Tone::Match => Meaning::Match,
        Tone::Success => Meaning::Success,
        Tone::Warning => Meaning::Warning,
        Tone::Danger => Meaning::Danger,
        Tone::Printed(sgr) => return look.theme.sgr(sgr),
    };
    look.style(meaning)
}
