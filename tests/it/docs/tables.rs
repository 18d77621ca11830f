//! Generated parts of documents, between two comments.

use std::fs;

use super::{Document, root};

const SWITCH: &str = "LATHE_DOCS";

/// Fails where the part is not as the program would write it now; writes it when it is asked to.
#[track_caller]
pub(super) fn assert_generated(path: &str, name: &str, expected: &str) {
    let document = Document::read(path);
    let (begin, end) = (
        format!("<!-- generated: {name} -->\n"),
        format!("<!-- end: {name} -->"),
    );
    let (before, rest) = document
        .text
        .split_once(&begin)
        .unwrap_or_else(|| panic!("{path} has no {begin}"));
    let (present, after) = rest
        .split_once(&end)
        .unwrap_or_else(|| panic!("{path} has no {end}"));
    let expected = format!("\n{}\n\n", expected.trim());
    if present == expected {
        return;
    }
    assert!(
        std::env::var_os(SWITCH).is_some_and(|value| value == "write"),
        "{path}: the part `{name}` is out of date; `{SWITCH}=write cargo test --test it docs` writes it anew"
    );
    fs::write(
        root().join(path),
        format!("{before}{begin}{expected}{end}{after}"),
    )
    .unwrap();
}

/// A table in Markdown. A bar within a cell is escaped.
pub(super) fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(heads.iter().map(|&head| head.to_owned()).collect());
    text.push_str(&line(vec!["---".to_owned(); N]));
    for row in rows {
        let cells = row.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        text.push_str(&line(cells.collect()));
    }
    text
}

/// Words as code.
pub(super) fn code(words: &str) -> String {
    if words.contains('`') {
        format!("`` {words} ``")
    } else {
        format!("`{words}`")
    }
}
