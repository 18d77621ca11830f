//! The last step of a frame for terminals that get signs of ASCII alone.
//!
//! Code that draws by [`Symbols`](super::Symbols) has chosen its signs already. Titles, facts and hints also hold signs
//! as words hold letters, and they come from everywhere; those are replaced here, cell by cell. A sign in the text of
//! others is replaced as well: the terminal could not be trusted with it. What is copied is the text itself.

use ratatui::buffer::Buffer;

/// Replaces each sign that has a counterpart of one column.
pub fn in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if let Some(sign) = counterpart(cell.symbol()) {
            cell.set_symbol(sign);
        }
    }
}

fn counterpart(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "…" => "~",
        "·" | "−" | "–" | "—" | "─" | "⊘" => "-",
        "→" | "›" | "❯" | "▸" | "⟩" | "⇥" => ">",
        "␣" => "_",
        "⟨" | "←" | "⏎" => "<",
        "↑" => "^",
        "↓" => "v",
        "×" | "✗" => "x",
        "✓" | "●" => "+",
        "○" | "░" => ".",
        "◌" => "o",
        "▲" => "!",
        "■" | "█" => "#",
        "•" | "⠋" | "⠙" | "⠹" | "⠸" | "⠼" | "⠴" | "⠦" | "⠧" | "⠇" | "⠏" => "*",
        "│" | "┃" => "|",
        "“" | "”" => "\"",
        "‘" | "’" => "'",
        _ => return None,
    })
}
