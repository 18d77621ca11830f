//! The sixteen colours as terminals spell them that know no others.
//!
//! The library that writes our frames spells a colour of the first sixteen as one of 256, `38;5;1`, which a terminal of
//! sixteen need not understand: it may take the `5` for "blink". So what goes to such a terminal is spelled again,
//! `31`.

use std::io::{self, Write};

/// A terminal of sixteen colours. What is written to it at once has whole sequences.
pub(super) struct Ansi16Writer<W>(pub(super) W);

impl<W: Write> Write for Ansi16Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(&spell(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Spells the colours anew in what was written. Everything else stays.
fn spell(written: &[u8]) -> Vec<u8> {
    let mut spelled = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some(start) = rest.windows(2).position(|window| window == b"\x1b[") {
        let parameters = &rest[start + 2..];
        let length = parameters
            .iter()
            .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
            .count();
        spelled.extend_from_slice(&rest[..start + 2]);
        let (parameters, after) = parameters.split_at(length);
        match std::str::from_utf8(parameters) {
            Ok(text) if after.first() == Some(&b'm') => spelled.extend_from_slice(style(text).as_bytes()),
            _ => spelled.extend_from_slice(parameters),
        }
        rest = after;
    }
    spelled.extend_from_slice(rest);
    spelled
}

fn style(parameters: &str) -> String {
    let parts: Vec<&str> = parameters.split(';').collect();
    let mut spelled: Vec<String> = Vec::new();
    let mut rest = parts.as_slice();
    loop {
        rest = match rest {
            [ground @ ("38" | "48"), "5", index, more @ ..] => {
                let color = index.parse().ok().and_then(|index| basic(ground, index));
                spelled.push(color.unwrap_or_else(|| format!("{ground};5;{index}")));
                more
            }
            [ground @ ("38" | "48"), "2", _, _, _, more @ ..] => {
                // No colour of ours: it marks a cell under a picture, which nobody sees.
                spelled.push(if *ground == "38" { "39" } else { "49" }.to_owned());
                more
            }
            [other, more @ ..] => {
                spelled.push((*other).to_owned());
                more
            }
            [] => return spelled.join(";"),
        }
    }
}

fn basic(ground: &str, index: u8) -> Option<String> {
    let first = match (ground, index) {
        ("38", 0..8) => 30,
        ("38", 8..16) => 90 - 8,
        (_, 0..8) => 40,
        (_, 8..16) => 100 - 8,
        _ => return None,
    };
    Some((first + index).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_the_first_sixteen_are_spelled_anew() {
        for (written, expected) in [
            ("\x1b[38;5;1;49mred\x1b[38;5;12m", "\x1b[31;49mred\x1b[94m"),
            ("\x1b[38;5;7;48;5;0m\x1b[48;5;15m", "\x1b[37;40m\x1b[107m"),
            ("\x1b[1m\x1b[0m\x1b[m", "\x1b[1m\x1b[0m\x1b[m"),
            ("\x1b[38;5;208m\x1b[38;2;1;2;3;1m", "\x1b[38;5;208m\x1b[39;1m"),
            (
                "a\x1b[3;4Hb\x1b]8;id=1;x\x1b\\é\x1b[",
                "a\x1b[3;4Hb\x1b]8;id=1;x\x1b\\é\x1b[",
            ),
            ("38;5;1m", "38;5;1m"),
        ] {
            assert_eq!(String::from_utf8(spell(written.as_bytes())).unwrap(), expected);
        }
    }
}
