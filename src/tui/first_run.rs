//! The one screen of a first start, when there is no model to talk to.
//!
//! It offers the demo, a server that was found on this machine, and a form for an API key (`key_form`), and returns what was
//! chosen. It is painted before anybody has looked for a server: what is found comes in while it stands. It keeps no state,
//! opens no session and decides nothing by itself; what tries a key is on the other end of a channel.

mod key_form;

use std::future::pending;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use termina::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, Modifiers};
use tokio::sync::oneshot;

pub use self::key_form::{ApiKey, KeyService, KeyServices, KeyTrial};

use self::key_form::{FormLook, FormReply, KeyForm};
use super::terminal::answer::TerminalAnswer;
use super::terminal::background::Background;
use super::terminal::decoder::TerminalInput;
use super::terminal::reader::TerminalReader;
use super::terminal::signals::{Signal, Signals};
use super::terminal::{FrameExtras, Screen, TerminalError, caught};
use super::terminal_environment::TerminalEnvironment;
use super::{MouseCapture, Themes, TuiExit};
use crate::view::styled_text::{StyledText, draw_lines};
use crate::view::theme::{Meaning, Theme};
use crate::view::{Symbols, in_ascii};

/// Columns for the names of keys.
const KEYS: usize = 9;

/// The content of the screen of a first start.
pub struct FirstRun {
    pub themes: Themes,
    /// The sentence about what is missing.
    pub sentence: String,
    /// Names of the servers that are probed.
    pub looked_for: String,
    /// The server that was found. Dropped or `None` when there is none.
    pub server: oneshot::Receiver<Option<FoundModel>>,
    /// The names of the keys that can be set.
    pub keys: String,
    /// The services that a key can be given for.
    pub services: KeyServices,
    /// File in which a model can be configured.
    pub file: String,
    /// True if that file can be written: there is none yet.
    pub can_keep: bool,
}

/// A model server that was found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundModel {
    pub words: String,
    /// The configuration that names it for good.
    pub settings: String,
}

/// The person's choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstRunChoice {
    Demo,
    Server,
    /// The server, whose settings are to be written.
    KeptServer,
    /// A key that its service takes, which is to be kept.
    Key {
        service: usize,
        key: ApiKey,
    },
    /// Nothing.
    Left(TuiExit),
}

/// Shows the screen on this thread until something is chosen, and gives the terminal back.
pub fn first_run(first: FirstRun) -> Result<FirstRunChoice, TerminalError> {
    caught(|| run(first)).unwrap_or(Ok(FirstRunChoice::Left(TuiExit::Fault)))
}

fn run(first: FirstRun) -> Result<FirstRunChoice, TerminalError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut page = Page::new(
            first,
            &TerminalEnvironment::read(&|name| std::env::var(name).ok()),
        );
        // Before the terminal is taken, as in the event loop.
        let mut signals = Signals::listen()?;
        let mut screen = Screen::enter(MouseCapture::LeftAlone, page.terminal_environment.depth)?;
        page.draw(&mut screen)?;
        let mut input = TerminalReader::new();
        input.start()?;
        screen.ask_background()?;
        loop {
            if let Some(chosen) = page.next(&mut input, &mut signals, &mut screen).await {
                return Ok(chosen);
            }
            page.draw(&mut screen)?;
        }
    })
}

/// The search for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ServerSearch {
    Looking,
    Found(FoundModel),
    Nothing,
}

struct Page {
    first: FirstRun,
    search: ServerSearch,
    /// True if the settings that would be written are shown.
    shows_settings: bool,
    /// Open while a key is given.
    form: Option<KeyForm>,
    terminal_environment: TerminalEnvironment,
    theme: Arc<Theme>,
}

impl Page {
    fn new(first: FirstRun, terminal_environment: &TerminalEnvironment) -> Self {
        let theme = Arc::clone(&first.themes.dark);
        let mut page = Self {
            first,
            search: ServerSearch::Looking,
            shows_settings: false,
            form: None,
            terminal_environment: terminal_environment.clone(),
            theme,
        };
        page.set_background(terminal_environment.background);
        page
    }

    fn set_background(&mut self, background: Background) {
        let theme = match background {
            Background::Dark => &self.first.themes.dark,
            Background::Light => &self.first.themes.light,
        };
        self.theme = Arc::new(Theme::clone(theme).at_depth(self.terminal_environment.depth));
    }

