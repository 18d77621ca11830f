//! One line as it is shown, and the lines of a file around its matches.

use std::borrow::Cow;
use std::ops::Range;

/// Longest line shown, in characters.
const MAX_LINE: usize = 1000;

pub(super) struct Line {
    pub(super) number: u64,
    pub(super) text: String,
    pub(super) kind: LineKind,
    /// Lines are left out before it.
    pub(super) gap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A match begins here.
    Match {
        /// In characters, from 1.
        column: usize,
        /// Its byte range in the text as it is shown.
        span: (usize, usize),
    },
    /// A match that began above goes on.
    Continued,
    Context,
}

impl Line {
    pub(super) fn is_match(&self) -> bool {
        matches!(self.kind, LineKind::Match { .. })
    }
}

/// Returns the lines with the first `matches` matches and at most `context` lines after the last of them.
pub(super) fn first_matches(lines: &[Line], matches: usize, context: usize) -> &[Line] {
    if matches == 0 {
        return &[];
    }
    let is_match = |(_, line): &(usize, &Line)| line.is_match();
    let Some((end, _)) = lines.iter().enumerate().filter(is_match).nth(matches) else {
        return lines;
    };
    let last = lines[..end]
        .iter()
        .rposition(|line| line.kind != LineKind::Context);
    let after_last = last.map_or(0, |last| last + 1);
    let after = lines[after_last..end].iter().take_while(|line| !line.gap);
    &lines[..after_last + after.take(context).count()]
}

/// A line as it is shown, and where the match is in it.
pub(super) struct ShownLine {
    pub(super) text: String,
    /// Of the match in the whole line, in characters, from 1.
    pub(super) column: usize,
    /// Of the match in `text`, in bytes.
    pub(super) span: (usize, usize),
}

/// Returns a line without its break, cut around the match.
pub(super) fn show(bytes: &[u8], found: Range<usize>) -> ShownLine {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let start = found.start.min(bytes.len());
    let end = found.end.clamp(start, bytes.len());
    let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
    let (before, length) = (characters(&bytes[..start]), characters(&bytes[start..end]));
    let (text, from) = cut(String::from_utf8_lossy(bytes), before);
    // The mark of what is left out is a character more.
    let first = before - from + usize::from(from > 0);
    let mut places = text.char_indices().map(|(place, _)| place).skip(first);
    let place = places.next().unwrap_or(text.len());
    let behind = match length {
        0 => place,
        length => places.nth(length - 1).unwrap_or(text.len()),
    };
    ShownLine {
        column: before + 1,
        span: (place, behind),
        text,
    }
}

/// Keeps what is around a character of a long line, and returns how many characters are left out before it.
fn cut(text: Cow<'_, str>, around: usize) -> (String, usize) {
    let length = if text.len() <= MAX_LINE {
        text.len()
    } else {
        text.chars().count()
    };
    if length <= MAX_LINE {
        return (text.into_owned(), 0);
    }
    let from = around.saturating_sub(MAX_LINE / 2).min(length - MAX_LINE);
    let mut shown = String::new();
    if from > 0 {
        shown.push('…');
    }
    shown.extend(text.chars().skip(from).take(MAX_LINE));
    if from + MAX_LINE < length {
        shown.push('…');
    }
    (shown, from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(signs: &str) -> Vec<Line> {
        let line = |(number, sign): (usize, char)| Line {
            number: number as u64,
            text: String::new(),
            kind: match sign {
                'm' | 'M' => LineKind::Match {
                    column: 1,
                    span: (0, 0),
                },
                '+' => LineKind::Continued,
                _ => LineKind::Context,
            },
            gap: matches!(sign, 'M' | 'C'),
        };
        signs.chars().enumerate().map(line).collect()
    }

    #[test]
    fn what_follows_the_last_match_is_its_context_alone() {
        for (signs, matches, context, kept) in [
            ("cmcCmc", 1, 1, 3),
            ("cmcccmc", 1, 2, 4),
            ("m++cm", 1, 1, 4),
            ("mm", 1, 0, 1),
            ("cmc", 1, 1, 3),
            ("cmc", 0, 1, 0),
            ("mMm", 2, 3, 2),
        ] {
            let lines = lines(signs);
            let shown = first_matches(&lines, matches, context);
            assert_eq!(shown.len(), kept, "{signs} {matches} {context}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let line = format!("{}needle{}\r\n", "é".repeat(3000), "b".repeat(3000));
        let ShownLine { text, column, span } = show(line.as_bytes(), 6000..6006);
        assert_eq!(column, 3001);
        assert_eq!(&text[span.0..span.1], "needle");
        assert!(text.starts_with("…éé") && text.ends_with("b…") && text.contains("éneedleb"));
        assert_eq!(text.chars().count(), MAX_LINE + 2);
        let ShownLine { text, span, .. } = show("x".repeat(2000).as_bytes(), 0..0);
        assert_eq!((text, span), (format!("{}…", "x".repeat(1000)), (0, 0)));
        let ShownLine { text, column, span } = show(b"a\xffb\n", 2..4);
        assert_eq!((text.as_str(), column, span), ("a\u{fffd}b", 3, (4, 5)));
    }
}
