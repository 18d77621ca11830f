//! Pictures as sixel, which many terminals know and tell in their device attributes.
//!
//! A picture is a list of colours and bands of six rows, each band once for every colour in it: a character says which of
//! the six pixels above one another have that colour. There are at most 256 colours, so those of a photograph are chosen
//! by `color_quant`, which is in the program for GIF anyway. Where a picture is transparent the terminal's background shows.
//! <https://vt100.net/docs/vt3xx-gp/chapter14.html>

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use color_quant::NeuQuant;
use image::{Rgba, RgbaImage};

/// Asks for the device attributes, and for the size of a cell, without which a picture's place is not known.
pub(crate) const QUESTION: &[u8] = b"\x1b[c\x1b[16t";
pub(crate) const ASK_CELL_SIZE: &[u8] = b"\x1b[16t";

/// Rows of a band.
pub(super) const BAND: u32 = 6;
const MOST_COLOURS: usize = 256;
/// One in so many pixels is looked at to choose colours, as `color_quant` advises.
const SAMPLE: i32 = 10;
/// Fewer of the same in a row are shorter written out.
const LEAST_REPEATED: usize = 4;
/// Minimum alpha of a pixel; a fainter one counts as transparent.
const LEAST_ALPHA: u8 = 128;

/// In per cent of red, green and blue.
type Colour = [u8; 3];

/// Returns the whole sequence that draws a picture where the cursor is.
pub(super) fn encode(picture: &RgbaImage) -> String {
    let (width, height) = picture.dimensions();
    let palette = Palette::of(picture);
    // Pixels without a colour stay as they are, and a pixel is as wide as high.
    let mut sixel = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    for (nth, [red, green, blue]) in palette.colours.iter().enumerate() {
        push(&mut sixel, format_args!("#{nth};2;{red};{green};{blue}"));
    }
    for top in (0..height).step_by(BAND as usize) {
        if top > 0 {
            sixel.push('-');
        }
        push_band(&mut sixel, picture, top, &palette);
    }
    sixel.push_str("\x1b\\");
    sixel
}

fn push_band(sixel: &mut String, picture: &RgbaImage, top: u32, palette: &Palette) {
    let (width, height) = picture.dimensions();
    let mut columns: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    for (row, y) in (top..height.min(top + BAND)).enumerate() {
        for x in 0..width {
            let Some(colour) = palette.number(*picture.get_pixel(x, y)) else {
                continue;
            };
            let columns = columns.entry(colour).or_insert_with(|| vec![0; width as usize]);
            columns[x as usize] |= 1 << row;
        }
    }
    for (nth, (colour, columns)) in columns.iter().enumerate() {
        if nth > 0 {
            sixel.push('$');
        }
        push(sixel, format_args!("#{colour}"));
        push_columns(sixel, columns);
    }
}

/// Writes one colour of a band; what is left of it to the right is empty.
fn push_columns(sixel: &mut String, columns: &[u8]) {
    let end = columns
        .iter()
        .rposition(|column| *column != 0)
        .map_or(0, |at| at + 1);
    for same in columns[..end].chunk_by(|a, b| a == b) {
        let character = char::from(b'?' + same[0]);
        if same.len() < LEAST_REPEATED {
            sixel.extend(same.iter().map(|_| character));
        } else {
            push(sixel, format_args!("!{}{character}", same.len()));
        }
    }
}

fn push(sixel: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let _ = sixel.write_fmt(arguments);
}

/// The colours of a picture.
struct Palette {
    colours: Vec<Colour>,
    numbers: HashMap<Colour, u8>,
}

impl Palette {
    fn of(picture: &RgbaImage) -> Self {
        let mut palette = Self {
            colours: Vec::new(),
            numbers: HashMap::new(),
        };
        for pixel in picture.pixels().filter(|pixel| is_opaque(**pixel)) {
            let colour = colour(pixel.0);
            if palette.numbers.contains_key(&colour) {
                continue;
            }
            let Ok(number) = u8::try_from(palette.colours.len()) else {
                return Self::chosen(picture);
            };
            palette.numbers.insert(colour, number);
            palette.colours.push(colour);
        }
        palette
    }

