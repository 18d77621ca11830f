//! Programs between us and the terminal, and how a control sequence that is meant for the terminal gets through.

/// A multiplexer draws the screen itself and passes on only what is wrapped for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Multiplexer {
    Direct,
    Tmux,
    Screen,
}

/// GNU screen passes strings of up to 768 bytes on.
const PIECE: usize = 512;

impl Multiplexer {
    /// Reads who draws from the variables that are set.
    pub(crate) fn read(set: &dyn Fn(&str) -> Option<String>) -> Self {
        if set("TMUX").is_some() {
            Self::Tmux
        } else if set("STY").is_some() {
            Self::Screen
        } else {
            Self::Direct
        }
    }

    /// Wraps a sequence of our own making.
    pub(crate) fn wrap(self, sequence: &str) -> Vec<u8> {
        match self {
            Self::Direct => sequence.as_bytes().to_vec(),
            Self::Tmux => format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")).into_bytes(),
            Self::Screen => {
                let pieces = sequence.as_bytes().chunks(PIECE);
                pieces
                    .flat_map(|piece| [b"\x1bP".as_slice(), piece, b"\x1b\\"].concat())
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_multiplexer_gets_its_own_wrapping() {
        let sequence = "\x1b]9;hi\x07";
        assert_eq!(Multiplexer::Direct.wrap(sequence), sequence.as_bytes());
        assert_eq!(
            Multiplexer::Tmux.wrap(sequence),
            b"\x1bPtmux;\x1b\x1b]9;hi\x07\x1b\\"
        );
        assert_eq!(Multiplexer::Screen.wrap(sequence), b"\x1bP\x1b]9;hi\x07\x1b\\");
        let long = Multiplexer::Screen.wrap(&"x".repeat(2000));
        assert!(
            long.split(|byte| *byte == b'\\')
                .all(|piece| piece.len() <= PIECE + 3)
        );
    }

    #[test]
    fn tmux_inside_screen_is_tmux() {
        let read = |names: &[&str]| Multiplexer::read(&|name| names.contains(&name).then(String::new));
        assert_eq!(read(&["TMUX", "STY"]), Multiplexer::Tmux);
        assert_eq!(read(&["STY"]), Multiplexer::Screen);
        assert_eq!(read(&[]), Multiplexer::Direct);
    }
}
