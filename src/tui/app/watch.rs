//! The watch grid on the screen: the conversations of its tiles are opened when they come on screen and let go when they
//! leave it, and drawn without what stands around a conversation elsewhere.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::App;
use super::areas::Areas;
use super::frame::FrameLayout;
use super::layers::LayerSlot;
use super::session_view::SessionView;
use super::trees::tree_of;
use crate::conversation::SessionId;
use crate::question::{Question, QuestionId};
use crate::session::{Input, Op, TaskOp};
use crate::tui::app::{Effect, SessionLink};
use crate::tui::area::{above, last_rows};
use crate::tui::dialog::stop_tree;
use crate::tui::keymap::Action;
use crate::tui::layer::LayerCx;
use crate::tui::sessions::SlotId;
use crate::tui::transcript::{DrawCx, RedrawUrgency};
use crate::tui::watch::{TileConversation, Watch, WatchFacts, WatchMemory, WatchRequest, WatchTile};
use crate::view::spinner;
use crate::view::theme::Meaning;

/// The conversations that were opened for tiles.
#[derive(Default)]
pub(super) struct TileConversations {
    slots: Vec<SlotId>,
    /// The grid that was left by going into one of its agents, and the tree that it was of.
    left: Option<(SlotId, WatchMemory)>,
}

impl App {
    /// Returns the place of the grid among the opened layers, if it is seen.
    pub(super) fn watch_place(&self) -> Option<usize> {
        let place = self.layers.iter().rposition(|layer| layer.covers())?;
        self.layers[place].covers_title().then_some(place)
    }

    fn watch_mut(&mut self) -> Option<&mut Watch> {
        self.layers.iter_mut().find_map(|layer| layer.as_watch())
    }

    /// The grid has just been opened, if it is on top.
    pub(super) fn begin_watch(&mut self, now: Instant) {
        if self.watch_place().is_none() {
            return;
        }
        let tree = self.views.front.tree;
        let left = self.tiles.left.take_if(|(of, _)| *of == tree);
        if let Some(((_, memory), watch)) = left.zip(self.watch_mut()) {
            watch.recall(memory);
        }
        self.refresh_watch(now);
    }

    /// Tells the grid how the tree stands. Returns how soon that is to be drawn; `None` where there is no grid.
    pub(super) fn refresh_watch(&mut self, now: Instant) -> Option<RedrawUrgency> {
        let tree = tree_of(&self.trees, &self.views.front);
        let directory = self.root_view().directory.clone();
        let watch = self.layers.iter_mut().find_map(|layer| layer.as_watch())?;
        let rows = tree.tasks.entries().iter().map(|entry| entry.row.clone());
        let questions: Vec<_> = tree.questions.iter().cloned().collect();
        let facts = WatchFacts {
            rows: rows.collect(),
            questions: &questions,
            mode: self.views.front.facts.mode,
            directory: &directory,
        };
        let (change, unsent) = watch.update(facts);
        if let Some(text) = unsent {
            self.front(now).write_before(&text);
        }
        Some(change)
    }

    /// Returns true if a question waits that no tile has.
    pub(super) fn root_asks(&self) -> bool {
        let tree = self.tree();
        let is_of_task = |question: &Question| tree.tasks.get(&question.session).is_some();
        tree.questions.iter().any(|question| !is_of_task(question))
    }

    /// Returns what a change of the conversation in front is worth while the grid may cover it.
    pub(super) fn unless_unseen(&self, change: RedrawUrgency) -> RedrawUrgency {
        let is_seen = self.watch_place().is_none() || self.shown.views.contains(&self.views.front.slot);
        match change {
            RedrawUrgency::Soft if !is_seen => RedrawUrgency::None,
            change => change,
        }
    }

