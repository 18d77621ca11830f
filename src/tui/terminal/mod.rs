//! The terminal: taken, drawn to, and always given back.
//!
//! [`Screen`] owns what is switched on (alternate screen, raw mode, bracketed paste, wheel, focus events, the kitty
//! keyboard flags) and switches it off again when it is dropped: after a normal end, while a panic unwinds and around a
//! suspend or an editor. Nothing is asked of the terminal before the first frame, and nothing ever waits for an
//! answer: flags are pushed without asking, and what is asked later (the background, whether pictures can be drawn) is
//! answered among the keys, where [`decoder`] takes the answer out. A terminal that answers nothing works.
//!
//! Frames are wrapped in synchronized output and written in one piece, on a thread of their own ([`output`] says why): a
//! frame is drawn while [`Screen::is_free`]. ratatui's own `clear` is not used: it asks for the cursor's position and
//! waits.
//!
//! Keys are read by termina, frames are written by crossterm. `ratatui-termina` 0.1.0 would write a fifth to a half fewer
//! bytes and spell the sixteen colours as [`ansi16`] does, but it loses bold or dim after a cell that was both, and wants
//! an event reader that only termina's own terminal has.

mod ansi16;
pub(crate) mod answer;
pub(crate) mod background;
mod burst;
mod caret;
mod clusters;
pub(crate) mod decoder;
mod links;
pub(crate) mod multiplexer;
pub(crate) mod notify;
mod output;
mod panic;
mod pictures;
pub(crate) mod reader;
pub(crate) mod signals;

pub(crate) use caret::CaretShape;
pub(crate) use panic::caught;

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::queue;
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode, window_size,
};
use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::layout::{Position, Rect};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use clusters::Clusters;
use output::{Output, PendingBytes};
use pictures::Pictures;

use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;
use crate::tui::MouseCapture;
use crate::tui::pictures::FramePictures;
use crate::view::link::Links;
use crate::view::theme::ColorDepth;

/// Buttons, wheel and motion while a button is held, in SGR form. Other motion is left off: it would wake the program at
/// every move of the hand.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// Has xterm and tmux tell of `shift+enter` and its like, where they do not know kitty's flags; and no more.
/// Some terminals take it for an underline, so styles are put back after it.
const OTHER_KEYS_ON: &[u8] = b"\x1b[>4;1m\x1b[0m";
const OTHER_KEYS_OFF: &[u8] = b"\x1b[>4m\x1b[0m";
/// Asks for the background colour. Many terminals answer, some do not; nobody waits.
const ASK_BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";
/// How long giving it back waits for a terminal that does not read.
const PATIENCE: Duration = Duration::from_secs(2);
/// Puts the window's title on a stack, and takes it back. Terminals that have no stack leave it out.
const SAVE_TITLE: &[u8] = b"\x1b[22;2t";
const RESTORE_TITLE: &[u8] = b"\x1b[23;2t";
/// Columns of a title; what is longer is nowhere shown.
const TITLE_COLUMNS: usize = 100;

