//! A conversation on a screen without a terminal: layout and drawing into a buffer, and the comparison with the frame
//! before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lathe::conversation::Message;
use lathe::session::Event;
use lathe::tool::BuiltinCards;
use lathe::tui::transcript::{DrawCx, Transcript};
use lathe::view::highlight::Highlighter;
use lathe::view::theme::Theme;
use lathe::view::{Look, Symbols};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub(crate) const SIZE: (u16, u16) = (120, 36);
/// Sizes that a window goes through while somebody drags its corner, again and again.
const DRAGGED: [(u16, u16); 6] = [(120, 36), (112, 34), (97, 30), (80, 24), (133, 40), (160, 50)];

/// How the reader moves.
pub(crate) struct Walk {
    pub(crate) what: &'static str,
    frames: usize,
    step: fn(&mut Transcript, usize),
}

pub(crate) const WALKS: [Walk; 4] = [
    Walk {
        what: "by line, up",
        frames: 4_000,
        step: |transcript, _| transcript.scroll_by(-1),
    },
    Walk {
        what: "by page, up",
        frames: 4_000,
        step: |transcript, _| transcript.page(-1),
    },
    Walk {
        what: "by page, down",
        frames: 4_000,
        step: |transcript, frame| {
            if frame == 0 {
                transcript.to_start();
            } else {
                transcript.page(1);
            }
        },
    },
    Walk {
        what: "from end to end",
        frames: 1_000,
        step: |transcript, frame| {
            if frame % 2 == 0 {
                transcript.to_start();
            } else {
                transcript.to_end();
            }
        },
    },
];

pub(crate) struct Screen {
    pub(crate) transcript: Transcript,
    drawn: Buffer,
    before: Buffer,
    theme: Theme,
    highlighter: Highlighter,
    now: Instant,
    frame: usize,
}

impl Screen {
    pub(crate) fn new(messages: &[Message]) -> Self {
        let mut transcript = Transcript::new();
        transcript.draw_builtin(BuiltinCards::new());
        let now = Instant::now();
        for message in messages {
            transcript.apply(&Event::MessageStarted(Arc::new(message.clone())), now);
        }
        let area = Rect::new(0, 0, SIZE.0, SIZE.1);
        Self {
            transcript,
            drawn: Buffer::empty(area),
            before: Buffer::empty(area),
            theme: Theme::default(),
            highlighter: Highlighter::new(),
            now,
            frame: 0,
        }
    }

    /// Moves as a reader does, and goes back to the end; returns the time of each frame.
    pub(crate) fn walk(&mut self, walk: &Walk) -> Vec<Duration> {
        let mut times = Vec::with_capacity(walk.frames);
        for frame in 0..walk.frames {
            (walk.step)(&mut self.transcript, frame);
            times.push(self.frame());
        }
        self.transcript.to_end();
        self.frame();
        times
    }

    /// Goes up by pages, each in another size; returns the time of each frame.
    pub(crate) fn walk_resized(&mut self) -> Vec<Duration> {
        let sizes = DRAGGED.iter().cycle().take(600);
        let times = sizes.map(|size| {
            self.resize(*size);
            self.transcript.page(-1);
            self.frame()
        });
        let times = times.collect();
        self.resize(SIZE);
        times
    }

    fn resize(&mut self, (columns, rows): (u16, u16)) {
        let area = Rect::new(0, 0, columns, rows);
        self.drawn.resize(area);
        self.before = Buffer::empty(area);
    }

    /// Draws a frame and compares it with the one before.
    pub(crate) fn frame(&mut self) -> Duration {
        self.frame += 1;
        self.now += Duration::from_millis(33);
        let began = Instant::now();
        self.drawn.reset();
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
        self.transcript.draw(self.drawn.area, &mut self.drawn, &cx);
        std::hint::black_box(self.before.diff(&self.drawn));
        std::mem::swap(&mut self.before, &mut self.drawn);
        began.elapsed()
    }
}
