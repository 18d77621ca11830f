//! Questions to the person: one type and one queue for a tree of sessions, whatever is asked.
//!
//! A call asks in [`Questions::ask`] and waits there. Front ends hear of it through [`QuestionEvent`]s and answer by its
//! id. What is asked is a kind: permission for a call, or the form of a tool.

mod form;
mod queue;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use form::{Form, FormAnswer, FormOption, FormQuestion, FormReply};
pub use queue::{AnswerError, FrontEnd, NewQuestion, QuestionEvent, Questions};

use crate::conversation::{CallId, SessionId};
use crate::permission::{Inquiry, PermissionReply};

/// One question of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QuestionId(u64);

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A question, and who asks it. A part that deals with one kind alone has a question about that.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question<T = QuestionKind> {
    pub id: QuestionId,
    pub session: SessionId,
    pub call: CallId,
    pub agent: String,
    pub about: T,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// May the call do this?
    Permission(Arc<Inquiry>),
    /// A question with a form, from a tool.
    Form(Arc<Form>),
}

/// The end of a question, of the question's kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Permission(PermissionReply),
    Form(FormReply),
}

impl<T> Question<T> {
    /// Returns the same question about this alone.
    pub fn with<U>(&self, about: &Arc<U>) -> Question<Arc<U>> {
        Question {
            id: self.id,
            session: self.session.clone(),
            call: self.call.clone(),
            agent: self.agent.clone(),
            about: Arc::clone(about),
        }
    }
}

impl Question {
    /// `bash wants to run`, `build has 2 questions`.
    pub fn title(&self) -> &str {
        match &self.about {
            QuestionKind::Permission(inquiry) => &inquiry.title,
            QuestionKind::Form(form) => &form.title,
        }
    }

    /// Returns the question for permission, if it is one.
    pub fn permission(&self) -> Option<Question<Arc<Inquiry>>> {
        match &self.about {
            QuestionKind::Permission(inquiry) => Some(self.with(inquiry)),
            QuestionKind::Form(_) => None,
        }
    }

    /// Returns the question with a form, if it is one.
    pub fn form(&self) -> Option<Question<Arc<Form>>> {
        match &self.about {
            QuestionKind::Form(form) => Some(self.with(form)),
            QuestionKind::Permission(_) => None,
        }
    }
}

#[cfg(test)]
impl<T> Question<T> {
    /// Makes a question of agent `build`, for tests of those who show it.
    pub(crate) fn sample(about: T) -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            id: QuestionId(LAST.fetch_add(1, Ordering::Relaxed) + 1),
            session: SessionId::new(),
            call: CallId::new(),
            agent: "build".to_owned(),
            about,
        }
    }

    pub(crate) fn map<U>(self, to: impl FnOnce(T) -> U) -> Question<U> {
        Question {
            id: self.id,
            session: self.session,
            call: self.call,
            agent: self.agent,
            about: to(self.about),
        }
    }
}

#[cfg(test)]
impl Question<Inquiry> {
    pub(crate) fn shared(self) -> Arc<Question> {
        Arc::new(self.map(|inquiry| QuestionKind::Permission(Arc::new(inquiry))))
    }
}

#[cfg(test)]
impl Question<Form> {
    pub(crate) fn shared(self) -> Arc<Question> {
        Arc::new(self.map(|form| QuestionKind::Form(Arc::new(form))))
    }
}

impl QuestionKind {
    /// The reply where nobody is there to answer.
    fn nobody(&self) -> Reply {
        match self {
            Self::Permission(_) => Reply::Permission(PermissionReply::Nobody),
            Self::Form(_) => Reply::Form(FormReply::Nobody),
        }
    }

    /// The reply where the call is gone.
    fn withdrawn(&self) -> Reply {
        match self {
            Self::Permission(_) => Reply::Permission(PermissionReply::Withdrawn),
            Self::Form(_) => Reply::Form(FormReply::Withdrawn),
        }
    }

    fn takes(&self, reply: &Reply) -> bool {
        matches!(
            (self, reply),
            (Self::Permission(_), Reply::Permission(_)) | (Self::Form(_), Reply::Form(_))
        )
    }
}
