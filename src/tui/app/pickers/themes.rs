//! Themes, previewed while they are selected. A pair is one row, by the name that fits the terminal's background.

use ratatui::layout::Size;
use ratatui::text::{Line, Span};

use super::{List, OpeningKey};
use crate::tui::app::{NamedThemes, Themes};
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, KeyRow};
use crate::tui::layer::LayerRequest;
use crate::tui::picker::{ListContent, Row};
use crate::tui::terminal::background::Background;
use crate::view::Look;
use crate::view::card::CardStatus;
use crate::view::theme::Meaning;

pub(crate) static LIST: List = List {
    action: "open-themes",
    keys: &[OpeningKey {
        context: Context::Palette,
        row: KeyRow::new(&[], Action::OpenList(&LIST), "choose the theme").brief("themes"),
        after: Some(Action::Interrupt),
    }],
    command: Some(LayerCommand {
        name: "theme",
        also: &["themes"],
        about: "Lists themes and previews the chosen one. Text after the name filters the list.",
        after: "sessions",
    }),
    verb: "use it",
    is_offered: |_| true,
    content: |app| {
        let appearance = &app.appearance;
        Box::new(ThemeRows::new(
            (appearance.theme_list)(),
            appearance.themes.clone(),
            appearance.terminal_environment.background,
        ))
    },
};

struct ThemeRows {
    choices: Vec<NamedThemes>,
    /// The themes when the list opens, which return when it is left.
    before: Themes,
    background: Background,
}

impl ThemeRows {
    fn new(all: Vec<NamedThemes>, before: Themes, background: Background) -> Self {
        let mut choices: Vec<NamedThemes> = Vec::new();
        for choice in all {
            if !choices.iter().any(|known| known.themes.are(&choice.themes)) {
                choices.push(choice);
            }
        }
        Self {
            choices,
            before,
            background,
        }
    }

    fn row(&self, choice: &NamedThemes) -> Row {
        let Themes { dark, light } = &choice.themes;
        let is_pair = dark.name() != light.name();
        let (title, detail) = match self.background {
            Background::Dark if is_pair => (dark.name(), format!("{} on a light background", light.name())),
            Background::Light if is_pair => (light.name(), format!("{} on a dark background", dark.name())),
            Background::Dark | Background::Light => (choice.name.as_str(), String::new()),
        };
        Row::new(title)
            .detail(&detail)
            .current_if(choice.themes.are(&self.before))
    }
}

impl ListContent for ThemeRows {
    fn title(&self) -> &'static str {
        "Themes"
    }

    fn rows(&self) -> Vec<Row> {
        self.choices.iter().map(|choice| self.row(choice)).collect()
    }

    fn pass(&mut self, row: usize) -> Option<LayerRequest> {
        let choice = self.choices.get(row)?;
        Some(LayerRequest::ShowTheme(choice.themes.clone()))
    }

    fn pick(&mut self, row: usize) -> Option<LayerRequest> {
        self.choices.get(row).cloned().map(LayerRequest::KeepTheme)
    }

    fn leave(&mut self) -> Option<LayerRequest> {
        Some(LayerRequest::ShowTheme(self.before.clone()))
    }

    /// Everything is drawn in the theme already; this is a piece of a conversation, whatever is on screen.
    fn preview(&self, _row: usize, _size: Size, look: Look<'_>) -> Vec<Line<'static>> {
        sample(look)
    }
}

