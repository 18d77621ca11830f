//! Vim's modes, as far as a text of a few lines needs them: motions, operators, text objects, counts, registers of one,
//! repeat and undo.
//!
//! A machine: keys in, changes of a [`Page`] out. It knows neither the screen nor the text area. In insert mode it only
//! listens, so that every other key of the composer works there. Undo is its own, one step a command; what changed the
//! text in between (a paste, the history) is a step too.

mod command;
mod motion;
mod object;
mod page;
#[cfg(test)]
mod tests;

use std::ops::Range;

use command::{Command, Motion, Operator, Parsed, Target, Verb};
use motion::{Find, Reach, line_end, line_last, line_start};

/// Steps that can be undone.
const UNDO_STEPS: usize = 200;
/// What `>>` puts before a line.
const INDENT: &str = "  ";
/// Stands for the key in what is repeated.
const ESCAPE: char = '\u{1b}';

/// A text that the machine changes. Places are counted in characters, line ends included.
pub(crate) trait Page {
    fn text(&self) -> String;

    fn caret(&self) -> usize;

    fn go(&mut self, place: usize);

    /// Puts a text in the place of another, and the caret behind it.
    fn replace(&mut self, range: Range<usize>, text: &str);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Insert,
    Normal,
    Visual,
    VisualLines,
}

/// What a key led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// The page, the caret or the mode, perhaps.
    Something,
    /// `k` on the first line.
    Above,
    /// `j` on the last line.
    Below,
}

#[derive(Debug, Clone, Default)]
struct Register {
    text: String,
    is_lines: bool,
}

/// A text as it was, and where the caret stood.
type Step = (String, usize);

#[derive(Debug)]
pub(crate) struct Vim {
    mode: Mode,
    /// The command so far.
    keys: Vec<char>,
    /// Where the selection began.
    anchor: usize,
    register: Register,
    found: Option<Find>,
    undo: Vec<Step>,
    redo: Vec<Step>,
    /// The page after the last command.
    seen: String,
    /// Before insert mode.
    begun: Step,
    /// What is being inserted, with the command that began it; `None` where it cannot be repeated.
    recording: Option<Vec<char>>,
    last: Vec<char>,
    is_repeating: bool,
}

impl Default for Vim {
    fn default() -> Self {
        Self {
            mode: Mode::Insert,
            keys: Vec::new(),
            anchor: 0,
            register: Register::default(),
            found: None,
            undo: Vec::new(),
            redo: Vec::new(),
            seen: String::new(),
            begun: Step::default(),
            recording: None,
            last: Vec::new(),
            is_repeating: false,
        }
    }
}

impl Vim {
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether a key that was typed goes to the machine.
    pub(crate) fn takes_keys(&self) -> bool {
        self.mode != Mode::Insert
    }

    /// What was typed of a command.
    pub(crate) fn pending(&self) -> String {
        self.keys.iter().collect()
    }

    /// Begins anew, for a new text.
    pub(crate) fn begin(&mut self) {
        self.mode = Mode::Insert;
        self.keys.clear();
        self.undo.clear();
        self.redo.clear();
        self.begun = Step::default();
        self.recording = None;
    }

    /// Hears what is written in insert mode.
    pub(crate) fn hear(&mut self, c: char) {
        if let Some(recording) = &mut self.recording {
            recording.push(c);
        }
    }

    /// Something else happened in insert mode: that is not repeated.
    pub(crate) fn forget_insert(&mut self) {
        self.recording = None;
    }

    /// Returns what is selected.
    pub(crate) fn selected(&self, page: &dyn Page) -> Option<Range<usize>> {
        let text: Vec<char> = page.text().chars().collect();
        let (anchor, caret) = (self.anchor.min(text.len()), page.caret());
        let (first, last) = (anchor.min(caret), anchor.max(caret));
        match self.mode {
            Mode::Visual => Some(first..(last + 1).min(text.len())),
            Mode::VisualLines => Some(line_start(&text, first)..line_end(&text, last)),
            Mode::Insert | Mode::Normal => None,
        }
    }

