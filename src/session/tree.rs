//! The stream of a tree of sessions: the questions of all its sessions, and its tasks.
//!
//! The queue of questions is one for a tree. A change of it goes first to the session that asks, among the other reports
//! of its calls, and the actor of that session puts it into the tree's stream. A front end that watches both streams
//! ([`Handle::attach_with_tree`](super::Handle::attach_with_tree)) has them in one receiver, so the order in which a
//! session called, asked and went on is kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Event;
use super::outbox::{Outbox, Receiver};
use crate::conversation::SessionId;
use crate::question::QuestionEvent;

/// Receiver of the questions of one session. Called while the queue is locked, so it must not block.
type QuestionSink = Box<dyn Fn(QuestionEvent) + Send>;

/// The stream of one tree; all its sessions share it.
#[derive(Default)]
pub(super) struct SessionTree {
    outbox: Mutex<Outbox>,
    sessions: Mutex<HashMap<SessionId, QuestionSink>>,
    /// Receivers of what happens in every session of the tree. Nothing is sent through it.
    all: Mutex<Outbox>,
}

impl SessionTree {
    /// Gives a session the questions that its calls ask.
    pub(super) fn add(&self, session: &SessionId, sink: impl Fn(QuestionEvent) + Send + 'static) {
        lock(&self.sessions).insert(session.clone(), Box::new(sink));
    }

    /// Returns where the queue of questions tells its events: each goes to the session that asks.
    pub(super) fn question_sink(self: &Arc<Self>) -> impl Fn(QuestionEvent) + Send + 'static {
        let tree = Arc::clone(self);
        move |event| {
            // Nobody listens any more when the session has closed.
            if let Some(sink) = lock(&tree.sessions).get(event.session()) {
                sink(event);
            }
        }
    }

    /// Takes a session out that ends.
    pub(super) fn remove(&self, session: &SessionId) {
        lock(&self.sessions).remove(session);
    }

    /// Lets a receiver have what the tree tells from now on.
    pub(super) fn attach(&self, receiver: &Receiver) {
        lock(&self.outbox).attach_to(receiver);
    }

    /// Lets a receiver have what happens in the sessions that join the tree from now on.
    pub(super) fn attach_to_all(&self, receiver: &Receiver) {
        lock(&self.all).attach_to(receiver);
    }

    /// Gives a session that joins the tree those who want to hear of all of them.
    pub(super) fn share_receivers(&self, outbox: &mut Outbox) {
        lock(&self.all).share_receivers(outbox);
    }

    pub(super) fn publish(&self, session: &SessionId, event: Event) {
        lock(&self.outbox).send(session, event);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Neither a list nor an outbox is left half changed by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::conversation::CallId;
    use crate::question::{Form, FormReply, FrontEnd, NewQuestion, QuestionKind, Questions, Reply};

    /// A session without an actor: its questions go on into the tree's stream at once.
    fn join(tree: &Arc<SessionTree>) -> SessionId {
        let session = SessionId::new();
        let (stream, own) = (Arc::downgrade(tree), session.clone());
        tree.add(&session, move |event| {
            let tree = stream.upgrade().expect("it lives");
            assert_eq!(*event.session(), own);
            match event {
                QuestionEvent::Asked(question) => tree.publish(&own, Event::Asked(question)),
                QuestionEvent::Settled { .. } => tree.publish(&own, Event::Notice("settled".to_owned())),
            }
        });
        session
    }

    fn form(session: &SessionId) -> NewQuestion {
        let form = Form {
            title: "build has a question".to_owned(),
            card: None,
            questions: Vec::new(),
        };
        NewQuestion {
            session: session.clone(),
            call: CallId::new(),
            agent: "build".to_owned(),
            about: QuestionKind::Form(Arc::new(form)),
            fit: None,
        }
    }

    #[tokio::test]
    async fn who_watches_the_tree_beside_one_session_hears_the_questions_of_all() {
        let tree = Arc::new(SessionTree::default());
        let (root, child) = (join(&tree), join(&tree));
        let questions = Questions::with_sink(FrontEnd::Attached, tree.question_sink());
        let (mut stream_of_root, mut stream_of_child) = (Outbox::default(), Outbox::default());
        let mut watching = stream_of_root.attach();
        tree.attach(&watching);
        let mut beside = stream_of_child.attach();
        stream_of_root.send(&root, Event::TurnStarted);
        let cancel = CancellationToken::new();
        let ask = questions.ask(form(&child), &cancel);
        let answer = async {
            let events = [watching.recv().await, watching.recv().await].map(|event| event.expect("it lives"));
            assert_eq!([&events[0].session, &events[1].session], [&root, &child]);
            let Event::Asked(question) = &events[1].event else {
                panic!("{:?}", events[1])
            };
            let reply = Reply::Form(FormReply::Dismissed);
            questions.answer(question.id, reply).expect("it waits");
            watching.recv().await.expect("it lives")
        };
        let (reply, settled) = tokio::join!(ask, answer);
        assert_eq!(reply, Reply::Form(FormReply::Dismissed));
        assert_eq!(settled.session, child);
        assert!(
            beside.try_recv().is_none(),
            "a session's own stream has no questions"
        );
    }

    #[tokio::test]
    async fn a_question_of_a_session_that_has_ended_is_told_to_nobody() {
        let tree = Arc::new(SessionTree::default());
        let (root, child) = (join(&tree), join(&tree));
        let questions = Questions::with_sink(FrontEnd::Attached, tree.question_sink());
        let mut watching = Outbox::default().attach();
        tree.attach(&watching);
        tree.remove(&child);
        for session in [&child, &root] {
            let cancel = CancellationToken::new();
            cancel.cancel();
            questions.ask(form(session), &cancel).await;
        }
        let told: Vec<_> = std::iter::from_fn(|| watching.try_recv()?.ok()).collect();
        assert!(told.iter().all(|told| told.session == root), "{told:?}");
        assert_eq!(told.len(), 2);
    }
}
