//! The list above the composer: what it is filled with, and what follows from picking.
//!
//! It is looked at anew after every key. Its own keys are few; all others are the composer's and change what is listed.
//! Commands are listed at once, files when the finder has answered. A key that picks while the answer is on its way waits
//! for it, and those behind it wait too, so nobody gets what they did not see.

use std::sync::Arc;
use std::time::{Duration, Instant};

use termina::event::KeyEvent;

use super::{App, Effect};
use crate::permission::Mode;
use crate::session::mention::{can_be_mentioned, is_plain_text, mention};
use crate::session::{AgentChoice, CommandChoice, Op, missing_command};
use crate::tui::commands::{self, Command, commands, facts};
use crate::tui::completion::{CompletionItem, CompletionKind, FinderAnswer, Request, Token, TokenKind};
use crate::tui::keymap::{Action, Context, key_name};
use crate::tui::picker::Row;
use crate::tui::transcript::RedrawUrgency;
use crate::view::theme::Meaning;

/// An answer that takes longer is not waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// Keys that wait for what they pick from, or for a paste that is being looked at.
#[derive(Debug, Default)]
pub(super) struct HeldKeys {
    paste: Option<String>,
    inputs: Vec<HeldInput>,
    until: Option<Instant>,
}

#[derive(Debug)]
enum HeldInput {
    Key(KeyEvent),
    Paste(String),
}

impl HeldKeys {
    /// Returns true if keys wait for something.
    pub(super) fn is_waiting(&self) -> bool {
        self.until.is_some()
    }

    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }
}

impl App {
    /// Takes in what the caret stands behind now.
    pub(super) fn settle_completion(&mut self) {
        let is_written = matches!(self.context(), Context::Composer | Context::Completion);
        if !is_written {
            return self.views.front.completion.close();
        }
        let (before, row) = self.views.front.composer.before_caret();
        let token = if self.views.front.completion.is_of_path() {
            Token::path_before(before, row)
        } else {
            Token::before(before, row)
        };
        if let Some(token) = self.views.front.completion.settle(token) {
            self.list_for(token);
        }
        self.look_at_selected();
    }

    fn list_for(&mut self, token: Token) {
        match token.kind {
            TokenKind::Command => {
                if !std::mem::replace(&mut self.uses.is_asked, true) {
                    self.effects.push(Effect::Find(Request::Recall));
                }
                let items = self.command_items(&token.text);
                self.views.front.completion.show(token, items);
            }
            TokenKind::Mention | TokenKind::Path => {
                let text = token.text.clone();
                self.uses.questions += 1;
                let id = self.uses.questions;
                self.views.front.completion.ask(id, token);
                self.effects.push(Effect::Find(Request::Find { id, text }));
            }
        }
    }

    /// Completes the path before the caret; says whether there is one.
    pub(super) fn complete_path(&mut self) -> bool {
        let (before, row) = self.views.front.composer.before_caret();
        let token = Token::path_before(before, row).filter(|_| !self.views.front.completion.is_open());
        token.map(|token| self.list_for(token)).is_some()
    }

    /// Takes in what the finder has to say.
    pub(crate) fn on_finder_answer(&mut self, answer: FinderAnswer, now: Instant) -> RedrawUrgency {
        match answer {
            FinderAnswer::Uses(uses) => self.uses.uses = uses,
            FinderAnswer::Looked { path, text } => self.views.front.completion.looked(path, text),
            FinderAnswer::Trouble(words) => self.say(words, Meaning::Warning, now),
            FinderAnswer::Inspected { pasted, media } => self.inspected(&pasted, media, now),
            FinderAnswer::Found(found) => {
                let Some(token) = self.views.front.completion.answered(found.id) else {
                    return RedrawUrgency::None;
                };
                let items = self.file_items(&token, &found.paths);
                self.views.front.completion.show(token, items);
                // What is behind a paste waits for that.
                if self.held.paste.is_none() {
                    self.release_keys(now);
                }
            }
        }
        self.look_at_selected();
        RedrawUrgency::Urgent
    }

    /// Returns true if a key has to wait for the list.
    pub(super) fn holds(&mut self, key: KeyEvent, now: Instant) -> bool {
        let picks = || {
            let action = self.keymap.action(Context::Completion, key);
            let is_pick = matches!(action, Some(Action::TakeItem | Action::CompleteItem));
            is_pick && self.context() == Context::Completion && self.views.front.completion.is_stale()
        };
        if self.held.until.is_none() && !picks() {
            return false;
        }
        self.held.inputs.push(HeldInput::Key(key));
        self.held.until.get_or_insert(now + PATIENCE);
        true
    }

    /// The same for a paste.
    pub(super) fn holds_paste(&mut self, text: &str) -> bool {
        let holds = self.held.until.is_some();
        if holds {
            self.held.inputs.push(HeldInput::Paste(text.to_owned()));
        }
        holds
    }

    /// Holds everything until it is known what a paste is.
    pub(super) fn hold_paste(&mut self, text: String, now: Instant) {
        self.held.paste = Some(text);
        self.held.until = Some(now + PATIENCE);
    }

