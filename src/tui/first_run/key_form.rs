//! The form for an API key on the screen of a first start.
//!
//! A key is pasted or typed, tried with its service, and kept only after the person has seen where. It is never drawn:
//! of its characters the form shows the beginning, by which its service is known, and how many there are.

use std::fmt;
use std::future::pending;

use ratatui::style::Style;
use ratatui::text::Line;
use termina::event::{KeyCode, KeyEvent, Modifiers};
use tokio::sync::{mpsc, oneshot};

use super::{KEYS, hung};
use crate::view::theme::{Meaning, Theme};

/// Characters of the longest key.
const MOST: usize = 500;

/// A service that gives keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyService {
    /// `Anthropic`.
    pub name: String,
    /// The beginning of its keys. Where several fit, the first service counts.
    pub prefix: String,
    /// The address that a key is sent to.
    pub address: String,
    /// The file that a key is kept in.
    pub key_file: String,
    /// The configuration that refers to that file.
    pub settings: String,
}

/// An API key. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// A key that is to be tried with its service.
#[derive(Debug)]
pub struct KeyTrial {
    /// Index of the service.
    pub service: usize,
    pub key: ApiKey,
    /// Takes the answer: an error is a sentence about what is wrong. Closed when the person no longer waits for it.
    pub answer: oneshot::Sender<Result<(), String>>,
}

/// The services that a key may be for, and the way to try one.
#[derive(Debug)]
pub struct KeyServices {
    /// At least one.
    pub services: Vec<KeyService>,
    pub trials: mpsc::UnboundedSender<KeyTrial>,
}

/// The person's next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormReply {
    Stay,
    /// Closes the form.
    Back,
    /// Keeps the key, which works.
    Keep,
}

/// A key that is being typed, tried or kept.
#[derive(Debug)]
pub(super) struct KeyForm {
    text: ApiKey,
    /// `None` as long as nothing tells whose key it is.
    service: Option<usize>,
    /// True if the person has chosen the service.
    is_chosen: bool,
    state: FormState,
}

#[derive(Debug)]
enum FormState {
    /// With the sentence about what was wrong.
    Typing(Option<String>),
    Trying(oneshot::Receiver<Result<(), String>>),
    Accepted,
}

/// What the form is drawn with.
pub(super) struct FormLook<'a> {
    pub(super) theme: &'a Theme,
    pub(super) width: usize,
    /// The configuration file, and whether it can be written: there is none yet.
    pub(super) file: &'a str,
    pub(super) can_keep: bool,
}

impl KeyForm {
    pub(super) fn new() -> Self {
        Self {
            text: ApiKey(String::new()),
            service: None,
            is_chosen: false,
            state: FormState::Typing(None),
        }
    }

    /// Returns the service and the key.
    pub(super) fn given(&self) -> Option<(usize, ApiKey)> {
        Some((self.service?, self.text.clone()))
    }

    pub(super) fn key(&mut self, key: KeyEvent, known: &KeyServices) -> FormReply {
        let is_control = key.modifiers.contains(Modifiers::CONTROL);
        match (&self.state, key.code) {
            (FormState::Typing(_), KeyCode::Escape) => return FormReply::Back,
            (_, KeyCode::Escape) => self.state = FormState::Typing(None),
            (FormState::Accepted, KeyCode::Char('y')) if !is_control => return FormReply::Keep,
            (FormState::Trying(_) | FormState::Accepted, _) => {}
            (FormState::Typing(_), KeyCode::Enter) => self.try_key(known),
            (FormState::Typing(_), KeyCode::Tab) => self.next_service(known.services.len()),
            (FormState::Typing(_), KeyCode::Backspace) => {
                self.text.0.pop();
                self.typed(known);
            }
            (FormState::Typing(_), KeyCode::Char('u')) if is_control => {
                self.text.0.clear();
                self.typed(known);
            }
            (FormState::Typing(_), KeyCode::Char(c)) if !is_control => {
                if c.is_ascii_graphic() && self.text.0.len() < MOST {
                    self.text.0.push(c);
                }
                self.typed(known);
            }
            (FormState::Typing(_), _) => {}
        }
        FormReply::Stay
    }

