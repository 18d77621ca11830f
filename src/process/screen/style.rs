//! Colours and attributes of cells, in our own types.

use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::color::Colors;
use alacritty_terminal::vte::ansi::{self, NamedColor};
use serde::{Deserialize, Serialize};

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// A colour as the program chose it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// Foreground or background of the theme.
    #[default]
    Default,
    /// Of the palette of 256: 0 to 15 are the theme's.
    Indexed(u8),
    Rgb(Rgb),
}

/// The look of a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CellStyle {
    pub foreground: Color,
    pub background: Color,
    pub is_bold: bool,
    pub is_dim: bool,
    pub is_italic: bool,
    pub is_underlined: bool,
    pub is_struck: bool,
    pub is_reversed: bool,
}

impl CellStyle {
    /// Returns true if a blank in this style is seen.
    pub(super) fn marks_blanks(&self) -> bool {
        self.background != Color::Default || self.is_reversed || self.is_underlined || self.is_struck
    }

    pub(super) fn of(cell: &Cell, colors: &Colors) -> Self {
        let has = |flag| cell.flags.intersects(flag);
        Self {
            foreground: resolve(cell.fg, colors),
            background: resolve(cell.bg, colors),
            is_bold: has(Flags::BOLD),
            is_dim: has(Flags::DIM),
            is_italic: has(Flags::ITALIC),
            is_underlined: has(Flags::ALL_UNDERLINES),
            is_struck: has(Flags::STRIKEOUT),
            is_reversed: has(Flags::INVERSE),
        }
    }
}

/// The colour, or what the program has put in its place (OSC 4, 10, 11).
fn resolve(color: ansi::Color, colors: &Colors) -> Color {
    let (index, own) = match color {
        ansi::Color::Spec(rgb) => return Color::Rgb(rgb.into()),
        ansi::Color::Indexed(index) => (usize::from(index), Color::Indexed(index)),
        ansi::Color::Named(name) => match name as usize {
            index @ 0..=15 => (index, Color::Indexed(index as u8)),
            index => (index, Color::Default),
        },
    };
    colors[index].map_or(own, |rgb| Color::Rgb(rgb.into()))
}

/// The colour of a slot that the program has not set, as xterm has it.
pub(super) fn standard(index: usize, foreground: Rgb, background: Rgb) -> Rgb {
    const NAMED: [u32; 16] = [
        0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5, 0x7f_7f7f,
        0xff_0000, 0x00_ff00, 0xff_ff00, 0x5c_5cff, 0xff_00ff, 0x00_ffff, 0xff_ffff,
    ];
    let level = |step: usize| if step == 0 { 0 } else { (55 + step * 40) as u8 };
    match index {
        0..=15 => {
            let [_, red, green, blue] = NAMED[index].to_be_bytes();
            Rgb(red, green, blue)
        }
        16..=231 => {
            let cube = index - 16;
            Rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232..=255 => {
            let grey = (8 + (index - 232) * 10) as u8;
            Rgb(grey, grey, grey)
        }
        _ if index == NamedColor::Background as usize => background,
        _ => foreground,
    }
}

impl From<ansi::Rgb> for Rgb {
    fn from(rgb: ansi::Rgb) -> Self {
        Self(rgb.r, rgb.g, rgb.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_is_that_of_xterm() {
        let (foreground, background) = (Rgb(1, 1, 1), Rgb(2, 2, 2));
        let color = |index| standard(index, foreground, background);
        assert_eq!(color(1), Rgb(205, 0, 0));
        assert_eq!(color(16), Rgb(0, 0, 0));
        assert_eq!(color(21), Rgb(0, 0, 255));
        assert_eq!(color(231), Rgb(255, 255, 255));
        assert_eq!(color(232), Rgb(8, 8, 8));
        assert_eq!(color(255), Rgb(238, 238, 238));
        assert_eq!(color(256), foreground);
        assert_eq!(color(257), background);
    }
}
