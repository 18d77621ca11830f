//! Text objects: a word, what stands in quotes or brackets, a paragraph.

use std::ops::Range;

use super::motion::{line_end, line_start, run};

/// Returns the object that a character names around a place; `is_inner` leaves its borders out.
pub(super) fn object(text: &[char], at: usize, name: char, is_inner: bool) -> Option<Range<usize>> {
    match name {
        'w' | 'W' => Some(word(text, at, name == 'W', is_inner)),
        '"' | '\'' | '`' => quoted(text, at, name, is_inner),
        '(' | ')' | 'b' => bracketed(text, at, ('(', ')'), is_inner),
        '[' | ']' => bracketed(text, at, ('[', ']'), is_inner),
        '{' | '}' | 'B' => bracketed(text, at, ('{', '}'), is_inner),
        '<' | '>' => bracketed(text, at, ('<', '>'), is_inner),
        'p' => Some(paragraph(text, at, is_inner)),
        _ => None,
    }
}

fn word(text: &[char], at: usize, is_big: bool, is_inner: bool) -> Range<usize> {
    let (start, mut end) = run(text, at, is_big);
    if !is_inner && end < line_end(text, at) {
        (_, end) = run(text, end, is_big);
    }
    start..end
}

fn quoted(text: &[char], at: usize, quote: char, is_inner: bool) -> Option<Range<usize>> {
    let (start, end) = (line_start(text, at), line_end(text, at));
    let quotes: Vec<usize> = (start..end).filter(|place| text[*place] == quote).collect();
    let pair = quotes.chunks_exact(2).find(|pair| pair[1] >= at)?;
    Some(if is_inner {
        pair[0] + 1..pair[1]
    } else {
        pair[0]..pair[1] + 1
    })
}

fn bracketed(text: &[char], at: usize, (open, close): (char, char), is_inner: bool) -> Option<Range<usize>> {
    let mut depth = 0_usize;
    let start = (0..=at.min(text.len().checked_sub(1)?)).rev().find(|place| {
        match text[*place] {
            c if c == close && *place != at => depth += 1,
            c if c == open && depth == 0 => return true,
            c if c == open => depth -= 1,
            _ => {}
        }
        false
    })?;
    let mut depth = 0_usize;
    let end = (start + 1..text.len()).find(|place| {
        match text[*place] {
            c if c == open => depth += 1,
            c if c == close && depth == 0 => return true,
            c if c == close => depth -= 1,
            _ => {}
        }
        false
    })?;
    Some(if is_inner { start + 1..end } else { start..end + 1 })
}

/// Lines with words around a place, or blank ones; the other one takes the blank lines after it too.
fn paragraph(text: &[char], at: usize, is_inner: bool) -> Range<usize> {
    let is_blank = |at: usize| {
        let line = &text[line_start(text, at)..line_end(text, at)];
        line.iter().all(|c| c.is_whitespace())
    };
    let kind = is_blank(at);
    let mut start = line_start(text, at);
    while start > 0 && is_blank(start - 1) == kind {
        start = line_start(text, start - 1);
    }
    let mut end = line_end(text, at);
    while end < text.len() && is_blank(end + 1) == kind {
        end = line_end(text, end + 1);
    }
    while !is_inner && end < text.len() && is_blank(end + 1) != kind {
        end = line_end(text, end + 1);
    }
    start..end
}
