//! The files of a diff, told apart.

use super::parse::{DiffLine, Hunk, parse_unified};

/// The part of a diff about one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileDiff<'a> {
    /// The name before, without the side's prefix; `None` for a file that was not there.
    pub old: Option<&'a str>,
    /// The name after; `None` for a file that is gone.
    pub new: Option<&'a str>,
    /// From the names to the last line of the last hunk.
    pub text: &'a str,
}

/// Parts a diff of several files. What stands before the names of the first one, and between two, is left out.
pub fn split_files(diff: &str) -> Vec<FileDiff<'_>> {
    let mut files: Vec<(usize, FileDiff<'_>)> = Vec::new();
    let mut left = (0, 0);
    let mut offset = 0;
    let mut before: Option<(usize, &str)> = None;
    for line in diff.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let text = line.trim_end_matches('\n');
        let is_note = text.starts_with("\\ ");
        if left != (0, 0) && !is_note {
            count_down(&mut left, text);
        } else if let Some(hunk) = parse_unified(text).first() {
            left = (hunk.old_len, hunk.new_len);
        } else if let Some(name) = text.strip_prefix("--- ") {
            before = Some((start, name));
            continue;
        } else if let (Some(name), Some((start, old))) = (text.strip_prefix("+++ "), before.take()) {
            let file = FileDiff {
                old: side(old, "a/"),
                new: side(name, "b/"),
                text: "",
            };
            files.push((start, file));
        } else if !is_note {
            before = None;
            continue;
        }
        if let Some((start, file)) = files.last_mut() {
            file.text = &diff[*start..offset];
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

fn count_down((old, new): &mut (usize, usize), line: &str) {
    match line.as_bytes().first() {
        Some(b'+') => *new = new.saturating_sub(1),
        Some(b'-') => *old = old.saturating_sub(1),
        Some(b' ') | None => {
            *old = old.saturating_sub(1);
            *new = new.saturating_sub(1);
        }
        // No line of a hunk: it ends before its time.
        Some(_) => (*old, *new) = (0, 0),
    }
}

fn side<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    // Git puts a tab behind a name that has blanks.
    let name = name.strip_suffix('\t').unwrap_or(name);
    (name != "/dev/null").then(|| name.strip_prefix(prefix).unwrap_or(name))
}

/// Takes hunks back from the text that they led to. `None` where it is another text.
pub fn unapply(text: &str, hunks: &[Hunk<'_>]) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut before = String::with_capacity(text.len());
    let mut next = 0;
    for hunk in hunks {
        let start = place(hunk);
        // Nothing before the hunk and nothing in it: it led to an empty text.
        if start == 0 && hunk.new_len == 0 && !lines.is_empty() {
            return None;
        }
        before.extend(lines.get(next..start)?.iter().copied());
        next = start + hunk.new_len;
        if !matches(hunk, lines.get(start..next)?) {
            return None;
        }
        for line in hunk.lines.iter().filter(|line| line.old_line.is_some()) {
            before.push_str(line.text);
            if !line.no_newline {
                before.push('\n');
            }
        }
    }
    before.extend(lines.get(next..)?.iter().copied());
    Some(before)
}

/// Like [`unapply`], from a text that has gone on since: a hunk may stand elsewhere by now, or may have been taken back
/// already. `None` where a hunk is neither there nor undone.
pub fn unapply_loosely(text: &str, hunks: &[Hunk<'_>]) -> Option<String> {
    let mut lines: Vec<PatchPiece<'_>> = text.split_inclusive('\n').map(PatchPiece::of).collect();
    // From the last one on, so that the places of those before stay.
    for hunk in hunks.iter().rev() {
        let expected = place(hunk);
        let pieces = |is_in: fn(&DiffLine<'_>) -> bool| -> Vec<PatchPiece<'_>> {
            let lines = hunk.lines.iter().filter(|line| is_in(line));
            lines.map(PatchPiece::of_diff).collect()
        };
        let (before, after) = (
            pieces(|line| line.old_line.is_some()),
            pieces(|line| line.new_line.is_some()),
        );
        // A hunk without lines before is undone only where nothing is left.
        let is_undone =
            (!before.is_empty() || lines.is_empty()) && nearest(&lines, &before, expected).is_some();
        // Nothing stands everywhere: a text that went as a whole is gone only where there is none.
        let is_known = !after.is_empty() || lines.is_empty();
        match nearest(&lines, &after, expected).filter(|_| is_known) {
            Some(start) if start == expected || !is_undone => {
                lines.splice(start..start + after.len(), before);
            }
            _ if is_undone => {}
            _ => return None,
        }
    }
    let mut before = String::with_capacity(text.len());
    for piece in lines {
        before.push_str(piece.text);
        before.extend(piece.has_newline.then_some('\n'));
    }
    Some(before)
}

/// A line with what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PatchPiece<'a> {
    text: &'a str,
    has_newline: bool,
}

impl<'a> PatchPiece<'a> {
    fn of(line: &'a str) -> Self {
        let text = line.strip_suffix('\n');
        Self {
            text: text.unwrap_or(line),
            has_newline: text.is_some(),
        }
    }

    fn of_diff(line: &DiffLine<'a>) -> Self {
        Self {
            text: line.text,
            has_newline: !line.no_newline,
        }
    }
}

/// Returns the position of `wanted` in `lines` that is nearest to `expected`.
fn nearest(lines: &[PatchPiece<'_>], wanted: &[PatchPiece<'_>], expected: usize) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let starts = (0..=last).filter(|start| lines[*start..*start + wanted.len()] == *wanted);
    starts.min_by_key(|start| start.abs_diff(expected))
}

/// Lines before the hunk in the new text.
fn place(hunk: &Hunk<'_>) -> usize {
    match hunk.new_len {
        0 => hunk.new_start,
        _ => hunk.new_start.saturating_sub(1),
    }
}

fn matches(hunk: &Hunk<'_>, lines: &[&str]) -> bool {
    let after: Vec<_> = hunk.lines.iter().filter(|line| line.new_line.is_some()).collect();
    after.len() == lines.len()
        && after.iter().zip(lines).all(|(line, there)| {
            let text = there.strip_suffix('\n');
            text.is_none() == line.no_newline && text.unwrap_or(there) == line.text
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::diff::{unified, unified_renamed};

    #[test]
    fn files_are_told_apart_whatever_their_lines_look_like() {
        let diff = "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n z\n\
                    diff --git a/n b/n\nnew file\n--- /dev/null\n+++ b/n n\t\n@@ -0,0 +1 @@\n+1\n\\ No newline at end of file\n\
                    diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n";
        let files = split_files(diff);
        let names: Vec<_> = files.iter().map(|file| (file.old, file.new)).collect();
        assert_eq!(names, [(Some("x"), Some("x")), (None, Some("n n"))]);
        assert!(files[0].text.starts_with("--- a/x\n") && files[0].text.ends_with(" z\n"));
        assert!(
            files[1].text.ends_with("newline at end of file\n"),
            "{}",
            files[1].text
        );
    }

    #[test]
    fn a_hunk_is_taken_back_only_from_the_text_it_led_to() {
        let (old, new) = ("a\nb\nc\n", "a\nB\nc\n");
        let diff = unified("x", old, new).text;
        let hunks = parse_unified(&diff);
        assert_eq!(unapply(new, &hunks).as_deref(), Some(old));
        assert_eq!(unapply("a\nB\nd\n", &hunks), None);
        assert_eq!(unapply("a\nB\nc", &hunks), None);
        assert_eq!(unapply("", &hunks), None);
        let created = unified_renamed(None, Some("x"), "", new).text;
        assert_eq!(unapply(new, &parse_unified(&created)).as_deref(), Some(""));
        let removed = unified_renamed(Some("x"), None, old, "").text;
        assert_eq!(unapply("", &parse_unified(&removed)).as_deref(), Some(old));
        assert_eq!(unapply("x\n", &parse_unified(&removed)), None);
    }

    #[test]
    fn a_text_that_went_on_is_taken_back_as_far_as_the_hunks_are_known() {
        let old = (1..=40)
            .map(|line| format!("{line}\n"))
            .collect::<Vec<_>>()
            .concat();
        let new = old.replace("\n10\n", "\nten\n").replace("\n30\n", "\nthirty\n");
        let diff = unified("x", &old, &new).text;
        let hunks = parse_unified(&diff);
        assert_eq!(unapply_loosely(&new, &hunks).as_deref(), Some(old.as_str()));
        let moved = format!("0\n{new}");
        assert_eq!(unapply_loosely(&moved, &hunks), Some(format!("0\n{old}")));
        let half = new.replace("ten\n", "10\n");
        assert_eq!(unapply_loosely(&half, &hunks).as_deref(), Some(old.as_str()));
        assert_eq!(unapply_loosely(&old, &hunks).as_deref(), Some(old.as_str()));
        assert_eq!(unapply_loosely("other\n", &hunks), None);
        let created = unified_renamed(None, Some("x"), "", "1\n").text;
        let created = parse_unified(&created);
        assert_eq!(unapply_loosely("", &created).as_deref(), Some(""));
        assert_eq!(unapply_loosely("2\n", &created), None);
        let removed = unified_renamed(Some("x"), None, "1\n", "").text;
        let removed = parse_unified(&removed);
        assert_eq!(unapply_loosely("", &removed).as_deref(), Some("1\n"));
        assert_eq!(unapply_loosely("1\n", &removed).as_deref(), Some("1\n"));
        assert_eq!(unapply_loosely("2\n", &removed), None);
    }

    proptest! {
        #[test]
        fn what_was_changed_can_be_taken_back(old in "([a-d]\n){0,30}[a-d]?", new in "([a-d]\n){0,30}[a-d]?") {
            let diff = unified("x", &old, &new).text;
            let hunks = parse_unified(&diff);
            prop_assert_eq!(unapply(&new, &hunks), Some(old));
            prop_assert!(unapply_loosely(&new, &hunks).is_some());
        }
    }
}