/// Why the screen cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    #[error("{0} is not a terminal, and lathe needs one here; use `lathe run` in scripts and pipes")]
    NotATerminal(&'static str),
    #[error("the terminal could not be prepared: {0}")]
    Io(#[from] io::Error),
}

/// Data that goes to the terminal with a frame, besides its cells.
#[derive(Default)]
pub(crate) struct FrameExtras {
    /// Targets of the links; `None` where the terminal shows none.
    pub(crate) links: Option<Links>,
    pub(crate) pictures: FramePictures,
}

/// Returns how many pixels a cell has, where the terminal tells.
pub(crate) fn cell_size() -> Option<(u16, u16)> {
    let size = window_size().ok()?;
    let cell = |pixels: u16, cells: u16| pixels.checked_div(cells).filter(|pixels| *pixels > 0);
    cell(size.width, size.columns).zip(cell(size.height, size.rows))
}

type Backend = CrosstermBackend<PendingBytes>;

/// The terminal while it is ours.
pub(crate) struct Screen {
    terminal: Terminal<Backend>,
    output: Output,
    clusters: Clusters,
    mouse: MouseCapture,
    is_ours: bool,
    pictures: Pictures,
    /// The title of the window while it is ours.
    title: Option<String>,
}

impl Screen {
    /// Takes the terminal.
    pub(crate) fn enter(mouse: MouseCapture, depth: ColorDepth) -> Result<Self, TerminalError> {
        if !io::stdin().is_terminal() {
            return Err(TerminalError::NotATerminal("standard input"));
        }
        if !io::stdout().is_terminal() {
            return Err(TerminalError::NotATerminal("standard output"));
        }
        let output = Output::to_stdout(depth)?;
        let backend = CrosstermBackend::new(output.gathered());
        // The size is read when it changed, of which a signal tells, and not for each frame.
        let viewport = Viewport::Fixed(Rect::from((Position::ORIGIN, backend.size()?)));
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
        let mut screen = Self {
            terminal,
            output,
            clusters: Clusters::default(),
            mouse,
            is_ours: false,
            pictures: Pictures::default(),
            title: None,
        };
        screen.retake()?;
        Ok(screen)
    }

    /// Takes the terminal again after [`Self::give_back`]; the next frame is drawn in full.
    pub(crate) fn retake(&mut self) -> io::Result<()> {
        if self.is_ours {
            // Somebody else may have changed the modes while we were stopped.
            let _ = disable_raw_mode();
        }
        enable_raw_mode()?;
        self.is_ours = true;
        write_enter(self.terminal.backend_mut(), self.mouse)?;
        self.output.send()?;
        self.forget()
    }

    /// Gives the terminal back as it was found. Errors are left out: there is nobody to tell. One that does not read is
    /// not waited for longer than [`PATIENCE`].
    pub(crate) fn give_back(&mut self) {
        if !self.is_ours {
            return;
        }
        self.is_ours = false;
        self.output.withdraw();
        if self.title.take().is_some() {
            let _ = self.terminal.backend_mut().write_all(RESTORE_TITLE);
        }
        let _ = self.delete_pictures();
        let _ = write_leave(self.terminal.backend_mut());
        let _ = self.output.send();
        if !self.output.wait(PATIENCE) {
            tracing::warn!("the terminal did not read what gives it back");
        }
        let _ = disable_raw_mode();
    }

    /// Has the next frame drawn in full.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.clusters.forget();
        self.delete_pictures()?;
        self.terminal.resize(size.into())
    }

    /// Returns true if the terminal has taken all that was written, so that a frame can be drawn.
    pub(crate) fn is_free(&self) -> bool {
        self.output.is_free()
    }

    /// Waits until the terminal has taken all that was written, or is gone. Cancel safe.
    pub(crate) async fn free(&self) {
        self.output.free().await;
    }

    /// Draws one frame. What is drawn returns what goes with it.
    pub(crate) fn draw(&mut self, render: impl FnOnce(&mut Frame) -> FrameExtras) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let clusters = &mut self.clusters;
        let pictures = &mut self.pictures;
        let mut told = Vec::new();
        self.terminal.draw(|frame| {
            let besides = render(frame);
            clusters.mark(frame.buffer_mut());
            told = pictures.transmit(&besides.pictures, frame.buffer_mut());
            // Last: what is woven in has another length than it has columns.
            links::write_links(frame.buffer_mut(), besides.links.as_ref());
        })?;
        self.terminal.backend_mut().write_all(&told)?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        self.output.send()
    }

    /// Returns true if the next frame is to be drawn even if nothing changes: pictures that move are drawn when they
    /// have stopped.
    pub(crate) fn has_more_to_draw(&self) -> bool {
        self.pictures.has_moving()
    }

    fn delete_pictures(&mut self) -> io::Result<()> {
        let told = self.pictures.forget();
        self.terminal.backend_mut().write_all(&told)
    }

    /// Takes the mouse or leaves it alone, also after the terminal is taken again.
    pub(crate) fn set_mouse(&mut self, mouse: MouseCapture) -> io::Result<()> {
        self.mouse = mouse;
        self.write(match mouse {
            MouseCapture::Caught => MOUSE_ON,
            MouseCapture::LeftAlone => MOUSE_OFF,
        })
    }

    /// Gives the cursor a shape until the terminal is given back.
    pub(crate) fn set_caret(&mut self, shape: CaretShape) -> io::Result<()> {
        self.write(shape.sequence())
    }

    /// Calls the window something until it is given back.
    pub(crate) fn set_title(&mut self, title: String) -> io::Result<()> {
        if !self.is_ours || self.title.as_ref() == Some(&title) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        if self.title.is_none() {
            bytes.extend_from_slice(SAVE_TITLE);
        }
        bytes.extend_from_slice(&title_sequence(&title));
        self.title = Some(title);
        self.write(&bytes)
    }

    /// Asks which background the terminal has. The answer comes, if it comes, among the keys.
    pub(crate) fn ask_background(&mut self) -> io::Result<()> {
        self.write(ASK_BACKGROUND)
    }

    /// Writes a control sequence of our own making.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.terminal.backend_mut().write_all(bytes)?;
        self.output.send()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Nothing that could end the sequence is left of the title.
