//! Answering from a cassette.
//!
//! Lines match in order, for each session and purpose. A session that asks for the first time is given the conversation of
//! the cassette that nobody has yet and whose beginning fits best: one with the very same prompt and agent before others,
//! and of equals the first. What differs in wording plays all the same; what differs in kind is an error that names both
//! sides. Of conversations that were recorded side by side the replies end in their recorded order.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt as _};

use super::format::{Exchange, Frame, LastInput, RecordedEvent, RequestSummary, VERSION};
use super::order::{Place, PlaybackOrder, RecordedPlace, ReplyEnd};
use crate::conversation::{SessionId, Stop, StreamEvent};
use crate::provider::{Provider, ProviderError, ProviderErrorKind, Purpose, ReplyStream, Request};

/// Characters of a piece of a call's arguments, where a hand-written line gives them whole.
const ARGUMENT_PIECE: usize = 16;

/// How fast a cassette plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlaybackSpeed {
    /// With the recorded waits, each times `scale` and at most `max_wait`.
    AsRecorded { scale: f64, max_wait: Duration },
    /// Without waiting.
    Flat,
}

impl PlaybackSpeed {
    fn wait(self, recorded: Duration) -> Duration {
        match self {
            Self::AsRecorded { scale, max_wait } => recorded.mul_f64(scale.clamp(0.0, 1000.0)).min(max_wait),
            Self::Flat => Duration::ZERO,
        }
    }
}

/// The answer to a request that is not the next one of the cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MatchMode {
    /// An error, as after the end and for a further session.
    #[default]
    Strict,
    /// The next line that fits, or the last one that does. Any number of sessions play the same conversation.
    Loose,
}

/// A provider that answers from a cassette.
#[derive(Debug)]
pub struct Player {
    tracks: Vec<Track>,
    pace: PlaybackSpeed,
    following: MatchMode,
    places: Mutex<TrackPositions>,
    order: Arc<PlaybackOrder>,
}

/// One recorded conversation.
#[derive(Debug, Default)]
struct Track {
    turns: Vec<Line>,
    titles: Vec<Line>,
    compactions: Vec<Line>,
}

/// One exchange with its place in the cassette.
#[derive(Debug, Clone)]
struct Line {
    place: Place,
    exchange: Arc<Exchange>,
}

impl Line {
    fn request(&self) -> &RequestSummary {
        &self.exchange.request
    }
}

impl Track {
    fn lines(&self, purpose: Purpose) -> &[Line] {
        match purpose {
            Purpose::Turn => &self.turns,
            Purpose::Title => &self.titles,
            Purpose::Compaction => &self.compactions,
        }
    }
}

#[derive(Debug, Default)]
struct TrackPositions {
    /// The track that a session plays, and how far it is in each purpose.
    sessions: HashMap<SessionId, usize>,
    played: HashMap<(SessionId, Purpose), usize>,
    taken: Vec<usize>,
}

impl Player {
    /// Reads a whole cassette.
    pub fn from_reader(mut reader: impl Read, pace: PlaybackSpeed) -> Result<Self, ProviderError> {
        let mut text = String::new();
        reader.read_to_string(&mut text).map_err(|error| {
            ProviderError::new(
                ProviderErrorKind::Config,
                format!("the cassette cannot be read: {error}"),
            )
        })?;
        Self::from_text(&text, pace)
    }

