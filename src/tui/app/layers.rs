//! The stack of layers over the conversation: their order, where keys and update go, and what follows from the replies.
//! The topmost layer is asked first.

use std::time::Instant;

use super::hearing::Hearing;
use super::pickers::List;
use super::view_update::ViewUpdate;
use super::{App, ESCAPE_PAUSE};
use crate::conversation::CallId;
use crate::session::query::{Answer, Query};
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::{Layer, LayerKind, LayerReply, LayerRequest, LayerUpdate};
use crate::tui::page::Page;
use crate::tui::picker::Picker;
use crate::tui::sessions::SlotId;
use crate::tui::statusbar::Hints;
use crate::tui::transcript::RedrawUrgency;
use crate::view::card::Card;
use crate::view::theme::Meaning;

/// A layer in the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayerSlot {
    /// The leader waits for the rest of a key.
    Leader,
    /// One that a person has opened, counted from the bottom.
    Opened(usize),
    Trust,
    Search,
    Todo,
    Question,
    Completion,
}

impl LayerSlot {
    /// Returns true if the conversation draws it where it stands in it, and it is above what has the focus there.
    pub(super) fn is_part_of_view(self) -> bool {
        matches!(self, Self::Trust | Self::Todo | Self::Question)
    }

    /// Returns true if the draft is written while that layer is on top.
    pub(super) fn leaves_keys(self) -> bool {
        matches!(self, Self::Leader | Self::Completion)
    }
}

impl ViewUpdate<'_> {
    fn take_card(&mut self, call: &CallId, expanded: bool, card: &Card) -> RedrawUrgency {
        RedrawUrgency::Soft.only_if(self.view.transcript.take_card(call, expanded, card.clone()))
    }

    /// Tells the question that the conversation shows of something, and does what it requests then.
    fn update_question(&mut self, update: &LayerUpdate<'_>) -> RedrawUrgency {
        let Some(dialog) = self.tree.questions.shown_mut() else {
            return RedrawUrgency::None;
        };
        if let LayerReply::Close(request) = dialog.update(update) {
            self.tree.questions.remove_shown();
            if let Some(LayerRequest::Answer {
                question,
                reply,
                text,
            }) = request
            {
                self.answer(question, reply, text);
            }
        }
        RedrawUrgency::Urgent
    }
}

impl App {
    /// Returns the layers that are there, the topmost first. This order is the only place that says which of them reads
    /// the keys.
    pub(super) fn stack(&self) -> impl Iterator<Item = LayerSlot> {
        let opened = (0..self.layers.len()).rev().map(LayerSlot::Opened);
        let leader = std::iter::once(LayerSlot::Leader);
        let others = [
            LayerSlot::Trust,
            LayerSlot::Search,
            LayerSlot::Todo,
            LayerSlot::Question,
            LayerSlot::Completion,
        ];
        leader
            .chain(opened)
            .chain(others)
            .filter(|slot| self.layer(*slot).is_some())
    }

    pub(super) fn top(&self) -> Option<LayerSlot> {
        self.stack().next()
    }

    pub(super) fn layer(&self, slot: LayerSlot) -> Option<&dyn Layer> {
        Some(match slot {
            LayerSlot::Leader => self.leader.as_ref()?,
            LayerSlot::Opened(place) => &**self.layers.get(place)?,
            LayerSlot::Trust => self.trust.as_ref().filter(|_| self.is_trust_open)?,
            LayerSlot::Search => self.views.front.search.as_ref()?,
            LayerSlot::Todo => self.views.front.todo_editor()?,
            LayerSlot::Question => self.tree().questions.shown()?,
            LayerSlot::Completion => self.views.front.open_completion()?,
        })
    }

    fn layer_mut(&mut self, slot: LayerSlot) -> Option<&mut dyn Layer> {
        self.layer(slot)?;
        Some(match slot {
            LayerSlot::Leader => self.leader.as_mut()?,
            LayerSlot::Opened(place) => &mut **self.layers.get_mut(place)?,
            LayerSlot::Trust => self.trust.as_mut()?,
            LayerSlot::Search => self.views.front.search.as_mut()?,
            LayerSlot::Todo => self.views.front.panel.editor_mut()?,
            LayerSlot::Question => self.tree_mut().questions.shown_mut()?,
            LayerSlot::Completion => &mut self.views.front.completion,
        })
    }

    /// Answers a key that means nothing to a layer.
    pub(super) fn on_unknown_key(&mut self, slot: LayerSlot, now: Instant) -> Option<RedrawUrgency> {
        let keymap = self.keymap.clone();
        self.with_layer(slot, now, |layer| layer.on_unknown_key(&keymap))
    }