fn sample(look: Look<'_>) -> Vec<Line<'static>> {
    let span = |meaning, text: &str| Span::styled(text.to_owned(), look.style(meaning));
    let text = |text| span(Meaning::Text, text);
    let muted = |text: &str| span(Meaning::TextMuted, text);
    let card = |status, name: &str, rest: &str| {
        let sign = look.symbols.status(status, 0);
        Line::from(vec![
            Span::styled(
                format!("{sign} "),
                look.style(crate::view::status_meaning(status)),
            ),
            span(Meaning::TextStrong, name),
            muted(rest),
        ])
    };
    let changed = |meaning, back, emphasis, sign: &str, words: [&str; 3]| {
        let line = Line::from(vec![
            span(meaning, &format!("  {sign} {}", words[0])),
            span(emphasis, words[1]),
            span(meaning, words[2]),
        ]);
        line.style(look.style(back))
    };
    let mut rows = vec![
        Line::from(vec![
            span(Meaning::Accent, look.symbols.bar()),
            text(" make the retry test deterministic"),
        ]),
        Line::from(vec![
            text("The test sleeps. I will inject a "),
            span(Meaning::MarkdownCode, "Clock"),
            text("."),
        ]),
        card(CardStatus::Done, "Read", " src/retry.rs"),
        card(CardStatus::Look, "Edit", " src/retry.rs"),
        changed(
            Meaning::DiffRemoved,
            Meaning::DiffRemovedBg,
            Meaning::DiffRemovedEmphasis,
            "-",
            ["", "sleep", "(delay).await;"],
        ),
        changed(
            Meaning::DiffAdded,
            Meaning::DiffAddedBg,
            Meaning::DiffAddedEmphasis,
            "+",
            ["", "self.clock.sleep", "(delay).await;"],
        ),
        card(CardStatus::Failed, "Bash", " cargo test"),
        Line::default(),
    ];
    rows.extend(coloured_words(look));
    rows
}

/// Words in the colours of source, of states and of modes.
fn coloured_words(look: Look<'_>) -> [Line<'static>; 3] {
    let code = |spans: &[(Meaning, &str)]| {
        let span = |(meaning, text): &(Meaning, &str)| Span::styled((*text).to_owned(), look.style(*meaning));
        Line::from(spans.iter().map(span).collect::<Vec<_>>())
    };
    [
        code(&[
            (Meaning::CodeKeyword, "fn "),
            (Meaning::CodeFunction, "delay"),
            (Meaning::CodePunctuation, "() -> "),
            (Meaning::CodeType, "u64"),
            (Meaning::CodePunctuation, " { "),
            (Meaning::CodeNumber, "40"),
            (Meaning::CodePunctuation, " } "),
            (Meaning::CodeComment, "// ms"),
        ]),
        code(&[
            (Meaning::Success, "success "),
            (Meaning::Warning, "warning "),
            (Meaning::Danger, "danger "),
            (Meaning::Match, "match"),
        ]),
        code(&[
            (Meaning::ModeAsk, "ask"),
            (Meaning::Text, " "),
            (Meaning::ModeAccept, "accept-edits"),
            (Meaning::Text, " "),
            (Meaning::ModePlan, "plan"),
            (Meaning::Text, " "),
            (Meaning::ModeYolo, "yolo"),
        ]),
    ]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::view::theme::Theme;

    fn named(name: &str, dark: &str, light: &str) -> NamedThemes {
        let theme = |name| Arc::new(Theme::builtin(name).unwrap());
        NamedThemes {
            name: name.to_owned(),
            themes: Themes {
                dark: theme(dark),
                light: theme(light),
            },
        }
    }

    fn themes(background: Background) -> ThemeRows {
        let all = vec![
            named("lathe-dark", "lathe-dark", "lathe-light"),
            named("lathe-light", "lathe-dark", "lathe-light"),
            named("ember-dark", "ember-dark", "ember-light"),
            named("mine", "system", "system"),
        ];
        let before = all[2].themes.clone();
        ThemeRows::new(all, before, background)
    }

    #[test]
    fn a_pair_is_one_row_by_the_name_that_fits_the_background() {
        let titles = |background| {
            let rows = themes(background).rows();
            rows.iter().map(|row| row.title().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(titles(Background::Dark), ["lathe-dark", "ember-dark", "mine"]);
        assert_eq!(titles(Background::Light), ["lathe-light", "ember-light", "mine"]);
    }

    #[test]
    fn selecting_previews_a_theme_and_cancelling_restores_the_old_one() {
        let mut themes = themes(Background::Dark);
        assert!(themes.rows()[1].is_current());
        let worn = |wish| match wish {
            Some(LayerRequest::ShowTheme(themes)) => themes.dark.name().to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(worn(themes.pass(0)), "lathe-dark");
        assert_eq!(worn(themes.leave()), "ember-dark");
        let kept = themes.pick(2);
        assert!(matches!(kept, Some(LayerRequest::KeepTheme(choice)) if choice.name == "mine"));
    }
}
