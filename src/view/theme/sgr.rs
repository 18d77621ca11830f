//! The colours that a program printed in, as this terminal shows them.
//!
//! The 16 of the terminal's palette stay what they are, so that a program looks here as it does outside; all others are
//! brought to what there is. Where there are only 16, a background that is none of them is left out, as a theme's is,
//! and takes along the colour that was chosen to stand on it.

use ratatui::style::{Color, Modifier, Style};

use super::colour::{self, ColorDepth};
use crate::text::sgr::{Emphasis, SgrColor, SgrStyle};

/// Returns what the ink changes of plain text.
pub(super) fn style(sgr: SgrStyle, depth: ColorDepth) -> Style {
    let background = color(sgr.background);
    // Text on its own colour would hide what the model reads.
    let foreground = color(sgr.foreground).filter(|color| Some(*color) != background);
    let (fg, bg) = match depth {
        ColorDepth::TrueColor => (foreground, background),
        ColorDepth::Ansi256 => (foreground.map(colour::to_256), background.map(colour::to_256)),
        ColorDepth::Ansi16 if background.is_some_and(|color| !is_of_sixteen(color)) => (None, None),
        ColorDepth::Ansi16 => {
            let shown = foreground.map(colour::to_16);
            (shown.filter(|color| *color != Color::Reset), background)
        }
        ColorDepth::None => (None, None),
    };
    Style {
        fg,
        bg,
        ..Style::new().add_modifier(modifiers(sgr.emphasis))
    }
}

fn color(color: SgrColor) -> Option<Color> {
    match color {
        SgrColor::Default => None,
        SgrColor::Indexed(index) => Some(colour::named(index).unwrap_or(Color::Indexed(index))),
        SgrColor::Rgb(red, green, blue) => Some(Color::Rgb(red, green, blue)),
    }
}

fn is_of_sixteen(color: Color) -> bool {
    !matches!(color, Color::Rgb(..) | Color::Indexed(_))
}

fn modifiers(emphasis: Emphasis) -> Modifier {
    let pairs = [
        (Emphasis::BOLD, Modifier::BOLD),
        (Emphasis::DIM, Modifier::DIM),
        (Emphasis::ITALIC, Modifier::ITALIC),
        (Emphasis::UNDERLINED, Modifier::UNDERLINED),
        (Emphasis::REVERSED, Modifier::REVERSED),
        (Emphasis::STRUCK, Modifier::CROSSED_OUT),
    ];
    let wanted = pairs.into_iter().filter(|(each, _)| emphasis.has(*each));
    wanted.map(|(_, modifier)| modifier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(parameters: &str, depth: ColorDepth) -> Style {
        style(SgrStyle::from(parameters.to_owned()), depth)
    }

    #[test]
    fn the_sixteen_stay_the_terminals_own() {
        for depth in [ColorDepth::TrueColor, ColorDepth::Ansi256, ColorDepth::Ansi16] {
            assert_eq!(
                at("31;104", depth),
                Style::new().fg(Color::Red).bg(Color::LightBlue)
            );
            assert_eq!(at("30", depth), Style::new().fg(Color::Black));
        }
    }

    #[test]
    fn other_colours_are_brought_to_what_there_is() {
        let red = "38;2;255;0;0;48;5;16";
        let style = |fg, bg| Style::new().fg(fg).bg(bg);
        assert_eq!(
            at(red, ColorDepth::TrueColor),
            style(Color::Rgb(255, 0, 0), Color::Indexed(16))
        );
        assert_eq!(
            at(red, ColorDepth::Ansi256),
            style(Color::Indexed(196), Color::Indexed(16))
        );
        assert_eq!(at(red, ColorDepth::Ansi16), Style::new());
        assert_eq!(
            at("38;2;255;0;0", ColorDepth::Ansi16),
            Style::new().fg(Color::Red)
        );
        assert_eq!(at("38;5;240", ColorDepth::Ansi16), Style::new());
        assert_eq!(at("30;48;5;208", ColorDepth::Ansi16), Style::new());
    }

    #[test]
    fn no_text_hides_on_its_own_colour() {
        for depth in [ColorDepth::TrueColor, ColorDepth::Ansi256, ColorDepth::Ansi16] {
            assert_eq!(at("31;41", depth), Style::new().bg(Color::Red));
        }
    }

    #[test]
    fn without_colours_the_emphasis_is_left() {
        let all = Modifier::BOLD
            | Modifier::DIM
            | Modifier::ITALIC
            | Modifier::UNDERLINED
            | Modifier::REVERSED
            | Modifier::CROSSED_OUT;
        assert_eq!(
            at("1;2;3;4;7;9;31;42", ColorDepth::None),
            Style::new().add_modifier(all)
        );
    }
}