    /// Draws the grid with the conversations of its tiles, and the layers over it.
    pub(super) fn draw_watch(
        &mut self,
        place: usize,
        area: Rect,
        buffer: &mut Buffer,
        now: Instant,
    ) -> Option<Position> {
        self.refresh_watch(now);
        let tiles = self.lay_out_watch(place, area, now)?;
        let slots = self.open_tiles(&tiles, now);
        for (number, (tile, slot)) in tiles.iter().zip(slots).enumerate() {
            if let Some(seen) = slot.and_then(|slot| self.draw_tile(slot, tile, buffer, now)) {
                self.watch_mut()?.set_conversation(number, seen);
                self.tree_mut().tasks.see(&tile.session);
            }
        }
        self.shown = FrameLayout {
            width: area.width,
            views: std::mem::take(&mut self.shown.views),
            ..FrameLayout::default()
        };
        let areas = Areas {
            hints: last_rows(area, 1),
            ..Areas::default()
        };
        let caret = self.draw_layers(area, &areas, None, buffer, now);
        self.hints(now).draw(areas.hints, buffer);
        caret
    }

    fn lay_out_watch(&mut self, place: usize, area: Rect, now: Instant) -> Option<Vec<WatchTile>> {
        let directory = self.root_view().directory.clone();
        let view = &*self.views.front;
        let cx = LayerCx {
            directory: &directory,
            look: self.appearance.look(),
            keymap: &self.keymap,
            terminal_environment: &self.appearance.terminal_environment,
            screen: area,
            pictures: self.pictures.protocol(),
            session: view.root.as_ref(),
            hooks: &view.hooks,
            tasks: &tree_of(&self.trees, view).tasks,
            unix: self.wall_clock.at(now),
            place: (1, 1),
            is_low: false,
        };
        let watch = self.layers.get_mut(place)?.as_watch()?;
        watch.lay_out(above(area, 1), now, &cx);
        Some(watch.tiles().to_vec())
    }

    /// Opens the conversations of these tiles, and lets those go that were opened for others. A task that waits for its turn
    /// has none yet.
    fn open_tiles(&mut self, tiles: &[WatchTile], now: Instant) -> Vec<Option<SlotId>> {
        let slots = tiles.iter().map(|tile| {
            if !tile.has_session {
                return None;
            }
            if let Some(slot) = self.slot_of_session(&tile.session) {
                return Some(slot);
            }
            let slot = self.attach_task(&tile.session, now)?;
            self.tiles.slots.push(slot);
            Some(slot)
        });
        let slots: Vec<_> = slots.collect();
        self.close_tiles(&slots);
        slots
    }

    /// Returns the slot of a session whose conversation is there, whether it could be opened or not.
    fn slot_of_session(&self, session: &SessionId) -> Option<SlotId> {
        let views = self.views.iter();
        let views = views.filter(|view| view.id() == Some(session));
        // One that has ended may have been opened anew since.
        let view = views.min_by_key(|view| view.link == SessionLink::Gone)?;
        Some(view.slot)
    }

    /// Lets the conversations go that were opened for tiles and are in none of these slots.
    fn close_tiles(&mut self, seen: &[Option<SlotId>]) {
        let opened = std::mem::take(&mut self.tiles.slots);
        let (kept, left): (Vec<_>, Vec<_>) = opened
            .into_iter()
            .partition(|slot| seen.contains(&Some(*slot)) || self.is_in_use(*slot));
        self.tiles.slots = kept;
        for slot in left {
            self.close_view(slot);
        }
    }

    /// Returns true if something of a conversation would be lost, or is on its way.
    fn is_in_use(&self, slot: SlotId) -> bool {
        let is_used = |view: &SessionView| {
            let is_waiting = !view.unsent.is_empty() || view.link == SessionLink::Opening;
            is_waiting || !view.composer.is_blank()
        };
        slot == self.views.front.slot || self.views.get(slot).is_some_and(is_used)
    }

    /// The grid may have been closed: its conversations are let go.
    pub(super) fn leave_tiles(&mut self) {
        if !self.tiles.slots.is_empty() && self.watch_mut().is_none() {
            self.close_tiles(&[]);
        }
    }

