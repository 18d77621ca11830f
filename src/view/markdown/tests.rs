use proptest::prelude::*;

use super::*;
use crate::view::test_look::{TestLook, picture};

fn drawn(text: &str, width: usize) -> String {
    picture(&render(text, width, TestLook::plain().look()))
}

/// Pushes the text in pieces, drawing after each, and returns the last picture.
fn in_pieces(text: &str, pieces: &[usize], width: usize, used: &TestLook) -> Vec<Line<'static>> {
    let mut markdown = Markdown::new();
    let mut start = 0;
    let mut sizes = pieces.iter().cycle();
    let mut stable: Vec<Line<'static>> = Vec::new();
    while start < text.len() {
        let wanted = start + (*sizes.next().unwrap()).max(1);
        let end = (wanted..=text.len()).find(|end| text.is_char_boundary(*end));
        let end = end.unwrap_or(text.len());
        markdown.push(&text[start..end]);
        start = end;
        let lines = markdown.lines(width, used.look()).to_vec();
        assert_eq!(lines[..stable.len()], stable, "stable lines changed");
        stable = lines[..markdown.stable_lines()].to_vec();
    }
    markdown.finish();
    let lines = markdown.lines(width, used.look()).to_vec();
    assert_eq!(lines[..stable.len()], stable, "stable lines changed");
    assert_eq!(markdown.stable_lines(), lines.len());
    lines
}

#[test]
fn blocks_stand_apart_and_lists_together() {
    let text =
        "# Title\nOne *two* **three**\nfour.\nItems:\n- a\n- b\n  - c\n\n1. x\n1. y\n\n   z\n\n---\nend";
    assert_eq!(
        drawn(text, 20),
        "Title\n\nOne two three four.\nItems:\n• a\n• b\n  • c\n\n1. x\n2. y\n\n   z\n\n────────────────────\n\nend\n"
    );
}

#[test]
fn a_quote_has_a_bar_and_wraps_inside_it() {
    assert_eq!(
        drawn("> one two three\n>\n> - a\n\nafter", 10),
        "┃ one two\n┃ three\n┃\n┃ • a\n\nafter\n"
    );
    assert_eq!(drawn("> [!NOTE]\n> mind", 10), "┃ Note\n┃ mind\n");
}

#[test]
fn code_is_labelled_and_keeps_its_spaces() {
    assert_eq!(
        drawn("a\n```rust,ignore\nfn x() {\n\n\ty\n}\n```\nb", 40),
        "a\n\n  ───────────────────────────────── rust\n  fn x() {\n\n      y\n  }\n\nb\n"
    );
    assert_eq!(
        drawn("```\nopen", 40),
        "  ──────────────────────────────────────\n  open\n"
    );
    assert_eq!(
        drawn("- a\n  ```\n  b\n  ```\n- c", 40),
        "• a\n    ────────────────────────────────────\n    b\n• c\n"
    );
}

#[test]
fn links_show_where_they_go() {
    assert_eq!(
        drawn("[a](http://b) <http://c> [d](#e) ![f](g.png) ![](h.png)", 80),
        "a (http://b) http://c d [image: f] [image: h.png]\n"
    );
    assert_eq!(drawn("[a][1]\n\n[1]: http://b", 80), "[a][1]\n\n[1]: http://b\n");
}

#[test]
fn tables_tasks_and_html_are_shown() {
    assert_eq!(
        drawn("| a | b |\n|---|--:|\n| x<br>y | 100 |", 40),
        "a    b\n──────\nx  100\ny\n"
    );
    assert_eq!(drawn("- [x] a\n- [ ] b", 40), "[x] a\n[ ] b\n");
    assert_eq!(drawn("<!-- a\n\nb -->\nc", 40), "  <!-- a\n\n  b -->\n\nc\n");
    assert_eq!(drawn("a <b>c</b>", 40), "a <b>c</b>\n");
}

#[test]
fn numbers_go_on_and_items_may_be_empty() {
    assert_eq!(drawn("3. a\n3. b\n3.\n", 20), "3. a\n4. b\n5.\n");
    assert_eq!(drawn("1. a\n\n1. b", 20), "1. a\n\n2. b\n");
    assert_eq!(drawn("- a\n\n- b", 20), "• a\n\n• b\n");
}

