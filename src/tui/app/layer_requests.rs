//! Carries out the requests of layers.

use std::sync::Arc;
use std::time::Instant;

use super::{App, Effect, SessionLink, Themes, TurnStatus};
use crate::conversation::ModelRef;
use crate::session::{Op, SummaryDraft};
use crate::tui::composer::Draft;
use crate::tui::dialog::{SummaryDialog, stop_terminal};
use crate::tui::layer::LayerRequest;
use crate::tui::page;
use crate::tui::pane::TerminalHistory;
use crate::tui::terminal_environment::path_words;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn follow_request(&mut self, request: LayerRequest, now: Instant) {
        match request {
            LayerRequest::Send(op) => self.send(op),
            LayerRequest::SendToRoot(op) => self.send_to_root(op),
            // Asked once the session is there.
            LayerRequest::Ask(_) if self.views.front.link == SessionLink::Opening => {}
            LayerRequest::Ask(query) => self.effects.push(Effect::Ask(self.views.front.slot, query)),
            LayerRequest::AskHost(query) => self.effects.push(Effect::AskHost(query)),
            LayerRequest::Open(place) => self.effects.push(Effect::Open(vec![place])),
            LayerRequest::AddToDraft(text) => self.add_to_draft(&text, now),
            LayerRequest::ReadPrompts => self.read_prompts(),
            LayerRequest::WriteDraft(draft) => self.write_again(draft, now),
            LayerRequest::TellOfExport { path, bytes } => {
                let home = self.appearance.terminal_environment.home.as_deref();
                let notice = page::written(&path, bytes, home);
                self.views.front.transcript.push_notice(notice);
            }
            LayerRequest::Copy { text, what } => self.copy(Some(text), what, now),
            LayerRequest::ViewSession(text) => self.effects.push(Effect::View(text)),
            LayerRequest::Act(context, action) => {
                self.act_from_palette(context, action, now);
            }
            LayerRequest::Perform(action) => self.act(action, now),
            LayerRequest::Say(text) => self.say(text, Meaning::TextMuted, now),
            LayerRequest::Search(query) => self.views.front.transcript.search_for(&query),
            LayerRequest::KeepSearch { is_blank } => self.keep_search(is_blank, now),
            LayerRequest::EndSearch => drop(self.end_search()),
            LayerRequest::Complete(token, pick, action) => self.complete(&token, pick, action, now),
            LayerRequest::Answer {
                question,
                reply,
                text,
            } => self.front(now).answer(question, reply, text),
            LayerRequest::NextQuestion => self.next_question(now),
            LayerRequest::PutOff => self.put_off_question(now),
            LayerRequest::ChangeMode(mode) => self.change_mode(mode, now),
            LayerRequest::Trust(answer) => self.answer_trust(answer, now),
            LayerRequest::ShowTheme(themes) => self.show_theme(themes),
            LayerRequest::KeepTheme(choice) => {
                self.show_theme(choice.themes);
                self.explain_theme(&choice.name);
            }
            LayerRequest::GoOnAs(agent) => self.switch_agent(agent, now),
            LayerRequest::GoOnWith(model) => self.switch_model(model, now),
            LayerRequest::Session(request) => self.follow_session_request(request, now),
            LayerRequest::Watch(request) => self.follow_watch_request(request, now),
            LayerRequest::EnterTask(session) => self.enter_task(&session, now),
            LayerRequest::StopTask(row) => self.ask_to_stop(&row, now),
            LayerRequest::StopAllTasks => self.ask_to_stop_all(now),
            LayerRequest::ResumeTask(session) => self.resume_task(&session, now),
            LayerRequest::AskTask(session, words) => self.ask_task(&session, &words, now),
            LayerRequest::Terminals(ops) => self.send_to_terminals(ops),
            LayerRequest::StopTerminal(row) => {
                self.open_layer(Box::new(stop_terminal(&row)), now);
            }
            LayerRequest::UseSummary(summary) => {
                self.views.front.summary = None;
                self.send(Op::UseSummary(Some(summary)));
            }
            LayerRequest::KeepSummary(summary) => {
                self.views.front.summary = Some(Arc::new(summary));
                let words = "the summary is kept; `/compact` shows it again";
                self.say(words, Meaning::TextMuted, now);
            }
            LayerRequest::ScrollTerminal(name) => {
                self.open_layer(Box::new(TerminalHistory::new(name)), now);
            }
            LayerRequest::ShowTree(tree, intent) => {
                self.open_layer(Box::new(page::TreeChangesPage::new(tree, intent)), now);
            }
            LayerRequest::ShowUndo(message) => {
                self.open_layer(Box::new(page::UndoPage::undo(Some(message))), now);
            }
            LayerRequest::Fork(point) => self.fork_at(point, now),
            LayerRequest::WaitForSession => self.views.front.waits_for_holder = Some(now),
            LayerRequest::Quit => self.effects.push(Effect::Quit),
        }
    }

    /// Puts a text below what is being written.
    fn add_to_draft(&mut self, text: &str, now: Instant) {
        let begun = self.views.front.composer.text();
        let gap = if begun.trim().is_empty() {
            ""
        } else {
            "

"
        };
        let draft = format!("{}{gap}{text}", begun.trim_end());
        self.views.front.composer.set(Draft::from_text(&draft));
        self.draft_changed(now);
    }

    /// Has the session go on as an agent; while a turn runs, with its next step.
    pub(super) fn switch_agent(&mut self, agent: String, now: Instant) {
        if self.views.front.turn == TurnStatus::Busy {
            self.say_while(format!("{agent} from the next step on"), Meaning::TextMuted, now);
        }
        self.views.front.wanted_agent = Some(agent.clone());
        self.send(Op::SetAgent(agent));
    }

    /// Has the session ask a model; while a turn runs, with its next step.
    fn switch_model(&mut self, model: ModelRef, now: Instant) {
        if self.views.front.turn == TurnStatus::Busy {
            self.say_while(format!("{model} from the next step on"), Meaning::TextMuted, now);
        }
        self.views.front.wanted_model = Some(model.clone());
        self.send(Op::SetModel(model));
    }

    fn show_theme(&mut self, themes: Themes) {
        self.appearance.themes = themes;
        self.set_background(self.appearance.terminal_environment.background);
    }

    /// The file is the person's, with comments of theirs, so that it is left to them.
    fn explain_theme(&mut self, name: &str) {
        let home = self.appearance.terminal_environment.home.as_deref();
        let file = path_words(&self.appearance.settings_file, home);
        let name = serde_json::Value::from(name);
        self.views.front.transcript.push_notice(format!(
            "This theme is used until you quit; `\"theme\": {name}` in `{file}` keeps it."
        ));
    }

    /// Has a summary written, or shows the one that waits for the person's word.
    pub(super) fn compact(&mut self, focus: &str, now: Instant) {
        let waiting = self.views.front.summary.clone();
        if let Some(draft) = waiting.filter(|_| focus.is_empty()) {
            return self.show_summary(&draft, now);
        }
        self.views.front.summary = None;
        let focus = Some(focus.to_owned()).filter(|focus| !focus.is_empty());
        self.send(Op::Compact(focus));
    }

    pub(super) fn show_summary(&mut self, draft: &SummaryDraft, now: Instant) {
        self.views.front.opens_summary = false;
        self.open_layer(Box::new(SummaryDialog::new(draft, now)), now);
    }
}
