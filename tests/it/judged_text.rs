//! The surfaces on which a person judges a text: they show what `reveal` made of it and nothing else.
//!
//! The type `Revealed` has private fields and only `reveal`, `reveal_line` and lathe's own `&'static str` words make one.
//! This test forbids what the type cannot: that such a surface reaches for `sanitize`, which takes characters
//! out, for a cut, or draws a `String` by hand.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders and files of `src` that are such surfaces.
const SURFACES: [&str; 6] = [
    "tui/dialog",
    "screen_reader/asked",
    "screen_reader/judged.rs",
    "screen_reader/trust.rs",
    "view/judged.rs",
    "view/diff",
];
/// Takes characters out, or hides them.
const HIDES: [&str; 3] = ["sanitize(", "sanitize_line", "strip_controls"];
/// Leaves a part of a text out.
const CUTS: [&str; 5] = [
    "truncate(&",
    "truncate_start",
    "truncate_middle",
    "shorten_path",
    "cut_line",
];
/// Draws a text of any kind.
const DRAWS: [&str; 6] = [
    "Span::",
    "Line::from",
    "Line::styled",
    "Line::raw",
    "Text::from",
    "Paragraph",
];
/// Files that make lines of revealed text.
const MAKERS: [&str; 2] = ["view/judged.rs", "view/diff"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for entry in &entries {
            rust_files(entry, found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push(path.to_owned());
    }
}

/// The lines of a file that are code, up to its tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().zip(1..).map(|(line, number)| (number, line.trim()));
    lines
        .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
        .filter(|(_, line)| !line.starts_with("//"))
}

fn forbidden(name: &str) -> Vec<&'static str> {
    let is_maker = MAKERS.iter().any(|maker| name.starts_with(maker));
    let mut words = HIDES.to_vec();
    // A diff that is only looked at, and not judged, is cut; `judged` there has tests of its own.
    if !name.starts_with("view/diff") {
        words.extend(CUTS);
    }
    if !is_maker {
        words.extend(DRAWS);
    }
    words
}

#[test]
fn what_is_judged_is_revealed_and_never_sanitized_cut_or_drawn_by_hand() {
    let mut report = String::new();
    for surface in SURFACES {
        let mut files = Vec::new();
        rust_files(&source().join(surface), &mut files);
        assert!(
            !files.is_empty(),
            "`src/{surface}` is gone; name the surface that took its place"
        );
        for file in files {
            let name = file
                .strip_prefix(source())
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in code(&text) {
                let found = forbidden(&name).into_iter().find(|word| line.contains(word));
                if let Some(word) = found {
                    writeln!(report, "src/{name}:{number}: `{word}` in `{line}`").unwrap();
                }
            }
        }
    }
    assert!(
        report.is_empty(),
        "text that is judged is made by `reveal` alone:\n{report}"
    );
}

#[test]
fn only_reveal_makes_text_that_is_judged() {
    let text = fs::read_to_string(source().join("text/sanitize/reveal.rs")).unwrap();
    let makers: Vec<&str> = code(&text)
        .filter(|(_, line)| line.starts_with("pub fn") && line.contains("&str") && !line.contains("&self"))
        .map(|(_, line)| line)
        .collect();
    assert_eq!(
        makers,
        [
            "pub fn reveal(text: &str) -> Revealed {",
            "pub fn reveal_line(text: &str) -> Revealed {"
        ]
    );
    let fields: Vec<&str> = code(&text)
        .skip_while(|(_, line)| !line.starts_with("pub struct Revealed"))
        .skip(1)
        .take_while(|(_, line)| *line != "}")
        .map(|(_, line)| line)
        .collect();
    assert_eq!(
        fields,
        ["text: String,", "marks: Vec<Mark>,"],
        "its fields are private"
    );
    assert!(!text.contains("Deserialize"), "a file could make one");
}