    /// Waits for something to happen; returns what was chosen by it.
    async fn next(
        &mut self,
        input: &mut TerminalReader,
        signals: &mut Signals,
        screen: &mut Screen,
    ) -> Option<FirstRunChoice> {
        tokio::select! {
            biased;
            read = input.next() => match read.map(|received| received.input) {
                Ok(TerminalInput::Input(Input::Key(key))) => self.key(key),
                Ok(TerminalInput::Input(Input::Paste(text))) => {
                    self.paste(&text);
                    None
                }
                Ok(TerminalInput::Answer(TerminalAnswer::Background(Some(background)))) => {
                    self.set_background(background);
                    None
                }
                Ok(_) => None,
                Err(_) => Some(FirstRunChoice::Left(TuiExit::Signal(Signal::Hangup.number()))),
            },
            signal = signals.next() => match signal {
                Signal::Continue if screen.retake().is_ok() => None,
                Signal::Resize if screen.forget().is_ok() => None,
                Signal::Continue | Signal::Resize => Some(FirstRunChoice::Left(TuiExit::Signal(Signal::Hangup.number()))),
                signal => Some(FirstRunChoice::Left(TuiExit::Signal(signal.number()))),
            },
            found = await_server(&mut self.first.server, &self.search) => {
                self.search = found.map_or(ServerSearch::Nothing, ServerSearch::Found);
                None
            }
            answer = await_trial(&mut self.form) => {
                if let Some(form) = &mut self.form {
                    form.on_answer(answer);
                }
                None
            }
        }
    }

