//! Writing a cassette while a real provider answers.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt as _};

use super::format::{Exchange, Frame, RecordedEvent, RecordedFailure, RequestSummary, VERSION};
use super::secrets::Secrets;
use crate::conversation::{ModelRef, StreamEvent};
use crate::private_file;
use crate::provider::{Provider, ProviderError, ProviderErrorKind, ReplyStream, Request};

/// Passes requests on to `inner` and writes each exchange down when its reply has ended or was dropped.
pub struct Recorder {
    inner: Arc<dyn Provider>,
    tape: Arc<CassetteFile>,
}

struct CassetteFile {
    written: Mutex<WrittenFile>,
    secrets: Secrets,
}

struct WrittenFile {
    file: File,
    /// Number of exchanges in it.
    exchanges: usize,
}

impl Recorder {
    /// Begins a new cassette at `path`; one that is there is replaced.
    ///
    /// The values of environment variables that are named like a key or a token are kept out of it. Name others with
    /// [`Recorder::hiding`].
    pub fn new(inner: Arc<dyn Provider>, path: &Path) -> Result<Self, ProviderError> {
        // A conversation is nobody else's business.
        let mut options = private_file::options();
        let file = options
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .map_err(|error| {
                let message = format!("the cassette `{}` cannot be written: {error}", path.display());
                ProviderError::new(ProviderErrorKind::Config, message)
                    .hinted("choose another file for `--record`")
            })?;
        let secrets = Secrets::of_environment(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
        );
        Ok(Self {
            inner,
            tape: Arc::new(CassetteFile {
                written: Mutex::new(WrittenFile { file, exchanges: 0 }),
                secrets,
            }),
        })
    }

    /// Keeps these values out of the cassette, too.
    pub fn hiding<'a>(mut self, secrets: impl Iterator<Item = &'a str>) -> Self {
        let mut all = self.tape.secrets.clone();
        all.add(secrets.map(str::to_owned));
        if let Some(tape) = Arc::get_mut(&mut self.tape) {
            tape.secrets = all;
        }
        self
    }
}

impl Provider for Recorder {
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ReplyStream, ProviderError>> {
        let mut take = UnfinishedExchange {
            tape: Arc::clone(&self.tape),
            exchange: Exchange {
                v: VERSION,
                session: request.session.to_string(),
                purpose: request.purpose,
                model: Some(request.model.to_string()),
                began: Some(self.tape.lock().exchanges),
                request: RequestSummary::of(&request),
                reply: Vec::new(),
                error: None,
            },
            last: Instant::now(),
        };
        let asked = self.inner.stream(request);
        async move {
            match asked.await {
                Ok(reply) => Ok(recorded(reply, take)),
                Err(error) => {
                    take.note(&Err(error.clone()));
                    Err(error)
                }
            }
        }
        .boxed()
    }

    fn window(&self, model: &ModelRef) -> Option<BoxFuture<'static, Option<u64>>> {
        self.inner.window(model)
    }
}

fn recorded(reply: ReplyStream, take: UnfinishedExchange) -> ReplyStream {
    stream::unfold((reply, take), |(mut reply, mut take)| async move {
        let item = reply.next().await?;
        take.note(&item);
        Some((item, (reply, take)))
    })
    .boxed()
}

/// An exchange in the making. It is written when it is dropped, so that a cancelled reply is kept as far as it came.
struct UnfinishedExchange {
    tape: Arc<CassetteFile>,
    exchange: Exchange,
    last: Instant,
}

impl UnfinishedExchange {
    fn note(&mut self, item: &Result<StreamEvent, ProviderError>) {
        let now = Instant::now();
        match item {
            Ok(event) => {
                let ms = now.duration_since(self.last).as_millis() as u64;
                self.exchange.reply.push(Frame {
                    ms,
                    event: RecordedEvent::from(event),
                });
            }
            Err(error) => self.exchange.error = Some(RecordedFailure::from(error)),
        }
        self.last = now;
    }
}

impl Drop for UnfinishedExchange {
    fn drop(&mut self) {
        self.tape.write(&mut self.exchange);
    }
}

