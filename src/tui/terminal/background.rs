//! The terminal's background, and its answers among the keys.
//!
//! The answer to OSC 11 is `ESC ] 11;rgb:RRRR/GGGG/BBBB` and a terminator. The event reader does not know it and hands
//! it on as keys: `alt+]`, the characters, then `alt+\` or `ctrl+g`. So does it with the answer about pictures,
//! `ESC _ Gi=31;OK`. [`AnswerFilter`] takes such runs out. Keys that only begin like an answer are handed on, late by at
//! most [`PATIENCE`].

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// How long a run may stop short before it counts as keys. A terminal writes the answer in one go.
const PATIENCE: Duration = Duration::from_millis(50);
/// `11;rgba:` and four times four digits, with room.
const LONGEST: usize = 40;
/// Why there are no pictures may be told in a sentence.
const LONGEST_ABOUT_PICTURES: usize = 400;
/// How the answer about pictures begins; the number is the question's.
const ABOUT_PICTURES: &str = "Gi=31;";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Background {
    Dark,
    Light,
}

impl Background {
    /// Reads `COLORFGBG`, which is `fg;bg` or `fg;default;bg` in numbers of the 16 colours.
    pub(crate) fn from_color_fg_bg(value: Option<&str>) -> Option<Self> {
        let number: u8 = value?.rsplit(';').next()?.trim().parse().ok()?;
        Some(if number == 7 || (9..=15).contains(&number) {
            Self::Light
        } else {
            Self::Dark
        })
    }

    fn from_rgb(red: f32, green: f32, blue: f32) -> Self {
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue;
        if luma > 0.5 { Self::Light } else { Self::Dark }
    }
}

/// What the filter made of a key.
#[derive(Debug, PartialEq)]
pub(crate) enum Filtered {
    /// May be a part of the answer: kept back.
    Held,
    /// The answer is whole. `None`: it could not be read.
    Answer(Option<Background>),
    /// The answer about pictures is whole: whether they can be drawn.
    Pictures(bool),
    /// Keys of the person, in order.
    Keys(Vec<KeyEvent>),
}

/// Takes the answer out of the keys.
#[derive(Debug, Default)]
pub(crate) struct AnswerFilter {
    held: Vec<KeyEvent>,
    text: String,
    since: Option<Instant>,
    /// A lone escape was read, which is how a split terminator begins.
    half_ended: bool,
}

impl AnswerFilter {
    pub(crate) fn pass(&mut self, key: KeyEvent, now: Instant) -> Filtered {
        if self.held.is_empty() {
            if is_alt(key, ']') || is_alt(key, '_') {
                self.held.push(key);
                self.since = Some(now);
                return Filtered::Held;
            }
            return Filtered::Keys(vec![key]);
        }
        self.held.push(key);
        let is_terminator = is_alt(key, '\\')
            || (key.code == KeyCode::Char('g') && key.modifiers == KeyModifiers::CONTROL)
            || (self.half_ended && key.code == KeyCode::Char('\\'));
        if is_terminator {
            let answer = match self.text.strip_prefix(ABOUT_PICTURES) {
                Some(said) => Filtered::Pictures(said == "OK"),
                None => Filtered::Answer(parse_rgb(&self.text)),
            };
            self.reset();
            return answer;
        }
        match key.code {
            KeyCode::Esc if !self.half_ended => self.half_ended = true,
            KeyCode::Char(c) if is_plain(key) && !self.half_ended => self.text.push(c),
            _ => return Filtered::Keys(self.release()),
        }
        if !self.could_be_answer() {
            return Filtered::Keys(self.release());
        }
        Filtered::Held
    }

