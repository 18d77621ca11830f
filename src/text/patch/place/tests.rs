//! Chunks against texts: the levels, the cursor, the end of the file, and a model.

use std::fmt::Write;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::text::patch::{Operation, parse};

/// Applies the lines of an update and tells the new text and the level.
fn apply(text: &str, body: &str) -> Result<(String, &'static str), PlaceError> {
    let patch = format!("*** Begin Patch\n*** Update File: a\n{body}\n*** End Patch");
    let sections = parse(&patch).unwrap();
    let Operation::Update { chunks, .. } = &sections[0].operation else {
        panic!("no update");
    };
    place(text, chunks).map(|placed| (spliced(text, &placed), placed.level.as_str()))
}

fn spliced(text: &str, placed: &PlacedPatch) -> String {
    let mut new = String::new();
    let mut copied = 0;
    for (range, replacement) in &placed.splices {
        assert!(range.start >= copied, "{:?} overlap", placed.splices);
        new.push_str(&text[copied..range.start]);
        new.push_str(replacement);
        copied = range.end;
    }
    new.push_str(&text[copied..]);
    new
}

#[track_caller]
fn check(text: &str, body: &str, new: &str, level: &str) {
    assert_eq!(apply(text, body).unwrap(), (new.to_owned(), level));
}

#[test]
fn an_exact_place_further_down_wins_over_a_loose_one() {
    check("  x\nx \nx\n", "-x\n+y", "  x\nx \ny\n", "exact");
    check("  x\nx \n", "-x\n+y", "  x\ny\n", "trailing");
    check("  x\n", "-x\n+y", "y\n", "trimmed");
    check(
        "\u{201c}x\u{201d} \u{2013} y\n",
        "-\"x\" - y\n+z",
        "z\n",
        "folded",
    );
}

#[test]
fn context_keeps_the_bytes_of_the_file() {
    check(
        "\tone  \n\ttwo\n\tthree\t\n",
        " one\n-two\n+2\n three",
        "\tone  \n2\n\tthree\t\n",
        "trimmed",
    );
}

#[test]
fn the_cursor_moves_and_never_back() {
    check("a\nb\na\nb\n", "@@\n-b\n+1\n@@\n-b\n+2", "a\n1\na\n2\n", "exact");
    let error = apply("a\nb\n", "@@\n-b\n+1\n@@\n-a\n+2").unwrap_err();
    assert_eq!(error.line, 6);
    let Problem::Lines { old, from, nearest } = error.problem else {
        panic!("another problem");
    };
    assert_eq!((old, from), (vec!["a".to_owned()], 3));
    assert_eq!(nearest.unwrap().line_start, 1);
    assert!(
        apply("a\nb\nc\n", "@@\n a\n-b\n@@\n-b\n c").is_err(),
        "chunks overlap"
    );
}

#[test]
fn a_header_moves_the_cursor_behind_its_line() {
    let text = "fn a() {\n  x\n}\nfn b() {\n  x\n}\n";
    check(
        text,
        "@@ fn b() {\n-  x\n+  y",
        "fn a() {\n  x\n}\nfn b() {\n  y\n}\n",
        "exact",
    );
    check(
        text,
        "@@    fn b() {\n-  x\n+  y",
        "fn a() {\n  x\n}\nfn b() {\n  y\n}\n",
        "trimmed",
    );
    let error = apply(text, "@@ fn c() {\n-  x").unwrap_err();
    let Problem::Header { header, nearest } = error.problem else {
        panic!("another problem");
    };
    assert_eq!(header, "fn c() {");
    assert!(nearest.is_some());
    // The header's own line is behind the cursor.
    assert!(apply(text, "@@ fn b() {\n-fn b() {").is_err());
}

#[test]
fn the_end_of_the_file_is_no_place_but_the_last() {
    check("x\ny\nx\n", "@@\n-x\n+z\n*** End of File", "x\ny\nz\n", "exact");
    check("x\ny\n x\n", "-x\n+z\n*** End of File", "x\ny\nz\n", "trimmed");
    check("x\ny", "-y\n\n*** End of File", "x\n", "exact");
    let error = apply("x\ny\n", "-x\n+z\n*** End of File").unwrap_err();
    assert!(matches!(error.problem, Problem::NotAtEnd { .. }));
    assert!(apply("x\n", "-y\n-x\n*** End of File").is_err());
}

#[test]
fn a_chunk_without_old_lines_goes_to_the_end_also_under_a_header() {
    check("a\nb\n", "@@\n+c", "a\nb\nc\n", "exact");
    check("a\nb\n", "@@ a\n+c\n+d", "a\nb\nc\nd\n", "exact");
    check("a", "+b", "a\nb\n", "exact");
    check("", "+b", "b\n", "exact");
    check("a\n", "@@\n+b\n@@\n+c", "a\nb\nc\n", "exact");
    check("a\nb", "@@\n+c\n@@\n-b\n+B", "a\nB\nc\n", "exact");
    check("a\n", "+b\n*** End of File", "a\nb\n", "exact");
}