    /// Takes a key out of a pasted text, which may be a line that sets a variable.
    pub(super) fn paste(&mut self, text: &str, known: &KeyServices) {
        if !matches!(self.state, FormState::Typing(_)) {
            return;
        }
        let text = text.trim();
        let text = text.rsplit_once("_KEY=").map_or(text, |(_, value)| value);
        let text = text.trim_matches(['"', '\'']);
        if text.is_empty() || text.len() > MOST || !text.chars().all(|c| c.is_ascii_graphic()) {
            self.state = FormState::Typing(Some("What was pasted is not one key.".to_owned()));
            return;
        }
        text.clone_into(&mut self.text.0);
        self.typed(known);
    }

    /// Waits for the answer to a trial, and for ever where there is none.
    pub(super) async fn answer(&mut self) -> Result<(), String> {
        match &mut self.state {
            FormState::Trying(answer) => {
                let answer = answer.await;
                answer.unwrap_or_else(|_| Err("The key could not be tried.".to_owned()))
            }
            FormState::Typing(_) | FormState::Accepted => pending().await,
        }
    }

    pub(super) fn on_answer(&mut self, answer: Result<(), String>) {
        self.state = match answer {
            Ok(()) => FormState::Accepted,
            Err(problem) => FormState::Typing(Some(problem)),
        };
    }

    fn typed(&mut self, known: &KeyServices) {
        self.state = FormState::Typing(None);
        if !self.is_chosen {
            let mut services = known.services.iter();
            self.service = services.position(|service| self.text.0.starts_with(&service.prefix));
        }
    }

    fn next_service(&mut self, count: usize) {
        self.is_chosen = true;
        self.service = Some(self.service.map_or(0, |service| (service + 1) % count));
        self.state = FormState::Typing(None);
    }

    fn try_key(&mut self, known: &KeyServices) {
        if self.text.0.is_empty() {
            return;
        }
        let Some((service, key)) = self.given() else {
            let sentence = "Nothing in the key tells which service it is for: choose one with tab.";
            self.state = FormState::Typing(Some(sentence.to_owned()));
            return;
        };
        let (answer, told) = oneshot::channel();
        // Where nobody tries keys any more the answer says so.
        let _ = known.trials.send(KeyTrial { service, key, answer });
        self.state = FormState::Trying(told);
    }

    /// Returns the beginning of the key that its service is known by, and stars for the rest.
    fn masked(&self, known: &KeyServices) -> String {
        let prefix = self
            .service
            .map(|service| known.services[service].prefix.as_str())
            .filter(|prefix| self.text.0.starts_with(prefix))
            .unwrap_or_default();
        let hidden = self.text.0.len() - prefix.len();
        match hidden {
            0 => prefix.to_owned(),
            hidden => format!(
                "{prefix}{} ({} characters)",
                "*".repeat(hidden.min(12)),
                self.text.0.len()
            ),
        }
    }

