//! Identifiers: a prefix and 26 lower-case Crockford base32 digits of a `UUIDv7`, so that they sort by time.
//!
//! They are monotonic within the process (the UUID's own counter sees to that). Nothing may rely on their order across
//! processes: order is by `seq`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 128 bits in digits of five bits.
const LENGTH: usize = 26;

/// A string that is not an identifier of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not {kind} id; it should look like `{prefix}…`")]
pub struct IdError {
    given: String,
    kind: &'static str,
    prefix: &'static str,
}

fn fresh(prefix: &str) -> String {
    let bits = uuid::Uuid::now_v7().as_u128();
    let mut id = String::with_capacity(prefix.len() + LENGTH);
    id.push_str(prefix);
    for digit in (0..LENGTH).rev() {
        let five = (bits >> (digit * 5)) & 31;
        id.push(char::from(DIGITS[five as usize]));
    }
    id
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Makes a new one, later than all before it in this process.
            #[allow(clippy::new_without_default)]
            pub fn new() -> Self {
                Self(fresh($prefix))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            /// Accepts the prefix followed by letters, digits and dots: inner calls are `call_X.n`.
            fn from_str(given: &str) -> Result<Self, IdError> {
                let rest = given.strip_prefix($prefix).unwrap_or("");
                let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
                if rest.is_empty() || rest.len() > 64 || !rest.chars().all(is_plain) {
                    return Err(IdError { given: given.to_owned(), kind: $kind, prefix: $prefix });
                }
                Ok(Self(given.to_owned()))
            }
        }
    };
}

id!(
    /// One conversation.
    SessionId, "ses_", "a session"
);
id!(
    /// One user input or one model reply.
    MessageId, "msg_", "a message"
);
id!(
    /// One tool call. A provider's own id for it stays on the part and is used on the wire alone.
    CallId, "call_", "a call"
);

id!(
    /// One task. It runs in the session of the same digits.
    TaskId, "tsk_", "a task"
);

impl TaskId {
    /// Returns the id of the task that runs in a session.
    pub fn of(session: &SessionId) -> Self {
        let digits = session.as_str().trim_start_matches("ses_");
        Self(format!("tsk_{digits}"))
    }

    /// Returns the session that the task runs in.
    pub fn session(&self) -> SessionId {
        let digits = self.0.trim_start_matches("tsk_");
        SessionId(format!("ses_{digits}"))
    }
}

impl CallId {
    /// Returns the id of the call with this number inside this one, counted from 1.
    pub fn inner(&self, number: usize) -> Self {
        Self(format!("{}.{number}", self.0))
    }

    /// Returns the id of the call that this one is inside of.
    pub fn outer(&self) -> Option<Self> {
        let (outer, _) = self.0.rsplit_once('.')?;
        Some(Self(outer.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_in_the_order_they_were_made() {
        let made: Vec<_> = (0..2000).map(|_| MessageId::new()).collect();
        let mut sorted = made.clone();
        sorted.sort();
        assert_eq!(made, sorted);
        assert_eq!(made[0].as_str().len(), 4 + LENGTH);
    }

    #[test]
    fn a_task_and_its_session_name_each_other() {
        let session = SessionId::new();
        let task = TaskId::of(&session);
        assert_eq!(task.as_str().replace("tsk_", "ses_"), session.as_str());
        assert_eq!(task.session(), session);
        assert_eq!(task.as_str().parse(), Ok(task.clone()));
    }

    #[test]
    fn a_call_inside_another_tells_which() {
        let outer = CallId::new();
        let inner = outer.inner(3);
        assert_eq!(inner.as_str(), format!("{outer}.3"));
        assert_eq!(inner.as_str().parse(), Ok(inner.clone()));
        assert_eq!((inner.outer(), outer.outer()), (Some(outer), None));
    }

    #[test]
    fn an_id_of_another_kind_is_refused() {
        let id = SessionId::new();
        assert_eq!(id.as_str().parse::<SessionId>(), Ok(id.clone()));
        let error = id.as_str().parse::<CallId>().unwrap_err();
        assert!(error.to_string().contains("is not a call id"), "{error}");
        for bad in ["", "ses_", "ses_../../x", "ses_a b"] {
            assert!(bad.parse::<SessionId>().is_err(), "{bad}");
        }
    }
}