    /// Chooses colours where there are too many.
    fn chosen(picture: &RgbaImage) -> Self {
        let opaque = picture.pixels().filter(|pixel| is_opaque(**pixel));
        let bytes: Vec<u8> = opaque.clone().flat_map(|pixel| pixel.0).collect();
        let chooser = NeuQuant::new(SAMPLE, MOST_COLOURS, &bytes);
        let map = chooser.color_map_rgba();
        let mut numbers = HashMap::new();
        for pixel in opaque {
            numbers
                .entry(colour(pixel.0))
                .or_insert_with(|| chooser.index_of(&pixel.0) as u8);
        }
        Self {
            colours: map
                .chunks_exact(4)
                .map(|c| colour([c[0], c[1], c[2], c[3]]))
                .collect(),
            numbers,
        }
    }

    fn number(&self, pixel: Rgba<u8>) -> Option<u8> {
        let number = self.numbers.get(&colour(pixel.0)).copied();
        number.filter(|_| is_opaque(pixel))
    }
}

fn is_opaque(pixel: Rgba<u8>) -> bool {
    pixel.0[3] >= LEAST_ALPHA
}

fn colour([red, green, blue, _]: [u8; 4]) -> Colour {
    [red, green, blue].map(|channel| ((u16::from(channel) * 100 + 127) / 255) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgba<u8> = Rgba([255, 0, 0, 255]);
    const BLUE: Rgba<u8> = Rgba([0, 0, 255, 255]);
    const CLEAR: Rgba<u8> = Rgba([9, 9, 9, 0]);

    fn encoded(width: u32, height: u32, pixel: impl Fn(u32, u32) -> Rgba<u8>) -> String {
        encode(&RgbaImage::from_fn(width, height, pixel))
    }

    #[test]
    fn each_colour_of_a_band_is_written_once_and_bands_are_six_rows() {
        let left_red = encoded(6, 7, |x, _| if x < 4 { RED } else { BLUE });
        assert_eq!(
            left_red,
            "\x1bP0;1;0q\"1;1;6;7#0;2;100;0;0#1;2;0;0;100#0!4~$#1!4?~~-#0!4@$#1!4?@@\x1b\\"
        );
        let odd_rows = encoded(1, 6, |_, y| if y % 2 == 0 { RED } else { BLUE });
        assert!(odd_rows.contains("#0T$#1i\x1b\\"), "{odd_rows:?}");
    }

    #[test]
    fn what_is_transparent_is_left_out() {
        let hole = encoded(9, 6, |x, _| if x == 0 { RED } else { CLEAR });
        assert_eq!(hole, "\x1bP0;1;0q\"1;1;9;6#0;2;100;0;0#0~\x1b\\");
        assert_eq!(encoded(3, 2, |_, _| CLEAR), "\x1bP0;1;0q\"1;1;3;2\x1b\\");
    }

    #[test]
    fn more_colours_than_there_are_become_those_that_are_near() {
        let picture = RgbaImage::from_fn(64, 64, |x, y| Rgba([x as u8 * 4, y as u8 * 4, 128, 255]));
        let palette = Palette::of(&picture);
        assert_eq!(palette.colours.len(), MOST_COLOURS);
        let (mut farthest, mut sum) = (0, 0);
        for pixel in picture.pixels() {
            let chosen = palette.colours[usize::from(palette.number(*pixel).unwrap())];
            let distance: u32 = colour(pixel.0)
                .iter()
                .zip(chosen)
                .map(|(a, b)| u32::from(a.abs_diff(b)))
                .sum();
            farthest = farthest.max(distance);
            sum += distance;
        }
        assert!(farthest < 30, "{farthest}");
        assert!(sum / (64 * 64) < 8, "{sum}");
        // Fewer pixels than it looks at for its choice.
        let few = RgbaImage::from_fn(20, 20, |x, y| Rgba([x as u8 * 12, y as u8 * 12, 0, 255]));
        assert_eq!(Palette::of(&few).colours.len(), MOST_COLOURS);
    }
}