    /// Returns true if this is the paste that is waited for; it is not waited for any more.
    pub(super) fn release_paste(&mut self, pasted: &str) -> bool {
        self.held.paste.take_if(|held| held == pasted).is_some()
    }

    pub(super) fn release_keys(&mut self, now: Instant) {
        self.held.until = None;
        for input in std::mem::take(&mut self.held.inputs) {
            match input {
                HeldInput::Key(key) => self.key(key, now),
                HeldInput::Paste(text) => self.paste(&text, now),
            };
        }
    }

    /// The answer did not come: the keys mean what they mean without a list, and a paste is text.
    pub(super) fn release_late_keys(&mut self, now: Instant) -> RedrawUrgency {
        if self.held.until.is_none_or(|until| until > now) {
            return RedrawUrgency::None;
        }
        self.views.front.completion.close();
        if let Some(text) = self.held.paste.take() {
            self.views.front.composer.paste(&text);
            self.draft_changed(now);
            let words = "checking whether that is a file takes too long; it stays as text";
            self.say(words, Meaning::Warning, now);
        }
        self.release_keys(now);
        RedrawUrgency::Urgent
    }

    fn look_at_selected(&mut self) {
        if let Some(path) = self
            .views
            .front
            .completion
            .unseen()
            .filter(|_| self.shown.is_wide)
        {
            let path = path.to_owned();
            self.effects.push(Effect::Find(Request::Look(path)));
        }
    }

    /// Begins a word that is completed, as if its sign had been typed.
    pub(super) fn begin_word(&mut self, sign: char, now: Instant) {
        self.focus_composer();
        let before = self.views.front.composer.before_caret().0;
        if before.chars().next_back().is_some_and(|c| !c.is_whitespace()) {
            self.views.front.composer.insert_char(' ');
        }
        self.views.front.composer.insert_char(sign);
        self.views.front.completion.written();
        self.draft_changed(now);
        self.settle_completion();
    }

    /// Completes the word before the caret with an entry; `action` says whether it is sent with that.
    pub(super) fn complete(&mut self, token: &Token, pick: CompletionKind, action: Action, now: Instant) {
        let characters = token.characters;
        match pick {
            CompletionKind::Command(command) => {
                let does = action == Action::TakeItem;
                return self.write_command(characters, command.name, does, now);
            }
            CompletionKind::Own { name, wants_more, .. } => {
                let does = action == Action::TakeItem && !wants_more;
                return self.write_command(characters, &name, does, now);
            }
            CompletionKind::Agent(agent) => {
                self.views.front.composer.replace_before_caret(characters, "");
                self.switch_agent(agent.name, now);
            }
            CompletionKind::File(path) => {
                let goes_on = path.ends_with('/') && action == Action::CompleteItem;
                let mut text = written(token, &path);
                if !goes_on && !token.lines.ends_with([':', '-']) {
                    text.push(' ');
                }
                self.views.front.composer.replace_before_caret(characters, &text);
                if goes_on {
                    self.views.front.completion.written();
                    if token.kind == TokenKind::Path {
                        self.complete_path();
                    }
                } else {
                    self.note_use(path, false);
                }
            }
        }
        self.draft_changed(now);
    }

    /// Writes a command in place of what was typed of it, and submits it where it is to be done.
    fn write_command(&mut self, characters: usize, name: &str, does: bool, now: Instant) {
        self.note_use(format!("/{name}"), true);
        let text = format!("/{name}{}", if does { "" } else { " " });
        self.views.front.composer.replace_before_caret(characters, &text);
        if does {
            self.submit(Op::Submit, now);
        } else {
            self.draft_changed(now);
        }
    }

    fn note_use(&mut self, name: String, is_command: bool) {
        if is_command {
            self.uses.uses.add(&name);
        }
        self.effects
            .push(Effect::Find(Request::Used { name, is_command }));
    }

    /// Agents stand before the files where they are meant, behind them where they might be.
    fn file_items(&mut self, token: &Token, paths: &[String]) -> Vec<CompletionItem> {
        let is_offered = |path: &&String| match token.kind {
            TokenKind::Path => is_plain_text(path),
            TokenKind::Mention | TokenKind::Command => can_be_mentioned(path),
        };
        let offered = paths.iter().filter(is_offered);
        let mut items: Vec<_> = offered.map(|path| file_item(path)).collect();
        let may_be_agent = token.kind == TokenKind::Mention && (token.row, token.start) == (0, 0);
        if may_be_agent && self.views.front.agents.len() > 1 && token.lines.is_empty() {
            let agents: Vec<_> = self.views.front.agents.iter().map(agent_item).collect();
            let agents = self
                .views
                .front
                .completion
                .rank(&token.text, agents.into_iter(), |_| 0);
            let (meant, others): (Vec<_>, Vec<_>) = agents.into_iter().partition(|item| {
                matches!(&item.pick, CompletionKind::Agent(agent) if !token.text.is_empty() && agent.name.starts_with(&token.text))
            });
            items.splice(0..0, meant);
            items.extend(others);
        }
        items
    }

