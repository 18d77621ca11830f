//! The window of a model on a local server: asked for before the first request to the model, which waits for the answer.

use tokio_util::task::AbortOnDropHandle;

use super::super::Actor;
use crate::conversation::ModelRef;
use crate::session::Event;

/// A question to a server that is not answered yet.
pub(in crate::session::actor) struct WindowQuery {
    model: ModelRef,
    answer: AbortOnDropHandle<Option<u64>>,
    /// The request of a turn waits for it.
    is_awaited: bool,
}

impl WindowQuery {
    /// Waits for the answer; forever when nothing was asked. Cancel safe.
    pub(in crate::session::actor) async fn next(query: &mut Option<Self>) -> Option<u64> {
        match query {
            Some(query) => (&mut query.answer).await.unwrap_or_default(),
            None => std::future::pending().await,
        }
    }
}

impl Actor {
    /// Asks the server of the model for the window, where that is not known. Returns true if the request has to wait.
    pub(super) fn awaits_window(&mut self) -> bool {
        let model = &self.parts.info.model;
        let asked = self.context.window_query.as_mut();
        if let Some(query) = asked.filter(|query| query.model == *model) {
            query.is_awaited = true;
            return true;
        }
        let Some(asking) = self.parts.driver.provider().window(model) else {
            return false;
        };
        self.context.window_query = Some(WindowQuery {
            model: model.clone(),
            answer: AbortOnDropHandle::new(tokio::spawn(asking)),
            is_awaited: true,
        });
        true
    }

    /// The turn that waited is over. What the server says is kept all the same.
    pub(in crate::session::actor) fn drop_awaited_window(&mut self) {
        if let Some(query) = &mut self.context.window_query {
            query.is_awaited = false;
        }
    }

    /// A server has told the window of its model, or nothing.
    pub(in crate::session::actor) fn on_window(&mut self, tokens: Option<u64>) {
        let Some(query) = self.context.window_query.take() else {
            return;
        };
        if let Some(tokens) = tokens.filter(|_| query.model == self.parts.info.model) {
            self.parts.model.context = tokens;
            self.parts.info.context_limit = Some(tokens);
            self.publish(Event::Window(tokens));
        }
        if query.is_awaited && self.turn.is_some() {
            self.request_with_room();
        }
    }
}
