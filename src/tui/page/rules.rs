//! Stored rules, to be looked through and taken back: a list over the screen that is filtered by typing, as lists to
//! pick from are, with what the chosen rule allows beside or below it where there is room.

use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::Page;
use super::rows::remark;
use crate::conversation::SessionId;
use crate::permission::too_wide;
use crate::session::Grant;
use crate::session::Op;
use crate::session::query::moment;
use crate::text::fuzzy::{Matcher, Query};
use crate::text::sanitize::{reveal_line, sanitize_line};
use crate::text::width::{str_width, truncate, truncate_middle};
use crate::tui::area::{below, rows_at};
use crate::tui::commands::LayerCommand;
use crate::tui::composer::{Composer, ComposerStyle, EditEffect, field};
use crate::tui::keymap::{Action, Context, Edit, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest, LayerUpdate};
use crate::tui::picker::{Preview, draw_rule, split};
use crate::tui::statusbar::Hints;
use crate::tui::terminal_environment::path_words;
use crate::view::Look;
use crate::view::styled_text::draw_lines;
use crate::view::theme::{Meaning, Theme};

pub(super) static PAGE: Page = Page {
    action: "rules",
    leader: &["P"],
    description: "list and revoke permissions",
    brief: "rules",
    command: LayerCommand {
        name: "permissions",
        also: &["allowed"],
        about: "Lists stored permissions and their origin, and revokes them.",
        after: "mode",
    },
    keys: &[&KEYS],
    open: |_title| Box::new(RuleList::default()),
};

static KEYS: LayerKeys = LayerKeys {
    name: "rules",
    title: "Stored permissions",
    takes_text: true,
    rows: &[
        KeyRow::new(&["up", "ctrl+p"], Action::RowUp, "up"),
        KeyRow::new(&["down", "ctrl+n"], Action::RowDown, "down"),
        KeyRow::new(&["ctrl+d"], REVOKE, "twice: revoke"),
    ],
};

const REVOKE: Action = Action::OfLayer("revoke");

/// The heading, the filter and a rule.
const HEAD: u16 = 3;
/// Rows of one rule.
const ROWS: usize = 2;

#[derive(Default)]
pub(super) struct RuleList {
    /// `None` until the session has told them.
    rules: Option<Arc<Vec<Grant>>>,
    filter: Composer,
    matcher: Matcher,
    /// Places in `rules` of those that the filter leaves: the best first, of equals the newest.
    found: Vec<usize>,
    /// Place among them.
    chosen: usize,
    /// The one that the same key again revokes.
    armed: Option<i64>,
    page: usize,
}

impl RuleList {
    /// Takes what the session says; the chosen place stays.
    fn set(&mut self, rules: Arc<Vec<Grant>>) {
        self.rules = Some(rules);
        self.armed = None;
        self.look_for();
        self.move_by(0);
    }

