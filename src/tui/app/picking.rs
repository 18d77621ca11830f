//! Lists to pick from, over the screen: which are opened, what their keys do, and what follows from picking.

use std::time::Instant;

use super::{App, ESC_DEAF, Themes, Turn};
use crate::conversation::ModelRef;
use crate::session::Op;
use crate::tui::keymap::{Action, Bound, Context, List, words};
use crate::tui::picker::places::{AgentRows, ModelRows, Palette, PromptRows, ThemeRows};
use crate::tui::picker::{Outcome, Picker, Place, Wish};
use crate::tui::statusbar::Hints;
use crate::tui::surroundings::path_words;
use crate::tui::transcript::Change;
use crate::view::theme::Meaning;

impl App {
    /// Opens a list; one that is open already is left first.
    pub(super) fn open_list(&mut self, list: List, now: Instant) {
        self.leave_list(now);
        self.keep_search(now);
        let place: Box<dyn Place> = match list {
            List::Actions => {
                let symbols = self.appearance.surroundings.symbols;
                let makes_sense = |binding: &Bound| self.makes_sense(binding);
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
                self.appearance.surroundings.background,
            )),
        };
        self.picker = Some(Box::new(Picker::new(place)));
        self.list = list;
        if list == List::Sessions {
            self.with_list(now, Picker::look);
        }
    }

    /// Fills a list that was opened before there was anything to list.
    pub(super) fn fill_list(&mut self, now: Instant) {
        if self.picker.as_ref().is_some_and(|picker| picker.is_bare()) {
            self.open_list(self.list, now);
        }
    }

    /// Performs an action of the list that is open.
    pub(super) fn list_act(&mut self, action: Action, now: Instant) -> Change {
        self.with_list(now, |picker| picker.act(action))
    }

    pub(super) fn list_type(&mut self, c: char, now: Instant) -> Change {
        self.with_list(now, |picker| picker.type_char(c))
    }

    pub(super) fn list_paste(&mut self, text: &str, now: Instant) -> Change {
        self.with_list(now, |picker| picker.paste(text))
    }

    pub(super) fn list_scroll(&mut self, rows: isize, now: Instant) -> Change {
        self.with_list(now, |picker| picker.scroll(rows))
    }

    /// One rung: the filter goes, then the list.
    pub(super) fn list_back(&mut self, now: Instant) {
        self.with_list(now, Picker::back);
        if self.picker.is_none() {
            self.view.esc.deaf_until = Some(now + ESC_DEAF);
        }
    }

    pub(super) fn leave_list(&mut self, now: Instant) {
        self.with_list(now, Picker::leave);
    }

    /// Lets the list look at more of its rows.
    pub(super) fn list_work(&mut self, now: Instant) -> Change {
        if !self.picker.as_ref().is_some_and(|picker| picker.is_working()) {
            return Change::None;
        }
        self.with_list(now, Picker::work);
        match &self.picker {
            Some(picker) if picker.is_working() => Change::Soft,
            _ => Change::Urgent,
        }
    }

    pub(super) fn with_list(&mut self, now: Instant, key: impl FnOnce(&mut Picker) -> Outcome) -> Change {
        let Some(picker) = &mut self.picker else {
            return Change::None;
        };
        let wish = match key(picker) {
            Outcome::Stays(wish) => wish,
            Outcome::Left(wish) => {
                self.picker = None;
                self.begin_guard_anew(now);
                wish
            }
        };
        if let Some(wish) = wish {
            self.grant(wish, now);
        }
        Change::Urgent
    }

    fn grant(&mut self, wish: Wish, now: Instant) {
        match wish {
            Wish::Act(context, action) => {
                self.act_from_palette(context, action, now);
            }
            Wish::Session(wish) => self.grant_session(wish, now),
            Wish::GoOnAs(agent) => self.go_on_as(agent, now),
            Wish::Write(draft) => self.write_again(draft, now),
            Wish::Ask(model) => self.ask_model(model, now),
            Wish::Wear(themes) => self.wear(themes),
            Wish::KeepTheme(choice) => {
                self.wear(choice.themes);
                self.tell_of_theme(&choice.name);
            }
        }
    }

    /// Has the session go on as an agent; while a turn runs, with its next step.
    pub(super) fn go_on_as(&mut self, agent: String, now: Instant) {
        if self.view.turn == Turn::Busy {
            self.say(format!("{agent} from the next step on"), Meaning::TextMuted, now);
        }
        self.view.wanted_agent = Some(agent.clone());
        self.send(Op::SetAgent(agent));
    }

    /// Has the session ask a model; while a turn runs, with its next step.
    fn ask_model(&mut self, model: ModelRef, now: Instant) {
        if self.view.turn == Turn::Busy {
            self.say(format!("{model} from the next step on"), Meaning::TextMuted, now);
        }
        self.view.wanted_model = Some(model.clone());
        self.send(Op::SetModel(model));
    }

    fn wear(&mut self, themes: Themes) {
        self.appearance.themes = themes;
        self.set_background(self.appearance.surroundings.background);
    }

    /// The file is the person's, with comments of theirs, so that it is left to them.
    fn tell_of_theme(&mut self, name: &str) {
        let home = self.appearance.surroundings.home.as_deref();
        let file = path_words(&self.appearance.settings_file, home);
        let name = serde_json::Value::from(name);
        self.view.transcript.push_notice(format!(
            "This theme until lathe is left; `\"theme\": {name}` in `{file}` keeps it."
        ));
    }

    pub(super) fn list_hints(&self, hints: &mut Hints<'_>) {
        let Some(picker) = &self.picker else { return };
        let key = |action| self.keymap.label(Context::Picker, action);
        if self.is_asking() {
            hints.say("a question waits", Meaning::StateAsking);
        }
        let esc = self.keymap.label(Context::Global, Action::Escape);
        if picker.is_renaming() {
            hints.key(key(Action::PickRow), "rename");
            hints.key(esc, "leave the name");
            return;
        }
        if picker.is_armed() {
            let words = format!("{} again deletes it for good", key(Action::DeleteRow));
            hints.say(&words, Meaning::Warning);
            hints.key(esc, "keep it");
            return;
        }
        let has_rows = !picker.is_empty();
        if has_rows {
            hints.key(key(Action::PickRow), picker.verb());
        }
        hints.key(esc, if picker.has_filter() { "clears" } else { "closes" });
        if picker.is_editable() {
            let is_wide = self.list == List::Sessions && self.shows_all_sessions();
            hints.key(
                key(Action::WidenList),
                if is_wide { "this project" } else { "all projects" },
            );
            if has_rows {
                hints.key(key(Action::RenameRow), "rename");
                hints.key(key(Action::DeleteRow), "delete");
            }
        }
        if !has_rows {
            return;
        }
        let symbols = self.appearance.surroundings.symbols;
        let moves = [Action::RowUp, Action::RowDown].map(|action| words(key(action), symbols));
        hints.key(&moves.join(" "), "moves");
    }
}
