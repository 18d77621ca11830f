//! Files of a draft: attached to it, come back with a message that was not sent, and known by the model or not.

use super::attachments::labelled;
use super::pickers::MODELS;
use super::session_view::SessionView;
use super::view_update::ViewUpdate;
use crate::session::Input;
use crate::tui::composer::AttachedFile;
use crate::tui::keymap::{Action, Keymap};
use crate::tui::media::{Media, MediaKind};
use crate::view::theme::Meaning;

impl ViewUpdate<'_> {
    /// Puts a message that was not sent into the composer again, before what was begun meanwhile.
    pub(super) fn take_back(&mut self, input: &Input) {
        let files = labelled(input);
        self.view.composer.put_before(&input.text, files);
        self.draft_changed();
    }

    pub(super) fn attach(&mut self, media: &[Media]) {
        let times = self.symbols.times();
        for media in media {
            self.view
                .composer
                .attach(&media.path, media.kind, &media.facts(times));
        }
        let files = self.view.composer.draft().files();
        if let Some(words) = self.view.unfit(&files, self.keymap) {
            self.say(words, Meaning::Warning);
        }
    }
}

impl SessionView {
    /// Says that the model takes no such files, where that is known.
    pub(super) fn unfit(&self, files: &[AttachedFile], keymap: &Keymap) -> Option<String> {
        let name = match &self.wanted_model {
            Some(model) => model.to_string(),
            None => self.facts.model.clone(),
        };
        let model = self
            .models
            .iter()
            .find(|choice| choice.model.to_string() == name)?;
        let is_unfit = |file: &&AttachedFile| match file.kind() {
            MediaKind::Image => !model.images,
            MediaKind::Pdf => !model.pdf,
        };
        let kind = match files.iter().find(is_unfit)?.kind() {
            MediaKind::Image => "images",
            MediaKind::Pdf => "PDFs",
        };
        let models = Action::OpenList(&MODELS);
        let key = keymap.after_leader(models);
        Some(format!("{name} does not accept {kind}; {key} changes the model"))
    }
}
