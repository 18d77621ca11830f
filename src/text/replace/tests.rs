//! Tests that hold for all strategies together, and the harness of their own tests.

use super::*;
use proptest::prelude::*;
use std::time::Instant;

impl Plan<'_> {
    /// Returns the text with all replacements made.
    fn apply(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut taken = 0;
        for replacement in &self.replacements {
            result.push_str(&text[taken..replacement.range.start]);
            result.push_str(replacement.text);
            taken = replacement.range.end;
        }
        result.push_str(&text[taken..]);
        result
    }
}

fn parts<'a>(text: &'a str, found: &EditRegions) -> (&'static str, Vec<&'a str>) {
    (
        found.strategy.name(),
        found.spans.iter().map(|span| &text[span.range.clone()]).collect(),
    )
}

/// Returns the strategy and the text of the one position.
#[track_caller]
pub(super) fn found<'a>(text: &'a str, old: &str) -> (&'static str, Vec<&'a str>) {
    parts(text, &find(text, old, Occurrences::One, Tolerance::Safe).unwrap())
}

#[track_caller]
pub(super) fn found_all<'a>(text: &'a str, old: &str) -> (&'static str, Vec<&'a str>) {
    parts(text, &find(text, old, Occurrences::All, Tolerance::Safe).unwrap())
}

#[track_caller]
pub(super) fn edited(text: &str, old: &str, new: &str) -> String {
    plan(text, old, new, Occurrences::One, Tolerance::Safe)
        .unwrap()
        .apply(text)
}

#[track_caller]
pub(super) fn edited_all(text: &str, old: &str, new: &str) -> String {
    plan(text, old, new, Occurrences::All, Tolerance::Safe)
        .unwrap()
        .apply(text)
}

/// Returns the line numbers of the positions that could not be told apart.
#[track_caller]
pub(super) fn ambiguous(text: &str, old: &str) -> Vec<usize> {
    match find(text, old, Occurrences::One, Tolerance::Safe) {
        Err(ReplaceError::Ambiguous { lines, .. }) => lines,
        other => panic!("not ambiguous: {other:?}"),
    }
}

#[track_caller]
pub(super) fn no_match(text: &str, old: &str) {
    let result = find(text, old, Occurrences::One, Tolerance::Safe);
    assert!(
        matches!(result, Err(ReplaceError::NoMatch { .. })),
        "not without match: {result:?}"
    );
}

#[track_caller]
pub(super) fn refused(text: &str, old: &str) {
    let result = find(text, old, Occurrences::One, Tolerance::Safe);
    assert!(
        matches!(result, Err(ReplaceError::Refused(_))),
        "not refused: {result:?}"
    );
}

#[track_caller]
fn message(text: &str, old: &str, new: &str) -> String {
    plan(text, old, new, Occurrences::One, Tolerance::Safe)
        .unwrap_err()
        .to_string()
}

#[test]
fn equal_texts_are_identical_before_anything_else() {
    assert!(message("abc", "x", "x").contains("identical"));
    assert_eq!(
        plan("abc", "", "", Occurrences::One, Tolerance::Safe),
        Err(ReplaceError::Identical)
    );
}

#[test]
fn an_empty_old_text_is_refused() {
    assert!(message("abc", "", "x").starts_with("Refusing"));
}

#[test]
fn an_ambiguous_edit_asks_for_context_or_replace_all() {
    let message = message("a\nb\na\n", "a", "x");
    assert!(
        message.contains("multiple matches") && message.contains("lines 1, 3"),
        "{message}"
    );
    assert!(
        message.contains("more context") && message.contains("`replace_all`"),
        "{message}"
    );
}

#[test]
fn a_text_that_is_nowhere_comes_with_the_nearest_regions() {
    let message = message(
        "one\nlet total = sum(values);\nthree\n",
        "let total = sum(items);",
        "x",
    );
    assert!(message.contains("Could not find"), "{message}");
    assert!(
        message.ends_with("lines 2-2\nlet total = sum(values);"),
        "{message}"
    );
}

#[test]
fn a_strategy_that_finds_several_never_hands_on() {
    // Only one of the two would be left for a strategy that minds indentation.
    assert_eq!(ambiguous("  a b\n\ta b\n", "a b "), [1, 2]);
    assert_eq!(ambiguous("x x\n  x\n", "x"), [1, 2]);
}

