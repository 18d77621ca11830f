//! Measures the transcript: a delta early and late in a reply, a whole reply, frames in which little happens, and
//! scrolling through few and many blocks, searching them. `cargo bench --bench stream`.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use divan::Bencher;
use lathe::conversation::{Message, MessageId, MessageState, Part, PartBody, Role, TextPart};
use lathe::session::Event;
use lathe::tui::transcript::{DrawCx, Transcript};
use lathe::view::highlight::{self, Highlighter};
use lathe::view::theme::Theme;
use lathe::view::{Look, Symbols};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const AREA: Rect = Rect::new(0, 0, 120, 36);
/// Bytes of a delta.
const DELTA: usize = 16;

fn main() {
    highlight::load(&["rust", "sh"]);
    divan::main();
}

/// A reply as models write them: prose, lists, source.
fn reply(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    let mut section = 0;
    while text.len() < bytes {
        section += 1;
        write!(
            text,
            "## Step {section}\n\nThe call in `src/retry.rs` sleeps on the **wall clock**, so the test depends on how busy the \
             machine is. A clock that the test owns makes it *deterministic*, and the jitter stays bounded.\n\n\
             ```rust\n/// Waits for the next attempt.\nasync fn wait(&self, attempt: u32) -> Result<(), Error> {{\n    \
             let delay = self.base * 2_u32.pow(attempt.min({section}));\n    self.clock.sleep(delay).await;\n    \
             Ok(())\n}}\n```\n\n- find the call that sleeps, and who calls it\n- inject the clock\n- pause time in the test\n\n"
        )
        .expect("a string takes everything");
    }
    text.truncate(bytes);
    text
}

struct Screen {
    transcript: Transcript,
    buffer: Buffer,
    theme: Theme,
    highlighter: Highlighter,
    message: MessageId,
    now: Instant,
    frame: usize,
}

impl Screen {
    fn new() -> Self {
        Self {
            transcript: Transcript::new(),
            buffer: Buffer::empty(AREA),
            theme: Theme::default(),
            highlighter: Highlighter::new(),
            message: MessageId::new(),
            now: Instant::now(),
            frame: 0,
        }
    }

    fn streaming() -> Self {
        let mut screen = Self::new();
        screen.apply(&Event::TurnStarted);
        let part = Part {
            seq: 1,
            body: PartBody::Text(TextPart::default()),
        };
        let message = screen.message.clone();
        screen.apply(&Event::PartStarted { message, part });
        screen
    }

    /// A conversation of so many blocks, half of them the person's.
    fn with_blocks(blocks: usize) -> Self {
        let mut screen = Self::new();
        for block in 0..blocks {
            let (role, text) = match block % 2 {
                0 => (Role::User, format!("question {block}")),
                _ => (Role::Assistant, reply(1_200)),
            };
            let body = PartBody::Text(TextPart { text, native: None });
            let message = Message {
                id: MessageId::new(),
                role,
                state: MessageState::Complete,
                agent: None,
                model: None,
                created: 0,
                parts: vec![Part {
                    seq: block as u64,
                    body,
                }],
                stop: None,
                usage: None,
            };
            screen.apply(&Event::MessageStarted(Arc::new(message)));
        }
        screen
    }

    fn apply(&mut self, event: &Event) {
        self.transcript.apply(event, self.now);
    }

    fn delta(&mut self, delta: &str) {
        let message = self.message.clone();
        self.apply(&Event::Delta {
            message,
            part: 1,
            delta: delta.to_owned(),
        });
    }

    fn draw(&mut self) {
        self.frame += 1;
        self.now += Duration::from_millis(33);
        self.buffer.reset();
        let look = Look {
            theme: &self.theme,
            symbols: Symbols::Unicode,
            highlighter: &self.highlighter,
        };
        let cx = DrawCx {
            shows_todos: false,
            look,
            frame: self.frame,
            now: self.now,
            focused: false,
            fold_key: "o",
            view_key: "e",
            ask_key: "",
            end_key: "esc esc",
        };
        self.transcript.draw(AREA, &mut self.buffer, &cx);
    }
}

