//! The preview beside a session in the list: facts, and texts around what is looked for, or its last ones.

use std::ops::Range;

use ratatui::layout::Size;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use regex::Regex;

use super::{ListedSession, SessionRows, date, removal_words};
use crate::conversation::Role;
use crate::session::host::FoundText;
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::text::width::truncate;
use crate::text::wrap::wrap;
use crate::tui::terminal_environment::path_words;
use crate::tui::transcript::pattern;
use crate::view::theme::Meaning;
use crate::view::{Look, markdown};

/// Rows that one message takes at most, and the one that was found.
const MESSAGE_ROWS: usize = 6;
const FOUND_ROWS: usize = 14;

pub(super) fn lines(list: &SessionRows, row: usize, size: Size, look: Look<'_>) -> Vec<Line<'static>> {
    let Some(session) = list.session(row) else {
        return Vec::new();
    };
    let mut lines = head(list, session, look);
    let room = usize::from(size.height).saturating_sub(lines.len());
    let Some((searched, words)) = list.looked.get(&session.row.id) else {
        return lines;
    };
    let pattern = pattern(searched);
    let holds = |words: &FoundText| {
        pattern
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(&words.text))
    };
    let found = words.iter().position(holds);
    let columns = usize::from(size.width);
    let said: Vec<Vec<Line<'static>>> = words
        .iter()
        .enumerate()
        .map(|(place, words)| {
            let is_found = Some(place) == found;
            let rows = if is_found { FOUND_ROWS } else { MESSAGE_ROWS };
            let lines = message_lines(words, rows, columns, look);
            match &pattern {
                Some(pattern) => marked(lines, pattern, look.style(Meaning::Match)),
                None => lines,
            }
        })
        .collect();
    let first = match found {
        // With the message before it.
        Some(found) => found.saturating_sub(1),
        None => first_of_last(&said, room),
    };
    for message in said.into_iter().skip(first) {
        lines.push(Line::default());
        lines.extend(message);
    }
    lines
}

/// Returns the first of the messages at the end that fit.
fn first_of_last(said: &[Vec<Line<'static>>], room: usize) -> usize {
    let mut first = said.len();
    let mut rows = 0;
    while first > 0 && rows + said[first - 1].len() < room {
        first -= 1;
        rows += said[first].len() + 1;
    }
    first
}

fn head(list: &SessionRows, session: &ListedSession, look: Look<'_>) -> Vec<Line<'static>> {
    let row = &session.row;
    let dot = look.symbols.dot();
    let model = row.model.as_ref().map(ToString::to_string).unwrap_or_default();
    let place = path_words(&row.directory, list.home.as_deref());
    let date = date(session, &list.zone);
    let facts = format!("{date} {dot} {place} {dot} {model} {dot} {}", row.agent);
    let mut lines = vec![
        Line::styled(
            sanitize_line(session.title()).into_owned(),
            look.style(Meaning::TextStrong),
        ),
        Line::styled(sanitize_line(&facts).into_owned(), look.style(Meaning::TextMuted)),
    ];
    let tags: Vec<String> = row.marks.tags.iter().map(|tag| format!("#{tag}")).collect();
    if !tags.is_empty() {
        lines.push(Line::styled(tags.join(" "), look.style(Meaning::Accent)));
    }
    lines.extend(removal_words(session).map(|words| {
        let words = format!("Old session: {words}, unless it is pinned.");
        Line::styled(words, look.style(Meaning::Warning))
    }));
    lines.extend(session.held.as_ref().map(|held| {
        Line::styled(
            format!("Open in {held}: it can only be read here."),
            look.style(Meaning::Warning),
        )
    }));
    lines
}

fn message_lines(words: &FoundText, most: usize, columns: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let is_own = words.role == Role::User;
    let bar = format!("{} ", look.symbols.bar());
    if !is_own {
        return answer_lines(&words.text, most, columns, look);
    }
    let width = columns.saturating_sub(2).max(1);
    let text = sanitize(words.text.trim()).into_owned();
    let mut rows: Vec<String> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .flat_map(|line| wrap(line, width).into_iter().map(|range| line[range].to_owned()))
        .take(most + 1)
        .collect();
    if rows.len() > most {
        rows.truncate(most);
        if let Some(last) = rows.last_mut() {
            let cut = truncate(last, width.saturating_sub(1)).into_owned();
            *last = format!("{}{}", cut.trim_end_matches('…'), look.symbols.ellipsis());
        }
    }
    let row = |text| {
        Line::from(vec![
            Span::styled(bar.clone(), look.style(Meaning::Accent)),
            Span::styled(text, look.style(Meaning::Text)),
        ])
    };
    rows.into_iter().map(row).collect()
}

/// Returns the model's answer, drawn as it is in the conversation.
fn answer_lines(text: &str, most: usize, columns: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let mut lines = markdown::render(text.trim(), columns.max(1), look);
    lines.retain(|line| line.width() > 0);
    if lines.len() > most {
        lines.truncate(most - 1);
        lines.push(Line::styled(
            look.symbols.ellipsis(),
            look.style(Meaning::TextMuted),
        ));
    }
    lines
}

/// Gives what a pattern finds in each line this style.
fn marked(lines: Vec<Line<'static>>, pattern: &Regex, style: Style) -> Vec<Line<'static>> {
    let mark = |line: Line<'static>| {
        let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
        let found: Vec<Range<usize>> = pattern.find_iter(&text).map(|found| found.range()).collect();
        if found.is_empty() {
            return line;
        }
        let mut spans = Vec::new();
        let mut start = 0;
        for span in &line.spans {
            let end = start + span.content.len();
            let mut at = start;
            for found in &found {
                let (from, to) = (found.start.clamp(at, end), found.end.clamp(at, end));
                spans.push(Span::styled(text[at..from].to_owned(), span.style));
                spans.push(Span::styled(text[from..to].to_owned(), span.style.patch(style)));
                at = to;
            }
            spans.push(Span::styled(text[at..end].to_owned(), span.style));
            start = end;
        }
        spans.retain(|span| !span.content.is_empty());
        Line { spans, ..line }
    };
    lines.into_iter().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_marked_across_spans() {
        let line = Line::from(vec![Span::raw("a re"), Span::raw("try b retry")]);
        let style = Style::new().bold();
        let lines = marked(vec![line, Line::raw("none")], &pattern("retry").unwrap(), style);
        let shown: Vec<(&str, bool)> = lines[0]
            .spans
            .iter()
            .map(|span| (span.content.as_ref(), span.style == style))
            .collect();
        assert_eq!(
            shown,
            [
                ("a ", false),
                ("re", true),
                ("try", true),
                (" b ", false),
                ("retry", true)
            ]
        );
        assert_eq!(lines[1], Line::raw("none"));
    }
}
