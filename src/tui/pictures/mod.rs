//! Pictures in the terminal, where it can draw them.
//!
//! Which protocol there is comes from the environment; one that is asked for as well is used once the terminal has answered,
//! and nobody waits for that. Rows are reserved from the size in a file's header. The picture itself is made on another
//! thread ([`decode`]), one at a time, at the size at which it is drawn, and kept while there is room. What cannot be drawn
//! stays the line that describes it.
//!
//! The transcript says what is to be drawn where ([`Place`]), cells keep the place ([`kitty`], [`iterm`]), and
//! `terminal::Screen` tells the terminal of pictures that are new on screen and of those that are gone ([`Needed`]).

mod decode;
pub(in crate::tui) mod facts;
pub(crate) mod iterm;
pub(crate) mod kitty;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub(crate) use facts::Facts;

/// Rows of a picture at most, so that it fits on a small screen.
const MOST_ROWS: u16 = 16;
const MOST_COLUMNS: u16 = 80;
/// A cell where the terminal does not tell its size in pixels.
const USUAL_CELL: (u16, u16) = (10, 20);
/// Bytes of pictures that are kept.
const KEPT: usize = 24 * 1024 * 1024;

/// How the terminal may draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Once the terminal has said that it knows it.
    Kitty,
    Iterm,
}

impl Protocol {
    /// Reads the environment. Behind a multiplexer there are no pictures: what it would do with them is not known.
    pub(crate) fn read(set: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        if set("TMUX").is_some() || set("STY").is_some() || set("ZELLIJ").is_some() {
            return None;
        }
        let term = set("TERM").unwrap_or_default();
        // One on the other side of ssh: `LC_TERMINAL` comes along, `TMUX` and `STY` do not.
        if term.starts_with("tmux") || term.starts_with("screen") {
            return None;
        }
        let program = set("TERM_PROGRAM").unwrap_or_default();
        if term.contains("kitty") || term.contains("ghostty") || program == "ghostty" || program == "kitty" {
            return Some(Self::Kitty);
        }
        let is_iterm = matches!(program.as_str(), "iTerm.app" | "WezTerm" | "mintty")
            || set("LC_TERMINAL").as_deref() == Some("iTerm2");
        is_iterm.then_some(Self::Iterm)
    }
}

/// Columns and rows of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Grid {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
}

/// A picture as the terminal gets it.
#[derive(Debug)]
pub(crate) struct Drawn {
    /// Its number in the terminal, of 24 bits.
    pub(crate) id: u32,
    pub(crate) grid: Grid,
    /// In base64.
    pub(crate) png: String,
}

/// The pictures that the terminal must show with a frame.
#[derive(Debug, Default)]
pub(crate) struct Needed {
    /// Those that its cells name, as kitty has it.
    pub(crate) named: Vec<Arc<Drawn>>,
    /// Those that are drawn over its cells, as iTerm2 has it.
    pub(crate) placed: Vec<(Arc<Drawn>, Rect)>,
}

/// Where a picture stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Tells the picture from others.
    pub(crate) key: u64,
    pub(crate) grid: Grid,
    /// What of it is on screen.
    pub(crate) area: Rect,
    /// Rows of it that are above that.
    pub(crate) hidden: u16,
}

/// A picture to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) key: u64,
    pub(crate) grid: Grid,
    /// It fits into this many pixels.
    pub(crate) pixels: (u32, u32),
    /// The file, in base64.
    pub(crate) data: String,
}

impl Job {
    /// Makes the picture, which takes a while.
    pub(crate) fn run(self) -> Made {
        Made {
            key: self.key,
            grid: self.grid,
            png: decode::draw(&self),
        }
    }

    /// What there is when making it came to an end of its own.
    pub(crate) fn failed(key: u64, grid: Grid) -> Made {
        Made { key, grid, png: None }
    }
}

/// What became of a job.
#[derive(Debug)]
pub(crate) struct Made {
    key: u64,
    grid: Grid,
    png: Option<String>,
}

/// What the rows of pictures depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Canvas {
    /// Pixels of a cell.
    cell: (u16, u16),
    /// Pictures that turned out not to be any.
    failed: Arc<HashSet<u64>>,
}

impl Canvas {
    /// Returns the cells for a picture of this size where there are so many columns; nothing where it is not drawn.
    pub(crate) fn fit(&self, key: u64, size: (u32, u32), columns: usize) -> Option<Grid> {
        if self.failed.contains(&key) {
            return None;
        }
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let (cell_width, cell_height) = (f64::from(self.cell.0), f64::from(self.cell.1));
        let columns = columns.min(usize::from(MOST_COLUMNS)) as f64;
        let scale = (columns * cell_width / width)
            .min(f64::from(MOST_ROWS) * cell_height / height)
            .min(1.0);
        // A hair less, so that what fits exactly takes no cell more.
        let cells = |pixels: f64, cell: f64| (pixels * scale / cell - 1e-6).ceil().max(1.0) as u16;
        Some(Grid {
            columns: cells(width, cell_width).min(columns as u16).max(1),
            rows: cells(height, cell_height).min(MOST_ROWS),
        })
    }

