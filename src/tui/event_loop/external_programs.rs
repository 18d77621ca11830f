//! While another program has the terminal: an editor, or the shell that lathe was started from.

use std::path::Path;
use std::time::Instant;

use super::EventLoop;
use crate::tui::editor::{self, EditorError};
use crate::tui::terminal::CaretShape;
use crate::tui::transcript::{FilePlace, RedrawUrgency};

impl EventLoop {
    pub(super) async fn suspend(&mut self) -> RedrawUrgency {
        self.input.stop();
        self.screen.give_back();
        self.signals.stop().await;
        self.take_back()
    }

    pub(super) async fn edit(&mut self, text: &str) -> RedrawUrgency {
        self.input.stop();
        self.screen.give_back();
        // Nothing else can happen on this screen meanwhile, so the loop may stand still; the session does not.
        let edited = editor::edit(self.app.editor(), text);
        self.signals.forget_interrupts().await;
        let change = self.take_back();
        let now = Instant::now();
        change.max(match edited {
            Ok(text) => self.app.edited(&text, now),
            Err(error) => self.app.complain(format!("your text is unchanged: {error}"), now),
        })
    }

    pub(super) async fn open(&mut self, places: &[FilePlace]) -> RedrawUrgency {
        let now = Instant::now();
        let (directory, home) = self.app.places();
        let Some((path, line)) = editor::first_file(places, directory, home) else {
            return self.app.not_there(now);
        };
        self.read_in_editor(|editor| editor::open(editor, &path, line))
            .await
    }

    pub(super) async fn view(&mut self, text: &str) -> RedrawUrgency {
        self.read_in_editor(|editor| editor::view(editor, text)).await
    }

    pub(super) async fn view_whole(&mut self, path: &Path, left: &str) -> RedrawUrgency {
        if path.is_file() {
            return self
                .read_in_editor(|editor| editor::open(editor, path, None))
                .await;
        }
        let change = self.view(left).await;
        let words = "the full output is no longer stored; this is what the model read";
        change.max(self.app.complain(words, Instant::now()))
    }

    async fn read_in_editor(
        &mut self,
        work: impl FnOnce(Option<&str>) -> Result<(), EditorError>,
    ) -> RedrawUrgency {
        self.input.stop();
        self.screen.give_back();
        let opened = work(self.app.editor());
        self.signals.forget_interrupts().await;
        let change = self.take_back();
        match opened {
            Ok(()) => change,
            Err(error) => change.max(self.app.complain(error.to_string(), Instant::now())),
        }
    }

    fn take_back(&mut self) -> RedrawUrgency {
        self.caret_shape = CaretShape::default();
        if self.screen.retake().is_err() {
            self.hang_up();
        }
        if self.input.start().is_err() {
            self.hang_up();
        }
        RedrawUrgency::Urgent
    }
}
