//! The one loop that owns the screen: everything that can wake it is an [`Event`].
//!
//! It waits for one event, takes in whatever else is ready, and draws once. While a frame is pending the session's
//! deltas do not wake it: only what is urgent does, and the frame's own time. Where the terminal has not taken the frame
//! before, the next one waits for that instead; keys and the session are answered meanwhile. With nothing to wait for
//! but a person it sleeps without a timer.

mod external_programs;

use std::future::pending;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use jiff::Timestamp;
use termina::event::Event as Input;
use tokio::sync::oneshot;
use tokio::time::sleep_until;

use super::app::{App, Effect};
use super::clipboard::CopyResult;
use super::completion::{self, Finder, Request};
use super::dialog::TrustAnswer;
use super::frame_pacer::FramePacer;
use super::grammars::Grammars;
use super::media::Media;
use super::pictures::{PictureJob, PictureResult, sixel};
use super::prompts::{PromptDraft, PromptKeeper};
use super::sessions::{SessionMessage, SessionSlots, SlotId};
use super::terminal::decoder::TerminalInput;
use super::terminal::multiplexer::Multiplexer;
use super::terminal::reader::{ReceivedInput, TerminalReader};
use super::terminal::signals::{Signal, Signals};
use super::terminal::{CaretShape, FrameExtras, Screen, TerminalError, cell_size};
use super::trace::Trace;
use super::transcript::RedrawUrgency;
use super::{MouseCapture, TuiExit, clipboard};
use crate::session::host::{Host, HostAnswer};
use crate::session::query::{Answer, Query};
use crate::session::{Op, SendError};

/// Taking in what is ready stops after this long, so that a flood is still drawn.
const DRAIN: Duration = Duration::from_millis(8);
/// All that can wake the loop.
enum Event {
    Received(ReceivedInput),
    /// The terminal is gone.
    InputEnded,
    Signal(Signal),
    /// A session has said something.
    Session(SlotId, SessionMessage),
    /// The host has answered.
    Host(Option<HostAnswer>),
    /// A text has gone to the clipboard, or not.
    Copied(String, CopyResult),
    /// The clipboard gave a picture, or a sentence why not.
    PictureTaken(SlotId, Result<Media, String>),
    /// The session has answered a question of the screen.
    Answered(SlotId, Query, Answer),
    /// Completions of a word.
    Found(completion::FinderAnswer),
    /// The grammars are loaded.
    Grammars,
    /// A picture was made, or cannot be.
    PictureMade(PictureResult),
    /// The terminal has taken the last frame.
    Free,
    /// The history of prompts was read.
    Prompts(Vec<PromptDraft>),
    /// A frame is due, or something changes by itself.
    Time,
}

impl Event {
    fn received(read: io::Result<ReceivedInput>) -> Self {
        read.map_or(Self::InputEnded, Self::Received)
    }
}

type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

pub(super) struct EventLoop {
    app: App,
    screen: Screen,
    signals: Signals,
    input: TerminalReader,
    sessions: SessionSlots,
    host: Host,
    answers: FuturesUnordered<LocalFuture<Option<HostAnswer>>>,
    copying: Option<LocalFuture<(String, CopyResult)>>,
    /// The picture that is being taken from the clipboard.
    picture: Option<LocalFuture<(SlotId, Result<Media, String>)>>,
    asking: FuturesUnordered<LocalFuture<(SlotId, Query, Answer)>>,
    /// From the first word on that can be completed.
    finder: Option<Finder>,
    grammars: Grammars,
    /// The picture that is being made for the screen.
    drawing: Option<LocalFuture<PictureResult>>,
    /// Waits for the person's answer; the session opens after it.
    trust: Option<oneshot::Sender<TrustAnswer>>,
    pace: FramePacer,
    trace: Option<Trace>,
    prompts: PromptKeeper,
    /// As the terminal has it now.
    caret_shape: CaretShape,
    /// When time was last let pass.
    passed: Instant,
    ended: Option<TuiExit>,
}

