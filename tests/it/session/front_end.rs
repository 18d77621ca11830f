//! How a scenario holds its session: directly, or with everything made to bytes and back in both directions, as if the
//! front end were another process.

use std::future::Future;

use lathe::session::query::{Answer, Query};
use lathe::session::{Envelope, Handle, Op, Receiver, RecvError, SendError, Snapshot};
use serde::Serialize;
use serde::de::DeserializeOwned;

tokio::task_local! {
    static CROSSING: Crossing;
}

/// How values cross between a scenario and its session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Crossing {
    Direct,
    Bytes,
}

impl Crossing {
    /// Runs a scenario in which every session that is opened is held this way.
    pub(crate) async fn run(self, scenario: impl Future<Output = ()>) {
        CROSSING.scope(self, scenario).await;
    }

    fn current() -> Self {
        CROSSING.try_with(|crossing| *crossing).unwrap_or(Self::Direct)
    }

    #[track_caller]
    fn pass<T: Serialize + DeserializeOwned>(self, value: T) -> T {
        match self {
            Self::Direct => value,
            Self::Bytes => {
                let bytes = serde_json::to_vec(&value).expect("it is data");
                let text = || String::from_utf8_lossy(&bytes);
                let passed: T =
                    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{error} in {}", text()));
                let again = serde_json::to_vec(&passed).expect("it is data");
                assert_eq!(String::from_utf8_lossy(&again), text());
                passed
            }
        }
    }
}

/// A [`Handle`] with the same methods.
#[derive(Debug, Clone)]
pub(crate) struct FrontEnd {
    handle: Handle,
    crossing: Crossing,
}

/// The events that a [`FrontEnd`] receives.
#[derive(Debug)]
pub(crate) struct Events {
    receiver: Receiver,
    crossing: Crossing,
}

impl FrontEnd {
    pub(crate) fn new(handle: Handle) -> Self {
        Self {
            handle,
            crossing: Crossing::current(),
        }
    }

    pub(crate) fn send(&self, op: Op) -> Result<(), SendError> {
        self.handle.send(self.crossing.pass(op))
    }

    pub(crate) async fn ask(&self, query: Query) -> Result<Answer, SendError> {
        let answer = self.handle.ask(self.crossing.pass(query)).await?;
        Ok(self.crossing.pass(answer))
    }

    pub(crate) async fn attach(&self) -> Result<(Snapshot, Events), SendError> {
        let (snapshot, receiver) = self.handle.attach_with_tree().await?;
        let events = Events {
            receiver,
            crossing: self.crossing,
        };
        Ok((self.crossing.pass(snapshot), events))
    }
}

impl Events {
    pub(crate) async fn recv(&mut self) -> Result<Envelope, RecvError> {
        let envelope = self.receiver.recv().await?;
        Ok(self.crossing.pass(envelope))
    }
}

/// Makes two tests of each scenario, one for each way of crossing.
macro_rules! over_both {
    ($($scenario:ident),+ $(,)?) => {
        mod directly {
            $(
                #[tokio::test]
                async fn $scenario() {
                    let scenario = Box::pin(super::$scenario());
                    $crate::session::Crossing::Direct.run(scenario).await;
                }
            )+
        }

        mod through_bytes {
            $(
                #[tokio::test]
                async fn $scenario() {
                    let scenario = Box::pin(super::$scenario());
                    $crate::session::Crossing::Bytes.run(scenario).await;
                }
            )+
        }
    };
}

pub(crate) use over_both;