    /// Returns true if a layer takes a key that is pressed now; one that has just appeared drops it.
    pub(super) fn passes_guard(&mut self, slot: LayerSlot, now: Instant) -> bool {
        let passes = self.layer_mut(slot).is_none_or(|layer| layer.pass_guard(now));
        self.dropped_keys += u64::from(!passes);
        passes
    }

    fn close_slot(&mut self, slot: LayerSlot, now: Instant) {
        match slot {
            // What lies below it was read all along.
            LayerSlot::Leader => self.leader = None,
            LayerSlot::Opened(place) => {
                drop(self.layers.remove(place));
                self.uncover_question(now);
            }
            LayerSlot::Trust => self.trust = None,
            LayerSlot::Search => {
                self.views.front.search = None;
                self.uncover_question(now);
            }
            LayerSlot::Todo => self.views.front.panel.leave_writing(),
            LayerSlot::Question => {
                self.tree_mut().questions.remove_shown();
                self.front(now).count_asks();
            }
            LayerSlot::Completion => self.views.front.completion.close(),
        }
    }

    /// Returns the topmost layer that is on screen.
    pub(super) fn seen_layer(&self, now: Instant) -> Option<(LayerSlot, &dyn Layer)> {
        let layers = self.stack().filter_map(|slot| Some((slot, self.layer(slot)?)));
        layers.into_iter().find(|(_, layer)| layer.is_seen(now))
    }

    /// Has a layer do something. Returns `None` where it is none of its concern.
    pub(super) fn with_layer(
        &mut self,
        slot: LayerSlot,
        now: Instant,
        body: impl FnOnce(&mut dyn Layer) -> LayerReply,
    ) -> Option<RedrawUrgency> {
        let reply = body(self.layer_mut(slot)?);
        self.follow_layer(slot, reply, now)
    }

    /// Does what follows from the reply of a layer.
    fn follow_layer(&mut self, slot: LayerSlot, reply: LayerReply, now: Instant) -> Option<RedrawUrgency> {
        let request = match reply {
            LayerReply::Ignored => return None,
            LayerReply::Done => None,
            LayerReply::Request(request) => Some(request),
            LayerReply::Close(request) => {
                self.close_slot(slot, now);
                request
            }
        };
        if let Some(request) = request {
            self.follow_request(request, now);
        }
        Some(RedrawUrgency::Urgent)
    }

    /// Has the topmost layer that a person has opened do something.
    pub(super) fn with_opened(
        &mut self,
        now: Instant,
        body: impl FnOnce(&mut dyn Layer) -> LayerReply,
    ) -> Option<RedrawUrgency> {
        self.with_layer(LayerSlot::Opened(self.layers.len().checked_sub(1)?), now, body)
    }

    fn opened_kind(&self) -> Option<LayerKind> {
        self.layers.last()?.kind()
    }

    /// Opens a page over the layers that are open; the one that is read is closed by its own key.
    pub(super) fn open_page(&mut self, page: &'static Page, now: Instant) {
        self.leave_list(now);
        if self.opened_kind() == Some(LayerKind::Page(page)) {
            return self.close_layer(now);
        }
        let layer = (page.open)(&self.views.front.facts.title);
        self.open_layer(layer, now);
        self.begin_watch(now);
        self.refresh_terminals();
    }

    pub(super) fn open_layer(&mut self, layer: Box<dyn Layer>, now: Instant) {
        self.leave_search_row(now);
        let request = layer.request();
        self.layers.push(layer);
        if let Some(request) = request {
            self.follow_request(request, now);
        }
    }

    /// Closes the topmost layer, with what it leaves behind.
    pub(super) fn close_layer(&mut self, now: Instant) {
        let Some(mut layer) = self.layers.pop() else {
            return;
        };
        self.uncover_question(now);
        if let Some(request) = layer.close() {
            self.follow_request(request, now);
        }
    }

    /// What lay over the question on screen is closed, by a key that was not meant for it: until the composer has rested
    /// keys go to the draft.
    fn uncover_question(&mut self, now: Instant) {
        if self.question_slot().is_some_and(|slot| self.top() == Some(slot)) {
            self.hearing = Hearing::uncovered(now);
        }
    }

    pub(super) fn close_layers(&mut self, now: Instant) {
        while !self.layers.is_empty() {
            self.close_layer(now);
        }
    }

    /// Closes the list on top, if there is one.
    pub(super) fn leave_list(&mut self, now: Instant) {
        if matches!(self.opened_kind(), Some(LayerKind::List(_))) {
            self.close_layer(now);
        }
    }

