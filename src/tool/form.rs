//! Forms: what a tool asks the person, and the queue in which forms wait.
//!
//! Permission is not asked here but at the gate; a form asks for knowledge or a decision and its answer is the call's
//! result. A call waits in [`Forms::put`]; whoever shows the screen hears of the form through [`FormEvent`]s and
//! answers by its id. The first answer wins. A form leaves the queue when it is answered, when its call is cancelled or
//! its future dropped. With nobody to answer it is never shown: the tool takes what it has declared for that.
//!
//! Events go out while the queue is locked, so their order is that of what happened.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::conversation::{CallId, SessionId};
use crate::permission::AlreadyAnswered;
use crate::view::card::Card;

/// One form of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FormId(u64);

/// A form that waits, and who put it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Form {
    pub id: FormId,
    pub session: SessionId,
    pub call: CallId,
    pub agent: String,
    pub sheet: Sheet,
}

/// The content of a form.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Sheet {
    /// `build has 2 questions`.
    pub title: String,
    /// Shows the subject, where the questions do not say it themselves.
    pub card: Option<Card>,
    /// At least one.
    pub questions: Vec<FormQuestion>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormQuestion {
    pub question: String,
    /// A word or two for where there is little room; may be empty.
    pub header: String,
    pub options: Vec<FormOption>,
    /// Any number of options may be chosen.
    pub multiple: bool,
    /// Invites an answer in the person's own words; `None` where only options count.
    pub own_words: Option<String>,
    /// The option to begin at.
    pub default: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormOption {
    pub label: String,
    pub description: Option<String>,
}

/// The answer to one question; an empty one is no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormAnswer {
    /// Places of options, in their order.
    pub picked: Vec<usize>,
    pub words: Option<String>,
}

impl FormAnswer {
    pub fn is_empty(&self) -> bool {
        self.picked.is_empty() && self.words.is_none()
    }
}

/// The end of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormReply {
    /// One for each question.
    Answers(Vec<FormAnswer>),
    /// The person will not answer.
    Dismissed,
    /// Nobody is there to answer.
    Nobody,
    /// The call was cancelled.
    Withdrawn,
}

/// A change of the queue of forms.
#[derive(Debug, Clone)]
pub enum FormEvent {
    Put(Arc<Form>),
    Settled(Arc<Form>),
}

/// Tells if a form can be answered at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Somebody will, now or later.
    Somebody,
    /// Nobody ever will.
    Nobody,
}

/// Receiver of events. Called while the queue is locked, so it must not block and not call the queue.
type Sink = Box<dyn Fn(FormEvent) + Send>;

/// The queue of a session and its children; clones share it.
#[derive(Clone)]
pub struct Forms {
    presence: Presence,
    state: Arc<Mutex<State>>,
}

struct State {
    last_id: u64,
    /// Oldest first.
    waiting: VecDeque<Waiting>,
    sink: Sink,
}

struct Waiting {
    form: Arc<Form>,
    answer: oneshot::Sender<FormReply>,
}

impl Forms {
    /// Makes a queue that tells `sink`, which must not block and not call the queue.
    pub fn telling(presence: Presence, sink: impl Fn(FormEvent) + Send + 'static) -> Self {
        let state = State {
            last_id: 0,
            waiting: VecDeque::new(),
            sink: Box::new(sink),
        };
        Self {
            presence,
            state: Arc::new(Mutex::new(state)),
        }
    }

    pub fn presence(&self) -> Presence {
        self.presence
    }

