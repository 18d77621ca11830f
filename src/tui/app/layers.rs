//! The stack of layers over the conversation: what is opened and closed, where keys and news go, and what follows from
//! the replies. The topmost layer is asked first.

use std::time::Instant;

use super::{App, ESC_DEAF};
use crate::session::query::{Answer, Query};
use crate::tui::keymap::{Action, Context, List};
use crate::tui::layer::{Layer, LayerKind, News, Reply};
use crate::tui::page::{self, PageKind};
use crate::tui::picker::Picker;
use crate::tui::statusbar::Hints;
use crate::tui::transcript::Change;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn top_layer(&self) -> Option<&dyn Layer> {
        self.layers.last().map(|layer| &**layer)
    }

    /// Opens a page over the layers that are open; the one that is read is closed by its own key.
    pub(super) fn open_page(&mut self, kind: PageKind, now: Instant) {
        self.leave_list(now);
        if self.top_layer().map(Layer::kind) == Some(LayerKind::Page(kind)) {
            return self.close_layer(now);
        }
        let page = page::open(kind, &self.view.facts.title);
        self.open_layer(page, now);
    }

    pub(super) fn open_layer(&mut self, layer: Box<dyn Layer>, now: Instant) {
        self.keep_search(now);
        let wish = layer.wants();
        self.layers.push(layer);
        if let Some(wish) = wish {
            self.grant(wish, now);
        }
    }

    /// Closes the topmost layer, with what it leaves behind.
    pub(super) fn close_layer(&mut self, now: Instant) {
        let Some(mut layer) = self.layers.pop() else {
            return;
        };
        self.begin_guard_anew(now);
        if let Some(wish) = layer.close() {
            self.grant(wish, now);
        }
    }

    pub(super) fn close_layers(&mut self, now: Instant) {
        while !self.layers.is_empty() {
            self.close_layer(now);
        }
    }

    /// Closes the list on top, if there is one.
    pub(super) fn leave_list(&mut self, now: Instant) {
        if matches!(self.top_layer().map(Layer::kind), Some(LayerKind::List(_))) {
            self.close_layer(now);
        }
    }

    /// Has the topmost layer do something. Returns `None` where there is none, or it is none of its concern.
    pub(super) fn with_top(
        &mut self,
        now: Instant,
        body: impl FnOnce(&mut dyn Layer) -> Reply,
    ) -> Option<Change> {
        let layer = self.layers.last_mut()?;
        let reply = body(&mut **layer);
        self.follow_layer(self.layers.len() - 1, reply, now)
    }

    /// Does what a layer, which is so far from the bottom, replied.
    fn follow_layer(&mut self, place: usize, reply: Reply, now: Instant) -> Option<Change> {
        let wish = match reply {
            Reply::Ignored => return None,
            Reply::Done => None,
            Reply::Wish(wish) => Some(wish),
            Reply::Close(wish) => {
                self.layers.remove(place);
                self.begin_guard_anew(now);
                wish
            }
        };
        if let Some(wish) = wish {
            self.grant(wish, now);
        }
        Some(Change::Urgent)
    }

    /// One step of `esc`: what the topmost layer has open, then the layer. It is deaf afterwards if the next key would be
    /// read by somebody else.
    pub(super) fn layer_back(&mut self, now: Instant) {
        let read_by = (self.layers.len(), self.context());
        self.with_top(now, |layer| layer.back());
        if read_by != (self.layers.len(), self.context()) {
            self.view.esc.deaf_until = Some(now + ESC_DEAF);
        }
    }

    /// Scrolls the topmost layer that scrolls; says whether there was one.
    pub(super) fn scroll_layer(&mut self, rows: isize, now: Instant) -> bool {
        (0..self.layers.len()).rev().any(|place| {
            let reply = self.layers[place].scroll(rows);
            self.follow_layer(place, reply, now).is_some()
        })
    }

    /// Lets the topmost layer look at more of what it looks at in steps.
    pub(super) fn layer_work(&mut self, now: Instant) -> Change {
        if !self.is_layer_working() {
            return Change::None;
        }
        self.with_top(now, |layer| layer.work());
        if self.is_layer_working() {
            Change::Soft
        } else {
            Change::Urgent
        }
    }

    pub(super) fn is_layer_working(&self) -> bool {
        self.top_layer().is_some_and(Layer::is_working)
    }

    /// The list that is open, if it is this one.
    pub(super) fn open_picker(&mut self, list: List) -> Option<&mut Picker> {
        let layer = self.layers.last_mut()?;
        layer.as_picker().filter(|picker| picker.list() == list)
    }

    /// Has the list that is open do something, if it is this one.
    pub(super) fn with_list(
        &mut self,
        list: List,
        now: Instant,
        body: impl FnOnce(&mut Picker) -> Reply,
    ) -> Option<Change> {
        let reply = body(self.open_picker(list)?);
        self.follow_layer(self.layers.len() - 1, reply, now)
    }

    pub(super) fn tell_layers(&mut self, news: &News<'_>, now: Instant) {
        for place in (0..self.layers.len()).rev() {
            // One that hears may close itself, and nothing above it.
            if let Some(layer) = self.layers.get_mut(place) {
                let reply = layer.hear(news);
                self.follow_layer(place, reply, now);
            }
        }
    }

    /// The answer to what a layer or the dialog asked.
    pub(crate) fn answered(&mut self, query: &Query, answer: &Answer, now: Instant) -> Change {
        self.hear_in_dialog(query, answer, now);
        self.tell_layers(&News::Answer(query, answer), now);
        Change::Urgent
    }

    /// The session is there: what layers wanted to know before can be asked.
    pub(super) fn ask_for_layers(&mut self, now: Instant) {
        let wishes: Vec<_> = self.layers.iter().filter_map(|layer| layer.wants()).collect();
        for wish in wishes {
            self.grant(wish, now);
        }
    }

    pub(super) fn layer_hints(&self, layer: &dyn Layer, hints: &mut Hints<'_>) {
        if self.is_asking() && layer.covers() {
            hints.say("a question waits", Meaning::StateAsking);
        }
        layer.hints(hints, &self.keymap);
    }

    /// Has an action done by the topmost layer. Returns `None` where it is none of its concern.
    pub(super) fn act_in_layer(&mut self, context: Context, action: Action, now: Instant) -> Option<Change> {
        let is_read = self.top_layer().is_some_and(|layer| layer.context() == context);
        if !is_read {
            return None;
        }
        self.with_top(now, |layer| layer.act(action))
    }

    /// Returns true if nothing of the conversation is seen.
    pub(super) fn is_covered(&self) -> bool {
        self.layers.iter().any(|layer| layer.covers())
    }

    pub(super) fn asks_to_quit(&self) -> bool {
        self.top_layer().map(Layer::kind) == Some(LayerKind::Quit)
    }
}
