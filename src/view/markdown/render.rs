//! One block of Markdown to lines.
//!
//! The parser's events are walked once. Leaves (text, source, tables, rules) make lines, and the containers around them
//! put something before each.

use std::collections::VecDeque;

use pulldown_cmark::{Alignment, BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, LinkType, Options};
use pulldown_cmark::{Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use super::code::{self, CodeBlock, CodeKind};
use super::containers::{Containers, Prefix};
use super::targets::Targets;
use crate::text::markdown::parse;
use crate::text::{sanitize, width};
use crate::view::link;
use crate::view::look::Look;
use crate::view::styled_text::{MEASURE, StyledText};
use crate::view::table::{Align, Table};
use crate::view::theme::Meaning;

/// Lays out a block, as plain text where it is beyond the measure of the parser; `number` is that of its first list item.
pub(super) fn render(
    source: &str,
    number: Option<u64>,
    width: usize,
    look: Look<'_>,
    lines: &mut Vec<Line<'static>>,
    targets: &mut Targets,
) {
    let source = sanitize::sanitize(source);
    let Some(parser) = parse(&source, options()) else {
        let mut flow = StyledText::default();
        flow.push(&source, look.style(Meaning::Text));
        let rows = flow.rows(width.min(MEASURE));
        return lines.extend(rows.into_iter().map(Line::from));
    };
    let mut definitions: Vec<_> = parser
        .reference_definitions()
        .iter()
        .map(|(label, definition)| (definition.span.start, format!("[{label}]: {}", definition.dest)))
        .collect();
    definitions.sort();
    let events: Vec<Event<'_>> = parser.collect();
    let mut renderer = Renderer {
        looseness: looseness(&events),
        look,
        number,
        lines,
        containers: Containers::new(width),
        lists: Vec::new(),
        styles: vec![look.style(Meaning::Text)],
        flow: StyledText::default(),
        links: Vec::new(),
        targets,
        code: None,
        table: None,
    };
    for event in events {
        renderer.take(event);
    }
    renderer.flush();
    for (_, definition) in definitions {
        renderer.flow.push(&definition, look.style(Meaning::MarkdownUrl));
        renderer.flush();
    }
}

/// Returns true if a block is a table.
pub(super) fn is_table(source: &str) -> bool {
    let first = parse(source, options()).and_then(|mut events| events.next());
    matches!(first, Some(Event::Start(Tag::Table(_))))
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_GFM
}

/// Tells of each list, in order, whether its items are paragraphs.
fn looseness(events: &[Event<'_>]) -> VecDeque<bool> {
    let mut found = VecDeque::new();
    let mut open: Vec<Option<usize>> = Vec::new();
    for event in events {
        match event {
            Event::Start(Tag::List(_)) => {
                open.push(Some(found.len()));
                found.push_back(false);
            }
            Event::Start(Tag::BlockQuote(_)) => open.push(None),
            Event::Start(Tag::Paragraph) => {
                if let Some(Some(index)) = open.last() {
                    found[*index] = true;
                }
            }
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => drop(open.pop()),
            _ => {}
        }
    }
    found
}

struct Renderer<'a, 'b> {
    look: Look<'a>,
    number: Option<u64>,
    lines: &'b mut Vec<Line<'static>>,
    looseness: VecDeque<bool>,
    containers: Containers,
    lists: Vec<List>,
    /// The style of the text, innermost last.
    styles: Vec<Style>,
    /// The text that is being collected.
    flow: StyledText,
    links: Vec<Link>,
    /// Targets of links that a terminal may open; each once.
    targets: &'a mut Targets,
    /// The language and the source that is being collected.
    code: Option<(String, String)>,
    table: Option<(Table, RenderPart)>,
}

/// Marks a style as that of a link.
fn lead(style: Style, target: Option<&str>) -> Style {
    target.map_or(style, |target| link::marked(style, target))
}

struct List {
    next: Option<u64>,
    is_loose: bool,
}

struct Link {
    /// Byte offset of its text.
    start: usize,
    url: String,
    /// Target of the link, as a terminal is told.
    target: Option<String>,
}

enum RenderPart {
    Head,
    Rows,
}

impl Renderer<'_, '_> {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, body)) => body.push_str(&text),
                None => self.flow.push(&text, self.style()),
            },
            Event::Code(text) => {
                let style = self.style().patch(self.look.style(Meaning::MarkdownCode));
                self.flow.push(&text, style);
            }
            Event::Html(html) => self.flow.push(&html, self.look.style(Meaning::TextMuted)),
            Event::InlineHtml(html) if is_line_break(&html) => self.flow.push_clean("\n", self.style()),
            Event::InlineHtml(html) => self.flow.push(&html, self.look.style(Meaning::TextMuted)),
            Event::SoftBreak => self.flow.push_clean(" ", self.style()),
            Event::HardBreak => self.flow.push_clean("\n", self.style()),
            Event::Rule => self.rule(),
            Event::TaskListMarker(is_done) => self.tick(is_done),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.flow.push(&text, self.style());
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.flush(),
            Tag::Heading { level, .. } => {
                self.flush();
                let (major, minor) = (Meaning::MarkdownHeading, Meaning::MarkdownHeadingMinor);
                let style = match level {
                    HeadingLevel::H1 => self.look.style(major).add_modifier(Modifier::UNDERLINED),
                    HeadingLevel::H2 => self.look.style(major).remove_modifier(Modifier::UNDERLINED),
                    HeadingLevel::H3 => self.look.style(minor).add_modifier(Modifier::ITALIC),
                    _ => self
                        .look
                        .style(minor)
                        .remove_modifier(Modifier::BOLD)
                        .add_modifier(Modifier::ITALIC),
                };
                self.styles.push(style);
            }
            Tag::BlockQuote(kind) => self.start_quote(kind),
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => self.start_list(first),
            Tag::Item => self.start_item(),
            Tag::Emphasis => self.push_modifier(Modifier::ITALIC),
            Tag::Strong => {
                let strong = self.look.style(Meaning::TextStrong).add_modifier(Modifier::BOLD);
                self.styles.push(self.style().patch(strong));
            }
            Tag::Strikethrough => self.push_modifier(Modifier::CROSSED_OUT),
            Tag::Link {
                link_type, dest_url, ..
            } => self.start_link(link_type, &dest_url),
            Tag::Image { dest_url, .. } => self.start_image(&dest_url),
            Tag::Table(aligns) => {
                self.flush();
                let aligns = aligns.into_iter().map(align).collect();
                let table = Table {
                    aligns,
                    ..Table::default()
                };
                self.table = Some((table, RenderPart::Head));
            }
            Tag::TableHead => self.styles.push(self.look.style(Meaning::TextStrong)),
            Tag::TableRow => {
                if let Some((table, part)) = &mut self.table {
                    *part = RenderPart::Rows;
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.flow.clear(),
            // Not among the options.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.styles.pop();
                self.containers.close();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                self.containers.close_list();
            }
            TagEnd::Item => {
                self.flush();
                if self.containers.is_empty_item() {
                    self.push_lines(vec![Line::default()]);
                }
                self.containers.close();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::TableHead => {
                self.styles.pop();
            }
            TagEnd::Link => self.end_link(),
            TagEnd::Image => self.end_image(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.flow);
                match &mut self.table {
                    Some((table, RenderPart::Head)) => table.head.push(cell),
                    Some((table, RenderPart::Rows)) => {
                        if let Some(row) = table.rows.last_mut() {
                            row.push(cell);
                        }
                    }
                    None => {}
                }
            }
            TagEnd::Table => {
                if let Some((table, _)) = self.table.take() {
                    let lines = table.lines(self.containers.room(), self.look);
                    self.push_lines(lines);
                }
            }
            TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push_modifier(&mut self, modifier: Modifier) {
        self.styles.push(self.style().add_modifier(modifier));
    }

    fn start_quote(&mut self, kind: Option<BlockQuoteKind>) {
        self.flush();
        let bar = format!("{} ", self.look.symbols.bar());
        let style = self.look.style(Meaning::MarkdownMarker);
        self.containers.open(Prefix::new(None, bar, style), true);
        self.styles.push(self.look.style(Meaning::MarkdownQuote));
        let (name, meaning) = match kind {
            None => return,
            Some(BlockQuoteKind::Note) => ("Note", Meaning::Accent),
            Some(BlockQuoteKind::Tip) => ("Tip", Meaning::Success),
            Some(BlockQuoteKind::Important) => ("Important", Meaning::Accent),
            Some(BlockQuoteKind::Warning) => ("Warning", Meaning::Warning),
            Some(BlockQuoteKind::Caution) => ("Caution", Meaning::Danger),
        };
        let style = self.look.style(meaning).add_modifier(Modifier::BOLD);
        self.flow.push_clean(name, style);
        self.flush();
        self.containers.hug_next();
    }

    fn start_list(&mut self, first: Option<u64>) {
        self.flush();
        let first = if self.lists.is_empty() {
            self.number.take().or(first)
        } else {
            first
        };
        let is_loose = self.looseness.pop_front().unwrap_or_default();
        self.lists.push(List {
            next: first,
            is_loose,
        });
        self.containers.open_list(is_loose);
    }

    fn start_item(&mut self) {
        self.flush();
        let Some(list) = self.lists.last_mut() else { return };
        let marker = match &mut list.next {
            Some(number) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            None => format!("{} ", self.look.symbols.bullet()),
        };
        let is_loose = list.is_loose;
        let rest = " ".repeat(width::str_width(&marker));
        let style = self.look.style(Meaning::MarkdownMarker);
        self.containers
            .open(Prefix::new(Some(marker), rest, style), is_loose);
    }

    /// Puts a box in the place of a bullet; behind a number, or where there is no room, it begins the text.
    fn tick(&mut self, is_done: bool) {
        let mark = if is_done { "[x] " } else { "[ ] " };
        if !self.containers.tick(self.look.symbols.bullet(), mark) {
            self.flow
                .push_clean(mark, self.look.style(Meaning::MarkdownMarker));
        }
    }

    fn start_link(&mut self, kind: LinkType, url: &str) {
        let shows_itself = matches!(kind, LinkType::Autolink | LinkType::Email) || url.starts_with('#');
        let target = match kind {
            LinkType::Email => link::address(&format!("mailto:{url}")),
            _ => link::address(url),
        };
        if let Some(target) = &target {
            self.targets.add(target);
        }
        // What leads nowhere is text like any other.
        let style = match target {
            Some(_) => self.style().patch(self.look.style(Meaning::MarkdownLink)),
            None => self.style(),
        };
        self.styles.push(lead(style, target.as_deref()));
        let lookalike = target.clone().filter(|_| link::has_foreign_host(url));
        self.links.push(Link {
            start: self.flow.text().len(),
            url: match lookalike {
                Some(address) => address,
                None if shows_itself => String::new(),
                None => url.to_owned(),
            },
            target,
        });
    }

    fn end_link(&mut self) {
        self.styles.pop();
        let Some(link) = self.links.pop() else { return };
        let text = self.flow.text().get(link.start..).unwrap_or("");
        if link.url.is_empty() || text == link.url {
            return;
        }
        let style = self.look.style(Meaning::MarkdownUrl);
        let leading = lead(style, link.target.as_deref());
        let separator = if text.is_empty() { "(" } else { " (" };
        self.flow.push_clean(separator, style);
        self.flow.push_line(&link.url, leading);
        self.flow.push_clean(")", style);
    }

    fn start_image(&mut self, url: &str) {
        let style = self.look.style(Meaning::TextMuted);
        self.flow.push_clean("[image: ", style);
        self.styles.push(style);
        self.links.push(Link {
            start: self.flow.text().len(),
            url: url.to_owned(),
            target: None,
        });
    }

    fn end_image(&mut self) {
        let link = self.links.pop();
        if let Some(link) = link.filter(|link| link.start == self.flow.text().len()) {
            self.flow.push_line(&link.url, self.style());
        }
        self.flow.push_clean("]", self.style());
        self.styles.pop();
    }

    fn end_code(&mut self) {
        let Some((language, body)) = self.code.take() else {
            return;
        };
        let room = self.containers.room();
        let mut lines = vec![code::rule(&language, room, self.look)];
        let mut block = CodeBlock::new(&language, CodeKind::Fenced { indent: 0 }, 0, self.look);
        for text in body.strip_suffix('\n').unwrap_or(&body).split('\n') {
            block.push(text, room, self.look, &mut lines);
        }
        self.push_lines(lines);
    }

    fn rule(&mut self) {
        self.flush();
        let rule = self.look.symbols.rule().repeat(self.containers.measure());
        self.push_lines(vec![Line::styled(rule, self.look.style(Meaning::Rule))]);
    }

    /// Turns the text that was collected into lines.
    fn flush(&mut self) {
        // What starts inside a cell belongs to it.
        if self.table.is_some() || self.flow.is_empty() {
            return;
        }
        let flow = std::mem::take(&mut self.flow);
        if flow.text().trim().is_empty() {
            return;
        }
        let rows = flow.trimmed().rows(self.containers.measure());
        self.push_lines(rows.into_iter().map(Line::from).collect());
    }

    /// Adds the lines of a leaf.
    fn push_lines(&mut self, leaf: Vec<Line<'static>>) {
        self.containers.add(leaf, self.lines);
    }
}

fn is_line_break(html: &str) -> bool {
    let name = html
        .trim_start_matches('<')
        .trim_end_matches('>')
        .trim_end_matches('/');
    name.trim().eq_ignore_ascii_case("br")
}

fn align(alignment: Alignment) -> Align {
    match alignment {
        Alignment::None | Alignment::Left => Align::Left,
        Alignment::Center => Align::Center,
        Alignment::Right => Align::Right,
    }
}
