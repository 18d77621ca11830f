//! Tells what a single line of Markdown begins, continues or ends.

use std::ops::Range;

/// A line without a break is broken at the first space after this many bytes, and without one at twice as many.
const LONG_LINE: usize = 8 * 1024;
/// List markers in a row that are looked behind.
const MARKERS: usize = 48;

/// Returns the line that starts at `at`, and where the next one starts; nothing while its end is not known.
pub(super) fn next_line(source: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let bytes = source.as_bytes().get(at..)?;
    let seen = &bytes[..bytes.len().min(2 * LONG_LINE)];
    let newline = seen.iter().position(|byte| *byte == b'\n');
    if let Some(length) = newline.filter(|length| *length <= LONG_LINE) {
        return Some((at..at + length, at + length + 1));
    }
    let late = seen.get(LONG_LINE..)?;
    if let Some(length) = late.iter().position(|byte| matches!(byte, b' ' | b'\n')) {
        let end = at + LONG_LINE + length;
        return Some((at..end, end + 1));
    }
    if seen.len() < 2 * LONG_LINE {
        return None;
    }
    let end = (at + seen.len() - 3..=at + seen.len()).rfind(|end| source.is_char_boundary(*end))?;
    Some((at..end, end))
}

/// Like [`next_line`] in a text that is whole; nothing after its end.
pub(super) fn next_whole_line(source: &str, at: usize) -> Option<(Range<usize>, usize)> {
    if at > source.len() {
        return None;
    }
    next_line(source, at).or(Some((at..source.len(), source.len() + 1)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    sign: u8,
    length: usize,
    /// Columns that are taken off the lines inside.
    pub(super) indent: usize,
}

impl Fence {
    pub(super) fn is_closed_by(self, text: &str) -> bool {
        if indent(text) >= 4 {
            return false;
        }
        let text = text.trim();
        text.len() >= self.length && text.bytes().all(|byte| byte == self.sign)
    }

    /// Returns true if an unfinished line may become the one that closes.
    pub(super) fn may_be_closed_by(self, text: &str) -> bool {
        let text = text.trim();
        !text.is_empty() && text.bytes().all(|byte| byte == self.sign)
    }
}

/// Returns the fence that a line opens and the bytes of its info string.
pub(super) fn opening_fence(text: &str) -> Option<(Fence, Range<usize>)> {
    let columns = indent(text);
    let trimmed = text.trim_start();
    let sign = *trimmed.as_bytes().first()?;
    if columns >= 4 || !matches!(sign, b'`' | b'~') {
        return None;
    }
    let length = trimmed.bytes().take_while(|byte| *byte == sign).count();
    let info = &trimmed[length..];
    if length < 3 || (sign == b'`' && info.contains('`')) {
        return None;
    }
    let fence = Fence {
        sign,
        length,
        indent: columns,
    };
    let end = text.trim_end().len();
    let start = (text.len() - info.trim_start().len()).min(end);
    Some((fence, start..end))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// `-`, `+`, `*`, `.` or `)`: items of one list share it.
    pub(super) sign: u8,
    pub(super) number: Option<u64>,
    /// The column at which the item's text begins.
    pub(super) content: usize,
    /// The bytes before the item's text.
    pub(super) bytes: usize,
    is_empty: bool,
}

pub(super) fn list_marker(text: &str) -> Option<Marker> {
    let before = indent(text);
    if before >= 4 || is_rule(text) {
        return None;
    }
    let trimmed = text.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let sign = *trimmed.as_bytes().get(digits)?;
    let number = match (digits, sign) {
        (0, b'-' | b'+' | b'*') => None,
        (1..=9, b'.' | b')') => Some(trimmed[..digits].parse().ok()?),
        _ => return None,
    };
    let rest = &trimmed[digits + 1..];
    let is_empty = is_blank(rest);
    if !is_empty && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let spaces = if is_empty { 1 } else { indent(rest) };
    // Five and more belong to indented source inside the item.
    let spaces = if spaces > 4 { 1 } else { spaces };
    Some(Marker {
        sign,
        number,
        content: before + digits + 1 + spaces,
        bytes: text.len() - rest.trim_start().len(),
        is_empty,
    })
}

/// Returns what stands behind any list markers, of which there are only so many.
pub(super) fn after_markers(mut text: &str) -> &str {
    for _ in 0..MARKERS {
        let Some(marker) = list_marker(text) else { break };
        text = &text[marker.bytes..];
    }
    text
}

/// Returns true if a line ends a paragraph that is open before it.
pub(super) fn interrupts(text: &str) -> bool {
    if indent(text) >= 4 {
        return false;
    }
    let is_item = list_marker(text).is_some_and(|marker| !marker.is_empty && marker.number.unwrap_or(1) == 1);
    is_item
        || opening_fence(text).is_some()
        || is_heading(text)
        || is_rule(text)
        || text.trim_start().starts_with('>')
        || raw_html(text).is_some()
}

pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Returns the columns of white space before the text.
pub(super) fn indent(text: &str) -> usize {
    let mut columns = 0;
    for byte in text.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

pub(super) fn is_heading(text: &str) -> bool {
    let trimmed = text.trim_start();
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &trimmed[level..];
    (1..=6).contains(&level) && indent(text) < 4 && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

pub(super) fn is_rule(text: &str) -> bool {
    let mut signs = text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t'));
    let Some(first) = signs.next() else { return false };
    let mut count = 1;
    matches!(first, b'-' | b'*' | b'_')
        && indent(text) < 4
        && signs.all(|byte| {
            count += 1;
            byte == first
        })
        && count >= 3
}

/// Returns true if the line makes a heading of the paragraph before it.
pub(super) fn is_setext(text: &str) -> bool {
    let trimmed = text.trim();
    let all = |sign| trimmed.bytes().all(|byte| byte == sign);
    !trimmed.is_empty() && indent(text) < 4 && (all(b'=') || all(b'-'))
}

/// Returns true if the line stands between the head and the rows of a table.
pub(super) fn is_table_rule(text: &str) -> bool {
    let is_sign = |byte: u8| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t');
    text.bytes().all(is_sign) && text.contains('|') && text.contains('-')
}

/// Returns the table that a block would be if it went on as its first line begins: `| a | b |`, below which the line is not
/// there yet that says so, or only half.
pub(super) fn open_table(block: &str, is_growing: bool) -> Option<String> {
    let (head, below) = block.split_once('\n').unwrap_or((block, ""));
    // What it escapes has not come.
    let head = head.trim_end_matches('\\');
    let begins = head.trim_start().strip_prefix('|')?.starts_with([' ', '\t']);
    let is_sign = |byte: u8| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t');
    let may_be_rule = below.is_empty() || is_growing && below.bytes().all(is_sign);
    let cells = cells(head);
    (begins && may_be_rule && cells > 0).then(|| format!("{head}\n|{}", "-|".repeat(cells)))
}

/// Counts the cells in a row of a table that begins with a sign for one.
fn cells(row: &str) -> usize {
    let row = row.trim();
    let mut is_escaped = false;
    let signs = row.char_indices().filter(|&(_, c)| {
        let is_sign = c == '|' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_sign
    });
    let signs: Vec<usize> = signs.map(|(at, _)| at).collect();
    let is_closed = signs.len() > 1 && signs.last() == Some(&(row.len() - 1));
    signs.len() - usize::from(is_closed)
}

/// The end of a block of HTML that blank lines do not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RawEnd {
    Tag,
    Mark(&'static str),
}

impl RawEnd {
    pub(super) fn is_in(self, text: &str) -> bool {
        match self {
            Self::Mark(mark) => text.contains(mark),
            Self::Tag => {
                let text = text.to_ascii_lowercase();
                RAW_TAGS.iter().any(|tag| text.contains(&format!("</{tag}>")))
            }
        }
    }
}

const RAW_TAGS: [&str; 4] = ["script", "pre", "style", "textarea"];

/// Returns the end of the HTML block that a line begins, unless it is one that a blank line ends.
pub(super) fn raw_html(text: &str) -> Option<RawEnd> {
    let rest = text.trim_start().strip_prefix('<')?;
    if indent(text) >= 4 {
        return None;
    }
    for (start, end) in [("!--", "-->"), ("?", "?>"), ("![CDATA[", "]]>")] {
        if rest.starts_with(start) {
            return Some(RawEnd::Mark(end));
        }
    }
    let declaration = rest.strip_prefix('!').unwrap_or("");
    if declaration.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Some(RawEnd::Mark(">"));
    }
    RAW_TAGS
        .iter()
        .any(|tag| is_tag(rest, tag))
        .then_some(RawEnd::Tag)
}

fn is_tag(text: &str, tag: &str) -> bool {
    let after = text.get(tag.len()..).unwrap_or("");
    text.get(..tag.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(tag))
        && (after.is_empty() || after.starts_with([' ', '\t', '>']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_carry_their_info() {
        let (fence, info) = opening_fence("  ```rust ignore ").unwrap();
        assert_eq!(&"  ```rust ignore "[info], "rust ignore");
        assert_eq!(fence.indent, 2);
        assert!(fence.is_closed_by("````  ") && !fence.is_closed_by("``") && !fence.is_closed_by("``` x"));
        assert!(opening_fence("``` a`b").is_none() && opening_fence("``").is_none());
        assert!(opening_fence("    ```").is_none());
    }

    #[test]
    fn markers_know_where_the_text_begins() {
        assert_eq!(list_marker("- a").map(|marker| marker.content), Some(2));
        assert_eq!(
            list_marker(" 10. a").map(|marker| (marker.number, marker.content)),
            Some((Some(10), 5))
        );
        assert_eq!(list_marker("-      a").map(|marker| marker.content), Some(2));
        for other in ["-a", "---", "* * *", "1a", "1234567890. x", "", "    - a"] {
            assert!(list_marker(other).is_none(), "{other}");
        }
        assert_eq!(after_markers("- 1. ```x"), "```x");
    }

    #[test]
    fn long_lines_are_broken_at_the_same_place_however_they_arrive() {
        let text = format!("{} {}", "a".repeat(LONG_LINE + 5), "é".repeat(LONG_LINE * 3));
        let (first, next) = next_line(&text, 0).unwrap();
        assert_eq!((first.end, next), (LONG_LINE + 5, LONG_LINE + 6));
        let (second, after) = next_line(&text, next).unwrap();
        assert_eq!((second.len(), after), (2 * LONG_LINE, second.end));
        assert_eq!(next_line(&text[..LONG_LINE + 5], 0), None);
        assert_eq!(next_line("short", 0), None);
        assert_eq!(next_whole_line("ab\n", 3), Some((3..3, 4)));
        assert_eq!(next_whole_line("ab\n", 4), None);
    }

    #[test]
    fn lines_of_their_own_are_known() {
        assert!(is_heading("## a") && is_heading("#") && !is_heading("#a") && !is_heading("####### a"));
        assert!(is_rule("- - -") && is_rule("___") && !is_rule("--") && !is_rule("-*-"));
        assert!(is_setext("==") && !is_setext("=-"));
        assert!(is_table_rule("| --- | :-: |") && !is_table_rule("---"));
        assert_eq!(raw_html("<!-- x"), Some(RawEnd::Mark("-->")));
        assert_eq!(raw_html("<PRE>"), Some(RawEnd::Tag));
        assert!(raw_html("<preface>").is_none() && raw_html("<div>").is_none());
    }
}