    /// One step back: from insert or visual mode, or from a command that was begun. Says whether there was one.
    pub(crate) fn escape(&mut self, page: &mut dyn Page) -> bool {
        let was_open = !std::mem::take(&mut self.keys).is_empty();
        match self.mode {
            Mode::Normal => return was_open,
            Mode::Insert => self.end_insert(page),
            Mode::Visual | Mode::VisualLines => self.mode = Mode::Normal,
        }
        clamp(page);
        true
    }

    /// Takes a key outside insert mode.
    pub(crate) fn key(&mut self, key: char, page: &mut dyn Page) -> Done {
        self.note_others(page);
        self.keys.push(key);
        let is_visual = matches!(self.mode, Mode::Visual | Mode::VisualLines);
        let parsed = if is_visual {
            command::parse_visual(&self.keys)
        } else {
            command::parse(&self.keys)
        };
        let command = match parsed {
            Parsed::Open => return Done::Something,
            Parsed::Nothing => {
                self.keys.clear();
                return Done::Something;
            }
            Parsed::Whole(command) => command,
        };
        let keys = std::mem::take(&mut self.keys);
        let before = (page.text(), page.caret());
        let done = if is_visual {
            self.over_selection(command, page)
        } else {
            self.perform(command, page)
        };
        self.settle(keys, command.verb, before, page);
        done
    }

    pub(crate) fn redo(&mut self, page: &mut dyn Page) {
        self.keys.clear();
        if self.mode != Mode::Normal {
            return;
        }
        if let Some(step) = self.redo.pop() {
            self.undo.push((page.text(), page.caret()));
            restore(page, &step);
        }
        self.seen = page.text();
    }

    fn undo(&mut self, page: &mut dyn Page) {
        if let Some(step) = self.undo.pop() {
            self.redo.push((page.text(), page.caret()));
            restore(page, &step);
        }
    }

    /// A text that somebody else changed can be undone as well.
    fn note_others(&mut self, page: &dyn Page) {
        if self.mode == Mode::Normal && self.keys.is_empty() && !self.is_repeating {
            let text = page.text();
            if text != self.seen {
                let before = std::mem::replace(&mut self.seen, text);
                self.push_undo((before, 0));
            }
        }
    }

    fn push_undo(&mut self, step: Step) {
        self.redo.clear();
        self.undo.push(step);
        if self.undo.len() > UNDO_STEPS {
            self.undo.remove(0);
        }
    }

    /// Keeps what a command did, for undo and for repeating it.
    fn settle(&mut self, keys: Vec<char>, verb: Verb, before: Step, page: &mut dyn Page) {
        let (is_history, is_repeat) = (verb == Verb::Key('u'), verb == Verb::Key('.'));
        if self.mode == Mode::Insert {
            if !self.is_repeating {
                self.begun = before;
                self.recording = Some(keys);
            }
        } else {
            clamp(page);
            let is_changed = page.text() != before.0;
            if is_changed && !is_history && !self.is_repeating {
                if !is_repeat && self.mode == Mode::Normal {
                    self.last = keys;
                }
                self.push_undo(before);
            }
        }
        if !self.is_repeating {
            self.seen = page.text();
        }
    }

    fn end_insert(&mut self, page: &mut dyn Page) {
        self.mode = Mode::Normal;
        let caret = page.caret();
        let text: Vec<char> = page.text().chars().collect();
        page.go(caret.saturating_sub(1).max(line_start(&text, caret)));
        if self.is_repeating {
            return;
        }
        let before = std::mem::take(&mut self.begun);
        if before.0 != page.text() {
            self.push_undo(before);
        }
        if let Some(mut recording) = self.recording.take() {
            recording.push(ESCAPE);
            self.last = recording;
        }
        self.seen = page.text();
    }

    fn repeat(&mut self, page: &mut dyn Page) {
        let last = self.last.clone();
        self.is_repeating = true;
        for key in last {
            match (self.mode, key) {
                (_, ESCAPE) => drop(self.escape(page)),
                (Mode::Insert, c) => {
                    let caret = page.caret();
                    page.replace(caret..caret, c.encode_utf8(&mut [0; 4]));
                }
                (_, key) => drop(self.key(key, page)),
            }
        }
        self.is_repeating = false;
    }

