use proptest::prelude::*;

use super::*;
use crate::text::diff::unified;
use crate::view::Symbols;
use crate::view::test_look::{TestLook, picture, styled_picture};
use crate::view::theme::{ColorDepth, Theme};

fn sample() -> String {
    let old: Vec<String> = (1..=60).map(|line| format!("let a{line} = {line};")).collect();
    let mut new = old.clone();
    "    tokio::time::sleep(delay).await;".clone_into(&mut new[40]);
    new.insert(41, "    more();".into());
    new[50] = "let a51 = 52;".into();
    unified("src/a.rs", &old.join("\n"), &new.join("\n")).text
}

fn body(text: &str, max_lines: usize) -> DiffBody {
    DiffBody {
        path: "a.rs".to_owned(),
        unified: text.to_owned(),
        max_lines,
        is_unplaced: false,
    }
}

fn drawn(text: &str, max_lines: usize, width: usize) -> String {
    let lines = lines(&body(text, max_lines), width, TestLook::default().look());
    let text = picture(&lines);
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

#[test]
fn numbers_and_signs_have_columns_of_their_own() {
    let text = "@@ -41,2 +41,2 @@ fn x\n a\n-  old\n+  new\n";
    assert_eq!(drawn(text, 0, 60), "41 41   a\n42    -   old\n   42 +   new\n");
    assert_eq!(drawn(text, 0, 30), "41   a\n42 -   old\n42 +   new\n");
    assert_eq!(drawn(text, 0, 6), "  a\n-   o…\n+   n…\n");
}

#[test]
fn indentation_that_leaves_no_room_for_the_change_is_drawn_shortened() {
    let deep = " ".repeat(20);
    let line = |sign: char, text: &str| format!("{sign}{deep}{text}\n");
    let text = "@@ -41,4 +41,4 @@\n".to_owned()
        + &line(' ', "match reply {")
        + &line('-', "    Ok(delay) => sleep(delay),")
        + &line('+', "    Ok(delay) => clock.sleep(delay),")
        + " \n"
        + &line(' ', "}");
    assert_eq!(
        drawn(&text, 0, 34),
        "41   … match reply {\n42 - …     Ok(delay) => sleep(del…\n42 + …     Ok(delay) => clock.sle…\n43\n44   … }\n"
    );
    // Where it leaves enough room a long line is cut and nothing else.
    assert!(drawn(&text, 0, 60).starts_with(&format!("41 41   {deep}match reply {{\n")));
    let short = "@@ -1 +1 @@\n".to_owned() + &line('-', "a") + &line('+', "b");
    assert_eq!(drawn(&short, 0, 30), format!(" 1 - {deep}a\n 1 + {deep}b\n"));
    let shallow = format!("@@ -1 +1 @@\n-    a\n+    {}\n", "long ".repeat(9));
    assert!(drawn(&shallow, 0, 30).starts_with(" 1 -     a\n"));
    let mut ascii = TestLook::plain();
    ascii.symbols = Symbols::Ascii;
    let rows = picture(&lines(&body(&text, 0), 34, ascii.look()));
    assert!(
        rows.starts_with("41   ~ match reply {") && rows.is_ascii(),
        "{rows}"
    );
}

#[test]
fn a_diff_without_a_place_has_no_numbers() {
    let unplaced = DiffBody {
        is_unplaced: true,
        ..body("@@ -1 +1 @@\n-old\n+new\n", 0)
    };
    let lines = lines(&unplaced, 20, TestLook::plain().look());
    let text = picture(&lines);
    let rows: Vec<_> = text.lines().map(str::trim_end).collect();
    assert_eq!(rows, ["- old", "+ new"]);
}

#[test]
fn what_is_left_out_is_counted() {
    let text = "@@ -1 +1 @@\n-a\n+b\n@@ -20,3 +20,3 @@\n x\n-c\n+d\n@@ -40 +40 @@\n-e\n+f\n";
    let picture = drawn(text, 3, 60);
    assert!(
        picture.ends_with("20 20   x\n… 2 more lines and 1 more hunk at 40\n"),
        "{picture}"
    );
    assert!(drawn(text, 2, 60).ends_with(" 1 + b\n… 2 more hunks at 20, 40\n"));
    assert!(!drawn(text, 0, 60).contains("more"));
}

#[test]
fn at_most_eight_hunks_are_drawn_of_a_limited_diff() {
    let hunks: Vec<_> = (1..20)
        .map(|hunk| format!("@@ -{hunk}0 +{hunk}0 @@\n-a\n+b\n"))
        .collect();
    let text = hunks.concat();
    assert!(drawn(&text, 1_000, 60).ends_with("… 11 more hunks at 90, 100, 110, …\n"));
}

#[test]
fn a_diff_grows_from_nothing() {
    let text = sample();
    let mut last = 0;
    for end in 0..=text.len() {
        let count = lines(&body(&text[..end], 0), 60, TestLook::plain().look()).len();
        assert!(count >= last, "the diff got shorter");
        last = count;
    }
    assert!(last > 10);
}

#[test]
fn whole_lines_are_coloured_without_backgrounds() {
    let mut test = TestLook::default();
    test.theme = Theme::default().at_depth(ColorDepth::Ansi16);
    let lines = lines(
        &body("@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\n", 0),
        60,
        test.look(),
    );
    let removed = test.theme.style(Meaning::DiffRemoved);
    assert!(
        lines[0]
            .spans
            .iter()
            .skip(1)
            .any(|span| span.style == removed && span.content == "let a = ")
    );
}

#[test]
fn the_words_that_changed_stand_out() {
    let test = TestLook::default();
    let lines = lines(
        &body("@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\n", 0),
        24,
        test.look(),
    );
    let emphasis = test.theme.style(Meaning::DiffAddedEmphasis).bg;
    let two = lines[1].spans.iter().find(|span| span.content == "2").unwrap();
    assert_eq!(two.style.bg, emphasis);
    assert!(styled_picture(&lines, &test.theme).contains("code.keyword"));
    assert_eq!(lines[1].width(), 24);
}

proptest! {
    #[test]
    fn no_line_is_too_wide_and_none_has_controls(
        texts in proptest::collection::vec("[-+ ]\\PC{0,30}|[-+ ][a\t\u{1b}世]{0,30}", 0..12),
        width in 1_usize..120,
        max_lines in 0_usize..8,
    ) {
        let diff = format!("@@ -1,100 +1,100 @@\n{}", texts.join("\n"));
        for line in lines(&body(&diff, max_lines), width, TestLook::plain().look()) {
            prop_assert!(line.width() <= width, "{line:?}");
            prop_assert!(!line.spans.iter().any(|span| span.content.contains(char::is_control)));
        }
    }
}

#[test]
fn parts_of_a_hunk_are_drawn_as_in_the_whole_diff() {
    let text = sample();
    let hunks = parse_unified(&text);
    let [hunk, ..] = hunks.as_slice() else {
        panic!("the sample has a hunk")
    };
    let test_look = TestLook::default();
    let whole = lines(&body(&text, 0), 60, test_look.look());
    let half = hunk.lines.len() / 2;
    let part = |lines| {
        let part = HunkPart {
            path: "a.rs",
            hunk,
            lines,
            last_line: 60,
        };
        part.rows(60, test_look.look())
    };
    let mut parts = part(0..half);
    parts.extend(part(half..usize::MAX));
    assert_eq!(picture(&parts), picture(&whole[..hunk.lines.len()]));
}