    /// Says when [`Self::give_up`] is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.since.map(|since| since + PATIENCE)
    }

    /// Returns what was kept back and was no answer after all.
    pub(crate) fn give_up(&mut self, now: Instant) -> Vec<KeyEvent> {
        match self.deadline() {
            Some(deadline) if deadline <= now => self.release(),
            _ => Vec::new(),
        }
    }

    /// Whether what is held is a beginning of `11;rgb:…`, `11;rgba:…` or an answer about pictures.
    fn could_be_answer(&self) -> bool {
        let text = self.text.as_str();
        let begins = |form: &str| form.starts_with(text) || text.starts_with(form);
        if self.held.first().is_some_and(|key| is_alt(*key, '_')) {
            return begins(ABOUT_PICTURES) && text.len() <= LONGEST_ABOUT_PICTURES;
        }
        text.len() <= LONGEST && (begins("11;rgb:") || begins("11;rgba:") || begins("11;#"))
    }

    fn release(&mut self) -> Vec<KeyEvent> {
        let keys = std::mem::take(&mut self.held);
        self.reset();
        keys
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

fn is_alt(key: KeyEvent, c: char) -> bool {
    key.code == KeyCode::Char(c) && key.modifiers == KeyModifiers::ALT
}

/// A character as it is: capital letters come with `shift`.
fn is_plain(key: KeyEvent) -> bool {
    (key.modifiers - KeyModifiers::SHIFT).is_empty()
}

fn parse_rgb(text: &str) -> Option<Background> {
    let colour = text.strip_prefix("11;")?;
    let (_, channels) = colour.split_once(':')?;
    let mut parts = channels.split('/').map(|channel| {
        let full = 16_f32.powi(channel.len() as i32) - 1.0;
        u32::from_str_radix(channel, 16)
            .ok()
            .filter(|_| (1..=4).contains(&channel.len()))
            .map(|v| v as f32 / full)
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    Some(Background::from_rgb(red, green, blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(c: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
    }

    fn alt(c: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(c), KeyModifiers::ALT)
    }

    fn pass_all(filter: &mut AnswerFilter, keys: &[KeyEvent]) -> Vec<Filtered> {
        let now = Instant::now();
        keys.iter()
            .map(|key| filter.pass(*key, now))
            .filter(|passed| *passed != Filtered::Held)
            .collect()
    }

    fn answer(text: &str, end: KeyEvent) -> Vec<KeyEvent> {
        let mut keys = vec![alt(']')];
        keys.extend(text.chars().map(plain));
        keys.push(end);
        keys
    }

    #[test]
    fn an_answer_is_taken_out_of_the_keys_whatever_ends_it() {
        let bell = KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL);
        for end in [alt('\\'), bell] {
            let mut filter = AnswerFilter::default();
            let mut keys = answer("11;rgb:1e1e/1e1e/2e2e", end);
            keys.push(plain('x'));
            let passed = pass_all(&mut filter, &keys);
            let expected = [
                Filtered::Answer(Some(Background::Dark)),
                Filtered::Keys(vec![plain('x')]),
            ];
            assert_eq!(passed, expected);
        }
        let light = pass_all(
            &mut AnswerFilter::default(),
            &answer("11;rgb:ff/fa/f0", alt('\\')),
        );
        assert_eq!(light, [Filtered::Answer(Some(Background::Light))]);
    }

    #[test]
    fn keys_that_only_begin_like_an_answer_are_handed_on() {
        let mut filter = AnswerFilter::default();
        let keys = [alt(']'), plain('1'), plain('x')];
        assert_eq!(pass_all(&mut filter, &keys), [Filtered::Keys(keys.to_vec())]);
        let now = Instant::now();
        assert_eq!(filter.pass(alt(']'), now), Filtered::Held);
        assert!(filter.give_up(now).is_empty());
        assert_eq!(filter.give_up(now + PATIENCE), [alt(']')]);
        assert_eq!(filter.deadline(), None);
    }

    #[test]
    fn the_answer_about_pictures_is_taken_out_of_the_keys() {
        let run = |text: &str| {
            let typed = |c: char| {
                let shift = if c.is_uppercase() {
                    KeyModifiers::SHIFT
                } else {
                    KeyModifiers::NONE
                };
                KeyEvent::new(KeyCode::Char(c), shift)
            };
            let mut keys = vec![alt('_')];
            keys.extend(text.chars().map(typed));
            keys.push(alt('\\'));
            keys
        };
        let pass = |text| pass_all(&mut AnswerFilter::default(), &run(text));
        assert_eq!(pass("Gi=31;OK"), [Filtered::Pictures(true)]);
        assert_eq!(
            pass("Gi=31;ENOTSUPPORTED:pictures of this kind are not known here, sorry"),
            [Filtered::Pictures(false)]
        );
        let keys = [alt('_'), plain('x')];
        let mut filter = AnswerFilter::default();
        assert_eq!(pass_all(&mut filter, &keys), [Filtered::Keys(keys.to_vec())]);
    }

    #[test]
    fn a_terminator_that_came_in_two_reads_ends_the_answer() {
        let mut keys = answer("11;rgb:0000/0000/0000", KeyCode::Esc.into());
        keys.push(plain('\\'));
        assert_eq!(
            pass_all(&mut AnswerFilter::default(), &keys),
            [Filtered::Answer(Some(Background::Dark))]
        );
    }

    #[test]
    fn the_variable_tells_light_from_dark() {
        assert_eq!(Background::from_color_fg_bg(Some("15;0")), Some(Background::Dark));
        assert_eq!(
            Background::from_color_fg_bg(Some("0;default;15")),
            Some(Background::Light)
        );
        assert_eq!(Background::from_color_fg_bg(Some("nonsense")), None);
        assert_eq!(Background::from_color_fg_bg(None), None);
    }
}