    fn perform(&mut self, command: Command, page: &mut dyn Page) -> Done {
        let text: Vec<char> = page.text().chars().collect();
        let at = page.caret().min(text.len());
        match command.verb {
            Verb::Move(motion) => return self.go(motion, command.count, &text, page),
            Verb::Operate(operator, target) => {
                if let Some((range, reach)) = self.range(operator, target, command.count, &text, at) {
                    self.operate(operator, range, reach, &text, page);
                }
            }
            Verb::Replace(c) => {
                let end = at + command.count.unwrap_or(1);
                if end <= line_end(&text, at) {
                    page.replace(at..end, &c.to_string().repeat(end - at));
                    page.go(end - 1);
                }
            }
            Verb::Key(key) => self.single(key, command.count, &text, at, page),
        }
        Done::Something
    }

    fn go(&mut self, motion: Motion, count: Option<usize>, text: &[char], page: &mut dyn Page) -> Done {
        let at = page.caret().min(text.len());
        match (self.place(motion, count, text, at), motion) {
            (Some((place, _)), _) => page.go(place),
            (None, Motion::Up) => return Done::Above,
            (None, Motion::Down) => return Done::Below,
            (None, _) => {}
        }
        Done::Something
    }

    /// Returns where a motion leads.
    fn place(
        &mut self,
        motion: Motion,
        count: Option<usize>,
        text: &[char],
        at: usize,
    ) -> Option<(usize, Reach)> {
        let times = count.unwrap_or(1);
        let lines = isize::try_from(times).unwrap_or(isize::MAX);
        let repeated = |step: &dyn Fn(usize) -> usize| {
            let mut place = at;
            for _ in 0..times {
                let next = step(place);
                if next == place {
                    break;
                }
                place = next;
            }
            place
        };
        let exclusive = |place| Some((place, Reach::Exclusive));
        let whole_lines = |place: usize| (place, Reach::Lines);
        match motion {
            Motion::Left => exclusive(at.saturating_sub(times).max(line_start(text, at))),
            Motion::Right => exclusive((at + times).min(line_end(text, at))),
            Motion::Up => motion::line_by(text, at, -lines).map(whole_lines),
            Motion::Down => motion::line_by(text, at, lines).map(whole_lines),
            Motion::Word { is_big } => exclusive(repeated(&|at| motion::word_forward(text, at, is_big))),
            Motion::Back { is_big } => exclusive(repeated(&|at| motion::word_back(text, at, is_big))),
            Motion::End { is_big } => Some((
                repeated(&|at| motion::word_end(text, at, is_big)),
                Reach::Inclusive,
            )),
            Motion::LineStart => exclusive(line_start(text, at)),
            Motion::FirstWord => exclusive(motion::first_word(text, at)),
            Motion::LineEnd => {
                let below = motion::line_by(text, at, lines - 1)?;
                let is_empty = line_end(text, below) == line_start(text, below);
                let reach = if is_empty {
                    Reach::Exclusive
                } else {
                    Reach::Inclusive
                };
                Some((line_last(text, below), reach))
            }
            Motion::Top => Some(whole_lines(first_of(text, times - 1))),
            Motion::Bottom => Some(whole_lines(first_of(
                text,
                count.map_or(usize::MAX - 1, |count| count - 1),
            ))),
            Motion::Find(find) => {
                self.found = Some(find);
                let place = motion::find(text, at, find, times).or_else(|| beside(text, at, find, times))?;
                Some((place, find.reach()))
            }
            Motion::FindAgain { is_reversed } => {
                let found = self.found?;
                let find = if is_reversed { found.reversed() } else { found };
                Some((motion::find(text, at, find, times)?, find.reach()))
            }
        }
    }

