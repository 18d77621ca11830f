//! A card to lines: one line of grammar, then the body, a step in.

use std::ops::Range;
use std::time::Duration;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::tone::tone_style;
use super::{Card, CardPart, CardStatus, Code, ToneLine, printed};
use crate::text::sanitize::{reveal, reveal_line};
use crate::text::{sanitize, width};
use crate::view::approval::ApprovalText;
use crate::view::diff::{Sides, SplitRow};
use crate::view::look::{Look, status_meaning};
use crate::view::styled_text::{StyledText, cut_line, first_line};
use crate::view::table::Table;
use crate::view::theme::Meaning;
use crate::view::{diff, markdown, spinner, tree};

/// Columns before the title and before the body: a space, the gutter's sign, a space.
const INDENT: usize = 3;
/// The longest time that a card has room for.
const LONG_TIME: &str = "10:00:00";
/// The argument gives way to this width before facts are left out.
const SHORT_ARGUMENT: usize = 12;

/// How to draw one card now.
#[derive(Debug, Clone, Copy)]
pub struct CardLook<'a> {
    pub look: Look<'a>,
    pub width: usize,
    /// The spinner's frame.
    pub frame: usize,
    /// How long the call took, or has been running.
    pub elapsed: Option<Duration>,
    /// A short warning behind the title, such as `!` for a renderer that failed.
    pub badge: Option<&'a str>,
    /// The key that expands the card; empty where it is expanded, or none does.
    pub expands: &'a str,
    /// The key that opens all of what an expanded card shows the end of; empty where none does.
    pub opens: &'a str,
}

/// One row of a card.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CardRow {
    pub line: Line<'static>,
    /// The lines of a diff that it shows beside each other.
    pub sides: Option<Sides>,
    /// Columns that show nothing of the text: numbers and signs beside it, remarks. They may reach past the row's end.
    pub asides: Vec<Range<usize>>,
}

impl From<Line<'static>> for CardRow {
    fn from(line: Line<'static>) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }
}

impl From<SplitRow> for CardRow {
    fn from(row: SplitRow) -> Self {
        Self {
            line: row.line,
            sides: row.sides,
            ..Self::default()
        }
    }
}

impl CardRow {
    /// Moves it to the right.
    pub fn shifted(mut self, columns: usize) -> Self {
        if columns > 0 && !self.line.spans.is_empty() {
            self.line.spans.insert(0, Span::raw(" ".repeat(columns)));
            self.sides = self.sides.map(|sides| sides.shifted(columns));
            for aside in &mut self.asides {
                *aside = aside.start + columns..aside.end.saturating_add(columns);
            }
        }
        self
    }
}

