//! Line offsets of a text.

/// The lines of a text; a final line break makes no further one.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// Offset of each line, followed by the length of the text.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        if !text.is_empty() && !text.ends_with('\n') {
            starts.push(text.len());
        }
        Self { text, starts }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the offset of a line; behind the last one that is the end of the text.
    pub(super) fn start(&self, index: usize) -> usize {
        self.starts[index]
    }

    /// Returns the end offset of a line, without its break.
    pub(super) fn end(&self, index: usize) -> usize {
        let end = self.starts[index + 1];
        let has_break = end > self.starts[index] && self.text.as_bytes()[end - 1] == b'\n';
        end - usize::from(has_break)
    }

    pub(super) fn line(&self, index: usize) -> &'a str {
        &self.text[self.starts[index]..self.end(index)]
    }

    /// Returns true if there is a last line and it has no break.
    pub(super) fn lacks_final_break(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }
}