    /// Returns what an operator is about.
    fn range(
        &mut self,
        operator: Operator,
        target: Target,
        count: Option<usize>,
        text: &[char],
        at: usize,
    ) -> Option<(Range<usize>, Reach)> {
        let times = count.unwrap_or(1);
        let motion = match target {
            Target::Lines => {
                let mut last = at;
                for _ in 1..times {
                    last = (line_end(text, last) + 1).min(text.len());
                }
                return Some((line_start(text, at)..line_end(text, last), Reach::Lines));
            }
            Target::Object { name, is_inner } => {
                let range = object::object(text, at, name, is_inner)?;
                let reach = if name == 'p' {
                    Reach::Lines
                } else {
                    Reach::Exclusive
                };
                return Some((range, reach));
            }
            Target::Motion(motion) => motion,
        };
        let is_on_word = text.get(at).is_some_and(|c| !c.is_whitespace());
        if let (Operator::Change, Motion::Word { is_big }, true) = (operator, motion, is_on_word) {
            let (_, mut end) = motion::run(text, at, is_big);
            for _ in 1..times {
                end = (motion::word_end(text, end - 1, is_big) + 1).min(text.len());
            }
            return Some((at..end, Reach::Exclusive));
        }
        let (place, reach) = self.place(motion, count, text, at)?;
        let (first, last) = (at.min(place), at.max(place));
        let range = match reach {
            Reach::Exclusive => first..last,
            Reach::Inclusive => first..(last + 1).min(text.len()),
            Reach::Lines => line_start(text, first)..line_end(text, last),
        };
        // The last word of a line is deleted without the line's end.
        let range = match motion {
            Motion::Word { .. } => range.start..end_on_line(text, range),
            _ => range,
        };
        Some((range, reach))
    }

    fn operate(
        &mut self,
        operator: Operator,
        range: Range<usize>,
        reach: Reach,
        text: &[char],
        page: &mut dyn Page,
    ) {
        let is_lines = reach == Reach::Lines;
        if matches!(operator, Operator::Delete | Operator::Change | Operator::Yank)
            && (is_lines || !range.is_empty())
        {
            let mut taken: String = text[range.clone()].iter().collect();
            if is_lines {
                taken.push('\n');
            }
            self.register = Register {
                text: taken,
                is_lines,
            };
        }
        match operator {
            Operator::Yank => page.go(range.start.min(page.caret())),
            Operator::Delete if is_lines => delete_lines(range, text, page),
            Operator::Delete => page.replace(range, ""),
            Operator::Change => {
                page.replace(range, "");
                self.mode = Mode::Insert;
            }
            Operator::Indent | Operator::Outdent => indent(operator, range, text, page),
        }
    }

    /// A key that is a command of its own.
    fn single(&mut self, key: char, count: Option<usize>, text: &[char], at: usize, page: &mut dyn Page) {
        let times = count.unwrap_or(1);
        let (start, end) = (line_start(text, at), line_end(text, at));
        let right = at..(at + times).min(end);
        let charwise = Reach::Exclusive;
        match key {
            'x' => self.operate(Operator::Delete, right, charwise, text, page),
            'X' => self.operate(
                Operator::Delete,
                at.saturating_sub(times).max(start)..at,
                charwise,
                text,
                page,
            ),
            's' => self.operate(Operator::Change, right, charwise, text, page),
            'D' => self.operate(Operator::Delete, at..end, charwise, text, page),
            'C' => self.operate(Operator::Change, at..end, charwise, text, page),
            'S' => self.operate(Operator::Change, start..end, Reach::Lines, text, page),
            'Y' => self.operate(Operator::Yank, start..end, Reach::Lines, text, page),
            'p' | 'P' => self.put(key == 'p', times, text, at, page),
            'u' => (0..times).for_each(|_| self.undo(page)),
            '.' => self.repeat(page),
            '~' => {
                let turned: String = text[right.clone()].iter().map(|c| turned(*c)).collect();
                page.replace(right, &turned);
            }
            'J' => join(times.max(2) - 1, page),
            'v' | 'V' => {
                self.anchor = at;
                self.mode = if key == 'v' {
                    Mode::Visual
                } else {
                    Mode::VisualLines
                };
            }
            'o' => {
                page.replace(end..end, "\n");
                self.mode = Mode::Insert;
            }
            'O' => {
                page.replace(start..start, "\n");
                page.go(start);
                self.mode = Mode::Insert;
            }
            'i' => self.mode = Mode::Insert,
            'I' => self.insert_at(motion::first_word(text, at), page),
            'a' => self.insert_at((at + 1).min(end), page),
            'A' => self.insert_at(end, page),
            _ => {}
        }
    }

