//! Pictures in the terminal, where it can draw them.
//!
//! Which protocol there is comes from the environment, and for sixel from the terminal; one that is asked for is used once
//! the terminal has answered, and nobody waits for that. Rows are reserved from the size in a file's header. The picture
//! itself is made on another thread ([`decode`]), one at a time, at the size at which it is drawn, and kept while there is
//! room. What cannot be drawn is the line that describes it; the rows that it had stay while its card is on screen, so that
//! nothing jumps.
//!
//! The transcript says what is to be drawn where ([`PicturePlacement`]), cells keep the place ([`kitty`], [`overlay`]), and
//! `terminal::Screen` tells the terminal of pictures that are new on screen and of those that are gone ([`FramePictures`]).
//!
//! The encoders of `ratatui-image` 11.1 are not used: they put a whole transmission into the symbol of a cell, so that a
//! picture cannot be covered, moved or deleted, and they bring 29 packages. Nor is `icy_sixel` 0.7 alone, although it is
//! six times faster: it keeps fewer colours than a sixel picture can have (145 near ones become 26) and writes up to
//! 1.9 times as many bytes for a photograph.

mod decode;
pub(in crate::tui) mod facts;
mod iterm;
pub(crate) mod kitty;
mod overlay;
pub(crate) mod sixel;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub(crate) use facts::PictureFacts;

/// Rows of a picture at most, so that it fits on a small screen.
const MOST_ROWS: u16 = 16;
const MOST_COLUMNS: u16 = 80;
/// A cell where the terminal does not tell its size in pixels.
const USUAL_CELL: (u16, u16) = (10, 20);
/// Bytes of pictures that are kept.
const KEPT: usize = 24 * 1024 * 1024;

/// How the terminal may draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureProtocol {
    /// Once the terminal has said that it knows it.
    Kitty,
    Iterm,
    /// Once the terminal has said that it knows it, and how large a cell is.
    Sixel,
}

impl PictureProtocol {
    /// Reads the environment. What knows no other protocol is asked about sixel; behind a multiplexer that is all, because
    /// it speaks for itself there: what it would do with the others is not known.
    pub(crate) fn read(set: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let term = set("TERM").unwrap_or_default();
        if matches!(term.as_str(), "dumb" | "linux") {
            return None;
        }
        let is_behind = ["TMUX", "STY", "ZELLIJ"].iter().any(|name| set(name).is_some());
        // One on the other side of ssh: `LC_TERMINAL` comes along, `TMUX` and `STY` do not.
        if is_behind || term.starts_with("tmux") || term.starts_with("screen") {
            return Some(Self::Sixel);
        }
        let program = set("TERM_PROGRAM").unwrap_or_default();
        if term.contains("kitty") || term.contains("ghostty") || program == "ghostty" || program == "kitty" {
            return Some(Self::Kitty);
        }
        let is_iterm = matches!(program.as_str(), "iTerm.app" | "WezTerm" | "mintty")
            || set("LC_TERMINAL").as_deref() == Some("iTerm2");
        Some(if is_iterm { Self::Iterm } else { Self::Sixel })
    }
}

/// Columns and rows of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Grid {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
}

/// How a picture is written for the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureEncoding {
    /// In base64.
    Png,
    /// The whole sequence that draws it where the cursor is.
    Sixel,
}

/// A picture as the terminal gets it.
#[derive(Debug)]
pub(crate) struct EncodedPicture {
    /// Its number in the terminal, of 24 bits.
    pub(crate) id: u32,
    pub(crate) grid: Grid,
    pub(crate) form: PictureEncoding,
    /// As the form has it.
    pub(crate) data: String,
}

impl EncodedPicture {
    /// Returns what draws it over these cells.
    pub(crate) fn over_cells(&self, area: Rect) -> Vec<u8> {
        match self.form {
            PictureEncoding::Sixel => overlay::at(area, &self.data),
            PictureEncoding::Png => overlay::at(area, &iterm::drawing(self, area)),
        }
    }
}

/// The pictures that the terminal must show with a frame.
#[derive(Debug, Default)]
pub(crate) struct FramePictures {
    /// Those that its cells name, as kitty has it.
    pub(crate) named: Vec<Arc<EncodedPicture>>,
    /// Those that are drawn over its cells.
    pub(crate) placed: Vec<(Arc<EncodedPicture>, Rect)>,
}

