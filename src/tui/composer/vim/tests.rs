use std::ops::Range;

use proptest::prelude::*;

use super::history::UNDO_STEPS;
use super::*;

#[derive(Debug, Default, Clone, PartialEq)]
struct Plain {
    text: Vec<char>,
    caret: usize,
}

impl VimText for Plain {
    fn text(&self) -> String {
        self.text.iter().collect()
    }

    fn caret(&self) -> usize {
        self.caret
    }

    fn go(&mut self, place: usize) {
        self.caret = place.min(self.text.len());
    }

    fn replace(&mut self, range: Range<usize>, text: &str) {
        self.text.splice(range.clone(), text.chars());
        self.caret = range.start + text.chars().count();
    }
}

/// Presses keys as they are written; `⎋` is the escape and `®` is redo. In insert mode they are written.
fn press(vim: &mut Vim, page: &mut Plain, keys: &str) {
    for key in keys.chars() {
        match key {
            '⎋' => drop(vim.escape(page)),
            '®' => vim.redo(page),
            c if vim.takes_keys() => drop(vim.key(c, page)),
            c => {
                let caret = page.caret();
                page.replace(caret..caret, &c.to_string());
                vim.hear(c);
            }
        }
    }
}

/// Starts at the `|` of a text in normal mode, presses keys, and compares with text and caret.
#[track_caller]
fn check(before: &str, keys: &str, after: &str) {
    let mut page = Plain {
        text: before.replace('|', "").chars().collect(),
        caret: before.chars().position(|c| c == '|').unwrap(),
    };
    let mut vim = Vim {
        mode: Mode::Normal,
        seen: page.text(),
        ..Vim::default()
    };
    press(&mut vim, &mut page, keys);
    let mut shown = page.text.clone();
    shown.insert(page.caret, '|');
    assert_eq!(shown.iter().collect::<String>(), after, "{before:?} {keys}");
}

#[test]
fn motions_move() {
    check("|one two.three", "w", "one |two.three");
    check("|one two.three", "2wl", "one two.|three");
    check("|one two.three", "W", "one |two.three");
    check("one two.thre|e", "b", "one two.|three");
    check("one two.thre|e", "B", "one |two.three");
    check("|one two", "e", "on|e two");
    check("|one two", "ee", "one tw|o");
    check("  one t|wo", "0", "|  one two");
    check("  one t|wo", "^", "  |one two");
    check("|one two", "$", "one tw|o");
    check("a\nb\n|c", "gg", "|a\nb\nc");
    check("|a\nb\nc", "G", "a\nb\n|c");
    check("|a\nb\nc", "2G", "a\n|b\nc");
    check("abc\n|d\nefg", "k", "|abc\nd\nefg");
    check("ab|c\nd\nefg", "jj", "abc\nd\n|efg");
    check("|one", "5l", "on|e");
}

#[test]
fn characters_are_searched_in_the_line_and_again() {
    check("|a.b.c\n.", "f.", "a|.b.c\n.");
    check("|a.b.c", "2f.", "a.b|.c");
    check("|a.b.c", "f.;", "a.b|.c");
    check("|a.b.c", "f.;,", "a|.b.c");
    check("a.b.|c", "F.", "a.b|.c");
    check("|ab.c", "t.", "a|b.c");
    check("|a.b.c", "t.;", "a.|b.c");
    check("a.b|.c", "T.", "a.|b.c");
    check("|abc", "fz", "|abc");
}

#[test]
fn operators_take_motions_lines_and_counts() {
    check("|one two", "dw", "|two");
    check("one |two\nthree", "dw", "one| \nthree");
    check("|one two three", "d2w", "|three");
    check("|one two three", "2dw", "|three");
    check("|one two", "de", "| two");
    check("one t|wo", "d0", "|wo");
    check("o|ne two", "D", "|o");
    check("a\n|b\nc", "dd", "a\n|c");
    check("a\nb\n|c", "dd", "a\n|b");
    check("|a\nb\nc", "2dd", "|c");
    check("|a\nb\nc", "dj", "|c");
    check("a\nb\n|c", "dgg", "|");
    check("|a(b)c", "df)", "|c");
    check("|a(b)c", "dt)", "|)c");
    check("|one", "d5w", "|");
    check("|a", "dk", "|a");
}

#[test]
fn changing_goes_on_in_insert_mode() {
    check("|one two", "cwsix⎋", "si|x two");
    check("one t|wo", "ccx⎋", "|x");
    check("o|ne two", "Cx⎋", "o|x");
    check("o|ne", "sxy⎋", "ox|ye");
    check("|one two three", "c2wx⎋", "|x three");
    check("|one", "ix⎋", "|xone");
    check("|one", "ax⎋", "o|xne");
    check("  o|ne", "Ix⎋", "  |xone");
    check("|one", "Ax⎋", "one|x");
    check("|one\ntwo", "ox⎋", "one\n|x\ntwo");
    check("one\n|two", "Ox⎋", "one\n|x\ntwo");
}

