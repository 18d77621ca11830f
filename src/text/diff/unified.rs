//! Writes unified diffs with three lines of context.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use similar::{DiffOp, DiffTag, group_diff_ops};

use super::compare::compare;

const CONTEXT_LINES: usize = 3;

/// A change as a unified diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// Empty when nothing changed.
    pub text: String,
    pub additions: usize,
    pub deletions: usize,
}

/// Compares two versions of a file.
pub fn unified(path: &str, old: &str, new: &str) -> UnifiedDiff {
    unified_renamed(Some(path), Some(path), old, new)
}

/// Compares a file with what it became under another name; no name stands for a file that does not exist.
///
/// A rename or creation without any change of lines has an empty text.
pub fn unified_renamed(old_path: Option<&str>, new_path: Option<&str>, old: &str, new: &str) -> UnifiedDiff {
    // Where the old text has no carriage returns, those of the new one are a change that has to be seen.
    let (old, new) = if old.contains("\r\n") {
        (with_lf(old), with_lf(new))
    } else {
        (Cow::Borrowed(old), Cow::Borrowed(new))
    };
    if old == new {
        return UnifiedDiff::default();
    }
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut diff = UnifiedDiff {
        text: header(old_path, new_path),
        ..UnifiedDiff::default()
    };
    for group in group_diff_ops(compare(&old_lines, &new_lines), CONTEXT_LINES) {
        diff.push_hunk(&group, &old_lines, &new_lines);
    }
    diff
}

/// One hunk of a change, with the lines that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffHunk {
    /// Lines of the old text, with the equal ones around the change.
    pub old: Range<usize>,
    /// The lines of the new text that stand in their place.
    pub new: Range<usize>,
    /// From its header to its last line.
    pub text: String,
    pub additions: usize,
    pub deletions: usize,
}

/// Returns the hunks of a change. Line breaks are compared as they are, so that one text is made of the other by its
/// lines alone: those of [`str::split_inclusive`].
pub fn diff_hunks(old: &str, new: &str) -> Vec<DiffHunk> {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let groups = group_diff_ops(compare(&old_lines, &new_lines), CONTEXT_LINES);
    let hunk = |group: Vec<DiffOp>| {
        let (first, last) = (group.first()?, group.last()?);
        let mut diff = UnifiedDiff::default();
        diff.push_hunk(&group, &old_lines, &new_lines);
        Some(DiffHunk {
            old: first.old_range().start..last.old_range().end,
            new: first.new_range().start..last.new_range().end,
            text: diff.text,
            additions: diff.additions,
            deletions: diff.deletions,
        })
    };
    groups.into_iter().filter_map(hunk).collect()
}

/// Makes the old text with some of the hunks of [`diff_hunks`] in it.
pub fn with_hunks(old: &str, new: &str, hunks: &[&DiffHunk]) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let mut text = String::new();
    let mut next = 0;
    for hunk in hunks {
        text.extend(old[next..hunk.old.start].iter().copied());
        text.extend(new[hunk.new.clone()].iter().copied());
        next = hunk.old.end;
    }
    text.extend(old[next..].iter().copied());
    text
}

fn with_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

