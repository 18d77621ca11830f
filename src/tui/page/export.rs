//! Export of a session to a file, the clipboard or the editor, as Markdown or JSON.
//!
//! A file that is there already is replaced only by a second `enter`.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::Page;
use super::rows::{failure, remark};
use crate::session::export::{ExportFormat, file_name};
use crate::session::query::{Answer, ExportOutcome, ExportRequest, Query};
use crate::text::sanitize::sanitize_line;
use crate::text::size::size_words;
use crate::text::width::pad;
use crate::tui::commands::LayerCommand;
use crate::tui::composer::{Composer, ComposerStyle, Draft, EditEffect};
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest, LayerUpdate};
use crate::tui::statusbar::Hints;
use crate::tui::terminal_environment::path_words;
use crate::view::theme::Meaning;

pub(super) static PAGE: Page = Page {
    action: "export",
    leader: &[],
    description: "export the session",
    brief: "export",
    command: LayerCommand {
        name: "export",
        also: &[],
        about: "Writes the session to a file, the clipboard or $EDITOR, as Markdown or JSON.",
        after: "status",
    },
    keys: &[&KEYS],
    open: |title| Box::new(Export::new(title)),
};

static KEYS: LayerKeys = LayerKeys {
    name: "export",
    title: "Export",
    takes_text: true,
    rows: &[
        KeyRow::new(&["enter"], Action::PickRow, "export"),
        KeyRow::new(&["up"], Action::RowUp, "choose another target"),
        KeyRow::new(&["down"], Action::RowDown, "choose another target"),
        KeyRow::new(&["tab"], NEXT_FORMAT, "Markdown or JSON"),
    ],
};

const NEXT_FORMAT: Action = Action::OfLayer("next-format");

/// Columns of a target's name.
const NAME: usize = 11;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExportTarget {
    File,
    Clipboard,
    Editor,
}

const TARGETS: [ExportTarget; 3] = [ExportTarget::File, ExportTarget::Clipboard, ExportTarget::Editor];

pub(super) struct Export {
    target: ExportTarget,
    format: ExportFormat,
    path: Composer,
    /// The name was changed by hand: another format leaves it alone.
    is_named: bool,
    state: ExportState,
}

enum ExportState {
    Asking,
    Writing,
    /// Something is there; the same key again replaces it.
    Exists(String),
    Failed(String),
}

impl Export {
    /// Suggests a name after the session's title.
    pub(super) fn new(title: &str) -> Self {
        let mut path = Composer::default();
        path.set(Draft::from_text(file_name(title, ExportFormat::Markdown)));
        Self {
            target: ExportTarget::File,
            format: ExportFormat::Markdown,
            path,
            is_named: false,
            state: ExportState::Asking,
        }
    }

    fn next_format(&mut self) {
        let before = self.format;
        self.format = match before {
            ExportFormat::Markdown => ExportFormat::Json,
            ExportFormat::Json => ExportFormat::Markdown,
        };
        let text = self.path.text();
        let stem = text.strip_suffix(&format!(".{}", before.extension()));
        if let Some(stem) = stem.filter(|_| !self.is_named) {
            let name = format!("{stem}.{}", self.format.extension());
            self.path.set(Draft::from_text(name));
        }
    }

    fn step(&mut self, step: usize) {
        let place = TARGETS.iter().position(|target| *target == self.target);
        let next = (place.unwrap_or(0) + step) % TARGETS.len();
        self.target = TARGETS[next];
    }

    fn export(&mut self) -> LayerReply {
        let path = self.path.text().trim().to_owned();
        let replace = matches!(&self.state, ExportState::Exists(there) if *there == path);
        if self.target == ExportTarget::File && path.is_empty() {
            self.state = ExportState::Failed("The file needs a name.".to_owned());
            return LayerReply::Done;
        }
        self.state = ExportState::Writing;
        LayerReply::Request(LayerRequest::Ask(match self.target {
            ExportTarget::File => Query::Keep(ExportRequest {
                format: self.format,
                path,
                replace,
            }),
            ExportTarget::Clipboard | ExportTarget::Editor => Query::Export(self.format),
        }))
    }

    fn edited(&mut self) {
        self.target = ExportTarget::File;
        self.is_named = true;
        self.state = ExportState::Asking;
    }

    fn on_saved(&mut self, kept: &ExportOutcome) -> LayerReply {
        match kept {
            ExportOutcome::Exists(_) => {
                self.state = ExportState::Exists(self.path.text().trim().to_owned());
                LayerReply::Done
            }
            ExportOutcome::Written { path, bytes } => LayerReply::Close(Some(LayerRequest::TellOfExport {
                path: path.clone(),
                bytes: *bytes,
            })),
        }
    }

