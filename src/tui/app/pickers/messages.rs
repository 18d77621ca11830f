//! The person's own messages, to go back to before one of them.

use ratatui::layout::Size;
use ratatui::text::Line;

use super::{List, OpeningKey, text_preview};
use crate::conversation::MessageId;
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, KeyRow};
use crate::tui::layer::LayerRequest;
use crate::tui::picker::{ListContent, Row};
use crate::view::Look;

/// Bytes of a message that are listed and searched.
const TITLE: usize = 400;
pub(crate) static LIST: List = List {
    action: "open-own-messages",
    keys: &[OpeningKey {
        context: Context::Palette,
        row: KeyRow::new(
            &[],
            Action::OpenList(&LIST),
            "go back to an earlier message (rewind)",
        ),
        after: Some(Action::Fork),
    }],
    command: Some(LayerCommand {
        name: "rewind",
        also: &["checkpoint", "timeline"],
        about: "Lists your messages, to undo or fork from one of them. Shows the changes first.",
        after: "sessions",
    }),
    verb: "show the changes",
    is_offered: |app| !app.views.front.transcript.own_messages().is_empty(),
    content: |app| {
        let mut messages = app.views.front.transcript.own_messages();
        messages.reverse();
        Box::new(OwnMessages { messages })
    },
};

struct OwnMessages {
    /// The newest first.
    messages: Vec<(MessageId, String)>,
}

impl ListContent for OwnMessages {
    fn title(&self) -> &'static str {
        "Go back to before"
    }

    fn rows(&self) -> Vec<Row> {
        let row = |(_, text): &(MessageId, String)| {
            let text = &text[..text.floor_char_boundary(TITLE)];
            Row::new(&text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        self.messages.iter().map(row).collect()
    }

    fn nothing(&self) -> &'static str {
        "No messages sent yet."
    }

    fn pick(&mut self, row: usize) -> Option<LayerRequest> {
        let (message, _) = self.messages.get(row)?;
        Some(LayerRequest::ShowUndo(message.clone()))
    }

    fn preview(&self, row: usize, size: Size, look: Look<'_>) -> Vec<Line<'static>> {
        let Some((_, text)) = self.messages.get(row) else {
            return Vec::new();
        };
        text_preview(text, size, look)
    }
}