/// Position of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PicturePlacement {
    /// Tells the picture from others.
    pub(crate) key: u64,
    pub(crate) grid: Grid,
    /// The part of the screen that it fills.
    pub(crate) area: Rect,
    /// Rows of it that are above that.
    pub(crate) hidden: u16,
}

/// A picture to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PictureJob {
    pub(crate) key: u64,
    pub(crate) grid: Grid,
    pub(crate) form: PictureEncoding,
    /// It fits into this many pixels.
    pub(crate) pixels: (u32, u32),
    /// The file, in base64.
    pub(crate) data: String,
}

impl PictureJob {
    /// Makes the picture, which takes a while.
    pub(crate) fn run(self) -> PictureResult {
        PictureResult {
            key: self.key,
            grid: self.grid,
            pixels: self.pixels,
            data: decode::draw(&self),
        }
    }

    /// Makes the result of a job that failed.
    pub(crate) fn failed(key: u64, grid: Grid) -> PictureResult {
        PictureResult {
            key,
            grid,
            pixels: (0, 0),
            data: None,
        }
    }
}

/// The result of a job.
#[derive(Debug)]
pub(crate) struct PictureResult {
    key: u64,
    grid: Grid,
    pixels: (u32, u32),
    data: Option<String>,
}

/// The facts that the rows of pictures depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Canvas {
    /// Pixels of a cell.
    cell: (u16, u16),
    /// Pictures that turned out not to be any.
    failed: Arc<HashSet<u64>>,
}

impl Canvas {
    /// Returns true if a picture could not be decoded.
    pub(crate) fn has_failed(&self, key: u64) -> bool {
        self.failed.contains(&key)
    }

    /// Returns true if any picture could not be decoded.
    pub(crate) fn has_failures(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Returns the cells for a picture of this size where there are so many columns.
    pub(crate) fn fit(&self, size: (u32, u32), columns: usize) -> Grid {
        let (width, height) = (f64::from(size.0), f64::from(size.1));
        let (cell_width, cell_height) = (f64::from(self.cell.0), f64::from(self.cell.1));
        let columns = columns.min(usize::from(MOST_COLUMNS)) as f64;
        let scale = (columns * cell_width / width)
            .min(f64::from(MOST_ROWS) * cell_height / height)
            .min(1.0);
        // A hair less, so that what fits exactly takes no cell more.
        let cells = |pixels: f64, cell: f64| (pixels * scale / cell - 1e-6).ceil().max(1.0) as u16;
        Grid {
            columns: cells(width, cell_width).min(columns as u16).max(1),
            rows: cells(height, cell_height).min(MOST_ROWS),
        }
    }

    /// Tells it from others.
    pub(crate) fn key(&self) -> ((u16, u16), usize) {
        (self.cell, self.failed.len())
    }
}

/// The pictures of the screen.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    protocol: Option<PictureProtocol>,
    has_answered: bool,
    /// Pixels of a cell, by the terminal's window.
    cell: Option<(u16, u16)>,
    /// The same, as the terminal answered.
    answered_cell: Option<(u16, u16)>,
    made: HashMap<(u64, Grid), CachedPicture>,
    failed: Arc<HashSet<u64>>,
    making: Option<u64>,
    /// The pictures of the frame.
    shown: Vec<(Arc<EncodedPicture>, Rect)>,
    last_id: u32,
    frame: u64,
}

#[derive(Debug)]
struct CachedPicture {
    drawn: Arc<EncodedPicture>,
    /// It was made to fit into so many.
    pixels: (u32, u32),
    /// The frame that showed it last.
    frame: u64,
}

impl Pictures {
    pub(crate) fn new(protocol: Option<PictureProtocol>) -> Self {
        Self {
            protocol,
            ..Self::default()
        }
    }