    fn key(&mut self, key: KeyEvent) -> Option<FirstRunChoice> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let is_control = key.modifiers.contains(Modifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => Some(FirstRunChoice::Left(TuiExit::Quit)),
            _ if self.form.is_some() => self.form_key(key),
            KeyCode::Escape if self.shows_settings => {
                self.shows_settings = false;
                None
            }
            KeyCode::Char('y') if self.shows_settings && self.first.can_keep => {
                Some(FirstRunChoice::KeptServer)
            }
            KeyCode::Char('q') | KeyCode::Escape => Some(FirstRunChoice::Left(TuiExit::Quit)),
            _ if self.shows_settings => None,
            KeyCode::Char('d') if !is_control => Some(FirstRunChoice::Demo),
            KeyCode::Char('a') if !is_control => {
                self.form = Some(KeyForm::new());
                None
            }
            KeyCode::Enter if self.found().is_some() => Some(FirstRunChoice::Server),
            KeyCode::Char('k') if self.found().is_some() => {
                self.shows_settings = true;
                None
            }
            _ => None,
        }
    }

    fn form_key(&mut self, key: KeyEvent) -> Option<FirstRunChoice> {
        let form = self.form.as_mut()?;
        match form.key(key, &self.first.services) {
            FormReply::Stay => None,
            FormReply::Back => {
                self.form = None;
                None
            }
            FormReply::Keep => {
                let (service, key) = form.given()?;
                Some(FirstRunChoice::Key { service, key })
            }
        }
    }

    /// Takes a pasted text for a key.
    fn paste(&mut self, text: &str) {
        let form = self.form.get_or_insert_with(KeyForm::new);
        form.paste(text, &self.first.services);
    }

    fn found(&self) -> Option<&FoundModel> {
        match &self.search {
            ServerSearch::Found(found) => Some(found),
            ServerSearch::Looking | ServerSearch::Nothing => None,
        }
    }

    fn draw(&self, screen: &mut Screen) -> Result<(), TerminalError> {
        screen.draw(|frame| {
            self.render(frame.area(), frame.buffer_mut());
            if self.terminal_environment.symbols == Symbols::Ascii {
                in_ascii(frame.buffer_mut());
            }
            FrameExtras::default()
        })?;
        Ok(())
    }

    fn render(&self, area: Rect, buffer: &mut Buffer) {
        let lines = self.lines(usize::from(area.width), usize::from(area.height));
        let hints = area.rows().next_back();
        draw_lines(&lines, area, buffer);
        if let Some(hints) = hints {
            let (key, does) = if self.shows_settings || self.form.is_some() {
                (" esc", " goes back")
            } else {
                (" q", " quits")
            };
            let hint = Line::from(vec![
                Span::styled(key, self.theme.style(Meaning::Text)),
                Span::styled(does, self.theme.style(Meaning::TextMuted)),
            ]);
            buffer.set_stringn(
                hints.x,
                hints.y,
                " ".repeat(usize::from(hints.width)),
                usize::from(hints.width),
                Style::new(),
            );
            buffer.set_line(hints.x, hints.y, &hint, hints.width);
        }
    }

    /// Returns the sentence about what is missing and the ways to begin: in whole sentences with empty rows between
    /// them, in less where there is little room. All ways are there on the smallest screen.
    fn lines(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        if let Some(form) = &self.form {
            let look = FormLook {
                theme: &self.theme,
                width,
                file: &self.first.file,
                can_keep: self.first.can_keep,
            };
            return form.lines(&self.first.services, &look);
        }
        let text = self.theme.style(Meaning::Text);
        let accent = self.theme.style(Meaning::Accent);
        let head = Line::styled(" lathe", accent);
        if let Some(found) = self.found().filter(|_| self.shows_settings) {
            return self.settings_lines(head, &found.settings, width);
        }
        let sentence = hung("", &self.first.sentence, 1, [text, text], width);
        // The last row is for the hints.
        let room = height.saturating_sub(2 + sentence.len());
        let rows = |ways: &[Vec<Line<'_>>]| ways.iter().map(Vec::len).sum::<usize>();
        let mut ways = self.ways(width, Detail::Whole);
        let mut blanks = ways.len() + 1;
        if rows(&ways) + blanks > room {
            blanks = 2;
        }
        if rows(&ways) + blanks > room {
            ways = self.ways(width, Detail::Few);
            blanks = 2.min(room.saturating_sub(rows(&ways)));
        }
        let mut lines = vec![head];
        // The first is above the sentence, the second below it, the others are between the ways.
        lines.extend((blanks > 1).then(Line::default));
        lines.extend(sentence);
        for (index, way) in ways.into_iter().enumerate() {
            let is_parted = if index == 0 { blanks > 0 } else { blanks > 2 };
            lines.extend(is_parted.then(Line::default));
            lines.extend(way);
        }
        lines
    }

    /// Returns the settings that name the server for good, and what can be done with them.
    fn settings_lines(&self, head: Line<'static>, settings: &str, width: usize) -> Vec<Line<'static>> {
        let text = self.theme.style(Meaning::Text);
        let muted = self.theme.style(Meaning::TextMuted);
        let accent = self.theme.style(Meaning::Accent);
        let file = &self.first.file;
        let mut lines = vec![head, Line::default()];
        if self.first.can_keep {
            let words = format!("write this to {file} and start");
            lines.extend(hung("y", &words, KEYS, [accent, text], width));
        } else {
            let words = format!("{file} already exists; add this to it, then start lathe again:");
            lines.extend(hung("", &words, 1, [text, text], width));
        }
        lines.push(Line::default());
        for line in settings.lines() {
            lines.extend(hung("", line, KEYS, [muted, muted], width));
        }
        lines
    }

    fn ways(&self, width: usize, words: Detail) -> Vec<Vec<Line<'static>>> {
        let text = self.theme.style(Meaning::Text);
        let muted = self.theme.style(Meaning::TextMuted);
        let accent = self.theme.style(Meaning::Accent);
        let way = |key: &str, words: &str, style: Style| hung(key, words, KEYS, [accent, style], width);
        let first = &self.first;
        let server = match &self.search {
            ServerSearch::Looking => way("", "looking for a model server on this machine", muted),
            ServerSearch::Found(server) => {
                let mut rows = way("enter", &format!("use {}, until you quit", server.words), text);
                let keeps = match words {
                    Detail::Whole => "save it: shows the settings first",
                    Detail::Few => "save it",
                };
                rows.extend(way("k", keeps, muted));
                rows
            }
            ServerSearch::Nothing => {
                let names = &first.looked_for;
                let words = format!("no model server was found on this machine ({names})");
                way("", &words, muted)
            }
        };
        let (demo, key, variables, file) = match words {
            Detail::Whole => (
                "the demo: a scripted model with real tools, in a scratch project",
                "an API key: paste it; it is tried, then kept in a file of yours",
                format!("or set {}, then start lathe again", first.keys),
                format!("or configure a model in {}", first.file),
            ),
            Detail::Few => (
                "the demo: a scripted model",
                "an API key: paste it",
                String::new(),
                format!("or {}", first.file),
            ),
        };
        let mut settings = way("a", key, text);
        if !variables.is_empty() {
            settings.extend(way("", &variables, muted));
        }
        settings.extend(way("", &file, muted));
        vec![way("d", demo, text), server, settings]
    }
}

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Whole,
    Few,
}

/// Breaks a text at words, beside the key that stands before its first row.
fn hung(
    key: &str,
    words: &str,
    indent: usize,
    [key_style, style]: [Style; 2],
    width: usize,
) -> Vec<Line<'static>> {
    let mut flow = StyledText::default();
    flow.push(words, style);
    let rows = flow
        .rows(width.saturating_sub(indent + 1))
        .into_iter()
        .enumerate();
    let lines = rows.map(|(row, mut spans)| {
        let key = if row == 0 && !key.is_empty() {
            format!("   {key}")
        } else {
            String::new()
        };
        spans.insert(0, Span::styled(format!("{key:<indent$}"), key_style));
        Line::from(spans)
    });
    lines.collect()
}

async fn await_trial(form: &mut Option<KeyForm>) -> Result<(), String> {
    match form {
        Some(form) => form.answer().await,
        None => pending().await,
    }
}

async fn await_server(
    server: &mut oneshot::Receiver<Option<FoundModel>>,
    search: &ServerSearch,
) -> Option<FoundModel> {
    match search {
        ServerSearch::Looking => server.await.ok().flatten(),
        ServerSearch::Found(_) | ServerSearch::Nothing => pending().await,
    }
}

#[cfg(test)]
mod tests;
