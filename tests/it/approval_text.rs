//! The surfaces on which a person judges a text: they show what `reveal` made of it and nothing else.
//!
//! The type `Revealed` has private fields and only `reveal`, `reveal_line` and lathe's own `&'static str` words make one.
//! This test forbids what the type cannot: that such a surface reaches for `sanitize`, which takes characters
//! out, for a cut, or draws a `String` by hand.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Names of what is judged, and of what makes it fit to be shown. A file that has one of them is such a surface, wherever it
/// lies; so is everything below the folders of dialogs.
const JUDGED: [&str; 6] = [
    "Inquiry",
    "Proposed",
    "Revealed",
    "TrustQuestion",
    "reveal_line(",
    "JudgedText",
];
const DIALOGS: [&str; 2] = ["tui/dialog", "screen_reader/questions"];
/// Files that show other texts beside what is judged, and which.
const MIXED: [(&str, &str); 6] = [
    (
        "screen_reader/spoken_text.rs",
        "the replies of the model; what is judged comes in revealed",
    ),
    ("text/sanitize/mod.rs", "the two functions side by side"),
    (
        "tui/page/rules.rs",
        "the list of stored rules, which is looked at; the question before one goes is revealed",
    ),
    (
        "tui/page/tree_changes/draw.rs",
        "the list of changes with answers of the service; its names and the questions about it are revealed",
    ),
    (
        "view/card/layout.rs",
        "the one line of a finished card; the body of a pending one is revealed",
    ),
    (
        "view/styled_text.rs",
        "lines of every kind; revealed text has an entry of its own",
    ),
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
const MAKERS: [&str; 2] = ["view/approval.rs", "view/diff"];

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
    let mut files = Vec::new();
    rust_files(&source(), &mut files);
    let (mut surfaces, mut mixed) = (0, Vec::new());
    for file in files {
        let name = file
            .strip_prefix(source())
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&file).unwrap();
        if !is_surface(&name, &text) || name.contains("/tests/") || name.ends_with("/tests.rs") {
            continue;
        }
        surfaces += 1;
        let is_mixed = MIXED.iter().any(|(mixed, _)| *mixed == name);
        for (number, line) in code(&text) {
            let found = forbidden(&name).into_iter().find(|word| line.contains(word));
            let Some(word) = found else { continue };
            if is_mixed {
                mixed.push(name.clone());
            } else {
                writeln!(report, "src/{name}:{number}: `{word}` in `{line}`").unwrap();
            }
        }
    }
    assert!(surfaces > 20, "{surfaces}: what is judged has other names by now");
    let idle: Vec<_> = MIXED
        .iter()
        .filter(|(name, _)| !mixed.iter().any(|mixed| mixed == name))
        .collect();
    assert!(idle.is_empty(), "these show nothing else any more: {idle:?}");
    assert!(
        report.is_empty(),
        "text that is judged is made by `reveal` alone:\n{report}"
    );
}

fn is_surface(name: &str, text: &str) -> bool {
    DIALOGS.iter().any(|folder| name.starts_with(folder))
        || MAKERS.iter().any(|maker| name.starts_with(maker))
        || code(text).any(|(_, line)| JUDGED.iter().any(|judged| line.contains(judged)))
}

#[test]
fn a_new_place_that_shows_what_is_judged_is_seen() {
    assert!(is_surface("cli/new.rs", "fn f(asked: &Inquiry) {}"));
    assert!(is_surface("tui/dialog/new.rs", ""));
    assert!(!is_surface("cli/new.rs", "// Inquiry\nfn f() {}"));
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

/// What a person will judge is kept as it was given: a name that stands in it already would be named once more.
#[test]
fn no_form_is_made_of_text_in_which_characters_are_named() {
    const NAMES: [&str; 4] = ["sanitize(", "sanitize_line", "reveal(", "reveal_line"];
    let mut files = Vec::new();
    rust_files(&source().join("tool"), &mut files);
    rust_files(&source().join("question"), &mut files);
    let mut makers = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if !code(&text).any(|(_, line)| line.contains("FormQuestion") || line.contains("FormOption")) {
            continue;
        }
        makers += 1;
        for (number, line) in code(&text) {
            let word = NAMES.iter().find(|word| line.contains(**word));
            assert_eq!(word, None, "{}:{number}: `{line}`", file.display());
        }
    }
    assert!(makers >= 3, "{makers}: forms have another name by now");
}