    /// Reads a cassette from its text. Empty lines and lines that begin with `//` are skipped.
    pub fn from_text(text: &str, pace: PlaybackSpeed) -> Result<Self, ProviderError> {
        let mut tracks: Vec<Track> = Vec::new();
        let mut by_label: HashMap<String, usize> = HashMap::new();
        let mut places: Vec<RecordedPlace> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            let exchange = read_line(line, number + 1)?;
            let track = *by_label.entry(exchange.session.clone()).or_insert_with(|| {
                tracks.push(Track::default());
                tracks.len() - 1
            });
            let number = places.len();
            places.push(RecordedPlace {
                conversation: track,
                began: exchange.began,
            });
            let lines = match exchange.purpose {
                Purpose::Turn => &mut tracks[track].turns,
                Purpose::Title => &mut tracks[track].titles,
                Purpose::Compaction => &mut tracks[track].compactions,
            };
            let exchange = Arc::new(exchange);
            lines.push(Line {
                place: number,
                exchange,
            });
        }
        if tracks.is_empty() {
            return Err(ProviderError::new(
                ProviderErrorKind::Config,
                "the cassette holds no exchange",
            ));
        }
        Ok(Self {
            tracks,
            pace,
            following: MatchMode::Strict,
            places: Mutex::default(),
            order: Arc::new(PlaybackOrder::new(places)),
        })
    }

    /// Chooses what becomes of requests that were not recorded.
    pub fn following(mut self, following: MatchMode) -> Self {
        self.following = following;
        if following == MatchMode::Loose {
            // Lines are passed over and played again, so there is no order to keep.
            self.order.turn_off();
        }
        self
    }

    fn next(&self, request: &Request) -> Result<Line, ProviderError> {
        let next = self.find_next(request);
        if next.is_err() {
            // Others would wait for what does not come any more.
            self.order.turn_off();
        }
        next
    }

    fn find_next(&self, request: &Request) -> Result<Line, ProviderError> {
        let asked = RequestSummary::of(request);
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let known = places.sessions.get(&request.session).copied();
        let track = if let Some(track) = known {
            track
        } else {
            let track = self.free_track(&places, &asked, request.purpose)?;
            places.sessions.insert(request.session.clone(), track);
            places.taken.push(track);
            track
        };
        let lines = self.tracks[track].lines(request.purpose);
        let played = places
            .played
            .entry((request.session.clone(), request.purpose))
            .or_default();
        if self.following == MatchMode::Loose {
            let has_kind = lines.iter().any(|line| line.request().is_of_kind(&asked));
            let fits =
                |line: &Line| line.request().fits(&asked) && (!has_kind || line.request().is_of_kind(&asked));
            let ahead = lines.iter().skip(*played).position(fits);
            let place = ahead.map(|ahead| *played + ahead);
            *played = place.or_else(|| lines.iter().rposition(fits)).unwrap_or(*played);
        }
        if let Some(said) = self.said_before(lines, *played, &asked) {
            return Ok(said.clone());
        }
        let Some(line) = lines.get(*played) else {
            return Err(mismatch(
                &format!("the end after {}", counted(lines.len())),
                &asked,
                request.purpose,
            ));
        };
        if !line.request().fits(&asked) {
            return Err(mismatch(
                &line.request().described(request.purpose),
                &asked,
                request.purpose,
            ));
        }
        *played += 1;
        Ok(line.clone())
    }

    /// Returns the last reply, where a notice begins a turn that came with the results of calls when it was recorded: it
    /// was answered already.
    fn said_before<'a>(&self, lines: &'a [Line], played: usize, asked: &RequestSummary) -> Option<&'a Line> {
        let is_expected = lines.get(played).is_some_and(|line| line.request().fits(asked));
        let is_left_over = asked.last == LastInput::Notice && !is_expected;
        let last = lines.get(played.checked_sub(1)?)?;
        let is_answer = !last.exchange.has_calls() && last.exchange.error.is_none();
        (self.following == MatchMode::Strict && is_left_over && is_answer).then_some(last)
    }

    fn free_track(
        &self,
        places: &TrackPositions,
        asked: &RequestSummary,
        purpose: Purpose,
    ) -> Result<usize, ProviderError> {
        let is_free = |track: usize| self.following == MatchMode::Loose || !places.taken.contains(&track);
        let first = |track: usize| self.tracks[track].lines(purpose).first();
        let free: Vec<usize> = (0..self.tracks.len()).filter(|track| is_free(*track)).collect();
        let fitting = free.iter().filter_map(|track| {
            let begun = first(*track)?.request();
            begun
                .fits(asked)
                .then(|| (begun.likeness(asked), Reverse(*track)))
        });
        if let Some((_, Reverse(track))) = fitting.max() {
            return Ok(track);
        }
        let expected = free.iter().find_map(|track| first(*track)).map_or_else(
            || format!("no further conversation after {}", self.tracks.len()),
            |line| line.request().described(purpose),
        );
        Err(mismatch(&expected, asked, purpose))
    }
}