#[test]
fn marks_that_are_not_decided_are_not_shown() {
    let test = TestLook::plain();
    let mut markdown = Markdown::new();
    let mut last = String::new();
    for piece in ["Items:\n", "-", " a\n", "``", "`\nx\n", "``"] {
        markdown.push(piece);
        last = picture(markdown.lines(30, test.look()));
        assert!(!last.contains('`') && !last.contains('-'), "{last}");
    }
    assert_eq!(last, "Items:\n• a\n\n  ────────────────────────────\n  x\n");
}

#[test]
fn a_table_is_one_from_its_first_cell_on() {
    let used = TestLook::plain();
    let text = "One:\n\n| name | what \\| why |\n|------|-----------:|\n| x | 1 |";
    let mut markdown = Markdown::new();
    let mut rows = 0;
    for (at, c) in text.char_indices() {
        markdown.push(&text[at..at + c.len_utf8()]);
        let lines = markdown.lines(40, used.look());
        let last = picture(lines);
        assert!(
            !last.replace("what | why", "").replace("what |", "").contains('|'),
            "{last}"
        );
        assert!(lines.len() >= rows, "{last}");
        rows = lines.len();
    }
    assert_eq!(
        picture(markdown.lines(40, used.look())),
        "One:\n\nname  what | why\n────────────────\nx              1\n"
    );
}

#[test]
fn what_only_begins_like_a_table_is_text_in_the_end() {
    for text in [
        "| no | table\nend",
        "| no | table",
        "| a | b |\n|---|",
        "| a\n\nb",
    ] {
        let mut markdown = Markdown::new();
        for (at, c) in text.char_indices() {
            markdown.push(&text[at..at + c.len_utf8()]);
            markdown.lines(40, TestLook::plain().look());
        }
        markdown.finish();
        let lines = markdown.lines(40, TestLook::plain().look());
        assert_eq!(picture(lines), drawn(text, 40), "{text:?}");
        assert!(drawn(text, 40).contains('|'), "{text:?}");
    }
}