    fn lines(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let what = match self.format {
            ExportFormat::Markdown => "Markdown: the messages, the calls and the diffs, to read.",
            ExportFormat::Json => "JSON: everything, with arguments, outputs and details, for programs.",
        };
        match &self.state {
            ExportState::Asking => remark(what, width, cx),
            ExportState::Writing => remark("Writing.", width, cx),
            ExportState::Exists(path) => {
                let sentence = format!(
                    "`{path}` already exists; {} again replaces it.",
                    cx.keymap.label(Context::Layer(&KEYS), Action::PickRow)
                );
                failure(&sentence, width, cx)
            }
            ExportState::Failed(sentence) => failure(sentence, width, cx),
        }
    }
}

impl Layer for Export {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Page(&PAGE))
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        match action {
            Action::PickRow if matches!(self.state, ExportState::Writing) => {}
            Action::PickRow => return self.export(),
            Action::RowDown => self.step(1),
            Action::RowUp => self.step(TARGETS.len() - 1),
            NEXT_FORMAT => {
                self.next_format();
                self.state = ExportState::Asking;
            }
            Action::Edit(edit) => {
                if self.path.edit(edit) == EditEffect::Text {
                    self.edited();
                }
            }
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn write(&mut self, text: &str) -> LayerReply {
        let text = sanitize_line(text);
        text.chars().for_each(|c| self.path.insert_char(c));
        self.edited();
        LayerReply::Done
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        let LayerUpdate::Answer(Query::Keep(_) | Query::Export(_), answer) = news else {
            return LayerReply::Ignored;
        };
        self.state = ExportState::Asking;
        match (answer, self.target) {
            (Answer::Kept(kept), _) => self.on_saved(kept),
            (Answer::Export(text), ExportTarget::Editor) => {
                LayerReply::Close(Some(LayerRequest::ViewSession(text.clone())))
            }
            (Answer::Export(text), _) => LayerReply::Close(Some(LayerRequest::Copy {
                text: text.clone(),
                what: "the session",
            })),
            (Answer::Failed(sentence), _) => {
                self.state = ExportState::Failed(sentence.clone());
                LayerReply::Done
            }
            _ => LayerReply::Done,
        }
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.step(if rows < 0 { TARGETS.len() - 1 } else { 1 });
        LayerReply::Done
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let key = |action| keymap.label(Context::Layer(&KEYS), action);
        hints.key(key(Action::PickRow), "exports");
        hints.key(
            key(NEXT_FORMAT),
            match self.format {
                ExportFormat::Markdown => "JSON",
                ExportFormat::Json => "Markdown",
            },
        );
        hints.pair(key(Action::RowUp), key(Action::RowDown), "another target");
        hints.key(keymap.label(Context::Global, Action::Escape), "closes");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        Clear.render(area, buffer);
        let heading = Line::styled(" Export to", cx.look.style(Meaning::TextStrong));
        buffer.set_line(area.x, area.y, &heading, area.width);
        let mut caret = None;
        let rows = area.rows().skip(2);
        for (row, target) in rows.zip(TARGETS) {
            let is_chosen = target == self.target;
            let mark = if is_chosen { cx.look.symbols.pointer() } else { " " };
            let name = match target {
                ExportTarget::File => "a file",
                ExportTarget::Clipboard => "clipboard",
                ExportTarget::Editor => "$EDITOR",
            };
            let style = if is_chosen {
                Meaning::Text
            } else {
                Meaning::TextMuted
            };
            let line = Line::from(vec![
                Span::styled(format!(" {mark} "), cx.look.style(Meaning::Accent)),
                Span::styled(pad(name, NAME).into_owned(), cx.look.style(style)),
            ]);
            buffer.set_line(row.x, row.y, &line, row.width);
            if target == ExportTarget::File {
                let left = row.x + 3 + NAME as u16;
                let field = Rect {
                    x: left,
                    width: row.width.saturating_sub(left - row.x + 1),
                    ..row
                };
                let bar = if is_chosen { Meaning::Accent } else { Meaning::Rule };
                let look = ComposerStyle {
                    text: cx.look.style(style),
                    bar_style: cx.look.style(bar),
                    ..ComposerStyle::new(cx.look.symbols.bar(), "its name", cx.look.theme)
                };
                caret = self.path.draw(field, buffer, &look).filter(|_| is_chosen);
            }
        }
        let below = area.rows().skip(3 + TARGETS.len());
        for (row, line) in below.zip(self.lines(usize::from(area.width), cx)) {
            buffer.set_line(row.x, row.y, &line, row.width);
        }
        caret
    }
}

/// Returns the notice once the file is there.
pub(crate) fn written(path: &std::path::Path, bytes: usize, home: Option<&std::path::Path>) -> String {
    let size = size_words(bytes as u64);
    format!(
        "The session was exported to `{}`, {size}.",
        path_words(path, home)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_format_changes_the_ending_unless_the_name_is_the_persons() {
        let mut export = Export::new("a");
        export.act(NEXT_FORMAT);
        assert_eq!(export.path.text(), "lathe-a.json");
        export.write("x");
        export.act(NEXT_FORMAT);
        assert_eq!(export.path.text(), "lathe-a.jsonx");
    }
}
