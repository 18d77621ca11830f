use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Vector {
    line: String,
    hash: String,
}

fn reference(given: &str) -> Reference {
    given.parse().unwrap()
}

/// The reference that holds for a line, from 1.
fn at(text: &str, line: usize) -> Reference {
    let content = text.split('\n').nth(line - 1).unwrap();
    Reference {
        line,
        hash: Hash::of(content),
    }
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn change(text: &str, first: usize, last: usize, lines: &[&str]) -> Edit {
    Edit::Change {
        first: at(text, first),
        last: at(text, last),
        lines: owned(lines),
    }
}

fn after(text: &str, line: usize, lines: &[&str]) -> Edit {
    Edit::InsertAfter {
        line: at(text, line),
        lines: owned(lines),
    }
}

fn before(text: &str, line: usize, lines: &[&str]) -> Edit {
    Edit::InsertBefore {
        line: at(text, line),
        lines: owned(lines),
    }
}

fn numbered(edits: Vec<Edit>) -> Vec<NumberedEdit> {
    let numbered = edits.into_iter().zip(1..);
    numbered
        .map(|(edit, number)| NumberedEdit { number, edit })
        .collect()
}

fn spliced(text: &str, splices: &[(std::ops::Range<usize>, String)]) -> String {
    let mut result = text.to_owned();
    for (range, new) in splices.iter().rev() {
        result.replace_range(range.clone(), new);
    }
    result
}

#[track_caller]
fn applied(text: &str, edits: Vec<Edit>) -> String {
    let splices = place(text, &numbered(edits)).unwrap();
    for pair in splices.windows(2) {
        assert!(pair[0].0.end <= pair[1].0.start, "{splices:?}");
    }
    spliced(text, &splices)
}

#[track_caller]
fn error(text: &str, edits: Vec<Edit>) -> String {
    place(text, &numbered(edits)).unwrap_err().to_string()
}

#[test]
fn lines_hash_to_what_the_vectors_say() {
    let vectors: Vec<Vector> =
        serde_json::from_str(include_str!("../../../tests/it/vectors/hashline.json")).unwrap();
    assert!(vectors.len() > 70);
    for Vector { line, hash } in vectors {
        assert_eq!(Hash::of(&line).to_string(), hash, "{line:?}");
        let mut hasher = LineHasher::default();
        for byte in line.bytes() {
            hasher.push(&[byte]);
        }
        assert_eq!(hasher.finish().to_string(), hash, "{line:?} in pieces");
    }
}

#[test]
fn a_reference_is_read_in_every_accepted_form() {
    for given in [
        "5:8a",
        "5:8A",
        " 5:8a ",
        ">>> 5:8a|const y = 2",
        "+5:8a|",
        "- 5:8a",
        "\t5:8a\n",
        "5:8a | x|y",
        "05:8a",
    ] {
        assert_eq!(reference(given).to_string(), "5:8a", "{given:?}");
    }
}

#[test]
fn what_is_no_reference_is_named_with_the_form() {
    for given in [
        "", "5", ":8a", "5:", "5:8", "5:8ax", "5:8g", "0:8a", "-5", "5 :8a", "5: 8a", "five:8a", "5#8a",
        "|5:8a", "5:é",
    ] {
        let error = given.parse::<Reference>().unwrap_err().to_string();
        assert!(
            error.contains(&format!("`{given}`")) && error.contains("LINE:HASH"),
            "{error}"
        );
    }
    assert_eq!(reference("99999999999999999999999:00").line, usize::MAX);
}

#[test]
fn a_text_stands_for_its_lines() {
    for (text, lines) in [
        ("", vec![""]),
        ("\n", vec![""]),
        ("a", vec!["a"]),
        ("a\n", vec!["a"]),
        ("a\n\n", vec!["a", ""]),
        ("a\\nb\nc", vec!["a\\nb", "c"]),
    ] {
        assert_eq!(new_lines(text), lines, "{text:?}");
    }
}

#[test]
fn each_edit_does_its_own() {
    let text = "a\nb\nc\n";
    for (edit, result) in [
        (change(text, 2, 2, &["x"]), "a\nx\nc\n"),
        (change(text, 2, 2, &["x", "y"]), "a\nx\ny\nc\n"),
        (change(text, 2, 2, &[""]), "a\n\nc\n"),
        (change(text, 1, 2, &["x"]), "x\nc\n"),
        (change(text, 1, 3, &[]), ""),
        (change(text, 3, 3, &[]), "a\nb\n"),
        (after(text, 1, &["x", "y"]), "a\nx\ny\nb\nc\n"),
        (after(text, 3, &["x"]), "a\nb\nc\nx\n"),
        (before(text, 1, &["x"]), "x\na\nb\nc\n"),
        (before(text, 3, &["x"]), "a\nb\nx\nc\n"),
        (Edit::Append { lines: owned(&["x"]) }, "a\nb\nc\nx\n"),
        (Edit::Prepend { lines: owned(&["x"]) }, "x\na\nb\nc\n"),
    ] {
        assert_eq!(applied(text, vec![edit.clone()]), result, "{edit:?}");
    }
}

#[test]
fn a_missing_final_break_stays_missing() {
    let text = "a\nb";
    for (edits, result) in [
        (vec![change(text, 2, 2, &["x"])], "a\nx"),
        (vec![change(text, 2, 2, &[])], "a"),
        (vec![change(text, 1, 2, &[])], ""),
        (vec![after(text, 2, &["x"])], "a\nb\nx"),
        (vec![Edit::Append { lines: owned(&["x"]) }], "a\nb\nx"),
        (vec![change(text, 1, 1, &[]), change(text, 2, 2, &[])], ""),
        (
            vec![change(text, 2, 2, &[]), Edit::Append { lines: owned(&["x"]) }],
            "a\nx",
        ),
        (vec![before(text, 2, &["x"]), change(text, 2, 2, &[])], "a\nx"),
        (vec![change(text, 1, 1, &["x"])], "x\nb"),
    ] {
        assert_eq!(applied(text, edits.clone()), result, "{edits:?}");
    }
}

#[test]
fn an_empty_text_takes_lines_at_either_end() {
    let append = Edit::Append { lines: owned(&["b"]) };
    let prepend = Edit::Prepend { lines: owned(&["a"]) };
    assert_eq!(applied("", vec![append.clone()]), "b\n");
    assert_eq!(applied("", vec![prepend.clone()]), "a\n");
    assert_eq!(applied("", vec![prepend.clone(), append.clone()]), "a\nb\n");
    assert_eq!(applied("", vec![append, prepend]), "a\nb\n");
}

#[test]
fn edits_refer_to_the_text_as_it_was_whatever_their_order() {
    let text = "1\n2\n3\n4\n5\n";
    let edits = vec![
        change(text, 1, 1, &["one", "and a half"]),
        change(text, 5, 5, &["five"]),
        change(text, 2, 3, &[]),
        after(text, 4, &["after"]),
    ];
    let result = "one\nand a half\n4\nafter\nfive\n";
    assert_eq!(applied(text, edits.clone()), result);
    assert_eq!(applied(text, edits.into_iter().rev().collect()), result);
}

#[test]
fn insertions_at_one_place_keep_their_order_and_stand_beside_a_change() {
    let text = "a\nb\n";
    let edits = vec![
        after(text, 1, &["1"]),
        change(text, 1, 1, &["A"]),
        before(text, 2, &["2"]),
        before(text, 1, &["0"]),
        after(text, 1, &["3"]),
    ];
    assert_eq!(applied(text, edits), "0\nA\n1\n2\n3\nb\n");
}

#[test]
fn edits_that_want_the_same_lines_are_named() {
    let text = "1\n2\n3\n4\n";
    for (edits, words) in [
        (
            vec![change(text, 1, 2, &[]), change(text, 2, 2, &["x"])],
            "edit 1 and edit 2 overlap: both change line 2",
        ),
        (
            vec![
                before(text, 1, &["x"]),
                change(text, 3, 3, &["x"]),
                change(text, 3, 3, &["y"]),
            ],
            "edit 2 and edit 3 overlap: both change line 3",
        ),
        (
            vec![after(text, 2, &["x"]), change(text, 1, 3, &["y"])],
            "edit 1 and edit 2 overlap: one inserts before line 3, inside lines 1-3 of the other",
        ),
        (
            vec![
                change(text, 1, 4, &["x"]),
                change(text, 2, 2, &["y"]),
                change(text, 3, 3, &["y"]),
            ],
            "edit 1 and edit 2 overlap: both change line 2",
        ),
    ] {
        assert_eq!(error(text, edits), words);
    }
}

#[test]
fn a_mismatch_shows_what_is_there_now() {
    let text = "package main\n\n}\n\nconst y = 2\n{\nreturn nil\n";
    let reference = reference("5:77");
    let edit = Edit::Change {
        first: reference,
        last: reference,
        lines: Vec::new(),
    };
    assert_eq!(
        error(text, vec![edit]),
        "Hash mismatch at line 5: expected \"77\" but got \"89\".\n\
         The file has been modified since you last read it.\n\
         Please re-read the file to get current content.\n    \
             3:18|}\n    \
             4:05|\n\
         >>> 5:89|const y = 2\n    \
             6:fc|{\n    \
             7:a7|return nil"
    );
}

#[test]
fn all_mismatches_are_told_together_and_once() {
    let text = "const x = 1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let wrong = |line: &str| Edit::InsertAfter {
        line: reference(line),
        lines: owned(&["x"]),
    };
    let edits = vec![wrong("9:00"), wrong("2:77"), wrong("2:77"), wrong("99:01")];
    let tag = |line: usize| format!("{line}:{}|{line}", Hash::of(&line.to_string()));
    assert_eq!(
        error(text, edits),
        format!(
            "Hash mismatch at line 2: expected \"77\" but got \"{}\".\n\
             Error: Hash mismatch at line 9: expected \"00\" but got \"{}\".\n\
             Error: Hash mismatch at line 99: expected \"01\" but the file has 9 lines.\n\
             The file has been modified since you last read it.\n\
             Please re-read the file to get current content.\n    \
                 1:77|const x = 1\n\
             >>> {}\n    \
                 {}\n    \
                 {}\n\
             ...\n    \
                 {}\n    \
                 {}\n\
             >>> {}\n\
             \"77\" is now at line 1.",
            Hash::of("2"),
            Hash::of("9"),
            tag(2),
            tag(3),
            tag(4),
            tag(7),
            tag(8),
            tag(9),
        )
    );
}