    pub(super) fn lines(&self, known: &KeyServices, look: &FormLook<'_>) -> Vec<Line<'static>> {
        let text = look.theme.style(Meaning::Text);
        let muted = look.theme.style(Meaning::TextMuted);
        let mut lines = vec![
            Line::styled(" lathe", look.theme.style(Meaning::Accent)),
            Line::default(),
        ];
        let service = self.service.and_then(|service| known.services.get(service));
        match (&self.state, service) {
            (FormState::Accepted, Some(service)) => return Self::kept_lines(lines, service, look),
            (FormState::Typing(Some(problem)), _) => {
                let danger = look.theme.style(Meaning::Danger);
                lines.extend(hung("", problem, 1, [text, danger], look.width));
            }
            (FormState::Trying(_), Some(service)) => {
                let words = format!("asking {} for its models", service.address);
                lines.extend(hung("", &words, 1, [text, muted], look.width));
            }
            _ => lines.extend(hung(
                "",
                "Paste an API key, or type it.",
                1,
                [text, text],
                look.width,
            )),
        }
        lines.push(Line::default());
        let name = service.map_or("unknown service", |service| service.name.as_str());
        let words = format!("{name}: {}", self.masked(known));
        lines.extend(hung("", &words, KEYS, [text, text], look.width));
        if matches!(self.state, FormState::Typing(_)) {
            lines.push(Line::default());
            lines.extend(self.key_lines(known, look));
        }
        lines
    }

    /// The keys while it is typed.
    fn key_lines(&self, known: &KeyServices, look: &FormLook<'_>) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if let Some(service) = self.service.and_then(|service| known.services.get(service)) {
            let words = format!(
                "try it: ask {} for its models, which costs nothing",
                service.address
            );
            lines.extend(look.way("enter", &words));
        }
        let names: Vec<&str> = known
            .services
            .iter()
            .map(|service| service.name.as_str())
            .collect();
        lines.extend(look.way(
            "tab",
            &format!("it is for another service ({})", names.join(", ")),
        ));
        lines
    }

    /// Where a key that works would be kept.
    fn kept_lines(
        mut lines: Vec<Line<'static>>,
        service: &KeyService,
        look: &FormLook<'_>,
    ) -> Vec<Line<'static>> {
        let text = look.theme.style(Meaning::Text);
        let muted = look.theme.style(Meaning::TextMuted);
        let (key_file, file) = (&service.key_file, look.file);
        let sentence = format!("{} takes the key.", service.name);
        lines.extend(hung("", &sentence, 1, [text, text], look.width));
        lines.push(Line::default());
        let words = if look.can_keep {
            format!("write it to {key_file}, for you alone to read, write this to {file}, and start")
        } else {
            format!(
                "write it to {key_file}, for you alone to read, and start; {file} already exists, add this to it:"
            )
        };
        lines.extend(look.way("y", &words));
        lines.push(Line::default());
        for line in service.settings.lines() {
            lines.extend(hung("", line, KEYS, [muted, muted], look.width));
        }
        lines
    }
}