fn header(old_path: Option<&str>, new_path: Option<&str>) -> String {
    let name = |side: &str, path: Option<&str>| match path {
        Some(path) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    format!("--- {}\n+++ {}\n", name("a", old_path), name("b", new_path))
}

impl UnifiedDiff {
    fn push_hunk(&mut self, ops: &[DiffOp], old: &[&str], new: &[&str]) {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else {
            return;
        };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        writeln!(self.text, "@@ -{} +{} @@", range(&old_range), range(&new_range))
            .expect("writing to a string cannot fail");
        for op in ops {
            if op.tag() == DiffTag::Equal {
                self.push_lines(' ', &old[op.old_range()]);
                continue;
            }
            self.push_lines('-', &old[op.old_range()]);
            self.push_lines('+', &new[op.new_range()]);
            self.deletions += op.old_range().len();
            self.additions += op.new_range().len();
        }
    }

    fn push_lines(&mut self, sign: char, lines: &[&str]) {
        for line in lines {
            self.text.push(sign);
            self.text.push_str(line);
            if !line.ends_with('\n') {
                self.text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
}

/// Writes a range of lines as a hunk's header does: an empty one names the line before it.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::diff::{Sign, parse_unified};
    use proptest::prelude::*;
    use std::time::Instant;

    #[test]
    fn shows_three_lines_around_a_change() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let diff = unified("src/a.rs", old, &old.replace("5\n", "five\n"));
        assert_eq!(
            diff.text,
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
        assert_eq!((diff.additions, diff.deletions), (1, 1));
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified("a", "x\r\ny", "x\ny"), UnifiedDiff::default());
    }

    #[test]
    fn a_missing_final_newline_is_told() {
        assert_eq!(
            unified("a", "x", "x\n").text,
            "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"
        );
    }

    #[test]
    fn created_and_deleted_files_have_one_side() {
        let created = unified_renamed(None, Some("a"), "", "x\ny\n");
        assert_eq!(created.text, "--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n");
        let deleted = unified_renamed(Some("a"), None, "x\n", "");
        assert_eq!(deleted.text, "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
    }

    #[test]
    fn a_lone_carriage_return_ends_no_line() {
        let diff = unified("a", "x\ry\n", "x\rz\n");
        assert_eq!(diff.text, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\ry\n+x\rz\n");
    }

    #[test]
    fn large_texts_without_much_in_common_do_not_hang() {
        let line = |seed: usize| format!("{}\n", seed.wrapping_mul(2_654_435_761) % 5000);
        let old: String = (0..50_000).map(line).collect();
        let new: String = (0..50_000).map(|index| line(index * 7 + 3)).collect();
        for (old, new) in [
            (old, new),
            ("a\nb\n".repeat(250_000), "b\na\na\n".repeat(175_000)),
        ] {
            let start = Instant::now();
            let diff = unified("a", &old, &new);
            assert!(diff.additions > 0);
            assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
        }
    }

    /// Applies a diff to the old text, reading the context too.
    fn apply(old: &str, diff: &str) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let mut new = String::new();
        let mut taken = 0;
        for hunk in parse_unified(diff) {
            let start = if hunk.old_len == 0 {
                hunk.old_start
            } else {
                hunk.old_start - 1
            };
            new.extend(old[taken..start].iter().copied());
            taken = start + hunk.old_len;
            for line in hunk.lines.iter().filter(|line| line.sign != Sign::Removed) {
                new.push_str(line.text);
                if !line.no_newline {
                    new.push('\n');
                }
            }
        }
        new.extend(old[taken..].iter().copied());
        new
    }

    #[test]
    fn a_text_is_made_with_some_of_its_hunks() {
        let old = (1..=30)
            .map(|line| format!("{line}\r\n"))
            .collect::<Vec<_>>()
            .concat();
        let new = old.replace("\r\n5\r\n", "\r\nfive\n").replace("25\r\n", "");
        let hunks = diff_hunks(&old, &new);
        assert_eq!(hunks.len(), 2);
        assert_eq!((hunks[0].additions, hunks[1].deletions), (1, 1));
        let only = |hunks: &[&DiffHunk]| with_hunks(&old, &new, hunks);
        assert_eq!(only(&[]), old);
        assert_eq!(only(&[&hunks[0]]), old.replace("\r\n5\r\n", "\r\nfive\n"));
        assert_eq!(only(&[&hunks[1]]), old.replace("25\r\n", ""));
    }

    proptest! {
        #[test]
        fn all_hunks_lead_from_the_old_text_to_the_new(old in "([abc]{0,2}\r?\n){0,40}[ab]?", new in "([abc]{0,2}\r?\n){0,40}[ab]?") {
            let hunks = diff_hunks(&old, &new);
            let all: Vec<_> = hunks.iter().collect();
            prop_assert_eq!(with_hunks(&old, &new, &all), new);
            prop_assert_eq!(with_hunks(&old, &old, &[]), old);
        }

        #[test]
        fn a_diff_leads_from_the_old_text_to_the_new(old in "([abc-]{0,2}\n){0,20}[ab]?", new in "([abc-]{0,2}\n){0,20}[ab]?") {
            let diff = unified("x", &old, &new);
            prop_assert_eq!(apply(&old, &diff.text), new);
            let lines = |sign| parse_unified(&diff.text).iter().flat_map(|hunk| &hunk.lines).filter(|line| line.sign == sign).count();
            prop_assert_eq!((lines(Sign::Added), lines(Sign::Removed)), (diff.additions, diff.deletions));
        }
    }
}
