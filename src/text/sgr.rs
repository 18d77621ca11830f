//! Style of a program's text: the style sequences of a terminal (SGR, `CSI … m`).
//!
//! Only colours and emphasis are understood. Blinking and concealed text are not: the one disturbs, the other hides.
//! An ink is written down as the parameters of one sequence (`1;38;5;208`), so that what stores inks stays small and
//! reading one back needs no second parser. How an ink is drawn is the theme's affair.

use std::fmt;
use std::ops::{BitOr, Range};

use serde::{Deserialize, Serialize};

/// The look of a piece of text. The default is the look of plain text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct SgrStyle {
    pub foreground: SgrColor,
    pub background: SgrColor,
    pub emphasis: Emphasis,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SgrColor {
    #[default]
    Default,
    /// An entry of the palette of 256, whose first 16 are the terminal's own.
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// A set of ways to stress text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Emphasis(u8);

/// A piece of a text that is not plain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SgrRun {
    /// In bytes.
    pub range: Range<usize>,
    pub sgr: SgrStyle,
}

impl Emphasis {
    pub const BOLD: Self = Self(1);
    pub const DIM: Self = Self(1 << 1);
    pub const ITALIC: Self = Self(1 << 2);
    pub const UNDERLINED: Self = Self(1 << 3);
    pub const REVERSED: Self = Self(1 << 4);
    pub const STRUCK: Self = Self(1 << 5);

    /// Each with the parameter that begins it.
    const CODES: [(Self, u16); 6] = [
        (Self::BOLD, 1),
        (Self::DIM, 2),
        (Self::ITALIC, 3),
        (Self::UNDERLINED, 4),
        (Self::REVERSED, 7),
        (Self::STRUCK, 9),
    ];

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Emphasis {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl SgrStyle {
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Takes the parameters of one sequence. What is not understood changes nothing.
    pub fn apply(&mut self, parameters: &str) {
        let mut rest = parameters.split(';');
        while let Some(parameter) = rest.next() {
            if let Some((code, parts)) = parameter.split_once(':') {
                self.apply_parts(number(code), parts);
                continue;
            }
            match number(parameter) {
                code @ (38 | 48 | 58) => {
                    let Some(color) = color_of(&mut rest) else {
                        // How many parameters belonged to it is not known.
                        return;
                    };
                    self.set_color(code, color);
                }
                code => self.apply_code(code),
            }
        }
    }

    fn apply_code(&mut self, code: u16) {
        let begun = Emphasis::CODES.iter().find(|(_, begins)| *begins == code);
        if let Some((emphasis, _)) = begun {
            self.emphasis = self.emphasis | *emphasis;
            return;
        }
        match code {
            0 => *self = Self::default(),
            // A double line.
            21 => self.emphasis = self.emphasis | Emphasis::UNDERLINED,
            22 => self.emphasis = self.emphasis.without(Emphasis::BOLD | Emphasis::DIM),
            23 => self.emphasis = self.emphasis.without(Emphasis::ITALIC),
            24 => self.emphasis = self.emphasis.without(Emphasis::UNDERLINED),
            27 => self.emphasis = self.emphasis.without(Emphasis::REVERSED),
            29 => self.emphasis = self.emphasis.without(Emphasis::STRUCK),
            39 => self.foreground = SgrColor::Default,
            49 => self.background = SgrColor::Default,
            30..=37 => self.foreground = palette(code, 30),
            40..=47 => self.background = palette(code, 40),
            90..=97 => self.foreground = palette(code, 90 - 8),
            100..=107 => self.background = palette(code, 100 - 8),
            _ => {}
        }
    }

    /// Takes a parameter whose parts are told apart by colons: `38:5:208`, `38:2::1:2:3`, `4:3`.
    fn apply_parts(&mut self, code: u16, parts: &str) {
        let mut parts = parts.split(':');
        let kind = parts.next().map_or(0, number);
        let values: Vec<u16> = parts.take(4).map(number).collect();
        let color = match (kind, values.as_slice()) {
            (5, [index, ..]) => byte(*index).map(SgrColor::Indexed),
            // The first of four names the colour space.
            (2, [red, green, blue] | [_, red, green, blue]) => rgb(*red, *green, *blue),
            _ => None,
        };
        match (code, color) {
            (4, _) if kind == 0 => self.apply_code(24),
            (4, _) => self.apply_code(4),
            (_, Some(color)) => self.set_color(code, color),
            _ => {}
        }
    }

    fn set_color(&mut self, code: u16, color: SgrColor) {
        match code {
            38 => self.foreground = color,
            48 => self.background = color,
            // That of the line below a text is not shown.
            _ => {}
        }
    }
}

/// Reads what follows a 38 or 48. `None` when it is no colour.
fn color_of<'a>(rest: &mut impl Iterator<Item = &'a str>) -> Option<SgrColor> {
    let mut next = || rest.next().map(number);
    match next()? {
        5 => next().and_then(byte).map(SgrColor::Indexed),
        2 => rgb(next()?, next()?, next()?),
        _ => None,
    }
}

fn rgb(red: u16, green: u16, blue: u16) -> Option<SgrColor> {
    Some(SgrColor::Rgb(byte(red)?, byte(green)?, byte(blue)?))
}

fn byte(number: u16) -> Option<u8> {
    u8::try_from(number).ok()
}

fn palette(code: u16, first: u16) -> SgrColor {
    byte(code - first).map_or(SgrColor::Default, SgrColor::Indexed)
}

/// Reads a parameter: nothing is 0, and what is no number or too large is one that means nothing.
fn number(text: &str) -> u16 {
    if text.is_empty() {
        return 0;
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).unwrap_or(u16::MAX)
}

impl fmt::Display for SgrStyle {
    /// Writes the parameters that make this ink of a plain one; nothing for the plain one.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (emphasis, code) in Emphasis::CODES {
            if self.emphasis.has(emphasis) {
                write!(formatter, "{separator}{code}")?;
                separator = ";";
            }
        }
        for (color, base) in [(self.foreground, 30_u8), (self.background, 40)] {
            match color {
                SgrColor::Default => continue,
                SgrColor::Indexed(index @ 0..8) => write!(formatter, "{separator}{}", base + index),
                SgrColor::Indexed(index @ 8..16) => write!(formatter, "{separator}{}", base + 60 - 8 + index),
                SgrColor::Indexed(index) => write!(formatter, "{separator}{};5;{index}", base + 8),
                SgrColor::Rgb(red, green, blue) => {
                    write!(formatter, "{separator}{};2;{red};{green};{blue}", base + 8)
                }
            }?;
            separator = ";";
        }
        Ok(())
    }
}