#[test]
fn objects_are_words_quotes_brackets_and_paragraphs() {
    check("one t|wo three", "diw", "one | three");
    check("one t|wo three", "daw", "one |three");
    check("say \"he|llo\" now", "di\"", "say \"|\" now");
    check("say \"he|llo\" now", "da\"", "say | now");
    check("f(a, (|b), c)", "di(", "f(a, (|), c)");
    check("f(a|, (b), c)", "ci(x⎋", "f(|x)");
    check("f(a|, (b), c)", "dab", "|f");
    check("a\nb|\n\nc", "dip", "|\nc");
    check("a\nb|\n\nc", "dap", "|c");
    check("|none", "di(", "|none");
}

#[test]
fn what_was_taken_is_put_back() {
    check("|one two", "dwp", "tone| wo");
    check("a|b", "xp", "a|b");
    check("|ab", "xp", "b|a");
    check("|a\nb", "yyjp", "a\nb\n|a");
    check("|a\nb", "yyP", "|a\na\nb");
    check("|a\nb", "ddp", "b\n|a");
    check("|ab", "yl3p", "aaa|ab");
}

#[test]
fn single_keys_do_what_they_do_in_vim() {
    check("|abc", "x", "|bc");
    check("ab|c", "x", "a|b");
    check("|abc", "2x", "|c");
    check("ab|c", "X", "a|c");
    check("|abc", "rx", "|xbc");
    check("|abc", "3rx", "xx|x");
    check("|abc", "4rx", "|abc");
    check("|aBc", "~~", "Ab|c");
    check("|a\n  b", "J", "a| b");
    check("|a\nb\nc", "3J", "a b| c");
    check("|a\nb", ">>", "  |a\nb");
    check("|a\nb", ">j", "  |a\n  b");
    check("   |a", "<<", " |a");
}

#[test]
fn the_last_change_is_repeated() {
    check("|one two three four", "dw.", "|three four");
    check("|one two", "cwx⎋w.", "x |x");
    check("|one\ntwo", "A!⎋j.", "one!\ntwo|!");
    check("|a\nb", "x.", "|\nb");
    check("|abc", "yl.", "|abc");
    // What was written is no command where the change cannot be done again.
    check("|one (two)", "ct(..⎋$.", "..(two|)");
    check("|one (two) three", "ct(ddx⎋$.", "ddx(two) thre|e");
    check("|ab cd", "vd.w", "b |cd");
}

#[test]
fn visual_mode_selects_with_its_ends() {
    check("|one two", "ved", "| two");
    check("|one two", "vecx⎋", "|x two");
    check("a\n|b\nc", "Vd", "a\n|c");
    check("|a\nb\nc", "Vjd", "|c");
    check("say (he|llo)", "vi(d", "say (|)");
    check("|ab", "v⎋x", "|b");
    check("|ab cd", "vey$p", "ab cda|b");
    check("|ab", "vl~", "|AB");
}

#[test]
fn undo_goes_back_a_command_at_a_time_and_redo_forth() {
    check("|one two", "dwdwu", "|two");
    check("|one two", "dwdwuu", "|one two");
    check("|one two", "dwdwuu®", "|two");
    check("|one", "cwtwo⎋u", "|one");
    check("|one", "A!⎋A?⎋u", "one|!");
    check("|one two three", "dw.uu", "|one two three");
}

#[test]
fn an_escape_takes_back_what_was_begun() {
    check("|one", "d⎋x", "|ne");
    check("|one", "2⎋x", "|ne");
    check("|one", "dqx", "|ne");
}

#[test]
fn the_first_text_is_written_and_undone_in_one() {
    let (mut vim, mut page) = (Vim::default(), Plain::default());
    press(&mut vim, &mut page, "hello⎋");
    assert_eq!((page.text().as_str(), page.caret()), ("hello", 4));
    press(&mut vim, &mut page, "u");
    assert_eq!(page.text(), "");
    press(&mut vim, &mut page, "®");
    assert_eq!(page.text(), "hello");
}

#[test]
fn what_others_changed_is_a_step_of_its_own() {
    let (mut vim, mut page) = (Vim::default(), Plain::default());
    press(&mut vim, &mut page, "one⎋");
    page.replace(0..3, "pasted");
    press(&mut vim, &mut page, "0xu");
    assert_eq!(page.text(), "pasted");
    press(&mut vim, &mut page, "u");
    assert_eq!(page.text(), "one");
}

proptest! {
    #[test]
    fn any_keys_are_survived_and_undo_restores_everything(
        text in "[ab (\"\n世é.]{0,30}",
        keys in "[hjklwbeWBE0^$gGfFtT;,dcyxXsSrDCYJpPuvV~.<>iaoOIA\"(p1-9⎋® ]{0,60}",
    ) {
        let start = Plain { text: text.chars().collect(), caret: 0 };
        let (mut vim, mut page) = (Vim::default(), start.clone());
        vim.mode = Mode::Normal;
        vim.seen = page.text();
        press(&mut vim, &mut page, &keys);
        prop_assert!(page.caret() <= page.text.len());
        press(&mut vim, &mut page, "⎋⎋");
        prop_assert_eq!(vim.mode(), Mode::Normal);
        prop_assert!(page.text.is_empty() || page.caret() < page.text.len() || page.text.last() == Some(&'\n'));
        for _ in 0..UNDO_STEPS {
            press(&mut vim, &mut page, "u");
        }
        prop_assert_eq!(page.text(), start.text());
    }
}