    /// Draws the transcript of a tile. Returns what its first row tells of the conversation; `None` if that is not open.
    fn draw_tile(
        &mut self,
        slot: SlotId,
        tile: &WatchTile,
        buffer: &mut Buffer,
        now: Instant,
    ) -> Option<TileConversation> {
        let view = self.views.get_mut(slot)?;
        self.shown.views.push(slot);
        let transcript = &mut view.transcript;
        let asked = tile.question.as_ref().map(|question| &question.call);
        transcript.show_in_dialog(asked);
        transcript.set_canvas(None);
        let cx = DrawCx {
            shows_todos: false,
            look: self.appearance.look(),
            frame: spinner::STILL,
            now,
            focused: false,
            fold_key: "",
            view_key: "",
            end_key: "",
            ask_key: "",
        };
        transcript.draw(tile.body, buffer, &cx);
        Some(TileConversation {
            unseen: transcript.unseen(),
            queued: view.waiting().len(),
            context: view.facts.context_used,
        })
    }

    pub(super) fn follow_watch_request(&mut self, request: WatchRequest, now: Instant) {
        match request {
            WatchRequest::Enter(session) => self.enter_from_watch(&session, now),
            WatchRequest::EnterAlways(session, question) => {
                self.enter_from_watch(&session, now);
                self.open_always(question, now);
            }
            WatchRequest::Page(session, pages) => {
                if let Some(transcript) = self.tile_transcript(&session) {
                    transcript.page(pages);
                }
            }
            WatchRequest::Scroll(session, rows) => {
                if let Some(transcript) = self.tile_transcript(&session) {
                    transcript.scroll_by(rows);
                }
            }
            WatchRequest::Message(session, text) => self.message_task(&session, text, now),
            WatchRequest::StopAll => self.ask_to_stop_tree(now),
            WatchRequest::ToBackground(session) => {
                self.send_to_session(&session, Op::Task(TaskOp::ToBackground), now);
            }
        }
    }

    /// Goes into a session; the grid is there again as it was when it is opened the next time.
    fn enter_from_watch(&mut self, session: &SessionId, now: Instant) {
        let tree = self.views.front.tree;
        let memory = self.watch_mut().map(|watch| watch.memory());
        self.tiles.left = memory.map(|memory| (tree, memory));
        let is_in_front = self.views.front.id() == Some(session);
        self.enter_task(session, now);
        if is_in_front {
            self.close_layers(now);
        }
        self.leave_tiles();
    }

    /// Opens what "always" would store, in the dialog of a question.
    fn open_always(&mut self, question: QuestionId, now: Instant) {
        if self.show_this_question(question, now) {
            self.with_layer(LayerSlot::Question, now, |layer| layer.act(Action::AllowAlways));
        }
    }

    fn tile_transcript(&mut self, session: &SessionId) -> Option<&mut crate::tui::transcript::Transcript> {
        let slot = self.slot_of_session(session)?;
        self.transcript_at(slot)
    }

    fn message_task(&mut self, session: &SessionId, text: String, now: Instant) {
        let agent = self.tree().tasks.get(session).map(|row| row.agent.clone());
        let input = Input {
            text,
            ..Input::default()
        };
        if self.send_to_session(session, Op::Submit(input), now) {
            let agent = agent.unwrap_or_default();
            self.say(format!("sent to {agent}"), Meaning::TextMuted, now);
        }
    }

    /// Sends an operation to a session of the tree in front; says so where there is none any more.
    fn send_to_session(&mut self, session: &SessionId, op: Op, now: Instant) -> bool {
        let Some(slot) = self.attach_task(session, now) else {
            self.say("that task no longer exists here", Meaning::Warning, now);
            return false;
        };
        self.in_view(slot, now, |update| {
            update.send(op);
            RedrawUrgency::None
        });
        true
    }

    /// Asks before every task of the tree is stopped.
    fn ask_to_stop_tree(&mut self, now: Instant) {
        let active = self.tree().tasks.counts().active();
        self.open_layer(Box::new(stop_tree(active)), now);
    }

    pub(super) fn send_to_root(&mut self, op: Op) {
        if self.views.front.slot == self.views.front.tree {
            self.send(op);
        } else {
            self.effects.push(Effect::SendTo(self.views.front.tree, op));
        }
    }
}