#[test]
fn a_far_larger_match_is_refused() {
    assert_eq!(
        found("begin x\nmiddle\nend\n", "begin x\nmidle\nend").0,
        "block_anchor"
    );
    // A long line, most of which the old text does not have: same words, a thousand blanks.
    let text = format!("a{}b\nc\n", " ".repeat(1000));
    let error = find(&text, "a b\nc", Occurrences::One, Tolerance::Safe).unwrap_err();
    assert!(matches!(error, ReplaceError::Refused(_)), "{error}");
    assert!(error.to_string().starts_with("Refusing"), "{error}");
}

#[test]
fn new_text_goes_in_literally() {
    assert_eq!(edited("a b c", "b", "$& $1 \\1 \\n"), "a $& $1 \\1 \\n c");
    assert_eq!(edited_all("b b", "b", "bb"), "bb bb");
}

#[test]
fn an_edit_can_delete_lines() {
    assert_eq!(edited("a\nb\nc\n", "b\n", ""), "a\nc\n");
    assert_eq!(edited("a\n  b\nc\n", "b \n", ""), "a\nc\n");
}

#[test]
fn replaced_lines_are_numbered() {
    let text = "a\nb\nc\nb\nc\n";
    let plan = plan(text, "b\nc\n", "x", Occurrences::All, Tolerance::Safe).unwrap();
    assert_eq!(plan.line_ranges(text), [(2, 3), (4, 5)]);
}

/// A file of ten megabytes with ordinary lines, and a thousand of them with a fault in each tenth.
fn large() -> (String, String) {
    let line = |index: usize| match index % 5 {
        0 => "}\n".to_owned(),
        1 => "\n".to_owned(),
        2 => format!(
            "fn function_{}(argument: usize) -> usize {{\n",
            index * 7919 % 1000
        ),
        _ => format!(
            "    let variable_{} = compute(argument, {});\n",
            index % 97,
            index * 31 % 1013
        ),
    };
    let text: String = (0..120_000).map(line).collect();
    let old = text.lines().skip(40_000).take(1000).enumerate();
    let old: Vec<String> = old
        .map(|(index, line)| {
            if index % 10 == 3 {
                line.replace('e', "ee")
            } else {
                line.to_owned()
            }
        })
        .collect();
    (text, old.join("\n"))
}

#[test]
fn finds_the_one_occurrence() {
    assert_eq!(found("one two three", "two"), ("simple", vec!["two"]));
}

#[test]
fn overlapping_occurrences_are_several() {
    assert_eq!(ambiguous("xaaax", "aa"), [1]);
}

#[test]
fn occurrences_on_many_lines_name_five() {
    assert_eq!(ambiguous(&"a\n".repeat(9), "a"), [1, 2, 3, 4, 5]);
}

#[test]
fn white_space_is_found_exactly_or_not_at_all() {
    assert_eq!(found("a\tb", "\t"), ("simple", vec!["\t"]));
    assert!(find("a b", "\t", Occurrences::One, Tolerance::Safe).is_err());
}

#[test]
fn case_and_composition_are_never_folded() {
    assert!(find("Word", "word", Occurrences::One, Tolerance::Safe).is_err());
    assert!(find("é", "e\u{301}", Occurrences::One, Tolerance::Safe).is_err());
}

#[test]
fn large_files_and_long_old_texts_take_no_longer_than_they_must() {
    let (text, old) = large();
    for old in [
        old.clone(),
        old.replace("compute", "determine_entirely_otherwise")
            .replace("argument", "q"),
        "}\n\n".repeat(500) + "x",
        format!("{old}\nnot there"),
        "\n".repeat(999) + "x\n\ny",
    ] {
        let start = Instant::now();
        let _ = find(&text, &old, Occurrences::One, Tolerance::Safe);
        // Unoptimised and beside other tests; optimised it is a fraction of a second.
        assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
    }
}

#[test]
fn monotonous_files_are_no_trap() {
    for (text, old) in [
        ("\n".repeat(500_000), "\n".repeat(400) + "x"),
        ("a ".repeat(250_000), "a ".repeat(400) + "b"),
        ("}\n".repeat(125_000), "}\n".repeat(400) + "x\n}\n"),
        ("a".repeat(500_000), "a".repeat(1000) + "b\n"),
        ("\\".repeat(250_000), "\\".repeat(400) + "n"),
    ] {
        let start = Instant::now();
        for occurrences in [Occurrences::One, Occurrences::All] {
            let _ = find(&text, &old, occurrences, Tolerance::Safe);
        }
        assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
    }
}

