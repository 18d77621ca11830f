//! Text to the terminal's clipboard, by OSC 52, which also works over ssh.
//!
//! Nothing tells whether the terminal obeyed, so notices say where the text was sent and not that it arrived.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::surroundings::Clipboard;

/// Returns the control sequence that carries `text`, wrapped for what stands between us and the terminal.
pub(crate) fn sequence(text: &str, clipboard: Clipboard) -> Vec<u8> {
    let plain = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    match clipboard {
        Clipboard::Direct => plain.into_bytes(),
        Clipboard::Tmux => format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b")).into_bytes(),
        Clipboard::Screen => in_pieces(&plain),
    }
}

/// GNU screen passes strings of up to 768 bytes on.
fn in_pieces(sequence: &str) -> Vec<u8> {
    let pieces = sequence.as_bytes().chunks(512);
    pieces
        .flat_map(|piece| [b"\x1bP".as_slice(), piece, b"\x1b\\"].concat())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_wrapped_for_what_is_between() {
        assert_eq!(sequence("hi", Clipboard::Direct), b"\x1b]52;c;aGk=\x07");
        assert_eq!(
            sequence("hi", Clipboard::Tmux),
            b"\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\"
        );
        let long = sequence(&"x".repeat(2000), Clipboard::Screen);
        assert!(long.split(|byte| *byte == b'\\').all(|piece| piece.len() <= 515));
    }
}