    /// Tells it from others.
    pub(crate) fn key(&self) -> ((u16, u16), usize) {
        (self.cell, self.failed.len())
    }
}

/// The pictures of the screen.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    protocol: Option<Protocol>,
    has_answered: bool,
    /// Pixels of a cell.
    cell: Option<(u16, u16)>,
    made: HashMap<(u64, Grid), Kept>,
    failed: Arc<HashSet<u64>>,
    making: Option<u64>,
    /// What the frame shows.
    shown: Vec<(Arc<Drawn>, Rect)>,
    last_id: u32,
    frame: u64,
}

#[derive(Debug)]
struct Kept {
    drawn: Arc<Drawn>,
    /// The frame that showed it last.
    frame: u64,
}

impl Pictures {
    pub(crate) fn new(protocol: Option<Protocol>) -> Self {
        Self {
            protocol,
            ..Self::default()
        }
    }

    /// The protocol that the terminal has to be asked about.
    pub(crate) fn asks(&self) -> bool {
        self.protocol == Some(Protocol::Kitty) && !self.has_answered
    }

    /// The terminal has said whether it draws.
    pub(crate) fn answered(&mut self, draws: bool) {
        if self.protocol == Some(Protocol::Kitty) {
            self.has_answered = draws;
        }
    }

    pub(crate) fn set_cell(&mut self, cell: Option<(u16, u16)>) {
        self.cell = cell;
    }

    pub(crate) fn protocol(&self) -> Option<Protocol> {
        match self.protocol? {
            Protocol::Kitty => self.has_answered.then_some(Protocol::Kitty),
            Protocol::Iterm => Some(Protocol::Iterm),
        }
    }

    /// Returns what layouts depend on; nothing where none are drawn.
    pub(crate) fn canvas(&self) -> Option<Canvas> {
        self.protocol()?;
        Some(Canvas {
            cell: self.cell.unwrap_or(USUAL_CELL),
            failed: Arc::clone(&self.failed),
        })
    }

    /// Begins a frame.
    pub(crate) fn begin(&mut self) {
        self.frame += 1;
        self.shown.clear();
    }

    /// Draws a picture, or says that it has to be made first.
    pub(crate) fn paint(&mut self, place: Place, buffer: &mut Buffer) -> Option<(u32, u32)> {
        let protocol = self.protocol()?;
        let frame = self.frame;
        let Some(kept) = self.made.get_mut(&(place.key, place.grid)) else {
            let is_due = self.making.is_none() && !self.failed.contains(&place.key);
            let cell = self.cell.unwrap_or(USUAL_CELL);
            let pixels = |cells: u16, cell: u16| u32::from(cells) * u32::from(cell);
            return is_due.then(|| {
                (
                    pixels(place.grid.columns, cell.0),
                    pixels(place.grid.rows, cell.1),
                )
            });
        };
        kept.frame = frame;
        let area = place.area.intersection(buffer.area);
        match protocol {
            Protocol::Kitty => {
                for (y, row) in (area.top()..area.bottom()).zip(place.hidden..) {
                    for (x, column) in (area.left()..area.right()).zip(0..) {
                        kitty::paint(&mut buffer[(x, y)], kept.drawn.id, row, column);
                    }
                }
            }
            // It cannot be clipped; while a part of it is off the screen the line above it speaks for it.
            Protocol::Iterm if (area.width, area.height) != (place.grid.columns, place.grid.rows) => {
                return None;
            }
            Protocol::Iterm => iterm::reserve(&kept.drawn, area, buffer),
        }
        self.shown.push((Arc::clone(&kept.drawn), area));
        None
    }

    /// Ends a frame, after everything else was drawn.
    pub(crate) fn finish(&mut self, buffer: &Buffer) {
        match self.protocol() {
            Some(Protocol::Kitty) => self.shown.retain(|(drawn, area)| {
                let mut cells = area.positions().map(|position| &buffer[position]);
                cells.any(|cell| kitty::is_of(cell, drawn.id))
            }),
            Some(Protocol::Iterm) => {
                self.shown
                    .retain(|(drawn, area)| iterm::is_whole(drawn, *area, buffer));
            }
            None => {}
        }
    }

    /// Returns the pictures that the terminal must have for the frame.
    pub(crate) fn needed(&self) -> Needed {
        let mut needed = Needed::default();
        match self.protocol() {
            Some(Protocol::Kitty) => {
                needed.named = self.shown.iter().map(|(drawn, _)| Arc::clone(drawn)).collect();
            }
            Some(Protocol::Iterm) => needed.placed.clone_from(&self.shown),
            None => {}
        }
        needed
    }

    /// A picture is being made.
    pub(crate) fn make(&mut self, key: u64) {
        self.making = Some(key);
    }

