//! Every form that is taken, every error with its line.

use proptest::prelude::*;

use super::*;

fn update<'a>(sections: &'a [Section<'_>]) -> (Option<&'a str>, &'a [Chunk<'a>]) {
    match &sections[0].operation {
        Operation::Update { move_to, chunks } => (*move_to, chunks),
        other => panic!("no update: {other:?}"),
    }
}

/// A patch around these lines.
fn patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}\n*** End Patch")
}

#[test]
fn all_operations_are_read_in_their_order() {
    let text = patch(
        "*** Add File: a b.txt\n+one\n+\n++two\n*** Delete File: gone\n*** Update File: old\n*** Move to: new\n@@ fn x\n \
         c\n-r\n+a\n\n*** End of File\n@@\n+z",
    );
    let sections = parse(&text).unwrap();
    assert_eq!(
        sections[0],
        Section {
            path: "a b.txt",
            operation: Operation::Add {
                lines: vec!["one", "", "+two"]
            },
            line: 2,
        }
    );
    assert_eq!(
        (sections[1].path, &sections[1].operation, sections[1].line),
        ("gone", &Operation::Delete, 6)
    );
    let (move_to, chunks) = update(&sections[2..]);
    assert_eq!(move_to, Some("new"));
    assert_eq!(
        chunks,
        [
            Chunk {
                header: Some("fn x"),
                lines: vec![
                    ChunkLine::Context("c"),
                    ChunkLine::Removed("r"),
                    ChunkLine::Added("a"),
                    ChunkLine::Context(""),
                ],
                at_end: true,
                line: 9,
            },
            Chunk {
                header: None,
                lines: vec![ChunkLine::Added("z")],
                at_end: false,
                line: 15,
            }
        ]
    );
}

#[test]
fn a_file_without_lines_can_be_added() {
    let text = patch("*** Add File: empty");
    let sections = parse(&text).unwrap();
    assert_eq!(sections[0].operation, Operation::Add { lines: Vec::new() });
}

#[test]
fn the_first_chunk_needs_no_header() {
    let text = patch("*** Update File: a\n-x\n@@\n-y");
    let sections = parse(&text).unwrap();
    let (_, chunks) = update(&sections);
    assert_eq!((chunks[0].line, chunks[1].line), (3, 4));
    assert_eq!(chunks[0].lines, [ChunkLine::Removed("x")]);
}