impl Provider for Player {
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ReplyStream, ProviderError>> {
        let pace = self.pace;
        async move {
            let Line { place, exchange } = self.next(&request)?;
            let mut end = self.order.begin(place);
            match &exchange.error {
                Some(failure) if exchange.reply.is_empty() => {
                    end.come().await;
                    Err(ProviderError::from(failure))
                }
                _ => Ok(play(&exchange, pace, end)),
            }
        }
        .boxed()
    }
}

fn read_line(line: &str, number: usize) -> Result<Exchange, ProviderError> {
    let config = |message: String| ProviderError::new(ProviderErrorKind::Config, message);
    let exchange: Exchange = serde_json::from_str(line).map_err(|error| {
        config(format!(
            "line {number} of the cassette is not an exchange: {error}"
        ))
    })?;
    if exchange.v != VERSION {
        let message = format!(
            "line {number} of the cassette has version {}, not {VERSION}",
            exchange.v
        );
        return Err(config(message).hinted("record it again with this lathe"));
    }
    Ok(exchange)
}

fn mismatch(expected: &str, asked: &RequestSummary, purpose: Purpose) -> ProviderError {
    let asked = asked.described(purpose);
    ProviderError::new(
        ProviderErrorKind::BadRequest,
        format!("the cassette has {expected}, but was asked for {asked}"),
    )
    .hinted(
        "a cassette answers the conversation that it was recorded from; start a new session to play it again",
    )
}

fn counted(lines: usize) -> String {
    if lines == 1 {
        "1 reply".to_owned()
    } else {
        format!("{lines} replies")
    }
}

type PlayedItem = (Duration, Result<StreamEvent, ProviderError>);

fn play(exchange: &Exchange, pace: PlaybackSpeed, end: ReplyEnd) -> ReplyStream {
    let mut items = events(&exchange.reply);
    let is_whole = items
        .iter()
        .any(|(_, item)| matches!(item, Ok(StreamEvent::Stop(_))));
    if let Some(failure) = &exchange.error {
        items.push_back((Duration::ZERO, Err(ProviderError::from(failure))));
    } else if !is_whole {
        let cut = ProviderError::new(
            ProviderErrorKind::BadResponse,
            "the recording of this reply breaks off here",
        );
        items.push_back((Duration::ZERO, Err(cut)));
    }
    stream::unfold((items, end), move |(mut items, mut end)| async move {
        let (wait, item) = items.pop_front()?;
        let wait = pace.wait(wait);
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        if items.is_empty() || matches!(item, Ok(StreamEvent::Stop(_))) {
            end.come().await;
        }
        Some((item, (items, end)))
    })
    .boxed()
}