#[test]
fn a_hash_that_several_lines_have_is_nowhere_else() {
    let text = "}\n}\nx\n";
    let edit = Edit::InsertAfter {
        line: reference("3:18"),
        lines: Vec::new(),
    };
    assert!(!error(text, vec![edit]).contains("is now"));
}

#[test]
fn tags_before_every_line_are_taken_away() {
    assert_eq!(without_echo("1:05|").as_deref(), Some(""));
    assert_eq!(
        without_echo("1:77|const x = 1\n\n12:18|}\n").as_deref(),
        Some("const x = 1\n\n}\n")
    );
    assert_eq!(without_echo("1:77|a|b").as_deref(), Some("a|b"));
    for text in [
        "",
        "\n\n",
        "1:77|a\nb",
        "1:7|a",
        "1:7G|a",
        "1:7A|a",
        ":77|a",
        "0:77|a",
        " 1:77|a",
        "1:77 a",
        "x",
    ] {
        assert_eq!(without_echo(text), None, "{text:?}");
    }
}

#[test]
fn a_long_line_is_shown_cut_with_the_tag_of_all_of_it() {
    let line = format!("{}é", "x".repeat(2000));
    let shown = tagged_lines(&line, std::slice::from_ref(&(0..1)));
    assert_eq!(
        shown,
        [format!(
            "1:{}|{}… [+1 characters]",
            Hash::of(&line),
            "x".repeat(2000)
        )]
    );
}