    /// Returns what the terminal has to be asked before it is known whether it draws.
    pub(crate) fn question(&self) -> Option<&'static [u8]> {
        match self.protocol? {
            PictureProtocol::Kitty if !self.has_answered => Some(kitty::QUESTION),
            PictureProtocol::Sixel if !self.has_answered => Some(sixel::QUESTION),
            PictureProtocol::Kitty | PictureProtocol::Sixel | PictureProtocol::Iterm => None,
        }
    }

    /// Returns true if only the terminal itself can tell how large a cell is, and has to.
    pub(crate) fn asks_for_cell(&self) -> bool {
        self.protocol == Some(PictureProtocol::Sixel) && self.has_answered && self.cell.is_none()
    }

    /// The terminal has said whether it draws by this protocol.
    pub(crate) fn answered(&mut self, protocol: PictureProtocol, draws: bool) {
        if self.protocol == Some(protocol) {
            self.has_answered = draws;
        }
    }

    /// How large a cell is by the terminal's window.
    pub(crate) fn set_cell(&mut self, cell: Option<(u16, u16)>) {
        self.cell = cell;
    }

    /// How large a cell is by the terminal's answer.
    pub(crate) fn answered_cell(&mut self, cell: (u16, u16)) {
        self.answered_cell = Some(cell);
    }

    pub(crate) fn protocol(&self) -> Option<PictureProtocol> {
        let protocol = self.protocol?;
        let draws = match protocol {
            PictureProtocol::Kitty => self.has_answered,
            PictureProtocol::Iterm => true,
            // It is as large as it is in pixels.
            PictureProtocol::Sixel => self.has_answered && self.known_cell().is_some(),
        };
        draws.then_some(protocol)
    }

    /// Returns how pictures are written for the terminal.
    pub(crate) fn form(&self) -> PictureEncoding {
        match self.protocol {
            Some(PictureProtocol::Sixel) => PictureEncoding::Sixel,
            Some(PictureProtocol::Kitty | PictureProtocol::Iterm) | None => PictureEncoding::Png,
        }
    }

    fn known_cell(&self) -> Option<(u16, u16)> {
        self.cell.or(self.answered_cell)
    }

    fn cell(&self) -> (u16, u16) {
        self.known_cell().unwrap_or(USUAL_CELL)
    }

    /// Returns into how many pixels a picture is made to fit.
    fn pixels(&self, grid: Grid) -> (u32, u32) {
        let cell = self.cell();
        let width = u32::from(grid.columns) * u32::from(cell.0);
        let height = u32::from(grid.rows) * u32::from(cell.1);
        match self.form() {
            PictureEncoding::Png => (width, height),
            // Its last band must not reach over its last row.
            PictureEncoding::Sixel => (width, (height - height % sixel::BAND).max(1)),
        }
    }

    /// Returns what layouts depend on; nothing where none are drawn.
    pub(crate) fn canvas(&self) -> Option<Canvas> {
        self.protocol()?;
        Some(Canvas {
            cell: self.cell(),
            failed: Arc::clone(&self.failed),
        })
    }

    /// Begins a frame.
    pub(crate) fn begin(&mut self) {
        self.frame += 1;
        self.shown.clear();
    }

    /// Draws a picture, or says of how many pixels it has to be made first.
    pub(crate) fn paint(&mut self, place: PicturePlacement, buffer: &mut Buffer) -> Option<(u32, u32)> {
        let protocol = self.protocol()?;
        let frame = self.frame;
        let pixels = self.pixels(place.grid);
        let kept = self.made.get_mut(&(place.key, place.grid));
        // Terminals scale others by themselves.
        let Some(kept) = kept.filter(|kept| protocol != PictureProtocol::Sixel || kept.pixels == pixels)
        else {
            let is_due = self.making.is_none() && !self.failed.contains(&place.key);
            return is_due.then_some(pixels);
        };
        kept.frame = frame;
        let area = place.area.intersection(buffer.area);
        let is_clipped = (area.width, area.height) != (place.grid.columns, place.grid.rows);
        match protocol {
            PictureProtocol::Kitty => {
                for (y, row) in (area.top()..area.bottom()).zip(place.hidden..) {
                    for (x, column) in (area.left()..area.right()).zip(0..) {
                        kitty::paint(&mut buffer[(x, y)], kept.drawn.id, row, column);
                    }
                }
            }
            // They cannot be clipped; while a part is off the screen the line above speaks for the picture.
            PictureProtocol::Iterm | PictureProtocol::Sixel if is_clipped => return None,
            // Some terminals scroll after one that ends with the screen.
            PictureProtocol::Sixel if area.bottom() == buffer.area.bottom() => return None,
            PictureProtocol::Iterm | PictureProtocol::Sixel => overlay::reserve(&kept.drawn, area, buffer),
        }
        self.shown.push((Arc::clone(&kept.drawn), area));
        None
    }

    /// Ends a frame, after everything else was drawn.
    pub(crate) fn finish(&mut self, buffer: &Buffer) {
        match self.protocol() {
            Some(PictureProtocol::Kitty) => self.shown.retain(|(drawn, area)| {
                let mut cells = area.positions().map(|position| &buffer[position]);
                cells.any(|cell| kitty::is_of(cell, drawn.id))
            }),
            Some(PictureProtocol::Iterm | PictureProtocol::Sixel) => {
                self.shown
                    .retain(|(drawn, area)| overlay::is_whole(drawn, *area, buffer));
            }
            None => {}
        }
    }

    /// Returns the pictures that the terminal must have for the frame.
    pub(crate) fn needed(&self) -> FramePictures {
        let mut needed = FramePictures::default();
        match self.protocol() {
            Some(PictureProtocol::Kitty) => {
                needed.named = self.shown.iter().map(|(drawn, _)| Arc::clone(drawn)).collect();
            }
            Some(PictureProtocol::Iterm | PictureProtocol::Sixel) => needed.placed.clone_from(&self.shown),
            None => {}
        }
        needed
    }

    /// A picture is being made.
    pub(crate) fn make(&mut self, key: u64) {
        self.making = Some(key);
    }

    /// Says whether a picture can be drawn now.
    pub(crate) fn made(&mut self, made: PictureResult) {
        self.making = None;
        let Some(data) = made.data else {
            Arc::make_mut(&mut self.failed).insert(made.key);
            return;
        };
        // Numbers of others are not taken: the terminal may have pictures of other programs.
        self.last_id = (self.last_id + 1) & 0xffff;
        let id = 0x4c_0000 | self.last_id.max(1);
        let drawn = Arc::new(EncodedPicture {
            id,
            grid: made.grid,
            form: self.form(),
            data,
        });
        let frame = self.frame;
        let pixels = made.pixels;
        let kept = CachedPicture { drawn, pixels, frame };
        self.made.insert((made.key, made.grid), kept);
        self.forget_old();
    }

    /// Keeps no more than there is room for, and what is on screen.
    fn forget_old(&mut self) {
        let size =
            |made: &HashMap<_, CachedPicture>| made.values().map(|kept| kept.drawn.data.len()).sum::<usize>();
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

    fn read(pairs: &[(&str, &str)]) -> Option<PictureProtocol> {
        let find = |name: &str| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        PictureProtocol::read(&find)
    }

    fn drawing() -> Pictures {
        let mut pictures = Pictures::new(Some(PictureProtocol::Kitty));
        pictures.answered(PictureProtocol::Kitty, true);
        pictures
    }

    fn made(key: u64, bytes: usize) -> PictureResult {
        PictureResult {
            key,
            grid: Grid { columns: 2, rows: 2 },
            pixels: (20, 40),
            data: Some("A".repeat(bytes)),
        }
    }

    #[test]
    fn the_environment_names_terminals_that_draw() {
        assert_eq!(read(&[("TERM", "xterm-kitty")]), Some(PictureProtocol::Kitty));
        assert_eq!(
            read(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")]),
            Some(PictureProtocol::Iterm)
        );
        assert_eq!(read(&[("LC_TERMINAL", "iTerm2")]), Some(PictureProtocol::Iterm));
        for term in ["linux", "dumb"] {
            assert_eq!(read(&[("TERM", term)]), None);
        }
        let asked = Some(PictureProtocol::Sixel);
        assert_eq!(read(&[("TERM", "xterm-256color")]), asked);
        assert_eq!(read(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/t")]), asked);
        assert_eq!(read(&[("LC_TERMINAL", "iTerm2"), ("STY", "1.a")]), asked);
        for term in ["tmux-256color", "screen", "screen.xterm-256color"] {
            let over_ssh = [("LC_TERMINAL", "iTerm2"), ("TERM", term)];
            assert_eq!(read(&over_ssh), asked, "{term}");
        }
    }

    #[test]
    fn nothing_is_drawn_before_the_terminal_has_said_that_it_can() {
        let mut pictures = Pictures::new(Some(PictureProtocol::Kitty));
        assert!(pictures.question().is_some() && pictures.canvas().is_none());
        pictures.answered(PictureProtocol::Kitty, true);
        assert!(pictures.canvas().is_some() && pictures.question().is_none());
        let mut none = Pictures::new(None);
        none.answered(PictureProtocol::Sixel, true);
        assert!(none.canvas().is_none());
    }

    #[test]
    fn a_picture_keeps_its_shape_within_the_room_there_is() {
        let canvas = drawing().canvas().unwrap();
        let fit = |size, columns| {
            let grid = canvas.fit(size, columns);
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
        let place = |key| PicturePlacement {
            key,
            grid: Grid { columns: 2, rows: 2 },
            area: Rect::new(1, 1, 2, 2),
            hidden: 0,
        };
        assert_eq!(pictures.paint(place(1), &mut buffer), Some((20, 40)));
        pictures.make(1);
        assert_eq!(pictures.paint(place(2), &mut buffer), None);
        pictures.made(PictureJob::failed(1, place(1).grid));
        assert_eq!(pictures.paint(place(1), &mut buffer), None);
        assert!(pictures.canvas().unwrap().has_failed(1));
        assert_eq!(pictures.paint(place(2), &mut buffer), Some((20, 40)));
        pictures.made(made(2, 8));
        assert_eq!(pictures.paint(place(2), &mut buffer), None);
        assert_eq!(pictures.needed().named.len(), 1);
        assert!(buffer[(2, 2)].symbol().starts_with('\u{10eeee}'));
    }

    #[test]
    fn sixel_is_drawn_once_the_terminal_knows_it_and_the_size_of_a_cell() {
        let mut pictures = Pictures::new(Some(PictureProtocol::Sixel));
        pictures.answered(PictureProtocol::Kitty, true);
        assert_eq!(pictures.question(), Some(sixel::QUESTION));
        pictures.answered(PictureProtocol::Sixel, true);
        assert!(pictures.canvas().is_none() && pictures.asks_for_cell());
        pictures.answered_cell((8, 17));
        assert_eq!(pictures.canvas().unwrap().cell, (8, 17));
        assert!(
            pictures.asks_for_cell(),
            "it may be another after a change of size"
        );
        pictures.set_cell(Some((9, 18)));
        assert_eq!(
            pictures.canvas().unwrap().cell,
            (9, 18),
            "the window knows better"
        );
        assert!(!pictures.asks_for_cell());
        let grid = Grid { columns: 3, rows: 2 };
        assert_eq!(pictures.pixels(grid), (27, 36));
        pictures.set_cell(Some((9, 17)));
        assert_eq!(pictures.pixels(grid), (27, 30), "whole bands");
        pictures.answered(PictureProtocol::Sixel, false);
        assert!(pictures.canvas().is_none());
    }

    #[test]
    fn a_sixel_picture_is_made_anew_for_cells_of_another_size() {
        let mut pictures = Pictures::new(Some(PictureProtocol::Sixel));
        pictures.answered(PictureProtocol::Sixel, true);
        pictures.set_cell(Some((10, 21)));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 4));
        let at = |y| PicturePlacement {
            key: 1,
            grid: Grid { columns: 2, rows: 2 },
            area: Rect::new(1, y, 2, 2),
            hidden: 0,
        };
        let made = |pixels| PictureResult { pixels, ..made(1, 8) };
        assert_eq!(pictures.paint(at(1), &mut buffer), Some((20, 42)));
        pictures.made(made((20, 42)));
        assert_eq!(pictures.paint(at(1), &mut buffer), None);
        assert_eq!(pictures.needed().placed.len(), 1);
        pictures.begin();
        assert_eq!(pictures.paint(at(2), &mut buffer), None);
        assert_eq!(pictures.needed().placed.len(), 0, "it would end with the screen");
        pictures.set_cell(Some((12, 24)));
        assert_eq!(pictures.paint(at(1), &mut buffer), Some((24, 48)));
        pictures.made(made((24, 48)));
        assert_eq!(pictures.paint(at(1), &mut buffer), None);
        assert_eq!(pictures.needed().placed.len(), 1);
    }
}