impl EventLoop {
    /// Takes the terminal and draws the first frame.
    pub(super) fn start(
        mut app: App,
        sessions: SessionSlots,
        host: Host,
        trust: Option<oneshot::Sender<TrustAnswer>>,
        mouse: MouseCapture,
        trace: Option<Trace>,
        prompts: PromptKeeper,
    ) -> Result<Self, TerminalError> {
        // Before the terminal is taken, so that no signal finds it ours and us deaf.
        let signals = Signals::listen()?;
        let screen = Screen::enter(mouse, app.color_depth())?;
        app.set_cell_size(cell_size());
        let now = Instant::now();
        let mut this = Self {
            app,
            screen,
            signals,
            input: TerminalReader::new(),
            sessions,
            host,
            answers: FuturesUnordered::new(),
            copying: None,
            picture: None,
            asking: FuturesUnordered::new(),
            finder: None,
            grammars: Grammars::Unwanted,
            drawing: None,
            trust,
            pace: FramePacer::default(),
            trace,
            prompts,
            caret_shape: CaretShape::default(),
            passed: now,
            ended: None,
        };
        this.pace.mark(RedrawUrgency::Urgent);
        this.draw()?;
        this.input.start()?;
        this.screen.ask_background()?;
        if let Some(question) = this.app.question_about_pictures() {
            this.screen.write(question)?;
        }
        Ok(this)
    }

    /// Runs until the person leaves or the terminal goes.
    pub(super) async fn run(&mut self) -> TuiExit {
        loop {
            let event = self.next().await;
            self.handle(event).await;
            self.drain().await;
            self.pass_time();
            self.perform().await;
            self.note();
            if let Some(ended) = self.ended.take() {
                return ended;
            }
            let now = Instant::now();
            if self.pace.due(now).is_some_and(|due| due <= now) && self.screen.is_free() {
                if let Err(error) = self.draw() {
                    tracing::info!(%error, "the terminal is gone");
                    self.hang_up();
                }
                // A frame settles what was selected; what is to be copied of it leaves now.
                self.perform().await;
            }
        }
    }

    /// Gives the terminal back and lets the sessions put everything on disk.
    pub(super) async fn finish(mut self) {
        self.app.store_draft();
        let effects = self.app.take_effects();
        self.input.stop();
        self.screen.give_back();
        for effect in effects {
            // Whatever is not taken now is lost with the session's end anyway.
            let _ = match effect {
                Effect::Send(op) => self.sessions.send_to(self.sessions.front(), op),
                Effect::SendTo(slot, op) => self.sessions.send_to(slot, op),
                _ => Ok(()),
            };
        }
        self.sessions.finish().await;
    }

    async fn next(&mut self) -> Event {
        let now = Instant::now();
        let is_free = self.screen.is_free();
        let frame = self.pace.due(now).filter(|_| is_free);
        let is_held = self.pace.is_pending() && !is_free;
        let deadline = frame.into_iter().chain(self.app.deadline(now)).min();
        tokio::select! {
            biased;
            read = self.input.next() => Event::received(read),
            signal = self.signals.next() => Event::Signal(signal),
            (what, copied) = maybe(self.copying.as_mut()) => Event::Copied(what, copied),
            (slot, media) = maybe(self.picture.as_mut()) => Event::PictureTaken(slot, media),
            Some(answer) = self.answers.next() => Event::Host(answer),
            Some((slot, query, answer)) = self.asking.next() => Event::Answered(slot, query, answer),
            () = self.grammars.loaded() => Event::Grammars,
            made = maybe(self.drawing.as_mut()) => Event::PictureMade(made),
            prompts = self.prompts.read() => Event::Prompts(prompts),
            (slot, said) = self.sessions.next(self.pace.is_pending() && is_free) => Event::Session(slot, said),
            () = self.screen.free(), if is_held => Event::Free,
            answer = maybe(self.finder.as_mut().map(Finder::next)) => Event::Found(answer),
            () = until(deadline) => Event::Time,
        }
    }

