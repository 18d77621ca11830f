//! The question before something is applied or discarded, over the last rows of the page.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{CANCEL, CONFIRM, KnownTree, QUESTION_KEYS, TickCounts, TreeChangesPage, TreeQuestion};
use crate::session::host::TreeFile;
use crate::text::count::plural;
use crate::text::sanitize::{Revealed, reveal_line};
use crate::tui::dialog::Choice;
use crate::tui::layer::LayerCx;

/// Files that a question names.
const NAMED: usize = 6;

impl TreeChangesPage {
    pub(super) fn draw_question(&self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let Some(question) = self.question else { return };
        let name = reveal_line(&self.tree.name);
        let (text, details, answers) = match question {
            TreeQuestion::Apply(counts) => (
                apply_words(counts),
                self.configuring(counts),
                [(CONFIRM, "applies"), (CANCEL, "cancels")],
            ),
            TreeQuestion::Discard => (
                Revealed::own("Discard the tree of ")
                    .and(name)
                    .and("? Unapplied changes are lost:"),
                self.lost(cx),
                [(CONFIRM, "discards"), (CANCEL, "keeps the tree")],
            ),
            TreeQuestion::Remove => (
                Revealed::own("Remove the tree of ")
                    .and(name)
                    .and("? All its changes are applied."),
                Vec::new(),
                [(CONFIRM, "removes"), (CANCEL, "keeps the tree")],
            ),
        };
        Choice::new(text, details, &QUESTION_KEYS, answers).draw(area, buffer, cx);
    }

    /// Returns the ticked files that configure lathe, under a line that says so.
    fn configuring(&self, counts: TickCounts) -> Vec<Revealed> {
        let what = match counts.configuring {
            0 => return Vec::new(),
            1 => "1 of them configures lathe, which asks before it reads it:",
            _ => "some of them configure lathe, which asks before it reads them:",
        };
        let files = self.ticks.configuring(self.files());
        let mut lines = vec![Revealed::own(what)];
        lines.extend(files.take(NAMED).map(|file| reveal_line(&file.path)));
        if counts.configuring > NAMED {
            let more = plural(counts.configuring - NAMED, "more file");
            lines.push(reveal_line(&format!("and {more}")));
        }
        lines
    }

    /// Returns the work that would go with the tree.
    fn lost(&self, cx: &LayerCx<'_>) -> Vec<Revealed> {
        let KnownTree::Compared(changes) = &self.known else {
            let words = "it cannot be compared with its base, so everything in it is lost";
            return vec![Revealed::own(words)];
        };
        let file = |file: &TreeFile| {
            if (file.additions, file.deletions) == (0, 0) {
                return reveal_line(&file.path);
            }
            let figures = format!(
                "  +{} {}{}",
                file.additions,
                cx.look.symbols.minus(),
                file.deletions
            );
            reveal_line(&file.path).and(reveal_line(&figures))
        };
        let mut lost: Vec<Revealed> = changes.files.iter().take(NAMED).map(file).collect();
        if changes.files.len() > NAMED {
            let more = plural(changes.files.len() - NAMED, "more file");
            lost.push(reveal_line(&format!("and {more}")));
        }
        if let Some(note) = &changes.note {
            lost.push(Revealed::own("it ").and(reveal_line(note)));
        }
        lost
    }
}

/// `Apply 3 hunks in 2 files to the project?`
fn apply_words(counts: TickCounts) -> Revealed {
    let files = plural(counts.files, "file");
    let what = match counts {
        TickCounts { hunks: 0, .. } => files,
        TickCounts {
            hunks,
            without_hunks: 0,
            ..
        } => format!("{} in {files}", plural(hunks, "hunk")),
        TickCounts {
            hunks, without_hunks, ..
        } => format!(
            "{} in {}, and {} without hunks,",
            plural(hunks, "hunk"),
            plural(counts.files - without_hunks, "file"),
            plural(without_hunks, "file")
        ),
    };
    reveal_line(&format!("Apply {what} to the project?"))
}
