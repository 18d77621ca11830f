//! Draws a patch: one diff for each file, as it streams and as it was applied.

use super::FileDetails;
use crate::text::patch::{Sketch, SketchKind, sketch};
use crate::tool::change::{COLLAPSED_LINES, ChangeKind};
use crate::tool::{RenderCx, plural};
use crate::view::card::{Card, CardPart, DiffBody, Fact, FileTarget, Tone, ToneLine, ToneSpan};

/// Files that a card names unless it is expanded.
const COLLAPSED_FILES: usize = 8;

/// Draws a patch as far as its text has come; what is written last is what is shown.
pub(super) fn of_text(text: &str, cx: RenderCx) -> Card {
    let sketches = sketch(text);
    let files: Vec<_> = sketches.iter().map(FileDetails::of_sketch).collect();
    let room = if cx.expanded {
        vec![usize::MAX; files.len()]
    } else {
        let mut room = shares(files.iter().rev());
        room.reverse();
        room
    };
    card(&files, &room, cx)
}

pub(super) fn of_files(files: &[FileDetails], cx: RenderCx) -> Card {
    let room = if cx.expanded {
        vec![usize::MAX; files.len()]
    } else {
        shares(files.iter())
    };
    card(files, &room, cx)
}

/// Deals the lines that a collapsed card has out to the files, one after the other.
fn shares<'a>(files: impl Iterator<Item = &'a FileDetails>) -> Vec<usize> {
    let mut left = COLLAPSED_LINES;
    files
        .map(|file| {
            let share = left;
            left = left.saturating_sub(file.diff.lines().count());
            share
        })
        .collect()
}

fn card(files: &[FileDetails], room: &[usize], cx: RenderCx) -> Card {
    let mut card = match files {
        [] => Card::new("Patch", ""),
        [file] => Card {
            argument: file.name(),
            ..Card::of_file("Patch", file.target())
        },
        _ => Card::new("Patch", plural(files.len(), "file")),
    };
    let sum = |of: fn(&FileDetails) -> usize| files.iter().map(of).sum::<usize>();
    let (additions, deletions) = (sum(|file| file.additions), sum(|file| file.deletions));
    if additions + deletions > 0 {
        card = card.meta(Fact::changed(additions, deletions));
    }
    let most = if cx.expanded { usize::MAX } else { COLLAPSED_FILES };
    // A patch that is still being written is looked at where it grows.
    let skipped = match files.first() {
        Some(first) if first.is_unplaced => files.len().saturating_sub(most),
        _ => 0,
    };
    card = card.leaving_out(skipped, |skipped| format!("{} above", plural(skipped, "file")));
    let has_heads = files.len() > 1 || files.iter().any(|file| !file.is_plain());
    for (file, &room) in files.iter().zip(room).skip(skipped).take(most) {
        if has_heads {
            card = card.part(CardPart::Lines(vec![file.head()]));
        }
        if let Some(part) = file.body(room, cx) {
            card = card.part(part);
        }
    }
    let left_out = files.len().saturating_sub(skipped).saturating_sub(most);
    card.leaving_out(left_out, |more| plural(more, "more file"))
}

impl FileDetails {
    fn of_sketch(sketch: &Sketch<'_>) -> Self {
        Self {
            kind: match (sketch.kind, sketch.move_to) {
                (SketchKind::Add, _) => ChangeKind::Add,
                (SketchKind::Delete, _) => ChangeKind::Delete,
                (SketchKind::Update, None) => ChangeKind::Update,
                (SketchKind::Update, Some(_)) => ChangeKind::Move,
            },
            path: sketch.path.to_owned(),
            move_path: sketch.move_to.map(str::to_owned),
            diff: sketch.diff.clone(),
            additions: sketch.additions,
            deletions: sketch.deletions,
            is_unplaced: true,
            ..Self::default()
        }
    }

    fn name(&self) -> String {
        match &self.move_path {
            Some(target) => format!("{} → {target}", self.path),
            None => self.path.clone(),
        }
    }

    /// An update of the file that the card's title names needs no line above its diff.
    fn is_plain(&self) -> bool {
        self.kind == ChangeKind::Update
    }

    fn final_path(&self) -> &str {
        self.move_path.as_ref().unwrap_or(&self.path)
    }

    /// The file as it is called in the end.
    fn target(&self) -> FileTarget {
        let path = self.final_path();
        if self.is_unplaced {
            FileTarget::given(path)
        } else {
            FileTarget::shown(path)
        }
    }

    fn head(&self) -> ToneLine {
        let what = match (self.kind, self.replaces) {
            (ChangeKind::Add, false) => "new",
            (ChangeKind::Add, true) => "replaced",
            (ChangeKind::Update, _) => "",
            (ChangeKind::Delete, _) => "deleted",
            (ChangeKind::Move, false) => "moved",
            (ChangeKind::Move, true) => "moved over another file",
        };
        let tone = match self.kind {
            ChangeKind::Delete => Tone::Danger,
            ChangeKind::Add | ChangeKind::Update | ChangeKind::Move => Tone::Muted,
        };
        let mut spans = vec![
            ToneSpan::aside(tone, format!("{} ", self.kind.letter())),
            ToneSpan::new(Tone::Strong, self.name()),
        ];
        if !what.is_empty() {
            spans.push(ToneSpan::new(tone, format!(" · {what}")));
        }
        ToneLine::from(spans).about(self.target())
    }

    fn body(&self, room: usize, cx: RenderCx) -> Option<CardPart> {
        if self.diff.is_empty() || room == 0 {
            return None;
        }
        Some(CardPart::Diff(DiffBody {
            path: self.final_path().to_owned(),
            unified: self.diff.clone(),
            max_lines: if cx.expanded { 0 } else { room },
            is_unplaced: self.is_unplaced,
        }))
    }
}
