//! Lists to pick from: what is in each when it is opened.

use std::time::Instant;

use super::App;
use crate::tui::keymap::{BoundAction, List};
use crate::tui::picker::contents::{AgentRows, ModelRows, Palette, PromptRows, ThemeRows};
use crate::tui::picker::{ListContent, Picker};

impl App {
    /// Opens a list; one that is open already is left first.
    pub(super) fn open_list(&mut self, list: List, now: Instant) {
        self.leave_list(now);
        let place: Box<dyn ListContent> = match list {
            List::Actions => {
                let symbols = self.appearance.terminal_environment.symbols;
                let makes_sense = |binding: &BoundAction| self.makes_sense(binding);
                Box::new(Palette::new(&self.keymap, self.context(), symbols, makes_sense))
            }
            List::Agents => {
                let current = self.view.wanted_agent.as_ref().unwrap_or(&self.view.facts.agent);
                Box::new(AgentRows::new(self.view.agents.clone(), current.clone()))
            }
            List::Models => {
                let current = self.view.wanted_model.as_ref().map(ToString::to_string);
                let current = current.unwrap_or_else(|| self.view.facts.model.clone());
                Box::new(ModelRows::new(self.view.models.clone(), current))
            }
            List::Sessions => self.session_rows(),
            List::Prompts => {
                self.read_prompts();
                Box::new(PromptRows::reading())
            }
            List::Themes => Box::new(ThemeRows::new(
                (self.appearance.theme_list)(),
                self.appearance.themes.clone(),
                self.appearance.terminal_environment.background,
            )),
        };
        self.open_layer(Box::new(Picker::new(list, place)), now);
        if list == List::Sessions {
            self.with_list(list, now, Picker::look);
        }
    }

    /// Fills a list that was opened before there was anything to list.
    pub(super) fn fill_list(&mut self, now: Instant) {
        let bare = self.layers.last_mut().and_then(|layer| layer.as_picker());
        if let Some(list) = bare.filter(|picker| picker.is_bare()).map(|picker| picker.list()) {
            self.open_list(list, now);
        }
    }
}