#[test]
fn controls_in_entities_and_sequences_do_not_pass() {
    let text = drawn("a&#27;[31mb \u{1b}[2Jc\u{7}\n\n```\n\u{1b}]0;x\u{7}d\n```", 40);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn source_lines_that_are_complete_do_not_change() {
    let test = TestLook::default();
    let mut markdown = Markdown::new();
    markdown.push("```rust\nfn a() {}\n/* x\n");
    markdown.lines(40, test.look());
    assert_eq!(markdown.stable_lines(), 3);
    markdown.push("y");
    assert_eq!(markdown.lines(40, test.look()).len(), 4);
    assert_eq!(markdown.stable_lines(), 3);
}

#[test]
fn another_width_draws_all_anew() {
    let test = TestLook::plain();
    let mut markdown = Markdown::new();
    markdown.push("one two\n\n```\nabc\n");
    assert_eq!(markdown.lines(40, test.look()).len(), 4);
    assert_eq!(markdown.lines(5, test.look()).len(), 5);
    assert_eq!(markdown.lines(40, test.look()).len(), 4);
}

#[test]
fn drawing_a_delta_takes_the_same_time_in_a_long_text() {
    let test = TestLook::plain();
    for unit in ["word **bold** ", "- item\n", "para\n\n", "> quote\n", "x"] {
        let mut markdown = Markdown::new();
        let mut longest = 0;
        for _ in 0..30_000 {
            markdown.push(unit);
            longest = longest.max(markdown.source.len() - markdown.open_start());
        }
        markdown.lines(80, test.look());
        assert!(longest <= 70 * 1024, "{unit:?} leaves {longest} bytes open");
    }
}

impl Markdown {
    /// Returns the first line of the part that is redrawn with each frame.
    fn open_start(&self) -> usize {
        self.splitter.open().map_or(self.scanned, |open| open.range.start)
    }
}

fn markdown_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\n\n"),
        Just("- "),
        Just("1. "),
        Just("* "),
        Just("> "),
        Just("```"),
        Just("```rust\n"),
        Just("~~~\n"),
        Just("    "),
        Just("  "),
        Just("# "),
        Just("| a | b |\n|---|---|\n"),
        Just("| x | y |\n"),
        Just("---\n"),
        Just("==="),
        Just("**"),
        Just("*"),
        Just("`"),
        Just("[a](b)"),
        Just("![i](j)"),
        Just("<!-- "),
        Just("-->"),
        Just("<pre>"),
        Just("<div>\n"),
        Just("word "),
        Just("fn main() { }"),
        Just("世界"),
        Just("👩‍💻"),
        Just("[r]: url\n"),
        Just("- [x] "),
        Just("\t"),
        Just("\r\n"),
        Just("\r"),
        Just("\u{1b}[31m"),
        Just("&#27;"),
        Just("\u{202e}"),
        Just("e\u{301}"),
        Just("averyveryverylongwordwithoutanyspace"),
        Just("\\"),
        Just("<br>"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn check(text: &str, pieces: &[usize], width: usize, used: &TestLook) {
    let whole = render(text, width, used.look());
    for line in &whole {
        assert!(line.width() <= width, "{line:?} is wider than {width}");
        let has_control = line
            .spans
            .iter()
            .any(|span| span.content.contains(char::is_control));
        assert!(!has_control, "{line:?} has a control");
    }
    let pieces = in_pieces(text, pieces, width, used);
    assert_eq!(picture(&pieces), picture(&whole), "{text:?}");
    assert_eq!(pieces, whole, "{text:?}");
}

proptest! {
    #[test]
    fn pieces_give_the_lines_of_the_whole(
        text in markdown_text(),
        pieces in proptest::collection::vec(1_usize..9, 1..5),
        width in 1_usize..200,
    ) {
        check(&text, &pieces, width, &TestLook::plain());
    }

    #[test]
    fn bytes_of_any_kind_are_survived(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        pieces in proptest::collection::vec(1_usize..9, 1..5),
        width in 1_usize..200,
    ) {
        check(&String::from_utf8_lossy(&bytes), &pieces, width, &TestLook::plain());
    }
}

/// Everything that models write, and what goes wrong while it is half there.
const NASTY: &str = "# Title with `code` and *half\n\nA [link](https://example.invalid/a_(b)?c=d) and <https://e.invalid>, \
    ~~gone~~, **bold *and* more**, a \\* star, snake_case_word, 2*3*4, ![picture](a.png).\nA second line  \nwith a break.\n\n\
    - one\n  - two, with [a link](b \"t\")\n    1. three\n\n       a paragraph\n    2. four\n- [x] done\n* another list\n\n\
    | a | b | c |\n| --- | :-: | ---: |\n| `x | y` | **世界** | 1 |\n| long words that wrap somewhere | | 22 |\n| \\| | e\u{301} |\n\n\
    > quoted\n> > deeper\n> - item\nlazy\n\n```rust\nfn a<'a>(x: &'a str) -> usize { /* ``` */\n    x.len()\n}\n```\n\
    ~~~~md\n```\nnot the end\n```\n~~~~\nSetext\n===\n\n***\n1) a\n2) b\n\n<details>\n<summary>s</summary>\n\n</details>\n\n    \
    indented\n\nfootnote[^1] &amp; &#x1F600; 👩‍👩‍👧‍👦 שלום\n\n[^1]: what\n| not | a table\nend without a newline **and open";

#[test]
fn a_nasty_document_in_pieces_is_the_whole_one_at_every_width() {
    let used = TestLook::plain();
    for width in 1..=200 {
        let whole = render(NASTY, width, used.look());
        assert_eq!(
            in_pieces(NASTY, &[97, 1, 41], width, &used),
            whole,
            "{width} columns"
        );
    }
    for width in [1, 2, 7, 21, 40, 80, 200] {
        let whole = render(NASTY, width, used.look());
        assert_eq!(in_pieces(NASTY, &[1], width, &used), whole, "{width} columns");
    }
}

/// Texts that cost a parser, or the layout, far more than their length.
fn floods(bytes: usize) -> Vec<(&'static str, String)> {
    let of = |piece: &str| piece.repeat(bytes / piece.len());
    let numbered = |piece: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for number in 0..bytes {
            text.push_str(&piece(number));
            if text.len() >= bytes {
                break;
            }
        }
        text
    };
    let columns = bytes / 400;
    vec![
        ("quotes", of(">")),
        ("spaced quotes", of("> ")),
        ("lists", of("- ") + "a"),
        ("plus lists", of("+ ")),
        ("numbers", of("1. ") + "a"),
        (
            "stairs",
            numbered(&|nth| format!("{}- a\n", "  ".repeat(nth % 200))),
        ),
        ("rules", of("- - - -\n")),
        ("quotes in many lines", of(&(">".repeat(60) + "\n"))),
        ("quotes and lists", of("> - 1. ")),
        ("brackets", of("[")),
        ("images", of("![")),
        ("links", of("[a](")),
        ("link texts", of("[a][b]")),
        ("stars", of("*")),
        ("words and stars", of("a**b_c*")),
        ("stars and words", of("*a _b ")),
        ("strike-through", of("~~a~")),
        ("back-quotes", numbered(&|nth| "`".repeat(nth % 300 + 1) + "a")),
        ("fences in lists", of("- ```\n")),
        ("escapes", of("\\")),
        ("entities", of("&amp;&#x41;&")),
        ("tags", of("<a b=\"")),
        ("comments", of("<!--")),
        ("instructions", of("a <? ")),
        ("declarations", of("a <![CDATA[ <!A ")),
        ("autolinks", numbered(&|nth| format!("<https://a.b/{nth}> "))),
        ("mail", of("<a@b.c>")),
        ("definitions", numbered(&|nth| format!("[a{nth}]: /b\n"))),
        ("a long definition", format!("[a]: <{}", of("b"))),
        ("columns", of("|a") + "\n" + &of("|-")),
        (
            "wide table",
            "|a".repeat(columns) + "\n" + &"|-".repeat(columns) + "\n" + &of("|\n"),
        ),
        ("long table", "a|b\n-|-\n".to_owned() + &of("|\n")),
        ("setext", of("a\n=\n")),
        ("task lists", of("- [ ] a\n")),
        ("tabs", of("\t- ")),
    ]
}

#[test]
fn no_text_takes_out_of_proportion_to_its_length() {
    let test = TestLook::plain();
    for (name, text) in floods(24_000) {
        let started = std::time::Instant::now();
        let mut markdown = Markdown::new();
        // As it streams: what is open is laid out with each frame.
        let pieces = text.as_bytes().chunks(text.len().div_ceil(8));
        for piece in pieces {
            markdown.push(std::str::from_utf8(piece).unwrap());
            markdown.lines(80, test.look());
        }
        markdown.finish();
        markdown.lines(80, test.look());
        code_blocks(&text);
        let took = started.elapsed();
        println!("{name}: {took:?}");
        assert!(took.as_secs() < 10, "{name}: {took:?}");
    }
}

#[test]
fn what_is_nested_beyond_measure_is_shown_as_it_is() {
    let deep = ">".repeat(70) + " deep";
    assert_eq!(drawn(&deep, 100), format!("{deep}\n"));
    // A usual depth is drawn as ever, and what stands beside the other is Markdown.
    assert_eq!(drawn("> > > deep", 40), "┃ ┃ ┃ deep\n");
    assert_eq!(
        drawn(&format!("# a\n\n{deep}\n\n- b"), 100),
        format!("a\n\n{deep}\n\n• b\n")
    );
}

#[test]
fn source_is_found_in_every_kind_of_block() {
    let text = "a\n```rust\n  x\n\ny\n```\n> ```\n> in a quote\n> ```\n\n- b\n  ~~~\n  in a list\n  ~~~\n\nend\n\n  ```\n   less\n  ```\n\n```\nopen";
    assert_eq!(
        code_blocks(text),
        ["  x\n\ny\n", "in a quote\n", "in a list\n", " less\n", "open\n"]
    );
}
