//! Colours as theme files write them, and their nearest relatives in smaller palettes.

use ratatui::style::Color;

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ColorDepth {
    #[default]
    TrueColor,
    Ansi256,
    Ansi16,
    /// `NO_COLOR`: bold, dim, underline and reverse must say it.
    None,
}

/// Behind the terminal's own colour, the sixteen of its palette in their order.
const NAMES: &[(&str, Color)] = &[
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("gray", Color::Gray),
    ("dark-gray", Color::DarkGray),
    ("light-red", Color::LightRed),
    ("light-green", Color::LightGreen),
    ("light-yellow", Color::LightYellow),
    ("light-blue", Color::LightBlue),
    ("light-magenta", Color::LightMagenta),
    ("light-cyan", Color::LightCyan),
    ("white", Color::White),
];

/// Reads `#rrggbb`, a name of the terminal's palette or a number of it.
pub(super) fn parse(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        if hex.len() != 6 || !hex.is_ascii() {
            return None;
        }
        let value = u32::from_str_radix(hex, 16).ok()?;
        let [_, red, green, blue] = value.to_be_bytes();
        return Some(Color::Rgb(red, green, blue));
    }
    if let Ok(index) = text.parse::<u8>() {
        return Some(Color::Indexed(index));
    }
    let named = NAMES.iter().find(|(name, _)| *name == text);
    named.map(|(_, color)| *color)
}

/// Returns the name of one of the first sixteen entries of the palette.
pub(super) fn named(index: u8) -> Option<Color> {
    let (_, color) = NAMES.get(usize::from(index) + 1)?;
    Some(*color)
}

/// Returns the entry of the 256-colour palette that looks most like `color`. The first 16 are left out, since users
/// repaint them.
pub(super) fn to_256(color: Color) -> Color {
    let Color::Rgb(red, green, blue) = color else {
        return color;
    };
    let wanted = (red, green, blue);
    let nearest = (16..=255u8).min_by_key(|index| distance(wanted, indexed_rgb(*index)));
    Color::Indexed(nearest.unwrap_or(7))
}

/// Returns the one of the six hues, or the default for greys, that names `color` best.
///
/// The terminal's own sixteen colours are unknown, so that only the hue can be kept.
pub(super) fn to_16(color: Color) -> Color {
    let (red, green, blue) = match color {
        Color::Rgb(red, green, blue) => (red, green, blue),
        Color::Indexed(index) if index >= 16 => indexed_rgb(index),
        other => return other,
    };
    let most = red.max(green).max(blue);
    let least = red.min(green).min(blue);
    if most - least < 40 {
        return Color::Reset;
    }
    let middle = least + (most - least) / 2;
    match (red > middle, green > middle, blue > middle) {
        (true, false, false) => Color::Red,
        (false, true, false) => Color::Green,
        (true, true, false) => Color::Yellow,
        (false, false, true) => Color::Blue,
        (true, false, true) => Color::Magenta,
        (false, true, true) => Color::Cyan,
        _ => Color::Reset,
    }
}

fn indexed_rgb(index: u8) -> (u8, u8, u8) {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    if index >= 232 {
        let grey = 8 + (index - 232) * 10;
        return (grey, grey, grey);
    }
    let cube = index.saturating_sub(16);
    let step = |value: u8| STEPS[usize::from(value % 6)];
    (step(cube / 36), step(cube / 6), step(cube))
}

/// A cheap measure that weighs the channels as the eye does.
fn distance(one: (u8, u8, u8), other: (u8, u8, u8)) -> i32 {
    let mean = i32::midpoint(one.0.into(), other.0.into());
    let red = i32::from(one.0) - i32::from(other.0);
    let green = i32::from(one.1) - i32::from(other.1);
    let blue = i32::from(one.2) - i32::from(other.2);
    (((512 + mean) * red * red) >> 8) + 4 * green * green + (((767 - mean) * blue * blue) >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_three_spellings() {
        assert_eq!(parse("#0a0b0c"), Some(Color::Rgb(10, 11, 12)));
        assert_eq!(parse("light-red"), Some(Color::LightRed));
        assert_eq!(parse("208"), Some(Color::Indexed(208)));
        for bad in ["", "#12", "#gggggg", "#éé00", "256", "reddish"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn smaller_palettes_keep_the_hue() {
        assert_eq!(to_256(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(to_256(Color::Rgb(128, 128, 128)), Color::Indexed(244));
        assert_eq!(to_16(Color::Rgb(220, 90, 90)), Color::Red);
        assert_eq!(to_16(Color::Rgb(110, 180, 235)), Color::Cyan);
        assert_eq!(to_16(Color::Rgb(140, 145, 160)), Color::Reset);
        assert_eq!(to_16(Color::Indexed(196)), Color::Red);
        assert_eq!(to_16(Color::Green), Color::Green);
    }
}
