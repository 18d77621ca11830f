//! The terminal's background, dark or light, by its answer to OSC 11 or by the environment.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Background {
    Dark,
    Light,
}

impl Background {
    /// Reads `COLORFGBG`, which is `fg;bg` or `fg;default;bg` in numbers of the 16 colours.
    pub(crate) fn from_color_fg_bg(value: Option<&str>) -> Option<Self> {
        let number: u8 = value?.rsplit(';').next()?.trim().parse().ok()?;
        Some(if number == 7 || (9..=15).contains(&number) {
            Self::Light
        } else {
            Self::Dark
        })
    }

    /// Reads a colour as terminals tell it: `rgb:RRRR/GGGG/BBBB`, with one to four digits each, or `rgba:…`.
    pub(super) fn from_colour(colour: &str) -> Option<Self> {
        let (_, channels) = colour.split_once(':')?;
        let mut parts = channels.split('/').map(|channel| {
            let full = 16_f32.powi(channel.len() as i32) - 1.0;
            u32::from_str_radix(channel, 16)
                .ok()
                .filter(|_| (1..=4).contains(&channel.len()))
                .map(|v| v as f32 / full)
        });
        let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
        Some(Self::from_rgb(red, green, blue))
    }

    fn from_rgb(red: f32, green: f32, blue: f32) -> Self {
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue;
        if luma > 0.5 { Self::Light } else { Self::Dark }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_tells_light_from_dark() {
        assert_eq!(Background::from_color_fg_bg(Some("15;0")), Some(Background::Dark));
        assert_eq!(
            Background::from_color_fg_bg(Some("0;default;15")),
            Some(Background::Light)
        );
        assert_eq!(Background::from_color_fg_bg(Some("nonsense")), None);
        assert_eq!(Background::from_color_fg_bg(None), None);
    }

    #[test]
    fn a_colour_has_one_to_four_digits_a_channel() {
        for (colour, background) in [
            ("rgb:1e1e/1e1e/2e2e", Some(Background::Dark)),
            ("rgb:ff/fa/f0", Some(Background::Light)),
            ("rgba:f/f/f/f", Some(Background::Light)),
            ("rgb:12345/0/0", None),
            ("rgb:0/0", None),
            ("#ffffff", None),
        ] {
            assert_eq!(Background::from_colour(colour), background, "{colour}");
        }
    }
}
