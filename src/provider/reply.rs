//! A reply as it comes in: bytes to events to stream events, one at a time and never ahead of who reads them.

use std::collections::VecDeque;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use reqwest::Response;
use serde::de::IgnoredAny;

use super::adapter::Decode;
use super::sse::{ServerEvent, Splitter};
use super::{ProviderError, ProviderErrorKind, ReplyStream, http};
use crate::conversation::{ModelRef, StreamEvent};

/// How long the rest of a finished answer is waited for, so that its connection can be used again.
const DRAIN: Duration = Duration::from_secs(2);

/// Turns an answer into the stream of its events.
pub(crate) fn stream(reply: Reply) -> ReplyStream {
    stream::unfold(Box::new(reply), |mut reply| async move {
        let item = reply.next().await?;
        Some((item, reply))
    })
    .boxed()
}

pub(crate) struct Reply {
    model: ModelRef,
    idle_timeout: Duration,
    /// Values that must not be in an error's text.
    secrets: Vec<String>,
    splitter: Splitter,
    decoder: Box<dyn Decode>,
    events: VecDeque<ServerEvent>,
    ready: VecDeque<StreamEvent>,
    stage: Stage,
}

enum Stage {
    Open(Response),
    /// Everything that came before the error is handed out first.
    Failed(ProviderError),
    Over,
}

impl Reply {
    pub(crate) fn new(
        response: Response,
        decoder: Box<dyn Decode>,
        model: ModelRef,
        settings: &super::ProviderSettings,
    ) -> Self {
        Self {
            model,
            idle_timeout: settings.idle_timeout,
            secrets: settings.hidden(),
            splitter: Splitter::default(),
            decoder,
            events: VecDeque::new(),
            ready: VecDeque::new(),
            stage: Stage::Open(response),
        }
    }

    async fn next(&mut self) -> Option<Result<StreamEvent, ProviderError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                if matches!(event, StreamEvent::Stop(_)) {
                    self.end_well();
                }
                return Some(Ok(event));
            }
            if let Some(event) = self.events.pop_front() {
                self.decode(&event);
                continue;
            }
            match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Over => return None,
                Stage::Failed(error) => {
                    return Some(Err(error.without(&self.secrets)));
                }
                Stage::Open(response) => self.read(response).await,
            }
        }
    }

    async fn read(&mut self, mut response: Response) {
        self.stage = match tokio::time::timeout(self.idle_timeout, response.chunk()).await {
            Err(_) => Stage::Failed(http::silent(&self.model, self.idle_timeout)),
            Ok(Err(error)) => Stage::Failed(http::connection_lost(&error, &self.model)),
            Ok(Ok(None)) => {
                self.end();
                return;
            }
            Ok(Ok(Some(piece))) => match self.splitter.push(&piece, &mut self.events) {
                Ok(()) => Stage::Open(response),
                Err(error) => {
                    let message = format!("the reply of `{}` cannot be read: {error}", self.model.provider);
                    Stage::Failed(ProviderError::new(ProviderErrorKind::BadResponse, message))
                }
            },
        };
    }

    fn decode(&mut self, event: &ServerEvent) {
        match self.decoder.event(&event.name, &event.data) {
            Ok(decoded) => self.ready.extend(decoded),
            Err(error) => {
                self.events.clear();
                self.stage = Stage::Failed(error);
            }
        }
    }

    /// The bytes are over. A last event may lack its blank line; one that is only half there was cut.
    fn end(&mut self) {
        if let Some(event) = self.splitter.finish() {
            let is_whole = event.data == "[DONE]" || serde_json::from_str::<IgnoredAny>(&event.data).is_ok();
            if is_whole {
                self.decode(&event);
            }
        }
        self.ready.extend(self.decoder.end());
        let is_whole = self
            .ready
            .iter()
            .any(|event| matches!(event, StreamEvent::Stop(_)));
        if !is_whole && matches!(self.stage, Stage::Over) {
            let message = format!("`{}` broke the reply off before its end", self.model.provider);
            self.stage = Stage::Failed(ProviderError::new(ProviderErrorKind::Network, message));
        }
    }

    fn end_well(&mut self) {
        self.events.clear();
        self.ready.clear();
        if let Stage::Open(mut response) = std::mem::replace(&mut self.stage, Stage::Over) {
            tokio::spawn(tokio::time::timeout(DRAIN, async move {
                while let Ok(Some(_)) = response.chunk().await {}
            }));
        }
    }
}