    fn insert_at(&mut self, place: usize, page: &mut dyn Page) {
        page.go(place);
        self.mode = Mode::Insert;
    }

    fn put(&mut self, is_after: bool, times: usize, text: &[char], at: usize, page: &mut dyn Page) {
        let Register { text: put, is_lines } = self.register.clone();
        if put.is_empty() {
            return;
        }
        // No more than fits into what somebody wants to send.
        let times = times.min(100_000 / put.len().max(1) + 1);
        let put = put.repeat(times);
        if !is_lines {
            let place = if is_after {
                (at + 1).min(line_end(text, at))
            } else {
                at
            };
            page.replace(place..place, &put);
            return page.go((place + put.chars().count()).saturating_sub(1));
        }
        let place = if is_after {
            line_end(text, at)
        } else {
            line_start(text, at)
        };
        if is_after {
            page.replace(place..place, &format!("\n{}", put.trim_end_matches('\n')));
        } else {
            page.replace(place..place, &put);
        }
        let text: Vec<char> = page.text().chars().collect();
        page.go(motion::first_word(&text, place + usize::from(is_after)));
    }

    /// Performs a command on what is selected.
    fn over_selection(&mut self, command: Command, page: &mut dyn Page) -> Done {
        let text: Vec<char> = page.text().chars().collect();
        let Some(range) = self.selected(page) else {
            return Done::Something;
        };
        let is_lines = self.mode == Mode::VisualLines;
        let reach = if is_lines { Reach::Lines } else { Reach::Exclusive };
        let lines =
            line_start(&text, range.start)..line_end(&text, range.end.saturating_sub(1).max(range.start));
        let mut operate = |this: &mut Self, operator, range, reach| {
            this.mode = Mode::Normal;
            this.operate(operator, range, reach, &text, page);
        };
        match command.verb {
            Verb::Move(motion) => {
                // Over a selection `j` at the last line does nothing.
                self.go(motion, command.count, &text, page);
            }
            Verb::Operate(_, Target::Object { name, is_inner }) => {
                if let Some(range) =
                    object::object(&text, page.caret(), name, is_inner).filter(|range| !range.is_empty())
                {
                    self.anchor = range.start;
                    page.go(range.end - 1);
                }
            }
            Verb::Key('d' | 'x') => operate(self, Operator::Delete, range, reach),
            Verb::Key('c' | 's') => operate(self, Operator::Change, range, reach),
            Verb::Key('y') => operate(self, Operator::Yank, range, reach),
            Verb::Key('D' | 'X') => operate(self, Operator::Delete, lines, Reach::Lines),
            Verb::Key('C' | 'S') => operate(self, Operator::Change, lines, Reach::Lines),
            Verb::Key('Y') => operate(self, Operator::Yank, lines, Reach::Lines),
            Verb::Key('>') => operate(self, Operator::Indent, lines, Reach::Lines),
            Verb::Key('<') => operate(self, Operator::Outdent, lines, Reach::Lines),
            Verb::Key('p') => {
                let put = self.register.text.clone();
                operate(self, Operator::Delete, range.clone(), Reach::Exclusive);
                page.replace(range.start..range.start, put.trim_end_matches('\n'));
            }
            Verb::Key('~') => {
                self.mode = Mode::Normal;
                let turned: String = text[range.clone()].iter().map(|c| turned(*c)).collect();
                page.replace(range.clone(), &turned);
                page.go(range.start);
            }
            Verb::Key('J') => {
                self.mode = Mode::Normal;
                let ends = text[range.clone()].iter().filter(|c| **c == '\n').count();
                page.go(range.start);
                join(ends.max(1), page);
            }
            Verb::Key(key @ ('v' | 'V')) => {
                let wanted = if key == 'v' {
                    Mode::Visual
                } else {
                    Mode::VisualLines
                };
                self.mode = if self.mode == wanted { Mode::Normal } else { wanted };
            }
            _ => {}
        }
        Done::Something
    }
}