fn title_sequence(title: &str) -> Vec<u8> {
    let line = sanitize_line(title);
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    format!("\x1b]2;{}\x1b\\", truncate(&line, TITLE_COLUMNS)).into_bytes()
}

fn write_enter(out: &mut impl Write, mouse: MouseCapture) -> io::Result<()> {
    queue!(
        out,
        EnterAlternateScreen,
        Hide,
        EnableBracketedPaste,
        EnableFocusChange
    )?;
    if mouse == MouseCapture::Caught {
        out.write_all(MOUSE_ON)?;
    }
    out.write_all(OTHER_KEYS_ON)?;
    // Terminals keep one stack of flags a screen, so they are pushed on the alternate one.
    queue!(
        out,
        PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES)
    )
}

fn write_leave(out: &mut impl Write) -> io::Result<()> {
    queue!(out, EndSynchronizedUpdate, PopKeyboardEnhancementFlags)?;
    out.write_all(OTHER_KEYS_OFF)?;
    out.write_all(MOUSE_OFF)?;
    out.write_all(CaretShape::Own.sequence())?;
    queue!(
        out,
        DisableFocusChange,
        DisableBracketedPaste,
        ResetColor,
        LeaveAlternateScreen,
        Show
    )
}

/// Terminals that show all colours and whose `COLORTERM` does not come along where they are logged in elsewhere.
const TRUE_COLOR_TERMS: &[&str] = &["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"];

