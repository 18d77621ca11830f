//! Cuts the text of a result down to what a model should read.
//!
//! Two rules, and the one that keeps less wins. The generic one bounds lines and bytes and keeps whole lines from one
//! end; a single line that is too long by itself is cut at a character boundary. The dynamic one bounds tokens by the
//! room left in the context: the first three lines, then whole lines while they fit. Where text is missing stands how
//! much, and where the full text is.
//!
//! Nothing here writes the full text or reads settings; the caller brings the limits and the path.

/// Replaces a text when the context has no room left at all.
pub const SUPPRESSED: &str = "[output suppressed: no room left in the context]";

/// Lines that the dynamic rule keeps before it counts.
const FIRST_LINES: usize = 3;
/// Tokens held back for the marker and the advice.
const MARKER_TOKENS: usize = 50;
/// The first lines are kept whole up to this many tokens even when the budget is smaller; beyond the larger of the
/// two they are cut, because a page without line breaks would otherwise ignore the budget.
const FIRST_LINES_TOKENS: usize = 500;

/// End of a text that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Head,
    Tail,
}

/// The bounds of the generic rule; 0 stands for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeLimits {
    pub max_lines: usize,
    pub max_bytes: usize,
}

impl Default for SizeLimits {
    fn default() -> Self {
        Self {
            max_lines: 2000,
            max_bytes: 51_200,
        }
    }
}

/// How much of a text is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OmittedAmount {
    Lines(usize),
    /// The cut went through a line.
    Bytes(usize),
}

/// The remaining part of a text that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truncation<'a> {
    /// A beginning or an end of the text, without the line break at the cut.
    Cut {
        kept: &'a str,
        keep: Keep,
        left_out: OmittedAmount,
    },
    Suppressed,
}

/// Applies both rules; `budget` is in tokens, none for tools without the dynamic rule. None when the text fits.
pub fn truncate(text: &str, limits: SizeLimits, keep: Keep, budget: Option<i64>) -> Option<Truncation<'_>> {
    let cut_by_size = by_size(text, limits, keep);
    let cut_by_tokens = budget.and_then(|budget| by_tokens(text, budget));
    match (cut_by_size, cut_by_tokens) {
        (Some(size), Some(tokens)) if size.kept().len() < tokens.kept().len() => Some(size),
        (size, tokens) => tokens.or(size),
    }
}

/// Applies the generic rule. None when the text fits.
pub fn by_size(text: &str, limits: SizeLimits, keep: Keep) -> Option<Truncation<'_>> {
    let max_lines = unlimited(limits.max_lines);
    let max_bytes = unlimited(limits.max_bytes);
    if text.len() <= max_bytes && (text.len() <= max_lines || line_count(text) <= max_lines) {
        return None;
    }
    let whole_lines = match keep {
        Keep::Head => whole_lines_from_head(text, max_lines, max_bytes),
        Keep::Tail => whole_lines_from_tail(text, max_lines, max_bytes),
    };
    if let Some(kept) = whole_lines {
        return Some(cut_between_lines(text, kept, keep));
    }
    let kept = match keep {
        Keep::Head => &text[..text.floor_char_boundary(max_bytes)],
        Keep::Tail => {
            let text = without_final_break(text);
            &text[text.ceil_char_boundary(text.len().saturating_sub(max_bytes))..]
        }
    };
    Some(Truncation::Cut {
        kept,
        keep,
        left_out: OmittedAmount::Bytes(text.len() - kept.len()),
    })
}