#[test]
fn a_blank_line_too_many_is_forgiven_and_a_true_one_is_kept() {
    check("a\nb\n", "-b\n+c\n", "a\nc\n", "exact");
    check("b\n\nx\n", "-b\n+c\n", "c\n\nx\n", "exact");
    check("a\n", "-a\n+b\n\n+c", "b\nc\n", "exact");
    assert!(apply("a\nb\n", "-b\n+c\n\n").is_err(), "only one is");
}

#[test]
fn the_new_text_ends_with_a_line_break() {
    check("a\nb", "-a\n+A", "A\nb\n", "exact");
    check("a\nb", "-b\n+B", "a\nB\n", "exact");
    check("a\nb", " b\n+c", "a\nb\nc\n", "exact");
    check("a\nb", " a\n-b", "a\n", "exact");
    check("a", "-a", "", "exact");
    check("a\nb", " a\n b", "a\nb\n", "exact");
}

#[test]
fn what_does_not_fit_is_told_with_the_nearest_region() {
    let error = apply(
        "fn main() {\n    let total = sum(1, 2);\n}\n",
        " fn main() {\n-    let total = sum(1, 3);",
    )
    .unwrap_err();
    let Problem::Lines { nearest, .. } = error.problem else {
        panic!("another problem");
    };
    let nearest = nearest.unwrap();
    assert_eq!((nearest.line_start, nearest.line_end), (1, 2));
    assert!(apply("", "-x").is_err());
}

#[test]
fn many_chunks_in_a_large_text_take_no_time() {
    let mut text = String::new();
    for line in 0..200_000 {
        writeln!(text, "  line {line}").unwrap();
    }
    let mut body = String::new();
    for line in (0..200_000).step_by(50) {
        writeln!(body, "@@\n-line {line}\n+new {line}").unwrap();
    }
    let start = Instant::now();
    let (new, level) = apply(&text, body.trim_end()).unwrap();
    assert_eq!(level, "trimmed");
    assert_eq!(new.matches("new ").count(), 4000);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_search_without_end_is_given_up() {
    let text = "a\nb\n".repeat(1000);
    let chunk = Chunk {
        lines: vec![ChunkLine::Removed("a"), ChunkLine::Removed("a")],
        ..Chunk::default()
    };
    let error = place_within(&text, &[chunk], 5000).unwrap_err();
    assert_eq!(error.problem, Problem::TooMuch);
}

/// A change of one line of the model.
#[derive(Debug, Clone)]
enum Deed {
    Keep,
    Remove,
    Replace(Vec<String>),
    AddAfter(Vec<String>),
}

fn deed() -> impl Strategy<Value = Deed> {
    let new = || proptest::collection::vec("[xyz]{0,3}", 1..3);
    prop_oneof![
        4 => Just(Deed::Keep),
        1 => Just(Deed::Remove),
        1 => new().prop_map(Deed::Replace),
        1 => new().prop_map(Deed::AddAfter),
    ]
}

proptest! {
    /// Lines that are all different have one place each, so a patch of them does what its deeds say.
    #[test]
    fn a_patch_does_what_the_same_edits_do(
        deeds in proptest::collection::vec(deed(), 1..40),
        cuts in proptest::collection::vec(any::<bool>(), 40),
        has_end in any::<bool>(),
    ) {
        let mut text = String::new();
        let mut model = String::new();
        let mut body = String::new();
        for (index, deed) in deeds.iter().enumerate() {
            let line = format!("line {index}");
            writeln!(text, "{line}").unwrap();
            if index == 0 || cuts[index] {
                body.push_str("@@\n");
            }
            let (sign, kept, new) = match deed {
                Deed::Keep => (' ', true, &[][..]),
                Deed::Remove => ('-', false, &[][..]),
                Deed::Replace(new) => ('-', false, &new[..]),
                Deed::AddAfter(new) => (' ', true, &new[..]),
            };
            writeln!(body, "{sign}{line}").unwrap();
            if kept {
                writeln!(model, "{line}").unwrap();
            }
            for new in new {
                writeln!(body, "+{new}").unwrap();
                writeln!(model, "{new}").unwrap();
            }
        }
        if !has_end {
            text.pop();
        }
        prop_assert_eq!(apply(&text, body.trim_end_matches('\n')).unwrap(), (model, "exact"));
    }

    /// Whatever comes out, the pieces lie in the text and do not overlap.
    #[test]
    fn no_chunk_panics(text in "([ab ]{0,2}\n){0,10}[ab]?", body in "((@@|@@ [ab])?\n?([ +-][ab]{0,2}\n){1,4}){1,4}") {
        let patch = format!("*** Begin Patch\n*** Update File: a\n{body}*** End Patch");
        if let Ok(sections) = parse(&patch)
            && let Operation::Update { chunks, .. } = &sections[0].operation
            && let Ok(placed) = place(&text, chunks)
        {
            let new = spliced(&text, &placed);
            prop_assert!(new.is_empty() || new.ends_with('\n'));
        }
    }
}