    /// Shows a form and waits for the reply. Cancelling, or dropping the future, withdraws it.
    pub async fn put(
        &self,
        (session, call, agent): (&SessionId, &CallId, &str),
        sheet: Sheet,
        cancel: &CancellationToken,
    ) -> FormReply {
        if self.presence == Presence::Nobody {
            return FormReply::Nobody;
        }
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut state = self.lock();
            state.last_id += 1;
            let id = FormId(state.last_id);
            let form = Arc::new(Form {
                id,
                session: session.clone(),
                call: call.clone(),
                agent: agent.to_owned(),
                sheet,
            });
            (state.sink)(FormEvent::Put(Arc::clone(&form)));
            state.waiting.push_back(Waiting { form, answer: sender });
            id
        };
        let _withdraw = WithdrawOnDrop { forms: self, id };
        tokio::select! {
            // An answer that came first counts, even if the call is cancelled by now.
            biased;
            reply = answer => reply.unwrap_or(FormReply::Withdrawn),
            () = cancel.cancelled() => FormReply::Withdrawn,
        }
    }

    /// Settles a form.
    pub fn answer(&self, id: FormId, reply: FormReply) -> Result<(), AlreadyAnswered> {
        if self.lock().settle(id, reply) {
            Ok(())
        } else {
            Err(AlreadyAnswered)
        }
    }

    /// Returns the forms that wait, oldest first.
    pub fn waiting(&self) -> Vec<Arc<Form>> {
        let state = self.lock();
        state.waiting.iter().map(|waiting| waiting.form.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing between lock and unlock leaves the queue half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn settle(&mut self, id: FormId, reply: FormReply) -> bool {
        let place = self.waiting.iter().position(|waiting| waiting.form.id == id);
        let Some(Waiting { form, answer }) = place.and_then(|place| self.waiting.remove(place)) else {
            return false;
        };
        // The call may be gone; its guard would have withdrawn the form a moment later.
        let _ = answer.send(reply);
        (self.sink)(FormEvent::Settled(form));
        true
    }
}

struct WithdrawOnDrop<'a> {
    forms: &'a Forms,
    id: FormId,
}

impl Drop for WithdrawOnDrop<'_> {
    fn drop(&mut self) {
        self.forms.lock().settle(self.id, FormReply::Withdrawn);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    struct Desk {
        forms: Forms,
        events: mpsc::UnboundedReceiver<FormEvent>,
        cancel: CancellationToken,
    }

    fn desk(presence: Presence) -> Desk {
        let (sender, events) = mpsc::unbounded_channel();
        Desk {
            forms: Forms::telling(presence, move |event| drop(sender.send(event))),
            events,
            cancel: CancellationToken::new(),
        }
    }

    impl Desk {
        fn put(&self, title: &str) -> tokio::task::JoinHandle<FormReply> {
            let (forms, cancel) = (self.forms.clone(), self.cancel.child_token());
            let sheet = Sheet {
                title: title.to_owned(),
                ..Sheet::default()
            };
            tokio::spawn(async move {
                let (session, call) = (SessionId::new(), CallId::new());
                forms.put((&session, &call, "build"), sheet, &cancel).await
            })
        }

        async fn next(&mut self) -> String {
            match self.events.recv().await.unwrap() {
                FormEvent::Put(form) => format!("put {}", form.sheet.title),
                FormEvent::Settled(form) => format!("settled {}", form.sheet.title),
            }
        }
    }

    #[tokio::test]
    async fn forms_wait_in_order_and_the_first_answer_wins() {
        let mut desk = desk(Presence::Somebody);
        let first = desk.put("a");
        assert_eq!(desk.next().await, "put a");
        let second = desk.put("b");
        assert_eq!(desk.next().await, "put b");
        let waiting = desk.forms.waiting();
        let titles: Vec<_> = waiting.iter().map(|form| form.sheet.title.as_str()).collect();
        assert_eq!(titles, ["a", "b"]);

        let id = waiting[0].id;
        assert_eq!(desk.forms.answer(id, FormReply::Dismissed), Ok(()));
        let late = FormReply::Answers(Vec::new());
        assert_eq!(desk.forms.answer(id, late), Err(AlreadyAnswered));
        assert_eq!(first.await.unwrap(), FormReply::Dismissed);
        assert_eq!(desk.next().await, "settled a");
        assert_eq!(desk.forms.waiting().len(), 1);
        second.abort();
        assert_eq!(desk.next().await, "settled b");
    }

    #[tokio::test]
    async fn a_cancelled_call_withdraws_its_form() {
        let mut desk = desk(Presence::Somebody);
        let call = desk.put("a");
        assert_eq!(desk.next().await, "put a");
        desk.cancel.cancel();
        assert_eq!(call.await.unwrap(), FormReply::Withdrawn);
        assert_eq!(desk.next().await, "settled a");
        assert!(desk.forms.waiting().is_empty());
    }

    #[tokio::test]
    async fn with_nobody_there_a_form_is_never_shown() {
        let mut desk = desk(Presence::Nobody);
        assert_eq!(desk.put("a").await.unwrap(), FormReply::Nobody);
        assert!(desk.events.try_recv().is_err());
    }
}