/// Applies the dynamic rule. None when the text fits.
pub fn by_tokens(text: &str, budget: i64) -> Option<Truncation<'_>> {
    let Some(budget) = usize::try_from(budget).ok().filter(|budget| *budget > 0) else {
        return (!text.is_empty()).then_some(Truncation::Suppressed);
    };
    // A character has at least one byte, so a short text needs no counting.
    if text.len() / 4 < budget || tokens(text) <= budget {
        return None;
    }
    let mut end = 0;
    let mut chars = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let line_chars = bare.chars().count();
        if index >= FIRST_LINES && (chars + line_chars).div_ceil(4) + MARKER_TOKENS > budget {
            break;
        }
        end += line.len();
        chars += line_chars + (line.len() - bare.len());
    }
    let kept = without_final_break(&text[..end]);
    if end == text.len() && tokens(kept) <= FIRST_LINES_TOKENS {
        return None;
    }
    let most = budget.max(FIRST_LINES_TOKENS);
    if tokens(kept) <= most {
        return Some(cut_between_lines(text, kept, Keep::Head));
    }
    let cut = kept
        .char_indices()
        .nth(most * 4)
        .map_or(kept, |(at, _)| &kept[..at]);
    Some(Truncation::Cut {
        kept: cut,
        keep: Keep::Head,
        left_out: OmittedAmount::Bytes(text.len() - cut.len()),
    })
}

/// Estimates the tokens of a text: a quarter of its characters, rounded up.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// Figures of the last model reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextUse {
    pub context_limit: u64,
    /// Input, cache reads, cache writes and output together.
    pub used: u64,
}

/// Returns the budget of the dynamic rule in tokens; `max_tokens` alone without figures.
pub fn dynamic_budget(figures: Option<ContextUse>, ratio: f64, max_tokens: u64) -> i64 {
    let max_tokens = i64::try_from(max_tokens).unwrap_or(i64::MAX);
    let Some(ContextUse { context_limit, used }) = figures else {
        return max_tokens;
    };
    let remaining = context_limit.saturating_sub(used);
    ((remaining as f64 * ratio) as i64).min(max_tokens)
}

impl Truncation<'_> {
    /// Returns the part that was kept, empty when the text was suppressed.
    pub fn kept(&self) -> &str {
        match self {
            Self::Cut { kept, .. } => kept,
            Self::Suppressed => "",
        }
    }

    /// Writes what the model reads: the kept part with the marker, the path and the advice at the cut.
    pub fn render(&self, full_output: &str) -> String {
        match self {
            Self::Suppressed => SUPPRESSED.to_owned(),
            Self::Cut { kept, keep, left_out } => {
                let note = note(*left_out, full_output);
                match keep {
                    _ if kept.is_empty() => note,
                    Keep::Head => format!("{kept}\n{note}"),
                    Keep::Tail => format!("{note}\n{kept}"),
                }
            }
        }
    }
}

/// Returns the line that says how much is missing.
pub fn marker(left_out: OmittedAmount) -> String {
    match left_out {
        OmittedAmount::Lines(lines) => format!("… {lines} more lines truncated …"),
        OmittedAmount::Bytes(bytes) => format!("… {bytes} more bytes truncated …"),
    }
}

/// Returns the marker, the path of the full text and the advice, a line each.
///
/// The path stands alone on its line, so that it can be read off by machine.
pub fn note(left_out: OmittedAmount, full_output: &str) -> String {
    let marker = marker(left_out);
    let advice = "Grep that file, or read it with `offset` and `limit`, to see the rest.";
    format!("{marker}\nFull output: {full_output}\n{advice}")
}

fn unlimited(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

/// Counts lines; a final line break begins no further one.
fn line_count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

fn without_final_break(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

fn cut_between_lines<'a>(text: &str, kept: &'a str, keep: Keep) -> Truncation<'a> {
    let kept_lines = kept.matches('\n').count() + 1;
    let left_out = match line_count(text).saturating_sub(kept_lines) {
        // Only the final line break did not fit.
        0 => OmittedAmount::Bytes(text.len() - kept.len()),
        lines => OmittedAmount::Lines(lines),
    };
    Truncation::Cut { kept, keep, left_out }
}

/// Returns the first lines that fit, none when not even one does.
fn whole_lines_from_head(text: &str, max_lines: usize, max_bytes: usize) -> Option<&str> {
    let mut end = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n').take(max_lines) {
        let line_end = offset + without_final_break(line).len();
        if line_end > max_bytes {
            break;
        }
        end = Some(line_end);
        offset += line.len();
    }
    end.map(|end| &text[..end])
}