/// Turns frames into events; whole blocks of hand-written lines become streams.
fn events(frames: &[Frame]) -> VecDeque<PlayedItem> {
    let mut items = VecDeque::new();
    let mut next_block = 0;
    let mut has_calls = false;
    let mut is_written_by_hand = false;
    for frame in frames {
        let wait = Duration::from_millis(frame.ms);
        if let RecordedEvent::Text(block)
        | RecordedEvent::Reasoning(block)
        | RecordedEvent::Call { block, .. } = &frame.event
        {
            next_block = next_block.max(block.saturating_add(1));
        }
        let event = match &frame.event {
            RecordedEvent::Text(block) => StreamEvent::TextStart { block: *block },
            RecordedEvent::Reasoning(block) => StreamEvent::ReasoningStart { block: *block },
            RecordedEvent::Call { block, id, name } => {
                has_calls = true;
                StreamEvent::CallStart {
                    block: *block,
                    provider_id: id.clone(),
                    name: name.clone(),
                }
            }
            RecordedEvent::Delta(block, delta) => StreamEvent::Delta {
                block: *block,
                delta: delta.clone(),
            },
            RecordedEvent::End { block, native } => StreamEvent::End {
                block: *block,
                native: native.clone(),
            },
            RecordedEvent::Usage(usage) => StreamEvent::Usage(*usage),
            RecordedEvent::Refusal(words) => StreamEvent::Refusal(words.clone()),
            RecordedEvent::Stop(stop) => StreamEvent::Stop(*stop),
            RecordedEvent::Say(_) | RecordedEvent::Think(_) | RecordedEvent::Use { .. } => {
                let block = next_block;
                next_block += 1;
                has_calls |= matches!(frame.event, RecordedEvent::Use { .. });
                is_written_by_hand = true;
                items.extend(
                    whole_block(&frame.event, block)
                        .into_iter()
                        .map(|event| (wait, Ok(event))),
                );
                continue;
            }
        };
        items.push_back((wait, Ok(event)));
    }
    if is_written_by_hand
        && !items
            .iter()
            .any(|(_, item)| matches!(item, Ok(StreamEvent::Stop(_))))
    {
        let stop = if has_calls { Stop::ToolCalls } else { Stop::End };
        items.push_back((Duration::ZERO, Ok(StreamEvent::Stop(stop))));
    }
    items
}