impl From<String> for SgrStyle {
    fn from(parameters: String) -> Self {
        let mut sgr = Self::default();
        sgr.apply(&parameters);
        sgr
    }
}

impl From<SgrStyle> for String {
    fn from(sgr: SgrStyle) -> Self {
        sgr.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The ink after these sequences, as one.
    fn after(sequences: &[&str]) -> String {
        let mut sgr = SgrStyle::default();
        for parameters in sequences {
            sgr.apply(parameters);
        }
        sgr.to_string()
    }

    #[test]
    fn each_kind_of_colour_is_read() {
        for (given, read) in [
            ("31", "31"),
            ("1;31", "1;31"),
            ("97;107", "97;107"),
            ("38;5;1", "31"),
            ("48;5;9", "101"),
            ("38;5;208;4", "4;38;5;208"),
            ("38;2;1;2;3;48;2;4;5;6", "38;2;1;2;3;48;2;4;5;6"),
            ("38:5:208", "38;5;208"),
            ("38:2:1:2:3;1", "1;38;2;1;2;3"),
            ("38:2::1:2:3", "38;2;1;2;3"),
            ("48:2:0:1:2:3:0:0", "48;2;1;2;3"),
            ("38;5", ""),
            ("38;5;", "30"),
        ] {
            assert_eq!(after(&[given]), read, "{given}");
        }
    }

    #[test]
    fn each_kind_of_emphasis_is_begun_and_ended() {
        assert_eq!(after(&["1;2;3;4;7;9"]), "1;2;3;4;7;9");
        for (end, left) in [
            ("22", "3;4;7;9"),
            ("23", "1;2;4;7;9"),
            ("24", "1;2;3;7;9"),
            ("27", "1;2;3;4;9"),
            ("29", "1;2;3;4;7"),
            ("4:0", "1;2;3;7;9"),
        ] {
            assert_eq!(after(&["1;2;3;4;7;9", end]), left, "{end}");
        }
        assert_eq!((after(&["4:3"]), after(&["21"])), ("4".into(), "4".into()));
    }

    #[test]
    fn resets_reset_what_they_name() {
        for (reset, left) in [
            ("", ""),
            ("0", ""),
            ("00", ""),
            (";", ""),
            ("39", "1;44"),
            ("49", "1;31"),
            ("0;32", "32"),
            ("32;", ""),
        ] {
            assert_eq!(after(&["1;31;44", reset]), left, "{reset:?}");
        }
    }

    #[test]
    fn nonsense_changes_nothing() {
        for nonsense in [
            "5",
            "8",
            "10",
            "38",
            "38;1;4",
            "38;5;256",
            "38;2;1;2",
            "38;2;1;2;300",
            "38:5",
            "38:2:1:2",
            "38:5:99999999999",
            "48:",
            "::::",
            "99999999999999999999",
            "65535",
            "108",
            "+1",
            "-1",
            "1 ",
            "?1",
            "58;5;1",
            "58;2;1;4;7",
            "58:2::1:4:7",
        ] {
            assert_eq!(after(&["3;32", nonsense]), "3;32", "{nonsense:?}");
        }
        assert_eq!(after(&["38;1;31"]), "", "what follows may belong to it");
        assert_eq!(after(&["58;5;1;4"]), "4", "what follows a whole colour does not");
    }

    proptest! {
        #[test]
        fn an_ink_that_is_written_down_is_the_same_when_read(parameters in "([0-9]{1,3}[;:]?|38;5;|48;2;){0,12}") {
            let mut sgr = SgrStyle::default();
            sgr.apply(&parameters);
            prop_assert_eq!(SgrStyle::from(sgr.to_string()), sgr);
        }

        #[test]
        fn any_parameters_are_survived(parameters in any::<String>()) {
            SgrStyle::default().apply(&parameters);
        }
    }
}