/// Edits on a model: lines in a list, and whether the last one has a break.
fn model(text: &str, edits: &[Edit]) -> String {
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    let mut result: Vec<&str> = Vec::new();
    for gap in 0..=lines.len() {
        for edit in edits {
            let is_here = match edit {
                Edit::InsertAfter { line, .. } => line.line == gap,
                Edit::InsertBefore { line, .. } => line.line == gap + 1,
                Edit::Append { .. } => gap == lines.len(),
                Edit::Prepend { .. } => gap == 0,
                Edit::Change { .. } => false,
            };
            if is_here {
                result.extend(edit.lines().iter().map(String::as_str));
            }
        }
        let Some(line) = lines.get(gap) else { continue };
        let changed = edits.iter().find_map(|edit| match edit {
            Edit::Change { first, last, lines } if (first.line..=last.line).contains(&(gap + 1)) => {
                Some((first.line == gap + 1, lines))
            }
            _ => None,
        });
        match changed {
            None => result.push(line),
            Some((true, lines)) => result.extend(lines.iter().map(String::as_str)),
            Some((false, _)) => {}
        }
    }
    let ends = text.is_empty() || text.ends_with('\n');
    let mut new = result.join("\n");
    if ends && !result.is_empty() {
        new.push('\n');
    }
    new
}