    /// Looks anew for what the filter says.
    fn look_for(&mut self) {
        let query = Query::new(&self.filter.text());
        let rules = self.rules.iter().flat_map(|rules| rules.iter().enumerate().rev());
        let scored = rules.filter_map(|(index, rule)| {
            let what = what(rule);
            let details = format!("{} {}", place(rule, None, None), rule.origin);
            Some((self.matcher.score(&query, &[&what, &details])?, index))
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = scored.into_iter().map(|(_, index)| index).collect();
    }

    /// Filters by the changed text and chooses the best match.
    fn filter_anew(&mut self) {
        self.look_for();
        self.chosen = 0;
    }

    fn move_pages(&mut self, pages: isize) {
        self.armed = None;
        self.move_by(pages * isize::try_from(self.page.max(1)).unwrap_or(1));
    }

    fn edit(&mut self, edit: Edit) {
        if self.filter.edit(edit) == EditEffect::Text {
            self.filter_anew();
        }
    }

    fn move_by(&mut self, rows: isize) {
        let last = self.found.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(rows).min(last);
    }

    fn visible_rules(&self) -> impl Iterator<Item = &Grant> {
        let rules = self.rules.as_deref().map_or(&[][..], Vec::as_slice);
        self.found.iter().map(|index| &rules[*index])
    }

    fn chosen(&self) -> Option<&Grant> {
        self.visible_rules().nth(self.chosen)
    }

    /// As lists are headed: what it is, and how much of it is shown.
    fn heading(&self, cx: &LayerCx<'_>) -> Line<'static> {
        let name = Span::styled(" Stored permissions", cx.look.style(Meaning::TextStrong));
        let all = self.rules.as_ref().map_or(0, |rules| rules.len());
        let count = if self.filter.is_empty() {
            all.to_string()
        } else {
            format!("{} of {all}", self.found.len())
        };
        let count = format!(" {} {count}", cx.look.symbols.dot());
        Line::from(vec![name, Span::styled(count, cx.look.style(Meaning::TextMuted))])
    }

    fn lines(&self, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        if self.found.is_empty() {
            let store = cx.keymap.label(Context::Question, Action::AllowAlways);
            return match &self.rules {
                None => remark("Loading.", width, cx),
                Some(rules) if rules.is_empty() => {
                    let sentence = format!("No permissions are stored. `{store}` in a question stores one.");
                    remark(&sentence, width, cx)
                }
                Some(_) => remark("Nothing matches.", width, cx),
            };
        }
        let zone = cx.zone();
        let rules = self.visible_rules().enumerate();
        rules
            .flat_map(|(index, rule)| self.rule_lines(index == self.chosen, rule, width, &zone, cx))
            .collect()
    }

    fn rule_lines(
        &self,
        is_chosen: bool,
        rule: &Grant,
        width: usize,
        zone: &TimeZone,
        cx: &LayerCx<'_>,
    ) -> [Line<'static>; ROWS] {
        let Look { theme, symbols, .. } = cx.look;
        let dot = symbols.dot();
        let mark = if is_chosen { symbols.pointer() } else { " " };
        let muted = theme.style(Meaning::TextMuted);
        let what = what(rule);
        let note = if self.armed == Some(rule.id) {
            Some("again revokes it")
        } else {
            too_wide(rule.key.as_str(), &rule.pattern)
        };
        let note = note.map(|note| format!("  {note}")).unwrap_or_default();
        let room = width.saturating_sub(4 + str_width(&note));
        let place = place(rule, cx.home(), cx.session);
        let details = format!(
            "{} {dot} from {} {dot} {}",
            sanitize_line(&place),
            sanitize_line(&rule.origin.to_string()),
            moment(rule.created, zone)
        );
        [
            Line::from(vec![
                Span::styled(format!(" {mark} "), theme.style(Meaning::Accent)),
                Span::styled(truncate_middle(&what, room).into_owned(), style(is_chosen, theme)),
                Span::styled(note, theme.style(Meaning::Warning)),
            ]),
            Line::styled(
                format!("     {}", truncate(&details, width.saturating_sub(6))),
                muted,
            ),
        ]
    }
}

impl Layer for RuleList {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Page(&PAGE))
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        let armed = self.armed.take();
        match action {
            Action::RowUp => self.move_by(-1),
            Action::RowDown => self.move_by(1),
            Action::PageUp => self.move_pages(-1),
            Action::PageDown => self.move_pages(1),
            REVOKE => {
                let chosen = self.chosen().map(|rule| rule.id);
                match chosen {
                    Some(id) if armed == chosen => {
                        return LayerReply::Request(LayerRequest::Send(Op::RevokeGrant(id)));
                    }
                    _ => self.armed = chosen,
                }
            }
            Action::Edit(edit) => self.edit(edit),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn write(&mut self, text: &str) -> LayerReply {
        self.armed = None;
        let line = sanitize_line(text);
        line.chars().for_each(|c| self.filter.insert_char(c));
        self.filter_anew();
        LayerReply::Done
    }

    fn request(&self) -> Option<LayerRequest> {
        Some(LayerRequest::Send(Op::ListGrants))
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        if let LayerUpdate::Grants(rules) = news {
            self.set(Arc::clone(rules));
        }
        LayerReply::Done
    }

    /// Clears the filter first.
    fn back(&mut self) -> LayerReply {
        self.armed = None;
        let is_filtered = !self.filter.is_empty();
        self.filter.clear();
        if !is_filtered {
            return LayerReply::Close(None);
        }
        self.filter_anew();
        LayerReply::Done
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.armed = None;
        self.move_by(rows.signum());
        LayerReply::Done
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let key = |action| keymap.label(Context::Layer(&KEYS), action);
        let has_rows = !self.found.is_empty();
        if self.armed.is_some() {
            let revoke = format!("{} again revokes", key(REVOKE));
            hints.say(&revoke, Meaning::Warning);
        } else if has_rows {
            hints.key(key(REVOKE), "revoke");
        }
        let verb = if self.filter.is_empty() {
            "closes"
        } else {
            "clears"
        };
        hints.key(keymap.label(Context::Global, Action::Escape), verb);
        if has_rows {
            hints.pair(key(Action::RowUp), key(Action::RowDown), "moves");
        }
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        Clear.render(area, buffer);
        let theme = cx.look.theme;
        buffer.set_line(area.x, area.y, &self.heading(cx), area.width);
        let look = ComposerStyle::new(cx.look.symbols.bar(), "Type to filter.", theme);
        let caret = self.filter.draw(field(rows_at(area, 1, 1)), buffer, &look);
        let rule = cx.look.symbols.rule().repeat(usize::from(area.width));
        let width = usize::from(area.width);
        buffer.set_stringn(area.x, area.y + 2, rule, width, theme.style(Meaning::Rule));
        let below = below(area, HEAD);
        let (list, preview) = if self.found.is_empty() {
            (below, None)
        } else {
            split(below, area.height)
        };
        self.page = usize::from(list.height) / ROWS;
        let lines = self.lines(usize::from(list.width), cx);
        let first = (self.chosen + 1).saturating_sub(self.page.max(1)) * ROWS;
        draw_lines(lines.iter().skip(first), list, buffer);
        if let (Some((parting, preview)), Some(rule)) = (preview, self.chosen()) {
            draw_rule(parting, buffer, cx.look);
            draw_lines(&preview_lines(rule, preview.width, cx), preview, buffer);
        }
        caret
    }
}

fn style(is_chosen: bool, theme: &Theme) -> ratatui::style::Style {
    theme.style(if is_chosen {
        Meaning::Selection
    } else {
        Meaning::Text
    })
}

fn what(rule: &Grant) -> String {
    format!(
        "{}: {}",
        reveal_line(rule.key.as_str()),
        reveal_line(&rule.pattern)
    )
}

/// Returns the preview of a rule: what it allows, where it counts, and how it came to be.
fn preview_lines(rule: &Grant, columns: u16, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    Preview::new(columns, cx.look)
        .heading(&allows(rule))
        .words("Deny rules still apply.", Meaning::TextMuted)
        .gap()
        .fact("valid in", &place(rule, cx.home(), cx.session))
        .fact("from", &rule.origin.to_string())
        .fact("since", &moment(rule.created, &cx.zone()))
        .fact("id", &rule.id.to_string())
        .lines()
}

/// A sentence.
fn allows(rule: &Grant) -> String {
    let pattern = reveal_line(&rule.pattern);
    if too_wide(rule.key.as_str(), &rule.pattern).is_some() {
        return format!("`{pattern}` is too broad and is ignored.");
    }
    match rule.key.as_str() {
        "bash" => format!("Commands that match `{pattern}` run without asking."),
        "edit" => format!("Files that match `{pattern}` are changed without asking."),
        "read" => format!("Files that match `{pattern}` are read without asking."),
        "webfetch" => format!("URLs that match `{pattern}` are fetched without asking."),
        "external_directory" => {
            format!("Paths outside the project that match `{pattern}` are used without asking.")
        }
        key => format!("`{key}` calls that match `{pattern}` run without asking."),
    }
}

/// Returns the scope of a rule in words.
fn place(rule: &Grant, home: Option<&Path>, session: Option<&SessionId>) -> String {
    rule.scope
        .description(session, |project| path_words(project, home))
}

#[cfg(test)]
mod tests {
    use super::super::HookRuns;
    use super::*;
    use crate::conversation::PermissionKey;
    use crate::session::{GrantOrigin, GrantScope};
    use crate::tui::tasks::TaskList;
    use crate::tui::terminal_environment::TerminalEnvironment;
    use crate::view::highlight::Highlighter;

    fn rule(id: i64, key: &str, pattern: &str, scope: GrantScope) -> Grant {
        Grant {
            id,
            key: PermissionKey::named(key),
            pattern: pattern.into(),
            scope,
            origin: GrantOrigin {
                session: None,
                title: Some("fix\u{1b}[2J it".into()),
            },
            created: 1_763_900_000_000,
        }
    }

    fn list() -> RuleList {
        let own = GrantScope::Session("ses_1".parse().unwrap());
        let rules = vec![
            rule(1, "bash", "cargo test *", GrantScope::Global),
            rule(2, "edit", "*", GrantScope::Project("/home/u/src/retry".into())),
            rule(3, "bash", "git \u{1b}[2Jlog *", own),
        ];
        let mut list = RuleList::default();
        list.set(Arc::new(rules));
        list
    }

    fn picture(list: &mut RuleList, width: u16, height: u16) -> String {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let session = "ses_1".parse().unwrap();
        let (theme, highlighter) = (Theme::default(), Highlighter::plain());
        let cx = LayerCx {
            look: Look {
                theme: &theme,
                symbols: crate::view::Symbols::Unicode,
                highlighter: &highlighter,
            },
            session: Some(&session),
            keymap: &Keymap::default(),
            terminal_environment: &TerminalEnvironment::sample(),
            screen: area,
            pictures: None,
            hooks: &HookRuns::default(),
            directory: Path::new("/home/u/src/retry"),
            tasks: &TaskList::default(),
            unix: 0,
            place: (1, 1),
            is_low: false,
        };
        list.draw(area, &mut buffer, &cx);
        let rows = buffer.content().chunks(usize::from(width)).map(|row| {
            let text: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    /// Returns the rule that an action revokes.
    fn revoked(list: &mut RuleList, action: Action) -> Option<i64> {
        match list.act(action) {
            LayerReply::Request(LayerRequest::Send(Op::RevokeGrant(id))) => Some(id),
            _ => None,
        }
    }

    #[test]
    fn every_rule_says_where_it_counts_where_it_came_from_and_when() {
        let expected = format!(
            " Stored permissions · 3
 ┃ Type to filter.
{}
 ❯ bash: git ⟨U+001B⟩[2Jlog *
     this session · from \"fix it\" · 2025-11-23 12:13
   edit: *
     project ~/src/retry · from \"fix it\" · 2025-11-23 12:13
   bash: cargo test *
     everywhere · from \"fix it\" · 2025-11-23 12:13",
            "─".repeat(80)
        );
        assert_eq!(picture(&mut list(), 80, 9), expected);
        let narrow = picture(&mut list(), 40, 7);
        assert!(narrow.lines().all(|line| str_width(line) <= 40), "{narrow}");
    }

    #[test]
    fn a_rule_that_is_too_wide_by_now_is_listed_so() {
        let mut list = RuleList::default();
        let rules = [(1, "npx *"), (2, "cargo test *")];
        let rules = rules.map(|(id, pattern)| rule(id, "bash", pattern, GrantScope::Global));
        list.set(Arc::new(rules.to_vec()));
        let picture = picture(&mut list, 80, 9);
        assert!(
            picture.contains("   bash: npx *  too broad, ignored\n     everywhere · from"),
            "{picture}"
        );
        assert_eq!(picture.matches("too broad").count(), 1, "{picture}");
    }

    #[test]
    fn the_same_key_twice_on_one_rule_revokes_it() {
        let mut list = list();
        assert_eq!(revoked(&mut list, REVOKE), None);
        assert!(list.armed.is_some() && picture(&mut list, 60, 9).contains("[2Jlog *  again revokes it"));
        assert_eq!(revoked(&mut list, Action::RowDown), None);
        assert_eq!(revoked(&mut list, REVOKE), None, "another rule");
        assert_eq!(revoked(&mut list, REVOKE), Some(2));
        list.set(Arc::new(Vec::new()));
        assert_eq!(revoked(&mut list, REVOKE), None);
        assert_eq!(revoked(&mut list, REVOKE), None, "there is nothing to revoke");
        assert!(picture(&mut list, 60, 9).contains("No permissions are stored"));
    }

    #[test]
    fn typing_filters_and_going_back_clears_that_first() {
        let mut list = list();
        list.act(Action::RowDown);
        list.write("rtry ed");
        let text = picture(&mut list, 80, 9);
        assert!(text.contains("❯ edit") && !text.contains("cargo"), "{text}");
        list.write("zzz");
        assert!(picture(&mut list, 80, 9).contains("Nothing matches."));
        assert!(matches!(list.back(), LayerReply::Done));
        assert!(matches!(list.back(), LayerReply::Close(None)));
        assert!(picture(&mut list, 80, 9).contains("cargo"));
    }

    #[test]
    fn what_the_chosen_rule_allows_stands_beside_or_below() {
        let mut list = list();
        list.act(Action::RowDown);
        let below = picture(&mut list, 60, 22);
        assert!(
            below.contains(" Files that match `*` are changed without asking.")
                && below.contains("since      2025-11-23 12:13"),
            "{below}"
        );
        let beside = picture(&mut list, 120, 12);
        assert!(beside.contains("│ valid in   project ~/src/retry"), "{beside}");
        assert!(!picture(&mut list, 60, 12).contains("without asking"));
    }

    #[test]
    fn the_best_match_is_chosen() {
        let mut list = list();
        list.act(Action::RowDown);
        list.write("bsh");
        let text = picture(&mut list, 80, 9);
        assert!(
            text.contains("❯ bash: git ⟨U+001B⟩[2Jlog *") && !text.contains("edit"),
            "{text}"
        );
    }

    #[test]
    fn the_chosen_rule_is_in_sight() {
        let rules = (0..50).map(|id| rule(id, "bash", &format!("x{id}"), GrantScope::Global));
        let mut list = RuleList::default();
        list.set(Arc::new(rules.collect()));
        picture(&mut list, 80, 11);
        list.move_pages(3);
        let text = picture(&mut list, 80, 11);
        assert!(text.contains("❯ bash: x37"), "{text}");
        list.move_pages(100);
        assert!(picture(&mut list, 80, 11).contains("❯ bash: x0"));
    }
}