/// Returns the last lines that fit, none when not even one does.
fn whole_lines_from_tail(text: &str, max_lines: usize, max_bytes: usize) -> Option<&str> {
    let text = without_final_break(text);
    let mut start = None;
    let mut line_end = text.len();
    for _ in 0..max_lines {
        let line_start = text[..line_end].rfind('\n').map_or(0, |at| at + 1);
        if text.len() - line_start > max_bytes {
            break;
        }
        start = Some(line_start);
        if line_start == 0 {
            break;
        }
        line_end = line_start - 1;
    }
    start.map(|start| &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits(max_lines: usize, max_bytes: usize) -> SizeLimits {
        SizeLimits { max_lines, max_bytes }
    }

    #[test]
    fn what_fits_is_not_cut() {
        assert_eq!(by_size("a\nb\n", limits(2, 4), Keep::Head), None);
        assert_eq!(by_size(&"x\n".repeat(90_000), limits(0, 0), Keep::Head), None);
        assert_eq!(by_size("", SizeLimits::default(), Keep::Head), None);
    }

    #[test]
    fn whole_lines_are_kept_from_either_end() {
        let text = "one\ntwo\nthree\nfour\n";
        assert_eq!(
            by_size(text, limits(2, 0), Keep::Head),
            Some(Truncation::Cut {
                kept: "one\ntwo",
                keep: Keep::Head,
                left_out: OmittedAmount::Lines(2)
            })
        );
        assert_eq!(
            by_size(text, limits(2, 0), Keep::Tail),
            Some(Truncation::Cut {
                kept: "three\nfour",
                keep: Keep::Tail,
                left_out: OmittedAmount::Lines(2)
            })
        );
        assert_eq!(
            by_size(text, limits(0, 8), Keep::Head),
            Some(Truncation::Cut {
                kept: "one\ntwo",
                keep: Keep::Head,
                left_out: OmittedAmount::Lines(2)
            })
        );
        assert_eq!(
            by_size(text, limits(0, 9), Keep::Tail),
            Some(Truncation::Cut {
                kept: "four",
                keep: Keep::Tail,
                left_out: OmittedAmount::Lines(3)
            })
        );
    }

    #[test]
    fn one_over_long_line_is_cut_at_a_character() {
        assert_eq!(
            by_size("世界世界", limits(0, 7), Keep::Head),
            Some(Truncation::Cut {
                kept: "世界",
                keep: Keep::Head,
                left_out: OmittedAmount::Bytes(6)
            })
        );
        assert_eq!(
            by_size("世界世界", limits(0, 7), Keep::Tail),
            Some(Truncation::Cut {
                kept: "世界",
                keep: Keep::Tail,
                left_out: OmittedAmount::Bytes(6)
            })
        );
        assert_eq!(
            by_size("a\nbbbbbb\n", limits(0, 3), Keep::Tail),
            Some(Truncation::Cut {
                kept: "bbb",
                keep: Keep::Tail,
                left_out: OmittedAmount::Bytes(6)
            })
        );
    }

    #[test]
    fn tokens_are_a_quarter_of_the_characters_rounded_up() {
        assert_eq!(
            (tokens(""), tokens("a"), tokens("abcd"), tokens("世界世界世")),
            (0, 1, 1, 2)
        );
    }

    #[test]
    fn the_budget_is_a_share_of_what_remains() {
        let figures = |context_limit, used| Some(ContextUse { context_limit, used });
        assert_eq!(dynamic_budget(figures(100_000, 40_000), 0.5, 50_000), 30_000);
        assert_eq!(dynamic_budget(figures(1_000_000, 0), 0.5, 50_000), 50_000);
        assert_eq!(dynamic_budget(figures(1_000, 2_000), 0.5, 50_000), 0);
        assert_eq!(dynamic_budget(None, 0.5, 50_000), 50_000);
    }

    #[test]
    fn the_dynamic_rule_keeps_three_lines_and_then_what_fits() {
        let text = format!("{}\n", "x".repeat(39)).repeat(100);
        let Some(Truncation::Cut { kept, left_out, .. }) = by_tokens(&text, 150) else {
            panic!("not cut")
        };
        assert_eq!(kept.lines().count(), 10);
        assert_eq!(left_out, OmittedAmount::Lines(90));
        let Some(Truncation::Cut { kept, .. }) = by_tokens(&text, 20) else {
            panic!("not cut")
        };
        assert_eq!(kept.lines().count(), 3);
        assert_eq!(
            by_tokens("a few short lines\nare kept whatever\nthe budget is\n", 1),
            None
        );
    }

    #[test]
    fn empty_lines_count_as_lines() {
        assert_eq!(
            by_size("a\n\n\nb", limits(2, 0), Keep::Head),
            Some(Truncation::Cut {
                kept: "a\n",
                keep: Keep::Head,
                left_out: OmittedAmount::Lines(2)
            })
        );
        assert_eq!(
            by_size("a\n\n\nb", limits(2, 0), Keep::Tail),
            Some(Truncation::Cut {
                kept: "\nb",
                keep: Keep::Tail,
                left_out: OmittedAmount::Lines(2)
            })
        );
    }

    #[test]
    fn over_long_first_lines_do_not_ignore_the_budget() {
        let text = "y".repeat(100_000);
        let Some(Truncation::Cut { kept, left_out, .. }) = by_tokens(&text, 1000) else {
            panic!("not cut")
        };
        assert_eq!((kept.len(), left_out), (4000, OmittedAmount::Bytes(96_000)));
    }

    #[test]
    fn without_room_the_text_is_suppressed() {
        assert_eq!(by_tokens("abc", 0), Some(Truncation::Suppressed));
        assert_eq!(by_tokens("abc", -5).unwrap().render("/x"), SUPPRESSED);
        assert_eq!(by_tokens("", 0), None);
        assert_eq!(by_tokens("abc", 1), None);
    }

    #[test]
    fn the_smaller_of_both_rules_wins() {
        let text = "12345678\n".repeat(1000);
        let kept = |limits, budget| truncate(&text, limits, Keep::Head, budget).unwrap().kept().len();
        assert_eq!(kept(limits(5, 0), Some(1000)), 44);
        assert!(kept(limits(900, 0), Some(100)) < 300);
        assert_eq!(truncate(&text, limits(0, 0), Keep::Head, Some(50_000)), None);
    }

    #[test]
    fn the_note_stands_at_the_cut() {
        let head = by_size("a\nb\nc", limits(1, 0), Keep::Head)
            .unwrap()
            .render("/data/x.txt");
        assert!(
            head.starts_with("a\n… 2 more lines truncated …\nFull output: /data/x.txt\nGrep"),
            "{head}"
        );
        let tail = by_size("a\nb\nc", limits(1, 0), Keep::Tail)
            .unwrap()
            .render("/data/x.txt");
        assert!(
            tail.starts_with("… 2 more lines truncated …\nFull output: /data/x.txt\n"),
            "{tail}"
        );
        assert!(tail.ends_with("\nc"), "{tail}");
        let bytes = by_size("abcdef", limits(0, 4), Keep::Head).unwrap().render("/x");
        assert!(bytes.starts_with("abcd\n… 2 more bytes truncated …\n"), "{bytes}");
    }

    proptest! {
        #[test]
        fn a_cut_keeps_to_its_limits(text in "[a世\n]{0,60}", lines in 0_usize..6, bytes in 0_usize..20, tail in any::<bool>()) {
            let keep = if tail { Keep::Tail } else { Keep::Head };
            match by_size(&text, limits(lines, bytes), keep) {
                None => prop_assert!((lines == 0 || line_count(&text) <= lines) && (bytes == 0 || text.len() <= bytes)),
                Some(truncated) => {
                    let kept = truncated.kept();
                    prop_assert!(bytes == 0 || kept.len() <= bytes);
                    prop_assert!(lines == 0 || kept.split('\n').count() <= lines);
                    match keep {
                        Keep::Head => prop_assert!(text.starts_with(kept)),
                        Keep::Tail => prop_assert!(without_final_break(&text).ends_with(kept)),
                    }
                }
            }
        }

        #[test]
        fn any_budget_is_survived(text in "[a世\n]{0,80}", budget in -5_i64..80) {
            if let Some(truncated) = by_tokens(&text, budget) {
                prop_assert!(text.starts_with(truncated.kept()));
            }
        }
    }
}
