//! Pictures and PDFs that go with the draft: a path that is pasted, and what is on the clipboard.
//!
//! A paste that may be files waits until they were looked at, and the keys behind it wait too; it is text where it is
//! none, or where that takes too long.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{App, Effect};
use crate::conversation::FilePart;
use crate::session::mention::mentions;
use crate::session::{Input, Mention};
use crate::tui::clipboard::picture::ClipboardSource;
use crate::tui::completion::Request;
use crate::tui::composer::AttachedFile;
use crate::tui::keymap::{Action, Context, Edit};
use crate::tui::media::{Media, pasted_paths};
use crate::tui::sessions::SlotId;
use crate::tui::terminal_environment::path_words;
use crate::tui::transcript::RedrawUrgency;
use crate::view::theme::Meaning;

/// After a message came back, `enter` says nothing about its files for a moment.
const RESEND_PAUSE: Duration = Duration::from_millis(300);

/// A message that came back, as it stands in the composer.
#[derive(Debug)]
pub(super) struct ReturnedDraft {
    pub(super) text: String,
    /// Files that go with it if it is sent again.
    pub(super) meant: Vec<String>,
    /// Files that do not.
    pub(super) without: Vec<String>,
    pub(super) at: Instant,
}

impl App {
    /// Puts a paste into the draft, once it is known whether it is files.
    pub(super) fn paste_into_draft(&mut self, text: &str, now: Instant) {
        if text.is_empty() {
            // What terminals send where the clipboard has no text.
            self.effects.push(Effect::PastePicture);
        } else if pasted_paths(text).is_empty() {
            self.views.front.composer.paste(text);
            self.draft_changed(now);
            self.settle_completion();
        } else {
            self.hold_paste(text.to_owned(), now);
            self.effects.push(Effect::Find(Request::Inspect(text.to_owned())));
        }
    }

    /// A paste was looked at; `None` where it is text.
    pub(super) fn inspected(
        &mut self,
        pasted: &str,
        media: Option<Result<Vec<Media>, String>>,
        now: Instant,
    ) {
        if !self.release_paste(pasted) {
            return;
        }
        match media {
            Some(Ok(media)) => {
                // Undo makes a path of it again.
                let text = pasted.trim();
                self.views.front.composer.paste(text);
                if !text.contains('\n') {
                    self.views
                        .front
                        .composer
                        .replace_before_caret(text.chars().count(), "");
                }
                self.front(now).attach(&media);
            }
            Some(Err(words)) => {
                self.views.front.composer.paste(pasted);
                self.say(format!("{words}; its path stays as text"), Meaning::Warning, now);
            }
            None => self.views.front.composer.paste(pasted),
        }
        self.draft_changed(now);
        self.settle_completion();
        self.release_keys(now);
    }

    /// The clipboard gave a picture for a session, or a sentence why not.
    pub(crate) fn picture_taken(
        &mut self,
        slot: SlotId,
        media: Result<Media, String>,
        now: Instant,
    ) -> RedrawUrgency {
        self.in_view(slot, now, |update| {
            match media {
                Ok(media) => {
                    update.attach(&[media]);
                    update.draft_changed();
                }
                Err(words) => update.say(words, Meaning::Warning),
            }
            RedrawUrgency::Urgent
        })
    }

    /// Returns how a picture is taken from the clipboard, and where it goes.
    pub(crate) fn picture_places(&self) -> (ClipboardSource, PathBuf) {
        let directory = self.frecency_file.with_file_name("pasted");
        (self.appearance.terminal_environment.pictures.clone(), directory)
    }

    /// Returns an input that has what its text needs: files by their labels, and those that it mentions. Of a message
    /// that came back and is sent as it is, the files are left out that cannot be read; those that needed a word have it.
    pub(super) fn input(&mut self, text: &str, now: Instant) -> Input {
        let draft = self.views.front.composer.draft();
        let labelled = draft.files().into_iter().map(|file| Mention {
            path: file.path,
            lines: None,
            is_sure: true,
            label: Some(file.label),
        });
        let mut input = Input {
            mentions: labelled.collect(),
            ..Input::default()
        };
        input.mentions.extend(mentions(&draft.own_words()));
        let came_back = self
            .views
            .front
            .unread
            .take()
            .filter(|came_back| came_back.text == text);
        if let Some(told) = came_back {
            input.without = told.without;
            // A key that was pressed twice is no word.
            if now >= told.at + RESEND_PAUSE {
                input.meant = told.meant;
            }
        }
        input
    }

    /// Tells what the chip of a file stands for.
    pub(super) fn describe(&mut self, file: &AttachedFile, now: Instant) {
        let path = path_words(
            file.path.as_ref(),
            self.appearance.terminal_environment.home.as_deref(),
        );
        let key = self
            .keymap
            .label(Context::Composer, Action::Edit(Edit::DeleteRight));
        self.say(
            format!("{} is {path}; {key} removes it", file.label),
            Meaning::TextMuted,
            now,
        );
    }
}

/// Returns the files that an input's text speaks of by labels, read or not.
pub(super) fn labelled(input: &Input) -> Vec<AttachedFile> {
    let unread = input
        .mentions
        .iter()
        .map(|mention| (&mention.label, &mention.path));
    let read = input.files.iter().map(|file| (&file.label, &file.path));
    let named = unread
        .chain(read)
        .filter_map(|(label, path)| attached_file(label.as_ref(), path));
    named.collect()
}

/// The same of a message that was sent.
pub(super) fn labelled_parts<'a>(files: impl Iterator<Item = &'a FilePart>) -> Vec<AttachedFile> {
    files
        .filter_map(|file| attached_file(file.label.as_ref(), &file.path))
        .collect()
}

fn attached_file(label: Option<&String>, path: &str) -> Option<AttachedFile> {
    Some(AttachedFile {
        label: label?.clone(),
        path: path.to_owned(),
    })
}
