//! Links in what is drawn: where a run of text leads.
//!
//! A style cannot carry an address, so it carries a mark of it, in the colour of an underline, which nothing else here
//! uses. Whoever writes cells to a terminal looks the mark up and takes it away. Only addresses that a terminal may be
//! told of get one: others are text.

use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use ratatui::style::{Color, Style};

/// Schemes that a terminal may be told of for text that is not lathe's own. `file` is not among them: only
/// [`file_address`] makes such an address, for a path of a call.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];
/// Terminals leave out what is longer.
const LONGEST: usize = 2000;

/// The addresses of what is on screen, by their marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links(HashMap<Color, String>);

impl Links {
    /// Adds what a marked text leads to. Two that share a mark would lie about one of them, so both lead nowhere.
    pub fn add(&mut self, marked: &str, address: &str) {
        let known = self
            .0
            .entry(mark_of(marked))
            .or_insert_with(|| address.to_owned());
        if *known != address {
            known.clear();
        }
    }

    /// Returns the address behind a mark.
    pub fn get(&self, mark: Color) -> Option<&str> {
        self.0
            .get(&mark)
            .map(String::as_str)
            .filter(|address| !address.is_empty())
    }
}

/// Marks a text that leads to this; the same text has always the same mark.
pub(crate) fn marked(style: Style, target: &str) -> Style {
    style.underline_color(mark_of(target))
}

fn mark_of(target: &str) -> Color {
    let mut hasher = DefaultHasher::new();
    target.hash(&mut hasher);
    let [red, green, blue, ..] = hasher.finish().to_be_bytes();
    Color::Rgb(red, green, blue)
}

/// Returns an address as a terminal is told of it, or nothing where it may not be.
pub(crate) fn address(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once(':')?;
    let is_known = SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme));
    if !is_known || rest.is_empty() || url.chars().any(char::is_control) {
        return None;
    }
    let mut address = String::with_capacity(url.len());
    push_encoded(&mut address, url, b"");
    (address.len() <= LONGEST).then_some(address)
}

/// Returns whether the host of an address has characters that are not ASCII, and may look like another host.
pub(crate) fn has_foreign_host(url: &str) -> bool {
    let rest = url.split_once(':').map_or(url, |(_, rest)| rest);
    let rest = rest.trim_start_matches(['/', '\\']);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    !host.is_ascii()
}

/// Returns the address of a file.
pub fn file_address(path: &Path) -> Option<String> {
    let path = path.to_str().filter(|path| path.starts_with('/'))?;
    let mut address = "file://".to_owned();
    push_encoded(&mut address, path, b"%?#;");
    (address.len() <= LONGEST && !path.chars().any(char::is_control)).then_some(address)
}

/// Adds a text with everything encoded that is not a visible character of ASCII, or is among `more`.
fn push_encoded(address: &mut String, text: &str, more: &[u8]) {
    for byte in text.bytes() {
        if byte.is_ascii_graphic() && !more.contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_terminal_may_open_has_an_address() {
        assert_eq!(
            address("https://a.b/c?d=e;f#g").as_deref(),
            Some("https://a.b/c?d=e;f#g")
        );
        assert_eq!(address("MAILTO:a@b").as_deref(), Some("MAILTO:a@b"));
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "FILE:/x",
            "vscode://file/x",
            "x-apple.systempreferences:",
            "tel:1",
            "https",
            "ssh://a",
            "a.md",
            "#a",
            "data:x",
            "http:",
            "",
        ] {
            assert_eq!(address(url), None, "{url}");
        }
        assert_eq!(address(&format!("https://{}", "x".repeat(LONGEST))), None);
    }

    #[test]
    fn nothing_in_an_address_can_end_the_sequence_it_stands_in() {
        assert_eq!(address("https://a\x1b\\b"), None);
        assert_eq!(address("https://a\u{9c}b"), None);
        assert_eq!(address("https://ä b").as_deref(), Some("https://%C3%A4%20b"));
        let file = file_address(Path::new("/a b/100%;c#d.rs")).unwrap();
        assert_eq!(file, "file:///a%20b/100%25%3Bc%23d.rs");
        assert_eq!(file_address(Path::new("a.rs")), None);
    }

    #[test]
    fn a_mark_used_for_two_addresses_has_no_link() {
        let mut links = Links::default();
        links.add("a", "https://a");
        links.add("a", "https://a");
        assert_eq!(links.get(mark_of("a")), Some("https://a"));
        links.add("a", "https://b");
        assert_eq!(links.get(mark_of("a")), None);
    }
}
