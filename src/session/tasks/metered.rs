//! The one door to the models of a tree: no request passes that was not admitted, and each is charged.

use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use futures::Stream;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use super::{Tasks, now};
use crate::agent::background::RequestId;
use crate::agent::estimate;
use crate::conversation::{ModelRef, StreamEvent, Usage};
use crate::provider::{Provider, ProviderError, ProviderErrorKind, ReplyStream, Request};

/// Asks models as another provider does, for the sessions of one tree.
pub(in crate::session) struct MeteredProvider {
    pub(in crate::session) inner: Arc<dyn Provider>,
    pub(in crate::session) tasks: Weak<Tasks>,
}

impl Provider for MeteredProvider {
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ReplyStream, ProviderError>> {
        Box::pin(async move {
            let Some(tasks) = self.tasks.upgrade() else {
                return self.inner.stream(request).await;
            };
            let ticket = tasks.admit(request.clone()).await?;
            let reply = self.inner.stream(request).await?;
            Ok(Box::pin(MeteredReply { reply, ticket }) as ReplyStream)
        })
    }

    fn window(&self, model: &ModelRef) -> Option<BoxFuture<'static, Option<u64>>> {
        self.inner.window(model)
    }
}

/// An admitted request. Dropping it ends it, and charges what it took.
struct Ticket {
    tasks: Arc<Tasks>,
    id: RequestId,
    request: Request,
    /// The reply has begun.
    has_begun: bool,
    usage: Option<Usage>,
    /// Bytes of the reply so far.
    received: usize,
}

impl Ticket {
    fn take(&mut self, event: &StreamEvent) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.tasks.begin_reply(self.id);
        }
        match event {
            StreamEvent::Usage(usage) => self.usage = Some(*usage),
            StreamEvent::Delta { delta, .. } => self.received += delta.len(),
            _ => {}
        }
    }

    /// Returns the usage of the request: as the server says, else an estimate of what was sent and of what came back. One that the
    /// server never began to answer took nothing.
    fn taken(&self) -> Usage {
        match self.usage {
            Some(usage) => usage,
            None if !self.has_begun => Usage::default(),
            None => Usage {
                input: estimate::request(&self.request),
                output: estimate::bytes(self.received),
                ..Usage::default()
            },
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.tasks.end_request(self.id, &self.request, &self.taken());
    }
}

struct MeteredReply {
    reply: ReplyStream,
    ticket: Ticket,
}

impl Stream for MeteredReply {
    type Item = Result<StreamEvent, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.reply.as_mut().poll_next(cx);
        if let Poll::Ready(Some(Ok(event))) = &next {
            self.ticket.take(event);
        }
        next
    }
}

impl Tasks {
    /// Waits until a request may be sent, or says why it never may.
    async fn admit(self: &Arc<Self>, request: Request) -> Result<Ticket, ProviderError> {
        self.check_price(&request)?;
        let (sender, admission) = oneshot::channel();
        let id = {
            let mut state = self.lock();
            state.last_request += 1;
            let id = RequestId(state.last_request);
            state.admissions.insert(id, sender);
            state
                .scheduler
                .request(&request.session, &request.model, id, now());
            self.perform(&mut state);
            id
        };
        self.hurry.notify_one();
        let ticket = Ticket {
            tasks: Arc::clone(self),
            id,
            request,
            has_begun: false,
            usage: None,
            received: 0,
        };
        match admission.await {
            Ok(Ok(())) => Ok(ticket),
            Ok(Err(spent)) => Err(spent_error(spent)),
            Err(_) => Err(spent_error("the session is closing".to_owned())),
        }
    }

    /// Refuses a request whose price is not known where dollars are limited: nobody could say what it spends.
    fn check_price(&self, request: &Request) -> Result<(), ProviderError> {
        let sessions = {
            let state = self.lock();
            let has_limit = state.scheduler.has_cost_limit(&request.session);
            state.sessions.clone().filter(|_| has_limit)
        };
        let model = &request.model;
        match sessions {
            Some(sessions) if sessions.price(model, &Usage::default()).is_none() => Err(spent_error(
                format!("a budget in dollars cannot be enforced: the price of `{model}` is unknown"),
            )),
            _ => Ok(()),
        }
    }

    fn begin_reply(&self, id: RequestId) {
        let mut state = self.lock();
        state.scheduler.begin_reply(id, now());
        self.perform(&mut state);
    }

    fn end_request(&self, id: RequestId, request: &Request, usage: &Usage) {
        let sessions = self.lock().sessions.clone();
        let cost = sessions.and_then(|sessions| sessions.price(&request.model, usage));
        let mut state = self.lock();
        state.admissions.remove(&id);
        state.scheduler.end_request(id, usage, cost, now());
        self.perform(&mut state);
    }
}

/// The error of a request that was not sent.
pub(in crate::session) fn spent_error(spent: String) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Budget, spent).hinted(
        "send a message to go on with a new budget; `background.budget` in the configuration and `--budget` set it",
    )
}
