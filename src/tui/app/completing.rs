//! The list above the composer: what it is filled with, and what follows from picking.
//!
//! It is looked at anew after every key. Its own keys are few; all others are the composer's and change what is listed.

use std::time::Instant;

use super::{App, Effect};
use crate::permission::Mode;
use crate::session::Op;
use crate::tui::commands::{COMMANDS, Command, facts};
use crate::tui::completion::{Item, Pick, Token, TokenKind};
use crate::tui::keymap::{Action, Context, words};
use crate::tui::picker::Row;
use crate::tui::statusbar::Hints;
use crate::view::theme::Meaning;

impl App {
    /// Takes in what the caret stands behind now.
    pub(super) fn settle_completion(&mut self) {
        let is_written = matches!(self.context(), Context::Composer | Context::Completion);
        if !is_written || self.leader.is_some() {
            return self.completion.close();
        }
        let (before, row) = self.composer.before_caret();
        if let Some(token) = self.completion.settle(Token::before(before, row)) {
            let items = match token.kind {
                TokenKind::Command => self.command_items(&token.text),
            };
            self.completion.show(token, items);
        }
    }

    /// Performs an action of the list.
    pub(super) fn complete(&mut self, action: Action, now: Instant) {
        match action {
            Action::RowUp => self.completion.move_by(-1),
            Action::RowDown => self.completion.move_by(1),
            Action::TakeItem | Action::CompleteItem => self.pick_item(action, now),
            _ => {}
        }
    }

    fn pick_item(&mut self, action: Action, now: Instant) {
        let Some((token, item)) = self.completion.selected() else {
            return;
        };
        let (characters, pick) = (token.characters(), item.pick.clone());
        self.completion.close();
        match pick {
            Pick::Command(name) if action == Action::TakeItem => {
                self.composer
                    .replace_before_caret(characters, &format!("/{name}"));
                self.submit(Op::Submit, now);
            }
            Pick::Command(name) => {
                self.composer
                    .replace_before_caret(characters, &format!("/{name} "));
                self.draft_changed(now);
            }
        }
    }

    fn command_items(&mut self, text: &str) -> Vec<Item> {
        let symbols = self.surroundings.symbols;
        let item = |command: &Command| {
            let (description, key) = facts(command, &self.keymap);
            let key: Vec<_> = key.split(' ').map(|key| words(key, symbols)).collect();
            Item {
                row: Row::new(&format!("/{}", command.name))
                    .detail(description)
                    .key(&key.join(" ")),
                pick: Pick::Command(command.name.to_owned()),
            }
        };
        let items: Vec<_> = COMMANDS.iter().map(item).collect();
        self.completion.rank(text, items.into_iter(), |_| 0)
    }

    /// Does what a command says; `rest` is what was written behind its name.
    pub(super) fn obey(&mut self, command: &Command, rest: &str, now: Instant) {
        let does_more = matches!(command.action, Action::OpenList(_) | Action::CycleMode);
        if !rest.is_empty() && !does_more {
            let name = command.name;
            let words = format!("`/{name}` takes nothing more; the draft stays here");
            return self.say(words, Meaning::Warning, now);
        }
        match command.action {
            Action::CycleMode if !rest.is_empty() => return self.set_mode(rest, now),
            // It has nothing to write in but the command itself.
            Action::Editor => {
                self.forget_draft(now);
                return self.effects.push(Effect::Edit(String::new()));
            }
            _ => self.forget_draft(now),
        }
        self.act_in(Context::Composer, command.action, now);
        if matches!(command.action, Action::OpenList(_)) && !rest.is_empty() {
            self.list_paste(rest, now);
        }
    }

    fn forget_draft(&mut self, now: Instant) {
        self.composer.take();
        self.draft_changed(now);
        self.typed = None;
    }

    fn set_mode(&mut self, name: &str, now: Instant) {
        let modes = [Mode::Ask, Mode::AcceptEdits, Mode::Plan, Mode::Yolo];
        let Some(mode) = modes.into_iter().find(|mode| mode.name() == name) else {
            let names = modes.map(Mode::name).join(", ");
            let words = format!("there is no mode `{name}`; there are {names}");
            return self.say(words, Meaning::Warning, now);
        };
        self.forget_draft(now);
        self.change_mode(mode, now);
    }

    /// Says that a command is none.
    pub(super) fn not_a_command(&mut self, name: &str, nearest: Option<&'static str>, now: Instant) {
        let instead = match nearest {
            Some(nearest) => format!("did you mean `/{nearest}`?"),
            None => "a blank before it sends it as text".to_owned(),
        };
        self.say(
            format!("there is no command `/{name}`; {instead}"),
            Meaning::Warning,
            now,
        );
    }

    pub(super) fn completion_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Completion, action);
        hints.key(key(Action::TakeItem), "do it");
        hints.key(key(Action::CompleteItem), "complete");
        hints.key(self.keymap.label(Context::Global, Action::Escape), "closes");
        let symbols = self.surroundings.symbols;
        let moves = [Action::RowUp, Action::RowDown].map(|action| words(key(action), symbols));
        hints.key(&moves.join(" "), "moves");
    }
}
