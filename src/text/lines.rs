//! The lines of a text and where they lie.
//!
//! Lines end at `\n`; a final one begins no further line, so an empty text has none.

#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0)
            .chain(breaks)
            .filter(|start| *start < text.len())
            .collect();
        Self { text, starts }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns a line without its break.
    pub(super) fn get(&self, line: usize) -> &'a str {
        &self.text[self.starts[line]..self.end(line)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> + '_ {
        (0..self.count()).map(|line| self.get(line))
    }

    /// Returns where a line starts; behind the last one, where the text ends.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Returns where a line's text ends, before its break.
    pub(super) fn end(&self, line: usize) -> usize {
        match self.starts.get(line + 1) {
            Some(next) => next - 1,
            None => self.text.strip_suffix('\n').unwrap_or(self.text).len(),
        }
    }

    /// Returns true if there is a last line and it has no break.
    pub(super) fn lacks_final_break(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }

    /// Returns the line that an offset lies in, 0-based.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_newline_is_no_line() {
        for (text, expected) in [
            ("", &[][..]),
            ("\n", &[""]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\n\n", &["a", ""]),
            ("\na", &["", "a"]),
        ] {
            assert_eq!(Lines::new(text).iter().collect::<Vec<_>>(), expected, "{text:?}");
        }
    }

    #[test]
    fn an_offset_lies_in_the_line_that_its_break_ends() {
        let lines = Lines::new("ab\ncd");
        assert_eq!([lines.line_of(2), lines.line_of(3)], [0, 1]);
        assert_eq!([lines.start(1), lines.start(2)], [3, 5]);
    }
}
