//! The effect of a patch that is still being written, as far as it has come.
//!
//! For drawing only: it takes everything, and what is no patch is left out. The lines of chunks are those of a diff
//! already; only their place is not known.

use std::fmt::Write;

use super::parse::{BEGIN, END, Marker};

/// One section as far as it has streamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch<'a> {
    pub kind: SketchKind,
    pub path: &'a str,
    pub move_to: Option<&'a str>,
    /// A unified diff without true line numbers; empty when no line has come yet.
    pub diff: String,
    pub additions: usize,
    pub deletions: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SketchKind {
    Add,
    Delete,
    Update,
}

/// Lines of the chunk that is being read.
#[derive(Default)]
struct Open<'a> {
    lines: Vec<(char, &'a str)>,
}

/// Returns the sections that have begun.
pub fn sketch(text: &str) -> Vec<Sketch<'_>> {
    let mut sketches: Vec<Sketch<'_>> = Vec::new();
    let mut open = Open::default();
    for line in text.lines() {
        let begun = match Marker::of(line) {
            Some(Marker::Add(path)) => Some((SketchKind::Add, path)),
            Some(Marker::Delete(path)) => Some((SketchKind::Delete, path)),
            Some(Marker::Update(path)) => Some((SketchKind::Update, path)),
            _ => None,
        };
        if let Some((kind, path)) = begun {
            open.close(sketches.last_mut());
            sketches.push(Sketch {
                kind,
                path,
                move_to: None,
                diff: String::new(),
                additions: 0,
                deletions: 0,
            });
            continue;
        }
        let Some(current) = sketches.last_mut() else {
            continue;
        };
        match Marker::of(line) {
            Some(Marker::MoveTo(target)) => current.move_to = Some(target),
            Some(_) => {}
            None if line.trim() == "@@" || line.starts_with("@@ ") => open.close(Some(current)),
            None if line.trim() == END || line.trim() == BEGIN => {}
            None => open.push(line),
        }
    }
    open.close(sketches.last_mut());
    sketches
}

impl<'a> Open<'a> {
    fn push(&mut self, line: &'a str) {
        let mut chars = line.chars();
        match chars.next() {
            Some(sign @ (' ' | '+' | '-')) => self.lines.push((sign, chars.as_str())),
            None => self.lines.push((' ', "")),
            Some(_) => {}
        }
    }

    fn close(&mut self, sketch: Option<&mut Sketch<'_>>) {
        let lines = std::mem::take(&mut self.lines);
        let Some(sketch) = sketch.filter(|_| !lines.is_empty()) else {
            return;
        };
        let count = |sign: char| lines.iter().filter(|line| line.0 == sign).count();
        let (added, removed, context) = (count('+'), count('-'), count(' '));
        sketch.additions += added;
        sketch.deletions += removed;
        let (old, new) = (removed + context, added + context);
        let _ = writeln!(sketch.diff, "@@ -1,{old} +1,{new} @@");
        for (sign, text) in lines {
            sketch.diff.push(sign);
            sketch.diff.push_str(text);
            sketch.diff.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::diff::parse_unified;

    #[test]
    fn sections_grow_as_they_are_written() {
        let whole = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@ fn a\n one\n-two\n+2\n@@\n-x\n*** Add File: \
                     c\n+new\n*** Delete File: d\n*** End Patch\n";
        let sections = sketch(whole);
        let told: Vec<_> = sections
            .iter()
            .map(|sketch| (sketch.kind, sketch.path, sketch.additions, sketch.deletions))
            .collect();
        assert_eq!(
            told,
            [
                (SketchKind::Update, "a.rs", 1, 2),
                (SketchKind::Add, "c", 1, 0),
                (SketchKind::Delete, "d", 0, 0)
            ]
        );
        assert_eq!(sections[0].move_to, Some("b.rs"));
        assert_eq!(
            sections[0].diff,
            "@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -1,1 +1,0 @@\n-x\n"
        );
        assert_eq!(sketch(&whole[..33]).first().map(|first| first.path), Some(""));
        assert!(sketch("*** Begin Patch\n*** Upd").is_empty());
    }

    proptest! {
        #[test]
        fn any_beginning_of_any_text_can_be_drawn(
            text in "((\\*\\*\\* (Add|Update|Delete) File: a|@@| @@ b|\\*\\*\\* End Patch|[ +-]?[ab€*]{0,4})\r?\n){0,12}"
        ) {
            for sketch in sketch(&text) {
                let lines: usize = parse_unified(&sketch.diff).iter().map(|hunk| hunk.lines.len()).sum();
                prop_assert_eq!(lines, sketch.diff.lines().filter(|line| !line.starts_with("@@ ")).count());
            }
        }
    }
}
