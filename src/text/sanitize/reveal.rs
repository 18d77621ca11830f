//! Text that a person judges before something is written, run or trusted.
//!
//! [`reveal`] takes nothing out. What cannot be seen, or looks like something else, is named by its number,
//! `⟨U+202E⟩`: controls, format characters, marks without a letter, white space other than the space, characters of
//! private use. Tabs and blanks at the end of a line get signs of their own. A text that holds such a name or sign
//! itself has it named in turn, so whatever reads `⟨U+` is a name, in colours or without.
//!
//! [`Revealed`] can be made in no other way, and the surfaces on which something is judged accept nothing else
//! (`tests/it/approval_text.rs` keeps it so). It is more strict than [`sanitize`](super::sanitize), which lets a joiner
//! shape an emoji: a person who allows a text has to see that the joiner is there.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::invisible::push_name;
use crate::text::width::{prefix, str_width};

/// Columns between tab stops.
const TAB: usize = 4;
/// Stands for a tab; the rest of its columns are blank.
const TAB_SIGN: char = '⇥';
/// Stands for each blank at the end of a line.
const BLANK_SIGN: char = '␣';
/// Marks on one letter. Scripts need up to three or four; a flood of them covers the lines around it.
const MOST_MARKS: u8 = 4;

/// Text with everything in it visible and named without doubt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revealed {
    text: String,
    /// In the order of the text.
    marks: Vec<Mark>,
}

/// A place in a [`Revealed`] text that is not what was written, but stands for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Bytes of the text.
    pub range: Range<usize>,
    pub kind: MarkKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// A character by its number.
    Name,
    /// A tab, or blanks at the end of a line.
    Blank,
}

/// Reveals a text; its line breaks stay.
pub fn reveal(text: &str) -> Revealed {
    let mut revealed = Revealed::default();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            revealed.text.push('\n');
        }
        revealed.push_line(line, TAB);
    }
    revealed
}

/// Reveals a text on one line: line breaks are named as well.
pub fn reveal_line(text: &str) -> Revealed {
    let mut revealed = Revealed::default();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            revealed.push_named('\n');
        }
        revealed.push_line(line, 1);
    }
    revealed
}

impl Revealed {
    /// Words of lathe's own.
    pub fn own(words: &'static str) -> Self {
        Self {
            text: words.to_owned(),
            marks: Vec::new(),
        }
    }

    /// Adds a revealed text, words of lathe's own or a number.
    #[must_use]
    pub fn and(mut self, other: impl Into<Self>) -> Self {
        let other = other.into();
        let at = self.text.len();
        self.text.push_str(&other.text);
        self.marks.extend(other.marks.into_iter().map(|mark| Mark {
            range: mark.range.start + at..mark.range.end + at,
            ..mark
        }));
        self
    }

    /// Returns the text for drawing and measuring. It is not to be revealed once more, which would name the names in it:
    /// what is put together stays of this type ([`Self::and`], [`Self::part`], [`Self::spelled`]).
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns it with words of lathe's own in the place of a sign, but for what stands for a character.
    #[must_use]
    pub fn spelled(&self, sign: &'static str, words: &'static str) -> Self {
        let is_mark = |at: usize| self.marks.iter().any(|mark| mark.range.contains(&at));
        let mut made = Self::default();
        let mut done = 0;
        for (at, found) in self.text.match_indices(sign).filter(|(at, _)| !is_mark(*at)) {
            made = made.and(self.part(done..at)).and(words);
            done = at + found.len();
        }
        made.and(self.part(done..self.text.len()))
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns what was put in place of characters.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Returns the lines, each a text of its own.
    pub fn lines(&self) -> impl Iterator<Item = Self> + '_ {
        let mut start = 0;
        self.text.split('\n').map(move |line| {
            let range = start..start + line.len();
            start = range.end + 1;
            self.part(range)
        })
    }

    /// Returns how many columns its longest line has.
    pub fn width(&self) -> usize {
        self.text.split('\n').map(str_width).max().unwrap_or(0)
    }

