//! Reads unified diffs for drawing.
//!
//! Generous: what is no hunk is skipped, a hunk that is cut short ends where the text does. The counts in a hunk's
//! header decide where it ends, so that a removed line `-- a/x` is not taken for a file header.

/// A stretch of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// First line in the old text, 1-based; for an empty side the line before.
    pub old_start: usize,
    pub old_len: usize,
    pub new_start: usize,
    pub new_len: usize,
    /// The text behind the second `@@`: the function, if the writer knew it.
    pub heading: &'a str,
    pub lines: Vec<DiffLine<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLine<'a> {
    pub sign: Sign,
    /// Without sign and line break.
    pub text: &'a str,
    /// Line number in the old text; none for added lines.
    pub old_line: Option<usize>,
    /// Line number in the new text; none for removed lines.
    pub new_line: Option<usize>,
    /// True if the text ends here without a line break.
    pub no_newline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sign {
    Context,
    Added,
    Removed,
}

impl Sign {
    /// Returns the character at the line's beginning.
    pub fn as_char(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Added => '+',
            Self::Removed => '-',
        }
    }
}

/// Returns the hunks of a unified diff, of all its files in order.
pub fn parse_unified(diff: &str) -> Vec<Hunk<'_>> {
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    let mut counter = Counter::default();
    for line in diff.split_terminator('\n') {
        if line.starts_with("\\ ") {
            if let Some(last) = hunks.last_mut().and_then(|hunk| hunk.lines.last_mut()) {
                last.no_newline = true;
            }
            continue;
        }
        if counter.is_done() {
            if let Some(hunk) = parse_header(line) {
                counter = Counter::of(&hunk);
                hunks.push(hunk);
            }
            continue;
        }
        if let (Some(line), Some(hunk)) = (counter.read(line), hunks.last_mut()) {
            hunk.lines.push(line);
            continue;
        }
        // No line of a hunk: the hunk ends before its time.
        counter = Counter::default();
        if let Some(hunk) = parse_header(line) {
            counter = Counter::of(&hunk);
            hunks.push(hunk);
        }
    }
    hunks
}

/// Counts down the lines that a hunk still has.
#[derive(Default)]
struct Counter {
    old_line: usize,
    new_line: usize,
    old_left: usize,
    new_left: usize,
}

impl Counter {
    fn of(hunk: &Hunk<'_>) -> Self {
        Self {
            old_line: hunk.old_start,
            new_line: hunk.new_start,
            old_left: hunk.old_len,
            new_left: hunk.new_len,
        }
    }

    fn is_done(&self) -> bool {
        self.old_left == 0 && self.new_left == 0
    }

    fn read<'a>(&mut self, line: &'a str) -> Option<DiffLine<'a>> {
        let (sign, text) = match line.as_bytes().first() {
            Some(b' ') => (Sign::Context, &line[1..]),
            Some(b'+') => (Sign::Added, &line[1..]),
            Some(b'-') => (Sign::Removed, &line[1..]),
            // Some writers and many mail programs drop the blank of an empty context line.
            None => (Sign::Context, line),
            Some(_) => return None,
        };
        let old_line = (sign != Sign::Added).then_some(self.old_line);
        let new_line = (sign != Sign::Removed).then_some(self.new_line);
        if old_line.is_some() {
            self.old_left = self.old_left.checked_sub(1)?;
            self.old_line += 1;
        }
        if new_line.is_some() {
            self.new_left = self.new_left.checked_sub(1)?;
            self.new_line += 1;
        }
        Some(DiffLine {
            sign,
            text,
            old_line,
            new_line,
            no_newline: false,
        })
    }
}

/// Reads `@@ -1,2 +3,4 @@ heading`.
fn parse_header(line: &str) -> Option<Hunk<'_>> {
    let (ranges, heading) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let (old_start, old_len) = parse_range(old)?;
    let (new_start, new_len) = parse_range(new)?;
    Some(Hunk {
        old_start,
        old_len,
        new_start,
        new_len,
        heading: heading.trim(),
        lines: Vec::new(),
    })
}

fn parse_range(range: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.parse::<u32>().ok().map(|number| number as usize);
    match range.split_once(',') {
        Some((start, len)) => Some((number(start)?, number(len)?)),
        None => Some((number(range)?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_carry_their_numbers_on_both_sides() {
        let hunks = parse_unified("--- a/x\n+++ b/x\n@@ -4,3 +4,3 @@ fn main()\n a\n-b\n+c\n d\n");
        assert_eq!(hunks.len(), 1);
        let hunk = &hunks[0];
        assert_eq!(
            (hunk.old_start, hunk.new_start, hunk.heading),
            (4, 4, "fn main()")
        );
        let numbers: Vec<_> = hunk
            .lines
            .iter()
            .map(|line| (line.sign.as_char(), line.old_line, line.new_line))
            .collect();
        assert_eq!(
            numbers,
            [
                (' ', Some(4), Some(4)),
                ('-', Some(5), None),
                ('+', None, Some(5)),
                (' ', Some(6), Some(6))
            ]
        );
    }

    #[test]
    fn changed_lines_that_look_like_file_headers_are_lines() {
        let hunks =
            parse_unified("@@ -1,2 +1,2 @@\n--- a\n-\n+++ b\n+\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-x\n+y\n");
        assert_eq!(hunks.len(), 2);
        assert_eq!(
            hunks[0].lines.iter().map(|line| line.text).collect::<Vec<_>>(),
            ["-- a", "", "++ b", ""]
        );
    }

    #[test]
    fn a_hunk_cut_short_keeps_what_it_has() {
        let hunks = parse_unified("@@ -1,9 +1,9 @@\n a\n-b");
        assert_eq!(hunks[0].lines.len(), 2);
        let hunks = parse_unified("@@ -1,9 +1,9 @@\n a\ngarbage\n@@ -20 +20 @@\n-x\n+y\n");
        assert_eq!((hunks.len(), hunks[1].lines.len()), (2, 2));
    }

    #[test]
    fn a_missing_newline_belongs_to_the_line_before() {
        let hunks = parse_unified("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
        assert!(hunks[0].lines[0].no_newline && !hunks[0].lines[1].no_newline);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "([ @,+\\\\0-9-]{0,9}\n?|@@ -[0-9],[0-9] \\+[0-9],[0-9] @@\n){0,12}") {
            parse_unified(&text);
        }
    }
}