/// Returns how many colours the environment says the terminal shows.
pub(crate) fn color_depth(variable: &dyn Fn(&str) -> Option<String>) -> ColorDepth {
    if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return ColorDepth::None;
    }
    let term = variable("TERM").unwrap_or_default();
    let color_term = variable("COLORTERM").unwrap_or_default();
    if term == "dumb" {
        ColorDepth::None
    } else if matches!(color_term.as_str(), "truecolor" | "24bit")
        || term.ends_with("-direct")
        || TRUE_COLOR_TERMS.contains(&term.as_str())
    {
        ColorDepth::TrueColor
    } else if term.contains("256color") {
        ColorDepth::Ansi256
    } else {
        ColorDepth::Ansi16
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;
    use std::sync::mpsc;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use ratatui::style::Style;

    use super::*;
    use crate::tui::pictures::facts::tests::png;
    use crate::tui::pictures::{Grid, PictureJob, PicturePlacement, PictureProtocol, Pictures as Shown};

    const AREA: Rect = Rect::new(0, 0, 20, 10);
    const GRID: Grid = Grid { columns: 4, rows: 2 };

    struct ChannelWriter(mpsc::Sender<Vec<u8>>);

    impl Write for ChannelWriter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A screen whose bytes come back.
    fn screen() -> (Screen, mpsc::Receiver<Vec<u8>>) {
        let (sender, written) = mpsc::channel();
        let output = Output::to(ChannelWriter(sender)).unwrap();
        let viewport = Viewport::Fixed(AREA);
        let backend = CrosstermBackend::new(output.gathered());
        let screen = Screen {
            terminal: Terminal::with_options(backend, TerminalOptions { viewport }).unwrap(),
            output,
            clusters: Clusters::default(),
            mouse: MouseCapture::LeftAlone,
            is_ours: false,
            pictures: Pictures::default(),
            title: None,
        };
        (screen, written)
    }

    fn drawing(protocol: PictureProtocol, keys: &[u64]) -> Shown {
        let mut pictures = Shown::new(Some(protocol));
        pictures.answered(protocol, true);
        pictures.set_cell(Some((10, 20)));
        let pixels = match protocol {
            PictureProtocol::Sixel => (40, 36),
            PictureProtocol::Kitty | PictureProtocol::Iterm => (40, 40),
        };
        for key in keys {
            let job = PictureJob {
                key: *key,
                grid: GRID,
                form: pictures.form(),
                pixels,
                data: STANDARD.encode(png(40, 40)),
            };
            pictures.made(job.run());
        }
        pictures
    }

    #[test]
    fn a_picture_over_cells_that_moves_leaves_the_rest_of_the_frame_right() {
        leaves_the_rest_right(PictureProtocol::Iterm, "\x1b]1337;File");
        leaves_the_rest_right(PictureProtocol::Sixel, "\x1bP0;1;0q");
    }

    fn leaves_the_rest_right(protocol: PictureProtocol, begin: &str) {
        let (mut screen, written) = screen();
        let mut pictures = drawing(protocol, &[1, 2]);
        let size = |cells| NonZeroU16::new(cells).unwrap();
        let mut emulator = vt100::Parser::new(size(AREA.height), size(AREA.width), 0);
        // Where the pictures stand, and how many of them are drawn for it.
        let frames = [
            (vec![(1, 1)], 1),
            (vec![(1, 2)], 0),
            (vec![(1, 2)], 1),
            (vec![(1, 2)], 0),
            (vec![(1, 2), (2, 5)], 1),
            (vec![(1, 1), (2, 4)], 0),
            (vec![(1, 1), (2, 3)], 1),
            (vec![(2, 0)], 0),
            (vec![(2, 0)], 1),
            (vec![], 0),
            (vec![(2, 0)], 1),
        ];
        for (nth, (places, drawn)) in frames.into_iter().enumerate() {
            let mut rows = Vec::new();
            let draw = |frame: &mut Frame| {
                let buffer = frame.buffer_mut();
                for y in AREA.top()..AREA.bottom() {
                    let text = format!("{}🇩🇪 row {y} of {nth}", " ".repeat(nth % 2));
                    buffer.set_string(0, y, text, Style::new());
                }
                pictures.begin();
                for (key, y) in &places {
                    let area = Rect::new(15, *y, GRID.columns, GRID.rows);
                    let place = PicturePlacement {
                        key: *key,
                        grid: GRID,
                        area,
                        hidden: 0,
                    };
                    assert_eq!(pictures.paint(place, buffer), None, "it is made");
                }
                pictures.finish(buffer);
                rows = (0..AREA.height).map(|y| format!("row {y} of {nth}")).collect();
                FrameExtras {
                    links: None,
                    pictures: pictures.needed(),
                }
            };
            screen.draw(draw).unwrap();
            assert!(screen.output.wait(Duration::from_secs(30)));
            let bytes: Vec<u8> = written.try_iter().flatten().collect();
            let text = String::from_utf8_lossy(&bytes);
            assert_eq!(text.matches(begin).count(), drawn, "frame {nth}");
            emulator.process(&bytes);
            let shown: Vec<_> = emulator.screen().rows(0, AREA.width).collect();
            for (shown, row) in shown.iter().zip(&rows) {
                assert!(shown.trim_end().ends_with(row.as_str()), "frame {nth}: {shown:?}");
            }
        }
    }

    #[test]
    fn leaving_switches_off_everything_that_entering_switched_on() {
        let (mut entered, mut left) = (Vec::new(), Vec::new());
        write_enter(&mut entered, MouseCapture::Caught).unwrap();
        write_leave(&mut left).unwrap();
        let entered = String::from_utf8(entered).unwrap();
        let left = String::from_utf8(left).unwrap();
        let switched: Vec<&str> = entered
            .split("\x1b[?")
            .filter_map(|rest| rest.split_once('h'))
            .map(|(mode, _)| mode)
            .collect();
        assert!(
            switched.contains(&"1049") && switched.contains(&"2004"),
            "{entered:?}"
        );
        for mode in switched {
            assert!(
                left.contains(&format!("\x1b[?{mode}l")),
                "{mode} stays on: {left:?}"
            );
        }
        assert!(
            entered.contains("\x1b[>1u") && left.contains("\x1b[<1u") && left.contains("\x1b[>4m"),
            "{entered:?} {left:?}"
        );
        assert!(left.ends_with("\x1b[?25h"), "the cursor is shown last: {left:?}");
    }

    #[test]
    fn a_title_cannot_leave_its_sequence() {
        let text = |title: &str| String::from_utf8(title_sequence(title)).unwrap();
        assert_eq!(text("fix it - lathe"), "\x1b]2;fix it - lathe\x1b\\");
        let hostile = text("a\x07\x1b\\\u{9c}\n\x1b]52;c;eA==\x07b\u{202e}");
        assert_eq!(
            hostile.chars().filter(|c| c.is_control()).count(),
            2,
            "{hostile:?}"
        );
        assert!(text(&"x".repeat(5000)).len() < 120);
    }

    #[test]
    fn entering_asks_the_terminal_nothing() {
        let mut entered = Vec::new();
        write_enter(&mut entered, MouseCapture::Caught).unwrap();
        let entered = String::from_utf8(entered).unwrap();
        for question in ["\x1b[6n", "\x1b[c", "\x1b[?u", "\x1b]1"] {
            assert!(!entered.contains(question), "{entered:?}");
        }
    }

    #[test]
    fn a_mouse_that_is_left_alone_is_not_watched() {
        let mut entered = Vec::new();
        write_enter(&mut entered, MouseCapture::LeftAlone).unwrap();
        assert!(!String::from_utf8(entered).unwrap().contains("?1000h"));
    }

    #[test]
    fn the_environment_says_how_many_colours_there_are() {
        let depth = |pairs: &[(&str, &str)]| {
            let find = |name: &str| {
                pairs
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            color_depth(&find)
        };
        assert_eq!(
            depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]),
            ColorDepth::TrueColor
        );
        assert_eq!(depth(&[("TERM", "xterm-256color")]), ColorDepth::Ansi256);
        assert_eq!(depth(&[("TERM", "linux")]), ColorDepth::Ansi16);
        assert_eq!(depth(&[("TERM", "xterm-kitty")]), ColorDepth::TrueColor);
        assert_eq!(
            depth(&[("COLORTERM", "truecolor"), ("NO_COLOR", "1")]),
            ColorDepth::None
        );
        assert_eq!(
            depth(&[("COLORTERM", "truecolor"), ("NO_COLOR", "")]),
            ColorDepth::TrueColor
        );
        assert_eq!(depth(&[("TERM", "dumb")]), ColorDepth::None);
    }
}
