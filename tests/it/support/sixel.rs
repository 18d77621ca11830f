//! Sixel pictures in what a program wrote, read back.

/// A picture as the terminal is told to draw it.
#[derive(Debug, PartialEq)]
pub(crate) struct Sixel {
    /// Cursor position for it, counted from 1.
    pub(crate) row: u16,
    pub(crate) column: u16,
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Row by row, in per cent of red, green and blue; nothing where the terminal's background shows.
    pub(crate) pixels: Vec<Option<[u8; 3]>>,
}

impl Sixel {
    /// Reads all that were drawn. One that anything else was written into is a failure.
    #[track_caller]
    pub(crate) fn all_in(written: &str) -> Vec<Self> {
        // What is not ended is still on its way.
        let end = written.rfind("\x1b8").map_or(0, |at| at + 2);
        let mut drawn = written[..end].split("\x1bP");
        let mut before = drawn.next().unwrap_or_default();
        let mut all = Vec::new();
        for piece in drawn {
            let (sixel, after) = piece.split_once("\x1b\\").expect("a picture has an end");
            let place = before
                .rsplit_once("\x1b7\x1b[")
                .expect("the cursor is kept and put")
                .1;
            let place = place.strip_suffix('H').and_then(|place| place.split_once(';'));
            let (row, column) = place.expect("nothing is between the place and the picture");
            assert!(after.starts_with("\x1b8"), "the cursor is taken back");
            let mut picture = Self::read(sixel);
            (picture.row, picture.column) = (row.parse().unwrap(), column.parse().unwrap());
            all.push(picture);
            before = after;
        }
        all
    }

    #[track_caller]
    fn read(sixel: &str) -> Self {
        let rest = sixel
            .strip_prefix("0;1;0q\"")
            .expect("the background is left as it is");
        let end = rest.find('#').expect("there are colours");
        let raster: Vec<usize> = rest[..end].split(';').map(|n| n.parse().unwrap()).collect();
        let [1, 1, width, height] = raster[..] else {
            panic!("pixels are as wide as high: {raster:?}");
        };
        let mut picture = Self {
            row: 0,
            column: 0,
            width,
            height,
            pixels: vec![None; width * height],
        };
        picture.paint(&rest[end..]);
        picture
    }

    #[track_caller]
    fn paint(&mut self, commands: &str) {
        let mut colours = [[0; 3]; 256];
        let (mut colour, mut x, mut y, mut repeat) = (0, 0, 0, 1);
        let mut rest = commands;
        while let Some(command) = rest.chars().next() {
            rest = &rest[1..];
            let end = rest
                .find(|c: char| !c.is_ascii_digit() && c != ';')
                .unwrap_or(rest.len());
            let numbers: Vec<usize> = rest[..end].split(';').filter_map(|n| n.parse().ok()).collect();
            match command {
                '#' => {
                    colour = numbers[0];
                    if let [_, 2, red, green, blue] = numbers[..] {
                        colours[colour] = [red as u8, green as u8, blue as u8];
                    }
                }
                '!' => repeat = numbers[0],
                '$' => x = 0,
                '-' => (x, y) = (0, y + 6),
                '?'..='~' => {
                    let bits = command as u8 - b'?';
                    for x in x..x + repeat {
                        for row in (0..6).filter(|row| bits & (1 << row) != 0) {
                            let pixel = &mut self.pixels[(y + row) * self.width + x];
                            assert!(pixel.is_none(), "a pixel has one colour");
                            *pixel = Some(colours[colour]);
                        }
                    }
                    x += repeat;
                    repeat = 1;
                    continue;
                }
                other => panic!("{other:?} is no part of a picture"),
            }
            rest = &rest[end..];
        }
    }
}
