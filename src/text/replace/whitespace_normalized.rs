//! Runs of white space count as one space.
//!
//! A single line is found as a whole line or within one. Several lines are found as windows of as many lines with the
//! same words, wherever the words are broken into lines inside the window, and as one line that has all of the words. A
//! window of such a line and blank ones is the line again, and does not count beside it.

use super::search::{Numbers, Search};
use super::white_space::{is_white_space, words};
use super::{Span, SpanKind};
use crate::text::sequence::starts_of;

pub(super) fn positions(search: &Search<'_>) -> Vec<Span> {
    match search.old_lines() {
        [line] => in_lines(search, line),
        _ => windows(search),
    }
}

fn in_lines(search: &Search<'_>, old: &str) -> Vec<Span> {
    let wanted = words(old).collect::<Vec<_>>().join(" ");
    let mut spans = Vec::new();
    let mut normalized = String::new();
    for (index, line) in search.lines().iter().enumerate() {
        if spans.len() >= search.enough() {
            break;
        }
        normalize_into(&mut normalized, line);
        if normalized == wanted {
            spans.push(search.span(index..index + 1));
        } else if normalized.contains(&wanted) {
            spans.extend(parts(search, index, &normalized, &wanted));
        }
    }
    spans
}

fn normalize_into(normalized: &mut String, line: &str) {
    normalized.clear();
    for word in words(line) {
        if !normalized.is_empty() {
            normalized.push(' ');
        }
        normalized.push_str(word);
    }
}

/// Returns the parts of a line that equal the wanted text.
fn parts(search: &Search<'_>, index: usize, normalized: &str, wanted: &str) -> Vec<Span> {
    let offsets = source_offsets(search.lines().get(index));
    let base = search.lines().start(index);
    // The wanted text begins and ends within words, where one byte stands for one byte.
    let span = |start: usize| Span {
        range: base + offsets[start]..base + offsets[start + wanted.len() - 1] + 1,
        kind: SpanKind::Text,
    };
    search.starts_in(normalized, wanted).map(span).collect()
}

/// Returns where each byte of a normalised line comes from.
fn source_offsets(line: &str) -> Vec<usize> {
    let mut offsets = Vec::with_capacity(line.len());
    let mut after_blank = false;
    for (at, c) in line.char_indices() {
        if is_white_space(c) {
            after_blank = true;
            continue;
        }
        if after_blank && !offsets.is_empty() {
            offsets.push(at - 1);
        }
        after_blank = false;
        offsets.extend(at..at + c.len_utf8());
    }
    offsets
}

fn windows(search: &Search<'_>) -> Vec<Span> {
    let mut numbers = Numbers::default();
    let old: Vec<u32> = words(search.old).map(|word| numbers.of_old(word)).collect();
    let mut text: Vec<u32> = Vec::new();
    // The first word of each line, and behind the last line the count of all.
    let mut firsts = vec![0];
    for line in search.lines().iter() {
        text.extend(words(line).map(|word| numbers.of_text(word)));
        firsts.push(text.len());
    }
    let size = search.old_lines().len();
    let count = search.lines().count();
    let mut spans = Vec::new();
    let mut line = 0;
    for start in starts_of(&text, &old) {
        let end = start + old.len();
        while line < count && firsts[line] <= start && spans.len() < search.enough() {
            if firsts[line] == start && firsts[line + 1] == end {
                spans.push(search.span(line..line + 1));
            } else if firsts[line] == start
                && firsts.get(line + size) == Some(&end)
                && !(line..line + size).any(|line| firsts[line] == start && firsts[line + 1] == end)
            {
                spans.push(search.span(line..line + size));
            }
            line += 1;
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use crate::text::replace::tests::{ambiguous, edited, found, found_all, no_match};

    #[test]
    fn a_whole_line_is_found_with_its_indentation() {
        assert_eq!(
            found("  let  a =\t1;\n", "let a = 1;"),
            ("whitespace_normalized", vec!["  let  a =\t1;"])
        );
    }

    #[test]
    fn part_of_a_line_is_found_as_it_is() {
        assert_eq!(
            found("if (a  &&\tb) {}\n", "a && b"),
            ("whitespace_normalized", vec!["a  &&\tb"])
        );
        assert_eq!(edited("if (a  &&\tb) {}\n", "a && b", "c"), "if (c) {}\n");
        assert_eq!(
            found("世  界 人\n", " 世 界"),
            ("whitespace_normalized", vec!["世  界"])
        );
    }

    #[test]
    fn words_must_be_apart_in_both() {
        no_match("a&&b\n", "a && b");
    }

    #[test]
    fn windows_of_as_many_lines_may_break_elsewhere() {
        let text = "x\nfoo(a,\n  b, c);\ny\n";
        assert_eq!(
            found(text, "foo(a, b,\nc);"),
            ("whitespace_normalized", vec!["foo(a,\n  b, c);"])
        );
        no_match("q\nfoo(a, b, c); r\n", "foo(a,\nb, c);");
    }

    #[test]
    fn several_lines_are_found_in_one_that_has_all_their_words() {
        let old = "foo(a,\n    b,\n  c);";
        for text in ["foo(a, b, c);\n", "q\n\n  foo(a,  b, c);\n\nr\n", "foo(a, b, c);"] {
            let line = text.lines().find(|line| line.contains("foo")).unwrap();
            assert_eq!(
                found(text, old),
                ("whitespace_normalized", vec![line]),
                "{text:?}"
            );
        }
        assert_eq!(
            edited("x\nfoo(a, b, c);\ny\n", &format!("{old}\n"), "z\n"),
            "x\nz\ny\n"
        );
        no_match("foo(a, b, c); d\n", old);
        assert_eq!(ambiguous("foo(a, b, c);\nx\nfoo(a, b,\nc);\n\n", old), [1, 3]);
        assert_eq!(
            found_all("foo(a, b, c);\n\nfoo(a, b,  c);\n", old).1,
            ["foo(a, b, c);", "foo(a, b,  c);"]
        );
    }

    #[test]
    fn the_span_of_a_window_takes_the_break() {
        let text = "foo(a,\n  b, c);\ny\n";
        assert_eq!(found(text, "foo(a, b,\nc);\n").1, ["foo(a,\n  b, c);\n"]);
    }

    #[test]
    fn a_whole_line_and_a_part_are_several() {
        assert_eq!(ambiguous("a  b\nx a  b\n", "a b"), [1, 2]);
        assert_eq!(found_all("a  b\nx a  b\n", "a b").1, ["a  b", "a  b"]);
    }
}
