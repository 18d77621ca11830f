//! Targets of motions, in a text of characters. A place is an index; the end of the text is one too.

/// Extent of a motion for an operator: which of its ends count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Up to the place.
    Exclusive,
    /// With the character there.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// A search in the line for a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) target: char,
    pub(super) is_forward: bool,
    /// Stops beside it.
    pub(super) is_till: bool,
}

impl Find {
    pub(super) fn reversed(self) -> Self {
        Self {
            is_forward: !self.is_forward,
            ..self
        }
    }

    pub(super) fn reach(self) -> Reach {
        if self.is_forward {
            Reach::Inclusive
        } else {
            Reach::Exclusive
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Other,
}

fn class(c: char, is_big: bool) -> Class {
    match c {
        c if c.is_whitespace() => Class::Blank,
        c if is_big || c.is_alphanumeric() || c == '_' => Class::Word,
        _ => Class::Other,
    }
}

pub(super) fn line_start(text: &[char], at: usize) -> usize {
    let before = &text[..at.min(text.len())];
    before
        .iter()
        .rposition(|c| *c == '\n')
        .map_or(0, |newline| newline + 1)
}

/// Returns the place of the line's end: its `\n`, or the end of the text.
pub(super) fn line_end(text: &[char], at: usize) -> usize {
    let at = at.min(text.len());
    let rest = &text[at..];
    rest.iter()
        .position(|c| *c == '\n')
        .map_or(text.len(), |newline| at + newline)
}

/// Returns the last character of the line, or its start where it is empty.
pub(super) fn line_last(text: &[char], at: usize) -> usize {
    let start = line_start(text, at);
    line_end(text, at).saturating_sub(1).max(start)
}

pub(super) fn first_word(text: &[char], at: usize) -> usize {
    let (start, end) = (line_start(text, at), line_end(text, at));
    let blank = text[start..end].iter().take_while(|c| c.is_whitespace()).count();
    (start + blank).min(line_last(text, at))
}

/// Returns the same column so many lines below or above; `None` where there are none.
pub(super) fn line_by(text: &[char], at: usize, lines: isize) -> Option<usize> {
    let column = at - line_start(text, at);
    let mut place = at;
    for _ in 0..lines.unsigned_abs() {
        place = if lines > 0 {
            Some(line_end(text, place) + 1).filter(|next| *next <= text.len())?
        } else {
            line_start(text, place).checked_sub(1)?
        };
    }
    let start = line_start(text, place);
    Some((start + column).min(line_last(text, place)))
}

/// Returns the start of a line by its number, from 0; the last line where there are fewer.
pub(super) fn line_number(text: &[char], number: usize) -> usize {
    let starts = text.iter().enumerate().filter(|(_, c)| **c == '\n');
    let starts = std::iter::once(0).chain(starts.map(|(newline, _)| newline + 1));
    starts.take(number.saturating_add(1)).last().unwrap_or(0)
}

pub(super) fn word_forward(text: &[char], at: usize, is_big: bool) -> usize {
    let mut place = at;
    let Some(first) = text.get(place) else {
        return place;
    };
    let begun = class(*first, is_big);
    while begun != Class::Blank && text.get(place).is_some_and(|c| class(*c, is_big) == begun) {
        place += 1;
    }
    while let Some(c) = text.get(place) {
        let is_empty_line = *c == '\n' && place > at && text[place - 1] == '\n';
        if !c.is_whitespace() || is_empty_line {
            break;
        }
        place += 1;
    }
    place
}

pub(super) fn word_back(text: &[char], at: usize, is_big: bool) -> usize {
    let mut place = at.min(text.len());
    while place > 0 && text[place - 1].is_whitespace() {
        place -= 1;
    }
    let Some(before) = place.checked_sub(1) else {
        return 0;
    };
    let begun = class(text[before], is_big);
    while place > 0 && class(text[place - 1], is_big) == begun {
        place -= 1;
    }
    place
}

pub(super) fn word_end(text: &[char], at: usize, is_big: bool) -> usize {
    let mut place = at + 1;
    while text.get(place).is_some_and(|c| c.is_whitespace()) {
        place += 1;
    }
    let Some(first) = text.get(place) else {
        return text.len().saturating_sub(1).max(at.min(text.len()));
    };
    let begun = class(*first, is_big);
    while text.get(place + 1).is_some_and(|c| class(*c, is_big) == begun) {
        place += 1;
    }
    place
}

/// Returns the run of one kind that a place is in, within its line.
pub(super) fn run(text: &[char], at: usize, is_big: bool) -> (usize, usize) {
    let (start, end) = (line_start(text, at), line_end(text, at));
    let Some(c) = text.get(at).filter(|_| at < end) else {
        return (at, at);
    };
    let kind = class(*c, is_big);
    let same = |place: &usize| class(text[*place], is_big) == kind;
    let begin = (start..at).rev().take_while(same).last().unwrap_or(at);
    let last = (at..end).take_while(same).last().unwrap_or(at);
    (begin, last + 1)
}

pub(super) fn find(text: &[char], at: usize, find: Find, count: usize) -> Option<usize> {
    let (start, end) = (line_start(text, at), line_end(text, at));
    let is_target = |place: &usize| text[*place] == find.target;
    // Repeated, a search that stops beside the character must not find the one it stands beside.
    let skip = usize::from(find.is_till);
    let found = if find.is_forward {
        ((at + 1 + skip).min(end)..end).filter(is_target).nth(count - 1)
    } else {
        (start..at.saturating_sub(skip).max(start))
            .rev()
            .filter(is_target)
            .nth(count - 1)
    }?;
    Some(match (find.is_till, find.is_forward) {
        (false, _) => found,
        (true, true) => found - 1,
        (true, false) => found + 1,
    })
}
