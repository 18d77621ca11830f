use super::*;

/// Returns the meanings of the words of a line.
fn words(language: &str, lines: &[&str]) -> Vec<(String, Meaning)> {
    let highlighter = Highlighter::new();
    let mut state = highlighter.start(language);
    let mut words = Vec::new();
    for line in lines {
        let mut start = 0;
        for run in highlighter.line(&mut state, line).iter() {
            let word = line[start..run.end].trim();
            if !word.is_empty() {
                words.push((word.to_owned(), run.meaning));
            }
            start = run.end;
        }
        assert_eq!(start, line.len());
    }
    words
}

#[test]
fn rust_is_read() {
    let found = words("rust", &["fn main() { // hi", "    let x = \"a\\n\"; 12"]);
    for expected in [
        ("fn", Meaning::CodeKeyword),
        ("main", Meaning::CodeFunction),
        ("// hi", Meaning::CodeComment),
        ("\\n", Meaning::CodeEscape),
        ("12", Meaning::CodeNumber),
    ] {
        let expected = (expected.0.to_owned(), expected.1);
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
}

#[test]
fn keys_of_json_are_told_from_values() {
    let found = words("json", &["{\"a\": \"b\"}"]);
    assert!(
        found.contains(&("\"a\"".into(), Meaning::CodeAttribute)),
        "{found:?}"
    );
    assert!(
        found.contains(&("\"b\"".into(), Meaning::CodeString)),
        "{found:?}"
    );
}

#[test]
fn state_goes_over_the_end_of_a_line() {
    let found = words("c", &["/* one", "two */ int"]);
    assert_eq!(found[0].1, Meaning::CodeComment);
    assert_eq!(found[1], ("two */".into(), Meaning::CodeComment));
}

#[test]
fn a_copy_reads_ahead_and_leaves_the_state() {
    let highlighter = Highlighter::new();
    let mut state = highlighter.start("rs");
    highlighter.line(&mut state.clone(), "/* open");
    let runs = highlighter.line(&mut state, "fn");
    assert_eq!(runs[0].meaning, Meaning::CodeKeyword);
}

#[test]
fn long_lines_and_unknown_languages_stay_plain() {
    let highlighter = Highlighter::new();
    let mut state = highlighter.start("rs");
    let long = "fn ".repeat(1_000);
    assert_eq!(highlighter.line(&mut state, &long).len(), 1);
    assert_eq!(
        highlighter.line(&mut state, "fn")[0].meaning,
        Meaning::CodeKeyword
    );
    let mut state = highlighter.start("nonsense");
    assert_eq!(highlighter.line(&mut state, "fn")[0].meaning, Meaning::Code);
    let plain = Highlighter::plain();
    let mut state = plain.start("rs");
    assert_eq!(plain.line(&mut state, "fn")[0].meaning, Meaning::Code);
}

#[test]
fn lines_seen_before_are_not_parsed_again() {
    let highlighter = Highlighter::new();
    let lines: Vec<_> = (0..3_000)
        .map(|index| format!("let a{index} = {index};"))
        .collect();
    let mut last = None;
    for _ in 0..2 {
        let mut state = highlighter.start("rs");
        for line in &lines {
            last = Some(highlighter.line(&mut state, line));
        }
    }
    assert_eq!(last.unwrap()[0].meaning, Meaning::CodeKeyword);
    let memo = highlighter.memo.as_ref().unwrap().borrow();
    assert!(format!("{memo:?}").contains("lines"));
}