    async fn handle(&mut self, event: Event) {
        let now = Instant::now();
        let change = match event {
            Event::Received(received) => self.received(received, now),
            Event::InputEnded => {
                self.hang_up();
                RedrawUrgency::None
            }
            Event::Signal(signal) => self.signal(signal),
            Event::Prompts(prompts) => self.app.prompts(prompts, now),
            Event::Session(slot, said) => self.session(slot, said, now),
            Event::Host(answer) => answer.map_or(RedrawUrgency::None, |answer| {
                self.app.answered_by_host(answer, now)
            }),
            Event::Free | Event::Time => RedrawUrgency::None,
            Event::Copied(what, copied) => {
                self.copying = None;
                self.app.copied(&what, &copied, now)
            }
            Event::PictureTaken(slot, media) => {
                self.picture = None;
                self.app.picture_taken(slot, media, now)
            }
            Event::Answered(slot, query, answer) => self.app.answered(slot, &query, &answer, now),
            Event::Found(answer) => self.app.on_finder_answer(answer, now),
            Event::PictureMade(made) => {
                self.drawing = None;
                self.app.picture_made(made)
            }
            Event::Grammars => {
                self.grammars = Grammars::Loaded;
                self.app.colour_source()
            }
        };
        self.pace.mark(change);
        self.note();
        self.perform().await;
    }

    /// Takes in what else is ready.
    async fn drain(&mut self) {
        let begin = Instant::now();
        while self.ended.is_none() && begin.elapsed() < DRAIN {
            if let Some(read) = self.input.ready() {
                Box::pin(self.handle(Event::received(read))).await;
                continue;
            }
            let Some((slot, said)) = self.sessions.ready() else {
                return;
            };
            let change = self.session(slot, said, Instant::now());
            self.pace.mark(change);
            self.note();
        }
    }

    fn received(&mut self, received: ReceivedInput, now: Instant) -> RedrawUrgency {
        match received.input {
            TerminalInput::Input(input) => self.input(input, &received.bytes, now),
            TerminalInput::Answer(answer) => self.app.terminal_answered(answer),
            TerminalInput::UnknownKey => self.app.unknown_key(&received.bytes, now),
        }
    }

    fn input(&mut self, input: Input, bytes: &[u8], now: Instant) -> RedrawUrgency {
        match input {
            Input::Key(key) => self.app.key_with_bytes(key, bytes, now),
            Input::Paste(text) => self.app.paste(&text, now),
            Input::Mouse(event) => self.app.mouse(event, now),
            Input::FocusIn => self.app.focus_changed(true, now),
            Input::FocusOut => self.app.focus_changed(false, now),
            // The decoder makes none of these: a signal tells of the size, and answers are of a type of their own.
            Input::WindowResized(_) | Input::Csi(_) | Input::Osc(_) | Input::Dcs(_) => RedrawUrgency::None,
        }
    }

    fn signal(&mut self, signal: Signal) -> RedrawUrgency {
        match signal {
            Signal::Continue => {
                // Whoever stopped us may have had the terminal in other modes meanwhile.
                if self.screen.retake().is_err() {
                    self.hang_up();
                }
                RedrawUrgency::Urgent
            }
            // Also when it has the old size again by now: what a terminal does to its rows meanwhile is its own affair.
            Signal::Resize => self.redraw(),
            signal => {
                self.ended = Some(TuiExit::Signal(signal.number()));
                RedrawUrgency::None
            }
        }
    }