    /// Breaks it into rows, as ranges of its bytes that together hold every character but the line breaks: blanks at a
    /// break stay at the end of their row. The flag says whether the row begins a line; those that do not are `hang`
    /// columns narrower.
    pub fn rows(&self, columns: usize, hang: usize) -> Vec<(Range<usize>, bool)> {
        let mut rows = Vec::new();
        let mut start = 0;
        for line in self.text.split('\n') {
            let end = start + line.len();
            let mut at = start;
            loop {
                let room = if at == start {
                    columns
                } else {
                    columns.saturating_sub(hang)
                };
                let row = at..at + row_end(&self.text[at..end], room.max(1));
                at = row.end;
                rows.push((row.clone(), row.start == start));
                if at == end {
                    break;
                }
            }
            start = end + 1;
        }
        rows
    }

    /// Returns a part of it, by bytes that begin and end at characters.
    pub fn part(&self, range: Range<usize>) -> Self {
        let marks = self.marks.iter().filter_map(|mark| {
            let (start, end) = (mark.range.start.max(range.start), mark.range.end.min(range.end));
            (start < end).then(|| Mark {
                range: start - range.start..end - range.start,
                kind: mark.kind,
            })
        });
        Self {
            text: self.text[range.clone()].to_owned(),
            marks: marks.collect(),
        }
    }

    fn push_line(&mut self, line: &str, tab: usize) {
        let kept = line.trim_end_matches(' ');
        let start = self.text.len();
        if kept
            .bytes()
            .all(|byte| (b' '..=b'~').contains(&byte) && byte != b'<')
        {
            self.text.push_str(kept);
        } else {
            self.push_pieces(kept, start, tab);
        }
        let at = self.text.len();
        for _ in kept.len()..line.len() {
            self.text.push(BLANK_SIGN);
        }
        self.mark(at, MarkKind::Blank);
    }

    fn push_pieces(&mut self, line: &str, start: usize, tab: usize) {
        let mut done = 0;
        // How many more marks the letter that stands here takes.
        let mut room_for_marks = 0;
        for found in DOUBTFUL.find_iter(line) {
            let plain = &line[done..found.start()];
            if let Some(last) = plain.chars().next_back() {
                self.text.push_str(plain);
                room_for_marks = if last.is_alphabetic() { MOST_MARKS } else { 0 };
            }
            done = found.end();
            let c = found.as_str().chars().next().unwrap_or_default();
            match c {
                ' ' => self.text.push(' '),
                '\t' => self.push_tab(start, tab),
                _ if room_for_marks > 0 && MARK.is_match(found.as_str()) => {
                    room_for_marks -= 1;
                    self.text.push(c);
                    continue;
                }
                _ if is_bracket(c) && !begins_a_name(&line[done..]) => self.text.push(c),
                _ => self.push_named(c),
            }
            room_for_marks = 0;
        }
        self.text.push_str(&line[done..]);
    }

    fn push_tab(&mut self, start: usize, tab: usize) {
        let at = self.text.len();
        let column = str_width(&self.text[start..]);
        self.text.push(TAB_SIGN);
        let blanks = tab - column % tab - 1;
        self.text.extend(std::iter::repeat_n(' ', blanks));
        self.mark(at, MarkKind::Blank);
    }

    fn push_named(&mut self, c: char) {
        let at = self.text.len();
        push_name(&mut self.text, c);
        self.mark(at, MarkKind::Name);
    }

    /// Marks what was pushed since the text had so many bytes.
    fn mark(&mut self, from: usize, kind: MarkKind) {
        let range = from..self.text.len();
        match self.marks.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if last.kind == kind && last.range.end == range.start => last.range.end = range.end,
            _ => self.marks.push(Mark { range, kind }),
        }
    }
}

impl fmt::Display for Revealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<&'static str> for Revealed {
    fn from(words: &'static str) -> Self {
        Self::own(words)
    }
}

impl From<usize> for Revealed {
    fn from(number: usize) -> Self {
        Self {
            text: number.to_string(),
            marks: Vec::new(),
        }
    }
}

impl From<&Self> for Revealed {
    fn from(other: &Self) -> Self {
        other.clone()
    }
}

