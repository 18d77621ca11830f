//! Validation of UTF-8 that comes in pieces.

/// Checks that bytes that come in pieces are UTF-8.
#[derive(Debug, Clone, Default)]
pub struct Utf8Check {
    /// The beginning of a character that the last piece ended in.
    rest: Vec<u8>,
    is_broken: bool,
}

impl Utf8Check {
    pub fn push(&mut self, bytes: &[u8]) {
        if self.is_broken {
            return;
        }
        let joined;
        let bytes = if self.rest.is_empty() {
            bytes
        } else {
            self.rest.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.rest);
            &joined
        };
        if let Err(error) = str::from_utf8(bytes) {
            match error.error_len() {
                Some(_) => self.is_broken = true,
                None => self.rest = bytes[error.valid_up_to()..].to_vec(),
            }
        }
    }

    /// Returns true if all pieces together are valid UTF-8.
    pub fn is_valid(&self) -> bool {
        !self.is_broken && self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_judged_as_a_whole() {
        for (bytes, is_valid) in [
            (&b""[..], true),
            (b"plain", true),
            ("größe 世界 🦀".as_bytes(), true),
            (b"caf\xe9", false),
            (b"caf\xe9 ", false),
            (b"\xf0\x9f\xa6", false),
        ] {
            for size in 1..5 {
                let mut check = Utf8Check::default();
                bytes.chunks(size).for_each(|piece| check.push(piece));
                assert_eq!(check.is_valid(), is_valid, "{bytes:?} in pieces of {size}");
            }
        }
    }
}