    /// Says whether a picture can be drawn now.
    pub(crate) fn made(&mut self, made: Made) {
        self.making = None;
        let Some(png) = made.png else {
            Arc::make_mut(&mut self.failed).insert(made.key);
            return;
        };
        // Numbers of others are not taken: the terminal may have pictures of other programs.
        self.last_id = (self.last_id + 1) & 0xffff;
        let id = 0x4c_0000 | self.last_id.max(1);
        let drawn = Arc::new(Drawn {
            id,
            grid: made.grid,
            png,
        });
        let frame = self.frame;
        self.made.insert((made.key, made.grid), Kept { drawn, frame });
        self.forget_old();
    }

    /// Keeps no more than there is room for, and what is on screen.
    fn forget_old(&mut self) {
        let size = |made: &HashMap<_, Kept>| made.values().map(|kept| kept.drawn.png.len()).sum::<usize>();
        while size(&self.made) > KEPT {
            let old = self.made.iter().filter(|(_, kept)| kept.frame < self.frame);
            let Some(oldest) = old.min_by_key(|(_, kept)| kept.frame).map(|(key, _)| *key) else {
                return;
            };
            self.made.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Option<Protocol> {
        let find = |name: &str| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        Protocol::read(&find)
    }

    fn drawing() -> Pictures {
        let mut pictures = Pictures::new(Some(Protocol::Kitty));
        pictures.answered(true);
        pictures
    }

    fn made(key: u64, bytes: usize) -> Made {
        Made {
            key,
            grid: Grid { columns: 2, rows: 2 },
            png: Some("A".repeat(bytes)),
        }
    }

    #[test]
    fn the_environment_names_terminals_that_draw() {
        assert_eq!(read(&[("TERM", "xterm-kitty")]), Some(Protocol::Kitty));
        assert_eq!(
            read(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")]),
            Some(Protocol::Iterm)
        );
        assert_eq!(read(&[("LC_TERMINAL", "iTerm2")]), Some(Protocol::Iterm));
        assert_eq!(read(&[("TERM", "xterm-256color")]), None);
        assert_eq!(read(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/t")]), None);
        assert_eq!(read(&[("LC_TERMINAL", "iTerm2"), ("STY", "1.a")]), None);
        for term in ["tmux-256color", "screen", "screen.xterm-256color"] {
            let over_ssh = [("LC_TERMINAL", "iTerm2"), ("TERM", term)];
            assert_eq!(read(&over_ssh), None, "{term}");
        }
    }

    #[test]
    fn nothing_is_drawn_before_the_terminal_has_said_that_it_can() {
        let mut pictures = Pictures::new(Some(Protocol::Kitty));
        assert!(pictures.asks() && pictures.canvas().is_none());
        pictures.answered(true);
        assert!(pictures.canvas().is_some() && !pictures.asks());
        let mut none = Pictures::new(None);
        none.answered(true);
        assert!(none.canvas().is_none());
    }

    #[test]
    fn a_picture_keeps_its_shape_within_the_room_there_is() {
        let canvas = drawing().canvas().unwrap();
        let fit = |size, columns| {
            let grid = canvas.fit(1, size, columns).unwrap();
            (grid.columns, grid.rows)
        };
        assert_eq!(fit((100, 100), 60), (10, 5), "it is not made larger");
        assert_eq!(fit((1000, 500), 40), (40, 10));
        assert_eq!(fit((2000, 2000), 200), (32, MOST_ROWS));
        assert_eq!(fit((1, 4_000_000_000), 60), (1, MOST_ROWS));
        assert_eq!(fit((4_000_000_000, 1), 60), (60, 1));
    }

    #[test]
    fn what_is_not_on_screen_goes_where_there_is_no_room() {
        let mut pictures = drawing();
        for key in 0..5 {
            pictures.begin();
            pictures.made(made(key, KEPT / 3));
        }
        let mut keys: Vec<_> = pictures.made.keys().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        assert_eq!(keys, [2, 3, 4]);
    }

    #[test]
    fn one_is_made_at_a_time_and_none_twice_that_failed() {
        let mut pictures = drawing();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 4));
        let place = |key| Place {
            key,
            grid: Grid { columns: 2, rows: 2 },
            area: Rect::new(1, 1, 2, 2),
            hidden: 0,
        };
        assert_eq!(pictures.paint(place(1), &mut buffer), Some((20, 40)));
        pictures.make(1);
        assert_eq!(pictures.paint(place(2), &mut buffer), None);
        pictures.made(Job::failed(1, place(1).grid));
        assert_eq!(pictures.paint(place(1), &mut buffer), None);
        assert_eq!(pictures.canvas().unwrap().fit(1, (20, 20), 60), None);
        assert_eq!(pictures.paint(place(2), &mut buffer), Some((20, 40)));
        pictures.made(made(2, 8));
        assert_eq!(pictures.paint(place(2), &mut buffer), None);
        assert_eq!(pictures.needed().named.len(), 1);
        assert!(buffer[(2, 2)].symbol().starts_with('\u{10eeee}'));
    }
}