/// Lays out a card. No line is wider than the width (0 counts as 1), and the first is always the title's.
pub fn lay_out(card: &Card, status: CardStatus, cx: CardLook<'_>) -> Vec<Line<'static>> {
    let cx = CardLook {
        width: cx.width.max(1),
        ..cx
    };
    let mut lines = vec![header(card, status, cx)];
    lines.extend(lay_out_body(card, cx).into_iter().map(|row| row.line));
    lines
}

/// Lays out what stands below the title.
pub fn lay_out_body(card: &Card, cx: CardLook<'_>) -> Vec<CardRow> {
    let width = cx.width.max(1);
    let indent = if width > 4 * INDENT { INDENT } else { 0 };
    let mut rows: Vec<CardRow> = Vec::new();
    let mut last_cut = None;
    for part in card.body.iter().skip(usize::from(is_said(card, cx))) {
        let drawn = body(part, width - indent, cx.look);
        if is_cut_notice(part, drawn.last().map(|row| &row.line), cx.look) {
            last_cut = Some(rows.len() + drawn.len() - 1);
        }
        rows.extend(drawn.into_iter().map(|row| row.shifted(indent)));
    }
    let hint = match (cx.expands, cx.opens) {
        ("", "") => None,
        ("", key) => Some(format!("{key} opens all")),
        (key, _) => Some(format!("{key} expands")),
    };
    if let (Some(row), Some(hint)) = (last_cut, hint) {
        let hint = format!(" {} {hint}", cx.look.symbols.dot());
        let line = &mut rows[row].line;
        if line.width() + width::str_width(&hint) <= width {
            line.push_span(Span::styled(hint, cx.look.style(Meaning::TextMuted)));
        }
    }
    rows
}

/// Returns the whole argument in rows of its own, where the title cuts it and the body does not begin with it.
pub fn lay_out_argument(card: &Card, cx: CardLook<'_>) -> Vec<CardRow> {
    if is_whole(card, cx.badge.unwrap_or(""), cx) || begins_the_body(card, cx) {
        return Vec::new();
    }
    let text = ApprovalText::of(reveal(&card.argument), Meaning::Text, cx.look);
    text.indented(cx.width).into_iter().map(CardRow::from).collect()
}

/// Returns true if the title has room for all of the argument.
fn is_whole(card: &Card, badge: &str, cx: CardLook<'_>) -> bool {
    fit(card, badge, LONG_TIME, cx).argument == reveal_line(&card.argument).as_str()
}

/// Returns true if the body begins with the argument and has room for all of it.
fn begins_the_body(card: &Card, cx: CardLook<'_>) -> bool {
    let Some(CardPart::Code(code)) = card.body.first() else {
        return false;
    };
    let first = code.text.lines().next().unwrap_or_default();
    let has_room = code.wraps || INDENT + reveal_line(first).width() < cx.width;
    code.text.trim_end() == card.argument || (has_room && first.trim() == card.argument)
}

/// Returns true if the body begins with what the title says in full, such as a command in one line.
fn is_said(card: &Card, cx: CardLook<'_>) -> bool {
    let Some(CardPart::Code(code)) = card.body.first() else {
        return false;
    };
    let is_argument = !card.argument.is_empty() && code.text.trim_end() == card.argument;
    is_argument && is_whole(card, "", cx)
}

/// Returns true if the last row of a part says how much is left out. Of a diff it begins with the ellipsis then; all
/// its other rows begin with numbers or a sign.
fn is_cut_notice(part: &CardPart, last: Option<&Line<'_>>, look: Look<'_>) -> bool {
    let is_note = || {
        let first = last.and_then(|line| line.spans.first());
        first.is_some_and(|span| span.content.starts_with(look.symbols.ellipsis()))
    };
    match part {
        CardPart::Omitted(_) => true,
        CardPart::Diff(_) => is_note(),
        _ => false,
    }
}

/// Lays out the first line of a card alone, which is all that changes while a spinner turns.
pub fn header(card: &Card, status: CardStatus, cx: CardLook<'_>) -> Line<'static> {
    let look = cx.look;
    let status = match status {
        CardStatus::Done if card.look => CardStatus::Look,
        status => status,
    };
    let time = card.took().or(cx.elapsed);
    let time = time.map(spinner::elapsed).unwrap_or_default();
    let fit = fit(card, cx.badge.unwrap_or(""), &time, cx);
    let mut flow = StyledText::default();
    flow.push_clean(" ", Style::new());
    flow.push_clean(
        look.symbols.status(status, cx.frame),
        look.style(status_meaning(status)),
    );
    flow.push_clean(" ", Style::new());
    flow.push_line(&card.title, look.style(Meaning::TextStrong));
    if !fit.argument.is_empty() {
        flow.push_clean(" ", Style::new());
        push_argument(&mut flow, &card.language, &fit.argument, look);
    }
    let muted = look.style(Meaning::TextMuted);
    for fact in &fit.facts {
        flow.push_clean(" ", Style::new());
        flow.push_clean(look.symbols.dot(), muted);
        flow.push_clean(" ", Style::new());
        flow.push_line(fact, muted);
    }
    if let Some(badge) = cx.badge {
        flow.push_clean(" ", Style::new());
        flow.push_line(badge, look.style(Meaning::Warning));
    }
    let room = cx.width.saturating_sub(fit.time);
    let mut spans = flow.cut(room, look.symbols.ellipsis());
    if fit.time > 0 {
        let used = flow.width().min(room);
        let gap = cx.width.saturating_sub(used + time.len());
        spans.push(Span::raw(" ".repeat(gap)));
        spans.push(Span::styled(time, muted));
    }
    Line::from(spans)
}

fn push_argument(flow: &mut StyledText, language: &str, argument: &str, look: Look<'_>) {
    if language.is_empty() {
        flow.push_clean(argument, look.style(Meaning::Text));
        return;
    }
    let mut state = look.highlighter.start(language);
    flow.push_code(argument, &look.highlighter.line(&mut state, argument), look);
}

/// The part of the title's line that fits.
struct Fit {
    argument: String,
    /// Those that are shown.
    facts: Vec<String>,
    /// Columns of the time, with the gap before it; 0 for no time.
    time: usize,
}

/// Decides what gives way: first the argument down to a few columns, then facts from the last, then the time. An argument
/// that the card keeps gives way after the facts.
fn fit(card: &Card, badge: &str, time: &str, cx: CardLook<'_>) -> Fit {
    let look = cx.look;
    let (first, has_more) = first_line(&card.argument);
    let mut argument = reveal_line(first).to_string();
    if has_more {
        argument.push(' ');
        argument.push_str(look.symbols.ellipsis());
    }
    let width_of = |text: &str| width::str_width(&sanitize::sanitize_line(text));
    let badge = if badge.is_empty() { 0 } else { width_of(badge) + 1 };
    let fixed = INDENT + width_of(&card.title) + badge;
    let full = width::str_width(&argument);
    let short = full.min(SHORT_ARGUMENT) + usize::from(full > 0);
    let time = if time.is_empty() { 0 } else { time.len() + 2 };

    let time = if fixed + short + time > cx.width { 0 } else { time };
    let least = if card.keeps_argument {
        let room = cx.width.saturating_sub(fixed + time);
        (full + usize::from(full > 0)).min(room).max(short)
    } else {
        short
    };
    let mut left = cx.width.saturating_sub(fixed + least + time);
    let mut facts = Vec::new();
    let mut taken = 0;
    for fact in card.facts().map(ToString::to_string) {
        let columns = width_of(&fact) + 3;
        let Some(rest) = left.checked_sub(columns) else {
            break;
        };
        left = rest;
        taken += columns;
        facts.push(fact);
    }
    let room = cx.width.saturating_sub(fixed + time + taken + 1);
    Fit {
        argument: shorten(&argument, room),
        facts,
        time,
    }
}

/// Shortens a path between its components, and anything else at its end.
fn shorten(argument: &str, room: usize) -> String {
    if argument.contains('/') && !argument.contains(' ') {
        width::shorten_path(argument, room).into_owned()
    } else {
        width::truncate(argument, room).into_owned()
    }
}

fn body(part: &CardPart, width: usize, look: Look<'_>) -> Vec<CardRow> {
    let plain = |lines: Vec<Line<'static>>| lines.into_iter().map(CardRow::from).collect();
    match part {
        CardPart::Text(text) => {
            let mut flow = StyledText::default();
            flow.push(text.trim_end_matches(['\n', '\r']), look.style(Meaning::Text));
            plain(flow.rows(width).into_iter().map(Line::from).collect())
        }
        CardPart::Code(source) => code(source, width, look),
        CardPart::Diff(body) => match diff::on_two_sides(body, width, look) {
            Some(rows) => rows.into_iter().map(CardRow::from).collect(),
            None => plain(diff::lines(body, width, look)),
        },
        CardPart::Markdown(text) => plain(markdown::render(text, width, look)),
        CardPart::Table { head, rows } => plain(Table::of(head, rows, look).lines(width, look)),
        CardPart::Tree(rows) => plain(tree::lines(rows, width, look)),
        CardPart::Lines(lines) => lines.iter().map(|line| toned(line, width, look)).collect(),
        CardPart::Printed(lines) => plain(printed::lines(lines, width, look)),
        CardPart::Omitted(what) => vec![omitted(what, width, look)],
    }
}

fn omitted(what: &str, width: usize, look: Look<'_>) -> CardRow {
    let ellipsis = look.symbols.ellipsis();
    let text = format!("{ellipsis} {what}");
    let line = cut_line(&text, look.style(Meaning::TextMuted), width, ellipsis);
    CardRow {
        asides: std::iter::once(0..usize::MAX).collect(),
        ..line.into()
    }
}

fn code(source: &Code, width: usize, look: Look<'_>) -> Vec<CardRow> {
    let text = source.text.strip_suffix('\n').unwrap_or(&source.text);
    let last = source.first_line.map(|first| first + text.split('\n').count());
    let digits = last.map_or(0, |last| last.to_string().len());
    // Numbers may take a third of the row.
    let digits = if digits + 1 > width / 3 { 0 } else { digits };
    let mut state = look.highlighter.start(&source.language);
    let mut rows = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let shown = reveal(line);
        let mut flow = StyledText::default();
        let mut asides = Vec::new();
        if let Some(first) = source.first_line.filter(|_| digits > 0) {
            let number = format!("{:>digits$} ", first + index);
            flow.push_clean(&number, look.style(Meaning::CodeGutter));
            asides.push(0..flow.width());
        }
        let runs = look.highlighter.line(&mut state, shown.as_str());
        flow.push_revealed_code(&shown, &runs, look);
        let drawn = if source.wraps {
            flow.chopped(width)
        } else {
            vec![flow.cut(width, look.symbols.ellipsis())]
        };
        for spans in drawn {
            rows.push(CardRow {
                asides: std::mem::take(&mut asides),
                ..Line::from(spans).into()
            });
        }
    }
    rows
}

fn toned(line: &ToneLine, width: usize, look: Look<'_>) -> CardRow {
    let mut flow = StyledText::default();
    let mut asides = Vec::new();
    for span in line.iter() {
        let start = span.is_aside.then(|| flow.width());
        flow.push_line(&span.text, tone_style(span.tone, look));
        asides.extend(start.map(|start| start..flow.width()));
    }
    flow.keep_clusters();
    CardRow {
        asides,
        ..Line::from(flow.cut(width, look.symbols.ellipsis())).into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::view::card::printed::tests::{any_lines, at};
    use crate::view::card::{DiffBody, Fact, Tone, ToneSpan, TreeRow};
    use crate::view::look::Symbols;
    use crate::view::test_look::{TestLook, picture};

    fn title(card: &Card, width: usize) -> String {
        let test = TestLook::plain();
        picture(&lay_out(card, CardStatus::Done, at(&test, width))[..1])
    }

    fn read() -> Card {
        Card::new("Read", "src/tool/builtin/retry.rs:1-120")
            .meta("120 lines")
            .meta("meta")
    }

    #[test]
    fn the_time_stands_at_the_right() {
        assert_eq!(
            title(&read(), 70),
            " ● Read src/tool/builtin/retry.rs:1-120 · 120 lines · meta        0.1s\n"
        );
    }

    #[test]
    fn the_argument_gives_way_then_the_facts_then_the_time() {
        assert_eq!(
            title(&read(), 54),
            " ● Read src/…/retry.rs:1-120 · 120 lines · meta   0.1s\n"
        );
        assert_eq!(title(&read(), 36), " ● Read src/…/retry.rs:1-120    0.1s\n");
        assert_eq!(title(&read(), 24), " ● Read …/retry.rs:1-120\n");
        assert_eq!(title(&read(), 8), " ● Read\n");
        assert_eq!(title(&read(), 1), "…\n");
    }

    #[test]
    fn an_argument_that_is_kept_gives_way_after_the_facts() {
        let mut card = Card::new("Task", "explore: who calls backoff()")
            .meta("completed")
            .meta("12 calls");
        card.keeps_argument = true;
        assert_eq!(
            title(&card, 65),
            " ● Task explore: who calls backoff() · completed · 12 calls  0.1s\n"
        );
        assert_eq!(
            title(&card, 60),
            " ● Task explore: who calls backoff() · completed        0.1s\n"
        );
        assert_eq!(title(&card, 40), " ● Task explore: who calls backof…  0.1s\n");
    }

    #[test]
    fn the_time_of_what_a_call_is_about_stands_in_place_of_its_own() {
        let card = Card::new("Output", "explore").meta(Fact::Took(Duration::from_secs(63)));
        assert_eq!(title(&card, 30), " ● Output explore         1:03\n");
    }

    #[test]
    fn a_command_of_many_lines_shows_its_first() {
        let card = Card::new("Bash", "cd x &&\n  make");
        assert!(title(&card, 40).starts_with(" ● Bash cd x && …  "));
    }

    #[test]
    fn a_call_that_deserves_a_look_says_so_once_it_is_done() {
        let card = Card {
            look: true,
            ..Card::new("Bash", "false")
        };
        let test = TestLook::plain();
        let sign = |status| picture(&[header(&card, status, at(&test, 40))]).chars().nth(1);
        assert_eq!(sign(CardStatus::Done), Some('▲'));
        assert_eq!(sign(CardStatus::Failed), Some('✗'));
    }

    #[test]
    fn what_the_title_cuts_of_an_argument_stands_below_it_once() {
        let test = TestLook::plain();
        let rows = |card: &Card, width| {
            let rows = lay_out_argument(card, at(&test, width));
            let lines: Vec<Line<'_>> = rows.into_iter().map(|row| row.line).collect();
            picture(&lines)
        };
        let code = |text: &str, wraps| {
            CardPart::Code(Code {
                text: text.to_owned(),
                language: "bash".to_owned(),
                first_line: None,
                wraps,
            })
        };
        let bell = "printf 'a\u{7}b'";
        assert_eq!(
            rows(&Card::new("Bash", bell), 60),
            "",
            "the title names all of it"
        );
        let long = format!("{bell} && echo {}", "x".repeat(50));
        let shown = rows(&Card::new("Bash", &long), 60);
        assert!(shown.starts_with("   printf 'a⟨U+0007⟩b'"), "{shown}");
        let several = Card::new("Bash", bell).part(code(&format!("{bell}\nmake"), false));
        assert_eq!(rows(&several, 60), "");
        let several = format!("{long}\nmake");
        let wraps = Card::new("Bash", &long).part(code(&several, true));
        assert_eq!(rows(&wraps, 60), "", "the body begins with all of it");
        let cut = Card::new("Bash", &long).part(code(&several, false));
        assert!(rows(&cut, 60).starts_with("   printf"), "the body cuts it, too");
    }

    #[test]
    fn ascii_symbols_are_ascii() {
        let mut test_look = TestLook::plain();
        test_look.symbols = Symbols::Ascii;
        let card = read().part(CardPart::Omitted("23 lines above".into()));
        let cx = CardLook {
            badge: Some("!"),
            ..at(&test_look, 40)
        };
        let text = picture(&lay_out(&card, CardStatus::Done, cx));
        assert!(text.ends_with("\n   ~ 23 lines above\n"), "{text}");
        assert!(text.contains(" ! "), "{text}");
    }

    #[test]
    fn the_last_row_that_tells_what_is_left_out_tells_the_key_too() {
        let test = TestLook::plain();
        let unified = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -9 +9 @@\n-x\n+y\n";
        let diff = |max_lines| {
            CardPart::Diff(DiffBody {
                path: "a".into(),
                unified: unified.into(),
                max_lines,
                is_unplaced: false,
            })
        };
        let card = Card::new("Bash", "make")
            .part(CardPart::Omitted("23 lines above".into()))
            .part(diff(3));
        let picture = |card: &Card, width, expands| {
            let cx = CardLook {
                expands,
                ..at(&test, width)
            };
            picture(&lay_out(card, CardStatus::Done, cx)[1..])
        };
        let told = picture(&card, 60, "o");
        assert!(told.starts_with("   … 23 lines above\n"), "{told}");
        assert!(told.ends_with("\n   … 1 more hunk at 9 · o expands\n"), "{told}");
        let told = picture(&card, 26, "o");
        assert!(
            told.ends_with("\n   … 1 more hunk at 9\n"),
            "a count is never cut for it: {told}"
        );
        let whole = Card::new("Edit", "a").part(diff(0));
        assert!(!picture(&whole, 60, "o").contains("expands"));
        assert!(!picture(&card, 60, "").contains("expands"));
    }

    #[test]
    fn a_command_is_coloured_in_the_row_of_its_title() {
        let test = TestLook::default();
        let look = at(&test, 40);
        let styles = |card: &Card| {
            let line = header(card, CardStatus::Done, look);
            let found = line.spans.iter().find(|span| span.content.contains("hello"));
            found.map(|span| span.style)
        };
        let plain = Card::new("Bash", "echo 'hello'");
        let coloured = plain.clone().written_in("bash");
        assert_ne!(styles(&plain), styles(&coloured));
    }

    #[test]
    fn source_that_wraps_goes_on_below() {
        let code = Code {
            text: "echo one; echo two\nls".into(),
            language: "bash".into(),
            wraps: true,
            ..Code::default()
        };
        let card = Card::new("Bash", "echo").part(CardPart::Code(code));
        let test = TestLook::plain();
        let body = picture(&lay_out(&card, CardStatus::Done, at(&test, 16))[1..]);
        assert_eq!(body, "   echo one; ech\n   o two\n   ls\n");
    }

    #[test]
    fn source_is_numbered_and_cut() {
        let code = Code {
            text: "fn a() {\n\tlong long line\n}\n".into(),
            language: "a.rs".into(),
            first_line: Some(9),
            wraps: false,
        };
        let card = Card::new("Read", "a.rs").part(CardPart::Code(code));
        let test = TestLook::plain();
        let body = picture(&lay_out(&card, CardStatus::Done, at(&test, 20))[1..]);
        assert_eq!(body, "    9 fn a() {\n   10 ⇥   long long…\n   11 }\n");
    }

    fn any_part() -> impl Strategy<Value = CardPart> {
        let text = "([a世 \\n\\t]|\\PC|\u{1b}\\[3|\u{7}|\u{202e}){0,20}";
        let rows = proptest::collection::vec(proptest::collection::vec(text, 0..4), 0..3);
        prop_oneof![
            text.prop_map(CardPart::Text),
            (text, proptest::option::of(0_usize..2000)).prop_map(|(text, first_line)| CardPart::Code(Code {
                text,
                language: String::new(),
                first_line,
                wraps: first_line.is_none(),
            })),
            (text, prop_oneof![Just(0), Just(3)]).prop_map(|(text, max_lines)| CardPart::Diff(DiffBody {
                path: "a".into(),
                unified: format!("@@ -1,9 +1,9 @@\n-{text}\n+{text}"),
                max_lines,
                is_unplaced: false
            })),
            text.prop_map(CardPart::Markdown),
            rows.prop_map(|rows| CardPart::Table {
                head: vec!["a".into()],
                rows
            }),
            (text, 0_usize..50).prop_map(|(text, depth)| CardPart::Tree(vec![TreeRow { depth, text }])),
            text.prop_map(|text| CardPart::Lines(vec![ToneSpan::new(Tone::Match, text).into()])),
            any_lines().prop_map(CardPart::Printed),
            any_lines().prop_map(CardPart::Lines),
            text.prop_map(CardPart::Omitted),
        ]
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_and_none_has_controls(
            title in "\\PC{0,20}|(\u{1b}|\\n|a){0,9}",
            argument in "[a-z/世\\n\u{9b}]{0,60}",
            meta in proptest::collection::vec("\\PC{0,12}", 0..4),
            body in proptest::collection::vec(any_part(), 0..4),
            width in 1_usize..170,
        ) {
            let meta = meta.into_iter().map(Fact::from).collect();
            let card = Card { meta, body, ..Card::new(title, argument) };
            let test = TestLook::plain();
            for line in lay_out(&card, CardStatus::Running, at(&test, width)) {
                prop_assert!(line.width() <= width, "{line:?}");
                prop_assert!(!line.spans.iter().any(|span| span.content.contains(char::is_control)), "{line:?}");
            }
            let plain = crate::view::card::plain(&card);
            prop_assert!(!plain.chars().any(|c| c.is_control() && c != '\n'), "{plain:?}");
        }
    }
}