impl FormLook<'_> {
    fn way(&self, key: &str, words: &str) -> Vec<Line<'static>> {
        let styles: [Style; 2] = [self.theme.style(Meaning::Accent), self.theme.style(Meaning::Text)];
        hung(key, words, KEYS, styles, self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn services() -> (KeyServices, mpsc::UnboundedReceiver<KeyTrial>) {
        let (trials, asked) = mpsc::unbounded_channel();
        let service = |name: &str, prefix: &str| KeyService {
            name: name.to_owned(),
            prefix: prefix.to_owned(),
            address: format!("https://{name}.example"),
            key_file: format!("/data/keys/{name}"),
            settings: format!("{{\n  \"{name}\": \"{{file:/data/keys/{name}}}\"\n}}\n"),
        };
        let services = vec![service("One", "sk-one-"), service("Two", "sk-")];
        (KeyServices { services, trials }, asked)
    }

    fn shown(form: &KeyForm, known: &KeyServices, can_keep: bool) -> String {
        let theme = Theme::builtin("lathe-dark").unwrap();
        let look = FormLook {
            theme: &theme,
            width: 80,
            file: "~/.config/lathe/lathe.jsonc",
            can_keep,
        };
        let lines = form.lines(known, &look).into_iter();
        lines.map(|line| line.to_string() + "\n").collect()
    }

    fn press(form: &mut KeyForm, known: &KeyServices, code: KeyCode) -> FormReply {
        form.key(KeyEvent::from(code), known)
    }

    #[test]
    fn the_service_of_a_key_is_known_by_its_beginning_and_can_be_chosen() {
        let (known, mut asked) = services();
        for (pasted, service, key) in [
            ("sk-one-secret1\n", Some(0), "sk-one-secret1"),
            ("  sk-secret2 ", Some(1), "sk-secret2"),
            (
                "export ONE_API_KEY=\"sk-one-secret3\"\n",
                Some(0),
                "sk-one-secret3",
            ),
            ("secret4", None, "secret4"),
        ] {
            let mut form = KeyForm::new();
            form.paste(pasted, &known);
            assert_eq!(form.service, service, "{pasted:?}");
            press(&mut form, &known, KeyCode::Enter);
            match (service, asked.try_recv()) {
                (Some(service), Ok(trial)) => {
                    assert_eq!((trial.service, trial.key.expose()), (service, key));
                }
                (None, Err(_)) => assert!(shown(&form, &known, true).contains("choose one with tab")),
                (expected, got) => panic!("{pasted:?}: {expected:?}, {got:?}"),
            }
        }
        let mut form = KeyForm::new();
        for code in [KeyCode::Tab, KeyCode::Tab, KeyCode::Char('k'), KeyCode::Enter] {
            assert_eq!(press(&mut form, &known, code), FormReply::Stay);
        }
        assert_eq!(asked.try_recv().unwrap().service, 1);
    }

    #[test]
    fn what_is_no_key_is_not_taken() {
        let (known, mut asked) = services();
        for pasted in [
            "",
            "two words",
            "sk-one-a\nsk-one-b",
            "sk-gr\u{f6}\u{df}e",
            &"x".repeat(501),
        ] {
            let mut form = KeyForm::new();
            form.paste(pasted, &known);
            press(&mut form, &known, KeyCode::Enter);
            assert!(asked.try_recv().is_err(), "{pasted:?}");
            assert!(
                shown(&form, &known, true).contains("is not one key"),
                "{pasted:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_key_that_works_is_kept_after_it_was_shown_where() {
        let (known, mut asked) = services();
        let mut form = KeyForm::new();
        form.paste("sk-one-secret", &known);
        press(&mut form, &known, KeyCode::Enter);
        assert!(shown(&form, &known, true).contains("asking https://One.example"));
        let _ = asked
            .recv()
            .await
            .unwrap()
            .answer
            .send(Err("One refuses the key.".to_owned()));
        let answer = form.answer().await;
        form.on_answer(answer);
        assert!(shown(&form, &known, true).contains("One refuses the key."));
        assert_eq!(press(&mut form, &known, KeyCode::Char('y')), FormReply::Stay);
        press(&mut form, &known, KeyCode::Backspace);
        press(&mut form, &known, KeyCode::Enter);
        let trial = asked.recv().await.unwrap();
        assert_eq!(trial.key.expose(), "sk-one-secret");
        let _ = trial.answer.send(Ok(()));
        let answer = form.answer().await;
        form.on_answer(answer);
        for (can_keep, words) in [(true, "write this to"), (false, "already exists, add this to it")] {
            let shown = shown(&form, &known, can_keep);
            assert!(
                shown.contains("One takes the key.") && shown.contains("{file:/data/keys/One}"),
                "{shown}"
            );
            assert!(shown.replace("\n         ", " ").contains(words), "{shown}");
        }
        assert_eq!(press(&mut form, &known, KeyCode::Char('y')), FormReply::Keep);
        assert_eq!(form.given().unwrap().1.expose(), "sk-one-secret");
    }

    #[test]
    fn no_key_is_drawn_and_escape_leads_back() {
        let (known, _asked) = services();
        let mut form = KeyForm::new();
        form.paste("sk-one-secret", &known);
        let words = shown(&form, &known, true);
        assert!(words.contains("One: sk-one-****** (13 characters)"), "{words}");
        assert!(!words.contains("secret") && !format!("{form:?}").contains("secret"));
        press(&mut form, &known, KeyCode::Enter);
        assert!(!shown(&form, &known, true).contains("secret"));
        assert_eq!(press(&mut form, &known, KeyCode::Escape), FormReply::Stay);
        assert_eq!(press(&mut form, &known, KeyCode::Escape), FormReply::Back);
    }
}