#[test]
fn blanks_here_documents_and_crlf_are_taken() {
    let plain = patch("*** Update File: a\n@@\n-x\n+y");
    let expected = parse(&plain).unwrap();
    let (_, expected) = update(&expected);
    for (text, first) in [
        (format!("\n \n{plain}\n\n\t\n"), 6),
        (format!("<<EOF\n{plain}\nEOF"), 5),
        (format!("<<'EOF'\n{plain}\nEOF\n"), 5),
        (format!(" <<\"EOF\" \n\n{plain}\n\n EOF \n"), 6),
        (plain.replace('\n', "\r\n"), 4),
        (
            "  *** Begin Patch \n *** Update File:  a \n\t@@ \n-x\n+y\n  *** End Patch\t".to_owned(),
            4,
        ),
    ] {
        let sections = parse(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
        assert_eq!(sections[0].path, "a");
        let (_, chunks) = update(&sections);
        assert_eq!(chunks[0].lines, expected[0].lines, "{text:?}");
        assert_eq!(chunks[0].line + 1, first, "{text:?}");
    }
}

#[test]
fn a_patch_of_a_patch_can_be_written() {
    let text =
        patch("*** Update File: doc.md\n@@\n *** End Patch\n-*** Add File: x\n+*** Add File: y\n *** a list");
    let sections = parse(&text).unwrap();
    let (_, chunks) = update(&sections);
    assert_eq!(
        chunks[0].lines,
        [
            ChunkLine::Context("*** End Patch"),
            ChunkLine::Removed("*** Add File: x"),
            ChunkLine::Added("*** Add File: y"),
            ChunkLine::Context("*** a list"),
        ]
    );
}

#[test]
fn errors_name_their_line() {
    let long = "x".repeat(200);
    for (text, line, words) in [
        (String::new(), 1, "expected `*** Begin Patch`, found a blank line"),
        (
            "\n\nhello".to_owned(),
            3,
            "expected `*** Begin Patch`, found `hello`",
        ),
        ("```\n*** Begin Patch".to_owned(), 1, "code fence"),
        (
            "cat <<'EOF'\n*** Begin Patch\nEOF".to_owned(),
            1,
            "found `cat <<'EOF'`",
        ),
        (
            "*** Begin Patch\n*** Delete File: a\n".to_owned(),
            2,
            "ends without `*** End Patch`",
        ),
        ("*** Begin Patch".to_owned(), 1, "ends without `*** End Patch`"),
        (
            format!("{}\n\nDone.", patch("*** Delete File: a")),
            5,
            "found `Done.`",
        ),
        (format!("{}\n```", patch("*** Delete File: a")), 4, "code fence"),
        (
            format!("{0}\n{0}", patch("*** Delete File: a")),
            4,
            "may follow `*** End Patch`, found `*** Begin Patch`",
        ),
        (patch(""), 2, "found a blank line"),
        ("*** Begin Patch\n*** End Patch".to_owned(), 2, "changes nothing"),
        (
            patch("*** Rename File: a"),
            2,
            "`*** Rename File: a` is no header",
        ),
        (patch("hello"), 2, "expected `*** Add File: PATH`"),
        (
            patch("*** Delete File: a\n\n*** Delete File: b"),
            3,
            "found a blank line",
        ),
        (patch("*** Delete File:  "), 2, "names no path"),
        (patch("*** Update File: a\n*** Move to:\n-x"), 3, "names no path"),
        (patch("*** Move to: b"), 2, "`*** Move to: PATH` stands only"),
        (
            patch("*** Update File: a\n-x\n*** Move to: b"),
            4,
            "`*** Move to: PATH` stands only",
        ),
        (patch("*** End of File"), 2, "`*** End of File` stands only"),
        (patch("*** Update File: a"), 2, "`a` has no chunk"),
        (
            patch("*** Delete File: z\n*** Update File: a\n*** Move to: b"),
            3,
            "`a` has no chunk",
        ),
        (patch("*** Update File: a\n@@"), 3, "the chunk has no lines"),
        (
            patch("*** Update File: a\n@@\n*** End of File"),
            4,
            "the chunk has no lines",
        ),
        (patch("*** Update File: a\n@@ x\n@@ y\n-z"), 4, "one `@@` line"),
        (patch("*** Update File: a\n@@x\n-z"), 3, "found `@@x`"),
        (patch("*** Update File: a\n-z\n@@@"), 4, "found `@@@`"),
        (
            patch("*** Update File: a\n@@ -1,3 +1,4 @@\n-z"),
            3,
            "line numbers are not part",
        ),
        (
            patch("*** Update File: a\n@@ -1 +0,0 @@ fn x\n-z"),
            3,
            "line numbers are not part",
        ),
        (
            patch("*** Update File: a\n-x\n\\ No newline at end of file"),
            4,
            "missing final newline",
        ),
        (patch("*** Update File: a\n-x\nplain"), 4, "found `plain`"),
        (patch("*** Update File: a\n-x\n*** Nonsense"), 4, "is no header"),
        (patch("*** Update File: a\n-x\n```"), 4, "code fence"),
        (
            patch("*** Update File: a\n-x\n*** End of File\n-y"),
            5,
            "after `*** End of File` comes",
        ),
        (patch("*** Add File: a\n+x\ny"), 4, "begins with `+`, found `y`"),
        (
            patch("*** Add File: a\n+x\n"),
            4,
            "begins with `+`, found a blank line",
        ),
        (patch(&format!("*** Add File: a\n{long}")), 3, "xxx…`"),
    ] {
        let error = parse(&text).expect_err(&text);
        assert_eq!(error.line, line, "{error}: {text:?}");
        let sentence = error.to_string();
        assert!(
            sentence.starts_with(&format!("line {line} of the patch: ")),
            "{sentence}"
        );
        assert!(sentence.contains(words), "{sentence}: {text:?}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "((\\*\\*\\* (Begin Patch|End Patch|(Add|Update|Delete) File: a?|Move to: b?|End of File)|<<EOF|EOF|@@|@@ a|[ +-]?[ab\u{20ac}@*]{0,3})\r?\n){0,15}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_body_panics_and_errors_lie_in_the_patch(body in "((\\*\\*\\* ((Add|Update|Delete) File: a|Move to: b|End of File)|@@|@@ a|[ +-][ab]{0,3})\n){0,15}") {
        let text = patch(&body);
        if let Err(error) = parse(&text) {
            prop_assert!(error.line >= 1 && error.line <= text.lines().count());
        }
    }

    #[test]
    fn any_bytes_are_answered(text in any::<String>()) {
        let _ = parse(&text);
        let _ = parse(&patch(&text));
    }
}
