//! The page on screen: the message to go back to, the choice, what `enter` would do, and the files.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::super::rows::{failure, remark, sentence};
use super::{CONFIRM, SCOPES, UndoPage};
use crate::journal::PlannedAction;
use crate::session::undo::{UndoDirection, UndoList, UndoScope};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::text::width::{str_width, truncate};
use crate::tui::area::below;
use crate::tui::keymap::Context;
use crate::tui::layer::LayerCx;
use crate::view::styled_text::draw_lines;
use crate::view::theme::Meaning;

/// Stands before what is said about the undo.
const INDENT: &str = "  ";

impl UndoPage {
    pub(super) fn draw_all(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        Clear.render(area, buffer);
        let width = usize::from(area.width);
        let title = match self.direction {
            UndoDirection::Undo => " Undo",
            UndoDirection::Redo => " Redo",
        };
        let strong = cx.look.style(Meaning::TextStrong);
        let list = match &self.found {
            None => {
                buffer.set_string(area.x, area.y, title, strong);
                return draw_lines(&remark("Checking the files.", width, cx), below(area, 2), buffer);
            }
            Some(Err(sentence)) => {
                buffer.set_string(area.x, area.y, title, strong);
                return draw_lines(&failure(sentence, width, cx), below(area, 2), buffer);
            }
            Some(Ok(list)) => list,
        };
        let mut head = vec![heading(title, list, width, cx)];
        if self.direction == UndoDirection::Undo {
            head.push(Line::default());
            head.push(self.choices(width, cx));
        }
        head.push(Line::default());
        head.extend(self.consequence(list, width, cx));
        head.push(Line::default());
        let rows = head.len().min(usize::from(area.height)) as u16;
        draw_lines(&head, area, buffer);
        let body = below(area, rows);
        if self.list.is_empty() {
            let nothing = "No file was changed by lathe since then.";
            return draw_lines(&remark(nothing, width, cx), body, buffer);
        }
        self.list.draw(body, buffer, cx, |_, _| false);
    }

    /// The three things that can be done, none of them chosen at first.
    fn choices(&self, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
        let is_narrow = width < 70;
        let mut spans = vec![Span::raw(" ")];
        for (number, scope) in (1..).zip(SCOPES) {
            let name = match scope {
                UndoScope::Both if is_narrow => "both",
                UndoScope::Both => "files and conversation",
                UndoScope::Files => "files",
                UndoScope::Conversation => "conversation",
            };
            let is_chosen = self.scope == Some(scope);
            let meaning = if is_chosen { Meaning::Accent } else { Meaning::Text };
            let mark = if is_chosen { cx.look.symbols.pointer() } else { " " };
            spans.push(Span::styled(format!(" {mark} "), cx.look.style(Meaning::Accent)));
            spans.push(Span::styled(
                format!("{number} "),
                cx.look.style(Meaning::TextMuted),
            ));
            spans.push(Span::styled(name, cx.look.style(meaning)));
        }
        Line::from(spans)
    }

    /// What `enter` would do, or what has to be chosen first.
    fn consequence(&self, list: &UndoList, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let scope = match self.direction {
            UndoDirection::Redo => Some(UndoScope::Both),
            UndoDirection::Undo => self.scope,
        };
        if self.is_working {
            return sentence("Working.", INDENT, Meaning::TextMuted, width, cx);
        }
        if let Some(notice) = &self.notice {
            return sentence(notice, INDENT, Meaning::Warning, width, cx);
        }
        let Some(scope) = scope else {
            return sentence("Choose what to undo.", INDENT, Meaning::TextMuted, width, cx);
        };
        let key = cx.keymap.label(Context::Layer(self.keys()), CONFIRM);
        let words = consequence(list, scope);
        let meaning = if words.is_some() {
            Meaning::Warning
        } else {
            Meaning::TextMuted
        };
        let words = match words {
            None => "Nothing would change: 0 files can be restored.".to_owned(),
            Some(words) => format!("{key} {words}."),
        };
        sentence(&words, INDENT, meaning, width, cx)
    }
}

/// `restores 2 files, deletes 1 and takes 12 messages out; b.txt stays as it is`.
pub(super) fn consequence(list: &UndoList, scope: UndoScope) -> Option<String> {
    let is_undo = list.direction == UndoDirection::Undo;
    if is_undo && scope.has_files() && list.is_refused() {
        return None;
    }
    let mut parts = Vec::new();
    // A command may have changed files that nothing is kept of: none is promised.
    if is_undo && scope.has_files() && list.changing().next().is_none() {
        parts.push("restores 0 files".to_owned());
    } else if scope.has_files() {
        let count = |action| list.changing().filter(|file| file.action == action).count();
        let actions = [
            (PlannedAction::Restore, "restores", ""),
            (PlannedAction::Create, "creates", " again"),
            (PlannedAction::Delete, "deletes", ""),
            (PlannedAction::Mode, "restores the permissions of", ""),
        ];
        for (action, verb, after) in actions {
            match count(action) {
                0 => {}
                files => parts.push(format!("{verb} {}{after}", plural(files, "file"))),
            }
        }
    }
    if scope.has_conversation() && list.messages > 0 {
        let messages = plural(list.messages, "message");
        parts.push(match list.direction {
            UndoDirection::Undo => format!("removes {messages} from the conversation"),
            UndoDirection::Redo => format!("brings {messages} back"),
        });
    }
    let end = parts.pop()?;
    let words = if parts.is_empty() {
        end
    } else {
        format!("{} and {end}", parts.join(", "))
    };
    Some(format!("{words}{}", staying(list, scope)))
}

/// `; b.txt stays as it is`.
fn staying(list: &UndoList, scope: UndoScope) -> String {
    let refused = list.files.iter().filter(|file| file.refused.is_some());
    let names: Vec<_> = refused
        .filter(|_| scope.has_files())
        .map(|file| format!("`{}`", sanitize_line(&file.path)))
        .collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("; {one} stays as it is"),
        [one, other] => format!("; {one} and {other} stay as they are"),
        more => format!("; {} stay as they are", plural(more.len(), "file")),
    }
}

/// `Undo · to before "fix the parser"`.
fn heading(title: &str, list: &UndoList, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
    let dot = cx.look.symbols.dot();
    let place = match (list.direction, list.prompt.is_empty()) {
        (UndoDirection::Undo, _) => "to before",
        (UndoDirection::Redo, true) => "of changes to files",
        (UndoDirection::Redo, false) => "from",
    };
    let before = format!(" {dot} {place} ");
    let room = width.saturating_sub(str_width(title) + str_width(&before) + 1);
    let prompt = sanitize_line(&list.prompt);
    Line::from(vec![
        Span::styled(title.to_owned(), cx.look.style(Meaning::TextStrong)),
        Span::styled(before, cx.look.style(Meaning::TextMuted)),
        Span::styled(truncate(&prompt, room).into_owned(), cx.look.style(Meaning::Text)),
    ])
}
