//! What is typed into a terminal goes through one place, which knows what was judged.

use std::fs;

use super::scan::Source;
use super::{manifest_directory, rust_files};

/// Calls by which something is typed, each with the files that may make them.
const TYPING: &[(&str, &[&str])] = &[
    (
        "type_for_agent",
        &[
            "src/tool/terminals/session.rs",
            "src/tool/builtin/interactive_bash/sending.rs",
        ],
    ),
    (
        "type_line_for_agent",
        &[
            "src/tool/terminals/session.rs",
            "src/tool/builtin/interactive_bash/sending.rs",
        ],
    ),
    (
        "write_after",
        &["src/process/pty/", "src/tool/terminals/session.rs"],
    ),
    (
        "write_whole_line",
        &["src/process/pty/", "src/tool/terminals/session.rs"],
    ),
    (
        "note_clear",
        &["src/process/pty/", "src/tool/builtin/interactive_bash/sending.rs"],
    ),
    (
        "type_for_person",
        &["src/tool/terminals/session.rs", "src/session/actor/terminals.rs"],
    ),
];

#[test]
fn a_terminal_is_typed_into_by_what_judged_the_input() {
    let mut elsewhere = Vec::new();
    for path in rust_files(&manifest_directory().join("src")) {
        let name = path.strip_prefix(manifest_directory()).unwrap().to_str().unwrap();
        let tokens = Source::new(&fs::read_to_string(&path).unwrap()).outside_of_tests();
        for (place, (word, line)) in tokens.iter().enumerate() {
            let known = TYPING.iter().find(|(call, _)| call == word);
            let of_terminal = word == "write" && place >= 2 && tokens[place - 2].0 == "terminal";
            if of_terminal && name != "src/tool/terminals/session.rs" {
                elsewhere.push(format!("{name}:{line}: terminal.write"));
            }
            if known.is_some_and(|(_, files)| !files.iter().any(|file| name.starts_with(file))) {
                elsewhere.push(format!("{name}:{line}: {word}"));
            }
        }
    }
    assert_eq!(elsewhere, [""; 0], "type through `interactive_bash::sending`");
}