const TEXT: &str = "([ab {}\\\\n\t\"世]{0,4}\n){0,8}[ab ]{0,2}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn spans_are_in_order_in_bounds_and_not_empty(text in TEXT, old in TEXT, all in any::<bool>()) {
        let occurrences = if all { Occurrences::All } else { Occurrences::One };
        if let Ok(found) = find(&text, &old, occurrences, Tolerance::Safe) {
            prop_assert!(!found.spans.is_empty());
            prop_assert!(all || found.spans.len() == 1 );
            let mut last = 0;
            for span in &found.spans {
                prop_assert!(span.range.start >= last && !span.range.is_empty());
                prop_assert!(text.get(span.range.clone()).is_some());
                last = span.range.end;
            }
        }
    }

    #[test]
    fn an_exact_edit_is_what_the_standard_library_does(text in TEXT, old in "[ab \n]{1,3}", new in "[ab$\\\\ \n]{0,4}") {
        prop_assume!(old != new);
        let exact = text.matches(&old).count();
        match plan(&text, &old, &new, Occurrences::All, Tolerance::Safe) {
            Ok(plan) if exact > 0 => {
                prop_assert_eq!(plan.strategy.name(), if exact == 1 { "simple" } else { "multi_occurrence" });
                prop_assert_eq!(plan.apply(&text), text.replace(&old, &new));
            }
            Err(error) if exact > 0 => prop_assert!(false, "{}", error),
            _ => {}
        }
        match plan(&text, &old, &new, Occurrences::One, Tolerance::Safe) {
            Ok(plan) if exact > 0 => {
                prop_assert_eq!(plan.strategy.name(), "simple");
                prop_assert_eq!(plan.apply(&text), text.replacen(&old, &new, 1));
            }
            Err(error) if exact > 0 => prop_assert!(matches!(error, ReplaceError::Ambiguous { .. }), "{}", error),
            _ => {}
        }
    }

    #[test]
    fn whatever_is_asked_gets_an_answer(text in any::<String>(), old in any::<String>()) {
        let _ = find(&text, &old, Occurrences::One, Tolerance::Safe);
        let _ = find(&text, &old, Occurrences::All, Tolerance::Safe);
    }

    #[test]
    fn quoted_lines_are_found_with_other_indentation(text in "([ab]{1,3}\n){1,6}", indent in "[ \t]{1,3}") {
        let indented: String = text.split_inclusive('\n').flat_map(|line| [indent.as_str(), line]).collect();
        let quoted = indented.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        let found = find(&indented, &quoted, Occurrences::One, Tolerance::Safe);
        prop_assert!(found.is_ok(), "{:?}", found);
    }
}

#[test]
fn strict_takes_the_letter_alone() {
    let strict = |text: &str, old: &str, occurrences| find(text, old, occurrences, Tolerance::Strict);
    let found = strict("a\nb\n", "a\nb", Occurrences::One).unwrap();
    assert_eq!(found.strategy, super::Strategy::Simple);
    let all = strict("a a", "a", Occurrences::All).unwrap();
    assert_eq!(
        (all.strategy, all.spans.len()),
        (super::Strategy::MultiOccurrence, 2)
    );
    let near = strict("  a\n  b\n", "a\nb\n", Occurrences::One);
    assert!(matches!(near, Err(ReplaceError::NoMatch { .. })), "{near:?}");
}

#[test]
fn classic_takes_the_only_block_whatever_is_in_it() {
    let text = "begin\nsomething else\nand more\nand still more of it\nend\n";
    let old = "begin\nx\nend\n";
    assert!(find(text, old, Occurrences::One, Tolerance::Safe).is_err());
    let found = find(text, old, Occurrences::One, Tolerance::Classic).unwrap();
    assert_eq!(found.strategy, super::Strategy::BlockAnchor);
    assert_eq!(found.spans[0].range, 0..text.len());
}

#[test]
fn classic_takes_the_first_of_the_blocks_that_are_most_alike() {
    let old = "begin\nabcdefgh\nend\n";
    let block = |inner: &str| format!("begin\n{inner}\nend\n");
    let text = [block("zzzzzzzz"), block("abcdzzzz"), block("zzzzefgh")].concat();
    let found = find(&text, old, Occurrences::One, Tolerance::Classic).unwrap();
    let first = block("zzzzzzzz").len();
    assert_eq!(found.spans.len(), 1);
    assert_eq!(found.spans[0].range.start, first);
    let unlike = [block("zzzzzzzz"), block("yyyyyyyy")].concat();
    assert!(find(&unlike, old, Occurrences::One, Tolerance::Classic).is_err());
}