/// A caret outside insert mode stands on a character.
fn clamp(page: &mut dyn Page) {
    let text: Vec<char> = page.text().chars().collect();
    let caret = page.caret().min(text.len());
    page.go(caret.min(line_last(&text, caret)));
}

fn restore(page: &mut dyn Page, (text, caret): &Step) {
    let length = page.text().chars().count();
    page.replace(0..length, text);
    page.go(*caret);
}

fn first_of(text: &[char], line: usize) -> usize {
    let start = motion::line_number(text, line);
    motion::first_word(text, start)
}

/// A search typed anew finds what stands right beside the caret too.
fn beside(text: &[char], at: usize, find: Find, times: usize) -> Option<usize> {
    let next = if find.is_forward {
        Some(at + 1).filter(|next| *next < line_end(text, at))?
    } else {
        at.checked_sub(1).filter(|next| *next >= line_start(text, at))?
    };
    (times == 1 && find.is_till && text[next] == find.target).then_some(at)
}

/// Cuts a range at the end of the last line in which it has a word.
fn end_on_line(text: &[char], range: Range<usize>) -> usize {
    let covered = &text[range.clone()];
    match covered.iter().rposition(|c| !c.is_whitespace()) {
        Some(last) => range.end.min(line_end(text, range.start + last)),
        None => range.end.min(line_end(text, range.start).max(range.start)),
    }
}

fn delete_lines(range: Range<usize>, text: &[char], page: &mut dyn Page) {
    let whole = match (range.start, range.end) {
        (start, end) if end < text.len() => start..end + 1,
        (0, end) => 0..end,
        (start, end) => start - 1..end,
    };
    page.replace(whole, "");
    let text: Vec<char> = page.text().chars().collect();
    page.go(motion::first_word(&text, range.start.min(text.len())));
}

fn indent(operator: Operator, range: Range<usize>, text: &[char], page: &mut dyn Page) {
    let covered: String = text[range.clone()].iter().collect();
    let change = |line: &str| match operator {
        Operator::Indent if !line.is_empty() => format!("{INDENT}{line}"),
        Operator::Outdent => {
            let blank = line.chars().take(INDENT.len()).take_while(|c| *c == ' ').count();
            let blank = if line.starts_with('\t') { 1 } else { blank };
            line[blank..].to_owned()
        }
        _ => line.to_owned(),
    };
    let changed: Vec<String> = covered.split('\n').map(change).collect();
    let start = range.start;
    page.replace(range, &changed.join("\n"));
    let text: Vec<char> = page.text().chars().collect();
    page.go(motion::first_word(&text, start));
}

/// Puts the lines below behind this one, with one space between them.
fn join(times: usize, page: &mut dyn Page) {
    for _ in 0..times {
        let text: Vec<char> = page.text().chars().collect();
        let end = line_end(&text, page.caret().min(text.len()));
        if end == text.len() {
            return;
        }
        let blank = text[end + 1..]
            .iter()
            .take_while(|c| matches!(c, ' ' | '\t'))
            .count();
        let next = end + 1 + blank;
        let is_parted =
            text.get(next).is_some_and(|c| *c != '\n' && *c != ')') && end > line_start(&text, end);
        page.replace(end..next, if is_parted { " " } else { "" });
        page.go(end);
    }
}

fn turned(c: char) -> char {
    let mut other: Vec<char> = if c.is_lowercase() {
        c.to_uppercase().collect()
    } else {
        c.to_lowercase().collect()
    };
    match other.len() {
        1 => other.remove(0),
        _ => c,
    }
}