    fn session(&mut self, slot: SlotId, said: SessionMessage, now: Instant) -> RedrawUrgency {
        let app = &mut self.app;
        let change = match said {
            SessionMessage::Event(envelope) => return app.session_event(slot, &envelope, now),
            SessionMessage::Opened(Ok(welcome)) => {
                app.session_opened(slot, &welcome.snapshot, welcome.cards, welcome.notes, now)
            }
            SessionMessage::Opened(Err(report)) => app.session_not_opened(slot, report, now),
            SessionMessage::Attached(snapshot) => app.session_attached(slot, &snapshot, now),
            SessionMessage::Ended => app.session_ended(slot, now),
            SessionMessage::Urgent => RedrawUrgency::None,
        };
        change.max(app.settle_tree(slot, now))
    }

    fn pass_time(&mut self) {
        let now = Instant::now();
        self.app.set_wall_clock(now, Timestamp::now().as_millisecond());
        let change = self.app.pass_time(self.passed, now);
        self.pace.mark(change);
        self.passed = now;
    }

    /// Does what the screen wants done outside.
    async fn perform(&mut self) {
        for effect in self.app.take_effects() {
            let mut change = RedrawUrgency::None;
            match effect {
                Effect::Send(op) => change = self.send(self.sessions.front(), &op),
                Effect::SendTo(slot, op) => change = self.send(slot, &op),
                Effect::OpenSession(slot, wanted) => self.sessions.open(slot, wanted),
                Effect::OpenTask(slot, session) => self.sessions.open_task(slot, session),
                Effect::ShowSession(slot) => {
                    self.sessions.show(slot);
                    change = RedrawUrgency::Urgent;
                }
                Effect::AskHost(query) => self.answers.push(Box::pin(self.host.ask(query))),
                Effect::CloseSession(slot) => self.sessions.close(slot),
                Effect::Ask(slot, query) => self.ask(slot, query),
                Effect::Trust(answer) => {
                    // Where nobody waits any more, the session's end is on its way.
                    let waits = self.trust.take();
                    waits.map(|waits| waits.send(answer));
                }
                Effect::Copy { text, what } => self.copy(text, what),
                Effect::Open(places) => change = self.open(&places).await,
                Effect::View(text) => change = self.view(&text).await,
                Effect::ViewWhole { path, left } => change = self.view_whole(Path::new(&path), &left).await,
                Effect::Notify { title, body } => {
                    // A terminal that takes nothing is gone; its input ends too.
                    let _ = self.screen.write(&self.app.notification(&title, &body));
                }
                Effect::Mouse(mouse) => {
                    if self.screen.set_mouse(mouse).is_ok() {
                        change = RedrawUrgency::Soft;
                    }
                }
                Effect::Edit(text) => change = self.edit(&text).await,
                Effect::KeepPrompt(written) => self.prompts.keep(&written),
                Effect::ReadPrompts => self.prompts.begin_reading(),
                Effect::PastePicture => self.take_picture(),
                Effect::Find(request) => self.find(request),
                Effect::MakePicture(job) => self.make_picture(job),
                Effect::Suspend => change = self.suspend().await,
                Effect::Redraw => change = self.redraw(),
                Effect::Quit => self.ended = Some(TuiExit::Quit),
            }
            self.pace.mark(change);
        }
    }

    fn send(&mut self, slot: SlotId, op: &Op) -> RedrawUrgency {
        let Err(error) = self.sessions.send_to(slot, op.clone()) else {
            return RedrawUrgency::None;
        };
        self.app.not_sent(slot, op, &error.to_string(), Instant::now())
    }

    /// Asks a session; what it does not answer any more is answered here.
    fn ask(&mut self, slot: SlotId, query: Query) {
        let handle = self.sessions.handle(slot).cloned();
        self.asking.push(Box::pin(async move {
            let answer = match handle {
                Some(handle) => handle.ask(query.clone()).await,
                None => Err(SendError::Closed),
            };
            let answer = answer.unwrap_or_else(|_| Answer::Failed("No session is open.".to_owned()));
            (slot, query, answer)
        }));
    }

    /// Asks the finder, and starts it where there is none for this directory.
    fn find(&mut self, request: Request) {
        let places = self.app.find_places();
        self.finder.take_if(|finder| finder.places != places);
        self.finder
            .get_or_insert_with(|| Finder::start(places))
            .ask(request);
    }