/// One delta and its frame, after so many others.
#[divan::bench(args = [100, 5_000], sample_count = 40, sample_size = 5)]
fn nth_delta(bencher: Bencher<'_, '_>, before: usize) {
    let text = reply((before + 400) * DELTA);
    let mut deltas = text
        .as_bytes()
        .chunks(DELTA)
        .map(|piece| std::str::from_utf8(piece).expect("it is ASCII"));
    let mut screen = Screen::streaming();
    for _ in 0..before {
        screen.delta(deltas.next().expect("there are enough"));
    }
    screen.draw();
    bencher.bench_local(|| {
        screen.delta(deltas.next().unwrap_or("more text here. "));
        screen.draw();
    });
}

/// 80 KB in 5,000 deltas, a frame after every 16.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn whole_reply() {
    let text = reply(5_000 * DELTA);
    let mut screen = Screen::streaming();
    for (index, delta) in text.as_bytes().chunks(DELTA).enumerate() {
        screen.delta(std::str::from_utf8(delta).expect("it is ASCII"));
        if index % 16 == 15 {
            screen.draw();
        }
    }
}

/// A reply of eight megabytes that is there whole, as after a resize.
fn longest(kind: &str) -> Screen {
    let mut text = reply(8 << 20);
    if kind == "source" {
        text = format!("```rust\n{}", text.replace("```", ""));
    }
    let mut screen = Screen::streaming();
    screen.delta(&text);
    screen
}

/// Its first frame.
#[divan::bench(args = ["prose", "source"], sample_count = 10, sample_size = 1)]
fn longest_reply(bencher: Bencher<'_, '_>, kind: &str) {
    bencher
        .with_inputs(|| longest(kind))
        .bench_local_values(|mut screen| {
            screen.draw();
            screen
        });
}

/// All frames until its beginning, which is all that is drawn of it, is laid out.
#[divan::bench(args = ["prose", "source"], sample_count = 10, sample_size = 1)]
fn longest_reply_whole(bencher: Bencher<'_, '_>, kind: &str) {
    bencher
        .with_inputs(|| longest(kind))
        .bench_local_values(|mut screen| {
            screen.draw();
            while screen.transcript.is_behind() {
                screen.draw();
            }
            screen
        });
}

/// 300 frames, each with one delta, as a slow model gives them.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn slow_stream_of_300_frames() {
    let text = reply(300 * DELTA);
    let mut screen = Screen::streaming();
    for delta in text.as_bytes().chunks(DELTA) {
        screen.delta(std::str::from_utf8(delta).expect("it is ASCII"));
        screen.draw();
    }
}

/// 100 frames of three rows each, from the tail upwards.
#[divan::bench(args = [10, 10_000], sample_count = 10, sample_size = 1)]
fn scroll_100_frames(bencher: Bencher<'_, '_>, blocks: usize) {
    bencher
        .with_inputs(|| Screen::with_blocks(blocks))
        .bench_local_values(|mut screen| {
            screen.draw();
            for _ in 0..100 {
                screen.transcript.scroll_by(-3);
                screen.draw();
            }
            screen
        });
}

/// The first letter of a search, which is looked for in every block, and its frame.
#[divan::bench(args = [100, 10_000], sample_count = 10)]
fn first_letter_of_a_search(bencher: Bencher<'_, '_>, blocks: usize) {
    let mut screen = Screen::with_blocks(blocks);
    screen.draw();
    bencher.bench_local(|| {
        screen.transcript.search();
        screen.transcript.search_for("e");
        screen.draw();
    });
}

/// A frame while a search is on, with the next match.
#[divan::bench(args = [100, 10_000], sample_count = 40)]
fn next_match(bencher: Bencher<'_, '_>, blocks: usize) {
    let mut screen = Screen::with_blocks(blocks);
    screen.draw();
    screen.transcript.search();
    screen.transcript.search_for("clock");
    screen.draw();
    bencher.bench_local(|| {
        screen.transcript.search_step(1);
        screen.draw();
    });
}