    /// One step of `esc`: what a layer has open, then the layer. After an opened one `esc` is ignored for a moment if the next
    /// key would be read by another part, after the others always.
    pub(super) fn layer_back(&mut self, slot: LayerSlot, now: Instant) {
        let read_by = (self.layers.len(), self.context());
        self.with_layer(slot, now, |layer| layer.back());
        let ignores_escape = match slot {
            LayerSlot::Leader => false,
            LayerSlot::Opened(_) => read_by != (self.layers.len(), self.context()),
            _ => true,
        };
        if ignores_escape {
            self.views.front.esc.ignores_keys_until = Some(now + ESCAPE_PAUSE);
        }
    }

    /// Scrolls the topmost layer that scrolls; says whether there was one.
    pub(super) fn scroll_layer(&mut self, rows: isize, now: Instant) -> bool {
        (0..self.layers.len()).rev().any(|place| {
            self.with_layer(LayerSlot::Opened(place), now, |layer| layer.scroll(rows))
                .is_some()
        })
    }

    /// Lets the topmost layer look at more of what it looks at in steps.
    pub(super) fn layer_work(&mut self, now: Instant) -> RedrawUrgency {
        if !self.is_layer_working() {
            return RedrawUrgency::None;
        }
        self.with_opened(now, |layer| layer.work());
        if self.is_layer_working() {
            RedrawUrgency::Soft
        } else {
            RedrawUrgency::Urgent
        }
    }

    pub(super) fn is_layer_working(&self) -> bool {
        self.layers.last().is_some_and(|layer| layer.is_working())
    }

    /// The list that is open, if it is this one.
    pub(super) fn open_picker(&mut self, list: &'static List) -> Option<&mut Picker> {
        let layer = self.layers.last_mut()?;
        layer.as_picker().filter(|picker| picker.list() == list)
    }

    /// Has the list that is open do something, if it is this one.
    pub(super) fn with_list(
        &mut self,
        list: &'static List,
        now: Instant,
        body: impl FnOnce(&mut Picker) -> LayerReply,
    ) -> Option<RedrawUrgency> {
        let reply = body(self.open_picker(list)?);
        self.follow_layer(LayerSlot::Opened(self.layers.len() - 1), reply, now)
    }

    pub(super) fn update_layers(&mut self, update: &LayerUpdate<'_>, now: Instant) {
        let slots: Vec<LayerSlot> = self.stack().collect();
        for slot in slots {
            // One that hears may close itself, and nothing above it.
            self.with_layer(slot, now, |layer| layer.update(update));
        }
    }

    /// A session has answered what a layer or a question asked, or drawn a call.
    pub(crate) fn answered(
        &mut self,
        slot: SlotId,
        query: &Query,
        answer: &Answer,
        now: Instant,
    ) -> RedrawUrgency {
        if let Query::Terminal { name, .. } = query {
            return self.take_terminal(name, answer, now);
        }
        if let Query::Card { call, expanded } = query {
            return self.in_view(slot, now, |update| match answer {
                Answer::Card(Some(card)) => update.take_card(call, *expanded, card),
                _ => RedrawUrgency::None,
            });
        }
        let update = LayerUpdate::Answer(query, answer);
        if slot != self.views.front.slot {
            // Lists and pages are about the conversation in front.
            return self.in_view(slot, now, |view| view.update_question(&update));
        }
        self.update_layers(&update, now);
        RedrawUrgency::Urgent
    }

    /// The session is there: what layers wanted to know before can be asked.
    pub(super) fn ask_for_layers(&mut self, now: Instant) {
        let requests: Vec<_> = self.layers.iter().filter_map(|layer| layer.request()).collect();
        for request in requests {
            self.follow_request(request, now);
        }
    }

    pub(super) fn layer_hints(&self, layer: &dyn Layer, hints: &mut Hints<'_>) {
        // The grid shows those of tasks itself.
        let is_unseen = !layer.covers_title() || self.root_asks();
        let waits = self.is_asking() || self.waiting_row().is_some();
        if waits && layer.covers() && is_unseen {
            hints.say("a question waits", Meaning::StateAsking);
        }
        layer.hints(hints, &self.keymap);
    }

    /// Has an action done by the topmost layer, whose key it was. Returns `None` where it is none of its concern.
    pub(super) fn act_in_layer(
        &mut self,
        context: Context,
        action: Action,
        now: Instant,
    ) -> Option<RedrawUrgency> {
        let top = self.top()?;
        let is_read = self.layer(top).is_some_and(|layer| layer.context() == context);
        if !is_read {
            return None;
        }
        self.with_layer(top, now, |layer| layer.act(action))
    }

    /// Returns true if nothing of the conversation is seen.
    pub(super) fn is_covered(&self) -> bool {
        self.layers.iter().any(|layer| layer.covers())
    }

    pub(super) fn asks_to_quit(&self) -> bool {
        self.opened_kind() == Some(LayerKind::Quit)
    }
}