fn edits() -> impl Strategy<Value = Vec<(u8, prop::sample::Index, prop::sample::Index, Vec<String>)>> {
    let lines = prop::collection::vec("[ab ]{0,2}", 1..3);
    prop::collection::vec(
        (
            0u8..7,
            any::<prop::sample::Index>(),
            any::<prop::sample::Index>(),
            lines,
        ),
        1..8,
    )
}

proptest! {
    #[test]
    fn any_edits_equal_the_same_on_a_list_of_lines(
        text in "([abc}]{0,2}\n){0,8}[ab]{0,2}", drawn in edits(),
    ) {
        let count = text.split_terminator('\n').count();
        let edits: Vec<Edit> = drawn.into_iter().map(|(kind, one, two, lines)| {
            let line = |index: prop::sample::Index| at(&text, index.index(count.max(1)) + 1);
            match kind {
                _ if count == 0 => Edit::Append { lines },
                0 | 1 => {
                    let (one, two) = (line(one), line(two));
                    let (first, last) = if one.line <= two.line { (one, two) } else { (two, one) };
                    let lines = if kind == 0 { lines } else { Vec::new() };
                    Edit::Change { first, last, lines }
                }
                2 => Edit::Change { first: line(one), last: line(one), lines },
                3 => Edit::InsertAfter { line: line(one), lines },
                4 => Edit::InsertBefore { line: line(one), lines },
                5 => Edit::Append { lines },
                _ => Edit::Prepend { lines },
            }
        }).collect();
        match place(&text, &numbered(edits.clone())) {
            Ok(splices) => prop_assert_eq!(spliced(&text, &splices), model(&text, &edits)),
            Err(error) => prop_assert!(matches!(error, PlaceError::Overlap(..)), "{}", error),
        }
    }

    #[test]
    fn no_reference_and_no_text_panics(text in any::<String>(), given in ".{0,12}|[0-9>+-]{0,3}:[0-9a-fA-F|]{0,4}", new in any::<String>()) {
        let _ = without_echo(&new);
        if let Ok(reference) = given.parse::<Reference>() {
            let lines = new_lines(&new);
            let edit = Edit::Change { first: reference, last: reference, lines };
            if let Err(error) = place(&text, &numbered(vec![edit])) {
                prop_assert!(error.to_string().starts_with("Hash mismatch"));
            }
        }
    }

    #[test]
    fn a_line_in_pieces_hashes_like_the_line_as_it_is_shown(bytes in prop::collection::vec(any::<u8>(), 0..40), at in any::<prop::sample::Index>()) {
        let (one, two) = bytes.split_at(at.index(bytes.len() + 1));
        let mut hasher = LineHasher::default();
        hasher.push(one);
        hasher.push(two);
        prop_assert_eq!(hasher.finish(), Hash::of(&String::from_utf8_lossy(&bytes)));
    }
}