    /// Sends a text to the terminal at once and to the system's clipboard on the side; what became of it is told then.
    fn copy(&mut self, text: String, what: String) {
        let (multiplexer, commands) = self.app.clipboard();
        let sequence = clipboard::sequence(&text, multiplexer);
        let is_too_long = sequence.is_none();
        let is_sent = sequence.is_some_and(|bytes| self.screen.write(&bytes).is_ok());
        self.copying = Some(Box::pin(async move {
            let command = clipboard::by_command(&text, &commands).await;
            let tmux = match multiplexer {
                Multiplexer::Tmux => clipboard::by_command(&text, &[clipboard::TMUX]).await,
                Multiplexer::Screen | Multiplexer::Direct => None,
            };
            // What tmux has taken it passes on itself, as its settings say.
            let terminal = (is_sent && tmux.is_none()).then_some(multiplexer);
            let copied = CopyResult {
                command: command.or(tmux),
                terminal,
                is_too_long,
            };
            (what, copied)
        }));
    }

    /// Asks the clipboard for its picture, once at a time.
    fn take_picture(&mut self) {
        if self.picture.is_none() {
            let slot = self.sessions.front();
            let (reading, directory) = self.app.picture_places();
            self.picture = Some(Box::pin(async move { (slot, reading.take(directory).await) }));
        }
    }

    /// Makes a picture on another thread. One that panics over a file counts as one that cannot be drawn.
    fn make_picture(&mut self, job: PictureJob) {
        let failed = PictureJob::failed(job.key, job.grid);
        let making = tokio::task::spawn_blocking(|| job.run());
        self.drawing = Some(Box::pin(async move { making.await.unwrap_or(failed) }));
    }

    fn redraw(&mut self) -> RedrawUrgency {
        // A terminal whose size cannot be read is gone; its input ends too.
        let _ = self.screen.forget();
        self.app.set_cell_size(cell_size());
        if self.app.asks_for_cell_size() {
            // One that is gone is noticed by its input.
            let _ = self.screen.write(sixel::ASK_CELL_SIZE);
        }
        RedrawUrgency::Urgent
    }

    /// The terminal is gone, which ends the program as a hangup does.
    fn hang_up(&mut self) {
        self.ended = Some(TuiExit::Signal(Signal::Hangup.number()));
    }

    fn draw(&mut self) -> Result<(), TerminalError> {
        let now = Instant::now();
        let app = &mut self.app;
        self.screen.draw(|frame| {
            let area = frame.area();
            if let Some(caret) = app.draw(area, frame.buffer_mut(), now) {
                frame.set_cursor_position(caret);
            }
            FrameExtras {
                links: app.links(),
                pictures: app.pictures_on_screen(),
            }
        })?;
        if let Some(title) = self.app.terminal_title() {
            self.screen.set_title(title)?;
        }
        self.pace.drawn(now);
        self.sessions.set_awake(self.app.awake_slots());
        if self.screen.has_more_to_draw() || self.app.is_laying_out() {
            self.pace.mark(RedrawUrgency::Soft);
        }
        let shape = self.app.caret_shape();
        if std::mem::replace(&mut self.caret_shape, shape) != shape {
            self.screen.set_caret(shape)?;
        }
        self.note();
        if matches!(self.grammars, Grammars::Unwanted) && self.app.has_content() {
            self.grammars.load();
        }
        Ok(())
    }

    fn note(&mut self) {
        let Some(trace) = &mut self.trace else { return };
        if let Err(error) = trace.note(self.app.state(), Instant::now()) {
            tracing::warn!(%error, "the trace of the screen cannot be written");
            self.trace = None;
        }
    }
}

async fn maybe<T>(future: Option<impl Future<Output = T>>) -> T {
    match future {
        Some(future) => future.await,
        None => pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline.into()).await,
        None => pending().await,
    }
}
