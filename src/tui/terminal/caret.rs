//! The shape of the terminal's cursor.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CaretShape {
    /// As the terminal has it.
    #[default]
    Own,
    Bar,
    Block,
    Underline,
}

impl CaretShape {
    /// Returns what gives the cursor this shape.
    pub(super) fn sequence(self) -> &'static [u8] {
        match self {
            Self::Own => b"\x1b[0 q",
            Self::Bar => b"\x1b[6 q",
            Self::Block => b"\x1b[2 q",
            Self::Underline => b"\x1b[4 q",
        }
    }
}