/// Everything that is not plainly what it looks like, one character at a time: other and unassigned characters, white
/// space, marks, what is ignored by default, the empty Braille cell, our own signs and what a name could begin with.
static DOUBTFUL: LazyLock<Regex> = LazyLock::new(|| {
    let class = r"[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u{2800}⇥␣<⟨\u{2329}\u{3008}❬‹❮⟪《＜﹤]";
    Regex::new(class).expect("the class is written here")
});

/// Marks that combine with a letter and are seen.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[\p{M}--[\p{Me}\p{Default_Ignorable_Code_Point}]]").expect("the class is written here")
});

/// Returns true if a name could be thought to begin with it.
fn is_bracket(c: char) -> bool {
    matches!(
        c,
        '<' | '⟨' | '\u{2329}' | '\u{3008}' | '❬' | '‹' | '❮' | '⟪' | '《' | '＜' | '﹤'
    )
}

/// Returns true if it goes on as a name does behind its bracket: with `U+`, or with what may look like that.
fn begins_a_name(rest: &str) -> bool {
    let mut chars = rest.chars();
    let is_u = chars.next().is_some_and(|c| c == 'U' || !c.is_ascii());
    let is_plus = |c: char| {
        matches!(
            c,
            '+' | '\u{FF0B}' | '\u{FE62}' | '\u{207A}' | '\u{208A}' | '\u{2795}' | '\u{29FE}'
        )
    };
    is_u && chars.take_while(|c| !c.is_ascii_alphanumeric()).any(is_plus)
}

