//! Telling somebody who looks elsewhere: a notification of the desktop by way of the terminal, or its bell.
//!
//! There are three sequences for it and no way to ask which one a terminal knows, so the environment decides; a terminal
//! that nothing is known of rings. Words from outside are cleaned here once more: they stand inside a control sequence.

use super::multiplexer::Multiplexer;
use crate::text::sanitize::sanitize_line;
use crate::text::width::truncate;

/// How the person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notify {
    /// By what the terminal seems to know.
    Auto,
    /// `OSC 9`: iTerm2, `WezTerm`, Ghostty, Warp.
    Osc9,
    /// `OSC 99`: kitty.
    Osc99,
    /// `OSC 777`: foot, urxvt, terminals with VTE.
    Osc777,
    Bell,
    Off,
}

/// Columns of a notification; desktops cut what is longer.
const COLUMNS: usize = 120;

impl Notify {
    /// Decides what `Auto` is on this terminal.
    pub(crate) fn resolved(self, set: &dyn Fn(&str) -> Option<String>) -> Self {
        if self != Self::Auto {
            return self;
        }
        let is_set = |name: &str| set(name).is_some();
        let term = set("TERM").unwrap_or_default();
        // Inside tmux this names tmux; `LC_TERMINAL` comes through and over ssh as well.
        let program = set("LC_TERMINAL")
            .or_else(|| set("TERM_PROGRAM"))
            .unwrap_or_default();
        if is_set("KITTY_WINDOW_ID") || term == "xterm-kitty" {
            Self::Osc99
        } else if matches!(
            program.as_str(),
            "iTerm.app" | "iTerm2" | "WezTerm" | "ghostty" | "WarpTerminal"
        ) || ["WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR", "ITERM_SESSION_ID"]
            .into_iter()
            .any(is_set)
        {
            Self::Osc9
        } else if term.starts_with("foot") || term.starts_with("rxvt-unicode") || is_set("VTE_VERSION") {
            Self::Osc777
        } else {
            Self::Bell
        }
    }

    /// Returns what to write; nothing where nobody is to be told.
    pub(crate) fn sequence(self, title: &str, body: &str, multiplexer: Multiplexer) -> Vec<u8> {
        let (title, body) = (clean(title), clean(body));
        let sequence = match self {
            Self::Off => return Vec::new(),
            // A multiplexer knows the bell and passes it on as its own.
            Self::Auto | Self::Bell => return b"\x07".to_vec(),
            // Text that begins with a number would be another command.
            Self::Osc9 => format!("\x1b]9;{title}: {body}\x07"),
            Self::Osc99 => format!(
                "\x1b]99;i=lathe:d=0:o=unfocused;{title}\x1b\\\x1b]99;i=lathe:d=1:o=unfocused:p=body;{body}\x1b\\"
            ),
            Self::Osc777 => {
                let fields = [title, body].map(|field| field.replace(';', ","));
                format!("\x1b]777;notify;{}\x07", fields.join(";"))
            }
        };
        multiplexer.wrap(&sequence)
    }
}

/// Nothing that could end the sequence is left.
fn clean(text: &str) -> String {
    let line = sanitize_line(text);
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    truncate(line.trim(), COLUMNS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(pairs: &[(&str, &str)]) -> Notify {
        let find = |name: &str| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Notify::Auto.resolved(&find)
    }

    #[test]
    fn the_environment_says_what_the_terminal_knows() {
        assert_eq!(auto(&[("KITTY_WINDOW_ID", "1")]), Notify::Osc99);
        assert_eq!(auto(&[("TERM_PROGRAM", "WezTerm")]), Notify::Osc9);
        assert_eq!(
            auto(&[("TERM_PROGRAM", "tmux"), ("LC_TERMINAL", "iTerm2")]),
            Notify::Osc9
        );
        assert_eq!(auto(&[("TERM", "foot-extra")]), Notify::Osc777);
        assert_eq!(auto(&[("TERM", "xterm-256color")]), Notify::Bell);
        assert_eq!(Notify::Off.resolved(&|_| None), Notify::Off);
    }

    #[test]
    fn each_sequence_has_its_form() {
        let of = |notify: Notify| {
            let bytes = notify.sequence("lathe", "done; really", Multiplexer::Direct);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(of(Notify::Osc9), "\x1b]9;lathe: done; really\x07");
        assert_eq!(of(Notify::Osc777), "\x1b]777;notify;lathe;done, really\x07");
        assert!(of(Notify::Osc99).ends_with(":p=body;done; really\x1b\\"));
        assert_eq!(
            (of(Notify::Bell).as_str(), of(Notify::Off).as_str()),
            ("\x07", "")
        );
    }

    #[test]
    fn hostile_words_cannot_leave_the_sequence() {
        let hostile = "a\x07b\x1b\\c\u{9c}d\u{9d}52;c;eA==\x07\n\x1b]0;x\x07e\u{202e}";
        for notify in [Notify::Osc9, Notify::Osc99, Notify::Osc777] {
            let bytes = notify.sequence("lathe", hostile, Multiplexer::Direct);
            let text = String::from_utf8(bytes).unwrap();
            let harmless = notify.sequence("lathe", "x", Multiplexer::Direct);
            let controls = |text: &str| text.chars().filter(|c| c.is_control()).count();
            let wanted = controls(&String::from_utf8(harmless).unwrap());
            assert_eq!(controls(&text), wanted, "{text:?}");
        }
        let long = Notify::Osc9.sequence("lathe", &"x".repeat(5000), Multiplexer::Direct);
        assert!(long.len() < 200);
    }
}