fn whole_block(event: &RecordedEvent, block: usize) -> Vec<StreamEvent> {
    let (start, pieces) = match event {
        RecordedEvent::Say(text) => (StreamEvent::TextStart { block }, words(text)),
        RecordedEvent::Think(text) => (StreamEvent::ReasoningStart { block }, words(text)),
        RecordedEvent::Use { name, args } => {
            let args = if args.is_null() {
                "{}".to_owned()
            } else {
                args.to_string()
            };
            let start = StreamEvent::CallStart {
                block,
                provider_id: None,
                name: name.clone(),
            };
            let characters: Vec<char> = args.chars().collect();
            (
                start,
                characters
                    .chunks(ARGUMENT_PIECE)
                    .map(|piece| piece.iter().collect())
                    .collect(),
            )
        }
        _ => return Vec::new(),
    };
    let deltas = pieces
        .into_iter()
        .map(|delta| StreamEvent::Delta { block, delta });
    std::iter::once(start)
        .chain(deltas)
        .chain([StreamEvent::End { block, native: None }])
        .collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_inclusive(' ').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::sample::{assistant, call, request, user};

    const TAPE: &str = r#"
// a conversation by hand
{"v":1,"session":"a","purpose":"turn","request":{"last":"user"},"reply":[{"think":"hm"},{"say":"one two"},{"use":{"name":"read","args":{"file_path":"a"}}}]}
{"v":1,"session":"a","purpose":"turn","request":{"last":"results","calls":["read"]},"reply":[{"ms":30,"say":"done"}]}
{"v":1,"session":"a","purpose":"title","request":{"last":"user"},"reply":[{"say":"A title"}]}
{"v":1,"session":"b","purpose":"turn","request":{"last":"user","text":"for b"},"reply":[{"say":"I am b"}]}
"#;

    fn player() -> Player {
        Player::from_text(TAPE, PlaybackSpeed::Flat).unwrap()
    }

    async fn texts(player: &Player, request: Request) -> Result<String, String> {
        let reply = player.stream(request).await.map_err(|error| error.to_string())?;
        let events: Vec<_> = reply.collect().await;
        let deltas = events.iter().filter_map(|event| match event {
            Ok(StreamEvent::Delta { delta, .. }) => Some(delta.as_str()),
            _ => None,
        });
        Ok(deltas.collect())
    }

    #[tokio::test]
    async fn lines_match_in_order_for_each_session_and_purpose() {
        let player = player();
        let first = request("a/m", vec![user("hello")]);
        let mut title = first.clone();
        title.purpose = Purpose::Title;
        let mut second = first.clone();
        second
            .messages
            .push(assistant(vec![call("read", "{}", None, "x")]));
        // It may come with the results or later.
        second
            .messages
            .push(user("<system-reminder>\nTask x is completed.</system-reminder>"));
        assert_eq!(
            texts(&player, first).await.unwrap(),
            r#"hmone two{"file_path":"a"}"#
        );
        assert_eq!(
            texts(&player, request("a/m", vec![user("for b")])).await.unwrap(),
            "I am b"
        );
        assert_eq!(texts(&player, title).await.unwrap(), "A title");
        assert_eq!(texts(&player, second).await.unwrap(), "done");
    }

    #[tokio::test]
    async fn the_same_prompt_goes_to_its_own_conversation() {
        assert_eq!(
            texts(&player(), request("a/m", vec![user("for b")]))
                .await
                .unwrap(),
            "I am b"
        );
    }

    #[tokio::test]
    async fn a_mismatch_names_both_sides() {
        let player = player();
        let first = request("a/m", vec![user("hello")]);
        texts(&player, first.clone()).await.unwrap();
        let error = texts(&player, first).await.unwrap_err();
        assert_eq!(
            error,
            "the cassette has a turn after the results of `read`, but was asked for a turn after the prompt \"hello\""
        );
    }

    #[tokio::test]
    async fn the_end_is_an_error_unless_the_cassette_is_followed_loosely() {
        for (following, is_error) in [(MatchMode::Strict, true), (MatchMode::Loose, false)] {
            let player = player().following(following);
            let asked = request("a/m", vec![user("for b")]);
            texts(&player, asked.clone()).await.unwrap();
            let again = texts(&player, asked).await;
            assert_eq!(again.is_err(), is_error, "{again:?}");
        }
    }

    #[tokio::test]
    async fn followed_loosely_it_passes_over_what_does_not_fit() {
        let tape = r#"
{"v":1,"purpose":"turn","request":{"last":"user"},"reply":[{"say":"first"}]}
{"v":1,"purpose":"turn","request":{"last":"results"},"reply":[{"say":"passed over"}]}
{"v":1,"purpose":"turn","request":{"last":"user"},"reply":[{"say":"second"}]}
"#;
        let player = Player::from_text(tape, PlaybackSpeed::Flat)
            .unwrap()
            .following(MatchMode::Loose);
        let asked = request("a/m", vec![user("go")]);
        for said in ["first", "second", "second"] {
            assert_eq!(texts(&player, asked.clone()).await.unwrap(), said);
        }
    }

    fn asked_by(agent: &str, prompt: &str) -> Request {
        Request {
            agent: agent.to_owned(),
            ..request("a/m", vec![user(prompt)])
        }
    }

    #[tokio::test]
    async fn conversations_side_by_side_are_told_apart_by_their_prompts_and_agents() {
        let line = |session: &str, agent: &str, prompt: &str| {
            format!(
                r#"{{"v":1,"session":"{session}","purpose":"turn","request":{{"agent":"{agent}","last":"user","text":"{prompt}"}},"reply":[{{"say":"I am {session}"}}]}}"#
            )
        };
        let tape = [
            line("root", "build", "go"),
            line("one", "explore", "look"),
            line("two", "general", "look"),
            line("three", "general", "try"),
        ];
        for following in [MatchMode::Strict, MatchMode::Loose] {
            let player = Player::from_text(&tape.join("\n"), PlaybackSpeed::Flat)
                .unwrap()
                .following(following);
            for (agent, prompt, said) in [
                ("general", "try", "I am three"),
                ("general", "look", "I am two"),
                ("build", "something else", "I am root"),
                ("explore", "look", "I am one"),
            ] {
                assert_eq!(texts(&player, asked_by(agent, prompt)).await.unwrap(), said);
            }
        }
    }

    #[tokio::test]
    async fn a_notice_of_lathe_is_not_taken_for_the_users_words() {
        let line = |last: &str, said: &str| {
            format!(
                r#"{{"v":1,"purpose":"turn","request":{{"last":"{last}"}},"reply":[{{"say":"{said}"}}]}}"#
            )
        };
        let notice = user("<system-reminder>\nTask x is completed.</system-reminder>");
        let mut woken = request("a/m", vec![user("go"), assistant(Vec::new()), notice]);
        let tape = [
            line("user", "first"),
            line("user", "second"),
            line("notice", "woken"),
        ]
        .join("\n");
        let player = Player::from_text(&tape, PlaybackSpeed::Flat)
            .unwrap()
            .following(MatchMode::Loose);
        let typed = Request {
            messages: vec![user("go")],
            ..woken.clone()
        };
        for (asked, said) in [(&typed, "first"), (&woken, "woken"), (&typed, "second")] {
            assert_eq!(texts(&player, asked.clone()).await.unwrap(), said);
        }
        // One that came with the results of calls when it was recorded was answered already.
        let other = Player::from_text(&line("user", "first"), PlaybackSpeed::Flat).unwrap();
        let later = Request {
            session: typed.session.clone(),
            ..woken.clone()
        };
        for asked in [&typed, &later] {
            assert_eq!(texts(&other, asked.clone()).await.unwrap(), "first");
        }
        // A cassette from before there were notices has them as the user's words.
        let older = Player::from_text(&line("user", "told"), PlaybackSpeed::Flat).unwrap();
        assert_eq!(texts(&older, woken.clone()).await.unwrap(), "told");
        let other = Player::from_text(&line("notice", "woken"), PlaybackSpeed::Flat).unwrap();
        woken.messages.pop();
        woken.messages.pop();
        let error = texts(&other, woken).await.unwrap_err();
        assert!(
            error.starts_with("the cassette has a turn after a notice of lathe"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_hand_written_reply_gets_its_stop() {
        let reply = player().stream(request("a/m", vec![user("x")])).await.unwrap();
        let events: Vec<_> = reply.collect().await;
        assert_eq!(events.last(), Some(&Ok(StreamEvent::Stop(Stop::ToolCalls))));
    }

    #[tokio::test]
    async fn waits_are_kept_scaled_and_bounded() {
        let at = |scale: f64, max_wait: u64| {
            let max_wait = Duration::from_millis(max_wait);
            PlaybackSpeed::AsRecorded { scale, max_wait }
                .wait(Duration::from_millis(30))
                .as_millis()
        };
        assert_eq!(
            (at(1.0, 1000), at(2.0, 1000), at(1.0, 10), at(-1.0, 10)),
            (30, 60, 10, 0)
        );
        let text = r#"{"v":1,"purpose":"turn","request":{"last":"user"},"reply":[{"ms":10,"say":"a b"}]}"#;
        let pace = PlaybackSpeed::AsRecorded {
            scale: 1.0,
            max_wait: Duration::from_secs(1),
        };
        let started = std::time::Instant::now();
        texts(
            &Player::from_text(text, pace).unwrap(),
            request("a/m", vec![user("x")]),
        )
        .await
        .unwrap();
        assert!(started.elapsed().as_millis() >= 40);
    }

    #[test]
    fn a_line_that_is_not_an_exchange_is_named() {
        let error = Player::from_text("\n{\"v\":1}", PlaybackSpeed::Flat).unwrap_err();
        assert!(error.message.starts_with("line 2 of the cassette"), "{error}");
        let newer = r#"{"v":9,"purpose":"turn","request":{"last":"user"}}"#;
        assert!(
            Player::from_text(newer, PlaybackSpeed::Flat).is_err()
                && Player::from_text("", PlaybackSpeed::Flat).is_err()
        );
    }
}