/// Returns the bytes of the first row: up to the last blank that fits where a word would be broken, unless that leaves
/// half of the row empty.
fn row_end(line: &str, columns: usize) -> usize {
    let fits = prefix(line, columns);
    if fits.len() == line.len() {
        return line.len();
    }
    if fits.is_empty() {
        // A wide character has no place in one column; it is drawn as far as there is room.
        return line.chars().next().map_or(0, char::len_utf8);
    }
    let word = fits.rfind(' ').map_or(0, |at| at + 1);
    if str_width(&fits[..word]) * 2 > columns {
        word
    } else {
        fits.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(text: &str) -> String {
        reveal_line(text).to_string()
    }

    #[test]
    fn nothing_is_taken_out_of_a_text_that_is_judged() {
        assert_eq!(
            line("true \x1b]0;; rm -rf ~\x07"),
            "true ⟨U+001B⟩]0;; rm -rf ~⟨U+0007⟩"
        );
        assert_eq!(
            reveal("echo building \x1b]0; touch pwned\n").to_string(),
            "echo building ⟨U+001B⟩]0; touch pwned\n"
        );
    }

    #[test]
    fn every_kind_of_unseen_character_is_named() {
        for c in [
            '\0',
            '\x08',
            '\r',
            '\x1b',
            '\x7f',
            '\u{85}',
            '\u{9b}',
            '\u{a0}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180e}',
            '\u{2003}',
            '\u{200b}',
            '\u{200d}',
            '\u{200e}',
            '\u{2028}',
            '\u{202e}',
            '\u{2066}',
            '\u{2800}',
            '\u{3000}',
            '\u{3164}',
            '\u{e000}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{fff9}',
            '\u{378}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{10ffff}',
        ] {
            let shown = line(&format!("a1{c}b"));
            assert_eq!(shown, format!("a1⟨U+{:04X}⟩b", u32::from(c)), "{c:?}");
        }
        assert_eq!(line("❤\u{fe0f} 👩\u{200d}💻"), "❤⟨U+FE0F⟩ 👩⟨U+200D⟩💻");
    }

    #[test]
    fn marks_belong_to_letters_and_no_letter_has_a_flood_of_them() {
        for word in ["e\u{301}", "क्षि", "ซื้อ", "שָׁלוֹם", "a\u{302}\u{301}"] {
            assert_eq!(line(word), word);
        }
        assert_eq!(line("/\u{301}"), "/⟨U+0301⟩");
        assert_eq!(line("\u{301}a"), "⟨U+0301⟩a");
        let flood = format!("a{}b", "\u{301}".repeat(200));
        assert_eq!(line(&flood).matches("⟨U+0301⟩").count(), 196);
    }

    #[test]
    fn a_text_cannot_fake_a_name_or_a_sign() {
        assert_eq!(line("⟨U+202E⟩"), "⟨U+27E8⟩U+202E⟩");
        assert_eq!(line("<U+202E>"), "⟨U+003C⟩U+202E>");
        assert_eq!(line("\u{3008}Ｕ＋202E\u{3009}"), "⟨U+3008⟩Ｕ＋202E\u{3009}");
        assert_eq!(line("⇥␣"), "⟨U+21E5⟩⟨U+2423⟩");
        for plain in ["a < b", "Vec<U>", "⟨x, y⟩", "《書》"] {
            assert_eq!(line(plain), plain);
        }
    }

    #[test]
    fn tabs_and_blanks_at_the_end_of_a_line_are_seen() {
        assert_eq!(reveal("\ta\tb \n  c  ").to_string(), "⇥   a⇥  b␣\n  c␣␣");
        assert_eq!(line("a\tb\nc "), "a⇥b⟨U+000A⟩c␣");
    }

    #[test]
    fn what_stands_for_something_is_marked() {
        let text = reveal("a\x1b[1m\u{202e}\tb");
        let marked: Vec<_> = text
            .marks()
            .iter()
            .map(|mark| (&text.as_str()[mark.range.clone()], mark.kind))
            .collect();
        assert_eq!(
            marked,
            [
                ("⟨U+001B⟩", MarkKind::Name),
                ("⟨U+202E⟩", MarkKind::Name),
                ("⇥   ", MarkKind::Blank)
            ]
        );
    }

    #[test]
    fn rows_hold_all_of_the_text_and_break_at_words_where_they_can() {
        let rows = |text: &str, columns| -> Vec<(String, bool)> {
            let text = reveal(text);
            let rows = text.rows(columns, 0).into_iter();
            rows.map(|(row, is_first)| (text.as_str()[row].to_owned(), is_first))
                .collect()
        };
        assert_eq!(
            rows("cargo test\nx", 8),
            [
                ("cargo ".to_owned(), true),
                ("test".to_owned(), false),
                ("x".to_owned(), true)
            ]
        );
        let wide = format!("a{}rm -rf ~", " ".repeat(60));
        let joined: String = rows(&wide, 20).into_iter().map(|(row, _)| row).collect();
        assert_eq!(joined, wide);
    }

    #[test]
    fn composed_texts_keep_their_marks() {
        let text = Revealed::own("key ").and(reveal_line("a\x07")).and(" of ").and(3);
        assert_eq!(text.to_string(), "key a⟨U+0007⟩ of 3");
        assert_eq!(text.marks()[0].range, 5..17);
    }

    #[test]
    fn a_sign_is_spelled_and_no_name_is_named_again() {
        let text = reveal_line("\u{202e}a…b…");
        assert_eq!(text.spelled("…", "...").to_string(), "⟨U+202E⟩a...b...");
        assert_eq!(text.spelled("…", "...").marks(), text.marks());
        assert_eq!(text.spelled("⟨", "<"), text);
        assert_eq!(Revealed::default().spelled("…", "..."), Revealed::default());
    }

    proptest! {
        #[test]
        fn no_text_reaches_the_screen_with_anything_unseen(text in any::<String>(), columns in 1_usize..40) {
            let shown = reveal(&text);
            prop_assert!(!shown.as_str().chars().any(|c| c.is_control() && c != '\n'));
            for mark in shown.marks() {
                prop_assert!(shown.as_str().is_char_boundary(mark.range.start));
            }
            let joined: String = shown.rows(columns, 0).into_iter().map(|(row, _)| &shown.as_str()[row]).collect();
            prop_assert_eq!(joined, shown.as_str().replace('\n', ""));
        }

        #[test]
        fn two_texts_never_look_the_same(
            one in "([ \\t\\n\\x1b<⟨U+0127E8B⟩⇥␣a\u{202e}\u{301}])*",
            other in "([ \\t\\n\\x1b<⟨U+0127E8B⟩⇥␣a\u{202e}\u{301}])*",
        ) {
            if one != other {
                prop_assert_ne!(line(&one), line(&other));
            }
        }
    }
}