    fn command_items(&mut self, text: &str) -> Vec<CompletionItem> {
        let symbols = self.appearance.terminal_environment.symbols;
        let item = |(name, command): (&str, &'static Command)| {
            let (description, key) = facts(command, &self.keymap);
            let key: Vec<_> = key.split(' ').map(|key| key_name(key, symbols)).collect();
            CompletionItem {
                row: Row::new(&format!("/{name}"))
                    .detail(description)
                    .key(&key.join(" ")),
                pick: CompletionKind::Command(command),
            }
        };
        let own = |command: &CommandChoice| {
            let mut row = Row::new(&format!("/{}", command.name)).detail(&command.description);
            if !command.argument_hint.is_empty() {
                row = row.fact(&command.argument_hint);
            }
            CompletionItem {
                row,
                pick: CompletionKind::Own {
                    name: command.name.clone(),
                    text: Arc::clone(&command.text),
                    wants_more: !command.argument_hint.is_empty(),
                },
            }
        };
        let is_free = |command: &&CommandChoice| !commands::is_taken(&command.name);
        // What looks like a path is one, unless a command is spelt like that.
        let is_meant = |command: &&CommandChoice| !text.contains('/') || command.name.starts_with(text);
        let own = self
            .views
            .front
            .commands
            .iter()
            .filter(is_free)
            .filter(is_meant)
            .map(own);
        let built_in = commands().iter().flat_map(|command| command.names_for(text));
        let items: Vec<_> = built_in.map(item).chain(own).collect();
        let uses = &self.uses.uses;
        let bonus = |item: &CompletionItem| uses.bonus(item.row.fields()[0]);
        self.views.front.completion.rank(text, items.into_iter(), bonus)
    }

    /// Does what a command says; `rest` is what was written behind its name.
    pub(super) fn obey(&mut self, command: &Command, rest: &str, now: Instant) {
        let does_more = matches!(
            command.action,
            Action::OpenList(_) | Action::CycleMode | Action::Compact | Action::ChangeDirectory
        );
        if !rest.is_empty() && !does_more {
            let name = command.name;
            let words = format!("`/{name}` takes no arguments; the draft stays here");
            return self.say(words, Meaning::Warning, now);
        }
        match command.action {
            Action::CycleMode if !rest.is_empty() => return self.set_mode(rest, now),
            Action::Compact => {
                self.forget_draft(now);
                return self.compact(rest, now);
            }
            Action::ChangeDirectory => {
                self.forget_draft(now);
                return self.change_directory(rest, now);
            }
            // It has nothing to write in but the command itself.
            Action::Editor => {
                self.forget_draft(now);
                return self.effects.push(Effect::Edit(String::new()));
            }
            _ => self.forget_draft(now),
        }
        self.act_in(Context::Composer, command.action, now);
        if matches!(command.action, Action::OpenList(_)) && !rest.is_empty() {
            self.with_opened(now, |layer| layer.paste(rest));
        }
    }

    fn forget_draft(&mut self, now: Instant) {
        self.views.front.composer.take();
        self.draft_changed(now);
    }

    fn set_mode(&mut self, name: &str, now: Instant) {
        let Ok(mode) = name.parse() else {
            let names = Mode::ALL.map(Mode::name).join(", ");
            let words = format!("there is no mode `{name}`; the modes are {names}");
            return self.say(words, Meaning::Warning, now);
        };
        self.forget_draft(now);
        self.ask_for_mode(mode, now);
    }

    /// Says that a command is none.
    pub(super) fn not_a_command(&mut self, name: &str, nearest: Option<&'static str>, now: Instant) {
        if let Some(words) = missing_command(name) {
            return self.say(words, Meaning::Warning, now);
        }
        let instead = match nearest {
            Some(nearest) => format!("did you mean `/{nearest}`?"),
            None => "put a space before it to send it as text".to_owned(),
        };
        self.say(
            format!("there is no command `/{name}`; {instead}"),
            Meaning::Warning,
            now,
        );
    }
}

/// A name, and where it is.
fn file_item(path: &str) -> CompletionItem {
    let body = path.strip_suffix('/').unwrap_or(path);
    let name = body.rfind('/').map_or(0, |slash| slash + 1);
    CompletionItem {
        row: Row::new(&path[name..]).detail(&path[..name]),
        pick: CompletionKind::File(path.to_owned()),
    }
}

fn agent_item(agent: &AgentChoice) -> CompletionItem {
    CompletionItem {
        row: Row::new(&agent.name).detail(&agent.description).fact("use it"),
        pick: CompletionKind::Agent(agent.clone()),
    }
}

/// Writes a path in the place of a word.
fn written(token: &Token, path: &str) -> String {
    match token.kind {
        TokenKind::Path => path.to_owned(),
        TokenKind::Mention | TokenKind::Command => format!("{}{}", mention(path), token.lines),
    }
}