impl CassetteFile {
    fn write(&self, exchange: &mut Exchange) {
        clean_deltas(&mut exchange.reply, &self.secrets);
        let Ok(line) = serde_json::to_string(exchange) else {
            return;
        };
        let mut line = self.secrets.without_in_json(&line).into_owned();
        line.push('\n');
        let mut written = self.lock();
        match written.file.write_all(line.as_bytes()) {
            Ok(()) => written.exchanges += 1,
            Err(error) => tracing::warn!(%error, "an exchange is missing from the cassette"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, WrittenFile> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes secrets out that are spread over several deltas: such a block's text moves into its first delta.
fn clean_deltas(reply: &mut [Frame], secrets: &Secrets) {
    let mut texts: Vec<String> = Vec::new();
    for frame in &*reply {
        if let RecordedEvent::Delta(block, delta) = &frame.event {
            if texts.len() <= *block {
                texts.resize(block + 1, String::new());
            }
            texts[*block].push_str(delta);
        }
    }
    for (block, text) in texts.iter().enumerate().filter(|(_, text)| secrets.are_in(text)) {
        let mut clean = Some(secrets.without(text).into_owned());
        for frame in &mut *reply {
            match &mut frame.event {
                RecordedEvent::Delta(number, delta) if *number == block => {
                    *delta = clean.take().unwrap_or_default();
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Stop;
    use crate::provider::cassette::{PlaybackSpeed, Player};
    use crate::provider::sample;

    struct ScriptedProvider(Vec<Result<StreamEvent, ProviderError>>);

    impl Provider for ScriptedProvider {
        fn stream(&self, _request: Request) -> BoxFuture<'_, Result<ReplyStream, ProviderError>> {
            let items = self.0.clone();
            async move { Ok(stream::iter(items).boxed()) }.boxed()
        }
    }

    #[allow(clippy::unnecessary_wraps)]
    fn delta(delta: &str) -> Result<StreamEvent, ProviderError> {
        Ok(StreamEvent::Delta {
            block: 0,
            delta: delta.to_owned(),
        })
    }

    async fn record(items: Vec<Result<StreamEvent, ProviderError>>, read: usize) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tape.jsonl");
        let recorder = Recorder::new(Arc::new(ScriptedProvider(items)), &path).unwrap();
        let recorder = recorder.hiding(["sk-12345678"].into_iter());
        let request = sample::request("a/m", vec![sample::user("my key is sk-12345678, hello")]);
        let reply = recorder.stream(request).await.unwrap();
        let _: Vec<_> = reply.take(read).collect().await;
        std::fs::read_to_string(path).unwrap()
    }

    #[tokio::test]
    async fn no_secret_enters_a_cassette_even_in_pieces() {
        let items = vec![
            Ok(StreamEvent::TextStart { block: 0 }),
            delta("it is sk-12"),
            delta("345"),
            delta("678."),
            Ok(StreamEvent::End {
                block: 0,
                native: None,
            }),
            Ok(StreamEvent::Stop(Stop::End)),
        ];
        let tape = record(items, 99).await;
        assert!(!tape.contains("12345678") && !tape.contains("345"), "{tape}");
        assert!(
            tape.contains("it is [secret].") && tape.contains("my key is [secret], hello"),
            "{tape}"
        );
    }

    #[tokio::test]
    async fn what_was_recorded_plays_the_same() {
        let items = vec![
            Ok(StreamEvent::TextStart { block: 0 }),
            delta("Hi"),
            Err(ProviderError::new(ProviderErrorKind::Overloaded, "busy").hinted("wait")),
        ];
        let tape = record(items.clone(), 99).await;
        let player = Player::from_text(&tape, PlaybackSpeed::Flat).unwrap();
        let request = sample::request("a/m", vec![sample::user("other words")]);
        let events: Vec<_> = player.stream(request).await.unwrap().collect().await;
        assert_eq!(events, items);
    }

    #[tokio::test]
    async fn a_dropped_reply_is_kept_as_far_as_it_came() {
        let tape = record(
            vec![
                Ok(StreamEvent::TextStart { block: 0 }),
                delta("one"),
                delta("two"),
            ],
            2,
        )
        .await;
        assert!(tape.contains("one") && !tape.contains("two"), "{tape}");
    }
}
