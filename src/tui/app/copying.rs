//! Taking something out of the transcript: to the clipboard, or into the editor.

use std::time::Instant;

use super::{App, Effect, Focus};
use crate::text::sanitize::strip_controls;
use crate::tui::clipboard::CopyResult;
use crate::tui::editor::absolute;
use crate::tui::keymap::{Action, Context};
use crate::tui::transcript::RedrawUrgency;
use crate::view::link::{Links, file_address};
use crate::view::theme::Meaning;

impl App {
    /// Copies a text, whose control characters would act where it is pasted.
    pub(super) fn copy(&mut self, text: Option<String>, what: &str, now: Instant) {
        match text.filter(|text| !text.is_empty()) {
            Some(text) => self.effects.push(Effect::Copy {
                text: strip_controls(&text).into_owned(),
                what: what.to_owned(),
            }),
            None => self.say("nothing to copy here", Meaning::TextMuted, now),
        }
    }

    /// Returns the targets of the links on screen; `None` where the terminal shows no links.
    pub(crate) fn links(&self) -> Option<Links> {
        self.appearance.terminal_environment.shows_links.then(|| {
            self.views.front.transcript.links(|file| {
                let path = file.from_session(self.project());
                let home = self.appearance.terminal_environment.home.as_deref();
                // Over ssh a path is another machine's.
                (!self.appearance.terminal_environment.is_remote)
                    .then(|| absolute(&path, &self.views.front.directory, home))
                    .and_then(|path| file_address(&path))
            })
        })
    }

    pub(super) fn copy_code(&mut self, now: Instant) {
        let Some((code, nth, count)) = self.views.front.transcript.next_code() else {
            return self.say("no code to copy here", Meaning::TextMuted, now);
        };
        let what = match count {
            1 => "the code".to_owned(),
            count => format!("code {nth} of {count}"),
        };
        self.copy(Some(code), &what, now);
    }

    pub(super) fn copy_session(&mut self, now: Instant) {
        let whole = self.views.front.transcript.as_markdown();
        self.copy(Some(whole), "the conversation", now);
    }

    /// Tells by which ways a text went.
    pub(crate) fn copied(&mut self, what: &str, copied: &CopyResult, now: Instant) -> RedrawUrgency {
        match copied.message() {
            Ok(words) => self.say(format!("{what}: {words}"), Meaning::TextMuted, now),
            Err(words) => {
                let key = self.keymap.label(Context::Transcript, Action::ViewBlock);
                let words = format!("{what}: {words}; {key} opens a block in $EDITOR");
                self.say(words, Meaning::Warning, now);
            }
        }
        RedrawUrgency::Urgent
    }

    /// Opens the file that the focused block, or the row of the selection's end, is about.
    pub(super) fn open_focused(&mut self, now: Instant) {
        if let Some(session) = self.views.front.transcript.focused_session() {
            return self.enter_task(&session, now);
        }
        let places = self.views.front.transcript.places(self.project());
        if places.is_empty() {
            self.not_there(now);
        } else {
            self.effects.push(Effect::Open(places));
        }
    }

    /// There is no such file: what can be unfolded is.
    pub(crate) fn not_there(&mut self, now: Instant) -> RedrawUrgency {
        if self.context() == Context::Transcript && self.views.front.transcript.focused_folds() {
            self.views.front.transcript.toggle_fold();
        } else if self.views.front.focus == Focus::Panel {
            self.say("that file no longer exists", Meaning::TextMuted, now);
        } else {
            self.say("no existing file is named here", Meaning::TextMuted, now);
        }
        RedrawUrgency::Urgent
    }

    /// Shows the focused block in the editor; where it shows the end of an output, all of that.
    pub(super) fn view_focused(&mut self, now: Instant) {
        let Some(text) = self.views.front.transcript.copy_focused() else {
            return self.say("nothing to open here", Meaning::TextMuted, now);
        };
        let text = strip_controls(&text).into_owned();
        self.effects
            .push(match self.views.front.transcript.kept_output() {
                Some(path) => Effect::ViewWhole { path, left: text },
                None => Effect::View(text),
            });
    }
}
